//! What is asked about, and the answer.

use arena_core::judge::{LINE_MAX, Mistake, Solution, question_of};
use arena_core::record::reason_in_words;
use arena_core::rules::{Move, Outcome, State, Variant, play};
use arena_core::solver::{Limits, kind_of};
use arena_core::text::shown;

/// A position, or what is wrong with the question.
pub(super) struct Asked {
    /// The position as it was written.
    pub(super) written: String,
    pub(super) moves: Vec<Move>,
    pub(super) position: Result<(Variant, Box<dyn State>), Mistake>,
}

/// How much work an answer may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limited {
    pub(super) only_result: bool,
    pub(super) nodes: u64,
}

impl Asked {
    /// The position after moves from the start.
    pub(super) fn new(written: String, game: Variant, moves: Vec<Move>) -> Self {
        if !game.rules.open_information && !moves.is_empty() {
            let message =
                format!("{} has hidden information: write it as a question of `judge`, with its code", game.label);
            return Self { written, moves, position: Err(mistake("missing_field", message)) };
        }
        let position = game.start(0).map_err(|error| mistake("bad_param", error.to_string()));
        Self::after(written, position.map(|start| (game, start)), moves)
    }

    fn after(written: String, start: Result<(Variant, Box<dyn State>), Mistake>, moves: Vec<Move>) -> Self {
        let position = start.and_then(|(game, mut state)| {
            play(state.as_mut(), &moves).map_err(|(ply, error)| Mistake::of_move(ply, &error))?;
            match state.outcome() {
                Some(Outcome { winner, reason }) => {
                    let how = winner.map_or("a draw".to_owned(), |winner| format!("{} won", game.rules.side(winner)));
                    let why = reason_in_words(reason, Some(&game));
                    Err(mistake("game_over", format!("the game is over: {how} ({why})")))
                }
                None => Ok((game, state)),
            }
        });
        Self { written, moves, position }
    }

    /// The solution, or what is wrong with the question.
    pub(super) fn answer(&self, limited: Limited) -> Result<Solution, &Mistake> {
        let (game, state) = self.position.as_ref()?;
        Ok(Solution::of(game, state.as_ref(), limited.only_result, &Limits::nodes(limited.nodes)))
    }
}

/// Reads a position of a game: digits, or a question of `judge` as JSON, which names its own game.
pub(super) fn question(game: &Variant, line: &str) -> Asked {
    if line.len() > LINE_MAX {
        let why = mistake("line_too_long", format!("the line is longer than {LINE_MAX} bytes"));
        return Asked { written: shown(line), moves: Vec::new(), position: Err(why) };
    }
    let written = line.to_owned();
    if line.starts_with('{') {
        return match question_of(line) {
            Ok(asked) => Asked::after(written, Ok((asked.variant, asked.state)), asked.moves),
            Err(mistake) => Asked { written, moves: Vec::new(), position: Err(mistake) },
        };
    }
    match columns(game, line) {
        Ok(moves) => {
            let mut asked = Asked::new(written, game.clone(), moves);
            if let Err(Mistake { ply: Some(ply), message, .. }) = &mut asked.position {
                // The message counts columns from 0.
                *message = format!("digit {}, which is column {}: {message}", *ply + 1, asked.moves[*ply]);
            }
            asked
        }
        Err(why) => Asked { written, moves: Vec::new(), position: Err(mistake("bad_position", why)) },
    }
}

/// Reads digits of columns, which count from 1.
fn columns(game: &Variant, digits: &str) -> Result<Vec<Move>, String> {
    let is_of_columns = kind_of(game).is_some_and(|kind| kind.digits);
    if !is_of_columns {
        return Err(format!(
            "digits are columns, which {} does not have; write the moves, with --moves or as JSON",
            game.label
        ));
    }
    let column = |digit: char| match digit {
        '0' => {
            Err("column 0: digits count columns from 1, as in published positions; for columns from 0 write --moves"
                .to_owned())
        }
        '1'..='9' => Ok(Move::Int(i64::from(digit as u32 - '1' as u32))),
        other => Err(format!("`{}` is no column; a position is digits from 1, or JSON", shown(&other.to_string()))),
    };
    digits.chars().map(column).collect()
}

fn mistake(code: &'static str, message: String) -> Mistake {
    Mistake { ply: None, message, code }
}
