//! The players of a table.

use std::collections::HashMap;

use super::{ImportError, Table};

/// Players by name, numbered as they come.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
    /// The row before: the two games of a pair have the same names, swapped.
    last: [(Vec<u8>, u32); 2],
}

impl Names {
    pub(super) fn numbers(&mut self, names: [&[u8]; 2], line: u64) -> Result<[u32; 2], ImportError> {
        let [(first, first_number), (second, second_number)] = &self.last;
        if names == [second.as_slice(), first.as_slice()] && !names[0].is_empty() {
            return Ok([*second_number, *first_number]);
        }
        let numbers = [self.number(names[0], line)?, self.number(names[1], line)?];
        for ((last, last_number), (name, number)) in self.last.iter_mut().zip(names.into_iter().zip(numbers)) {
            last.clear();
            last.extend_from_slice(name);
            *last_number = number;
        }
        Ok(numbers)
    }

    fn number(&mut self, name: &[u8], line: u64) -> Result<u32, ImportError> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        if name.is_empty() {
            return Err(ImportError::Row { line, what: "a player has no name".to_owned() });
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_vec(), number);
        Ok(number)
    }

    /// Renumbers the players by name, so that nothing depends on the order of the rows.
    pub(super) fn sort_into(self, table: &mut Table) {
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
