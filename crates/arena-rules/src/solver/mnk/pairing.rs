//! Pairing strategies: static proofs that a side cannot complete any of its lines.
//!
//! If there are disjoint pairs of empty cells such that each line of the attacker contains a whole pair, the defender answers each
//! mark in a pair with the other cell of that pair. So no line is ever complete, whoever is to move. A pair may serve several
//! lines. Source: A. W. Hales and R. I. Jewett, *Regularity and positional games*, 1963.

use super::board::LINES_MAX;
use super::scan::cells;

/// Pairs that may be tried before a proof is given up.
const TRIES: u32 = 24;

/// Whether pairs were found for all lines, of which the empty cells are given. `false` proves nothing.
pub(super) fn holds(lines: &[u32]) -> bool {
    let mut open = [0; LINES_MAX];
    open[..lines.len()].copy_from_slice(lines);
    let free = lines.iter().fold(0, |free, line| free | line);
    find(&open[..lines.len()], free, &mut { TRIES })
}

/// Finds pairs in the free cells for lines that have none yet.
fn find(open: &[u32], free: u32, tries: &mut u32) -> bool {
    // The line with the fewest free cells has the least choice.
    let Some(line) = open.iter().map(|line| line & free).min_by_key(|line| line.count_ones()) else { return true };
    // Pairs that serve most lines come first.
    let mut pairs = [(0, 0); 10];
    let mut count = 0;
    for first in cells(line) {
        for second in cells(line & (u32::MAX << first << 1)) {
            let pair = 1 << first | 1 << second;
            let serves = open.iter().filter(|line| **line & pair == pair).count();
            if count < pairs.len() {
                pairs[count] = (serves, pair);
                count += 1;
            }
        }
    }
    let pairs = &mut pairs[..count];
    pairs.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
    for (_, pair) in pairs {
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let mut left = [0; LINES_MAX];
        let mut count = 0;
        for line in open.iter().filter(|line| **line & *pair != *pair) {
            left[count] = *line;
            count += 1;
        }
        if find(&left[..count], free & !*pair, tries) {
            return true;
        }
    }
    false
}
