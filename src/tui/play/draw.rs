//! The board, what is said about it, and the keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, Paragraph, Widget as _};

use super::{PlayScreen, side};
use crate::rules::{Move, Picture, Seat};
use crate::sitting::{Phase, plain};
use crate::text::{cut, printable, wrap};
use crate::tui::hint::fit_keys;
use crate::tui::{draw_small, is_small, picture, spark, theme};

/// From this width on there is a column beside the board.
const WIDE: u16 = 72;
/// Most lines below the board.
const SAID_MAX: usize = 6;
const KEYS: &str = "\
arrows, H j k l  move the cursor (h is the hint)
⏎ or a click     play there
0–9              play a {one_move}, or type a move
:                type a move, also as JSON
u, r             take a move back, play it again
h                a hint by another bot
space            let the bot that waits move
p                let bots wait before each move
t, e, w          thoughts, eval line, messages
n, s             new game, in swapped seats
R                resign
?, q             these keys, leave";

pub(super) fn draw(play: &PlayScreen, frame: &mut Frame<'_>) {
    let sitting = &play.sitting;
    if is_small(frame) {
        play.drawn.set(Rect::ZERO);
        return draw_small(frame, &sitting.picture().to_string());
    }
    let area = frame.area();
    let has_side = play.shows_thoughts || play.shows_wire;
    let (main, beside) = if !has_side {
        (area, None)
    } else if area.width >= WIDE {
        let width = (area.width * 2 / 5).clamp(28, 64);
        let [main, beside] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)]).areas(area);
        (main, Some(beside))
    } else {
        let wanted = picture::wanted(&sitting.picture()).height + 7;
        if area.height >= wanted + 6 {
            let [main, below] = Layout::vertical([Constraint::Length(wanted), Constraint::Fill(1)]).areas(area);
            (main, Some(below))
        } else {
            (area, None)
        }
    };
    draw_main(play, main, frame);
    if let Some(beside) = beside {
        side::draw(play, beside, frame.buffer_mut());
    }
    if play.shows_help {
        draw_help(play, frame);
    }
}

fn draw_main(play: &PlayScreen, area: Rect, frame: &mut Frame<'_>) {
    let sitting = &play.sitting;
    let [first, second] = Seat::BOTH.map(|seat| sitting.name(seat));
    let inside = usize::from(area.width.saturating_sub(4));
    let count = format!(" ply {} ", sitting.plies().len());
    let title = format!("{} ─ {first} against {second}", sitting.setup().variant);
    let title = cut(&title, inside.saturating_sub(count.len()));
    let block = Block::bordered()
        .title(Line::styled(format!(" {title} "), theme::STRONG))
        .title_top(Line::from(count).right_aligned())
        .title_bottom(format!(" {} ", fit_keys(&prompt(play), inside)));
    let inner = block.inner(area);
    block.render(area, frame.buffer_mut());
    let said = said(play, usize::from(inner.width.saturating_sub(2)));
    let bottom = said.len().min(usize::from(inner.height / 2)) as u16;
    let [board, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(bottom)]).areas(inner);
    let board = padded(board, &sitting.picture());
    play.drawn.set(board);
    let cursor = picture::draw(&sitting.picture(), play.cursor(), board, frame.buffer_mut());
    let skipped = said.len() - usize::from(bottom);
    for (row, (text, style)) in (below.top()..below.bottom()).zip(said.into_iter().skip(skipped)) {
        frame.buffer_mut().set_stringn(below.x + 1, row, text, usize::from(below.width.saturating_sub(2)), style);
    }
    if let Some(typed) = &play.typed {
        let end = below.x.saturating_add(1 + TYPED.len() as u16).saturating_add(typed.chars().count() as u16);
        let row = below.bottom().saturating_sub(1);
        frame.set_cursor_position(Position::new(end.min(below.right().saturating_sub(1)), row));
    } else if let Some(cursor) = cursor.filter(|_| sitting.phase() == Phase::Yours && !play.shows_help) {
        frame.set_cursor_position(cursor);
    }
}

/// Before a move that is typed.
const TYPED: &str = "move: ";

/// Room above and beside a picture, where there is some to spare.
fn padded(area: Rect, picture: &Picture) -> Rect {
    let wanted = picture::wanted(picture);
    let spare = |has: u16, wants: u16| has.saturating_sub(wants.saturating_add(1));
    let top = spare(area.height, wanted.height) / 3;
    let left = match picture {
        // A board is centred where it is drawn.
        Picture::Board(_) => 1,
        _ => 2.max(spare(area.width, wanted.width) / 4),
    };
    let left = left.min(area.width.saturating_sub(1));
    Rect::new(area.x + left, area.y + top, area.width - left, area.height - top)
}

/// What is waited for, and the keys for it.
fn prompt(play: &PlayScreen) -> String {
    let sitting = &play.sitting;
    let name = sitting.name(sitting.to_move());
    match sitting.phase() {
        Phase::Yours => {
            let whose = sitting.whose_move();
            let left = sitting.limit().map_or_else(String::new, |limit| {
                format!(" ({} s left)", limit.as_secs().saturating_sub(play.seconds))
            });
            let how = match sitting.picture() {
                Picture::Board(board) if board.gravity && board.cols <= 10 => format!("←→ ⏎ or 0–{}", board.cols - 1),
                Picture::Board(board) if board.gravity => "←→ ⏎".to_owned(),
                Picture::Board(_) => "arrows ⏎".to_owned(),
                _ if matches!(sitting.example(), Some(Move::Text(_) | Move::Parts(_))) => {
                    format!(":{} ⏎", sitting.example().map_or_else(String::new, |played| plain(&played)))
                }
                _ => "digits ⏎".to_owned(),
            };
            let undo = if sitting.is_open() { "u undo · " } else { "" };
            format!("{whose}{left}: {how} · {undo}h hint · ? keys")
        }
        Phase::Thinking => format!("{name} thinks · ? keys · q leave"),
        Phase::Waiting => format!("{name} is next: space · p runs on · ? keys"),
        Phase::Over => "n new game · s swap seats · u undo · ? keys · q leave".to_owned(),
        Phase::Busy => "one moment · ? keys · q leave".to_owned(),
    }
}

/// The lines below the board.
fn said(play: &PlayScreen, width: usize) -> Vec<(String, Style)> {
    let sitting = &play.sitting;
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut add = |text: &str, style: Style| {
        lines.extend(wrap(&printable(text), width.max(1), 2).lines().map(|line| (line.to_owned(), style)));
    };
    if let Some(story) = sitting.ending() {
        for (index, line) in story.ending().iter().enumerate().take(SAID_MAX) {
            add(line, if index == 0 { theme::STRONG } else { Style::new() });
        }
        match sitting.saved() {
            Some(Ok(command)) => add(&format!("saved: {command}"), theme::DIM),
            Some(Err(why)) => add(&format!("not saved: {why}"), Style::new()),
            None => {}
        }
    }
    if let Some(name) = &sitting.setup().hints {
        let style = if sitting.hint().is_some_and(Result::is_ok) { theme::STRONG } else { Style::new() };
        match sitting.hint_text() {
            Some(hint) => add(&hint, style),
            None if sitting.is_asking_hint() => add(&format!("{name} is thinking about a hint"), theme::DIM),
            None => {}
        }
    }
    if play.shows_eval
        && let Some(line) = eval_line(play, width)
    {
        add(&line, Style::new());
    }
    if !play.message.is_empty() {
        add(&play.message, theme::STRONG);
    }
    let surplus = lines.len().saturating_sub(2 * SAID_MAX);
    lines.drain(..surplus);
    if let Some(typed) = &play.typed {
        // The end of what is typed is what counts.
        let room = width.saturating_sub(TYPED.len() + 1);
        let skipped = typed.chars().count().saturating_sub(room);
        lines.push((format!("{TYPED}{}", typed.chars().skip(skipped).collect::<String>()), Style::new()));
    }
    lines
}

/// `eval ▁▂▅█ X ahead, +0.31`: the opinions of all movers, from the side of the first seat.
fn eval_line(play: &PlayScreen, width: usize) -> Option<String> {
    let sitting = &play.sitting;
    let evals = sitting
        .plies()
        .iter()
        .filter_map(|ply| ply.measured.as_ref()?.eval_of_first(ply.seat).filter(|_| sitting.may_see(ply.seat)));
    let evals: Vec<f64> = evals.collect();
    let last = *evals.last()?;
    let shown = evals.len().saturating_sub(width.saturating_sub(24));
    let bar = |eval: &f64| spark::level(f64::midpoint(*eval, 1.0));
    let bars: String = evals[shown.min(evals.len() - 1)..].iter().map(bar).collect();
    let side = |seat| format!("{} ahead", sitting.setup().variant.rules.side(seat));
    let ahead = match last {
        last if last > 0.05 => side(Seat::First),
        last if last < -0.05 => side(Seat::Second),
        _ => "even".to_owned(),
    };
    Some(format!("eval {bars} {ahead} ({:.2})", last.abs()))
}

fn draw_help(play: &PlayScreen, frame: &mut Frame<'_>) {
    let keys = KEYS.replace("{one_move}", play.sitting.setup().variant.rules.one_move);
    let lines: Vec<&str> = keys.lines().collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as u16 + 4;
    let area = frame.area();
    let (width, height) = (width.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let place = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    Clear.render(place, frame.buffer_mut());
    let block = Block::bordered().title(" keys ").title_bottom(" any key ");
    let text: Text<'_> = lines.into_iter().map(|line| format!(" {line}")).collect();
    Paragraph::new(text).block(block).render(place, frame.buffer_mut());
}
