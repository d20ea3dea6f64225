//! Text in plots: how wide it is, and labels that leave room to each other. Fonts differ, so all widths are estimates.

use arena_core::text::{cut, wrap};
use console::measure_text_width;

use super::NAME_COLUMNS;

/// Width of a column of text at the size of labels.
const COLUMN: f64 = 6.9;

/// About the width of `text` in a plot.
pub(super) fn width(text: &str) -> f64 {
    measure_text_width(text) as f64 * COLUMN
}

/// A name that is not too long; the whole one is in the title of what it names.
pub(super) fn short(name: &str) -> String {
    cut(name, NAME_COLUMNS)
}

/// As much of a text as fits.
pub(super) fn fitting(text: &str, room: f64) -> String {
    cut(text, ((room / COLUMN) as usize).clamp(3, NAME_COLUMNS))
}

/// The width of the widest of these names, shortened.
pub(super) fn widest<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    names.map(|name| width(&short(name))).fold(0.0, f64::max)
}

/// The lines of a text that is broken at spaces to fit.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    wrap(text, (room / COLUMN) as usize, 0).lines().map(str::to_owned).collect()
}

/// Places for labels that want to be at `wanted`, at least `gap` apart, within the range if there is room for all.
pub(super) fn spread(wanted: &[f64], gap: f64, [top, bottom]: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut places = wanted.to_vec();
    let mut free = top;
    for index in &order {
        places[*index] = places[*index].max(free);
        free = places[*index] + gap;
    }
    let mut free = bottom;
    for index in order.iter().rev() {
        places[*index] = places[*index].min(free);
        free = places[*index] - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn labels_do_not_overlap_and_keep_their_order(wanted in prop::collection::vec(0.0..100.0_f64, 0..10)) {
            let places = spread(&wanted, 10.0, [0.0, 100.0]);
            for (a, b) in (0..wanted.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                prop_assert!((places[a] - places[b]).abs() >= 9.999, "{places:?}");
                let order = wanted[a].total_cmp(&wanted[b]);
                prop_assert!(order.is_eq() || places[a].total_cmp(&places[b]) == order);
            }
            prop_assert!(places.iter().all(|place| (-0.001..=100.001).contains(place)));
        }
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short(&"x".repeat(40)), format!("{}…", "x".repeat(31)));
        assert_eq!(wrapped("one two three", 60.0), ["one two", "three"]);
    }
}
