//! Strikes: a bot is withdrawn that fails to start three games in a row, or takes too long to start again after its
//! faults. Pure: a function of the records in the order in which the games ended, so that a journal tells after a stop
//! what was known before it.
//!
//! Bots are told apart by their fingerprints, and twins by their names too: a bot that was mended is another, under
//! whatever name, and nobody is withdrawn for a copy of it.

use std::collections::HashMap;

use crate::record::{BotId, Record, Status};
use crate::rules::Seat;

/// So many failed starts in a row withdraw a bot.
const STRIKES_MAX: u32 = 3;
/// The most time that a bot may take to start again after its faults: this in all, or so much a game if that is more.
/// Beyond, it is withdrawn.
const RESTARTS_US_MAX: u64 = 60_000_000;
const RESTART_US_PER_GAME: u64 = 1_000_000;

/// What is known about the starts of each bot, by its identity.
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

impl Starts {
    /// Adds a game, in which it took so long to start again; says why it is withdrawn if that makes it too long.
    fn too_slow_with(&mut self, restart_us: u64) -> Option<String> {
        self.restarts_us = self.restarts_us.saturating_add(restart_us);
        self.games += 1;
        let most = RESTARTS_US_MAX.max(RESTART_US_PER_GAME * self.games);
        let (seconds, games) = (self.restarts_us / 1_000_000, self.games);
        let why = || format!("withdrawn because starting it again after its faults took {seconds} s in {games} games");
        (self.restarts_us > most && self.withdrawn.is_none()).then(why)
    }
}

impl Strikes {
    /// Notes the game that ended next; returns the seats of the bots that are withdrawn because of it.
    pub fn note(&mut self, record: &Record) -> Vec<Seat> {
        let mut withdrawn = Vec::new();
        for seat in Seat::BOTH {
            let index = seat.index();
            let identity = record.bots[index].identity();
            let message = || {
                let evidence = record.evidence[index].as_ref();
                evidence.map(|evidence| evidence.sentence(record.statuses[index])).unwrap_or_default()
            };
            let start = Start::of(record, index);
            if matches!(start, Start::Done | Start::Failed) {
                let starts = self.0.entry(identity.to_string()).or_default();
                if let Some(why) = starts.too_slow_with(record.restart_us[index]) {
                    starts.withdrawn = Some(why);
                    withdrawn.push(seat);
                }
            }
            match start {
                Start::None => {}
                Start::Done => {
                    if let Some(starts) = self.0.get_mut(identity.as_ref()) {
                        starts.failed = 0;
                    }
                }
                Start::Failed => {
                    let starts = self.0.entry(identity.into_owned()).or_default();
                    starts.failed += 1;
                    if starts.failed >= STRIKES_MAX && starts.withdrawn.is_none() {
                        starts.withdrawn =
                            Some(format!("withdrawn after three failed starts in a row; the last: {}", message()));
                        withdrawn.push(seat);
                    }
                }
                Start::NotTried => {
                    let starts = self.0.entry(identity.into_owned()).or_default();
                    if starts.withdrawn.is_none() {
                        starts.withdrawn =
                            Some(Some(message()).filter(|why| !why.is_empty()).unwrap_or("withdrawn".to_owned()));
                        withdrawn.push(seat);
                    }
                }
            }
        }
        withdrawn
    }

    /// What a record says of withdrawn bots that the games before it do not.
    pub fn unjustified(&self, record: &Record) -> impl Iterator<Item = String> {
        let seats = Seat::BOTH.into_iter().filter(|seat| record.statuses[seat.index()] == Status::Withdrawn);
        let seats = seats.filter(|seat| self.withdrawn(&record.bots[seat.index()]).is_none());
        seats.map(|seat| {
            format!(
                "its {seat} bot is withdrawn, and had not failed to start {STRIKES_MAX} times in a row, nor taken too \
                 long to start again"
            )
        })
    }

    /// Why the bot is withdrawn, if it is.
    #[must_use]
    pub fn withdrawn(&self, bot: &BotId) -> Option<&str> {
        self.0.get(bot.identity().as_ref())?.withdrawn.as_deref()
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

    fn bot(fingerprint: &str) -> BotId {
        BotId { name: "a name".to_owned(), fingerprint: fingerprint.to_owned(), twin: false }
    }

    /// A game of `bots`, `x` for each that fails to start, `w` for a withdrawn one, `v` for a void game.
    fn game(bots: [&str; 2], statuses: &str) -> Record {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
        for (seat, letter) in statuses.chars().enumerate() {
            record.bots[seat] = bot(bots[seat]);
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
        let all = strikes.0.iter().filter(|(_, starts)| starts.withdrawn.is_some());
        let mut all: Vec<&str> = all.map(|(bot, _)| bot.as_str()).collect();
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
        assert_eq!((strikes.withdrawn(&bot("a")), strikes.withdrawn(&bot("b"))), (None, Some("w of b")));
    }

    #[test]
    fn nobody_is_withdrawn_for_a_twin() {
        let mut strikes = Strikes::default();
        let [original, twin] = [false, true].map(|twin| BotId { twin, ..bot("a") });
        for statuses in ["x.", "x.", "x."] {
            let mut game = game(["a", "b"], statuses);
            game.bots[0] = twin.clone();
            strikes.note(&game);
        }
        assert!(strikes.withdrawn(&twin).is_some());
        assert_eq!(strikes.withdrawn(&original), None);
        assert_eq!(strikes.withdrawn(&BotId { name: "another".to_owned(), ..twin }), None);
    }

    /// Who is withdrawn after so many games in which `a` took so long to start again.
    fn after_restarts(games: usize, restart_us: u64) -> Option<String> {
        let mut strikes = Strikes::default();
        for number in 0..games {
            let mut record = game(["a", "b"], "..");
            record.restart_us = [if number == 0 { 0 } else { restart_us }, 0];
            strikes.note(&record);
        }
        assert_eq!(strikes.withdrawn(&bot("b")), None);
        strikes.withdrawn(&bot("a")).map(str::to_owned)
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
        assert_eq!(strikes.withdrawn(&bot("a")), None);
    }

    #[test]
    fn it_is_said_once_and_why() {
        let mut strikes = Strikes::default();
        let said = [(); 4].map(|()| strikes.note(&game(["a", "b"], "x.")));
        assert_eq!(said.concat(), [Seat::First]);
        assert_eq!(said[2], [Seat::First]);
        let why = "withdrawn after three failed starts in a row; the last: x of a";
        assert_eq!(strikes.withdrawn(&bot("a")), Some(why));
        assert_eq!(strikes.note(&game(["a", "b"], "w.")), []);
        assert_eq!(strikes.withdrawn(&bot("a")), Some(why));
    }
}
