//! A tournament with bad bots in it gives the good ones exactly the games they have without them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use arena::record::{GameResult, Record, Status};

use super::{beside, faulty, processes_with};
use crate::support::Contents;

const HONEST: [(&str, &str); 3] = [("ann", "none"), ("ben", "escaped"), ("cleo", "crlf")];
const BAD: [(&str, &str, Status); 6] = [
    ("crasher", "exit=3 at=2", Status::Crashed),
    ("cheat", "int", Status::IllegalMove),
    ("dead", "exit-at-start=1", Status::StartupFailed),
    ("flood", "flood-stray", Status::ProtocolError),
    ("guess", "ahead", Status::ProtocolError),
    ("sleeper", "sleep", Status::Timeout),
];

fn add(bots: &Path, name: &str, args: &str, mark: Option<&str>) {
    let mut manifest = format!("command = [\"{}\"", faulty().display());
    for arg in args.split(' ') {
        write!(manifest, ", {arg:?}").expect("to memory");
    }
    manifest.push_str("]\n");
    if let Some(mark) = mark {
        writeln!(manifest, "env = {{ FAULTY_MARK = {mark:?} }}").expect("to memory");
    }
    fs::write(bots.join(format!("{name}.toml")), manifest).expect("a manifest");
}

/// Plays a tournament of the bots in `dir/bots` and returns its games by id.
fn tournament(dir: &Path) -> BTreeMap<String, Record> {
    let output = Command::new(crate::support::arena())
        .args(["tournament", "--game", "tictactoe", "--rounds", "1", "--move-time", "400ms", "--margin", "100ms"])
        .args([
            "--no-check",
            "--strikes",
            "games=off",
            "--quiet",
            "-j",
            "2",
            "--oversubscribe",
            "--seed",
            "1",
            "--bots",
        ])
        .arg(dir.join("bots"))
        .arg("--results")
        .arg(dir.join("results"))
        .output()
        .expect("arena starts");
    assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
    let contents = Contents::read(&dir.join("results/tictactoe"));
    contents.games.into_iter().map(|game| (game.id.clone(), game)).collect()
}

#[test]
fn good_bots_play_the_same_games_among_bad_ones() {
    let _beside = beside();
    let dirs = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let mark = format!("tournament-{}", std::process::id());
    for dir in &dirs {
        fs::create_dir(dir.path().join("bots")).expect("a folder");
        for (name, args) in HONEST {
            add(&dir.path().join("bots"), name, args, None);
        }
    }
    for (name, args, _) in BAD {
        add(&dirs[1].path().join("bots"), name, args, Some(&mark));
    }
    let [pure, mixed] = dirs.each_ref().map(|dir| tournament(dir.path()));

    assert_eq!(pure.len(), 6);
    for (id, expected) in &pure {
        let game = mixed.get(id).unwrap_or_else(|| panic!("game {id} is missing among the bad bots"));
        assert_eq!(game.moves, expected.moves);
        assert_eq!((game.result, &game.reason, game.statuses), (expected.result, &expected.reason, [Status::Ok; 2]));
        assert_eq!(game.surplus_lines, [0, 0]);
    }

    let rows = fs::read_to_string(dirs[1].path().join("results/tictactoe/games.csv")).expect("a table");
    assert_eq!(rows.lines().count(), 1 + 9 * 8, "every game was played, or lost unplayed");
    for game in mixed.values() {
        let bad = game.bots.each_ref().map(|bot| BAD.iter().find(|(name, ..)| *name == bot.name).map(|bad| bad.2));
        for seat in [0, 1] {
            let status = game.statuses[seat];
            assert!(status == Status::Ok || Some(status) == bad[seat], "{:?}: {:?}", game.bots, game.statuses);
        }
        match bad {
            // Nothing to be said of void games: neither bot could start.
            [Some(Status::StartupFailed), Some(Status::StartupFailed)] => assert_eq!(game.result, GameResult::Void),
            [Some(_), None] => assert_eq!((game.result, game.statuses[1]), (GameResult::SecondWins, Status::Ok)),
            [None, Some(_)] => assert_eq!((game.result, game.statuses[0]), (GameResult::FirstWins, Status::Ok)),
            _ => assert!(game.counts(), "{:?}", game.statuses),
        }
    }
    let dead = |status| mixed.values().filter(|game| game.statuses.contains(&status)).count();
    // A second game may run when the third start fails.
    assert!((3..=4).contains(&dead(Status::StartupFailed)), "{}", dead(Status::StartupFailed));
    assert_eq!(mixed.len(), 9 * 8 - (2 * 8 - dead(Status::StartupFailed)), "what is lost unplayed is not recorded");
    assert_eq!(processes_with(&format!("FAULTY_MARK={mark}")), Vec::<String>::new());
}
