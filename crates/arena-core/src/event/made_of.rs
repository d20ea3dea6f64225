//! What a bot's fingerprint was computed from, so that it can be said what has changed when it is another one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::text::shown;

/// Names of files that are listed.
const NAMED_MAX: usize = 5;

/// What a fingerprint covers, as far as it is recorded. No game depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeOf {
    /// Permissions and the protocol, by name: `limits`, `sandbox`, `startup_ms`, `fresh`, `freeze_idle`.
    pub permissions: BTreeMap<String, String>,
    /// A hash of each of the bot's files, by its path from the bot's folder; empty if it has many.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl MadeOf {
    /// How it differs from what was `recorded`, in words; empty if the difference is in what is not recorded, such as the
    /// command.
    #[must_use]
    pub fn differences(&self, recorded: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        for name in both(&self.permissions, &recorded.permissions) {
            let [now, before] =
                [&self.permissions, &recorded.permissions].map(|all| all.get(name).map_or("none", |value| value));
            if now != before {
                let [now, before] = [without(now, before), without(before, now)].map(|value| shown(&value));
                differences.push(format!("{} {now} (recorded: {before})", shown(name)));
            }
        }
        if self.files.is_empty() || recorded.files.is_empty() {
            return differences;
        }
        let change = |name: &str| {
            let word = match (self.files.get(name), recorded.files.get(name)) {
                (Some(now), Some(before)) if now == before => return None,
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "new",
                (None, _) => "gone",
            };
            Some(format!("{word} {}", shown(name)))
        };
        let changed: Vec<String> = both(&self.files, &recorded.files).into_iter().filter_map(change).collect();
        let more = changed.len().saturating_sub(NAMED_MAX);
        differences.extend(changed.into_iter().take(NAMED_MAX));
        if more > 0 {
            differences.push(format!("and {more} other files"));
        }
        differences
    }
}

/// The names of both, in order.
fn both<'a>(one: &'a BTreeMap<String, String>, other: &'a BTreeMap<String, String>) -> BTreeSet<&'a str> {
    one.keys().chain(other.keys()).map(String::as_str).collect()
}

/// The parts of a list such as `memory_mb=1024, processes=64` that another one does not have; all of it if there are none.
fn without(list: &str, other: &str) -> String {
    let others: Vec<&str> = other.split(',').map(str::trim).collect();
    let own: Vec<&str> = list.split(',').map(str::trim).filter(|part| !others.contains(part)).collect();
    if own.is_empty() { list.to_owned() } else { own.join(", ") }
}

/// The options for all bots that were given to a tournament and enter fingerprints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotOptions {
    /// The sandbox.
    pub sandbox: String,
    /// Limits that override those of manifests, such as `memory_mb=2048`; empty without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limits: String,
    /// Maximum startup time that a bot may request, in milliseconds.
    pub startup_max_ms: u64,
    /// Whether bots are suspended while it is not their turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub freeze_idle: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_of(permissions: &[(&str, &str)], files: &[(&str, &str)]) -> MadeOf {
        let map =
            |all: &[(&str, &str)]| all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        MadeOf { permissions: map(permissions), files: map(files) }
    }

    #[test]
    fn what_has_changed_is_named() {
        let before = made_of(
            &[("limits", "memory_mb=1024, processes=64"), ("sandbox", "auto")],
            &[("main.py", "1"), ("old.py", "2"), ("same.py", "3")],
        );
        let now = made_of(
            &[("limits", "memory_mb=2048, processes=64"), ("sandbox", "auto"), ("protocol", "uci 1")],
            &[("main.py", "4"), ("new\n.py", "2"), ("same.py", "3")],
        );
        assert_eq!(
            now.differences(&before),
            [
                "limits memory_mb=2048 (recorded: memory_mb=1024)",
                "protocol uci 1 (recorded: none)",
                "changed main.py",
                r"new new\n.py",
                "gone old.py"
            ]
        );
        assert_eq!(before.differences(&before), [""; 0]);
        // Files that are not recorded are not known to have changed.
        assert_eq!(before.differences(&MadeOf { files: BTreeMap::new(), ..before.clone() }), [""; 0]);
        let many: Vec<String> = (0..9).map(|number| format!("{number}")).collect();
        let files = |hash: &'static str| many.iter().map(|name| (name.as_str(), hash)).collect::<Vec<_>>();
        let differences = made_of(&[], &files("1")).differences(&made_of(&[], &files("2")));
        assert_eq!((differences.len(), differences[5].as_str()), (6, "and 4 other files"));
    }
}
