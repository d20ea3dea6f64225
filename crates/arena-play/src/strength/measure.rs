//! Plays a bot against rungs near its strength, until that is known well enough.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::scope;
use std::time::{Duration, Instant};

use arena_core::analysis::{Asked, Line, Memory, Verdict, Walker, verdict};
use arena_core::clock::TimeControl;
use arena_core::event::bot_seeds;
use arena_core::record::{GameResult, Status};
use arena_core::referee::RefereeSetup;
use arena_core::rules::{Move, Seat, Variant};
use arena_core::solver::Known;
use arena_core::stats::{FixedPair, Strength, strength};
use arena_sys::time::now;

use super::ladder::{Ladder, RatedRung};
use crate::game;
use crate::player::Player;
use crate::player::engine::EnginePlayer;
use crate::player::process::{Bot, Launch, SharedProcessor};

/// Faults and void games after which it ends.
const TROUBLE_MAX: u32 = 3;
/// Pairs with all points, or with none, after which it ends: the bound hardly moves any more.
const ONE_SIDED_MAX: usize = 20;
/// Pairs in a row that repeat earlier games, after which it ends.
const REPEATED_MAX: u32 = 10;
/// Positions searched to judge one position of a game.
const NODES: u64 = 1_000_000;

/// A measurement.
#[derive(Debug, Clone, Copy)]
pub struct Measurement<'a> {
    /// The bot.
    pub launch: &'a Arc<Launch>,
    /// The game.
    pub variant: &'a Variant,
    /// The time control of the bot; rungs do a fixed amount of work.
    pub clock: TimeControl,
    /// The rungs.
    pub ladder: &'a Ladder,
    /// An opening for each pair.
    pub openings: &'a [Vec<Move>],
    /// The margin that is enough.
    pub margin: f64,
    /// No pair begins that may last longer.
    pub time: Duration,
    /// Pairs at a time.
    pub concurrency: usize,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// All pairs.
    pub pairs: Vec<FixedPair>,
    /// How far results against a single rung deviate from the ratings, in Elo.
    pub misfit: f64,
    /// Games that repeat another one move for move, and do not count.
    pub repeated: u32,
    /// Faults of the bot, which lose.
    pub faults: u32,
    /// What the first one was.
    pub first_fault: Option<String>,
    /// Why a game was void, the first time.
    pub first_void: Option<String>,
    /// Games of which every move of the bot was judged, and the results that it gave away in them.
    pub judged: [u32; 2],
}

impl Measured {
    /// Games that count.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.pairs.iter().map(|pair| pair.games).sum()
    }

    /// The strength, if there are games.
    #[must_use]
    pub fn strength(&self) -> Option<Strength> {
        strength(&self.pairs, self.misfit)
    }
}

/// What the threads share.
struct Progress {
    measured: Measured,
    seen: HashSet<(&'static str, Seat, Vec<Move>)>,
    begun: usize,
    repeated_in_a_row: u32,
    voids: u32,
    /// The longest pair so far.
    longest: Duration,
}

/// A game of the bot.
struct Played {
    moves: Vec<Move>,
    /// None for a void game.
    points: Option<f64>,
    trouble: Option<String>,
}

impl Measurement<'_> {
    /// Plays until the margin is reached, or the time is over, or `stop` is set. `show` is called after each pair.
    pub fn run(
        &self,
        runtime: &tokio::runtime::Handle,
        stop: &AtomicBool,
        show: &(dyn Fn(&Measured) + Sync),
    ) -> Measured {
        let progress = Mutex::new(Progress {
            measured: Measured { misfit: self.ladder.misfit, ..Measured::default() },
            seen: HashSet::new(),
            begun: 0,
            repeated_in_a_row: 0,
            voids: 0,
            longest: Duration::ZERO,
        });
        let memory = Memory::default();
        let start = now();
        scope(|threads| {
            for _ in 0..self.concurrency {
                threads.spawn(|| {
                    let mut bot = Bot::new(Arc::clone(self.launch), runtime.clone(), SharedProcessor::default());
                    let asked = Asked { only_result: true, nodes: NODES };
                    let mut walker = Walker::new(self.variant, asked, &memory).ok();
                    while let Some((rung, number)) = self.next(&progress, start, stop) {
                        let begun = now();
                        let games = Seat::BOTH.map(|seat| self.play(&mut bot, rung, seat, number));
                        let judged = Seat::BOTH.map(|seat| {
                            let walker = walker.as_mut()?;
                            self.given_away(walker, &games[seat.index()].moves, seat, number, stop)
                        });
                        let mut progress = lock(&progress);
                        progress.add(rung, games, judged);
                        progress.longest = progress.longest.max(now() - begun);
                        show(&progress.measured);
                    }
                    bot.leave();
                });
            }
        });
        progress.into_inner().unwrap_or_else(PoisonError::into_inner).measured
    }

    /// The rung for the next pair, and its opening; `None` at the end.
    fn next(&self, progress: &Mutex<Progress>, start: Instant, stop: &AtomicBool) -> Option<(RatedRung, usize)> {
        let mut progress = lock(progress);
        if stop.load(Ordering::Relaxed)
            || progress.begun >= self.openings.len()
            || now() - start + progress.longest > self.time
            || progress.is_done(self.margin)
        {
            return None;
        }
        progress.begun += 1;
        Some((self.ladder.next(&progress.measured.pairs), progress.begun - 1))
    }

    /// A game with the bot in this seat.
    fn play(&self, bot: &mut Bot, rung: RatedRung, seat: Seat, number: usize) -> Played {
        let (strategy, options) = rung.rung.strategy();
        let mut other = EnginePlayer::untimed(strategy, options);
        let (seed, opening) = (number as u64, &self.openings[number]);
        let setup = RefereeSetup { variant: self.variant, seed, opening, clock: self.clock, max_plies: None };
        let mut players: [&mut dyn Player; 2] = [bot, &mut other];
        players.rotate_left(seat.index());
        let referee = match game::play(&setup, bot_seeds(seed, seat.name()), players, None) {
            Ok((referee, _)) => referee.into_game(),
            Err(why) => return Played { moves: Vec::new(), points: None, trouble: Some(why.to_string()) },
        };
        let status = referee.verdict.statuses[seat.index()];
        let points = match referee.verdict.result {
            GameResult::Void => None,
            GameResult::Draw => Some(0.5),
            GameResult::FirstWins => Some(if seat == Seat::First { 1.0 } else { 0.0 }),
            GameResult::SecondWins => Some(if seat == Seat::Second { 1.0 } else { 0.0 }),
        };
        let evidence = referee.verdict.evidence[seat.index()].as_ref();
        let fault = || format!("{status}: {}", evidence.map(|it| it.sentence(status)).unwrap_or_default());
        let trouble = match points {
            None => Some(referee.verdict.reason),
            Some(_) if Status::is_fault(status) => Some(fault()),
            Some(_) => None,
        };
        Played { moves: referee.moves, points, trouble }
    }

    /// Results that the bot gave away in a game; `None` if not all of its moves could be judged.
    fn given_away(
        &self,
        walker: &mut Walker<'_>,
        moves: &[Move],
        seat: Seat,
        number: usize,
        stop: &AtomicBool,
    ) -> Option<u32> {
        let line = Line::replay(self.variant, number as u64, self.openings[number].len(), moves).ok()?;
        let found = walker.walk(&line, &|| stop.load(Ordering::Relaxed))?;
        let last = line.last_worth().map(Known::Exact);
        let mut count = 0;
        for place in (0..line.movers.len()).filter(|place| line.movers[*place] == seat) {
            let (before, after) = (found.values[place]?, found.after(place, last)?);
            count += u32::from(matches!(verdict(before, after), Verdict::GaveAway(_)));
        }
        Some(count)
    }
}

impl Progress {
    fn is_done(&self, margin: f64) -> bool {
        let measured = &self.measured;
        self.repeated_in_a_row >= REPEATED_MAX
            || measured.faults >= TROUBLE_MAX
            || self.voids >= TROUBLE_MAX
            || match measured.strength() {
                None => false,
                Some(Strength::Rated { margin: found, .. }) => found <= margin,
                Some(Strength::Above(_) | Strength::Below(_)) => measured.pairs.len() >= ONE_SIDED_MAX,
            }
    }

    fn add(&mut self, rung: RatedRung, games: [Played; 2], judged: [Option<u32>; 2]) {
        let mut pair = FixedPair { rating: rung.elo, games: 0, points: 0.0 };
        for ((seat, played), judged) in Seat::BOTH.into_iter().zip(games).zip(judged) {
            let Some(points) = played.points else {
                self.voids += 1;
                self.measured.first_void = self.measured.first_void.take().or(played.trouble);
                continue;
            };
            if played.trouble.is_some() {
                self.measured.faults += 1;
                self.measured.first_fault = self.measured.first_fault.take().or(played.trouble);
            }
            if !self.seen.insert((rung.rung.name, seat, played.moves)) {
                self.measured.repeated += 1;
                continue;
            }
            pair.games += 1;
            pair.points += points;
            if let Some(given_away) = judged {
                self.measured.judged[0] += 1;
                self.measured.judged[1] += given_away;
            }
        }
        self.repeated_in_a_row = if pair.games == 0 { self.repeated_in_a_row + 1 } else { 0 };
        if pair.games > 0 {
            self.measured.pairs.push(pair);
        }
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
