//! The prefix of a schedule: the settled games up to the first gap. Decisions are made at its end, and reproduced there
//! when a journal is read.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use super::games::PlannedPairs;
use super::{Addition, Brief, Policy, Scheduler};
use crate::clock::TimeControl;
use crate::event::{Round, StrikeLimits};
use crate::format::{Due, Format, FormatOptions, Over, Pair, Settled, SettledGame, Stepwise};
use crate::record::{GameResult, Status};
use crate::rules::Move;

/// The inputs of a decision besides results.
#[derive(Serialize)]
struct Definition<'a> {
    game: &'a str,
    rules_version: u32,
    params: &'a serde_json::Map<String, serde_json::Value>,
    format: &'a str,
    #[serde(skip_serializing_if = "FormatOptions::are_default")]
    format_options: &'a FormatOptions,
    schedule_version: u32,
    rounds: u32,
    seed: u64,
    clock: &'a TimeControl,
    max_plies: Option<usize>,
    openings: &'a [Vec<Move>],
    bots: Vec<std::borrow::Cow<'a, str>>,
    strikes: StrikeLimits,
}

/// The prefix of a schedule.
#[derive(Debug)]
pub(super) struct SettledPrefix {
    /// Number of games in it.
    pub(super) len: u32,
    /// The format, if it is stepwise. It knows all pairs of the prefix.
    format: Option<Box<dyn Stepwise>>,
    /// Why the format adds no more pairs.
    pub(super) over: Option<Over>,
    /// A hash of the definition, of every game of the prefix, and of the decisions made on it.
    chain: blake3::Hasher,
    /// The option for the length of the format, on which its end depends, and nothing before.
    length: Option<u32>,
    /// Decisions made so far.
    decisions: u32,
    /// The number of games up to each of them.
    pub(super) ends: Vec<u32>,
    /// Bots that the format knows to be withdrawn, with the number of pairs before the decision; [`Field::withdrawn`].
    pub(super) withdrawn: Vec<(usize, usize)>,
    /// Numbers of the decisions that were read and would have been made otherwise, if requested.
    pub(super) differing: Option<Vec<u32>>,
    /// Decisions of the journal, by the number of games before them and their own number.
    recorded: HashMap<(u32, u32), Vec<Round>>,
}

impl SettledPrefix {
    /// The empty prefix of the schedule of these games, with the decisions of its journal.
    pub(super) fn new(games: &PlannedPairs, rounds: &[Round]) -> Self {
        let event = &games.event;
        // Where bots keep their places, rounds do not depend on how many follow, nor on what is played in them.
        let keeps_field = event.keeps_field();
        let length = Format::named(&event.format).and_then(|format| format.length);
        let mut options = event.format_options.clone();
        if let Some(length) = length {
            options.remove(length);
        }
        let definition = Definition {
            game: &event.game,
            rules_version: event.rules_version,
            params: &event.params,
            format: &event.format,
            format_options: &options,
            schedule_version: event.schedule_version,
            rounds: event.rounds,
            seed: event.seed,
            clock: &event.clock,
            max_plies: event.max_plies,
            openings: if keeps_field { &[] } else { &event.openings },
            bots: event.bots.iter().map(|bot| bot.id.identity()).collect(),
            strikes: event.strikes,
        };
        let mut chain = blake3::Hasher::new();
        chain.update(&serde_json::to_vec(&definition).expect("a definition serialises to memory"));
        let mut recorded: HashMap<(u32, u32), Vec<Round>> = HashMap::new();
        for round in rounds {
            recorded.entry((round.after.saturating_mul(2), round.n)).or_default().push(round.clone());
        }
        let length = length.and_then(|length| event.format_options.number(length)).map(|rounds| rounds as u32);
        Self {
            len: 0,
            format: games.start(),
            over: None,
            chain,
            length,
            decisions: 0,
            ends: Vec::new(),
            withdrawn: Vec::new(),
            differing: None,
            recorded,
        }
    }

    pub(super) fn is_stepwise(&self) -> bool {
        self.format.is_some()
    }

    /// Whether a stepwise format may add more pairs.
    pub(super) fn is_open(&self) -> bool {
        self.format.is_some() && self.over.is_none()
    }

    /// The number of pairs that a stepwise format is still to add, as far as it is known; none once it is over.
    pub(super) fn to_come(&self) -> Option<usize> {
        let format = self.format.as_deref()?;
        if self.over.is_some() { Some(0) } else { format.to_come() }
    }

    /// The format, if a decision of it is due at this point.
    fn asked(&self) -> Option<&dyn Stepwise> {
        let format = self.format.as_deref().filter(|_| self.over.is_none())?;
        (format.waits_for() <= self.len as usize / 2).then_some(format)
    }

    /// The hash that identifies the inputs of a decision at this point, or of one that no more follows.
    fn input_hash(&self, over: Option<Over>) -> String {
        let mut chain = self.chain.clone();
        if let Some(rounds) = self.length.filter(|_| over.is_some()) {
            chain.update(&rounds.to_le_bytes());
        }
        chain.finalize().to_hex()[..16].to_owned()
    }
}

impl Scheduler {
    /// Extends the prefix as far as possible: calls `policy` for each game, and makes the decisions that are due. Returns a
    /// decision that must be recorded before its games begin; call it again until it returns `None`.
    pub fn decide(&mut self, policy: &mut dyn Policy) -> Option<Round> {
        if self.is_part() {
            return None;
        }
        self.replay(policy);
        if let Some(decision) = self.ask_format() {
            return self.decided(decision);
        }
        if self.prefix.format.is_some() || self.prefix.len < self.total {
            return None;
        }
        let Addition { pairs, openings, is_whole } = policy.more(self)?;
        self.decided(Decision { pairs, openings, is_whole, over: None })
    }

    /// Extends the prefix as far as possible with the decisions of the journal; makes none.
    pub(super) fn replay(&mut self, policy: &mut dyn Policy) {
        loop {
            self.withdraw_from_format();
            if !self.apply_recorded() && !self.extend_prefix(policy) {
                break;
            }
        }
    }

    /// Where a decision is due, tells the format which bots are withdrawn: those taken out before it, and those with too many
    /// strikes in the games before it.
    fn withdraw_from_format(&mut self) {
        if self.prefix.asked().is_none() {
            return;
        }
        for bot in 0..self.games.event.bots.len() {
            let dropped = self.games.event.dropped.iter().find(|dropped| dropped.bot == bot);
            let is_out = match dropped {
                Some(dropped) => dropped.after <= self.prefix.decisions,
                None => self.strikes.withdrawal(bot).is_some_and(|withdrawal| withdrawal.from <= self.prefix.len),
            };
            let index = self.games.seating.index(bot);
            if !is_out || self.prefix.withdrawn.iter().any(|(_, known)| *known == index) {
                continue;
            }
            if dropped.is_some() {
                self.prefix.chain.update(b"dropped").update(&(bot as u64).to_le_bytes());
            }
            self.prefix.format.iter_mut().for_each(|format| format.withdraw(index));
            self.prefix.withdrawn.push((self.prefix.len as usize / 2, index));
        }
    }

    /// Adds the next game to the prefix if it is settled.
    fn extend_prefix(&mut self, policy: &mut dyn Policy) -> bool {
        // A format is asked at exactly the point it named, even if more is known by then.
        if self.prefix.len >= self.scanned.min(self.total) || self.prefix.asked().is_some() {
            return false;
        }
        let place = self.prefix.len;
        let Some(brief) = self.at(place).filter(Brief::is_settled) else { return false };
        let game = self.games.planned(place);
        self.prefix.chain.update(brief.id.to_string().as_bytes());
        self.prefix.chain.update(&[brief.result as u8, brief.statuses[0] as u8, brief.statuses[1] as u8]);
        self.prefix.len += 1;
        if place % 2 == 1 && self.prefix.format.is_some() {
            let settled = self.settled_pair(place / 2);
            self.prefix.format.iter_mut().for_each(|format| format.settle(&settled));
        }
        if let ControlFlow::Break(total) = policy.settled(&game, &brief) {
            self.total = total.clamp(self.prefix.len, self.total);
            self.scanned = self.scanned.min(self.total);
        }
        true
    }

    /// The pair with this number, both of whose games are in the prefix, as the format sees it.
    pub(super) fn settled_pair(&self, number: u32) -> Settled {
        let game = |place: u32| {
            let brief = self.at(place);
            SettledGame {
                result: brief.map_or(GameResult::Void, |brief| brief.result),
                withdrawn: brief.map_or([false; 2], |brief| brief.statuses.map(|status| status == Status::Withdrawn)),
                is_evidence: brief.is_some_and(|brief| brief.is_evidence()),
                moves: brief.map_or(0, |brief| brief.moves),
            }
        };
        let pair = self.games.pair(number as usize);
        let seats = pair.bots.map(|bot| self.games.seating.index(bot));
        Settled { pair: Pair { bots: seats, ..pair }, games: [game(2 * number), game(2 * number + 1)] }
    }

    /// The decision of a stepwise format, if one is due.
    fn ask_format(&self) -> Option<Decision> {
        let format = self.prefix.asked()?;
        let known = if self.prefix.decisions == 0 { self.known_pairs() } else { Vec::new() };
        if !known.is_empty() {
            return Some(Decision { pairs: known, ..Decision::default() });
        }
        Some(self.decision(format))
    }

    /// What the format decides at this point.
    fn decision(&self, format: &dyn Stepwise) -> Decision {
        let seated = |pair: Pair| Pair { bots: pair.bots.map(|index| self.games.seating.bot(index)), ..pair };
        match format.due() {
            Due::Pairs(pairs) if !self.games.fit(pairs.len()) => over(Over::GamesMax),
            Due::Pairs(pairs) => Decision { pairs: pairs.into_iter().map(seated).collect(), ..Decision::default() },
            Due::Over(why) => over(why),
        }
    }

    /// Decides again what was read, if requested, except that a ladder began with the games there were.
    fn compare(&mut self, round: &Round) {
        let begins = round.pairs().any(|pair| pair.round == 0);
        let Some(format) = self.prefix.asked().filter(|_| self.prefix.differing.is_some() && !begins) else { return };
        let Decision { pairs, over, .. } = self.decision(format);
        if over != round.over || !pairs.into_iter().eq(round.pairs()) {
            self.prefix.differing.iter_mut().for_each(|differing| differing.push(round.n));
        }
    }

    /// Records a decision, unless it is empty or its pairs cannot be played.
    fn decided(&mut self, Decision { pairs, openings, is_whole, over }: Decision) -> Option<Round> {
        let round = Round {
            n: self.prefix.decisions + 1,
            after: self.prefix.len / 2,
            of: self.prefix.input_hash(over),
            over,
            whole: is_whole,
            pairs: pairs.iter().map(|pair| (pair.round, pair.opening, pair.bots[0], pair.bots[1])).collect(),
            openings,
        };
        self.apply(&round).then_some(round)
    }

    /// Applies the journal's decision for this point, if there is one. One with other inputs is history.
    fn apply_recorded(&mut self) -> bool {
        let SettledPrefix { len, decisions, ref recorded, .. } = self.prefix;
        let Some(known) = recorded.get(&(len, decisions + 1)) else { return false };
        let fitting = known.iter().rfind(|round| round.of == self.prefix.input_hash(round.over)).cloned();
        fitting.is_some_and(|round| {
            self.compare(&round);
            self.apply(&round)
        })
    }

    /// Appends the pairs of a decision, unless there are none or one of them cannot be played.
    fn apply(&mut self, round: &Round) -> bool {
        let bots = self.games.event.bots.len();
        let is_end = self.prefix.asked().is_some() && round.over.is_some();
        if self.is_cut()
            || round.pairs.is_empty() != is_end
            || !self.games.fit(round.pairs.len())
            || round.unplayable(bots).is_some()
        {
            return false;
        }
        if !round.openings.is_empty() {
            Arc::make_mut(&mut self.games.event).openings.extend(round.openings.iter().cloned());
        }
        let pairs: Vec<Pair> = round.pairs().collect();
        self.prefix.decisions += 1;
        self.prefix.chain.update(round.of.as_bytes());
        self.prefix.over = round.over;
        if let Some(format) = &mut self.prefix.format {
            let seats = |pair: &Pair| Pair { bots: pair.bots.map(|bot| self.games.seating.index(bot)), ..*pair };
            format.add(&pairs.iter().map(seats).collect::<Vec<_>>());
        }
        self.games.add(pairs, round.whole);
        self.prefix.ends.push(self.games.len());
        self.grow();
        self.scan();
        true
    }
}

/// A decision that is not recorded yet.
#[derive(Default)]
struct Decision {
    pairs: Vec<Pair>,
    openings: Vec<Vec<Move>>,
    is_whole: bool,
    over: Option<Over>,
}

fn over(why: Over) -> Decision {
    Decision { over: Some(why), ..Decision::default() }
}
