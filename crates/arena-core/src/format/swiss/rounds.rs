//! The rounds of a Swiss: the format decides with them, and its sheet is made from them.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::pairing::{self, PairedBot};
use super::{SwissMatch, SwissStanding, standings};
use crate::format::{Field, Pair, Settled};
use crate::record::GameResult;

/// The rounds decided so far. Bots are indices in order of seed, the best first.
#[derive(Debug, Clone)]
pub struct SwissRounds {
    bots: Vec<SwissBot>,
    /// Pairs of a match.
    pairs: u32,
    /// By round; the byes of a round come last.
    matches: Vec<Vec<SwissMatch>>,
    /// Number of pairs added.
    added: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct SwissBot {
    half_points: u32,
    /// Its float in the last round.
    float: i32,
    had_bye: bool,
    is_withdrawn: bool,
}

impl SwissRounds {
    /// No rounds yet.
    pub(super) fn new(field: &Field) -> Self {
        let bots = vec![SwissBot::default(); field.bots];
        Self { bots, pairs: field.rounds.max(1), matches: Vec::new(), added: 0 }
    }

    /// The rounds of these pairs of the schedule, in its order, with the results of those that are settled.
    #[must_use]
    pub fn of(field: &Field, pairs: &[(Pair, Option<Settled>)]) -> Self {
        let mut rounds = Self::new(field);
        let mut withdrawn = field.withdrawn.iter().peekable();
        for round in pairs.chunk_by(|(one, _), (other, _)| one.round == other.round) {
            rounds.add(&round.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
            for settled in round.iter().filter_map(|(_, settled)| settled.as_ref()) {
                rounds.settle(settled);
            }
            while let Some((_, bot)) = withdrawn.next_if(|(pairs, _)| *pairs <= rounds.added) {
                rounds.withdraw(*bot);
            }
        }
        rounds
    }

    /// All matches, by round; the byes of a round come last.
    pub fn matches(&self) -> impl Iterator<Item = &SwissMatch> {
        self.matches.iter().flatten()
    }

    /// The standings by index of the bot.
    #[must_use]
    pub fn standings(&self) -> Vec<SwissStanding> {
        standings::standings(self.bots.len(), &self.matches().collect::<Vec<_>>())
    }

    /// Number of rounds decided.
    pub(super) fn count(&self) -> u32 {
        self.matches.len() as u32
    }

    /// Adds the pairs of a round. Bots without one that are not withdrawn have a bye.
    pub(super) fn add(&mut self, pairs: &[Pair]) {
        let Some(&Pair { round, .. }) = pairs.first() else { return };
        let mut matches: Vec<SwissMatch> = Vec::new();
        for (pair, number) in pairs.iter().zip(self.added..) {
            let found = matches.iter_mut().find(|found| found.is_of(pair));
            if let Some(found) = found {
                found.pairs += 1;
            } else {
                let before = pair.bots.map(|bot| self.bots[bot].half_points);
                matches.push(SwissMatch { pairs: 1, first_pair: Some(number), ..new(round, pair.bots, before) });
            }
        }
        self.added += pairs.len();
        self.bots.iter_mut().for_each(|bot| bot.float = 0);
        for found in &matches {
            for (bot, float) in [found.a].into_iter().chain(found.b).zip(found.floats()) {
                self.bots[bot].float = float;
            }
        }
        let paired: HashSet<usize> = pairs.iter().flat_map(|pair| pair.bots).collect();
        for (index, bot) in self.bots.iter_mut().enumerate() {
            if !bot.is_withdrawn && !paired.contains(&index) {
                let bye = new(round, [index, index], [bot.half_points, 0]);
                matches.push(SwissMatch { b: None, half_points: [3 * self.pairs, 0], ..bye });
                bot.had_bye = true;
                bot.half_points += 3 * self.pairs;
            }
        }
        self.matches.push(matches);
    }

    /// Adds the result of a pair that was added.
    pub(super) fn settle(&mut self, settled: &Settled) {
        let (pair, points, withdrawn) = (settled.pair, settled.half_points(), settled.withdrawn());
        let Some(found) =
            self.matches.iter_mut().rev().flatten().find(|found| found.round == pair.round && found.is_of(&pair))
        else {
            return;
        };
        found.settled += 1;
        for (place, bot) in pair.bots.into_iter().enumerate() {
            let side = usize::from(bot != found.a);
            let won = [GameResult::FirstWins, GameResult::SecondWins];
            let wins = [settled.games[0].result == won[place], settled.games[1].result == won[1 - place]];
            found.wins[side] += wins.into_iter().map(u32::from).sum::<u32>();
            found.half_points[side] += u32::from(points[place]);
            self.bots[bot].half_points += u32::from(points[place]);
            self.bots[bot].is_withdrawn |= withdrawn[place];
        }
        found.is_forfeit |= withdrawn != [false; 2];
    }

    /// A bot is not paired again, and has no byes.
    pub(super) fn withdraw(&mut self, bot: usize) {
        self.bots[bot].is_withdrawn = true;
    }

    /// The bots that are not withdrawn, in order of points and then of seed, the best first.
    pub(super) fn players(&self) -> Vec<PairedBot> {
        let active = self.bots.iter().enumerate().filter(|(_, bot)| !bot.is_withdrawn);
        let player =
            |(index, bot): (usize, &SwissBot)| PairedBot { bot: index, half_points: bot.half_points, float: bot.float };
        let mut players: Vec<PairedBot> = active.map(player).collect();
        players.sort_by_key(|player| (Reverse(player.half_points), player.bot));
        players
    }

    /// The bots that meet in the next round: without the last one that had no bye if they are odd in number. `None` if all
    /// had one.
    pub(super) fn paired(&self) -> Option<Vec<PairedBot>> {
        let mut players = self.players();
        if players.len() % 2 == 1 {
            let bye = players.iter().rposition(|player| !self.bots[player.bot].had_bye)?;
            players.remove(bye);
        }
        Some(players)
    }

    /// All who met, both ways.
    pub(super) fn met(&self) -> HashSet<[usize; 2]> {
        self.matches().filter_map(|found| found.b.map(|b| [[found.a, b], [b, found.a]])).flatten().collect()
    }

    /// The number of pairs of the next round, if there is one.
    pub(super) fn pairs_of_next(&self) -> usize {
        self.players().len() / 2 * self.pairs as usize
    }

    /// The pairs of the next round: the first one of every match, then the second one, so that a round cut short is level.
    /// `None` if there would be a rematch or a second bye.
    pub(super) fn next(&self) -> Option<Vec<Pair>> {
        let met = self.met();
        let matches = pairing::pair(&self.paired()?, |a, b| met.contains(&[a, b]))?;
        let round = self.count();
        let pairs = (0..self.pairs).flat_map(|turn| matches.iter().map(move |bots| (turn, *bots)));
        Some(pairs.map(|(turn, bots)| Pair { round: round + 1, opening: round * self.pairs + turn, bots }).collect())
    }
}

impl SwissMatch {
    fn is_of(&self, pair: &Pair) -> bool {
        self.b.is_some_and(|b| pair.bots == [self.a, b] || pair.bots == [b, self.a])
    }
}

/// A match without pairs.
fn new(round: u32, [a, b]: [usize; 2], before: [u32; 2]) -> SwissMatch {
    let (half_points, wins) = ([0; 2], [0; 2]);
    let (pairs, settled, first_pair, is_forfeit) = (0, 0, None, false);
    SwissMatch { round, a, b: Some(b), before, half_points, wins, pairs, settled, first_pair, is_forfeit }
}
