//! When a bot is withdrawn, and when not.

use std::num::NonZeroU32;

use super::*;
use crate::cause::Cause;
use crate::fixture;
use crate::record::{Evidence, GameResult};

/// Withdraws no bot for its first games.
const STARTS_ONLY: StrikeLimits = StrikeLimits { starts: NonZeroU32::new(3), games: None };

/// A game: `x` for each seat that fails to start, `t` and `c` for one that loses by timeout or crash, `s` for a timeout
/// without a processor, `i` for an illegal move, `-` for one that was not asked for a move, `w` for a withdrawn one, `v`
/// for a void game.
fn game(statuses: &str) -> Brief {
    let event = fixture::event(&["a", "b"]);
    let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
    for (seat, letter) in statuses.chars().enumerate() {
        record.statuses[seat] = match letter {
            'x' => Status::StartupFailed,
            'w' => Status::Withdrawn,
            't' | 's' => Status::Timeout,
            'c' => Status::Crashed,
            'i' => Status::IllegalMove,
            _ => Status::Ok,
        };
        let cause = if letter == 's' { Cause::Starved } else { Cause::NoMove };
        record.evidence[seat] = Some(Evidence::new(cause, ""));
        if letter == '-' {
            record.played.clear();
        }
    }
    if ["vv", "xx", "ww"].contains(&statuses) {
        record.result = GameResult::Void;
    }
    Brief::of(&record, 0, 1)
}

/// The bots that are withdrawn by these games, and the first game of each.
#[track_caller]
fn withdrawn(games: &[([usize; 2], &str)]) -> Vec<(usize, u32)> {
    withdrawn_by(STARTS_ONLY, games)
}

#[track_caller]
fn withdrawn_by(limits: StrikeLimits, games: &[([usize; 2], &str)]) -> Vec<(usize, u32)> {
    let mut strikes = Strikes::new(limits);
    let mut reported = Vec::new();
    for (place, (bots, statuses)) in (0..).zip(games) {
        reported.extend(strikes.note(place, *bots, &game(statuses)));
    }
    reported.sort_unstable();
    let all = (0..9).filter_map(|bot| Some((bot, strikes.withdrawal(bot)?.from)));
    let all: Vec<(usize, u32)> = all.collect();
    assert_eq!(reported, all.iter().map(|(bot, _)| *bot).collect::<Vec<_>>(), "each is reported once");
    all
}

#[test]
fn three_failed_starts_in_a_row_withdraw_a_bot() {
    let (ab, ac) = ([0, 1], [0, 2]);
    assert_eq!(withdrawn(&[(ab, "x."), (ac, "x.")]), []);
    assert_eq!(withdrawn(&[(ab, "x."), (ac, "x."), (ab, "x.")]), [(0, 3)]);
    assert_eq!(withdrawn(&[(ab, "x."), ([1, 2], ".."), (ac, "x."), ([2, 0], ".x")]), [(0, 4)]);
    assert_eq!(withdrawn(&[(ab, "xx"), (ab, "xx"), (ab, "xx")]), [(0, 3), (1, 3)]);
}

#[test]
fn a_start_in_between_heals_and_what_was_no_start_does_not() {
    let (ab, ba) = ([0, 1], [1, 0]);
    assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, ".."), (ab, "x.")]), []);
    assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "x."), (ab, "x.")]), []);
    assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "vv"), (ab, "x.")]), [(0, 4)]);
    assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "w."), (ab, "x.")]), [(0, 4)]);
    assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ab, "x."), (ab, "..")]), [(0, 3)], "once is for good");
}

/// From which game on bot 0 is withdrawn if it must not lose its first three by timeout or crash; each game is against
/// another bot.
#[track_caller]
fn check(games: &str, from: Option<u32>) {
    let limits = StrikeLimits { games: NonZeroU32::new(3), ..StrikeLimits::default() };
    let against: Vec<_> = (1..).zip(games.split(' ')).map(|(other, game)| ([0, other], game)).collect();
    let own = withdrawn_by(limits, &against).into_iter().find(|(bot, _)| *bot == 0);
    assert_eq!(own.map(|(_, from)| from), from, "{games}");
    let by_starts = withdrawn(&against);
    assert!(by_starts.iter().all(|(bot, _)| *bot > 0), "{games}: no other rule withdraws it");
}

#[test]
fn losing_its_first_games_by_timeout_or_crash_withdraws_a_bot() {
    check("t. t.", None);
    check("t. t. t.", Some(3));
    check("t. c. t.", Some(3));
    check("c. c. c. ..", Some(3));
}

#[test]
fn a_first_game_that_ends_otherwise_shows_that_a_bot_works_for_good() {
    check(".. c. c. c. c.", None);
    check("t. t. .. t. t. t. t.", None);
    check("t. t. .t t. t. t. t.", None);
    check("t. t. i. t. t. t. t.", None);
}

#[test]
fn a_first_game_that_says_nothing_neither_counts_nor_ends_the_row() {
    // A void game, failed starts, no processor, and opponents that are withdrawn or failed before it was asked for a move.
    for nothing in ["vv", "x.", "xx", "s.", ".w", "-x", "-c", "-t"] {
        check(&format!("c. c. {nothing} {nothing}"), None);
        check(&format!("c. {nothing} c. {nothing} c."), Some(5));
        check(&format!("{nothing} c. c. {nothing} .. c. c."), None);
    }
}

#[test]
fn what_a_bot_lost_by_is_told() {
    let limits = StrikeLimits { games: NonZeroU32::new(3), ..StrikeLimits::default() };
    let mut strikes = Strikes::new(limits);
    for (place, statuses) in (0..).zip(["t.", "s.", "c.", "t."]) {
        strikes.note(place, [0, 1], &game(statuses));
    }
    let cause = strikes.withdrawal(0).map(|withdrawal| withdrawal.cause);
    let last = game("t.");
    assert_eq!(cause, Some(WithdrawalCause::LostFirstGames { timeouts: 2, crashes: 1, last, seat: Seat::First }));
}

/// Whether bot 2 is withdrawn after each game that bots 0 and 1 play, while it disturbs every other one.
fn disturbing(limits: StrikeLimits) -> (Vec<bool>, Option<Withdrawal>) {
    let mut strikes = Strikes::new(limits);
    let mut disturb = |place: u32| {
        strikes.note(place, [0, 1], &game(".."));
        place.is_multiple_of(2) && strikes.note_disturbance(place, 2)
    };
    let told = (0..8).map(&mut disturb).collect();
    (told, strikes.withdrawal(2).copied())
}

#[test]
fn three_disturbances_withdraw_a_bot_whatever_lies_between() {
    let (told, withdrawal) = disturbing(STARTS_ONLY);
    assert_eq!(told, [false, false, false, false, true, false, false, false], "it is reported once");
    assert_eq!(withdrawal, Some(Withdrawal { from: 5, cause: WithdrawalCause::Disturbances { games: 3 } }));
    let off = StrikeLimits { starts: None, ..StrikeLimits::default() };
    assert_eq!(disturbing(off), (vec![false; 8], None));
}

#[test]
fn strikes_that_are_off_withdraw_no_bot() {
    let games: Vec<_> = ["t.", "x."].into_iter().flat_map(|game| vec![([0, 1], game); 100]).collect();
    assert_eq!(withdrawn_by(StrikeLimits::OFF, &games), []);
    assert_eq!(withdrawn_by(StrikeLimits { games: None, ..StrikeLimits::default() }, &games), [(0, 103)]);
    assert_eq!(withdrawn_by(StrikeLimits { starts: None, ..StrikeLimits::default() }, &games), [(0, 10)]);
    let mut strikes = Strikes::new(StrikeLimits::OFF);
    strikes.note(0, [0, 1], &Brief { restart_ms: [u16::MAX, 0], ..game("..") });
    assert_eq!(strikes.withdrawal(0), None, "nor for slow starts");
}

/// Why bot 0 is withdrawn after games with restarts that took this long.
fn after_restarts(restarts_ms: impl IntoIterator<Item = u16>) -> Option<WithdrawalCause> {
    let mut strikes = Strikes::new(STARTS_ONLY);
    for (place, restart_ms) in (0..).zip(restarts_ms) {
        strikes.note(place, [0, 1], &Brief { restart_ms: [restart_ms, 0], ..game("..") });
    }
    assert_eq!(strikes.withdrawal(1), None);
    strikes.withdrawal(0).map(|withdrawal| withdrawal.cause)
}

#[test]
fn a_bot_that_repeatedly_takes_long_to_start_is_withdrawn() {
    let often = |games, restart_ms| (0..games).map(move |game| if game == 0 { 0 } else { restart_ms });
    assert_eq!(after_restarts(often(11, 6_000)), None);
    let slow = WithdrawalCause::SlowRestarts { seconds: 66, games: 12 };
    assert_eq!(after_restarts(often(12, 6_000)), Some(slow));
    // Bots that start quickly may fail any number of times, slow ones occasionally.
    assert_eq!(after_restarts(often(1_000, 1_000)), None);
    assert!(after_restarts(often(1_000, 1_100)).is_some());
    assert_eq!(after_restarts((0..1_000).map(|game| if game % 50 == 49 { 9_000 } else { 0 })), None);
}
