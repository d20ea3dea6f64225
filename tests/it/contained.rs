//! Hostile bots in real tournaments of the real binary: what is prevented, and that ordinary bots still work.

use std::fs;
use std::path::Path;
use std::time::Duration;

use arena::guard::SandboxMode;
use arena::record::{DeniedCalls, GameResult, Record, Status};
use rustix::process::Signal;

use crate::faults::faulty;
use crate::guard::denied;
use crate::hostile::lacks;
use crate::procfs::{children, open_files};
use crate::support::{ASKED, Dir, LIMIT, arena, is_installed, not_tested, until};

const QUICK: &str = "tournament --game tictactoe --rounds 1 --move-time 30s --no-check -j 1";
/// Within this time after the arena's end every bot has ended.
const GONE: Duration = Duration::from_secs(1);
/// The first game, and the fault of its bot `name`.
#[track_caller]
fn fault_of(dir: &Dir, name: &str) -> (Status, String) {
    let games = dir.journal("tictactoe").games;
    let game: &Record = games.first().expect("a game");
    let seat = usize::from(game.bots[1].name == name);
    assert_eq!(game.statuses[1 - seat], Status::Ok, "{game:?}");
    let message = game.evidence[seat].as_ref().map(|evidence| evidence.message.clone());
    (game.statuses[seat], message.unwrap_or_default())
}

#[test]
fn a_daemon_is_gone_after_its_game() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/parent", &format!("setsid sleep 1000 &\necho daemon >&2\nexec {} bot random", arena()));
    dir.file("bots/parent.toml", "command = [\"./parent\"]\nname = \"fresh-parent\"\nfresh = true");
    let daemons = || dir.processes().iter().filter(|words| words.starts_with("sleep")).count();
    let mut running = dir.start("match fresh-parent random --game tictactoe --rounds 10 --move-time 30s -j 1");
    let mut most = 0;
    until(LIMIT, "the match ends", || {
        most = most.max(daemons());
        running.has_ended()
    });
    assert!(most <= 1, "one at a time, that of the game that is played, not {most}");
    assert_eq!(running.wait(LIMIT).status, Some(0));
    let log = dir.read("results/tictactoe-fresh-parent-vs-random/bots/fresh-parent.log");
    assert_eq!(log.matches("stderr: daemon").count(), 20, "{log}");
    assert!(dir.processes().is_empty(), "{:?}", dir.processes());
}

#[test]
fn every_bot_dies_with_an_arena_that_is_killed() {
    let dir = Dir::new();
    let stubborn = format!("trap '' HUP INT TERM PIPE\n{ASKED}\nsetsid sleep 1000 &\nwhile :; do sleep 1000; done");
    dir.script("bots/one", &stubborn);
    dir.script("bots/two", &stubborn);
    let running = dir.start(QUICK);
    // The daemon and the process that is waited for.
    until(LIMIT, "a game hangs", || dir.processes().iter().filter(|words| words.starts_with("sleep")).count() == 2);
    running.signal(Signal::KILL);
    until(GONE, "every bot is gone", || dir.processes().is_empty());
}

#[test]
fn a_tournament_is_played_in_a_container_whose_session_began_outside() {
    // The number of such a session is 0, which no other process's is.
    let within = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    let unshared = |words: &[&str], dir: &Dir| {
        let mut command = std::process::Command::new("unshare");
        command.args(within).args(words).current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
        command.stdin(std::process::Stdio::null()).output()
    };
    let dir = Dir::with_bots(&["random", "greedy"]);
    if !unshared(&["true"], &dir).is_ok_and(|output| output.status.success()) {
        return not_tested("a container", "this system does not let us make one");
    }
    let words: Vec<&str> = [arena()].into_iter().chain(QUICK.split(' ')).collect();
    let output = unshared(&words, &dir).expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(dir.journal("tictactoe").games.len(), 2);
}

#[test]
fn where_guards_are_hidden_what_takes_a_look_at_bots_is_refused() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    crate::support::copy_program(crate::support::arena(), dir.path("arena"));
    let run = |words: &str| {
        // Root sees everything.
        let hide = "mount -t proc -o hidepid=2 proc /proc && chown -R 65534 . && exec setpriv --reuid 65534 --regid 65534 \
                    --clear-groups \"$@\"";
        let mut command = std::process::Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", hide, "sh"]).args(words.split(' '));
        command.current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
        command.stdin(std::process::Stdio::null()).output()
    };
    if !run("./arena games").is_ok_and(|output| output.status.success()) {
        return not_tested("hidepid", "only root can become somebody else in a container");
    }
    for (flags, status, says) in [
        (" --clock cpu", 1, "error: --clock cpu is not possible here: this system hides the processes of bots"),
        (" --sandbox off --freeze-idle", 1, "error: --freeze-idle is not possible here: this system hides"),
        ("", 0, "warning: time that bots wait for a processor is not credited: this system hides"),
    ] {
        let output = run(&format!("./arena {QUICK}{flags}")).expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{flags}: {said}");
        assert!(said.contains(says), "{flags}: {said}");
    }
    let output = run("./arena doctor").expect("it starts");
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(
        found.lines().any(|line| {
            line.strip_prefix("processes seen  WEAK").is_some_and(|says| says.trim().starts_with("this system hides"))
        }),
        "{found}"
    );
}

#[test]
fn a_bot_reads_no_other_bot_and_writes_no_results() {
    let tries = |dir: &Dir| {
        let here = dir.path("");
        let here = here.display();
        format!(
            "{{ cat {here}/bots/victim && echo DID read\nls {here}/bots && echo DID list\n\
             echo x > {here}/bots/forged && echo DID write\necho x > {here}/results/tictactoe/forged && echo DID forge\n\
             echo x > $TMPDIR/own && cat $TMPDIR/own && echo may use its scratch folder; }} >&2\n\
             exec {} bot random",
            arena()
        )
    };
    for (flags, may) in [("", false), (" --sandbox landlock", false), (" --sandbox off", true)] {
        let dir = Dir::new();
        dir.script_bot("victim", "greedy");
        dir.script("bots/spy", &tries(&dir));
        let before = dir.read("bots/victim");
        dir.process_ends(0, &format!("{QUICK}{flags}"));
        let log = dir.read("results/tictactoe/bots/spy.log");
        assert!(log.contains("may use its scratch folder"), "{log}");
        for word in ["read", "list", "write", "forge"] {
            assert_eq!(log.contains(&format!("DID {word}")), may, "{word}{flags}: {log}");
        }
        assert_eq!(dir.path("bots/forged").exists(), may);
        assert_eq!(dir.path("results/tictactoe/forged").exists(), may);
        assert_eq!(dir.read("bots/victim"), before);
    }
}

#[test]
fn every_process_finds_its_scratch_folder_empty() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/messy", &format!("echo $(ls -A $TMPDIR | wc -l) >&2\nmkdir -p $TMPDIR/a/b\n{ASKED}\nexit 3"));
    dir.process_ends(0, &QUICK.replace("--rounds 1", "--rounds 2").replace("--rounds 1 ", ""));
    let log = dir.read("results/tictactoe/bots/messy.log");
    assert_eq!(log.matches("stderr: 0").count(), 4, "{log}");
    assert_eq!(fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0);
}

#[test]
fn what_a_bot_wrote_in_a_game_that_is_tried_again_is_in_its_log() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/victim", &format!("{ASKED}\necho last words >&2\nkill -KILL $$"));
    // The killer is unknown, so the games are no bot's fault.
    dir.process_ends(3, &format!("{QUICK} --sandbox off"));
    let log = dir.read("results/tictactoe/bots/victim.log");
    assert_eq!(log.matches(", retried\nstderr: last words\n").count(), 6, "{log}");
    assert_eq!(log.matches("stderr: last words\n").count(), 8, "{log}");
}

#[test]
fn a_bot_that_takes_too_much_memory_is_named() {
    // One process is refused memory by the kernel; several, each within the limit, are found by the guard.
    let holder = "(head -c 30000000 /dev/zero; sleep 60) | tail -c 30000000 &";
    for name in ["one", "many"] {
        let dir = Dir::with_bots(&["random"]);
        dir.file("bots/one.toml", format!("command = [{:?}, \"hog\"]", faulty().display().to_string()));
        if name == "many" {
            fs::remove_file(dir.path("bots/one.toml")).expect("removed");
            dir.script("bots/many", &format!("{ASKED}\nfor i in 1 2 3 4 5 6 7 8; do {holder} done; wait"));
        }
        dir.process_ends(0, &format!("{QUICK} --limits memory_mb=100"));
        let (status, message) = fault_of(&dir, name);
        assert_eq!(status, Status::Crashed, "{message}");
        assert!(message.contains("out of memory") && message.contains("100 MB"), "{name}: {message}");
        assert!(dir.processes().is_empty());
    }
}

#[test]
fn a_bot_that_forks_on_and_on_is_stopped() {
    // It stops by itself if it is not stopped.
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/forks", &format!("{ASKED}\nfor i in $(seq 200); do sleep 60 & done; wait"));
    dir.process_ends(0, &format!("{QUICK} --limits processes=32"));
    let (status, message) = fault_of(&dir, "forks");
    assert_eq!(status, Status::Crashed, "{message}");
    assert!(message.contains("too many processes (limit 32)"), "{message}");
    assert!(dir.processes().is_empty());
}

#[test]
fn two_hundred_games_leak_nothing() {
    const FILES: u32 = 80;
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/fresh.toml", "builtin = \"greedy\"\nfresh = true");
    dir.script("bots/crash", &format!("{ASKED}\nsetsid sleep 1000 &\nexit 3"));
    let args =
        "tournament --game tictactoe --rounds 34 --move-time 30s --no-check --strikes off --quiet -j 2 --oversubscribe";
    // A descriptor lost at each start would soon be one too many; a void game would end this with another code.
    let mut child = std::process::Command::new("sh");
    child.args(["-c", &format!("ulimit -n {FILES}; exec \"$0\" \"$@\"")]).arg(arena()).args(args.split(' '));
    child.current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
    child.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    let mut child = child.spawn().expect("it starts");
    let (mut most, mut late) = ((0, 0), (0, 0));
    until(LIMIT, "the tournament ends", || {
        let seen = (children(child.id()).len(), open_files(child.id()));
        let half = if dir.journal_lines("tictactoe") < 100 { &mut most } else { &mut late };
        *half = (half.0.max(seen.0), half.1.max(seen.1));
        child.try_wait().expect("a child").is_some()
    });
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    let games = dir.journal("tictactoe").games;
    assert_eq!(games.len(), 204);
    assert!(games.iter().all(Record::counts));
    // Guards: three bots in each of two slots at most, and one that is being replaced.
    assert!(late.0 <= 8 && late.1 <= FILES as usize, "children, files: {most:?}, then {late:?}");
    assert!(late.0 <= most.0 + 2 && late.1 <= most.1 + 8, "children, files: {most:?}, then {late:?}");
    assert!(dir.processes().is_empty());
    assert_eq!(fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0);
}

#[test]
fn starters_in_every_language_pass_the_check_in_a_sandbox() {
    let starters = Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters");
    let dir = Dir::new();
    let mut bots = Vec::new();
    let mut languages = Vec::new();
    for (language, tool, file, compiled_by, command) in [
        ("c", "cc", "bot.c", &["cc", "-o", "bot", "bot.c"][..], &["./bot"][..]),
        ("cpp", "c++", "bot.cpp", &["c++", "-std=c++17", "-o", "bot", "bot.cpp"], &["./bot"]),
        ("go", "go", "bot.go", &["go", "build", "-o", "bot", "bot.go"], &["./bot"]),
        ("gomocup", "python3", "brain.py", &[], &["python3", "brain.py"]),
        ("java", "javac", "Bot.java", &["javac", "Bot.java"], &["java", "-cp", ".", "Bot"]),
        ("javascript", "node", "bot.js", &[], &["node", "bot.js"]),
        ("kaggle", "python3", "agent.py", &[], &["python3", "agent.py"]),
        ("python", "python3", "bot.py", &[], &["python3", "bot.py"]),
        ("rust", "rustc", "bot.rs", &["rustc", "-O", "-o", "bot", "bot.rs"], &["./bot"]),
    ] {
        languages.push(language);
        if !is_installed(tool, &format!("the starter in {language} in a sandbox")) {
            continue;
        }
        let folder = dir.path("bots").join(language);
        fs::create_dir(&folder).expect("a folder");
        fs::copy(starters.join(language).join(file), folder.join(file)).expect("a copy");
        if let [compiler, args @ ..] = compiled_by {
            let built = std::process::Command::new(compiler).args(args).current_dir(&folder).status();
            assert!(built.expect("a compiler").success());
        }
        let (protocol, game) = match language {
            "gomocup" => ("gomocup", "gomoku:rows=5,cols=5"),
            "kaggle" => ("kaggle", "connect4"),
            _ => ("json", "tictactoe"),
        };
        dir.file(&format!("bots/{language}/bot.toml"), format!("command = {command:?}\nprotocol = {protocol:?}"));
        bots.push((language, game));
    }
    let folders = fs::read_dir(&starters).expect("the starters").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<_> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert_eq!(
        folders,
        languages.iter().map(|language| starters.join(language)).collect::<Vec<_>>(),
        "every language is tested"
    );
    for (bot, game) in bots {
        // Not by its exit code: on a busy machine a JVM needs more than a second to leave.
        let ended = dir.process(&format!("check {bot} --game {game} --move-time 30s"));
        let (game, _) = game.split_once(':').unwrap_or((game, ""));
        assert!(ended.stdout.contains(&format!("ok    plays {game}")) && ended.stderr.is_empty(), "{ended}");
    }
}

#[test]
fn a_manifest_names_files_of_a_bot_without_a_folder() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/book/moves", "the book\n");
    dir.file("bots/secret", "not for you\n");
    dir.script("bots/reader", &format!("{{ cat book/moves; ls; cat secret; }} >&2\nexec {} bot greedy", arena()));
    let log = |files: &str| {
        dir.file("bots/reader.toml", format!("command = [\"./reader\"]\nname = \"book-reader\"\n{files}"));
        dir.process_ends(0, "match book-reader random --game tictactoe --rounds 1 --move-time 30s --fresh --name m");
        let log = dir.read("results/m/bots/book-reader.log");
        fs::remove_file(dir.path("results/m/bots/book-reader.log")).expect("removed");
        log
    };
    let without = log("");
    assert!(!without.contains("the book") && !without.contains("not for you"), "{without}");
    let with = log("files = [\"book\"]");
    // Names of neighbouring files are visible, as Python needs to find a module; their content is not.
    assert!(with.contains("the book") && with.contains("secret") && !with.contains("not for you"), "{with}");
}

#[test]
fn what_a_manifest_may_not_ask_for_is_said_with_its_line() {
    let dir = Dir::new();
    dir.file("bots/b/secret", "");
    for (name, text) in [
        ("a-sandbox", "builtin = \"random\"\nsandbox = \"off\""),
        ("b-sandbox", "builtin = \"random\"\nsandbox = \"strickt\""),
        ("c-limits", "builtin = \"random\"\nlimits = { memory = 64 }"),
        ("d-files", "command = [\"x\"]\nfiles = [\"gone\"]"),
        ("e-folder/bot", "command = [\"x\"]\nfiles = [\n  \"../b/secret\"]"),
    ] {
        dir.file(&format!("bots/{name}.toml"), text);
    }
    insta::assert_snapshot!(dir.arena("bots"), @r#"
    exit 2
    --- stdout
    no bots in bots; put an executable, a manifest NAME.toml or a bot folder there, or make one with `arena new-bot NAME`
    cannot be used: bots/a-sandbox.toml: line 2: a manifest may only ask for a stricter sandbox; remove `sandbox`
    cannot be used: bots/b-sandbox.toml: line 2, `sandbox = "strickt"`: unknown variant `strickt`, expected one of `auto`, `off`, `landlock`, `strict`
    cannot be used: bots/c-limits.toml: line 2, `limits = { memory = 64 }`: no limit named `memory` (did you mean `memory_mb`?); known: memory_mb, processes, open_files, file_mb, scratch_mb, stack_mb, cpu_s
    cannot be used: bots/d-files.toml: line 2: `files` names `gone`, which cannot be found: No such file or directory (os error 2)
    cannot be used: bots/e-folder: line 3: `files` names `../b/secret`, which is not inside the bot's folder; put it there
    skipped: bots/b: a folder without a bot.toml
    --- stderr
    "#);
}

#[test]
fn a_sandbox_that_is_asked_for_is_there_or_nothing_is_played() {
    for mode in ["landlock", "strict"] {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let ended = dir.process(&format!("{QUICK} --sandbox {mode}"));
        if ended.status != Some(0) {
            assert_eq!(ended.status, Some(1), "{ended}");
            assert!(ended.stderr.contains(&format!("sandbox `{mode}` is not available here")), "{ended}");
            assert!(dir.journal("tictactoe").games.is_empty());
        }
    }
}

const ARGS: &str = "ARENA_TEST_ARGS";
const LANDLOCK: &str = "ARENA_TEST_LANDLOCK";

/// Not a test: becomes the arena where the kernel seems to have no Landlock, or in so many domains of it.
#[test]
fn be_an_arena_without_landlock() {
    use std::os::unix::process::CommandExt as _;
    let Ok(args) = std::env::var(ARGS) else { return };
    match std::env::var(LANDLOCK).as_deref() {
        Ok("absent") => say_that_there_is_no_landlock(),
        Ok(domains) => enter_domains(domains.parse().expect("a number")),
        Err(error) => panic!("{error}"),
    }
    let error = std::process::Command::new(arena()).args(args.split(' ')).env_remove(ARGS).env_remove(LANDLOCK).exec();
    panic!("{error}");
}

fn say_that_there_is_no_landlock() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    /// `landlock_create_ruleset`, the same on all machines.
    const CREATE_RULESET: i64 = 444;
    let absent = SeccompAction::Errno(rustix::io::Errno::NOSYS.raw_os_error().cast_unsigned());
    let here = std::env::consts::ARCH.try_into().expect("a known machine");
    let filter = SeccompFilter::new([(CREATE_RULESET, Vec::new())].into(), SeccompAction::Allow, absent, here);
    let program: BpfProgram = filter.expect("a filter").try_into().expect("a program");
    seccompiler::apply_filter(&program).expect("seccomp");
}

/// The kernel has a limit on nested domains.
const DOMAINS_MAX: usize = 16;

/// Enters Landlock domains, in which nothing can be mounted.
fn enter_domains(count: usize) {
    use landlock::{AccessFs, Ruleset, RulesetAttr as _};
    for _ in 0..count {
        let ruleset = Ruleset::default().handle_access(AccessFs::MakeSym).and_then(Ruleset::create);
        let _ = ruleset.expect("a ruleset").restrict_self();
    }
}

/// Runs the arena in this folder, which has passed the trials of its sandboxes elsewhere, in circumstances that differ by
/// nothing that can be seen: the test's own arena has the same environment, but no filter and no domain.
fn run_without_landlock(dir: &Dir, landlock: &str, args: &str) -> (Option<i32>, String) {
    let words = format!("{QUICK} --results elsewhere --sandbox");
    for mode in ["auto", "landlock", "strict"] {
        let mut elsewhere = std::process::Command::new("setpriv");
        elsewhere.args(["--no-new-privs", arena()]).args(words.split(' ').chain([mode, "--fresh"]));
        elsewhere.env("XDG_CACHE_HOME", dir.path("cache")).current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
        // Where there is no such program or no such sandbox, there is no such trial.
        let _ = elsewhere.output();
    }
    let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "contained::be_an_arena_without_landlock", "--nocapture"]);
    command.env(ARGS, args).env(LANDLOCK, landlock).current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
    command.env("XDG_CACHE_HOME", dir.path("cache"));
    let output = command.output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_missing_sandbox_is_reported_once_and_recorded_or_nothing_is_played() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let missing = "sandbox: this kernel has no Landlock: files, signals and other processes are not restricted";
    let (status, stderr) = run_without_landlock(&dir, "absent", QUICK);
    assert_eq!(status, Some(0), "{stderr}");
    assert_eq!(stderr.matches(&format!("warning: {missing}")).count(), 1, "{stderr}");
    assert!(dir.read("results/tictactoe/tournament.json").contains(missing));
    // The tables made from the journal alone say so too.
    dir.arena_ends(0, "standings");
    assert!(dir.read("results/tictactoe/tournament.json").contains(missing));

    for mode in ["landlock", "strict"] {
        let args = format!("{QUICK} --name {mode} --sandbox {mode}");
        let (status, stderr) = run_without_landlock(&dir, "absent", &args);
        assert_eq!(status, Some(1), "{stderr}");
        assert!(stderr.contains(&format!("error: sandbox `{mode}` is not available here")), "{stderr}");
        assert!(dir.journal(mode).games.is_empty());
    }
}

#[test]
fn a_sandbox_that_fails_where_the_kernel_has_it_is_not_done_without() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("a fence that fails", why);
    }
    let dir = Dir::with_bots(&["random", "greedy"]);
    let (status, stderr) = run_without_landlock(&dir, &DOMAINS_MAX.to_string(), QUICK);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains("error: no bot can be started here: restricting files (Landlock): "), "{stderr}");
    assert!(stderr.ends_with("; if you trust all bots, use --sandbox off\n"), "{stderr}");
    assert!(dir.journal("tictactoe").games.is_empty());
}

#[test]
fn in_a_domain_that_refuses_mounts_bots_play_without_a_dev_shm_of_their_own() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("a domain around the arena", why);
    }
    let dir = Dir::with_bots(&["random"]);
    let file = format!("/dev/shm/arena-test-{}-domain", std::process::id());
    let tries = format!("(echo x > {file} && echo it is there || echo it is refused) >&2 2> /dev/null");
    dir.script("bots/writer", &format!("{tries}\nexec {} bot greedy", arena()));
    let (status, stderr) = run_without_landlock(&dir, "1", QUICK);
    assert_eq!((status, stderr.contains("warning")), (Some(0), false), "{stderr}");
    let log = dir.read("results/tictactoe/bots/writer.log");
    assert!(log.contains("it is refused") && !log.contains("it is there") && !Path::new(&file).exists(), "{log}");
    let games = dir.journal("tictactoe").games;
    assert!(games.len() == 2 && games.iter().all(|game| game.result != GameResult::Void), "{games:?}");
}

#[test]
fn wrong_bounds_are_refused_with_the_cure() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    insta::assert_snapshot!(dir.process("tournament --sandbox landlok"), @"
    exit 1
    --- stdout
    --- stderr
    error: invalid value 'landlok' for '--sandbox <MODE>': no sandbox named `landlok` (did you mean `landlock`?); known: auto, off, landlock, strict

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(dir.process("check random --limits memory_mb=1,memory_mb=2"), @"
    exit 1
    --- stdout
    --- stderr
    error: invalid value 'memory_mb=1,memory_mb=2' for '--limits <LIMIT=N,…>': limit memory_mb is given twice; give it once

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(dir.process("check random --limits memory_mb=1 --limits memory_mb=2"), @"
    exit 1
    --- stdout
    --- stderr
    error: limit memory_mb is given twice; give it once
    ");
    insta::assert_snapshot!(dir.process("check random --limits memory=3"), @"
    exit 1
    --- stdout
    --- stderr
    error: invalid value 'memory=3' for '--limits <LIMIT=N,…>': no limit named `memory` (did you mean `memory_mb`?); known: memory_mb, processes, open_files, file_mb, scratch_mb, stack_mb, cpu_s

    For more information, try '--help'.
    ");
}

#[test]
fn what_a_bot_was_denied_is_in_its_log_its_games_its_page_and_the_check() {
    if let Some(why) = denied::is_silent() {
        return not_tested("counts of refused calls", why);
    }
    let dir = Dir::with_bots(&["random"]);
    let tries = "chmod 700 . 2> /dev/null\n".repeat(2);
    dir.script("bots/closer", &format!("{tries}exec {} bot random", arena()));
    dir.process_ends(0, &QUICK.replace("--rounds 1", "--rounds 2"));
    let games = dir.journal("tictactoe").games;
    let of = |game: &Record, name: &str| {
        let seat = game.bots.iter().position(|bot| bot.name == name).expect("it plays");
        game.denied[seat].to_string()
    };
    let first = of(&games[0], "closer");
    assert!(first.starts_with("fchmodat") && first.ends_with(" ×2"), "{first}");
    assert!(games[1..].iter().all(|game| game.denied.iter().all(DeniedCalls::is_empty)), "it started once");
    assert_eq!(of(&games[0], "random"), "");
    let log = dir.read("results/tictactoe/bots/closer.log");
    assert_eq!(log.matches(&format!("referee: denied: {first}\n")).count(), 1, "{log}");
    let page = dir.read("results/tictactoe/report.html");
    assert_eq!(page.matches(&format!("{first}: refused by the sandbox")).count(), 1);
    let check = dir.process_ends(0, "check closer --game tictactoe --quick");
    assert!(check.stdout.contains("note  denied"), "{}", check.stdout);
}
