//! Observation from outside: the arena while it runs, and the files it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::faults::now;
use crate::procfs::{children, open_files, state, status_kb};

/// Maximum memory of the arena, for any bots, with the pages of its program, which are half of it in a build without optimisation.
const MEMORY_KB_MAX: u64 = 80 << 10;
/// Maximum number of open descriptors: six for each bot, of which four games have a dozen and more.
const FILES_MAX: usize = 200;
/// Maximum number of dead children not yet reaped: at the end all bots that a slot kept are asked to leave before the first
/// is waited for, so eight in each of four games.
const ZOMBIES_MAX: usize = 32;
/// Interval of observations, which cost processor time.
const PERIOD: Duration = Duration::from_millis(10);

/// Maxima observed while the arena ran.
#[derive(Debug, Default)]
pub(super) struct Watched {
    looked: Option<Instant>,
    memory_kb: u64,
    files: usize,
    zombies: usize,
}

impl Watched {
    pub(super) fn look(&mut self, arena: impl Fn() -> Option<u32>) {
        let now = now();
        if self.looked.is_some_and(|looked| now < looked + PERIOD) {
            return;
        }
        self.looked = Some(now);
        let Some(pid) = arena().filter(|pid| has_become_its_program(*pid)) else { return };
        self.memory_kb = self.memory_kb.max(status_kb(pid, "VmHWM").unwrap_or(0));
        self.files = self.files.max(open_files(pid));
        self.zombies = self.zombies.max(children(pid).into_iter().filter(|child| state(*child) == Some('Z')).count());
    }

    #[track_caller]
    pub(super) fn assert_bounded(&self, what: &str) {
        assert!(self.memory_kb > 0, "{what}: the arena was never seen");
        let bounded = self.memory_kb <= MEMORY_KB_MAX && self.files <= FILES_MAX && self.zombies <= ZOMBIES_MAX;
        assert!(bounded, "{what}: the arena held {self:?}");
    }
}

/// Whether a child that this thread has spawned runs its program. The kernel lets `spawn` return a moment before the child has
/// memory of its own: until then its figures are those of this process, and its name that of this thread.
fn has_become_its_program(pid: u32) -> bool {
    let name = |process: &str| fs::read(format!("/proc/{process}/comm")).ok();
    name(&pid.to_string()).is_some_and(|found| Some(found) != name("thread-self"))
}

/// Files that are larger are not read.
const READ_BYTES_MAX: u64 = 16 << 20;

/// All files below a folder by path; links, special and large files by their kind. Empty if there is no folder.
pub(crate) fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let text = if kind.is_dir() {
                folders.push(path.clone());
                continue;
            } else if kind.is_file() && entry.metadata().expect("a file").len() < READ_BYTES_MAX {
                fs::read(&path).expect("a file")
            } else {
                format!("{kind:?}").into_bytes()
            };
            found.insert(path.to_string_lossy().into_owned(), text);
        }
    }
    found
}

/// Asserts that text is safe for a terminal or an editor: nothing in it moves the cursor, hides or reverses text.
#[track_caller]
pub(super) fn assert_harmless(what: &str, text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    for line in text.split('\n') {
        assert_eq!(arena::text::escaped(line), line, "{what}: not harmless to show");
    }
}
