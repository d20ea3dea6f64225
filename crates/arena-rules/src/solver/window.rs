//! From null windows to an exact score.

/// The score from `low` to `high` that `test` finds. `test(β)` returns a lower bound if the score is at least β, otherwise an upper
/// bound; it is asked as long as the bounds differ and it returns something.
///
/// `floor` is a bound that often is the score: then one window is enough. Otherwise windows halve the range, but nearer to 0
/// where a bound is far from it, as quick wins and losses are cheap to exclude.
pub(super) fn narrow(
    mut low: i32,
    mut high: i32,
    floor: Option<i32>,
    mut test: impl FnMut(i32) -> Option<i32>,
) -> Option<i32> {
    let mut first = floor.map(|floor| floor.clamp(low, high));
    low = low.max(first.unwrap_or(low));
    while low < high {
        let middle = first.take().unwrap_or_else(|| between(low, high));
        let bound = test(middle + 1)?;
        if bound > middle { low = bound } else { high = bound }
    }
    Some(low)
}

fn between(low: i32, high: i32) -> i32 {
    let middle = low + (high - low) / 2;
    if middle <= 0 && low / 2 < middle {
        low / 2
    } else if middle >= 0 && high / 2 > middle {
        high / 2
    } else {
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_is_found() {
        for score in -20..=20 {
            for (low, high) in [(-20, 20), (score, score), (score - 1, score), (score, 20), (-20, score)] {
                for floor in [None, Some(score), Some(-30), Some(low)] {
                    for slack in 0..3 {
                        // Bounds as far beyond the window as they may be.
                        let test = |beta| {
                            Some(if score >= beta { score.min(beta + slack) } else { score.max(beta - 1 - slack) })
                        };
                        assert_eq!(narrow(low, high, floor, test), Some(score));
                    }
                }
            }
        }
        assert_eq!(narrow(-3, 3, None, |_| None), None);
    }
}
