//! Bots on their way to other machines.

mod hostile;
mod manifests;
mod packages;
mod signatures;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use arena_guard::GuardProgram;
use arena_play::roster::{FoundBot, Roster, RosterSettings};

use super::*;

/// A folder with a folder `bots`, and a store beside.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("bots")).unwrap();
        place
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn store(&self) -> Store {
        Store::new(&self.path("store")).unwrap()
    }

    fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(&name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    fn script(&self, name: &str) {
        self.file(name, "#!/bin/sh\n");
        fs::set_permissions(self.path(name), PermissionsExt::from_mode(0o750)).unwrap();
    }

    fn link(&self, target: impl AsRef<Path>, name: impl AsRef<Path>) {
        fs::create_dir_all(self.path(&name).parent().unwrap()).unwrap();
        symlink(target, self.path(name)).unwrap();
    }

    fn settings(&self) -> RosterSettings {
        // Any file will do; nothing is started.
        let guard = GuardProgram::arena(std::env::current_exe().unwrap());
        RosterSettings { guard, bots: Some(self.path("bots")), ..RosterSettings::default() }
    }

    /// The bot at `path`, called `x`.
    fn bot(&self, path: &str) -> FoundBot {
        Roster::only("x", &self.path(path), &self.settings()).unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Why the bot at `path` cannot be packed.
    fn refused(&self, path: &str) -> String {
        format!("{:#}", pack(&self.bot(path)).unwrap_err())
    }

    /// The bot of a package, on a machine that has none of the bot's files.
    fn received(&self, package: &Package) -> FoundBot {
        let store = self.store();
        store.put(&package.hash, &package.bytes).unwrap_or_else(|error| panic!("{error:#}"));
        let settings = BotSettings::of(&self.settings()).with_guard(self.settings().guard);
        store.load(&package.hash, "x", &settings).unwrap_or_else(|error| panic!("{error:#}"))
    }
}
