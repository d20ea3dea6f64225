//! Foreign text made safe to show: the one escaping function for everything that a bot or a file says.

/// The most characters of foreign text shown in a message.
const SHOWN_MAX: usize = 200;

/// `text` with control and direction-changing characters escaped, cut after 200 characters.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN_MAX * 4));
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_MAX {
            out.push('…');
            break;
        }
        push_escaped(&mut out, character);
    }
    out
}

/// `text` escaped like [`shown`] but whole: for logs, where the reader has asked for everything.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push_escaped(&mut out, character));
    out
}

/// What `error` says and what caused it, outermost first; a cause that was told already is not told again.
pub(crate) fn causes(error: &anyhow::Error) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.last().is_some_and(|last| last.contains(&cause)) {
            told.push(cause);
        }
    }
    told
}

/// What a library says is wrong with a value, without the names that types have in Rust.
pub(crate) fn in_plain_words(mistake: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("expected i64", "expected an integer"),
        ("expected u64", "expected an integer from 0"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("invalid type: sequence", "invalid type: a list"),
        ("invalid type: map", "invalid type: an object"),
    ];
    WORDS.iter().fold(mistake.to_owned(), |text, (jargon, plain)| text.replace(jargon, plain))
}

/// What is wrong with one line of JSON, and in which column.
pub(crate) fn json_mistake(error: &serde_json::Error) -> String {
    let message = json_message(error);
    if error.column() == 0 { message } else { format!("{message} (column {})", error.column()) }
}

/// What is wrong with one line of JSON, but not where: the error itself would speak of line 1, whatever line of a file
/// it is. It may quote a whole string of the text, escaped here, and say after it what was expected: the middle is cut.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    const END_CHARS: usize = 80;
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = &in_plain_words(text.strip_suffix(&place).unwrap_or(&text));
    let count = text.chars().count();
    if count <= SHOWN_MAX {
        return escaped(text);
    }
    let begin: String = text.chars().take(SHOWN_MAX - END_CHARS).collect();
    let end: String = text.chars().skip(count - END_CHARS).collect();
    format!("{}…{}", escaped(&begin), escaped(&end))
}

/// A number with its sign and one decimal; nothing is `-0.0`.
pub(crate) fn signed(value: f64) -> String {
    let text = format!("{value:+.1}");
    if text == "-0.0" { "+0.0".to_owned() } else { text }
}

/// The text that `bytes` are, or the number of the line (from 1) that is not UTF-8.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, usize> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        1 + memchr::memchr_iter(b'\n', good).count()
    })
}

/// `1 game`, `2 games`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn push_escaped(out: &mut String, character: char) {
    if character.is_control() || is_format(character) {
        out.extend(character.escape_default());
    } else {
        out.push(character);
    }
}

/// Characters that reorder or hide text (Unicode category Cf and the line separators), which
/// [`char::is_control`] does not cover.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_bidi_are_escaped() {
        assert_eq!(shown("a\x1b[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
        assert_eq!(shown("naïve ☃"), "naïve ☃");
    }

    #[test]
    fn a_mistake_in_json_repeats_nothing_raw() {
        #[derive(Debug, serde::Deserialize)]
        enum Known {}
        let error = serde_json::from_str::<Known>("\"\\u001b[31m\"").unwrap_err();
        assert!(error.to_string().contains('\u{1b}') && json_mistake(&error).contains("`\\u{1b}[31m`"), "{error}");
    }

    #[test]
    fn a_mistake_in_json_is_told_to_its_end() {
        let mistake = |text: &str| json_mistake(&serde_json::from_str::<Vec<u8>>(text).unwrap_err());
        assert_eq!(mistake(r#"["a at line b"]"#), r#"invalid type: string "a at line b", expected u8 (column 14)"#);
        let long = mistake(&format!(r#"["{}"]"#, "é".repeat(100_000)));
        assert!(
            long.starts_with("invalid type: string \"éé") && long.ends_with("é\", expected u8 (column 200003)"),
            "{long}"
        );
        assert!(long.contains('…') && long.chars().count() < 300, "{long}");
        assert_eq!(json_mistake(&serde::de::Error::custom("no place")), "no place");
    }

    #[test]
    fn types_are_named_as_in_json() {
        assert_eq!(in_plain_words("invalid type: map, expected i64"), "invalid type: an object, expected an integer");
        assert_eq!(in_plain_words("expected a sequence"), "expected a list");
    }

    #[test]
    fn the_line_that_is_not_utf8_is_counted() {
        assert_eq!(utf8("a\n☃".into()), Ok("a\n☃".to_owned()));
        assert_eq!([utf8(vec![0xff]), utf8(b"a\n\n\xe2\x98\n".to_vec())], [Err(1), Err(3)]);
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let cut = shown(&"x".repeat(500));
        assert_eq!(cut.chars().count(), SHOWN_MAX + 1);
        assert!(cut.ends_with('…'));
    }
}
