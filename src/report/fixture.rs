//! The fixture of the core, and its records in a journal.

#[path = "../../crates/arena-core/src/fixture.rs"]
mod core;

use std::sync::Arc;

use crate::cause::Cause;
use crate::event::{Event, ScheduledGame};
use crate::journal::{self, Journal, Reader};
use crate::record::{Evidence, GameResult, Load, Played, Record, Status};
use crate::results_folder::ResultsFolder;
use crate::rules::{Move, Seat};
use crate::schedule::{Job, Scheduler};

pub(crate) use self::core::*;

/// Records in a journal, with their places in the schedule.
pub(crate) struct Stored {
    pub(crate) scheduler: Scheduler,
    pub(crate) reader: Reader,
    _dir: tempfile::TempDir,
}

impl Stored {
    pub(crate) fn new<'a>(event: &Event, records: impl IntoIterator<Item = &'a Record>) -> Self {
        Self::each(event, records.into_iter().cloned())
    }

    /// Stores records that need not be in memory at once.
    pub(crate) fn each(event: &Event, records: impl Iterator<Item = Record>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        for record in records {
            journal.append_game(&record).unwrap();
        }
        let (reader, contents) = journal::read(&folder).unwrap();
        let scheduler = Scheduler::new(Arc::new(event.clone()), &contents.games, &[], &mut ()).unwrap();
        Self { scheduler, reader, _dir: dir }
    }
}

/// All games, as the scheduler gives them out.
pub(crate) fn jobs(event: &Event) -> Vec<Job> {
    let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    std::iter::from_fn(|| scheduler.issue()).collect()
}

/// Makes a seat of a game lose by a fault.
pub(crate) fn fault(record: &mut Record, seat: Seat, status: Status, message: &str) {
    record.result = GameResult::of(Some(seat.other()));
    record.reason = status.name().to_owned();
    record.statuses[seat.index()] = status;
    record.evidence[seat.index()] = Some(Evidence { message: message.to_owned(), ..Evidence::default() });
}

/// A record of every game of `event`, each a draw, with times of `us`.
pub(crate) fn draws(event: &Event, us: u64) -> Vec<Record> {
    schedule(event).iter().map(|game| record(event, game, GameResult::Draw, us)).collect()
}

/// Records of all games of `schedule` except the last, in mixed order. Two of three bots commit faults. One
/// game is void, and another was void at its first attempt.
pub(crate) fn records(event: &Event, schedule: &[ScheduledGame]) -> Vec<Record> {
    use GameResult::{Draw, FirstWins, SecondWins, Void};
    let results = [FirstWins, Draw, FirstWins, SecondWins, Draw, Draw, FirstWins, FirstWins, Void, FirstWins, Draw];
    let mut records: Vec<Record> = schedule
        .iter()
        .zip(results)
        .enumerate()
        .map(|(index, (game, result))| record(event, game, result, 1_000 + index as u64 / 4))
        .collect();
    fault(&mut records[0], Seat::Second, Status::Timeout, "no reply within 1000 ms");
    fault(&mut records[6], Seat::Second, Status::Timeout, "later");
    let load = Some(Load { average: 60, processors: 2 });
    records[6].evidence[1] = Some(Evidence { load, ..Evidence::new(Cause::Starved, "later") });
    fault(&mut records[9], Seat::Second, Status::IllegalMove, "move 9\u{1b}[2J is not legal");
    // The draw of the first round's pair, repeated move for move.
    records[10].opening = records[4].opening.clone();
    records[10].moves = records[4].moves.clone();
    // The void game has the same moves as the one that replaced it.
    let again = attempt(event, 3, 1);
    let mut void = records[3].clone();
    void.result = Void;
    (records[3].id, records[3].seed, records[3].repeat) = (again.id.to_string(), again.seed, 1);
    records.insert(0, void);
    records.reverse();
    records
}

/// A game with an opening, evaluations, and a fault with hostile evidence.
pub(crate) fn reported_game() -> Record {
    let event = event(&["minimax", "grumpy"]);
    let mut record = record(&event, &schedule(&event)[0], GameResult::FirstWins, 1);
    (record.id, record.seed) = ("00000000000000ff".to_owned(), 0);
    for (bot, entry) in record.bots.iter_mut().zip(&event.bots) {
        bot.name.clone_from(&entry.id.name);
    }
    record.moves = [3, 4, 3].map(Move::Int).to_vec();
    record.played[0].comment = Some("mine\u{1b}[31m".to_owned());
    record.played[1] = Played { us: 12_400, eval: Some(0.314), ..Played::default() };
    fault(&mut record, Seat::Second, Status::Timeout, "no reply within 1000 ms");
    record.evidence[1] = Some(Evidence {
        cpu_us: None,
        message: "no reply within 1000 ms".to_owned(),
        last_sent: Some("{\"type\":\"move\"}\n".to_owned()),
        last_received: Some("{\"ok\":\u{7}".to_owned()),
        stderr_tail: Some("thinking\n\u{202e}hard\n".to_owned()),
        ..Evidence::default()
    });
    record
}
