//! `rules.json`: where the program is that is the rules of a results folder's game, so that commands find it again.
//!
//! The file may be a stranger's, and a program in its place too. So the program is started only if a mark under the key of the user
//! shows that this user's arena has started these very files by this path, and only for games of the rules that they are. Without
//! the key, a folder remembers nothing.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use arena_core::rules::Variant;
use arena_core::text::shown;
use arena_play::program::{Program, game_of};
use arena_play::roster::{RosterSettings, RulesReach};
use arena_sys::machine::OwnKey;
use arena_sys::results_folder::{Durability, ResultsFolder, if_there};
use serde::{Deserialize, Serialize};

use super::game::start_game;
use super::outputs::stored;

/// Its name.
const RULES_FILE: &str = "rules.json";
/// More than any has.
const BYTES_MAX: u64 = 1 << 20;

/// What is in `rules.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RememberedRules {
    /// The rules: `GAME@HASH`.
    rules: String,
    /// The manifest: its real path, from the results folder if it is in it.
    path: String,
    /// Hash of the manifest and the files that it names.
    files: String,
    /// What else the user let it read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    read: Vec<PathBuf>,
    /// What shows that this user's arena has written all this.
    mark: String,
}

impl RememberedRules {
    fn mark(&self, key: &OwnKey) -> String {
        key.mark(format!("{:?}", ("rules", &self.rules, &self.path, &self.files, &self.read)).as_bytes())
    }

    /// What is in this folder, if this user's arena has written it; else why nothing is.
    fn read(folder: &ResultsFolder) -> Result<Self, String> {
        let unknown = || "and this folder does not say where it is".to_owned();
        let mut text = String::new();
        let file = if_there(folder.read(RULES_FILE)).map_err(|error| format!("and {RULES_FILE}: {error}"))?;
        let file = file.ok_or_else(unknown)?;
        let read = file.take(BYTES_MAX).read_to_string(&mut text).ok();
        let known = read.and_then(|_| serde_json::from_str::<Self>(&text).ok()).ok_or_else(unknown)?;
        let is_ours = OwnKey::of_user().is_ok_and(|key| known.mark(&key) == known.mark);
        if is_ours {
            Ok(known)
        } else {
            Err(format!("and you have not written {RULES_FILE} here, which names a program"))
        }
    }

    fn path(&self, folder: &ResultsFolder) -> PathBuf {
        folder.path().join(&self.path)
    }
}

/// Notes in a results folder where the program is that is the rules of its game, if it is one. What cannot be noted is not: `--game`
/// names it.
pub fn remember_rules(folder: &ResultsFolder, variant: &Variant) {
    let (Some(game), Ok(key)) = (game_of(variant), OwnKey::of_user()) else { return };
    let program = &game.program;
    let mut known = RememberedRules {
        rules: game.name.clone(),
        path: stored(folder, &program.path),
        files: program.files.clone(),
        read: program.named_elsewhere().to_vec(),
        mark: String::new(),
    };
    known.mark = known.mark(&key);
    if RememberedRules::read(folder).as_ref() == Ok(&known) {
        return;
    }
    let _ = folder.replace(RULES_FILE, Durability::Flushed, |out| {
        serde_json::to_writer_pretty(&mut *out, &known)?;
        Ok(writeln!(out)?)
    });
}

/// Whether a results folder says where rules are, whoever wrote that.
#[must_use]
pub fn has_remembered_rules(folder: &ResultsFolder) -> bool {
    folder.has(RULES_FILE)
}

/// Whether a results folder remembers where the rules `name` are.
#[must_use]
pub fn remembers_rules(folder: &ResultsFolder, name: &str) -> bool {
    RememberedRules::read(folder).is_ok_and(|known| known.rules == name)
}

/// Starts the program that a results folder remembers as the rules `name`, `GAME@HASH`, and returns its game with the parameters of
/// the manifest. It cannot see the `hidden` folders.
///
/// # Errors
///
/// Returns why it is not started, as the end of a sentence that names it.
pub fn recall_rules(
    folder: &ResultsFolder,
    name: &str,
    settings: &RosterSettings,
    hidden: &[&Path],
) -> Result<Variant, String> {
    let known = RememberedRules::read(folder)?;
    if known.rules != name {
        return Err("and this folder remembers other rules".to_owned());
    }
    let path = known.path(folder);
    let place = shown(&path.to_string_lossy());
    if !path.exists() {
        return Err(format!("and {place} is gone"));
    }
    let settings = RosterSettings { rules_reach: RulesReach::Named(known.read.clone()), ..settings.clone() };
    let program = Program::load(&path, &settings).map_err(|error| format!("and cannot be used: {error}"))?;
    if program.files != known.files {
        return Err(format!("and {place} has changed since"));
    }
    let variant = start_game(program, None, hidden).map_err(|error| format!("and cannot be started: {error:#}"))?;
    if variant.rules.name == name { Ok(variant) } else { Err(format!("and {place} is {} now", variant.rules.name)) }
}
