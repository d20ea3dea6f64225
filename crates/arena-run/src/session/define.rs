//! Builds the definition of a tournament from settings.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::event::{self, ROUNDS_MAX, SCHEDULE_VERSION, Tournament};
use arena_core::openings::{self, Drawn, LOST_PLIES, Lost};
use arena_core::rules::{Move, Variant};
use arena_core::text::{counted, utf8};
use arena_play::program::{ProgramGame, game_of};
use arena_store::journal;
use arena_sys::entropy::unpredictable;
use arena_sys::flags::{MAX_PLIES, OPENING_PLIES, OPENINGS};

use super::SessionSettings;

/// Source of the openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningSource {
    /// As many random moves as suit the game, and one or two more once those are used up.
    Suitable,
    /// This many random moves.
    Plies(u16),
    /// A file with one JSON list of moves a line.
    File(PathBuf),
    /// These, of a tournament that is played again.
    Recorded(Vec<Vec<Move>>),
}

impl OpeningSource {
    /// The source that is asked for on the command line, where a file goes before a number of moves.
    #[must_use]
    pub fn asked(file: Option<&Path>, plies: Option<u16>) -> Self {
        match (file, plies) {
            (Some(path), _) => Self::File(path.to_owned()),
            (None, Some(plies)) => Self::Plies(plies),
            (None, None) => Self::Suitable,
        }
    }

    /// The openings of `rounds` rounds, with a note about them if there is one. A file has as many as it has.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or the game cannot start from given moves.
    pub fn take(
        &self,
        variant: &Variant,
        seed: u64,
        rounds: u32,
        lost: Lost,
    ) -> anyhow::Result<(Vec<Vec<Move>>, Option<String>)> {
        let hidden = |flag: &str| {
            anyhow::anyhow!("{flag}: {} has hidden information, its games cannot start from given moves", variant.label)
        };
        let open = variant.rules.open_information;
        match self {
            Self::Suitable => {
                let drawn = openings::suitable(variant, seed, rounds as usize, lost)?;
                let note = note_of_lost(variant, &drawn);
                Ok((drawn.openings, note))
            }
            Self::Plies(1..) if !open => Err(hidden(OPENING_PLIES)),
            Self::Plies(plies) => {
                let plies = usize::from(*plies);
                let drawn = openings::draw(variant, plies, seed, rounds as usize, lost)?;
                let reached = drawn.openings.iter().map(Vec::len).max().unwrap_or(0);
                let why = if openings::none_is_undecided_after(variant, plies)? {
                    format!("no game of {variant} is undecided after {plies}")
                } else {
                    let tries = openings::FAILED_DRAWS_MAX;
                    format!("none of {tries} random games of {variant} was undecided after {plies}")
                };
                let short = (reached < plies).then(|| format!("openings have {reached} plies: {why}"));
                let notes: Vec<String> = short.into_iter().chain(note_of_lost(variant, &drawn)).collect();
                Ok((drawn.openings, (!notes.is_empty()).then(|| notes.join("; "))))
            }
            Self::Recorded(openings) => Ok((openings.clone(), None)),
            Self::File(_) if !open => Err(hidden(OPENINGS)),
            Self::File(path) => Ok((read(variant, path)?, None)),
        }
    }
}

/// What to say if lost openings are played.
fn note_of_lost(variant: &Variant, drawn: &Drawn) -> Option<String> {
    let which = match drawn.lost_from? {
        0 => String::new(),
        others => format!(" after the first {others}"),
    };
    Some(format!("openings{which} are lost for a side within {LOST_PLIES} plies: no others of {variant} were found"))
}

fn read(variant: &Variant, path: &Path) -> anyhow::Result<Vec<Vec<Move>>> {
    let bytes = std::fs::read(path).with_context(|| format!("reading openings {}", path.display()))?;
    let text =
        utf8(bytes).map_err(|line| anyhow::anyhow!("openings {}, line {line}: it is not UTF-8", path.display()))?;
    openings::parse(variant, &text).with_context(|| format!("openings {}", path.display()))
}

/// The event without its bots, with a note about its openings if there is one.
pub(super) fn define(settings: &SessionSettings) -> anyhow::Result<(Tournament, Option<String>)> {
    let variant = &settings.game;
    let recorded = recorded(settings);
    let seed = settings.seed.or(recorded.as_ref().map(|last| last.seed)).unwrap_or_else(unpredictable);
    let needed = settings.format.openings(settings.rounds, &settings.format_options);
    if needed > ROUNDS_MAX {
        let format = settings.format.name;
        bail!(
            "{} {}: a {format} of such matches may need {needed} openings, at most {ROUNDS_MAX} can be used",
            settings.format.rounds.0,
            settings.rounds
        );
    }
    // One that began with an earlier version goes on with it.
    let schedule_version = recorded.as_ref().map_or(SCHEDULE_VERSION, |last| last.schedule_version);
    let lost = Lost::in_schedule(schedule_version);
    let (openings, remark) = settings.openings.take(variant, seed, needed, lost)?;
    if let Some(max) = settings.max_plies
        && let Some(long) = openings.iter().find(|opening| opening.len() >= max as usize)
    {
        let plies = long.len();
        let moves = counted(plies, "move");
        let shorten = if matches!(settings.openings, OpeningSource::File(_)) {
            String::new()
        } else {
            format!(" with {OPENING_PLIES}")
        };
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
        max_plies: settings.max_plies.map(|plies| plies as usize),
        schedule_version,
        openings,
        sprt: settings.sprt.as_ref().map(event::Test::of),
        strikes: settings.strikes.or(recorded.map(|last| last.strikes)).unwrap_or_default(),
        left_out: settings.left_out.clone(),
        bot_options: settings.bot_options.clone(),
        program: game_of(variant).map(ProgramGame::described),
        ..Tournament::new(&settings.name, variant)
    };
    Ok((event, remark))
}

/// The tournament in the folder, if it has the same game and is resumed, also by rules that have changed. It keeps its seed and
/// strike limits unless others are given. Otherwise an unpredictable seed is drawn: it determines hidden information and the bots' random numbers.
fn recorded(settings: &SessionSettings) -> Option<Tournament> {
    let folder = settings.place().open().ok().filter(|_| !settings.fresh)?;
    let last = journal::last_event(&folder)?;
    last.is_of(&settings.game).then_some(last)
}
