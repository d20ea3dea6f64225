//! Which pairs a ladder plays next.

use std::collections::HashMap;

use super::evidence::LadderEvidence;
use super::parts::Parts;
use super::strengths::Strengths;
use crate::rng::{Rng, derive_seed};
use crate::stats::Z95;

/// Draws after which also bots are paired whose order seems decided.
const DRAWS_SELECTIVE: u64 = 8;

/// Consecutive draws without a new pair after which no more are tried.
const DRAWS_IDLE: u64 = 16;

/// Bots this many standard deviations from the boundary of the top take no part in its draws.
const BOUNDARY_SDS: f64 = 5.0;

/// Which neighbours are worth a pair.
#[derive(Debug, Clone, Copy)]
pub(super) enum Worth {
    /// Those whose order is not decided at 95 %.
    Undecided,
    /// Those of which one has a larger 95 % margin than this, in nats.
    Wide(f64),
}

/// A batch of pairs being chosen.
#[derive(Debug)]
pub(super) struct BatchChoice<'a> {
    evidence: &'a LadderEvidence,
    strengths: &'a Strengths,
    /// The bots to choose from.
    active: &'a [usize],
    seed: u64,
    pub(super) pairs: Vec<[usize; 2]>,
    /// How often each of them was chosen.
    chosen: HashMap<[usize; 2], u32>,
}

impl<'a> BatchChoice<'a> {
    /// Begins the choice of the batch with this number.
    pub(super) fn new(
        evidence: &'a LadderEvidence,
        strengths: &'a Strengths,
        active: &'a [usize],
        seed: u64,
        batch: u32,
    ) -> Self {
        let seed = derive_seed(seed, "ladder", &[&batch.to_le_bytes()]);
        Self { evidence, strengths, active, seed, pairs: Vec::new(), chosen: HashMap::new() }
    }

    /// Adds pairs that connect all bots, as far as games do not or pending pairs will not, along the order of drawn strengths,
    /// until there are `size` pairs. Where no two bots have met, they are a ring: every bot has two pairs, and those who are left are
    /// connected even without one of them. Its pairs are in such an order that the bots of any first ones are connected: wherever a
    /// run stops, all bots that have played can be compared.
    pub(super) fn add_links(&mut self, size: usize) {
        let mut parts = Parts::of(self.evidence, self.active);
        if parts.len() < 2 {
            return;
        }
        let order = self.drawn("links", 0, self.active);
        let is_ring = parts.len() == order.len() && order.len() > 2;
        // Neighbours connect all, unless they would repeat earlier pairs.
        for apart in 1..order.len() {
            for (one, other) in order.iter().zip(&order[apart..]) {
                if parts.len() < 2 || self.pairs.len() >= size {
                    break;
                }
                let bots = [*one, *other];
                if !parts.are_connected(bots) && self.add(bots) {
                    parts.connect(bots);
                }
            }
        }
        if is_ring && self.pairs.len() < size {
            self.add([order[0], order[order.len() - 1]]);
        }
    }

    /// Adds neighbours in the order of drawn strengths, until there are `size` pairs or no more are found.
    pub(super) fn add_neighbours(&mut self, worth: Worth, size: usize) {
        let mut idle = 0;
        for draw in 0.. {
            if draw == DRAWS_SELECTIVE {
                idle = 0;
            }
            if self.pairs.len() >= size || (draw >= DRAWS_SELECTIVE && idle == DRAWS_IDLE) {
                return;
            }
            let before = self.pairs.len();
            let order = self.drawn("order", draw, self.active);
            let mut place = 1;
            while place < order.len() && self.pairs.len() < size {
                let bots = [order[place - 1], order[place]];
                let wanted = draw >= DRAWS_SELECTIVE || self.is_worth(worth, bots);
                // A bot plays at most once in a draw.
                place += if wanted && self.add(bots) { 2 } else { 1 };
            }
            idle = if self.pairs.len() > before { 0 } else { idle + 1 };
        }
    }

    /// Adds pairs that two draws place on different sides of the boundary of the top, or next to it, until there are
    /// `size` pairs or no more are found.
    pub(super) fn add_boundary(&mut self, top: usize, size: usize) {
        if top >= self.active.len() {
            return;
        }
        let (candidates, above) = self.near_boundary(top);
        let top = top - above;
        let mut idle = 0;
        for draw in 0.. {
            if self.pairs.len() >= size || idle == DRAWS_IDLE {
                return;
            }
            let [one, other] = [0, 1].map(|of| self.drawn("top", 2 * draw + of, &candidates));
            let lowest = |order: &[usize], other: &[usize]| {
                order[..top].iter().rev().copied().find(|bot| !other[..top].contains(bot))
            };
            let bots = match (lowest(&one, &other), lowest(&other, &one)) {
                (Some(a), Some(b)) => [a, b],
                _ => [one[top - 1], one[top]],
            };
            idle = if self.add(bots) { 0 } else { idle + 1 };
        }
    }

    /// Adds pairs of bots that have fewer than `least`, against the opponents nearest in strength; those with the fewest
    /// first.
    pub(super) fn add_lacking(&mut self, least: u32, size: usize) {
        let mut pairs_of: Vec<u32> = self.active.iter().map(|bot| self.evidence.pairs_of(*bot)).collect();
        let mut lacking: Vec<usize> = (0..self.active.len()).collect();
        while self.pairs.len() < size {
            lacking.retain(|place| pairs_of[*place] < least);
            let Some(here) = lacking.iter().copied().min_by_key(|place| pairs_of[*place]) else { break };
            let bots = |there: usize| sorted([self.active[here], self.active[there]]);
            let others = (0..self.active.len()).filter(|there| *there != here && self.is_free(bots(*there)));
            let nats = |place: usize| self.strengths.nats[self.active[place]];
            let apart = |there: &usize| (nats(*there) - nats(here)).abs();
            let Some(there) = others.min_by(|x, y| apart(x).total_cmp(&apart(y))) else {
                lacking.retain(|place| *place != here);
                continue;
            };
            self.add(bots(there));
            pairs_of[here] += 1;
            pairs_of[there] += 1;
        }
    }

    /// Whether a further pair of these would not repeat an earlier one.
    fn is_free(&self, bots: [usize; 2]) -> bool {
        !self.evidence.is_exhausted(bots, self.chosen.get(&bots).copied().unwrap_or(0))
    }

    /// Adds a pair unless it would repeat an earlier one.
    fn add(&mut self, bots: [usize; 2]) -> bool {
        let bots = sorted(bots);
        if !self.is_free(bots) {
            return false;
        }
        *self.chosen.entry(bots).or_insert(0) += 1;
        self.pairs.push(bots);
        true
    }

    fn is_worth(&self, worth: Worth, [a, b]: [usize; 2]) -> bool {
        match worth {
            Worth::Undecided => {
                let apart = (self.strengths.nats[a] - self.strengths.nats[b]).abs();
                apart < Z95 * self.strengths.sd_between([a, b])
            }
            Worth::Wide(nats) => [a, b].iter().any(|bot| Z95 * self.strengths.sd(*bot) > nats),
        }
    }

    /// The bots in the order of drawn strengths, the best first.
    fn drawn(&self, purpose: &str, draw: u64, bots: &[usize]) -> Vec<usize> {
        let mut rng = Rng::new(derive_seed(self.seed, purpose, &[&draw.to_le_bytes()]));
        let nats = self.strengths.draw(bots, &mut rng);
        let mut order: Vec<usize> = (0..bots.len()).collect();
        order.sort_by(|x, y| nats[*y].total_cmp(&nats[*x]));
        order.into_iter().map(|place| bots[place]).collect()
    }

    /// The bots that a draw may place on either side of the boundary, and the number of those clearly above it; all bots
    /// if the boundary is clear.
    fn near_boundary(&self, top: usize) -> (Vec<usize>, usize) {
        let ends = |sign: f64| {
            let end = |bot: &usize| self.strengths.nats[*bot] + sign * BOUNDARY_SDS * self.strengths.sd(*bot);
            self.active.iter().map(end).collect::<Vec<f64>>()
        };
        let (lows, highs) = (ends(-1.0), ends(1.0));
        let ranked = |ends: &[f64], place: usize| {
            let mut ends = ends.to_vec();
            ends.sort_by(|x, y| y.total_cmp(x));
            ends[place]
        };
        // At least `top` bots are above the floor, and at most `top` reach over the ceiling.
        let (floor, ceiling) = (ranked(&lows, top - 1), ranked(&highs, top));
        let places = 0..self.active.len();
        let near = places.clone().filter(|place| lows[*place] <= ceiling && highs[*place] >= floor);
        let near: Vec<usize> = near.map(|place| self.active[place]).collect();
        let above = places.filter(|place| lows[*place] > ceiling).count();
        if above < top && near.len() > top - above { (near, above) } else { (self.active.to_vec(), 0) }
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
