//! Which openings two bots play in a ladder.
//!
//! Each pairing goes through all openings from a place of its own, so that few of them are played much more often than others:
//! margins count openings, and would otherwise be those of the few that every pairing begins with. The first openings that the
//! two have already played in a round-robin are left out. Openings beyond the first thousand come last, so that a pairing that
//! has played all goes on when there are more.

/// Openings among which the first one of a pairing is.
const FIRST: u32 = 1_000;

/// The opening of two bots with these keys after `step` others, of `openings`, the first `known` of which they have played;
/// `None` once all are played.
#[must_use]
pub(super) fn opening(keys: [u64; 2], openings: u32, known: u32, step: u32) -> Option<u32> {
    let left = openings.checked_sub(known)?;
    if step >= left {
        return None;
    }
    let first = openings.min(FIRST);
    let start = (((keys[0] ^ keys[1]) % u64::from(first)) as u32).max(known);
    Some(if first <= known || step >= first - known {
        known + step
    } else if step < first - start {
        start + step
    } else {
        known + (step - (first - start))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_opening_that_is_not_known_comes_once(a: u64, b: u64, openings in 1..40_u32, known in 0..50_u32) {
            let mut found: Vec<u32> = (0..).map_while(|step| opening([a, b], openings, known, step)).collect();
            let other: Vec<u32> = (0..).map_while(|step| opening([b, a], openings, known, step)).collect();
            prop_assert_eq!(&found, &other);
            found.sort_unstable();
            prop_assert!(found.into_iter().eq(known..openings));
        }

        #[test]
        fn more_than_a_thousand_only_follow(a: u64, b: u64, more in 1_000..3_000_u32, known in 0..2_000_u32, step in 0..3_000_u32) {
            let thousand = opening([a, b], 1_000, known, step);
            let more = opening([a, b], more, known, step);
            prop_assert!(thousand.is_none() || thousand == more);
            prop_assert!(more.is_none_or(|more| thousand.is_some() || more == known + step));
        }
    }
}
