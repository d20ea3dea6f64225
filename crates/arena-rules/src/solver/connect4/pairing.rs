//! Static proofs that the side to move cannot win, or must lose: by a strategy for the side that has just moved, which
//! answers each disc in the pair of cells that the other has entered.
//!
//! Y is to move and X has just moved. *Top rows* are the rows of the top row's parity, E the empty cells, and a cell is
//! *playable* if it is the lowest empty one of its column. Rows are counted from the top, so odd heights need nothing of their
//! own. All of it holds for any board and any length of a line.
//!
//! **Hold.** If |E| is even and Y cannot make a line with its discs, the empty cells outside the top rows and the playable ones,
//! then Y does not win. *Proof.* Pair each column's empty cells from the top down. In a column with an odd number of them one
//! playable cell of the top rows is left over; since |E| is even, so is the number of such columns: pair these cells among
//! themselves. X always answers in the pair that Y has just entered, which is always possible: within a column the other cell
//! of the pair lies on top of it, and of two cells left over the second stays playable. So of the top rows Y gets only cells
//! that were playable, and never a line. ∎
//!
//! **After.** If hold applies and X has a line in its discs and those empty cells of the top rows that are not playable, then X
//! wins. *Proof.* X gets all of these cells, unless it wins before, and Y does not. ∎
//!
//! **Truncate.** Let t be an empty, not playable cell that completes a line of X, with u cells above it, and let |E| − u be
//! even. Cut the column above t and pair it from t down, so that X gets t, t − 2, …; pair the others from the top. If Y cannot make
//! a line with what is left to it, X wins with at least u cells empty. *Proof.* As for hold, on the board without the cells above
//! t. While t is empty, X need not play above it, and Y cannot. The cells run out, so Y has to play below t in the end, and X
//! answers there. ∎ On 6×7 these are threats of the second player in even rows and of the first player in odd ones.

use super::board::Geometry;

/// An upper bound of the score of Y, the side to move; X has just moved. `threats` are the empty cells that complete a
/// line of X, and `left` is the number of empty cells.
///
/// `None` if nothing is proved.
#[inline]
pub(super) fn bound<G: Geometry>(geometry: G, y: u64, x: u64, threats: u64, left: u32) -> Option<i32> {
    let all = y | x;
    let empty = geometry.board() & !all;
    let playable = geometry.playable(all);
    let top = geometry.top_rows();
    let free = empty & !top | playable;

    let mut best = None;
    if left.is_multiple_of(2) && !geometry.has_line(y | free) {
        let wins = geometry.has_line(x | empty & top & !playable);
        best = Some(-i32::from(wins));
    }
    let mut cuts = threats & !playable;
    while cuts != 0 {
        let cell = cuts & cuts.wrapping_neg();
        cuts ^= cell;
        let number = geometry.column_of(cell);
        let column = geometry.column(number as u8);
        let below = column & (cell - 1);
        // By its place: counting bits is slow where the processor may not have an instruction for it.
        let above = (number + 1) * (geometry.rows() + 1) - 2 - cell.trailing_zeros();
        if !(left - above).is_multiple_of(2) {
            continue;
        }
        // The rows of the cell below t and every second one under it.
        let rows = if top & cell != 0 { !top } else { top };
        let left_to_y = free & !column | empty & below & rows | playable & column;
        let score = -(1 + above as i32 / 2);
        if best.is_none_or(|known| score < known) && !geometry.has_line(y | left_to_y) {
            best = Some(score);
        }
    }
    best
}
