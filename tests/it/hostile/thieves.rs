//! Rows 83 to 86 and 96: bots that take the processor from others, in tournaments with two honest bots that need a part
//! of their time. At one game a time a thief takes part in the games of others by waiting for its own.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use arena::guard::SandboxMode;
use arena::record::{Record, Status};
use rustix::process::Signal;

use super::rows::lacks;
use crate::faults::{compiled, now, processes_with, undisturbed};
use crate::support::{Dir, LIMIT, not_tested, until};

/// Time limit for removing a bot, and for responding to a signal.
const SOON: Duration = Duration::from_secs(1);
/// The numbers of the user `nobody`, on all systems.
const NOBODY: u32 = 65_534;

pub(super) fn thief() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("bots/thief.rs", &[]))
}

/// How a tournament is run.
#[derive(Debug, Clone, Copy)]
struct Ways {
    sandbox: SandboxMode,
    games_at_a_time: usize,
    /// As an ordinary user without cgroups and priority, instead of as root.
    as_nobody: bool,
    /// In a cpu cgroup of its own, where sessions have no shares.
    in_cgroup: bool,
}

const PLAIN: Ways = Ways { sandbox: SandboxMode::Auto, games_at_a_time: 1, as_nobody: false, in_cgroup: false };

/// A folder with two honest bots and a thief.
struct Heist {
    dir: Dir,
    mark: String,
    ways: Ways,
    cgroup: Option<CpuCgroup>,
}

impl Heist {
    /// A tournament whose honest bots need `work_ms` for each move; `None` if this system cannot run it in these ways.
    fn plan(kind: &str, work_ms: u32, ways: Ways) -> Option<Self> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let what = format!("{kind}, {ways:?}");
        let is_root = rustix::process::getuid().is_root();
        let cgroup = ways.in_cgroup.then(CpuCgroup::make).flatten();
        let why = match () {
            () if ways.as_nobody && !is_root => Some("only root can become somebody else"),
            () if ways.in_cgroup && cgroup.is_none() => Some("no cpu cgroup can be made here"),
            () => lacks(ways.sandbox),
        };
        if let Some(why) = why {
            not_tested(&what, why);
            return None;
        }
        let dir = Dir::with_bots_in(Path::new("/var/tmp"), &[]);
        let mark = format!("thief-{}-{}-", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let program = dir.path("thief");
        crate::support::copy_program(thief(), &program);
        let [honest, fair] = [work_ms, work_ms + 1].map(|ms| format!("honest={ms}"));
        for (name, argument) in [("honest", honest.as_str()), ("fair", &fair), ("thief", kind)] {
            let text = format!(
                "command = [{:?}, {argument:?}]\nenv = {{ FAULTY_MARK = {mark:?} }}\n",
                program.display().to_string()
            );
            dir.file(&format!("bots/{name}.toml"), text);
        }
        let heist = Self { dir, mark, ways, cgroup };
        if ways.as_nobody {
            heist.open_to_all();
        }
        Some(heist)
    }

    fn open_to_all(&self) {
        crate::support::copy_program(crate::support::arena(), self.dir.path("arena"));
        for (path, mode) in [("", 0o755), ("bots", 0o755), ("tmp", 0o777), ("arena", 0o755), ("thief", 0o755)] {
            std::fs::set_permissions(self.dir.path(path), PermissionsExt::from_mode(mode)).expect("a mode");
        }
        for bot in ["honest", "fair", "thief"] {
            let path = self.dir.path(format!("bots/{bot}.toml"));
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o644)).expect("a mode");
        }
        std::fs::create_dir(self.dir.path("results")).expect("a folder");
        rustix::fs::chown(self.dir.path("results"), Some(rustix::fs::Uid::from_raw(NOBODY)), None).expect("an owner");
    }

    fn start(&self, args: &str) -> std::process::Child {
        let Ways { sandbox, games_at_a_time, as_nobody, .. } = self.ways;
        let args = format!(
            "tournament --game tictactoe --no-check --seed 1 -j {games_at_a_time} --oversubscribe --sandbox {sandbox} {args}"
        );
        let plain = self.dir.command(&args);
        let mut words: Vec<std::ffi::OsString> = Vec::new();
        if let Some(cgroup) = &self.cgroup {
            let enter = format!("echo $$ > {}; exec \"$0\" \"$@\"", cgroup.procs());
            words.extend(["sh", "-c", &enter].map(Into::into));
        }
        if as_nobody {
            let user = format!("--reuid={NOBODY}");
            words.extend(["setpriv", &user, "--regid=65534", "--clear-groups"].map(Into::into));
            words.push(self.dir.path("arena").into());
        } else {
            words.push(plain.get_program().into());
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(plain.get_args()).current_dir(self.dir.path(""));
        command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let file = |name: &str| Stdio::from(std::fs::File::create(self.dir.path(name)).expect("a file"));
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        command.spawn().expect("the arena starts")
    }

    fn left(&self) -> Vec<String> {
        processes_with(&format!("FAULTY_MARK={}", self.mark))
    }

    /// Plays a round: all due games are played in the allowed time, and no process is left.
    #[track_caller]
    fn play(&self, move_ms: u32) -> Vec<Record> {
        let mut child = self.start(&format!("--quiet --rounds 1 --move-time {move_ms}ms"));
        let begun = now();
        until(3 * LIMIT, "the tournament ends", || child.try_wait().expect("a child").is_some());
        let took = begun.elapsed();
        until(SOON, "nothing is left", || self.left().is_empty());
        // A game that a thief loses is an ordinary game in the records.
        self.dir.arena_ends(0, "verify");
        let games = self.dir.journal("tictactoe").games;
        let rows = self.dir.read("results/tictactoe/games.csv");
        let counted = rows.lines().skip(1).filter(|row| !row.contains(",void,")).count();
        assert!(counted >= 6, "{}", self.dir.read("stderr"));
        let budget: Duration = games.iter().map(|game| budget(game, move_ms)).sum();
        // Two games at a time share it, and an ordinary user has no priority over bots.
        let has_bound = self.ways.games_at_a_time == 1 && !self.ways.as_nobody;
        assert!(took < budget || !has_bound, "{took:?} instead of {budget:?}");
        games
    }
}

/// Maximum time of a game: its limits including credit, a second for our own work, and two where a bot has to be started
/// again.
fn budget(game: &Record, move_ms: u32) -> Duration {
    let lost_by_a_fault = game.statuses.iter().any(|status| status.is_fault());
    // A late bot had its limit, and the same again as credit.
    let requests = game.played.len() as u32 + 2 * u32::from(lost_by_a_fault);
    let credited: u64 = game.played.iter().map(|played| played.credit_us).sum();
    let ours = Duration::from_secs(if lost_by_a_fault { 3 } else { 1 });
    requests * Duration::from_millis(move_ms.into()) + Duration::from_micros(credited) + ours
}

/// The thief costs the honest bots nothing.
#[track_caller]
fn assert_no_gain(what: &str, games: &[Record]) {
    for game in games {
        for seat in [0, 1] {
            let evidence = game.evidence[seat].as_ref().map(|evidence| &evidence.message);
            let is_honest = game.bots[seat].name != "thief";
            assert!(!is_honest || game.statuses[seat] == Status::Ok, "{what}: {:?}: {evidence:?}", game.bots[seat]);
        }
    }
}

#[track_caller]
fn check(kinds: &[&str], ways: Ways) {
    for kind in kinds {
        let Some(heist) = Heist::plan(kind, 20, ways) else { continue };
        let _alone = undisturbed();
        assert_no_gain(&format!("{kind}, {ways:?}"), &heist.play(500));
    }
}

/// The hardest way: without cgroups and privileges.
#[test]
fn a_bot_that_computes_off_move_takes_no_time_from_others() {
    check(&["swarm=120"], Ways { as_nobody: true, ..PLAIN });
}

/// Takes a minute: all kinds of thieves. Any two of the ways to run a tournament go together with each of their values, and
/// every kind with both values of each.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn every_way_of_stealing_time_in_every_two_ways_of_playing() {
    const AUTO: SandboxMode = SandboxMode::Auto;
    const STRICT: SandboxMode = SandboxMode::Strict;
    for (sandbox, kind, [as_nobody, in_cgroup, is_double]) in [
        (AUTO, "swarm=120", [false, false, false]),
        (AUTO, "brief=60", [false, true, false]),
        (AUTO, "threads=120", [true, false, false]),
        (STRICT, "late=120", [false, false, true]),
        (STRICT, "calls=1", [false, true, false]),
    ] {
        for is_other in [false, true] {
            // Each honest bot plays 4 games, and in 2 more the thief plays, or waits for one, beside it.
            let games_at_a_time = if is_double == is_other { 1 } else { 2 };
            let (as_nobody, in_cgroup) = (as_nobody != is_other, in_cgroup != is_other);
            check(&[kind], Ways { sandbox, games_at_a_time, as_nobody, in_cgroup });
        }
    }
}

/// System calls that run for a second after their process was told to stop. Where sessions have no shares, the bot on move
/// then has a seventeenth of its time.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn a_bot_that_cannot_be_stopped_loses_the_games_that_it_disturbs() {
    for (sandbox, as_nobody) in [(SandboxMode::Auto, false), (SandboxMode::Strict, false), (SandboxMode::Auto, true)] {
        let ways = Ways { sandbox, as_nobody, in_cgroup: true, ..PLAIN };
        let Some(heist) = Heist::plan("calls=16", 60, ways) else { continue };
        let _alone = undisturbed();
        let games = heist.play(200);
        assert_no_gain("calls=16", &games);
        let lost = games.iter().filter(|game| game.statuses.contains(&Status::Interference)).count();
        assert!(lost > 0, "{ways:?}: {:?}", games.iter().map(|game| game.statuses).collect::<Vec<_>>());
        let bots = heist.dir.read("results/tictactoe/bots.csv");
        let mut lines = bots.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let at =
            lines.next().and_then(|names| names.iter().position(|name| *name == "interference")).expect("a column");
        let told: Vec<_> = lines.map(|cells| (cells[0].to_owned(), cells[at].to_owned())).collect();
        let expected = [("fair", 0), ("honest", 0), ("thief", lost)];
        assert_eq!(told, expected.map(|(name, count)| (name.to_owned(), count.to_string())));
    }
}

/// Eight processes keep the bot from the processor, 60 the arena too: then it reads the reply late.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn a_bot_that_keeps_itself_from_the_processor_is_charged_for_it() {
    for as_nobody in [false, true] {
        for (sandbox, kind) in [(SandboxMode::Auto, "deceive=8"), (SandboxMode::Strict, "deceive=60")] {
            let ways = Ways { sandbox, as_nobody, ..PLAIN };
            let Some(heist) = Heist::plan(kind, 20, ways) else { continue };
            let _alone = undisturbed();
            let games = heist.play(100);
            let counted = games.iter().filter(|game| game.counts());
            let of_thief = counted.filter(|game| game.bots.iter().any(|bot| bot.name == "thief"));
            let lost = of_thief.clone().filter(|game| game.statuses.contains(&Status::Timeout)).count();
            assert!(lost == 4 && of_thief.count() == 4, "{kind}, {ways:?}: {games:?}");
            assert_no_gain(kind, &games);
        }
    }
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn nothing_of_a_swarm_outlives_the_arena_and_signals_are_answered() {
    for (sandbox, as_nobody) in [(SandboxMode::Auto, false), (SandboxMode::Strict, false), (SandboxMode::Auto, true)] {
        for signal in [Signal::KILL, Signal::TERM] {
            let ways = Ways { sandbox, as_nobody, games_at_a_time: 2, ..PLAIN };
            let Some(heist) = Heist::plan("swarm=120", 20, ways) else { continue };
            let _alone = undisturbed();
            let mut child = heist.start("--rounds 50 --move-time 2000ms");
            until(LIMIT, "the swarm is there", || heist.left().len() > 120);
            let arena = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(arena, signal).expect("it is there");
            if signal == Signal::TERM {
                until(SOON, "the signal is answered", || heist.dir.read("stderr").contains("stopping"));
            }
            // Signals right after the first belong to it, so a second one is sent until it is heard.
            let limit = if signal == Signal::TERM { 2 * SOON } else { SOON };
            until(limit, "nothing is left of it", || {
                // Reaped as soon as it has ended.
                let has_ended = child.try_wait().expect("a child").is_some();
                if signal == Signal::TERM && !has_ended {
                    rustix::process::kill_process(arena, signal).expect("it is there");
                }
                has_ended && heist.left().is_empty()
            });
        }
    }
}

/// A cpu cgroup of a tournament's own; removed with it.
pub(crate) struct CpuCgroup(PathBuf);

impl CpuCgroup {
    pub(super) fn make() -> Option<Self> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let all = Path::new("/sys/fs/cgroup/cpu");
        let path = all.join(format!("arena-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        (all.join("cpu.shares").exists() && std::fs::create_dir(&path).is_ok()).then_some(Self(path))
    }

    /// Sets its processor shares; a cgroup has 1024 otherwise.
    pub(super) fn set_shares(&self, shares: u32) {
        std::fs::write(self.0.join("cpu.shares"), shares.to_string()).expect("shares");
    }

    /// Allows it as much processor time as one processor has.
    pub(super) fn allow_one_processor(&self) {
        let period = std::fs::read_to_string(self.0.join("cpu.cfs_period_us")).expect("a period");
        std::fs::write(self.0.join("cpu.cfs_quota_us"), period).expect("a quota");
    }

    /// The file that moves a process into it.
    pub(super) fn procs(&self) -> String {
        self.0.join("cgroup.procs").display().to_string()
    }
}

impl Drop for CpuCgroup {
    fn drop(&mut self) {
        // It is empty by now, or the test has already failed.
        let _ = std::fs::remove_dir(&self.0);
    }
}
