//! Every command with every kind of game: none panics, and none gives a reason that is not true. And every command that is printed
//! can be run as it is printed.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::support::{Dir, Ended, arena, in_repository};

/// For each command what follows it: `GAME`, `NAME` and `ID` stand for a game, its results and one of their games. Empty where a
/// command has nothing to do with a game.
const COMMANDS: [(&str, &[&str]); 37] = [
    ("tournament", &["--name NAME --no-check -q", "--game GAME --name NAME --no-check -q"]),
    ("coordinate", &[]),
    ("worker", &[]),
    ("workers", &[]),
    ("match", &["a b --game GAME --rounds 1 --no-check -q"]),
    ("series", &["--game GAME --game mnk --rounds 1 --no-check -q"]),
    ("merge", &["NAME"]),
    ("rerun", &["NAME -q", "NAME --game GAME -q"]),
    ("play", &["a --game GAME --plain"]),
    ("bots", &[]),
    ("new-bot", &[]),
    ("new-game", &[]),
    ("night", &["--game GAME --name NAME --move-time 1ms --rounds 1 -q"]),
    ("check", &["--game GAME", "a --game GAME --quick", "a --game GAME --strength --move-time 1ms"]),
    ("ask", &["a --game GAME"]),
    ("talk", &[]),
    ("explain", &[]),
    ("doctor", &[]),
    ("games", &["--game GAME"]),
    ("replay", &["--name NAME", "ID", "ID --wire first", "ID --request 3", "ID --json", "ID --game GAME"]),
    ("open", &["NAME", ""]),
    ("publish", &["public"]),
    ("standings", &["NAME", "NAME --game GAME"]),
    ("analyze", &["NAME"]),
    ("history", &["a --name NAME"]),
    ("similar", &["NAME", "NAME --game GAME"]),
    ("export", &["--moves --name NAME"]),
    ("plan", &["--from NAME --margin 100"]),
    ("sprt", &[]),
    ("verify", &["NAME", "NAME --game GAME"]),
    ("judge", &["--game GAME"]),
    ("solve", &["--game GAME"]),
    ("schema", &[]),
    ("bot", &[]),
    ("completions", &[]),
    ("man", &[]),
    // Last, since the others read the file that it makes.
    ("new-contest", &["GAME"]),
];
/// Reasons that blame a journal or a game for rules that are not there.
const FALSE_REASONS: [&str; 3] = ["does not follow", "all damage", "panicked"];

/// Bots and a tournament of this game, with `--strength` left out unless it fails before a game.
fn played(game: &str, name: &str) -> Dir {
    let dir = Dir::with_bots(&[]);
    for file in ["sticks.py", "sticks.toml"] {
        dir.file(file, std::fs::read(in_repository("examples/games").join(file)).expect("an example"));
    }
    dir.builtin("a", "random");
    dir.builtin("b", "random");
    dir.process_ends(0, &format!("tournament --game {game} --rounds 1 --name {name} --no-check -q -j 1"));
    dir
}

fn hold(dir: &Dir, game: &str, state: &str) {
    let id = dir.journal("cup").games[0].id.clone();
    for (command, rest) in COMMANDS.iter().flat_map(|(command, all)| all.iter().map(move |rest| (command, rest))) {
        // That takes a minute where it succeeds.
        if rest.contains("--strength") && !game.contains(".toml") {
            continue;
        }
        let args = format!("{command} {}", rest.replace("GAME", game).replace("NAME", "cup").replace("ID", &id));
        let Ended { status, stderr, stdout, .. } = dir.process(args.trim());
        assert!(matches!(status, Some(0..=5)), "{state}: arena {args}: {status:?} {stderr}");
        assert!(
            status != Some(1) || stderr.contains("error: ") || !stdout.is_empty(),
            "{state}: arena {args} says nothing"
        );
        for reason in FALSE_REASONS {
            assert!(!stderr.contains(reason) && !stdout.contains(reason), "{state}: arena {args}: {stdout}{stderr}");
        }
    }
}

#[test]
fn every_command_has_a_row() {
    let help = Dir::new().arena_ends(0, "--help").stdout;
    let listed =
        help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1).take_while(|line| !line.is_empty());
    for command in listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|word| !word.is_empty())
    {
        assert!(COMMANDS.iter().any(|(known, _)| *known == command), "`{command}` has no row in COMMANDS");
    }
}

#[test]
fn no_command_panics_or_gives_a_false_reason() {
    std::thread::scope(|scope| {
        scope.spawn(|| hold(&played("tictactoe", "cup"), "tictactoe", "built in"));
        scope.spawn(|| {
            let dir = played("./sticks.toml", "cup");
            hold(&dir, "./sticks.toml", "a program");
            let rules = dir.read("sticks.py");
            dir.file("sticks.py", rules.replace("21", "20"));
            hold(&dir, "./sticks.toml", "a program that has changed");
        });
        scope.spawn(|| {
            let dir = played("./sticks.toml", "cup");
            std::fs::remove_file(dir.path("sticks.py")).expect("removed");
            hold(&dir, "./sticks.toml", "a program that is gone");
        });
    });
}

/// The commands of this program in a text, without what is read or started beside them.
fn printed(text: &str) -> Vec<String> {
    let begins = |line: &str| line.match_indices("arena ").map(|(at, _)| at).collect::<Vec<_>>();
    let mut all = Vec::new();
    for line in text.lines() {
        for at in begins(line) {
            let is_word = line[..at].chars().next_back().is_none_or(|c| " `:".contains(c));
            let command = line[at..].split(['`', '|', '<', ';', ',', '…']).next().unwrap_or_default();
            let command = command.split("   ").next().unwrap_or_default().trim();
            // `arena BOT` and the like are words of a sentence.
            let has_names = command.split(' ').any(|word| ["FILE", "ID", "BOT", "NAME", "TOURNAMENT"].contains(&word));
            let is_command = COMMANDS.iter().any(|(known, _)| command.split(' ').nth(1) == Some(known));
            if is_word && is_command && !has_names {
                all.push(command.to_owned());
            }
        }
    }
    all
}

#[test]
fn what_is_printed_can_be_run() {
    for game in ["tictactoe", "./sticks.toml"] {
        let dir = played(game, "cup");
        dir.script("bots/crashes", "exec false");
        let mut said = String::new();
        let play = format!("tournament --game {game} --rounds 2 --name cup --no-check -j 1");
        for args in [&*play, "standings cup", "similar cup", "verify cup", "new-game hill", "replay --name cup"] {
            said += &dir.process(args).to_string();
        }
        let commands = printed(&said);
        assert!(
            ["replay", "explain", "check"].iter().all(|word| commands.iter().any(|it| it.contains(word))),
            "{said}"
        );
        let programs = dir.path("programs");
        std::fs::create_dir(&programs).expect("a folder");
        symlink(arena(), programs.join("arena")).expect("a link");
        for line in commands {
            let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
            let mut shell = Command::new("sh");
            shell.args(["-c", &line]).current_dir(dir.path("")).stdin(Stdio::null()).env("PATH", path);
            shell.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
            let output = shell.output().expect("a shell");
            let code = output.status.code();
            assert!(
                code.is_some_and(|code| code != 1 && code < 100),
                "{line}: {code:?} {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}
