//! A person at a board: games against bots or another person, with moves taken back, hints and bots that are watched.
//!
//! A [`Sitting`] is a state machine: what a person does and the [`SittingNews`] of the game go in, requests to its [`Runner`] come
//! out. It knows no thread, no terminal and no clock. [`GameThread`] is the runner: a thread that plays games by
//! [`game::play`](arena_play::game::play), as in a tournament.

mod error;
mod news;
mod record;
mod seen;
mod setup;
mod thoughts;
mod thread;
mod typed;

pub use error::SittingError;
pub use news::{Begin, Ended, Hint, Runner, SittingNews};
pub use record::save;
pub use setup::{Participant, SittingSetup};
pub use thoughts::Thoughts;
pub use thread::{GameThread, ThreadSettings};
use typed::word;
pub use typed::{plain, read_move};

use std::time::Duration;

use arena_core::record::{GameResult, Played, Record};
use arena_core::referee::Verdict;
use arena_core::rng::derive_seed;
use arena_core::rules::{Move, MoveError, Refusal, RulesFault, Seat, State, illegal_move, play, step};
use arena_play::player::human::{Input, STOPPED};
use arena_show::views::Story;

/// What a game is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The bots get ready, or a move is judged.
    Busy,
    /// A bot's move.
    Thinking,
    /// A key, so that a bot is asked.
    Waiting,
    /// A person's move.
    Yours,
    /// Nothing: the game is over.
    Over,
}

/// A move that was made.
#[derive(Debug, Clone)]
pub struct PlayedPly {
    /// Who made it.
    pub seat: Seat,
    /// The move.
    pub played: Move,
    /// What people call it, escaped.
    pub word: String,
    /// What was measured; none for moves that the game began with.
    pub measured: Option<Played>,
}

/// One person, or two, or none, at a board.
pub struct Sitting {
    setup: SittingSetup,
    runner: Box<dyn Runner>,
    /// The number of the game that runs, or ran last: news of others are old.
    number: u64,
    /// The number of games begun anew.
    fresh: u64,
    seed: u64,
    seats: [usize; 2],
    /// Plies of the opening.
    opening: usize,
    plies: Vec<PlayedPly>,
    /// Plies that were taken back, the latest last.
    undone: Vec<Vec<PlayedPly>>,
    taken_back: u32,
    state: Box<dyn State>,
    phase: Phase,
    limit: Option<Duration>,
    hint: Option<Result<Hint, String>>,
    is_asking_hint: bool,
    thoughts: [Thoughts; 2],
    ending: Option<Story>,
    /// The number of the game that was saved last, and what came of it.
    saved: Option<(u64, Result<String, String>)>,
}

impl Sitting {
    /// Sits down and begins the first game.
    ///
    /// # Errors
    ///
    /// Returns which move of the opening is not legal.
    pub fn new(setup: SittingSetup, runner: Box<dyn Runner>) -> Result<Self, SittingError> {
        let seed = setup.first_seed.unwrap_or_else(|| derive_seed(setup.seed, "play", &[b"0"]));
        let mut sitting = Self {
            number: 0,
            fresh: 0,
            seed,
            seats: setup.seats,
            opening: setup.opening.len(),
            plies: Vec::new(),
            undone: Vec::new(),
            taken_back: 0,
            state: setup.variant.start(seed)?,
            phase: Phase::Busy,
            limit: None,
            hint: None,
            is_asking_hint: false,
            thoughts: Default::default(),
            ending: None,
            saved: None,
            setup,
            runner,
        };
        for (index, played) in sitting.setup.opening.iter().enumerate() {
            let seat = sitting.state.to_move();
            let word = word(sitting.state.as_ref(), played);
            step(sitting.state.as_mut(), played).map_err(|why| SittingError::Opening { number: index + 1, why })?;
            sitting.plies.push(PlayedPly { seat, played: played.clone(), word, measured: None });
        }
        sitting.runner.pause(sitting.setup.is_paused);
        sitting.begin();
        Ok(sitting)
    }

    /// Plays on from the moves that there are.
    fn begin(&mut self) {
        self.number += 1;
        (self.phase, self.hint, self.ending, self.limit) = (Phase::Busy, None, None, None);
        self.is_asking_hint = false;
        let moves: Vec<Move> = self.plies.iter().map(|ply| ply.played.clone()).collect();
        match self.setup.variant.start(self.seed) {
            Ok(state) => self.state = state,
            Err(fault) => return self.fail(fault),
        }
        // They were legal when they were made.
        if let Err((_, MoveError::Broken(fault))) = play(self.state.as_mut(), &moves) {
            return self.fail(fault);
        }
        let is_new = self.undone.is_empty() && self.plies.len() == self.opening;
        let begin = self.begin_from(moves, is_new);
        self.runner.begin(begin);
    }

    fn begin_from(&self, opening: Vec<Move>, is_new: bool) -> Begin {
        let Self { number, seats, seed, .. } = *self;
        Begin { number, seats, seed, opening, to_move: self.state.to_move(), is_new }
    }

    /// Takes news of the game. Returns whether they are of the game that is played now.
    pub fn news(&mut self, news: SittingNews) -> bool {
        if news.game().is_some_and(|game| game != self.number) {
            return false;
        }
        match news {
            SittingNews::Asked { limit, .. } => {
                let is_person = self.mover().is_person;
                self.phase = if is_person { Phase::Yours } else { Phase::Thinking };
                self.limit = (is_person && self.setup.is_timed).then_some(limit);
            }
            SittingNews::Waiting { .. } => {
                self.phase = Phase::Waiting;
                // It may have begun to wait just before it was told not to.
                if !self.setup.is_paused {
                    self.step();
                }
            }
            SittingNews::Moved { ply, played, measured, .. } => {
                // The referee has checked it; the first news of a ply count.
                if ply == self.plies.len() && self.state.is_legal(&played) {
                    let seat = self.state.to_move();
                    let word = word(self.state.as_ref(), &played);
                    match self.state.apply(&played) {
                        Ok(()) => {}
                        Err(Refusal::Illegal(_) | Refusal::Deadly(_)) => return true,
                        Err(Refusal::Broken(fault)) => {
                            self.fail(fault);
                            return true;
                        }
                    }
                    self.plies.push(PlayedPly { seat, played, word, measured: Some(measured) });
                    self.undone.clear();
                    (self.phase, self.hint) = (Phase::Busy, None);
                }
            }
            SittingNews::Ended { ended, .. } => self.end(*ended),
            SittingNews::Hint { hint, ply, .. } => {
                self.is_asking_hint = false;
                if ply == self.plies.len() {
                    self.hint = Some(hint);
                }
            }
            SittingNews::Tapped { participant } => {
                let (lines, dropped) = self.runner.lines(participant);
                if let Some(thoughts) = self.thoughts.get_mut(participant) {
                    thoughts.add(lines, dropped);
                }
            }
        }
        true
    }

    /// Ends the game, because the rules failed.
    fn fail(&mut self, fault: Box<RulesFault>) {
        self.runner.say(Input::Stop);
        self.end(Ended::stopped(Verdict::of_rules(fault)));
    }

    fn end(&mut self, ended: Ended) {
        if self.phase == Phase::Over {
            return;
        }
        (self.phase, self.hint) = (Phase::Over, None);
        let record = self.record(ended);
        self.save(&record);
        let variant = self.setup.variant.clone();
        self.ending = Story::new(record, variant).ok();
    }

    /// Saves a game in which a move was made.
    fn save(&mut self, record: &Record) {
        if record.moves.len() > record.opening.len() || record.result != GameResult::Void {
            self.saved = Some((self.number, self.runner.save(record)));
        }
    }

    /// Plays a move for the person on move.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be played.
    pub fn play(&mut self, played: &Move) -> Result<(), SittingError> {
        self.check_turn()?;
        if !self.state.is_legal(played) {
            return Err(illegal_move(self.state.as_ref(), played).into());
        }
        self.runner.say(Input::Move { ply: self.plies.len(), played: played.clone() });
        self.phase = Phase::Busy;
        Ok(())
    }

    /// Gives up for the person on move.
    ///
    /// # Errors
    ///
    /// Returns why that is not possible.
    pub fn resign(&mut self) -> Result<(), SittingError> {
        self.check_turn()?;
        self.runner.say(Input::Resign { ply: self.plies.len() });
        self.phase = Phase::Busy;
        Ok(())
    }

    /// Asks for a hint.
    ///
    /// # Errors
    ///
    /// Returns why there is none.
    pub fn ask_hint(&mut self) -> Result<(), SittingError> {
        self.check_turn()?;
        let Some(name) = &self.setup.hints else {
            return Err(SittingError::NoHints);
        };
        if self.is_asking_hint {
            return Err(SittingError::ThinksAlready(name.clone()));
        }
        let moves = self.plies.iter().map(|ply| ply.played.clone()).collect();
        self.is_asking_hint = true;
        self.hint = None;
        let position = self.begin_from(moves, false);
        self.runner.ask_hint(position);
        Ok(())
    }

    fn check_turn(&self) -> Result<(), SittingError> {
        match self.phase {
            Phase::Yours => Ok(()),
            Phase::Over => Err(SittingError::Over),
            Phase::Busy => Err(SittingError::Busy),
            Phase::Thinking | Phase::Waiting => Err(SittingError::NotOnMove(self.mover().name.clone())),
        }
    }

    /// Takes back the last move of the person, and the answer to it; of two people, or none, the last move. Returns how
    /// many plies were taken back.
    ///
    /// # Errors
    ///
    /// Returns why that is not possible.
    pub fn undo(&mut self) -> Result<usize, SittingError> {
        if !self.is_open() {
            return Err(SittingError::Hidden(self.setup.variant.label));
        }
        let from = self.opening;
        let person = self.only_person();
        let is_own = |ply: usize| person.is_none_or(|seat| self.plies[ply].seat == seat);
        let Some(keep) = (from..self.plies.len()).rev().find(|ply| is_own(*ply)) else {
            return Err(SittingError::NothingToUndo);
        };
        let taken = self.plies.split_off(keep);
        let count = taken.len();
        self.undone.push(taken);
        self.taken_back += 1;
        self.hold_watched();
        self.begin();
        Ok(count)
    }

    /// Plays again what was taken back last.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing was taken back, or another move was made since.
    pub fn redo(&mut self) -> Result<usize, SittingError> {
        let taken = self.undone.pop().ok_or(SittingError::NothingToRedo)?;
        let count = taken.len();
        self.plies.extend(taken);
        self.taken_back = self.taken_back.saturating_sub(1);
        self.hold_watched();
        self.begin();
        Ok(count)
    }

    /// Where no person plays, a bot would at once make the move again that was taken back.
    fn hold_watched(&mut self) {
        if self.persons() == 0 {
            self.set_paused(true);
        }
    }

    /// Begins a new game; with `swap`, in swapped seats. The one that runs is stopped. If it is already being stopped, its
    /// bots are killed.
    pub fn new_game(&mut self, swap: bool) {
        if self.phase == Phase::Busy {
            self.runner.kill_bots();
        }
        self.abandon();
        if swap {
            self.seats.swap(0, 1);
        }
        self.fresh += 1;
        self.seed = derive_seed(self.setup.seed, "play", &[self.fresh.to_string().as_bytes()]);
        self.opening = 0;
        self.plies.clear();
        self.undone.clear();
        self.taken_back = 0;
        self.begin();
    }

    /// Stops the game that runs, and saves it as stopped.
    pub fn abandon(&mut self) {
        if self.phase != Phase::Over {
            self.phase = Phase::Over;
            let verdict = Verdict::new(GameResult::Void, STOPPED.to_owned());
            let record = self.record(Ended::stopped(verdict));
            self.save(&record);
        }
    }

    /// Lets the waiting bot move.
    pub fn step(&mut self) {
        if self.phase == Phase::Waiting {
            self.phase = Phase::Busy;
            self.runner.say(Input::Step);
        }
    }

    /// Lets bots wait before each move, or not.
    pub fn set_paused(&mut self, is_paused: bool) {
        self.setup.is_paused = is_paused;
        self.runner.pause(is_paused);
        if !is_paused {
            self.step();
        }
    }
}

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
