//! The command line: what is refused and how, what is printed, and nobody who reads it.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use arena::rules::RULES;
use rustix::process::Signal;

use crate::support::{Dir, LIMIT, until};

/// A mistake: exit code 1, nothing on stdout; returns stderr.
#[track_caller]
fn refused(dir: &Dir, args: &str) -> String {
    let ended = dir.arena_ends(1, args);
    assert_eq!(ended.stdout, "", "{args}");
    format!("{ended}").split_once("--- stderr\n").expect("a shape").1.to_owned()
}

/// What is said to each of several mistakes.
#[track_caller]
fn refusals(dir: &Dir, command: &str, mistakes: &[&str]) -> String {
    let said = mistakes.iter().map(|mistake| {
        let stderr = refused(dir, &format!("{command} {mistake} --seed drawn"));
        let stderr = stderr.replace(&format!("the {} processors", cpus()), "the [cpus] processors");
        format!("{mistake}\n{}\n", stderr.trim_end().trim_end_matches("For more information, try '--help'.").trim_end())
    });
    said.collect()
}

#[test]
fn a_wrong_game_is_refused_with_the_value_and_the_cure() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let mistakes = [
        "--game conect4",
        "--game connect4:row=6",
        "--game connect4:rows=0",
        "--game connect4:rows",
        "--game connect4:rows=2,cols=2,connect=4",
        "--game marbles:rule=double",
        "--game connect4:rows=4,cols=5,rows=3",
    ];
    let games = refusals(&dir, "tournament", &mistakes);
    insta::assert_snapshot!(games, @r#"
    --game conect4
    error: invalid value 'conect4' for '--game <GAME>': no game named `conect4` (did you mean `connect4`?); known: [every game]
    --game connect4:row=6
    error: invalid value 'connect4:row=6' for '--game <GAME>': game `connect4`: no parameter named `row` (did you mean `rows`?); known: rows, cols, connect
    --game connect4:rows=0
    error: invalid value 'connect4:rows=0' for '--game <GAME>': game `connect4`: `rows` cannot be 0; expected an integer from 1 to 32
    --game connect4:rows
    error: invalid value 'connect4:rows' for '--game <GAME>': game `connect4`: `rows` is not a parameter; write name=value, separated by commas
    --game connect4:rows=2,cols=2,connect=4
    error: invalid value 'connect4:rows=2,cols=2,connect=4' for '--game <GAME>': game `connect4`: 4 in a row does not fit on 2 rows and 2 columns; at most 2 fit
    --game marbles:rule=double
    error: invalid value 'marbles:rule=double' for '--game <GAME>': game `marbles`: `rule` cannot be "double"; expected one of doubling, fibonacci (did you mean `doubling`?)
    --game connect4:rows=4,cols=5,rows=3
    error: invalid value 'connect4:rows=4,cols=5,rows=3' for '--game <GAME>': game `connect4`: `rows` is given twice, as 4 and as 3; give it once
    "#);
}

#[test]
fn a_wrong_number_is_refused_with_those_that_could_be() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let mistakes = [
        "--seed -1",
        "--seed 18446744073709551616",
        "--rounds -1",
        "--rounds abc",
        "--rounds 1000001",
        "-j -1",
        "--max-plies -1",
        "--opening-plies -1",
        "--until 20 --max-rounds 0",
    ];
    insta::assert_snapshot!(refusals(&dir, "tournament", &mistakes), @"
    --seed -1
    error: invalid value '-1' for '--seed <N>': expected a whole number from 0 to 18446744073709551615
    --seed 18446744073709551616
    error: invalid value '18446744073709551616' for '--seed <N>': expected a whole number from 0 to 18446744073709551615
    --rounds -1
    error: invalid value '-1' for '--rounds <N>': expected a whole number from 1 to 1000000
    --rounds abc
    error: invalid value 'abc' for '--rounds <N>': expected a whole number from 1 to 1000000
    --rounds 1000001
    error: invalid value '1000001' for '--rounds <N>': expected a whole number from 1 to 1000000
    -j -1
    error: invalid value '-1' for '--concurrency <N>': expected a whole number from 1 to 65535
    --max-plies -1
    error: invalid value '-1' for '--max-plies <N>': expected a whole number from 1 to 4294967295
    --opening-plies -1
    error: invalid value '-1' for '--opening-plies <N>': expected a whole number from 0 to 65535
    --until 20 --max-rounds 0
    error: invalid value '0' for '--max-rounds <N>': expected a whole number from 1 to 1000000
    ");
    assert!(refused(&dir, "match random greedy --rounds -1").contains("expected a whole number from 1 to 1000000"));
}

#[test]
fn a_wrong_flag_is_refused_with_the_value_and_the_cure() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let mistakes = [
        "--rounds 0",
        "--rounds many",
        "-j 0",
        "-j 1000",
        "--move-time 1",
        "--move-time 0ms",
        "--move-time 1.5ms",
        "--time 40/60+0.6",
        "--time 0s",
        "--margin -1ms",
        "--seed -1",
        "--max-plies 0",
        "--max-plies 4",
        "--format round-robbin",
        "--name a/b",
        "--name ..",
        "--name=",
        "--pin somewhere",
        "--opening-plies 2 --game mastermind",
        "--openings x --opening-plies 2",
        "--openings nowhere.txt",
        "--openings one.txt --max-plies 1",
        "--bot nameless",
        "--bot x=",
        "--fresch",
    ];
    dir.file("one.txt", "[3]");
    let said = refusals(&dir, "tournament", &mistakes);
    assert!(!dir.path("results").exists());
    insta::assert_snapshot!(said, @"
    --rounds 0
    error: invalid value '0' for '--rounds <N>': expected a whole number from 1 to 1000000
    --rounds many
    error: invalid value 'many' for '--rounds <N>': expected a whole number from 1 to 1000000
    -j 0
    error: invalid value '0' for '--concurrency <N>': expected a whole number from 1 to 65535
    -j 1000
    error: --concurrency 1000 is more than the [cpus] processors: bots would lose time to each other; add --oversubscribe if that is wanted
    --move-time 1
    error: invalid value '1' for '--move-time <TIME>': `1` is not a time; write for example 500ms, 1s, 0.1s or 2min (whole milliseconds, at most 24 hours)
    --move-time 0ms
    error: --move-time must be at least 1ms
    --move-time 1.5ms
    error: invalid value '1.5ms' for '--move-time <TIME>': `1.5ms` is not a time; write for example 500ms, 1s, 0.1s or 2min (whole milliseconds, at most 24 hours)
    --time 40/60+0.6
    error: invalid value '40/60+0.6' for '--time <TIME[+TIME]>': `40/60+0.6` is not a time; write for example 500ms, 1s, 0.1s or 2min (whole milliseconds, at most 24 hours)
    --time 0s
    error: --time must be at least 1ms, not counting the increment
    --margin -1ms
    error: unexpected argument '-1' found

    Usage: arena tournament [OPTIONS]
    --seed -1
    error: invalid value '-1' for '--seed <N>': expected a whole number from 0 to 18446744073709551615
    --max-plies 0
    error: invalid value '0' for '--max-plies <N>': expected a whole number from 1 to 4294967295
    --max-plies 4
    error: --max-plies 4: an opening has 4 moves, so that nothing is left to play; raise it above 4, or shorten the openings with --opening-plies
    --format round-robbin
    error: invalid value 'round-robbin' for '--format <FORMAT>': no format named `round-robbin` (did you mean `round-robin`?); known: round-robin, gauntlet, ladder, knockout, swiss
    --name a/b
    error: invalid value 'a/b' for '--name <NAME>': not a valid tournament name; use 1 to 200 of A-Z a-z 0-9 . _ - = (not beginning with . or -, and not `play`)
    --name ..
    error: invalid value '..' for '--name <NAME>': not a valid tournament name; use 1 to 200 of A-Z a-z 0-9 . _ - = (not beginning with . or -, and not `play`)
    --name=
    error: invalid value '' for '--name <NAME>': not a valid tournament name; use 1 to 200 of A-Z a-z 0-9 . _ - = (not beginning with . or -, and not `play`)
    --pin somewhere
    error: invalid value 'somewhere' for '--pin <core|off>'
      [possible values: core, off]
    --opening-plies 2 --game mastermind
    error: --opening-plies: mastermind has hidden information, its games cannot start from given moves
    --openings x --opening-plies 2
    error: the argument '--openings <FILE>' cannot be used with '--opening-plies <N>'

    Usage: arena tournament --openings <FILE>
    --openings nowhere.txt
    error: reading openings nowhere.txt
      caused by: No such file or directory (os error 2)
    --openings one.txt --max-plies 1
    error: --max-plies 1: an opening has 1 move, so that nothing is left to play; raise it above 1, or shorten the openings
    --bot nameless
    error: invalid value 'nameless' for '--bot <NAME=PATH>': `nameless` is not NAME=PATH
    --bot x=
    error: invalid value 'x=' for '--bot <NAME=PATH>': `x=` names no file; write NAME=PATH
    --fresch
    error: unexpected argument '--fresch' found

      tip: a similar argument exists: '--fresh'

    Usage: arena tournament --fresh
    ");
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

#[test]
fn a_flag_of_another_program_names_ours() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let said = refusals(&dir, "tournament", &["--games 100", "--tc 10+0.1", "-srand 5", "-rounds 10"]);
    insta::assert_snapshot!(said, @"
    --games 100
    error: there is no --games; use --rounds N; each round is two games of every pair of bots, with seats swapped
    --tc 10+0.1
    error: there is no --tc; use --time 60+0.6: seconds for a game, and increment for each move
    -srand 5
    error: there is no -srand; use --seed N
    -rounds 10
    error: there is no -rounds; write it with two dashes: --rounds
    ");
}

#[test]
fn a_flag_for_tables_on_another_command_names_standings() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let said = refusals(&dir, "tournament", &["--nash", "--rounds 1 --draw-model davidson"]);
    insta::assert_snapshot!(said, @"
    --nash
    error: `arena tournament` has no --nash; set it with `arena standings TOURNAMENT --nash`, and later commands keep it
    --rounds 1 --draw-model davidson
    error: `arena tournament` has no --draw-model; set it with `arena standings TOURNAMENT --draw-model`, and later commands keep it
    ");
}

#[test]
fn a_wrong_opening_is_refused_with_its_line() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let mut all = String::new();
    for text in [
        "[3]\n\n# fine\n[3,3,9]\n",
        "[0,0]\n{\"moves\":[1]}\n",
        "3 3\n",
        "[0,1,0,1,0,1,0]\n",
        "[0,1,0,1,0,1,0,1]\n",
        "[3.0]\n",
        "[4294967299]\n",
        "# nothing\n",
        "",
    ] {
        dir.file("book.txt", text);
        all += &refused(&dir, "tournament --openings book.txt");
    }
    dir.file("book.txt", b"[3]\n\xff\n");
    all += &refused(&dir, "tournament --openings book.txt");
    all += &refused(&dir, "tournament --openings bots");
    dir.file("book.txt", "[3]\n[3,3,3]\n");
    all += &refused(&dir, "tournament --openings book.txt --max-plies 3");
    all += &refused(&dir, "tournament --openings book.txt --game mastermind");
    assert!(!dir.path("results").exists());
    insta::assert_snapshot!(all, @r#"
    error: openings book.txt
      caused by: line 4: move 3: move 9 is not legal; legal: 0, 1, 2, 3, 4, 5, 6
    error: openings book.txt
      caused by: line 2: `{"moves":[1]}` is not a list of moves such as [3,3]: invalid type: an object, expected a list
    error: openings book.txt
      caused by: line 1: `3 3` is not a list of moves such as [3,3]: invalid type: integer `3`, expected a list (column 1)
    error: openings book.txt
      caused by: line 1: the game is over after it (four in a row); use fewer moves
    error: openings book.txt
      caused by: line 1: move 8: move 1 comes after the end of the game (line)
    error: openings book.txt
      caused by: line 1: `[3.0]` is not a list of moves such as [3,3]: invalid type: floating point `3.0`, expected a move: an integer, a string, or a list of such (column 4)
    error: openings book.txt
      caused by: line 1: move 1: move 4294967299 is not legal; legal: 0, 1, 2, 3, 4, 5, 6
    error: openings book.txt
      caused by: it contains no openings; write one JSON list of moves a line, such as [3,3]
    error: openings book.txt
      caused by: it contains no openings; write one JSON list of moves a line, such as [3,3]
    error: openings book.txt, line 2: it is not UTF-8
    error: reading openings bots
      caused by: Is a directory (os error 21)
    error: --max-plies 3: an opening has 3 moves, so that nothing is left to play; raise it above 3, or shorten the openings
    error: --openings: mastermind has hidden information, its games cannot start from given moves
    "#);
}

#[test]
fn openings_from_a_file_are_used_in_turn() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("book.txt", "\u{feff}# two\r\n[3,3]\r\n\r\n[0]\r\n");
    dir.arena_ends(0, "tournament --openings book.txt --rounds 3 --move-time 30s");
    let games = dir.read("results/connect4/games.csv");
    let openings: Vec<&str> = games.lines().skip(1).map(|row| row.split(',').nth(3).expect("a column")).collect();
    assert_eq!(openings, ["3 3", "3 3", "0", "0", "3 3", "3 3"]);
}

#[test]
fn results_that_cannot_be_written_are_named() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("file", "");
    let mut all = refused(&dir, "tournament --results file");
    dir.file("results/connect4", "");
    all += &refused(&dir, "tournament");
    dir.file("results/tictactoe/games.jsonl/x", "");
    all += &refused(&dir, "tournament --game tictactoe");
    // Root may write anywhere but to a file system that is not meant for it.
    all += &refused(&dir, "tournament --results /proc/arena");
    insta::assert_snapshot!(all, @"
    error: opening folder file/connect4; choose another one with --results DIR
      caused by: Not a directory (os error 20)
    error: opening folder results/connect4; choose another one with --results DIR
      caused by: Not a directory (os error 20)
    error: opening journal results/tictactoe/games.jsonl
      caused by: results/tictactoe/games.jsonl is a folder, and a file is expected there: move it away
    error: creating folder /proc/arena/connect4; choose another one with --results DIR
      caused by: No such file or directory (os error 2)
    ");
    fs::create_dir(dir.path("locked")).expect("a folder");
    fs::set_permissions(dir.path("locked"), fs::Permissions::from_mode(0o555)).expect("a mode");
    if File::create(dir.path("locked/probe")).is_err() {
        assert!(refused(&dir, "tournament --results locked").contains("creating folder locked/connect4"));
    }
}

#[test]
fn what_takes_long_to_prepare_is_said_and_ends_at_a_signal() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let running = dir.start("tournament --rounds 1000000");
    until(LIMIT, "it says so", || running.stderr().contains("preparing 1000000 rounds"));
    // What a shell starts in the background does not hear SIGINT until it asks to.
    running.signal(Signal::TERM);
    let ended = running.wait(LIMIT);
    assert_eq!((ended.status, ended.stderr.as_str()), (None, "preparing 1000000 rounds; this takes a while\n"));
    let refused = dir.arena_ends(
        1,
        "tournament --game tictactoe --rounds 1000000 --bot a=bots/random.toml --bot b=bots/random.toml",
    );
    assert!(
        refused
            .stderr
            .ends_with("12000000 games of 4 bots are too many, at most 10000000 can be played; use fewer rounds\n"),
        "{refused}"
    );
}

#[test]
fn commands_without_a_tournament_say_what_to_do() {
    let dir = Dir::with_bots(&["random"]);
    let mistakes = [
        "standings",
        "verify",
        "replay 0123",
        "replay 0123 --results elsewhere",
        "check rndom",
        "check ./nothing",
        "bot rndom",
        "bot minimax depht=3",
        "bot minimax depth",
        "bot minimax depth=1 depth=2",
        "tournamnet",
    ];
    let all = refusals(&dir, "", &mistakes);
    insta::assert_snapshot!(all, @"
    standings
    error: no results in results; run `arena tournament` first
    verify
    error: no results in results; run `arena tournament` first
    replay 0123
    error: no results in results; run `arena tournament` first
    replay 0123 --results elsewhere
    error: no results in elsewhere; run `arena tournament` first
    check rndom
    error: no bot named `rndom` (did you mean `random`?); `arena bots --builtins` lists them all
    check ./nothing
    error: ./nothing
      caused by: there is no such file or folder
    bot rndom
    error: no strategy named `rndom` (did you mean `random`?); known: random, greedy, minimax, mcts, perfect, marbles-solver, codebreaker
    bot minimax depht=3
    error: strategy `minimax`: no parameter named `depht` (did you mean `depth`?); known: depth, nodes
    bot minimax depth
    error: strategy `minimax`: `depth` is not an option; write name=value
    bot minimax depth=1 depth=2
    error: strategy `minimax`: `depth` is given twice, as 1 and as 2; give it once
    tournamnet
    error: unrecognized subcommand 'tournamnet'

      tip: a similar subcommand exists: 'tournament'

    Usage: arena <COMMAND>
    ");
}

#[test]
fn without_a_command_the_help_is_said() {
    let dir = Dir::new();
    assert_eq!(refused(&dir, ""), dir.arena_ends(0, "--help").stdout);
}

#[test]
#[cfg(feature = "serve")]
fn help() {
    let dir = Dir::new();
    let said = dir.arena("--help").to_string();
    // A build for many machines has three commands more.
    let of_many = |line: &&str| ["coordinate ", "worker ", "workers "].iter().any(|name| line.trim().starts_with(name));
    assert_eq!(said.lines().filter(of_many).count(), if cfg!(feature = "nats") { 3 } else { 0 }, "{said}");
    let said: String = said.lines().filter(|line| !of_many(line)).flat_map(|line| [line, "\n"]).collect();
    insta::assert_snapshot!(said, @"
    exit 0
    --- stdout
    Referee and tournament runner for game-playing bots that speak JSON lines

    Usage: arena <COMMAND>

    Commands:
      tournament   Play a tournament between all bots, or resume one
      night        Check all bots, play the contest as long as there is time, and publish the results
      match        Play two bots against each other, or test which is stronger
      series       Play tournaments of several games in turns, with one table of all
      merge        Put the parts of a tournament together that several machines played
      rerun        Play a recorded tournament again, and compare the games
      play         Play against a bot or another person, or watch two bots move by move
      bots         List the bots that were found, and what was skipped and why
      new-bot      Create a bot in bots/ from the starter of a language
      new-game     Create the smallest rules of a game as a program, to make your own of
      new-contest  Begin a contest: a commented arena.toml, and a folder for bots
      check        Test a bot and explain what is wrong with it
      ask          Ask a bot for its move in a position, and show both messages
      talk         Talk to a bot by hand: both directions live, with shortcuts for messages
      explain      Explain a status or reason, and what to do about it
      doctor       Test how well this machine can contain bots and keep time, or measure its speed
      games        List the games and their parameters
      replay       Step through a recorded game
      open         Write a page of all tournaments and print its path, or that of a report
      publish      Make a folder of all results for a web server, without what is private
      standings    Rebuild and show the tables of a tournament, or rate games from files
      analyze      Compare the moves of bots with best play
      history      List the versions of a bot, and what each was worth against the one before
      similar      List bots of a tournament that move alike, or whose files another one had
      export       Export tables for analyses: one row per move
      plan         Tell what a tournament or a test will take, before it is played
      sprt         Evaluate a sequential test from counts of results
      verify       Check every game of a journal against the rules
      judge        Judge positions: JSON lines in, JSON lines out
      solve        Tell who wins positions with best play, and what each move is worth
      schema       Print the JSON Schema of the bot protocol, or of `judge`
      bot          Run a built-in strategy as a bot on stdin and stdout
      completions  Print completions for a shell
      man          Print the man page, or write one for each command

    Options:
      -h, --help     Print help
      -V, --version  Print version
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("--version"), @"
    exit 0
    --- stdout
    arena 0.1.0
    --- stderr
    ");
}

#[test]
fn help_of_a_tournament() {
    const OF_SIGNATURES: &str = concat!(
        "      --sign-key <FILE>      Sign the journal, and what workers get, with the key in this file,\n",
        "                             which is created if it is missing (`arena verify --trust`)\n",
    );
    let help = Dir::new().arena("tournament --help").to_string();
    assert_eq!(help.contains(OF_SIGNATURES), cfg!(feature = "nats"), "only such a build has signatures: {help}");
    insta::assert_snapshot!(help.replace(OF_SIGNATURES, ""), @"
    exit 0
    --- stdout
    Play a tournament between all bots, or resume one

    Usage: arena tournament [OPTIONS]

    Options:
          --contest <FILE>  File with defaults of these options [default: arena.toml, if there is one]
      -h, --help            Print help

    Format:
          --rounds <N>                  Rounds of two games for every pair of bots [default: 50, at most
                                        --max-rounds]
          --until <separated|±N|top:K>  Play until neighbours are separated, margins are ±N Elo, or the
                                        best K bots are known
          --max-rounds <N>              Maximum rounds with --until [default: 20 times --rounds]
          --format <FORMAT>             round-robin, gauntlet, ladder, knockout or swiss
                                        (docs/formats.md) [default: that of the results, or round-robin]
          --challenger <NAME>           Bot that meets all others in a gauntlet
          --pairs-per-bot <N>           Mean number of pairs of a bot in a ladder [default: 50 without
                                        --until]
          --only-top                    Play for `--until top:K` only, and not for the order of the
                                        others as well
          --max-games <N>               Maximum number of games in a ladder
          --pairs <N>                   Pairs of games of a match in a knockout or Swiss [default: 3 or
                                        1]
          --swiss-rounds <N>            Rounds of a Swiss [default: depends on the number of bots]
          --third-place                 Play for third place in a knockout
          --seeding <draw|FILE>         Seeds of a knockout or Swiss: `draw`, or a standings.csv
                                        [default: draw]
          --drop <NAME>                 Go on without this bot in a knockout or Swiss that has begun; it
                                        loses its further games
          --for <TIME>                  Stop after this time, such as 6h, with all tables written
          --by <HH:MM>                  Stop at the next time of day, such as 06:00

    Many machines:
          --shard <I/N>  Play one of N equal parts, 0/N to N-1/N, or auto/N for the index of this task
                         of a job array; `arena merge` puts them together (docs/cluster.md)
          --round <N>    Round of a ladder, knockout or Swiss to play with --shard
          --plan         Check the bots and write down what is to be played, for --shard, but play
                         nothing

    Games:
          --game <GAME>        Game and parameters, such as connect4:rows=6,cols=9 [default: that of
                               --name, or connect4]
          --seed <N>           Seed of all random choices [default: random, or that of the results]
          --openings <FILE>    File of openings, one JSON list of moves per line
          --opening-plies <N>  Random moves at the start of each game [default: depends on the game]
          --max-plies <N>      Moves after which a game is a draw

    Time and processors:
          --move-time <TIME>    Limit for each move, such as 500ms [default: 1s without --time]
          --time <TIME[+TIME]>  Time for a game and increment for each move, such as 10s+0.1s
          --margin <TIME>       Tolerated overrun of a time limit [default: 10ms]
          --clock <WHAT>        Time charged for a move [default: wall] [possible values: wall, cpu]
      -j, --concurrency <N>     Concurrent games [default: the number of processors]
          --oversubscribe       Allow more concurrent games than processors
          --pin <core|off>      Pin each game to one processor, or not [default: core]

    Bots:
          --bots <DIR>          Folder of the bots [default: bots]
          --bot <NAME=PATH>     Another bot: executable, manifest or bot folder
          --sandbox <MODE>      auto: Landlock and seccomp where available; landlock: both required;
                                strict: also namespaces; off: none [default: auto]
          --limits <LIMIT=N,…>  Limits of each bot [default: memory_mb=1024, processes=128,
                                open_files=256, file_mb=64, scratch_mb=1024, stack_mb=64, cpu_s=off]
          --startup-max <TIME>  Maximum startup time that a bot may request [default: 10s]
          --freeze-idle         Suspend each bot while it is not its turn
          --rules-read <PATH>   File or folder elsewhere that the program of `--game FILE` may read
          --no-check            Play all bots without checking them first
          --strikes <KEY=N,…>   Withdraw a bot after N consecutive failed starts, or if it loses its
                                first N games by timeout or crash [default: starts=3,games=10]
          --builtins            Also play the built-in bots
          --keep-last-good      Keep each version that passes the check (in .kept in the bots folder),
                                and play it while a later one fails

    Results:
          --results <DIR>        Folder of all results [default: results]
          --name <NAME>          Name of these results and of their folder [default: game and
                                 parameters]
          --fresh                Set the journal aside and start over
          --strict               End with exit code 2 if a game was lost by a fault
          --no-times[=<on|off>]  Leave times out of report.html
      -q, --quiet                Show no progress
          --events <FILE>        Write all events as JSON lines (docs/events.md)
          --junit <FILE>         Write the results as JUnit XML, for a CI server
          --force                Overwrite the files that options name, whatever they are now
          --serve [<ADDR:PORT>]  Serve a live page for browsers [default: 127.0.0.1 and a free port]
          --watch-pace <TIME>    Time that each position of the first board of the live page stays at
                                 least, such as 1s: for an audience
          --title <TEXT>         Heading of the report and of other pages [default: the name, or that of
                                 the results]
          --json                 Print the tournament as JSON instead of tables

    Ratings:
          --anchor <NAME[:ELO]>   Bot whose rating is fixed, or `mean` [default: mean, which makes the
                                  mean of all 0]
          --rank-by <points|elo>  Rank by points or rating [default: points if all met equally often]
          --prior-draws <X>       Virtual draws for each bot, which bound all ratings [default: 0]
    --- stderr
    ");
}

#[test]
fn exit_codes_of_its_own_are_in_the_help() {
    let help = Dir::new().arena_ends(0, "doctor --help").stdout;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Exit codes: 0 all is ok, 1 something is WEAK, 2 something is BAD"), "{help}");
}

#[test]
fn games_and_strategies_are_listed() {
    let dir = Dir::new();
    let games = dir.arena_ends(0, "games").stdout;
    insta::assert_snapshot!(games.split("\n\n").find(|game| game.starts_with("mnk  ")).expect("a game"), @"
    mnk  take any empty cell; k or more in a row win
        rows         height of the board; an integer from 1 to 32 (default 3)
        cols         width of the board; an integer from 1 to 32 (default 3)
        k            marks in a row to win; an integer from 2 to 32 (default 3)
      tictactoe  three in a row on 3×3 (mnk:rows=3,cols=3,k=3)
      gomoku  five or more in a row on 15×15 (mnk:rows=15,cols=15,k=5)
    ");
    for rules in RULES {
        assert!(games.contains(&format!("{}  {}\n", rules.name, rules.summary)), "{games}");
    }
    assert!(games.ends_with("Written as NAME or NAME:param=value,param=value, such as connect4:rows=6,cols=9\n"));
    insta::assert_snapshot!(dir.arena("bot"), @"
    exit 0
    --- stdout
    random           a uniformly random legal move
    greedy           takes a win, prevents a loss, or plays the best-looking move (connect4, mnk, marbles)
    minimax          alpha-beta search on the open lines (connect4, mnk)
        depth        depth of the search in plies; 0 for no limit but the clock; an integer from 0 to 1024 (default 64)
        nodes        positions searched per move, after which a lower depth counts; 0 for no limit; an integer from 0 to 1000000000000 (default 40000)
    mcts             Monte Carlo tree search (every game with open information)
        playouts     random games per move; 0 for no limit but the clock; an integer from 0 to 1000000000 (default 3000)
        exploration  exploration constant of UCT in hundredths, such as 141 for 1.41; an integer from 0 to 10000 (default 100)
    perfect          perfect play as far as `arena solve` knows it, else minimax or codebreaker
        nodes        positions searched per move; what they do not prove is left to minimax; an integer from 1 to 1000000000000 (default 700000)
        style        of moves that are as good: resist takes the one with the fewest good replies, first the first; one of resist, first (default resist)
        slip         per cent of moves that are random: a bot of known strength below perfect; an integer from 0 to 100 (default 0)
    marbles-solver   plays marbles perfectly
    codebreaker      guesses only codes that are consistent with all feedback so far (mastermind)
    --- stderr
    ");
}

/// A tournament as JSON, without what differs between machines.
fn as_anywhere(text: &str) -> serde_json::Value {
    let mut json: serde_json::Value = serde_json::from_str(text).expect("JSON");
    for of_this_machine in ["host", "os", "class", "cpu", "cpus"] {
        assert!(json["machine"][of_this_machine].take() != serde_json::Value::Null);
    }
    for of_this_run in ["updated", "games_per_second", "seconds_left"] {
        assert!(json.as_object_mut().expect("an object").remove(of_this_run).is_some(), "{of_this_run}");
    }
    for bot in json["bots"].as_array_mut().expect("bots") {
        bot["fingerprint"] = "[hash]".into();
    }
    json
}

#[test]
#[expect(clippy::too_many_lines, reason = "a whole document")]
fn a_tournament_as_json() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.process_ends(0, "tournament --game tictactoe --rounds 1 --seed 7 --json --move-time 30s -j 1");
    assert_eq!(ended.stdout, dir.read("results/tictactoe/tournament.json"));
    let json = as_anywhere(&ended.stdout);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).expect("JSON"), @r#"
    {
      "bot_options": {
        "sandbox": "auto",
        "startup_max_ms": 10000
      },
      "bots": [
        {
          "command": "builtin greedy",
          "fingerprint": "[hash]",
          "made_of": {
            "permissions": {
              "freeze_idle": "false",
              "fresh": "false",
              "limits": "memory_mb=1024, processes=128, open_files=256, file_mb=64, scratch_mb=1024, stack_mb=64, cpu_s=off",
              "sandbox": "auto",
              "startup_ms": "10000"
            }
          },
          "name": "greedy"
        },
        {
          "command": "builtin random",
          "fingerprint": "[hash]",
          "made_of": {
            "permissions": {
              "freeze_idle": "false",
              "fresh": "false",
              "limits": "memory_mb=1024, processes=128, open_files=256, file_mb=64, scratch_mb=1024, stack_mb=64, cpu_s=off",
              "sandbox": "auto",
              "startup_ms": "10000"
            }
          },
          "name": "random"
        }
      ],
      "clock": {
        "margin_ms": 10,
        "move_ms": 30000
      },
      "counts": {
        "missing": 0,
        "played": 2,
        "scheduled": 2,
        "void": 0,
        "withdrawn": 0
      },
      "format": "round-robin",
      "game": "mnk",
      "headline": [
        "greedy scored 100.0% against random: 2-0-0.",
        "greedy (>-220.5) is first, not yet separated from any other bot at 95 %."
      ],
      "label": "tictactoe",
      "left_out": [],
      "machine": {
        "class": null,
        "cpu": null,
        "cpus": null,
        "host": null,
        "os": null
      },
      "name": "tictactoe",
      "openings": [
        [
          [
            2,
            1
          ]
        ]
      ],
      "params": {
        "cols": 3,
        "k": 3,
        "rows": 3
      },
      "rounds": 1,
      "rules_version": 1,
      "schedule_version": 4,
      "seed": "7",
      "strikes": {
        "games": 10,
        "starts": 3
      },
      "summary": {
        "anchor": null,
        "bots": 2,
        "draw_rate": 0.0,
        "first_seat": {
          "draws": 0,
          "elo": 0.0,
          "elo_hi": 612.87,
          "elo_lo": -612.87,
          "fitted": false,
          "losses": 1,
          "score": 0.5,
          "wins": 1
        },
        "games": 2,
        "openings": 1,
        "prior_draws": 0.0,
        "ranked_by": "points",
        "rated_games": 2,
        "repeated_games": 0,
        "standings": [
          {
            "direct": null,
            "draws": 0,
            "elo": 139.79,
            "elo_hi": "inf",
            "elo_lo": -220.54,
            "first_score": 1.0,
            "forfeits": 0,
            "games": 2,
            "group": 1,
            "los": 0.776489,
            "losses": 0,
            "name": "greedy",
            "points": 2.0,
            "rank": 1,
            "rank_hi": 2,
            "rank_lo": 1,
            "sb": 0.0,
            "score": 1.0,
            "second_score": 1.0,
            "wins": 2
          },
          {
            "direct": null,
            "draws": 0,
            "elo": -139.79,
            "elo_hi": 220.54,
            "elo_lo": "-inf",
            "first_score": 0.0,
            "forfeits": 0,
            "games": 2,
            "group": 1,
            "los": null,
            "losses": 2,
            "name": "random",
            "points": 0.0,
            "rank": 2,
            "rank_hi": 2,
            "rank_lo": 1,
            "sb": 0.0,
            "score": 0.0,
            "second_score": 0.0,
            "wins": 0
          }
        ],
        "transitivity": null
      },
      "versions": {
        "arena": "0.1.0",
        "protocol": 1
      },
      "warnings": [
        "The games do not show whether greedy is stronger than random (+279.6 ± 720.7 Elo, LOS 77.6%); if that is the true difference, about 6 more rounds would settle it.",
        "A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.",
        "All ratings and margins apply to these openings only: one was played, too few to generalise.",
        "The first seat scored 50.0 % of 2 games (+0.0 ± 612.9 Elo in these openings)."
      ]
    }
    "#);
    insta::assert_snapshot!(ended.stderr, @"
    tictactoe: 2 bots, 1 round, 2 games, 30000 ms a move, seed 7
    playing 1 at a time
    ");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "tournament --game tictactoe --rounds 1 --move-time 30s");
    let id = dir.journal("tictactoe").games[0].id.clone();
    for (args, code) in [
        ("games".to_owned(), 0),
        ("bots".to_owned(), 0),
        ("bot".to_owned(), 0),
        ("schema".to_owned(), 0),
        ("--help".to_owned(), 0),
        (format!("replay {id}"), 0),
        ("standings".to_owned(), 0),
        ("verify".to_owned(), 0),
        ("check random --game tictactoe --move-time 30s".to_owned(), 0),
        ("tournament --game tictactoe --rounds 2 --move-time 30s".to_owned(), 0),
        // How it ended is true whoever listens.
        ("tournament --game tictactoe --rounds 3 --move-time 30s --bot dumb=/bin/false".to_owned(), 2),
        ("tournament --game chess".to_owned(), 1),
    ] {
        let (closed, writer) = std::io::pipe().expect("a pipe");
        drop(closed);
        let mut child = dir
            .command(&args)
            .stdout(writer.try_clone().expect("a writer"))
            .stderr(writer)
            .spawn()
            .expect("the arena starts");
        until(crate::support::LIMIT, &args, || child.try_wait().expect("a child").is_some());
        assert_eq!(child.wait().expect("a child").code(), Some(code), "{args}");
    }
    assert_eq!(dir.journal("tictactoe").games.len(), 6, "and the games were played");
}

#[test]
fn a_full_disk_behind_stdout_is_an_error() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let dir = Dir::new();
    let mut child = dir.command("games").stdout(full).stderr(Stdio::piped()).spawn().expect("the arena starts");
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!(child.wait().expect("a child").code(), Some(1));
    insta::assert_snapshot!(stderr, @"
    error: writing to stdout
      caused by: No space left on device (os error 28)
    ");
}

#[test]
fn bytes_that_are_no_text_are_no_order_for_a_guard() {
    use std::os::unix::ffi::OsStrExt;
    let dir = Dir::new();
    let output = dir.command("arena-guard").arg(std::ffi::OsStr::from_bytes(b"\xff")).output().expect("it starts");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}
