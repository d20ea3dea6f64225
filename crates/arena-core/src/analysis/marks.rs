//! What an analysis says of each move of a game, in the words that exports, replays and reports share.

use super::entry::Entry;
use super::verdict::{Verdict, is_gain, verdict};
use crate::record::{GameResult, Record};
use crate::rules::{Move, Seat};
use crate::solver::{Known, Outlook, Value};

/// A move with what the positions around it are worth to its mover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The value before it, if known.
    pub before: Option<Known>,
    /// The value after it, if known.
    pub after: Option<Known>,
    could: Option<bool>,
    best: Option<Move>,
}

/// The moves of a game after its opening, with their marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// Moves of the opening.
    from: usize,
    moves: Vec<(Seat, Mark)>,
}

impl Mark {
    /// What the move cost, if that is known.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        Some(verdict(self.before?, self.after?))
    }

    /// Whether the move gave the result away.
    #[must_use]
    pub fn gave_away(&self) -> bool {
        matches!(self.verdict(), Some(Verdict::GaveAway(_)))
    }

    /// Whether some legal move gave the result away, if that is known.
    #[must_use]
    pub fn could(&self) -> Option<bool> {
        if self.gave_away() { Some(true) } else { self.could }
    }

    /// A move that keeps the value, if this one gave the result away and one is known.
    #[must_use]
    pub fn best(&self) -> Option<&Move> {
        self.best.as_ref().filter(|_| self.gave_away())
    }

    /// `W18 = L6`; `?` for a value that is not known, and nothing if both are not.
    #[must_use]
    pub fn values(&self) -> Option<String> {
        let text = |known: Option<Known>| known.map_or_else(|| "?".to_owned(), short);
        (self.before.or(self.after)).map(|_| format!("{} = {}", text(self.before), text(self.after)))
    }

    /// What is said of a move in a list, if anything: `win → loss: loses in 6; best 3`, or `−2` for a slower one.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        match self.verdict()? {
            Verdict::Slower(moves) => Some(format!("−{moves}")),
            _ => self.words(),
        }
    }

    /// The same in full: `win → loss: loses in 6; best 3`, `slower by 2 moves`.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        match self.verdict()? {
            Verdict::Best => None,
            Verdict::Slower(1) => Some("slower by 1 move".to_owned()),
            Verdict::Slower(moves) => Some(format!("slower by {moves} moves")),
            Verdict::GaveAway(kind) => {
                let change = kind.words();
                let loses_in = self.after.and_then(Known::value).and_then(Value::moves);
                let loses_in = loses_in.map(|moves| format!(": loses in {moves}")).unwrap_or_default();
                let best = self.best.as_ref().map(|best| format!("; best {best}")).unwrap_or_default();
                Some(format!("{change}{loses_in}{best}"))
            }
        }
    }
}

/// A value in short: `W18` wins with its 18th move from here, `L6` loses to the other side's 6th, `D` is a draw. `W` and `L`
/// where the distance is not known.
#[must_use]
pub fn short(known: Known) -> String {
    let letter = match known.outlook() {
        Outlook::Win => "W",
        Outlook::Draw => "D",
        Outlook::Loss => "L",
    };
    let moves = known.value().and_then(Value::moves);
    moves.map_or_else(|| letter.to_owned(), |moves| format!("{letter}{moves}"))
}

impl Marks {
    /// The marks of a game; `None` if the entry is not of this game, or of an older solver.
    #[must_use]
    pub fn of(entry: &Entry, record: &Record) -> Option<Self> {
        let (moves, opening) = (record.moves.len(), record.opening.len().min(record.moves.len()));
        if entry.from != opening || !entry.is_of(&record.moves) {
            return None;
        }
        Self::of_game(entry, moves, record.result, |ply| record.movers.seat(ply))
    }

    /// The marks of a game of which no more is known than its number of `moves` and its movers: `seat` knows them by ply. `None`
    /// also if a move would be worth more than its position.
    #[must_use]
    pub fn of_game(entry: &Entry, moves: usize, result: GameResult, seat: impl Fn(usize) -> Seat) -> Option<Self> {
        let mut found = entry.values();
        let own = moves.checked_sub(entry.from).filter(|own| *own > 0)?;
        // Where the rules ended the game, nothing follows the last move.
        let is_over = found.values.len() == own;
        let has_all = found.could.len() == own && (is_over || found.values.len() == own + 1);
        if !has_all || !entry.is_current() {
            return None;
        }
        let side = |place: usize| seat(entry.from + place);
        let last = is_over.then(|| ended(result, side(own - 1)));
        let mut kept = std::mem::take(&mut found.best);
        let mut mark = |place: usize| {
            let mark = Mark {
                before: found.values[place],
                after: found.after(place, last.map(|value| like(value, found.values[place]))),
                could: found.could[place],
                best: kept[place].take(),
            };
            (side(place), mark)
        };
        let moves: Vec<(Seat, Mark)> = (0..own).map(&mut mark).collect();
        let gains = |(_, mark): &(Seat, Mark)| mark.before.zip(mark.after).is_some_and(|(a, b)| is_gain(a, b));
        (!moves.iter().any(gains)).then_some(Self { from: entry.from, moves })
    }

    /// The mark of the move after `ply` plies; none in the opening.
    #[must_use]
    pub fn at(&self, ply: usize) -> Option<&Mark> {
        Some(&self.moves.get(ply.checked_sub(self.from)?)?.1)
    }

    /// For each seat, whether it gave the result away.
    #[must_use]
    pub fn gave_away(&self) -> [bool; 2] {
        Seat::BOTH.map(|seat| self.moves.iter().any(|(mover, mark)| *mover == seat && mark.gave_away()))
    }

    /// The seats and plies of the moves that gave the result away, in their order; the first move of a game has ply 0.
    pub fn given_away(&self) -> impl Iterator<Item = (Seat, usize)> + '_ {
        let given = (self.from..).zip(&self.moves).filter(|(_, (_, mark))| mark.gave_away());
        given.map(|(ply, (mover, _))| (*mover, ply))
    }

    /// Plies after which the result with best play did not change any more: the last move that gave it away is the last of
    /// them. `None` if that is not known.
    #[must_use]
    pub fn decided_at(&self) -> Option<usize> {
        for (place, (_, mark)) in self.moves.iter().enumerate().rev() {
            if matches!(mark.verdict()?, Verdict::GaveAway(_)) {
                return Some(self.from + place + 1);
            }
        }
        Some(self.from)
    }

    /// Moves of the opening.
    #[must_use]
    pub const fn from(&self) -> usize {
        self.from
    }

    /// The results with best play, as the first seat sees them: of the position after the opening, and after each move.
    #[must_use]
    pub fn outlooks_of_first(&self) -> Vec<Option<Outlook>> {
        let seen = |mover: Seat, known: Known| match mover {
            Seat::First => known.outlook(),
            Seat::Second => known.outlook().before(),
        };
        let of = |value: Option<Known>, mover| value.map(|known| seen(mover, known));
        let start = self.moves.first().map(|(mover, mark)| of(mark.before, *mover));
        start.into_iter().chain(self.moves.iter().map(|(mover, mark)| of(mark.after, *mover))).collect()
    }
}

/// What the last move is worth to its mover in a game that the rules ended with this result.
fn ended(result: GameResult, mover: Seat) -> Value {
    match result.winner() {
        None => Value::Draw,
        Some(winner) if winner == mover => Value::Win(1),
        Some(_) => Value::Loss(1),
    }
}

/// The value, without its distance if that of the position before is not known either.
fn like(value: Value, before: Option<Known>) -> Known {
    match before {
        Some(Known::Result(_)) => Known::Result(value.outlook()),
        _ => Known::Exact(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Value::{Draw, Loss, Win};

    #[track_caller]
    fn check(before: Option<Known>, after: Option<Known>, expected: [Option<&str>; 3]) {
        let mark = Mark { before, after, could: None, best: None };
        let said = [mark.values(), mark.note(), mark.words()];
        assert_eq!(said.each_ref().map(Option::as_deref), expected);
    }

    #[test]
    fn words_say_what_a_move_cost() {
        let exact = |before, after| (Some(Known::Exact(before)), Some(Known::Exact(after)));
        let of = |(before, after), expected| check(before, after, expected);
        let lost = Some("win → loss: loses in 6");
        of(exact(Win(35), Loss(12)), [Some("W18 = L6"), lost, lost]);
        of(exact(Win(1), Draw), [Some("W1 = D"), Some("win → draw"), Some("win → draw")]);
        let lost = Some("draw → loss: loses in 1");
        of(exact(Draw, Loss(2)), [Some("D = L1"), lost, lost]);
        of(exact(Win(1), Win(5)), [Some("W1 = W3"), Some("−2"), Some("slower by 2 moves")]);
        of(exact(Loss(4), Loss(2)), [Some("L2 = L1"), Some("−1"), Some("slower by 1 move")]);
        of(exact(Win(3), Win(3)), [Some("W2 = W2"), None, None]);
        let result = |outlook| Some(Known::Result(outlook));
        let lost = Some("win → loss");
        check(result(Outlook::Win), result(Outlook::Loss), [Some("W = L"), lost, lost]);
        check(None, Some(Known::Exact(Draw)), [Some("? = D"), None, None]);
        check(None, None, [None; 3]);
    }

    fn alternate(ply: usize) -> Seat {
        Seat::BOTH[ply % 2]
    }

    fn entry(values: &str, could: &str) -> Entry {
        let solver = super::super::solver_name(&"connect4".parse().expect("a game")).expect("a solver");
        let text = format!(r#"{{"id":"7f3a","solver":"{solver}","from":2,"values":{values},"could":{could}}}"#);
        serde_json::from_str(&text).expect("an entry")
    }

    #[test]
    fn the_last_change_of_the_result_decides_a_game() {
        let marks = |values, moves| {
            let could = format!("[{}]", vec!["0"; moves - 2].join(","));
            Marks::of_game(&entry(values, &could), moves, GameResult::FirstWins, alternate)
        };
        let decided = |values, moves| marks(values, moves).expect("marks").decided_at();
        // The second seat gives a draw away with ply 4, and then the rules end the game.
        assert_eq!(decided("[0,0,3,-2,1]", 7), Some(4));
        assert_eq!(decided("[3,-2,1]", 5), Some(2));
        assert_eq!(decided("[null,null,1]", 5), None);
        assert_eq!(decided("[null,0,1]", 5), Some(4));
        let all = marks("[0,0,3,-2,1]", 7).expect("marks");
        assert_eq!(all.gave_away(), [false, true]);
        let seen = all.outlooks_of_first();
        assert_eq!(seen, [0, 0, 1, 1, 1, 1].map(|won| Some(if won == 1 { Outlook::Win } else { Outlook::Draw })));
        assert_eq!((all.at(1), all.at(6).and_then(Mark::values)), (None, Some("W1 = W1".to_owned())));
        // Values of another game are not taken for those of this one.
        assert!(marks("[0,0,3]", 8).is_none());
        // The best move is not always found.
        let kept = r#"[0,0,3,-2,1],"best":[[3,5],[4,0],[9,9]]"#;
        for (values, said) in [("[0,0,3,-2,1]", "draw → loss: loses in 2"), (kept, "draw → loss: loses in 2; best 5")]
        {
            let (could, result) = ("[0,0,0,0,0]", GameResult::FirstWins);
            let marks = Marks::of_game(&entry(values, could), 7, result, alternate).expect("marks");
            let mark = marks.at(3).expect("a mark");
            assert_eq!([mark.words(), mark.note()], [Some(said.to_owned()), Some(said.to_owned())]);
            // What was not given away has none to be named.
            assert_eq!((mark.best().is_some(), marks.at(4).and_then(Mark::best)), (said.ends_with('5'), None));
        }
        let old = serde_json::from_str(r#"{"id":"7f3a","solver":"connect4-0","from":0,"values":[1],"could":[0]}"#);
        assert!(Marks::of_game(&old.expect("an entry"), 1, GameResult::FirstWins, alternate).is_none());
    }
}
