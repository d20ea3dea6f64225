//! `--serve`: the live page of a run.

use std::net::SocketAddr;

use super::{tell, warn};
use crate::live::{self, LivePage, Patience};
use crate::session::{SessionSettings, open_files_max, viewers};
use crate::text::shown;

/// Serves the page of a run between this many bots, and says where. Files are set aside for its viewers.
pub(super) fn serve(address: SocketAddr, settings: &mut SessionSettings, bots: usize) -> anyhow::Result<LivePage> {
    let (connections, files) = viewers(open_files_max(), settings.concurrency, bots);
    let live = LivePage::start(live::LiveSettings {
        address,
        connections,
        place: settings.place(),
        name: settings.name.clone(),
        patience: Patience::default(),
    })?;
    settings.spare_files = files;
    tell(&format!("watch at http://{}/", live.address()));
    if !address.ip().is_loopback() {
        warn(&format!(
            "all who can reach {} can read names and results, and tournament.json with its seed",
            address.ip()
        ));
    }
    Ok(live)
}

/// Reads `127.0.0.1:8000` or `[::1]:8000`.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "`{}` is not an address with a port such as 127.0.0.1:8000; a bot after --serve needs another option between them",
            shown(text)
        )
    })
}
