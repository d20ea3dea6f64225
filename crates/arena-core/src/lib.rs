//! The pure core of `arena`: rules of games, referee, tournament formats, schedules and ratings. No files, no processes, no
//! clock and no randomness but a seed.
//!
//! ```text
//! rules ← clock ← referee          stats: ratings, tests, margins
//!   ↖ record ← format ← event ← schedule
//!        openings, import
//! ```
//!
//! # Examples
//!
//! The ratings of games that were played elsewhere:
//!
//! ```
//! # #[cfg(feature = "import")] {
//! use arena_core::import::{OddGames, PairMode, read_all};
//! use arena_core::stats::{CountsBuilder, RatingOptions, rate};
//!
//! let csv = "white,black,result\n".to_owned() + &"ann,bob,1-0\nbob,ann,1/2-1/2\nann,bob,0-1\nbob,ann,0-1\n".repeat(9);
//! let (table, _) = read_all([("games.csv".to_owned(), csv.as_bytes())], PairMode::Guess, OddGames::LeftOut)?;
//! let mut counts = CountsBuilder::new(table.names.len());
//! for game in &table.games {
//!     counts.add(game.first as usize, game.second as usize, game.result, Some(game.cluster));
//! }
//! let ratings = rate(&counts.finish(), &RatingOptions::default());
//! let difference = ratings.difference(0, 1).expect("ann and bob played each other");
//! assert_eq!(difference.to_string(), "+88.7 ± 58.0", "how much stronger ann is than bob, in points");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cause;
pub mod clock;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod format;
#[cfg(feature = "import")]
pub mod import;
pub mod openings;
pub mod plan;
pub mod record;
pub mod referee;
mod registry;
pub mod rng;
pub mod rules;
pub mod schedule;
pub mod solver;
pub mod speech;
pub mod stats;
pub mod suggest;
pub mod tags;
pub mod text;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_errors_pass_between_threads() {
        const fn check<T: Send + Sync + 'static>() {}
        check::<rules::Variant>();
        check::<rules::VariantError>();
        check::<event::Event>();
        check::<record::Record>();
        check::<schedule::ScheduleError>();
        check::<referee::BeginError>();
        check::<openings::OpeningsError>();
        check::<stats::Analysis>();
        #[cfg(feature = "import")]
        check::<import::ImportError>();
    }
}
