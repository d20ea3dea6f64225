//! `arena open`: writes the page of all tournaments, and says where it or a report is.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::{Exit, ResultsArgs, print, warn};
use crate::flags::RESULTS;
use crate::report::{INDEX_FILE, IndexEntry, REPORT_FILE, index_html};
use crate::results_folder::{Durability, Place, ResultsFolder};

/// Most bytes of a `tournament.json` that is read; that of 1,000 bots and 10,000 openings has fewer.
const BYTES_MAX: u64 = 8 << 20;
/// How a page of ours begins, after its document type.
const OURS: &str = "<meta name=\"generator\" content=\"arena\">";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name or folder of a tournament, whose report it is [default: the page of all tournaments]
    #[arg(value_name = "TOURNAMENT")]
    what: Option<String>,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let page = match &args.what {
        Some(name) => {
            let place = args.results.tournament(Some(name))?;
            if !place.open().is_ok_and(|folder| folder.has(REPORT_FILE)) {
                bail!("{} has no report yet; `arena standings {name}` writes it", place.path().display());
            }
            place.path().join(REPORT_FILE)
        }
        None => write_index(&args.results)?,
    };
    print(&format!("{}\n", page.display()))?;
    Ok(Exit::Done)
}

/// Writes the page of all tournaments of a folder, and returns its path.
fn write_index(results: &ResultsArgs) -> anyhow::Result<PathBuf> {
    let places = results.tournaments(None)?;
    let entries = places.iter().filter_map(|place| match entry(results, place) {
        Ok(entry) => Some(entry),
        Err(error) => {
            warn(&format!("{} is passed over: {error:#}", place.path().display()));
            None
        }
    });
    let page = index_html(entries.collect());
    let folder = Place::at(&results.results).create(RESULTS)?;
    if folder.has(INDEX_FILE) && !is_ours(&folder) {
        bail!("{} is not of the arena, so it is not overwritten: move it away", folder.path_of(INDEX_FILE).display());
    }
    folder.replace(INDEX_FILE, Durability::Flushed, |out| Ok(out.write_all(page.as_bytes())?))?;
    Ok(folder.path_of(INDEX_FILE))
}

fn entry(results: &ResultsArgs, place: &Place) -> anyhow::Result<IndexEntry> {
    const DEFINITION: &str = "tournament.json";
    let folder = place.open()?;
    let mut json = Vec::new();
    let read = folder.read(DEFINITION).with_context(|| format!("`arena standings` writes its {DEFINITION}"))?;
    read.take(BYTES_MAX).read_to_end(&mut json)?;
    let path = place.path();
    let path = path.strip_prefix(&results.results).unwrap_or(&path);
    let name = path.to_str().context("its path is not UTF-8")?;
    IndexEntry::read(name, folder.has(REPORT_FILE), &json).with_context(|| format!("reading its {DEFINITION}"))
}

/// Whether the page that is there was written here.
fn is_ours(folder: &ResultsFolder) -> bool {
    let mut start = Vec::new();
    let read = folder.read(INDEX_FILE).and_then(|file| file.take(1 << 10).read_to_end(&mut start));
    read.is_ok() && String::from_utf8_lossy(&start).contains(OURS)
}
