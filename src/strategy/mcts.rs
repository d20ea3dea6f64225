//! `mcts`: Monte Carlo tree search.
//!
//! UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006; the four steps as in Browne et al., "A survey
//! of Monte Carlo tree search methods", 2012): descend the tree by upper confidence bounds, add the moves of the leaf,
//! play a random game from it, and add its result to every node on the path. It needs no evaluation, so it plays every
//! game with open information.

use super::board::{SearchBoard, is_grid};
use super::playable::Playable;
use super::{Choice, Engine, Query, SearchDeadline, Strategy};
use crate::rng::Rng;
use crate::rules::{Param, ParamKind, Seat};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "mcts",
    summary: "Monte Carlo tree search (every game with open information)",
    version: 1,
    options: &[Param {
        name: "playouts",
        help: "random games per move; 0 for no limit but the clock",
        kind: ParamKind::Int { default: 3_000, min: 0, max: 1_000_000_000 },
    }],
    plays: |variant| variant.rules.open_information && !variant.rules.is_external(),
    build_unknown: None,
    build: |variant, options, seed| {
        let playouts = match options.int("playouts") {
            0 => u64::MAX,
            playouts => playouts as u64,
        };
        let rng = Rng::new(seed);
        if is_grid(variant) {
            Box::new(Mcts { start: SearchBoard::new(variant), playouts, rng })
        } else {
            Box::new(Mcts { start: variant.start(0).expect("built-in rules"), playouts, rng })
        }
    },
};

/// Exploration constant: √2 in theory, lower where playouts are informative.
const EXPLORATION: f64 = 1.0;
/// Maximum number of nodes, to limit memory.
const NODES_MAX: usize = 1_000_000;

struct Mcts<P> {
    start: P,
    playouts: u64,
    rng: Rng,
}

/// A move in the tree, with the results of the games through it.
struct Node<A> {
    /// `None` at the root.
    action: Option<A>,
    /// Index of its first reply; all `children` replies are adjacent. 0 until expanded.
    first: u32,
    children: u32,
    visits: u32,
    /// Twice the points of the side that made the move: 2 for a win, 1 for a draw.
    points: u32,
}

struct Tree<P: Playable> {
    root: P,
    nodes: Vec<Node<P::Action>>,
    /// The position while descending.
    walk: P,
    path: Vec<usize>,
}

impl<P: Playable> Engine for Mcts<P> {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let mut tree = Tree::new(self.start.after(&query.moves()?));
        tree.grow(0, &mut self.rng);
        // With a single legal move there is nothing to search.
        if let [_, Node { action: Some(only), .. }] = &tree.nodes[..] {
            return Ok(Choice::plain(tree.root.move_of(only)));
        }
        let mut played = 0;
        while played < self.playouts && !(played % 16 == 0 && deadline.passed()) {
            tree.playout(&mut self.rng);
            played += 1;
        }
        Ok(tree.best().unwrap_or_else(|| Choice::plain(query.sample_move.clone())))
    }
}

impl<P: Playable> Tree<P> {
    fn new(root: P) -> Self {
        let node = Node { action: None, first: 0, children: 0, visits: 0, points: 0 };
        Self { walk: root.clone(), root, nodes: vec![node], path: Vec::new() }
    }

    /// Adds the legal moves of node `at`, whose position is `walk`.
    fn grow(&mut self, at: usize, rng: &mut Rng) {
        let actions = self.walk.actions(rng);
        (self.nodes[at].first, self.nodes[at].children) = (self.nodes.len() as u32, actions.len() as u32);
        let node = |action| Node { action: Some(action), first: 0, children: 0, visits: 0, points: 0 };
        self.nodes.extend(actions.into_iter().map(node));
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
        let winner = match self.walk.result() {
            Some(outcome) => outcome.winner,
            None => self.walk.play_out(rng),
        };
        let mut made_by = self.root.mover().other();
        for node in &self.path {
            let node = &mut self.nodes[*node];
            node.visits += 1;
            node.points += points(winner, made_by);
            made_by = made_by.other();
        }
    }

    /// Selects a child of node `at`; `None` at a new node, where the random game begins.
    fn select(&mut self, at: usize, rng: &mut Rng) -> Option<usize> {
        if self.nodes[at].children == 0 {
            if self.nodes[at].visits == 0 || self.nodes.len() >= NODES_MAX {
                return None;
            }
            self.grow(at, rng);
        }
        let Node { first, children, visits, .. } = self.nodes[at];
        let log_visits = ln(visits.max(1));
        let bound = |node: &Node<P::Action>| {
            if node.visits == 0 {
                return f64::INFINITY;
            }
            let visits = f64::from(node.visits);
            f64::from(node.points) / (2.0 * visits) + EXPLORATION * (log_visits / visits).sqrt()
        };
        let mut best = None;
        for child in first as usize..(first + children) as usize {
            let value = bound(&self.nodes[child]);
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((child, value));
            }
            // An unvisited move: no other can have a higher bound.
            if value == f64::INFINITY {
                break;
            }
        }
        best.map(|(child, _)| child)
    }

    /// The most visited move, which is the most reliable.
    fn best(&self) -> Option<Choice> {
        let root = &self.nodes[0];
        let children = &self.nodes[root.first as usize..(root.first + root.children) as usize];
        // Of equals take the first, which is the nearest to the centre.
        let best = children.iter().rev().max_by_key(|node| (node.visits, node.points))?;
        let share = f64::from(best.points) / f64::from(best.visits.max(1));
        Some(Choice {
            played: self.root.move_of(best.action.as_ref()?),
            eval: (best.visits > 0).then(|| ((share - 1.0) * 1_000.0).round() / 1_000.0),
            comment: Some(format!("{} of {} playouts", best.visits, root.visits)),
        })
    }
}

fn points(winner: Option<Seat>, seat: Seat) -> u32 {
    match winner {
        None => 1,
        Some(winner) if winner == seat => 2,
        Some(_) => 0,
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
mod tests {
    use super::*;
    use crate::strategy::matches::TestPosition;

    #[test]
    fn the_logarithm_is_close() {
        assert!((1..100_000).all(|n| (ln(n) - f64::from(n).ln()).abs() < 0.06));
    }

    #[test]
    fn wins_are_taken_and_losses_prevented() {
        assert_eq!(TestPosition::after("connect4", "0 1 0 1 0 1").choice("mcts", &[], 0).played.to_string(), "0");
        assert_eq!(TestPosition::after("connect4", "0 1 0 1 0").choice("mcts", &[], 0).played.to_string(), "0");
        // Open at both ends: lost unless blocked at once.
        let choice = TestPosition::after("connect4", "3 3 2").choice("mcts", &[], 1);
        assert!(["1", "4"].contains(&choice.played.to_string().as_str()), "{choice:?}");
    }

    #[test]
    fn a_game_without_a_board_is_played_through_the_rules() {
        let choice = TestPosition::after("marbles:heap=17", "2").choice("mcts", &[], 0);
        assert!(choice.eval > Some(0.9), "{choice:?}");
        TestPosition::after("marbles:heap=1000000,first_max=999999", "").choice("mcts", &["playouts=300"], 0);
    }

    #[test]
    fn the_same_seed_gives_the_same_move_and_count() {
        let game = TestPosition::after("connect4", "3 3 2");
        assert_eq!(game.choice("mcts", &[], 7), game.choice("mcts", &[], 7));
        assert_ne!(game.choice("mcts", &[], 7).comment, game.choice("mcts", &[], 8).comment);
    }
}
