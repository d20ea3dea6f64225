//! The board, what is said about it, and the keys.

use arena_core::rules::{Board, Picture, Rules, Seat};
use arena_core::text::cut;
use arena_run::sitting::{Phase, plain};
use ratatui::Frame;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Margin, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, Widget as _};

use super::{PlayScreen, side};
use crate::tui::hint::fit_keys;
use crate::tui::lines::{draw_last, folded, headed};
use crate::tui::small::is_drawn_small;
use crate::tui::{help, picture, prompt, spark, theme};

/// From this width on there is a column beside the board.
const WIDE: u16 = 72;
/// Most lines below the board.
const SAID_MAX: usize = 12;
/// Most lines about the end.
const ENDING_MAX: usize = 6;

pub(super) fn draw(play: &PlayScreen, frame: &mut Frame<'_>) {
    let sitting = &play.sitting;
    play.drawn.set(Rect::ZERO);
    if is_drawn_small(frame, || sitting.picture().to_string()) {
        return;
    }
    if play.shows_help {
        return draw_help(sitting.setup().variant.rules, frame);
    }
    let area = frame.area();
    let has_side = play.shows_thoughts || play.shows_wire;
    let wanted = picture::wanted(&sitting.picture()).height + 7;
    let parts = if has_side && area.width >= WIDE {
        Layout::horizontal([Fill(1), Length((area.width * 2 / 5).clamp(28, 64))])
    } else if has_side && area.height >= wanted + 6 {
        Layout::vertical([Length(wanted), Fill(1)])
    } else {
        Layout::vertical([Fill(1), Length(0)])
    };
    let [main, beside] = parts.areas(area);
    draw_main(play, main, frame);
    if !beside.is_empty() {
        side::draw(play, beside, frame.buffer_mut());
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
        .title_bottom(format!(" {} ", fit_keys(&bottom(play), inside)));
    let inner = block.inner(area);
    block.render(area, frame.buffer_mut());
    let beside = |area: Rect| area.inner(Margin::new(1, 0));
    let said = said(play, beside(inner).width.into());
    let height = said.len().min(SAID_MAX).min(usize::from(inner.height / 2)) as u16;
    let parts = [Fill(1), Length(height), Length(play.typed.is_some().into())];
    let [board, below, typed] = Layout::vertical(parts).areas(inner);
    let board = padded(board, &sitting.picture());
    play.drawn.set(board);
    draw_last(said, beside(below), frame.buffer_mut());
    let cursor = picture::draw(&sitting.picture(), play.cursor(), board, frame.buffer_mut());
    let cursor = cursor.filter(|_| sitting.phase() == Phase::Yours);
    let typed = play.typed.as_ref().map(|text| prompt::draw("move: ", text, beside(typed), frame.buffer_mut()));
    if let Some(cursor) = typed.or(cursor) {
        frame.set_cursor_position(cursor);
    }
}

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
fn bottom(play: &PlayScreen) -> String {
    let sitting = &play.sitting;
    let name = sitting.name(sitting.to_move());
    match sitting.phase() {
        Phase::Yours => {
            let whose = sitting.whose_move();
            let left = sitting.limit().map_or_else(String::new, |limit| {
                format!(" ({} s left)", limit.as_secs().saturating_sub(play.seconds))
            });
            let how = match (sitting.picture(), sitting.example()) {
                (Picture::Board(Board { gravity: true, cols: cols @ ..=10, .. }), _) => {
                    format!("←→ ⏎ or 0–{}", cols - 1)
                }
                (Picture::Board(Board { gravity: true, .. }), _) => "←→ ⏎".to_owned(),
                (Picture::Board(_), _) => "arrows ⏎".to_owned(),
                (_, Some(played)) if play.types_moves() => format!("type {} ⏎", plain(&played)),
                _ => "digits ⏎".to_owned(),
            };
            let ctrl = if play.types_moves() { "^" } else { "" };
            let undo = if sitting.is_open() { format!("{ctrl}u undo · ") } else { String::new() };
            format!("{whose}{left}: {how} · {undo}{ctrl}h hint · ? keys")
        }
        Phase::Thinking => format!("{name} thinks · ? keys · q leave"),
        Phase::Waiting => format!("{name} is next: space · p runs on · ? keys"),
        Phase::Over => "n new game · s swap seats · u undo · ? keys · q leave".to_owned(),
        Phase::Busy => "one moment · ? keys · q leave".to_owned(),
    }
}

/// The lines below the board.
fn said(play: &PlayScreen, width: usize) -> Vec<Line<'static>> {
    let sitting = &play.sitting;
    let mut lines = Vec::new();
    if let Some(story) = sitting.ending() {
        let ending: Vec<String> = story.ending().into_iter().take(ENDING_MAX).collect();
        lines.extend(headed(&ending, width));
        lines.extend(sitting.saved().into_iter().flat_map(|saved| match saved {
            Ok(command) => folded(&format!("saved: {command}"), theme::DIM, width),
            Err(why) => folded(&format!("not saved: {why}"), Style::new(), width),
        }));
    }
    if let Some(hint) = sitting.hint_text() {
        let style = if sitting.hint().is_some_and(Result::is_ok) { theme::STRONG } else { Style::new() };
        lines.extend(folded(&hint, style, width));
    } else if sitting.is_asking_hint() {
        let name = sitting.setup().hints.as_deref().unwrap_or_default();
        lines.extend(folded(&format!("{name} is thinking about a hint"), theme::DIM, width));
    }
    lines.extend(play.shows_eval.then(|| eval_line(play, width)).flatten());
    lines.extend(folded(&play.message, theme::STRONG, width));
    lines
}

/// `eval ▁▂▅█ X ahead, +0.31`: the opinions of all movers, from the side of the first seat.
fn eval_line(play: &PlayScreen, width: usize) -> Option<Line<'static>> {
    let sitting = &play.sitting;
    let seen = sitting.plies().iter().filter(|ply| sitting.may_see(ply.seat));
    let evals: Vec<f64> = seen.filter_map(|ply| ply.measured.as_ref()?.eval_of_first(ply.seat)).collect();
    let last = *evals.last()?;
    let shown = evals.len().saturating_sub(width.saturating_sub(24)).min(evals.len() - 1);
    let bars: String = evals[shown..].iter().map(|eval| spark::level(f64::midpoint(*eval, 1.0))).collect();
    let side = |seat| format!("{} ahead", sitting.setup().variant.rules.side(seat));
    let ahead = match last {
        last if last > 0.05 => side(Seat::First),
        last if last < -0.05 => side(Seat::Second),
        _ => "even".to_owned(),
    };
    Some(Line::raw(format!("eval {bars} {ahead} ({:.2})", last.abs())))
}

fn draw_help(rules: &Rules, frame: &mut Frame<'_>) {
    if rules.is_external() {
        return draw_help_of_typed_moves(frame);
    }
    let digits = format!("play a {}, or type a move", rules.one_move);
    let keys = [
        ("arrows, H j k l", "move the cursor (h is the hint)"),
        ("⏎ or a click", "play there"),
        ("0–9", &digits),
        (":", "type a move, also as JSON"),
        ("u, r", "take a move back, play it again"),
        ("h", "a hint by another bot"),
        ("space", "let the bot that waits move"),
        ("p", "let bots wait before each move"),
        ("t, e, w", "thoughts, eval line, messages"),
        ("n, s", "new game, in swapped seats"),
        ("R", "resign"),
        ("?, q", "these keys, leave"),
        ("any key", "back to the game"),
    ];
    help::draw(frame, &keys, "docs/play.md");
}

/// The keys where moves are typed: letters with Ctrl (^), since a move may begin with any.
fn draw_help_of_typed_moves(frame: &mut Frame<'_>) {
    let keys = [
        ("letters, digits", "on your turn: a move; ⏎ plays it, Esc cancels"),
        (":", "type a move, also as JSON"),
        ("^u, ^r", "take a move back, play it again"),
        ("^h", "a hint by another bot"),
        ("resign ⏎", "resign"),
        ("space", "let the bot that waits move"),
        ("^p", "let bots wait before each move"),
        ("^t, ^e, ^w", "thoughts, eval line, messages"),
        ("^n, ^s", "new game, in swapped seats"),
        ("?, ^q", "these keys, leave"),
        ("^", "is Ctrl; without it unless it is your turn"),
        ("any key", "back to the game"),
    ];
    help::draw(frame, &keys, "docs/play.md");
}
