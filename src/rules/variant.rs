//! A variant: rules together with a complete set of parameters, as named on the command line and on the wire.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{ParamError, Params, RULES, Rules, SetupError, State};
use crate::suggest::UnknownName;

/// Another name for some rules with particular parameters: `tictactoe` is `mnk` on 3×3 with three in a row.
#[derive(Debug)]
pub struct Alias {
    /// The other name.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The parameters it stands for; the rest keep their defaults.
    pub params: &'static [(&'static str, i64)],
}

/// Rules with all parameters settled and known to fit together.
#[derive(Clone)]
pub struct Variant {
    /// The rules.
    pub rules: &'static dyn Rules,
    /// The parameters, complete.
    pub params: Params,
    /// The name it was asked for by: that of the rules or of an alias.
    pub label: &'static str,
}

/// A variant that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VariantError {
    /// No rules have this name.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// A parameter is not written `name=value`.
    #[error("game `{game}`: `{text}` is not a parameter; write name=value, separated by commas")]
    Syntax {
        /// The game.
        game: &'static str,
        /// What was given, escaped.
        text: String,
    },
    /// A parameter was refused.
    #[error("game `{game}`: {source}")]
    Param {
        /// The game.
        game: &'static str,
        /// Why.
        source: ParamError,
    },
    /// The parameters do not fit together.
    #[error("game `{game}`: {source}")]
    Setup {
        /// The game.
        game: &'static str,
        /// Why.
        source: SetupError,
    },
}

impl Variant {
    /// Rules or alias `name` with default parameters.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError::UnknownGame`] with the nearest known name.
    pub fn named(name: &str) -> Result<Self, VariantError> {
        for rules in RULES {
            let mut params = Params::defaults(rules.params());
            if rules.name() == name {
                return Ok(Self { rules: *rules, params, label: rules.name() });
            }
            if let Some(alias) = rules.aliases().iter().find(|alias| alias.name == name) {
                for (param, value) in alias.params {
                    params
                        .set_json(rules.params(), param, &(*value).into())
                        .map_err(|source| VariantError::Param { game: alias.name, source })?;
                }
                return Ok(Self { rules: *rules, params, label: alias.name });
            }
        }
        Err(VariantError::UnknownGame(UnknownName::new("game", name, Self::names())))
    }

    /// A variant from its name and JSON parameters; those not given keep their defaults.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError`] for anything unknown, out of range or contradictory.
    pub fn from_json(name: &str, given: &serde_json::Map<String, serde_json::Value>) -> Result<Self, VariantError> {
        let mut variant = Self::named(name)?;
        for (param, value) in given {
            let declared = variant.rules.params();
            variant
                .params
                .set_json(declared, param, value)
                .map_err(|source| VariantError::Param { game: variant.label, source })?;
        }
        variant.checked()
    }

    /// Every name a variant can be asked for by: rules and aliases.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RULES
            .iter()
            .flat_map(|rules| std::iter::once(rules.name()).chain(rules.aliases().iter().map(|alias| alias.name)))
    }

    /// Whether `name` is a name of this variant: its rules, or an alias with exactly these parameters.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.rules.name() == name
            || self.rules.aliases().iter().any(|alias| alias.name == name)
                && Self::named(name).is_ok_and(|other| other.params == self.params)
    }

    /// The position before the first move.
    ///
    /// # Panics
    ///
    /// Never: a variant is only made of parameters that fit together.
    #[must_use]
    pub fn start(&self, seed: u64) -> Box<dyn State> {
        self.rules.start(&self.params, seed).expect("a variant's parameters fit together")
    }

    fn checked(self) -> Result<Self, VariantError> {
        match self.rules.start(&self.params, 0) {
            Ok(_) => Ok(self),
            Err(source) => Err(VariantError::Setup { game: self.label, source }),
        }
    }
}

impl FromStr for Variant {
    type Err = VariantError;

    /// Reads `connect4` or `connect4:rows=6,cols=9`.
    fn from_str(text: &str) -> Result<Self, VariantError> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let mut variant = Self::named(name)?;
        let mut given = Vec::new();
        for part in rest.iter().flat_map(|rest| rest.split(',')) {
            let Some((param, value)) = part.split_once('=') else {
                return Err(VariantError::Syntax { game: variant.label, text: crate::text::shown(part) });
            };
            given.push((param.trim(), value.trim()));
        }
        let declared = variant.rules.params();
        variant
            .params
            .set_texts(declared, &given)
            .map_err(|source| VariantError::Param { game: variant.label, source })?;
        variant.checked()
    }
}

/// The name with every parameter that differs from that name's defaults; reads back as the same variant.
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
        self.rules.name() == other.rules.name() && self.params == other.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_all_there_or_missed() {
        let variant: Variant = "mnk: rows = 6,cols=6,k=4".parse().unwrap();
        assert_eq!(variant.to_string(), "mnk:rows=6,cols=6,k=4");
        for text in ["connect4:", "connect4:,", "tictactoe:,,k=3,", "connect4:rows=6,", "connect4:rows=6,,cols=7"] {
            let error = text.parse::<Variant>().unwrap_err().to_string();
            assert!(error.contains("`` is not a parameter; write name=value"), "{text}: {error}");
        }
    }
}
