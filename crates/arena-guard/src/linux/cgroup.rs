//! A cgroup (version 2) for each bot, where the system permits one. It counts the processor time of all processes that were
//! ever in it, and one write stops or kills all of them. This needs no controller. Where the system lets us use that for
//! memory, it also limits the [`memory`] of the bot.
//!
//! The referee creates it, the guard forks the bot into it, and both try to remove it.

mod memory;

use std::ffi::{CStr, CString};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::kernel;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Prefix of the names of our cgroups, followed by the process number of the arena and a counter.
const PREFIX: &str = "arena-";
/// Files that a cgroup must have (Linux 5.14).
const NEEDED: [&CStr; 3] = [KILL, FREEZE, STAT];
const KILL: &CStr = c"cgroup.kill";
const FREEZE: &CStr = c"cgroup.freeze";
const STAT: &CStr = c"cpu.stat";
/// Nesting depth to which cgroups of arenas that run as bots are removed.
const NESTED_MAX: usize = 4;
const EVENTS: &CStr = c"cgroup.events";
const FROZEN: &str = "frozen 1";

/// Our own cgroup, parent of those of the bots; `None` if none can be created there.
static OWN: OnceLock<Option<OwnedFd>> = OnceLock::new();
/// Whether the kernel counts the memory of the cgroups of bots.
static COUNTS_MEMORY: OnceLock<bool> = OnceLock::new();

/// The cgroup of one bot.
#[derive(Debug)]
pub(super) struct Cgroup {
    name: CString,
    folder: OwnedFd,
    /// Opened on first use, to keep starts quick, and kept open: resuming must work even when no file can be opened.
    stat: OnceLock<OwnedFd>,
    freezer: OnceLock<OwnedFd>,
}

impl Cgroup {
    /// Creates one for a bot that may use `memory_mb` MiB, 0 for any amount; `None` where the system does not permit one.
    pub(super) fn create(memory_mb: u64) -> Option<Self> {
        let own = OWN.get_or_init(find_own).as_ref()?;
        let cgroup = create_in(own)?;
        if memory_mb > 0 && *COUNTS_MEMORY.get_or_init(|| memory::count_in(own)) {
            memory::limit(&cgroup.folder, memory_mb);
        }
        Some(cgroup)
    }

    /// Whether the kernel has killed something in it for using too much memory.
    pub(super) fn was_out_of_memory(&self) -> bool {
        memory::was_exceeded(&self.folder)
    }

    /// What the processes in it hold, in KiB, if the kernel counts it.
    pub(super) fn memory_kb(&self) -> Option<u64> {
        memory::held_kb(&self.folder)
    }

    /// The one that was created in another process, by its name and folder.
    pub(super) fn received(name: &str, folder: OwnedFd) -> Option<Self> {
        let name = CString::new(name).ok()?;
        Some(Self { name, folder, stat: OnceLock::new(), freezer: OnceLock::new() })
    }

    /// Its folder, for forking into it.
    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    pub(super) fn name(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }

    /// Processor time of all that was ever in it, in microsecond resolution; running processes may lag by a tick.
    pub(super) fn usage(&self) -> Option<Duration> {
        let mut text = [0; 512];
        let stat = self.opened(&self.stat, STAT, OFlags::RDONLY)?;
        let count = rustix::io::pread(stat, &mut text, 0).ok()?;
        kernel::number(std::str::from_utf8(&text[..count]).ok()?, "usage_usec ").map(Duration::from_micros)
    }

    /// Stops or resumes all processes in it; false if the kernel refuses. A process in a long system call stops at its end.
    pub(super) fn freeze(&self, stop: bool) -> bool {
        let freezer = self.opened(&self.freezer, FREEZE, OFlags::WRONLY);
        freezer.is_some_and(|freezer| rustix::io::pwrite(freezer, if stop { b"1" } else { b"0" }, 0).is_ok())
    }

    /// Whether all processes in it are stopped.
    pub(super) fn is_frozen(&self) -> bool {
        read(&self.folder, EVENTS).is_some_and(|text| text.contains(FROZEN))
    }

    /// Kills all processes in it at once, frozen or not; false if the kernel refuses.
    pub(super) fn kill(&self) -> bool {
        write(&self.folder, KILL, b"1").is_ok()
    }

    /// One of its files, kept open; `None` if it cannot be opened now.
    fn opened<'a>(&self, file: &'a OnceLock<OwnedFd>, name: &CStr, how: OFlags) -> Option<&'a OwnedFd> {
        if file.get().is_none() {
            let opened = openat(&self.folder, name, how | OFlags::CLOEXEC, Mode::empty()).ok()?;
            // If another thread was faster, its descriptor is used.
            let _ = file.set(opened);
        }
        file.get()
    }
}

/// Removes it if no process in it lives: when the last of referee and guard drops it.
impl Drop for Cgroup {
    fn drop(&mut self) {
        if let Ok(above) = openat(&self.folder, c"..", FOLDER, Mode::empty()) {
            // This fails if the other one was faster, or something still lives.
            let _ = remove_in(&above, &self.name, NESTED_MAX);
        }
    }
}

/// The content of a file of a cgroup, of which all are small but the list of processes.
fn read(folder: &OwnedFd, file: &CStr) -> Option<String> {
    let file = openat(folder, file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = String::new();
    std::fs::File::from(file).read_to_string(&mut text).ok()?;
    Some(text)
}

fn write(folder: &OwnedFd, file: &CStr, text: &[u8]) -> rustix::io::Result<()> {
    let file = openat(folder, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text).map(drop)
}

fn create_in(own: &OwnedFd) -> Option<Cgroup> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{PREFIX}{}-{number}", std::process::id());
    mkdirat(own, &name, Mode::RWXU).ok()?;
    let Ok(folder) = openat(own, &name, FOLDER, Mode::empty()) else {
        let _ = unlinkat(own, &name, AtFlags::REMOVEDIR);
        return None;
    };
    Cgroup::received(&name, folder)
}

/// Our own cgroup, if others can be created in it: where it is mounted, or else, as root, through a detached mount.
fn find_own() -> Option<OwnedFd> {
    let path = own_path(&std::fs::read_to_string("/proc/self/cgroup").ok()?)?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounted = place(&mounts, &path).and_then(|place| openat(CWD, place, FOLDER, Mode::empty()).ok());
    [mounted, mount(&path)].into_iter().flatten().find(|own| {
        remove_stale(own);
        create_in(own).is_some_and(|trial| {
            NEEDED.iter().all(|file| rustix::fs::statat(&trial.folder, *file, AtFlags::empty()).is_ok())
        })
    })
}

fn mount(path: &str) -> Option<OwnedFd> {
    let context = fsopen("cgroup2", FsOpenFlags::FSOPEN_CLOEXEC).ok()?;
    fsconfig_create(&context).ok()?;
    let root = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty()).ok()?;
    openat(&root, format!("./{path}"), FOLDER, Mode::empty()).ok()
}

/// Our path in the hierarchy of version 2, from the line `0::PATH` of `/proc/self/cgroup`.
fn own_path(cgroups: &str) -> Option<String> {
    let path = cgroups.lines().find_map(|line| line.strip_prefix("0::"))?;
    // Outside of our cgroup namespace.
    (!path.starts_with("/..")).then(|| path.to_owned())
}

/// Where the cgroup `path` is found, by `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`).
fn place(mounts: &str, path: &str) -> Option<String> {
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut words = mount.split(' ').skip(3);
        let (root, at) = (words.next()?, words.next()?);
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        if !below.is_empty() && !below.starts_with('/') {
            return None;
        }
        // Mount points with escaped characters (`\040` for a space) are not supported.
        (kind.starts_with("cgroup2 ") && !at.contains('\\')).then(|| format!("{at}/{below}"))
    })
}

/// Removes the cgroups of arenas that were killed together with their guards. Those whose arena lives are left alone, and
/// the kernel removes only empty ones.
fn remove_stale(own: &OwnedFd) {
    let is_stale = |(_, arena): &(CString, u32)| !std::path::Path::new(&format!("/proc/{arena}")).exists();
    for (name, _) in ours_in(own).into_iter().filter(is_stale) {
        let _ = remove_in(own, &name, NESTED_MAX);
    }
}

/// Removes an empty cgroup, after those in it that were left by an arena that ran as a bot.
fn remove_in(above: &OwnedFd, name: &CStr, depth: usize) -> rustix::io::Result<()> {
    let removed = unlinkat(above, name, AtFlags::REMOVEDIR);
    if !matches!(removed, Err(Errno::BUSY | Errno::NOTEMPTY)) || depth == 0 {
        return removed;
    }
    let folder = openat(above, name, FOLDER, Mode::empty())?;
    for (inner, _) in ours_in(&folder) {
        remove_in(&folder, &inner, depth - 1)?;
    }
    unlinkat(above, name, AtFlags::REMOVEDIR)
}

/// The cgroups in a folder that were created by arenas, with the process numbers of these arenas.
fn ours_in(folder: &OwnedFd) -> Vec<(CString, u32)> {
    let entries = Dir::read_from(folder).into_iter().flatten().flatten();
    let ours = entries.filter_map(|entry| {
        let name = entry.file_name();
        let (arena, _) = name.to_str().ok()?.strip_prefix(PREFIX)?.split_once('-')?;
        Some((name.to_owned(), arena.parse().ok()?))
    });
    ours.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_cgroup_is_found_however_it_is_mounted() {
        let path = |text| own_path(text);
        assert_eq!(path("9:cpu:/x\n0::/user.slice/a\n").as_deref(), Some("/user.slice/a"));
        assert_eq!([path("1:cpu:/\n"), path("0::/../b\n"), path("")], [None, None, None]);
        let unified = "30 26 0:27 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw";
        let other = "29 26 0:26 / /sys/fs/cgroup/cpu rw shared:8 - cgroup cgroup rw,cpu";
        let mounts = format!("{other}\n{unified}\n");
        assert_eq!(place(&mounts, "/").as_deref(), Some("/sys/fs/cgroup/unified//"));
        assert_eq!(place(&mounts, "/a/b").as_deref(), Some("/sys/fs/cgroup/unified//a/b"));
        let inside = "30 26 0:27 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw";
        assert_eq!(place(inside, "/docker/1/x").as_deref(), Some("/sys/fs/cgroup//x"));
        let none = [place(inside, "/else"), place(inside, "/docker/10/x"), place(other, "/"), place("", "/")];
        assert_eq!(none, [None, None, None, None]);
    }

    #[test]
    fn what_an_arena_left_that_ran_as_a_bot_goes_too_and_nothing_else() {
        // Plain folders stand in for cgroups: those with something in them are refused likewise.
        let place = tempfile::tempdir().unwrap();
        for folder in ["arena-1-0/arena-2-0/arena-3-0", "arena-1-0/arena-2-1", "arena-x/arena-4-0", "other-5-0"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        let own = openat(CWD, place.path(), FOLDER, Mode::empty()).unwrap();
        let mut ours: Vec<u32> = ours_in(&own).into_iter().map(|(_, arena)| arena).collect();
        ours.sort_unstable();
        assert_eq!(ours, [1]);
        let removed = remove_in(&own, c"arena-1-0", NESTED_MAX);
        // A folder says that it is not empty, a cgroup that it is busy; both are kept if anything else is in them.
        assert!(removed.is_ok() && !place.path().join("arena-1-0").exists());
        assert!(remove_in(&own, c"arena-x", 0).is_err() && place.path().join("arena-x/arena-4-0").exists());
    }
}
