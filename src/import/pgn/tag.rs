//! Reads tags such as `[White "ann"]`.

use crate::text::shown;

pub(super) struct Tag {
    name: Vec<u8>,
    pub(super) value: Vec<u8>,
}

impl Tag {
    pub(super) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Reads the tag at the start of `text`; returns it and the text after it, or a description of its error.
///
/// In the value, `\"` and `\\` stand for a quote and a backslash. Many programs do not escape quotes, so only a quote
/// before a `]` ends the value.
pub(super) fn read(text: &[u8]) -> Result<(Tag, &[u8]), String> {
    opened(text).ok_or_else(|| {
        let text = shown(&String::from_utf8_lossy(text));
        format!("`{text}` is not a tag, such as [White \"ann\"]")
    })
}

fn opened(text: &[u8]) -> Option<(Tag, &[u8])> {
    let text = text.strip_prefix(b"[")?.trim_ascii_start();
    let quote = memchr::memchr(b'"', text)?;
    let name = text[..quote].trim_ascii_end();
    if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return None;
    }
    let mut value = Vec::new();
    let mut rest = &text[quote + 1..];
    loop {
        match rest {
            [b'\\', escaped @ (b'"' | b'\\'), after @ ..] if is_escape(*escaped, after) => {
                value.push(*escaped);
                rest = after;
            }
            [b'"', after @ ..] if after.trim_ascii_start().starts_with(b"]") => {
                return Some((Tag { name: name.to_vec(), value }, &after.trim_ascii_start()[1..]));
            }
            [byte, after @ ..] => {
                value.push(*byte);
                rest = after;
            }
            [] => return None,
        }
    }
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
            Ok((tag, rest)) => {
                [tag.name, tag.value, rest.to_vec()].map(|part| String::from_utf8(part).unwrap()).join("|")
            }
            Err(what) => what,
        };
        let texts = [
            r#"[White "ann"]"#,
            r#"[ White  "ann" ] [Black "bob"]"#,
            r#"[White"a \"b\" \\ c\d"]x"#,
            r#"[White "a "b" [c] d"]"#,
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
        White|a "b" [c] d|
        White|C:\|
        White|C:\|
        White||
        `[White "ann]` is not a tag, such as [White "ann"]
        `[White ann]` is not a tag, such as [White "ann"]
        `["ann"]` is not a tag, such as [White "ann"]
        `[%clk "1"]` is not a tag, such as [White "ann"]
        `[` is not a tag, such as [White "ann"]
        "#);
    }
}
