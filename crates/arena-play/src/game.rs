//! Plays one game: a referee and two players. A player need not be a process.
//!
//! ```
//! use std::time::Duration;
//!
//! use arena_core::clock::{Taken, TimeControl};
//! use arena_play::game;
//! use arena_play::player::Player;
//! use arena_core::record::GameResult;
//! use arena_core::referee::{Answer, Question, RefereeSetup};
//!
//! /// Plays the first legal move, or the last one.
//! struct Edge {
//!     last: bool,
//! }
//!
//! impl Player for Edge {
//!     fn ask(&mut self, question: Question<'_>) -> Answer {
//!         let moves = question.legal_moves().unwrap_or_default();
//!         let played = if self.last { moves.last() } else { moves.first() };
//!         played.map_or(Answer::Resign, |played| Answer::Move(played.clone().into(), Taken::default()))
//!     }
//! }
//!
//! let variant = "connect4".parse()?;
//! let clock = TimeControl::per_move(Duration::from_secs(1));
//! let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
//! let (referee, _) = game::play(&setup, [1, 2], [&mut Edge { last: false }, &mut Edge { last: true }], None)?;
//! let game = referee.into_game();
//! assert_eq!((game.verdict.result, game.verdict.reason.as_str(), game.moves.len()), (GameResult::FirstWins, "line", 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use arena_core::referee::{BeginError, MadeMove, Referee, RefereeSetup};
use arena_core::rules::Seat;

use crate::player::{Aftermath, Failure, Player};

/// Called once both players are ready, without a move, and after every move.
pub type MoveWatch<'a> = dyn FnMut(Option<MadeMove<'_>>) + 'a;

/// Plays a game to its end. Returns the referee with its verdict, and the aftermath of each player. `seeds` are those of
/// the players, by seat. Without `watch` a move costs one more branch.
///
/// # Errors
///
/// Returns the first illegal move of the opening, or how the rules failed before the first move.
pub fn play(
    setup: &RefereeSetup<'_>,
    seeds: [u64; 2],
    mut players: [&mut dyn Player; 2],
    mut watch: Option<&mut MoveWatch<'_>>,
) -> Result<(Referee, [Aftermath; 2]), BeginError> {
    let mut referee = Referee::new(setup)?;
    begin(&mut referee, Seat::BOTH.map(|seat| players[seat.index()].new_game(&setup.start(seeds, seat))));
    if let Some(watch) = &mut watch {
        watch(None);
    }
    while let Some(question) = referee.next_question() {
        let answer = players[question.seat.index()].ask(question);
        if let Some(made) = referee.answer(answer)
            && let Some(watch) = &mut watch
        {
            watch(Some(made));
        }
    }
    for (player, evidence) in players.iter_mut().zip(referee.evidence_mut()) {
        if let Some(evidence) = evidence {
            player.at_fault(evidence);
        }
    }
    let aftermath = Seat::BOTH.map(|seat| players[seat.index()].game_over(&referee.game_end(seat)));
    Ok((referee, aftermath))
}

/// Judges the start: one fault loses; two faults, or a failure of ours, void the game.
fn begin(referee: &mut Referee, ready: [Result<(), Failure>; 2]) {
    match ready {
        [Ok(()), Ok(())] => {}
        [Err(Failure::Void(why)), _] | [_, Err(Failure::Void(why))] => referee.void(why),
        [Err(Failure::Fault(fault)), Ok(())] => referee.fault(Seat::First, *fault),
        [Ok(()), Err(Failure::Fault(fault))] => referee.fault(Seat::Second, *fault),
        [Err(Failure::Fault(first)), Err(Failure::Fault(second))] => referee.void_by_both([*first, *second]),
    }
}
