//! Programs of bots, and files that interpreters are to run, that do not exist.

use std::path::Path;

use arena_core::text::shown;

use super::skipped::{extension, is_source};
use crate::player::process::Launch;

/// Why there is nothing to start, and the cure, if that is known without starting it.
pub(super) fn missing(launch: &Launch) -> Option<String> {
    launch.missing_program().or_else(|| missing_file(launch))
}

/// Why an interpreter cannot run the file that its first argument names, such as `bot.jar` of `java -jar bot.jar`: it does not
/// exist. Only names of programs count, since any other word may mean anything.
fn missing_file(launch: &Launch) -> Option<String> {
    let name = launch.args.iter().find(|word| !word.as_encoded_bytes().starts_with(b"-"))?;
    let path = Path::new(name);
    let is_program = is_source(path) || extension(path).is_some_and(|extension| extension == "jar");
    let is_one_word = !name.to_string_lossy().contains(char::is_whitespace);
    let is_missing = is_program && is_one_word && !launch.dir.join(path).exists();
    is_missing.then(|| {
        let (name, cure) = (shown(&name.to_string_lossy()), launch.cure("put it into its folder"));
        format!("the file {name} of its command does not exist; {cure}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_an_interpreter_is_to_run_is_missing() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("there.py"), "").expect("a file");
        let said = |words: &[&str]| {
            let args = words.iter().map(Into::into).collect();
            let mut launch = crate::roster::launch("a".to_owned(), "java".into(), args, dir.path().to_owned());
            launch.build = Some("make".to_owned());
            missing_file(&launch)
        };
        let why =
            "the file bot.jar of its command does not exist; build it (in its folder: make), or correct `command`";
        assert_eq!(said(&["-jar", "bot.jar"]).as_deref(), Some(why));
        for words in [&["there.py"][..], &["-m", "pkg", "x.py"], &["-c", "import a.py"], &["-cp", "build", "Main"], &[]]
        {
            assert_eq!(said(words), None, "{words:?}");
        }
    }
}
