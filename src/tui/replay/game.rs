//! A game to step through: its board, its moves, and how evaluations and times went.

use std::cell::Cell;

use arena_core::analysis::Mark;
use arena_core::event::GameId;
use arena_core::record::reason_in_words;
use arena_core::rules::Seat;
use arena_core::text::{counted, cut, escaped, shown};
use arena_sys::flags::FROM;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode::{Char, Down, End, Home, Left, PageDown, PageUp, Right, Up};
use ratatui::layout::Constraint::{Fill, Length, Max};
use ratatui::layout::{Layout, Margin, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Widget as _};

use super::Opened;
use super::ending;
use super::plies::{self, time};
use crate::tui::KeyPress::{self, Ctrl, Key};
use crate::tui::lines::headed;
use crate::tui::{picture, spark, theme};

/// Keys of a game.
pub(super) const KEYS: &str = " ←→ ply · g G ends · space plays · n N games · c command · ? keys · q list";
/// Keys of a game that was opened without the list.
pub(super) const KEYS_ALONE: &str = " ←→ ply · g G ends · space plays · / games · c command · ? keys · q leave";
/// Plies of a large step.
const LARGE_STEP: isize = 10;
/// The list of moves is beside the board from this width on.
const WIDE: u16 = 76;
/// Width of the list of moves beside the board.
const MOVES_WIDTH: [u16; 2] = [34, 60];
/// The list of moves has a heading if it is higher than this.
const HEADING_ABOVE: u16 = 4;
/// The lines of evaluations and times.
const SPARKS_HEIGHT: u16 = 2;
/// A column of space at the left, and one at the right.
const BESIDE: Margin = Margin::new(1, 0);
/// Lines about the current ply, at most, where the list is below the board.
const NOW_HEIGHT_MAX: u16 = 3;

/// A game, and where it is looked at.
#[derive(Debug)]
pub(super) struct GameView {
    opened: Opened,
    /// How the game ended.
    ending: Vec<String>,
    /// Plies that were made, and beyond the last one, lines by which the end of the game was scrolled. Where the list is below
    /// the board, the first such line gives it the room of the board.
    at: usize,
    is_playing: bool,
    /// Lines that there are to scroll, as it was drawn last.
    scroll_max: Cell<usize>,
}

impl GameView {
    pub(super) fn new(opened: Opened, ply: usize) -> Self {
        let ending = ending::lines(&opened);
        let at = ply.min(opened.story.record.moves.len());
        Self { opened, ending, at, is_playing: false, scroll_max: Cell::new(0) }
    }

    pub(super) fn id(&self) -> GameId {
        GameId::of(&self.opened.story.record.id)
    }

    /// The command that shows this position.
    pub(super) fn command(&self) -> String {
        if self.ply() == 0 {
            return self.opened.command.clone();
        }
        format!("{} {FROM} {}", self.opened.command, self.ply())
    }

    pub(super) const fn is_playing(&self) -> bool {
        self.is_playing
    }

    fn ply(&self) -> usize {
        self.at.min(self.plies())
    }

    fn plies(&self) -> usize {
        self.opened.story.record.moves.len()
    }

    pub(super) fn tick(&mut self) {
        self.step(1);
        self.is_playing = self.at < self.plies();
    }

    pub(super) fn key(&mut self, key: KeyPress) {
        let was_playing = std::mem::take(&mut self.is_playing);
        match key {
            Key(Right | Char('.' | 'l' | 'j') | Down) => self.step(1),
            Key(Left | Char(',' | 'h' | 'k') | Up) => self.step(-1),
            Key(PageDown) | Ctrl('f') => self.step(LARGE_STEP),
            Key(PageUp) | Ctrl('b') => self.step(-LARGE_STEP),
            Key(Char('g') | Home) => self.at = 0,
            Key(Char('G') | End) => self.at = self.plies(),
            Key(Char('m')) => self.at = self.given_away().into_iter().find(|ply| *ply > self.ply()).unwrap_or(self.at),
            Key(Char('M')) => self.at = self.given_away().into_iter().rfind(|ply| *ply < self.ply()).unwrap_or(self.at),
            Key(Char(' ')) => {
                self.is_playing = !was_playing && self.plies() > 0;
                if self.is_playing && self.ply() == self.plies() {
                    self.at = 0;
                }
            }
            // Any other key is not for the game.
            _ => self.is_playing = was_playing,
        }
    }

    /// Goes on or back by plies; at the end of the game, by lines of what is said of it.
    fn step(&mut self, by: isize) {
        let (plies, end) = (self.plies(), self.plies() + self.scroll_max.get());
        let is_at_end = self.at > plies || (self.at == plies && by > 0);
        let [least, most] = if is_at_end { [plies, end] } else { [0, plies] };
        self.at = self.at.min(end).saturating_add_signed(by).clamp(least, most);
    }

    /// The numbers of the moves that gave the result away.
    fn given_away(&self) -> Vec<usize> {
        let given = (1..).zip(self.opened.story.plies()).filter(|(_, ply)| ply.mark.is_some_and(Mark::gave_away));
        given.map(|(number, _)| number).collect()
    }

    /// Players, result and reason, and which game it is, where there is room for it.
    pub(super) fn title(&self, width: usize) -> String {
        let story = &self.opened.story;
        let record = &story.record;
        // What is beside the names.
        let sides: usize = story.variant.rules.sides.iter().map(|side| Span::raw(*side).width()).sum();
        let name_width = (width.saturating_sub(34 + sides) / 2).clamp(6, 40);
        let [first, second] = Seat::BOTH.map(|seat| {
            let name = cut(&shown(&record.bots[seat.index()].name), name_width);
            format!("{name} ({})", story.variant.rules.side(seat))
        });
        let id: String = shown(&record.id).chars().take(8).collect();
        let reason = shown(&reason_in_words(&record.reason, Some(&story.variant)));
        format!(" {first} {} {second}: {reason} ─ {} ─ {id} ", record.result, story.variant)
    }

    /// For a terminal that is too small.
    pub(super) fn text(&self) -> String {
        let now = self.now();
        let picture = &self.opened.story.pictures[self.ply()];
        format!("{}\n{picture}", now.first().map_or("", String::as_str))
    }

    /// What there is to say of the current ply.
    fn now(&self) -> Vec<String> {
        let (story, plies) = (&self.opened.story, self.plies());
        let mark = if self.is_playing { "▶ " } else { "" };
        // The move that led to the position.
        let Some(ply) = self.ply().checked_sub(1).and_then(|index| story.plies().nth(index)) else {
            return vec![format!("{mark}start of {}", counted(plies, "move"))];
        };
        let mut parts =
            vec![format!("{mark}{} of {plies}: {} plays {}", self.ply(), story.player(ply.mover), ply.word)];
        let Some(measured) = ply.measured else {
            parts.push("opening".to_owned());
            return vec![parts.join(" · ")];
        };
        parts.push(format!("{} ms", time(measured.us)));
        parts.extend(measured.cpu_us.map(|us| format!("CPU {} ms", time(us))));
        parts.extend((measured.credit_us > 0).then(|| format!("credit {} ms", time(measured.credit_us))));
        parts.extend(measured.eval.map(|eval| format!("eval {eval:+.2}")));
        parts.extend(ply.mark.and_then(Mark::values));
        parts.extend(ply.mark.and_then(Mark::words));
        let mut lines = vec![parts.join(" · ")];
        lines.extend(measured.comment.as_ref().map(|comment| format!("“{}”", escaped(comment))));
        lines.extend(measured.debug.as_ref().map(|debug| format!("debug {}", escaped(debug.get()))));
        lines
    }

    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let picture = &self.opened.story.pictures[self.ply()];
        let wanted = picture::wanted(picture).height;
        let [board, now, sparks, moves] = if area.width >= WIDE {
            let moves = (area.width * 2 / 5).clamp(MOVES_WIDTH[0], MOVES_WIDTH[1])
                + plies::PlyColumns::of(&self.opened.story).values_width() as u16;
            let [left, moves] = Layout::horizontal([Fill(1), Length(moves + 1)]).areas(area);
            let rule = Block::new().borders(Borders::LEFT).border_style(theme::DIM);
            (&rule).render(moves, buffer);
            let wanted = wanted.min(area.height.saturating_sub(SPARKS_HEIGHT + 1));
            let parts = [Length(wanted), Max(1), Fill(1), Length(SPARKS_HEIGHT)];
            let [board, _, now, sparks] = Layout::vertical(parts).areas(left.inner(BESIDE));
            [board, now, sparks, rule.inner(moves)]
        } else if self.at > self.plies() {
            // The end of the game is worth all the room.
            return self.draw_moves(area, 1, buffer);
        } else {
            let now = headed(&self.now(), area.width.into()).len() as u16;
            let now = now.clamp(1, NOW_HEIGHT_MAX).min(area.height / 6).max(1);
            let board = wanted.min(area.height.saturating_sub(now + SPARKS_HEIGHT));
            Layout::vertical([Length(board), Length(now), Length(SPARKS_HEIGHT), Fill(1)]).areas(area)
        };
        picture::draw(picture, None, board, buffer);
        self.draw_now(now, buffer);
        self.draw_sparks(sparks, buffer);
        self.draw_moves(moves, 0, buffer);
    }

    fn draw_now(&self, area: Rect, buffer: &mut Buffer) {
        let mut lines = headed(&self.now(), area.width.into());
        // There is more than room for it.
        if lines.len() > area.height.into()
            && let Some(last) = lines.get_mut(usize::from(area.height).saturating_sub(1))
        {
            let end = cut(&last.to_string(), usize::from(area.width).saturating_sub(1));
            *last = Line::styled(format!("{end}…"), last.style);
        }
        Text::from(lines).render(area, buffer);
    }

    /// Evaluations, from the first seat's point of view, and times.
    fn draw_sparks(&self, area: Rect, buffer: &mut Buffer) {
        let story = &self.opened.story;
        let evals = story.plies().map(|ply| Some(f64::midpoint(ply.measured?.eval_of_first(ply.mover)?, 1.0)));
        let evals: Vec<Option<f64>> = evals.collect();
        let times = || story.plies().map(|ply| Some(ply.measured?.us));
        let (full, label) = scale(times().flatten().max(), story.record.clock.move_ms);
        let shares = times().map(|us| Some(us? as f64 / full)).collect();
        let eval_label = if evals.iter().any(Option::is_some) {
            format!("high: {} ahead", story.variant.rules.side(Seat::First))
        } else {
            "none told".to_owned()
        };
        let lines = [("eval ", evals, eval_label), ("time ", shares, label)];
        for ((name, values, label), row) in lines.into_iter().zip(area.rows()) {
            let room = usize::from(area.width).saturating_sub(name.len() + Span::raw(&label).width() + 2);
            let mut line = spark::line(&values, self.ply().checked_sub(1), room.min(values.len().max(1)));
            line.spans.insert(0, Span::styled(name, theme::DIM));
            line.push_span(Span::styled(format!("  {label}"), theme::DIM));
            line.render(row, buffer);
        }
    }

    /// The list of moves, and below it the end of the game. `revealing` is the number of lines that were scrolled to give it its
    /// room.
    fn draw_moves(&self, area: Rect, revealing: usize, buffer: &mut Buffer) {
        if area.height == 0 {
            self.scroll_max.set(1);
            return;
        }
        let area = area.inner(BESIDE);
        let width = usize::from(area.width);
        let end = headed(&self.ending, width);
        let is_tall = area.height > HEADING_ABOVE;
        let [head, body] = Layout::vertical([Length(is_tall.into()), Fill(1)]).areas(area);
        let columns = plies::PlyColumns::of(&self.opened.story);
        if is_tall {
            Line::styled(columns.head(), theme::DIM).render(head, buffer);
        }
        let (height, plies) = (usize::from(body.height), self.plies());
        let all = plies + end.len();
        let bottom = all.saturating_sub(height);
        // The current ply stays in sight, in the middle; the last one with as much of the end as there is room for.
        let current = self.ply().saturating_sub(1);
        let at_end = bottom.min(plies.saturating_sub(1));
        let top = if self.ply() == plies { at_end } else { current.saturating_sub(height / 2).min(at_end) };
        self.scroll_max.set(bottom.saturating_sub(top) + revealing);
        let scroll = (self.at - self.ply()).min(self.scroll_max.get());
        let top = top + scroll - revealing.min(scroll);
        let numbered = self.opened.story.plies().zip(1..);
        let made = numbered.skip(top).map(|(ply, number)| columns.line(&ply, number, self.ply() == number, width));
        let ended = end.into_iter().skip(top.saturating_sub(plies));
        made.chain(ended).take(height).collect::<Text<'_>>().render(body, buffer);
        let is_more = top + height < all;
        if is_more && self.ply() == plies {
            let last = body.rows().next_back().unwrap_or_default();
            Line::from(Span::styled("↓", theme::STRONG)).right_aligned().render(last, buffer);
        }
    }
}

/// The time of a full bar in microseconds, and what to say of it. The limit is a full bar unless all moves were far from it, or
/// one took longer.
fn scale(slowest: Option<u64>, limit_ms: Option<u64>) -> (f64, String) {
    let Some(slowest) = slowest else { return (1.0, "none".to_owned()) };
    let limit = limit_ms.map_or_else(String::new, |limit| format!("limit {limit} ms"));
    match limit_ms.map(|limit| limit.saturating_mul(1_000)) {
        Some(full) if (full / 8..=full).contains(&slowest) => (full.max(1) as f64, format!("█ {limit}")),
        full => {
            let comma = if full.is_some() { ", " } else { "" };
            (slowest.max(1) as f64, format!("█ {} ms{comma}{limit}", time(slowest)))
        }
    }
}
