//! The games of one file as they were read, before copies and pairs are known.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Paired;
use crate::format::Format;
use crate::record::GameResult;

/// A game of a file. A million of them take 32 MB.
pub(super) struct Row {
    /// What identifies its pair, or [`Row::UNLABELLED`].
    pub(super) label: u64,
    pub(super) players: [u32; 2],
    /// Number of its opening, or [`Row::NO_OPENING`].
    pub(super) opening: u32,
    line: u32,
    pub(super) state: RowState,
    /// Whether each player has a fault.
    faults: [bool; 2],
    pub(super) rated: bool,
    /// Whether games of unknown players were left out between the row before and this one.
    pub(super) is_after_gap: bool,
}

/// What has become of a game.
#[derive(Clone, Copy)]
pub(super) enum RowState {
    /// The number of its value in the column of results.
    Cell(u16),
    /// It is in the table.
    Game(GameResult),
    /// It is left out, but it was one of two rows.
    LeftOut,
    /// It is left out as if it were not there: the same record is elsewhere.
    Copy,
}

impl Row {
    pub(super) const UNLABELLED: u64 = u64::MAX;
    pub(super) const NO_OPENING: u32 = u32::MAX;

    pub(super) fn new(line: u64, players: [u32; 2], state: RowState) -> Self {
        Self {
            label: Self::UNLABELLED,
            players,
            opening: Self::NO_OPENING,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            state,
            faults: [false; 2],
            rated: true,
            is_after_gap: false,
        }
    }

    pub(super) const fn with_faults(mut self, faults: [bool; 2]) -> Self {
        self.faults = faults;
        self
    }

    pub(super) const fn line(&self) -> u64 {
        self.line as u64
    }

    /// The result, if the game is in the table.
    pub(super) const fn result(&self) -> Option<GameResult> {
        match self.state {
            RowState::Game(result) => Some(result),
            _ => None,
        }
    }

    /// Whether the game is in the table.
    pub(super) const fn is_game(&self) -> bool {
        self.result().is_some()
    }

    /// Whether the loser has a fault.
    pub(super) fn is_forfeit(&self, result: GameResult) -> bool {
        result.winner().is_some_and(|winner| self.faults[winner.other().index()])
    }

    /// The players in ascending order.
    pub(super) fn pairing(&self) -> [u32; 2] {
        let [first, second] = self.players;
        [first.min(second), first.max(second)]
    }
}

/// What identifies the record of a game. See [`copies`](super::copies).
#[derive(Clone, Copy)]
pub(super) struct Identity {
    /// A hash of what names the game.
    pub(super) name: u64,
    /// A hash of all of it; without the result, as long as that is not known.
    pub(super) whole: u64,
}

impl Identity {
    /// That of the record with this result, however it is written.
    pub(super) fn with(self, result: GameResult) -> Self {
        let mut whole = DefaultHasher::new();
        (self.whole, result.name()).hash(&mut whole);
        Self { whole: whole.finish(), ..self }
    }
}

/// A file.
pub(super) struct GameFile {
    pub(super) name: String,
    pub(super) is_pgn: bool,
    /// The format of the tournament that it is of, if its first game says so.
    pub(super) format: Option<&'static Format>,
    /// How its games are paired: by the column, by the round, or by the order of the rows.
    pub(super) paired: Paired,
    pub(super) rows: Vec<Row>,
    /// Hashes of moves by number of the row, if they are known.
    pub(super) moves: Vec<(u32, [u8; 16])>,
    /// What identifies games, by number of the row, if something does.
    pub(super) identities: Vec<(u32, Identity)>,
    /// For labels such as `7.1` the label `7`, by number of the row.
    pub(super) stems: Vec<(u32, u64)>,
    /// Whether clusters are in the order of the labels instead of their appearance: which of several equal games comes first
    /// must not depend on the order of the rows.
    pub(super) is_by_label: bool,
}

impl GameFile {
    pub(super) fn new(name: &str, is_pgn: bool) -> Self {
        Self {
            name: name.to_owned(),
            is_pgn,
            format: None,
            paired: if is_pgn { Paired::ByRound } else { Paired::ByColumn },
            rows: Vec::new(),
            moves: Vec::new(),
            identities: Vec::new(),
            stems: Vec::new(),
            is_by_label: false,
        }
    }

    /// Notes the label of the last row.
    pub(super) fn label(&mut self, label: &[u8]) {
        let number = (self.rows.len() - 1) as u32;
        self.rows[number as usize].label = label_number(label);
        if let Some(dot) = memchr::memrchr(b'.', label).filter(|dot| *dot > 0) {
            self.stems.push((number, label_number(&label[..dot])));
        }
    }
}

/// The number of a label: its own, if it is one, else a hash of it. So labels take no memory but that of their rows.
fn label_number(label: &[u8]) -> u64 {
    const NUMBER_MAX: u64 = 1 << 62;
    let is_plain = !label.is_empty() && label.iter().all(u8::is_ascii_digit) && (label.len() == 1 || label[0] != b'0');
    let number = std::str::from_utf8(label).ok().filter(|_| is_plain).and_then(|text| text.parse::<u64>().ok());
    number.filter(|number| *number < NUMBER_MAX).unwrap_or_else(|| (short_hash(label) >> 1) | NUMBER_MAX)
}

/// A number that stands for a text.
pub(super) fn short_hash(text: &[u8]) -> u64 {
    u64::from_le_bytes(hash(text))
}

/// The beginning of a hash of a text: texts of any length take the same memory.
pub(super) fn hash<const BYTES: usize>(text: &[u8]) -> [u8; BYTES] {
    let mut hash = [0; BYTES];
    hash.copy_from_slice(&blake3::hash(text).as_bytes()[..BYTES]);
    hash
}
