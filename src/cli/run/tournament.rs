//! `arena tournament`: plays a tournament between all bots.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;
use arena_core::event::LeftOut;
use arena_core::format::flags::DROP;
use arena_core::format::{Format, Over};
use arena_core::rules::Variant;
use arena_core::schedule::WithdrawalCause;
use arena_core::text::counted;
use arena_play::roster::FoundBot;
use arena_run::session::{
    Goal, MoreRounds, Overwriting, Session, SessionError, SessionSettings, SessionWorkers, TableOptions, TimeBudget,
    listed_bots, parse_title, until_outcome,
};
use arena_show::observer::RunEnding;
use arena_store::journal;
use arena_store::report::{REPORT_FILE, TextPage, format_text};
use arena_sys::results_folder::ResultsFolder;

use super::again::stopped_before_the_first_game;
use super::check;
use super::contest::Contest;
use super::event_args::{EventArgs, GameArgs, NamedFiles, RESULTS, WatchArgs};
use super::left_out::left_out_lines;
use super::one_bot::StartArgs;
use super::play_games::{GamesCommand, SessionResults, show_tournament};
use super::roster_args::RosterArgs;
use super::shard;
use crate::cli::args::budget::BudgetArgs;
use crate::cli::args::format::FormatArgs;
use crate::cli::args::rating::{DecidingArgs, analysis};
use crate::cli::args::shard::ShardArgs;
use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten, next_help_heading = "Format")]
    budget: BudgetArgs,
    #[command(flatten)]
    shard: ShardArgs,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    event: EventArgs,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    roster: RosterArgs,
    /// Heading of the report and of other pages [default: the name, or that of the results]
    #[arg(long, value_name = "TEXT", value_parser = parse_title, help_heading = RESULTS)]
    title: Option<String>,
    /// Print the tournament as JSON instead of tables
    #[arg(long, help_heading = RESULTS)]
    json: bool,
    #[command(flatten, next_help_heading = "Ratings")]
    rating: DecidingArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    play(args, &args.contest(io)?, args.deadline(), None, io)
}

impl Args {
    /// What is played, and where. Starts the program that is the rules of the game, if they are one.
    pub(crate) fn contest(&self, io: &Io) -> anyhow::Result<Contest> {
        // Without `--format` the name does not depend on the format, so that a tournament of any format is resumed.
        self.event.contest(&self.game, None, self.format.format, io)
    }

    /// Whether only a part is to be played, or planned for that.
    pub(crate) fn is_in_parts(&self) -> bool {
        self.shard.is_given()
    }

    /// Checks all bots that would play, as `arena check --all --build` does it.
    pub(crate) fn check_all(&self, contest: &Contest, texts: Option<&Path>, io: &Io) -> anyhow::Result<Exit> {
        let EventArgs { bots, clock, guard, .. } = &self.event;
        check::check_all(&contest.game, contest.clock, StartArgs::new(bots, clock, guard), texts, io)
    }

    /// The folder of all results.
    pub(crate) fn results(&self) -> &Path {
        &self.event.results
    }

    /// What files of this contest may overwrite; `home` is its results folder.
    pub(crate) fn overwriting(&self, home: ResultsFolder) -> Overwriting<'_> {
        self.watch.overwriting(&self.event, home)
    }

    /// When no more games begin.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.budget.deadline()
    }

    pub(crate) const fn prints_json(&self) -> bool {
        self.json
    }
}

#[cfg(feature = "nats")]
impl Args {
    /// The key that signs what workers get.
    pub(crate) fn key(&self) -> anyhow::Result<Option<std::sync::Arc<arena_cluster::cluster::SecretKey>>> {
        self.event.key()
    }

    /// The settings of all bots.
    pub(crate) fn bot_settings(&self, io: &Io) -> anyhow::Result<arena_play::roster::RosterSettings> {
        self.event.guard.settings(io)
    }
}

/// Plays the tournament, on this machine or by workers. No game begins after the `deadline`.
pub(crate) fn play(
    args: &Args,
    contest: &Contest,
    deadline: Option<Instant>,
    workers: Option<Arc<dyn SessionWorkers>>,
    io: &Io,
) -> anyhow::Result<Exit> {
    let game = contest.game.clone();
    let share = args.shard.share()?;
    let chosen = args.format.chosen(contest.recorded.as_ref(), deadline.is_some());
    let goal = chosen.goal()?;
    // Before the bots are looked for, which may take long: an error in these settings is reported at once.
    let defaults = args.event.settings(contest, chosen.format, chosen.rounds(), io)?;
    let found = args.roster.find(&args.event, io, |bot| bot.plays(&game))?;
    let (roster, kept) = args.roster.for_game(&args.event, &game, &found, io)?;
    for line in left_out_lines(&roster) {
        io.tell_left_out(&line);
    }
    // A wrong anchor or challenger is reported before anything is written.
    let playing: Vec<&FoundBot> = roster.bots.iter().filter(|bot| bot.plays(&game)).collect();
    let is_elsewhere = workers.is_some();
    let settings = SessionSettings {
        left_out: roster.left_out().map(|(name, cause)| LeftOut::unable(name, cause)).collect(),
        kept,
        tables: checked_tables(args, &playing)?,
        budget: deadline.map(|deadline| TimeBudget { deadline, may_change_format: args.format.says_nothing() }),
        format_options: chosen.options(&playing)?,
        goal,
        drop: args.format.given.names(&DROP).to_vec(),
        workers,
        ..defaults
    };
    if !args.event.quiet {
        contest.tell(io);
    }
    let reads: Vec<&Path> = args.format.seeding.as_deref().into_iter().collect();
    let files = NamedFiles { reads: &reads, share, ..NamedFiles::default() };
    let (settings, mut observers) = args.watch.observers(&args.event, &game, settings, &roster.bots, files, io)?;
    if let Some(share) = share {
        return shard::play(settings, share, &roster, args.event.quiet, &mut observers, io);
    }
    let opened = Session::open(settings, roster.bots.clone(), &roster, || (), &mut observers);
    let Some((session, ())) = opened.map_err(|error| with_cure(error, args))? else {
        return Ok(stopped_before_the_first_game(io));
    };
    if args.shard.plan {
        return shard::plan(session, io);
    }
    announce(&session, &game, args, goal, is_elsewhere, io);
    let options = analysis(session.tables(), session.event(), "", io);
    let mut play = GamesCommand {
        policy: MoreRounds::new(&session, &options),
        session,
        options,
        show: &|shown| show(args, shown, io),
        io,
        strict: args.event.strict,
    };
    let known = play.session.scheduler().attempts();
    let ending = play.play(&mut observers)?;
    if goal.is_some() && ending == RunEnding::Complete && play.session.scheduler().attempts() == known {
        io.tell("nothing new to play");
    }
    let results = play.finish(&mut observers)?;
    if let Some(Goal::Ratings(until, rounds_max)) = goal.filter(|_| results.progress().is_complete()) {
        io.tell(&until_outcome(until, &results, rounds_max));
    }
    let schedule = play.session.scheduler();
    let is_at_fault = |bot| schedule.withdrawal(bot).is_some_and(|it| it.cause != WithdrawalCause::Dropped);
    let trouble = (0..results.event().bots.len()).any(is_at_fault)
        || results.event().has_failed_bots()
        || schedule.over() == Some(Over::NoPairing);
    Ok(play.exit(ending, &results, trouble, Exit::Done))
}

/// What the tables have, as asked for. Fails if the analysis does not fit the bots that play.
fn checked_tables(args: &Args, playing: &[&FoundBot]) -> anyhow::Result<TableOptions> {
    let tables = TableOptions { title: args.title.clone(), ..args.rating.asked(args.event.no_times) };
    tables.analysis(&playing.iter().map(|bot| bot.launch.name.as_str()).collect::<Vec<_>>(), false)?;
    Ok(tables)
}

/// Adds the cure to the error for too few bots.
fn with_cure(error: SessionError, args: &Args) -> anyhow::Error {
    if !matches!(error, SessionError::TooFewBots { .. }) {
        return error.into();
    }
    let builtins = if args.roster.builtins { "" } else { ", --builtins adds the built-in bots" };
    let folder = args.event.bots.bots.display();
    anyhow!("{error}; `arena bots` lists what is in {folder}{builtins}, --bot NAME=PATH adds a bot from elsewhere")
}

fn announce(session: &Session, game: &Variant, args: &Args, goal: Option<Goal>, is_elsewhere: bool, io: &Io) {
    let event = session.event();
    let quiet = args.event.quiet;
    if !quiet {
        io.tell(&setup_line(session, &game.to_string(), goal));
        if !session.sitting_out().is_empty() {
            io.tell(&format!("bots for other games: {}", listed_bots(session.sitting_out())));
        }
    }
    if !quiet {
        hints(session, io);
    }
    let missing = session.scheduler().missing().count();
    let mut at_a_time = format!("{} at a time", session.capacity().games);
    if is_elsewhere {
        "as workers have slots".clone_into(&mut at_a_time);
    } else if session.capacity().live_bots < event.bots.len() {
        at_a_time = format!("{at_a_time}, each keeping {} bots alive", session.capacity().live_bots);
    }
    // Without those that withdrawn bots lost unplayed.
    let done = session.scheduler().played().filter(|(_, brief)| brief.bytes > 0).count();
    let known = session.scheduler().others();
    if missing == 0 && goal.is_none() && !session.scheduler().is_open() {
        let format = Format::named(&event.format).unwrap_or(Format::usual());
        let other = if format.keeps_field() { "begin another one with --name NAME" } else { "change a bot" };
        let more = format.more().map_or_else(String::new, |flag| format!("ask for more {flag}, or "));
        io.tell(&format!("nothing new to play: every game is in the journal; {more}{other}"));
    } else if !quiet && known > 0 && session.scheduler().awaits_known_games() {
        io.tell(&format!(
            "the journal has {}; those of these bots count; going on, {at_a_time}",
            counted(known, "game")
        ));
    } else if quiet || missing == 0 && !session.scheduler().is_open() {
    } else if done > 0 && (session.scheduler().is_stepwise() || goal.is_some() || args.budget.is_given()) {
        io.tell(&format!("{done} already played; going on, {at_a_time}"));
    } else if done > 0 {
        io.tell(&format!("{done} already played; playing the remaining {missing}, {at_a_time}"));
    } else {
        io.tell(&format!("playing {at_a_time}"));
    }
}

/// What is played, on one line.
pub(crate) fn setup_line(session: &Session, game: &str, goal: Option<Goal>) -> String {
    let (event, games) = (session.event(), session.scheduler().total() as usize);
    let due = if session.scheduler().is_stepwise() {
        format_text(event)
    } else if goal == Some(Goal::Time) {
        "as many rounds as there is time for".to_owned()
    } else if event.format == Format::usual().name {
        format!("{}, {}", counted(event.rounds as usize, "round"), counted(games, "game"))
    } else {
        format!("{}, {}", format_text(event), counted(games, "game"))
    };
    format!("{game}: {}, {due}, {}, seed {}", counted(event.bots.len(), "bot"), event.clock, event.seed)
}

/// What makes a ladder end early, or slots wait for the end of a round.
fn hints(session: &Session, io: &Io) {
    let (event, at_a_time) = (session.event(), session.capacity().games);
    let has_one_opening = event.openings.iter().all(|opening| *opening == event.openings[0]);
    if session.scheduler().prefers_likes() && has_one_opening && event.open_information() {
        io.tell(
            "all games begin alike, so bots without randomness repeat theirs and meet once; --opening-plies or --openings \
             give other games",
        );
    }
    let Some(format) = Format::named(&event.format) else { return };
    if let Some((what, games)) = event.bottleneck()
        && games < at_a_time
    {
        let (games, flag) = (counted(games, "game"), format.rounds.0.name);
        io.tell(&format!("{what} has {games}, so not all {at_a_time} at a time are played; more --{flag} fill them"));
    }
}

fn show(
    args: &Args,
    SessionResults { session, results, written, .. }: &SessionResults<'_, MoreRounds>,
    io: &Io,
) -> anyhow::Result<()> {
    let dir = session.dir();
    let mut footer = TextPage::default();
    if *written {
        footer.file("report: ", &dir.join(REPORT_FILE), &format!("  tables: *.csv  journal: {}", journal::FILE_NAME));
    }
    // What is printed may be cut off by its reader.
    args.watch.write_junit(results)?;
    show_tournament(results, &dir, args.json, footer, io)
}
