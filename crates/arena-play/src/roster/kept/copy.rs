//! Copies of bots.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use anyhow::Context;
use arena_guard::{is_installed, open_foreign};

use crate::roster::FoundBot;
use crate::roster::layout::{CopyLayout, FILES, INDEX, Item};
use crate::roster::parts::climb;

/// What a copy keeps of the mode of a file: it is not writable.
const MODE_MASK: u32 = 0o555;

/// A path that the manifest of a bot names outside the bot's folder, or by an absolute path, so that a copy would use the same
/// file. What is installed on the system does not count.
pub(super) fn names_outside(found: &FoundBot) -> Option<String> {
    let launch = &found.launch;
    let home = &launch.dir;
    let mut absolute = found.absolute.iter();
    let mut above = found.own.iter().filter(|own| own.strip_prefix(home).map_or(true, |inside| climb(inside) > 0));
    if let Some(path) = absolute.next().or_else(|| above.next()) {
        return Some(path.to_string_lossy().into_owned());
    }
    // Which of its own files a manifest names by absolute paths is known. The arena plays built-in strategies.
    let is_inside = launch.program.strip_prefix(home).is_ok_and(|inside| climb(inside) == 0);
    let is_known = is_inside || launch.guard.arena_file().as_ref() == Some(&launch.program);
    let program = (!is_known).then(|| launch.program.to_string_lossy().into_owned());
    let args = launch.args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let env = launch.env.iter().flat_map(|(_, value)| value.split(':')).map(str::to_owned);
    let options = launch.options.values().map(ToString::to_string);
    let mut words = program.into_iter().chain(args).chain(env).chain(options);
    // As in `--book=../book.bin`.
    words.find(|word| leads_out(word, home) || word.split_once('=').is_some_and(|(_, value)| leads_out(value, home)))
}

/// Whether a word is the path of a file or folder that a copy of the bot in `home` would share with it.
fn leads_out(word: &str, home: &Path) -> bool {
    let path = home.join(word);
    if !word.contains('/') && word != ".." {
        return false;
    }
    let (Ok(real), Ok(home)) = (path.canonicalize(), home.canonicalize()) else { return false };
    let is_shared = Path::new(word).is_absolute() || !real.starts_with(home);
    is_shared && (real.is_file() || real.is_dir()) && !is_installed(&real) && !is_installed(&path)
}

/// Total size of the files of a copy.
pub(super) fn size(layout: &CopyLayout) -> anyhow::Result<u64> {
    let mut bytes = 0_u64;
    for item in layout.items.values() {
        if let Item::File(source) = item {
            let meta = std::fs::metadata(source).with_context(|| format!("reading {}", source.display()))?;
            bytes = bytes.saturating_add(meta.len());
        }
    }
    Ok(bytes)
}

/// Writes a copy into the folder `into`, which is empty and ours.
pub(super) fn write(layout: &CopyLayout, into: &Path) -> anyhow::Result<()> {
    let index = layout.index()?;
    create(&into.join(INDEX), 0o444)?.write_all(&index)?;
    let files = into.join(FILES);
    folder(&files)?;
    for (name, item) in &layout.items {
        let path = files.join(name);
        let written = match item {
            Item::Folder => folder(&path),
            Item::Link(target) => symlink(target, &path),
            Item::File(source) => file(source, &path),
        };
        written.with_context(|| format!("copying {}", name.display()))?;
    }
    Ok(())
}

fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(mode).open(path)
}

fn file(source: &Path, path: &Path) -> io::Result<()> {
    let source = open_foreign(source)?;
    let meta = source.metadata()?;
    let mut copy = create(path, 0o600)?;
    // A file that grows meanwhile has another fingerprint.
    io::copy(&mut io::Read::take(source, meta.len()), &mut copy)?;
    // Whatever the umask is, since modes are part of the fingerprint.
    copy.set_permissions(std::fs::Permissions::from_mode(meta.permissions().mode() & MODE_MASK))
}
