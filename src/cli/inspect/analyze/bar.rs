//! Progress of an analysis: a bar on a terminal, a plain line every few seconds elsewhere.

use std::time::{Duration, Instant};

use arena_sys::time::now;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Io;

/// Time between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

pub(super) struct Bar<'a> {
    io: &'a Io,
    drawn: ProgressBar,
    unsolved: usize,
    nodes: u64,
    last_line: Instant,
}

impl<'a> Bar<'a> {
    /// A bar for this number of games.
    pub(super) fn new(games: usize, io: &'a Io) -> Self {
        let bar = ProgressBar::with_draw_target(Some(games as u64), io.draw_target());
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { io, drawn: bar, unsolved: 0, nodes: 0, last_line: now() }
    }

    /// A game is done. `unsolved` are its unsolved positions; `nodes` have been searched by now, in all games.
    pub(super) fn done(&mut self, unsolved: usize, nodes: u64) {
        self.unsolved += unsolved;
        self.nodes = nodes;
        let seconds = self.drawn.elapsed().as_secs_f64();
        self.drawn.set_message(self.figures(seconds));
        self.drawn.inc(1);
        if self.drawn.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = now();
            self.io.tell(&self.text(seconds));
        }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.drawn.finish_and_clear();
    }

    fn figures(&self, seconds: f64) -> String {
        let rate = self.nodes as f64 / seconds.max(0.001) / 1e6;
        format!("{rate:.1} M positions/s  {} unsolved", self.unsolved)
    }

    /// The plain line after this many seconds.
    fn text(&self, seconds: f64) -> String {
        let (done, games) = (self.drawn.position(), self.drawn.length().unwrap_or_default());
        let left = games.saturating_sub(done) as f64 * seconds / done.max(1) as f64;
        format!("{done}/{games} games, {}, {left:.0} s left", self.figures(seconds).replace("  ", ", "))
    }
}

#[cfg(test)]
mod tests {
    use arena_guard::GuardProgram;

    use super::*;

    #[test]
    fn a_line_has_what_the_bar_has() {
        let io = Io::captured(["arena"], GuardProgram::default());
        let mut bar = Bar::new(8, &io);
        bar.done(3, 1_000_000);
        bar.done(0, 5_000_000);
        assert_eq!(bar.text(2.0), "2/8 games, 2.5 M positions/s, 3 unsolved, 6 s left");
        bar.end();
    }
}
