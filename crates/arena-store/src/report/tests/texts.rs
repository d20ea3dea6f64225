//! Every text that a bot, its author or a stranger's journal brings, in every format that is written.

use arena_core::event::{StrikeLimits, Tournament};
use arena_core::record::{DeniedCalls, Evidence, GameResult, Record, Status};
use arena_core::rules::Seat;
use arena_core::stats::{MatchCounts, Tally};
use arena_core::tags::TagValue;
use arena_core::text::is_unsafe;
use proptest::prelude::*;

use super::{analysed, fixture};
use crate::report::html::tests::scan::Scan;
use crate::report::stored::Stored;
use crate::report::text::markdown::tests::{marked_up, shown_plainly};
use crate::report::{
    MatchFigures, MatchSummary, PlotTags, Results, bot_markdown, covariance_csv, fault_commands, fault_lines,
    fault_sentences, junit_xml, los_csv, match_markdown, moves_csv, standings_markdown, write_plots, write_tag_plots,
};

/// Elements and attributes of pictures, and of JUnit XML.
const PICTURE_NAMES: [&str; 10] = ["svg", "title", "desc", "style", "g", "path", "circle", "text", "rect", "line"];
const PICTURE_ATTRIBUTES: [&str; 24] = [
    "xmlns",
    "class",
    "width",
    "height",
    "viewBox",
    "role",
    "d",
    "cx",
    "cy",
    "r",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "text-anchor",
    "fill",
    "transform",
    "points",
    "rx",
    "dx",
    "dy",
    "aria-label",
];
const CASE_NAMES: [&str; 7] = ["testsuites", "testsuite", "testcase", "skipped", "failure", "error", "system-out"];
const CASE_ATTRIBUTES: [&str; 7] = ["name", "tests", "failures", "errors", "skipped", "classname", "message"];

/// Text that some format gives a meaning to.
fn hostile() -> impl Strategy<Value = String> {
    const OTHERS: [&str; 20] = [
        "</script><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='x",
        "]]>",
        "<![CDATA[",
        "-->",
        "&#x3c;b&#x3e;",
        "=cmd|' /C calc'!A0",
        "+1",
        "@SUM(1)",
        ";=1",
        "\u{1b}[31mred",
        "\u{1b}]0;t\u{7}",
        "\u{202e}gnp",
        "\r\n",
        "\n# title",
        "\0",
        "\u{ffff}",
        "`| x |`",
        "\t\"quoted\",\"cells\"",
    ];
    prop_oneof![marked_up(), prop::sample::select(&OTHERS[..]).prop_map(str::to_owned), "\\PC{0,9}"]
}

/// A tournament of two bots in which all that is text is one of these.
fn stored(texts: &[String], statuses: &[usize]) -> Stored {
    let text = |number: usize| texts[number % texts.len()].clone();
    // Two bots of one name could not be told apart.
    let mut event = fixture::event(&[&format!("{}a", text(0)), &format!("b{}", text(1))]);
    (event.strikes, event.name, event.label) = (StrikeLimits::OFF, text(2), text(3));
    (event.left_out[0].name, event.left_out[0].cause, event.warnings) = (text(4), text(5), vec![text(6)]);
    for (number, bot) in event.bots.iter_mut().enumerate() {
        bot.command = text(7);
        // A longer one is no tag.
        let _ = bot.tags.insert("note", TagValue::Text(text(19)));
        bot.tags.insert("depth", TagValue::Number((number as u64).into())).unwrap();
        bot.id.fingerprint = format!("{number}{}", text(8));
    }
    let event = Tournament { rounds: 3, ..event };
    let records: Vec<Record> = fixture::schedule(&event)
        .iter()
        .enumerate()
        .map(|(place, game)| {
            let mut record = fixture::record(&event, game, GameResult::FirstWins, 5 + place as u64);
            let status = Status::ALL[1..][statuses[place % statuses.len()] % (Status::ALL.len() - 1)];
            fixture::fault(&mut record, Seat::BOTH[place % 2], status, &text(9));
            record.evidence = record.evidence.map(|evidence| {
                evidence.map(|evidence| Evidence {
                    last_sent: Some(text(10)),
                    last_received: Some(text(11)),
                    stderr_tail: Some(text(12)),
                    ..evidence
                })
            });
            record.denied = [text(13), text(14)].map(|name| DeniedCalls::from_iter([(name, 2)]));
            record.played.iter_mut().for_each(|played| played.comment = Some(text(15)));
            (record.host, record.arena, record.reason) = (text(16), text(17), text(18));
            record
        })
        .collect();
    Stored::new(&event, &records)
}

fn check_lines(text: &str) -> Result<(), TestCaseError> {
    let found = text.chars().find(|c| is_unsafe(*c) && *c != '\n');
    prop_assert!(found.is_none(), "{found:?} in {text}");
    Ok(())
}

/// Each line of Markdown after its mark, and each cell of a table.
fn check_markdown(markdown: &str) -> Result<(), TestCaseError> {
    check_lines(markdown)?;
    for line in markdown.lines().filter(|line| !line.is_empty()) {
        let plain = |text: &str| shown_plainly(text).map_err(|what| TestCaseError::fail(format!("{what}: {markdown}")));
        if let Some(row) = line.strip_prefix('|') {
            // A bar in a cell has a backslash before it.
            for cell in row.replace("\\\\", "").replace("\\|", "").split('|') {
                prop_assert!(!cell.trim_end().ends_with('\\'), "{line}");
            }
            let row = row.strip_suffix('|').expect("a row ends");
            let cells = split_cells(row);
            let is_rule = |cell: &str| cell.chars().all(|c| "-: ".contains(c));
            for cell in cells.iter().filter(|cell| !is_rule(cell)) {
                plain(cell.trim())?;
            }
            continue;
        }
        let text = ["## ", "### ", "- "].iter().find_map(|mark| line.strip_prefix(mark));
        let text = text.or(Some(line).filter(|line| line.ends_with(':')));
        let text = text.ok_or_else(|| TestCaseError::fail(format!("a line without a mark: {line}")))?;
        match text.strip_prefix("against ").and_then(|rest| rest.split_once(": `")) {
            Some((name, code)) => {
                plain(name)?;
                prop_assert!(code.ends_with('`'), "{line}");
            }
            None => drop(plain(text)?),
        }
    }
    Ok(())
}

/// The cells of a row, divided at bars without a backslash.
fn split_cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in row.chars() {
        match c {
            '|' if !is_escaped => cells.push(String::new()),
            _ => cells.last_mut().expect("one").push(c),
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    cells
}

fn check_csv(bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    check_lines(&text)?;
    for row in csv::Reader::from_reader(bytes).records() {
        for cell in &row.expect("as many cells as columns") {
            let is_number = cell.parse::<f64>().is_ok();
            for part in cell.split(';').map(|part| part.trim_start_matches([' ', '"', '\''])) {
                prop_assert!(is_number || !part.starts_with(['=', '+', '-', '@']), "{cell}");
            }
        }
    }
    Ok(())
}

/// A drawing or data of XML: what has a meaning is our own.
fn check_xml(text: &str, names: &[&str], attributes: &[&str]) -> Result<(), TestCaseError> {
    check_lines(text)?;
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap_or(text);
    for (name, found) in Scan::of(&format!("<!DOCTYPE html>{body}")).elements {
        prop_assert!(names.contains(&name.as_str()), "<{name}>: {text}");
        for (attribute, _) in found {
            prop_assert!(attributes.contains(&attribute.as_str()), "<{name} {attribute}>: {text}");
        }
    }
    Ok(())
}

fn of_two<'a>(results: &'a Results<'_>, names: [&'a str; 2]) -> MatchSummary<'a> {
    MatchSummary {
        names,
        games: Tally { wins: 3, draws: 0, losses: 3 },
        figures: MatchFigures { counts: MatchCounts::Pairs([1, 0, 1, 0, 1]), split: None, duel: None },
        test: None,
        words: Some(format!("{} is stronger", results.name(0))).map(|words| arena_core::text::shown(&words)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_text_of_others_means_anything_in_any_format(
        texts in prop::collection::vec(hostile(), 1..20),
        statuses in prop::collection::vec(0_usize..8, 1..6),
    ) {
        let stored = stored(&texts, &statuses);
        let results = analysed(&stored);
        let names = [0, 1].map(|bot| results.name(bot));

        let mut markdown = vec![standings_markdown(&results.ranking, &[]), match_markdown(&of_two(&results, names), &results)];
        for name in names {
            markdown.push(bot_markdown(&results, name).unwrap().expect("a bot of this name"));
        }
        markdown.iter().try_for_each(|text| check_markdown(text))?;

        let (files, summary) = super::everything(&results);
        for (name, text) in super::FILES.iter().zip(&files) {
            match name.rsplit_once('.').expect("an extension").1 {
                "csv" => check_csv(text.as_bytes())?,
                "json" => {
                    check_lines(text)?;
                    prop_assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{name}");
                }
                _ => Scan::of(text).check(),
            }
        }
        let mut more = [Vec::new(), Vec::new(), Vec::new()];
        moves_csv(&stored.scheduler, &stored.reader, &mut more[0]).unwrap();
        covariance_csv(&results.ranking, &mut more[1]).unwrap();
        los_csv(&results.ranking, &mut more[2]).unwrap();
        more.iter().try_for_each(|bytes| check_csv(bytes))?;

        let folder = tempfile::tempdir().unwrap();
        let plots = write_plots(folder.path(), &results).unwrap();
        let tags = [None, Some("depth".to_owned())].map(|line| PlotTags { axis: "depth".to_owned(), line });
        for plot in plots.into_iter().chain(write_tag_plots(folder.path(), &results, &tags).unwrap()) {
            check_xml(&std::fs::read_to_string(plot).unwrap(), &PICTURE_NAMES, &PICTURE_ATTRIBUTES)?;
        }
        check_xml(&junit_xml(&results), &CASE_NAMES, &CASE_ATTRIBUTES)?;

        check_lines(&summary)?;
        let commands = fault_commands(&results, "results/cup".as_ref()).into_iter().map(|(label, text)| label.to_owned() + &text);
        for line in fault_lines(&results).into_iter().chain(fault_sentences(&results)).chain(commands) {
            prop_assert!(!line.contains(is_unsafe), "{line}");
        }
    }
}
