//! A move that was not listed, and kills the rules: the bot that has made it loses.

use arena::record::{GameResult, Status};
use arena::rules::Move;

use super::bad::{HANG_MS, few_at_a_time, modes, tournament};
use super::with_bots;
use crate::support::Dir;

/// Plays the sample move, and 7 at its second move.
const BOOM: &str = r#"
asked=0
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    move=${line#*\"sample_move\":}; move=${move%%,*}
    case $line in
    '{"type":"hello"'*) echo '{"type":"hello","protocol":1}' ;;
    '{"type":"new_game"'*) asked=0; echo "{\"type\":\"ready\",\"id\":$id}" ;;
    '{"type":"move_request"'*)
        asked=$((asked + 1)); [ $asked = 2 ] && move=7
        echo "{\"type\":\"move\",\"id\":$id,\"move\":$move}" ;;
    esac
done"#;

fn with_boom() -> Dir {
    let dir = with_bots(&["good"]);
    dir.script("bots/boom", BOOM);
    dir
}

#[test]
fn a_bot_that_kills_the_rules_by_a_move_that_was_not_listed_loses() {
    let modes = modes("bot");
    assert_eq!(modes.len(), 3);
    few_at_a_time(&modes, |mode| {
        let dir = with_boom();
        let limit = if mode == "bomb_hang" { HANG_MS } else { 10_000 };
        let ended = tournament(&dir, mode, &format!("answer_ms = {limit}\n"), "--rounds 1 --no-check");
        assert_eq!(ended.status, Some(2), "{mode}: {ended}");
        let games = dir.journal("t").games;
        assert_eq!(games.len(), 2, "{games:?}");
        for game in &games {
            let seat = game.bots.iter().position(|bot| bot.name == "boom").expect("a seat");
            let result = [GameResult::SecondWins, GameResult::FirstWins][seat];
            assert_eq!((game.result, game.reason.as_str()), (result, "illegal_move"), "{mode}");
            assert_eq!([game.statuses[seat], game.statuses[1 - seat]], [Status::IllegalMove, Status::Ok], "{mode}");
            let evidence = game.evidence[seat].as_ref().expect("evidence");
            assert!(evidence.message.contains(": move 7 is not listed, and the rules fail on it: "), "{evidence:?}");
        }
        let warned = ended.stderr.lines().any(|line| line.starts_with("warning: ") && line.contains("the rules"));
        assert!(warned, "{mode}: the organiser hears of it: {ended}");
        if mode == "bomb" {
            dir.process_ends(0, "verify --game ./bad.toml");
        }
    });
}

#[test]
fn a_deadly_move_that_other_rules_survive_is_played() {
    let dir = with_boom();
    let once = dir.path("once").to_string_lossy().into_owned();
    let keys = format!("bomb accept=yes once={once}");
    let ended = tournament(&dir, &keys, "", "--rounds 1 --no-check --sandbox off");
    assert_eq!(ended.status, Some(0), "{ended}");
    assert!(dir.path("once").exists(), "it has died once");
    for game in dir.journal("t").games {
        assert!(game.counts() && game.statuses == [Status::Ok; 2], "{game:?}");
        assert!(game.moves.contains(&Move::Int(7)), "{game:?}");
    }
}
