//! The columns of a list of games, as wide as what they hold.

use std::fmt::Write as _;

use console::measure_text_width;

use super::{List, Row};
use crate::event::GameId;
use crate::rules::Seat;
use crate::text::{cut, millis, shown};
use crate::views::padded;

/// Columns of the longest name or reason that is shown whole.
const NAME_WIDTH_MAX: usize = 40;
/// Columns of the shortest name that is worth a column.
const NAME_WIDTH_MIN: usize = 8;
/// Between columns.
const GAP: &str = "  ";

/// Columns for some games of a list.
#[derive(Debug, Clone)]
pub struct Columns {
    shown: Vec<Column>,
    bots: Vec<String>,
    reasons: Vec<String>,
    folders: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Column {
    kind: Kind,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Id,
    Folder,
    Round,
    Bot(Seat),
    Result,
    Reason,
    Plies,
    Slowest,
}

/// All columns, from left to right, with their heads.
const ALL: [(Kind, &str); 9] = [
    (Kind::Id, "id"),
    (Kind::Folder, "tournament"),
    (Kind::Round, "round"),
    (Kind::Bot(Seat::First), "first"),
    (Kind::Bot(Seat::Second), "second"),
    (Kind::Result, "result"),
    (Kind::Reason, "reason"),
    (Kind::Plies, "plies"),
    (Kind::Slowest, "slowest ms"),
];
/// What is left out where there is no room, the first of them first.
const DROPPED: [Kind; 5] = [Kind::Round, Kind::Slowest, Kind::Plies, Kind::Folder, Kind::Reason];

impl Columns {
    /// Columns for these games of `list`, in a terminal of this width: names are cut, and columns left out, where there is no
    /// room. Without a width nothing is cut.
    #[must_use]
    pub fn new(list: &List, games: &[u32], width: Option<usize>) -> Self {
        let words = |words: &super::Words| words.iter().map(shown).collect::<Vec<_>>();
        let folders = list.folders.iter().map(|folder| shown(folder)).collect();
        let mut columns = Self { shown: Vec::new(), bots: words(&list.bots), reasons: words(&list.reasons), folders };
        let mut widths = columns.widths(list, games, width.is_some());
        if let Some(width) = width {
            fit(&mut widths, width);
        }
        columns.shown = widths;
        columns
    }

    /// The columns that have anything to show, as wide as these games need them.
    fn widths(&self, list: &List, games: &[u32], is_short: bool) -> Vec<Column> {
        let rows = || games.iter().filter_map(|game| list.rows.get(*game as usize));
        let mut used = [vec![false; self.bots.len()], vec![false; self.bots.len()], vec![false; self.reasons.len()]];
        let (mut round, mut plies, mut slowest) = (0, 0, 0);
        for row in rows() {
            for (used, number) in used.iter_mut().zip([row.bots[0], row.bots[1], row.reason]) {
                used[number as usize] = true;
            }
            (round, plies) = (row.round.max(round), row.plies.max(plies));
            slowest = row.slowest_us.unwrap_or_default().max(slowest);
        }
        let longest = |words: &[String], used: &[bool]| {
            let used = words.iter().zip(used).filter(|(_, used)| **used);
            used.map(|(word, _)| measure_text_width(word)).max().unwrap_or_default()
        };
        let of = |kind: Kind| match kind {
            Kind::Id if is_short => GameId::SHORT,
            Kind::Id => 16,
            Kind::Folder if self.folders.len() < 2 => 0,
            Kind::Folder => self.folders.iter().map(|folder| measure_text_width(folder)).max().unwrap_or_default(),
            Kind::Round if round == 0 => 0,
            Kind::Round => digits(round),
            Kind::Bot(seat) => longest(&self.bots, &used[seat.index()]),
            Kind::Result => 7,
            Kind::Reason => longest(&self.reasons, &used[2]),
            Kind::Plies => digits(plies),
            Kind::Slowest => millis(slowest).len(),
        };
        let limit = if is_short { NAME_WIDTH_MAX } else { usize::MAX };
        let all = ALL.into_iter().map(|(kind, head)| (kind, head, of(kind)));
        let all = all.filter(|(.., width)| *width > 0);
        all.map(|(kind, head, width)| Column { kind, width: width.max(head.len()).min(limit) }).collect()
    }

    /// The heads of the columns.
    #[must_use]
    pub fn head(&self) -> String {
        let mut line = String::new();
        for (place, column) in self.shown.iter().enumerate() {
            let head = ALL.iter().find(|(kind, _)| *kind == column.kind).map_or("", |(_, head)| head);
            column.write(head, place > 0, &mut line);
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Appends the line of a game to `line`, without a newline.
    pub fn write(&self, row: &Row, line: &mut String) {
        let mut number = String::new();
        for (place, column) in self.shown.iter().enumerate() {
            number.clear();
            let text = match column.kind {
                Kind::Id => {
                    let _ = write!(number, "{}", row.id);
                    number.truncate(column.width);
                    &number
                }
                Kind::Folder => self.folders.get(usize::from(row.folder)).map_or("", String::as_str),
                Kind::Round => count(row.round, &mut number),
                Kind::Bot(seat) => self.bots.get(row.bots[seat.index()] as usize).map_or("", String::as_str),
                Kind::Result => row.result.name(),
                Kind::Reason => self.reasons.get(row.reason as usize).map_or("", String::as_str),
                Kind::Plies => {
                    let _ = write!(number, "{}", row.plies);
                    &number
                }
                Kind::Slowest => {
                    number = row.slowest_us.map(millis).unwrap_or_default();
                    &number
                }
            };
            column.write(text, place > 0, line);
        }
        line.truncate(line.trim_end().len());
    }
}

impl Column {
    const fn is_left(self) -> bool {
        !matches!(self.kind, Kind::Round | Kind::Plies | Kind::Slowest)
    }

    /// Appends a cell, and before it what is between columns.
    fn write(self, text: &str, has_gap: bool, line: &mut String) {
        if has_gap {
            line.push_str(GAP);
        }
        line.push_str(&padded(&cut(text, self.width), self.width, self.is_left()));
    }
}

/// Makes columns as narrow as `width`: first names become shorter, then columns are left out.
fn fit(columns: &mut Vec<Column>, width: usize) {
    let total = |columns: &[Column]| {
        columns.iter().map(|column| column.width).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
    };
    let is_name = |column: &Column| matches!(column.kind, Kind::Bot(_) | Kind::Reason | Kind::Folder);
    let mut dropped = DROPPED.into_iter();
    loop {
        let surplus = total(columns).saturating_sub(width);
        if surplus == 0 {
            return;
        }
        let spare = |column: &Column| if is_name(column) { column.width.saturating_sub(NAME_WIDTH_MIN) } else { 0 };
        if columns.iter().map(spare).sum::<usize>() >= surplus {
            for _ in 0..surplus {
                if let Some(widest) = columns.iter_mut().filter(|column| is_name(column)).max_by_key(|it| it.width) {
                    widest.width -= 1;
                }
            }
            return;
        }
        match dropped.next() {
            Some(kind) => columns.retain(|column| column.kind != kind),
            None => return,
        }
    }
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// A number from 1, or nothing.
fn count(number: u32, text: &mut String) -> &str {
    if number > 0 {
        let _ = write!(text, "{number}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameResult, Status};

    fn list() -> List {
        let mut list = List { folders: vec!["t".to_owned()], ..List::default() };
        let games = [
            ("greedy", "a bot with quite a long name, which is cut", GameResult::FirstWins, Some(12_345)),
            ("盤上の策士", "\u{1b}[31m", GameResult::Draw, None),
        ];
        for (first, second, result, slowest_us) in games {
            let bots = [first, second].map(|name| list.bots.number(name));
            let reason = list.reasons.number("line");
            let id = GameId::of("0123456789abcdef");
            let statuses = [Status::Ok; 2];
            let row = Row { id, slowest_us, round: 10, pair: 1, bots, plies: 9, reason, folder: 0, result, statuses };
            list.rows.push(row);
        }
        list
    }

    fn lines(width: Option<usize>) -> String {
        let list = list();
        let columns = Columns::new(&list, &[0, 1], width);
        let mut text = columns.head();
        for row in &list.rows {
            let mut line = String::new();
            columns.write(row, &mut line);
            assert!(width.is_none_or(|width| measure_text_width(&line) <= width), "{line}");
            text.push('\n');
            text.push_str(&line);
        }
        text
    }

    #[test]
    fn columns_are_as_wide_as_what_they_hold() {
        insta::assert_snapshot!(lines(None), @r"
        id                round  first       second                                      result   reason  plies  slowest ms
        0123456789abcdef     10  greedy      a bot with quite a long name, which is cut  1-0      line        9      12.345
        0123456789abcdef     10  盤上の策士  \u{1b}[31m                                  1/2-1/2  line        9
        ");
        insta::assert_snapshot!(lines(Some(80)), @r"
        id        round  first       second           result   reason  plies  slowest ms
        01234567     10  greedy      a bot with qui…  1-0      line        9      12.345
        01234567     10  盤上の策士  \u{1b}[31m       1/2-1/2  line        9
        ");
        insta::assert_snapshot!(lines(Some(38)), @r"
        id        first      second    result
        01234567  greedy     a bot w…  1-0
        01234567  盤上の策…  \u{1b}[…  1/2-1/2
        ");
    }

    #[test]
    fn what_has_nothing_to_show_has_no_column() {
        let mut list = list();
        list.rows.iter_mut().for_each(|row| row.round = 0);
        assert!(!Columns::new(&list, &[0], None).head().contains("round"));
        list.folders.push("other".to_owned());
        assert!(Columns::new(&list, &[0], None).head().contains("tournament"));
    }
}
