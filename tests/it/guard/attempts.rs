//! Calls that a sandbox refuses, ignores or allows: a part of `attacker.rs` and `faulty.rs`. Each is reported with its
//! error number, 0 on success.

use std::ffi::{CString, c_char};
use std::io::Error;

unsafe extern "C" {
    fn syscall(number: i64, ...) -> i64;
    fn fork() -> i32;
    fn setsid() -> i32;
    fn getsid(pid: i32) -> i32;
    fn getpid() -> i32;
    fn setpgid(pid: i32, group: i32) -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
    fn socketpair(domain: i32, kind: i32, protocol: i32, fds: *mut i32) -> i32;
    fn bind(fd: i32, address: *const Address, size: u32) -> i32;
    fn connect(fd: i32, address: *const Address, size: u32) -> i32;
    fn listen(fd: i32, backlog: i32) -> i32;
    fn accept(fd: i32, address: *mut Address, size: *mut u32) -> i32;
    fn accept4(fd: i32, address: *mut Address, size: *mut u32, flags: i32) -> i32;
    fn send(fd: i32, data: *const u8, size: usize, flags: i32) -> isize;
    fn recv(fd: i32, data: *mut u8, size: usize, flags: i32) -> isize;
    fn sendmsg(fd: i32, message: *const Message, flags: i32) -> isize;
    fn setpriority(which: i32, who: u32, value: i32) -> i32;
    fn sched_setscheduler(pid: i32, policy: i32, priority: *const i32) -> i32;
    fn sched_setparam(pid: i32, priority: *const i32) -> i32;
    fn fcntl(fd: i32, command: i32, argument: i64) -> i32;
    fn prctl(option: i32, argument: u64) -> i32;
    fn personality(what: u64) -> i32;
    fn inotify_init1(flags: i32) -> i32;
    fn open(path: *const c_char, flags: i32, ...) -> i32;
    fn mkdir(path: *const c_char, mode: u32) -> i32;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn madvise(at: *mut u8, size: usize, advice: i32) -> i32;
    fn mincore(at: *mut u8, size: usize, pages: *mut u8) -> i32;
}

#[cfg(target_arch = "x86_64")]
mod number {
    pub const SENDTO: i64 = 44;
    pub const MKNODAT: i64 = 259;
    pub const IO_SETUP: i64 = 206;
    pub const FADVISE: i64 = 221;
    pub const TIMER_CREATE: i64 = 222;
    pub const IOPRIO_SET: i64 = 251;
    pub const SCHED_SETATTR: i64 = 314;
    pub const SECCOMP: i64 = 317;
    pub const PRCTL: i64 = 157;
    pub const TIMERFD_CREATE: i64 = 283;
    pub const PREADV2: i64 = 327;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const SENDTO: i64 = 206;
    pub const MKNODAT: i64 = 33;
    pub const IO_SETUP: i64 = 0;
    pub const FADVISE: i64 = 223;
    pub const TIMER_CREATE: i64 = 107;
    pub const IOPRIO_SET: i64 = 30;
    pub const SCHED_SETATTR: i64 = 274;
    pub const SECCOMP: i64 = 277;
    pub const PRCTL: i64 = 167;
    pub const TIMERFD_CREATE: i64 = 85;
    pub const PREADV2: i64 = 286;
}
const OPENAT2: i64 = 437;
const CACHESTAT: i64 = 451;
const LANDLOCK_CREATE_RULESET: i64 = 444;
const LANDLOCK_ADD_RULE: i64 = 445;
const LANDLOCK_RESTRICT_SELF: i64 = 446;

const UNIX: i32 = 1;
const STREAM: i32 = 1;
const DATAGRAM: i32 = 2;
const RAW: i32 = 3;
const PACKETS: i32 = 5;
const HERE: i32 = -100;
const SIGKILL: u64 = 9;
const SIGCONT: u64 = 18;
const CREATE_NEW: i32 = 0o301;

#[repr(C)]
struct Address {
    family: u16,
    path: [u8; 108],
}

impl Address {
    fn new(path: &str) -> Self {
        let mut address = Self { family: UNIX as u16, path: [0; 108] };
        address.path[..path.len()].copy_from_slice(path.as_bytes());
        address
    }
}

#[repr(C)]
struct Message {
    name: *const Address,
    name_size: u32,
    parts: *const [usize; 2],
    count: usize,
    control: usize,
    control_size: usize,
    flags: i32,
}

/// All calls; `folder` is a writable one, and `socket` a datagram socket of another program.
#[allow(dead_code, reason = "one of the two bots tells them one by one")]
pub fn answers(folder: &str, socket: &str) -> String {
    let told = [session(), sockets(folder, socket), share(), quotas(folder), sandboxes(), files(folder), memory()].concat();
    told.into_iter().map(|(name, errno)| format!("{name}={errno}")).collect::<Vec<_>>().join(" ")
}

/// Names of calls and their results.
type Told = Vec<(&'static str, i32)>;

fn errno(result: i64) -> i32 {
    if result < 0 { Error::last_os_error().raw_os_error().unwrap_or(-1) } else { 0 }
}

/// The result of a child, from its status.
fn in_child(says: impl FnOnce() -> i32) -> i32 {
    let mut status = 0;
    unsafe {
        match fork() {
            0 => _exit(says()),
            pid => assert_eq!(waitpid(pid, &raw mut status, 0), pid),
        }
    }
    status >> 8
}

pub fn session() -> Told {
    vec![
        ("setsid", in_child(|| errno(unsafe { setsid() }.into()))),
        ("session", in_child(|| unsafe { setsid() == getpid() || getsid(0) == getpid() }.into())),
        ("setpgid", in_child(|| errno(unsafe { setpgid(0, 0) }.into()))),
    ]
}

fn pair(kind: i32) -> (i32, [i32; 2]) {
    let mut fds = [-1; 2];
    (errno(unsafe { socketpair(UNIX, kind, 0, fds.as_mut_ptr()) }.into()), fds)
}

pub fn sockets(folder: &str, socket: &str) -> Told {
    const SIZE: u32 = size_of::<Address>() as u32;
    let there = Address::new(socket);
    let new = Address::new(&format!("{folder}/socket"));
    let parts = [c"x".as_ptr() as usize, 1];
    let named =
        Message { name: &raw const there, name_size: SIZE, parts: &raw const parts, count: 1, control: 0, control_size: 0, flags: 0 };
    let name = std::ptr::from_ref(&there);
    let (datagram, [outward, _]) = pair(DATAGRAM);
    let (raw, _) = pair(RAW);
    let (stream, [one, other]) = pair(STREAM | 0o2_000_000);
    let (packets, [packet, its_end]) = pair(PACKETS | 0o4000);
    let nothing = std::ptr::null_mut();
    let mut byte = 0;
    unsafe {
        vec![
            ("datagrams", datagram),
            ("raw", raw),
            ("outward", errno(syscall(number::SENDTO, outward, c"d".as_ptr(), 1_usize, 0, name, SIZE))),
            ("stream", stream),
            ("packets", packets),
            ("send", errno(send(one, b"s".as_ptr(), 1, 0) as i64)),
            ("sendto-null", errno(syscall(number::SENDTO, one, c"s".as_ptr(), 1_usize, 0, 0_usize, 0))),
            // Null in its low half.
            ("sendto-high", errno(syscall(number::SENDTO, one, c"s".as_ptr(), 1_usize, 0, 1_usize << 32, SIZE))),
            ("sendto", errno(syscall(number::SENDTO, packet, c"p".as_ptr(), 1_usize, 0, name, SIZE))),
            // Not refused, but without effect: they are connected.
            ("sendmsg-stream", errno(sendmsg(one, &raw const named, 0) as i64)),
            ("sendmsg-packet", errno(sendmsg(packet, &raw const named, 0) as i64)),
            ("own-end", errno(recv(its_end, &raw mut byte, 1, 0) as i64)),
            ("connect", errno(connect(packet, name, SIZE).into())),
            ("bind", errno(bind(other, &raw const new, SIZE).into())),
            ("listen", errno(listen(other, 1).into())),
            ("accept", errno(accept(other, nothing, std::ptr::null_mut()).into())),
            ("accept4", errno(accept4(other, nothing, std::ptr::null_mut(), 0).into())),
        ]
    }
}

pub fn share() -> Told {
    let zero = [0_i32; 16];
    let attributes = [48_u32, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    // Options that request the continue signal as notification.
    let event = [0, SIGCONT, 0, 0, 0, 0, 0, 0];
    unsafe {
        vec![
            ("nice", errno(setpriority(0, 0, 1).into())),
            ("idle", errno(sched_setscheduler(0, 5, zero.as_ptr()).into())),
            ("param", errno(sched_setparam(0, zero.as_ptr()).into())),
            ("attributes", errno(syscall(number::SCHED_SETATTR, 0, attributes.as_ptr(), 0))),
            ("ioprio", errno(syscall(number::IOPRIO_SET, 1, 0, 3 << 13))),
            ("timer", errno(syscall(number::TIMER_CREATE, 1, event.as_ptr(), [0_u64].as_mut_ptr()))),
            ("timerfd", errno(syscall(number::TIMERFD_CREATE, 1, 0))),
            ("setsig", errno(fcntl(0, 10, SIGCONT as i64).into())),
            ("end-continues", errno(prctl(1, SIGCONT).into())),
            ("end-kills", errno(prctl(1, SIGKILL).into())),
            ("core", errno(prctl(62, 1).into())),
            ("closed", errno(prctl(4, 0).into())),
        ]
    }
}

pub fn quotas(folder: &str) -> Told {
    let folder = CString::new(folder).unwrap();
    unsafe {
        let dir = open(folder.as_ptr(), 0);
        vec![
            ("aio", errno(syscall(number::IO_SETUP, 1, [0_u64].as_mut_ptr()))),
            ("inotify", errno(inotify_init1(0).into())),
            ("pipe-size", errno(fcntl(0, 1031, 8192).into())),
            ("pipe-size-read", errno(fcntl(0, 1032, 0).into())),
            ("notify", errno(fcntl(dir, 1026, 1).into())),
            ("hint", errno(fcntl(dir, 1036, [1_u64].as_ptr() as i64).into())),
            ("personality", errno(i64::from(personality(0x0040_0000)))),
            ("personality-read", errno(i64::from(personality(0xffff_ffff)))),
            ("personality-plain", errno(i64::from(personality(0)))),
            #[cfg(target_arch = "x86_64")]
            ("ldt", errno(syscall(154, 0, [0_u64; 2].as_mut_ptr(), 16_usize))),
        ]
    }
}

/// Sandboxes of its own, a handful: filters and rules are memory that the kernel charges to no process.
pub fn sandboxes() -> Told {
    // Allows everything: code, jumps, and value.
    let allow = [0x06_u32, 0x7fff_0000];
    let program = [1, allow.as_ptr() as usize];
    unsafe {
        vec![
            ("listener", errno(syscall(number::SECCOMP, 1, 8, 0_usize))),
            ("filter", errno(syscall(number::SECCOMP, 1, 0, program.as_ptr()))),
            ("filter-again", errno(syscall(number::SECCOMP, 1, 0, program.as_ptr()))),
            ("filter-prctl", errno(syscall(number::PRCTL, 22, 2, program.as_ptr()))),
            ("filter-actions", errno(syscall(number::SECCOMP, 2, 0, [0_u32].as_ptr()))),
            ("filter-mode", errno(syscall(number::PRCTL, 21, 0, 0, 0, 0))),
            ("landlock-version", errno(syscall(LANDLOCK_CREATE_RULESET, 0_usize, 0_usize, 1))),
            ("landlock-rules", errno(syscall(LANDLOCK_CREATE_RULESET, [1_u64].as_ptr(), 8_usize, 0))),
            ("landlock-rule", errno(syscall(LANDLOCK_ADD_RULE, -1, 1, 0_usize, 0))),
            ("landlock-enter", errno(syscall(LANDLOCK_RESTRICT_SELF, -1, 0))),
        ]
    }
}

pub fn files(folder: &str) -> Told {
    use std::os::unix::fs::MetadataExt;
    let path = |name: &str| CString::new(format!("{folder}/{name}")).unwrap();
    // Flags, mode, and how to find the file.
    let how = [CREATE_NEW as u64, 0o4755, 0];
    unsafe {
        vec![
            ("file", errno(open(path("a").as_ptr(), CREATE_NEW, 0o755).into())),
            ("sticky", errno(open(path("b").as_ptr(), CREATE_NEW, 0o1755).into())),
            // The mode is ignored here.
            ("reopen", errno(open(path("a").as_ptr(), 0, 0o6755).into())),
            ("set-user", errno(open(path("c").as_ptr(), CREATE_NEW, 0o4755).into())),
            ("set-group", errno(open(path("d").as_ptr(), CREATE_NEW, 0o2755).into())),
            ("unnamed", errno(open(path("").as_ptr(), 0o20_200_002, 0o4755).into())),
            ("node", errno(syscall(number::MKNODAT, HERE, path("e").as_ptr(), 0o104_755, 0))),
            ("fifo", errno(syscall(number::MKNODAT, HERE, path("f").as_ptr(), 0o010_644, 0))),
            #[cfg(target_arch = "x86_64")]
            ("creat", errno(syscall(85, path("g").as_ptr(), 0o4755))),
            #[cfg(target_arch = "x86_64")]
            ("old-open", errno(syscall(2, path("h").as_ptr(), CREATE_NEW, 0o4755))),
            ("openat2", errno(syscall(OPENAT2, HERE, path("i").as_ptr(), how.as_ptr(), 24_usize))),
            ("folder", errno(mkdir(path("j").as_ptr(), 0o6755).into())),
            ("folder-bits", (std::fs::metadata(format!("{folder}/j")).unwrap().mode() & 0o6000) as i32),
        ]
    }
}

#[allow(dead_code, reason = "as above")]
fn memory() -> Told {
    let own = CString::new(std::env::current_exe().unwrap().to_str().unwrap()).unwrap();
    unsafe {
        let fd = open(own.as_ptr(), 0);
        let at = mmap(std::ptr::null_mut(), 4096, 1, 1, fd, 0);
        let mut byte = 0_u8;
        let into = [&raw mut byte as usize, 1];
        let read = |flags: i32| errno(syscall(number::PREADV2, fd, into.as_ptr(), 1_usize, 0_usize, 0_usize, flags));
        vec![
            ("mincore", errno(mincore(at, 4096, [0].as_mut_ptr()).into())),
            ("cachestat", errno(syscall(CACHESTAT, fd, [0_u64; 2].as_ptr(), [0_u64; 5].as_mut_ptr(), 0))),
            ("read-flags", read(0)),
            ("read-cached", read(8)),
            ("advise", errno(syscall(number::FADVISE, fd, 0_usize, 0_usize, 4))),
            ("forget", errno(madvise(at, 4096, 4).into())),
            ("page-out", errno(madvise(at, 4096, 21).into())),
        ]
    }
}
