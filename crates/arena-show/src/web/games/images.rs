//! Images of positions. They are large and much alike, so those of a game are compressed together, and unpacked when the game
//! is looked at.

use std::collections::BinaryHeap;

use arena_core::rules::{Image, Picture};
use miniz_oxide::deflate::compress_to_vec;

use super::BlockRow;
use super::fit::LEVEL;
use super::varint::{push_bytes, push_text};

/// Images beyond this sum of their compressed bytes are left out: memory is bounded.
const BYTES_MAX: usize = 4 << 20;

/// Which games have images.
#[derive(Debug, Default)]
pub(super) struct KeptImages {
    bytes: usize,
    /// Priorities and rows of the games that have some.
    games: BinaryHeap<(u32, usize)>,
}

impl KeptImages {
    /// The last row is new. Beyond the maximum, games of the highest priority lose their images.
    pub(super) fn added(&mut self, rows: &mut [BlockRow]) {
        let Some(row) = rows.last() else { return };
        if row.images.is_empty() {
            return;
        }
        self.bytes += row.images.len();
        self.games.push((row.priority, rows.len() - 1));
        while self.bytes > BYTES_MAX
            && let Some((_, least)) = self.games.pop()
        {
            self.bytes -= std::mem::take(&mut rows[least].images).len();
        }
    }
}

/// The images of a game: their length in bytes, and a deflate stream with a text for each position, which is empty for one
/// without an image. Empty if no position has one.
pub(super) fn encode(pictures: &[Picture]) -> Vec<u8> {
    let mut texts = vec![];
    for picture in pictures {
        push_text(&mut texts, if let Picture::Image(Image { svg, .. }) = picture { svg } else { "" });
    }
    // Positions without an image have their length alone, 0.
    if texts.iter().all(|byte| *byte == 0) {
        return vec![];
    }
    let mut bytes = vec![];
    push_bytes(&mut bytes, &compress_to_vec(&texts, LEVEL));
    bytes
}
