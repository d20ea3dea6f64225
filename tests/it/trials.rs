//! What three trades do with the arena, as scripts: a league of submissions, a sweep of settings, a gate before a merge. They are
//! the recipes of docs/recipes.md, and consist of commands of the arena alone.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Dir, Ended, LIMIT, arena};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trials").join(name)
}

/// Runs a script of the trials in the folder of `dir`, with the arena in its `PATH`.
#[track_caller]
fn run(dir: &Dir, name: &str, args: &[&str]) -> Ended {
    let own = Path::new(arena()).parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path))).expect("a path");
    let mut shell = std::process::Command::new("/bin/sh");
    shell.arg(script(name)).args(args).current_dir(dir.path("")).stdin(std::process::Stdio::null());
    shell.env_clear().envs([("PATH", path.as_os_str()), ("HOME", dir.path("tmp").as_os_str())]);
    shell.env("TMPDIR", dir.path("tmp"));
    dir.run(shell).wait(LIMIT)
}

/// A submission: a folder with a source that its build makes a program of.
fn submit(dir: &Dir, author: &str, strategy: &str) {
    dir.file(&format!("bots/{author}/source"), format!("#!/bin/sh\nexec {} bot {strategy}\n", arena()));
    dir.file(&format!("bots/{author}/bot.toml"), "command = [\"./bot\"]\nbuild = \"install -m 755 source bot\"");
}

#[test]
fn a_league_of_twenty_over_two_nights() {
    let dir = Dir::with_bots(&["greedy"]);
    for number in 1..=18 {
        let strategy = match number % 3 {
            0 => "random".to_owned(),
            1 => format!("minimax depth={}", 1 + number / 6),
            _ => format!("mcts playouts={}", 5 * number),
        };
        submit(&dir, &format!("author{number:02}"), &strategy);
    }
    // One copy of another, one that does not build, one that was forgotten.
    submit(&dir, "copy", "minimax depth=3 nodes=90000");
    submit(&dir, "typo", "random");
    dir.file("bots/typo/bot.toml", "command = [\"./bot\"]\nbuild = \"cc -o bot bott.c\"");
    dir.file("bots/forgot/bot.toml", "command = [\"python3\", \"main.py\"]");

    let first = run(&dir, "league.sh", &["--pairs-per-bot", "3"]);
    assert_eq!(first.status, Some(0), "{first}");
    let check = dir.read("check.txt");
    assert!(
        check.contains("FAIL  typo") && check.contains("FAIL  forgot") && check.contains("20 of 22 bots passed"),
        "{check}"
    );
    assert!(dir.read("texts/typo.txt").contains("bott.c"), "the compiler's words");
    let log = dir.read("run.log");
    assert!(log.contains("typo") && log.contains("forgot"), "{log}");
    let standings = dir.read("results/league/standings.csv");
    let greedy = |standings: &str| {
        let row = standings.lines().find(|row| row.contains(",greedy,")).expect("greedy").to_owned();
        let heads: Vec<String> = standings.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect();
        let at = heads.iter().position(|head| head == "elo").expect("a column");
        row.split(',').nth(at).map(str::to_owned)
    };
    assert_eq!((standings.lines().count(), greedy(&standings).as_deref()), (21, Some("0.00")), "{standings}");
    assert!(dir.path("public/league/report.html").exists() && dir.read("public/index.html").contains("league"));

    // The second night: one author broke the bot, one mended it, one came late.
    dir.file("bots/author01/source", "#!/bin/sh\necho 'SyntaxError: x' >&2\nexit 1\n");
    submit(&dir, "typo", "minimax depth=2");
    submit(&dir, "late", "mcts playouts=40");
    let second = run(&dir, "league.sh", &["--pairs-per-bot", "3"]);
    assert_eq!(second.status, Some(0), "{second}");
    let check = dir.read("check.txt");
    assert!(
        check.contains("FAIL  author01") && check.contains("ok    late") && check.contains("21 of 23 bots passed"),
        "{check}"
    );
    let log = dir.read("run.log");
    assert!(log.contains("author01: the new version does not start") && log.contains("plays"), "{log}");
    let standings = dir.read("results/league/standings.csv");
    assert_eq!((standings.lines().count(), greedy(&standings).as_deref()), (23, Some("0.00")), "{standings}");
    assert!(standings.contains("author01") && standings.contains("late") && standings.contains("typo"));
    let table = dir.read("table.txt");
    assert!(table.contains('–'), "ranks that the games do not give are ranges: {table}");
    let similar = dir.read("similar.txt");
    assert!(similar.starts_with("22 bots, "), "{similar}");
    let public = fs::read_to_string(dir.path("public/league/standings.csv")).expect("published");
    assert_eq!(public, standings);
}
