//! The program that is tested.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The one that was built for these tests.
const BUILT: &str = env!("CARGO_BIN_EXE_arena");

/// The program that is tested: in `ARENA` any other one, such as a release build where processor time is what is tested. Else a
/// release build beside the one that was built for these tests, if it is [as new](current_release), since tests of processes mostly
/// start processes: they take three quarters of the time with it.
pub(crate) fn arena() -> &'static str {
    static ARENA: LazyLock<String> = LazyLock::new(|| {
        let built = || {
            let release = current_release().map(|release| release.display().to_string());
            let program = release.unwrap_or_else(|| BUILT.to_owned());
            // Not by a macro, whose words are kept back when a test passes.
            let _ = writeln!(std::io::stderr(), "the program that is tested: {program}");
            program
        };
        std::env::var("ARENA").unwrap_or_else(|_| built())
    });
    &ARENA
}

/// Whether the program that is tested may be another one than what these tests are linked with.
pub(crate) fn is_another() -> bool {
    std::env::var_os("ARENA").is_some()
}

/// A release build of what these tests are linked with: it was made of files of this folder, not of another one from which it was
/// copied, is newer than all files that Cargo says it was made of, and has the same features.
fn current_release() -> Option<PathBuf> {
    let release = Path::new(BUILT).parent()?.parent()?.join("release/arena");
    let made = fs::metadata(&release).and_then(|file| file.modified()).ok()?;
    let sources = fs::read_to_string(release.with_extension("d")).ok()?;
    let (_, sources) = sources.trim_end().split_once(": ")?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_older =
        |path: &Path| fs::metadata(path).and_then(|file| file.modified()).is_ok_and(|changed| changed < made);
    let is_current = sources.split(' ').any(|path| Path::new(path).starts_with(here))
        && sources.split(' ').all(|path| is_older(Path::new(path)))
        && ["Cargo.toml", "Cargo.lock"].iter().all(|file| is_older(&here.join(file)));
    // What a feature adds is a command or a flag.
    let help = |program: &Path| ["--help", "tournament"].map(|word| help_of(program, word));
    (is_current && help(&release) == help(Path::new(BUILT))).then_some(release)
}

fn help_of(program: &Path, word: &str) -> Option<Vec<u8>> {
    let output = Command::new(program).args([word, "--help"]).output().ok()?;
    Some(output.stdout)
}
