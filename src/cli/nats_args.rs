//! Flags for the connection to a broker, and for games that are played by workers behind it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{tell, warn};
use crate::clock::parse_duration;
use crate::cluster::broker::Access;
use crate::cluster::coordinator::{Terms, try_out};
use crate::cluster::{Key, Store};
use crate::roster;
use crate::session::Workers;

/// Headings of the help.
const BROKER: &str = "Broker";
const WORKERS: &str = "Workers";
/// Shortest silence after which a worker is given up.
const TIMEOUT_MIN: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub(super) struct NatsArgs {
    /// NATS server with `JetStream`: nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ if needed
    #[arg(long, value_name = "URL", value_parser = Access::new, help_heading = BROKER)]
    nats: Access,
    /// File of credentials (JWT and seed)
    #[arg(long, value_name = "FILE", conflicts_with = "nats_nkey", help_heading = BROKER)]
    nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", help_heading = BROKER)]
    nats_nkey: Option<PathBuf>,
    /// Certificate of the authority of the server
    #[arg(long, value_name = "FILE", help_heading = BROKER)]
    nats_ca: Option<PathBuf>,
    /// Certificate of this client
    #[arg(long, value_name = "FILE", requires = "nats_key", help_heading = BROKER)]
    nats_cert: Option<PathBuf>,
    /// Private key of that certificate
    #[arg(long, value_name = "FILE", requires = "nats_cert", help_heading = BROKER)]
    nats_key: Option<PathBuf>,
}

impl NatsArgs {
    /// How to reach the broker.
    pub(super) fn access(&self) -> Access {
        Access {
            credentials: self.nats_creds.clone(),
            nkey: self.nats_nkey.clone(),
            authority: self.nats_ca.clone(),
            certificate: self.nats_cert.clone().zip(self.nats_key.clone()),
            ..self.nats.clone()
        }
    }
}

/// Flags of the commands whose games are played by workers.
#[derive(Debug, clap::Args)]
pub(super) struct WorkersArgs {
    #[command(flatten)]
    nats: NatsArgs,
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
    /// Sign the event with the key in this file, which is created if it is missing
    #[arg(long, value_name = "FILE", requires = "nats", help_heading = WORKERS)]
    sign_key: Option<PathBuf>,
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).map_err(|error| error.to_string())?;
    if time >= TIMEOUT_MIN { Ok(time) } else { Err(format!("expected at least {}s", TIMEOUT_MIN.as_secs())) }
}

impl WorkersArgs {
    /// Workers that play bots with these settings.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no broker, it does not allow a coordinator what it needs, or the key cannot be read.
    pub(super) fn workers(&self, bots: roster::Settings) -> anyhow::Result<Workers> {
        let terms = Terms { access: self.nats.access(), worker_timeout: self.worker_timeout };
        // Before bots are checked, which takes a while.
        for warning in try_out(&terms)? {
            warn(&warning);
        }
        let key = self.sign_key.as_deref().map(Key::read_or_create).transpose()?;
        if let Some(key) = &key {
            let public = key.public();
            tell(&format!("signed by {public}; workers that trust only this key: arena worker --trust {public}"));
        }
        Ok(Workers { terms, bots, key: key.map(Arc::new), store: Store::of_user()? })
    }
}
