//! Names of bots.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arena_core::text::shown;
use arena_sys::flags::BOT;
use thiserror::Error;

use super::FoundBot;
use crate::player::human::HUMAN;

/// The origin of a bot's name, in ascending order of precedence if two bots have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// Chosen by the manifest in an untrusted folder.
    UntrustedManifest,
    /// The name of an untrusted folder.
    Folder,
    /// The name of a file directly in the bots folder.
    File,
    /// Chosen by a manifest directly in the bots folder.
    Manifest,
    /// Given on the command line.
    Given,
}

/// A name that no bot can have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is not plain.
    #[error("`{}` is not a valid bot name; use {PLAIN_NAME}, or name it with {BOT} NAME=PATH", shown(.0))]
    NotPlain(String),
    /// It is that of a person.
    #[error("`{0}` is what `arena play` calls a person; give the bot another name, such as with {BOT} NAME=PATH")]
    Person(String),
    /// It is that of a column.
    #[error("`name` is the head of a column in tables; give the bot another name, such as with {BOT} NAME=PATH")]
    Column,
    /// It is not `NAME=PATH`.
    #[error("`{}` is not NAME=PATH", shown(.0))]
    Unnamed(String),
    /// There is no path after it.
    #[error("`{}` names no file; write NAME=PATH", shown(.0))]
    NoPath(String),
}

/// Checks a bot's name.
pub(super) fn checked_name(name: &str) -> Result<String, NameError> {
    if !is_plain_name(name) {
        return Err(NameError::NotPlain(name.to_owned()));
    }
    if name.eq_ignore_ascii_case(HUMAN) {
        return Err(NameError::Person(name.to_owned()));
    }
    if name == "name" { Err(NameError::Column) } else { Ok(name.to_owned()) }
}

/// Maximum length of a bot's name.
const NAME_BYTES_MAX: usize = 32;

/// Describes what [`is_plain_name`] accepts.
pub const PLAIN_NAME: &str = "1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -)";

/// Whether a name is safe in files, tables and on command lines: plain, short, and unlike an option.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-'])
}

/// Parses `NAME=PATH` from the command line.
///
/// # Errors
///
/// Returns [`NameError`] if it is malformed.
pub fn parse_named_path(text: &str) -> Result<(String, PathBuf), NameError> {
    let (name, path) = text.split_once('=').ok_or_else(|| NameError::Unnamed(text.to_owned()))?;
    let name = checked_name(name)?;
    if path.is_empty() { Err(NameError::NoPath(text.to_owned())) } else { Ok((name, PathBuf::from(path))) }
}

/// Renames bots so that no two names are the same when case is ignored. The bot with the greatest claim keeps its name;
/// among equal claims, the one whose path is first in bytes. Any other gets the first free name of `NAME-2`, `NAME-3`, …
/// No bot is left out because of another, and an untrusted folder never takes the name of a trusted bot. The result
/// depends only on names, claims and paths.
pub(super) fn without_twins(mut bots: Vec<FoundBot>) -> Vec<FoundBot> {
    bots.sort_by(|a, b| {
        Reverse(a.claim).cmp(&Reverse(b.claim)).then_with(|| place(a).as_os_str().cmp(place(b).as_os_str()))
    });
    let folded = |name: &str| name.to_ascii_lowercase();
    // A renamed bot never gets a name that another bot requests, so it cannot displace a new bot.
    let mut taken: BTreeSet<String> = bots.iter().map(|bot| folded(&bot.launch.name)).collect();
    let mut holders: BTreeMap<String, (String, String)> = BTreeMap::new();
    for bot in &mut bots {
        let here = shown(&place(bot).to_string_lossy());
        let Some((name, holder)) = holders.get(&folded(&bot.launch.name)) else {
            holders.insert(folded(&bot.launch.name), (bot.launch.name.clone(), here));
            continue;
        };
        // More numbers than names: one is free.
        let mut numbered = (2..=taken.len() + 2).map(|number| numbered(&bot.launch.name, number));
        let Some(free) = numbered.find(|name| !taken.contains(&folded(name))) else { continue };
        bot.refused.push(format!(
            "{here} plays under this name because {holder} is called `{name}` (names ignore case); rename one of them, \
             or use {BOT} NAME=PATH"
        ));
        taken.insert(folded(&free));
        bot.launch.name = free;
    }
    bots
}

/// The path of a bot; for an untrusted bot its folder, not the manifest in it.
pub(super) fn place(bot: &FoundBot) -> &Path {
    if bot.untrusted { bot.path.parent().unwrap_or(&bot.path) } else { &bot.path }
}

/// `NAME-2`, with the end of the name cut where it would be too long.
fn numbered(name: &str, number: usize) -> String {
    let suffix = format!("-{number}");
    // A plain name is ASCII.
    format!("{}{suffix}", &name[..name.len().min(NAME_BYTES_MAX - suffix.len())])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fingerprint::Fingerprint;
    use super::super::inspected::launch;
    use super::*;

    /// A bot called `name` in `path`; in an untrusted folder, its path is a manifest in it.
    fn bot(name: &str, path: &str, claim: Claim) -> FoundBot {
        let untrusted = claim <= Claim::Folder;
        let path = if untrusted { Path::new(path).join("bot.toml") } else { PathBuf::from(path) };
        let fingerprint = Fingerprint { text: String::new(), files: Vec::new(), closed: Vec::new() };
        let launch = launch(name.to_owned(), "x".into(), Vec::new(), "/".into());
        FoundBot { untrusted, claim, ..FoundBot::new(launch, fingerprint, &path) }
    }

    fn claims() -> impl Strategy<Value = Claim> {
        prop::sample::select(vec![Claim::UntrustedManifest, Claim::Folder, Claim::File, Claim::Manifest, Claim::Given])
    }

    proptest! {
        #[test]
        fn every_bot_gets_a_name_and_none_loses_its_own_to_a_lesser_claim(
            (bots, shuffled) in prop::collection::vec(("[aA](-[23])?|[bB]{32}", claims()), 1..9)
                .prop_flat_map(|bots| {
                    let bots: Vec<_> = bots.into_iter().enumerate().collect();
                    (Just(bots.clone()), Just(bots).prop_shuffle())
                }),
        ) {
            let make = |bots: &[(usize, (String, Claim))]| {
                let bots = bots.iter().map(|(at, (name, claim))| bot(name, &format!("bots/{at}"), *claim));
                let mut named: Vec<(String, String, bool)> = without_twins(bots.collect()).into_iter()
                    .map(|bot| (place(&bot).display().to_string(), bot.launch.name, bot.refused.is_empty()))
                    .collect();
                named.sort();
                named
            };
            let named = make(&bots);
            prop_assert_eq!(&named, &make(&shuffled), "the order in which bots are found does not matter");
            prop_assert_eq!(named.len(), bots.len());
            let distinct: BTreeSet<String> = named.iter().map(|(_, name, _)| name.to_ascii_lowercase()).collect();
            prop_assert_eq!(distinct.len(), bots.len());
            for ((_, (asked, claim)), (_, name, unwarned)) in bots.iter().zip(&named) {
                prop_assert!(is_plain_name(name), "{name}");
                prop_assert_eq!(asked == name, *unwarned);
                let rival = |(_, (other, theirs)): &(usize, (String, Claim))| {
                    theirs >= claim && other.eq_ignore_ascii_case(asked)
                };
                let rivals = bots.iter().filter(|other| rival(other)).count();
                prop_assert!(asked == name || rivals > 1, "{asked} became {name} without a rival");
            }
        }
    }
}
