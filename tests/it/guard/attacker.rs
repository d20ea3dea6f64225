//! A bot that tries everything a bot must not do. Compiled by the tests with the standard library only.
//!
//! Each line of input is an attack; the line of output says `done …` or `denied` with the system's words.

mod attempts;

use std::ffi::CString;
use std::fs::File;
use std::io::{BufRead, Error, Read, Write};
use std::os::fd::AsRawFd;

unsafe extern "C" {
    fn syscall(number: i64, ...) -> i64;
    fn fork() -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn setpriority(which: i32, who: u32, value: i32) -> i32;
    fn prlimit(pid: i32, resource: i32, new: *const u64, old: *mut u64) -> i32;
    fn sched_getaffinity(pid: i32, size: usize, mask: *mut u64) -> i32;
    fn sched_setaffinity(pid: i32, size: usize, mask: *const u64) -> i32;
    fn socket(domain: i32, kind: i32, protocol: i32) -> i32;
    fn socketpair(domain: i32, kind: i32, protocol: i32, fds: *mut i32) -> i32;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn unshare(flags: i32) -> i32;
    fn shmget(key: i32, size: usize, flags: i32) -> i32;
    fn chmod(path: *const std::ffi::c_char, mode: u32) -> i32;
    fn fchmod(fd: i32, mode: u32) -> i32;
    fn fchmodat(dir: i32, path: *const std::ffi::c_char, mode: u32, flags: i32) -> i32;
    fn chown(path: *const std::ffi::c_char, user: u32, group: u32) -> i32;
    fn fchown(fd: i32, user: u32, group: u32) -> i32;
    fn fchownat(dir: i32, path: *const std::ffi::c_char, user: u32, group: u32, flags: i32) -> i32;
    fn utimensat(dir: i32, path: *const std::ffi::c_char, times: *const [i64; 4], flags: i32) -> i32;
    fn futimens(fd: i32, times: *const [i64; 4]) -> i32;
    fn setxattr(
        path: *const std::ffi::c_char,
        name: *const std::ffi::c_char,
        value: *const u8,
        size: usize,
        flags: i32,
    ) -> i32;
    fn fsetxattr(fd: i32, name: *const std::ffi::c_char, value: *const u8, size: usize, flags: i32) -> i32;
    fn removexattr(path: *const std::ffi::c_char, name: *const std::ffi::c_char) -> i32;
    fn fremovexattr(fd: i32, name: *const std::ffi::c_char) -> i32;
    fn ioctl(fd: i32, request: u64, ...) -> i32;
    fn getpid() -> i32;
    fn pause() -> i32;
    fn _exit(code: i32) -> !;
}

#[cfg(target_arch = "x86_64")]
mod number {
    pub const PTRACE: i64 = 101;
    pub const IO_URING_SETUP: i64 = 425;
    pub const KEYCTL: i64 = 250;
    pub const PROCESS_VM_READV: i64 = 310;
    pub const BPF: i64 = 321;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const PTRACE: i64 = 117;
    pub const IO_URING_SETUP: i64 = 425;
    pub const KEYCTL: i64 = 219;
    pub const PROCESS_VM_READV: i64 = 270;
    pub const BPF: i64 = 280;
}

fn main() {
    println!("up {}", unsafe { getpid() });
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        match attack(words[0], &words[1..]) {
            Ok(text) => println!("done {text}"),
            Err(error) => println!("denied {error}"),
        }
    }
}

fn check(result: i64) -> Result<String, Error> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(String::new()) }
}

fn attack(name: &str, words: &[&str]) -> Result<String, Error> {
    let word = |index: usize| words.get(index).copied().unwrap_or_default();
    let number = |index: usize| word(index).parse::<i64>().unwrap_or(0);
    let pid = number(0) as i32;
    unsafe {
        match name {
            "read" => File::open(word(0)).and_then(|mut file| {
                let mut byte = [0];
                file.read(&mut byte).map(|count| count.to_string())
            }),
            "list" => std::fs::read_dir(word(0)).map(|entries| entries.count().to_string()),
            "write" => File::options().append(true).create(true).open(word(0)).and_then(|mut file| {
                file.write_all(b"x")?;
                Ok(String::new())
            }),
            "open-write" => File::options().write(true).open(word(0)).map(|_| String::new()),
            "remove" => std::fs::remove_file(word(0)).map(|()| String::new()),
            "rename" => std::fs::rename(word(0), word(1)).map(|()| String::new()),
            "link" => std::os::unix::fs::symlink(word(0), word(1)).map(|()| String::new()),
            "attributes" => attributes(word(0)),
            "descriptor" => descriptor(word(0)),
            "kill" => check(kill(pid, number(1) as i32).into()),
            "renice" => check(setpriority(number(0) as i32, number(1) as u32, 19).into()),
            "limit" => check(prlimit(pid, 7, [3, 3].as_ptr(), std::ptr::null_mut()).into()),
            "raise-limits" => check(prlimit(0, 2, [u64::MAX; 2].as_ptr(), std::ptr::null_mut()).into()),
            "pin" => {
                // Its current set, which no restriction on processors refuses.
                let mut mask = [0_u64; 128];
                check(sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr()).into())?;
                check(sched_setaffinity(pid, size_of_val(&mask), mask.as_ptr()).into())
            }
            "trace" => check(syscall(number::PTRACE, 0x4206_i64, i64::from(pid), 0_i64, 0_i64)),
            "peek" => check(syscall(number::PROCESS_VM_READV, i64::from(pid), 0_i64, 0_i64, 0_i64, 0_i64, 0_i64)),
            "socket" => check(socket(number(0) as i32, number(1) as i32, 0).into()),
            "pair" => check(socketpair(1, 1, 0, [0; 2].as_mut_ptr()).into()),
            "ring" => check(syscall(number::IO_URING_SETUP, 1_i64, [0_u64; 32].as_mut_ptr())),
            "keys" => check(syscall(number::KEYCTL, 0_i64, -3_i64, 0_i64)),
            "bpf" => check(syscall(number::BPF, 0_i64, [0_u64; 32].as_mut_ptr(), 8_i64)),
            "calls" => Ok(attempts::answers(word(0), word(1))),
            "proc" => proc(),
            "lines" => std::fs::read_to_string(word(0)).map(|text| text.lines().count().to_string()),
            "unshare" => check(unshare(0x1000_0000).into()),
            "shm" => check(shmget(0, 4096, 0o1600).into()),
            "processes" => Ok(std::fs::read_dir("/proc")?
                .flatten()
                .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
                .count()
                .to_string()),
            "private" | "shared" => hold(name, number(0) as usize),
            // Of which nothing is used.
            "reserve" | "reserve-shared" => {
                let flags = if name == "reserve" { 0x4022 } else { 0x4021 };
                let at = mmap(std::ptr::null_mut(), (number(0) as usize) << 20, 3, flags, -1, 0);
                if at as isize == -1 { Err(Error::last_os_error()) } else { Ok(String::new()) }
            }
            "map" => map(word(0)),
            "open" => {
                let mut files = Vec::new();
                while let Ok(file) = File::open("/dev/null") {
                    files.push(file);
                }
                Ok((files.len() + 3).to_string())
            }
            "fork" => {
                // They wait rather than exit, so that they count.
                let mut made = 0;
                while made < number(0) {
                    match fork() {
                        0 => loop {
                            pause();
                        },
                        ..0 => return Ok(made.to_string()),
                        _ => made += 1,
                    }
                }
                Ok(made.to_string())
            }
            // Each makes calls that are refused, without end.
            "refused" => {
                for _ in 0..number(0) {
                    if fork() == 0 {
                        loop {
                            socket(2, 2, 0);
                        }
                    }
                }
                Ok(String::new())
            }
            "bomb" => {
                if fork() == 0 {
                    bomb()
                }
                Ok(String::new())
            }
            "exit" => std::process::exit(number(0) as i32),
            other => panic!("no attack {other}"),
        }
    }
}

/// Non-empty entries of `/proc` that are neither a process nor a link to one.
fn proc() -> Result<String, Error> {
    let mut shown = vec!["0".to_owned()];
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap();
        let kind = entry.file_type()?;
        let is_empty = || match kind.is_dir() {
            true => std::fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.next().is_none()),
            false => File::open(entry.path()).and_then(|mut file| file.read(&mut [0])).is_ok_and(|count| count == 0),
        };
        if name.parse::<u32>().is_err() && !kind.is_symlink() && !is_empty() {
            shown.push(name);
        }
    }
    Ok(shown.join(" "))
}

/// The first call on the attributes of a file that is not refused; each leaves them (almost) unchanged.
unsafe fn attributes(path: &str) -> Result<String, Error> {
    const HERE: i32 = -100;
    let path = CString::new(path).unwrap();
    let (name, word, nobody) = (path.as_ptr(), c"user.word".as_ptr(), u32::MAX);
    let nothing = [0_u64; 4];
    unsafe {
        not_refused(&[
            ("chmod", &|| chmod(name, 0o700).into()),
            ("fchmodat", &|| fchmodat(HERE, name, 0o700, 0).into()),
            ("fchmodat2", &|| syscall(452, HERE, name, 0o700, 0)),
            ("chown", &|| chown(name, nobody, nobody).into()),
            ("fchownat", &|| fchownat(HERE, name, nobody, nobody, 0).into()),
            ("utimensat", &|| utimensat(HERE, name, std::ptr::null(), 0).into()),
            ("setxattr", &|| setxattr(name, word, b"x".as_ptr(), 1, 0).into()),
            ("setxattrat", &|| syscall(463, HERE, name, 0, word, nothing.as_ptr(), 16_usize)),
            ("removexattr", &|| removexattr(name, word).into()),
            ("removexattrat", &|| syscall(466, HERE, name, 0, word)),
            ("file_setattr", &|| syscall(469, HERE, name, nothing.as_ptr(), 24_usize, 0)),
        ])
    }
}

/// The same through a descriptor that is open for reading.
unsafe fn descriptor(path: &str) -> Result<String, Error> {
    const SET_FLAGS: u64 = 0x4008_6602;
    const SET_VERSION: u64 = 0x4008_7602;
    const SET_PROJECT: u64 = 0x401c_5820;
    let file = File::open(path)?;
    let (fd, word, nobody) = (file.as_raw_fd(), c"user.word".as_ptr(), u32::MAX);
    let nothing = [0_u64; 8];
    unsafe {
        not_refused(&[
            ("fchmod", &|| fchmod(fd, 0o700).into()),
            ("fchown", &|| fchown(fd, nobody, nobody).into()),
            ("futimens", &|| futimens(fd, std::ptr::null()).into()),
            ("fsetxattr", &|| fsetxattr(fd, word, b"x".as_ptr(), 1, 0).into()),
            ("fremovexattr", &|| fremovexattr(fd, word).into()),
            ("flags", &|| ioctl(fd, SET_FLAGS, nothing.as_ptr()).into()),
            ("version", &|| ioctl(fd, SET_VERSION, nothing.as_ptr()).into()),
            ("project", &|| ioctl(fd, SET_PROJECT, nothing.as_ptr()).into()),
        ])
    }
}

/// The first call that does not fail with «operation not permitted».
fn not_refused(calls: &[(&str, &dyn Fn() -> i64)]) -> Result<String, Error> {
    const EPERM: i32 = 1;
    let refused = |call: &dyn Fn() -> i64| call() < 0 && Error::last_os_error().raw_os_error() == Some(EPERM);
    let other = calls.iter().find(|(_, call)| !refused(call));
    other.map_or(Err(Error::from_raw_os_error(EPERM)), |(name, _)| Ok((*name).to_owned()))
}

/// Allocates memory and touches it.
unsafe fn hold(kind: &str, mib: usize) -> Result<String, Error> {
    let flags = if kind == "shared" { 0x21 } else { 0x22 };
    for _ in 0..mib {
        let at = unsafe { mmap(std::ptr::null_mut(), 1 << 20, 3, flags, -1, 0) };
        if at as isize == -1 {
            return Err(Error::last_os_error());
        }
        for page in 0..256 {
            unsafe { at.add(page * 4096).write_volatile(1) };
        }
    }
    Ok(mib.to_string())
}

/// Maps a file and reads all of it.
unsafe fn map(path: &str) -> Result<String, Error> {
    let file = File::open(path)?;
    let size = file.metadata()?.len() as usize;
    let at = unsafe { mmap(std::ptr::null_mut(), size, 1, 0x2, file.as_raw_fd(), 0) };
    if at as isize == -1 {
        return Err(Error::last_os_error());
    }
    for page in (0..size).step_by(4096) {
        unsafe { at.add(page).read_volatile() };
    }
    Ok(size.to_string())
}

/// Forks forever, in its own sessions.
unsafe fn bomb() -> ! {
    unsafe extern "C" {
        fn setsid() -> i32;
    }
    loop {
        unsafe {
            if fork() == 0 {
                setsid();
            }
            // A limit on processor time ends it even if nothing else does.
            if fork() < 0 && getpid() == 0 {
                _exit(0);
            }
        }
    }
}
