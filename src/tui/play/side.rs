//! Beside the board: what bots think and say, the messages, and the moves.

use arena_core::record::Played;
use arena_core::rules::Seat;
use arena_core::text::{cut, escaped, wrap_json};
use arena_run::sitting::{PlayedPly, Sitting};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget as _};

use super::PlayScreen;
use crate::tui::lines::{draw_last, folded};
use crate::tui::theme;

/// Most lines of a comment or of `debug`.
const REMARK_LINES_MAX: usize = 4;

/// In less height than this, the parts are side by side.
const STACKED: u16 = 12;

pub(super) fn draw(play: &PlayScreen, area: Rect, buffer: &mut Buffer) {
    let sitting = &play.sitting;
    let bots: Vec<Seat> = Seat::BOTH.into_iter().filter(|seat| has_pane(play, *seat)).collect();
    // The moves need little, and the rest is for the bots.
    let moves = if bots.is_empty() { Fill(1) } else { Length((area.height / 3).max(4)) };
    let parts = bots.iter().map(|_| Fill(1));
    let areas = if area.height < STACKED {
        Layout::horizontal(parts.chain([Fill(1)])).split(area)
    } else {
        Layout::vertical(parts.chain([moves])).split(area)
    };
    let width = |area: &Rect| usize::from(area.width.saturating_sub(3));
    for (seat, area) in bots.into_iter().zip(areas.iter()) {
        let name = sitting.name(seat);
        let title = if play.shows_wire { format!("messages of {name}") } else { format!("{name} thinks") };
        let width = width(area);
        let lines = if !sitting.may_see(seat) {
            folded(&format!("hidden until {} is over", sitting.setup().variant.label), theme::DIM, width)
        } else if play.shows_wire {
            wire(sitting, seat, width, area.height.into())
        } else {
            thoughts(sitting, seat, width)
        };
        draw_pane(&title, lines, *area, buffer);
    }
    if let Some(area) = areas.last() {
        draw_pane("moves", moves_made(sitting, width(area)), *area, buffer);
    }
}

/// Draws the last lines that fit.
fn draw_pane(title: &str, lines: Vec<Line<'_>>, area: Rect, buffer: &mut Buffer) {
    let block = Block::bordered().title(format!(" {} ", cut(title, usize::from(area.width.saturating_sub(4)))));
    let inner = block.inner(area);
    block.render(area, buffer);
    draw_last(lines, Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner }, buffer);
}

/// Whether there is a bot whose messages are shown, or that has said anything beside its moves, or may have said what is hidden.
fn has_pane(play: &PlayScreen, seat: Seat) -> bool {
    let (sitting, thoughts) = (&play.sitting, play.sitting.thoughts(seat));
    let says = |played: &Played| played.eval.is_some() || played.comment.is_some() || played.debug.is_some();
    let mut plies = sitting.plies().iter().filter(|ply| ply.seat == seat);
    !sitting.at(seat).is_person
        && (play.shows_wire
            || !sitting.may_see(seat)
            || !thoughts.info.is_empty()
            || !thoughts.stderr.is_empty()
            || plies.any(|ply| ply.measured.as_ref().is_some_and(says)))
}

fn thoughts(sitting: &Sitting, seat: Seat, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let last = sitting.plies().iter().rfind(|ply| ply.seat == seat).and_then(|ply| ply.measured.as_ref());
    if let Some(played) = last {
        let comment = played.comment.as_ref().map(|comment| format!("\"{}\"", escaped(comment)));
        let debug = played.debug.as_ref().map(|debug| format!("debug {}", escaped(debug.get())));
        for text in [Some(measured(played)), comment, debug].into_iter().flatten() {
            lines.extend(folded(&text, Style::new(), width).into_iter().take(REMARK_LINES_MAX));
        }
    }
    let thoughts = sitting.thoughts(seat);
    let keys = thoughts.info.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0).min(16);
    let info = thoughts.info.iter().map(|(key, value)| format!("{key:<keys$}  {value}")).collect();
    for (title, texts) in [("── info ──", info), ("── stderr ──", Vec::from(thoughts.stderr.clone()))] {
        if !texts.is_empty() {
            lines.push(Line::styled(title, theme::DIM));
            lines.extend(texts.iter().flat_map(|text| folded(text, Style::new(), width)));
        }
    }
    if lines.is_empty() {
        lines.push(Line::styled("nothing yet", theme::DIM));
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

fn wire(sitting: &Sitting, seat: Seat, width: usize, rows: usize) -> Vec<Line<'static>> {
    let wire = &sitting.thoughts(seat).wire;
    // Each takes a line at least; wrapping those that have no room would take long.
    let shown = wire.iter().skip(wire.len().saturating_sub(rows));
    let lines = shown.flat_map(|(is_sent, text)| {
        let (mark, style) = if *is_sent { ("→", theme::DIM) } else { ("←", Style::new()) };
        folded(&wrap_json(&format!("{mark} {text}"), width, 2), style, width)
    });
    lines.collect()
}

/// `11 X 3  412 ms +0.31`, and `opening` for the time of a move that was given.
fn moves_made(sitting: &Sitting, room: usize) -> Vec<Line<'static>> {
    let width = sitting.plies().iter().map(|ply| Span::raw(ply.word.as_str()).width()).max().unwrap_or(0).max(3);
    let sides = sitting.setup().variant.rules.sides;
    let side_width = sides.map(|side| Span::raw(side).width()).into_iter().max().unwrap_or_default();
    let row = |(index, ply): (usize, &PlayedPly)| {
        let seat = ply.seat;
        let played = if sitting.may_see(seat) { ply.word.clone() } else { "·".to_owned() };
        let end = match &ply.measured {
            None => "opening".to_owned(),
            Some(_) if sitting.at(seat).is_person => String::new(),
            Some(played) => {
                let eval = played.eval.filter(|_| sitting.may_see(seat));
                format!("{:>8}{}", time(played.us), eval.map_or_else(String::new, |eval| format!(" {eval:+.2}")))
            }
        };
        let side = sides[seat.index()];
        let text = format!("{:>3} {side:<side_width$} {played:<width$} {end}", index + 1);
        Line::styled(cut(&text, room), theme::of(seat))
    };
    sitting.plies().iter().enumerate().map(row).collect()
}
