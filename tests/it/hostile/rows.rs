//! Rows of the table: a bot, how it is run, and the result.

use std::time::Duration;

use arena::guard::SandboxMode;
use arena::guard::probe::{self, ProbeStart};
use arena::record::Status;

use super::container::{Container, numbers_are_its_own};
use super::scenario::Scenario;
use super::{AMPLE_MS, MARGIN_MS, NO_CONTAINER, SHORT_MS};
use crate::faults::{beside, undisturbed};
use crate::support::not_tested;

/// How the bot's four games end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ends<'a> {
    /// It loses all of them with this status and message.
    Loses(Status, &'a str),
    /// It loses all of them by a crash or timeout.
    Falls,
    /// It plays them to the end, and this is in its log.
    Plays(&'a str),
    /// They are void, for this reason.
    Void(&'a str),
}

/// A bot and the expected result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Its number in `MATRIX.md`.
    number: u32,
    /// Arguments of the faulty bot, after `GAME: ` if it is not tic-tac-toe.
    bot: &'static str,
    ends: Ends<'static>,
    /// Arguments of the arena.
    flags: &'static str,
    /// Lines of the bot's manifest.
    manifest: &'static str,
    /// Time that it may take in each game.
    allowed_ms: u64,
    /// Whether the time limit of its moves is short even if it is not meant to be reached.
    hurried: bool,
    contained: bool,
    /// Whether it takes so much of the machine that other tests could not keep time.
    alone: bool,
}

/// A bot that loses by `status` at its first chance.
pub(super) const fn loses(number: u32, bot: &'static str, status: Status, says: &'static str) -> Row {
    let hurried = matches!(status, Status::Timeout);
    let allowed_ms = if hurried { SHORT_MS + MARGIN_MS } else { 0 };
    Row { ends: Ends::Loses(status, says), hurried, allowed_ms, ..plays(number, bot, "") }
}

/// A bot that loses by a crash, or at the latest by timeout.
pub(super) const fn falls(number: u32, bot: &'static str) -> Row {
    Row { ends: Ends::Falls, ..loses(number, bot, Status::Timeout, "") }
}

/// A bot that does no harm.
pub(super) const fn plays(number: u32, bot: &'static str, says: &'static str) -> Row {
    Row {
        number,
        bot,
        ends: Ends::Plays(says),
        flags: "",
        manifest: "",
        allowed_ms: 0,
        hurried: false,
        contained: false,
        alone: false,
    }
}

/// A bot whose games are void through no bot's fault, and are retried after a pause.
pub(super) const fn void(number: u32, bot: &'static str, why: &'static str) -> Row {
    const PAUSES_MS: u64 = 1_000;
    Row { ends: Ends::Void(why), allowed_ms: PAUSES_MS, ..plays(number, bot, "") }
}

impl Row {
    pub(super) const fn with(self, flags: &'static str) -> Self {
        Self { flags, ..self }
    }

    pub(super) const fn manifest(self, manifest: &'static str) -> Self {
        Self { manifest, ..self }
    }

    pub(super) const fn allowed(self, allowed_ms: u64) -> Self {
        Self { allowed_ms, ..self }
    }

    pub(super) const fn hurried(self) -> Self {
        Self { hurried: true, ..self }
    }

    /// As [`Row::contained`], and while no other test that measures time runs.
    pub(super) const fn alone(self) -> Self {
        Self { contained: true, alone: true, ..self }
    }

    /// Only where a mistake cannot hurt this machine: in a process namespace with few numbers.
    pub(super) const fn contained(self) -> Self {
        Self { contained: true, ..self }
    }
}

/// Plays all of them, one after the other.
#[track_caller]
pub(super) fn check(rows: &[Row]) {
    for row in rows {
        let what = format!("row {}, {}", row.number, row.bot);
        let container = Container::find();
        let lacks = match () {
            () if row.contained && container.is_none() => Some(NO_CONTAINER),
            () if row.alone && !numbers_are_its_own() => Some("a container cannot be kept from filling this machine"),
            () if row.flags.contains("--sandbox strict") => lacks(SandboxMode::Strict),
            () => None,
        };
        if let Some(why) = lacks {
            not_tested(&what, why);
            continue;
        }
        let _beside = (!row.alone).then(beside);
        let _alone = row.alone.then(undisturbed);
        let (game, args) = row.bot.split_once(": ").unwrap_or(("tictactoe", row.bot));
        let mut scenario = Scenario::new(&what, game);
        scenario.hostile(args, row.manifest);
        scenario.container = container.filter(|_| row.contained);
        scenario.allowed = Duration::from_millis(row.allowed_ms);
        row.flags.clone_into(&mut scenario.flags);
        scenario.move_ms = if row.hurried { SHORT_MS } else { AMPLE_MS };
        let played = scenario.play();
        played.assert_ends(row.ends);
    }
}

/// The feature that this machine lacks for a complete sandbox, if any.
pub(crate) fn lacks(mode: SandboxMode) -> Option<&'static str> {
    let dir = tempfile::tempdir().expect("a folder");
    match probe::try_start(&crate::support::guard(), mode, dir.path()) {
        Ok(ProbeStart { effective, .. }) if effective.seccomp && effective.keeps_signals_in() => None,
        Ok(_) => Some("this kernel has no seccomp, or no Landlock that keeps signals in"),
        Err(_) => Some("this system has no such sandbox"),
    }
}
