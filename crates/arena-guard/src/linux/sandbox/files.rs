//! Restricts files, signals and abstract sockets by Landlock.

use std::io;
use std::os::fd::BorrowedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Effective, Request, SandboxMode};

/// The newest tested version; older ones are used as far as they go.
const NEWEST: ABI = ABI::V7;
/// Devices without effects.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts reading to `request.readable` and the bot's own cgroup, and writing to the scratch folder and private folders; a build
/// also writes to its folder.
pub(super) fn restrict(
    request: &Request,
    own_shm: bool,
    cgroup: Option<BorrowedFd<'_>>,
    effective: &mut Effective,
) -> io::Result<()> {
    let status = enter_ruleset(request, own_shm, cgroup).map_err(|error| as_of_system(&error))?;
    let version = match status {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    };
    effective.landlock = version;
    if version < Effective::LANDLOCK_WITH_SIGNALS {
        if request.sandbox != SandboxMode::Auto {
            let needed = Effective::LANDLOCK_WITH_SIGNALS;
            return Err(io::Error::other(format!(
                "this kernel has Landlock {version}, which does not restrict signals; {needed} is needed (Linux 6.12)"
            )));
        }
        effective.weak.push(match version {
            0 => "this kernel has no Landlock: files, signals and other processes are not restricted".to_owned(),
            _ => format!("this kernel has Landlock {version}: a bot may signal other processes (Linux 6.12 is better)"),
        });
    }
    Ok(())
}

/// Whether this kernel has Landlock at all.
pub(crate) fn has_landlock() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}

/// Confines the signals of this process, and of all that it starts, to them; further restrictions may follow.
pub(in crate::linux) fn keep_signals_in() -> Result<bool, RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset == RulesetStatus::FullyEnforced)
}

/// The system error within one of the crate's, with its number: exhausted resources are not the bot's fault.
fn as_of_system(error: &(dyn std::error::Error + 'static)) -> io::Error {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let number = causes.find_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error());
    number.map_or_else(|| io::Error::other(error.to_string()), io::Error::from_raw_os_error)
}

fn enter_ruleset(
    request: &Request,
    own_shm: bool,
    cgroup: Option<BorrowedFd<'_>>,
) -> Result<LandlockStatus, RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    let mut writable: Vec<&std::path::Path> = request.writable().collect();
    if request.sandbox == SandboxMode::Strict {
        // The private folders.
        writable.extend(super::spaces::PRIVATE.map(std::path::Path::new));
    } else if own_shm {
        writable.push(std::path::Path::new(super::spaces::SHM));
    }
    let mut ruleset = Ruleset::default().handle_access(all)?;
    if !request.has_network() {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let status = ruleset
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(cgroup.map(|folder| Ok::<_, RulesetError>(PathBeneath::new(folder, read))))?
        .add_rules(path_beneath_rules(request.readable.paths(), read))?
        .add_rules(path_beneath_rules(&request.listable, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(writable, all))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev))?
        .restrict_self()?;
    Ok(status.landlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_keeps_its_number_and_no_other_gets_one() {
        let of_system = landlock::PathFd::new("/nonexistent").unwrap_err();
        let of_ours = Ruleset::default().create().unwrap_err();
        // The last error is something else.
        assert_eq!(std::fs::read_dir("/dev/null").unwrap_err().raw_os_error(), Some(libc::ENOTDIR));
        assert_eq!(as_of_system(&of_system).raw_os_error(), Some(libc::ENOENT));
        assert_eq!(as_of_system(&of_ours).raw_os_error(), None);
    }
}
