//! Limits and sandboxes, tried by a program that does what it must not.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use arena::guard::{self, Limits, Overrun, Request, SandboxMode};

use super::{PATIENCE, Running, is_alive, shell, start};

/// The attacker, compiled once.
fn attacker() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("attacker");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/guard/attacker.rs");
        let rustc = option_env!("RUSTC").unwrap_or("rustc");
        let built = std::process::Command::new(rustc)
            .args(["--edition", "2024", "-Cdebuginfo=0", "-o"])
            .args([&path, &source])
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        (dir, path)
    });
    path
}

/// A bots folder, results, and a bot under attack orders.
struct Arena {
    root: tempfile::TempDir,
    request: Request,
}

impl Arena {
    fn new(sandbox: SandboxMode) -> Self {
        guard::use_program(Path::new(env!("CARGO_BIN_EXE_arena")));
        // Not in /tmp, of which a bot may have a private one.
        let root = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = root.path();
        for dir in ["bots", "results", "scratch"] {
            std::fs::create_dir(path.join(dir)).unwrap();
        }
        std::fs::write(path.join("bots/theirs"), "secret").unwrap();
        std::fs::write(path.join("results/games.csv"), "id\n").unwrap();
        let bot = path.join("bots/mine");
        std::fs::copy(attacker(), &bot).unwrap();
        let mut request = Request::new(&bot, &path.join("bots"), &path.join("scratch"));
        request.sandbox = sandbox;
        let hidden = [path.join("bots"), path.join("results")];
        request.readable = guard::readable(&bot, std::slice::from_ref(&bot), request.env("PATH"), false, &hidden);
        Self { root, request }
    }

    fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().unwrap().to_owned()
    }

    fn start(&self) -> Running {
        let mut bot = start(&self.request).unwrap();
        assert!(bot.line().starts_with("up "));
        bot
    }
}

fn attack(bot: &mut Running, order: &str) -> String {
    bot.say(order);
    bot.line()
}

#[track_caller]
fn denied(bot: &mut Running, order: &str) {
    let answer = attack(bot, order);
    assert!(answer.starts_with("denied"), "{order}: {answer}");
}

#[track_caller]
fn done(bot: &mut Running, order: &str) {
    let answer = attack(bot, order);
    assert!(answer.starts_with("done"), "{order}: {answer}");
}

/// What no sandboxed bot may do, and what it may.
fn try_everything(sandbox: SandboxMode) {
    let arena = Arena::new(sandbox);
    let (opponent, _scratch) = shell("echo up; read word");
    let mut opponent = start(&opponent).unwrap();
    assert_eq!(opponent.line(), "up");
    let them = opponent.bot.pid().as_raw_nonzero();
    let me = std::process::id();
    let mut bot = arena.start();
    assert!(bot.bot.sandbox().seccomp, "{:?}", bot.bot.sandbox());

    for name in ["bots/theirs", "bots", "results/games.csv", "results"] {
        denied(&mut bot, &format!("read {}", arena.path(name)));
        denied(&mut bot, &format!("list {}", arena.path(name)));
        denied(&mut bot, &format!("write {}", arena.path(name)));
    }
    for order in [
        format!("write {}", arena.path("bots/mine")),
        format!("write {}", arena.path("results/new")),
        format!("remove {}", arena.path("bots/theirs")),
        format!("rename {} {}", arena.path("bots/theirs"), arena.path("scratch/theirs")),
        "write /etc/passwd".to_owned(),
        "read /etc/shadow".to_owned(),
        "write /usr/bin/new".to_owned(),
        "open-write /proc/sys/kernel/core_pattern".to_owned(),
        "read /dev/mem".to_owned(),
        "read /dev/tty".to_owned(),
    ] {
        denied(&mut bot, &order);
    }
    // Not even its own: whoever may change what is kept of a file may as well be its opponent.
    for name in ["bots/theirs", "bots", "results/games.csv", "results", "bots/mine", "scratch"] {
        denied(&mut bot, &format!("attributes {}", arena.path(name)));
    }
    for name in ["bots/mine", "scratch"] {
        denied(&mut bot, &format!("descriptor {}", arena.path(name)));
    }
    // A link out of the scratch folder leads nowhere.
    done(&mut bot, &format!("link {} {}", arena.path("results/games.csv"), arena.path("scratch/link")));
    denied(&mut bot, &format!("write {}", arena.path("scratch/link")));
    for pid in [i64::from(them.get()), i64::from(me)] {
        for order in ["kill PID 0", "kill PID 19", "trace PID", "peek PID", "limit PID", "pin PID", "renice 0 PID"] {
            denied(&mut bot, &order.replace("PID", &pid.to_string()));
        }
        for file in ["fd/0", "fd/1", "mem", "environ"] {
            denied(&mut bot, &format!("read /proc/{pid}/{file}"));
            denied(&mut bot, &format!("open-write /proc/{pid}/{file}"));
        }
    }
    // Of all processes of the user at once.
    denied(&mut bot, "renice 2 0");
    denied(&mut bot, "raise-limits");
    for family in [1, 2, 10, 16, 17, 40] {
        for kind in [1, 2] {
            denied(&mut bot, &format!("socket {family} {kind}"));
        }
    }
    // Not even its own: it has the processor that it was given.
    for order in ["pin 0", "ring", "keys", "bpf", "unshare", "shm", "x32"] {
        denied(&mut bot, order);
    }
    for order in ["pair", "kill 0 0", "renice 0 0", "read /dev/urandom", "write /dev/null", "read /proc/self/stat"] {
        done(&mut bot, order);
    }
    done(&mut bot, &format!("read {}", arena.path("bots/mine")));
    done(&mut bot, &format!("write {}", arena.path("scratch/mine")));
    done(&mut bot, &format!("remove {}", arena.path("scratch/mine")));
    assert!(is_alive(them.get()));
    opponent.say("bye");
    assert_eq!(opponent.bot.wait_exited(PATIENCE).unwrap().code, Some(0));
    assert_eq!(std::fs::read_to_string(arena.path("results/games.csv")).unwrap(), "id\n");
    drop(bot);
    assert_eq!(std::fs::read_dir(arena.root.path().join("scratch")).unwrap().count(), 1);
}

#[test]
fn under_auto_a_bot_reaches_nothing_but_its_own() {
    try_everything(SandboxMode::Auto);
}

#[test]
fn under_strict_a_bot_reaches_nothing_but_its_own_and_sees_no_one_else() {
    let arena = Arena::new(SandboxMode::Strict);
    let mut bot = match start(&arena.request) {
        Ok(bot) => bot,
        // A machine that refuses namespaces refuses this mode: it must say so, and be our failure.
        Err(failed) => return assert!(failed.is_ours(), "{failed}"),
    };
    assert_eq!(bot.line(), "up 2");
    assert_eq!(attack(&mut bot, "processes"), "done 2");
    done(&mut bot, "write /tmp/private");
    done(&mut bot, "write /dev/shm/private");
    assert!(!Path::new("/tmp/private").exists());
    let pid = bot.bot.pid().as_raw_nonzero().get();
    drop(bot);
    assert!(!is_alive(pid));
    try_everything(SandboxMode::Strict);
}

#[test]
fn timers_are_refused_to_whoever_is_to_stay_stopped() {
    let mut arena = Arena::new(SandboxMode::Auto);
    done(&mut arena.start(), "timer");
    arena.request.stays_stopped = true;
    let mut bot = arena.start();
    if bot.bot.sandbox().seccomp {
        denied(&mut bot, "timer");
    }
}

#[test]
fn without_a_sandbox_the_attacks_work_so_the_tests_above_show_something() {
    let arena = Arena::new(SandboxMode::Off);
    let mut bot = arena.start();
    done(&mut bot, &format!("read {}", arena.path("bots/theirs")));
    done(&mut bot, &format!("write {}", arena.path("results/games.csv")));
    done(&mut bot, &format!("attributes {}", arena.path("bots/theirs")));
    done(&mut bot, &format!("descriptor {}", arena.path("bots/theirs")));
    done(&mut bot, "socket 1 1");
    done(&mut bot, &format!("kill {} 0", std::process::id()));
}

#[test]
fn limits_are_in_force() {
    let mut arena = Arena::new(SandboxMode::Auto);
    arena.request.limits = Limits { open_files: 40, file_mb: 1, memory_mb: 64, cpu_s: 30, ..Limits::default() };
    let mut bot = arena.start();
    assert_eq!(attack(&mut bot, "open"), "done 40");
    denied(&mut bot, "private 80");
    bot.say("exit 3");
    assert_eq!(bot.bot.wait_exited(PATIENCE).unwrap().code, Some(3));
    let (mut request, _scratch) =
        shell("ulimit -c; ulimit -t; ulimit -f; dd if=/dev/zero of=big bs=1M count=2 2>&1; echo $?");
    request.limits = arena.request.limits.clone();
    let mut bot = start(&request).unwrap();
    assert_eq!([bot.line(), bot.line()], ["0", "30"]);
    assert!(!bot.rest().ends_with("\n0\n"));
    assert!(std::fs::metadata(Path::new(&request.scratch).join("big")).unwrap().len() <= 1 << 20);
}

#[test]
fn shared_memory_is_counted_and_its_hoarder_killed() {
    let mut arena = Arena::new(SandboxMode::Auto);
    arena.request.limits.memory_mb = 64;
    let mut bot = arena.start();
    bot.say("shared 100000");
    let exited = bot.bot.wait_exited(PATIENCE).unwrap().clone();
    assert_eq!((exited.signal, exited.overrun), (Some(9), Some(Overrun::OutOfMemory)));
    assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
}

#[test]
fn memory_that_is_shared_between_processes_is_counted_once() {
    let mut arena = Arena::new(SandboxMode::Auto);
    arena.request.limits.memory_mb = 200;
    let mut bot = arena.start();
    done(&mut bot, "shared 100");
    // Four processes that seem to hold 100 MiB each and hold 100 together.
    assert_eq!(attack(&mut bot, "fork 3"), "done 3");
    // Three looks of the guard later it is still there.
    assert!(bot.bot.wait_exited(std::time::Duration::from_millis(350)).is_none());
    assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
}

#[test]
fn processes_are_bounded() {
    for sandbox in [SandboxMode::Auto, SandboxMode::Strict] {
        let mut arena = Arena::new(sandbox);
        arena.request.limits.processes = 20;
        let Ok(mut bot) = start(&arena.request) else { continue };
        bot.line();
        bot.say("fork 300");
        // Either the kernel refuses to make more, or the guard counts them and ends it.
        let answer = bot.line();
        let refused = answer.strip_prefix("done ").is_some_and(|made| made.parse::<u32>().unwrap() <= 20);
        if !refused {
            let exited = bot.bot.wait_exited(PATIENCE).unwrap();
            assert_eq!(exited.overrun, Some(Overrun::TooManyProcesses), "{sandbox}: {answer}");
        }
        assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
    }
}

/// Only where the kernel bounds it: in a process namespace with a bound of its own, or as an ordinary user.
#[test]
fn a_fork_bomb_is_ended_within_the_bound() {
    let mut arena = Arena::new(SandboxMode::Strict);
    arena.request.limits = Limits { processes: 60, cpu_s: 5, ..Limits::default() };
    let Ok(mut bot) = start(&arena.request) else { return };
    bot.line();
    if attack(&mut bot, "read /proc/sys/kernel/pid_max") != "done 1" || !pid_max_is_per_namespace() {
        return;
    }
    done(&mut bot, "bomb");
    let ending = bot.bot.kill();
    let cleared = ending.cleared.unwrap();
    assert_eq!(cleared.survivors, 0, "{cleared:?}");
}

fn pid_max_is_per_namespace() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(6), Some(14))
}
