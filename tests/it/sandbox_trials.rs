//! A sandbox is tried once, and again when anything has changed that it depends on.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use arena::guard::{GuardProgram, SandboxMode, probe};
use arena::machine::PassedTrials;
use arena::roster::{Roster, RosterSettings};
use arena::session::{Scratch, try_out_knowing};

use crate::support::{Dir, LIMIT, arena, copy_program, guard, not_tested};

const PLAY: &str = "match random greedy --game tictactoe --rounds 1 --move-time 30s --no-check --fresh --name m";

/// Whether the circumstances of a trial can be told here; if not, every trial is made.
fn are_told() -> bool {
    let are_told = probe::circumstances(&guard(), SandboxMode::Auto).is_some();
    if !are_told {
        not_tested("trials of sandboxes that are kept", "this process is confined, or the kernel lacks a sandbox");
    }
    are_told
}

/// Whether a test bot is started for a bot in this sandbox. A trial leaves a folder.
#[track_caller]
fn is_tried(dir: &Dir, guard: &GuardProgram, sandbox: SandboxMode) -> bool {
    let settings = RosterSettings { guard: guard.clone(), sandbox, ..RosterSettings::default() };
    let roster = Roster::find(&dir.path("bots"), &[], &settings).expect("a roster");
    let scratch = Scratch::create().expect("a folder");
    let passed = PassedTrials::within(&dir.path("cache"));
    let weak = try_out_knowing(Some(&passed), &[&roster.bots[0]], &scratch).expect("the sandbox is there");
    assert_eq!(weak, [""; 0]);
    scratch.path().join("guard-probe").exists()
}

#[test]
fn a_sandbox_is_tried_once_for_each_mode_and_program() {
    if !are_told() {
        return;
    }
    let dir = Dir::with_bots(&["random"]);
    let copy = || {
        let _ = fs::remove_file(dir.path("arena"));
        copy_program(arena(), dir.path("arena"));
        GuardProgram::arena(dir.path("arena"))
    };
    let other = copy();
    for (guard, mode) in [
        (&guard(), SandboxMode::Auto),
        (&guard(), SandboxMode::Off),
        (&guard(), SandboxMode::Landlock),
        (&other, SandboxMode::Auto),
    ] {
        assert!(is_tried(&dir, guard, mode), "{guard:?} {mode}");
        assert!(!is_tried(&dir, guard, mode), "{guard:?} {mode}");
    }
    let replaced = copy();
    assert!(is_tried(&dir, &replaced, SandboxMode::Auto), "another file at the same path");
    assert!(!is_tried(&dir, &guard(), SandboxMode::Auto), "its trial is another one's");
}

/// The file of the only trial that commands in `dir` have passed.
#[track_caller]
fn noted(dir: &Dir) -> PathBuf {
    let files: Vec<_> = fs::read_dir(dir.path("cache/arena/sandbox")).expect("a folder").collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].as_ref().expect("a file").path()
}

/// A command with a cache of its own, begun with the words `around`, and whether it made the trial: then its file is another.
#[track_caller]
fn plays_with_trial(dir: &Dir, around: &[&str]) -> Option<bool> {
    let number = |path: &Path| fs::symlink_metadata(path).expect("a file").ino();
    let before = number(&noted(dir));
    // So that its number is not used again.
    fs::hard_link(noted(dir), dir.path("before")).expect("a link");
    let plain = dir.command(PLAY);
    let mut command = Command::new(around.first().copied().unwrap_or(arena()));
    if let [_, words @ ..] = around {
        command.args(words).arg(arena());
    }
    command.args(plain.get_args()).current_dir(dir.path("")).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("XDG_CACHE_HOME", dir.path("cache"));
    let works = around.is_empty()
        || Command::new(around[0]).args(&around[1..]).arg("true").output().is_ok_and(|ended| ended.status.success());
    let ended = works.then(|| dir.run(command).wait(LIMIT));
    fs::remove_file(dir.path("before")).expect("removed");
    let ended = ended?;
    assert_eq!((ended.status, ended.stderr.contains("sandbox")), (Some(0), false), "{around:?}\n{ended}");
    Some(number(&noted(dir)) != before)
}

/// A folder with two bots, in which a trial was passed.
fn begun() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.run(cached(&dir)).wait(LIMIT);
    assert_eq!(ended.status, Some(0), "{ended}");
    dir
}

fn cached(dir: &Dir) -> Command {
    let mut command = dir.command(PLAY);
    command.env("XDG_CACHE_HOME", dir.path("cache"));
    command
}

#[test]
fn a_command_makes_the_trial_again_in_other_circumstances() {
    if !are_told() {
        return;
    }
    let dir = begun();
    assert_eq!(plays_with_trial(&dir, &[]), Some(false));
    let mut tested = 0;
    for around in [
        &["setpriv", "--no-new-privs"][..],
        &["setpriv", "--bounding-set", "-wake_alarm"],
        &["setpriv", "--groups", "4000000"],
        &["unshare", "--uts"],
        &["unshare", "--ipc"],
        &["unshare", "--net"],
        &["unshare", "--mount"],
        &["unshare", "--user", "--map-root-user"],
    ] {
        let Some(is_new) = plays_with_trial(&dir, around) else { continue };
        assert!(is_new, "{around:?}");
        assert_eq!(plays_with_trial(&dir, &[]), Some(true), "after {around:?}");
        tested += 1;
    }
    if tested == 0 {
        not_tested("trials in other circumstances", "util-linux is missing");
    }
}

#[test]
fn a_file_that_is_damaged_or_someone_elses_is_replaced() {
    if !are_told() {
        return;
    }
    let dir = begun();
    let whole = fs::read_to_string(noted(&dir)).expect("text");
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a boot");
    assert!(whole.contains(boot.trim()), "{whole}");
    let another_boot = whole.replace(boot.trim(), "00000000-0000-0000-0000-000000000000");
    let damages: [&dyn Fn(&Path); 5] = [
        &|path| fs::write(path, "").expect("written"),
        &|path| fs::write(path, whole.repeat(100)).expect("written"),
        &|path| fs::write(path, &another_boot).expect("written"),
        &|path| fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("a mode"),
        &|path| {
            fs::rename(path, dir.path("target")).expect("renamed");
            symlink(dir.path("target"), path).expect("a link");
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage(&noted(&dir));
        assert_eq!(plays_with_trial(&dir, &[]), Some(true), "damage {number}");
        let meta = fs::symlink_metadata(noted(&dir)).expect("a file");
        assert!(meta.is_file() && meta.mode() & 0o7777 == 0o600, "damage {number}");
        assert_eq!(fs::read_to_string(noted(&dir)).expect("text"), whole, "damage {number}");
    }
    assert_eq!(fs::read_to_string(dir.path("target")).expect("text"), whole, "no link is followed");
}

#[test]
fn several_arenas_may_make_the_same_trial_at_once() {
    if !are_told() {
        return;
    }
    let dirs = [(); 4].map(|()| Dir::with_bots(&["random", "greedy"]));
    let cache = dirs[0].path("cache");
    let start = |dir: &Dir| {
        let mut command = dir.command(PLAY);
        command.env("XDG_CACHE_HOME", &cache);
        dir.run(command)
    };
    for running in dirs.each_ref().map(start) {
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(0), "{ended}");
    }
    noted(&dirs[0]);
    assert_eq!(plays_with_trial(&dirs[0], &[]), Some(false));
}

#[test]
fn without_a_place_for_it_the_trial_is_made_and_nothing_is_said() {
    for place in ["/dev/null", "/proc", "relative"] {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let mut command = dir.command(PLAY);
        command.env("XDG_CACHE_HOME", place);
        let ended = dir.run(command).wait(LIMIT);
        assert_eq!(ended.status, Some(0), "{ended}");
        assert!(!ended.stderr.contains("cache") && !dir.path("relative").exists(), "{ended}");
    }
}
