//! Laws of every dialect, whatever a bot writes.

use std::time::Duration;

use arena_core::cause::Surplus;
use arena_core::clock::TimeControl;
use arena_core::record::GameResult;
use arena_core::referee::{GameEnd, Referee, RefereeSetup};
use arena_core::rules::{Move, Outcome, Picture, Refusal, Rules, Seat, State, Variant, Viewer, play};
use arena_core::speech::DialectOptions;
use proptest::prelude::*;

use super::dialect::{Dialect, Meaning, Outgoing, Protocol, Response, Terms};
use super::registry::PROTOCOLS;

/// A message, or a line of the bot.
#[derive(Debug, Clone)]
enum Step {
    Hello,
    NewGame,
    Sync,
    /// A question after this many moves.
    Question(usize),
    GameEnd,
    /// A line, and whether it may be an answer.
    Line(Vec<u8>, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = "(OK|ok|MESSAGE|DEBUG|ERROR|UNKNOWN|SUGGEST|uciok|ugiok|readyok|bestmove b3|bestmove|info depth 3 score cp 20|name=\"x\"|version=|7,7|-1,99|7;8|3|99999999999999999999,1|\\{|\\}| |,|\
                 \"type\":\"move\"|\"type\":\"ready\"|é|\\\\){0,6}";
    let line = prop_oneof![words.prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..40)];
    let step = prop_oneof![
        1 => Just(Step::Hello),
        1 => Just(Step::NewGame),
        1 => Just(Step::Sync),
        2 => (0_usize..12).prop_map(Step::Question),
        1 => Just(Step::GameEnd),
        6 => (line, any::<bool>()).prop_map(|(line, asked)| Step::Line(line, asked)),
    ];
    prop::collection::vec(step, 0..30)
}

/// The first game that its bots play.
fn game_of(protocol: &Protocol) -> Variant {
    let mut games = Variant::names().filter_map(|name| Variant::named(name).ok());
    games.find(|variant| (protocol.plays)(variant, false).is_ok()).unwrap_or_else(|| of_a_program().expect("a game"))
}

/// A game with positions for bots of every protocol, as a program can have it.
fn of_a_program() -> Option<Variant> {
    static RULES: Rules = Rules {
        protocols: &["uci", "ugi", "lines"],
        text_moves: true,
        ..Rules::new("laws", "", &|_, _| Ok(Box::new(Count { ply: 0, lines: ["x".to_owned()] })))
    };
    let params = Variant::named("connect4").ok()?.params;
    Some(Variant { rules: &RULES, params, label: RULES.name })
}

/// Thirty moves, each with a choice of words.
#[derive(Debug, Clone)]
struct Count {
    ply: usize,
    lines: [String; 1],
}

impl State for Count {
    fn to_move(&self) -> Seat {
        Seat::BOTH[self.ply % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.ply >= 30).then_some(Outcome { winner: None, reason: "over" })
    }

    fn legal_count(&self) -> u64 {
        if self.ply < 30 { 3 } else { 0 }
    }

    fn nth_legal(&self, index: u64) -> Move {
        Move::Text(format!("{}{}", ['a', 'b', 'c'][index as usize], self.ply))
    }

    fn apply(&mut self, _: &Move) -> Result<(), Refusal> {
        self.ply += 1;
        Ok(())
    }

    fn write_view(&self, _: Seat, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{}");
    }

    fn key(&self) -> Vec<u8> {
        self.ply.to_le_bytes().to_vec()
    }

    fn picture(&self, _: Viewer) -> Picture {
        Picture::Text(String::new())
    }

    fn engine_start(&self) -> Option<&str> {
        Some("startpos")
    }

    fn turn_lines(&self) -> &[String] {
        &self.lines
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

fn dialect_of(protocol: &Protocol) -> Box<dyn Dialect> {
    (protocol.dialect)([1, 2], &DialectOptions::new(), Terms::of_memory_mb(1_024))
}

/// Some legal moves.
fn moves_of(variant: &Variant, count: usize) -> Vec<Move> {
    let mut state = variant.start(1).unwrap();
    let mut moves = Vec::new();
    // Far apart, so that no line wins soon.
    while moves.len() < count && state.outcome().is_none() {
        let next = state.nth_legal(moves.len() as u64 * 5 % state.legal_count());
        play(state.as_mut(), std::slice::from_ref(&next)).expect("legal");
        moves.push(next);
    }
    moves
}

/// What is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Hello,
    Game,
    Sync,
    Move,
}

/// Follows the steps; returns what was written, and what was answered. Fails if an answer comes that is not due.
fn follow(protocol: &Protocol, steps: &[Step]) -> Result<(Vec<u8>, Vec<String>), TestCaseError> {
    let variant = game_of(protocol);
    let clock = TimeControl::per_move(Duration::from_secs(1));
    let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
    let mut dialect = dialect_of(protocol);
    let (mut out, mut answers, mut open) = (Vec::new(), Vec::new(), None);
    for step in steps {
        let written = match step {
            Step::Line(line, asked) => {
                if let Meaning::Response(response, _) = dialect.read(line, *asked) {
                    let fits = match response {
                        Response::Hello(_) => Asked::Hello,
                        Response::Ready | Response::Decline(_) => Asked::Game,
                        Response::Synced => Asked::Sync,
                        Response::Move(_) | Response::Resign => Asked::Move,
                    };
                    prop_assert!(*asked, "an answer to what did not arrive: {line:?}");
                    prop_assert_eq!(open.take(), Some(fits), "{:?}", line);
                    answers.push(format!("{response:?}"));
                }
                continue;
            }
            Step::Hello => {
                open = Some(Asked::Hello);
                dialect.write(Outgoing::Hello { startup: Duration::from_secs(10) }, &mut out)
            }
            Step::NewGame => {
                open = Some(Asked::Game);
                dialect.write(Outgoing::NewGame(&setup.start([3, 4], Seat::First)), &mut out)
            }
            Step::Sync => {
                open = Some(Asked::Sync);
                dialect.write(Outgoing::Sync, &mut out)
            }
            Step::Question(count) => {
                let moves = moves_of(&variant, *count);
                let mut referee = Referee::new(&RefereeSetup { opening: &moves, ..setup }).expect("legal moves");
                let Some(question) = referee.next_question() else { continue };
                open = Some(Asked::Move);
                dialect.write(Outgoing::Question(&question), &mut out)
            }
            Step::GameEnd => {
                let (result, reason) = (GameResult::Draw, "full");
                // What was asked ahead of a question that does not come is still answered.
                open = open.filter(|asked| *asked == Asked::Sync && dialect.syncs_ahead());
                dialect.write(
                    Outgoing::GameEnd(&GameEnd { seat: Seat::First, result, reason, moves: &[], reveal: None }),
                    &mut out,
                )
            }
        };
        if written.is_some() {
            open = None;
        }
    }
    Ok((out, answers))
}

proptest! {
    #[test]
    fn only_what_is_asked_is_answered_and_equal_inputs_give_equal_bytes(steps in steps()) {
        for protocol in PROTOCOLS {
            let once = follow(protocol, &steps)?;
            prop_assert_eq!(&once, &follow(protocol, &steps)?, "{}", protocol.name);
        }
    }

    #[test]
    fn remarks_change_nothing_that_is_written(steps in steps(), at in any::<prop::sample::Index>()) {
        // Where all lines are answers, there are no remarks.
        for protocol in PROTOCOLS.iter().filter(|protocol| protocol.is_greeted) {
            let mut with_remark = steps.clone();
            with_remark.insert(at.index(steps.len() + 1), Step::Line(b"MESSAGE thinking".to_vec(), true));
            let (plain, noted) = (follow(protocol, &steps)?, follow(protocol, &with_remark)?);
            prop_assert_eq!((plain.0, plain.1.len()), (noted.0, noted.1.len()), "{}", protocol.name);
        }
    }
}

/// When a bot writes an answer that is one too many.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TooMany {
    /// Before it is asked anything, with its answer or later.
    Unasked,
    /// After it was asked whether it is done, and before it says so.
    WhenSynced,
    /// After the next question.
    Late,
}

/// For each question of a game, the answers that are too many: when, and whether it is the same move again.
fn too_many() -> impl Strategy<Value = Vec<Vec<(TooMany, bool)>>> {
    let when = prop_oneof![Just(TooMany::Unasked), Just(TooMany::WhenSynced), Just(TooMany::Late)];
    prop::collection::vec(prop::collection::vec((when, any::<bool>()), 0..4), 1..5)
}

/// A talk with a bot that answers each question, and writes further answers to it. Where its protocol cannot tell a line that
/// comes later from an answer, it comes as soon as it still can. Returns the moves that it means and those that are taken, and
/// how many lines are too many and how many are dropped.
fn answer_too_often(protocol: &Protocol, too_many: &[Vec<(TooMany, bool)>]) -> ([Vec<String>; 2], [usize; 2]) {
    let variant = game_of(protocol);
    let clock = TimeControl::per_move(Duration::from_secs(1));
    let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
    let (mut dialect, mut out) = (dialect_of(protocol), Vec::new());
    let (mut meant, mut taken, mut surplus, mut dropped) = (Vec::new(), Vec::new(), 0, 0);
    dialect.write(Outgoing::Hello { startup: Duration::from_secs(10) }, &mut out);
    dialect.write(Outgoing::NewGame(&setup.start([3, 4], Seat::First)), &mut out);
    dialect.read(dialect.reply(&Response::Ready).as_bytes(), true);
    let mut late: Vec<String> = Vec::new();
    for (index, too_many) in too_many.iter().enumerate() {
        let moves = moves_of(&variant, 2 * index + 2);
        let mut referee = Referee::new(&RefereeSetup { opening: &moves[..2 * index], ..setup }).expect("legal moves");
        let Some(question) = referee.next_question() else { break };
        dialect.write(Outgoing::Question(&question), &mut out);
        let [own, other] = [0, 1].map(|at| dialect.reply(&Response::Move(moves[2 * index + at].clone().into())));
        let mut hear = |dialect: &mut dyn Dialect, line: &str, asked: bool| match dialect.read(line.as_bytes(), asked) {
            Meaning::Response(Response::Move(reply), _) => taken.push(reply.played.to_string()),
            Meaning::Surplus(Surplus::Stale, _) => dropped += 1,
            _ => {}
        };
        late.drain(..).for_each(|line| hear(dialect.as_mut(), &line, true));
        meant.push(moves[2 * index].to_string());
        hear(dialect.as_mut(), &own, true);
        surplus += too_many.len();
        let mut is_synced = false;
        for (when, is_same) in too_many {
            let line = if *is_same { &own } else { &other };
            if *when == TooMany::Late && dialect.marks_replies() {
                late.push(line.clone());
                continue;
            }
            // Whatever it writes comes before its answer to that.
            if !is_synced && *when != TooMany::Unasked && dialect.sync_again().is_some() {
                is_synced = true;
                dialect.write(Outgoing::Sync, &mut out);
            }
            hear(dialect.as_mut(), line, is_synced);
        }
    }
    ([meant, taken], [surplus - late.len(), dropped])
}

proptest! {
    #[test]
    fn an_answer_too_many_answers_no_other_question(too_many in too_many()) {
        for protocol in PROTOCOLS {
            let ([meant, taken], [surplus, dropped]) = answer_too_often(protocol, &too_many);
            prop_assert_eq!(meant, taken, "{}", protocol.name);
            prop_assert_eq!(surplus, dropped, "{}: all are counted", protocol.name);
        }
    }
}

#[test]
fn bots_of_other_protocols_play_games_that_hide_nothing() {
    for protocol in PROTOCOLS.iter().filter(|protocol| !protocol.games.is_empty()) {
        for variant in Variant::names().filter_map(|name| Variant::named(name).ok()) {
            let plays = (protocol.plays)(&variant, true).is_ok();
            assert!(!plays || variant.rules.open_information, "{}: {variant}", protocol.name);
        }
        for game in protocol.games {
            let variant = Variant::named(game).expect("a game");
            assert_eq!((protocol.plays)(&variant, false), Ok(()), "{}: {game}", protocol.name);
        }
    }
}

#[test]
fn all_that_is_written_ends_in_a_newline_and_the_names_are_told_apart() {
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let begins = protocol.words.new_game_begins;
        let (out, _) =
            follow(protocol, &[Step::Hello, Step::Question(3), Step::Question(5), Step::GameEnd]).expect("a talk");
        assert!(out.ends_with(b"\n"), "{}", protocol.name);
        let (start, _) = follow(protocol, &[Step::NewGame]).expect("a talk");
        assert!(start.starts_with(begins.as_bytes()), "{}", protocol.name);
        assert!(PROTOCOLS[..index].iter().all(|other| other.name != protocol.name), "{}", protocol.name);
    }
}
