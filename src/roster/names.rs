//! What bots may be called.

use std::path::PathBuf;

use anyhow::bail;

use crate::text::shown;

/// The name, if it is one for a bot.
pub(super) fn checked_name(name: &str) -> anyhow::Result<String> {
    if !is_plain_name(name) {
        bail!("`{}` is no name for a bot: use {PLAIN_NAME}; rename it, or name it with --bot NAME=PATH", shown(name));
    }
    Ok(name.to_owned())
}

/// What [`is_plain_name`] accepts, for people.
pub(crate) const PLAIN_NAME: &str = "1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -)";

/// Names end up in files, tables and on command lines: they are plain, short, and unlike options.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=32).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-'])
}

/// Reads `NAME=PATH` as on the command line.
///
/// # Errors
///
/// Returns a message for people.
pub fn parse_named_path(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or_else(|| format!("`{}` is not NAME=PATH", shown(text)))?;
    let name = checked_name(name).map_err(|error| error.to_string())?;
    Ok((name, PathBuf::from(path)))
}
