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
    let sent: Vec<&String> = options.keys().filter(|name| is_sent(name)).collect();
    for (index, name) in sent.iter().enumerate() {
        if let Some(other) = sent[..index].iter().find(|other| in_one_form(other) == in_one_form(name)) {
            let why = format!("`{other}` and `{name}` name the same option of an engine; remove one of them");
            return Err(((*name).clone(), why));
        }
    }
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

/// Which values an option takes. Names and values are compared in any case, as UCI demands, and sent in the engine's own
/// spelling, since some engines compare every letter.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// An integer, from a least to a greatest one as far as these are known.
    Spin(Option<i128>, Option<i128>),
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
                // Of bounds that leave no number, neither is believed.
                if least.zip(most).is_some_and(|(least, most)| least > most) {
                    Kind::Spin(None, None)
                } else {
                    Kind::Spin(least, most)
                }
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

    /// The option that is called so: exactly, or else in any case.
    fn named<'a>(name: &str, offers: &'a [Self]) -> Option<&'a Self> {
        let exact = offers.iter().find(|offer| offer.name == name);
        exact.or_else(|| offers.iter().find(|offer| in_one_form(&offer.name) == in_one_form(name)))
    }

    /// The line that sets it to this value of a manifest, if it takes that.
    fn command(&self, value: &str) -> Option<String> {
        let is_word = |word: &str| in_one_form(value) == in_one_form(word);
        let value = match &self.kind {
            Kind::Spin(least, most) => value
                .parse::<i128>()
                .ok()
                .filter(|number| least.is_none_or(|least| *number >= least) && most.is_none_or(|most| *number <= most))?
                .to_string(),
            Kind::Check => ["true", "false"].into_iter().find(|word| is_word(word))?.to_owned(),
            // An engine that names none leaves open what it takes.
            Kind::Combo(words) if words.is_empty() => value.to_owned(),
            Kind::Combo(words) => words.iter().find(|word| is_word(word))?.clone(),
            Kind::Button => return is_word("true").then(|| format!("setoption name {}\n", self.name)),
            Kind::Any => value.to_owned(),
        };
        Some(set(&self.name, &value))
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

/// The line that sets an option.
pub(super) fn set(name: &str, value: &str) -> String {
    format!("setoption name {name} value {value}\n")
}

/// The lines that set these options of a manifest, in the engine's own spelling. If it does not have one of them or does not
/// take its value, what is wrong with the first such; the end of a sentence about it.
pub(super) fn commands(given: &[(String, String)], offers: &[Offer]) -> Result<String, String> {
    let command = |(name, value): &(String, String)| {
        let Some(offer) = Offer::named(name, offers) else {
            // Ours too, since they are known in lower case only.
            let ours = SEARCH_LIMITS.into_iter().chain([OVERHEAD]);
            let unknown = UnknownName::new("option", name, offers.iter().map(|offer| offer.name.as_str()).chain(ours));
            return Err(format!("it has {unknown}"));
        };
        let near = match &offer.kind {
            Kind::Combo(words) => did_you_mean(value, words.iter().map(String::as_str)),
            _ => String::new(),
        };
        offer.command(value).ok_or_else(|| format!("its option {offer}, not `{value}`{near}"))
    };
    given.iter().map(command).collect()
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

    #[test]
    fn a_name_in_two_spellings_is_refused() {
        let check = |names: &[&str]| {
            let options = names.iter().map(|name| ((*name).to_owned(), OptionValue::Integer(1)));
            check(&options.collect()).map_err(|(_, why)| why)
        };
        let refused = "`Hash` and `hash` name the same option of an engine; remove one of them";
        assert_eq!(check(&["Clear", "Hash", "hash"]), Err(refused.to_owned()));
        assert!(check(&["Own Book", "own  book"]).is_err());
        assert_eq!(check(&["Hash", "Hash2", "nodes", "Nodes"]), Ok(()));
    }

    /// What an engine that has this option is sent for `name = value`, or what is wrong with that.
    fn told(offer: &str, name: &str, value: &str) -> Result<String, String> {
        let offers = [Offer::of(&offer.split_whitespace().collect::<Vec<_>>())];
        commands(&[(name.to_owned(), value.to_owned())], &offers)
    }

    fn wrong(offer: &str, name: &str, value: &str) -> Option<String> {
        told(offer, name, value).err()
    }

    #[test]
    fn values_that_an_engine_takes_are_sent_in_its_own_spelling() {
        const HASH: &str = "Hash type spin default 16 min 1 max 1024";
        const BOOK: &str = "Own  Book type check default false";
        const STYLE: &str = "Style type combo default Very Calm var Very Calm var Wild";
        const WORDS: &str = "Style type combo var default var none default none";
        for (offer, name, value, sent) in [
            (HASH, "hash", "1", "Hash value 1"),
            (HASH, "HASH", "+07", "Hash value 7"),
            (HASH, "Hash", "1024", "Hash value 1024"),
            ("Contempt type spin default 0", "Contempt", "-05", "Contempt value -5"),
            ("Contempt type spin default 0 min x", "Contempt", "-5", "Contempt value -5"),
            ("X type spin max 1e6", "X", "2000000", "X value 2000000"),
            ("X type spin min 9 max 1", "X", "5", "X value 5"),
            ("X type spin min 0 max 18446744073709551615", "X", "9223372036854775808", "X value 9223372036854775808"),
            (BOOK, "own book", "TRUE", "Own Book value true"),
            (BOOK, "Own Book", "false", "Own Book value false"),
            (STYLE, "Style", "very  calm", "Style value Very Calm"),
            (STYLE, "style", "WILD", "Style value Wild"),
            (WORDS, "Style", "Default", "Style value default"),
            (WORDS, "Style", "none", "Style value none"),
            ("Style type combo default Calm", "STYLE", "Wild", "Style value Wild"),
            ("Clear Hash type button", "clear hash", "True", "Clear Hash"),
            ("Book type string default <empty>", "book", "", "Book value "),
            ("Book type string default <empty>", "Book", "A b", "Book value A b"),
            ("Odd type slider min 1 max 2", "odd", "3", "Odd value 3"),
            ("Bare", "bare", "x", "Bare value x"),
            ("Search type type check default true", "Search type", "True", "Search type value true"),
        ] {
            assert_eq!(told(offer, name, value), Ok(format!("setoption name {sent}\n")), "{offer}");
        }
        let both =
            ["hash type string", "Hash type string"].map(|offer| Offer::of(&offer.split(' ').collect::<Vec<_>>()));
        let sent = commands(&[("Hash".to_owned(), "1".to_owned())], &both);
        assert_eq!(sent.as_deref(), Ok("setoption name Hash value 1\n"), "the one that is called so exactly");
    }

    #[test]
    fn a_key_of_ours_is_suggested_in_any_case() {
        let told = wrong("Ponder type check", "Nodes", "5").unwrap();
        assert_eq!(
            told,
            "it has no option named `Nodes` (did you mean `nodes`?); known: Ponder, depth, nodes, overhead_ms"
        );
        let told = wrong("Ponder type check", "Overhead_MS", "5").unwrap();
        assert!(told.contains("(did you mean `overhead_ms`?)"), "{told}");
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
        assert_eq!(
            told("X type spin min 1 max 18446744073709551615", "0"),
            "its option `X` is an integer from 1 to 18446744073709551615, not `0`"
        );
        assert_eq!(
            wrong("X type check", "Y", "1").unwrap(),
            "it has no option named `Y`; known: X, depth, nodes, overhead_ms"
        );
    }
}
