//! `arena check --build`: builds bots before they are checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use arena_play::check::{BuildError, build};
use arena_play::roster::FoundBot;
use arena_run::session::{Runtime, Scratch};

use super::in_parallel;
use crate::cli::Io;
use crate::cli::args::shared::RESULTS_DEFAULT;

/// Builds the bots whose manifests say how, several at a time. Returns why some were not built, by the path of the bot: a build may
/// change its name. `None` after a signal.
pub(super) fn build_all(
    bots: &[FoundBot],
    bots_folder: &Path,
    concurrency: usize,
    io: &Io,
) -> anyhow::Result<Option<BTreeMap<PathBuf, BuildError>>> {
    let hidden = [bots_folder, Path::new(RESULTS_DEFAULT)].map(Path::to_path_buf);
    let hidden: Vec<PathBuf> = hidden.into_iter().chain(bots.iter().flat_map(|found| found.own.clone())).collect();
    let bots: Vec<&FoundBot> = bots.iter().filter(|found| found.launch.build.is_some()).collect();
    let scratch = Scratch::create()?;
    let failed = Mutex::new(BTreeMap::new());
    let stop = AtomicBool::new(false);
    let work = || {
        in_parallel(concurrency, bots.len(), &|index| {
            let found = bots[index];
            let name = &found.launch.name;
            // Builds are killed after a signal, and then no other is started.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match build(found, &scratch.launch(found), &hidden) {
                Ok(()) => io.tell(&format!("{name}: built")),
                Err(error) => {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).insert(found.path.clone(), error);
                }
            }
        });
    };
    let built = Runtime::start()?.unless_stopped(&stop, work, || {})?;
    Ok(built.map(|()| failed.into_inner().unwrap_or_else(PoisonError::into_inner)))
}
