//! Packages: a bot as bytes, with everything that is needed to load it on another machine with the same fingerprint.
//!
//! | the bot | in its package |
//! |---|---|
//! | a single file | the file |
//! | a manifest with a `command` | the manifest, its own files and its `files`, also those in `../` |
//! | a folder with a `bot.toml` | all of it, and the manifest beside it that grants it more |
//! | a manifest with a `builtin` | the manifest |
//! | a built-in strategy without a manifest | it has no package; its name is enough |
//! | the rules of the game, if they are a program | as a manifest with a `command` |
//!
//! What a manifest names in `files` by an absolute path is not packed. It must be on all machines, with the same content and
//! under the same path, such as on a file system that they share. The fingerprint covers it, so a machine on which it differs
//! refuses the bot. Folders that are closed to the bot, such as `__pycache__`, are left out.
//!
//! A package is a tar archive without times and owners, in the order of its paths, so equal bots have equal packages.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use arena_core::text::shown;
use arena_guard::{is_executable, open_foreign};
use arena_play::program::Program;
use arena_play::roster::{CopyLayout, FILES, FoundBot, INDEX, Item};
use tar::{Builder, EntryType, Header};

/// Maximum size of a package. A coordinator and its workers keep one in memory.
pub const PACKAGE_BYTES_MAX: u64 = 1 << 30;
const TOO_LARGE: &str = "its files are larger than 1 GiB in total; put large ones on a file system that all machines share, \
                         and name them in `files` by absolute paths";

/// A bot that can be sent to another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// BLAKE3 of the bytes, as 64 hexadecimal digits.
    pub hash: String,
    /// The archive.
    pub bytes: Vec<u8>,
}

/// The hash by which a package is known.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Packs a bot that has a file, a folder or a manifest.
///
/// # Errors
///
/// Returns an error if it has none, if one of its files cannot be read or cannot be on another machine as it is here, or if
/// the package is larger than [`PACKAGE_BYTES_MAX`].
pub fn pack(found: &FoundBot) -> anyhow::Result<Package> {
    let bytes = archive(found).with_context(|| format!("packing the bot `{}`", shown(&found.launch.name)))?;
    Ok(Package { hash: hash_of(&bytes), bytes })
}

/// Packs the rules of a game that are a program.
///
/// # Errors
///
/// As [`pack`].
pub fn pack_rules(program: &Program) -> anyhow::Result<Package> {
    let packing = || format!("packing the rules {}", shown(&program.path.to_string_lossy()));
    let bytes = archive(&program.as_found()).with_context(packing)?;
    Ok(Package { hash: hash_of(&bytes), bytes })
}

fn archive(found: &FoundBot) -> anyhow::Result<Vec<u8>> {
    let layout = CopyLayout::of(found)?;
    let index = layout.index()?;
    let mut archive = Builder::new(Vec::new());
    append(&mut archive, EntryType::Regular, Path::new(INDEX), 0o644, &index)?;
    append(&mut archive, EntryType::Directory, Path::new(FILES), 0o755, &[])?;
    for (path, item) in &layout.items {
        let name = Path::new(FILES).join(path);
        match item {
            Item::Folder => append(&mut archive, EntryType::Directory, &name, 0o755, &[])?,
            Item::Link(target) => {
                let mut header = header(EntryType::Symlink, 0o777, 0);
                let literal = target.as_os_str().as_encoded_bytes();
                // `append_link` would tidy up a short target, which then is another one.
                match header.set_link_name_literal(literal) {
                    Ok(()) => archive.append_data(&mut header, &name, std::io::empty())?,
                    Err(_) => archive.append_link(&mut header, &name, target)?,
                }
            }
            Item::File(source) => {
                let reading = || format!("reading {}", source.display());
                let room = PACKAGE_BYTES_MAX.saturating_sub(archive.get_ref().len() as u64);
                let file = open_foreign(source).with_context(reading)?;
                let meta = file.metadata().with_context(reading)?;
                ensure!(meta.len() <= room, TOO_LARGE);
                let mut content = Vec::new();
                file.take(room).read_to_end(&mut content).with_context(reading)?;
                let mode = if is_executable(&meta) { 0o755 } else { 0o644 };
                append(&mut archive, EntryType::Regular, &name, mode, &content)?;
            }
        }
    }
    let bytes = archive.into_inner().context("finishing the archive")?;
    ensure!(bytes.len() as u64 <= PACKAGE_BYTES_MAX, TOO_LARGE);
    Ok(bytes)
}

/// A header that says the same on all machines.
fn header(kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    header
}

fn append(
    archive: &mut Builder<Vec<u8>>,
    kind: EntryType,
    name: &Path,
    mode: u32,
    content: &[u8],
) -> anyhow::Result<()> {
    let mut header = header(kind, mode, content.len() as u64);
    archive.append_data(&mut header, name, content).with_context(|| format!("packing {}", name.display()))
}
