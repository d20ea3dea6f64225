//! What holds for every plot.

use proptest::prelude::*;

use super::*;
use crate::views::Cell;

/// Attributes that are words or colours of our own; all others are numbers.
const WORDS: [&str; 7] = ["class", "role", "text-anchor", "xmlns", "transform", "d", "viewBox"];

/// Reads a file strictly, as XML: its elements are closed in order, its text is escaped, its numbers are finite.
#[track_caller]
fn check(file: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = file.trim_end();
    while !rest.is_empty() {
        let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
        check_text(text);
        let Some((tag, after)) = after.split_once('>') else {
            assert_eq!(after, "", "a tag that does not end");
            break;
        };
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            assert!(!open.is_empty() || rest.is_empty(), "one element holds all");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(["svg", "title", "desc", "style", "rect", "text", "g", "path", "circle"].contains(&name), "<{name}>");
        assert!(!open.is_empty() || name == "svg");
        open.push(name);
        let mut attributes = attributes;
        while !attributes.is_empty() {
            let (name, after) = attributes.split_once("=\"").expect("a quoted value");
            let (value, after) = after.split_once('"').expect("its end");
            check_attribute(name, value);
            attributes = after.trim_start();
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[track_caller]
fn check_text(text: &str) {
    let is_forbidden = |c: char| c == '>' || c.is_control() && c != '\n' || "\u{fffe}\u{ffff}".contains(c);
    assert!(!text.contains(is_forbidden), "{text:?}");
    for entity in text.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| entity.starts_with(known)), "&{entity}");
    }
}

#[track_caller]
fn check_attribute(name: &str, value: &str) {
    let is_geometry = !WORDS.contains(&name);
    let mut numbers = 0;
    if is_geometry || ["d", "viewBox"].contains(&name) {
        let parts = value.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter(|part| !part.is_empty());
        for part in parts {
            let number: f64 = part.parse().unwrap_or_else(|_| panic!("{name}={value:?}"));
            assert!(number.abs() < 1e6, "{name}={value:?}");
            assert!(part.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 2), "{part}");
            numbers += 1;
        }
        assert!(!value.contains("inf") && !value.contains("NaN"), "{name}={value:?}");
    }
    assert!(!is_geometry || numbers == 1, "{name}={value:?}");
    assert!(name != "d" || value.is_empty() || value.starts_with('M'), "{value}");
}

fn name() -> impl Strategy<Value = String> {
    let hostile = [
        "</title><script>x</script>",
        "\"><svg onload=x",
        "]]>",
        "&amp;",
        "<!--",
        "囲碁",
        "a b",
        "",
        "x\u{7}",
        "x\u{fffe}",
    ];
    prop_oneof![any::<String>(), prop::sample::select(hostile.to_vec()).prop_map(str::to_owned)]
        .prop_map(|name| crate::text::shown(&name))
}

fn value() -> impl Strategy<Value = f64> {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN, f64::MIN_POSITIVE];
    prop_oneof![4 => -1e4..1e4_f64, 1 => prop::sample::select(special.to_vec())]
}

fn three() -> impl Strategy<Value = Option<[f64; 3]>> {
    prop::option::of([value(), value(), value()])
}

#[track_caller]
fn check_plot(plot: &Plot) {
    let file = plot.file();
    check(&file);
    assert_eq!(file, plot.file(), "the same bytes twice");
    check(&plot.in_page().into_string());
    assert!(!file.contains("style=") && !file.contains("textLength"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn intervals_are_drawn_whatever_they_are(
        groups in prop::collection::vec((name(), prop::collection::vec((name(), three()), 0..5)), 0..3),
        anchor in value(),
    ) {
        let row = |(name, value): (String, Option<[f64; 3]>)| Interval { rank: "1–2".to_owned(), text: name.clone(), name, value };
        let groups = groups.into_iter().map(|(name, rows)| (name, rows.into_iter().map(row).collect())).collect();
        check_plot(&Intervals { title: "<t>", description: "&d", unit: "Elo", groups, anchor: (anchor, "<a>") }.plot());
    }

    #[test]
    fn lines_are_drawn_whatever_they_are(
        series in prop::collection::vec((name(), prop::collection::vec(three(), 3)), 0..14),
        places in prop::collection::vec(value(), 3),
        limit in prop::option::of((value(), name())),
        x_from in prop::option::of(value()),
        is_log in any::<bool>(),
    ) {
        let series = series.into_iter().map(|(name, points)| Series { name, points }).collect();
        let kind = if is_log { ScaleKind::Log } else { ScaleKind::Linear };
        let x = (places, "x");
        check_plot(&LinesPlot { title: "t", description: "d", x, x_from, y: (kind, "y"), limit, series }.plot());
    }

    #[test]
    fn spans_are_drawn_whatever_they_are(
        rows in prop::collection::vec((name(), prop::option::of(any::<[u64; 4]>())), 0..8),
        limit in prop::option::of((any::<u64>(), name())),
    ) {
        let rows = rows.into_iter().map(|(name, times)| Span { name, times, stopped: times.map(|times| times[3]) }).collect();
        check_plot(&Spans { title: "t", description: "d", rows, limit }.plot());
    }

    #[test]
    fn matrices_are_drawn_whatever_they_are(names in prop::collection::vec(name(), 0..25), share in value()) {
        let cells = [Cell::Share(share), Cell::Same, Cell::Unplayed, Cell::Apart, Cell::Share(0.999)];
        let cells = (0..names.len()).map(|row| (0..names.len()).map(|col| cells[(row + 2 * col) % 5]).collect()).collect();
        check_plot(&MatrixPlot { title: "t", description: "d", names, cells }.plot());
    }
}

#[test]
fn a_coordinate_is_short_and_finite() {
    assert_eq!([0.0, -0.001, 1.5, 2.0, 0.126, -3.0, 100.0].map(at), ["0", "0", "1.5", "2", "0.13", "-3", "100"]);
    assert_eq!([f64::NAN, f64::INFINITY].map(at), ["0", "0"]);
}
