use arena_core::event::recorded_id;
use arena_play::player::human::HUMAN;

use super::fake::{Did, Scripted as _, sitting, some_move};
use super::*;

fn column(col: i64) -> Move {
    Move::Int(col)
}

fn measured(eval: f64) -> Played {
    Played { us: 1_000, eval: Some(eval), ..Played::default() }
}

fn moves(sitting: &Sitting) -> Vec<Move> {
    sitting.plies().iter().map(|ply| ply.played.clone()).collect()
}

/// A game of a person against a bot in which both have moved.
fn after_two_plies() -> (Sitting, std::rc::Rc<std::cell::RefCell<super::fake::Log>>) {
    let (mut sitting, log) = sitting("connect4", ["human", "minimax"], "[]");
    sitting.asked();
    sitting.play(&column(3)).unwrap();
    sitting.made(&column(3), Played::default());
    sitting.made(&column(2), measured(0.5));
    (sitting, log)
}

#[test]
fn undo_takes_back_the_move_of_the_person_and_the_answer_and_redo_brings_them_back() {
    let (mut sitting, log) = after_two_plies();
    let old = sitting.number();
    assert_eq!((sitting.phase(), sitting.undo()), (Phase::Yours, Ok(2)));
    assert_eq!((moves(&sitting), sitting.phase()), (vec![], Phase::Busy));
    let moved = SittingNews::Moved { game: old, ply: 0, played: column(6), measured: Played::default() };
    assert!(!sitting.news(moved), "of a game that is over");
    assert_eq!(sitting.redo(), Ok(2));
    assert_eq!(moves(&sitting), [column(3), column(2)]);
    let log = log.borrow();
    let begun: Vec<&Begin> =
        log.did.iter().filter_map(|did| if let Did::Begin(begin) = did { Some(begin) } else { None }).collect();
    assert_eq!(begun.len(), 3);
    assert_eq!(begun[2].opening, [column(3), column(2)]);
    assert!(begun.iter().all(|begin| begin.seed == begun[0].seed), "hidden information stays what it was");
}

#[test]
fn undo_while_the_bot_thinks_takes_back_one_move() {
    let (mut sitting, _) = sitting("connect4", ["human", "minimax"], "[]");
    sitting.asked();
    sitting.play(&column(3)).unwrap();
    sitting.made(&column(3), Played::default());
    assert_eq!((sitting.phase(), sitting.undo()), (Phase::Thinking, Ok(1)));
    assert_eq!(sitting.undo(), Err(SittingError::NothingToUndo));
}

#[test]
fn two_people_take_back_move_by_move_and_a_watched_game_is_paused() {
    for players in [["human", "human"], ["a", "b"]] {
        let (mut sitting, log) = sitting("connect4", players, "[]");
        sitting.asked();
        sitting.made(&column(3), Played::default());
        sitting.made(&column(3), Played::default());
        assert_eq!((sitting.undo(), moves(&sitting)), (Ok(1), vec![column(3)]));
        let is_paused = log.borrow().did.iter().any(|did| matches!(did, Did::Pause(true)));
        assert_eq!(is_paused, players[0] == "a");
    }
}

#[test]
fn moves_that_the_game_began_with_stay() {
    let (mut sitting, _) = sitting("connect4", ["human", "minimax"], "[3,3]");
    sitting.asked();
    assert!(sitting.undo().is_err());
    sitting.made(&column(0), Played::default());
    assert_eq!((sitting.undo(), moves(&sitting)), (Ok(1), vec![column(3), column(3)]));
}

#[test]
fn hidden_information_cannot_be_taken_back_and_is_not_shown() {
    let (mut sitting, _) = sitting("mastermind", ["human", "codebreaker"], "[]");
    sitting.asked();
    let guess = some_move(sitting.state()).unwrap();
    sitting.made(&guess, Played::default());
    sitting.made(&guess, measured(0.5));
    let why = "mastermind has hidden information: what a move has shown cannot be taken back";
    assert_eq!(sitting.undo().unwrap_err().to_string(), why);
    assert!(sitting.may_see(Seat::First) && !sitting.may_see(Seat::Second));
    assert_eq!(sitting.picture().to_string().matches("exact").count(), 1, "{}", sitting.picture());
    sitting.abandon();
    assert!(sitting.may_see(Seat::Second));
}

#[test]
fn a_game_is_saved_as_it_was_played_whatever_was_taken_back() {
    let (mut sitting, log) = after_two_plies();
    sitting.undo().unwrap();
    sitting.redo().unwrap();
    sitting.asked();
    sitting.made(&column(0), Played::default());
    sitting.undo().unwrap();
    sitting.asked();
    sitting.resign().unwrap();
    let mut verdict = Verdict::new(GameResult::SecondWins, "resigned".to_owned());
    verdict.statuses[0] = arena_core::record::Status::Resigned;
    sitting.ended(verdict);
    let log = log.borrow();
    let Some(Did::Save(record)) = log.did.last() else { panic!("nothing is saved") };
    assert_eq!((record.moves.len(), record.opening.len(), record.taken_back), (2, 0, 1));
    assert_eq!(record.played.iter().map(|played| played.eval).collect::<Vec<_>>(), [None, Some(0.5)]);
    assert_eq!(record.id, recorded_id(record));
    assert_eq!(record.bots.each_ref().map(|bot| bot.fingerprint.as_str()), [HUMAN, "0123456789abcdef"]);
    assert_eq!(sitting.ending().unwrap().ending()[0], "minimax (O) wins: resigned");
}

#[test]
fn a_game_is_the_same_after_moves_were_taken_back() {
    let (mut sitting, log) = after_two_plies();
    sitting.undo().unwrap();
    sitting.redo().unwrap();
    sitting.undo().unwrap();
    sitting.new_game(false);
    let log = log.borrow();
    let is_new = log.did.iter().filter_map(|did| if let Did::Begin(begin) = did { Some(begin.is_new) } else { None });
    assert_eq!(is_new.collect::<Vec<_>>(), [true, false, false, false, true]);
}

#[test]
fn only_a_game_that_was_saved_says_so() {
    let (mut sitting, _) = after_two_plies();
    sitting.abandon();
    assert!(sitting.saved().is_some_and(Result::is_ok));
    sitting.new_game(false);
    sitting.abandon();
    assert_eq!(sitting.saved(), None, "no move was made");
    assert!(sitting.last_saved().is_some());
}

#[test]
fn a_bot_that_is_let_go_on_before_its_wait_is_known_goes_on() {
    let (mut sitting, log) = sitting("connect4", ["a", "b"], "[]");
    sitting.set_paused(true);
    // The bot has begun to wait, and its news are on their way.
    sitting.set_paused(false);
    let game = sitting.number();
    sitting.news(SittingNews::Waiting { game });
    assert!(matches!(log.borrow().did.last(), Some(Did::Say)));
    assert_eq!(sitting.phase(), Phase::Busy);
}

#[test]
fn a_game_that_is_left_is_saved_as_stopped_if_a_move_was_made() {
    let (mut sitting, log) = after_two_plies();
    sitting.new_game(true);
    assert_eq!(sitting.name(Seat::First), "minimax (X)");
    assert_eq!(moves(&sitting), []);
    sitting.abandon();
    sitting.abandon();
    let log = log.borrow();
    let saved: Vec<&Record> =
        log.did.iter().filter_map(|did| if let Did::Save(record) = did { Some(&**record) } else { None }).collect();
    assert_eq!(saved.len(), 1);
    assert_eq!((saved[0].result, saved[0].reason.as_str()), (GameResult::Void, STOPPED));
    let seeds: std::collections::HashSet<u64> =
        log.did.iter().filter_map(|did| if let Did::Begin(begin) = did { Some(begin.seed) } else { None }).collect();
    assert_eq!(seeds.len(), 2, "another game has another code");
}

#[test]
fn what_is_not_your_turn_or_not_legal_is_said() {
    let (mut sitting, log) = sitting("connect4", ["human", "minimax"], "[]");
    assert_eq!(sitting.play(&column(3)), Err(SittingError::Busy));
    sitting.asked();
    assert!(sitting.play(&column(9)).unwrap_err().to_string().contains("not legal"));
    sitting.ask_hint().unwrap();
    assert_eq!(sitting.ask_hint(), Err(SittingError::ThinksAlready("mcts".to_owned())));
    sitting.made(&column(3), Played::default());
    assert_eq!(sitting.play(&column(3)), Err(SittingError::NotOnMove("minimax".to_owned())));
    let game = sitting.number();
    let hint = Hint { played: column(0), eval: None };
    sitting.news(SittingNews::Hint { game, ply: 0, hint: Ok(hint) });
    assert!(sitting.hint().is_none(), "it is for another position");
    sitting.new_game(false);
    sitting.new_game(false);
    assert_eq!(log.borrow().did.iter().filter(|did| matches!(did, Did::Kill)).count(), 1, "one that does not stop");
}
