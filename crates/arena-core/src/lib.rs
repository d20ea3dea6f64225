//! The pure core of `arena`: referee, tournament formats, schedules and analyses. It hands on the rules of games with their solvers
//! ([`arena_rules`]) and the statistics ([`arena_stats`]), crates of their own that compile beside each other. No files, no processes,
//! no clock and no randomness but a seed.
//!
//! ```text
//! rules ← clock ← referee          stats: ratings, tests, margins
//!   ↖ record ← format ← event ← schedule
//!        openings, import
//! ```
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`clock`] | time controls as arithmetic on durations | the current time |
//! | [`cause`] | causes of faults | how they are shown, their cures |
//! | [`record`] | a stored game | how games are played |
//! | [`referee`] | the judge of one game: an answer in, the next question out | players, ids, messages |
//! | [`speech`] | how a bot is spoken to, as data in journals: the name of its protocol, its options | the protocols |
//! | [`tags`] | what people say about a bot, as data in journals | what it is good for |
//! | [`format`](mod@format) | tournament formats: pairings as a function of the bots and of settled pairs | games, time, names |
//! | [`plan`] | what tournaments will take and tell, by simulated bots | files, time, names |
//! | [`event`] | the definition of a tournament, and the identity of games | how games are played |
//! | [`schedule`] | the state of all games: due, issued, settled, void, withdrawn | processes, files, time |
//! | [`openings`], [`verify`] | pure functions of rules and records | files, time |
//! | [`import`] | plain tables of games from elsewhere | files, ratings |
//! | [`analysis`] | stored games against best play | how they are solved, files, threads |
//! | [`judge`] | the rules as a service: a position in, a judgement out | bots, time, processes |
//!
//! # Examples
//!
//! The ratings of games that were played elsewhere:
//!
//! ```
//! # #[cfg(feature = "import")] {
//! use arena_core::import::{ImportOptions, read_all};
//! use arena_core::stats::{CountsBuilder, RatingOptions, rate};
//!
//! let csv = "white,black,result\n".to_owned() + &"ann,bob,1-0\nbob,ann,1/2-1/2\nann,bob,0-1\nbob,ann,0-1\n".repeat(9);
//! let (table, _) = read_all([("games.csv".to_owned(), csv.as_bytes())], &ImportOptions::default())?;
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

// The fixture names this crate as the others do.
#[cfg(test)]
extern crate self as arena_core;

pub mod analysis;
pub mod cause;
pub mod clock;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod format;
#[cfg(feature = "import")]
pub mod import;
pub mod judge;
pub mod openings;
pub mod plan;
pub mod record;
pub mod referee;
pub mod schedule;
pub mod speech;
pub mod tags;
pub mod verify;

pub use arena_rules::{rng, rules, solver, suggest, text};
pub use arena_stats as stats;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_errors_pass_between_threads() {
        const fn check<T: Send + Sync + 'static>() {}
        check::<rules::Variant>();
        check::<rules::VariantError>();
        check::<event::Tournament>();
        check::<record::Record>();
        check::<schedule::ScheduleError>();
        check::<referee::BeginError>();
        check::<openings::OpeningsError>();
        check::<stats::Analysis>();
        #[cfg(feature = "import")]
        check::<import::ImportError>();
    }
}
