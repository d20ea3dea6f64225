//! A sitting without a thread, for tests: those here, and those of the screens, which include this file.
#![allow(dead_code, reason = "each crate uses a part of it")]

use std::cell::RefCell;
use std::rc::Rc;

use arena_core::clock::TimeControl;
use arena_core::record::{GameResult, Played, Record};
use arena_core::referee::Verdict;
use arena_core::rules::{Move, State};
use arena_play::player::human::Input;
use arena_play::player::process::TappedLine;

use arena_run::sitting::{Begin, Ended, Participant, Runner, Sitting, SittingNews, SittingSetup};

/// What the runner was asked for.
#[derive(Debug, Clone)]
pub(crate) enum Did {
    Begin(Begin),
    Say,
    Pause(bool),
    Hint,
    Kill,
    Save(Box<Record>),
}

#[derive(Default)]
pub(crate) struct Log {
    pub(crate) did: Vec<Did>,
    /// Lines that bots have written, by participant.
    pub(crate) lines: [Vec<TappedLine>; 2],
}

struct Fake(Rc<RefCell<Log>>);

impl Fake {
    fn note(&self, did: Did) {
        self.0.borrow_mut().did.push(did);
    }
}

impl Runner for Fake {
    fn begin(&mut self, game: Begin) {
        self.note(Did::Begin(game));
    }

    fn say(&mut self, _: Input) {
        self.note(Did::Say);
    }

    fn pause(&mut self, is_paused: bool) {
        self.note(Did::Pause(is_paused));
    }

    fn ask_hint(&mut self, _: Begin) {
        self.note(Did::Hint);
    }

    fn kill_bots(&mut self) {
        self.note(Did::Kill);
    }

    fn lines(&mut self, participant: usize) -> (Vec<TappedLine>, usize) {
        (std::mem::take(&mut self.0.borrow_mut().lines[participant]), 0)
    }

    fn save(&mut self, record: &Record) -> Result<String, String> {
        self.note(Did::Save(Box::new(record.clone())));
        Ok(format!("arena replay {}", record.id))
    }
}

/// A sitting of two players, `human` or names of bots, after `opening`, as JSON.
pub(crate) fn sitting(game: &str, players: [&str; 2], opening: &str) -> (Sitting, Rc<RefCell<Log>>) {
    let participant =
        |name: &str| if name == "human" { Participant::person() } else { Participant::bot(name, "0123456789abcdef") };
    let setup = SittingSetup {
        variant: game.parse().unwrap(),
        seed: 1,
        first_seed: None,
        clock: TimeControl::per_move(std::time::Duration::from_secs(1)),
        is_timed: false,
        opening: serde_json::from_str(opening).unwrap(),
        participants: players.map(participant),
        seats: [0, 1],
        is_paused: false,
        hints: Some("mcts".to_owned()),
    };
    let log = Rc::new(RefCell::new(Log::default()));
    (Sitting::new(setup, Box::new(Fake(Rc::clone(&log)))).unwrap(), log)
}

/// What would come from the thread that plays.
pub(crate) trait Scripted {
    /// The player on move is asked.
    fn asked(&mut self);
    /// The move is made, and the next player is asked.
    fn made(&mut self, played: &Move, measured: Played);
    /// The game ends.
    fn ended(&mut self, verdict: Verdict);
}

impl Scripted for Sitting {
    fn asked(&mut self) {
        self.news(SittingNews::Asked { game: self.number(), limit: std::time::Duration::from_secs(1) });
    }

    fn made(&mut self, played: &Move, measured: Played) {
        let ply = self.plies().len();
        self.news(SittingNews::Moved { game: self.number(), ply, played: played.clone(), measured });
        match self.state().outcome() {
            Some(outcome) => {
                let verdict = Verdict::new(GameResult::of(outcome.winner), outcome.reason.to_owned());
                self.ended(verdict);
            }
            None => self.asked(),
        }
    }

    fn ended(&mut self, verdict: Verdict) {
        self.news(SittingNews::Ended { game: self.number(), ended: Box::new(Ended::stopped(verdict)) });
    }
}

/// A legal move, the same each time.
pub(crate) fn some_move(state: &dyn State) -> Option<Move> {
    let count = state.legal_count();
    (count > 0).then(|| state.nth_legal(count / 2))
}
