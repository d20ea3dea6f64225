//! A variant: rules with a complete set of parameters, as named on the command line and in the protocol.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::known::all_and_absent;
use super::{PLIES_MAX, ParamError, ParamValue, Params, Rules, RulesFault, State, all};
use crate::suggest::{UnknownName, is_mistyped};

/// Maximum length of a game's name, in bytes.
const NAME_MAX: usize = 32;

/// An alternative name for rules with particular parameters: `tictactoe` is `mnk` on 3×3 with three in a row.
#[derive(Debug)]
pub struct Alias {
    /// The alternative name.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// The parameters it sets; the rest keep their defaults.
    pub params: &'static [(&'static str, i64)],
}

/// Rules with a complete and consistent set of parameters.
#[derive(Clone)]
pub struct Variant {
    /// The rules.
    pub rules: &'static Rules,
    /// The parameters, complete.
    pub params: Params,
    /// The name used to select it: the label of the rules or an alias.
    pub label: &'static str,
}

/// The error for a rejected variant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VariantError {
    /// No rules have this name.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// A parameter was rejected, or the parameters are inconsistent.
    #[error("game `{game}`: {source}")]
    Param {
        /// The game.
        game: &'static str,
        /// The cause.
        source: ParamError,
    },
}

impl VariantError {
    /// The stable identifier: `unknown_game`, `unknown_param` or `bad_param`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownGame(_) => "unknown_game",
            Self::Param { source: ParamError::Unknown(_), .. } => "unknown_param",
            Self::Param { .. } => "bad_param",
        }
    }
}

impl Variant {
    /// Returns the rules, label or alias `name` with default parameters.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError::UnknownGame`], with the nearest known name.
    pub fn named(name: &str) -> Result<Self, VariantError> {
        for rules in all_and_absent() {
            let plain = |label| Self { rules, params: Params::defaults(rules.params), label };
            if [rules.name, rules.label()].contains(&name) {
                return Ok(plain(rules.label()));
            }
            if let Some(alias) = rules.aliases.iter().find(|alias| alias.name == name) {
                let mut variant = plain(alias.name);
                for (param, value) in alias.params {
                    variant.set(param, &(*value).into())?;
                }
                return Ok(variant);
            }
        }
        Err(VariantError::UnknownGame(UnknownName::new("game", name, Self::names())))
    }

    /// The words for a reason that these rules declare.
    #[must_use]
    pub fn reason_in_words(&self, reason: &str) -> Option<String> {
        const NUMBERS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        let mut words = self.rules.reasons.iter().find(|known| known.name == reason)?.words.to_owned();
        for (param, value) in self.params.iter() {
            let number = match value {
                ParamValue::Int(value) => usize::try_from(value - 2).ok().and_then(|index| NUMBERS.get(index)),
                ParamValue::Word(_) => None,
            };
            let value = number.map_or_else(|| value.to_string(), ToString::to_string);
            words = words.replace(&format!("{{{param}}}"), &value);
        }
        Some(words)
    }

    /// Whether a bot may name this game: it is known, or may be that of a program that is not there.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError::UnknownGame`] for a name that is no name of a game, or hardly differs from that of a known one.
    pub fn check_name(name: &str) -> Result<(), VariantError> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let has_form = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_letter);
        if has_form && !is_mistyped(name, Self::names()) { Ok(()) } else { Self::named(name).map(drop) }
    }

    /// Creates a variant from its name and JSON parameters; parameters not given keep their defaults.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError`] for an unknown name, a value out of range, or inconsistent parameters.
    pub fn from_json(name: &str, given: &serde_json::Map<String, serde_json::Value>) -> Result<Self, VariantError> {
        let mut variant = Self::named(name)?;
        for (param, value) in given {
            variant.set(param, value)?;
        }
        variant.checked()
    }

    /// Maximum number of moves of a game of these rules with these parameters; [`PLIES_MAX`] if they are not known.
    #[must_use]
    pub fn plies_max(name: &str, given: &serde_json::Map<String, serde_json::Value>) -> usize {
        let Ok(mut variant) = Self::named(name) else { return PLIES_MAX };
        let is_known = given.iter().all(|(param, value)| variant.set(param, value).is_ok());
        if is_known { (variant.rules.plies_max)(&variant.params) } else { PLIES_MAX }
    }

    /// All names of variants: rules and aliases.
    pub fn names() -> impl Iterator<Item = &'static str> {
        all().flat_map(Rules::names)
    }

    /// Whether `name` names this variant: its rules, or an alias with exactly these parameters.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        [self.rules.name, self.rules.label()].contains(&name)
            || self.rules.aliases.iter().any(|alias| alias.name == name)
                && Self::named(name).is_ok_and(|other| other.params == self.params)
    }

    /// Creates the position before the first move.
    ///
    /// # Errors
    ///
    /// Returns how the rules failed. Built-in ones do not: the parameters of a variant are consistent.
    pub fn start(&self, seed: u64) -> Result<Box<dyn State>, Box<RulesFault>> {
        self.rules.start(&self.params, seed).map_err(Into::into)
    }

    fn set(&mut self, param: &str, value: &serde_json::Value) -> Result<(), VariantError> {
        let set = self.params.set_json(self.rules.params, param, value);
        set.map_err(|source| VariantError::Param { game: self.label, source })
    }

    fn checked(self) -> Result<Self, VariantError> {
        // Whoever names a program asks it once.
        if self.rules.is_external() {
            return Ok(self);
        }
        match self.rules.start(&self.params, 0) {
            Ok(_) => Ok(self),
            Err(source) => Err(VariantError::Param { game: self.label, source: source.into() }),
        }
    }
}

impl FromStr for Variant {
    type Err = VariantError;

    /// Reads `connect4` or `connect4:rows=6,cols=9`.
    fn from_str(text: &str) -> Result<Self, VariantError> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let mut variant = Self::named(name)?;
        let given = rest.iter().flat_map(|rest| rest.split(','));
        let expected = "a parameter; write name=value, separated by commas";
        let set = variant.params.set_texts(variant.rules.params, given, expected);
        set.map_err(|source| VariantError::Param { game: variant.label, source })?;
        variant.checked()
    }
}

/// The name, with every parameter that differs from the name's defaults. Parses back to the same variant.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label)?;
        let Ok(plain) = Self::named(self.label) else { return Ok(()) };
        let mut separator = ':';
        for ((name, value), (_, default)) in self.params.iter().zip(plain.params.iter()) {
            if value != default {
                write!(f, "{separator}{name}={value}")?;
                separator = ',';
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({self})")
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.rules.name == other.rules.name && self.params == other.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_without_a_name_and_a_value_is_rejected() {
        let variant: Variant = "mnk: rows = 6,cols=6,k=4".parse().unwrap();
        assert_eq!(variant.to_string(), "mnk:rows=6,cols=6,k=4");
        for text in ["connect4:", "connect4:,", "tictactoe:,,k=3,", "connect4:rows=6,", "connect4:rows=6,,cols=7"] {
            let error = text.parse::<Variant>().unwrap_err().to_string();
            assert!(error.contains("`` is not a parameter; write name=value"), "{text}: {error}");
        }
    }
}
