//! How long a run will take, as far as the check of its bots shows.

use std::time::Duration;

use arena_core::clock::TimeControl;
use arena_core::rng::Rng;
use arena_core::rules::{Move, Variant, play};

/// Random games whose mean length is taken.
const SAMPLES: usize = 20;
/// As [`SAMPLES`], where every move costs a message.
const EXTERNAL_SAMPLES: usize = 5;
/// The most moves of all of them.
const SAMPLE_MOVES_MAX: usize = 20_000;
/// The referee's time for a game and its moves, which no bot is measured by.
const GAME_OVERHEAD: Duration = Duration::from_millis(1);

/// Times of a bot, as measured in its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BotTimes {
    /// For a move.
    pub(super) reply: Duration,
    /// For a start, if every game begins with one.
    pub(super) start: Duration,
}

/// How long a run takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RunEstimate {
    pub(super) games: u32,
    pub(super) seconds: f64,
    /// It will hardly take longer, but may take much less.
    pub(super) is_limit: bool,
}

/// The time of these games, `concurrency` at a time; each is given by the times of its bots. A bot whose times are unknown
/// is taken to use all that it has.
pub(super) fn estimate(
    games: impl Iterator<Item = [Option<BotTimes>; 2]>,
    moves: f64,
    clock: TimeControl,
    concurrency: usize,
) -> RunEstimate {
    let slowest = slowest_game(moves, clock);
    let mut estimate = RunEstimate { games: 0, seconds: 0.0, is_limit: false };
    for bots in games {
        estimate.games += 1;
        estimate.seconds += GAME_OVERHEAD.as_secs_f64();
        for times in bots {
            estimate.is_limit |= times.is_none();
            estimate.seconds +=
                times.map_or(slowest, |times| moves / 2.0 * times.reply.as_secs_f64() + times.start.as_secs_f64());
        }
    }
    estimate.seconds /= concurrency.max(1) as f64;
    estimate
}

/// The most seconds that a bot may use in a game of this many moves of both.
fn slowest_game(moves: f64, clock: TimeControl) -> f64 {
    let seconds = |ms: u64| ms as f64 / 1e3;
    let by_move = clock.move_ms.map(|ms| moves / 2.0 * seconds(ms));
    let by_bank = clock.bank_ms.map(|ms| seconds(ms) + moves / 2.0 * seconds(clock.increment_ms.unwrap_or(0)));
    by_move.into_iter().chain(by_bank).fold(f64::INFINITY, f64::min)
}

/// The mean number of moves of random games from these openings, without those of the opening.
pub(super) fn mean_moves(variant: &Variant, openings: &[Vec<Move>], max_plies: Option<usize>) -> f64 {
    let mut rng = Rng::new(0);
    let (mut games, mut moves) = (0_usize, 0_usize);
    let samples = if variant.rules.is_external() { EXTERNAL_SAMPLES } else { SAMPLES };
    while games < samples && moves < SAMPLE_MOVES_MAX {
        let Ok(mut state) = variant.start(games as u64) else { break };
        let opening = openings.get(games % openings.len().max(1)).map(Vec::as_slice).unwrap_or_default();
        if play(state.as_mut(), opening).is_err() {
            break;
        }
        let left = max_plies.map_or(SAMPLE_MOVES_MAX, |plies| plies.saturating_sub(opening.len()));
        let mut made = 0;
        while made < left && state.outcome().is_none() {
            let played = state.nth_legal(rng.below(state.legal_count()));
            if state.apply(&played).is_err() {
                break;
            }
            made += 1;
        }
        moves += made;
        games += 1;
    }
    moves as f64 / games.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: TimeControl = TimeControl {
        move_ms: Some(1000),
        bank_ms: Some(10_000),
        increment_ms: Some(100),
        margin_ms: 10,
        charge: arena_core::clock::Charge::Wall,
    };

    fn times(reply_ms: u64, start_ms: u64) -> BotTimes {
        BotTimes { reply: Duration::from_millis(reply_ms), start: Duration::from_millis(start_ms) }
    }

    #[track_caller]
    fn check(games: &[[Option<BotTimes>; 2]], concurrency: usize, seconds: f64, is_limit: bool) {
        let made = estimate(games.iter().copied(), 30.0, CLOCK, concurrency);
        assert_eq!((made.games as usize, made.is_limit), (games.len(), is_limit));
        assert!((made.seconds - seconds).abs() < 1e-9, "{made:?}");
    }

    #[test]
    fn moves_and_starts_of_both_bots_add_up() {
        check(&[[Some(times(10, 0)), Some(times(20, 0))]; 4], 1, 4.0 * 0.451, false);
        check(&[[Some(times(10, 50)), Some(times(20, 0))]; 4], 2, 2.0 * 0.501, false);
        check(&[], 2, 0.0, false);
    }

    #[test]
    fn a_bot_that_was_not_tried_may_use_all_of_its_time() {
        // Fifteen moves: 10 s and 1.5 s of increments are less than 15 s.
        check(&[[Some(times(10, 0)), None]], 1, 11.5 + 0.151, true);
        let by_move = TimeControl { bank_ms: None, increment_ms: None, ..CLOCK };
        assert!((slowest_game(30.0, by_move) - 15.0).abs() < 1e-9);
    }

    #[test]
    fn the_length_of_games_is_that_of_random_ones() {
        let mean = |game: &str, openings: &[Vec<Move>], max| mean_moves(&game.parse().unwrap(), openings, max);
        assert!((5.0..9.0).contains(&mean("tictactoe", &[], None)));
        assert!((14.0..35.0).contains(&mean("connect4", &[], None)));
        assert!((mean("gomoku", &[vec![Move::List(vec![7, 7])]], Some(11)) - 10.0).abs() < 1e-9);
    }
}
