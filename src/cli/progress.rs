//! What a person sees while a tournament runs: a bar on a terminal, a plain line every few seconds elsewhere.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tell;
use crate::record::Record;

/// Time between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

pub(super) struct Progress {
    bar: ProgressBar,
    quiet: bool,
    done: u64,
    total: u64,
    faults: u64,
    /// What the command wants to be seen live.
    note: String,
    begun: Instant,
    last_line: Instant,
}

impl Progress {
    /// Progress of `total` games.
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
        } else {
            ProgressBar::new(total)
        };
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games  {per_sec}  {eta} left{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let begun = now();
        Self { bar, quiet, done: 0, total, faults: 0, note: String::new(), begun, last_line: begun }
    }

    pub(super) fn finished(&mut self, record: &Record) {
        self.done += 1;
        let faults = record.statuses.iter().filter(|status| status.is_fault()).count() as u64;
        self.faults += faults;
        if faults > 0 {
            self.show();
        }
        self.bar.inc(1);
        if self.last_line.elapsed() >= LINE_EVERY {
            self.line();
        }
    }

    /// Shows something else beside the progress.
    pub(super) fn note(&mut self, note: String) {
        self.note = note;
        self.show();
    }

    /// A line that must not be torn by the bar.
    pub(super) fn say(&self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    pub(super) fn end(&mut self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let faults = if self.faults > 0 { format!("  {} faults", self.faults) } else { String::new() };
        self.bar.set_message(format!("{faults}{}", self.note));
    }

    fn line(&mut self) {
        self.last_line = now();
        if self.quiet || !self.bar.is_hidden() {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds.max(0.001);
        let left = (self.total - self.done) as f64 / rate.max(0.001);
        tell(&format!(
            "{}/{} games, {rate:.1} a second, {left:.0} s left, {} faults{}",
            self.done, self.total, self.faults, self.note
        ));
    }
}

#[expect(clippy::disallowed_methods, reason = "progress is part of the shell")]
fn now() -> Instant {
    Instant::now()
}
