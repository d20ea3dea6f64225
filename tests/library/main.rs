//! The library as another program uses it. This is such a program: under each of the names below it starts bots, naming
//! the program of their guards in another way. Under any other name it is the test, which runs those and counts how often
//! their `main` went on to its own business. Under one name it is the whole `arena`, with a game and a format of its own.

mod added;
mod sticks;
#[path = "../../crates/arena-core/src/format/toy.rs"]
mod toy;

use std::fs::{File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use arena::check::{Readiness, readiness};
use arena::clock::TimeControl;
use arena::format;
use arena::guard::{self, GuardProgram, Request, serve_if_asked};
use arena::roster::{Roster, RosterSettings};
use arena::rules::Variant;
use rustix::process::{WaitId, WaitIdOptions, waitid};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

fn main() {
    let own = std::env::current_exe().expect("a path");
    match own.file_name().and_then(|name| name.to_str()) {
        Some("serves") => go_about_business(&own, serve_if_asked()),
        Some("names-arena") => go_about_business(&own, GuardProgram::arena(ARENA)),
        Some("names-neither") => go_about_business(&own, GuardProgram::default()),
        Some("names-itself") => go_about_business(&own, GuardProgram::arena(&own)),
        Some(added::PROGRAM) => std::process::exit(added::main() as i32),
        _ => {
            test();
            added::test();
        }
    }
}

/// Starts a program under guard, then a bot from a roster, and prints what came of each.
#[expect(clippy::print_stdout, reason = "how it tells the test")]
fn go_about_business(own: &Path, guard: GuardProgram) {
    let begun = File::options().append(true).create(true).open(own.with_extension("begun"));
    begun.and_then(|mut begun| begun.write_all(b".")).expect("a file with room");

    let request = Request::new(Path::new("true"), Path::new("/"), &own.with_extension("scratch"));
    let spawned = guard::spawn(&guard, &request).map(drop).map_err(|failed| failed.stage);
    println!("{spawned:?}");

    let path = own.with_file_name("bot");
    let settings = RosterSettings { guard, ..RosterSettings::default() };
    let mut launch = Roster::only("bot", &path, &settings).expect("a bot").launch;
    launch.look_around(&[path, ARENA.into()], false, &[]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let clock = TimeControl::per_move(Duration::from_secs(30));
    let variant = Variant::named("tictactoe").expect("a game");
    match readiness(&Arc::new(launch), &variant, clock, runtime.handle()) {
        Readiness::Ready { .. } => println!("Ready"),
        Readiness::Untried(why) => println!("{why}"),
        other => println!("{other:?}"),
    }
    println!("children: {}", if has_had_children() { "some" } else { "none" });
}

/// Whether this process ever had a child: one that it still has, or one that it waited for, whose page faults are added to
/// its own (`cminflt` of `proc_pid_stat(5)`).
fn has_had_children() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("a file of the kernel");
    let faults = stat.rsplit_once(')').and_then(|(_, fields)| fields.split_ascii_whitespace().nth(8));
    let child = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    faults != Some("0") || child.is_ok()
}

/// This program under another name.
fn linked(dir: &Path, name: &str) -> PathBuf {
    let program = dir.join(name);
    std::fs::hard_link(std::env::current_exe().expect("a path"), &program).expect("a link");
    program
}

fn test() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let bot = dir.path().join("bot");
    std::fs::write(&bot, format!("#!/bin/sh\nexec {ARENA} bot random\n")).expect("a file");
    std::fs::set_permissions(&bot, Permissions::from_mode(0o755)).expect("a mode");
    let run = |name: &str| {
        let program = linked(dir.path(), name);
        let output = Command::new(&program).output().expect("it runs");
        let begun = std::fs::read_to_string(program.with_extension("begun")).expect("it began");
        (String::from_utf8_lossy(&output.stdout).into_owned(), begun.len())
    };
    for name in ["serves", "names-arena"] {
        assert_eq!(run(name), ("Ok(())\nReady\nchildren: some\n".to_owned(), 1), "{name}");
    }
    let says = "Err(GuardProgram)\n\
                starting `bot`: choosing the program of its guard: none is named; call \
                arena::guard::serve_if_asked() first in main and use what it returns, or name the arena binary with \
                GuardProgram::arena\n\
                children: none\n";
    assert_eq!(run("names-neither"), (says.to_owned(), 1));
    // It is not the `arena` binary, and what it starts in that belief start nothing more.
    let (said, begun) = run("names-itself");
    assert!(said.starts_with("Err(Guard)\n") && begun < 10, "{said} begun {begun} times");
}
