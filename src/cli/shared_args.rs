//! Flags that several commands share: where results and bots are, and how much time there is.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::clock::Charge;
use crate::roster::{Found, Roster, Settings, parse_named_path};

/// Reads whole numbers in `range`. To be told of it, a number below must not be taken for a flag: arguments that are read
/// so allow negative numbers.
pub(super) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Where the results are and which tournament is meant.
#[derive(Debug, clap::Args)]
pub(super) struct ResultsArgs {
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) results: PathBuf,
}

impl ResultsArgs {
    /// The tournament's folder: the named one, or the only one there is.
    pub(super) fn tournament(&self, name: Option<&str>) -> anyhow::Result<PathBuf> {
        let all = self.all()?;
        if let Some(name) = name {
            let as_path = Path::new(name);
            if as_path.join(crate::journal::FILE_NAME).is_file() {
                return Ok(as_path.to_owned());
            }
            // Whoever names the journal means its tournament.
            if as_path.file_name() == Some(crate::journal::FILE_NAME.as_ref()) && as_path.is_file() {
                let dir = as_path.parent().filter(|dir| !dir.as_os_str().is_empty());
                return Ok(dir.unwrap_or(Path::new(".")).to_owned());
            }
            if let Some(dir) = all.iter().find(|dir| dir.file_name().is_some_and(|file| file == name)) {
                return Ok(dir.clone());
            }
            let hint = crate::suggest::did_you_mean(name, names(&all).iter().map(String::as_str));
            bail!("no tournament named `{}` in {}{hint}", crate::text::shown(name), self.results.display());
        }
        match all.as_slice() {
            [only] => Ok(only.clone()),
            [] => bail!("no results in {}; `arena tournament` makes some", self.results.display()),
            _ => bail!("which tournament? name one of those in {}: {}", self.results.display(), names(&all).join(", ")),
        }
    }

    /// The folder of the named tournament, or those of all, of which there is one at least.
    pub(super) fn tournaments(&self, name: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
        if name.is_some() {
            return Ok(vec![self.tournament(name)?]);
        }
        let all = self.all()?;
        if all.is_empty() {
            bail!("no results in {}; `arena tournament` makes some", self.results.display());
        }
        Ok(all)
    }

    /// The folders of all tournaments.
    fn all(&self) -> anyhow::Result<Vec<PathBuf>> {
        let entries = match std::fs::read_dir(&self.results) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("reading folder {}", self.results.display())),
        };
        let mut dirs = Vec::new();
        for entry in entries {
            dirs.push(entry.with_context(|| format!("reading folder {}", self.results.display()))?.path());
        }
        dirs.retain(|dir| dir.join(crate::journal::FILE_NAME).is_file());
        dirs.sort();
        Ok(dirs)
    }
}

fn names(dirs: &[PathBuf]) -> Vec<String> {
    dirs.iter().filter_map(|dir| Some(crate::text::shown(&dir.file_name()?.to_string_lossy()))).collect()
}

/// Where the bots are.
#[derive(Debug, clap::Args)]
pub(super) struct BotsArgs {
    /// Folder of the bots
    #[arg(long, value_name = "DIR", default_value = "bots")]
    pub(super) bots: PathBuf,
    /// A bot from somewhere else: executable, manifest or bot folder
    #[arg(long = "bot", value_name = "NAME=PATH", value_parser = parse_named_path)]
    pub(super) extra: Vec<(String, PathBuf)>,
}

impl BotsArgs {
    pub(super) fn roster(&self, settings: &Settings) -> anyhow::Result<Roster> {
        Roster::find_with(&self.bots, &self.extra, settings)
    }

    /// The bot of that name, or, if it is written with a slash, the one at that path, named after its file.
    pub(super) fn find(&self, name_or_path: &str, settings: &Settings) -> anyhow::Result<Found> {
        if !name_or_path.contains('/') {
            return self.roster(settings)?.get(name_or_path).cloned();
        }
        self.at_path(name_or_path, settings)
    }

    /// As [`BotsArgs::find`], two bots, and all others.
    pub(super) fn find_both(
        &self,
        names_or_paths: [&str; 2],
        settings: &Settings,
    ) -> anyhow::Result<([Found; 2], Roster)> {
        // Whoever gives paths needs no bots folder.
        let needed = self.bots.exists() || names_or_paths.iter().any(|bot| !bot.contains('/'));
        let roster = if needed { self.roster(settings)? } else { Roster::default() };
        let find = |bot: &str| {
            if bot.contains('/') { self.at_path(bot, settings) } else { roster.get(bot).cloned() }
        };
        Ok(([find(names_or_paths[0])?, find(names_or_paths[1])?], roster))
    }

    /// The bot at the path, named after its file.
    fn at_path(&self, name_or_path: &str, settings: &Settings) -> anyhow::Result<Found> {
        let file = Path::new(name_or_path).file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = file.strip_suffix(".toml").unwrap_or(&file);
        let (name, path) = parse_named_path(&format!("{name}={name_or_path}")).map_err(anyhow::Error::msg)?;
        Roster::only_with(&name, &path, &Settings { bots: Some(self.bots.clone()), ..settings.clone() })
    }
}

/// The time control.
#[derive(Debug, clap::Args)]
pub(super) struct ClockArgs {
    /// Limit for each move, such as 500ms or 1s [default: 1s, unless --time is given]
    #[arg(long, value_name = "TIME", value_parser = crate::clock::parse_duration)]
    move_time: Option<std::time::Duration>,
    /// Time for the whole game, and what each move adds to it, such as 10s+0.1s
    #[arg(long, value_name = "TIME[+TIME]")]
    time: Option<crate::clock::Bank>,
    /// Overrun that is forgiven, for scheduling noise
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = crate::clock::parse_duration)]
    margin: std::time::Duration,
    /// What a move is charged: the time that passed, or the processor time its bot used, of which three times as much
    /// may pass
    #[arg(long, value_name = "WHAT", default_value = "wall", value_parser = charge())]
    clock: Charge,
}

fn charge() -> impl TypedValueParser<Value = Charge> {
    PossibleValuesParser::new(["wall", "cpu"]).map(|word| if word == "cpu" { Charge::Cpu } else { Charge::Wall })
}

impl ClockArgs {
    pub(super) fn control(&self) -> anyhow::Result<crate::clock::TimeControl> {
        const MOVE_TIME_DEFAULT: std::time::Duration = std::time::Duration::from_secs(1);
        let ms = |duration: std::time::Duration| duration.as_millis() as u64;
        let move_time =
            if self.time.is_none() { Some(self.move_time.unwrap_or(MOVE_TIME_DEFAULT)) } else { self.move_time };
        if move_time.is_some_and(|limit| limit.is_zero()) {
            bail!("--move-time must be at least 1ms");
        }
        if self.time.is_some_and(|bank| bank.initial.is_zero()) {
            bail!("--time must begin with at least 1ms");
        }
        if self.clock == Charge::Cpu && !crate::guard::TELLS_CPU {
            bail!("--clock cpu: this system does not tell how much processor time a bot used");
        }
        Ok(crate::clock::TimeControl {
            move_ms: move_time.map(ms),
            bank_ms: self.time.map(|bank| ms(bank.initial)),
            increment_ms: self.time.map(|bank| ms(bank.increment)),
            margin_ms: ms(self.margin),
            charge: self.clock,
        })
    }
}
