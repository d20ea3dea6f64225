//! Collects the games of all files, and their pairs.

use std::collections::HashMap;

use super::alike::alike;
use super::labels::Labels;
use super::left_out::{append, of_cause};
use super::names::{PlayerNames, flaw};
use super::rounds::RoundNumbers;
use super::{GameRow, GameTable, ImportError, LeftOutCause, LeftOutGames, OddGames, PairMode, Paired, TableError};
use crate::record::GameResult;
use crate::stats::Duplicates;
use crate::text::shown;

/// Maximum number of rows of all tables together. Numbers of pairs and players then fit into 32 bits.
pub(super) const ROWS_MAX: u32 = 1 << 30;

/// A game as read.
pub(super) struct ReadGame<'a> {
    /// Its line in the file.
    pub(super) line: u64,
    /// The players by seat.
    pub(super) players: [u32; 2],
    /// The result, or why it is left out.
    pub(super) result: Result<GameResult, LeftOutCause>,
    /// The result as it was written.
    pub(super) written: &'a [u8],
    /// The result after the moves, if there is one.
    pub(super) end: Option<Result<GameResult, LeftOutCause>>,
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
    /// By a round of the file. Without one the game has no partner.
    Round(Option<&'a [u8]>),
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
    odd: OddGames,
    /// Name of the current file.
    file: String,
    /// Games of the current file that are left out.
    left_out: Vec<LeftOutGames>,
    names: PlayerNames,
    table: GameTable,
    labels: Labels,
    /// Pairs of the current file by its rounds.
    rounds: RoundNumbers,
    /// Openings by a hash of their text, which identifies an opening across tables.
    openings: HashMap<[u8; 16], u32>,
    /// Games by number, each with a hash of its moves, if they are known.
    moves: Vec<(u32, [u8; 16])>,
    rows: u32,
    /// The last row, if it is the first of two.
    first_of_pair: Option<HalfPair>,
    /// Whether a game of unknown players was left out since the last pair of rows.
    is_gap: bool,
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
    pub(super) fn new(pairs: PairMode, odd: OddGames) -> Self {
        Self { pairs, odd, ..Self::default() }
    }

    /// Begins the named file.
    pub(super) fn begin_file(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        self.games_before = self.table.games.len();
        self.is_gap = false;
    }

    /// Determines how the games of the current file are paired. To be called before the first of them is added.
    pub(super) fn begin(&mut self, paired: Paired) -> Result<(), TableError> {
        let before = *self.paired.get_or_insert(paired);
        if before != paired {
            let what = format!(
                "its games are paired by {}, those of another file by {}; rate them separately, or choose how the pairs are found",
                basis(paired),
                basis(before)
            );
            return Err(TableError::Row { line: 1, what });
        }
        // The rows of a table begin with the first game of a pair.
        self.rows += self.rows % 2;
        Ok(())
    }

    /// Counts games that were found in the current file. Each is added or left out afterwards.
    pub(super) const fn found(&mut self, games: usize) {
        self.table.read += games;
    }

    /// Leaves out games, the first of which is on `line`; fails if such games are refused.
    pub(super) fn leave_out(
        &mut self,
        cause: LeftOutCause,
        games: usize,
        line: u64,
        detail: impl FnOnce() -> String,
    ) -> Result<(), TableError> {
        if self.odd == OddGames::Refused && !cause.is_usual() {
            return Err(TableError::Row { line, what: cause.mistake(&detail()) });
        }
        of_cause(&mut self.left_out, cause).add(games, &self.file, line, detail);
        Ok(())
    }

    /// Returns the numbers of two players; `None` if their game is left out because of their names.
    pub(super) fn players(
        &mut self,
        line: u64,
        names: [&[u8]; 2],
        has_moves: bool,
    ) -> Result<Option<[u32; 2]>, TableError> {
        if let Some(cause) = flaw(names, has_moves) {
            self.leave_out_unnamed(cause, 1, line, || match cause {
                LeftOutCause::Itself => quoted(names[0]),
                LeftOutCause::LongName => {
                    format!("{} bytes", names.map(<[u8]>::len).into_iter().max().unwrap_or_default())
                }
                LeftOutCause::Bye => format!("{} and {}", quoted(names[0]), quoted(names[1])),
                _ => String::new(),
            })?;
            return Ok(None);
        }
        self.names.numbers(names).map(Some).map_err(|what| TableError::Row { line, what })
    }

    /// Leaves out games of unknown players, any of which may have been one of a pair.
    pub(super) fn leave_out_unnamed(
        &mut self,
        cause: LeftOutCause,
        games: usize,
        line: u64,
        detail: impl FnOnce() -> String,
    ) -> Result<(), TableError> {
        self.is_gap = true;
        self.leave_out(cause, games, line, detail)
    }

    /// Adds a row of the current file, or leaves it out because of its result.
    pub(super) fn add(&mut self, row: &ReadGame<'_>) -> Result<(), TableError> {
        let ReadGame { line, players, forfeit, rated, .. } = *row;
        let [first, second] = players;
        self.pair_up(HalfPair { players, line, counts: row.result.is_ok() });
        // Twice the number of the pair; `finish` decides whether rows are paired.
        let place = self.rows;
        self.rows += 1;
        if self.rows > ROWS_MAX {
            return Err(TableError::Row { line, what: format!("there are more than {ROWS_MAX} rows in all") });
        }
        self.compare_results(row)?;
        let result = match row.result {
            Ok(result) => result,
            Err(cause) => {
                let is_unknown = cause == LeftOutCause::UnknownResult;
                return self.leave_out(cause, 1, line, || if is_unknown { quoted(row.written) } else { String::new() });
            }
        };
        let (cluster, is_unpaired) = match row.label {
            Label::Neighbour => (place, false),
            Label::Text([]) | Label::Round(None) => (self.labels.unlabelled(), true),
            Label::Text(label) => (self.labels.labelled(label), false),
            Label::Round(Some(round)) => {
                let [first, second] = players.map(u32::to_le_bytes);
                let number = self.rounds.pair(round, [&first, &second], row.opening.unwrap_or_default());
                (Labels::numbered(number), false)
            }
        };
        if let Some(moves) = row.moves.filter(|_| rated) {
            self.moves.push((self.table.games.len() as u32, moves));
        }
        let opening = row.opening.and_then(|opening| self.opening(opening));
        self.table.unpaired += usize::from(is_unpaired);
        self.table.games.push(GameRow { first, second, pair: cluster, cluster, opening, result, forfeit, rated });
        Ok(())
    }

    /// Notes a game whose result differs from the end of its moves, or refuses it.
    fn compare_results(&mut self, row: &ReadGame<'_>) -> Result<(), TableError> {
        let is_known = match row.result {
            Ok(_) => true,
            Err(cause) => cause.is_usual(),
        };
        let Some(end) = row.end.filter(|end| is_known && *end != row.result) else { return Ok(()) };
        let end = end.map_or("*", GameResult::name);
        let detail = || format!("{} in the tag, {end} after the moves", quoted(row.written));
        if self.odd == OddGames::Refused {
            return Err(TableError::Row { line: row.line, what: format!("a game with two results: {}", detail()) });
        }
        self.table.two_results.add(1, &self.file, row.line, detail);
        Ok(())
    }

    /// Notes whether this row and the one before it have swapped seats.
    fn pair_up(&mut self, row: HalfPair) {
        let Some(before) = self.first_of_pair.take() else {
            self.first_of_pair = Some(row);
            return;
        };
        let [first, second] = row.players;
        let is_gap = std::mem::take(&mut self.is_gap);
        if before.players == [second, first] {
            self.swapped += 1;
        } else if is_gap {
            // The partner of the row before was left out, so this one is the first of the next two.
            self.halves += usize::from(before.counts);
            self.rows += 1;
            self.first_of_pair = Some(row);
        } else {
            let (before, line) = (before.line, row.line);
            let what = || format!("lines {before} and {line} are not the two games of a pair with seats swapped");
            self.unswapped.get_or_insert_with(|| (self.file.clone(), what()));
        }
    }

    /// Ends the current file. If `by_label`, clusters are in the order of the labels. Fails if no game was added.
    pub(super) fn end_file(&mut self, by_label: bool) -> Result<(), TableError> {
        // Its second row is missing: a single game.
        self.halves += usize::from(self.first_of_pair.take().is_some_and(|half| half.counts));
        if matches!(self.paired, Some(Paired::ByColumn | Paired::ByRound)) {
            self.labels.end_table(&mut self.table.games[self.games_before..], by_label);
        }
        let rounds = std::mem::take(&mut self.rounds);
        self.by_rounds += rounds.complete;
        self.table.unpaired += rounds.alone;
        let left_out = std::mem::take(&mut self.left_out);
        if self.table.games.len() == self.games_before {
            return Err(TableError::NoGames(left_out));
        }
        append(&mut self.table.left_out, left_out);
        Ok(())
    }

    /// Returns the number of an opening; `None` for an empty cell, which means unknown.
    fn opening(&mut self, cell: &[u8]) -> Option<u32> {
        let next = self.openings.len() as u32;
        (!cell.is_empty()).then(|| *self.openings.entry(hash(cell)).or_insert(next))
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
        self.table.alike = alike(&self.table.names);
        Ok((self.table, paired))
    }
}

/// Foreign text for messages.
fn quoted(text: &[u8]) -> String {
    format!("`{}`", shown(&String::from_utf8_lossy(text)))
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
