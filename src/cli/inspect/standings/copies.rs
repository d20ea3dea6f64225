//! Rejects an input file given twice.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Returns the files without those identical to an earlier one, and a warning for each of these. Pipes are not compared,
/// because they can be read only once.
pub(super) fn without_copies(files: &[PathBuf]) -> anyhow::Result<(Vec<&Path>, Vec<String>)> {
    let size = |path: &Path| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for size in files.iter().filter_map(|path| size(path)) {
        *counts.entry(size).or_default() += 1;
    }
    let (mut kept, mut warnings) = (Vec::new(), Vec::new());
    let mut known: HashMap<blake3::Hash, &Path> = HashMap::new();
    for path in files.iter().map(PathBuf::as_path) {
        // Only files of the same size can be identical.
        if size(path).and_then(|size| counts.get(&size)).is_some_and(|count| *count > 1) {
            let content = content(path).with_context(|| format!("reading games {}", path.display()))?;
            if let Some(before) = known.get(&content) {
                warnings.push(warning(path, before));
                continue;
            }
            known.insert(content, path);
        }
        kept.push(path);
    }
    Ok((kept, warnings))
}

/// A hash of a file.
fn content(path: &Path) -> std::io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize())
}

fn warning(path: &Path, before: &Path) -> String {
    let (path, before) = (path.display(), before.display());
    format!(
        "{path} is identical to {before}; its games count once. If they are different games with the same results, put them \
         in one file"
    )
}
