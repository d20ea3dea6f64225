//! docs/judge.md: its examples, tables and the JSON Schema beside it are what the program does.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use arena::judge::{judge_line, schema};
use arena::rules::{RULES, Variant};
use serde_json::Value;

use crate::schema_check::fits;
use crate::support::{Dir, arena, check_golden, in_repository, not_tested};

fn page() -> String {
    std::fs::read_to_string(in_repository("docs/judge.md")).expect("docs/judge.md")
}

/// The cells of all table rows below `heading`, up to the next heading.
fn tables(page: &str, heading: &str) -> Vec<Vec<String>> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).expect("the heading").split("\n## ").next();
    let rows = section.unwrap_or_default().lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// All codes of errors that the page lists.
pub(crate) fn listed_codes() -> BTreeSet<String> {
    tables(&page(), "Error codes").iter().map(|row| row[0].trim_matches('`').to_owned()).collect()
}

/// Checks that `answer` is `shown`, in which each `…` stands for something.
#[track_caller]
fn check_shown(shown: &str, answer: &str) {
    let parts: Vec<&str> = shown.split('…').collect();
    let mut rest = answer.strip_prefix(parts[0]).unwrap_or_else(|| panic!("{shown}\n{answer}"));
    for part in &parts[1..] {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("`{part}` of {shown}\n{answer}")).1;
    }
    assert!(rest.is_empty() || shown.ends_with('…'), "{shown}\n{answer}");
}

#[track_caller]
fn check_fits(definition: &str, line: &str) {
    let schema = schema();
    let value = serde_json::from_str(line).expect("JSON");
    fits(&schema, &schema["$defs"][definition], &value).unwrap_or_else(|why| panic!("{definition}: {why}: {line}"));
}

#[test]
fn the_examples_are_answered_as_shown() {
    let page = page();
    let mut asked = String::new();
    let mut examples = 0;
    for line in page.lines() {
        if let Some(question) = line.strip_prefix("> ") {
            check_fits("Question", question);
            asked = judge_line(question);
            check_fits("Answer", &asked);
        } else if let Some(shown) = line.strip_prefix("< ") {
            check_shown(shown, &asked);
            examples += 1;
        }
    }
    assert!(examples >= 10, "{examples}");
}

#[test]
fn every_code_of_an_error_has_an_example() {
    for row in tables(&page(), "Error codes") {
        let Some(question) = row[2].strip_prefix('`').and_then(|cell| cell.strip_suffix('`')) else {
            assert!(row[2].is_empty(), "{row:?}");
            continue;
        };
        let answer = judge_line(question);
        check_fits("Answer", &answer);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["error"]["code"].as_str(), Some(row[0].trim_matches('`')), "{question}");
    }
}

#[test]
fn the_tables_list_all_fields() {
    let page = page();
    let listed = |heading: &str| -> BTreeSet<String> {
        tables(&page, heading).iter().map(|row| row[0].trim_matches('`').to_owned()).collect()
    };
    let declared = |path: &str| -> BTreeSet<String> {
        let schema = schema();
        schema.pointer(path).and_then(Value::as_object).expect("properties").keys().cloned().collect()
    };
    let mut questions = listed("A question");
    assert!(questions.remove("board` (or `position`)"));
    questions.extend(["board", "position"].map(str::to_owned));
    assert_eq!(questions, declared("/$defs/Question/properties"));
    assert_eq!(listed("An answer"), declared("/$defs/Answer/properties"));
    let mut values = listed("Evaluation");
    for rules in RULES {
        let own = declared(&format!("/$defs/{}/properties/value/properties", rules.name));
        let missing: Vec<_> = own.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", rules.name);
        values.retain(|name| !own.contains(name));
    }
    assert_eq!(values.into_iter().collect::<Vec<_>>(), ["codes", "count"], "described as parts of `possible`");
    for name in Variant::names() {
        assert!(tables(&page, "A question")[0][1].contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_schema_is_the_one_in_docs_and_the_one_printed() {
    let found = format!("{}\n", serde_json::to_string_pretty(&schema()).expect("to memory"));
    check_golden("docs/judge.schema.json", &found);
    let dir = Dir::new();
    assert_eq!(dir.arena_ends(0, "schema judge").stdout, found);
    assert_eq!(dir.arena_ends(0, "schema").stdout, dir.arena_ends(0, "schema protocol").stdout);
}

#[test]
fn the_program_on_the_page_runs() {
    let page = page();
    let program = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    let folder = Path::new(arena()).parent().expect("a folder");
    let path = std::env::join_paths(
        [folder.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let run = Command::new("python3").args(["-c", program]).env("PATH", path.expect("a path")).output();
    let Ok(output) = run else { return not_tested("the program in docs/judge.md", "python3 is not installed") };
    let expected = "[[[5, 1], [5, 2], [5, 3], [5, 4]], []]\n[[9, 10]]\nillegal_move\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn wrong_questions_do_not_fit_the_schema() {
    let schema = schema();
    for wrong in [
        r#"{"moves":[]}"#,
        r#"{"game":"mnk"}"#,
        r#"{"game":"chess","moves":[]}"#,
        r#"{"game":"mnk","moves":[],"move":1}"#,
        r#"{"game":"mnk","moves":[1.5]}"#,
        r#"{"game":"mnk","board":["..."],"layout":"cols"}"#,
        r#"{"game":"mnk","board":[[".",10]]}"#,
        r#"{"game":"marbles","board":{"heap":-1}}"#,
        r#"{"game":"marbles","moves":[],"value":1}"#,
    ] {
        let value = serde_json::from_str(wrong).expect("JSON");
        assert!(fits(&schema, &schema["$defs"]["Question"], &value).is_err(), "{wrong}");
        let answer: Value = serde_json::from_str(&judge_line(wrong)).expect("JSON");
        assert!(answer["error"].is_object(), "{wrong}");
    }
}

#[test]
fn the_help_has_a_line_in_and_a_line_out() {
    let help = Dir::new().arena_ends(0, "judge --help").stdout;
    let after = |label: &str| {
        let text = help.split(label).nth(1).expect("an example");
        text.lines().skip(1).take_while(|line| line.starts_with("  ")).map(str::trim).collect::<String>()
    };
    check_shown(&after("A line out, shortened:"), &judge_line(&after("A line in:")));
    for field in ["game", "params", "moves", "board", "layout", "first", "code", "seed", "legal", "value"] {
        assert!(help.contains(&format!("\n  {field} ")), "{field}: {help}");
    }
}
