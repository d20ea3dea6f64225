//! Single calls, in every sandbox and without one.

use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;

use arena::guard::SandboxMode;
use rustix::io::Errno;

use super::Running;
use super::bounds::{Arena, attack};
use crate::hostile::lacks;
use crate::support::not_tested;

const OK: i32 = 0;
const PERM: i32 = Errno::PERM.raw_os_error();
const NOSYS: i32 = Errno::NOSYS.raw_os_error();
const INVAL: i32 = Errno::INVAL.raw_os_error();
const ISCONN: i32 = Errno::ISCONN.raw_os_error();
const NOTSUP: i32 = Errno::OPNOTSUPP.raw_os_error();
const FAULT: i32 = Errno::FAULT.raw_os_error();

/// A system call, its result in a sandbox, and without one unless systems differ in that.
const CALLS: &[(&str, i32, Option<i32>)] = &[
    ("setsid", OK, Some(OK)),
    ("session", 0, Some(1)),
    ("setpgid", OK, Some(OK)),
    ("datagrams", PERM, Some(OK)),
    ("raw", PERM, Some(OK)),
    ("stream", OK, Some(OK)),
    ("packets", OK, Some(OK)),
    ("send", OK, Some(OK)),
    ("sendto-null", OK, Some(OK)),
    ("sendto-high", PERM, Some(FAULT)),
    ("sendto", PERM, Some(OK)),
    ("sendmsg-stream", ISCONN, Some(ISCONN)),
    ("sendmsg-packet", OK, Some(OK)),
    ("own-end", OK, Some(OK)),
    ("outward", PERM, Some(OK)),
    ("connect", PERM, None),
    ("bind", PERM, Some(OK)),
    ("listen", PERM, None),
    ("accept", PERM, None),
    ("accept4", PERM, None),
    ("nice", PERM, Some(OK)),
    ("idle", PERM, Some(OK)),
    ("param", PERM, Some(OK)),
    ("attributes", PERM, None),
    ("ioprio", PERM, Some(OK)),
    ("timer", PERM, Some(OK)),
    ("timerfd", NOSYS, Some(OK)),
    ("setsig", PERM, Some(OK)),
    ("end-continues", PERM, Some(OK)),
    ("end-kills", OK, Some(OK)),
    ("core", PERM, None),
    ("closed", PERM, Some(OK)),
    ("aio", NOSYS, None),
    ("inotify", NOSYS, None),
    ("pipe-size", PERM, Some(OK)),
    ("pipe-size-read", OK, Some(OK)),
    ("notify", PERM, None),
    ("hint", PERM, None),
    ("listener", NOSYS, Some(FAULT)),
    ("filter", NOSYS, Some(OK)),
    ("filter-again", NOSYS, Some(OK)),
    ("filter-prctl", INVAL, Some(OK)),
    ("filter-actions", NOSYS, Some(OK)),
    ("filter-mode", OK, Some(OK)),
    ("landlock-version", NOSYS, None),
    ("landlock-rules", NOSYS, None),
    ("landlock-rule", NOSYS, None),
    ("landlock-enter", NOSYS, None),
    ("personality", PERM, Some(OK)),
    ("personality-read", OK, Some(OK)),
    ("personality-plain", OK, Some(OK)),
    ("ldt", NOSYS, None),
    ("file", OK, Some(OK)),
    ("sticky", OK, Some(OK)),
    ("reopen", OK, Some(OK)),
    ("set-user", PERM, Some(OK)),
    ("set-group", PERM, Some(OK)),
    ("unnamed", PERM, None),
    ("node", PERM, Some(OK)),
    ("fifo", OK, Some(OK)),
    ("creat", PERM, Some(OK)),
    ("old-open", PERM, Some(OK)),
    ("openat2", NOSYS, None),
    ("folder", OK, Some(OK)),
    ("folder-bits", 0, Some(0)),
    ("mincore", NOSYS, Some(OK)),
    ("cachestat", NOSYS, None),
    ("read-flags", OK, Some(OK)),
    ("read-cached", NOTSUP, None),
    ("advise", OK, Some(OK)),
    ("forget", OK, Some(OK)),
    ("page-out", INVAL, None),
];

/// Tries all calls, and compares the results with the table; whether the bot reached anything through a socket.
fn reaches_out(sandbox: SandboxMode) -> bool {
    let arena = Arena::new(sandbox);
    let path = arena.path("socket");
    let outside = UnixDatagram::bind(&path).unwrap();
    outside.set_nonblocking(true).unwrap();
    let mut bot = arena.start();
    let told = attack(&mut bot, &format!("calls {} {path}", arena.path("scratch")));
    let told = told.strip_prefix("done ").unwrap_or_else(|| panic!("the bot says {told:?}; {}", bot.complaint()));
    let mut wrong = Vec::new();
    let mut known = 0;
    for call in told.split(' ') {
        let (name, says) = call.split_once('=').unwrap();
        let (_, within, without) = CALLS.iter().find(|(call, ..)| *call == name).unwrap();
        let expected = if sandbox == SandboxMode::Off { *without } else { Some(*within) };
        known += 1;
        if expected.is_some_and(|expected| expected.to_string() != says) {
            wrong.push(format!("{call}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{sandbox}: {wrong:?}");
    assert_eq!(known, CALLS.len() - if cfg!(target_arch = "x86_64") { 0 } else { 3 });
    match outside.recv(&mut [0]) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            false
        }
    }
}

#[test]
fn every_call_is_answered_as_it_must_be_in_every_sandbox() {
    for sandbox in [SandboxMode::Auto, SandboxMode::Landlock, SandboxMode::Strict] {
        match lacks(sandbox) {
            Some(why) => not_tested(&format!("calls under {sandbox}"), why),
            None => assert!(!reaches_out(sandbox), "{sandbox}"),
        }
    }
}

#[test]
fn without_a_sandbox_calls_work_so_the_test_above_shows_something() {
    assert!(reaches_out(SandboxMode::Off));
}

/// Pending signals of all bots of a user are counted together with the arena's, whose own limit is higher.
#[test]
fn pending_signals_are_bounded_for_all_bots_of_a_user() {
    let arena = Arena::new(SandboxMode::Auto);
    let mut bot = arena.start();
    let pid = bot.bot.family().bot().as_raw_nonzero().get();
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max pending signals")).unwrap();
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 2 && numbers.iter().all(|number| *number <= 1024), "{line}");
    assert_eq!(attack(&mut bot, "kill 0 0"), "done");
}

/// Other cgroups tell how long an opponent has computed.
#[test]
fn of_all_cgroups_a_bot_reads_its_own_only() {
    for sandbox in [SandboxMode::Auto, SandboxMode::Strict] {
        if let Some(why) = lacks(sandbox) {
            not_tested(&format!("cgroups under {sandbox}"), why);
            continue;
        }
        let (opponent, arena) = (Arena::new(sandbox), Arena::new(sandbox));
        let (opponent, mut bot) = (opponent.start(), arena.start());
        assert!(attack(&mut bot, "list /sys/fs/cgroup").starts_with("denied"), "{sandbox}");
        let folder = |running: &Running| cgroup_of(running.bot.family().bot().as_raw_nonzero().get());
        let Some((own, other)) = folder(&bot).zip(folder(&opponent)).filter(|_| bot.bot.sandbox().cgroup) else {
            not_tested(&format!("cgroups of bots under {sandbox}"), "this system has none for bots");
            continue;
        };
        let mut read = |folder: &str, file: &str| attack(&mut bot, &format!("read {folder}/{file}"));
        assert_eq!(read(&own, "cpu.stat"), "done 1", "{sandbox}: {own}");
        for file in ["cpu.stat", "cgroup.procs"] {
            let told = read(&other, file);
            assert!(told.starts_with("denied"), "{sandbox}: {other}/{file}: {told}");
        }
    }
}

/// The folder of the cgroup of a process, where that hierarchy is mounted.
fn cgroup_of(pid: i32) -> Option<String> {
    let cgroups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let path = cgroups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    Some(format!("{}{path}", mount.split(' ').nth(4)?)).filter(|folder| std::path::Path::new(folder).is_dir())
}

/// Entries of `/proc` besides the bot's own processes: those that programs read when they start, and no others.
#[test]
fn under_strict_proc_shows_nothing_of_others() {
    if let Some(why) = lacks(SandboxMode::Strict) {
        return not_tested("a private /proc", why);
    }
    let arena = Arena::new(SandboxMode::Strict);
    let mut bot = arena.start();
    let told = attack(&mut bot, "proc");
    let mut shown: Vec<&str> = told.strip_prefix("done ").unwrap().split(' ').filter(|name| *name != "0").collect();
    shown.sort_unstable();
    assert_eq!(shown, ["cpuinfo", "filesystems", "meminfo", "stat", "sys", "uptime", "version"]);
    for (file, shows) in
        [("locks", "0"), ("loadavg", "0"), ("self/stat", "1"), ("meminfo", "1"), ("sys/kernel/osrelease", "1")]
    {
        // Some kernels have none of these.
        let answer = attack(&mut bot, &format!("read /proc/{file}"));
        assert!(
            answer == format!("done {shows}") || (shows == "0" && answer.starts_with("denied")),
            "{file}: {answer}"
        );
    }
    assert_eq!(attack(&mut bot, "list /proc/sys/fs"), "done 0");
    // A network of its own: no device but the one that leads back.
    assert_eq!(attack(&mut bot, "lines /proc/net/dev"), "done 3");
    assert_eq!(attack(&mut bot, "lines /proc/net/unix"), "done 1");
}
