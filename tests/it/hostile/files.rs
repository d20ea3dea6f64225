//! Rows 2 to 5, 69 to 72, 118 and 119: contents of the bots folder.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::HOSTILE;
use super::scenario::{Played, Scenario};
use crate::faults::faulty;
use crate::support::Dir;

/// Plays with the check before the first game; `make` gets the bots folder.
#[track_caller]
fn checked(what: &str, make: impl FnOnce(&Path)) -> Played {
    let mut scenario = Scenario::new(what, "tictactoe");
    scenario.check = true;
    make(&scenario.dir.path("bots"));
    scenario.play()
}

/// A file of this content and mode is rejected before the first game, with this message.
#[track_caller]
fn refused(row: u32, content: &[u8], mode: u32, says: &str) {
    let what = format!("row {row}, {says}");
    let played = checked(&what, |bots| {
        let program = bots.join("program");
        fs::create_dir(&program).expect("a folder");
        fs::write(program.join("run"), content).expect("a file");
        fs::set_permissions(program.join("run"), fs::Permissions::from_mode(mode)).expect("a mode");
        fs::write(program.join("bot.toml"), format!("name = {HOSTILE:?}\ncommand = [\"./run\"]")).expect("a file");
    });
    // Errors in its first line are found before its name matters.
    let name = if says.starts_with("its first line") { "bots/program" } else { HOSTILE };
    played.assert_left_out(name, says);
}

#[test]
fn what_cannot_be_run_is_refused_before_the_first_game() {
    let elf = fs::read(faulty()).expect("a program");
    let for_another = |machine: u8| [&elf[..18], &[machine, 0], &elf[20..]].concat();
    refused(2, b"#!/bin/sh\n", 0o644, "it is not an executable file (chmod +x)");
    refused(3, b"", 0o755, "it is empty");
    refused(3, b"echo hi\n", 0o755, "a script needs a first line such as");
    refused(3, b"\x00\x01\x02\x1b[2J", 0o755, "it is not a program for this machine");
    refused(3, &for_another(22), 0o755, "it is a program for s390x; this machine is ");
    refused(3, &elf[..10], 0o755, "it is a damaged program");
    refused(3, &elf[..100], 0o755, "it is a damaged program");
    // A valid start of a program: the message says how far it came.
    for length in [200, 800, 5_000] {
        refused(3, &elf[..length], 0o755, "");
    }
    refused(4, b"#!/no/such/python\n", 0o755, "the interpreter named in its first line is missing: /no/such/python");
    refused(4, b"#!/usr/bin/env no-such-python\n", 0o755, "no-such-python");
    refused(5, b"#!/bin/sh\r\necho hi\r\n", 0o755, "its first line ends in CR LF");
    refused(5, b"\xef\xbb\xbf#!/bin/sh\n", 0o755, "it begins with a byte order mark");
    refused(6, b"#!/bin/sh\necho \"ImportError: \x1b[31mnumpy\" >&2; exit 1\n", 0o755, "ImportError: \\u{1b}[31mnumpy");
}

#[test]
fn names_that_would_break_a_table_are_refused() {
    let names: [&[u8]; 11] = [
        b"a,b",
        b"a\nb,1,2",
        b"a\"b",
        b"-rf",
        b"--strict",
        b"=1+1",
        b"a\xffb",
        b"\x1b[31mred",
        "\u{202e}txt".as_bytes(),
        "e\u{301}".as_bytes(),
        &[b'x'; 33],
    ];
    let played = checked("row 69, names", |bots| {
        for name in names {
            let path = bots.join(OsStr::from_bytes(name));
            fs::write(&path, "#!/bin/sh\n").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        fs::write(bots.join("name.toml"), "name = \"\\u001b[2J,=1+1\"\nbuiltin = \"random\"").expect("a file");
    });
    assert_eq!(played.stderr.matches("is not a valid bot name").count(), names.len() + 1, "{}", played.stderr);
    assert_eq!(played.games.len(), 2, "the honest bots play on");
}

#[test]
fn a_bot_that_takes_the_name_of_another_plays_under_a_new_name() {
    // Names are plain ASCII, so look-alikes can differ only in case.
    let scenario = Scenario::new("row 70, twins", "tictactoe");
    scenario.dir.file("bots/AAA/bot.toml", "name = \"GREEDY\"\nbuiltin = \"random\"");
    scenario.dir.file("bots/greedy/bot.toml", "builtin = \"random\"");
    let ended = scenario.dir.process_ends(0, "tournament --game tictactoe --rounds 1 --move-time 30s --oversubscribe");
    for (place, name) in [("AAA", "GREEDY-3"), ("greedy", "greedy-2")] {
        let told =
            format!("warning: {name}: bots/{place} plays under this name because bots/greedy.toml is called `greedy`");
        assert!(ended.stderr.contains(&told), "{ended}");
    }
    let command = |name: &str| {
        let bots = scenario.dir.journal("tictactoe").event.expect("an event").bots;
        bots.into_iter().find(|bot| bot.id.name == name).map(|bot| bot.command)
    };
    assert_eq!(command("greedy"), Some("builtin greedy".to_owned()), "nobody else plays under its name");
    assert_eq!([command("greedy-2"), command("GREEDY-3")], [(); 2].map(|()| Some("builtin random".to_owned())));
}

#[test]
fn links_and_special_files_are_followed_to_programs_or_refused_unopened() {
    let played = checked("rows 71 and 72, links and special files", |bots| {
        symlink(faulty(), bots.join("good")).expect("a link");
        for (name, target) in [
            ("dangling", "nowhere"),
            ("loop", "loop"),
            ("zero.toml", "/dev/zero"),
            ("zero", "/dev/zero"),
            ("tty", "/dev/tty"),
        ] {
            symlink(target, bots.join(name)).expect("a link");
        }
        // Opening one of these for reading blocks forever.
        for fifo in ["fifo", "fifo.toml"] {
            assert!(std::process::Command::new("mkfifo").arg(bots.join(fifo)).status().expect("mkfifo").success());
            fs::set_permissions(bots.join(fifo), fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        std::os::unix::net::UnixListener::bind(bots.join("socket")).expect("a socket");
        // In a folder that is a bot, and beside a manifest that names them.
        let folder = bots.join("folder");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("bot.toml"), "builtin = \"minimax\"\noptions = { depth = 1 }").expect("a file");
        for name in ["zero", "fifo", "loop", "up"] {
            let target = if name == "up" { Path::new("..").to_owned() } else { bots.join(name) };
            symlink(target, folder.join(name)).expect("a link");
        }
        fs::write(bots.join("command.toml"), "command = [\"cat\", \"fifo\", \"zero\"]\nstartup_ms = 200")
            .expect("a file");
        for name in ["zero", "fifo"] {
            let manifest = format!("command = [\"cat\"]\nfiles = [\"{name}\"]");
            fs::write(bots.join(format!("files-{name}.toml")), manifest).expect("a file");
        }
        let manifest = bots.join("unopened");
        fs::create_dir(&manifest).expect("a folder");
        symlink("/dev/zero", manifest.join("bot.toml")).expect("a link");
    });
    for (name, says) in [
        ("bots/dangling", "a broken link to `nowhere`"),
        ("bots/loop", "a broken link to `loop`"),
        ("bots/files-zero.toml", "line 2: `files` names `zero`, which is neither a file nor a folder; remove it"),
        ("bots/files-fifo.toml", "line 2: `files` names `fifo`, which is neither a file nor a folder; remove it"),
        ("command", "a line is longer than 65536 bytes"),
    ] {
        played.assert_left_out(name, says);
    }
    let listed = played.dir.arena_ends(2, "bots").stdout;
    for name in ["fifo", "fifo.toml", "socket", "zero", "zero.toml", "tty"] {
        assert!(listed.contains(&format!("skipped: bots/{name}: neither a file nor a folder\n")), "{listed}");
    }
    let unopened = "cannot be used: bots/unopened: its bot.toml is a broken link or not a regular file; replace it";
    assert!(listed.contains(unopened), "{listed}");
    let names: std::collections::BTreeSet<&str> =
        played.games.iter().flat_map(|game| game.bots.iter().map(|bot| bot.name.as_str())).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["folder", "good", "greedy", "random"]);
}

#[test]
fn what_is_too_large_to_be_read_is_refused() {
    const TERABYTE: u64 = 1 << 40;
    let played = checked("row 71, too large", |bots| {
        // A file that is one hole.
        let sparse = |name: &str, mode: u32| {
            fs::File::create(bots.join(name)).expect("a file").set_len(TERABYTE).expect("a length");
            fs::set_permissions(bots.join(name), fs::Permissions::from_mode(mode)).expect("a mode");
        };
        sparse("manifest.toml", 0o644);
        sparse("program", 0o755);
        fs::create_dir(bots.join("folder")).expect("a folder");
        fs::write(bots.join("folder/bot.toml"), "command = [\"cat\"]").expect("a file");
        sparse("folder/weights", 0o644);
        fs::write(bots.join("nested.toml"), format!("command = {}", "[".repeat(500_000))).expect("a file");
        let mut deep = bots.join("deep");
        for _ in 0..150 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).expect("folders");
        fs::write(bots.join("deep/bot.toml"), "builtin = \"minimax\"\noptions = { depth = 1 }").expect("a file");
    });
    for (name, says) in [
        ("bots/manifest.toml", "the manifest cannot be read: it is longer than 1048576 bytes"),
        ("bots/program", "its files are larger than 16 GiB in total"),
        ("bots/folder", "its files are larger than 16 GiB in total"),
        ("bots/nested.toml", "line 1"),
    ] {
        played.assert_left_out(name, says);
    }
}

#[test]
fn links_of_a_folder_lead_to_what_is_its_own_or_installed_and_no_file_is_read_without_end() {
    let dir = Dir::new();
    let link = |target: &str, name: &str| symlink(target, dir.path("bots").join(name)).expect("a link");
    for name in ["kernel", "outside", "other", "fine"] {
        dir.script(&format!("bots/{name}/run"), "exit");
        dir.file(&format!("bots/{name}/bot.toml"), "command = [\"./run\"]");
    }
    dir.file("notes", "not for bots");
    // Its size is 0, and it yields hundreds of GiB.
    link("/proc/self/pagemap", "kernel/data.bin");
    link("../../notes", "outside/notes");
    link("../fine/run", "other/run2");
    dir.file("bots/fine/sub/book", "a book");
    link("sub/book", "fine/book");
    link("/bin/sh", "fine/shell");
    link("nowhere", "fine/dangling");
    // The user may name any file, but it must be finite.
    dir.file("bots/named/a", "");
    link("/proc/self/pagemap", "named/b");
    dir.file("bots/named.toml", "command = [\"cat\"]\nfiles = [\"named\"]");
    insta::assert_snapshot!(dir.arena("bots"), @"
    exit 2
    --- stdout
    fine  [hash]  [dir]/bots/fine/run
    cannot be used: bots/kernel: `data.bin` is a link to `/proc/self/pagemap`, which is not inside the bot's folder; put it there
    cannot be used: bots/named.toml: reading [dir]/bots/named/b: it is larger than its reported size; it must be a regular file that is not being written to
    cannot be used: bots/other: `run2` is a link to `../fine/run`, which is not inside the bot's folder; put it there
    cannot be used: bots/outside: `notes` is a link to `../../notes`, which is not inside the bot's folder; put it there
    skipped: bots/named: a folder without a bot.toml
    --- stderr
    ");
}

/// Row 118: folders that cost nothing to make and much to read are not read.
#[test]
fn files_full_of_holes_are_refused_unread_with_the_cure() {
    let dir = Dir::with_bots(&["random"]);
    for name in ["large", "larger"] {
        dir.file(&format!("bots/{name}/bot.toml"), "command = [\"sh\"]");
        let data = fs::File::create(dir.path(format!("bots/{name}/data.bin"))).expect("a file");
        data.set_len(15 << 30).expect("a size");
    }
    let listed = dir.arena_ends(2, "bots");
    for name in ["large", "larger"] {
        let says = format!("cannot be used: bots/{name}: its files have more than 64 MiB of holes (sparse files)");
        assert!(listed.stdout.contains(&says) && listed.stdout.contains("cp --sparse=never"), "{listed}");
    }
    assert!(listed.stdout.starts_with("random  "), "{listed}");
}

/// Row 119.
#[test]
fn a_bot_whose_program_does_not_exist_is_listed_with_the_cure() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/gone.toml", "command = [\"nosuchprogram\", \"x\"]");
    dir.file("bots/unbuilt/bot.toml", "command = [\"./run\"]\nbuild = \"make\"");
    dir.file("bots/closed/bot.toml", "command = [\"./run\"]");
    dir.file("bots/closed/run", "");
    let listed = dir.arena_ends(2, "bots");
    let [unbuilt, closed] =
        ["unbuilt", "closed"].map(|name| dir.path(format!("bots/{name}/run")).display().to_string());
    for says in [
        "cannot be used: gone: its program nosuchprogram is not in PATH; install it, or correct `command`".to_owned(),
        format!("cannot be used: unbuilt: its program {unbuilt} does not exist; build it (in its folder: make), or"),
        format!("cannot be used: closed: its program {closed} is not executable; chmod +x {closed}"),
    ] {
        assert!(listed.stdout.contains(&says), "{listed}");
    }
    assert!(listed.stdout.starts_with("random  "), "{listed}");
    let listed = dir.arena_ends(2, "bots --json").stdout;
    assert!(listed.contains("\"name\": \"gone\"") && listed.contains("is not in PATH"), "{listed}");
}
