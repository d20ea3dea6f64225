//! The signals that stop a run.

use std::time::{Duration, Instant};

use anyhow::Context;
use arena_sys::time::now;

/// Signals within this time after the first are the same request: `timeout` sends each of its signals to the program and
/// then to its whole process group, and Ctrl-C in a terminal reaches both it and the program.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// SIGINT, SIGTERM and SIGHUP all mean stop, except a SIGHUP that this process was started to ignore, as by `nohup`. By
/// default none is handled, and they end the process as usual.
#[derive(Debug, Default)]
pub struct Signals {
    kinds: Vec<tokio::signal::unix::Signal>,
    /// When the first signal of the latest request came.
    latest: Option<Instant>,
}

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
        let kinds = kinds.into_iter().map(signal).collect::<Result<_, _>>().context("listening for signals")?;
        Ok(Self { kinds, latest: None })
    }

    /// Waits for the next request to stop. Signals that come with the one before belong to it.
    pub async fn next(&mut self) {
        loop {
            std::future::poll_fn(|context| {
                // Each one that came is taken, so that none of this request is left for the next one.
                let came =
                    self.kinds.iter_mut().filter_map(|signal| signal.poll_recv(context).is_ready().then_some(()));
                if came.count() > 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            })
            .await;
            if is_new(&mut self.latest, now()) {
                return;
            }
        }
    }
}

/// Whether a signal that comes now is a request of its own, and not part of the `latest` one.
fn is_new(latest: &mut Option<Instant>, now: Instant) -> bool {
    let is_new = latest.is_none_or(|latest| now.saturating_duration_since(latest) >= SAME_REQUEST);
    if is_new {
        *latest = Some(now);
    }
    is_new
}

/// Whether this process ignores SIGHUP; false where the system does not report it.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // One bit for each signal, starting with SIGHUP.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_come_together_are_one_request() {
        let begin = now();
        let mut latest = None;
        let came = [0, 0, 1, 499, 500, 501, 999, 1000].map(|ms| is_new(&mut latest, begin + Duration::from_millis(ms)));
        assert_eq!(came, [true, false, false, false, true, false, false, true]);
    }
}
