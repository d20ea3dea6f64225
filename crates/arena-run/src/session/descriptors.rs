//! The number of games that the open file limit allows at a time.

use arena_play::executor::LIVE_BOTS_MAX;

/// A running bot: its three pipes, the socket to its guard, two descriptors for its end, and three of its cgroup.
const PER_BOT: u64 = 9;
/// A start: the bot's ends of its pipes, the guard's of its socket, temporary ones, and the claim to a processor.
const PER_GAME: u64 = 9;
/// Everything else: the journal, its lock, logs, tables, the runtime, and inherited descriptors.
const OURS: u64 = 24;

/// Bots of a game, and two that wait for the next one.
const LIVE_MIN: usize = 4;

/// Connections that are always possible, and at most.
const VIEWERS: [u64; 2] = [64, 2_000];
/// Descriptors of a server besides its connections: its socket, its runtime, connections that it refuses, and files that it
/// sends.
const SERVER: u64 = 80;

/// What can run at once within the open file limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Games at a time.
    pub games: usize,
    /// Bots that each slot keeps alive for its next games.
    pub live_bots: usize,
}

impl Capacity {
    /// At most `wanted` games between `bots` bots, with this open file limit.
    #[must_use]
    pub fn of(open_files: u64, wanted: usize, bots: usize) -> Self {
        let free = open_files.saturating_sub(OURS);
        let least = bots.min(LIVE_MIN) as u64 * PER_BOT + PER_GAME;
        // At least one game: waiting bots are stopped when descriptors run out.
        let games = (free / least).clamp(1, wanted.max(1) as u64);
        // Two play while the others wait.
        let live = ((free / games).saturating_sub(PER_GAME) / PER_BOT).saturating_sub(2);
        Self { games: games as usize, live_bots: (live as usize).clamp(1, bots.clamp(1, LIVE_BOTS_MAX)) }
    }
}

/// Viewers that a page can have while `wanted` games run between `bots` bots, with this open file limit, and the files
/// that they and their server open. Few take precedence over bots that wait, and games over all of them.
#[must_use]
pub fn viewers(open_files: u64, wanted: usize, bots: usize) -> (usize, u64) {
    let Capacity { games, live_bots } = Capacity::of(open_files, wanted, bots);
    let needed = OURS + games as u64 * ((live_bots as u64 + 2) * PER_BOT + PER_GAME);
    let viewers = open_files.saturating_sub(needed + SERVER).clamp(VIEWERS[0], VIEWERS[1]);
    (viewers as usize, viewers + SERVER)
}

/// The open file limit.
#[must_use]
pub fn open_files_max() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games_and_bots(open_files: u64, wanted: usize, bots: usize) -> (usize, usize) {
        let Capacity { games, live_bots } = Capacity::of(open_files, wanted, bots);
        (games, live_bots)
    }

    #[test]
    fn viewers_get_what_the_bots_leave() {
        assert_eq!(viewers(20_000, 2, 20), (2_000, 2_080));
        assert_eq!(viewers(1_024, 2, 20).0, 1_024 - 24 - 2 * (22 * 9 + 9) - 80);
        // Waiting bots would take everything.
        let (viewers, files) = viewers(1_024, 2, 500);
        assert_eq!((viewers, files), (64, 144));
        assert_eq!(games_and_bots(1_024 - files, 2, 500), (2, 44));
    }

    #[test]
    fn games_come_first_and_bots_that_wait_second() {
        assert_eq!(games_and_bots(1024, 2, 20), (2, 20));
        assert_eq!(games_and_bots(1024, 2, 500), (2, 52));
        assert_eq!(games_and_bots(1024, 16, 500), (16, 3));
        assert_eq!(games_and_bots(1024, 100, 500), (22, 2));
        assert_eq!(games_and_bots(1024, 100, 2), (37, 1));
        assert_eq!(games_and_bots(u64::MAX, 8, 500), (8, LIVE_BOTS_MAX));
        assert_eq!(games_and_bots(80, 4, 3), (1, 3));
        assert_eq!([0, 40].map(|limit| games_and_bots(limit, 4, 3)), [(1, 1); 2]);
    }
}
