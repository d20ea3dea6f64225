//! The gate to a processor: games there begin at any time, or one has it alone.
//!
//! A game that was void because bots waiting for other games took the processor is played again without any such bot. Where
//! slots share a processor, those of the other slots wait as well: their games begin before it, or after it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The gate to one processor.
#[derive(Debug, Clone, Default)]
pub(super) struct Gate(Arc<GateShared>);

#[derive(Debug, Default)]
struct GateShared {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Games that are on.
    playing: usize,
    /// Games that wait for all others to end; no other begins meanwhile.
    waiting_alone: usize,
    /// Whether the game that is on is alone.
    is_alone: bool,
}

/// A game that is on, until this is dropped.
#[derive(Debug)]
pub(super) struct Admission(Gate);

impl Gate {
    /// Waits until a game may begin; if it is to be `alone`, until all others on the processor are over.
    pub(super) fn enter(&self, alone: bool) -> Admission {
        let mut state = self.lock();
        state.waiting_alone += usize::from(alone);
        let must_wait =
            |state: &mut GateState| state.is_alone || if alone { state.playing > 0 } else { state.waiting_alone > 0 };
        let mut state = self.0.changed.wait_while(state, must_wait).unwrap_or_else(PoisonError::into_inner);
        state.waiting_alone -= usize::from(alone);
        state.playing += 1;
        state.is_alone = alone;
        Admission(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.playing -= 1;
        state.is_alone = false;
        self.0.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn a_game_that_is_alone_begins_after_all_others_and_before_all_further_ones() {
        let gate = Gate::default();
        let [first, second] = [false; 2].map(|alone| gate.enter(alone));
        let (sender, order) = channel();
        thread::scope(|scope| {
            let begin = |alone: bool| {
                let (gate, sender) = (gate.clone(), sender.clone());
                scope.spawn(move || {
                    let admission = gate.enter(alone);
                    sender.send((alone, gate.lock().playing)).unwrap();
                    drop(admission);
                });
            };
            begin(true);
            while gate.lock().waiting_alone == 0 {
                thread::yield_now();
            }
            begin(false);
            drop(first);
            assert!(order.try_recv().is_err(), "another game is on");
            drop(second);
            assert_eq!([order.recv().unwrap(), order.recv().unwrap()], [(true, 1), (false, 1)]);
        });
        let state = gate.lock();
        assert_eq!((state.playing, state.waiting_alone, state.is_alone), (0, 0, false));
    }
}
