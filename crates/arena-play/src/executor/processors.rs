//! Assigns processors to slots. Concurrent arenas share them out, so that games do not compete for one processor while
//! another is idle. Nothing else depends on it.
//!
//! A game claims its processor by binding a socket to an abstract name (unix(7)). This leaves no file behind, the kernel
//! releases it when an arena is killed, and all arenas in one network namespace see it, of any user.

use std::io::{self, ErrorKind};
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use arena_guard::bind_abstract;
use arena_sys::time::pause;

use super::gate::Gate;
use crate::player::process::SharedProcessor;

/// Maximum number of games counted per processor.
const PLACES_MAX: usize = 8;
/// Attempts to take the lock, with a pause after each. A process that holds it longer was stopped, and is ignored.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The processor of a slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Processor {
    /// Its number, if the slot is pinned.
    pub(super) cpu: Option<usize>,
    /// The bots on it.
    pub(super) shared: SharedProcessor,
    /// What games there pass.
    pub(super) gate: Gate,
}

/// The processors of an arena's slots; released when dropped.
#[derive(Debug)]
pub(super) struct Processors {
    /// For each slot, its processor, if it is pinned, and what it shares with other slots there. Further slots wrap around.
    chosen: Vec<Processor>,
    #[expect(dead_code, reason = "held for their names")]
    claims: Vec<UnixDatagram>,
}

impl Processors {
    /// Chooses a processor of `cpus` for each slot: the first of those with the fewest games of all arenas. If `cpus` is
    /// empty, no slot is pinned.
    pub(super) fn choose(cpus: &[usize], slots: usize) -> Self {
        let _lock = choice_lock();
        let places =
            |cpu: usize| (0..PLACES_MAX).map(move |place| bind_abstract(&format!("arena-processor-{cpu}-{place}")));
        let mut games: Vec<usize> = cpus.iter().map(|cpu| places(*cpu).filter(is_taken).count()).collect();
        let (mut chosen, mut claims) = (Vec::new(), Vec::new());
        for _ in 0..slots.min(cpus.len()) {
            let Some(index) = (0..cpus.len()).min_by_key(|index| games[*index]) else { break };
            games[index] += 1;
            chosen.push(Processor { cpu: Some(cpus[index]), ..Processor::default() });
            claims.extend(places(cpus[index]).find_map(Result::ok));
        }
        if chosen.is_empty() {
            chosen.push(Processor::default());
        }
        Self { chosen, claims }
    }

    /// The processors of all slots that are pinned.
    pub(super) fn cpus(&self) -> Vec<usize> {
        self.chosen.iter().filter_map(|processor| processor.cpu).collect()
    }

    /// The processor of a slot.
    pub(super) fn of(&self, slot: usize) -> Processor {
        self.chosen[slot % self.chosen.len()].clone()
    }
}

/// A lock against other arenas that choose at the same time; otherwise two could choose the same processor.
fn choice_lock() -> Option<UnixDatagram> {
    for _ in 0..LOCK_TRIES {
        let turn = bind_abstract("arena-processors");
        if !is_taken(&turn) {
            return turn.ok();
        }
        pause(LOCK_PAUSE);
    }
    None
}

/// Systems without abstract names report nothing as taken.
fn is_taken(bound: &io::Result<UnixDatagram>) -> bool {
    bound.as_ref().is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processor numbers that no machine has, unique to this process and test.
    fn cpus<const N: usize>(test: usize) -> [usize; N] {
        std::array::from_fn(|cpu| ((1 << 40) + std::process::id() as usize) * 100 + 10 * test + cpu)
    }

    #[test]
    fn arenas_at_once_share_out_the_processors() {
        let [a, b] = cpus(0);
        let first = Processors::choose(&[a, b], 1);
        let second = Processors::choose(&[a, b], 1);
        assert_eq!((first.cpus(), second.cpus()), (vec![a], vec![b]));
        drop(first);
        assert_eq!(Processors::choose(&[a, b], 1).cpus(), [a], "it is free again");
        assert_eq!(Processors::choose(&[a, b], 2).cpus(), [a, a], "the other has a game");
        assert_eq!(Processors::choose(&[b], 1).cpus(), [b], "an arena with one processor shares it");
    }

    #[test]
    fn games_are_counted_although_other_arenas_have_ended() {
        let [a, b] = cpus(1);
        let first = Processors::choose(&[a, b], 2);
        let second = Processors::choose(&[a, b], 1);
        assert_eq!((first.cpus(), second.cpus()), (vec![a, b], vec![a]));
        drop(first);
        assert_eq!(Processors::choose(&[a, b], 1).cpus(), [b]);
    }

    #[test]
    fn more_slots_or_arenas_than_places_still_get_a_processor() {
        let [a, b] = cpus(2);
        assert_eq!(Processors::choose(&[a, b], 5).cpus().len(), 2);
        assert!(Processors::choose(&[], 5).cpus().is_empty());
        let many: Vec<Processors> = (0..3 * PLACES_MAX).map(|_| Processors::choose(&[a, b], 1)).collect();
        assert!(many.iter().all(|one| one.cpus().len() == 1));
        for cpu in [a, b] {
            assert!(many[..2 * PLACES_MAX].iter().filter(|one| one.cpus() == [cpu]).count() == PLACES_MAX);
        }
    }
}
