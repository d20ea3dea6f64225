//! What bots may be called.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;

use super::Found;
use crate::text::shown;

/// How a bot came by its name; the greater keeps it where two have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// Its manifest takes it.
    Taken,
    /// It is that of its file or folder, which whoever put it there has chosen.
    Own,
    /// Whoever runs the arena gave it.
    Given,
}

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
    if path.is_empty() {
        return Err(format!("`{}` names no file; write NAME=PATH", shown(text)));
    }
    Ok((name, PathBuf::from(path)))
}

/// Leaves out those whose names others have, with the cause: of bots with one name the one with the best claim to it keeps
/// it, and if that is said of several, none does. So no stranger's folder throws out what is not one, whatever it is called.
pub(super) fn without_twins(bots: Vec<Found>, left_out: &mut Vec<(String, String)>) -> Vec<Found> {
    let place = |bot: &Found| {
        // A bot that is a folder was found by the manifest in it.
        let path = if bot.stranger { bot.path.parent().unwrap_or(&bot.path) } else { &bot.path };
        shown(&path.to_string_lossy())
    };
    // What a stranger calls its folder comes after all that lies beside it.
    let claim = |bot: &Found| (bot.claim == Claim::Given, !bot.stranger, bot.claim);
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
