//! Unpacks packages, which may come from strangers.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};
use arena_core::text::shown;
use arena_play::roster::{FILES, INDEX, check_link};
use tar::{Archive, EntryType};

/// Maximum number of files, folders and links in a package.
const ENTRIES_MAX: usize = 100_000;

/// Unpacks an archive into the folder `into`, which is empty and ours. Files are read-only.
///
/// Every entry must be new and must lie in a folder that was an entry before, so nothing is written through a link or to
/// another place.
pub(super) fn unpack(bytes: &[u8], into: &Path) -> anyhow::Result<()> {
    let mut folders = HashSet::from([PathBuf::new()]);
    let mut archive = Archive::new(bytes);
    for (count, entry) in archive.entries().context("it is not a tar archive")?.enumerate() {
        ensure!(count < ENTRIES_MAX, "it has more than {ENTRIES_MAX} files");
        let mut entry = entry.context("it is damaged")?;
        let name = Path::new(OsStr::from_bytes(&entry.path_bytes())).to_owned();
        let named = || format!("entry `{}`", shown(&name.to_string_lossy()));
        let below = below(&name, &folders).with_context(named)?;
        let path = into.join(&name);
        match entry.header().entry_type() {
            EntryType::Directory => {
                DirBuilder::new().mode(0o755).create(&path).with_context(named)?;
                folders.insert(name.clone());
            }
            EntryType::Symlink => {
                let target = entry.link_name_bytes().context("a link without a target").with_context(named)?;
                let target = Path::new(OsStr::from_bytes(&target));
                check_link(below, target)?;
                symlink(target, &path).with_context(named)?;
            }
            EntryType::Regular => {
                let is_executable = entry.header().mode().with_context(named)? & 0o111 != 0;
                let mode = if is_executable { 0o555 } else { 0o444 };
                let mut file =
                    File::options().write(true).create_new(true).mode(mode).open(&path).with_context(named)?;
                let size = entry.size();
                let written = io::copy(&mut entry, &mut file).and_then(|written| file.flush().map(|()| written));
                ensure!(written.with_context(named)? == size, "{}: it is cut short", named());
            }
            _ => bail!("{}: neither a file nor a folder nor a link", named()),
        }
    }
    Ok(())
}

/// The path of an entry below [`FILES`], or that of the index. Rejects paths that are not in one of `folders`.
fn below<'a>(name: &'a Path, folders: &HashSet<PathBuf>) -> anyhow::Result<&'a Path> {
    let is_plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(is_plain && !name.as_os_str().is_empty(), "its path leads out of the package");
    ensure!(name.parent().is_some_and(|folder| folders.contains(folder)), "there is no folder for it");
    let below = if name == Path::new(INDEX) { Ok(name) } else { name.strip_prefix(FILES) };
    below.context("it is no part of a bot")
}
