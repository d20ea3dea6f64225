//! Tournaments by a book of openings: a file with many more lines than are played.

use std::fmt::Write as _;

use arena::rules::Move;

use crate::support::Dir;

const LINES: usize = 20_000;

/// A book whose lines are all different, and two bots.
fn dir() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("book.txt", book(LINES));
    dir
}

fn book(lines: usize) -> String {
    (0..lines).fold(String::new(), |mut text, line| {
        let digits: Vec<String> = (0..6).map(|place| (line / 7_usize.pow(place) % 7).to_string()).collect();
        writeln!(text, "[{}]", digits.join(",")).expect("text");
        text
    })
}

const PLAY: &str = "tournament --openings book.txt --name cup --seed 4 --move-time 30s --sandbox off --no-check -q";

#[test]
fn a_book_without_line_ends_is_refused_before_it_is_read_whole() {
    let dir = dir();
    dir.file("book.txt", "[0,1]\n[1,2]\n".to_owned() + &"1,".repeat(9 << 20));
    let refused = dir.arena_ends(1, PLAY).stderr;
    assert!(refused.contains("openings book.txt, line 3: it has more than 16777216 bytes"), "{refused}");
}

fn size(dir: &Dir, file: &str) -> usize {
    dir.read(&format!("results/cup/{file}")).len()
}

/// The lines of the book that the journal has.
fn openings(dir: &Dir) -> Vec<String> {
    let journal = dir.read("results/cup/games.jsonl");
    let lines = journal.lines().filter(|line| !line.starts_with("{\"type\":\"game\""));
    let openings = lines.filter_map(|line| Some(line.split_once("\"openings\":[[")?.1.split_once("]]")?.0.to_owned()));
    openings.flat_map(|list| list.split("],[").map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn a_journal_has_the_openings_that_are_played_once_and_no_others() {
    for (format, rounds) in [("", "--rounds"), (" --format swiss", "--pairs"), (" --format knockout", "--pairs")] {
        let dir = dir();
        let play = |more: &str| dir.arena_ends(0, &format!("{PLAY}{format} {more}"));
        play(&format!("{rounds} 2"));
        let first = openings(&dir);
        let needed = dir.journal("cup").event.expect("a definition").openings_needed().expect("a format");
        assert_eq!((first.len(), first[1].as_str()), (needed, "1,0,0,0,0,0"), "{format}");
        // A changed bot, and in other formats than brackets more rounds, bring nothing twice.
        if format.is_empty() {
            play("--rounds 5");
            dir.builtin("greedy", "minimax depth=1");
            dir.builtin("more", "random");
            play("--rounds 5");
        }
        let expected = if format.is_empty() { 5 } else { needed };
        let all = openings(&dir);
        let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (expected, expected), "{format}: {all:?}");
        assert!(size(&dir, "tournament.json") < 20_000 && size(&dir, "games.jsonl") < 200_000, "{format}");
        let event = dir.journal("cup").event.expect("a definition");
        assert_eq!(event.book.expect("a book").lines, LINES as u64, "{format}");
        assert_eq!(event.openings[1], [1, 0, 0, 0, 0, 0].map(Move::Int));
        dir.arena_ends(0, "verify");
        dir.arena_ends(0, "standings cup");
    }
}

#[test]
fn a_book_may_change_where_no_game_begins() {
    let dir = dir();
    let play = |rounds: u32| dir.arena_ends(0, &format!("{PLAY} --rounds {rounds}"));
    play(3);
    let played = |dir: &Dir| dir.journal("cup").games.len();
    // A line far behind is another book, and no other game.
    dir.file("book.txt", book(LINES - 1));
    play(3);
    let lines = dir.journal("cup").event.and_then(|event| event.book).map(|book| book.lines);
    assert_eq!((played(&dir), lines), (6, Some(LINES as u64 - 1)));
    dir.file("book.txt", format!("[3,3]\n{}", book(LINES)));
    // The games that were played would leave the tables.
    let refused = dir.arena_ends(1, &format!("{PLAY} --rounds 3")).stderr;
    assert!(refused.contains("other openings instead of --openings book.txt"), "{refused}");
    // Notes and spaces are no part of it.
    let before = size(&dir, "games.jsonl");
    dir.file("book.txt", format!("# the same\n\n{}", book(LINES - 1)));
    play(3);
    assert_eq!((size(&dir, "games.jsonl"), played(&dir)), (before, 6));
    // Without the file it goes on with the openings that it has, and says if it needs more.
    let without = PLAY.replace("--openings book.txt ", "");
    assert_ne!(without, PLAY);
    dir.arena_ends(0, &format!("{without} --rounds 3"));
    let more = dir.arena_ends(1, &format!("{without} --rounds 4")).stderr;
    assert!(more.contains("its journal has 3 openings of its book, and 4 are needed; give the file again"), "{more}");
    assert_eq!((size(&dir, "games.jsonl"), played(&dir)), (before, 6));
    // A book that is not there is named.
    std::fs::remove_file(dir.path("book.txt")).expect("a book");
    assert!(dir.arena_ends(1, &format!("{PLAY} --rounds 3")).stderr.contains("reading openings book.txt"));
}

#[test]
fn games_are_added_as_from_a_whole_book() {
    // Openings beyond those of the definition are in the decision about them.
    let dir = dir();
    dir.builtin("random", "mcts playouts=3");
    dir.builtin("greedy", "mcts playouts=5");
    dir.arena_ends(0, &format!("{PLAY} --rounds 2 --until ±1 --max-rounds 14"));
    let games = dir.read("results/cup/games.csv");
    let column = games.lines().next().and_then(|head| head.split(',').position(|name| name == "opening"));
    let mut openings: Vec<&str> =
        games.lines().skip(1).map(|row| row.split(',').nth(column.expect("a column")).expect("a cell")).collect();
    openings.dedup();
    assert!(openings.len() > 2 && openings[2] == "2 0 0 0 0 0", "{openings:?}");
    dir.arena_ends(0, "verify");
    let before = size(&dir, "games.jsonl");
    dir.arena_ends(0, &format!("{PLAY} --rounds 2 --until ±1 --max-rounds 14"));
    assert_eq!(size(&dir, "games.jsonl"), before);
}

/// A journal of an earlier version, which has all lines of the book in its definition.
#[test]
fn a_journal_with_a_whole_book_is_continued() {
    let dir = dir();
    dir.file("book.txt", book(300));
    let play = format!("{PLAY} --format ladder --rounds 40 --pairs-per-bot 3");
    dir.builtin("mcts", "mcts playouts=5");
    dir.arena_ends(0, &play);
    let folder = dir.path("results/cup");
    let journal = dir.journal("cup");
    let (mut event, games) = (journal.event.expect("a definition"), journal.games);
    event.book = None;
    event.openings = arena::openings::parse(&event.variant().expect("rules"), &book(300)).expect("a book");
    std::fs::remove_file(folder.join("games.jsonl")).expect("a journal");
    let folder = arena::results_folder::ResultsFolder::open(&folder).expect("a folder");
    let (mut old, _) = arena::journal::Journal::open(&folder).expect("a journal");
    old.append_event(&event).expect("written");
    // Its decisions depend on all openings.
    let briefs: Vec<_> = games.iter().map(|game| old.append_game(game).expect("written")).collect();
    let scheduler =
        || arena::schedule::Scheduler::new(event.clone().into(), &briefs, &[], &mut ()).expect("a schedule");
    let mut decided = scheduler();
    while let Some(round) = decided.decide(&mut ()) {
        old.append_round(&round).expect("written");
    }
    drop(old);
    dir.arena_ends(0, "standings cup");
    let before = dir.read("results/cup/standings.csv");
    let ended = dir.arena_ends(0, &play.replace(" -q", ""));
    assert!(ended.stderr.contains("nothing new to play"), "{ended}");
    assert_eq!(dir.read("results/cup/standings.csv"), before);
    assert_eq!(dir.journal("cup").games.len(), games.len());
    assert!(size(&dir, "tournament.json") < 20_000, "{}", size(&dir, "tournament.json"));
    let size_now = size(&dir, "games.jsonl");
    dir.builtin("more", "random");
    dir.arena_ends(0, &play);
    assert!(size(&dir, "games.jsonl") < size_now + 60_000 && openings(&dir).len() <= 600);
}
