//! Everybody against everybody, round by round, so that standings mean something at any time.

use super::{Format, Pair};

pub(super) const ROUND_ROBIN: Format = Format {
    name: "round-robin",
    summary: "every two bots play a pair of games in every round",
    due: |bots, rounds| {
        (1..=rounds)
            .flat_map(move |round| {
                (0..bots).flat_map(move |a| (a + 1..bots).map(move |b| Pair { round, bots: [a, b] }))
            })
            .collect()
    },
};

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::format::FORMATS;

    #[test]
    fn every_two_bots_meet_once_a_round() {
        let pairs = (ROUND_ROBIN.due)(5, 3);
        let mut met: HashMap<(u32, [usize; 2]), u32> = HashMap::new();
        for pair in &pairs {
            assert!(pair.bots[0] < pair.bots[1]);
            *met.entry((pair.round, pair.bots)).or_default() += 1;
        }
        assert_eq!(met.len(), 3 * 10);
        assert!(met.values().all(|count| *count == 1));
    }

    #[test]
    fn more_rounds_only_add_to_the_end() {
        for format in FORMATS {
            let fewer = (format.due)(4, 2);
            assert_eq!(fewer, (format.due)(4, 3)[..fewer.len()], "{}", format.name);
        }
    }

    #[test]
    fn fewer_than_two_bots_play_nothing() {
        assert!((ROUND_ROBIN.due)(0, 3).is_empty());
        assert!((ROUND_ROBIN.due)(1, 3).is_empty());
    }
}
