//! What happens to a tournament of each format when its bots change in the middle.

use crate::support::Dir;

const PATIENT: &str = "--game tictactoe --seed 3 --move-time 30s --quiet --no-check --name cup";
const BOTS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// No two are alike, since games of twins depend on which was there first.
const STRATEGIES: [&str; 6] =
    ["greedy", "random", "minimax", "mcts playouts=10", "minimax depth=1", "mcts playouts=15"];
/// Those whose field stays once they have begun.
const BRACKETS: [&str; 2] = ["--format knockout --pairs 4", "--format swiss --swiss-rounds 3 --pairs 4"];
/// The others.
const OPEN: [&str; 3] = [
    "--format round-robin --rounds 4",
    "--format gauntlet --challenger a --rounds 8",
    "--format ladder --pairs-per-bot 10",
];

type Change = fn(&Dir);

fn field() -> Dir {
    let dir = Dir::new();
    for (bot, strategy) in BOTS.iter().zip(STRATEGIES) {
        dir.builtin(bot, strategy);
    }
    dir
}

fn run(dir: &Dir, code: i32, flags: &str) -> String {
    let ended = dir.arena_ends(code, &format!("tournament {PATIENT} {flags}"));
    ended.stdout + &ended.stderr
}

/// A tournament that was played to its end.
fn played(flags: &str) -> Dir {
    let dir = field();
    run(&dir, 0, flags);
    dir
}

/// The same with half of its journal, as after a kill; `formats` has real ones.
fn halted(whole: &Dir) -> Dir {
    let dir = field();
    let journal = whole.read("results/cup/games.jsonl");
    let lines = journal.lines().count() / 2;
    dir.file("results/cup/games.jsonl", journal.split_inclusive('\n').take(lines).collect::<String>());
    dir
}

fn remove(dir: &Dir, bot: &str) {
    std::fs::remove_file(dir.path(format!("bots/{bot}.toml"))).expect("a bot");
}

fn tables(dir: &Dir) -> [String; 2] {
    let read = |table: &str| std::fs::read_to_string(dir.path(format!("results/cup/{table}"))).unwrap_or_default();
    [read("standings.csv"), read("rounds.csv")]
}

/// The games of a bot in the tables.
fn games(dir: &Dir, bot: &str) -> usize {
    let (column, end) = (format!(",{bot},"), format!(",{bot}\n"));
    dir.read("results/cup/games.csv").lines().filter(|line| line.contains(&column) || line.ends_with(&end)).count()
}

#[test]
fn a_bracket_seats_no_bot_that_comes_late() {
    for flags in BRACKETS {
        let whole = played(flags);
        let dir = halted(&whole);
        dir.builtin("late", "mcts playouts=20");
        let said = run(&dir, 0, flags);
        assert!(said.contains("has begun: late (--name NAME begins another)"), "{said}");
        assert_eq!(tables(&dir), tables(&whole));
    }
}

#[test]
fn a_bracket_refuses_a_bot_that_was_rebuilt() {
    for flags in BRACKETS {
        let whole = played(flags);
        let dir = halted(&whole);
        let journal = dir.journal_lines("cup");
        dir.builtin("c", "random");
        let said = run(&dir, 1, flags);
        assert!(said.contains("began: c; put back what it was, go on without it (--drop c)"), "{said}");
        assert_eq!(dir.journal_lines("cup"), journal, "nothing is written");
        dir.builtin("c", "minimax");
        run(&dir, 0, flags);
        assert_eq!(tables(&dir), tables(&whole));
    }
}

#[test]
fn a_bracket_waits_for_a_bot_that_is_gone_and_can_go_on_without_it() {
    for flags in BRACKETS {
        let whole = played(flags);
        let dir = halted(&whole);
        // The winner has games left in any case.
        let winner = tables(&whole)[0].lines().nth(1).and_then(|row| row.split(',').nth(3)).expect("a name").to_owned();
        let manifest = dir.read(&format!("bots/{winner}.toml"));
        remove(&dir, &winner);
        let said = run(&dir, 3, flags);
        assert!(said.contains(&format!("its games wait for it, --drop {winner} goes on without it")), "{said}");
        let copy = field();
        std::fs::create_dir_all(copy.path("results/cup")).expect("a folder");
        std::fs::copy(dir.path("results/cup/games.jsonl"), copy.path("results/cup/games.jsonl")).expect("a copy");
        remove(&copy, &winner);

        // Without it, at any concurrency, and it is not asked again.
        let dropped = [(&dir, "-j 1"), (&copy, "-j 3 --oversubscribe")].map(|(dir, how)| {
            let said = run(dir, 0, &format!("{flags} --drop {winner} {how}"));
            assert!(said.contains(&format!("{winner} was taken out with --drop.")), "{said}");
            let journal = dir.journal_lines("cup");
            run(dir, 0, flags);
            dir.arena_ends(0, "standings cup");
            assert_eq!(dir.journal_lines("cup"), journal);
            tables(dir)
        });
        assert_eq!(dropped[0], dropped[1]);
        assert_ne!(dropped[0], tables(&whole));
        // Its place is kept, so that coming back changes nothing.
        dir.file(&format!("bots/{winner}.toml"), manifest);
        run(&dir, 0, flags);
        assert_eq!(tables(&dir), dropped[0]);
    }
}

#[test]
fn a_bot_that_is_taken_out_between_rounds_is_not_paired_again() {
    let dir = played("--format swiss --swiss-rounds 1");
    // What is not given stays as it was.
    run(&dir, 0, "--format swiss --drop f");
    let rounds = || dir.read("results/cup/rounds.csv");
    assert_eq!(rounds().lines().count(), 1 + 3, "one round");
    run(&dir, 0, "--format swiss --swiss-rounds 3");
    let rounds: Vec<String> = rounds().lines().skip(4).map(str::to_owned).collect();
    assert_eq!(rounds.len(), 2 * 3, "{rounds:?}");
    assert_eq!(rounds.iter().filter(|row| row.contains(",bye,")).count(), 2, "one of five in each round: {rounds:?}");
    assert!(rounds.iter().all(|row| !row.split(',').any(|cell| cell == "f")), "{rounds:?}");
    assert!(dir.arena_ends(0, "verify cup").stdout.contains(" follow the rules; none of the "));
    let before = tables(&dir);
    dir.arena_ends(0, "standings cup");
    assert_eq!(tables(&dir), before);
}

#[test]
fn a_bot_that_comes_back_finds_its_bracket() {
    for flags in BRACKETS {
        let whole = played(flags);
        let dir = halted(&whole);
        let manifest = dir.read("bots/a.toml");
        remove(&dir, "a");
        dir.arena(&format!("tournament {PATIENT} {flags}"));
        dir.file("bots/a.toml", manifest);
        run(&dir, 0, flags);
        assert_eq!(tables(&dir), tables(&whole));
    }
}

#[test]
fn a_bracket_that_has_begun_stays_the_same_tournament() {
    let [knockout, swiss] = BRACKETS.map(|flags| halted(&played(flags)));
    let refused = |dir: &Dir, flags: &str, what: &str| {
        let said = run(dir, 1, flags);
        assert!(said.contains(&format!("has begun, with another {what}; use the same, --name NAME")), "{said}");
    };
    refused(&knockout, "--format knockout --pairs 5", "--pairs");
    refused(&knockout, "--format knockout --pairs 4 --third-place", "--third-place");
    let is_other = |dir: &Dir, flags: &str, what: &str| {
        let said = run(dir, 1, flags);
        assert!(said.contains(&format!("has another contest: {what}; give what it has")), "{said}");
    };
    is_other(&knockout, "--format knockout --pairs 4 --max-plies 7", "no --max-plies instead of --max-plies 7");
    is_other(&knockout, "--format swiss", "--format knockout instead of --format swiss");
    is_other(&knockout, "--rounds 3 --format round-robin", "--format knockout instead of --format round-robin");
    is_other(&swiss, "--format swiss --pairs 4 --opening-plies 2", "other openings instead of --opening-plies 2");
    let said = run(&swiss, 1, "--drop g");
    assert!(said.contains("--drop: no bot named `g`"), "{said}");
    let said = run(&field(), 1, "--format swiss --drop a");
    assert!(said.contains("--drop a is for a knockout or Swiss that has begun"), "{said}");
    run(&knockout, 0, &format!("{} --fresh --third-place", BRACKETS[0]));
}

#[test]
fn a_swiss_can_have_more_rounds_and_not_fewer_than_decided() {
    let (short, long) = (field(), field());
    run(&short, 0, "--format swiss --swiss-rounds 2");
    let two = tables(&short)[1].clone();
    run(&short, 0, "--format swiss --swiss-rounds 3");
    run(&long, 0, "--format swiss --swiss-rounds 3");
    assert_eq!(tables(&short), tables(&long));
    assert!(tables(&short)[1].starts_with(&two), "round by round");
    assert!(run(&short, 1, "--swiss-rounds 2").contains("--swiss-rounds 2: 3 rounds of results/cup are decided"));
    run(&short, 0, "");
    assert_eq!(tables(&short), tables(&long));
    let said = run(&field(), 1, "--format swiss --swiss-rounds 6");
    assert!(said.contains("--swiss-rounds 6: in fewer rounds each of 6 bots has met all others"), "{said}");
}

#[test]
fn other_formats_take_the_field_as_it_is() {
    for flags in OPEN {
        let is_ladder = flags.contains("ladder");
        let before = played(flags);
        // Changes, and the bots that then are there.
        let changes: [(&str, Change); 3] = [
            ("added", |dir| dir.builtin("late", "mcts playouts=20")),
            ("rebuilt", |dir| dir.builtin("c", "mcts playouts=30")),
            ("removed", |dir| remove(dir, "c")),
        ];
        for (what, change) in changes {
            let (dir, other) = (halted(&before), field());
            let known = dir.journal("cup").games.len();
            change(&dir);
            change(&other);
            // The pairs of a ladder depend on the games before; those of the others do not.
            if is_ladder {
                std::fs::create_dir_all(other.path("results/cup")).expect("a folder");
                std::fs::copy(dir.path("results/cup/games.jsonl"), other.path("results/cup/games.jsonl"))
                    .expect("a copy");
            }
            run(&dir, 0, &format!("{flags} -j 1"));
            run(&other, 0, &format!("{flags} -j 3 --oversubscribe"));
            assert_eq!(tables(&dir), tables(&other), "{flags}, {what}");
            assert!(dir.journal("cup").games.len() >= known);
            for bot in BOTS.iter().chain(&["late"]) {
                let is_there = dir.path(format!("bots/{bot}.toml")).exists();
                // A ladder has eight pairs of each bot at least.
                assert_eq!(games(&dir, bot) >= 16, is_there, "{flags}, {what}: {bot}");
            }
        }
    }
}

#[test]
fn a_newcomer_plays_its_most_telling_games_first() {
    for flags in ["--rounds 12", "--format gauntlet --challenger a --challenger b --challenger c --rounds 24"] {
        let (dir, whole) = (field(), field());
        run(&dir, 0, flags);
        dir.builtin("late", "mcts playouts=20");
        whole.builtin("late", "mcts playouts=20");
        let said = run(&dir, 0, &format!("{flags} -j 1"));
        assert!(said.contains("late is new: its most telling games come first"), "{said}");
        run(&whole, 0, flags);
        assert_eq!(tables(&dir), tables(&whole));
        dir.arena_ends(0, "verify cup");
        // Not in the order of the schedule.
        let games = dir.journal("cup").games;
        let late = games.iter().filter(|game| game.bots.iter().any(|bot| bot.name == "late"));
        let openings: Vec<_> = late.map(|game| &game.opening).collect();
        let scheduled = whole.journal("cup").games;
        let scheduled = scheduled.iter().filter(|game| game.bots.iter().any(|bot| bot.name == "late"));
        assert_ne!(openings, scheduled.map(|game| &game.opening).collect::<Vec<_>>());
    }
}

#[test]
fn a_bot_that_does_not_start_is_withdrawn_in_every_format() {
    for flags in BRACKETS.iter().chain(&OPEN) {
        let [one, eight] = ["-j 1", "-j 3 --oversubscribe"].map(|how| {
            let dir = field();
            remove(&dir, "c");
            dir.script("bots/c", "exit 1");
            let said = run(&dir, 2, &format!("{flags} {how}"));
            assert!(said.contains("c was withdrawn after 3 failed starts in a row"), "{flags}: {said}");
            tables(&dir)
        });
        assert_eq!(one, eight, "{flags}");
    }
}
