//! What is looked at from outside: the arena while it runs, and the files that are there afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::faults::now;

/// The most that the arena may ever hold, whatever bots write.
const MEMORY_KB_MAX: u64 = 64 << 10;
/// The most descriptors it may have open: five for each bot, of which four games have a dozen and more.
const FILES_MAX: usize = 200;
/// The most dead children that it has not reaped at one time.
const ZOMBIES_MAX: usize = 8;
/// Time between two looks, which cost the machine something.
const PERIOD: Duration = Duration::from_millis(10);

/// The most that was seen of the arena while it ran.
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
        let Some(pid) = arena() else { return };
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |line: &str| line.split_ascii_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
        let high = status.lines().find(|line| line.starts_with("VmHWM:")).and_then(field).unwrap_or(0);
        self.memory_kb = self.memory_kb.max(high);
        self.files = self.files.max(fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count));
        self.zombies = self.zombies.max(children(pid).into_iter().filter(|child| is_zombie(*child)).count());
    }

    #[track_caller]
    pub(super) fn assert_bounded(&self, what: &str) {
        assert!(self.memory_kb > 0, "{what}: the arena was never seen");
        let bounded = self.memory_kb <= MEMORY_KB_MAX && self.files <= FILES_MAX && self.zombies <= ZOMBIES_MAX;
        assert!(bounded, "{what}: the arena held {self:?}");
    }
}

/// Children of a process, dead ones included.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok()).collect::<Vec<_>>();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(|word| word.parse().ok()).collect()
}

fn is_zombie(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// Files that are larger are not read.
const READ_BYTES_MAX: u64 = 16 << 20;

/// All files below a folder by their path, links, special and large files by what they are. Nothing if there is no
/// folder.
pub(super) fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
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

/// Text for a terminal or an editor: nothing in it moves a cursor, hides, or turns the direction of writing.
#[track_caller]
pub(super) fn assert_harmless(what: &str, text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    for line in text.split('\n') {
        assert_eq!(arena::text::escaped(line), line, "{what}: not harmless to show");
    }
}
