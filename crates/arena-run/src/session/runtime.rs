//! The async runtime, which waits for several things at once, and the signals that stop it. Games run on their own threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use arena_play::executor::KILL_AGAIN;

use crate::tournament::Signals;

/// Interval of calls to `waiting`.
const WAITING_EVERY: Duration = Duration::from_secs(5);

/// A tokio runtime that listens for signals.
#[derive(Debug)]
pub struct Runtime {
    /// The runtime.
    pub tokio: tokio::runtime::Runtime,
    /// Signals received since its start.
    pub signals: Signals,
}

impl Runtime {
    /// Starts it. From then on signals do not end the process.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started or signals cannot be received.
    pub fn start() -> anyhow::Result<Self> {
        // The runtime would panic if no thread can be started.
        let thread = std::thread::Builder::new().spawn(|| {}).context("starting a thread")?;
        let _ = thread.join();
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let tokio = builder.worker_threads(1).enable_all().build().context("starting the runtime")?;
        let signals = {
            let _context = tokio.enter();
            Signals::listen()?
        };
        Ok(Self { tokio, signals })
    }

    /// Does `work`, which talks to bots, and calls `waiting` every few seconds until it is done. At a signal, sets `stop`,
    /// kills all bots and returns `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn unless_stopped<T: Send>(
        &mut self,
        stop: &AtomicBool,
        work: impl FnOnce() -> T + Send,
        mut waiting: impl FnMut(),
    ) -> anyhow::Result<Option<T>> {
        let (done, mut result) = tokio::sync::oneshot::channel();
        std::thread::scope(|scope| {
            // The receiver is gone if a signal came.
            let thread = std::thread::Builder::new().spawn_scoped(scope, move || done.send(work()).is_ok());
            thread.context("starting a thread")?;
            self.tokio.block_on(async {
                while !stop.load(Ordering::Relaxed) {
                    tokio::select! {
                        biased;
                        result = &mut result => return Ok(result.ok()),
                        () = self.signals.next() => stop.store(true, Ordering::Relaxed),
                        () = tokio::time::sleep(WAITING_EVERY) => waiting(),
                    }
                }
                loop {
                    // A bot that is just being started is not listed yet, so killing once is not enough.
                    arena_guard::end_all();
                    tokio::select! {
                        _ = &mut result => return Ok(None),
                        () = tokio::time::sleep(KILL_AGAIN) => {}
                    }
                }
            })
        })
    }
}
