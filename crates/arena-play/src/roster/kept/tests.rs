use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use arena_guard::GuardProgram;

use super::*;

const TODAY: &str = "2026-11-21";

/// A folder with a folder `bots`.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("bots")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str, mode: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn settings() -> RosterSettings {
        RosterSettings { guard: GuardProgram::arena("/bin/true"), ..RosterSettings::default() }
    }

    fn kept(&self, game: &str) -> KeptVersions {
        KeptVersions::new(&self.path("bots"), &game.parse().unwrap(), &Self::settings())
    }

    fn roster(&self) -> Roster {
        Roster::find(&self.path("bots"), &[], &Self::settings()).unwrap()
    }

    /// Keeps all bots of the folder; returns the remarks without the place.
    fn keep(&self, game: &str) -> Vec<String> {
        let remarks = self.kept(game).keep(&self.roster().bots, TODAY).unwrap();
        remarks.iter().map(|remark| remark.replace(self.0.path().to_str().unwrap(), "[dir]")).collect()
    }

    /// What is in the folder of copies, without the lock.
    fn listed(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("bots/.kept")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != LOCK)
            .collect();
        names.sort();
        names
    }

    /// The kept version of a bot, whose new one is `new`.
    fn stand_in(&self, game: &str, new: &str) -> Option<FoundBot> {
        self.kept(game).stand_in(self.roster().get(new).unwrap(), false, "why").unwrap()
    }
}

/// A bot of each kind whose files are all its own.
fn field() -> Place {
    let place = Place::new();
    place.file("bots/single.py", "#!/bin/sh\n", 0o755);
    place.file("bots/made.toml", "command = [\"sh\", \"main.sh\", \"lib\"]\nfiles = [\"lib\", \"empty\"]", 0o644);
    place.file("bots/main.sh", "echo\n", 0o600);
    place.file("bots/lib/part", "part\n", 0o711);
    fs::create_dir(place.path("bots/empty")).unwrap();
    place.file("bots/folder/bot.toml", "command = [\"./bot\"]\nname = \"Other\"", 0o644);
    place.file("bots/folder/bot", "#!/bin/sh\n", 0o755);
    place.file("bots/folder/.git/HEAD", "closed to it", 0o644);
    place.file("bots/folder/.cache/deep/x", "", 0o640);
    symlink("deep/x", place.path("bots/folder/.cache/link")).unwrap();
    symlink(place.path("bots/folder/bot"), place.path("bots/folder/absolute")).unwrap();
    symlink("/usr/bin/env", place.path("bots/folder/installed")).unwrap();
    place.file("bots/folder.toml", "limits = { memory_mb = 4096 }", 0o644);
    place.file("bots/built.toml", "builtin = \"random\"\nstartup_ms = 20000", 0o644);
    place
}

#[test]
fn a_kept_version_of_any_kind_has_the_fingerprint_of_the_original() {
    let place = field();
    let bots = place.roster().bots;
    assert_eq!(
        bots.iter().map(|bot| bot.launch.name.as_str()).collect::<Vec<_>>(),
        ["Other", "built", "made", "single.py"]
    );
    assert_eq!(place.keep("connect4"), [""; 0]);
    assert_eq!(place.listed().len(), 8, "{:?}", place.listed());
    for bot in &bots {
        assert!(place.kept("connect4").has(bot).unwrap() && !place.kept("gomoku").has(bot).unwrap());
    }
    // Every version is new.
    for file in ["bots/single.py", "bots/main.sh", "bots/folder/bot"] {
        place.file(file, "#!/bin/sh\nnew\n", 0o755);
    }
    place.file("bots/built.toml", "builtin = \"greedy\"", 0o644);
    for bot in &bots {
        let name = &bot.launch.name;
        let earlier = place.stand_in("connect4", name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((&earlier.launch.name, &earlier.fingerprint), (name, &bot.fingerprint));
        assert_eq!((&earlier.launch.limits, earlier.launch.startup), (&bot.launch.limits, bot.launch.startup));
        assert_eq!(earlier.earlier.map(|it| (it.cause, it.date)), Some(("why".to_owned(), TODAY.to_owned())));
        assert!(earlier.own.iter().all(|own| own.starts_with(place.path("bots/.kept"))), "{:?}", earlier.own);
        assert!(place.stand_in("gomoku", name).is_none());
    }
    // They are hidden, closed to others, and not found as bots.
    let mode = fs::metadata(place.path("bots/.kept")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, place.roster().bots.len()), (0o700, 4));
}

#[test]
fn the_last_version_that_passed_is_kept_and_no_other() {
    let place = Place::new();
    let version = |text: &str| place.file("bots/eve", &format!("#!/bin/sh\n{text}\n"), 0o755);
    let fingerprint = || place.roster().get("eve").unwrap().fingerprint.clone();
    version("one");
    let first = fingerprint();
    assert!(place.keep("connect4").is_empty() && place.keep("gomoku").is_empty());
    version("two");
    assert!(place.keep("connect4").is_empty());
    let second = fingerprint();
    let mut all = vec![first.clone(), second.clone(), "eve@connect4.json".to_owned(), "eve@gomoku.json".to_owned()];
    all.sort();
    assert_eq!(place.listed(), all, "the first one still plays another game");
    version("three");
    assert_eq!(place.stand_in("connect4", "eve").unwrap().fingerprint, second);
    assert_eq!(place.stand_in("gomoku", "eve").unwrap().fingerprint, first);
    assert!(place.keep("gomoku").is_empty());
    assert!(!place.listed().contains(&first), "no game needs it any more");
    // A version that was kept is not its own stand-in.
    assert!(place.stand_in("gomoku", "eve").is_none());
}

#[test]
fn a_bot_that_names_files_outside_its_folder_is_not_kept() {
    let place = Place::new();
    place.file("data/engine.py", "x", 0o755);
    let elsewhere = place.path("data/engine.py");
    let elsewhere = elsewhere.to_str().unwrap();
    place.file("bots/main.sh", "", 0o755);
    let main = place.path("bots/main.sh");
    for (manifest, names) in [
        ("command = [\"sh\", \"main.sh\"]\nfiles = [\"../data\"]".to_owned(), "[dir]/bots/../data"),
        ("command = [\"../data/engine.py\"]".to_owned(), "[dir]/bots/../data/engine.py"),
        (format!("command = [\"sh\", \"main.sh\"]\nfiles = [\"{elsewhere}\"]"), "[dir]/data/engine.py"),
        (format!("command = [\"sh\", \"{elsewhere}\"]"), "[dir]/data/engine.py"),
        (format!("command = [\"{elsewhere}\"]"), "[dir]/data/engine.py"),
        ("command = [\"sh\", \"main.sh\", \"--book=../data/engine.py\"]".to_owned(), "--book=../data/engine.py"),
        ("command = [\"sh\", \"main.sh\"]\nenv = { PYTHONPATH = \"/usr/lib:../data\" }".to_owned(), "../data"),
        (format!("command = [\"sh\", \"{}\"]", main.display()), "[dir]/bots/main.sh"),
    ] {
        place.file("bots/x.toml", &manifest, 0o644);
        let says = format!(
            "x: this version is not kept: it names `{names}`, which is not a path inside its folder; put the file there, and \
             name it relative to the manifest"
        );
        let mut remarks = place.keep("connect4");
        remarks.retain(|remark| remark.starts_with("x: "));
        assert_eq!(remarks, [says], "{manifest}");
    }
    // Programs of the system and words that are no paths of files are fine.
    let fine = "command = [\"/bin/sh\", \"./main.sh\", \"-x\", \"1/2\", \"--x=../none\"]\nenv = { A = \"/usr/bin:.\" }";
    place.file("bots/x.toml", fine, 0o644);
    assert_eq!(place.keep("connect4"), [""; 0]);
}

#[test]
fn a_bot_that_is_too_large_is_not_kept() {
    let place = Place::new();
    place.file("bots/x.toml", "command = [\"sh\", \"main.sh\"]\nfiles = [\"data\"]", 0o644);
    place.file("bots/main.sh", "", 0o644);
    fs::File::create(place.path("bots/data")).unwrap().set_len(BOT_BYTES_MAX).unwrap();
    assert_eq!(place.keep("connect4"), ["x: this version is not kept: its files are larger than 64 MiB in total"]);
    fs::remove_file(place.path("bots/data")).unwrap();
    place.file("bots/data", "", 0o644);
    assert_eq!(place.keep("connect4"), [""; 0]);
    // Those of others count.
    let record = place.path("bots/.kept/x@connect4.json");
    let text = fs::read_to_string(&record).unwrap().replace("\"x\"", "\"y\"").replace("x.toml", "y.toml");
    let large = text.lines().map(|line| if line.contains("bytes") { "\"bytes\": 4294967200" } else { line });
    place.file("bots/.kept/y@connect4.json", &large.collect::<String>(), 0o644);
    place.file("bots/data", &"x".repeat(200), 0o644);
    let says = "x: this version is not kept: all versions in [dir]/bots/.kept would be larger than 4 GiB in total; remove \
                those of bots that are gone";
    assert_eq!(place.keep("connect4"), [says]);
}

#[test]
fn a_copy_that_was_changed_does_not_play_and_is_copied_again() {
    let place = Place::new();
    place.file("bots/eve", "#!/bin/sh\n", 0o755);
    let good = place.roster().get("eve").unwrap().clone();
    assert_eq!(place.keep("connect4"), [""; 0]);
    let copy = place.path("bots/.kept").join(&good.fingerprint);
    let file = copy.join("files/bots/eve");
    let changes: [&dyn Fn(); 4] = [
        &|| fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).unwrap(),
        &|| {
            fs::remove_file(&file).unwrap();
            fs::write(&file, "#!/bin/sh\nevil\n").unwrap();
            fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        },
        &|| fs::remove_file(copy.join(super::super::layout::INDEX)).unwrap(),
        &|| {
            remove_folder(&copy, None).unwrap();
            symlink(place.path("elsewhere"), &copy).unwrap();
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        change();
        place.file("bots/eve", "#!/bin/sh\nnew\n", 0o755);
        let failed = place.roster().get("eve").unwrap().clone();
        let refused = place.kept("connect4").stand_in(&failed, false, "why").map(drop).unwrap_err().to_string();
        assert!(refused.starts_with("the version of 21 Nov 2026 cannot be used: "), "{number}: {refused}");
        // It is put back.
        place.file("bots/eve", "#!/bin/sh\n", 0o755);
        if copy.is_symlink() {
            fs::remove_file(&copy).unwrap();
        }
        assert!(!place.kept("connect4").has(&good).unwrap());
        assert_eq!(place.kept("connect4").keep([&good], TODAY).unwrap(), [""; 0]);
        assert!(place.kept("connect4").has(&good).unwrap());
        place.file("bots/eve", "#!/bin/sh\nnew\n", 0o755);
        assert_eq!(place.stand_in("connect4", "eve").unwrap().fingerprint, good.fingerprint);
    }
}

#[test]
fn a_folder_that_others_may_have_made_is_refused() {
    let place = Place::new();
    place.file("bots/eve", "#!/bin/sh\n", 0o755);
    let refused = || {
        let (kept, roster) = (place.kept("connect4"), place.roster());
        let eve = roster.get("eve").unwrap();
        let says = kept.keep([eve], TODAY).unwrap_err().to_string();
        assert_eq!(kept.has(eve).unwrap_err().to_string(), says);
        assert_eq!(kept.stand_in(eve, true, "").map(drop).unwrap_err().to_string(), says);
        assert_eq!(kept.replace_unusable(&mut place.roster()).unwrap_err().to_string(), says);
        says
    };
    let at = place.path("bots/.kept");
    fs::create_dir(place.path("elsewhere")).unwrap();
    symlink(place.path("elsewhere"), &at).unwrap();
    assert!(refused().ends_with("bots/.kept is not a folder, or is a link, which is not followed; remove it"));
    assert_eq!(fs::read_dir(place.path("elsewhere")).unwrap().count(), 0);
    fs::remove_file(&at).unwrap();
    fs::write(&at, "").unwrap();
    assert!(refused().contains("is not a folder"));
    fs::remove_file(&at).unwrap();
    fs::create_dir(&at).unwrap();
    for mode in [0o770, 0o707] {
        fs::set_permissions(&at, PermissionsExt::from_mode(mode)).unwrap();
        assert!(refused().contains("others can write to it"));
    }
}

#[test]
fn what_a_killed_arena_left_goes_and_records_of_others_are_not_believed() {
    let place = Place::new();
    place.file("bots/eve", "#!/bin/sh\n", 0o755);
    assert_eq!(place.keep("connect4"), [""; 0]);
    let before = place.listed();
    // Killed while it copied, while it wrote a record, and between the two.
    place.file("bots/.kept/.copy-0123456789abcdef/files/bots/eve", "#!/bin/sh\n", 0o555);
    place.file("bots/.kept/.arena-0123456789abcdef.tmp", "{", 0o644);
    place.file("bots/.kept/0123456789abcdef/package.json", "{}", 0o444);
    assert_eq!(place.keep("connect4"), [""; 0]);
    assert_eq!(place.listed(), before);

    let record = fs::read_to_string(place.path("bots/.kept/eve@connect4.json")).unwrap();
    let fingerprint = &before[0];
    fs::remove_file(place.path("bots/eve")).unwrap();
    place.file("bots/eve.zip", "PK", 0o644);
    for (from, to, says) in [
        ("\"eve\",\n  \"game", "\"../eve\",\n  \"game", "is not the name of a bot"),
        ("\"eve\",\n  \"game", "\"bob\",\n  \"game", "it is the record of another bot or game"),
        ("connect4", "gomoku", "it is the record of another bot or game"),
        (fingerprint.as_str(), "../../../../tmp", "is not a fingerprint"),
        (fingerprint.as_str(), "0123456789ABCDEF", "is not a fingerprint"),
        (TODAY, "\\u001b[31m", "`\\u{1b}[31m` is not a date"),
        ("\"entry\": \"eve\"", "\"entry\": \"../eve\"", "its `entry` is not the name of a file"),
        ("\"format\": 1", "\"format\": 2", "it has format 2, and this arena reads 1"),
        ("\"format\": 1", "\"format\": 1, \"more\": 1", "unknown field"),
    ] {
        assert!(record.contains(from), "{from}");
        place.file("bots/.kept/eve@connect4.json", &record.replacen(from, to, 1), 0o644);
        let mut roster = place.roster();
        let remarks = place.kept("connect4").replace_unusable(&mut roster).unwrap();
        assert!(remarks.len() == 1 && remarks[0].contains(says) && remarks[0].contains("remove it"), "{remarks:?}");
        assert!(roster.bots.is_empty());
    }
}

#[test]
fn only_a_bot_that_is_there_and_cannot_be_used_is_replaced() {
    let place = field();
    assert_eq!(place.keep("connect4"), [""; 0]);
    let replaced = || {
        let mut roster = place.roster();
        assert_eq!(place.kept("connect4").replace_unusable(&mut roster).unwrap(), [""; 0]);
        let replaced = roster.bots.into_iter().filter_map(|bot| bot.earlier);
        replaced.map(|it| (it.name, it.cause)).collect::<Vec<_>>()
    };
    assert_eq!(replaced(), []);
    place.file("bots/folder/bot.toml", "command = ", 0o644);
    // It no longer looks like a bot.
    place.file("bots/single.py", "data", 0o644);
    // Now it is a part of another bot.
    fs::remove_file(place.path("bots/built.toml")).unwrap();
    let causes = replaced();
    assert_eq!(causes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Other", "single.py"]);
    assert!(causes[0].1.starts_with("line 1, `command =`: "), "{causes:?}");
    place.file("bots/third.toml", "command = [\"sh\", \"single.py\"]", 0o644);
    assert_eq!(replaced().len(), 1);
}

#[test]
fn a_stranger_takes_neither_the_name_nor_the_kept_version_of_a_bot_that_fails() {
    let place = Place::new();
    place.file("bots/eve/bot.toml", "command = [\"sh\"]", 0o644);
    let eve = place.roster().bots[0].fingerprint.clone();
    assert_eq!(place.keep("connect4"), [""; 0]);
    place.file("bots/eve/bot.toml", "command = ", 0o644);
    place.file("bots/mallory/bot.toml", "command = [\"sh\"]\nname = \"eve\"", 0o644);
    let says = "eve: this version is not kept: the kept version of that name is of `eve`, which is there; give it another name";
    assert_eq!(place.keep("connect4"), [says]);
    let mut roster = place.roster();
    assert_eq!(place.kept("connect4").replace_unusable(&mut roster).unwrap(), [""; 0]);
    let bots: Vec<(&str, bool)> =
        roster.bots.iter().map(|bot| (bot.launch.name.as_str(), bot.fingerprint == eve)).collect();
    assert_eq!(bots, [("eve", true), ("eve-2", false)]);
}

/// What is said of a kept version that is of a bot at another path.
fn of_another(owner: &str, this: &str) -> String {
    format!("the version of 21 Nov 2026 cannot be used: it is of `{owner}`, and this is `{this}`, which has none yet")
}

#[test]
fn a_kept_version_belongs_to_the_path_that_it_came_from() {
    // alice has left. Whatever is called so at another path has no earlier version.
    for owner in ["alice/bot.toml", "alice.toml", "alice"] {
        let place = Place::new();
        let text = if owner == "alice" { "#!/bin/sh\n" } else { "command = [\"sh\"]" };
        place.file(&format!("bots/{owner}"), text, 0o755);
        assert_eq!(place.keep("connect4"), [""; 0]);
        let entry = owner.split('/').next().unwrap();
        remove_folder(&place.path("bots").join(entry), None)
            .or_else(|_| fs::remove_file(place.path("bots").join(entry)))
            .unwrap();

        // Its program fails.
        place.file("bots/mal/bot.toml", "command = [\"false\"]\nname = \"alice\"", 0o644);
        let failed = place.roster().get("alice").unwrap().clone();
        let kept = place.kept("connect4");
        let said = kept.stand_in(&failed, false, "it ends").map(drop).unwrap_err().to_string();
        assert_eq!(said, of_another(entry, "mal"));
        assert!(!kept.has(&failed).unwrap());
        // It cannot be loaded, or is no bot.
        fs::remove_file(place.path("bots/mal/bot.toml")).unwrap();
        let others = ["alice.zip", "alice.7z", "alice/bot.toml", "alice.toml", "alice"];
        for other in others.into_iter().filter(|other| other.split('/').next() != Some(entry)) {
            place.file(&format!("bots/{other}"), "PK", 0o644);
            let mut roster = place.roster();
            let remarks = kept.replace_unusable(&mut roster).unwrap();
            assert!(roster.bots.iter().all(|bot| bot.earlier.is_none()), "{other}");
            let path = place.path("bots").join(other.split('/').next().unwrap());
            let says = [format!("alice: {}", of_another(entry, path.to_str().unwrap()))];
            // Without a mark of a bot it is no submission, and nothing is said of it.
            assert!(remarks == says || remarks.is_empty() && other == "alice", "{other}: {remarks:?}");
            remove_folder(&path, None).or_else(|_| fs::remove_file(&path)).unwrap();
        }
        // The same files at another path are another bot as well, which is kept when it passes.
        if owner == "alice/bot.toml" {
            place.file("bots/mal/bot.toml", &format!("{text}\nname = \"alice\""), 0o644);
        } else {
            place.file("bots/mal/bot.toml", "command = [\"sh\"]\nname = \"alice\"", 0o644);
        }
        let remarks = place.keep("connect4");
        let says = format!(
            "alice: the version of 21 Nov 2026 was of `{entry}`, and is no longer kept: `mal` has the name now"
        );
        assert_eq!(remarks, [says]);
        // From here on it has one.
        place.file("bots/mal/bot.toml", "command = [\"false\"]\nname = \"alice\"", 0o644);
        assert!(place.stand_in("connect4", "alice").is_some());
        assert_eq!(place.keep("gomoku"), [""; 0], "another game has none that would be replaced");
    }
}

#[test]
fn a_bot_outside_the_bots_folder_has_the_kept_versions_of_its_path() {
    let place = Place::new();
    place.file("up/one/bot.toml", "command = [\"sh\"]", 0o644);
    place.file("up/two/bot.toml", "command = [\"false\"]", 0o644);
    let given = |path: &str| {
        let extra = [("alice".to_owned(), place.path(path))];
        Roster::find(&place.path("bots"), &extra, &Place::settings()).unwrap().get("alice").unwrap().clone()
    };
    let kept = place.kept("connect4");
    let one = given("up/one");
    assert_eq!(kept.keep([&one], TODAY).unwrap(), [""; 0]);
    assert!(kept.has(&one).unwrap());
    let refused = kept.stand_in(&given("up/two"), false, "").map(drop).unwrap_err().to_string();
    let [owner, this] = ["up/one", "up/two"].map(|path| place.path(path).display().to_string());
    assert_eq!(refused, of_another(&owner, &this));
    place.file("up/one/bot.toml", "command = [\"false\"]", 0o644);
    assert_eq!(kept.stand_in(&given("up/one"), false, "").unwrap().unwrap().fingerprint, one.fingerprint);
    // A record of an older version does not say whose it is.
    let record = "bots/.kept/alice@connect4.json";
    let text = fs::read_to_string(place.path(record)).unwrap();
    let old: Vec<&str> = text.lines().filter(|line| !line.contains("elsewhere")).collect();
    assert_eq!(old.len() + 1, text.lines().count());
    place.file(record, &old.join("\n"), 0o644);
    let refused = kept.stand_in(&given("up/one"), false, "").map(drop).unwrap_err().to_string();
    assert!(refused.contains("it is of a bot outside the bots folder, and this is"), "{refused}");
    // However the bots folder is named, what lies in it is the same.
    place.file("bots/bob/bot.toml", "command = [\"sh\"]", 0o644);
    let bob = place.roster().get("bob").unwrap().clone();
    kept.keep([&bob], TODAY).unwrap();
    let extra = [("bob".to_owned(), place.path("bots/./bob"))];
    let named = Roster::without_folder(&extra, &Place::settings()).unwrap();
    assert!(kept.has(&named.bots[0]).unwrap());
}
