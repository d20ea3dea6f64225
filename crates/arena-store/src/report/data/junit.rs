//! Results as JUnit XML, which CI servers show: whether all games were played, the verdict of a test, and each bot.

use arena_core::text::escaped;
use maud::{Markup, PreEscaped, html};

use crate::report::cells::{elo_with_margin, percent, wins_draws_losses};
use crate::report::text::bot_page::fault_text;
use crate::report::words::faults::fault_rows;
use crate::report::words::sprt::{TestResult, UNFINISHED, WITHDRAWN, test_sentence};
use crate::report::words::warnings::{stopped, unstartable};
use crate::report::{Results, warnings};

/// How a test case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// It says nothing, such as an undecided test.
    Skipped(String),
    Failed(String),
    /// It could not be made.
    Error(String),
}

/// A test case.
#[derive(Debug)]
struct Case {
    name: String,
    outcome: Outcome,
    /// What there is to say, a line each.
    said: Vec<String>,
}

/// The results as one suite of tests, with a case `verdict` for a match with a test and `games` for anything else, and a
/// case for every bot, which fails if it lost games by faults.
#[must_use]
pub fn junit_xml(results: &Results<'_>) -> String {
    let cases: Vec<Case> = [whole(results)].into_iter().chain(bots(results)).chain(left_out(results)).collect();
    let count = |is_counted: fn(&Outcome) -> bool| cases.iter().filter(|case| is_counted(&case.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let errors = count(|outcome| matches!(outcome, Outcome::Error(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    let name = escaped(&results.event().name);
    let page = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites {
            "\n"
            testsuite name={ "arena " (name) } tests=(cases.len()) failures=(failures) errors=(errors) skipped=(skipped) {
                @for case in &cases { "\n" (of_case(case, &name)) }
                "\n"
            }
            "\n"
        }
        "\n"
    };
    page.into_string()
}

fn of_case(case: &Case, suite: &str) -> Markup {
    let lines = case.said.join("\n");
    let is_said = matches!(case.outcome, Outcome::Failed(_) | Outcome::Error(_));
    html! {
        testcase classname={ "arena." (suite) } name=(case.name) {
            @match &case.outcome {
                Outcome::Passed => {}
                Outcome::Skipped(message) => { skipped message=(message) {} }
                Outcome::Failed(message) => { failure message=(message) { (lines) } }
                Outcome::Error(message) => { error message=(message) { (lines) } }
            }
            @if !is_said && !lines.is_empty() { system-out { (lines) } }
        }
    }
}

/// The verdict of a test, or whether all games were played.
fn whole(results: &Results<'_>) -> Case {
    let missing = stopped(results).into_iter().chain(unstartable(results)).next();
    let (name, outcome) = match TestResult::of(results) {
        Some(TestResult { verdict, words, state, .. }) => {
            let words = words.unwrap_or_default();
            let outcome = match verdict {
                "H1" => Outcome::Passed,
                "H0" => Outcome::Failed(words),
                UNFINISHED | WITHDRAWN => Outcome::Error(missing.unwrap_or(state)),
                _ => Outcome::Skipped(format!("{state}; {words}")),
            };
            ("verdict", outcome)
        }
        None if results.progress.is_complete() || results.is_out_of_time() => ("games", Outcome::Passed),
        None => ("games", Outcome::Error(missing.unwrap_or_else(|| "games are missing".to_owned()))),
    };
    let words = TestResult::of(results).and_then(|test| test.words);
    let said = words
        .into_iter()
        .chain(test_sentence(results))
        .chain(results.ranking.options_in_words())
        .chain(warnings(results))
        .collect();
    Case { name: name.to_owned(), outcome, said }
}

/// Those that played, best first.
fn bots(results: &Results<'_>) -> Vec<Case> {
    let mut faults = fault_rows(results);
    let case = |row: arena_show::views::RankedBot<'_>| {
        let own: Vec<_> = faults.extract_if(.., |fault| fault.bot == row.bot).collect();
        let (total, elo) = (row.total, elo_with_margin(row.elo().as_ref()));
        let score =
            format!("{} of {} games ({}), {elo} Elo", percent(total.score()), total.games(), wins_draws_losses(total));
        let outcome = match own.first() {
            _ if row.is_withdrawn => Outcome::Error("withdrawn: not started again after its faults".to_owned()),
            Some(_) => {
                let kinds = own.iter().map(|fault| format!("{} {}", fault.games[0], fault.status));
                Outcome::Failed(format!("games with faults: {}", kinds.collect::<Vec<_>>().join(", ")))
            }
            None => Outcome::Passed,
        };
        let said = [score].into_iter().chain(own.iter().map(fault_text)).collect();
        Case { name: format!("bot {}", row.name), outcome, said }
    };
    results.ranking.bots().map(case).collect()
}

/// Those that did not play.
fn left_out(results: &Results<'_>) -> Vec<Case> {
    let case = |bot: &arena_core::event::LeftOut| {
        let why = escaped(&bot.cause);
        let outcome = if bot.declined { Outcome::Skipped(why) } else { Outcome::Error(format!("left out: {why}")) };
        Case { name: format!("bot {}", escaped(&bot.name)), outcome, said: Vec::new() }
    };
    results.event().left_out.iter().map(case).collect()
}

#[cfg(test)]
mod tests {
    use arena_core::event::LeftOut;

    use super::*;
    use crate::fixture;
    use crate::report::ResultsOptions;
    use crate::report::stored::Stored;

    #[test]
    fn foreign_text_is_escaped_and_faults_fail() {
        let mut event = fixture::event(&["a<b>&\"'\u{0}\u{1b}\u{fffe}]]>", "fine", "c"]);
        event.left_out =
            vec![LeftOut::unable("<late>", "no \u{8}file"), LeftOut { declined: true, ..LeftOut::unable("no", "") }];
        let records = fixture::records(&event, &fixture::schedule(&event));
        let stored = Stored::new(&event, &records);
        let results = Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap();
        let xml = junit_xml(&results);
        // XML has no other control characters, and none of these two, not even escaped.
        assert!(xml.chars().all(|c| c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')), "{xml}");
        insta::assert_snapshot!(xml, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
        <testsuite name="arena cup" tests="6" failures="2" errors="2" skipped="1">
        <testcase classname="arena.cup" name="games"><error message="1 of 12 games not played yet; each bot has played 6 to 7: run the same command to resume">&lt;late&gt; is left out: no \u{8}file
        no is left out: 
        1 of 12 games not played yet; each bot has played 6 to 7: run the same command to resume
        1 game void, the first (fd4688c09688a035) because line: not counted; run the same command to replay
        2 of 8 games of a&lt;b&gt;&amp;&quot;'\u{0}\u{1b}\u{fffe}]]&gt; were void, more than 2 %: the machine is short of a resource, or a bot causes it
        2 of 9 games of c were void, more than 2 %: the machine is short of a resource, or a bot causes it</error></testcase>
        <testcase classname="arena.cup" name="bot a&lt;b&gt;&amp;&quot;'\u{0}\u{1b}\u{fffe}]]&gt;"><failure message="games with faults: 1 illegal_move">58.3% of 6 games (2-3-1), +39.7 ± 220.5 Elo
        1 game with illegal_move; move 9\u{1b}[2J is not legal; its own copy of the board differs from the request, it swaps rows and columns, or it counts from 1: choose from `legal_moves` of the request, or where that is absent follow its `state`</failure></testcase>
        <testcase classname="arena.cup" name="bot fine"><system-out>57.1% of 7 games (2-4-1), +28.9 ± 158.9 Elo</system-out></testcase>
        <testcase classname="arena.cup" name="bot c"><failure message="games with faults: 2 timeout">35.7% of 7 games (2-1-4), -68.6 ± 192.6 Elo
        2 games with timeout; no reply within 1000 ms; it thinks longer than `clock.deadline_ms`, or waits for something other than the next line: answer every move_request with its `id` within clock.deadline_ms; stop searching early: 10 % and 5 ms before the limit</failure></testcase>
        <testcase classname="arena.cup" name="bot &lt;late&gt;"><error message="left out: no \u{8}file"></error></testcase>
        <testcase classname="arena.cup" name="bot no"><skipped message=""></skipped></testcase>
        </testsuite>
        </testsuites>
        "#);
    }
}
