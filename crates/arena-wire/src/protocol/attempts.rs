//! Finds out which of a bot's lines was meant to answer `hello` or `new_game`, if no valid answer comes.
//!
//! Until a bot is ready, whatever it prints is dropped: it may be a forgotten `print`. But if nothing else comes, a line that
//! is nearly the answer says more than that there is none.

use arena_core::cause::Cause;
use memchr::memmem;

use super::dialect::Attempt;
use super::lines::quote;

/// Fields of our own messages: a line with one of them repeats `hello` or `new_game`, as a debug print does.
const OURS: [&[u8]; 2] = [b"max_line_bytes", b"rules_version"];

/// The lines since the last question.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// The type of the answer.
    wanted: &'static str,
    best: Option<Attempt>,
}

impl Attempts {
    /// A message is to be answered by one of type `wanted`.
    pub(super) fn at(wanted: &'static str) -> Self {
        Self { wanted, best: None }
    }

    /// The line that is most likely an attempt to answer.
    pub(super) fn best(&self) -> Option<&Attempt> {
        self.best.as_ref()
    }

    /// Notes a line that begins with `{` and is not valid.
    pub(super) fn note_malformed(&mut self, line: &[u8], cause: Cause, why: &str) {
        let is_clear = self.names(line, &[self.wanted]);
        if is_clear || self.best.as_ref().is_none_or(|best| !best.is_clear) {
            self.best = Some(Attempt { cause, why: format!("{why}: {}", quote(line)), is_clear });
        }
    }

    /// Notes a line that does not begin with `{`, or has an unknown type.
    pub(super) fn note_stray(&mut self, line: &[u8]) {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        if is_object || !self.names(line, &["type", self.wanted]) {
            return;
        }
        match &mut self.best {
            Some(best) if best.cause == Cause::SplitMessage => best.is_clear = true,
            best => {
                let (cause, why) = if line.contains(&0) {
                    (Cause::NotUtf8, "it has NUL bytes in it: write UTF-8, not UTF-16")
                } else {
                    (Cause::NotAnObject, "its line does not begin with {")
                };
                *best = Some(Attempt { cause, why: format!("{why}: {}", quote(line)), is_clear: true });
            }
        }
    }

    /// Whether a line has all of these words, in UTF-8 or UTF-16, and is not a copy of our message.
    fn names(&self, line: &[u8], words: &[&str]) -> bool {
        let line: Vec<u8> = line.iter().copied().filter(|byte| *byte != 0).collect();
        let has = |word: &[u8]| memmem::find(&line, word).is_some();
        !self.wanted.is_empty() && words.iter().all(|word| has(word.as_bytes())) && !OURS.iter().any(|ours| has(ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Dialect as _, Json, Meaning, Outgoing};

    /// The attempt that is found in these lines after `hello`.
    fn attempt(lines: &[&[u8]]) -> Option<Attempt> {
        let mut dialect = Json::new([1, 2]);
        dialect.write(Outgoing::Hello { startup: std::time::Duration::ZERO }, &mut Vec::new());
        for line in lines {
            assert!(matches!(dialect.read(line, true), Meaning::Surplus(..)), "{}", String::from_utf8_lossy(line));
        }
        dialect.attempt().cloned()
    }

    #[track_caller]
    fn check(lines: &[&[u8]], cause: Cause, says: &str) {
        let found = attempt(lines).expect("an attempt");
        assert!(found.cause == cause && found.is_clear && found.why.starts_with(says), "{found:?}");
    }

    #[test]
    fn an_answer_that_is_nearly_valid_is_recognised() {
        check(&[br#"{"type":"hello","protocol":1,}"#], Cause::InvalidJson, "trailing comma at byte 30: {");
        check(&[b"{'type': 'hello'}"], Cause::SingleQuotes, "key must be a string at byte 2; JSON has double quotes");
        check(&[b"{\"type\":\"hello\",\"name\":\"\xe7\"}"], Cause::NotUtf8, "invalid UTF-8 at byte 25: {");
        check(&[br#"{"type":"hello","type":"hello"}"#], Cause::InvalidJson, "duplicate key `type` at byte");
        let indented: [&[u8]; 4] = [b"{", br#"  "type": "hello","#, br#"  "protocol": 1"#, b"}"];
        check(
            &indented,
            Cause::SplitMessage,
            "EOF while parsing an object at byte 1; a message must stand on one line",
        );
        check(&[b"{type: \"hello\", protocol: 1}"], Cause::InvalidJson, "key must be a string at byte 2");
        check(
            &[br#"Starting {"type":"hello","protocol":1}"#],
            Cause::NotAnObject,
            "its line does not begin with {: Sta",
        );
        check(&[br#"'{"type":"hello","protocol":1}'"#], Cause::NotAnObject, "its line does not begin with {: '{");
        let utf16: Vec<u8> = b"{\"type\":\"hello\"}".iter().flat_map(|byte| [*byte, 0]).collect();
        check(&[&utf16], Cause::NotUtf8, "key must be a string at byte 2; it has NUL bytes");
        let chatter: &[u8] = b"{ loading: 3 }";
        check(&[chatter, b"{'type': 'hello'}", chatter], Cause::SingleQuotes, "key must be");
    }

    #[test]
    fn chatter_is_no_clear_attempt() {
        for line in [
            "{ loading: 3 }",
            r"{'type': 'hello', 'protocol': 1, 'arena': '0.1.0', 'max_line_bytes': 65536, 'startup_ms': 10000}",
        ] {
            assert!(attempt(&[line.as_bytes()]).is_some_and(|attempt| !attempt.is_clear), "{line}");
        }
        let engine = "Unknown command: '{\"type\":\"hello\"}'";
        for line in
            ["hello", "loading", "type 3", r#"{"type":"Hello","protocol":1}"#, r#"{"type":"info","x":"hello"}"#, engine]
        {
            assert_eq!(attempt(&[line.as_bytes()]), None, "{line}");
        }
    }
}
