//! Workers get the rules of a game that are a program as they get bots.

use std::fs;

use crate::kit::{LIMIT, coordinator, ends, worker};
use crate::server::Server;
use crate::support::{Dir, in_repository, until};

/// The flags of every tournament here.
const ANY: &str = "--game ./sticks.toml --rounds 6 --seed 5 --move-time 30s --oversubscribe --no-check";

/// A folder with rules that need a module of their own, and bots.
fn with_rules() -> Dir {
    let dir = Dir::new();
    let sticks = fs::read_to_string(in_repository("examples/games/sticks.py")).expect("an example");
    dir.file("module.py", "HEAP = 21\n");
    dir.file("sticks.py", format!("import module\nassert module.HEAP == 21\n{sticks}"));
    dir.file("sticks.toml", "command = [\"python3\", \"sticks.py\"]\nfiles = [\"module.py\"]\n");
    for bot in ["a", "b", "c"] {
        dir.builtin(bot, "random");
    }
    dir
}

fn table(dir: &Dir, name: &str) -> String {
    let games = fs::read_to_string(dir.path(format!("results/{name}/games.csv"))).expect("a table");
    // Times come last.
    games.lines().map(|row| row.rsplitn(5, ',').last().expect("columns").to_owned() + "\n").collect()
}

#[test]
#[ignore = "needs nats-server"]
fn workers_play_by_the_rules_of_a_program() {
    let dir = with_rules();
    let Some(server) = Server::start(&dir.path("")) else { return };
    let workers = ["one", "two"].map(|machine| worker(&dir, &server, machine));
    ends(coordinator(&dir, &server, &format!("{ANY} --name far")), 0);
    dir.arena_ends(0, &format!("tournament {ANY} --name near -q"));
    assert_eq!(table(&dir, "far").lines().count(), 37);
    assert_eq!(table(&dir, "far"), table(&dir, "near"));
    let ended = dir.arena_ends(0, "verify far --game ./sticks.toml");
    assert!(ended.stdout.contains("36 games follow the rules"), "{ended}");
    let of_rules = |folder: fs::DirEntry| folder.path().join("files/bots/module.py").is_file();
    for machine in ["one", "two"] {
        let mut store = fs::read_dir(dir.path(format!("cache-{machine}/arena/bots"))).expect("a store").flatten();
        assert!(store.any(of_rules), "{machine}");
    }
    for worker in workers {
        drop(worker);
    }
    until(LIMIT, "no process is left", || dir.processes().is_empty());
}

#[test]
#[ignore = "needs nats-server"]
fn other_rules_than_those_of_the_event_are_refused() {
    let dir = with_rules();
    // On a file system that all machines share, but one of them has another version.
    dir.file("shared/library", "1");
    let shared = dir.path("shared/library").to_string_lossy().into_owned();
    for name in ["sticks.py", "module.py"] {
        dir.file(&format!("rules/{name}"), fs::read(dir.path(name)).expect("rules"));
    }
    let manifest = format!("command = [\"python3\", \"sticks.py\"]\nfiles = [\"module.py\", {shared:?}]\n");
    dir.file("rules/sticks.toml", manifest);
    let Some(server) = Server::start(&dir.path("")) else { return };
    let flags = format!("{} --rules-read {shared}", ANY.replace("./", "./rules/"));
    let coordinator = coordinator(&dir, &server, &flags);
    until(LIMIT, "the tournament has begun", || dir.journal_lines("sticks") > 0);
    dir.file("shared/library", "2");
    let worker = worker(&dir, &server, "one");
    let refused = ends(coordinator, 3).stderr;
    for text in [refused, worker.stderr()] {
        assert!(text.contains("install the same version on all machines"), "{text}");
    }
}
