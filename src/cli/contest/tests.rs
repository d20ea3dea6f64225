use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::error::ErrorKind;

use super::*;

/// Commands that only a build with `nats` has.
const OF_NATS: [&str; 3] = ["coordinate", "worker", "workers"];

fn program() -> Command {
    crate::cli::whole_program()
}

fn read(path: &str, text: &str) -> Result<ContestFile, String> {
    let night = built(&mut program(), "night").unwrap();
    ContestFile::parse(Path::new(path), text, &night).map_err(|error| format!("{error:#}"))
}

/// The words after the command that this file and these words make.
fn words(path: &str, text: &str, line: &str) -> String {
    let file = read(path, text).unwrap();
    let (name, typed) = line.split_once(' ').unwrap_or((line, ""));
    let command = built(&mut program(), name).unwrap();
    let matches = command.clone().ignore_errors(true).try_get_matches_from(line.split_whitespace()).unwrap();
    let taken = taken(&file, &command, &matches);
    let defaults = taken.iter().flat_map(|(arg, entry)| words_of(arg, &entry.values));
    let defaults: Vec<String> = defaults.map(|word| word.into_string().unwrap()).collect();
    [defaults.join(" ").as_str(), typed].join(" ").trim().to_owned()
}

#[test]
fn each_key_goes_to_these_commands() {
    let program = program();
    let commands: Vec<&Command> =
        program.get_subcommands().filter(|command| !OF_NATS.contains(&command.get_name())).collect();
    let mut table = String::new();
    for (key, _) in keys::keys(program.find_subcommand("night").unwrap()) {
        let is_given = |command: &&&Command| keys::taken_by(command, key).is_some();
        let has = |command: &&&Command| command.get_arguments().any(|arg| arg.get_long() == Some(key));
        let names =
            |commands: Vec<&&Command>| commands.iter().map(|command| command.get_name()).collect::<Vec<_>>().join(" ");
        let taken = names(commands.iter().filter(is_given).collect());
        let not = names(commands.iter().filter(|command| has(command) && !is_given(command)).collect());
        let not = if not.is_empty() { not } else { format!(" (not {not})") };
        writeln!(table, "{key}: {taken}{not}").unwrap();
    }
    insta::assert_snapshot!(table, @r"
    rounds: tournament night (not match series)
    until: tournament night (not series)
    max-rounds: tournament night (not series)
    format: tournament night (not series)
    challenger: tournament night (not series)
    pairs-per-bot: tournament night (not series)
    only-top: tournament night (not series)
    max-games: tournament night (not series)
    pairs: tournament night (not series standings)
    swiss-rounds: tournament night (not series)
    third-place: tournament night (not series)
    seeding: tournament night (not series)
    for: tournament night (not match series)
    by: tournament night (not match series standings)
    game: tournament night match rerun play check ask talk replay publish standings similar verify judge (not series games)
    seed: tournament night (not match series play ask)
    openings: tournament night match check (not series)
    opening-plies: tournament night match check (not series)
    max-plies: tournament night match (not series)
    move-time: tournament night match series play check ask talk (not rerun)
    time: tournament night match series play check ask talk (not rerun)
    margin: tournament night match series play check ask talk (not rerun plan)
    clock: tournament night match series play check ask talk (not rerun)
    concurrency: tournament night match series rerun plan (not check solve)
    oversubscribe: tournament night match series rerun
    pin: tournament night match series rerun
    bots: tournament night match series rerun play bots new-bot check ask talk (not plan)
    bot: tournament night match series rerun play bots check ask talk (not replay standings analyze)
    sandbox: tournament night match series rerun play check ask talk doctor
    limits: tournament night match series rerun play check ask talk
    startup-max: tournament night match series rerun play check ask talk
    freeze-idle: tournament night match series rerun play check ask talk
    rules-read: tournament night match series rerun play check ask talk replay publish standings similar verify judge (not games)
    no-check: tournament night match series
    strikes: tournament night match series
    results: tournament night match series merge rerun play replay open publish standings analyze history similar export plan verify
    name: tournament night replay standings analyze similar export (not match series rerun)
    sign-key: tournament night (not match series)
    no-times: tournament night match series standings
    builtins: tournament night series bots
    title: tournament night
    anchor: tournament night standings (not series merge)
    rank-by: tournament night standings (not series merge)
    prior-draws: tournament night standings (not series)
    texts: night
    feedback: night (not standings)
    publish: night publish
    keep-last-good: tournament night (not series)
    ");
}

#[cfg(feature = "nats")]
#[test]
fn a_coordinator_takes_all_of_a_tournament_and_a_worker_nothing() {
    let program = program();
    let command = |name: &str| program.find_subcommand(name).unwrap();
    for (key, _) in keys::keys(command("night")) {
        let [tournament, coordinate] = ["tournament", "coordinate"].map(|name| keys::taken_by(command(name), key));
        assert_eq!(tournament.is_some(), coordinate.is_some(), "{key}");
        assert!(["worker", "workers"].iter().all(|name| keys::taken_by(command(name), key).is_none()), "{key}");
    }
}

/// A file with every key, but for those that others exclude.
const ALL: &str = "game = \"./sticks.toml\"\nname = \"cup\"\ntitle = \"The cup\"\nseed = 1\nopenings = \"o.jsonl\"\n\
                   max-plies = 90\nmove-time = \"1s\"\ntime = \"9s+1s\"\nmargin = \"9ms\"\nclock = \"wall\"\nconcurrency = 1\n\
                   oversubscribe = true\npin = \"off\"\nformat = \"ladder\"\nrounds = 9\nuntil = \"top:2\"\nmax-rounds = 9\n\
                   challenger = [\"a\", \"b\"]\nonly-top = true\nmax-games = 99\npairs = 3\nswiss-rounds = 3\n\
                   third-place = true\nseeding = \"draw\"\nfor = \"8h\"\nbots = \"b\"\nbot = [\"a=x/a\", \"b=x/b\"]\n\
                   sandbox = \"auto\"\nlimits = [\"memory_mb=9\", \"processes=9\"]\nstartup-max = \"9s\"\nfreeze-idle = true\n\
                   rules-read = [\"data\"]\nstrikes = \"off\"\nbuiltins = true\nkeep-last-good = true\nresults = \"r\"\n\
                   sign-key = \"key\"\nno-times = true\nanchor = \"a\"\nrank-by = \"elo\"\nprior-draws = 0.5\ntexts = \"t\"\n\
                   feedback = \"f\"\npublish = \"p\"\n";

#[test]
fn all_keys_are_read() {
    let night = built(&mut program(), "night").unwrap();
    let file = read(FILE_NAME, ALL).unwrap();
    let missing: Vec<&str> = keys::keys(&night).map(|(key, _)| key).filter(|key| !file.has(key)).collect();
    // The first three exclude others that are there.
    assert_eq!(missing, ["pairs-per-bot", "by", "opening-plies", "no-check"]);
    for key in missing {
        let text = if key == "no-check" {
            "no-check = true"
        } else {
            &format!("{key} = \"06\"").replace("y = \"06", "y = \"06:00")
        };
        assert!(read(FILE_NAME, text).is_ok(), "{text}");
    }
}

/// A value that each flag takes, by its name.
fn typed_value(command: &Command, arg: &Arg, known: &mut BTreeMap<String, Option<String>>) -> Option<String> {
    const CANDIDATES: [&str; 23] = [
        "1",
        "1s",
        "5m",
        "wall",
        "off",
        "on",
        "core",
        "06:00",
        "separated",
        "0/2",
        "127.0.0.1:0",
        "a=b",
        "starts=1",
        "memory_mb=9",
        "auto",
        "elo",
        "ladder",
        "connect4",
        "points",
        "none",
        "fit",
        "davidson",
        "40",
    ];
    let long = arg.get_long().unwrap();
    if !arg.get_action().takes_values() {
        return Some(format!("--{long}"));
    }
    let takes = |value: &&str| {
        let read = command.clone().try_get_matches_from([command.get_name(), &format!("--{long}={value}")]);
        !read.is_err_and(|error| [ErrorKind::ValueValidation, ErrorKind::InvalidValue].contains(&error.kind()))
    };
    let find = || CANDIDATES.iter().find(|value| takes(value)).map(|value| (*value).to_owned());
    known.entry(long.to_owned()).or_insert_with(find).as_ref().map(|value| format!("--{long}={value}"))
}

#[test]
fn what_is_typed_is_never_refused_because_of_the_file() {
    let program = program();
    let file = read(FILE_NAME, ALL).unwrap();
    let mut known = BTreeMap::new();
    let mut tried = 0;
    for command in program.get_subcommands() {
        let mut command = command.clone();
        command.build();
        let name = command.get_name().to_owned();
        if command.get_arguments().all(|arg| arg.get_id() != FLAG) {
            let taken = file.entries.iter().find(|entry| keys::taken_by(&command, &entry.key).is_some());
            assert!(taken.is_none(), "{name} takes {taken:?} and has no --contest");
            continue;
        }
        let positionals: &[&str] = match name.as_str() {
            "match" => &["a", "b"],
            "ask" | "talk" | "new-bot" | "history" | "rerun" | "merge" => &["a"],
            _ => &[],
        };
        let flags: Vec<&Arg> =
            command.get_arguments().filter(|arg| arg.get_long().is_some_and(|it| it != "help")).collect();
        for flag in flags {
            let Some(typed) = typed_value(&command, flag, &mut known) else { continue };
            let typed: Vec<OsString> = positionals.iter().map(OsString::from).chain([typed.into()]).collect();
            let whole = |more: Vec<OsString>| {
                let all = [OsString::from(&name)].into_iter().chain(more).chain(typed.clone());
                command.clone().try_get_matches_from(all).map_err(|error| error.to_string())
            };
            let matches = command
                .clone()
                .ignore_errors(true)
                .try_get_matches_from([OsString::from(&name)].into_iter().chain(typed.clone()))
                .unwrap();
            let defaults =
                taken(&file, &command, &matches).iter().flat_map(|(arg, entry)| words_of(arg, &entry.values)).collect();
            if whole(Vec::new()).is_ok() {
                tried += 1;
                let with_file = whole(defaults);
                assert!(with_file.is_ok(), "arena {name} {typed:?}: {}", with_file.unwrap_err());
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn what_is_typed_counts_and_replaces_what_is_one_thing_with_it() {
    for (text, line, expected) in [
        ("game = \"gomoku\"\nrounds = 3", "tournament", "--game=gomoku --rounds=3"),
        ("game = \"gomoku\"\nrounds = 3", "tournament --rounds 5", "--game=gomoku --rounds 5"),
        // The file of a game's openings is of no use to another game.
        ("game = \"gomoku\"\nopening-plies = 3", "tournament --game=mnk", "--game=mnk"),
        // A clock is one thing.
        ("time = \"9s\"\nmargin = \"1ms\"", "match a b --move-time 1s", "--margin=1ms a b --move-time 1s"),
        ("time = \"9s\"\nmove-time = \"1s\"", "ask a --time 5s", "a --time 5s"),
        ("move-time = \"1s\"", "ask a --patient", "a --patient"),
        // So is a goal, and a format with its counts.
        ("until = \"±9\"\nmax-rounds = 9\nfor = \"1h\"", "tournament --rounds 2", "--for=1h --rounds 2"),
        ("for = \"1h\"", "tournament --by 06:00", "--by 06:00"),
        ("format = \"ladder\"\npairs-per-bot = 9", "tournament --format swiss", "--format swiss"),
        ("format = \"ladder\"\npairs-per-bot = 9", "night --pairs-per-bot 2", "--format=ladder --pairs-per-bot 2"),
        ("keep-last-good = true", "tournament --no-check", "--no-check"),
        ("until = \"separated\"\nfor = \"1h\"", "tournament --shard 0/2", "--shard 0/2"),
        // A match is under the conditions of the contest, and not part of it.
        (
            "game = \"gomoku\"\nname = \"cup\"\nseed = 1\nformat = \"ladder\"\nmove-time = \"1s\"\nresults = \"r\"",
            "match a b",
            "--game=gomoku --move-time=1s --results=r a b",
        ),
        // The tournament to look at; of another one only the place is known.
        ("name = \"cup\"\nanchor = \"a\"", "standings", "cup --anchor=a"),
        ("name = \"cup\"\nanchor = \"a\"\nresults = \"r\"", "standings old", "--results=r old"),
        ("name = \"cup\"\nanchor = \"a\"", "standings cup --markdown", "--anchor=a cup --markdown"),
        ("name = \"cup\"", "replay 1a --plain", "--name=cup 1a --plain"),
        ("game = \"./g.toml\"\nname = \"cup\"", "similar", "--game=./g.toml cup"),
        ("publish = \"www\"", "publish", "www"),
        ("publish = \"www\"", "publish other", "other"),
        // Built-in games are known to those who judge.
        ("game = \"gomoku\"", "judge", ""),
        ("game = \"g.toml:n=3\"", "judge", "--game=g.toml:n=3"),
        // The same words, other meanings.
        ("bots = \"b\"\nmargin = \"1ms\"", "plan --minutes 5", "--minutes 5"),
        ("bots = \"b\"\nconcurrency = 1", "check --all", "--bots=b --all"),
        // Switches and lists.
        ("builtins = true\nfreeze-idle = false\nno-times = false", "tournament", "--builtins --no-times=off"),
        ("limits = [\"processes=9\", \"cpu_s=9\"]", "ask a", "--limits=processes=9 --limits=cpu_s=9 a"),
    ] {
        assert_eq!(words(FILE_NAME, text, line), expected, "{text}\narena {line}");
    }
}

#[test]
fn paths_count_from_the_file() {
    let text = "game = \"g.toml:n=3\"\nbot = \"a=../a\"\nopenings = \"/o.jsonl\"\nseeding = \"draw\"\n\
                rules-read = [\"d\"]\nsign-key = \"k\"";
    assert_eq!(
        words("league/arena.toml", text, "tournament"),
        "--game=league/g.toml:n=3 --bot=a=league/../a --openings=/o.jsonl --seeding=draw --rules-read=league/d \
         --sign-key=league/k --bots=league/bots --results=league/results"
    );
    assert_eq!(
        words("league/arena.toml", "game = \"gomoku\"\nbots = \"b\"\nresults = \"/r\"", "match a b"),
        "--game=gomoku --bots=league/b --results=/r a b"
    );
}

#[test]
fn a_mistake_is_named_with_its_line() {
    for (text, why) in [
        ("\nfomat = 1", "arena.toml:2: no key named `fomat` (did you mean `format`?)"),
        ("json = true", "arena.toml:1: `json` is of one run and not of a contest; type it: --json"),
        (
            "seed = 1\nmove-time = \"100\"",
            "arena.toml:2: move-time = \"100\": `100` is not a time; write for example 500ms, 1s, 0.1s or 2min (whole milliseconds, at most 24 hours)",
        ),
        ("rounds = 0", "arena.toml:1: rounds = 0: expected a whole number from 1 to 1000000"),
        ("rounds = true", "arena.toml:1: rounds = true: expected text or a number and not a switch"),
        ("rounds = [1]", "arena.toml:1: rounds = [1]: expected one value and not a list"),
        ("builtins = \"yes\"", "arena.toml:1: builtins = \"yes\": expected true or false"),
        ("by = 06:00:00", "arena.toml:1: by = 06:00:00: expected text; put it into quotes"),
        ("[bots]\na = 1", "arena.toml:1: bots = [bots]: expected text, a number, or a list of these"),
        ("clock = \"sun\"", "arena.toml:1: clock = \"sun\": expected one of wall, cpu"),
        (
            "sandbox = \"of\"",
            "arena.toml:1: sandbox = \"of\": no sandbox named `of` (did you mean `off`?); known: auto, off, landlock, strict",
        ),
        ("for = \"1h\"\nby = \"06:00\"", "arena.toml: `for` and `by` exclude each other; leave one out"),
        ("max-rounds = 5", "arena.toml: `max-rounds` needs `until` beside it"),
        ("openings = \"o\"", "arena.toml: `openings` are of a game; add `game`"),
        ("title = \" \"", "arena.toml:1: title = \" \": expected a line of 1 to 120 characters"),
        ("a = ", "arena.toml: line 1, `a =`: string values must be quoted, expected literal string"),
    ] {
        assert_eq!(read(FILE_NAME, text).map(drop), Err(why.to_owned()), "{text}");
    }
}
