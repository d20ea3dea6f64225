//! `arena match A B`: two bots, a fixed number of rounds or until a sequential test has decided.

mod text;

use anyhow::bail;

use super::again::{stopped_before_the_first_game, this_command};
use super::event_args::{EventArgs, finish};
use super::sprt::parse_sprt;
use super::{Exit, print, tell, whole};
use crate::event::ROUNDS_MAX;
use crate::format::FORMATS;
use crate::observer::Ending;
use crate::report::{Results, void_warnings};
use crate::session::{Session, Trial};
use crate::stats::{AnalysisOptions, Sprt, SprtVerdict};
use crate::text::counted;
use text::{json_text, report, withdrawn};

/// Rounds, unless told otherwise.
const ROUNDS_DEFAULT: u32 = 100;
/// The most rounds of a test, unless told otherwise.
const SPRT_ROUNDS_DEFAULT: u32 = 10_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bot under test: a name in the bots folder, or a path
    #[arg(value_name = "A")]
    a: String,
    /// The bot it is measured against
    #[arg(value_name = "B")]
    b: String,
    /// Rounds, each one opening from both seats; with --sprt the most there may be [default: 100, with --sprt 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    rounds: Option<u32>,
    /// Stop as soon as one of two hypotheses is clearly the better: A is stronger by elo1, or by no more than elo0.
    /// Alone it means elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized
    #[arg(
        long,
        value_name = "elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized|logistic",
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = parse_sprt
    )]
    sprt: Option<Sprt>,
    #[command(flatten)]
    event: EventArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let settings = args.event.guard.settings()?;
    let (bots, roster) = args.event.bots.find_both([&args.a, &args.b], &settings)?;
    let names = bots.each_ref().map(|bot| bot.launch.name.clone());
    if names[0] == names[1] {
        bail!("a match needs two bots, and both are `{}`; give a copy another name with --bot NAME=PATH", names[0]);
    }
    let default = format!("{}-{}-vs-{}", args.event.game.label, names[0], names[1]);
    let rounds = args.rounds.unwrap_or(if args.sprt.is_some() { SPRT_ROUNDS_DEFAULT } else { ROUNDS_DEFAULT });
    let mut settings = args.event.settings(&default, &FORMATS[0], rounds)?;
    settings.sprt = args.sprt;
    let mut observers = args.event.observers(&bots)?;
    let opened = Session::open(settings, bots.to_vec(), &roster, || Trial::new(args.sprt), &mut observers)?;
    let Some((mut session, mut trial)) = opened else { return Ok(stopped_before_the_first_game()) };
    announce(args, &session, &names, &trial);
    let options = AnalysisOptions::default();
    let said = |trial: &Trial, results: &Results<'_>, session: &Session| {
        if args.json { json_text(&names, trial, results) } else { report(&names, trial, results, session) }
    };
    let ending = session.play(&mut trial, &mut observers, &options);
    finish(&mut observers);
    let ending = match ending {
        Ok(ending) => ending,
        Err(error) => {
            // What was played is shown also where nothing more can be written.
            if let Ok(results) = session.results(&options) {
                let _ = print(&said(&trial, &results, &session));
            }
            return Err(error.into());
        }
    };
    let results = session.results(&options)?;
    let written = session.write_tables(&results);
    for warning in void_warnings(&results) {
        tell(&format!("warning: {warning}"));
    }
    print(&said(&trial, &results, &session))?;
    written?;
    if !args.json {
        print(&format!("\ntables: {}", session.dir().join("*.csv").display()))?;
    }
    let unfinished = !results.progress().is_complete();
    if unfinished {
        tell(&format!("go on with: {}", this_command()));
    }
    Ok(match (ending, trial.sprt.map(|_| trial.verdict())) {
        (Ending::Killed, _) => Exit::Killed,
        _ if unfinished => Exit::Incomplete,
        _ if withdrawn(&results, &trial).is_some() => Exit::BotTrouble,
        _ if args.event.strict && results.any_fault() => Exit::BotTrouble,
        (_, Some(SprtVerdict::H1) | None) => Exit::Done,
        (_, Some(SprtVerdict::H0)) => Exit::NotStronger,
        (_, Some(SprtVerdict::Undecided)) => Exit::Inconclusive,
    })
}

fn announce(args: &Args, session: &Session, names: &[String; 2], trial: &Trial) {
    if args.event.quiet {
        return;
    }
    let event = session.event();
    // A decision in the journal leaves fewer than were asked for.
    let games = 2 * event.rounds as usize;
    tell(&format!("{} against {}: {}, {}, seed {}", names[0], names[1], args.event.game, event.clock, event.seed));
    match args.sprt {
        Some(sprt) => {
            let expected = sprt.expected_games();
            tell(&format!(
                "expected: {:.0} games if elo0 is true, {:.0} if elo1 is, {:.0} in between; at most {}",
                expected.at_elo0,
                expected.at_elo1,
                expected.between,
                counted(games, "game")
            ));
        }
        None => tell(&counted(games, "game")),
    }
    let done = session.scheduler().total() as usize - session.missing();
    if trial.verdict() != SprtVerdict::Undecided {
        tell("nothing new to play: the games in the journal decide it");
    } else if trial.is_over() {
        tell("nothing new to play: a bot was withdrawn");
    } else if done == games {
        tell("nothing new to play: every game is in the journal; ask for more --rounds");
    } else if done > 0 {
        tell(&format!("{done} of them are in the journal"));
    }
}
