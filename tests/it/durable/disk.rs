//! Disks that are full or read-only, and files that are removed.

use std::fs;
use std::io::Write;

use super::{PLAY, arena, assert_clean, mounting, results, shell, stderr, undisturbed};
use crate::support::{Dir, LIMIT, until};

#[test]
fn results_that_cannot_be_written_are_found_before_anything_is_started() {
    let args = format!("{PLAY} --rounds 3 --sandbox off");
    let places = [
        (
            "a read-only disk",
            "mount -t tmpfs none results && mkdir results/tictactoe && mount -o remount,bind,ro results",
            "Read-only file system",
        ),
        ("a full disk", "mount -t tmpfs -o size=4k none results", "No space left on device"),
        // Room for the lock only.
        (
            "a disk that is nearly full",
            "mount -t tmpfs -o size=12k none results && head -c 8192 /dev/zero > results/x",
            "No space left on device",
        ),
    ];
    for (place, mount, cause) in places {
        let dir = Dir::with_bots(&["random"]);
        dir.script("bots/script", &format!("touch {}\nexec {} bot random", dir.path("started").display(), arena()));
        fs::create_dir(dir.path("results")).expect("a folder");
        let Some(output) = mounting(&dir, &format!("{mount} && exec $ARENA {args}")) else { return };
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{place}: {said}");
        assert!(said.contains(cause) && said.contains("results/tictactoe"), "{place}: {said}");
        assert!(said.contains("--results DIR"), "{place}: {said}");
        assert!(!dir.path("started").exists(), "{place}: {said}");
    }
}

#[test]
fn a_disk_that_fills_up_stops_the_run_and_loses_no_finished_game() {
    let args = format!("{PLAY} --rounds 30 -j 2");
    let expected = undisturbed(&["random", "greedy"], &args);
    let mut in_the_journal = false;
    for kilobytes in [20, 32, 48] {
        let dir = Dir::with_bots(&["random", "greedy"]);
        fs::create_dir(dir.path("results")).expect("a folder");
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k none results\n$ARENA {args}; code=$?\ncp -r results kept; exit $code"
        );
        let Some(output) = mounting(&dir, &script) else { return };
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{kilobytes}: {said}");
        assert!(said.contains("No space left on device"), "{kilobytes}: {said}");
        assert!(said.contains("results/tictactoe/"), "the file is named: {kilobytes}: {said}");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains("Rank  Name") || said.contains("nothing was played"), "{kilobytes}: {shown}{said}");
        in_the_journal |= said.contains("writing journal");
        // The files present are complete, and the rest is played on a disk with room.
        fs::remove_dir(dir.path("results")).expect("removed");
        fs::rename(dir.path("kept"), dir.path("results")).expect("renamed");
        dir.arena_ends(0, "verify");
        let safe = dir.journal("tictactoe").games.len();
        assert!(safe <= 60, "{kilobytes}: {safe}");
        dir.process_ends(0, &args);
        assert_eq!(results(&dir), expected, "{kilobytes}");
        assert_clean(&dir, 60);
    }
    assert!(in_the_journal, "a disk this small has no room for the journal");
}

#[test]
fn standings_are_shown_where_they_cannot_be_written() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PLAY} --rounds 30 --quiet");
    dir.process_ends(0, &args);
    let shown = String::from_utf8(shell(&dir, "$ARENA standings").stdout).expect("UTF-8");
    assert!(shown.contains("Rank  Name"), "{shown}");
    let small = ["standings.csv", "crosstable.csv", "head_to_head.csv", "tournament.json", "bots.csv"];

    // Room for the journal and the small tables, but not for the games.
    let journal = fs::metadata(dir.path("results/tictactoe/games.jsonl")).expect("a journal").len();
    let kilobytes = journal.div_ceil(4096) * 4 + 7 * 4;
    fs::rename(dir.path("results"), dir.path("kept")).expect("renamed");
    fs::create_dir(dir.path("results")).expect("a folder");
    let copy = "mkdir results/tictactoe && cp kept/tictactoe/games.jsonl results/tictactoe";
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k none results && {copy} || exit 99\n\
         $ARENA standings; code=$?; ls results/tictactoe > listed; exit $code"
    );
    let Some(output) = mounting(&dir, &script) else { return };
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown, "{said}");
    let safe = "error: every game is safe in results/tictactoe/games.jsonl, and not all tables are written: `arena \
                standings results/tictactoe` does it when there is room";
    assert!(said.starts_with(safe) && said.contains("No space left on device"), "{said}");
    let listed = dir.read("listed");
    for table in small {
        assert!(listed.lines().any(|file| file == table), "{table}: {listed}");
    }
    assert!(!listed.contains("games.csv"), "{listed}");

    // Read-only results can be shown.
    let script = format!("{copy} && mount --bind results results && mount -o remount,bind,ro results || exit 99\n");
    let Some(output) = mounting(&dir, &format!("{script}exec $ARENA standings")) else { return };
    let said = stderr(&output);
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()),
        (Some(0), shown),
        "{said}"
    );
    assert_eq!(said, "results/tictactoe is read-only: its tables are not rewritten\n");
    fs::remove_dir_all(dir.path("results/tictactoe")).expect("removed");
    let Some(output) = mounting(&dir, &format!("{script}exec $ARENA {args}")) else { return };
    let said = stderr(&output);
    assert!(said.contains("`arena standings` shows one that cannot"), "{said}");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_not_the_end() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.process_ends(0, &format!("{PLAY} --rounds 3"));
    let output = shell(&dir, "ulimit -f 1; exec $ARENA standings");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("could not write `results/tictactoe/") && said.contains("File too large"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Rank  Name"), "{said}");
}

#[test]
fn a_log_that_cannot_be_written_is_reported_once_and_the_games_go_on() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/talks", &format!("echo complains >&2\nexec {} bot random", arena()));
    dir.file("bots/fresh.toml", "command = [\"./talks\"]\nfresh = true");
    dir.file("results/tictactoe/bots", "in the way");
    let ended =
        dir.process_ends(0, "match random fresh --game tictactoe --name tictactoe --move-time 30s --rounds 3 -j 1");
    let warning = "warning: creating folder results/tictactoe/bots: ";
    assert_eq!(ended.stderr.matches(warning).count(), 1, "{ended}");
    assert_clean(&dir, 6);
}

#[test]
fn a_journal_that_is_taken_away_or_written_to_in_mid_run_is_noticed() {
    let takes: [fn(&Dir); 4] = [
        |dir| fs::remove_file(dir.path("results/tictactoe/games.jsonl")).expect("removed"),
        |dir| {
            fs::rename(dir.path("results/tictactoe/games.jsonl"), dir.path("results/tictactoe/old")).expect("renamed");
            dir.file("results/tictactoe/games.jsonl", "");
        },
        |dir| fs::rename(dir.path("results"), dir.path("elsewhere")).expect("renamed"),
        |dir| {
            let journal = fs::File::options().append(true).open(dir.path("results/tictactoe/games.jsonl"));
            journal.and_then(|mut file| file.write_all(b"x\n")).expect("written");
        },
    ];
    for take in takes {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let running = dir.start(&format!("{PLAY} --rounds 500 -j 1"));
        until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
        take(&dir);
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(1), "{ended}");
        assert!(ended.stderr.contains("error: journal results/tictactoe/games.jsonl was "), "{ended}");
    }
}
