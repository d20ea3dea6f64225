//! Measures how fast this machine computes: one slot alone, and every slot while all are busy.

use std::hint::black_box;
use std::io;
use std::thread::{Builder, scope};
use std::time::Duration;

use arena_core::record::Calibration;
use arena_guard::{keep_to, own_processors};

use super::playouts::Playouts;
use crate::time::now;

/// Laps of each slot. Their median counts, so that a short disturbance does not.
const LAPS: usize = 11;
const LAP: Duration = Duration::from_millis(50);
/// Games between two looks at the clock: less than a millisecond.
const GAMES_PER_LOOK: u32 = 200;

/// Measures the speed of a slot alone, then of each of `slots` slots at once, which takes about a second. Slots that need all
/// processors are pinned to them. Fewer are not: several workers of a machine may be measured at once, and would all be pinned
/// to the first one.
///
/// # Errors
///
/// Returns an error if a thread cannot be started.
pub fn measure(slots: usize) -> io::Result<Calibration> {
    measure_laps(slots, LAPS, LAP)
}

fn measure_laps(slots: usize, laps: usize, lap: Duration) -> io::Result<Calibration> {
    let alone = median(run(1, laps, lap)?);
    let busy = if slots <= 1 { alone } else { median(run(slots, laps, lap)?) };
    Ok(Calibration { alone, busy })
}

/// The speeds of all laps of all slots, in thousand steps per second.
fn run(slots: usize, laps: usize, lap: Duration) -> io::Result<Vec<u32>> {
    let processors = own_processors();
    scope(|scope| {
        let spawn = |slot: usize| {
            let is_pinned = !processors.is_empty() && slots >= processors.len();
            let processor = is_pinned.then(|| processors[slot % processors.len()]);
            Builder::new().name(format!("calibrate {slot}")).spawn_scoped(scope, move || {
                keep_to(processor);
                let mut playouts = Playouts::new(slot as u64 + 1);
                (0..laps).map(|_| speed(&mut playouts, lap)).collect::<Vec<_>>()
            })
        };
        let threads = (0..slots).map(spawn).collect::<io::Result<Vec<_>>>()?;
        // Only a bug in the loop could end a thread; its laps are then missing.
        Ok(threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect())
    })
}

/// The speed of one lap, in thousand steps per second.
fn speed(playouts: &mut Playouts, lap: Duration) -> u32 {
    let (begin, steps) = (now(), playouts.steps);
    loop {
        for _ in 0..GAMES_PER_LOOK {
            black_box(&mut *playouts).play();
        }
        let taken = begin.elapsed();
        if taken >= lap {
            return ((playouts.steps - steps) as f64 / taken.as_secs_f64().max(1e-9) / 1_000.0) as u32;
        }
    }
}

fn median(mut speeds: Vec<u32>) -> u32 {
    speeds.sort_unstable();
    speeds.get(speeds.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_measured() {
        let laps = run(3, 2, Duration::from_millis(1)).unwrap();
        assert_eq!(laps.len(), 3 * 2);
        assert!(laps.iter().all(|speed| *speed > 0), "{laps:?}");
    }

    #[test]
    fn one_slot_is_as_fast_busy_as_alone() {
        let Calibration { alone, busy } = measure_laps(1, 1, Duration::from_millis(1)).unwrap();
        assert!(alone > 0 && alone == busy, "{alone} {busy}");
    }

    #[test]
    fn the_calling_thread_keeps_its_processors() {
        let before = own_processors();
        measure_laps(2, 1, Duration::ZERO).unwrap();
        assert_eq!(own_processors(), before);
    }

    #[test]
    fn a_disturbed_lap_does_not_count() {
        assert_eq!(median(vec![100, 3, 101, 99, 102]), 100);
        assert_eq!(median(Vec::new()), 0);
    }
}
