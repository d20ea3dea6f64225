//! Limits that the kernel enforces for each process.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Limits, StartFailed, StartStage};

/// Sets the limits that the kernel counts for all programs of a user, on this process and all that it starts.
pub(super) fn impose_on_user(count_processes: Option<u64>) -> Result<(), StartFailed> {
    /// More than programs use, and a small share of a user's limit.
    const PENDING_SIGNALS: u64 = 1024;
    lower(Resource::Sigpending, PENDING_SIGNALS).map_err(StartFailed::at(StartStage::Limits, "pending signals"))?;
    let Some(processes) = count_processes else { return Ok(()) };
    lower(Resource::Nproc, processes).map_err(StartFailed::at(StartStage::Limits, "processes"))
}

/// Sets `limits` on this process and all that it starts.
///
/// `count_processes` is the kernel's limit on processes, if it can count them.
pub(super) fn impose(limits: &Limits, count_processes: Option<u64>) -> Result<(), StartFailed> {
    const MIB: u64 = 1024 * 1024;
    impose_on_user(count_processes)?;
    let wanted = [
        ("core files", Resource::Core, Some(0)),
        ("locked memory", Resource::Memlock, Some(0)),
        ("message queues", Resource::Msgqueue, Some(0)),
        ("real-time priority", Resource::Rtprio, Some(0)),
        ("priority", Resource::Nice, Some(0)),
        ("memory", Resource::Data, given(limits.reserved_mb().saturating_mul(MIB))),
        ("open files", Resource::Nofile, given(limits.open_files)),
        ("file size", Resource::Fsize, given(limits.file_mb * MIB)),
        ("processor time", Resource::Cpu, given(limits.cpu_s)),
        ("stack", Resource::Stack, given(limits.stack_mb * MIB)),
    ];
    for (name, resource, limit) in wanted {
        if let Some(limit) = limit {
            lower(resource, limit).map_err(StartFailed::at(StartStage::Limits, name))?;
        }
    }
    Ok(())
}

fn given(limit: u64) -> Option<u64> {
    (limit > 0).then_some(limit)
}

/// Never above our own limits, which only root may exceed.
///
/// The soft limit of the stack keeps its usual value (mostly 8 MiB): threads reserve that much each, and what a process
/// reserves is limited too. A bot that recurses deeply may raise it up to the hard limit.
fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    const USUAL_STACK_BYTES: u64 = 8 * 1024 * 1024;
    let old = getrlimit(resource);
    let maximum = old.maximum.map_or(limit, |maximum| maximum.min(limit));
    let current = match resource {
        Resource::Stack => old.current.unwrap_or(USUAL_STACK_BYTES).min(maximum),
        _ => maximum,
    };
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
