//! What a program of rules may use. Its manifest may be a stranger's, so it names files in its own folder, links included, what
//! every program may read, and what the user has named.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_sys::flags::RULES_READ;

use crate::roster::{RulesReach, home, may_lead_to};

/// The files that a manifest may name.
#[derive(Debug, Clone)]
pub(super) struct Confines {
    /// The folder of the manifest, by its real name.
    home: PathBuf,
    /// What the user has named, by real names; `None` if the manifest may name anything.
    named: Option<Vec<PathBuf>>,
}

impl Confines {
    /// Those of a manifest in `dir`.
    pub(super) fn new(dir: &Path, reach: &RulesReach) -> anyhow::Result<Self> {
        let real = |path: &PathBuf| {
            let missing = || format!("{RULES_READ} {} cannot be found", shown(&path.to_string_lossy()));
            path.canonicalize().with_context(missing)
        };
        let named = match reach {
            RulesReach::AsWritten => None,
            RulesReach::Named(paths) => Some(paths.iter().map(real).collect::<anyhow::Result<_>>()?),
        };
        Ok(Self { home: home(dir)?, named })
    }

    /// What the program can read because the user has named it.
    pub(super) fn named(&self) -> &[PathBuf] {
        self.named.as_deref().unwrap_or_default()
    }

    /// Whether the manifest may name anything.
    pub(super) const fn is_open(&self) -> bool {
        self.named.is_none()
    }

    /// Fails if the entry `entry` of the manifest may not name `path`, which is written as `name`.
    pub(super) fn check(&self, entry: &str, name: &str, path: &Path) -> anyhow::Result<()> {
        // A missing file is reported elsewhere.
        let Ok(real) = path.canonicalize() else { return Ok(()) };
        if self.allow(path, &real) {
            return Ok(());
        }
        bail!("`{entry}` names `{}`, {}", shown(name), outside(&real))
    }

    /// Fails if a link in a folder of the program may not lead to where it does.
    pub(super) fn check_link(&self, link: &Path) -> anyhow::Result<()> {
        let real = link.canonicalize().with_context(|| format!("looking at {}", link.display()))?;
        if self.allow(link, &real) {
            return Ok(());
        }
        let link = link.strip_prefix(&self.home).unwrap_or(link);
        bail!("`{}` is a link, {}", shown(&link.to_string_lossy()), outside(&real))
    }

    /// Whether `path`, which resolves to `real`, may be used.
    fn allow(&self, path: &Path, real: &Path) -> bool {
        let Some(named) = &self.named else { return true };
        may_lead_to(path, real, &self.home) || named.iter().any(|named| real.starts_with(named))
    }

    /// Fails if something of the program's `own` is in a `hidden` folder, or the other way round: bots and results are none of its
    /// business. A program that lies in such a folder itself is where the user has put it.
    pub(super) fn check_hidden(&self, own: &[PathBuf], hidden: &[PathBuf]) -> anyhow::Result<()> {
        let hidden = hidden.iter().filter_map(|hidden| hidden.canonicalize().ok());
        let hidden: Vec<PathBuf> = hidden.filter(|hidden| !self.home.starts_with(hidden)).collect();
        for own in own.iter().filter_map(|own| own.canonicalize().ok()) {
            let is_named = self.named().iter().any(|named| own.starts_with(named));
            let other = hidden.iter().find(|hidden| own.starts_with(hidden) || hidden.starts_with(&own));
            if let Some(other) = other.filter(|_| !is_named && !self.is_open()) {
                bail!(
                    "it names `{}`, but `{}` is a folder of bots or results; keep the rules in a folder of their own, or add \
                     {RULES_READ} {}",
                    shown(&own.to_string_lossy()),
                    shown(&other.to_string_lossy()),
                    shown(&own.to_string_lossy())
                );
            }
        }
        Ok(())
    }
}

fn outside(real: &Path) -> String {
    let real = shown(&real.to_string_lossy());
    format!("which is not inside the folder of the manifest; put it there, or allow it with {RULES_READ} {real}")
}
