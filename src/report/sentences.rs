//! What people should know about results, in sentences.

use std::collections::BTreeMap;

use super::{Results, cells};
use crate::event::ScheduledGame;
use crate::record::{Record, Status};
use crate::rules::Seat;
use crate::text::shown;

/// All games in which one bot committed one kind of fault.
struct Faults<'a> {
    games: u64,
    lost: u64,
    round: u32,
    first: &'a Record,
    seat: Seat,
}

/// One sentence for each bot and kind of fault, in the order of the standings: how often, and where to look first.
#[must_use]
pub fn fault_sentences(results: &Results<'_>) -> Vec<String> {
    let mut found: BTreeMap<(usize, Status), Faults<'_>> = BTreeMap::new();
    for (game, record) in results.played() {
        for seat in Seat::BOTH {
            let status = record.statuses[seat.index()];
            // Who is withdrawn is in the warnings.
            if status.is_fault() && status != Status::Withdrawn {
                let faults = found.entry((game.bots[seat.index()], status)).or_insert_with(|| Faults {
                    games: 0,
                    lost: 0,
                    round: game.round,
                    first: record,
                    seat,
                });
                faults.games += 1;
                faults.lost += u64::from(record.result.winner() == Some(seat.other()));
            }
        }
    }
    let bots = results.ranking().analysis.standings.iter().map(|row| row.bot);
    bots.flat_map(|bot| found.range((bot, Status::ALL[0])..(bot + 1, Status::ALL[0])))
        .map(|((bot, status), faults)| fault_sentence(results.name(*bot), *status, faults))
        .collect()
}

fn fault_sentence(name: &str, status: Status, faults: &Faults<'_>) -> String {
    let count = if faults.lost == faults.games {
        format!("{} lost by {status}", cells::games(faults.games))
    } else {
        format!("{} with {status}, {} of them lost", cells::games(faults.games), faults.lost)
    };
    let evidence = faults.first.evidence[faults.seat.index()].as_ref().map(|evidence| evidence.sentence(status));
    let message = evidence.filter(|message| !message.is_empty()).map_or_else(String::new, |text| format!(": {text}"));
    format!("{}: {count}; first: game {} (round {}){message}", shown(name), shown(&faults.first.id), faults.round)
}

fn withdrawn(results: &Results<'_>, name: &str, why: &str) -> String {
    let lost = |(game, record): &(&ScheduledGame, &Record)| {
        Seat::BOTH.iter().any(|seat| {
            let index = seat.index();
            record.statuses[index] == Status::Withdrawn && results.name(game.bots[index]) == name
        })
    };
    let lost = match results.tried().filter(lost).count() {
        0 => String::new(),
        lost => format!(" Not played, and not rated: {}.", cells::games(lost as u64)),
    };
    format!(
        "WITHDRAWN: {} was {}.{lost} Mend it and run again, which plays its games anew; if the machine or its limits \
         were to blame, begin again with --fresh",
        shown(name),
        shown(why)
    )
}

/// What may mislead a reader of the standings, or needs doing: bots left out or withdrawn, games that are void or
/// missing, rounds that were added in view of the results. Faults are not among them, see [`fault_sentences`].
#[must_use]
pub fn warnings(results: &Results<'_>) -> Vec<String> {
    let mut warnings: Vec<String> = results
        .event()
        .left_out
        .iter()
        .map(|bot| format!("{} is left out: {}", shown(&bot.name), shown(&bot.cause)))
        .collect();
    warnings.extend(results.withdrawn().map(|(name, why)| withdrawn(results, name, why)));
    let counts = results.counts();
    if counts.missing > 0 {
        warnings.push(format!(
            "{} of {} not played yet: run the same command again to go on",
            counts.missing,
            cells::games(counts.scheduled as u64)
        ));
    }
    if counts.void > 0 {
        let first = results.tried().find(|(_, record)| !record.is_settled());
        let why = first.map_or_else(String::new, |(game, record)| {
            format!(", the first ({}) because {}", shown(&game.id), shown(&record.reason))
        });
        warnings.push(format!(
            "{} void{why}: counted nowhere, played again when the tournament is run again",
            cells::games(counts.void as u64)
        ));
    }
    if !results.event().extra.is_empty() {
        warnings.push(
            "Rounds were added where ratings overlapped: stopping when they no longer do makes margins and LOS somewhat \
             too sure."
                .to_owned(),
        );
    }
    warnings
}
