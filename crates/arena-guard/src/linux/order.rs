//! The order to a guard: a request, and what the referee adds to it.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::sandbox::spaces;
use super::{Request, StartFailed, StartStage, threads};

/// A request on its way to the guard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GuardOrder<R> {
    pub(super) request: R,
    /// Processors that the bot may run on: those of the thread that starts it; empty where the system does not report them.
    pub(super) processors: Vec<usize>,
    /// Limit on the user's processes, where the kernel counts only all of a user.
    pub(super) user_processes_max: Option<u64>,
    /// Whether the bot gets a private `/dev/shm`.
    pub(super) own_shm: bool,
    /// The name of its cgroup, if it has one. Its folder is then sent along, after the ends of the pipes.
    pub(super) cgroup: Option<String>,
}

impl<'a> GuardOrder<&'a Request> {
    pub(super) fn new(request: &'a Request, cgroup: Option<String>) -> Self {
        Self {
            request,
            processors: threads::own_processors(),
            user_processes_max: user_processes_max(request),
            own_shm: spaces::wants_own_shm(request) && HAS_OWN_SHM.get() != Some(&false),
            cgroup,
        }
    }
}

/// Whether the system allows bots a private `/dev/shm`. The first start of a bot that wants one tries it.
static HAS_OWN_SHM: OnceLock<bool> = OnceLock::new();

/// Notes that a bot has a private `/dev/shm`: from now on a failure to make one is an error.
pub(super) fn has_own_shm() {
    let _ = HAS_OWN_SHM.set(true);
}

/// Whether a start failed because the system allows no private `/dev/shm`. Then all bots start without one.
pub(super) fn lacks_own_shm(request: &Request, failed: &StartFailed) -> bool {
    // A bot that wants one enters no other namespace, so nothing else fails in these steps.
    matches!(failed.stage, StartStage::Namespaces | StartStage::Mounts)
        && spaces::wants_own_shm(request)
        && !*HAS_OWN_SHM.get_or_init(|| false)
}

/// Slack for other programs that the user starts while bots run.
pub(super) const USERS_SLACK: u64 = 512;

/// Outside of a namespace the kernel counts all processes and threads of a user, so those from before any bot are added.
/// Root is never limited.
fn user_processes_max(request: &Request) -> Option<u64> {
    static OTHERS: OnceLock<u64> = OnceLock::new();
    if rustix::process::getuid().is_root() || request.limits.processes == 0 {
        return None;
    }
    Some(request.limits.processes + USERS_SLACK + OTHERS.get_or_init(count_of_users_threads))
}

fn count_of_users_threads() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::getuid().as_raw();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()))
        .filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me))
        .filter_map(|entry| Some(std::fs::read_dir(entry.path().join("task")).ok()?.count() as u64))
        .sum()
}

/// The error when an order could not be sent to the guard. One that is too long is the bot's fault, by its arguments and
/// environment, unless it has too many readable files.
pub(super) fn unsent(request: &Request, error: io::Error) -> StartFailed {
    use std::io::{Error, ErrorKind};
    /// More readable paths than any ordinary order has.
    const MANY: usize = 1_000;
    match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
            StartFailed::at(StartStage::Guard, "")(Error::other("the guard died"))
        }
        ErrorKind::WouldBlock => {
            StartFailed::at(StartStage::Guard, "")(Error::other("the guard does not read its order"))
        }
        ErrorKind::ArgumentListTooLong => match fullest_folder(request) {
            Some((folder, paths)) if paths > MANY => {
                let beside = "entries beside bots or results, which must stay closed; move those elsewhere";
                StartFailed::at(StartStage::Guard, format!("{} holds {paths} {beside}", folder.display()))(error)
            }
            _ => {
                let errno = rustix::io::Errno::TOOBIG.raw_os_error();
                StartFailed { errno, ..StartFailed::at(StartStage::Exec, "")(error) }
            }
        },
        _ => StartFailed::at(StartStage::Guard, "")(error),
    }
}

/// The folder that directly contains most of the readable paths, and their number.
fn fullest_folder(request: &Request) -> Option<(&Path, usize)> {
    let mut folders = std::collections::BTreeMap::<&Path, usize>::new();
    for folder in request.readable.paths().filter_map(Path::parent) {
        *folders.entry(folder).or_default() += 1;
    }
    folders.into_iter().max_by_key(|(_, paths)| *paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_dev_shm_is_done_without_only_before_a_bot_had_one() {
        use super::super::SandboxMode;
        let request = |sandbox| Request { sandbox, ..Request::new(Path::new("sh"), Path::new("/"), Path::new("/tmp")) };
        let lacks =
            |sandbox, stage| lacks_own_shm(&request(sandbox), &StartFailed::at(stage, "")(rustix::io::Errno::PERM));
        for stage in [StartStage::Guard, StartStage::Landlock, StartStage::Seccomp, StartStage::Exec] {
            assert!(!lacks(SandboxMode::Auto, stage), "{stage}");
        }
        assert!(!lacks(SandboxMode::Strict, StartStage::Mounts), "all of its files are private");
        assert_eq!(HAS_OWN_SHM.get(), None);
        has_own_shm();
        assert!(!lacks(SandboxMode::Auto, StartStage::Mounts));
        let request = request(SandboxMode::Auto);
        assert_eq!(GuardOrder::new(&request, None).own_shm, spaces::wants_own_shm(&request));
    }

    #[test]
    fn a_guard_that_takes_no_order_is_ours_and_a_long_one_the_bots() {
        use std::io::ErrorKind;
        let request = Request::new(Path::new("sh"), Path::new("/"), Path::new("/tmp"));
        let unsent = |kind: ErrorKind| unsent(&request, kind.into());
        assert_eq!(unsent(ErrorKind::BrokenPipe).to_string(), "starting its guard: the guard died");
        assert!(unsent(ErrorKind::WouldBlock).is_ours() && unsent(ErrorKind::InvalidInput).is_ours());
        assert!(!unsent(ErrorKind::ArgumentListTooLong).is_ours());
    }
}
