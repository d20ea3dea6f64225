//! A slot: one thread that plays games as straight-line blocking code.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arena_core::event::{Tournament, bot_seeds};
use arena_core::record::{Disturbance, Disturber, PlayedOn, Record, Status};
use arena_core::referee::{MadeMove, RefereeSetup, RefereedGame};
use arena_core::rules::Variant;
use arena_core::schedule::{self, Job, RETRIES_MAX};
use arena_show::observer::{BoardWriter, Boards, EventSender};
use arena_sys::time;
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::gate::Gate;
use super::pace::Pace;
use super::processors::{Processor, Processors};
use super::queue::Queue;
use super::resident::Resident;
use super::{Finished, JobOutcome, feed};
use crate::game::{self, MoveWatch};
use crate::player::in_process::InProcess;
use crate::player::process::{Bot, Launch, SharedProcessor};
use crate::player::{Aftermath, Disturbed};

/// Maximum number of live bots that a slot keeps for its next games.
pub const LIVE_BOTS_MAX: usize = 64;
/// Pauses before retries of a game that failed because of the arena: a shortage may be over by then.
const PAUSES: [Duration; RETRIES_MAX as usize] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(500)];

/// Below this share of free memory, a slot keeps fewer bots.
const FREE_MEMORY_MIN: f64 = 0.1;

/// Settings that are the same for all games of a run.
#[derive(Debug)]
pub struct SlotSettings {
    /// The tournament.
    pub event: Arc<Tournament>,
    /// Its game.
    pub variant: Variant,
    /// How each bot of the event is started.
    pub launches: Vec<Launch>,
    /// Maximum number of bots that a slot keeps alive for its next games.
    pub live_bots: usize,
    /// The machine's name.
    pub host: String,
    /// What kind of machine it is.
    pub machine: Option<PlayedOn>,
    /// Where moves are reported, if an observer asks for them.
    pub events: Option<EventSender>,
    /// The boards of the slots, if someone watches.
    pub boards: Option<Arc<Boards>>,
    /// How long each position of the first of these boards stays at least, for an audience.
    pub pace: Option<Duration>,
}

/// State shared by all slots.
pub(super) struct SlotsShared {
    pub(super) settings: SlotSettings,
    pub(super) queue: Arc<Queue>,
    /// Held while a game is retried, since two retries would compete for what the machine is short of.
    pub(super) alone: Mutex<()>,
    pub(super) runtime: Handle,
    pub(super) processors: Processors,
    /// Set once no result matters any more.
    pub(super) is_abandoned: Arc<AtomicBool>,
}

/// Plays jobs until the queue is closed, then shuts its bots down.
pub(super) fn run(shared: &Arc<SlotsShared>, index: usize, outcomes: &Sender<JobOutcome>) {
    let Processor { cpu, shared: processor, gate } = shared.processors.of(index);
    // The bots that the thread starts inherit this.
    arena_guard::keep_to(cpu);
    let mut slot = Slot::new(&shared.settings, processor, shared.runtime.clone());
    slot.is_abandoned = Arc::clone(&shared.is_abandoned);
    slot.board = shared.settings.boards.clone().map(|boards| BoardWriter::new(boards, index));
    slot.pace = shared.settings.pace.filter(|_| index == 0).map(|every| {
        let queue = Arc::clone(&shared.queue);
        Pace::new(every, move |time| queue.pause(time))
    });
    while let Some(job) = shared.queue.take() {
        let pause = usize::from(job.retries).checked_sub(1).and_then(|tried| PAUSES.get(tried));
        let alone = pause.map(|pause| {
            // Bots that wait for later games may hold what is missing.
            slot.leave_after(&gate);
            time::pause(*pause);
            shared.alone.lock().unwrap_or_else(PoisonError::into_inner)
        });
        // After the lock above, which a game that waits here may hold.
        let admission = gate.enter(job.quiet);
        let played = slot.play(&job);
        drop((admission, alone));
        // The next game may have a bot that this game has withdrawn.
        let is_strike = |status: &Status| matches!(status, Status::StartupFailed | Status::Timeout | Status::Crashed);
        let may_withdraw = played.record.statuses.iter().any(is_strike);
        let (waits, recorded) = may_withdraw.then(oneshot::channel).unzip();
        if outcomes.blocking_send(JobOutcome::Played(Box::new(played), waits)).is_err() {
            break;
        }
        if let Some(recorded) = recorded {
            // Ends when the other half is dropped, also after an error.
            let _ = recorded.blocking_recv();
        }
        slot.send_last_words(outcomes);
        if let Some(pace) = &mut slot.pace {
            pace.end_game();
        }
    }
    slot.leave_after(&gate);
    slot.send_last_words(outcomes);
    crate::program::leave();
}

/// Plays games on the calling thread, with its own bots.
#[derive(Debug)]
pub struct Slot<'a> {
    settings: &'a SlotSettings,
    runtime: Handle,
    /// Its running bots, the most recently used last.
    live: Vec<(usize, Box<dyn Resident>)>,
    /// Lines that bots wrote after their last games, before they left.
    last_words: Vec<(usize, Vec<String>)>,
    processor: SharedProcessor,
    /// Bots that disturbed games of others: they are no longer kept between games.
    disruptive: HashSet<usize>,
    /// Bots that left after a fault: their next start counts as a restart.
    at_fault: HashSet<usize>,
    /// Whether a bot was started since memory was last checked.
    has_started: bool,
    /// Set once no result matters any more.
    is_abandoned: Arc<AtomicBool>,
    /// Where its moves are shown.
    pub board: Option<BoardWriter>,
    /// How slowly they are shown there, for an audience.
    pub pace: Option<Pace>,
}

impl<'a> Slot<'a> {
    /// A slot without bots, whose bots will share `processor`; `runtime` drains their stderr.
    #[must_use]
    pub fn new(settings: &'a SlotSettings, processor: SharedProcessor, runtime: Handle) -> Self {
        let (live, last_words, disruptive, at_fault, is_abandoned) = Default::default();
        Self {
            settings,
            runtime,
            live,
            last_words,
            processor,
            disruptive,
            at_fault,
            has_started: false,
            is_abandoned,
            board: None,
            pace: None,
        }
    }

    /// Plays a game, starting its bots if they do not run. After a void attempt both are started anew, since the old
    /// processes know that game. If the game is to be quiet, no bot waits for another one meanwhile; those of other slots at
    /// the same processor are ended.
    ///
    /// # Panics
    ///
    /// If the game is not of this slot's event.
    pub fn play(&mut self, job: &Job) -> Finished {
        let (settings, game) = (self.settings, &job.game);
        if game.repeat > 0 || job.quiet {
            self.leave();
        }
        if job.quiet {
            self.processor.end_waiting();
        }
        let [mut first, mut second] = game.bots.map(|bot| self.take(bot));
        first.set_retry(job.starved);
        second.set_retry(job.starved);
        let seeds = bot_seeds(settings.event.seed, &game.id.to_string());
        let setup = RefereeSetup {
            variant: &settings.variant,
            seed: game.seed,
            opening: &job.opening,
            clock: settings.event.clock,
            max_plies: settings.event.max_plies,
        };
        let started = time::timestamp();
        let events = settings.events.as_ref().inspect(|events| events.send(feed::game_begun(job, &settings.event)));
        let mut board = self.board.as_mut();
        if let Some(board) = &mut board {
            board.begin(job);
        }
        let mut pace = self.pace.as_mut();
        let mut watch = (events.is_some() || board.is_some()).then_some(|made: Option<MadeMove<'_>>| {
            match (&mut board, &mut pace) {
                (Some(board), Some(pace)) => pace.show(board, made),
                (Some(board), None) => board.asked(made, time::now()),
                (None, _) => {}
            }
            if let (Some(events), Some(made)) = (events, made) {
                events.send(feed::moved(job, made));
            }
        });
        let watch = watch.as_mut().map(|watch| watch as &mut MoveWatch<'_>);
        let played = game::play(&setup, seeds, [first.as_mut(), second.as_mut()], watch);
        let (RefereedGame { verdict, moves, movers, scores, answers, played }, aftermath) = match played {
            Ok((referee, aftermath)) => (referee.into_game(), aftermath),
            Err(why) => {
                let verdict = why.verdict();
                let (movers, scores, answers, played, aftermath) = Default::default();
                (RefereedGame { verdict, moves: setup.opening.to_vec(), movers, scores, answers, played }, aftermath)
            }
        };
        let was_starved = aftermath.iter().any(|after| after.was_starved);
        let foreign_end = aftermath.iter().any(|after| after.had_foreign_end);
        let changes = [&first, &second].map(|bot| bot.change());
        self.live.extend(game.bots.into_iter().zip([first, second]));
        self.make_room();
        let mut record = Record {
            moves,
            movers,
            scores,
            answers,
            played,
            started,
            host: settings.host.clone(),
            machine: settings.machine.clone(),
            ..schedule::record(&settings.event, game, &job.opening, verdict)
        };
        Aftermath::note_in(&aftermath, &mut record);
        record.disturbance = aftermath.iter().find_map(|after| after.disturbed.as_ref()).map(|by| self.disturbance(by));
        let logs = aftermath.each_ref().map(|after| after.log.iter().map(ToString::to_string).collect());
        Finished { place: job.place, record, logs, bots: game.bots, changes, starved: was_starved, foreign_end }
    }

    /// What is recorded about bots that disturbed a game which they did not play.
    fn disturbance(&self, disturbed: &Disturbed) -> Disturbance {
        let whole_us = |time: Duration| time.as_micros() as u64;
        let by = disturbed.by.iter().filter_map(|(name, used)| {
            let bot = self.settings.event.bots.iter().find(|bot| bot.id.name == *name)?.id.clone();
            Some(Disturber { bot, used_us: whole_us(*used) })
        });
        Disturbance { missing_us: whole_us(disturbed.missing), by: by.collect() }
    }

    fn take(&mut self, bot: usize) -> Box<dyn Resident> {
        if let Some(place) = self.live.iter().position(|(other, _)| *other == bot) {
            return self.live.remove(place).1;
        }
        let launch = &self.settings.launches[bot];
        if let Some(factory) = &launch.in_process {
            return Box::new(InProcess::new(factory.clone(), Arc::clone(&self.is_abandoned)));
        }
        let mut player = Bot::new(Arc::new(launch.clone()), self.runtime.clone(), self.processor.clone());
        player.was_at_fault = self.at_fault.remove(&bot);
        self.has_started = true;
        Box::new(player)
    }

    /// Shuts down the bots that disturbed games, and the least recently used ones if there are too many.
    fn make_room(&mut self) {
        let disturbed =
            |(bot, player): &(usize, Box<dyn Resident>)| player.is_condemned() || self.disruptive.contains(bot);
        let gone: Vec<_> = self.live.extract_if(.., |bot| disturbed(bot)).collect();
        for (bot, player) in gone {
            if player.is_condemned() {
                self.disruptive.insert(bot);
            }
            self.retire(bot, player);
        }
        // The bots of this game stay: the next one may need them.
        let is_short = std::mem::take(&mut self.has_started) && self.live.len() > 2 && memory_is_short();
        let surplus = self.live.len().saturating_sub(self.settings.live_bots).max(usize::from(is_short));
        for _ in 0..surplus {
            let (bot, player) = self.live.remove(0);
            self.retire(bot, player);
        }
    }

    /// Asks all bots to quit, and waits for them.
    pub fn leave(&mut self) {
        // All are asked before any is waited for, so that they shut down in parallel.
        self.live.iter_mut().for_each(|(_, bot)| bot.say_quit());
        for (bot, player) in std::mem::take(&mut self.live) {
            self.retire(bot, player);
        }
    }

    /// Asks all bots to quit while no game has their processor alone: a bot that exits may use it.
    fn leave_after(&mut self, gate: &Gate) {
        let _admission = gate.enter(false);
        self.leave();
    }

    fn retire(&mut self, bot: usize, mut player: Box<dyn Resident>) {
        let (was_at_fault, words) = player.leave();
        if was_at_fault {
            self.at_fault.insert(bot);
        }
        if !words.is_empty() {
            self.last_words.push((bot, words));
        }
    }

    fn send_last_words(&mut self, outcomes: &Sender<JobOutcome>) {
        let words = std::mem::take(&mut self.last_words);
        if !words.is_empty() {
            // It fails only if the run was abandoned.
            let _ = outcomes.blocking_send(JobOutcome::LastWords(words));
        }
    }
}

/// Whether little memory is free; false where the system does not report it.
fn memory_is_short() -> bool {
    free_memory(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default())
        .is_some_and(|free| free < FREE_MEMORY_MIN)
}

/// The share of memory that is free, from `/proc/meminfo`.
fn free_memory(meminfo: &str) -> Option<f64> {
    let kib = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix(" kB")?.parse::<f64>().ok()
    };
    Some(kib("MemAvailable")? / kib("MemTotal").filter(|total| *total > 0.0)?)
}

#[cfg(test)]
mod tests {
    use super::free_memory;

    #[test]
    fn free_memory_is_what_the_kernel_tells() {
        let meminfo = "MemTotal:        1000 kB\nMemFree:           10 kB\nMemAvailable:     250 kB\n";
        assert_eq!(free_memory(meminfo), Some(0.25));
        for broken in ["", "MemTotal: 0 kB\nMemAvailable: 0 kB\n", "MemTotal: 5 kB\nMemAvailable: many kB\n"] {
            assert_eq!(free_memory(broken), None, "{broken}");
        }
    }
}
