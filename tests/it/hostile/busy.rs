//! Row 82: other programs keep the machine busy, and honest bots lose nothing by it.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use arena::cause::Cause;
use arena::record::{Record, Status};

use super::thieves::{CpuCgroup, thief};
use crate::faults::{now, undisturbed};
use crate::support::{Dir, LIMIT, is_installed, not_tested, until};

/// Number of busy programs for each processor that these tests may use.
const CROWD: usize = 16;

/// Ends with the process that started it, even if that one is killed.
const HOG: &str = "[ -z \"$1\" ] || echo $$ > \"$1\"; \
                   while kill -0 $PPID 2> /dev/null; do n=0; while [ $n -lt 99999 ]; do n=$((n+1)); done; done";

/// Programs that keep every processor busy, each in its own session; killed when dropped.
pub(crate) struct Hogs(Vec<Child>);

impl Hogs {
    /// Starts this many, in `cgroup` and on `processor` if given.
    pub(crate) fn start(count: usize, cgroup: Option<&CpuCgroup>, processor: Option<usize>) -> Self {
        let procs = cgroup.map_or_else(String::new, CpuCgroup::procs);
        let pinned =
            processor.map_or_else(String::new, |processor| format!("taskset -pc {processor} $$ > /dev/null; "));
        let program = pinned + HOG;
        let hog = || Command::new("setsid").args(["sh", "-c", &program, "hog", &procs]).stdin(Stdio::null()).spawn();
        let hogs = Self((0..count).map(|_| hog().expect("a hog starts")).collect());
        until(LIMIT, "all of them are busy", || hogs.0.iter().all(|hog| has_used_ticks(hog.id())));
        hogs
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            // It fails only if it has ended.
            let _ = hog.kill();
        }
        for hog in &mut self.0 {
            let _ = hog.wait();
        }
    }
}

/// Whether the kernel has counted processor time of a process.
fn has_used_ticks(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().nth(11).is_some_and(|user_ticks| user_ticks != "0")
}

/// The shipped bots, one that needs processor time, one that uses all of its time, and the starter for beginners.
fn honest_bots() -> Dir {
    let dir = Dir::new();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("bots");
    for name in ["greedy.toml", "mcts.toml", "minimax.toml", "random.toml"] {
        dir.file(&format!("bots/{name}"), std::fs::read(ours.join(name)).expect("a manifest"));
    }
    dir.builtin("thinker", "mcts playouts=100000000");
    dir.file("bots/worker.toml", format!("command = [{:?}, \"honest=4\"]", thief().display().to_string()));
    if is_installed("python3", "a bot in Python on a busy machine") {
        let bot = ours.join("starters/python/bot.py");
        dir.file("bots/python/bot.toml", "command = [\"python3\", \"bot.py\"]");
        dir.file("bots/python/bot.py", std::fs::read(bot).expect("the starter"));
    }
    dir
}

/// A program on one processor that gets `shares` of every 1000 there; busy programs get the rest. In this way it does not
/// matter how many processors the machine has and what limits it is under.
struct Starved {
    cgroup: CpuCgroup,
    /// Their cgroup must outlive them.
    _hogs: (Hogs, CpuCgroup),
    processor: usize,
}

impl Starved {
    /// `None` if there are no such cgroups here.
    fn start(shares: u32) -> Option<Self> {
        let what = "a bot that gets no processor when it starts";
        if !is_installed("taskset", what) {
            return None;
        }
        let (Some(cgroup), Some(others)) = (CpuCgroup::make(), CpuCgroup::make()) else {
            not_tested(what, "no cpu cgroup can be made here");
            return None;
        };
        cgroup.set_shares(shares);
        others.set_shares(1_000 - shares);
        let allowed = rustix::thread::sched_getaffinity(None).expect("affinity");
        let processor = (0..rustix::thread::CpuSet::MAX_CPU).rfind(|&cpu| allowed.is_set(cpu)).expect("a processor");
        let hogs = Hogs::start(2, Some(&others), Some(processor));
        Some(Self { cgroup, _hogs: (hogs, others), processor })
    }

    /// A script whose program is starved from its first line on.
    fn script(&self, program: &str) -> String {
        format!("echo $$ > {}\nexec taskset -c {} {program}", self.cgroup.procs(), self.processor)
    }

    /// Whether a program that needs 150 ms of processor time takes as long as it should, by its share.
    fn holds(&self, expected: Range<Duration>) -> bool {
        let program = self.script(&format!("{} start=150", thief().display()));
        let mut shell = Command::new("sh");
        let mut bot =
            shell.args(["-c", &program]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let began = now();
        writeln!(bot.stdin.take().expect("piped"), "{{\"type\":\"hello\"}}").expect("it listens");
        let waited = bot.wait_with_output().map(|_| began.elapsed()).expect("it ends");
        let holds = expected.contains(&waited);
        if !holds {
            not_tested("a bot that gets no processor when it starts", &format!("it took {waited:?} by itself"));
        }
        holds
    }
}

/// Games of a bot that needs 150 ms of processor time before its hello and has `startup_ms`, with `shares` of every 1000 of
/// a processor, against a bot that starts at once. Returns the games and its log; `None` if the machine does not starve it
/// as `expected`.
#[track_caller]
fn slowed_start(shares: u32, startup_ms: u32, expected: Range<Duration>) -> Option<(Vec<Record>, String)> {
    let _alone = undisturbed();
    let starved = Starved::start(shares)?;
    if !starved.holds(expected) {
        return None;
    }
    let dir = Dir::with_bots(&["random"]);
    dir.script("slowed", &starved.script(&format!("{} start=150", thief().display())));
    let command = dir.path("slowed").display().to_string();
    dir.file("bots/slowed.toml", format!("command = [{command:?}]\nstartup_ms = {startup_ms}"));
    let ended = dir.process_ends(0, "tournament --game tictactoe --rounds 1 -j 1 --no-check --sandbox off");
    let log = std::fs::read_to_string(dir.path("results/tictactoe/bots/slowed.log"));
    Some((dir.journal("tictactoe").games, log.unwrap_or_else(|error| panic!("{error}: {ended}"))))
}

/// It gets 7 % of a processor, so it starts in about 2 s: more than its limit, and well within the credit of four times that.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn a_start_is_credited_the_time_in_which_others_have_the_processor() {
    let slowly = Duration::from_millis(1_400)..Duration::from_millis(3_600);
    let Some((games, log)) = slowed_start(70, 1_000, slowly) else { return };
    assert!(games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{log}");
    assert!(log.contains(" ms credited: it was waiting for a CPU"), "{log}");
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn a_start_without_a_processor_is_tried_three_times_and_has_failed_then() {
    let slowly = Duration::from_secs(2)..Duration::MAX;
    let Some((games, log)) = slowed_start(10, 200, slowly) else { return };
    for game in &games {
        let seat = usize::from(game.bots[1].name == "slowed");
        assert_eq!(game.statuses[seat], Status::StartupFailed, "{log}");
        let evidence = game.evidence[seat].as_ref().expect("evidence");
        assert_eq!((evidence.cause, evidence.load.is_some()), (Some(Cause::Starved), true), "{evidence:?}");
        assert!(evidence.message.ends_with(", in try 3 of 3"), "{evidence:?}");
    }
    for number in [1, 2] {
        let said = format!("), in try {number} of 3; a new process is started");
        assert_eq!(log.matches(&said).count(), games.len(), "{log}");
    }
}

#[track_caller]
fn no_fault_is_counted(crowd: usize, cgroup: Option<&CpuCgroup>) {
    let dir = honest_bots();
    let _alone = undisturbed();
    let hogs = Hogs::start(crowd, cgroup, None);
    let arena = dir.start("tournament --game tictactoe --rounds 1 --move-time 100ms --no-check --quiet");
    if let Some(cgroup) = cgroup {
        // It may have started already; its later children are in the cgroup too.
        std::fs::write(cgroup.procs(), arena.pid().to_string()).expect("the arena moves");
    }
    let ended = arena.wait(2 * LIMIT);
    drop(hogs);
    assert_eq!(ended.status, Some(0), "{ended}");
    let games = dir.journal("tictactoe").games;
    let counted: Vec<_> = games.iter().filter(|game| game.counts()).collect();
    let bots = std::fs::read_dir(dir.path("bots")).expect("a folder").count();
    assert_eq!(counted.len(), bots * (bots - 1), "{ended}");
    for game in counted {
        assert!(!game.statuses.iter().any(|status| status.is_fault()), "{:?}: {:?}", game.bots, game.evidence);
    }
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn on_a_busy_machine_no_fault_of_an_honest_bot_is_counted() {
    no_fault_is_counted(CROWD * processors(), None);
}

/// As in a container: every program has the same share of the processor, in any session.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn nor_is_any_where_sessions_have_no_shares() {
    let Some(cgroup) = CpuCgroup::make() else {
        not_tested("a busy machine without shares of sessions", "no cpu cgroup can be made here");
        return;
    };
    no_fault_is_counted(CROWD * processors(), Some(&cgroup));
}

/// As in a container with `--cpus=1`: time and again nothing in it runs, neither bots nor the arena.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn nor_is_any_under_a_quota_of_processor_time() {
    let Some(cgroup) = CpuCgroup::make() else {
        not_tested("a quota of processor time", "no cpu cgroup can be made here");
        return;
    };
    cgroup.allow_one_processor();
    no_fault_is_counted(CROWD * 3 / 2, Some(&cgroup));
}

/// The processors that these tests may use, at most 8.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(8))
}
