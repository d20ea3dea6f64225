//! Whole tournaments through the real binary: reproducible, resumable, interruptible.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::{Contents, Dir, is_heard, until};

/// Deterministic bots of some depth, so that games take long enough to be interrupted.
const FIELD: [&str; 4] = ["random", "greedy", "minimax depth=3", "mcts playouts=150"];
const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];
/// A machine that does other things too must not make a bot lose on time.
const PATIENT: &str = "tournament --move-time 30s --oversubscribe";
/// For a bot to see that its referee is gone.
const LEAVE: Duration = Duration::from_secs(2);

/// Everything in the results that may not depend on how the games were played: games without times, and tables.
fn results(dir: &Dir, name: &str) -> String {
    let games = dir.read(&format!("results/{name}/games.csv"));
    let timeless = |line: &str| line.rsplitn(5, ',').last().unwrap_or_default().to_owned();
    let games: Vec<String> = games.lines().map(timeless).collect();
    let tables = TABLES.map(|table| dir.read(&format!("results/{name}/{table}")));
    format!("{}\n{}", games.join("\n"), tables.join("\n"))
}

fn ids(contents: &Contents) -> Vec<String> {
    contents.games.iter().map(|game| game.id.clone()).collect()
}

#[track_caller]
fn no_game_twice(dir: &Dir, name: &str, games: usize) {
    let ids = ids(&dir.journal(name));
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (games, games));
}

#[track_caller]
fn nobody_is_left(dir: &Dir) {
    until(LEAVE, "every process has left", || dir.processes().is_empty());
    let scratch: Vec<_> = fs::read_dir(dir.path("tmp")).expect("a folder").collect();
    assert!(scratch.is_empty(), "{scratch:?}");
}

#[test]
fn last_words_are_in_the_log() {
    let dir = Dir::with_bots(&["random"]);
    let bot = r"exec_bot() { ARENA bot random; echo farewell >&2; }
exec_bot";
    dir.script("bots/polite", &bot.replace("ARENA", crate::support::arena()));
    dir.arena_ends(0, &format!("{PATIENT} --game tictactoe --rounds 1 -j 1"));
    assert_eq!(dir.read("results/tictactoe/bots/polite.log"), "== after its last game\nstderr: farewell\n");
}

#[test]
fn results_do_not_depend_on_stops_or_concurrency() {
    const GAMES: usize = 48;
    let reference = Dir::with_bots(&FIELD);
    reference.arena_ends(0, &format!("{PATIENT} --rounds 4 -j 1"));
    let expected = results(&reference, "connect4");
    no_game_twice(&reference, "connect4", GAMES);
    nobody_is_left(&reference);

    let other = Dir::with_bots(&FIELD);
    other.arena_ends(0, &format!("{PATIENT} --rounds 4 -j 4 --pin off"));
    assert_eq!(results(&other, "connect4"), expected, "at -j 4");

    // Killed again and again, at moments of its own choosing, then stopped politely in both ways.
    let killed = Dir::with_bots(&FIELD);
    for lines in [1, 2, 9, 17] {
        let running = killed.start(&format!("{PATIENT} --rounds 4 -j 4"));
        until(LIMIT, "some games are in the journal", || killed.journal_lines("connect4") >= lines);
        running.signal(Signal::KILL);
        assert_eq!(running.wait(LIMIT).status, None);
        until(LEAVE, "bots leave at the end of their input", || killed.processes().is_empty());
    }
    for (signal, lines) in [(Signal::INT, 22), (Signal::TERM, 30), (Signal::HUP, 38)] {
        // On a busy machine the run before may have come to its end before it was stopped.
        if !is_heard(signal) || killed.journal("connect4").games.len() == GAMES {
            continue;
        }
        let before = killed.journal_lines("connect4");
        let running = killed.start(&format!("{PATIENT} --rounds 4 -j 4"));
        until(LIMIT, "some games are in the journal", || killed.journal_lines("connect4") >= lines.max(before + 1));
        running.signal(signal);
        let ended = running.wait(LIMIT);
        let games = killed.journal("connect4").games.len();
        // On a busy machine we may be so late that there was nothing left to stop.
        if games < GAMES {
            assert_eq!(ended.status, Some(3), "{signal:?} {ended}");
            assert!(ended.stderr.contains("stopping after the current games"), "{ended}");
            assert!(ended.stderr.contains("arena tournament --move-time 30s"), "{ended}");
        }
        // What was finished is in the tables already.
        assert_eq!(killed.read("results/connect4/games.csv").lines().count(), 1 + games);
        until(LEAVE, "every process has left", || killed.processes().is_empty());
    }
    killed.arena_ends(0, &format!("{PATIENT} --rounds 4 -j 1"));
    assert_eq!(results(&killed, "connect4"), expected, "after interruptions");
    no_game_twice(&killed, "connect4", GAMES);
}

#[test]
fn the_seed_of_a_tournament_cannot_be_guessed() {
    let play = |dir: &Dir, flags: &str| {
        dir.arena_ends(0, &format!("tournament --game mastermind --no-check --quiet --seed drawn {flags}"));
        ids(&dir.journal("mastermind")).into_iter().collect::<HashSet<_>>()
    };
    let [one, other] = [(); 2].map(|()| Dir::with_bots(&["random", "codebreaker"]));
    let first = play(&one, "--rounds 1");
    assert_ne!(first, play(&other, "--rounds 1"), "the seed is the same in another folder");
    let more = play(&one, "--rounds 2");
    assert!(first.len() == 2 && more.len() == 4 && more.is_superset(&first), "the tournament goes on with its seed");
    assert!(play(&one, "--rounds 2 --fresh").is_disjoint(&more), "begun again with the old seed");
    let dir = one;
    let [one, other] = [&dir, &other].map(|dir| play(dir, "--rounds 2 --seed 7 --name mastermind --fresh"));
    assert_eq!(one, other, "a seed that is asked for is taken");
    // Other parameters make another tournament.
    let seed = |dir: &Dir| dir.journal("mastermind").event.expect("an event").seed;
    assert_eq!(seed(&dir), 7);
    play(&dir, "--rounds 1");
    assert_eq!(seed(&dir), 7, "it goes on with the seed that it was begun with");
    let other = "tournament --game mastermind:pegs=3 --rounds 1 --no-check --quiet --name mastermind --seed drawn";
    let refused = dir.arena_ends(1, other).stderr;
    assert!(refused.contains("--game mastermind instead of --game mastermind:pegs=3"), "{refused}");
    dir.arena_ends(0, &format!("{other} --fresh"));
    assert_ne!(seed(&dir), 7);
}

#[test]
fn every_game_has_a_seed_that_is_drawn_recorded_and_shown() {
    let seeds = [(); 2].map(|()| {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let play = |flags: &str| {
            let ended = dir.arena_ends(0, &format!("{PATIENT} --game tictactoe --seed drawn {flags}"));
            let seed = dir.journal("tictactoe").event.expect("an event").seed;
            assert!(ended.stderr.contains(&format!(", seed {seed}\n")), "{ended}");
            seed
        };
        let seed = play("--rounds 3");
        // Openings are drawn from it too: more rounds change no game of earlier ones.
        let games = ids(&dir.journal("tictactoe"));
        assert_eq!((play("--rounds 5"), &ids(&dir.journal("tictactoe"))[..6]), (seed, &games[..]));
        no_game_twice(&dir, "tictactoe", 10);
        let fresh = play("--rounds 1 --fresh");
        assert_ne!(fresh, seed);
        assert_eq!((play("--rounds 1 --fresh --seed 9"), play("--rounds 1")), (9, 9));
        let play = "match random greedy --game tictactoe --rounds 1 --move-time 30s --name tictactoe --seed";
        dir.arena_ends(0, &format!("{play} drawn"));
        assert_eq!(dir.journal("tictactoe").event.expect("an event").seed, 9, "a match has the same rule");
        [seed, fresh]
    });
    let all: HashSet<u64> = seeds.concat().into_iter().chain([1]).collect();
    assert_eq!(all.len(), 5);
}

const LIMIT: Duration = crate::support::LIMIT;

/// A bot that speaks, and hangs at its first move; deaf to polite signals.
const HANGS: &str = r#"
trap '' HUP INT TERM
id() { printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
read -r line; echo '{"type":"hello","protocol":1}'
read -r line; echo "{\"type\":\"ready\",\"id\":$(id)}"
echo hangs >&2
while :; do sleep 1000; done"#;

#[test]
fn a_second_signal_leaves_at_once_and_takes_every_bot_along() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/hangs", HANGS);
    let mut running = dir.start(&format!("{PATIENT} --no-check --rounds 3 -j 2"));
    let sleeping = || dir.processes().iter().filter(|words| words.starts_with("sleep")).count();
    until(LIMIT, "both games hang", || sleeping() == 2);
    running.signal(Signal::INT);
    until(LIMIT, "it says so", || running.stderr().contains("stopping"));
    assert_eq!(sleeping(), 2, "running games go on");
    running.signal_again(Signal::INT);
    let ended = running.wait(LEAVE);
    assert_eq!(ended.status, Some(130), "{ended}");
    assert!(ended.stderr.contains("resume with: "), "{ended}");
    nobody_is_left(&dir);
    assert!(dir.journal("connect4").games.is_empty(), "a game that we broke off is not the bot's loss");
    assert_eq!(dir.read("results/connect4/games.csv").lines().count(), 1);
}

#[test]
fn a_signal_while_bots_are_checked_takes_them_along() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/hangs", HANGS);
    for (args, code) in [("tournament --move-time 30s", 3), ("check hangs --move-time 30s", 130)] {
        let running = dir.start(args);
        until(LIMIT, "the check hangs", || dir.processes().iter().any(|words| words.starts_with("sleep")));
        running.signal(Signal::INT);
        let ended = running.wait(LEAVE);
        assert_eq!(ended.status, Some(code), "{args} {ended}");
        assert!(code == 130 || ended.stdout.is_empty(), "{args} {ended}");
        assert!(!ended.stdout.contains("FAIL"), "killed by us: {args} {ended}");
        nobody_is_left(&dir);
    }
}

#[test]
fn running_again_plays_nothing_and_says_so() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 3 -j 1");
    dir.arena_ends(0, &args);
    let (journal, tables) = (dir.read("results/tictactoe/games.jsonl"), results(&dir, "tictactoe"));
    insta::assert_snapshot!(dir.arena(&args), @"
    exit 0
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name        1      2
    1  greedy      *  4-2-0
    2  random  0-2-4      *

    tictactoe round-robin · 2 bots · 6 games · [when]
    greedy scored 83.3% against random: 4-2-0.
    The games do not show whether greedy is stronger than random (+279.6 ± 347.2 Elo, LOS 94.3%); if that is the true difference, about 2 more rounds would settle it.
    All ratings and margins apply to these openings only: 3 were played, too few to generalise.
    The first seat scored 66.7 % of 6 games.
    Worth seeing: 5524a541 (random against greedy, the longest: 9 plies).

    report: results/tictactoe/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name       Elo   ±95%  Games  W-D-L  Points  Score    LOS   First  Second  Faults
     1–2  greedy  +139.8  173.6      6  4-2-0     5.0  83.3%  94.3%  100.0%   66.7%       0
     1–2  random  -139.8  173.6      6  0-2-4     1.0  16.7%          33.3%    0.0%       0
    --- stderr
    tictactoe: 2 bots, 3 rounds, 6 games, 30000 ms a move, seed 1
    nothing new to play: every game is in the journal; ask for more --rounds, or change a bot
    ");
    assert_eq!(dir.read("results/tictactoe/games.jsonl"), journal);
    assert_eq!(results(&dir, "tictactoe"), tables);
}

#[test]
fn only_what_is_missing_is_played() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script_bot("script", "random");
    let args = |rounds| format!("{PATIENT} --game tictactoe --rounds {rounds} -j 2");
    let played = |why: &str, rounds, games| {
        let before = dir.journal("tictactoe").games.len();
        let ended = dir.arena_ends(0, &args(rounds));
        assert_eq!(dir.journal("tictactoe").games.len() - before, games, "{why}\n{ended}");
        ended
    };
    dir.arena_ends(0, &args(2));
    assert_eq!(dir.journal("tictactoe").games.len(), 12);

    dir.builtin("minimax", "minimax depth=2");
    played("a new bot plays the other three", 2, 12);
    played("a third round", 3, 12);
    dir.builtin("minimax", "minimax depth=3");
    played("another option is another bot", 3, 18);
    dir.script("bots/script", &format!("# with a comment\nexec {} bot random", crate::support::arena()));
    let ended = played("another file is another bot", 3, 18);
    assert!(ended.stderr.contains("36 games in results/tictactoe of other settings, rounds or bots: kept"), "{ended}");

    fs::rename(dir.path("bots/minimax.toml"), dir.path("bots/deep.toml")).expect("renamed");
    let old_names = dir.read("results/tictactoe/standings.csv");
    played("a bot keeps its games under a new name", 3, 0);
    let new_names = dir.read("results/tictactoe/standings.csv");
    assert_ne!(old_names, new_names);
    assert!(new_names.contains(",deep,18,") && !new_names.contains("minimax"), "{new_names}");

    played("fewer rounds", 1, 0);
    assert_eq!(dir.read("results/tictactoe/games.csv").lines().count(), 1 + 12, "one round of four bots");
    fs::remove_file(dir.path("bots/deep.toml")).expect("removed");
    played("fewer bots", 3, 0);
    assert_eq!(dir.read("results/tictactoe/games.csv").lines().count(), 1 + 18, "three rounds of three bots");
    dir.builtin("minimax", "minimax depth=2");
    played("a bot that comes back as it was meets only the new script", 2, 4);
}

#[test]
fn a_fresh_start_puts_the_old_journal_aside() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 1 --quiet");
    dir.arena_ends(0, &args);
    let first = dir.read("results/tictactoe/games.jsonl");
    let ended = dir.arena_ends(0, &format!("{args} --fresh"));
    assert_eq!(ended.stderr, "the old journal is now results/tictactoe/games.jsonl.1\n");
    let second = dir.read("results/tictactoe/games.jsonl");
    dir.arena_ends(0, &format!("{args} --fresh"));
    assert_eq!(dir.read("results/tictactoe/games.jsonl.1"), first);
    assert_eq!(dir.read("results/tictactoe/games.jsonl.2"), second);
    assert_eq!(dir.journal("tictactoe").games.len(), 2);
}

#[test]
fn what_is_wrong_with_an_anchor_is_said_before_anything_is_written() {
    let dir = Dir::with_bots(&["random", "greedy", "codebreaker"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 1 --quiet");
    for fresh in ["", " --fresh"] {
        for (anchor, says) in [
            ("rndom", "--anchor: there is no bot named `rndom` (did you mean `random`?)"),
            ("random:abc", "--anchor: `abc` is not a rating; write NAME or NAME:ELO, such as greedy:1500"),
            ("codebreaker", "--anchor: there is no bot named `codebreaker`"),
        ] {
            let ended = dir.arena_ends(1, &format!("{args} --anchor {anchor}{fresh}"));
            assert_eq!((ended.stdout.as_str(), ended.stderr), ("", format!("error: {says}\n")));
        }
        assert!(!dir.path("results").exists());
    }
    // Who cannot play is left out, as an anchor too, and the rest play.
    dir.script("bots/dumb", "exit 7");
    let ended = dir.arena_ends(2, &format!("{args} --anchor dumb:1500"));
    let says =
        "warning: --anchor: there is no bot named `dumb` among those that play; the mean of all ratings is 0 instead";
    assert!(ended.stderr.contains(says), "{ended}");
    assert_eq!(dir.journal("tictactoe").games.len(), 2);
}

#[test]
fn a_journal_is_put_aside_for_a_run_that_begins_and_for_no_other() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 1 --quiet");
    dir.arena_ends(0, &args);
    let journal = dir.read("results/tictactoe/games.jsonl");
    let unmoved = || {
        assert_eq!(dir.read("results/tictactoe/games.jsonl"), journal);
        assert!(!dir.path("results/tictactoe/games.jsonl.1").exists());
    };
    dir.arena_ends(1, &format!("{args} --fresh --anchor no-such-bot"));
    unmoved();
    dir.arena_ends(
        1,
        &args.replace("--rounds 1", "--rounds 1000000 --fresh --bot a=bots/random.toml --bot b=bots/greedy.toml"),
    );
    unmoved();
    dir.script("bots/hangs", HANGS);
    let running = dir.start(&format!("{args} --fresh"));
    until(LIMIT, "the check hangs", || dir.processes().iter().any(|words| words.starts_with("sleep")));
    running.signal(Signal::INT);
    assert_eq!(running.wait(LIMIT).status, Some(3));
    unmoved();
}

#[test]
fn a_command_to_go_on_does_not_begin_again() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/hangs", HANGS);
    let mut running = dir.start("tournament --move-time 30s --no-check --fresh --rounds 1 -j 1");
    until(LIMIT, "the game hangs", || dir.processes().iter().any(|words| words.starts_with("sleep")));
    running.signal(Signal::TERM);
    until(LIMIT, "it says so", || running.stderr().contains("stopping"));
    running.signal_again(Signal::TERM);
    insta::assert_snapshot!(running.wait(LIMIT), @"
    exit 130
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name    1  2
    1  hangs   *  -
    2  random  -  *

    connect4 round-robin · 2 bots · 0 of 2 games
    2 of 2 games not played yet; each bot has played 0: run the same command to resume

    report: results/connect4/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name    Elo  ±95%  Games  W-D-L  Points  Score  LOS  First  Second  Faults
     1–2  hangs     -            0  0-0-0     0.0      -           -       -       0
     1–2  random    -            0  0-0-0     0.0      -           -       -       0
    --- stderr
    connect4: 2 bots, 1 round, 2 games, 30000 ms a move, seed 1
    playing 1 at a time
    estimate for 2 games: 20 minutes at most
    stopping after the current games; press Ctrl-C again to quit now
    resume with: [arena] tournament --move-time 30s --no-check --rounds 1 -j 1 --seed 1
    ");
}

#[test]
fn one_arena_at_a_time_in_a_folder() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/hangs", HANGS);
    let mut running = dir.start("tournament --move-time 30s --no-check --rounds 1 -j 1");
    until(LIMIT, "it plays", || dir.processes().iter().any(|words| words.starts_with("sleep")));
    for (more, taken) in [("", "taken from results/connect4: --move-time 30s\n"), (" --fresh", "")] {
        let ended = dir.arena_ends(1, &format!("tournament --rounds 1{more}"));
        let why = format!(
            "{taken}error: results/connect4 is in use by another arena (process {}); wait for it, or choose another --name\n",
            running.pid()
        );
        assert_eq!((ended.stdout.as_str(), ended.stderr), ("", why));
    }
    let ended = dir.arena_ends(0, "standings");
    assert!(ended.stderr.contains("these are the standings so far"), "{ended}");
    dir.arena_ends(0, "tournament --rounds 1 --name other --game tictactoe --bot a=bots/random.toml --bots tmp --bot b=bots/random.toml");
    running.signal(Signal::INT);
    until(LIMIT, "it says so", || running.stderr().contains("stopping"));
    running.signal_again(Signal::INT);
    running.wait(LIMIT);
    dir.arena_ends(0, "standings connect4");
}

#[test]
fn a_torn_line_is_cut_and_its_game_played_again() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 2 --quiet");
    dir.arena_ends(0, &args);
    let (whole, tables) = (dir.read("results/tictactoe/games.jsonl"), results(&dir, "tictactoe"));
    let last = whole.trim_end().rfind('\n').expect("several lines") + 1;
    // Without its newline alone, or with CR LF, every line counts as it was.
    for same in [whole.trim_end().to_owned(), whole.replace('\n', "\r\n"), whole.trim_end().replace('\n', "\r\n")] {
        dir.file("results/tictactoe/games.jsonl", &same);
        dir.arena_ends(0, "verify");
        let ended = dir.arena_ends(0, &args);
        assert!(ended.stderr.starts_with("nothing new to play"), "{ended}");
        assert_eq!(results(&dir, "tictactoe"), tables);
        no_game_twice(&dir, "tictactoe", 4);
    }
    for cut in [last + 1, last + 60, whole.len() - 2] {
        dir.file("results/tictactoe/games.jsonl", &whole[..cut]);
        let ended = dir.arena_ends(0, "verify");
        assert!(ended.stdout.contains("the last line is torn"), "{ended}");
        dir.arena_ends(0, "standings");
        let ended = dir.arena_ends(0, &args);
        assert_eq!(
            ended.stderr,
            format!("the last line of the journal was torn ({} bytes) and was cut off\n", cut - last)
        );
        assert_eq!(results(&dir, "tictactoe"), tables);
        no_game_twice(&dir, "tictactoe", 4);
    }
}

#[test]
fn a_damaged_line_stops_everything_until_it_is_dealt_with() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 2 --quiet");
    dir.arena_ends(0, &args);
    let whole = dir.read("results/tictactoe/games.jsonl");
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[2] = "garbage";
    let damaged = lines.join("\n") + "\n";
    dir.file("results/tictactoe/games.jsonl", &damaged);
    insta::assert_snapshot!(dir.arena(&args), @"
    exit 1
    --- stdout
    --- stderr
    error: journal results/tictactoe/games.jsonl, line 3: not a line of a journal: expected value (column 1); remove the line to play its game again (`arena verify` lists every such line), or put the journal aside with `arena tournament --fresh`
    ");
    dir.arena_ends(1, "standings");
    assert_eq!(dir.read("results/tictactoe/games.jsonl"), damaged, "nothing is lost");
    // Both cures work.
    dir.file("results/tictactoe/games.jsonl", damaged.replace("garbage\n", ""));
    dir.arena_ends(0, &args);
    no_game_twice(&dir, "tictactoe", 4);
    dir.file("results/tictactoe/games.jsonl", &damaged);
    dir.arena_ends(0, &format!("{args} --fresh"));
    assert_eq!(dir.read("results/tictactoe/games.jsonl.1"), damaged);
    no_game_twice(&dir, "tictactoe", 4);
}

#[test]
fn a_secret_is_never_used_twice() {
    // The twins are one bot under two names.
    let dir = Dir::with_bots(&["random", "codebreaker"]);
    dir.builtin("twin", "random");
    let args = "tournament --game mastermind:pegs=2 --rounds 3 --move-time 30s";
    dir.arena_ends(0, args);
    let games = dir.journal("mastermind-pegs=2").games;
    let seeds: HashSet<u64> = games.iter().map(|game| game.seed).collect();
    assert_eq!((games.len(), seeds.len()), (18, 18));
    let ended = dir.arena_ends(0, args);
    assert!(ended.stderr.contains("nothing new to play"), "{ended}");
}

#[test]
fn twins_of_open_information_have_games_of_their_own() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.builtin("twin", "random");
    dir.arena_ends(0, "tournament --game tictactoe --rounds 2 --move-time 30s");
    no_game_twice(&dir, "tictactoe", 12);
}

#[test]
fn a_disk_that_is_full_loses_no_finished_game() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let args = format!("{PATIENT} --game tictactoe --rounds 20 --seed 1");
    dir.arena_ends(0, &args);
    let expected = results(&dir, "tictactoe");
    fs::remove_dir_all(dir.path("results")).expect("removed");

    // A limit on the size of files looks like a full disk, since the signal that comes with it is ignored.
    let script = format!("ulimit -f 12; exec {} {args}", crate::support::arena());
    dir.script("limited.sh", &script);
    let limited =
        std::process::Command::new(dir.path("limited.sh")).current_dir(dir.path("")).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("error: writing journal results/tictactoe/games.jsonl; finished games are saved"),
        "{stderr}"
    );
    until(LEAVE, "every process has left", || dir.processes().is_empty());
    let safe = dir.journal("tictactoe");
    assert!(safe.torn_bytes == 0 && !safe.games.is_empty() && safe.games.len() < 40, "{}", safe.games.len());
    dir.arena_ends(0, &args);
    assert_eq!(results(&dir, "tictactoe"), expected);
    no_game_twice(&dir, "tictactoe", 40);
}
