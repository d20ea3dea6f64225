//! What the kernel tells of processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Children of a process, dead ones included.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists: Vec<_> = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok()).collect();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(|word| word.parse().ok()).collect()
}

pub(crate) fn open_files(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// What a process holds of something, in kB; nothing once it has ended.
pub(crate) fn status_kb(pid: u32, what: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Whether its cgroup is stopped, which its state does not tell.
pub(crate) fn is_frozen(pid: u32) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mounted = mounts.lines().filter(|line| line.starts_with("cgroup2 ") || line.contains(" cgroup2 "));
    let cgroups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let Some(path) = cgroups.lines().find_map(|line| line.strip_prefix("0::")) else { return false };
    let events = mounted.filter_map(|line| {
        let events = format!("{}{path}/cgroup.events", line.split(' ').nth(1)?);
        fs::read_to_string(events).ok()
    });
    events.into_iter().any(|events| events.contains("frozen 1"))
}

/// `R` running, `S` sleeping, `T` stopped, `Z` dead, …
pub(crate) fn state(pid: u32) -> Option<char> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()?.rsplit_once(") ")?.1.chars().next()
}

/// Processes with a working directory in `dir`, by number, with their command lines. A zombie has none.
pub(crate) fn running_in(dir: &Path) -> Vec<(u32, String)> {
    let here = dir.canonicalize().expect("a folder");
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let inside =
        entries.filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&here)));
    let known = inside.filter_map(|entry| {
        let words = fs::read_to_string(entry.path().join("cmdline")).ok()?.replace('\0', " ");
        Some((entry.file_name().to_str()?.parse().ok()?, words))
    });
    known.collect()
}

/// The processors that each thread of a process may use, as the kernel lists them, by the threads' names.
pub(crate) fn allowed_cpus_by_thread(pid: u32) -> BTreeMap<String, String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: fs::DirEntry| {
        let name = fs::read_to_string(thread.path().join("comm")).ok()?;
        let status = fs::read_to_string(thread.path().join("status")).ok()?;
        let cpus = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        Some((name.trim().to_owned(), cpus.trim().to_owned()))
    };
    threads.filter_map(of).collect()
}
