//! Splits a bot's output into lines, the same for every protocol: limits their length, and counts the dropped ones.
//! Pure: bytes in, events out; the caller reads the pipe and keeps the time.

use arena_core::cause::{Cause, Surplus};
use arena_core::text::{escaped, shown};

use super::dialect::{Dialect, Meaning, Response};
use super::optional::FieldRemark;
use super::{CHATTER_BYTES_MAX, LINE_BYTES_MAX, UNUSABLE_BYTES_MAX, UNUSABLE_LINES_MAX};

/// What a line is.
#[derive(Debug)]
pub enum LineEvent {
    /// What was asked for, and a remark for each optional field that was dropped or changed.
    Response(Response, Vec<FieldRemark>),
    /// A line that is dropped and counted, escaped; if it looked like a message, with why it is not one.
    Surplus(Surplus, String, Option<String>),
    /// A remark, which [`BotLines::last_line`] has: few of them are logged, so it is escaped only then.
    Chatter,
    /// The bot broke the protocol; says how.
    Violation(Cause, String),
}

/// The unread bytes of one process, and the counts of its present game.
#[derive(Debug)]
pub struct BotLines {
    /// `bytes[start..end]` is unjudged; the capacity is the longest line, its `\r`, and one byte more.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// Everything up to here was searched for a newline without finding one.
    searched: usize,
    at_first_line: bool,
    /// The beginning of the last line judged, as it came: it is rarely asked for, so it is escaped only then.
    last_line: Vec<u8>,
    /// Where that line is in `bytes`, until more is read.
    last_place: std::ops::Range<usize>,
    /// Why that line was dropped, if it was.
    last_dropped: Option<Surplus>,
    /// Lines dropped of either kind.
    stray: u32,
    stale: u32,
    unusable_bytes: usize,
    chatter_bytes: usize,
    /// Lines judged so far, but for blank ones.
    judged: u64,
    /// Stale lines since the last move of this game, and those between that move and the one before it. `None` before the
    /// first move.
    after_move: Option<u32>,
    after_move_before: Option<u32>,
    /// The beginnings of the last move and of the one before it, as they came; empty if there was none.
    moves: [Vec<u8>; 2],
}

impl Default for BotLines {
    /// Nothing has come from a new process.
    fn default() -> Self {
        Self {
            bytes: vec![0; LINE_BYTES_MAX + 2].into_boxed_slice(),
            start: 0,
            end: 0,
            searched: 0,
            at_first_line: true,
            last_line: Vec::with_capacity(QUOTED_BYTES_MAX),
            last_place: 0..0,
            last_dropped: None,
            stray: 0,
            stale: 0,
            unusable_bytes: 0,
            chatter_bytes: 0,
            judged: 0,
            after_move: None,
            after_move_before: None,
            moves: Default::default(),
        }
    }
}

impl BotLines {
    /// Resets the counts, for the start and the end of a game. Returns the number of lines dropped before.
    pub fn restart_counts(&mut self) -> u32 {
        let dropped = self.surplus_lines();
        (self.stray, self.stale, self.unusable_bytes, self.chatter_bytes) = (0, 0, 0, 0);
        (self.after_move, self.after_move_before) = (None, None);
        self.moves.iter_mut().for_each(Vec::clear);
        dropped
    }

    /// Where the next bytes are to be read to; never empty after [`BotLines::next`] returned `None`.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
            self.last_place = 0..0;
        }
        &mut self.bytes[self.end..]
    }

    /// Notes that `count` bytes were read into [`BotLines::space`].
    pub fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Classifies the next line with `dialect`, or returns `None` when more bytes are needed. `asked` as for
    /// [`Dialect::read`].
    pub fn next(&mut self, dialect: &mut dyn Dialect, asked: bool) -> Option<LineEvent> {
        loop {
            let found = memchr::memchr(b'\n', &self.bytes[self.searched..self.end]);
            let Some(length) = found.map(|offset| self.searched + offset - self.start) else {
                self.searched = self.end;
                return self.over_length(self.start..self.end);
            };
            let mut line = self.start..self.start + length;
            if let Some(event) = self.over_length(line.clone()) {
                return Some(event);
            }
            self.start = line.end + 1;
            self.searched = self.start;
            line.end = self.without_cr(line.clone()).end;
            if std::mem::take(&mut self.at_first_line) && self.bytes[line.clone()].starts_with(b"\xef\xbb\xbf") {
                line.start += 3;
            }
            let meaning = dialect.read(&self.bytes[line.clone()], asked);
            if let Some(event) = self.judge(line, meaning) {
                return Some(event);
            }
        }
    }

    /// Lines dropped since they were last counted anew.
    #[must_use]
    pub fn surplus_lines(&self) -> u32 {
        self.stray + self.stale
    }

    /// How many answers the bot has written to the question before the last move, if that was one too many: the first counts,
    /// and those that were dropped before the next question.
    #[must_use]
    pub fn answers_before(&self) -> Option<u32> {
        self.after_move_before.filter(|surplus| *surplus > 0).map(|surplus| surplus + 1)
    }

    /// How many answers it has written since the last question, if that is one too many.
    #[must_use]
    pub fn answers_since(&self) -> Option<u32> {
        self.after_move.filter(|surplus| *surplus > 0).map(|surplus| surplus + 1)
    }

    /// Whether the last two moves were the same line.
    #[must_use]
    pub fn repeats_move(&self) -> bool {
        !self.moves[0].is_empty() && self.moves[0] == self.moves[1]
    }

    /// Number of lines judged so far, but for blank ones.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The last line judged, escaped and cut; empty if there was none.
    #[must_use]
    pub fn last_line(&self) -> String {
        quote(&self.last_line)
    }

    /// The whole last line judged, escaped; after another read only its beginning, as [`BotLines::last_line`].
    #[must_use]
    pub fn last_whole_line(&self) -> String {
        if self.last_place.is_empty() {
            return self.last_line();
        }
        escaped(String::from_utf8_lossy(&self.bytes[self.last_place.clone()]).trim_end())
    }

    /// Why the last line judged was dropped, if it was.
    #[must_use]
    pub fn last_dropped(&self) -> Option<Surplus> {
        self.last_dropped
    }

    /// The unfinished line, escaped and cut, if there is one.
    #[must_use]
    pub fn fragment(&self) -> Option<String> {
        let unjudged = &self.bytes[self.start..self.end];
        // Lines before it may not be judged yet.
        let fragment = memchr::memrchr(b'\n', unjudged).map_or(unjudged, |newline| &unjudged[newline + 1..]);
        (!fragment.is_empty()).then(|| quote(fragment))
    }

    fn judge(&mut self, line: std::ops::Range<usize>, meaning: Meaning) -> Option<LineEvent> {
        let bytes = line.len() + 1;
        if !matches!(meaning, Meaning::Blank) {
            self.keep(line);
        }
        let (kind, why) = match meaning {
            Meaning::Response(response, dropped) => {
                if matches!(response, Response::Move(_)) {
                    self.after_move_before = self.after_move.replace(0);
                    self.moves.swap(0, 1);
                    self.moves[0].clone_from(&self.last_line);
                }
                return Some(LineEvent::Response(response, dropped));
            }
            Meaning::Part => return None,
            Meaning::Chatter => {
                self.chatter_bytes += bytes;
                return Some(self.over_chatter().unwrap_or(LineEvent::Chatter));
            }
            Meaning::Violation(cause, how) => return Some(LineEvent::Violation(cause, how)),
            Meaning::Surplus(kind, why) => (kind, why),
            Meaning::Blank => {
                self.unusable_bytes += bytes;
                return self.over_bytes();
            }
        };
        self.unusable_bytes += bytes;
        let count = match kind {
            Surplus::Stray => &mut self.stray,
            Surplus::Stale => {
                self.after_move = self.after_move.map(|surplus| surplus + 1);
                &mut self.stale
            }
        };
        *count += 1;
        self.last_dropped = Some(kind);
        if *count > UNUSABLE_LINES_MAX {
            let word = if kind == Surplus::Stray { "that are not messages" } else { "that answer no open request" };
            let how = format!("more than {UNUSABLE_LINES_MAX} lines {word} in one game");
            return Some(LineEvent::Violation(Cause::TooManyLines, how));
        }
        self.over_bytes().or_else(|| Some(LineEvent::Surplus(kind, self.last_line(), why)))
    }

    /// The violation by a line, or the beginning of one, that is too long.
    fn over_length(&mut self, line: std::ops::Range<usize>) -> Option<LineEvent> {
        if self.without_cr(line.clone()).len() <= LINE_BYTES_MAX {
            return None;
        }
        self.keep(line.start..line.start + 80);
        let begin = self.last_line();
        let how = format!("a line is longer than {LINE_BYTES_MAX} bytes; it begins {begin}");
        Some(LineEvent::Violation(Cause::LineTooLong, how))
    }

    /// The `\r` of a line that ends in `\r\n` is part of its end, and does not count towards any limit.
    fn without_cr(&self, line: std::ops::Range<usize>) -> std::ops::Range<usize> {
        line.start..line.end - usize::from(self.bytes[line.clone()].ends_with(b"\r"))
    }

    fn over_bytes(&self) -> Option<LineEvent> {
        let how = || format!("more than {UNUSABLE_BYTES_MAX} bytes of unusable output in one game");
        (self.unusable_bytes > UNUSABLE_BYTES_MAX).then(|| LineEvent::Violation(Cause::TooManyBytes, how()))
    }

    fn over_chatter(&self) -> Option<LineEvent> {
        let how = || format!("more than {CHATTER_BYTES_MAX} bytes of remarks in one game");
        (self.chatter_bytes > CHATTER_BYTES_MAX).then(|| LineEvent::Violation(Cause::TooManyBytes, how()))
    }

    fn keep(&mut self, line: std::ops::Range<usize>) {
        self.judged += 1;
        self.last_dropped = None;
        self.last_line.clear();
        self.last_line.extend_from_slice(cut(&self.bytes[line.clone()]));
        self.last_place = line;
    }
}

/// A line is cut before it is decoded: it may be long, and [`shown`] cuts at fewer characters than these bytes hold.
const QUOTED_BYTES_MAX: usize = 1_000;

fn cut(line: &[u8]) -> &[u8] {
    &line[..line.len().min(QUOTED_BYTES_MAX)]
}

/// A line for people, escaped and cut.
#[must_use]
pub(super) fn quote(line: &[u8]) -> String {
    shown(String::from_utf8_lossy(cut(line)).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_judged_yet_are_no_fragment() {
        let mut lines = BotLines::default();
        let mut put = |text: &[u8]| {
            lines.space()[..text.len()].copy_from_slice(text);
            lines.filled(text.len());
            lines.fragment()
        };
        assert_eq!(put(b""), None);
        assert_eq!(put(b"one\ntwo\n"), None);
        assert_eq!(put(b"thr"), Some("thr".to_owned()));
    }
}
