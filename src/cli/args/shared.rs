//! Flags that several commands share: results, bots and time control.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::bail;
use arena_bots::strategy::Strategy;
use arena_core::clock::{Charge, TimeControl};
use arena_core::rules::EXAMPLE;
use arena_core::text::shown;
use arena_play::roster::{FoundBot, Roster, RosterSettings, parse_named_path};
use arena_run::session::{AskedClock, SeriesFile, games_of, is_of_play, listed};
use arena_store::journal::FILE_NAME;
use arena_sys::results_folder::{Place, ResultsFolder};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::Io;

/// Reads whole numbers in `range`. Arguments that use it allow negative numbers, so that those are rejected with the range
/// and not parsed as flags.
pub(crate) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Reads a number of positions such as 20M or 500k: k, M and G are thousands, millions and billions.
pub(crate) fn parse_nodes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse::<u64>().ok().filter(|_| is_number).and_then(|number| number.checked_mul(unit));
    number.filter(|nodes| *nodes > 0).ok_or_else(|| format!("`{}` is not a number such as 20M or 500k", shown(text)))
}

/// Reads one of these words and returns its meaning.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    words: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.map(|(word, _)| word)).try_map(move |typed| {
        let found = words.iter().find(|(word, _)| *word == typed);
        found.map(|(_, meaning)| *meaning).ok_or("not a possible value")
    })
}

/// Reads `on` or `off`: what a tournament was once asked for can be taken back.
pub(crate) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    one_of([("on", true), ("off", false)])
}

/// The help of `--game`.
pub(crate) fn game_help() -> String {
    format!("Game and parameters, such as {EXAMPLE}")
}

/// The folder of results.
#[derive(Debug, clap::Args)]
pub(crate) struct ResultsArgs {
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = RESULTS_DEFAULT)]
    pub(crate) results: PathBuf,
}

impl ResultsArgs {
    /// The tournament's folder: the named one, or the only one there is.
    pub(crate) fn tournament(&self, name: Option<&str>, io: &Io) -> anyhow::Result<Place> {
        let mut all = self.tournaments(name, io)?;
        if name.is_none() && all.len() > 1 {
            all.retain(|place| !is_of_play(&place.path()));
        }
        match all.as_slice() {
            [only] => Ok(only.clone()),
            all => {
                bail!("several tournaments in {}; name one: {}", self.results.display(), self.names(all).join(", "))
            }
        }
    }

    /// The folder of the named tournament, or of all tournaments. Never empty.
    pub(crate) fn tournaments(&self, name: Option<&str>, io: &Io) -> anyhow::Result<Vec<Place>> {
        let Some(name) = name else {
            let all = self.all(None, io)?;
            if all.is_empty() {
                bail!("no results in {}; run `arena tournament` first", self.results.display());
            }
            return Ok(all);
        };
        let mut path = Path::new(name);
        // The path of a journal names its tournament.
        if path.file_name() == Some(FILE_NAME.as_ref()) && !path.is_dir() {
            path = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        }
        let there = ResultsFolder::open(path).ok();
        if there.as_ref().is_some_and(|folder| folder.has(FILE_NAME)) {
            return Ok(vec![Place::at(path)]);
        }
        let own = self.results.join(name);
        let all = self.all(Some(&own), io)?;
        // A tournament, or all of a series.
        let named: Vec<Place> = all.iter().filter(|place| place.path().starts_with(&own)).cloned().collect();
        if !named.is_empty() {
            return Ok(named);
        }
        if there.is_some_and(|folder| SeriesFile::is_in(&folder)) {
            return games_of(&Place::at(path));
        }
        let hint = arena_core::suggest::did_you_mean(name, self.names(&all).iter().map(String::as_str));
        bail!("no tournament named `{}` in {}{hint}", shown(name), self.results.display());
    }

    /// The folders of all tournaments. What is wrong with one is an error if it is `wanted`, else a warning: it does not keep
    /// people from the others.
    fn all(&self, wanted: Option<&Path>, io: &Io) -> anyhow::Result<Vec<Place>> {
        let mut refused = None;
        let all = listed(&self.results, true, &mut |path, error| {
            if wanted.is_some_and(|wanted| wanted.starts_with(path)) {
                refused = Some(error);
            } else {
                io.warn(&format!("{} is passed over: {error:#}", path.display()));
            }
        })?;
        refused.map_or(Ok(()), Err)?;
        let mut places: Vec<Place> =
            all.into_iter().flat_map(|found| found.games.unwrap_or_else(|| vec![found.place])).collect();
        places.sort();
        Ok(places)
    }

    /// The folder of the series with this name, or at this path.
    pub(crate) fn series(&self, name: &Path) -> Option<ResultsFolder> {
        let places = [self.results.join(name), name.to_owned()];
        places.iter().filter_map(|dir| ResultsFolder::open(dir).ok()).find(SeriesFile::is_in)
    }

    /// The names of tournaments; `SERIES/GAME` for those of a series.
    fn names(&self, places: &[Place]) -> Vec<String> {
        let name = |place: &Place| {
            let path = place.path();
            path.strip_prefix(&self.results).unwrap_or(&path).to_string_lossy().into_owned()
        };
        places.iter().map(|place| shown(&name(place))).collect()
    }
}

/// The default bots folder.
pub(crate) const BOTS_DEFAULT: &str = "bots";
/// Where results are, unless a folder is named.
pub(crate) const RESULTS_DEFAULT: &str = "results";

/// The bots folder, and bots outside it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct BotsArgs {
    /// Folder of the bots
    #[arg(long, value_name = "DIR", default_value = BOTS_DEFAULT)]
    pub(crate) bots: PathBuf,
    /// Another bot: executable, manifest or bot folder
    #[arg(long = "bot", value_name = "NAME=PATH", value_parser = parse_named_path)]
    pub(crate) extra: Vec<(String, PathBuf)>,
}

impl BotsArgs {
    /// The bots in the folder and those of `--bot`. The default folder need not exist if `--bot` is given.
    pub(crate) fn roster(&self, settings: &RosterSettings) -> anyhow::Result<Roster> {
        if !self.has_folder() && self.extra.is_empty() {
            bail!(
                "there is no folder `{}`; `arena new-bot NAME` makes one with a bot in it, `arena tournament --builtins` plays \
                 the built-in bots, and --bots DIR names another folder",
                self.bots.display()
            );
        }
        self.named(settings)
    }

    /// The bots of [`roster`](Self::roster), and the built-in strategies for which `plays` holds, except those whose name
    /// a bot has. Needs no folder.
    pub(crate) fn roster_with_builtins(
        &self,
        settings: &RosterSettings,
        plays: impl Fn(&FoundBot) -> bool,
    ) -> anyhow::Result<Roster> {
        let mut roster = self.named(settings)?;
        roster.add_builtins(settings, plays)?;
        Ok(roster)
    }

    /// As [`roster`](Self::roster), but the default folder need not exist.
    fn named(&self, settings: &RosterSettings) -> anyhow::Result<Roster> {
        if self.has_folder() {
            return Roster::find(&self.bots, &self.extra, settings);
        }
        Roster::without_folder(&self.extra, settings)
    }

    /// Whether the folder exists, or was named and so must exist.
    fn has_folder(&self) -> bool {
        self.bots != Path::new(BOTS_DEFAULT) || self.bots.symlink_metadata().is_ok()
    }

    /// The bot of that name, or, if there is a slash, the bot at that path, named after its file.
    pub(crate) fn find(&self, name_or_path: &str, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        // A bot given by its path does not depend on the bots folder.
        let is_path = name_or_path.contains('/');
        let roster = if is_path { Roster::without_folder(&self.extra, settings) } else { self.named(settings) }?;
        self.choose(name_or_path, &roster, settings)
    }

    /// Two bots, each found like [`BotsArgs::find`] does, and the roster.
    pub(crate) fn find_both(
        &self,
        bots: [&str; 2],
        settings: &RosterSettings,
    ) -> anyhow::Result<([FoundBot; 2], Roster)> {
        let are_paths = bots.iter().all(|bot| bot.contains('/'));
        let needs_folder = !are_paths || self.bots.exists();
        let roster = if needs_folder { self.named(settings) } else { Roster::without_folder(&self.extra, settings) }?;
        let [a, b] = bots.map(|bot| self.choose(bot, &roster, settings));
        Ok(([a?, b?], roster))
    }

    /// The bot of that name; one in the roster takes precedence over a built-in strategy.
    fn choose(&self, name_or_path: &str, roster: &Roster, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        if name_or_path.contains('/') {
            return self.at_path(name_or_path, settings);
        }
        match (roster.get(name_or_path), Strategy::named(name_or_path)) {
            (Err(_), Ok(strategy)) if !roster.has(name_or_path) => Roster::builtin(strategy, settings),
            (found, _) => found.cloned(),
        }
    }

    /// The bot at the path, named after its file.
    fn at_path(&self, name_or_path: &str, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        let file = Path::new(name_or_path).file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = file.strip_suffix(".toml").unwrap_or(&file);
        let (name, path) = parse_named_path(&format!("{name}={name_or_path}"))?;
        Roster::only(&name, &path, &RosterSettings { bots: Some(self.bots.clone()), ..settings.clone() })
    }
}

/// The limit for a move where none is given.
pub(crate) const MOVE_TIME_DEFAULT: Duration = Duration::from_secs(1);

/// The time control.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ClockArgs {
    /// Limit for each move, such as 500ms [default: 1s without --time]
    #[arg(long, value_name = "TIME", value_parser = arena_core::clock::parse_duration)]
    move_time: Option<Duration>,
    /// Time for a game and increment for each move, such as 10s+0.1s
    #[arg(long, value_name = "TIME[+TIME]")]
    time: Option<arena_core::clock::Bank>,
    /// Tolerated overrun of a time limit [default: 10ms]
    #[arg(long, value_name = "TIME", value_parser = arena_core::clock::parse_duration)]
    margin: Option<Duration>,
    /// Time charged for a move [default: wall]
    #[arg(long, value_name = "WHAT", value_parser = one_of([("wall", Charge::Wall), ("cpu", Charge::Cpu)]))]
    clock: Option<Charge>,
}

impl ClockArgs {
    /// Whether a limit was given.
    pub(crate) const fn is_given(&self) -> bool {
        self.move_time.is_some() || self.time.is_some()
    }

    /// What is asked of the time control of a contest.
    pub(crate) fn asked(&self) -> AskedClock {
        let (bank, increment) = (self.time.map(|bank| ms(bank.initial)), self.time.map(|bank| ms(bank.increment)));
        AskedClock {
            limits: self.is_given().then(|| [self.move_time.map(ms), bank, increment]),
            margin_ms: self.margin.map(ms),
            charge: self.clock,
        }
    }

    /// The time control, with the defaults for what was not given.
    pub(crate) fn control(&self) -> anyhow::Result<TimeControl> {
        self.control_over(&TimeControl::per_move(MOVE_TIME_DEFAULT))
    }

    /// The time control; what was not given is as in `usual`.
    pub(crate) fn control_over(&self, usual: &TimeControl) -> anyhow::Result<TimeControl> {
        if self.move_time.is_some_and(|limit| limit.is_zero()) {
            bail!("--move-time must be at least 1ms");
        }
        if self.time.is_some_and(|bank| bank.initial.is_zero()) {
            bail!("--time must be at least 1ms, not counting the increment");
        }
        let charge = self.clock.unwrap_or(usual.charge);
        if charge == Charge::Cpu && !arena_guard::TELLS_CPU {
            bail!("--clock cpu: this system does not report the CPU time of a bot; use --clock wall");
        }
        let asked = self.asked();
        let [move_ms, bank_ms, increment_ms] =
            asked.limits.unwrap_or([usual.move_ms, usual.bank_ms, usual.increment_ms]);
        let margin_ms = asked.margin_ms.unwrap_or(usual.margin_ms);
        Ok(TimeControl { move_ms, bank_ms, increment_ms, margin_ms, charge })
    }
}

/// Whole milliseconds.
pub(crate) fn ms(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_as_people_write_them() {
        assert_eq!(
            ["20M", "500k", "2G", "7"].map(parse_nodes),
            [Ok(20_000_000), Ok(500_000), Ok(2_000_000_000), Ok(7)]
        );
        for text in ["", "M", "0", "-1", "+1", "1.5M", "1T", "99999999999999999999", "99999999999G", "é"] {
            assert_eq!(parse_nodes(text), Err(format!("`{text}` is not a number such as 20M or 500k")));
        }
    }
}
