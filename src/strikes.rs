//! Strikes: who fails to start three games in a row is withdrawn. Pure: a function of the records in the order in which
//! the games ended, so that a journal tells after a stop what was known before it.
//!
//! Bots are told apart by their fingerprints, and twins by their names too: a bot that was mended is another, under
//! whatever name, and nobody is withdrawn for a copy of it.

use std::collections::HashMap;

use crate::record::{BotId, Record, Status};
use crate::rules::Seat;

/// So many failed starts in a row withdraw a bot.
const STRIKES_MAX: u32 = 3;

/// What is known about the starts of each bot, by its identity.
#[derive(Debug, Clone, Default)]
pub struct Strikes(HashMap<String, Starts>);

#[derive(Debug, Clone, Default)]
struct Starts {
    /// Failed ones since the last that did not.
    failed: u32,
    /// Why it is withdrawn, if it is.
    withdrawn: Option<String>,
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
            match Start::of(record, index) {
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
            format!("its {seat} bot is withdrawn, and had not failed to start {STRIKES_MAX} times in a row")
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
