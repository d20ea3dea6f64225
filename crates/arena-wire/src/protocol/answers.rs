//! What a process has answered to move requests, and how many lines beside that: where a reply does not name its question, this
//! tells whether an illegal move is likely the answer to another question.

use std::collections::VecDeque;

use arena_core::text::counted;

/// Answers that are remembered, the last one included: a line that comes some milliseconds late is one of them, however fast
/// the games are.
const REMEMBERED: usize = 16;

/// The answers of one process.
#[derive(Debug, Default)]
pub struct Answers {
    /// Stale lines since the last answer of this game, and those between that answer and the one before it. `None` before the
    /// first answer.
    after_last: Option<u32>,
    after_one_before: Option<u32>,
    /// Stale lines of the process.
    surplus: u32,
    /// Answers of this game.
    of_game: usize,
    /// The beginnings of the last answers of the process as they came, the last one first.
    recent: VecDeque<Vec<u8>>,
}

impl Answers {
    /// A game begins or ends.
    pub(super) fn restart(&mut self) {
        (self.after_last, self.after_one_before, self.of_game) = (None, None, 0);
    }

    /// A line that begins so was taken for an answer.
    pub(super) fn note_answer(&mut self, line: &[u8]) {
        self.after_one_before = self.after_last.replace(0);
        self.of_game += 1;
        let oldest = if self.recent.len() == REMEMBERED { self.recent.pop_back() } else { None };
        let mut kept = oldest.unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(line.trim_ascii());
        self.recent.push_front(kept);
    }

    /// A line was dropped because it answers no open question.
    pub(super) fn note_stale(&mut self) {
        self.after_last = self.after_last.map(|surplus| surplus + 1);
        self.surplus = self.surplus.saturating_add(1);
    }

    /// That the bot has written more answers than it was asked for, or its last one before; the beginning of a sentence.
    #[must_use]
    pub fn too_many(&self) -> Option<String> {
        let [before, since] = self.counts();
        let told = match (before, since, self.repeated()) {
            (Some(count), ..) => Some(format!("it wrote {count} lines for the move before")),
            (None, Some(count), _) => {
                Some(format!("it wrote {count} lines for this move, or one of them for an earlier one"))
            }
            (None, None, Some((1, true))) => Some("it wrote the same line for the move before".to_owned()),
            (None, None, Some((ago, same_game))) => {
                let game = if same_game { "" } else { ", in another game" };
                Some(format!("it wrote the same line {} earlier{game}", counted(ago, "move")))
            }
            (None, None, None) => None,
        };
        if self.surplus <= [before, since].into_iter().flatten().map(|count| count - 1).sum() {
            return told;
        }
        let in_all = format!("{} since its start that answered nothing", counted(self.surplus as usize, "line"));
        Some(told.map_or_else(|| format!("it wrote {in_all}"), |told| format!("{told}, and {in_all}")))
    }

    /// Whether its last answer is likely one to another question.
    #[must_use]
    pub fn are_likely_confused(&self) -> bool {
        let is_counted = self.counts().iter().any(Option::is_some);
        is_counted || self.surplus > 0 && self.repeated().is_some()
    }

    /// How many answers it has written to the question before the last one, and since the last one, where that is more than
    /// one: the first counts, and those that were dropped before the next question.
    fn counts(&self) -> [Option<u32>; 2] {
        [self.after_one_before, self.after_last]
            .map(|surplus| surplus.filter(|surplus| *surplus > 0).map(|surplus| surplus + 1))
    }

    /// How many answers before the last one the same line was one, if it was, and whether that was in the same game.
    fn repeated(&self) -> Option<(usize, bool)> {
        let (last, earlier) = (self.recent.front()?, self.recent.iter().skip(1));
        let ago = earlier.enumerate().find_map(|(index, answer)| (answer == last).then_some(index + 1))?;
        Some((ago, ago < self.of_game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(answers: &Answers) -> (String, bool) {
        (answers.too_many().unwrap_or_default(), answers.are_likely_confused())
    }

    #[test]
    fn an_answer_that_was_given_before_is_told_across_games() {
        let mut answers = Answers::default();
        let said = |says: &str, is_confused: bool| (says.to_owned(), is_confused);
        for line in ["a", "b", "c"] {
            answers.note_answer(line.as_bytes());
            assert_eq!(told(&answers), said("", false));
        }
        answers.note_answer(b"a\r");
        assert_eq!(told(&answers), said("it wrote the same line 3 moves earlier", false));
        answers.note_answer(b"a");
        assert_eq!(told(&answers), said("it wrote the same line for the move before", false));
        answers.restart();
        answers.note_answer(b"a");
        assert_eq!(told(&answers), said("it wrote the same line 1 move earlier, in another game", false));
        answers.restart();
        // Before the first answer of the game.
        answers.note_stale();
        answers.note_answer(b"c");
        let line =
            "it wrote the same line 4 moves earlier, in another game, and 1 line since its start that answered nothing";
        assert_eq!(told(&answers), said(line, true));
        answers.note_answer(b"d");
        assert_eq!(told(&answers), said("it wrote 1 line since its start that answered nothing", false));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut answers = Answers::default();
        for number in 0..1_000 {
            answers.note_answer(format!("{}", number % REMEMBERED).as_bytes());
            assert_eq!(answers.repeated(), None, "{number}: so many answers ago");
        }
        assert_eq!(answers.recent.len(), REMEMBERED);
    }

    #[test]
    fn lines_too_many_are_counted_for_a_move_and_over_the_process() {
        let mut answers = Answers::default();
        answers.note_answer(b"a");
        answers.note_stale();
        let said = |says: &str| (says.to_owned(), true);
        assert_eq!(told(&answers), said("it wrote 2 lines for this move, or one of them for an earlier one"));
        answers.note_answer(b"a");
        assert_eq!(told(&answers), said("it wrote 2 lines for the move before"));
        answers.note_stale();
        assert_eq!(told(&answers), said("it wrote 2 lines for the move before"));
        answers.note_answer(b"b");
        answers.note_stale();
        answers.note_stale();
        let in_all = "it wrote 2 lines for the move before, and 4 lines since its start that answered nothing";
        assert_eq!(told(&answers), said(in_all));
    }
}
