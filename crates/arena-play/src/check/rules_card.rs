//! The score card of a program of rules.

use std::time::Duration;

use arena_core::rules::Variant;
use arena_core::text::counted;

use super::mark::CheckMark;
use crate::program::{ContractError, ContractReport, ProgramGame, try_out};

/// Random games that are played at most.
const GAMES: usize = 100;
/// Time for them.
const LIMIT: Duration = Duration::from_secs(60);
/// A seat that wins a larger part of the random games than this, in percent, is worth a look.
const LOPSIDED_PERCENT: usize = 90;
/// Fewer games say too little about that.
const LOPSIDED_GAMES_MIN: usize = 10;

/// Plays random games with two processes of the program, and says whether it keeps its contracts.
#[must_use]
pub fn rules_card(game: &'static ProgramGame, variant: &Variant) -> Vec<CheckMark> {
    let mut rows = vec![CheckMark::good("starts", format!("{}, as {}", variant, game.name))];
    match try_out(game, &variant.params, GAMES, LIMIT) {
        Ok(report) => rows.extend(passed(game, &report)),
        Err(error) => {
            let advice = match &error {
                ContractError::Broken { .. } => "repair the program; docs/games.md says what each message has",
                ContractError::Differs { .. } => {
                    "let answers depend on params, seed and moves alone: not on time, hash order, locale or earlier games"
                }
                ContractError::DependsOnSeed { .. } => "say \"hidden\": true in hello, or do not use the seed",
            };
            let what = match &error {
                ContractError::Broken { .. } => "plays",
                ContractError::Differs { .. } => "repeats",
                ContractError::DependsOnSeed { .. } => "seeds",
            };
            let details = match &error {
                ContractError::Broken { broken, .. } => broken.evidence.details(),
                ContractError::Differs { .. } | ContractError::DependsOnSeed { .. } => Vec::new(),
            };
            rows.push(CheckMark { details, ..CheckMark::bad(what, error.to_string(), advice) });
        }
    }
    rows
}

fn passed(game: &ProgramGame, report: &ContractReport) -> Vec<CheckMark> {
    let &ContractReport { games, moves, ref lengths, slowest, left, .. } = report;
    let played = format!("{}, {}", counted(games, "random game"), counted(moves, "move"));
    let cut = games - lengths.len();
    let plays = if cut == 0 {
        CheckMark::good("plays", played)
    } else if lengths.is_empty() {
        let advice = "every game must end: let the rules end it, such as after a repetition or a number of moves without progress";
        CheckMark::note("plays", format!("{played}; none of them has ended"), Some(advice))
    } else {
        CheckMark::note("plays", format!("{played}; {cut} not to the end"), Some("every game must end"))
    };
    let seeds = if game.hello.hidden {
        CheckMark::note("seeds", "hidden: every game has a seed of its own, and no opening", None)
    } else {
        CheckMark::good("seeds", "positions do not depend on the seed")
    };
    let ms = slowest.as_secs_f64() * 1e3;
    let limit = game.program.answer;
    let leaves = if left {
        CheckMark::good("leaves", "both processes left when they were asked to")
    } else {
        CheckMark::note("leaves", "a process did not leave within a second and was ended", Some("leave at `quit`"))
    };
    let mut rows = vec![
        plays,
        CheckMark::good("repeats", "another process gave the same answers, byte for byte"),
        seeds,
        CheckMark::good("slowest answer", format!("{ms:.1} ms of {} ms", limit.as_millis())),
        leaves,
    ];
    rows.splice(1..1, described(report));
    rows
}

/// What the random games say about the game itself. None of it is a fault.
fn described(report: &ContractReport) -> Vec<CheckMark> {
    let ContractReport { lengths, wins, choices, .. } = report;
    let length = range(lengths).map(|range| CheckMark::note("length", format!("{range} moves"), None));
    let choice = range(choices).map(|range| CheckMark::note("choice", format!("{range} moves in a position"), None));
    (!lengths.is_empty()).then(|| won(lengths.len(), *wins)).into_iter().chain(length).chain(choice).collect()
}

/// Which seat has won how many of the games that ended.
fn won(ended: usize, [first, second]: [usize; 2]) -> CheckMark {
    let draws = counted(ended - first - second, "draw");
    let found = format!("seat 0 won {first}, seat 1 won {second}, {draws}; {} ended", counted(ended, "game"));
    let is_lopsided = ended >= LOPSIDED_GAMES_MIN && first.max(second) * 100 > ended * LOPSIDED_PERCENT;
    let advice = is_lopsided.then(|| {
        let seat = usize::from(second > first);
        format!("seat {seat} nearly always wins: look whether `winner` and `to_move` are what you mean; bots want a game that both can win")
    });
    CheckMark::note("wins", found, advice.as_deref())
}

/// The median and the extremes of sorted numbers, if there are any.
fn range(sorted: &[u64]) -> Option<String> {
    let (least, most) = (sorted.first()?, sorted.last()?);
    let median = sorted[sorted.len() / 2];
    Some(if least == most { format!("always {least}") } else { format!("median {median}, from {least} to {most}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_one_seat_nearly_always_wins_is_worth_a_look() {
        let said = |ended, wins| {
            let CheckMark { found, advice, good: None, .. } = won(ended, wins) else { panic!("no note") };
            (found, advice.is_some_and(|advice| advice.starts_with("seat 1 nearly always wins")))
        };
        assert_eq!(said(100, [9, 91]), ("seat 0 won 9, seat 1 won 91, 0 draws; 100 games ended".to_owned(), true));
        assert_eq!(said(100, [9, 90]), ("seat 0 won 9, seat 1 won 90, 1 draw; 100 games ended".to_owned(), false));
        assert!(!said(9, [0, 9]).1 && said(10, [0, 10]).1);
    }

    #[test]
    fn numbers_are_told_by_their_median_and_extremes() {
        let said = [&[][..], &[7], &[2, 2], &[1, 4, 9]].map(range);
        let expected = [None, Some("always 7"), Some("always 2"), Some("median 4, from 1 to 9")];
        assert_eq!(said, expected.map(|text| text.map(str::to_owned)));
    }
}
