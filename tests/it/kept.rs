//! Resubmissions that fail: with `--keep-last-good` the last version that passed the check plays on.

use std::fs;

use arena::event::{Tournament, day};
use arena::guard::{SandboxMode, can_close};

use crate::support::{Dir, Ended, not_tested};

const PLAY: &str =
    "tournament --game tictactoe --rounds 1 --move-time 30s -j 2 --oversubscribe --sandbox off --name cup";
const FLAG: &str = "--keep-last-good";
const BROKEN: &str = "echo 'IndentationError: unexpected indent' >&2; exit 1";

/// `random` and `greedy`, and a script called `eve`.
fn field() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script_bot("eve", "random");
    dir
}

fn event(dir: &Dir) -> Tournament {
    dir.journal("cup").event.expect("an event")
}

/// The tables that people rank by, and all games without their times.
fn tables(dir: &Dir) -> String {
    let games = dir.read("results/cup/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    let read = |table| dir.read(&format!("results/cup/{table}.csv"));
    ["standings", "head_to_head", "crosstable"].map(read).join("\n") + &games.join("\n")
}

/// The fingerprints of all copies.
fn copies(dir: &Dir) -> Vec<String> {
    let entries = fs::read_dir(dir.path("bots/.kept")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let mut names: Vec<String> = names.filter(|name| name.len() == 16).collect();
    names.sort();
    names
}

fn fingerprint(dir: &Dir, name: &str) -> String {
    let event = event(dir);
    let bot = event.bots.iter().find(|bot| bot.id.name == name).expect("a bot");
    assert!(!bot.id.twin);
    bot.id.fingerprint.clone()
}

fn names(dir: &Dir) -> Vec<String> {
    event(dir).bots.into_iter().map(|bot| bot.id.name).collect()
}

/// Whether both the run and its results say this.
#[track_caller]
fn says(dir: &Dir, ended: &Ended, text: &str) {
    let said = [&ended.stdout, &ended.stderr, &dir.read("results/cup/tournament.json")];
    assert!(said.iter().all(|said| said.contains(text)), "{text}\n{ended}");
}

#[test]
fn a_resubmission_that_does_not_start_is_replaced_by_the_last_version_that_did() {
    let dir = field();
    dir.process_ends(0, &format!("{PLAY} {FLAG}"));
    let (before, first) = (tables(&dir), fingerprint(&dir, "eve"));
    assert_eq!(copies(&dir).len(), 3);

    let plain = field();
    plain.process_ends(0, PLAY);
    assert_eq!(tables(&plain), before);

    // It fails the check: every game is in the journal, and counts as before.
    dir.script("bots/eve", BROKEN);
    let lines = dir.journal_lines("cup");
    let ended = dir.process_ends(2, &format!("{PLAY} {FLAG}"));
    let today = day(&event(&dir).earlier[0].date);
    let fails = "the new version does not start (IndentationError: unexpected indent; it exited with status 1 before it said \
                 hello)";
    says(&dir, &ended, &format!("eve: {fails}; the version of {today} plays"));
    assert!(ended.stderr.contains("nothing new to play") && !ended.stderr.contains("left out"), "{ended}");
    assert_eq!((tables(&dir), fingerprint(&dir, "eve")), (before.clone(), first.clone()));
    let now = event(&dir);
    assert_eq!((now.earlier.len(), now.earlier[0].starts, now.left_out.len()), (1, false, 0));
    assert_eq!(dir.journal_lines("cup"), lines + 1, "a definition, and no game");
    // The log of the check is there, and tables that are made again say the same.
    assert!(dir.read("results/cup/bots/eve.log").contains("IndentationError"));
    assert!(dir.arena_ends(0, "standings cup").stdout.contains(&format!("{fails}; the version of")));

    // It plays further games, also when the file is no program any more.
    dir.file("bots/eve", "notes");
    let more = PLAY.replace("--rounds 1", "--rounds 2");
    let ended = dir.process_ends(2, &format!("{more} {FLAG}"));
    says(&dir, &ended, "eve: the new version does not start (");
    assert!(dir.journal("cup").games.iter().all(|game| game.bots.iter().all(|bot| !bot.twin)));
    assert_eq!((dir.journal("cup").games.len(), fingerprint(&dir, "eve")), (12, first.clone()));
    dir.arena_ends(0, "verify cup");

    // A copy with other content is not started.
    let copy = format!("bots/.kept/{first}/files/bots/eve");
    fs::remove_file(dir.path(&copy)).expect("removed");
    dir.script(&copy, "echo x >../../../../../started");
    dir.script("bots/eve", BROKEN);
    let ended = dir.process_ends(2, &format!("{more} {FLAG}"));
    let refused = format!("the version of {today} cannot be used: its files in bots/.kept/{first} have changed, or");
    says(&dir, &ended, &refused);
    assert_eq!(event(&dir).left_out.len(), 1);
    assert!(!dir.path("started").exists() && names(&dir) == ["greedy", "random"]);

    // Without the flag nothing is started either.
    let ended = dir.process_ends(2, &more);
    assert!(ended.stderr.contains("left out: eve: ") && !ended.stderr.contains("version"), "{ended}");

    // The next version that works is kept instead.
    dir.script_bot("eve", "greedy");
    dir.process_ends(0, &format!("{more} {FLAG}"));
    let second = fingerprint(&dir, "eve");
    assert!(second != first && copies(&dir).contains(&second) && !copies(&dir).contains(&first));

    // A bot that is gone stays away.
    fs::remove_file(dir.path("bots/eve")).expect("removed");
    dir.process_ends(0, &format!("{more} {FLAG}"));
    assert_eq!(names(&dir), ["greedy", "random"]);
    assert!(!plain.path("bots/.kept").exists());
}

#[test]
fn a_version_that_fails_the_check_later_is_replaced_and_one_that_fails_too_is_left_out() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let licence = dir.path("licence");
    dir.file("licence", "");
    let arena = crate::support::arena();
    dir.script("bots/eve", &format!("[ -e {} ] || exit 3\nexec {arena} bot random", licence.display()));
    // A folder bot, whose name is that in its manifest.
    dir.file("bots/folder/bot.toml", "name = \"adam\"\ncommand = [\"sh\", \"main.sh\"]");
    dir.file("bots/folder/main.sh", format!("exec {arena} bot greedy"));
    dir.file("bots/.gitignore", "");
    dir.process_ends(0, &format!("{PLAY} {FLAG}"));
    let adam = fingerprint(&dir, "adam");
    assert_eq!(copies(&dir).len(), 4);

    // Its manifest is broken; the other one answers nonsense.
    dir.file("bots/folder/bot.toml", "name = adam");
    dir.script(
        "bots/eve",
        &format!(
            "{}\necho '{{\"type\":\"move\",\"id\":'$(id \"$line\")',\"move\":99}}'; cat >/dev/null",
            crate::support::ASKED
        ),
    );
    let ended = dir.process_ends(2, &format!("{PLAY} {FLAG}"));
    says(&dir, &ended, "eve: the new version fails the check (illegal_move: ");
    says(&dir, &ended, "adam: the new version does not start (line 1, ");
    assert!(!ended.stderr.contains("left out") && fingerprint(&dir, "adam") == adam, "{ended}");

    // What the machine lacks, the earlier version lacks as well.
    fs::remove_file(&licence).expect("removed");
    let ended = dir.process_ends(2, &format!("{PLAY} {FLAG} --rounds 2").replace("--rounds 1 ", ""));
    assert!(ended.stderr.contains("left out: eve: the version of "), "{ended}");
    says(&dir, &ended, " fails (it exited with status 3 before it said hello), and the new version fails the check (");
    assert_eq!(names(&dir), ["adam", "greedy", "random"]);
    assert_eq!(event(&dir).earlier.len(), 1);
}

#[test]
fn a_tournament_that_has_begun_or_is_planned_goes_on_with_the_version_it_began_with() {
    for (format, parts) in [("--format swiss --pairs 1", &[""][..]), ("", &["--shard 0/2", "--shard 1/2"][..])] {
        let dir = field();
        let play = PLAY.replace("--rounds 1", format);
        dir.process_ends(0, &format!("{play} {FLAG} --plan"));
        let planned = fingerprint(&dir, "eve");
        dir.script("bots/eve", BROKEN);
        // Without the flag it is another bot.
        dir.process_ends(1, &format!("{play} {}", parts[0]));
        let codes: &[i32] = if parts.len() > 1 { &[0, 0] } else { &[2] };
        for (part, code) in parts.iter().zip(codes) {
            let ended = dir.process_ends(*code, &format!("{play} {FLAG} {part}"));
            assert!(ended.stderr.contains("eve: the new version does not start ("), "{ended}");
        }
        assert_eq!(fingerprint(&dir, "eve"), planned);
    }
}

#[test]
fn each_game_of_a_series_has_the_last_version_that_plays_it() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.builtin("eve", "random");
    let play = "series --game tictactoe --game mnk:rows=3,cols=4,k=3 --rounds 1 --move-time 30s -j 2 --oversubscribe \
                --sandbox off --seed 1";
    dir.process_ends(0, &format!("{play} {FLAG}"));
    // It cannot be used in any of them.
    dir.file("bots/eve.toml", "command");
    let ended = dir.process_ends(2, &format!("{play} {FLAG}"));
    let says = "eve: the new version does not start (line 1, ";
    assert_eq!(ended.stderr.matches(says).count(), 4, "each game at its beginning and end\n{ended}");
    assert!(!ended.stderr.contains("left out"), "{ended}");
}

#[test]
fn a_failing_submission_does_not_borrow_the_kept_program_of_another_author() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("bots/alice/bot.toml", "command = [\"sh\", \"main.sh\"]");
    dir.file("bots/alice/main.sh", format!("exec {} bot greedy", crate::support::arena()));
    dir.process_ends(0, &format!("{PLAY} {FLAG}"));
    let first = fingerprint(&dir, "alice");
    // alice leaves. A folder takes the name, and its program ends at once.
    fs::remove_dir_all(dir.path("bots/alice")).expect("removed");
    dir.file("bots/mal/bot.toml", "command = [\"sh\", \"main.sh\"]\nname = \"alice\"");
    dir.file("bots/mal/main.sh", "exit 1");
    let ended = dir.process_ends(2, &format!("{PLAY} {FLAG}"));
    let today = day(&arena_today(&dir));
    says(
        &dir,
        &ended,
        &format!("the version of {today} cannot be used: it is of `alice`, and this is `mal`, which has none yet"),
    );
    assert_eq!((names(&dir), event(&dir).earlier.len()), (["greedy", "random"].map(str::to_owned).to_vec(), 0));
    assert!(copies(&dir).contains(&first), "it stays alice's");
    // When alice is back and fails, it is hers.
    dir.file("bots/alice/bot.toml", "command = ");
    let ended = dir.process_ends(2, &format!("{PLAY} {FLAG}"));
    assert!(ended.stderr.contains("alice: the new version does not start"), "{ended}");
    assert_eq!(fingerprint(&dir, "alice"), first);
    // A name that moves starts anew, and the run says so.
    fs::remove_dir_all(dir.path("bots/alice")).expect("removed");
    dir.file("bots/mal/main.sh", format!("exec {} bot random", crate::support::arena()));
    let ended = dir.process_ends(0, &format!("{PLAY} {FLAG}"));
    let says = "was of `alice`, and is no longer kept: `mal` has the name now";
    assert!(ended.stderr.contains(says), "{ended}");
    dir.file("bots/mal/main.sh", "exit 1");
    dir.process_ends(2, &format!("{PLAY} {FLAG}"));
    assert_eq!(event(&dir).earlier.len(), 1);
}

/// The day on which the version of alice was kept.
fn arena_today(dir: &Dir) -> String {
    let record: serde_json::Value =
        serde_json::from_str(&dir.read("bots/.kept/alice@tictactoe.json")).expect("a record");
    record["date"].as_str().expect("a date").to_owned()
}

#[test]
fn a_planted_folder_is_refused_and_the_check_is_needed() {
    let dir = field();
    std::os::unix::fs::symlink("../out", dir.path("bots/.kept")).expect("a link");
    let ended = dir.process_ends(1, &format!("{PLAY} {FLAG}"));
    assert!(ended.stderr.contains("bots/.kept is not a folder, or is a link, which is not followed"), "{ended}");
    dir.process_ends(0, PLAY);
    dir.arena_ends(0, "bots");
    let ended = dir.process_ends(1, &format!("{PLAY} {FLAG} --no-check"));
    assert!(ended.stderr.contains("--no-check"), "{ended}");
}

#[test]
fn a_bot_reads_and_writes_no_kept_version_in_the_sandbox() {
    if !can_close(SandboxMode::Auto) {
        return not_tested("kept versions and the sandbox", "this machine has no Landlock");
    }
    let dir = Dir::with_bots(&["random"]);
    let kept = dir.path("bots/.kept");
    let (kept, arena) = (kept.display(), crate::support::arena());
    dir.script("bots/eve", &format!("cat {kept}/*.json >&2; echo x >{kept}/planted; exec {arena} bot random"));
    dir.process_ends(0, &format!("{PLAY} {FLAG}").replace("--sandbox off", "--sandbox auto"));
    let log = dir.read("results/cup/bots/eve.log");
    // After the check there is something to read.
    assert!(dir.path("bots/.kept/eve@tictactoe.json").exists() && !dir.path("bots/.kept/planted").exists());
    assert!(log.contains("ermission denied") && !log.contains("fingerprint"), "{log}");
}
