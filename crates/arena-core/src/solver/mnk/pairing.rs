//! A proof that a side makes no line: two empty cells of each of its open lines, no cell for two lines. Whenever it takes one of
//! a pair, the other side takes the other, so no line is ever completed (Hales and Jewett, Regularity and positional games,
//! 1963). It holds whoever is to move: a mark more never hurts.

/// Lines more than this are not tried: there are seldom pairs for them.
const LINES_MAX: usize = 12;

/// Whether there are such pairs for these sets of empty cells.
pub(super) fn has_pairs(lines: &[u32]) -> bool {
    let all = lines.iter().fold(0, |all, cells| all | cells);
    if lines.len() > LINES_MAX || all.count_ones() < 2 * lines.len() as u32 {
        return false;
    }
    // Each line is matched twice, by augmenting paths.
    let mut owner = [usize::MAX; u32::BITS as usize];
    (0..2 * lines.len()).all(|place| augment(lines, place, &mut owner, &mut 0))
}

/// Finds a cell for one of the two places of a line, and other cells for those that are in the way.
fn augment(lines: &[u32], place: usize, owner: &mut [usize; 32], seen: &mut u32) -> bool {
    let mut free = lines[place / 2] & !*seen;
    while free != 0 {
        let cell = free.trailing_zeros() as usize;
        *seen |= 1 << cell;
        if owner[cell] == usize::MAX || augment(lines, owner[cell], owner, seen) {
            owner[cell] = place;
            return true;
        }
        free = lines[place / 2] & !*seen;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_where_there_are_some() {
        assert!(has_pairs(&[]));
        assert!(has_pairs(&[0b11, 0b1100]));
        assert!(has_pairs(&[0b111, 0b1110]), "0 and 1 for one line, 2 and 3 for the other");
        assert!(!has_pairs(&[0b11, 0b110]));
        assert!(!has_pairs(&[0b1]));
        assert!(!has_pairs(&[0b0111, 0b1101, 0b1011]));
        assert!(has_pairs(&[0b1_1111, 0b11_0000, 0b110_0001 | 0b1000]));
    }
}
