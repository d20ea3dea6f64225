//! The page of all tournaments, after one of them was changed.

use std::path::Path;

use arena_run::session::{SeriesFile, index_entries, write_index};
use arena_sys::results_folder::ResultsFolder;

use crate::cli::Io;

/// Writes the page of all tournaments of a folder anew, after one of them was changed. What keeps it from that is a warning, and
/// a page of someone else stays without one. The folder of a series has none.
pub(crate) fn renew_index(results: &Path, io: &Io) {
    // What was changed may be elsewhere.
    if ResultsFolder::open(results).map_or(true, |folder| SeriesFile::is_in(&folder)) {
        return;
    }
    let entries = index_entries(results, true, &mut |_, _| ());
    if let Err(error) = entries.and_then(|entries| write_index(results, entries)) {
        io.warn(&format!("the page of all tournaments is not up to date: {error:#}"));
    }
}
