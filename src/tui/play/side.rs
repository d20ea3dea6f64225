//! Beside the board: what bots think and say, the messages, and the moves.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Span;
use ratatui::widgets::{Block, Widget as _};

use super::PlayScreen;
use crate::record::Played;
use crate::rules::Seat;
use crate::sitting::{PlayedPly, Sitting, plain};
use crate::text::{cut, escaped, wrap, wrap_json};
use crate::tui::theme;

/// Most lines of a comment or of `debug`.
const REMARK_LINES_MAX: usize = 4;

/// In less height than this, the parts are side by side.
const STACKED: u16 = 12;

type SideLines = Vec<(String, Style)>;

pub(super) fn draw(play: &PlayScreen, area: Rect, buffer: &mut Buffer) {
    let bots: Vec<Seat> = Seat::BOTH
        .into_iter()
        .filter(|seat| has_thoughts(&play.sitting, *seat) || (play.shows_wire && !play.sitting.at(*seat).is_person))
        .collect();
    // The moves need little, and the rest is for the bots.
    let moves = if bots.is_empty() { Constraint::Fill(1) } else { Constraint::Length((area.height / 3).max(4)) };
    let parts = bots.iter().map(|_| Constraint::Fill(1));
    let areas = if area.height < STACKED {
        Layout::horizontal(parts.chain([Constraint::Fill(1)])).split(area)
    } else {
        Layout::vertical(parts.chain([moves])).split(area)
    };
    for (seat, area) in bots.iter().zip(areas.iter()) {
        let name = play.sitting.name(*seat);
        let (title, lines) = if play.shows_wire {
            (
                format!("messages of {name}"),
                wire(&play.sitting, *seat, usize::from(area.width.saturating_sub(3)), area.height.into()),
            )
        } else {
            (format!("{name} thinks"), thoughts(&play.sitting, *seat, usize::from(area.width.saturating_sub(3))))
        };
        draw_lines(&title, lines, *area, buffer);
    }
    if let Some(area) = areas.last() {
        draw_lines("moves", moves_made(&play.sitting), *area, buffer);
    }
}

/// Draws the last lines that fit.
fn draw_lines(title: &str, lines: SideLines, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(4));
    let block = Block::bordered().title(format!(" {} ", cut(title, width)));
    let inner = block.inner(area);
    block.render(area, buffer);
    let skipped = lines.len().saturating_sub(inner.height.into());
    for (row, (text, style)) in (inner.top()..inner.bottom()).zip(lines.into_iter().skip(skipped)) {
        let width = usize::from(inner.width.saturating_sub(1));
        buffer.set_stringn(inner.x + 1, row, cut(&text, width), width, style);
    }
}

fn hidden(sitting: &Sitting) -> SideLines {
    let game = sitting.setup().variant.label;
    vec![(format!("hidden until {game} is over"), theme::DIM)]
}

/// Whether a bot has said anything beside its moves, or may have said what is hidden.
fn has_thoughts(sitting: &Sitting, seat: Seat) -> bool {
    let thoughts = sitting.thoughts(seat);
    let says = |played: &Played| played.eval.is_some() || played.comment.is_some() || played.debug.is_some();
    let mut plies = sitting.plies().iter().filter(|ply| ply.seat == seat);
    !sitting.at(seat).is_person
        && (!sitting.may_see(seat)
            || !thoughts.info.is_empty()
            || !thoughts.stderr.is_empty()
            || plies.any(|ply| ply.measured.as_ref().is_some_and(says)))
}

fn thoughts(sitting: &Sitting, seat: Seat, width: usize) -> SideLines {
    if !sitting.may_see(seat) {
        return hidden(sitting);
    }
    let mut lines = SideLines::new();
    let last = sitting.plies().iter().rfind(|ply| ply.seat == seat).and_then(|ply| ply.measured.as_ref());
    if let Some(played) = last {
        lines.push((measured(played), Style::new()));
        let debug = played.debug.as_ref().map(|debug| format!("debug {}", escaped(debug.get())));
        let comment = played.comment.as_ref().map(|comment| format!("\"{}\"", escaped(comment)));
        for remark in [comment, debug].into_iter().flatten() {
            let wrapped = wrap(&remark, width.max(1), 2);
            lines.extend(wrapped.lines().take(REMARK_LINES_MAX).map(|line| (line.to_owned(), Style::new())));
        }
    }
    let thoughts = sitting.thoughts(seat);
    if !thoughts.info.is_empty() {
        lines.push(("── info ──".to_owned(), theme::DIM));
        let keys = thoughts.info.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0).min(16);
        lines.extend(thoughts.info.iter().map(|(key, value)| (format!("{key:<keys$}  {value}"), Style::new())));
    }
    if !thoughts.stderr.is_empty() {
        lines.push(("── stderr ──".to_owned(), theme::DIM));
        lines.extend(thoughts.stderr.iter().map(|line| (line.clone(), Style::new())));
    }
    if lines.is_empty() {
        lines.push(("nothing yet".to_owned(), theme::DIM));
    }
    lines
}

/// `eval −0.31   412 ms   cpu 409 ms`.
fn measured(played: &Played) -> String {
    let eval = played.eval.map(|eval| format!("eval {eval:+.2}"));
    let cpu = played.cpu_us.map(|cpu| format!("cpu {}", time(cpu)));
    [eval, Some(time(played.us)), cpu].into_iter().flatten().collect::<Vec<_>>().join("   ")
}

fn time(us: u64) -> String {
    match us {
        0..100_000 => format!("{:.1} ms", us as f64 / 1e3),
        100_000..10_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{} s", us / 1_000_000),
    }
}

fn wire(sitting: &Sitting, seat: Seat, width: usize, rows: usize) -> SideLines {
    if !sitting.may_see(seat) {
        return hidden(sitting);
    }
    let mut lines = SideLines::new();
    let wire = &sitting.thoughts(seat).wire;
    // Each takes a line at least; wrapping those that have no room would take long.
    for (is_sent, text) in wire.iter().skip(wire.len().saturating_sub(rows)) {
        let (mark, style) = if *is_sent { ("→", theme::DIM) } else { ("←", Style::new()) };
        let wrapped = wrap_json(&format!("{mark} {text}"), width.max(8), 2);
        lines.extend(wrapped.lines().map(|line| (line.to_owned(), style)));
    }
    lines
}

/// `11 X 3  412 ms +0.31`, and `opening` for the time of a move that was given.
fn moves_made(sitting: &Sitting) -> SideLines {
    let width = sitting.plies().iter().map(|ply| plain(&ply.played).len()).max().unwrap_or(0).max(3);
    let sides = sitting.setup().variant.rules.sides;
    let side_width = sides.map(|side| Span::raw(side).width()).into_iter().max().unwrap_or_default();
    let row = |(index, ply): (usize, &PlayedPly)| {
        let seat = ply.seat;
        let played = if sitting.may_see(seat) { plain(&ply.played) } else { "·".to_owned() };
        let end = match &ply.measured {
            None => "opening".to_owned(),
            Some(_) if sitting.at(seat).is_person && !sitting.setup().is_timed => String::new(),
            Some(played) => {
                let eval = played.eval.filter(|_| sitting.may_see(seat));
                format!("{:>8}{}", time(played.us), eval.map_or_else(String::new, |eval| format!(" {eval:+.2}")))
            }
        };
        let side = sides[seat.index()];
        (format!("{:>3} {side:<side_width$} {played:<width$} {end}", index + 1), theme::of(seat))
    };
    sitting.plies().iter().enumerate().map(row).collect()
}
