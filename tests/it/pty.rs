//! Terminals for programs under test.

use std::fs::File;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A new terminal: our end, the end of the program, and the path of that.
pub(crate) fn terminal() -> (File, File, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("a terminal");
    let path = ptsname(&ours, Vec::new()).expect("a name").into_string().expect("a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = rustix::fs::open(&path, flags, Mode::empty()).expect("a terminal");
    (File::from(ours), File::from(theirs), path)
}
