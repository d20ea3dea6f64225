//! A tournament between three strategies of this program, without processes: `cargo run --example in_process -- FOLDER`.
//! Its journal, tables and report are in FOLDER/connect4; running it again plays nothing twice.

#![expect(clippy::print_stdout, reason = "examples print")]

use std::fmt::Write as _;
use std::path::PathBuf;

use arena::clock::Taken;
use arena::observer::RunEvent;
use arena::player::{Failure, Player};
use arena::referee::{Answer, GameStart, Question};
use arena::rng::Rng;
use arena::roster::{FoundBot, Roster};
use arena::rules::{Move, Seat, State};
use arena::session::{Session, SessionSettings};
use arena::stats::AnalysisOptions;

/// Plays any legal move.
struct Random(Rng);

impl Player for Random {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.0 = Rng::new(game.seed);
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let moves = question.legal_moves().unwrap_or_default();
        answer(moves.get(self.0.below(moves.len() as u64) as usize))
    }
}

/// Plays the leftmost legal move.
struct Leftmost;

impl Player for Leftmost {
    fn ask(&mut self, question: Question<'_>) -> Answer {
        answer(question.legal_moves().unwrap_or_default().first())
    }
}

/// Looks one ply ahead: wins if it can, else does not let the opponent win, else plays in the middle.
#[derive(Default)]
struct OnePly(Option<Box<dyn State>>);

impl OnePly {
    /// How good a move is for the seat on move: 2 wins, 0 lets the opponent win.
    fn worth(state: &dyn State, played: &Move, seat: Seat) -> u8 {
        let mut after = state.boxed_clone();
        after.apply(played).expect("a legal move");
        let wins = |state: &dyn State, seat| state.outcome().is_some_and(|outcome| outcome.winner == Some(seat));
        let loses = |reply: &Move| {
            let mut then = after.boxed_clone();
            then.apply(reply).expect("a legal move");
            wins(then.as_ref(), seat.other())
        };
        if wins(after.as_ref(), seat) { 2 } else { u8::from(!after.legal_moves().iter().any(loses)) }
    }
}

impl Player for OnePly {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.0 = game.variant.start(0).ok();
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let (Some(start), Some(played)) = (&self.0, question.moves()) else { return Answer::Resign };
        let mut state = start.clone();
        for played in played {
            state.apply(played).expect("a legal move");
        }
        let mut moves = state.legal_moves();
        let middle = moves.len() / 2;
        moves.rotate_left(middle);
        answer(moves.iter().rev().max_by_key(|played| Self::worth(state.as_ref(), played, question.seat)))
    }
}

fn answer(played: Option<&Move>) -> Answer {
    played.map_or(Answer::Resign, |played| Answer::Move(played.clone().into(), Taken::default()))
}

fn main() -> anyhow::Result<()> {
    let results = std::env::args_os().nth(1).unwrap_or_else(|| "results".into());
    print!("{}", play(results.into())?);
    Ok(())
}

/// Plays what is missing, writes all tables and the report, and returns the standings.
fn play(results: PathBuf) -> anyhow::Result<String> {
    let bots = vec![
        FoundBot::in_process("random", "1", || Box::new(Random(Rng::new(0))))?,
        FoundBot::in_process("leftmost", "1", || Box::new(Leftmost))?,
        FoundBot::in_process("one-ply", "1", || Box::<OnePly>::default())?,
    ];
    let settings = SessionSettings {
        rounds: 20,
        seed: Some(2026),
        results,
        ..SessionSettings::new("connect4".parse()?, "connect4")
    };
    let mut text = String::new();
    let mut observer = |event: &RunEvent| {
        if let RunEvent::Warning { text: warning } = event {
            text += warning;
            text.push('\n');
        }
    };
    let opened = Session::open(settings, bots, &Roster::default(), || (), &mut observer)?;
    let Some((mut session, mut policy)) = opened else { return Ok(text) };
    let options = AnalysisOptions::default();
    session.play(&mut policy, &mut observer, &options)?;
    let results = session.results(&options)?;
    session.write_tables(&results)?;
    for row in &results.ranking().analysis.standings {
        writeln!(text, "{}  {:<8}  {}", row.rank, results.ranking().name(row.bot), row.games.total())?;
    }
    writeln!(text, "{}", session.dir().join("report.html").display())?;
    Ok(text)
}

#[test]
fn the_strategy_that_looks_ahead_wins() {
    let dir = tempfile::tempdir().unwrap();
    let text = play(dir.path().to_owned()).unwrap();
    let path = dir.path().display().to_string();
    insta::assert_snapshot!(text.replace(&path, "FOLDER"), @r"
    1  one-ply   +80 =0 -0
    2  leftmost  +32 =0 -48
    3  random    +8 =0 -72
    FOLDER/connect4/report.html
    ");
}
