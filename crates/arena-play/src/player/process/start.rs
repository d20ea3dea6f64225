//! Starting a bot: its process, `hello`, `ready`, and another try where the machine gave it no processor.

use std::fmt::Write as _;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::Taken;
use arena_core::record::Status;
use arena_core::referee::{Fault, GameStart};
use arena_core::rules::Variant;
use arena_core::text::{escaped, shown};
use arena_sys::time::now;
use arena_wire::protocol::{Introduction, Outgoing, Response};

use super::end::ExchangeEnd;
use super::fault::OwedReply;
use super::live::LiveProcess;
use super::{Bot, READY_LIMIT, heartbeat};
use crate::player::{Aftermath, Failure, LogLine};

/// Number of tries of a start that fails because the machine gives the bot no processor.
const TRIES_MAX: u32 = 3;

impl Bot {
    /// Starts the process and exchanges `hello`.
    ///
    /// # Errors
    ///
    /// Returns whose failure it is if that does not succeed.
    pub fn start(&mut self) -> Result<(), Failure> {
        self.retrying(Self::try_start)
    }

    /// Gets ready for a game, and starts the process if there is none.
    pub(super) fn get_ready(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.declined = None;
        self.retrying(|bot| bot.try_get_ready(game))
    }

    /// Tries again, each time with a new process, as long as the machine gave the last one no processor.
    fn retrying(&mut self, start: impl Fn(&mut Self) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut number = 1;
        loop {
            let mut fault = match start(self) {
                Err(Failure::Fault(fault)) if fault.evidence.is_starved() => fault,
                result => return result,
            };
            let _ = write!(fault.evidence.message, ", in try {number} of {TRIES_MAX}");
            if number == TRIES_MAX {
                return Err(Failure::Fault(fault));
            }
            let remark = format!("{}; a new process is started", fault.evidence.message);
            self.aftermath.log.push(LogLine::Remark(remark));
            self.aftermath.surplus_lines = 0;
            // The machine's, not its own.
            self.was_at_fault = false;
            number += 1;
        }
    }

    fn try_start(&mut self) -> Result<(), Failure> {
        self.check_files()?;
        let (begun, is_restart) = (now(), std::mem::take(&mut self.was_at_fault));
        let mut greeted = self.greet();
        if greeted.is_err() && self.launch.is_touched() {
            // To the sandbox, a file that is replaced during the start is another file, even with the same content.
            greeted = self.greet();
        }
        if is_restart {
            self.aftermath.restart += (now() - begun).saturating_sub(credit_of(&greeted));
        }
        // Files that were replaced meanwhile may be what was run, whatever the result.
        self.check_files().inspect_err(|_| self.live = None)?;
        greeted.map(|_| ())
    }

    fn check_files(&mut self) -> Result<(), Failure> {
        self.change = self.launch.change();
        self.change.clone().map_or(Ok(()), |change| Err(Failure::Void(change)))
    }

    fn greet(&mut self) -> Result<Taken, Failure> {
        heartbeat::begin();
        self.hello = Introduction::default();
        // The time that our guard takes to run its program is not the bot's.
        let spawned = LiveProcess::spawn(&self.launch, &self.processor, &self.runtime, self.tap.as_ref());
        let spawned = spawned.inspect_err(|failure| {
            self.aftermath.had_foreign_end |= matches!(failure, Failure::Void(_));
        });
        let live = self.live.insert(spawned?);
        live.wire.is_check = self.is_check;
        let startup = self.launch.startup;
        let end = match live.wire.ask(Outgoing::Hello { startup }, startup, &mut self.aftermath.log) {
            Ok((Response::Hello(hello), taken)) => {
                self.hello = hello;
                live.is_up = self.launch.protocol.is_greeted;
                live.wire.meter.include_family();
                live.place.note_rest();
                live.rest();
                return Ok(taken);
            }
            Ok(_) => ExchangeEnd::Violation(Cause::NoHello, "it did not answer hello with hello".to_owned()),
            Err(end) => end,
        };
        Err(self.fail(end, OwedReply::Hello(startup)))
    }

    fn try_get_ready(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.renew();
        if let Some(live) = &self.live {
            let has_played = live.has_played;
            self.check_claims(game)?;
            match self.announce(game) {
                // A process that left, or may be confusing two games, is replaced, and no game is lost by that.
                Err(ExchangeEnd::Closed) => self.replace(None),
                Err(ExchangeEnd::Violation(_, how)) if has_played => self.replace(Some(how)),
                other => return other.map_err(|end| self.not_ready(end)),
            }
        }
        self.try_start()?;
        self.check_claims(game)?;
        self.announce(game).map_err(|end| self.not_ready(end))
    }

    /// Ends a process that has reserved half of the address space that it may, as one does that never gives back what each
    /// search has reserved: more would be refused to it in a game.
    fn renew(&mut self) {
        let Some(live) = self.live.as_ref().filter(|live| live.has_played) else { return };
        let (reserved_mb, limit_mb) = (live.guarded.memory_peak().reserved_kb / 1024, self.launch.limits.reserved_mb());
        if limit_mb > 0 && reserved_mb > limit_mb / 2 {
            let remark = format!(
                "between two games: it has reserved {reserved_mb} of {limit_mb} MB of address space; a new process is started"
            );
            self.aftermath.log.push(LogLine::Remark(remark));
            self.leave();
        }
    }

    /// It is not ready for a game. In a check it may have declined the first game of its process.
    fn not_ready(&mut self, end: ExchangeEnd) -> Failure {
        match end {
            ExchangeEnd::Declined(says) if self.is_check && self.live.as_ref().is_some_and(|live| !live.has_played) => {
                self.leave();
                self.declined = Some(says.clone());
                Fault::new(Status::StartupFailed, Cause::Declined, says).into()
            }
            end => self.fail(end, OwedReply::Ready),
        }
    }

    /// Begins a game with the live process.
    fn announce(&mut self, game: &GameStart<'_>) -> Result<(), ExchangeEnd> {
        let live = self.live.as_mut().ok_or(ExchangeEnd::Closed)?;
        let Aftermath { log, surplus_lines, .. } = &mut self.aftermath;
        live.wire.settle(READY_LIMIT, log)?;
        if let (Response::Decline(reason), _) = live.wire.ask(Outgoing::NewGame(game), READY_LIMIT, log)? {
            let reason = reason.map_or_else(|| "it gives no reason".to_owned(), |reason| escaped(&reason));
            return Err(ExchangeEnd::Declined(format!("does not play {}: {reason}", game.variant)));
        }
        *surplus_lines = live.wire.restart_counts();
        // Not before `ready`: a bot on our processor may only now have processed the end of the last game.
        if live.has_played {
            live.stderr.take().log_as(LogLine::StderrBetweenGames, log);
        }
        live.place.set_seated(true);
        live.wire.meter.start_game();
        live.rest();
        Ok(())
    }

    /// The games that its hello names, if `variant` is not among them.
    #[must_use]
    pub fn other_games(&self, variant: &Variant) -> Option<String> {
        let games = self.hello.games.as_ref()?;
        let plays = games.iter().any(|name| variant.is_called(name));
        (!plays).then(|| shown(&games.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")))
    }

    /// Whether its hello names the game, and its options leave it time to play.
    fn check_claims(&self, game: &GameStart<'_>) -> Result<(), Failure> {
        let refused = |cause, message| Err(Fault::new(Status::StartupFailed, cause, message).into());
        if let Some(others) = self.other_games(game.variant) {
            let message = format!("it does not play {}; its hello names {others}", game.variant.rules.label());
            return refused(Cause::GameNotPlayed, message);
        }
        let checked = (self.launch.protocol.check_clock)(&self.launch.options, game.clock);
        checked.or_else(|why| refused(Cause::BadOption, why))
    }
}

/// The part of the time of a start that is not the bot's.
fn credit_of(greeted: &Result<Taken, Failure>) -> Duration {
    match greeted {
        Ok(taken) => taken.credit,
        Err(Failure::Fault(fault)) if fault.evidence.is_starved() => Duration::MAX,
        Err(_) => Duration::ZERO,
    }
}
