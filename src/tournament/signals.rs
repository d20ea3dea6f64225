//! The signals that stop a run.

use anyhow::Context;

/// SIGINT, SIGTERM and SIGHUP all mean stop, except a SIGHUP that this process was started to ignore, as by `nohup`. By
/// default none is handled, and they end the process as usual.
#[derive(Debug, Default)]
pub struct Signals(Vec<tokio::signal::unix::Signal>);

impl Signals {
    /// Handles them from now on, so they no longer end the process. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses.
    pub fn listen() -> anyhow::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        if !is_hangup_ignored() {
            kinds.push(SignalKind::hangup());
        }
        Ok(Self(kinds.into_iter().map(signal).collect::<Result<_, _>>().context("listening for signals")?))
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if came { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
}

/// Whether this process ignores SIGHUP; false where the system does not report it.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // One bit for each signal, starting with SIGHUP.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
