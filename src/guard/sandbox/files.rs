//! Files, signals and abstract sockets, by Landlock.

use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::SandboxMode;
use crate::guard::{Effective, Request};

/// The newest version that was tried; older ones are used as far as they go.
const NEWEST: ABI = ABI::V7;
/// The first version that keeps signals in.
const WITH_SIGNALS: u32 = 6;

/// Devices that do nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Leaves nothing readable but `request.readable` and nothing writable but the scratch folder.
pub(super) fn fence(request: &Request, effective: &mut Effective) -> io::Result<()> {
    let status = restrict(request).map_err(|error| match io::Error::last_os_error() {
        // The crate's errors do not all tell the number of the system's error, but it is still there.
        system if system.raw_os_error().is_some_and(|code| code != 0) => system,
        _ => io::Error::other(error.to_string()),
    })?;
    let version = match status {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    };
    effective.landlock = version;
    if version < WITH_SIGNALS {
        if request.sandbox != SandboxMode::Auto {
            return Err(io::Error::other(format!(
                "this kernel has Landlock {version}; signals are kept in from {WITH_SIGNALS} on (Linux 6.12)"
            )));
        }
        effective.weak.push(match version {
            0 => "this kernel has no Landlock: files, signals and other processes are not fenced off".to_owned(),
            _ => format!("this kernel has Landlock {version}: a bot may signal other processes (Linux 6.12 is better)"),
        });
    }
    Ok(())
}

/// Signals alone; what is below may be fenced in further.
pub(super) fn keep_signals_in() -> Result<bool, RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset == RulesetStatus::FullyEnforced)
}

fn restrict(request: &Request) -> Result<LandlockStatus, RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    let mut writable = vec![request.scratch_path()];
    if request.sandbox == SandboxMode::Strict {
        // Private ones.
        writable.extend(super::spaces::PRIVATE.map(std::path::Path::new));
    }
    let status = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(request.readable.paths(), read))?
        .add_rules(path_beneath_rules(&request.listable, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(writable, all))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev))?
        .restrict_self()?;
    Ok(status.landlock)
}
