//! What made a game void that others disturbed.

use serde::{Deserialize, Serialize};

use super::BotId;

/// Bots that did not play a game used the processor time that a bot on move lacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbance {
    /// Processor time that the bot on move lacked, in microseconds.
    pub missing_us: u64,
    /// The bots that used it, those that used most first.
    pub by: Vec<Disturber>,
}

/// A bot that disturbed a game which it did not play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturber {
    /// The bot.
    #[serde(flatten)]
    pub bot: BotId,
    /// Processor time that it used while the other bot was on move, in microseconds.
    pub used_us: u64,
}

impl Disturbance {
    /// The bot to blame: the one that used most, if that is at least half of what was missing. By the same measure an
    /// opponent loses by interference.
    #[must_use]
    pub fn culprit(&self) -> Option<&BotId> {
        let most = self.by.iter().max_by_key(|by| by.used_us)?;
        (most.used_us.saturating_mul(2) >= self.missing_us).then_some(&most.bot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_to_blame_if_it_used_at_least_half_of_what_was_missing() {
        let culprit = |used: &[u64]| {
            let by = |(number, used_us): (usize, &u64)| {
                let bot = BotId { name: number.to_string(), fingerprint: "0".to_owned(), twin: false };
                Disturber { bot, used_us: *used_us }
            };
            let disturbance = Disturbance { missing_us: 100, by: used.iter().enumerate().map(by).collect() };
            disturbance.culprit().map(|bot| bot.name.clone())
        };
        assert_eq!(culprit(&[50, 49]).as_deref(), Some("0"));
        assert_eq!(culprit(&[49, 51]).as_deref(), Some("1"));
        assert_eq!(culprit(&[u64::MAX]).as_deref(), Some("0"));
        assert_eq!(culprit(&[49, 49, 49]), None, "no single one took the time");
        assert_eq!(culprit(&[]), None);
    }
}
