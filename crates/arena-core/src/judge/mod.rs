//! `arena judge`: the rules as a service. Reads one question per line and writes one answer per line.
//!
//! It knows no bots and no clocks. Lines are independent: an invalid question does not affect the next one.

mod board;
mod layout;
mod mistake;
mod question;
mod schema;
mod solution;

use std::io::{BufRead, ErrorKind, Read as _, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::referee::LEGAL_MOVES_MAX;
use crate::rules::{Legal, Move, Outcome, Seat, State, WinningLines, play};
use crate::solver::Limits;
use crate::text::json;
pub use mistake::Mistake;
pub use question::AskedPosition;
use question::{JudgeQuestion, Refusal};
pub use schema::schema;
pub use solution::{MoveWorth, SOLVE_NODES, Solution};

/// Maximum length of a question, in bytes without its newline. A longer one is rejected without being held in memory.
pub const LINE_MAX: usize = 1 << 20;

/// The answer to a question: the facts about a position, or the error in the question.
#[derive(Debug, Default, Serialize)]
pub struct Judgement {
    /// Seat on move, 0 or 1; none once the game is over.
    pub to_move: Option<usize>,
    /// `first`, `second` or `draw`, once the game is over.
    pub outcome: Option<&'static str>,
    /// Why the game is over.
    pub reason: Option<&'static str>,
    /// All legal moves, ascending; none if there are more than [`LEGAL_MOVES_MAX`], or if not requested.
    pub legal_moves: Option<Vec<Move>>,
    /// Number of legal moves.
    pub legal_count: Option<u64>,
    /// The cells of each seat's winning lines, also on impossible boards; none for games without a board.
    pub lines: Option<WinningLines>,
    /// What each seat may see.
    pub views: Option<[Box<RawValue>; 2]>,
    /// Hidden information, for games that have some.
    pub reveal: Option<Box<RawValue>>,
    /// The theoretical value of the position, if requested. Its fields depend on the game.
    pub value: Option<Box<RawValue>>,
    /// The value with best play and that of each move, if requested and while the game goes on.
    pub solution: Option<Solution>,
    /// The error in the question. If it has a `ply`, the other fields describe the position before that move.
    pub error: Option<Mistake>,
}

impl Judgement {
    fn of(state: &dyn State) -> Self {
        let outcome = state.outcome();
        Self {
            to_move: outcome.is_none().then(|| state.to_move().index()),
            outcome: outcome.map(|Outcome { winner, .. }| winner.map_or("draw", Seat::name)),
            reason: outcome.map(|outcome| outcome.reason),
            legal_moves: None,
            legal_count: match state.legal() {
                Legal::Listed => Some(state.legal_count()),
                Legal::Sampled { count } => count,
            },
            lines: state.lines(),
            views: Some(Seat::BOTH.map(|seat| state.view(seat))),
            reveal: state.reveal(),
            value: None,
            solution: None,
            error: None,
        }
    }

    fn refusal(mistake: Mistake) -> Self {
        Self { error: Some(mistake), ..Self::default() }
    }
}

/// Answers one question. docs/judge.md describes its fields.
#[must_use]
pub fn judge(line: &str) -> Judgement {
    let question: JudgeQuestion = match serde_json::from_str(line) {
        Ok(question) => question,
        Err(error) => return Judgement::refusal(Mistake::of_json(&error)),
    };
    let (wants_legal, wants_value) = (question.wants_legal(), question.wants_value());
    let wants_solution = question.wants_solution();
    let AskedPosition { variant, mut state, moves } = match question.position() {
        Ok(position) => position,
        Err(Refusal { mistake, lines, value }) => {
            let value = value.filter(|_| wants_value);
            return Judgement { lines, value, ..Judgement::refusal(mistake) };
        }
    };
    let error = play(state.as_mut(), &moves).err();
    Judgement {
        legal_moves: (wants_legal && state.legal() == Legal::Listed && state.legal_count() <= LEGAL_MOVES_MAX)
            .then(|| state.legal_moves()),
        value: if wants_value { state.value() } else { None },
        solution: wants_solution
            .filter(|_| error.is_none() && state.outcome().is_none())
            .map(|nodes| Solution::of(&variant, state.as_ref(), false, &Limits::nodes(nodes))),
        error: error.map(|(ply, error)| Mistake::of_move(ply, &error)),
        ..Judgement::of(state.as_ref())
    }
}

/// The position that a question is about, for others who answer such questions.
///
/// # Errors
///
/// Returns what is wrong with the question.
pub fn question_of(line: &str) -> Result<AskedPosition, Mistake> {
    let question: JudgeQuestion = serde_json::from_str(line).map_err(|error| Mistake::of_json(&error))?;
    question.position().map_err(|refusal| refusal.mistake)
}

/// Answers one question as a line of JSON, without a newline.
#[must_use]
pub fn judge_line(line: &str) -> String {
    to_line(&judge(line))
}

fn to_line(judgement: &Judgement) -> String {
    json(&serde_json::to_string(judgement).expect("a judgement is plain data")).into_owned()
}

/// Why [`run`] ended before its input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The input failed.
    #[error("could not read a question")]
    Read(#[source] std::io::Error),
    /// The output failed, other than by being closed.
    #[error("could not write an answer")]
    Write(#[source] std::io::Error),
}

/// Answers every line of `input` on `output` immediately, since a program may wait for the answer. Skips empty lines and
/// a byte order mark before the first line.
///
/// # Errors
///
/// Returns the error if reading or writing fails; a closed output pipe is not an error.
pub fn run(mut input: impl BufRead, mut output: impl Write) -> Result<(), JudgeError> {
    let mut line = Vec::new();
    let mut is_first = true;
    while read_line(&mut input, &mut line).map_err(JudgeError::Read)? {
        let mut question = line.as_slice();
        if std::mem::take(&mut is_first) {
            question = question.strip_prefix(b"\xef\xbb\xbf").unwrap_or(question);
        }
        if question.trim_ascii().is_empty() && question.len() <= LINE_MAX {
            continue;
        }
        let refusal = |code, why: String| to_line(&Judgement::refusal(Mistake::new(code, why)));
        let answer = match std::str::from_utf8(question) {
            _ if question.len() > LINE_MAX => {
                refusal("line_too_long", format!("the line is longer than {LINE_MAX} bytes"))
            }
            Ok(question) => judge_line(question),
            Err(error) => refusal("not_utf8", format!("the line is not UTF-8: {error}")),
        };
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written.map_err(JudgeError::Write)?,
        }
    }
    Ok(())
}

/// Reads a line without its newline. Keeps only a little more than [`LINE_MAX`] of a longer line. Returns whether there
/// was a line.
///
/// # Errors
///
/// Returns the error of `input`.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
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
