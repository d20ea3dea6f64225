//! What the trial of a sandbox depends on, as far as that can be seen without a process.
//!
//! A trial that was passed need not be repeated while all of this is the same. That is safe only if nothing that could make
//! the sandbox incomplete is left out. So three things are not compared but must hold now: this process is in no Landlock
//! domain, it has no seccomp filter, and `/proc` shows all processes. Neither an enclosing domain nor the content of an
//! enclosing filter can be seen. Where these hold, the kernel has all of Landlock and seccomp that a sandbox needs.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{GuardProgram, SandboxMode, sandbox};
use crate::probe::Circumstances;

/// Files whose whole content matters; one that is absent matters as well.
const COMPARED: [&str; 6] = [
    "/proc/sys/kernel/osrelease",
    "/proc/self/cgroup",
    // The label that a security module has given this process.
    "/proc/self/attr/current",
    // Who may make user namespaces.
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];
/// Lines of the status that matter: users, groups and privileges.
const COMPARED_STATUS: [&str; 9] =
    ["Uid:", "Gid:", "Groups:", "NoNewPrivs:", "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"];
/// Lines that the status must have. A kernel that cannot filter calls has no second line.
const WITHOUT_FILTER: [&str; 2] = ["Seccomp:\t0", "Seccomp_filters:\t0"];
/// Namespaces, whose numbers matter.
const SPACES: [&str; 7] = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];

/// The circumstances of a trial in `mode` with guards from `program`. `None` if a trial is necessary in any case.
pub(crate) fn circumstances(program: &GuardProgram, mode: SandboxMode) -> Option<Circumstances> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let status = fs::read_to_string("/proc/thread-self/status").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let can_filter = sandbox::has_list_of_calls() && is_without_filter(&status);
    if !can_filter || !shows_all_processes(&mounts) || !is_outside_of_landlock() {
        return None;
    }
    let mut all = format!("boot {boot}");
    for file in COMPARED {
        let _ = writeln!(all, "{file} {:?}", fs::read_to_string(file).unwrap_or_default());
    }
    for line in status.lines().filter(|line| COMPARED_STATUS.iter().any(|name| line.starts_with(name))) {
        let _ = writeln!(all, "{line}");
    }
    for space in SPACES {
        let _ = writeln!(all, "{}", fs::read_link(format!("/proc/self/ns/{space}")).unwrap_or_default().display());
    }
    // What starts the guards, and what reads this.
    for file in [program.path().ok()?, Path::new(super::ITSELF)] {
        let _ = writeln!(all, "{}", identity(file)?);
    }
    let hostname = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let subject = format!("{mode} {} {}", program.file()?.display(), hostname.trim());
    let _ = writeln!(all, "{subject}");
    Some(Circumstances { subject, all })
}

/// What changes if a file is replaced or written to.
fn identity(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok()?;
    let [dev, ino, size] = [meta.dev(), meta.ino(), meta.len()];
    let [mtime, mtime_nsec, ctime, ctime_nsec] = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
    Some(format!("file {dev} {ino} {size} {mtime}.{mtime_nsec} {ctime}.{ctime_nsec}"))
}

/// Whether a process with this status has no seccomp filter, and could have one.
fn is_without_filter(status: &str) -> bool {
    WITHOUT_FILTER.iter().all(|wanted| status.lines().any(|line| line == *wanted))
}

/// Whether `/proc` is mounted so that it shows the processes of all users (`proc(5)`, mount options), by
/// `/proc/self/mountinfo`.
fn shows_all_processes(mounts: &str) -> bool {
    let mut of_proc = mounts.lines().filter(|line| line.split(' ').nth(4) == Some("/proc")).peekable();
    of_proc.peek().is_some() && of_proc.all(|line| !line.contains("hidepid=") && !line.contains("subset="))
}

/// Whether this thread is in no Landlock domain, and could enter one that confines signals. Domains are nested to a fixed
/// depth (`LANDLOCK_MAX_NUM_LAYERS` of the kernel), so a thread of its own counts how many it can enter, and ends.
fn is_outside_of_landlock() -> bool {
    const DEPTH_MAX: usize = 16;
    let enter_all = || (0..=DEPTH_MAX).take_while(|_| sandbox::keep_signals_in().unwrap_or(false)).count();
    let thread = std::thread::Builder::new().name("landlock depth".to_owned()).spawn(enter_all);
    // With another depth in a later kernel, nothing is known.
    thread.is_ok_and(|thread| thread.join().is_ok_and(|entered| entered == DEPTH_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\ta\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\nCpus_allowed:\t3\n";

    #[test]
    fn a_filter_of_any_kind_is_seen_as_is_a_kernel_without_filters() {
        assert!(is_without_filter(STATUS));
        for (from, to) in [
            ("Seccomp:\t0", "Seccomp:\t2"),
            ("Seccomp:\t0", "Seccomp:\t1"),
            ("filters:\t0", "filters:\t1"),
            ("filters:\t0", "filters:\t01"),
            ("Seccomp_filters:\t0\n", ""),
            ("Seccomp:\t0\n", ""),
        ] {
            assert!(!is_without_filter(&STATUS.replace(from, to)), "{from} → {to}");
        }
        assert!(!is_without_filter(""));
    }

    #[test]
    fn a_proc_that_hides_processes_is_seen() {
        let line = |options: &str| format!("22 27 0:21 / /proc rw,relatime - proc proc rw{options}\n");
        let other = "23 27 0:22 / /sys rw,hidepid=2 - sysfs sysfs rw\n";
        assert!(shows_all_processes(&[other, &line("")].concat()));
        for options in [",hidepid=2", ",hidepid=invisible,gid=5", ",subset=pid"] {
            assert!(!shows_all_processes(&[&line(""), other, &line(options)].concat()), "{options}");
        }
        assert!(!shows_all_processes(other) && !shows_all_processes(""));
    }

    #[test]
    fn a_domain_around_this_thread_is_seen_and_none_is_left_behind() {
        let is_outside = is_outside_of_landlock();
        assert_eq!(is_outside_of_landlock(), is_outside, "the count does not change what it counts");
        let inside = std::thread::spawn(|| (sandbox::keep_signals_in().unwrap_or(false), is_outside_of_landlock()));
        assert!(matches!(inside.join().expect("no panic"), (false, _) | (true, false)));
        assert_eq!(is_outside_of_landlock(), is_outside);
    }

    #[test]
    fn a_file_that_is_written_to_or_replaced_has_another_identity() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        let write = |text: &str| {
            fs::write(&path, text).unwrap();
            identity(&path).unwrap()
        };
        let first = write("a");
        assert_eq!(identity(&path), Some(first.clone()));
        assert_ne!(write("ab"), first);
        // The new file is made before the old one goes, so it has another number.
        let second = identity(&path).unwrap();
        fs::write(dir.path().join("new"), "ab").unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        assert_ne!(identity(&path), Some(second));
        fs::remove_file(&path).unwrap();
        assert_eq!(identity(&path), None);
    }
}
