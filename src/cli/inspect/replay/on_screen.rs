//! `arena replay` on a terminal.

use std::path::Path;

use anyhow::Context as _;
use arena_core::rules::Variant;
use arena_core::speech::Speech;
use arena_core::text::shell_word;
use arena_run::session::Archive;
use arena_show::views::Story;
use arena_store::report::{List, ListedGame};
use arena_wire::protocol::protocol_of;

use super::Exit;
use crate::cli::Io;
use crate::tui::replay::{Games, Opened, Replay};
use crate::tui::{ScreenEnd, TerminalLook, inbox, run};

/// The games of results folders.
struct Shelf(Archive);

impl Games for Shelf {
    fn list(&mut self) -> anyhow::Result<List> {
        self.0.list()
    }

    fn open(&mut self, row: &ListedGame) -> anyhow::Result<Opened> {
        let (record, speaks) = self.0.record(row)?.context("this game was not played: a bot was withdrawn")?;
        let variant = Variant::from_json(&record.game, &record.params)?;
        let folder = usize::from(row.folder);
        let marks = self.0.marks(folder, &record)?;
        let dir = self.0.places()[folder].path();
        Ok(opened(Story::new(record, variant)?.with_marks(marks), &speaks, &dir))
    }
}

fn opened(story: Story, speaks: &[Option<Speech>; 2], dir: &Path) -> Opened {
    let (id, dir) = (shell_word(&story.record.id), dir.to_string_lossy());
    let command = format!("arena replay {id} --name {}", shell_word(&dir));
    Opened { story, protocols: speaks.each_ref().map(|speaks| protocol_of(speaks.as_ref())), command }
}

/// Shows the list of games.
pub(super) fn list(archive: Archive, filter: &str, io: &Io) -> anyhow::Result<Exit> {
    show(Replay::list(Shelf(archive), filter)?, io)
}

/// Shows a game of the only folder of `archive`, after `ply` plies.
pub(super) fn game(
    archive: Archive,
    story: Story,
    speaks: &[Option<Speech>; 2],
    ply: usize,
    io: &Io,
) -> anyhow::Result<Exit> {
    let opened = opened(story, speaks, &archive.places()[0].path());
    show(Replay::game(Shelf(archive), opened, ply), io)
}

fn show(mut replay: Replay<Shelf>, io: &Io) -> anyhow::Result<Exit> {
    // The terminal keeps its mouse, to select text.
    let look = TerminalLook { colour: io.on_stdout().colour, mouse: false };
    match run(&mut replay, look, &inbox())? {
        ScreenEnd::Left => Ok(Exit::Done),
        ScreenEnd::Signal => Ok(Exit::Killed),
    }
}
