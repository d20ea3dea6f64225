//! Loads one bot: an executable file, a manifest, or a folder with a manifest.

use std::path::Path;

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_guard::is_executable;
use arena_wire::protocol::protocol_of_file;

use super::inspected::{Inspected, absolute, launch};
use super::names::checked_name;
use super::settings::{self, PermissionTerms, RosterSettings};
use super::skipped::{SkipReason, explain_file, explain_folder, is_unstartable_agent};
use super::{FoundBot, fingerprint, links, manifest, script};

/// Loads the bot at `path`. Returns an error if it looks like a bot but cannot be used.
pub(super) fn load(path: &Path, name: Option<&str>, settings: &RosterSettings) -> anyhow::Result<Inspected> {
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let (None, Some(why)) = (name, why_ignored(&file_name)) {
        return Ok(Inspected::Skip(SkipReason::ignored(why)));
    }
    // Follow links first: only a regular file or a folder may be opened.
    let meta = match (std::fs::metadata(path), std::fs::read_link(path)) {
        (Ok(meta), _) => meta,
        (Err(error), Ok(target)) => {
            bail!("a broken link to `{}` ({error}); fix or remove it", shown(&target.to_string_lossy()));
        }
        (Err(error), Err(_)) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no such file or folder")
        }
        (Err(error), Err(_)) => return Err(error).context("it cannot be read"),
    };
    if meta.is_dir() {
        if !path.join(links::FOLDER_MANIFEST).is_file() {
            return Ok(Inspected::Skip(explain_folder(path)));
        }
        let found = manifest::load_folder(path, name, &file_name, settings)?;
        return Ok(Inspected::Bot(Box::new(found)));
    }
    if !meta.is_file() {
        return Ok(Inspected::Skip(SkipReason::ignored("neither a file nor a folder")));
    }
    if file_name == links::FOLDER_MANIFEST {
        // A folder's manifest stands for the folder.
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found = manifest::load_folder(dir, name, "bot", settings)?;
        return Ok(Inspected::Bot(Box::new(found)));
    }
    if let Some(stem) = file_name.strip_suffix(".toml") {
        return manifest::load_file(path, name, stem, settings);
    }
    // The x bit does not make a program of a file of Python.
    if !is_executable(&meta) || is_unstartable_agent(path) {
        return Ok(Inspected::Skip(explain_file(path)));
    }
    let name = checked_name(name.unwrap_or(&file_name))?;
    script::check(path)?;
    let program = absolute(path)?;
    let mut launch = launch(name, program, Vec::new(), absolute(path.parent().unwrap_or(Path::new(".")))?);
    if let Some(protocol) = protocol_of_file(&file_name) {
        launch.protocol = protocol;
    }
    settings.settle(&mut launch, &PermissionTerms::default(), &PermissionTerms::default());
    let allowed = settings::identity(&launch);
    let words: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let fingerprint = fingerprint::of_file(&words, &launch.program)?;
    let own = vec![launch.program.clone()];
    Ok(Inspected::Bot(Box::new(FoundBot { own, ..FoundBot::new(launch, fingerprint, path) })))
}

/// Why a file or folder of this name in a bots folder is ignored, if it is.
#[must_use]
pub fn why_ignored(file_name: &str) -> Option<&'static str> {
    match file_name {
        _ if file_name.starts_with('.') => Some("hidden"),
        _ if file_name.to_lowercase().starts_with("readme") => Some("documentation"),
        "starters" => Some("starter bots; copy one to use it"),
        _ => None,
    }
}
