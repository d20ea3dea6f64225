//! From flags to games: who plays, what is in the journal already, and what is missing.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::again::same_command;
use super::event_args::{EventArgs, concurrency};
use super::first_check::{FirstCheck, TurnedAway};
use super::guard_args::{fence_in, tell_refused, try_out};
use super::{Scratch, descriptors, runtime, tell};
use crate::event::{Entry, Event, Known};
use crate::journal::{Contents, Journal, Lock, Reader, Twice};
use crate::record::BotId;
use crate::report::{Durability, Results, copy_warnings, replace};
use crate::roster::{Found, Roster};
use crate::schedule::{Policy, ScheduleError, Scheduler};
use crate::stats::AnalysisOptions;
use crate::text::{counted, shown};
use crate::tournament::Signals;

/// Everything that is needed to play the games that are missing.
pub(super) struct Arranged {
    /// The bots of the event, in its order.
    pub(super) seated: Vec<Found>,
    /// Names of bots that work but play other games.
    pub(super) sitting_out: Vec<String>,
    pub(super) journal: Journal,
    pub(super) reader: Reader,
    /// The schedule with the games of the journal, and then those that are played.
    pub(super) scheduler: Scheduler,
    /// Games that are to be played before anything is decided in view of results.
    pub(super) missing: usize,
    pub(super) dir: PathBuf,
    pub(super) concurrency: usize,
    /// Bots that each slot keeps alive.
    pub(super) live_bots: usize,
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) signals: Signals,
    pub(super) scratch: Scratch,
}

/// Seats those of `bots` that can play, and finds out what is missing, as far as `policy` lets it be played. `event` has no
/// bots yet. What `roster` has keeps its games, whether it plays or not.
///
/// Returns nothing if a signal came while the bots were checked.
pub(super) fn arrange<P: Policy>(
    args: &EventArgs,
    mut event: Event,
    bots: Vec<Found>,
    roster: &Roster,
    policy: impl Fn() -> P,
) -> anyhow::Result<Option<(Arranged, P)>> {
    let wanted = concurrency(args)?;
    let dir = args.results.join(&event.name);
    let (mut seated, others): (Vec<Found>, Vec<Found>) = bots.into_iter().partition(|bot| bot.plays(&args.game));
    let mut sitting_out: Vec<String> = others.into_iter().map(|bot| bot.launch.name).collect();
    enough(&seated, &sitting_out, args)?;
    let (concurrency, live_bots) = descriptors::enough_for(wanted, seated.len());

    // An old journal is put aside when nothing can go wrong any more.
    let (journal, contents) = if args.fresh {
        (Err(Lock::take(&dir)?), Contents::default())
    } else {
        let (journal, contents) = open_journal(&dir)?;
        (Ok(journal), contents)
    };
    fence_in(&mut seated, event.clock.charge, &[&args.bots.bots, &args.results]);
    let refused = tell_refused(&seated);
    let ids = identify(&contents.known, &seated, roster);
    if let Some(last) = &contents.event {
        event.warnings.clone_from(&last.warnings);
    }
    let seat = |event: &mut Event, seated: &[Found]| {
        let entry = |bot: &Found| Entry { id: ids[&bot.launch.name].clone(), command: bot.command.clone() };
        event.bots = seated.iter().map(entry).collect();
        let mut policy = policy();
        let scheduler = Scheduler::new(Arc::new(event.clone()), &contents.games, &contents.rounds, &mut policy);
        let missing = |scheduler: &Scheduler| scheduler.missing().count();
        scheduler.map(|scheduler| (missing(&scheduler), scheduler, policy)).map_err(|error| match error {
            ScheduleError::TooManyGames { .. } => anyhow::anyhow!("{error}; ask for fewer --rounds"),
            error => error.into(),
        })
    };
    let (mut missing, mut scheduler, mut policy) = seat(&mut event, &seated)?;
    // Not before: nothing is lost if a signal ends what went before at once, and it may take long.
    let runtime = runtime()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::listen()?
    };
    let scratch = Scratch::create()?;
    if missing > 0 {
        try_writing(&dir)?;
        event.warnings = try_out(&seated.iter().collect::<Vec<_>>(), &scratch)?;
        event.warnings.extend(refused);
    }
    if !args.no_check && missing > 0 {
        // Who is withdrawn is not started any more.
        let needed: BTreeSet<usize> = scheduler.missing().flat_map(|game| game.bots).collect();
        let needed = needed.into_iter().filter(|bot| scheduler.withdrawal(*bot).is_none());
        let needed: Vec<&Found> = needed.map(|bot| &seated[bot]).collect();
        let (clock, logs_dir) = (event.clock, dir.join("bots"));
        let check = FirstCheck { args, clock, concurrency, scratch: &scratch, logs_dir, runtime: &runtime };
        let Some(TurnedAway { left_out, sitting_out: others }) = check.run(&needed, &mut signals)? else {
            tell(&format!("stopped while the bots were checked; begin with: {}", same_command()));
            return Ok(None);
        };
        let gone: BTreeSet<&str> = left_out.iter().map(|bot| &bot.name).chain(&others).map(String::as_str).collect();
        seated.retain(|bot| !gone.contains(bot.launch.name.as_str()));
        sitting_out.extend(others);
        event.left_out.extend(left_out);
        enough(&seated, &sitting_out, args)?;
    }
    if missing > 0 {
        (missing, scheduler, policy) = seat(&mut event, &seated)?;
    }
    let mut journal = journal.or_else(|lock| begin_afresh(&dir, lock))?;
    if contents.event.as_ref().map(written) != Some(written(&event)) {
        journal.append_event(&event)?;
    }
    note_others(&scheduler, &dir);
    note_twice(contents.twice, &dir);
    note_names(&event, &contents.known);
    let reader = journal.reader()?;
    let arranged = Arranged {
        seated,
        sitting_out,
        journal,
        reader,
        scheduler,
        missing,
        dir,
        concurrency,
        live_bots,
        runtime,
        signals,
        scratch,
    };
    Ok(Some((arranged, policy)))
}

impl Arranged {
    /// The definition of the tournament.
    pub(super) fn event(&self) -> &Event {
        self.scheduler.event()
    }

    /// What its games say so far.
    pub(super) fn results(&self, options: &AnalysisOptions) -> anyhow::Result<Results<'_>> {
        Results::new(&self.scheduler, &self.reader, options)
    }
}

/// Two bots are needed, and whoever has fewer needs to know why.
fn enough(seated: &[Found], sitting_out: &[String], args: &EventArgs) -> anyhow::Result<()> {
    if seated.len() >= 2 {
        return Ok(());
    }
    let only = seated.first().map_or_else(|| "none".to_owned(), |bot| format!("only {}", bot.launch.name));
    let others = match sitting_out {
        [] => String::new(),
        others => format!(" (for other games: {})", others.join(", ")),
    };
    bail!(
        "two bots are needed that play {}, and {} has {only}{others}; `arena bots` lists what was found, \
         `arena check NAME` says what is wrong with a bot, --bot NAME=PATH adds one",
        args.game,
        args.bots.bots.display()
    )
}

fn open_journal(dir: &Path) -> anyhow::Result<(Journal, Contents)> {
    let (journal, contents) = Journal::open(dir)?;
    if contents.torn_bytes > 0 {
        tell(&format!("the last line of the journal was torn ({} bytes) and was cut off", contents.torn_bytes));
    }
    Ok((journal, contents))
}

fn begin_afresh(dir: &Path, lock: Lock) -> anyhow::Result<Journal> {
    let (journal, old) = Journal::open_afresh(dir, lock)?;
    if let Some(old) = old {
        tell(&format!("the old journal is now {}", old.display()));
    }
    Ok(journal)
}

/// Writes a file as tables are written, so that nothing is played for a folder that takes no results. It also makes the
/// name of a journal that was just created survive a power cut, since both are in one folder.
fn try_writing(dir: &Path) -> anyhow::Result<()> {
    /// As little as a disk gives.
    const BYTES: usize = 4096;
    let path = dir.join(".probe");
    replace(&path, Durability::Synced, |out| Ok(out.write_all(&[b'\n'; BYTES])?))
        .and_then(|()| std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display())))
        .with_context(|| {
            format!(
                "nothing was played, since results cannot be written to {}; --results DIR names another folder",
                dir.display()
            )
        })
}

/// What each of the bots is known by, by its name. Found out before any of them is turned away: nobody takes the place of a
/// bot that only does not play this time, since it is broken, not named, or turned away.
fn identify(known: &Known, seated: &[Found], roster: &Roster) -> HashMap<String, BotId> {
    let id = |bot: &Found| BotId { name: bot.launch.name.clone(), fingerprint: bot.fingerprint.clone(), twin: false };
    let mut ids: Vec<BotId> = seated.iter().map(id).collect();
    known.tell_apart(&mut ids, |name| roster.has(name) || seated.iter().any(|bot| bot.launch.name == name));
    ids.into_iter().map(|id| (id.name.clone(), id)).collect()
}

/// Says that a journal also holds games of other settings or bots: they stay in it, but the tables leave them out.
fn note_others(scheduler: &Scheduler, dir: &Path) {
    let others = scheduler.others();
    if others > 0 {
        tell(&format!(
            "{} in {} of other settings, rounds or bots: kept in the journal, left out of the tables (--name keeps \
             tournaments apart)",
            counted(others, "game"),
            dir.display()
        ));
    }
}

/// Says that a journal holds games more than once, which no arena writes.
pub(super) fn note_twice(twice: Twice, dir: &Path) {
    if !twice.is_empty() {
        tell(&format!("{}: {twice}", dir.join(crate::journal::FILE_NAME).display()));
    }
}

/// Says which bots are copies of each other, and whose games a new name takes over.
fn note_names(event: &Event, known: &Known) {
    for warning in copy_warnings(event) {
        tell(&format!("warning: {warning}"));
    }
    for bot in &event.bots {
        if let Some(former) = known.former_name(&bot.id) {
            tell(&format!(
                "{} has the files of {}, which is gone, and goes on with its games",
                bot.id.name,
                shown(former)
            ));
        }
    }
}

/// A hash of the event as it is written in the journal: events with the same hash are the same.
fn written(event: &Event) -> blake3::Hash {
    blake3::hash(&serde_json::to_vec(event).expect("an event serialises to memory"))
}
