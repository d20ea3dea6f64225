//! `arena judge` fed with anything at all: it answers every line and never panics.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use arena::judge::{judge_line, schema};
use arena::rules::Variant;
use proptest::prelude::*;
use serde_json::Value;

use crate::judge::run_on;
use crate::judge_page::listed_codes;
use crate::schema_check::fits;

/// JSON that looks like a question more or less.
fn some_question() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (-2_i64..9).prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string())
    ];
    let row = prop_oneof!["[.XO]{3}", "[.XO]{7}", ".{0,4}"].prop_map(|row| Value::from(row).to_string());
    let leaf = prop_oneof![4 => number, 1 => row.clone(), 1 => Just("null".to_owned())];
    let list = |item: BoxedStrategy<String>| {
        prop::collection::vec(item, 0..8).prop_map(|items| format!("[{}]", items.join(",")))
    };
    let object = |names: &'static [&str], value: BoxedStrategy<String>| {
        let field = (prop::sample::select(names), value).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        prop::collection::vec(field, 0..4).prop_map(|fields| format!("{{{}}}", fields.join(",")))
    };
    let cell = list(leaf.clone().boxed());
    let params = object(&["rows", "cols", "k", "connect", "heap", "last", "rule", "pegs"], leaf.clone().boxed());
    let word = prop::sample::select(&["true", "false", "\"O\"", "\"y\"", "\"tiles\"", "\"columns\"", "[\"X\",2]"][..]);
    let value = prop_oneof![
        leaf,
        cell.clone(),
        list(cell.boxed()),
        list(row.boxed()),
        params,
        word.clone().prop_map(str::to_owned)
    ];
    let fields = object(&["params", "moves", "board", "code", "seed", "moves", "board", "position"], value.boxed());
    let extra = object(&["layout", "first", "legal", "value"], word.prop_map(str::to_owned).boxed());
    let game = prop::sample::select(Variant::names().chain(["chess"]).collect::<Vec<_>>());
    (game, fields, extra).prop_map(|(game, fields, extra)| {
        let parts = [format!("\"game\":\"{game}\""), inner(&fields), inner(&extra)];
        format!("{{{}}}", parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(","))
    })
}

/// The fields of an object without its braces.
fn inner(object: &str) -> String {
    object[1..object.len() - 1].to_owned()
}

/// Every answer fits the schema, and every code of an error is described on the page.
#[track_caller]
fn check_answer(answer: &str) {
    static KNOWN: LazyLock<(Value, BTreeSet<String>)> = LazyLock::new(|| (schema(), listed_codes()));
    let (schema, codes) = &*KNOWN;
    let parsed: Value = serde_json::from_str(answer).expect("JSON");
    fits(schema, &schema["$defs"]["Answer"], &parsed).unwrap_or_else(|why| panic!("{why}: {answer}"));
    assert!(parsed["error"]["code"].as_str().is_none_or(|code| codes.contains(code)), "{answer}");
    assert!(parsed["legal_moves"].as_array().is_none_or(|moves| parsed["legal_count"] == moves.len()));
    let count = parsed["legal_count"].as_u64();
    assert!(count.is_none_or(|count| (count > 0) == parsed["outcome"].is_null()), "{answer}");
    assert!(parsed["views"].is_array() || parsed["error"]["ply"].is_null() && parsed["error"]["message"].is_string());
    assert!(parsed["reason"].is_null() == parsed["outcome"].is_null());
    assert!(parsed["to_move"].is_null() || parsed["outcome"].is_null());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_question_like_line_gets_an_answer(question in some_question()) {
        check_answer(&judge_line(&question));
    }

    #[test]
    fn every_text_gets_an_answer(text in "\\PC*|[{}\\[\\]\":,0-9a-z.\\\\ ]*") {
        check_answer(&judge_line(&text));
    }

    #[test]
    fn any_bytes_get_an_answer_a_line(bytes: Vec<u8>, newlines in prop::collection::vec(0_usize..100, 0..5)) {
        let mut input = bytes;
        for at in newlines {
            input.insert(at.min(input.len()), b'\n');
        }
        let bare = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&input);
        let asked = bare.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        let output = run_on(&input);
        prop_assert_eq!(output.lines().count(), asked);
        output.lines().for_each(check_answer);
    }
}
