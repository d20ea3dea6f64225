//! Styles. None is the only mark of what it shows: colours may be off.

use ratatui::style::{Color, Modifier, Style};

/// Marks of the first seat: orange on pages, of which yellow is the nearest that every terminal has.
pub(super) const FIRST: Style = Style::new().fg(Color::Yellow);
/// Marks of the second seat: blue on pages.
pub(super) const SECOND: Style = Style::new().fg(Color::Cyan);
/// Coordinates, empty cells and hints.
pub(super) const DIM: Style = Style::new().fg(Color::DarkGray);
/// Titles and what is at hand.
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// The last move.
pub(super) const LAST: Style = Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED);
/// The winner's line.
pub(super) const LINE: Style = Style::new().fg(Color::Green).add_modifier(Modifier::BOLD);
/// A move that gave the result away.
pub(super) const GIVEN_AWAY: Style = Style::new().fg(Color::Red);
/// Where the cursor is.
pub(super) const CURSOR: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The marks of a seat.
pub(super) const fn of(seat: arena_core::rules::Seat) -> Style {
    match seat {
        arena_core::rules::Seat::First => FIRST,
        arena_core::rules::Seat::Second => SECOND,
    }
}
