//! The bracket: which match follows from which, and who won it. The format decides with it, and its sheet is made from it.

use std::cmp::Ordering;

use super::{KnockoutMatch, MatchKind, Placing, Reason};
use crate::format::{Field, Pair, Settled};

/// The most pairs added to a level match before the better seed goes on.
pub(super) const TIEBREAKS_MAX: u32 = 4;

/// A bracket with the matches known so far. Bots are indices in order of seed, the best first.
#[derive(Debug, Clone)]
pub struct Bracket {
    bots: usize,
    /// Pairs of a match before tie-breaks.
    pairs: u32,
    has_third_place: bool,
    /// By stage.
    stages: Vec<Vec<KnockoutMatch>>,
    withdrawn: Vec<bool>,
    /// Number of pairs added.
    added: usize,
}

impl Bracket {
    /// The bracket of this field before the first pair.
    pub(super) fn new(field: &Field) -> Self {
        let mut bracket = Self {
            bots: field.bots,
            pairs: field.rounds.max(1),
            has_third_place: field.options.get(&super::THIRD_PLACE).is_some(),
            stages: Vec::new(),
            withdrawn: vec![false; field.bots],
            added: 0,
        };
        bracket.advance();
        bracket
    }

    /// The bracket after these pairs of the schedule, in its order, with the results of those that are settled.
    #[must_use]
    pub fn of(field: &Field, pairs: &[(Pair, Option<Settled>)]) -> Self {
        let mut bracket = Self::new(field);
        let mut withdrawn = field.withdrawn.iter().peekable();
        // A match is won when all of its pairs are settled, so they are added before the first result.
        for stage in pairs.chunk_by(|(one, _), (other, _)| one.round == other.round) {
            for (pair, _) in stage {
                bracket.add(pair);
            }
            for settled in stage.iter().filter_map(|(_, settled)| settled.as_ref()) {
                bracket.settle(settled);
            }
            while let Some((_, bot)) = withdrawn.next_if(|(pairs, _)| *pairs <= bracket.added) {
                bracket.withdraw(*bot);
            }
        }
        bracket
    }

    /// Number of stages; 0 for fewer than two bots.
    #[must_use]
    pub fn stages(&self) -> u32 {
        self.bots.max(1).next_power_of_two().ilog2()
    }

    /// The name of a stage, as [`stage_name`](super::stage_name).
    #[must_use]
    pub fn stage_name(&self, stage: u32) -> String {
        super::stage_name(self.stages().saturating_sub(stage))
    }

    /// Adds a pair of the schedule. Pairs of no match are ignored.
    pub(super) fn add(&mut self, pair: &Pair) {
        let number = self.added;
        self.added += 1;
        if let Some(found) = self.match_of(pair) {
            found.pairs += 1;
            found.first_pair.get_or_insert(number);
        }
    }

    /// Adds the result of a pair that was added.
    pub(super) fn settle(&mut self, settled: &Settled) {
        let Some(found) = self.match_of(&settled.pair) else { return };
        found.settled += 1;
        for (bot, half_points) in settled.pair.bots.into_iter().zip(settled.half_points()) {
            found.half_points[usize::from(bot != found.a)] += u32::from(half_points);
        }
        for (bot, withdrawn) in settled.pair.bots.into_iter().zip(settled.withdrawn()) {
            self.withdrawn[bot] |= withdrawn;
        }
        self.judge();
        self.advance();
    }

    /// A bot loses its open match, and those that would follow.
    pub(super) fn withdraw(&mut self, bot: usize) {
        self.withdrawn[bot] = true;
        self.judge();
        self.advance();
    }

    /// All matches whose bots are known, by stage and place.
    pub fn matches(&self) -> impl Iterator<Item = &KnockoutMatch> {
        self.stages.iter().flatten()
    }

    /// How far each bot got.
    #[must_use]
    pub fn placings(&self) -> Vec<Placing> {
        let mut placings = vec![Placing { reached: 0, ranks: [1, self.bots] }; self.bots];
        let mut entrants = self.bots;
        for stage in &self.stages {
            let main = stage.iter().filter(|found| found.kind != MatchKind::Third);
            let matches = main.clone().count();
            for found in main {
                for bot in [Some(found.a), found.b].into_iter().flatten() {
                    placings[bot] = match found.won {
                        None => Placing { reached: found.stage, ranks: [1, entrants] },
                        Some((winner, _)) if winner == bot => {
                            Placing { reached: self.stages().min(found.stage + 1), ranks: [1, matches] }
                        }
                        Some(_) => Placing { reached: found.stage, ranks: [matches + 1, entrants] },
                    };
                }
            }
            entrants = matches;
        }
        for third in self.matches().filter(|found| found.kind == MatchKind::Third) {
            if let (Some((winner, _)), Some(loser)) = (third.won, third.loser()) {
                placings[winner].ranks = [3, 3];
                placings[loser].ranks = [4, 4];
            }
        }
        placings
    }

    /// The next pairs: all of a new stage, or a further one for each level match. None if the final is won, or a pair is not
    /// settled.
    pub(super) fn due(&self) -> Vec<Pair> {
        let open = self.stages.last().into_iter().flatten().filter(|found| found.won.is_none());
        let missing = |found: &KnockoutMatch| if found.pairs < self.pairs { self.pairs - found.pairs } else { 1 };
        let most = open.clone().map(missing).max().unwrap_or(0);
        // The first pair of every match, then the second one, so that a stage cut short is level.
        let turns =
            (0..most).flat_map(|turn| open.clone().filter(move |found| turn < missing(found)).map(move |m| (turn, m)));
        let pair = |(turn, found): (u32, &KnockoutMatch)| {
            let opening = (found.stage - 1) * (self.pairs + TIEBREAKS_MAX) + found.pairs + turn;
            found.b.map(|b| Pair { round: found.stage, opening, bots: [found.a, b] })
        };
        turns.filter_map(pair).collect()
    }

    /// The number of pairs that are still to be added if no further match is level after its pairs.
    pub(super) fn to_come(&self) -> usize {
        let open = self.stages.last().into_iter().flatten().filter(|found| found.won.is_none());
        let now: u32 = open.map(|found| self.pairs.saturating_sub(found.pairs)).sum();
        let begun = self.stages.len() as u32;
        let later: usize = (begun + 1..=self.stages()).map(|stage| 1 << (self.stages() - stage)).sum();
        // Both semifinals have a loser.
        let third = usize::from(self.has_third_place && self.bots > 3 && begun < self.stages());
        now as usize + (later + third) * self.pairs as usize
    }

    fn match_of(&mut self, pair: &Pair) -> Option<&mut KnockoutMatch> {
        let stage = self.stages.get_mut((pair.round as usize).checked_sub(1)?)?;
        let [a, b] = pair.bots;
        stage
            .iter_mut()
            .find(|found| found.b.is_some_and(|lower| [found.a, lower] == [a, b] || [lower, found.a] == [a, b]))
    }

    /// Names the winners of matches in the last stage that are not open any more.
    fn judge(&mut self) {
        let Some(mut stage) = self.stages.pop() else { return };
        for found in stage.iter_mut().filter(|found| found.won.is_none()) {
            found.won = self.winner(found);
        }
        self.stages.push(stage);
    }

    fn winner(&self, found: &KnockoutMatch) -> Option<(usize, Reason)> {
        let KnockoutMatch { a, b: Some(b), half_points: [upper, lower], pairs, settled, .. } = *found else {
            return Some((found.a, Reason::Bye));
        };
        if settled < pairs {
            return None;
        }
        match (self.withdrawn[a], self.withdrawn[b]) {
            (true, true) => return Some((a.min(b), Reason::Withdrawn)),
            (true, false) => return Some((b, Reason::Withdrawn)),
            (false, true) => return Some((a, Reason::Withdrawn)),
            (false, false) => {}
        }
        let by_points = if pairs > self.pairs { Reason::Tiebreak } else { Reason::Points };
        match upper.cmp(&lower) {
            _ if pairs < self.pairs => None,
            Ordering::Greater => Some((a, by_points)),
            Ordering::Less => Some((b, by_points)),
            Ordering::Equal if pairs < self.pairs + TIEBREAKS_MAX => None,
            Ordering::Equal => Some((a.min(b), Reason::Seed)),
        }
    }

    /// Adds the next stage if the last one is played. Withdrawn bots may leave nothing to play in it, so that another one
    /// follows at once.
    fn advance(&mut self) {
        while self.stages.len() < self.stages() as usize {
            let Some(seats) = self.seats() else { return };
            let stage = self.stage(&seats);
            self.stages.push(stage);
            self.judge();
        }
    }

    /// The bots of the next stage, from the top of the bracket; `None` while a match of the last one is open.
    fn seats(&self) -> Option<Vec<Option<usize>>> {
        let Some(stage) = self.stages.last() else {
            let seeds = places(self.stages()).into_iter();
            return Some(seeds.map(|seed| (seed < self.bots).then_some(seed)).collect());
        };
        stage.iter().map(|found| found.won.map(|(winner, _)| Some(winner))).collect()
    }

    /// The matches of the stage after those played, of these bots from the top of the bracket.
    fn stage(&self, seats: &[Option<usize>]) -> Vec<KnockoutMatch> {
        let number = self.stages.len() + 1;
        let is_final = seats.len() == 2;
        let kind = if is_final { MatchKind::Final } else { MatchKind::Main };
        let seated = seats.chunks(2).enumerate().filter_map(|(place, seats)| {
            let mut bots = seats.iter().copied().flatten();
            Some(KnockoutMatch::new([number, place], kind, bots.next()?, bots.next()))
        });
        let losers = self.stages.last().into_iter().flatten().filter_map(KnockoutMatch::loser);
        let third = match (is_final && self.has_third_place).then(|| losers.collect::<Vec<_>>()).as_deref() {
            Some(&[a, b]) => Some(KnockoutMatch::new([number, 1], MatchKind::Third, a, Some(b))),
            _ => None,
        };
        seated.chain(third).collect()
    }
}

/// The seeds by place in the bracket, from the top: if the better seed wins every match, 1 and 2 meet in the final, and the
/// seeds of every match of a stage have the same sum.
fn places(stages: u32) -> Vec<usize> {
    (1..=stages).fold(vec![0], |places, stage| {
        let last = (1 << stage) - 1;
        // Seed 2 is at the bottom, as usual in pictures.
        let split =
            |(place, seed): (usize, &usize)| if place % 2 == 0 { [*seed, last - seed] } else { [last - seed, *seed] };
        places.iter().enumerate().flat_map(split).collect()
    })
}
