//! The processes of rules: one of each program for each thread that needs one, kept over games.

use std::cell::RefCell;

use super::broken::{Broken, Failing};
use super::game::ProgramGame;
use super::process::Process;

/// A process, and the position that it is in.
pub(super) struct Running {
    game: &'static ProgramGame,
    pub(super) process: Process,
    /// The number of the position; 0 if that is not known.
    pub(super) at: u64,
}

thread_local! {
    static RUNNING: RefCell<Vec<Running>> = const { RefCell::new(Vec::new()) };
}

/// Uses this thread's process of a program, which is started if there is none. If that fails, the process is ended.
pub(super) fn with<T>(
    game: &'static ProgramGame,
    work: impl FnOnce(&mut Running) -> Result<T, Box<Broken>>,
) -> Result<T, Box<Broken>> {
    let mut running = match take(game) {
        Some(running) => running,
        None => Running { game, process: game.start()?, at: 0 },
    };
    let done = match work(&mut running) {
        Ok(done) => done,
        Err(broken) => {
            // All else was noted where it was found.
            if broken.how == Failing::Contradiction {
                running.process.note(&broken.to_string());
            }
            return Err(broken);
        }
    };
    RUNNING.with_borrow_mut(|all| all.push(running));
    Ok(done)
}

/// Keeps a process that was just started.
pub(super) fn keep(game: &'static ProgramGame, process: Process) {
    RUNNING.with_borrow_mut(|all| all.push(Running { game, process, at: 0 }));
}

fn take(game: &'static ProgramGame) -> Option<Running> {
    RUNNING.with_borrow_mut(|all| {
        let place = all.iter().position(|running| std::ptr::eq(running.game, game))?;
        Some(all.swap_remove(place))
    })
}

/// Ends this thread's processes of rules.
pub fn leave() {
    // If some do not leave in time, they are killed, which is all that can be done.
    for running in RUNNING.take() {
        let _ = running.process.leave();
    }
}
