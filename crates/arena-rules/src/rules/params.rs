//! Parameters of a game. The rules declare them once; values are read from text or JSON, and are always complete and
//! within range.

use std::fmt;

use thiserror::Error;

use super::SetupError;
use crate::suggest::{UnknownName, did_you_mean};
use crate::text::shown;

/// A parameter that a game declares.
#[derive(Debug)]
pub struct Param {
    /// Name on the command line and in the protocol.
    pub name: &'static str,
    /// One-line description.
    pub help: &'static str,
    /// Type, default and range.
    pub kind: ParamKind,
}

/// Type, default and range of a [`Param`].
#[derive(Debug)]
pub enum ParamKind {
    /// An integer within `min..=max`.
    Int {
        /// Default value.
        default: i64,
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// One of several words; the first is the default.
    Word(&'static [&'static str]),
}

/// The value of one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamValue {
    /// An integer.
    Int(i64),
    /// One of the declared words.
    Word(&'static str),
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// The error for a rejected parameter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParamError {
    /// No parameter has this name.
    #[error(transparent)]
    Unknown(UnknownName),
    /// The text is not written `name=value`.
    #[error("`{text}` is not {expected}")]
    Syntax {
        /// The given text, escaped.
        text: String,
        /// How it should be written.
        expected: &'static str,
    },
    /// The value has the wrong type or is out of range.
    #[error("`{name}` cannot be {value}; {expected}")]
    Value {
        /// The parameter's name.
        name: &'static str,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// Each value is valid, but not their combination.
    #[error(transparent)]
    Inconsistent(#[from] SetupError),
    /// The parameter was given twice.
    #[error("`{name}` is given twice, as {first} and as {second}; give it once")]
    Twice {
        /// The parameter's name, escaped.
        name: String,
        /// The first value, escaped.
        first: String,
        /// The second value, escaped.
        second: String,
    },
}

/// A complete set of parameter values, in the order the rules declare them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Params(Vec<(&'static str, ParamValue)>);

impl Params {
    /// The defaults of `declared`.
    #[must_use]
    pub fn defaults(declared: &'static [Param]) -> Self {
        let default = |kind: &ParamKind| match kind {
            ParamKind::Int { default, .. } => ParamValue::Int(*default),
            ParamKind::Word(words) => ParamValue::Word(words[0]),
        };
        Self(declared.iter().map(|param| (param.name, default(&param.kind))).collect())
    }

    /// Sets parameters from command-line texts: `rows=6`. `expected` describes such a text in errors.
    ///
    /// # Errors
    ///
    /// Returns [`ParamError`] for a malformed text, an unknown name, an invalid value, or a repeated name.
    pub fn set_texts<'a>(
        &mut self,
        declared: &'static [Param],
        texts: impl IntoIterator<Item = &'a str>,
        expected: &'static str,
    ) -> Result<(), ParamError> {
        let split = |text: &'a str| {
            let (name, value) =
                text.split_once('=').ok_or_else(|| ParamError::Syntax { text: shown(text), expected })?;
            Ok((name.trim(), value.trim()))
        };
        let given = texts.into_iter().map(split).collect::<Result<Vec<_>, ParamError>>()?;
        for (index, (name, text)) in given.iter().enumerate() {
            if let Some((_, first)) = given[..index].iter().find(|(earlier, _)| earlier == name) {
                return Err(ParamError::Twice { name: shown(name), first: shown(first), second: shown(text) });
            }
            let is_word = |param: &Param| param.name == *name && matches!(param.kind, ParamKind::Word(_));
            // A word may consist of digits.
            let integer = if declared.iter().any(is_word) { None } else { text.parse::<i64>().ok() };
            let json = integer.map_or_else(|| serde_json::Value::from(*text), serde_json::Value::from);
            self.set_json(declared, name, &json)?;
        }
        Ok(())
    }

    /// Sets `name` from JSON: an integer for [`ParamKind::Int`], a string for [`ParamKind::Word`].
    ///
    /// # Errors
    ///
    /// Returns [`ParamError`] for an unknown name or an invalid value.
    pub fn set_json(
        &mut self,
        declared: &'static [Param],
        name: &str,
        value: &serde_json::Value,
    ) -> Result<(), ParamError> {
        let Some((param, slot)) = declared.iter().zip(&mut self.0).find(|(param, _)| param.name == name) else {
            let known = declared.iter().map(|param| param.name);
            return Err(ParamError::Unknown(UnknownName::new("parameter", name, known)));
        };
        slot.1 = param.accept(value)?;
        Ok(())
    }

    /// Returns the value of an integer parameter.
    ///
    /// # Panics
    ///
    /// Panics if the rules did not declare it as an integer, which is a bug in the rules.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(ParamValue::Int(value)) => value,
            other => panic!("`{name}` is not a declared integer parameter: {other:?}"),
        }
    }

    /// Returns the value of an integer parameter that is declared to be non-negative and small.
    ///
    /// # Panics
    ///
    /// Panics if the rules did not declare it that way, which is a bug in the rules.
    #[must_use]
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.int(name)).expect("declared with a minimum of at least 0")
    }

    /// Returns the value of a word parameter.
    ///
    /// # Panics
    ///
    /// Panics if the rules did not declare it as a word, which is a bug in the rules.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Some(ParamValue::Word(word)) => word,
            other => panic!("`{name}` is not a declared word parameter: {other:?}"),
        }
    }

    /// Names and values in declaration order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, ParamValue)> + '_ {
        self.0.iter().copied()
    }

    /// The values by name, as JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        let json = |value| match value {
            ParamValue::Int(number) => serde_json::Value::from(number),
            ParamValue::Word(word) => serde_json::Value::from(word),
        };
        self.iter().map(|(name, value)| (name.to_owned(), json(value))).collect()
    }

    fn get(&self, name: &str) -> Option<ParamValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Param {
    /// Describes the accepted values: `an integer from 1 to 32`.
    #[must_use]
    pub fn expected(&self) -> String {
        match &self.kind {
            ParamKind::Int { min, max, .. } => format!("an integer from {min} to {max}"),
            ParamKind::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    fn accept(&self, value: &serde_json::Value) -> Result<ParamValue, ParamError> {
        let accepted = match &self.kind {
            ParamKind::Int { min, max, .. } => {
                value.as_i64().filter(|number| (*min..=*max).contains(number)).map(ParamValue::Int)
            }
            ParamKind::Word(words) => value
                .as_str()
                .and_then(|text| words.iter().find(|word| **word == text))
                .map(|word| ParamValue::Word(word)),
        };
        accepted.ok_or_else(|| {
            let hint = match (&self.kind, value.as_str()) {
                (ParamKind::Word(words), Some(text)) => did_you_mean(text, words.iter().copied()),
                _ => String::new(),
            };
            ParamError::Value {
                name: self.name,
                value: shown(&value.to_string()),
                expected: format!("expected {}{hint}", self.expected()),
            }
        })
    }
}
