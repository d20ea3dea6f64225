//! A built-in strategy as a player of this program, without a process.

use std::time::Duration;

use arena_bots::strategy::{Engine, Query, SearchDeadline, Strategy};
use arena_core::clock::Taken;
use arena_core::referee::{Answer, GameStart, Question, Reply};
use arena_core::rules::Params;
use serde_json::value::RawValue;

use super::{Failure, Player};

/// More than a fixed amount of work takes.
const NO_DEADLINE: Duration = Duration::from_secs(3_600);

/// A strategy that plays one game after the other.
pub struct EnginePlayer {
    strategy: &'static Strategy,
    options: Params,
    is_timed: bool,
    engine: Option<Box<dyn Engine>>,
}

impl EnginePlayer {
    /// A player with these options, which answers within its time, as the strategy does as a bot.
    #[must_use]
    pub const fn new(strategy: &'static Strategy, options: Params) -> Self {
        Self { strategy, options, is_timed: true, engine: None }
    }

    /// A player whose moves depend on its options alone, however long they take.
    #[must_use]
    pub fn untimed(strategy: &'static Strategy, options: Params) -> Self {
        Self { is_timed: false, ..Self::new(strategy, options) }
    }
}

impl Player for EnginePlayer {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.engine = Some(match self.strategy.build_unknown {
            // As a process it would not know these rules.
            Some(build) if game.variant.rules.is_external() => build(game.seed),
            _ => (self.strategy.build)(game.variant, &self.options, game.seed),
        });
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let mut view = Vec::new();
        question.write_view(&mut view);
        let view = String::from_utf8(view).ok().and_then(|text| RawValue::from_string(text).ok());
        let (Some(view), Some(engine)) = (view, &mut self.engine) else { return Answer::Void("no view".to_owned()) };
        let legal = question.legal_moves();
        let query = Query {
            seat: question.seat,
            view: &view,
            legal_moves: legal.as_deref(),
            sample_move: &question.sample_move,
        };
        let limit = if self.is_timed { question.time.deadline() } else { NO_DEADLINE };
        match engine.choose(&query, &SearchDeadline::within(limit)) {
            Ok(choice) => {
                let reply = Reply { eval: choice.eval, comment: choice.comment, ..choice.played.into() };
                Answer::Move(reply, Taken::default())
            }
            Err(error) => Answer::Void(error.to_string()),
        }
    }
}

impl std::fmt::Debug for EnginePlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnginePlayer").field("strategy", &self.strategy.name).finish_non_exhaustive()
    }
}
