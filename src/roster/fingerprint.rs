//! What makes a bot play as it does, as a hash: rebuild it and its games are played again; touch anything else and
//! they are not.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::player::process::Original;
use crate::text::shown;

/// More files than any bot needs: a folder like this holds something that does not belong to the bot.
const FILES_MAX: usize = 20_000;
/// All files of a bot together: reading them takes some seconds a gigabyte.
const BYTES_MAX: u64 = 16 << 30;

/// A fingerprint, and the files that it was taken of.
pub(super) struct Fingerprint {
    pub(super) text: String,
    pub(super) originals: Vec<Original>,
}

/// The fingerprint of a bot that consists of `words` (its command, options, …) and files.
pub(super) fn of_files(words: &[&str], files: &[PathBuf]) -> anyhow::Result<Fingerprint> {
    check_sizes(files)?;
    let mut hasher = hasher(words);
    let mut originals = Vec::with_capacity(files.len());
    for file in files {
        originals.push(add_file(&mut hasher, file)?);
    }
    Ok(Fingerprint { text: finish(&hasher), originals })
}

/// The fingerprint of a bot in `dir` that consists of `words`, and of files and all files in folders, each by its name
/// and content as in [`of_folder`].
pub(super) fn of_files_and_folders(words: &[&str], dir: &Path, paths: &[PathBuf]) -> anyhow::Result<Fingerprint> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let begin = files.len();
            collect(path, &mut files, |_| Ok(()))?;
            files[begin..].sort();
        } else {
            files.push(path.clone());
        }
    }
    of_named_files(words, dir, &files)
}

/// The fingerprint of a bot that is a whole folder: every file in it by its name and content, but for hidden files,
/// Python's caches, which change by being used, and the manifest, of which `words` tell what matters. A stranger's: its
/// links lead to what is its own, or to what every bot may read.
pub(super) fn of_folder(words: &[&str], dir: &Path) -> anyhow::Result<Fingerprint> {
    let home = super::manifest::home(dir)?;
    let mut files = Vec::new();
    collect(dir, &mut files, |link| {
        let real = link.canonicalize().with_context(|| format!("looking at {}", link.display()))?;
        if !super::manifest::may_lead_to(link, &real, &home) {
            let target = std::fs::read_link(link).unwrap_or(real);
            let [link, target] = [link.strip_prefix(dir).unwrap_or(link), &target].map(|path| path.to_string_lossy());
            bail!("`{}` is a link to `{}`, {}", shown(&link), shown(&target), super::manifest::OUTSIDE);
        }
        Ok(())
    })?;
    files.retain(|file| *file != dir.join(super::manifest::FOLDER_MANIFEST));
    files.sort();
    of_named_files(words, dir, &files)
}

/// As [`of_files`], with the names that the files have in `dir`.
fn of_named_files(words: &[&str], dir: &Path, files: &[PathBuf]) -> anyhow::Result<Fingerprint> {
    check_sizes(files)?;
    let mut hasher = hasher(words);
    let mut originals = Vec::with_capacity(files.len());
    for file in files {
        let name = file.strip_prefix(dir).unwrap_or(file).to_string_lossy();
        add_bytes(&mut hasher, name.as_bytes());
        originals.push(add_file(&mut hasher, file)?);
    }
    Ok(Fingerprint { text: finish(&hasher), originals })
}

/// The fingerprint of a bot that is nothing but words: a strategy with its version and options, played by `program`.
pub(super) fn of_words(words: &[&str], program: &Path) -> anyhow::Result<Fingerprint> {
    let original = Original::seen(program).with_context(|| format!("looking at {}", program.display()))?;
    Ok(Fingerprint { text: finish(&hasher(words)), originals: vec![original] })
}

fn hasher(words: &[&str]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_derive_key("arena 2026 bot fingerprints");
    hasher.update(&(words.len() as u64).to_le_bytes());
    for word in words {
        add_bytes(&mut hasher, word.as_bytes());
    }
    hasher
}

fn finish(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..16].to_owned()
}

fn add_bytes(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn add_file(hasher: &mut blake3::Hasher, path: &Path) -> anyhow::Result<Original> {
    let original = Original::read(path).with_context(|| format!("reading {}", path.display()))?;
    hasher.update(original.content().map_or(&[], |hash| hash.as_bytes().as_slice()));
    Ok(original)
}

/// Refuses what would take too long to read, holes included.
fn check_sizes(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut bytes = 0_u64;
    for file in files {
        let meta = std::fs::metadata(file).with_context(|| format!("reading {}", file.display()))?;
        bytes = bytes.saturating_add(meta.len());
        if bytes > BYTES_MAX {
            bail!("its files are larger than {} GiB together; keep data outside of the bots folder", BYTES_MAX >> 30);
        }
    }
    Ok(())
}

/// Adds the files below `dir`, if `check_link` has nothing against any link to a file or a folder.
fn collect(
    dir: &Path,
    files: &mut Vec<PathBuf>,
    check_link: impl Fn(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut folders = vec![dir.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("reading folder {}", folder.display()))? {
            let entry = entry.with_context(|| format!("reading folder {}", folder.display()))?;
            seen += 1;
            if seen > FILES_MAX {
                bail!("a bot's folder holds more than {FILES_MAX} files; keep build products and data outside of it");
            }
            let name = entry.file_name();
            if name.to_string_lossy().starts_with('.') || name == "__pycache__" {
                continue;
            }
            let path = entry.path();
            // Links are followed to files, never to folders: those may lead in circles.
            let kind = entry.file_type().with_context(|| format!("looking at {}", path.display()))?;
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(meta) = std::fs::metadata(&path) else { continue };
            if kind.is_symlink() && (meta.is_file() || meta.is_dir()) {
                check_link(&path)?;
            }
            if meta.is_file() {
                files.push(path);
            }
        }
    }
    Ok(())
}
