//! Intervals on a common axis, as small SVG pictures. Those in tables are as wide as their column: places are percentages, so
//! that texts and dots keep their size.

use arena_core::stats::Estimate;
use arena_show::views::svg::{Scale, ScaleKind, at, range};
use maud::{Markup, html};

/// Space at both ends for arrows and labels, in percent.
const MARGIN: f64 = 8.0;
/// Most numbers of an axis, which is narrow on a phone.
const TICKS_MAX: usize = 4;

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
        Some(Self(scale([lo - widen, hi + widen], 100.0)))
    }

    /// The axis with its numbers, for the head of the column.
    pub(super) fn head(&self, anchor: f64) -> Markup {
        let ticks = self.0.ticks(TICKS_MAX);
        let first = ticks.first().copied().unwrap_or(anchor);
        let last = ticks.last().copied().unwrap_or(anchor);
        html! {
            svg class="bar" role="img" {
                title { "Elo from " (at(first)) " to " (at(last)) }
                @for tick in &ticks {
                    text x=(self.place(*tick)) y="12" text-anchor="middle" { (at(*tick)) }
                    line class="tick" x1=(self.place(*tick)) x2=(self.place(*tick)) y1="15" y2="20" {}
                }
            }
        }
    }

    /// An interval: a line with a dot, which is open where an arrow says that it is unbounded.
    pub(super) fn bar(&self, elo: &Estimate, anchor: f64, title: &str) -> Markup {
        let (has_lo, has_hi) = (elo.lo.is_finite(), elo.hi.is_finite());
        let lo = if has_lo { self.place(elo.lo) } else { "0".to_owned() };
        let hi = if has_hi { self.place(elo.hi) } else { "100%".to_owned() };
        let is_on_axis = elo.elo.is_finite() && self.0.contains(anchor);
        html! {
            svg class="bar" role="img" {
                title { (title) }
                @if is_on_axis { line class="zero" x1=(self.place(anchor)) x2=(self.place(anchor)) y1="0" y2="20" {} }
                line x1=(lo) x2=(hi) y1="10" y2="10" {}
                @if has_lo { (stroke(&lo)) } @else { path d="M6 5l-6 5 6 5" {} }
                // The style sheet moves it to the right end: a path has no percentages.
                @if has_hi { (stroke(&hi)) } @else { path class="right" d="M-6 5l6 5 -6 5" {} }
                @if elo.elo.is_finite() { circle class=[(!has_lo || !has_hi).then_some("open")] cx=(self.place(elo.elo)) cy="10" r="3" {} }
            }
        }
    }

    /// How far along the axis a value is.
    fn place(&self, value: f64) -> String {
        format!("{}%", at(self.0.at(value)))
    }
}

/// The end of an interval.
fn stroke(place: &str) -> Markup {
    html! { line x1=(place) x2=(place) y1="6" y2="14" {} }
}

/// Where a log-likelihood ratio is between the bounds of its test.
pub(super) fn llr_bar(llr: f64, [lower, upper]: [f64; 2]) -> Markup {
    let scale = scale([lower.min(llr), upper.max(llr)], 240.0);
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

/// A scale from end to end of a bar of this width.
fn scale(values: [f64; 2], width: f64) -> Scale {
    let margin = width * MARGIN / 100.0;
    Scale::new(ScaleKind::Linear, values, [margin, width - margin])
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
            let ticks = scale([lo, hi], 100.0).ticks(TICKS_MAX);
            assert!((1..=4).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|tick| (lo..=hi).contains(tick)), "{ticks:?}");
        }
        assert_eq!(scale([-120.0, 130.0], 100.0).ticks(TICKS_MAX), [-100.0, 0.0, 100.0]);
    }

    #[test]
    fn an_unbounded_end_is_an_arrow() {
        let open = estimate(50.0, -10.0, f64::INFINITY);
        let axis = Axis::of([open, estimate(-50.0, -90.0, 0.0)].into_iter()).unwrap();
        let bar = axis.bar(&open, 0.0, "x").into_string();
        assert!(
            bar.contains("x2=\"100%\"")
                && bar.contains("<path class=\"right\"")
                && !bar.contains("l-6 5 6 5")
                && !bar.contains("inf"),
            "{bar}"
        );
        assert!(bar.contains("circle class=\"open\""), "its rating is no known point: {bar}");
        assert!(!axis.bar(&estimate(-50.0, -90.0, 0.0), 0.0, "x").into_string().contains("open"));
        assert!(Axis::of(std::iter::empty()).is_none());
    }
}
