//! What a bot may try to do to the machine, to the referee and to other bots: a part of `faulty.rs`.
//!
//! Whoever tries something says `tried WHAT` on stderr, and `DID WHAT` if it worked though it must not.

#[path = "../it/guard/attempts.rs"]
mod attempts;

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, sleep};
use std::time::Duration;

unsafe extern "C" {
    fn syscall(number: i64, ...) -> i64;
    fn fork() -> i32;
    fn vfork() -> i32;
    fn setsid() -> i32;
    fn pause() -> i32;
    fn _exit(code: i32) -> !;
    fn getppid() -> i32;
    fn signal(signal: i32, handler: usize) -> usize;
    fn kill(pid: i32, signal: i32) -> i32;
    fn setpriority(which: i32, who: u32, value: i32) -> i32;
    fn sched_setaffinity(pid: i32, size: usize, mask: *const u64) -> i32;
    fn prlimit(pid: i32, resource: i32, new: *const u64, old: *mut u64) -> i32;
    fn ptrace(request: i64, pid: i32, address: usize, data: usize) -> i64;
    fn socket(domain: i32, kind: i32, protocol: i32) -> i32;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn madvise(at: *mut u8, size: usize, advice: i32) -> i32;
    fn mprotect(at: *mut u8, size: usize, protection: i32) -> i32;
    fn prctl(option: i32, argument: u64) -> i32;
    fn socketpair(domain: i32, kind: i32, protocol: i32, fds: *mut i32) -> i32;
    fn setsockopt(fd: i32, level: i32, option: i32, value: *const i32, size: u32) -> i32;
    fn vmsplice(fd: i32, pieces: *const usize, count: usize, flags: u32) -> isize;
    fn memfd_create(name: *const i8, flags: u32) -> i32;
    fn ioctl(fd: i32, request: u64, ...) -> i32;
    fn chmod(path: *const std::ffi::c_char, mode: u32) -> i32;
    fn mkdir(path: *const std::ffi::c_char, mode: u32) -> i32;
    fn setxattr(
        path: *const std::ffi::c_char,
        name: *const std::ffi::c_char,
        value: *const u8,
        size: usize,
        flags: i32,
    ) -> i32;
    fn utimensat(dir: i32, path: *const std::ffi::c_char, times: *const [i64; 4], flags: i32) -> i32;
    fn chdir(path: *const std::ffi::c_char) -> i32;
}

#[cfg(target_arch = "x86_64")]
const SYS_EXIT: i64 = 60;
#[cfg(not(target_arch = "x86_64"))]
const SYS_EXIT: i64 = 93;
const SIGKILL: i32 = 9;
const SIGSTOP: i32 = 19;
const SIGIO: i32 = 29;
const IGNORE: usize = 1;

/// Does what `name` says; false if it is none of this file's. Whoever comes back plays on.
pub fn commit(name: &str, value: &str) -> bool {
    let number = || value.parse::<usize>().unwrap();
    match name {
        "vfork" => unsafe {
            // The parent does not wake up before its child leaves or runs a program.
            if vfork() == 0 {
                wait_for_ever()
            }
        },
        "leader" => leave_leader(|| unsafe { wait_for_ever() }),
        "zombies" => repeat(number(), |_| unsafe {
            if fork() == 0 {
                _exit(0)
            }
        }),
        "threads" => {
            let idle = || thread::Builder::new().stack_size(16 << 10).spawn(|| unsafe { wait_for_ever() });
            let made = (0..number()).take_while(|_| idle().is_ok()).count();
            eprintln!("tried threads: {made}");
            sleep(Duration::from_secs(2));
        }
        "forks" => unsafe { bomb() },
        "hop" => repeat(number(), |_| unsafe {
            if fork() == 0 {
                hop()
            }
        }),
        "daemon" => unsafe {
            if fork() == 0 {
                setsid();
                if fork() > 0 {
                    _exit(0)
                }
                for fd in 0..3 {
                    super::close(fd);
                }
                wait_for_ever()
            }
        },
        "shared" => {
            for _ in 0..number() {
                touch(0x21, 1 << 20);
            }
        }
        "reserve" => {
            // Nothing of it is touched, and most of it could not be.
            let at = unsafe { mmap(std::ptr::null_mut(), 1 << 40, 0, 0x4022, -1, 0) };
            assert!(at as isize != -1, "{}", io::Error::last_os_error());
            eprintln!("tried reserve");
        }
        // Shared memory that is in nobody's tables stays where it is.
        "forgotten" => {
            for _ in 0..number() {
                let at = touch(0x21, 1 << 20);
                assert_eq!(unsafe { madvise(at, 1 << 20, 4) }, 0);
            }
            sleep(Duration::from_secs(2));
        }
        // Memory for which nobody has a page, but the kernel a table: of zeros that are read.
        "tables" => {
            const REACH: usize = 2 << 20;
            let bytes = number() * 256 * REACH;
            let at = unsafe { mmap(std::ptr::null_mut(), bytes, 1, 0x4022, -1, 0) };
            assert!(at as isize != -1, "{}", io::Error::last_os_error());
            unsafe { madvise(at, bytes, 15) };
            for table in (0..bytes).step_by(REACH) {
                unsafe { at.add(table).read_volatile() };
            }
            sleep(Duration::from_secs(2));
        }
        "sockets" => {
            let words = vec![1; 64 << 10];
            repeat(number(), |_| {
                let mut pair = [0; 2];
                // A stream that does not wait.
                if unsafe { socketpair(1, 0x801, 0, pair.as_mut_ptr()) } < 0 {
                    return;
                }
                for fd in pair {
                    assert_eq!(unsafe { setsockopt(fd, 1, 7, &(64 << 20), 4) }, 0);
                    let mut socket = unsafe { File::from_raw_fd(fd) };
                    while socket.write(&words).is_ok() {}
                    std::mem::forget(socket);
                }
            });
            sleep(Duration::from_secs(2));
        }
        "pipes" => {
            repeat(number(), |_| {
                let Ok((read, mut write)) = io::pipe() else { return };
                let _ = write.write(&[1; 64 << 10]);
                std::mem::forget((read, write));
            });
            sleep(Duration::from_secs(2));
        }
        // A large page for each small one that is lent to a pipe.
        "lent" => {
            let (read, write) = io::pipe().unwrap();
            for _ in 0..number() {
                let at = touch(0x22, 2 << 20);
                let lent = [at as usize, 4096];
                if unsafe { vmsplice(write.as_raw_fd(), lent.as_ptr(), 1, 2) } < 0 {
                    eprintln!("tried lent: {}", io::Error::last_os_error());
                    break;
                }
            }
            std::mem::forget((read, write));
            sleep(Duration::from_secs(2));
        }
        // Each process of a chain of forks has a link to every ancestor for each of its mappings.
        "mappings" => {
            const PROCESSES: usize = 20;
            let at = touch(0x22, number() * 4096);
            for page in (0..number()).step_by(2) {
                assert_eq!(unsafe { mprotect(at.add(page * 4096), 4096, 1) }, 0);
            }
            let mut depth = 1;
            while depth < PROCESSES && unsafe { fork() } == 0 {
                depth += 1;
            }
            if depth > 1 {
                unsafe { wait_for_ever() }
            }
            sleep(Duration::from_secs(2));
        }
        "descriptors" => {
            let files: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).take(100_000).collect();
            eprintln!("tried descriptors: {}", files.len());
            std::mem::forget(files);
        }
        "litter" => litter(number()),
        "deep" => deep(number()),
        "fill" => fill(false),
        "fill-unseen" => fill(true),
        "memory-files" => {
            let mebibyte = vec![1; 1 << 20];
            repeat(number(), |_| {
                let fd = unsafe { memfd_create(c"hidden".as_ptr(), 0) };
                if fd < 0 {
                    return eprintln!("tried memory-files: {}", io::Error::last_os_error());
                }
                let written = File::options().write(true).open(format!("/proc/self/fd/{fd}")).unwrap().write(&mebibyte);
                assert!(written.is_ok());
            });
            sleep(Duration::from_secs(2));
        }
        "mapped-files" => mapped_files(number()),
        "closed" => closed(),
        "segv" => unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) },
        "shout" => drop(thread::spawn(|| {
            loop {
                let _ = io::stderr().write_all(&[b'a'; 65_536]);
            }
        })),
        "escape" => repeat(3, |_| {
            let fake =
                "\x1b[2J\x1b]0;owned\x07\u{9b}31m\u{202e}\r\x08== game over, hostile wins\nreferee: ok: no fault";
            eprintln!("tried escape {fake}");
            let _ = io::stderr().write_all(b"\xff\xfe\0\x7f\n");
        }),
        "burn" => repeat(number(), |_| {
            thread::spawn(|| {
                loop {
                    std::hint::spin_loop();
                }
            });
        }),
        "look" => look(),
        "terminal" => {
            tried("terminal", File::open("/dev/tty").is_ok());
            tried("terminal", (0..3).any(|fd| unsafe { ioctl(fd, 0x5412, b"x".as_ptr()) == 0 }));
        }
        "trespass" => trespass(Path::new(value)),
        "attributes" => attributes(Path::new(value)),
        "kill" => {
            for signal in [0, SIGSTOP, SIGKILL] {
                tried("kill", others().into_iter().any(|pid| unsafe { kill(pid, signal) == 0 }));
            }
            // Nobody else is there for it, so it may as well succeed: whoever is hit shows.
            unsafe { kill(-1, SIGKILL) };
        }
        "kill-guard" => unsafe {
            kill(getppid(), SIGKILL);
        },
        "stop-guard" => unsafe {
            kill(getppid(), SIGSTOP);
        },
        // The built-in bots, wherever they are.
        "kill-opponent" => {
            for pid in others() {
                let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                if words.windows(5).any(|word| word == b"\0bot\0") {
                    unsafe { kill(pid, SIGKILL) };
                }
            }
        }
        "slow" => {
            for pid in others() {
                tried("renice", unsafe { setpriority(0, pid as u32, 19) } == 0);
                tried("pin", unsafe { sched_setaffinity(pid, 8, &1) } == 0);
                tried("limit", unsafe { prlimit(pid, 7, [3, 3].as_ptr(), std::ptr::null_mut()) } == 0);
            }
            tried("renice", unsafe { setpriority(2, 0, 19) } == 0);
        }
        "unpin" => tried("unpin", unsafe { sched_setaffinity(0, 8, &u64::MAX) } == 0),
        "session" => {
            // It says that it worked, so whether it did is asked for.
            let is_made = attempts::session().contains(&("session", 1));
            tried("session", is_made);
        }
        "share" => worked(attempts::share(), &["nice", "idle", "param", "attributes", "ioprio", "core"]),
        "wake" => worked(attempts::share(), &["timer", "timerfd", "setsig", "end-continues"]),
        "sandboxes" => worked(
            attempts::sandboxes(),
            &["filter", "filter-again", "filter-prctl", "landlock-version", "landlock-rules"],
        ),
        "cgroups" => {
            for pid in others() {
                let cgroups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
                let paths = cgroups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
                for path in paths.filter(|path| !fs::read_to_string("/proc/self/cgroup").unwrap().contains(*path)) {
                    for mount in ["", "/unified", "/cpuacct", "/cpu,cpuacct"] {
                        let read = |file| fs::read(format!("/sys/fs/cgroup{mount}{path}/{file}")).is_ok();
                        tried("cgroup", read("cpu.stat") || read("cpuacct.usage"));
                    }
                }
            }
            tried("list cgroups", fs::read_dir("/sys/fs/cgroup").is_ok_and(|entries| entries.count() > 0));
        }
        "names" => {
            let folder = scratch();
            let told = attempts::sockets(folder.to_str().unwrap(), value);
            worked(told, &["datagrams", "raw", "outward", "sendto", "sendto-high", "connect", "bind", "listen"]);
        }
        "quotas" => {
            let folder = scratch();
            let told = attempts::quotas(folder.to_str().unwrap());
            worked(told, &["aio", "inotify", "pipe-size", "notify", "hint", "personality", "ldt"]);
            let told = attempts::files(folder.to_str().unwrap());
            worked(told, &["set-user", "set-group", "unnamed", "node", "creat", "old-open", "openat2"]);
        }
        "lease" => tried("lease", lease("lease")),
        "forge" => {
            for pid in others() {
                for fd in 0..3 {
                    let open =
                        |write: bool| File::options().read(!write).write(write).open(format!("/proc/{pid}/fd/{fd}"));
                    tried("forge", open(true).is_ok() || open(false).is_ok());
                }
            }
        }
        "trace" => {
            for pid in others() {
                // PTRACE_SEIZE.
                tried("trace", unsafe { ptrace(0x4206, pid, 0, 0) } == 0);
                for file in ["mem", "environ", "maps"] {
                    let read = || {
                        File::open(format!("/proc/{pid}/{file}"))
                            .and_then(|mut file| io::copy(&mut file, &mut io::sink()))
                    };
                    // Of a process that has ended, and is still there, an empty one can be read.
                    tried(file, read().is_ok_and(|bytes| bytes > 0));
                }
            }
        }
        "network" => {
            for family in [1, 2, 10, 16, 17, 40] {
                tried("network", (1..4).any(|kind| unsafe { socket(family, kind, 0) } >= 0));
            }
        }
        "privileges" => {
            let status = fs::read_to_string("/proc/self/status").unwrap();
            tried("privileges", !status.contains("NoNewPrivs:\t1"));
            tried("priority", unsafe { setpriority(0, 0, -5) } == 0);
            let su = Command::new("su").args(["-c", "id -u", "nobody"]).output();
            tried("set-uid", su.is_ok_and(|output| output.status.success()));
        }
        _ => return false,
    }
    true
}

/// Ends the first thread of this process, while another one goes on.
pub fn leave_leader(rest: impl FnOnce() + Send + 'static) -> ! {
    thread::spawn(rest);
    unsafe { syscall(SYS_EXIT, 0) };
    unreachable!()
}

fn tried(what: &str, worked: bool) {
    eprintln!("{} {what}", if worked { "DID" } else { "tried" });
}

/// Of the calls that were tried, these must not work.
fn worked(told: Vec<(&str, i32)>, refused: &[&str]) {
    for (name, errno) in told.into_iter().filter(|(name, _)| refused.contains(name)) {
        tried(name, errno == 0);
    }
}

fn repeat(times: usize, act: impl FnMut(usize)) {
    (0..times).for_each(act);
}

unsafe fn wait_for_ever() -> ! {
    loop {
        unsafe { pause() };
    }
}

/// Forks for ever, in all directions, in sessions of its own.
unsafe fn bomb() -> ! {
    loop {
        unsafe {
            if fork() == 0 {
                setsid();
            }
        }
    }
}

/// Is never where it was seen last: its child goes on, in a session of its own.
unsafe fn hop() -> ! {
    loop {
        unsafe {
            setsid();
            if fork() > 0 {
                _exit(0)
            }
        }
    }
}

fn touch(flags: i32, bytes: usize) -> *mut u8 {
    let at = unsafe { mmap(std::ptr::null_mut(), bytes, 3, flags, -1, 0) };
    assert!(at as isize != -1, "{}", io::Error::last_os_error());
    for page in (0..bytes).step_by(4096) {
        unsafe { at.add(page).write_volatile(1) };
    }
    at
}

/// Files of a mebibyte that are deleted, closed, and held by being mapped.
fn mapped_files(count: usize) {
    let mebibyte = vec![1; 1 << 20];
    for _ in 0..count {
        let path = scratch().join("mapped");
        fs::write(&path, &mebibyte).unwrap();
        let file = File::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(unsafe { mmap(std::ptr::null_mut(), 1 << 20, 1, 2, file.as_raw_fd(), 0) } as isize != -1);
    }
    sleep(Duration::from_secs(2));
}

/// Keeps others from looking into it: as far as it may by a call, else by a program that its user may run and not read.
fn closed() {
    let closed = unsafe { prctl(4, 0) } == 0;
    tried("be closed", closed);
    if !closed {
        let program = scratch().join("closed");
        let mut file = File::options().create_new(true).write(true).mode(0o111).open(&program).unwrap();
        io::copy(&mut File::open("/bin/sleep").unwrap(), &mut file).unwrap();
        drop(file);
        Command::new(program).arg("2").status().unwrap();
    }
    sleep(Duration::from_secs(2));
}

fn scratch() -> PathBuf {
    std::env::var_os("TMPDIR").unwrap().into()
}

fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap()
}

/// Files, closed folders in closed folders, and links to what must not be followed.
fn litter(files: usize) {
    let home = scratch();
    for number in 0..files {
        File::create(home.join(format!("f{number}"))).unwrap();
    }
    // Closed from the beginning as far as that goes, which is one folder for an ordinary user.
    for path in ["a", "a/b", "a/b/c"] {
        unsafe { mkdir(c_path(&home.join(path)).as_ptr(), 0) };
    }
    let closed = home.join("open/b/c");
    fs::create_dir_all(&closed).unwrap();
    File::create(closed.join("f")).unwrap();
    for (name, target) in
        [("root", "/"), ("up", "../.."), ("loop", "loop"), ("bots", "../../../bots"), ("zero", "/dev/zero")]
    {
        std::os::unix::fs::symlink(target, home.join(name)).unwrap();
        std::os::unix::fs::symlink(target, closed.join(name)).unwrap();
    }
    Command::new("mkfifo").arg(home.join("fifo")).status().unwrap();
    // Without a sandbox these are closed as well.
    for path in [home.join("open/b/c"), home.join("open/b"), home.join("open")] {
        unsafe { chmod(c_path(&path).as_ptr(), 0) };
    }
    eprintln!("tried litter");
}

/// Folders in folders, deeper than any path is long.
fn deep(levels: usize) {
    unsafe { chdir(c_path(&scratch()).as_ptr()) };
    for _ in 0..levels {
        let name = Path::new("dddddddddddddddd");
        // It may be there from an earlier process.
        let _ = fs::create_dir(name);
        unsafe { chdir(c_path(name).as_ptr()) };
    }
    File::create("bottom").unwrap();
    eprintln!("tried deep");
}

/// Writes file after file, each as long as it may be; `unseen` ones are deleted and held open.
fn fill(unseen: bool) {
    let mebibyte = vec![1; 1 << 20];
    let mut held = Vec::new();
    // Bounded by itself, should nobody bound it.
    for number in 0..300 {
        let path = scratch().join(format!("part{number}"));
        let Ok(mut file) = File::create(&path) else { break };
        if unseen {
            fs::remove_file(&path).unwrap();
        }
        for _ in 0..8 {
            file.write_all(&mebibyte).unwrap();
        }
        held.push(file);
        sleep(Duration::from_millis(2));
    }
    eprintln!("DID fill {}", held.len());
}

/// Tells what it was given: descriptors and the names of variables.
fn look() {
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let fd: i32 = entry.file_name().to_str().unwrap().parse().unwrap();
        let target = fs::read_link(entry.path()).unwrap_or_default();
        let own = target.starts_with("/proc");
        if fd > 2 && !own {
            eprintln!("DID inherit {fd}: {}", target.display());
        }
    }
    for (name, value) in std::env::vars() {
        eprintln!("tried look: {name}={value}");
    }
}

/// `root` is the folder that holds `bots` and `results`.
fn trespass(root: &Path) {
    let write = |path: PathBuf| File::options().append(true).create(true).open(path).is_ok();
    for path in ["results/tictactoe/games.jsonl", "results/new", "bots/new", "bots/greedy.toml", "bots/hostile.toml"] {
        tried("write", write(root.join(path)));
        tried("read", File::open(root.join(path)).is_ok());
        tried("remove", fs::remove_file(root.join(path)).is_ok());
    }
    for folder in ["bots", "results", "tmp"] {
        tried("list", fs::read_dir(root.join(folder)).is_ok());
    }
    tried("rename", fs::rename(root.join("results"), scratch().join("results")).is_ok());
    tried("replace itself", write(std::env::current_exe().unwrap()));
    for place in ["/tmp/arena-left-behind", "/dev/shm/arena-left-behind", "/var/tmp/arena-left-behind"] {
        // In private places it may, so whether it comes through shows outside.
        eprintln!("tried to leave word: {}", write(place.into()));
    }
    let link = scratch().join("link");
    std::os::unix::fs::symlink(root.join("bots/greedy.toml"), &link).unwrap();
    tried("follow", write(link));
}

/// What is kept of files beside their content; `root` is the folder that holds `bots` and `results`.
fn attributes(root: &Path) {
    let own = std::env::current_exe().unwrap();
    for (path, mode) in
        [(root.join("bots/greedy.toml"), 0o600), (root.join("results"), 0o700), (root.join("tmp"), 0o700), (own, 0o700)]
    {
        let path = c_path(&path);
        tried("chmod", unsafe { chmod(path.as_ptr(), mode) } == 0);
        tried("times", unsafe { utimensat(-100, path.as_ptr(), std::ptr::null(), 0) } == 0);
        tried("mark", unsafe { setxattr(path.as_ptr(), c"user.word".as_ptr(), b"x".as_ptr(), 1, 0) } == 0);
    }
}

/// Has everybody wait who opens this file (in the scratch folder, or a path), until they are not waited for any more.
pub fn lease(path: &str) -> bool {
    const SET_LEASE: i32 = 1024;
    const FOR_WRITING: i64 = 1;
    let path = scratch().join(path);
    let file = File::options().append(true).create(true).open(&path).and_then(|_| File::open(path)).unwrap();
    // The holder is told by a signal, which would end it.
    unsafe { signal(SIGIO, IGNORE) };
    unsafe { super::fcntl(std::os::fd::IntoRawFd::into_raw_fd(file), SET_LEASE, FOR_WRITING) == 0 }
}

/// Every other process that can be seen.
fn others() -> Vec<i32> {
    let me = std::process::id() as i32;
    let names = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    // Not the first process: of a private process namespace it is ours, and no signal reaches it.
    names.filter_map(|name| name.parse().ok()).filter(|pid| *pid != me && *pid != 1).collect()
}
