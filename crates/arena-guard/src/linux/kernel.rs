//! Kernel memory of a bot that counts as memory of no process: page tables, and data in pipes and sockets.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use super::sys;
use super::tree::Stat;

/// Assumed content of a descriptor that cannot be read.
const UNKNOWN_BYTES: u64 = 1 << 20;

/// Maximum that one descriptor may hold, in KiB, if the bot is `sandboxed` and so cannot exceed the system's defaults; `None` if unknown.
pub(super) fn most_per_descriptor_kb(sandboxed: bool) -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let pipe = number("/proc/sys/fs/pipe-max-size")?;
    // The last message may exceed it, by as much again at most.
    let socket = number("/proc/sys/net/core/wmem_default")?.saturating_mul(2);
    sandboxed.then(|| pipe.max(socket) / 1024)
}

/// The sum, or the largest number.
pub(super) fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

/// The number, perhaps in KiB, in the line of a file in `/proc` that begins with `name`.
pub(super) fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// Content of the pipes and sockets that the processes hold open, in KiB, each counted once. Slower than the bound above,
/// and duplicates each descriptor for a moment.
pub(super) fn queued_kb(all: &[(i32, Stat)]) -> u64 {
    const GONE: [Option<i32>; 2] = [Some(libc::EBADF), Some(libc::ESRCH)];
    let (mut seen, mut bytes) = (BTreeSet::new(), 0_u64);
    for (pid, stat) in all.iter().filter(|(_, stat)| !stat.is_dead()) {
        let open = fs::read_dir(format!("/proc/{}/fd", stat.thread)).into_iter().flatten().flatten();
        let process = Pid::from_raw(*pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        for entry in open {
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            let target = target.into_os_string();
            let queue = match target.as_encoded_bytes() {
                name if name.starts_with(b"pipe:[") => in_pipe,
                name if name.starts_with(b"socket:[") => sys::unread_bytes,
                _ => continue,
            };
            let Some(fd) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if !seen.insert(target) {
                continue;
            }
            let copy = |process| pidfd_getfd(process, fd, PidfdGetfdFlags::empty()).map_err(io::Error::from);
            let waits = match process.as_ref().map(|process| copy(process).and_then(|fd| queue(&fd))) {
                Some(Ok(waits)) => waits,
                // It was just closed, unless the descriptors were read from another thread because the first has ended.
                Some(Err(error)) if stat.thread == *pid && GONE.contains(&error.raw_os_error()) => 0,
                _ => UNKNOWN_BYTES,
            };
            bytes = bytes.saturating_add(waits);
        }
    }
    bytes / 1024
}

/// The capacity of the pipe, unless it is empty: a page may hold a single byte.
fn in_pipe(pipe: &OwnedFd) -> io::Result<u64> {
    let is_empty = rustix::io::ioctl_fionread(pipe)? == 0;
    Ok(if is_empty { 0 } else { rustix::pipe::fcntl_getpipe_size(pipe)? as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_what_the_kernel_tells() {
        let status = "Name:\tVmPTE: 5 kB\nFDSize:\t64\nVmPTE:\t      48 kB\nThreads:\t1\n";
        assert_eq!([number(status, "VmPTE:"), number(status, "FDSize:")], [Some(48), Some(64)]);
        assert_eq!(number("user_usec 1\nusage_usec 1500\n", "usage_usec "), Some(1500));
        assert_eq!([number("user_usec 1\n", "usage_usec "), number("usage_usec x", "usage_usec ")], [None, None]);
    }

    #[test]
    fn what_waits_in_pipes_and_sockets_is_counted_once() {
        use std::io::Write;
        let me = std::process::id().cast_signed();
        let all = [(me, Stat::of(me).unwrap())];
        let (_read, mut pipe) = io::pipe().unwrap();
        rustix::pipe::fcntl_setpipe_size(&pipe, 1 << 20).unwrap();
        pipe.write_all(b"x").unwrap();
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let _again = [ours.try_clone().unwrap(), theirs.try_clone().unwrap()];
        ours.write_all(&[0; 16_000]).unwrap();
        // Other tests have pipes as well, but not such large ones.
        let counted = queued_kb(&all);
        assert!((1024 + 15..2048).contains(&counted), "{counted}");
    }
}
