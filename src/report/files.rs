//! Atomic replacement of files: written to a temporary file, then renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, anyhow};

/// Durability of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Flushed to the operating system: survives the end of this process. For files that are rewritten often.
    Flushed,
    /// Synced to the disk: survives a power failure.
    Synced,
}

/// Replaces the file at `path` by what `fill` writes. Readers see either the old or the new file, never a part. The
/// temporary file is `.NAME.tmp` in the same folder; only one process at a time may write there.
///
/// # Errors
///
/// Returns an error with the path and the cure; the old file is then unchanged.
pub fn replace(
    path: &Path,
    durability: Durability,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let name = path.file_name().ok_or_else(|| anyhow!("`{}` does not name a file", path.display()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".tmp");
    let temporary = path.with_file_name(hidden);

    let result = write(path, &temporary, durability, fill);
    if result.is_err() {
        // Best effort: the error below matters more, and the next attempt overwrites the file.
        fs::remove_file(&temporary).ok();
    }
    result.with_context(|| {
        format!(
            "could not write `{}`; check that its folder exists and is writable, and that the disk is not full",
            path.display()
        )
    })
}

/// Removes a derived file if it is there.
pub(super) fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove `{}`, which is out of date", path.display()))
        }
        _ => Ok(()),
    }
}

fn write(
    path: &Path,
    temporary: &Path,
    durability: Durability,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(temporary)?);
    fill(&mut out)?;
    let written = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    if durability == Durability::Synced {
        written.sync_all()?;
    }
    fs::rename(temporary, path)?;
    if durability == Durability::Synced {
        // A rename is only as durable as the folder's entry.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_else_remains() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        for (text, durability) in [("old, and longer", Durability::Flushed), ("new", Durability::Synced)] {
            replace(&path, durability, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_names_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let error = replace(&path, Durability::Flushed, |out| {
            out.write_all(b"half")?;
            bail!("no more")
        })
        .unwrap_err();
        assert!(format!("{error:#}").contains("a.csv`; check that its folder exists"), "{error:#}");
        assert!(format!("{error:#}").ends_with("no more"), "{error:#}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(replace(&dir.path().join("none/a.csv"), Durability::Flushed, |_| Ok(())).is_err());
        assert!(replace(Path::new("/"), Durability::Flushed, |_| Ok(())).is_err());
    }
}
