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
use crate::catalogue::Catalogue;
use crate::event::{Entry, Event, Extra, GAMES_MAX, Known, ScheduledGame};
use crate::format::Format;
use crate::journal::{Contents, Journal, Lock, Reader, Twice};
use crate::record::BotId;
use crate::report::{Durability, Results, copy_warnings, replace};
use crate::roster::{Found, Roster};
use crate::stats::AnalysisOptions;
use crate::strikes::Strikes;
use crate::text::{counted, shown};
use crate::tournament::Signals;

/// Everything that is needed to play the games that are missing.
pub(super) struct Arranged {
    pub(super) event: Arc<Event>,
    /// What [`written`] gives for the event that is in force in the journal.
    recorded: Option<blake3::Hash>,
    pub(super) format: &'static Format,
    /// The bots of the event, in its order.
    pub(super) seated: Vec<Found>,
    /// Names of bots that work but play other games.
    pub(super) sitting_out: Vec<String>,
    pub(super) journal: Journal,
    pub(super) reader: Reader,
    /// The schedule, the games of the journal, and then those that are played.
    pub(super) catalogue: Catalogue,
    /// What those games say of failed starts.
    pub(super) strikes: Strikes,
    pub(super) dir: PathBuf,
    pub(super) concurrency: usize,
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) signals: Signals,
    pub(super) scratch: Scratch,
}

/// Seats those of `bots` that can play, and finds out what is missing. `event` has no bots yet, and is not written into
/// the journal: that is for [`Arranged::record_event`]. What `roster` has keeps its games, whether it plays or not.
///
/// Returns nothing if a signal came while the bots were checked.
pub(super) fn arrange(
    args: &EventArgs,
    mut event: Event,
    format: &'static Format,
    bots: Vec<Found>,
    roster: &Roster,
) -> anyhow::Result<Option<Arranged>> {
    let wanted = concurrency(args)?;
    let dir = args.results.join(&event.name);
    let (mut seated, others): (Vec<Found>, Vec<Found>) = bots.into_iter().partition(|bot| bot.plays(&args.game));
    let mut sitting_out: Vec<String> = others.into_iter().map(|bot| bot.launch.name).collect();
    enough(&seated, &sitting_out, args)?;
    let concurrency = descriptors::enough_for(wanted, seated.len());

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
    let (recorded, strikes) = (contents.event, contents.strikes);
    let schedule = seat(&mut event, &seated, &ids, format, recorded.as_ref())?;
    let mut catalogue = Catalogue::new(&event, schedule, &contents.games);
    drop(contents.games);
    // Not before: nothing is lost if a signal ends what went before at once, and it may take long.
    let runtime = runtime()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::listen()?
    };
    let scratch = Scratch::create()?;
    let missing = catalogue.missing();
    if !missing.is_empty() {
        try_writing(&dir)?;
        event.warnings = try_out(&seated.iter().collect::<Vec<_>>(), &scratch)?;
        event.warnings.extend(refused);
    }
    if !args.no_check && !missing.is_empty() {
        // Who is withdrawn is not started any more.
        let needed = missing.iter().flat_map(|due| catalogue.schedule()[due.place as usize].bots);
        let needed: BTreeSet<usize> = needed.filter(|bot| strikes.withdrawn(&event.bots[*bot].id).is_none()).collect();
        let needed: Vec<&Found> = needed.into_iter().map(|bot| &seated[bot]).collect();
        let (clock, logs_dir) = (event.clock, dir.join("bots"));
        let check = FirstCheck { args, clock, concurrency, scratch: &scratch, logs_dir, runtime: &runtime };
        let Some(TurnedAway { left_out, sitting_out: others }) = check.run(&needed, &mut signals)? else {
            tell(&format!("stopped while the bots were checked; begin with: {}", same_command()));
            return Ok(None);
        };
        if !left_out.is_empty() || !others.is_empty() {
            let gone: BTreeSet<&str> =
                left_out.iter().map(|bot| &bot.name).chain(&others).map(String::as_str).collect();
            seated.retain(|bot| !gone.contains(bot.launch.name.as_str()));
            sitting_out.extend(others);
            event.left_out.extend(left_out);
            enough(&seated, &sitting_out, args)?;
            let schedule = seat(&mut event, &seated, &ids, format, recorded.as_ref())?;
            catalogue.reschedule(&event, schedule);
        }
    }
    let journal = journal.or_else(|lock| begin_afresh(&dir, lock))?;
    note_others(&catalogue, &dir);
    note_twice(contents.twice, &dir);
    note_names(&event, &contents.known);
    let reader = journal.reader()?;
    Ok(Some(Arranged {
        event: Arc::new(event),
        recorded: recorded.as_ref().map(written),
        format,
        seated,
        sitting_out,
        journal,
        reader,
        catalogue,
        strikes,
        dir,
        concurrency,
        runtime,
        signals,
        scratch,
    }))
}

impl Arranged {
    /// Leaves out the rounds after the first `rounds`: their games stay in the journal and are counted nowhere.
    pub(super) fn cut(&mut self, rounds: u32) -> anyhow::Result<()> {
        if rounds < self.event.rounds {
            let event = Arc::make_mut(&mut self.event);
            event.rounds = rounds;
            // Later ones start no game any more, and there may be thousands.
            event.openings.truncate(rounds.max(1) as usize);
            let kept = self.catalogue.schedule().iter().filter(|game| game.round <= rounds).cloned().collect();
            self.catalogue.reschedule(&self.event, kept);
        }
        self.record_event()
    }

    /// Writes the event into the journal, unless it is the one in force there.
    pub(super) fn record_event(&mut self) -> anyhow::Result<()> {
        let written = written(&self.event);
        if self.recorded != Some(written) {
            self.journal.append_event(&self.event)?;
            self.recorded = Some(written);
        }
        Ok(())
    }

    /// Asks for more rounds of some pairings: what is missing then are their games.
    pub(super) fn extend(&mut self, args: &EventArgs, extra: Vec<Extra>) -> anyhow::Result<()> {
        args.extend(Arc::make_mut(&mut self.event), extra)?;
        self.catalogue.reschedule(&self.event, schedule(&self.event, self.format)?);
        self.record_event()
    }

    /// What its games say so far.
    pub(super) fn results(&self, options: &AnalysisOptions) -> anyhow::Result<Results<'_>> {
        Results::new(&self.event, &self.catalogue, &self.reader, &self.strikes, options)
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

/// Puts the bots into the event and returns the schedule that follows. Rounds that were added to the same event before
/// are added again.
fn seat(
    event: &mut Event,
    seated: &[Found],
    ids: &HashMap<String, BotId>,
    format: &Format,
    recorded: Option<&Event>,
) -> anyhow::Result<Vec<ScheduledGame>> {
    let entry = |bot: &Found| Entry { id: ids[&bot.launch.name].clone(), command: bot.command.clone() };
    event.bots = seated.iter().map(entry).collect();
    if let Some(last) = recorded {
        // Who is left out, and why, changes nothing for those who play.
        let (extra, openings, left_out) = (last.extra.clone(), last.openings.clone(), last.left_out.clone());
        let extended = Event { extra, openings, left_out, ..event.clone() };
        if written(last) == written(&extended) && last.openings.starts_with(&event.openings) {
            *event = Event { left_out: std::mem::take(&mut event.left_out), ..extended };
        }
    }
    schedule(event, format)
}

/// The games of the event, if there are not too many of them.
fn schedule(event: &Event, format: &Format) -> anyhow::Result<Vec<ScheduledGame>> {
    let games = event.games_max();
    if games > GAMES_MAX {
        bail!(
            "{games} games of {} bots are too many, at most {GAMES_MAX} can be played; ask for fewer --rounds",
            event.bots.len()
        );
    }
    Ok(event.schedule(format))
}

/// Says that a journal also holds games of other settings or bots: they stay in it, but the tables leave them out.
fn note_others(catalogue: &Catalogue, dir: &Path) {
    let others = catalogue.others();
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
