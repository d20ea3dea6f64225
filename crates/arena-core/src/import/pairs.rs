//! Pairs of games: by labels, or by the order of the rows.

use std::collections::VecDeque;

use super::Paired;
use super::file::{GameFile, Row, RowState};

/// No other row.
const ALONE: u32 = u32::MAX;

/// Numbers the clusters of all files.
///
/// Clusters of pairs count up from 0. Clusters of games without a label count down from the top, above all pairs, so
/// that the lowest of several equal games does not depend on the order of the rows. There are at most
/// [`ROWS_MAX`](super::reading::ROWS_MAX) rows, so the two ranges do not overlap.
#[derive(Default)]
pub(super) struct Pairs {
    /// Number of clusters of labelled games so far.
    clusters: u32,
    /// Number of games without a label so far.
    unlabelled: u32,
    /// Number of rows so far, for pairs of rows.
    rows: u32,
    /// Number of swapped pairs of rows, and of single games among them.
    pub(super) swapped: usize,
    pub(super) halves: usize,
    /// The first rows that are not a swapped pair: the file, and a description with the lines.
    pub(super) unswapped: Option<(String, String)>,
    /// Number of pairs by labels, of labelled games without a partner, and of labels that were split.
    pub(super) labelled: usize,
    pub(super) alone: usize,
    pub(super) split: usize,
}

impl Pairs {
    /// The cluster of each game of a file, in order. By rows it is twice the number of the pair, or one more.
    pub(super) fn clusters(&mut self, file: &GameFile) -> Vec<u32> {
        match file.paired {
            Paired::ByColumn | Paired::ByRound => self.by_labels(file),
            Paired::Consecutively | Paired::NotAtAll => self.by_rows(file),
        }
    }

    fn by_rows(&mut self, file: &GameFile) -> Vec<u32> {
        // A file begins with the first game of a pair.
        self.rows += self.rows % 2;
        let mut clusters = Vec::with_capacity(file.rows.len());
        let mut before: Option<&Row> = None;
        let mut is_gap = false;
        for row in file.rows.iter().filter(|row| !matches!(row.state, RowState::Copy)) {
            is_gap |= row.is_after_gap;
            if let Some(first) = before {
                let is_after_gap = std::mem::take(&mut is_gap);
                let is_game = [first, row].map(Row::is_game);
                if !is_game[1] && first.pairing() != row.pairing() {
                    // A game of others that was left out.
                    is_gap = is_after_gap;
                    continue;
                }
                before = None;
                if first.players == [row.players[1], row.players[0]] {
                    match is_game {
                        [true, true] => self.swapped += 1,
                        [false, false] => {}
                        _ => self.halves += 1,
                    }
                } else if is_after_gap || !is_game[0] {
                    // The partner of the row before was left out, or that row, so this one is the first of the next two.
                    self.halves += usize::from(is_game[0]);
                    self.rows += 1;
                    before = Some(row);
                } else {
                    let (first, line) = (first.line(), row.line());
                    let what =
                        || format!("lines {first} and {line} are not the two games of a pair with seats swapped");
                    self.unswapped.get_or_insert_with(|| (file.name.clone(), what()));
                }
            } else {
                before = Some(row);
            }
            if row.is_game() {
                clusters.push(self.rows);
            }
            self.rows += 1;
        }
        // Its second row is missing: a single game.
        self.halves += usize::from(before.is_some_and(Row::is_game));
        clusters
    }

    fn by_labels(&mut self, file: &GameFile) -> Vec<u32> {
        let rows = &file.rows;
        // A game that was left out may be the partner of the one before or after it.
        let is_labelled = |row: &u32| {
            let row = &rows[*row as usize];
            row.label != Row::UNLABELLED && !matches!(row.state, RowState::Copy)
        };
        let mut order: Vec<u32> = (0..rows.len() as u32).filter(is_labelled).collect();
        // The position a round began from is part of its label; of a column's label it is only where more than two share it.
        let opening = |row: &Row| if file.paired == Paired::ByRound { row.opening } else { 0 };
        let key = |row: u32| {
            let row = &rows[row as usize];
            (row.label, row.pairing(), opening(row))
        };
        // A stable sort is fast where most is in order already.
        order.sort_by_key(|row| key(*row));
        let mut partners = vec![ALONE; rows.len()];
        for group in order.chunk_by_mut(|one, other| key(*one) == key(*other)) {
            self.split += usize::from(pair_group(rows, group, &mut partners));
        }
        order.retain(|row| rows[*row as usize].is_game());
        pair_by_stems(file, &mut partners);
        // In the order of the labels, or as they appear.
        if !file.is_by_label {
            order.sort_unstable();
        }
        let mut clusters = vec![ALONE; rows.len()];
        for row in order {
            let partner = partners[row as usize];
            if partner == ALONE {
                self.alone += 1;
            } else if clusters[partner as usize] != ALONE {
                self.labelled += 1;
                clusters[row as usize] = clusters[partner as usize];
                continue;
            }
            clusters[row as usize] = self.clusters;
            self.clusters += 1;
        }
        let games = rows.iter().zip(clusters).filter(|(row, _)| row.is_game());
        games.map(|(row, cluster)| if row.label == Row::UNLABELLED { self.unlabelled() } else { cluster }).collect()
    }

    /// A new cluster for a game without a label, and therefore without a partner.
    fn unlabelled(&mut self) -> u32 {
        let cluster = u32::MAX - 1 - self.unlabelled;
        self.unlabelled += 1;
        self.alone += 1;
        cluster
    }
}

/// Pairs rows of two players with the same label, in order; returns whether there is more than one pair.
fn pair_group(rows: &[Row], group: &mut [u32], partners: &mut [u32]) -> bool {
    let games = group.iter().filter(|row| rows[**row as usize].is_game()).count();
    // A game that was played again may be the third one.
    if games <= 2 && group.len() <= 3 {
        pair_in_order(rows, group, partners);
        return false;
    }
    let opening = |row: &u32| rows[*row as usize].opening;
    group.sort_by_key(opening);
    for group in group.chunk_by(|one, other| opening(one) == opening(other)) {
        if opening(&group[0]) == Row::NO_OPENING {
            pair_neighbours(rows, group, partners);
        } else {
            pair_in_order(rows, group, partners);
        }
    }
    true
}

/// Pairs the games among rows of two players: each with the first one before it that has swapped seats and no partner yet.
fn pair_in_order(rows: &[Row], group: &[u32], partners: &mut [u32]) {
    let mut waiting: VecDeque<u32> = VecDeque::new();
    for game in group.iter().filter(|row| rows[**row as usize].is_game()) {
        // All that wait have the same seats.
        let is_swapped = |other: &u32| rows[*other as usize].players != rows[*game as usize].players;
        if let Some(other) = waiting.front().copied().filter(is_swapped) {
            waiting.pop_front();
            join([other, *game], partners);
        } else {
            waiting.push_back(*game);
        }
    }
}

/// Pairs rows of two players of which nothing but their order is known: each with the one before it, if that has swapped seats
/// and no partner yet. If most of them have none then, their order tells nothing. A game whose partner was left out has none.
fn pair_neighbours(rows: &[Row], group: &[u32], partners: &mut [u32]) {
    let mut pairs = Vec::with_capacity(group.len() / 2);
    let mut before: Option<u32> = None;
    for row in group {
        let is_swapped = |other: &u32| rows[*other as usize].players != rows[*row as usize].players;
        match before.filter(is_swapped) {
            Some(other) => {
                pairs.push([other, *row]);
                before = None;
            }
            None => before = Some(*row),
        }
    }
    if 4 * pairs.len() <= group.len() {
        return;
    }
    let are_games = |pair: &[u32; 2]| pair.iter().all(|row| rows[*row as usize].is_game());
    pairs.into_iter().filter(are_games).for_each(|pair| join(pair, partners));
}

/// Makes two rows partners.
fn join([one, other]: [u32; 2], partners: &mut [u32]) {
    partners[one as usize] = other;
    partners[other as usize] = one;
}

/// Pairs games that have no partner, with labels such as `7.1` and `7.2`.
fn pair_by_stems(file: &GameFile, partners: &mut [u32]) {
    let rows = &file.rows;
    let is_alone = |row: u32| !matches!(rows[row as usize].state, RowState::Copy) && partners[row as usize] == ALONE;
    let mut stems: Vec<(u32, u64)> = file.stems.iter().copied().filter(|(row, _)| is_alone(*row)).collect();
    let key = |(row, stem): &(u32, u64)| {
        let row = &rows[*row as usize];
        (*stem, row.pairing(), row.opening)
    };
    stems.sort_by_key(key);
    for group in stems.chunk_by(|one, other| key(one) == key(other)) {
        let mut group: Vec<u32> = group.iter().map(|(row, _)| *row).collect();
        pair_group(rows, &mut group, partners);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;

    /// The clusters of games, each with a label, the players by seat, and an opening.
    fn clusters(paired: Paired, games: &[(&str, [u32; 2], u32)]) -> (Vec<u32>, Pairs) {
        let mut file = GameFile::new("it", false);
        file.paired = paired;
        for (label, players, opening) in games {
            let mut row = Row::new(1, *players, RowState::Game(GameResult::Draw));
            row.opening = *opening;
            file.rows.push(row);
            if !label.is_empty() {
                file.label(label.as_bytes());
            }
        }
        let mut pairs = Pairs::default();
        (pairs.clusters(&file), pairs)
    }

    #[test]
    fn a_pair_is_two_games_of_a_round_with_swapped_seats() {
        let games = [
            ("1", [0, 1], 0),
            ("2", [1, 0], 0),
            ("1", [0, 2], 0),
            ("1", [1, 0], 9),
            ("1", [1, 0], 0),
            ("1", [0, 1], 0),
            ("1", [1, 0], 0),
            ("2", [0, 1], 0),
        ];
        let (numbers, pairs) = clusters(Paired::ByRound, &games);
        assert_eq!(numbers, [0, 1, 2, 3, 0, 4, 4, 1]);
        assert_eq!((pairs.labelled, pairs.alone, pairs.split), (3, 2, 1));
        // The label of a column does not depend on the opening, unless more than two games share it.
        let (numbers, pairs) = clusters(Paired::ByColumn, &[("p", [0, 1], 1), ("p", [1, 0], 2), ("", [0, 1], 1)]);
        assert_eq!((numbers, pairs.alone), (vec![0, 0, u32::MAX - 1], 1));
        let (numbers, _) =
            clusters(Paired::ByColumn, &[("p", [0, 1], 1), ("p", [0, 1], 2), ("p", [1, 0], 2), ("p", [1, 0], 1)]);
        assert_eq!(numbers, [0, 1, 1, 0]);
    }

    #[test]
    fn numbers_of_games_within_a_round_are_a_pair() {
        let numbers = |games: &[(&str, [u32; 2], u32)]| clusters(Paired::ByRound, games).0;
        assert_eq!(numbers(&[("7.1", [0, 1], 0), ("8.1", [1, 0], 0), ("7.2", [1, 0], 0)]), [0, 1, 0]);
        // Boards of a team match, and games with the same seats, are none.
        assert_eq!(numbers(&[("7.1", [0, 1], 0), ("7.2", [2, 3], 0), ("7.3", [0, 1], 0)]), [0, 1, 2]);
        // Those with the same label come first.
        assert_eq!(
            numbers(&[("7.1", [0, 1], 0), ("7.2", [1, 0], 0), ("7.2", [0, 1], 0), ("7.1", [1, 0], 0)]),
            [0, 1, 1, 0]
        );
    }
}
