//! Limits what bots add to the journal by `debug` and `comment`; no result depends on these.

use arena_core::record::{Played, Record};
use arena_core::rules::Seat;
use arena_core::text::json;

use super::Finished;

/// Maximum size of one bot's remarks on one game, in the journal.
const GAME_BYTES_MAX: u64 = 128 << 10;
/// Maximum size of all remarks of one bot in one run.
const RUN_BYTES_MAX: u64 = 64 << 20;

/// Size of the remarks of each bot, by number, in this run.
#[derive(Debug, Default)]
pub(super) struct Remarks(Vec<u64>);

impl Remarks {
    /// Counts the remarks of a game before it is recorded. Those beyond the limits are dropped, and the bot's log says so.
    pub(super) fn bound(&mut self, finished: &mut Finished) {
        let opening = finished.record.opening.len();
        for seat in Seat::BOTH {
            let bot = finished.bots[seat.index()];
            if self.0.len() <= bot {
                self.0.resize(bot + 1, 0);
            }
            let (mut game, mut dropped) = (0, 0);
            let Record { movers, played, .. } = &mut finished.record;
            for (index, played) in played.iter_mut().enumerate() {
                if movers.seat(opening + index) != seat {
                    continue;
                }
                let bytes = written(played);
                if game + bytes <= GAME_BYTES_MAX && self.0[bot] + bytes <= RUN_BYTES_MAX {
                    game += bytes;
                    self.0[bot] += bytes;
                } else {
                    (played.comment, played.debug) = (None, None);
                    dropped += 1;
                }
            }
            if dropped > 0 {
                let (game, run) = (GAME_BYTES_MAX >> 10, RUN_BYTES_MAX >> 20);
                finished.logs[seat.index()].push(format!(
                    "referee: debug and comment of {dropped} moves dropped: at most {game} KiB a game and {run} MiB a \
                     run are kept"
                ));
            }
        }
    }
}

/// Size of a move's remarks in the journal.
fn written(played: &Played) -> u64 {
    let comment = played.comment.as_ref().and_then(|comment| serde_json::to_string(comment).ok());
    let debug = played.debug.as_ref().map(|debug| debug.get());
    [comment.as_deref(), debug].into_iter().flatten().map(|text| json(text).len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::record::GameResult;

    use super::*;

    /// A game of bots 0 and 3 with a remark on each of its moves.
    fn finished(moves: usize, debug: &str) -> Finished {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
        let debug = || serde_json::value::RawValue::from_string(debug.to_owned()).ok();
        record.played = (0..moves).map(|_| Played { debug: debug(), ..Played::default() }).collect();
        Finished {
            place: 0,
            record,
            logs: [Vec::new(), Vec::new()],
            bots: [0, 3],
            changes: [None, None],
            starved: false,
            foreign_end: false,
        }
    }

    fn kept(finished: &Finished) -> usize {
        finished.record.played.iter().filter(|played| played.debug.is_some()).count()
    }

    #[test]
    fn a_games_remarks_are_limited_as_written() {
        let small = format!("\"{}\"", "d".repeat(1_022));
        let mut game = finished(2 * 128, &small);
        Remarks::default().bound(&mut game);
        assert_eq!((kept(&game), &game.logs), (256, &[Vec::new(), Vec::new()]));
        let mut game = finished(2 * 130, &small);
        Remarks::default().bound(&mut game);
        assert_eq!(kept(&game), 256);
        assert!(game.logs.iter().all(|log| log[0].contains("of 2 moves dropped: at most 128 KiB a game and 64 MiB")));
        // Six bytes each.
        let mut game = finished(2 * 3, &format!("\"{}\"", "\u{7f}".repeat(8_000)));
        Remarks::default().bound(&mut game);
        assert_eq!(kept(&game), 4);
    }

    #[test]
    fn a_runs_remarks_are_limited_for_each_bot() {
        let mut remarks = Remarks::default();
        let text = format!("\"{}\"", "d".repeat(8_190));
        let counts: Vec<usize> = (0..513)
            .map(|_| {
                let mut game = finished(2 * 16, &text);
                remarks.bound(&mut game);
                kept(&game)
            })
            .collect();
        assert_eq!((counts[0], counts[511], counts[512]), (32, 32, 0));
        let mut other = finished(2 * 16, &text);
        other.bots = [1, 2];
        remarks.bound(&mut other);
        assert_eq!(kept(&other), 32, "others have theirs");
    }
}
