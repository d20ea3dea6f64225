//! The private `/dev/shm` of a bot, where the system allows it.

use std::path::Path;
use std::process::Command;

use arena::guard::{self, Overrun, Request, SandboxMode};

use super::bounds::{Arena, attack};
use super::{PATIENCE, is_alive, shell, start};
use crate::hostile::lacks;
use crate::support::{Dir, not_tested};

const FOLDER: &str = "/dev/shm";

/// Whether the system allows this user a private one.
pub(super) fn is_possible() -> bool {
    let tried = Command::new(crate::support::arena()).args([guard::COMMAND, "own-shm"]).status();
    Path::new(FOLDER).is_dir() && tried.unwrap().success()
}

/// A file in the machine's `/dev/shm`, removed when dropped.
struct OfMachine(String);

impl OfMachine {
    fn new(name: &str) -> Self {
        let path = format!("{FOLDER}/arena-test-{}-{name}", std::process::id());
        std::fs::write(&path, "x").unwrap();
        Self(path)
    }
}

impl Drop for OfMachine {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn bots_do_not_meet_in_dev_shm_and_leave_nothing_there() {
    if !Path::new(FOLDER).is_dir() {
        return not_tested(FOLDER, "there is none");
    }
    for sandbox in [SandboxMode::Auto, SandboxMode::Landlock, SandboxMode::Strict] {
        if let Some(why) = lacks(sandbox) {
            not_tested(&format!("/dev/shm under {sandbox}"), why);
            continue;
        }
        let of_machine = OfMachine::new("seen");
        let arenas = [Arena::new(sandbox), Arena::new(sandbox)];
        let [mut one, mut other] = arenas.each_ref().map(Arena::start);
        let name = format!("{FOLDER}/arena-test-{}-{sandbox}", std::process::id());
        let wrote = attack(&mut one, &format!("write {name}"));
        assert!(!Path::new(&name).exists(), "{sandbox}");
        if sandbox == SandboxMode::Strict || is_possible() {
            assert_eq!(wrote, "done", "{sandbox}");
            assert_eq!(attack(&mut one, &format!("read {name}")), "done 1");
            assert_eq!(attack(&mut one, &format!("list {FOLDER}")), "done 1");
            assert_eq!(attack(&mut other, &format!("list {FOLDER}")), "done 0");
        } else {
            assert!(wrote.starts_with("denied"), "{sandbox}: {wrote}");
        }
        // Nor through a process that sees it.
        let them = one.bot.family().bot().as_raw_nonzero().get();
        for file in [&name, &of_machine.0] {
            for root in ["", &format!("/proc/{them}/root"), &format!("/proc/{}/root", std::process::id())] {
                for order in ["read", "open-write"] {
                    let answer = attack(&mut other, &format!("{order} {root}{file}"));
                    assert!(answer.starts_with("denied"), "{sandbox}: {order} {root}{file}: {answer}");
                }
            }
        }
        assert_eq!(attack(&mut other, "kill 0 0"), "done");
        drop((one, other));
        assert!(!is_alive(them) && !Path::new(&name).exists());
        assert_eq!(std::fs::read(&of_machine.0).unwrap(), b"x");
    }
}

fn shell_in(sandbox: SandboxMode, script: &str) -> (Request, tempfile::TempDir) {
    let (mut request, scratch) = shell(script);
    request.sandbox = sandbox;
    request.readable = guard::readable(Path::new("sh"), &[], request.env("PATH"), false, &[]);
    (request, scratch)
}

#[test]
fn what_lies_in_dev_shm_counts_as_memory() {
    for (sandbox, folder) in [(SandboxMode::Auto, FOLDER), (SandboxMode::Strict, FOLDER), (SandboxMode::Strict, "/tmp")]
    {
        let is_refused = sandbox == SandboxMode::Auto && !is_possible();
        let why = lacks(sandbox).or(is_refused.then_some("this system does not let us mount"));
        if let Some(why) = why {
            not_tested(&format!("memory in {folder} under {sandbox}"), why);
            continue;
        }
        // More than fits is refused, and less leads to the end of the bot.
        let script = format!("head -c $BYTES /dev/zero > {folder}/x; echo $?; read word");
        let (mut request, _scratch) = shell_in(sandbox, &script);
        request.limits.file_mb = 0;
        request.set_env("BYTES", "80000000");
        let mut bot = start(&request).unwrap();
        assert_eq!(bot.line(), "1", "{sandbox} {folder}");
        assert!(bot.bot.wait_exited(std::time::Duration::ZERO).is_none());
        drop(bot);
        request.set_env("BYTES", "60000000");
        request.limits.memory_mb = 40;
        let mut bot = start(&request).unwrap();
        let exited = bot.bot.wait_exited(PATIENCE).unwrap();
        assert_eq!(exited.overrun, Some(Overrun::OutOfMemory), "{sandbox} {folder}");
    }
}

#[test]
fn a_bot_whose_files_lie_in_dev_shm_finds_them_there() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("bots in /dev/shm", why);
    }
    let Ok(scratch) = tempfile::tempdir_in(FOLDER) else { return not_tested("bots in /dev/shm", "there is none") };
    let script = format!("echo x > own; cat own; (echo x > {FOLDER}/arena-test) 2> /dev/null || echo refused");
    let (mut request, _scratch) = shell_in(SandboxMode::Auto, &script);
    request.dir = scratch.path().into();
    request.scratch = scratch.path().into();
    let mut bot = start(&request).unwrap();
    assert_eq!([bot.line(), bot.line()], ["x", "refused"]);
    drop(bot);
    assert_eq!(std::fs::read(scratch.path().join("own")).unwrap(), b"x\n");
}

/// Locks of Python and plain files, for a user without privileges, who is the same user inside.
#[test]
fn an_ordinary_user_gives_its_bots_a_dev_shm_of_their_own() {
    const WHAT: &str = "/dev/shm as an ordinary user";
    const POOL: &str = "import multiprocessing as m, sys; c = m.get_context(\"fork\"); q = c.Queue(); l = c.Lock(); \
                        p = c.Pool(2); print(p.map(abs, [-1, -2]), file=sys.stderr); l.acquire(); l.release(); \
                        q.put(3); print(q.get(), file=sys.stderr)";
    let nobody = (2_000_000 + std::process::id()).to_string();
    let dir = Dir::new();
    crate::support::copy_program(crate::support::arena(), dir.path("arena"));
    let own = dir.path("arena").display().to_string();
    let file = format!("{FOLDER}/arena-test-{}-user", std::process::id());
    // If the Python of these tests is in a home, other users have none.
    let path = "/usr/bin:/bin";
    let script = format!(
        "{{ echo x > {file} && cat {file}; id -u; grep -q '^CapPrm:.0*$' /proc/self/status && echo no power\n\
         if command -v python3; then python3 -c '{POOL}' && echo pool; fi; }} >&2\nexec {own} bot random"
    );
    dir.script("bots/user", &script);
    dir.script("bots/random", &format!("exec {own} bot random"));
    // The guard finds the files that it counts in there as well.
    dir.file("bots/hoard.sh", format!("head -c 60000000 /dev/zero > {FOLDER}/x || exit\nexec sleep 1000\n"));
    dir.file("bots/hoarder.toml", "command = [\"sh\", \"hoard.sh\"]\nlimits = { memory_mb = 50 }\n");
    let given = Command::new("chown").args(["-R", &nobody]).arg(dir.path("")).status();
    let run = |words: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups"]).arg(&own).args(words.split(' '));
        command.current_dir(dir.path("")).env("TMPDIR", dir.path("tmp")).env("PATH", path);
        command.stdin(std::process::Stdio::null()).output()
    };
    if !given.is_ok_and(|status| status.success()) || !run("games").is_ok_and(|output| output.status.success()) {
        return not_tested(WHAT, "this system does not let us become somebody else");
    }
    let output = run("tournament --game tictactoe --rounds 1 --no-check -j 1").unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("hoarder is withdrawn"), "{said}");
    let log = dir.read("results/tictactoe/bots/user.log");
    assert!(!Path::new(&file).exists() && log.contains(&format!("stderr: {nobody}\n")), "{log}");
    if !run("arena-guard own-shm").unwrap().status.success() {
        assert!(!log.contains("stderr: x\n") && !log.contains("stderr: pool"), "{log}");
        return not_tested(WHAT, "this system does not let users make user namespaces");
    }
    assert!(log.contains("stderr: x\n") && log.contains("stderr: no power\n"), "{log}");
    assert!(said.contains("it was ended: out of memory (limit 50 MB)"), "{said}");
    if log.contains("/python3\n") {
        for line in ["[1, 2]", "3", "pool"] {
            assert!(log.contains(&format!("stderr: {line}\n")), "{log}");
        }
    } else {
        not_tested("Python's locks as an ordinary user", "Python is not installed for all users");
    }
}
