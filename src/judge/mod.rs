//! `arena judge`: the rules as a service. A question a line in, an answer a line out.
//!
//! It knows nothing of bots or clocks, and nothing outside a line: one bad question never spoils the next.

mod question;

use std::io::{BufRead, ErrorKind, Read as _, Write};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::rules::{LISTED_MOVES_MAX, Move, Outcome, Seat, State, play};
use crate::text::{json, json_mistake};
use question::Question;

/// The longest question read, in bytes without its newline; a longer one is refused without being held in memory.
pub const LINE_MAX: usize = 1 << 20;

/// What is to be said about a position.
#[derive(Debug, Serialize)]
pub struct Judgement {
    /// Seat on move, 0 or 1; none once the game is over.
    pub to_move: Option<usize>,
    /// `first`, `second` or `draw`, once the game is over.
    pub outcome: Option<&'static str>,
    /// Why the game is over.
    pub reason: Option<&'static str>,
    /// All legal moves, ascending; none if there are more than [`LISTED_MOVES_MAX`].
    pub legal_moves: Option<Vec<Move>>,
    /// What each seat may see.
    pub views: Option<[Box<RawValue>; 2]>,
    /// What is wrong with the question. With a `ply`, all else describes the position before that move.
    pub error: Option<Mistake>,
}

/// What is wrong with a question.
#[derive(Debug, Serialize)]
pub struct Mistake {
    /// Index of the move that cannot be played, if that is what is wrong.
    pub ply: Option<usize>,
    /// For people.
    pub message: String,
}

impl Judgement {
    fn of(state: &dyn State, error: Option<Mistake>) -> Self {
        let outcome = state.outcome();
        Self {
            to_move: outcome.is_none().then(|| state.to_move().index()),
            outcome: outcome.map(|Outcome { winner, .. }| winner.map_or("draw", Seat::name)),
            reason: outcome.map(|outcome| outcome.reason),
            legal_moves: (state.legal_count() <= LISTED_MOVES_MAX).then(|| state.legal_moves()),
            views: Some(Seat::BOTH.map(|seat| state.view(seat))),
            error,
        }
    }

    fn refusal(message: impl Into<String>) -> Self {
        let error = Some(Mistake { ply: None, message: message.into() });
        Self { to_move: None, outcome: None, reason: None, legal_moves: None, views: None, error }
    }
}

/// Answers one question: `{"game", "params"?, "moves"}`, or `"board"` in place of `"moves"`; games with hidden
/// information also need `"code"` or `"seed"`.
#[must_use]
pub fn judge(line: &str) -> Judgement {
    let question: Question = match serde_json::from_str(line) {
        Ok(question) => question,
        Err(error) => return Judgement::refusal(json_mistake(&error)),
    };
    let (mut state, moves) = match question.position() {
        Ok(position) => position,
        Err(message) => return Judgement::refusal(message),
    };
    let error = play(state.as_mut(), &moves).err();
    Judgement::of(state.as_ref(), error.map(|(ply, error)| Mistake { ply: Some(ply), message: error.to_string() }))
}

/// Answers one question as a line of JSON, without a newline.
#[must_use]
pub fn judge_line(line: &str) -> String {
    to_line(&judge(line))
}

fn to_line(judgement: &Judgement) -> String {
    json(&serde_json::to_string(judgement).expect("a judgement is plain data")).into_owned()
}

/// Answers every line of `input` on `output`, each at once, since a program may wait for it. Empty lines are skipped,
/// a byte order mark before the first line too.
///
/// # Errors
///
/// Returns the error if reading or writing fails; a reader that has left is no error.
pub fn run(mut input: impl BufRead, mut output: impl Write) -> anyhow::Result<()> {
    let mut line = Vec::new();
    let mut is_first = true;
    while read_line(&mut input, &mut line).context("could not read a question")? {
        let mut question = line.as_slice();
        if std::mem::take(&mut is_first) {
            question = question.strip_prefix(b"\xef\xbb\xbf").unwrap_or(question);
        }
        if question.trim_ascii().is_empty() && question.len() <= LINE_MAX {
            continue;
        }
        let refusal = |why: String| to_line(&Judgement::refusal(why));
        let answer = match std::str::from_utf8(question) {
            _ if question.len() > LINE_MAX => refusal(format!("the line is longer than {LINE_MAX} bytes")),
            Ok(question) => judge_line(question),
            Err(error) => refusal(format!("the line is not UTF-8: {error}")),
        };
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written.context("could not write an answer")?,
        }
    }
    Ok(())
}

/// Reads a line without its newline; of one that is longer than [`LINE_MAX`] only a little more than that is kept.
/// Says whether there was a line.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    // Room for a byte order mark and the newline, and one byte that is too many.
    const KEPT_MAX: u64 = LINE_MAX as u64 + 5;
    line.clear();
    let read = input.by_ref().take(KEPT_MAX).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if read as u64 == KEPT_MAX {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}
