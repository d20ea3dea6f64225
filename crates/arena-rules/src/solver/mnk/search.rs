//! Null-window search: is the score of a position at least β?
//!
//! Scores are of the side to move: a side that wins with the mark that makes m marks on a board of N cells has N + 1 − m, the other
//! the negative; a draw is 0.
//!
//! With one window the question is always of one kind: does the *attacker*, which may be either side, win with mark m at the
//! latest? So both sides have a known number of marks left to add, and lines with more empty cells than that do not
//! [count](super::scan). Cells without lines that count are no better than any other, as an extra mark never harms, and are not
//! searched. Three static proofs end a search that the attacker cannot win; [`is_held`] has two, and the third is that no line counts.

use super::super::table::Table;
use super::super::window::narrow;
use super::super::{Limits, Unsolved};
use super::board::{Board, CELLS_MAX, Marks};
use super::pairing;
use super::scan::{Lines, SAFE, cells, scan};

/// The images of a position share a table entry while at least this many cells are empty; later few of them meet.
const SYMMETRY_CELLS: u32 = 16;

/// What is known of a position without a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Its score.
    Score(i32),
    /// The side to move cannot win at once, and at least three cells are empty. The cell that it must take, or 0.
    Open(u32),
}

/// Looks at a position in which neither side has a line.
pub(super) fn settled(board: &Board, marks: Marks) -> Settled {
    let (n, cells) = (marks.count(), board.cells());
    let completing = |own: u32, other: u32| {
        let missing = board.lines.iter().filter(|line| *line & other == 0).map(|line| line & !own);
        missing.filter(|missing| missing.is_power_of_two()).fold(0, |cells, cell| cells | cell)
    };
    if completing(marks.me, marks.opp) != 0 {
        return Settled::Score(winning_score(cells, n));
    }
    let forced = completing(marks.opp, marks.me);
    if forced.count_ones() > 1 {
        return Settled::Score(-winning_score(cells, n + 1));
    }
    if n + 2 >= cells { Settled::Score(0) } else { Settled::Open(forced) }
}

/// The score of the side that wins with the mark after n others; 0 if there are not that many cells.
const fn winning_score(cells: u32, n: u32) -> i32 {
    cells.saturating_sub(n) as i32
}

/// The least and the greatest score of an open position with n marks: its sides have their next chances three and two plies later.
const fn bounds(cells: u32, n: u32) -> (i32, i32) {
    // If the second player could win, so could the first, by the same strategy, as an extra mark never harms.
    let low = if n == 0 { 0 } else { -winning_score(cells, n + 3) };
    (low, winning_score(cells, n + 2))
}

/// One search, within limits.
pub(super) struct Run<'a> {
    board: &'a Board,
    table: &'a Table,
    limits: &'a Limits<'a>,
    /// Nodes searched so far.
    pub(super) nodes: u64,
    /// Why the search has to stop. All scores are then meaningless.
    pub(super) stopped: Option<Unsolved>,
}

impl<'a> Run<'a> {
    pub(super) const fn new(board: &'a Board, table: &'a Table, limits: &'a Limits<'a>) -> Self {
        Self { board, table, limits, nodes: 0, stopped: None }
    }

    /// The exact score. `floor` is a score that the mover is known to have at least: often it is the score, and then one window
    /// is enough. Meaningless once [stopped](Self::stopped).
    pub(super) fn score(&mut self, marks: Marks, floor: Option<i32>) -> i32 {
        let forced = match settled(self.board, marks) {
            Settled::Score(score) => return score,
            Settled::Open(forced) => forced,
        };
        let n = marks.count();
        let (low, high) = bounds(self.board.cells(), n);
        narrow(low, high, floor, |beta| {
            let score = self.expand(marks, forced, n, beta);
            self.stopped.is_none().then_some(score)
        })
        .unwrap_or_default()
    }

    /// Whether the score is at least `least`. Meaningless once [stopped](Self::stopped).
    pub(super) fn reaches(&mut self, marks: Marks, least: i32) -> bool {
        match settled(self.board, marks) {
            Settled::Score(score) => score >= least,
            Settled::Open(forced) => self.expand(marks, forced, marks.count(), least) >= least,
        }
    }

    /// A lower bound of the score if that is at least `beta`, otherwise an upper bound. The position is open, with n marks, and
    /// `forced` is the cell that the mover must take, or 0.
    fn expand(&mut self, marks: Marks, forced: u32, n: u32, beta: i32) -> i32 {
        self.nodes += 1;
        self.stopped = self.limits.reached(self.nodes);
        if self.stopped.is_some() {
            return 0;
        }
        let (mut low, mut high) = bounds(self.board.cells(), n);
        let is_decided = |low: i32, high: i32| low >= beta || high < beta;
        // Forced replies are played through without the table.
        let key = (forced == 0 && !is_decided(low, high)).then(|| self.key(marks, n));
        if let Some((known_low, known_high)) = key.and_then(|key| self.table.get(key)) {
            (low, high) = (low.max(known_low), high.min(known_high));
        }
        if is_decided(low, high) {
            return if low >= beta { low } else { high };
        }
        let before = self.nodes;
        let score = self.search(marks, forced, n, beta);
        if let Some(key) = key
            && self.stopped.is_none()
        {
            let (low, high) = if score >= beta { (low.max(score), high) } else { (low, high.min(score)) };
            self.table.put(key, low, high, self.nodes - before);
        }
        score
    }

    fn key(&self, marks: Marks, n: u32) -> u64 {
        let is_early = self.board.cells() - n >= SYMMETRY_CELLS;
        if is_early { self.board.canonical_key(marks) } else { self.board.key(marks) }
    }

    /// As [`expand`](Self::expand), if the [`bounds`] do not decide the question.
    fn search(&mut self, marks: Marks, forced: u32, n: u32, beta: i32) -> i32 {
        let cell_count = self.board.cells();
        let question = Question::new(cell_count, n, beta);
        let [mine, theirs] = scan(&self.board.lines, marks, question.reach());
        let attacker = if question.attacks { &mine } else { &theirs };
        if is_held(attacker, question.attacks) {
            let most = if attacker.left_out { question.late } else { 0 };
            return if question.attacks { most } else { -most };
        }

        let mut moves = if forced == 0 { mine.live | theirs.live } else { forced };
        // A double threat wins: the other side has none to answer with. Without one the next chance is two plies later.
        if cells(moves & mine.builders).any(|cell| mine.completing[cell].count_ones() > 1) {
            return winning_score(cell_count, n + 2);
        }
        let most = winning_score(cell_count, n + 4);
        if most < beta {
            return most;
        }
        // Moves that are left out lose as early as possible, as they neither prevent a double threat nor make a threat, or are no
        // better than others.
        let (mut best, _) = bounds(cell_count, n);
        if forced == 0 {
            moves &= answers(&theirs) | mine.builders;
        }
        if question.attacks && (mine.left_out || theirs.left_out) {
            // No better than others only as far as the question goes.
            best = best.max(question.late);
        }
        let mut list = [(0, 0); CELLS_MAX];
        for (_, cell) in sorted(&mut list, moves, |cell| mine.weight[cell] + theirs.weight[cell]) {
            let after = Marks { me: marks.opp, opp: marks.me | 1 << *cell };
            // Neither side can win at once after this move, so with two cells left it is a draw.
            let is_open = n + 4 <= cell_count;
            let score = if is_open { -self.expand(after, mine.completing[*cell], n + 1, 1 - beta) } else { 0 };
            if self.stopped.is_some() {
                return 0;
            }
            if score >= beta {
                return score;
            }
            best = best.max(score);
        }
        best
    }
}

/// A null window as a question: does the attacker win with a certain mark at the latest?
struct Question {
    /// Whether the attacker is the side to move.
    attacks: bool,
    /// The marks that the attacker may still add.
    marks: u32,
    /// The attacker's greatest score if the answer is no.
    late: i32,
}

impl Question {
    /// For an open position with n marks, where `beta` is inside of the [`bounds`].
    const fn new(cells: u32, n: u32, beta: i32) -> Self {
        let attacks = beta > 0;
        let score = if attacks { beta } else { 1 - beta } as u32;
        // The attacker's next mark, and the last one that is not too late.
        let next = n + if attacks { 1 } else { 2 };
        let marks = (cells + 1 - score - next) / 2 + 1;
        Self { attacks, marks, late: winning_score(cells, next + 2 * marks - 1) }
    }

    /// The marks that the mover and the other side may still add before the attacker wins.
    const fn reach(&self) -> [u32; 2] {
        if self.attacks { [self.marks, self.marks - 1] } else { [self.marks, self.marks] }
    }
}

/// Whether it is proved that the attacker completes no line in time.
///
/// Weights: if the [weights](Lines::weight) of the attacker's lines add up to less than ½ and it is to move, it completes none: the
/// defender always takes the cell of the greatest weight, and the sum never grows. A defender that is to move takes such a cell first; if
/// it has to block a line, that cell is the only one after which the sum can be less than ½. Source: P. Erdős and J. L. Selfridge, *On a
/// combinatorial game*, 1973.
fn is_held(attacker: &Lines, attacks: bool) -> bool {
    let taken = if attacks { 0 } else { attacker.weight.iter().copied().max().unwrap_or(0) };
    attacker.total - taken < SAFE || pairing::holds(attacker.empty())
}

/// The cells where the mover prevents each double threat of the other side: where it would be made, and where it would complete lines.
fn answers(theirs: &Lines) -> u32 {
    let makers = cells(theirs.builders).filter(|cell| theirs.completing[*cell].count_ones() > 1);
    makers.fold(u32::MAX, |answers, cell| answers & (theirs.completing[cell] | 1 << cell))
}

/// The cells of a set, those of the greatest order first; equal ones ascending.
#[inline]
fn sorted(list: &mut [(u32, usize); CELLS_MAX], moves: u32, order: impl Fn(usize) -> u32) -> &[(u32, usize)] {
    let mut count = 0;
    for cell in cells(moves) {
        let order = order(cell);
        let mut place = count;
        while place > 0 && list[place - 1].0 < order {
            list[place] = list[place - 1];
            place -= 1;
        }
        list[place] = (order, cell);
        count += 1;
    }
    &list[..count]
}
