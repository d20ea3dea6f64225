//! The list of moves.

use arena_core::analysis::Mark;
use arena_core::text::{cut, escaped, millis};
use arena_show::views::{Ply, Story};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::theme;

/// Widest move that is shown whole.
const MOVE_WIDTH_MAX: usize = 14;
/// Columns of a time.
const TIME_WIDTH: usize = 9;
/// Columns of an evaluation.
const EVAL_WIDTH: usize = 5;

/// Columns of the values before and after a move.
const VALUES_WIDTH: usize = 9;

/// Widths of the columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlyColumns {
    number: usize,
    sides: [&'static str; 2],
    played: usize,
    has_eval: bool,
    has_marks: bool,
}

impl PlyColumns {
    pub(super) fn of(story: &Story) -> Self {
        let widest = story.words.iter().map(|word| Span::raw(word.as_str()).width()).max();
        Self {
            number: story.record.moves.len().to_string().len().max(2),
            sides: story.variant.rules.sides,
            played: widest.unwrap_or_default().clamp(4, MOVE_WIDTH_MAX),
            has_eval: story.record.played.iter().any(|played| played.eval.is_some()),
            has_marks: story.marks.is_some(),
        }
    }

    /// Columns of the values, with the space before them.
    pub(super) const fn values_width(self) -> usize {
        if self.has_marks { 1 + VALUES_WIDTH } else { 0 }
    }

    /// The columns after that of the sides: move, values if some move has any, and time with the evaluation if there is one.
    fn cells(self, [played, values, time, eval]: [&str; 4]) -> [String; 3] {
        let values = if self.has_marks { format!(" {values:<VALUES_WIDTH$}") } else { String::new() };
        let eval = if self.has_eval { format!("  {eval:>EVAL_WIDTH$}") } else { String::new() };
        [format!(" {played:<0$}", self.played), values, format!(" {time:>TIME_WIDTH$}{eval}")]
    }

    /// Columns of the name of a side.
    fn side_width(self) -> usize {
        self.sides.map(|side| Span::raw(side).width()).into_iter().max().unwrap_or_default()
    }

    pub(super) fn head(self) -> String {
        let (number, side) = (self.number, self.side_width());
        format!(" {:>number$} {:side$}", "#", "") + &self.cells(["move", "values", "ms", "eval"]).concat()
    }

    /// The line of a move, whose comment, and what an analysis says of it, are cut where there is no room.
    pub(super) fn line(self, ply: &Ply<'_>, number: usize, is_current: bool, width: usize) -> Line<'static> {
        let mark = if is_current { "▶" } else { " " };
        let played = cut(ply.word, self.played);
        let values = ply.mark.and_then(Mark::values).unwrap_or_default();
        let time = ply.measured.map_or_else(|| "opening".to_owned(), |played| time(played.us));
        let eval = ply.measured.and_then(|played| played.eval).map(|eval| format!("{eval:+.2}"));
        let [played, values, rest] = self.cells([&played, &values, &time, &eval.unwrap_or_default()]);
        let mark_style = match ply.mark {
            Some(mark) if mark.gave_away() => theme::GIVEN_AWAY,
            _ => Style::new(),
        };
        let mut spans = vec![
            Span::raw(format!("{mark}{number:>0$} ", self.number)),
            Span::styled(format!("{:<1$}", self.sides[ply.mover.index()], self.side_width()), theme::of(ply.mover)),
            Span::raw(played),
            Span::styled(values, mark_style),
            Span::raw(rest),
        ];
        // What an analysis says comes before what the bot said.
        let note =
            ply.mark.and_then(|mark| Some((mark.note()?, if mark.gave_away() { mark_style } else { theme::DIM })));
        let comment = ply.measured.and_then(|played| played.comment.as_ref());
        let comment = comment.map(|comment| (format!("“{}”", escaped(comment)), theme::DIM));
        for (text, style) in [note, comment].into_iter().flatten() {
            let taken: usize = spans.iter().map(Span::width).sum();
            let room = width.saturating_sub(taken + 2);
            if room > 2 {
                spans.push(Span::styled(format!("  {}", cut(&text, room)), style));
            }
        }
        let style = if is_current { theme::STRONG } else { Style::new() };
        Line::from(spans).style(style)
    }
}

/// Milliseconds, with more decimals for short times.
pub(super) fn time(us: u64) -> String {
    if us < 10_000 { millis(us) } else { format!("{:.1}", us as f64 / 1_000.0) }
}
