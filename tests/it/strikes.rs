//! Bots that cannot start, as real processes: they are withdrawn after three consecutive failed starts, without effect on
//! other bots' games.

use std::collections::BTreeMap;
use std::fs;

use arena::record::{GameResult, Record, Status};
use rustix::process::Signal;

use crate::support::{Dir, LIMIT, until};

const HONEST: [&str; 3] = ["random", "greedy", "minimax depth=2 nodes=100000"];
const PLAY: &str = "tournament --game tictactoe --rounds 3 --move-time 30s --oversubscribe --sandbox off --no-check";
const JOURNAL: &str = "results/tictactoe/games.jsonl";
/// Each start leaves a line beside the bots.
const DEAD: &str = "echo x >>../starts; echo 'no licence' >&2; exit 7";

/// The honest bots, and one that cannot start and whose name puts it first.
fn field() -> Dir {
    let dir = Dir::with_bots(&HONEST);
    dir.script("bots/dead", DEAD);
    dir
}

fn starts(dir: &Dir) -> usize {
    fs::read_to_string(dir.path("starts")).unwrap_or_default().lines().count()
}

fn games(dir: &Dir) -> Vec<Record> {
    dir.journal("tictactoe").games
}

/// The results of the games of `bot`, in the order of the journal.
fn statuses(dir: &Dir, bot: &str) -> Vec<Status> {
    let of = |game: &Record| game.bots.iter().position(|own| own.name == bot).map(|seat| game.statuses[seat]);
    games(dir).iter().filter_map(of).collect()
}

/// The rows of `games.csv` that name `bot`.
fn rows_of(dir: &Dir, bot: &str) -> Vec<String> {
    let csv = dir.read("results/tictactoe/games.csv");
    csv.lines().filter(|row| row.contains(&format!(",{bot},"))).map(str::to_owned).collect()
}

/// Games without measurements, by id.
fn timeless(games: Vec<Record>) -> BTreeMap<String, String> {
    let told = |game: Record| {
        let bots = game.bots.map(|bot| bot.name);
        let told = format!(
            "{bots:?} {:?} {} {} {:?} {:?}",
            game.moves, game.result, game.reason, game.statuses, game.evidence
        );
        (game.id, told)
    };
    games.into_iter().map(told).collect()
}

/// Every table, and every game without its times.
fn results(dir: &Dir) -> String {
    let games = dir.read("results/tictactoe/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    let tables = ["standings", "crosstable", "head_to_head"].map(|it| dir.read(&format!("results/tictactoe/{it}.csv")));
    format!("{}\n{}", games.join("\n"), tables.join("\n"))
}

#[test]
fn three_failed_starts_in_a_row_withdraw_a_bot() {
    let pure = Dir::with_bots(&HONEST);
    pure.arena_ends(0, &format!("{PLAY} -j 1"));
    let honest = timeless(games(&pure));

    let dir = field();
    let ended = dir.arena_ends(2, &format!("{PLAY} -j 1"));
    insta::assert_snapshot!(ended, @"
    exit 2
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name         1      2      3      4
    1  greedy       *  0-6-0  5-1-0  6-0-0
    2  minimax  0-6-0      *  5-1-0  6-0-0
    3  random   0-1-5  0-1-5      *  6-0-0
    4  dead     0-0-6  0-0-6  0-0-6      *

    tictactoe round-robin · 4 bots · 36 games · [when]
    dead: 3 startup_failed; game 0de14fa4: no licence; it exited with status 7 before it said hello
    Cause: arena explain startup_failed
    Game: arena replay 0de14fa4 --name results/tictactoe
    To reproduce: (cd bots && ./dead) < results/tictactoe/bots/dead.faults/[hash].jsonl
    Log: results/tictactoe/bots/dead.log
    WITHDRAWN: dead was withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello. Not played, and not rated: 15 games. Fix it and run again to replay its games; if the machine or its limits caused this, start over with --fresh
    greedy (+137.6 ± 119.9), minimax (+136.0 ± 120.9) share the first place.
    Next: random (-273.6 ± 188.5).
    The games do not show whether greedy is stronger than minimax (+1.7 ± 149.8 Elo, LOS 50.9%); no practical number of games would settle it.
    A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.
    3 more remarks are in results/tictactoe/report.html.
    Worth seeing: b40363a2 (greedy against minimax, the longest: 9 plies).

    report: results/tictactoe/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name         Elo   ±95%  Games   W-D-L  Points  Score    LOS  First  Second  Faults
     1–3  greedy    +137.6  119.9     18  11-7-0    14.5  80.6%  50.9%  83.3%   77.8%       0
     1–3  minimax   +136.0  120.9     18  11-7-0    14.5  80.6%  99.7%  83.3%   77.8%       0
     3–4  random    -273.6  188.5     18  6-2-10     7.0  38.9%  85.8%  44.4%   33.3%       0
     1–4  dead     <+184.1            18  0-0-18     0.0   0.0%          0.0%    0.0%      18
    --- stderr
    tictactoe: 4 bots, 3 rounds, 36 games, 30000 ms a move, seed 1
    playing 1 at a time
    estimate for 36 games: 2 hours at most
    dead is withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello; its further games are not played
    ");
    assert_eq!(starts(&dir), 3, "it is not started any more");
    assert_eq!(statuses(&dir, "dead"), [Status::StartupFailed; 3], "games that are not played are not recorded");
    let rows = rows_of(&dir, "dead");
    assert_eq!(rows.len(), 18);
    assert!(rows[..3].iter().all(|row| row.contains(",startup_failed,")), "{rows:?}");
    for row in &rows[3..] {
        let tells = ["0-1,", "1-0,"].map(|result| row.contains(&format!(",{result}")));
        let seats = [",withdrawn,withdrawn,ok,1,", ",withdrawn,ok,withdrawn,1,"].map(|cells| row.contains(cells));
        assert!(tells == seats && tells[0] != tells[1], "{row}");
    }
    dir.arena_ends(0, "verify");

    // The others' games are the same as without it, one at a time or four.
    let several = field();
    several.arena_ends(2, &format!("{PLAY} -j 4"));
    several.arena_ends(0, "verify");
    for dir in [&dir, &several] {
        let mut among = timeless(self::games(dir));
        among.retain(|_, told| !told.contains("\"dead\""));
        assert_eq!(among, honest);
        assert_eq!(results(dir), results(&several));
    }
    assert!((3..=6).contains(&starts(&several)), "{}: others may be on their way", starts(&several));

    // Another run starts, plays and writes nothing, and prints the same.
    let (before, tables) = (dir.read(JOURNAL), results(&dir));
    let again = dir.arena_ends(2, &format!("{PLAY} -j 1"));
    assert_eq!(again.stdout, ended.stdout);
    assert!(again.stderr.contains("nothing new to play"), "{again}");
    assert_eq!((dir.read(JOURNAL), results(&dir), starts(&dir)), (before, tables.clone(), 3));
    assert_eq!(dir.arena_ends(0, "standings").stdout.matches("WITHDRAWN: dead was ").count(), 1);
    assert_eq!(results(&dir), tables);

    // With more rounds it is still withdrawn, without a check.
    let more = format!("{PLAY} -j 1").replace("--rounds 3", "--rounds 4");
    dir.arena_ends(2, &more.replace(" --no-check", ""));
    assert_eq!((starts(&dir), rows_of(&dir, "dead").len()), (3, 24));
    // In a larger field a game that it has not played comes before its third failed start.
    dir.builtin("new", "minimax depth=1 nodes=100000");
    dir.arena_ends(2, &more);
    assert_eq!((starts(&dir), rows_of(&dir, "dead").len()), (4, 32));
    // After the machine is repaired, `--fresh` starts over.
    dir.arena_ends(2, &format!("{PLAY} --fresh -j 1"));
    assert_eq!(starts(&dir), 7);

    // A repaired bot is another bot.
    dir.script_bot("dead", "random");
    dir.arena_ends(0, &PLAY.replace(" --no-check", ""));
    assert_eq!(statuses(&dir, "dead").iter().filter(|status| **status == Status::Ok).count(), 24);
}

#[test]
fn what_is_not_played_counts_as_points_and_not_for_ratings() {
    let dir = field();
    dir.arena_ends(2, &format!("{PLAY} --quiet"));
    let csv = dir.read("results/tictactoe/games.csv");
    let rated: Vec<&str> = csv.lines().filter(|line| !line.contains(",withdrawn,")).collect();
    assert!(rated.len() < csv.lines().count());
    dir.file("all.csv", &csv);
    dir.file("rated.csv", rated.join("\n") + "\n");
    dir.arena_ends(0, "standings all.csv --rank-by elo");
    dir.arena_ends(0, "standings rated.csv --rank-by elo");
    // By name: the columns of `wanted`, of every bot or pairing.
    let columns = |file: &str, wanted: &[&str]| -> BTreeMap<String, Vec<String>> {
        let text = dir.read(file);
        let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
        let rows = text.lines().skip(1).map(|line| {
            let cells: BTreeMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
            let name = if cells.contains_key("name") { "name" } else { "a" };
            let key = format!("{} {}", cells[name], cells.get("b").unwrap_or(&""));
            (key, wanted.iter().map(|column| cells[column].to_owned()).collect())
        });
        rows.collect()
    };
    let both = |file: &str, wanted: &[&str]| {
        (columns(&format!("all.standings/{file}"), wanted), columns(&format!("rated.standings/{file}"), wanted))
    };
    let (all, rated) = both("standings.csv", &["elo", "elo_lo", "elo_hi", "los", "group"]);
    assert_eq!(all, rated);
    let pairs = ["elo_diff", "elo_lo", "elo_hi", "los", "los_overall", "expected", "residual_z", "LL", "DD_WL", "WW"];
    let (all, rated) = both("head_to_head.csv", &pairs);
    assert!(rated.iter().all(|(key, row)| all[key] == *row), "{all:?}\n{rated:?}");
    assert_eq!(all.len(), 6, "who met only on paper is in the table too");
    let (all, _) = both("standings.csv", &["games", "losses", "forfeits", "points"]);
    assert_eq!(all["dead "], ["18", "18", "18", "0"].map(|cell| if cell == "0" { "0.0" } else { cell }));
    assert!(all.values().all(|row| row[0] == "18"), "{all:?}");

    // A tournament's own games reproduce its tables, and its summary knows which games were rated.
    let json = |file: &str| -> serde_json::Value { serde_json::from_str(&dir.read(file)).expect("JSON") };
    let [own, other] = [json("results/tictactoe/tournament.json"), json("all.standings/summary.json")];
    for key in ["games", "rated_games", "draw_rate", "repeated_games", "first_seat", "transitivity"] {
        assert_eq!(own["summary"][key], other[key], "{key}");
    }
    let rated = json("rated.standings/summary.json");
    for key in ["rated_games", "draw_rate", "repeated_games", "first_seat", "transitivity"] {
        assert_eq!(rated[key], other[key], "{key}");
    }
    assert_eq!((&other["games"], &rated["games"]), (&36.into(), &rated["rated_games"]));
    let own: Vec<&str> = own["warnings"].as_array().expect("warnings").iter().filter_map(|it| it.as_str()).collect();
    assert_eq!(own.iter().filter(|warning| warning.starts_with("WITHDRAWN: dead was ")).count(), 1, "{own:?}");
    dir.arena_ends(0, "standings all.csv");
    for table in ["standings", "crosstable", "head_to_head"] {
        assert_eq!(
            dir.read(&format!("all.standings/{table}.csv")),
            dir.read(&format!("results/tictactoe/{table}.csv")),
            "{table}"
        );
    }
}

#[test]
fn a_bot_withdrawn_before_a_kill_is_withdrawn_after_it() {
    let dir = field();
    // Long games, so that the kill comes in the middle of one.
    dir.builtin("mcts", "mcts playouts=20000");
    let play = format!("{PLAY} --quiet -j 2");
    let running = dir.start(&play);
    until(LIMIT, "it is withdrawn", || running.stderr().contains("dead is withdrawn"));
    running.signal(Signal::KILL);
    running.wait(LIMIT);
    until(LIMIT, "every bot has left", || dir.processes().is_empty());
    let before = starts(&dir);
    dir.arena_ends(2, &play);
    assert_eq!(starts(&dir), before);
    assert_eq!(dir.read("results/tictactoe/games.csv").lines().count(), 1 + 5 * 4 / 2 * 2 * 3);
    dir.arena_ends(0, "verify");
}

#[test]
fn a_game_that_neither_bot_could_start_is_missing_and_tried_again() {
    let dir = Dir::new();
    dir.script("bots/dead", DEAD);
    dir.script("bots/dumb", &format!("# not the same file\n{DEAD}"));
    // Neither starts in three games, and both are withdrawn from the other three; each run tries the three again.
    for run in 1..3 {
        let ended = dir.arena_ends(3, &format!("{PLAY} -j 1"));
        assert!(
            ended.stdout.contains("3 of 6 games missing, since neither bot could start: repair the bots"),
            "{ended}"
        );
        assert!(!ended.stdout.contains("void") && ended.stderr.contains("resume with"), "{ended}");
        assert!(!ended.stderr.contains("already played"), "{ended}");
        let games = games(&dir);
        assert_eq!((games.len(), starts(&dir)), (3 * run, 6 * run), "run {run}");
        let csv = dir.read("results/tictactoe/games.csv");
        assert_eq!(csv.matches(",void,,neither bot could start,startup_failed,startup_failed,1,").count(), 3, "{csv}");
        assert_eq!(csv.matches(",void,,withdrawn,withdrawn,withdrawn,1,").count(), 3, "{csv}");
    }
    let json: serde_json::Value = serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON");
    assert_eq!(
        json["counts"],
        serde_json::json!({ "scheduled": 6, "played": 0, "void": 0, "withdrawn": 3, "missing": 3, "unstartable": 3 })
    );
    dir.arena_ends(0, "standings");
    assert!(dir.arena_ends(0, "verify").stdout.contains("3 of the 6 scheduled are missing"));
}

#[test]
fn formats_that_decide_by_results_go_on_without_bots_that_cannot_start() {
    for (format, pairs) in [("swiss", 1), ("swiss", 2), ("knockout", 1), ("ladder --pairs-per-bot 4", 0)] {
        let dir = Dir::with_bots(&HONEST);
        for name in ["dead", "dumb", "mute"] {
            dir.script(&format!("bots/{name}"), &format!("# {name}\n{DEAD}"));
        }
        let pairs = if pairs > 0 { format!(" --pairs {pairs}") } else { String::new() };
        let play = format!("{} --format {format}{pairs} --seed 3 --name cup", PLAY.replace(" --rounds 3", ""));
        let ended = dir.arena_ends(2, &format!("{play} -j 2"));
        assert!(!ended.stdout.contains("missing") && !ended.stderr.contains("resume with"), "{format}: {ended}");
        let counts: serde_json::Value = serde_json::from_str(&dir.read("results/cup/tournament.json")).expect("JSON");
        let counts = &counts["counts"];
        assert_eq!((&counts["missing"], &counts["open"]), (&0.into(), &serde_json::Value::Null), "{format}: {counts}");
        let tables = ["standings", "games", "rounds"].map(|table| dir.read(&format!("results/cup/{table}.csv")));
        let played = dir.journal("cup").games;
        let honest =
            |game: &&Record| game.bots.iter().all(|bot| !["dead", "dumb", "mute"].contains(&bot.name.as_str()));
        assert!(played.iter().any(|game| honest(&game)), "{format}: the others play on");
        // Another run plays nothing, and the journal is in order.
        let before = starts(&dir);
        dir.arena_ends(2, &format!("{play} -j 4"));
        assert_eq!(starts(&dir), before, "{format}");
        assert_eq!(tables, ["standings", "games", "rounds"].map(|table| dir.read(&format!("results/cup/{table}.csv"))));
        dir.arena_ends(0, "verify");
    }
}

#[test]
fn bots_that_cannot_start_have_the_same_counts_at_any_concurrency() {
    let dir = Dir::new();
    dir.script("bots/dead", DEAD);
    dir.script("bots/dumb", &format!("# not the same file\n{DEAD}"));
    // Four begin at once, and after three of them both bots are withdrawn from the fourth.
    for play in ["match dead dumb --rounds 3 --game tictactoe --sandbox off --no-check --oversubscribe", PLAY] {
        let ended = dir.arena_ends(3, &format!("{play} -j 4"));
        assert!(ended.stdout.contains("3 of 6 games missing, since neither bot could start"), "{ended}");
    }
    for name in ["tictactoe", "tictactoe-dead-vs-dumb"] {
        let json = dir.read(&format!("results/{name}/tournament.json"));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let counts = serde_json::json!(
            { "scheduled": 6, "played": 0, "void": 0, "withdrawn": 3, "missing": 3, "unstartable": 3 }
        );
        assert_eq!(json["counts"], counts, "{name}");
    }
    dir.arena_ends(0, "verify");
}

#[test]
fn a_bot_that_starts_later_wins_the_games_that_neither_could_start() {
    let dir = Dir::new();
    dir.script("bots/dead", DEAD);
    // Its first three starts fail, the last of them in a game that the other bot cannot start either.
    let arena = crate::support::arena();
    dir.script(
        "bots/late",
        &format!("echo x >>../late; [ $(wc -l <../late) -gt 3 ] || exit 1; exec {arena} bot random"),
    );
    dir.builtin("random", "random");
    let counts =
        || -> serde_json::Value { serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON") };
    let play = format!("{PLAY} -j 1").replace("--rounds 3", "--rounds 1");
    dir.arena_ends(3, &play);
    let missing = counts()["counts"]["unstartable"].clone();
    assert_eq!((counts()["counts"]["missing"].clone(), missing), (1.into(), 1.into()));
    dir.arena_ends(2, &play);
    let tables = results(&dir);
    assert_eq!((&counts()["counts"]["played"], &counts()["counts"]["missing"]), (&6.into(), &0.into()));
    let journal = dir.read(JOURNAL);
    dir.arena_ends(2, &play);
    assert_eq!((results(&dir), dir.read(JOURNAL)), (tables, journal), "another run has nothing to add");
    dir.arena_ends(0, "verify");
}

#[test]
fn a_match_ends_without_a_verdict() {
    const NAME: &str = "tictactoe-dead-vs-random";
    let dir = field();
    let play = "match dead random --game tictactoe --move-time 30s --sandbox off --no-check -j 1";
    insta::assert_snapshot!(dir.arena_ends(2, &format!("{play} --rounds 4")), @"
    exit 2
    --- stdout
    dead: 3 startup_failed; game 0de14fa4: no licence; it exited with status 7 before it said hello
    Cause: arena explain startup_failed
    Game: arena replay 0de14fa4 --name results/tictactoe-dead-vs-random
    To reproduce: (cd bots && ./dead) < results/tictactoe-dead-vs-random/bots/dead.faults/[hash].jsonl
    Log: results/tictactoe-dead-vs-random/bots/dead.log
    WITHDRAWN: dead was withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello. Not played, and not rated: 5 games. Fix it and run again to replay its games; if the machine or its limits caused this, start over with --fresh
    A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.
    5 games that withdrawn bots lost without playing count for points, but not for ratings.
    All ratings and margins apply to these openings only: 2 were played, too few to generalise.
    The first seat scored 33.3 % of 3 games (-69.5 ± 527.7 Elo in these openings).

    report: results/tictactoe-dead-vs-random/report.html  tables: *.csv

    Score of dead vs random: +0 =0 -8  [0.000] 8
    Elo   below +192.6, LOS 10.6 %
    Pairs LL 1, LD 0, DD 0, WL 0, WD 0, WW 0, pair ratio 0.00
    No verdict: dead withdrawn. Elo and pairs cover the games played.
    --- stderr
    dead against random: tictactoe, 30000 ms a move, seed 1
    8 games
    estimate for 8 games: 30 minutes at most
    dead is withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello; its further games are not played
    ");
    assert_eq!((starts(&dir), dir.journal(NAME).games.len()), (3, 3));
    dir.arena_ends(0, "verify");

    // The test cannot decide then: started rounds are completed without being played, and the others do not count.
    for run in 0..2 {
        let ended = dir.arena_ends(2, &format!("{play} --sprt elo0=0,elo1=5 --rounds 500 --name test"));
        if run == 0 {
            insta::assert_snapshot!(ended, @"
            exit 2
            --- stdout
            dead: 3 startup_failed; game 0de14fa4: no licence; it exited with status 7 before it said hello
            Cause: arena explain startup_failed
            Game: arena replay 0de14fa4 --name results/test
            To reproduce: (cd bots && ./dead) < results/test/bots/dead.faults/[hash].jsonl
            Log: results/test/bots/dead.log
            WITHDRAWN: dead was withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello. Not played, and not rated: 1 game. Fix it and run again to replay its games; if the machine or its limits caused this, start over with --fresh
            A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.
            1 game that withdrawn bots lost without playing counts for points, but not for ratings.
            All ratings and margins apply to these openings only: 2 were played, too few to generalise.
            The first seat scored 33.3 % of 3 games (-69.5 ± 527.7 Elo in these openings).

            report: results/test/report.html  tables: *.csv

            Score of dead vs random: +0 =0 -4  [0.000] 4
            Elo   below +192.6, LOS 10.6 %
            Pairs LL 1, LD 0, DD 0, WL 0, WD 0, WW 0, pair ratio 0.00
            SPRT  LLR -0.02 (-2.94, 2.94), no verdict
            No verdict: dead withdrawn. Elo and pairs cover the games played.
            --- stderr
            openings after the first 171 are lost for a side within 8 plies: no others of tictactoe were found
            dead against random: tictactoe, 30000 ms a move, seed 1
            expected: 25,593 games if elo0 is true, 25,598 if elo1 is, 41,868 in between; at most 1,000 games
            dead is withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello; its further games are not played
            ");
        } else {
            assert!(ended.stderr.contains("nothing new to play: a bot was withdrawn"), "{ended}");
        }
        assert_eq!((starts(&dir), dir.journal("test").games.len()), (6, 3), "run {run}");
    }
    let ended = dir.arena_ends(2, &format!("{play} --sprt elo0=0,elo1=5 --rounds 500 --name test --json"));
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["withdrawn"], &json["games"]), (&serde_json::json!(["dead"]), &4.into()));
    assert_eq!(json["sprt"]["verdict"], "withdrawn");
    let again = dir.arena_ends(0, "standings test").stdout;
    assert_eq!(again.matches("WITHDRAWN: dead was ").count(), 1);
    assert!(again.contains("(-2.94, 2.94), withdrawn."), "{again}");

    // Several at a time, and from the other side.
    let play = "match random dead --game tictactoe --move-time 30s --sandbox off --no-check -j 4 --oversubscribe";
    let ended = dir.arena_ends(2, &format!("{play} --sprt --rounds 500 --name many"));
    assert!(ended.stdout.contains("No verdict: dead withdrawn."), "{ended}");
    // The tables are the same whichever games were running when it was withdrawn.
    let games = dir.journal("many").games.len();
    assert!((3..=3 + 4).contains(&games), "{games}");
    assert!(ended.stdout.contains("Score of random vs dead: +4 =0 -0  [1.000] 4\n"), "{ended}");
    assert!(ended.stdout.contains("dead: 3 startup_failed"), "{ended}");
    assert_eq!(dir.read("results/many/games.csv").lines().count(), 1 + 4);
    assert!(ended.stderr.contains("; its further games are not played\n"), "{ended}");
    dir.arena_ends(0, "standings many");
    dir.arena_ends(0, "verify many");

    // Two that cannot start.
    dir.script("bots/dumb", &format!("# not the same file\n{DEAD}"));
    let ended =
        dir.arena_ends(3, &play.replace("random", "dumb").replace("--game", "--sprt --rounds 500 --name none --game"));
    assert!(ended.stdout.contains("No verdict: dumb and dead withdrawn."), "{ended}");
}

#[test]
fn withdrawn_bots_play_no_further_rounds() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    dir.script("bots/dead", DEAD);
    let ended = dir.arena_ends(2, &format!("{PLAY} --until ±1 --max-rounds 30 -j 1").replace("rounds 3 ", "rounds 2 "));
    assert_eq!(rows_of(&dir, "dead").len(), 8, "{ended}");
    assert!(ended.stderr.contains("more rounds: "), "{ended}");
    assert_eq!(ended.stderr.matches("dead is withdrawn").count(), 1, "{ended}");
    assert_eq!(starts(&dir), 3);
}

/// Withdrawals are derived, so that no record can forge one.
#[test]
fn a_recorded_withdrawal_is_a_problem() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, &format!("{PLAY} --quiet"));
    let mut forged = 0;
    dir.edit_games("tictactoe", |_, game| {
        if forged == 0 {
            game.statuses = [Status::Withdrawn, Status::Ok];
            game.moves.clone_from(&game.opening);
            game.played.clear();
            (game.result, game.reason) = (GameResult::SecondWins, Status::Withdrawn.name().to_owned());
            forged += 1;
        }
    });
    let ended = dir.arena_ends(1, "verify");
    let says = "its first bot is withdrawn, but such games are derived and never recorded";
    assert!(ended.stdout.contains(says) && ended.stdout.contains(", 1 problem; "), "{ended}");
}
