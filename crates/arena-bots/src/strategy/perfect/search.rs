//! Which moves keep the value of a position, and which of them is the hardest to answer, within limits.

mod results;

use arena_core::rules::{Move, Seat, State};
use arena_core::solver::{Known, Limits, Outlook, Solver, Value, from_the_middle};

use self::results::{best_of, by_result};
use super::super::Choice;

/// A move with the position after it, and what is proved of it for the side that makes it.
pub(super) struct Candidate {
    pub(super) played: Move,
    after: Box<dyn State>,
    least: Outlook,
    most: Outlook,
    /// A value that it is known not to exceed.
    ceiling: Option<Value>,
}

/// All moves, from the middle of the list.
pub(super) fn candidates(state: &dyn State) -> Vec<Candidate> {
    let moves = state.legal_moves();
    let side = state.to_move();
    let candidate = |index: u64| {
        let played = moves[index as usize].clone();
        let mut after = state.boxed_clone();
        after.apply(&played).ok()?;
        let [least, most] = match after.outcome() {
            Some(outcome) => [Outlook::of(outcome, side); 2],
            None => [Outlook::Loss, Outlook::Win],
        };
        Some(Candidate { played, after, least, most, ceiling: None })
    };
    from_the_middle(moves.len() as u64).into_iter().filter_map(candidate).collect()
}

/// The part of the work that the value of the position may take at first, and the moves that keep it; those of most positions take less.
const VALUE_PART: u64 = 16;
/// What a round may take: this part of what is left, in equal parts for all moves about which something is open.
const ROUNDS: [u64; 2] = [8, 4];
/// The part of the work that counting replies may take.
const REPLIES_PART: u64 = 8;

/// What is found of a position.
pub(super) enum Found {
    /// What is proved of it, and moves that are proved to keep it, or of which as much is proved.
    Good(Known, Vec<Candidate>),
    /// Nothing by which to choose, but these moves are worse than others.
    Open(Vec<Move>),
}

/// One search for a move, within its limits.
pub(super) struct Search<'a> {
    solver: &'a mut dyn Solver,
    /// Positions for all of it.
    nodes: u64,
    /// What the solver's count of positions may come to.
    end: u64,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Search<'a> {
    /// A search of at most `nodes` positions that ends early if `stop` says so.
    pub(super) fn new(solver: &'a mut dyn Solver, nodes: u64, stop: &'a dyn Fn() -> bool) -> Self {
        let end = solver.nodes().saturating_add(nodes);
        Self { solver, nodes, end, stop }
    }

    /// One part of what is left; nothing after the deadline, which the solver looks at too seldom for many small questions.
    fn share(&self, parts: u64) -> Limits<'a> {
        let left = if (self.stop)() { 0 } else { self.end.saturating_sub(self.solver.nodes()) };
        Limits { nodes: left / parts.max(1), stop: self.stop }
    }

    /// Does something with one part of all the work at most.
    fn within<T>(&mut self, parts: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let end = self.end;
        self.end = end.min(self.solver.nodes().saturating_add(self.nodes / parts));
        let found = work(self);
        self.end = end;
        found
    }

    /// What is proved of the position, and which moves keep it. `looks_best` is asked for a move to try first if the work is hard.
    pub(super) fn best(
        &mut self,
        state: &dyn State,
        mut moves: Vec<Candidate>,
        looks_best: &mut dyn FnMut() -> Option<Move>,
    ) -> Found {
        let side = state.to_move();
        for it in moves.iter_mut().filter(|it| it.after.outcome().is_none()) {
            it.ceiling = self.solver.floor(it.after.as_ref()).map(Value::before);
            it.most = it.ceiling.map_or(it.most, Value::outlook);
        }
        let floor = self.solver.floor(state);
        let value = self.within(VALUE_PART, |search| search.value(state, floor, 1));
        if let Some(good) = self.within(VALUE_PART, |search| search.of_value(side, value, &mut moves)) {
            return good;
        }
        let floor_result = floor.map_or(Outlook::Loss, Value::outlook);
        let bounds = value.map_or([floor_result, Outlook::Win], |value| [value.outlook(); 2]);
        self.find_results(bounds, &mut moves, looks_best);
        let least = moves.iter().map(|it| it.least).max().unwrap_or(Outlook::Loss);
        if moves.iter().all(|it| it.most <= least) {
            // The result is known. What is left may do for the distance.
            let value = match least {
                Outlook::Draw => return Found::Good(Known::Exact(Value::Draw), best_of(moves)),
                Outlook::Win => value.or_else(|| self.value(state, floor.or(Some(Value::LAST_WIN)), 2)),
                Outlook::Loss => value.or_else(|| self.value(state, floor, 2)),
            };
            if let Some(good) = self.of_value(side, value, &mut moves) {
                return good;
            }
        }
        by_result(bounds[0], moves)
    }

    /// The value of a position, if this part of what is left is enough.
    fn value(&mut self, state: &dyn State, floor: Option<Value>, parts: u64) -> Option<Value> {
        let limits = self.share(parts);
        self.solver.value(state, floor, &limits).ok().and_then(Known::value)
    }

    /// Moves that are proved to keep a value that is no draw, of a won position the first that is found; `None` if there are none.
    fn of_value(&mut self, side: Seat, value: Option<Value>, moves: &mut Vec<Candidate>) -> Option<Found> {
        let value = value.filter(|value| *value != Value::Draw)?;
        let outlook = value.outlook();
        let mut keeps: Vec<Option<bool>> =
            moves.iter().map(|it| it.after.outcome().map(|over| Outlook::of(over, side) == outlook)).collect();
        for part in ROUNDS.into_iter().chain([2, 1]) {
            let open = keeps.iter().filter(|keeps| keeps.is_none()).count() as u64;
            let limits = self.share(open * part);
            for (it, keeps) in moves.iter_mut().zip(&mut keeps).filter(|(_, keeps)| keeps.is_none()) {
                *keeps = if it.most < outlook || it.ceiling.is_some_and(|ceiling| ceiling < value) {
                    Some(false)
                } else {
                    self.solver.reaches(it.after.as_ref(), value.after().above(), &limits).ok().map(|more| !more)
                };
                if *keeps == Some(true) && outlook == Outlook::Win {
                    break;
                }
            }
            let open = keeps.iter().filter(|keeps| keeps.is_none()).count();
            // Some move keeps the value: if all others are worse, it is the one that is left.
            if open == 1 && !keeps.contains(&Some(true)) {
                keeps = keeps.iter().map(|keeps| Some(keeps.is_none())).collect();
            }
            if keeps.contains(&Some(true)) {
                let good = moves.drain(..).zip(keeps).filter(|(_, keeps)| *keeps == Some(true));
                return Some(Found::Good(Known::Exact(value), good.map(|(it, _)| it).collect()));
            }
        }
        None
    }

    /// One of the moves that keep what is known.
    pub(super) fn choose(&mut self, known: Known, mut good: Vec<Candidate>, resists: bool, sample: &Move) -> Choice {
        let outlook = known.outlook();
        if resists && good.len() > 1 {
            // Each has the same part: otherwise replies that nobody has looked at would count against those that come last.
            let parts = good.len() as u64 * REPLIES_PART;
            let replies = good.iter().map(|it| self.within(parts, |search| search.good_replies(it, outlook.before())));
            let replies: Vec<u64> = replies.collect();
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
            if let Some(outcome) = next.outcome() {
                return outcome.winner.is_some() || outlook == Outlook::Draw;
            }
            let known = self.solver.floor(next.as_ref()).is_some_and(|floor| floor >= too_much);
            !known && !self.solver.reaches(next.as_ref(), too_much, &limits).unwrap_or(false)
        };
        candidate.after.legal_moves().iter().filter(|reply| keeps(reply)).count() as u64
    }
}
