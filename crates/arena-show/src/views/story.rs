//! A stored game as a story: its positions, ply by ply, and how it ended.

use arena_core::analysis::{Mark, Marks};
use arena_core::record::{Evidence, GameResult, Played, Record, Status, reason_in_words};
use arena_core::rules::{Image, Move, MoveError, Picture, Seat, Variant, Viewer, step};
use arena_core::text::{escaped, millis, shown};
use thiserror::Error;

use super::{Delta, delta};

/// Images beyond this sum of their bytes are left out of a story: memory is bounded, and so is what a page unpacks.
const IMAGES_MAX: usize = 4 << 20;

/// A stored game with its positions.
#[derive(Debug, Clone)]
pub struct Story {
    /// The game.
    pub record: Record,
    /// Its rules.
    pub variant: Variant,
    /// The start and the position after each ply: one more than there are moves.
    pub pictures: Vec<Picture>,
    /// What people call each move, escaped.
    pub words: Vec<String>,
    /// What an analysis says of its moves, if there is one.
    pub marks: Option<Marks>,
    /// The hidden code, as JSON, of a game that did not end by the rules, so that the last picture does not show it.
    hidden: Option<String>,
}

/// One move of a game.
#[derive(Debug, Clone, Copy)]
pub struct Ply<'a> {
    /// Who made it.
    pub mover: Seat,
    /// The move.
    pub played: &'a Move,
    /// What people call it, escaped.
    pub word: &'a str,
    /// Time, evaluation and comment; none for a move of the opening.
    pub measured: Option<&'a Played>,
    /// What an analysis says of it; none for a move of the opening.
    pub mark: Option<&'a Mark>,
}

/// A record that violates its rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("game {id} {} at ply {ply}: {source}", what_fails(.source))]
pub struct ReplayError {
    /// The game, escaped.
    pub id: String,
    /// The ply that cannot be replayed, from 1.
    pub ply: usize,
    /// The cause.
    pub source: MoveError,
}

/// Rules that failed or are not there say nothing against the game.
fn what_fails(source: &MoveError) -> &'static str {
    if matches!(source, MoveError::Broken(_)) { "cannot be replayed" } else { "does not follow its rules" }
}

impl Story {
    /// Replays `record` under its own rules. If these are a program that is not there, the pictures are empty: the moves are known,
    /// and positions are not.
    ///
    /// # Errors
    ///
    /// Returns [`ReplayError`] at the first move that is not legal.
    pub fn new(record: Record, variant: Variant) -> Result<Self, ReplayError> {
        if variant.rules.is_absent() {
            let pictures = vec![Picture::Text(String::new()); record.moves.len() + 1];
            let words = record.moves.iter().map(|played| shown(&played.plain())).collect();
            return Ok(Self { record, variant, pictures, words, marks: None, hidden: None });
        }
        let fails = |ply, source| ReplayError { id: shown(&record.id), ply, source };
        let mut state = variant.start(record.seed).map_err(|fault| fails(0, MoveError::Broken(fault)))?;
        let mut pictures = Vec::with_capacity(record.moves.len() + 1);
        let mut images = IMAGES_MAX;
        pictures.push(within(&mut images, state.picture(Viewer::All)));
        let mut words = Vec::with_capacity(record.moves.len());
        for (index, played) in record.moves.iter().enumerate() {
            words.push(shown(&state.label(played).unwrap_or_else(|| played.plain())));
            step(state.as_mut(), played).map_err(|source| fails(index + 1, source))?;
            pictures.push(within(&mut images, state.picture(Viewer::All)));
        }
        let hidden = if state.outcome().is_none() { state.reveal() } else { None };
        let hidden = hidden.map(|hidden| hidden.to_string());
        Ok(Self { record, variant, pictures, words, marks: None, hidden })
    }

    /// The story with what an analysis says of its moves.
    #[must_use]
    pub fn with_marks(self, marks: Option<Marks>) -> Self {
        Self { marks, ..self }
    }

    /// All moves, those of the opening first.
    #[must_use]
    pub fn plies(&self) -> impl ExactSizeIterator<Item = Ply<'_>> {
        self.record.moves.iter().enumerate().map(move |(index, played)| Ply {
            mover: self.record.movers.seat(index),
            played,
            word: self.words.get(index).map_or("", String::as_str),
            measured: self.record.measured(index),
            mark: self.marks.as_ref().and_then(|marks| marks.at(index)),
        })
    }

    /// What changes from each picture to the next.
    pub fn deltas(&self) -> impl Iterator<Item = Delta> {
        self.pictures.windows(2).map(|pair| delta(&pair[0], &pair[1]))
    }

    /// `minimax (X)`.
    #[must_use]
    pub fn player(&self, seat: Seat) -> String {
        format!("{} ({})", shown(&self.record.bots[seat.index()].name), self.variant.rules.side(seat))
    }

    /// `game 7f3a  connect4  minimax (X) against greedy (O)  seed 1`.
    #[must_use]
    pub fn title(&self) -> String {
        let [first, second] = Seat::BOTH.map(|seat| self.player(seat));
        let (id, variant, seed) = (shown(&self.record.id), &self.variant, self.record.seed);
        format!("game {id}  {variant}  {first} against {second}  seed {seed}")
    }

    /// The winner and the reason.
    #[must_use]
    pub fn verdict(&self) -> String {
        let record = &self.record;
        let reason = shown(&reason_in_words(&record.reason, Some(&self.variant)));
        match (record.result, record.result.winner()) {
            (_, Some(seat)) => format!("{} wins: {reason}", self.player(seat)),
            (GameResult::Void, _) => format!("void: {reason}"),
            _ => format!("draw: {reason}"),
        }
    }

    /// The ending: the winner and the reason, the fault of each seat with its evidence, and the hidden code. At least one
    /// line.
    #[must_use]
    pub fn ending(&self) -> Vec<String> {
        self.ending_with(shown, |_, evidence| {
            evidence.iter().flat_map(|evidence| evidence.details()).map(|line| format!("  {line}")).collect()
        })
    }

    /// As [`Story::ending`], with messages of faults as `write` has them, and below each seat's status what `details` says.
    #[must_use]
    pub fn ending_with(
        &self,
        write: fn(&str) -> String,
        details: impl Fn(Seat, Option<&Evidence>) -> Vec<String>,
    ) -> Vec<String> {
        let mut lines = vec![self.verdict()];
        for seat in Seat::BOTH {
            let (player, status) = (self.player(seat), self.record.statuses[seat.index()]);
            let evidence = self.record.evidence[seat.index()].as_ref();
            let message = evidence.map(|evidence| format!(": {}", write(evidence.message.trim())));
            if message.is_some() || status != Status::Ok {
                lines.push(format!("{player}: {}{}", status.words(), message.unwrap_or_default()));
            }
            lines.extend(details(seat, evidence));
        }
        lines.extend(self.hidden.iter().map(|hidden| format!("hidden: {hidden}")));
        lines
    }

    /// The game as text: a paragraph for the start and for each ply.
    #[must_use]
    pub fn paragraphs(&self) -> Vec<String> {
        let titles = self.plies().zip(1..).map(|(ply, number)| self.ply_title(&ply, number));
        let titles = std::iter::once(self.title()).chain(titles);
        let has_boards = !self.variant.rules.is_absent();
        let below = |picture: &Picture| if has_boards { format!("\n{picture}") } else { String::new() };
        let mut paragraphs: Vec<String> =
            titles.zip(&self.pictures).map(|(title, picture)| title + &below(picture)).collect();
        if let Some(last) = paragraphs.last_mut() {
            *last = format!("{last}\n{}", self.ending().join("\n"));
        }
        paragraphs
    }

    /// `ply 5  minimax (X) plays 3  W18 = L6  12.400 ms  eval +0.31  win → loss: loses in 6; best 3  "comment"`.
    fn ply_title(&self, ply: &Ply<'_>, number: usize) -> String {
        let mover = self.player(ply.mover);
        let Some(Played { us, eval, comment, .. }) = ply.measured else {
            return format!("ply {number}  opening: {} for {mover}", ply.word);
        };
        let mut parts = vec![format!("ply {number}  {mover} plays {}", ply.word)];
        parts.extend(ply.mark.and_then(Mark::values));
        parts.push(format!("{} ms", millis(*us)));
        parts.extend(eval.map(|eval| format!("eval {eval:+.2}")));
        parts.extend(ply.mark.and_then(Mark::words));
        parts.extend(comment.as_ref().map(|comment| format!("\"{}\"", escaped(comment))));
        parts.join("  ")
    }
}

/// The picture, without its image if there is no room left for that.
fn within(room: &mut usize, picture: Picture) -> Picture {
    match picture {
        Picture::Image(Image { svg, text }) => match room.checked_sub(svg.len()) {
            Some(left) => {
                *room = left;
                Picture::Image(Image { svg, text })
            }
            None => Picture::Text(text),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::rules::Move;

    use super::*;

    #[test]
    fn a_replay_shows_a_game_from_its_opening_to_its_fault() {
        let story = Story::new(fixture::reported_game(), fixture::variant()).unwrap();
        let paragraphs = story.paragraphs();
        assert_eq!(paragraphs.len(), story.record.moves.len() + 1);
        insta::assert_snapshot!(paragraphs.join("\n\n"));
    }

    #[test]
    fn images_beyond_the_limit_become_text() {
        let image = |bytes: usize| Picture::Image(Image { svg: "x".repeat(bytes), text: "text".to_owned() });
        let mut room = 10;
        assert_eq!(within(&mut room, image(7)), image(7));
        assert_eq!(within(&mut room, image(4)), Picture::Text("text".to_owned()));
        assert_eq!((within(&mut room, image(3)), room), (image(3), 0));
    }

    #[test]
    fn an_illegal_move_is_rejected_with_its_ply() {
        let mut record = fixture::reported_game();
        record.moves[2] = Move::Int(99);
        let error = Story::new(record.clone(), fixture::variant()).unwrap_err();
        assert_eq!(error.ply, 3);
        assert!(
            error
                .to_string()
                .starts_with("game 00000000000000ff does not follow its rules at ply 3: move 99 is not legal")
        );
    }

    #[test]
    fn a_move_after_the_end_is_rejected() {
        let mut record = fixture::reported_game();
        record.moves = [1, 2, 1, 2, 1, 2, 1, 2].map(Move::Int).to_vec();
        let error = Story::new(record.clone(), fixture::variant()).unwrap_err();
        assert_eq!(
            (error.ply, error.source.to_string().as_str()),
            (8, "move 2 comes after the end of the game (line)")
        );
        record.moves[7] = Move::List(vec![2; 100_000]);
        let error = Story::new(record.clone(), fixture::variant()).unwrap_err();
        assert!(error.to_string().len() < 1_000, "{} bytes", error.to_string().len());
    }

    #[test]
    fn a_game_without_moves_ends_at_its_start() {
        let mut record = fixture::reported_game();
        (record.moves, record.opening, record.played) = (vec![], vec![], vec![]);
        record.evidence = [None, None];
        let story = Story::new(record, fixture::variant()).unwrap();
        assert_eq!(story.pictures.len(), 1);
        assert_eq!(story.ending(), ["minimax (X) wins: timeout", "grumpy (O): timeout"]);
    }
}
