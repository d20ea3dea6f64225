//! The bots that a worker has received, by the hash of their packages.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use arena_guard::{make_folder, remove_folder};
use arena_play::roster::{FoundBot, RosterSettings, load_copy, manifest_of_copy};
use arena_sys::machine::cache_folder;

use super::package::{PACKAGE_BYTES_MAX, hash_of};
use super::unpack::unpack;

/// A folder with a subfolder for each package, called by its hash. Several workers may use one store. A subfolder is complete
/// once it has its name; one that begins with `.unpack-` was left by a worker that was killed.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// A store in `root`, which is created when something is put into it.
    ///
    /// # Errors
    ///
    /// Returns an error if the current folder, which a relative path starts from, cannot be found.
    pub fn new(root: &Path) -> anyhow::Result<Self> {
        // Bots are started in other folders.
        let root = std::path::absolute(root).with_context(|| format!("finding {}", root.display()))?;
        Ok(Self { root })
    }

    /// The store of this user: `arena/bots` in `$XDG_CACHE_HOME`, or in `~/.cache`.
    ///
    /// # Errors
    ///
    /// Returns an error if neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    pub fn of_user() -> anyhow::Result<Self> {
        let cache =
            cache_folder().context("there is no folder for received bots; set XDG_CACHE_HOME to an absolute path")?;
        Self::new(&cache.join("arena/bots"))
    }

    /// Where it is. Bots must not read each other there.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the package with this hash is here.
    #[must_use]
    pub fn has(&self, hash: &str) -> bool {
        self.folder(hash).is_ok_and(|folder| folder.is_dir())
    }

    /// Unpacks a package, unless it is here.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes do not have this hash, if they are not a package or one that would reach other files, or
    /// if the folder cannot be written to.
    pub fn put(&self, hash: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let folder = self.folder(hash)?;
        ensure!(bytes.len() as u64 <= PACKAGE_BYTES_MAX, "package {hash} is larger than {PACKAGE_BYTES_MAX} bytes");
        let found = hash_of(bytes);
        ensure!(found == hash, "package {hash} was changed on its way: its hash is {found}; it is not used");
        if folder.is_dir() {
            return Ok(());
        }
        let writing =
            || format!("writing to {}; check that it is writable, or set XDG_CACHE_HOME", self.root.display());
        std::fs::create_dir_all(&self.root).with_context(writing)?;
        let temporary = make_folder(&self.root, &format!(".unpack-{}", std::process::id())).with_context(writing)?;
        let unpacked = unpack(bytes, &temporary).with_context(|| format!("unpacking package {hash}"));
        // Another worker may have been faster.
        let moved = unpacked.and_then(|()| match std::fs::rename(&temporary, &folder) {
            Err(_) if folder.is_dir() => Ok(()),
            renamed => renamed.with_context(writing),
        });
        // It is gone if it was moved.
        let _ = remove_folder(&temporary, None);
        moved
    }

    /// Loads the bot of a package under the name `name`. `settings` are those of the event; their bots folder is ignored. It is
    /// for the caller to compare the fingerprint.
    ///
    /// # Errors
    ///
    /// Returns an error if the package is not here, or if its bot cannot be used on this machine.
    pub fn load(&self, hash: &str, name: &str, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        let folder = self.folder(hash)?;
        load_copy(&folder, name, settings).with_context(|| format!("package {hash}"))
    }

    /// Where the manifest of the rules in a package is.
    ///
    /// # Errors
    ///
    /// Returns an error if the package is not here.
    pub fn rules(&self, hash: &str) -> anyhow::Result<PathBuf> {
        manifest_of_copy(&self.folder(hash)?).with_context(|| format!("package {hash}"))
    }

    /// The folder of a package.
    pub(super) fn folder(&self, hash: &str) -> anyhow::Result<PathBuf> {
        if !is_hash(hash) {
            bail!("`{}` is not the hash of a package: 64 of 0-9 and a-f", arena_core::text::shown(hash));
        }
        Ok(self.root.join(hash))
    }
}

/// Whether this is the hash of a package, and so a safe file name.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 2 * blake3::OUT_LEN && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
