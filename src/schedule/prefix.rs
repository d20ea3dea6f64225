//! The prefix of a schedule: the settled games up to the first gap. Decisions are made at its end, and reproduced there
//! when a journal is read.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use super::games::Games;
use super::{Addition, Brief, Policy, Scheduler};
use crate::clock::TimeControl;
use crate::event::{GAMES_MAX, Round, StrikeLimits};
use crate::format::{Pair, Settled};
use crate::record::Status;
use crate::rules::{Move, Seat};

/// The inputs of a decision besides results.
#[derive(Serialize)]
struct Definition<'a> {
    game: &'a str,
    rules_version: u32,
    params: &'a serde_json::Map<String, serde_json::Value>,
    format: &'a str,
    schedule_version: u32,
    rounds: u32,
    seed: u64,
    clock: &'a TimeControl,
    max_plies: Option<usize>,
    openings: &'a [Vec<Move>],
    bots: Vec<std::borrow::Cow<'a, str>>,
    #[serde(skip_serializing_if = "StrikeLimits::are_earlier")]
    strikes: StrikeLimits,
}

/// The prefix of a schedule.
#[derive(Debug)]
pub(super) struct Prefix {
    /// Number of games in it.
    pub(super) len: u32,
    /// Its pairs, for stepwise formats.
    settled: Vec<Settled>,
    /// Number of pairs in it at which a stepwise format is called next; `None` once it is over, and for fixed ones.
    ask_at: Option<usize>,
    /// A hash of the definition, of every game of the prefix, and of the decisions made on it.
    chain: blake3::Hasher,
    /// Decisions made so far.
    rounds: u32,
    /// Decisions of the journal, by the number of games before them and their own number.
    recorded: HashMap<(u32, u32), Vec<Round>>,
}

impl Prefix {
    /// The empty prefix of the schedule of these games, with the decisions of its journal.
    pub(super) fn new(games: &Games, rounds: &[Round]) -> Self {
        let event = &games.event;
        let definition = Definition {
            game: &event.game,
            rules_version: event.rules_version,
            params: &event.params,
            format: &event.format,
            schedule_version: event.schedule_version,
            rounds: event.rounds,
            seed: event.seed,
            clock: &event.clock,
            max_plies: event.max_plies,
            openings: &event.openings,
            bots: event.bots.iter().map(|bot| bot.id.identity()).collect(),
            strikes: event.strikes,
        };
        let mut chain = blake3::Hasher::new();
        chain.update(&serde_json::to_vec(&definition).expect("a definition serialises to memory"));
        let mut recorded: HashMap<(u32, u32), Vec<Round>> = HashMap::new();
        for round in rounds {
            recorded.entry((round.after.saturating_mul(2), round.n)).or_default().push(round.clone());
        }
        let ask_at = games.is_stepwise().then_some(0);
        Self { len: 0, settled: Vec::new(), ask_at, chain, rounds: 0, recorded }
    }

    /// The hash that identifies the inputs of a decision at this point.
    fn of(&self) -> String {
        self.chain.finalize().to_hex()[..16].to_owned()
    }
}

impl Scheduler {
    /// Extends the prefix as far as possible: calls `policy` for each game, and makes the decisions that are due. Returns a
    /// decision that must be recorded before its games begin; call it again until it returns `None`.
    pub fn decide(&mut self, policy: &mut dyn Policy) -> Option<Round> {
        self.replay(policy);
        while let Some(pairs) = self.ask_format() {
            let round = self.decided(Addition { pairs, openings: Vec::new() });
            if round.is_some() {
                return round;
            }
            self.replay(policy);
        }
        if self.prefix.len < self.total || self.is_recorded() {
            return None;
        }
        policy.more(self).and_then(|addition| self.decided(addition))
    }

    /// Extends the prefix as far as possible with the decisions of the journal; makes none.
    pub(super) fn replay(&mut self, policy: &mut dyn Policy) {
        while self.apply_recorded() || self.extend_prefix(policy) {}
    }

    /// Adds the next game to the prefix if it is settled.
    fn extend_prefix(&mut self, policy: &mut dyn Policy) -> bool {
        // A format is called at exactly the point it named, even if more is known by then.
        let asks = self.prefix.ask_at.is_some_and(|pairs| pairs > 0 && pairs <= self.prefix.settled.len());
        if self.prefix.len >= self.scanned.min(self.total) || asks {
            return false;
        }
        let place = self.prefix.len;
        let Some(brief) = self.at(place).filter(Brief::is_settled) else { return false };
        let game = self.games.planned(place);
        self.prefix.chain.update(brief.id.to_string().as_bytes());
        self.prefix.chain.update(&[brief.result as u8, brief.statuses[0] as u8, brief.statuses[1] as u8]);
        self.prefix.len += 1;
        if self.prefix.ask_at.is_some() && place % 2 == 1 {
            self.note_pair(place / 2);
        }
        if let ControlFlow::Break(total) = policy.settled(&game, &brief) {
            self.total = total.clamp(self.prefix.len, self.total);
            self.scanned = self.scanned.min(self.total);
        }
        true
    }

    /// Adds the pair with this number, both of whose games are in the prefix.
    fn note_pair(&mut self, number: u32) {
        let (mut half_points, mut withdrawn) = ([0; 2], [false; 2]);
        for game in 0..2 {
            let Some(brief) = self.at(2 * number + game) else { continue };
            for seat in Seat::BOTH {
                let bot = seat.index() ^ game as usize;
                half_points[bot] += match brief.result.winner() {
                    Some(winner) => 2 * u8::from(winner == seat),
                    None => u8::from(brief.counts()),
                };
                withdrawn[bot] |= brief.statuses[seat.index()] == Status::Withdrawn;
            }
        }
        let pair = self.games.pair(number as usize);
        self.prefix.settled.push(Settled { pair, half_points, withdrawn });
    }

    /// The pairs that a stepwise format adds at this point, if it is due.
    fn ask_format(&mut self) -> Option<Vec<Pair>> {
        self.prefix.ask_at.filter(|pairs| *pairs <= self.prefix.settled.len())?;
        let due = self.games.due(&self.prefix.settled)?;
        self.prefix.ask_at = due.again_after.map(|pairs| pairs.max(self.prefix.settled.len() + 1));
        Some(due.pairs.into_iter().skip(self.games.len() as usize / 2).collect())
    }

    /// Adds pairs to the schedule, unless there are none or they cannot be played.
    fn decided(&mut self, addition: Addition) -> Option<Round> {
        let round = Round {
            n: self.prefix.rounds + 1,
            after: self.prefix.len / 2,
            of: self.prefix.of(),
            pairs: addition.pairs.iter().map(|pair| (pair.round, pair.opening, pair.bots[0], pair.bots[1])).collect(),
            openings: addition.openings,
        };
        self.apply(&round).then_some(round)
    }

    /// Applies the journal's decision for this point, if there is one. One with other inputs is history.
    fn apply_recorded(&mut self) -> bool {
        let Prefix { len, rounds, ref recorded, .. } = self.prefix;
        let Some(known) = recorded.get(&(len, rounds + 1)) else { return false };
        let of = self.prefix.of();
        let fitting = known.iter().rfind(|round| round.of == of).cloned();
        fitting.is_some_and(|round| self.apply(&round))
    }

    /// Appends the pairs of a decision, unless one of them cannot be played.
    fn apply(&mut self, round: &Round) -> bool {
        let bots = self.games.event.bots.len();
        let pairs: Vec<Pair> = round.pairs().collect();
        let games = u64::from(self.games.len()) + 2 * pairs.len() as u64;
        if pairs.is_empty() || self.total < self.games.len() || games > GAMES_MAX || round.unplayable(bots).is_some() {
            return false;
        }
        if !round.openings.is_empty() {
            Arc::make_mut(&mut self.games.event).openings.extend(round.openings.iter().cloned());
        }
        self.prefix.rounds += 1;
        self.prefix.chain.update(round.of.as_bytes());
        self.games.added.extend(pairs);
        self.grow();
        self.scan();
        true
    }
}
