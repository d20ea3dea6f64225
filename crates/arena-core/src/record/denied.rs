//! System calls that a bot's sandbox has refused.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::text::{grouped, shown};

/// How often the sandbox has refused each system call, by its name: `connect ×47, ptrace ×1`.
///
/// It shows what a bot tried, not that it meant harm: runtimes try such calls too, and do without.
///
/// # Examples
///
/// ```
/// use arena_core::record::DeniedCalls;
///
/// let mut denied = DeniedCalls::default();
/// denied += DeniedCalls::from_iter([("ptrace".to_owned(), 1), ("connect".to_owned(), 47)]);
/// assert_eq!(denied.to_string(), "connect ×47, ptrace ×1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeniedCalls(BTreeMap<String, u64>);

impl DeniedCalls {
    /// Whether there were none, or the system does not tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of them that are not among the `earlier` ones.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let new = |(name, count): (&String, &u64)| {
            (name.clone(), count.saturating_sub(earlier.0.get(name).copied().unwrap_or(0)))
        };
        self.0.iter().map(new).collect()
    }
}

impl FromIterator<(String, u64)> for DeniedCalls {
    /// Calls that were refused no time are left out.
    fn from_iter<I: IntoIterator<Item = (String, u64)>>(counts: I) -> Self {
        Self(counts.into_iter().filter(|(_, count)| *count > 0).collect())
    }
}

impl AddAssign for DeniedCalls {
    /// Of foreign journals, more names than there are system calls are not kept.
    fn add_assign(&mut self, more: Self) {
        const NAMES_MAX: usize = 1_000;
        for (name, count) in more.0 {
            if self.0.len() < NAMES_MAX || self.0.contains_key(&name) {
                let sum = self.0.entry(name).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }
}

impl fmt::Display for DeniedCalls {
    /// The most frequent ones come first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_MAX: usize = 8;
        let mut calls: Vec<_> = self.0.iter().collect();
        calls.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named = calls.iter().take(SHOWN_MAX).map(|(name, count)| format!("{} ×{}", shown(name), grouped(**count)));
        f.write_str(&named.collect::<Vec<_>>().join(", "))?;
        match calls.get(SHOWN_MAX..).unwrap_or_default() {
            [] => Ok(()),
            others => write!(f, " and {} more kinds", others.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(counts: &[(&str, u64)]) -> DeniedCalls {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_is_new_and_what_was_known_are_all() {
        let (earlier, now) =
            (denied(&[("bind", 2), ("socket", 3)]), denied(&[("bind", 2), ("chmod", 1), ("socket", 7)]));
        let new = now.since(&earlier);
        assert_eq!(new, denied(&[("chmod", 1), ("socket", 4)]));
        let mut sum = earlier;
        sum += new;
        assert_eq!(sum, now);
        assert!(now.since(&now).is_empty());
    }

    #[test]
    fn foreign_names_and_counts_neither_flood_nor_overflow() {
        let mut sum = denied(&[("a\u{1b}[2J", u64::MAX)]);
        sum += sum.clone();
        for name in 0..2_000 {
            sum += denied(&[(&name.to_string(), 1)]);
        }
        assert_eq!(sum.0.len(), 1_000);
        let text = sum.to_string();
        assert!(text.starts_with(r"a\u{1b}[2J ×18,446,744,073,709,551,615, "), "{text}");
        assert!(text.ends_with(" and 992 more kinds"), "{text}");
    }
}
