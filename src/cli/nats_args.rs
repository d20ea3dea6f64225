//! Flags for the connection to a broker.

use std::path::PathBuf;

use crate::cluster::broker::Access;

/// Heading of the help.
const BROKER: &str = "Broker";

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
