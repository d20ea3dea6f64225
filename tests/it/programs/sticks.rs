//! A tournament of a game that nobody has built in is a tournament like any other.

use rustix::process::Signal;

use super::{PATIENT, example, games, table};
use crate::support::{Dir, LIMIT, until, without_pace};

const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];

fn tables(dir: &Dir) -> String {
    let tables = TABLES.map(|name| table(dir, "sticks", name));
    tables.into_iter().chain(games(dir, "sticks")).collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_are_the_same_however_the_games_were_come_by() {
    let command = format!("tournament --game ./sticks.toml --rounds 3 {PATIENT} --no-check");
    let field = || example("sticks", &["a", "b", "c"]);
    let reference = field();
    reference.process_ends(0, &format!("{command} -j 1"));
    let expected = tables(&reference);
    assert_eq!(expected.matches(",last_stick,ok,ok,").count(), 18, "{expected}");

    let other = field();
    other.process_ends(0, &format!("{command} -j 4"));
    assert_eq!(tables(&other), expected, "at -j 4");

    let killed = field();
    let mut running = killed.start(&format!("{command} -j 2"));
    until(LIMIT, "some games are in the journal", || killed.journal_lines("sticks") >= 5 || running.has_ended());
    if !running.has_ended() {
        running.signal(Signal::KILL);
    }
    running.wait(LIMIT);
    until(LIMIT, "no process is left", || killed.processes().is_empty());
    killed.process_ends(0, &format!("{command} -j 2"));
    assert_eq!(tables(&killed), expected, "after being killed");
    let ended = killed.process_ends(0, "verify --game ./sticks.toml");
    assert!(ended.stdout.contains("18 games follow the rules; none of the 18 scheduled is missing"), "{ended}");
}

#[test]
fn tables_need_no_program() {
    check_tables("sticks");
}

#[test]
fn tables_need_no_program_that_hides_something() {
    check_tables("kuhn");
}

fn check_tables(game: &str) {
    let dir = example(game, &["a", "b", "c"]);
    dir.process_ends(0, &format!("tournament --game ./{game}.toml --rounds 2 {PATIENT} -j 2"));
    let all = || {
        let files = std::fs::read_dir(dir.path(format!("results/{game}"))).expect("a folder").flatten();
        let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name != "report.html" && name != ".lock");
        names.sort();
        names.into_iter().map(|name| (name.clone(), without_pace(&table(&dir, game, &name)))).collect::<Vec<_>>()
    };
    let before = all();
    assert!(before.len() >= 7 && before.iter().any(|(name, _)| name == "bots.csv"), "{before:?}");
    for extension in ["toml", "py"] {
        std::fs::remove_file(dir.path(format!("{game}.{extension}"))).expect("removed");
    }
    let ended = dir.process_ends(0, "standings");
    assert!(ended.stdout.contains("Rank"), "{ended}");
    assert_eq!(all(), before);
    // It lists moves, and says how positions are shown.
    let report = table(&dir, game, "report.html");
    assert!(report.contains("--game"), "how to see positions");
}
