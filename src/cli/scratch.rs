//! A place for what bots write.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A private folder for the bots' temporary files, removed when it is dropped.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn create() -> anyhow::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        // A bot that is told of it runs elsewhere.
        let place = std::path::absolute(std::env::temp_dir()).context("finding the folder for temporary files")?;
        // What another process with this number left behind is not ours to use.
        for number in 0_u32.. {
            let dir = place.join(format!("arena-{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => return Ok(Self(dir)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| {
                        format!("creating scratch folder {}; TMPDIR names another place", dir.display())
                    });
                }
            }
        }
        bail!("every name for a scratch folder in {} is taken", place.display())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::fs::remove_dir_all(&self.0).is_err() {
            open_up(&self.0);
            // What cannot be removed even now is in the system's folder for temporary files.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Gives us back the rights to folders that a bot has closed. Links are not followed.
fn open_up(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = std::fs::set_permissions(dir, PermissionsExt::from_mode(0o700));
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
