//! Comments in braces over several lines.
//!
//! A comment ends at the next `}`, whatever is in it, tags and whole games too. But if its `}` is missing, it ends at that of
//! a comment in a later game. Such a comment shows that by another `{` after players and result of a game, to which that `}`
//! belongs. If a second `}` follows, a game with a comment of its own was quoted.

use super::tag;

/// Tags of every game.
const ROSTER: [&str; 5] = ["Event", "White", "Black", "Result", "Round"];
/// Tags that a game needs.
const GAME: [&str; 3] = ["White", "Black", "Result"];
/// Maximum number of bytes of a comment from the first tag within it.
const BYTES_MAX: usize = 1 << 22;

/// A comment that is open at the end of a line.
pub(super) struct Comment {
    /// The line it began on.
    pub(super) line: u64,
    /// The lines from the first one within it that begins with a tag of a game, each with its number: those of other games, if
    /// the comment is not closed.
    held: Vec<(Vec<u8>, u64)>,
    bytes: usize,
    /// Which tags of a whole game are among them.
    tags: [bool; GAME.len()],
    state: State,
}

enum State {
    /// There is no `{` after the tags of a game yet.
    Plain,
    /// There is one, and no `}` after it.
    Nested,
    /// Both: the next brace decides.
    Undecided,
}

/// What a line makes of a comment.
pub(super) enum Next {
    /// It is open.
    Open,
    /// It ends before this place of the line.
    Ends(usize),
    /// It was not closed: the lines are those of other games.
    NotClosed(Vec<(Vec<u8>, u64)>),
}

impl Comment {
    pub(super) const fn new(line: u64) -> Self {
        Self { line, held: Vec::new(), bytes: 0, tags: [false; GAME.len()], state: State::Plain }
    }

    /// Reads the next line.
    pub(super) fn line(&mut self, line: &[u8], number: u64) -> Next {
        let has_tag = || tag::read(line.trim_ascii_start()).is_some_and(|(tag, _)| tag.is_any(&ROSTER));
        if self.held.is_empty() && !has_tag() {
            return memchr::memchr(b'}', line).map_or(Next::Open, |end| Next::Ends(end + 1));
        }
        let mut rest = line.trim_ascii_start();
        while let Some((tag, after)) = tag::read(rest) {
            GAME.iter().zip(&mut self.tags).for_each(|(name, seen)| *seen |= tag.is_any(&[name]));
            rest = after.trim_ascii_start();
        }
        self.held.push((line.to_vec(), number));
        self.bytes += line.len() + size_of::<(Vec<u8>, u64)>();
        for place in memchr::memchr2_iter(b'{', b'}', line) {
            match (&self.state, line[place]) {
                (State::Plain | State::Undecided, b'}') => return Next::Ends(place + 1),
                (State::Plain, _) if self.tags.contains(&false) => {}
                (State::Plain, _) => self.state = State::Nested,
                (State::Nested, b'}') => self.state = State::Undecided,
                (State::Nested | State::Undecided, _) => return self.not_closed(),
            }
        }
        if self.bytes > BYTES_MAX { self.not_closed() } else { Next::Open }
    }

    /// The lines of other games, at the end of the file or before.
    pub(super) fn not_closed(&mut self) -> Next {
        Next::NotClosed(std::mem::take(&mut self.held))
    }
}
