//! A private `/dev/shm` for a bot that otherwise sees the files of the machine. The locks of Python's `multiprocessing`
//! (`sem_open`) are files in `/dev/shm`; the machine's would be a channel between bots.

use std::path::{Path, PathBuf};

use rustix::mount::MountPropagationFlags;
use rustix::thread::{CapabilitySet, UnshareFlags};

use super::spaces::{self, SHM};
use super::{Request, SandboxMode, Stage, StartFailed, sys};

/// Whether this bot gets one: not under [`SandboxMode::Strict`], which includes that, and not if the bot needs something in
/// the machine's.
pub(in crate::guard::linux) fn is_wanted(request: &Request) -> bool {
    let Ok(real) = Path::new(SHM).canonicalize() else { return false };
    let is_there = |path: &Path| path.starts_with(SHM) || path.starts_with(&real);
    let given = [&request.program, &request.dir, &request.scratch].into_iter().chain(&request.listable).map(Path::new);
    matches!(request.sandbox, SandboxMode::Auto | SandboxMode::Landlock)
        && !given.chain(request.readable.paths()).any(is_there)
}

/// Gives this process, and all that it starts, an empty private one: in a mount namespace, and for an ordinary user in a
/// user namespace with the same user and group numbers. After an error the process may be in an intermediate state and
/// must end.
pub(in crate::guard) fn enter() -> Result<(), StartFailed> {
    let mine = rustix::thread::capabilities(None).map_err(StartFailed::at(Stage::Mounts, "its capabilities"))?;
    let spaces = if mine.effective.contains(CapabilitySet::SYS_ADMIN) {
        UnshareFlags::NEWNS
    } else if mine.permitted.is_empty() {
        UnshareFlags::NEWNS | UnshareFlags::NEWUSER
    } else {
        // In a user namespace it would lose access to files of other users, which bots of root have.
        return Err(StartFailed::at(Stage::Mounts, "new mount namespace")(rustix::io::Errno::PERM));
    };
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    sys::unshare(spaces).map_err(StartFailed::at(Stage::Mounts, "new mount namespace"))?;
    if spaces.contains(UnshareFlags::NEWUSER) {
        spaces::map_ids((uid, uid), (gid, gid))?;
    }
    // Unmounts on the machine propagate here, so that a bot keeps no disk busy; nothing propagates back.
    rustix::mount::mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM)
        .map_err(StartFailed::at(Stage::Mounts, "keeping mounts to itself"))?;
    spaces::mount_empty(SHM)
}

/// Content of the private folders of a process, in KiB: memory that need not be mapped. 0 if they are those of the machine
/// or may not be read.
pub(in crate::guard::linux) fn held_kb(process: i32) -> u64 {
    spaces::PRIVATE.into_iter().filter_map(|folder| held_in(process, folder)).fold(0, u64::saturating_add)
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
    fn whoever_has_files_in_that_of_the_machine_gets_none_of_its_own() {
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
            assert!(is_wanted(&request(scratch, mode)), "{scratch} {mode}");
        }
        for (scratch, mode) in unwanted {
            assert!(!is_wanted(&request(scratch, mode)), "{scratch} {mode}");
        }
        let reads =
            Request { readable: "/dev/shm/bots/mine".to_owned().into(), ..request("/tmp/x", SandboxMode::Auto) };
        assert!(!is_wanted(&reads));
    }

    #[test]
    fn nothing_is_held_in_folders_of_the_machine() {
        assert_eq!(held_kb(std::process::id().cast_signed()), 0);
    }
}
