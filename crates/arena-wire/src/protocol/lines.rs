//! Splits a bot's output into lines, the same for every protocol: limits their length, and counts the dropped ones.
//! Pure: bytes in, events out; the caller reads the pipe and keeps the time.

use arena_core::cause::{Cause, Surplus};
use arena_core::text::{escaped, shown};

use super::answers::Answers;
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
    /// The rest of the message is to be sent now: [`Dialect::go_on`] has it.
    GoOn,
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
    /// Bytes of the unfinished line that had come before the last message was sent.
    begun: usize,
    /// How much of a line had come before that, and the beginning of that line, if there was one since.
    joined: Option<(usize, Vec<u8>)>,
    answers: Answers,
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
            begun: 0,
            joined: None,
            answers: Answers::default(),
        }
    }
}

impl BotLines {
    /// Resets the counts, for the start and the end of a game. Returns the number of lines dropped before.
    pub fn restart_counts(&mut self) -> u32 {
        let dropped = self.surplus_lines();
        (self.stray, self.stale, self.unusable_bytes, self.chatter_bytes) = (0, 0, 0, 0);
        self.answers.restart();
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
            let begun = self.start..self.start + std::mem::take(&mut self.begun).min(length);
            if let Some(event) = self.over_length(line.clone()) {
                return Some(event);
            }
            self.start = line.end + 1;
            self.searched = self.start;
            line.end = self.without_cr(line.clone()).end;
            if std::mem::take(&mut self.at_first_line) && self.bytes[line.clone()].starts_with(b"\xef\xbb\xbf") {
                line.start += 3;
            }
            // White space alone begins no line: some write their line ends in two parts.
            let begun = self.bytes[begun.start.max(line.start)..begun.end.max(line.start)].trim_ascii_end().len();
            let meaning = dialect.read(&self.bytes[line.clone()], asked && begun == 0);
            // Remarks of an engine may come at any time.
            if begun > 0 && !matches!(meaning, Meaning::Chatter) {
                let line = cut(&self.bytes[line.clone()]);
                self.joined = Some((begun.min(line.len()), line.to_vec()));
            }
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

    /// What it has answered to move requests.
    #[must_use]
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// A message is about to be sent, and all lines that are there were judged: a line that has begun by then does not answer
    /// it, whatever follows.
    pub fn note_sent(&mut self) {
        (self.begun, self.joined) = (self.end - self.start, None);
    }

    /// The line that had begun when the last message was sent, if it has ended since: as much as had come by then, and all of
    /// it. Escaped and cut.
    #[must_use]
    pub fn joined(&self) -> Option<[String; 2]> {
        self.joined.as_ref().map(|(begun, line)| [&line[..*begun], line].map(quote))
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
                    self.answers.note_answer(&self.last_line);
                }
                return Some(LineEvent::Response(response, dropped));
            }
            Meaning::Part => return None,
            Meaning::GoOn => return Some(LineEvent::GoOn),
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
                self.answers.note_stale();
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
    use arena_core::speech::DialectOptions;

    use super::super::dialect::{Outgoing, Terms};
    use super::super::registry::protocol_named;
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

    fn put(lines: &mut BotLines, text: &[u8]) {
        lines.space()[..text.len()].copy_from_slice(text);
        lines.filled(text.len());
    }

    /// What is taken and what is dropped of `lines` that come to an engine which is asked whether it is done, after `before`.
    fn synced(before: &[u8], after: &[u8]) -> Vec<String> {
        let uci = protocol_named("uci").unwrap();
        let mut dialect = (uci.dialect)([1, 2], &DialectOptions::new(), Terms::of_memory_mb(0));
        let mut lines = BotLines::default();
        put(&mut lines, before);
        while lines.next(dialect.as_mut(), false).is_some() {}
        lines.note_sent();
        dialect.write(Outgoing::Sync, &mut Vec::new());
        after.chunks(2).for_each(|bytes| put(&mut lines, bytes));
        let mut seen = Vec::new();
        while let Some(event) = lines.next(dialect.as_mut(), true) {
            seen.push(match event {
                LineEvent::Response(response, _) => format!("{response:?}"),
                LineEvent::Surplus(_, line, _) => format!("dropped: {line}"),
                other => format!("{other:?}"),
            });
        }
        seen.extend(lines.joined().map(|joined| format!("joined: {joined:?}")));
        seen
    }

    #[test]
    fn a_line_that_began_before_a_message_does_not_answer_it() {
        assert_eq!(synced(b"x\n", b"readyok\n"), ["Synced"]);
        for (before, after) in [(&b"ready"[..], &b"ok\n"[..]), (b"readyok", b"\r\n")] {
            let joined = format!("joined: {:?}", [String::from_utf8_lossy(before), "readyok".into()]);
            assert_eq!(synced(before, after), [&*joined], "{before:?}");
            assert_eq!(synced(before, &[after, b"readyok\n"].concat()), ["Synced", &joined], "{before:?}");
        }
        let joined = r#"joined: ["x", "xreadyok"]"#;
        assert_eq!(synced(b"x readyok\nx", b"readyok\nreadyok\n"), ["dropped: xreadyok", "Synced", joined]);
        assert_eq!(synced(b"info dep", b"th 3\nreadyok\n"), ["Chatter", "Synced"]);
        // Nothing that a line has in it was there.
        for before in [&b"\xef\xbb\xbf"[..], b"\xef\xbb", b" ", b"\n\r", b"\xef\xbb\xbf \t"] {
            let after = if before == b"\xef\xbb" { &b"\xbfreadyok\n"[..] } else { b"readyok\n" };
            assert_eq!(synced(before, after), ["Synced"], "{before:?}");
        }
    }
}
