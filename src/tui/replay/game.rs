//! A game to step through: its board, its moves, and how evaluations and times went.

use std::cell::Cell;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;

use super::Opened;
use super::ending::{self, folded};
use super::plies::{self, time};
use crate::analysis::Mark;
use crate::event::GameId;
use crate::flags::FROM;
use crate::record::reason_in_words;
use crate::rules::Seat;
use crate::text::{cut, escaped, shown};
use crate::tui::{KeyPress, picture, spark, theme};
use crate::views::Ply;

/// Keys of a game.
pub(super) const KEYS: &str = " ←→ ply · g G ends · space plays · n N games · c command · ? keys · q list";
/// Keys of a game that was opened without the list.
pub(super) const KEYS_ALONE: &str = " ←→ ply · g G ends · space plays · / games · c command · ? keys · q leave";
/// Plies of a large step.
const LARGE_STEP: usize = 10;
/// The list of moves is beside the board from this width on.
const WIDE: u16 = 76;
/// Width of the list of moves beside the board.
const MOVES_WIDTH: [u16; 2] = [34, 60];
/// The list of moves has a heading if it is higher than this.
const HEADING_ABOVE: u16 = 4;
/// Lines about the current ply, at most, where the list is below the board.
const NOW_HEIGHT_MAX: u16 = 3;

/// A game, and where it is looked at.
#[derive(Debug)]
pub(super) struct GameView {
    opened: Opened,
    /// How the game ended.
    ending: Vec<String>,
    /// Plies that were made.
    ply: usize,
    is_playing: bool,
    /// Lines by which the end of the game was scrolled, and lines that there are to scroll, as it was drawn last. Where the
    /// list is below the board, the first one gives it the room of the board.
    scroll: Cell<usize>,
    scroll_max: Cell<usize>,
}

impl GameView {
    pub(super) fn new(opened: Opened, ply: usize) -> Self {
        let ending = ending::lines(&opened);
        let ply = ply.min(opened.story.record.moves.len());
        Self { opened, ending, ply, is_playing: false, scroll: Cell::new(0), scroll_max: Cell::new(0) }
    }

    pub(super) fn id(&self) -> GameId {
        GameId::of(&self.opened.story.record.id)
    }

    /// The command that shows this position.
    pub(super) fn command(&self) -> String {
        if self.ply == 0 {
            return self.opened.command.clone();
        }
        format!("{} {FROM} {}", self.opened.command, self.ply)
    }

    pub(super) const fn is_playing(&self) -> bool {
        self.is_playing
    }

    fn plies(&self) -> usize {
        self.opened.story.record.moves.len()
    }

    /// The move that led to the position.
    fn current(&self) -> Option<Ply<'_>> {
        self.opened.story.plies().nth(self.ply.checked_sub(1)?)
    }

    pub(super) fn tick(&mut self) {
        if self.is_playing {
            self.ply = (self.ply + 1).min(self.plies());
            self.is_playing = self.ply < self.plies();
        }
    }

    pub(super) fn key(&mut self, key: KeyPress) {
        let was_playing = std::mem::take(&mut self.is_playing);
        match key {
            KeyPress::Right | KeyPress::Char('.' | 'l' | 'j') | KeyPress::Down | KeyPress::WheelDown(_) => {
                self.go_on(1);
            }
            KeyPress::Left | KeyPress::Char(',' | 'h' | 'k') | KeyPress::Up | KeyPress::WheelUp(_) => self.go_back(1),
            KeyPress::PageDown | KeyPress::Ctrl('f') => self.go_on(LARGE_STEP),
            KeyPress::PageUp | KeyPress::Ctrl('b') => self.go_back(LARGE_STEP),
            KeyPress::Char('g') | KeyPress::Home => self.go_to(0),
            KeyPress::Char('G') | KeyPress::End => self.go_to(self.plies()),
            KeyPress::Char('m') => self.go_to_given_away(|ply, now| ply > now, false),
            KeyPress::Char('M') => self.go_to_given_away(|ply, now| ply < now, true),
            KeyPress::Char(' ') => {
                self.is_playing = !was_playing && self.plies() > 0;
                if self.is_playing && self.ply == self.plies() {
                    self.go_to(0);
                }
            }
            // Any other key is not for the game.
            _ => self.is_playing = was_playing,
        }
    }

    /// Makes plies, and then scrolls through the end.
    fn go_on(&mut self, by: usize) {
        if self.ply < self.plies() {
            self.ply = (self.ply + by).min(self.plies());
        } else {
            self.scroll.set((self.scroll.get() + by).min(self.scroll_max.get()));
        }
    }

    fn go_to(&mut self, ply: usize) {
        self.ply = ply;
        self.scroll.set(0);
    }

    /// Goes to the first or `last` move that gave the result away and is on the side of the current ply that is asked for.
    fn go_to_given_away(&mut self, is_there: fn(usize, usize) -> bool, last: bool) {
        let plies = (1..).zip(self.opened.story.plies());
        let given = plies.filter(|(_, ply)| ply.mark.is_some_and(Mark::gave_away)).map(|(number, _)| number);
        let there: Vec<usize> = given.filter(|number| is_there(*number, self.ply)).collect();
        let found = if last { there.last() } else { there.first() };
        if let Some(ply) = found {
            self.go_to(*ply);
        }
    }

    fn go_back(&mut self, by: usize) {
        if self.scroll.get() > 0 {
            self.scroll.set(self.scroll.get().saturating_sub(by));
        } else {
            self.ply = self.ply.saturating_sub(by);
        }
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
        let picture = &self.opened.story.pictures[self.ply];
        format!("{}\n{picture}", now.first().map_or("", String::as_str))
    }

    /// What there is to say of the current ply.
    fn now(&self) -> Vec<String> {
        let (story, plies) = (&self.opened.story, self.plies());
        let mark = if self.is_playing { "▶ " } else { "" };
        let Some(ply) = self.current() else {
            return vec![format!("{mark}start of {}", crate::text::counted(plies, "move"))];
        };
        let mut parts =
            vec![format!("{mark}{} of {plies}: {} plays {}", self.ply, story.player(ply.mover), ply.played)];
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
        if area.width >= WIDE {
            let moves = (area.width * 2 / 5).clamp(MOVES_WIDTH[0], MOVES_WIDTH[1])
                + plies::PlyColumns::of(&self.opened.story).values_width() as u16;
            let [board, rule, moves] =
                Layout::horizontal([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(moves)]).areas(area);
            for y in rule.top()..rule.bottom() {
                Line::styled("│", theme::DIM).render(Rect { y, height: 1, ..rule }, buffer);
            }
            self.draw_moves(moves, 0, buffer);
            let [board, sparks] = Layout::vertical([Constraint::Fill(1), Constraint::Length(2)]).areas(inset(board));
            let wanted = picture::wanted(self.picture()).height.min(board.height.saturating_sub(1));
            let [board, _, now] =
                Layout::vertical([Constraint::Length(wanted), Constraint::Max(1), Constraint::Fill(1)]).areas(board);
            picture::draw(self.picture(), None, board, buffer);
            self.draw_now(now, buffer);
            self.draw_sparks(sparks, buffer);
            return;
        }
        if self.scroll.get() > 0 {
            // The end of the game is worth all the room.
            return self.draw_moves(area, 1, buffer);
        }
        let now_wanted: usize = self.now().iter().map(|line| folded(line, area.width.into()).len()).sum();
        let now = (now_wanted as u16).clamp(1, NOW_HEIGHT_MAX).min(area.height / 6).max(1);
        let sparks = 2;
        let wanted = picture::wanted(self.picture()).height;
        let rest = area.height.saturating_sub(now + sparks);
        let board = wanted.min(rest);
        let [board, now, sparks, moves] = Layout::vertical([
            Constraint::Length(board),
            Constraint::Length(now),
            Constraint::Length(sparks),
            Constraint::Fill(1),
        ])
        .areas(area);
        picture::draw(self.picture(), None, board, buffer);
        self.draw_now(now, buffer);
        self.draw_sparks(sparks, buffer);
        self.draw_moves(moves, 0, buffer);
    }

    fn picture(&self) -> &crate::rules::Picture {
        &self.opened.story.pictures[self.ply]
    }

    fn draw_now(&self, area: Rect, buffer: &mut Buffer) {
        let lines = self.now().into_iter().flat_map(|line| folded(&line, area.width.into()));
        let lines: Vec<String> = lines.collect();
        for (place, (line, y)) in lines.iter().zip(area.top()..area.bottom()).enumerate() {
            let style = if place == 0 { theme::STRONG } else { Style::new() };
            // There is more than room for it.
            let is_cut = y + 1 == area.bottom() && place + 1 < lines.len();
            let line = if is_cut {
                format!("{}…", cut(line, usize::from(area.width).saturating_sub(1)))
            } else {
                line.clone()
            };
            Line::styled(line, style).render(Rect { y, height: 1, ..area }, buffer);
        }
    }

    /// Evaluations, from the first seat's point of view, and times.
    fn draw_sparks(&self, area: Rect, buffer: &mut Buffer) {
        let story = &self.opened.story;
        let evals: Vec<Option<f64>> = story.plies().map(|ply| ply.measured?.eval_of_first(ply.mover)).collect();
        let times: Vec<Option<u64>> = story.plies().map(|ply| ply.measured.map(|played| played.us)).collect();
        let slowest = times.iter().flatten().max().copied();
        let limit = story.record.clock.move_ms;
        let (full, label) = scale(slowest, limit);
        let shares = times.iter().map(|us| Some((*us)? as f64 / full)).collect::<Vec<_>>();
        let evals: Vec<Option<f64>> = evals.into_iter().map(|eval| Some(f64::midpoint(eval?, 1.0))).collect();
        let eval_label = match evals.iter().flatten().last() {
            None => "none told".to_owned(),
            Some(_) => format!("high: {} ahead", story.variant.rules.side(Seat::First)),
        };
        let now = self.ply.checked_sub(1);
        let rows = [("eval ", &evals, eval_label), ("time ", &shares, label)];
        for ((name, values, label), y) in rows.into_iter().zip(area.top()..area.bottom()) {
            let room = usize::from(area.width).saturating_sub(name.len());
            let bars =
                spark::line(values, now, room.saturating_sub(Span::raw(&label).width() + 2).min(values.len().max(1)));
            let mut line = Line::from(Span::styled(name, theme::DIM));
            line.extend(bars.spans);
            line.push_span(Span::styled(format!("  {label}"), theme::DIM));
            line.render(Rect { y, height: 1, ..area }, buffer);
        }
    }

    /// The list of moves, and below it the end of the game. `revealing` is the number of lines that were scrolled to give it its
    /// room.
    fn draw_moves(&self, area: Rect, revealing: usize, buffer: &mut Buffer) {
        if area.height == 0 {
            self.scroll_max.set(1);
            return;
        }
        let area = inset(area);
        let width = usize::from(area.width);
        let end: Vec<String> = self.ending.iter().flat_map(|line| folded(line, width)).collect();
        let is_tall = area.height > HEADING_ABOVE;
        let [head, body] = Layout::vertical([Constraint::Length(is_tall.into()), Constraint::Fill(1)]).areas(area);
        let columns = plies::PlyColumns::of(&self.opened.story);
        if is_tall {
            Line::styled(columns.head(), theme::DIM).render(head, buffer);
        }
        let (height, plies) = (usize::from(body.height), self.plies());
        let all = plies + end.len();
        let bottom = all.saturating_sub(height);
        // The current ply stays in sight, in the middle; the last one with as much of the end as there is room for.
        let current = self.ply.saturating_sub(1);
        let at_end = bottom.min(plies.saturating_sub(1));
        let top = if self.ply == plies { at_end } else { current.saturating_sub(height / 2).min(at_end) };
        self.scroll_max.set(bottom.saturating_sub(top) + revealing);
        self.scroll.set(self.scroll.get().min(self.scroll_max.get()));
        let top = top + self.scroll.get() - revealing.min(self.scroll.get());
        for (place, y) in (top..all).zip(body.top()..body.bottom()) {
            let area = Rect { y, height: 1, ..body };
            if let Some(place) = place.checked_sub(plies) {
                let style = if place == 0 { theme::STRONG } else { Style::new() };
                Line::styled(end[place].as_str(), style).render(area, buffer);
            } else if let Some(ply) = self.opened.story.plies().nth(place) {
                columns.line(&ply, place + 1, self.ply == place + 1, width).render(area, buffer);
            }
        }
        let is_more = top + height < all;
        if is_more && self.ply == plies {
            let place =
                Rect { x: body.right().saturating_sub(1), y: body.bottom().saturating_sub(1), width: 1, height: 1 };
            Line::styled("↓", theme::STRONG).render(place, buffer);
        }
    }
}

/// A column of space at the left, and one at the right.
fn inset(area: Rect) -> Rect {
    Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// The time of a full bar in microseconds, and what to say of it. The limit is a full bar unless all moves were far from it.
fn scale(slowest: Option<u64>, limit_ms: Option<u64>) -> (f64, String) {
    let Some(slowest) = slowest else { return (1.0, "none".to_owned()) };
    match limit_ms {
        Some(limit) if slowest >= limit.saturating_mul(1_000) / 8 => {
            let full = slowest.max(limit.saturating_mul(1_000));
            let over =
                if slowest > limit.saturating_mul(1_000) { format!("{} ms, ", time(slowest)) } else { String::new() };
            (full.max(1) as f64, format!("█ {over}limit {limit} ms"))
        }
        Some(limit) => (slowest.max(1) as f64, format!("█ {} ms, limit {limit} ms", time(slowest))),
        None => (slowest.max(1) as f64, format!("█ {} ms", time(slowest))),
    }
}
