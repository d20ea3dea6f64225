//! Packages that were made to do harm.

use tar::{Builder, EntryType, Header};

use super::super::package::hash_of;
use super::*;

/// An entry as it stands in an archive: kind, path, target of a link, content.
type Raw<'a> = (EntryType, &'a str, &'a str, &'a str);

const INDEX: Raw<'_> = (EntryType::Regular, "package.json", "", "{\"version\":1,\"bot\":\"bots/x\",\"bots\":null}");
const FILES: Raw<'_> = (EntryType::Directory, "files", "", "");
const BOTS: Raw<'_> = (EntryType::Directory, "files/bots", "", "");

/// An archive with paths that the library would not write.
fn archive(entries: &[Raw<'_>]) -> Vec<u8> {
    let mut archive = Builder::new(Vec::new());
    for (kind, path, target, content) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_mode(0o4777);
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append(&header, content.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

/// Everything below a folder, with the contents of files.
fn listing(dir: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut all = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path.clone());
            }
            all.push((path.clone(), fs::read(path).ok()));
        }
    }
    all.sort();
    all
}

#[test]
fn no_package_reaches_beyond_its_folder() {
    use EntryType::{Block, Char, Continuous, Directory, Fifo, GNUSparse, Link, Regular, Symlink};
    let place = Place::new();
    place.file("victim", "untouched");
    let victim = place.path("victim");
    let victim = victim.to_str().unwrap();
    let link = |target| (Symlink, "files/bots/l", target, "");
    let cases: &[(&str, &[Raw<'_>])] = &[
        ("leads out of the package", &[(Regular, "../victim", "", "x")]),
        ("leads out of the package", &[(Regular, "files/../../victim", "", "x")]),
        ("leads out of the package", &[(Regular, victim, "", "x")]),
        ("leads out of the package", &[(Directory, "files/bots/..", "", "")]),
        ("no part of a bot", &[(Regular, "other", "", "x")]),
        ("there is no folder for it", &[(Regular, "files/none/x", "", "x")]),
        ("not installed", &[link(victim)]),
        ("not installed", &[link("/nowhere")]),
        ("not installed", &[link("/etc/passwd")]),
        ("outside of the bot's files", &[link("../../victim")]),
        ("outside of the bot's files", &[link("../..")]),
        ("in the middle", &[link("x/../../../../victim")]),
        ("there is no folder for it", &[link(".."), (Regular, "files/bots/l/victim", "", "x")]),
        ("File exists", &[link("x"), (Regular, "files/bots/l", "", "x")]),
        ("File exists", &[link("."), (Directory, "files/bots/l", "", "")]),
        ("File exists", &[(Regular, "files/bots/x", "", "1"), (Regular, "files/bots/x", "", "2")]),
        ("neither a file nor a folder", &[(Link, "files/bots/x", victim, "")]),
        ("neither a file nor a folder", &[(Char, "files/bots/x", "", "")]),
        ("neither a file nor a folder", &[(Block, "files/bots/x", "", "")]),
        ("neither a file nor a folder", &[(Fifo, "files/bots/x", "", "")]),
        ("neither a file nor a folder", &[(Continuous, "files/bots/x", "", "")]),
        ("", &[(GNUSparse, "files/bots/x", "", "")]),
        ("", &[(EntryType::new(b'Z'), "files/bots/x", "", "")]),
    ];
    let before = listing(place.0.path());
    for (told, entries) in cases {
        let bytes = archive(&[&[INDEX, FILES, BOTS], *entries].concat());
        let hash = hash_of(&bytes);
        let refused = format!("{:#}", place.store().put(&hash, &bytes).expect_err(entries[0].1));
        assert!(refused.contains(told) && refused.contains("unpacking package"), "{entries:?}: {refused}");
        assert!(!place.store().has(&hash));
        fs::remove_dir(place.path("store")).expect("nothing is left in it");
        assert_eq!(listing(place.0.path()), before, "{entries:?}");
    }
    // A check of this test: without the last entry they are packages, and no bit but one of the mode counts.
    let bytes = archive(&[INDEX, FILES, BOTS, (Regular, "files/bots/x", "", "#!/bin/sh\n")]);
    let package = Package { hash: hash_of(&bytes), bytes };
    let received = place.received(&package);
    assert_eq!(fs::metadata(received.path).unwrap().permissions().mode() & 0o7777, 0o555);
}

#[test]
fn what_is_no_package_is_refused() {
    let place = Place::new();
    let whole = archive(&[INDEX, FILES, BOTS, (EntryType::Regular, "files/bots/x", "", "#!/bin/sh\n")]);
    for bytes in [b"hello".repeat(200), vec![1; 512], whole[..whole.len() - 1024 - 512].to_vec(), whole[..700].to_vec()]
    {
        assert!(place.store().put(&hash_of(&bytes), &bytes).is_err());
    }
    for (index, told) in [
        ("{\"version\":2,\"bot\":\"bots/x\",\"bots\":null}", "use one version of arena"),
        ("{\"version\":1,\"bot\":\"../../../victim\",\"bots\":null}", "names a path outside"),
        ("{\"version\":1,\"bot\":\"bots/x\",\"bots\":\"/\"}", "names a path outside"),
        ("{}", "its index cannot be read"),
        ("{\"version\":1,\"bot\":\"none\",\"bots\":null}", "there is no such file or folder"),
    ] {
        let bytes = archive(&[(EntryType::Regular, "package.json", "", index), FILES]);
        let hash = hash_of(&bytes);
        place.store().put(&hash, &bytes).unwrap();
        let refused = format!("{:#}", place.store().load(&hash, "x", &place.settings()).unwrap_err());
        assert!(refused.contains(told), "{refused}");
    }
    for hash in ["", "..", "../x", &"g".repeat(64), &"A".repeat(64), &"0".repeat(63)] {
        assert!(!place.store().has(hash));
        let refused = place.store().put(hash, &whole).unwrap_err().to_string();
        assert!(refused.contains("is not the hash of a package"), "{refused}");
    }
    let missing = format!("{:#}", place.store().load(&"0".repeat(64), "x", &place.settings()).unwrap_err());
    assert!(missing.contains("it is not here"), "{missing}");
}
