//! On a terminal: the screen.

use arena_run::sitting::{SittingSetup, ThreadSettings};

use super::sit_down;
use crate::cli::{Exit, Io};
use crate::tui::{self, PlayScreen, ScreenEnd, TerminalLook};

/// What the terminal is asked for.
pub(super) fn look(io: &Io) -> TerminalLook {
    TerminalLook { colour: io.on_stdout().colour, mouse: true }
}

pub(super) fn run(
    setup: SittingSetup,
    settings: ThreadSettings,
    tokio: &tokio::runtime::Runtime,
    io: &Io,
) -> anyhow::Result<Exit> {
    let inbox = tui::inbox();
    let sitting = sit_down(setup, settings, tokio, inbox.post())?;
    let mut play = PlayScreen::new(sitting);
    let end = tui::run(&mut play, look(io), &inbox);
    match play.leave() {
        Some(Ok(command)) => io.tell(&format!("`{command}` shows the last game")),
        Some(Err(why)) => io.tell(&format!("the last game is not saved: {why}")),
        None => {}
    }
    // The bots leave.
    drop(play);
    Ok(match end? {
        ScreenEnd::Left => Exit::Done,
        ScreenEnd::Signal => Exit::Killed,
    })
}
