//! Pictures of whole screens in docs/pictures: the game of the other pictures, played and looked at.

mod drawn;

use std::time::Duration;

use arena::analysis::{Asked, Entry, Line, Marks, Memory, Walker, solver_name};
use arena::clock::TimeControl;
use arena::player::human::Input;
use arena::player::process::TappedLine;
use arena::protocol::JSON;
use arena::record::{Played, Record};
use arena::report::{List, ListedGame};
use arena::rules::{Move, Variant};
use arena::sitting::{Begin, Hint, Participant, Runner, Sitting, SittingNews, SittingSetup};
use arena::tui::replay::{Games, Opened, Replay};
use arena::tui::{App, PlayScreen};
use arena::views::Story;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use self::drawn::{Screen, glyphs};
use crate::pictures::journal;
use crate::support::check_golden;

const SIZE: (u16, u16) = (96, 20);

/// A game that the loser thought to be winning for long.
const GAME: &str = "fee208802df846ad";

/// The game that is drawn.
fn story() -> Story {
    let journal = journal();
    let line = journal.lines().find(|line| line.contains(GAME)).expect("the game");
    let record: Record = serde_json::from_str(line).expect("a record");
    let variant = Variant::from_json(&record.game, &record.params).expect("connect4");
    Story::new(record, variant).expect("a game by the rules")
}

/// The game with what `arena analyze` finds.
fn analysed(story: Story) -> Story {
    let (record, variant) = (&story.record, &story.variant);
    let line = Line::of(record, variant).expect("a game by the rules");
    let asked = Asked { nodes: 20_000_000, only_result: false };
    let memory = Memory::default();
    let mut walker = Walker::new(variant, asked, &memory).expect("connect4 has a solver");
    let found = walker.walk(&line, &|| false).expect("not stopped");
    let solver = solver_name(variant).expect("connect4 has a solver");
    let marks = Marks::of(&Entry::new(&record.id, &solver, &line, &found, asked), record);
    story.with_marks(marks)
}

/// Draws a screen, and compares it with the file of this name.
fn check_screen(app: &impl App, name: &str, title: &str) {
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal");
    terminal.draw(|frame| app.draw(frame)).expect("a screen");
    let lines = glyphs(terminal.backend().buffer());
    let text: Vec<String> = lines.iter().map(|line| line.iter().map(|glyph| glyph.text.as_str()).collect()).collect();
    let screen = Screen { title, description: &text.join("\n"), lines };
    check_golden(&format!("docs/pictures/{name}"), &screen.file());
}

/// The list is not looked at.
struct OneGame;

impl Games for OneGame {
    fn list(&mut self) -> anyhow::Result<List> {
        Ok(List::default())
    }

    fn open(&mut self, _: &ListedGame) -> anyhow::Result<Opened> {
        anyhow::bail!("there is no list")
    }
}

#[test]
fn replay() {
    let story = analysed(story());
    let command = format!("arena replay {}", story.record.id);
    let ply = story.record.moves.len() - 13;
    let screen = Replay::game(OneGame, Opened { story, protocols: [&JSON; 2], command }, ply);
    check_screen(&screen, "replay.svg", "An analysed game in arena replay");
}

/// Whatever is asked for does not happen.
struct Idle;

impl Runner for Idle {
    fn begin(&mut self, _: Begin) {}

    fn say(&mut self, _: Input) {}

    fn pause(&mut self, _: bool) {}

    fn ask_hint(&mut self, _: Begin) {}

    fn kill_bots(&mut self) {}

    fn lines(&mut self, _: usize) -> (Vec<TappedLine>, usize) {
        Default::default()
    }

    fn save(&mut self, record: &Record) -> Result<String, String> {
        Ok(record.id.clone())
    }
}

#[test]
fn play() {
    const GAME: u64 = 1;
    let story = story();
    let record = &story.record;
    let bot = &record.bots[1];
    let setup = SittingSetup {
        variant: story.variant.clone(),
        seed: 1,
        first_seed: None,
        clock: TimeControl::per_move(Duration::from_secs(1)),
        is_timed: false,
        opening: record.opening.clone(),
        participants: [Participant::person(), Participant::bot(&bot.name, &bot.fingerprint)],
        seats: [0, 1],
        is_paused: false,
        hints: Some("mcts".to_owned()),
    };
    let mut sitting = Sitting::new(setup, Box::new(Idle)).expect("a legal opening");
    let asked = || SittingNews::Asked { game: GAME, limit: Duration::from_secs(1) };
    sitting.news(asked());
    let begins = record.opening.len();
    let ends = begins + 12;
    for (ply, measured) in (begins..ends).zip(&record.played) {
        // A person does not say what it thinks.
        let measured = if ply % 2 == 0 { Played::default() } else { measured.clone() };
        assert!(sitting.news(SittingNews::Moved { game: GAME, ply, played: record.moves[ply].clone(), measured }));
        sitting.news(asked());
    }
    sitting.ask_hint().expect("there is a bot for hints");
    let hint = Hint { played: Move::Int(4), eval: Some(0.13) };
    sitting.news(SittingNews::Hint { game: GAME, ply: ends, hint: Ok(hint) });
    check_screen(&PlayScreen::new(sitting), "play.svg", "A person's game against minimax in arena play");
}
