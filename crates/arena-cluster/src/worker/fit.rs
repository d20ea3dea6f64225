//! Makes results fit into messages: a bot may write more to stderr, and remark more on its moves, than a broker takes.

use arena_core::record::{GameResult, Record, Status};
use arena_core::referee::Verdict;
use arena_play::executor::Finished;

use crate::cluster::wire::{BYTES_MAX, GameMessage};

/// Bytes of a log that are kept of a game that is too large.
const LOG_MAX: usize = 32 << 10;
/// Bytes of a message besides its game.
const AROUND: usize = 4 << 10;

/// The message for a game. Logs are shortened first, then remarks are dropped. A game that is still larger than
/// `payload_max` is void.
pub(super) fn message(finished: &mut Finished, payload_max: usize) -> GameMessage {
    let mut message = GameMessage::of(finished);
    if message.bytes() > BYTES_MAX {
        finished.logs.iter_mut().for_each(shorten);
        message = GameMessage::of(finished);
    }
    if message.bytes() > BYTES_MAX {
        for played in &mut finished.record.played {
            (played.comment, played.debug) = (None, None);
        }
        let note = "referee: debug and comment of all moves dropped: the game is too large for the broker";
        finished.logs.iter_mut().for_each(|log| log.push(note.to_owned()));
        message = GameMessage::of(finished);
    }
    if message.bytes() + AROUND > payload_max {
        let why = format!("its record has {} bytes, the broker takes {payload_max}", message.bytes());
        finished.record = void(&finished.record, why);
        message = GameMessage::of(finished);
    }
    message
}

/// Drops the lines in the middle.
fn shorten(log: &mut Vec<String>) {
    let keep = |bytes: &mut usize, line: &String| {
        *bytes += line.len();
        *bytes <= LOG_MAX / 2
    };
    let (mut first, mut last) = (0, 0);
    let begin = log.iter().take_while(|line| keep(&mut first, line)).count();
    let end = log[begin..].iter().rev().take_while(|line| keep(&mut last, line)).count();
    let dropped = log.len() - begin - end;
    if dropped > 0 {
        let note = format!("referee: {dropped} lines dropped: the game is too large for the broker");
        log.splice(begin..begin + dropped, [note]);
    }
}

fn void(record: &Record, why: String) -> Record {
    let Verdict { result, reason, statuses, evidence, .. } = Verdict::new(GameResult::Void, why);
    debug_assert_eq!(statuses, [Status::Ok; 2], "nobody is at fault");
    let movers = (0..record.opening.len()).map(|ply| record.movers.seat(ply)).collect();
    let played = Vec::new();
    Record { moves: record.opening.clone(), movers, played, result, reason, statuses, evidence, ..record.clone() }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::record::Played;

    use super::*;

    fn finished(remark: &str, line: &str) -> Finished {
        let event = fixture::event(&["a", "b"]);
        let job = fixture::jobs(&event).remove(0);
        let mut record = fixture::record(&event, &job.game, GameResult::Draw, 1);
        record.played = vec![Played { comment: Some(remark.to_owned()), ..Played::default() }; 2];
        let log: Vec<String> = (0..100).map(|number| format!("{number} {line}")).collect();
        Finished { logs: [log, Vec::new()], ..Finished::new(&job, record) }
    }

    #[test]
    fn what_fits_is_left_as_it_is() {
        let mut game = finished("a", "b");
        let before = (game.record.clone().reason, game.logs.clone());
        message(&mut game, 1 << 20);
        assert_eq!((game.record.reason, game.logs), before);
    }

    #[test]
    fn logs_are_shortened_before_remarks_are_dropped() {
        let mut game = finished("a", &"b".repeat(10_000));
        assert!(message(&mut game, 1 << 20).bytes() < BYTES_MAX);
        assert_eq!((game.logs[0].len(), game.record.played[0].comment.as_deref()), (3, Some("a")));
        assert_eq!(game.logs[0][1], "referee: 98 lines dropped: the game is too large for the broker");
        let mut game = finished(&"a".repeat(300_000), "b");
        assert!(message(&mut game, 1 << 20).bytes() < BYTES_MAX);
        assert_eq!((game.record.result, &game.record.played[0].comment), (GameResult::Draw, &None));
    }

    #[test]
    fn a_game_that_no_message_holds_is_void() {
        let mut game = finished("a", "b");
        message(&mut game, 100);
        assert_eq!((game.record.result, game.record.moves.len()), (GameResult::Void, game.record.opening.len()));
        assert!(game.record.reason.ends_with("the broker takes 100"), "{}", game.record.reason);
    }
}
