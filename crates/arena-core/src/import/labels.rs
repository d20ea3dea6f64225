//! Pairs by the labels in a column.

use std::collections::HashMap;

use super::GameRow;

/// Assigns clusters to labels.
///
/// Clusters of pairs count up from 0. Clusters of games without a label count down from the top, above all pairs, so
/// that the lowest of several equal games does not depend on the order of the rows. There are at most
/// [`ROWS_MAX`](super::reading::ROWS_MAX) rows, so the two ranges do not overlap.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The current table's labels that are not numbers, in order of appearance.
    words: HashMap<Vec<u8>, u32>,
    /// Whether any label was seen.
    any: bool,
    /// Number of clusters of the earlier tables.
    clusters: u32,
    /// Number of rows without a label so far.
    unlabelled: u32,
}

impl Labels {
    /// Whether no label was seen.
    pub(super) fn is_empty(&self) -> bool {
        !self.any
    }

    /// Returns the number of a pair within the current table, valid until [`end_table`](Self::end_table). Numeric
    /// labels, the common case, get even numbers and need no storage; other labels get odd numbers.
    pub(super) fn labelled(&mut self, label: &[u8]) -> u32 {
        const NUMBER_MAX: u32 = 1 << 29;
        self.any = true;
        let plain = !label.is_empty() && label.iter().all(u8::is_ascii_digit) && (label.len() == 1 || label[0] != b'0');
        let number = std::str::from_utf8(label).ok().filter(|_| plain).and_then(|text| text.parse::<u32>().ok());
        if let Some(number) = number.filter(|number| *number < NUMBER_MAX) {
            return 2 * number;
        }
        let next = self.words.len() as u32;
        let word = match self.words.get(label) {
            Some(known) => *known,
            None => *self.words.entry(label.to_vec()).or_insert(next),
        };
        2 * word + 1
    }

    /// Returns the number of a pair that its table knows by a number below [`ROWS_MAX`](super::reading::ROWS_MAX).
    pub(super) const fn numbered(number: u32) -> u32 {
        2 * number
    }

    /// Returns a new cluster for a game without a label, and therefore without a partner.
    pub(super) fn unlabelled(&mut self) -> u32 {
        let cluster = u32::MAX - self.unlabelled;
        self.unlabelled += 1;
        cluster
    }

    /// Replaces the numbers from [`labelled`](Self::labelled) in the current table's games by clusters that are unique
    /// across tables. If `by_label`, clusters are in the order of the labels instead of their appearance: which of
    /// several equal games comes first must not depend on the order of the rows.
    pub(super) fn end_table(&mut self, games: &mut [GameRow], by_label: bool) {
        let places = if by_label { self.places() } else { (0..self.words.len() as u32).collect() };
        self.words.clear();
        let labelled_max = u32::MAX - self.unlabelled;
        let mut numbers = Vec::new();
        for game in games.iter_mut().filter(|game| game.cluster <= labelled_max) {
            if game.cluster % 2 == 1 {
                game.cluster = 2 * places[game.cluster as usize / 2] + 1;
            }
            numbers.push(game.cluster);
        }
        numbers.sort_unstable();
        numbers.dedup();
        for game in games.iter_mut().filter(|game| game.cluster <= labelled_max) {
            let place = numbers.partition_point(|number| *number < game.cluster);
            game.cluster = self.clusters + place as u32;
        }
        self.clusters += numbers.len() as u32;
    }

    /// The position of every word in sorted order.
    fn places(&self) -> Vec<u32> {
        let mut words: Vec<(&[u8], u32)> = self.words.iter().map(|(word, number)| (&word[..], *number)).collect();
        words.sort_unstable();
        let mut places = vec![0; words.len()];
        for (place, (_, number)) in (0..).zip(words) {
            places[number as usize] = place;
        }
        places
    }
}
