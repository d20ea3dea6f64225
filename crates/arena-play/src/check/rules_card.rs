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
    let ContractReport { games, moves, ended, slowest, left } = *report;
    let played = format!("{}, {}", counted(games, "random game"), counted(moves, "move"));
    let cut = games - ended;
    let plays = if cut == 0 {
        CheckMark::good("plays", played)
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
    vec![
        plays,
        CheckMark::good("repeats", "another process gave the same answers, byte for byte"),
        seeds,
        CheckMark::good("slowest answer", format!("{ms:.1} ms of {} ms", limit.as_millis())),
        leaves,
    ]
}
