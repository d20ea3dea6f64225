//! Names of the texts that are written for the author of each bot, by `arena check --all --out` and `arena standings --feedback`.
//!
//! Bots have distinct, plain names, and keep them. A submission that is no usable bot may have any name. The name of its text has a
//! hash of its path if its own name is not plain, is too long, or belongs to another card. So each text is for one author only.

use std::collections::HashMap;

/// The longest name that is kept whole, in bytes.
const BYTES_MAX: usize = 100;
/// Digits of a hash.
const DIGITS: usize = 16;

/// The names of the texts of these cards, all distinct, also where case is ignored: each by its name, and by its path if it is no
/// usable bot, or if its name may be any text.
#[must_use]
pub fn text_names<'a>(cards: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Vec<String> {
    let cards: Vec<(&str, String, Option<&str>)> = cards
        .map(|(name, path)| {
            let name = name.rsplit('/').next().unwrap_or_default();
            (name, plain(name), path)
        })
        .collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, plain, _) in &cards {
        *counts.entry(plain.to_ascii_lowercase()).or_default() += 1;
    }
    let file = |(name, plain, path): &(&str, String, Option<&str>)| match path {
        Some(path) if name != plain || counts[&plain.to_ascii_lowercase()] > 1 => {
            // No bot has an `@` in its name.
            format!("{plain}@{}.txt", &blake3::hash(path.as_bytes()).to_hex()[..DIGITS])
        }
        _ => format!("{plain}.txt"),
    };
    cards.iter().map(file).collect()
}

/// The name as that of a file that is not hidden.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = name.trim_start_matches('.').chars().map(plain).take(BYTES_MAX).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_card_has_a_plain_text_of_its_own(
            bots in prop::collection::hash_set("[a-c_]{1,2}(@|-|\\.txt)?", 0..4),
            others in prop::collection::hash_set("bots/([aAbB ä_/.@]{1,3}|[a-c]{1,2}|x{250})", 0..8),
        ) {
            let bots: Vec<String> = bots.iter().map(|name| name.replace('@', "")).collect::<HashSet<_>>().into_iter().collect();
            let cards = bots.iter().map(|name| (name.as_str(), None));
            let cards: Vec<(&str, Option<&str>)> =
                cards.chain(others.iter().map(|path| (path.as_str(), Some(path.as_str())))).collect();
            let names = text_names(cards.iter().copied());
            let distinct: HashSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
            prop_assert_eq!(distinct.len(), cards.len(), "{:?}", names);
            for (name, (card, left_out)) in names.iter().zip(&cards) {
                prop_assert!(name.len() < 150 && !name.starts_with('.'), "{name}");
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte)), "{name}");
                prop_assert!(left_out.is_some() || *name == format!("{card}.txt"), "a bot keeps its name: {name}");
            }
        }
    }

    #[test]
    fn only_a_submission_whose_name_is_not_its_own_has_a_hash() {
        let names = text_names(
            [("eve", None), ("bots/raw.py", Some("bots/raw.py")), ("bots/Eve", Some("bots/Eve"))].into_iter(),
        );
        assert_eq!(names[..2], ["eve.txt", "raw.py.txt"]);
        assert!(names[2].starts_with("Eve@") && names[2].len() == "Eve@.txt".len() + DIGITS, "{names:?}");
    }
}
