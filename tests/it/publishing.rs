//! What leaves the arena for other programs: tables to paste, one row per move, completions and man pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;

use crate::support::{ASKED, Dir, arena, not_tested};

fn played() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=2 nodes=100000"]);
    dir.arena_ends(0, "tournament --game tictactoe --rounds 3 -q --name cup");
    dir
}

#[test]
fn standings_of_a_tournament_and_of_files_can_be_pasted() {
    let dir = played();
    let markdown = dir.arena_ends(0, "standings --markdown");
    insta::assert_snapshot!(markdown, @r"
    exit 0
    --- stdout
    | Rank | Name    |      Elo ± 95% | Games |  W-D-L | Score |   LOS |
    | ---: | ------- | -------------: | ----: | -----: | ----: | ----: |
    |  1–2 | greedy  | +138.9 ± 127.2 |    12 |  5-7-0 | 70.8% | 50.0% |
    |  1–2 | minimax | +138.9 ± 127.2 |    12 |  5-7-0 | 70.8% | 99.6% |
    |    3 | random  | -277.7 ± 197.9 |    12 | 0-2-10 |  8.3% |       |

    Points of the row against the column:

    |  \# | Name    |   1 |   2 |   3 |
    | --: | ------- | --: | --: | --: |
    |   1 | greedy  |  \* | 3.0 | 5.5 |
    |   2 | minimax | 3.0 |  \* | 5.5 |
    |   3 | random  | 0.5 | 0.5 |  \* |

    - 18 games. Elo with 95% error; the mean is 0.
    - LOS: probability of being stronger than the next bot.
    - A range of ranks: the games do not tell these bots apart.
    --- stderr
    ");
    let latex = dir.arena_ends(0, "standings --latex").stdout;
    // The same numbers, one row a bot.
    for row in markdown.stdout.lines().skip(2).take(3) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let line = latex.lines().find(|line| line.contains(&format!("& {} ", cells[2]))).expect("a row");
        let is_there = |cell: &&str| line.contains(&cell.replace('±', "\\pm").replace('%', "\\%").replace('–', "--"));
        assert!(cells.iter().all(is_there), "{row}\n{line}");
    }
    dir.file("games.csv", "white,black,result\nA|B,C_D,1-0\nC_D,A|B,1/2-1/2\n");
    let files = dir.arena_ends(0, "standings games.csv --markdown").stdout;
    assert!(files.contains("| A\\|B |") && files.contains("| C\\_D |"), "{files}");
    let refused = dir.arena_ends(1, "standings --markdown --json").stderr;
    assert!(refused.contains("cannot be used with"), "{refused}");
}

#[test]
fn what_there_is_to_say_of_a_bot_can_be_mailed() {
    let dir = played();
    insta::assert_snapshot!(dir.arena_ends(0, "standings --bot random --markdown --no-times").stdout, @r"
    ## random in cup

    - Rank: 3, -277.7 ± 197.9 Elo
    - Score: 8.3% of 12 games (0-2-10)
    - Seats: first 8.3%, second 8.3%
    - Elo over rounds: \<+204.4 after 1, -225.4 after 2, -277.7 after 3

    Last lost games:

    - against greedy: `arena replay 250dc677 --name cup`
    - against greedy: `arena replay d6545f5e --name cup`
    - against minimax: `arena replay a2d590f2 --name cup`
    - against minimax: `arena replay c9570067 --name cup`
    - against greedy: `arena replay 05840a37 --name cup`
    ");
    let refused = dir.arena_ends(1, "standings --bot nobody --markdown").stderr;
    assert!(refused.contains("no bot `nobody` in this tournament; there are greedy, minimax, random"), "{refused}");
    dir.file("games.csv", "white,black,result\na,b,1-0\n");
    let refused = dir.arena_ends(1, "standings games.csv --bot a --markdown").stderr;
    assert!(refused.contains("--bot is for tournaments only"), "{refused}");
}

#[test]
fn the_page_of_all_tournaments_is_a_front_door() {
    let dir = played();
    let refused = dir.arena_ends(1, "open cap").stderr;
    assert!(refused.contains("no tournament named `cap`"), "{refused}");
    assert_eq!(dir.arena_ends(0, "open cup").stdout, "results/cup/report.html\n");
    // It is there since the end of the run, and follows every command that writes tables.
    assert!(dir.read("results/index.html").contains("href=\"./cup/report.html\""));
    for (command, code) in [("standings", 0), ("match random greedy --game tictactoe --rounds 1 -q --name duel", 0)] {
        fs::remove_file(dir.path("results/index.html")).expect("it is there");
        dir.arena_ends(code, command);
        assert!(dir.path("results/index.html").exists(), "{command}");
    }
    dir.file("results/index.html", "mine");
    let quiet = dir.arena_ends(0, "standings cup");
    assert_eq!((dir.read("results/index.html").as_str(), quiet.stderr.as_str()), ("mine", ""), "{quiet}");
    fs::remove_file(dir.path("results/index.html")).expect("it is there");
    dir.arena_ends(0, "standings cup --json");
    assert!(!dir.path("results/index.html").exists());
    dir.file("results/broken/games.jsonl", "");
    dir.file("results/broken/tournament.json", "{");
    let ended = dir.arena_ends(0, "open");
    assert_eq!(ended.stdout, "results/index.html\n");
    assert!(ended.stderr.contains("results/broken is passed over: reading its tournament.json"), "{ended}");
    let page = dir.read("results/index.html");
    assert!(page.contains("href=\"./cup/report.html\"") && page.contains("18 games"), "{page}");
    assert!(!page.contains("broken"), "{page}");
    // Written again, but not over a page of someone else.
    dir.arena_ends(0, "open");
    dir.file("results/index.html", "mine");
    let refused = dir.arena_ends(1, "open").stderr;
    assert!(refused.contains("results/index.html is not of the arena"), "{refused}");
    assert_eq!(dir.read("results/index.html"), "mine");
    // Where there is no other, it is not said that nothing was played.
    let dir = Dir::new();
    dir.file("results/broken/games.jsonl", "");
    dir.file("results/broken/tournament.json", "{");
    let refused = dir.arena_ends(1, "open").stderr;
    assert!(
        refused.contains("no tournament in results can be shown; `arena standings results/broken` makes"),
        "{refused}"
    );
}

/// All files below a folder by their paths; blocks of games as the text that is packed in them.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
                continue;
            }
            let mut text = fs::read_to_string(&entry).expect("text");
            let block = text.split("id=\"games-data\">").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or("");
            let unpacked = block.lines().filter_map(|line| decompress_to_vec(&STANDARD.decode(line).ok()?).ok());
            let unpacked: Vec<String> = unpacked.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
            text.extend(unpacked);
            files.insert(entry.strip_prefix(dir).expect("below").display().to_string(), text);
        }
    }
    files
}

/// A tournament whose every private text has a marker.
fn with_secrets() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script("bots/leaky/run", &format!("{ASKED}echo secret-stray; echo secret-stderr >&2; exit 3"));
    dir.file("bots/leaky/bot.toml", "command = [\"./run\", \"secret-argument\"]\n");
    dir.file("bots/gone.toml", "command = [\"true\"]\nfiles = [\"secret-missing\"]\n");
    let bots = dir.path("bots").display().to_string();
    dir.arena_ends(
        2,
        &format!("tournament --game tictactoe --rounds 2 --no-check -q --name cup --seed 1 --bots {bots}"),
    );
    dir.edit_games("cup", |_, record| "secret-host".clone_into(&mut record.host));
    dir
}

#[test]
fn what_is_published_has_nothing_private() {
    let dir = with_secrets();
    let ended = dir.arena_ends(0, "publish public");
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("public/index.html\n", ""));
    let public = files(&dir.path("public"));
    let of_cup = ["bots.csv", "crosstable.csv", "games.csv", "head_to_head.csv", "report.html", "standings.csv"];
    let names = of_cup.map(|name| format!("cup/{name}"));
    assert!(public.keys().eq(names.iter().chain(&["index.html".to_owned(), "published.json".to_owned()])));
    let index = &public["index.html"];
    assert!(index.contains("\"./cup/report.html\"") && index.contains("\"./cup/report.html#bot=leaky\""), "{index}");
    let report = &public["cup/report.html"];
    assert!(report.contains("id=\"bot=leaky\"") && report.contains("gone.toml is left out: not published"), "{report}");
    assert!(!report.contains("href=\"tournament.json\"") && !report.contains("games.jsonl"));
    let home = dir.path("").display().to_string();
    let secrets = ["secret-", home.trim_end_matches('/')];
    for (name, text) in &public {
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{name}: {text}");
    }
    // What nothing is published of has no column, and no reader is told what only the organiser can do.
    assert!(report.contains("What went wrong") && !report.contains("What happened first"), "{report}");
    assert!(public["cup/bots.csv"].lines().next().is_some_and(|head| head.ends_with(",fingerprint")));
    assert!(report.contains("WITHDRAWN: leaky was withdrawn") || report.contains("lost by faults"), "{report}");
    assert!(!report.contains("run again") && !report.contains("same command"), "{report}");
    // The same again, byte for byte; and with all of it.
    dir.arena_ends(0, "publish again");
    dir.arena_ends(0, "publish public");
    assert!(files(&dir.path("again")) == public && files(&dir.path("public")) == public);
    dir.arena_ends(0, "publish public --private");
    assert!(dir.read("public/cup/report.html").contains("What happened first"));
    assert!(dir.read("public/cup/bots.csv").lines().next().is_some_and(|head| head.ends_with(",command")));
    let all: String = files(&dir.path("public")).into_values().collect();
    for secret in ["secret-stderr", "secret-argument", "secret-missing", "secret-host", home.trim_end_matches('/')] {
        assert!(all.contains(secret), "{secret}");
    }
}

/// The texts of the headline of a page, one a line.
fn headline(page: &str) -> String {
    let parts = page.split("<p class=\"headline\">").skip(1).filter_map(|part| part.split("</p>").next());
    let text = |part: &str| {
        part.split('<').map(|text| text.split_once('>').map_or(text, |(_, text)| text)).collect::<String>()
    };
    parts.map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_page_of_the_site_begins_with_who_leads() {
    let dir = played();
    dir.arena_ends(0, "publish public");
    insta::assert_snapshot!(
        headline(&dir.read("public/index.html")),
        @"cup: greedy (+138.9 ± 127.2), minimax (+138.9 ± 127.2) share the first place."
    );
    assert!(headline(&dir.read("public/cup/report.html")).starts_with("greedy (+138.9 ± 127.2), minimax"));
    dir.arena_ends(0, "match random greedy --game tictactoe --rounds 3 -q --name duel --seed 1");
    // A budget ends this one, on a slow machine before another game.
    dir.arena_ends(0, "tournament --game tictactoe --rounds 3 -q --no-check --name night");
    dir.arena_ends(0, "tournament --game tictactoe --rounds 5000 -q --no-check --for 300ms --name night");
    dir.arena_ends(0, "publish public");
    insta::assert_snapshot!(headline(&dir.read("public/duel/report.html")), @"
    greedy scored 91.7% against random: 5-1-0.
    greedy (+208.3 ± 255.2) is first, not yet separated from any other bot at 95 %.
    ");
    let night = headline(&dir.read("public/night/report.html"));
    let (first, stopped) = (night.find(" first"), night.find("\nStopped by its budget after "));
    assert!(first.is_some() && first < stopped, "{night}");
    assert!(!night.contains("run the same command"), "{night}");
    // Who plays it can do something about it. The page of all tournaments has the same sentence, from both sources.
    assert!(headline(&dir.read("results/night/report.html")).contains(": run the same command for more."));
    let leads = night.lines().next().expect("a sentence");
    for index in ["public/index.html", "results/index.html"] {
        assert_eq!(headline(&dir.read(index)), format!("night: {leads}"), "{index}");
    }
}

#[test]
fn where_the_program_of_a_game_is_stays_private() {
    let dir = Dir::with_bots(&["random"]);
    dir.builtin("other", "random");
    for file in ["sticks.py", "sticks.toml"] {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games").join(file);
        dir.file(&format!("secret/{file}"), fs::read(example).expect("an example"));
    }
    let game = dir.path("secret/sticks.toml").display().to_string();
    dir.process_ends(0, &format!("tournament --game {game} --rounds 1 -q --no-check --name own"));
    for with_rules in ["", &format!(" --game {game}")] {
        dir.process_ends(0, &format!("publish public{with_rules}"));
        let public = files(&dir.path("public"));
        assert!(!public["own/report.html"].contains("not published"), "the folder remembers its rules");
        for (name, text) in &public {
            assert!(!text.contains("secret") && !text.contains(&*dir.path("").to_string_lossy()), "{name}: {text}");
        }
    }
}

#[test]
fn only_what_was_published_before_is_replaced() {
    let dir = played();
    dir.file("mine/page.html", "mine");
    let refused = dir.arena_ends(1, "publish mine").stderr;
    assert!(refused.contains("mine has files of others, which are never overwritten"), "{refused}");
    dir.arena_ends(0, "publish public");
    let refused = dir.arena_ends(1, "publish public --results mistyped").stderr;
    assert!(refused.contains("no results in mistyped, so nothing is published"), "{refused}");
    assert!(dir.path("public/cup/report.html").exists());
    // Other tournaments, files of others, and a link that is planted.
    dir.arena_ends(0, "tournament --game tictactoe --rounds 1 -q --name other");
    dir.file("public/cup/notes.txt", "mine");
    dir.file("results/broken/games.jsonl", "?\n");
    fs::rename(dir.path("results/cup"), dir.path("elsewhere")).expect("moved");
    symlink(dir.path("elsewhere"), dir.path("results/link")).expect("a link");
    let ended = dir.arena_ends(0, "publish public").stderr;
    assert!(ended.contains("results/link is passed over: reading journal results/link/games.jsonl"), "{ended}");
    assert!(ended.contains("results/broken is passed over: journal results/broken/games.jsonl, line 1"), "{ended}");
    let names: Vec<String> = files(&dir.path("public")).into_keys().filter(|name| name.contains("cup")).collect();
    assert_eq!(names, ["cup/notes.txt"]);
    assert_eq!(dir.read("public/index.html").matches("<article").count(), 1);
    fs::rename(dir.path("elsewhere"), dir.path("results/cup")).expect("moved");
    // A list that names files of others, such as that of a change to a web site, removes and overwrites none of them.
    let planted =
        ["CNAME", "cup/notes.txt", "assets/style.css", ".git/config", "../bots/random.toml", "other/./report.html"];
    dir.file("public/CNAME", "mine");
    dir.file("public/assets/style.css", "mine");
    dir.file("public/.git/config", "mine");
    let mut list: Vec<String> = serde_json::from_str(&dir.read("public/published.json")).expect("a list");
    list.extend(planted.map(str::to_owned));
    dir.file("public/published.json", serde_json::to_string(&list).expect("a list"));
    fs::rename(dir.path("results/cup"), dir.path("elsewhere")).expect("moved");
    dir.arena_ends(0, "publish public");
    for file in &planted[..5] {
        assert!(dir.path("public").join(file).exists(), "{file}");
    }
    assert!(!dir.read("public/published.json").contains("CNAME"));
    fs::rename(dir.path("elsewhere"), dir.path("results/cup")).expect("moved");
    dir.file("public/cup/games.csv", "mine");
    let refused = dir.arena_ends(1, "publish public").stderr;
    assert!(refused.contains("public/cup/games.csv was not published by the arena"), "{refused}");
    assert_eq!(dir.read("public/cup/games.csv"), "mine");
}

#[test]
fn every_move_of_the_journal_is_a_row() {
    let dir = played();
    let text = dir.arena_ends(0, "export --moves cup").stdout;
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let heads = rows.headers().expect("a header").clone();
    let mut rows = rows.records().map(|row| row.expect("a row"));
    // One bot after the other in the order of the schedule, as in games.csv.
    let games = dir.read("results/cup/games.csv");
    let mut records = dir.journal("cup").games;
    let place = |id: &str| games.find(&format!("\n{id},")).expect("a game");
    records.sort_by_key(|record| place(&record.id));
    for record in &records {
        for (ply, played) in record.moves.iter().enumerate() {
            let row = rows.next().expect("a row for every move");
            let cell = |name: &str| &row[heads.iter().position(|head| head == name).expect(name)];
            assert_eq!((cell("id"), cell("ply")), (record.id.as_str(), ply.to_string().as_str()));
            assert_eq!(cell("move"), played.to_string());
            assert_eq!(cell("bot"), record.bots[ply % 2].name);
            let measured = ply.checked_sub(record.opening.len()).map(|index| &record.played[index]);
            assert_eq!(cell("is_opening"), measured.is_none().to_string());
            let ms = measured.map_or_else(String::new, |it| format!("{}.{:03}", it.us / 1_000, it.us % 1_000));
            assert_eq!(cell("ms"), ms);
            let eval = measured.and_then(|it| it.eval).map_or_else(String::new, |eval| eval.to_string());
            assert_eq!(cell("eval"), eval);
            assert_eq!((cell("result"), cell("reason")), (record.result.name(), record.reason.as_str()));
        }
    }
    assert!(rows.next().is_none() && records.len() == 18);
    assert!(!text.contains('\r') && text.ends_with('\n'));
    dir.arena_ends(0, "export --moves --output moves.csv");
    assert_eq!(dir.read("moves.csv"), text);
}

#[test]
fn a_hostile_comment_stays_in_its_cell() {
    let dir = played();
    dir.edit_games("cup", |_, record| record.played[0].comment = Some("=1,\"2\"\n\u{202e}end".to_owned()));
    let text = dir.arena_ends(0, "export --moves").stdout;
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let comments = rows.records().map(|row| row.expect("a row")[14].to_owned()).filter(|comment| !comment.is_empty());
    let comments: Vec<String> = comments.filter(|comment| comment.contains("end")).collect();
    assert_eq!(comments.len(), 18);
    assert_eq!(comments[0], "\\=1,\"2\"\\n\\u{202e}end");
}

/// The names of all commands, from the help.
fn commands() -> Vec<String> {
    let help = Command::new(arena()).arg("--help").output().expect("the arena").stdout;
    let help = String::from_utf8(help).expect("UTF-8");
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    list.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// What `program` says of this input, if it is installed.
fn fed(program: &str, args: &[&str], input: &str) -> Option<(bool, String)> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.env("MANWIDTH", "100").spawn() else {
        not_tested("completions or man pages", &format!("there is no {program}"));
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("an end");
    // A program that has read enough closes its input.
    let _ = writer.join().expect("no panic");
    Some((output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()))
}

#[test]
fn completions_are_valid_and_know_every_command() {
    let dir = Dir::new();
    for (shell, args) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = dir.arena_ends(0, &format!("completions {shell}")).stdout;
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        if let Some((is_valid, said)) = fed(shell, args, &script) {
            assert!(is_valid, "{shell}: {said}");
        }
    }
    for shell in ["elvish", "powershell"] {
        assert!(dir.arena_ends(0, &format!("completions {shell}")).stdout.contains("standings"));
    }
}

#[test]
fn man_pages_render_and_name_every_command() {
    let dir = Dir::new();
    let page = dir.arena_ends(0, "man").stdout;
    dir.arena_ends(0, "man --dir pages");
    let named = |text: &str| commands().iter().all(|command| text.contains(&format!("arena-{command}(1)")));
    assert!(named(&page.replace('\\', "")), "{page}");
    for command in commands() {
        assert!(dir.read(&format!("pages/arena-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    if let Some((is_valid, text)) = fed("man", &["-l", "-"], &page) {
        assert!(is_valid && text.contains("SYNOPSIS"), "{text}");
    }
}
