//! `arena replay`: the list, and the real program on a terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use arena::tui::{App, KeyPress, TerminalLook, inbox, run};
use ratatui::Frame;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::pty;
use crate::support::{Dir, LIMIT};

/// The arena on a terminal of 100×30.
struct OnTerminal {
    child: Child,
    screen: File,
    /// Kept open, so that its modes can be looked at when the program is gone.
    _theirs: File,
    name: String,
    seen: Vec<u8>,
    /// The modes of the terminal before the program began.
    modes: String,
}

impl OnTerminal {
    fn start(dir: &Dir, args: &str) -> Self {
        Self::spawn(dir.command(args))
    }

    fn spawn(mut command: Command) -> Self {
        let (screen, theirs, name) = pty::terminal();
        stty(&name, "rows 30 cols 100");
        let modes = stty(&name, "-g");
        let stdio = || Stdio::from(theirs.try_clone().expect("a copy"));
        command.env("TERM", "xterm").stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = command.spawn().expect("it starts");
        Self { child, screen, _theirs: theirs, name, seen: Vec::new(), modes }
    }

    /// Waits until this is written. Spaces may be left out on a screen, so that only words can be waited for.
    #[track_caller]
    fn sees(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(text) {
            let limit = Timespec { tv_sec: LIMIT.as_secs().cast_signed(), tv_nsec: 0 };
            let mut waits = [PollFd::new(&self.screen, PollFlags::IN)];
            let ready = poll(&mut waits, Some(&limit)).expect("it waits");
            assert!(ready > 0, "`{text}` is not written: {}", String::from_utf8_lossy(&self.seen).escape_debug());
            let mut some = [0; 4096];
            let count = self.screen.read(&mut some).expect("a terminal");
            self.seen.extend(&some[..count]);
        }
        self.seen.clear();
    }

    fn types(&mut self, keys: &str) {
        self.screen.write_all(keys.as_bytes()).expect("a terminal");
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    #[track_caller]
    fn has_its_modes_again(&self) {
        assert_eq!(stty(&self.name, "-g"), self.modes);
    }

    /// Waits for its end: the terminal is as it was, and shows again what it showed.
    #[track_caller]
    fn ends(&mut self, code: i32) {
        self.sees("\u{1b}[?1049l");
        assert_eq!(self.child.wait().expect("a child").code(), Some(code));
        self.has_its_modes_again();
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stty(terminal: &str, words: &str) -> String {
    let output = Command::new("stty").args(["-F", terminal]).args(words.split(' ')).output().expect("stty");
    assert!(output.status.success(), "stty {words}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn played() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "tournament --game tictactoe --rounds 3 --move-time 30s -j 1 -q");
    dir
}

/// The ids in a printed list, without its head.
fn ids(list: &str) -> Vec<String> {
    list.lines().skip(1).filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

#[test]
fn games_are_listed_from_the_table_as_from_the_journal() {
    let dir = played();
    let list = dir.arena_ends(0, "replay");
    let games = dir.read("results/tictactoe/games.csv");
    let rows: Vec<&str> = games.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(ids(&list.stdout), rows);
    assert_eq!(list.stderr, "");
    let table = |args: &str| dir.arena_ends(0, args).stdout;
    let all = table("replay --plain");
    assert_eq!(all, list.stdout);
    dir.file("results/tictactoe/games.csv", games.replace(",line,", ",marked,"));
    assert!(table("replay").contains("marked"), "the table is read where it is up to date");
    // One that says more than the journal is not one of these games, and may be of any size.
    let more = "\n".repeat(dir.read("results/tictactoe/games.jsonl").len());
    dir.file("results/tictactoe/games.csv", games.replace(",line,", ",marked,") + &more);
    assert_eq!(table("replay"), all);

    // Without the table, or with one that is not up to date, the journal is read.
    std::fs::remove_file(dir.path("results/tictactoe/games.csv")).expect("a table");
    assert_eq!(table("replay"), all);
    let old: Vec<&str> = games.lines().take(3).collect();
    dir.file("results/tictactoe/games.csv", old.join("\n") + "\n");
    assert_eq!(table("replay"), all);
    for damaged in ["", "id,round\n", &games.replace("1-0", "won"), &games.replace('.', ";"), &games[..games.len() - 2]]
    {
        dir.file("results/tictactoe/games.csv", damaged);
        assert_eq!(table("replay"), all, "{damaged}");
    }
}

#[test]
fn games_are_listed_as_the_flags_say() {
    let dir = played();
    let of = |args: &str| ids(&dir.arena_ends(0, &format!("replay {args}")).stdout).len();
    assert_eq!(of("--bot greedy"), 6);
    assert_eq!(of("--bot greedy --bot random --last 4"), 4);
    assert_eq!(of("--pair 2"), 2);
    let games = dir.journal("tictactoe").games;
    let lost = |game: &&arena::record::Record| {
        game.result.winner().is_some_and(|winner| game.bots[winner.other().index()].name == "random")
    };
    assert_eq!(of("--bot random --lost"), games.iter().filter(lost).count());
    assert_eq!(of("--reason line"), games.iter().filter(|game| game.reason == "line").count());
    assert_eq!(
        dir.arena_ends(0, "replay --bot no-such-bot").stdout,
        "no game matches bot:no-such-bot; there are 6 games\n"
    );
    let refused = dir.arena("replay --lost").stderr;
    assert!(refused.contains("--bot"), "{refused}");
    let id = &games[0].id;
    let all = dir.arena_ends(0, &format!("replay {id}")).stdout;
    let from = dir.arena_ends(0, &format!("replay {id} --from 2 --plain")).stdout;
    assert!(from.starts_with("ply 2 ") && all.ends_with(&from), "{from}");
    let beyond = dir.arena_ends(1, &format!("replay {id} --from 10")).stderr;
    assert!(beyond.contains("--from 10: the game has"), "{beyond}");
}

#[test]
fn a_game_is_chosen_and_stepped_through_on_a_terminal() {
    let dir = played();
    let mut arena = OnTerminal::start(&dir, "replay");
    arena.sees("choose");
    assert_ne!(stty(&arena.name, "-g"), arena.modes);
    arena.types("/");
    arena.sees("bot:NAME");
    arena.types("bot:greedy last:1\r");
    arena.sees("choose");
    arena.types("\r");
    arena.sees("plays");
    arena.types(".");
    arena.sees("opening");
    arena.types("c");
    arena.sees("copied:");
    arena.types("q");
    arena.sees("choose");
    arena.types("q");
    arena.ends(0);
}

#[test]
fn the_clipboard_gets_the_command() {
    let dir = played();
    let id = dir.journal("tictactoe").games[0].id.clone();
    let mut arena = OnTerminal::start(&dir, &format!("replay {id} --from 2"));
    arena.sees("plays");
    arena.types("c");
    arena.sees("\u{1b}]52;c;YXJlbmEgcmVwbGF5");
    arena.types("q");
    arena.ends(0);
}

#[test]
fn the_terminal_is_given_back_after_ctrl_c_and_signals() {
    let dir = played();
    let mut arena = OnTerminal::start(&dir, "replay");
    arena.sees("choose");
    arena.types("\u{3}");
    arena.ends(0);
    for signal in [Signal::TERM, Signal::INT] {
        let mut arena = OnTerminal::start(&dir, "replay");
        arena.sees("choose");
        arena.types("\r");
        arena.sees("plays");
        kill_process(arena.pid(), signal).expect("it is there");
        arena.ends(130);
    }
}

#[test]
fn the_terminal_is_given_back_while_the_program_is_stopped() {
    let dir = played();
    let mut arena = OnTerminal::start(&dir, "replay");
    arena.sees("choose");
    for how in ["ctrl-z", "signal"] {
        match how {
            "ctrl-z" => arena.types("\u{1a}"),
            _ => kill_process(arena.pid(), Signal::TSTP).expect("it is there"),
        }
        let stopped = waitpid(Some(arena.pid()), WaitOptions::UNTRACED).expect("a child").expect("a change");
        assert!(stopped.1.stopped(), "{how}");
        arena.has_its_modes_again();
        arena.sees("\u{1b}[?1049l");
        kill_process(arena.pid(), Signal::CONT).expect("it is there");
        arena.sees("choose");
    }
    arena.types("q");
    arena.ends(0);
}

/// Set where this test binary is the program on the terminal.
const PANICS: &str = "ARENA_TEST_PANICS";

/// A screen that panics when a key is pressed.
struct Panics;

impl App for Panics {
    type News = ();

    fn key(&mut self, _key: KeyPress) {
        panic!("a key was pressed");
    }

    fn news(&mut self, (): ()) {}

    fn draw(&self, frame: &mut Frame<'_>) {
        frame.render_widget("ready", frame.area());
    }

    fn is_over(&self) -> bool {
        false
    }
}

#[test]
fn the_terminal_is_given_back_by_a_panic() {
    if std::env::var_os(PANICS).is_some() {
        run(&mut Panics, TerminalLook::default(), &inbox()).expect("a terminal");
    }
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "replaying::the_terminal_is_given_back_by_a_panic", "--nocapture"]).env(PANICS, "1");
    let mut program = OnTerminal::spawn(command);
    program.sees("ready");
    program.types("x");
    program.sees("a key was pressed");
    assert_eq!(program.child.wait().expect("a child").code(), Some(101));
    program.has_its_modes_again();
}
