//! Limits by their names, as command lines and manifests set them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use arena_core::suggest::UnknownName;
use arena_core::text::shown;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Limits;

/// Some limits by their names, each a number or 0 for unlimited. The others keep their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, u64>")]
pub struct NamedLimits(BTreeMap<&'static str, u64>);

/// Limits that cannot be read, or cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitsError {
    /// It is no assignment.
    #[error("`{}` is not NAME=NUMBER, such as memory_mb=512", shown(.0))]
    NotALimit(String),
    /// There is no limit of this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The value is not a number.
    #[error("limit {name}: `{}` is neither a number nor `off`", shown(value))]
    NotANumber {
        /// The limit.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The value is larger than any limit can be.
    #[error("limit {name}: {value} is too large: at most {}, or {off}", Limits::MOST)]
    TooLarge {
        /// The limit.
        name: &'static str,
        /// Its value, as it is written.
        value: String,
        /// How no limit is written.
        off: &'static str,
    },
    /// No program can be started with so few open files.
    #[error("limit open_files: `{0}` is too small: at least {least}, or 0 for no limit", least = Limits::OPEN_FILES_LEAST)]
    TooFewFiles(u64),
    /// It is set twice.
    #[error("limit {0} is given twice; give it once")]
    Twice(&'static str),
}

impl NamedLimits {
    /// Whether it sets none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that a program can be started within them.
    ///
    /// # Errors
    ///
    /// Returns [`LimitsError::TooFewFiles`] if not.
    pub fn check(&self) -> Result<(), LimitsError> {
        let files = self.0.get("open_files").copied().unwrap_or_default();
        if (1..Limits::OPEN_FILES_LEAST).contains(&files) { Err(LimitsError::TooFewFiles(files)) } else { Ok(()) }
    }

    /// The entries for a manifest's table.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let entries: Vec<String> = self.0.iter().map(|(name, limit)| format!("{name} = {limit}")).collect();
        entries.join(", ")
    }

    /// Adds the limits of another one.
    ///
    /// # Errors
    ///
    /// Returns [`LimitsError::Twice`] if both set the same one.
    pub fn add(&mut self, other: &Self) -> Result<(), LimitsError> {
        for (name, limit) in &other.0 {
            if self.0.insert(name, *limit).is_some() {
                return Err(LimitsError::Twice(name));
            }
        }
        Ok(())
    }
}

/// Parses `name=number`, several separated by commas, each once; `0` and `off` mean unlimited.
impl FromStr for NamedLimits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Self, LimitsError> {
        let mut named = Self::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| LimitsError::NotALimit(part.to_owned()))?;
            let (name, value) = (known(name.trim())?, value.trim());
            let not_a_number = |_| LimitsError::NotANumber { name, value: value.to_owned() };
            let limit = if value == "off" { 0 } else { value.parse().map_err(not_a_number)? };
            named.add(&Self(BTreeMap::from([bounded(name, limit, || format!("`{}`", shown(value)), "`off`")?])))?;
        }
        named.check()?;
        Ok(named)
    }
}

impl TryFrom<BTreeMap<String, u64>> for NamedLimits {
    type Error = LimitsError;

    fn try_from(named: BTreeMap<String, u64>) -> Result<Self, LimitsError> {
        let limit =
            |(name, limit): (String, u64)| bounded(known(&name)?, limit, || limit.to_string(), "0 for no limit");
        named.into_iter().map(limit).collect::<Result<_, _>>().map(Self)
    }
}

/// A limit, unless it is too large; how it and no limit are written is for the error.
fn bounded(
    name: &'static str,
    limit: u64,
    value: impl Fn() -> String,
    off: &'static str,
) -> Result<(&'static str, u64), LimitsError> {
    if limit > Limits::MOST { Err(LimitsError::TooLarge { name, value: value(), off }) } else { Ok((name, limit)) }
}

impl fmt::Display for NamedLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_all(f, self.0.iter().map(|(name, limit)| (*name, *limit)))
    }
}

/// The `'static` name of a limit.
fn known(name: &str) -> Result<&'static str, LimitsError> {
    let found = Limits::NAMES.into_iter().find(|known| *known == name);
    found.ok_or_else(|| UnknownName::new("limit", name, Limits::NAMES).into())
}

/// Whether a limit of `asked` allows more than one of `limit`; 0 means unlimited.
fn exceeds(asked: u64, limit: u64) -> bool {
    limit != 0 && (asked == 0 || asked > limit)
}

pub(super) fn write_all(f: &mut fmt::Formatter<'_>, limits: impl Iterator<Item = (&'static str, u64)>) -> fmt::Result {
    let shown = limits.map(|(name, limit)| match limit {
        0 => format!("{name}=off"),
        limit => format!("{name}={limit}"),
    });
    f.write_str(&shown.collect::<Vec<_>>().join(", "))
}

impl Limits {
    /// These limits with some of them replaced.
    #[must_use]
    pub fn with(&self, named: &NamedLimits) -> Self {
        self.changed(named, |_, asked| asked)
    }

    /// These limits with some of them lowered: higher values, and 0, change nothing.
    #[must_use]
    pub fn lowered(&self, named: &NamedLimits) -> Self {
        self.changed(named, |limit, asked| if exceeds(asked, limit) { limit } else { asked })
    }

    /// The limits of `named` that allow more than these.
    #[must_use]
    pub fn exceeded(&self, named: &NamedLimits) -> NamedLimits {
        let more = named.0.iter().filter(|(name, asked)| exceeds(**asked, self.get(name)));
        NamedLimits(more.map(|(name, asked)| (*name, *asked)).collect())
    }

    /// The limits set in `named`, with the values they have here.
    #[must_use]
    pub fn only(&self, named: &NamedLimits) -> NamedLimits {
        NamedLimits(named.0.keys().map(|name| (*name, self.get(name))).collect())
    }

    fn changed(&self, named: &NamedLimits, change: impl Fn(u64, u64) -> u64) -> Self {
        let mut limits = self.clone();
        for (name, asked) in &named.0 {
            if let Some(limit) = limits.field(name) {
                *limit = change(*limit, *asked);
            }
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<NamedLimits, String> {
        text.parse().map_err(|error: LimitsError| error.to_string())
    }

    #[test]
    fn limits_are_set_by_name() {
        let limits = Limits::default().with(&read("memory_mb=512,processes=off").unwrap());
        assert_eq!(limits, Limits { memory_mb: 512, processes: 0, ..Limits::default() });
        assert_eq!(
            read("memory=512").unwrap_err(),
            "no limit named `memory` (did you mean `memory_mb`?); known: memory_mb, processes, open_files, \
             file_mb, scratch_mb, stack_mb, cpu_s"
        );
        assert_eq!(read("memory_mb=1, memory_mb=2").unwrap_err(), "limit memory_mb is given twice; give it once");
        assert_eq!(
            read("memory_mb=1").unwrap().add(&read("memory_mb=1").unwrap()).unwrap_err().to_string(),
            read("memory_mb=1,memory_mb=1").unwrap_err()
        );
        let other = Limits { stack_mb: 7, ..Limits::default() };
        assert_eq!(other.with(&read(&limits.to_string()).unwrap()), limits);
        assert_eq!(
            read("memory_mb=17592186044417").unwrap_err(),
            "limit memory_mb: `17592186044417` is too large: at most 1099511627776, or `off`"
        );
        assert_eq!(
            read("open_files=15").unwrap_err(),
            "limit open_files: `15` is too small: at least 16, or 0 for no limit"
        );
        assert!(read("open_files=16").is_ok() && read("open_files=0").is_ok());
        assert_eq!(read("cpu_s=-1").unwrap_err(), "limit cpu_s: `-1` is neither a number nor `off`");
    }

    #[test]
    fn limits_in_a_manifest_are_partial_and_checked() {
        let named: NamedLimits = toml::from_str("memory_mb = 64\nprocesses = 0").unwrap();
        assert_eq!(Limits::default().with(&named), Limits { memory_mb: 64, processes: 0, ..Limits::default() });
        assert_eq!(
            (named.to_string(), named.to_toml()),
            ("memory_mb=64, processes=off".into(), "memory_mb = 64, processes = 0".into())
        );
        assert!(toml::from_str::<NamedLimits>("memory = 64").is_err());
        for name in Limits::NAMES {
            let read = |limit: u64| toml::from_str::<NamedLimits>(&format!("{name} = {limit}"));
            assert!(read(1 << 40).is_ok());
            let error = read((1 << 40) + 1).unwrap_err();
            let told = format!("limit {name}: 1099511627777 is too large: at most 1099511627776, or 0 for no limit");
            assert_eq!(error.message(), told);
        }
    }

    #[test]
    fn a_limit_is_lowered_and_never_raised() {
        for name in Limits::NAMES {
            for base in [0, 100] {
                let base = Limits::default().with(&NamedLimits(BTreeMap::from([(name, base)])));
                for asked in [0, 50, 100, 200] {
                    let asked = NamedLimits(BTreeMap::from([(name, asked)]));
                    let lowered = base.lowered(&asked);
                    // Limits never rise, and each request is either granted or reported.
                    assert!(base.exceeded(&lowered.only(&asked)).is_empty(), "{name}: {base}, {asked}");
                    assert_eq!(lowered.only(&asked) != asked, !lowered.exceeded(&asked).is_empty(), "{base}, {asked}");
                    assert_eq!(lowered.with(&base.only(&asked)), base, "no other is touched");
                }
            }
        }
        let asked = read("memory_mb=off,processes=off,open_files=64,cpu_s=off").unwrap();
        let lowered = Limits::default().lowered(&asked);
        assert_eq!(lowered, Limits { open_files: 64, ..Limits::default() });
        assert_eq!(lowered.exceeded(&asked), read("memory_mb=off,processes=off").unwrap());
    }
}
