//! Lines no wider than a terminal.

use console::measure_text_width;

/// Breaks each line of `text` at spaces, so that it is at most `width` columns wide. Continuation lines begin with
/// `hanging` spaces. A word that is too wide for a line is kept whole on a line of its own. Spaces at the beginning of a
/// line and within it are kept; those at a break are removed. A width of 0 breaks nothing.
#[must_use]
pub fn wrap(text: &str, width: usize, hanging: usize) -> String {
    wrap_after(&[], text, width, hanging)
}

/// As [`wrap`], for JSON: breaks after commas too.
#[must_use]
pub fn wrap_json(text: &str, width: usize, hanging: usize) -> String {
    wrap_after(&[','], text, width, hanging)
}

/// As [`wrap`], for a command: a line that is continued ends in a backslash, as shells want it.
#[must_use]
pub fn wrap_command(command: &str, width: usize) -> String {
    const HANGING: usize = 4;
    // A backslash within quotes is itself.
    if measure_text_width(command) <= width || command.contains('\'') {
        return command.to_owned();
    }
    wrap(command, width.saturating_sub(2).max(1), HANGING).replace('\n', " \\\n")
}

/// Breaks at spaces and after the characters in `ends`.
fn wrap_after(ends: &[char], text: &str, width: usize, hanging: usize) -> String {
    if width == 0 {
        return text.to_owned();
    }
    text.split('\n').map(|line| wrap_line(ends, line, width, hanging)).collect::<Vec<_>>().join("\n")
}

fn wrap_line(ends: &[char], line: &str, width: usize, hanging: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let mut wrapped = " ".repeat(indent);
    let (mut column, mut is_begun) = (indent, false);
    let mut rest = body;
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let word = &rest[spaces..];
        let end = word.find(' ').unwrap_or(word.len());
        let end = word[..end].find(ends).map_or(end, |at| at + 1);
        let word = &word[..end];
        rest = &rest[spaces + end..];
        let cells = measure_text_width(word);
        if is_begun && column + spaces + cells > width {
            if !word.is_empty() {
                wrapped.push('\n');
                wrapped.push_str(&" ".repeat(hanging));
                wrapped.push_str(word);
                column = hanging + cells;
            }
        } else {
            wrapped.push_str(&" ".repeat(spaces));
            wrapped.push_str(word);
            column += spaces + cells;
        }
        is_begun = true;
    }
    wrapped
}

/// The beginning of a line that is wider than `width` columns, with `…` in place of what is left out.
#[must_use]
pub fn cut(line: &str, width: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let mut kept = String::new();
    let mut columns = 1;
    for c in line.chars() {
        columns += measure_text_width(c.encode_utf8(&mut [0; 4]));
        if columns > width {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_breaks_at_spaces_and_hangs() {
        assert_eq!(wrap("the quick brown fox", 10, 2), "the quick\n  brown\n  fox");
        assert_eq!(wrap("the quick brown fox", 19, 2), "the quick brown fox");
        assert_eq!(wrap("the quick brown fox", 0, 2), "the quick brown fox");
        assert_eq!(wrap("ok    plays  six games", 18, 6), "ok    plays  six\n      games");
        assert_eq!(wrap("", 10, 2), "");
    }

    #[test]
    fn a_long_word_is_kept_whole() {
        assert_eq!(wrap("see https://a.example/b/c now", 10, 1), "see\n https://a.example/b/c\n now");
        assert_eq!(wrap("  0123456789", 10, 4), "  0123456789");
    }

    #[test]
    fn lines_are_wrapped_one_by_one_and_keep_their_indentation() {
        assert_eq!(wrap("  one two three\nfour\n", 9, 4), "  one two\n    three\nfour\n");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(wrap("日本 日本 日本", 9, 0), "日本 日本\n日本");
    }

    #[test]
    fn json_breaks_after_commas() {
        assert_eq!(wrap_json(r#"sent: {"a":1,"b":[2,3]}"#, 14, 2), "sent: {\"a\":1,\n  \"b\":[2,3]}");
        assert_eq!(wrap("1,2,3,4,5", 4, 0), "1,2,3,4,5");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_too_wide(
            words in prop::collection::vec("[a-zé日]{1,12}", 0..20),
            width in 8_usize..60,
            hanging in 0_usize..8,
        ) {
            let wrapped = wrap(&words.join(" "), width, hanging);
            prop_assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), words);
            for line in wrapped.lines() {
                prop_assert!(measure_text_width(line) <= width || !line.trim_start().contains(' '), "{:?}", wrapped);
                prop_assert_eq!(line, line.trim_end());
            }
        }
    }

    #[test]
    fn a_cut_line_is_as_wide_as_there_is_room() {
        assert_eq!(cut("囲碁囲碁囲碁", 7), "囲碁囲…");
        assert_eq!(cut("abcdefg", 7), "abcdefg");
        assert_eq!(cut("abcdefgh", 7), "abcdef…");
        assert_eq!(cut("abcdef gh", 8), "abcdef…");
    }
}
