//! Limits and sandboxes, tested by a program that attempts what is forbidden.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use arena::guard::{self, KILL_BOUND, Limits, Overrun, Request, SandboxMode};
use rustix::io::Errno;

use super::{PATIENCE, Running, is_alive, shell, start};
use crate::faults::compiled;
use crate::hostile::lacks;
use crate::support::not_tested;

fn attacker() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("it/guard/attacker.rs", &["it/guard/attempts.rs"]))
}

/// A bots folder, results, and a bot under attack orders.
pub(super) struct Arena {
    root: tempfile::TempDir,
    request: Request,
}

impl Arena {
    pub(super) fn new(sandbox: SandboxMode) -> Self {
        // Not in /tmp, of which a bot may have a private one.
        let root = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = root.path();
        for dir in ["bots", "results", "scratch"] {
            std::fs::create_dir(path.join(dir)).unwrap();
        }
        for file in ["theirs", "book"] {
            std::fs::write(path.join("bots").join(file), "secret").unwrap();
        }
        std::fs::write(path.join("results/games.csv"), "id\n").unwrap();
        let bot = path.join("bots/mine");
        crate::support::copy_program(attacker(), &bot);
        let mut request = Request::new(&bot, &path.join("bots"), &path.join("scratch"));
        request.sandbox = sandbox;
        let hidden = [path.join("bots"), path.join("results")];
        request.readable =
            guard::readable(&bot, &[bot.clone(), path.join("bots/book")], request.env("PATH"), false, &hidden);
        Self { root, request }
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().unwrap().to_owned()
    }

    pub(super) fn start(&self) -> Running {
        let mut bot = start(&self.request).unwrap();
        assert!(bot.line().starts_with("up "));
        bot
    }
}

pub(super) fn attack(bot: &mut Running, order: &str) -> String {
    bot.say(order);
    bot.line()
}

/// Refused by the sandbox, not by chance: by Landlock or seccomp (EACCES, EPERM), and in namespaces because a process is
/// invisible (ESRCH, ENOENT) or a file is read-only (EROFS).
#[track_caller]
fn denied(bot: &mut Running, order: &str) {
    let answer = attack(bot, order);
    let is_refused = |errno: &Errno| answer.ends_with(&format!("(os error {})", errno.raw_os_error()));
    let by_namespaces: &[Errno] =
        if bot.bot.sandbox().namespaces { &[Errno::SRCH, Errno::NOENT, Errno::ROFS] } else { &[] };
    let refused = [Errno::ACCESS, Errno::PERM].iter().chain(by_namespaces).any(is_refused);
    assert!(answer.starts_with("denied") && refused, "{order}: {answer}");
}

#[track_caller]
fn done(bot: &mut Running, order: &str) {
    let answer = attack(bot, order);
    assert!(answer.starts_with("done"), "{order}: {answer}");
}

/// Attacks on files of others that work without a sandbox: in this order, since the last ones leave little.
fn on_files(arena: &Arena) -> Vec<String> {
    let path = |name: &str| arena.path(name);
    let mut orders = Vec::new();
    for name in ["bots/theirs", "results/games.csv"] {
        orders.extend(["read", "write", "attributes", "descriptor"].map(|order| format!("{order} {}", path(name))));
    }
    for name in ["bots", "results"] {
        orders.extend(["list", "attributes", "descriptor"].map(|order| format!("{order} {}", path(name))));
    }
    orders.extend([
        format!("write {}", path("results/new")),
        "read /etc/hosts".to_owned(),
        // A terminal of its own, which any program may have.
        "open-write /dev/ptmx".to_owned(),
        format!("rename {} {}", path("results/games.csv"), path("results/gone")),
        format!("remove {}", path("bots/theirs")),
    ]);
    orders
}

/// The same for another process.
fn on_process(pid: i32) -> Vec<String> {
    let orders =
        ["kill PID 0", "limit PID", "pin PID", "renice 0 PID", "read /proc/PID/environ", "open-write /proc/PID/fd/1"];
    orders.map(|order| order.replace("PID", &pid.to_string())).into()
}

/// The same, for itself.
const ON_ITSELF: [&str; 4] = ["socket 1 1", "socket 2 2", "pin 0", "renice 0 0"];

/// Attempts that are denied in a sandbox, and some that work.
fn try_everything(sandbox: SandboxMode) {
    let arena = Arena::new(sandbox);
    let (opponent, _scratch) = shell("echo up; read word");
    let mut opponent = start(&opponent).unwrap();
    assert_eq!(opponent.line(), "up");
    let them = opponent.bot.family().bot().as_raw_nonzero();
    let me = std::process::id();
    let mut bot = arena.start();
    assert!(bot.bot.sandbox().seccomp, "{:?}", bot.bot.sandbox());

    for order in on_files(&arena).into_iter().chain(on_process(them.get())).chain(on_process(me.cast_signed())) {
        denied(&mut bot, &order);
    }
    for order in ON_ITSELF {
        denied(&mut bot, order);
    }
    // Calls that some systems refuse anyway, or that no bot should be able to make: the first affects all processes of the user.
    for order in [
        "renice 2 0".to_owned(),
        format!("write {}", arena.path("bots/book")),
        "open-write /etc/passwd".to_owned(),
        "read /etc/shadow".to_owned(),
        "open-write /proc/sys/kernel/core_pattern".to_owned(),
        "read /dev/tty".to_owned(),
    ] {
        denied(&mut bot, &order);
    }
    // Not even its own: a bot that can change a file's metadata could be its opponent as well.
    for name in ["bots/mine", "scratch"] {
        denied(&mut bot, &format!("attributes {}", arena.path(name)));
        denied(&mut bot, &format!("descriptor {}", arena.path(name)));
    }
    // A link out of the scratch folder leads nowhere.
    done(&mut bot, &format!("link {} {}", arena.path("results/games.csv"), arena.path("scratch/link")));
    denied(&mut bot, &format!("write {}", arena.path("scratch/link")));
    for pid in [i64::from(them.get()), i64::from(me)] {
        for order in ["kill PID 19", "trace PID", "peek PID"] {
            denied(&mut bot, &order.replace("PID", &pid.to_string()));
        }
        for file in ["fd/0", "fd/1", "mem"] {
            denied(&mut bot, &format!("read /proc/{pid}/{file}"));
            denied(&mut bot, &format!("open-write /proc/{pid}/{file}"));
        }
    }
    denied(&mut bot, "raise-limits");
    for family in [1, 2, 10, 16, 17, 40] {
        for kind in [1, 2] {
            denied(&mut bot, &format!("socket {family} {kind}"));
        }
    }
    for order in ["ring", "keys", "bpf", "unshare", "shm"] {
        denied(&mut bot, order);
    }
    for order in ["pair", "kill 0 0", "read /dev/urandom", "write /dev/null", "read /proc/self/stat"] {
        done(&mut bot, order);
    }
    for name in ["bots/mine", "bots/book"] {
        done(&mut bot, &format!("read {}", arena.path(name)));
    }
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
    let pid = bot.bot.family().bot().as_raw_nonzero().get();
    drop(bot);
    assert!(!is_alive(pid));
    try_everything(SandboxMode::Strict);
}

#[test]
fn without_a_sandbox_the_attacks_work_so_the_tests_above_show_something() {
    let arena = Arena::new(SandboxMode::Off);
    let mut bot = arena.start();
    let (opponent, _scratch) = shell("echo up; read word");
    let mut opponent = start(&opponent).unwrap();
    assert_eq!(opponent.line(), "up");
    let them = opponent.bot.family().bot().as_raw_nonzero().get();
    let on_itself = ON_ITSELF.map(str::to_owned);
    for order in on_files(&arena).into_iter().chain(on_process(them)).chain(on_itself) {
        done(&mut bot, &order);
    }
    done(&mut bot, &format!("kill {} 0", std::process::id()));
}

#[test]
fn limits_are_in_force() {
    let mut arena = Arena::new(SandboxMode::Auto);
    arena.request.limits = Limits { open_files: 40, file_mb: 1, memory_mb: 64, cpu_s: 30, ..Limits::default() };
    let mut bot = arena.start();
    assert_eq!(attack(&mut bot, "open"), "done 40");
    let refused = attack(&mut bot, "reserve 5000");
    assert!(refused.ends_with(&format!("(os error {})", Errno::NOMEM.raw_os_error())), "{refused}");
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
fn no_limit_on_descriptors_weakens_the_sandbox() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("fences under low limits", why);
    }
    let mut arena = Arena::new(SandboxMode::Auto);
    let fences = arena.start().bot.sandbox().clone();
    let mut up = 0;
    for open_files in 1..=16 {
        arena.request.limits = Limits { open_files, ..Limits::default() };
        let mut bot = start(&arena.request).unwrap();
        assert_eq!(*bot.bot.sandbox(), fences, "{open_files}");
        // With less than that no program finds its libraries.
        if bot.line().starts_with("up ") {
            up += 1;
            denied(&mut bot, &format!("read {}", arena.path("bots/theirs")));
            denied(&mut bot, &format!("write {}", arena.path("results/games.csv")));
        }
    }
    assert!(up > 12, "{up}");
}

/// Three checks of a guard.
const CHECKS: std::time::Duration = std::time::Duration::from_millis(350);

#[test]
fn memory_is_counted_and_its_hoarder_killed() {
    for order in ["shared 4000", "private 4000"] {
        let mut arena = Arena::new(SandboxMode::Auto);
        arena.request.limits.memory_mb = 64;
        let mut bot = arena.start();
        bot.say(order);
        let exited = bot.bot.wait_exited(PATIENCE).unwrap().clone();
        assert_eq!((exited.signal, exited.overrun), (Some(9), Some(Overrun::OutOfMemory)), "{order}");
        // It was caught on its way.
        assert!((64 << 10..2_000 << 10).contains(&exited.used.memory.held_kb), "{order}: {exited:?}");
        // It was killed already. On a busy machine the kernel may take longer than the bound to take back what it held.
        let cleared = bot.bot.kill().cleared.unwrap();
        let is_bound_over = u128::from(cleared.kill_us) >= KILL_BOUND.as_micros();
        assert!(cleared.survivors == 0 || is_bound_over, "{order}: {cleared:?}");
    }
}

#[test]
fn memory_that_is_shared_between_processes_is_counted_once() {
    for kind in ["shared", "private"] {
        let mut arena = Arena::new(SandboxMode::Auto);
        arena.request.limits.memory_mb = 200;
        let mut bot = arena.start();
        done(&mut bot, &format!("{kind} 100"));
        // Four processes that seem to hold 100 MiB each and hold 100 together.
        assert_eq!(attack(&mut bot, "fork 3"), "done 3");
        assert!(bot.bot.wait_exited(CHECKS).is_none(), "{kind}");
        let peak = bot.bot.look(&arena.request.limits).memory;
        assert!((100 << 10..180 << 10).contains(&peak.held_kb), "{kind}: {peak:?}");
        assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
    }
}

#[test]
fn what_is_only_reserved_does_not_count_nor_do_files_that_are_mapped() {
    let mut arena = Arena::new(SandboxMode::Auto);
    arena.request.limits.memory_mb = 64;
    let book = arena.path("bots/book");
    std::fs::File::create(&book).unwrap().set_len(200 << 20).unwrap();
    let mut bot = arena.start();
    done(&mut bot, "reserve 4000");
    done(&mut bot, &format!("map {book}"));
    // Of shared memory the machine tells only how much all have that is in use.
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
    let all_kb =
        meminfo.lines().find_map(|line| line.strip_prefix("Shmem:")?.trim_end_matches("kB").trim().parse().ok());
    if all_kb.is_some_and(|all_kb: u64| all_kb < 40 << 10) {
        done(&mut bot, "reserve-shared 4000");
    } else {
        not_tested("shared memory that is only reserved", "others use much of it");
    }
    assert!(bot.bot.wait_exited(CHECKS).is_none());
    let peak = bot.bot.look(&arena.request.limits).memory;
    assert!(peak.held_kb < 50 << 10 && (4_000 << 10..5_000 << 10).contains(&peak.reserved_kb), "{peak:?}");
}

#[test]
fn processes_are_bounded() {
    for sandbox in [SandboxMode::Auto, SandboxMode::Strict] {
        let mut arena = Arena::new(sandbox);
        arena.request.limits.processes = 20;
        let mut bot = match start(&arena.request) {
            Ok(bot) => bot,
            Err(failed) => {
                assert!(sandbox == SandboxMode::Strict && failed.is_ours(), "{sandbox}: {failed}");
                not_tested("processes under strict", &failed.to_string());
                continue;
            }
        };
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

#[test]
fn as_many_processes_as_allowed_may_live() {
    for sandbox in [SandboxMode::Auto, SandboxMode::Strict] {
        let mut arena = Arena::new(sandbox);
        arena.request.limits.processes = 20;
        let mut bot = match start(&arena.request) {
            Ok(bot) => bot,
            Err(failed) => {
                assert!(sandbox == SandboxMode::Strict && failed.is_ours(), "{sandbox}: {failed}");
                not_tested("processes under strict", &failed.to_string());
                continue;
            }
        };
        bot.line();
        let (family, mut visited) = (bot.bot.family(), 0);
        family.inspect(|_| {
            visited += 1;
            true
        });
        assert_eq!([visited, family.count(9)], [1, 1], "{sandbox}: what is ours is none of the bot's");
        assert_eq!(attack(&mut bot, "fork 19"), "done 19", "{sandbox}");
        assert_eq!([family.count(2), family.count(99)], [2, 20], "{sandbox}");
        // The guard's checks find no fault in it.
        assert!(bot.bot.wait_exited(std::time::Duration::from_millis(350)).is_none(), "{sandbox}");
        assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
    }
}

/// Only where the kernel limits it: in a process namespace with its own limit, or as an ordinary user.
#[test]
fn a_fork_bomb_is_ended_within_the_bound() {
    let mut arena = Arena::new(SandboxMode::Strict);
    arena.request.limits = Limits { processes: 60, cpu_s: 5, ..Limits::default() };
    let mut bot = match start(&arena.request) {
        Ok(bot) => bot,
        Err(failed) => {
            assert!(failed.is_ours(), "{failed}");
            return not_tested("a fork bomb", &failed.to_string());
        }
    };
    bot.line();
    if attack(&mut bot, "read /proc/sys/kernel/pid_max") != "done 1" || !pid_max_is_per_namespace() {
        return not_tested("a fork bomb", "this kernel does not bound the processes of a namespace (Linux 6.14 does)");
    }
    bot.say("bomb");
    // On a busy machine the guard may end it before the first process replies.
    if !bot.line().starts_with("done") {
        let exited = bot.bot.wait_exited(PATIENCE).unwrap();
        assert_eq!(exited.overrun, Some(Overrun::TooManyProcesses));
    }
    // Beyond the limit it gives up and reports how many are left; a report that came too late would leave `cleared` empty.
    let cleared = bot.bot.kill().cleared.unwrap();
    assert_eq!(cleared.survivors, 0, "{cleared:?}");
}

fn pid_max_is_per_namespace() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(6), Some(14))
}
