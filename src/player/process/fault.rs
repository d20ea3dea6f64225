//! The end of a process that cannot be used any more, and what is said of it.

use std::fmt::Write as _;
use std::time::Duration;

use super::live::Live;
use super::stderr::Kept;
use super::wire::End;
use super::{Bot, READY_LIMIT, STDERR_LIMIT, alarm, exit};
use crate::cause::Cause;
use crate::clock::TimeLeft;
use crate::player::{LogLine, NotReady};
use crate::record::{Evidence, Status};
use crate::referee::{Answer, Fault};

/// What a bot owes when it fails to answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Owed {
    Hello(Duration),
    Ready,
    Move(TimeLeft),
}

impl Owed {
    /// What it did not do in time.
    fn late(self) -> String {
        match self {
            Self::Hello(limit) => format!("no hello within {} ms of its start", limit.as_millis()),
            Self::Ready => format!("no ready within {} ms", READY_LIMIT.as_millis()),
            Self::Move(time) => time.missed().to_string(),
        }
    }

    /// The cause if nothing came.
    fn silence(self) -> Cause {
        match self {
            Self::Hello(_) => Cause::NoHello,
            Self::Ready => Cause::NoReady,
            Self::Move(_) => Cause::NoMove,
        }
    }

    /// Completes "it exited".
    fn before(self) -> &'static str {
        match self {
            Self::Hello(_) => "before it said hello",
            Self::Ready => "before it was ready",
            Self::Move(..) => "while a move was owed",
        }
    }
}

impl Bot {
    pub(super) fn not_ready(&mut self, end: End, owed: Owed) -> NotReady {
        match self.fault(end, owed) {
            Answer::Fault(fault) => Fault { status: Status::StartupFailed, ..fault }.into(),
            Answer::Void(why) => NotReady::Void(why),
            Answer::Move(..) | Answer::Resign | Answer::Disturbed(_) => {
                NotReady::Void("a fault was not judged as one".to_owned())
            }
        }
    }

    /// Ends the process and says what went wrong.
    pub(super) fn fault(&mut self, end: End, owed: Owed) -> Answer {
        alarm::off();
        let Some(mut live) = self.live.take() else {
            return Answer::Void("the bot's process is gone".to_owned());
        };
        let bot = format!("bot `{}`", self.launch.name);
        let cpu = live.wire.meter.end_move();
        let found = match end {
            End::Disturbed(thief, missing) => {
                let (by, used, missing) = (&thief.by, thief.used.as_millis(), missing.as_millis());
                if thief.is_opponent {
                    let how = "of the processor while its opponent was on move, which had to do without";
                    // It owes a reply that is not wanted any more; nothing is wrong with it.
                    live.rest();
                    self.live = Some(live);
                    let message = format!("it used {used} ms {how} the last {missing} ms of its time");
                    return Answer::Disturbed(Fault::new(Status::Interference, Cause::TookProcessor, message));
                }
                Err(format!(
                    "bot `{by}`, which does not play this game, used {used} ms of the processor while {bot} was on \
                     move, which had to do without the last {missing} ms of its time; `{by}` is ended"
                ))
            }
            End::Starved(waited) => {
                let why = format!("the machine gave it no processor for {} ms", waited.as_millis());
                if self.is_retry {
                    let how = format!("{}: {why}, and this is the second try", owed.late());
                    Ok((Status::Timeout, (Cause::Starved, how)))
                } else {
                    self.was_starved = true;
                    Err(format!("{bot}: {}: {why}", owed.late()))
                }
            }
            End::TimedOut => Ok((Status::Timeout, live.diagnose_silence(&owed.late(), owed.silence(), &mut self.log))),
            End::Violation(cause, how) => Ok((Status::ProtocolError, (cause, how))),
            End::Closed => match live.describe_end(owed.before()) {
                Ok(how) => Ok((Status::Crashed, how)),
                Err(why) => Err(format!("{bot}: {why}")),
            },
            End::Error(error) => Err(format!("speaking to {bot}: {error}")),
        };
        let (status, (cause, message)) = match found {
            Ok(found) => found,
            Err(why) => {
                self.bury(live, &mut Evidence::default(), Kept::log_to);
                return Answer::Void(why);
            }
        };
        let cpu_us = cpu.filter(|_| status == Status::Timeout).map(|cpu| cpu.as_micros() as u64);
        let mut evidence = Evidence { cpu_us, ..Evidence::new(cause, message) };
        let memory_mb = live.memory_limit_mb();
        self.bury(live, &mut evidence, Kept::log_to);
        let is_memory = evidence.stderr_tail.as_deref().is_some_and(exit::speaks_of_memory);
        if cause.is_exit() && memory_mb > 0 && is_memory {
            evidence.cause = Some(Cause::MemoryLimit);
            let _ = write!(evidence.message, "; by its stderr, out of memory (limit {memory_mb} MB)");
        }
        self.was_at_fault = true;
        Answer::Fault(Fault { status, evidence })
    }

    /// Ends a process that cannot be used any more, and collects what is known of its last game.
    pub(super) fn bury(&mut self, mut live: Live, evidence: &mut Evidence, log_to: fn(&Kept, &mut Vec<LogLine>)) {
        self.off_move += live.place().take_used_off_move();
        self.cpu = live.wire.meter.end_game();
        live.kill();
        let stderr = live.stderr.finish(STDERR_LIMIT);
        evidence.last_sent = live.wire.last_sent();
        evidence.last_received = Some(live.wire.lines().last_line()).filter(|line| !line.is_empty());
        evidence.last_dropped = live.wire.lines().last_dropped();
        evidence.stderr_tail = stderr.tail();
        self.surplus_lines += live.wire.lines().surplus_lines();
        log_to(&stderr, &mut self.log);
    }

    /// Removes a process that did wrong, or left, when no game was on.
    pub(super) fn replace(&mut self, end: &End) {
        let Some(mut live) = self.live.take() else { return };
        let at_its_end = if self.has_played { "after its last game" } else { "before its first game" };
        let how = match end {
            End::Violation(_, how) => how.clone(),
            End::Error(error) => error.to_string(),
            End::Closed | End::TimedOut | End::Disturbed(..) | End::Starved(_) => {
                live.describe_end(at_its_end).map_or_else(|why| why, |(_, how)| how)
            }
        };
        let log_to = if self.has_played { Kept::log_between_games_to } else { Kept::log_to };
        self.bury(live, &mut Evidence::default(), log_to);
        self.surplus_lines = 0;
        self.log.push(if self.has_played {
            LogLine::EndedBetweenGames(how)
        } else {
            LogLine::Remark(format!("before its first game: {how}; a new process is started"))
        });
    }
}
