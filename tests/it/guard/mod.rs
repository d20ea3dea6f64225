//! Bots under guard: real processes, no sleeping. Tests wait for what a bot prints.
#![expect(clippy::unwrap_used, reason = "all of this is test code, not only what is marked as a test")]

mod bounds;
mod calls;
pub(crate) mod denied;
mod doctor;
mod family;
mod languages;
mod referee;
mod shm;

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use arena::guard::{self, Guarded, Readable, Request, SandboxMode, StartFailed, StartStage};
use rustix::event::{PollFd, PollFlags, poll};

use crate::hostile::lacks;
use crate::support::not_tested;

/// Long enough for an overloaded machine; tests never wait for it to pass.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A bot that runs, and what it prints.
pub(crate) struct Running {
    pub(crate) bot: Guarded,
    pub(crate) stdin: Option<std::fs::File>,
    pub(crate) stdout: BufReader<std::fs::File>,
    pub(crate) stderr: OwnedFd,
    _scratch: Option<tempfile::TempDir>,
}

impl Running {
    /// The next line it prints; empty at the end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// All that it prints from now on.
    pub(crate) fn rest(&mut self) -> String {
        self.stdin = None;
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        text
    }

    /// Ends it; returns all that it has written to stderr.
    pub(crate) fn complaint(&mut self) -> String {
        let _ = self.bot.kill();
        let mut complaint = String::new();
        std::fs::File::from(self.stderr.try_clone().unwrap()).read_to_string(&mut complaint).unwrap();
        complaint
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

/// A request for `sh -c SCRIPT` in a scratch folder of its own.
pub(crate) fn shell(script: &str) -> (Request, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let mut request = Request::new(Path::new("sh"), scratch.path(), scratch.path());
    request.args = vec!["-c".into(), script.into()];
    (request, scratch)
}

pub(crate) fn start(request: &Request) -> Result<Running, StartFailed> {
    let (bot, pipes) = guard::spawn(&crate::support::guard(), request)?;
    Ok(Running {
        bot,
        stdin: Some(pipes.stdin.into()),
        stdout: BufReader::new(pipes.stdout.into()),
        stderr: pipes.stderr,
        _scratch: None,
    })
}

pub(crate) fn run(script: &str) -> Running {
    let (request, scratch) = shell(script);
    Running { _scratch: Some(scratch), ..start(&request).unwrap() }
}

/// Whether there is a process of this number that is not dead.
pub(crate) fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X']))
}

fn failure(program: &Path) -> StartFailed {
    let (mut request, _scratch) = shell("");
    request.program = program.into();
    request.args.clear();
    start(&request).err().unwrap()
}

#[test]
fn a_bot_uses_its_pipes_and_its_exit_is_reported() {
    let mut bot = run("read word; echo heard $word; echo complaint >&2; exit 7");
    assert!(bot.bot.wait_exited(std::time::Duration::ZERO).is_none());
    bot.say("hello");
    assert_eq!(bot.line(), "heard hello");
    let exited = bot.bot.wait_exited(PATIENCE).unwrap().clone();
    assert_eq!((exited.code, exited.signal, exited.overrun), (Some(7), None, None));
    let ending = bot.bot.kill();
    assert_eq!(ending.cleared.unwrap().leftovers, 0);
    assert_eq!(bot.complaint(), "complaint\n");
}

#[test]
fn the_exit_descriptor_is_readable_once_the_bot_has_ended_and_stays_so() {
    let mut bot = run("read word; kill -SEGV $$");
    let ready = |bot: &Running| {
        let fd = bot.bot.exit_fd().unwrap();
        poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&rustix::event::Timespec::default())).unwrap()
    };
    assert_eq!(ready(&bot), 0);
    bot.say("die");
    assert_eq!(bot.bot.wait_exited(PATIENCE).unwrap().signal, Some(11));
    assert_eq!(ready(&bot), 1);
    assert_eq!(ready(&bot), 1);
}

#[test]
fn a_start_that_fails_says_at_which_step_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };
    let check = |path: &Path, stage: StartStage, errno: i32| {
        let failed = failure(path);
        assert_eq!((failed.stage, failed.errno), (stage, errno), "{failed}");
        assert!(!failed.is_ours(), "{failed}");
    };
    check(Path::new("no-such-program"), StartStage::Program, libc_errno("ENOENT"));
    check(&dir.path().join("absent"), StartStage::Exec, libc_errno("ENOENT"));
    check(&file("no-x", "#!/bin/sh\n", 0o644), StartStage::Exec, libc_errno("EACCES"));
    check(&file("no-shebang", "echo hi\n", 0o755), StartStage::Exec, libc_errno("ENOEXEC"));
    check(&file("empty", "", 0o755), StartStage::Exec, libc_errno("ENOEXEC"));
    check(&file("crlf", "#!/bin/sh\r\n", 0o755), StartStage::Exec, libc_errno("ENOENT"));
    check(dir.path(), StartStage::Exec, libc_errno("EACCES"));

    let (mut request, _scratch) = shell("");
    request.dir = dir.path().join("gone").into();
    assert_eq!(start(&request).err().unwrap().stage, StartStage::Folder);
    let (mut request, _scratch) = shell("");
    request.scratch = file("taken", "", 0o644).into();
    let failed = start(&request).err().unwrap();
    assert_eq!(failed.stage, StartStage::Scratch);
    assert!(failed.is_ours(), "{failed}");
}

fn libc_errno(name: &str) -> i32 {
    use rustix::io::Errno;
    match name {
        "ENOENT" => Errno::NOENT.raw_os_error(),
        "EACCES" => Errno::ACCESS.raw_os_error(),
        "ENOEXEC" => Errno::NOEXEC.raw_os_error(),
        other => panic!("{other} is not in this list"),
    }
}

#[test]
fn a_program_that_is_still_being_written_is_tried_again() {
    use rustix::fs::inotify;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bot");
    std::fs::copy("/bin/true", &path).unwrap();
    let open_for_writing = || std::fs::File::options().append(true).open(&path).unwrap();
    let busy = (StartStage::Exec, rustix::io::Errno::TXTBSY.raw_os_error());
    let writer = open_for_writing();
    let failed = failure(&path);
    assert_eq!((failed.stage, failed.errno), busy);
    drop(writer);

    // Let go of when it has been tried once, it starts; unless this machine is too busy to let go of it in time.
    let (mut request, _scratch) = shell("");
    request.program = path.clone().into();
    request.args.clear();
    let starts_once_it_is_written = || {
        let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
        let writer = open_for_writing();
        inotify::add_watch(&watch, &path, inotify::WatchFlags::CLOSE_NOWRITE).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let limit = rustix::event::Timespec::try_from(PATIENCE).unwrap();
                let mut tried = [PollFd::new(&watch, PollFlags::IN)];
                assert_eq!(poll(&mut tried, Some(&limit)).unwrap(), 1, "nobody has tried it");
                drop(writer);
            });
            match start(&request) {
                Ok(_) => true,
                Err(failed) => {
                    assert_eq!((failed.stage, failed.errno), busy);
                    false
                }
            }
        })
    };
    assert!((0..20).any(|_| starts_once_it_is_written()));
}

#[test]
fn nothing_is_inherited_but_the_three_pipes_and_a_clean_environment() {
    // A descriptor that programs inherit: not closed on exec.
    let leak = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let mut bot = run(
        "for fd in $(seq 3 200); do readlink /proc/$$/fd/$fd; done; echo end; umask; env | cut -d= -f1 | sort | tr '\\n' ' '",
    );
    assert_eq!(bot.line(), "end");
    assert_eq!(bot.line(), "0077");
    assert_eq!(bot.line(), "HOME LANG PATH PWD PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED TMPDIR");
}

/// Its guard was started ahead, by a thread that may run elsewhere.
#[test]
fn a_bot_runs_where_the_thread_that_starts_it_may() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let all = sched_getaffinity(None).unwrap();
    for processor in (0..CpuSet::MAX_CPU).filter(|processor| all.is_set(*processor)).take(4) {
        let pinned = std::thread::spawn(move || {
            let mut set = CpuSet::new();
            set.set(processor);
            sched_setaffinity(None, &set).unwrap();
            run("grep Cpus_allowed_list: /proc/self/status").line()
        });
        assert_eq!(pinned.join().unwrap(), format!("Cpus_allowed_list:\t{processor}"));
    }
}

#[test]
fn the_scratch_folder_is_made_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (mut request, outer) = shell("cd && pwd && touch here");
    let scratch = outer.path().join("a/b");
    request.scratch = scratch.clone().into();
    request.set_env("HOME", &scratch);
    let mut bot = start(&request).unwrap();
    assert_eq!(bot.line(), scratch.to_str().unwrap());
    bot.bot.wait_exited(PATIENCE).unwrap();
    assert!(scratch.join("here").exists());
    assert_eq!(std::fs::metadata(&scratch).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn signals_have_their_default_effect_and_none_is_blocked() {
    let mut bot =
        run("sed -n '/^Sig[BIC]/p' /proc/self/status; cat /proc/self/oom_score_adj; grep NoNewPrivs /proc/self/status");
    for name in ["SigBlk", "SigIgn", "SigCgt"] {
        assert_eq!(bot.line(), format!("{name}:\t0000000000000000"));
    }
    assert_eq!(bot.line(), "1000");
    assert_eq!(bot.line(), "NoNewPrivs:\t1");
}

#[test]
fn a_daemon_in_a_session_of_its_own_goes_with_its_bot() {
    let mut bot = run("(setsid sh -c 'echo $$; exec sleep 1000' &) ; read word");
    let daemon: i32 = bot.line().parse().unwrap();
    assert!(is_alive(daemon));
    let cleared = bot.bot.kill().cleared.unwrap();
    assert!(!is_alive(daemon));
    assert!(cleared.leftovers >= 1 && cleared.survivors == 0, "{cleared:?}");
    assert!(cleared.kill_us < 500_000, "{cleared:?}");
}

#[test]
fn what_a_bot_leaves_behind_when_it_exits_is_removed_at_once() {
    let mut bot = run("setsid sleep 1000 & echo $!; exit 0");
    let daemon: i32 = bot.line().parse().unwrap();
    assert_eq!(bot.bot.wait_exited(PATIENCE).unwrap().code, Some(0));
    let cleared = bot.bot.kill().cleared.unwrap();
    assert_eq!((cleared.leftovers, cleared.survivors), (1, 0));
    assert!(!is_alive(daemon));
}

#[test]
fn a_bot_that_stops_itself_or_ignores_signals_is_killed() {
    for script in ["trap '' TERM INT HUP; echo up; read word", "echo up; kill -STOP $$"] {
        let mut bot = run(script);
        assert_eq!(bot.line(), "up");
        assert_eq!(bot.bot.kill().exited.unwrap().signal, Some(9));
    }
}

#[test]
fn killing_again_says_the_same() {
    let mut bot = run("read word");
    let first = bot.bot.kill();
    assert_eq!(first.exited.as_ref().unwrap().signal, Some(9));
    assert_eq!(bot.bot.kill(), first);
}

#[test]
fn a_request_that_is_too_long_is_refused_by_name() {
    let (mut request, _scratch) = shell("");
    request.set_env("LONG", "x".repeat(2_000_000));
    let failed = start(&request).err().unwrap();
    assert_eq!((failed.stage, failed.errno), (StartStage::Exec, rustix::io::Errno::TOOBIG.raw_os_error()));
    // The bot's own fault, not a void game.
    assert!(!failed.is_ours(), "{failed}");
    assert!(failed.detail.starts_with("arguments, environment and paths of "), "{failed}");
    assert!(failed.detail.ends_with("at most 4194304 fit"), "{failed}");

    let (mut request, _scratch) = shell("");
    let paths: Vec<String> = (0..60_000).map(|number| format!("/crowd/{}{number}", "x".repeat(80))).collect();
    request.readable = Readable::from(paths.join("\0"));
    let failed = start(&request).err().unwrap();
    assert!(failed.is_ours() && failed.detail.starts_with("/crowd holds 60000 entries beside bots"), "{failed}");
    // One that is too long only for the system is the bot's own fault.
    let (mut request, _scratch) = shell("");
    request.set_env("LONG", "x".repeat(200_000));
    assert_eq!(start(&request).err().unwrap().stage, StartStage::Exec);
}

#[test]
fn in_a_crowded_folder_all_but_what_is_hidden_can_be_read() {
    const ENTRIES: usize = 5_000;
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("a crowded folder", why);
    }
    let root = tempfile::tempdir_in("/var/tmp").unwrap();
    let tool = root.path().canonicalize().unwrap().join("tool");
    std::fs::create_dir_all(tool.join("bin")).unwrap();
    let entry = |number: usize| tool.join(format!("bin/a-program-with-a-name-that-is-rather-long-{number}"));
    for number in 0..ENTRIES {
        std::fs::write(entry(number), "").unwrap();
    }
    let [theirs, scratch] = ["bin/theirs", "scratch"].map(|name| tool.join(name));
    std::fs::write(&theirs, "").unwrap();
    let (mut request, _scratch) = shell("cat $SEEN && echo seen; cat $HIDDEN || echo hidden");
    request.scratch = scratch.into();
    request.dir = "/".into();
    request.sandbox = SandboxMode::Auto;
    request.set_env("SEEN", entry(ENTRIES - 1));
    request.set_env("HIDDEN", &theirs);
    request.set_env("PATH", std::env::join_paths([tool.join("bin"), "/usr/bin".into(), "/bin".into()]).unwrap());
    request.readable = guard::readable(Path::new("sh"), &[], request.env("PATH"), false, std::slice::from_ref(&theirs));
    assert!(request.readable.paths().count() >= ENTRIES);
    let mut bot = start(&request).unwrap();
    assert_eq!(bot.line(), "seen");
    assert_eq!(bot.line(), "hidden");
}
