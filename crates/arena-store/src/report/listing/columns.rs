//! The columns of a list of games, as wide as what they hold.

use std::borrow::Cow;
use std::collections::HashMap;

use arena_core::event::GameId;
use arena_core::rules::Seat;
use arena_core::text::{cut, millis, shown};
use arena_show::views::padded;
use console::measure_text_width;

use super::{List, ListedGame};

/// Columns of the longest name or reason that is shown whole.
const NAME_WIDTH_MAX: usize = 40;
/// Columns of the shortest name that is worth a column.
const NAME_WIDTH_MIN: usize = 8;
/// Between columns.
const GAP: &str = "  ";

/// Columns for some games of a list.
#[derive(Debug, Clone)]
pub struct ListColumns {
    /// Those shown, from left to right, and their widths.
    shown: Vec<(ListColumn, usize)>,
    bots: Vec<String>,
    reasons: Vec<String>,
    folders: Vec<String>,
    /// For each game that has some, the plies after which the bots that are asked for gave the result away.
    given_away: HashMap<(u16, GameId), String>,
}

/// A column: its head, when it is left out where there is no room (the first of them 1, and 0 stays), the kind of its cells, and its
/// text for a game in some width.
type ListColumn = (&'static str, u8, CellKind, for<'a> fn(&'a ListColumns, &ListedGame, usize) -> Cow<'a, str>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    /// Words of one width.
    Word,
    /// What may be cut.
    Name,
    /// To the right.
    Number,
}

/// All columns, from left to right.
const ALL: [ListColumn; 10] = [
    ("id", 0, CellKind::Word, |_, row, width| row.id.to_string().chars().take(width).collect()),
    ("tournament", 4, CellKind::Name, |all, row, _| word(&all.folders, row.folder.into())),
    ("round", 1, CellKind::Number, |_, row, _| if row.round > 0 { row.round.to_string().into() } else { "".into() }),
    ("first", 0, CellKind::Name, |all, row, _| word(&all.bots, row.bots[0])),
    ("second", 0, CellKind::Name, |all, row, _| word(&all.bots, row.bots[1])),
    ("result", 0, CellKind::Word, |_, row, _| row.result.name().into()),
    ("reason", 5, CellKind::Name, |all, row, _| word(&all.reasons, row.reason)),
    ("plies", 3, CellKind::Number, |_, row, _| row.plies.to_string().into()),
    ("slowest ms", 2, CellKind::Number, |_, row, _| row.slowest_us.map(millis).unwrap_or_default().into()),
    ("gave away after ply", 0, CellKind::Name, |all, row, _| {
        all.given_away.get(&(row.folder, row.id)).map_or("", String::as_str).into()
    }),
];

fn word(words: &[String], number: u32) -> Cow<'_, str> {
    words.get(number as usize).map_or("", String::as_str).into()
}

impl ListColumns {
    /// Columns for these games of `list`, in a terminal of this width: names are cut, and columns left out, where there is no
    /// room. Without a width nothing is cut. `gave` says of each bot whether the moves are wanted with which it gave results
    /// away ([`Filter::gave`](super::Filter::gave)).
    #[must_use]
    pub fn new(list: &List, games: &[u32], gave: Option<&[bool]>, width: Option<usize>) -> Self {
        let reason = |both: &str| shown(both.split_once('\n').map_or(both, |(_, words)| words));
        let mut columns = Self {
            shown: Vec::new(),
            bots: list.bots.iter().map(shown).collect(),
            reasons: list.reasons.iter().map(reason).collect(),
            folders: list.folders.iter().map(|folder| shown(folder)).collect(),
            given_away: gave.map(|bots| given_away(list, games, bots)).unwrap_or_default(),
        };
        let limit = if width.is_some() { NAME_WIDTH_MAX } else { usize::MAX };
        let widths = columns.widths(list, games, width.is_some());
        let all = ALL.into_iter().zip(widths).filter(|(_, width)| *width > 0);
        columns.shown = all.map(|(column, width)| (column, width.max(column.0.len()).min(limit))).collect();
        if let Some(width) = width {
            fit(&mut columns.shown, width);
        }
        columns
    }

    /// How wide these games need each of [`ALL`]; 0 for a column that has nothing to show.
    fn widths(&self, list: &List, games: &[u32], is_short: bool) -> [usize; ALL.len()] {
        let mut used = [vec![false; self.bots.len()], vec![false; self.bots.len()], vec![false; self.reasons.len()]];
        let (mut round, mut plies, mut slowest) = (0, 0, 0);
        for row in games.iter().filter_map(|game| list.rows.get(*game as usize)) {
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
        let folders = vec![self.folders.len() > 1; self.folders.len()];
        [
            if is_short { GameId::SHORT } else { 16 },
            longest(&self.folders, &folders),
            if round == 0 { 0 } else { digits(round) },
            longest(&self.bots, &used[0]),
            longest(&self.bots, &used[1]),
            7,
            longest(&self.reasons, &used[2]),
            digits(plies),
            millis(slowest).len(),
            self.given_away.values().map(String::len).max().unwrap_or_default(),
        ]
    }

    /// The heads of the columns.
    #[must_use]
    pub fn head(&self) -> String {
        let mut line = String::new();
        self.line(&mut line, |(head, ..), _| (*head).into());
        line
    }

    /// Appends the line of a game to `line`, without a newline.
    pub fn write(&self, row: &ListedGame, line: &mut String) {
        self.line(line, |(.., text), width| text(self, row, width));
    }

    /// Appends these texts.
    fn line<'a>(&self, line: &mut String, text: impl Fn(&ListColumn, usize) -> Cow<'a, str>) {
        for (place, (column, width)) in self.shown.iter().enumerate() {
            line.push_str(if place > 0 { GAP } else { "" });
            line.push_str(&padded(&cut(&text(column, *width), *width), *width, column.2 != CellKind::Number));
        }
        line.truncate(line.trim_end().len());
    }
}

/// Of each of these games, the plies after which one of these bots gave the result away.
fn given_away(list: &List, games: &[u32], bots: &[bool]) -> HashMap<(u16, GameId), String> {
    let rows = games.iter().filter_map(|game| list.rows.get(*game as usize));
    let plies = |row: &ListedGame| {
        let is_wanted = |seat: Seat| bots.get(row.bots[seat.index()] as usize) == Some(&true);
        let given = list.given_away.get(&(row.folder, row.id))?.iter().filter(|(seat, _)| is_wanted(*seat));
        Some(((row.folder, row.id), given.map(|(_, ply)| ply.to_string()).collect::<Vec<_>>().join(" ")))
    };
    rows.filter_map(plies).collect()
}

/// Makes columns as narrow as `width`: first names become shorter, then columns are left out.
fn fit(columns: &mut Vec<(ListColumn, usize)>, width: usize) {
    for dropped in 1.. {
        let total = columns.iter().map(|(_, own)| own + GAP.len()).sum::<usize>().saturating_sub(GAP.len());
        let surplus = total.saturating_sub(width);
        let mut names: Vec<&mut usize> =
            columns.iter_mut().filter(|((_, _, kind, _), _)| *kind == CellKind::Name).map(|(_, own)| own).collect();
        if names.iter().map(|own| own.saturating_sub(NAME_WIDTH_MIN)).sum::<usize>() >= surplus {
            for _ in 0..surplus {
                if let Some(widest) = names.iter_mut().max_by_key(|own| ***own) {
                    **widest -= 1;
                }
            }
            return;
        }
        if columns.iter().all(|((_, drop, ..), _)| *drop < dropped) {
            return;
        }
        columns.retain(|((_, drop, ..), _)| *drop != dropped);
    }
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use arena_core::record::GameResult;

    use super::*;

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
        let columns = ListColumns::new(&list, &[0, 1], None, width);
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
        assert!(!ListColumns::new(&list, &[0], None, None).head().contains("round"));
        list.folders.push("other".to_owned());
        assert!(ListColumns::new(&list, &[0], None, None).head().contains("tournament"));
    }

    #[test]
    fn the_plies_of_moves_that_gave_the_result_away_are_those_of_the_bots_that_are_asked_for() {
        let mut list = list();
        let id = list.rows[0].id;
        list.rows.truncate(1);
        list.given_away.insert((0, id), vec![(Seat::First, 6), (Seat::Second, 9), (Seat::First, 12)]);
        let line = |gave: Option<&[bool]>| {
            let columns = ListColumns::new(&list, &[0], gave, None);
            let mut line = columns.head();
            columns.write(&list.rows[0], &mut line);
            line
        };
        assert!(
            line(Some(&[true, false])).contains("gave away after ply")
                && line(Some(&[true, false])).ends_with("  6 12")
        );
        assert!(line(Some(&[false, true])).ends_with("  9") && line(Some(&[true, true])).ends_with("  6 9 12"));
        assert!(!line(None).contains("gave"));
    }
}
