//! Rows 110 to 115: results folders of strangers, in which links and pipes are planted. Whatever is done in them, nothing
//! outside changes, nothing waits, and what is refused is named.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use arena::event::Tournament;
use arena::journal::{self, Journal, JournalLine};
use arena::record::Record;
use arena::results_folder::ResultsFolder;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

use super::watched::contents;
use crate::support::{Dir, Ended};

const QUICK: &str = "--no-check -q -j 1 --sandbox off --strikes starts=off,games=off";

/// Something planted in the place of an entry of a results folder.
#[derive(Debug, Clone, Copy)]
enum Plant {
    /// A link to a file outside.
    ToFile,
    /// A link to a folder outside.
    ToFolder,
    /// A link to a file outside that is not there.
    ToNothing,
    /// A link to the entry itself, moved outside.
    Moved,
    /// A link to another file in the folder.
    Beside,
    Pipe,
    /// A hard link to a file outside with the same content.
    SecondName,
}

use Plant::{Beside, Moved, Pipe, SecondName, ToFile, ToFolder, ToNothing};

/// What becomes of a plant.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// The output names it.
    Named,
    /// It is not touched, or replaced as a whole.
    Harmless,
}

use Fate::{Harmless, Named};

/// An entry, what is planted in its place, and what becomes of that with each command.
type Case<'a> = (&'a str, &'a [Plant], &'a [(&'a str, Fate)]);

/// Results that are planted again and again.
struct Ground {
    dir: Dir,
}

impl Ground {
    /// Results of these commands, with a bot that fails.
    fn of(commands: &[&str]) -> Self {
        let dir = Dir::with_bots(&["random", "greedy"]);
        dir.script("bots/fails", "read -r line; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r line; exit 3");
        for command in commands {
            dir.process_ends(0, &format!("{command} {QUICK}"));
        }
        fs::rename(dir.path("results"), dir.path("saved")).expect("results");
        Self { dir }
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.dir.path("outside").join(name)
    }

    fn restore(&self) {
        for folder in ["results", "outside"] {
            let _ = fs::remove_dir_all(self.dir.path(folder));
        }
        copy(&self.dir.path("saved"), &self.dir.path("results"));
        self.dir.file("outside/file", "precious\n");
        self.dir.file("outside/folder/file", "precious\n");
    }

    fn plant(&self, entry: &str, plant: Plant) {
        let at = self.dir.path("results").join(entry);
        let is_there = at.symlink_metadata().is_ok();
        match plant {
            Moved => fs::rename(&at, self.outside("moved")).expect("it is there"),
            SecondName if is_there => drop(fs::copy(&at, self.outside("copy")).expect("a copy")),
            SecondName => fs::write(self.outside("copy"), "precious\n").expect("a file"),
            _ => {}
        }
        let _ = fs::remove_dir_all(&at);
        let _ = fs::remove_file(&at);
        match plant {
            ToFile => symlink(self.outside("file"), at).expect("a link"),
            ToFolder => symlink(self.outside("folder"), at).expect("a link"),
            ToNothing => symlink(self.outside("new"), at).expect("a link"),
            Moved => symlink(self.outside("moved"), at).expect("a link"),
            Beside => symlink("tournament.json", at).expect("a link"),
            Pipe => mknodat(CWD, &at, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe"),
            SecondName => fs::hard_link(self.outside("copy"), at).expect("a link"),
        }
    }

    /// Runs a command on results with something planted in them.
    #[track_caller]
    fn run(&self, entry: &str, plant: Plant, command: &str, fate: Fate) {
        self.restore();
        self.plant(entry, plant);
        let before = contents(&self.dir.path("outside"));
        let ended = self.dir.process(command);
        let what = format!("{plant:?} as {entry}, arena {command}\n{ended}");
        assert!(contents(&self.dir.path("outside")) == before, "changed outside: {what}");
        let kind = match plant {
            Pipe => "is a pipe",
            SecondName => "has another name somewhere (a hard link)",
            _ => "is a link",
        };
        let is_named = format!("{}{}", ended.stdout, ended.stderr).contains(&format!("results/{entry} {kind}"));
        assert_eq!(is_named, fate == Named, "{what}");
    }

    #[track_caller]
    fn run_all(&self, cases: &[Case<'_>]) {
        for (entry, plants, commands) in cases {
            for plant in *plants {
                for (command, fate) in *commands {
                    self.run(entry, *plant, command, *fate);
                }
            }
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().expect("a kind").is_dir() { copy(&path, &to) } else { drop(fs::copy(path, to)) }
    }
}

#[test]
fn tables_are_made_in_a_planted_folder_and_nothing_outside_changes() {
    let ground = Ground::of(&["tournament --game tictactoe --name t --rounds 1"]);
    let moves = "export t --moves -o moves.csv";
    ground.run_all(&[
        ("t/games.jsonl", &[ToFile, ToNothing, Moved, Pipe], &[("standings t", Named), ("verify t", Named)]),
        ("t/games.jsonl", &[ToFolder, Moved, Beside, Pipe], &[("replay --name t", Named), (moves, Named)]),
        ("t/games.jsonl", &[SecondName], &[("standings t", Harmless), (moves, Harmless)]),
        ("t/games.csv", &[ToFile, Pipe], &[("replay --name t", Named), ("standings t", Named)]),
        ("t/.lock", &[ToFile, ToNothing, Pipe, SecondName], &[("standings t", Named), ("verify t", Harmless)]),
        ("t/standings.csv", &[ToFile, Beside, Pipe], &[("standings t", Named)]),
        ("t/crosstable.csv", &[ToFolder], &[("standings t", Named)]),
        ("t/head_to_head.csv", &[ToNothing], &[("standings t", Named)]),
        ("t/tournament.json", &[Moved], &[("standings t", Named)]),
        ("t/bots.csv", &[ToFile, Pipe], &[("standings t", Named)]),
        ("t/report.html", &[ToFile, ToNothing], &[("standings t", Named)]),
        ("t/standings.csv", &[SecondName], &[("standings t", Harmless)]),
        // Out of date: removed, and only the link.
        ("t/rounds.csv", &[ToFile, Pipe, SecondName], &[("standings t", Harmless)]),
        ("t/covariance.csv", &[ToFile], &[("standings t", Harmless)]),
        ("t/outputs.json", &[ToFile, ToNothing, Pipe], &[("standings t", Named), (moves, Named)]),
        // Temporary files of a run that was killed.
        ("t/.bots.csv.tmp", &[ToFile, Pipe, SecondName], &[("standings t", Harmless)]),
        ("t/.report.html.tmp", &[ToFile], &[("standings t", Harmless)]),
        ("t/bots", &[ToFolder, Moved], &[("standings t", Harmless)]),
        ("t/bots/fails.faults", &[ToFolder, Pipe], &[("standings t", Harmless)]),
        // As if it were the folder of a series.
        ("t/series.json", &[ToFile, Pipe], &[("standings t", Named), ("verify t", Harmless)]),
        ("t", &[Moved], &[("publish public", Named)]),
        ("t/games.jsonl", &[ToFile, Moved, Pipe], &[("publish public", Named)]),
        ("t/outputs.json", &[ToFile, Pipe], &[("publish public", Named)]),
        ("t/report.html", &[Moved, Pipe], &[("publish public", Harmless)]),
        // Not a page of ours, so it stays.
        ("index.html", &[ToFile, ToNothing, Pipe, SecondName], &[("standings t", Harmless)]),
    ]);
    // Plots are written into a folder that a person names; what is in it is not followed.
    ground.restore();
    ground.dir.file("plots/other.svg", "");
    symlink(ground.outside("file"), ground.dir.path("plots/elo.svg")).expect("a link");
    let refused = ground.dir.arena_ends(1, "standings t --svg plots").stderr;
    assert!(refused.contains("plots/elo.svg exists already"), "{refused}");
    let refused = ground.dir.arena_ends(1, "standings t --svg plots --force").stderr;
    assert!(refused.contains("plots/elo.svg is a link"), "{refused}");
    assert_eq!(ground.dir.read("outside/file"), "precious\n");
}

#[test]
fn a_planted_tournament_is_resumed_and_nothing_outside_changes() {
    let tournament = "tournament --game tictactoe --name t";
    let ground = Ground::of(&[&format!("{tournament} --rounds 1")]);
    let rerun = &*format!("{tournament} --rounds 2 {QUICK}");
    let fresh = &*format!("{tournament} --rounds 1 --fresh {QUICK}");
    let game = &*format!("match random greedy --game tictactoe --name t --rounds 1 {QUICK}");
    ground.run_all(&[
        ("t/games.jsonl", &[ToFile, ToFolder, ToNothing, Moved, Pipe, SecondName], &[(rerun, Named)]),
        ("t/games.jsonl", &[Moved, Pipe], &[(fresh, Named), (game, Named)]),
        ("t/games.jsonl.1", &[ToFile, ToNothing], &[(fresh, Harmless)]),
        ("t/.lock", &[ToFile, ToNothing, Pipe, SecondName], &[(rerun, Named)]),
        ("t/.lock", &[Moved], &[(game, Named)]),
        ("t/.probe", &[ToFile, Pipe], &[(rerun, Named)]),
        ("t/..probe.tmp", &[ToFile], &[(rerun, Harmless)]),
        ("t/bots", &[ToFolder, ToNothing, Moved], &[(rerun, Named)]),
        ("t/bots/fails.log", &[ToFile, ToNothing, Moved, Pipe, SecondName], &[(rerun, Named)]),
        ("t/bots/fails.faults", &[ToFolder, Moved], &[(rerun, Named)]),
        ("t/report.html", &[ToFile], &[(rerun, Named)]),
    ]);
    // A folder that a person keeps elsewhere, behind a link of their own, is used as ever.
    ground.restore();
    fs::rename(ground.dir.path("results/t"), ground.dir.path("mine")).expect("results");
    symlink(ground.dir.path("mine"), ground.dir.path("results/t")).expect("a link");
    ground.dir.process_ends(0, rerun);
    assert_eq!(ground.dir.journal("t").games.len(), 12);
}

#[test]
fn planted_shards_are_merged_and_nothing_outside_changes() {
    let shard = |index: u32| format!("tournament --game tictactoe --name m --rounds 1 --seed 1 --shard {index}/2");
    let ground = Ground::of(&[&shard(0), &shard(1)]);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let drop = &*format!("merge m --drop-machine {host}");
    let again = &*format!("{} {QUICK}", shard(0));
    ground.run_all(&[
        ("m/games.jsonl", &[ToFile, ToNothing, Pipe], &[("merge m", Named)]),
        ("m/.lock", &[ToFile, ToNothing, Pipe], &[("merge m", Named)]),
        ("m/.games.jsonl.tmp", &[ToFile, Pipe], &[(drop, Harmless)]),
        ("m/shards", &[Moved, ToFolder], &[("merge m", Named), (drop, Named), (again, Named)]),
        ("m/shards/0-of-2", &[Moved], &[("merge m", Named), (drop, Named), (again, Named)]),
        ("m/shards/0-of-2/games.jsonl", &[Moved, Pipe], &[("merge m", Named), (again, Named)]),
        ("m/shards/1-of-2/.lock", &[ToFile, SecondName], &[(drop, Named), ("merge m", Harmless)]),
        ("m/standings.csv", &[ToFile], &[("merge m", Named)]),
    ]);
}

#[test]
fn a_planted_series_leads_nowhere_else() {
    let series = "series --game tictactoe --game marbles:heap=3 --name s --seed 1";
    let tournament = "tournament --game tictactoe --name t --rounds 1";
    let ground = Ground::of(&[&format!("{series} --rounds 1"), tournament]);
    let rerun = &*format!("{series} --rounds 2 {QUICK}");
    ground.run_all(&[
        ("s/series.json", &[ToFile, Pipe], &[("standings s", Named), ("verify t", Named), (rerun, Named)]),
        ("s/combined.csv", &[ToFile, Pipe], &[("standings s", Named), (rerun, Named)]),
        ("s/.combined.csv.tmp", &[ToFile], &[("standings s", Harmless), (rerun, Harmless)]),
        ("s/tictactoe", &[Moved, ToFolder], &[("standings s", Named), ("verify s", Named), (rerun, Named)]),
        ("s/tictactoe/games.jsonl", &[Moved], &[("standings s", Named), (rerun, Named)]),
        ("s/tictactoe/.lock", &[ToFile], &[("standings s", Named)]),
    ]);
    // The definition names folders.
    let read = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    for (field, value, says) in [
        (
            "folder",
            Value::from("../t"),
            "the folder of tictactoe is `../t`, which is not the name of one in the series",
        ),
        ("folder", Value::from("/tmp"), "the folder of tictactoe is `/tmp`, which"),
        ("folder", Value::from(".."), "the folder of tictactoe is `..`, which"),
        ("folder", Value::from(""), "the folder of tictactoe is ``, which"),
        ("folder", Value::from("a\u{0}b"), "which is not the name of one in the series"),
        ("weight", Value::from(-1.0), "the weight of tictactoe is -1, and not above 0"),
        ("weight", Value::from(0.0), "the weight of tictactoe is 0, and not above 0"),
        ("weight", Value::Null, "invalid type: null"),
    ] {
        ground.restore();
        let mut file = read(&ground.dir.read("results/s/series.json"));
        file["games"][0][field] = value;
        ground.dir.file("results/s/series.json", file.to_string());
        let before = contents(&ground.dir.path("results/t"));
        let refused = ground.dir.arena_ends(1, "standings s").stderr;
        assert!(
            refused.contains("results/s/series.json: run `arena series` again") && refused.contains(says),
            "{refused}"
        );
        assert!(contents(&ground.dir.path("results/t")) == before);
        // Others are shown, with a warning.
        for command in ["standings t", "verify t", "verify", "replay --name t", "replay"] {
            let said = ground.dir.process_ends(0, command).stderr;
            assert!(said.contains("warning: results/s is passed over: ") && said.contains(says), "{command}: {said}");
        }
    }
}

/// Reads a command from the output of `standings`.
fn reproduce(ended: &Ended) -> Vec<&str> {
    ended.stdout.lines().filter(|line| line.contains("reproduce")).collect()
}

#[test]
fn a_command_from_a_results_folder_is_marked() {
    const MARK: &str = "To reproduce (from the results folder; read it before you run it): ";
    let tournament = "tournament --game tictactoe --name t --rounds 1";
    let ground = Ground::of(&[tournament]);
    ground.restore();
    let rerun = format!("{tournament} {QUICK}");
    // A run knows its bots, and with them the command.
    let said = ground.dir.process_ends(0, &rerun);
    assert!(reproduce(&said)[0].starts_with("To reproduce: (cd bots && ./fails) < results/t/bots/"), "{said}");
    // Nothing else does.
    let said = ground.dir.arena_ends(0, "standings t");
    assert!(reproduce(&said)[0].starts_with(MARK), "{said}");
    for file in fs::read_dir(ground.dir.path("results/t/bots/fails.faults")).expect("files of faults") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("text").replace("(cd bots && ./fails)", "touch outside/pwned;");
        fs::write(path, text).expect("a file");
    }
    for command in [rerun.as_str(), "standings t"] {
        let said = ground.dir.process_ends(0, command);
        assert!(reproduce(&said)[0].starts_with(&format!("{MARK}touch outside/pwned;")), "{said}");
    }
}

#[test]
fn a_name_in_a_journal_is_no_path() {
    let ground = Ground::of(&["tournament --game tictactoe --name t --rounds 1"]);
    for name in ["../../../outside/x", "/etc/x", "..", "a b'$(touch pwned)\u{1b}[31m"] {
        ground.restore();
        let folder = ResultsFolder::open(&ground.dir.path("results/t")).expect("a folder");
        rename(&folder, name);
        let faults = ground.outside("x.faults");
        fs::create_dir_all(&faults).expect("a folder");
        let before = contents(&ground.dir.path("outside"));
        for game in ground.dir.journal("t").games {
            let fault = "{\"type\":\"x_fault\",\"command\":\"touch outside/pwned\"}\n";
            fs::write(faults.join(format!("{}.jsonl", game.id)), fault).expect("a file");
        }
        let said = ground.dir.arena_ends(0, "standings t");
        assert!(reproduce(&said)[0].starts_with("To reproduce: arena replay "), "{said}");
        let logs: Vec<&str> = said.stdout.lines().filter(|line| line.starts_with("Log: ")).collect();
        if name.contains('$') {
            assert_eq!(logs, [r"Log: 'results/t/bots/a b'\''$(touch pwned)\u{1b}[31m.log'"], "{said}");
        } else if name.contains('/') {
            assert!(logs.is_empty(), "{said}");
        }
        fs::remove_dir_all(&faults).expect("a folder");
        let after = contents(&ground.dir.path("outside"));
        assert!(after.keys().all(|path| before.contains_key(path)), "{said}");
    }
}

/// Gives the bot that fails another name in a journal, with sums that are right.
fn rename(folder: &ResultsFolder, name: &str) {
    let bytes = fs::read(folder.path_of(journal::FILE_NAME)).expect("a journal");
    fs::remove_file(folder.path_of(journal::FILE_NAME)).expect("a journal");
    let (mut renamed, _) = Journal::open(folder).expect("a new journal");
    let mut lines = journal::lines(&bytes[..]);
    while let Some(located) = lines.next() {
        match located.expect("a line").line.expect("a sound line") {
            JournalLine::Openings => {}
            JournalLine::Event(event) => {
                let mut event: Tournament = lines.complete(*event).expect("openings");
                for bot in event.bots.iter_mut().filter(|bot| bot.id.name == "fails") {
                    name.clone_into(&mut bot.id.name);
                }
                renamed.append_event(&event).expect("written");
            }
            JournalLine::Game(record) => {
                let mut record: Record = *record;
                for bot in record.bots.iter_mut().filter(|bot| bot.name == "fails") {
                    name.clone_into(&mut bot.name);
                }
                renamed.append_game(&record).expect("written");
            }
            JournalLine::Round(round) => renamed.append_round(&round).expect("written"),
            JournalLine::Stop(stop) => renamed.append_stop(stop).expect("written"),
        }
    }
}
