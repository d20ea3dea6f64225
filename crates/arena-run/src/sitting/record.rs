//! Games of persons as records, in a folder of their own: they are never rated.

use std::collections::HashSet;
use std::path::Path;

use arena_core::event::{GameId, recorded_id};
use arena_core::record::{BotId, Record};
use arena_core::rules::{Move, Seat};
use arena_core::text::causes;
use arena_play::player::Aftermath;
use arena_store::journal::Journal;
use arena_sys::flags::RESULTS;
use arena_sys::results_folder::Place;

use super::{Ended, Sitting};

impl Sitting {
    /// The game so far as a record. An opening that stands for moves taken back is not one: the game began before.
    pub(super) fn record(&self, ended: Ended) -> Record {
        let Ended { verdict, aftermath } = ended;
        let setup = self.setup();
        let opening: Vec<Move> = self.plies()[..self.opening()].iter().map(|ply| ply.played.clone()).collect();
        let mut record = Record {
            id: String::new(),
            game: setup.variant.rules.name.to_owned(),
            rules_version: setup.variant.rules.version,
            hidden: setup.variant.rules.is_external() && !setup.variant.rules.open_information,
            params: setup.variant.params.to_json(),
            seed: self.seed,
            clock: setup.clock,
            max_plies: None,
            repeat: 0,
            bots: Seat::BOTH.map(|seat| {
                let participant = self.at(seat);
                BotId { name: participant.name.clone(), fingerprint: participant.fingerprint.clone(), twin: false }
            }),
            opening,
            moves: self.plies().iter().map(|ply| ply.played.clone()).collect(),
            scores: self.state().scores(),
            answers: self.state().answers(),
            movers: self.plies().iter().map(|ply| ply.seat).collect(),
            result: verdict.result,
            reason: verdict.reason,
            statuses: verdict.statuses,
            played: self.plies()[self.opening()..].iter().map(|ply| ply.measured.clone().unwrap_or_default()).collect(),
            evidence: verdict.evidence,
            disturbance: None,
            rules_fault: verdict.rules,
            surplus_lines: [0, 0],
            denied: Default::default(),
            cpu_us: [None, None],
            off_move_us: [0, 0],
            restart_us: [0, 0],
            taken_back: self.taken_back,
            // The runner knows when and where it is played.
            started: String::new(),
            host: String::new(),
            machine: None,
            arena: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Aftermath::note_in(&aftermath, &mut record);
        record.id = recorded_id(&record);
        record
    }
}

/// Appends a game to the journal in `dir`, with an id that no game there has, and returns that.
///
/// # Errors
///
/// Returns what could not be written.
pub fn save(dir: &Path, record: &Record) -> Result<String, String> {
    append(dir, record).map_err(|error| causes(error.as_ref()).join(": "))
}

fn append(dir: &Path, record: &Record) -> anyhow::Result<String> {
    let (mut journal, contents) = Journal::open(&Place::at(dir).create(RESULTS)?)?;
    let known: HashSet<GameId> = contents.games.iter().map(|brief| brief.id).collect();
    let mut record = record.clone();
    while known.contains(&GameId::of(&record.id)) {
        // The same game again, from the same seed.
        record.repeat += 1;
        record.id = recorded_id(&record);
    }
    journal.append_game(&record)?;
    Ok(record.id)
}
