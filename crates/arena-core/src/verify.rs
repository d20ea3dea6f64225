//! Verifies records by replaying them through the rules, which detects edited records. Pure.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::event::{GAMES_MAX, ROUNDS_MAX, Round, SCHEDULE_VERSIONS_READ, Tournament, recorded_id};
use crate::format::{Format, Pair};
use crate::record::{GameResult, Record, Status};
use crate::referee::MAX_PLIES;
use crate::rules::{Move, Movers, Seat, State, Variant, play, step};
use crate::stats::PLAYERS_MAX;
use crate::text::{counted, shown};

/// Returns everything in `record` that contradicts the rules or itself; empty if it is valid.
#[must_use]
pub fn problems(record: &Record) -> Vec<String> {
    let mut problems = Vec::new();
    let id = recorded_id(record);
    if id != record.id {
        problems.push(format!("its content gives the id {id}"));
    }
    if !record.moves.starts_with(&record.opening) {
        problems.push("its moves do not begin with its opening".to_owned());
    } else if record.moves.len() - record.opening.len() != record.played.len() {
        problems.push(format!(
            "it has {} moves after the opening, but {} measurements",
            record.moves.len() - record.opening.len(),
            record.played.len()
        ));
    }
    match ending(record) {
        Ok(expected) => {
            let found = (record.result, record.reason.as_str());
            if (expected.0, expected.1.as_str()) != found {
                problems.push(format!(
                    "it records {} by {}, but its moves and statuses give {} by {}",
                    found.0,
                    shown(found.1),
                    expected.0,
                    expected.1
                ));
            }
        }
        Err(problem) => problems.push(problem),
    }
    problems
}

/// Whether a record contradicts itself, and how: [`problems`], as far as they are certain. A record of rules that are not there, or
/// are another version, cannot be judged.
#[must_use]
pub fn contradiction(record: &Record) -> Option<String> {
    let variant = Variant::from_json(&record.game, &record.params).ok()?;
    if record.rules_version != variant.rules.version || variant.start(record.seed).is_err() {
        return None;
    }
    problems(record).into_iter().next()
}

/// Returns everything in `event` that prevents a tournament from being played; empty if it is valid.
#[must_use]
pub fn event_problems(event: &Tournament) -> Vec<String> {
    let variant = match event.variant() {
        Ok(variant) => variant,
        Err(error) => return vec![format!("the tournament: {error}")],
    };
    let mut problems = field_problems(event);
    if event.game != variant.rules.name {
        problems.push(format!("the tournament: `{}` is not a name of {}", variant.label, shown(&event.game)));
    }
    if event.openings.is_empty() {
        problems.push("the tournament: it has no opening; it needs at least an empty one".to_owned());
    }
    problems.extend(opening_problems(&variant, &event.openings));
    problems
}

/// Returns everything in a decision that prevents its pairs from being played in `event`; empty if it is valid.
#[must_use]
pub fn round_problems(round: &Round, event: &Tournament) -> Vec<String> {
    let bots = event.bots.len();
    let unplayable = round.unplayable(bots).map(|Pair { opening, bots: [a, b], .. }| {
        format!("{} cannot play a pair of {a} and {b} from opening {opening}", counted(bots, "bot"))
    });
    let openings = event.variant().map(|variant| opening_problems(&variant, &round.openings)).unwrap_or_default();
    unplayable.into_iter().chain(openings).map(|problem| format!("decision {}: {problem}", round.n)).collect()
}

fn opening_problems(variant: &Variant, openings: &[Vec<Move>]) -> Vec<String> {
    if variant.rules.is_absent() {
        return Vec::new();
    }
    let problem = |(number, opening): (usize, &Vec<Move>)| {
        let mut state = match variant.start(0) {
            Ok(state) => state,
            Err(fault) => return Some(format!("opening {number}: {fault}")),
        };
        match play(state.as_mut(), opening) {
            Err((ply, why)) => Some(format!("opening {number}: ply {}: {why}", ply + 1)),
            Ok(()) => state.outcome().map(|_| format!("opening {number}: the game is over after it")),
        }
    };
    (1..).zip(openings).filter_map(problem).collect()
}

/// Problems of the bots, the format and the rounds, which determine the schedule.
fn field_problems(event: &Tournament) -> Vec<String> {
    let mut problems = Vec::new();
    let mut complain = |problem: String| problems.push(format!("the tournament: {problem}"));
    if Format::named(&event.format).is_none() {
        complain(format!("unknown format `{}`", shown(&event.format)));
    }
    if event.bots.len() < 2 {
        complain(format!("it has {}; at least two are needed", counted(event.bots.len(), "bot")));
    } else if event.bots.len() > PLAYERS_MAX {
        complain(format!("it has {} bots; at most {PLAYERS_MAX} can be rated together", event.bots.len()));
    }
    if !SCHEDULE_VERSIONS_READ.contains(&event.schedule_version) {
        let (version, [from, to]) =
            (event.schedule_version, [SCHEDULE_VERSIONS_READ.start(), SCHEDULE_VERSIONS_READ.end()]);
        complain(format!("its schedule is of version {version}; this arena knows versions {from} to {to}"));
    }
    let mut names = HashSet::new();
    if let Some(twice) = event.bots.iter().find(|bot| !names.insert(&bot.id.name)) {
        complain(format!("it has two bots named `{}`", shown(&twice.id.name)));
    }
    if event.rounds > ROUNDS_MAX {
        complain(format!("{} rounds; at most {ROUNDS_MAX} are played", event.rounds));
    } else if event.fixed_games() > GAMES_MAX {
        complain(format!("{} games; at most {GAMES_MAX} are played", event.fixed_games()));
    }
    problems
}

/// Describes a bot of `event` that cannot be distinguished from another, if there is one.
#[must_use]
pub fn twin_problem(event: &Tournament) -> Option<String> {
    let mut identities = HashSet::new();
    let twice = event.bots.iter().find(|bot| !identities.insert(bot.id.identity()))?;
    let name = shown(&twice.id.name);
    Some(format!("the tournament: bot `{name}` cannot be distinguished from another: same fingerprint"))
}

/// Endings that a replay cannot prove: faults and resignations. Anyone who can write a journal can write one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unproven {
    /// Number of games that ended so.
    games: usize,
    /// Number of seats with each status.
    statuses: BTreeMap<&'static str, usize>,
}

impl Unproven {
    /// Adds a record.
    pub fn note(&mut self, record: &Record) {
        let faults = record.statuses.iter().filter(|status| !matches!(status, Status::Ok | Status::Withdrawn));
        self.games += usize::from(faults.clone().next().is_some());
        for status in faults {
            *self.statuses.entry(status.name()).or_default() += 1;
        }
    }

    /// A sentence about them; `None` if there are none.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let each: Vec<String> = self.statuses.iter().map(|(name, count)| format!("{count} {name}")).collect();
        (self.games > 0).then(|| {
            let games = counted(self.games, "game");
            format!(
                "faults cannot be proven from a journal ({games} ended by faults or resignations: {})",
                each.join(", ")
            )
        })
    }
}

/// The result and the reason that follow from the moves and statuses of a record.
fn ending(record: &Record) -> Result<(GameResult, String), String> {
    let variant = Variant::from_json(&record.game, &record.params).map_err(|error| error.to_string())?;
    if record.rules_version != variant.rules.version {
        return Err(format!(
            "it was played under version {} of {}; this arena knows version {} and cannot judge it",
            record.rules_version, record.game, variant.rules.version
        ));
    }
    if record.rules_fault.is_some() {
        // They may fail again, which shows nothing about the record.
        let is_void = record.result == GameResult::Void && record.statuses == [Status::Ok; 2];
        let why = || "its rules failed, but it is not void, or a seat has a status other than ok".to_owned();
        return is_void.then(|| (GameResult::Void, record.reason.clone())).ok_or_else(why);
    }
    let mut state = variant.start(record.seed).map_err(|fault| fault.to_string())?;
    let mut movers = Movers::default();
    for (ply, played) in record.moves.iter().enumerate() {
        movers.push(ply, state.to_move());
        step(state.as_mut(), played).map_err(|why| format!("ply {}: {why}", ply + 1))?;
    }
    if state.answers() != record.answers {
        return Err(
            "its rules have said something else in this game: it was changed, or they do not always say the same"
                .to_owned(),
        );
    }
    if state.scores() != record.scores {
        return Err("its scores are not those of its moves".to_owned());
    }
    if movers != record.movers {
        return Err(format!("it records the movers `{}`, but they were `{movers}`", record.movers));
    }
    if let Some(seat) = Seat::BOTH.into_iter().find(|seat| record.statuses[seat.index()] == Status::Withdrawn) {
        return Err(format!("its {seat} bot is withdrawn, but such games are derived and never recorded"));
    }
    if record.result == GameResult::Void {
        return void_ending(record, state.as_ref());
    }
    let blamed: Vec<Seat> = Seat::BOTH.into_iter().filter(|seat| record.statuses[seat.index()] != Status::Ok).collect();
    match (state.outcome(), blamed.as_slice()) {
        (Some(outcome), []) => Ok((GameResult::of(outcome.winner), outcome.reason.to_owned())),
        (Some(_), _) => Err("the rules ended the game, but a seat has a status other than ok".to_owned()),
        (None, []) if is_out_of_plies(record) => Ok((GameResult::Draw, MAX_PLIES.to_owned())),
        (None, []) => Err("its moves do not end the game, but no seat is at fault".to_owned()),
        (None, [loser]) => {
            let status = record.statuses[loser.index()];
            let is_on_move = *loser == state.to_move();
            let contradiction = match status {
                Status::StartupFailed => None,
                Status::Interference => is_on_move.then_some("it was on move"),
                _ => (!is_on_move).then_some("it was not on move"),
            };
            match contradiction {
                Some(why) => Err(format!("the {loser} seat has status {status}, but {why}")),
                None => Ok((GameResult::of(Some(loser.other())), status.name().to_owned())),
            }
        }
        (None, _) => Err("both seats are at fault, but the game is not void".to_owned()),
    }
}

/// The result of a void game. Its record gives no reason, but it must not contain a game that ended.
fn void_ending(record: &Record, state: &dyn State) -> Result<(GameResult, String), String> {
    if state.outcome().is_some() || is_out_of_plies(record) {
        return Err("it is recorded as void, but its moves end the game".to_owned());
    }
    let neither_started = record.statuses == [Status::StartupFailed; 2] && record.moves.len() == record.opening.len();
    if record.statuses != [Status::Ok; 2] && !neither_started {
        return Err("it is recorded as void, but a seat has a status other than ok".to_owned());
    }
    Ok((GameResult::Void, record.reason.clone()))
}

fn is_out_of_plies(record: &Record) -> bool {
    record.max_plies.is_some_and(|max| record.moves.len() >= max)
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    use super::*;

    #[test]
    fn a_schedule_of_another_version_is_refused() {
        let mut event = fixture::event(&["a", "b"]);
        assert_eq!(event_problems(&event), [""; 0]);
        event.schedule_version = 1;
        let problem = "the tournament: its schedule is of version 1; this arena knows versions 2 to 4";
        assert_eq!(event_problems(&event), [problem]);
    }

    #[test]
    fn the_seat_on_move_can_commit_any_fault_except_interference() {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::SecondWins, 1);
        (record.opening, record.moves, record.played) = (Vec::new(), Vec::new(), Vec::new());
        let mut ending_with = |statuses: [Status; 2]| {
            record.statuses = statuses;
            ending(&record).map(|(result, reason)| format!("{result} {reason}"))
        };
        assert_eq!(ending_with([Status::Timeout, Status::Ok]).as_deref(), Ok("0-1 timeout"));
        assert_eq!(ending_with([Status::Ok, Status::Interference]).as_deref(), Ok("1-0 interference"));
        let on_move = "the first seat has status interference, but it was on move";
        assert_eq!(ending_with([Status::Interference, Status::Ok]).unwrap_err(), on_move);
        let not_on_move = "the second seat has status timeout, but it was not on move";
        assert_eq!(ending_with([Status::Ok, Status::Timeout]).unwrap_err(), not_on_move);
    }
}
