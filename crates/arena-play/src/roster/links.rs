//! Checks the files that an untrusted bot (a folder with its own manifest) uses. Its manifest and links must not lead
//! outside the folder, so links are checked before anything is opened.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_guard::is_installed;

/// File name of the manifest of a bot that is a folder.
pub(super) const FOLDER_MANIFEST: &str = "bot.toml";
/// Message about a path outside a bot's folder.
pub(super) const OUTSIDE: &str = "which is not inside the bot's folder; put it there";

/// The canonical path of a bot's folder.
pub(crate) fn home(dir: &Path) -> anyhow::Result<PathBuf> {
    dir.canonicalize().with_context(|| format!("finding {}", dir.display()))
}

/// Whether a bot in the folder `home` may use `path`, which resolves to `real`. It may use its own files and installed
/// ones. A link in the bot's folder, or another bot's, never counts as installed.
pub(crate) fn may_lead_to(path: &Path, real: &Path, home: &Path) -> bool {
    let is_of_bots = |path: &Path| path.starts_with(home) || is_of_neighbour(path, home);
    // The location of a link counts as well as its target.
    let place = || path.parent().and_then(|dir| dir.canonicalize().ok());
    real.starts_with(home)
        || !is_of_neighbour(real, home)
            && (is_installed(real) || place().is_some_and(|dir| !is_of_bots(&dir) && is_installed(path)))
}

/// Whether `real` belongs to another bot beside the one at `home`.
fn is_of_neighbour(real: &Path, home: &Path) -> bool {
    let Some(bots) = home.parent() else { return false };
    let Some(first) = real.strip_prefix(bots).ok().and_then(|rest| rest.iter().next()) else { return false };
    let beside = bots.join(first);
    beside != home && (beside.is_file() || beside.join(FOLDER_MANIFEST).is_file())
}

/// Rejects a link in `dir`, whose canonical path is `home`, to a file outside it that is not installed.
pub(super) fn check_link(link: &Path, dir: &Path, home: &Path) -> anyhow::Result<()> {
    let real = link.canonicalize().with_context(|| format!("looking at {}", link.display()))?;
    if may_lead_to(link, &real, home) { Ok(()) } else { Err(leads_out(link, dir, &real)) }
}

/// The canonical path of a manifest in `dir`. Rejects a link out of the folder, even to installed files.
pub(super) fn real_manifest(manifest: &Path, dir: &Path) -> anyhow::Result<PathBuf> {
    let real = manifest.canonicalize().with_context(|| format!("looking at {}", manifest.display()))?;
    if real.starts_with(home(dir)?) { Ok(real) } else { Err(leads_out(manifest, dir, &real)) }
}

fn leads_out(link: &Path, dir: &Path, real: &Path) -> anyhow::Error {
    let target = std::fs::read_link(link).unwrap_or_else(|_| real.to_owned());
    let [link, target] = [link.strip_prefix(dir).unwrap_or(link), &target].map(|path| path.to_string_lossy());
    anyhow::anyhow!("`{}` is a link to `{}`, {OUTSIDE}", shown(&link), shown(&target))
}

/// Rejects a command of an untrusted bot that uses files other than its own and installed ones, through links or
/// directly.
pub(super) fn check_command(words: &[String], program: &Path, dir: &Path) -> anyhow::Result<()> {
    let home = home(dir)?;
    for (index, word) in words.iter().enumerate() {
        let path = dir.join(word);
        // Neither a program to be found in `PATH` nor an argument that is not a file.
        let is_other =
            if index == 0 { program.is_relative() } else { Path::new(word).is_absolute() || !path.is_file() };
        // A missing file is reported when the bot is started.
        let Ok(real) = path.canonicalize() else { continue };
        if !is_other && !may_lead_to(&path, &real, &home) {
            bail!("`command` names `{}`, {OUTSIDE}", shown(word));
        }
    }
    Ok(())
}
