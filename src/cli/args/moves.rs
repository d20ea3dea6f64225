//! Moves as people type them.

use std::io::Read as _;

use anyhow::{Context, bail};
use arena_core::rules::{Move, State};
use arena_core::text::shown;

use crate::cli::Io;

/// Longest text of moves that is read from a file.
const BYTES_MAX: u64 = 1 << 20;

/// Reads moves: `3,3,2`, or cells such as `0,0 1,1`, or words such as `d3 c5`, or a JSON list. `-` reads stdin, and `@FILE` a file. `start` is the
/// position before them, which tells the form of a move.
pub(crate) fn read_moves(typed: &str, start: &dyn State, io: &Io) -> anyhow::Result<Vec<Move>> {
    if typed == "-" {
        return parse_moves(&read_some(io.stdin()).context("reading moves from stdin")?, start);
    }
    match typed.strip_prefix('@') {
        Some(path) => {
            let reading = || format!("reading moves from `{}`", shown(path));
            let file = std::fs::File::open(path).with_context(reading)?;
            read_some(file).and_then(|text| parse_moves(&text, start)).with_context(reading)
        }
        None => parse_moves(typed, start),
    }
}

fn read_some(from: impl std::io::Read) -> anyhow::Result<String> {
    let mut text = String::new();
    from.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > BYTES_MAX {
        bail!("more than {BYTES_MAX} bytes are not a list of moves");
    }
    Ok(text)
}

/// Reads moves in one of the forms of [`read_moves`].
pub(crate) fn parse_moves(text: &str, start: &dyn State) -> anyhow::Result<Vec<Move>> {
    let text = text.trim();
    let first = (start.legal_count() > 0).then(|| start.nth_legal(0));
    let wants_lists = matches!(first, Some(Move::List(_)));
    let example = match &first {
        Some(Move::List(_)) => "0,0 1,1 or [[0,0],[1,1]]".to_owned(),
        Some(first @ Move::Text(word)) => format!("{} … or [{first},…]", shown(word)),
        Some(first @ Move::Parts(_)) => format!("[{first},…]"),
        Some(Move::Int(_)) | None => "3,3,2 or [3,3,2]".to_owned(),
    };
    let bad = || format!("`{}` is not a list of moves; write them as {example}", shown(text));
    if text.starts_with('[') {
        return serde_json::from_str(text).with_context(bad);
    }
    let numbers = |text: &str| {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| word.parse::<i64>().with_context(bad)).collect::<anyhow::Result<Vec<_>>>()
    };
    if matches!(first, Some(Move::Text(_))) {
        // Words may have commas in them.
        let has_commas = !text.contains(char::is_whitespace) && !start.is_legal(&Move::Text(text.to_owned()));
        let is_between = |c: char| c.is_whitespace() || has_commas && c == ',';
        let words = text.split(is_between).filter(|word| !word.is_empty());
        return Ok(words.map(|word| Move::Text(word.to_owned())).collect());
    }
    if matches!(first, Some(Move::Parts(_))) {
        bail!(bad());
    }
    if wants_lists {
        return text.split_whitespace().map(|cell| Ok(Move::List(numbers(cell)?))).collect();
    }
    let words: Vec<Vec<i64>> = text.split_whitespace().map(numbers).collect::<anyhow::Result<_>>()?;
    Ok(words.into_iter().flatten().map(Move::Int).collect())
}

#[cfg(test)]
mod tests {
    use arena_core::rules::Variant;

    use super::*;

    #[track_caller]
    fn check(game: &str, text: &str, expected: &str) {
        let start = Variant::named(game).unwrap().start(0).unwrap();
        let moves = parse_moves(text, start.as_ref()).map(|moves| serde_json::to_string(&moves).unwrap());
        assert_eq!(moves.unwrap_or_else(|error| error.to_string()), expected);
    }

    #[test]
    fn moves_are_typed_in_the_form_of_their_game() {
        check("connect4", "3,3,2", "[3,3,2]");
        check("connect4", " 3 3, 2\n", "[3,3,2]");
        check("connect4", "[3, 3]", "[3,3]");
        check("connect4", "", "[]");
        check("tictactoe", "0,0 1,1", "[[0,0],[1,1]]");
        check("tictactoe", "[[0,0],[1,1]]", "[[0,0],[1,1]]");
        check("mastermind", "0,0,1,1", "[[0,0,1,1]]");
        check("connect4", "a4", "`a4` is not a list of moves; write them as 3,3,2 or [3,3,2]");
        check("tictactoe", "[[0,0]", "`[[0,0]` is not a list of moves; write them as 0,0 1,1 or [[0,0],[1,1]]");
    }
}
