//! Finds games that are recorded more than once, in one file or in two.
//!
//! Two records are one game if they are equal: the same tags or cells, the same moves, the same result. That alone is not
//! enough, since bots without randomness repeat their games, and a table of players and results has many equal rows. So
//! a record also needs a name: an address, an identifier or a time; or a round or a number, if its moves are known. And the
//! names of a file must tell its games apart ([`shared_names`]).

use super::file::{GameFile, Identity, RowState};

/// Copies that were found.
pub(super) struct Copies {
    /// The file and the row of each copy, in order.
    pub(super) rows: Vec<(u32, u32)>,
    /// Number of games that are equal to another one, but whose names do not tell games apart.
    pub(super) doubtful: usize,
}

struct Record {
    identity: Identity,
    file: u32,
    row: u32,
}

/// Finds the copies, and marks them. Of several records the one in the file with the most games counts, so that a file
/// which is contained in another one changes nothing.
pub(super) fn mark_copies(files: &mut [GameFile]) -> Copies {
    let mut records = Vec::with_capacity(files.iter().map(|file| file.identities.len()).sum());
    for (number, file) in (0..).zip(files.iter_mut()) {
        let record = |(row, identity): (u32, Identity)| {
            let result = file.rows[row as usize].result()?;
            Some(Record { identity: identity.with(result), file: number, row })
        };
        records.extend(std::mem::take(&mut file.identities).into_iter().filter_map(record));
    }
    let key = |record: &Record| (record.identity.name, record.identity.whole);
    records.sort_by_key(key);
    let is_shared = shared_names(&records, files.len());
    let size = |record: &Record| files[record.file as usize].rows.len();
    let mut copies = Copies { rows: Vec::new(), doubtful: 0 };
    for same in records.chunk_by(|one, other| key(one) == key(other)).filter(|same| same.len() > 1) {
        let rank = |record: &&Record| (std::cmp::Reverse(size(record)), record.file, record.row);
        let Some(counted) = same.iter().min_by_key(rank) else { continue };
        for copy in same.iter().filter(|copy| (copy.file, copy.row) != (counted.file, counted.row)) {
            if !is_shared[copy.file as usize] && !is_shared[counted.file as usize] {
                copies.rows.push((copy.file, copy.row));
            } else if copy.file != counted.file {
                copies.doubtful += 1;
            }
        }
    }
    copies.rows.sort_unstable();
    for (file, row) in &copies.rows {
        files[*file as usize].rows[*row as usize].state = RowState::Copy;
    }
    copies
}

/// Whether the names of each file do not tell its games apart: on average more than two of its games have the same one, as if
/// all were of round 1; or other games, with other moves or another result, have the names of more than one in ten as many
/// as have copies, as if numbers began anew every night.
fn shared_names(records: &[Record], files: usize) -> Vec<bool> {
    #[derive(Clone, Copy, Default)]
    struct Names {
        games: usize,
        different: usize,
        copied: usize,
        contradicted: usize,
    }
    let mut all = vec![Names::default(); files];
    for named in records.chunk_by(|one, other| one.identity.name == other.identity.name) {
        let is_one = named[0].identity.whole == named[named.len() - 1].identity.whole;
        let mut before = None;
        for record in named {
            let names = &mut all[record.file as usize];
            names.games += 1;
            names.copied += usize::from(is_one && named.len() > 1);
            names.contradicted += usize::from(!is_one);
            // Equal records are in the order of their files.
            names.different += usize::from(before != Some(record.file));
            before = Some(record.file);
        }
    }
    all.iter().map(|names| names.games > 2 * names.different || 10 * names.contradicted > names.copied).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::Row;
    use super::*;
    use crate::record::GameResult;

    /// The copies among files of games, each with its name and the rest of it.
    fn copies(files: &[&[(u64, u64)]]) -> (Vec<(u32, u32)>, usize) {
        let file = |games: &&[(u64, u64)]| {
            let mut file = GameFile::new("it", true);
            for (number, (name, rest)) in (0..).zip(*games) {
                file.rows.push(Row::new(1, [0, 1], RowState::Game(GameResult::Draw)));
                file.identities.push((number, Identity { name: *name, whole: 1_000 * name + rest }));
            }
            file
        };
        let found = mark_copies(&mut files.iter().map(file).collect::<Vec<_>>());
        (found.rows, found.doubtful)
    }

    #[test]
    fn a_record_counts_where_most_games_are() {
        let (night, all) = ([(1, 0), (2, 0)], [(3, 0), (1, 0), (2, 0)]);
        assert_eq!(copies(&[&night, &all]), (vec![(0, 0), (0, 1)], 0));
        assert_eq!(copies(&[&all, &night]), (vec![(1, 0), (1, 1)], 0));
        assert_eq!(copies(&[&night, &night]), (vec![(1, 0), (1, 1)], 0));
        assert_eq!(copies(&[&[(1, 0), (2, 0), (1, 0)]]), (vec![(0, 2)], 0), "twice in one file");
    }

    #[test]
    fn names_that_many_games_share_tell_nothing() {
        assert_eq!(copies(&[&[(1, 0), (1, 0), (1, 0)]]), (vec![], 0), "one round for all");
        assert_eq!(copies(&[&[(1, 0), (2, 0)], &[(1, 0), (2, 5)]]), (vec![], 1), "numbers began anew");
        let mut night: Vec<(u64, u64)> = (0..40).map(|name| (name, 0)).collect();
        let all = night.clone();
        night[7].1 = 3;
        assert_eq!(copies(&[&night, &all]).0.len(), 39, "one result was corrected");
    }
}
