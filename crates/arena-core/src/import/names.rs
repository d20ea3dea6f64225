//! The names of the players of a table.

use std::collections::HashMap;

use super::missing::is_missing;
use super::{GameTable, LeftOutCause};
use crate::stats::PLAYERS_MAX;
use crate::text::shown;

/// Maximum length of a name, in bytes. Tables repeat the names of all players.
const NAME_BYTES_MAX: usize = 1_000;

/// Why the game of two players cannot count, whatever its result. A player called `bye` is one only if the game has no moves.
pub(super) fn flaw(players: [&[u8]; 2], has_moves: bool) -> Option<LeftOutCause> {
    let any = |is: &dyn Fn(&[u8]) -> bool| players.into_iter().any(is);
    if any(&|name| name != b"?" && is_missing(name)) {
        return Some(LeftOutCause::NoName);
    }
    if any(&|name| name == b"?" || !has_moves && name.eq_ignore_ascii_case(b"bye")) {
        return Some(LeftOutCause::Bye);
    }
    if any(&|name| name.len() > NAME_BYTES_MAX) {
        return Some(LeftOutCause::LongName);
    }
    (players[0] == players[1]).then_some(LeftOutCause::Itself)
}

/// Player names, numbered in order of appearance.
#[derive(Default)]
pub(super) struct PlayerNames {
    numbers: HashMap<Vec<u8>, u32>,
    /// The previous row: the two games of a pair have the same names, swapped.
    last: [(Vec<u8>, u32); 2],
}

impl PlayerNames {
    /// The numbers of two players, whose names have no [`flaw`]; fails for too many players.
    pub(super) fn numbers(&mut self, names: [&[u8]; 2]) -> Result<[u32; 2], String> {
        let [(first, first_number), (second, second_number)] = &self.last;
        if names == [second.as_slice(), first.as_slice()] && !names[0].is_empty() {
            return Ok([*second_number, *first_number]);
        }
        let numbers = [self.number(names[0])?, self.number(names[1])?];
        for ((last, last_number), (name, number)) in self.last.iter_mut().zip(names.into_iter().zip(numbers)) {
            last.clear();
            last.extend_from_slice(name);
            *last_number = number;
        }
        Ok(numbers)
    }

    fn number(&mut self, name: &[u8]) -> Result<u32, String> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        if self.numbers.len() == PLAYERS_MAX {
            let name = shown(&String::from_utf8_lossy(name));
            return Err(format!(
                "`{name}` is player {}, and at most {PLAYERS_MAX} can be rated together, since memory grows with the square of \
                 their number; rate parts of the games, or leave out players with few games",
                PLAYERS_MAX + 1
            ));
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_vec(), number);
        Ok(number)
    }

    /// Renumbers the players by name, so that their numbers do not depend on the order of the rows.
    pub(super) fn sort_into(self, table: &mut GameTable) {
        let mut sorted: Vec<(Vec<u8>, u32)> = self.numbers.into_iter().collect();
        sorted.sort();
        let mut place = vec![0; sorted.len()];
        for (index, (_, number)) in sorted.iter().enumerate() {
            place[*number as usize] = index as u32;
        }
        for game in &mut table.games {
            game.first = place[game.first as usize];
            game.second = place[game.second as usize];
        }
        table.names = sorted.into_iter().map(|(name, _)| name).collect();
    }
}
