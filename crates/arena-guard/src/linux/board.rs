//! Numbers that a guard shares with the referee while its bot runs, in a file of memory: no message is sent, and nothing is lost
//! with the guard.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::MemfdFlags;

use crate::MemoryUse;

/// Numbers of system calls whose refusals are counted, at the places of the same numbers; there are fewer.
pub(super) const CALLS: usize = 1_024;
/// The places of a [`MemoryUse`].
const HELD: usize = CALLS;
const RESERVED: usize = CALLS + 1;
const PLACES: usize = CALLS + 2;
/// Size of a number.
const BYTES: usize = size_of::<u64>();

/// The guard's side; without a file if the system gave none.
#[derive(Debug)]
pub(super) struct Board(Option<File>);

impl Board {
    pub(super) fn new() -> Self {
        Self(rustix::fs::memfd_create(c"board", MemfdFlags::CLOEXEC).ok().map(File::from))
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(AsFd::as_fd)
    }

    /// Writes a number. If this fails, the next one at this place is written all the same.
    pub(super) fn write(&self, place: usize, number: u64) {
        if let Some(file) = &self.0 {
            let _ = file.write_all_at(&number.to_ne_bytes(), (place * BYTES) as u64);
        }
    }

    pub(super) fn write_memory(&self, peak: MemoryUse) {
        self.write(HELD, peak.held_kb);
        self.write(RESERVED, peak.reserved_kb);
    }
}

/// The numbers in `file`, in the referee; 0 where none was written or can be read.
fn read(file: BorrowedFd<'_>) -> [u64; PLACES] {
    let mut bytes = [0; PLACES * BYTES];
    let count = rustix::io::retry_on_intr(|| rustix::io::pread(file, &mut bytes, 0)).unwrap_or(0);
    let (numbers, _) = bytes[..count].as_chunks();
    let mut all = [0; PLACES];
    all.iter_mut().zip(numbers).for_each(|(place, number)| *place = u64::from_ne_bytes(*number));
    all
}

/// How often each call was refused so far, by its number.
pub(super) fn refused(file: BorrowedFd<'_>) -> impl Iterator<Item = (u32, u64)> {
    (0..).zip(read(file)).take(CALLS).filter(|(_, count)| *count > 0)
}

/// The most memory so far.
pub(super) fn memory(file: BorrowedFd<'_>) -> MemoryUse {
    let all = read(file);
    MemoryUse { held_kb: all[HELD], reserved_kb: all[RESERVED] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let board = Board::new();
        let file = board.fd().expect("a file");
        assert_eq!((refused(file).count(), memory(file)), (0, MemoryUse::default()));
        let peak = MemoryUse { held_kb: 5, reserved_kb: u64::MAX };
        board.write_memory(peak);
        assert_eq!((refused(file).count(), memory(file)), (0, peak));
        board.write(7, 3);
        board.write(CALLS - 1, 1);
        assert_eq!((refused(file).collect::<Vec<_>>(), memory(file)), (vec![(7, 3), (CALLS as u32 - 1, 1)], peak));
    }
}
