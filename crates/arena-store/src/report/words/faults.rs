//! Sentences about faults, and the incidents of a tournament from which they are made.

use std::collections::BTreeMap;
use std::path::Path;

use arena_core::clock::Charge;
use arena_core::event::GameId;
use arena_core::record::{Evidence, Load, Record, Status, UNPUBLISHED};
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Scheduler};
use arena_core::text::{counted, escaped, shell_word, shown};
use arena_sys::flags::{CLOCK_CPU, NAME};
use arena_sys::results_folder::is_plain;
use arena_wire::advice::{Advice, advice};
use arena_wire::protocol::protocol_of;

use super::reproduce;
use crate::journal::Reader;
use crate::report::Results;

/// Faults and void games to report, in a size that does not grow with the number of games.
#[derive(Debug, Default)]
pub(crate) struct Incidents {
    faults: BTreeMap<(usize, Status), Faults>,
    /// The first void game, and its reason.
    pub(super) void: Option<(GameId, String)>,
    /// Why each bot did not start in the first game that neither could start.
    pub(super) unstartable: BTreeMap<usize, String>,
}

/// All games in which a bot committed a certain fault.
#[derive(Debug)]
struct Faults {
    games: u64,
    lost: u64,
    /// Number of timeouts after the full credit for waiting.
    starved: u64,
    /// The highest load of the machine at these timeouts.
    load: Option<Load>,
    round: u32,
    first: GameId,
    /// The bot's seat in the first one.
    seat: Seat,
    /// The evidence of the first one.
    evidence: Option<Evidence>,
}

impl Incidents {
    /// Collects the incidents; reads the few games to describe from the journal.
    pub(crate) fn find(schedule: &Scheduler, journal: &Reader) -> anyhow::Result<Self> {
        let mut incidents = Self::default();
        for (game, brief) in schedule.tried() {
            if brief.is_unstartable() {
                incidents.note_unstartable(game.bots, &brief, journal)?;
            } else if !brief.is_settled() && incidents.void.is_none() {
                incidents.void = Some((brief.id, journal.record(&brief)?.reason));
            }
            if !brief.counts() {
                continue;
            }
            for seat in Seat::BOTH {
                let status = brief.statuses[seat.index()];
                // Withdrawals are in the warnings.
                if !status.is_fault() || status == Status::Withdrawn {
                    continue;
                }
                let kind = (game.bots[seat.index()], status);
                // Only the record has the load of the machine.
                let is_read = brief.is_starved_timeout(seat) || !incidents.faults.contains_key(&kind);
                let record = is_read.then(|| journal.record(&brief)).transpose()?;
                let faults = incidents.faults.entry(kind).or_insert_with(|| Faults::new(game.round, brief.id, seat));
                faults.games += 1;
                faults.lost += u64::from(brief.result.winner() == Some(seat.other()));
                if let Some(record) = record {
                    faults.note(record, seat);
                }
            }
        }
        Ok(incidents)
    }

    /// Notes why these bots did not start, unless it is known of both. A game on another machine tells nothing.
    fn note_unstartable(&mut self, bots: [usize; 2], brief: &Brief, journal: &Reader) -> anyhow::Result<()> {
        if brief.bytes == 0 || bots.iter().all(|bot| self.unstartable.contains_key(bot)) {
            return Ok(());
        }
        let record = journal.record(brief)?;
        for (bot, evidence) in bots.into_iter().zip(&record.evidence) {
            let why = evidence.as_ref().map(|evidence| evidence.sentence(Status::StartupFailed)).unwrap_or_default();
            self.unstartable.entry(bot).or_insert(why);
        }
        Ok(())
    }
}

impl Faults {
    fn new(round: u32, first: GameId, seat: Seat) -> Self {
        Self { games: 0, lost: 0, starved: 0, load: None, round, first, seat, evidence: None }
    }

    /// Adds the fault of `seat` from the record of such a game.
    fn note(&mut self, mut record: Record, seat: Seat) {
        let is_starved = record.is_starved_timeout(seat);
        let evidence = record.evidence[seat.index()].take();
        if is_starved {
            self.starved += 1;
            self.load = self.load.max(evidence.as_ref().and_then(|evidence| evidence.load));
        }
        if self.games == 1 {
            self.evidence = evidence;
        }
    }

    /// `3 of 7 after the full credit: load 60 on 2 processors; …`, if the machine caused any of them.
    fn of_machine(&self, charge: Charge) -> Option<String> {
        if self.starved == 0 {
            return None;
        }
        let load = self.load.map_or_else(String::new, |load| format!(": {load}"));
        let cure = match charge {
            Charge::Wall => format!("use {CLOCK_CPU}"),
            Charge::Cpu => "allow more time per move".to_owned(),
        };
        let (starved, games) = (self.starved, self.games);
        Some(format!("{starved} of {games} after the full credit{load}; run fewer games at once or {cure}"))
    }
}

/// One sentence per bot and kind of fault, in the order of the standings: the count and the first game.
#[must_use]
pub fn fault_sentences(results: &Results<'_>) -> Vec<String> {
    let sentence = |row: FaultRow| {
        let FaultRow { status, games: [games, lost], first: (id, round), .. } = row;
        let count = counted(games as usize, "game");
        let count = if lost == games {
            format!("{count} lost by {status}")
        } else {
            format!("{count} with {status}, {lost} of them lost")
        };
        let machine = row.machine.map_or_else(String::new, |text| format!(", {text}"));
        let message = if row.happened.is_empty() { String::new() } else { format!(": {}", row.happened) };
        let name = shown(results.name(row.bot));
        format!("{name}: {count}{machine}; first: game {id} (round {round}){message}")
    };
    fault_rows(results).into_iter().map(sentence).collect()
}

/// One line per bot that committed a fault, in the order of the standings: its lost games, and the cause in the first.
#[must_use]
pub fn fault_lines(results: &Results<'_>) -> Vec<String> {
    let rows = fault_rows(results);
    let line = |all: &[FaultRow]| {
        let kinds: Vec<String> = all.iter().map(|row| format!("{} {}", row.games[0], row.status)).collect();
        // The cause of the most frequent one.
        let most = all.iter().max_by_key(|row| row.games[0]).filter(|row| !row.happened.is_empty());
        let cause = most.map_or_else(String::new, |row| format!("; game {}: {}", row.first.0.short(), row.happened));
        format!("{}: {}{cause}", shown(results.name(all[0].bot)), kinds.join(", "))
    };
    rows.chunk_by(|a, b| a.bot == b.bot).map(line).collect()
}

/// A line for each of [`fault_lines`] with timeouts for which the machine was to blame.
#[must_use]
pub fn machine_lines(results: &Results<'_>) -> Vec<String> {
    let line = |row: FaultRow| Some(format!("{}: {}, {}", shown(results.name(row.bot)), row.status, row.machine?));
    fault_rows(results).into_iter().filter_map(line).collect()
}

/// The commands and files that show details of the first of [`fault_lines`], each after a label; none without faults.
/// `dir` is the results folder of the tournament.
#[must_use]
pub fn fault_commands(results: &Results<'_>, dir: &Path) -> Vec<(&'static str, String)> {
    let rows = fault_rows(results);
    let Some(FaultRow { bot, status, first: (id, _), .. }) = rows.first() else { return Vec::new() };
    let folder = shell_word(&dir.to_string_lossy());
    let replay = format!("arena replay {} {NAME} {folder}{}", id.short(), reproduce::game_flag(results));
    let mut commands = vec![("Cause: ", format!("arena explain {status}")), ("Game: ", escaped(&replay))];
    // A bot that was sent nothing has not run.
    if let Some(row) = rows.iter().find(|row| row.was_asked) {
        commands.push(reproduce::command(results, dir, results.name(row.bot), row.first.0, row.seat));
    }
    // A name that comes with a journal may be any text, also a path.
    let log = format!("{}.log", results.name(*bot));
    if is_plain(&log) {
        commands.push(("Log: ", escaped(&shell_word(&dir.join("bots").join(log).to_string_lossy()))));
    }
    commands
}

/// All games in which a bot committed a certain fault, for people.
#[derive(Debug)]
pub(crate) struct FaultRow {
    /// The bot.
    pub(crate) bot: usize,
    /// The fault.
    pub(crate) status: Status,
    /// Games with it, and how many of them it lost.
    pub(crate) games: [u64; 2],
    /// What happened in the first game; escaped, may be empty.
    pub(crate) happened: String,
    /// The part of the machine, if it has one.
    pub(crate) machine: Option<String>,
    /// Cause and cure.
    pub(crate) advice: Option<Advice>,
    /// The first game and its round.
    pub(crate) first: (GameId, u32),
    /// The bot's seat in it.
    seat: Seat,
    /// Whether the bot was sent anything in it.
    was_asked: bool,
}

/// A row for every kind of fault of every bot, in the order of the standings.
pub(crate) fn fault_rows(results: &Results<'_>) -> Vec<FaultRow> {
    let charge = results.event().clock.charge;
    let unknown = Evidence::default();
    let row = |((bot, status), faults): (&(usize, Status), &Faults)| {
        let evidence = faults.evidence.as_ref().unwrap_or(&unknown);
        FaultRow {
            bot: *bot,
            status: *status,
            games: [faults.games, faults.lost],
            happened: Some(evidence.sentence(*status)).filter(|text| text != UNPUBLISHED).unwrap_or_default(),
            machine: faults.of_machine(charge),
            // Most games are played in the sandbox; whether one was is not recorded.
            advice: advice(*status, evidence, true, protocol_of(results.event().bots[*bot].speaks.as_ref())),
            first: (faults.first, faults.round),
            seat: faults.seat,
            was_asked: evidence.last_sent.is_some(),
        }
    };
    let bots = results.ranking.analysis.standings.iter().map(|row| row.bot);
    let faults = bots.flat_map(|bot| results.incidents.faults.range((bot, Status::ALL[0])..(bot + 1, Status::ALL[0])));
    faults.map(row).collect()
}
