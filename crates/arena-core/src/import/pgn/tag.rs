//! Reads tags such as `[White "ann"]`.

pub(super) struct Tag {
    pub(super) name: Vec<u8>,
    pub(super) value: Vec<u8>,
}

impl Tag {
    /// A tag whose value cannot be read.
    pub(super) fn damaged(name: &[u8]) -> Self {
        Self { name: name.to_vec(), value: Vec::new() }
    }

    /// Whether the other one has the same name.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
    }

    pub(super) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Reads the tag at the start of `text`; returns it and the text after it. `None` if it is cut or damaged.
///
/// In the value, `\"` and `\\` stand for a quote and a backslash. Many programs do not escape quotes, so only a quote
/// before a `]` ends the value. It may have other quotes, but none with a tag beside it: a tag that is cut runs on into
/// the next one.
pub(super) fn read(text: &[u8]) -> Option<(Tag, &[u8])> {
    let (name, mut rest) = opened(text)?;
    let mut value = Vec::new();
    loop {
        match rest {
            [b'\\', escaped @ (b'"' | b'\\'), after @ ..] if is_escape(*escaped, after) => {
                value.push(*escaped);
                rest = after;
            }
            [b'"', after @ ..] if after.trim_ascii_start().starts_with(b"]") => {
                return Some((Tag { name: name.to_vec(), value }, &after.trim_ascii_start()[1..]));
            }
            [b'"', after @ ..] if after.trim_ascii_start().starts_with(b"[") => return None,
            [b'[', ..] if opened(rest).is_some_and(|(_, value)| !value.starts_with(b"]")) => return None,
            [byte, after @ ..] => {
                value.push(*byte);
                rest = after;
            }
            [] => return None,
        }
    }
}

/// The name of the tag at the start of `text`, and the text after its first quote.
pub(super) fn opened(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"[")?.trim_ascii_start();
    let quote = memchr::memchr(b'"', text)?;
    let name = text[..quote].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then_some((name, &text[quote + 1..]))
}

/// Whether `text`, the end of a line, can be the first part of a tag that goes on in the next one.
pub(super) fn is_begun(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    text.starts_with(b"[") && !text.starts_with(b"[%") && !text[1..].contains(&b'[') && !text.ends_with(b"]")
}

/// Whether the byte after a backslash is escaped: a quote that ends the line's last tag is not, as in `"C:\"]`.
fn is_escape(escaped: u8, after: &[u8]) -> bool {
    escaped == b'\\' || memchr::memchr(b'"', after).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_contain_any_text() {
        let seen = |text: &str| match read(text.as_bytes()) {
            Some((tag, rest)) => {
                [tag.name, tag.value, rest.to_vec()].map(|part| String::from_utf8(part).unwrap()).join("|")
            }
            None => "damaged".to_owned(),
        };
        let texts = [
            r#"[White "ann"]"#,
            r#"[ White  "ann" ] [Black "bob"]"#,
            r#"[White"a \"b\" \\ c\d"]x"#,
            r#"[White "a "b" c [d] e"]"#,
            r#"[White "a \" [b"]"#,
            r#"[White "a [Black "b"]"#,
            r#"[White "a" [Black "b"]"#,
            r#"[White "a "[b"]"#,
            r#"[White "C:\"]"#,
            r#"[White "C:\\"]"#,
            r#"[White ""]"#,
            r#"[White "ann]"#,
            "[White ann]",
            r#"["ann"]"#,
            r#"[%clk "1"]"#,
            "[",
        ];
        insta::assert_snapshot!(texts.map(seen).join("\n"), @r#"
        White|ann|
        White|ann| [Black "bob"]
        White|a "b" \ c\d|x
        White|a "b" c [d] e|
        White|a " [b|
        damaged
        damaged
        damaged
        White|C:\|
        White|C:\|
        White||
        damaged
        damaged
        damaged
        damaged
        damaged
        "#);
    }
}
