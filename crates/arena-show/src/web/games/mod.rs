//! The games of a page: a block of data that a script of the page reads.
//!
//! # Format
//!
//! The block is the text of `<script type="application/octet-stream" id="games-data">`, or all that the live page gets of a
//! game: six lines, each base64 of a raw deflate stream (RFC 1951). Streams are apart so that the list of games can be shown
//! before the positions are unpacked, and so that their sizes add up when some are cut. All integers are LEB128 varints
//! without sign; *signed* is zigzag; a *text* is its length in bytes and UTF-8; an *option* is 0 for none, else the value + 1.
//!
//! | line | stream | for each row that has it |
//! |---|---|---|
//! | 1 | rows | a text: JSON with `version`, `bots` (names), `select` (flags of the command that replays a game), `reasons`, `words` (the same for people), `starts` (pictures, as below), `sides` (names, unless they are X and O), `alternate` (false if the seats of some game do not), `scale` (upper ends of the steps of times, in µs), `pairings`, `analysis` (only if some game is analysed: `decided` and `gave`, each with a value for every row: 0 if the result never is known, else 1 + the plies after which it did not change; bits: 1 if the first seat gave the result away, 2 if the second did, 4 if the game is analysed); the number of rows; then columns, each with a value for every row: `id` (a text), `first` and `second` (indices of `bots`), `round`, `pair`, `result` (as in `results` of the JSON), `reason`, status of `first`, of `second` (as in `statuses`), `plies`, `opening` (plies of it), `slowest` (an option: a step of the scale), `start` (index), `has` (bits: 1 plies, 2 times, 4 evals, 8 texts, 16 images) |
//! | 2 | plies | length in bytes; then one operation for each change of the picture, as below |
//! | 3 | times | a byte for each ply after the opening: 0 unknown, else 1 + the step of the scale |
//! | 4 | evals | a byte for each ply after the opening: 0 none, else 128 + 127 × the evaluation, rounded |
//! | 5 | texts | the number of comments, each its ply from 1 and a text; a text: how the game ended, lines separated by newlines; for an analysed game a text: the results with best play as the first seat sees them, one character each of `WDL?`, of the position after the opening and after each move; the number of remarks, each its ply from 1 and a text |
//! | 6 | images | length in bytes; then a raw deflate stream: for each position, the start included, a text: its image as SVG, or nothing |
//!
//! Operations begin with a number:
//!
//! | number | operation | what follows |
//! |---|---|---|
//! | 0 | marks | a count; then that many cells, each taken by the mover, in one ply each |
//! | 1 | cells | a count and that many pairs of a cell and its owner (an option: 0 first, 1 second); the last cell (an option); a count and the cells of the winner's lines |
//! | 2 | take | left, smallest and largest take, all signed; 0, or 1 and the last take, signed |
//! | 3 | guesses | a count of guesses, each: seat, 0 or 1 if it is shown, then a count and the pegs, exact and color; the code: 0, or its length + 1 and its pegs |
//! | 4 | whole | a text: the picture as JSON |
//! | 5 | move | a text: the move that leads to the next change, where the change does not tell it |
//! | 6 | turns | a count and that many movers: 0 first, 1 second; before all others, if the seats do not alternate |
//!
//! A move follows from the last cell of a board ([`Board::move_at`](arena_core::rules::Board::move_at)), from the last take, or
//! from the pegs of a single guess. Without operation 6, the mover
//! of ply *n*, from 1, is the first seat if *n* is odd; in a game whose operations are left out where `alternate` is false,
//! movers are not known.
//!
//! A picture as JSON has a `kind`: `board` (`rows`, `cols`, `marks`, `gravity`, `cells`: one character each of `.01`,
//! `last`, `line`), `heap` (`left`, `take`, `last`), `guesses` (`pegs`, `colors`, `rows` of `seat`, `pegs`, `exact`, `color`;
//! `code`), `text` (`text`).
//!
//! An image is foreign: it is shown as the source of an element `img`, where it can run and load nothing, and nowhere else.

mod fit;
mod images;
mod marks;
mod picture;
mod plies;
mod varint;

use arena_core::analysis::Marks;
use arena_core::record::{GameResult, Played, Record, Status};
use arena_core::rules::MARKS;
use arena_core::text::shown;
use serde_json::json;

use crate::views::Story;

pub use fit::{Block, KeptShare};
use images::KeptImages;
pub use picture::picture_json;
use varint::{push, push_bytes, push_text};

/// Upper ends of all steps of times but the last, in microseconds: 10 µs to 10 s in steps of 1–2–5.
const SCALE: [u64; 19] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
    2_000_000, 5_000_000, 10_000_000,
];
/// Longest text of how a game ended, in characters.
const ENDING_MAX: usize = 4_000;
/// Games beyond this sum of their bytes keep no positions: memory is bounded.
const BYTES_MAX: usize = 64 << 20;

/// A game of the list: what a page shows of it besides its positions.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// The game.
    pub record: &'a Record,
    /// Its bots by seat, as indices into the names of [`BlockGames::new`].
    pub bots: [usize; 2],
    /// Round, from 1.
    pub round: u32,
    /// Number of its pair.
    pub pair: u32,
}

/// The games between two bots: two indices of bots, and the wins, draws and losses of the first of them.
pub type PairingScore = [u64; 5];

/// Games that become a [`Block`].
#[derive(Debug, Default)]
pub struct BlockGames {
    select: String,
    bots: Vec<String>,
    pairings: Vec<PairingScore>,
    with_times: bool,
    sides: [&'static str; 2],
    alternate: bool,
    reasons: Vec<String>,
    /// The same in words.
    words: Vec<String>,
    starts: Vec<serde_json::Value>,
    rows: Vec<BlockRow>,
    bytes: usize,
    images: KeptImages,
    /// What analyses say of each game: the columns `decided` and `gave`.
    marks: Vec<[usize; 2]>,
}

/// A game in the block.
#[derive(Debug, Default)]
struct BlockRow {
    id: String,
    /// The columns from `first` to `start`.
    columns: [u64; 12],
    /// Its place in the sample: the lower, the sooner its positions are kept.
    priority: u32,
    plies: Vec<u8>,
    times: Vec<u8>,
    evals: Vec<u8>,
    texts: Vec<u8>,
    images: Vec<u8>,
}

impl BlockGames {
    /// No games yet, between bots of these names. Without `with_times` nothing in the block depends on the clock.
    #[must_use]
    pub fn new(bots: impl IntoIterator<Item = impl AsRef<str>>, pairings: Vec<PairingScore>, with_times: bool) -> Self {
        let bots = bots.into_iter().map(|name| shown(name.as_ref())).collect();
        Self { bots, pairings, with_times, sides: MARKS, alternate: true, ..Self::default() }
    }

    /// With what follows the id in the command that replays a game, quoted for a shell: it selects the results folder.
    #[must_use]
    pub fn selected_by(self, flags: &str) -> Self {
        Self { select: shown(flags), ..self }
    }

    /// Adds a game. `story` is its positions, or why there are none. Games of lower `priority` keep their positions first
    /// when there is not room for all.
    pub fn add(&mut self, listed: Listed<'_>, story: Result<&Story, &str>, priority: u32) {
        let record = listed.record;
        let opening = record.opening.len().min(record.moves.len());
        let mut row = BlockRow { id: shown(&record.id), priority, ..BlockRow::default() };
        let mut start = 0;
        self.alternate &= record.movers.alternate();
        if let Ok(story) = story
            && self.bytes < BYTES_MAX
        {
            self.sides = story.variant.rules.sides;
            start = index_of(&mut self.starts, picture_json(&story.pictures[0]));
            push_bytes(&mut row.plies, &plies::encode(story));
            row.images = images::encode(&story.pictures);
            row.evals = evals(record, opening);
            if self.with_times {
                row.times = per_ply(record, opening, |played| 1 + step(played.us));
            }
            row.texts = texts(record, opening, &ending(story), story.marks.as_ref());
        } else if let Err(problem) = story {
            row.texts = texts(record, opening, &shown(problem), None);
        }
        self.marks.push(marks::listed(story.ok().and_then(|story| story.marks.as_ref())));
        let slowest = record.played.iter().map(|played| played.us).max().filter(|_| self.with_times);
        let reason = index_of(&mut self.reasons, shown(&record.reason));
        if self.words.len() < self.reasons.len() {
            self.words.push(shown(&record.reason_in_words()));
        }
        let [first, second] = record.statuses.map(|status| position(&Status::ALL, &status));
        row.columns = [
            listed.bots[0] as u64,
            listed.bots[1] as u64,
            u64::from(listed.round),
            u64::from(listed.pair),
            position(&GameResult::ALL, &record.result),
            reason,
            first,
            second,
            record.moves.len() as u64,
            opening as u64,
            slowest.map_or(0, |us| 1 + u64::from(step(us))),
            start,
        ];
        self.bytes += row.plies.len() + row.evals.len() + row.times.len() + row.texts.len();
        self.rows.push(row);
        self.images.added(&mut self.rows);
    }

    /// The JSON of the first stream.
    fn head(&self) -> String {
        let mut head = json!({
            "version": 1,
            "bots": self.bots,
            "results": GameResult::ALL.map(GameResult::name),
            "statuses": Status::ALL.map(Status::name),
            "select": self.select,
            "reasons": self.reasons,
            "words": self.words,
            "starts": self.starts,
            "scale": SCALE,
            "pairings": self.pairings,
        });
        if self.sides != MARKS {
            head["sides"] = self.sides.into();
        }
        if !self.alternate {
            head["alternate"] = false.into();
        }
        let column = |place: usize| self.marks.iter().map(|game| game[place]).collect::<Vec<_>>();
        if column(1).iter().any(|gave| *gave > 0) {
            head["analysis"] = json!({ "decided": column(0), "gave": column(1) });
        }
        head.to_string()
    }
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u64 {
    all.iter().position(|known| known == one).unwrap_or_default() as u64
}

/// The index of `value` in `known`, which it joins if it is new.
fn index_of<T: PartialEq>(known: &mut Vec<T>, value: T) -> u64 {
    let index = known.iter().position(|known| *known == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    });
    index as u64
}

/// The step of a time on the scale.
fn step(us: u64) -> u8 {
    SCALE.partition_point(|end| *end < us) as u8
}

/// A byte for each ply after the opening; 0 where nothing was measured.
fn per_ply(record: &Record, opening: usize, byte: impl Fn(&Played) -> u8) -> Vec<u8> {
    (0..record.moves.len() - opening).map(|ply| record.played.get(ply).map_or(0, &byte)).collect()
}

/// Empty if there is no evaluation at all.
fn evals(record: &Record, opening: usize) -> Vec<u8> {
    let byte = |eval: f64| (128.0 + 127.0 * eval.clamp(-1.0, 1.0)).round() as u8;
    let bytes = per_ply(record, opening, |played| played.eval.filter(|eval| !eval.is_nan()).map_or(0, byte));
    if bytes.iter().all(|byte| *byte == 0) { vec![] } else { bytes }
}

/// How a game ended, where the row does not tell: with a fault, or with something hidden.
fn ending(story: &Story) -> String {
    let lines = story.ending();
    if lines.len() == 1 { String::new() } else { lines.join("\n") }
}

/// Empty if there is neither comment nor ending, and no analysis.
fn texts(record: &Record, opening: usize, ending: &str, marks: Option<&Marks>) -> Vec<u8> {
    let moves = record.moves.len() - opening;
    let comments = record.played.iter().take(moves).enumerate();
    let comments: Vec<_> = comments.filter_map(|(ply, played)| Some((ply, played.comment.as_deref()?))).collect();
    if comments.is_empty() && ending.is_empty() && marks.is_none() {
        return vec![];
    }
    let mut bytes = vec![];
    push(&mut bytes, comments.len() as u64);
    for (ply, comment) in comments {
        push(&mut bytes, (opening + ply + 1) as u64);
        push_text(&mut bytes, &shown(comment));
    }
    let cut: String = ending.chars().take(ENDING_MAX).collect();
    push_text(&mut bytes, if cut.len() < ending.len() { cut + "…" } else { cut }.as_str());
    if let Some(marks) = marks {
        marks::encode(marks, &mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests;
