//! Reads a contest file: TOML whose keys are flags, checked by the parsers of these flags.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use arena_core::suggest::did_you_mean;
use arena_core::text::shown;
use arena_play::roster::{parse_named_path, parse_toml, read_manifest};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use toml::{Spanned, Value};

use super::keys::{BOTS, Form, NAME, RESULTS, keys, taken_by};

/// What a contest file says.
#[derive(Debug)]
pub(super) struct ContestFile {
    /// In the order of the file.
    pub(super) entries: Vec<Entry>,
}

/// A key and its values.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// As the flag takes them; of a switch none.
    pub(super) values: Vec<OsString>,
    /// As the file has them, for people; `None` if the place of the file implies the entry.
    pub(super) told: Option<String>,
}

impl ContestFile {
    /// Reads the file. `night` is the built command that has all keys as flags.
    pub(super) fn read(path: &Path, night: &Command) -> anyhow::Result<Self> {
        let place = path.display();
        let text = read_manifest(path).with_context(|| format!("reading {place}"))?;
        Self::parse(path, &text, night)
    }

    /// Reads the text of the file at `path`.
    pub(super) fn parse(path: &Path, text: &str, night: &Command) -> anyhow::Result<Self> {
        let place = path.display();
        let written: BTreeMap<Spanned<String>, Spanned<Value>> =
            parse_toml(text).map_err(|error| anyhow!("{place}: {error}"))?;
        let mut written: Vec<_> = written.into_iter().collect();
        written.sort_by_key(|(key, _)| key.span().start);
        // A name in the current folder has an empty parent, and its paths stay as they are written.
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut entries = Vec::new();
        for (key, value) in written {
            let line = 1 + text[..key.span().start.min(text.len())].matches('\n').count();
            let key = key.into_inner();
            let Some((_, arg)) = keys(night).find(|(known, _)| *known == key) else {
                bail!("{place}:{line}: {}", unknown(&key, night));
            };
            let as_written = text.get(value.span()).unwrap_or_default();
            let (values, told) =
                values(arg, value.get_ref()).and_then(|values| check(night, arg, values)).map_err(|why| {
                    let value = shown(as_written.lines().next().unwrap_or_default());
                    anyhow!("{place}:{line}: {key} = {value}: {why}")
                })?;
            let Some(values) = values else { continue };
            let values = values.iter().map(|value| from_folder(folder, Form::of(arg), value)).collect();
            entries.push(Entry { key, values, told: Some(told) });
        }
        let mut file = Self { entries };
        file.check_whole(night).map_err(|why| anyhow!("{place}: {why}"))?;
        if !folder.as_os_str().is_empty() {
            // Elsewhere the defaults would be in the current folder.
            for key in [BOTS, RESULTS] {
                if !file.has(key) {
                    file.entries.push(Entry { key: key.to_owned(), values: vec![folder.join(key).into()], told: None });
                }
            }
        }
        Ok(file)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// The name of the contest's tournament, if it has one.
    pub(super) fn name(&self) -> Option<&OsString> {
        self.entries.iter().find(|entry| entry.key == NAME)?.values.first()
    }

    /// Refuses keys that exclude or need each other.
    fn check_whole(&self, night: &Command) -> Result<(), String> {
        if self.has("openings") && !self.has("game") {
            return Err("`openings` are of a game; add `game`".to_owned());
        }
        let words = self.entries.iter().filter_map(|entry| Some((taken_by(night, &entry.key)?, entry)));
        let words = words.flat_map(|(arg, entry)| words_of(arg, &entry.values));
        read(night, words).map_err(|error| match error.kind() {
            ErrorKind::ArgumentConflict => {
                let named = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| named(&error, kind));
                format!("{} exclude each other; leave one out", named.join(" and "))
            }
            ErrorKind::MissingRequiredArgument => {
                let needs = |entry: &&Entry| {
                    let words = taken_by(night, &entry.key).map(|arg| words_of(arg, &entry.values));
                    read(night, words.into_iter().flatten())
                        .is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument)
                };
                let key = self.entries.iter().find(needs).map_or("a key", |entry| &entry.key);
                format!("`{key}` needs {} beside it", named(&error, ContextKind::InvalidArg))
            }
            _ => first_line(&error),
        })
    }
}

/// The words of a command line that give an argument these values.
pub(super) fn words_of(arg: &Arg, values: &[OsString]) -> Vec<OsString> {
    let Some(long) = arg.get_long() else { return values.to_vec() };
    if !arg.get_action().takes_values() {
        return vec![format!("--{long}").into()];
    }
    let word = |value: &OsString| {
        let mut word = OsString::from(format!("--{long}="));
        word.push(value);
        word
    };
    values.iter().map(word).collect()
}

fn unknown(key: &str, night: &Command) -> String {
    let known = || keys(night).map(|(known, _)| known);
    let is_flag = night.get_arguments().any(|arg| arg.get_long() == Some(key));
    if is_flag {
        return format!("`{key}` is of one run and not of a contest; type it: --{key}");
    }
    let near = did_you_mean(key, known());
    let all = if near.is_empty() { format!("; known: {}", known().collect::<Vec<_>>().join(", ")) } else { near };
    format!("no key named `{}`{all}", shown(key))
}

/// The values as text; `None` for a switch that is off.
type Values = Option<Vec<String>>;

fn values(arg: &Arg, value: &Value) -> Result<Values, String> {
    let is_switch = !arg.get_action().takes_values();
    let may_repeat = matches!(arg.get_action(), ArgAction::Append);
    match value {
        Value::Boolean(is_on) if is_switch => return Ok(is_on.then(Vec::new)),
        _ if is_switch => return Err("expected true or false".to_owned()),
        Value::Array(all) if may_repeat => {
            let texts: Result<Vec<String>, String> = all.iter().map(|value| text(arg, value)).collect();
            return texts.map(|texts| Some(texts).filter(|texts| !texts.is_empty()));
        }
        Value::Array(_) => return Err("expected one value and not a list".to_owned()),
        _ => {}
    }
    text(arg, value).map(|text| Some(vec![text]))
}

/// A single value as text.
fn text(arg: &Arg, value: &Value) -> Result<String, String> {
    let takes_on_or_off = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(is_on) if takes_on_or_off => Ok(if *is_on { "on" } else { "off" }.to_owned()),
        Value::Boolean(_) => Err("expected text or a number and not a switch".to_owned()),
        Value::Datetime(_) => Err("expected text; put it into quotes".to_owned()),
        Value::Array(_) | Value::Table(_) => Err("expected text, a number, or a list of these".to_owned()),
    }
}

/// Checks each value by the parser of its flag. Also returns the values for people.
fn check(night: &Command, arg: &Arg, values: Values) -> Result<(Values, String), String> {
    for value in values.iter().flatten() {
        let Err(error) = read(night, words_of(arg, &[value.into()])) else { continue };
        // What else the flag needs is looked at once all keys are known.
        if matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue | ErrorKind::InvalidUtf8) {
            return Err(why_wrong(&error));
        }
    }
    let told = values.as_ref().map_or_else(String::new, |values| shown(&values.join(", ")));
    Ok((values, told))
}

/// Reads words as those of `arena night`.
fn read(night: &Command, words: impl IntoIterator<Item = OsString>) -> Result<(), clap::Error> {
    night.clone().try_get_matches_from([OsString::from("night")].into_iter().chain(words)).map(drop)
}

/// What is wrong with a value, without the flag.
fn why_wrong(error: &clap::Error) -> String {
    if let Some(why) = std::error::Error::source(error) {
        return why.to_string();
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(all)) if !all.is_empty() => format!("expected one of {}", all.join(", ")),
        _ => first_line(error),
    }
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// The keys of the flags that an error of clap names, such as `--by <HH:MM>`.
fn named(error: &clap::Error, kind: ContextKind) -> String {
    let key = |text: &String| {
        let key = text.trim_start_matches("--").split([' ', '=', '[']).next().unwrap_or_default();
        format!("`{key}`")
    };
    match error.get(kind) {
        Some(ContextValue::String(text)) => key(text),
        Some(ContextValue::Strings(all)) => all.iter().map(key).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// A value whose path counts from the folder of the file.
fn from_folder(folder: &Path, form: Form, value: &str) -> OsString {
    let path = |text: &str| folder.join(text).into_os_string();
    match form {
        Form::Path => path(value),
        Form::PathOr(word) if value != word => path(value),
        // The parameters stay behind the path.
        Form::Game if super::keys::is_program(value.as_ref()) => path(value),
        Form::NamedPath => match parse_named_path(value) {
            Ok((name, at)) => {
                let mut text = OsString::from(format!("{name}="));
                text.push(folder.join(at));
                text
            }
            Err(_) => value.into(),
        },
        _ => value.into(),
    }
}
