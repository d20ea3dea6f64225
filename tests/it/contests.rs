//! A contest in a file: `arena.toml`, `arena new-contest` and `arena night`. Which flag takes which key is tested beside the code.

use std::fs;

use rustix::process::Signal;

use crate::support::{Dir, Ended, LIMIT, arena, until};

const LEAGUE: &str = "game = \"tictactoe\"\nname = \"league\"\ntitle = \"<b>Friday</b>\"\nseed = 1\nmove-time = \"30s\"\n\
                      format = \"ladder\"\npairs-per-bot = 3\nanchor = \"greedy\"\ntexts = \"texts\"\n\
                      feedback = \"authors\"\npublish = \"public\"\n";

/// A submission whose build makes a program of its source.
fn submit(dir: &Dir, author: &str, strategy: &str) {
    dir.file(&format!("bots/{author}/source"), format!("#!/bin/sh\nexec {} bot {strategy}\n", arena()));
    dir.file(&format!("bots/{author}/bot.toml"), "command = [\"./bot\"]\nbuild = \"install -m 755 source bot\"");
}

/// The command that each line of this text names.
fn commands(text: &str) -> Vec<String> {
    let commands = text.lines().filter_map(|line| line.find("arena ").map(|at| line[at..].to_owned()));
    commands.map(|command| command.trim_start_matches("arena ").to_owned()).collect()
}

#[test]
fn a_new_contest_says_what_to_do_and_that_works() {
    let dir = Dir::new();
    fs::remove_dir(dir.path("bots")).expect("an empty folder");
    let made = dir.arena_ends(0, "new-contest tictactoe");
    insta::assert_snapshot!(made, @r"
    exit 0
    --- stdout
    made arena.toml and bots/: a contest of tictactoe
    bots:      arena new-bot first
               arena new-bot second
    check:     arena check --all
    play:      arena tournament
    a night:   arena night --for 8h
    --- stderr
    ");
    let refused = dir.arena_ends(1, "new-contest tictactoe").stderr;
    assert!(refused.contains("arena.toml exists already"), "{refused}");
    // The goal is that of an example, since the usual one takes longer than a test should.
    dir.file("arena.toml", dir.read("arena.toml").replace("# pairs-per-bot = 50", "pairs-per-bot = 2"));
    for command in commands(&made.stdout) {
        dir.process_ends(0, &command);
    }
    assert!(dir.read("results/tictactoe/standings.csv").contains("first") && dir.path("public/index.html").exists());
}

#[test]
fn a_new_contest_of_an_own_game_has_its_rules() {
    let dir = Dir::new();
    let made = dir.arena_ends(0, "new-contest pebbles").stdout;
    assert!(dir.read("arena.toml").contains("game = \"./pebbles.toml\" "), "{}", dir.read("arena.toml"));
    dir.file("arena.toml", dir.read("arena.toml").replace("# pairs-per-bot = 50", "pairs-per-bot = 1"));
    for command in commands(&made) {
        // Rules and bots in Python: hundreds of games in all.
        let ended = dir.start(&command).wait(3 * LIMIT);
        assert_eq!(ended.status, Some(0), "arena {command}\n{ended}");
    }
    // The commands that look at the results know the game from the file.
    let standings = dir.process_ends(0, "standings");
    assert!(standings.stderr.contains("arena.toml: game ./pebbles.toml, name pebbles\n"), "{standings}");

    // One that is there already.
    fs::remove_file(dir.path("arena.toml")).expect("a file");
    let again = dir.arena_ends(0, "new-contest ./pebbles.toml").stdout;
    assert!(again.contains("arena check --game ./pebbles.toml"), "{again}");
    fs::remove_file(dir.path("arena.toml")).expect("a file");
    for (game, why) in [
        ("pebbles", "pebbles.toml exists already"),
        ("conect4", "did you mean `connect4`?"),
        ("./none.toml", "there is no manifest ./none.toml"),
        ("mnk:k=99", "k"),
        ("No", "has another name, of a-z, 0-9 and _"),
    ] {
        let refused = dir.arena_ends(1, &format!("new-contest {game}")).stderr;
        assert!(refused.contains(why) && !dir.path("arena.toml").exists(), "{game}: {refused}");
    }
}

#[test]
fn every_line_of_a_new_contest_can_be_used() {
    let dir = Dir::new();
    dir.arena_ends(0, "new-contest mnk:rows=3,cols=3,k=3");
    let text = dir.read("arena.toml");
    assert!(text.contains("name = \"contest\""), "a name that a folder can have: {text}");
    let examples: Vec<&str> = text.lines().filter(|line| line.starts_with("# ") && line.contains(" = ")).collect();
    assert!(examples.len() > 10, "{text}");
    for example in examples {
        let key = example.trim_start_matches("# ").split(' ').next().unwrap_or_default();
        // Without the line of the same key, if there is one.
        let others: Vec<&str> = text.lines().filter(|line| !line.starts_with(&format!("{key} ="))).collect();
        dir.file("arena.toml", others.join("\n").replace(example, example.trim_start_matches("# ")));
        let ended = dir.arena("open");
        assert!(ended.stderr.contains("no results in results"), "{example}: {ended}");
    }
}

#[test]
fn commands_say_what_they_took_and_what_is_typed_counts() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("arena.toml", "game = \"tictactoe\"\nname = \"cup\"\nrounds = 1\npin = \"core\"\nopening-plies = 0\n");
    let played = dir.arena_ends(0, "tournament");
    // What is as without the file is not said.
    assert!(played.stderr.starts_with("arena.toml: game tictactoe, name cup, rounds 1, opening-plies 0\n"), "{played}");
    assert_eq!(dir.journal("cup").games.len(), 2);
    let typed = dir.arena_ends(0, "tournament --name other --rounds 2");
    assert!(typed.stderr.starts_with("arena.toml: game tictactoe, opening-plies 0\n"), "{typed}");
    assert_eq!(dir.journal("other").games.len(), 4);
    assert!(!dir.arena_ends(0, "tournament -q").stderr.contains("arena.toml"));
    // The tournament of the contest is the one to look at, unless another one is named.
    let [own, other] = ["standings", "standings other"].map(|line| dir.arena_ends(0, line));
    assert!(own.stdout.contains("2 games") && own.stderr.contains("arena.toml: name cup"), "{own}");
    assert!(other.stdout.contains("4 games") && other.stderr.is_empty(), "{other}");
    // A file elsewhere, from which its paths count.
    dir.file(
        "else/arena.toml",
        "game = \"tictactoe\"\nrounds = 1\nbuiltins = true\nbot = \"eve=../bots/greedy.toml\"\n",
    );
    fs::create_dir(dir.path("else/bots")).expect("a folder");
    let elsewhere = dir.process_ends(0, "tournament --contest else/arena.toml --name far --move-time 30s");
    assert!(
        elsewhere.stderr.starts_with("else/arena.toml: game tictactoe, rounds 1, builtins, bot eve="),
        "{elsewhere}"
    );
    assert!(dir.read("else/results/far/standings.csv").contains("eve"), "{elsewhere}");
}

#[test]
fn a_file_that_cannot_be_read_stops_those_that_read_it() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("arena.toml", "rounds = 1\nround = 1\n");
    let refused = dir.arena_ends(1, "bots");
    insta::assert_snapshot!(refused, @r"
    exit 1
    --- stdout
    --- stderr
    error: arena.toml:2: `round` is of one run and not of a contest; type it: --round
    ");
    // A bot that runs in this folder, and help.
    dir.process_ends(0, "bot random");
    for line in ["tournament --help", "games", "explain crashed"] {
        dir.arena_ends(0, line);
    }
    assert!(dir.arena_ends(1, "bots --contest none.toml").stderr.contains("reading none.toml"));
    fs::remove_file(dir.path("arena.toml")).expect("a file");
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.path("arena.toml"), 0o600.into()).expect("a pipe");
    assert!(dir.arena_ends(1, "bots").stderr.contains("reading arena.toml"), "it is not waited for");
}

#[test]
fn a_title_heads_all_pages_and_is_text() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("arena.toml", LEAGUE);
    dir.arena_ends(0, "tournament");
    dir.arena_ends(0, "open");
    dir.arena_ends(0, "publish");
    let title = "&lt;b&gt;Friday&lt;/b&gt;";
    for page in ["results/league/report.html", "results/index.html", "public/index.html", "public/league/report.html"] {
        let page_text = dir.read(page);
        assert!(page_text.contains(title) && !page_text.contains("<b>Friday"), "{page}");
    }
    for page in ["results/index.html", "public/index.html"] {
        assert_eq!(dir.read(page).matches(&format!("{title}</a>")).count(), 2, "{page}: who leads, and the card");
    }
    assert!(dir.read("results/league/tournament.json").contains("\"title\": \"<b>Friday</b>\""));
    // Results may be a stranger's.
    dir.file("results/league/arena.toml", "game = \"./evil.toml\"\n");
    let inside =
        dir.command("standings . --markdown").current_dir(dir.path("results/league")).output().expect("the arena");
    let said = String::from_utf8_lossy(&inside.stderr);
    assert!(inside.status.success() && said.starts_with("arena.toml is not read, because"), "{said}");
    // It stays where nothing says it.
    fs::remove_file(dir.path("arena.toml")).expect("a file");
    dir.arena_ends(0, "standings league");
    assert!(dir.read("results/league/report.html").contains(title));
}

/// The tables that people rank by, and all games without their times.
fn tables(dir: &Dir) -> String {
    let games = dir.read("results/league/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    let read = |table| dir.read(&format!("results/league/{table}.csv"));
    let published = dir.read("public/league/standings.csv");
    [read("standings"), read("head_to_head"), read("crosstable"), published, games.join("\n")].join("\n")
}

/// What authors have done before each of three nights.
fn submissions(dir: &Dir, night: usize) {
    match night {
        1 => submit(dir, "alice", "mcts playouts=20"),
        2 => submit(dir, "bob", "random"),
        _ => {
            submit(dir, "alice", "minimax depth=2");
            dir.file("bots/bob/source", "#!/bin/sh\necho 'SyntaxError: x' >&2\nexit 1\n");
        }
    }
}

/// A league before its first night.
fn league() -> Dir {
    let dir = Dir::with_bots(&["greedy", "minimax depth=1"]);
    dir.file("arena.toml", LEAGUE);
    dir
}

#[test]
fn a_league_that_is_killed_every_night_has_the_tables_of_one_that_never_was() {
    let [sound, killed] = [league(), league()];
    for night in 1..=3 {
        for dir in [&sound, &killed] {
            submissions(dir, night);
        }
        // In the last night a new version fails, and the one before plays on.
        let code = if night == 3 { 2 } else { 0 };
        let ended = sound.process_ends(code, "night -q");
        let before = killed.journal_lines("league");
        let mut running = killed.start("night -q");
        until(LIMIT, "some games of the night are in the journal", || {
            running.has_ended() || killed.journal_lines("league") >= before + 4
        });
        if !running.has_ended() {
            running.signal(Signal::KILL);
        }
        running.wait(LIMIT);
        let resumed = killed.process_ends(code, "night -q");
        assert_eq!(tables(&killed), tables(&sound), "night {night}\n{resumed}\n{ended}");
    }
    let last = sound.process_ends(2, "night -q");
    let summary = summary(&last);
    assert!(summary.starts_with("<b>Friday</b>: 0 games tonight; "), "{summary}");
    assert!(summary.contains("is first") || summary.contains("share the first place"), "{summary}");
    assert!(summary.contains("bob: the new version does not start") && summary.contains("SyntaxError"), "{summary}");
    assert!(
        summary.ends_with(
            "report: results/league/report.html\ntexts for authors: texts\nfeedback for authors: authors\n\
             site: public/index.html\n"
        ),
        "{summary}"
    );
    assert!(sound.read("texts/bob.txt").contains("SyntaxError"));
    // Each author is told of the change, and of the check of the version that failed.
    for dir in [&sound, &killed] {
        let [alice, bob] = ["alice", "bob"].map(|author| dir.read(&format!("authors/{author}.txt")));
        assert!(alice.contains("ince"), "{alice}");
        assert!(bob.contains("SyntaxError"), "{bob}");
    }
}

/// The last part of what a night prints.
fn summary(ended: &Ended) -> &str {
    ended.stdout.rsplit_once("\n\n").map_or("", |(_, summary)| summary)
}

#[test]
fn a_step_that_fails_does_not_lose_the_others() {
    let dir = league();
    dir.file("public/mine.html", "not of the arena");
    let ended = dir.process_ends(1, "night -q");
    assert!(ended.stderr.contains("warning: step 5, publish, failed: "), "{ended}");
    let summary = summary(&ended);
    assert!(summary.contains("failed, as said above: publish") && summary.contains("report: "), "{ended}");
    assert!(dir.path("texts/greedy.txt").exists() && dir.path("results/league/standings.csv").exists());
    // Without bots nothing can be played.
    let empty = Dir::new();
    empty.file("arena.toml", LEAGUE);
    let ended = empty.process_ends(1, "night -q");
    assert!(ended.stderr.contains("step 2, play, failed: ") && ended.stdout.contains("was played"), "{ended}");
}
