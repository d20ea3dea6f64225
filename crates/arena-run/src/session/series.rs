//! A series: tournaments of several games, played in turns so that none is far ahead of the others.

use std::time::{Duration, Instant};

use arena_core::schedule::Policy;
use arena_core::stats::AnalysisOptions;
use arena_show::observer::{Observer, RunEnding};
use arena_sys::time::now;

use super::{Session, SessionError};

/// The fewest games of a turn for each that is played at once.
const GAMES_OF_TURN: u32 = 8;
/// A turn has at least this share of the games so far: bots are started again for each turn, and slots idle at its end.
const SHARE_OF_TURN: u32 = 16;
/// A series stops where all games are equally far if that wastes at most this share of the time so far.
const WASTE_MAX: u32 = 10;

/// A tournament of a series.
pub struct SeriesTournament<'a, P> {
    /// The tournament.
    pub session: Session,
    /// Decides about more rounds.
    pub policy: P,
    /// How it is rated.
    pub options: AnalysisOptions,
    /// Receives its events.
    pub observer: Box<dyn Observer + 'a>,
}

/// Plays the missing games of all parts in turns.
///
/// # Errors
///
/// See [`Session::play`].
pub fn play_series<P: Policy>(
    parts: &mut [SeriesTournament<'_, P>],
    deadline: Option<Instant>,
) -> Result<RunEnding, SessionError> {
    let (begun, mut ending) = (now(), RunEnding::Complete);
    let mut open: Vec<usize> = (0..parts.len()).collect();
    let mut cycle = Duration::ZERO;
    'cycles: while !open.is_empty() {
        let cycle_begun = now();
        if deadline.is_some_and(|deadline| {
            should_stop(deadline.saturating_duration_since(cycle_begun), cycle_begun - begun, cycle)
        }) {
            ending = RunEnding::OutOfTime;
            break;
        }
        for part in open.clone() {
            match parts[part].play_turn()? {
                RunEnding::Paused => {}
                RunEnding::Complete | RunEnding::Enough => open.retain(|other| *other != part),
                // Only games of bots that are gone are left.
                RunEnding::Stopped
                    if parts[part].session.scheduler.next_place() >= parts[part].session.scheduler.total() =>
                {
                    open.retain(|other| *other != part);
                }
                other => {
                    ending = other;
                    break 'cycles;
                }
            }
        }
        cycle = now() - cycle_begun;
    }
    if ending == RunEnding::OutOfTime {
        for part in open {
            let session = &mut parts[part].session;
            // The part whose run noticed it has recorded it.
            if session.stop.is_none() {
                session.stop_out_of_time()?;
            }
        }
    }
    Ok(ending)
}

impl<P: Policy> SeriesTournament<'_, P> {
    fn play_turn(&mut self) -> Result<RunEnding, SessionError> {
        let session = &mut self.session;
        let games = GAMES_OF_TURN * session.capacity().games as u32;
        let played = session.scheduler.next_place();
        let until = session.turn(games.max(played / SHARE_OF_TURN));
        session.play_until(until, &mut self.policy, &mut *self.observer, &self.options)
    }
}

/// Whether to stop at the border between cycles: there is no time for another one, and little is left. `spent` is the time so
/// far, and `cycle` that of the last cycle.
fn should_stop(left: Duration, spent: Duration, cycle: Duration) -> bool {
    left.is_zero() || left < cycle && left <= spent / WASTE_MAX
}

impl Session {
    /// The next place with at least so many games to play before it, at which all bots are equally far; that after the last
    /// one if there are not so many.
    fn turn(&mut self, games: u32) -> u32 {
        let next = self.scheduler.next_place();
        let mut until = next;
        while until < self.scheduler.total() && self.scheduler.due_between(next, until) < games {
            until = self.scheduler.borders(until).level;
        }
        until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_between_cycles_if_little_is_left() {
        let stops = |left, spent, cycle| {
            should_stop(Duration::from_secs(left), Duration::from_secs(spent), Duration::from_secs(cycle))
        };
        assert!(stops(0, 0, 0) && stops(9, 100, 10) && stops(10, 100, 11));
        assert!(!stops(10, 100, 10), "there is time for another cycle");
        assert!(!stops(11, 100, 60), "too much would be wasted");
        assert!(!stops(5, 0, 0), "the first one always begins");
    }
}
