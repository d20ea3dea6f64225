//! A referee whose streams, environment or folder disappear, before it begins or while it plays.

use std::io::Read;
use std::process::Stdio;

use super::{PLAY, assert_clean, results, shell, stderr, undisturbed};
use crate::pty;
use crate::support::{Dir, LIMIT, until};

const BOTS: [&str; 2] = ["random", "greedy"];
const ROUNDS: &str = "--rounds 3 -j 2";

#[test]
fn without_streams_and_environment_the_results_are_the_same() {
    let args = format!("{PLAY} {ROUNDS}");
    let expected = undisturbed(&BOTS, &args);
    for how in [
        "exec $ARENA ARGS >&-",
        "exec $ARENA ARGS 2>&-",
        "exec $ARENA ARGS <&-",
        "exec $ARENA ARGS <&- >&- 2>&-",
        "exec $ARENA ARGS --json >&- 2>&-",
        "exec env -i $ARENA ARGS",
        "exec env -i $ARENA ARGS <&- >&- 2>&-",
        "exec env -i PATH= TERM=nonsense TMPDIR=tmp LANG=xx COLUMNS=-1 $ARENA ARGS",
        // The output is never read.
        "{ $ARENA ARGS; echo $? >code; } 2>&1 | true; exit $(cat code)",
        "{ $ARENA ARGS; echo $? >code; } 2>/dev/null | head -n 1 >/dev/null; exit $(cat code)",
    ] {
        let dir = Dir::with_bots(&BOTS);
        let output = shell(&dir, &how.replace("ARGS", &args));
        assert_eq!(output.status.code(), Some(0), "{how}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{how}: {}", stderr(&output));
        assert_eq!(results(&dir), expected, "{how}");
        assert_clean(&dir, 6);
    }
}

#[test]
fn the_exit_code_is_right_although_output_is_not_read() {
    let dir = Dir::with_bots(&BOTS);
    dir.process_ends(0, &format!("{PLAY} {ROUNDS}"));
    dir.file("others/source.py", "print()");
    let output = shell(&dir, "{ $ARENA bots --bots others; echo $? >code; } | true; exit $(cat code)");
    assert_eq!(output.status.code(), Some(2), "a bot cannot be used: {}", stderr(&output));
    let output = shell(&dir, &format!("exec $ARENA {PLAY} {ROUNDS} >/dev/full"));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: writing to stdout"), "{}", stderr(&output));
    assert_clean(&dir, 6);
}

#[test]
fn a_terminal_that_goes_away_in_mid_run_takes_only_the_progress_bar_along() {
    let args = format!("{PLAY} --rounds 40 -j 2");
    let expected = undisturbed(&BOTS, &args);
    let dir = Dir::with_bots(&BOTS);
    let (mut child, mut screen) = pty::spawn(dir.command(&args));
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("/80 games") {
        let mut some = [0; 4096];
        let count = screen.read(&mut some).expect("a terminal");
        seen.extend(&some[..count]);
    }
    drop(screen);
    let code = child.wait().expect("a child").code();
    // Its final output can no longer be written, unless it was written already.
    assert!(matches!(code, Some(0 | 1)), "{code:?}");
    assert_eq!(results(&dir), expected);
    assert_clean(&dir, 80);
}

#[test]
fn pipes_that_are_closed_in_mid_run_stop_nothing() {
    let args = format!("{PLAY} --rounds 40 -j 2");
    let dir = Dir::with_bots(&BOTS);
    let mut child = dir.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    assert_clean(&dir, 80);
}

#[test]
fn a_working_directory_that_is_gone_is_not_needed() {
    let args = format!("{PLAY} {ROUNDS}");
    let expected = undisturbed(&BOTS, &args);
    let dir = Dir::with_bots(&BOTS);
    let here = dir.path("");
    let here = here.display();
    let args = format!("{args} --bots {here}/bots --results {here}/results");
    let output = shell(&dir, &format!("mkdir gone && cd gone && rmdir ../gone && exec $ARENA {args}"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(results(&dir), expected);

    // Nothing is found under relative names, which is reported.
    let output = shell(&dir, &format!("mkdir gone && cd gone && rmdir ../gone && exec $ARENA {PLAY} {ROUNDS}"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("there is no folder `bots`"), "{}", stderr(&output));
}
