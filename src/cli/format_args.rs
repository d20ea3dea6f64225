//! Flags of tournament formats.

use std::path::PathBuf;

use anyhow::bail;
use clap::ArgAction;

use super::{seeding, whole};
use crate::event::{GAMES_MAX, ROUNDS_MAX};
use crate::format::{FORMATS, Format, Options, Until};
use crate::roster::Found;
use crate::session::ROUNDS_DEFAULT;
use crate::suggest::{UnknownName, did_you_mean};
use crate::text::shown;

/// Default limit of the rounds of a pairing with `--until`, in multiples of `--rounds`.
const MAX_ROUNDS_TIMES: u32 = 20;
/// Pairs of a match in a knockout, where the loser has no other chance.
const KNOCKOUT_PAIRS: u32 = 3;
/// The most pairs of any two bots in a ladder.
const LADDER_MEETINGS: u32 = 1000;

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
    /// round-robin, gauntlet, ladder, knockout or swiss (docs/formats.md)
    #[arg(long, value_name = "FORMAT", default_value = "round-robin", value_parser = parse_format)]
    pub(super) format: &'static Format,
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
    seeding: Option<PathBuf>,
}

impl FormatArgs {
    /// Rounds of the tournament, or what its format has instead.
    pub(super) fn rounds(&self) -> u32 {
        match self.format.name {
            "ladder" => self.rounds.unwrap_or(LADDER_MEETINGS),
            "knockout" => self.pairs.unwrap_or(KNOCKOUT_PAIRS),
            "swiss" => self.pairs.unwrap_or(1),
            _ => self.rounds.unwrap_or(ROUNDS_DEFAULT.min(self.max_rounds.unwrap_or(ROUNDS_MAX))),
        }
    }

    /// The most rounds of a pairing with `--until` in a round-robin.
    pub(super) fn rounds_max(&self) -> anyhow::Result<u32> {
        let rounds = self.rounds();
        let rounds_max = self.max_rounds.unwrap_or(rounds.saturating_mul(MAX_ROUNDS_TIMES)).min(ROUNDS_MAX);
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

    /// What ends a round-robin, other than its rounds. That of a ladder is an option of the format.
    pub(super) fn until_of_rounds(&self) -> Option<Until> {
        self.until.filter(|_| !self.is_ladder())
    }

    /// The options of the format for a tournament of these bots.
    pub(super) fn options(&self, bots: &[&Found]) -> anyhow::Result<Options> {
        self.refuse_foreign()?;
        let options = Options {
            challengers: self.challenger.clone(),
            seeding: self.seeding.as_deref().map(seeding::read).transpose()?.unwrap_or_default(),
            swiss_rounds: self.swiss_rounds,
            third_place: self.third_place,
            pairs_per_bot: self.pairs_per_bot,
            until: self.until.filter(|_| self.is_ladder()),
            only_top: self.only_top,
            max_games: self.max_games,
        };
        if self.format.name == "gauntlet" {
            check_challengers(&options.challengers, bots)?;
        }
        Ok(options)
    }

    /// Refuses flags that the format does not have.
    fn refuse_foreign(&self) -> anyhow::Result<()> {
        let round_robin = FORMATS[0].name;
        let flags: [(&str, bool, &[&str]); 11] = [
            ("--rounds", self.rounds.is_some(), &[round_robin, "gauntlet", "ladder"]),
            ("--until", self.until.is_some(), &[round_robin, "ladder"]),
            ("--max-rounds", self.max_rounds.is_some(), &[round_robin]),
            ("--challenger", !self.challenger.is_empty(), &["gauntlet"]),
            ("--pairs-per-bot", self.pairs_per_bot.is_some(), &["ladder"]),
            ("--only-top", self.only_top, &["ladder"]),
            ("--max-games", self.max_games.is_some(), &["ladder"]),
            ("--pairs", self.pairs.is_some(), &["knockout", "swiss"]),
            ("--swiss-rounds", self.swiss_rounds.is_some(), &["swiss"]),
            ("--third-place", self.third_place, &["knockout"]),
            ("--seeding", self.seeding.is_some(), &["knockout", "swiss"]),
        ];
        for (flag, is_given, formats) in flags {
            if is_given && !formats.contains(&self.format.name) {
                let own = flags.iter().map(|(flag, _, formats)| (flag, formats));
                let own: Vec<&str> =
                    own.filter(|(_, formats)| formats.contains(&self.format.name)).map(|(flag, _)| *flag).collect();
                bail!("{flag} is for --format {}; {} has {}", formats.join(" or "), self.format.name, own.join(", "));
            }
        }
        let is_top = matches!(self.until, Some(Until::Top { .. }));
        if is_top && !self.is_ladder() {
            bail!(
                "--until top:K is for --format ladder: a round-robin plays as many games for the last as for the first"
            );
        }
        if self.only_top && !is_top {
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
