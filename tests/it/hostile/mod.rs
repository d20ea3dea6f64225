//! Bots that do harm, each in a tournament of the real binary with two honest ones, and what is promised of every one
//! of them. The rows are those of the table in `docs/security.md`.
//!
//! Whatever the bot does, [`Scenario::play`] holds that
//! - the tournament ends within the time that the bot was allowed, plus 250 ms a game, plus what the machine itself
//!   was late by;
//! - a second later no process of it is left, and at once no scratch file;
//! - the arena never held more than 64 MiB, 100 descriptors, or a handful of dead processes;
//! - all that it wrote is free of control characters, and of bounded size;
//! - nothing in the bots folder has changed;
//! - the honest bots have exactly the games that they have without it;
//! - the bot itself saw nothing succeed that must not.

mod bounds;
mod container;
mod documented;
mod files;
mod talk;
mod trespass;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use arena::record::{GameResult, Record, Status};

use crate::faults::{EXTRA, Lateness, alone, faulty, now, processes_with};
use crate::support::{Dir, LIMIT, not_tested, until};
use container::Container;

/// The most that the arena may ever hold, whatever bots write.
const MEMORY_KB_MAX: u64 = 64 << 10;
/// The most descriptors it may have open: each bot takes five.
const FILES_MAX: usize = 100;
/// The most dead children that it has not reaped at one time.
const ZOMBIES_MAX: usize = 8;
/// The most that a tournament with one flooding bot may write: a full log and little else.
const RESULTS_BYTES_MAX: u64 = 10 << 20;
/// Of a log, when a test fails.
const SHOWN_CHARS: usize = 10_000;
/// Within this time nothing of a bot is left.
const GONE: Duration = Duration::from_secs(1);
/// What a tournament of six games takes besides: the start and the end of the arena and its bots.
const AROUND: Duration = Duration::from_millis(1_500);

/// A time limit that is meant to be reached, and one that is not.
const SHORT_MS: u64 = 200;
const MARGIN_MS: u64 = 100;
const AMPLE_MS: u64 = 10_000;

/// Not `/tmp`, of which a bot may have a private one.
const ROOT: &str = "/var/tmp";
/// Where bots that never meet may leave word for each other.
const MEETING_PLACES: [&str; 3] = ["/tmp", "/dev/shm", "/var/tmp"];

const NO_CONTAINER: &str = "this system does not let us make a container";
/// In the environment of the arena.
const SECRET: &str = "open sesame";

const HONEST: [&str; 2] = ["greedy", "random"];
const HOSTILE: &str = "hostile";

/// How the bot comes through its four games.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    /// It loses all of them so, and this is said of it.
    Loses(Status, &'static str),
    /// It plays them to the end, and this is in its log.
    Plays(&'static str),
    /// They are void, for this reason.
    Void(&'static str),
}

/// A bot, and what comes of it.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Its number in `docs/security.md`.
    number: u32,
    /// Arguments of the faulty bot, after `GAME: ` if it is not tic-tac-toe.
    bot: &'static str,
    ends: Ends,
    /// Arguments of the arena.
    flags: &'static str,
    /// Lines of the bot's manifest.
    manifest: &'static str,
    /// What it is allowed to take in each game.
    allowed_ms: u64,
    contained: bool,
    /// It takes so much of the machine that nobody else could keep time.
    alone: bool,
}

/// A bot that loses by `status` as soon as it may be told.
const fn loses(number: u32, bot: &'static str, status: Status, says: &'static str) -> Row {
    let allowed_ms = if matches!(status, Status::Timeout) { SHORT_MS + MARGIN_MS } else { 0 };
    Row {
        number,
        bot,
        ends: Ends::Loses(status, says),
        flags: "",
        manifest: "",
        allowed_ms,
        contained: false,
        alone: false,
    }
}

/// A bot that harms nobody, itself included.
const fn plays(number: u32, bot: &'static str, says: &'static str) -> Row {
    Row { number, bot, ends: Ends::Plays(says), flags: "", manifest: "", allowed_ms: 0, contained: false, alone: false }
}

/// A bot whose games are nobody's fault.
const fn void(number: u32, bot: &'static str, why: &'static str) -> Row {
    Row { ends: Ends::Void(why), ..plays(number, bot, "") }
}

impl Row {
    const fn with(self, flags: &'static str) -> Self {
        Self { flags, ..self }
    }

    const fn manifest(self, manifest: &'static str) -> Self {
        Self { manifest, ..self }
    }

    const fn allowed(self, allowed_ms: u64) -> Self {
        Self { allowed_ms, ..self }
    }

    /// As [`Row::contained`], and while no other test that measures time runs.
    const fn alone(self) -> Self {
        Self { contained: true, alone: true, ..self }
    }

    /// Only where a mistake cannot hurt this machine: in a process namespace with few numbers.
    const fn contained(self) -> Self {
        Self { contained: true, ..self }
    }
}

/// Held by rows that need the machine for themselves, and shared by the others.
static BESIDE: RwLock<()> = RwLock::new(());

/// Plays all of them, one after the other.
#[track_caller]
fn check(rows: &[Row]) {
    for row in rows {
        let what = format!("row {}, {}", row.number, row.bot);
        let container = Container::find();
        if row.contained && container.is_none() {
            not_tested(&what, NO_CONTAINER);
            continue;
        }
        let _others = (!row.alone).then(|| BESIDE.read().unwrap_or_else(PoisonError::into_inner));
        let _alone = row.alone.then(|| (alone(), BESIDE.write().unwrap_or_else(PoisonError::into_inner)));
        let (game, args) = row.bot.split_once(": ").unwrap_or(("tictactoe", row.bot));
        let mut scenario = Scenario::new(&what, game);
        scenario.hostile(args, row.manifest);
        scenario.container = container.filter(|_| row.contained);
        scenario.allowed = Duration::from_millis(row.allowed_ms);
        row.flags.clone_into(&mut scenario.flags);
        if !matches!(row.ends, Ends::Loses(Status::Timeout, _)) {
            scenario.move_ms = AMPLE_MS;
        }
        let played = scenario.play();
        played.assert_ends(row.ends);
    }
}

/// A tournament that is about to be played.
struct Scenario {
    what: String,
    dir: Dir,
    mark: String,
    game: String,
    flags: String,
    move_ms: u64,
    /// What the hostile bot is allowed to take in each game.
    allowed: Duration,
    container: Option<Container>,
    /// Bots are tried out before the first game.
    check: bool,
}

/// A tournament that was played, and kept its promises.
struct Played {
    what: String,
    dir: Dir,
    status: Option<i32>,
    stderr: String,
    games: Vec<Record>,
}

impl Scenario {
    fn new(what: &str, game: &str) -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self {
            what: what.to_owned(),
            dir: Dir::with_bots_in(Path::new(ROOT), &HONEST),
            mark: format!("hostile-{}-{number}-", std::process::id()),
            game: game.to_owned(),
            flags: String::new(),
            move_ms: SHORT_MS,
            allowed: Duration::ZERO,
            container: None,
            check: false,
        }
    }

    /// Adds the faulty bot with these arguments, in which `ROOT` is the folder that holds bots and results.
    fn hostile(&self, args: &str, manifest: &str) {
        let args = args.replace("ROOT", &self.dir.path("").to_string_lossy());
        let words: Vec<&str> = [faulty().to_str().expect("UTF-8")].into_iter().chain(args.split(' ')).collect();
        let text = format!("command = {words:?}\n{manifest}\nenv = {{ FAULTY_MARK = {:?} }}\n", self.mark);
        self.dir.file(&format!("bots/{HOSTILE}.toml"), text);
    }

    /// Plays it, and holds it against all that is promised whatever bots do.
    #[track_caller]
    fn play(self) -> Played {
        let what = &self.what;
        let honest = honest_games(&self.game, self.move_ms);
        let before = contents(&self.dir.path("bots"));
        let begun = now();
        let watch = Lateness::watch();
        let mut child = self.start();
        let mut most = Watched::default();
        until(LIMIT, what, || {
            most.look(self.arena_of(&child));
            child.try_wait().expect("a child").is_some()
        });
        let took = now() - begun;
        let late = watch.end();
        let status = child.wait().expect("a child").code();

        let left = || [processes_with(&format!("FAULTY_MARK={}", self.mark)), self.dir.processes()].concat();
        until(GONE, &format!("{what}: nothing is left of it"), || left().is_empty());
        let scratch: Vec<_> = fs::read_dir(self.dir.path("tmp")).expect("a folder").flatten().collect();
        assert!(scratch.is_empty(), "{what}: left in scratch: {scratch:?}");
        let allowed = AROUND + (self.allowed + EXTRA) * 4 + late;
        assert!(took <= allowed, "{what}: took {took:?}, more than {allowed:?} (machine late by {late:?})");
        most.assert_bounded(what);
        assert_eq!(contents(&self.dir.path("bots")), before, "{what}: the bots folder was changed");

        for place in MEETING_PLACES.map(|place| Path::new(place).join("arena-left-behind")) {
            assert!(!place.exists(), "{what}: it left {}", place.display());
        }

        let [stdout, stderr] = ["stdout", "stderr"].map(|name| fs::read(self.dir.path(name)).expect("a file"));
        let mut written = contents(&self.dir.path("results"));
        let bytes: u64 = written.values().map(|text| text.len() as u64).sum();
        assert!(bytes <= RESULTS_BYTES_MAX, "{what}: {bytes} bytes of results");
        written.extend([("stdout".to_owned(), stdout), ("stderr".to_owned(), stderr.clone())]);
        for (name, text) in &written {
            assert_harmless(&format!("{what}: {name}"), text);
        }

        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        assert!(matches!(status, Some(0 | 2 | 3)), "{what}: exit {status:?}: {stderr}");
        let games = self.dir.journal(self.game_name()).games;
        for expected in &honest {
            let game = games.iter().find(|game| game.id == expected.id);
            let game = game.unwrap_or_else(|| panic!("{what}: game {} is missing: {stderr}", expected.id));
            let of = |game: &Record| (game.moves.clone(), game.result, game.reason.clone(), game.statuses);
            assert_eq!(of(game), of(expected), "{what}: an honest game is another one");
        }
        Played { what: self.what, dir: self.dir, status, stderr, games }
    }

    fn game_name(&self) -> &str {
        self.game.split(':').next().unwrap_or_default()
    }

    fn start(&self) -> Child {
        let Self { game, move_ms, flags, .. } = self;
        let args = format!(
            "tournament --game {game} --rounds 1 --move-time {move_ms}ms --margin {MARGIN_MS}ms --quiet \
             --oversubscribe {}{}{flags}",
            if self.check { "" } else { "--no-check " },
            if flags.contains("-j ") { "" } else { "-j 2 " },
        );
        let plain = self.dir.command(&args);
        let mut command = match &self.container {
            Some(container) => container.around(&plain),
            None => plain,
        };
        let file = |name: &str| Stdio::from(fs::File::create(self.dir.path(name)).expect("a file"));
        // One that anybody would inherit who is not kept from it.
        command.env("ARENA_TEST_SECRET", SECRET).stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        command.spawn().expect("the arena starts")
    }

    /// The arena's process; in a container it is a grandchild.
    fn arena_of(&self, child: &Child) -> Option<u32> {
        let only_child = |pid: u32| children(pid).first().copied();
        let pid = child.id();
        if self.container.is_some() { only_child(pid).and_then(only_child) } else { Some(pid) }
    }
}

impl Played {
    /// The hostile bot's log, all slots.
    fn log(&self) -> String {
        let folders = fs::read_dir(self.dir.path("results")).into_iter().flatten().flatten();
        let logs = folders.map(|folder| fs::read_to_string(folder.path().join(format!("bots/{HOSTILE}.log"))));
        logs.map(Result::unwrap_or_default).collect()
    }

    fn hostile_games(&self) -> impl Iterator<Item = (&Record, usize)> {
        let seat = |game: &Record| game.bots.iter().position(|bot| bot.name == HOSTILE);
        self.games.iter().filter_map(move |game| Some((game, seat(game)?)))
    }

    /// The bot played nothing, since the check found this.
    #[track_caller]
    fn assert_left_out(&self, name: &str, says: &str) {
        let left_out = format!("left out: {name}: ");
        let line = self.stderr.lines().find(|line| line.starts_with(&left_out));
        assert!(line.is_some_and(|line| line.contains(says)), "{}: {}", self.what, self.stderr);
        assert_eq!(self.hostile_games().count(), 0, "{}", self.what);
        assert_eq!(self.status, Some(2), "{}", self.what);
    }

    #[track_caller]
    fn assert_ends(&self, ends: Ends) {
        let what = &self.what;
        let whole = self.log();
        let log: String = whole.chars().take(SHOWN_CHARS).collect();
        assert!(!whole.contains("stderr: DID "), "{what}: something worked that must not: {log}");
        assert!(!whole.contains(SECRET), "{what}: it knows our secret: {log}");
        assert_eq!(self.hostile_games().count(), 4, "{what}: {}", self.stderr);
        for (game, seat) in self.hostile_games() {
            assert_eq!(game.statuses[1 - seat], Status::Ok, "{what}: it is not the other one's fault: {game:?}");
            let evidence = game.evidence[seat].clone().unwrap_or_default();
            let message = evidence.message;
            let known = format!("{message}; stderr: {}", evidence.stderr_tail.unwrap_or_default());
            match ends {
                Ends::Loses(status, says) => {
                    assert_eq!(game.statuses[seat], status, "{what}: {message}\n{log}");
                    assert!(known.contains(says), "{what}: {known}");
                    assert!(message.chars().count() < 1_000, "{what}: a long message");
                    let won = [GameResult::SecondWins, GameResult::FirstWins][seat];
                    assert_eq!((game.result, game.reason.as_str()), (won, status.name()), "{what}");
                }
                Ends::Void(why) => {
                    assert_eq!(game.result, GameResult::Void, "{what}: {known}");
                    assert!(game.reason.contains(why), "{what}: {}", game.reason);
                }
                Ends::Plays(says) => {
                    assert_eq!(game.statuses[seat], Status::Ok, "{what}: {message}\n{log}");
                    assert!(whole.contains(says), "{what}: {log}");
                }
            }
        }
    }
}

/// The games that the honest bots play when they are among themselves; played once.
fn honest_games(game: &str, move_ms: u64) -> Vec<Record> {
    static KNOWN: Mutex<BTreeMap<(String, u64), Vec<Record>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let play = || {
        let scenario = Scenario { move_ms, ..Scenario::new("honest bots alone", game) };
        let mut child = scenario.start();
        until(LIMIT, "honest bots alone", || child.try_wait().expect("a child").is_some());
        let games = scenario.dir.journal(scenario.game_name()).games;
        assert_eq!(games.len(), 2);
        games
    };
    known.entry((game.to_owned(), move_ms)).or_insert_with(play).clone()
}

/// The most that was seen of the arena while it ran.
#[derive(Debug, Default)]
struct Watched {
    memory_kb: u64,
    files: usize,
    zombies: usize,
}

impl Watched {
    fn look(&mut self, arena: Option<u32>) {
        let Some(pid) = arena else { return };
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |line: &str| line.split_ascii_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
        let high = status.lines().find(|line| line.starts_with("VmHWM:")).and_then(field).unwrap_or(0);
        self.memory_kb = self.memory_kb.max(high);
        self.files = self.files.max(fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count));
        self.zombies = self.zombies.max(children(pid).into_iter().filter(|child| is_zombie(*child)).count());
    }

    #[track_caller]
    fn assert_bounded(&self, what: &str) {
        assert!(self.memory_kb > 0, "{what}: the arena was never seen");
        let bounded = self.memory_kb <= MEMORY_KB_MAX && self.files <= FILES_MAX && self.zombies <= ZOMBIES_MAX;
        assert!(bounded, "{what}: the arena held {self:?}");
    }
}

/// Children of a process, dead ones included.
fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok()).collect::<Vec<_>>();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(|word| word.parse().ok()).collect()
}

fn is_zombie(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// All files below a folder by their path, links and special files by what they are. Nothing if there is no folder.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let text = if kind.is_dir() {
                folders.push(path.clone());
                continue;
            } else if kind.is_file() {
                fs::read(&path).expect("a file")
            } else {
                format!("{kind:?}").into_bytes()
            };
            found.insert(path.to_string_lossy().into_owned(), text);
        }
    }
    found
}

/// Text for a terminal or an editor: nothing in it moves a cursor, hides, or turns the direction of writing.
#[track_caller]
fn assert_harmless(what: &str, text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    for line in text.split('\n') {
        assert_eq!(arena::text::escaped(line), line, "{what}: not harmless to show");
    }
}

/// Runs `command` to its end; what it wrote.
fn output(command: &mut Command) -> Option<std::process::Output> {
    command.stdin(Stdio::null()).output().ok()
}
