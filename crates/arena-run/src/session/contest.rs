//! The contest of a results folder: one game, time control, format, seed, limit of moves and list of openings.
//!
//! A command that plays says of the contest what was asked for; the folder says the rest. What contradicts the folder is
//! refused before anything is written, since games of another contest would take those that are there out of the tables.
//!
//! Journals of earlier versions may have several contests. The last one counts that was asked for.

use anyhow::{Context as _, bail};
use arena_core::clock::{Charge, TimeControl};
use arena_core::event::Tournament;
use arena_core::format::Format;
use arena_core::openings::Lost;
use arena_core::rules::{Move, Variant};
use arena_core::text::shown;
use arena_store::journal;
use arena_sys::flags::{
    CLOCK, FORMAT, FRESH, GAME, MARGIN, MAX_PLIES, MOVE_TIME, NAME, OPENING_PLIES, OPENINGS, RESULTS, SEED, TIME,
};
use arena_sys::results_folder::{Place, ResultsFolder};

use super::{OpeningSource, SessionSettings, TakenOpenings};

/// What is asked of a contest; `None` where the folder decides.
#[derive(Debug, Clone, Default)]
pub struct AskedContest {
    /// The game.
    pub game: Option<Variant>,
    /// The time control.
    pub clock: AskedClock,
    /// The format.
    pub format: Option<&'static Format>,
    /// The seed.
    pub seed: Option<u64>,
    /// A game is a draw after this many plies.
    pub max_plies: Option<u32>,
    /// Where openings come from; [`OpeningSource::Suitable`] asks for nothing.
    pub openings: Option<OpeningSource>,
}

/// What is asked of a time control.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskedClock {
    /// Limit for each move, bank and increment, in milliseconds: all of them, if one is given.
    pub limits: Option<[Option<u64>; 3]>,
    /// Overrun that is forgiven, in milliseconds.
    pub margin_ms: Option<u64>,
    /// What a move is charged.
    pub charge: Option<Charge>,
}

impl AskedClock {
    /// All of this time control.
    #[must_use]
    pub const fn all_of(clock: &TimeControl) -> Self {
        Self { limits: Some(limits(clock)), margin_ms: Some(clock.margin_ms), charge: Some(clock.charge) }
    }
}

const fn limits(clock: &TimeControl) -> [Option<u64>; 3] {
    [clock.move_ms, clock.bank_ms, clock.increment_ms]
}

/// A setting that is asked for, and what the folder has instead.
struct Difference {
    asked: String,
    has: String,
}

impl AskedContest {
    /// All that the settings of a session say.
    pub(super) fn all_of(settings: &SessionSettings) -> Self {
        Self {
            game: Some(settings.game.clone()),
            clock: AskedClock::all_of(&settings.clock),
            format: Some(settings.format),
            seed: settings.seed,
            max_plies: settings.max_plies,
            openings: Some(settings.openings.clone()),
        }
    }

    /// The contest in a folder that goes on, with its last definition; `None` if there is none. A preview: nothing is locked.
    ///
    /// # Errors
    ///
    /// Returns an error with the cures if the folder has another contest.
    pub fn recorded(&self, place: &Place) -> anyhow::Result<Option<Tournament>> {
        let opening = || format!("opening folder {}; choose another one with {RESULTS} DIR", place.path().display());
        place.open_if_there().with_context(opening)?.map_or(Ok(None), |folder| self.recorded_in(&folder))
    }

    /// As [`recorded`](Self::recorded), in an open folder.
    ///
    /// # Errors
    ///
    /// Returns an error with the cures if it has another contest.
    pub fn recorded_in(&self, folder: &ResultsFolder) -> anyhow::Result<Option<Tournament>> {
        let mut first = None;
        for contest in journal::contests(folder).into_iter().rev() {
            let differences = self.differences(&contest)?;
            if differences.is_empty() {
                return Ok(Some(contest));
            }
            first.get_or_insert(differences);
        }
        let Some(differences) = first else { return Ok(None) };
        let instead = |Difference { asked, has }: Difference| format!("{has} instead of {asked}");
        let differences: Vec<String> = differences.into_iter().map(instead).collect();
        bail!(
            "{} has another contest: {}; give what it has or leave these flags out to go on with it, {NAME} NAME for another \
             contest, or {FRESH} to start over",
            folder.path().display(),
            differences.join(", ")
        )
    }

    fn differences(&self, has: &Tournament) -> anyhow::Result<Vec<Difference>> {
        let mut all = Vec::new();
        let mut note = |asked: String, has: String| all.push(Difference { asked, has });
        if let Some(game) = self.game.as_ref().filter(|game| !has.is_of(game)) {
            note(format!("{GAME} {game}"), format!("{GAME} {}", game_of(has)));
        }
        if let Some(asked) = self.clock.limits.filter(|asked| *asked != limits(&has.clock)) {
            note(limits_text(asked), limits_text(limits(&has.clock)));
        }
        if let Some(margin) = self.clock.margin_ms.filter(|margin| *margin != has.clock.margin_ms) {
            note(format!("{MARGIN} {margin}ms"), format!("{MARGIN} {}ms", has.clock.margin_ms));
        }
        if let Some(charge) = self.clock.charge.filter(|charge| *charge != has.clock.charge) {
            note(format!("{CLOCK} {}", charge_word(charge)), format!("{CLOCK} {}", charge_word(has.clock.charge)));
        }
        if let Some(format) = self.format.filter(|format| !goes_on_as(has, format)) {
            note(format!("{FORMAT} {}", format.name), format!("{FORMAT} {}", shown(&has.format)));
        }
        if let Some(seed) = self.seed.filter(|seed| *seed != has.seed) {
            note(format!("{SEED} {seed}"), format!("{SEED} {}", has.seed));
        }
        if let Some(plies) = self.max_plies.filter(|plies| Some(*plies as usize) != has.max_plies) {
            let has = has.max_plies.map_or_else(|| format!("no {MAX_PLIES}"), |plies| format!("{MAX_PLIES} {plies}"));
            note(format!("{MAX_PLIES} {plies}"), has);
        }
        if !all.is_empty() {
            return Ok(all);
        }
        all.extend(self.other_openings(has)?.map(|asked| Difference { asked, has: "other openings".to_owned() }));
        Ok(all)
    }

    /// The flag for openings, if it gives others than a contest has, which agrees in everything else.
    fn other_openings(&self, has: &Tournament) -> anyhow::Result<Option<String>> {
        let (Some(source), Some(needed)) = (&self.openings, has.openings_needed()) else { return Ok(None) };
        let flag = match source {
            OpeningSource::Suitable => return Ok(None),
            OpeningSource::Plies(plies) => format!("{OPENING_PLIES} {plies}"),
            OpeningSource::File(path) => format!("{OPENINGS} {}", shown(&path.to_string_lossy())),
            OpeningSource::Recorded(_) => "the recorded openings".to_owned(),
        };
        let variant = self.game.clone().map_or_else(|| has.variant(), Ok)?;
        let taken = source.take(&variant, has.seed, needed as u32, Lost::in_schedule(has.schedule_version))?;
        Ok((!are_alike(&taken.openings, &has.openings, needed)).then_some(flag))
    }
}

/// Whether the first `count` games of both begin alike, where lists begin again at their ends.
fn are_alike(some: &[Vec<Move>], others: &[Vec<Move>], count: usize) -> bool {
    let both = some.iter().cycle().zip(others.iter().cycle());
    !some.is_empty() && !others.is_empty() && both.take(count).all(|(one, other)| one == other)
}

/// Whether a contest goes on in this format: its own, or one that takes over all pairs that were played.
fn goes_on_as(has: &Tournament, format: &Format) -> bool {
    let own = Format::named(&has.format);
    format.name == has.format || format.prefers_likes() && own.is_some_and(|own| !own.is_stepwise())
}

/// The game of a contest as `--game` takes it.
pub(super) fn game_of(has: &Tournament) -> String {
    let Ok(variant) = has.variant() else { return shown(&has.label) };
    let text = variant.to_string();
    match &has.program {
        Some(program) => text.replacen(variant.label, &shown(&program.path), 1),
        None => text,
    }
}

const fn charge_word(charge: Charge) -> &'static str {
    match charge {
        Charge::Wall => "wall",
        Charge::Cpu => "cpu",
    }
}

fn limits_text([move_ms, bank_ms, increment_ms]: [Option<u64>; 3]) -> String {
    let time = |ms: u64| if ms.is_multiple_of(1_000) { format!("{}s", ms / 1_000) } else { format!("{ms}ms") };
    let a_move = move_ms.map(|ms| format!("{MOVE_TIME} {}", time(ms)));
    let increment = increment_ms.filter(|ms| *ms > 0).map_or_else(String::new, |ms| format!("+{}", time(ms)));
    let bank = bank_ms.map(|ms| format!("{TIME} {}{increment}", time(ms)));
    a_move.into_iter().chain(bank).collect::<Vec<_>>().join(" ")
}

/// The flags of a contest that are not the defaults of a command, such as `--game gomoku --move-time 50ms`; of its game and
/// format only if these were left open.
#[must_use]
pub fn taken_from(has: &Tournament, asked: &AskedContest, default: &TimeControl) -> Vec<String> {
    let mut flags = Vec::new();
    flags.extend(asked.game.is_none().then(|| format!("{GAME} {}", game_of(has))));
    let clock = &has.clock;
    let own = |is_open: bool, is_other: bool, text: String| (is_open && is_other).then_some(text);
    flags.extend(own(asked.clock.limits.is_none(), limits(clock) != limits(default), limits_text(limits(clock))));
    let margin = format!("{MARGIN} {}ms", clock.margin_ms);
    flags.extend(own(asked.clock.margin_ms.is_none(), clock.margin_ms != default.margin_ms, margin));
    let charge = format!("{CLOCK} {}", charge_word(clock.charge));
    flags.extend(own(asked.clock.charge.is_none(), clock.charge != default.charge, charge));
    let is_usual = Format::named(&has.format).is_some_and(Format::is_usual);
    flags.extend(own(asked.format.is_none(), !is_usual, format!("{FORMAT} {}", shown(&has.format))));
    let plies = has.max_plies.filter(|_| asked.max_plies.is_none());
    flags.extend(plies.map(|plies| format!("{MAX_PLIES} {plies}")));
    flags
}

/// The first `needed` openings of a contest that goes on, taken from where it took its own.
pub(super) fn openings_again(
    has: &Tournament,
    variant: &Variant,
    seed: u64,
    needed: u32,
) -> anyhow::Result<TakenOpenings> {
    let longest = has.openings.iter().map(Vec::len).max().unwrap_or(0);
    let known = has.openings.len();
    if has.book.is_none() {
        let plies = u16::try_from(longest).unwrap_or(u16::MAX);
        for source in [OpeningSource::Suitable, OpeningSource::Plies(plies)] {
            if plies > 0 && !variant.rules.open_information {
                break;
            }
            let taken = source.take(variant, seed, needed, Lost::in_schedule(has.schedule_version))?;
            if are_alike(&taken.openings, &has.openings, known.min(needed as usize)) {
                return Ok(taken);
            }
        }
    }
    let is_whole = has.book.as_ref().is_none_or(|book| book.lines == known as u64);
    if (needed as usize) > known && !is_whole {
        bail!(
            "its journal has {known} openings of its book, and {needed} are needed; give the file again with {OPENINGS} FILE"
        );
    }
    let mut openings = has.openings.clone();
    openings.truncate(needed.max(1) as usize);
    Ok(TakenOpenings { openings, book: has.book.clone(), longest, note: None })
}
