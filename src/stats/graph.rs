//! Who met whom, and who ever scored against whom: what can be compared at all.
//!
//! Bots that are linked by games form a *group*: only within it do ratings mean anything. Within a group, bots that
//! all scored against each other, directly or through others, form a *strong class*: only within it is the
//! difference of strength finite (Zermelo 1929; Ford 1957; Hunter, "MM algorithms for generalized Bradley–Terry
//! models", 2004, assumption 1).

use super::Counts;

/// The opponents of every bot, and how the games with them went.
pub(super) struct Graph {
    /// Where the opponents of bot i begin; one more at the end.
    starts: Vec<u32>,
    links: Vec<Link>,
}

/// One opponent in the low bits, and what is known of the games in the high ones.
#[derive(Clone, Copy)]
struct Link(u32);

const SCORED: u32 = 1 << 31;
const CONCEDED: u32 = 1 << 30;
const MOVED_FIRST: u32 = 1 << 29;
const MOVED_SECOND: u32 = 1 << 28;
const FLAGS: u32 = SCORED | CONCEDED | MOVED_FIRST | MOVED_SECOND;

impl Link {
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
        // Filling from the end moves every start from the end of its links to their beginning.
        let mut links = vec![Link(0); sum as usize];
        let mut add = |from: usize, to: usize, flags: u32| {
            starts[from] -= 1;
            links[starts[from] as usize] = Link(to as u32 & !FLAGS | flags);
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
        Self { starts, links }
    }

    pub(super) fn bots(&self) -> usize {
        self.starts.len() - 1
    }

    fn links(&self, bot: usize) -> &[Link] {
        &self.links[self.starts[bot] as usize..self.starts[bot + 1] as usize]
    }

    /// The group of every bot, numbered by their first members; `None` for a bot without games.
    pub(super) fn groups(&self) -> Vec<Option<usize>> {
        let mut groups = vec![None; self.bots()];
        let mut next = 0;
        for bot in 0..self.bots() {
            if groups[bot].is_some() || self.links(bot).is_empty() {
                continue;
            }
            groups[bot] = Some(next);
            let mut open = vec![bot];
            while let Some(bot) = open.pop() {
                for other in self.links(bot).iter().map(|link| link.to()) {
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

    /// The bots that one of `from` scored against, directly or through others, and `from` themselves.
    pub(super) fn beaten_by(&self, from: &[usize]) -> Vec<bool> {
        self.reach(from, SCORED)
    }

    /// The bots that scored against one of `to`, directly or through others, and `to` themselves.
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
            for other in self.links(bot).iter().filter(|link| link.is(flag)).map(|link| link.to()) {
                if !std::mem::replace(&mut reached[other], true) {
                    open.push(other);
                }
            }
        }
        reached
    }

    /// Whether anybody scored against this bot.
    pub(super) fn conceded(&self, bot: usize) -> bool {
        self.links(bot).iter().any(|link| link.is(CONCEDED))
    }

    /// Whether this bot scored against anybody.
    pub(super) fn scored(&self, bot: usize) -> bool {
        self.links(bot).iter().any(|link| link.is(SCORED))
    }

    /// The strong class of every bot (Tarjan, "Depth-first search and linear graph algorithms", 1972, with a stack
    /// of our own instead of recursion).
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
                let links = &self.links(bot)[next..];
                let mut scored = links.iter().enumerate().filter(|(_, link)| link.is(SCORED));
                if let Some((skipped, link)) = scored.next() {
                    let other = link.to();
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

    /// Whether the games can tell the side advantage from strength. They cannot when it is the same to be first
    /// everywhere as to be a certain amount stronger: when two bots always sat the same way round, for example.
    pub(super) fn tells_sides_apart(&self) -> bool {
        let mut level: Vec<Option<i64>> = vec![None; self.bots()];
        for root in 0..self.bots() {
            if level[root].is_some() {
                continue;
            }
            let mut open = vec![(root, 0)];
            level[root] = Some(0);
            while let Some((bot, at)) = open.pop() {
                for link in self.links(bot) {
                    if link.is(MOVED_FIRST) && link.is(MOVED_SECOND) {
                        return true;
                    }
                    let expected = if link.is(MOVED_FIRST) { at - 1 } else { at + 1 };
                    match level[link.to()] {
                        None => {
                            level[link.to()] = Some(expected);
                            open.push((link.to(), expected));
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

    /// Classes renumbered by their first members.
    fn classes(graph: &Graph) -> Vec<usize> {
        let classes = graph.strong_classes();
        classes.iter().map(|class| classes.iter().position(|other| other == class).expect("its own")).collect()
    }

    #[test]
    fn a_ring_of_wins_is_one_class_and_a_chain_is_none() {
        let ring = graph(4, &[(0, 1, FirstWins), (1, 2, FirstWins), (0, 2, SecondWins), (2, 3, FirstWins)]);
        assert_eq!(classes(&ring), [0, 0, 0, 3]);
        assert_eq!(ring.groups(), [Some(0); 4]);
        assert!(!ring.scored(3) && ring.conceded(3));
        assert_eq!(ring.beaten_by(&[0]), [true; 4]);
        assert_eq!(ring.beating(&[3]), [true; 4]);
        assert_eq!(ring.beaten_by(&[3]), [false, false, false, true]);
    }

    #[test]
    fn a_draw_links_both_ways_and_islands_are_groups() {
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
    fn sides_are_told_apart_by_a_swap_or_an_odd_ring() {
        assert!(!graph(2, &[(0, 1, Draw)]).tells_sides_apart());
        assert!(graph(2, &[(0, 1, Draw), (1, 0, Draw)]).tells_sides_apart());
        assert!(!graph(3, &[(0, 1, Draw), (0, 2, Draw)]).tells_sides_apart());
        assert!(!graph(3, &[(0, 1, Draw), (2, 1, Draw)]).tells_sides_apart());
        assert!(graph(3, &[(0, 1, Draw), (1, 2, Draw), (2, 0, Draw)]).tells_sides_apart());
        assert!(!graph(0, &[]).tells_sides_apart());
    }
}
