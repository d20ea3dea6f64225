//! Who made each move of a game.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

use super::Seat;

/// Who made each move of a game, by the number of moves before it.
///
/// Takes no memory while the seats alternate and the first one moved first, as in most games. As JSON it is a string of one
/// digit a move, empty for such games: `"0010"` where the third move was again the first seat's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Movers(Vec<Seat>);

impl Movers {
    /// The mover of the move with this number, from 0. For a number beyond the moves that it was made from, the seat as if
    /// turns alternated.
    #[must_use]
    pub fn seat(&self, number: usize) -> Seat {
        self.0.get(number).copied().unwrap_or_else(|| Seat::after(number))
    }

    /// Adds the mover of the next move, which has this number.
    pub fn push(&mut self, number: usize, mover: Seat) {
        if self.0.is_empty() && mover == Seat::after(number) {
            return;
        }
        let known = self.0.len();
        self.0.extend((known..number).map(Seat::after));
        self.0.truncate(number);
        self.0.push(mover);
    }

    /// Whether the seats alternate, the first one first.
    #[must_use]
    pub fn alternate(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Seat> for Movers {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut movers = Self::default();
        for (number, seat) in seats.into_iter().enumerate() {
            movers.push(number, seat);
        }
        movers
    }
}

impl fmt::Display for Movers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|seat| write!(f, "{}", seat.index()))
    }
}

impl Serialize for Movers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Movers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let seat = |digit: char| match digit {
            '0' => Ok(Seat::First),
            '1' => Ok(Seat::Second),
            _ => Err(de::Error::invalid_value(de::Unexpected::Char(digit), &"a string of the digits 0 and 1")),
        };
        text.chars().map(seat).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn alternating_movers_take_nothing() {
        let movers: Movers = (0..9).map(Seat::after).collect();
        assert!(movers.alternate());
        assert_eq!(serde_json::to_string(&movers).unwrap(), r#""""#);
        assert!(serde_json::from_str::<Movers>(r#""012""#).unwrap_err().to_string().contains("the digits 0 and 1"));
    }

    proptest! {
        #[test]
        fn each_mover_is_kept_and_read_back(seats in proptest::collection::vec(any::<bool>(), 0..20)) {
            let seats: Vec<Seat> = seats.into_iter().map(|second| Seat::BOTH[usize::from(second)]).collect();
            let movers: Movers = seats.iter().copied().collect();
            let read: Movers = serde_json::from_str(&serde_json::to_string(&movers).unwrap()).unwrap();
            prop_assert_eq!(&read, &movers);
            let kept: Vec<Seat> = (0..seats.len()).map(|number| movers.seat(number)).collect();
            prop_assert_eq!(movers.alternate(), (0..seats.len()).all(|number| kept[number] == Seat::after(number)));
            prop_assert_eq!(kept, seats);
        }
    }
}
