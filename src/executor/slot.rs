//! A slot: one thread that plays games as straight-line blocking code.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::local::{Shared, SlotSettings};
use super::{Finished, Outcome};
use crate::event::bot_seeds;
use crate::game::{self, Watch};
use crate::player::Aftermath;
use crate::player::process::{Bot, SharedProcessor};
use crate::record::{GameResult, Record, Status};
use crate::referee::{Setup, Verdict};
use crate::schedule::{self, Job, RETRIES_MAX};
use crate::time;

/// The most live bots that a slot keeps for its next games.
pub const LIVE_BOTS_MAX: usize = 64;
/// What a slot waits before a game that failed because of us is tried again: what the machine was short of may come back.
const PAUSES: [Duration; RETRIES_MAX as usize] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(500)];

/// A slot keeps fewer bots while less than this part of the memory is free.
const FREE_MEMORY_MIN: f64 = 0.1;

/// Plays jobs until there are no more, then shuts its bots down.
pub(super) fn run(shared: &Arc<Shared>, index: usize, outcomes: &Sender<Outcome>) {
    settle(&shared.processors.cpus, index);
    let mut slot = Slot::new(&shared.settings, shared.processors.of(index), shared.runtime.clone());
    while let Some(job) = shared.queue.take() {
        let played = if let Some(pause) = usize::from(job.retries).checked_sub(1).and_then(|tried| PAUSES.get(tried)) {
            // What bots that wait for later games hold may be what is missing.
            slot.leave();
            time::pause(*pause);
            let _alone = shared.alone.lock().unwrap_or_else(PoisonError::into_inner);
            slot.play(&job)
        } else {
            slot.play(&job)
        };
        // The next game may be one that a bot with three strikes does not play any more.
        let (waits, recorded) = if played.record.statuses.contains(&Status::StartupFailed) {
            let (waits, recorded) = oneshot::channel();
            (Some(waits), Some(recorded))
        } else {
            (None, None)
        };
        if outcomes.blocking_send(Outcome::Played(Box::new(played), waits)).is_err() {
            break;
        }
        if let Some(recorded) = recorded {
            // It ends when the other half is dropped, also if that is because of an error.
            let _ = recorded.blocking_recv();
        }
        slot.send_last_words(outcomes);
    }
    slot.leave();
    slot.send_last_words(outcomes);
}

/// Keeps the thread, and with it the bots it starts, on one processor, and has its deadlines noticed promptly.
pub fn settle(cpus: &[usize], index: usize) {
    crate::guard::keep_to(index.checked_rem(cpus.len()).map(|index| cpus[index]));
}

/// Plays games on the calling thread, with bots of its own.
#[derive(Debug)]
pub struct Slot<'a> {
    settings: &'a SlotSettings,
    runtime: Handle,
    /// The bots it has started, the one used last at the end.
    live: Vec<(usize, Bot)>,
    /// What bots that have left wrote after their last games.
    last_words: Vec<(usize, Vec<String>)>,
    processor: SharedProcessor,
    /// Those that disturbed games which they did not play: they do not wait here any more.
    unwelcome: HashSet<usize>,
    /// Those that have left after a fault: their next start is one again.
    at_fault: HashSet<usize>,
    /// A bot was started since memory was looked at.
    has_started: bool,
}

impl<'a> Slot<'a> {
    /// A slot without bots yet, whose bots will share `processor`; `runtime` drains what they write to stderr.
    #[must_use]
    pub fn new(settings: &'a SlotSettings, processor: SharedProcessor, runtime: Handle) -> Self {
        let (live, last_words, unwelcome, at_fault) = Default::default();
        Self { settings, runtime, live, last_words, processor, unwelcome, at_fault, has_started: false }
    }

    /// Plays a game, starting its bots if they do not run already. Where an attempt at it was void, none of them does: it
    /// would know the old game.
    ///
    /// # Panics
    ///
    /// If the game is not of this slot's event.
    pub fn play(&mut self, job: &Job) -> Finished {
        let (settings, game) = (self.settings, &job.game);
        if game.repeat > 0 {
            self.leave();
        }
        let [mut first, mut second] = game.bots.map(|bot| self.take(bot));
        first.is_retry = job.starved;
        second.is_retry = job.starved;
        let seeds = bot_seeds(settings.event.seed, &game.id.to_string());
        let setup = Setup {
            variant: &settings.variant,
            seed: game.seed,
            opening: &job.opening,
            clock: settings.event.clock,
            max_plies: settings.event.max_plies,
        };
        let started = time::timestamp();
        let feed = settings.feed.as_ref().inspect(|feed| feed.begin(job, &settings.event));
        let mut watch = feed.map(|feed| move |ply, played: &_, measured: &_| feed.moved(job, ply, played, measured));
        let watch = watch.as_mut().map(|watch| watch as &mut Watch<'_>);
        let (verdict, moves, played, aftermath) = match game::play(&setup, seeds, [&mut first, &mut second], watch) {
            Ok((referee, aftermath)) => {
                let (verdict, moves, played) = referee.into_parts();
                (verdict, moves, played, aftermath)
            }
            Err(why) => (void(why), setup.opening.to_vec(), Vec::new(), Default::default()),
        };
        self.end_the_unwelcome();
        let changes = [&first, &second].map(|bot| bot.change().map(str::to_owned));
        for (bot, player) in game.bots.into_iter().zip([first, second]) {
            self.put_back(bot, player);
        }
        let [first, second]: [Aftermath; 2] = aftermath;
        let was_starved = first.was_starved || second.was_starved;
        let record = Record {
            moves,
            played,
            surplus_lines: [first.surplus_lines, second.surplus_lines],
            cpu_us: [&first, &second].map(|aftermath| aftermath.cpu.map(|cpu| cpu.as_micros() as u64)),
            off_move_us: [&first, &second].map(|aftermath| aftermath.off_move.as_micros() as u64),
            restart_us: [first.restart, second.restart].map(|time| time.as_micros() as u64),
            started,
            host: settings.host.clone(),
            ..schedule::record(&settings.event, game, &job.opening, verdict)
        };
        let logs = [first.log, second.log].map(|log| log.iter().map(ToString::to_string).collect());
        Finished { place: job.place, record, logs, bots: game.bots, changes, starved: was_starved }
    }

    fn take(&mut self, bot: usize) -> Bot {
        if let Some(place) = self.live.iter().position(|(other, _)| *other == bot) {
            return self.live.remove(place).1;
        }
        let launch = Arc::new(self.settings.launches[bot].clone());
        let mut player = Bot::new(launch, self.runtime.clone(), self.processor.clone());
        player.was_at_fault = self.at_fault.remove(&bot);
        self.has_started = true;
        player
    }

    fn put_back(&mut self, bot: usize, player: Bot) {
        if player.is_condemned() {
            self.unwelcome.insert(bot);
        }
        if self.unwelcome.contains(&bot) {
            return self.see_off(bot, player);
        }
        self.live.push((bot, player));
        // Those of this game stay: the next one may need them.
        let is_short = std::mem::take(&mut self.has_started) && self.live.len() > 2 && memory_is_short();
        if self.live.len() > self.settings.live_bots || is_short {
            let (bot, player) = self.live.remove(0);
            self.see_off(bot, player);
        }
    }

    /// Ends those that disturbed a game while they waited for another one.
    fn end_the_unwelcome(&mut self) {
        let (unwelcome, live) = std::mem::take(&mut self.live).into_iter().partition(|(_, bot)| bot.is_condemned());
        self.live = live;
        for (bot, player) in unwelcome {
            self.unwelcome.insert(bot);
            self.see_off(bot, player);
        }
    }

    /// Sees the bots off.
    pub fn leave(&mut self) {
        // All are asked before any is waited for, so that slow ones take their time together.
        self.live.iter_mut().for_each(|(_, bot)| bot.say_quit());
        for (bot, player) in std::mem::take(&mut self.live) {
            self.see_off(bot, player);
        }
    }

    fn see_off(&mut self, bot: usize, mut player: Bot) {
        player.leave();
        if player.was_at_fault {
            self.at_fault.insert(bot);
        }
        let words: Vec<String> = player.take_log().iter().map(ToString::to_string).collect();
        if !words.is_empty() {
            self.last_words.push((bot, words));
        }
    }

    fn send_last_words(&mut self, outcomes: &Sender<Outcome>) {
        let words = std::mem::take(&mut self.last_words);
        if !words.is_empty() {
            // It fails only when the run was abandoned.
            let _ = outcomes.blocking_send(Outcome::LastWords(words));
        }
    }
}

/// Whether little memory is free; not where the system does not tell.
fn memory_is_short() -> bool {
    free_memory(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default())
        .is_some_and(|free| free < FREE_MEMORY_MIN)
}

/// The part of the memory that is free, by `/proc/meminfo`.
fn free_memory(meminfo: &str) -> Option<f64> {
    let kib = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix(" kB")?.parse::<f64>().ok()
    };
    Some(kib("MemAvailable")? / kib("MemTotal").filter(|total| *total > 0.0)?)
}

fn void(why: String) -> Verdict {
    Verdict { result: GameResult::Void, reason: why, statuses: [Status::Ok; 2], evidence: [None, None] }
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
