//! Flags of tournament formats.

use std::path::PathBuf;

use anyhow::bail;
use clap::ArgAction;

use super::{seeding, whole};
use crate::event::{Event, GAMES_MAX, ROUNDS_MAX};
use crate::format::{FORMATS, Format, Options, Until};
use crate::roster::Found;
use crate::session::{Goal, MEETINGS, ROUNDS_DEFAULT};
use crate::suggest::{UnknownName, did_you_mean};
use crate::text::shown;

/// Default limit of the rounds of a pairing with `--until`, in multiples of `--rounds`.
const MAX_ROUNDS_TIMES: u32 = 20;
/// Pairs of a match in a knockout, where the loser has no other chance.
const KNOCKOUT_PAIRS: u32 = 3;

/// Who plays whom, and when it is enough.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Format")]
pub(super) struct FormatArgs {
    /// Rounds of two games for every pair of bots [default: 50, at most --max-rounds]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    rounds: Option<u32>,
    /// Play until neighbours are separated, margins are ±N Elo, or the best K bots are known
    #[arg(long, value_name = "separated|±N|top:K", allow_hyphen_values = true)]
    pub(super) until: Option<Until>,
    /// Maximum rounds with --until [default: 20 times --rounds]
    #[arg(long, value_name = "N", requires = "until", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    max_rounds: Option<u32>,
    /// round-robin, gauntlet, ladder, knockout or swiss (docs/formats.md) [default: that of the results, or round-robin]
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub(super) format: Option<&'static Format>,
    /// Bot that meets all others in a gauntlet
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    challenger: Vec<String>,
    /// Mean number of pairs of a bot in a ladder [default: 50 without --until]
    #[arg(long, value_name = "N", conflicts_with = "until", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    pairs_per_bot: Option<u32>,
    /// Play for `--until top:K` only, and not for the order of the others as well
    #[arg(long, requires = "until")]
    only_top: bool,
    /// Maximum number of games in a ladder
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(2..=GAMES_MAX))]
    max_games: Option<u64>,
    /// Pairs of games of a match in a knockout or Swiss [default: 3 or 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    pairs: Option<u32>,
    /// Rounds of a Swiss [default: depends on the number of bots]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    swiss_rounds: Option<u32>,
    /// Play for third place in a knockout
    #[arg(long)]
    third_place: bool,
    /// Seeds of a knockout or Swiss: `draw`, or a standings.csv [default: draw]
    #[arg(long, value_name = "draw|FILE")]
    pub(super) seeding: Option<PathBuf>,
    /// Go on without this bot in a knockout or Swiss that has begun; it loses its further games
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(super) drop: Vec<String>,
}

/// Who plays whom, as asked for or as recorded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    args: &'a FormatArgs,
    pub(super) format: &'static Format,
    /// The tournament that goes on, if no other format was asked for.
    recorded: Option<&'a Event>,
    has_budget: bool,
}

impl FormatArgs {
    /// Whether nothing was said about who plays whom.
    pub(super) fn says_nothing(&self) -> bool {
        self.format.is_none() && self.rounds.is_none() && self.until.is_none()
    }

    /// The format: as asked for, else that of the `recorded` tournament, else a round-robin.
    pub(super) fn chosen<'a>(&'a self, recorded: Option<&'a Event>, has_budget: bool) -> Chosen<'a> {
        let is_asked_for = |event: &&Event| self.format.is_none_or(|format| format.name == event.format);
        let recorded = recorded.filter(is_asked_for);
        let of_record = recorded.and_then(|event| Format::named(&event.format));
        let format = self.format.or(of_record).unwrap_or(&FORMATS[0]);
        Chosen { args: self, format, recorded, has_budget }
    }
}

impl Chosen<'_> {
    /// Rounds of the tournament, or what its format has instead.
    pub(super) fn rounds(&self) -> u32 {
        let FormatArgs { rounds, pairs, max_rounds, .. } = *self.args;
        let recorded = self.recorded.map(|event| event.rounds);
        match self.format.name {
            "ladder" => rounds.or(recorded).unwrap_or(MEETINGS),
            "knockout" => pairs.or(recorded).unwrap_or(KNOCKOUT_PAIRS),
            "swiss" => pairs.or(recorded).unwrap_or(1),
            _ => {
                let recorded = recorded.filter(|_| self.lasts_as_long_as_its_budget());
                rounds.or(recorded).unwrap_or(ROUNDS_DEFAULT.min(max_rounds.unwrap_or(ROUNDS_MAX)))
            }
        }
    }

    /// Whether rounds are played until the budget is over, since nothing was said about their number.
    pub(super) fn lasts_as_long_as_its_budget(&self) -> bool {
        self.has_budget && !self.format.is_stepwise() && self.args.rounds.is_none() && self.args.until.is_none()
    }

    /// The most rounds of a pairing with `--until` in a round-robin.
    fn rounds_max(&self) -> anyhow::Result<u32> {
        let rounds = self.rounds();
        let rounds_max = self.args.max_rounds.unwrap_or(rounds.saturating_mul(MAX_ROUNDS_TIMES)).min(ROUNDS_MAX);
        if rounds_max < rounds && !self.is_ladder() {
            bail!(
                "--max-rounds {rounds_max} is less than --rounds {rounds}, which every pairing plays first; lower \
                 --rounds or raise --max-rounds"
            );
        }
        Ok(rounds_max)
    }

    fn is_ladder(&self) -> bool {
        self.format.name == "ladder"
    }

    /// What a round-robin or gauntlet plays more rounds for. The goal of a ladder is an option of the format.
    pub(super) fn goal(&self) -> anyhow::Result<Option<Goal>> {
        let until = self.args.until.filter(|_| !self.is_ladder());
        let rounds_max = self.rounds_max()?;
        let until = until.map(|until| Goal::Ratings(until, rounds_max));
        Ok(until.or(self.lasts_as_long_as_its_budget().then_some(Goal::Time)))
    }

    /// The options of the format for a tournament of these bots. Those that are not given are as recorded.
    pub(super) fn options(&self, bots: &[&Found]) -> anyhow::Result<Options> {
        self.refuse_foreign()?;
        let args = self.args;
        let mut before = self.recorded.map(|event| event.format_options.clone()).unwrap_or_default();
        // The end of a budget is no goal without one.
        before.pairs_per_bot = before.pairs_per_bot.filter(|pairs| self.has_budget || *pairs < ROUNDS_MAX);
        let has_goal = args.until.is_some() || args.pairs_per_bot.is_some();
        let mut options = Options {
            challengers: if args.challenger.is_empty() { before.challengers } else { args.challenger.clone() },
            seeding: args.seeding.as_deref().map(seeding::read).transpose()?.unwrap_or(before.seeding),
            swiss_rounds: args.swiss_rounds.or(before.swiss_rounds),
            third_place: args.third_place || before.third_place,
            pairs_per_bot: if has_goal { args.pairs_per_bot } else { before.pairs_per_bot },
            until: if has_goal { args.until.filter(|_| self.is_ladder()) } else { before.until },
            only_top: if has_goal { args.only_top } else { before.only_top },
            max_games: args.max_games.or(before.max_games.filter(|_| !has_goal)),
        };
        if self.is_ladder() && self.has_budget && options.pairs_per_bot.is_none() && options.until.is_none() {
            options.pairs_per_bot = Some(ROUNDS_MAX);
        }
        let names = || bots.iter().map(|bot| bot.launch.name.as_str());
        if let (Some(path), false) = (&args.seeding, options.seeding.is_empty())
            && !names().any(|name| options.seeding.iter().any(|seed| seed == name))
        {
            let names = names().collect::<Vec<_>>().join(", ");
            bail!("--seeding {}: it names none of the bots, which are {names}", path.display());
        }
        if let Some(Until::Top { bots: top, .. }) = args.until
            && top as usize >= bots.len()
        {
            bail!("--until top:{top}: there are {} bots; K is less than their number", bots.len());
        }
        if self.format.name == "gauntlet" {
            check_challengers(&options.challengers, bots)?;
        }
        Ok(options)
    }

    /// Refuses flags that the format does not have.
    fn refuse_foreign(&self) -> anyhow::Result<()> {
        let (args, round_robin) = (self.args, FORMATS[0].name);
        let flags: [(&str, bool, &[&str]); 12] = [
            ("--rounds", args.rounds.is_some(), &[round_robin, "gauntlet", "ladder"]),
            ("--until", args.until.is_some(), &[round_robin, "ladder"]),
            ("--max-rounds", args.max_rounds.is_some(), &[round_robin]),
            ("--challenger", !args.challenger.is_empty(), &["gauntlet"]),
            ("--pairs-per-bot", args.pairs_per_bot.is_some(), &["ladder"]),
            ("--only-top", args.only_top, &["ladder"]),
            ("--max-games", args.max_games.is_some(), &["ladder"]),
            ("--pairs", args.pairs.is_some(), &["knockout", "swiss"]),
            ("--swiss-rounds", args.swiss_rounds.is_some(), &["swiss"]),
            ("--third-place", args.third_place, &["knockout"]),
            ("--seeding", args.seeding.is_some(), &["knockout", "swiss"]),
            ("--drop", !args.drop.is_empty(), &["knockout", "swiss"]),
        ];
        for (flag, is_given, formats) in flags {
            if is_given && !formats.contains(&self.format.name) {
                let own = flags.iter().map(|(flag, _, formats)| (flag, formats));
                let own: Vec<&str> =
                    own.filter(|(_, formats)| formats.contains(&self.format.name)).map(|(flag, _)| *flag).collect();
                bail!("{flag} is for --format {}; {} has {}", formats.join(" or "), self.format.name, own.join(", "));
            }
        }
        let is_top = matches!(args.until, Some(Until::Top { .. }));
        if is_top && !self.is_ladder() {
            bail!(
                "--until top:K is for --format ladder: a round-robin plays as many games for the last as for the first"
            );
        }
        if args.only_top && !is_top {
            bail!("--only-top needs --until top:K");
        }
        Ok(())
    }
}

/// Fails unless the challengers are among the bots.
fn check_challengers(challengers: &[String], bots: &[&Found]) -> anyhow::Result<()> {
    let names = || bots.iter().map(|bot| bot.launch.name.as_str());
    let known = || names().collect::<Vec<_>>().join(", ");
    if challengers.is_empty() {
        bail!("a gauntlet needs a --challenger, which meets all other bots; the bots are: {}", known());
    }
    if let Some(unknown) = challengers.iter().find(|name| names().all(|known| known != name.as_str())) {
        bail!(
            "--challenger: there is no bot named `{}`{} that plays this game; the bots are: {}",
            shown(unknown),
            did_you_mean(unknown, names()),
            known()
        );
    }
    Ok(())
}

fn parse_format(name: &str) -> Result<&'static Format, String> {
    Format::named(name)
        .ok_or_else(|| UnknownName::new("format", name, FORMATS.iter().map(|format| format.name)).to_string())
}
