//! Flags for the connection to a broker, and for games that are played by workers behind it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arena_cluster::cluster::broker::Access;
use arena_cluster::cluster::coordinator::{WorkerTerms, try_out};
use arena_cluster::cluster::{NatsWorkers, SecretKey, Store};
use arena_core::clock::parse_duration;
use arena_play::roster;
use arena_run::session::SessionWorkers;

use crate::cli::Io;

/// Headings of the help.
const BROKER: &str = "Broker";
pub(crate) const WORKERS: &str = "Workers";
/// Shortest silence after which a worker is given up.
const TIMEOUT_MIN: Duration = Duration::from_secs(1);

/// A broker.
#[derive(Debug, clap::Args)]
pub(crate) struct NatsArgs {
    /// NATS server with `JetStream`: nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ if needed
    #[arg(long, value_name = "URL", value_parser = Access::new, help_heading = BROKER)]
    nats: Access,
    #[command(flatten)]
    login: LoginArgs,
}

/// Who we are to the broker, and who it is to us.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "flags are called after their fields")]
struct LoginArgs {
    /// File of credentials (JWT and seed)
    #[arg(long, value_name = "FILE", requires = "nats", conflicts_with = "nats_nkey", help_heading = BROKER)]
    nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "nats", help_heading = BROKER)]
    nats_nkey: Option<PathBuf>,
    /// Certificate of the authority of the server
    #[arg(long, value_name = "FILE", requires = "nats", help_heading = BROKER)]
    nats_ca: Option<PathBuf>,
    /// Certificate of this client
    #[arg(long, value_name = "FILE", requires = "nats_key", help_heading = BROKER)]
    nats_cert: Option<PathBuf>,
    /// Private key of that certificate
    #[arg(long, value_name = "FILE", requires_all = ["nats", "nats_cert"], help_heading = BROKER)]
    nats_key: Option<PathBuf>,
}

/// How workers are dealt with.
#[derive(Debug, clap::Args)]
struct TermsArgs {
    /// Silence of a worker after which others get its games
    #[arg(
        long,
        value_name = "TIME",
        default_value = "30s",
        value_parser = parse_timeout,
        requires = "nats",
        help_heading = WORKERS
    )]
    worker_timeout: Duration,
}

/// Workers that play all games.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkersArgs {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    terms: TermsArgs,
}

/// Workers that play all games, if there are any.
#[derive(Debug, clap::Args)]
pub(crate) struct AnyWorkersArgs {
    /// Have workers play the games, behind this NATS server with `JetStream`
    #[arg(long, value_name = "URL", value_parser = Access::new, help_heading = BROKER)]
    nats: Option<Access>,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    terms: TermsArgs,
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).map_err(|error| error.to_string())?;
    if time >= TIMEOUT_MIN { Ok(time) } else { Err(format!("expected at least {}s", TIMEOUT_MIN.as_secs())) }
}

impl NatsArgs {
    /// How to reach the broker.
    pub(crate) fn access(&self) -> Access {
        self.login.access(&self.nats)
    }
}

impl LoginArgs {
    fn access(&self, broker: &Access) -> Access {
        Access {
            credentials: self.nats_creds.clone(),
            nkey: self.nats_nkey.clone(),
            authority: self.nats_ca.clone(),
            certificate: self.nats_cert.clone().zip(self.nats_key.clone()),
            ..broker.clone()
        }
    }
}

impl WorkersArgs {
    /// Workers that play bots with these settings, and get an event that this key signs.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no broker, it does not allow a coordinator what it needs, or the key cannot be read.
    pub(crate) fn workers(
        &self,
        bots: roster::RosterSettings,
        key: Option<Arc<SecretKey>>,
        io: &Io,
    ) -> anyhow::Result<Arc<dyn SessionWorkers>> {
        self.terms.workers(self.nats.access(), bots, key, io)
    }
}

impl AnyWorkersArgs {
    /// As [`WorkersArgs::workers`]; `None` without a broker.
    pub(crate) fn workers(
        &self,
        bots: roster::RosterSettings,
        key: Option<Arc<SecretKey>>,
        io: &Io,
    ) -> anyhow::Result<Option<Arc<dyn SessionWorkers>>> {
        self.nats.as_ref().map(|broker| self.terms.workers(self.login.access(broker), bots, key, io)).transpose()
    }
}

impl TermsArgs {
    fn workers(
        &self,
        access: Access,
        bots: roster::RosterSettings,
        key: Option<Arc<SecretKey>>,
        io: &Io,
    ) -> anyhow::Result<Arc<dyn SessionWorkers>> {
        let terms = WorkerTerms { access, worker_timeout: self.worker_timeout };
        // Before bots are checked, which takes a while.
        for warning in try_out(&terms)? {
            io.warn(&warning);
        }
        if let Some(key) = &key {
            let public = key.public();
            io.tell(&format!("signed by {public}; workers that trust only this key: arena worker --trust {public}"));
        }
        Ok(Arc::new(NatsWorkers { terms, bots, key, store: Store::of_user()? }))
    }
}
