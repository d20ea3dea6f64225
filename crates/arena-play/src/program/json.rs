//! Strict JSON: one pass over a line finds its top-level fields and checks all the rest, at every depth.
//!
//! Stricter than a usual parser: no key may come twice in an object, no surrogate may stand alone, and integers stay within
//! ±(2^53−1), since bots in other languages would read all of these differently. What is accepted here is passed on unread,
//! but for white space.

use std::borrow::Cow;
use std::ops::Range;

use arena_core::text::shown;
use thiserror::Error;

/// Largest integer that is exact in a double, as which many languages read JSON numbers.
pub(super) const INTEGER_MAX: i64 = (1 << 53) - 1;
/// Integers with fewer digits are within that range.
const EXACT_DIGITS: usize = 16;
/// Maximum depth of nested lists and objects, below that of common parsers.
const DEPTH_MAX: usize = 100;

/// Why a text is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} at byte {at}")]
pub struct JsonMistake {
    /// What is wrong; foreign text in it is escaped.
    what: String,
    /// The number of the byte, from 1.
    at: usize,
}

/// A field of an object: its key, decoded, and where its value stands in the text.
pub(super) type Field<'a> = (Cow<'a, str>, Range<usize>);

/// The fields of the object that is all of `text`, in their order.
pub(super) fn fields(text: &str) -> Result<Vec<Field<'_>>, JsonMistake> {
    let mut scanner = Scanner { text, at: 0, depth: 0, keys: Vec::new() };
    let mut fields = Vec::with_capacity(8);
    scanner.skip_space();
    if scanner.peek() != Some(b'{') {
        return Err(scanner.mistake("expected an object"));
    }
    scanner.object(Some(&mut fields))?;
    scanner.skip_space();
    if scanner.at < text.len() {
        return Err(scanner.mistake("expected the end of the line after the object"));
    }
    Ok(fields)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// The keys so far of the object being read, after those of the objects around it.
    keys: Vec<Cow<'a, str>>,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn mistake(&self, what: impl Into<String>) -> JsonMistake {
        let what = if self.at < self.text.len() { what.into() } else { "the line ends inside the message".to_owned() };
        JsonMistake { what, at: self.at + 1 }
    }

    fn value(&mut self) -> Result<(), JsonMistake> {
        match self.peek() {
            Some(b'{') => self.object(None),
            Some(b'[') => self.list(),
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'\'') => Err(self.mistake("JSON has double quotes, not single quotes,")),
            _ => self.word(),
        }
    }

    fn enter(&mut self) -> Result<(), JsonMistake> {
        self.depth += 1;
        self.at += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.mistake(format!("nested deeper than {DEPTH_MAX}")));
        }
        self.skip_space();
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Reads an object; its fields are added to `found`.
    fn object(&mut self, mut found: Option<&mut Vec<Field<'a>>>) -> Result<(), JsonMistake> {
        self.enter()?;
        let first_key = self.keys.len();
        let mut is_first = true;
        while self.peek() != Some(b'}') || !is_first {
            if self.peek() != Some(b'"') {
                return Err(self.mistake("expected a key in double quotes"));
            }
            let key = self.string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.mistake("expected `:`"));
            }
            self.at += 1;
            self.skip_space();
            let start = self.at;
            self.value()?;
            if let Some(found) = &mut found {
                found.push((key.clone(), start..self.at));
            }
            self.keys.push(key);
            is_first = false;
            if !self.comma(b'}')? {
                break;
            }
        }
        self.check_keys(first_key)?;
        self.leave();
        Ok(())
    }

    fn list(&mut self) -> Result<(), JsonMistake> {
        self.enter()?;
        if self.peek() != Some(b']') {
            loop {
                self.value()?;
                if !self.comma(b']')? {
                    break;
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Skips a comma; false at the `end` of the object or list.
    fn comma(&mut self, end: u8) -> Result<bool, JsonMistake> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            Some(byte) if byte == end => Ok(false),
            _ => Err(self.mistake(format!("expected `,` or `{}`", char::from(end)))),
        }
    }

    /// Refuses a key that comes twice in the object whose keys begin at `first`, and forgets these keys.
    fn check_keys(&mut self, first: usize) -> Result<(), JsonMistake> {
        // Objects are small: to compare all pairs beats sorting until there are many keys.
        const COMPARED_MAX: usize = 12;
        let keys = &mut self.keys[first..];
        let twice = if keys.len() <= COMPARED_MAX {
            (1..keys.len()).find(|&index| keys[..index].contains(&keys[index]))
        } else {
            keys.sort_unstable();
            (1..keys.len()).find(|&index| keys[index - 1] == keys[index])
        };
        if let Some(index) = twice {
            let what = format!("the key `{}` comes twice in the object that ends", shown(&keys[index]));
            return Err(self.mistake(what));
        }
        self.keys.truncate(first);
        Ok(())
    }

    /// Reads a string, and decodes it.
    fn string(&mut self) -> Result<Cow<'a, str>, JsonMistake> {
        let (text, start) = (self.text, self.at);
        let bytes = text.as_bytes();
        self.at += 1;
        let mut is_plain = true;
        loop {
            let rest = &bytes[self.at..];
            let length = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            if let Some(control) = rest[..length].iter().position(|byte| *byte < 0x20) {
                self.at += control;
                return Err(self.mistake("a control character in a string must be escaped,"));
            }
            self.at += length;
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(_) => self.escape()?,
                None => return Err(self.mistake("")),
            }
            is_plain = false;
        }
        self.at += 1;
        if is_plain {
            return Ok(Cow::Borrowed(&text[start + 1..self.at - 1]));
        }
        let decoded = serde_json::from_str(&text[start..self.at]);
        decoded.map(Cow::Owned).map_err(|_| JsonMistake { what: "an invalid string".to_owned(), at: start + 1 })
    }

    fn escape(&mut self) -> Result<(), JsonMistake> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let lone = JsonMistake { what: "half of a surrogate pair".to_owned(), at: self.at + 1 };
                match self.code_unit()? {
                    0xd800..0xdc00 => {
                        let is_pair = self.text.as_bytes()[self.at..].starts_with(b"\\u")
                            && (0xdc00..0xe000).contains(&self.code_unit()?);
                        if !is_pair {
                            return Err(lone);
                        }
                    }
                    0xdc00..0xe000 => return Err(lone),
                    _ => {}
                }
            }
            Some(_) => return Err(self.mistake("an invalid escape in a string")),
            None => {
                self.at += 1;
                return Err(self.mistake(""));
            }
        }
        Ok(())
    }

    /// Reads `\uXXXX`.
    fn code_unit(&mut self) -> Result<u16, JsonMistake> {
        let digits = self.text.as_bytes().get(self.at + 2..self.at + 6);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits.and_then(|digits| u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let unit = unit.ok_or_else(|| self.mistake("expected four hexadecimal digits after `\\u`"))?;
        self.at += 6;
        Ok(unit)
    }

    fn number(&mut self) -> Result<(), JsonMistake> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_whole = !matches!(rest.get(digits), Some(b'.' | b'e' | b'E'));
        if is_whole && (1..EXACT_DIGITS).contains(&digits) && (rest[0] != b'0' || digits == 1) {
            // Most numbers.
            self.at += digits;
            return Ok(());
        }
        self.at += usize::from(self.peek() == Some(b'-'));
        let has_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if has_zero && digits > 1 {
            self.at = start;
            return Err(self.mistake("a number must not begin with 0"));
        }
        let mut is_integer = true;
        if self.peek() == Some(b'.') {
            is_integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let number = &self.text[start..self.at];
        let is_exact = |number: i64| (-INTEGER_MAX..=INTEGER_MAX).contains(&number);
        let is_good = if is_integer {
            number.len() < EXACT_DIGITS || number.parse().is_ok_and(is_exact)
        } else {
            number.parse().is_ok_and(f64::is_finite)
        };
        if is_good {
            return Ok(());
        }
        let what = format!("the number {} is out of range (integers: ±{INTEGER_MAX})", shown(number));
        Err(JsonMistake { what, at: start + 1 })
    }

    /// Reads digits; returns how many there are, at least one.
    fn digits(&mut self) -> Result<usize, JsonMistake> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.mistake("expected a digit")) } else { Ok(self.at - start) }
    }

    fn word(&mut self) -> Result<(), JsonMistake> {
        const QUOTED_MAX: usize = 20;
        let rest = &self.text[self.at..];
        let length = rest.bytes().take(QUOTED_MAX).take_while(u8::is_ascii_alphanumeric).count();
        match &rest[..length] {
            "true" | "false" | "null" => {
                self.at += length;
                Ok(())
            }
            "" => Err(self.mistake("expected a value")),
            other => Err(self.mistake(format!("`{other}` is no JSON value"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mistake(text: &str) -> String {
        fields(text).err().map(|mistake| mistake.to_string()).unwrap_or_default()
    }

    #[test]
    fn top_level_fields_are_found_with_their_values() {
        let text = r#" { "a" : [1, {"b": "}"}] ,"\u0062":{ },"c": -1.5e3, "d":"x\"\ud83d\ude00" } "#;
        let found: Vec<_> = fields(text).unwrap().into_iter().map(|(key, at)| (key.into_owned(), &text[at])).collect();
        let expected = [("a", r#"[1, {"b": "}"}]"#), ("b", "{ }"), ("c", "-1.5e3"), ("d", r#""x\"\ud83d\ude00""#)];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(fields("{}"), Ok(Vec::new()));
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        for (text, says) in [
            ("", "the line ends inside the message at byte 1"),
            (r#"{"a":1"#, "the line ends inside the message at byte 7"),
            ("{'a':1}", "expected a key in double quotes at byte 2"),
            ("{\"a\":'b'}", "JSON has double quotes, not single quotes, at byte 6"),
            (r#"{"a":1,}"#, "expected a key in double quotes at byte 8"),
            (r#"{"a":[1 2]}"#, "expected `,` or `]` at byte 9"),
            (r#"{"a":1}{"#, "expected the end of the line after the object at byte 8"),
            (r#"{"a":NaN}"#, "`NaN` is no JSON value at byte 6"),
            (r#"{"a":True}"#, "`True` is no JSON value at byte 6"),
            (r#"{"a":01}"#, "a number must not begin with 0 at byte 6"),
            (r#"{"a":1.}"#, "expected a digit at byte 8"),
            (r#"{"a":1e999}"#, "the number 1e999 is out of range (integers: ±9007199254740991) at byte 6"),
            (r#"{"a":9007199254740992}"#, "the number 9007199254740992 is out of range"),
            (r#"{"a":"\ud800"}"#, "half of a surrogate pair at byte 7"),
            (r#"{"a":"\ud800\u0041"}"#, "half of a surrogate pair at byte 7"),
            (r#"{"a":"\udc00"}"#, "half of a surrogate pair at byte 7"),
            (r#"{"a":"\x"}"#, "an invalid escape in a string at byte 7"),
            ("{\"a\":\"\t\"}", "a control character in a string must be escaped, at byte 7"),
            (r#"{"a":1,"\u0061":2}"#, "the key `a` comes twice in the object that ends at byte 18"),
            (r#"{"x":[{"a":1,"b":{"a":1},"a":2}]}"#, "the key `a` comes twice in the object that ends at byte 31"),
        ] {
            assert!(mistake(text).starts_with(says), "{text}: {}", mistake(text));
        }
        for fine in [r#"{"a":-9007199254740991}"#, r#"{"a":{"a":{}},"b":[{"a":1},{"a":1}]}"#, r#"{"a":1e300,"":0}"#] {
            assert_eq!(mistake(fine), "", "{fine}");
        }
    }

    #[test]
    fn depth_is_limited_and_many_keys_are_no_work() {
        let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(mistake(&nested(DEPTH_MAX - 1)), "");
        assert_eq!(mistake(&nested(DEPTH_MAX)), "nested deeper than 100 at byte 106");
        assert!(!mistake(&"{\"a\":".repeat(200_000)).is_empty());
        let many = |last: usize| {
            let keys: Vec<String> = (0..50_000).chain([last]).map(|number| format!("\"{number}\":0")).collect();
            format!("{{{}}}", keys.join(","))
        };
        assert_eq!(mistake(&many(50_000)), "");
        assert!(mistake(&many(777)).starts_with("the key `777` comes twice"));
    }

    /// What a usual parser says.
    fn is_json(text: &str) -> bool {
        serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(text).is_ok()
    }

    proptest! {
        #[test]
        fn nothing_is_accepted_that_is_no_json(text in r#"\{("[a-c\\u0-9dD]{0,7}"|[\[\]{},:]|[-0-9.eE+]{1,4}|true|null| ){0,12}\}"#) {
            prop_assert!(fields(&text).is_err() || is_json(&text));
        }

        #[test]
        fn all_that_a_usual_parser_writes_is_accepted(map in prop::collection::hash_map(".*", ".*", 0..20)) {
            let text = serde_json::to_string(&map).unwrap();
            let found = fields(&text).unwrap();
            prop_assert_eq!(found.len(), map.len());
            for (key, value) in found {
                prop_assert_eq!(&serde_json::from_str::<String>(&text[value]).unwrap(), &map[key.as_ref()]);
            }
        }

        #[test]
        fn a_changed_byte_is_refused_or_still_json(at in 0_usize..70, byte in 32_u8..127) {
            let mut text = br#"{"a":[1,-2.5e3,"\u00e9\n",{"b":null}],"c":{"d":[true,[]],"e":0},"f":7}"#.to_vec();
            text[at] = byte;
            let text = String::from_utf8(text).unwrap();
            prop_assert!(fields(&text).is_err() || is_json(&text));
        }
    }
}
