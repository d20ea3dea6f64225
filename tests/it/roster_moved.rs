//! A fingerprint says what a bot is, not where it lies.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use arena::roster::{Roster, RosterSettings};

use crate::support::{Dir, guard};

/// Every bot of a folder, with its fingerprint.
#[track_caller]
fn fingerprints(bots: &Path) -> Vec<(String, String)> {
    let settings = RosterSettings { guard: guard(), ..RosterSettings::default() };
    let roster = Roster::find(bots, &[], &settings).expect("a roster");
    assert!(roster.broken.is_empty(), "{:?}", roster.broken);
    roster.bots.into_iter().map(|bot| (bot.launch.name, bot.fingerprint)).collect()
}

/// Journals refer to bots by these: if one changes, its games are played again, everywhere.
#[test]
fn fingerprints_are_those_of_earlier_versions() {
    let dir = Dir::new();
    dir.script("bots/plain", "exit");
    dir.file("bots/alone.sh", "exit");
    dir.file("bots/lib/a.py", "1");
    dir.file("bots/lib/deep/b.py", "2");
    symlink("a.py", dir.path("bots/lib/link")).expect("a link");
    symlink("/nowhere/installed", dir.path("bots/lib/absolute")).expect("a link");
    dir.file("book.bin", "e4");
    dir.file("bots/alone.toml", "command = [\"sh\", \"alone.sh\"]");
    let files = "files = [\"./lib\", \"../book.bin\"]\nenv = { A = \"1\" }";
    dir.file("bots/files.toml", format!("command = [\"/bin/sh\", \"alone.sh\", \"-\"]\n{files}"));
    let spelt = "files = [\".//lib/deep\", \"lib//./a.py\", \"../bots//lib\"]";
    dir.file("bots/spelt.toml", format!("command = [\"./plain\"]\n{spelt}"));
    dir.script("bots/folder/run.sh", "exit");
    dir.file("bots/folder/bot.toml", "command = [\"./run.sh\"]");
    dir.file("bots/folder/data/weights", "1");
    fs::create_dir(dir.path("bots/folder/empty")).expect("a folder");
    symlink("../run.sh", dir.path("bots/folder/data/run")).expect("a link");
    symlink("data", dir.path("bots/folder/link")).expect("a link");
    symlink("/nowhere/installed", dir.path("bots/folder/absolute")).expect("a link");
    dir.file("bots/folder.toml", "limits = { memory_mb = 2048 }");
    let prints = fingerprints(&dir.path("bots"));
    let prints: Vec<(&str, &str)> = prints.iter().map(|(name, print)| (name.as_str(), print.as_str())).collect();
    assert_eq!(
        prints,
        [
            ("alone", "ccc879dd5617a41b"),
            ("files", "d9008e1386f1ae26"),
            ("folder", "f3cea2115996ac52"),
            ("spelt", "05d2dfef371715c2"),
        ]
    );
    fs::remove_file(dir.path("bots/spelt.toml")).expect("removed");
    let plain = fingerprints(&dir.path("bots")).pop().expect("a bot");
    assert_eq!(plain, ("plain".to_owned(), "4634eb6ccf17c45b".to_owned()));
}

/// Bots of every kind below `root`, with bots in `root/bots` and other files beside it. Absolute paths and links are made
/// for this root.
fn lay(root: &Path, bots: &str) {
    let path = |name: &str| root.join(name);
    let file = |name: &str, text: &str| {
        fs::create_dir_all(path(name).parent().expect("a parent")).expect("a folder");
        fs::write(path(name), text).expect("a file");
    };
    let script = |name: &str| {
        file(name, "#!/bin/sh\nexit\n");
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).expect("a mode");
    };
    let link = |target: &Path, name: &str| {
        fs::create_dir_all(path(name).parent().expect("a parent")).expect("a folder");
        symlink(target, path(name)).expect("a link");
    };
    let absolute = |name: &str| path(name).to_string_lossy().into_owned();
    let in_bots = |name: &str| format!("{bots}/{name}");

    script(&in_bots("plain"));
    script(&in_bots("inside.sh"));
    file(&in_bots("lib/deep/part"), "1");
    link("deep".as_ref(), &in_bots("lib/relative"));
    link(&path(&in_bots("lib/deep/part")), &in_bots("lib/deep/absolute"));
    link(&path(&in_bots("inside.sh")), &in_bots("lib/deep/out"));
    link("/nowhere/installed".as_ref(), &in_bots("lib/installed"));
    file(&in_bots("inside.toml"), "command = [\"./inside.sh\"]\nfiles = [\"lib\", \"inside.sh\"]");
    let spelt = [&absolute(&in_bots("inside.sh")), &absolute(&in_bots("lib"))];
    file(&in_bots("spelt.toml"), &format!("command = [{:?}]\nfiles = [{:?}]", spelt[0], spelt[1]));

    file("common/book", "e4");
    file("common/more/x", "1");
    link(&path("common/book"), "common/more/absolute");
    file(&in_bots("beside.toml"), "command = [\"sh\", \"../common/book\"]\nfiles = [\"../common\"]");
    file("elsewhere/weights/net", "1");
    file("elsewhere/weights/deep/net", "2");
    link(&path("elsewhere/weights/net"), "elsewhere/weights/deep/absolute");
    file("elsewhere/opening", "d4");
    let [weights, opening] = [absolute("elsewhere/weights"), absolute("elsewhere/opening")];
    let files = format!("files = [{weights:?}, {opening:?}]");
    file(&in_bots("elsewhere.toml"), &format!("command = [\"sh\"]\n{files}"));

    script(&in_bots("folder/run.sh"));
    file(&in_bots("folder/bot.toml"), "command = [\"./run.sh\"]\nlimits = { memory_mb = 4096 }");
    file(&in_bots("folder/data/values"), "1");
    fs::create_dir(path(&in_bots("folder/empty"))).expect("a folder");
    link("../run.sh".as_ref(), &in_bots("folder/data/relative"));
    link(&path(&in_bots("folder/run.sh")), &in_bots("folder/data/absolute"));
    link(&path(&in_bots("folder")), &in_bots("folder/data/home"));
    file(&in_bots("folder.toml"), "limits = { memory_mb = 2048 }");
}

#[test]
fn under_another_root_all_fingerprints_are_the_same() {
    let [one, two, three] = [(); 3].map(|()| Dir::new());
    lay(&one.path("a"), "bots");
    lay(&two.path("b/much/deeper"), "other");
    // By a link, which is where its own absolute paths and links lead, too.
    fs::create_dir(three.path("real")).expect("a folder");
    symlink("real", three.path("link")).expect("a link");
    lay(&three.path("link"), "bots");
    let first = fingerprints(&one.path("a/bots"));
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["beside", "elsewhere", "folder", "inside", "plain", "spelt"]);
    assert_eq!(first, fingerprints(&two.path("b/much/deeper/other")));
    assert_eq!(first, fingerprints(&three.path("link/bots")));
}

/// A change of a file, with its name.
type Change = (&'static str, fn(&Path));

/// Anything else about a bot's files shows, also about those that lie elsewhere.
#[test]
fn what_changes_in_a_file_its_name_or_its_mode_changes_the_fingerprint() {
    let before = {
        let dir = Dir::new();
        lay(&dir.path("a"), "bots");
        fingerprints(&dir.path("a/bots"))
    };
    let files = [
        ("bots/inside.sh", "inside spelt"),
        ("bots/lib/deep/part", "inside spelt"),
        ("common/book", "beside"),
        ("common/more/x", "beside"),
        ("elsewhere/weights/net", "elsewhere"),
        ("elsewhere/weights/deep/net", "elsewhere"),
        ("elsewhere/opening", "elsewhere"),
        ("bots/folder/run.sh", "folder"),
        ("bots/folder/data/values", "folder"),
        ("bots/plain", "plain"),
    ];
    let changes: [Change; 3] = [
        ("a byte", |path| fs::write(path, fs::read_to_string(path).expect("text") + "#").expect("written")),
        ("executable", |path| {
            let mode = fs::metadata(path).expect("a file").permissions().mode();
            fs::set_permissions(path, PermissionsExt::from_mode(mode ^ 0o111)).expect("a mode");
        }),
        ("its name", |path| fs::rename(path, path.with_file_name("renamed")).expect("renamed")),
    ];
    for (file, of) in files {
        for (what, change) in changes {
            let dir = Dir::new();
            lay(&dir.path("a"), "bots");
            change(&dir.path("a").join(file));
            // Manifests follow.
            if what == "its name" {
                let old = Path::new(file).file_name().and_then(|name| name.to_str()).expect("a name");
                for manifest in ["inside", "spelt", "beside", "elsewhere", "folder/bot"] {
                    let manifest = format!("a/bots/{manifest}.toml");
                    let text = dir.read(&manifest);
                    dir.file(
                        &manifest,
                        text.replace(&format!("/{old}\""), "/renamed\"").replace(&format!("\"{old}\""), "\"renamed\""),
                    );
                }
            }
            let after = fingerprints(&dir.path("a/bots"));
            let same = |name: &str| {
                after.iter().find(|(other, _)| other == name) == before.iter().find(|(other, _)| other == name)
            };
            for (name, _) in &before {
                // A file alone is known by its content, and is no bot if it cannot be run.
                if name == "plain" && file == "bots/plain" {
                    continue;
                }
                assert_eq!(!same(name), of.split(' ').any(|bot| bot == name), "{file}: {what}: {name}");
            }
        }
    }
}
