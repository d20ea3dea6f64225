//! Files of other kinds, which are named as what they are.

/// A kind of file.
struct ForeignKind {
    /// Endings of its names.
    endings: &'static [&'static str],
    /// Whether its first bytes say so.
    is_it: fn(&[u8]) -> bool,
    /// What it is, and what to do.
    what: &'static str,
}

const KINDS: [ForeignKind; 7] = [
    ForeignKind {
        endings: &[".trf", ".trfx", ".trf16"],
        is_it: |head| lines(head).any(|line| line.starts_with(b"012 ")) || has_line(head, is_trf_player),
        what: "a Tournament Report File of FIDE: it has the results of players by round, not games; save the games as PGN, or \
               write a table with the columns white,black,result",
    },
    ForeignKind {
        endings: &[".sgf"],
        is_it: |head| without_white(head).starts_with(b"(;"),
        what: "a file of Smart Game Format, which has one game or a tree of variations; write a table with the columns \
               white,black,result from the properties PW, PB and RE of the files",
    },
    ForeignKind {
        endings: &[".json", ".jsonl", ".ndjson"],
        is_it: is_json,
        what: "JSON; write its games as a table with the columns white,black,result, for instance with jq and @csv. A \
               tournament of arena is rated by its folder or its journal games.jsonl: arena standings FOLDER",
    },
    ForeignKind {
        endings: &[".html", ".htm", ".xml"],
        is_it: |head| without_white(head).starts_with(b"<"),
        what: "a page of HTML or XML; save the table of its games as CSV with the columns white,black,result",
    },
    ForeignKind {
        endings: &[".sqlite", ".sqlite3", ".db"],
        is_it: |head| head.starts_with(b"SQLite format 3\0"),
        what: "a database of SQLite; write its games as CSV with the columns white,black,result",
    },
    ForeignKind {
        endings: &[".parquet"],
        is_it: |head| head.starts_with(b"PAR1"),
        what: "a Parquet file; write its games as CSV with the columns white,black,result",
    },
    ForeignKind {
        endings: &[".dat", ".bin"],
        is_it: |head| memchr::memchr(0, head).is_some(),
        what: "a data file of another program, not a table or PGN; save its games there as PGN, or as CSV with the columns \
               white,black,result",
    },
];

/// Says what a file is in which no games were found, by its first bytes in UTF-8 or by its name, if these tell.
pub(super) fn foreign(name: &str, head: &[u8]) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let is_named = |kind: &&ForeignKind| kind.endings.iter().any(|end| name.ends_with(end));
    KINDS.iter().find(|kind| (kind.is_it)(head)).or_else(|| KINDS.iter().find(is_named)).map(ForeignKind::said)
}

impl ForeignKind {
    fn said(&self) -> String {
        format!("it is {}", self.what)
    }
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| b"\r\n".contains(byte))
}

fn has_line(head: &[u8], is_it: impl Fn(&[u8]) -> bool) -> bool {
    lines(head).any(is_it)
}

/// Whether a line is that of a player: `001`, and the starting number in columns 5 to 8.
fn is_trf_player(line: &[u8]) -> bool {
    line.starts_with(b"001 ") && line.get(4..8).is_some_and(|number| number.trim_ascii().iter().all(u8::is_ascii_digit))
}

fn without_white(head: &[u8]) -> &[u8] {
    head.trim_ascii_start()
}

/// Whether it begins with an object, or a list that no tag begins: a tag has a name after its bracket.
fn is_json(head: &[u8]) -> bool {
    let rest = |text: &[u8]| text.get(1..).unwrap_or_default().trim_ascii_start().first().copied();
    match without_white(head) {
        text @ [b'{', ..] => rest(text).is_some_and(|next| b"\"}".contains(&next)),
        text @ [b'[', ..] => rest(text).is_some_and(|next| b"{[\"]".contains(&next)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_named() {
        let kind = |text: &str| {
            foreign("it", text.as_bytes()).map_or_else(|| "games".to_owned(), |said| said[6..17].trim_end().to_owned())
        };
        let seen = [
            "012 Open of Reykjavik\n",
            "001    1 m GM Ann  2500 ICE 1 1990/01/01 1.0 1\n",
            "(;GM[1]FF[4]SZ[19])",
            " {\"white\": \"ann\"}\n",
            "[{\"white\": \"ann\"}]",
            "[[\"ann\", \"bob\"]]",
            "<!DOCTYPE html>",
            "SQLite format 3\0",
            "\u{1}\0\u{2}",
            "white,black,result\n",
            "[White \"ann\"]\n",
            "{ a comment } [White \"ann\"]\n",
            "[\n",
        ];
        insta::assert_snapshot!(seen.map(kind).join("\n"), @"
        a Tournamen
        a Tournamen
        a file of S
        JSON; write
        JSON; write
        JSON; write
        a page of H
        a database
        a data file
        games
        games
        games
        games
        ");
        assert!(foreign("a/b.DAT", b"x").is_some_and(|said| said.starts_with("it is a data file")));
        assert_eq!(foreign("dat", b"x"), None);
    }
}
