//! `--serve`: the live page of a run, or all results.

use std::net::SocketAddr;
use std::path::Path;

use arena_core::text::shown;
use arena_run::session::{SessionSettings, open_files_max, viewers};

use crate::cli::{Exit, Io};
use crate::live::{self, LivePage, Patience};

/// Where `--serve` without an address is: on this machine only, at a free port.
pub(crate) const ADDRESS_USUAL: &str = "127.0.0.1:0";

/// Serves the page of a run between this many bots, and says where. Also returns the number of open files to leave to its
/// viewers ([`SessionSettings::spare_files`]).
pub(crate) fn serve(
    address: SocketAddr,
    settings: &SessionSettings,
    bots: usize,
    io: &Io,
) -> anyhow::Result<(LivePage, u64)> {
    let (connections, files) = viewers(open_files_max(), settings.concurrency, bots);
    let live = LivePage::start(live::LiveSettings {
        address,
        connections,
        place: settings.place(),
        name: settings.tables.title.as_ref().unwrap_or(&settings.name).clone(),
        patience: Patience::default(),
        is_paced: settings.pace.is_some(),
    })?;
    io.tell(&format!("watch at http://{}/", live.address()));
    warn_of_others(address, "names and results, and tournament.json with its seed", io);
    Ok((live, files))
}

/// Serves all results until a signal to stop comes, and says where.
pub(crate) fn serve_results(results: &Path, address: SocketAddr, io: &Io) -> anyhow::Result<Exit> {
    let (connections, _) = viewers(open_files_max(), 1, 2);
    live::serve_results(results, address, connections, |address| {
        io.print(&format!("http://{address}/\n"))?;
        warn_of_others(address, "all results, with the commands of bots and what they wrote to stderr", io);
        io.tell("Ctrl-C ends the server");
        Ok(())
    })?;
    Ok(Exit::Done)
}

fn warn_of_others(address: SocketAddr, what: &str, io: &Io) {
    if !address.ip().is_loopback() {
        io.warn(&format!("all who can reach {} can read {what}", address.ip()));
    }
}

/// Reads `127.0.0.1:8000` or `[::1]:8000`.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "`{}` is not an address with a port such as 127.0.0.1:8000; a bot after --serve needs another option between them",
            shown(text)
        )
    })
}
