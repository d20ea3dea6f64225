//! Failures of a bot: ends its process and says whose failure it was.

use std::fmt::Write as _;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::TimeLeft;
use arena_core::record::{Evidence, Status};
use arena_core::referee::Fault;
use arena_wire::protocol::Words;

use super::end::ExchangeEnd;
use super::live::LiveProcess;
use super::near::explained_silence;
use super::{Bot, GONE, READY_LIMIT, alarm, exit, load};
use crate::player::{Failure, LogLine};

/// The reply that a bot failed to give.
#[derive(Debug, Clone, Copy)]
pub(super) enum OwedReply {
    Hello(Duration),
    Ready,
    /// That it is done with what it was asked before, within this time.
    Idle(Duration),
    /// A move; the part of its time that had passed before it was asked for, and what that was for.
    Move(TimeLeft, Duration, &'static str),
}

impl OwedReply {
    /// Whether a game is on.
    const fn is_in_game(self) -> bool {
        matches!(self, Self::Idle(_) | Self::Move(..))
    }

    /// What is said if nothing came, the cause if no more is known, and when that was. `missing_part` is the part of the answer
    /// that has not come, if others have.
    fn missed(self, words: &Words, missing_part: Option<&str>) -> (String, Cause, &'static str) {
        match self {
            Self::Hello(limit) => {
                let late = format!("{} within {} ms of its start", words.no_hello, limit.as_millis());
                (late, Cause::NoHello, words.before_hello)
            }
            Self::Ready => {
                let missing = missing_part.unwrap_or(words.no_ready);
                let late = format!("{missing} within {} ms", READY_LIMIT.as_millis());
                (late, Cause::NoReady, "before it was ready")
            }
            Self::Idle(limit) => {
                let late = format!("no answer to the {} before a move within {} ms", words.sync, limit.as_millis());
                (late, Cause::NotIdle, "before it was asked for a move")
            }
            Self::Move(time, held, for_what) => {
                (after(time.missed().to_string(), held, for_what), Cause::NoMove, "while a move was owed")
            }
        }
    }
}

/// What is said of a late move, with the part of its time that had passed before it was asked for, and what that was `for_what`.
pub(super) fn after(late: String, held: Duration, for_what: &str) -> String {
    match held.as_millis() {
        0 => late,
        ms => format!("{late}, {ms} ms of which it took {for_what}"),
    }
}

/// Adds to the message what is to be known of the bot whatever its fault is.
pub(super) fn note_about(about: Option<&str>, evidence: &mut Evidence) {
    if let Some(about) = about {
        let _ = write!(evidence.message, "; {about}");
    }
}

impl Bot {
    /// Ends the process and says whose failure it is.
    pub(super) fn fail(&mut self, end: ExchangeEnd, owed: OwedReply) -> Failure {
        alarm::off();
        let Some(mut live) = self.live.take() else { return Failure::Void(GONE.to_owned()) };
        let words = &self.launch.protocol.words;
        let (late, silence, when) = owed.missed(words, live.wire.missing_part());
        let bot = format!("bot `{}`", self.launch.name);
        let spent = live.wire.take_time_use();
        let time_went = |late: &str| spent.map_or_else(|| late.to_owned(), |spent| spent.after(&late));
        let mut load = None;
        let judged = match end {
            ExchangeEnd::DisturbedByOthers(disturbed, why) => {
                self.aftermath.disturbed = Some(disturbed);
                Err(why)
            }
            ExchangeEnd::Disturbed(how) => Err(format!("{bot}: {late}, because of its opponent: {how}")),
            ExchangeEnd::Starved => {
                load = load::load();
                let busy = load.map_or_else(String::new, |load| format!(" ({load})"));
                let why = format!("{}{busy}", time_went(&late));
                if !owed.is_in_game() {
                    Ok((Status::StartupFailed, (Cause::Starved, why)))
                } else if self.is_retry {
                    Ok((Status::Timeout, (Cause::Starved, format!("{why}, for the second time"))))
                } else {
                    self.aftermath.was_starved = true;
                    Err(format!("{bot}: {why}"))
                }
            }
            ExchangeEnd::TimedOut => {
                // First, since what follows may end it.
                let near = live.near_limits();
                let told = spent.filter(|_| owed.is_in_game());
                let found = live.diagnose_silence(&late, told, silence, &mut self.aftermath.log);
                Ok((Status::Timeout, explained_silence(&near, spent, found)))
            }
            ExchangeEnd::Declined(says) => {
                let how = format!("it {says}; a bot may decline only in a check, as its first answer to new_game");
                Ok((Status::StartupFailed, (Cause::Declined, how)))
            }
            ExchangeEnd::Violation(cause, how) => Ok((Status::ProtocolError, (cause, how))),
            ExchangeEnd::Closed => match live.describe_end(when) {
                Ok(how) => Ok((Status::Crashed, how)),
                Err(why) => {
                    self.aftermath.had_foreign_end = true;
                    Err(format!("{bot}: {why}"))
                }
            },
            ExchangeEnd::Error(error) => Err(format!("communicating with {bot}: {error}")),
        };
        let other_protocol = live.wire.other_protocol().filter(|_| matches!(owed, OwedReply::Hello(_)));
        let attempt = live.wire.attempt().map(|attempt| attempt.cause);
        let mut evidence = Evidence { load, ..Evidence::default() };
        let about = live.wire.about_fault().map(str::to_owned);
        self.kill_and_collect(live, &mut evidence);
        let (mut status, (cause, message)) = match judged {
            Ok(judged) => judged,
            Err(why) => return Failure::Void(why),
        };
        (evidence.cause, evidence.message) = (Some(cause), message);
        if attempt == Some(cause) {
            // The message has the line that matters, which need not be the last one.
            evidence.last_dropped = None;
        }
        if let Some(spent) = spent {
            evidence.note_time_use(&spent);
        }
        // A program that an interpreter runs may be missing too, such as a class.
        if cause.is_exit() && matches!(owed, OwedReply::Hello(_)) {
            evidence.message.push_str(&self.launch.build_hint("if it is not built, build it"));
        }
        let memory_mb = self.launch.limits.memory_mb;
        let is_memory = evidence.stderr_tail.as_deref().is_some_and(exit::mentions_memory);
        if cause.is_exit() && memory_mb > 0 && is_memory {
            evidence.cause = Some(Cause::MemoryLimit);
            let _ = write!(evidence.message, "; by its stderr, out of memory (limit {memory_mb} MB)");
        }
        if let Some(other) = other_protocol
            && cause != Cause::Starved
        {
            evidence.cause = Some(other);
            evidence.message = format!("it looks like {}: {}", other.engine().unwrap_or_default(), evidence.message);
        }
        note_about(about.as_deref(), &mut evidence);
        if !owed.is_in_game() {
            status = Status::StartupFailed;
        }
        self.was_at_fault = true;
        Fault { status, evidence }.into()
    }

    /// Kills a process, adds what is known about its last game to the evidence, and logs the rest of its stderr.
    pub(super) fn kill_and_collect(&mut self, mut live: LiveProcess, evidence: &mut Evidence) {
        self.aftermath.off_move += live.place.take_used_off_move();
        self.aftermath.cpu = live.wire.meter.end_game();
        let stderr = live.kill();
        self.aftermath.note_denied(live.take_denied());
        self.ended = live.wire.exchange();
        let lines = live.wire.lines();
        evidence.last_sent = live.wire.last_sent();
        evidence.last_received = Some(lines.last_line()).filter(|line| !line.is_empty());
        evidence.last_dropped = lines.last_dropped();
        evidence.stderr_tail = stderr.tail();
        self.aftermath.surplus_lines += lines.surplus_lines();
        let is_between_games = live.has_played && !live.place.is_seated();
        let kind = if is_between_games { LogLine::StderrBetweenGames } else { LogLine::Stderr };
        stderr.log_as(kind, &mut self.aftermath.log);
    }

    /// Removes a process that exited, or broke the protocol as `violation` says, while no game was on.
    pub(super) fn replace(&mut self, violation: Option<String>) {
        let Some(mut live) = self.live.take() else { return };
        let has_played = live.has_played;
        let when = if has_played { "after its last game" } else { "before its first game" };
        let how = violation.unwrap_or_else(|| live.describe_end(when).map_or_else(|why| why, |(_, how)| how));
        self.kill_and_collect(live, &mut Evidence::default());
        self.aftermath.surplus_lines = 0;
        self.aftermath.log.push(if has_played {
            LogLine::EndedBetweenGames(how)
        } else {
            LogLine::Remark(format!("before its first game: {how}; a new process is started"))
        });
    }
}
