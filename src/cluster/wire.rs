//! What a coordinator and its workers send each other: JSON, with a version. Pure.
//!
//! | subject | from | what |
//! |---|---|---|
//! | `work.TARGET.EVENT` | coordinator | [`BatchMessage`]: games to play |
//! | `res.EVENT.BATCH` | worker | [`ResultsMessage`]: journal lines of games |
//! | `worker.ID` | worker | [`PresenceMessage`], every few seconds |
//! | `halt.EVENT` | coordinator | [`HaltMessage`]: batches that need not be played |
//!
//! A result is a whole line of the journal. It is replayed through the rules before it counts, so a worker can lie about
//! times, but not about who has won.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::event::{Event, GameId, ScheduledGame};
use crate::executor::Finished;
use crate::journal::{decode_game, encode_game};
use crate::record::GameResult;
use crate::rules::Move;
use crate::schedule::Job;
use crate::text::shown;
use crate::verify::problems;

/// Version of all messages. Another one is refused.
pub const VERSION: u32 = 1;
/// Maximum size of a message: half of what a broker takes by default.
pub const BYTES_MAX: usize = 512 << 10;

/// Games for one worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BatchMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// How often it was lost before.
    pub tries: u32,
    /// The games.
    pub jobs: Vec<JobMessage>,
}

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
    #[serde(with = "crate::rng::decimal")]
    seed: u64,
    repeat: u32,
    moves: Vec<Move>,
    retries: u8,
    starved: bool,
}

/// Games that were played, all or some of a batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResultsMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// Id of the worker.
    pub worker: String,
    /// The games.
    pub games: Vec<GameMessage>,
    /// Stderr lines that bots, by number, wrote after their last games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<(usize, Vec<String>)>,
    /// What the machine lacks, once for each event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether no more results of the batch follow from this worker.
    pub is_last: bool,
    /// How long a slot was busy with a game, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_game: Option<f64>,
    /// Why the worker plays no game of this event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declined: Option<String>,
}

/// A game that was played.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GameMessage {
    place: u32,
    bots: [usize; 2],
    logs: [Vec<String>; 2],
    #[serde(default, skip_serializing_if = "is_unchanged")]
    changes: [Option<String>; 2],
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    starved: bool,
    /// The line of the journal.
    line: Box<RawValue>,
}

/// What a worker is, and what it is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresenceMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Its id.
    pub worker: String,
    /// Its machine.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Version of its arena.
    pub arena: String,
    /// Class of its machine, such as `x86_64-linux-v3`.
    pub class: String,
    /// Model of its processors, if known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cpu: String,
    /// Speed of one slot alone, and of each with all slots busy, if it was measured (`arena calibrate`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<[u32; 2]>,
    /// Number of games at a time; 0 when it leaves.
    pub slots: usize,
    /// Slots that have nothing to do.
    pub free: usize,
    /// Name of the tournament that it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<String>,
    /// The batches that it has.
    pub batches: Vec<BatchState>,
    /// Games that it has played.
    pub games: u64,
    /// Its last warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A batch that a worker has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchState {
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// Games in it.
    pub games: usize,
    /// Games of it that are played.
    pub done: usize,
}

/// Batches that need not be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// The first of them, and the number after the last one.
    pub batches: [u64; 2],
    /// Whether running games are abandoned; else they are finished.
    pub at_once: bool,
}

fn is_unchanged(changes: &[Option<String>; 2]) -> bool {
    *changes == [None, None]
}

/// Reads a message.
///
/// # Errors
///
/// Returns an error if it is none of this version.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let mistake = |error: serde_json::Error| crate::text::json_mistake(&error);
    let Version { version } = serde_json::from_slice(bytes).map_err(mistake)?;
    if version != VERSION {
        return Err(format!(
            "it has version {version}, and this arena reads {VERSION}; use one version of arena on all machines"
        ));
    }
    serde_json::from_slice(bytes).map_err(mistake)
}

/// Writes a message.
///
/// # Panics
///
/// Never: messages serialise to memory.
#[must_use]
pub fn written(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages serialise to memory")
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
        }
    }

    /// The job, if it is one of `event`.
    ///
    /// # Errors
    ///
    /// Returns an error if it names bots that the event does not have, or if id and seed do not follow from the event.
    pub fn job(self, event: &Event) -> Result<Job, String> {
        let Self { place, id, round, pair, number, opening, bots, seed, repeat, moves, retries, starved } = self;
        if bots.iter().any(|bot| *bot >= event.bots.len()) || bots[0] == bots[1] {
            return Err(format!("game {} is of bots {} and {}, of {}", shown(&id), bots[0], bots[1], event.bots.len()));
        }
        let known = event.identify_from(number, &moves, bots, repeat, event.open_information());
        if known != (GameId::of(&id), seed) {
            return Err(format!("game {} is not of this event, which has {} there", shown(&id), known.0));
        }
        let game = ScheduledGame { id: known.0, round, pair, number, opening, bots, seed, repeat };
        Ok(Job { place, game, opening: moves, retries, starved })
    }
}

/// The next attempt at a game that was void.
#[must_use]
pub fn retry(job: &Job, event: &Event, starved: bool) -> Job {
    let repeat = job.game.repeat.saturating_add(1);
    let (id, seed) =
        event.identify_from(job.game.number, &job.opening, job.game.bots, repeat, event.open_information());
    let game = ScheduledGame { id, seed, repeat, ..job.game.clone() };
    Job { game, retries: job.retries + 1, starved: job.starved || starved, ..job.clone() }
}

impl GameMessage {
    /// The message for a game that was played.
    ///
    /// # Panics
    ///
    /// Never: a line of the journal is JSON.
    #[must_use]
    pub fn of(finished: &Finished) -> Self {
        Self {
            place: finished.place,
            bots: finished.bots,
            logs: finished.logs.clone(),
            changes: finished.changes.clone(),
            starved: finished.starved,
            line: RawValue::from_string(encode_game(&finished.record)).expect("a line of the journal is JSON"),
        }
    }

    /// Its size in a message, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lines = self.logs.iter().flatten().map(|line| line.len() + 3).sum::<usize>();
        self.line.get().len() + lines + 200
    }

    /// The game, if it holds: its line is undamaged, its moves and its result follow the rules, and its bots are those of
    /// the event.
    ///
    /// # Errors
    ///
    /// Returns an error with what does not hold.
    pub fn checked(self, event: &Event) -> Result<Finished, String> {
        let Self { place, bots, logs, changes, starved, line } = self;
        let record = decode_game(line.get())?;
        let is_known = |seat: usize| event.bots.get(bots[seat]).is_some_and(|bot| bot.id == record.bots[seat]);
        if !is_known(0) || !is_known(1) {
            return Err(format!("game {} is of bots that are not those of the event", shown(&record.id)));
        }
        if let Some(problem) = problems(&record).first() {
            return Err(format!("game {}: {problem}", shown(&record.id)));
        }
        let starved = starved && record.result == GameResult::Void;
        Ok(Finished { place, record, logs, bots, changes, starved, foreign_end: false })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::fixture;
    use crate::schedule::{RETRIES_MAX, Scheduler};

    fn jobs(event: &Event) -> Vec<Job> {
        let mut scheduler = Scheduler::new(std::sync::Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
        std::iter::from_fn(|| scheduler.issue()).collect()
    }

    #[test]
    fn a_job_comes_as_it_went_and_a_changed_one_is_refused() {
        let event = fixture::event(&["a", "b", "c"]);
        for job in jobs(&event) {
            let text = written(&JobMessage::of(&job));
            let read = |text: &[u8]| serde_json::from_slice::<JobMessage>(text).unwrap().job(&event);
            assert_eq!(read(&text).unwrap(), job);
            let mut changed = serde_json::from_slice::<serde_json::Value>(&text).unwrap();
            changed["seed"] = "77".into();
            assert!(read(&written(&changed)).unwrap_err().contains("is not of this event"));
            changed["bots"] = serde_json::json!([0, 3]);
            assert!(read(&written(&changed)).unwrap_err().ends_with("is of bots 0 and 3, of 3"));
        }
    }

    #[test]
    fn a_retry_is_the_attempt_that_the_scheduler_issues() {
        let event = fixture::event(&["a", "b"]);
        for job in jobs(&event) {
            let mut next = job.clone();
            for repeat in 1..=u32::from(RETRIES_MAX) {
                next = retry(&next, &event, repeat == 2);
                assert_eq!(next.game, fixture::attempt(&event, job.place, repeat));
                assert_eq!((u32::from(next.retries), next.starved), (repeat, repeat >= 2));
            }
        }
    }

    #[test]
    fn another_version_is_refused_with_the_cure() {
        let why = read::<HaltMessage>(br#"{"version":2,"more":[]}"#).unwrap_err();
        assert_eq!(why, "it has version 2, and this arena reads 1; use one version of arena on all machines");
        assert!(read::<HaltMessage>(b"[]").is_err());
    }

    fn finished(event: &Event, place: usize) -> Finished {
        let game = &fixture::schedule(event)[place];
        // A void game needs no moves to be right.
        let mut record = fixture::record(event, game, GameResult::Void, 1);
        record.bots = game.bots.map(|bot| event.bots[bot].id.clone());
        record.opening.clone_from(&event.openings[game.opening]);
        (record.moves, record.played) = (record.opening.clone(), Vec::new());
        record.id = crate::event::recorded_id(&record);
        let logs = [vec!["one".to_owned(), "\u{7}".to_owned()], Vec::new()];
        Finished {
            place: place as u32,
            record,
            logs,
            bots: game.bots,
            changes: [None, Some("new".into())],
            starved: true,
            foreign_end: false,
        }
    }

    #[test]
    fn a_result_comes_as_it_went() {
        let event = fixture::event(&["a", "b"]);
        let game = finished(&event, 1);
        let text = written(&GameMessage::of(&game));
        let read = serde_json::from_slice::<GameMessage>(&text).unwrap().checked(&event).unwrap();
        assert_eq!(encode_game(&read.record), encode_game(&game.record));
        assert_eq!(
            (read.place, read.bots, read.logs, read.changes, read.starved),
            (1, game.bots, game.logs, game.changes, true)
        );
    }

    proptest! {
        /// A changed byte of a result makes it another message, or none that holds.
        #[test]
        fn a_changed_line_is_refused(at in 0..1_000_usize, byte in 0x20..0x7f_u8) {
            let event = fixture::event(&["a", "b"]);
            let message = GameMessage::of(&finished(&event, 0));
            let line = message.line.get().to_owned();
            let mut bytes = line.clone().into_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            if let Ok(raw) = RawValue::from_string(String::from_utf8(bytes).unwrap()) {
                let changed = GameMessage { line: raw, ..message };
                prop_assert!(changed.checked(&event).is_err());
            }
        }
    }
}
