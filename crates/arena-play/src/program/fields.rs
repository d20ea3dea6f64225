//! The fields of one line of a program, read with their types.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use arena_core::text::json_message;

use super::json::{self, Field};
use super::mistake::Mistake;

/// A line that is a JSON object with a `type`.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) line: &'a str,
    pub(super) kind: Cow<'a, str>,
    found: Vec<Field<'a>>,
}

/// The value of a field, as JSON, and where it stands in the line.
#[derive(Debug, Clone)]
pub(super) struct FieldValue<'a> {
    pub(super) name: &'static str,
    pub(super) json: &'a str,
    pub(super) place: Range<usize>,
}

impl<'a> Fields<'a> {
    /// Reads a line without its end.
    pub(super) fn read(line: &'a [u8]) -> Result<Self, Mistake> {
        let line = std::str::from_utf8(line).map_err(|error| Mistake::NotUtf8 { at: error.valid_up_to() + 1 })?;
        let mut fields = Self { line, kind: Cow::Borrowed("message"), found: json::fields(line)? };
        fields.kind = fields.required("type")?.text()?;
        Ok(fields)
    }

    /// A field that must be there.
    pub(super) fn required(&self, name: &'static str) -> Result<FieldValue<'a>, Mistake> {
        self.find(name).ok_or_else(|| Mistake::Missing { of: arena_core::text::shown(&self.kind), field: name })
    }

    /// A field that need not be there; `null` is as good as none.
    pub(super) fn optional(&self, name: &'static str) -> Option<FieldValue<'a>> {
        self.find(name).filter(|value| value.json != "null")
    }

    fn find(&self, name: &'static str) -> Option<FieldValue<'a>> {
        let (_, place) = self.found.iter().find(|(key, _)| key == name)?;
        Some(FieldValue { name, json: &self.line[place.clone()], place: place.clone() })
    }
}

impl<'a> FieldValue<'a> {
    /// The mistake that it is not what was `expected`.
    pub(super) fn mistake(&self, expected: impl Into<String>) -> Mistake {
        Mistake::field(self.name, self.json, expected)
    }

    pub(super) fn integer(&self, range: RangeInclusive<i64>) -> Result<i64, Mistake> {
        let number = self.json.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (min, max) = (range.start(), range.end());
            self.mistake(if min == max { min.to_string() } else { format!("an integer from {min} to {max}") })
        })
    }

    pub(super) fn flag(&self) -> Result<bool, Mistake> {
        self.json.parse().map_err(|_| self.mistake("true or false"))
    }

    pub(super) fn text(&self) -> Result<Cow<'a, str>, Mistake> {
        match self.json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            // It is valid, so that nothing else needs decoding.
            Some(text) if !text.contains('\\') => Ok(Cow::Borrowed(text)),
            Some(_) => self.parsed("a string").map(Cow::Owned),
            None => Err(self.mistake("a string")),
        }
    }

    /// A text of at most `bytes_max` bytes.
    pub(super) fn text_up_to(&self, bytes_max: usize) -> Result<String, Mistake> {
        let text = self.text()?;
        if text.len() > bytes_max {
            return Err(self.mistake(format!("a string of at most {bytes_max} bytes")));
        }
        Ok(text.into_owned())
    }

    /// Checks that it is an object.
    pub(super) fn object(&self) -> Result<(), Mistake> {
        if self.json.starts_with('{') { Ok(()) } else { Err(self.mistake("an object")) }
    }

    /// Any value.
    pub(super) fn parsed<T: serde::de::DeserializeOwned>(&self, expected: &str) -> Result<T, Mistake> {
        serde_json::from_str(self.json).map_err(|error| {
            let expected = format!("{expected}: {}", json_message(&error));
            self.mistake(expected)
        })
    }
}
