//! What three trades do with the arena, as scripts: a league of submissions, a sweep of settings, a gate before a merge. They are
//! the recipes of docs/recipes.md, and consist of commands of the arena alone.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Dir, Ended, LIMIT, arena, search_path};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recipes").join(name)
}

/// Runs a script of the recipes in this folder of `dir`, with the arena in its `PATH`.
#[track_caller]
fn run(dir: &Dir, folder: &str, name: &str, args: &[&str]) -> Ended {
    let own = Path::new(arena()).parent().expect("a folder").to_owned();
    let path = search_path().unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path))).expect("a path");
    let mut shell = std::process::Command::new("/bin/sh");
    shell.arg(script(name)).args(args).current_dir(dir.path(folder)).stdin(std::process::Stdio::null());
    shell.env_clear().envs([("PATH", path.as_os_str()), ("HOME", dir.path("tmp").as_os_str())]);
    shell.env("TMPDIR", dir.path("tmp"));
    dir.run(shell).wait(3 * LIMIT)
}

/// A submission: a folder with a source that its build makes a program of.
fn submit(dir: &Dir, author: &str, strategy: &str) {
    dir.file(&format!("bots/{author}/source"), format!("#!/bin/sh\nexec {} bot {strategy}\n", arena()));
    dir.file(&format!("bots/{author}/bot.toml"), "command = [\"./bot\"]\nbuild = \"install -m 755 source bot\"");
}

#[test]
#[ignore = "takes five seconds of both processors; .ci/run has a command for it"]
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
    dir.file("arena.toml", fs::read(script("league.toml")).expect("the settings"));

    let first = run(&dir, "", "league.sh", &["--pairs-per-bot", "3"]);
    // Two were left out.
    assert_eq!(first.status, Some(2), "{first}");
    let log = dir.read("night.log");
    assert!(
        log.contains("FAIL  typo") && log.contains("FAIL  forgot") && log.contains("20 of 22 bots passed"),
        "{log}"
    );
    assert!(dir.read("texts/typo.txt").contains("bott.c"), "the compiler's words");
    let (_, summary) = log.rsplit_once("\n\n").expect("a summary");
    assert!(summary.starts_with("The league: ") && summary.contains(" games tonight; "), "{summary}");
    assert!(summary.contains("left out: typo: ") && summary.contains("left out: forgot: "), "{summary}");
    let standings = dir.read("results/league/standings.csv");
    let greedy = |standings: &str| {
        let row = standings.lines().find(|row| row.contains(",greedy,")).expect("greedy").to_owned();
        let heads: Vec<String> = standings.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect();
        let at = heads.iter().position(|head| head == "elo").expect("a column");
        row.split(',').nth(at).map(str::to_owned)
    };
    assert_eq!((standings.lines().count(), greedy(&standings).as_deref()), (21, Some("0.00")), "{standings}");
    assert!(dir.path("public/league/report.html").exists() && dir.read("public/index.html").contains("The league"));

    // The second night: one author broke the bot, one repaired it, one came late.
    dir.file("bots/author01/source", "#!/bin/sh\necho 'SyntaxError: x' >&2\nexit 1\n");
    submit(&dir, "typo", "minimax depth=2");
    submit(&dir, "late", "mcts playouts=40");
    let second = run(&dir, "", "league.sh", &["--pairs-per-bot", "3"]);
    assert_eq!(second.status, Some(2), "{second}");
    let whole = dir.read("night.log");
    let log = &whole[log.len()..];
    assert!(
        log.contains("FAIL  author01") && log.contains("ok    late") && log.contains("21 of 23 bots passed"),
        "{log}"
    );
    let (table, summary) = log.rsplit_once("\n\n").expect("a summary");
    assert!(summary.contains("author01: the new version does not start") && summary.contains("plays"), "{summary}");
    let standings = dir.read("results/league/standings.csv");
    assert_eq!((standings.lines().count(), greedy(&standings).as_deref()), (23, Some("0.00")), "{standings}");
    assert!(standings.contains("author01") && standings.contains("late") && standings.contains("typo"));
    assert!(table.contains('–'), "ranks that the games do not give are ranges: {table}");
    assert!(table.contains("\n22 bots, "), "bots that move alike: {table}");
    let public = fs::read_to_string(dir.path("public/league/standings.csv")).expect("published");
    assert_eq!(public, standings);
}

fn git(dir: &Dir, args: &str) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(args.split(' '))
        .current_dir(dir.path("head"));
    git.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path))).env("HOME", dir.path("tmp"));
    let output = git.output().expect("git");
    assert!(output.status.success(), "git {args}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_gate_over_four_commits() {
    let dir = Dir::new();
    dir.file("head/bot.toml", "command = [\"./bot\"]\nexclude = [\"target/\"]\n");
    git(&dir, "init -q -b main");
    let commit = |number: u32, strategy: &str| {
        dir.script("head/bot", &format!("# {number}\nexec {} bot {strategy}", arena()));
        // A folder of the build, which differs in every checkout.
        dir.file("head/target/cache", format!("{number}"));
        git(&dir, "add bot bot.toml");
        git(&dir, &format!("commit -q -m {number}"));
    };
    commit(1, "mcts playouts=10");
    let gate = |number: u32, strategy: &str| {
        commit(number, strategy);
        let _ = fs::remove_dir_all(dir.path("base"));
        git(&dir, "clone -q . ../base");
        git(&dir, "-C ../base checkout -q HEAD~1");
        let ended = run(&dir, "head", "gate.sh", &["--rounds", "300", "-q", "--seed", "1"]);
        (ended, dir.read("summary.md"), dir.read("gate.xml"))
    };
    // Stronger, as strong, and weaker.
    let (second, summary, junit) = gate(2, "mcts playouts=80");
    assert_eq!(second.status, Some(0), "{second}");
    assert!(summary.contains("head is not weaker than base by 50 Elo or more"), "{summary}");
    assert!(junit.contains("failures=\"0\""), "{junit}");
    // `base` is what `head` was before.
    assert!(second.stdout.contains("head has one version here"), "{second}");
    let (third, summary, _) = gate(3, "mcts playouts=80 ");
    assert!(matches!(third.status, Some(0 | 5)), "{third}");
    assert!(summary.contains("LLR"), "{summary}");
    let (fourth, summary, junit) = gate(4, "random");
    assert_eq!(fourth.status, Some(4), "{fourth}");
    assert!(!summary.contains("head is not weaker") && junit.contains("<failure"), "{summary}{junit}");
    let history = dir.arena_ends(0, "history head gate").stdout;
    assert!(history.contains("head in gate: 3 versions") && history.contains("(weaker)"), "{history}");
}

#[test]
fn the_recipes_are_these_scripts() {
    let recipes = fs::read_to_string(script("../../docs/recipes.md")).expect("the page");
    for (name, kind) in [("league.toml", "toml"), ("league.sh", "sh"), ("sweep.sh", "sh"), ("gate.sh", "sh")] {
        let text = fs::read_to_string(script(name)).expect("a script");
        assert!(recipes.contains(&format!("```{kind}\n{text}```")), "{name} is not in docs/recipes.md as it is");
    }
}

#[test]
#[ignore = "takes ten seconds of both processors; .ci/run has a command for it"]
fn a_sweep_of_thirty_settings() {
    let dir = Dir::new();
    for c in [10, 30, 50, 70, 100, 140] {
        for n in [5, 10, 20, 40, 80] {
            let options = format!("builtin = \"mcts\"\noptions = {{ exploration = {c}, playouts = {n} }}\n");
            dir.file(
                &format!("sweep/c{c}-n{n}.toml"),
                format!("{options}[tags]\nc = {}\nn = {n}\n", f64::from(c) / 100.0),
            );
        }
    }
    let args = ["--game", "tictactoe", "--rounds", "1", "--move-time", "5s", "--seed", "1", "-q"];
    let ended = run(&dir, "", "sweep.sh", &args);
    assert_eq!(ended.status, Some(0), "{ended}");
    // The last command played everything again.
    assert!(ended.stdout.contains("all 870 games of results/sweep went as recorded"), "{ended}");
    assert!(dir.read("table.txt").contains("est may be any of"), "{}", dir.read("table.txt"));
    let standings = dir.read("results/sweep/standings.csv");
    assert!(
        standings.starts_with("rank,rank_lo,rank_hi,name,")
            && standings.lines().next().is_some_and(|it| it.ends_with(",c,n"))
    );
    let smallest = dir.read("results/sweep/head_to_head.csv");
    assert!(smallest.lines().next().is_some_and(|heads| heads.contains(",p,p_holm,")), "{smallest}");
    let latex = dir.read("standings.tex");
    assert!(
        latex.contains("\\caption{") && latex.contains("seed 1") && latex.contains("\\label{tab:arena-sweep}"),
        "{latex}"
    );
    assert!(dir.read("plots/by-c.svg").contains("<svg"));
}
