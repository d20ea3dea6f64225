//! Processes that hang in the kernel: no signal ends them, and each start after them may hang as well.

use std::fmt;
use std::fs;

use super::tree::{self, Stat};

/// Words in the names of kernel functions in which the installation of a filter hangs: `bpf_prog_pack_alloc`,
/// `seccomp_attach_filter`, `__purge_vmap_area_lazy`.
const OF_FILTERS: [&str; 4] = ["bpf", "seccomp", "vmap", "vfree"];

/// A process in uninterruptible sleep (state D of `proc_pid_stat(5)`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    pid: i32,
    /// The kernel function in which it waits; `None` if this user may not read it.
    channel: Option<String>,
}

/// The first process in uninterruptible sleep among `roots` and all below them. Sleep on a disk is such a sleep too, so this
/// means something only for processes that should have been done long ago.
pub(super) fn find(roots: Vec<i32>) -> Option<Stuck> {
    let is_stuck = |pid: &i32| Stat::of(*pid).is_some_and(|stat| stat.state == b'D');
    tree::below(roots).into_iter().find(is_stuck).map(|pid| {
        let channel = fs::read_to_string(format!("/proc/{pid}/wchan")).ok();
        Stuck { pid, channel: channel.filter(|name| !matches!(name.as_str(), "" | "0")) }
    })
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, channel } = self;
        let name = channel.as_deref().unwrap_or("unknown");
        write!(f, "process {pid} hangs in the kernel (state D, wait channel {name}): ")?;
        f.write_str(match channel {
            Some(name) if OF_FILTERS.iter().any(|word| name.contains(word)) => {
                "the kernel does not install seccomp filters any more; restart the machine, or start bots you trust \
                 with the sandbox `off`"
            }
            Some(_) => "check the disk or network drive it waits for; if there is none, restart the machine",
            None => {
                "the kernel may not install seccomp filters any more; restart the machine, or start bots you trust \
                 with the sandbox `off`"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Signal, WaitOptions, waitpid};

    use super::super::sys::{self, Forked};
    use super::*;
    use crate::time::now;

    /// A parent waits for its child in uninterruptible sleep after `vfork`.
    #[test]
    fn a_process_in_uninterruptible_sleep_is_found_with_its_wait_channel() {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
        let hanging = match sys::fork().unwrap() {
            Forked::Child => sys::hang(),
            Forked::Parent(pid) => pid,
        };
        let begun = now();
        let found = loop {
            let found = find(vec![hanging.as_raw_nonzero().get()]);
            if found.is_some() || begun.elapsed() > PATIENCE {
                break found;
            }
            std::thread::yield_now();
        };
        for pid in tree::below(vec![hanging.as_raw_nonzero().get()]).into_iter().rev() {
            tree::signal(pid, Signal::KILL);
        }
        waitpid(Some(hanging), WaitOptions::empty()).unwrap();
        let found = found.expect("it hangs");
        assert_eq!(found.pid, hanging.as_raw_nonzero().get());
        assert!(found.channel.is_none_or(|name| !name.is_empty()));
    }

    #[test]
    fn the_cure_depends_on_where_it_hangs() {
        let says = |channel: Option<&str>| Stuck { pid: 7, channel: channel.map(str::to_owned) }.to_string();
        let filters = says(Some("bpf_prog_pack_alloc"));
        assert_eq!(
            filters,
            "process 7 hangs in the kernel (state D, wait channel bpf_prog_pack_alloc): the kernel does not install \
             seccomp filters any more; restart the machine, or start bots you trust with the sandbox `off`"
        );
        assert!(says(Some("nfs_wait_bit_killable")).contains("check the disk or network drive"));
        assert!(says(None).contains("wait channel unknown): the kernel may not install seccomp filters any more"));
    }
}
