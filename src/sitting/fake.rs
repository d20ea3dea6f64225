//! A sitting without a thread, for tests.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Begin, Ended, Participant, Runner, Sitting, SittingNews, SittingSetup};
use crate::clock::TimeControl;
use crate::player::human::Input;
use crate::player::process::TappedLine;
use crate::record::{GameResult, Played, Record};
use crate::referee::Verdict;
use crate::rules::{Move, State};

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

impl Sitting {
    /// The player on move is asked.
    pub(crate) fn asked(&mut self) {
        self.news(SittingNews::Asked { game: self.number, limit: std::time::Duration::from_secs(1) });
    }

    /// The move is made, and the next player is asked.
    pub(crate) fn made(&mut self, played: &Move, measured: Played) {
        let ply = self.plies.len();
        self.news(SittingNews::Moved { game: self.number, ply, played: played.clone(), measured });
        match self.state.outcome() {
            Some(outcome) => {
                let verdict = Verdict::new(GameResult::of(outcome.winner), outcome.reason.to_owned());
                self.ended(verdict);
            }
            None => self.asked(),
        }
    }

    pub(crate) fn ended(&mut self, verdict: Verdict) {
        self.news(SittingNews::Ended { game: self.number, ended: Box::new(Ended::stopped(verdict)) });
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

/// A legal move, the same each time.
pub(crate) fn some_move(state: &dyn State) -> Option<Move> {
    let count = state.legal_count();
    (count > 0).then(|| state.nth_legal(count / 2))
}
