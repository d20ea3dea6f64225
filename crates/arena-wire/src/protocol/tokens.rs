//! The tokens of JSON, for what looks at a line before it is valid.

/// The length of the string, the number or the character that begins at this byte.
pub(super) fn token_length(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    match rest[0] {
        b'"' => {
            let mut end = 1;
            while let Some(byte) = rest.get(end) {
                match byte {
                    b'"' => return end + 1,
                    // A backslash and an ASCII character after it; what else follows is no JSON, and stays whole.
                    b'\\' if rest.get(end + 1).is_some_and(u8::is_ascii) => end += 2,
                    _ => end += 1,
                }
            }
            rest.len()
        }
        b'-' | b'0'..=b'9' => {
            let of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
            rest.iter().take_while(of_number).count()
        }
        _ => text[at..].chars().next().map_or(1, char::len_utf8),
    }
}
