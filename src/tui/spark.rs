//! A number for each ply in one line.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme;

const LEVELS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// A line of bars from 0 to 1, one for each ply; `None` where there is no number. The ply at `now` is marked. If there are more
/// plies than columns, a bar is the highest of several.
pub(super) fn line(values: &[Option<f64>], now: Option<usize>, width: usize) -> Line<'static> {
    let per_bar = values.len().div_ceil(width.max(1)).max(1);
    let bars = values.chunks(per_bar).take(width).enumerate().map(|(place, chunk)| {
        let highest = chunk.iter().copied().flatten().reduce(f64::max);
        let is_now = now.is_some_and(|now| now / per_bar == place);
        let style = if is_now { theme::CURSOR } else { Style::new() };
        match highest {
            Some(value) => Span::styled(level(value), style),
            None => Span::styled(if is_now { " " } else { "·" }, if is_now { style } else { theme::DIM }),
        }
    });
    bars.collect()
}

/// A bar from 0 to 1.
pub(super) fn level(value: f64) -> &'static str {
    let level = (value.clamp(0.0, 1.0) * LEVELS.len() as f64) as usize;
    LEVELS[level.min(LEVELS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[Option<f64>], width: usize, expected: &str) {
        assert_eq!(line(values, Some(0), width).to_string(), expected);
    }

    #[test]
    fn a_bar_is_as_high_as_its_number() {
        check(&[Some(0.0), Some(0.5), Some(1.0), None, Some(9.0), Some(-9.0), Some(f64::NAN)], 9, "▁▅█·█▁▁");
        check(&[Some(0.0), Some(1.0), None, None, Some(0.5)], 3, "█·▅");
        check(&[], 3, "");
        check(&[Some(1.0)], 0, "");
    }
}
