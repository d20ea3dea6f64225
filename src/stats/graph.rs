//! The graph of pairings, which determines what can be compared.
//!
//! Bots that are connected by games form a *group*. Ratings are only meaningful within a group. Bots of a group that
//! all scored against each other, directly or through others, form a *strong class*. Only within a strong class is the
//! difference of strength finite (Zermelo 1929; Ford 1957; Hunter, "MM algorithms for generalized Bradley–Terry
//! models", 2004, assumption 1).

use super::Counts;

/// The opponents of every bot, with flags about the games against them.
pub(super) struct Graph {
    /// Start of each bot's range in `edges`, and the end of the last one.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

/// An opponent in the low bits, and flags in the high bits.
#[derive(Clone, Copy)]
struct Edge(u32);

const SCORED: u32 = 1 << 31;
const CONCEDED: u32 = 1 << 30;
const MOVED_FIRST: u32 = 1 << 29;
const MOVED_SECOND: u32 = 1 << 28;
const FLAGS: u32 = SCORED | CONCEDED | MOVED_FIRST | MOVED_SECOND;

impl Edge {
    fn to(self) -> usize {
        (self.0 & !FLAGS) as usize
    }

    const fn is(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

impl Graph {
    pub(super) fn new(counts: &Counts) -> Self {
        let bots = counts.bots();
        let mut starts = vec![0_u32; bots + 1];
        for pairing in counts.pairings() {
            starts[pairing.a] += 1;
            starts[pairing.b] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // Filling from the end moves every start from the end of its range to the beginning.
        let mut edges = vec![Edge(0); sum as usize];
        let mut add = |from: usize, to: usize, flags: u32| {
            starts[from] -= 1;
            edges[starts[from] as usize] = Edge(to as u32 & !FLAGS | flags);
        };
        for pairing in counts.pairings() {
            let games = pairing.games();
            let total = games.total();
            let flag = |set: bool, flag: u32| if set { flag } else { 0 };
            let (scored, conceded) = (total.half_points() > 0, total.reversed().half_points() > 0);
            let (first, second) = (games.as_first.games() > 0, games.as_second.games() > 0);
            let flags = |[scored, conceded, first, second]: [bool; 4]| {
                flag(scored, SCORED) | flag(conceded, CONCEDED) | flag(first, MOVED_FIRST) | flag(second, MOVED_SECOND)
            };
            add(pairing.a, pairing.b, flags([scored, conceded, first, second]));
            add(pairing.b, pairing.a, flags([conceded, scored, second, first]));
        }
        Self { starts, edges }
    }

    pub(super) fn bots(&self) -> usize {
        self.starts.len() - 1
    }

    fn edges(&self, bot: usize) -> &[Edge] {
        &self.edges[self.starts[bot] as usize..self.starts[bot + 1] as usize]
    }

    /// The group of every bot, numbered by first members; `None` for a bot without games.
    pub(super) fn groups(&self) -> Vec<Option<usize>> {
        let mut groups = vec![None; self.bots()];
        let mut next = 0;
        for bot in 0..self.bots() {
            if groups[bot].is_some() || self.edges(bot).is_empty() {
                continue;
            }
            groups[bot] = Some(next);
            let mut open = vec![bot];
            while let Some(bot) = open.pop() {
                for other in self.edges(bot).iter().map(|edge| edge.to()) {
                    if groups[other].is_none() {
                        groups[other] = Some(next);
                        open.push(other);
                    }
                }
            }
            next += 1;
        }
        groups
    }

    /// The bots in `from`, and all bots that they scored against, directly or through others.
    pub(super) fn beaten_by(&self, from: &[usize]) -> Vec<bool> {
        self.reach(from, SCORED)
    }

    /// The bots in `to`, and all bots that scored against them, directly or through others.
    pub(super) fn beating(&self, to: &[usize]) -> Vec<bool> {
        self.reach(to, CONCEDED)
    }

    fn reach(&self, from: &[usize], flag: u32) -> Vec<bool> {
        let mut reached = vec![false; self.bots()];
        for bot in from {
            reached[*bot] = true;
        }
        let mut open = from.to_vec();
        while let Some(bot) = open.pop() {
            for other in self.edges(bot).iter().filter(|edge| edge.is(flag)).map(|edge| edge.to()) {
                if !std::mem::replace(&mut reached[other], true) {
                    open.push(other);
                }
            }
        }
        reached
    }

    /// Whether any bot scored against this one.
    pub(super) fn conceded(&self, bot: usize) -> bool {
        self.edges(bot).iter().any(|edge| edge.is(CONCEDED))
    }

    /// Whether this bot scored against any other.
    pub(super) fn scored(&self, bot: usize) -> bool {
        self.edges(bot).iter().any(|edge| edge.is(SCORED))
    }

    /// The strong class of every bot (Tarjan, "Depth-first search and linear graph algorithms", 1972, with an explicit
    /// stack instead of recursion).
    pub(super) fn strong_classes(&self) -> Vec<usize> {
        const NEW: u32 = u32::MAX;
        let bots = self.bots();
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
                let edges = &self.edges(bot)[next..];
                let mut scored = edges.iter().enumerate().filter(|(_, edge)| edge.is(SCORED));
                if let Some((skipped, edge)) = scored.next() {
                    let other = edge.to();
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
        let mut level: Vec<Option<i64>> = vec![None; self.bots()];
        for root in 0..self.bots() {
            if level[root].is_some() {
                continue;
            }
            let mut open = vec![(root, 0)];
            level[root] = Some(0);
            while let Some((bot, at)) = open.pop() {
                for edge in self.edges(bot) {
                    if edge.is(MOVED_FIRST) && edge.is(MOVED_SECOND) {
                        return true;
                    }
                    let expected = if edge.is(MOVED_FIRST) { at - 1 } else { at + 1 };
                    match level[edge.to()] {
                        None => {
                            level[edge.to()] = Some(expected);
                            open.push((edge.to(), expected));
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
    use crate::record::GameResult::{self, Draw, FirstWins, SecondWins};

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
