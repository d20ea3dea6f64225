//! A tournament whose bots and settings stay as they are, whatever is in the folder now: a knockout or Swiss that has begun,
//! or one that was planned for several machines.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use arena_core::event::{Dropped, Tournament};
use arena_core::format::flags::DROP;
use arena_core::format::flags::FlagKind;
use arena_core::format::{Flag, Format, FormatOptions};
use arena_core::schedule::{ScheduleError, Scheduler};
use arena_core::suggest::UnknownName;
use arena_core::text::{counted, shown};
use arena_play::roster::FoundBot;
use arena_store::journal::JournalContents;
use arena_sys::flags::{FORMAT, FRESH, GAME, MAX_PLIES, NAME, PLAN, SEED, STRIKES};

use super::SessionSettings;

/// The tournament of a journal.
pub(super) struct RecordedEvent {
    event: Arc<Tournament>,
    scheduler: Scheduler,
    /// Whether other machines play it, too.
    is_plan: bool,
}

/// Its bots.
#[derive(Debug)]
pub(super) struct RecordedBots {
    /// By index in the tournament. Those that are not there cannot be started.
    pub(super) bots: Vec<FoundBot>,
    /// Names of those that are not there and may have games to play.
    pub(super) absent: Vec<String>,
    /// Those taken out.
    pub(super) dropped: Vec<Dropped>,
    /// Names of bots that came too late.
    pub(super) late: Vec<String>,
}

impl RecordedEvent {
    /// The tournament of this journal, if it has begun and its format keeps its field.
    pub(super) fn of(contents: &JournalContents) -> Option<Self> {
        let event = contents.event.as_ref().filter(|event| event.keeps_field())?;
        let event = Arc::new(event.clone());
        let scheduler = Scheduler::new(Arc::clone(&event), &contents.games, &contents.rounds, &mut ()).ok()?;
        (scheduler.decisions() > 0).then_some(Self { event, scheduler, is_plan: false })
    }

    /// The tournament that this journal plans for several machines, if it has one.
    ///
    /// # Errors
    ///
    /// Returns [`ScheduleError`] if it has no schedule.
    pub(super) fn planned(contents: &JournalContents) -> Result<Option<Self>, ScheduleError> {
        let Some(event) = &contents.event else { return Ok(None) };
        let event = Arc::new(event.clone());
        let scheduler = Scheduler::new(Arc::clone(&event), &contents.games, &contents.rounds, &mut ())?;
        Ok(Some(Self { event, scheduler, is_plan: true }))
    }

    /// What happened to it, after its name: "the swiss has begun".
    pub(super) const fn happened(&self) -> &'static str {
        if self.is_plan { "is planned" } else { "has begun" }
    }

    /// Its definition.
    pub(super) fn event(&self) -> &Tournament {
        &self.event
    }

    /// Fails if `event` is another tournament, except for its bots and for how many rounds it has.
    pub(super) fn check(&self, event: &Tournament, dir: &Path) -> anyhow::Result<()> {
        let known = &*self.event;
        let own = Format::named(&known.format).with_context(|| format!("unknown format `{}`", shown(&known.format)))?;
        let option = |options: &FormatOptions, flag: &Flag| options.get(flag).cloned();
        let is_other = |flag: &Flag| option(&event.format_options, flag) != option(&known.format_options, flag);
        let named = |flag: &Flag| {
            let cure = if flag.kind == FlagKind::Seeds { " (leave it out to go on)" } else { "" };
            format!("{flag}{cure}")
        };
        let mut settings = vec![
            (GAME.to_owned(), event.params != known.params || event.rules_version != known.rules_version),
            (named(own.rounds.0), event.rounds != known.rounds),
            (SEED.to_owned(), event.seed != known.seed),
        ];
        settings.extend(own.flags.iter().filter(|flag| flag.is_fixed).map(|flag| (named(flag), is_other(flag))));
        let others = [
            ("time control", event.clock != known.clock),
            (MAX_PLIES, event.max_plies != known.max_plies),
            (STRIKES, event.strikes != known.strikes),
            ("openings", !self.has_openings_of(event)),
        ];
        settings.extend(others.map(|(what, is_changed)| (what.to_owned(), is_changed)));
        let mut changed: Vec<String> =
            settings.into_iter().filter(|(_, is_changed)| *is_changed).map(|(what, _)| what).collect();
        let format = &known.format;
        let over = if self.is_plan { format!("{PLAN} to change it") } else { format!("{FRESH} to start over") };
        let other = format!("use the same, {NAME} NAME for another tournament, or {over}");
        let happened = self.happened();
        if event.game != known.game {
            bail!("{} has a {format} of {} that {happened}; {other}", dir.display(), known.label);
        }
        let decided = self.scheduler.pairs().map(|pair| pair.round).max().unwrap_or(0);
        if let Some(length) = own.length.filter(|_| event.format == known.format)
            && let Some(planned) = event.format_options.number(length).filter(|planned| *planned < decided.into())
        {
            let decided = counted(decided as usize, "round");
            bail!("{length} {planned}: {decided} of {} are decided", dir.display());
        }
        // If another format is asked for, only that is reported.
        if event.format != known.format {
            changed = vec![FORMAT.to_owned()];
        }
        if !changed.is_empty() {
            bail!("{} has a {format} that {happened}, with another {}; {other}", dir.display(), changed.join(", "));
        }
        Ok(())
    }

    /// Whether every pair has the opening that it would have in `event`.
    fn has_openings_of(&self, event: &Tournament) -> bool {
        let (new, old) = (&event.openings, &self.event.openings);
        self.scheduler.pairs().all(|pair| {
            let number = pair.opening as usize;
            new[number % new.len()] == old[number % old.len()]
        })
    }

    /// The bots of the tournament among those found, without those named in `settings` to be taken out.
    pub(super) fn seat(&self, found: Vec<FoundBot>, settings: &SessionSettings) -> anyhow::Result<RecordedBots> {
        let dropped = self.dropped(&settings.drop)?;
        let mut found: Vec<Option<FoundBot>> = found.into_iter().map(Some).collect();
        let mut places = RecordedBots { bots: Vec::new(), absent: Vec::new(), dropped, late: Vec::new() };
        let mut rebuilt = Vec::new();
        for (bot, entry) in self.event.bots.iter().enumerate() {
            let name = entry.id.name.as_str();
            let is_dropped = places.dropped.iter().any(|dropped| dropped.bot == bot);
            let is_it = |found: &&mut Option<FoundBot>| found.as_ref().is_some_and(|found| found.launch.name == name);
            let own = found.iter_mut().find(is_it).and_then(Option::take);
            let is_rebuilt = own.as_ref().is_some_and(|own| own.fingerprint != entry.id.fingerprint);
            if is_rebuilt && !is_dropped {
                rebuilt.push(shown(name));
            }
            if own.is_none() && !is_dropped && self.may_play(bot) {
                places.absent.push(name.to_owned());
            }
            let own = own.filter(|_| !is_rebuilt);
            places.bots.push(own.unwrap_or_else(|| FoundBot::absent(name, &entry.id.fingerprint)));
        }
        places.late = found.into_iter().flatten().map(|found| found.launch.name).collect();
        if rebuilt.is_empty() {
            return Ok(places);
        }
        if self.is_plan {
            bail!(
                "other files than those of the {} that is planned: {}; all machines need the same; make them alike, or plan \
                 again with {PLAN}",
                self.event.format,
                rebuilt.join(", ")
            );
        }
        let drop: Vec<String> = rebuilt.iter().map(|name| format!("{DROP} {name}")).collect();
        bail!(
            "changed since the {} began: {}; put back what it was, go on without it ({}), or begin another one with {NAME} \
             NAME",
            self.event.format,
            rebuilt.join(", "),
            drop.join(" ")
        );
    }

    /// Whether a bot may have games to play.
    fn may_play(&self, bot: usize) -> bool {
        self.scheduler.withdrawal(bot).is_none()
            && (self.scheduler.is_open() || self.scheduler.missing().any(|game| game.bots.contains(&bot)))
    }

    /// All bots that are taken out: those that were, and those named. These lose the games that they have not played.
    fn dropped(&self, names: &[String]) -> anyhow::Result<Vec<Dropped>> {
        let mut dropped = self.event.dropped.clone();
        for name in names {
            let known = || self.event.bots.iter().map(|entry| entry.id.name.as_str());
            let unknown = || anyhow!("{DROP}: {}", UnknownName::new("bot", name, known()));
            let bot = known().position(|known| known == name).ok_or_else(unknown)?;
            // A bot that is withdrawn, or was taken out before, plays no more anyway.
            if self.scheduler.withdrawal(bot).is_none() && dropped.iter().all(|known| known.bot != bot) {
                let next = self.scheduler.missing().find(|game| game.bots.contains(&bot));
                let from = next.map_or(self.scheduler.total(), |game| game.place);
                // That the tournament is over is decided again.
                let after = self.scheduler.decisions() - u32::from(self.scheduler.over().is_some());
                dropped.push(Dropped { bot, from, after });
            }
        }
        Ok(dropped)
    }
}
