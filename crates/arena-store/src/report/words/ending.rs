//! Why a stepwise format has no more games, in a sentence.

use arena_core::format::flags::ROUNDS;
use arena_core::format::{Format, Over, Until};
use arena_core::text::counted;
use arena_sys::flags::{MAX_GAMES, OPENING_PLIES};

use super::statements::pair_and_difference;
use crate::report::Results;

/// The sentence; `None` while more games follow, or if all planned ones were simply played.
pub(crate) fn ending(results: &Results<'_>) -> Option<String> {
    let (schedule, event) = (results.schedule, results.event());
    let pairs = counted(schedule.total() as usize / 2, "pair");
    let title = Format::named(&event.format)?.title;
    Some(match schedule.over()? {
        Over::Complete => return None,
        Over::Reached => match event.format_options.until()? {
            Until::Separated => format!("All neighbours were separated after {pairs}."),
            Until::Margin(margin) => format!("No margin was larger than {margin} Elo after {pairs}."),
            Until::Top { bots, apart } => format!(
                "The best {bots} are known after {pairs}: no other bot is better than one of them by more than {apart} Elo.{}",
                border(results)
            ),
        },
        Over::Exhausted => format!(
            "The {title} ended after {pairs}: more games between bots that are not separated would repeat earlier ones move for \
             move, or begin from openings they have played. More openings ({ROUNDS}, {OPENING_PLIES}) can tell more."
        ),
        Over::GamesMax => {
            format!("The {title} ended after {pairs} at its maximum of games ({MAX_GAMES}).{}", border(results))
        }
        Over::NoBots => format!("The {title} ended after {pairs}: too few bots are left."),
        Over::NoPairing => format!(
            "The {title} ended early, after {pairs}: in every pairing of the next round, bots would meet again or have a second bye."
        ),
    })
}

/// What is known at the border of the best bots, if they are looked for.
fn border(results: &Results<'_>) -> String {
    let Some(Until::Top { bots, .. }) = results.event().format_options.until() else { return String::new() };
    boundary(results, bots as usize).map_or_else(String::new, |two| format!(" At the border: {two}."))
}

/// The last bot of the best ones and the first after them.
fn boundary(results: &Results<'_>, best: usize) -> Option<String> {
    let ranking = &results.ranking;
    let two = ranking.compared().get(best.checked_sub(1)?..=best)?.to_vec();
    let neighbours = ranking.analysis.ratings.neighbours(&two).next()?;
    Some(pair_and_difference(ranking, &neighbours))
}
