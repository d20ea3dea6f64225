//! The program under test: Cargo tells its path to the tests of its own package only.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The path of `arena`: that in `ARENA`, or else one that is built now with default features, unless it is up to date.
///
/// # Panics
///
/// Panics if it cannot be built.
pub(crate) fn arena() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        if let Ok(given) = std::env::var("ARENA") {
            return given;
        }
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(root()).args(["build", "--locked", "--bin", "arena"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "`arena` could not be built");
        // This program is `target/PROFILE/deps/NAME`.
        let own = std::env::current_exe().expect("this program has a path");
        let profile: PathBuf = own.ancestors().nth(2).expect("a folder of the profile").to_owned();
        profile.join("arena").to_str().expect("UTF-8").to_owned()
    });
    &PATH
}
