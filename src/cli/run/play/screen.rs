//! On a terminal: the screen.

use arena_run::sitting::{SittingSetup, ThreadSettings};

use super::sit_down;
use crate::cli::screen::on_stdout;
use crate::cli::{Exit, tell};
use crate::tui::{self, PlayScreen, ScreenEnd, TerminalLook};

/// What the terminal is asked for.
pub(super) fn look() -> TerminalLook {
    TerminalLook { colour: on_stdout().colour, mouse: true }
}

pub(super) fn run(
    setup: SittingSetup,
    settings: ThreadSettings,
    tokio: &tokio::runtime::Runtime,
) -> anyhow::Result<Exit> {
    let inbox = tui::inbox();
    let sitting = sit_down(setup, settings, tokio, inbox.post())?;
    let mut play = PlayScreen::new(sitting);
    let end = tui::run(&mut play, look(), &inbox);
    match play.leave() {
        Some(Ok(command)) => tell(&format!("`{command}` shows the last game")),
        Some(Err(why)) => tell(&format!("the last game is not saved: {why}")),
        None => {}
    }
    // The bots leave.
    drop(play);
    Ok(match end? {
        ScreenEnd::Left => Exit::Done,
        ScreenEnd::Signal => Exit::Killed,
    })
}
