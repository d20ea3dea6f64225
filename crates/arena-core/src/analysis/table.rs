//! The sums of each bot over its games.

use std::collections::{BTreeMap, HashSet};

use super::line::Line;
use super::phase::{PhaseCount, phase};
use super::verdict::{GivenAway, Verdict, verdict};
use super::walk::GameValues;
use super::worst::{Mistakes, WorstPosition};
use crate::rules::Seat;
use crate::solver::{Known, Value};
use crate::stats::events_per_game;

/// The first plies of the ranges in which moves that give the result away are counted.
const PLY_RANGES: [usize; 4] = [0, 10, 20, 30];

/// A game with its values.
#[derive(Debug, Clone, Copy)]
pub struct AnalysedGame<'a> {
    /// Its id.
    pub id: &'a str,
    /// The bots by seat, as indices.
    pub bots: [usize; 2],
    /// Number of its cluster of evidence: its pair, and games that repeat another move for move.
    pub cluster: u32,
    /// Number of its opening, if known.
    pub opening: Option<u32>,
    /// Its positions.
    pub line: &'a Line,
    /// Their values.
    pub found: &'a GameValues,
}

/// The sums of all bots.
#[derive(Debug)]
pub struct AnalysisTable {
    bots: Vec<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    row: AnalysisRow,
    positions: HashSet<u64>,
    mistakes: Mistakes,
    /// Ply of the first move of a game that gave the result away.
    first: Vec<usize>,
    /// `[given away, games]` by cluster and by opening.
    clusters: BTreeMap<u32, [f64; 2]>,
    openings: BTreeMap<u32, [f64; 2]>,
    /// Whether a game's opening is not known.
    has_unknown_opening: bool,
    distances: u64,
    moves_lost: u64,
}

/// A bot's moves against best play.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnalysisRow {
    /// The bot.
    pub bot: usize,
    /// Games with a move of the bot after the opening.
    pub games: u64,
    /// These moves.
    pub moves: u64,
    /// Moves of which the values before and after are known.
    pub judged: u64,
    /// All other moves.
    pub unsolved: u64,
    /// Distinct positions in which it made judged moves.
    pub distinct: u64,
    /// Judged moves in positions where some legal move gives the result away.
    pub could: u64,
    /// Moves that gave it away, by kind.
    pub gave_away_by_kind: [u64; 3],
    /// The same, by ply: 0–9, 10–19, 20–29 and later.
    pub gave_away_by_ply: [u64; 4],
    /// The same and where it could be, by phase: those of [`PHASES`](super::PHASES). Moves in games whose rules use nothing up are in none.
    pub phases: [PhaseCount; 4],
    /// Of each phase with such a move, the position that cost most.
    pub worst: Vec<WorstPosition>,
    /// The 95 % interval of such moves a game.
    pub per_game_interval: Option<[f64; 2]>,
    /// Games without such a move, and fully judged.
    pub clean_games: u64,
    /// Moves that kept the value; where distances are not known, the result.
    pub best: u64,
    /// Moves that kept the result and lost distance.
    pub slower: u64,
    /// Mean of the moves that these lost, over all that kept the result; `None` where distances are not known.
    pub slower_by: Option<f64>,
    /// Median ply of the first move that gave the result away, over games that have one.
    pub first_ply: Option<f64>,
}

impl AnalysisRow {
    /// Moves that gave the result away.
    #[must_use]
    pub fn gave_away(&self) -> u64 {
        self.gave_away_by_kind.iter().sum()
    }

    /// The share of the positions where the result could be given away in which it was.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        share(self.gave_away(), self.could)
    }

    /// Moves that gave the result away, a game.
    #[must_use]
    pub fn per_game(&self) -> Option<f64> {
        share(self.gave_away(), self.games)
    }

    /// The share of judged moves that kept the value.
    #[must_use]
    pub fn best_rate(&self) -> Option<f64> {
        share(self.best, self.judged)
    }

    /// The share of games without a move that gave the result away, and fully judged.
    #[must_use]
    pub fn clean_share(&self) -> Option<f64> {
        share(self.clean_games, self.games)
    }
}

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

impl AnalysisTable {
    /// Without games.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        let sums = |bot| Sums { row: AnalysisRow { bot, ..AnalysisRow::default() }, ..Sums::default() };
        Self { bots: (0..bots).map(sums).collect() }
    }

    /// Adds the moves of a game.
    pub fn add(&mut self, game: &AnalysedGame<'_>) {
        for seat in Seat::BOTH {
            if game.line.movers.contains(&seat) {
                self.bots[game.bots[seat.index()]].add(game, seat);
            }
        }
    }

    /// A row for each bot that has games: the fewest results given away a game first.
    #[must_use]
    pub fn rows(&self) -> Vec<AnalysisRow> {
        let played = self.bots.iter().filter(|sums| sums.row.games > 0);
        let mut rows: Vec<AnalysisRow> = played.map(Sums::finished).collect();
        // Compared as fractions, so that no rounding decides. Sorting is stable: ties are in the order of the roster.
        rows.sort_by(|a, b| {
            let has_none = |row: &AnalysisRow| row.judged == 0;
            let cross = |row: &AnalysisRow, other: &AnalysisRow| row.gave_away() * other.games;
            has_none(a).cmp(&has_none(b)).then(cross(a, b).cmp(&cross(b, a)))
        });
        rows
    }
}

impl Sums {
    fn add(&mut self, game: &AnalysedGame<'_>, seat: Seat) {
        let Self { row, .. } = self;
        row.games += 1;
        let (mut gave_away, mut is_judged) = (0, true);
        let own = game.line.movers.iter().enumerate().filter(|(_, mover)| **mover == seat);
        for (place, _) in own {
            row.moves += 1;
            let Some((before, after)) = values(game, place) else {
                row.unsolved += 1;
                is_judged = false;
                continue;
            };
            row.judged += 1;
            self.positions.insert(fingerprint(&game.line.positions[place].key()));
            let verdict = verdict(before, after);
            let is_given_away = matches!(verdict, Verdict::GaveAway(_));
            let could = is_given_away || game.found.could[place] == Some(true);
            row.could += u64::from(could);
            if let Some(phase) = phase(game.line.positions[place].as_ref()) {
                row.phases[phase].could += u64::from(could);
                row.phases[phase].gave_away += u64::from(is_given_away);
            }
            match verdict {
                Verdict::Best => row.best += 1,
                Verdict::Slower(moves) => {
                    row.slower += 1;
                    self.moves_lost += u64::from(moves);
                }
                Verdict::GaveAway(kind) => {
                    let ply = game.line.from + place;
                    if gave_away == 0 {
                        self.first.push(ply);
                    }
                    gave_away += 1;
                    row.gave_away_by_kind[GivenAway::ALL.iter().position(|known| *known == kind).unwrap_or(0)] += 1;
                    row.gave_away_by_ply[PLY_RANGES.iter().rposition(|first| *first <= ply).unwrap_or(0)] += 1;
                    self.mistakes.add(mistake_hash(game, place), || mistake(game, place, kind, after));
                }
            }
            self.distances += u64::from(!is_given_away && before.value().and(after.value()).is_some());
        }
        row.clean_games += u64::from(is_judged && gave_away == 0);
        let opening = game.opening.map(|opening| self.openings.entry(opening).or_default());
        self.has_unknown_opening |= opening.is_none();
        for sum in [Some(self.clusters.entry(game.cluster).or_default()), opening].into_iter().flatten() {
            sum[0] += f64::from(gave_away);
            sum[1] += 1.0;
        }
    }

    fn finished(&self) -> AnalysisRow {
        let of = |sums: &BTreeMap<u32, [f64; 2]>| sums.values().copied().collect::<Vec<_>>();
        let openings = if self.has_unknown_opening { Vec::new() } else { of(&self.openings) };
        AnalysisRow {
            distinct: self.positions.len() as u64,
            per_game_interval: events_per_game(&of(&self.clusters), &openings),
            slower_by: share(self.moves_lost, self.distances),
            first_ply: median(&self.first),
            worst: self.mistakes.worst(),
            ..self.row.clone()
        }
    }
}

/// What the position before a move is worth to its mover, and the move itself; `None` if one is not known.
fn values(game: &AnalysedGame<'_>, place: usize) -> Option<(Known, Known)> {
    let before = game.found.values[place]?;
    Some((before, game.found.after(place, game.line.last_worth().map(Known::Exact))?))
}

/// The first bits of a hash of a position: enough to count different ones.
fn fingerprint(key: &[u8]) -> u64 {
    blake3::hash(key).as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// A hash of a position and the move that was made in it.
fn mistake_hash(game: &AnalysedGame<'_>, place: usize) -> u64 {
    let mut key = game.line.positions[place].key();
    key.push(b' ');
    key.extend_from_slice(game.line.moves[place].to_string().as_bytes());
    fingerprint(&key)
}

/// The move at this place, which gave the result away.
fn mistake(game: &AnalysedGame<'_>, place: usize, kind: GivenAway, after: Known) -> WorstPosition {
    let state = game.line.positions[place].as_ref();
    WorstPosition {
        game: game.id.to_owned(),
        ply: game.line.from + place,
        played: game.line.moves[place].clone(),
        best: game.found.best[place].clone(),
        kind,
        loses_in: (after.value().filter(|value| matches!(value, Value::Loss(_)))).and_then(Value::moves),
        used_up: state.used_up().filter(|[_, all]| *all > 0).map(|[used, all]| used * 100 / all),
        phase: phase(state),
        times: 0,
    }
}

fn median(values: &[usize]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[middle / 2] as f64, sorted[middle.div_ceil(2)] as f64))
}
