//! Requests to a program of rules, written as one line each; what it answers is an [`Answer`](super::Answer).

use std::io::Write as _;

use arena_core::rules::{Move, Seat};
use serde_json::{Map, Value};

/// The version of the protocol.
pub const VERSION: u32 = 1;
/// Maximum length of a line of the program, in bytes before its line end.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// A message to the program.
#[derive(Debug, Clone, Copy)]
pub enum Request<'a> {
    /// The first message to a new process; answered by [`Answer::Hello`](super::Answer::Hello).
    Hello,
    /// A game begins; answered by [`Answer::Position`](super::Answer::Position), [`Answer::Over`](super::Answer::Over) or [`Answer::Refused`](super::Answer::Refused).
    Start {
        /// All parameters.
        params: &'a Map<String, Value>,
        /// The seed of the game.
        seed: u64,
    },
    /// A move is made; answered by [`Answer::Position`](super::Answer::Position), [`Answer::Over`](super::Answer::Over) or [`Answer::Illegal`](super::Answer::Illegal).
    Apply {
        /// The number of the move, from 1.
        id: u64,
        /// The move.
        played: &'a Move,
    },
    /// The position after move `id` as people see it; answered by [`Answer::Shown`](super::Answer::Shown).
    Show {
        /// The number of the last move; 0 before the first.
        id: u64,
        /// Who sees it; `None` for all that there is.
        seat: Option<Seat>,
    },
}

/// The last message; it has no answer.
pub(super) const QUIT: &str = "{\"type\":\"quit\"}\n";

impl Request<'_> {
    /// Appends the message and its newline.
    ///
    /// # Panics
    ///
    /// Never: all parts of a request can be written as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        let written = match self {
            Self::Hello => {
                let arena = env!("CARGO_PKG_VERSION");
                let limit = LINE_BYTES_MAX;
                writeln!(out, r#"{{"type":"hello","protocol":{VERSION},"arena":"{arena}","max_line_bytes":{limit}}}"#)
            }
            Self::Start { params, seed } => {
                out.extend_from_slice(br#"{"type":"start","id":0,"params":"#);
                let params = serde_json::to_writer(&mut *out, params);
                params.map_err(Into::into).and_then(|()| writeln!(out, r#","seed":"{seed}"}}"#))
            }
            Self::Apply { id, played } => {
                let begun = write!(out, r#"{{"type":"apply","id":{id},"move":"#);
                begun.and_then(|()| Ok(serde_json::to_writer(&mut *out, played)?)).and_then(|()| out.write_all(b"}\n"))
            }
            Self::Show { id, seat } => {
                let seat = seat.map_or("null", |seat| ["0", "1"][seat.index()]);
                writeln!(out, r#"{{"type":"show","id":{id},"seat":{seat}}}"#)
            }
        };
        written.expect("writing to memory");
    }

    /// Its `type`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Start { .. } => "start",
            Self::Apply { .. } => "apply",
            Self::Show { .. } => "show",
        }
    }

    /// Its `id`, which the answer repeats.
    #[must_use]
    pub const fn id(&self) -> Option<u64> {
        match self {
            Self::Hello => None,
            Self::Start { .. } => Some(0),
            Self::Apply { id, .. } | Self::Show { id, .. } => Some(*id),
        }
    }

    /// Whether an answer of this type is expected.
    pub(super) fn allows(&self, kind: &str) -> bool {
        match self {
            Self::Hello => kind == "hello",
            Self::Start { .. } => matches!(kind, "position" | "over" | "refused"),
            Self::Apply { .. } => matches!(kind, "position" | "over" | "illegal"),
            Self::Show { .. } => kind == "shown",
        }
    }
}

/// All that a program of rules is sent, from `hello` to the last of `moves`: what reproduces a fault.
#[must_use]
pub fn requests(params: &Map<String, Value>, seed: u64, moves: &[Move]) -> String {
    let mut out = Vec::new();
    Request::Hello.write(&mut out);
    Request::Start { params, seed }.write(&mut out);
    for (id, played) in (1..).zip(moves) {
        Request::Apply { id, played }.write(&mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_lines_of_json() {
        let params = serde_json::from_str(r#"{"size":9,"mode":"fast"}"#).unwrap();
        let moves = [Move::Int(40), Move::List(vec![1, -2])];
        let expected = format!(
            r#"{{"type":"hello","protocol":1,"arena":"{}","max_line_bytes":1048576}}
{{"type":"start","id":0,"params":{{"mode":"fast","size":9}},"seed":"18446744073709551615"}}
{{"type":"apply","id":1,"move":40}}
{{"type":"apply","id":2,"move":[1,-2]}}
"#,
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(requests(&params, u64::MAX, &moves), expected);
        let mut shown = Vec::new();
        for seat in [None, Some(Seat::First), Some(Seat::Second)] {
            Request::Show { id: 2, seat }.write(&mut shown);
        }
        let lines: Vec<serde_json::Value> =
            shown.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert_eq!(lines.iter().map(|line| &line["seat"]).collect::<Vec<_>>(), [&Value::Null, &0.into(), &1.into()]);
        assert!(lines.iter().all(|line| line["type"] == "show" && line["id"] == 2));
    }
}
