//! The manifest of a program of rules, and how the program is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use arena_core::rules::{Param, Params};
use arena_core::suggest::UnknownName;
use arena_core::text::{causes, shown};
use arena_guard::{SandboxMode, can_close, without_closed};
use arena_sys::flags::RULES_READ;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::broken::Broken;
use super::confines::Confines;
use super::error::{GameError, Problem};
use crate::player::process::Launch;
use crate::roster::{
    self, Closing, RosterSettings, check_env, check_script, check_words, line_in, own_files, parse_toml, resolve,
};

/// Default time limit for an answer.
pub const ANSWER_DEFAULT: Duration = Duration::from_secs(10);
/// Default time limit from the start of a process to its `hello`.
pub const STARTUP_DEFAULT: Duration = Duration::from_secs(60);
/// Default memory limit in MiB.
pub const MEMORY_MB_DEFAULT: u64 = 2048;
/// Maximum of both time limits.
const LIMIT_MOST: Duration = roster::STARTUP_MOST;
/// Maximum memory limit in MiB: a terabyte.
const MEMORY_MB_MOST: u64 = 1 << 20;

/// What messages about starting a process call it, and its folders for temporary files.
const LAUNCH_NAME: &str = "rules";

/// The entries of a manifest.
const ENTRIES: [&str; 8] = ["command", "files", "identity", "answer_ms", "startup_ms", "memory_mb", "env", "params"];

/// A manifest as written by its author; what is serialised is part of the identity.
#[derive(Debug, Clone, Deserialize, Serialize)]
struct Written {
    /// Program and arguments; paths are relative to the manifest's folder.
    command: Option<Spanned<Vec<String>>>,
    /// Files and folders beside the manifest that also belong to the program.
    #[serde(default)]
    files: Vec<Spanned<String>>,
    #[serde(skip_serializing)]
    identity: Option<Spanned<String>>,
    #[serde(skip_serializing)]
    answer_ms: Option<Spanned<u64>>,
    #[serde(skip_serializing)]
    startup_ms: Option<Spanned<u64>>,
    #[serde(skip_serializing)]
    memory_mb: Option<Spanned<u64>>,
    /// Variables added to the environment.
    #[serde(default)]
    env: BTreeMap<Spanned<String>, String>,
    /// Values of parameters. They are part of the variant, so they are not part of the identity.
    #[serde(default, skip_serializing)]
    params: BTreeMap<Spanned<String>, toml::Value>,
}

/// A program of rules that can be started.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its manifest, as it was named.
    pub path: PathBuf,
    /// How its processes are started.
    pub launch: Launch,
    /// Time limit for an answer.
    pub answer: Duration,
    /// Its own files and folders, which bots may not read.
    pub own: Vec<PathBuf>,
    /// Folders among these that it may not read either, since they are not part of its identity.
    closed: Vec<PathBuf>,
    /// Those of its own that its manifest names by absolute paths.
    absolute: Vec<PathBuf>,
    /// Hash of its manifest and files, whatever it is identified by.
    pub files: String,
    /// What it may use.
    confines: Confines,
    /// Hash of its manifest and files; `None` if its organiser vouches for its version.
    pub(super) fingerprint: Option<String>,
    /// Values of parameters, each with its line.
    params: Vec<(String, serde_json::Value, String)>,
}

/// The path of a manifest and the rest after `:`, if `--game TEXT` names a program: its part before a colon has a `/` or ends
/// in `.toml`.
#[must_use]
pub fn named_program(text: &str) -> Option<(&Path, Option<&str>)> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let path = Path::new(name);
    (name.contains('/') || path.extension().is_some_and(|extension| extension == "toml")).then_some((path, rest))
}

impl Program {
    /// Reads the manifest at `path`. Of `settings`, the guard, the sandbox and the reach of rules apply.
    ///
    /// # Errors
    ///
    /// Returns an error that names the line and the cure if the manifest is wrong, or a file cannot be read.
    pub fn load(path: &Path, settings: &RosterSettings) -> Result<Self, GameError> {
        load(path, settings).map_err(|error| {
            let why = causes(error.as_ref()).join(": ");
            GameError::new(path, Problem::Manifest(why))
        })
    }

    /// Sets what the program may read in a sandbox: its interpreter, its own files and what the user has named, and nothing in
    /// `hidden` folders. Inspects many files; the result serves all its starts.
    ///
    /// # Errors
    ///
    /// Returns an error if some of its own files are in a `hidden` folder, or such a folder is among them.
    pub fn fence_in(&mut self, hidden: &[PathBuf]) -> Result<(), GameError> {
        let checked = self.confines.check_hidden(&self.own, hidden);
        checked.map_err(|error| GameError::new(&self.path, Problem::Manifest(format!("{error:#}"))))?;
        if self.launch.sandbox != SandboxMode::Off {
            let mut own = without_closed(&self.own, &self.closed);
            own.extend_from_slice(self.confines.named());
            self.launch.look_around(&own, !self.confines.is_open(), hidden);
        }
        Ok(())
    }

    /// A failure at its start, with how to allow what it may not read if it was denied something.
    pub(super) fn explain_denied(&self, mut broken: Box<Broken>) -> Box<Broken> {
        let message = &broken.evidence.message;
        // A module that may not be read is not found. If it does not lie beside the program, it is missing for another reason.
        let is_there = |name: &str| {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            is_name && ["", ".py", ".js"].iter().any(|end| self.launch.dir.join(format!("{name}{end}")).exists())
        };
        let is_hidden = || message.contains(" module") && message.split(['\'', '.', '/']).any(is_there);
        let is_denied = message.to_lowercase().contains("permission denied") || is_hidden();
        if is_denied && self.launch.sandbox != SandboxMode::Off && !self.confines.is_open() {
            let why = format!(
                "; a program of rules can read what is installed and what `command` and `files` of its manifest name: list what \
                 it needs of its folder under `files`, and allow what is elsewhere with {RULES_READ} PATH"
            );
            broken.evidence.message.push_str(&why);
        }
        broken
    }

    /// What it can read outside of the folder of its manifest because the user has named it.
    #[must_use]
    pub fn named_elsewhere(&self) -> &[PathBuf] {
        self.confines.named()
    }

    /// The same as a bot, for what copies bots.
    #[must_use]
    pub fn as_found(&self) -> roster::FoundBot {
        roster::FoundBot::of_program(&self.launch, &self.own, &self.closed, &self.absolute)
    }

    /// Sets the parameters that the manifest sets, of those that the program has declared.
    ///
    /// # Errors
    ///
    /// Returns an error if one was not declared, or has a value that is not accepted.
    pub fn set_params(&self, declared: &'static [Param], params: &mut Params) -> Result<(), GameError> {
        self.params.iter().try_for_each(|(name, value, line)| {
            let set = params.set_json(declared, name, value);
            set.map_err(|error| GameError::new(&self.path, Problem::Manifest(format!("{line}, `params`: {error}"))))
        })
    }
}

fn load(path: &Path, settings: &RosterSettings) -> anyhow::Result<Program> {
    if path.is_dir() {
        bail!("it is a folder; name the manifest in it");
    }
    let text = roster::read_manifest(path).context("the manifest cannot be read")?;
    let written = parse(&text)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let dir = roster::absolute(parent)?;
    let line = |at: usize| line_in(&text, at);
    let Some(words) = &written.command else { bail!("it needs `command = [\"program\", \"argument\"]`") };
    let here = || line(words.span().start);
    check_words("command", "words", words.get_ref()).with_context(here)?;
    let (program, args) = resolve(words.get_ref(), &dir).with_context(here)?;
    let confines = Confines::new(&dir, &settings.rules_reach)?;
    let name = |path: &Path| path.to_string_lossy().into_owned();
    if program.is_absolute() {
        confines.check("command", &name(&program), &program).with_context(here)?;
    }
    if program.starts_with(&dir) {
        check_script(&program).with_context(here)?;
    }
    check_env(&written.env, &|name| line(name.span().start))?;
    let limit = |entry: &Option<Spanned<u64>>, name, default: Duration| match entry {
        None => Ok(default),
        Some(ms) => {
            let most = LIMIT_MOST.as_millis() as u64;
            in_range(name, ms, most, &line).map(Duration::from_millis)
        }
    };
    let answer = limit(&written.answer_ms, "answer_ms", ANSWER_DEFAULT)?;
    let startup = limit(&written.startup_ms, "startup_ms", STARTUP_DEFAULT)?;
    let memory_mb =
        written.memory_mb.as_ref().map(|mb| in_range("memory_mb", mb, MEMORY_MB_MOST, &line)).transpose()?;
    let is_vouched = match &written.identity {
        None => false,
        Some(identity) if identity.get_ref() == "version" => true,
        Some(identity) => bail!(
            "{}: `identity` is {}; write identity = \"version\", or remove it to identify the program by its files",
            line(identity.span().start),
            shown(identity.get_ref())
        ),
    };
    let mut launch = roster::launch(LAUNCH_NAME.to_owned(), program, args, dir.clone());
    path.clone_into(&mut launch.path);
    launch.env = written.env.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())).collect();
    launch.guard.clone_from(&settings.guard);
    launch.sandbox = settings.sandbox;
    launch.limits.memory_mb = memory_mb.unwrap_or(MEMORY_MB_DEFAULT);
    launch.startup = startup;
    if let Some(why) = launch.missing_program() {
        bail!("{}: {why}", here());
    }
    let mut own = own_files(&launch.program, &launch.args, &dir);
    for file in &own {
        confines.check("command", &name(file.strip_prefix(&dir).unwrap_or(file)), file).with_context(here)?;
    }
    for file in &written.files {
        let here = || line(file.span().start);
        let path = further_file(&dir, file.get_ref()).with_context(here)?;
        confines.check("files", file.get_ref(), &path).with_context(here)?;
        own.push(path);
    }
    if !written.files.is_empty() {
        // Python, for example, searches for modules among the files in its folder.
        launch.listable.push(dir.clone());
    }
    let canonical = canonical(&written, &dir)?;
    let closing = Closing::new(can_close(launch.sandbox), &[]);
    let found =
        roster::of_files_and_folders(&["rules", &canonical], &dir, &own, closing, |link| confines.check_link(link))?;
    let is_above_closed = |own: &&PathBuf| found.closed.iter().any(|closed| closed.starts_with(own));
    launch.listable.extend(own.iter().filter(is_above_closed).cloned());
    if !is_vouched {
        launch.files = found.files.into();
    }
    Ok(Program {
        path: path.to_owned(),
        launch,
        answer,
        own,
        closed: found.closed,
        confines,
        absolute: roster::absolute_paths(written.command.as_ref(), &written.files, &dir),
        fingerprint: (!is_vouched).then(|| found.text.clone()),
        files: found.text,
        params: params(&written, &line)?,
    })
}

/// Reads the text of a manifest; an unknown entry is an error with the nearest known one.
fn parse(text: &str) -> anyhow::Result<Written> {
    let entries: BTreeMap<Spanned<String>, toml::Value> = parse_toml(text)?;
    let unknown = entries.keys().find(|entry| !ENTRIES.contains(&entry.get_ref().as_str()));
    if let Some(entry) = unknown {
        let unknown = UnknownName::new("entry", entry.get_ref(), ENTRIES);
        return Err(anyhow!("{}: {unknown}", line_in(text, entry.span().start)));
    }
    parse_toml(text)
}

/// A number from 1 to `most`.
fn in_range(name: &str, number: &Spanned<u64>, most: u64, line: &impl Fn(usize) -> String) -> anyhow::Result<u64> {
    let value = *number.get_ref();
    if !(1..=most).contains(&value) {
        bail!("{}: `{name}` is {value}; it must be from 1 to {most}", line(number.span().start));
    }
    Ok(value)
}

/// A file or folder that `files` names.
fn further_file(dir: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = dir.join(name);
    let name = shown(name);
    let real = path.canonicalize().with_context(|| format!("`files` names `{name}`, which cannot be found"))?;
    // Opening anything else might block forever.
    if !real.is_file() && !real.is_dir() {
        bail!("`files` names `{name}`, which is neither a file nor a folder; remove it");
    }
    Ok(path)
}

/// The text of the manifest that enters the identity. It does not depend on the place of the program's own files.
fn canonical(written: &Written, dir: &Path) -> anyhow::Result<String> {
    let mut written = written.clone();
    for path in roster::absolute_names(&mut written.command, &mut written.files, dir) {
        *path = roster::named(dir, Path::new(path)).to_string_lossy().into_owned();
    }
    toml::to_string(&written).context("writing the manifest")
}

/// The values of parameters, each with its line.
fn params(
    written: &Written,
    line: &impl Fn(usize) -> String,
) -> anyhow::Result<Vec<(String, serde_json::Value, String)>> {
    let value = |(name, value): (&Spanned<String>, &toml::Value)| {
        let line = line(name.span().start);
        let json = match value {
            toml::Value::Integer(number) => (*number).into(),
            toml::Value::String(word) => word.as_str().into(),
            _ => bail!("{line}: the parameter {} must be an integer or a string", shown(name.get_ref())),
        };
        Ok((name.get_ref().clone(), json, line))
    };
    written.params.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use arena_core::rules::ParamKind;

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            let folder = Self(tempfile::tempdir().unwrap());
            folder.write("rules.sh", "echo");
            folder
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            fs::write(&path, text).unwrap();
            path
        }

        fn load(&self, manifest: &str) -> Result<Program, String> {
            let path = self.write("hex.toml", manifest);
            // Without the path, which differs each time.
            let start = format!("game `{}`: ", shown(&path.to_string_lossy()));
            Program::load(&path, &RosterSettings::default()).map_err(|error| {
                let error = error.to_string();
                error
                    .strip_prefix(&start)
                    .unwrap_or_else(|| panic!("{error}"))
                    .replace(&*self.0.path().to_string_lossy(), "DIR")
            })
        }
    }

    const COMMAND: &str = "command = [\"sh\", \"rules.sh\"]\n";

    #[test]
    fn a_command_is_enough() {
        let folder = Folder::new();
        let program = folder.load(COMMAND).unwrap();
        assert_eq!((program.answer, program.launch.startup), (ANSWER_DEFAULT, STARTUP_DEFAULT));
        assert_eq!((program.launch.limits.memory_mb, program.launch.name.as_str()), (2048, "rules"));
        assert_eq!(program.launch.program, Path::new("sh"));
        assert_eq!(program.own, [folder.0.path().join("rules.sh")]);
        let all = "files = [\"more\"]\nanswer_ms = 1\nstartup_ms = 600000\nmemory_mb = 1048576\nenv = { A = \"b\" }\n\
                   identity = \"version\"\n[params]\nsize = 7\nmode = \"fast\"\n";
        folder.write("more", "");
        let program = folder.load(&format!("{COMMAND}{all}")).unwrap();
        assert_eq!((program.answer.as_millis(), program.launch.startup.as_secs()), (1, 600));
        assert_eq!(program.launch.limits.memory_mb, 1 << 20);
        assert_eq!(program.launch.env, [("A".to_owned(), "b".to_owned())]);
        assert!(program.fingerprint.is_none() && program.launch.files.is_empty() && program.own.len() == 2);
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_the_cure() {
        let folder = Folder::new();
        for (text, says) in [
            ("", "it needs `command = "),
            ("command = []\n", "line 1: `command` names no program"),
            ("\ncommand = [\"no-such-program\"]\n", "line 2: its program no-such-program is not in PATH"),
            ("command = [\"./none\"]\n", "line 1: its program DIR/none does not exist"),
            ("comand = [\"sh\"]\n", "line 1: no entry named `comand` (did you mean `command`?); known: command, files"),
            ("command = [\"sh\"]\nanswer_mss = 1", "line 2: no entry named `answer_mss` (did you mean `answer_ms`?)"),
            ("command = \"sh\"\n", "line 1, `command = \"sh\"`: invalid type: string \"sh\", expected a list"),
            ("command = [\"sh\"]\nanswer_ms = 0", "line 2: `answer_ms` is 0; it must be from 1 to 600000"),
            ("command = [\"sh\"]\nstartup_ms = 600001", "line 2: `startup_ms` is 600001; it must be from 1 to 600000"),
            ("command = [\"sh\"]\nmemory_mb = 0", "line 2: `memory_mb` is 0; it must be from 1 to 1048576"),
            ("command = [\"sh\"]\nmemory_mb = -1", "line 2, `memory_mb = -1`: "),
            ("command = [\"sh\"]\nidentity = \"files\"", "line 2: `identity` is files; write identity = \"version\""),
            ("command = [\"sh\"]\nfiles = [\"none\"]", "line 2: `files` names `none`, which cannot be found"),
            ("command = [\"sh\"]\nenv = { \"A=\" = \"b\" }", "`env` cannot set `A=`"),
            ("command = [\"sh\"]\n[params]\nx = 1.5", "line 3: the parameter x must be an integer or a string"),
            ("command = [", "line 1, `command = [`: "),
        ] {
            let said = folder.load(text).unwrap_err();
            assert!(said.starts_with(says), "{text}: {said}");
        }
        folder.write("cr", "#!/bin/sh\r\n");
        assert!(folder.load("command = [\"./cr\"]").is_err());
        let missing = Program::load(Path::new("/no/such.toml"), &RosterSettings::default()).unwrap_err().to_string();
        assert!(missing.starts_with("game `/no/such.toml`: the manifest cannot be read: No such file"), "{missing}");
        let dir = Program::load(folder.0.path(), &RosterSettings::default()).unwrap_err().to_string();
        assert!(dir.ends_with("it is a folder; name the manifest in it"), "{dir}");
    }

    #[test]
    fn the_fingerprint_is_of_the_files_and_not_of_limits_values_or_the_place() {
        let of = |folder: &Folder, text: &str| folder.load(&format!("{COMMAND}{text}")).unwrap().fingerprint.unwrap();
        let folder = Folder::new();
        let first = of(&folder, "");
        let same = "# comment\nanswer_ms = 7\nmemory_mb = 9\nstartup_ms = 3\n[params]\nsize = 3\n";
        assert_eq!(of(&folder, same), first);
        assert_eq!(of(&Folder::new(), ""), first);
        let absolute = format!("command = [\"sh\", {:?}]\n", folder.0.path().join("rules.sh"));
        assert_eq!(folder.load(&absolute).unwrap().fingerprint.unwrap(), first);
        assert_ne!(of(&folder, "env = { A = \"b\" }\n"), first);
        folder.write("more", "1");
        let with_more = of(&folder, "files = [\"more\"]\n");
        assert_ne!(with_more, first);
        folder.write("more", "2");
        assert_ne!(of(&folder, "files = [\"more\"]\n"), with_more);
        folder.write("rules.sh", "echo 2");
        assert_ne!(of(&folder, ""), first);
    }

    #[test]
    fn values_of_parameters_are_held_against_what_is_declared() {
        static DECLARED: [Param; 2] = [
            Param { name: "size", help: "", kind: ParamKind::Int { default: 9, min: 2, max: 19 } },
            Param { name: "mode", help: "", kind: ParamKind::Word(&["slow", "fast"]) },
        ];
        let folder = Folder::new();
        let set = |text: &str| {
            let mut params = Params::defaults(&DECLARED);
            let program = folder.load(&format!("{COMMAND}[params]\n{text}")).unwrap();
            program.set_params(&DECLARED, &mut params).map(|()| params).map_err(|error| error.to_string())
        };
        let params = set("mode = \"fast\"\nsize = 3\n").unwrap();
        assert_eq!((params.int("size"), params.word("mode")), (3, "fast"));
        for (text, says) in [
            ("size = 1", "line 3, `params`: `size` cannot be 1; expected an integer from 2 to 19"),
            ("size = \"3\"", "line 3, `params`: `size` cannot be \"3\"; expected an integer"),
            ("\nsizes = 3", "line 4, `params`: no parameter named `sizes` (did you mean `size`?)"),
        ] {
            let said = set(text).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }

    #[test]
    fn a_path_is_told_from_the_name_of_a_game() {
        let path = |text| named_program(text).map(|(path, rest)| (path.to_str().unwrap(), rest));
        assert_eq!(path("./hex.toml"), Some(("./hex.toml", None)));
        assert_eq!(path("hex.toml:rows=6,cols=7"), Some(("hex.toml", Some("rows=6,cols=7"))));
        assert_eq!(path("games/hex"), Some(("games/hex", None)));
        assert_eq!([path("connect4"), path("mnk:rows=6"), path("x:a/b.toml"), path("")], [None; 4]);
    }
}
