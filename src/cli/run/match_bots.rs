//! `arena match A B`: plays two bots for a fixed number of rounds or until a sequential test decides.

mod text;

use std::path::PathBuf;

use anyhow::{Error, anyhow, bail};
use arena_core::event::ROUNDS_MAX;
use arena_core::format::Format;
use arena_core::rules::Variant;
use arena_core::stats::{Sprt, SprtVerdict};
use arena_core::text::{counted, shown};
use arena_run::session::{MatchEvaluation, Session, SessionSettings, TimeBudget};
use arena_store::report::{expected_text, match_markdown};

use super::again::stopped_before_the_first_game;
use super::event_args::{EventArgs, GAMES, GameArgs, NamedFiles, RESULTS, WatchArgs, write_named};
use super::play_games::GamesCommand;
use crate::cli::args::budget::BudgetArgs;
#[cfg(feature = "nats")]
use crate::cli::args::nats::AnyWorkersArgs;
use crate::cli::args::rating::analysis;
use crate::cli::args::sprt::parse_sprt;
use crate::cli::{Exit, Io, whole};
use text::{match_json, report, summary, withdrawn};

const MARKDOWN: &str = "--markdown";

/// Default number of rounds.
const ROUNDS_DEFAULT: u32 = 100;
/// Default maximum number of rounds where a test or the time decides how many are played.
const OPEN_ROUNDS_DEFAULT: u32 = 10_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bot under test: a name in the bots folder, or a path
    #[arg(value_name = "A")]
    a: String,
    /// Its opponent: a name or a path
    #[arg(value_name = "B")]
    b: String,
    /// The value of `--sprt` if it is given as separate words, before, between or after the bots.
    #[arg(hide = true)]
    more: Vec<String>,
    /// Rounds of two games with seats swapped; with a test the maximum [default: 100; with a test, --for or --by 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX), help_heading = GAMES)]
    rounds: Option<u32>,
    /// Stop when a hypothesis is accepted: A is stronger by elo1 or more, or by elo0 or less [default:
    /// elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized, or logistic]
    #[arg(
        long,
        value_name = "KEY=X,…",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = GAMES
    )]
    sprt: Option<String>,
    /// Test that A is not weaker than B by N Elo or more: the test from elo0=-N to elo1=0 with model=logistic; --sprt can set
    /// alpha, beta and model
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_margin, help_heading = GAMES)]
    not_weaker_than: Option<f64>,
    #[command(flatten, next_help_heading = GAMES)]
    budget: BudgetArgs,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    event: EventArgs,
    #[command(flatten)]
    watch: WatchArgs,
    /// Workers that play the games.
    #[cfg(feature = "nats")]
    #[command(flatten)]
    workers: AnyWorkersArgs,
    /// Print the result as JSON
    #[arg(long, help_heading = RESULTS)]
    json: bool,
    /// Write the result as Markdown, for a CI job: `--markdown "$GITHUB_STEP_SUMMARY"`
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    markdown: Option<PathBuf>,
}

impl Args {
    /// The bots, and the test if there is one. The value of `--sprt` may be one word, several words or absent, so clap
    /// cannot distinguish it from a bot. It contains a `=`, unlike any name, and no `/`, unlike a path.
    fn bots_and_test(&self) -> anyhow::Result<([&str; 2], Option<Sprt>)> {
        let mut words = vec![self.a.as_str(), &self.b];
        words.extend(self.more.iter().map(String::as_str));
        let mut test =
            self.not_weaker_than.map(|margin| parse_sprt("", Some(margin))).transpose().map_err(Error::msg)?;
        if let Some(value) = self.sprt.as_deref() {
            let is_value = |word: &mut &str| word.is_empty() || word.contains('=') && !word.contains('/');
            let values: Vec<&str> = [value].into_iter().chain(words.extract_if(.., is_value)).collect();
            let value = values.join(",");
            let sprt = parse_sprt(&value, self.not_weaker_than);
            let value = value.trim_matches(',');
            test = Some(sprt.map_err(|why| anyhow!("invalid value `{}` for --sprt: {why}", shown(value)))?);
        }
        match words[..] {
            [a, b] => Ok(([a, b], test)),
            [a] => bail!("a match needs two bots; only `{}` is named", shown(a)),
            [] => bail!("a match needs two bots; none is named"),
            _ => bail!("a match is between two bots; {} are named: {}", words.len(), shown(&words.join(", "))),
        }
    }
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let (bots, sprt) = args.bots_and_test()?;
    let deadline = args.budget.deadline();
    let (bots, roster) = args.event.bots.find_both(bots, &args.event.guard.settings(io)?)?;
    let names = bots.each_ref().map(|bot| bot.launch.name.clone());
    if names[0] == names[1] {
        bail!("a match needs two bots; both are `{}`; give a copy another name with --bot NAME=PATH", names[0]);
    }
    let contest = args.event.contest(&args.game, Some([&names[0], &names[1]]), Some(Format::usual()), io)?;
    let (game, recorded) = (&contest.game, contest.recorded.as_ref());
    // One that has begun goes on as it was, unless something else is asked for.
    let before = recorded.filter(|_| sprt.is_none() && args.rounds.is_none());
    let sprt = sprt.or_else(|| before?.sprt.as_ref()?.sprt());
    let is_open = sprt.is_some() || deadline.is_some();
    let rounds =
        args.rounds.or_else(|| recorded.filter(|last| last.sprt.is_some() == sprt.is_some()).map(|last| last.rounds));
    let rounds = rounds.unwrap_or(if is_open { OPEN_ROUNDS_DEFAULT } else { ROUNDS_DEFAULT });
    let settings = SessionSettings {
        sprt,
        budget: deadline.map(|deadline| TimeBudget { deadline, may_change_format: false }),
        ..args.event.settings(&contest, Format::usual(), rounds, io)?
    };
    #[cfg(feature = "nats")]
    let settings = SessionSettings {
        workers: args.workers.workers(args.event.guard.settings(io)?, args.event.key()?, io)?,
        ..settings
    };
    if !args.event.quiet {
        contest.tell(io);
    }
    let writes: Vec<_> = args.markdown.iter().map(|path| (MARKDOWN, path.as_path())).collect();
    let files = NamedFiles { writes: &writes, ..NamedFiles::default() };
    let (settings, mut observers) = args.watch.observers(&args.event, game, settings, &bots, files, io)?;
    let opened = Session::open(settings, bots.to_vec(), &roster, || MatchEvaluation::new(sprt), &mut observers)?;
    let Some((session, evaluation)) = opened else { return Ok(stopped_before_the_first_game(io)) };
    announce(args, game, &session, &names, &evaluation, io);
    // `arena standings` can ask for more than this command does.
    let options = analysis(session.tables(), session.event(), "", io);
    let mut play = GamesCommand {
        options,
        session,
        policy: evaluation,
        show: &|shown| {
            let summary = summary(&names, shown.policy, shown.results);
            // What is printed may be cut off by its reader.
            args.watch.write_junit(shown.results)?;
            write_named(MARKDOWN, args.markdown.as_deref(), || match_markdown(&summary, shown.results))?;
            if args.json {
                return io.print_json(&match_json(&summary, shown.policy, shown.results));
            }
            io.print_page(&report(&summary, shown))
        },
        io,
        strict: args.event.strict,
    };
    let ending = play.play(&mut observers)?;
    let results = play.finish(&mut observers)?;
    let verdict = match (play.policy.sprt, play.policy.verdict) {
        (None, _) | (_, SprtVerdict::H1) => Exit::Done,
        (_, SprtVerdict::H0) => Exit::NotStronger,
        (_, SprtVerdict::Undecided) => Exit::Inconclusive,
    };
    Ok(play.exit(ending, &results, withdrawn(&results, &play.policy).is_some(), verdict))
}

/// A number of Elo above 0.
fn parse_margin(text: &str) -> Result<f64, String> {
    let margin = text.parse().ok().filter(|margin: &f64| *margin > 0.0 && margin.is_finite());
    margin.ok_or_else(|| format!("`{}` is not a number of Elo above 0, such as 20", shown(text)))
}

fn announce(
    args: &Args,
    game: &Variant,
    session: &Session,
    [a, b]: &[String; 2],
    evaluation: &MatchEvaluation,
    io: &Io,
) {
    if args.event.quiet {
        return;
    }
    let event = session.event();
    // A decision in the journal leaves fewer games than requested.
    let games = 2 * event.rounds as usize;
    io.tell(&format!("{a} against {b}: {game}, {}, seed {}", event.clock, event.seed));
    let expected = evaluation.sprt.map_or_else(String::new, |sprt| format!("{}; at most ", expected_text(&sprt)));
    let in_time = if args.budget.is_given() { ", as far as there is time" } else { "" };
    io.tell(&format!("{expected}{}{in_time}", counted(games, "game")));
    let done = session.scheduler().total() as usize - session.scheduler().missing().count();
    if evaluation.verdict != SprtVerdict::Undecided {
        io.tell("nothing new to play: the games in the journal already decide the test");
    } else if evaluation.repeats.is_some() {
        io.tell("nothing new to play: the bots only repeat earlier games");
    } else if evaluation.is_over() {
        io.tell("nothing new to play: a bot was withdrawn");
    } else if done == games {
        io.tell("nothing new to play: every game is in the journal; ask for more --rounds");
    } else if done > 0 {
        io.tell(&format!("{done} already played"));
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    /// The bots of this command line and its test, or why it is refused.
    fn read(line: &str) -> Result<(String, Option<Sprt>), String> {
        let command = Args::augment_args(clap::Command::new("match"));
        let typed = command.try_get_matches_from(line.split(' ').filter(|word| *word != "arena"));
        let args = Args::from_arg_matches(&typed.map_err(|error| error.to_string())?).unwrap();
        let (bots, test) = args.bots_and_test().map_err(|error| error.to_string())?;
        Ok((bots.join(" "), test))
    }

    #[test]
    fn a_lone_sprt_takes_no_bot_for_its_value() {
        for (typed, bots, test) in [
            ("arena match a b", "a b", None),
            ("arena match --sprt a b", "a b", Some("")),
            ("arena match a --sprt ./x=y/b", "a ./x=y/b", Some("")),
            ("arena match a b --sprt", "a b", Some("")),
            ("arena match a b --sprt=", "a b", Some("")),
            ("arena match a b --sprt ", "a b", Some("")),
            ("arena match a b --sprt --bot=c=d", "a b", Some("")),
            ("arena match a --sprt elo0=0,elo1=5 b", "a b", Some("elo1=5")),
            ("arena match --sprt elo0=0,elo1=5 a b", "a b", Some("elo1=5")),
            ("arena match a b --sprt elo0=0,elo1=5", "a b", Some("elo1=5")),
            ("arena match --sprt=elo1=5 a b", "a b", Some("elo1=5")),
            ("arena match a b --sprt elo0=0 elo1=5 alpha=0.1", "a b", Some("elo1=5,alpha=0.1")),
            ("arena match --sprt=elo0=1 elo1=5 a b", "a b", Some("elo0=1,elo1=5")),
        ] {
            let test = test.map(|text| parse_sprt(text, None).unwrap());
            assert_eq!(read(typed), Ok((bots.to_owned(), test)), "{typed}");
        }
        for (typed, test) in [
            ("arena match a b --not-weaker-than 20", "elo0=-20,elo1=0,model=logistic"),
            ("arena match a b --not-weaker-than=2.5 --sprt=alpha=0.1", "elo0=-2.5,elo1=0,alpha=0.1,model=logistic"),
            ("arena match a --sprt model=normalized b --not-weaker-than 20", "elo0=-20,elo1=0"),
        ] {
            assert_eq!(read(typed), Ok(("a b".to_owned(), parse_sprt(test, None).ok())), "{typed}");
        }
        for (typed, why) in [
            ("arena match a -- --sprt c", "a match is between two bots; 3 are named: a, --sprt, c"),
            ("arena match a b c", "a match is between two bots; 3 are named: a, b, c"),
            ("arena match a b c --sprt", "a match is between two bots; 3 are named: a, b, c"),
            ("arena match a b c d", "a match is between two bots; 4 are named: a, b, c, d"),
            ("arena match elo0=0 elo1=1 --sprt", "a match needs two bots; none is named"),
            ("arena match a --sprt elo1=5", "a match needs two bots; only `a` is named"),
            (
                "arena match a b --not-weaker-than 20 --sprt elo1=5",
                "invalid value `elo1=5` for --sprt: elo1: --not-weaker-than 20 means elo0=-20,elo1=0; leave one of the two out",
            ),
            ("arena match a b --sprt elo1=x", "invalid value `elo1=x` for --sprt: elo1: `x` is not a number"),
        ] {
            assert_eq!(read(typed), Err(why.to_owned()), "{typed}");
        }
    }
}
