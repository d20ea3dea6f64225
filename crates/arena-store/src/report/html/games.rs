//! The games. Without scripts it says where they are; with them it has a list, filters and a player.

use std::collections::{HashMap, HashSet};

use arena_core::event::GameId;
use arena_core::record::{Record, UNPUBLISHED};
use arena_core::rules::Rules;
use arena_core::schedule::{Brief, Planned};
use arena_core::text::{counted, grouped, shell_word, shown};
use arena_show::views::{Story, capital};
use arena_show::web;
use arena_show::web::games::{KeptShare, Listed, PairingScore};
use arena_sys::flags::{GAME, NAME};
use maud::{Markup, PreEscaped, html};

use super::parts::{file, scrolling, table};
use crate::report::Results;
use crate::report::text::headline::NotableGame;
use crate::report::words::faults::fault_rows;
use crate::report::words::reproduce::game_flag;

/// Most games in the list.
const ROWS_MAX: usize = 10_000;
/// Rows of the table that is there without scripts.
const STATIC_ROWS: u32 = 25;
/// Rows of the table of faults whose first games are among them.
pub(super) const FAULTS_LINKED: usize = 20;
/// Most bytes of the block of data.
const BLOCK_MAX: usize = 3 << 19;
/// More bytes than the notes around them have, with the name of the tournament.
const NOTES_BYTES: usize = 4 << 10;
/// A winner that was expected to score less than this surprised.
const UPSET: f64 = 0.1;
/// Best bots whose results against each other are kept: 19,900 pairings.
const REFERENCES_MAX: usize = 200;

/// Why a game is in the sample; the first ones are kept first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Interest {
    /// The page links to it.
    Linked,
    Fault,
    EdgeOfPairing,
    Upset,
    Other,
}

/// The games in at most `room` bytes if the list alone fits. Each game is read from the journal once.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub(super) fn content(results: &Results<'_>, notable: &[NotableGame], room: usize) -> anyhow::Result<Markup> {
    let total = results.schedule.tried().count();
    let of_faults = fault_rows(results).into_iter().take(FAULTS_LINKED).map(|row| row.first.0);
    let linked: HashSet<GameId> = of_faults.chain(notable.iter().map(|game| game.id)).collect();
    let chosen = choose(results, &linked, ROWS_MAX);
    let names = results.event().bots.iter().map(|entry| entry.id.name.as_str());
    let mut games = web::games::BlockGames::new(names, pairings(results), results.with_times).selected_by(&format!(
        "{NAME} {}{}",
        shell_word(&results.event().name),
        game_flag(results)
    ));
    let variant = results.event().variant();
    let rules = variant.as_ref().ok().map(|variant| variant.rules);
    let (is_program, is_absent) = (rules.is_some_and(Rules::is_external), rules.is_some_and(Rules::is_absent));
    let analyses = results.analyses()?;
    let mut rows = Vec::new();
    for (game, brief, priority) in &chosen {
        let record = results.record(game, brief)?;
        if *priority < STATIC_ROWS {
            rows.push(row(results, game, &record));
        }
        let story = match &variant {
            Ok(variant) => Story::new(record.clone(), variant.clone())
                .map(|story| story.with_marks(analyses.marks(&record)))
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        // It may name the file of a program.
        let story = story.map_err(|why| if results.for_others { UNPUBLISHED.to_owned() } else { why });
        let listed = Listed { record: &record, bots: game.bots, round: game.round, pair: game.pair };
        games.add(listed, story.as_ref().map_err(String::as_str), *priority);
    }
    let count = rows.len();
    let seats = results.ranking.seat_names.map(|names| names.map(capital));
    let [first, second] = seats.as_ref().map_or(["First", "Second"], |names| names.each_ref().map(String::as_str));
    let columns = ["Id", "Round", first, second, "Result", "Reason", "Plies"].map(|title| (title, ""));
    let table = table("", "Games in the order of the schedule", columns, rows);
    let block = games.block(room.saturating_sub(table.0.len() + NOTES_BYTES).min(BLOCK_MAX));
    let name = shown(&shell_word(&results.event().name));
    Ok(html! {
        @if total == 0 {
            p class="empty" { "No game has been played yet." }
        } @else {
            p class="note" {
                @if is_absent {
                    "This page lists " (block.kept.rows) " of " (counted(total, "game")) ", and has the moves of " (block.kept.plies)
                    " without boards. These are of a program: "
                    code { "arena standings " (name) " " (GAME) " FILE" } " shows them, where FILE is its manifest."
                } @else {
                    (what_is_here(total, block.kept))
                }
                " All games are in " (file("games.csv")) ". "
                @if !results.for_others {
                    code { "arena replay ID " (NAME) " " (name) @if is_program && !results.remembers_rules { " " (GAME) " FILE" } } " shows a game in a terminal."
                }
            }
            div id="games-static" {
                @if count < total {
                    p class="note" { "Without scripts this page shows " (count) " of them: faults first." }
                }
                (scrolling("Games", &table))
            }
            script type="application/octet-stream" id="games-data" { (PreEscaped(block.text)) }
        }
    })
}

/// A row of the table that is there without scripts.
fn row(results: &Results<'_>, game: &Planned, record: &Record) -> Markup {
    html! {
        tr id={ "game-" (shown(&record.id)) } {
            th scope="row" { (shown(&record.id)) }
            td { (game.round) }
            @for bot in game.bots { td { (results.ranking.name(bot)) } }
            td { (record.result) }
            td { (shown(&record.reason_in_words())) }
            td { (record.moves.len()) }
        }
    }
}

/// `All 600 games are in this page.`
fn what_is_here(total: usize, kept: KeptShare) -> String {
    let sample = "faults first, then the first and the last pair of every pairing, upsets (the winner was expected to score \
                  below 10 %), and others by id";
    let games = counted(total, "game");
    let [_, times, evals, texts, images] = kept.sampled;
    if kept.rows < total {
        let rows = grouped(kept.rows as u64);
        format!("This page lists {rows} of {games}, with the positions of {}: {sample}.", kept.plies)
    } else if kept.sampled[0] {
        format!("This page lists all {games}, and has the positions of {}: {sample}.", kept.plies)
    } else if evals || times || texts || images {
        let parts = [(images, "pictures"), (evals, "evaluations"), (times, "times of moves"), (texts, "comments")];
        let parts: Vec<&str> = parts.into_iter().filter(|(cut, _)| *cut).map(|(_, part)| part).collect();
        format!("This page has all {games}. A sample has {}: {sample}.", parts.join(" and "))
    } else {
        format!("This page has all {games} with their positions.")
    }
}

/// The games of the list in the order of the schedule, at most `most`, with their places in the sample.
fn choose(results: &Results<'_>, linked: &HashSet<GameId>, most: usize) -> Vec<(Planned, Brief, u32)> {
    let mut edges: HashMap<[usize; 2], [u32; 2]> = HashMap::new();
    for (game, _) in results.schedule.tried() {
        let pairs = edges.entry(sorted(game.bots)).or_insert([game.pair; 2]);
        *pairs = [pairs[0].min(game.pair), pairs[1].max(game.pair)];
    }
    let ratings = &results.ranking.analysis.ratings;
    let interest = |game: &Planned, brief: &Brief| {
        // Without a record there is nothing to look at.
        if brief.bytes == 0 {
            Interest::Other
        } else if linked.contains(&brief.id) {
            Interest::Linked
        } else if brief.statuses.iter().any(|status| status.is_fault()) {
            Interest::Fault
        } else if edges[&sorted(game.bots)].contains(&game.pair) {
            Interest::EdgeOfPairing
        } else if brief.result.winner().is_some_and(|winner| {
            let [winner, loser] = [winner, winner.other()].map(|seat| game.bots[seat.index()]);
            ratings.expected(winner, loser).is_some_and(|expected| expected < UPSET)
        }) {
            Interest::Upset
        } else {
            Interest::Other
        }
    };
    let tried = results.schedule.tried();
    let mut order: Vec<_> = tried.map(|(game, brief)| (interest(&game, &brief), brief.id, game.place)).collect();
    order.sort_unstable();
    order.truncate(most);
    let mut chosen: Vec<(u32, u32)> = order.iter().zip(0..).map(|((.., place), priority)| (*place, priority)).collect();
    drop(order);
    chosen.sort_unstable();
    let brief = |(place, priority)| Some((results.schedule.planned(place), results.schedule.at(place)?, priority));
    chosen.into_iter().filter_map(brief).collect()
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// The scores between the best bots.
fn pairings(results: &Results<'_>) -> Vec<PairingScore> {
    let best: HashSet<usize> = results.ranking.first(REFERENCES_MAX).into_iter().collect();
    let pairings = results.ranking.analysis.counts.pairings();
    let met = pairings.filter(|met| best.contains(&met.a) && best.contains(&met.b));
    met.map(|met| {
        let total = met.total();
        [met.a as u64, met.b as u64, total.wins, total.draws, total.losses]
    })
    .collect()
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::fixture;
    use crate::report::ResultsOptions;
    use crate::report::stored::Stored;

    #[test]
    fn faults_are_kept_first_and_then_the_edges_of_pairings() {
        let event = fixture::event(&["minimax", "greedy", "random"]);
        let records = fixture::records(&event, &fixture::schedule(&event));
        let stored = Stored::new(&event, &records);
        let results = Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap();
        let faults =
            results.schedule.tried().filter(|(_, brief)| brief.statuses.iter().any(|status| status.is_fault()));
        let faults: Vec<u32> = faults.map(|(game, _)| game.place).collect();
        let places =
            |most| choose(&results, &HashSet::new(), most).into_iter().map(|(game, ..)| game.place).collect::<Vec<_>>();
        assert_eq!(faults.len(), 3);
        assert_eq!(places(3), faults);
        let all: Vec<u32> = results.schedule.tried().map(|(game, _)| game.place).collect();
        assert_eq!(places(usize::MAX), all);
        let some = places(5);
        assert!(some.is_sorted() && some.len() == 5 && faults.iter().all(|place| some.contains(place)), "{some:?}");
    }

    #[test]
    fn the_page_says_what_it_has() {
        let kept = |rows, plies, sampled| KeptShare { rows, plies, sampled };
        let begins = |total, kept, text: &str| {
            let said = what_is_here(total, kept);
            assert!(said.starts_with(text), "{said}");
        };
        begins(600, kept(600, 600, [false; 5]), "This page has all 600 games with their positions.");
        let cut = [false, false, true, false, false];
        begins(
            9_000,
            kept(9_000, 9_000, cut),
            "This page has all 9,000 games. A sample has evaluations: faults first,",
        );
        begins(
            9_000,
            kept(9_000, 70, [true; 5]),
            "This page lists all 9,000 games, and has the positions of 70: faults",
        );
        begins(
            20_000,
            kept(10_000, 70, [true; 5]),
            "This page lists 10,000 of 20,000 games, with the positions of 70: faults",
        );
    }
}
