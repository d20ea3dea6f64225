//! Null-window search: is the score of a position at least β?
//!
//! Scores are of the side to move, in the field's convention: a side that wins with the disc that makes n + 1 discs on a board of
//! N cells has ⌊(N + 1 − n)/2⌋, the other the negative; a draw is 0. [`settled`] decides what is decided on the spot; what is left goes to
//! [`Run::expand`], which looks at each move for three reasons not to search it: it wins by force, bounds of the position after it
//! decide the question, or the table has it.
//!
//! Bounds by [pairing](super::pairing) reduce the nodes to about a quarter.

use super::super::table::Table;
use super::super::window::narrow;
use super::super::{Limits, Unsolved};
use super::board::{Child, Discs, Geometry};
use super::book::Book;
use super::pairing;

/// With fewer empty cells than this it pays to look for sides that have no line left.
const LINES_LEFT_CELLS: u32 = 24;
/// The large table has positions with more empty cells than this, which took at least this number of nodes.
const LARGE_CELLS: u32 = 20;
const LARGE_NODES: u64 = 256;

/// The order in which moves are searched: most threats first. Of moves with as many, those are better that are nearer to the centre or in a
/// higher row, and those that leave a choice: a threat that has to be answered at once is gone. Only the ratios of these weights matter.
/// They were chosen by the nodes of 257 positions from games of bots.
const PER_THREAT: i32 = 32;
const PER_ROW: i32 = 2;
/// For each column away from the centre.
const PER_COLUMN: i32 = 3;
const UNFORCED: i32 = 6;

/// What is known of a position without a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Its score.
    Score(i32),
    /// The moves that do not lose at once. The side to move cannot win at once.
    Open(u64),
}

/// Looks at a position in which neither side has a line.
#[inline]
pub(super) fn settled<G: Geometry>(geometry: G, discs: Discs) -> Settled {
    let Discs { me, opp } = discs;
    let (all, cells) = (me | opp, geometry.cells());
    let n = all.count_ones();
    let playable = geometry.playable(all);
    if playable & geometry.completing(me) != 0 {
        return Settled::Score(winning_score(cells, n));
    }
    let threats = geometry.completing(opp) & !all;
    let forced = playable & threats;
    let moves = if forced == 0 { playable } else { forced } & !(threats >> 1);
    if cells == n {
        return Settled::Score(0);
    }
    if moves == 0 || forced.count_ones() > 1 {
        return Settled::Score(-winning_score(cells, n + 1));
    }
    // Each side has a cell left at most, and neither wins with it.
    if cells - n <= 2 {
        return Settled::Score(0);
    }
    Settled::Open(moves)
}

/// The score of the side that wins with the disc after n others.
pub(super) const fn winning_score(cells: u32, n: u32) -> i32 {
    ((cells + 1 - n) / 2) as i32
}

/// What is known from elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory<'a> {
    /// What has been found so far.
    pub(super) table: &'a Table,
    /// The same, of positions that took much work.
    pub(super) large: Option<&'a Table>,
    pub(super) book: Option<&'a Book>,
}

/// One search, within limits.
pub(super) struct Run<'a, G> {
    geometry: G,
    memory: Memory<'a>,
    limits: &'a Limits<'a>,
    /// Nodes searched so far.
    pub(super) nodes: u64,
    /// Why the search has to stop. All scores are then meaningless.
    pub(super) stopped: Option<Unsolved>,
}

impl<'a, G: Geometry> Run<'a, G> {
    pub(super) const fn new(geometry: G, memory: Memory<'a>, limits: &'a Limits<'a>) -> Self {
        Self { geometry, memory, limits, nodes: 0, stopped: None }
    }

    /// The exact score. `floor` is a score that the mover is known to have at least: often it is the score, and then one window
    /// is enough. Meaningless once [stopped](Self::stopped).
    pub(super) fn score(&mut self, discs: Discs, floor: Option<i32>) -> i32 {
        let moves = match self.settled(discs) {
            Settled::Score(score) => return score,
            Settled::Open(moves) => moves,
        };
        let (n, cells) = (discs.count(), self.geometry.cells());
        // Neither wins at once: the mover has its next chance two plies later, the other three.
        let (low, high) = (-winning_score(cells, n + 3), winning_score(cells, n + 2));
        narrow(low, high, floor, |beta| {
            let score = self.expand(discs, moves, n, beta);
            self.stopped.is_none().then_some(score)
        })
        .unwrap_or_default()
    }

    /// Whether the score is at least `least`. Meaningless once [stopped](Self::stopped).
    pub(super) fn reaches(&mut self, discs: Discs, least: i32) -> bool {
        match self.settled(discs) {
            Settled::Score(score) => score >= least,
            Settled::Open(moves) => self.expand(discs, moves, discs.count(), least) >= least,
        }
    }

    /// The score as far as it is known without a search.
    pub(super) fn known(&self, discs: Discs) -> Option<i32> {
        match self.settled(discs) {
            Settled::Score(score) => Some(score),
            Settled::Open(_) => None,
        }
    }

    /// As [`settled`], with what the book has.
    fn settled(&self, discs: Discs) -> Settled {
        let settled = settled(self.geometry, discs);
        if let (Settled::Open(_), Some(book)) = (settled, self.memory.book)
            && let Some(score) = book.score(discs)
        {
            return Settled::Score(score);
        }
        settled
    }

    /// A lower bound of the score if that is at least `beta`, otherwise an upper bound. At least three cells are empty, the
    /// mover does not win at once, and the caller has settled what is cheap: `moves` do not lose at once, and `n` is the number of discs.
    fn expand(&mut self, discs: Discs, moves: u64, n: u32, beta: i32) -> i32 {
        self.nodes += 1;
        self.stopped = self.limits.reached(self.nodes);
        if self.stopped.is_some() {
            return 0;
        }
        let Discs { me, opp } = discs;
        let geometry = self.geometry;
        let cells = geometry.cells();

        // Moves that win by force: two threats to be answered, one above the other, or no reply that does not lose.
        let mut list = G::no_children();
        let list = list.as_mut();
        let mut count = 0;
        for (place, column) in (1..).zip(geometry.central_first()) {
            let cell = moves & geometry.column(*column);
            if cell == 0 {
                continue;
            }
            let height = cell.trailing_zeros() - u32::from(*column) * (geometry.rows() + 1);
            let own = me | cell;
            let all = own | opp;
            let threats = geometry.completing(own) & !all;
            let playable = geometry.playable(all);
            let forced = playable & threats;
            let replies = if forced == 0 { playable } else { forced } & !(threats >> 1);
            if replies == 0 || forced & forced.wrapping_sub(1) != 0 {
                return winning_score(cells, n + 2);
            }
            let forced = forced != 0;
            let promise = PER_ROW * height as i32 - PER_COLUMN * (place / 2) + UNFORCED * i32::from(!forced);
            list[count] = Child { own, replies, threats, promise, low: 0, high: 0, forced };
            count += 1;
        }
        let most = winning_score(cells, n + 4);
        if most < beta {
            return most;
        }

        let mut best = i32::MIN;
        let mut kept = 0;
        let few_empty = cells - n - 1 < LINES_LEFT_CELLS;
        for index in 0..count {
            let mut child = list[index];
            (child.low, child.high) = (-most, winning_score(cells, n + 3));
            self.bound(&mut child, opp, n + 1, few_empty, beta);
            if -child.high >= beta {
                return -child.high;
            }
            if -child.low < beta {
                best = best.max(-child.low);
                continue;
            }
            // Few children come this far, and counting takes time.
            child.promise += PER_THREAT * child.threats.count_ones() as i32;
            let mut place = kept;
            while place > 0 && list[place - 1].promise < child.promise {
                list[place] = list[place - 1];
                place -= 1;
            }
            list[place] = child;
            kept += 1;
        }
        for child in &list[..kept] {
            let after = Discs { me: opp, opp: child.own };
            let before = self.nodes;
            let score = self.expand(after, child.replies, n + 1, 1 - beta);
            if self.stopped.is_some() {
                return 0;
            }
            let (low, high) =
                if score > -beta { (child.low.max(score), child.high) } else { (child.low, child.high.min(score)) };
            if !child.forced {
                let (key, nodes) = (geometry.key(opp, child.own), self.nodes - before);
                self.memory.table.put(key, low, high, nodes);
                if let Some(large) = self.large(n + 1)
                    && nodes >= LARGE_NODES
                {
                    large.put(key, low, high, nodes);
                }
            }
            if -score >= beta {
                return -score;
            }
            best = best.max(-score);
        }
        best
    }

    /// The large table, where it is worth asking for a position with `n` discs.
    #[inline]
    fn large(&self, n: u32) -> Option<&'a Table> {
        self.memory.large.filter(|_| self.geometry.cells() - n > LARGE_CELLS)
    }

    /// Narrows the bounds of a child with `n` discs.
    #[inline]
    fn bound(&self, child: &mut Child, opp: u64, n: u32, few_empty: bool, beta: i32) {
        let geometry = self.geometry;
        let all = child.own | opp;
        if let Some(high) = pairing::bound(geometry, opp, child.own, child.threats, geometry.cells() - n) {
            child.high = child.high.min(high);
            if -child.high >= beta {
                return;
            }
        }
        if few_empty {
            let empty = geometry.board() & !all;
            if !geometry.has_line(opp | empty) {
                child.high = child.high.min(0);
            }
            if !geometry.has_line(child.own | empty) {
                child.low = child.low.max(0);
            }
        }
        if !child.forced {
            let key = geometry.key(opp, child.own);
            let known = self.memory.table.get(key).or_else(|| self.large(n)?.get(key));
            if let Some((low, high)) = known {
                (child.low, child.high) = (child.low.max(low), child.high.min(high));
            }
        }
        if let Some(book) = self.memory.book
            && n <= book.last_ply()
            && let Some(score) = book.score(Discs { me: opp, opp: child.own })
        {
            (child.low, child.high) = (score, score);
        }
    }
}
