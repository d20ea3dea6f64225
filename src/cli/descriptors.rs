//! How many games at a time the descriptors of this process are enough for.

use super::tell;
use crate::tournament::LIVE_BOTS_MAX;

/// A running bot: its three pipes, the socket to its guard, two that tell of its end, and three of its cgroup.
const PER_BOT: u64 = 9;
/// A start: the bot's ends of its pipes, the guard's of its socket, and what is looked at meanwhile; and the claim to a
/// processor.
const PER_GAME: u64 = 9;
/// Everything else: the journal, its lock, logs, tables, the runtime, and what we were started with.
const OURS: u64 = 24;

/// Games at a time: `wanted`, or fewer, which is told, if more of `bots` bots could not be run.
pub(super) fn enough_for(wanted: usize, bots: usize) -> usize {
    let Some(limit) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current else { return wanted };
    let most = games_at_a_time(limit, bots);
    if most < wanted {
        tell(&format!("playing {most} at a time instead of {wanted}: only {limit} files may be open (ulimit -n)"));
    }
    wanted.min(most)
}

fn games_at_a_time(limit: u64, bots: usize) -> usize {
    // Two play while the others wait.
    let live = bots.min(LIVE_BOTS_MAX + 2) as u64;
    // One game is always tried: bots that wait are sent away when descriptors run out.
    (limit.saturating_sub(OURS) / (live * PER_BOT + PER_GAME)).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_bots_leave_room_for_few_games() {
        assert_eq!(games_at_a_time(1024, 2), 37);
        assert_eq!(games_at_a_time(1024, 18), 5);
        assert_eq!(games_at_a_time(1024, 500), 5);
        assert_eq!(games_at_a_time(80, 3), 1);
        assert_eq!(games_at_a_time(40, 3), 1);
        assert_eq!(games_at_a_time(0, 3), 1);
    }
}
