//! Options of formats, as stored in a tournament's definition.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::flags::{Flag, FlagKind, UNTIL};
use crate::text::{json_message, shown};

/// Default of [`Until::Top`]'s `apart`, in Elo.
const APART_DEFAULT: f64 = 10.0;

/// Options of a format: values of its flags that are not defaults, in the order in which they are stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormatOptions(Vec<(&'static Flag, Setting)>);

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// Of [`FlagKind::Switch`].
    Switch(bool),
    /// Of [`FlagKind::Number`].
    Number(u64),
    /// Of [`FlagKind::Until`].
    Until(Until),
    /// Of [`FlagKind::Bots`] and [`FlagKind::Seeds`].
    Names(Vec<String>),
}

impl Setting {
    /// Reads the value of a flag.
    fn read(kind: FlagKind, value: Value) -> Result<Self, String> {
        let read = match kind {
            FlagKind::Switch => bool::deserialize(value).map(Self::Switch),
            FlagKind::Number(..) => u64::deserialize(value).map(Self::Number),
            FlagKind::Until => Until::deserialize(value).map(Self::Until),
            FlagKind::Bots | FlagKind::Seeds => Vec::deserialize(value).map(Self::Names),
        };
        match (read.map_err(|error| json_message(&error))?, kind) {
            (Self::Number(number), FlagKind::Number(least, most)) if !(least..=most).contains(&number) => {
                Err(format!("{number} is not from {least} to {most}"))
            }
            (setting, _) => Ok(setting),
        }
    }

    fn is_default(&self) -> bool {
        match self {
            Self::Switch(is_on) => !is_on,
            Self::Names(names) => names.is_empty(),
            Self::Number(_) | Self::Until(_) => false,
        }
    }
}

impl FormatOptions {
    /// Whether all are defaults.
    #[must_use]
    pub fn are_default(&self) -> bool {
        self.0.is_empty()
    }

    /// All that are not defaults.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Flag, &Setting)> {
        self.0.iter().map(|(flag, setting)| (*flag, setting))
    }

    /// The value of an option, unless it is the default.
    #[must_use]
    pub fn get(&self, flag: &Flag) -> Option<&Setting> {
        self.iter().find(|(own, _)| *own == flag).map(|(_, setting)| setting)
    }

    /// The value of a number.
    #[must_use]
    pub fn number(&self, flag: &Flag) -> Option<u64> {
        self.get(flag).and_then(|setting| if let Setting::Number(number) = setting { Some(*number) } else { None })
    }

    /// The names of bots, in the order given.
    #[must_use]
    pub fn names(&self, flag: &Flag) -> &[String] {
        if let Some(Setting::Names(names)) = self.get(flag) { names } else { &[] }
    }

    /// When a tournament knows enough, if that is an option of its format.
    #[must_use]
    pub fn until(&self) -> Option<Until> {
        self.get(&UNTIL).and_then(|setting| if let Setting::Until(until) = setting { Some(*until) } else { None })
    }

    /// Sets an option.
    pub fn set(&mut self, flag: &'static Flag, setting: Setting) {
        self.remove(flag);
        if !setting.is_default() {
            self.0.push((flag, setting));
            // The order of journals: names first, then as in the help.
            self.0.sort_by_key(|(flag, setting)| (!matches!(setting, Setting::Names(_)), flag.place));
        }
    }

    /// The same with this option.
    #[must_use]
    pub fn with(mut self, flag: &'static Flag, setting: Setting) -> Self {
        self.set(flag, setting);
        self
    }

    /// Makes an option the default.
    pub fn remove(&mut self, flag: &Flag) {
        self.0.retain(|(own, _)| *own != flag);
    }
}

impl Serialize for FormatOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(flag, setting)| (flag.option.unwrap_or(flag.name), setting)))
    }
}

impl<'de> Deserialize<'de> for FormatOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (mut options, known) = (Self::default(), Flag::all());
        for (name, value) in Map::deserialize(deserializer)? {
            let wrong = |why: String| D::Error::custom(format!("format option `{}`: {why}", shown(&name)));
            let flag = known.iter().find(|flag| flag.option == Some(&name));
            let flag = flag.ok_or_else(|| wrong("no format has it".to_owned()))?;
            options.set(flag, Setting::read(flag.kind, value).map_err(wrong)?);
        }
        Ok(options)
    }
}

/// When a tournament knows enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Until {
    /// Neighbours in the standings differ significantly at 95 %.
    Separated,
    /// No rating has a larger 95 % margin, in Elo. Unbounded ratings are ignored: more games rarely bound them.
    Margin(f64),
    /// The best bots are known: none of the others is better than one of them by more than a difference.
    Top {
        /// Number of the best bots.
        bots: u32,
        /// The difference in Elo.
        apart: f64,
    },
}

/// A text that is no [`Until`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5", shown(.0))]
pub struct UntilError(String);

impl FromStr for Until {
    type Err = UntilError;

    fn from_str(text: &str) -> Result<Self, UntilError> {
        let wrong = || UntilError(text.to_owned());
        if text == "separated" {
            return Ok(Self::Separated);
        }
        let Some(top) = text.strip_prefix("top:") else { return elo(text).map(Self::Margin).ok_or_else(wrong) };
        let (bots, apart) = top.split_once(',').map_or((top, Some(APART_DEFAULT)), |(bots, apart)| (bots, elo(apart)));
        let bots = bots.trim().parse().ok().filter(|bots| *bots > 0);
        Ok(Self::Top { bots: bots.ok_or_else(wrong)?, apart: apart.ok_or_else(wrong)? })
    }
}

/// A positive difference, such as `±20`.
fn elo(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.strip_prefix('±').or_else(|| text.strip_prefix("+-")).unwrap_or(text);
    number.trim().parse().ok().filter(|elo: &f64| *elo > 0.0 && elo.is_finite())
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separated => f.write_str("separated"),
            Self::Margin(margin) => write!(f, "±{margin}"),
            Self::Top { bots, apart } => write!(f, "top:{bots},±{apart}"),
        }
    }
}

impl TryFrom<String> for Until {
    type Error = UntilError;

    fn try_from(text: String) -> Result<Self, UntilError> {
        text.parse()
    }
}

impl From<Until> for String {
    fn from(until: Until) -> Self {
        until.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_people_write_it() {
        assert_eq!("separated".parse(), Ok(Until::Separated));
        for text in ["±20", "+-20", "20", "20.0"] {
            assert_eq!(text.parse(), Ok(Until::Margin(20.0)), "{text}");
        }
        for (text, apart) in [("top:5", 10.0), ("top:5,±20", 20.0), ("top:5,+-2.5", 2.5), ("top:5, 7", 7.0)] {
            assert_eq!(text.parse(), Ok(Until::Top { bots: 5, apart }), "{text}");
        }
        for text in ["", "apart", "±0", "±-3", "inf", "NaN", "top:", "top:0", "top:-1", "top:2,", "top:2,0", "top"] {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        for until in [Until::Separated, Until::Margin(2.5), Until::Top { bots: 3, apart: 10.0 }] {
            assert_eq!(until.to_string().parse(), Ok(until));
        }
        let json = r#"{"seeding":["b","a"],"until":"±20","third_place":true}"#;
        let options: FormatOptions = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&options).unwrap(), json);
        assert_eq!((options.until(), options.are_default()), (Some(Until::Margin(20.0)), false));
        assert!(serde_json::from_str::<FormatOptions>(r#"{"third_place":false,"seeding":[]}"#).unwrap().are_default());
        for wrong in [r#"{"until":"never"}"#, r#"{"swiss_rounds":0}"#, r#"{"swiss_rounds":"5"}"#, r#"{"more":1}"#] {
            assert!(serde_json::from_str::<FormatOptions>(wrong).is_err(), "{wrong}");
        }
    }
}
