//! System calls that no bot needs, refused by seccomp.
//!
//! A list of what is refused rather than of what is allowed: a runtime may use whatever is harmless, and new calls of
//! new kernels do not break bots.

use std::collections::BTreeMap;
use std::io;

use super::filter::{self, Rule};

/// Refused whatever the arguments.
const REFUSED: &[i64] = &[
    // Sockets; a pair of them, connected to each other alone, is allowed.
    libc::SYS_socket,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    // The processor that a game was given, for the bot as for its opponent.
    libc::SYS_sched_setaffinity,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Ways around all this, and doors into the kernel that have often stood open.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    // What is kept of a file beside its content: Landlock does not look at it, so that whoever owns a file, or reads it,
    // could close it to others, change its times, or leave word on it.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // Memory and queues that others can see and that outlive their maker.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
];

/// Calls of newer kernels than libc knows, the same on all machines.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// The kind of `ioctl` that terminals and pipes have, and all that runtimes use. Those of file systems change files
/// that are open for reading: their flags (immutable), their seals, what is below a folder.
const TERMINAL: u8 = b'T';

/// What `fcntl` is not to do: a lease on a file makes everybody wait who opens it.
const LEASES: &[u32] = &[libc::F_SETLEASE.cast_unsigned(), F_SETDELEG];
/// The same for folders too, from Linux 6.19 on.
const F_SETDELEG: u32 = 1040;

/// The same, and signals of one's own choice at the news of a file. With timers and queues, which are refused as well,
/// and the ends of processes, which are waited for before a bot counts as stopped, that is all by which the kernel would
/// send somebody the signal to go on.
const LEASES_AND_SIGNALS: &[u32] = &[libc::F_SETLEASE.cast_unsigned(), F_SETDELEG, F_SETSIG];
const F_SETSIG: u32 = 10;

/// Refused unless this argument is 0 or the caller's own number.
const OWN_ONLY: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
];

/// Refused unless the first argument says «one process» and the second is 0 or the caller's own number: others mean a
/// whole user, and that is also the user of the opponent.
const OWN_PRIORITY_ONLY: &[(i64, u32)] = &[(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// Said not to exist, so that a program takes what there was before: for `clone3` the older call, whose arguments can be
/// looked at; for memory under a descriptor a file in the scratch folder, whose size is told however it is held; for memory
/// that is lent to a pipe (two mebibytes for each page, and nobody's once it is unmapped) writing to it.
const ABSENT: &[i64] = &[libc::SYS_clone3, libc::SYS_memfd_create, libc::SYS_memfd_secret, libc::SYS_vmsplice];

/// How much a socket holds stays as the system has it. A wish that is granted as far as possible, so it does no harm to
/// grant nothing of it.
const BUFFER_SIZES: &[u32] = &[
    libc::SO_SNDBUF.cast_unsigned(),
    libc::SO_RCVBUF.cast_unsigned(),
    libc::SO_SNDBUFFORCE.cast_unsigned(),
    libc::SO_RCVBUFFORCE.cast_unsigned(),
];

/// A process that nobody may look into would hold what nobody can count.
const NOT_DUMPABLE: [u32; 2] = [libc::PR_SET_DUMPABLE.cast_unsigned(), 0];

/// `CLONE_NEW*`: namespaces, by way of `clone`.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// Refuses the calls from now on; also those by which a process wakes itself, if it is to stay stopped.
pub(super) fn fence(stays_stopped: bool) -> io::Result<()> {
    let program = filter::program(&rules(stays_stopped), std::process::id())?;
    seccompiler::apply_filter(&program).map_err(|error| match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
        other => io::Error::other(other),
    })
}

/// Whether an error of [`fence`] says that this kernel has no such filters, or that there is no list for this machine.
/// `EINVAL` is the kernel's word for the first (`seccomp(2)`); a filter of ours that it does not understand is none.
pub(super) fn is_lacking(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

pub(super) fn rules(stays_stopped: bool) -> BTreeMap<u32, Rule> {
    let unix = u32::from(rustix::net::AddressFamily::UNIX.as_raw());
    let mut rules: BTreeMap<i64, Rule> = REFUSED.iter().map(|call| (*call, Rule::Refuse)).collect();
    rules.extend(ABSENT.iter().map(|call| (*call, Rule::Absent)));
    rules.extend(OWN_ONLY.iter().map(|(call, argument)| (*call, Rule::OwnOnly(*argument))));
    rules.extend(OWN_PRIORITY_ONLY.iter().map(|(call, one)| (*call, Rule::OwnPriorityOnly(*one))));
    rules.insert(libc::SYS_prctl, Rule::Unless(NOT_DUMPABLE));
    rules.insert(libc::SYS_socketpair, Rule::Only(unix));
    rules.insert(libc::SYS_setsockopt, Rule::Pretend(libc::SOL_SOCKET.cast_unsigned(), BUFFER_SIZES));
    rules.insert(libc::SYS_ioctl, Rule::OnlyKind(TERMINAL));
    rules.insert(libc::SYS_fcntl, Rule::Except(if stays_stopped { LEASES_AND_SIGNALS } else { LEASES }));
    if stays_stopped {
        rules.insert(libc::SYS_timer_create, Rule::Refuse);
    }
    // Not to be asked for (`SECCOMP_RET_USER_NOTIF`), so as to count and bound processes: until such a question is read, a
    // signal ends it, and whoever has a handler without `SA_RESTART` is told EINTR, which no program expects of `fork`.
    // Shells have one for the end of a child, and gave up in two or three of a hundred forks.
    rules.insert(libc::SYS_clone, Rule::Without(NAMESPACES.cast_unsigned()));
    rules.into_iter().map(|(call, rule)| (call as u32, rule)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_this_kernel_has_not_got_may_be_missing() {
        let is_lacking_at = |errno: i32| is_lacking(&io::Error::from_raw_os_error(errno));
        assert!(is_lacking_at(libc::ENOSYS) && is_lacking_at(libc::EINVAL));
        for errno in [libc::ENOMEM, libc::EMFILE, libc::EAGAIN, libc::EPERM, libc::EACCES] {
            assert!(!is_lacking_at(errno), "{errno}");
        }
    }
}
