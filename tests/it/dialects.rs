//! Bots that were written for other platforms, as their authors meet the arena: found, refused, checked, played, explained.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use arena::record::Status;
use arena::rules::Seat;

use crate::faults::compiled;
use crate::support::{Dir, in_repository};

/// A board on which brains are done soon.
const GAME: &str = "--game gomoku:rows=5,cols=5 --move-time 5s";

/// A folder with the stand-in brain, and manifests that start it with arguments.
fn with_brains(brains: &[(&str, &str)]) -> Dir {
    let dir = Dir::new();
    fs::copy(compiled("bots/brain.rs", &[]), dir.path("bots/tiny")).expect("a copy");
    for (name, args) in brains {
        let words: Vec<&str> = std::iter::once("./tiny").chain(args.split_whitespace()).collect();
        dir.file(&format!("bots/{name}.toml"), format!("command = {words:?}\nprotocol = \"gomocup\""));
    }
    dir
}

/// A starter under another name.
fn starter(dir: &Dir, starter: &str, name: &str, mode: u32) {
    let path = dir.path("bots").join(name);
    fs::copy(in_repository(&format!("bots/starters/{starter}")), &path).expect("a copy");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn a_brain_by_its_name_and_an_agent_by_its_text_are_found() {
    let dir = Dir::with_bots(&["random"]);
    starter(&dir, "gomocup/brain.py", "pbrain-mine", 0o755);
    starter(&dir, "gomocup/brain.py", "mine.py", 0o755);
    starter(&dir, "kaggle/agent.py", "main.py", 0o644);
    dir.file("bots/lines.py", "def agent(\n    observation, configuration):\n    return 0\n");
    dir.file("bots/other.py", "def agent(obs, config, third):\n    return 0\n");
    let ended = dir.process_ends(2, "bots");
    let print = |name: &str| {
        let line =
            ended.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {ended}"));
        let (_, rest) = line.split_once("  ").expect("columns");
        rest.trim_start().split_once("  ").map(|(print, what)| (print.to_owned(), what.to_owned())).expect("columns")
    };
    let (brain, json) = (print("pbrain-mine"), print("mine.py"));
    assert!(brain.1.starts_with("gomocup: ") && brain.1.ends_with("/bots/pbrain-mine"), "{ended}");
    assert!(json.1.ends_with("/bots/mine.py") && !json.1.contains(": "), "{ended}");
    assert_ne!(brain.0, json.0, "the same file, spoken to in another protocol");
    let cure = "bots/main.py: a Kaggle agent; write bots/main.toml with command = [\"python3\", \"main.py\"] and protocol = \
                \"kaggle\"\n";
    assert!(ended.stdout.contains(cure), "{ended}");
    assert!(ended.stdout.contains("bots/other.py: a Python source file without a #! line"), "{ended}");
    let listed: serde_json::Value = serde_json::from_str(&dir.process_ends(2, "bots --json").stdout).expect("JSON");
    let protocols: Vec<_> =
        listed["bots"].as_array().expect("a list").iter().map(|bot| bot["protocol"].clone()).collect();
    assert_eq!(protocols, ["json", "gomocup", "json"]);
    // A folder, and a file that the x bit makes no program.
    starter(&dir, "kaggle/agent.py", "lying.py", 0o755);
    fs::create_dir(dir.path("bots/sub")).expect("a folder");
    starter(&dir, "kaggle/agent.py", "sub/main.py", 0o644);
    let told = dir.process_ends(2, "bots").stdout;
    assert!(told.contains("bots/lying.py: a Kaggle agent; write bots/lying.toml"), "{told}");
    let cure = "write bots/sub/bot.toml with command = [\"python3\", \"main.py\"] and protocol = \"kaggle\"\n";
    assert!(told.contains(cure), "{told}");
    dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]");
    let told = dir.process_ends(2, "bots").stdout;
    let hint = "warning: main: its file main.py looks like a Kaggle agent; if it is one, add protocol = \"kaggle\" to its manifest\n";
    assert!(told.contains(hint), "{told}");
    // What the cure says is done, word for word.
    dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"");
    let ended = dir.process_ends(2, "bots").stdout;
    assert!(ended.contains("  kaggle: python3 main.py\n") && !ended.contains("cannot be used: bots/main"), "{ended}");
    assert!(ended.contains("skipped: bots/main.py: part of the bot `main`"), "{ended}");
}

#[test]
fn what_a_protocol_cannot_carry_is_refused_with_its_line() {
    let dir = Dir::new();
    let kaggle = "protocol = \"kaggle\"\ncommand = ";
    let gomocup = "command = [\"x\"]\nprotocol = \"gomocup\"\n";
    for (name, text) in [
        ("a-protocol", "command = [\"x\"]\nprotocol = \"gomokup\"".to_owned()),
        ("b-words", format!("{kaggle}[\"python3\", \"-u\", \"main.py\"]")),
        ("c-word", format!("{kaggle}[\"main.py\"]")),
        ("d-options", format!("{kaggle}[\"python3\", \"main.py\"]\noptions = {{ depth = 1 }}")),
        ("e-clock", format!("{gomocup}options = {{ timeout_turn = 1000 }}")),
        ("f-overhead", format!("{gomocup}[options]\nthread_num = 1\noverhead_ms = 20000")),
        ("g-key", format!("{gomocup}options = {{ Threads = 1 }}")),
        ("h-value", format!("{gomocup}options = {{ ratio = 0.5 }}")),
        ("i-text", format!("{gomocup}options = {{ book = \"a\\nEND\" }}")),
        ("j-games", format!("{gomocup}games = [\"gomoku\", \"connect4\"]")),
        ("k-games", format!("{kaggle}[\"python3\", \"main.py\"]\ngames = [\"marbles\"]")),
        ("l-builtin", "builtin = \"random\"\nprotocol = \"gomocup\"".to_owned()),
    ] {
        dir.file(&format!("bots/{name}.toml"), text);
    }
    insta::assert_snapshot!(dir.process("bots"));
}

#[test]
fn bots_that_do_not_play_a_game_are_named_with_the_reason() {
    let dir = Dir::with_bots(&["random"]);
    starter(&dir, "gomocup/brain.py", "pbrain-mine", 0o755);
    starter(&dir, "kaggle/agent.py", "main.py", 0o644);
    dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"");
    dir.file("bots/marbles.toml", "builtin = \"marbles-solver\"");
    let of = |game: &str| dir.process_ends(1, &format!("tournament --game {game} --no-check")).stderr;
    let brains = "pbrain-mine: gomocup brains play five in a row on square boards: gomoku, gomoku:rows=20,cols=20";
    let told = of("gomoku:cols=20");
    let agents = "main: kaggle agents play connect4, and tictactoe if `games` of the manifest names it";
    assert!(told.contains(&format!("(for other games: {agents}; marbles; {brains})")), "{told}");
    let told = of("tictactoe");
    assert!(told.contains("main: an agent for tictactoe has games = [\"tictactoe\"] in its manifest; "), "{told}");
    for command in ["ask pbrain-mine", "check pbrain-mine --game connect4", "play pbrain-mine --game tictactoe --plain"]
    {
        let told = dir.process_ends(1, command).stderr;
        assert!(
            told.contains("pbrain-mine does not play") && told.contains("five in a row on square boards"),
            "{told}"
        );
    }
    let told = dir.process_ends(0, "tournament --game connect4 --rounds 1 --move-time 5s").stderr;
    assert!(told.contains(&format!("bots for other games: marbles; {brains}\n")), "{told}");
}

#[test]
fn score_cards_have_the_words_of_the_protocol() {
    let dir = with_brains(&[("tiny", ""), ("dull", "silent-start")]);
    starter(&dir, "kaggle/agent.py", "main.py", 0o644);
    dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"");
    // A time that differs from run to run.
    let card = |command: &str| {
        let text = dir.process(command).stdout;
        let text = text.replace(&*dir.path("").to_string_lossy(), "");
        text.lines().filter(|line| !line.starts_with("note  slowest")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(
        [card("check tiny --move-time 5s"), card("check dull --move-time 5s"), card("check main --move-time 5s")]
            .join("\n\n")
    );
}

#[test]
fn a_brain_and_an_agent_play_a_tournament_that_is_sound() {
    let dir = with_brains(&[("tiny", "message")]);
    starter(&dir, "gomocup/brain.py", "pbrain-mine", 0o755);
    dir.process_ends(0, &format!("tournament --name g {GAME} --rounds 2 --opening-plies 2"));
    let games = dir.journal("g").games;
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{games:?}");
    dir.process_ends(0, "verify g");
    // Both sides of a game from an opening, from the journal alone.
    let game = &games[0];
    let seat = game.bots.iter().position(|bot| bot.name == "tiny").expect("it plays");
    let wire = dir.process_ends(0, &format!("replay {} --wire {}", game.id, ["first", "second"][seat])).stdout;
    let lines: Vec<&str> = wire.lines().collect();
    assert_eq!(lines[..3], ["< ABOUT", "< START 5", "< INFO timeout_turn 4980"], "{wire}");
    assert!(lines.contains(&"< BOARD") && lines.contains(&"< DONE"), "{wire}");
    let asked = lines.iter().filter(|line| line.starts_with("< TURN") || **line == "< BOARD").count();
    let replied: Vec<&&str> = lines.iter().filter(|line| line.starts_with("> ")).collect();
    let count = game.played_by(Seat::BOTH[seat]).count();
    assert_eq!((asked, replied.len()), (count, count), "{wire}");
    let request = dir.process_ends(0, &format!("replay {} --request {}", game.id, game.opening.len())).stdout;
    assert!(request.starts_with("BOARD\n") && request.ends_with("DONE\n"), "{request:?}");

    starter(&dir, "kaggle/agent.py", "main.py", 0o644);
    dir.file(
        "bots/main.toml",
        "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"\ngames = [\"connect4\", \"tictactoe\"]",
    );
    dir.builtin("random", "random");
    dir.process_ends(0, "tournament --name c --game connect4:rows=5,cols=6 --rounds 2 --move-time 5s");
    assert!(dir.journal("c").games.iter().all(|game| game.statuses == [Status::Ok; 2]));
    dir.process_ends(0, "verify c");
    let event = dir.read("results/c/games.jsonl");
    assert!(event.contains("\"speaks\":{\"protocol\":\"kaggle\",\"version\":2,\"memory_mb\":1024}"), "{event}");
    assert!(event.contains("\"command\":\"python3 main.py\""), "the words of the manifest: {event}");
}

#[test]
fn an_engine_that_refuses_the_board_is_left_out_at_the_check() {
    let dir = with_brains(&[("small", "refuse-size:15"), ("a", ""), ("b", "last")]);
    let told = dir.process_ends(2, &format!("tournament {GAME} --rounds 1")).stderr;
    assert!(
        told.contains("small") && told.contains("it answers START 5 with ERROR - unsupported board size (5)"),
        "{told}"
    );
}

/// The faults of brains, and what shows that a brain which is fed the file by hand has failed in the same way.
#[test]
fn the_file_of_a_fault_is_what_the_brain_read_and_reproduces_it() {
    let faults = [
        ("silent", "silent at:2", Status::Timeout),
        ("illegal", "illegal at:2", Status::IllegalMove),
        ("error", "error-move at:2", Status::ProtocolError),
        ("pair", "half-pair at:2", Status::ProtocolError),
        ("dies", "die-at-second-move", Status::Crashed),
        ("synced", "die-at-sync", Status::Crashed),
        ("start", "unknown-start", Status::StartupFailed),
        ("ready", "die-at-ready", Status::StartupFailed),
        ("about", "die-at-about", Status::StartupFailed),
        ("held", "hold-sync:900 at:2", Status::Timeout),
    ];
    for (name, args, status) in faults {
        let dir = with_brains(&[("honest", "last")]);
        let seen = dir.path("seen");
        let words = format!("{args} log:{}", seen.display());
        let words: Vec<&str> = std::iter::once("./tiny").chain(words.split_whitespace()).collect();
        dir.file(&format!("bots/{name}.toml"), format!("command = {words:?}\nprotocol = \"gomocup\""));
        dir.process(
            "tournament --name t --game gomoku:rows=5,cols=5 --move-time 300ms --rounds 1 --no-check -q -j 1 --sandbox off",
        );
        let games = dir.journal("t").games;
        let game = games.iter().find(|game| game.bots[0].name == name).expect("a game in the first seat");
        assert_eq!(game.statuses[0], status, "{name}: {game:?}");
        let file = dir.read(&format!("results/t/bots/{name}.faults/{}.txt", game.id));
        // A new process for each game; repeated questions whether it is idle are left out.
        let without_repeats = |text: &str| {
            let mut lines: Vec<String> = text.split_inclusive("\r\n").map(str::to_owned).collect();
            lines.dedup_by(|line, before| line == before && line == "ABOUT\r\n");
            lines.concat()
        };
        let seen = fs::read_to_string(seen).expect("what it read");
        let starts: Vec<usize> = seen.match_indices("ABOUT\r\nSTART").map(|(at, _)| at).collect();
        let first = games.iter().position(|other| other.id == game.id).expect("it is one of them");
        let (from, to) = (starts.get(first).copied(), starts.get(first + 1).copied());
        if let Some(from) = from {
            let seen = without_repeats(&seen[from..to.unwrap_or(seen.len())]);
            assert_eq!(seen.strip_suffix("END\r\n").unwrap_or(&seen), without_repeats(&file), "{name}");
        }

        let log = dir.read(&format!("results/t/bots/{name}.log"));
        let commands: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix("referee: to reproduce: ")).collect();
        let command = commands.iter().find(|command| command.contains(&game.id)).expect("a command");
        let again = Command::new("sh").args(["-c", command]).current_dir(dir.path("")).output().expect("sh");
        let said = String::from_utf8_lossy(&again.stdout).into_owned();
        let last = said.lines().last().unwrap_or_default();
        let pairs = said.lines().filter(|line| line.contains(',') && !line.contains("name=")).count();
        match name {
            "silent" | "held" => assert_eq!(pairs, 1, "{name}: {said}"),
            "illegal" => assert!(
                game.evidence[0].as_ref().is_some_and(|known| known.message.contains(&format!("`{last}`"))),
                "{said}"
            ),
            "error" | "pair" | "start" => {
                let told = &game.evidence[0].as_ref().expect("evidence").message;
                let answer = told.rsplit(" with ").next().expect("what it answered");
                assert!(said.contains(answer), "{name}: {told}: {said}");
            }
            _ => {
                assert_eq!(again.status.code(), Some(4), "{name}: {again:?}");
                let tail = game.evidence[0].as_ref().and_then(|known| known.stderr_tail.clone()).expect("its stderr");
                assert_eq!(String::from_utf8_lossy(&again.stderr).trim(), tail.trim(), "{name}");
            }
        }
    }
}

#[test]
fn the_file_of_an_agents_fault_is_fed_to_it_by_talk() {
    let dir = Dir::with_bots(&["random"]);
    dir.file(
        "bots/main.py",
        "def agent(obs, config):\n    if obs.step > 3: raise ValueError('no idea')\n    return 0\n",
    );
    dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"");
    dir.process("tournament --name t --rounds 1 --opening-plies 0 --no-check -q -j 1");
    let game = &dir.journal("t").games[0];
    let evidence = game.evidence.iter().flatten().next().expect("a fault");
    assert_eq!(evidence.sentence(Status::Crashed).split(';').next(), Some("ValueError: no idea"), "{evidence:?}");
    let log = dir.read("results/t/bots/main.log");
    let command = log.lines().find_map(|line| line.strip_prefix("referee: to reproduce: ")).expect("a command");
    let (talk, file) = command.split_once(" < ").expect("its input");
    assert_eq!(talk, "arena talk bots/main.toml");
    let mut talk = dir.command("talk bots/main.toml");
    talk.stdin(fs::File::open(dir.path(file)).expect("the file"));
    let again = dir.run(talk).wait(std::time::Duration::from_secs(60));
    assert!(again.stdout.contains("ValueError: no idea"), "{again}");
    let advice = dir.process_ends(2, "check main --move-time 5s").stdout;
    assert!(advice.contains("ValueError: no idea"), "{advice}");
}

/// The row of the first fault of an agent, in a check of it.
fn row_of_agent(text: &str, game: &str) -> String {
    let dir = Dir::new();
    dir.file("bots/main.py", text);
    dir.file(
        "bots/main.toml",
        format!("command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"\ngames = [\"{game}\"]"),
    );
    let told = dir.process_ends(2, &format!("check main --game {game} --quick --move-time 30s")).stdout;
    told.lines().find(|line| line.starts_with("FAIL")).unwrap_or_else(|| panic!("{text}: {told}")).to_owned()
}

#[test]
fn what_an_agent_returned_is_shown_as_it_is_with_its_type() {
    // As an array of numpy with one number is.
    let array = "class ndarray:\n    def __index__(self): raise TypeError('only integer scalar arrays can be converted')\n    \
                 def __repr__(self): return 'array([[3],\\n       [4]])'\n";
    let hidden = "class Odd:\n    def __repr__(self): raise SystemExit('no')\n";
    for (before, answer, shown) in [
        (array, "ndarray()", "the agent returned array([[3], [4]]) (ndarray), not an integer"),
        (hidden, "Odd()", "the agent returned what cannot be shown (Odd), not an integer"),
        ("", "list(range(200))", "… 198, 199] (list), not an integer"),
        ("", "'x' * 100000", "xxx' (str), not an integer"),
        ("", "None", "the agent returned None (NoneType), not an integer"),
        ("", "3.0", "the agent returned 3.0 (float), not an integer"),
    ] {
        let row = row_of_agent(&format!("{before}def agent(obs): return {answer}\n"), "connect4");
        assert!(
            row.contains("crashed") && row.contains(shown) && row.contains("the agent returned "),
            "{answer}: {row}"
        );
    }
    for (game, answer, shown) in [
        ("connect4", "10**30", "move `1000000000000000000000000000000` ("),
        ("connect4", "-10**30", "move `-1000000000000000000000000000000` ("),
        ("connect4", "10**10000", "move `an integer of 33220 bits` ("),
        ("connect4", "99", "move 99 is not legal"),
        ("tictactoe", "13", "move `13` ([4,1]) is not legal"),
    ] {
        let row = row_of_agent(&format!("def agent(obs): return {answer}\n"), game);
        assert!(row.contains("illegal_move") && row.contains(shown), "{answer}: {row}");
    }
}

#[test]
fn the_function_that_is_called_as_the_agent_is_named_in_its_faults() {
    let cured = "`free` was called as the agent, the last function of the file; move `agent` to its end";
    let agent = "def agent(obs, conf):\n    return free(obs.board, conf)\n";
    let faults = [
        (
            format!("{agent}def free(board, columns, start): return 0\n"),
            "crashed",
            "TypeError: free() missing 1",
            cured,
        ),
        (format!("{agent}def free(board, columns): return 99\n"), "illegal_move", "move 99 is not legal", cured),
        (
            format!("{agent}free = lambda board: [0]\n"),
            "crashed",
            "the agent returned [0] (list), not an integer",
            cured,
        ),
        (
            "def my_agent(obs): return True\n".to_owned(),
            "crashed",
            "the agent returned True (bool), not an integer",
            "`my_agent` was called as the agent, the last function of the file",
        ),
        (
            "def agent(obs, conf): raise ValueError('no idea')\n".to_owned(),
            "crashed",
            "ValueError: no idea",
            "`agent` was called, the last function of the file",
        ),
        (format!("{agent}from operator import itemgetter as free\n"), "crashed", "the agent returned operator.", cured),
    ];
    for (text, status, what, called) in faults {
        let dir = Dir::new();
        dir.file("bots/main.py", &text);
        dir.file("bots/main.toml", "command = [\"python3\", \"main.py\"]\nprotocol = \"kaggle\"");
        let told = dir.process_ends(2, "check main --game connect4 --quick --move-time 30s").stdout;
        let row = told.lines().find(|line| line.contains(status)).unwrap_or_else(|| panic!("{text}: {told}"));
        assert!(row.contains(what) && row.contains(called), "{text}: {told}");
        assert_eq!(row.contains("move `agent`"), called == cured, "{text}: {told}");
    }
}

#[test]
fn new_bots_of_other_protocols_are_made_and_pass_their_check() {
    let dir = Dir::new();
    for (protocol, file) in [("kaggle", "agent.py"), ("gomocup", "brain.py")] {
        let told = dir.process_ends(0, &format!("new-bot my-{protocol} --protocol {protocol}")).stdout;
        assert_eq!(told, format!("made bots/my-{protocol}\ntry it: arena check my-{protocol}\n"));
        let starter = in_repository(&format!("bots/starters/{protocol}/{file}"));
        assert_eq!(dir.read(&format!("bots/my-{protocol}/{file}")), fs::read_to_string(starter).expect("the starter"));
        dir.process_ends(0, &format!("check my-{protocol} --quick --move-time 30s"));
    }
    // For a program that is there: in the bots folder, elsewhere, or in PATH.
    starter(&dir, "kaggle/agent.py", "sub.py", 0o644);
    dir.process_ends(0, "new-bot sub --protocol kaggle -- python3 sub.py");
    assert_eq!(dir.read("bots/sub.toml"), "command = [\"python3\", \"sub.py\"]\nprotocol = \"kaggle\"\n");
    dir.process_ends(0, "check sub --quick --move-time 30s");
    fs::create_dir(dir.path("engines")).expect("a folder");
    fs::copy(compiled("bots/brain.rs", &[]), dir.path("engines/tiny")).expect("a copy");
    let told = dir.process_ends(0, "new-bot engine --protocol gomocup -- engines/tiny last").stdout;
    assert_eq!(told, "made bots/engine.toml\ntry it: arena check engine\n");
    dir.process_ends(0, "check engine --quick --move-time 30s --game gomoku:rows=5,cols=5");
    fs::write(dir.path("engines/tiny.py"), fs::read(in_repository("bots/starters/kaggle/agent.py")).expect("it"))
        .expect("it");
    dir.process_ends(0, "new-bot far --protocol kaggle -- python3 engines/tiny.py");
    dir.process_ends(0, "check far --quick --move-time 30s");
    let told = dir.process_ends(1, "new-bot x --protocol gomokup").stderr;
    assert!(
        told.contains("no protocol named `gomokup` (did you mean `gomocup`?); known: json, kaggle, gomocup"),
        "{told}"
    );
    for (command, says) in [
        ("new-bot none --protocol kaggle -- python3 none.py", "line 1: there is no file none.py in its folder"),
        ("new-bot none --protocol kaggle -- sub.py", "line 1: a Kaggle agent is `[interpreter, file]`; got 1 word"),
        ("new-bot none --protocol gomocup -- no-such-engine", "its program no-such-engine is not in PATH"),
    ] {
        let told = dir.process_ends(1, command).stderr;
        assert!(told.contains(says) && told.contains("nothing was made"), "{told}");
        assert!(!dir.path("bots/none.toml").exists());
    }
    let told = dir.process_ends(1, "new-bot sub --protocol kaggle -- python3 sub.py").stderr;
    assert!(told.contains("bots/sub.toml exists already"), "{told}");
}
