//! `arena tournament --shard` and `--plan`: a tournament in parts, one for each machine.

use anyhow::bail;
use arena_core::event::Tournament;
use arena_core::stats::AnalysisOptions;
use arena_core::text::{counted, shell_word};
use arena_play::roster::Roster;
use arena_run::session::{Session, SessionSettings, ShardPart};
use arena_show::observer::{Observer as _, Observers, RunEnding};

use super::again::{stopped_before_the_first_game, this_command};
use crate::cli::{Exit, Io};

/// Plays a part of a tournament. Nothing is printed on stdout: the standings are those of all parts.
pub(crate) fn play(
    settings: SessionSettings,
    share: ShardPart,
    roster: &Roster,
    quiet: bool,
    observers: &mut Observers<'_>,
    io: &Io,
) -> anyhow::Result<Exit> {
    if settings.signer.is_some() {
        bail!(
            "--sign-key signs a tournament that is played as a whole; the journal of a shard is merged into another one"
        );
    }
    let dir = settings.dir();
    let opened = Session::open_shard(settings, share, roster.bots.clone(), roster, observers)?;
    let Some(mut session) = opened else { return Ok(stopped_before_the_first_game(io)) };
    let before = session.share_counts();
    let round = share.round.map(|round| format!(", round {round}")).unwrap_or_default();
    let what = format!("shard {} of {}{round}", share.shard, session.event().name);
    if !quiet {
        let missing = before.games - before.settled;
        let text = match (missing, before.settled) {
            (0, _) => format!("{what}: nothing to play, every game is in its journal"),
            (_, 0) => format!("{what}: {}, {} at a time", games(missing), session.capacity().games),
            (_, done) => format!("{what}: {done} already played; playing the remaining {missing}"),
        };
        io.tell(&text);
    }
    let ending = session.play(&mut (), observers, &AnalysisOptions::default())?;
    for warning in observers.finish() {
        io.warn(&warning);
    }
    let after = session.share_counts();
    let missing = after.games - after.settled;
    if missing > 0 {
        io.tell(&format!("{what}: {} of {} played", after.settled, games(after.games)));
        io.tell_command("resume with: ", &this_command(io));
    } else if !quiet {
        io.tell(&format!("{what}: all {} played", games(after.games)));
        io.tell_command("when all shards are: ", &merge_command(&dir.to_string_lossy()));
    }
    Ok(match ending {
        RunEnding::Killed => Exit::Killed,
        RunEnding::RulesFailed => Exit::Error,
        _ if missing > 0 => Exit::Incomplete,
        _ => Exit::Done,
    })
}

/// Writes down what a tournament in parts plays.
pub(crate) fn plan(mut session: Session, io: &Io) -> anyhow::Result<Exit> {
    session.plan()?;
    let Tournament { bots, seed, .. } = session.event();
    let of = format!("{}, seed {seed}", counted(bots.len(), "bot"));
    let (what, round) = if session.scheduler().is_stepwise() {
        let next = session.scheduler().decisions();
        (format!("round {next} of {}, {of}", session.event().format), format!(" --round {next}"))
    } else {
        (format!("{}, {of}", games(session.scheduler().total())), String::new())
    };
    io.tell(&format!("planned in {}: {what}", session.dir().display()));
    io.tell(&format!(
        "play a part of it on each machine with the same flags and --shard 0/8{round}, --shard 1/8{round} …"
    ));
    io.tell_command("when all are played: ", &merge_command(&session.dir().to_string_lossy()));
    Ok(if session.event().has_failed_bots() { Exit::BotTrouble } else { Exit::Done })
}

fn games(count: u32) -> String {
    counted(count as usize, "game")
}

fn merge_command(dir: &str) -> String {
    format!("arena merge {}", shell_word(dir))
}
