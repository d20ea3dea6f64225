//! Games that are slowed down for an audience: the position after each move stays for a while.

use std::fmt;
use std::time::{Duration, Instant};

use arena_core::referee::MadeMove;
use arena_show::observer::BoardWriter;
use arena_sys::time;

/// The end of a game stays this many times as long as a position.
const END_TIMES: u32 = 3;

/// Waits between moves. A move is shown once the position before it was seen for long enough, and only then the next one is asked
/// for: no clock runs meanwhile.
pub struct Pace {
    every: Duration,
    /// Waits so long, or less if nobody watches any more.
    wait: Box<dyn FnMut(Duration) + Send>,
    /// When the newest position was shown.
    shown: Option<Instant>,
}

impl Pace {
    /// Shows each position for at least `every`. `wait` waits so long.
    pub fn new(every: Duration, wait: impl FnMut(Duration) + Send + 'static) -> Self {
        Self { every, wait: Box::new(wait), shown: None }
    }

    /// Shows a move, or the start, when it is time for it.
    pub(super) fn show(&mut self, board: &mut BoardWriter, made: Option<MadeMove<'_>>) {
        board.answered();
        if let Some(shown) = self.shown {
            let left = self.every.saturating_sub(time::now() - shown);
            if !left.is_zero() {
                (self.wait)(left);
            }
        }
        let now = time::now();
        self.shown = Some(now);
        board.asked(made, now);
    }

    /// A game is over: waits before the next one.
    pub(super) fn end_game(&mut self) {
        self.shown = None;
        (self.wait)(self.every * END_TIMES);
    }
}

impl fmt::Debug for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace").field("every", &self.every).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use arena_core::record::Played;
    use arena_core::rules::{Move, Seat};
    use arena_show::observer::{Boards, Running};

    use super::*;

    #[test]
    fn a_move_is_shown_once_the_position_before_it_was_seen() {
        let every = Duration::from_secs(3_600);
        let boards = Arc::new(Boards::default());
        boards.open(1, Vec::new());
        let waits = Arc::new(Mutex::new(Vec::new()));
        let (seen, waited) = (Arc::clone(&boards), Arc::clone(&waits));
        let look = |boards: &Boards| {
            let mut running = Running::default();
            boards.look(0, &mut running);
            (running.moves.len(), running.since.is_some())
        };
        // While it waits, the move is not there, and no clock runs.
        let mut pace = Pace::new(every, move |time| waited.lock().unwrap().push((time, look(&seen))));
        let mut board = BoardWriter::new(Arc::clone(&boards), 0);
        pace.show(&mut board, None);
        assert!(waits.lock().unwrap().is_empty() && look(&boards) == (0, true));
        let measured = Played::default();
        let made = || Some(MadeMove { ply: 0, seat: Seat::First, played: &Move::Int(3), measured: &measured });
        pace.show(&mut board, made());
        pace.show(&mut board, made());
        assert_eq!(look(&boards), (2, true));
        pace.end_game();
        pace.show(&mut board, None);
        let waits = waits.lock().unwrap();
        assert_eq!(waits.iter().map(|(_, seen)| *seen).collect::<Vec<_>>(), [(0, false), (1, false), (2, true)]);
        // Little time has passed since the position was shown.
        let least = Duration::from_secs(3_540);
        assert!(waits[..2].iter().all(|(time, _)| (least..=every).contains(time)), "{waits:?}");
        assert_eq!(waits[2].0, END_TIMES * every);
    }
}
