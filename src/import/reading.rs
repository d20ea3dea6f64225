//! Collects the games of all files, and their pairs.

use std::collections::HashMap;

use super::labels::Labels;
use super::names::PlayerNames;
use super::{Game, GameTable, ImportError, PairMode, Paired, TableError};
use crate::record::GameResult;
use crate::stats::Duplicates;
use crate::text::shown;

/// Maximum number of rows of all tables together. Numbers of pairs and players then fit into 32 bits.
pub(super) const ROWS_MAX: u32 = 1 << 30;

/// A game as read.
pub(super) struct Row<'a> {
    /// Its line in the file.
    pub(super) line: u64,
    /// The names of the players by seat.
    pub(super) players: [&'a [u8]; 2],
    /// `None` if it was not finished.
    pub(super) result: Option<GameResult>,
    pub(super) label: Label<'a>,
    /// The text that identifies its opening.
    pub(super) opening: Option<&'a [u8]>,
    /// A hash of its moves, if known.
    pub(super) moves: Option<[u8; 16]>,
    pub(super) forfeit: bool,
    pub(super) rated: bool,
}

/// How a row identifies its pair.
pub(super) enum Label<'a> {
    /// By the row before or after.
    Neighbour,
    /// By a text. Without one the game has no partner.
    Text(&'a [u8]),
    /// By a number within the file.
    Number(u32),
}

/// The first row of two.
struct HalfPair {
    players: [u32; 2],
    line: u64,
    /// Whether it is a game that counts.
    counts: bool,
}

/// State while rows are read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) pairs: PairMode,
    names: PlayerNames,
    table: GameTable,
    labels: Labels,
    /// Openings by a hash of their text, which identifies an opening across tables.
    openings: HashMap<[u8; 16], u32>,
    /// Games by number, each with a hash of its moves, if they are known.
    moves: Vec<(u32, [u8; 16])>,
    rows: u32,
    /// The last row, if it is the first of two.
    first_of_pair: Option<HalfPair>,
    /// Number of swapped pairs of rows, of single games at the end of a table, and of pairs by rounds.
    swapped: usize,
    halves: usize,
    by_rounds: usize,
    paired: Option<Paired>,
    /// The first rows that are not a swapped pair: the table, and a description with the lines.
    unswapped: Option<(String, String)>,
    /// Number of games of the earlier tables.
    games_before: usize,
}

impl Reading {
    pub(super) fn new(pairs: PairMode) -> Self {
        Self { pairs, ..Self::default() }
    }

    /// Begins a table whose games are paired in this way.
    pub(super) fn begin(&mut self, paired: Paired) -> Result<(), TableError> {
        let before = *self.paired.get_or_insert(paired);
        if before != paired {
            let what = format!(
                "its games are paired by {}, those of another file by {}; rate them separately, or use --pairs",
                basis(paired),
                basis(before)
            );
            return Err(TableError::Row { line: 1, what });
        }
        // The rows of a table begin with the first game of a pair.
        self.rows += self.rows % 2;
        self.games_before = self.table.games.len();
        Ok(())
    }

    /// Adds a row of the named table; returns a description of its error.
    pub(super) fn add(&mut self, table: &str, row: &Row<'_>) -> Result<(), String> {
        let [first, second] = self.names.numbers(row.players)?;
        if first == second {
            let name = shown(&String::from_utf8_lossy(row.players[0]));
            return Err(format!("`{name}` plays against itself"));
        }
        let counts = !matches!(row.result, None | Some(GameResult::Void));
        self.pair_up(table, HalfPair { players: [first, second], line: row.line, counts });
        let (cluster, is_unpaired) = match row.label {
            // Twice the number of the pair; `finish` decides whether rows are paired.
            Label::Neighbour => (self.rows, false),
            Label::Text(label) if label.trim_ascii().is_empty() => (self.labels.unlabelled(), true),
            Label::Text(label) => (self.labels.labelled(label), false),
            Label::Number(number) => (Labels::numbered(number), false),
        };
        self.rows += 1;
        if self.rows > ROWS_MAX {
            return Err(format!("there are more than {ROWS_MAX} rows in all"));
        }
        let Some(result) = row.result else {
            self.table.unfinished += 1;
            return Ok(());
        };
        if result == GameResult::Void {
            self.table.void += 1;
            return Ok(());
        }
        if let Some(moves) = row.moves.filter(|_| row.rated) {
            self.moves.push((self.table.games.len() as u32, moves));
        }
        let opening = row.opening.and_then(|opening| self.opening(opening));
        self.table.unpaired += usize::from(is_unpaired);
        let Row { forfeit, rated, .. } = *row;
        self.table.games.push(Game { first, second, pair: cluster, cluster, opening, result, forfeit, rated });
        Ok(())
    }

    /// Notes whether this row and the one before it have swapped seats.
    fn pair_up(&mut self, table: &str, row: HalfPair) {
        let Some(before) = self.first_of_pair.take() else {
            self.first_of_pair = Some(row);
            return;
        };
        let [first, second] = row.players;
        if before.players == [second, first] {
            self.swapped += 1;
        } else {
            let (before, line) = (before.line, row.line);
            let what = || format!("lines {before} and {line} are not the two games of a pair with seats swapped");
            self.unswapped.get_or_insert_with(|| (table.to_owned(), what()));
        }
    }

    /// Ends a table. If `by_label`, clusters are in the order of the labels.
    pub(super) fn end(&mut self, by_label: bool) {
        // Its second row is missing: a single game.
        self.halves += usize::from(self.first_of_pair.take().is_some_and(|half| half.counts));
        if matches!(self.paired, Some(Paired::ByColumn | Paired::ByRound)) {
            self.labels.end_table(&mut self.table.games[self.games_before..], by_label);
        }
    }

    /// Notes the pairs of a table by its rounds, and its games without a partner.
    pub(super) fn by_rounds(&mut self, pairs: usize, unpaired: usize) {
        self.by_rounds += pairs;
        self.table.unpaired += unpaired;
    }

    /// Returns the number of an opening; `None` for an empty cell, which means unknown.
    fn opening(&mut self, cell: &[u8]) -> Option<u32> {
        let next = self.openings.len() as u32;
        (!cell.trim_ascii().is_empty()).then(|| *self.openings.entry(hash(cell)).or_insert(next))
    }

    /// Moves games that repeat another one to its cluster: that of the lowest pair.
    fn find_duplicates(&mut self) {
        let games = &mut self.table.games;
        self.moves.sort_by_key(|(game, _)| games[*game as usize].cluster);
        let mut duplicates = Duplicates::default();
        for game in &mut *games {
            game.pair = game.cluster;
        }
        for (game, moves) in self.moves.drain(..) {
            let game = &mut games[game as usize];
            game.cluster = duplicates.add([game.first as usize, game.second as usize], moves, game.cluster);
        }
        self.table.repeated = duplicates.total();
    }

    /// How the games are paired, with all of them known.
    fn paired(&mut self) -> Result<Paired, ImportError> {
        let only_halves = self.swapped == 0 && self.halves > 0;
        Ok(match (self.pairs, self.paired, self.unswapped.take()) {
            // Labels that are all different, or missing, pair nothing.
            (_, Some(Paired::ByColumn), _) if self.labels.is_empty() => Paired::NotAtAll,
            (_, Some(Paired::ByRound), _) if self.by_rounds == 0 => Paired::NotAtAll,
            (_, Some(paired @ (Paired::ByColumn | Paired::ByRound)), _) => paired,
            (PairMode::Guess, _, None) if only_halves => Paired::NotAtAll,
            (PairMode::Guess | PairMode::Consecutive, _, None) => Paired::Consecutively,
            (PairMode::Consecutive, _, Some((table, what))) => {
                return Err(ImportError { table, source: TableError::NotAPair(what) });
            }
            (PairMode::Guess | PairMode::None, _, _) => Paired::NotAtAll,
        })
    }

    pub(super) fn finish(mut self) -> Result<(GameTable, Paired), ImportError> {
        let paired = self.paired()?;
        if paired == Paired::Consecutively {
            self.table.games.iter_mut().for_each(|game| game.cluster /= 2);
            self.table.unpaired += self.halves;
        }
        self.find_duplicates();
        self.names.sort_into(&mut self.table);
        Ok((self.table, paired))
    }
}

/// A short hash: texts of any length take the same memory.
fn hash(text: &[u8]) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text).as_bytes()[..16]);
    hash
}

/// Describes the basis of a table's pairs.
fn basis(paired: Paired) -> &'static str {
    match paired {
        Paired::ByColumn => "the column `pair`",
        Paired::ByRound => "the tag `Round`",
        Paired::Consecutively | Paired::NotAtAll => "the order of the rows",
    }
}
