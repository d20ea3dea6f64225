//! Opening a shard: the part of a tournament that this machine plays, with a journal of its own.
//!
//! What is played follows from the tournament's folder, if it has a journal: one that was [planned](Session::plan) or
//! merged. Otherwise it follows from the settings and the bots, so these must be alike on all machines. The games of the
//! journal of the folder are known here, so that a shard that plays again what is missing withdraws bots as they are
//! withdrawn in the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use arena_core::event::{Round, Shard, Tournament};
use arena_core::schedule::{Brief, Scheduler};
use arena_core::text::{counted, shell_word};
use arena_play::roster::{FoundBot, Roster};
use arena_show::observer::{Observer, RunEvent};
use arena_store::journal::{self, FILE_NAME, JournalContents};
use arena_sys::flags::{PLAN, ROUND, SEED, SHARD};
use arena_sys::results_folder::ResultsFolder;

use super::define::define;
use super::earlier::EarlyCheck;
use super::field::SessionBots;
use super::first_check::FirstCheck;
use super::messages::{note, warn};
use super::open::{capacity, check_folder, open_journal, opening, remember, start_fresh, try_writing};
use super::recorded_event::RecordedEvent;
use super::{
    AskedContest, Outputs, Session, SessionError, SessionResources, SessionSettings, closed_folders, fence_in, refused,
    try_out,
};

/// The folder of shards in that of their tournament.
pub const SHARDS_FOLDER: &str = "shards";

/// The part of a tournament that is played here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardPart {
    /// Which shard.
    pub shard: Shard,
    /// The round, that is the number of the decision, of a stepwise format.
    pub round: Option<u32>,
}

/// How many games of a shard are played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareCounts {
    /// Games of the shard.
    pub games: u32,
    /// Those that need not be played any more.
    pub settled: u32,
}

impl Session {
    /// Opens the part of a tournament that this machine plays. Its folder is `shards/INDEX-of-COUNT` in that of the
    /// tournament. A bot that cannot play here keeps its games: they stay missing.
    ///
    /// Returns `None` if a signal came while the bots were checked.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError`] if nothing says which games the other shards play, if bots or settings are not those of the
    /// plan, or if the round is not decided yet; and as [`Session::open`].
    pub fn open_shard(
        mut settings: SessionSettings,
        share: ShardPart,
        bots: Vec<FoundBot>,
        roster: &Roster,
        observer: &mut dyn Observer,
    ) -> Result<Option<Self>, SessionError> {
        // Only the shard begins anew, never its tournament.
        let is_fresh = std::mem::take(&mut settings.fresh);
        let dir = settings.dir();
        let there = settings.place().open_if_there().with_context(|| opening(&settings))?;
        check_folder(there.as_ref(), is_fresh)?;
        let planned = planned(there.as_ref())?;
        if planned.event.is_none() && settings.seed.is_none() {
            return Err(anyhow!(
                "{SHARD}: nothing says which games the other shards play; give all of them the same {SEED} N, or prepare the \
                 tournament once with the same flags and {PLAN}"
            )
            .into());
        }
        if let Some(own) = there.as_ref().and_then(|there| shard_folder(there, share.shard).ok()).filter(|_| !is_fresh)
        {
            AskedContest::all_of(&settings).recorded_in(&own)?;
        }
        let (mut event, remark) = define(&settings)?;
        if let Some(remark) = remark {
            note(observer, remark);
        }
        let mut field = SessionBots::new(&settings, bots);
        let capacity = capacity(&settings, field.seated.len(), observer);

        let own = create_shard_folder(&there.map_or_else(|| settings.create_folder(), Ok)?, share.shard)?;
        let (journal, contents) = open_journal(&own, is_fresh, observer)?;
        let mut outputs = remember(Outputs::read(&own)?, &own, &settings)?;
        // The tables are made when shards are merged.
        outputs.tables = std::mem::take(&mut settings.tables).over(&outputs.tables);
        outputs.write(&own)?;
        fence_in(&mut field.seated, event.clock.charge, &[&settings.bots, &settings.results]);
        let early = EarlyCheck::run(&mut field, &event, &settings, &own, capacity, observer)?;
        let Some(early) = early else { return Ok(None) };
        let plan = RecordedEvent::planned(&planned)?;
        field.settle_part(plan.as_ref(), &contents.known, &event, &settings, roster, observer)?;
        event = match plan {
            Some(plan) => plan.event().clone(),
            None => Tournament { bots: field.entries(), earlier: field.earlier(), ..event },
        };

        // Its own games override the same ones of the merged journal, since they are here.
        let elsewhere = planned.games.iter().map(|brief| brief.elsewhere());
        let games: Vec<Brief> = elsewhere.chain(contents.games.iter().copied()).collect();
        let rounds: Vec<Round> = planned.rounds.iter().chain(&contents.rounds).cloned().collect();
        let mut scheduler = Scheduler::new(Arc::new(event.clone()), &games, &rounds, &mut ())?;
        let decided = decided(&mut scheduler, share, &dir)?;
        scheduler.keep_to(share.shard, share.round);
        let is_complete = scheduler.missing().next().is_none();

        let (mut runtime, scratch, before) = early.begun()?;
        let mut times = BTreeMap::new();
        if !is_complete {
            try_writing(&own)?;
            for bot in &field.left_out {
                observer.observe(&RunEvent::LeftOut { bot: bot.clone(), log: None });
            }
            let present = field.present(&scheduler);
            warn(observer, &refused(present.iter().copied()));
            warn(observer, &try_out(&present, &scratch)?);
            warn(observer, &closed_folders(&present));
            if settings.check {
                let needed = field.needed(&scheduler);
                let check = FirstCheck::new(&settings, &own, capacity.games, &scratch, &runtime);
                let Some(checked) = check.run(&needed, before, &mut runtime, observer)? else { return Ok(None) };
                field.leave_out(checked.left_out(), checked.sitting_out, &settings)?;
                times = checked.times;
            }
            scheduler.set_aside(field.away.iter().copied());
        }

        let mut journal = journal.or_else(|lock| start_fresh(&own, lock, observer))?;
        if !contents.event.as_ref().is_some_and(|known| known.is_same(&event)) {
            journal.append_event(&event)?;
        }
        let known = planned.rounds.iter().filter(|round| share.round.is_some_and(|last| round.n <= last));
        for round in known.chain(&decided).filter(|round| !contents.rounds.contains(round)) {
            journal.append_round(round)?;
        }
        let resources = SessionResources { capacity, runtime, scratch };
        Self::ready(settings, field, journal, scheduler, resources, times, contents.stop).map(Some)
    }

    /// Makes the decisions of a stepwise format that are due, so that its next round can be played in parts.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be written.
    pub fn plan(&mut self) -> Result<(), SessionError> {
        while let Some(round) = self.scheduler.decide(&mut ()) {
            self.journal.append_round(&round)?;
        }
        Ok(self.journal.sync()?)
    }

    /// How many games of the part are played, if this is one.
    #[must_use]
    pub fn share_counts(&self) -> ShareCounts {
        let mut counts = ShareCounts::default();
        for place in self.scheduler.own_places() {
            counts.games += 1;
            counts.settled += u32::from(self.scheduler.at(place).is_some_and(|brief| brief.is_settled()));
        }
        counts
    }
}

/// The path of the folder of a shard.
#[must_use]
pub fn shard_dir(tournament: &Path, shard: Shard) -> PathBuf {
    tournament.join(SHARDS_FOLDER).join(shard.folder())
}

/// Opens the folder of a shard in that of its tournament.
pub(super) fn shard_folder(tournament: &ResultsFolder, shard: Shard) -> std::io::Result<ResultsFolder> {
    tournament.subfolder(SHARDS_FOLDER)?.subfolder(shard.folder())
}

/// As [`shard_folder`], and creates it first if it is not there.
fn create_shard_folder(tournament: &ResultsFolder, shard: Shard) -> anyhow::Result<ResultsFolder> {
    let folder = tournament.make_subfolder(SHARDS_FOLDER).and_then(|shards| shards.make_subfolder(shard.folder()));
    folder.with_context(|| format!("creating folder {}", shard_dir(tournament.path(), shard).display()))
}

/// The journal of the tournament's folder; empty if there is none.
fn planned(folder: Option<&ResultsFolder>) -> anyhow::Result<JournalContents> {
    let folder = folder.filter(|folder| folder.has(FILE_NAME));
    folder.map_or_else(|| Ok(JournalContents::default()), |folder| Ok(journal::read(folder)?.1))
}

/// Fails unless the part can be played now. Returns the decision that was made for it, if it is the first one.
fn decided(scheduler: &mut Scheduler, share: ShardPart, dir: &Path) -> anyhow::Result<Option<Round>> {
    let format = scheduler.event().format.clone();
    let merge = format!("`arena merge {}`", shell_word(&dir.to_string_lossy()));
    let Some(number) = share.round else {
        if scheduler.is_stepwise() {
            bail!(
                "{SHARD}: a {format} decides each round from the results before it, so its rounds are played one by one: {ROUND} \
                 1 plays the first one, and {merge} decides the next"
            );
        }
        return Ok(None);
    };
    if !scheduler.is_stepwise() {
        bail!("{ROUND}: a {format} has all its games from the beginning; leave it out to play those of the shard");
    }
    let first = if scheduler.decisions() == 0 { scheduler.decide(&mut ()) } else { None };
    let rounds = scheduler.decisions() - u32::from(scheduler.over().is_some());
    if number > rounds {
        let known = counted(rounds as usize, "round");
        if scheduler.over().is_some() {
            bail!("{ROUND} {number}: the {format} is over after {known}");
        }
        bail!(
            "{ROUND} {number}: {known} of the {format} decided; once all games of round {rounds} are played, {merge} decides the next"
        );
    }
    Ok(first)
}
