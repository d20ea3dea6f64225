//! `index.html`, the page of all tournaments of a folder of results.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use arena_store::report::{COMBINED_FILE, INDEX_FILE, IndexEntry, REPORT_FILE, index_html};
use arena_sys::flags::RESULTS;
use arena_sys::results_folder::{Durability, Place, ResultsFolder, if_there};

use super::{Listed, is_of_play, listed};

/// Most bytes of a `tournament.json` that is read; that of 1,000 bots and 10,000 openings has fewer.
const BYTES_MAX: u64 = 8 << 20;
/// How a page of ours begins, after its document type.
const OURS: &str = "<meta name=\"generator\" content=\"arena\">";

/// What the page says of each tournament in the folder `results`; see [`listed`].
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn index_entries(
    results: &Path,
    is_own: bool,
    passed_over: &mut dyn FnMut(&Path, anyhow::Error),
) -> anyhow::Result<Vec<IndexEntry>> {
    let mut entries = Vec::new();
    for Listed { place, games } in listed(results, is_own, passed_over)? {
        let is_series = games.is_some();
        let mut parts = Vec::new();
        for place in games.unwrap_or_else(|| vec![place.clone()]) {
            match entry(results, &place) {
                Ok(entry) => parts.push(entry),
                Err(_) if is_of_play(&place.path()) => {}
                Err(error) => passed_over(&place.path(), error),
            }
        }
        if !is_series || parts.is_empty() {
            entries.append(&mut parts);
            continue;
        }
        match series(results, &place, parts) {
            Ok(entry) => entries.push(entry),
            Err(error) => passed_over(&place.path(), error),
        }
    }
    Ok(entries)
}

/// Writes the page of these tournaments. Returns whether it did: a page that is not of the arena is not overwritten.
///
/// # Errors
///
/// Returns an error if it cannot be written.
pub fn write_index(results: &Path, entries: Vec<IndexEntry>) -> anyhow::Result<bool> {
    let folder = Place::at(results).create(RESULTS)?;
    if folder.has(INDEX_FILE) && !is_ours(&folder) {
        return Ok(false);
    }
    let page = index_html(entries);
    folder.replace(INDEX_FILE, Durability::Flushed, |out| Ok(out.write_all(page.as_bytes())?))?;
    Ok(true)
}

/// The file with what a tournament is and how it stands.
const DEFINITION: &str = "tournament.json";

/// The `tournament.json` of a results folder, which may be a stranger's: at most 8 MiB of it.
///
/// # Errors
///
/// Returns an error if it cannot be read, with the command that writes it.
pub fn tournament_json(folder: &ResultsFolder) -> anyhow::Result<Vec<u8>> {
    let mut json = Vec::new();
    let read = folder.read(DEFINITION).with_context(|| format!("`arena standings` writes its {DEFINITION}"))?;
    read.take(BYTES_MAX).read_to_end(&mut json)?;
    Ok(json)
}

fn entry(results: &Path, place: &Place) -> anyhow::Result<IndexEntry> {
    let folder = place.open()?;
    let json = tournament_json(&folder)?;
    let name = name(results, place)?;
    IndexEntry::read(&name, folder.has(REPORT_FILE), &json).with_context(|| format!("reading its {DEFINITION}"))
}

fn series(results: &Path, place: &Place, parts: Vec<IndexEntry>) -> anyhow::Result<IndexEntry> {
    let folder = place.open()?;
    let table = if_there(folder.read(COMBINED_FILE))?.map(|file| file.take(BYTES_MAX));
    let entry = IndexEntry::series(&name(results, place)?, folder.has(REPORT_FILE), table, parts);
    entry.with_context(|| format!("reading its {COMBINED_FILE}"))
}

/// Its path from the page's.
fn name(results: &Path, place: &Place) -> anyhow::Result<String> {
    let path = place.path();
    Ok(path.strip_prefix(results).unwrap_or(&path).to_str().context("its path is not UTF-8")?.to_owned())
}

/// Whether the page that is there was written here.
fn is_ours(folder: &ResultsFolder) -> bool {
    let mut start = Vec::new();
    let read = folder.read(INDEX_FILE).and_then(|file| file.take(1 << 10).read_to_end(&mut start));
    read.is_ok() && String::from_utf8_lossy(&start).contains(OURS)
}
