//! Distinguishes bots with the same fingerprint.
//!
//! A bot is identified by its fingerprint alone, so that it keeps its games under another name. Twins (bots with the same
//! fingerprint) are identified by their names as well. The journal decides which of them came first:
//! - A bot that the journal has keeps its identity: the one that played under the fingerprint alone, under its last name,
//!   and every twin under its own. So a twin that joins or leaves changes nothing for the others.
//! - A new name takes over the fingerprint alone if it is the only bot with it, the old name is gone, and there never was a
//!   twin: then the bot was renamed.
//! - Every other new name is a twin. If several new bots share an unknown fingerprint, each of them is one.

use std::collections::{BTreeSet, HashMap};

use crate::record::BotId;

/// The names under which each fingerprint has played, according to a journal.
#[derive(Debug, Clone, Default)]
pub struct KnownNames(HashMap<String, Names>);

#[derive(Debug, Clone, Default)]
struct Names {
    /// The last name of the bot that is identified by the fingerprint alone.
    alone: Option<String>,
    /// The bots that are identified by their names too.
    twins: BTreeSet<String>,
}

impl KnownNames {
    /// Records a bot of an event or a record; later calls override earlier ones.
    pub fn note(&mut self, bot: &BotId) {
        if !self.0.contains_key(&bot.fingerprint) {
            self.0.insert(bot.fingerprint.clone(), Names::default());
        }
        let Some(names) = self.0.get_mut(&bot.fingerprint) else { return };
        if bot.twin {
            if !names.twins.contains(&bot.name) {
                names.twins.insert(bot.name.clone());
            }
        } else if names.alone.as_ref() != Some(&bot.name) {
            names.alone = Some(bot.name.clone());
        }
    }

    /// Sets whether each of `bots` is a twin. `is_there` holds for the names of all bots found, including those that do not
    /// play.
    pub fn mark_twins(&self, bots: &mut [BotId], is_there: impl Fn(&str) -> bool) {
        let none = Names::default();
        let mut alike: HashMap<String, usize> = HashMap::new();
        for bot in bots.iter() {
            *alike.entry(bot.fingerprint.clone()).or_default() += 1;
        }
        for bot in bots {
            let names = self.0.get(&bot.fingerprint).unwrap_or(&none);
            let is_only_one = names.twins.is_empty() && alike[&bot.fingerprint] == 1;
            bot.twin = match &names.alone {
                _ if names.twins.contains(&bot.name) => true,
                Some(name) if *name == bot.name => false,
                Some(name) => !is_only_one || is_there(name),
                None => !is_only_one,
            };
        }
    }

    /// The previous name of a bot, if it was renamed.
    #[must_use]
    pub fn former_name(&self, bot: &BotId) -> Option<&str> {
        let name = self.0.get(&bot.fingerprint)?.alone.as_deref()?;
        (!bot.twin && name != bot.name).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Plays with the bots `name=fingerprint`, and records them; `(name)` is a bot that does not play.
    fn seat(known: &mut KnownNames, bots: &str) -> String {
        let (playing, others): (Vec<&str>, Vec<&str>) = bots.split(' ').partition(|bot| bot.contains('='));
        let id = |bot: &&str| {
            let (name, fingerprint) = bot.split_once('=').unwrap();
            BotId { name: name.to_owned(), fingerprint: fingerprint.to_owned(), twin: false }
        };
        let mut ids: Vec<BotId> = playing.iter().map(id).collect();
        let names: Vec<String> = ids.iter().map(|id| id.name.clone()).collect();
        let other = |name: &str| others.contains(&format!("({name})").as_str());
        known.mark_twins(&mut ids, |name| names.iter().any(|own| own == name) || other(name));
        for id in &ids {
            known.note(id);
        }
        ids.iter().map(|id| id.identity().into_owned()).collect::<Vec<_>>().join(", ")
    }

    /// One run after the other.
    #[track_caller]
    fn check(runs: &[(&str, &str)]) {
        let mut known = KnownNames::default();
        for (number, (bots, expected)) in runs.iter().enumerate() {
            assert_eq!(seat(&mut known, bots), *expected, "run {number}: {bots}");
        }
    }

    #[test]
    fn a_bot_without_twins_keeps_its_games_under_any_name() {
        check(&[("a=x b=y", "x, y"), ("c=x b=y", "x, y"), ("a=x d=y", "x, y")]);
    }

    #[test]
    fn a_twin_that_comes_later_or_leaves_changes_nothing() {
        check(&[
            ("m=x", "x"),
            ("a=x m=x", "x as a, x"),
            ("m=x z=x", "x, x as z"),
            ("a=x z=x", "x as a, x as z"),
            ("a=x", "x as a"),
            ("m=x", "x"),
        ]);
    }

    #[test]
    fn a_copy_does_not_take_over_by_a_rename() {
        // It comes first by name, or its original is fixed, fails, plays nothing or has left, under any new name.
        check(&[("m=x z=x", "x as m, x as z"), ("a=x m=x", "x as a, x as m"), ("b=x", "x as b")]);
        check(&[
            ("m=x", "x"),
            ("m=x z=x", "x, x as z"),
            ("a=x m=x", "x as a, x"),
            ("a=x", "x as a"),
            ("b=x", "x as b"),
        ]);
        check(&[("m=x", "x"), ("a=x m=y", "x as a, y")]);
        check(&[("m=x", "x"), ("a=x (m)", "x as a"), ("a=x", "x as a")]);
        check(&[("m=x", "x"), ("a=x b=x", "x as a, x as b")]);
    }

    #[test]
    fn a_renamed_bot_is_known_by_its_new_name() {
        check(&[("m=x", "x"), ("n=x", "x"), ("m=x n=x", "x as m, x")]);
    }

    #[test]
    fn a_former_name_is_reported_once() {
        let mut known = KnownNames::default();
        let bot = |name: &str, twin| BotId { name: name.to_owned(), fingerprint: "x".to_owned(), twin };
        known.note(&bot("m", false));
        assert_eq!(known.former_name(&bot("n", false)), Some("m"));
        assert_eq!((known.former_name(&bot("n", true)), known.former_name(&bot("m", false))), (None, None));
        known.note(&bot("n", false));
        assert_eq!(known.former_name(&bot("n", false)), None);
    }

    proptest! {
        #[test]
        fn identities_are_never_shared_and_stay_with_their_names(
            runs in proptest::collection::vec(proptest::collection::btree_map("[a-e]", "[xy]", 1..5), 1..8),
        ) {
            let mut known = KnownNames::default();
            // The last player of each identity.
            let mut holders: BTreeMap<String, String> = BTreeMap::new();
            for bots in &runs {
                let text: Vec<String> = bots.iter().map(|(name, print)| format!("{name}={print}")).collect();
                let ids = seat(&mut known, &text.join(" "));
                let ids: Vec<&str> = ids.split(", ").collect();
                let distinct: BTreeSet<&&str> = ids.iter().collect();
                prop_assert_eq!(distinct.len(), ids.len(), "{:?}", ids);
                for (name, id) in bots.keys().zip(ids) {
                    if let Some(holder) = holders.insert(id.to_owned(), name.clone()) {
                        // Another name only for a fingerprint with one bot whose old name is gone.
                        let print = &bots[name];
                        let alike = bots.values().filter(|other| *other == print).count();
                        prop_assert!(holder == *name || alike == 1 && !bots.contains_key(&holder) && id == print);
                    }
                }
            }
        }
    }
}
