//! The kit of the command-line tests: a fresh folder for every test, the real binary in it, and its exit code, stdout
//! and stderr compared as one text.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};

use arena::event::{Round, Stop, Tournament};
use arena::guard::GuardProgram;
use arena::journal::{self, JournalLine};
use arena::record::Record;
use arena::results_folder::ResultsFolder;
use arena::rules::{RULES, Variant};
use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use crate::procfs;

#[path = "commands.rs"]
mod commands;
#[path = "program.rs"]
mod program;

pub(crate) use program::arena;
use program::is_another;

/// No command of these tests takes longer, on a machine that does other things too.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A shell script that has said hello and is ready; then a move is owed.
pub(crate) const ASKED: &str = r#"
id() { echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
read -r line; echo '{"type":"hello","protocol":1}'
read -r line; echo "{\"type\":\"ready\",\"id\":$(id "$line")}"
read -r line
"#;

/// Copies a program by another process: while this one has the copy open for writing, a child that another test starts at that
/// moment has it open too, and Linux starts no program that is open for writing.
#[track_caller]
pub(crate) fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let [from, to] = [from.as_ref(), to.as_ref()];
    let copied = Command::new("cp").args([from, to]).status();
    assert!(copied.is_ok_and(|status| status.success()), "a copy of {} at {}", from.display(), to.display());
}

/// What guards are started from.
pub(crate) fn guard() -> GuardProgram {
    GuardProgram::arena(arena())
}

/// A fresh folder, removed at the end, with an empty folder `bots`.
pub(crate) struct Dir(tempfile::TempDir);

/// How a command ended and what it said, times and paths of this run masked when shown.
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    dir: PathBuf,
}

/// A command that was started; killed if the test ends before it does.
pub(crate) struct Running {
    child: Child,
    dir: PathBuf,
    files: [PathBuf; 2],
}

/// A whole journal.
pub(crate) struct Contents {
    pub(crate) event: Option<Tournament>,
    pub(crate) games: Vec<Record>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) stop: Option<Stop>,
    pub(crate) torn_bytes: u64,
}

impl Contents {
    #[track_caller]
    pub(crate) fn read(dir: &Path) -> Self {
        let folder = ResultsFolder::open(dir).expect("a folder");
        let (reader, contents) = journal::read(&folder).unwrap_or_else(|error| panic!("{error:#}"));
        let games = contents.games.iter().map(|brief| reader.record(brief).expect("a game")).collect();
        let journal::JournalContents { event, rounds, stop, torn_bytes, .. } = contents;
        Self { event, games, rounds, stop, torn_bytes }
    }
}

impl Dir {
    pub(crate) fn new() -> Self {
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(place: &Path) -> Self {
        static TRIED: Once = Once::new();
        TRIED.call_once(try_a_start);
        Self::make_in(place)
    }

    fn make_in(place: &Path) -> Self {
        let dir = Self(tempfile::Builder::new().prefix("arena-test-").tempdir_in(place).expect("a temporary folder"));
        for folder in ["bots", "tmp", "out"] {
            fs::create_dir(dir.path(folder)).expect("a folder");
        }
        dir
    }

    /// With manifests of built-in bots: `random`, `greedy`, `minimax depth=2`, …, each under the strategy's name.
    pub(crate) fn with_bots(bots: &[&str]) -> Self {
        Self::with_bots_in(&std::env::temp_dir(), bots)
    }

    /// As [`Dir::with_bots`], below `place`.
    pub(crate) fn with_bots_in(place: &Path, bots: &[&str]) -> Self {
        let dir = Self::new_in(place);
        for bot in bots {
            dir.builtin(bot.split(' ').next().unwrap_or(bot), bot);
        }
        dir
    }

    /// With all bots that are shipped, and their own manifests.
    pub(crate) fn with_shipped_bots() -> Self {
        let dir = Self::new();
        for entry in fs::read_dir(in_repository("bots")).expect("the shipped bots") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                fs::copy(&path, dir.path("bots").join(path.file_name().expect("a name"))).expect("a copy");
            }
        }
        dir
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(relative)
    }

    #[track_caller]
    pub(crate) fn file(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        until(LIMIT, "the file is not just being started as a program", || match fs::write(&path, &text) {
            Ok(()) => true,
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => false,
            Err(error) => panic!("{}: {error}", path.display()),
        });
    }

    /// An executable file.
    #[track_caller]
    pub(crate) fn script(&self, relative: &str, text: &str) {
        self.file(relative, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(relative), fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// An executable bot that plays as the built-in strategy `bot`.
    pub(crate) fn script_bot(&self, name: &str, bot: &str) {
        self.script(&format!("bots/{name}"), &format!("exec {} bot {bot}", arena()));
    }

    /// A manifest `bots/NAME.toml` for `STRATEGY OPTION=VALUE …`.
    pub(crate) fn builtin(&self, name: &str, strategy: &str) {
        let mut words = strategy.split(' ');
        let builtin = words.next().unwrap_or_default();
        let options = words.collect::<Vec<_>>().join("\n");
        self.file(&format!("bots/{name}.toml"), format!("builtin = \"{builtin}\"\n[options]\n{options}"));
    }

    #[track_caller]
    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    /// Runs `arena` with arguments separated by spaces, to its end: in this process if it needs no other one, since most tests
    /// are about what it says and writes.
    #[track_caller]
    pub(crate) fn arena(&self, args: &str) -> Ended {
        let words = with_seed(args);
        if is_another() || !commands::needs_no_process(&self.path(""), &words) {
            return self.process(args);
        }
        let (exit, [stdout, stderr]) = commands::run(&self.path(""), &words);
        Ended { status: Some(exit as i32), stdout, stderr, dir: self.path("") }
    }

    /// Runs `arena`, which must end with this exit code.
    #[track_caller]
    pub(crate) fn arena_ends(&self, code: i32, args: &str) -> Ended {
        self.arena(args).with(code, args)
    }

    /// Runs `arena` to its end as a process, whose bots are processes.
    #[track_caller]
    pub(crate) fn process(&self, args: &str) -> Ended {
        self.start(args).wait(LIMIT)
    }

    /// As [`Dir::process`]; it must end with this exit code.
    #[track_caller]
    pub(crate) fn process_ends(&self, code: i32, args: &str) -> Ended {
        self.process(args).with(code, args)
    }

    /// Starts `arena` in this folder.
    #[track_caller]
    pub(crate) fn start(&self, args: &str) -> Running {
        self.run(self.command(args))
    }

    /// Starts a [`Dir::command`].
    #[track_caller]
    pub(crate) fn run(&self, mut command: Command) -> Running {
        let number = fs::read_dir(self.path("out")).expect("a folder").count();
        let files = ["stdout", "stderr"].map(|name| self.path(format!("out/{number}-{name}")));
        let [stdout, stderr] = files.each_ref().map(|path| File::create(path).expect("a file"));
        let child = command.stdout(stdout).stderr(stderr).spawn().expect("the arena starts");
        Running { child, dir: self.path(""), files }
    }

    /// `arena` in this folder with nothing of the environment but `PATH`; temporary files stay in the folder, what the arena
    /// knows of this machine is shared.
    pub(crate) fn command(&self, args: &str) -> Command {
        let mut command = Command::new(arena());
        command.args(with_seed(args)).current_dir(self.path("")).stdin(Stdio::null());
        command.env_clear().envs(search_path().map(|path| ("PATH", path))).env("TMPDIR", self.path("tmp"));
        // One for all tests: then not each of them tries the sandbox.
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command
    }

    /// The journal of tournament `name`, which must be sound.
    #[track_caller]
    pub(crate) fn journal(&self, name: &str) -> Contents {
        Contents::read(&self.path("results").join(name))
    }

    /// Complete lines in the journal of tournament `name`; 0 while there is none.
    pub(crate) fn journal_lines(&self, name: &str) -> usize {
        let bytes = fs::read(self.path("results").join(name).join(journal::FILE_NAME)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).matches('\n').count()
    }

    /// Writes the journal of `name` again, each game as `edit` leaves it, with sums that are right.
    #[track_caller]
    pub(crate) fn edit_games(&self, name: &str, mut edit: impl FnMut(usize, &mut Record)) {
        let dir = self.path("results").join(name);
        let bytes = fs::read(dir.join(journal::FILE_NAME)).expect("a journal");
        fs::remove_file(dir.join(journal::FILE_NAME)).expect("a journal");
        let (mut edited, _) =
            journal::Journal::open(&ResultsFolder::open(&dir).expect("a folder")).expect("a new journal");
        let mut games = 0;
        let mut lines = journal::lines(&bytes[..]);
        while let Some(located) = lines.next() {
            match located.expect("a line").line.expect("a sound line") {
                JournalLine::Openings => {}
                JournalLine::Event(event) => {
                    edited.append_event(&lines.complete(*event).expect("openings")).expect("written");
                }
                JournalLine::Round(round) => edited.append_round(&round).expect("written"),
                JournalLine::Stop(stop) => edited.append_stop(stop).expect("written"),
                JournalLine::Game(mut record) => {
                    edit(games, &mut record);
                    edited.append_game(&record).expect("written");
                    games += 1;
                }
            }
        }
    }

    /// Processes that run in this folder: the arena's and the bots'.
    pub(crate) fn processes(&self) -> Vec<String> {
        // A process that has just left has no command line.
        let all = procfs::running_in(&self.path("")).into_iter().map(|(_, words)| words);
        all.filter(|words| !words.is_empty()).collect()
    }
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it is still there");
    }

    /// Sends a signal until the arena has heard that as a second request: signals right after the first belong to it.
    #[track_caller]
    pub(crate) fn signal_again(&mut self, signal: Signal) {
        until(LIMIT, "a second request is heard", || {
            let has_ended = self.has_ended();
            if !has_ended {
                self.signal(signal);
            }
            has_ended
        });
    }

    /// Kills it; false if it has ended by itself.
    pub(crate) fn kill_if_there(mut self) -> bool {
        let there = !self.has_ended();
        drop(self);
        there
    }

    /// What it has written to stdout so far.
    #[cfg(feature = "serve")]
    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.files[0]).expect("a file")
    }

    /// What it has said on stderr so far.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.files[1]).expect("a file")
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    #[track_caller]
    pub(crate) fn wait(mut self, limit: Duration) -> Ended {
        until(limit, "the arena ends", || self.has_ended());
        let status = self.child.wait().expect("a child").code();
        let [stdout, stderr] =
            self.files.each_ref().map(|path| String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned());
        Ended { status, stdout, stderr, dir: self.dir.clone() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It fails only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map_or("by a signal".to_owned(), |code| code.to_string());
        write!(f, "exit {status}\n--- stdout\n{}--- stderr\n{}", self.mask(&self.stdout), self.mask(&self.stderr))
    }
}

/// The words of a command line. A tournament or match has the seed 1, so that it is the same each time, unless the arguments have
/// one; `--seed drawn` leaves it to the arena.
fn with_seed(args: &str) -> Vec<&str> {
    let mut words: Vec<&str> = args.split_whitespace().collect();
    if let Some(drawn) = words.windows(2).position(|pair| pair == ["--seed", "drawn"]) {
        words.drain(drawn..drawn + 2);
    } else if matches!(words.first(), Some(&("tournament" | "match"))) && !args.contains("--seed") {
        words.extend(["--seed", "1"]);
    }
    words
}

impl Ended {
    #[track_caller]
    fn with(self, code: i32, args: &str) -> Self {
        assert_eq!(self.status, Some(code), "arena {args}\n{self}");
        self
    }

    /// `text` with what differs from run to run replaced: this folder, the binary, hashes, times and seconds.
    fn mask(&self, text: &str) -> String {
        let dir = self.dir.to_string_lossy().trim_end_matches('/').to_owned();
        let text = without_end(&without_games(text)).replace(&dir, "[dir]").replace(arena(), "[arena]");
        let mut masked = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
            let (token, after) = rest.split_at(word.max(first.len_utf8()));
            let is_number = token.starts_with(|c: char| c.is_ascii_digit()) && token.parse::<f64>().is_ok();
            let is_hash =
                |token: &str| token.len() == 16 && token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            masked.push_str(match () {
                () if is_hash(token) => "[hash]",
                () if token.strip_suffix(".jsonl").is_some_and(is_hash) => "[hash].jsonl",
                () if is_number && token.contains('.') && after.starts_with(" ms") => "[time]",
                () => token,
            });
            rest = after;
        }
        masked
    }
}

/// Starts one bot before anything else: where none can be started at all, dozens of tests would wait for theirs in vain, and
/// hide why. Ends all tests then, with one line.
#[expect(clippy::exit, reason = "a panic ends this test only")]
fn try_a_start() {
    const CANARY: &str = "check random --game tictactoe --quick";
    let dir = Dir::make_in(&std::env::temp_dir());
    let mut running = dir.start(CANARY);
    let end = now() + LIMIT;
    while !running.has_ended() && now() < end {
        pause();
    }
    let why = if running.has_ended() {
        let Ended { status, stdout, stderr, .. } = running.wait(LIMIT);
        if status == Some(0) {
            return;
        }
        let line = stdout.lines().find(|line| line.starts_with("FAIL")).or_else(|| stderr.lines().next());
        line.unwrap_or("it says nothing").to_owned()
    } else {
        drop(running);
        format!("not ended within {LIMIT:?}")
    };
    drop(dir);
    let line = format!("no bot can be started on this machine, so nothing is tested: arena {CANARY}: {why}");
    writeln!(std::io::stderr(), "{line}").expect("stderr");
    std::process::exit(1);
}

/// `text` without when the last game ended and how long all took, which may be on a line of its own.
pub(crate) fn without_end(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut is_wrapped = false;
    for line in text.split_inclusive('\n') {
        if std::mem::take(&mut is_wrapped) && line.starts_with("  ") {
            continue;
        }
        match line.find(" · finished").or(line.find(" · last move")) {
            Some(at) => {
                is_wrapped = !line.contains(" UTC, ");
                masked.push_str(&line[..at]);
                masked.push_str(" · [when]\n");
            }
            None => masked.push_str(line),
        }
    }
    masked
}

/// `text` with the lists of all games replaced: another one changes no test.
pub(crate) fn without_games(text: &str) -> String {
    let games: Vec<&str> = Variant::names().collect();
    let rules: Vec<&str> = RULES.iter().map(|rules| rules.name).collect();
    text.replace(&games.join(", "), "[every game]").replace(&rules.join(", "), "[all rules]")
}

/// `tournament.json` without when it was written and how fast games were played, which no two runs have in common.
pub(crate) fn without_pace(text: &str) -> String {
    let is_pace = |line: &&str| {
        let field = line.trim_start();
        ["\"updated\"", "\"games_per_second\"", "\"seconds_left\""].iter().any(|name| field.starts_with(name))
    };
    text.lines().filter(|line| !is_pace(line)).flat_map(|line| [line, "\n"]).collect()
}

/// Says on stderr what this machine does not let us test; not by a macro, whose words are kept back when a test passes.
pub(crate) fn not_tested(what: &str, why: &str) {
    writeln!(std::io::stderr(), "not tested: {what}: {why}").expect("stderr");
}

/// `text` with the ids after this key masked, such as those of messages after `"id":`.
pub(crate) fn without_ids(text: &str, key: &str) -> String {
    let mut parts = text.split(key);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches("[hash]").trim_start_matches(|c: char| c.is_ascii_hexdigit());
        text + key + "[id]" + rest
    })
}

/// A file of the project.
pub(crate) fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `found` is what the file of the project holds; under `ARENA_BLESS` it is put there.
#[track_caller]
pub(crate) fn check_golden(path: &str, found: &str) {
    let file = in_repository(path);
    if std::env::var_os("ARENA_BLESS").is_some() {
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, found).expect("a file");
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    let differs = golden.lines().zip(found.lines()).position(|(golden, found)| golden != found);
    assert!(
        golden == found,
        "{path} is not what the code makes, from line {} on; ARENA_BLESS=1 rewrites it",
        differs.unwrap_or_else(|| golden.lines().count().min(found.lines().count())) + 1
    );
}

/// `PATH`, with the folder of the real `python3` first: that of a version manager is a script that takes ten times as long to
/// start, and tries calls that a sandbox refuses.
pub(crate) fn search_path() -> Option<OsString> {
    static PATH: LazyLock<Option<OsString>> = LazyLock::new(|| {
        let path = std::env::var_os("PATH")?;
        let says = "import os, sys; sys.stdout.write(os.path.dirname(sys.executable))";
        let python = Command::new("python3").args(["-c", says]).output().ok().filter(|output| output.status.success());
        let folder = python.and_then(|python| String::from_utf8(python.stdout).ok()).map(PathBuf::from);
        std::env::join_paths(folder.into_iter().chain(std::env::split_paths(&path))).ok()
    });
    PATH.clone()
}

/// Whether a program is installed; if not, says that this is not tested without it.
pub(crate) fn is_installed(program: &str, what: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_found = std::env::split_paths(&path).any(|dir| dir.join(program).is_file());
    if !is_found {
        not_tested(what, &format!("{program} is not installed"));
    }
    is_found
}

/// Whether the arena hears this signal: under `nohup` neither tests nor what they start hear SIGHUP.
pub(crate) fn is_heard(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap_or(0);
    signal != Signal::HUP || ignored & 1 == 0
}

/// Waits for something to become true, looking often.
#[track_caller]
pub(crate) fn until(limit: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let end = now() + limit;
    while !is_so() {
        assert!(now() < end, "not within {limit:?}: {what}");
        pause();
    }
}

fn pause() {
    let pause = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    poll(&mut [], Some(&pause)).expect("a pause");
}

#[expect(clippy::disallowed_methods, reason = "a test that waits must know when to give up")]
fn now() -> Instant {
    Instant::now()
}
