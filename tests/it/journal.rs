//! The journal is the only truth: everything is rebuilt from it, and what was edited in it is found.

use std::fs;

use arena::event::recorded_id;
use arena::record::GameResult;
use arena::results_folder::Place;
use arena::rules::Move;

use crate::support::{Dir, without_games, without_pace};

const FILES: [&str; 7] =
    ["games.csv", "standings.csv", "crosstable.csv", "head_to_head.csv", "bots.csv", "tournament.json", "report.html"];

fn played() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "tournament --game tictactoe --rounds 3 --move-time 30s -j 1");
    dir
}

#[test]
fn everything_is_rebuilt_from_the_journal_alone() {
    let dir = played();
    let before = FILES.map(|file| dir.read(&format!("results/tictactoe/{file}")));
    let shown = dir.arena_ends(0, "standings").stdout;
    for file in FILES {
        fs::remove_file(dir.path("results/tictactoe").join(file)).expect("a file");
    }
    fs::remove_dir_all(dir.path("bots")).expect("a folder");
    let ended = dir.arena_ends(0, "standings tictactoe");
    assert_eq!((ended.stdout, ended.stderr.as_str()), (shown, ""));
    for (file, before) in FILES.iter().zip(before) {
        assert_eq!(without_pace(&dir.read(&format!("results/tictactoe/{file}"))), without_pace(&before), "{file}");
    }
    insta::assert_snapshot!(dir.arena("verify"), @"
    exit 0
    --- stdout
    results/tictactoe/games.jsonl: 6 games follow the rules; none of the 6 scheduled is missing
    --- stderr
    ");
}

/// Edits the text of the journal's line `number`, from 1, and says what `arena verify` finds.
fn verified(number: usize, edit: impl Fn(&str) -> String) -> String {
    let dir = played();
    let text = dir.read("results/tictactoe/games.jsonl");
    let lines = text.lines().enumerate();
    let edited = lines.map(|(index, line)| if index + 1 == number { edit(line) } else { line.to_owned() } + "\n");
    let edited: String = edited.collect();
    assert!(edited != text, "the edit changes something");
    dir.file("results/tictactoe/games.jsonl", edited);
    let ended = dir.arena_ends(1, "verify");
    assert_eq!(ended.stderr, "");
    ended.to_string()
}

#[test]
fn an_edited_line_is_found_by_its_sum() {
    let edits: [fn(&str) -> String; 4] = [
        |line| line.replacen("\"moves\":[[", "\"moves\":[[9,9],[", 1),
        |line| line.replacen("\"result\":\"", "\"result\":\"1/2-1/2\",\"was\":\"", 1),
        |line| line.replacen("\"id\":\"", "\"id\":\"0", 1),
        |line| line.replacen("\"seed\":\"", "\"seed\":\"1", 1),
    ];
    for edit in edits {
        let found = verified(3, edit);
        assert!(found.contains("results/tictactoe/games.jsonl:3: its sum is [hash], but"), "{found}");
        assert!(found.contains("it was edited or damaged"), "{found}");
    }
}

#[test]
fn garbage_is_found() {
    insta::assert_snapshot!(verified(2, |_| "garbage \u{1b}[31m".to_owned()), @"
    exit 1
    --- stdout
    results/tictactoe/games.jsonl:2: not a line of a journal: expected value (column 1)
    results/tictactoe/games.jsonl: 5 games, 1 problem
    --- stderr
    ");
    insta::assert_snapshot!(verified(2, |_| String::new()), @"
    exit 1
    --- stdout
    results/tictactoe/games.jsonl:2: not a line of a journal: EOF while parsing a value
    results/tictactoe/games.jsonl: 5 games, 1 problem
    --- stderr
    ");
}

#[test]
fn what_comes_after_the_sum_is_found() {
    let edits: [fn(&str) -> String; 3] = [
        |line| format!("{},\"evidence\":[{{\"message\":\"forged\"}},null]}}", line.trim_end_matches('}')),
        |line| format!("{line} "),
        |line| line.replace("\"sum\":", "\"sum\": "),
    ];
    for edit in edits {
        let found = verified(3, edit);
        assert!(found.contains("games.jsonl:3: it does not end in its sum: it was edited or damaged"), "{found}");
    }
}

#[test]
fn what_a_journal_says_of_itself_cannot_write_to_the_terminal() {
    let dir = played();
    dir.edit_games("tictactoe", |_, record| {
        record.id = "\u{1b}[31m".to_owned();
        record.reason = "\u{1b}[32m".to_owned();
    });
    let ended = dir.arena_ends(1, "verify");
    assert!(ended.stdout.contains("game \\u{1b}[31m") && ended.stdout.contains("\\u{1b}[32m"), "{ended}");
    assert!(!ended.stdout.contains('\u{1b}'), "{ended}");
}

/// Says what `arena verify` and `arena standings` find in a journal whose tournament was edited, its sum made right.
#[track_caller]
fn defined(edit: impl Fn(&mut arena::event::Tournament)) -> String {
    let dir = played();
    let mut event = dir.journal("tictactoe").event.expect("a tournament");
    edit(&mut event);
    let path = dir.path("results/tictactoe");
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(path).create("another").expect("a folder")).expect("a journal");
    journal.append_event(&event).expect("written");
    drop(journal);
    let found = dir.arena_ends(1, "verify").stdout;
    let problem = found.lines().next().unwrap_or_default().split_once(": ").expect("a problem").1;
    for command in ["standings", "tournament --game tictactoe --rounds 3 --move-time 30s"] {
        let refused = dir.arena_ends(1, command);
        assert!(refused.stderr.contains(&format!("games.jsonl, line 8: {problem}; remove the line")), "{refused}");
    }
    problem.to_owned() + "\n"
}

#[test]
fn an_impossible_tournament_is_refused_by_every_reader() {
    let edits: [fn(&mut arena::event::Tournament); 13] = [
        |event| event.schedule_version = 1,
        |event| event.rounds = u32::MAX,
        |event| {
            event.rounds = 1_000_000;
            let one = event.bots[0].clone();
            event.bots = (0..5)
                .map(|number| {
                    let mut bot = one.clone();
                    bot.id.name = number.to_string();
                    bot
                })
                .collect();
        },
        |event| event.format = "swiss\u{1b}[31m".to_owned(),
        |event| event.bots.clear(),
        |event| event.bots.truncate(1),
        |event| event.bots[1].id.name = event.bots[0].id.name.clone(),
        |event| event.bots[1].id.fingerprint = event.bots[0].id.fingerprint.clone(),
        |event| event.label = "chess".to_owned(),
        |event| event.game = "connect4".to_owned(),
        |event| event.openings.clear(),
        |event| event.openings[1] = vec![Move::List(vec![3, 3])],
        |event| event.params["k"] = 99.into(),
    ];
    let found: String = edits.into_iter().map(defined).collect();
    insta::assert_snapshot!(without_games(&found), @r"
    the tournament: its schedule is of version 1; this arena knows versions 2 to 4
    the tournament: 4294967295 rounds; at most 1000000 are played
    the tournament: 20000000 games; at most 10000000 are played
    the tournament: unknown format `swiss\u{1b}[31m`
    the tournament: it has 0 bots; at least two are needed
    the tournament: it has 1 bot; at least two are needed
    the tournament: it has two bots named `greedy`
    the tournament: bot `random` cannot be distinguished from another: same fingerprint
    the tournament: no game named `chess`; known: [every game]
    the tournament: `tictactoe` is not a name of connect4
    the tournament: it has no opening; it needs at least an empty one
    opening 2: ply 1: move [3,3] is not legal; legal: [0,0], [0,1], [0,2], [1,0], [1,1], [1,2], [2,0], [2,1], [2,2]
    the tournament: game `tictactoe`: `k` cannot be 99; expected an integer from 2 to 32
    ");
}

#[test]
fn a_tournament_that_was_replaced_need_not_be_known_any_more() {
    let dir = played();
    let path = dir.path("results/tictactoe");
    let event = dir.journal("tictactoe").event.expect("a tournament");
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(path).create("another").expect("a folder")).expect("a journal");
    journal.append_event(&arena::event::Tournament { label: "chess".to_owned(), ..event.clone() }).expect("written");
    journal.append_event(&event).expect("written");
    drop(journal);
    dir.arena_ends(0, "standings");
    dir.arena_ends(1, "verify");
}

#[test]
fn a_definition_that_was_replaced_may_have_copies_that_nothing_tells_apart() {
    let dir = played();
    let path = dir.path("results/tictactoe");
    let event = dir.journal("tictactoe").event.expect("a tournament");
    let mut alike = event.clone();
    alike.bots[1].id.fingerprint = event.bots[0].id.fingerprint.clone();
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(path).create("another").expect("a folder")).expect("a journal");
    journal.append_event(&alike).expect("written");
    journal.append_event(&event).expect("written");
    drop(journal);
    for command in ["verify", "standings"] {
        dir.arena_ends(0, command);
    }
}

#[test]
fn a_repaired_definition_keeps_the_games() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let play = "tournament --game tictactoe --rounds 3 --move-time 30s --oversubscribe --no-check -q";
    dir.arena_ends(0, &format!("{play} --seed 7215"));
    let path = "results/tictactoe/games.jsonl";
    let text = dir.read(path);
    dir.file(path, text.replacen("7215", "7216", 1));
    let cure = "it was edited or damaged; it defined the tournament: remove the line and run `arena tournament --seed N` \
                with the seed that tournament.json has, which writes it again";
    let verified = dir.arena_ends(1, "verify").stdout;
    assert!(verified.contains("games.jsonl:1: ") && verified.contains(&format!("{cure}\n")), "{verified}");
    let refused = dir.arena_ends(1, play).stderr;
    assert!(refused.contains("line 1: ") && refused.contains(&format!("{cure} (`arena verify` ")), "{refused}");

    let (_, games) = text.split_once('\n').expect("lines");
    dir.file(path, games);
    let verified = dir.arena_ends(1, "verify").stdout;
    assert!(verified.contains("bots and `--seed N` to write one (its tournament.json has the seed)"), "{verified}");
    let kept: arena::event::Tournament =
        serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON");
    assert_eq!(kept.seed, 7215);
    let mended = dir.arena_ends(0, &format!("{play} --seed 7215")).stderr;
    assert!(mended.contains("nothing new to play"), "{mended}");
    dir.arena_ends(0, "verify");
}

#[test]
fn a_decision_that_cannot_be_played_is_found() {
    let dir = played();
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(dir.path("results/tictactoe")).create("another").expect("a folder"))
            .expect("a journal");
    let (of, openings) = ("0123456789abcdef".to_owned(), vec![vec![Move::Int(9)]]);
    let round = arena::event::Round {
        n: 1,
        after: 3,
        of,
        whole: false,
        pairs: vec![(4, 3, 0, 1), (4, 3, 0, 7)],
        over: None,
        openings,
    };
    journal.append_round(&round).expect("written");
    drop(journal);
    let found = dir.arena_ends(1, "verify").stdout;
    let pair = "games.jsonl:8: decision 1: 2 bots cannot play a pair of 0 and 7 from opening 3\n";
    assert!(found.contains(pair) && found.contains("games.jsonl:8: decision 1: opening 1: ply 1: "), "{found}");
    assert!(found.contains("6 games, 2 problems; "), "{found}");
}

/// Edits the record of the second game, whose sum is made right again, and says what `arena verify` finds.
#[track_caller]
fn judged(edit: impl Fn(&mut arena::record::Record)) -> String {
    let dir = played();
    dir.edit_games("tictactoe", |index, record| {
        if index == 1 {
            edit(record);
        }
    });
    let ended = dir.arena_ends(1, "verify");
    assert_eq!(ended.stderr, "");
    ended.stdout
}

#[test]
fn an_edited_record_with_its_sum_made_right_is_found_by_the_rules() {
    let swapped = |record: &mut arena::record::Record| {
        record.result =
            if record.result == GameResult::FirstWins { GameResult::SecondWins } else { GameResult::FirstWins };
    };
    let found = judged(swapped);
    assert!(found.contains("but its moves and statuses give"), "{found}");
    let found = judged(|record| record.moves[3] = record.moves[2].clone());
    assert!(found.contains("is not legal"), "{found}");
    let found = judged(|record| {
        record.moves.pop();
        record.played.pop();
    });
    assert!(found.contains("its moves do not end the game, but no seat is at fault"), "{found}");
    let found = judged(|record| drop(record.played.pop()));
    assert!(found.contains("measurements"), "{found}");
    let found = judged(|record| record.moves.extend(vec![Move::List(vec![0, 0]); 9]));
    assert!(found.contains("moves, and a game of mnk with its parameters has at most 9"), "{found}");
    let found = judged(|record| record.seed ^= 1);
    assert!(found.contains("its content gives the id"), "{found}");
    let found = judged(|record| record.id = "0123456789abcdef".to_owned());
    assert!(found.contains("its content gives the id"), "{found}");
    let found = judged(|record| record.bots.swap(0, 1));
    assert!(found.contains("its content gives the id"), "{found}");
    let found = judged(|record| record.reason = "boredom".to_owned());
    assert!(found.contains("by boredom, but its moves"), "{found}");
    let found = judged(|record| {
        record.opening.clear();
        record.id = recorded_id(record);
    });
    assert!(found.contains("measurements"), "{found}");
    let found = judged(|record| record.statuses[0] = arena::record::Status::Timeout);
    assert!(found.contains("the rules ended the game, but a seat has a status other than ok"), "{found}");
    let found = judged(|record| (record.result, record.reason) = (GameResult::Void, "disk".to_owned()));
    assert!(found.contains("it is recorded as void, but its moves end the game"), "{found}");
    let found = judged(|record| {
        (record.result, record.reason) = (GameResult::Void, "disk".to_owned());
        record.statuses[0] = arena::record::Status::Timeout;
        record.moves.pop();
        record.played.pop();
    });
    assert!(found.contains("it is recorded as void, but a seat has a status other than ok"), "{found}");
    let found = judged(|record| {
        record.params.insert("k".to_owned(), 2.into());
        record.id = recorded_id(record);
    });
    assert!(found.contains("comes after the end of the game"), "{found}");
}

#[test]
fn a_game_is_replayed_step_by_step() {
    let dir = played();
    let id = dir.journal("tictactoe").games[0].id.clone();
    let whole = dir.arena_ends(0, &format!("replay {id}"));
    insta::assert_snapshot!(whole, @"
    exit 0
    --- stdout
    game [hash]  mnk  greedy (X) against random (O)  seed 9235397040911598479
      0 1 2
    0 . . .
    1 . . .
    2 . . .

    ply 1  opening: [1,1] for greedy (X)
      0 1 2
    0 . . .
    1 . x .
    2 . . .
    last move: [1,1], shown as x

    ply 2  random (O) plays [2,2]  [time] ms
      0 1 2
    0 . . .
    1 . X .
    2 . . o
    last move: [2,2], shown as o

    ply 3  greedy (X) plays [2,0]  [time] ms
      0 1 2
    0 . . .
    1 . X .
    2 x . O
    last move: [2,0], shown as x

    ply 4  random (O) plays [2,1]  [time] ms
      0 1 2
    0 . . .
    1 . X .
    2 X o O
    last move: [2,1], shown as o

    ply 5  greedy (X) plays [0,2]  [time] ms
      0 1 2
    0 . . x
    1 . X .
    2 X O O
    last move: [0,2], shown as x
    greedy (X) wins: three in a row
    --- stderr
    ");
    assert_eq!(dir.arena_ends(0, &format!("replay {}", &id[..8])).stdout, whole.stdout);

    // The same game in a second tournament is the same game.
    dir.arena_ends(0, "tournament --game tictactoe --rounds 3 --move-time 30s --name again");
    assert_eq!(dir.arena_ends(0, &format!("replay {id} --name tictactoe")).stderr, "");
    let several = dir.arena_ends(1, &format!("replay {id}")).stderr;
    let command = |name: &str| format!("\n  arena replay {id} --name results/{name}");
    assert_eq!(
        several,
        format!("error: 2 tournaments have game `{id}`; choose one:{}{}\n", command("again"), command("tictactoe"))
    );
    insta::assert_snapshot!(dir.arena("replay ffffffff"), @"
    exit 1
    --- stdout
    --- stderr
    error: no game `ffffffff` in results; ids are in games.csv
    ");
    insta::assert_snapshot!(dir.arena("standings"), @"
    exit 1
    --- stdout
    --- stderr
    error: several tournaments in results; name one: again, tictactoe
    ");
    insta::assert_snapshot!(dir.arena("standings tictacto"), @"
    exit 1
    --- stdout
    --- stderr
    error: no tournament named `tictacto` in results (did you mean `tictactoe`?)
    ");
    insta::assert_snapshot!(dir.arena("verify nothing --results elsewhere"), @"
    exit 1
    --- stdout
    --- stderr
    error: no tournament named `nothing` in elsewhere
    ");
}

/// Appends what `edit` makes of the first game, which is in line 2, to the journal of six games; returns its id.
fn appended(dir: &Dir, edit: impl Fn(&mut arena::record::Record)) -> String {
    let mut game = dir.journal("tictactoe").games[0].clone();
    edit(&mut game);
    let path = dir.path("results/tictactoe");
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(path).create("another").expect("a folder")).expect("a journal");
    journal.append_game(&game).expect("written");
    game.id
}

#[test]
fn what_stands_twice_counts_once_and_is_no_problem() {
    let dir = played();
    let tables = dir.read("results/tictactoe/standings.csv");
    // Who has seen it again, and how long it took, says nothing else of the game.
    let id = appended(&dir, |game| {
        game.bots[0].name = "impostor".to_owned();
        game.played[0].us += 1;
    });
    let replayed = dir.arena_ends(0, &format!("replay {id}"));
    assert!(!replayed.stdout.contains("impostor"), "{replayed}");
    insta::assert_snapshot!(replayed.stderr, @"results/tictactoe/games.jsonl has several records of this game; the first one counts (`arena verify` lists them)");
    insta::assert_snapshot!(dir.arena("verify"), @"
    exit 0
    --- stdout
    results/tictactoe/games.jsonl: line 8 is a duplicate: harmless, the first record of a game counts
    results/tictactoe/games.jsonl: 7 games follow the rules; none of the 6 scheduled is missing
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("tournament --game tictactoe --rounds 3 --move-time 30s --quiet").stderr, @"
    results/tictactoe/games.jsonl: line 8 is a duplicate: harmless, the first record of a game counts
    nothing new to play: every game is in the journal; ask for more --rounds, or change a bot
    ");
    dir.arena_ends(0, "standings");
    assert_eq!(dir.read("results/tictactoe/standings.csv"), tables);
    appended(&dir, |_| {});
    assert!(dir.arena_ends(0, "verify").stdout.contains("2 lines are duplicates, the first of them line 8: harmless"));
}

#[test]
fn two_results_of_one_game_are_a_problem_for_every_reader() {
    for result in [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw, GameResult::Void] {
        let dir = played();
        if dir.journal("tictactoe").games[0].result == result {
            continue;
        }
        let id = appended(&dir, |game| game.result = result);
        let found = dir.arena_ends(1, "verify").stdout;
        let line = format!("results/tictactoe/games.jsonl:8: game {id}: line 2 has it with another result\n");
        assert!(found.contains(&line), "{found}");
        for command in ["standings", "tournament --game tictactoe --rounds 3 --move-time 30s"] {
            let refused = dir.arena_ends(1, command).stderr;
            let says = format!("games.jsonl, line 8: game {id} is in line 2 with another result; remove the line that");
            assert!(refused.contains(&says), "{refused}");
        }
    }
}

#[test]
fn a_journal_without_a_tournament_is_found() {
    let dir = played();
    let games = dir.journal("tictactoe").games;
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(dir.path("results/bare")).create("another").expect("a folder"))
            .expect("a journal");
    journal.append_game(&games[0]).expect("written");
    drop(journal);
    let undefined = "no line defines the tournament; run it again with its settings, bots and `--seed N` to write one (its tournament.json has the seed)\n\
                     results/bare/games.jsonl: 1 game, 1 problem\n";
    assert!(dir.arena_ends(1, "verify bare").stdout.ends_with(undefined));
}

#[test]
fn a_tournament_is_named_by_name_folder_or_journal() {
    let dir = played();
    let id = dir.journal("tictactoe").games[0].id.clone();
    for command in ["standings", "verify", &format!("replay {id} --name")] {
        let by_name = dir.arena_ends(0, &format!("{command} tictactoe")).stdout;
        for place in ["results/tictactoe", "./results/tictactoe/games.jsonl"] {
            let said = dir.arena_ends(0, &format!("{command} {place}")).stdout;
            assert_eq!(said.replace("./results", "results"), by_name, "{command} {place}");
        }
    }
    fs::rename(dir.path("results"), dir.path("moved")).expect("renamed");
    insta::assert_snapshot!(dir.arena("replay none --name moved/tictactoe"), @"
    exit 1
    --- stdout
    --- stderr
    error: no game `none` in moved/tictactoe; ids are in games.csv
    ");
    insta::assert_snapshot!(dir.arena("replay 0 --results nowhere"), @"
    exit 1
    --- stdout
    --- stderr
    error: no results in nowhere; run `arena tournament` first
    ");
}

#[test]
fn what_became_of_the_games_is_said_when_the_folder_is_removed_moved_or_replaced() {
    let games = played().journal("tictactoe").games;
    let says = |change: &dyn Fn(&std::path::Path)| {
        let dir = Dir::new();
        let place = dir.path("results/open");
        let (mut journal, _) =
            arena::journal::Journal::open(&Place::at(&place).create("it").expect("a folder")).expect("a journal");
        journal.append_game(&games[0]).expect("written");
        journal.sync().expect("synced");
        change(&place);
        journal.append_game(&games[1]).expect("written");
        let why = journal.sync().expect_err("the journal is gone").to_string();
        why.split_once("games.jsonl ").expect("its path").1.to_owned()
    };
    let lost = "was removed; its games are lost";
    assert_eq!(says(&|place| fs::remove_dir_all(place).expect("removed")), lost);
    assert_eq!(says(&|place| fs::remove_file(place.join("games.jsonl")).expect("removed")), lost);
    let moved = |place: &std::path::Path| fs::rename(place, place.with_extension("moved")).expect("renamed");
    assert_eq!(says(&moved), "was moved away with its folder; finished games are saved in it");
    let remade = |place: &std::path::Path| {
        moved(place);
        fs::create_dir(place).expect("a folder");
        fs::remove_dir_all(place.with_extension("moved")).expect("removed");
    };
    assert_eq!(says(&remade), lost);
    let second_name = |place: &std::path::Path| {
        fs::hard_link(place.join("games.jsonl"), place.join("aside")).expect("linked");
        fs::write(place.join("new"), "").expect("written");
        fs::rename(place.join("new"), place.join("games.jsonl")).expect("renamed");
    };
    assert_eq!(says(&second_name), "was replaced by another file; the games played since then are lost");
}

#[test]
fn a_journal_of_games_alone_has_no_standings() {
    let dir = played();
    let games = dir.journal("tictactoe").games;
    let (mut journal, _) =
        arena::journal::Journal::open(&Place::at(dir.path("results/bare")).create("another").expect("a folder"))
            .expect("a journal");
    journal.append_game(&games[0]).expect("written");
    drop(journal);
    insta::assert_snapshot!(dir.arena("standings bare"), @"
    exit 1
    --- stdout
    --- stderr
    error: journal results/bare/games.jsonl holds no tournament; `arena tournament` starts one
    ");
}
