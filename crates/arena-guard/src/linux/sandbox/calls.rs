//! System calls that no bot needs, refused by seccomp.
//!
//! A deny list rather than an allow list: runtimes may use any harmless call, and new calls of new kernels do not break
//! bots.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::LazyLock;

use seccompiler::sock_filter;

use super::filter::{self, CallAnswer, Condition, Rule};
use super::{Request, SandboxMode, sys};

/// Refused with any arguments, unless it is a build that may use the network.
const SOCKETS: &[i64] = &[
    // Sockets. A connected pair is allowed, but must not get a name or another peer.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
];

/// File metadata, which Landlock does not cover: the owner or a reader of a file could close it to others, change its times, or
/// leave a message in it. Refused with any arguments; see [`rules_of`] for builds.
const METADATA: &[&[i64]] = &[
    TIMES,
    &[
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chown,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_lchown,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        SETXATTRAT,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        REMOVEXATTRAT,
        FILE_SETATTR,
    ],
];

/// Calls that set the times of files.
const TIMES: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
];

/// Calls that set the modes of files, with the argument that is the mode; the same applies to them.
const MODES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
];

/// Refused with any arguments.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    // Processor affinity and priority. Lowering is refused too, since a bot that seems starved is credited time.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // A stopped process must stay stopped: timers can send any signal, including SIGCONT. The other ways are `fcntl` and
    // `prctl` with the arguments below, queues, which are refused too, and the ends of processes, which are waited for
    // before a bot counts as stopped.
    libc::SYS_timer_create,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Ways around all this, and kernel interfaces that often had vulnerabilities.
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
    OPEN_TREE_ATTR,
    // Memory and queues that are visible to others and outlive their creator.
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
    // Machine-wide calls.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
];

/// Calls newer than libc, the same on all machines.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
const OPEN_TREE_ATTR: i64 = 467;
const CACHESTAT: i64 = 451;

/// The type of `ioctl` that terminals and pipes use, and runtimes need. Those of file systems change files that are open
/// for reading: flags (immutable), seals, what is below a folder.
const TERMINAL: u32 = (b'T' as u32) << 8;
/// Position of the type in a request (`_IOC_TYPESHIFT` of the kernel's `ioctl.h`).
const KIND_MASK: u32 = 0xff << 8;

/// Socket types allowed for pairs. Not datagram: it could send to any named socket.
const SOCKET_PAIRS: [i32; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
/// Mask that removes the flags from a socket type (`SOCK_TYPE_MASK`).
const SOCKET_KIND_MASK: u32 = 0xf;

/// Refused commands of `fcntl`.
const FILE_CONTROLS: &[u32] = &[
    // Choosing the signal for file events; watching folders.
    F_SETSIG,
    libc::F_NOTIFY.cast_unsigned(),
    // Leases, which make other openers of the file wait.
    libc::F_SETLEASE.cast_unsigned(),
    F_SETDELEG,
    // Pipe sizes: pages of pipes are counted for all programs of a user.
    libc::F_SETPIPE_SZ.cast_unsigned(),
    // Hints that every reader of the file can read.
    F_SET_RW_HINT,
    F_SET_FILE_RW_HINT,
];
const F_SETSIG: u32 = 10;
const F_SET_RW_HINT: u32 = 1036;
const F_SET_FILE_RW_HINT: u32 = 1038;
/// For folders too, since Linux 6.19.
const F_SETDELEG: u32 = 1040;

/// Refused unless the first argument is 0, which stands for the caller. The filter names no process, so that it is the same
/// for all bots.
const OWN_ONLY: &[i64] = &[libc::SYS_prlimit64, libc::SYS_migrate_pages, libc::SYS_move_pages];

/// Reported as absent, so that programs use an older call.
const ABSENT: &[i64] = &[
    // The older calls have arguments that a filter can check.
    libc::SYS_clone3,
    libc::SYS_openat2,
    // Programs use a file in the scratch folder instead, whose size is always counted.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // Memory lent to a pipe: two mebibytes for each page, charged to no process once unmapped.
    libc::SYS_vmsplice,
    // Sandboxes within ours: kernel memory that is charged to no process. With such calls a kernel has hung until the machine
    // was restarted, so they are refused. Ours are in place by now.
    libc::SYS_seccomp,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    // Thousands of timers, each below many nested `epoll` sets, expire in interrupts during the opponent's move. No limit
    // counts them, and a filter does not see what a set contains.
    libc::SYS_timerfd_create,
    // Counted for the whole machine (AIO) or for all programs of a user.
    libc::SYS_io_setup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    // Reveals which files others have read recently.
    libc::SYS_mincore,
    CACHESTAT,
    // For very old programs; a frequent source of vulnerabilities.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Without effect, but reported as successful: programs ignore failure, or would exit because of it.
const IGNORED: &[i64] = &[
    // Each session would get its own share of the processor (autogroups).
    libc::SYS_setsid,
    // One process group, so that all of a bot can be stopped at once.
    libc::SYS_setpgid,
    // Would write out the whole machine's files; a bot's own need not persist.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // A hint. This one evicts files from memory, which others notice.
    libc::SYS_fadvise64,
];

/// Refused options of `prctl`, with the second argument if only that one matters.
const PROCESS_CONTROLS: &[(i32, Option<i32>)] = &[
    // Memory of a process that cannot be inspected cannot be counted.
    (libc::PR_SET_DUMPABLE, Some(0)),
    // SIGCONT at the end of another process.
    (libc::PR_SET_PDEATHSIG, Some(libc::SIGCONT)),
    // Core scheduling: would reserve both threads of a processor core.
    (libc::PR_SCHED_CORE, None),
];

/// Socket buffer sizes keep the system's default. Programs treat them as hints, so ignoring them is harmless. At any level:
/// a bot has no sockets but pairs.
const BUFFER_SIZES: &[u32] = &[
    libc::SO_SNDBUF.cast_unsigned(),
    libc::SO_RCVBUF.cast_unsigned(),
    libc::SO_SNDBUFFORCE.cast_unsigned(),
    libc::SO_RCVBUFFORCE.cast_unsigned(),
];

/// The current one, or a query (-1); the others are for programs of other systems, and a frequent source of
/// vulnerabilities.
const PERSONALITIES: &[u32] = &[0, u32::MAX];

/// Swapped memory is not counted, and eviction of file pages affects all.
const MEMORY_ADVICE: &[u32] = &[libc::MADV_COLD.cast_unsigned(), libc::MADV_PAGEOUT.cast_unsigned()];

/// Reading only cached data, or leaving none in the cache, would reveal what others have read.
const CACHED_ONLY: u32 = libc::RWF_NOWAIT.cast_unsigned() | RWF_DONTCACHE;
const RWF_DONTCACHE: u32 = 0x80;

/// Calls that create files: the argument with flags that say so, if any, and the one with the mode. Folders cannot have
/// such bits.
const MAKES_FILES: &[(i64, Option<u8>, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Some(1), 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, None, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, None, 1),
    (libc::SYS_openat, Some(2), 3),
    (libc::SYS_mknodat, None, 2),
];
/// `O_CREAT`, and the bit specific to `O_TMPFILE`: without them the kernel ignores the mode, which may then have any value.
const MAKES_A_FILE: u32 = 0o100 | 0o20_000_000;
const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;

/// A bit in the number of the signal that a parent gets at a child's end. SIGCONT, which would wake a stopped parent, has
/// it. SIGCHLD and no signal, which are all that programs use, do not.
const ODD_SIGNALS: u32 = 0x2;

/// `CLONE_NEW*`: creating namespaces through `clone`.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// The filter. It names no process, so that the guard compiles it before it has an order.
static FILTER: LazyLock<io::Result<Vec<sock_filter>>> = LazyLock::new(|| filter::program(&rules()));

/// Compiles the filter, unless that was done.
pub(in crate::linux) fn prepare() {
    LazyLock::force(&FILTER);
}

/// Restricts the system calls of this process. Returns what tells of each call that is to be refused, and must answer it
/// with `EPERM`; `None` where the kernel has no such listener (Linux 5.19) or one is there already, as in some containers:
/// then these calls are refused at once.
pub(super) fn restrict(request: &Request) -> io::Result<Option<OwnedFd>> {
    let built;
    let program = if request.build.is_some() {
        built = filter::program(&rules_of(request))?;
        &built
    } else {
        FILTER.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?
    };
    // One filter or the other, never both: they are kernel memory of no account.
    if let Ok(listener) = sys::filter_and_listen(&filter::with_listener(program)) {
        return Ok(Some(listener));
    }
    seccompiler::apply_filter(program).map(|()| None).map_err(|error| match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
        other => io::Error::other(other),
    })
}

/// Whether an error of [`restrict`] means that this kernel lacks such filters, or that there is no list for this machine.
/// `EINVAL` stands for the first (`seccomp(2)`); a filter of ours that the kernel does not understand would be the same.
pub(super) fn is_lacking(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// The rules for a build, by call number. Programs that make files set their modes and times. Where all else is mounted
/// read-only they may; elsewhere these calls have no effect, since a build could close any file of the user's to others.
fn rules_of(request: &Request) -> BTreeMap<u32, Rule> {
    let mut rules = rules();
    let without_effect = || Rule::always(CallAnswer::Error(0));
    rules.extend(METADATA.concat().into_iter().map(|call| (call as u32, without_effect())));
    rules.extend(MODES.iter().map(|(call, _)| (*call as u32, without_effect())));
    if request.sandbox == SandboxMode::Strict {
        rules.extend(TIMES.iter().map(|call| (*call as u32, Rule::always(CallAnswer::Allow))));
        let sets_id = |mode| vec![Condition::AnyBit { argument: mode, bits: SET_ID }];
        rules.extend(MODES.iter().map(|(call, mode)| (*call as u32, Rule::unless(libc::EPERM, [sets_id(*mode)]))));
    }
    if request.has_network() {
        let calls = [SOCKETS, &[libc::SYS_socketpair, libc::SYS_sendto, libc::SYS_setsockopt]].concat();
        rules.extend(calls.into_iter().map(|call| (call as u32, Rule::always(CallAnswer::Allow))));
    }
    rules
}

/// The rules, by call number.
pub(super) fn rules() -> BTreeMap<u32, Rule> {
    let is = |argument: u8, value: i32| Condition::one_of(argument, &[value.cast_unsigned()]);
    let any_bit = |argument: u8, bits: u32| Condition::AnyBit { argument, bits };
    let always = |calls: &'static [i64], answer| calls.iter().map(move |call| (*call, Rule::always(answer)));
    let refuse_if = |conditions| Rule::unless(libc::EPERM, [conditions]);
    let mut rules = BTreeMap::new();
    for refused in [SOCKETS, REFUSED].iter().chain(METADATA) {
        rules.extend(always(refused, CallAnswer::Error(libc::EPERM)));
    }
    rules.extend(MODES.iter().map(|(call, _)| (*call, Rule::always(CallAnswer::Error(libc::EPERM)))));
    rules.extend(always(ABSENT, CallAnswer::Error(libc::ENOSYS)));
    rules.extend(always(IGNORED, CallAnswer::Error(0)));
    rules.extend(OWN_ONLY.iter().map(|call| (*call, Rule::only_if(vec![is(0, 0)]))));
    rules.extend(MAKES_FILES.iter().map(|&(call, flags, mode)| {
        let makes_one = flags.map(|flags| any_bit(flags, MAKES_A_FILE));
        (call, refuse_if(makes_one.into_iter().chain([any_bit(mode, SET_ID)]).collect()))
    }));
    let controls = PROCESS_CONTROLS.iter().map(|&(control, second)| match second {
        // The kernel uses all bits of the second argument.
        Some(second) => vec![is(0, control), is(1, second), Condition::UpperHalfZero { argument: 1 }],
        None => vec![is(0, control)],
    });
    let filters = [vec![is(0, libc::PR_SET_SECCOMP)]];
    rules.insert(libc::SYS_prctl, Rule::unless(libc::EPERM, controls).or_unless(libc::EINVAL, filters));
    rules.insert(libc::SYS_personality, Rule::only_if(vec![Condition::one_of(0, PERSONALITIES)]));
    let kind = |mask, values: &[u32]| Condition::OneOf { argument: 1, mask, values: values.to_vec() };
    let pairs = kind(SOCKET_KIND_MASK, &SOCKET_PAIRS.map(i32::cast_unsigned));
    rules.insert(libc::SYS_socketpair, Rule::only_if(vec![is(0, libc::AF_UNIX), pairs]));
    // Without an address only.
    rules.insert(libc::SYS_sendto, Rule::only_if(vec![is(4, 0), Condition::UpperHalfZero { argument: 4 }]));
    rules.insert(libc::SYS_ioctl, Rule::only_if(vec![kind(KIND_MASK, &[TERMINAL])]));
    rules.insert(libc::SYS_fcntl, refuse_if(vec![Condition::one_of(1, FILE_CONTROLS)]));
    rules.insert(libc::SYS_madvise, Rule::unless(libc::EINVAL, [vec![Condition::one_of(2, MEMORY_ADVICE)]]));
    rules.insert(libc::SYS_preadv2, Rule::unless(libc::EOPNOTSUPP, [vec![any_bit(5, CACHED_ONLY)]]));
    rules.insert(libc::SYS_setsockopt, Rule::unless(0, [vec![Condition::one_of(2, BUFFER_SIZES)]]));
    // The listener, which counts refused calls, must never be asked about one that is allowed, as it could be to count and
    // limit processes: until it has read of it, a signal interrupts the call, and a program with a handler without
    // `SA_RESTART` gets EINTR, which no program expects of `fork`. Shells have such a handler for SIGCHLD, and failed in two
    // or three of a hundred forks.
    rules.insert(libc::SYS_clone, refuse_if(vec![any_bit(0, NAMESPACES.cast_unsigned() | ODD_SIGNALS)]));
    rules.into_iter().map(|(call, rule)| (call as u32, rule)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BuildTerms;

    #[test]
    fn a_build_sets_modes_where_nothing_else_can_be_changed_and_connects_if_it_may() {
        let rules = |sandbox, network| {
            let build = Some(BuildTerms { network });
            rules_of(&Request { sandbox, build, ..Request::new("/bin/sh".as_ref(), "/".as_ref(), "/".as_ref()) })
        };
        let of = |rules: &BTreeMap<u32, Rule>, call: i64| rules.get(&(call as u32)).cloned();
        let (allowed, ignored) = (Rule::always(CallAnswer::Allow), Rule::always(CallAnswer::Error(0)));
        let refused = Rule::always(CallAnswer::Error(libc::EPERM));
        let (strict, landlock) = (rules(SandboxMode::Strict, false), rules(SandboxMode::Landlock, true));
        let mode = Rule::unless(libc::EPERM, [vec![Condition::AnyBit { argument: 2, bits: SET_ID }]]);
        assert_eq!(
            (of(&strict, libc::SYS_fchmodat), of(&landlock, libc::SYS_fchmodat)),
            (Some(mode), Some(ignored.clone()))
        );
        assert_eq!(
            (of(&strict, libc::SYS_utimensat), of(&landlock, libc::SYS_fchown)),
            (Some(allowed.clone()), Some(ignored))
        );
        assert_eq!((of(&strict, libc::SYS_connect), of(&landlock, libc::SYS_connect)), (Some(refused), Some(allowed)));
        let unchanged = super::rules();
        assert_eq!(of(&landlock, libc::SYS_ptrace), of(&unchanged, libc::SYS_ptrace));
    }

    #[test]
    fn only_what_this_kernel_has_not_got_may_be_missing() {
        let is_lacking_at = |errno: i32| is_lacking(&io::Error::from_raw_os_error(errno));
        assert!(is_lacking_at(libc::ENOSYS) && is_lacking_at(libc::EINVAL));
        for errno in [libc::ENOMEM, libc::EMFILE, libc::EAGAIN, libc::EPERM, libc::EACCES] {
            assert!(!is_lacking_at(errno), "{errno}");
        }
    }
}
