//! Intervals on a common axis, as small SVG pictures.

use arena_core::stats::Estimate;
use arena_show::views::svg::{Scale, ScaleKind, at, range, whisker};
use maud::{Markup, html};

/// Width of the drawing in its own units.
const WIDTH: f64 = 240.0;
/// Space at both ends, for arrows and labels.
const MARGIN: f64 = 14.0;
/// Most ticks of an axis.
const TICKS_MAX: usize = 6;

/// An axis of Elo for all bars of a table.
#[derive(Debug)]
pub(super) struct Axis(Scale);

impl Axis {
    /// An axis that has every finite end of the intervals; `None` without any.
    pub(super) fn of(all: impl Iterator<Item = Estimate>) -> Option<Self> {
        let ends = all.flat_map(|of| [of.lo, of.elo, of.hi]).filter(|end| end.is_finite());
        let [lo, hi] = range(ends)?;
        // Equal bots without errors would have no width.
        let widen = if hi - lo < 1.0 { 1.0 } else { 0.0 };
        Some(Self(scale([lo - widen, hi + widen])))
    }

    /// The axis with its numbers, for the head of the column.
    pub(super) fn head(&self, anchor: f64) -> Markup {
        let ticks = self.0.ticks(TICKS_MAX);
        let first = ticks.first().copied().unwrap_or(anchor);
        let last = ticks.last().copied().unwrap_or(anchor);
        html! {
            svg class="bar" viewBox="0 0 240 20" role="img" {
                title { "Elo from " (at(first)) " to " (at(last)) }
                @for tick in &ticks {
                    text x=(at(self.0.at(*tick))) y="12" text-anchor="middle" { (at(*tick)) }
                    path class="tick" d={ "M" (at(self.0.at(*tick))) " 15v5" } {}
                }
            }
        }
    }

    /// An interval: a line with a dot, which is open where an arrow says that it is unbounded.
    pub(super) fn bar(&self, elo: &Estimate, anchor: f64, title: &str) -> Markup {
        let end = |end: f64, open: f64| (if end.is_finite() { self.0.at(end) } else { open }, end.is_finite());
        let path = whisker([end(elo.lo, 3.0), end(elo.hi, WIDTH - 3.0)], 10.0, 0.0);
        let is_on_axis = elo.elo.is_finite() && self.0.contains(anchor);
        html! {
            svg class="bar" viewBox="0 0 240 20" role="img" {
                title { (title) }
                @if is_on_axis { path class="zero" d={ "M" (at(self.0.at(anchor))) " 0v20" } {} }
                path class="line" d=(path) {}
                @let is_open = elo.lo.is_infinite() || elo.hi.is_infinite();
                @if elo.elo.is_finite() { circle class=[is_open.then_some("open")] cx=(at(self.0.at(elo.elo))) cy="10" r="4" {} }
            }
        }
    }
}

/// Where a log-likelihood ratio is between the bounds of its test.
pub(super) fn llr_bar(llr: f64, [lower, upper]: [f64; 2]) -> Markup {
    let scale = scale([lower.min(llr), upper.max(llr)]);
    let [low, high, now] = [lower, upper, llr].map(|value| at(scale.at(value)));
    html! {
        svg class="bar llr" viewBox="0 0 240 34" role="img" {
            title { "LLR " (format!("{llr:.2}")) " between " (format!("{lower:.2}")) " and " (format!("{upper:.2}")) }
            path class="line" d={ "M" (low) " 10H" (high) "M" (low) " 5v10M" (high) " 5v10" } {}
            circle cx=(now) cy="10" r="5" {}
            text x=(low) y="31" text-anchor="start" { (format!("{lower:.2} H0")) }
            text x=(high) y="31" text-anchor="end" { (format!("H1 {upper:.2}")) }
        }
    }
}

/// A scale from end to end of a bar.
fn scale(values: [f64; 2]) -> Scale {
    Scale::new(ScaleKind::Linear, values, [MARGIN, WIDTH - MARGIN])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(elo: f64, lo: f64, hi: f64) -> Estimate {
        Estimate { elo, lo, hi }
    }

    #[test]
    fn ticks_are_round_and_few() {
        for (lo, hi) in [(-1.0, 1.0), (-812.0, 433.0), (0.0, 0.7), (1.0, 30_000.0)] {
            let ticks = scale([lo, hi]).ticks(TICKS_MAX);
            assert!((2..=6).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|tick| (lo..=hi).contains(tick)), "{ticks:?}");
        }
        assert_eq!(scale([-120.0, 130.0]).ticks(TICKS_MAX), [-100.0, -50.0, 0.0, 50.0, 100.0]);
    }

    #[test]
    fn an_unbounded_end_is_an_arrow() {
        let open = estimate(50.0, -10.0, f64::INFINITY);
        let axis = Axis::of([open, estimate(-50.0, -90.0, 0.0)].into_iter()).unwrap();
        let bar = axis.bar(&open, 0.0, "x").into_string();
        assert!(bar.contains("l6 5 -6 5") && !bar.contains("l-6 5 6 5") && !bar.contains("inf"), "{bar}");
        assert!(bar.contains("circle class=\"open\""), "its rating is no known point: {bar}");
        assert!(!axis.bar(&estimate(-50.0, -90.0, 0.0), 0.0, "x").into_string().contains("open"));
        assert!(Axis::of(std::iter::empty()).is_none());
    }
}
