//! Options of engines: what a manifest may say of them, and what an engine says about itself.

use std::fmt;

use arena_core::speech::{DialectOptions, OptionValue};
use arena_core::suggest::{UnknownName, did_you_mean};
use arena_core::text::shown;

use super::super::overhead::{OVERHEAD, Overhead};

/// Options that are ours as well as [`OVERHEAD`]: limits of a search.
pub(super) const SEARCH_LIMITS: [&str; 2] = ["depth", "nodes"];
/// Length of an option's name at most, in bytes.
const NAME_MAX: usize = 64;

/// The types of options that UCI has.
const TYPES: [&str; 5] = ["check", "spin", "combo", "button", "string"];

/// Checks options before any engine is started.
pub(super) fn check(options: &DialectOptions) -> Result<(), (String, String)> {
    for (name, value) in options {
        let is_printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let is_name = (1..=NAME_MAX).contains(&name.len()) && is_printable && name.trim() == name;
        let why = match (name.as_str(), value) {
            (OVERHEAD, value) => match Overhead::check(value) {
                Ok(()) => continue,
                Err(why) => why,
            },
            (limit, OptionValue::Integer(1..)) if SEARCH_LIMITS.contains(&limit) => continue,
            (limit, _) if SEARCH_LIMITS.contains(&limit) => "is an integer from 1",
            _ if !is_name || name.contains(" value ") => {
                "is no name of an option: 1 to 64 characters of printable ASCII"
            }
            _ => continue,
        };
        return Err((name.clone(), format!("`{name}` {why}")));
    }
    Ok(())
}

/// Whether an option is sent, and not ours.
pub(super) fn is_sent(name: &str) -> bool {
    name != OVERHEAD && !SEARCH_LIMITS.contains(&name)
}

/// An option that an engine has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offer {
    name: String,
    kind: Kind,
}

/// Which values an option takes. Names and values are compared in any case, as UCI demands.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// An integer, from a least to a greatest one as far as these are known.
    Spin(Option<i64>, Option<i64>),
    /// True or false.
    Check,
    /// One of these words.
    Combo(Vec<String>),
    /// Something that is done when it is set; it has no value.
    Button,
    /// Any text, or a type that is not known here.
    Any,
}

impl Offer {
    /// Reads the words after `option name`.
    pub(super) fn of(words: &[&str]) -> Self {
        // A name may have any word in it.
        let is_type = |pair: &[&str]| pair[0] == "type" && TYPES.contains(&pair[1]);
        let at = words.windows(2).position(is_type).or_else(|| words.iter().position(|word| *word == "type"));
        let (name, rest) = words.split_at(at.unwrap_or(words.len()));
        let kind = match rest.get(1).copied() {
            Some("spin") => {
                let number = |key: &str| rest.iter().position(|word| *word == key).and_then(|at| rest.get(at + 1));
                let [least, most] = ["min", "max"].map(|key| number(key).and_then(|number| number.parse().ok()));
                Kind::Spin(least, most)
            }
            Some("check") => Kind::Check,
            Some("combo") => {
                let values = rest.split(|word| *word == "var").skip(1).map(|words| {
                    // A word may be called `default`.
                    let end = words.iter().skip(1).position(|word| *word == "default").map_or(words.len(), |at| at + 1);
                    words[..end].join(" ")
                });
                Kind::Combo(values.collect())
            }
            Some("button") => Kind::Button,
            _ => Kind::Any,
        };
        Self { name: name.join(" "), kind }
    }

    /// Whether it takes this value, as it is sent.
    fn takes(&self, value: &str) -> bool {
        let is_word = |word: &str| in_one_form(value) == in_one_form(word);
        match &self.kind {
            Kind::Spin(least, most) => value.parse::<i64>().is_ok_and(|number| {
                least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
            }),
            Kind::Check => is_word("true") || is_word("false"),
            // An engine that names none leaves open what it takes.
            Kind::Combo(words) => words.is_empty() || words.iter().any(|word| is_word(word)),
            Kind::Button => is_word("true"),
            Kind::Any => true,
        }
    }
}

impl fmt::Display for Offer {
    /// Which values it takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", shown(&self.name))?;
        match &self.kind {
            Kind::Spin(Some(least), Some(most)) => write!(f, "is an integer from {least} to {most}"),
            Kind::Spin(Some(least), None) => write!(f, "is an integer from {least}"),
            Kind::Spin(None, Some(most)) => write!(f, "is an integer up to {most}"),
            Kind::Spin(None, None) => f.write_str("is an integer"),
            Kind::Check => f.write_str("is `true` or `false`"),
            Kind::Combo(words) => write!(f, "is one of {}", shown(&words.join(", "))),
            Kind::Button => f.write_str("is a button, which only `true` presses"),
            Kind::Any => f.write_str("is a text"),
        }
    }
}

/// Text that is compared in any case and whatever its blanks.
fn in_one_form(text: &str) -> String {
    text.split_whitespace().map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" ")
}

/// What is wrong with the first of these options, given as they are sent, that the engine does not have or whose value it does
/// not take; the end of a sentence about it.
pub(super) fn refused(sent: &[(String, String)], offers: &[Offer]) -> Option<String> {
    sent.iter().find_map(|(name, value)| {
        let Some(offer) = offers.iter().find(|offer| in_one_form(&offer.name) == in_one_form(name)) else {
            let unknown = UnknownName::new("option", name, offers.iter().map(|offer| offer.name.as_str()));
            return Some(format!("it has {unknown}"));
        };
        let near = match &offer.kind {
            Kind::Combo(words) => did_you_mean(value, words.iter().map(String::as_str)),
            _ => String::new(),
        };
        (!offer.takes(value)).then(|| format!("its option {offer}, not `{value}`{near}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_ours_are_checked_and_those_of_engines_have_names() {
        let check = |name: &str, value: OptionValue| check(&[(name.to_owned(), value)].into()).is_ok();
        for name in ["Hash", "Skill Level", "UCI_Elo"] {
            assert!(check(name, OptionValue::Integer(-5)), "{name}");
        }
        for name in ["", " Hash", "a value b", "a\nquit", &"x".repeat(NAME_MAX + 1)] {
            assert!(!check(name, OptionValue::Bool(true)), "{name}");
        }
        assert!(check("nodes", OptionValue::Integer(1)) && !check("nodes", OptionValue::Integer(0)));
        assert!(check(OVERHEAD, OptionValue::Integer(0)) && !check(OVERHEAD, OptionValue::Integer(-1)));
        assert!(!check("depth", OptionValue::Text("9".to_owned())));
    }

    /// What is wrong with `name = value` for an engine that has this option.
    fn wrong(offer: &str, name: &str, value: &str) -> Option<String> {
        let offers = [Offer::of(&offer.split_whitespace().collect::<Vec<_>>())];
        refused(&[(name.to_owned(), value.to_owned())], &offers)
    }

    #[test]
    fn values_that_an_engine_takes_are_sent() {
        for (offer, name, values) in [
            ("Hash type spin default 16 min 1 max 1024", "hash", ["1", "16", "1024"]),
            ("Contempt type spin default 0", "Contempt", ["-5", "0", "99999"]),
            ("Contempt type spin default 0 min x", "Contempt", ["-5", "0", "99999"]),
            ("Own  Book type check default false", "own book", ["true", "false", "TRUE"]),
            ("Style type combo default Very Calm var Very Calm var Wild", "Style", ["very  calm", "Wild", "WILD"]),
            ("Style type combo var default var none default none", "Style", ["default", "none", "Default"]),
            ("Style type combo default Calm", "Style", ["Calm", "Wild", ""]),
            ("Clear Hash type button", "Clear Hash", ["true", "True", "true"]),
            ("Book type string default <empty>", "Book", ["", "<empty>", "a b"]),
            ("Odd type slider min 1 max 2", "Odd", ["3", "x", ""]),
            ("Bare", "Bare", ["3", "x", ""]),
            ("Search type type check default true", "Search type", ["true", "false", "True"]),
        ] {
            for value in values {
                assert_eq!(wrong(offer, name, value), None, "{offer}");
            }
        }
    }

    #[test]
    fn values_that_an_engine_does_not_take_are_named() {
        let spin = "Hash type spin default 16 min 1 max 1024";
        for value in ["-16", "0", "1025", "lots", "", "16.0", "true", "1e2", "99999999999999999999"] {
            let told = wrong(spin, "Hash", value);
            assert_eq!(told, Some(format!("its option `Hash` is an integer from 1 to 1024, not `{value}`")));
        }
        let told = |offer, value| wrong(offer, "X", value).unwrap_or_else(|| panic!("{offer}: {value}"));
        assert_eq!(told("X type spin min 0", "-1"), "its option `X` is an integer from 0, not `-1`");
        assert_eq!(told("X type spin max -1", "0"), "its option `X` is an integer up to -1, not `0`");
        assert_eq!(told("X type spin", "x"), "its option `X` is an integer, not `x`");
        assert_eq!(told("X type check default true", "1"), "its option `X` is `true` or `false`, not `1`");
        assert_eq!(
            told("X type combo default Calm var Calm var Wild", "Clam"),
            "its option `X` is one of Calm, Wild, not `Clam` (did you mean `Calm`?)"
        );
        assert_eq!(
            told("X type button", "false"),
            "its option `X` is a button, which only `true` presses, not `false`"
        );
        assert_eq!(wrong("X type check", "Y", "1").unwrap(), "it has no option named `Y`; known: X");
    }
}
