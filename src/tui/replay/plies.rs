//! The list of moves.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::{cut, escaped, millis};
use crate::tui::theme;
use crate::views::{Ply, Story};

/// Widest move that is shown whole.
const MOVE_WIDTH_MAX: usize = 14;
/// Columns of a time.
const TIME_WIDTH: usize = 9;
/// Columns of an evaluation.
const EVAL_WIDTH: usize = 5;

/// Widths of the columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlyColumns {
    number: usize,
    sides: [&'static str; 2],
    played: usize,
    has_eval: bool,
}

impl PlyColumns {
    pub(super) fn of(story: &Story) -> Self {
        let widest = story.record.moves.iter().map(|played| played.to_string().len()).max();
        Self {
            number: story.record.moves.len().to_string().len().max(2),
            sides: story.variant.rules.sides,
            played: widest.unwrap_or_default().clamp(4, MOVE_WIDTH_MAX),
            has_eval: story.record.played.iter().any(|played| played.eval.is_some()),
        }
    }

    /// Columns of the name of a side.
    fn side_width(self) -> usize {
        self.sides.map(|side| Span::raw(side).width()).into_iter().max().unwrap_or_default()
    }

    pub(super) fn head(self) -> String {
        let eval = if self.has_eval { format!("  {:>EVAL_WIDTH$}", "eval") } else { String::new() };
        let [number, side, played] = [self.number, self.side_width(), self.played];
        format!(" {:>number$} {:side$} {:<played$} {:>TIME_WIDTH$}{eval}", "#", "", "move", "ms")
    }

    /// The line of a move, whose comment is cut where there is no room.
    pub(super) fn line(self, ply: &Ply<'_>, number: usize, is_current: bool, width: usize) -> Line<'static> {
        let mark = if is_current { "▶" } else { " " };
        let played = cut(&ply.played.to_string(), self.played);
        let us = ply.measured.map_or_else(|| "opening".to_owned(), |played| time(played.us));
        let eval = ply.measured.and_then(|played| played.eval).map(|eval| format!("{eval:+.2}"));
        let eval = if self.has_eval { format!("  {:>EVAL_WIDTH$}", eval.unwrap_or_default()) } else { String::new() };
        let [digits, columns] = [self.number, self.played];
        let side = format!("{:<1$}", self.sides[ply.mover.index()], self.side_width());
        let mover = Span::styled(side, theme::of(ply.mover));
        let begin = format!("{mark}{number:>digits$} ");
        let rest = format!(" {played:<columns$} {us:>TIME_WIDTH$}{eval}");
        let room = width.saturating_sub(Span::raw(&begin).width() + self.side_width() + Span::raw(&rest).width() + 2);
        let mut spans = vec![Span::raw(begin), mover, Span::raw(rest)];
        if let Some(comment) = ply.measured.and_then(|played| played.comment.as_ref())
            && room > 2
        {
            spans.push(Span::styled(format!("  {}", cut(&format!("“{}”", escaped(comment)), room)), theme::DIM));
        }
        let style = if is_current { theme::STRONG } else { Style::new() };
        Line::from(spans).style(style)
    }
}

/// Milliseconds, with more decimals for short times.
pub(super) fn time(us: u64) -> String {
    if us < 10_000 { millis(us) } else { format!("{:.1}", us as f64 / 1_000.0) }
}
