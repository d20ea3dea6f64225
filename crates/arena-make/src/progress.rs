//! Progress through positions: a bar on a terminal, a line elsewhere.

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// A bar of positions, of which some are done already.
pub(crate) fn progress(positions: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::new(positions as u64).with_position(done as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions  {per_sec}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.reset_eta();
    bar
}

/// What the bar shows, where there is no terminal.
pub(crate) fn progress_line(bar: &ProgressBar) -> String {
    let (done, all) = (bar.position(), bar.length().unwrap_or_default());
    format!("{done}/{all} positions, {:.0}/s, {} left", bar.per_sec(), HumanDuration(bar.eta()))
}
