//! Flags of tournament formats, as the formats declare them.

use std::path::{Path, PathBuf};

use anyhow::bail;
use arena_core::event::{ROUNDS_MAX, Tournament};
use arena_core::format::flags::{FlagKind, MAX_ROUNDS, ROUNDS, SEEDING, UNTIL, either};
use arena_core::format::{self, Flag, Format, FormatOptions, Setting, Until};
use arena_core::suggest::UnknownName;
use arena_play::roster::FoundBot;
use arena_run::session::Goal;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::seeding;
use crate::cli::whole;

/// Default limit of the rounds of a pairing with `--until`, in multiples of `--rounds`.
const MAX_ROUNDS_TIMES: u32 = 20;
/// The flag of the format itself, and its place among those of formats.
const FORMAT: (&str, u8) = ("format", 3);

/// Who plays whom, and when it is enough.
#[derive(Debug)]
pub(crate) struct FormatArgs {
    pub(crate) format: Option<&'static Format>,
    /// The flags that are given, without the seeds of the file.
    pub(crate) given: FormatOptions,
    /// The file of seeds.
    pub(crate) seeding: Option<PathBuf>,
}

impl clap::Args for FormatArgs {
    fn augment_args(command: Command) -> Command {
        let all = Flag::all();
        let (before, after) = all.split_at(all.partition_point(|flag| flag.place < FORMAT.1));
        let args = before.iter().map(|flag| arg(flag)).chain([format_arg()]).chain(after.iter().map(|flag| arg(flag)));
        command.next_help_heading("Format").args(args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for FormatArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = FormatOptions::default();
        for flag in Flag::all() {
            let setting = match flag.kind {
                FlagKind::Switch => Some(Setting::Switch(matches.get_flag(flag.name))),
                FlagKind::Number(..) => matches.get_one(flag.name).copied().map(Setting::Number),
                FlagKind::Until => matches.get_one(flag.name).copied().map(Setting::Until),
                FlagKind::Bots => matches.get_many(flag.name).map(|names| Setting::Names(names.cloned().collect())),
                FlagKind::Seeds => matches.get_one::<PathBuf>(flag.name).map(|_| Setting::Switch(true)),
            };
            if let Some(setting) = setting {
                given.set(flag, setting);
            }
        }
        let (format, seeding) = (matches.get_one(FORMAT.0).copied(), matches.get_one(SEEDING.name).cloned());
        Ok(Self { format, given, seeding })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn format_arg() -> Arg {
    let (names, usual) = (either(format::all().map(|format| format.name)), Format::usual().name);
    let help = format!("{names} (docs/formats.md) [default: that of the results, or {usual}]");
    Arg::new(FORMAT.0).long(FORMAT.0).value_name("FORMAT").value_parser(parse_format).help(help)
}

/// A flag of formats on the command line.
fn arg(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.name).long(flag.name).help(flag.help());
    let arg = match flag.kind {
        FlagKind::Switch => arg.action(ArgAction::SetTrue),
        FlagKind::Number(least, most) => {
            arg.value_name("N").allow_negative_numbers(true).value_parser(whole(least..=most))
        }
        FlagKind::Until => {
            arg.value_name("separated|±N|top:K").allow_hyphen_values(true).value_parser(value_parser!(Until))
        }
        FlagKind::Bots => arg.value_name("NAME").action(ArgAction::Append),
        FlagKind::Seeds => arg.value_name("draw|FILE").value_parser(value_parser!(PathBuf)),
    };
    let arg = flag.needs.into_iter().fold(arg, Arg::requires);
    flag.excludes.into_iter().fold(arg, Arg::conflicts_with)
}

/// Who plays whom, as asked for or as recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChosenFormat<'a> {
    given: &'a FormatOptions,
    seeding: Option<&'a Path>,
    pub(crate) format: &'static Format,
    /// The tournament that goes on, if no other format was asked for.
    recorded: Option<&'a Tournament>,
    has_budget: bool,
}

impl FormatArgs {
    /// Whether nothing was said about who plays whom.
    pub(crate) fn says_nothing(&self) -> bool {
        self.format.is_none() && self.given.get(&ROUNDS).is_none() && self.given.until().is_none()
    }

    /// The format: as asked for, else that of the `recorded` tournament, else the usual one.
    pub(crate) fn chosen<'a>(&'a self, recorded: Option<&'a Tournament>, has_budget: bool) -> ChosenFormat<'a> {
        let is_asked_for = |event: &&Tournament| self.format.is_none_or(|format| format.name == event.format);
        let recorded = recorded.filter(is_asked_for);
        let of_record = recorded.and_then(|event| Format::named(&event.format));
        let format = self.format.or(of_record).unwrap_or(Format::usual());
        ChosenFormat { given: &self.given, seeding: self.seeding.as_deref(), format, recorded, has_budget }
    }
}

impl ChosenFormat<'_> {
    fn number(&self, flag: &Flag) -> Option<u32> {
        self.given.number(flag).map(|number| number as u32)
    }

    /// Rounds of the tournament, or what its format has instead.
    pub(crate) fn rounds(&self) -> u32 {
        let (flag, usual) = self.format.rounds;
        let recorded = self.recorded.map(|event| event.rounds);
        let max = self.number(&MAX_ROUNDS).filter(|_| !self.format.is_stepwise()).unwrap_or(ROUNDS_MAX);
        self.number(flag).or(recorded).unwrap_or(usual.min(max))
    }

    /// Whether rounds are played until the budget is over, since nothing was said about their number.
    pub(crate) fn lasts_as_long_as_its_budget(&self) -> bool {
        let is_open = self.given.get(&ROUNDS).is_none() && self.given.until().is_none();
        self.has_budget && !self.format.is_stepwise() && is_open
    }

    /// What a fixed format plays more rounds for. The goal of a stepwise one is an option of the format.
    pub(crate) fn goal(&self) -> anyhow::Result<Option<Goal>> {
        if self.format.is_stepwise() {
            return Ok(None);
        }
        let rounds = self.rounds();
        let rounds_max = self.number(&MAX_ROUNDS).unwrap_or(rounds.saturating_mul(MAX_ROUNDS_TIMES)).min(ROUNDS_MAX);
        if rounds_max < rounds {
            bail!(
                "--max-rounds {rounds_max} is less than --rounds {rounds}, which every pairing plays first; lower \
                 --rounds or raise --max-rounds"
            );
        }
        let until = self.given.until().map(|until| Goal::Ratings(until, rounds_max));
        Ok(until.or(self.lasts_as_long_as_its_budget().then_some(Goal::Time)))
    }

    /// The options of the format for a tournament of these bots. Those that are not given are as recorded.
    pub(crate) fn options(&self, bots: &[&FoundBot]) -> anyhow::Result<FormatOptions> {
        self.refuse_foreign()?;
        let endless = self.format.endless.map(|(flag, number)| (flag, Setting::Number(number)));
        let recorded = self.recorded.map(|event| event.format_options.clone());
        let mut options = recorded.filter(|_| !self.has_goal(self.given)).unwrap_or_default();
        if let Some((flag, setting)) = &endless
            && !self.has_budget
            && options.get(flag) == Some(setting)
        {
            // The end of a budget is no goal without one.
            options.remove(flag);
        }
        let names: Vec<&str> = bots.iter().map(|bot| bot.launch.name.as_str()).collect();
        for (flag, setting) in self.given.iter().filter(|(flag, _)| self.has_option(flag)) {
            options.set(flag, setting.clone());
        }
        if let Some(path) = self.seeding {
            let seeds = seeding::read(path)?;
            if !seeds.is_empty() && !names.iter().any(|name| seeds.iter().any(|seed| seed == name)) {
                bail!("--seeding {}: it names none of the bots, which are {}", path.display(), names.join(", "));
            }
            options.set(&SEEDING, Setting::Names(seeds));
        }
        if let Some((flag, setting)) = endless.filter(|_| self.has_budget && !self.has_goal(&options)) {
            options.set(flag, setting);
        }
        (self.format.accepts)(&options, self.given, &names)?;
        Ok(options)
    }

    /// Whether the value of a flag is an option of the format.
    fn has_option(&self, flag: &Flag) -> bool {
        flag.option.is_some() && (self.format.is_stepwise() || !flag.is_goal)
    }

    /// Whether one of these options of the format is a goal.
    fn has_goal(&self, options: &FormatOptions) -> bool {
        options.iter().any(|(flag, _)| flag.is_goal && self.has_option(flag))
    }

    /// Refuses flags that the format does not have.
    fn refuse_foreign(&self) -> anyhow::Result<()> {
        if let Some(flag) =
            Flag::all().into_iter().find(|flag| self.given.get(flag).is_some() && !self.format.has(flag))
        {
            let own: Vec<String> = Flag::all()
                .iter()
                .filter(|flag| self.format.has(flag))
                .map(|flag| format!("--{}", flag.name))
                .collect();
            let able: Vec<&str> = flag.formats().map(|format| format.name).collect();
            bail!("--{} is for --format {}; {} has {}", flag.name, able.join(" or "), self.format.name, own.join(", "));
        }
        if matches!(self.given.until(), Some(Until::Top { .. })) && !self.format.is_stepwise() {
            let able: Vec<&str> =
                UNTIL.formats().filter(|format| format.is_stepwise()).map(|format| format.name).collect();
            bail!(
                "--until top:K is for --format {}: a {} plays as many games for the last as for the first",
                able.join(" or "),
                self.format.name
            );
        }
        Ok(())
    }
}

fn parse_format(name: &str) -> Result<&'static Format, String> {
    Format::named(name)
        .ok_or_else(|| UnknownName::new("format", name, format::all().map(|format| format.name)).to_string())
}
