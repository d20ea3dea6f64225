//! Tournament formats with real processes: the same tables at any concurrency and after any number of kills.

use arena::event::Round;
use arena::format::{FORMATS, Over};
use arena::journal;
use arena::results_folder::ResultsFolder;
use arena::schedule::Scheduler;
use rustix::process::Signal;

use crate::pty;
use crate::support::{Dir, LIMIT, until};

/// Formats with the flags that make them short.
const FLAGS: [(&str, &str); 5] = [
    ("round-robin", "--rounds 3"),
    ("gauntlet", "--challenger greedy --challenger late --rounds 6"),
    ("ladder", "--pairs-per-bot 8"),
    ("knockout", "--third-place --pairs 4"),
    ("swiss", "--pairs 3"),
];
/// A machine that does other things too must not make a bot lose on time.
const PATIENT: &str = "--game tictactoe --seed 3 --move-time 30s --oversubscribe --quiet";
const TABLES: [&str; 4] = ["standings.csv", "crosstable.csv", "head_to_head.csv", "rounds.csv"];
const BOTS: [&str; 5] = ["greedy", "random", "minimax", "late", "last"];

fn field() -> Dir {
    let dir = Dir::with_bots(&BOTS[..3]);
    dir.builtin("late", "random");
    dir.builtin("last", "greedy");
    dir
}

fn folder(format: &str) -> String {
    if format == "round-robin" { "tictactoe".to_owned() } else { format!("tictactoe-{format}") }
}

/// All that does not depend on time.
fn tables(dir: &Dir, format: &str) -> String {
    let read = |table: &str| std::fs::read_to_string(dir.path(format!("results/{}/{table}", folder(format))));
    let games = read("games.csv").expect("games");
    let games = games.lines().map(|game| game.rsplitn(5, ',').last().unwrap_or_default());
    let tables = TABLES.map(|table| read(table).unwrap_or_default());
    tables.into_iter().chain(games.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_format_is_tested_here() {
    assert_eq!(FLAGS.map(|(format, _)| format), *FORMATS.iter().map(|format| format.name).collect::<Vec<_>>());
}

#[test]
fn tables_are_the_same_however_the_games_were_come_by() {
    check_kills(1);
}

#[test]
#[ignore = "it takes half a minute: cargo test --test it -- --ignored twenty"]
fn tables_are_the_same_after_twenty_kills() {
    check_kills(20);
}

/// Plays every format at once, at another concurrency, and killed so many times.
fn check_kills(kills: usize) {
    for (format, flags) in FLAGS {
        let command = format!("tournament --format {format} {flags} {PATIENT} --no-check");
        let reference = field();
        reference.arena_ends(0, &format!("{command} -j 1"));
        let (expected, lines) = (tables(&reference, format), reference.journal_lines(&folder(format)));

        let other = field();
        other.arena_ends(0, &format!("{command} -j 8"));
        assert_eq!(tables(&other, format), expected, "{format} at -j 8");

        let killed = field();
        for part in 1..=kills {
            let mut running = killed.start(&format!("{command} -j 4"));
            until(LIMIT, "some games are in the journal", || {
                killed.journal_lines(&folder(format)) >= lines * part / (kills + 1) || running.has_ended()
            });
            if !running.has_ended() {
                running.signal(Signal::KILL);
            }
            running.wait(LIMIT);
        }
        killed.arena_ends(0, &format!("{command} -j 2"));
        assert_eq!(tables(&killed, format), expected, "{format} after {kills} kills");
        killed.arena_ends(0, &format!("verify {}", folder(format)));

        // Nothing is decided or played twice, and tables are made from the journal alone.
        for dir in [&reference, &killed] {
            let journal = dir.read(&format!("results/{}/games.jsonl", folder(format)));
            dir.arena_ends(0, &format!("{command} -j 3"));
            dir.arena_ends(0, &format!("standings {}", folder(format)));
            assert_eq!(dir.read(&format!("results/{}/games.jsonl", folder(format))), journal, "{format}");
            assert_eq!(tables(dir, format), expected, "{format} from its journal");
        }
    }
}

fn over(dir: &Dir, format: &str) -> Option<Over> {
    dir.journal(&folder(format)).rounds.last().expect("a decision").over
}

#[test]
fn an_end_is_a_line_of_the_journal() {
    let dir = field();
    dir.arena_ends(0, &format!("tournament --format knockout {PATIENT}"));
    assert_eq!(over(&dir, "knockout"), Some(Over::Complete));
    let ladder = |flags: &str| {
        dir.arena_ends(0, &format!("tournament --format ladder {flags} {PATIENT}"));
        over(&dir, "ladder")
    };
    assert_eq!(ladder("--pairs-per-bot 8"), Some(Over::Reached));
    assert_eq!(ladder("--until ±1 --max-games 60"), Some(Over::GamesMax));
    assert_eq!(ladder("--until ±1 --rounds 5"), Some(Over::Exhausted));
}

#[test]
fn a_decision_that_was_edited_is_found() {
    for (format, flags) in &FLAGS[2..] {
        let dir = field();
        dir.arena_ends(0, &format!("tournament --format {format} {flags} {PATIENT}"));
        dir.arena_ends(0, "verify");
        let (_, contents) =
            journal::read(&ResultsFolder::open(&dir.path(format!("results/{}", folder(format)))).expect("a folder"))
                .expect("a journal");
        let differing = |rounds: &[Round]| {
            let event = contents.event.clone().expect("a definition").into();
            Scheduler::differing_rounds(event, &contents.games, rounds).expect("a schedule")
        };
        let mut rounds = contents.rounds.clone();
        assert!(differing(&rounds).is_empty(), "{format}");
        let (_, _, a, b) = &mut rounds[0].pairs[0];
        std::mem::swap(a, b);
        assert_eq!(differing(&rounds)[..1], [1], "{format}");
    }
}

#[test]
fn a_decision_that_is_missing_is_found() {
    let dir = field();
    dir.arena_ends(0, &format!("tournament --format swiss {PATIENT}"));
    let path = dir.path("results/tictactoe-swiss/games.jsonl");
    let journal = std::fs::read_to_string(&path).expect("a journal");
    let second = "{\"type\":\"round\",\"n\":2,";
    assert!(journal.contains(second));
    let without: Vec<&str> = journal.split_inclusive('\n').filter(|line| !line.starts_with(second)).collect();
    std::fs::write(&path, without.concat()).expect("written");
    let found = dir.arena_ends(1, "verify").stdout;
    assert!(found.contains("decision 2 is missing before it"), "{found}");
}

#[test]
fn a_ladder_goes_on_with_the_games_it_has() {
    let dir = field();
    let ladder = |flags: &str| {
        dir.arena_ends(0, &format!("tournament --format ladder --name cup {flags} {PATIENT}"));
        dir.journal("cup")
    };
    let first = ladder("--pairs-per-bot 8");
    let games = |name: &str| dir.read("results/cup/games.csv").lines().filter(|game| game.contains(name)).count();
    let before = games("");
    let more = ladder("--pairs-per-bot 12");
    assert!(more.games.len() > first.games.len());
    assert_eq!(games(""), more.games.len() + 1, "all of them count");
    // A bot that comes later meets the others; none of their games is lost.
    dir.builtin("newcomer", "greedy");
    let with = ladder("--pairs-per-bot 12");
    assert!(with.games.len() > more.games.len() && games("newcomer") >= 16, "{}", games("newcomer"));
    // One that leaves takes its games along.
    std::fs::remove_file(dir.path("bots/newcomer.toml")).expect("removed");
    ladder("--pairs-per-bot 12");
    assert_eq!(games("newcomer"), 0);
    assert!(games("") >= before);
}

#[test]
fn a_format_of_rounds_leaves_no_empty_progress_bar_on_a_terminal() {
    let dir = field();
    let command = dir.command(&format!("tournament --format knockout {}", PATIENT.replace("--quiet", "")));
    let (mut child, screen) = pty::spawn(command);
    let seen = pty::read_to_end(screen);
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    assert!(seen.contains("Final: ") && seen.contains(" games  "), "{seen}");
    assert!(!seen.contains("0/0 games"), "{seen}");
}

#[test]
fn a_terminal_shows_who_leads_and_links_the_report() {
    let dir = field();
    let loud = PATIENT.replace("--quiet", "");
    let (mut child, screen) = pty::spawn(dir.command(&format!("tournament --for 2s -j 1 {loud} --name seen")));
    let seen = pty::read_to_end(screen);
    assert_eq!(child.wait().expect("a child").code(), Some(0), "{seen}");
    assert!(seen.contains("after ") && seen.contains(" Elo)") && seen.contains("s left"), "{seen}");
    let path = dir.path("results/seen/report.html").display().to_string();
    assert!(seen.contains(&format!("{path}\x1b\\results/seen/report.html\x1b]8;;\x1b\\")), "{seen}");
    let mut plain = dir.command(&format!("tournament --rounds 1 --name plain {PATIENT}"));
    plain.env("NO_COLOR", "1");
    let (mut child, screen) = pty::spawn(plain);
    let seen = pty::read_to_end(screen);
    assert!(child.wait().expect("a child").success(), "{seen}");
    assert!(seen.contains("report: results/plain/report.html") && !seen.contains("\x1b]8"), "{seen}");
    // A pipe gets neither.
    let ended = dir.arena_ends(0, &format!("tournament --for 300ms {loud} --name piped"));
    assert!(ended.stdout.contains("report: results/piped/report.html"), "{ended}");
    assert!(!(ended.stdout.clone() + &ended.stderr).contains('\x1b') && !ended.stderr.contains("after "), "{ended}");
}

#[test]
fn a_round_robin_is_evidence_for_a_ladder() {
    let dir = field();
    dir.arena_ends(0, &format!("tournament --rounds 4 --name cup {PATIENT}"));
    let games = dir.journal("cup").games.len();
    let ended =
        dir.arena_ends(0, &format!("tournament --format ladder --pairs-per-bot 16 --rounds 4 --name cup {PATIENT}"));
    assert_eq!(dir.journal("cup").games.len(), games, "each bot has 16 pairs: {ended}");
    assert!(ended.stdout.contains("Ratings have a normal prior"), "{ended}");
    assert!(dir.read("results/cup/standings.csv").lines().next().is_some_and(|head| head.ends_with(",elo_ml")));
}

#[test]
fn a_budget_stops_a_run_and_its_tables_say_so() {
    let dir = field();
    let command = "tournament --rounds 5000 --game tictactoe --seed 3 --move-time 30s --quiet -j 2";
    let ended = dir.arena_ends(0, &format!("{command} --for 300ms"));
    // How many more there would be depends on the time.
    let stopped = ended.stdout.lines().find(|line| line.starts_with("Stopped by its budget after "));
    let stopped = stopped.unwrap_or_else(|| panic!("{ended}"));
    assert!(!stopped.contains(" of ") && stopped.contains(" games; each bot has played "), "{stopped}");
    let contents = dir.journal("tictactoe");
    assert!(contents.stop.is_some());
    // The tables are those of the journal.
    let standings = dir.read("results/tictactoe/standings.csv");
    let again = dir.arena_ends(0, "standings");
    assert!(again.stdout.contains("Stopped by its budget after "), "{again}");
    assert_eq!(dir.read("results/tictactoe/standings.csv"), standings);
    let json = dir.read("results/tictactoe/tournament.json");
    assert!(json.contains("\"stopped\": \"budget\""));
    dir.arena_ends(0, "verify");
    // The next run goes on, if its time is enough for a game on this machine.
    let goes_on = |time: &str| {
        dir.arena_ends(0, &format!("{command} --for {time}"));
        dir.journal("tictactoe").games.len() > contents.games.len()
    };
    assert!(["300ms", "4s", "16s"].into_iter().any(goes_on));
}

#[test]
fn a_budget_without_a_number_of_rounds_is_used_up() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    dir.arena_ends(0, &format!("tournament {PATIENT}"));
    let fifty = dir.read("results/tictactoe/games.csv");
    let more = dir.arena_ends(0, &format!("tournament {PATIENT} --no-check --for 300ms"));
    assert!(more.stdout.contains("Stopped by its budget after "), "{more}");
    // Without a budget, what was begun is finished: whole rounds, of which the first are as they were.
    dir.arena_ends(0, &format!("tournament {PATIENT}"));
    let all = dir.read("results/tictactoe/games.csv");
    assert!(all.starts_with(&fifty), "{all}");
    let rounds = (all.lines().count() - 1) / 2;
    assert!(rounds >= 75, "{rounds}");
    let standings = dir.read("results/tictactoe/standings.csv");
    dir.arena_ends(0, "standings");
    assert_eq!(dir.read("results/tictactoe/standings.csv"), standings);

    // It ends before its time where rounds can only repeat games.
    let dir = Dir::with_bots(&["greedy", "minimax"]);
    let ended = dir.arena_ends(0, &format!("tournament {PATIENT} --opening-plies 0 --for 10h"));
    assert!(!ended.stdout.contains("Stopped by its budget"), "{ended}");
    assert_eq!(dir.read("results/tictactoe/games.csv").lines().count(), 101);
}

#[test]
fn flags_of_other_formats_are_refused() {
    let dir = field();
    let refused = |flags: &str| dir.arena_ends(1, &format!("tournament {flags} --game tictactoe")).stderr;
    let expect = |flags: &str, text: &str| assert!(refused(flags).contains(text), "{flags}: {}", refused(flags));
    expect(
        "--format gauntlet",
        "a gauntlet needs a --challenger, which meets all other bots; the bots are: greedy, last",
    );
    expect("--format gauntlet --challenger gredy", "there is no bot named `gredy` (did you mean `greedy`?)");
    expect("--third-place", "--third-place is for --format knockout; round-robin has --rounds, --until, --max-rounds");
    expect(
        "--format swiss --rounds 3",
        "--rounds is for --format round-robin or gauntlet or ladder; swiss has --pairs",
    );
    expect("--until top:3", "--until top:K is for --format ladder");
    expect("--format ladder --until ±5 --only-top", "--only-top needs --until top:K");
    expect("--format knockout --seeding nowhere.csv", "--seeding nowhere.csv");
    dir.file("others.csv", "name,elo\nghost,3\n");
    expect("--format knockout --seeding others.csv", "--seeding others.csv: it names none of the bots, which are ");
    expect("--format ladder --until top:5", "--until top:5: there are 5 bots; K is less than their number");
    expect("--format knockout --pairs 600000", "openings, at most 1000000 can be used");
    let all = BOTS.map(|bot| format!("--challenger {bot}")).join(" ");
    expect(&format!("--format gauntlet {all}"), "a gauntlet needs a bot that is no challenger");
    assert!(!dir.path("results").exists(), "nothing is written");
}

#[test]
fn a_match_is_told_and_drawn_as_it_ends() {
    let dir = field();
    let patient = PATIENT.replace(" --quiet", "");
    let ended = dir.arena_ends(0, &format!("tournament --format knockout --third-place {patient} --no-check"));
    let told = |stage: &str| ended.stderr.lines().filter(|line| line.starts_with(stage) && line.contains('–')).count();
    assert_eq!(["Quarterfinal: ", "Semifinal: ", "Third place: ", "Final: "].map(told), [1, 2, 1, 1], "{ended}");
    assert!(!ended.stderr.contains("next:"), "{ended}");
    let report = dir.read("results/tictactoe-knockout/report.html");
    assert_eq!(report.matches("<a class=\"match\" href=\"#games\"").count(), 5);
    assert!(report.contains("id=\"games\""));
    dir.arena_ends(0, "standings tictactoe-knockout --svg plots");
    let winner = "class=\"champion\"";
    assert!(dir.read("plots/bracket.svg").contains(winner) && !dir.read("plots/bracket.svg").contains("<a "));
    dir.arena_ends(0, &format!("tournament --format swiss {PATIENT} --no-check"));
    let ended = dir.arena_ends(0, "standings tictactoe-swiss --svg swiss");
    assert!(ended.stderr.contains("plot: swiss/swiss.svg\n") && !ended.stderr.contains("bracket"), "{ended}");
}

#[test]
fn bots_that_are_equal_in_everything_share_the_first_place() {
    let [two, three] = [2, 3].map(|bots| {
        let dir = Dir::new();
        (1..=bots).for_each(|bot| dir.builtin(&format!("m{bot}"), "minimax depth=1"));
        dir
    });
    let play = "--seed 2 --move-time 30s --sandbox off --no-check --oversubscribe";
    for (format, said) in [
        ("swiss", " share the first place of the Swiss: "),
        // The bot with the better seed wins.
        ("knockout", " won the knockout: "),
        ("round-robin --rounds 1", " share the first place."),
    ] {
        // Two bots of a Swiss are level after their only match; of three one has a bye.
        let dir = if format == "swiss" { &two } else { &three };
        let name = format.split(' ').next().expect("a name");
        let ended = dir.arena_ends(0, &format!("tournament --game tictactoe --format {format} --name {name} {play}"));
        let html = dir.read(&format!("results/{name}/report.html"));
        let standings = dir.read(&format!("results/{name}/standings.csv"));
        let firsts = standings.lines().filter(|line| line.starts_with("1,")).count();
        assert_eq!(firsts > 1, said.contains("share"), "{standings}");
        assert!(ended.stdout.contains(said) && html.contains(said), "{format}: {ended}");
        let others = [" is first", " won the ", " share the first place"].iter();
        let others = others.filter(|words| ended.stdout.contains(**words)).count();
        assert_eq!(others, 1, "{ended}");
    }
    three.arena_ends(0, &format!("series --game tictactoe --game mnk --rounds 1 {play}"));
    let html = three.read("results/series/report.html");
    assert!(html.contains("m1, m2, m3 share the first place with 50.0% of the points each."), "{html}");
}
