//! The columns of a list of games, as wide as what they hold.

use std::fmt::Write as _;

use console::measure_text_width;

use super::{List, ListedGame};
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
pub struct ListColumns {
    shown: Vec<ListColumn>,
    bots: Vec<String>,
    reasons: Vec<String>,
    folders: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct ListColumn {
    kind: ListColumnKind,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListColumnKind {
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
const ALL: [(ListColumnKind, &str); 9] = [
    (ListColumnKind::Id, "id"),
    (ListColumnKind::Folder, "tournament"),
    (ListColumnKind::Round, "round"),
    (ListColumnKind::Bot(Seat::First), "first"),
    (ListColumnKind::Bot(Seat::Second), "second"),
    (ListColumnKind::Result, "result"),
    (ListColumnKind::Reason, "reason"),
    (ListColumnKind::Plies, "plies"),
    (ListColumnKind::Slowest, "slowest ms"),
];
/// What is left out where there is no room, the first of them first.
const DROPPED: [ListColumnKind; 5] = [
    ListColumnKind::Round,
    ListColumnKind::Slowest,
    ListColumnKind::Plies,
    ListColumnKind::Folder,
    ListColumnKind::Reason,
];

impl ListColumns {
    /// Columns for these games of `list`, in a terminal of this width: names are cut, and columns left out, where there is no
    /// room. Without a width nothing is cut.
    #[must_use]
    pub fn new(list: &List, games: &[u32], width: Option<usize>) -> Self {
        let words = |words: &super::NumberedWords| words.iter().map(shown).collect::<Vec<_>>();
        let folders = list.folders.iter().map(|folder| shown(folder)).collect();
        let reasons =
            list.reasons.iter().map(|both| shown(both.split_once('\n').map_or(both, |(_, words)| words))).collect();
        let mut columns = Self { shown: Vec::new(), bots: words(&list.bots), reasons, folders };
        let mut widths = columns.widths(list, games, width.is_some());
        if let Some(width) = width {
            fit(&mut widths, width);
        }
        columns.shown = widths;
        columns
    }

    /// The columns that have anything to show, as wide as these games need them.
    fn widths(&self, list: &List, games: &[u32], is_short: bool) -> Vec<ListColumn> {
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
        let of = |kind: ListColumnKind| match kind {
            ListColumnKind::Id if is_short => GameId::SHORT,
            ListColumnKind::Id => 16,
            ListColumnKind::Folder if self.folders.len() < 2 => 0,
            ListColumnKind::Folder => {
                self.folders.iter().map(|folder| measure_text_width(folder)).max().unwrap_or_default()
            }
            ListColumnKind::Round if round == 0 => 0,
            ListColumnKind::Round => digits(round),
            ListColumnKind::Bot(seat) => longest(&self.bots, &used[seat.index()]),
            ListColumnKind::Result => 7,
            ListColumnKind::Reason => longest(&self.reasons, &used[2]),
            ListColumnKind::Plies => digits(plies),
            ListColumnKind::Slowest => millis(slowest).len(),
        };
        let limit = if is_short { NAME_WIDTH_MAX } else { usize::MAX };
        let all = ALL.into_iter().map(|(kind, head)| (kind, head, of(kind)));
        let all = all.filter(|(.., width)| *width > 0);
        all.map(|(kind, head, width)| ListColumn { kind, width: width.max(head.len()).min(limit) }).collect()
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
    pub fn write(&self, row: &ListedGame, line: &mut String) {
        let mut number = String::new();
        for (place, column) in self.shown.iter().enumerate() {
            number.clear();
            let text = match column.kind {
                ListColumnKind::Id => {
                    let _ = write!(number, "{}", row.id);
                    number.truncate(column.width);
                    &number
                }
                ListColumnKind::Folder => self.folders.get(usize::from(row.folder)).map_or("", String::as_str),
                ListColumnKind::Round => count(row.round, &mut number),
                ListColumnKind::Bot(seat) => self.bots.get(row.bots[seat.index()] as usize).map_or("", String::as_str),
                ListColumnKind::Result => row.result.name(),
                ListColumnKind::Reason => self.reasons.get(row.reason as usize).map_or("", String::as_str),
                ListColumnKind::Plies => {
                    let _ = write!(number, "{}", row.plies);
                    &number
                }
                ListColumnKind::Slowest => {
                    number = row.slowest_us.map(millis).unwrap_or_default();
                    &number
                }
            };
            column.write(text, place > 0, line);
        }
        line.truncate(line.trim_end().len());
    }
}

impl ListColumn {
    const fn is_left(self) -> bool {
        !matches!(self.kind, ListColumnKind::Round | ListColumnKind::Plies | ListColumnKind::Slowest)
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
fn fit(columns: &mut Vec<ListColumn>, width: usize) {
    let total = |columns: &[ListColumn]| {
        columns.iter().map(|column| column.width).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
    };
    let is_name = |column: &ListColumn| {
        matches!(column.kind, ListColumnKind::Bot(_) | ListColumnKind::Reason | ListColumnKind::Folder)
    };
    let mut dropped = DROPPED.into_iter();
    loop {
        let surplus = total(columns).saturating_sub(width);
        if surplus == 0 {
            return;
        }
        let spare = |column: &ListColumn| if is_name(column) { column.width.saturating_sub(NAME_WIDTH_MIN) } else { 0 };
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
    use crate::record::GameResult;

    fn list() -> List {
        let mut list = List { folders: vec!["t".to_owned()], ..List::default() };
        let games = [
            ("greedy", "a bot with quite a long name, which is cut", GameResult::FirstWins, Some(12_345)),
            ("盤上の策士", "\u{1b}[31m", GameResult::Draw, None),
        ];
        for (first, second, result, slowest_us) in games {
            let bots = [first, second].map(|name| list.bots.number(name));
            let reason = list.reason("line", "connect4".parse().ok().as_ref());
            let id = GameId::of("0123456789abcdef");
            let row = ListedGame { slowest_us, round: 10, result, ..ListedGame::sample(id, bots, reason) };
            list.rows.push(row);
        }
        list
    }

    fn lines(width: Option<usize>) -> String {
        let list = list();
        let columns = ListColumns::new(&list, &[0, 1], width);
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
        id                round  first       second                                      result   reason         plies  slowest ms
        0123456789abcdef     10  greedy      a bot with quite a long name, which is cut  1-0      four in a row      9      12.345
        0123456789abcdef     10  盤上の策士  \u{1b}[31m                                  1/2-1/2  four in a row      9
        ");
        insta::assert_snapshot!(lines(Some(80)), @r"
        id        round  first       second       result   reason      plies  slowest ms
        01234567     10  greedy      a bot with…  1-0      four in a…      9      12.345
        01234567     10  盤上の策士  \u{1b}[31m   1/2-1/2  four in a…      9
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
        assert!(!ListColumns::new(&list, &[0], None).head().contains("round"));
        list.folders.push("other".to_owned());
        assert!(ListColumns::new(&list, &[0], None).head().contains("tournament"));
    }
}
