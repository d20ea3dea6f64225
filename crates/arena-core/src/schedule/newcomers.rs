//! Newcomers: of a bot that is added to a finished tournament, the games that tell most about its strength come first. Only
//! the order of issuing changes; places, results and tables are the same.
//!
//! The strengths of the other bots are known with variances v. What m pairs against opponent j say about the newcomer, in
//! terms of Fisher's information, is
//!
//! ```text
//! I(m) = 1 / (v + 1 / (2 m p (1-p))),   p = 1 / (1 + exp(θ_j - θ))
//! ```
//!
//! since neither its own result nor the opponent's strength is exact. The next pair is the one with the largest
//! I(m+1) - I(m). θ is the most probable strength given the results so far and the strengths of the field.

use std::collections::VecDeque;

use super::{Brief, PlaceState, Scheduler};
use crate::rules::Seat;
use crate::stats::{CountsBuilder, ELO_PER_NAT, RatingOptions, Sample, Z95, rate};

/// Pairs of a newcomer that come in the order of the schedule, by which one that does not work is withdrawn.
const FIRST_PAIRS: u32 = 5;
/// Fewest bots that are known.
const KNOWN_MIN: usize = 3;
/// The least standard deviation of the strengths of a field, and that of a bot without a bounded rating, in nats.
const SPREAD_MIN: f64 = 0.5;
const SPREAD_UNBOUNDED: f64 = 2.0;

/// The newcomers of a tournament.
#[derive(Debug, Default)]
pub(super) struct Newcomers {
    bots: Vec<Newcomer>,
    /// Places chosen and not issued yet.
    chosen: VecDeque<u32>,
}

#[derive(Debug)]
struct Newcomer {
    bot: usize,
    /// Mean and variance of the strengths of the field, in nats.
    prior: [f64; 2],
    /// Its most probable strength.
    nats: f64,
    opponents: Vec<NewcomerOpponent>,
    /// Pairs chosen so far.
    pairs: u32,
}

#[derive(Debug)]
struct NewcomerOpponent {
    bot: usize,
    /// Its strength in nats, and the variance.
    nats: f64,
    variance: f64,
    /// Numbers of the pairs that are missing, in order of the schedule.
    missing: VecDeque<u32>,
    /// Pairs played or chosen.
    pairs: u32,
    /// Games that count, and the newcomer's points in them.
    games: f64,
    points: f64,
}

impl NewcomerOpponent {
    /// The newcomer's expected score.
    fn expected(&self, nats: f64) -> f64 {
        1.0 / (1.0 + (self.nats - nats).exp())
    }

    /// What one more pair tells about a newcomer of this strength.
    fn gain(&self, nats: f64) -> f64 {
        let p = self.expected(nats);
        let information = |pairs: u32| {
            let own = 2.0 * f64::from(pairs) * p * (1.0 - p);
            // Without pairs it is 0, not 0/0.
            own / (self.variance * own + 1.0)
        };
        information(self.pairs + 1) - information(self.pairs)
    }
}

impl Newcomer {
    /// The number of the pair to play next.
    fn choose(&mut self) -> Option<u32> {
        let open = || self.opponents.iter().enumerate().filter(|(_, opponent)| !opponent.missing.is_empty());
        let index = if self.pairs < FIRST_PAIRS {
            open().min_by_key(|(_, opponent)| opponent.missing.front().copied())?.0
        } else {
            self.nats = self.most_probable();
            let gain = |opponent: &NewcomerOpponent| opponent.gain(self.nats);
            open().max_by(|(x, one), (y, other)| gain(one).total_cmp(&gain(other)).then(y.cmp(x)))?.0
        };
        let opponent = &mut self.opponents[index];
        opponent.pairs += 1;
        self.pairs += 1;
        opponent.missing.pop_front()
    }

    /// Maximises the likelihood of its results times the normal prior, by Newton's method.
    fn most_probable(&self) -> f64 {
        const STEPS: u32 = 8;
        const STEP_MAX: f64 = 1.0;
        let [mean, variance] = self.prior;
        let mut nats = self.nats;
        for _ in 0..STEPS {
            let (mut slope, mut curvature) = ((mean - nats) / variance, 1.0 / variance);
            for opponent in &self.opponents {
                let p = opponent.expected(nats);
                slope += opponent.points - opponent.games * p;
                curvature += opponent.games * p * (1.0 - p);
            }
            nats += (slope / curvature).clamp(-STEP_MAX, STEP_MAX);
        }
        nats
    }
}

impl Newcomers {
    /// Adds the result of a game.
    pub(super) fn note(&mut self, bots: [usize; 2], brief: &Brief) {
        if !brief.is_evidence() {
            return;
        }
        for seat in Seat::BOTH {
            let (own, other) = (bots[seat.index()], bots[seat.other().index()]);
            let opponents = self.bots.iter_mut().filter(|newcomer| newcomer.bot == own);
            for opponent in opponents.flat_map(|newcomer| &mut newcomer.opponents).filter(|it| it.bot == other) {
                opponent.games += 1.0;
                opponent.points += match brief.result.winner() {
                    None => 0.5,
                    Some(winner) if winner == seat => 1.0,
                    Some(_) => 0.0,
                };
            }
        }
    }

    /// The next place; `None` if the schedule decides.
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.chosen.is_empty() {
            // They take turns.
            let mut turns: Vec<&mut Newcomer> = self.bots.iter_mut().collect();
            turns.sort_by_key(|newcomer| newcomer.pairs);
            let pair = turns.into_iter().find_map(Newcomer::choose)?;
            self.chosen.extend([2 * pair, 2 * pair + 1]);
        }
        self.chosen.pop_front()
    }

    /// Leaves the further games of this bot to the schedule.
    pub(super) fn give_up(&mut self, bot: usize) {
        self.bots.retain(|newcomer| newcomer.bot != bot);
    }
}

impl Scheduler {
    /// From now on, games of bots that have been added to a finished tournament are issued in the order in which they tell
    /// most. Returns these bots: none unless all missing games of a fixed format are theirs. Visits every place.
    pub fn put_telling_games_first(&mut self) -> Vec<usize> {
        let bots = self.games.event.bots.len();
        if self.is_stepwise() || self.is_part() || !self.stages.contains(&PlaceState::Closed) {
            return Vec::new();
        }
        let is_due = |place: u32| self.stages[place as usize] == PlaceState::Due && !self.is_lost(place);
        let (mut due, mut all) = (vec![0_u32; bots], vec![0_u32; bots]);
        for place in 0..self.total {
            for bot in self.games.planned(place).bots {
                all[bot] += 1;
                due[bot] += u32::from(is_due(place));
            }
        }
        let is_new = |bot: usize| 2 * due[bot] > all[bot];
        let (new, known): (Vec<usize>, Vec<usize>) = (0..bots).partition(|bot| is_new(*bot));
        let is_others = |place: u32| is_due(place) && !self.games.planned(place).bots.into_iter().any(is_new);
        if new.is_empty() || known.len() < KNOWN_MIN.max(new.len()) || (0..self.total).any(is_others) {
            return Vec::new();
        }
        let mut counts = CountsBuilder::new(bots);
        for (game, brief) in self.played().filter(|(game, _)| !game.bots.into_iter().any(is_new)) {
            let [first, second] = game.bots;
            let sample = Sample { cluster: Some(game.pair), pair: Some(game.pair), opening: None };
            counts.add_sample(first, second, brief.result, sample);
        }
        let ratings = rate(&counts.finish(), &RatingOptions::default());
        let strengths: Vec<(usize, f64, f64)> = known
            .iter()
            .filter_map(|bot| {
                let elo = ratings.of(*bot)?.elo;
                let sd = (elo.half_width() / Z95 / ELO_PER_NAT).min(SPREAD_UNBOUNDED);
                Some((*bot, elo.elo / ELO_PER_NAT, sd * sd))
            })
            .collect();
        let mean = strengths.iter().map(|(_, nats, _)| nats).sum::<f64>() / strengths.len().max(1) as f64;
        let variance = strengths.iter().map(|(_, nats, _)| (nats - mean).powi(2)).sum::<f64>();
        let variance = (variance / strengths.len().max(1) as f64).max(SPREAD_MIN * SPREAD_MIN);
        let opponent = |(bot, nats, variance): &(usize, f64, f64)| NewcomerOpponent {
            bot: *bot,
            nats: *nats,
            variance: *variance,
            missing: VecDeque::new(),
            pairs: 0,
            games: 0.0,
            points: 0.0,
        };
        let newcomer = |bot: &usize| Newcomer {
            bot: *bot,
            prior: [mean, variance],
            nats: mean,
            opponents: strengths.iter().map(opponent).collect(),
            pairs: 0,
        };
        let mut newcomers = Newcomers { bots: new.iter().map(newcomer).collect(), chosen: VecDeque::new() };
        for number in 0..self.total / 2 {
            let [a, b] = self.games.pair(number as usize).bots;
            let is_missing = (2 * number..2 * number + 2).any(is_due);
            for (own, other) in [(a, b), (b, a)] {
                let found = newcomers.bots.iter_mut().find(|newcomer| newcomer.bot == own);
                let opponent = found.and_then(|found| found.opponents.iter_mut().find(|it| it.bot == other));
                if let Some(opponent) = opponent {
                    opponent.pairs += u32::from(!is_missing);
                    opponent.missing.extend(is_missing.then_some(number));
                }
            }
        }
        for (game, brief) in self.played() {
            newcomers.note(game.bots, &brief);
        }
        self.newcomers = newcomers;
        new
    }

    /// From now on, games are issued in the order of the schedule.
    pub fn put_schedule_first(&mut self) {
        self.newcomers = Newcomers::default();
    }
}

#[cfg(test)]
mod tests;
