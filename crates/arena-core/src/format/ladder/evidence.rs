//! What a ladder knows: settled pairs by pairing, pairs that will come, and the games for the ratings.

use super::openings::opening;
use crate::format::{Field, Pair, Settled};
use crate::stats::{Counts, CountsBuilder, Duplicates, Sample};

/// The pairs of two bots. Points are those of the bot with the lower index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PairResults {
    /// Settled pairs that are evidence, and no repetition of earlier ones.
    pub(super) pairs: u32,
    /// Twice the points in them.
    pub(super) half_points: u32,
    /// The sum of the squares of twice the points of each pair.
    pub(super) squares: u32,
    /// Pairs that are not settled yet.
    pub(super) pending: u32,
    /// The first openings, played before the ladder.
    known: u32,
    /// Further openings played, in the order of the pairing.
    steps: u32,
    /// Whether both games of the last pair repeated earlier ones.
    pub(super) repeats: bool,
}

/// All that is known of a field.
#[derive(Debug, Clone)]
pub(super) struct LadderEvidence {
    bots: usize,
    /// By the higher and then the lower index.
    met: Vec<PairResults>,
    /// Pairs of each bot that are evidence or pending.
    pairs_of: Vec<u32>,
    withdrawn: Vec<bool>,
    /// [`Field::keys`].
    keys: Vec<u64>,
    /// Openings for each pairing.
    openings_max: u32,
    /// Openings, after which they are used again from the first one.
    openings: u32,
    settled: u32,
    games: CountsBuilder,
    repeats: Duplicates<u64>,
}

impl LadderEvidence {
    pub(super) fn new(field: &Field) -> Self {
        let Field { bots, rounds: openings_max, openings, .. } = *field;
        Self {
            openings: openings.max(1) as u32,
            keys: field.keys.clone(),
            bots,
            met: vec![PairResults::default(); bots * bots.saturating_sub(1) / 2],
            pairs_of: vec![0; bots],
            withdrawn: vec![false; bots],
            openings_max,
            settled: 0,
            games: CountsBuilder::new(bots),
            repeats: Duplicates::default(),
        }
    }

    /// Adds a pair that will be played.
    pub(super) fn add(&mut self, pair: &Pair) {
        let place = place(pair.bots);
        let met = &mut self.met[place];
        met.pending += 1;
        if pair.round == 0 && met.steps == 0 && pair.opening == met.known {
            met.known += 1;
        } else {
            met.steps += 1;
        }
        pair.bots.iter().for_each(|bot| self.pairs_of[*bot] += 1);
    }

    /// Adds the result of a pending pair.
    pub(super) fn settle(&mut self, settled: &Settled) {
        let Settled { pair: Pair { bots, opening, .. }, games } = *settled;
        let number = self.settled;
        self.settled += 1;
        let seats = [bots, [bots[1], bots[0]]];
        let mut is_new = false;
        for (bots, game) in seats.into_iter().zip(&games).filter(|(_, game)| game.is_evidence) {
            let cluster = self.repeats.add(bots, game.moves, number);
            is_new |= cluster == number;
            let sample = Sample { cluster: Some(cluster), pair: Some(number), opening: Some(opening % self.openings) };
            self.games.add_sample(bots[0], bots[1], game.result, sample);
        }
        for (bot, withdrawn) in bots.into_iter().zip(settled.withdrawn()) {
            self.withdrawn[bot] |= withdrawn;
        }
        let is_evidence = games.iter().all(|game| game.is_evidence);
        let met = &mut self.met[place(bots)];
        met.pending -= 1;
        if is_evidence {
            met.repeats = !is_new;
        }
        if is_evidence && is_new {
            let points = u32::from(settled.half_points()[usize::from(bots[0] > bots[1])]);
            met.pairs += 1;
            met.half_points += points;
            met.squares += points * points;
        } else {
            for bot in bots {
                self.pairs_of[bot] -= 1;
            }
        }
    }

    pub(super) const fn bots(&self) -> usize {
        self.bots
    }

    /// A bot leaves the field; its games stay.
    pub(super) fn withdraw(&mut self, bot: usize) {
        self.withdrawn[bot] = true;
    }

    /// The bots that are not withdrawn.
    pub(super) fn active(&self) -> Vec<usize> {
        (0..self.bots).filter(|bot| !self.withdrawn[*bot]).collect()
    }

    /// The pairs of a bot that are evidence or pending.
    pub(super) fn pairs_of(&self, bot: usize) -> u32 {
        self.pairs_of[bot]
    }

    pub(super) fn of(&self, bots: [usize; 2]) -> &PairResults {
        &self.met[place(bots)]
    }

    /// Whether further pairs of two bots would repeat earlier ones, after `more` pairs.
    pub(super) fn is_exhausted(&self, bots: [usize; 2], more: u32) -> bool {
        self.of(bots).repeats || self.opening(bots, more).is_none()
    }

    /// The opening of two bots after `more` further pairs; `None` once all are played.
    pub(super) fn opening(&self, bots: [usize; 2], more: u32) -> Option<u32> {
        let met = self.of(bots);
        let keys = bots.map(|bot| self.keys.get(bot).copied().unwrap_or_default());
        opening(keys, self.openings_max, met.known, met.steps.saturating_add(more))
    }

    /// All pairings that met or will, by the higher and then the lower index, which comes first.
    pub(super) fn met(&self) -> impl Iterator<Item = ([usize; 2], &PairResults)> {
        let bots = (0..self.bots).flat_map(|b| (0..b).map(move |a| [a, b]));
        bots.zip(&self.met).filter(|(_, met)| met.pairs + met.pending > 0)
    }

    /// The settled games, for the ratings.
    pub(super) fn counts(&self) -> Counts {
        self.games.clone().finish()
    }
}

/// The place of a pairing.
fn place([a, b]: [usize; 2]) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high - 1) / 2 + low
}
