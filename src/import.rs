//! Imports tables of games written by other tools: CSV with the columns `white,black,result` or `first,second,result`,
//! and optionally `pair`. Pure: bytes in, games out.
//!
//! ```
//! use arena::import::{PairMode, Paired, read_all};
//!
//! let csv = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\n";
//! let (table, paired) = read_all([("games.csv".to_owned(), csv.as_bytes())], PairMode::Guess)?;
//! assert_eq!(table.names, [b"ann", b"bob"]);
//! assert_eq!((table.games.len(), paired), (2, Paired::Consecutively));
//! # Ok::<(), arena::import::ImportError>(())
//! ```

mod columns;
mod labels;
mod lines;
mod names;

use std::collections::HashMap;
use std::io::Read;

use csv::ByteRecord;
use thiserror::Error;

use columns::{Columns, result};
use labels::Labels;
use lines::LineCounter;
use names::PlayerNames;

use crate::record::GameResult;
use crate::stats::Duplicates;
use crate::text::shown;

/// Maximum number of rows of all tables together. Numbers of pairs and players then fit into 32 bits.
const ROWS_MAX: u32 = 1 << 30;

/// Which games form a pair: two games of the same opening with seats swapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairMode {
    /// By the column `pair` if there is one; otherwise every two rows if each two have swapped seats; otherwise none.
    #[default]
    Guess,
    /// Every two rows.
    Consecutive,
    /// None: every game is independent.
    None,
}

/// How the games of a table were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paired {
    /// By the column `pair`, in which at least one cell is not empty.
    ByColumn,
    /// Every two rows.
    Consecutively,
    /// Not at all.
    NotAtAll,
}

/// One game of the table, with players by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// Number of the player who moved first.
    pub first: u32,
    /// Number of the player who moved second.
    pub second: u32,
    /// Number of its pair.
    pub pair: u32,
    /// Number of its cluster of evidence: the games of a pair, and games that repeat another move for move.
    pub cluster: u32,
    /// Number of its opening, from 0, if known.
    pub opening: Option<u32>,
    /// The result; never void.
    pub result: GameResult,
    /// Whether the loser lost by a fault.
    pub forfeit: bool,
    /// Whether it counts for ratings: neither player was withdrawn.
    pub rated: bool,
}

/// A table of games.
#[derive(Debug, Default)]
pub struct GameTable {
    /// Names of the players, byte for byte, in ascending order.
    pub names: Vec<Vec<u8>>,
    /// The games in the order of the rows.
    pub games: Vec<Game>,
    /// Number of void games, which are left out.
    pub void: usize,
    /// Number of games without a partner: their cell in the column `pair` is empty.
    pub unpaired: usize,
    /// Number of games that repeat an earlier one, if the table has a column `moves`.
    pub repeated: u64,
}

/// A table that cannot be imported.
#[derive(Debug, Error)]
#[error("games {table}")]
pub struct ImportError {
    /// Name of the table.
    pub table: String,
    /// What is wrong with it.
    pub source: TableError,
}

/// What is wrong with a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// It cannot be read, or is not CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// There is no header.
    #[error("it is empty; the first line must name the columns: white,black,result or first,second,result")]
    Empty,
    /// The header has more than one column of the same meaning.
    #[error("the header has {0} more than once; keep one of them")]
    TwoColumns(String),
    /// A column is missing.
    #[error("the header has no column {wanted}; it has: {found}")]
    Column {
        /// Name of the missing column.
        wanted: &'static str,
        /// The columns of the header.
        found: String,
    },
    /// A row is invalid.
    #[error("line {line}: {what}")]
    Row {
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong, and what is accepted.
        what: String,
    },
    /// Rows that should be pairs are not.
    #[error("{0}; use --pairs none, or add a column `pair`")]
    NotAPair(String),
}

/// Reads named tables as if they were one.
///
/// # Errors
///
/// Returns the table that is invalid, with the line and the reason.
pub fn read_all(
    inputs: impl IntoIterator<Item = (String, impl Read)>,
    pairs: PairMode,
) -> Result<(GameTable, Paired), ImportError> {
    let mut reading = Reading { pairs, ..Reading::default() };
    for (table, input) in inputs {
        reading.read(&table, input).map_err(|source| ImportError { table, source })?;
    }
    reading.finish()
}

/// State while rows are read.
#[derive(Default)]
struct Reading {
    pairs: PairMode,
    names: PlayerNames,
    table: GameTable,
    labels: Labels,
    /// Openings by text, which identifies an opening across tables.
    openings: HashMap<Vec<u8>, u32>,
    /// Games by number, each with a hash of its moves, if the table has moves.
    moves: Vec<(u32, [u8; 16])>,
    rows: u32,
    /// The players and the line of the last row, if it is the first of two.
    first_of_pair: Option<([u32; 2], u64)>,
    paired: Option<Paired>,
    /// The first rows that are not a swapped pair: the table, and a description with the lines.
    unswapped: Option<(String, String)>,
}

impl Reading {
    fn read(&mut self, name: &str, input: impl Read) -> Result<(), TableError> {
        // The CSV reader's own line numbers are wrong after empty lines and with CRLF, and its message about rows of
        // different lengths is meant for programmers.
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(LineCounter::new(input));
        let mut columns = Columns::find(reader.byte_headers()?)?;
        columns.pair = columns.pair.filter(|_| self.pairs == PairMode::Guess);
        let paired = if columns.pair.is_some() { Paired::ByColumn } else { Paired::Consecutively };
        if *self.paired.get_or_insert(paired) != paired {
            let what =
                "this table has a column `pair` and another has none; rate them apart, or use --pairs".to_owned();
            return Err(TableError::Row { line: 1, what });
        }
        // The rows of a table begin with the first game of a pair.
        self.rows += self.rows % 2;
        let games_before = self.table.games.len();
        let mut row = ByteRecord::new();
        while reader.read_byte_record(&mut row)? {
            let byte = row.position().map_or(0, csv::Position::byte);
            let line = reader.get_mut().line_at(byte);
            self.read_row(name, line, &row, &columns).map_err(|what| TableError::Row { line, what })?;
        }
        if let Some((_, line)) = self.first_of_pair.take() {
            let what = || (name.to_owned(), format!("the row on line {line} has no second row to form a pair"));
            self.unswapped.get_or_insert_with(what);
        }
        if columns.pair.is_some() {
            self.labels.end_table(&mut self.table.games[games_before..], columns.moves.is_some());
        }
        Ok(())
    }

    /// Reads a row of the named table; returns what is wrong with it.
    fn read_row(&mut self, table: &str, line: u64, row: &ByteRecord, columns: &Columns) -> Result<(), String> {
        let (width, found) = (columns.width, row.len());
        if found != width {
            return Err(format!(
                "the header has {width} columns and this row {found}; a name with a comma or a quote must be quoted: \
                 \"a, b\""
            ));
        }
        let [first, second] = self.names.numbers([&row[columns.first], &row[columns.second]])?;
        if first == second {
            let name = shown(&String::from_utf8_lossy(&row[columns.first]));
            return Err(format!("`{name}` plays against itself"));
        }
        match self.first_of_pair.take() {
            None => self.first_of_pair = Some(([first, second], line)),
            Some((players, _)) if players == [second, first] => {}
            Some((_, before)) => {
                let what = || format!("lines {before} and {line} are not the two games of a pair with seats swapped");
                self.unswapped.get_or_insert_with(|| (table.to_owned(), what()));
            }
        }
        let label = columns.pair.map(|column| &row[column]);
        let unpaired = label.is_some_and(|label| label.trim_ascii().is_empty());
        let cluster = match label {
            Some(_) if unpaired => self.labels.unlabelled(),
            Some(label) => self.labels.labelled(label),
            // Twice the number of the pair; `finish` decides whether rows are paired.
            None => self.rows,
        };
        self.rows += 1;
        if self.rows > ROWS_MAX {
            return Err(format!("there are more than {ROWS_MAX} rows in all"));
        }
        let result = result(&row[columns.result])?;
        if result == GameResult::Void {
            self.table.void += 1;
            return Ok(());
        }
        let rated = !columns.is_withdrawn(row);
        if let Some(column) = columns.moves.filter(|_| rated) {
            let mut moves = [0; 16];
            moves.copy_from_slice(&blake3::hash(&row[column]).as_bytes()[..16]);
            self.moves.push((self.table.games.len() as u32, moves));
        }
        let opening = columns.opening.and_then(|column| self.opening(&row[column]));
        let forfeit = columns.is_forfeit(row, result);
        self.table.unpaired += usize::from(unpaired);
        self.table.games.push(Game { first, second, pair: cluster, cluster, opening, result, forfeit, rated });
        Ok(())
    }

    /// Returns the number of an opening; `None` for an empty cell, which means unknown.
    fn opening(&mut self, cell: &[u8]) -> Option<u32> {
        if let Some(known) = self.openings.get(cell) {
            return Some(*known);
        }
        let next = self.openings.len() as u32;
        (!cell.trim_ascii().is_empty()).then(|| *self.openings.entry(cell.to_vec()).or_insert(next))
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

    fn finish(mut self) -> Result<(GameTable, Paired), ImportError> {
        let paired = match (self.pairs, self.paired, self.unswapped.take()) {
            // A column without any label pairs nothing.
            (_, Some(Paired::ByColumn), _) if self.labels.is_empty() => Paired::NotAtAll,
            (_, Some(Paired::ByColumn), _) => Paired::ByColumn,
            (PairMode::Guess | PairMode::Consecutive, _, None) => Paired::Consecutively,
            (PairMode::Consecutive, _, Some((table, what))) => {
                return Err(ImportError { table, source: TableError::NotAPair(what) });
            }
            (PairMode::Guess | PairMode::None, _, _) => Paired::NotAtAll,
        };
        if paired == Paired::Consecutively {
            self.table.games.iter_mut().for_each(|game| game.cluster /= 2);
        }
        self.find_duplicates();
        self.names.sort_into(&mut self.table);
        Ok((self.table, paired))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str, pairs: PairMode) -> Result<(GameTable, Paired), String> {
        read_all([("it".to_owned(), text.as_bytes())], pairs)
            .map_err(|error| format!("{:#}", anyhow::Error::from(error)))
    }

    #[test]
    fn two_rows_with_swapped_seats_are_a_pair() {
        let (table, paired) =
            table("white,black,result\nb,a,1-0\na,b,1/2-1/2\nc,a,0-1\na,c,0-1\n", PairMode::Guess).unwrap();
        assert_eq!(paired, Paired::Consecutively);
        assert_eq!(table.names, [b"a", b"b", b"c"]);
        assert_eq!(table.games.iter().map(|game| game.cluster).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(
            table.games[0],
            Game {
                first: 1,
                second: 0,
                pair: 0,
                cluster: 0,
                opening: None,
                result: GameResult::FirstWins,
                forfeit: false,
                rated: true
            }
        );
    }

    #[test]
    fn other_rows_are_independent_games() {
        for text in ["white,black,result\na,b,1-0\na,b,1-0\n", "White, Black, Result \na,b,1-0\nb,a,1-0\na,b,0-1\n"] {
            assert_eq!(table(text, PairMode::Guess).unwrap().1, Paired::NotAtAll);
            let refused = table(text, PairMode::Consecutive).unwrap_err();
            assert!(refused.starts_with("games it: "), "{refused}");
        }
        assert_eq!(table("white,black,result\na,b,1-0\nb,a,1-0\n", PairMode::None).unwrap().1, Paired::NotAtAll);
    }

    #[test]
    fn repeated_moves_join_clusters_without_labels() {
        let clusters = |text: &str, pairs: PairMode| -> Vec<u32> {
            table(text, pairs).unwrap().0.games.iter().map(|game| game.cluster).collect()
        };
        let rows = "white,black,result,moves\na,b,1-0,x\nb,a,1-0,y\na,b,1-0,x\nb,a,1-0,z\n";
        assert_eq!(clusters(rows, PairMode::Guess), [0, 0, 0, 1]);
        let labelled = "white,black,result,moves,pair\na,b,1-0,x,p\nb,a,1-0,y,p\n";
        assert_eq!(clusters(labelled, PairMode::None), [0, 1]);
    }

    #[test]
    fn games_csv_can_be_imported() {
        let text = "id,round,pair,first,second,result,first_status,second_status\n\
                    x,1,7,a,b,0-1,timeout,ok\ny,1,8,a,c,void,ok,ok\nz,1,7,b,a,1-0,ok,resigned\n";
        let (table, paired) = table(text, PairMode::Guess).unwrap();
        assert_eq!((paired, table.void, table.games.len()), (Paired::ByColumn, 1, 2));
        assert_eq!(
            table.games.iter().map(|game| (game.cluster, game.forfeit)).collect::<Vec<_>>(),
            [(0, true), (0, false)]
        );
    }

    #[test]
    fn a_game_without_a_label_has_no_partner() {
        let some = "white,black,result,pair,moves\na,b,1-0,,x\nb,a,1-0,p,y\na,b,1-0,p,z\na,b,0-1, ,v\na,b,void,,w\n";
        let (table, paired) = table(some, PairMode::Guess).unwrap();
        assert_eq!((paired, table.unpaired, table.void), (Paired::ByColumn, 2, 1));
        let clusters: Vec<u32> = table.games.iter().map(|game| game.cluster).collect();
        assert!(clusters[1] == clusters[2] && clusters[0] != clusters[3], "{clusters:?}");
        assert!(clusters[0].min(clusters[3]) > clusters[1], "{clusters:?}");
        let (table, paired) =
            super::tests::table("white,black,result,pair\na,b,1-0,\nb,a,1-0,\n", PairMode::Guess).unwrap();
        assert_eq!((paired, table.unpaired), (Paired::NotAtAll, 2));
        assert_ne!(table.games[0].cluster, table.games[1].cluster);
    }

    #[test]
    fn labels_are_local_to_their_table() {
        // Labels that are days or counters are large numbers; those of many tables must not overflow together.
        let labels = ["10", "20", "536870911", "536870912", "20261120", "99999999999", "007", "p", ""];
        let rows = labels.map(|label| format!("a,b,1-0,{label},x\nb,a,1-0,{label},x\n")).concat();
        for columns in ["white,black,result,pair,moves\n", "white,black,result,pair,other\n"] {
            let tables = (0..300).map(|number| (number.to_string(), std::io::Cursor::new(format!("{columns}{rows}"))));
            let (table, paired) = read_all(tables, PairMode::Guess).unwrap();
            assert_eq!(paired, Paired::ByColumn);
            let mut seen = std::collections::HashSet::new();
            for pair in table.games.chunks(2) {
                let is_one = pair[0].pair == pair[1].pair;
                assert!(seen.insert(pair[0].pair) && (is_one || seen.insert(pair[1].pair)), "{pair:?}");
            }
            assert_eq!(seen.len(), 300 * (labels.len() + 1));
        }
    }

    #[test]
    fn openings_are_numbered_by_their_text() {
        let text =
            "first,second,result,opening\na,b,1-0,3 4\nb,a,1-0,3 4\na,c,1-0,\na,c,void,9\nc,a,1-0,5\nb,c,1-0,3 4\n";
        let (table, _) = table(text, PairMode::Guess).unwrap();
        let openings: Vec<Option<u32>> = table.games.iter().map(|game| game.opening).collect();
        assert_eq!(openings, [Some(0), Some(0), None, Some(1), Some(0)]);
    }

    #[test]
    fn names_are_kept_byte_for_byte() {
        let (table, _) = read_all(
            [("it".to_owned(), &b"white,black,result\n\"a, \"\"b\"\"\n\",\xff\xfe ,1-0\n"[..])],
            PairMode::None,
        )
        .unwrap();
        assert_eq!(table.names, [&b"a, \"b\"\n"[..], &b"\xff\xfe "[..]]);
    }

    #[test]
    fn every_error_names_its_line() {
        let cases = [
            " white ,result\na,1-0\n",
            "",
            "white,black,result\na,b,2-0\n",
            "white,black,result\na,b,1-0\na,a,1-0\n",
            "white,black,result\na,,1-0\n",
            "white,black,result\na,b\n",
        ];
        insta::assert_snapshot!(cases.map(|text| table(text, PairMode::Guess).unwrap_err()).join("\n"), @r#"
        games it: the header has no column `black` or `second`; it has: white, result
        games it: it is empty; the first line must name the columns: white,black,result or first,second,result
        games it: line 2: `2-0` is not a result; write 1-0, 0-1, 1/2-1/2 or void
        games it: line 3: `a` plays against itself
        games it: line 2: a player has no name
        games it: line 2: the header has 3 columns and this row 2; a name with a comma or a quote must be quoted: "a, b"
        "#);
    }
}
