//! `match`, `sprt` and `--until` through the real binary: the same verdict however the games were come by.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};

use arena::event::Round;
use arena::format::Pair;
use rustix::process::Signal;

use crate::support::{Dir, Ended, LIMIT, until, without_pace};

const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];
/// A machine that does other things too must not make a bot lose on time.
const PATIENT: &str = "--move-time 30s --oversubscribe --quiet";

fn tables(dir: &Dir, name: &str) -> String {
    TABLES.map(|table| dir.read(&format!("results/{name}/{table}"))).join("\n")
}

/// What is said of the result, but for what depends on how many games were running when it was decided.
fn verdict(ended: &Ended) -> String {
    ended.stdout.lines().filter(|line| !line.contains("beyond the end of the test")).collect::<Vec<_>>().join("\n")
}

fn stderr(ended: &Ended) -> String {
    format!("{ended}").split_once("--- stderr\n").expect("a shape").1.to_owned()
}

#[test]
fn a_verdict_is_the_same_however_it_was_come_by() {
    const NAME: &str = "tictactoe-greedy-vs-random";
    let command = format!("match greedy random --game tictactoe --sprt elo0=0,elo1=150 {PATIENT}");
    let bots = ["greedy", "random"];
    let reference = Dir::with_bots(&bots);
    let ended = reference.arena_ends(0, &format!("{command} -j 1"));
    let (expected, said) = (tables(&reference, NAME), verdict(&ended));
    assert!(said.contains("\ngreedy is stronger than random\nSPRT  LLR "), "{said}");
    let lines = reference.journal_lines(NAME);

    let other = Dir::with_bots(&bots);
    let ended = other.arena_ends(0, &format!("{command} -j 4"));
    assert_eq!((tables(&other, NAME), verdict(&ended)), (expected.clone(), said.clone()), "at -j 4");

    let killed = Dir::with_bots(&bots);
    for part in [1, 3, 6, 9] {
        let mut running = killed.start(&format!("{command} -j 4"));
        until(LIMIT, "some games are in the journal", || {
            killed.journal_lines(NAME) >= lines * part / 10 || running.has_ended()
        });
        if !running.has_ended() {
            running.signal(Signal::KILL);
        }
        running.wait(LIMIT);
    }
    let ended = killed.arena_ends(0, &format!("{command} -j 2"));
    assert_eq!((tables(&killed, NAME), verdict(&ended)), (expected.clone(), said.clone()), "after being killed");

    // Games beyond the decision are in the journal and nowhere else.
    for dir in [&reference, &other, &killed] {
        let journal = dir.read(&format!("results/{NAME}/games.jsonl"));
        let ended = dir.arena_ends(0, &format!("{command} -j 4"));
        assert_eq!(verdict(&ended), said);
        assert!(!ended.stderr.contains("of other settings"), "{ended}");
        assert_eq!(dir.read(&format!("results/{NAME}/games.jsonl")), journal, "nothing was played or written");
        dir.arena_ends(0, "standings");
        assert_eq!(tables(dir, NAME), expected);
        let json = dir.read(&format!("results/{NAME}/tournament.json"));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["rounds"].as_u64(), json["counts"]["scheduled"].as_u64().map(|games| games / 2));
        assert_eq!(json["openings"].as_array().map(Vec::len), json["rounds"].as_u64().map(|rounds| rounds as usize));
        assert_eq!(
            dir.read(&format!("results/{NAME}/games.csv")).lines().count(),
            reference.read(&format!("results/{NAME}/games.csv")).lines().count()
        );
        dir.arena_ends(0, "verify");
    }
}

#[test]
fn every_verdict_has_an_exit_code() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    dir.builtin("twin", "random");
    let game = format!("--game tictactoe {PATIENT}");
    let ended = dir.arena_ends(4, &format!("match random greedy --sprt {game}"));
    assert!(ended.stdout.contains("\nrandom is not stronger than greedy by 20 nElo or more\nSPRT  LLR "), "{ended}");
    let ended = dir.arena_ends(5, &format!("match random twin --sprt elo0=0,elo1=5 --rounds 3 {game}"));
    assert!(ended.stdout.contains(", inconclusive\n"), "{ended}");
    // More rounds may decide it later; without a test there is nothing to decide.
    dir.arena_ends(5, &format!("match random twin --sprt elo0=0,elo1=5 --rounds 4 {game}"));
    dir.arena_ends(0, &format!("match random twin --rounds 3 {game}"));
    assert_eq!(dir.journal("tictactoe-random-vs-twin").games.len(), 8);
    assert_eq!(dir.read("results/tictactoe-random-vs-twin/games.csv").lines().count(), 1 + 6);
}

#[test]
fn a_stopped_match_says_how_to_go_on() {
    const NAME: &str = "connect4-greedy-vs-mcts";
    let dir = Dir::with_bots(&["greedy", "mcts playouts=50"]);
    for flags in ["--sprt elo0=-5,elo1=0 --rounds 900", "--sprt elo0=-5,elo1=0 --rounds 900 --json", "--rounds 900"] {
        let before = dir.journal_lines(NAME);
        let running = dir.start(&format!("match greedy mcts {flags} --move-time 30s -j 2"));
        until(LIMIT, "some games are in the journal", || dir.journal_lines(NAME) >= before + 2);
        running.signal(Signal::INT);
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(3), "{ended}");
        assert!(ended.stderr.contains("stopping after the current games"), "{ended}");
        let command = format!("resume with: [arena] match greedy mcts {flags} --move-time 30s -j 2 --seed 1\n");
        assert!(stderr(&ended).contains(&command), "{ended}");
        // Its budget is not spent, and nothing has stopped it for looking best.
        assert!(!ended.stdout.contains("inconclusive") && !ended.stdout.contains("results look best"), "{ended}");
        let said = match flags {
            "--rounds 900" => "Pairs LL ",
            flags if flags.ends_with("--json") => "\"verdict\": \"unfinished\"",
            _ => "), stopped before a decision; run the same command to resume\n",
        };
        assert!(ended.stdout.contains(said), "{ended}");
    }
    dir.arena_ends(0, "standings");
}

#[test]
fn a_match_whose_time_is_over_has_all_tables_and_goes_on() {
    const NAME: &str = "connect4-greedy-vs-mcts";
    let dir = Dir::with_bots(&["greedy", "mcts playouts=50"]);
    let command = |flags: &str| format!("match greedy mcts {flags} {PATIENT} -j 2");
    // On a busy machine there may be no time for a game.
    dir.arena_ends(0, &command("--rounds 3"));
    let ended = dir.arena_ends(5, &command("--sprt elo0=-1,elo1=0 --rounds 900 --for 300ms"));
    assert!(ended.stdout.contains("), inconclusive: the time is over; run the same command to go on\n"), "{ended}");
    assert!(!ended.stderr.contains("resume with"), "{ended}");
    // Tables made from the journal alone are the same.
    let written = tables(&dir, NAME);
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&dir.read(name)).expect("JSON");
    let test = json(&format!("results/{NAME}/tournament.json"))["summary"]["sprt"].clone();
    assert_eq!(test["verdict"], "inconclusive", "{test}");
    assert!(test["llr"].is_number(), "{test}");
    dir.arena_ends(0, "standings");
    assert_eq!(tables(&dir, NAME), written);
    assert_eq!(json(&format!("results/{NAME}/tournament.json"))["summary"]["sprt"], test);
    let ended = dir.arena_ends(5, &command("--sprt elo0=-1,elo1=0 --rounds 900 --for 1ms --json"));
    assert!(ended.stdout.contains("\"verdict\": \"inconclusive\""), "{ended}");
    // Without a test fewer rounds are no failure. The rounds that are missing can be played later.
    let rounds = dir.journal(NAME).games.len() / 2 + 2;
    dir.arena_ends(0, &command(&format!("--rounds {rounds} --for 1ms")));
    dir.arena_ends(0, &command(&format!("--rounds {rounds}")));
    assert_eq!(dir.journal(NAME).games.len(), 2 * rounds);
}

#[test]
fn a_stopped_match_keeps_its_code_under_timeout() {
    const NAME: &str = "connect4-greedy-vs-mcts";
    let dir = Dir::with_bots(&["greedy", "mcts playouts=50"]);
    // It sends each signal to the arena, and then to the group of processes in which both are.
    for flags in ["--sprt elo0=-5,elo1=0 --rounds 900", "--rounds 900"] {
        let arena = dir.command(&format!("match greedy mcts {flags} --move-time 30s -j 2"));
        let before = dir.journal_lines(NAME);
        let mut timeout = Command::new("timeout");
        timeout.arg("1h").arg(arena.get_program()).args(arena.get_args()).current_dir(dir.path(""));
        timeout.env("TMPDIR", dir.path("tmp")).stdin(Stdio::null());
        let running = dir.run(timeout);
        until(LIMIT, "some games are in the journal", || dir.journal_lines(NAME) >= before + 2);
        running.signal(Signal::TERM);
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(3), "{ended}");
        assert!(ended.stderr.contains("stopping after the current games"), "{ended}");
        assert_eq!(dir.read(&format!("results/{NAME}/games.csv")).lines().count(), 1 + dir.journal(NAME).games.len());
    }
}

#[test]
fn a_match_is_reported_from_both_sides() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    let json = |bots: &str| -> serde_json::Value {
        let ended = dir.arena_ends(0, &format!("match {bots} --game tictactoe --rounds 8 --json {PATIENT}"));
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}\n{ended}"))
    };
    let (one, other) = (json("greedy random"), json("random greedy"));
    assert_eq!(one["wins"], other["losses"]);
    assert_eq!(one["draws"], other["draws"]);
    let mut pairs = one["pairs"].as_array().expect("five counts").clone();
    pairs.reverse();
    assert_eq!(&pairs, other["pairs"].as_array().expect("five counts"));
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    assert!((number(&one["los"]) + number(&other["los"]) - 1.0).abs() < 1e-5);
    assert!((number(&one["logistic"]["elo"]) + number(&other["logistic"]["elo"])).abs() < 1e-5);
    // A path is as good as a name.
    assert_eq!(json("bots/greedy.toml ./bots/random.toml"), one);
}

#[test]
fn a_match_in_words_and_as_json() {
    let dir = Dir::with_bots(&["greedy", "minimax depth=1"]);
    let args = "match minimax greedy --game tictactoe --sprt elo0=0,elo1=100 --rounds 6 --move-time 30s -j 1";
    insta::assert_snapshot!(dir.arena(args), @"
    exit 5
    --- stdout
    The games do not show whether minimax is stronger than greedy (+29.0 ± 125.3 Elo, LOS 67.5%); if that is the true difference, about 110 more rounds would settle it.
    The first seat scored 54.2 % of 12 games (+29.2 ± 78.3 Elo).

    report: results/tictactoe-minimax-vs-greedy/report.html  tables: *.csv

    Score of minimax vs greedy: +1 =11 -0  [0.542] 12
    Elo   +29.0 ± 125.3, LOS 67.5 %
    nElo  +109.9 ± 196.6
    Pairs LL 0, LD 0, DD 5, WL 0, WD 1, WW 0, pair ratio inf
    it is not shown that minimax is stronger than greedy, nor that it is not stronger than greedy by 100 nElo or more
    SPRT  LLR 0.39 (-2.94, 2.94), inconclusive
    --- stderr
    minimax against greedy: tictactoe, 30000 ms a move, seed 1
    expected: 67 games if elo0 is true, 71 if elo1 is, 111 in between; at most 12 games
    ");
    insta::assert_snapshot!(dir.arena(&format!("{args} --json")), @r#"
    exit 5
    --- stdout
    {
      "a": "minimax",
      "b": "greedy",
      "draws": 11,
      "ended_by": null,
      "expected_games": {
        "between": 111,
        "elo0": 67,
        "elo1": 71
      },
      "games": 12,
      "logistic": {
        "elo": 29.020267,
        "hi": 154.288052,
        "lo": -96.247518
      },
      "los": 0.675106,
      "losses": 0,
      "normalized": {
        "elo": 109.868779,
        "hi": 306.445355,
        "lo": -86.707797
      },
      "pair_ratio": "inf",
      "pairs": [
        0,
        0,
        5,
        1,
        0
      ],
      "repeated_pairs": 0,
      "score": 0.541667,
      "sprt": {
        "llr": 0.389668,
        "lower": -2.944439,
        "upper": 2.944439,
        "verdict": "inconclusive",
        "words": "it is not shown that minimax is stronger than greedy, nor that it is not stronger than greedy by 100 nElo or more"
      },
      "tournament": "tictactoe-minimax-vs-greedy",
      "warnings": [],
      "wins": 1,
      "withdrawn": [],
      "won_and_lost": 0
    }
    --- stderr
    minimax against greedy: tictactoe, 30000 ms a move, seed 1
    expected: 67 games if elo0 is true, 71 if elo1 is, 111 in between; at most 12 games
    nothing new to play: every game is in the journal; ask for more --rounds
    "#);
    insta::assert_snapshot!(dir.arena("match minimax greedy --game tictactoe --rounds 2 --move-time 30s -j 1"), @"
    exit 0
    --- stdout
    The games do not show whether minimax is stronger than greedy (+0.0 ± 340.5 Elo, LOS 50.0%); too few games to tell.
    All ratings and margins apply to these openings only: 2 were played, too few to generalise.
    The first seat scored 50.0 % of 4 games (+0.0 ± 170.2 Elo in these openings).

    report: results/tictactoe-minimax-vs-greedy/report.html  tables: *.csv

    Score of minimax vs greedy: +0 =4 -0  [0.500] 4
    Elo   +0.0 ± 340.5, LOS 50.0 %
    Pairs LL 0, LD 0, DD 2, WL 0, WD 0, WW 0
    --- stderr
    8 games in results/tictactoe-minimax-vs-greedy of other settings, rounds or bots: kept in the journal, left out of the tables (--name keeps tournaments apart)
    minimax against greedy: tictactoe, 30000 ms a move, seed 1
    4 games
    nothing new to play: every game is in the journal; ask for more --rounds
    ");
}

#[test]
fn a_game_played_twice_is_no_evidence() {
    let dir = Dir::with_bots(&["minimax depth=1"]);
    dir.builtin("deep", "minimax depth=3");
    let ended = dir.arena_ends(
        5,
        &format!("match deep minimax --game tictactoe --opening-plies 0 --sprt --rounds 5 --json {PATIENT}"),
    );
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let pairs: u64 = json["pairs"].as_array().expect("counts").iter().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!((pairs, &json["repeated_pairs"], &json["games"]), (1, &4.into(), &10.into()), "{ended}");
    let ended =
        dir.arena_ends(0, &format!("match deep minimax --game tictactoe --opening-plies 0 --rounds 5 {PATIENT}"));
    assert!(ended.stdout.contains("\n4 pairs repeated earlier ones move for move: not counted in pairs"), "{ended}");
}

/// The cells of the only pairing of a match, by column, as the bot called `a` sees them.
fn head_to_head(dir: &Dir, name: &str, a: &str) -> impl Fn(&str) -> String {
    let table = dir.read(&format!("results/{name}/head_to_head.csv"));
    let [header, row] = table.lines().collect::<Vec<_>>()[..] else { panic!("{table}") };
    let (header, row): (Vec<String>, Vec<String>) =
        (header.split(',').map(str::to_owned).collect(), row.split(',').map(str::to_owned).collect());
    assert_eq!(row[0], a, "{table}");
    move |column| row[header.iter().position(|name| name == column).expect("a column")].clone()
}

#[test]
fn a_match_says_what_its_tables_have() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    // Few openings, so that many games are played again.
    let rest = format!("--game tictactoe --opening-plies 1 --json {PATIENT}");
    for args in ["--rounds 300", "--rounds 240 --sprt elo0=1300,elo1=1400"] {
        let ended = dir.arena(&format!("match greedy random {args} {rest}"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended}"));
        assert!(json["repeated_pairs"].as_u64().expect("a number") > 0, "{ended}");
        let cell = head_to_head(&dir, "tictactoe-greedy-vs-random", "greedy");
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        for (column, value) in [("elo_diff", "elo"), ("elo_lo", "lo"), ("elo_hi", "hi")] {
            assert_eq!(cell(column), format!("{:.2}", number(&json["logistic"][value])), "{column} {ended}");
        }
        let los: f64 = cell("los").parse().expect("a number");
        assert!((los - number(&json["los"])).abs() < 2e-6, "{los} {ended}");
        let pairs = ["LL", "LD", "DD_WL", "WD", "WW"].map(&cell);
        assert_eq!(format!("[{}]", pairs.join(",")), json["pairs"].to_string(), "{ended}");
        if let Some(llr) = json["sprt"]["llr"].as_f64() {
            let again = dir.arena_ends(0, &format!("sprt --elo0 1300 --elo1 1400 {} --json", pairs.join(",")));
            let again: serde_json::Value = serde_json::from_str(&again.stdout).expect("JSON");
            for key in ["/sprt/llr", "/sprt/verdict", "/normalized", "/pair_ratio", "/pairs"] {
                assert_eq!(again.pointer(key), json.pointer(key), "{key}");
            }
            // The test is kept, and rebuilt with the other tables.
            let kept = dir.read("results/tictactoe-greedy-vs-random/tournament.json");
            let file: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
            let test = serde_json::json!({
                "model": "normalized", "elo0": 1300.0, "elo1": 1400.0, "alpha": 0.05, "beta": 0.05
            });
            assert_eq!(file["sprt"], test);
            assert_eq!(file["summary"]["sprt"], json["sprt"]);
            let shown = dir.arena_ends(0, "standings tictactoe-greedy-vs-random");
            assert!(
                shown.stdout.contains(&format!("SPRT normalized, elo0 1300, elo1 1400: LLR {llr:.2} (")),
                "{shown}"
            );
            let rebuilt = dir.read("results/tictactoe-greedy-vs-random/tournament.json");
            assert_eq!(without_pace(&rebuilt), without_pace(&kept));
        }
        // The difference of the two in the standings is the same.
        let table = dir.read("results/tictactoe-greedy-vs-random/standings.csv");
        let elo: Vec<f64> = table
            .lines()
            .skip(1)
            .map(|row| row.split(',').nth(10).expect("a cell").parse().expect("a number"))
            .collect();
        assert!((elo[0] - elo[1] - number(&json["logistic"]["elo"])).abs() < 0.011, "{elo:?} {ended}");
    }
}

#[test]
fn a_match_tells_what_to_expect_before_it_starts() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    let args = "match greedy random --game tictactoe --move-time 30s";
    let ended = dir.arena_ends(0, &format!("{args} --sprt elo0=0,elo1=100"));
    assert!(
        ended
            .stderr
            .contains("expected: 67 games if elo0 is true, 71 if elo1 is, 111 in between; at most 20,000 games"),
        "{ended}"
    );
    let again = dir.arena_ends(0, &format!("{args} --sprt elo0=0,elo1=100"));
    assert!(again.stderr.contains("nothing new to play: the games in the journal already decide the test"), "{again}");
    let standings = dir.arena_ends(0, "standings tictactoe-greedy-vs-random");
    let verdict = "(-2.94, 2.94), H1 accepted.";
    assert!(standings.stdout.contains(verdict), "{standings}");
    let ended = dir.arena_ends(0, &format!("{args} --rounds 1"));
    assert!(ended.stderr.contains("nothing new to play: every game is in the journal"), "{ended}");
}

#[test]
fn a_lone_sprt_takes_no_bot_for_its_value() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    let rest = format!("--game tictactoe {PATIENT}");
    let expected = verdict(&dir.arena_ends(0, &format!("match --sprt greedy random {rest}")));
    assert!(expected.contains("(-2.94, 2.94)"), "{expected}");
    for words in [
        "greedy --sprt random",
        "greedy random --sprt",
        "greedy random --sprt=",
        "--sprt elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized greedy random",
        "greedy random --sprt=elo1=20",
    ] {
        assert_eq!(verdict(&dir.arena_ends(0, &format!("match {words} {rest}"))), expected, "{words}");
    }
}

#[test]
fn strict_matches_mind_faults() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    // It starts, and leaves when it is asked for a move.
    let ready = r#"echo "$line" | sed 's/.*"id":\([0-9]*\).*/{"type":"ready","id":\1}/'"#;
    let text =
        format!("read -r line; echo '{{\"type\":\"hello\",\"protocol\":1}}'; read -r line; {ready}; read -r line");
    dir.script("bots/mute", &text);
    let args = format!("match greedy mute --no-check --game tictactoe {PATIENT} --opening-plies 2");
    dir.arena_ends(0, &format!("{args} --rounds 2"));
    dir.arena_ends(2, &format!("{args} --rounds 2 --strict"));
    dir.arena_ends(2, &format!("{args} --sprt elo0=0,elo1=300 --strikes off --strict"));
    dir.arena_ends(0, &format!("{args} --sprt elo0=0,elo1=300 --strikes off"));
}

/// What is said to each of several mistakes.
#[track_caller]
fn refusals(dir: &Dir, mistakes: &[&str]) -> String {
    let said = mistakes.iter().map(|mistake| {
        let ended = dir.arena_ends(1, &format!("{mistake} --seed drawn"));
        assert_eq!(ended.stdout, "", "{mistake}");
        let stderr = stderr(&ended);
        format!("{mistake}\n{}\n", stderr.trim_end().trim_end_matches("For more information, try '--help'.").trim_end())
    });
    said.collect()
}

#[test]
fn help_on_matches_and_tests() {
    let dir = Dir::new();
    let help = dir.arena_ends(0, "match --help").stdout;
    insta::assert_snapshot!(help.split("      --game").next().expect("a part"), @"
    Play two bots against each other, or test which is stronger

    Usage: arena match [OPTIONS] <A> <B>

    Arguments:
      <A>  The bot under test: a name in the bots folder, or a path
      <B>  Its opponent: a name or a path

    Options:
          --contest <FILE>  File with defaults of these options [default: arena.toml, if there is one]
      -h, --help            Print help

    Games:
          --rounds <N>           Rounds of two games with seats swapped; with a test the maximum
                                 [default: 100; with a test, --for or --by 10000]
          --sprt[=<KEY=X,…>]     Stop when a hypothesis is accepted: A is stronger by elo1 or more, or
                                 by elo0 or less [default:
                                 elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized, or logistic]
          --not-weaker-than <N>  Test that A is not weaker than B by N Elo or more: the test from
                                 elo0=-N to elo1=0 with model=logistic; --sprt can set alpha, beta and
                                 model
          --for <TIME>           Stop after this time, such as 6h, with all tables written
          --by <HH:MM>           Stop at the next time of day, such as 06:00
    ");
    insta::assert_snapshot!(dir.arena_ends(0, "sprt --help").stdout, @r#"
    Evaluate a sequential test from counts of results

    Usage: arena sprt [OPTIONS] --elo0 <ELO> --elo1 <ELO> <COUNTS>...

    Arguments:
      <COUNTS>...  Results of the tested bot, as `arena match` prints them: games as "+77 =14 -85"
                   (wins, draws, losses), or its line of pairs, or bare pairs LL,LD,DD,WD,WW (a pair won
                   and lost counts as DD)

    Options:
          --order <ORDER>  What three bare counts are: wdl for wins, draws, losses [possible values:
                           wdl, wld, dwl, dlw, lwd, ldw]
          --model <MODEL>  Scale of the hypotheses [default: normalized]
          --elo0 <ELO>     Hypothesis H0: the bot is stronger by this or less
          --elo1 <ELO>     Hypothesis H1: the bot is stronger by this or more
          --alpha <P>      Probability of accepting elo1 if elo0 is true [default: 0.05]
          --beta <P>       Probability of accepting elo0 if elo1 is true [default: 0.05]
          --json           Print JSON
      -h, --help           Print help
    "#);
    insta::assert_snapshot!(dir.arena_ends(0, "standings --help").stdout, @"
    Rebuild and show the tables of a tournament, or rate games from files

    Usage: arena standings [OPTIONS] [TOURNAMENT|FILE]...

    Arguments:
      [TOURNAMENT|FILE]...  Name or folder of a tournament [default: the only one there is], or files of
                            games: PGN, or tables with the columns white,black,result or
                            first,second,result (1-0, 0-1, 1/2-1/2) and optionally pair

    Options:
          --pairs <WHICH>           How games of a file form pairs with seats swapped [default: by the
                                    column `pair` or the PGN tag `Round`, else consecutive games if all
                                    of them are swapped] [possible values: consecutive, none]
          --side <WHETHER>          Fit the advantage of moving first in files, or not [default: fit if
                                    most games have no partner with seats swapped] [possible values:
                                    fit, none]
          --scale <SCALE>           What the results in tables mean [default: the one scale that
                                    explains all results of a file]: points (1, 0.5, 0 of the first
                                    player, or 1-0, 0-1, 1/2-1/2), rewards (1, 0, -1), doubled (2, 1,
                                    0), seat (of the winner: 1, 2), seat0 (0, 1), words (white, black,
                                    draw), names (of the winner), or the values for a win, a draw and a
                                    loss of the first player, such as 3/1/0
          --strict                  Refuse files with games that cannot be rated, other than void and
                                    unfinished ones [default: leave these games out]
          --out <DIR>               Folder for the tables of files [default: beside the first file,
                                    named after it]
          --json                    Print JSON in the format of tournament.json, for files of
                                    summary.json
          --no-times[=<on|off>]     Leave times out of report.html
          --svg <DIR>               Write plots of the standings as SVG files into this folder
          --by <TAG[,TAG]>          Plot the ratings by this tag of the bots too, as by-TAG.svg, with a
                                    line for each value of a second one; with --markdown or --latex
                                    these tags are columns; may be repeated
          --markdown                Print the standings as Markdown, for a README
          --bot <NAME>              Print what there is to say of one bot, as Markdown to mail to its
                                    author
          --latex                   Print the standings as LaTeX, for a paper; needs the package
                                    booktabs
          --feedback <DIR>          Write a text and a page for the author of each bot into this folder:
                                    rank, change since the last time, lost games with the moves where
                                    they turned, faults with the input that repeats them, times
          --checks <DIR>            Add to each the text that `arena check --all --out DIR` has written
          --force                   Overwrite files of --svg, --feedback and --out that this command has
                                    not written
          --game <FILE>             File of the program of rules, for games that are not built in
          --rules-read <PATH>       File or folder elsewhere that the program of `--game FILE` may read
          --anchor <NAME[:ELO]>     Bot whose rating is fixed, or `mean` [default: mean, which makes the
                                    mean of all 0]
          --rank-by <points|elo>    Rank by points or rating [default: points if all met equally often]
          --prior-draws <X>         Virtual draws for each bot, which bound all ratings [default: 0]
          --draw-model <MODEL>      `davidson` adds ratings by a model with draws [default: logistic]
          --nash[=<on|off>]         Add the Nash average: the best mixture of up to 50 bots
          --family-wise[=<on|off>]  Rank ranges and comparisons at 95 % for all bots together
          --covariance[=<on|off>]   Also write covariance.csv and los.csv, with all pairs of bots
          --results <DIR>           Folder of all results [default: results]
          --contest <FILE>          File with defaults of these options [default: arena.toml, if there
                                    is one]
      -h, --help                    Print help
    ");
}

#[test]
fn a_match_that_cannot_be_is_refused_with_the_cure() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    let mistakes = [
        "match greedy greedy",
        "match greedy bots/greedy.toml",
        "match greedy randm",
        "match greedy bots/none.toml",
        "match greedy",
        "match greedy random --sprt elo2=5",
        "match greedy random --sprt elo=5",
        "match greedy random --sprt elo0=20",
        "match greedy random --sprt elo0=x",
        "match greedy random --sprt elo0=nan",
        "match greedy random --sprt elo1=inf",
        "match greedy random --sprt elo0=1,elo0=2",
        "match greedy random --sprt alpha=0",
        "match greedy random --sprt alpha=0.5,beta=0.5",
        "match greedy random --sprt model=normalised",
        "match greedy random --sprt elo0",
        "match greedy random --rounds 0",
    ];
    insta::assert_snapshot!(refusals(&dir, &mistakes), @"
    match greedy greedy
    error: a match needs two bots; both are `greedy`; give a copy another name with --bot NAME=PATH
    match greedy bots/greedy.toml
    error: a match needs two bots; both are `greedy`; give a copy another name with --bot NAME=PATH
    match greedy randm
    error: no bot named `randm` (did you mean `random`?); `arena bots --builtins` lists them all
    match greedy bots/none.toml
    error: bots/none.toml
      caused by: there is no such file or folder
    match greedy
    error: the following required arguments were not provided:
      <B>

    Usage: arena match <A> <B>
    match greedy random --sprt elo2=5
    error: invalid value `elo2=5` for --sprt: no key named `elo2` (did you mean `elo0`?); known: elo0, elo1, alpha, beta, model
    match greedy random --sprt elo=5
    error: invalid value `elo=5` for --sprt: no key named `elo` (did you mean `elo0`?); known: elo0, elo1, alpha, beta, model
    match greedy random --sprt elo0=20
    error: invalid value `elo0=20` for --sprt: elo0 (20) must be less than elo1 (20)
    match greedy random --sprt elo0=x
    error: invalid value `elo0=x` for --sprt: elo0: `x` is not a number
    match greedy random --sprt elo0=nan
    error: invalid value `elo0=nan` for --sprt: NaN is not between -2000 and 2000 Elo
    match greedy random --sprt elo1=inf
    error: invalid value `elo1=inf` for --sprt: inf is not between -2000 and 2000 Elo
    match greedy random --sprt elo0=1,elo0=2
    error: invalid value `elo0=1,elo0=2` for --sprt: `elo0` is given twice
    match greedy random --sprt alpha=0
    error: invalid value `alpha=0` for --sprt: alpha (0) and beta (0.05) must be above 0 and together below 1
    match greedy random --sprt alpha=0.5,beta=0.5
    error: invalid value `alpha=0.5,beta=0.5` for --sprt: alpha (0.5) and beta (0.5) must be above 0 and together below 1
    match greedy random --sprt model=normalised
    error: invalid value `model=normalised` for --sprt: no model named `normalised` (did you mean `normalized`?); known: normalized, logistic
    match greedy random --sprt elo0
    error: a match is between two bots; 3 are named: greedy, random, elo0
    match greedy random --rounds 0
    error: invalid value '0' for '--rounds <N>': expected a whole number from 1 to 1000000
    ");
    assert!(!dir.path("results").exists());
}

#[test]
fn a_test_of_two_versions_that_play_alike_ends_when_its_openings_are_used_up() {
    let dir = Dir::with_bots(&["minimax depth=1"]);
    dir.builtin("new", "minimax depth=1");
    dir.file("openings", "[[0,0]]\n[[1,1]]\n");
    let play = "match new minimax --sprt --openings openings --game tictactoe --sandbox off --no-check --oversubscribe";
    let ended = dir.arena_ends(5, &format!("{play} -j 3"));
    let pairs = ended
        .stdout
        .split("no game differed in ")
        .nth(1)
        .and_then(|it| it.split_once(" pairs: the two versions play alike"));
    let pairs: usize = pairs.and_then(|(pairs, _)| pairs.parse().ok()).unwrap_or_else(|| panic!("{ended}"));
    assert!((201..300).contains(&pairs), "{ended}");
    // It is decided from the journal, and what several slots played beyond the end does not count.
    let again = dir.arena_ends(5, &format!("{play} -j 1"));
    assert!(again.stderr.contains("nothing new to play: the bots only repeat earlier games"), "{again}");
    assert!(!again.stderr.contains("of other settings"), "{again}");
    let json = dir.arena_ends(5, &format!("{play} --json"));
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!((&json["ended_by"], &json["sprt"]["verdict"]), (&"alike".into(), &"inconclusive".into()));
    assert_eq!(json["games"], 2 * pairs);
    assert!(dir.arena_ends(0, "standings").stdout.contains("inconclusive: the bots only repeated earlier games."));
    dir.arena_ends(0, "verify");
}

#[test]
fn the_published_cases_of_the_test() {
    let dir = Dir::new();
    let cases = [
        ("--elo0 0 --elo1 2 365,16618,36229,16974,390", 2.25),
        ("--model normalized --elo0 -1.75 --elo1 .25 127,4883,10712,5150,104", 3.01),
        ("--model logistic --elo0 0 --elo1 2 871,26175,55983,26678,821", -4.98),
        ("--elo0 0 --elo1 2 +36433 =68692 -36027", 0.92),
    ];
    for (args, expected) in cases {
        let ended = dir.arena_ends(0, &format!("sprt {args} --json"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let llr = json["sprt"]["llr"].as_f64().expect("a number");
        // They are published rounded to 0.01.
        assert!((llr - expected).abs() < 0.0101, "{args}: {llr}");
        let text = dir.arena_ends(0, &format!("sprt {args}"));
        assert!(text.stdout.contains(&format!("\nSPRT  LLR {llr:.2} (-2.94, 2.94), ")), "{text}");
    }
}

#[test]
fn a_test_of_counts_says_what_a_match_does() {
    let dir = Dir::new();
    insta::assert_snapshot!(dir.arena("sprt --elo0 0 --elo1 10 --alpha 0.1 --beta 0.2 10,20,60,40,20"), @"
    exit 0
    --- stdout
    Read as pairs: 10 lost twice, 20 lost and drawn, 60 with one point, 40 won and drawn, 20 won twice
    Score of the tested bot vs its opponent: [0.567] 300
    Elo   +46.6 ± 30.4, LOS 99.9 %
    nElo  +61.7 ± 39.3
    Pairs LL 10, LD 20, DD or WL 60, WD 40, WW 20, pair ratio 2.00
    it is not shown that the tested bot is stronger than its opponent, nor that it is not stronger than its opponent by 10 nElo or more
    SPRT  LLR 1.35 (-1.50, 2.08), no decision yet
    expected: 2,767 games if elo0 is true, 3,294 if elo1 is, 3,778 in between
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("sprt --elo0 0 --elo1 10 --json 100,50,200 --order ldw"), @r#"
    exit 0
    --- stdout
    {
      "draws": 50,
      "expected_games": {
        "between": 10471,
        "elo0": 6400,
        "elo1": 6405
      },
      "games": 350,
      "logistic": {
        "elo": 102.109002,
        "hi": 137.071235,
        "lo": 67.146769
      },
      "los": 1.0,
      "losses": 100,
      "normalized": {
        "elo": 112.722989,
        "hi": 149.121898,
        "lo": 76.32408
      },
      "pair_ratio": null,
      "score": 0.642857,
      "sprt": {
        "llr": 2.96411,
        "lower": -2.944439,
        "upper": 2.944439,
        "verdict": "H1",
        "words": "the tested bot is stronger than its opponent"
      },
      "test": {
        "alpha": 0.05,
        "beta": 0.05,
        "elo0": 0.0,
        "elo1": 10.0,
        "model": "normalized"
      },
      "wins": 200
    }
    --- stderr
    "#);
    insta::assert_snapshot!(dir.arena("sprt --elo0 0 --elo1 10 0,0,0,0,0"), @"
    exit 0
    --- stdout
    Read as pairs: 0 lost twice, 0 lost and drawn, 0 with one point, 0 won and drawn, 0 won twice
    Score of the tested bot vs its opponent: [-] 0
    Pairs LL 0, LD 0, DD or WL 0, WD 0, WW 0
    it is not shown that the tested bot is stronger than its opponent, nor that it is not stronger than its opponent by 10 nElo or more
    SPRT  LLR 0.00 (-2.94, 2.94), no decision yet
    expected: 6,400 games if elo0 is true, 6,405 if elo1 is, 10,471 in between
    --- stderr
    ");
}

#[test]
fn counts_that_are_none_are_refused_with_the_cure() {
    let dir = Dir::new();
    let mistakes = [
        "sprt --elo0 0 --elo1 5 1,2",
        "sprt --elo0 0 --elo1 5 1,2,-3",
        "sprt --elo0 0 --elo1 5 1,2,18446744073709551615",
        "sprt --elo0 0 --elo1 5 1,2,3",
        "sprt --elo0 0 --elo1 5 +1 =2 -3 --order wdl",
        "sprt --elo0 5 --elo1 0 +1 =2 -3",
        "sprt --elo0 0 --elo1 5 --alpha 0 +1 =2 -3",
        "sprt --elo0 0 --elo1 5 --model logistik +1 =2 -3",
        "sprt 1,2,3",
    ];
    insta::assert_snapshot!(refusals(&dir, &mistakes), @r#"
    sprt --elo0 0 --elo1 5 1,2
    error: COUNTS: `1,2` is neither; five counts of pairs are LL,LD,DD,WD,WW, and games are "+77 =14 -85" (wins, draws, losses)
    sprt --elo0 0 --elo1 5 1,2,-3
    error: COUNTS: `1,2,-3`: `-3` is not a count up to 1000000000000; five counts of pairs are LL,LD,DD,WD,WW, and games are "+77 =14 -85" (wins, draws, losses)
    sprt --elo0 0 --elo1 5 1,2,18446744073709551615
    error: COUNTS: `1,2,18446744073709551615`: `18446744073709551615` is not a count up to 1000000000000; five counts of pairs are LL,LD,DD,WD,WW, and games are "+77 =14 -85" (wins, draws, losses)
    sprt --elo0 0 --elo1 5 1,2,3
    error: COUNTS: `1,2,3` does not say which are wins, draws and losses; write "+WINS =DRAWS -LOSSES", or say it: --order wdl, ldw, wld …
    sprt --elo0 0 --elo1 5 +1 =2 -3 --order wdl
    error: COUNTS: --order is for three bare counts; these say themselves what they are
    sprt --elo0 5 --elo1 0 +1 =2 -3
    error: elo0 (5) must be less than elo1 (0)
    sprt --elo0 0 --elo1 5 --alpha 0 +1 =2 -3
    error: alpha (0) and beta (0.05) must be above 0 and together below 1
    sprt --elo0 0 --elo1 5 --model logistik +1 =2 -3
    error: invalid value 'logistik' for '--model <MODEL>': no model named `logistik` (did you mean `logistic`?); known: normalized, logistic
    sprt 1,2,3
    error: the following required arguments were not provided:
      --elo0 <ELO>
      --elo1 <ELO>

    Usage: arena sprt --elo0 <ELO> --elo1 <ELO> <COUNTS>...
    "#);
}

const FIELD: [&str; 4] = ["random", "greedy", "minimax depth=1", "mcts playouts=20"];

#[test]
fn rounds_are_added_only_where_ratings_overlap() {
    let command = format!("tournament --game tictactoe --rounds 3 --until separated --max-rounds 25 {PATIENT}");
    let dir = Dir::with_bots(&FIELD);
    let ended = dir.arena_ends(0, &format!("{command} -j 1"));
    assert!(ended.stdout.contains("Rounds were added while ratings overlapped"), "{ended}");
    let expected = tables(&dir, "tictactoe");
    let added: Vec<Pair> = dir.journal("tictactoe").rounds.iter().flat_map(Round::pairs).collect();
    let pairings: HashSet<[usize; 2]> = added.iter().map(|pair| pair.bots).collect();
    assert!(!pairings.is_empty() && pairings.len() < 6, "{pairings:?}");
    // The output says whether the rounds were enough.
    let separated = ended.stdout.contains("All neighbours in the standings differ significantly");
    assert_eq!(ended.stderr.contains("--until separated: reached\n"), separated, "{ended}");
    let capped = "overlap; no pairing may play more than 25 rounds (--max-rounds)\n";
    assert_eq!(ended.stderr.contains(capped), !separated, "{ended}");
    assert!(added.iter().all(|pair| (4..=25).contains(&pair.round)), "{added:?}");

    // Again, and again without --until: nothing is lost and nothing is played.
    let journal = dir.read("results/tictactoe/games.jsonl");
    for args in [command.clone(), command.replace(" --until separated --max-rounds 25", "")] {
        let ended = dir.arena_ends(0, &args);
        assert!(ended.stderr.contains("nothing new to play"), "{ended}");
        assert_eq!(tables(&dir, "tictactoe"), expected, "{args}");
        assert_eq!(dir.read("results/tictactoe/games.jsonl"), journal, "{args}");
    }
    let ended = dir.arena_ends(0, "standings");
    assert!(ended.stdout.contains("somewhat overconfident"), "{ended}");
    assert!(dir.read("results/tictactoe/tournament.json").contains("somewhat overconfident"));
    assert_eq!(tables(&dir, "tictactoe"), expected);

    let other = Dir::with_bots(&FIELD);
    let games = dir.journal("tictactoe").games.len();
    for part in [1, 4, 8] {
        let mut running = other.start(&format!("{command} -j 4"));
        let enough = || other.journal_lines("tictactoe") >= games * part / 10;
        until(LIMIT, "some games are in the journal", || enough() || running.has_ended());
        if !running.has_ended() {
            running.signal(Signal::KILL);
        }
        running.wait(LIMIT);
    }
    other.arena_ends(0, &format!("{command} -j 4"));
    assert_eq!(tables(&other, "tictactoe"), expected, "killed, and at -j 4");
    assert_eq!(other.journal("tictactoe").games.len(), games);
}

#[test]
fn added_rounds_survive_a_bot_that_is_left_out_for_another_reason() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.builtin("twin", "random");
    let command = format!("tournament --game tictactoe --rounds 2 {PATIENT}");
    dir.arena_ends(0, &format!("{command} --until separated --max-rounds 4"));
    let expected = tables(&dir, "tictactoe");
    dir.file("bots/broken.toml", "builtin = \"none\"");
    dir.arena_ends(2, &command);
    assert_eq!(tables(&dir, "tictactoe"), expected);
}

#[test]
fn margins_shrink_until_they_are_small_enough() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let command = format!("tournament --game tictactoe --rounds 2 {PATIENT}");
    let margin = || {
        let table = dir.read("results/tictactoe/standings.csv");
        let cell = |row: &str, place| row.split(',').nth(place).expect("a cell").parse::<f64>().expect("a number");
        table.lines().skip(1).map(|row| (cell(row, 12) - cell(row, 11)) / 2.0).fold(0.0, f64::max)
    };
    let ended = dir.arena_ends(0, &format!("{command} --name sweep --opening-plies 0 --until ±150 --max-rounds 2"));
    let missed = "--until ±150: not reached: greedy is at ±";
    let open = "--until ±150: not reached: greedy is unbounded, random is unbounded; more games rarely bound it\n";
    let swept = dir.read("results/sweep/standings.csv").contains("inf");
    assert!(ended.stderr.contains(if swept { open } else { missed }), "{ended}");
    // Two that win and lose against each other, whatever the seed.
    dir.builtin("twin", "random");
    fs::remove_file(dir.path("bots/greedy.toml")).expect("removed");
    let long = command.replace("--rounds 2", "--rounds 8");
    let ended = dir.arena_ends(0, &format!("{long} --until ±150"));
    assert!(ended.stderr.ends_with("--until ±150: reached\n"), "{ended}");
    let ended = dir.arena_ends(0, &format!("{command} --until separated --max-rounds 2 --name capped"));
    assert!(ended.stderr.contains(" overlap; no pairing may play more than 2 rounds (--max-rounds)\n"), "{ended}");
    assert!(margin() <= 150.0, "{}", margin());
    let rounds = dir.journal("tictactoe").rounds;
    assert!(rounds.iter().flat_map(Round::pairs).all(|pair| pair.round <= 40), "{rounds:?}");
    let mistakes = [
        "tournament --until apart",
        "tournament --until ±0",
        "tournament --until -5",
        "tournament --until nan",
        "tournament --max-rounds 5",
        "tournament --until separated --max-rounds 0",
        "tournament --rounds 10 --until separated --max-rounds 5",
    ];
    insta::assert_snapshot!(refusals(&dir, &mistakes), @"
    tournament --until apart
    error: invalid value 'apart' for '--until <separated|±N|top:K>': `apart` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5
    tournament --until ±0
    error: invalid value '±0' for '--until <separated|±N|top:K>': `±0` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5
    tournament --until -5
    error: invalid value '-5' for '--until <separated|±N|top:K>': `-5` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5
    tournament --until nan
    error: invalid value 'nan' for '--until <separated|±N|top:K>': `nan` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5
    tournament --max-rounds 5
    error: the following required arguments were not provided:
      --until <separated|±N|top:K>

    Usage: arena tournament --until <separated|±N|top:K> --max-rounds <N>
    tournament --until separated --max-rounds 0
    error: invalid value '0' for '--max-rounds <N>': expected a whole number from 1 to 1000000
    tournament --rounds 10 --until separated --max-rounds 5
    error: --max-rounds 5 is less than --rounds 10, which every pairing plays first; lower --rounds or raise --max-rounds
    ");
}
