//! The moves of a game as text, without parts that do not change them: comments, variations, numbers, marks.

use super::result::end_of_moves;
use crate::import::LeftOutCause;
use crate::record::GameResult;

/// A hash of the moves so far.
#[derive(Default)]
pub(super) struct Moves {
    /// Whether there was any text, even just a result.
    pub(super) any: bool,
    /// `None` without moves.
    hasher: Option<blake3::Hasher>,
    /// Number of variations that are open: their moves were not played.
    depth: u32,
    /// The result that ends the game, once it was read.
    pub(super) end: Option<Result<GameResult, LeftOutCause>>,
}

/// A move after the end of a game.
#[derive(Debug)]
pub(super) struct AfterEnd;

impl Moves {
    /// Reads the next word of `text`; returns the text after it. Fails before a move that is not of this game. `start` is the
    /// position from which the game began.
    pub(super) fn read<'a>(&mut self, start: &[u8], text: &'a [u8]) -> Result<&'a [u8], AfterEnd> {
        self.any = true;
        match text {
            [b'(', rest @ ..] => {
                self.depth = self.depth.saturating_add(1);
                return Ok(rest);
            }
            [b')', rest @ ..] => {
                self.depth = self.depth.saturating_sub(1);
                return Ok(rest);
            }
            // A closing parenthesis without an opening one.
            [b'}' | b']', rest @ ..] => return Ok(rest),
            _ => {}
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}()[];".contains(byte);
        let (word, rest) = text.split_at(text.iter().position(is_end).unwrap_or(text.len()));
        // A word has at least one byte, so the text gets shorter.
        let (word, rest) = if word.is_empty() { text.split_at(text.len().min(1)) } else { (word, rest) };
        self.word(start, word)?;
        Ok(rest)
    }

    fn word(&mut self, start: &[u8], word: &[u8]) -> Result<(), AfterEnd> {
        if self.depth > 0 || word.starts_with(b"$") {
            return Ok(());
        }
        if let Some(end) = end_of_moves(word) {
            self.end = Some(end);
            return Ok(());
        }
        let played = without_number(word);
        let marks = played.iter().rev().take_while(|byte| b"!?".contains(byte)).count();
        let played = &played[..played.len() - marks];
        if played.is_empty() {
            return Ok(());
        }
        if self.end.is_some() {
            return Err(AfterEnd);
        }
        let hasher = self.hasher.get_or_insert_with(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(start);
            hasher
        });
        hasher.update(b" ").update(played);
        Ok(())
    }

    /// Whether there is a move.
    pub(super) const fn has_moves(&self) -> bool {
        self.hasher.is_some()
    }

    /// A hash of the moves and the position they began from; `None` if unknown.
    pub(super) fn hash(&self) -> Option<[u8; 16]> {
        // The end of an unclosed variation is unknown.
        let hasher = self.hasher.as_ref().filter(|_| self.depth == 0)?;
        let mut hash = [0; 16];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Some(hash)
    }
}

/// A move without the number before it: `e4` of `12.e4`, and nothing of `12.`, `12` and `...`.
fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|byte| **byte == b'.').count();
    if dots > 0 || digits == word.len() { &word[digits + dots..] } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of moves without comments.
    fn hash(start: &str, text: &str) -> Option<[u8; 16]> {
        let mut moves = Moves::default();
        let mut rest = text.as_bytes();
        while !rest.trim_ascii_start().is_empty() {
            rest = moves.read(start.as_bytes(), rest.trim_ascii_start()).unwrap();
        }
        moves.hash()
    }

    #[test]
    fn only_moves_and_their_start_make_a_game() {
        let plain = hash("", "e4 e5 Nf3");
        assert!(plain.is_some());
        for same in ["1. e4 e5 2. Nf3 1-0", "1.e4 1...e5 2.Nf3!? *", "1 e4 $1 (1. d4 (1. c4) d5) e5 2. Nf3 0-1"] {
            assert_eq!(hash("", same), plain, "{same}");
        }
        for other in ["e4 e5 Nf6", "e4 e5", "e4 e5Nf3", "e4 (e5) Nf3", "e4 e5 O-O", "e4 e5 0-0"] {
            assert_ne!(hash("", other), plain, "{other}");
        }
        assert_ne!(hash("4k3/8/8/8/8/8/8/4K3 w - -", "e4 e5 Nf3"), plain);
        for unknown in ["", "1-0", "1. *", "e4 (e5 Nf3"] {
            assert_eq!(hash("", unknown), None, "{unknown}");
        }
        assert!(Moves { end: Some(Err(LeftOutCause::Unfinished)), ..Moves::default() }.read(b"", b"e4").is_err());
    }
}
