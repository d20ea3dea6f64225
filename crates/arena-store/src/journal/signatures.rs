//! Signatures of a journal: a statement of the holder of a key that it recorded these lines, in this order.
//!
//! The file `signatures.jsonl` beside the journal has one line for each group of lines. A statement covers a hash of the whole
//! journal up to its last line, so the definition of the tournament and every earlier record are part of it: no line can be
//! changed, removed, added or moved before the end of what is signed. It also says where its group begins, so no signature
//! can be taken out, and whether the run recorded the group itself or found it when it went on.
//!
//! A group is signed when the journal is synced, about once a second and at the end. A run that is killed leaves at most its
//! last group unsigned. The next run with a key signs it as found.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use arena_sys::flags::FRESH;
use arena_sys::results_folder::{ResultsFolder, if_there};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::FILE_NAME;
use super::line::{is_torn, read_line};

/// Name of the file of signatures in a tournament's folder.
pub const SIGNATURES_NAME: &str = "signatures.jsonl";
/// What is signed begins with this, so that no other signature counts.
const SIGNED: &[u8] = b"arena journal\n";
/// Maximum length of a line of the file, in bytes.
const SIGNATURE_BYTES_MAX: usize = 4_096;

/// Signs what a run records.
pub trait Signer: fmt::Debug + Send + Sync {
    /// The public key.
    fn public(&self) -> String;

    /// Signs these bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the key cannot sign.
    fn sign(&self, bytes: &[u8]) -> anyhow::Result<Vec<u8>>;

    /// Whether the holder of this public key, which may be another one, has signed these bytes.
    fn is_signed_by(&self, key: &str, bytes: &[u8], signature: &[u8]) -> bool;
}

/// What is signed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    /// Number of lines that were signed before.
    after: u64,
    /// Number of lines up to the end of the group.
    lines: u64,
    /// Their length in bytes.
    bytes: u64,
    /// The BLAKE3 hash of these bytes of the journal.
    hash: String,
    /// Whether the run found the group, and did not record it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    found: bool,
}

impl Statement {
    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        Ok([SIGNED, &serde_json::to_vec(self)?].concat())
    }
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignatureLine {
    signed: Statement,
    key: String,
    signature: String,
}

/// Signs a journal while it is written.
#[derive(Debug)]
pub(super) struct Signing {
    signer: Arc<dyn Signer>,
    file: File,
    /// The journal so far.
    prefix: SignedPrefix,
    /// Number of lines that are signed.
    signed: u64,
}

/// A hash of the lines of a journal so far.
#[derive(Debug, Default)]
struct SignedPrefix {
    hasher: blake3::Hasher,
    lines: u64,
    bytes: u64,
}

impl SignedPrefix {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.bytes += bytes.len() as u64;
    }

    /// Adds what `journal` has up to `end`; less if it is shorter.
    fn read_to(&mut self, journal: &File, end: u64) -> std::io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        while self.bytes < end {
            let wanted = (end - self.bytes).min(buffer.len() as u64) as usize;
            match journal.read_at(&mut buffer[..wanted], self.bytes) {
                Ok(0) => break,
                Ok(read) => self.add(&buffer[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn is_that_of(&self, signed: &Statement) -> bool {
        (self.lines, self.bytes) == (signed.lines, signed.bytes) && self.hash() == signed.hash
    }

    fn hash(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}

impl Signing {
    /// Continues the signatures of the `journal` in `folder`, whose lines end at `end`.
    pub(super) fn start(
        folder: &ResultsFolder,
        journal: &File,
        end: u64,
        signer: Arc<dyn Signer>,
    ) -> anyhow::Result<Self> {
        let path = folder.path_of(SIGNATURES_NAME);
        let named = || format!("signatures {}", path.display());
        let mut prefix = SignedPrefix::default();
        let mut done = 0;
        let mut file_end = 0;
        if let Some(mut file) = open(folder)? {
            let mut line = Vec::new();
            while read_signature(&mut file, &mut line).with_context(named)? {
                // What follows the last good signature is cut off, and counts as not signed. A good one may be of another key,
                // which is for those to judge who say whom they trust.
                let Ok(SignatureLine { signed: statement, key, signature }) = serde_json::from_slice(&line) else {
                    break;
                };
                let signature = STANDARD.decode(signature).unwrap_or_default();
                if statement.after != done || !signer.is_signed_by(&key, &statement.bytes()?, &signature) {
                    break;
                }
                prefix.read_to(journal, statement.bytes.min(end)).with_context(named)?;
                if !prefix.is_that_of(&statement) {
                    bail!(
                        "lines {} to {} of the journal in {} are not what was signed: one of them was changed, removed, added \
                         or moved; put the journal aside with `arena tournament {FRESH}`",
                        statement.after + 1,
                        statement.lines,
                        folder.path().display()
                    );
                }
                done = statement.lines;
                file_end += line.len() as u64;
            }
        }
        prefix.read_to(journal, end).with_context(named)?;
        let file = create(folder, file_end)?;
        let mut signing = Self { signer, file, prefix, signed: done };
        signing.sign(true).with_context(named)?;
        Ok(signing)
    }

    /// Notes lines that were written.
    pub(super) fn note(&mut self, lines: &[u8]) {
        self.prefix.add(lines);
    }

    /// Signs what is not signed yet.
    pub(super) fn sign(&mut self, found: bool) -> anyhow::Result<()> {
        let SignedPrefix { lines, bytes, .. } = self.prefix;
        if lines == self.signed {
            return Ok(());
        }
        let signed = Statement { after: self.signed, lines, bytes, hash: self.prefix.hash(), found };
        let signature = STANDARD.encode(self.signer.sign(&signed.bytes()?).context("signing the journal")?);
        let mut line = serde_json::to_vec(&SignatureLine { signed, key: self.signer.public(), signature })?;
        line.push(b'\n');
        self.file
            .write_all(&line)
            .and_then(|()| self.file.sync_data())
            .context("writing a signature of the journal")?;
        self.signed = lines;
        Ok(())
    }
}

/// Puts the signatures in `folder` aside with the journal that is now `old`: `games.jsonl.1` has `signatures.jsonl.1`. Without
/// a journal they are of none, and go.
pub(super) fn put_aside(folder: &ResultsFolder, old: Option<&Path>) -> anyhow::Result<()> {
    let moved = match old.and_then(Path::extension) {
        Some(number) => {
            let mut name = OsString::from(SIGNATURES_NAME);
            name.push(".");
            name.push(number);
            if_there(folder.rename(SIGNATURES_NAME, name)).map(drop)
        }
        None => folder.remove(SIGNATURES_NAME),
    };
    moved.with_context(|| format!("putting {} aside", folder.path_of(SIGNATURES_NAME).display()))
}

/// Opens the signatures in `folder`; `None` if there are none.
fn open(folder: &ResultsFolder) -> anyhow::Result<Option<BufReader<File>>> {
    let file = if_there(folder.read(SIGNATURES_NAME));
    let file = file.with_context(|| format!("reading signatures {}", folder.path_of(SIGNATURES_NAME).display()))?;
    Ok(file.map(BufReader::new))
}

/// Opens the signatures in `folder` for appending after `end`, where a torn line begins if there is one.
fn create(folder: &ResultsFolder, end: u64) -> anyhow::Result<File> {
    let opened = folder.append(SIGNATURES_NAME);
    let cut =
        opened.and_then(|file| if file.metadata()?.len() > end { file.set_len(end).map(|()| file) } else { Ok(file) });
    cut.with_context(|| format!("writing signatures {}", folder.path_of(SIGNATURES_NAME).display()))
}

/// Reads the next line with its newline. Returns whether there is one: a torn line is none.
fn read_signature(file: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    file.by_ref().take(SIGNATURE_BYTES_MAX as u64).read_until(b'\n', line)?;
    if line.len() == SIGNATURE_BYTES_MAX && !line.ends_with(b"\n") {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            format!("a line has more than {SIGNATURE_BYTES_MAX} bytes, so it is no signature"),
        ));
    }
    Ok(line.ends_with(b"\n"))
}

/// What the signatures of a journal show.
#[derive(Debug, Default, Serialize)]
pub struct Signatures {
    /// The keys that signed.
    pub keys: Vec<String>,
    /// Number of leading lines that are signed without a gap.
    pub signed: u64,
    /// The first and the last line of each group that a run found and did not record.
    pub found: Vec<[u64; 2]>,
    /// Number of lines after them.
    pub unsigned: u64,
    /// What is wrong with them.
    #[serde(skip)]
    pub problems: Vec<String>,
}

/// Checks the signatures of the journal in `folder`: `is_signed_by` says whether this key has signed these bytes with this
/// signature, or why that counts for nothing. `None` if there are no signatures.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn check_signatures<E: fmt::Display>(
    folder: &ResultsFolder,
    is_signed_by: impl Fn(&str, &[u8], &[u8]) -> Result<bool, E>,
) -> anyhow::Result<Option<Signatures>> {
    let Some(mut file) = open(folder)? else { return Ok(None) };
    let reading = || format!("reading {} and {SIGNATURES_NAME} in {}", FILE_NAME, folder.path().display());
    let journal = folder.read(FILE_NAME).with_context(reading)?;
    let mut all = Signatures::default();
    let mut prefix = SignedPrefix::default();
    let mut line = Vec::new();
    let mut number = 0;
    while read_signature(&mut file, &mut line).with_context(reading)? {
        number += 1;
        let wrong = |what: &str| format!("{SIGNATURES_NAME}:{number}: {what}");
        let Ok(SignatureLine { signed, key, signature }) = serde_json::from_slice(&line) else {
            all.problems.push(wrong("it is not a signature"));
            break;
        };
        let Statement { after, lines, bytes, found, .. } = signed;
        if after != all.signed || lines <= after || bytes < prefix.bytes {
            let begins = all.signed + 1;
            all.problems.push(wrong(&format!(
                "the next line to be signed is {begins}, and this signs lines {} to {lines}",
                after + 1
            )));
            break;
        }
        let signature = STANDARD.decode(signature).unwrap_or_default();
        match is_signed_by(&key, &signed.bytes()?, &signature) {
            Ok(true) => {}
            Ok(false) => {
                all.problems.push(wrong("it is not the signature of its key, or what it signs was changed"));
                break;
            }
            Err(why) => {
                all.problems.push(wrong(&why.to_string()));
                break;
            }
        }
        prefix.read_to(&journal, bytes).with_context(reading)?;
        if !prefix.is_that_of(&signed) {
            let first = after + 1;
            all.problems.push(format!(
                "lines {first} to {lines} are not what was signed: one of them was changed, removed, added or moved"
            ));
            break;
        }
        all.signed = lines;
        if found {
            all.found.push([after + 1, lines]);
        }
        if !all.keys.contains(&key) {
            all.keys.push(key);
        }
    }
    all.unsigned = lines_of(&journal).with_context(reading)?.saturating_sub(all.signed);
    Ok(Some(all))
}

/// Number of complete lines.
fn lines_of(journal: &File) -> std::io::Result<u64> {
    let mut whole = BufReader::with_capacity(1 << 16, journal);
    std::io::Seek::rewind(&mut whole)?;
    let (mut line, mut lines) = (Vec::new(), 0);
    loop {
        let (length, is_complete) = read_line(&mut whole, &mut line)?;
        if !is_complete {
            return Ok(lines + u64::from(!is_torn(length, &line)));
        }
        lines += 1;
    }
}
