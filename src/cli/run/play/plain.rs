//! Without a screen: a move a line from stdin, positions as text on stdout. For pipes, scripts and screen readers.

use std::fmt::Write as _;
use std::io::{BufRead as _, Read as _, Stdin};
use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::{Context as _, bail};
use arena_core::record::GameResult;
use arena_core::rules::Seat;
use arena_core::text::{escaped, shown};
use arena_run::sitting::{Phase, Sitting, SittingNews, SittingSetup, ThreadSettings, plain, read_move};
use arena_run::tournament::Signals;

use super::sit_down;
use crate::cli::{Exit, Io};

/// Longest line that is read.
const LINE_MAX: u64 = 4_096;
const WORDS: &str = "\
words: a move such as MOVE, or
  undo     take back your last move and the answer to it
  redo     play again what was taken back
  hint     ask another bot what it would play
  resign   give the game up
  board    show the position again
  step     let the bot that waits move; an empty line does so too
  pause    let bots wait for `step` before each move, or not
  new      begin a new game
  swap     begin a new game in swapped seats
  quit     leave";

/// An event for [`Talk`].
enum PlainEvent {
    News(SittingNews),
    /// A line that was read; `None` at the end.
    Line(anyhow::Result<Option<String>>),
    Signal,
}

pub(super) fn run(
    setup: SittingSetup,
    settings: ThreadSettings,
    tokio: &tokio::runtime::Runtime,
    mut signals: Signals,
    shows_stderr: bool,
    io: &Io,
) -> anyhow::Result<Exit> {
    let (sender, events) = channel();
    let by_signal = sender.clone();
    tokio.spawn(async move {
        signals.next().await;
        // It fails only if this has ended.
        let _ = by_signal.send(PlainEvent::Signal);
    });
    let wanted = read_lines(io.own_stdin(), sender.clone())?;
    let sitting = sit_down(setup, settings, tokio, move |news| _ = sender.send(PlainEvent::News(news)))?;
    let is_terminal = io.stdin_is_terminal();
    let mut talk = PlainSitting { io, sitting, wanted, is_waiting: false, is_terminal, shows_stderr, exit: Exit::Done };
    let exit = talk.run(&events);
    // However it ends, the moves made are saved.
    talk.sitting.abandon();
    exit
}

/// Reads lines on a thread that ends with the process, each when it is asked for.
fn read_lines(stdin: Option<Stdin>, sender: Sender<PlainEvent>) -> anyhow::Result<Sender<()>> {
    let (wanted, wants) = channel();
    let line = move || PlainEvent::Line(read_line(stdin.as_ref()));
    let read = move || while wants.recv().is_ok() && sender.send(line()).is_ok() {};
    std::thread::Builder::new().name("stdin".to_owned()).spawn(read).context("starting a thread that reads stdin")?;
    Ok(wanted)
}

/// A line from stdin; `None` at the end.
pub(super) fn read_line(stdin: Option<&Stdin>) -> anyhow::Result<Option<String>> {
    let Some(stdin) = stdin else { return Ok(None) };
    let mut line = Vec::new();
    stdin.lock().take(LINE_MAX).read_until(b'\n', &mut line).context("reading stdin")?;
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// A sitting by lines.
struct PlainSitting<'a> {
    io: &'a Io,
    sitting: Sitting,
    /// Asks for a line.
    wanted: Sender<()>,
    /// A line was asked for.
    is_waiting: bool,
    is_terminal: bool,
    shows_stderr: bool,
    exit: Exit,
}

impl PlainSitting<'_> {
    fn run(&mut self, events: &Receiver<PlainEvent>) -> anyhow::Result<Exit> {
        let [first, second] = Seat::BOTH.map(|seat| self.sitting.name(seat));
        let words = if self.sitting.persons() > 0 { "; `help` lists what else to type" } else { "" };
        self.io.print(&format!("{}: {first} against {second}{words}", self.sitting.setup().variant))?;
        loop {
            // The sender of lines lives as long as this.
            let Ok(event) = events.recv() else { return Ok(self.exit) };
            match event {
                PlainEvent::News(news) => {
                    if self.news(news)? {
                        return Ok(self.exit);
                    }
                }
                PlainEvent::Line(line) => {
                    self.is_waiting = false;
                    let Some(line) = line? else {
                        if self.sitting.phase() != Phase::Over {
                            self.sitting.abandon();
                            self.io.print("the input has ended, and so has the game")?;
                            self.print_saved()?;
                        }
                        return Ok(self.exit);
                    };
                    if self.line(line.trim())? {
                        return Ok(self.exit);
                    }
                }
                PlainEvent::Signal => return Ok(Exit::Killed),
            }
        }
    }

    /// Prints news; returns whether this is over.
    fn news(&mut self, news: SittingNews) -> anyhow::Result<bool> {
        let (is_hint, is_move) = (matches!(news, SittingNews::Hint { .. }), matches!(news, SittingNews::Moved { .. }));
        let before = self.sitting.phase();
        if !self.sitting.news(news) {
            return Ok(false);
        }
        self.print_stderr()?;
        if is_hint {
            self.print_hint()?;
            self.ask()?;
        }
        if is_move {
            self.print_move()?;
        }
        let phase = self.sitting.phase();
        if phase == before {
            return Ok(false);
        }
        match phase {
            Phase::Yours | Phase::Waiting => self.prompt()?,
            Phase::Over => return self.print_end(),
            Phase::Busy | Phase::Thinking => {}
        }
        Ok(false)
    }

    fn prompt(&mut self) -> anyhow::Result<()> {
        self.print_board()?;
        self.ask()
    }

    /// Prints the prompt and requests a line.
    fn ask(&mut self) -> anyhow::Result<()> {
        let sitting = &self.sitting;
        let name = sitting.name(sitting.to_move());
        match sitting.phase() {
            Phase::Yours => self.io.print(&format!("{}, such as {}:", sitting.whose_move(), self.example()))?,
            Phase::Waiting => self.io.print(&format!("{name} is next; press Enter:"))?,
            Phase::Over => self.io.print("new, swap, undo or quit:")?,
            Phase::Busy | Phase::Thinking => return Ok(()),
        }
        if !self.is_waiting {
            self.is_waiting = true;
            // It fails only if the thread has ended, with the process.
            let _ = self.wanted.send(());
        }
        Ok(())
    }

    /// A move as it is typed; one in the middle of the legal ones.
    fn example(&self) -> String {
        self.sitting.example().map_or_else(String::new, |played| plain(&played))
    }

    fn print_board(&self) -> anyhow::Result<()> {
        self.io.print(&format!("\n{}\n", self.sitting.picture()))
    }

    fn print_move(&self) -> anyhow::Result<()> {
        let plies = self.sitting.plies();
        let Some(ply) = plies.last() else { return Ok(()) };
        let seat = ply.seat;
        if self.sitting.at(seat).is_person {
            return Ok(());
        }
        let name = self.sitting.name(seat);
        if !self.sitting.may_see(seat) {
            return self.io.print(&format!("{name} has moved"));
        }
        let mut text = format!("{name} plays {}", ply.word);
        if let Some(measured) = &ply.measured {
            if let Some(eval) = measured.eval {
                let _ = write!(text, ", eval {eval:+.2}");
            }
            if let Some(comment) = &measured.comment {
                let _ = write!(text, ", \"{}\"", escaped(comment));
            }
        }
        self.io.print(&text)?;
        if self.sitting.persons() == 0 && !self.sitting.is_paused() && self.sitting.state().outcome().is_none() {
            self.print_board()?;
        }
        Ok(())
    }

    fn print_hint(&self) -> anyhow::Result<()> {
        self.sitting.hint_text().map_or(Ok(()), |hint| self.io.print(&hint))
    }

    fn print_stderr(&mut self) -> anyhow::Result<()> {
        if !self.shows_stderr {
            return Ok(());
        }
        for seat in Seat::BOTH {
            if !self.sitting.may_see(seat) {
                continue;
            }
            let lines = self.sitting.take_stderr(seat);
            let name = &self.sitting.at(seat).name;
            for line in lines {
                self.io.print(&format!("{name} stderr: {line}"))?;
            }
        }
        Ok(())
    }

    /// Prints how the game ended; returns whether this is over.
    fn print_end(&mut self) -> anyhow::Result<bool> {
        self.print_board()?;
        if let Some(story) = self.sitting.ending() {
            let has_fault = story.record.statuses.iter().any(|status| status.is_fault());
            self.exit = match story.record.result {
                _ if has_fault => Exit::BotTrouble,
                GameResult::Void => Exit::Error,
                _ => Exit::Done,
            };
            self.io.print(&story.ending().join("\n"))?;
        }
        self.print_saved()?;
        if !self.is_terminal {
            return Ok(true);
        }
        self.ask()?;
        Ok(false)
    }

    fn print_saved(&self) -> anyhow::Result<()> {
        match self.sitting.saved() {
            Some(Ok(command)) => self.io.print(&format!("`{command}` shows this game")),
            Some(Err(why)) => self.io.print(&format!("this game is not saved: {why}")),
            None => Ok(()),
        }
    }

    /// Does what a line says; returns whether this is over.
    fn line(&mut self, line: &str) -> anyhow::Result<bool> {
        let done = match line {
            // Some games have moves that are words here.
            typed if self.is_legal_word(typed) => self.play(typed),
            "quit" | "q" => {
                // At the end of a game it was printed.
                let was_over = self.sitting.phase() == Phase::Over;
                self.sitting.abandon();
                if !was_over {
                    self.print_saved()?;
                }
                return Ok(true);
            }
            "help" | "?" => {
                self.io.print(&WORDS.replace("MOVE", &self.example()))?;
                Ok(())
            }
            "undo" | "u" => self.sitting.undo().map(drop).map_err(Into::into),
            "redo" | "r" => self.sitting.redo().map(drop).map_err(Into::into),
            "hint" | "h" => self.sitting.ask_hint().map_err(Into::into),
            "resign" => self.sitting.resign().map_err(Into::into),
            "board" => {
                self.print_board()?;
                Ok(())
            }
            "new" | "n" => {
                self.sitting.new_game(false);
                Ok(())
            }
            "swap" | "s" => {
                self.sitting.new_game(true);
                let [first, second] = Seat::BOTH.map(|seat| self.sitting.name(seat));
                self.io.print(&format!("{first} against {second}"))?;
                Ok(())
            }
            "pause" | "p" => {
                self.sitting.set_paused(!self.sitting.is_paused());
                self.io.print(if self.sitting.is_paused() {
                    "bots wait for Enter before each move"
                } else {
                    "bots move at once"
                })?;
                Ok(())
            }
            "step" | "" if self.sitting.phase() == Phase::Waiting => {
                self.sitting.step();
                Ok(())
            }
            "" => Ok(()),
            typed => self.play(typed),
        };
        if let Err(why) = done {
            self.io.print(&why.to_string())?;
        }
        // Otherwise there will be news.
        if !self.sitting.is_asking_hint() {
            self.ask()?;
        }
        Ok(false)
    }

    /// Whether it is a legal move of the game.
    fn is_legal_word(&self, typed: &str) -> bool {
        self.sitting.phase() == Phase::Yours && !typed.is_empty() && read_move(typed, self.sitting.state()).is_ok()
    }

    fn play(&mut self, typed: &str) -> anyhow::Result<()> {
        let played = match read_move(typed, self.sitting.state()) {
            Err(_) if typed.chars().all(char::is_alphabetic) => {
                bail!("`{}` is not a word that is known here; `help` lists them", shown(typed))
            }
            read => read?,
        };
        Ok(self.sitting.play(&played)?)
    }
}
