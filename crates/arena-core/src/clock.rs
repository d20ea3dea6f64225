//! Time controls as arithmetic on durations; this module never reads a clock.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//!
//! use arena_core::clock::{Clock, TimeControl};
//!
//! // At most half a second a move; a second for the game, and a tenth more after each move.
//! let control = TimeControl {
//!     bank_ms: Some(1_000),
//!     increment_ms: Some(100),
//!     ..TimeControl::per_move(Duration::from_millis(500))
//! };
//! let mut clock = Clock::new(control);
//! clock.spend(&Duration::from_millis(400).into())?;
//! clock.spend(&Duration::from_millis(400).into())?;
//! assert_eq!(clock.budget(), Duration::from_millis(400));
//! let flagged = clock.spend(&Duration::from_millis(450).into()).unwrap_err();
//! assert_eq!(flagged.to_string(), "no move within 400 ms; it came after 450 ms");
//! # Ok::<(), arena_core::clock::Flagged>(())
//! ```

mod duration;
mod time_use;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use duration::{Bank, DurationError, LIMIT_MAX, parse_duration};
pub use time_use::{MostlySpent, TimeUse};

/// Default overrun that is forgiven beyond every limit, for scheduling noise.
pub const MARGIN_DEFAULT: Duration = Duration::from_millis(10);
/// Multiple of the limit that a move may take in wall time where processor time is charged. It is enough for a bot that
/// gets a third of a processor, and ends one that sleeps.
pub const WALL_PER_CPU: u32 = 3;

/// How much time the players have: a limit per move, a bank for the game, or both. Whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Limit for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// Time for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Added to the bank after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Overrun that is forgiven.
    pub margin_ms: u64,
    /// What a move is charged.
    #[serde(default, skip_serializing_if = "Charge::is_wall")]
    pub charge: Charge,
}

/// What a move is charged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Charge {
    /// The time that passed.
    #[default]
    Wall,
    /// The processor time that the bot used, which does not depend on what else the machine does. That a bot does
    /// nothing at all is bounded by [`WALL_PER_CPU`].
    Cpu,
}

impl Charge {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    fn is_wall(&self) -> bool {
        *self == Self::Wall
    }
}

/// What was measured of one move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// From the write of the last byte of the request to the newline of the reply, less the credit.
    pub wall: Duration,
    /// Processor time of the bot during the move, if it was read: always where it is charged, else for slow moves.
    pub cpu: Option<Duration>,
    /// Time within the move that the bot did not cause; not charged.
    pub credit: Duration,
}

impl Taken {
    /// The processor time in microseconds, as in records.
    #[must_use]
    pub fn cpu_us(&self) -> Option<u64> {
        self.cpu.map(|cpu| cpu.as_micros() as u64)
    }

    /// What goes beyond `free` time.
    #[must_use]
    pub fn beyond(self, free: Duration) -> Self {
        let cpu = self.cpu.map(|cpu| cpu.saturating_sub(free));
        Self { wall: self.wall.saturating_sub(free), cpu, ..self }
    }

    /// With what was taken before it, such as the time until the bot was idle.
    #[must_use]
    pub fn after(self, before: Self) -> Self {
        let cpu = self.cpu.map(|cpu| cpu + before.cpu.unwrap_or_default());
        Self { wall: self.wall + before.wall, cpu, credit: self.credit + before.credit }
    }
}

impl From<Duration> for Taken {
    /// A move with known wall time only.
    fn from(wall: Duration) -> Self {
        Self { wall, ..Self::default() }
    }
}

/// The clocks as a player sees them before a move, and the deadline for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// Limit of this move.
    pub limit: Duration,
    /// Maximum wall time until the reply: the limit, or a multiple of it where processor time is charged.
    pub wall_limit: Duration,
    /// Overrun that is forgiven; hidden from the player.
    pub margin: Duration,
    /// What the move is charged.
    pub charge: Charge,
    /// The player's bank.
    pub bank: Option<Duration>,
    /// The opponent's bank.
    pub opponent_bank: Option<Duration>,
    /// What the player's previous move cost.
    pub last: Option<Duration>,
}

impl TimeLeft {
    /// With `more` time that is not charged, such as that for the start of a process.
    #[must_use]
    pub fn and(self, more: Duration) -> Self {
        Self { limit: self.limit + more, wall_limit: self.wall_limit + more, ..self }
    }

    /// The time after which a reply is not accepted.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.wall_limit + self.margin
    }

    /// The error for a player that has not replied by then.
    #[must_use]
    pub fn missed(&self) -> Flagged {
        Flagged { limit: self.wall_limit, took: None, charge: Charge::Wall }
    }
}

/// A move that took longer than its limit and margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub struct Flagged {
    /// The move's limit, without the margin.
    pub limit: Duration,
    /// Time of the move, if a reply came.
    pub took: Option<Duration>,
    /// What was measured.
    pub charge: Charge,
}

impl fmt::Display for Flagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit_ms = self.limit.as_millis();
        match (self.charge, self.took.map(|took| took.as_millis())) {
            (Charge::Cpu, Some(ms)) => write!(f, "its move took {ms} ms of CPU time, more than {limit_ms} ms"),
            (Charge::Wall, Some(ms)) => write!(f, "no move within {limit_ms} ms; it came after {ms} ms"),
            (_, None) => write!(f, "no move within {limit_ms} ms"),
        }
    }
}

/// One player's clock in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    bank: Option<Duration>,
}

impl TimeControl {
    /// `move_time` for each move and nothing else.
    #[must_use]
    pub fn per_move(move_time: Duration) -> Self {
        Self {
            move_ms: Some(move_time.as_millis() as u64),
            bank_ms: None,
            increment_ms: None,
            margin_ms: MARGIN_DEFAULT.as_millis() as u64,
            charge: Charge::Wall,
        }
    }

    /// The margin as a duration.
    #[must_use]
    pub fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms)
    }

    /// Maximum wall time of a move with this limit.
    fn wall_limit(&self, limit: Duration) -> Duration {
        match self.charge {
            Charge::Wall => limit,
            Charge::Cpu => limit * WALL_PER_CPU,
        }
    }
}

/// `1000 ms a move`, `10000 ms + 100 ms`, or both joined by a comma; and whether CPU time is charged.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bank) = self.bank_ms {
            write!(f, "{bank} ms + {} ms", self.increment_ms.unwrap_or(0))?;
        }
        if let Some(limit) = self.move_ms {
            let separator = if self.bank_ms.is_some() { ", " } else { "" };
            write!(f, "{separator}{limit} ms a move")?;
        }
        if self.charge == Charge::Cpu {
            f.write_str(" of CPU time")?;
        }
        Ok(())
    }
}

impl Clock {
    /// A clock at the start of a game.
    #[must_use]
    pub fn new(control: TimeControl) -> Self {
        Self { control, bank: control.bank_ms.map(Duration::from_millis) }
    }

    /// The limit of the next move, without the margin.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let limit = self.control.move_ms.map(Duration::from_millis);
        limit.into_iter().chain(self.bank).min().unwrap_or_default()
    }

    /// The time sent to the player with this clock before its next move; `last` is what its previous one cost.
    #[must_use]
    pub fn time_left(&self, opponent: &Self, last: Option<Duration>) -> TimeLeft {
        let limit = self.budget();
        TimeLeft {
            limit,
            wall_limit: self.control.wall_limit(limit),
            margin: self.control.margin(),
            charge: self.control.charge,
            bank: self.bank,
            opponent_bank: opponent.bank,
            last,
        }
    }

    /// Charges a move and adds the increment; returns what the move cost. An overrun within the margin is forgiven and
    /// costs the whole bank.
    ///
    /// # Errors
    ///
    /// Returns [`Flagged`] if the cost exceeds [`Clock::budget`] and the margin, or the move came after
    /// [`TimeLeft::deadline`]; the clock is then unchanged.
    pub fn spend(&mut self, taken: &Taken) -> Result<Duration, Flagged> {
        let (limit, margin, charge) = (self.budget(), self.control.margin(), self.control.charge);
        let wall_limit = self.control.wall_limit(limit);
        // Unknown processor time is charged as wall time.
        let cost = taken.cpu.filter(|_| charge == Charge::Cpu).unwrap_or(taken.wall);
        if cost > limit + margin {
            return Err(Flagged { limit, took: Some(cost), charge });
        }
        if taken.wall > wall_limit + margin {
            return Err(Flagged { limit: wall_limit, took: Some(taken.wall), charge: Charge::Wall });
        }
        let increment = Duration::from_millis(self.control.increment_ms.unwrap_or(0));
        self.bank = self.bank.map(|bank| bank.saturating_sub(cost) + increment);
        Ok(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn bank(bank_ms: u64, increment_ms: u64, move_ms: Option<u64>) -> Clock {
        let (bank_ms, increment_ms) = (Some(bank_ms), Some(increment_ms));
        Clock::new(TimeControl { move_ms, bank_ms, increment_ms, margin_ms: 10, charge: Charge::Wall })
    }

    fn ms(wall: u32) -> Taken {
        (wall * MS).into()
    }

    #[test]
    fn a_reply_at_the_margin_is_forgiven_and_costs_the_whole_bank() {
        let mut clock = bank(300, 0, None);
        assert_eq!(clock.spend(&ms(310)), Ok(310 * MS));
        assert_eq!(clock.budget(), Duration::ZERO);
    }

    /// A reply that is in time for the longer limit is in time for the clock, and costs only what goes beyond.
    #[test]
    fn time_that_is_not_charged_lengthens_the_limit_and_not_the_cost() {
        let (mut clock, start) = (bank(300, 0, None), 1_000 * MS);
        let time = clock.time_left(&clock, None);
        let longer = time.and(start);
        assert_eq!((longer.limit, longer.deadline(), longer.bank), (1_300 * MS, 1_310 * MS, time.bank));
        let taken = Taken { cpu: Some(999 * MS), ..ms(1_200) };
        assert_eq!(taken.beyond(start), Taken { cpu: Some(Duration::ZERO), ..ms(200) });
        assert_eq!(clock.spend(&taken.beyond(start)), Ok(200 * MS));
        let last = Taken::from(clock.time_left(&clock, None).and(start).deadline());
        assert!(clock.spend(&last.beyond(start)).is_ok());
        assert!(clock.spend(&Taken { wall: last.wall + MS, ..last }.beyond(start)).is_err());
    }

    #[test]
    fn one_nanosecond_past_the_margin_flags_and_changes_nothing() {
        let mut clock = bank(300, 5, None);
        let took = 310 * MS + Duration::from_nanos(1);
        let flagged = clock.spend(&took.into()).unwrap_err();
        assert_eq!(flagged, Flagged { limit: 300 * MS, took: Some(took), charge: Charge::Wall });
        assert_eq!(flagged.to_string(), "no move within 300 ms; it came after 310 ms");
        assert_eq!(clock.budget(), 300 * MS);
    }

    #[test]
    fn the_increment_comes_after_the_move() {
        let mut clock = bank(300, 50, None);
        clock.spend(&ms(100)).unwrap();
        assert_eq!(clock.budget(), 250 * MS);
    }

    #[test]
    fn a_limit_per_move_caps_the_bank() {
        let mut clock = bank(1_000, 0, Some(400));
        assert_eq!(clock.budget(), 400 * MS);
        clock.spend(&ms(400)).unwrap();
        clock.spend(&ms(400)).unwrap();
        assert_eq!(clock.budget(), 200 * MS);
    }

    #[test]
    fn processor_time_is_charged_and_waiting_is_bounded() {
        let charge = Charge::Cpu;
        let control = TimeControl { move_ms: None, bank_ms: Some(300), increment_ms: None, margin_ms: 10, charge };
        let mut clock = Clock::new(control);
        let taken = |wall, cpu: u32| Taken { cpu: Some(cpu * MS), ..ms(wall) };
        let time = clock.time_left(&clock, None);
        assert_eq!((time.limit, time.deadline()), (300 * MS, 910 * MS));
        assert_eq!(time.missed().to_string(), "no move within 900 ms");
        assert_eq!(clock.spend(&taken(800, 100)), Ok(100 * MS));
        assert_eq!(clock.budget(), 200 * MS);
        let flagged = clock.spend(&taken(300, 211)).unwrap_err();
        assert_eq!(flagged, Flagged { limit: 200 * MS, took: Some(211 * MS), charge });
        assert_eq!(flagged.to_string(), "its move took 211 ms of CPU time, more than 200 ms");
        let flagged = clock.spend(&taken(620, 1)).unwrap_err();
        assert_eq!(flagged, Flagged { limit: 600 * MS, took: Some(620 * MS), charge: Charge::Wall });
        assert_eq!(clock.spend(&ms(150)), Ok(150 * MS), "not known, so the time that passed");
        assert_eq!(control.to_string(), "300 ms + 0 ms of CPU time");
    }
}
