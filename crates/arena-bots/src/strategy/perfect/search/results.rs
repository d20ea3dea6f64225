//! The results of moves, without distances.
//!
//! Results come first: a move that is slower than another one costs nothing, one that gives the result away costs the game. Nobody knows
//! beforehand which proof is short. So all open questions are asked in rounds, each time with the same number of positions for all of
//! them, and the next time with more. What a round has found is in the table for the next one. If that is not enough, one move
//! after the other gets what is left, first the one that looks best.

use super::{Candidate, Found, ROUNDS, Search};
use arena_core::rules::Move;
use arena_core::solver::{Known, Limits, Outlook, Value};

impl Search<'_> {
    /// Finds out what the moves lead to, until none can be better than the best that is proved. The position has a result between
    /// `least` and `most`.
    pub(super) fn find_results(
        &mut self,
        [least, most]: [Outlook; 2],
        moves: &mut [Candidate],
        looks_best: &mut dyn FnMut() -> Option<Move>,
    ) {
        for it in &mut *moves {
            it.most = it.most.min(most);
        }
        if self.ask_in_rounds(least, moves) {
            return;
        }
        // With the same work for all of them, nothing may be proved in the end.
        let first = looks_best();
        for wanted in [least.max(Outlook::Draw), Outlook::Win] {
            self.ask_in_turn(wanted, least, moves, first.as_ref());
        }
    }

    /// Asks about one move after the other, those from the middle after `first`, until one is proved to have at least the result `wanted`.
    fn ask_in_turn(&mut self, wanted: Outlook, least: Outlook, moves: &mut [Candidate], first: Option<&Move>) {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|index| Some(&moves[*index].played) != first);
        // The second time with all that is left.
        for parts in [2, 1] {
            for index in &order {
                if settle(least, moves) || moves.iter().any(|it| it.least >= wanted) {
                    return;
                }
                let limits = self.share(parts);
                self.ask(&mut moves[*index], wanted, &limits);
            }
        }
    }

    /// Asks about all moves in rounds; returns whether none can be better than the best that is proved.
    fn ask_in_rounds(&mut self, least: Outlook, moves: &mut [Candidate]) -> bool {
        for part in ROUNDS {
            if settle(least, moves) {
                return true;
            }
            let open = moves.iter().filter(|it| it.least < it.most).count() as u64;
            let limits = self.share(open * part);
            for it in &mut *moves {
                self.ask(it, Outlook::Win, &limits);
                if least < Outlook::Win {
                    self.ask(it, Outlook::Draw, &limits);
                }
            }
        }
        settle(least, moves)
    }

    /// Asks whether a move has at least this result, which is no loss.
    fn ask(&mut self, it: &mut Candidate, wanted: Outlook, limits: &Limits<'_>) {
        if it.least >= wanted || it.most < wanted {
            return;
        }
        let (too_much, less) = match wanted {
            Outlook::Win => (Value::Draw, Outlook::Draw),
            _ => (Value::LAST_WIN, Outlook::Loss),
        };
        match self.solver.reaches(it.after.as_ref(), too_much, limits) {
            Ok(true) => it.most = less,
            Ok(false) => it.least = wanted,
            Err(_) => {}
        }
    }
}

/// Notes what follows for the only move that can have at least the result `least`, as the position has; returns whether no move can be
/// better than the best that is proved.
fn settle(least: Outlook, moves: &mut [Candidate]) -> bool {
    // Some move has the result of the position: if no other can have it, it is the one that is left.
    let mut able = moves.iter_mut().filter(|it| it.most >= least);
    if let (Some(only), None) = (able.next(), able.next()) {
        only.least = only.least.max(least);
    }
    let best = moves.iter().map(|it| it.least).max();
    moves.iter().all(|it| Some(it.most) <= best)
}

/// The moves of which most is proved, where distances are not. The position has at least the result `least`.
pub(super) fn by_result(least: Outlook, moves: Vec<Candidate>) -> Found {
    // A move that cannot have the result of the position gives it away.
    let (able, mut worse): (Vec<Candidate>, Vec<Candidate>) = moves.into_iter().partition(|it| it.most >= least);
    let proved = able.iter().map(|it| it.least).max().unwrap_or(Outlook::Loss);
    if proved == Outlook::Loss {
        // Nothing is proved but losses, if anything.
        let most = able.iter().map(|it| it.most).max();
        worse.extend(able.into_iter().filter(|it| it.most == Outlook::Loss && most > Some(Outlook::Loss)));
        return Found::Open(worse.into_iter().map(|it| it.played).collect());
    }
    Found::Good(Known::Result(proved), best_of(able))
}

/// The moves with the best result that is proved, and of these the ones with the best that is possible.
pub(super) fn best_of(moves: Vec<Candidate>) -> Vec<Candidate> {
    let best = moves.iter().map(|it| (it.least, it.most)).max();
    moves.into_iter().filter(|it| Some((it.least, it.most)) == best).collect()
}
