//! A tournament of two honest bots and a hostile one, and the promises that are kept in any case.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arena::record::{GameResult, Record, Status};

use super::container::Container;
use super::rows::Ends;
use super::watched::{Watched, assert_harmless, contents};
use super::{HOSTILE, MARGIN_MS, SHORT_MS};
use crate::faults::{EXTRA, Lateness, faulty, now, processes_with};
use crate::procfs::children;
use crate::support::{Dir, LIMIT, until};

/// Maximum size of the results of a tournament with one flooding bot: a full log and little else.
const RESULTS_BYTES_MAX: u64 = 10 << 20;
/// Length of a log in the message of a failed test.
const SHOWN_CHARS: usize = 10_000;
/// Within this time all processes of a bot are gone.
const GONE: Duration = Duration::from_secs(1);
/// Additional time of a tournament of six games, while other tests keep the machine busy. The exact times of games are
/// tested in `faults`, one at a time; here only that nothing waits forever.
const AROUND: Duration = Duration::from_secs(10);
/// Not `/tmp`, of which a bot may have a private one.
const ROOT: &str = "/var/tmp";
/// Places where bots that never play each other could leave messages.
const MEETING_PLACES: [&str; 3] = ["/tmp", "/dev/shm", "/var/tmp"];
/// A value in the environment of the arena.
const SECRET: &str = "open sesame";
const HONEST: [&str; 2] = ["greedy", "random"];

/// A tournament that is about to be played.
pub(super) struct Scenario {
    pub(super) what: String,
    pub(super) dir: Dir,
    pub(super) mark: String,
    pub(super) game: String,
    pub(super) flags: String,
    pub(super) move_ms: u64,
    /// What the hostile bot is allowed to take in each game.
    pub(super) allowed: Duration,
    pub(super) container: Option<Container>,
    /// Whether bots are checked before the first game.
    pub(super) check: bool,
}

/// An arena that runs; killed if the test ends before it does.
pub(super) struct Started(Child);

impl Started {
    pub(super) fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_some()
    }

    fn code(&mut self) -> Option<i32> {
        self.0.wait().expect("a child").code()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It fails only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A tournament that was played and kept its promises.
pub(super) struct Played {
    pub(super) what: String,
    pub(super) dir: Dir,
    pub(super) status: Option<i32>,
    pub(super) stderr: String,
    pub(super) games: Vec<Record>,
}

impl Scenario {
    pub(super) fn new(what: &str, game: &str) -> Self {
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
    pub(super) fn hostile(&self, args: &str, manifest: &str) {
        let args = args.replace("ROOT", &self.dir.path("").to_string_lossy());
        let words: Vec<&str> = [faulty().to_str().expect("UTF-8")].into_iter().chain(args.split(' ')).collect();
        let text = format!("command = {words:?}\n{manifest}\nenv = {{ FAULTY_MARK = {:?} }}\n", self.mark);
        self.dir.file(&format!("bots/{HOSTILE}.toml"), text);
    }

    /// Plays it, and asserts everything that is promised for all bots.
    #[track_caller]
    pub(super) fn play(self) -> Played {
        let what = &self.what;
        let honest = honest_games(&self.game, self.move_ms, &self.flags);
        let before = contents(&self.dir.path("bots"));
        let begun = now();
        let watch = Lateness::watch();
        let mut child = self.start();
        let mut most = Watched::default();
        until(LIMIT, what, || {
            most.look(|| self.arena_of(&child));
            child.has_ended()
        });
        let took = now() - begun;
        let late = watch.end();
        let status = child.code();

        let left = || [processes_with(&format!("FAULTY_MARK={}", self.mark)), self.dir.processes()].concat();
        until(GONE, &format!("{what}: nothing is left of it"), || left().is_empty());
        let scratch: Vec<_> = fs::read_dir(self.dir.path("tmp")).expect("a folder").flatten().collect();
        assert!(scratch.is_empty(), "{what}: left in scratch: {scratch:?}");
        // On a busy machine each move may be credited one extra limit, and everything takes longer in each game.
        let allowed = AROUND + (2 * self.allowed + EXTRA + late) * 4;
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
        let games = self.dir.journal(&self.game_name()).games;
        for expected in &honest {
            let game = games.iter().find(|game| game.id == expected.id);
            let game = game.unwrap_or_else(|| panic!("{what}: game {} is missing: {stderr}", expected.id));
            let of = |game: &Record| (game.moves.clone(), game.result, game.reason.clone(), game.statuses);
            assert_eq!(of(game), of(expected), "{what}: an honest game is another one");
        }
        Played { what: self.what, dir: self.dir, status, stderr, games }
    }

    fn game_name(&self) -> String {
        self.game.replace([':', ','], "-")
    }

    pub(super) fn start(&self) -> Started {
        let Self { game, move_ms, flags, .. } = self;
        let args = format!(
            "tournament --game {game} --rounds 1 --move-time {move_ms}ms --margin {MARGIN_MS}ms --quiet \
             --oversubscribe {}{}{flags}",
            if self.check { "" } else { "--no-check " },
            // Bots that use up their time do so together.
            match () {
                () if flags.contains("-j ") => "",
                () if *move_ms == SHORT_MS => "-j 4 ",
                () => "-j 2 ",
            },
        );
        let plain = self.dir.command(&args);
        let mut command = match &self.container {
            Some(container) => container.around(&plain),
            None => plain,
        };
        let file = |name: &str| Stdio::from(fs::File::create(self.dir.path(name)).expect("a file"));
        // A descriptor that programs inherit unless prevented.
        command.env("ARENA_TEST_SECRET", SECRET).stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        Started(command.spawn().expect("the arena starts"))
    }

    /// The arena's process; in a container it is a grandchild.
    fn arena_of(&self, child: &Started) -> Option<u32> {
        let only_child = |pid: u32| children(pid).first().copied();
        let pid = child.0.id();
        if self.container.is_some() { only_child(pid).and_then(only_child) } else { Some(pid) }
    }
}

impl Played {
    /// A file of the tournament's folder; empty if there is none.
    fn result(&self, file: &str) -> String {
        let folders = fs::read_dir(self.dir.path("results")).into_iter().flatten().flatten();
        folders.map(|folder| fs::read_to_string(folder.path().join(file)).unwrap_or_default()).collect()
    }

    pub(super) fn hostile_games(&self) -> impl Iterator<Item = (&Record, usize)> {
        let seat = |game: &Record| game.bots.iter().position(|bot| bot.name == HOSTILE);
        self.games.iter().filter_map(move |game| Some((game, seat(game)?)))
    }

    /// The bot played nothing, since the check found this.
    #[track_caller]
    pub(super) fn assert_left_out(&self, name: &str, says: &str) {
        let left_out = format!("left out: {name}: ");
        let line = self.stderr.lines().find(|line| line.starts_with(&left_out));
        assert!(line.is_some_and(|line| line.contains(says)), "{}: {}", self.what, self.stderr);
        assert_eq!(self.hostile_games().count(), 0, "{}", self.what);
        assert_eq!(self.status, Some(2), "{}", self.what);
    }

    #[track_caller]
    pub(super) fn assert_ends(&self, ends: Ends<'_>) {
        let what = &self.what;
        let whole = self.result(&format!("bots/{HOSTILE}.log"));
        let log: String = whole.chars().take(SHOWN_CHARS).collect();
        assert!(!whole.contains("stderr: DID "), "{what}: something worked that must not: {log}");
        assert!(!whole.contains(SECRET), "{what}: it knows our secret: {log}");
        // Void games are followed by others in their places.
        let scheduled = self.hostile_games().filter(|(game, _)| game.repeat == 0).count();
        let table = self.result("games.csv");
        let rows: Vec<&str> = table.lines().filter(|row| row.contains(&format!(",{HOSTILE},"))).collect();
        assert_eq!(rows.len(), 4, "{what}: {}", self.stderr);
        // After three consecutive failed starts it is not started any more, and the last game may be in the table only.
        let unplayed = rows.iter().filter(|row| row.contains(",withdrawn,")).count();
        let may_be_withdrawn = matches!(ends, Ends::Loses(Status::StartupFailed, _));
        assert!(unplayed <= usize::from(may_be_withdrawn), "{what}: withdrawn too soon: {log}");
        assert!((4 - unplayed..=4).contains(&scheduled), "{what}: {scheduled} recorded: {}", self.stderr);
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
                Ends::Falls => {
                    let status = game.statuses[seat];
                    assert!(matches!(status, Status::Crashed | Status::Timeout), "{what}: {status}: {known}");
                }
                Ends::Void(why) => {
                    assert_eq!(game.result, GameResult::Void, "{what}: {known}");
                    assert!(game.reason.contains(why), "{what}: {}", game.reason);
                }
                Ends::Plays(says) => {
                    assert_eq!(game.statuses[seat], Status::Ok, "{what}: {message}\n{log}");
                    let games =
                        || self.hostile_games().map(|(game, _)| (&game.repeat, &game.moves)).collect::<Vec<_>>();
                    assert!(whole.contains(says), "{what}: {log}\n{}\n{:?}", self.stderr, games());
                }
            }
        }
    }
}

/// The games of the honest bots without a hostile one, in the same sandbox; played once.
fn honest_games(game: &str, move_ms: u64, flags: &str) -> Vec<Record> {
    static KNOWN: Mutex<BTreeMap<(String, u64, String), Vec<Record>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let play = || {
        let flags = flags.to_owned();
        let scenario = Scenario { flags, move_ms, ..Scenario::new("honest bots alone", game) };
        let mut child = scenario.start();
        until(LIMIT, "honest bots alone", || child.has_ended());
        let games = scenario.dir.journal(&scenario.game_name()).games;
        assert_eq!(games.len(), 2);
        games
    };
    known.entry((game.to_owned(), move_ms, flags.to_owned())).or_insert_with(play).clone()
}
