//! Ladder: bots of about equal strength meet, as the results so far suggest.
//!
//! Pairs come in batches. First of all they connect the field: until games compare all bots, ratings say nothing of who is
//! better. Then, for each batch, strengths are drawn from their distribution given the results so far, and neighbours
//! in that order meet unless their order is decided. A bot whose strength is unknown so meets bots of all ranks, and a
//! known one its neighbours. A batch is decided while the one before it is played: its pairs are known, their results are
//! not. So no decision depends on the order of finishing, and nothing waits at the end of a batch.
//!
//! ```text
//! evidence ──> strengths ──> choice      the pairs of a batch
//!        └───> goal                      when it is over, by the ratings
//! ```

mod choice;
mod evidence;
mod goal;
mod openings;
mod parts;
mod strengths;
#[cfg(test)]
mod tests;

use super::flags::{Flag, FlagKind, ROUNDS, UNTIL};
use super::{
    Due, Field, Format, FormatKind, FormatOptions, GAMES_MAX, Over, Pair, ROUNDS_MAX, Rejection, Settled, Stepwise,
    Until,
};
use crate::stats::{ELO_PER_NAT, Ratings};
use crate::text::counted;
use choice::{BatchChoice, Worth};
use evidence::LadderEvidence;
use goal::GoalDistance;
use parts::Parts;
use strengths::Strengths;

/// Every decision depends on the added pairs and on the settled ones, and on nothing else.
pub(super) const LADDER: Format = Format {
    flags: &[&ROUNDS, &UNTIL, &PAIRS_PER_BOT, &ONLY_TOP, &MAX_GAMES],
    // The most pairs of any two bots.
    rounds: (&ROUNDS, 1_000),
    endless: Some((&PAIRS_PER_BOT, ROUNDS_MAX as u64)),
    has_shares: true,
    accepts,
    sheet: Some(super::sheet::batches),
    distance,
    ..Format::new(
        "ladder",
        FormatKind::Stepwise {
            start: |field| Box::new(Ladder::new(field)),
            openings: |meetings, _| meetings,
            known: Some(openings::opening),
        },
        size,
    )
};

static PAIRS_PER_BOT: Flag = Flag {
    option: Some("pairs_per_bot"),
    excludes: Some("until"),
    is_goal: true,
    ..Flag::new(
        "pairs-per-bot",
        FlagKind::Number(1, ROUNDS_MAX as u64),
        5,
        "Mean number of pairs of a bot in a ladder [default: 50 without --until]",
    )
};
/// Whether all pairs are chosen for [`Until::Top`], not half of them.
static ONLY_TOP: Flag = Flag {
    option: Some("only_top"),
    needs: Some("until"),
    ..Flag::new(
        "only-top",
        FlagKind::Switch,
        6,
        "Play for `--until top:K` only, and not for the order of the others as well",
    )
};
static MAX_GAMES: Flag = Flag {
    option: Some("max_games"),
    ..Flag::new("max-games", FlagKind::Number(2, GAMES_MAX), 7, "Maximum number of games in a ladder")
};

fn accepts(_: &FormatOptions, given: &FormatOptions, bots: &[&str]) -> Result<(), Rejection> {
    match given.until() {
        Some(Until::Top { bots: top, .. }) if top as usize >= bots.len() => {
            let bots = bots.len();
            Err(Rejection(format!("{UNTIL} top:{top}: there are {bots} bots; K is less than their number")))
        }
        Some(Until::Top { .. }) => Ok(()),
        _ if given.get(&ONLY_TOP).is_some() => Err(Rejection(format!("{ONLY_TOP} needs {UNTIL} top:K"))),
        _ => Ok(()),
    }
}

fn size(field: &Field) -> String {
    match (field.options.until(), pairs_per_bot(&field.options)) {
        (Some(until), _) => format!("until {until}"),
        // As with a budget of time.
        (None, Some(ROUNDS_MAX..)) => String::new(),
        (None, pairs) => format!("{} for each bot", counted(pairs.unwrap_or(PAIRS_USUAL) as usize, "pair")),
    }
}

fn distance(options: &FormatOptions, ratings: &Ratings, order: &[usize], games: u64) -> Option<String> {
    match (options.until(), pairs_per_bot(options).unwrap_or(PAIRS_USUAL)) {
        (Some(until), _) => Some(until.distance(ratings, order)),
        // Until its time is over.
        (None, ROUNDS_MAX..) => None,
        // A pair is two games, and one pair of each of its bots.
        (None, goal) => Some(format!("{} pairs for each bot, goal {goal}", games / order.len().max(1) as u64)),
    }
}

fn pairs_per_bot(options: &FormatOptions) -> Option<u32> {
    options.number(&PAIRS_PER_BOT).map(|pairs| pairs as u32)
}

/// Smallest number of pairs in a batch; it has one for each bot.
const BATCH_MIN: usize = 16;

/// Mean number of pairs of each bot, unless there is another goal.
const PAIRS_USUAL: u32 = 50;

/// Pairs of each bot before any goal counts as reached, so that no rank rests on nothing.
const PAIRS_MIN: u32 = 8;

/// Games for each bot after which a ladder ends, unless `max_games` or `pairs_per_bot` asks for more.
const GAMES_PER_BOT: u64 = 2_000;

/// Number of batches after each of which the goal is judged. Later it is judged this often while their number doubles.
const BATCHES_JUDGED: u32 = 64;

#[derive(Debug)]
struct Ladder {
    field: Field,
    evidence: LadderEvidence,
    /// Batches added.
    batches: u32,
    /// The number of pairs up to the end of the batch before the last one, and of all.
    ends: [usize; 2],
    settled: usize,
}

impl Ladder {
    fn new(field: &Field) -> Self {
        let evidence = LadderEvidence::new(field);
        Self { field: field.clone(), evidence, batches: 0, ends: [0; 2], settled: 0 }
    }

    /// The mean number of pairs of each bot that ends it; `None` if only the goal does.
    fn pairs_per_bot(&self) -> Option<u32> {
        let options = &self.field.options;
        pairs_per_bot(options).or(if options.until().is_none() { Some(PAIRS_USUAL) } else { None })
    }

    /// The number of pairs that may still be added.
    fn pairs_left(&self) -> usize {
        let per_bot = GAMES_PER_BOT.max(2 * u64::from(self.pairs_per_bot().unwrap_or(0)));
        let games_max = self.field.options.number(&MAX_GAMES).unwrap_or(per_bot * self.field.bots as u64);
        usize::try_from(games_max / 2).unwrap_or(usize::MAX).saturating_sub(self.ends[1])
    }

    /// The number of pairs until every bot has those asked for, on average.
    fn pairs_wanted(&self, active: &[usize]) -> Option<usize> {
        let wanted = u64::from(self.pairs_per_bot()?) * active.len() as u64;
        let known: u64 = active.iter().map(|bot| u64::from(self.evidence.pairs_of(*bot))).sum();
        Some(wanted.saturating_sub(known).div_ceil(2) as usize)
    }

    fn verdict(&self, active: &[usize], pairs_wanted: Option<usize>) -> GoalDistance {
        if pairs_wanted == Some(0) {
            return GoalDistance::Reached;
        }
        let batch = self.batches + 1;
        let is_judged = self.settled > 0 && batch.is_multiple_of((batch / BATCHES_JUDGED).max(1));
        match self.field.options.until() {
            Some(goal) if is_judged => goal::verdict(goal, &self.evidence, active),
            _ => GoalDistance::Open,
        }
    }

    /// Chooses the pairs of the next batch, up to `size`.
    fn choose(&self, active: &[usize], size: usize, is_reached: bool) -> Vec<[usize; 2]> {
        let strengths = Strengths::of(&self.evidence);
        let mut choice = BatchChoice::new(&self.evidence, &strengths, active, self.field.seed, self.batches + 1);
        if !self.field.unlinked {
            choice.add_links(size);
        }
        if is_reached {
            choice.add_lacking(PAIRS_MIN, size);
            return choice.pairs;
        }
        let mut worth = Worth::Undecided;
        match self.field.options.until() {
            Some(Until::Top { bots, .. }) => {
                let is_only = self.field.options.get(&ONLY_TOP).is_some();
                choice.add_boundary(bots as usize, if is_only { size } else { size.div_ceil(2) });
            }
            Some(Until::Margin(elo)) => worth = Worth::Wide(elo / ELO_PER_NAT),
            Some(Until::Separated) | None => {}
        }
        choice.add_neighbours(worth, size);
        choice.pairs
    }
}

impl Stepwise for Ladder {
    fn add(&mut self, pairs: &[Pair]) {
        for pair in pairs {
            self.evidence.add(pair);
        }
        let [_, end] = self.ends;
        let all = end + pairs.len();
        if pairs.iter().any(|pair| pair.round > 0) {
            self.ends = [end, all];
            self.batches += 1;
        } else {
            // Known before the first decision, which waits for all of them.
            self.ends = [all, all];
        }
    }

    fn settle(&mut self, settled: &Settled) {
        self.evidence.settle(settled);
        self.settled += 1;
    }

    fn withdraw(&mut self, bot: usize) {
        self.evidence.withdraw(bot);
    }

    fn waits_for(&self) -> usize {
        self.ends[0]
    }

    fn due(&self) -> Due {
        let active = self.evidence.active();
        if active.len() < 2 {
            return Due::Over(Over::NoBots);
        }
        let wanted = self.pairs_wanted(&active);
        let verdict = self.verdict(&active, wanted);
        let end = match verdict {
            GoalDistance::Reached => Some(Over::Reached),
            GoalDistance::Exhausted => Some(Over::Exhausted),
            GoalDistance::Open => None,
        };
        let is_lacking = || active.iter().any(|bot| self.evidence.pairs_of(*bot) < PAIRS_MIN);
        let is_apart = || !self.field.unlinked && Parts::of(&self.evidence, &active).len() > 1;
        if let Some(end) = end.filter(|_| !is_lacking() && !is_apart()) {
            return Due::Over(end);
        }
        let mut size = active.len().max(BATCH_MIN).min(self.pairs_left());
        if size == 0 {
            return Due::Over(Over::GamesMax);
        }
        if let Some(wanted) = wanted.filter(|_| end.is_none()) {
            size = size.min(wanted);
        }
        let chosen = self.choose(&active, size, end.is_some());
        if chosen.is_empty() {
            return Due::Over(end.unwrap_or(Over::Exhausted));
        }
        let mut times = std::collections::HashMap::new();
        let pair = |bots: [usize; 2]| {
            let before = times.entry(bots).or_insert(0);
            // There is one: else the pairing is exhausted.
            let opening = self.evidence.opening(bots, *before).unwrap_or_default();
            *before += 1;
            Pair { round: self.batches + 1, opening, bots }
        };
        Due::Pairs(chosen.into_iter().map(pair).collect())
    }

    fn to_come(&self) -> Option<usize> {
        // With that many it goes on until its time is over.
        self.pairs_per_bot().filter(|pairs| *pairs < ROUNDS_MAX)?;
        Some(self.pairs_wanted(&self.evidence.active())?.min(self.pairs_left()))
    }
}
