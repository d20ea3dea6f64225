//! What of the games is kept, so that the block has no more than a given size.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;

use super::varint::{push, push_text};
use super::{BlockGames, BlockRow};

/// Effort of the compression, 0 to 10: beyond 6 it takes far longer and saves 1 %.
pub(super) const LEVEL: u8 = 6;
/// Attempts to find how many games fit.
const ATTEMPTS: usize = 6;
/// Streams that depend on what is kept, in the order of their lines.
const PARTS: [GamePart; 5] =
    [|row| &row.plies, |row| &row.times, |row| &row.evals, |row| &row.texts, |row| &row.images];
/// The same in the order in which they are cut down to a sample: images, evals, times, texts, plies.
const CUT_ORDER: [usize; 5] = [4, 2, 1, 3, 0];

/// A part of a game.
type GamePart = fn(&BlockRow) -> &[u8];

/// The data of a page's games.
#[derive(Debug, Clone)]
pub struct Block {
    /// The text of the element. Base64 and newlines only.
    pub text: String,
    /// What is in it.
    pub kept: KeptShare,
}

/// How many games have what, of those that have it at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptShare {
    /// Games of the list.
    pub rows: usize,
    /// Those whose positions are there.
    pub plies: usize,
    /// The streams that are there for a sample only: plies, times, evals, comments, images.
    pub sampled: [bool; 5],
}

impl BlockGames {
    /// Encodes the games in at most `budget` bytes, if the list alone fits. Where not everything fits, first the
    /// images are kept for a sample only, then evaluations, then times, then comments, then positions.
    #[must_use]
    pub fn block(self, budget: usize) -> Block {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_by_key(|index| (self.rows[*index as usize].priority, *index));
        let mut rank = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            rank[*index as usize] = place;
        }
        let all = self.rows.len();
        let mut rows = line(&self.rows_stream(&rank, [all; PARTS.len()]));
        // Each stream begins with a newline.
        let room = budget.saturating_sub(rows.len() + PARTS.len());
        let full = PARTS.map(|part| self.part(part, &rank, all));
        let sizes = full.each_ref().map(String::len);
        let mut kept = [all; PARTS.len()];
        let mut lines = full;
        // The fewest streams are cut with which the others leave an eighth of the room to the sample.
        let fixed = |cut: usize| CUT_ORDER[cut..].iter().map(|part| sizes[*part]).sum::<usize>();
        if fixed(0) > room {
            // The rows grow by a bit each, which says whether they are in the sample.
            let room = room.saturating_sub(all / 4);
            let cut = (1..=CUT_ORDER.len()).find(|cut| fixed(*cut) <= room - room / 8).unwrap_or(CUT_ORDER.len());
            let room = room.saturating_sub(fixed(cut));
            let sample = self.sample(&CUT_ORDER[..cut], &rank, room);
            for part in &CUT_ORDER[..cut] {
                kept[*part] = sample;
                lines[*part] = self.part(PARTS[*part], &rank, sample);
            }
            rows = line(&self.rows_stream(&rank, kept));
        }
        let has_any = |part: usize| self.rows.iter().any(|row| !PARTS[part](row).is_empty());
        let has_plies = |index: &usize| rank[*index] < kept[0] && !self.rows[*index].plies.is_empty();
        Block {
            text: [&[rows], lines.as_slice()].concat().join("\n"),
            kept: KeptShare {
                rows: all,
                plies: (0..all).filter(has_plies).count(),
                sampled: std::array::from_fn(|part| kept[part] < all && has_any(part)),
            },
        }
    }

    /// The number of games whose `parts` fit into `room`.
    fn sample(&self, parts: &[usize], rank: &[usize], room: usize) -> usize {
        let size = |games| parts.iter().map(|part| self.part(PARTS[*part], rank, games).len()).sum::<usize>();
        let (mut low, mut high) = (0, self.rows.len());
        let mut games = high;
        for _ in 0..ATTEMPTS {
            let bytes = size(games);
            if bytes <= room {
                low = games;
                // Near enough: the rest is not worth another attempt.
                if bytes >= room - room / 10 {
                    break;
                }
            } else {
                high = games;
            }
            let guess = (games as f64 * 0.97 * room as f64 / bytes.max(1) as f64) as usize;
            // A guess outside what is known already is of no use.
            games = if low < guess && guess < high { guess } else { usize::midpoint(low, high) };
            if games <= low {
                break;
            }
        }
        low
    }

    /// The line of a stream: that part of the `games` first games of the sample, in the order of the list.
    fn part(&self, part: GamePart, rank: &[usize], games: usize) -> String {
        let rows = self.rows.iter().zip(rank).filter(|(_, rank)| **rank < games);
        line(&rows.map(|(row, _)| part(row)).collect::<Vec<_>>().concat())
    }

    fn rows_stream(&self, rank: &[usize], kept: [usize; 5]) -> Vec<u8> {
        let mut bytes = vec![];
        push_text(&mut bytes, &self.head());
        push(&mut bytes, self.rows.len() as u64);
        for row in &self.rows {
            push_text(&mut bytes, &row.id);
        }
        for column in 0..12 {
            for row in &self.rows {
                push(&mut bytes, row.columns[column]);
            }
        }
        for (row, rank) in self.rows.iter().zip(rank) {
            let has = |part: usize| *rank < kept[part] && !PARTS[part](row).is_empty();
            // A bit for each stream that has the row.
            push(&mut bytes, (0..PARTS.len()).map(|part| u64::from(has(part)) << part).sum());
        }
        bytes
    }
}

fn line(bytes: &[u8]) -> String {
    STANDARD.encode(compress_to_vec(bytes, LEVEL))
}
