//! `arena coordinate`: a tournament whose games are played by workers on other machines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;

use super::nats_args::NatsArgs;
use super::{Exit, tell, tournament, warn};
use crate::clock::parse_duration;
use crate::cluster::coordinator::{Terms, try_out};
use crate::cluster::{Key, Store};
use crate::session::Workers;
use crate::text::shown;

/// Heading of the help.
const WORKERS: &str = "Workers";
/// Shortest silence after which a worker is given up.
const TIMEOUT_MIN: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    /// Go on with a tournament; refuse to begin one
    #[arg(long, conflicts_with = "fresh", help_heading = WORKERS)]
    resume: bool,
    /// Silence of a worker after which others get its games
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_timeout, help_heading = WORKERS)]
    worker_timeout: Duration,
    /// Sign the tournament with the key in this file, which is created if it is missing
    #[arg(long, value_name = "FILE", help_heading = WORKERS)]
    sign_key: Option<PathBuf>,
    #[command(flatten)]
    tournament: tournament::Args,
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).map_err(|error| error.to_string())?;
    if time >= TIMEOUT_MIN { Ok(time) } else { Err(format!("expected at least {}s", TIMEOUT_MIN.as_secs())) }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.resume && !args.tournament.has_begun() {
        let dir = args.tournament.dir();
        bail!(
            "there is no tournament to resume in {}; leave out --resume to begin it, or name another one with --name NAME",
            shown(&dir.to_string_lossy())
        );
    }
    if args.tournament.is_in_parts() {
        bail!("--shard and --plan are for `arena tournament`: workers share out all games among themselves");
    }
    let terms = Terms { access: args.nats.access(), worker_timeout: args.worker_timeout };
    // Before bots are checked, which takes a while.
    for warning in try_out(&terms)? {
        warn(&warning);
    }
    let key = args.sign_key.as_deref().map(Key::read_or_create).transpose()?;
    if let Some(key) = &key {
        tell(&format!(
            "signed by {}; workers that trust only this key: arena worker --trust {}",
            key.public(),
            key.public()
        ));
    }
    let workers =
        Workers { terms, bots: args.tournament.bot_settings()?, key: key.map(Arc::new), store: Store::of_user()? };
    tournament::play(&args.tournament, Some(workers))
}
