//! Journals that are signed while they are written, and what happens to them later.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::fixture;
use arena_core::record::{GameResult, Record, Status};
use arena_store::journal::{
    FILE_NAME, Journal, SIGNATURES_NAME, Signatures, check_signatures, decode_game, encode_game,
};
use arena_sys::results_folder::ResultsFolder;

use crate::cluster::{PublicKey, PublicKeyError, SecretKey};

fn folder(dir: &Path) -> ResultsFolder {
    ResultsFolder::open(dir).unwrap()
}

fn key(dir: &Path, name: &str) -> Arc<SecretKey> {
    Arc::new(SecretKey::read_or_create(&dir.join(name)).unwrap())
}

/// A journal of a definition and four games, signed after the definition and after every second game.
fn signed(dir: &Path, key: &Arc<SecretKey>) -> Vec<Record> {
    let event = fixture::event(&["a", "b"]);
    let records: Vec<Record> = fixture::draws(&event, 2).into_iter().take(4).collect();
    assert_eq!(records.len(), 4);
    let (mut journal, _) = Journal::open(&folder(dir)).unwrap();
    journal.sign_with(Arc::clone(key) as _).unwrap();
    journal.append_event(&event).unwrap();
    journal.sync().unwrap();
    for (number, record) in records.iter().enumerate() {
        journal.append_game(record).unwrap();
        if number % 2 == 1 {
            journal.sync().unwrap();
        }
    }
    // Nothing new to sign.
    journal.sync().unwrap();
    records
}

fn checked(dir: &Path, trusted: &PublicKey) -> Signatures {
    let is_signed_by = |key: &str, bytes: &[u8], signature: &[u8]| {
        let key: PublicKey = key.parse().map_err(|error: PublicKeyError| error.to_string())?;
        if key == *trusted { Ok(key.has_signed(bytes, signature)) } else { Err("not trusted".to_owned()) }
    };
    check_signatures(&folder(dir), is_signed_by).unwrap().expect("it has signatures")
}

/// Changes the lines of a file in `dir`.
fn edit(dir: &Path, name: &str, change: impl FnOnce(&mut Vec<String>)) {
    let path = dir.join(name);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    change(&mut lines);
    fs::write(path, lines.concat()).unwrap();
}

/// The line of a game as a forger writes it: its sum is right.
fn forged(record: &Record) -> String {
    let statuses = [Status::Ok, Status::Resigned];
    let record = Record { statuses, result: GameResult::FirstWins, reason: "resigned".to_owned(), ..record.clone() };
    encode_game(&record) + "\n"
}

#[test]
fn a_signed_journal_is_signed_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let key = key(dir.path(), "key");
    signed(dir.path(), &key);
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 5, 0));
    assert_eq!((found.keys, found.found.as_slice()), (vec![key.public().to_string()], &[][..]));
    assert_eq!(fs::read_to_string(dir.path().join(SIGNATURES_NAME)).unwrap().lines().count(), 3);
}

#[test]
fn whatever_is_changed_in_what_is_signed_is_found() {
    type Change = fn(&mut Vec<String>);
    let changes: [(&str, Change, u64); 7] = [
        ("edited", |lines| lines[2] = forged(&decode_game(&lines[2]).unwrap()), 1),
        ("edited at the end", |lines| lines[4] = forged(&decode_game(&lines[4]).unwrap()), 3),
        ("removed", |lines| drop(lines.remove(1)), 1),
        ("removed at the end", |lines| drop(lines.pop()), 3),
        ("moved", |lines| lines.swap(1, 2), 1),
        ("added", |lines| lines.insert(3, lines[2].clone()), 3),
        ("another definition", |lines| lines[0] = lines[0].replacen("\"seed\":\"", "\"seed\":\"1", 1), 0),
    ];
    for (what, change, sound) in changes {
        let dir = tempfile::tempdir().unwrap();
        let key = key(dir.path(), "key");
        signed(dir.path(), &key);
        edit(dir.path(), FILE_NAME, change);
        let found = checked(dir.path(), &key.public());
        assert_eq!((found.problems.len(), found.signed), (1, sound), "{what}: {found:?}");
        assert!(found.problems[0].contains("not what was signed"), "{what}: {found:?}");
        // Nor is it continued, as if it were what was signed.
        if what != "another definition" {
            let (mut journal, _) = Journal::open(&folder(dir.path())).unwrap();
            let error = journal.sign_with(key as _).unwrap_err().to_string();
            assert!(error.contains("not what was signed"), "{what}: {error}");
        }
    }
}

#[test]
fn a_game_after_the_last_signature_is_named_and_never_becomes_the_holders() {
    let dir = tempfile::tempdir().unwrap();
    let key = key(dir.path(), "key");
    let records = signed(dir.path(), &key);
    edit(dir.path(), FILE_NAME, |lines| lines.push(forged(&Record { id: "7".repeat(16), ..records[0].clone() })));
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 5, 1));

    // The run goes on: what it found is not what it recorded, and no signature can be taken out to hide that.
    let (mut journal, _) = Journal::open(&folder(dir.path())).unwrap();
    journal.sign_with(Arc::clone(&key) as _).unwrap();
    journal.append_game(&Record { id: "8".repeat(16), ..records[0].clone() }).unwrap();
    journal.sync().unwrap();
    drop(journal);
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 7, 0));
    assert_eq!(found.found, [[6, 6]]);
    for number in 0..4 {
        let text = fs::read(dir.path().join(SIGNATURES_NAME)).unwrap();
        edit(dir.path(), SIGNATURES_NAME, |lines| drop(lines.remove(number)));
        let found = checked(dir.path(), &key.public());
        assert!(found.problems.len() == 1 && found.signed < 6, "{number}: {found:?}");
        fs::write(dir.path().join(SIGNATURES_NAME), text).unwrap();
    }
}

#[test]
fn another_key_and_changed_statements_count_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [key, other] = ["key", "other"].map(|name| key(dir.path(), name));
    signed(dir.path(), &key);
    let found = checked(dir.path(), &other.public());
    assert_eq!((found.problems.len(), found.signed, found.unsigned), (1, 0, 5), "{found:?}");
    assert!(found.problems[0].ends_with("not trusted"), "{found:?}");
    for (from, to) in [
        ("\"lines\":3", "\"lines\":4"),
        (&*key.public().to_string(), &*other.public().to_string()),
        ("\"after\":1", "\"after\":0"),
        ("\"signature\":\"", "\"signature\":\"AA"),
        ("{", "["),
    ] {
        let text = fs::read(dir.path().join(SIGNATURES_NAME)).unwrap();
        edit(dir.path(), SIGNATURES_NAME, |lines| lines[1] = lines[1].replacen(from, to, 1));
        for trusted in [&key, &other] {
            let found = checked(dir.path(), &trusted.public());
            assert!(found.problems.len() == 1 && found.signed <= 1, "{from}: {found:?}");
        }
        fs::write(dir.path().join(SIGNATURES_NAME), text).unwrap();
    }
}

#[test]
fn a_killed_run_loses_its_last_signature_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let key = key(dir.path(), "key");
    signed(dir.path(), &key);
    // The last line of both files is torn.
    for name in [FILE_NAME, SIGNATURES_NAME] {
        edit(dir.path(), name, |lines| {
            let last = lines.last_mut().unwrap();
            last.truncate(last.len() / 2);
        });
    }
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 3, 1));
    let (mut journal, contents) = Journal::open(&folder(dir.path())).unwrap();
    assert!(contents.torn_bytes > 0);
    journal.sign_with(Arc::clone(&key) as _).unwrap();
    journal.sync().unwrap();
    drop(journal);
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 4, 0));
    assert_eq!(found.found, [[4, 4]]);
}

#[test]
fn signatures_are_put_aside_with_their_journal() {
    let dir = tempfile::tempdir().unwrap();
    let key = key(dir.path(), "key");
    signed(dir.path(), &key);
    let lock = arena_store::journal::Lock::take(&folder(dir.path())).unwrap();
    let (mut journal, old) = Journal::open_afresh(&folder(dir.path()), lock).unwrap();
    assert!(old.unwrap().ends_with("games.jsonl.1"));
    assert!(dir.path().join("signatures.jsonl.1").exists() && !dir.path().join(SIGNATURES_NAME).exists());
    journal.sign_with(Arc::clone(&key) as _).unwrap();
    journal.append_event(&fixture::event(&["a", "b"])).unwrap();
    journal.sync().unwrap();
    let found = checked(dir.path(), &key.public());
    assert_eq!((found.problems.as_slice(), found.signed, found.unsigned), (&[][..], 1, 0));
}
