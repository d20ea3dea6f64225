//! `arena play` on a terminal: the real program on a pty.

use rustix::process::{Pid, Signal, kill_process};

use super::screen::Screen;
use crate::procfs;
use crate::support::{ASKED, Dir, LIMIT, until};

/// The processes of the bot in a script, by what is in its command line.
fn kill_bot(dir: &Dir, what: &str) {
    let mut killed = false;
    until(LIMIT, "the bot runs", || {
        for (pid, words) in procfs::running_in(&dir.path("")) {
            if words.contains(what)
                && let Some(pid) = Pid::from_raw(pid.cast_signed())
            {
                killed |= kill_process(pid, Signal::KILL).is_ok();
            }
        }
        killed
    });
}

#[test]
fn connect4_is_played_to_its_end_by_keys() {
    let dir = Dir::new();
    let mut screen = Screen::start(&dir, "play minimax --seed 1 --hints greedy", [80, 24]);
    screen.shows("your move");
    screen.type_keys("3");
    screen.shows("ply 2");
    screen.shows("your move");
    screen.type_keys("u");
    screen.shows("ply 0");
    screen.shows("your move");
    screen.type_keys("r");
    screen.shows("ply 2");
    screen.shows("your move");
    screen.type_keys("h");
    screen.shows("hint by greedy: ");
    screen.resize([120, 40]);
    screen.shows("minimax (O) thinks");
    screen.shows("ply 2");
    let mut plies = 2;
    'game: loop {
        // From a full column the next one is gone to.
        for column in ["0", "1", "2", "3", "4", "5", "6"] {
            screen.type_keys(column);
            let next = format!("ply {}", plies + 2);
            match screen.shows_one_of(&["wins: four in a row", "draw: ", &next, "is not legal"]) {
                0 | 1 => break 'game,
                2 => {
                    screen.shows_one_of(&["your move", "wins: four in a row", "draw: "]);
                    plies += 2;
                    break;
                }
                _ => {}
            }
        }
    }
    screen.shows("saved: arena replay");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
    assert_eq!(dir.journal_lines("play"), 1);
}

#[test]
fn two_people_play_tictactoe_with_the_cursor() {
    let dir = Dir::new();
    let mut screen = Screen::start(&dir, "play human human --game tictactoe", [80, 24]);
    // X takes the middle column; O the two corners on the left.
    for (ply, keys) in ["\r", "\x1b[D\x1b[A\r", "l\r", "\x1b[D\x1b[Bj\r", "l\r"].iter().enumerate() {
        screen.shows(&format!("ply {ply} "));
        screen.shows("to move");
        screen.type_keys(keys);
    }
    screen.shows("human (X) wins: three in a row");
    screen.type_keys("n");
    screen.shows("ply 0");
    screen.shows("to move");
    screen.type_keys(":0,0\r");
    screen.shows("ply 1");
    screen.shows("to move");
    screen.type_keys("R");
    screen.shows("resigned");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
}

#[test]
fn an_opponent_is_chosen_from_the_list_and_clicks_play() {
    let dir = Dir::new();
    let mut screen = Screen::start(&dir, "play --game tictactoe", [80, 24]);
    screen.shows("who do you play against?");
    screen.shows("greedy");
    screen.type_keys("jj\x1b[A");
    screen.type_keys("\r");
    screen.shows("against mcts");
    screen.shows("your move");
    let text = screen.text();
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains("0   ·")).expect("a board");
    let column = line.split("0   ").next().map_or(0, |before| before.chars().count()) + 4;
    screen.type_keys(&format!("\x1b[<0;{};{}M", column + 1, row + 1));
    screen.shows("ply 2");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
}

#[test]
fn a_bot_killed_in_the_middle_ends_the_game_and_another_can_begin() {
    let dir = Dir::new();
    dir.script("bots/slow", &format!("{ASKED}\nexec sleep 1000.25"));
    let mut screen = Screen::start(&dir, "play slow --patient", [100, 30]);
    screen.shows("your move");
    screen.type_keys("3");
    screen.shows("slow (O) thinks · ");
    kill_bot(&dir, "1000.25");
    screen.shows_one_of(&["crashed", "void"]);
    screen.shows("n new game");
    screen.type_keys("n");
    screen.shows("your move");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
}

#[test]
fn a_bot_that_hangs_loses_on_time_or_is_left() {
    let dir = Dir::new();
    dir.script("bots/hangs", &format!("{ASKED}\nexec sleep 1000.5"));
    let mut screen = Screen::start(&dir, "play hangs", [100, 30]);
    screen.shows("your move");
    screen.type_keys("3");
    screen.shows("timeout");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
    let mut screen = Screen::start(&dir, "play hangs --patient", [100, 30]);
    screen.shows("your move");
    screen.type_keys("3");
    screen.shows("hangs (O) thinks · ");
    // The bot does not hear that another game begins; the second time it is ended.
    screen.type_keys("n");
    screen.shows("one moment");
    screen.type_keys("n");
    screen.shows("your move");
    screen.type_keys("3");
    screen.shows("hangs (O) thinks · ");
    screen.type_keys("\x03");
    assert_eq!(screen.ends(&dir), Some(0));
}

#[test]
fn signals_restore_the_terminal_and_leave_no_process() {
    let dir = Dir::new();
    dir.script("bots/hangs", &format!("{ASKED}\nexec sleep 1000.75"));
    for signal in [Signal::TERM, Signal::INT] {
        let mut screen = Screen::start(&dir, "play hangs --patient", [100, 30]);
        screen.shows("your move");
        screen.type_keys("3");
        screen.shows("hangs (O) thinks · ");
        screen.signal(signal);
        assert_eq!(screen.ends(&dir), Some(130), "{signal:?}");
    }
    let mut screen = Screen::start(&dir, "play --game tictactoe", [80, 24]);
    screen.shows("who do you play against?");
    screen.signal(Signal::TERM);
    assert_eq!(screen.ends(&dir), Some(130));
}

/// The rules have moves that begin with letters of keys: `h` is a move here, and the hint has Ctrl.
#[test]
fn moves_of_a_program_are_typed_and_keys_have_ctrl() {
    let dir = Dir::new();
    dir.file("swaps.py", super::SWAPS);
    dir.file("swaps.toml", "command = [\"python3\", \"swaps.py\"]\n");
    let mut screen =
        Screen::start(&dir, "play human human --game ./swaps.toml --my-time 5m+1s --move-time 30s", [160, 24]);
    screen.shows("type h ⏎ · ^u undo · ^h hint · ? keys");
    screen.shows(" s left");
    screen.type_keys("?");
    screen.shows("^h ");
    screen.shows("a hint by another bot");
    screen.type_keys("?sw");
    screen.shows("move: sw");
    screen.type_keys("\x08ap\x7fap\r");
    screen.shows("is not legal");
    screen.type_keys("h\r");
    screen.shows("ply 1");
    screen.type_keys("\x15");
    screen.shows("ply 0");
    screen.shows("to move");
    screen.type_keys("\x08");
    screen.shows("hint by random: ");
    screen.type_keys("one two\r");
    screen.shows("ply 1");
    screen.shows("to move");
    screen.type_keys("resign\r");
    screen.shows("wins: resigned");
    screen.type_keys("q");
    assert_eq!(screen.ends(&dir), Some(0));
}
