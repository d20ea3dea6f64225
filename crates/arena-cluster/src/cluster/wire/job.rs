//! A game to be played, as a message.

use arena_core::event::{GameId, ScheduledGame, Tournament};
use arena_core::rules::Move;
use arena_core::schedule::Job;
use serde::{Deserialize, Serialize};

use super::WireError;

/// A game to be played.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobMessage {
    place: u32,
    id: String,
    round: u32,
    pair: u32,
    number: u32,
    opening: usize,
    bots: [usize; 2],
    #[serde(with = "arena_core::rng::decimal")]
    seed: u64,
    repeat: u32,
    moves: Vec<Move>,
    retries: u8,
    starved: bool,
    quiet: bool,
}

impl JobMessage {
    /// The message for a job.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let ScheduledGame { id, round, pair, number, opening, bots, seed, repeat } = job.game;
        Self {
            place: job.place,
            id: id.to_string(),
            round,
            pair,
            number,
            opening,
            bots,
            seed,
            repeat,
            moves: job.opening.clone(),
            retries: job.retries,
            starved: job.starved,
            quiet: job.quiet,
        }
    }

    /// Size of the message for a job at most, in bytes: known without writing it.
    #[must_use]
    pub fn bytes_max(job: &Job) -> usize {
        /// Of all that is not a move.
        const FIXED: usize = 350;
        /// Of an integer and what separates it from the next.
        const INTEGER: usize = 21;
        fn bytes(played: &Move) -> usize {
            match played {
                Move::Int(_) => INTEGER,
                Move::List(integers) => (integers.len() + 1) * INTEGER,
                // Each byte may be escaped as six.
                Move::Text(text) => 6 * text.len() + 3,
                Move::Parts(parts) => parts.iter().map(bytes).sum::<usize>() + 3,
            }
        }
        FIXED + job.opening.iter().map(bytes).sum::<usize>()
    }

    /// The job, if it is one of `event`.
    ///
    /// # Errors
    ///
    /// Returns an error if it names bots that the event does not have, or if id and seed do not follow from the event.
    pub fn job(self, event: &Tournament) -> Result<Job, WireError> {
        let Self { place, id, round, pair, number, opening, bots, seed, repeat, moves, retries, starved, quiet } = self;
        if bots.iter().any(|bot| *bot >= event.bots.len()) || bots[0] == bots[1] {
            return Err(WireError::NoSuchBots { id, bots, known: event.bots.len() });
        }
        let known = event.identify_from(number, &moves, bots, repeat, event.open_information());
        if known != (GameId::of(&id), seed) {
            return Err(WireError::OtherGame { id, known: known.0 });
        }
        let game = ScheduledGame { id: known.0, round, pair, number, opening, bots, seed, repeat };
        Ok(Job { place, game, opening: moves, retries, starved, quiet })
    }
}

/// The next attempt at a game that was void: `starved` and `disturbed` say why, as far as it matters.
#[must_use]
pub fn retry(job: &Job, event: &Tournament, starved: bool, disturbed: bool) -> Job {
    let repeat = job.game.repeat.saturating_add(1);
    let (id, seed) =
        event.identify_from(job.game.number, &job.opening, job.game.bots, repeat, event.open_information());
    let game = ScheduledGame { id, seed, repeat, ..job.game.clone() };
    Job {
        game,
        retries: job.retries + 1,
        starved: job.starved || starved,
        quiet: job.quiet || disturbed,
        ..job.clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{self, jobs};
    use arena_core::schedule::RETRIES_MAX;

    use super::*;
    use crate::cluster::wire::written;

    #[test]
    fn a_job_comes_as_it_went_and_a_changed_one_is_refused() {
        let event = fixture::event(&["a", "b", "c"]);
        for job in jobs(&event) {
            let text = written(&JobMessage::of(&job));
            let read = |text: &[u8]| serde_json::from_slice::<JobMessage>(text).unwrap().job(&event);
            assert_eq!(read(&text).unwrap(), job);
            assert!(text.len() <= JobMessage::bytes_max(&job));
            let mut changed = serde_json::from_slice::<serde_json::Value>(&text).unwrap();
            changed["seed"] = "77".into();
            assert!(read(&written(&changed)).unwrap_err().to_string().contains("is not of this event"));
            changed["bots"] = serde_json::json!([0, 3]);
            assert!(read(&written(&changed)).unwrap_err().to_string().ends_with("is of bots 0 and 3, of 3"));
        }
    }

    #[test]
    fn no_job_is_larger_than_its_size() {
        let event = fixture::event(&["a", "b"]);
        let mut job = jobs(&event).remove(0);
        let game = ScheduledGame {
            id: job.game.id,
            round: u32::MAX,
            pair: u32::MAX,
            number: u32::MAX,
            opening: usize::MAX,
            bots: [usize::MAX; 2],
            seed: u64::MAX,
            repeat: u32::MAX,
        };
        job = Job { place: u32::MAX, game, retries: u8::MAX, starved: false, quiet: false, ..job };
        for moves in [
            vec![],
            vec![Move::Int(i64::MIN); 9],
            vec![Move::List(vec![i64::MIN; 3]); 9],
            vec![Move::List(vec![]); 9],
            vec![Move::Text("\u{1}".repeat(9)); 9],
            vec![
                Move::Parts(vec![
                    Move::Text("\"".to_owned()),
                    Move::Parts(vec![Move::Int(-1), Move::Text(String::new())])
                ]);
                9
            ],
        ] {
            job.opening = moves;
            assert!(written(&JobMessage::of(&job)).len() <= JobMessage::bytes_max(&job), "{:?}", job.opening);
        }
    }

    #[test]
    fn a_retry_is_the_attempt_that_the_scheduler_issues() {
        let event = fixture::event(&["a", "b"]);
        for job in jobs(&event) {
            let mut next = job.clone();
            for repeat in 1..=u32::from(RETRIES_MAX) {
                next = retry(&next, &event, repeat == 2, repeat == 3);
                assert_eq!(next.game, fixture::attempt(&event, job.place, repeat));
                let flags = (u32::from(next.retries), next.starved, next.quiet);
                assert_eq!(flags, (repeat, repeat >= 2, repeat >= 3));
            }
        }
    }
}
