//! Bots that cannot even be started: no process, and a cause that helps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use arena::record::{GameResult, Status};
use arena::rules::Seat;

use super::{AMPLE_MS, Seated, beside, play};

/// A file with this content and mode loses as `startup_failed`; `says` is in the evidence.
#[track_caller]
fn check(content: &[u8], mode: u32, says: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("bot");
    fs::write(&path, content).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    check_program(&path, says);
}

#[track_caller]
fn check_program(path: &Path, says: &str) {
    let _beside = beside();
    let mut bot = Seated::program(path, "", AMPLE_MS);
    let mut opponent = Seated::faulty("none");
    for _ in 0..2 {
        let played = play("connect4", Seat::First, &mut bot, &mut opponent, AMPLE_MS);
        assert_eq!(played.verdict.statuses, [Status::StartupFailed, Status::Ok], "{:?}", played.verdict);
        assert_eq!(played.verdict.result, GameResult::SecondWins);
        let evidence = played.verdict.evidence[0].as_ref().expect("evidence");
        let known = format!("{}\n{}", evidence.message, evidence.stderr_tail.as_deref().unwrap_or_default());
        assert!(known.contains(says), "{known}");
        played.assert_within(says, Duration::ZERO);
    }
    bot.leave();
    opponent.leave();
}

#[test]
fn a_missing_program_is_named() {
    check_program(Path::new("/no/such/bot"), "cannot start /no/such/bot: no such program");
}

#[test]
fn a_file_that_is_not_executable_is_reported() {
    check(b"#!/bin/sh\n", 0o644, "it is not an executable file (chmod +x)");
}

#[test]
fn a_missing_interpreter_is_named() {
    check(b"#!/no/such/python\n", 0o755, "the interpreter named in its first line is missing: /no/such/python");
}

#[test]
fn a_missing_interpreter_is_named_by_env_too() {
    check(b"#!/usr/bin/env no-such-python\n", 0o755, "no-such-python");
}

#[test]
fn windows_line_ends_are_found() {
    check(b"#!/bin/sh\r\necho hi\r\n", 0o755, "its first line ends in CR LF");
}

#[test]
fn a_file_that_is_not_a_program_is_not_run_by_a_shell() {
    check(b"", 0o755, "it is empty");
    check(
        b"echo '{\"type\":\"hello\",\"protocol\":1}'\n",
        0o755,
        "it is not a program for this machine; a script needs",
    );
    check(b"\xef\xbb\xbf#!/bin/sh\necho hi\n", 0o755, "it begins with a byte order mark");
}

#[test]
fn a_traceback_at_the_start_is_kept() {
    check(b"#!/bin/sh\necho 'ImportError: numpy' >&2\nexit 1\n", 0o755, "ImportError: numpy");
}

#[test]
fn a_game_is_void_if_neither_bot_starts() {
    let _beside = beside();
    let mut bots = [Seated::faulty("exit-at-start=1"), Seated::faulty("exit-at-start=2")];
    let [first, second] = &mut bots;
    let played = play("connect4", Seat::First, first, second, AMPLE_MS);
    assert_eq!(played.verdict.result, GameResult::Void);
    assert_eq!(played.verdict.statuses, [Status::StartupFailed; 2]);
    played.assert_within("neither starts", Duration::ZERO);
    bots.into_iter().for_each(Seated::leave);
}
