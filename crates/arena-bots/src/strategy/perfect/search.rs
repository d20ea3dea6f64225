//! Which moves keep the value of a position, and which of them is the hardest to answer, within limits.

use arena_core::rules::{Move, Seat, State};
use arena_core::solver::{Known, Limits, Outlook, Solver, Value, from_the_middle};

use super::super::Choice;

/// A move with the position after it.
pub(super) struct Candidate {
    played: Move,
    after: Box<dyn State>,
}

/// All moves, from the middle of the list.
pub(super) fn candidates(state: &dyn State) -> Vec<Candidate> {
    let moves = state.legal_moves();
    let candidate = |index: u64| {
        let played = moves[index as usize].clone();
        let mut after = state.boxed_clone();
        after.apply(&played).ok()?;
        Some(Candidate { played, after })
    };
    from_the_middle(moves.len() as u64).into_iter().filter_map(candidate).collect()
}

/// The part of the work that each move gets at first.
const QUICK_PARTS: u64 = 32;

/// One search for a move, within its limits.
pub(super) struct Search<'a> {
    pub(super) solver: &'a mut dyn Solver,
    /// What the solver's count of positions may come to.
    pub(super) end: u64,
    pub(super) stop: &'a dyn Fn() -> bool,
}

impl<'a> Search<'a> {
    /// One part of what is left; nothing after the deadline, which the solver looks at too seldom for many small questions.
    fn share(&self, parts: u64) -> Limits<'a> {
        let left = if (self.stop)() { 0 } else { self.end.saturating_sub(self.solver.nodes()) };
        Limits { nodes: left / parts, stop: self.stop }
    }

    /// What is proved of the position, and the moves that are proved to keep it; if nothing is, the moves that are proved to lose.
    pub(super) fn best(
        &mut self,
        state: &dyn State,
        moves: Vec<Candidate>,
    ) -> Result<(Known, Vec<Candidate>), Vec<Move>> {
        let side = state.to_move();
        let limits = self.share(2);
        if let Ok(Known::Exact(value)) = self.solver.value(state, None, &limits) {
            return self.by_value(side, value, moves);
        }
        self.by_result(side, moves)
    }

    /// As [`best`](Self::best), of a position of this value.
    fn by_value(
        &mut self,
        side: Seat,
        value: Value,
        moves: Vec<Candidate>,
    ) -> Result<(Known, Vec<Candidate>), Vec<Move>> {
        let (mut good, mut worse) = (Vec::new(), Vec::new());
        let mut open: Vec<(usize, Candidate)> = moves.into_iter().enumerate().collect();
        // A move that takes much work must not keep others from being looked at.
        for parts in [QUICK_PARTS, 1] {
            for (place, candidate) in std::mem::take(&mut open) {
                let keeps = match candidate.after.outcome() {
                    Some(outcome) => Some(Outlook::of(outcome, side) == value.outlook()),
                    None => self.exceeds(candidate.after.as_ref(), value.after(), parts).map(|more| !more),
                };
                match keeps {
                    Some(true) => good.push((place, candidate)),
                    Some(false) => worse.push((place, candidate)),
                    None => open.push((place, candidate)),
                }
            }
        }
        // Some move keeps the value: if all others are worse, it is the one that is left.
        if good.is_empty() && open.len() == 1 {
            good.append(&mut open);
        }
        let in_order = |mut moves: Vec<(usize, Candidate)>| {
            moves.sort_by_key(|(place, _)| *place);
            moves.into_iter().map(|(_, candidate)| candidate).collect::<Vec<Candidate>>()
        };
        if !good.is_empty() {
            return Ok((Known::Exact(value), in_order(good)));
        }
        // The rest of the work may not do for a single proof; the value then helps no more than results.
        if value != Value::Draw {
            open.append(&mut worse);
            return self.by_result(side, in_order(open));
        }
        self.by_result(side, in_order(open)).map_err(|mut lost| {
            lost.extend(worse.into_iter().map(|(_, candidate)| candidate.played));
            lost
        })
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
    pub(super) fn choose(&mut self, known: Known, mut good: Vec<Candidate>, resists: bool, sample: &Move) -> Choice {
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

    /// Whether the side to move has more than `value`; none if that could not be found out with one part of what is left.
    fn exceeds(&mut self, state: &dyn State, value: Value, parts: u64) -> Option<bool> {
        let limits = self.share(parts);
        self.solver.reaches(state, value.above(), &limits).ok()
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
