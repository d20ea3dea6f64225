//! Files and folders in a bots folder that are not bots, and which of them were meant to be.

use std::ffi::OsStr;
use std::fmt;
use std::fs::DirEntry;
use std::io::Read;
use std::path::{Path, PathBuf};

use arena_core::text::shown;
use arena_guard::{is_executable, open_foreign};
use arena_wire::protocol::protocol_of_file;

use super::links::FOLDER_MANIFEST;
use super::names::is_plain_name;
use super::script;
use crate::player::process::elf_machine;

/// A file or folder in a bots folder that is not a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path.
    pub path: PathBuf,
    /// Why it is not a bot.
    pub reason: SkipReason,
}

/// Why a file or folder in a bots folder is not a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// It was not meant to be one: it is hidden, documentation or data. The text says which.
    Ignored(String),
    /// It belongs to a bot: it is one of its files, its source or its limits. The text says which.
    Part(String),
    /// It looks like a bot that cannot be started as it is.
    Submission {
        /// What it is or lacks. All files with this cause have the same text.
        cause: String,
        /// How to make it a bot.
        cure: String,
    },
}

impl Skipped {
    /// Whether it looks like a bot that cannot be started as it is.
    #[must_use]
    pub const fn is_submission(&self) -> bool {
        matches!(self.reason, SkipReason::Submission { .. })
    }
}

impl SkipReason {
    fn submission(cause: impl Into<String>, cure: impl Into<String>) -> Self {
        Self::Submission { cause: cause.into(), cure: cure.into() }
    }

    pub(super) fn ignored(why: impl Into<String>) -> Self {
        Self::Ignored(why.into())
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignored(why) | Self::Part(why) => f.write_str(why),
            Self::Submission { cause, cure } => write!(f, "{cause}; {cure}"),
        }
    }
}

/// How a source file becomes a program.
enum SourceKind {
    /// An interpreter runs it; these words come before its name.
    Run(&'static [&'static str]),
    /// A compiler builds it; its words before the name of the program.
    Compile(&'static str),
    /// A compiler builds it, in more than one step.
    Build,
}

/// Extensions of source files: the language, and how to run it.
const SOURCES: [(&[&str], &str, SourceKind); 25] = [
    (&["py"], "a Python", SourceKind::Run(&["python3"])),
    (&["js", "mjs", "cjs"], "a JavaScript", SourceKind::Run(&["node"])),
    (&["rb"], "a Ruby", SourceKind::Run(&["ruby"])),
    (&["pl"], "a Perl", SourceKind::Run(&["perl"])),
    (&["lua"], "a Lua", SourceKind::Run(&["lua"])),
    (&["php"], "a PHP", SourceKind::Run(&["php"])),
    (&["sh"], "a shell", SourceKind::Run(&["sh"])),
    (&["r"], "an R", SourceKind::Run(&["Rscript"])),
    (&["jl"], "a Julia", SourceKind::Run(&["julia"])),
    (&["c"], "a C", SourceKind::Compile("cc -O2 -o")),
    (&["cc", "cpp", "cxx"], "a C++", SourceKind::Compile("c++ -O2 -o")),
    (&["rs"], "a Rust", SourceKind::Compile("rustc -O -o")),
    (&["go"], "a Go", SourceKind::Compile("go build -o")),
    (&["java"], "a Java", SourceKind::Build),
    (&["cs"], "a C#", SourceKind::Build),
    (&["kt", "kts"], "a Kotlin", SourceKind::Build),
    (&["scala"], "a Scala", SourceKind::Build),
    (&["hs"], "a Haskell", SourceKind::Build),
    (&["ml"], "an OCaml", SourceKind::Build),
    (&["swift"], "a Swift", SourceKind::Build),
    (&["zig"], "a Zig", SourceKind::Build),
    (&["nim"], "a Nim", SourceKind::Build),
    (&["d"], "a D", SourceKind::Build),
    (&["dart"], "a Dart", SourceKind::Build),
    (&["ts"], "a TypeScript", SourceKind::Build),
];
const ARCHIVES: [&str; 6] = ["zip", "tar", "tgz", "7z", "rar", "tar.gz"];
/// Names of files that a project of some language has at its root.
const PROJECTS: [&str; 9] = [
    "Cargo.toml",
    "CMakeLists.txt",
    "Makefile",
    "build.gradle",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
];
/// Folders that tools create.
const PRODUCTS: [&str; 2] = ["__pycache__", "node_modules"];
/// Number of files in a folder, and in all folders within it together, to inspect.
const INSPECTED_MAX: usize = 1_000;
/// Number of bytes at the start of a file that identify its kind.
const HEAD_BYTES: u64 = 256;

/// Whether its extension is that of a source file.
pub(super) fn is_source(path: &Path) -> bool {
    source(path).is_some()
}

pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn source(path: &Path) -> Option<(&'static str, &'static SourceKind)> {
    let extension = extension(path)?;
    let found = SOURCES.iter().find(|(extensions, ..)| extensions.contains(&extension.as_str()));
    found.map(|(_, language, source)| (*language, source))
}

/// Explains a regular file that is neither executable nor a manifest.
pub(super) fn explain_file(path: &Path) -> SkipReason {
    let mut head = Vec::new();
    if let Err(error) = open_foreign(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head)) {
        return SkipReason::ignored(format!("not executable, and cannot be read: {error}"));
    }
    let chmod = format!("chmod +x {}", shown(&path.to_string_lossy()));
    if is_script(&head) {
        let cure = match script::check(path) {
            Ok(()) if head.starts_with(BOM) => {
                format!("{chmod}; also, it begins with a byte order mark; save it as UTF-8 without one")
            }
            Ok(()) => chmod,
            Err(error) => format!("{chmod}; also, {error}"),
        };
        return SkipReason::submission(NOT_EXECUTABLE, cure);
    }
    if let Some(reason) = explain_binary(path, &head, &chmod) {
        return reason;
    }
    if let Some((language, source)) = source(path) {
        return explain_source(path, language, source, &chmod);
    }
    let name = path.to_string_lossy().to_ascii_lowercase();
    match extension(path).as_deref() {
        Some("class") => {
            let name = shown(&path.file_stem().unwrap_or_default().to_string_lossy());
            let command = format!("[\"java\", \"-cp\", \".\", \"{name}\"]");
            SkipReason::submission(
                "a Java class file",
                format!("write {} with command = {command}", manifest_beside(path)),
            )
        }
        Some("ipynb") => SkipReason::submission("a notebook", "save it as a script"),
        Some("jar") => SkipReason::submission("a Java archive", write_manifest(path, &["java", "-jar"])),
        Some(_) if ARCHIVES.iter().any(|archive| name.ends_with(&format!(".{archive}"))) => {
            SkipReason::submission("an archive", "unpack it")
        }
        _ => SkipReason::ignored("not executable, and not a script with a #! line"),
    }
}

const NOT_EXECUTABLE: &str = "not executable";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Whether a file that begins with `head` has an interpreter line, in any encoding.
fn is_script(head: &[u8]) -> bool {
    [b"#!".as_slice(), b"\xef\xbb\xbf#!", b"\xff\xfe#\0!\0", b"\xfe\xff\0#\0!"]
        .iter()
        .any(|start| head.starts_with(start))
}

/// Explains a program of this or another system, by its header.
fn explain_binary(path: &Path, head: &[u8], chmod: &str) -> Option<SkipReason> {
    /// The type of an object file (System V ABI, chapter 4), in either byte order.
    const RELOCATABLE: [[u8; 2]; 2] = [[1, 0], [0, 1]];
    const BUILD: &str = "build it for this machine";
    if head.starts_with(b"\x7fELF") {
        let is_part = head.get(16..18).is_some_and(|kind| RELOCATABLE.iter().any(|part| part == kind))
            || path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
        let here = std::env::consts::ARCH;
        return Some(match elf_machine(head) {
            _ if is_part => SkipReason::ignored("a library or object file"),
            Some(machine) if machine == here => SkipReason::submission(NOT_EXECUTABLE, chmod),
            Some(machine) => SkipReason::submission(format!("a program for {machine}; this machine is {here}"), BUILD),
            None => SkipReason::submission("a damaged program", "build it again"),
        });
    }
    let other = match head {
        [b'M', b'Z', ..] => "a Windows program",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] if extension(path).is_none() => {
            "a macOS program"
        }
        _ => return None,
    };
    Some(SkipReason::submission(other, BUILD))
}

fn explain_source(path: &Path, language: &str, source: &SourceKind, chmod: &str) -> SkipReason {
    match source {
        SourceKind::Run(words) if is_unstartable_agent(path) => SkipReason::submission(
            "a Kaggle agent",
            format!("{} and protocol = \"kaggle\"", write_manifest(path, words)),
        ),
        SourceKind::Run(words) => SkipReason::submission(
            format!("{language} source file without a #! line"),
            format!("begin it with #!/usr/bin/env {} and {chmod}, or {}", words.join(" "), write_manifest(path, words)),
        ),
        SourceKind::Compile(words) => {
            let [path, program] = [path, &path.with_extension("")].map(|path| shown(&path.to_string_lossy()));
            SkipReason::submission(
                format!("{language} source file"),
                format!("compile it ({words} {program} {path}), or write a manifest with its `command`"),
            )
        }
        SourceKind::Build => SkipReason::submission(
            format!("{language} source file"),
            format!("compile it, and write {} with the `command` that starts it", manifest_beside(path)),
        ),
    }
}

/// Whether a file is an agent for Kaggle that the system cannot start, since no line of it names an interpreter.
pub(super) fn is_unstartable_agent(path: &Path) -> bool {
    python(path).is_some_and(|text| is_agent(&text) && !is_script(text.as_bytes()))
}

/// The text of a file of Python, as far as it is inspected.
fn python(path: &Path) -> Option<String> {
    const BYTES_MAX: u64 = 1 << 20;
    if extension(path).as_deref() != Some("py") {
        return None;
    }
    let mut text = Vec::new();
    open_foreign(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut text)).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Whether this Python defines a function of an observation and a configuration.
fn is_agent(text: &str) -> bool {
    text.lines().any(|line| {
        let params = line.strip_prefix("def ").and_then(|rest| rest.split_once('(')?.1.split_once(')'));
        params.is_some_and(|(params, _)| {
            let params: Vec<&str> = params.trim_end_matches([',', ' ']).split(',').map(str::trim).collect();
            params.len() == 2 && params[0].starts_with("obs")
        })
    })
}

fn manifest_beside(path: &Path) -> String {
    let is_valid = path.file_stem().is_some_and(|stem| is_plain_name(&stem.to_string_lossy()));
    let manifest = if is_valid { path.to_owned() } else { path.with_file_name("NAME") };
    shown(&manifest.with_extension("toml").to_string_lossy())
}

/// Advice to write the manifest that runs the file at `path` by `words`.
fn write_manifest(path: &Path, words: &[&str]) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).chain([shown(&name)]).collect();
    format!("write {} with command = {words:?}", manifest_beside(path))
}

/// Explains a folder without a manifest. It was meant as a bot if a program, a source file or a project is in it.
pub(super) fn explain_folder(path: &Path) -> SkipReason {
    if path.join(FOLDER_MANIFEST).symlink_metadata().is_ok() {
        return SkipReason::submission(
            format!("its {FOLDER_MANIFEST} is a broken link or not a regular file"),
            "replace it with a file",
        );
    }
    let entries: Vec<DirEntry> = entries_of(path).collect();
    let mut names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    if let Some(misnamed) = names.find(|name| name.eq_ignore_ascii_case(FOLDER_MANIFEST)) {
        return SkipReason::submission(
            format!("its manifest is called {}", shown(&misnamed)),
            format!("rename it {FOLDER_MANIFEST}"),
        );
    }
    let is_product = |name: &OsStr| PRODUCTS.iter().any(|product| name == *product);
    let is_folder = |entry: &&DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let folders = || entries.iter().filter(is_folder).filter(|entry| !is_product(&entry.file_name()));
    if let Some(inner) = folders().map(DirEntry::path).find(|inner| inner.join(FOLDER_MANIFEST).is_file()) {
        let [inner, path] = [&inner, path].map(|path| shown(&path.to_string_lossy()));
        return SkipReason::submission(
            format!("a folder whose {FOLDER_MANIFEST} is one folder further down"),
            format!("move what is in {inner} to {path}"),
        );
    }
    // Projects have their sources in a folder, such as src.
    let is_meant = || {
        let mut further_down = folders().flat_map(|folder| entries_of(&folder.path())).take(INSPECTED_MAX);
        entries.iter().any(is_of_bot) || further_down.any(|entry| is_of_bot(&entry))
    };
    if path.file_name().is_some_and(is_product) || !is_meant() {
        return SkipReason::ignored(format!("a folder without a {FOLDER_MANIFEST}"));
    }
    let mut files = entries.iter().map(DirEntry::path);
    let name = |path: &Path| path.file_name().map(|name| shown(&name.to_string_lossy())).unwrap_or_default();
    let brain = files.clone().find_map(|path| {
        let name = name(&path);
        let protocol = protocol_of_file(&name)?.name;
        Some(format!("command = [\"./{name}\"] and protocol = {protocol:?}"))
    });
    let agent = || {
        let name = name(&files.find(|path| is_unstartable_agent(path))?);
        Some(format!("command = [\"python3\", {name:?}] and protocol = \"kaggle\""))
    };
    let example = "the `command` that starts it, such as command = [\"python3\", \"bot.py\"]";
    let starts = brain.or_else(agent).unwrap_or_else(|| example.to_owned());
    SkipReason::submission(
        format!("a folder without a {FOLDER_MANIFEST}"),
        format!("write {} with {starts}", shown(&path.join(FOLDER_MANIFEST).to_string_lossy())),
    )
}

/// What is in a folder, as far as it is inspected.
fn entries_of(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().take(INSPECTED_MAX)
}

/// Whether an entry of a folder shows that the folder was meant as a bot. Links are not followed.
fn is_of_bot(entry: &DirEntry) -> bool {
    let Ok(meta) = entry.metadata() else { return false };
    let name = entry.file_name();
    meta.is_file()
        && (is_executable(&meta)
            || PROJECTS.iter().any(|project| name == *project)
            || matches!(explain_file(&entry.path()), SkipReason::Submission { .. }))
}

#[cfg(test)]
mod tests {
    use std::env::consts::ARCH;

    use super::*;

    fn explain(name: &str, content: &[u8]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let reason = explain_file(&path);
        let kind = if matches!(reason, SkipReason::Ignored(_)) { "ignored: " } else { "" };
        format!("{kind}{reason}").replace(&format!("{}/", dir.path().display()), "")
    }

    fn elf(kind: u8, machine: u8) -> Vec<u8> {
        let mut head = b"\x7fELF\x02\x01\x01".to_vec();
        head.resize(64, 0);
        (head[16], head[18]) = (kind, machine);
        head
    }

    #[test]
    fn chmod_is_advised_for_what_could_run() {
        assert_eq!(explain("a.py", b"#!/usr/bin/env python3\n"), "not executable; chmod +x a.py");
        assert_eq!(
            explain("a", b"#!/bin/sh\r\n"),
            "not executable; chmod +x a; also, its first line ends in CR LF; save it with Unix line ends"
        );
        assert!(explain("a", b"\xef\xbb\xbf#!/bin/sh\n").contains("a byte order mark"));
        assert!(explain("a", b"\xff\xfe#\0!\0").contains("UTF-16"));
        if let Some((machine, _)) = [(62, "x86_64"), (183, "aarch64")].iter().find(|(_, name)| *name == ARCH) {
            assert_eq!(explain("a", &elf(3, *machine)), "not executable; chmod +x a");
        }
        assert!(explain("a", &elf(2, 22)).starts_with("a program for s390x; this machine is "));
        assert_eq!(explain("a", b"\x7fELF"), "a damaged program; build it again");
        assert_eq!(explain("a.exe", b"MZ\x90"), "a Windows program; build it for this machine");
    }

    #[test]
    fn a_source_file_is_to_be_compiled_or_run_by_a_manifest() {
        assert_eq!(
            explain("a.py", b"print()"),
            "a Python source file without a #! line; begin it with #!/usr/bin/env python3 and chmod +x a.py, or write \
             a.toml with command = [\"python3\", \"a.py\"]"
        );
        assert_eq!(
            explain("my bot.CPP", b"int main() {}"),
            "a C++ source file; compile it (c++ -O2 -o my bot my bot.CPP), or write a manifest with its `command`"
        );
        assert_eq!(
            explain("Bot.java", b""),
            "a Java source file; compile it, and write Bot.toml with the `command` that starts it"
        );
        assert_eq!(
            explain("a.jar", b"PK"),
            "a Java archive; write a.toml with command = [\"java\", \"-jar\", \"a.jar\"]"
        );
        assert_eq!(explain("a.tar.gz", b""), "an archive; unpack it");
    }

    #[test]
    fn data_and_parts_are_ignored() {
        for (name, content) in [("a.txt", b"".to_vec()), ("a", b"text".to_vec()), ("a.bin.gz", vec![0x1f, 0x8b])] {
            assert_eq!(explain(name, &content), "ignored: not executable, and not a script with a #! line", "{name}");
        }
        assert_eq!(explain("a.so.1", &elf(3, 62)), "ignored: a library or object file");
        assert_eq!(explain("a.o", &elf(1, 62)), "ignored: a library or object file");
    }

    #[test]
    fn a_folder_with_a_program_was_meant_as_a_bot() {
        let dir = tempfile::tempdir().unwrap();
        let is_meant = |name: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            matches!(explain_folder(path.parent().unwrap()), SkipReason::Submission { .. })
        };
        for name in ["a/bot.py", "b/main.rs", "c/Cargo.toml"] {
            assert!(is_meant(name), "{name}");
        }
        for name in ["d/weights.bin", "e/sub/bot.py/x", "__pycache__/bot.py"] {
            assert!(!is_meant(name), "{name}");
        }
        assert!(is_meant("g/src/main.py") && !matches!(explain_folder(&dir.path().join("g")), SkipReason::Ignored(_)));
        let why = |file: &str| {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            let folder = dir.path().join(file.split('/').next().unwrap());
            explain_folder(&folder).to_string().replace(&format!("{}/", dir.path().display()), "")
        };
        assert_eq!(
            why("h/inner/bot.toml"),
            "a folder whose bot.toml is one folder further down; move what is in h/inner to h"
        );
        assert_eq!(why("i/Bot.toml"), "its manifest is called Bot.toml; rename it bot.toml");
        std::fs::create_dir(dir.path().join("f")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("f/bot.toml")).unwrap();
        assert!(explain_folder(&dir.path().join("f")).to_string().contains("a broken link"));
    }
}
