//! Earlier versions of bots: a version that passes the check is kept, and plays instead of a later one that fails.
//!
//! Versions that are not kept yet are checked before anything else, so that the definition of the tournament, the identities
//! of its games and its schedule follow from the versions that play.

use arena_core::event::{EarlierVersion, LeftOut, Tournament, new_version_fails};
use arena_play::roster::{FoundBot, KeptVersions};
use arena_show::observer::Observer;
use arena_sys::results_folder::ResultsFolder;
use arena_sys::time::today;

use super::field::SessionBots;
use super::first_check::{Checked, FailedBot, FirstCheck};
use super::messages::{note, warn};
use super::{Capacity, Runtime, Scratch, SessionError, SessionSettings, fence_in, try_out};

/// The check of versions that are not kept.
pub(super) struct EarlyCheck {
    /// What it needed, for what follows.
    begun: Option<(Runtime, Scratch)>,
    /// What it found out.
    checked: Checked,
}

impl EarlyCheck {
    /// Checks those of the bots whose present version is not kept. Keeps those that pass, and replaces the others by their kept
    /// versions. Does nothing unless `settings` say where versions are kept. Returns `None` if a signal came.
    pub(super) fn run(
        field: &mut SessionBots,
        event: &Tournament,
        settings: &SessionSettings,
        folder: &ResultsFolder,
        capacity: Capacity,
        observer: &mut dyn Observer,
    ) -> Result<Option<Self>, SessionError> {
        let mut early = Self { begun: None, checked: Checked::default() };
        let Some(kept) = &settings.kept else { return Ok(Some(early)) };
        let mut new = Vec::new();
        for bot in field.seated.iter().filter(|bot| bot.earlier.is_none() && !bot.is_in_process()) {
            if !kept.has(bot)? {
                new.push(bot);
            }
        }
        if !new.is_empty() {
            let (mut runtime, scratch) = begin()?;
            try_out(&new, &scratch)?;
            let check = FirstCheck::new(settings, folder, capacity.games, &scratch, &runtime);
            let Some(checked) = check.run_quietly(&new, &mut runtime, observer)? else { return Ok(None) };
            let passed = new.into_iter().filter(|bot| checked.times.contains_key(&bot.launch.name));
            for remark in kept.keep(passed, &today())? {
                note(observer, remark);
            }
            (early.begun, early.checked) = (Some((runtime, scratch)), checked);
            early.replace(kept, &mut field.seated);
            let hidden = [settings.bots.as_path(), &settings.results];
            fence_in(&mut field.seated, event.clock.charge, &hidden);
        }
        let earlier: Vec<String> = field.earlier().iter().map(EarlierVersion::sentence).collect();
        warn(observer, &earlier);
        Ok(Some(early))
    }

    /// Replaces the bots that failed by their kept versions, which are yet to be checked.
    fn replace(&mut self, kept: &KeptVersions, seated: &mut [FoundBot]) {
        self.checked.failed.retain_mut(|FailedBot { bot: LeftOut { name, cause, .. }, starts, .. }| {
            let Some(starts) = *starts else { return true };
            let Some(bot) = seated.iter_mut().find(|bot| bot.launch.name == *name) else { return true };
            match kept.stand_in(bot, starts, cause) {
                Ok(Some(earlier)) => *bot = earlier,
                Ok(None) => return true,
                Err(error) => {
                    *cause = format!("{error:#}; {}", new_version_fails(starts, cause));
                    return true;
                }
            }
            false
        });
    }

    /// What was begun for it, or is begun now, and what was found out.
    pub(super) fn begun(self) -> anyhow::Result<(Runtime, Scratch, Checked)> {
        let (runtime, scratch) = self.begun.map_or_else(begin, Ok)?;
        Ok((runtime, scratch, self.checked))
    }
}

fn begin() -> anyhow::Result<(Runtime, Scratch)> {
    Ok((Runtime::start()?, Scratch::create()?))
}
