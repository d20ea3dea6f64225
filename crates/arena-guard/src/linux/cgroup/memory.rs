//! The memory of a bot's cgroup, where the system lets us limit it: the kernel then counts what no process shows, such as
//! mappings, page tables, files in memory and queues.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, mkdirat, openat};
use rustix::io::Errno;

use super::{FOLDER, PREFIX, read, write};
use crate::linux::{kernel, tree};

const CONTROLLERS: &CStr = c"cgroup.controllers";
const SUBTREE: &CStr = c"cgroup.subtree_control";
const PROCESSES: &CStr = c"cgroup.procs";
const CURRENT: &CStr = c"memory.current";
const DETAILS: &CStr = c"memory.stat";
const MAX: &CStr = c"memory.max";
const SWAP: &CStr = c"memory.swap.max";
const GROUP: &CStr = c"memory.oom.group";
const EVENTS: &CStr = c"memory.events";
/// Beyond the limit on memory, which the guard checks first: room for kernel stacks and files that can be read again.
const SLACK_BYTES: u64 = 64 << 20;

/// Has the kernel count the memory of the cgroups below `own`; whether it does.
///
/// It refuses that to a cgroup with processes. If there are none but this process and its guards, as in a scope of systemd
/// with `Delegate=yes`, they move to a cgroup below.
pub(super) fn count_in(own: &OwnedFd) -> bool {
    let lists_memory =
        |file| read(own, file).is_some_and(|text| text.split_ascii_whitespace().any(|word| word == "memory"));
    if !lists_memory(CONTROLLERS) {
        return false;
    }
    let enable = || lists_memory(SUBTREE) || write(own, SUBTREE, b"+memory").is_ok();
    enable() || step_aside(own).is_some() && enable()
}

/// Moves this process and its guards to a cgroup below `own`, if they are alone in it. It is removed as stale by the next
/// arena.
fn step_aside(own: &OwnedFd) -> Option<()> {
    let me = std::process::id().cast_signed();
    let listed = read(own, PROCESSES)?;
    let there: Vec<i32> = listed.split_ascii_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let ours = tree::below(vec![me]);
    if !there.iter().all(|pid| ours.contains(pid)) {
        return None;
    }
    let name = format!("{PREFIX}{me}-self");
    mkdirat(own, &name, Mode::RWXU).or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) }).ok()?;
    let aside = openat(own, &name, FOLDER, Mode::empty()).ok()?;
    // One that has ended meanwhile need not be moved.
    there
        .iter()
        .try_for_each(|pid| match write(&aside, PROCESSES, pid.to_string().as_bytes()) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error),
        })
        .ok()
}

/// Limits the memory of a cgroup to `mb` MiB and a little more, and has all of it killed at that limit.
pub(super) fn limit(folder: &OwnedFd, mb: u64) {
    let bytes = mb.saturating_mul(1 << 20).saturating_add(SLACK_BYTES);
    // Where memory is not counted there are no such files; where there is no swap, only that one is missing.
    for (file, value) in [(MAX, bytes.to_string()), (SWAP, "0".to_owned()), (GROUP, "1".to_owned())] {
        let _ = write(folder, file, value.as_bytes());
    }
}

/// What the processes in a cgroup hold, in KiB, without what the kernel can drop: pages of files, and its own notes of them.
/// `None` if it does not count.
pub(super) fn held_kb(folder: &OwnedFd) -> Option<u64> {
    let all: u64 = read(folder, CURRENT)?.trim().parse().ok()?;
    let stat = read(folder, DETAILS)?;
    let part = |name| kernel::number(&stat, name).unwrap_or(0);
    let files = part("file ").saturating_sub(part("shmem "));
    Some(all.saturating_sub(files.saturating_add(part("slab_reclaimable "))) / 1024)
}

/// Whether the kernel has killed something in a cgroup because of its limit.
pub(super) fn was_exceeded(folder: &OwnedFd) -> bool {
    read(folder, EVENTS).and_then(|text| kernel::number(&text, "oom_kill ")).is_some_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::CWD;

    use super::*;

    /// Plain files stand in for those of a cgroup.
    #[test]
    fn memory_is_counted_and_limited_where_the_system_lets_us() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let text = |name: &str| fs::read_to_string(path(name)).unwrap();
        let folder = openat(CWD, place.path(), FOLDER, Mode::empty()).unwrap();
        assert!(!count_in(&folder) && !was_exceeded(&folder), "there is no controller");
        limit(&folder, 1);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);

        fs::write(path("cgroup.controllers"), "cpu hugetlb\n").unwrap();
        fs::write(path("cgroup.subtree_control"), "").unwrap();
        assert!(!count_in(&folder));
        fs::write(path("cgroup.controllers"), "cpu memory\n").unwrap();
        assert!(count_in(&folder));
        assert_eq!(text("cgroup.subtree_control"), "+memory");

        for name in ["memory.max", "memory.oom.group"] {
            fs::write(path(name), "").unwrap();
        }
        limit(&folder, 1);
        assert_eq!([text("memory.max"), text("memory.oom.group")], ["68157440", "1"]);
        assert_eq!(held_kb(&folder), None);
        fs::write(path("memory.current"), "10240000\n").unwrap();
        fs::write(path("memory.stat"), "anon 1\nfile 4096000\nshmem 1024000\nslab_reclaimable 102400\n").unwrap();
        assert_eq!(held_kb(&folder), Some(10_000 - 4_000 + 1_000 - 100));
        fs::write(path("memory.events"), "max 9\noom 1\noom_kill 0\noom_group_kill 0\n").unwrap();
        assert!(!was_exceeded(&folder));
        fs::write(path("memory.events"), "max 9\noom 1\noom_kill 2\n").unwrap();
        assert!(was_exceeded(&folder));
    }

    #[test]
    fn nothing_moves_out_of_a_cgroup_that_holds_other_processes() {
        let place = tempfile::tempdir().unwrap();
        let folder = openat(CWD, place.path(), FOLDER, Mode::empty()).unwrap();
        for listed in ["1\n", "x\n", &format!("{}\n1\n", std::process::id())] {
            fs::write(place.path().join("cgroup.procs"), listed).unwrap();
            assert_eq!(step_aside(&folder), None, "{listed}");
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
