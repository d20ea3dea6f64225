//! Builds the definition of a tournament from settings.

use anyhow::bail;
use arena_core::event::{self, SCHEDULE_VERSION, Tournament};
use arena_core::openings::Lost;
use arena_core::text::counted;
use arena_play::program::{ProgramGame, game_of};
use arena_sys::entropy::unpredictable;
use arena_sys::flags::{MAX_PLIES, OPENING_PLIES};

use super::contest::openings_again;
use super::{AskedContest, OpeningSource, SessionSettings, TakenOpenings};

/// The event without its bots, with a note about its openings if there is one.
pub(super) fn define(settings: &SessionSettings) -> anyhow::Result<(Tournament, Option<String>)> {
    let variant = &settings.game;
    let recorded = recorded(settings)?;
    let seed = settings.seed.or(recorded.as_ref().map(|last| last.seed)).unwrap_or_else(unpredictable);
    let needed = settings.format.usable_openings(settings.rounds, &settings.format_options)?;
    // One that began with an earlier version goes on with it.
    let schedule_version = recorded.as_ref().map_or(SCHEDULE_VERSION, |last| last.schedule_version);
    let lost = Lost::in_schedule(schedule_version);
    // One that has a whole book from an earlier version keeps it, since its decisions depend on that.
    let has_whole_book =
        recorded.as_ref().is_some_and(|last| last.openings_needed().is_some_and(|needed| last.openings.len() > needed));
    let kept = if has_whole_book { u32::MAX } else { needed };
    let is_file = matches!(settings.openings, OpeningSource::File(_));
    let TakenOpenings { openings, book, longest: plies, note } = match (&settings.openings, &recorded) {
        (OpeningSource::Suitable, Some(before)) => openings_again(before, variant, seed, kept)?,
        (source, _) => source.take(variant, seed, if is_file { kept } else { needed }, lost)?,
    };
    let recorded_max = recorded.as_ref().and_then(|last| last.max_plies);
    let max_plies = settings.max_plies.map(|plies| plies as usize).or(recorded_max);
    if let Some(max) = max_plies.filter(|max| plies >= *max) {
        let moves = counted(plies, "move");
        let shorten = if is_file { String::new() } else { format!(" with {OPENING_PLIES}") };
        bail!(
            "{MAX_PLIES} {max}: an opening has {moves}, so that nothing is left to play; raise it above {plies}, or \
             shorten the openings{shorten}"
        );
    }
    let event = Tournament {
        format: settings.format.name.to_owned(),
        format_options: settings.format_options.clone(),
        rounds: settings.rounds,
        seed,
        clock: settings.clock,
        max_plies,
        schedule_version,
        openings,
        book,
        sprt: settings.sprt.as_ref().map(event::Test::of),
        strikes: settings.strikes.or(recorded.map(|last| last.strikes)).unwrap_or_default(),
        left_out: settings.left_out.clone(),
        bot_options: settings.bot_options.clone(),
        program: game_of(variant).map(ProgramGame::described),
        ..Tournament::new(&settings.name, variant)
    };
    Ok((event, note))
}

/// The contest in the folder, if it goes on, also by rules that have changed. It keeps its seed and strike limits unless others
/// are given. Without one an unpredictable seed is drawn: it determines hidden information and the bots' random numbers.
fn recorded(settings: &SessionSettings) -> anyhow::Result<Option<Tournament>> {
    if settings.fresh {
        return Ok(None);
    }
    AskedContest::all_of(settings).recorded(&settings.place())
}
