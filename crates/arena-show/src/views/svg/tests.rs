//! What holds for every plot.

use proptest::prelude::*;

use super::*;
use crate::views::{Bracket, Cell, Matrix};

/// Attributes that are words or colours of our own; all others are numbers.
const WORDS: [&str; 9] = ["class", "role", "text-anchor", "xmlns", "transform", "d", "viewBox", "href", "aria-label"];

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
        assert!(
            ["svg", "title", "desc", "style", "rect", "text", "g", "path", "circle", "a", "div"].contains(&name),
            "<{name}>"
        );
        assert!(!open.is_empty() || ["svg", "div"].contains(&name));
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
        let spaced = value.replace('-', " -");
        let parts = spaced.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter(|part| !part.is_empty());
        for part in parts {
            let number: f64 = part.parse().unwrap_or_else(|_| panic!("{name}={value:?}"));
            assert!(number.abs() < 1e6, "{name}={value:?}");
            assert!(part.split_once('.').is_none_or(|(_, decimals)| decimals.len() == 1), "{part}");
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
        .prop_map(|name| arena_core::text::shown(&name))
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
    // One for each width of the page.
    check(&format!("<svg>{}</svg>", plot.in_page().into_string()));
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
        check_plot(&Matrix { bots: (0..names.len()).collect(), cells }.plot("t", "d", &names));
    }
}

#[test]
fn a_coordinate_is_short_and_finite() {
    assert_eq!([0.0, -0.01, 1.5, 2.0, 0.126, -3.0, 100.0].map(at), ["0", "0", "1.5", "2", "0.1", "-3", "100"]);
    assert_eq!([f64::NAN, f64::INFINITY].map(at), ["0", "0"]);
}

#[test]
fn a_line_is_in_steps_that_lead_to_its_points() {
    assert_eq!(polyline([[1.04, 2.0], [1.14, 1.0], [3.0, f64::NAN], [3.0, 7.5]]), "M1 2l0.1-1 1.9-1 0 7.5");
    assert_eq!(polyline([]), "");
    let places = (0..1_000).map(|step| [f64::from(step) / 3.0, 1.0 / f64::from(step + 1)]).collect::<Vec<_>>();
    let path = polyline(places.iter().copied()).replace('-', " -").replace(['M', 'l'], " ");
    let steps = path.split_whitespace().map(|step| step.parse::<f64>().unwrap());
    let reached = steps.enumerate().fold([0.0; 2], |mut at, (index, step)| {
        at[index % 2] += step;
        at
    });
    assert!(reached.iter().zip(places[999]).all(|(reached, place)| (reached - place).abs() < 0.051), "{reached:?}");
}

/// The ranking of a competition between bots of these names, stopped after `pairs` pairs; `dice` decides the games.
fn played(format: &str, names: &[String], pairs: usize, mut dice: u64) -> crate::views::Ranking {
    use arena_core::format::{Due, Field, Format, FormatKind, Settled, SettledGame};
    use arena_core::record::GameResult::{Draw, FirstWins, SecondWins};
    let format = Format::named(format).unwrap();
    let FormatKind::Stepwise { start, .. } = format.kind else { panic!("it has rounds") };
    let field = Field { bots: names.len(), rounds: 1, ..Field::default() };
    let (mut state, mut known) = (start(&field), Vec::new());
    while let Due::Pairs(due) = state.due() {
        state.add(&due);
        for pair in due {
            if known.len() >= pairs {
                known.push((pair, None));
                continue;
            }
            let mut game = || {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let result = [FirstWins, Draw, SecondWins][(dice >> 33) as usize % 3];
                SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: 0 }
            };
            let settled = Settled { pair, games: [game(), game()] };
            state.settle(&settled);
            known.push((pair, Some(settled)));
        }
        if known.iter().any(|(_, settled)| settled.is_none()) {
            break;
        }
    }
    let names = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    let mut ranking = crate::views::Ranking::of(names, [], &arena_core::stats::AnalysisOptions::default());
    let sheet = format.sheet.unwrap()(&field, &known);
    ranking.analysis.rank_by_format(&sheet.ranks);
    ranking.sheet = Some(sheet);
    ranking
}

/// Left, top, right and bottom of each text of a drawing, estimated, with the text.
fn texts(drawing: &str) -> Vec<([f64; 4], String)> {
    let all = drawing.split("<text ").skip(1).map(|rest| {
        let (attributes, rest) = rest.split_once('>').unwrap();
        let get =
            |name: &str| attributes.split_once(&format!("{name}=\"")).map(|(_, rest)| rest.split_once('"').unwrap().0);
        let [x, y] =
            ["x", "y"].map(|name| get(&format!(" {name}")).or_else(|| get(name)).unwrap().parse::<f64>().unwrap());
        let class = get("class").unwrap_or_default();
        let text = rest
            .split_once('<')
            .unwrap()
            .0
            .replace("&amp;", "&")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"");
        let (wide, high) = match class {
            small if small.contains("small") => (6.4, 9.0),
            champion if champion.contains("champion") => (9.8, 12.0),
            _ => (6.9, 10.0),
        };
        let width = console::measure_text_width(&text) as f64 * wide;
        let left = match get("text-anchor") {
            Some("end") => x - width,
            _ if class.contains("cell") => x - width / 2.0,
            _ => x,
        };
        ([left, y - high, left + width, y], text)
    });
    all.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn competitions_are_drawn_without_overlaps(
        names in prop::collection::vec(name(), 2..=40),
        is_swiss in any::<bool>(),
        pairs in 0..200_usize,
        dice in any::<u64>(),
    ) {
        let format = if is_swiss { "swiss" } else { "knockout" };
        let ranking = played(format, &names, pairs, dice);
        for has_links in [false, true] {
            let plot = competition(&ranking, has_links).unwrap();
            check_plot(&plot);
            let drawing = plot.with_links().into_string();
            check(&drawing);
            let texts = texts(&drawing);
            for (at, (one, text)) in texts.iter().enumerate() {
                prop_assert!(one[0] > -1.0 && one[1] > -1.0 && one[2] < plot.width + 1.0 && one[3] < plot.height + 1.0, "{text}: {one:?}");
                for (two, other) in &texts[..at] {
                    let overlap = one[0] < two[2] && two[0] < one[2] && one[1] < two[3] && two[1] < one[3];
                    prop_assert!(!overlap, "{text:?} {one:?} and {other:?} {two:?}");
                }
            }
        }
    }

    #[test]
    fn a_winner_is_in_the_next_stage(bots in 2..=40_usize, pairs in 0..60_usize, dice in any::<u64>()) {
        let names: Vec<String> = (0..bots).map(|bot| format!("bot{bot}")).collect();
        let ranking = played("knockout", &names, pairs, dice);
        let bracket = Bracket::of(ranking.sheet.as_ref().unwrap()).expect("a bracket");
        prop_assert_eq!(bracket.stages.last().map(|(name, matches)| (name.as_str(), matches.len())), Some(("final", 1)));
        for ((_, before), (_, after)) in bracket.stages.iter().zip(&bracket.stages[1..]) {
            prop_assert_eq!(before.len(), 2 * after.len());
            for (place, found) in before.iter().enumerate() {
                prop_assert_eq!(after[place / 2].bots[place % 2], found.winner());
            }
        }
        if bracket.champion().is_none() {
            prop_assert!(!competition(&ranking, true).unwrap().with_links().into_string().contains("bold-box"));
        }
    }
}

#[test]
fn a_match_is_a_line() {
    let names = ["mcts", "minimax", "greedy"].map(str::to_owned);
    let ranking = played("knockout", &names, 9, 1);
    let lines: Vec<String> = ranking
        .sheet
        .iter()
        .flat_map(|sheet| &sheet.matches)
        .map(|found| crate::views::match_line(found, |bot| names[bot].clone()))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    Semifinal: mcts has a bye
    Semifinal: minimax 3–1 greedy, after more pairs
    Final: minimax 4–2 mcts, after more pairs
    ");
}

#[test]
fn a_small_bracket() {
    let names = ["mcts", "minimax", "greedy", "<b>", "random"].map(str::to_owned);
    insta::assert_snapshot!(
        competition(&played("knockout", &names, 4, 5), true).unwrap().with_links().into_string().replace("><", ">\n<")
    );
}

#[test]
fn a_small_swiss() {
    let names = ["mcts", "minimax", "<b>"].map(str::to_owned);
    insta::assert_snapshot!(
        competition(&played("swiss", &names, 2, 5), true).unwrap().with_links().into_string().replace("><", ">\n<")
    );
}
