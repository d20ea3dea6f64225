//! A bot that was packed is the same bot elsewhere.

use std::os::unix::fs::MetadataExt;
use std::sync::Barrier;
use std::thread;

use arena_play::roster::KeptVersions;
use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Plain,
    Manifest,
    Above,
    Folder,
    Granted,
    Builtin,
}

/// The files of a bot by name, some executable, and links to some of them, some absolute.
type Files = (Vec<(String, Vec<u8>, bool)>, Vec<(String, prop::sample::Index, bool)>);

fn files() -> impl Strategy<Value = Files> {
    let names = "[ab]{1,2}(/[ab]{1,2}){0,2}|ü z|l{120}|d{60}/l{110}";
    let files = prop::collection::vec((names, prop::collection::vec(any::<u8>(), 0..20), any::<bool>()), 1..6);
    let links = prop::collection::vec(("(k|[ab]{1,2}/k|m{110})", any::<prop::sample::Index>(), any::<bool>()), 0..4);
    (files, links)
}

/// Makes a bot of this kind and returns its path.
fn make(place: &Place, kind: Kind, (files, links): &Files) -> String {
    let (folder, path) = match kind {
        Kind::Plain => {
            place.script("bots/a bot");
            return "bots/a bot".to_owned();
        }
        Kind::Builtin => {
            place.file("bots/b.toml", "builtin = \"random\"\nlimits = { memory_mb = 4096 }");
            return "bots/b.toml".to_owned();
        }
        Kind::Manifest => ("bots", "bots/x.toml"),
        Kind::Above => ("data", "bots/x.toml"),
        Kind::Folder | Kind::Granted => ("bots/x", "bots/x"),
    };
    let mut made = Vec::new();
    for (name, content, is_executable) in files {
        let path = place.path(folder).join(name);
        // A folder has this name, or a file that of the folder.
        if fs::create_dir_all(path.parent().unwrap()).is_err() || fs::write(&path, content).is_err() {
            continue;
        }
        fs::set_permissions(&path, PermissionsExt::from_mode(if *is_executable { 0o711 } else { 0o640 })).unwrap();
        made.push(name.clone());
    }
    for (name, target, is_absolute) in links {
        let (link, target) = (place.path(folder).join(name), target.get(&made));
        let up = "../".repeat(Path::new(name).components().count() - 1);
        let target = if *is_absolute { place.path(folder).join(target) } else { PathBuf::from(up + target) };
        if fs::create_dir_all(link.parent().unwrap()).is_ok() && symlink(target, link).is_ok() {
            made.push(name.clone());
        }
    }
    if matches!(kind, Kind::Folder | Kind::Granted) {
        place.file("bots/x/bot.toml", "command = [\"sh\"]\nlimits = { memory_mb = 4096 }");
    } else {
        let up = if matches!(kind, Kind::Above) { "../data/" } else { "" };
        let top = made.iter().filter_map(|name| name.split('/').next());
        let mut named: Vec<String> = top.map(|name| format!("{up}{name}")).collect();
        named.dedup();
        place.file("bots/x.toml", format!("command = [\"sh\"]\nlimits = {{ memory_mb = 4096 }}\nfiles = {named:?}"));
        // Another one's.
        place.file("bots/other", "secret");
    }
    if matches!(kind, Kind::Granted) {
        place.file("bots/x.toml", "limits = { memory_mb = 2048 }\nstartup_ms = 20000");
    }
    path.to_owned()
}

fn kinds() -> impl Strategy<Value = Kind> {
    use Kind::{Above, Builtin, Folder, Granted, Manifest, Plain};
    prop::sample::select(vec![Plain, Manifest, Above, Folder, Granted, Builtin, Manifest, Above, Folder])
}

proptest! {
    #[test]
    fn a_bot_that_was_packed_is_the_same_elsewhere(
        kind in kinds(), files in files(), flipped in any::<prop::sample::Index>(), bit in 0..8_u8,
    ) {
        let [here, there] = [(); 2].map(|()| Place::new());
        let path = make(&here, kind, &files);
        let found = here.bot(&path);
        let package = pack(&found).unwrap_or_else(|error| panic!("{error:#}"));
        prop_assert_eq!(&package, &pack(&found).unwrap());
        let received = there.received(&package);
        prop_assert_eq!(&received.fingerprint, &found.fingerprint);
        prop_assert_eq!(&received.launch.limits, &found.launch.limits);
        prop_assert_eq!(received.launch.startup, found.launch.startup);
        // From there it goes on as it came.
        prop_assert_eq!(&pack(&received).unwrap().hash, &package.hash);
        prop_assert!(!String::from_utf8_lossy(&package.bytes).contains("secret"), "only its own files");
        // So does a version that is kept, unless it has files outside its folder.
        let kept = KeptVersions::new(&here.path("bots"), &"connect4".parse().unwrap(), &here.settings());
        let remarks = kept.keep([&found], "2026-11-21").unwrap();
        prop_assert!(remarks.is_empty() || matches!(kind, Kind::Above), "{remarks:?}");
        if remarks.is_empty() {
            let mut failed = found.clone();
            failed.fingerprint.clear();
            let earlier = kept.stand_in(&failed, false, "").unwrap().unwrap();
            prop_assert_eq!(&earlier.fingerprint, &found.fingerprint);
            prop_assert_eq!(&pack(&earlier).unwrap().hash, &package.hash);
        }

        let mut bytes = package.bytes.clone();
        bytes[flipped.index(package.bytes.len())] ^= 1 << bit;
        let other = Place::new();
        let refused = other.store().put(&package.hash, &bytes).unwrap_err().to_string();
        prop_assert!(refused.contains("was changed on its way"), "{refused}");
        prop_assert!(!other.store().has(&package.hash) && !other.path("store").exists());
    }
}

#[test]
fn a_package_does_not_depend_on_place_or_time() {
    let [one, two] = [(); 2].map(|()| Place::new());
    for place in [&one, &two] {
        place.script("bots/x/run");
        place.file("bots/x/bot.toml", "command = [\"./run\"]");
        place.link(place.path("bots/x/run"), "bots/x/lib/run");
    }
    fs::set_permissions(two.path("bots/x/run"), PermissionsExt::from_mode(0o755)).unwrap();
    let file = fs::File::options().append(true).open(two.path("bots/x/run")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(pack(&one.bot("bots/x")).unwrap(), pack(&two.bot("bots/x")).unwrap());
    // The format: if the hash changes, packages of other versions are not found again.
    let hash = "ca16645f548ec6d45a445ca1b44a0f0ba4ae6a34fd1df6d14dcad0c9a28a2c3e";
    assert_eq!(pack(&one.bot("bots/x")).unwrap().hash, hash);
}

#[test]
fn what_is_received_is_read_only_and_links_are_links() {
    let place = Place::new();
    place.script("bots/x/run");
    place.file("bots/x/bot.toml", "command = [\"./run\"]");
    place.file("bots/x/__pycache__/x.pyc", "1");
    fs::create_dir(place.path("bots/x/empty")).unwrap();
    place.link("../run", "bots/x/lib/relative");
    place.link(place.path("bots/x/run"), "bots/x/lib/absolute");
    place.link("/usr/bin/env", "bots/x/env");
    place.link("run/", "bots/x/dangling");
    let found = place.bot("bots/x");
    let received = place.received(&pack(&found).unwrap());
    let dir = &received.launch.dir;
    assert_eq!(received.fingerprint, found.fingerprint);
    assert_eq!(fs::metadata(dir.join("run")).unwrap().mode() & 0o777, 0o555);
    assert_eq!(fs::metadata(dir.join("bot.toml")).unwrap().mode() & 0o777, 0o444);
    assert!(dir.join("empty").is_dir());
    assert_eq!(dir.join("__pycache__").exists(), found.closed.is_empty());
    for (link, target) in
        [("lib/relative", "../run"), ("lib/absolute", "../run"), ("env", "/usr/bin/env"), ("dangling", "run/")]
    {
        assert_eq!(fs::read_link(dir.join(link)).unwrap().as_os_str(), target, "{link}");
    }
}

#[test]
fn files_named_by_absolute_paths_stay_where_they_are() {
    let [place, other] = [(); 2].map(|()| Place::new());
    other.file("weights/net", "1");
    let weights = other.path("weights");
    place.file("bots/x.toml", format!("command = [\"sh\"]\nfiles = [{weights:?}]"));
    let found = place.bot("bots/x.toml");
    let package = pack(&found).unwrap();
    assert_eq!(place.received(&package).fingerprint, found.fingerprint);
    other.file("weights/net", "2");
    assert_ne!(place.received(&package).fingerprint, found.fingerprint);
    fs::remove_dir_all(weights).unwrap();
    let settings = place.settings();
    let missing = format!("{:#}", place.store().load(&package.hash, "x", &settings).unwrap_err());
    assert!(missing.contains("which cannot be found"), "{missing}");

    place.script("bots/run");
    for manifest in [
        format!("command = [{:?}]", place.path("bots/run")),
        format!("command = [\"sh\", {:?}]", place.path("bots/run")),
        format!("command = [\"sh\"]\nfiles = [{:?}]", place.path("bots/run")),
    ] {
        place.file("bots/x.toml", &manifest);
        let refused = place.refused("bots/x.toml");
        assert!(
            refused.contains("/bots/run` by an absolute path") && refused.contains("name it relative"),
            "{refused}"
        );
    }
}

#[test]
fn a_bot_that_would_be_another_one_elsewhere_is_not_packed() {
    let place = Place::new();
    place.file("outside", "");
    place.file("bots/near", "");
    place.file("bots/lib/a", "");
    place.file("bots/x.toml", "command = [\"sh\"]\nfiles = [\"lib\"]");
    for (target, told) in [
        (place.path("outside").to_str().unwrap(), "which is not installed on this machine"),
        ("/nowhere", "which is not installed on this machine"),
        ("../near", "which is none of the bot's files; add it"),
        ("../../../../outside", "which is outside of the bot's files"),
        ("a/../a", "which has `..` in the middle"),
    ] {
        place.link(target, "bots/lib/link");
        let refused = place.refused("bots/x.toml");
        assert!(refused.contains("link` is a link to `") && refused.contains(told), "{target}: {refused}");
        fs::remove_file(place.path("bots/lib/link")).unwrap();
    }
    assert!(pack(&place.bot("bots/x.toml")).is_ok());
    let large = fs::File::create(place.path("bots/lib/large")).unwrap();
    let found = place.bot("bots/x.toml");
    // As one hole: a bot that was found with it would be refused for that.
    large.set_len(PACKAGE_BYTES_MAX).unwrap();
    let refused = format!("{:#}", pack(&found).unwrap_err());
    assert!(refused.contains("its files are larger than 1 GiB in total"), "{refused}");
    fs::remove_file(place.path("bots/lib/large")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(place.path("bots/lib/fifo")).status().unwrap().success());
    assert!(place.refused("bots/x.toml").contains("neither a file nor a folder nor a link; remove it"));
    let builtin = Roster::builtin(arena_bots::strategy::Strategy::named("random").unwrap(), &place.settings()).unwrap();
    assert!(format!("{:#}", pack(&builtin).unwrap_err()).contains("it is built in"));
}

#[test]
fn workers_that_share_a_store_do_not_disturb_each_other() {
    let place = Place::new();
    place.script("bots/x");
    let package = pack(&place.bot("bots/x")).unwrap();
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    place.received(&package).fingerprint
                })
            })
            .collect();
        for worker in workers {
            assert_eq!(worker.join().unwrap(), place.bot("bots/x").fingerprint);
        }
    });
    let names: Vec<_> = fs::read_dir(place.path("store")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [package.hash.as_str()], "and nothing else is left");
}
