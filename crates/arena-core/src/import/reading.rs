//! Collects the games of all files.

use std::collections::HashMap;

use super::alike::alike;
use super::copies::mark_copies;
use super::file::{GameFile, Identity, Row, RowState, hash};
use super::left_out::{append, of_cause, quoted};
use super::missing::present;
use super::names::{PlayerNames, flaw};
use super::pairs::Pairs;
use super::scale::Scale;
use super::values::Values;
use super::{
    FileOrigin, GameRow, GameTable, ImportError, ImportOptions, LeftOutCause, LeftOutGames, OddGames, PairMode, Paired,
    ScaleOfFile, TableError,
};
use crate::format::Format;
use crate::rules::Seat;
use crate::stats::Duplicates;

/// Maximum number of rows of all tables together. Numbers of pairs and players then fit into 32 bits.
pub(super) const ROWS_MAX: u32 = 1 << 30;

/// A game as read.
pub(super) struct ReadGame<'a> {
    /// Its line in the file.
    pub(super) line: u64,
    /// The names of the players by seat.
    pub(super) players: [&'a [u8]; 2],
    /// The result as it was written.
    pub(super) written: &'a [u8],
    /// Why it is left out, whatever its result.
    pub(super) cause: Option<LeftOutCause>,
    /// What its pair shares.
    pub(super) label: Option<&'a [u8]>,
    /// The text that identifies its opening.
    pub(super) opening: Option<&'a [u8]>,
    /// Whether it has moves, and a hash of them, if they are all known.
    pub(super) has_moves: bool,
    pub(super) moves: Option<[u8; 16]>,
    pub(super) identity: Option<Identity>,
    pub(super) faults: [bool; 2],
    pub(super) rated: bool,
}

/// State while files are read.
pub(super) struct Reading<'a> {
    pub(super) options: &'a ImportOptions,
    /// The current file, and the values in its column of results.
    file: GameFile,
    values: Values,
    /// Games of the current file that are left out.
    left_out: Vec<LeftOutGames>,
    /// Whether games of unknown players were left out since the last row.
    is_gap: bool,
    /// The files before it.
    files: Vec<GameFile>,
    rows: usize,
    names: PlayerNames,
    table: GameTable,
    /// Openings by a hash of their text, which identifies an opening across tables.
    openings: HashMap<[u8; 16], u32>,
    paired: Option<Paired>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(options: &'a ImportOptions) -> Self {
        Self {
            options,
            file: GameFile::new("", false),
            values: Values::default(),
            left_out: Vec::new(),
            is_gap: false,
            files: Vec::new(),
            rows: 0,
            names: PlayerNames::default(),
            table: GameTable::default(),
            openings: HashMap::new(),
            paired: None,
        }
    }

    /// Begins the named file.
    pub(super) fn begin_file(&mut self, name: &str, is_pgn: bool) {
        self.file = GameFile::new(name, is_pgn);
        self.values = Values::default();
        self.is_gap = false;
    }

    /// Notes that the first row of other games follows, which is no partner of the last one.
    pub(super) const fn begin_rows(&mut self) {
        self.is_gap = true;
    }

    /// Notes the format of the tournament that a game is of, if it is the first game.
    pub(super) fn format(&mut self, name: Option<&[u8]>) {
        if let Some(name) = name.filter(|_| self.file.rows.is_empty() && self.file.format.is_none()) {
            self.file.format = Format::named(&String::from_utf8_lossy(name).to_ascii_lowercase());
        }
    }

    /// Counts games that were found in the current file. Each is added or left out afterwards.
    pub(super) const fn found(&mut self, games: usize) {
        self.table.read += games;
    }

    /// Leaves out games, the first of which is on `line`; fails if such games are refused.
    fn leave_out(
        &mut self,
        cause: LeftOutCause,
        games: usize,
        line: u64,
        detail: impl FnOnce() -> String,
    ) -> Result<(), TableError> {
        if self.options.odd == OddGames::Refused && !cause.is_usual() {
            return Err(TableError::Row { line, what: cause.mistake(&detail()) });
        }
        of_cause(&mut self.left_out, cause).add(games, &self.file.name, line, detail);
        Ok(())
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

    /// Notes a game whose tags or results contradict each other, or refuses it.
    pub(super) fn note(
        &mut self,
        places: impl FnOnce(&mut GameTable) -> &mut super::GamePlaces,
        line: u64,
        what: &str,
        detail: &str,
    ) -> Result<(), TableError> {
        if self.options.odd == OddGames::Refused {
            return Err(TableError::Row { line, what: format!("a game with {what}: {detail}") });
        }
        places(&mut self.table).add(1, &self.file.name, line, || detail.to_owned());
        Ok(())
    }

    /// Adds a game of the current file, or leaves it out.
    pub(super) fn add(&mut self, game: &ReadGame<'_>) -> Result<(), TableError> {
        let (line, names) = (game.line, game.players);
        if let Some(cause) = flaw(names, game.has_moves) {
            return self.leave_out_unnamed(cause, 1, line, || match cause {
                LeftOutCause::Itself => quoted(names[0]),
                LeftOutCause::LongName => {
                    format!("{} bytes", names.map(<[u8]>::len).into_iter().max().unwrap_or_default())
                }
                LeftOutCause::Bye => format!("{} and {}", quoted(names[0]), quoted(names[1])),
                _ => String::new(),
            });
        }
        let players = self.names.numbers(names).map_err(|what| TableError::Row { line, what })?;
        self.rows += 1;
        if self.rows > ROWS_MAX as usize {
            return Err(TableError::Row { line, what: format!("there are more than {ROWS_MAX} rows in all") });
        }
        let is_named = |seat: &Seat| names[seat.index()] == game.written && !self.file.is_pgn;
        let winner = Seat::BOTH.into_iter().find(is_named);
        let chosen = self.options.scale.as_ref();
        let cell = game.cause.map_or_else(|| self.values.add(line, game.written, winner, chosen), Err);
        let mut row = Row::new(line, players, cell.map_or(RowState::LeftOut, RowState::Cell)).with_faults(game.faults);
        row.rated = game.rated;
        row.is_after_gap = std::mem::take(&mut self.is_gap);
        let number = self.file.rows.len() as u32;
        let next = self.openings.len() as u32;
        if let Some(opening) = game.opening.and_then(present).filter(|_| cell.is_ok()) {
            row.opening = *self.openings.entry(hash(opening)).or_insert(next);
        }
        self.file.rows.push(row);
        if let Some(label) = game.label.and_then(present) {
            self.file.label(label);
        }
        if let Err(cause) = cell {
            return self.leave_out(cause, 1, line, String::new);
        }
        self.file.moves.extend(game.moves.filter(|_| game.rated).map(|moves| (number, moves)));
        self.file.identities.extend(game.identity.map(|identity| (number, identity)));
        Ok(())
    }

    /// Ends the current file. If `is_by_label`, clusters are in the order of the labels. Fails if it has no game.
    pub(super) fn end_file(&mut self, is_by_label: bool) -> Result<(), TableError> {
        let has_labels = self.file.rows.iter().any(|row| row.label != Row::UNLABELLED);
        self.file.is_by_label = is_by_label;
        // Labels that are all missing are as if there were none.
        if self.options.pairs != PairMode::Guess || !has_labels {
            self.file.paired = Paired::Consecutively;
        }
        self.read_results()?;
        let left_out = std::mem::take(&mut self.left_out);
        if !self.file.rows.iter().any(Row::is_game) {
            return Err(TableError::NoGames(left_out));
        }
        append(&mut self.table.left_out, left_out);
        self.table
            .origins
            .push(FileOrigin { file: self.file.name.clone(), format: self.file.format.map(|format| format.name) });
        let paired = self.file.paired;
        let before = *self.paired.get_or_insert(paired);
        if before != paired {
            let what = format!(
                "its games are paired by {}, those of another file by {}; rate them separately, or choose how the pairs are found",
                basis(paired),
                basis(before)
            );
            return Err(TableError::Row { line: 1, what });
        }
        self.files.push(std::mem::replace(&mut self.file, GameFile::new("", false)));
        Ok(())
    }

    /// Reads the results of the current file in the scale that explains them.
    fn read_results(&mut self) -> Result<(), TableError> {
        let values = std::mem::take(&mut self.values);
        // The notation of PGN is fixed.
        let chosen = if self.file.is_pgn { Some(&Scale::Points) } else { self.options.scale.as_ref() };
        if values.is_empty() {
            return Ok(());
        }
        let scale = values.scale(chosen, self.options.odd == OddGames::Refused).map_err(|error| match error {
            TableError::Results { what, .. } if self.file.is_pgn => TableError::Results { what, scales: Vec::new() },
            error => error,
        })?;
        let meanings = values.meanings(&scale);
        for number in 0..self.file.rows.len() {
            let RowState::Cell(value) = self.file.rows[number].state else { continue };
            self.file.rows[number].state = match meanings[usize::from(value)] {
                Some(Ok(result)) => RowState::Game(result),
                meaning => {
                    let line = self.file.rows[number].line();
                    let cause = meaning.and_then(Result::err).unwrap_or(LeftOutCause::UnknownResult);
                    let is_unknown = cause == LeftOutCause::UnknownResult;
                    self.leave_out(cause, 1, line, || if is_unknown { values.shown(value) } else { String::new() })?;
                    RowState::LeftOut
                }
            };
        }
        if !self.file.is_pgn {
            let is_plain = scale == Scale::Points && values.are_plain();
            self.table.scales.push(ScaleOfFile { file: self.file.name.clone(), scale, is_plain });
        }
        Ok(())
    }

    /// Leaves out games that are recorded more than once.
    fn leave_out_copies(&mut self) -> Result<(), ImportError> {
        let mut files = std::mem::take(&mut self.files);
        let copies = mark_copies(&mut files);
        self.table.doubtful_copies = copies.doubtful;
        for (file, row) in copies.rows {
            let file = &files[file as usize];
            self.file.name.clone_from(&file.name);
            let line = file.rows[row as usize].line();
            let left_out = self.leave_out(LeftOutCause::Copy, 1, line, String::new);
            left_out.map_err(|source| ImportError { table: file.name.clone(), source })?;
        }
        append(&mut self.table.left_out, std::mem::take(&mut self.left_out));
        self.files = files;
        Ok(())
    }

    /// How the games are paired, with all of them known.
    fn paired(&self, pairs: &mut Pairs) -> Result<Paired, ImportError> {
        let only_halves = pairs.swapped == 0 && pairs.halves > 0;
        Ok(match (self.options.pairs, self.paired, pairs.unswapped.take()) {
            // Labels that are all different pair nothing.
            (_, Some(Paired::ByColumn | Paired::ByRound), _) if pairs.labelled == 0 => Paired::NotAtAll,
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
        self.leave_out_copies()?;
        let mut pairs = Pairs::default();
        let mut moves = Vec::new();
        for file in std::mem::take(&mut self.files) {
            self.add_games(&file, pairs.clusters(&file), &mut moves);
        }
        let paired = self.paired(&mut pairs)?;
        self.table.unpaired = pairs.alone;
        self.table.split_labels = pairs.split;
        if paired == Paired::Consecutively {
            self.table.games.iter_mut().for_each(|game| game.cluster /= 2);
            self.table.unpaired += pairs.halves;
        }
        self.find_repeats(moves);
        self.names.sort_into(&mut self.table);
        self.table.alike = alike(&self.table.names);
        Ok((self.table, paired))
    }

    /// Adds the games of a file to the table, and those with known moves to `moves`.
    fn add_games(&mut self, file: &GameFile, clusters: Vec<u32>, moves: &mut Vec<(u32, [u8; 16])>) {
        let games = &mut self.table.games;
        let mut of_row = file.moves.iter().peekable();
        let mut clusters = clusters.into_iter();
        for (number, row) in (0..).zip(&file.rows) {
            let hash = of_row.next_if(|(row, _)| *row == number);
            let Some((result, cluster)) = row.result().and_then(|result| Some((result, clusters.next()?))) else {
                continue;
            };
            moves.extend(hash.map(|(_, hash)| (games.len() as u32, *hash)));
            games.push(GameRow {
                first: row.players[0],
                second: row.players[1],
                pair: cluster,
                cluster,
                opening: Some(row.opening).filter(|opening| *opening != Row::NO_OPENING),
                result,
                forfeit: row.is_forfeit(result),
                rated: row.rated,
            });
        }
    }

    /// Moves games that repeat another one to its cluster: that of the lowest pair.
    fn find_repeats(&mut self, mut moves: Vec<(u32, [u8; 16])>) {
        let games = &mut self.table.games;
        moves.sort_by_key(|(game, _)| games[*game as usize].cluster);
        let mut duplicates = Duplicates::default();
        for game in &mut *games {
            game.pair = game.cluster;
        }
        for (game, moves) in moves {
            let game = &mut games[game as usize];
            game.cluster = duplicates.add([game.first as usize, game.second as usize], moves, game.cluster);
        }
        self.table.repeated = duplicates.total();
    }
}

/// Describes the basis of a table's pairs.
fn basis(paired: Paired) -> &'static str {
    match paired {
        Paired::ByColumn => "the column `pair`",
        Paired::ByRound => "the tag `Round`",
        Paired::Consecutively | Paired::NotAtAll => "the order of the rows",
    }
}
