//! Every way to a file, against everything that can be in its place.

use std::fs::{create_dir, hard_link, read_dir, read_to_string, write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use anyhow::bail;
use rustix::fs::{FileType, mknodat};

use super::*;

/// A folder with a file outside it that must stay as it is.
struct Trap {
    dir: tempfile::TempDir,
    folder: ResultsFolder,
}

impl Trap {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        create_dir(dir.path().join("results")).unwrap();
        create_dir(dir.path().join("elsewhere")).unwrap();
        write(dir.path().join("precious"), "precious").unwrap();
        let folder = ResultsFolder::open(&dir.path().join("results")).unwrap();
        Self { dir, folder }
    }

    fn inside(&self, name: &str) -> PathBuf {
        self.dir.path().join("results").join(name)
    }

    /// Puts something named `x` into the folder.
    fn plant(&self, what: &str) {
        let (x, outside) = (self.inside("x"), |name: &str| self.dir.path().join(name));
        match what {
            "a link to a file" => symlink(outside("precious"), x).unwrap(),
            "a link to a folder" => symlink(outside("elsewhere"), x).unwrap(),
            "a link to nothing" => symlink(outside("new"), x).unwrap(),
            "a link to a file beside it" => {
                write(self.inside("beside"), "").unwrap();
                symlink("beside", x).unwrap();
            }
            "a link of the system" => symlink("/proc/self/fd/0", x).unwrap(),
            "a pipe" => mknodat(CWD, &x, FileType::Fifo, FILE_MODE, 0).unwrap(),
            "a socket" => drop(UnixListener::bind(x).unwrap()),
            "a folder" => create_dir(x).unwrap(),
            "a second name" => hard_link(outside("precious"), x).unwrap(),
            _ => panic!("{what}"),
        }
    }
}

#[test]
fn nothing_but_a_file_is_opened_replaced_or_renamed() {
    type Way = fn(&ResultsFolder) -> String;
    fn said<T>(done: Result<T, impl Into<anyhow::Error>>) -> String {
        done.err().map_or_else(String::new, |error| format!("{:#}", error.into()))
    }
    let ways: [(&str, Way); 6] = [
        ("read", |folder| said(folder.read("x"))),
        ("append", |folder| said(folder.append("x"))),
        ("rewrite", |folder| said(folder.rewrite("x"))),
        ("replace", |folder| said(folder.replace("x", Durability::Flushed, |out| Ok(out.write_all(b"new")?)))),
        ("rename", |folder| said(folder.rename("x", "y"))),
        ("link", |folder| said(folder.link("x", "y"))),
    ];
    let links = ["to a file", "to a folder", "to nothing", "to a file beside it", "of the system"];
    let links = links.map(|kind| (format!("a link {kind}"), "x is a link, and links are not followed in results"));
    let others = [("a pipe", "x is a pipe"), ("a socket", "x is a socket"), ("a folder", "x is a folder")];
    let others = others.map(|(kind, says)| (kind.to_owned(), says));
    for (what, says) in links.into_iter().chain(others) {
        for (way, open) in ways {
            let trap = Trap::new();
            trap.plant(&what);
            let before = trap.folder.names().unwrap().len();
            let error = open(&trap.folder);
            assert!(error.contains(says), "{way} {what}: {error}");
            assert_eq!(read_to_string(trap.dir.path().join("precious")).unwrap(), "precious");
            assert_eq!(read_dir(trap.dir.path().join("elsewhere")).unwrap().count(), 0);
            assert!(!trap.dir.path().join("new").exists() && !trap.folder.has("y"), "{way} {what}");
            assert_eq!(trap.folder.names().unwrap().len(), before, "{way} {what}: nothing remains");
        }
    }
}

#[test]
fn a_file_with_a_second_name_is_replaced_and_not_changed_in_place() {
    let trap = Trap::new();
    trap.plant("a second name");
    for opened in [trap.folder.append("x"), trap.folder.rewrite("x")] {
        let error = opened.unwrap_err().to_string();
        assert!(error.contains("x has another name somewhere (a hard link)"), "{error}");
    }
    trap.folder.replace("x", Durability::Flushed, |out| Ok(out.write_all(b"new")?)).unwrap();
    assert_eq!(read_to_string(trap.inside("x")).unwrap(), "new");
    assert_eq!(read_to_string(trap.dir.path().join("precious")).unwrap(), "precious");
    trap.folder.append("x").unwrap();
}

#[test]
fn folders_are_real_ones() {
    for what in ["a link to a folder", "a link to a file", "a link to nothing", "a pipe", "a second name"] {
        let trap = Trap::new();
        trap.plant(what);
        for opened in [trap.folder.subfolder("x"), trap.folder.make_subfolder("x")] {
            let error = opened.unwrap_err().to_string();
            assert!(error.contains("x is a "), "{what}: {error}");
        }
        assert!(!trap.dir.path().join("new").exists());
        assert!(Place::within(trap.folder.path(), "x").create("--results").is_err());
    }
    let trap = Trap::new();
    assert!(Place::within(trap.folder.path(), "x").open_if_there().unwrap().is_none());
    assert_eq!(trap.folder.make_subfolder("x").unwrap().path(), trap.inside("x"));
    assert_eq!(Place::within(trap.folder.path(), "x").open().unwrap().path(), trap.inside("x"));
    // A path that a person names is followed.
    symlink("results", trap.dir.path().join("mine")).unwrap();
    assert!(Place::at(trap.dir.path().join("mine/x")).open().is_ok());
    assert!(Place::at(trap.dir.path().join("mine")).open().is_ok());
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let trap = Trap::new();
    for name in ["", ".", "..", "../precious", "/etc/passwd", "a/b", "a/", "a\0b"] {
        assert!(!is_plain(name), "{name:?}");
        let error = trap.folder.read(name).unwrap_err().to_string();
        assert!(error.contains("is not the name of something in "), "{error}");
        assert!(trap.folder.append(name).is_err() && trap.folder.subfolder(name).is_err(), "{name:?}");
        assert!(trap.folder.remove(name).is_err() && trap.folder.make_subfolder(name).is_err(), "{name:?}");
        assert!(trap.folder.replace(name, Durability::Flushed, |_| Ok(())).is_err(), "{name:?}");
        write(trap.inside("file"), "").unwrap();
        assert!(trap.folder.rename("file", name).is_err() && trap.folder.link("file", name).is_err(), "{name:?}");
        assert!(!trap.folder.has(name), "{name:?}");
    }
    assert!(is_plain("..a") && is_plain("-") && is_plain("é"));
}

#[test]
fn a_file_is_replaced_as_a_whole_and_nothing_else_remains() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    for (text, durability) in [("old, and longer", Durability::Flushed), ("new", Durability::Synced)] {
        replace(&path, durability, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
        assert_eq!(read_to_string(&path).unwrap(), text);
    }
    assert_eq!(read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_failure_keeps_the_old_file_and_names_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    write(&path, "old").unwrap();
    let error = replace(&path, Durability::Flushed, |out| {
        out.write_all(b"half")?;
        bail!("no more")
    })
    .unwrap_err();
    assert!(format!("{error:#}").contains("a.csv`; check that its folder exists"), "{error:#}");
    assert!(format!("{error:#}").ends_with("no more"), "{error:#}");
    assert_eq!(read_to_string(&path).unwrap(), "old");
    assert_eq!(read_dir(dir.path()).unwrap().count(), 1);
    assert!(replace(&dir.path().join("none/a.csv"), Durability::Flushed, |_| Ok(())).is_err());
    assert!(replace(Path::new("/"), Durability::Flushed, |_| Ok(())).is_err());
}

#[test]
fn what_killed_arenas_leave_behind_is_removed_and_nothing_else() {
    let trap = Trap::new();
    std::mem::forget(trap.folder.temporary().unwrap());
    for name in [".arena-1.tmp", ".arena-0123456789abcdeg.tmp", "arena-0123456789abcdef.tmp", ".x.tmp"] {
        write(trap.inside(name), "").unwrap();
    }
    assert_eq!(trap.folder.names().unwrap().len(), 5);
    trap.folder.remove_left_behind();
    assert_eq!(trap.folder.names().unwrap().len(), 4);
}

#[test]
fn streams_are_what_is_open_or_no_file_and_no_link_of_another() {
    let open = tempfile::NamedTempFile::new().unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(open.as_file());
    for stream in ["/dev/null", &format!("/dev/fd/{number}"), &format!("/proc/self/fd/{number}")] {
        assert!(is_stream(Path::new(stream)), "{stream}");
    }
    let named = |folder: &Path| {
        let link = folder.join("link");
        symlink(open.path(), &link).unwrap();
        (is_stream(&link), is_stream(open.path()), is_stream(folder), is_stream(&folder.join("absent")))
    };
    for place in [std::env::temp_dir(), PathBuf::from("/dev/shm")].into_iter().filter(|place| place.is_dir()) {
        let dir = tempfile::tempdir_in(place).unwrap();
        assert_eq!(named(dir.path()), (false, false, false, false), "{}", dir.path().display());
    }
}
