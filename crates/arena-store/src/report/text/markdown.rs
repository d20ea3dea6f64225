//! Text of others in GitHub's Markdown: it is shown as it is, and means nothing.
//!
//! GitHub looks for mentions, issues and addresses of mail in the finished text, where a backslash is gone. Between the sign and
//! what follows it is an invisible word joiner (U+2060) instead.

/// The word joiner, written so that text files have no invisible character.
const JOINER: &str = "&#8288;";
/// Characters that get a backslash wherever they are.
const SIGNS: &str = "\\|*_`<>[]~#&$!";

/// Text in a line of Markdown or a cell of a table. White space at its ends is left out, since it could make a block of code.
#[must_use]
pub(crate) fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Whether all of it so far is digits, as before the dot of a numbered list.
    let mut is_number = true;
    let mut rest = text.trim().chars();
    while let Some(c) = rest.next() {
        let begins_name = out.ends_with('@') && c.is_alphanumeric();
        let is_of_issue = ["\\#", "GH-", "gh-", "Gh-", "gH-"].iter().any(|sign| out.ends_with(sign));
        if begins_name || is_of_issue && c.is_ascii_digit() {
            out.push_str(JOINER);
        }
        let begins_link = c == '/' && out.ends_with(':') || c == '.' && is_after_www(&out);
        // A mark of a list has a space after it, and a line of hyphens is a rule.
        let ends = |after: &str| after.starts_with(char::is_whitespace) || after.is_empty();
        let after = rest.as_str();
        let begins_block = match c {
            '-' | '+' if out.is_empty() => ends(after) || after.starts_with('-'),
            '.' | ')' => is_number && !out.is_empty() && ends(after),
            _ => false,
        };
        if begins_link || begins_block || SIGNS.contains(c) {
            out.push('\\');
        }
        out.push(c);
        is_number &= c.is_ascii_digit();
    }
    out
}

fn is_after_www(text: &str) -> bool {
    text.as_bytes().last_chunk().is_some_and(|last: &[u8; 3]| last.eq_ignore_ascii_case(b"www"))
}

/// Text as code in a line of Markdown, such as a command to copy; not for a cell of a table.
#[must_use]
pub(crate) fn markdown_code(text: &str) -> String {
    // The fence is longer than any run of backticks in it (CommonMark 0.31, section 6.1).
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let is_bare = !text.starts_with(['`', ' ']) && !text.ends_with(['`', ' ']) && !text.is_empty();
    let space = if is_bare { "" } else { " " };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text made of what Markdown gives a meaning to.
    pub(crate) fn marked_up() -> impl Strategy<Value = String> {
        const PARTS: [&str; 48] = [
            "\\",
            "|",
            "*",
            "_",
            "`",
            "```",
            "<",
            ">",
            "[",
            "](",
            ")",
            "~~",
            "#",
            "&",
            "$",
            "!",
            "@",
            "@ann",
            "#12",
            "GH-7",
            "a@b.example",
            "http://e.example",
            "HTTPS://e.example",
            "www.e.example",
            "WWW.e",
            "ftp://e",
            "mailto:a@b.c",
            "- ",
            "+ ",
            "1. ",
            "1) ",
            "===",
            "---",
            "> ",
            "    code",
            "\t",
            "![x](http://e/i.png)",
            "<img src=x>",
            "<!--",
            "&lt;",
            "[x]: http://e",
            "[^1]",
            "word",
            " ",
            ":",
            "://",
            ".",
            "ann/repo#3",
        ];
        prop::collection::vec(prop::sample::select(&PARTS[..]), 0..9).prop_map(|parts| parts.concat())
    }

    /// The text that a line of Markdown shows, if nothing in it means anything; else what does.
    pub(crate) fn shown_plainly(markdown: &str) -> Result<String, String> {
        let mut plain = String::new();
        let mut is_number = true;
        let mut rest = markdown;
        let ends = |after: &str| after.starts_with(char::is_whitespace) || after.is_empty();
        let is_list = rest.strip_prefix(['-', '+']).is_some_and(ends);
        if is_list || rest.starts_with("--") || rest.starts_with(char::is_whitespace) {
            return Err(format!("a block: {markdown}"));
        }
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix(JOINER) {
                rest = after;
                is_number = false;
                if !after.starts_with(char::is_alphanumeric) {
                    return Err(format!("a joiner that joins nothing: {markdown}"));
                }
                continue;
            }
            let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next());
            if escaped.is_none() && "\\|*_`<>[]~#&$!".contains(c) {
                return Err(format!("a bare {c}: {markdown}"));
            }
            let next = escaped.unwrap_or(c);
            rest = &rest[c.len_utf8() + escaped.map_or(0, char::len_utf8)..];
            let is_split = rest.starts_with(JOINER);
            let is_reference = next == '@' && rest.starts_with(char::is_alphanumeric)
                || next == '#' && rest.starts_with(|c: char| c.is_ascii_digit())
                || plain.to_ascii_lowercase().ends_with("gh")
                    && next == '-'
                    && rest.starts_with(|c: char| c.is_ascii_digit());
            if is_reference && !is_split {
                return Err(format!("a reference: {markdown}"));
            }
            if escaped.is_none() && is_number && !plain.is_empty() && ".)".contains(next) && ends(rest) {
                return Err(format!("a list: {markdown}"));
            }
            is_number &= next.is_ascii_digit();
            plain.push(next);
        }
        let lower = markdown.to_lowercase();
        let has_address = ["://", "www."].iter().any(|begin| lower.contains(begin));
        if has_address { Err(format!("an address: {markdown}")) } else { Ok(plain) }
    }

    proptest! {
        #[test]
        fn any_text_is_shown_as_it_is(text in marked_up()) {
            prop_assert_eq!(shown_plainly(&markdown_text(&text)), Ok(text.trim().to_owned()));
        }

        #[test]
        fn code_ends_at_its_fence_and_nowhere_before(text in "[` a-c|]{0,12}") {
            let code = markdown_code(&text);
            let fence: String = code.chars().take_while(|c| *c == '`').collect();
            let inner = code.strip_prefix(&fence).and_then(|rest| rest.strip_suffix(&fence));
            let inner = inner.expect("two fences");
            prop_assert!(inner.split(|c| c != '`').all(|run| run.len() < fence.len()), "{}", code);
            let unpadded = inner.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' ')).unwrap_or(inner);
            prop_assert_eq!(unpadded, text);
        }
    }
}
