//! The boards of running games, for an observer that looks at them now and then.
//!
//! A slot must never wait for an observer, so it only tries to lock its board. If the board is being read, the slot keeps the
//! update and writes it with the next one.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Instant;

use arena_core::event::GameId;
use arena_core::record::Played;
use arena_core::referee::MadeMove;
use arena_core::rules::Move;
use arena_core::schedule::Job;

/// The boards of all slots of a run; none before its executor has started.
#[derive(Debug, Default)]
pub struct Boards {
    slots: OnceLock<Slots>,
}

#[derive(Debug)]
struct Slots {
    boards: Box<[SlotBoard]>,
    /// The processors that the slots are pinned to.
    processors: Vec<usize>,
}

/// The board of a slot. Aligned so that slots do not share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct SlotBoard(Mutex<Running>);

/// The latest game of a slot; it may have ended.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// Number of the game in its slot, from 1; 0 before the first.
    pub number: u64,
    /// The game; none before the first.
    pub id: Option<GameId>,
    /// Numbers of the bots, by seat.
    pub bots: [usize; 2],
    /// The seed of the game.
    pub seed: u64,
    /// The moves so far, including the opening.
    pub moves: Vec<Move>,
    /// What was measured of those after the opening, and what the movers said, without what is for debugging.
    pub played: Vec<Played>,
    /// Since when the bot to move has been asked; none before both bots are ready.
    pub since: Option<Instant>,
}

impl Boards {
    /// Makes a board for each slot. Has no effect the second time.
    pub fn open(&self, slots: usize, processors: Vec<usize>) {
        let boards = (0..slots).map(|_| SlotBoard::default()).collect();
        let _ = self.slots.set(Slots { boards, processors });
    }

    /// Number of boards.
    #[must_use]
    pub fn count(&self) -> usize {
        self.slots.get().map_or(0, |slots| slots.boards.len())
    }

    /// The processors that the slots are pinned to; `None` before the executor has started.
    #[must_use]
    pub fn processors(&self) -> Option<&[usize]> {
        self.slots.get().map(|slots| slots.processors.as_slice())
    }

    /// Updates `seen` to the board of a slot, copying only what is new.
    pub fn look(&self, slot: usize, seen: &mut Running) {
        let Some(board) = self.board(slot) else { return };
        let now = board.lock();
        if now.number == seen.number {
            seen.moves.extend_from_slice(&now.moves[seen.moves.len()..]);
            seen.played.extend_from_slice(&now.played[seen.played.len()..]);
            seen.since = now.since;
        } else {
            seen.clone_from(&now);
        }
    }

    fn board(&self, slot: usize) -> Option<&SlotBoard> {
        self.slots.get()?.boards.get(slot)
    }
}

impl SlotBoard {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Running>> {
        match self.0.try_lock() {
            Ok(board) => Some(board),
            Err(TryLockError::Poisoned(board)) => Some(board.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Writes the board of a slot; never waits.
#[derive(Debug)]
pub struct BoardWriter {
    boards: Arc<Boards>,
    slot: usize,
    /// What is not on the board yet: moves, or all of a new game.
    pending: Running,
    is_new: bool,
}

impl BoardWriter {
    /// The writer of a slot's board. A slot has only one.
    #[must_use]
    pub fn new(boards: Arc<Boards>, slot: usize) -> Self {
        Self { boards, slot, pending: Running::default(), is_new: false }
    }

    /// A game begins; its bots may have to start first.
    pub fn begin(&mut self, job: &Job) {
        let pending = &mut self.pending;
        (pending.number, pending.id, pending.bots) = (pending.number + 1, Some(job.game.id), job.game.bots);
        pending.seed = job.game.seed;
        pending.moves.clone_from(&job.opening);
        pending.played.clear();
        pending.since = None;
        self.is_new = true;
        self.deliver();
    }

    /// The next move is asked for now, since this one was made; none if it is the first one.
    #[inline]
    pub fn asked(&mut self, made: Option<MadeMove<'_>>, now: Instant) {
        if let Some(MadeMove { played, measured, .. }) = made {
            let Played { us, cpu_us, credit_us, eval, ref comment, debug: _ } = *measured;
            self.pending.moves.push(played.clone());
            self.pending.played.push(Played { us, cpu_us, credit_us, eval, comment: comment.clone(), debug: None });
        }
        self.pending.since = Some(now);
        self.deliver();
    }

    /// The bot to move has answered; what, is shown later.
    pub fn answered(&mut self) {
        self.pending.since = None;
        self.deliver();
    }

    fn deliver(&mut self) {
        let Some(mut board) = self.boards.board(self.slot).and_then(SlotBoard::try_lock) else { return };
        let pending = &mut self.pending;
        if mem::take(&mut self.is_new) {
            (board.number, board.id, board.bots, board.seed) = (pending.number, pending.id, pending.bots, pending.seed);
            board.moves.clear();
            board.played.clear();
        }
        board.moves.append(&mut pending.moves);
        board.played.append(&mut pending.played);
        board.since = pending.since;
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::rules::Seat;
    use arena_sys::time::now;

    use super::*;

    /// A move to `column` that took `us` microseconds, with a remark.
    fn moved(writer: &mut BoardWriter, column: i64, us: u64) {
        let measured = Played { us, comment: Some(format!("to {column}")), ..Played::default() };
        let made = MadeMove { ply: 1, seat: Seat::Second, played: &Move::Int(column), measured: &measured };
        writer.asked(Some(made), now());
    }

    fn said(seen: &Running) -> Vec<(u64, Option<&str>)> {
        seen.played.iter().map(|played| (played.us, played.comment.as_deref())).collect()
    }

    fn jobs() -> Vec<Job> {
        fixture::jobs(&fixture::event(&["a", "b"]))
    }

    #[test]
    fn a_skipped_update_comes_with_the_next_one() {
        let (boards, jobs) = (Arc::new(Boards::default()), jobs());
        let mut seen = Running::default();
        boards.look(0, &mut seen);
        assert_eq!((seen.number, seen.since), (0, None), "nothing is there before the slots are");
        boards.open(1, vec![3]);
        let mut writer = BoardWriter::new(Arc::clone(&boards), 0);
        writer.begin(&jobs[0]);
        boards.look(0, &mut seen);
        assert_eq!((seen.number, seen.id, seen.moves.len(), seen.since), (1, Some(jobs[0].game.id), 1, None));
        writer.asked(None, now());
        boards.look(0, &mut seen);
        assert!(seen.since.is_some() && seen.moves.len() == 1);
        let reader = boards.board(0).unwrap().lock();
        moved(&mut writer, 5, 5);
        assert_eq!(reader.moves.len(), 1, "the writer does not wait");
        drop(reader);
        moved(&mut writer, 6, 6);
        boards.look(0, &mut seen);
        assert_eq!(seen.moves, [jobs[0].opening[0].clone(), Move::Int(5), Move::Int(6)]);
        assert_eq!(said(&seen), [(5, Some("to 5")), (6, Some("to 6"))]);
        assert_eq!(seen.since, boards.board(0).unwrap().lock().since);
    }

    #[test]
    fn a_game_that_was_skipped_as_a_whole_leaves_nothing_behind() {
        let (boards, jobs) = (Arc::new(Boards::default()), jobs());
        boards.open(2, Vec::new());
        let mut writer = BoardWriter::new(Arc::clone(&boards), 1);
        writer.begin(&jobs[0]);
        let reader = boards.board(1).unwrap().lock();
        moved(&mut writer, 5, 5);
        writer.begin(&jobs[1]);
        drop(reader);
        moved(&mut writer, 2, 2);
        let mut seen = Running::default();
        boards.look(1, &mut seen);
        assert_eq!((seen.number, seen.id, seen.bots), (2, Some(jobs[1].game.id), jobs[1].game.bots));
        assert_eq!(seen.moves, [jobs[1].opening[0].clone(), Move::Int(2)]);
        assert_eq!(said(&seen), [(2, Some("to 2"))]);
    }
}
