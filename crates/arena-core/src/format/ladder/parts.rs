//! Which bots of a ladder are connected by games.

use super::evidence::LadderEvidence;

/// Bots by the part of the field that they are in: games connect the bots of a part, directly or through others, or will once
/// pending pairs are played. Ratings compare only bots of one part.
#[derive(Debug)]
pub(super) struct Parts {
    /// A bot nearer to the first of its part, which is its own.
    nearer: Vec<usize>,
    /// The number of parts that have active bots.
    active: usize,
}

impl Parts {
    pub(super) fn of(evidence: &LadderEvidence, active: &[usize]) -> Self {
        let mut parts = Self { nearer: (0..evidence.bots()).collect(), active: 0 };
        let mut plays = vec![false; evidence.bots()];
        for bot in active {
            plays[*bot] = true;
        }
        for (bots, met) in evidence.met() {
            // Pending pairs of a bot that was withdrawn will be lost without playing.
            if met.pairs > 0 || bots.iter().all(|bot| plays[*bot]) {
                parts.unite(bots);
            }
        }
        let mut firsts: Vec<usize> = active.iter().map(|bot| parts.first(*bot)).collect();
        firsts.sort_unstable();
        firsts.dedup();
        parts.active = firsts.len();
        parts
    }

    /// The number of parts that have active bots.
    pub(super) const fn len(&self) -> usize {
        self.active
    }

    pub(super) fn are_connected(&mut self, [a, b]: [usize; 2]) -> bool {
        self.first(a) == self.first(b)
    }

    /// Connects two active bots of different parts.
    pub(super) fn connect(&mut self, bots: [usize; 2]) {
        self.unite(bots);
        self.active -= 1;
    }

    fn unite(&mut self, [a, b]: [usize; 2]) {
        let (a, b) = (self.first(a), self.first(b));
        self.nearer[a.max(b)] = a.min(b);
    }

    fn first(&mut self, mut bot: usize) -> usize {
        while self.nearer[bot] != bot {
            self.nearer[bot] = self.nearer[self.nearer[bot]];
            bot = self.nearer[bot];
        }
        bot
    }
}
