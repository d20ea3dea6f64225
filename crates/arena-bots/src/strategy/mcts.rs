//! `mcts`: Monte Carlo tree search.
//!
//! UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006; the four steps as in Browne et al., "A survey
//! of Monte Carlo tree search methods", 2012): descend the tree by upper confidence bounds, add the moves of the leaf,
//! play a random game from it, and add its result to every node on the path. It needs no evaluation, so it plays every
//! game with open information.
//!
//! What is proved is backed up as well (Winands, Björnsson and Saito, "Monte-Carlo tree search solver", 2008): a move that wins by force
//! loses the position before it for the other side, and a position in which every move loses is lost. Nothing is played through what
//! is proved, and a position that is proved ends the search.

use arena_core::rng::Rng;
use arena_core::rules::{Param, ParamKind, Seat};
use arena_core::solver::Value;

use super::bits::BitBoard;
use super::board::{SearchBoard, is_grid};
use super::playable::{POINTS, Playable};
use super::{Choice, Engine, Query, SearchDeadline, Strategy};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "mcts",
    summary: "Monte Carlo tree search (every game with open information)",
    version: 2,
    options: &[
        Param {
            name: "playouts",
            help: "random games per move; 0 for no limit but the clock",
            kind: ParamKind::Int { default: 3_000, min: 0, max: 1_000_000_000 },
        },
        Param {
            name: "exploration",
            // √2 in theory, lower where playouts are informative.
            help: "exploration constant of UCT in hundredths, such as 141 for 1.41",
            kind: ParamKind::Int { default: 100, min: 0, max: 10_000 },
        },
    ],
    plays: |variant| variant.rules.open_information && !variant.rules.is_external(),
    build_unknown: None,
    build: |variant, options, seed| {
        let playouts = match options.int("playouts") {
            0 => u64::MAX,
            playouts => playouts as u64,
        };
        let (exploration, rng) = (options.int("exploration") as f64 / 100.0, Rng::new(seed));
        if !is_grid(variant) {
            return Box::new(Mcts { start: variant.start(0).expect("built-in rules"), playouts, exploration, rng });
        }
        let board = SearchBoard::new(variant);
        match BitBoard::new(variant).filter(|_| !board.is_wide()) {
            Some(start) => Box::new(Mcts { start, playouts, exploration, rng }),
            None => Box::new(Mcts { start: board, playouts, exploration, rng }),
        }
    },
};

/// Maximum number of nodes, to limit memory: 32 bytes each on boards.
const NODES_MAX: usize = 1_000_000;
/// Number of playouts from a position before its moves are added.
const GROWS_AT: u32 = 1;

struct Mcts<P> {
    start: P,
    playouts: u64,
    /// The exploration constant.
    exploration: f64,
    rng: Rng,
}

/// A move in the tree, with the results of the games through it. All that is counted is from the side that made the move.
struct Node<A> {
    /// `None` at the root.
    action: Option<A>,
    /// What the move is proved to be worth.
    value: Option<Value>,
    /// Index of its first reply; all `children` replies are adjacent. 0 until expanded.
    first: u32,
    children: u16,
    /// Whether no better reply is left out.
    complete: bool,
    visits: u32,
    /// Sum of the results, each from −[`POINTS`] to [`POINTS`].
    points: i64,
}

struct Tree<P: Playable> {
    root: P,
    exploration: f64,
    nodes: Vec<Node<P::Action>>,
    /// The position while descending.
    walk: P,
    path: Vec<usize>,
    /// New moves, reused to avoid allocations.
    actions: Vec<P::Action>,
}

impl<P: Playable> Engine for Mcts<P> {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let mut tree = Tree::new(self.start.after(&query.moves()?), self.exploration);
        tree.grow(0, &mut self.rng);
        // With a single move there is nothing to search.
        if let [_, Node { action: Some(only), .. }] = &tree.nodes[..] {
            return Ok(match tree.root.settled() {
                Some(value) => tree.choice(only, value),
                None => Choice::plain(tree.root.move_of(only)),
            });
        }
        let mut played = 0;
        while played < self.playouts && tree.nodes[0].value.is_none() && !(played % 16 == 0 && deadline.passed()) {
            tree.playout(&mut self.rng);
            played += 1;
        }
        Ok(tree.best().unwrap_or_else(|| Choice::plain(query.sample_move.clone())))
    }
}

impl<A> Node<A> {
    const fn new(action: Option<A>) -> Self {
        Self { action, value: None, first: 0, children: 0, complete: false, visits: 0, points: 0 }
    }

    fn is_lost(&self) -> bool {
        matches!(self.value, Some(Value::Loss(_)))
    }
}

impl<P: Playable> Tree<P> {
    fn new(root: P, exploration: f64) -> Self {
        let walk = root.clone();
        Self { walk, root, exploration, nodes: vec![Node::new(None)], path: Vec::new(), actions: Vec::new() }
    }

    /// Adds the moves of node `at`, whose position is `walk`.
    fn grow(&mut self, at: usize, rng: &mut Rng) {
        let complete = self.walk.actions(rng, &mut self.actions);
        let first = self.nodes.len() as u32;
        let node = &mut self.nodes[at];
        (node.first, node.children, node.complete) = (first, self.actions.len() as u16, complete);
        self.nodes.extend(self.actions.drain(..).map(|action| Node::new(Some(action))));
    }

    fn children(&self, at: usize) -> &[Node<P::Action>] {
        let Node { first, children, .. } = self.nodes[at];
        &self.nodes[first as usize..first as usize + usize::from(children)]
    }

    /// Plays one game: selection, expansion, simulation and backpropagation.
    fn playout(&mut self, rng: &mut Rng) {
        self.walk.restore(&self.root);
        self.path.clear();
        let mut at = 0;
        self.path.push(at);
        while let Some(child) = self.select(at, rng) {
            if let Some(action) = &self.nodes[child].action {
                self.walk.play(action);
            }
            self.path.push(child);
            at = child;
        }
        if self.nodes[at].visits == 0 {
            self.nodes[at].value = self.walk.settled().map(Value::before);
        }
        let mut points = match self.nodes[at].value {
            Some(_) => self.prove(),
            None if (self.root.mover() == Seat::First) == self.path.len().is_multiple_of(2) => self.walk.playout(rng),
            None => -self.walk.playout(rng),
        };
        for node in self.path.iter().rev() {
            let node = &mut self.nodes[*node];
            node.visits += 1;
            node.points += i64::from(points);
            points = -points;
        }
    }

    /// Backs up the value of the last node of the path as far as it proves others. Returns the result for the last node.
    fn prove(&mut self) -> i32 {
        let mut proved = self.path.len() - 1;
        while proved > 0 {
            let at = self.path[proved - 1];
            let best = self.children(at).iter().map(|child| child.value.unwrap_or(Value::Loss(0))).max();
            let known = |child: &Node<P::Action>| child.value.is_some();
            let won = matches!(best, Some(Value::Win(_)));
            let exhausted = self.nodes[at].complete && self.children(at).iter().all(known);
            if !won && !exhausted {
                break;
            }
            self.nodes[at].value = best.map(Value::before);
            proved -= 1;
        }
        let points = match self.nodes[self.path[proved]].value {
            Some(Value::Win(_)) => POINTS,
            Some(Value::Loss(_)) => -POINTS,
            Some(Value::Draw) | None => 0,
        };
        if (self.path.len() - proved).is_multiple_of(2) { -points } else { points }
    }

    /// Selects a child of node `at`; `None` at a new node, where the random game begins, and where nothing is left to find out.
    fn select(&mut self, at: usize, rng: &mut Rng) -> Option<usize> {
        if self.nodes[at].value.is_some() {
            return None;
        }
        if self.nodes[at].children == 0 {
            if (at > 0 && self.nodes[at].visits < GROWS_AT) || self.nodes.len() >= NODES_MAX {
                return None;
            }
            self.grow(at, rng);
        }
        let log_visits = ln(self.nodes[at].visits.max(1));
        let bound = |node: &Node<P::Action>| {
            let visits = f64::from(node.visits);
            node.points as f64 / (2.0 * f64::from(POINTS) * visits) + self.exploration * (log_visits / visits).sqrt()
        };
        let mut best = None;
        for (index, child) in self.children(at).iter().enumerate() {
            // An unvisited move: no other can have a higher bound.
            if child.visits == 0 {
                best = Some((index, f64::INFINITY));
                break;
            }
            if !child.is_lost() {
                let value = bound(child);
                if best.is_none_or(|(_, highest)| value > highest) {
                    best = Some((index, value));
                }
            }
        }
        let Node { first, children, .. } = self.nodes[at];
        // Where only some of the moves were looked at, all of these may be lost.
        let index = best.map_or(0, |(index, _)| index);
        (children > 0).then_some(first as usize + index)
    }

    /// The fastest win that is proved; otherwise the most visited move, which is the most reliable; otherwise the slowest loss.
    fn best(&self) -> Option<Choice> {
        let rank = |node: &Node<P::Action>| match node.value {
            Some(value @ Value::Win(_)) => (2, Some(value), 0, 0),
            Some(value @ Value::Loss(_)) => (0, Some(value), node.visits, node.points),
            Some(Value::Draw) | None => (1, None, node.visits, node.points),
        };
        // Of equals take the first, which is the nearest to the centre.
        let best = self.children(0).iter().rev().max_by_key(|node| rank(node))?;
        let action = best.action.as_ref()?;
        if let Some(value) = best.value.filter(|value| *value != Value::Draw || self.nodes[0].value.is_some()) {
            return Some(self.choice(action, value));
        }
        let mean = best.points as f64 / f64::from(best.visits.max(1)) / f64::from(POINTS);
        Some(Choice {
            played: self.root.move_of(action),
            eval: (best.visits > 0).then(|| (mean * 1_000.0).round() / 1_000.0),
            comment: Some(format!("{} of {} playouts", best.visits, self.nodes[0].visits)),
        })
    }

    /// A move of which `value` is proved. Faster wins were not looked for, so the numbers are bounds.
    fn choice(&self, action: &P::Action, value: Value) -> Choice {
        let (eval, comment) = match value {
            Value::Win(plies) => (1.0, format!("wins in {} at most", plies.div_ceil(2))),
            Value::Draw => (0.0, "draw".to_owned()),
            Value::Loss(plies) => (-1.0, format!("loses in {} at most", plies / 2)),
        };
        Choice { played: self.root.move_of(action), eval: Some(eval), comment: Some(comment) }
    }
}

/// An approximate natural logarithm that is equal on all machines. That of the system's mathematics library is not, and
/// a difference in the last digit can change a game.
fn ln(n: u32) -> f64 {
    let power = n.ilog2();
    let mantissa = f64::from(n) / f64::from(1_u32 << power);
    (f64::from(power) + mantissa - 1.0) * std::f64::consts::LN_2
}

#[cfg(test)]
#[path = "mcts_tests.rs"]
mod tests;
