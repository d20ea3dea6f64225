//! Bots that are started by hand: the one of `arena check`, `ask` and `talk`, and those of `play`.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use arena_core::clock::{Charge, LIMIT_MAX, TimeControl};
use arena_core::rules::Variant;
use arena_play::player::process::Launch;
use arena_play::roster::{FoundBot, Roster};
use arena_run::session::{Scratch, closed_folders, fence_in, refused, try_out};
use arena_sys::flags::GAME;

use crate::cli::args::game::GameArg;
use crate::cli::args::guard::GuardArgs;
use crate::cli::args::shared::RESULTS_DEFAULT;
use crate::cli::{BotsArgs, ClockArgs, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct OneBotArgs {
    /// Name of a bot in the bots folder, or the path of one
    bot: String,
    #[command(flatten)]
    how: StartArgs,
}

/// How a bot is found and started by hand.
#[derive(Debug, clap::Args)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    bots: BotsArgs,
    #[command(flatten)]
    pub(crate) clock: ClockArgs,
    #[command(flatten)]
    guard: GuardArgs,
}

impl OneBotArgs {
    /// The bot.
    pub(crate) fn find(&self, io: &Io) -> anyhow::Result<FoundBot> {
        self.how.find(&self.bot, io)
    }
}

impl Deref for OneBotArgs {
    type Target = StartArgs;

    fn deref(&self) -> &StartArgs {
        &self.how
    }
}

impl StartArgs {
    /// The same flags of another command.
    pub(crate) fn new(bots: &BotsArgs, clock: &ClockArgs, guard: &GuardArgs) -> Self {
        Self { bots: bots.clone(), clock: clock.clone(), guard: guard.clone() }
    }

    /// The bot with this name or path.
    pub(crate) fn find(&self, bot: &str, io: &Io) -> anyhow::Result<FoundBot> {
        self.bots.find(bot, &self.guard.settings(io)?)
    }

    /// The game. Starts the program that is its rules, if they are one.
    pub(crate) fn load_game(&self, game: &GameArg, io: &Io) -> anyhow::Result<Variant> {
        game.load(&self.guard.settings(io)?, &[&self.bots.bots, Path::new(RESULTS_DEFAULT)], io)
    }

    /// All bots.
    pub(crate) fn roster(&self, io: &Io) -> anyhow::Result<Roster> {
        self.bots.roster(&self.guard.settings(io)?)
    }

    /// The folder of the bots.
    pub(crate) fn bots_folder(&self) -> &Path {
        &self.bots.bots
    }

    /// As [`prepare`], for these bots.
    pub(crate) fn prepare(&self, bots: Vec<&mut FoundBot>, charge: Charge, io: &Io) -> anyhow::Result<Scratch> {
        prepare(bots, charge, &[&self.bots.bots, Path::new(RESULTS_DEFAULT)], io)
    }
}

/// Puts bots into their sandboxes, makes the folder that they run in, and warns of what is open or closed. They cannot see
/// the `hidden` folders.
pub(crate) fn prepare(
    mut bots: Vec<&mut FoundBot>,
    charge: Charge,
    hidden: &[&Path],
    io: &Io,
) -> anyhow::Result<Scratch> {
    let scratch = Scratch::create()?;
    fence_in(bots.iter_mut().map(|bot| &mut **bot), charge, hidden);
    let bots: Vec<&FoundBot> = bots.into_iter().map(|bot| &*bot).collect();
    let weak = try_out(&bots, &scratch)?;
    for warning in [refused(bots.iter().copied()), closed_folders(&bots), weak].concat() {
        io.warn(&warning);
    }
    Ok(scratch)
}

/// How a bot is started; if `patient`, with all the time it needs.
pub(crate) fn launch(scratch: &Scratch, found: &FoundBot, patient: bool) -> Arc<Launch> {
    let mut launch = scratch.launch(found);
    if patient {
        launch.startup = LIMIT_MAX;
    }
    Arc::new(launch)
}

/// Fails if the protocol of a bot does not let it play one of these games.
pub(crate) fn refuse_unplayable(found: &FoundBot, games: &[Variant]) -> anyhow::Result<()> {
    for game in games {
        if let Some(why) = found.cannot_play(game) {
            bail!("{} does not play {game}: {why}; name a game with {GAME}", found.launch.name);
        }
    }
    Ok(())
}

/// A time control without limits, for bots in a debugger.
pub(crate) fn patient(clock: TimeControl) -> TimeControl {
    TimeControl { charge: clock.charge, ..TimeControl::per_move(LIMIT_MAX) }
}
