//! Compares the games of a tournament with those of the one that it plays again.

use std::collections::BTreeMap;

use arena_core::event::{Entry, GameId};
use arena_core::format::Pair;
use arena_core::record::{GameResult, Record};
use arena_core::rules::Move;
use arena_core::schedule::Brief;
use arena_core::text::shown;
use arena_core::verify;
use serde::Serialize;

use super::super::Session;
use super::{Recording, RerunCause};

/// How the games compare.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Games of the recorded tournament that were played.
    pub games: usize,
    /// Those that are equal move for move, in their result and in its reason.
    pub equal: usize,
    /// Games that were played again in this session.
    pub played_now: usize,
    /// Games that earlier runs of this arena on this machine have played again.
    pub played_before: usize,
    /// Those that were not played again.
    pub missing: usize,
    /// What has changed, a sentence each: bots, rules, time control, machine.
    pub changes: Vec<String>,
    /// How many games differ, or are missing, for each cause, the most frequent first.
    pub causes: Vec<CauseCount>,
    /// The games that differ, in the order of the schedule.
    pub differences: Vec<GameDifference>,
}

/// How many games have a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CauseCount {
    /// The cause.
    #[serde(flatten)]
    pub cause: RerunCause,
    /// The games.
    pub games: usize,
    /// The cause in words.
    pub says: String,
}

/// A game that went otherwise. In arrays of two, what was recorded comes first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameDifference {
    /// The ids.
    pub ids: [String; 2],
    /// Round and number of the pair in the recorded tournament.
    pub round: u32,
    /// Number of the pair, from 1.
    pub pair: u32,
    /// The bots, by seat.
    pub bots: [String; 2],
    /// The first ply that differs, from 1, openings included.
    pub ply: usize,
    /// What was played there; `None` where the game had ended.
    pub moves: [Option<Move>; 2],
    /// The time that this took, in microseconds.
    pub took_us: [Option<u64>; 2],
    /// The results.
    pub results: [GameResult; 2],
    /// The reasons.
    pub reasons: [String; 2],
    /// The cause.
    #[serde(flatten)]
    pub cause: RerunCause,
    /// How the record contradicts itself, if that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
}

impl GameDifference {
    fn of(old: &Record, new: &Record, [round, pair]: [u32; 2], contradiction: Option<String>) -> Self {
        let ply = old.moves.iter().zip(&new.moves).take_while(|(old, new)| old == new).count();
        let both = [old, new];
        let took = |record: &Record| Some(record.played.get(ply.checked_sub(record.opening.len())?)?.us);
        Self {
            ids: both.map(|record| record.id.clone()),
            round,
            pair,
            bots: new.bots.each_ref().map(|bot| bot.name.clone()),
            ply: ply + 1,
            moves: both.map(|record| record.moves.get(ply).cloned()),
            took_us: both.map(took),
            results: both.map(|record| record.result),
            reasons: both.map(|record| record.reason.clone()),
            cause: if contradiction.is_some() { RerunCause::Record } else { RerunCause::of(old, new, ply) },
            contradiction,
        }
    }

    /// A line about it, without the cause.
    #[must_use]
    pub fn text(&self) -> String {
        let [first, second] = self.bots.each_ref().map(|bot| shown(bot));
        let id = GameId::of(&self.ids[1]).short();
        let game = format!("{id} {first} against {second}, round {}", self.round);
        if let Some(why) = &self.contradiction {
            return format!("{game}: {}", shown(why));
        }
        let moved = |of: usize| match &self.moves[of] {
            Some(played) => shown(&played.to_string()),
            None => format!("over ({})", shown(&self.reasons[of])),
        };
        let ms = |us: u64| format!("{:.1}", us as f64 / 1_000.0);
        let took = match (&self.cause, self.took_us) {
            (RerunCause::Time { .. }, [Some(old), Some(new)]) => {
                format!(" after {} ms, recorded {} ms", ms(new), ms(old))
            }
            _ => String::new(),
        };
        let [old, new] = self.results;
        let result = if old == new { format!("{new} in both") } else { format!("{new}, recorded {old}") };
        format!("{game}: ply {}: {}, recorded {}{took}; {result}", self.ply, moved(1), moved(0))
    }
}

impl Recording {
    /// Compares its games with those of `session`, which plays them again.
    ///
    /// # Errors
    ///
    /// Returns an error if a journal cannot be read.
    pub fn compare(&self, session: &Session) -> anyhow::Result<Comparison> {
        let mut found = Comparison { changes: self.changes(session), ..Comparison::default() };
        let mut causes: BTreeMap<RerunCause, usize> = BTreeMap::new();
        let mut again = (0_u32..).zip(self.pairs_in(session.event())).peekable();
        for (number, pair) in self.pairs() {
            let new_pair = again.next_if(|(_, (of, _))| *of == number).map(|(new_number, _)| new_number);
            for game in 0..2 {
                let Some(old) = played(self.scheduler.at(2 * number + game)) else { continue };
                found.games += 1;
                let record = self.reader.record(&old)?;
                // First: what a bot does says nothing about a record that cannot be true.
                let contradiction = verify::contradiction(&record);
                let new = new_pair.and_then(|pair| played(session.scheduler.at(2 * pair + game)));
                let cause = if let Some(new) = new {
                    let is_new = new.offset >= session.journal.begin();
                    *(if is_new { &mut found.played_now } else { &mut found.played_before }) += 1;
                    let again = session.reader.record(&new)?;
                    if contradiction.is_none() && is_equal(&old, &new) && ending(&record) == ending(&again) {
                        found.equal += 1;
                        continue;
                    }
                    let place = [pair.round, number + 1];
                    let difference = GameDifference::of(&record, &again, place, contradiction);
                    let cause = difference.cause.clone();
                    found.differences.push(difference);
                    cause
                } else {
                    found.missing += 1;
                    if contradiction.is_some() { RerunCause::Record } else { self.missing(pair, session) }
                };
                *causes.entry(cause).or_default() += 1;
            }
        }
        let count = |(cause, games): (RerunCause, usize)| CauseCount { says: cause.words(), cause, games };
        found.causes = causes.into_iter().map(count).collect();
        found.causes.sort_by_key(|cause| std::cmp::Reverse(cause.games));
        Ok(found)
    }

    /// Why a game of this pair was not played again.
    fn missing(&self, pair: Pair, session: &Session) -> RerunCause {
        let bots = pair.bots.map(|bot| self.event().bots[bot].id.name.clone());
        let is_there = |name: &String| session.event().bots.iter().any(|entry| entry.id.name == *name);
        let mut absent: Vec<String> = bots.into_iter().filter(|name| !is_there(name)).collect();
        absent.sort_unstable();
        if absent.is_empty() { RerunCause::NotPlayed } else { RerunCause::Missing { bots: absent } }
    }

    /// What is not as it was, a sentence each.
    fn changes(&self, session: &Session) -> Vec<String> {
        let (old, new) = (self.event(), session.event());
        let mut changes = Vec::new();
        if (&old.game, old.rules_version) != (&new.game, new.rules_version) {
            let version = |event: &arena_core::event::Tournament| {
                format!("{} version {}", shown(&event.game), event.rules_version)
            };
            changes.push(format!("rules: {} (recorded: {})", version(new), version(old)));
        }
        if old.clock != new.clock {
            changes.push(format!("time control: {} (recorded: {})", new.clock, old.clock));
        }
        for entry in &old.bots {
            let name = shown(&entry.id.name);
            match new.bots.iter().find(|other| other.id.name == entry.id.name) {
                None => {
                    let left_out = new.left_out.iter().find(|bot| bot.name == entry.id.name);
                    let why =
                        left_out.map_or_else(|| "missing".to_owned(), |bot| format!("left out: {}", shown(&bot.cause)));
                    changes.push(format!("{name}: {why}"));
                }
                Some(other) if other.id.fingerprint != entry.id.fingerprint => {
                    changes.push(format!("{name}: {}", changed_in(entry, other)));
                }
                Some(_) => {}
            }
        }
        changes
    }
}

/// What has changed in a bot of another fingerprint.
fn changed_in(old: &Entry, new: &Entry) -> String {
    let (Some(before), Some(now)) = (&old.made_of, &new.made_of) else {
        return "another version; the record does not say what it was made of".to_owned();
    };
    let differences = now.differences(before);
    if differences.is_empty() {
        return format!("its command, environment, options or version; now {}", shown(&new.command));
    }
    differences.join("; ")
}

/// A game that was played to its end.
fn played(brief: Option<Brief>) -> Option<Brief> {
    brief.filter(|brief| brief.bytes > 0 && brief.is_settled())
}

fn is_equal(old: &Brief, new: &Brief) -> bool {
    (old.moves, old.result, old.statuses) == (new.moves, new.result, new.statuses)
}

/// How a game ended.
fn ending(record: &Record) -> (GameResult, &str) {
    (record.result, &record.reason)
}
