//! `arena worker`: plays games for coordinators.

use std::time::Duration;

use arena_cluster::cluster::{PublicKey, Store};
use arena_cluster::worker::{WorkerEnd, WorkerSettings, run as work};
use arena_core::clock::parse_duration;
use arena_run::session::Runtime;

use crate::cli::args::nats::NatsArgs;
use crate::cli::args::shared::one_of;
use crate::cli::{Exit, Io, whole};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    /// Games at a time [default: the number of processors]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u16::MAX))]
    slots: Option<u16>,
    /// Pin each game to one processor, or not
    #[arg(
        long,
        value_name = "core|off",
        hide_possible_values = true,
        default_value = "core",
        action = clap::ArgAction::Set,
        value_parser = one_of([("core", true), ("off", false)])
    )]
    pin: bool,
    /// Play only tournaments signed with this key, or one of several
    #[arg(long, value_name = "KEY")]
    trust: Vec<PublicKey>,
    /// Leave after this time without games
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    idle: Option<Duration>,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let settings = WorkerSettings {
        access: args.nats.access(),
        slots: args.slots.map_or(cpus, usize::from),
        pin: args.pin,
        trusted: args.trust.clone(),
        idle: args.idle,
        store: Store::of_user()?,
    };
    let mut runtime = Runtime::start()?;
    match work(settings, &mut runtime, &mut |text| io.tell(text))? {
        WorkerEnd::Idle | WorkerEnd::Stopped => Ok(Exit::Done),
        WorkerEnd::Killed => Ok(Exit::Killed),
    }
}
