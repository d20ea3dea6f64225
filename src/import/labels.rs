//! Pairs by the labels of a column.

use std::collections::HashMap;

use super::Game;

/// Clusters by label. Those of pairs count up from 0, those of games without a label down from the top: above all pairs,
/// so that the lowest of several equal games does not depend on the order of the rows.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Clusters of the present table by labels that are no numbers, and below which cluster all before are.
    by_label: HashMap<Vec<u8>, u32>,
    first: u32,
    next: u32,
    /// Rows without a label so far.
    unlabelled: u32,
}

impl Labels {
    /// Labels of one table mean nothing in another.
    pub(super) fn begin_table(&mut self) {
        self.by_label.clear();
        self.first = self.next;
    }

    /// Whether there was no label at all.
    pub(super) fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// The cluster of a pair by its label in the present table. Numbers, which is what labels mostly are, stand for
    /// themselves; other labels get odd numbers.
    pub(super) fn labelled(&mut self, label: &[u8]) -> u32 {
        const NUMBER_MAX: u32 = 1 << 29;
        let plain = !label.is_empty() && label.iter().all(u8::is_ascii_digit) && (label.len() == 1 || label[0] != b'0');
        let number = std::str::from_utf8(label).ok().filter(|_| plain).and_then(|text| text.parse::<u32>().ok());
        let within = if let Some(number) = number.filter(|number| *number < NUMBER_MAX) {
            2 * number
        } else {
            let next = 2 * self.by_label.len() as u32 + 1;
            match self.by_label.get(label) {
                Some(known) => *known,
                None => *self.by_label.entry(label.to_vec()).or_insert(next),
            }
        };
        let cluster = self.first.wrapping_add(within);
        self.next = self.next.max(cluster.wrapping_add(1));
        cluster
    }

    /// The cluster of a game that has no label, and so no partner.
    pub(super) fn unlabelled(&mut self) -> u32 {
        let cluster = u32::MAX - self.unlabelled;
        self.unlabelled += 1;
        cluster
    }

    /// Numbers the pairs of the present table, which has these games, by their labels instead of by when these were
    /// first seen: which of several equal games is the first must not depend on the order of the rows.
    pub(super) fn sort(&self, games: &mut [Game]) {
        if self.by_label.is_empty() {
            return;
        }
        let mut labels: Vec<(&[u8], u32)> = self.by_label.iter().map(|(label, within)| (&label[..], *within)).collect();
        labels.sort_unstable();
        let mut place = vec![0; labels.len()];
        for (index, (_, within)) in labels.iter().enumerate() {
            place[*within as usize / 2] = index as u32;
        }
        let labelled_max = u32::MAX - self.unlabelled;
        for game in games.iter_mut().filter(|game| game.cluster <= labelled_max) {
            let within = game.cluster.wrapping_sub(self.first);
            if within % 2 == 1 {
                game.cluster = self.first.wrapping_add(2 * place[within as usize / 2] + 1);
            }
        }
    }
}
