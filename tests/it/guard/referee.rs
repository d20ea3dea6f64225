//! What happens when the referee or a guard is killed. A second process of this test program stands in for the referee.

use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

use arena::guard;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{is_alive, shell, start};

const ROLE: &str = "ARENA_TEST_ROLE";

/// The stand-in, what it says, and its folder for temporary files, which it leaves behind when it is killed.
fn stand_in(role: &str) -> (std::process::Child, BufReader<std::process::ChildStdout>, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "guard::referee::be_a_referee", "--nocapture"])
        .env(ROLE, role)
        .env("TMPDIR", scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    (child, stdout, scratch)
}

/// The numbers in the next line that begins with `word`; the test harness prints as well.
fn numbers_after(stdout: &mut impl BufRead, word: &str) -> Vec<i32> {
    for line in stdout.lines() {
        let line = line.unwrap();
        if let Some((_, rest)) = line.split_once(word) {
            return rest.split_ascii_whitespace().map(|number| number.parse().unwrap()).collect();
        }
    }
    panic!("the stand-in did not say {word}");
}

/// Not a test: the code that the stand-in runs.
#[test]
#[expect(clippy::print_stdout, reason = "how it tells the test")]
fn be_a_referee() {
    let Ok(role) = std::env::var(ROLE) else { return };
    // What was there before it became the referee.
    let mut earlier = (role == "sweep").then(|| Command::new("setsid").args(["sleep", "1000"]).spawn().unwrap());
    guard::harden_referee();
    let (request, _scratch) = shell("setsid sleep 1000 & echo $!; read word");
    let mut bot = start(&request).unwrap();
    let daemon: i32 = bot.line().parse().unwrap();
    let pid = bot.bot.family().bot().as_raw_nonzero().get();
    println!("pids: {pid} {daemon}");
    if role == "hold" {
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let guard_pid = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    rustix::process::kill_process(Pid::from_raw(guard_pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    let ending = bot.bot.kill();
    let (swept, known) = (!is_alive(pid) && !is_alive(daemon), ending.cleared.is_some());
    let spared = earlier.as_mut().is_some_and(|child| child.try_wait().unwrap().is_none());
    println!("swept: {} {} {}", i32::from(swept), i32::from(known), i32::from(spared));
    if let Some(mut child) = earlier {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn all_bots_die_with_a_referee_that_is_killed() {
    let (mut referee, mut stdout, _scratch) = stand_in("hold");
    let fds: Vec<_> = numbers_after(&mut stdout, "pids: ")
        .into_iter()
        .map(|pid| pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()).unwrap())
        .collect();
    assert_eq!(fds.len(), 2);
    referee.kill().unwrap();
    referee.wait().unwrap();
    for fd in fds {
        let limit = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
        let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&limit)).unwrap(), 1);
    }
}

#[test]
fn when_a_guard_is_killed_its_bot_dies_and_the_referee_sweeps_up_the_rest() {
    let (mut referee, mut stdout, _scratch) = stand_in("sweep");
    numbers_after(&mut stdout, "pids: ");
    assert_eq!(numbers_after(&mut stdout, "swept: "), [1, 0, 1]);
    referee.wait().unwrap();
}
