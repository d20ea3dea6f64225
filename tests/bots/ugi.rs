//! A bot for tic-tac-toe that speaks a protocol like UGI, and prints much beside. Standard library only: the tests
//! compile this file by itself with `rustc -O`.
//!
//! Argument: what it answers in place of its moves. It takes the first free cell, or the last one if it is told to by its
//! option, and exits if it is told something out of order.

use std::io::{BufRead, Write};

fn main() {
    let instead = std::env::args().nth(1);
    let (mut last, mut synced, mut free) = (false, false, Vec::new());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ugi"] => say("id name tiny\nid author nobody\noption name Take type combo default first\nugiok"),
            ["setoption", "name", "Take", "value", value] => last = *value == "last",
            ["uginewgame"] => synced = false,
            ["isready"] => {
                synced = true;
                say("readyok");
            }
            ["position", "startpos", "moves", made @ ..] => {
                let cells = (0..9).map(|cell| format!("[{},{}]", cell / 3, cell % 3));
                free = cells.filter(|cell| !made.contains(&cell.as_str())).collect();
            }
            ["go", "movetime", _] if synced => {
                // More than a bot may write of what is no message.
                for depth in 0..600 {
                    say(&format!("info depth {depth} score cp -50 nodes 7"));
                }
                let own = if last { free.last() } else { free.first() }.expect("the game is not over");
                // The second line answers no question, and must not be taken for an answer to the next one. Written at once
                // with the first, since replies have no ids: later it could arrive after the next question.
                say(&format!("bestmove {} ponder [9,9]\nbestmove {own}", instead.as_ref().unwrap_or(own)));
            }
            ["quit"] => return,
            _ => {
                eprintln!("what is `{line}`?");
                std::process::exit(3);
            }
        }
    }
}

fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdout.flush());
}
