//! The text of a manifest, and the permissions it contains.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use arena_core::tags::{TagValue, Tags};
use arena_core::text::{in_plain_words, shown, utf8};
use arena_guard::{NamedLimits, SandboxMode, open_foreign};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;
use toml::Spanned;

use crate::roster::links::FOLDER_MANIFEST;
use crate::roster::parts;
use crate::roster::settings::{PermissionTerms, STARTUP_MOST};

/// Manifests had identities before protocols had a say.
#[expect(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "serde gives a reference")]
fn as_if_given<S: Serializer>(fresh: &Option<bool>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(fresh.unwrap_or_default())
}

/// A manifest as written by its author.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManifestFile {
    /// Name in the tournament; defaults to the name of the file or folder.
    #[serde(skip_serializing)]
    pub(super) name: Option<String>,
    /// Program and arguments; paths are relative to the bot's folder.
    pub(super) command: Option<Spanned<Vec<String>>>,
    /// How its author builds it: shown if its program is missing, and run only by `arena check --build`.
    #[serde(skip_serializing)]
    pub(super) build: Option<String>,
    /// Whether its build may use the network.
    #[serde(skip_serializing)]
    pub(super) build_network: Option<bool>,
    /// Name of a built-in strategy.
    pub(super) builtin: Option<Spanned<String>>,
    /// The protocol that it speaks; JSON if absent.
    pub(super) protocol: Option<Spanned<String>>,
    /// Options of that strategy, or settings of that protocol.
    #[serde(default)]
    pub(super) options: BTreeMap<Spanned<String>, toml::Value>,
    /// Variables added to the environment.
    #[serde(default)]
    pub(super) env: BTreeMap<Spanned<String>, String>,
    /// Names of the games it plays; all if absent.
    pub(super) games: Option<Vec<Spanned<String>>>,
    /// Whether to start a new process for every game; its protocol says so if absent.
    #[serde(serialize_with = "as_if_given")]
    pub(super) fresh: Option<bool>,
    /// Maximum time from its start to its `hello`.
    pub(super) startup_ms: Option<Spanned<u64>>,
    /// Resource limits.
    #[serde(skip_serializing)]
    pub(super) limits: Option<Spanned<NamedLimits>>,
    /// The sandbox.
    #[serde(skip_serializing)]
    pub(super) sandbox: Option<Spanned<SandboxMode>>,
    /// Files and folders beside the manifest that also belong to the bot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<Spanned<String>>,
    /// Folders that are no part of it, except for what `command` and `files` name in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) exclude: Vec<Spanned<String>>,
    /// What is said about it. It is no part of its identity, so that a tag can be added without playing anew.
    #[serde(default, skip_serializing)]
    tags: BTreeMap<Spanned<String>, toml::Value>,
}

/// What a manifest in `dir` names by absolute paths: files in `dir` among the words of its command, and further files.
pub(crate) fn absolute_names<'a>(
    command: &'a mut Option<Spanned<Vec<String>>>,
    files: &'a mut [Spanned<String>],
    dir: &'a Path,
) -> impl Iterator<Item = &'a mut String> {
    let is_own = move |word: &&mut String| {
        let path = Path::new(word.as_str());
        path.is_absolute() && path.starts_with(dir) && path.is_file()
    };
    let words = command.iter_mut().flat_map(Spanned::as_mut).filter(is_own);
    let files = files.iter_mut().map(Spanned::as_mut).filter(|name| Path::new(name).is_absolute());
    words.chain(files)
}

/// The same as paths.
pub(crate) fn absolute_paths(
    command: Option<&Spanned<Vec<String>>>,
    files: &[Spanned<String>],
    dir: &Path,
) -> Vec<PathBuf> {
    let (mut command, mut files) = (command.cloned(), files.to_vec());
    absolute_names(&mut command, &mut files, dir).map(|name| PathBuf::from(&*name)).collect()
}

/// A manifest with its text, for line numbers.
pub(super) struct WrittenManifest {
    pub(super) manifest: ManifestFile,
    text: String,
}

impl WrittenManifest {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        Self::parse(read_manifest(path).context("the manifest cannot be read")?)
    }

    /// The manifest with this text.
    pub(super) fn parse(text: String) -> anyhow::Result<Self> {
        Ok(Self { manifest: parse_toml(&text)?, text })
    }

    /// Describes the position of `value` in the text, such as `line 3`.
    pub(super) fn line<T>(&self, value: &Spanned<T>) -> String {
        line_in(&self.text, value.span().start)
    }

    /// The permissions in the manifest.
    pub(super) fn terms(&self) -> anyhow::Result<PermissionTerms> {
        let mut terms = PermissionTerms::default();
        if let Some(startup_ms) = &self.manifest.startup_ms {
            let startup = startup(*startup_ms.get_ref()).with_context(|| self.line(startup_ms))?;
            terms.startup = Some(startup);
        }
        if let Some(limits) = &self.manifest.limits {
            let line = || self.line(limits);
            limits.get_ref().check().with_context(line)?;
            terms.limits = limits.get_ref().clone();
        }
        terms.build_network = self.manifest.build_network.unwrap_or(false);
        if let Some(sandbox) = &self.manifest.sandbox {
            terms.sandbox = *sandbox.get_ref();
            if terms.sandbox == SandboxMode::Off {
                let line = self.line(sandbox);
                bail!("{line}: a manifest may only ask for a stricter sandbox; remove `sandbox`");
            }
        }
        Ok(terms)
    }

    /// The tags of the bot.
    pub(super) fn tags(&self) -> anyhow::Result<Tags> {
        let mut tags = Tags::default();
        for (name, value) in &self.manifest.tags {
            let here = || format!("{}: tag `{}`", self.line(name), shown(name.get_ref()));
            let value = match value {
                toml::Value::Boolean(value) => Some(TagValue::Bool(*value)),
                toml::Value::Integer(value) => Some(TagValue::Number((*value).into())),
                toml::Value::Float(value) => Number::from_f64(*value).map(TagValue::Number),
                toml::Value::String(value) => Some(TagValue::Text(value.clone())),
                _ => None,
            };
            let value = value.with_context(|| format!("{} is a finite number, a string or a boolean", here()))?;
            tags.insert(name.get_ref(), value).with_context(here)?;
        }
        Ok(tags)
    }

    /// The text that enters the fingerprint of a bot in `dir`. It does not depend on the place of the bot's own files.
    pub(super) fn canonical(&self, dir: &Path) -> anyhow::Result<String> {
        let mut manifest = self.manifest.clone();
        for path in absolute_names(&mut manifest.command, &mut manifest.files, dir) {
            *path = parts::named(dir, Path::new(path)).to_string_lossy().into_owned();
        }
        toml::to_string(&manifest).context("writing the manifest")
    }

    /// Whether it starts nothing, so that it can only grant permissions to a bot folder of its name.
    pub(super) fn starts_nothing(&self) -> bool {
        self.manifest.command.is_none() && self.manifest.builtin.is_none()
    }

    /// The permissions that it grants to the bot folder of its name.
    pub(super) fn grants(&self) -> anyhow::Result<PermissionTerms> {
        let manifest = &self.manifest;
        let others = [
            ("name", manifest.name.is_some()),
            ("options", !manifest.options.is_empty()),
            ("env", !manifest.env.is_empty()),
            ("games", manifest.games.is_some()),
            ("fresh", manifest.fresh.is_some()),
            ("files", !manifest.files.is_empty()),
            ("exclude", !manifest.exclude.is_empty()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_there)| *is_there) {
            bail!(
                "`{name}` cannot be set beside a bot folder, only `limits`, `startup_ms`, `sandbox`, `tags` and `build_network`; write it into the \
                 folder's own {FOLDER_MANIFEST}"
            );
        }
        self.terms()
    }
}

/// Reads TOML.
///
/// # Errors
///
/// Returns an error that names the line and what is written there.
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    toml::from_str(text).map_err(|error| {
        let mut mistake = in_plain_words(&error.message().replace('\n', "; "));
        // The TOML parser accepts numbers beyond 64 bits and names Rust types in its errors.
        if mistake.contains("as i128") || mistake.contains("as u128") {
            mistake = format!("the number is too large; use at most {}", i64::MAX);
        }
        let Some(span) = error.span() else { return anyhow!("{mistake}") };
        let before = &text[..span.start.min(text.len())];
        let written = text[before.rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or_default();
        anyhow!("{}, `{}`: {mistake}", line_in(text, span.start), shown(written.trim()))
    })
}

/// Describes the position of byte `at` in `text`, such as `line 3`.
pub(crate) fn line_in(text: &str, at: usize) -> String {
    format!("line {}", 1 + text[..at.min(text.len())].matches('\n').count())
}

/// Reads a file up to the maximum size of a manifest; a sparse file can be larger than memory.
///
/// # Errors
///
/// Returns an error if it cannot be read, is no file, is longer than 1 MiB or is not UTF-8.
pub fn read_manifest(path: &Path) -> anyhow::Result<String> {
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
        bail!("`startup_ms` cannot be 0; remove it to use the default of 10000");
    }
    if startup > STARTUP_MOST {
        bail!("`startup_ms` cannot be {ms}, at most {} (ten minutes)", STARTUP_MOST.as_millis());
    }
    Ok(startup)
}
