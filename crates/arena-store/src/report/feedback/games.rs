//! Lost games that are worth seeing: which, and where each turned.

use std::collections::{BTreeSet, HashSet};

use arena_core::analysis::{GivenAway, Mark, Verdict};
use arena_core::record::Status;
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Planned};
use arena_show::views::{Ply, Story};

use super::change::Before;
use crate::report::Results;

/// Games of a bot that are shown.
pub(super) const GAMES_MAX: usize = 3;
/// Evaluations below this see the own side behind.
const BEHIND: f64 = -0.1;
/// Moves shown before and after the one at which a game turned.
const MOVES_AROUND: usize = 12;

/// A game that a bot lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct LostGame {
    pub(super) planned: Planned,
    pub(super) brief: Brief,
    /// The seat that lost.
    pub(super) seat: Seat,
    /// The score per game that was expected of it against this opponent.
    pub(super) expected: Option<f64>,
}

impl LostGame {
    pub(super) fn status(&self) -> Status {
        self.brief.statuses[self.seat.index()]
    }

    pub(super) fn opponent(&self) -> usize {
        self.planned.bots[self.seat.other().index()]
    }
}

/// For each bot the games that it lost since the last feedback and that are in the journal, in the order of the schedule.
pub(super) fn lost_games(results: &Results<'_>, before: Option<&Before<'_>>) -> Vec<Vec<LostGame>> {
    let mut lost = vec![Vec::new(); results.event().bots.len()];
    let ratings = &results.ranking.analysis.ratings;
    for (planned, brief) in results.schedule.played() {
        let is_new = brief.bytes > 0 && before.is_none_or(|before| before.is_new(&brief));
        let Some(winner) = brief.result.winner().filter(|_| is_new) else { continue };
        let seat = winner.other();
        let [own, other] = [seat, winner].map(|seat| planned.bots[seat.index()]);
        lost[own].push(LostGame { planned, brief, seat, expected: ratings.expected(own, other) });
    }
    lost
}

/// The games worth seeing, at most [`GAMES_MAX`]: the last one of each kind of fault, then those in which most was expected,
/// of different opponents first, and no game twice.
pub(super) fn worth_seeing(lost: &[LostGame]) -> Vec<LostGame> {
    let (mut kinds, mut moves, mut opponents) = (BTreeSet::new(), HashSet::new(), HashSet::new());
    let faults = lost.iter().rev().filter(|game| game.status().is_fault());
    let mut chosen: Vec<LostGame> = faults.filter(|game| kinds.insert(game.status())).copied().collect();
    let mut others: Vec<&LostGame> = lost.iter().rev().filter(|game| !game.status().is_fault()).collect();
    // The newest first where as much was expected.
    others.sort_by(|a, b| b.expected.unwrap_or(0.0).total_cmp(&a.expected.unwrap_or(0.0)));
    others.retain(|game| moves.insert(game.brief.moves));
    let (first, again): (Vec<&LostGame>, Vec<&LostGame>) =
        others.into_iter().partition(|game| opponents.insert(game.opponent()));
    chosen.extend(first.into_iter().chain(again));
    chosen.truncate(GAMES_MAX);
    chosen
}

/// Where a game turned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The index of the move before which the position is shown.
    pub(super) at: usize,
    /// Why there, in a sentence.
    pub(super) why: String,
}

/// Where `seat` lost a game: by an analysis, else by its own evaluations, else by those of the winner, else its last move. `None`
/// if it made no move after the opening.
pub(super) fn turn(story: &Story, seat: Seat) -> Option<Turn> {
    let measured = || story.plies().enumerate().filter(|(_, ply)| ply.measured.is_some());
    let own: Vec<(usize, Ply<'_>)> = measured().filter(|(_, ply)| ply.mover == seat).collect();
    let last = own.last()?.0;
    let loses =
        |mark: &&Mark| matches!(mark.verdict(), Some(Verdict::GaveAway(GivenAway::WinToLoss | GivenAway::DrawToLoss)));
    if let Some((at, words)) =
        own.iter().rev().find_map(|(at, ply)| Some((*at, ply.mark.filter(loses).and_then(Mark::words)?)))
    {
        return Some(Turn { at, why: format!("Here its move gave the game away, by analysis: {words}.") });
    }
    let number = |at: usize| at + 1;
    let mut evals = own.iter().filter_map(|(at, ply)| Some((*at, ply.measured?.eval?)));
    if let Some((at, is_from_start)) = decline(evals.clone(), |eval| eval < BEHIND) {
        let why = if is_from_start {
            "By its own evaluations it was behind from its first move on.".to_owned()
        } else {
            format!(
                "By its own evaluations it was not behind here for the last time; from move {} on it was.",
                number(at.1)
            )
        };
        return Some(Turn { at: at.0, why });
    }
    if let Some((at, eval)) = evals.next_back() {
        let why = format!(
            "It did not see the loss coming: its last evaluation was {eval:+.2}. This is before its last move."
        );
        return Some(Turn { at: last.max(at), why });
    }
    let others = measured().filter(|(_, ply)| ply.mover != seat);
    let others = others.filter_map(|(at, ply)| Some((at, ply.measured?.eval?)));
    if let Some((at, _)) = decline(others, |eval| eval > -BEHIND) {
        // The own move before the winner saw itself ahead.
        let at = own.iter().rev().map(|(own, _)| *own).find(|own| *own < at.1).unwrap_or(last);
        return Some(Turn { at, why: "From its next move on, the winner saw itself ahead.".to_owned() });
    }
    Some(Turn {
        at: last,
        why: "Neither bot evaluates positions. This is before the last move of the loser.".to_owned(),
    })
}

/// Where a run of `bad` evaluations begins that lasts to the end: the place of the one before it and of its first, and whether there
/// is none before. `None` if the last evaluation is not bad.
fn decline(evals: impl Iterator<Item = (usize, f64)>, bad: impl Fn(f64) -> bool) -> Option<((usize, usize), bool)> {
    let evals: Vec<(usize, f64)> = evals.collect();
    let run = evals.iter().rev().take_while(|(_, eval)| bad(*eval)).count();
    let first = evals.len() - run;
    let begin = evals.get(first)?.0;
    let before = first.checked_sub(1).map(|before| evals[before].0);
    Some(((before.unwrap_or(begin), begin), before.is_none()))
}

/// The moves around the one at `at`, which an arrow marks; a bar ends the opening.
pub(super) fn moves_around(story: &Story, at: usize) -> String {
    let (begin, end) = (at.saturating_sub(MOVES_AROUND), (at + MOVES_AROUND + 1).min(story.record.moves.len()));
    let mut words = Vec::new();
    if begin > 0 {
        words.push("…".to_owned());
    }
    for (index, ply) in story.plies().enumerate().take(end).skip(begin) {
        if index > 0 && index == story.record.opening.len() {
            words.push("|".to_owned());
        }
        let arrow = if index == at { "→" } else { "" };
        words.push(format!("{arrow}{}", ply.word));
    }
    if end < story.record.moves.len() {
        words.push("…".to_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use arena_core::record::{GameResult, Played, Record};
    use arena_core::rules::Move;

    use super::*;
    use crate::fixture;

    /// A game that the second seat lost, with these evaluations of both, the first seat's first.
    fn story(evals: &[Option<f64>]) -> Story {
        let played = |eval: &Option<f64>| Played { us: 1, eval: *eval, ..Played::default() };
        let moves = (0..evals.len() as i64).map(|index| Move::Int(index % 7)).collect();
        let record = Record {
            moves,
            opening: Vec::new(),
            played: evals.iter().map(played).collect(),
            evidence: [None, None],
            result: GameResult::FirstWins,
            ..fixture::reported_game()
        };
        Story::new(record, fixture::variant()).unwrap()
    }

    #[track_caller]
    fn check(evals: &[Option<f64>], at: usize, why: &str) {
        let turn = turn(&story(evals), Seat::Second).unwrap();
        assert!(turn.at == at && turn.why.contains(why), "{turn:?}");
    }

    #[test]
    fn a_game_turns_where_the_loser_was_not_behind_for_the_last_time() {
        let [good, bad, none] = [Some(0.2), Some(-0.5), None];
        check(&[none, good, none, bad, none, good, none, bad, none, bad], 5, "from move 8 on it was");
        check(&[none, bad, none, bad], 1, "behind from its first move on");
        check(&[none, bad, none, good], 3, "did not see the loss coming: its last evaluation was +0.20");
        check(&[none, bad, none, good, none, none], 5, "did not see the loss coming");
        check(&[bad, none, bad, none, good, none, good, none], 3, "the winner saw itself ahead");
        check(&[good, none, good, none], 3, "the winner saw itself ahead");
        check(&[bad, none, bad, none], 3, "Neither bot evaluates positions");
        assert_eq!(turn(&story(&[none]), Seat::Second), None, "it made no move");
    }

    #[test]
    fn moves_far_from_the_turn_are_left_out() {
        // Columns, one after the other, in which nobody gets four in a row.
        let columns = [0, 1, 6, 2, 3, 4].map(|column| vec![Move::Int(column); if column == 6 { 1 } else { 6 }]);
        let story = |moves, opening| {
            let record = Record { moves, opening, ..fixture::reported_game() };
            Story::new(record, fixture::variant()).unwrap()
        };
        let around = moves_around(&story(columns.concat(), Vec::new()), 15);
        assert!(around.starts_with("… 0 0 0 1 ") && around.contains(" →2 ") && around.ends_with(" …"), "{around}");
        assert_eq!(around.split(' ').count(), 2 * MOVES_AROUND + 3);
        assert_eq!(moves_around(&story([0, 1, 2].map(Move::Int).to_vec(), vec![Move::Int(0)]), 2), "0 | 1 →2");
    }
}
