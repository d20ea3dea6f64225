//! JSON without white space. Lines to bots have none, as docs/protocol.md says; programs of rules write it as they like.

/// Appends valid JSON without the white space outside of its strings. All else stays as it came, to the byte: the order of keys,
/// the digits of numbers, the escapes in strings.
pub(super) fn write_compact(json: &str, out: &mut Vec<u8>) {
    let mut rest = json.as_bytes();
    loop {
        let start = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        out.extend(rest[..start].iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')));
        if start == rest.len() {
            return;
        }
        let end = start + string_length(&rest[start..]);
        out.extend_from_slice(&rest[start..end]);
        rest = &rest[end..];
    }
}

/// The length of the string at the beginning of `json`, with its quotes.
fn string_length(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', json.get(at..).unwrap_or_default()) {
        at += found + 1;
        if json[at - 1] == b'"' {
            return at;
        }
        // What is escaped, perhaps a quote.
        at += 1;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn compact(json: &str) -> String {
        let mut out = Vec::new();
        write_compact(json, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_white_space_outside_of_strings_goes() {
        for (given, expected) in [
            ("{ \"b\" : [ 1e3 , -0.50,\t1E+2 ],\r\n \"a\":{ } }", r#"{"b":[1e3,-0.50,1E+2],"a":{}}"#),
            (r#"{"a b": " \" , \\" , "c":" \u0020\n"}"#, r#"{"a b":" \" , \\","c":" \u0020\n"}"#),
            (
                "{ \"n\": 9007199254740991, \"é \": \"\u{2028} \u{a0}\" }",
                "{\"n\":9007199254740991,\"é \":\"\u{2028} \u{a0}\"}",
            ),
            ("[ true , null ]", "[true,null]"),
            ("", ""),
        ] {
            assert_eq!(compact(given), expected);
            assert_eq!(compact(expected), expected);
        }
        // Nothing that is given makes it panic.
        assert_eq!([compact("\""), compact("\" \\"), compact("a \" b")], ["\"", "\" \\", "a\" b"]);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            r#"([ \t\n\\"]|.){0,8}"#.prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 6, |inner| {
            let key = r#"([ \\"]|.){0,4}"#;
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(key, inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_with_white_space_becomes_the_same_without(value in values()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), value.to_string());
        }
    }
}
