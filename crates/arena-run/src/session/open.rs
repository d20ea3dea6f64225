//! Opening a session: which bots play, which games are in the journal, and which are missing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use arena_core::event::{KnownNames, Tournament};
use arena_core::rules::Variant;
use arena_core::schedule::{Policy, Scheduler};
use arena_core::text::{counted, shown};
use arena_guard::SandboxMode;
use arena_play::program::{game_of, try_out as try_rules};
use arena_play::roster::{FoundBot, Roster};
use arena_show::observer::{Observer, RunEvent};
use arena_store::journal::{self, Journal, JournalContents, Lock};
use arena_store::report::{RANKING_FILES, TOURNAMENT_FILES, copy_warnings};
use arena_sys::flags::{FRESH, NAME, RESULTS, TRUST};
use arena_sys::machine::OwnKey;
use arena_sys::results_folder::{Durability, ResultsFolder};
use arena_sys::time::now;

use super::budget::ladder_instead;
use super::define::define;
use super::earlier::EarlyCheck;
use super::estimate::BotTimes;
use super::field::SessionBots;
use super::first_check::{Checked, FirstCheck};
use super::messages::{note, warn};
use super::{
    Capacity, Outputs, Runtime, Scratch, SeriesFile, Session, SessionError, SessionResources, SessionSettings,
    TableOptions, closed_folders, fence_in, open_files_max, refused, remember_rules, try_out,
};

/// Random games of a program of rules before the first game of a tournament.
const CHECKED_GAMES: usize = 4;
/// Time for them.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

/// A warning if bots may find out what a program of rules hides, since it runs beside them: some have no sandbox, or theirs
/// `is_weak`.
fn open_secrets(game: &Variant, bots: &[&FoundBot], is_weak: bool) -> Option<String> {
    let is_open = is_weak || bots.iter().any(|bot| bot.launch.sandbox == SandboxMode::Off);
    let hides = game.rules.is_external() && !game.rules.open_information;
    (hides && is_open).then(|| {
        format!("without a full sandbox a bot may read the memory of the program of {game}, and so what it hides")
    })
}

impl Session {
    /// Opens the tournament: selects those of `bots` that can play, and finds the missing games, as far as the policy made
    /// by `policy` allows. Bots of `roster` keep their games, whether they play or not.
    ///
    /// Returns `None` if a signal came while the bots were checked.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError`] if fewer than two bots can play, the folder is in use or cannot be written to, its journal
    /// is damaged, or the requested sandbox is not available.
    pub fn open<P: Policy>(
        settings: SessionSettings,
        bots: Vec<FoundBot>,
        roster: &Roster,
        policy: impl Fn() -> P,
        observer: &mut dyn Observer,
    ) -> Result<Option<(Self, P)>, SessionError> {
        let mut opening = Opening::begin(settings, bots, observer)?;
        let Some(early) = opening.check_new_versions()? else { return Ok(None) };
        let refused = opening.settle_field(roster)?;
        let (mut scheduler, mut chosen) = opening.schedule(&policy)?;
        let is_complete = !scheduler.is_open() && scheduler.missing().next().is_none();
        // Not earlier: the steps before may take long, and a signal that ends the process in them loses nothing.
        let (mut runtime, scratch, before) = early.begun()?;
        if !is_complete {
            opening.check_rules()?;
            opening.try_sandbox(&scheduler, &scratch, refused)?;
        }
        opening.note_remarks();
        let mut times = BTreeMap::new();
        if opening.settings.check && !is_complete {
            let Some(checked) = opening.check_bots(&scheduler, &scratch, before, &mut runtime)? else {
                return Ok(None);
            };
            times = checked;
        }
        if !is_complete && opening.leave_out() {
            (scheduler, chosen) = opening.schedule(&policy)?;
            scheduler.set_aside(opening.field.away.iter().copied());
        }
        if opening.becomes_ladder(&times)? {
            (scheduler, chosen) = opening.schedule(&policy)?;
        }
        let session = opening.store(scheduler, runtime, scratch, times)?;
        Ok(Some((session, chosen)))
    }
}

/// A session being opened: what its steps have found out so far.
struct Opening<'a> {
    settings: SessionSettings,
    observer: &'a mut dyn Observer,
    folder: ResultsFolder,
    outputs: Outputs,
    /// The lock alone if an old journal is yet to be moved aside.
    journal: Result<Journal, Lock>,
    contents: JournalContents,
    event: Tournament,
    field: SessionBots,
    capacity: Capacity,
}

impl<'a> Opening<'a> {
    /// Defines the tournament, and opens its folder and journal.
    fn begin(
        settings: SessionSettings,
        bots: Vec<FoundBot>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, SessionError> {
        let there = settings.place().open_if_there().with_context(|| opening(&settings))?;
        check_folder(there.as_ref(), settings.fresh)?;
        let outputs = there.as_ref().map(Outputs::read).transpose()?.unwrap_or_default();
        let (event, remark) = define(&settings)?;
        if let Some(remark) = remark {
            note(observer, remark);
        }
        let field = SessionBots::new(&settings, bots);
        if settings.fresh || !there.as_ref().is_some_and(|folder| folder.has(journal::FILE_NAME)) {
            field.check_new(&settings)?;
        }
        let capacity = capacity(&settings, field.seated.len(), observer);
        // An old journal is moved aside only when nothing can fail any more.
        let folder = there.map_or_else(|| settings.create_folder(), Ok)?;
        let (journal, contents) = open_journal(&folder, settings.fresh, observer)?;
        if settings.only_own && journal.is_ok() {
            refuse_strange(&folder)?;
        }
        let outputs = remember(outputs, &folder, &settings)?;
        Ok(Self { settings, observer, folder, outputs, journal, contents, event, field, capacity })
    }

    /// Checks versions of bots that are not kept yet; `None` if a signal came.
    fn check_new_versions(&mut self) -> Result<Option<EarlyCheck>, SessionError> {
        let hidden = [self.settings.bots.as_path(), &self.settings.results];
        fence_in(&mut self.field.seated, self.event.clock.charge, &hidden);
        EarlyCheck::run(&mut self.field, &self.event, &self.settings, &self.folder, self.capacity, self.observer)
    }

    /// Determines who plays. Returns what bots ask for and do not get.
    fn settle_field(&mut self, roster: &Roster) -> Result<Vec<String>, SessionError> {
        self.event.dropped = self.field.settle(&self.contents, &self.event, &self.settings, roster, self.observer)?;
        let refused = refused(&self.field.seated);
        warn(self.observer, &refused);
        if let Some(last) = &self.contents.event {
            self.event.warnings.clone_from(&last.warnings);
        }
        Ok(refused)
    }

    /// The schedule of the bots that play, as far as a new policy allows.
    fn schedule<P: Policy>(&mut self, policy: &impl Fn() -> P) -> Result<(Scheduler, P), SessionError> {
        (self.event.bots, self.event.earlier) = (self.field.entries(), self.field.earlier());
        let (event, JournalContents { games, rounds, .. }) = (Arc::new(self.event.clone()), &self.contents);
        let mut policy = policy();
        let scheduler = Scheduler::new(event, games, rounds, &mut policy)?;
        Ok((scheduler, policy))
    }

    /// Tries whether results can be written, and what the sandbox of these bots can do.
    fn try_sandbox(
        &mut self,
        scheduler: &Scheduler,
        scratch: &Scratch,
        refused: Vec<String>,
    ) -> Result<(), SessionError> {
        try_writing(&self.folder)?;
        for bot in &self.field.left_out {
            self.observer.observe(&RunEvent::LeftOut { bot: bot.clone(), log: None });
        }
        let bots = self.field.present(scheduler);
        let mut weak = try_out(&bots, scratch)?;
        weak.extend(open_secrets(&self.settings.game, &bots, !weak.is_empty()));
        warn(self.observer, &closed_folders(&bots));
        warn(self.observer, &weak);
        self.event.warnings = [weak, refused].concat();
        Ok(())
    }

    /// Adds remarks on the bots to the warnings, once.
    fn note_remarks(&mut self) {
        self.field.remarks.retain(|remark| !self.event.warnings.contains(remark));
        self.event.warnings.append(&mut self.field.remarks);
    }

    /// Random games with the program that is the rules, if they are one: does it say the same again?
    fn check_rules(&self) -> Result<(), SessionError> {
        let Some(game) = game_of(&self.settings.game) else { return Ok(()) };
        try_rules(game, &self.settings.game.params, CHECKED_GAMES, CHECK_LIMIT).map_err(anyhow::Error::from)?;
        Ok(())
    }

    /// The check before the first game. Returns how fast each bot is; `None` if a signal came.
    fn check_bots(
        &mut self,
        scheduler: &Scheduler,
        scratch: &Scratch,
        before: Checked,
        runtime: &mut Runtime,
    ) -> Result<Option<BTreeMap<String, BotTimes>>, SessionError> {
        let needed = self.field.needed(scheduler);
        let check = FirstCheck::new(&self.settings, &self.folder, self.capacity.games, scratch, runtime);
        let Some(checked) = check.run(&needed, before, runtime, self.observer)? else { return Ok(None) };
        self.field.leave_out(checked.left_out(), checked.sitting_out, &self.settings)?;
        Ok(Some(checked.times))
    }

    /// Takes the bots that cannot play out of the event; returns whether there are any.
    fn leave_out(&mut self) -> bool {
        let any = self.field.seated.len() < self.event.bots.len() || !self.field.left_out.is_empty();
        self.event.left_out.append(&mut self.field.left_out);
        any
    }

    /// Whether a new tournament becomes a ladder, because its time is too short for the format that was meant.
    fn becomes_ladder(&mut self, times: &BTreeMap<String, BotTimes>) -> Result<bool, SessionError> {
        if self.contents.event.is_some() {
            return Ok(false);
        }
        let known = |name: &str| times.get(name).copied();
        let Some(text) = ladder_instead(&mut self.settings, &self.event, known, self.capacity.games, now()) else {
            return Ok(false);
        };
        note(self.observer, text);
        let (ladder, _) = define(&self.settings)?;
        let left_out = std::mem::take(&mut self.event.left_out);
        let warnings = std::mem::take(&mut self.event.warnings);
        self.event = Tournament { left_out, warnings, ..ladder };
        Ok(true)
    }

    /// Stores the definition, after which the tournament has begun.
    fn store(
        self,
        mut scheduler: Scheduler,
        runtime: Runtime,
        scratch: Scratch,
        times: BTreeMap<String, BotTimes>,
    ) -> Result<Session, SessionError> {
        let Self { mut settings, observer, folder, outputs, journal, contents, event, field, capacity } = self;
        scheduler.set_warnings(&event.warnings);
        let mut journal = journal.or_else(|lock| start_fresh(&folder, lock, observer))?;
        settings.tables = keep_tables(outputs, &folder, &settings)?;
        remember_rules(&folder, &settings.game);
        if settings.only_own
            && let Err(why) = OwnKey::of_user().and_then(|key| journal.mark_with(key))
        {
            note(
                observer,
                format!("a later run cannot tell that these games were played here, and counts none: {why:#}"),
            );
        }
        if let Some(signer) = &settings.signer {
            journal.sign_with(Arc::clone(signer))?;
            let key = signer.public();
            note(observer, format!("the journal is signed by {key}; to check it: arena verify {TRUST} {key}"));
        }
        if contents.event.as_ref() != Some(&event) {
            journal.append_event(&event)?;
        }
        note_others(&scheduler, &folder, observer);
        note_names(&event, &contents.known, observer);
        let resources = SessionResources { capacity, runtime, scratch };
        Session::ready(settings, field, journal, scheduler, resources, times, contents.stop)
    }
}

/// Fails if the folder is that of a series, whose tournaments have their own, or has tables without a journal, which would
/// be lost.
pub(super) fn check_folder(folder: Option<&ResultsFolder>, is_fresh: bool) -> anyhow::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let path = folder.path().display();
    if SeriesFile::is_in(folder) {
        bail!("{path} is a series; {NAME} NAME gives the tournament another folder");
    }
    let table = RANKING_FILES.into_iter().chain(TOURNAMENT_FILES).find(|table| folder.has(table));
    if let Some(table) = table.filter(|_| !is_fresh && !folder.has(journal::FILE_NAME)) {
        bail!(
            "{path} has `{table}` and no journal, so its tables cannot be made again; {NAME} NAME gives the tournament another \
             folder, {FRESH} replaces them"
        );
    }
    Ok(())
}

/// Fails if the journal in the folder has lines that this arena has not written on this machine.
fn refuse_strange(folder: &ResultsFolder) -> anyhow::Result<()> {
    let has_lines = folder.read(journal::FILE_NAME).and_then(|file| file.metadata()).is_ok_and(|file| file.len() > 0);
    if !has_lines {
        return Ok(());
    }
    let path = folder.path().display();
    let cure = format!("{FRESH} plays it again");
    let key = OwnKey::of_user().with_context(|| format!("whether {path} was made here is not known; {cure}"))?;
    let strange = journal::strange_lines(folder, &key)?;
    if strange > 0 {
        let lines = counted(strange, "line");
        bail!("{path} was not made here: its journal has {lines} that this machine has not recorded; {cure}");
    }
    Ok(())
}

/// What the tables have. A tournament that starts over has only what it is asked for now.
fn keep_tables(
    mut outputs: Outputs,
    folder: &ResultsFolder,
    settings: &SessionSettings,
) -> anyhow::Result<TableOptions> {
    let before = if settings.fresh { TableOptions::default() } else { outputs.tables };
    outputs.tables = settings.tables.clone().over(&before);
    outputs.write(folder)?;
    Ok(outputs.tables)
}

/// Remembers the files that the settings name to be written, before the first of them has anything in it.
pub(super) fn remember(
    outputs: Outputs,
    folder: &ResultsFolder,
    settings: &SessionSettings,
) -> anyhow::Result<Outputs> {
    let files = settings.outputs.iter().map(|(option, path)| (*option, path.as_path()));
    let outputs = outputs.with_files(folder, files);
    outputs.write(folder)?;
    Ok(outputs)
}

/// What fails if the folder of the tournament is there and cannot be opened.
pub(super) fn opening(settings: &SessionSettings) -> String {
    format!("opening folder {}; choose another one with {RESULTS} DIR", settings.dir().display())
}

/// Opens the journal in `folder`. If `is_fresh`, an old one is neither read nor changed yet: only the folder is locked.
pub(super) fn open_journal(
    folder: &ResultsFolder,
    is_fresh: bool,
    observer: &mut dyn Observer,
) -> anyhow::Result<(Result<Journal, Lock>, JournalContents)> {
    if is_fresh {
        return Ok((Err(Lock::take(folder)?), JournalContents::default()));
    }
    let (journal, contents) = Journal::open(folder)?;
    note_contents(&contents, folder, observer);
    Ok((Ok(journal), contents))
}

/// What can run at once; says so if it is less than was asked for.
pub(super) fn capacity(settings: &SessionSettings, bots: usize, observer: &mut dyn Observer) -> Capacity {
    let (wanted, open_files) = (settings.concurrency, open_files_max());
    let capacity = Capacity::of(open_files.saturating_sub(settings.spare_files), wanted, bots);
    if capacity.games < wanted {
        let games = capacity.games;
        let why = format!("the limit of open files is {open_files} (ulimit -n)");
        note(observer, format!("playing {games} at a time instead of {wanted}: {why}"));
    }
    capacity
}

/// Reports harmless oddities of a journal.
fn note_contents(contents: &JournalContents, folder: &ResultsFolder, observer: &mut dyn Observer) {
    if contents.torn_bytes > 0 {
        let bytes = contents.torn_bytes;
        note(observer, format!("the last line of the journal was torn ({bytes} bytes) and was cut off"));
    }
    if !contents.twice.is_empty() {
        note(observer, format!("{}: {}", folder.path_of(journal::FILE_NAME).display(), contents.twice));
    }
}

pub(super) fn start_fresh(folder: &ResultsFolder, lock: Lock, observer: &mut dyn Observer) -> anyhow::Result<Journal> {
    let (journal, old) = Journal::open_afresh(folder, lock)?;
    if let Some(old) = old {
        note(observer, format!("the old journal is now {}", old.display()));
    }
    Ok(journal)
}

/// Writes a file in the way of tables, so that nothing is played for a folder that cannot take results. This also makes the
/// name of a new journal durable, since both are in one folder.
pub(super) fn try_writing(folder: &ResultsFolder) -> anyhow::Result<()> {
    /// At least one block of a disk.
    const BYTES: usize = 4096;
    const PROBE: &str = ".probe";
    folder
        .replace(PROBE, Durability::Synced, |out| Ok(out.write_all(&[b'\n'; BYTES])?))
        .and_then(|()| folder.remove(PROBE).with_context(|| format!("removing {}", folder.path_of(PROBE).display())))
        .with_context(|| {
            format!(
                "cannot write results to {}, so nothing was played; choose another folder with {RESULTS} DIR",
                folder.path().display()
            )
        })
}

/// Reports games of other settings or bots: they stay in the journal, but the tables leave them out.
fn note_others(scheduler: &Scheduler, folder: &ResultsFolder, observer: &mut dyn Observer) {
    let others = scheduler.others();
    if others > 0 && !scheduler.awaits_known_games() {
        let rules = if scheduler.event().program.is_some() { "rules, " } else { "" };
        let text = format!(
            "{} in {} of other {rules}settings, rounds or bots: kept in the journal, left out of the tables ({NAME} keeps \
             tournaments apart)",
            counted(others, "game"),
            folder.path().display()
        );
        note(observer, text);
    }
}

/// Reports bots that are copies of each other, and names that take over the games of another.
fn note_names(event: &Tournament, known: &KnownNames, observer: &mut dyn Observer) {
    warn(observer, &copy_warnings(event));
    for bot in &event.bots {
        if let Some(former) = known.former_name(&bot.id) {
            let (name, former) = (&bot.id.name, shown(former));
            note(observer, format!("{name} has the same files as {former}, which is gone, and takes over its games"));
        }
    }
}
