//! `perfect`: plays the value of the position, as the [solvers](arena_core::solver) know it.
//!
//! Of several moves that are as good, it prefers the one after which the fewest replies keep the opponent's result. Its work is limited
//! in positions: first the value of the position and the moves that keep it; if that is too much, the results of all moves; then these
//! replies. Where nothing is proved `minimax` chooses, but never a move that is proved to be worse than another one. What it plays depends
//! on the position alone, and not on the clock: all of it takes less than a tenth of a second.
//!
//! In `mastermind`, a race for a hidden code, there is no value to know: it guesses as the [`Guesser`] does, the best strategy against the
//! code, whatever the other side does. Where that is too much, `codebreaker` guesses.

mod marbles;
mod search;
#[cfg(test)]
mod tests;

use arena_core::rng::Rng;
use arena_core::rules::{AnsweredGuess, Move, Param, ParamKind, Params, Variant, play};
use arena_core::solver::{Guesser, Limits, Solver, for_variant, from_the_middle, winning_ranges};
use serde::Deserialize;

use super::{Choice, Engine, Query, SearchDeadline, Strategy, codebreaker, minimax};
use search::{Found, Search, candidates};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "perfect",
    summary: "perfect play as far as `arena solve` knows it, else minimax or codebreaker",
    version: 3,
    options: &[
        Param {
            name: "nodes",
            help: "positions searched per move; what they do not prove is left to minimax",
            kind: ParamKind::Int { default: 700_000, min: 1, max: 1_000_000_000_000 },
        },
        Param {
            name: "style",
            help: "of moves that are as good: resist takes the one with the fewest good replies, first the first",
            kind: ParamKind::Word(&["resist", "first"]),
        },
        Param {
            name: "slip",
            help: "per cent of moves that are random: a bot of known strength below perfect",
            kind: ParamKind::Int { default: 0, min: 0, max: 100 },
        },
    ],
    plays: |variant| for_variant(variant).is_ok() || fallback(variant).is_some(),
    build_unknown: None,
    build: |variant, options, seed| {
        Box::new(Perfect {
            variant: variant.clone(),
            solver: for_variant(variant).ok(),
            guesser: Guesser::for_variant(variant),
            fallback: fallback(variant).map(|it| (it.build)(variant, &Params::defaults(it.options), seed)),
            nodes: positions(variant, options.size("nodes") as u64),
            resists: options.word("style") == "resist",
            slip: options.size("slip") as u64,
            rng: Rng::new(seed),
        })
    },
};

/// What takes as long as this number of positions of connect four on 6×7, in what the solver of a variant counts.
fn positions(variant: &Variant, nodes: u64) -> u64 {
    let size = |name| variant.params.size(name) as u64;
    match variant.rules.name {
        // Guesses are compared with codes.
        Guesser::GAME => nodes.saturating_mul(COMPARISONS),
        "connect4" if [size("rows"), size("cols"), size("connect")] == [6, 7, 4] => nodes,
        // Only the common board has its directions as constants; each column may have a child, and lines of a length take as many steps.
        "connect4" => nodes.div_ceil((size("cols") * size("connect")).div_ceil(12).max(2)),
        _ => nodes.div_ceil(2),
    }
}

/// Comparisons of a guess with a code that take as long as a position.
const COMPARISONS: u64 = 12;

/// Chooses where nothing is proved.
fn fallback(variant: &Variant) -> Option<&'static Strategy> {
    [&minimax::STRATEGY, &codebreaker::STRATEGY].into_iter().find(|strategy| (strategy.plays)(variant))
}

struct Perfect {
    variant: Variant,
    solver: Option<Box<dyn Solver>>,
    guesser: Option<Guesser>,
    /// Chooses where nothing is proved.
    fallback: Option<Box<dyn Engine>>,
    /// Positions a move, as the solver counts them.
    nodes: u64,
    resists: bool,
    /// Per cent of random moves.
    slip: u64,
    rng: Rng,
}

/// What is seen of `mastermind`.
#[derive(Deserialize)]
struct GuessesView {
    guesses: Vec<AnsweredGuess>,
}

impl Engine for Perfect {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        if self.guesser.is_some() {
            return self.guess(query, deadline);
        }
        let moves = query.moves()?;
        let sample = || Ok(Choice::plain(query.sample_move.clone()));
        let Ok(mut state) = self.variant.start(0) else { return sample() };
        // A referee sends legal moves, and asks while the game goes on.
        if play(state.as_mut(), &moves).is_err() || state.outcome().is_some() {
            return sample();
        }
        if self.slips() {
            return Ok(Choice::plain(state.nth_legal(self.rng.below(state.legal_count()))));
        }
        if let Some(ranges) = winning_ranges(&self.variant, state.as_ref()) {
            return Ok(marbles::take(&self.variant, state.as_ref(), &ranges));
        }
        let Some(solver) = &mut self.solver else { return self.fall_back(query, deadline) };
        // The same position has the same answer, whatever came before.
        solver.forget();
        let stop = || deadline.passed();
        let mut guess = None;
        let mut looks_best = || {
            guess = self.fallback.as_mut()?.choose(query, deadline).ok();
            guess.as_ref().map(|guess| guess.played.clone())
        };
        let mut search = Search::new(solver.as_mut(), self.nodes, &stop);
        let worse = match search.best(state.as_ref(), candidates(state.as_ref()), &mut looks_best) {
            Found::Good(known, good) => {
                return Ok(search.choose(known, good, self.resists, query.sample_move));
            }
            Found::Open(worse) => worse,
        };
        let guess = guess.map_or_else(|| self.fall_back(query, deadline), Ok)?;
        if !worse.contains(&guess.played) {
            return Ok(guess);
        }
        let moves = state.legal_moves();
        let mut others = from_the_middle(moves.len() as u64).into_iter().map(|index| moves[index as usize].clone());
        Ok(Choice::plain(others.find(|played| !worse.contains(played)).unwrap_or(guess.played)))
    }
}

impl Perfect {
    /// The guess of the reference strategy.
    fn guess(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let GuessesView { guesses } = serde_json::from_str(query.view.get())?;
        let stop = || deadline.passed();
        let limits = Limits { nodes: self.nodes, stop: &stop };
        if self.slips()
            && let Ok(start) = self.variant.start(0)
        {
            return Ok(Choice::plain(start.nth_legal(self.rng.below(start.legal_count()))));
        }
        let found = self.guesser.as_mut().and_then(|guesser| {
            // The same answers have the same guess, whatever came before.
            guesser.forget();
            let code = guesser.best(&guesses, &limits).ok()??;
            let more =
                guesser.expected(&guesses, &limits).ok().map(|expected| format!("{:.2} guesses", expected.mean()));
            Some((code, more))
        });
        let Some((code, comment)) = found else { return self.fall_back(query, deadline) };
        let played = Move::List(code.into_iter().map(i64::from).collect());
        Ok(Choice { played, eval: None, comment })
    }

    /// Whether this move is one of the random ones.
    fn slips(&mut self) -> bool {
        self.slip > 0 && self.rng.below(100) < self.slip
    }

    /// What the fallback plays.
    fn fall_back(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        match &mut self.fallback {
            Some(fallback) => fallback.choose(query, deadline),
            None => Ok(Choice::plain(query.sample_move.clone())),
        }
    }
}
