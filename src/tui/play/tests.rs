//! Screens of all games at all sizes, and that nothing a person or a bot does breaks one.

use arena_core::record::{GameResult, Played, Status};
use arena_core::referee::Verdict;
use arena_core::rules::Seat;
use arena_play::player::process::{Stream, TappedLine};
use arena_run::sitting::{Hint, SittingNews};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::KeyCode::Tab;

use super::*;

#[path = "../../../crates/arena-run/src/sitting/fake.rs"]
mod fake;
use fake::{Scripted as _, sitting, some_move};

const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (60, 20), (39, 11)];

/// The screen at this size.
fn drawn(play: &PlayScreen, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| play.draw(frame)).unwrap();
    let cursor = terminal.backend().cursor_position();
    assert!(cursor.x < width && cursor.y < height, "{cursor} of {width}×{height}");
    let buffer = terminal.backend().buffer();
    let rows = buffer.content.chunks(usize::from(width.max(1)));
    let rows = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned());
    rows.collect::<Vec<_>>().join("\n")
}

fn keys(play: &mut PlayScreen, keys: &str) {
    keys.chars().for_each(|key| play.key(if key == '\n' { Key(Enter) } else { Key(Char(key)) }));
}

/// A game against a bot that thinks aloud, after four plies; the person is on move and has a hint.
fn game(game: &str) -> PlayScreen {
    let (mut sitting, log) = sitting(game, ["human", "mini\u{ff4d}ax-\u{202e}<b>"], "[]");
    sitting.asked();
    for ply in 0..4 {
        let played = some_move(sitting.state()).unwrap();
        let debug = serde_json::value::RawValue::from_string(r#"{"depth":9,"pv":[3,3,2]}"#.to_owned()).unwrap();
        let thought = Played {
            us: 412_345,
            cpu_us: Some(409_000),
            eval: Some(-0.31),
            comment: Some("blocks\u{1b}[31m 列 3".to_owned()),
            debug: Some(debug),
            ..Played::default()
        };
        sitting.made(&played, if ply % 2 == 1 { thought } else { Played::default() });
    }
    let line = |stream, text: &str| TappedLine { stream, text: text.to_owned() };
    log.borrow_mut().lines[1] = vec![
        line(Stream::Stderr, "info depth=9 score=-31 pv=3 3 2"),
        line(Stream::Stderr, "warming up"),
        line(Stream::Sent, r#"{"type":"move_request","id":4}"#),
        line(Stream::Received, r#"{"type":"move","id":4,"move":3}"#),
    ];
    sitting.news(SittingNews::Tapped { participant: 1 });
    let hint = Hint { played: some_move(sitting.state()).unwrap(), eval: Some(0.12) };
    let (game, ply) = (sitting.number(), sitting.plies().len());
    sitting.ask_hint().unwrap();
    sitting.news(SittingNews::Hint { game, ply, hint: Ok(hint) });
    PlayScreen::new(sitting)
}

#[test]
fn every_game_is_shown_at_every_size() {
    for name in ["connect4", "tictactoe", "gomoku", "marbles", "mastermind"] {
        let play = game(name);
        let screens = SIZES.map(|size| format!("{}×{}\n{}", size.0, size.1, drawn(&play, size)));
        insta::assert_snapshot!(name, screens.join("\n"));
    }
}

#[test]
fn keys_and_clicks_play() {
    let (mut sitting, _) = sitting("connect4", ["human", "minimax"], "[]");
    sitting.asked();
    let mut play = PlayScreen::new(sitting);
    drawn(&play, (80, 24));
    keys(&mut play, "9");
    assert!(play.message.contains("move 9 is not legal"), "{}", play.message);
    play.key(Key(Right));
    keys(&mut play, "\n");
    play.sitting.made(&Move::Int(4), Played::default());
    play.sitting.made(&Move::Int(4), Played::default());
    keys(&mut play, ":x1");
    play.key(Key(Backspace));
    play.key(Key(Backspace));
    keys(&mut play, "[2]\n");
    assert!(play.message.contains("has the wrong form"), "{}", play.message);
    keys(&mut play, ":2\n");
    assert_eq!((play.sitting.phase(), play.message.as_str()), (Phase::Busy, ""));
    play.sitting.made(&Move::Int(2), Played::default());
    play.sitting.made(&Move::Int(4), Played::default());
    let column_five = (0..80).map(|x| Position::new(x, 8)).find(|place| {
        cell_at(&play.board().unwrap(), play.cursor(), play.drawn.get(), *place).is_some_and(|cell| cell % 7 == 5)
    });
    play.key(Click(column_five.unwrap()));
    assert_eq!((play.sitting.phase(), play.cursor % 7), (Phase::Busy, 5));
}

#[test]
fn a_bot_that_says_nothing_has_no_pane() {
    let (mut sitting, _) = sitting("connect4", ["human", "minimax"], "[]");
    sitting.made(&Move::Int(3), Played::default());
    sitting.made(&Move::Int(3), Played { us: 5, ..Played::default() });
    sitting.asked();
    let mut play = PlayScreen::new(sitting);
    let has_pane = |play: &PlayScreen| drawn(play, (120, 40)).contains("thinks ─");
    assert!(!has_pane(&play), "{}", drawn(&play, (120, 40)));
    play.sitting.made(&Move::Int(2), Played::default());
    play.sitting.made(&Move::Int(2), Played { eval: Some(0.5), ..Played::default() });
    assert!(has_pane(&play), "{}", drawn(&play, (120, 40)));
}

#[test]
fn the_end_stays_on_the_screen_with_what_happened() {
    let mut play = game("connect4");
    let mut verdict = Verdict::new(GameResult::FirstWins, "crashed".to_owned());
    verdict.statuses[1] = Status::Crashed;
    verdict.evidence[1] =
        Some(arena_core::record::Evidence::new(arena_core::cause::Cause::ClosedOutput, "it exited with code 1"));
    play.sitting.ended(verdict);
    let screen = drawn(&play, (80, 24));
    assert!(screen.contains("crashed: it exited") && screen.contains("n new game"), "{screen}");
    assert!(screen.contains("saved: arena replay"), "{screen}");
    keys(&mut play, "?");
    assert!(drawn(&play, (80, 24)).contains("take a move back"));
    keys(&mut play, "xq");
    assert!(play.is_over());
}

/// Something that happens.
#[derive(Debug, Clone)]
enum Act {
    Key(KeyPress),
    Size(u16, u16),
    Asked,
    Waiting,
    Moved,
    Ended(bool),
    Hint(bool),
    Said(usize, String),
    Tick,
}

fn acts() -> impl Strategy<Value = Act> {
    let place = (0..200_u16, 0..60_u16).prop_map(|(x, y)| Position::new(x, y));
    let chars = prop::sample::select("hjklHurtewpnsR?:0123456789 [],x\u{301}列".chars().collect::<Vec<_>>());
    let named = prop::sample::select(vec![
        Key(Left),
        Key(Right),
        Key(Up),
        Key(Down),
        Key(Home),
        Key(End),
        Key(Enter),
        Key(Esc),
        Key(Backspace),
        Key(Tab),
    ]);
    prop_oneof![
        4 => chars.prop_map(|key| Act::Key(Key(Char(key)))),
        3 => named.prop_map(Act::Key),
        1 => place.prop_map(|place| Act::Key(Click(place))),
        1 => (0..160_u16, 0..60_u16).prop_map(|(width, height)| Act::Size(width, height)),
        4 => Just(Act::Asked),
        1 => Just(Act::Waiting),
        4 => Just(Act::Moved),
        1 => any::<bool>().prop_map(Act::Ended),
        1 => any::<bool>().prop_map(Act::Hint),
        1 => (0..2_usize, "(info )?\\PC{0,80}").prop_map(|(participant, text)| Act::Said(participant, text)),
        1 => Just(Act::Tick),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn nothing_that_happens_breaks_the_screen(
        name in prop::sample::select(vec!["connect4", "connect4:rows=4,cols=12", "tictactoe", "marbles", "mastermind"]),
        players in prop::sample::select(vec![["human", "b"], ["a", "human"], ["human", "human"], ["a", "b"]]),
        acts in prop::collection::vec(acts(), 0..80),
    ) {
        let (sitting, log) = sitting(name, players, "[]");
        let mut play = PlayScreen::new(sitting);
        let mut size = (80, 24);
        for act in acts {
            let (game, ply) = (play.sitting.number(), play.sitting.plies().len());
            match act {
                Act::Key(key) => play.key(key),
                Act::Size(width, height) => size = (width.max(1), height.max(1)),
                Act::Asked => play.news(SittingNews::Asked { game, limit: Duration::from_secs(3) }),
                Act::Waiting => play.news(SittingNews::Waiting { game }),
                Act::Moved => {
                    if let Some(played) = some_move(play.sitting.state()) {
                        let measured = Played { us: 5, eval: Some(0.5), ..Played::default() };
                        play.news(SittingNews::Moved { game, ply, played, measured });
                    }
                }
                Act::Ended(has_won) => {
                    let result = if has_won { GameResult::of(Some(Seat::First)) } else { GameResult::Void };
                    play.sitting.ended(Verdict::new(result, "crashed".to_owned()));
                }
                Act::Hint(has_one) => {
                    let hint = some_move(play.sitting.state()).filter(|_| has_one);
                    let hint = hint.map(|played| Hint { played, eval: Some(-0.5) }).ok_or_else(|| "none".to_owned());
                    play.news(SittingNews::Hint { game, ply, hint });
                }
                Act::Said(participant, text) => {
                    log.borrow_mut().lines[participant] = vec![TappedLine { stream: Stream::Stderr, text }];
                    play.news(SittingNews::Tapped { participant });
                }
                Act::Tick => play.tick(),
            }
            drawn(&play, size);
            let cells = play.board().map_or(usize::MAX, |board| board.cells.len());
            prop_assert!(play.cursor < cells, "{} of {cells}", play.cursor);
        }
    }
}
