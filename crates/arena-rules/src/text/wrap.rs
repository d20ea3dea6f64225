//! Lines no wider than a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Breaks each line of `text` at spaces, so that it is at most `width` columns wide. Continuation lines begin with
/// `hanging` spaces. A word that is too wide for a line is kept whole on a line of its own. Spaces at the beginning of a
/// line and within it are kept; those at a break are removed. A width of 0 breaks nothing.
#[must_use]
pub fn wrap(text: &str, width: usize, hanging: usize) -> String {
    wrap_after(&[], text, width, hanging)
}

/// As [`wrap`], but each line hangs below its own last column: a line of a list with columns, two or more spaces apart, below
/// the one with its text, and any other two columns further than it begins.
#[must_use]
pub fn wrap_list(text: &str, width: usize) -> String {
    let wrapped = |line: &str| wrap(line, width, last_column(line, width / 2).unwrap_or(indentation(line) + 2));
    text.split('\n').map(wrapped).collect::<Vec<_>>().join("\n")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Where the last column of a line begins that begins at `limit` at the latest.
fn last_column(line: &str, limit: usize) -> Option<usize> {
    let body = line.trim_start_matches(' ');
    let after_gap = |at: &usize| body[..*at].ends_with("  ") && !body[*at..].starts_with(' ');
    let columns = body.char_indices().map(|(at, _)| at).filter(after_gap);
    let begins = columns.map(|at| indentation(line) + body[..at].width());
    begins.take_while(|begin| *begin <= limit).last()
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
    if command.width() <= width || command.contains('\'') {
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
    if line.width() <= width {
        return line.to_owned();
    }
    let body = line.trim_start_matches(' ');
    let indent = indentation(line);
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
        let cells = word.width();
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
    if line.width() <= width {
        return line.to_owned();
    }
    let mut kept = String::new();
    let mut columns = 1;
    for c in line.chars() {
        columns += c.encode_utf8(&mut [0; 4]).width();
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
    fn a_list_hangs_below_its_last_column() {
        assert_eq!(wrap_list("kill   ok  a bot was gone", 20), "kill   ok  a bot was\n       gone");
        assert_eq!(wrap_list("kill  ok    a bot was gone", 25), "kill  ok    a bot was\n            gone");
        assert_eq!(wrap_list("  → one two three", 12), "  → one two\n    three");
        assert_eq!(wrap_list("one two three", 8), "one two\n  three");
        assert_eq!(wrap_list("name  of one two three", 12), "name  of one\n      two\n      three");
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
                prop_assert!(line.width() <= width || !line.trim_start().contains(' '), "{:?}", wrapped);
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
