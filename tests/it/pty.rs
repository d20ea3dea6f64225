//! Terminals for programs under test.

use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

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

/// Starts a command that prints to a new terminal, and gives our end of it. Only the command holds the other end.
pub(crate) fn spawn(mut command: Command) -> (Child, File) {
    let (ours, theirs, _) = terminal();
    command.env("TERM", "xterm").stdout(Stdio::from(theirs.try_clone().expect("a copy"))).stderr(Stdio::from(theirs));
    (command.spawn().expect("it starts"), ours)
}

/// All that is printed to a terminal until nobody holds the other end.
pub(crate) fn read_to_end(mut ours: File) -> String {
    let mut printed = Vec::new();
    // The terminal is gone, which is an error on Linux, once all is read.
    let _ = ours.read_to_end(&mut printed);
    String::from_utf8_lossy(&printed).into_owned()
}
