//! `arena analyze`: the table, the file that is its cache, and how it stops.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use arena::clock::{Taken, TimeControl};
use arena::observer::RunEvent;
use arena::player::{Failure, Player};
use arena::referee::{Answer, GameStart, Question, Reply};
use arena::roster::{FoundBot, Roster};
use arena::rules::{Move, Variant};
use arena::session::{Session, SessionSettings};
use arena::solver::{Limits, for_variant, solve};
use arena::stats::AnalysisOptions;

use crate::support::{Contents, Dir, LIMIT, until};

const FILE: &str = "results/cup/analysis.jsonl";

fn played() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=2 nodes=100000"]);
    dir.arena_ends(0, "tournament --game connect4:rows=4,cols=5 --rounds 3 --seed 1 -q --name cup --opening-plies 4");
    dir
}

/// The table without how long it took.
fn table(dir: &Dir, args: &str) -> String {
    let text = dir.arena_ends(0, &format!("analyze {args}")).stdout;
    let (head, rest) = text.split_once('\n').expect("lines");
    let (head, _) = head.rsplit_once(" (").expect("a time");
    format!("{head}\n{rest}")
}

#[test]
fn every_bot_has_a_row() {
    let dir = played();
    insta::assert_snapshot!(table(&dir, ""), @"
    cup: connect4:rows=4,cols=5, 18 games of 3 bots, 154 moves judged, 0 unsolved
    Results given away by moves of each bot, against best play. Moves of openings do not count.

    Bot      Games  Moves  Gave away        /game  W→D  W→L  D→L  Could   Rate  Clean   Best  Slower by  First at
    minimax     12     60          8  0.67 ± 0.54    2    4    2     45  0.178  41.7%  86.7%       0.00         5
    greedy      12     57         10  0.83 ± 0.54    2    5    3     30  0.333  25.0%  75.4%       0.19         5
    random      12     37         17  1.42 ± 0.39    0    6   11     23  0.739   0.0%  37.8%       0.70         5

    The same by phase, in % of the moves that could give a result away: how much of the board was full, or of the heap taken.

    Bot        0–25 %    25–50 %    50–75 %  75–100 %
    minimax  33% of 6  26% of 23   0% of 12   0% of 4
    greedy   33% of 6  40% of 20    0% of 3   0% of 1
    random   67% of 6  75% of 16  100% of 1         -

    The worst position of each phase: what cost most in all games, then what loses soonest.

    Bot      Times         Cost  Loses in  Full  Played  Best  Command that shows it
    minimax      2   win → loss         8   20%       2     3  arena replay 7231a2de --name results/cup --from 4
    minimax      2   win → loss         7   25%       2     3  arena replay 10bd1b64 --name results/cup --from 5
    greedy       2   win → loss         8   20%       1     3  arena replay 6606573c --name results/cup --from 4
    greedy       1   win → loss         6   35%       4     2  arena replay f037aee6 --name results/cup --from 7
    random       2   win → loss         8   20%       1     3  arena replay 10bd1b64 --name results/cup --from 4
    random       2   win → loss         1   30%       1     0  arena replay 10bd1b64 --name results/cup --from 6
    random       1  draw → loss         5   50%       4     1  arena replay 9b3abd93 --name results/cup --from 10

    All such games of a bot, with the plies: arena replay --name results/cup --gave random
    ");
    let csv = dir.read("results/cup/analysis.csv");
    assert_eq!(csv.lines().count(), 4);
    // All that is in the files is explained.
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/analyze.md")).expect("the page");
    let entries = dir.read(FILE);
    let entry: serde_json::Value = serde_json::from_str(entries.lines().next().expect("an entry")).expect("JSON");
    let fields = entry.as_object().expect("an object").keys().map(String::as_str);
    for word in csv.lines().next().expect("a header").split(',').chain(fields) {
        assert!(page.contains(&format!("`{word}`")), "{word}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&dir.arena_ends(0, "analyze --json --bot random").stdout).expect("JSON");
    assert_eq!((json["bots"][0]["name"].as_str(), json["bots"].as_array().map(Vec::len)), (Some("random"), Some(1)));
    assert_eq!(dir.read(FILE), entries, "nothing is solved again");
}

#[test]
fn the_file_has_the_same_bytes_on_any_number_of_threads_and_after_any_end() {
    let dir = played();
    let games = dir.journal("cup").games.len();
    for limit in ["--nodes 40", ""] {
        let expected = table(&dir, &format!("{limit} -j 1"));
        let entries = dir.read(FILE);
        assert_eq!(entries.lines().count(), games);
        assert_eq!(entries.contains("unsolved"), !limit.is_empty(), "the limit is reached");
        let again = |bytes: &str, threads: usize| {
            dir.file(FILE, bytes);
            assert_eq!(table(&dir, &format!("{limit} -j {threads}")), expected);
            assert_eq!(dir.read(FILE), entries);
        };
        again("", 2);
        let third = entries.match_indices('\n').nth(2).expect("three lines").0;
        for cut in [1, third - 3, third, third + 1, third + 9, entries.len() - 1] {
            again(&entries[..cut], 2);
        }
        fs::remove_file(dir.path(FILE)).expect("the file");
    }
}

#[test]
fn what_is_known_already_is_not_solved_again() {
    let dir = played();
    table(&dir, "--nodes 40");
    let few = dir.read(FILE);
    let expected = table(&dir, "");
    let all = dir.read(FILE);
    let added = all.strip_prefix(few.as_str()).expect("more lines").lines().count();
    assert_eq!(added, few.matches("\"limit\"").count(), "only the games that were not solved");
    for less in ["--nodes 40", "--only-result", "--bot greedy", "--last 3"] {
        table(&dir, less);
        assert_eq!(dir.read(FILE), all, "{less}");
    }
    // A line that is no entry costs one game.
    dir.file(FILE, all.replacen("\"id\"", "\"ID\"", 1));
    let warned = dir.arena_ends(0, "analyze");
    assert!(warned.stderr.contains("analysis.jsonl: 1 damaged line; their games are analysed again"), "{warned}");
    let lines = dir.read(FILE).lines().count();
    let is_complete = !few.lines().next().expect("a line").contains("\"limit\"");
    assert_eq!(lines, all.lines().count() + usize::from(is_complete));
    assert!(warned.stdout.ends_with(expected.split_once('\n').expect("lines").1));
}

#[test]
fn a_signal_or_a_budget_stops_it_and_it_goes_on() {
    let dir = played();
    let stopped = dir.arena_ends(3, "analyze --budget 1ns");
    assert!(stopped.stderr.ends_with("stopped; finished games are saved; run again to go on\n"), "{stopped}");
    assert!(stopped.stdout.contains("0 of 18 games"), "{stopped}");
    let expected = table(&dir, "");

    // From the empty board it would take minutes.
    dir.arena_ends(0, "tournament --game connect4:rows=7,cols=8 --rounds 1 --seed 1 -q --name long --opening-plies 0");
    let running = dir.start("analyze long --nodes 100G");
    until(LIMIT, "it has begun", || dir.path("results/long/analysis.jsonl").exists());
    let second = dir.arena_ends(1, "analyze long");
    assert!(second.stderr.contains("is in use by another arena, which analyses these games; wait for it"), "{second}");
    running.signal(Signal::TERM);
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(3), "{ended}");
    assert!(ended.stderr.ends_with("run again to go on\n"), "{ended}");
    assert_eq!(table(&dir, "cup"), expected);
}

#[test]
fn a_game_that_is_played_again_is_analysed_again() {
    let dir = played();
    table(&dir, "");
    let before = dir.read(FILE);
    // The mirrored game has the same length and the same values.
    dir.edit_games("cup", |number, record| {
        if number == 3 {
            for played in record.moves.iter_mut().chain(&mut record.opening) {
                let Move::Int(column) = played else { panic!("no column: {played}") };
                *column = 4 - *column;
            }
        }
    });
    let exported = || dir.arena_ends(0, "export --moves cup").stdout;
    let unmarked = exported();
    table(&dir, "");
    let after = dir.read(FILE);
    assert_eq!(after.strip_prefix(before.as_str()).expect("more lines").lines().count(), 1);
    assert_ne!(exported(), unmarked, "a game is not marked with the values of another one");
}

#[test]
fn a_game_is_left_out_if_it_does_not_follow_the_rules() {
    let dir = played();
    dir.edit_games("cup", |number, record| {
        if number == 0 {
            record.moves[5] = serde_json::from_str("9").expect("a move");
        }
    });
    let ended = dir.arena_ends(0, "analyze");
    assert!(ended.stderr.contains("does not follow the rules and is left out: ply 6"), "{ended}");
    assert!(ended.stdout.contains(", 17 games of 3 bots"), "{ended}");
}

#[test]
fn guesses_are_compared_with_those_of_a_reference() {
    let dir = Dir::with_bots(&["random", "codebreaker", "perfect"]);
    dir.arena_ends(0, "tournament --game mastermind:pegs=3,colors=5 --rounds 3 --seed 1 -q --name cup");
    let expected = table(&dir, "-j 1");
    insta::assert_snapshot!(expected, @"
    cup: mastermind:pegs=3,colors=5, 18 games of 3 bots, 122 moves judged against a reference strategy, not proved optimal, 0 unsolved
    Guesses lost a guess: how many more are expected after it than after that of the reference.

    Bot          Games  Moves         Regret    Best
    perfect         12     40  0.000 ± 0.000  100.0%
    codebreaker     12     40  0.041 ± 0.033   62.5%
    random          12     42  0.344 ± 0.052   23.8%
    ");
    let rows = rows(&dir.read("results/cup/analysis.csv"));
    assert_eq!((rows[0]["name"].as_str(), rows[0]["regret"].as_str()), ("perfect", "0.0000"));
    for row in rows {
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        assert!(row["judged"] == row["moves"] && row["unsolved"] == "0");
        assert!(number("regret_lo") <= number("regret") && number("regret") <= number("regret_hi"));
        assert!(row["gave_away"].is_empty() && row["could"].is_empty());
    }
    let entries = dir.read(FILE);
    for cut in [0, 1, entries.len() / 2, entries.len() - 1] {
        dir.file(FILE, &entries[..cut]);
        assert_eq!(table(&dir, "-j 2"), expected);
        assert_eq!(dir.read(FILE), entries);
    }
    // Distances are not asked about, and what is known is not asked again.
    assert_eq!(table(&dir, "--only-result --nodes 1"), expected);
    assert_eq!(dir.read(FILE), entries);
    let json: serde_json::Value = serde_json::from_str(&dir.arena_ends(0, "analyze --json").stdout).expect("JSON");
    assert_eq!((json["bots"][0]["regret"].as_f64(), json["bots"][0]["gave_away"].is_null()), (Some(0.0), true));

    // Other commands read the file too.
    let moves = dir.arena_ends(0, "export --moves").stdout;
    let id = moves.lines().nth(1).and_then(|row| row.split(',').next()).expect("an id");
    dir.arena_ends(0, &format!("replay {id}"));
    dir.arena_ends(0, "standings");
    let page = dir.read("results/cup/report.html");
    assert!(page.contains("Against a reference strategy") && page.contains("All 18 games are analysed."));
}

#[test]
fn mistakes_are_named_with_their_cure() {
    let dir = played();
    dir.arena_ends(0, "tournament --game gomoku --rounds 1 -q --name five --max-plies 6");
    let all: String = [
        "analyze",
        "analyze cpu",
        "analyze cup --bot gredy",
        "analyze five",
        "analyze cup --nodes 2T",
        "analyze cup --budget soon",
    ]
    .map(|args| format!("{args}\n{}", dir.arena_ends(1, args).stderr))
    .concat();
    // Solvers may be added.
    let all = all.lines().map(|line| line.split_once("; there are some for connect4 (").map_or(line, |(line, _)| line));
    insta::assert_snapshot!(all.collect::<Vec<&str>>().join("\n"), @"
    analyze
    error: several tournaments in results; name one: cup, five
    analyze cpu
    error: no tournament named `cpu` in results (did you mean `cup`?)
    analyze cup --bot gredy
    error: no bot named `gredy` (did you mean `greedy`?); known: greedy, minimax, random
    analyze five
    error: no solver for mnk:rows=15,cols=15,k=5
    analyze cup --nodes 2T
    error: invalid value '2T' for '--nodes <N>': `2T` is not a number such as 20M or 500k

    For more information, try '--help'.
    analyze cup --budget soon
    error: invalid value 'soon' for '--budget <TIME>': `soon` is not a time such as 10m or 1h30m

    For more information, try '--help'.
    ");
    assert!(!dir.path("results/five/analysis.jsonl").exists());
    let contents = Contents::read(&dir.path("results/cup"));
    assert!(contents.torn_bytes == 0 && !dir.path(FILE).exists());
}

/// The rows of a table, by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn what_was_found_is_in_exports_replays_and_the_report() {
    let dir = played();
    let plain = rows(&dir.arena_ends(0, "export --moves").stdout);
    let marked =
        |row: &BTreeMap<String, String>| ["before", "after", "verdict", "could", "best"].map(|name| row[name].clone());
    assert!(plain.iter().all(|row| marked(row).concat().is_empty()));
    let before = dir.arena_ends(0, &format!("replay {}", plain[0]["id"])).stdout;
    dir.arena_ends(0, "standings");
    assert!(!dir.read("results/cup/report.html").contains("id=\"best-play\""));
    dir.arena_ends(0, "analyze");

    // What is exported adds up to the table.
    let moves = rows(&dir.arena_ends(0, "export --moves").stdout);
    for bot in rows(&dir.read("results/cup/analysis.csv")) {
        let count = |column: &str, value: &str| {
            let own = moves.iter().filter(|row| row["bot"] == bot["name"] && row[column] == value);
            own.count().to_string()
        };
        assert_eq!(
            ["best", "slower", "gave_away"].map(|verdict| count("verdict", verdict)),
            ["best", "slower", "gave_away"].map(|column| bot[column].clone())
        );
        assert_eq!(count("could", "true"), bot["could"]);
    }
    assert!(moves.iter().all(|row| (row["is_opening"] == "true") == row["before"].is_empty()));
    let has_best = |row: &BTreeMap<String, String>| !row["best"].is_empty() && row["best"] != row["move"];
    assert!(moves.iter().all(|row| row["best"].is_empty() || has_best(row)));
    assert!(moves.iter().all(|row| has_best(row) == (row["verdict"] == "gave_away")));

    // A replay says the same.
    let id = &moves[0]["id"];
    let replay = dir.arena_ends(0, &format!("replay {id}")).stdout;
    let given: Vec<_> = moves.iter().filter(|row| row["verdict"] == "gave_away").collect();
    assert_eq!(replay.matches(" → ").count(), given.iter().filter(|row| row["id"] == *id).count());
    let lines = replay.lines().filter(|line| line.starts_with("ply "));
    let timeless =
        lines.map(|line| line.split("  ").filter(|part| !part.ends_with(" ms")).collect::<Vec<_>>().join("  "));
    insta::assert_snapshot!(timeless.collect::<Vec<_>>().join("\n"), @r#"
    ply 1  opening: 2 for minimax (X)
    ply 2  opening: 3 for random (O)
    ply 3  opening: 3 for minimax (X)
    ply 4  opening: 2 for random (O)
    ply 5  minimax (X) plays 2  D = D  eval +0.00  "depth 2, 19 positions"
    ply 6  random (O) plays 2  D = L7  draw → loss: loses in 7; best 3
    ply 7  minimax (X) plays 1  W7 = D  eval +0.00  win → draw; best 3  "depth 2, 16 positions"
    ply 8  random (O) plays 4  D = L6  draw → loss: loses in 6; best 1
    ply 9  minimax (X) plays 3  W6 = W6  eval +0.00  "depth 2, 23 positions"
    ply 10  random (O) plays 3  L5 = L5
    ply 11  minimax (X) plays 0  W5 = W5  eval +1.00  "wins in 5"
    ply 12  random (O) plays 1  L4 = L4
    ply 13  minimax (X) plays 1  W4 = W4  eval +1.00  "wins in 4"
    ply 14  random (O) plays 0  L3 = L1  slower by 2 moves
    ply 15  minimax (X) plays 0  W1 = W1  eval +1.00  "wins in 1"
    "#);
    let without = replay.lines().map(|line| {
        line.split("  ")
            .filter(|part| !part.contains(" = ") && !part.contains(" → ") && !part.starts_with("slower by"))
            .collect::<Vec<_>>()
            .join("  ")
    });
    assert_eq!(without.collect::<Vec<_>>().join("\n"), before.trim_end());
    let listed = dir.arena_ends(0, "replay --gave greedy").stdout;
    let games: BTreeSet<&str> =
        given.iter().filter(|row| row["bot"] == "greedy").map(|row| row["id"].as_str()).collect();
    assert!(games.len() > 1 && listed.lines().count() == games.len() + 1, "{listed}");

    // The page has the table.
    dir.arena_ends(0, "standings");
    let page = dir.read("results/cup/report.html");
    for part in [
        "id=\"best-play\"",
        "Gave away with the board full (or the heap taken) to 0–25 %, 25–50 %, 50–75 %, 75–100 %",
        "All 18 games are analysed.",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Writes the entries of `cup` again, each as `edit` leaves it, by its number.
fn edit_entries(dir: &Dir, mut edit: impl FnMut(usize, &mut Value)) {
    let lines = dir.read(FILE);
    let lines = lines.lines().enumerate().map(|(number, line)| {
        let mut entry: Value = serde_json::from_str(line).expect("JSON");
        edit(number, &mut entry);
        format!("{entry}\n")
    });
    dir.file(FILE, lines.collect::<String>());
}

/// Values by which no move gave anything away: whoever won had won from the first position on.
fn clean(entry: &mut Value) {
    let positions = entry["values"].as_array().expect("values").len();
    let moves = entry["could"].as_array().expect("flags").len();
    let last = entry["values"][positions - 1].as_i64().expect("a value");
    let value = |place: usize| {
        let plies = (positions - 1 - place) as i64;
        match last.signum() * if plies % 2 == 0 { 1 } else { -1 } {
            0 => 0,
            sign => sign * (last.abs() + plies),
        }
    };
    entry["values"] = (0..positions).map(value).collect();
    entry["could"] = vec![0; moves].into();
    entry.as_object_mut().expect("an object").remove("best");
}

#[test]
fn a_forged_analysis_is_refused_and_solved_again() {
    let dir = played();
    let expected = table(&dir, "");
    let sound = dir.read(FILE);
    // Every lost game is called clean.
    edit_entries(&dir, |_, entry| clean(entry));
    assert_ne!(dir.read(FILE), sound);
    let game = dir.journal("cup").games[0].id.clone();
    let id = &serde_json::from_str::<Value>(sound.lines().next().expect("a line")).expect("JSON")["id"];
    // Whatever reads it says so, and believes none of it.
    for command in ["standings cup", "export --moves cup", &format!("replay {game} --plain")] {
        let ended = dir.arena_ends(0, command);
        assert!(ended.stderr.contains("results/cup/analysis.jsonl, line "), "{command}: {ended}");
        assert!(ended.stderr.contains(": not used, since it cannot be true of game "), "{command}: {ended}");
        if command.starts_with("standings") {
            assert!(
                ended.stderr.contains(&format!(
                    "line 1: not used, since it cannot be true of game {}",
                    &id.as_str().expect("text")[..16]
                )),
                "{ended}"
            );
        }
    }
    let page = dir.read("results/cup/report.html");
    assert!(!page.contains("Against best play"), "no game is left");
    let ended = dir.arena_ends(0, "analyze");
    assert!(ended.stderr.contains("results/cup/analysis.jsonl, line 1: not used"), "{ended}");
    assert_eq!(ended.stdout.split_once('\n').expect("lines").1, expected.split_once('\n').expect("lines").1);
    // The new lines are believed.
    let ended = dir.arena_ends(0, "analyze");
    assert!(ended.stderr.is_empty(), "{ended}");
}

#[test]
fn a_line_of_any_length_costs_the_entries_after_it_and_no_table() {
    let dir = played();
    let expected = table(&dir, "");
    let sound = dir.read(FILE);
    let (first, rest) = sound.split_once('\n').expect("lines");
    dir.file(FILE, format!("{first}\n{}\n{rest}", "x".repeat(17 << 20)));
    let said = "analysis.jsonl, line 2: it has more than 16777216 bytes, so nothing from it on is used; remove it";
    for command in ["standings cup", "publish site"] {
        let ended = dir.arena_ends(0, command);
        assert!(ended.stderr.contains(said), "{command}: {ended}");
    }
    let ended = dir.arena_ends(1, "analyze");
    assert!(ended.stderr.contains(said), "{ended}");
    dir.file(FILE, &sound);
    assert_eq!(table(&dir, ""), expected);
}

#[test]
fn each_kind_of_forged_value_is_refused_by_its_line() {
    let dir = played();
    let expected = table(&dir, "");
    let sound = dir.read(FILE);
    let entries: Vec<Value> = sound.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let forged = |what: &str, why: &str, number: usize, edit: &dyn Fn(&mut Value)| {
        edit_entries(&dir, |place, entry| {
            if place == number {
                edit(entry);
            }
        });
        let ended = dir.arena_ends(0, "analyze");
        let line = number + 1;
        assert!(ended.stderr.contains(&format!("analysis.jsonl, line {line}: not used")), "{what}: {ended}");
        assert!(ended.stderr.contains(why), "{what}: {ended}");
        assert_eq!(
            ended.stdout.split_once('\n').expect("lines").1,
            expected.split_once('\n').expect("lines").1,
            "{what}"
        );
        dir.file(FILE, &sound);
    };
    let gave = entries.iter().position(|entry| entry["best"].is_array()).expect("a mistake");
    let last = |entry: &Value| entry["values"].as_array().expect("values").len() - 1;
    forged("values of positions that do not occur", "values and", 0, &|entry| {
        entry["values"].as_array_mut().expect("values").push(1.into());
    });
    forged("a flag too few", "flags for", 0, &|entry| drop(entry["could"].as_array_mut().expect("flags").pop()));
    forged("the last move is worth something else", "ply ", 0, &|entry| {
        let last = last(entry);
        entry["values"][last] = 0.into();
    });
    forged("unsolved without a limit", "no limit was reached", 0, &|entry| entry["values"][0] = Value::Null);
    forged("unsolved in spite of a large limit", "is called unsolved", 0, &|entry| {
        let last = last(entry);
        entry["values"][last] = Value::Null;
        entry["limit"] = 1_000_000_000_u64.into();
    });
    forged("a distance beyond the board", "", 0, &|entry| entry["values"][0] = 1_001.into());
    forged("a word among numbers", "with distances, and values without", 0, &|entry| entry["values"][0] = "W".into());
    forged("a better move that was made", "is no better move", gave, &|entry| entry["best"][0][1] = 99.into());
    forged("a mistake that nobody could make", "could be given away", gave, &|entry| {
        let flags = entry["could"].as_array().expect("flags").len();
        entry["could"] = vec![0; flags].into();
    });
    forged("lost in no time", "ply ", 0, &|entry| {
        let last = last(entry);
        entry["values"][last] = (-2).into();
    });
}

/// Plays perfectly, until this share of the board is full; then it takes the worst move for the best.
struct FailsLate {
    variant: Variant,
    from: f64,
}

impl Player for FailsLate {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.variant = game.variant.clone();
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let played = question.moves().expect("open information");
        let mut state = self.variant.start(0).expect("a position");
        for played in played {
            state.apply(played).expect("a legal move");
        }
        let [used, all] = state.used_up().expect("cells");
        let mut solver = for_variant(&self.variant).expect("a solver");
        let is_broken = used as f64 >= self.from * all as f64;
        let worth = |answer: &arena::solver::Answer| answer.expect("no limit").outlook() as i8;
        let moves = solve(solver.as_mut(), state.as_ref(), true, &Limits::NONE).moves;
        let chosen = moves.into_iter().max_by_key(|(_, answer)| if is_broken { -worth(answer) } else { worth(answer) });
        Answer::Move(Reply::from(chosen.expect("a move").0), Taken::default())
    }
}

#[test]
fn a_bug_near_a_full_board_is_seen_at_a_glance() {
    let dir = Dir::new();
    let clock = TimeControl::per_move(Duration::from_secs(60));
    let variant: Variant = "connect4:rows=4,cols=5".parse().expect("a game");
    let bot = |name, from| {
        let variant = variant.clone();
        let made = move || Box::new(FailsLate { variant: variant.clone(), from }) as Box<dyn Player>;
        FoundBot::in_process(name, "1", made).expect("a name")
    };
    let bots = vec![bot("sound", 2.0), bot("fails-late", 0.75)];
    let settings = SessionSettings {
        results: dir.path("results"),
        seed: Some(1),
        clock,
        rounds: 20,
        ..SessionSettings::new(variant, "cup")
    };
    let opened =
        Session::open(settings, bots, &Roster::default(), || (), &mut |_: &RunEvent| {}).expect("it can be opened");
    let (mut session, mut policy) = opened.expect("no signal");
    session.play(&mut policy, &mut |_: &RunEvent| {}, &AnalysisOptions::default()).expect("written");
    insta::assert_snapshot!(table(&dir, ""), @"
    cup: connect4:rows=4,cols=5, 40 games of 2 bots, 588 moves judged, 0 unsolved
    Results given away by moves of each bot, against best play. Moves of openings do not count.

    Bot         Games  Moves  Gave away        /game  W→D  W→L  D→L  Could   Rate   Clean   Best  Slower by  First at
    sound          40    296          0  0.00 ± 0.18    0    0    0    110  0.000  100.0%  92.2%       0.27         -
    fails-late     40    292          6  0.15 ± 0.11    1    0    5    104  0.058   85.0%  90.1%       0.28        15

    The same by phase, in % of the moves that could give a result away: how much of the board was full, or of the heap taken.

    Bot           0–25 %   25–50 %   50–75 %   75–100 %
    sound       0% of 18  0% of 51  0% of 29   0% of 12
    fails-late  0% of 18  0% of 51  0% of 29  100% of 6

    The worst position of each phase: what cost most in all games, then what loses soonest.

    Bot         Times         Cost  Loses in  Full  Played  Best  Command that shows it
    fails-late      2  draw → loss         1   75%       1     0  arena replay 48ca6294 --name results/cup --from 15

    All such games of a bot, with the plies: arena replay --name results/cup --gave fails-late
    ");
    // The command of the table shows the move.
    let json: Value = serde_json::from_str(&dir.arena_ends(0, "analyze --json").stdout).expect("JSON");
    let worst = json["bots"][1]["worst"].as_array().expect("a list").last().expect("a mistake").clone();
    let (id, ply) = (worst["id"].as_str().expect("an id"), worst["ply"].as_u64().expect("a ply"));
    let shown = dir.arena_ends(0, &format!("replay {id} --name results/cup --from {ply}")).stdout;
    assert!(shown.contains(&format!("ply {}  fails-late", ply + 1)), "{shown}");
    let listed = dir.arena_ends(0, "replay --name results/cup --gave fails-late").stdout;
    let row = listed.lines().find(|line| line.starts_with(id)).expect("the game");
    assert!(row.split_whitespace().any(|word| word == ply.to_string()), "{row}");
    dir.arena_ends(0, "replay --name results/cup --gave sound");
}
