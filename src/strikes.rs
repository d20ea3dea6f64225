//! Strikes: a bot is withdrawn that fails to start three games in a row, or takes too long to start again after its
//! faults. Pure: a function of the records in the order in which the games ended, so that a journal tells after a stop
//! what was known before it.
//!
//! Bots are told apart by their fingerprints: a bot that was mended is another, under whatever name.

use std::collections::HashMap;

use crate::record::{Record, Status};
use crate::rules::Seat;

/// So many failed starts in a row withdraw a bot.
const STRIKES_MAX: u32 = 3;
/// The most time that a bot may take to start again after its faults: this in all, or so much a game if that is more.
/// Beyond, it is withdrawn.
const RESTARTS_US_MAX: u64 = 60_000_000;
const RESTART_US_PER_GAME: u64 = 1_000_000;

/// What is known about the starts of each bot.
#[derive(Debug, Clone, Default)]
pub struct Strikes(HashMap<String, Starts>);

#[derive(Debug, Clone, Default)]
struct Starts {
    /// Failed ones since the last that did not.
    failed: u32,
    /// Games that it was started for or had a process for.
    games: u64,
    /// Time that it took to start again after its faults.
    restarts_us: u64,
    /// Why it is withdrawn, if it is.
    withdrawn: Option<String>,
}

impl Strikes {
    /// Notes the game that ended next; returns the fingerprints of the bots that are withdrawn because of it.
    pub fn note(&mut self, record: &Record) -> Vec<String> {
        let mut withdrawn = Vec::new();
        let [first, second] = [0, 1].map(|seat| Start::of(record, seat));
        let own = record.bots[0].fingerprint == record.bots[1].fingerprint;
        for (seat, start) in [first, second].into_iter().enumerate() {
            // One bot under two names: the game is one of its games, and one that started is enough.
            if own && (seat == 1 && first == second || start == Start::Failed && first != second) {
                continue;
            }
            let fingerprint = &record.bots[seat].fingerprint;
            let message = || {
                let evidence = record.evidence[seat].as_ref();
                evidence.map(|evidence| evidence.sentence(record.statuses[seat])).unwrap_or_default()
            };
            if matches!(start, Start::Done | Start::Failed) {
                let starts = self.0.entry(fingerprint.clone()).or_default();
                starts.restarts_us = starts.restarts_us.saturating_add(record.restart_us[seat]);
                starts.games += 1;
                let most = RESTARTS_US_MAX.max(RESTART_US_PER_GAME * starts.games);
                if starts.restarts_us > most && starts.withdrawn.is_none() {
                    starts.withdrawn = Some(format!(
                        "withdrawn because starting it again after its faults took {} s in {} games",
                        starts.restarts_us / 1_000_000,
                        starts.games
                    ));
                    withdrawn.push(fingerprint.clone());
                }
            }
            match start {
                Start::None => {}
                Start::Done => {
                    if let Some(starts) = self.0.get_mut(fingerprint) {
                        starts.failed = 0;
                    }
                }
                Start::Failed => {
                    let starts = self.0.entry(fingerprint.clone()).or_default();
                    starts.failed += 1;
                    if starts.failed >= STRIKES_MAX && starts.withdrawn.is_none() {
                        starts.withdrawn =
                            Some(format!("withdrawn after three failed starts in a row; the last: {}", message()));
                        withdrawn.push(fingerprint.clone());
                    }
                }
                Start::NotTried => {
                    let starts = self.0.entry(fingerprint.clone()).or_default();
                    if starts.withdrawn.is_none() {
                        starts.withdrawn =
                            Some(Some(message()).filter(|why| !why.is_empty()).unwrap_or("withdrawn".to_owned()));
                        withdrawn.push(fingerprint.clone());
                    }
                }
            }
        }
        withdrawn
    }

    /// What a record says of withdrawn bots that the games before it do not.
    pub fn unjustified(&self, record: &Record) -> impl Iterator<Item = String> {
        let seats = Seat::BOTH.into_iter().filter(|seat| record.statuses[seat.index()] == Status::Withdrawn);
        let seats = seats.filter(|seat| self.withdrawn(&record.bots[seat.index()].fingerprint).is_none());
        seats.map(|seat| {
            format!(
                "its {seat} bot is withdrawn, and had not failed to start {STRIKES_MAX} times in a row, nor taken too \
                 long to start again"
            )
        })
    }

    /// Why the bot is withdrawn, if it is.
    #[must_use]
    pub fn withdrawn(&self, fingerprint: &str) -> Option<&str> {
        self.0.get(fingerprint)?.withdrawn.as_deref()
    }
}

/// What a game says of a bot's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nothing: we failed, or its opponent was withdrawn.
    None,
    Done,
    Failed,
    /// It was withdrawn before.
    NotTried,
}

impl Start {
    fn of(record: &Record, seat: usize) -> Self {
        match record.statuses[seat] {
            Status::StartupFailed => Self::Failed,
            Status::Withdrawn => Self::NotTried,
            _ if !record.counts() || record.statuses.contains(&Status::Withdrawn) => Self::None,
            _ => Self::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Evidence, GameResult};
    use crate::report::fixture;

    /// A game of `bots`, `x` for each that fails to start, `w` for a withdrawn one, `v` for a void game.
    fn game(bots: [&str; 2], statuses: &str) -> Record {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
        for (seat, letter) in statuses.chars().enumerate() {
            record.bots[seat].fingerprint = bots[seat].to_owned();
            record.statuses[seat] = match letter {
                'x' => Status::StartupFailed,
                'w' => Status::Withdrawn,
                _ => Status::Ok,
            };
            let message = format!("{letter} of {}", bots[seat]);
            record.evidence[seat] = Some(Evidence { message, ..Evidence::default() });
        }
        if ["vv", "xx", "ww"].contains(&statuses) {
            record.result = GameResult::Void;
        }
        record
    }

    #[track_caller]
    fn withdrawn(games: &[([&str; 2], &str)]) -> String {
        let records: Vec<Record> = games.iter().map(|(bots, statuses)| game(*bots, statuses)).collect();
        let mut strikes = Strikes::default();
        for record in &records {
            strikes.note(record);
        }
        let mut all: Vec<&str> = strikes.0.keys().map(String::as_str).collect();
        all.retain(|bot| strikes.withdrawn(bot).is_some());
        all.sort_unstable();
        all.join(" ")
    }

    #[test]
    fn three_failed_starts_in_a_row_withdraw_a_bot() {
        let (ab, ac) = (["a", "b"], ["a", "c"]);
        assert_eq!(withdrawn(&[(ab, "x."), (ac, "x.")]), "");
        assert_eq!(withdrawn(&[(ab, "x."), (ac, "x."), (ab, "x.")]), "a");
        assert_eq!(withdrawn(&[(ab, "x."), (["b", "c"], ".."), (ac, "x."), (["c", "a"], ".x")]), "a");
        assert_eq!(withdrawn(&[(ab, "xx"), (ab, "xx"), (ab, "xx")]), "a b");
    }

    #[test]
    fn a_start_in_between_heals_and_what_was_no_start_does_not() {
        let (ab, ba) = (["a", "b"], ["b", "a"]);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, ".."), (ab, "x.")]), "");
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "x."), (ab, "x.")]), "");
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "vv"), (ab, "x.")]), "a");
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "w."), (ab, "x.")]), "a b");
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ab, "x."), (ab, "..")]), "a", "once is for good");
    }

    #[test]
    fn a_withdrawn_game_says_so_by_itself() {
        let mut strikes = Strikes::default();
        strikes.note(&game(["a", "b"], ".w"));
        assert_eq!((strikes.withdrawn("a"), strikes.withdrawn("b")), (None, Some("w of b")));
    }

    #[test]
    fn the_games_of_a_bot_with_itself_are_one_game_each() {
        let aa = ["a", "a"];
        assert_eq!(withdrawn(&[(aa, "xx"), (aa, "xx")]), "");
        assert_eq!(withdrawn(&[(aa, "xx"), (aa, "xx"), (aa, "xx")]), "a");
        assert_eq!(withdrawn(&[(aa, "xx"), (aa, "xx"), (aa, "x."), (aa, "xx")]), "");
        assert_eq!(withdrawn(&[(aa, "xx"), (aa, "xx"), (aa, ".x"), (aa, "xx")]), "");
    }

    /// Who is withdrawn after so many games in which `a` took so long to start again.
    fn after_restarts(games: usize, restart_us: u64) -> Option<String> {
        let mut strikes = Strikes::default();
        for number in 0..games {
            let mut record = game(["a", "b"], "..");
            record.restart_us = [if number == 0 { 0 } else { restart_us }, 0];
            strikes.note(&record);
        }
        assert_eq!(strikes.withdrawn("b"), None);
        strikes.withdrawn("a").map(str::to_owned)
    }

    #[test]
    fn who_takes_long_to_start_again_and_again_is_withdrawn() {
        assert_eq!(after_restarts(11, 6_000_000), None);
        let why = "withdrawn because starting it again after its faults took 66 s in 12 games";
        assert_eq!(after_restarts(12, 6_000_000).as_deref(), Some(why));
        // Quick starters may fall as often as they like, slow ones now and then.
        assert_eq!(after_restarts(1_000, 1_000_000), None);
        assert!(after_restarts(1_000, 1_100_000).is_some());
        let mut strikes = Strikes::default();
        for number in 0..1_000 {
            let mut record = game(["a", "b"], "..");
            record.restart_us = [if number % 50 == 49 { 9_000_000 } else { 0 }, 0];
            strikes.note(&record);
        }
        assert_eq!(strikes.withdrawn("a"), None);
    }

    #[test]
    fn it_is_said_once_and_why() {
        let mut strikes = Strikes::default();
        let said = [(); 4].map(|()| strikes.note(&game(["a", "b"], "x.")));
        assert_eq!(said.concat(), ["a"]);
        assert_eq!(said[2], ["a"]);
        let why = "withdrawn after three failed starts in a row; the last: x of a";
        assert_eq!(strikes.withdrawn("a"), Some(why));
        assert_eq!(strikes.note(&game(["a", "b"], "w.")), Vec::<String>::new());
        assert_eq!(strikes.withdrawn("a"), Some(why));
    }
}
