//! Where the broker is, and who we are there.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, anyhow};
use arena_core::text::{escaped, shown};
use arena_sys::entropy::unpredictable;
use arena_sys::flags::{NATS, NATS_CA, NATS_CREDS, NATS_NKEY};
use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};

/// Maximum time to connect.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Pauses between attempts to connect again: they grow, and differ between machines, so that these do not come back all at
/// once.
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(4);

/// How to reach a broker.
#[derive(Debug, Clone)]
pub struct Access {
    /// Where it is.
    pub server: ServerAddr,
    /// A file of credentials, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// The certificate of the authority that has signed the server's.
    pub authority: Option<PathBuf>,
    /// The client's certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// A text that is no address of a server, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an address of a server ({}); use nats://HOST:PORT or tls://HOST:PORT", escaped(.0))]
pub struct AddressError(String);

impl Access {
    /// A server that is known by its address alone: `nats://HOST:PORT`, `tls://…`, with `USER:PASSWORD@` if needed.
    ///
    /// # Errors
    ///
    /// Returns [`AddressError`] if this is no address.
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let server = url.parse::<ServerAddr>().map_err(|error| AddressError(error.to_string()))?;
        Ok(Self { server, credentials: None, nkey: None, authority: None, certificate: None })
    }

    pub(super) fn url(&self) -> ServerAddr {
        self.server.clone()
    }

    /// The address without user and password.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", shown(self.server.host()), self.server.port())
    }

    /// Whether it is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.server.host().trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    pub(super) async fn options(&self) -> anyhow::Result<ConnectOptions> {
        let mut options = ConnectOptions::new()
            .connection_timeout(CONNECT_MAX)
            .request_timeout(Some(super::REQUEST_MAX))
            .reconnect_delay_callback(|attempts| pause(attempts, unpredictable()));
        // The client does not take them from the address by itself.
        if let Some(user) = self.server.username() {
            let password = self.server.password().unwrap_or_default();
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        if let Some(file) = &self.authority {
            // It would only be found missing while connecting, without its name.
            std::fs::metadata(file).with_context(|| format!("reading {NATS_CA} {}", file.display()))?;
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        if let Some(file) = &self.credentials {
            let reading = || format!("reading {NATS_CREDS} {}", file.display());
            options = options.credentials_file(file).await.with_context(reading)?;
        }
        if let Some(file) = &self.nkey {
            let seed =
                std::fs::read_to_string(file).with_context(|| format!("reading {NATS_NKEY} {}", file.display()))?;
            options = options.nkey(seed.trim().to_owned());
        }
        Ok(options)
    }

    /// What went wrong, and the cure.
    pub(super) fn explain(&self, error: &ConnectError) -> anyhow::Error {
        let place = self.place();
        let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
        let cause = escaped(&cause);
        // A certificate that is not accepted is reported as an error of the connection.
        let kind = if is_of_tls(error) { ConnectErrorKind::Tls } else { error.kind() };
        match kind {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => anyhow!(
                "the server at {place} refuses this user ({cause}); give credentials with {NATS_CREDS} FILE, {NATS_NKEY} \
                 FILE, or in the URL: nats://USER:PASSWORD@HOST:PORT"
            ),
            ConnectErrorKind::Tls => anyhow!(
                "no encrypted connection to {place} ({cause}); {NATS_CA} FILE names the certificate of its authority, and \
                 the host must be the one in the server's certificate"
            ),
            ConnectErrorKind::Dns => anyhow!("there is no host {place} ({cause}); name the server with {NATS} URL"),
            _ => anyhow!(
                "no NATS server answers at {place} ({cause}); start one with `nats-server -js`, or name it with {NATS} URL"
            ),
        }
    }
}

/// Whether an error of a connection is one of its encryption.
fn is_of_tls(error: &ConnectError) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    cause.and_then(|cause| cause.get_ref()?.downcast_ref::<async_nats::rustls::Error>()).is_some()
}

/// The pause before an attempt to connect again.
fn pause(attempts: usize, random: u64) -> Duration {
    let longest = PAUSE_MIN.saturating_mul(1 << attempts.min(10)).min(PAUSE_MAX);
    longest.mul_f64(0.5 + (random % 1_000) as f64 / 2_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let access = Access::new("nats://me:secret@127.0.0.1:4333").unwrap();
        assert_eq!((access.place().as_str(), access.is_loopback()), ("127.0.0.1:4333", true));
        for (url, is_loopback) in [("nats://localhost", true), ("tls://[::1]:4222", true), ("10.0.0.1", false)] {
            assert_eq!(Access::new(url).unwrap().is_loopback(), is_loopback, "{url}");
        }
        assert!(Access::new("http://x").unwrap_err().to_string().contains("use nats://HOST:PORT"));
    }

    #[test]
    fn pauses_grow_up_to_a_limit_and_differ() {
        assert_eq!(pause(0, 0), Duration::from_millis(50));
        assert_eq!(pause(0, 999).as_millis(), 99);
        assert_eq!((pause(1_000, 0), pause(1_000, 999) < PAUSE_MAX), (PAUSE_MAX / 2, true));
    }
}
