//! Marks of a journal: which of its lines this user's arena has written on this machine.
//!
//! The file `own-lines.txt` beside the journal has a mark of each line, under a key that is nowhere in the folder
//! ([`OwnKey`]). Only reruns have one: what was played elsewhere proves nothing about the games that are played again, and a
//! journal that someone else has put there says what its maker likes.
//!
//! A mark is written before its line, and synced before it. So a run that is killed leaves no line without a mark; a mark
//! without a line says nothing.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Write};

use anyhow::Context;
use arena_sys::machine::OwnKey;
use arena_sys::results_folder::{ResultsFolder, if_there};

use super::FILE_NAME;
use super::line::read_line;

/// Name of the file of marks in a tournament's folder.
pub const OWN_LINES_NAME: &str = "own-lines.txt";
/// A mark and a line feed.
const ENTRY: usize = OwnKey::MARK + 1;

/// Marks a journal while it is written.
#[derive(Debug)]
pub(super) struct Marking {
    key: OwnKey,
    file: File,
    folder: ResultsFolder,
}

impl Marking {
    /// Continues the marks in `folder`; one that was torn is cut off.
    pub(super) fn start(folder: &ResultsFolder, key: OwnKey) -> anyhow::Result<Self> {
        let opened = folder.append(OWN_LINES_NAME).and_then(|file| {
            let bytes = file.metadata()?.len();
            file.set_len(bytes - bytes % ENTRY as u64)?;
            Ok(file)
        });
        let file = opened.with_context(|| failed(folder))?;
        Ok(Self { key, file, folder: folder.clone() })
    }

    /// Marks lines that are about to be written.
    pub(super) fn note(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        let lines = lines.split_inclusive(|byte| *byte == b'\n');
        let marks: String = lines.map(|line| self.key.mark(text_of(line)) + "\n").collect();
        self.file.write_all(marks.as_bytes()).with_context(|| failed(&self.folder))
    }

    pub(super) fn sync(&self) -> anyhow::Result<()> {
        self.file.sync_data().with_context(|| failed(&self.folder))
    }
}

fn failed(folder: &ResultsFolder) -> String {
    format!("writing {}; finished games are saved", folder.path_of(OWN_LINES_NAME).display())
}

/// A line without its end, which may be CR LF.
fn text_of(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

/// Removes the marks of a journal that starts over.
pub(super) fn remove(folder: &ResultsFolder) -> anyhow::Result<()> {
    let removed = folder.remove(OWN_LINES_NAME);
    removed.with_context(|| format!("removing {}", folder.path_of(OWN_LINES_NAME).display()))
}

/// Number of lines of the journal in `folder` that the holder of this key has not written; 0 without a journal.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn strange_lines(folder: &ResultsFolder, key: &OwnKey) -> anyhow::Result<usize> {
    let reading = |name| move || format!("reading {}", folder.path_of(name).display());
    let open = |name| if_there(folder.read(name)).with_context(reading(name));
    let Some(journal) = open(FILE_NAME)? else { return Ok(0) };
    let mut journal = BufReader::with_capacity(1 << 16, journal);
    let mut strange = HashSet::new();
    let mut line = Vec::new();
    while read_line(&mut journal, &mut line).with_context(reading(FILE_NAME))?.0 > 0 {
        strange.insert(key.mark(text_of(&line)));
    }
    if let Some(marks) = open(OWN_LINES_NAME)? {
        let mut marks = BufReader::with_capacity(1 << 16, marks);
        let mut entry = [0; ENTRY];
        while !strange.is_empty() && marks.read_exact(&mut entry).is_ok() {
            if let Ok(mark) = std::str::from_utf8(&entry[..OwnKey::MARK]) {
                strange.remove(mark);
            }
        }
    }
    Ok(strange.len())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixture;
    use crate::journal::Journal;

    /// A journal in a folder, of which `key` has written all five lines.
    fn written(key: &OwnKey) -> (tempfile::TempDir, ResultsFolder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let event = fixture::event(&["a", "b"]);
        let (mut journal, _) = Journal::open(&folder).unwrap();
        journal.mark_with(key.clone()).unwrap();
        journal.append_event(&event).unwrap();
        for record in fixture::draws(&event, 1) {
            journal.append_game(&record).unwrap();
        }
        journal.sync().unwrap();
        (dir, folder)
    }

    fn key() -> OwnKey {
        OwnKey::within(tempfile::tempdir().unwrap().path()).unwrap()
    }

    #[test]
    fn a_line_that_was_changed_added_or_written_under_another_key_is_strange() {
        let ours = key();
        let (dir, folder) = written(&ours);
        let strange = |key: &OwnKey| strange_lines(&folder, key).unwrap();
        assert_eq!((strange(&ours), strange(&key())), (0, 5));
        let path = dir.path().join(FILE_NAME);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (edited, expected) in [
            (text.replacen("1/2-1/2", "1-0", 1), 1),
            (format!("{text}{{}}\n"), 1),
            (text.replace('\n', "\r\n"), 0),
            (lines[..2].join("\n"), 0),
            (String::new(), 0),
        ] {
            assert!(edited != text);
            fs::write(&path, &edited).unwrap();
            assert_eq!(strange(&ours), expected, "{edited}");
        }
        fs::write(&path, &text).unwrap();
        // Every damage of the marks loses some, and makes none.
        let marks = fs::read(dir.path().join(OWN_LINES_NAME)).unwrap();
        for cut in 0..marks.len() {
            fs::write(dir.path().join(OWN_LINES_NAME), &marks[..cut]).unwrap();
            assert_eq!(strange(&ours), 5 - cut / ENTRY);
        }
        fs::remove_file(dir.path().join(OWN_LINES_NAME)).unwrap();
        assert_eq!(strange(&ours), 5);
    }

    #[test]
    fn marks_go_on_after_a_torn_one_and_go_with_the_journal() {
        let ours = key();
        let (dir, folder) = written(&ours);
        let path = dir.path().join(OWN_LINES_NAME);
        let marks = fs::read(&path).unwrap();
        fs::write(&path, [&marks[..], b"torn"].concat()).unwrap();
        let (mut journal, contents) = Journal::open(&folder).unwrap();
        journal.mark_with(ours.clone()).unwrap();
        journal.append_event(contents.event.as_ref().unwrap()).unwrap();
        assert_eq!(strange_lines(&folder, &ours).unwrap(), 0);
        // What is appended without marks is not ours.
        drop(journal);
        let (mut journal, _) = Journal::open(&folder).unwrap();
        let other = fixture::event(&["a", "c"]);
        journal.append_event(&other).unwrap();
        drop(journal);
        assert_eq!(strange_lines(&folder, &ours).unwrap(), 1);
        let (_, old) = Journal::open_afresh(&folder, crate::journal::Lock::take(&folder).unwrap()).unwrap();
        assert!(old.is_some() && !path.exists());
        assert_eq!(strange_lines(&folder, &ours).unwrap(), 0);
    }
}
