//! The graph of pairings, which determines what can be compared.
//!
//! Bots that are connected by games form a *group*. Ratings are only meaningful within a group. Bots of a group that
//! all scored against each other, directly or through others, form a *strong class*. Only within a strong class is the
//! difference of strength finite (Zermelo 1929; Ford 1957; Hunter, "MM algorithms for generalized Bradley–Terry
//! models", 2004, assumption 1).

use super::Counts;

/// The opponents of every bot.
pub(super) struct Graph(Vec<Vec<Edge>>);

/// The games of a bot against an opponent.
struct Edge {
    to: u32,
    scored: bool,
    conceded: bool,
    /// Whether it moved first in any of them, and second.
    seats: [bool; 2],
}

impl Graph {
    pub(super) fn new(counts: &Counts) -> Self {
        let mut edges: Vec<Vec<Edge>> = (0..counts.bots()).map(|_| Vec::new()).collect();
        for met in counts.pairings() {
            let games = met.games();
            for (from, to, games) in [(met.a, met.b, games), (met.b, met.a, games.reversed())] {
                edges[from].push(Edge {
                    to: to as u32,
                    scored: games.total().half_points() > 0,
                    conceded: games.total().reversed().half_points() > 0,
                    seats: [games.as_first, games.as_second].map(|tally| tally.games() > 0),
                });
            }
        }
        Self(edges)
    }

    /// The group of every bot, numbered by first members; `None` for a bot without games.
    pub(super) fn groups(&self) -> Vec<Option<usize>> {
        let mut groups = vec![None; self.0.len()];
        let mut next = 0;
        for bot in 0..self.0.len() {
            if groups[bot].is_none() && !self.0[bot].is_empty() {
                let reached = self.reach(&[bot], |_| true);
                groups
                    .iter_mut()
                    .zip(reached)
                    .filter(|(_, reached)| *reached)
                    .for_each(|(group, _)| *group = Some(next));
                next += 1;
            }
        }
        groups
    }

    /// The bots in `from`, and all bots that they scored against, directly or through others.
    pub(super) fn beaten_by(&self, from: &[usize]) -> Vec<bool> {
        self.reach(from, |edge| edge.scored)
    }

    /// The bots in `to`, and all bots that scored against them, directly or through others.
    pub(super) fn beating(&self, to: &[usize]) -> Vec<bool> {
        self.reach(to, |edge| edge.conceded)
    }

    fn reach(&self, from: &[usize], follows: impl Fn(&Edge) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.0.len()];
        for bot in from {
            reached[*bot] = true;
        }
        let mut open = from.to_vec();
        while let Some(bot) = open.pop() {
            for other in self.0[bot].iter().filter(|edge| follows(edge)).map(|edge| edge.to as usize) {
                if !std::mem::replace(&mut reached[other], true) {
                    open.push(other);
                }
            }
        }
        reached
    }

    /// Whether any bot scored against this one.
    pub(super) fn conceded(&self, bot: usize) -> bool {
        self.0[bot].iter().any(|edge| edge.conceded)
    }

    /// Whether this bot scored against any other.
    pub(super) fn scored(&self, bot: usize) -> bool {
        self.0[bot].iter().any(|edge| edge.scored)
    }

    /// The strong class of every bot (Tarjan, "Depth-first search and linear graph algorithms", 1972, with an explicit
    /// stack instead of recursion).
    pub(super) fn strong_classes(&self) -> Vec<usize> {
        const NEW: u32 = u32::MAX;
        let bots = self.0.len();
        let (mut order, mut low) = (vec![NEW; bots], vec![0; bots]);
        let mut classes = vec![usize::MAX; bots];
        let (mut visited, mut next_class) = (0, 0);
        let (mut path, mut unassigned) = (Vec::new(), Vec::new());
        for root in 0..bots {
            if order[root] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((bot, next)) = path.pop() {
                if next == 0 {
                    (order[bot], low[bot]) = (visited, visited);
                    visited += 1;
                    unassigned.push(bot);
                }
                let edges = &self.0[bot][next..];
                let mut scored = edges.iter().enumerate().filter(|(_, edge)| edge.scored);
                if let Some((skipped, edge)) = scored.next() {
                    let other = edge.to as usize;
                    path.push((bot, next + skipped + 1));
                    if order[other] == NEW {
                        path.push((other, 0));
                    } else if classes[other] == usize::MAX {
                        low[bot] = low[bot].min(order[other]);
                    }
                    continue;
                }
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[bot]);
                }
                if low[bot] == order[bot] {
                    while let Some(member) = unassigned.pop() {
                        classes[member] = next_class;
                        if member == bot {
                            break;
                        }
                    }
                    next_class += 1;
                }
            }
        }
        classes
    }

    /// Whether the games can separate the side advantage from strength. They cannot if moving first is equivalent to a
    /// constant difference of strength, for example if two bots always played in the same seats.
    pub(super) fn sides_are_identifiable(&self) -> bool {
        let mut level: Vec<Option<i64>> = vec![None; self.0.len()];
        for root in 0..self.0.len() {
            if level[root].is_some() {
                continue;
            }
            let mut open = vec![(root, 0)];
            level[root] = Some(0);
            while let Some((bot, at)) = open.pop() {
                for edge in &self.0[bot] {
                    let (other, [first, second]) = (edge.to as usize, edge.seats);
                    if first && second {
                        return true;
                    }
                    let expected = if first { at - 1 } else { at + 1 };
                    match level[other] {
                        None => {
                            level[other] = Some(expected);
                            open.push((other, expected));
                        }
                        Some(found) if found != expected => return true,
                        Some(_) => {}
                    }
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::CountsBuilder;
    use super::*;
    use arena_rules::result::GameResult::{self, Draw, FirstWins, SecondWins};

    fn graph(bots: usize, games: &[(usize, usize, GameResult)]) -> Graph {
        let mut builder = CountsBuilder::new(bots);
        for &(first, second, result) in games {
            builder.add(first, second, result, None);
        }
        Graph::new(&builder.finish())
    }

    /// Classes renumbered by first members.
    fn classes(graph: &Graph) -> Vec<usize> {
        let classes = graph.strong_classes();
        classes.iter().map(|class| classes.iter().position(|other| other == class).expect("its own")).collect()
    }

    #[test]
    fn a_ring_of_wins_is_one_class_and_a_chain_is_not() {
        let ring = graph(4, &[(0, 1, FirstWins), (1, 2, FirstWins), (0, 2, SecondWins), (2, 3, FirstWins)]);
        assert_eq!(classes(&ring), [0, 0, 0, 3]);
        assert_eq!(ring.groups(), [Some(0); 4]);
        assert!(!ring.scored(3) && ring.conceded(3));
        assert_eq!(ring.beaten_by(&[0]), [true; 4]);
        assert_eq!(ring.beating(&[3]), [true; 4]);
        assert_eq!(ring.beaten_by(&[3]), [false, false, false, true]);
    }

    #[test]
    fn a_draw_connects_both_ways_and_unconnected_bots_form_groups() {
        let islands = graph(6, &[(4, 5, FirstWins), (0, 2, Draw)]);
        assert_eq!(islands.groups(), [Some(0), None, Some(0), None, Some(1), Some(1)]);
        assert_eq!(classes(&islands), [0, 1, 0, 3, 4, 5]);
    }

    #[test]
    fn two_rings_joined_by_one_win_stay_two_classes() {
        let games = [(0, 1, Draw), (2, 3, Draw), (1, 2, FirstWins), (3, 4, Draw), (4, 2, Draw)];
        assert_eq!(classes(&graph(5, &games)), [0, 0, 2, 2, 2]);
    }

    #[test]
    fn sides_are_identifiable_by_a_swap_or_an_odd_ring() {
        assert!(!graph(2, &[(0, 1, Draw)]).sides_are_identifiable());
        assert!(graph(2, &[(0, 1, Draw), (1, 0, Draw)]).sides_are_identifiable());
        assert!(!graph(3, &[(0, 1, Draw), (0, 2, Draw)]).sides_are_identifiable());
        assert!(!graph(3, &[(0, 1, Draw), (2, 1, Draw)]).sides_are_identifiable());
        assert!(graph(3, &[(0, 1, Draw), (1, 2, Draw), (2, 0, Draw)]).sides_are_identifiable());
        assert!(!graph(0, &[]).sides_are_identifiable());
    }
}
