//! Guesses: pegs with their feedback, those of each seat in a column.

use arena_core::rules::{Feedback, Guesses, Seat, Viewer};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Style};
use ratatui::text::Text;

use super::{wanted_by_lines, write};
use crate::tui::lines::draw_last;
use crate::tui::theme;

/// Colours of pegs, which are numbers too.
const PALETTE: [Color; 6] = [Color::Red, Color::Green, Color::Yellow, Color::LightBlue, Color::Magenta, Color::Cyan];
/// Width of the numbers of the guesses.
const NUMBER: u16 = 4;
/// Space between the seats.
const GAP: u16 = 3;

/// Seats whose guesses the viewer may see.
fn seats(guesses: &Guesses) -> Vec<Seat> {
    let may_see = |seat: &Seat| [Viewer::All, Viewer::Seat(*seat)].contains(&guesses.viewer);
    Seat::BOTH.into_iter().filter(may_see).collect()
}

/// Width of a peg, with the space before it.
fn peg(guesses: &Guesses) -> u16 {
    1 + guesses.colors.saturating_sub(1).to_string().len() as u16
}

/// Width of a guess: pegs, feedback, and the mark of the last one.
fn column(guesses: &Guesses) -> u16 {
    (guesses.pegs as u16 * (peg(guesses) + 1) + 4).max(8)
}

pub(super) fn wanted(guesses: &Guesses) -> Size {
    let (text, seats) = (wanted_by_lines(&guesses.to_string()), seats(guesses).len() as u16);
    Size::new(NUMBER + seats * (column(guesses) + GAP), text.height.min(4 + guesses.rows.len() as u16))
}

pub(super) fn draw(guesses: &Guesses, area: Rect, buffer: &mut Buffer) {
    let (seats, column) = (seats(guesses), column(guesses));
    if seats.is_empty() || area.width < NUMBER + seats.len() as u16 * column + (seats.len() as u16 - 1) * GAP {
        // The end is what is new.
        return draw_last(Text::raw(guesses.to_string()).lines, area, buffer);
    }
    let line = |y: u16| area.y.saturating_add(y);
    let pegs = format!("{} pegs, colours 0 to {}  ● exact ○ colour", guesses.pegs, guesses.colors.saturating_sub(1));
    write(&pegs, theme::DIM, (area.x, line(0)), area, buffer);
    let mut head = 1;
    if let Some(code) = &guesses.code {
        write("code", theme::STRONG, (area.x, line(1)), area, buffer);
        draw_pegs(code, guesses, (area.x + NUMBER, line(1)), area, buffer);
        head = 2;
    } else if let Viewer::Seat(seat) = guesses.viewer {
        let other = guesses.rows.iter().filter(|row| row.seat != seat).count();
        let text = format!("guesses made by the other side: {other}");
        write(&text, theme::DIM, (area.x, line(1)), area, buffer);
        head = 2;
    }
    let x = |place: usize| area.x + NUMBER + place as u16 * (column + GAP);
    for (place, seat) in seats.iter().enumerate() {
        write(&format!(" {seat}"), theme::of(*seat), (x(place), line(head)), area, buffer);
    }
    let rows = area.height.saturating_sub(head + 1);
    let made = |seat: Seat| guesses.rows.iter().enumerate().filter(move |(_, row)| row.seat == seat);
    let count = seats.iter().map(|seat| made(*seat).count()).max().unwrap_or(0);
    let skipped = count.saturating_sub(rows.into());
    for (number, row) in (skipped..count).zip(head + 1..) {
        write(&format!("{:>3}", number + 1), theme::DIM, (area.x, line(row)), area, buffer);
        for (place, seat) in seats.iter().enumerate() {
            let Some((index, guess)) = made(*seat).nth(number) else { continue };
            let Some(shown) = &guess.shown else { continue };
            let end = draw_pegs(&shown.pegs, guesses, (x(place), line(row)), area, buffer);
            write(&feedback(shown, guesses.pegs), Style::new(), (end + 2, line(row)), area, buffer);
            if index + 1 == guesses.rows.len() {
                write("<", theme::STRONG, (end + 3 + guesses.pegs as u16, line(row)), area, buffer);
            }
        }
    }
}

/// `●○··`.
fn feedback(shown: &Feedback, pegs: usize) -> String {
    let rest = pegs.saturating_sub(shown.exact + shown.color);
    format!("{}{}{}", "●".repeat(shown.exact), "○".repeat(shown.color), "·".repeat(rest))
}

/// Draws pegs and returns where they end.
fn draw_pegs(pegs: &[u8], guesses: &Guesses, (x, y): (u16, u16), area: Rect, buffer: &mut Buffer) -> u16 {
    let width = peg(guesses);
    for (place, colour) in pegs.iter().enumerate() {
        let style = Style::new().fg(PALETTE[usize::from(*colour) % PALETTE.len()]);
        let text = format!("{colour:>width$}", width = usize::from(width));
        write(&text, style, (x + place as u16 * width, y), area, buffer);
    }
    x + pegs.len() as u16 * width
}
