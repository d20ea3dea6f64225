//! Names of bots.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;

use super::Found;
use crate::text::shown;

/// The origin of a bot's name. If two bots have the same name, the greater claim keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// Chosen by its manifest.
    Taken,
    /// The name of its file or folder.
    Own,
    /// Given on the command line.
    Given,
}

/// Checks a bot's name.
pub(super) fn checked_name(name: &str) -> anyhow::Result<String> {
    if !is_plain_name(name) {
        bail!("`{}` is not a valid bot name; use {PLAIN_NAME}, or name it with --bot NAME=PATH", shown(name));
    }
    Ok(name.to_owned())
}

/// Describes what [`is_plain_name`] accepts.
const PLAIN_NAME: &str = "1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -)";

/// Whether a name is safe in files, tables and on command lines: plain, short, and unlike an option.
fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=32).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-'])
}

/// Parses `NAME=PATH` from the command line.
///
/// # Errors
///
/// Returns a message if it is malformed.
pub fn parse_named_path(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or_else(|| format!("`{}` is not NAME=PATH", shown(text)))?;
    let name = checked_name(name).map_err(|error| error.to_string())?;
    if path.is_empty() {
        return Err(format!("`{}` names no file; write NAME=PATH", shown(text)));
    }
    Ok((name, PathBuf::from(path)))
}

/// Moves bots with duplicate names to `left_out`, with the cause. The bot with the greatest claim keeps the name; if
/// several have it, none does. An untrusted folder thus never displaces another bot, whatever it is called.
pub(super) fn without_twins(bots: Vec<Found>, left_out: &mut Vec<(String, String)>) -> Vec<Found> {
    let place = |bot: &Found| {
        // The path of an untrusted bot is its folder, not the manifest in it.
        let path = if bot.untrusted { bot.path.parent().unwrap_or(&bot.path) } else { &bot.path };
        shown(&path.to_string_lossy())
    };
    // The name of an untrusted folder has the lowest claim.
    let claim = |bot: &Found| (bot.claim == Claim::Given, !bot.untrusted, bot.claim);
    let mut by_name: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for bot in bots {
        by_name.entry(bot.launch.name.to_ascii_lowercase()).or_default().push(bot);
    }
    let mut kept = Vec::new();
    for mut twins in by_name.into_values() {
        twins.sort_by_key(|bot| Reverse(claim(bot)));
        let best = usize::from(twins.len() == 1 || claim(&twins[0]) > claim(&twins[1]));
        for (index, bot) in twins.iter().enumerate().skip(best) {
            let other = place(&twins[usize::from(index == 0)]);
            let cause = format!(
                "its name `{}` is that of {other} too (case does not distinguish names); rename it, or give it another \
                 `name` in its manifest",
                bot.launch.name
            );
            left_out.push((place(bot), cause));
        }
        kept.extend(twins.into_iter().take(best));
    }
    kept
}
