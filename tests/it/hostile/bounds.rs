//! Rows 45 to 52: processes, threads, memory, descriptors and disk. Rows that could harm this machine run in a container.

use arena::record::Status::Crashed;

use super::rows::{check, falls, loses, plays};

#[test]
fn processes_that_stay_behind() {
    check(&[
        plays(45, "harm=daemon", ""),
        plays(45, "harm=hop:1", "").contained(),
        plays(45, "harm=hop:4", "").contained(),
        plays(45, "harm=hop:4", "").with("--sandbox off").contained(),
        plays(45, "harm=hop:2", "").with("--freeze-idle").contained(),
        plays(45, "orphan-quit", ""),
        plays(47, "harm=zombies:40", ""),
    ]);
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn processes_without_end() {
    const FEW: &str = "-j 1 --limits processes=64";
    const STRICT: &str = "-j 1 --limits processes=64 --sandbox strict";
    const THREADS: &str = "too many threads and dead processes (limit 512)";
    // An ordinary user's guard has to wait for its turn among a thousand others; root's does not.
    let root = rustix::process::getuid().is_root();
    let crowd_ms = if root { 2_000 } else { 15_000 };
    if root {
        // One by one, since no signal of the guard reaches all of them and nothing else.
        let open = "-j 1 --limits processes=64 --sandbox off";
        check(&[loses(46, "harm=forks", Crashed, "too many processes (limit 64)")
            .with(open)
            .alone()
            .allowed(crowd_ms)]);
    }
    check(&[
        loses(46, "harm=forks", Crashed, "too many processes (limit 64)").with(FEW).alone().allowed(crowd_ms),
        loses(46, "harm=threads:1200", Crashed, THREADS).with(FEW).alone().allowed(crowd_ms),
        loses(47, "harm=zombies:1100 sleep", Crashed, THREADS).with(FEW).alone().allowed(crowd_ms),
        // Here the kernel refuses more of them, and it is random whether the guard sees one too many.
        falls(46, "harm=forks").with(STRICT).alone().allowed(crowd_ms),
        plays(46, "harm=threads:1200", "stderr: tried threads: ").with(STRICT).alone().allowed(2_500),
    ]);
}

#[test]
fn memory_without_end() {
    const LITTLE: &str = "--limits memory_mb=64";
    check(&[
        // Either the kernel refuses it more, or the guard happens to look just before.
        loses(48, "hog", Crashed, "out of memory (").with(LITTLE).allowed(200),
        loses(49, "harm=shared:2000", Crashed, "out of memory (limit 64 MB)").with(LITTLE).allowed(300),
        loses(49, "harm=forgotten:200", Crashed, "out of memory (limit 64 MB)").with(LITTLE).allowed(300),
        plays(50, "harm=reserve", "stderr: tried reserve"),
    ]);
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn memory_that_the_kernel_keeps_for_a_bot_is_counted() {
    const FULL: &str = "out of memory (limit 64 MB)";
    const FEW: &str = "out of memory (limit 32 MB)";
    check(&[
        loses(102, "harm=tables:400", Crashed, FULL).with("-j 1 --limits memory_mb=64").allowed(1_000),
        plays(102, "harm=tables:20", "").with("-j 1 --limits memory_mb=64").allowed(2_500),
        loses(108, "harm=mappings:4000", Crashed, FULL).with("-j 1 --limits memory_mb=64").allowed(1_000),
        plays(108, "harm=mappings:400", "").with("-j 1 --limits memory_mb=64").allowed(2_500),
        loses(102, "harm=sockets:500", Crashed, FEW).with("-j 1 --limits memory_mb=32").allowed(1_000),
        // Larger ones are possible without a sandbox.
        loses(102, "harm=sockets:60", Crashed, FEW).with("-j 1 --limits memory_mb=32 --sandbox off").allowed(1_000),
        // Unread data counts at its actual size, not at its possible maximum.
        plays(102, "harm=sockets:20", "").with("-j 1 --limits memory_mb=32").allowed(2_500),
        loses(102, "harm=pipes:1000", Crashed, FEW).with("-j 1 --limits memory_mb=32,open_files=2100").allowed(1_000),
        plays(102, "harm=lent:16", "stderr: tried lent: Function not implemented"),
    ]);
}

#[test]
fn memory_of_a_process_whose_first_thread_has_left_is_counted() {
    let bot = "leader-leaves harm=shared:2000";
    check(&[loses(49, bot, Crashed, "out of memory (limit 64 MB)").with("--limits memory_mb=64").allowed(300)]);
}

#[test]
fn what_cannot_be_looked_into_is_not_passed_over() {
    const CLOSED: &str = "memory of one of its processes cannot be counted";
    // Root can open everything.
    check(&[if rustix::process::getuid().is_root() {
        plays(49, "harm=closed", "stderr: tried be closed").allowed(4_500)
    } else {
        loses(49, "harm=closed", Crashed, CLOSED).allowed(500)
    }]);
}

#[test]
fn descriptors_without_end() {
    check(&[plays(51, "harm=descriptors", "stderr: tried descriptors: 253")]);
}

#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn disks_without_end() {
    const SMALL: &str = "-j 1 --limits scratch_mb=40";
    const FULL: &str = "its scratch folder is full (limit 40 MB)";
    const MANY: &str = "too many files in its scratch folder (limit 10000)";
    check(&[
        plays(52, "harm=litter:5000", "stderr: tried litter").allowed(1_000),
        plays(52, "harm=deep:200", "stderr: tried deep").allowed(1_000),
        loses(52, "harm=litter:40000 sleep", Crashed, MANY).allowed(1_000),
        loses(52, "harm=deep:3000 sleep", Crashed, MANY).allowed(1_000),
        loses(52, "harm=fill", Crashed, FULL).with(SMALL).allowed(500),
        loses(52, "harm=fill-unseen", Crashed, FULL).with(SMALL).allowed(500),
        loses(52, "harm=mapped-files:100", Crashed, FULL).with(SMALL).allowed(500),
        loses(52, "harm=memory-files:100", Crashed, FULL)
            .with("-j 1 --limits scratch_mb=40 --sandbox off")
            .allowed(500),
        plays(52, "harm=memory-files:1", "stderr: tried memory-files: Function not implemented"),
        loses(52, "harm=fill", Crashed, FULL).with("-j 1 --limits scratch_mb=40 --sandbox strict").allowed(500),
    ]);
}
