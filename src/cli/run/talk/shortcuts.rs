//! Shortcuts of `arena talk`: words that stand for the messages of the referee.

use std::time::Duration;

use anyhow::{Context, bail};
use arena_core::clock::TimeControl;
use arena_core::record::GameResult;
use arena_core::referee::{GameEnd, Referee, RefereeSetup};
use arena_core::rules::{Move, Seat, Variant};
use arena_core::suggest::UnknownName;
use arena_core::text::shown;
use arena_play::program::named_program;
use arena_sys::flags::GAME;
use arena_wire::protocol::{Dialect, Outgoing};

use crate::cli::args::moves::parse_moves;

/// The words, and what they stand for.
pub(super) const HELP: &str = "\
.hello           the first message
.game GAME       a new game, such as .game connect4:cols=9; with `second` after it, in the second seat
.move MOVES      the request after these moves, such as .move 3,3,2 or .move 0,0 1,1; none for the first move
.sync            what is asked before a move until it answers, in protocols that need it
.over            the end of the game
.quit            the last message
.help            this list
Anything else is sent as it is. Ctrl-D ends the bot's input.";

const WORDS: [&str; 7] = [".hello", ".game", ".move", ".sync", ".over", ".quit", ".help"];

/// Writes messages as the referee does.
pub(super) struct Shortcuts {
    dialect: Box<dyn Dialect>,
    startup: Duration,
    clock: TimeControl,
    seed: u64,
    /// The game that was named on the command line.
    named: Option<Variant>,
    game: Option<(Variant, Seat)>,
}

/// What a line means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A message to send.
    Message {
        /// With its newline.
        bytes: Vec<u8>,
        /// Whether it is answered.
        is_answered: bool,
    },
    /// A call for help.
    Help,
}

impl Shortcuts {
    /// `named` is the game that was named on the command line.
    pub(super) fn new(
        dialect: Box<dyn Dialect>,
        startup: Duration,
        clock: TimeControl,
        seed: u64,
        named: Option<Variant>,
    ) -> Self {
        Self { dialect, startup, clock, seed, named, game: None }
    }

    /// What `line` stands for; `None` if it is not a shortcut.
    pub(super) fn read(&mut self, line: &str) -> anyhow::Result<Option<Typed>> {
        let line = line.trim();
        if !line.starts_with('.') {
            return Ok(None);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut out = Vec::new();
        match word {
            ".hello" => {
                self.dialect.write(Outgoing::Hello { startup: self.startup }, &mut out);
                self.dialect.go_on(&mut out);
            }
            ".game" => self.new_game(rest.trim(), &mut out)?,
            ".move" => self.request(rest, &mut out)?,
            ".sync" if self.dialect.sync_again().is_some() => drop(self.dialect.write(Outgoing::Sync, &mut out)),
            ".sync" => bail!("the protocol of this bot has no message that asks whether it is idle"),
            ".over" => self.over(&mut out)?,
            ".quit" => drop(self.dialect.write(Outgoing::Quit, &mut out)),
            ".help" => return Ok(Some(Typed::Help)),
            _ => return Err(UnknownName::new("shortcut", word, WORDS).into()),
        }
        let is_answered = !matches!(word, ".over" | ".quit");
        Ok(Some(Typed::Message { bytes: out, is_answered }))
    }

    fn new_game(&mut self, rest: &str, out: &mut Vec<u8>) -> anyhow::Result<()> {
        let mut words = rest.split_whitespace();
        let named = self.named.as_ref().map(|variant| variant.label);
        let name = words.next().or(named).context("name a game, such as .game connect4")?;
        let variant = match &self.named {
            // With its parameters.
            Some(variant) if variant.is_called(name) => variant.clone(),
            _ if named_program(name).is_some() => {
                bail!("`{}` is a file; name it when you begin: arena talk BOT {GAME} FILE", shown(name))
            }
            _ => name.parse::<Variant>()?,
        };
        let seat = match (words.next(), words.next()) {
            (None | Some("first"), None) => Seat::First,
            (Some("second"), None) => Seat::Second,
            _ => bail!("after the game comes `first` or `second`, the seat of the bot"),
        };
        let setup = setup(&variant, self.seed, self.clock, &[]);
        self.dialect.write(Outgoing::NewGame(&setup.start([self.seed; 2], seat)), out);
        self.game = Some((variant, seat));
        Ok(())
    }

    fn game(&self) -> anyhow::Result<(Variant, Seat)> {
        self.game.clone().context("no game has begun; begin one, such as .game connect4")
    }

    fn request(&mut self, moves: &str, out: &mut Vec<u8>) -> anyhow::Result<()> {
        let (variant, _) = self.game()?;
        let moves = parse_moves(moves, variant.start(self.seed)?.as_ref())?;
        let mut referee = Referee::new(&setup(&variant, self.seed, self.clock, &moves))?;
        let question = referee.next_question().context("the game is over after these moves")?;
        self.dialect.write(Outgoing::Question(&question), out);
        Ok(())
    }

    fn over(&mut self, out: &mut Vec<u8>) -> anyhow::Result<()> {
        let (_, seat) = self.game()?;
        let end = GameEnd { seat, result: GameResult::Void, reason: "stopped", moves: &[], reveal: None };
        self.dialect.write(Outgoing::GameEnd(&end), out);
        Ok(())
    }
}

fn setup<'a>(variant: &'a Variant, seed: u64, clock: TimeControl, opening: &'a [Move]) -> RefereeSetup<'a> {
    RefereeSetup { variant, seed, opening, clock, max_plies: None }
}

#[cfg(test)]
mod tests {
    use arena_wire::protocol::Json;

    use super::*;

    /// What each line sends, or why it is refused.
    fn sent(lines: &[&str]) -> String {
        let clock = TimeControl::per_move(Duration::from_secs(1));
        let mut shortcuts = Shortcuts::new(Box::new(Json::new([0, 0])), Duration::from_secs(10), clock, 1, None);
        let read = |line: &&str| match shortcuts.read(line) {
            Ok(Some(Typed::Message { bytes, .. })) => String::from_utf8(bytes).unwrap(),
            Ok(Some(Typed::Help)) => "help\n".to_owned(),
            Ok(None) => format!("{line}\n"),
            Err(why) => format!("{why}\n"),
        };
        lines.iter().map(read).collect()
    }

    #[test]
    fn shortcuts_write_the_messages_of_the_referee() {
        insta::assert_snapshot!(sent(&[
            ".move 3", ".hello", ".game connect5", ".game tictactoe second", ".move 0,0 1,1", ".move 0,0 0,0", ".over", ".quit",
            ".halp", ".help", "{}",
        ]), @r#"
        no game has begun; begin one, such as .game connect4
        {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
        no game named `connect5` (did you mean `connect4`?); known: connect4, mnk, tictactoe, gomoku, marbles, mastermind
        {"type":"new_game","id":5807296356010925,"game_id":"ba3767e6520f2beb","game":"mnk","rules_version":1,"params":{"cols":3,"k":3,"rows":3},"seat":1,"seed":"1","clock":{"move_ms":1000}}
        {"type":"move_request","id":5504716346059680,"ply":2,"seat":0,"state":{"board":["X..",".O.","..."],"moves":[[0,0],[1,1]]},"legal_moves":[[0,1],[0,2],[1,0],[1,2],[2,0],[2,1],[2,2]],"sample_move":[1,0],"clock":{"deadline_ms":1000}}
        opening, move 2: move [0,0] is not legal; legal: [0,1], [0,2], [1,0], [1,1], [1,2], [2,0], [2,1], [2,2]
        {"type":"game_over","outcome":"void","reason":"stopped","moves":[]}
        {"type":"quit"}
        no shortcut named `.halp` (did you mean `.help`?); known: .hello, .game, .move, .sync, .over, .quit, .help
        help
        {}
        "#);
    }
}
