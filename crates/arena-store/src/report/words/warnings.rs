//! Warnings about the standings: what is missing, void, withdrawn or left out.

use arena_core::event::{EarlierVersion, Entry, Tournament};
use arena_core::format::flags::DROP;
use arena_core::record::Status;
use arena_core::schedule::{Brief, Planned, WithdrawalCause};
use arena_core::text::{counted, grouped, shown};
use arena_sys::flags::{FRESH, STRIKES};

use super::ending::ending;
use crate::report::Results;

/// Above this count, omitted bots are listed without reasons.
const LEFT_OUT_DETAILED_MAX: usize = 5;

/// Maximum number of bots whose failed start is explained.
const UNSTARTABLE_MAX: usize = 10;

/// Percentage of void games above which there is a warning.
const VOID_PERCENT_MAX: u64 = 2;

/// What only the organiser can do about it; nothing for the readers of what is published.
fn for_organiser(results: &Results<'_>, cure: String) -> String {
    if results.for_others { String::new() } else { cure }
}

fn withdrawn(results: &Results<'_>, bot: usize, why: &str) -> String {
    let lost = |(game, brief): &(Planned, Brief)| {
        game.bots.into_iter().zip(brief.statuses).any(|player| player == (bot, Status::Withdrawn))
    };
    let lost = match results.schedule.tried().filter(lost).count() {
        0 => String::new(),
        lost => format!(" Not played, and not rated: {}.", counted(lost, "game")),
    };
    let cause = results.schedule.withdrawal(bot).map(|withdrawal| withdrawal.cause);
    if cause == Some(WithdrawalCause::Dropped) {
        return format!("{} was {}.{lost}", shown(results.name(bot)), shown(why));
    }
    let more = match cause {
        Some(WithdrawalCause::LostFirstGames { .. }) => format!("; {STRIKES} games=off disables this rule"),
        _ => String::new(),
    };
    let cure = if results.incidents.unstartable.contains_key(&bot) {
        let what = if results.event().keeps_field() {
            format!(
                "run the same command again if the machine caused it; a bot that is changed cannot come back, so repair it \
                 and start over with {FRESH}"
            )
        } else {
            "repair it and run the same command again".to_owned()
        };
        format!("Games that neither bot could start are among its failed starts: {what}")
    } else if results.event().keeps_field() {
        format!("It cannot come back; {FRESH} starts over")
    } else {
        format!(
            "Fix it and run again to replay its games; if the machine or its limits caused this, start over with {FRESH}"
        )
    };
    let cure = for_organiser(results, format!(" {cure}{more}"));
    format!("WITHDRAWN: {} was {}.{lost}{cure}", shown(results.name(bot)), shown(why))
}

/// The games that neither bot could start, and why each bot could not.
pub(crate) fn unstartable(results: &Results<'_>) -> Vec<String> {
    let counts = results.progress;
    if counts.unstartable == 0 {
        return Vec::new();
    }
    let cure = if results.event().keeps_field() {
        format!(
            "run the same command again if the machine caused it, or repair the bots and start over with {FRESH}; {DROP} \
             NAME goes on without a bot"
        )
    } else {
        let waits = if counts.open { "; until then no games are added" } else { "" };
        format!("repair the bots and run the same command again{waits}")
    };
    let missing = match results.planned_games() {
        Some(planned) => format!("{} of {}", counts.unstartable, counted(planned, "game")),
        None => counted(counts.unstartable, "game"),
    };
    let mut all = vec![format!(
        "{missing} missing, since neither bot could start{}",
        for_organiser(results, format!(": {cure}"))
    )];
    // The reasons of withdrawn bots are in their own sentences.
    let is_new = |(bot, _): &(&usize, &String)| results.schedule.withdrawal(**bot).is_none();
    let reasons: Vec<_> = results.incidents.unstartable.iter().filter(is_new).collect();
    all.extend(reasons.iter().take(UNSTARTABLE_MAX).map(|(bot, why)| {
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        format!("{} did not start{why}", shown(results.name(**bot)))
    }));
    let more = reasons.len().saturating_sub(UNSTARTABLE_MAX);
    all.extend((more > 0).then(|| format!("{more} more did not start; `arena check` says why")));
    all
}

/// `; each bot has played 12 to 14`: the games that count, if some are missing.
fn games_each(results: &Results<'_>) -> String {
    let games = results.played_games();
    match (games.iter().min(), games.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("; each bot has played {least} to {most}"),
        (Some(all), _) => format!("; each bot has played {all}"),
        (None, _) => String::new(),
    }
}

/// One sentence per bot with more than a small percentage of void games.
#[must_use]
pub fn void_warnings(results: &Results<'_>) -> Vec<String> {
    let counts = results.void_games().into_iter().zip(results.played_games());
    let bots = results.event().bots.iter().zip(counts.map(|(void, played)| (void, void + played)));
    let many = bots.filter(|(_, (void, games))| void * 100 > games * VOID_PERCENT_MAX);
    many.map(|(bot, (void, games))| {
        format!(
            "{void} of {} of {} were void, more than {VOID_PERCENT_MAX} %: the machine is short of a resource, or a bot causes it",
            counted(games as usize, "game"),
            shown(&bot.id.name)
        )
    })
    .collect()
}

/// One sentence per bot that made games of others void while it waited for its own.
#[must_use]
pub fn disturbance_warnings(results: &Results<'_>) -> Vec<String> {
    let counts = results.event().bots.iter().zip(results.schedule.disturbances());
    let sentence = |(bot, games): (&Entry, u32)| {
        format!(
            "{} made {} of others void: it used the processor while it waited for its own; bots.csv counts these as \
             disturbed_others",
            shown(&bot.id.name),
            counted(games as usize, "game")
        )
    };
    counts.filter(|(_, games)| *games > 0).map(sentence).collect()
}

/// One sentence per group of bots with equal fingerprints.
#[must_use]
pub fn copy_warnings(event: &Tournament) -> Vec<String> {
    let sentence = |names: Vec<&str>| {
        let names: Vec<String> = names.into_iter().map(shown).collect();
        format!("{} are identical bots; only their names distinguish their games", names.join(", "))
    };
    event.copies().into_iter().map(sentence).collect()
}

/// Why games of the plan are missing that were not tried, and how many were played; `None` if none are.
#[must_use]
pub fn stopped(results: &Results<'_>) -> Option<String> {
    let untried = results.progress.missing - results.progress.unstartable;
    let played = counted(results.progress.played, "game");
    let each = games_each(results);
    let resume = for_organiser(results, ": run the same command to resume".to_owned());
    if results.is_out_of_time() {
        let more = for_organiser(results, ": run the same command for more".to_owned());
        Some(format!("Stopped by its budget after {played}{each}{more}."))
    } else if untried == 0 {
        None
    } else if let Some(planned) = results.planned_games() {
        let planned = counted(planned, "game");
        Some(format!("{} of {planned} not played yet{each}{resume}", grouped(untried as u64)))
    } else {
        Some(format!("Stopped after {played}{each}; more are to be played{resume}"))
    }
}

/// Warnings about the standings: bots left out, in an earlier version or withdrawn, copies, void or missing games, and rounds
/// added because of the results. Faults are separate, see [`fault_sentences`](crate::report::fault_sentences).
#[must_use]
pub fn warnings(results: &Results<'_>) -> Vec<String> {
    let left_out = &results.event().left_out;
    let mut warnings: Vec<String> = if left_out.len() <= LEFT_OUT_DETAILED_MAX {
        left_out.iter().map(|bot| format!("{} is left out: {}", shown(&bot.name), shown(&bot.cause))).collect()
    } else {
        let names: Vec<String> = left_out.iter().map(|bot| shown(&bot.name)).collect();
        vec![format!("{} bots are left out: {}; tournament.json says why", names.len(), names.join(", "))]
    };
    warnings.extend(results.event().earlier.iter().map(EarlierVersion::sentence));
    warnings.extend(copy_warnings(results.event()));
    warnings.extend(results.withdrawn.iter().map(|(bot, why)| withdrawn(results, *bot, why)));
    warnings.extend(unstartable(results));
    let counts = results.progress;
    warnings.extend(stopped(results));
    if counts.missing == 0 && counts.open && !results.is_out_of_time() {
        let resume = for_organiser(results, ": run the same command to resume".to_owned());
        warnings.push(format!("More games follow from these{resume}."));
    }
    warnings.extend(ending(results));
    if counts.void > 0 {
        let first = results.incidents.void.as_ref();
        let why = first.map_or_else(String::new, |(id, why)| format!(", the first ({id}) because {}", shown(why)));
        let replay = for_organiser(results, "; run the same command to replay".to_owned());
        warnings.push(format!("{} void{why}: not counted{replay}", counted(counts.void, "game")));
    }
    warnings.extend(void_warnings(results));
    warnings.extend(disturbance_warnings(results));
    if results.schedule.is_extended() {
        warnings.push(
            "Rounds were added while ratings overlapped, so margins and LOS are somewhat overconfident.".to_owned(),
        );
    }
    warnings
}
