//! Replays a stored game, ply by ply.

use thiserror::Error;

use crate::record::{GameResult, Played, Record, Status};
use crate::rules::{MoveError, Seat, State, Variant, step};
use crate::text::{escaped, shown};

/// One position of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The last event: `ply 5  minimax (X) plays 3  12.400 ms  eval +0.31  "comment"`.
    pub title: String,
    /// The position.
    pub board: String,
    /// How the game ended, on the last frame; empty on all others. May have several lines.
    pub note: String,
}

/// A record that violates its rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("game {id} does not follow its rules at ply {ply}: {source}")]
pub struct ReplayError {
    /// The game, escaped.
    pub id: String,
    /// The ply that cannot be replayed, from 1.
    pub ply: usize,
    /// The cause.
    pub source: MoveError,
}

/// The start and every position of `record` under the rules of `variant`: one frame more than there are moves.
///
/// # Errors
///
/// Returns [`ReplayError`] at the first move that is not legal.
pub fn frames(record: &Record, variant: &Variant) -> Result<Vec<Frame>, ReplayError> {
    let mut state = variant.start(record.seed);
    let frame = |title, state: &dyn State| Frame { title, board: state.render(), note: String::new() };
    let mut frames = vec![frame(start_title(record, variant), state.as_ref())];
    for (index, played) in record.moves.iter().enumerate() {
        step(state.as_mut(), played).map_err(|source| ReplayError { id: shown(&record.id), ply: index + 1, source })?;
        frames.push(frame(ply_title(record, index), state.as_ref()));
    }
    if let Some(last) = frames.last_mut() {
        last.note = ending(record);
        // If the game ended by the rules, the position shows the secret already.
        if let (None, Some(hidden)) = (state.outcome(), state.reveal()) {
            last.note = format!("{}\nhidden: {hidden}", last.note);
        }
    }
    Ok(frames)
}

fn start_title(record: &Record, variant: &Variant) -> String {
    let [first, second] = Seat::BOTH.map(|seat| player(record, seat));
    format!("game {}  {variant}  {first} against {second}  seed {}", shown(&record.id), record.seed)
}

/// `minimax (X)`.
fn player(record: &Record, seat: Seat) -> String {
    let mark = match seat {
        Seat::First => 'X',
        Seat::Second => 'O',
    };
    format!("{} ({mark})", shown(&record.bots[seat.index()].name))
}

fn ply_title(record: &Record, index: usize) -> String {
    let (ply, choice) = (index + 1, &record.moves[index]);
    let mover = player(record, Seat::after(index));
    let Some(own) = index.checked_sub(record.opening.len()) else {
        return format!("ply {ply}  opening: {choice} for {mover}");
    };
    let mut parts = vec![format!("ply {ply}  {mover} plays {choice}")];
    if let Some(Played { us, eval, comment, .. }) = record.played.get(own) {
        parts.push(format!("{} ms", super::cells::millis(*us)));
        parts.extend(eval.map(|eval| format!("eval {eval:+.2}")));
        parts.extend(comment.as_ref().map(|comment| format!("\"{}\"", escaped(comment))));
    }
    parts.join("  ")
}

/// The winner and the reason, and the fault of each seat.
fn ending(record: &Record) -> String {
    let reason = shown(&record.reason);
    let mut lines = vec![match (record.result, record.result.winner()) {
        (_, Some(seat)) => format!("{} wins: {reason}", player(record, seat)),
        (GameResult::Void, _) => format!("void: {reason}"),
        _ => format!("draw: {reason}"),
    }];
    for seat in Seat::BOTH {
        let (player, status) = (player(record, seat), record.statuses[seat.index()]);
        if let Some(evidence) = &record.evidence[seat.index()] {
            lines.push(format!("{player}: {status}: {}", shown(&evidence.message)));
            lines.extend(evidence.details().iter().map(|line| format!("  {line}")));
        } else if status != Status::Ok {
            lines.push(format!("{player}: {status}"));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::rules::Move;

    #[test]
    fn a_replay_shows_a_game_from_its_opening_to_its_fault() {
        let record = fixture::reported_game();
        let frames = frames(&record, &fixture::variant()).unwrap();
        assert_eq!(frames.len(), record.moves.len() + 1);
        assert!(frames[..frames.len() - 1].iter().all(|frame| frame.note.is_empty()));
        let text: Vec<String> =
            frames.iter().map(|frame| format!("{}\n{}\n{}", frame.title, frame.board, frame.note)).collect();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn an_illegal_move_is_rejected_with_its_ply() {
        let mut record = fixture::reported_game();
        record.moves[2] = Move::Int(99);
        let error = frames(&record, &fixture::variant()).unwrap_err();
        assert_eq!(error.ply, 3);
        assert!(
            error
                .to_string()
                .starts_with("game 00000000000000ff does not follow its rules at ply 3: move 99 is not legal")
        );
    }

    #[test]
    fn a_move_after_the_end_is_rejected() {
        let mut record = fixture::reported_game();
        record.moves = [1, 2, 1, 2, 1, 2, 1, 2].map(Move::Int).to_vec();
        let error = frames(&record, &fixture::variant()).unwrap_err();
        assert_eq!(
            (error.ply, error.source.to_string().as_str()),
            (8, "move 2 comes after the end of the game (line)")
        );
        record.moves[7] = Move::List(vec![2; 100_000]);
        let error = frames(&record, &fixture::variant()).unwrap_err();
        assert!(error.to_string().len() < 1_000, "{} bytes", error.to_string().len());
    }

    #[test]
    fn a_game_without_moves_ends_at_its_start() {
        let mut record = fixture::reported_game();
        (record.moves, record.opening, record.played) = (vec![], vec![], vec![]);
        record.evidence = [None, None];
        let frames = frames(&record, &fixture::variant()).unwrap();
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].note, "minimax (X) wins: timeout\ngrumpy (O): timeout");
    }
}
