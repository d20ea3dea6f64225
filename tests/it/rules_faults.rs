//! Faults of the rules, with scripted rules and without processes: who loses, and what happens to the run. One test for each
//! row of the table in docs/games.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arena::clock::{Taken, TimeControl};
use arena::game;
use arena::observer::{RunEnding, RunEvent};
use arena::openings::{self, Lost};
use arena::player::{Failure, Player};
use arena::record::{GameResult, Record, Status};
use arena::referee::{Answer, BeginError, GameStart, Question, Referee, RefereeSetup, Verdict};
use arena::rules::{Legal, Move, Outcome, Params, Picture, Refusal, Rules, RulesFault, Seat, State, Variant, Viewer};
use arena::schedule::record;
use arena::verify::problems;
use proptest::prelude::*;

use crate::scripted::{Cup, ending, event};

/// How the rules fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    /// At the start.
    NoStart,
    /// When they are given the move after this many.
    Broken(usize),
    /// They list no moves, and refuse the move after this many.
    Refuses(usize),
}

/// Nine sticks of which one to three are taken. Counts how often it was asked to play a move.
#[derive(Debug, Clone)]
struct Sticks {
    script: Script,
    taken: Vec<i64>,
    asked: Arc<AtomicU32>,
}

impl Sticks {
    fn left(&self) -> i64 {
        9 - self.taken.iter().sum::<i64>()
    }
}

impl State for Sticks {
    fn to_move(&self) -> Seat {
        Seat::BOTH[self.taken.len() % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left() == 0).then(|| Outcome { winner: Some(self.to_move().other()), reason: "last_stick" })
    }

    fn legal_count(&self) -> u64 {
        self.left().min(3) as u64
    }

    fn nth_legal(&self, index: u64) -> Move {
        Move::Int(1 + index as i64)
    }

    fn legal(&self) -> Legal {
        if matches!(self.script, Script::Refuses(_)) { Legal::Sampled { count: None } } else { Legal::Listed }
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        match self.legal() {
            Legal::Listed => self.legal_moves().contains(candidate),
            Legal::Sampled { .. } => matches!(candidate, Move::Int(_)),
        }
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let Move::Int(taken) = played else { panic!("not well formed: {played}") };
        match self.script {
            Script::Broken(ply) if ply == self.taken.len() => {
                let fault =
                    RulesFault { played: Some(played.clone()), ..RulesFault::new("the rules failed: as written") };
                return Err(Refusal::Broken(Box::new(fault)));
            }
            Script::Refuses(ply) if ply == self.taken.len() => {
                return Err(Refusal::Illegal("that stick is glued on".to_owned()));
            }
            _ => self.taken.push(*taken),
        }
        Ok(())
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{{\"left\":{}}}", self.left()).as_bytes());
    }

    fn key(&self) -> Vec<u8> {
        vec![self.left() as u8, self.to_move().index() as u8]
    }

    fn picture(&self, _viewer: Viewer) -> Picture {
        Picture::Text(self.left().to_string())
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The game, and how often its rules were asked to play a move.
fn sticks(script: Script) -> (Variant, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&asked);
    let start = Box::leak(Box::new(move |_: &Params, _| {
        if script == Script::NoStart {
            return Err(Box::new(RulesFault::new("the rules failed: no start")).into());
        }
        let asked = Arc::clone(&counter);
        Ok(Box::new(Sticks { script, taken: Vec::new(), asked }) as Box<dyn State>)
    }));
    let rules = Rules { opening_plies: |_| 2, ..Rules::new("scripted", "sticks with a fault", start) };
    let rules: &'static Rules = Box::leak(Box::new(rules));
    (Variant { rules, params: Params::defaults(rules.params), label: rules.label() }, asked)
}

/// Plays these moves, whether legal or not, then the samples.
struct Says(Vec<Move>);

impl Player for Says {
    fn new_game(&mut self, _game: &GameStart<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let played = if self.0.is_empty() { question.sample_move } else { self.0.remove(0) };
        Answer::Move(played.into(), Taken::default())
    }
}

/// The game of two such players, the first of which begins with `said`.
fn played(script: Script, said: &[Move]) -> (Verdict, Vec<Move>, u32) {
    let (variant, asked) = sticks(script);
    let clock = TimeControl::per_move(Duration::from_secs(1));
    let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
    let (mut first, mut second) = (Says(said.to_vec()), Says(Vec::new()));
    let (verdict, moves) = match game::play(&setup, [1, 2], [&mut first, &mut second], None) {
        Ok((referee, _)) => {
            let game = referee.into_game();
            (game.verdict, game.moves)
        }
        Err(why) => (why.verdict(), Vec::new()),
    };
    (verdict, moves, asked.load(Ordering::SeqCst))
}

#[track_caller]
fn assert_rules_fault(verdict: &Verdict, message: &str) {
    assert_eq!((verdict.result, verdict.reason.as_str()), (GameResult::Void, message));
    assert_eq!((verdict.statuses, &verdict.evidence), ([Status::Ok; 2], &[None, None]), "no bot is at fault");
    assert_eq!(verdict.rules.as_ref().map(|fault| fault.message.as_str()), Some(message));
}

#[track_caller]
fn assert_illegal_move(verdict: &Verdict, message: &str) {
    assert_eq!((verdict.result, verdict.statuses), (GameResult::SecondWins, [Status::IllegalMove, Status::Ok]));
    let evidence = verdict.evidence[0].as_ref().expect("evidence");
    assert!(evidence.message.contains(message), "{}", evidence.message);
    assert!(verdict.rules.is_none());
}

#[test]
fn rules_that_cannot_start_make_the_game_void() {
    let (verdict, moves, _) = played(Script::NoStart, &[]);
    assert_rules_fault(&verdict, "the rules failed: no start");
    assert_eq!(moves, []);
    let (variant, _) = sticks(Script::NoStart);
    assert!(
        openings::suitable(&variant, 1, 3, Lost::Last).is_err()
            && openings::draw(&variant, 2, 1, 3, Lost::Last).is_err()
    );
}

#[test]
fn a_move_that_is_not_in_the_list_is_the_bots_fault_and_the_rules_are_not_asked() {
    for wrong in [Move::Int(4), Move::Text("1".to_owned()), Move::List(vec![1])] {
        let (verdict, moves, asked) = played(Script::Broken(0), std::slice::from_ref(&wrong));
        assert_illegal_move(&verdict, &format!("at ply 0: move {wrong} "));
        assert_eq!((moves.len(), asked), (0, 0));
    }
}

#[test]
fn without_a_list_the_rules_judge_what_is_well_formed() {
    let (verdict, moves, asked) = played(Script::Refuses(0), &[Move::Int(7)]);
    assert_illegal_move(&verdict, "at ply 0: move 7 is not legal: that stick is glued on");
    assert_eq!((moves.len(), asked), (0, 1));
    let (verdict, _, asked) = played(Script::Refuses(0), &[Move::Text("7".to_owned())]);
    assert_illegal_move(&verdict, "at ply 0: move \"7\" has the wrong form for this game; legal: 1, 2, 3, …");
    assert_eq!(asked, 0, "what is not well formed never reaches the rules");
}

#[test]
fn a_fault_of_the_rules_makes_the_game_void_and_keeps_its_moves() {
    for ply in 0..3 {
        let (verdict, moves, _) = played(Script::Broken(ply), &[]);
        assert_rules_fault(&verdict, "the rules failed: as written");
        assert_eq!(moves.len(), ply, "the fatal move is not one of the game");
        assert!(verdict.rules.is_some_and(|fault| fault.played.is_some()));
    }
}

#[test]
fn rules_that_fail_in_the_opening_are_not_taken_for_an_illegal_opening() {
    let (variant, _) = sticks(Script::Broken(1));
    let clock = TimeControl::per_move(Duration::from_secs(1));
    let opening = [Move::Int(1), Move::Int(1)];
    let begin = |opening: &[Move]| {
        Referee::new(&RefereeSetup { variant: &variant, seed: 1, opening, clock, max_plies: None }).map(drop)
    };
    assert!(matches!(begin(&opening), Err(BeginError::Rules(_))));
    assert!(matches!(begin(&[Move::Int(9)]), Err(BeginError::Opening { number: 1, .. })));
}

/// The record of a game whose rules failed.
fn void(event: &arena::event::Tournament, job: &arena::schedule::Job, again: bool) -> Record {
    let fault = RulesFault { again, played: Some(Move::Int(1)), ..RulesFault::new("the rules failed at ply 0") };
    record(event, &job.game, &job.opening, Verdict::of_rules(Box::new(fault)))
}

fn warnings(told: &[RunEvent]) -> Vec<&str> {
    told.iter()
        .filter_map(|event| if let RunEvent::Warning { text } = event { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn a_fault_that_comes_again_stops_the_run() {
    let cup = Cup::new(event(&["a", "b", "c"], 4));
    let mut games = 0;
    let (end, told) = cup.run(1, 0, &mut (), |job| {
        games += 1;
        if games == 3 { void(&cup.event, job, true) } else { ending(&cup.event, job, None) }
    });
    assert_eq!(end, RunEnding::RulesFailed);
    assert!(games <= 4, "only what was running is finished: {games}");
    let warnings = warnings(&told);
    assert!(warnings[0].ends_with("the rules failed at ply 0; no bot is at fault"), "{warnings:?}");
    assert!(warnings[1].contains("no more games begin"), "{warnings:?}");
    // The organiser repairs the rules and goes on.
    let (end, _) = cup.run(2, 1, &mut (), |job| ending(&cup.event, job, None));
    assert_eq!(end, RunEnding::Complete);
}

#[test]
fn a_passing_fault_is_replaced_by_another_game_and_the_third_stops_the_run() {
    for (faults, expected) in [(1, RunEnding::Complete), (2, RunEnding::Complete), (3, RunEnding::RulesFailed)] {
        let cup = Cup::new(event(&["a", "b"], 6));
        let mut games = 0;
        let (end, told) = cup.run(1, 0, &mut (), |job| {
            games += 1;
            if games % 2 == 0 && games <= 2 * faults {
                void(&cup.event, job, false)
            } else {
                ending(&cup.event, job, None)
            }
        });
        assert_eq!(end, expected, "after {faults} faults");
        assert!(told.iter().all(|event| !matches!(event, RunEvent::Withdrawn { .. })), "no strike counts");
        let (reader_end, _) = cup.run(1, 0, &mut (), |job| ending(&cup.event, job, None));
        assert_eq!(reader_end, RunEnding::Complete);
    }
}

#[test]
fn tables_do_not_know_of_games_whose_rules_failed() {
    let (straight, other) = (Cup::new(event(&["a", "b", "c"], 2)), Cup::new(event(&["a", "b", "c"], 2)));
    assert_eq!(straight.run(1, 0, &mut (), |job| ending(&straight.event, job, None)).0, RunEnding::Complete);
    let end = other.run(1, 0, &mut (), |job| void(&other.event, job, true)).0;
    assert_eq!(end, RunEnding::RulesFailed);
    let cross = |cup: &Cup| cup.tables(&mut ()).lines().filter(|line| line.contains("fault")).count();
    assert_eq!(cross(&other), cross(&straight));
}

proptest! {
    #[test]
    fn a_void_record_of_failed_rules_is_sound(moves in 0..4_usize) {
        let event = event(&["a", "b"], 1);
        let cup = Cup::new(event);
        let mut found = Vec::new();
        let _ = cup.run(1, 0, &mut (), |job| {
            let mut record = void(&cup.event, job, true);
            for column in 0..moves as i64 {
                record.moves.push(Move::Int(column));
                record.played.push(arena::record::Played::default());
            }
            found.extend(problems(&record));
            let written = serde_json::to_string(&record).expect("JSON");
            let read: Record = serde_json::from_str(&written).expect("a record");
            assert_eq!(read.rules_fault, record.rules_fault);
            record
        });
        prop_assert_eq!(found, Vec::<String>::new());
    }
}
