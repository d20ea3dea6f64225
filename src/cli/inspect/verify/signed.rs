//! The signatures of a journal, and the keys that are trusted.

use arena_core::text::counted;
use arena_store::journal::{SIGNATURES_NAME, check_signatures};
use arena_sys::results_folder::ResultsFolder;

use super::report::{JournalFinding, JournalReport};
#[cfg(not(feature = "nats"))]
use crate::cli::args::signatures::NO_SIGNATURES;

#[derive(Debug, clap::Args)]
pub(super) struct TrustArgs {
    /// Accept only what is signed with this key, or one of several: the key itself, or a file that has it; needs a build with
    /// the feature `nats`
    #[arg(long, value_name = "KEY|FILE")]
    trust: Vec<String>,
}

#[cfg(feature = "nats")]
pub(super) type TrustedKey = arena_cluster::cluster::PublicKey;
#[cfg(not(feature = "nats"))]
pub(super) type TrustedKey = std::convert::Infallible;

#[cfg(feature = "nats")]
impl TrustArgs {
    /// The keys that are trusted.
    pub(super) fn keys(&self) -> anyhow::Result<Vec<TrustedKey>> {
        self.trust.iter().map(|text| key(text)).collect()
    }
}

#[cfg(not(feature = "nats"))]
impl TrustArgs {
    pub(super) fn keys(&self) -> anyhow::Result<Vec<TrustedKey>> {
        anyhow::ensure!(self.trust.is_empty(), "--trust: {NO_SIGNATURES}");
        Ok(Vec::new())
    }
}

/// The public key that `text` is, or that the file of this name has.
#[cfg(feature = "nats")]
fn key(text: &str) -> anyhow::Result<TrustedKey> {
    use std::io::Read as _;

    const FILE_BYTES_MAX: u64 = 1_000;
    let error = match text.parse() {
        Ok(key) => return Ok(key),
        Err(error) => anyhow::anyhow!("--trust: {error}"),
    };
    let Ok(file) = arena_guard::open_foreign(std::path::Path::new(text)) else { return Err(error) };
    let mut content = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut content).map_err(|_| error)?;
    content.trim().parse().map_err(|error| anyhow::anyhow!("--trust {}: {error}", arena_core::text::shown(text)))
}

/// Whether `key` has signed these bytes; an error if it is not trusted.
#[cfg(feature = "nats")]
fn is_signed_by(trusted: &[TrustedKey], key: &str, bytes: &[u8], signature: &[u8]) -> anyhow::Result<bool> {
    let key: TrustedKey = key.parse()?;
    if !trusted.is_empty() && !trusted.contains(&key) {
        anyhow::bail!("it is signed by {key}, which is not trusted; if that key is right, --trust it too");
    }
    Ok(key.has_signed(bytes, signature))
}

/// Signatures cannot be checked: only that the journal is what they are of.
#[cfg(not(feature = "nats"))]
#[expect(clippy::unnecessary_wraps, reason = "as in a build with signatures")]
const fn is_signed_by(_: &[TrustedKey], _: &str, _: &[u8], _: &[u8]) -> anyhow::Result<bool> {
    Ok(true)
}

/// Adds what the signatures of the journal in `folder` show.
pub(super) fn check(folder: &ResultsFolder, trusted: &[TrustedKey], report: &mut JournalReport) -> anyhow::Result<()> {
    let problem = |text: String| JournalFinding { line: None, text };
    let checked = check_signatures(folder, |key, bytes, signature| is_signed_by(trusted, key, bytes, signature))?;
    let Some(mut signatures) = checked else {
        if !trusted.is_empty() {
            report
                .problems
                .push(problem(format!("it has no signatures ({SIGNATURES_NAME}), and only signed ones are trusted")));
        }
        return Ok(());
    };
    let wrong = std::mem::take(&mut signatures.problems);
    let is_whole = wrong.is_empty() && signatures.unsigned == 0;
    report.problems.extend(wrong.into_iter().map(problem));
    let (signed, keys) = (signatures.signed, signatures.keys.join(" and "));
    if signatures.unsigned > 0 {
        let begin = signed + 1;
        let lines = counted(signatures.unsigned as usize, "line");
        let text =
            format!("not signed: {lines}, from line {begin} on, written after the last signature, or by someone else");
        // Trust is asked for in all of it.
        if trusted.is_empty() {
            report.remarks.push(text);
        } else {
            report.problems.push(problem(text));
        }
    }
    for [first, last] in &signatures.found {
        let lines = if first == last { format!("line {first} was") } else { format!("lines {first} to {last} were") };
        report.remarks.push(format!("{lines} not recorded by the holder of the key, but found when a run went on"));
    }
    if signed > 0 {
        report.remarks.push(format!("lines 1 to {signed} are signed by {keys}{}", what_that_means(trusted)));
    }
    report.is_vouched = is_whole && !trusted.is_empty();
    report.signatures = Some(signatures);
    Ok(())
}

/// What it means that a key has signed.
#[cfg(feature = "nats")]
const fn what_that_means(trusted: &[TrustedKey]) -> &'static str {
    if trusted.is_empty() {
        ", which anyone can say; if that is the key of someone you trust, --trust it"
    } else {
        ": its holder recorded them"
    }
}

#[cfg(not(feature = "nats"))]
const fn what_that_means(_: &[TrustedKey]) -> &'static str {
    ", which was not checked: this build has no signatures; make one with `cargo build --release --features nats`"
}
