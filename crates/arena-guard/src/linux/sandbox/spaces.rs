//! Namespaces: a bot sees only its own processes, can change only its scratch folder, and has an empty `/tmp`. This needs no
//! privilege, but the system must permit user namespaces.
//!
//! A bot that otherwise sees the files of the machine still gets a `/dev/shm` of its own where possible. The locks of
//! Python's `multiprocessing` (`sem_open`) are files there; the machine's would be a channel between bots.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags};
use rustix::process::{Pid, Signal, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, UnshareFlags};

use super::sys::{self, Forked};
use super::{Request, SandboxMode, StartFailed, StartStage};

/// Folders that are private and empty for every bot.
pub(super) const PRIVATE: [&str; 2] = ["/tmp", SHM];
/// The folder of shared memory.
pub(super) const SHM: &str = "/dev/shm";
/// Size of each of these.
const PRIVATE_SIZE: &CStr = c"size=64m,nr_inodes=8k,mode=1777";
/// Entries that stay in `/proc`, besides processes.
const OF_MACHINE: [&str; 7] = ["cpuinfo", "filesystems", "meminfo", "stat", "sys", "uptime", "version"];
/// The folder of settings that also holds counters of the whole machine, such as open files.
const COUNTERS: &str = "/proc/sys/fs";
/// The user and group that a bot of root sees itself as: ordinary ones, so that it has no power over its namespaces.
const PLAIN_ID: u32 = 1000;

/// Puts this process into new namespaces; its children are in a new process namespace, in which the first must be
/// [`start_init`].
pub(in crate::linux) fn enter(has_network: bool) -> Result<(), StartFailed> {
    let uid = rustix::process::getuid().as_raw();
    let gid = rustix::process::getgid().as_raw();
    let as_plain = |id: u32| (if id == 0 { PLAIN_ID } else { id }, id);
    // The network namespace hides what `/proc` shows of networks; bots get no sockets anyway.
    let network = if has_network { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
    let kernel = UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS | network;
    let all = "new user, process, ipc, host name and network namespaces";
    sys::unshare(UnshareFlags::NEWUSER | kernel).map_err(StartFailed::at(StartStage::Namespaces, all))?;
    map_ids(as_plain(uid), as_plain(gid))?;
    rustix::system::sethostname(b"arena").map_err(StartFailed::at(StartStage::Namespaces, "host name"))
}

/// Maps the user and the group (inside, outside) of the new user namespace of this process.
fn map_ids(user: (u32, u32), group: (u32, u32)) -> Result<(), StartFailed> {
    let write =
        |path: &str, text: String| std::fs::write(path, text).map_err(StartFailed::at(StartStage::Namespaces, path));
    let line = |(inside, outside): (u32, u32)| format!("{inside} {outside} 1");
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", line(user))?;
    write("/proc/self/gid_map", line(group))
}

/// Keeps the mounts of this process's namespace private.
fn keep_mounts(propagation: MountPropagationFlags) -> Result<(), StartFailed> {
    rustix::mount::mount_change("/", MountPropagationFlags::REC | propagation)
        .map_err(StartFailed::at(StartStage::Mounts, "keeping mounts to itself"))
}

/// Mounts an empty folder of limited size over this one.
fn mount_empty(path: &str) -> Result<(), StartFailed> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("tmpfs", path, "tmpfs", flags, PRIVATE_SIZE).map_err(StartFailed::at(StartStage::Mounts, path))
}

/// Starts the first process of the new process namespace: it adopts orphans, and when it ends, all of them end.
pub(in crate::linux) fn start_init() -> Result<Pid, StartFailed> {
    match sys::fork().map_err(StartFailed::at(StartStage::Namespaces, ""))? {
        Forked::Parent(pid) => Ok(pid),
        Forked::Child => {
            // All signals are blocked, as in the guard; errors cannot be reported from here.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let _ = rustix::process::setsid();
            sys::ignore(libc::SIGCHLD);
            let _ = sys::close_from(0, true);
            loop {
                rustix::event::pause();
            }
        }
    }
}

/// Gives this process a private view of the files: everything is read-only except the scratch folder and that of a build, `/tmp` and `/dev/shm`
/// are empty, and `/proc` shows the processes of its namespace and very little of the machine.
pub(in crate::linux) fn private_view(request: &Request) -> Result<(), StartFailed> {
    sys::unshare(UnshareFlags::NEWNS).map_err(StartFailed::at(StartStage::Mounts, "new mount namespace"))?;
    keep_mounts(MountPropagationFlags::PRIVATE)?;
    // Opened before they disappear under the empty folders.
    let mut held = Vec::new();
    for (path, writable) in seen_in(request) {
        match hold(path, writable) {
            Ok(tree) => held.push((path, tree)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !writable => {}
            Err(error) => return Err(StartFailed::at(StartStage::Mounts, path)(error)),
        }
    }
    sys::make_read_only(rustix::fs::CWD, c"/")
        .map_err(StartFailed::at(StartStage::Mounts, "making all files read-only"))?;
    for path in PRIVATE.into_iter().filter(|path| Path::new(path).is_dir()) {
        mount_empty(path)?;
    }
    let is_hidden = |path: &Path| PRIVATE.iter().any(|private| path.starts_with(private));
    let dir = Path::new(&request.dir);
    if is_hidden(dir) {
        std::fs::create_dir_all(dir).map_err(StartFailed::at(StartStage::Mounts, dir))?;
    }
    for (path, (tree, is_dir)) in held {
        if is_hidden(path) {
            make_place(path, is_dir).map_err(StartFailed::at(StartStage::Mounts, path))?;
        }
        rustix::mount::move_mount(&tree, c"", rustix::fs::CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
            .map_err(StartFailed::at(StartStage::Mounts, path))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", "/proc", "proc", flags, None::<&CStr>)
        .map_err(StartFailed::at(StartStage::Mounts, "/proc"))?;
    cap_processes(request.limits.processes);
    hide_machine()
}

/// Empties what `/proc` shows of the machine and its processes, except what programs read when they start. Entries of newer
/// kernels are hidden as well.
fn hide_machine() -> Result<(), StartFailed> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    rustix::mount::mount("tmpfs", COUNTERS, "tmpfs", flags, c"nr_inodes=1")
        .map_err(StartFailed::at(StartStage::Mounts, COUNTERS))?;
    for entry in std::fs::read_dir("/proc").map_err(StartFailed::at(StartStage::Mounts, "/proc"))? {
        let entry = entry.map_err(StartFailed::at(StartStage::Mounts, "/proc"))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(StartFailed::at(StartStage::Mounts, &path))?;
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        // Links lead to the process that follows them.
        if is_process || kind.is_symlink() || OF_MACHINE.iter().any(|known| *known == name) {
            continue;
        }
        let empty = if kind.is_dir() { COUNTERS } else { "/dev/null" };
        rustix::mount::mount_bind(empty, &path).map_err(StartFailed::at(StartStage::Mounts, &path))?;
    }
    Ok(())
}

/// Paths to mount again in the private view: the scratch folder and that of a build, writable, and what lies under a private folder. Parents
/// come before their contents.
fn seen_in(request: &Request) -> Vec<(&Path, bool)> {
    let mut seen: Vec<(&Path, bool)> = request
        .readable
        .paths()
        .filter(|path| PRIVATE.iter().any(|private| path.starts_with(private)))
        .map(|path| (path, false))
        .collect();
    seen.extend(request.writable().map(|path| (path, true)));
    seen.sort();
    seen
}

/// A detached mount of `path`, and whether it is a folder.
fn hold(path: &Path, writable: bool) -> io::Result<(OwnedFd, bool)> {
    let is_dir = std::fs::metadata(path)?.is_dir();
    let recursive = if is_dir { OpenTreeFlags::AT_RECURSIVE } else { OpenTreeFlags::empty() };
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | recursive;
    let tree = rustix::mount::open_tree(rustix::fs::CWD, CString::new(path.as_os_str().as_bytes())?, flags)?;
    if !writable {
        sys::make_read_only(&tree, c"")?;
    }
    Ok((tree, is_dir))
}

fn make_place(path: &Path, is_dir: bool) -> io::Result<()> {
    if is_dir {
        return std::fs::create_dir_all(path);
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::File::create(path).map(drop)
}

/// The largest process number in a namespace of a bot with this limit on processes. Threads have numbers too.
pub(in crate::linux) fn numbers_max(processes: u64) -> u64 {
    /// Lower numbers are assigned only once.
    const RESERVED: u64 = 300;
    processes.max(2).saturating_add(RESERVED)
}

/// Limits process numbers, and so the processes: the only limit on a fork bomb of root. Kernels before 6.14
/// have it only for the whole machine and refuse; there the guard counts.
fn cap_processes(processes: u64) {
    if processes > 0 {
        let _ = std::fs::write("/proc/sys/kernel/pid_max", numbers_max(processes).to_string());
    }
}

/// Whether this bot gets a private `/dev/shm` though it sees the files of the machine: not under
/// [`SandboxMode::Strict`], which has its own view of them, and not if the bot needs something in
/// the machine's.
pub(in crate::linux) fn wants_own_shm(request: &Request) -> bool {
    let Ok(real) = Path::new(SHM).canonicalize() else { return false };
    let is_there = |path: &Path| path.starts_with(SHM) || path.starts_with(&real);
    let given = [&request.program, &request.dir, &request.scratch].into_iter().chain(&request.listable).map(Path::new);
    matches!(request.sandbox, SandboxMode::Auto | SandboxMode::Landlock)
        && !given.chain(request.readable.paths()).any(is_there)
}

/// Gives this process, and all that it starts, an empty private `/dev/shm`: in a mount namespace, and for an ordinary user in a
/// user namespace with the same user and group numbers. After an error the process may be in an intermediate state and
/// must end.
pub(crate) fn enter_own_shm() -> Result<(), StartFailed> {
    let mine = rustix::thread::capabilities(None).map_err(StartFailed::at(StartStage::Mounts, "its capabilities"))?;
    let spaces = if mine.effective.contains(CapabilitySet::SYS_ADMIN) {
        UnshareFlags::NEWNS
    } else if mine.permitted.is_empty() {
        UnshareFlags::NEWNS | UnshareFlags::NEWUSER
    } else {
        // In a user namespace it would lose access to files of other users, which bots of root have.
        return Err(StartFailed::at(StartStage::Mounts, "new mount namespace")(rustix::io::Errno::PERM));
    };
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    sys::unshare(spaces).map_err(StartFailed::at(StartStage::Mounts, "new mount namespace"))?;
    if spaces.contains(UnshareFlags::NEWUSER) {
        map_ids((uid, uid), (gid, gid))?;
    }
    // Unmounts on the machine propagate here, so that a bot keeps no disk busy; nothing propagates back.
    keep_mounts(MountPropagationFlags::DOWNSTREAM)?;
    mount_empty(SHM)
}

/// Content of the private folders of a process, in KiB: memory that need not be mapped. 0 if they are those of the machine
/// or may not be read.
pub(in crate::linux) fn held_kb(process: i32) -> u64 {
    super::kernel::sum(PRIVATE.into_iter().filter_map(|folder| held_in(process, folder)))
}

fn held_in(process: i32, folder: &str) -> Option<u64> {
    let theirs = PathBuf::from(format!("/proc/{process}/root{folder}"));
    let device = |path: &Path| rustix::fs::stat(path).ok().map(|stat| stat.st_dev);
    let is_private = device(&theirs)? != device(Path::new(folder))?;
    let fs = rustix::fs::statvfs(&theirs).ok().filter(|_| is_private)?;
    Some(fs.f_blocks.saturating_sub(fs.f_bfree).saturating_mul(fs.f_frsize) / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_with_files_in_the_shm_of_the_machine_gets_none_of_its_own() {
        if !Path::new(SHM).is_dir() {
            return;
        }
        let request = |scratch: &str, sandbox| Request {
            sandbox,
            ..Request::new(Path::new("sh"), Path::new("/"), Path::new(scratch))
        };
        let wanted = [("/tmp/x", SandboxMode::Auto), ("/dev/shmx", SandboxMode::Landlock)];
        let unwanted = [
            ("/tmp/x", SandboxMode::Off),
            ("/tmp/x", SandboxMode::Strict),
            ("/dev/shm/x", SandboxMode::Auto),
            ("/dev/shm", SandboxMode::Landlock),
        ];
        for (scratch, mode) in wanted {
            assert!(wants_own_shm(&request(scratch, mode)), "{scratch} {mode}");
        }
        for (scratch, mode) in unwanted {
            assert!(!wants_own_shm(&request(scratch, mode)), "{scratch} {mode}");
        }
        let reads =
            Request { readable: "/dev/shm/bots/mine".to_owned().into(), ..request("/tmp/x", SandboxMode::Auto) };
        assert!(!wants_own_shm(&reads));
    }

    #[test]
    fn nothing_is_held_in_folders_of_the_machine() {
        assert_eq!(held_kb(std::process::id().cast_signed()), 0);
    }
}
