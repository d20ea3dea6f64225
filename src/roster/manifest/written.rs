//! The text of a manifest, and what it says of what its bot is allowed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::FOLDER_MANIFEST;
use crate::guard::{NamedLimits, SandboxMode, open_foreign};
use crate::roster::settings::{STARTUP_MOST, Terms};
use crate::text::{in_plain_words, shown, utf8};

/// The file, as written by the author of a bot.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// Name in the tournament; the file's or folder's name otherwise.
    #[serde(skip_serializing)]
    pub(super) name: Option<String>,
    /// Program and arguments; paths are relative to the bot's folder.
    pub(super) command: Option<Spanned<Vec<String>>>,
    /// Name of a strategy that ships in the arena.
    pub(super) builtin: Option<Spanned<String>>,
    /// The protocol that it speaks; JSON if absent.
    pub(super) protocol: Option<Spanned<String>>,
    /// Options of that strategy, or what is set in that protocol.
    #[serde(default)]
    pub(super) options: BTreeMap<Spanned<String>, toml::Value>,
    /// Added to the environment.
    #[serde(default)]
    pub(super) env: BTreeMap<Spanned<String>, String>,
    /// Names of the games it plays; all if absent.
    pub(super) games: Option<Vec<Spanned<String>>>,
    /// Whether every game gets a new process.
    #[serde(default)]
    pub(super) fresh: bool,
    /// Time from its start to its `hello`.
    pub(super) startup_ms: Option<Spanned<u64>>,
    /// What it may use up.
    #[serde(skip_serializing)]
    pub(super) limits: Option<Spanned<NamedLimits>>,
    /// What fences it in.
    #[serde(skip_serializing)]
    pub(super) sandbox: Option<Spanned<SandboxMode>>,
    /// Files and folders beside the manifest that are its own as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<Spanned<String>>,
}

/// A manifest and its text, for the numbers of its lines.
pub(super) struct Written {
    pub(super) manifest: Manifest,
    text: String,
}

impl Written {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = read(path).context("the manifest cannot be read")?;
        let parsed: Result<Manifest, _> = toml::from_str(&text);
        let manifest = parsed.map_err(|error| {
            let mut mistake = in_plain_words(&error.message().replace('\n', "; "));
            // TOML has greater numbers than fit into 64 bits, and its reader speaks of them in types of Rust.
            if mistake.contains("as i128") || mistake.contains("as u128") {
                mistake = format!("the number is too large; give one of at most {}", i64::MAX);
            }
            let Some(span) = error.span() else { return anyhow!("{mistake}") };
            let before = &text[..span.start.min(text.len())];
            let written = text[before.rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or_default();
            anyhow!("{}, `{}`: {mistake}", line_in(&text, span.start), shown(written.trim()))
        })?;
        Ok(Self { manifest, text })
    }

    /// The place `at` in its text, such as `line 3`.
    pub(super) fn line(&self, at: usize) -> String {
        line_in(&self.text, at)
    }

    /// What it says of what the bot is allowed.
    pub(super) fn terms(&self) -> anyhow::Result<Terms> {
        let mut terms = Terms::default();
        if let Some(startup_ms) = &self.manifest.startup_ms {
            let startup = startup(*startup_ms.get_ref()).with_context(|| self.line(startup_ms.span().start))?;
            terms.startup = Some(startup);
        }
        if let Some(limits) = &self.manifest.limits {
            let line = || self.line(limits.span().start);
            limits.get_ref().check().map_err(anyhow::Error::msg).with_context(line)?;
            terms.limits = limits.get_ref().clone();
        }
        if let Some(sandbox) = &self.manifest.sandbox {
            terms.sandbox = *sandbox.get_ref();
            if terms.sandbox == SandboxMode::Off {
                let line = self.line(sandbox.span().start);
                bail!("{line}: a manifest may only ask for a stricter sandbox; use --sandbox off");
            }
        }
        Ok(terms)
    }

    /// Whether it starts nothing, so that it can only be about a bot folder of its name.
    pub(super) fn starts_nothing(&self) -> bool {
        self.manifest.command.is_none() && self.manifest.builtin.is_none()
    }

    /// What it grants to the bot folder of its name.
    pub(super) fn grants(&self) -> anyhow::Result<Terms> {
        let manifest = &self.manifest;
        let others = [
            ("name", manifest.name.is_some()),
            ("options", !manifest.options.is_empty()),
            ("env", !manifest.env.is_empty()),
            ("games", manifest.games.is_some()),
            ("fresh", manifest.fresh),
            ("files", !manifest.files.is_empty()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_there)| *is_there) {
            bail!(
                "`{name}` cannot be set beside a bot folder, only `limits`, `startup_ms` and `sandbox`; write it into the \
                 folder's own {FOLDER_MANIFEST}"
            );
        }
        self.terms()
    }
}

fn line_in(text: &str, at: usize) -> String {
    format!("line {}", 1 + text[..at.min(text.len())].matches('\n').count())
}

/// Reads as much as a manifest may be: a file with holes in it can be longer than memory.
fn read(path: &Path) -> anyhow::Result<String> {
    const BYTES_MAX: u64 = 1 << 20;
    let mut bytes = Vec::new();
    open_foreign(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        bail!("it is longer than {BYTES_MAX} bytes");
    }
    utf8(bytes).map_err(|line| anyhow!("line {line} is not UTF-8; save it as UTF-8"))
}

fn startup(ms: u64) -> anyhow::Result<Duration> {
    let startup = Duration::from_millis(ms);
    if startup.is_zero() {
        bail!("`startup_ms` cannot be 0, since no bot says hello at once; leave it out for 10000");
    }
    if startup > STARTUP_MOST {
        bail!("`startup_ms` cannot be {ms}, at most {} (ten minutes)", STARTUP_MOST.as_millis());
    }
    Ok(startup)
}
