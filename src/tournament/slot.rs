//! A slot: one thread that plays games as straight-line blocking code.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::{Plan, Shared};
use crate::event::{ScheduledGame, bot_seeds};
use crate::game;
use crate::player::Aftermath;
use crate::player::process::{Bot, SharedProcessor, Table};
use crate::record::{BotId, GameResult, Record, Status};
use crate::referee::{Setup, Verdict};

/// Live bots that a slot keeps for its next games; the one used longest ago leaves first.
pub(crate) const LIVE_BOTS_MAX: usize = 16;
/// A game that failed because of us is tried again after each of these, in one run: what the machine was short of may
/// come back.
const TRY_AGAIN: [Duration; 3] = [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(500)];

/// A game that was played.
#[derive(Debug)]
pub struct Finished {
    /// What is kept of it.
    pub record: Record,
    /// For the bots' logs, by seat.
    pub logs: [Vec<String>; 2],
    /// Numbers of the bots, by seat.
    pub bots: [usize; 2],
    /// What has become of a bot's files, by seat, if they are not what they were: then the game tells nothing of it.
    pub changes: [Option<String>; 2],
}

impl Finished {
    /// Whether it failed because of us: nobody was found at fault, and every bot is the one it was.
    pub(super) fn is_our_failure(&self) -> bool {
        let Record { result, statuses, .. } = &self.record;
        *result == GameResult::Void && *statuses == [Status::Ok; 2] && self.changes == [None, None]
    }
}

/// What a slot sends.
pub(super) enum Message {
    /// The place of a game in the schedule, the game as it was played, and what is dropped once it is written down, if
    /// the slot waits for that.
    Game(usize, Box<Finished>, Option<oneshot::Sender<()>>),
    /// One that failed because of us and is tried again at once.
    Failed(usize, Box<Finished>),
    /// What bots, by their numbers, wrote after their last games.
    LastWords(Vec<(usize, Vec<String>)>),
}

/// Takes games until none is left or the run is stopped, then sees its bots off.
pub(super) fn run(shared: &Arc<Shared>, index: usize, finished: &Sender<Message>) {
    settle(&shared.processors.cpus, index);
    let plan = &shared.plan;
    let mut slot = Slot::new(plan, shared.processors.of(index), shared.runtime.clone());
    'games: while !shared.stop.load(Ordering::Relaxed) {
        let next = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(due) = plan.missing.get(next) else { break };
        let (place, mut game) = (due.place as usize, plan.attempt(*due));
        let is_gone = game.bots.iter().any(|bot| shared.gone[*bot].load(Ordering::Relaxed));
        if is_gone || shared.taken[next].swap(true, Ordering::Relaxed) {
            continue;
        }
        let mut played = slot.play(&game);
        for pause in TRY_AGAIN {
            // Not if nobody waits for it any more: then it was we who ended the bots.
            if !played.is_our_failure() || finished.is_closed() {
                break;
            }
            if finished.blocking_send(Message::Failed(place, Box::new(played))).is_err() {
                break 'games;
            }
            // What bots that wait for later games hold may be what is missing.
            slot.leave();
            wait(pause);
            let _alone = shared.again.lock().unwrap_or_else(PoisonError::into_inner);
            game = plan.event.attempt(&game, game.repeat.saturating_add(1));
            played = slot.play(&game);
        }
        // The next game may be one that a bot with three strikes does not play any more.
        let (waits, entered) = if played.record.statuses.contains(&Status::StartupFailed) {
            let (waits, entered) = oneshot::channel();
            (Some(waits), Some(entered))
        } else {
            (None, None)
        };
        if finished.blocking_send(Message::Game(place, Box::new(played), waits)).is_err() {
            break;
        }
        if let Some(entered) = entered {
            // It ends when the other half is dropped, also if that is because of an error.
            let _ = entered.blocking_recv();
        }
        slot.send_last_words(finished);
    }
    slot.leave();
    slot.send_last_words(finished);
}

/// Waits, for want of an event to wait for. Being woken early only makes the next try come sooner.
pub(super) fn wait(pause: Duration) {
    let pause = rustix::event::Timespec { tv_sec: 0, tv_nsec: pause.subsec_nanos().into() };
    let _ = rustix::event::poll(&mut [], Some(&pause));
}

/// Processors this process may use; empty where the system does not tell.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        return (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect();
    }
    Vec::new()
}

/// Keeps the thread, and with it the bots it starts, on one processor, and has its deadlines noticed promptly.
pub fn settle(cpus: &[usize], index: usize) {
    #[cfg(target_os = "linux")]
    {
        if !cpus.is_empty() {
            let mut set = rustix::thread::CpuSet::new();
            set.set(cpus[index % cpus.len()]);
            // Only speed is lost if the system refuses.
            let _ = rustix::thread::sched_setaffinity(None, &set);
        }
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (cpus, index, NonZeroU64::MIN);
}

/// Plays games on the calling thread, with bots of its own.
#[derive(Debug)]
pub struct Slot<'a> {
    plan: &'a Plan,
    runtime: Handle,
    /// The bots it has started, the one used last at the end.
    live: Vec<(usize, Bot)>,
    /// What bots that have left wrote after their last games.
    last_words: Vec<(usize, Vec<String>)>,
    table: Table,
    /// Those that disturbed games which they did not play: they do not wait here any more.
    unwelcome: HashSet<usize>,
    /// The machine gave a bot of the last game no processor, which made it void.
    was_starved: bool,
    /// Those that have left after a fault: their next start is one again.
    at_fault: HashSet<usize>,
}

impl<'a> Slot<'a> {
    /// A slot without bots yet, whose bots will share `processor`; `runtime` drains what they write to stderr.
    #[must_use]
    pub fn new(plan: &'a Plan, processor: SharedProcessor, runtime: Handle) -> Self {
        let (live, last_words, unwelcome, at_fault) = Default::default();
        let table = Table::at(processor);
        Self { plan, runtime, live, last_words, table, unwelcome, was_starved: false, at_fault }
    }

    /// Plays a game, starting its bots if they do not run already. Where an attempt at it was void, none of them does: it
    /// would know the old game.
    ///
    /// # Panics
    ///
    /// If the game is not of this slot's plan.
    pub fn play(&mut self, game: &ScheduledGame) -> Finished {
        let plan = self.plan;
        if game.repeat > 0 {
            self.leave();
        }
        let [mut first, mut second] = game.bots.map(|bot| self.take(bot));
        let is_retry = game.repeat > 0 && self.was_starved;
        first.set_retry(is_retry);
        second.set_retry(is_retry);
        let seeds = bot_seeds(plan.event.seed, &game.id.to_string());
        let setup = Setup {
            variant: &plan.variant,
            seed: game.seed,
            opening: &plan.event.openings[game.opening],
            clock: plan.event.clock,
            max_plies: plan.event.max_plies,
        };
        let started = timestamp();
        let (verdict, moves, played, aftermath) = match game::play(&setup, seeds, [&mut first, &mut second]) {
            Ok((referee, aftermath)) => {
                let (verdict, moves, played) = referee.into_parts();
                (verdict, moves, played, aftermath)
            }
            Err(why) => (void(why), setup.opening.to_vec(), Vec::new(), Default::default()),
        };
        self.was_starved = first.was_starved() || second.was_starved();
        self.end_the_unwelcome();
        let changes = [&first, &second].map(|bot| bot.change().map(str::to_owned));
        for (bot, player) in game.bots.into_iter().zip([first, second]) {
            self.put_back(bot, player);
        }
        let [first, second]: [Aftermath; 2] = aftermath;
        let mut record = record(plan, game, verdict, started);
        (record.moves, record.played) = (moves, played);
        record.surplus_lines = [first.surplus_lines, second.surplus_lines];
        record.cpu_us = [&first, &second].map(|aftermath| aftermath.cpu.map(|cpu| cpu.as_micros() as u64));
        record.off_move_us = [&first, &second].map(|aftermath| aftermath.off_move.as_micros() as u64);
        record.restart_us = [first.restart, second.restart].map(|time| time.as_micros() as u64);
        Finished { record, logs: [first.log, second.log], bots: game.bots, changes }
    }

    fn take(&mut self, bot: usize) -> Bot {
        if let Some(place) = self.live.iter().position(|(other, _)| *other == bot) {
            return self.live.remove(place).1;
        }
        let launch = Arc::new(self.plan.launches[bot].clone());
        let mut player = Bot::at(self.table.clone(), launch, self.runtime.clone());
        player.set_at_fault(self.at_fault.remove(&bot));
        player
    }

    fn put_back(&mut self, bot: usize, mut player: Bot) {
        if player.is_condemned() {
            self.unwelcome.insert(bot);
            player.end();
        }
        if self.unwelcome.contains(&bot) {
            return self.see_off(bot, player);
        }
        self.live.push((bot, player));
        if self.live.len() > LIVE_BOTS_MAX {
            let (bot, player) = self.live.remove(0);
            self.see_off(bot, player);
        }
    }

    /// Ends those that disturbed a game while they waited for another one.
    fn end_the_unwelcome(&mut self) {
        let (unwelcome, live) = std::mem::take(&mut self.live).into_iter().partition(|(_, bot)| bot.is_condemned());
        self.live = live;
        for (bot, mut player) in unwelcome {
            self.unwelcome.insert(bot);
            player.end();
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
        if player.was_at_fault() {
            self.at_fault.insert(bot);
        }
        let words = player.take_log();
        if !words.is_empty() {
            self.last_words.push((bot, words));
        }
    }

    fn send_last_words(&mut self, finished: &Sender<Message>) {
        let words = std::mem::take(&mut self.last_words);
        if !words.is_empty() {
            // It fails only when the run was abandoned.
            let _ = finished.blocking_send(Message::LastWords(words));
        }
    }
}

/// The record of a game with this verdict, in which nothing was played.
pub(super) fn record(plan: &Plan, game: &ScheduledGame, verdict: Verdict, started: String) -> Record {
    let opening = &plan.event.openings[game.opening];
    Record {
        id: game.id.to_string(),
        game: plan.event.game.clone(),
        rules_version: plan.event.rules_version,
        params: plan.event.params.clone(),
        seed: game.seed,
        clock: plan.event.clock,
        max_plies: plan.event.max_plies,
        repeat: game.repeat,
        bots: game.bots.map(|bot| -> BotId { plan.event.bots[bot].id.clone() }),
        opening: opening.clone(),
        moves: opening.clone(),
        result: verdict.result,
        reason: verdict.reason,
        statuses: verdict.statuses,
        played: Vec::new(),
        evidence: verdict.evidence,
        surplus_lines: [0, 0],
        cpu_us: [None, None],
        off_move_us: [0, 0],
        restart_us: [0, 0],
        started,
        host: plan.host.clone(),
        arena: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The time of day, as records have it.
#[expect(clippy::disallowed_methods, reason = "a record is stamped")]
pub(super) fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn void(why: String) -> Verdict {
    Verdict { result: GameResult::Void, reason: why, statuses: [Status::Ok; 2], evidence: [None, None] }
}
