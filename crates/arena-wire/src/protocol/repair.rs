//! Repairs what JSON libraries write and others refuse, where it costs no game: half a character in a string (a lone
//! surrogate, from a string that was cut inside an emoji), and a number beyond the range of floating-point numbers.
//!
//! Fields that decide something are left as they are ([`STRICT`]), so a line with such a flaw in them stays invalid.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::optional::{FieldRemark, OPTIONAL};
use super::tokens::token_length;

/// Fields whose values are never repaired.
const STRICT: [&str; 5] = ["type", "id", "move", "protocol", "games"];
/// The length of an escape: `\ud83d`.
const ESCAPE: usize = 6;
/// Characters of a number that are shown.
const SHOWN_MAX: usize = 20;
/// Stands for a lone surrogate, and is as long as its escape.
const REPLACEMENT: &str = "\\ufffd";

/// The line with every flaw outside of the strict fields repaired, and a remark for each optional field that had one. `None`
/// if there is no such flaw. All bytes keep their places, so errors in the repaired line are where they were.
pub(super) fn repair(text: &str) -> Option<(String, Vec<FieldRemark>)> {
    let mut scan = RepairScan::default();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let token = &text[at..at + token_length(text, at)];
        match byte {
            b'"' => scan.string(token),
            b'-' | b'0'..=b'9' => scan.number(token),
            _ => scan.other(token),
        }
        at += token.len();
    }
    (scan.repaired != text).then_some((scan.repaired, scan.remarks))
}

/// What was read so far.
#[derive(Default)]
struct RepairScan {
    repaired: String,
    remarks: Vec<FieldRemark>,
    /// Objects and lists that are open.
    depth: usize,
    /// The outer object's key that was read last.
    key: String,
    /// A value of the outer object begins or is open.
    in_value: bool,
}

impl RepairScan {
    fn other(&mut self, token: &str) {
        match token {
            "{" | "[" => self.depth += 1,
            "}" | "]" => self.depth = self.depth.saturating_sub(1),
            ":" if self.depth == 1 => self.in_value = true,
            "," if self.depth == 1 => self.in_value = false,
            _ => {}
        }
        self.repaired.push_str(token);
    }

    fn string(&mut self, token: &str) {
        let repaired = if self.is_strict() { None } else { without_lone_surrogates(token) };
        if let Some(first) = repaired.as_ref().map(|(_, first)| *first) {
            let what = format!(
                "changed: {first} is half of a character, as if the text had been cut inside an emoji; U+FFFD replaces it"
            );
            self.remark(what);
        }
        let text = repaired.map_or(Cow::Borrowed(token), |(text, _)| Cow::Owned(text));
        if self.depth == 1 && !self.in_value {
            self.key = serde_json::from_str(&text).unwrap_or_default();
        }
        self.repaired.push_str(&text);
    }

    fn number(&mut self, token: &str) {
        let is_number = serde_json::from_str::<&RawValue>(token).is_ok();
        let is_infinite = is_number && token.parse::<f64>().is_ok_and(f64::is_infinite);
        if !is_infinite || self.is_strict() {
            return self.repaired.push_str(token);
        }
        let shown = arena_core::text::cut(token, SHOWN_MAX);
        self.remark(format!("dropped: {shown} is out of the range of numbers"));
        // Every number that is out of range is longer.
        self.repaired.push_str("null");
        self.repaired.extend(std::iter::repeat_n(' ', token.len() - "null".len()));
    }

    fn is_strict(&self) -> bool {
        self.in_value && STRICT.contains(&self.key.as_str())
    }

    /// One remark per field; unknown fields are ignored anyway.
    fn remark(&mut self, what: String) {
        if let Some(field) = OPTIONAL.into_iter().find(|field| self.in_value && *field == self.key)
            && self.remarks.iter().all(|remark| remark.field != field)
        {
            self.remarks.push(FieldRemark { field, what });
        }
    }
}

/// A string token with every lone surrogate replaced, and the first of them; `None` if there is none.
fn without_lone_surrogates(token: &str) -> Option<(String, &str)> {
    let (mut repaired, mut first) = (String::new(), None);
    let mut rest = token;
    while let Some(backslash) = rest.find('\\') {
        let (before, escape) = rest.split_at(backslash);
        repaired.push_str(before);
        let next = escape.get(ESCAPE..).and_then(unit);
        let length = match (unit(escape), next) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => {
                first = first.or(Some(&escape[..ESCAPE]));
                repaired.push_str(REPLACEMENT);
                rest = &escape[ESCAPE..];
                continue;
            }
            // The character after the backslash belongs to it.
            _ => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    repaired.push_str(rest);
    first.map(|first| (repaired, first))
}

/// The UTF-16 code unit of an escape at the beginning of `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str, fields: &[&str]) {
        let (repaired, remarks) = repair(line).unwrap_or_else(|| panic!("{line} is repaired"));
        assert_eq!(repaired, expected);
        assert_eq!(remarks.iter().map(|remark| remark.field).collect::<Vec<_>>(), fields, "{line}: {remarks:?}");
    }

    #[test]
    fn half_a_character_is_replaced_outside_of_strict_fields() {
        check(r#"{"id":1,"comment":"a\ud83d"}"#, r#"{"id":1,"comment":"a\ufffd"}"#, &["comment"]);
        check(
            r#"{"comment":"\ude00\ud83d\ude00\ud83d\u0041"}"#,
            r#"{"comment":"\ufffd\ud83d\ude00\ufffd\u0041"}"#,
            &["comment"],
        );
        check(r#"{"comment":"\\ud83d\\\uD83D"}"#, r#"{"comment":"\\ud83d\\\ufffd"}"#, &["comment"]);
        check(
            r#"{"debug":{"\ud800":["\udfff"]},"x_a":"\ud800"}"#,
            r#"{"debug":{"\ufffd":["\ufffd"]},"x_a":"\ufffd"}"#,
            &["debug"],
        );
        check(r#"{"n\u0061me":"\ud800","x\ud800":1}"#, r#"{"n\u0061me":"\ufffd","x\ufffd":1}"#, &["name"]);
        for strict in [
            r#"{"type":"mo\ud800ve"}"#,
            r#"{"t\u0079pe":"mo\ud800ve"}"#,
            r#"{"type":"hello","games":["\ud800"]}"#,
            r#"{"comment":"\ud83d\ude00"}"#,
            r#"{"comment":"\ud8"#,
            r#"{"comment":"\"#,
        ] {
            assert_eq!(repair(strict).map(|(text, _)| text), None, "{strict}");
        }
    }

    #[test]
    fn a_number_out_of_range_becomes_null_outside_of_strict_fields() {
        check(r#"{"move":3,"eval":1e999}"#, r#"{"move":3,"eval":null }"#, &["eval"]);
        check(
            r#"{"debug":{"n":[-1e+400,1e308]},"depth":1e999}"#,
            r#"{"debug":{"n":[null   ,1e308]},"depth":null }"#,
            &["debug"],
        );
        for left in
            [r#"{"move":1e999}"#, r#"{"move":[1e999]}"#, r#"{"id":1e999}"#, r#"{"eval":01e999}"#, r#"{"eval":0e999}"#]
        {
            assert_eq!(repair(left).map(|(text, _)| text), None, "{left}");
        }
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length_and_is_repaired_once(text in r#"(\{|\}|\[|,|:|"|\\|\\u|d83d|de00|1e999|-|"move"|"eval"|é|😀){0,30}"#) {
            if let Some((repaired, _)) = repair(&text) {
                prop_assert_eq!(repaired.len(), text.len());
                prop_assert_eq!(repair(&repaired).map(|(text, _)| text), None);
            }
        }
    }
}
