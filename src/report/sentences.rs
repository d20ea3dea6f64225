//! What people should know about results, in sentences.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use super::Results;
use crate::advice::advice;
use crate::event::{Event, GameId};
use crate::journal::Reader;
use crate::record::{Evidence, Status};
use crate::rules::Seat;
use crate::schedule::{Brief, Planned, Scheduler};
use crate::text::{counted, shown};

/// Up to so many bots that are left out it is said of each why.
const LEFT_OUT_SAID_MAX: usize = 5;

/// From so many of a hundred games on that came out void it is said.
const VOID_PERCENT_MAX: u64 = 2;

/// What sentences say of games, found while the results are put together: few words, however many games there are.
#[derive(Debug, Default)]
pub(super) struct Incidents {
    faults: BTreeMap<(usize, Status), Faults>,
    void: Option<Void>,
    /// Whether anybody committed a fault or was withdrawn.
    pub(super) any_fault: bool,
}

/// All games in which one bot committed one kind of fault.
#[derive(Debug)]
struct Faults {
    games: u64,
    lost: u64,
    round: u32,
    first: GameId,
    /// What is known about the first.
    evidence: Option<Evidence>,
}

/// The first game that we, not a bot, failed to run.
#[derive(Debug)]
struct Void {
    id: GameId,
    why: String,
}

impl Incidents {
    /// Looks through the games; the few that are told of are fetched from the journal.
    pub(super) fn find(schedule: &Scheduler, journal: &Reader) -> anyhow::Result<Self> {
        let mut incidents = Self::default();
        for (game, brief) in schedule.tried() {
            if !brief.is_settled() && incidents.void.is_none() {
                incidents.void = Some(Void { id: brief.id, why: journal.record(&brief)?.reason });
            }
            if !brief.counts() {
                continue;
            }
            for seat in Seat::BOTH {
                let status = brief.statuses[seat.index()];
                if !status.is_fault() {
                    continue;
                }
                incidents.any_fault = true;
                if status == Status::Withdrawn {
                    // Who is withdrawn is in the warnings.
                    continue;
                }
                let faults = match incidents.faults.entry((game.bots[seat.index()], status)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let [first, second] = journal.record(&brief)?.evidence;
                        let evidence = if seat == Seat::First { first } else { second };
                        new.insert(Faults { games: 0, lost: 0, round: game.round, first: brief.id, evidence })
                    }
                };
                faults.games += 1;
                faults.lost += u64::from(brief.result.winner() == Some(seat.other()));
            }
        }
        Ok(incidents)
    }
}

/// One sentence for each bot and kind of fault, in the order of the standings: how often, and where to look first.
#[must_use]
pub fn fault_sentences(results: &Results<'_>) -> Vec<String> {
    faults(results).map(|(name, status, faults)| fault_sentence(name, status, faults)).collect()
}

/// The same, each with lines that tell more: what was said last on both sides, where the bot's log is, what to do next.
/// `dir` is the results folder of the tournament.
#[must_use]
pub fn fault_paragraphs(results: &Results<'_>, dir: &Path) -> Vec<String> {
    let folder = shown(&dir.to_string_lossy());
    let paragraph = |(name, status, faults): (&str, Status, &Faults)| {
        let mut lines = vec![fault_sentence(name, status, faults)];
        let evidence = faults.evidence.as_ref();
        lines.extend(evidence.map(Evidence::last_lines).unwrap_or_default());
        // Whether it was in a sandbox is not recorded: what is said of sandboxes holds for all.
        let advice = evidence.and_then(|known| advice(status, known, true));
        lines.extend(advice.map(|advice| format!("→ {}", advice.cure)));
        let log = dir.join("bots").join(format!("{name}.log"));
        let log = shown(&log.to_string_lossy());
        lines.push(format!("log: {log}   next: arena explain {status}, arena replay {} --name {folder}", faults.first));
        lines.join("\n    ")
    };
    faults(results).map(paragraph).collect()
}

/// Every kind of fault of every bot, in the order of the standings.
fn faults<'a>(results: &'a Results<'_>) -> impl Iterator<Item = (&'a str, Status, &'a Faults)> {
    let bots = results.ranking().analysis.standings.iter().map(|row| row.bot);
    bots.flat_map(|bot| results.incidents.faults.range((bot, Status::ALL[0])..(bot + 1, Status::ALL[0])))
        .map(|((bot, status), faults)| (results.name(*bot), *status, faults))
}

fn fault_sentence(name: &str, status: Status, faults: &Faults) -> String {
    let count = if faults.lost == faults.games {
        format!("{} lost by {status}", counted(faults.games as usize, "game"))
    } else {
        format!("{} with {status}, {} of them lost", counted(faults.games as usize, "game"), faults.lost)
    };
    let evidence = faults.evidence.as_ref().map(|evidence| evidence.sentence(status));
    let message = evidence.filter(|text| !text.is_empty()).map_or_else(String::new, |text| format!(": {text}"));
    format!("{}: {count}; first: game {} (round {}){message}", shown(name), faults.first, faults.round)
}

fn withdrawn(results: &Results<'_>, name: &str, why: &str) -> String {
    let lost = |(game, brief): &(Planned, Brief)| {
        Seat::BOTH.iter().any(|seat| {
            let index = seat.index();
            brief.statuses[index] == Status::Withdrawn && results.name(game.bots[index]) == name
        })
    };
    let lost = match results.schedule.tried().filter(lost).count() {
        0 => String::new(),
        lost => format!(" Not played, and not rated: {}.", counted(lost, "game")),
    };
    format!(
        "WITHDRAWN: {} was {}.{lost} Mend it and run again, which plays its games anew; if the machine or its limits \
         were to blame, begin again with --fresh",
        shown(name),
        shown(why)
    )
}

/// One sentence for each bot of which more than a small share of games came out void.
#[must_use]
pub fn void_warnings(results: &Results<'_>) -> Vec<String> {
    let mut games = results.void_games();
    let void = games.clone();
    for (game, _) in results.schedule.played() {
        for bot in game.bots {
            games[bot] += 1;
        }
    }
    let bots = results.event().bots.iter().zip(void.into_iter().zip(games));
    let many = bots.filter(|(_, (void, games))| void * 100 > games * VOID_PERCENT_MAX);
    many.map(|(bot, (void, games))| {
        format!(
            "{void} of {} of {} came out void, more than {VOID_PERCENT_MAX} %: the machine is short of something, or a bot \
             brings it about",
            counted(games as usize, "game"),
            shown(&bot.id.name)
        )
    })
    .collect()
}

/// One sentence for all bots that are copies of each other.
#[must_use]
pub fn copy_warnings(event: &Event) -> Vec<String> {
    let sentence = |names: Vec<&str>| {
        let names: Vec<String> = names.into_iter().map(shown).collect();
        format!(
            "{} are copies of each other, the same bot but for the name, which tells their games apart",
            names.join(", ")
        )
    };
    event.copies().into_iter().map(sentence).collect()
}

/// What may mislead a reader of the standings, or needs doing: copies, bots left out or withdrawn, games that are void or
/// missing, rounds that were added in view of the results. Faults are not among them, see [`fault_sentences`].
#[must_use]
pub fn warnings(results: &Results<'_>) -> Vec<String> {
    let left_out = &results.event().left_out;
    let mut warnings: Vec<String> = if left_out.len() <= LEFT_OUT_SAID_MAX {
        left_out.iter().map(|bot| format!("{} is left out: {}", shown(&bot.name), shown(&bot.cause))).collect()
    } else {
        let names: Vec<String> = left_out.iter().map(|bot| shown(&bot.name)).collect();
        vec![format!("{} bots are left out: {}; tournament.json says why", names.len(), names.join(", "))]
    };
    warnings.extend(copy_warnings(results.event()));
    warnings.extend(results.withdrawn().map(|(name, why)| withdrawn(results, name, why)));
    let counts = results.progress();
    if counts.missing > 0 {
        warnings.push(format!(
            "{} of {} not played yet: run the same command again to go on",
            counts.missing,
            counted(counts.scheduled, "game")
        ));
    }
    if counts.void > 0 {
        let why = results
            .incidents
            .void
            .as_ref()
            .map_or_else(String::new, |first| format!(", the first ({}) because {}", first.id, shown(&first.why)));
        warnings.push(format!(
            "{} void{why}: counted nowhere, played again when the tournament is run again",
            counted(counts.void, "game")
        ));
    }
    warnings.extend(void_warnings(results));
    if results.schedule.is_extended() {
        warnings.push(
            "Rounds were added where ratings overlapped: stopping when they no longer do makes margins and LOS somewhat \
             too sure."
                .to_owned(),
        );
    }
    warnings
}
