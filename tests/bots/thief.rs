//! Bots that share a processor: one that needs a part of its time, and those that take it away from others. Standard
//! library only: the tests compile this file by itself with `rustc -O`.
//!
//! Argument: `honest=MS` uses so much processor time for each move, `start=MS` before it says hello. All others move at once, and from their reply to the
//! next line keep busy: `swarm=N` processes in sessions of their own, `late=N` after a while, `brief=N` processes that live
//! a millisecond and leave a successor, `calls=N` in long system calls, `threads=N`. `deceive=N` keeps itself from the
//! processor while it is on move, by processes that end unseen.
//!
//! `loser=MS` and `helper=N` belong together: in its second move of each game the loser locks a file that both may read, and
//! lets its limit of so much time pass. Meanwhile the helper has N processes in long system calls, whether it plays or not.

use std::io::{BufRead, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> i32;
    fn setsid() -> i32;
    fn setpgid(process: i32, group: i32) -> i32;
    fn _exit(code: i32) -> !;
    fn close(fd: i32) -> i32;
    fn signal(signal: i32, handler: usize) -> usize;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn munmap(at: *mut u8, size: usize) -> i32;
    fn madvise(at: *mut u8, size: usize, advice: i32) -> i32;
    fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    fn flock(fd: i32, operation: i32) -> i32;
    fn pipe(ends: *mut [i32; 2]) -> i32;
    fn read(fd: i32, bytes: *mut u8, size: usize) -> isize;
    fn write(fd: i32, bytes: *const u8, size: usize) -> isize;
}

const SIGCHLD: i32 = 17;
const IGNORE: usize = 1;
const READ_WRITE: i32 = 3;
const SHARED_MEMORY: i32 = 0x21;
const READ: i32 = 1;
const PRIVATE_MEMORY: i32 = 0x4022;
const WITHOUT_HUGE_PAGES: i32 = 15;
const POPULATE_READ: i32 = 22;
const OWN_PROCESSOR_TIME: i32 = 2;
/// After a reply, the others of `late` wait so long.
const LATE: Duration = Duration::from_millis(12);
/// Time between two looks whether to keep busy, or more for many, which would keep a processor busy by looking.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_OF_EACH: Duration = Duration::from_micros(30);
const MILLISECOND: Duration = Duration::from_millis(1);
/// A file that every bot may read, and its locks.
const MEETING_PLACE: &str = "/usr/bin/env";
const LOCK_SHARED_NOW: i32 = 5;
const LOCK_ALONE: i32 = 2;
const UNLOCK: i32 = 8;
/// Time between two looks at the lock.
const LOOK: Duration = Duration::from_millis(4);

fn main() {
    let argument = std::env::args().nth(1).unwrap();
    let (kind, number) = argument.split_once('=').unwrap();
    let number: usize = number.parse().unwrap();
    let busy = shared_flag();
    let mut moves = 0;
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        busy.store(false, Ordering::SeqCst);
        if line.contains("\"type\":\"hello\"") {
            if kind == "start" {
                work(Duration::from_millis(number as u64));
            } else {
                begin(kind, number, busy);
            }
            say("{\"type\":\"hello\",\"protocol\":1}");
        } else if line.contains("\"type\":\"new_game\"") {
            moves = 0;
            say(&format!("{{\"type\":\"ready\",\"id\":{}}}", value(&line, "\"id\":")));
        } else if line.contains("\"type\":\"move_request\"") {
            moves += 1;
            match kind {
                "honest" => work(Duration::from_millis(number as u64)),
                "deceive" => deceive(number),
                "loser" if moves == 2 => lose(Duration::from_millis(number as u64)),
                _ => {}
            }
            let (id, played) = (value(&line, "\"id\":"), value(&line, "\"sample_move\":"));
            say(&format!("{{\"type\":\"move\",\"id\":{id},\"move\":{played}}}"));
            busy.store(true, Ordering::SeqCst);
        }
    }
}

/// Calls for help, and is late: it needs its processor for the first part of its time, and sleeps for the rest.
fn lose(limit: Duration) {
    let file = std::fs::File::open(MEETING_PLACE).unwrap();
    let begun = Instant::now();
    unsafe { flock(file.as_raw_fd(), LOCK_ALONE) };
    while begun.elapsed() < limit * 3 / 4 {}
    thread::sleep(limit * 5);
}

/// Wakes these processes whenever the loser calls.
fn listen(number: usize, wake: i32) {
    let file = std::fs::File::open(MEETING_PLACE).unwrap();
    let mut was_called = false;
    loop {
        let is_called = unsafe { flock(file.as_raw_fd(), LOCK_SHARED_NOW) } != 0;
        if !is_called {
            unsafe { flock(file.as_raw_fd(), UNLOCK) };
        } else if !was_called {
            unsafe { write(wake, vec![1; number].as_ptr(), number) };
        }
        was_called = is_called;
        thread::sleep(LOOK);
    }
}

/// One long call whenever it is woken.
fn help(woken: i32) {
    let mut byte = 0;
    while unsafe { read(woken, &mut byte, 1) } == 1 {
        map_zeros();
    }
}

fn begin(kind: &str, number: usize, busy: &'static AtomicBool) {
    let pause = PAUSE.max(PAUSE_OF_EACH * number as u32);
    let mut ends = [0; 2];
    if kind == "helper" {
        unsafe { pipe(&mut ends) };
        thread::spawn(move || listen(number, ends[1]));
    }
    for _ in 0..number {
        match kind {
            "swarm" => child(move || while_busy(busy, pause, Duration::ZERO, std::hint::spin_loop)),
            "late" => child(move || while_busy(busy, pause, LATE, std::hint::spin_loop)),
            "helper" => child(move || help(ends[0])),
            "calls" => child(move || while_busy(busy, pause, Duration::ZERO, map_zeros)),
            "brief" => child(move || live_briefly(busy)),
            "threads" => drop(thread::spawn(move || while_busy(busy, pause, Duration::ZERO, std::hint::spin_loop))),
            _ => {}
        }
    }
}

/// Starts a process that is in a session and a group of its own, if it may, and holds none of our pipes.
fn child(work: impl FnOnce()) {
    unsafe {
        if fork() == 0 {
            setsid();
            setpgid(0, 0);
            (0..2).for_each(|fd| {
                close(fd);
            });
            work();
            _exit(0)
        }
    }
}

fn while_busy(busy: &AtomicBool, pause: Duration, late: Duration, work: impl Fn()) {
    loop {
        while !busy.load(Ordering::SeqCst) {
            thread::sleep(pause);
        }
        thread::sleep(late);
        while busy.load(Ordering::SeqCst) {
            work();
        }
    }
}

/// Lives for a millisecond of work and leaves a successor, which nobody waits for, without end.
fn live_briefly(busy: &AtomicBool) {
    unsafe { signal(SIGCHLD, IGNORE) };
    loop {
        while !busy.load(Ordering::SeqCst) {
            thread::sleep(PAUSE);
        }
        work(MILLISECOND);
        if unsafe { fork() } > 0 {
            unsafe { _exit(0) }
        }
    }
}

/// One long call, which nothing but a kill ends sooner: the page of zeros, mapped half a million times. It takes no memory
/// but that of the page tables.
fn map_zeros() {
    const BYTES: usize = 2 << 30;
    unsafe {
        let at = mmap(std::ptr::null_mut(), BYTES, READ, PRIVATE_MEMORY, -1, 0);
        if at as isize != -1 {
            madvise(at, BYTES, WITHOUT_HUGE_PAGES);
            madvise(at, BYTES, POPULATE_READ);
            munmap(at, BYTES);
        }
    }
}

/// Needs a few milliseconds, and takes four times as long as it may, since it has others busy beside it.
fn deceive(number: usize) {
    unsafe { signal(SIGCHLD, IGNORE) };
    let begun = Instant::now();
    for _ in 0..number {
        child(move || while begun.elapsed() < Duration::from_millis(390) {});
    }
    while begun.elapsed() < Duration::from_millis(400) {}
}

/// Uses so much processor time.
fn work(time: Duration) {
    let end = processor_time() + time;
    while processor_time() < end {}
}

fn processor_time() -> Duration {
    let mut time = [0; 2];
    unsafe { clock_gettime(OWN_PROCESSOR_TIME, &mut time) };
    Duration::new(time[0] as u64, time[1] as u32)
}

/// In memory that processes share.
fn shared_flag() -> &'static AtomicBool {
    unsafe { &*mmap(std::ptr::null_mut(), 4096, READ_WRITE, SHARED_MEMORY, -1, 0).cast() }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// The number or list that comes after `name`.
fn value<'a>(line: &'a str, name: &str) -> &'a str {
    let from = &line[line.find(name).unwrap() + name.len()..];
    let end = match from.find(']').filter(|_| from.starts_with('[')) {
        Some(end) => end + 1,
        None => from.find([',', '}']).unwrap(),
    };
    &from[..end]
}
