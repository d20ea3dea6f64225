//! Bots that will be withdrawn unless a game that is still open clears them. No result depends on this: it avoids games
//! that would not count.

use std::collections::BTreeSet;

use super::Brief;
use super::strikes::{BotStart, FirstGame, Strikes, is_too_disturbing};
use crate::event::StrikeLimits;
use crate::rules::Seat;

/// The evidence about each bot from games after the first open one.
#[derive(Debug)]
pub(super) struct Suspects {
    limits: StrikeLimits,
    bots: Vec<Suspect>,
}

#[derive(Debug, Clone)]
struct Suspect {
    /// Consecutive failed starts, in the order in which games become known, and the last place of them.
    failed: u32,
    last_failed: u32,
    /// Places of games that are [`FirstGame::Lost`], up to the first that shows that the bot works.
    lost: BTreeSet<u32>,
    works_at: u32,
    /// Its disturbances so far: no game that is open can undo one.
    disturbances: u32,
}

impl Suspects {
    pub(super) fn new(limits: StrikeLimits, bots: usize) -> Self {
        let none = Suspect { failed: 0, last_failed: 0, lost: BTreeSet::new(), works_at: u32::MAX, disturbances: 0 };
        Self { limits, bots: vec![none; bots] }
    }

    /// Adds a game that became known, before it is known whether an earlier game clears the bot.
    pub(super) fn note(&mut self, place: u32, bots: [usize; 2], brief: &Brief) {
        for seat in Seat::BOTH {
            let suspect = &mut self.bots[bots[seat.index()]];
            match BotStart::of(brief, seat) {
                BotStart::Failed => {
                    suspect.failed += 1;
                    suspect.last_failed = suspect.last_failed.max(place);
                }
                BotStart::Done => suspect.failed = 0,
                BotStart::None => {}
            }
            match FirstGame::of(brief, seat) {
                _ if self.limits.games.is_none() || place >= suspect.works_at => {}
                FirstGame::Nothing => {}
                FirstGame::Lost => {
                    suspect.lost.insert(place);
                }
                FirstGame::Works => {
                    suspect.works_at = place;
                    suspect.lost.retain(|lost| *lost < place);
                }
            }
        }
    }

    /// Adds a disturbance of a game that the bot did not play.
    pub(super) fn note_disturbance(&mut self, bot: usize) {
        self.bots[bot].disturbances += 1;
    }

    /// Removes the games before `place`, which are in `strikes` now.
    pub(super) fn scanned(&mut self, place: u32, strikes: &Strikes) {
        for (bot, suspect) in self.bots.iter_mut().enumerate() {
            if suspect.failed > 0 && place > suspect.last_failed {
                suspect.failed = strikes.failed(bot);
            }
            while suspect.lost.first().is_some_and(|first| *first < place) {
                suspect.lost.pop_first();
            }
            if suspect.works_at < place {
                suspect.works_at = u32::MAX;
            }
        }
    }

    /// Whether the bot will be withdrawn unless an earlier game clears it.
    pub(super) fn has(&self, bot: usize, strikes: &Strikes) -> bool {
        if strikes.withdrawal(bot).is_some() {
            return false;
        }
        let suspect = &self.bots[bot];
        let known = suspect.lost.len() as u32;
        let lost = strikes.lost(bot).map(|lost| lost + known);
        self.limits.starts.is_some_and(|limit| suspect.failed >= limit.get())
            || is_too_disturbing(self.limits, suspect.disturbances)
            || self.limits.games.zip(lost).is_some_and(|(limit, lost)| lost >= limit.get())
    }

    /// Whether there is any such bot.
    pub(super) fn has_any(&self, strikes: &Strikes) -> bool {
        (0..self.bots.len()).any(|bot| self.has(bot, strikes))
    }
}

#[cfg(test)]
mod tests;
