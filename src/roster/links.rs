//! Where the files of a bot that is a folder may lie. It brings its manifest along, so that one opens nothing outside of
//! the folder, not by links either; links are looked at before anything is opened.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::guard::is_installed;
use crate::text::shown;

/// The manifest that makes its whole folder a bot.
pub(super) const FOLDER_MANIFEST: &str = "bot.toml";
/// Of what a folder's manifest or a link in it names and the folder does not hold.
pub(super) const OUTSIDE: &str = "which is not inside the bot's folder; put it there";

/// The real name of a bot's folder.
pub(super) fn home(dir: &Path) -> anyhow::Result<PathBuf> {
    dir.canonicalize().with_context(|| format!("finding {}", dir.display()))
}

/// Whether a bot that is a folder, `home` by its real name, may use `path`, `real` by its real name: its own, or what
/// is installed. A link in its own folder is no installed one, wherever that folder lies, and neither is another bot.
pub(super) fn may_lead_to(path: &Path, real: &Path, home: &Path) -> bool {
    let is_of_bots = |path: &Path| path.starts_with(home) || is_of_neighbour(path, home);
    // Where a link lies counts as well as where it leads to.
    let place = || path.parent().and_then(|dir| dir.canonicalize().ok());
    real.starts_with(home)
        || !is_of_neighbour(real, home)
            && (is_installed(real) || place().is_some_and(|dir| !is_of_bots(&dir) && is_installed(path)))
}

/// Whether `real` belongs to a bot beside the one at `home`.
fn is_of_neighbour(real: &Path, home: &Path) -> bool {
    let Some(bots) = home.parent() else { return false };
    let Some(first) = real.strip_prefix(bots).ok().and_then(|rest| rest.iter().next()) else { return false };
    let beside = bots.join(first);
    beside != home && (beside.is_file() || beside.join(FOLDER_MANIFEST).is_file())
}

/// Refuses a link in the folder `dir`, `home` by its real name, that leads out of it to what is not installed.
pub(super) fn check_link(link: &Path, dir: &Path, home: &Path) -> anyhow::Result<()> {
    let real = link.canonicalize().with_context(|| format!("looking at {}", link.display()))?;
    if may_lead_to(link, &real, home) { Ok(()) } else { Err(leads_out(link, dir, &real)) }
}

/// The real name of a manifest in the folder `dir`. Refuses one that is a link out of it, also to what is installed.
pub(super) fn real_manifest(manifest: &Path, dir: &Path) -> anyhow::Result<PathBuf> {
    let real = manifest.canonicalize().with_context(|| format!("looking at {}", manifest.display()))?;
    if real.starts_with(home(dir)?) { Ok(real) } else { Err(leads_out(manifest, dir, &real)) }
}

fn leads_out(link: &Path, dir: &Path, real: &Path) -> anyhow::Error {
    let target = std::fs::read_link(link).unwrap_or_else(|_| real.to_owned());
    let [link, target] = [link.strip_prefix(dir).unwrap_or(link), &target].map(|path| path.to_string_lossy());
    anyhow::anyhow!("`{}` is a link to `{}`, {OUTSIDE}", shown(&link), shown(&target))
}

/// A bot that is a folder is started from its own files and from installed programs, also where links lead.
pub(super) fn check_command(words: &[String], program: &Path, dir: &Path) -> anyhow::Result<()> {
    let home = home(dir)?;
    for (index, word) in words.iter().enumerate() {
        let path = dir.join(word);
        // A program that is looked for in `PATH`, and an argument that is something else.
        let is_other =
            if index == 0 { program.is_relative() } else { Path::new(word).is_absolute() || !path.is_file() };
        // What is not there is told when it is started.
        let Ok(real) = path.canonicalize() else { continue };
        if !is_other && !may_lead_to(&path, &real, &home) {
            bail!("`command` names `{}`, {OUTSIDE}", shown(word));
        }
    }
    Ok(())
}
