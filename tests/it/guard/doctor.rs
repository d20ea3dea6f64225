//! The probes of `arena doctor`, where their results are known.

use arena::guard::probe::Level;
use arena::guard::{SandboxMode, probe};

use crate::support;

/// What bots are kept from by a sandbox alone.
const FENCED: [&str; 3] = ["files", "signals", "network"];

fn level(findings: &[probe::Finding], name: &str) -> Level {
    findings.iter().find(|finding| finding.name == name).unwrap().level
}

#[test]
fn with_a_sandbox_the_attempts_are_denied_and_without_they_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let effective = probe::try_start(&support::guard(), SandboxMode::Auto, dir.path()).unwrap().effective;
    let [fenced_dir, open_dir] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let fenced = probe::all(&support::guard(), SandboxMode::Auto, fenced_dir.path());
    let open = probe::some(&support::guard(), SandboxMode::Off, open_dir.path(), |name| FENCED.contains(&name));
    assert!(fenced.iter().all(|finding| finding.level != Level::Bad), "{fenced:#?}");
    assert_eq!(level(&fenced, "kill"), Level::Ok, "{fenced:#?}");
    // Its own attacks would make the clock late.
    let place = |name: &str| fenced.iter().position(|finding| finding.name == name);
    for measurement in ["clock", "start", "round trip"] {
        assert!(place(measurement) < place("theft"), "{fenced:#?}");
    }
    assert_eq!(level(&fenced, "memory"), Level::Ok, "{fenced:#?}");
    if effective.landlock >= 6 && effective.seccomp {
        for name in FENCED {
            assert_eq!(level(&fenced, name), Level::Ok, "{fenced:#?}");
            assert_eq!(level(&open, name), Level::Weak, "{open:#?}");
        }
    }
}
