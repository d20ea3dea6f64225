//! System calls that have no safe interface: the only file with `unsafe` in it.
//!
//! Everything here but [`cpu_time`], [`outlive_file_limit`], [`Alarm`] and what schedules threads runs only in the guard, which
//! has a single thread.
//! This makes forking safe: no other thread can hold a lock that the child would wait for forever.
#![expect(unsafe_code, reason = "fork, exec, signals and namespaces have no safe interface in any crate")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;
use seccompiler::sock_filter;

/// The two sides of a fork.
pub(super) enum Forked {
    /// The new process.
    Child,
    /// The old process, with the number of the new one.
    Parent(Pid),
}

/// Forks this process, into `cgroup` if one is given (Linux 5.7).
pub(super) fn fork_into(cgroup: Option<BorrowedFd<'_>>) -> io::Result<Forked> {
    /// Of the kernel's `sched.h`.
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let Some(cgroup) = cgroup else { return fork() };
    // SAFETY: plain data, for which all zero is valid and means no option.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = libc::SIGCHLD as u64;
    arguments.cgroup = cgroup.as_raw_fd() as u64;
    // SAFETY: as in `fork`. Nothing is shared, so it is a fork; what libc would do around one is for threads, and there are
    // none. The structure contains its size and is read by the call.
    forked(unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size_of::<libc::clone_args>()) } as c_int)
}

/// Forks this process.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: the guard has one thread, so the child finds every lock free and every structure whole.
    forked(unsafe { libc::fork() })
}

/// Waits in uninterruptible sleep for a child that does nothing, until both are killed.
#[cfg(test)]
pub(super) fn hang() -> ! {
    // SAFETY: the child shares no memory, so this is a fork after which the parent waits; the child only pauses.
    unsafe {
        if libc::syscall(libc::SYS_clone, libc::CLONE_VFORK | libc::SIGCHLD, 0, 0, 0, 0) == 0 {
            loop {
                libc::pause();
            }
        }
        libc::_exit(0)
    }
}

fn forked(returned: c_int) -> io::Result<Forked> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid).map_or(Forked::Child, Forked::Parent)),
    }
}

/// Arguments or environment of a program, as `execve` takes them.
pub(super) struct ExecWords {
    pointers: Vec<*const c_char>,
    // What the pointers point to.
    _words: Vec<CString>,
}

impl ExecWords {
    pub(super) fn new(words: Vec<CString>) -> Self {
        let pointers = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
        Self { pointers, _words: words }
    }
}

/// Replaces this process by `program`; returns only on failure.
pub(super) fn exec(program: &CStr, args: &ExecWords, env: &ExecWords) -> io::Error {
    // SAFETY: all three are NUL-terminated (the arrays by a null pointer) and outlive the call.
    unsafe { libc::execve(program.as_ptr(), args.pointers.as_ptr(), env.pointers.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process without running any destructor or exit handler.
pub(super) fn exit_now(code: c_int) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Closes every descriptor from `first` on: on exec, or at once if `now`.
pub(super) fn close_from(first: u32, now: bool) -> io::Result<()> {
    let flags = if now { 0 } else { libc::CLOSE_RANGE_CLOEXEC };
    // SAFETY: takes numbers. `now` is used only by processes that need no descriptor any more.
    let closed = done(unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) });
    closed.or_else(|_| close_listed_from(first, now))
}

/// As [`close_from`], one by one, for kernels before 5.11.
fn close_listed_from(first: u32, now: bool) -> io::Result<()> {
    let mut listed = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        listed.extend(entry?.file_name().to_str().and_then(|name| name.parse::<c_int>().ok()));
    }
    for fd in listed.into_iter().filter(|fd| *fd >= first as c_int) {
        // SAFETY: takes numbers; see `close_from`. One that is closed already (that of the listing) is refused.
        unsafe { if now { libc::close(fd) } else { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) } };
    }
    Ok(())
}

/// Blocks all signals and returns a descriptor that is readable when a child has ended.
pub(super) fn block_signals() -> io::Result<OwnedFd> {
    // SAFETY: the sets are plain data, initialised by the calls that are there for it; the descriptor is new and ours.
    unsafe {
        let mut all = no_signals();
        libc::sigfillset(&raw mut all);
        done(libc::sigprocmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut()))?;
        let mut child = no_signals();
        libc::sigaddset(&raw mut child, libc::SIGCHLD);
        let fd = libc::signalfd(-1, &raw const child, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Resets every signal to its default action and unblocks all, as programs expect.
pub(super) fn reset_signals() {
    /// The kernel's own structure is smaller on all machines; all zero is the default action without flags.
    const DEFAULT_ACTION: [u64; 8] = [0; 8];
    /// Bytes of the kernel's set of signals.
    const SET_BYTES: usize = 8;
    // SAFETY: the default action runs no code of ours; the set is initialised before use. The kernel is asked directly
    // since libc refuses to touch the signals that it reserves. SIGKILL and SIGSTOP are refused, and have no other.
    unsafe {
        for signal in 1..=64 {
            let none = ptr::null_mut::<u8>();
            libc::syscall(libc::SYS_rt_sigaction, signal, DEFAULT_ACTION.as_ptr(), none, SET_BYTES);
        }
        let none = no_signals();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

fn no_signals() -> libc::sigset_t {
    // SAFETY: the set is plain data, initialised by the call that is there for it.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        none
    }
}

/// Makes exceeding the file size limit an ordinary error, as a full disk is, instead of a fatal signal. Call it once, early
/// in `main`.
pub fn outlive_file_limit() {
    ignore(libc::SIGXFSZ);
}

/// Ignores a signal; of children, the kernel then reaps them by itself.
pub(super) fn ignore(signal: c_int) {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Has this process run soon after it wakes up, however many others are ready; children are not affected.
///
/// It gets the greatest share of the processor where that is permitted, mostly to root only, and short turns (Linux 6.12).
/// If both are refused, nothing changes. It is for good: see [`super::threads::ShortTurns`] for threads that do so for a
/// while.
pub(super) fn run_soon() {
    let nice = rustix::process::getpriority_process(None).unwrap_or(0);
    if !set_schedule(libc::SCHED_OTHER, 0, -20, SHORT_TURN_NS) {
        set_schedule(libc::SCHED_OTHER, 0, nice, SHORT_TURN_NS);
    }
}

/// Lets the calling thread have turns of this length, and its priority as it is; whether it has an ordinary policy and the
/// kernel accepted it. Children are not affected.
pub(super) fn take_turns(turn_ns: u64) -> bool {
    let nice = rustix::process::getpriority_process(None).unwrap_or(0);
    policy() == libc::SCHED_OTHER && set_schedule(libc::SCHED_OTHER, 0, nice, turn_ns)
}

/// The scheduling policy of the calling thread.
pub(super) fn policy() -> c_int {
    // SAFETY: takes a number. The kernel is asked directly, since not every libc has a call for it.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    policy as c_int & !libc::SCHED_RESET_ON_FORK
}

/// Does `work` ahead of all other processes on this processor, where that is permitted: a fork bomb leaves no time
/// otherwise.
///
/// Keep `work` short, and never reap in it: the kernel spins until readers of the dead process in `/proc` have released
/// it, and a reader on this processor would never get to run.
pub(super) fn run_first<T>(work: impl FnOnce() -> T) -> T {
    let first = set_schedule(libc::SCHED_RR, 1, 0, 0);
    let done = work();
    if first {
        run_soon();
    }
    done
}

/// Has this thread run ahead of all ordinary ones where that is permitted, mostly to root only; otherwise soon. For a
/// thread that only inspects, signals and waits: see [`run_first`] for what it must not do.
pub(super) fn run_before_others() {
    if !set_schedule(libc::SCHED_RR, 1, 0, 0) {
        run_soon();
    }
}

/// The shortest turn that the kernel grants. Short turns come sooner.
pub(super) const SHORT_TURN_NS: u64 = 100_000;
/// Turns as the system has them.
pub(super) const USUAL_TURN_NS: u64 = 0;

/// Sets the scheduling policy, for ordinary threads with turns of `turn_ns`; whether the kernel accepted it.
pub(super) fn set_schedule(policy: c_int, priority: u32, nice: i32, turn_ns: u64) -> bool {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: policy.cast_unsigned(),
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
        sched_nice: nice,
        sched_priority: priority,
        sched_runtime: turn_ns,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the structure says its size and is read by the call.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
}

/// The length of the turns of the calling thread; 0 before Linux 6.12.
#[cfg(test)]
pub(super) fn turn_ns() -> u64 {
    // SAFETY: all zero is a value of this plain structure.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::sched_attr>();
    // SAFETY: the kernel writes at most `size` bytes into the structure.
    let read = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    assert_eq!(read, 0, "{}", io::Error::last_os_error());
    attributes.sched_runtime
}

/// Kills all processes that this one may signal, at once, so that none can escape by forking.
pub(super) fn kill_all() {
    // SAFETY: takes numbers. It fails if there is none, which is as good.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// A timer that interrupts system calls of its thread.
#[derive(Debug)]
pub struct Alarm(libc::timer_t);

impl Alarm {
    /// An alarm for the calling thread. It takes the first real-time signal of this process.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has none left.
    pub fn of_this_thread() -> io::Result<Self> {
        extern "C" fn nothing(_signal: c_int) {}
        let signal = libc::SIGRTMIN();
        // SAFETY: structures are plain data of ours, filled in before they are passed or by the call; the handler does
        // nothing, so it may run at any time. Without SA_RESTART, which is what it is for.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = nothing as extern "C" fn(c_int) as usize;
            done(libc::sigaction(signal, &raw const action, ptr::null_mut()))?;
            // Our parent may have blocked the signal.
            let mut signals = no_signals();
            libc::sigaddset(&raw mut signals, signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const signals, ptr::null_mut());
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer = ptr::null_mut();
            done(libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer))?;
            Ok(Self(timer))
        }
    }

    /// Fires after `first`, and then every `again`, so that a call that begins just as it fires is not missed. Zero means
    /// never.
    pub fn set(&self, first: Duration, again: Duration) {
        let timespec = |time: Duration| libc::timespec {
            tv_sec: time.as_secs().try_into().unwrap_or(libc::time_t::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        let times = libc::itimerspec { it_interval: timespec(again), it_value: timespec(first) };
        // SAFETY: the timer is ours and lives; the structure outlives the call, which fails for no times like these.
        unsafe { libc::timer_settime(self.0, 0, &raw const times, ptr::null_mut()) };
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        // SAFETY: the timer is ours and not used any more.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// Processor time of a process, all threads; `None` if there is no such process.
pub(super) fn cpu_time(pid: i32) -> Option<Duration> {
    /// The clock of scheduled time, as the kernel's posix-cpu-timers number it; the rest of the number is the process.
    const SCHEDULED: c_int = 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is plain data of ours, filled in by the call; a number that names no process is refused.
    let done = unsafe { libc::clock_gettime((!pid << 3) | SCHEDULED, &raw mut time) };
    (done == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Memory of the data that was sent over a socket and not read yet, in bytes.
pub(super) fn unread_bytes(socket: &OwnedFd) -> io::Result<u64> {
    let mut bytes: c_int = 0;
    // SAFETY: the number outlives the call, which fills it in (`SIOCOUTQ`, which has the number of this one).
    done(unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) })?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

/// Restricts the system calls of this process by `filter`, and returns what tells of those that it does not decide
/// (`seccomp_unotify(2)`). Such a call waits until [`refuse`] answers it.
pub(super) fn filter_and_listen(filter: &[sock_filter]) -> io::Result<OwnedFd> {
    let len = filter.len().try_into().map_err(io::Error::other)?;
    let program = libc::sock_fprog { len, filter: filter.as_ptr().cast_mut().cast() };
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    // SAFETY: the steps have the layout of the kernel's and outlive the call, which reads them; the descriptor is new and
    // ours.
    unsafe {
        match libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) {
            fd @ 0.. => Ok(OwnedFd::from_raw_fd(fd as c_int)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Has calls that `listener` tells of answered on their own processor, which takes a fifth of the time (Linux 6.6; older ones
/// refuse). Not for the process that the filter restricts: it would wait for its own answer.
pub(super) fn answer_nearby(listener: &OwnedFd) {
    /// `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP` of the kernel's `seccomp.h`.
    const SYNC_WAKE_UP: u64 = 1;
    // SAFETY: takes numbers.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) };
}

/// The number of the next call that `listener` tells of, and what [`refuse`] takes for it. It fails if that call waits no longer.
/// Without one that waits, it may wait for one.
pub(super) fn next_call(listener: &OwnedFd) -> io::Result<(u32, u64)> {
    // SAFETY: plain data, for which all zero is valid, and demanded. It is that of this request and outlives it.
    unsafe {
        let mut call: libc::seccomp_notif = std::mem::zeroed();
        done(libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call))?;
        Ok((call.data.nr.cast_unsigned(), call.id))
    }
}

/// Lets a call fail with `EPERM`.
pub(super) fn refuse(listener: &OwnedFd, call: u64) {
    // SAFETY: as in `next_call`. It fails if the process was killed meanwhile.
    unsafe {
        let mut answer: libc::seccomp_notif_resp = std::mem::zeroed();
        (answer.id, answer.error) = (call, -libc::EPERM);
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer);
    }
}

/// Moves this process into new namespaces.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: unsafe for threads that share descriptors or files; the guard and its child have one thread each.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Makes the mount at `path` (relative to `dir`, or `dir` itself if empty), and all below it, read-only and without effect
/// of set-id bits.
pub(super) fn make_read_only(dir: impl AsFd, path: &CStr) -> io::Result<()> {
    // SAFETY: plain data, for which all zero is valid and means no change.
    let mut attributes: libc::mount_attr = unsafe { std::mem::zeroed() };
    attributes.attr_set = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;
    let (dir, path, size) = (dir.as_fd().as_raw_fd(), path.as_ptr(), size_of::<libc::mount_attr>());
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: path is NUL-terminated, the structure has the size that is passed; both outlive the call.
    done(unsafe { libc::syscall(libc::SYS_mount_setattr, dir, path, flags, &raw const attributes, size) })
}

/// The result of a call that returns 0 on success.
fn done(returned: impl Into<i64>) -> io::Result<()> {
    if returned.into() == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
