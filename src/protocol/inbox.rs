//! What a bot has written, sorted into replies, surplus and violations. Pure: bytes in, events out; the caller reads
//! the pipe, keeps the time, and says what is expected.

use serde::{Deserialize, Serialize};

use super::{FromBot, LINE_BYTES_MAX, Line, UNUSABLE_BYTES_MAX, UNUSABLE_LINES_MAX, decode};
use crate::cause::Cause;
use crate::text::shown;

/// What the referee is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing was asked.
    Nothing,
    /// The answer to `hello`.
    Hello,
    /// `ready` for the `new_game` with this id.
    Ready(u64),
    /// `move` or `resign` for the `move_request` with this id.
    Reply(u64),
}

/// What a line turned out to be.
#[derive(Debug)]
pub enum Event {
    /// What was expected.
    Reply(FromBot),
    /// A line that is dropped and counted.
    Surplus(Surplus, String),
    /// The bot broke the protocol; says how.
    Violation(Cause, String),
}

/// Why a line is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surplus {
    /// Not a message, for instance a forgotten `print`.
    Stray,
    /// A message that answers nothing that is open.
    Stale,
}

impl Surplus {
    /// The word for it in logs and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stray => "stray",
            Self::Stale => "stale",
        }
    }
}

/// The first id for the process that is started as the `number`-th, counted from 0.
///
/// No two processes share ids: each has a range of its own, far larger than it can use up. Of two million processes all
/// stay within the 53 bits that are exact everywhere, then they begin again. None has small ones: a bot that counts ids
/// itself, or keeps them in 32 bits, is to fail at once and not when it is the second to be started.
#[must_use]
pub fn first_id(number: u64) -> u64 {
    const RANGE_BITS: u32 = 32;
    const RANGES: u64 = (1 << (53 - RANGE_BITS)) - 1;
    ((number % RANGES + 1) << RANGE_BITS) + 1
}

/// How far a process has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has not been ready for a game yet.
    Starting,
    Playing,
    /// A game has ended and none has begun since: an unsound line may be about the last one, whatever was asked.
    BetweenGames,
}

/// The bytes of one process that have not been judged yet, and the counts of its present game.
#[derive(Debug)]
pub struct Inbox {
    /// `bytes[start..end]` is unjudged; the capacity is the longest line and the one byte that is too many.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// Everything up to here was searched for a newline in vain.
    searched: usize,
    /// The unfinished line at the front was begun before the open request was written: it cannot answer it.
    begun_early: bool,
    stage: Stage,
    at_first_line: bool,
    issued: std::ops::RangeInclusive<u64>,
    /// The beginning of the last line judged, as it came: it is rarely asked for, so it is escaped only then.
    last_line: Vec<u8>,
    /// Why that line was dropped, if it was.
    last_dropped: Option<Surplus>,
    stray_lines: u32,
    stale_lines: u32,
    unusable_bytes: usize,
}

impl Inbox {
    /// An empty inbox for a new process whose ids begin at `first_id`.
    #[must_use]
    pub fn new(first_id: u64) -> Self {
        Self {
            bytes: vec![0; LINE_BYTES_MAX + 1].into_boxed_slice(),
            start: 0,
            end: 0,
            searched: 0,
            begun_early: false,
            stage: Stage::Starting,
            at_first_line: true,
            // Empty: nothing was issued yet.
            issued: std::ops::RangeInclusive::new(first_id, first_id - 1),
            last_line: Vec::with_capacity(QUOTED_BYTES_MAX),
            last_dropped: None,
            stray_lines: 0,
            stale_lines: 0,
            unusable_bytes: 0,
        }
    }

    /// The next id, from now on the latest one issued to this process.
    pub fn issue_id(&mut self) -> u64 {
        let id = self.issued.end() + 1;
        self.issued = *self.issued.start()..=id;
        id
    }

    /// To be called when the bot is ready for a game: the limits begin anew. Returns the lines dropped before that.
    pub fn begin_game(&mut self) -> u32 {
        self.stage = Stage::Playing;
        self.forget_counts()
    }

    /// To be called when a game ends, before the bot is told: from here on what it writes is of no game, until it is ready
    /// for the next. When it is read, before or after that is asked for, makes no difference. Returns the lines dropped in
    /// the game.
    pub fn end_game(&mut self) -> u32 {
        self.stage = Stage::BetweenGames;
        self.forget_counts()
    }

    fn forget_counts(&mut self) -> u32 {
        let dropped = self.surplus_lines();
        (self.stray_lines, self.stale_lines, self.unusable_bytes) = (0, 0, 0);
        dropped
    }

    /// To be called when a request was just written: the line that the bot has begun by now answers nothing. White
    /// space alone begins no line: some end theirs in `\n\r`. Before its first game a bot owes something all the time,
    /// and what came along with its `hello` is judged like what comes a moment later.
    pub fn begin_request(&mut self) {
        self.begun_early = self.stage != Stage::Starting && !self.bytes[self.start..self.end].trim_ascii().is_empty();
    }

    /// Where the next bytes are to be read to; never empty after [`Inbox::next`] returned `None`.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        &mut self.bytes[self.end..]
    }

    /// Notes that `count` bytes were read into [`Inbox::space`].
    pub fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Judges the next line, or returns `None` when more bytes are needed.
    pub fn next(&mut self, expected: Expected) -> Option<Event> {
        loop {
            let found = memchr::memchr(b'\n', &self.bytes[self.searched..self.end]);
            let Some(length) = found.map(|offset| self.searched + offset - self.start) else {
                self.searched = self.end;
                return (self.end - self.start > LINE_BYTES_MAX).then(|| {
                    self.keep(self.start..self.start + 80);
                    let begin = self.last_line();
                    let how = format!("a line is longer than {LINE_BYTES_MAX} bytes; it begins {begin}");
                    Event::Violation(Cause::LineTooLong, how)
                });
            };
            let mut line = self.start..self.start + length;
            self.start = line.end + 1;
            self.searched = self.start;
            let early = std::mem::take(&mut self.begun_early);
            if std::mem::take(&mut self.at_first_line) && self.bytes[line.clone()].starts_with(b"\xef\xbb\xbf") {
                line.start += 3;
            }
            if let Some(event) = self.judge(line, expected, early) {
                return Some(event);
            }
        }
    }

    /// Lines dropped since a game last began or ended.
    #[must_use]
    pub fn surplus_lines(&self) -> u32 {
        self.stray_lines + self.stale_lines
    }

    /// The last line judged, escaped and cut; empty if there was none.
    #[must_use]
    pub fn last_line(&self) -> String {
        quote(&self.last_line)
    }

    /// Why the last line judged was dropped, if it was.
    #[must_use]
    pub fn last_dropped(&self) -> Option<Surplus> {
        self.last_dropped
    }

    /// The unfinished line, escaped and cut, if there is one.
    #[must_use]
    pub fn fragment(&self) -> Option<String> {
        (self.end > self.start).then(|| quote(&self.bytes[self.start..self.end]))
    }

    fn judge(&mut self, line: std::ops::Range<usize>, expected: Expected, early: bool) -> Option<Event> {
        let decoded = decode(&self.bytes[line.clone()]);
        if !matches!(decoded, Line::Blank) {
            self.keep(line.clone());
        }
        let owed = expected != Expected::Nothing && !early && self.stage != Stage::BetweenGames;
        let kind = match decoded {
            Line::Message(message) => match sort(&message, expected, &self.issued) {
                Sorted::Expected if !early => return Some(Event::Reply(message)),
                Sorted::Expected | Sorted::Stale => Surplus::Stale,
                Sorted::NeverIssued(how) => return Some(Event::Violation(Cause::UnknownId, how)),
            },
            Line::Malformed(cause, why) if owed => {
                return Some(Event::Violation(cause, format!("{why}: {}", self.last_line())));
            }
            Line::Malformed(..) | Line::Stray => Surplus::Stray,
            Line::Blank => {
                self.unusable_bytes += line.len() + 1;
                return self.over_bytes();
            }
        };
        self.unusable_bytes += line.len() + 1;
        let count = match kind {
            Surplus::Stray => &mut self.stray_lines,
            Surplus::Stale => &mut self.stale_lines,
        };
        *count += 1;
        self.last_dropped = Some(kind);
        if *count > UNUSABLE_LINES_MAX {
            let word = if kind == Surplus::Stray { "that are no messages" } else { "that answer nothing" };
            let how = format!("more than {UNUSABLE_LINES_MAX} lines {word} in one game");
            return Some(Event::Violation(Cause::TooManyLines, how));
        }
        self.over_bytes().or_else(|| Some(Event::Surplus(kind, self.last_line())))
    }

    fn over_bytes(&self) -> Option<Event> {
        let how = || format!("more than {UNUSABLE_BYTES_MAX} bytes of unusable output in one game");
        (self.unusable_bytes > UNUSABLE_BYTES_MAX).then(|| Event::Violation(Cause::TooManyBytes, how()))
    }

    fn keep(&mut self, line: std::ops::Range<usize>) {
        self.last_dropped = None;
        self.last_line.clear();
        self.last_line.extend_from_slice(cut(&self.bytes[line]));
    }
}

/// A line is cut before it is decoded: it may be long, and [`shown`] cuts at fewer characters than these bytes hold.
const QUOTED_BYTES_MAX: usize = 1_000;

fn cut(line: &[u8]) -> &[u8] {
    &line[..line.len().min(QUOTED_BYTES_MAX)]
}

fn quote(line: &[u8]) -> String {
    shown(String::from_utf8_lossy(cut(line)).trim_end())
}

enum Sorted {
    Expected,
    Stale,
    NeverIssued(String),
}

fn sort(message: &FromBot, expected: Expected, issued: &std::ops::RangeInclusive<u64>) -> Sorted {
    let (id, fits) = match (message, expected) {
        (FromBot::Hello(_), Expected::Hello) => return Sorted::Expected,
        (FromBot::Hello(_), _) => return Sorted::Stale,
        (FromBot::Ready { id }, Expected::Ready(open)) | (FromBot::Resign { id }, Expected::Reply(open)) => {
            (*id, i64::try_from(open) == Ok(*id))
        }
        (FromBot::Move(reply), Expected::Reply(open)) => (reply.id, i64::try_from(open) == Ok(reply.id)),
        (FromBot::Ready { id } | FromBot::Resign { id }, _) => (*id, false),
        (FromBot::Move(reply), _) => (reply.id, false),
    };
    if fits {
        return Sorted::Expected;
    }
    if u64::try_from(id).is_ok_and(|id| issued.contains(&id)) {
        return Sorted::Stale;
    }
    Sorted::NeverIssued(match expected {
        Expected::Ready(open) | Expected::Reply(open) => {
            format!("a reply carries id {id}, which was never issued to this bot; it was asked with id {open}")
        }
        Expected::Nothing | Expected::Hello => {
            format!("a reply carries id {id}, which was never issued to this bot")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(inbox: &mut Inbox, text: &str, expected: Expected) -> Vec<String> {
        inbox.space()[..text.len()].copy_from_slice(text.as_bytes());
        inbox.filled(text.len());
        std::iter::from_fn(|| inbox.next(expected)).map(|event| format!("{event:?}")).collect()
    }

    #[test]
    fn no_id_fits_32_bits_and_all_fit_doubles() {
        for number in [0, 1, (1 << 21) - 2, (1 << 21) - 1, 1 << 21, u64::MAX] {
            let first = first_id(number);
            assert!(first > 1 << 32 && first <= (1 << 53) - (1 << 32) + 1, "{number}: {first}");
        }
        assert_ne!(first_id(0), first_id(1));
        assert_eq!(first_id(0), first_id((1 << 21) - 1), "used again after two million");
    }

    #[test]
    fn an_unsound_line_is_a_fault_only_where_a_reply_is_owed_for_certain() {
        let mut inbox = Inbox::new(1);
        let ready = Expected::Ready(inbox.issue_id());
        let unsound = "{\"type\":\"ready\"}\n";
        assert!(
            judged(&mut inbox, unsound, ready)[0].contains("Violation(MissingField, \"missing field `id`"),
            "before the first game"
        );
        inbox.begin_game();
        assert!(judged(&mut inbox, unsound, Expected::Reply(1))[0].contains("Violation"), "in a game");
        inbox.end_game();
        for expected in [Expected::Nothing, ready] {
            assert!(judged(&mut inbox, unsound, expected)[0].contains("Surplus(Stray"), "after a game: {expected:?}");
        }
        assert_eq!(inbox.last_dropped(), Some(Surplus::Stray));
        assert!(judged(&mut inbox, "{\"type\":\"ready\",\"id\":1}\n", ready)[0].contains("Reply"));
        assert_eq!((inbox.last_dropped(), inbox.begin_game(), inbox.surplus_lines()), (None, 2, 0));
        assert!(judged(&mut inbox, unsound, Expected::Reply(1))[0].contains("Violation"), "in the next game");
    }
}
