//! The bots of a session: who plays, and who cannot.

use std::collections::{BTreeSet, HashMap};

use arena_core::event::{Dropped, EarlierVersion, Entry, KnownNames, LeftOut, Tournament};
use arena_core::format::flags::DROP;
use arena_core::record::BotId;
use arena_core::rules::Variant;
use arena_core::schedule::Scheduler;
use arena_core::text::shown;
use arena_play::roster::{FoundBot, Roster};
use arena_show::observer::{Observer, RunEvent};
use arena_store::journal::JournalContents;
use arena_sys::flags::{NAME, PLAN};

use super::recorded_event::{RecordedBots, RecordedEvent};
use super::{SessionError, SessionSettings};

/// The bots of a session.
pub(super) struct SessionBots {
    /// Those of the tournament, in its order.
    pub(super) seated: Vec<FoundBot>,
    /// Bots that work but play other games, each with the reason if there is one beside that.
    pub(super) sitting_out: Vec<String>,
    /// Bots that cannot play this time.
    pub(super) left_out: Vec<LeftOut>,
    /// Indices of those of them that keep their places.
    pub(super) away: BTreeSet<usize>,
    /// What tables should say about the bots.
    pub(super) remarks: Vec<String>,
    /// Identities by name.
    ids: HashMap<String, BotId>,
    keeps_places: bool,
    /// Whether only a part of the games is played here.
    is_part: bool,
}

impl SessionBots {
    /// The bots that play this game.
    pub(super) fn new(settings: &SessionSettings, bots: Vec<FoundBot>) -> Self {
        let (mut seated, mut sitting_out) = (Vec::new(), Vec::new());
        for bot in bots {
            match bot.other_games(&settings.game) {
                None => seated.push(bot),
                Some(other) => sitting_out.push(other),
            }
        }
        Self {
            seated,
            sitting_out,
            left_out: Vec::new(),
            away: BTreeSet::new(),
            remarks: Vec::new(),
            ids: HashMap::new(),
            keeps_places: false,
            is_part: false,
        }
    }

    /// Fails if these bots and flags make no tournament that has not begun.
    pub(super) fn check_new(&self, settings: &SessionSettings) -> Result<(), SessionError> {
        if let Some(name) = settings.drop.first() {
            return Err(SessionError::NothingToDrop(shown(name)));
        }
        self.check(settings)
    }

    /// Determines who plays, and who is taken out: those found, or those that had begun. Identities are determined before any
    /// bot is left out, so that one that does not play this time keeps its games.
    pub(super) fn settle(
        &mut self,
        contents: &JournalContents,
        event: &Tournament,
        settings: &SessionSettings,
        roster: &Roster,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Dropped>, SessionError> {
        let Some(begun) = RecordedEvent::of(contents) else {
            self.check_new(settings)?;
            self.identify(&contents.known, roster, &settings.recorded_ids);
            return Ok(Vec::new());
        };
        self.take_places(&begun, event, settings, observer)
    }

    /// Seats the bots of a part of a tournament: those of its plan, or without one all that are there.
    pub(super) fn settle_part(
        &mut self,
        plan: Option<&RecordedEvent>,
        known: &KnownNames,
        event: &Tournament,
        settings: &SessionSettings,
        roster: &Roster,
        observer: &mut dyn Observer,
    ) -> Result<(), SessionError> {
        (self.keeps_places, self.is_part) = (true, true);
        let Some(plan) = plan else {
            self.check_new(settings)?;
            self.identify(known, roster, &settings.recorded_ids);
            return Ok(());
        };
        self.take_places(plan, event, settings, observer).map(drop)
    }

    /// Seats the bots with which the tournament has begun; returns those taken out.
    fn take_places(
        &mut self,
        begun: &RecordedEvent,
        event: &Tournament,
        settings: &SessionSettings,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Dropped>, SessionError> {
        begun.check(event, &settings.dir())?;
        let RecordedBots { bots, absent, dropped, late } = begun.seat(std::mem::take(&mut self.seated), settings)?;
        if !late.is_empty() {
            let names: Vec<String> = late.iter().map(|name| shown(name)).collect();
            let (names, format, happened) = (names.join(", "), &event.format, begun.happened());
            let text = format!("not seated, since the {format} {happened}: {names} ({NAME} NAME begins another)");
            self.remarks.push(text.clone());
            observer.observe(&RunEvent::Note { text });
        }
        self.ids = begun.event().bots.iter().map(|entry| (entry.id.name.clone(), entry.id.clone())).collect();
        (self.seated, self.keeps_places) = (bots, true);
        for name in absent {
            self.set_aside(LeftOut::unable(name, format!("it is not in {}", settings.bots.display())));
        }
        Ok(dropped)
    }

    fn identify(&mut self, known: &KnownNames, roster: &Roster, recorded: &[BotId]) {
        let id =
            |bot: &FoundBot| BotId { name: bot.launch.name.clone(), fingerprint: bot.fingerprint.clone(), twin: false };
        let mut ids: Vec<BotId> = self.seated.iter().map(id).collect();
        known.mark_twins(&mut ids, |name| roster.has(name) || self.seated.iter().any(|bot| bot.launch.name == name));
        for id in &mut ids {
            let is_it = |other: &&BotId| other.name == id.name && other.fingerprint == id.fingerprint;
            id.twin = recorded.iter().find(is_it).map_or(id.twin, |recorded| recorded.twin);
        }
        self.ids = ids.into_iter().map(|id| (id.name.clone(), id)).collect();
    }

    /// The bots of the tournament as its definition has them.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |bot: &FoundBot| Entry {
            id: self.ids[&bot.launch.name].clone(),
            command: bot.command.clone(),
            speaks: bot.launch.speech(),
            tags: bot.tags.clone(),
            made_of: bot.made_of().map(Box::new),
        };
        self.seated.iter().map(entry).collect()
    }

    /// Those of its bots that play in an earlier version.
    pub(super) fn earlier(&self) -> Vec<EarlierVersion> {
        let plays = |(bot, _): &(usize, &FoundBot)| !self.away.contains(bot);
        let playing = self.seated.iter().enumerate().filter(plays);
        playing.filter_map(|(_, found)| found.earlier.clone()).collect()
    }

    /// The bots that can be started as processes. Withdrawn ones are not.
    pub(super) fn present(&self, scheduler: &Scheduler) -> Vec<&FoundBot> {
        let plays = |bot: usize| !self.away.contains(&bot) && scheduler.withdrawal(bot).is_none();
        let startable = |(bot, found): &(usize, &FoundBot)| plays(*bot) && !found.is_in_process();
        self.seated.iter().enumerate().filter(startable).map(|(_, found)| found).collect()
    }

    /// Those of them that have games to play.
    pub(super) fn needed(&self, scheduler: &Scheduler) -> Vec<&FoundBot> {
        let mut needed = self.present(scheduler);
        if !scheduler.is_open() {
            let playing = scheduler.missing().flat_map(|game| game.bots);
            let playing: BTreeSet<&str> = playing.map(|bot| self.seated[bot].launch.name.as_str()).collect();
            needed.retain(|bot| playing.contains(bot.launch.name.as_str()));
        }
        needed
    }

    /// Leaves out bots that failed the check or declined the game, and those that turned out to play other games.
    pub(super) fn leave_out(
        &mut self,
        left_out: Vec<LeftOut>,
        sitting_out: Vec<String>,
        settings: &SessionSettings,
    ) -> Result<(), SessionError> {
        if self.keeps_places {
            for bot in left_out {
                self.set_aside(bot);
            }
            for name in sitting_out {
                self.set_aside(LeftOut::unable(name, "it does not play this game"));
            }
            return Ok(());
        }
        let gone: BTreeSet<&String> = left_out.iter().map(|bot| &bot.name).chain(&sitting_out).collect();
        self.seated.retain(|bot| !gone.contains(&bot.launch.name));
        self.sitting_out.extend(sitting_out);
        self.left_out.extend(left_out);
        self.check(settings)
    }

    /// Leaves out a bot that keeps its place.
    fn set_aside(&mut self, mut bot: LeftOut) {
        let waits = match (self.is_part, bot.declined) {
            (true, false) => "; its games of this shard wait for it".to_owned(),
            (true, true) => format!("; its games of this shard wait for it, a plan made with {PLAN} has none"),
            (false, _) => format!("; its games wait for it, {DROP} {} goes on without it", shown(&bot.name)),
        };
        bot.cause.push_str(&waits);
        self.away.extend(self.seated.iter().position(|seated| seated.launch.name == bot.name));
        self.left_out.push(bot);
    }

    /// Fails if there are fewer than two bots, or the format rejects them.
    fn check(&self, settings: &SessionSettings) -> Result<(), SessionError> {
        let seated: Vec<&str> = self.seated.iter().map(|bot| bot.launch.name.as_str()).collect();
        let declined = self.left_out.iter().filter(|bot| bot.declined).map(|bot| bot.name.as_str());
        let others: Vec<&str> = self.sitting_out.iter().map(String::as_str).chain(declined).collect();
        check_two_bots(&settings.game, &seated, &others)?;
        let mut names = BTreeSet::new();
        if let Some(twice) = seated.iter().find(|name| !names.insert(name.to_ascii_lowercase())) {
            return Err(SessionError::SameName((*twice).to_owned()));
        }
        Ok((settings.format.seats)(&settings.format_options, &seated)?)
    }
}

/// Fails unless at least two bots play the game; `others` are bots for other games.
///
/// # Errors
///
/// Returns [`SessionError::TooFewBots`].
pub fn check_two_bots(game: &Variant, playing: &[&str], others: &[&str]) -> Result<(), SessionError> {
    if playing.len() >= 2 {
        return Ok(());
    }
    Err(SessionError::TooFewBots {
        game: game.to_string(),
        only: playing.first().map(|name| (*name).to_owned()),
        others: others.iter().map(|name| (*name).to_owned()).collect(),
    })
}
