//! `perfect`: plays the value of the position, as the [solvers](crate::solver) know it.
//!
//! Of several moves that are as good, it prefers the one after which the fewest replies keep the opponent's result. Its work is limited
//! in positions: first the value of the position and the moves that keep it; if that is too much, the results of all moves; then these
//! replies. Where nothing is proved `minimax` chooses, but never a move that is proved to lose.

use super::{Choice, Engine, Query, SearchDeadline, Strategy, minimax};
use crate::rng::Rng;
use crate::rules::{Move, Param, ParamKind, Params, Seat, State, Variant, play};
use crate::solver::{Known, Limits, Outlook, Solver, Value, for_variant, winning_ranges};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "perfect",
    summary: "perfect play as far as it is known (connect4, mnk, marbles)",
    version: 1,
    ships: false,
    options: &[
        Param {
            name: "nodes",
            help: "positions searched per move; what they do not prove is left to minimax",
            kind: ParamKind::Int { default: 1_000_000, min: 1, max: 1_000_000_000_000 },
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
    plays: |variant| for_variant(variant).is_ok() || (minimax::STRATEGY.plays)(variant),
    build_unknown: None,
    build: |variant, options, seed| {
        let fallback = (minimax::STRATEGY.plays)(variant)
            .then(|| (minimax::STRATEGY.build)(variant, &Params::defaults(minimax::STRATEGY.options), seed));
        Box::new(Perfect {
            variant: variant.clone(),
            solver: for_variant(variant).ok(),
            fallback,
            nodes: options.size("nodes") as u64,
            resists: options.word("style") == "resist",
            slip: options.size("slip") as u64,
            rng: Rng::new(seed),
        })
    },
};

struct Perfect {
    variant: Variant,
    solver: Option<Box<dyn Solver>>,
    /// Chooses where nothing is proved.
    fallback: Option<Box<dyn Engine>>,
    nodes: u64,
    resists: bool,
    /// Per cent of random moves.
    slip: u64,
    rng: Rng,
}

impl Engine for Perfect {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let moves = query.moves()?;
        let sample = || Ok(Choice::plain(query.sample_move.clone()));
        let Ok(mut state) = self.variant.start(0) else { return sample() };
        // A referee sends legal moves, and asks while the game goes on.
        if play(state.as_mut(), &moves).is_err() || state.outcome().is_some() {
            return sample();
        }
        if self.slip > 0 && self.rng.below(100) < self.slip {
            return Ok(Choice::plain(state.nth_legal(self.rng.below(state.legal_count()))));
        }
        if let Some(ranges) = winning_ranges(&self.variant, state.as_ref()) {
            return Ok(take(&self.variant, state.as_ref(), &ranges));
        }
        let Some(solver) = &mut self.solver else { return self.fall_back(query, deadline, &[]) };
        // The same position has the same answer, whatever came before.
        solver.forget();
        let stop = || deadline.passed();
        let mut search = Search { end: solver.nodes() + self.nodes, solver: solver.as_mut(), stop: &stop };
        let moves = candidates(state.as_ref());
        match search.best(state.as_ref(), moves) {
            Ok((known, good)) => Ok(search.choose(known, good, self.resists, query.sample_move)),
            Err(lost) => self.fall_back(query, deadline, &lost),
        }
    }
}

impl Perfect {
    /// What minimax plays, or another move if that is proved to lose.
    fn fall_back(&mut self, query: &Query<'_>, deadline: &SearchDeadline, lost: &[Move]) -> serde_json::Result<Choice> {
        let choice = match &mut self.fallback {
            Some(fallback) => fallback.choose(query, deadline)?,
            None => Choice::plain(query.sample_move.clone()),
        };
        if !lost.contains(&choice.played) {
            return Ok(choice);
        }
        let legal = query.legal_moves.unwrap_or_default();
        let other = legal.iter().find(|played| !lost.contains(played)).cloned();
        Ok(Choice::plain(other.unwrap_or(choice.played)))
    }
}

/// A move with the position after it.
struct Candidate {
    played: Move,
    after: Box<dyn State>,
}

/// All moves, from the middle of the list.
fn candidates(state: &dyn State) -> Vec<Candidate> {
    let moves = state.legal_moves();
    let middle = moves.len().saturating_sub(1) / 2;
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_key(|index| index.abs_diff(middle));
    let candidate = |index: usize| {
        let mut after = state.boxed_clone();
        after.apply(&moves[index]).ok()?;
        Some(Candidate { played: moves[index].clone(), after })
    };
    order.into_iter().filter_map(candidate).collect()
}

/// One search for a move, within its limits.
struct Search<'a> {
    solver: &'a mut dyn Solver,
    /// What the solver's count of positions may come to.
    end: u64,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Search<'a> {
    /// One part of what is left; nothing after the deadline, which the solver looks at too seldom for many small questions.
    fn share(&self, parts: u64) -> Limits<'a> {
        let left = if (self.stop)() { 0 } else { self.end.saturating_sub(self.solver.nodes()) };
        Limits { nodes: left / parts, stop: self.stop }
    }

    /// What is proved of the position, and the moves that are proved to keep it; if nothing is, the moves that are proved to lose.
    fn best(&mut self, state: &dyn State, moves: Vec<Candidate>) -> Result<(Known, Vec<Candidate>), Vec<Move>> {
        let side = state.to_move();
        let limits = self.share(2);
        if let Ok(Known::Exact(value)) = self.solver.value(state, None, &limits) {
            let keeps = |search: &mut Self, after: &dyn State| match after.outcome() {
                Some(outcome) => Outlook::of(outcome, side) == value.outlook(),
                None => search.exceeds(after, value.after()) == Some(false),
            };
            let (good, others): (Vec<_>, Vec<_>) = moves.into_iter().partition(|it| keeps(self, it.after.as_ref()));
            // The rest of the work may not do for a single proof; the value then helps no more than results.
            return if good.is_empty() { self.by_result(side, others) } else { Ok((Known::Exact(value), good)) };
        }
        self.by_result(side, moves)
    }

    /// As [`best`](Self::best), without distances.
    fn by_result(&mut self, side: Seat, moves: Vec<Candidate>) -> Result<(Known, Vec<Candidate>), Vec<Move>> {
        let outlooks: Vec<Option<Outlook>> = moves
            .iter()
            .map(|it| {
                let limits = self.share(1);
                let over = it.after.outcome().map(|outcome| Outlook::of(outcome, side));
                over.or_else(|| self.solver.outlook(it.after.as_ref(), &limits).ok().map(Outlook::before))
            })
            .collect();
        let best = outlooks.iter().flatten().max().copied();
        let of = |wanted: Option<Outlook>, moves: Vec<Candidate>| {
            let pairs = moves.into_iter().zip(&outlooks).filter(move |(_, outlook)| **outlook == wanted);
            pairs.map(|(candidate, _)| candidate).collect::<Vec<Candidate>>()
        };
        match best {
            Some(outlook) if outlook > Outlook::Loss || !outlooks.contains(&None) => {
                Ok((Known::Result(outlook), of(best, moves)))
            }
            // Nothing is proved but losses, if anything.
            _ => Err(of(Some(Outlook::Loss), moves).into_iter().map(|candidate| candidate.played).collect()),
        }
    }

    /// One of the moves that keep what is known.
    fn choose(&mut self, known: Known, mut good: Vec<Candidate>, resists: bool, sample: &Move) -> Choice {
        let outlook = known.outlook();
        if resists && good.len() > 1 {
            let replies: Vec<u64> =
                good.iter().map(|candidate| self.good_replies(candidate, outlook.before())).collect();
            let fewest = replies.iter().min().copied();
            let mut replies = replies.into_iter();
            good.retain(|_| replies.next() == fewest);
        }
        let comment = match known.value().and_then(Value::moves) {
            Some(moves) if outlook == Outlook::Win => format!("wins in {moves}"),
            Some(moves) => format!("loses in {moves}"),
            None => outlook.name().to_owned(),
        };
        let eval = match outlook {
            Outlook::Win => 1.0,
            Outlook::Draw => 0.0,
            Outlook::Loss => -1.0,
        };
        let played = good.into_iter().next().map_or_else(|| sample.clone(), |candidate| candidate.played);
        Choice { played, eval: Some(eval), comment: Some(comment) }
    }

    /// Whether the side to move has more than `value`; none if that could not be found out.
    fn exceeds(&mut self, state: &dyn State, value: Value) -> Option<bool> {
        let more = match value {
            Value::Loss(plies) => Value::Loss(plies + 1),
            Value::Draw => Value::LAST_WIN,
            Value::Win(plies) => Value::Win(plies - 1),
        };
        let limits = self.share(1);
        self.solver.reaches(state, more, &limits).ok()
    }

    /// Number of replies that keep the result of the side that replies; all that cannot be told count.
    fn good_replies(&mut self, candidate: &Candidate, outlook: Outlook) -> u64 {
        let too_much = match outlook {
            // Whatever it plays, it loses.
            Outlook::Loss => return candidate.after.legal_count(),
            Outlook::Draw => Value::LAST_WIN,
            Outlook::Win => Value::Draw,
        };
        let mut keeps = |reply: &Move| {
            let limits = self.share(1);
            let mut next = candidate.after.boxed_clone();
            if next.apply(reply).is_err() {
                return false;
            }
            match next.outcome() {
                Some(outcome) => outcome.winner.is_some() || outlook == Outlook::Draw,
                None => !self.solver.reaches(next.as_ref(), too_much, &limits).unwrap_or(false),
            }
        };
        candidate.after.legal_moves().iter().filter(|reply| keeps(reply)).count() as u64
    }
}

/// Takes looked at in a lost game of marbles.
const TAKES_MAX: u64 = 4_096;

/// A take of marbles: the smallest winning one. In a lost game the one that leaves the other side the smallest share of winning takes.
fn take(variant: &Variant, state: &dyn State, winning: &[[i64; 2]]) -> Choice {
    if let Some([from, _]) = winning.first() {
        return Choice { played: Move::Int(*from), eval: Some(1.0), comment: Some("win".to_owned()) };
    }
    let share = |index: &u64| {
        let mut after = state.boxed_clone();
        let ranges = after.apply(&state.nth_legal(*index)).ok().and_then(|()| winning_ranges(variant, after.as_ref()));
        let count: i64 = ranges.unwrap_or_default().iter().map(|[from, to]| to - from + 1).sum();
        // In billionths, so that it is ordered.
        (count as u128 * 1_000_000_000) / u128::from(after.legal_count().max(1))
    };
    let best = (0..state.legal_count().min(TAKES_MAX)).min_by_key(share).unwrap_or(0);
    Choice { played: state.nth_legal(best), eval: Some(-1.0), comment: Some("loss".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::super::matches::TestPosition;
    use super::*;

    #[track_caller]
    fn check(game: &str, moves: &str, options: &[&str], played: &str, comment: &str) {
        let choice = TestPosition::after(game, moves).choice("perfect", options, 1);
        let said = choice.comment.unwrap_or_default();
        assert_eq!((choice.played.to_string().as_str(), said.as_str()), (played, comment), "{game} {moves}");
    }

    #[test]
    fn the_fastest_win_and_the_slowest_loss_are_played() {
        check("connect4", "3 3 3 3 3 1 2 1 4 1", &[], "5", "wins in 1");
        check("connect4", "3 0 4 0", &["nodes=100000"], "2", "wins in 2");
        // Two threats at once; its own threat leaves the other side the fewest answers that win.
        check("connect4", "3 0 4 0 5", &["nodes=100000"], "0", "loses in 1");
        check("tictactoe", "[1,1] [0,1]", &[], "[1,2]", "wins in 3");
    }

    /// Whether every choice of `perfect` in games against random moves is a best one.
    #[track_caller]
    fn check_perfect(game: &str, games: u64) {
        let variant: Variant = game.parse().unwrap();
        let mut solver = for_variant(&variant).unwrap();
        let mut rng = Rng::new(11);
        for seed in 0..games {
            let mut state = variant.start(0).unwrap();
            let own = if seed % 2 == 0 { Seat::First } else { Seat::Second };
            while state.outcome().is_none() {
                if state.to_move() == own {
                    let value = solver.value(state.as_ref(), None, &Limits::NONE).unwrap();
                    let choice = TestPosition::of(state.as_ref(), game).choice("perfect", &[], seed);
                    state.apply(&choice.played).unwrap();
                    let after = match state.outcome() {
                        Some(outcome) => {
                            Known::Exact(if outcome.winner.is_some() { Value::Win(1) } else { Value::Draw })
                        }
                        None => solver.value(state.as_ref(), None, &Limits::NONE).unwrap().before(),
                    };
                    match (value, after) {
                        (Known::Exact(value), Known::Exact(after)) => assert_eq!(value, after, "{game}"),
                        (value, after) => assert_eq!(value.outlook(), after.outlook(), "{game}"),
                    }
                } else {
                    let played = state.nth_legal(rng.below(state.legal_count()));
                    state.apply(&played).unwrap();
                }
            }
        }
    }

    #[test]
    fn no_move_is_worse_than_another() {
        check_perfect("connect4:rows=4,cols=5", 30);
        check_perfect("connect4:rows=5,cols=4", 30);
        check_perfect("marbles:heap=60", 30);
        check_perfect("marbles:rule=fibonacci,heap=60", 30);
    }

    #[test]
    fn with_few_positions_it_still_plays_and_keeps_what_is_proved() {
        // Two in the middle: elsewhere than next to them, O loses to a double threat.
        let choice = TestPosition::after("connect4", "3 3 4").choice("perfect", &["nodes=40"], 1);
        assert!(["2", "5"].contains(&choice.played.to_string().as_str()), "{choice:?}");
    }
}
