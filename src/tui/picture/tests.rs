//! Pictures of all games, as they look.

use arena_core::rules::{Move, State, Variant, Viewer, step};
use proptest::prelude::*;

use super::*;

/// The game after these moves, which are JSON.
fn played(game: &str, moves: &str) -> Box<dyn State> {
    let variant: Variant = game.parse().unwrap();
    let mut state = variant.start(1).unwrap();
    let moves: Vec<Move> = serde_json::from_str(moves).unwrap();
    for played in moves {
        step(state.as_mut(), &played).unwrap();
    }
    state
}

/// What is drawn into an area of this size, line by line.
fn drawn(picture: &Picture, cursor: Option<usize>, width: u16, height: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(picture, cursor, buffer.area, &mut buffer);
    let rows = buffer.content.chunks(usize::from(width));
    let rows = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned());
    rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn a_column_of_marks_that_won_is_marked_without_colour() {
    let picture = played("connect4", "[3,4,3,4,3,4,3]").picture(Viewer::All);
    insta::assert_snapshot!(drawn(&picture, Some(5), 34, 9), @"
        0   1   2   3   4   5   6
                            ▼
    0   ·   ·   ·   ·   ·   ·   ·
    1   ·   ·   ·   ·   ·   ·   ·
    2   ·   ·   ·  (X)  ·   ·   ·
    3   ·   ·   ·  [X]  O   ·   ·
    4   ·   ·   ·  [X]  O   ·   ·
    5   ·   ·   ·  [X]  O   ·   ·
    ");
    insta::assert_snapshot!(drawn(&picture, None, 18, 9), @"
       0 1 2 3 4 5 6
    0  · · · · · · ·
    1  · · · · · · ·
    2  · · ·>X · · ·
    3  · · ·*X O · ·
    4  · · ·*X O · ·
    5  · · ·*X O · ·
    ");
}

#[test]
fn a_large_board_is_shown_around_the_cursor_or_the_last_move() {
    let picture = played("mnk:rows=32,cols=32,k=5", "[[30,30],[0,0],[29,30],[31,31]]").picture(Viewer::All);
    insta::assert_snapshot!(drawn(&picture, None, 40, 8), @"
      ←20 21 22 23 24 25 26 27 28 29 30 31
    25↑ ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    26  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    27  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    28  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    29  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  X  ·
    30  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  X  ·
    31  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  · (O)
    ");
    insta::assert_snapshot!(drawn(&picture, Some(33), 30, 6), @"
       0  1  2  3  4  5  6  7  8→
    0  O  ·  ·  ·  ·  ·  ·  ·  ·
    1  · >·< ·  ·  ·  ·  ·  ·  ·
    2  ·  ·  ·  ·  ·  ·  ·  ·  ·
    3  ·  ·  ·  ·  ·  ·  ·  ·  ·
    4↓ ·  ·  ·  ·  ·  ·  ·  ·  ·
    ");
}

#[test]
fn marbles_are_dots() {
    let picture = |moves| played("marbles:heap=40", moves).picture(Viewer::All);
    insta::assert_snapshot!(drawn(&picture("[3]"), None, 30, 12), @"
    heap: 37 (take 4 to 6)
    last move: 3 taken
    ○ just taken
    ●●●●● ●●●●● ●●●●● ●●●●●
    ●●●●● ●●●●● ●●●●● ●●○○○
    ");
    insta::assert_snapshot!(drawn(&picture("[3]"), None, 12, 5), @"
    heap: 37 (ta
    last move: 3
    ● 4 marbles,
    ●●●●● ●●●●●
    ");
}

#[test]
fn guesses_have_their_feedback() {
    let state = played("mastermind", "[[0,0,1,1],[2,2,3,3],[0,1,2,3]]");
    insta::assert_snapshot!(drawn(&state.picture(Viewer::All), None, 60, 12), @"
    4 pegs, colours 0 to 5  ● exact ○ colour
         first              second
      1  0 0 1 1  ····      2 2 3 3  ○···
      2  0 1 2 3  ●··· <
    ");
    insta::assert_snapshot!(drawn(&state.picture(Viewer::Seat(arena_core::rules::Seat::First)), None, 60, 12), @"
    4 pegs, colours 0 to 5  ● exact ○ colour
    guesses made by the other side: 1
         first
      1  0 0 1 1  ····
      2  0 1 2 3  ●··· <
    ");
    insta::assert_snapshot!(drawn(&state.picture(Viewer::Audience), None, 60, 12), @"
    4 pegs, colours 0 to 5
    guesses made: first 2, second 1
    ");
    insta::assert_snapshot!(drawn(&state.picture(Viewer::All), None, 30, 3), @"
       2  [0,1,2,3]  exact 1, colo
    second
       1  [2,2,3,3]  exact 0, colo
    ");
}

#[test]
fn other_text_is_shown_without_control_characters() {
    assert_eq!(drawn(&Picture::Text("a\x1b[2J\nsecond".to_owned()), None, 9, 2), "a\\u{1b}[2\nsecond");
}

proptest! {
    #[test]
    fn a_click_on_the_cursor_is_on_its_cell(
        (rows, cols, gravity) in (1_usize..33, 1_usize..33, any::<bool>()),
        cell in any::<prop::sample::Index>(),
        (width, height, x, y) in (0_u16..150, 0_u16..50, 0_u16..9, 0_u16..9),
    ) {
        let cells = vec![Some(arena_core::rules::Seat::First); rows * cols];
        let cell = cell.index(cells.len());
        let line = vec![0, cell];
        let board = arena_core::rules::Board { rows, cols, cells, marks: ['X', 'O'], last: Some(cell), line, gravity };
        let area = Rect::new(x, y, width, height);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 160, 60));
        let place = draw(&Picture::Board(board.clone()), Some(cell), area, &mut buffer);
        let is_outside = |at: &Position| !area.contains(*at) && buffer[*at].symbol() != " ";
        prop_assert_eq!(buffer.area.positions().find(is_outside), None);
        if let Some(place) = place {
            prop_assert!(area.contains(place));
            let clicked = cell_at(&board, Some(cell), area, place);
            let is_same = |at: usize| at == cell || gravity && at % cols == cell % cols;
            prop_assert!(clicked.is_some_and(is_same), "{clicked:?} is not {cell}");
        } else {
            prop_assert!(width < 7 || height < 3);
        }
    }
}
