//! A folder of results, to be read in a browser: the page of all tournaments, their reports and tables.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use arena_run::session::{SeriesFile, index_entries};
use arena_run::tournament::Signals;
use arena_store::journal;
use arena_store::report::{PUBLISHED_FILES, PUBLISHED_OF_SERIES, index_html};
use arena_sys::results_folder::Place;
use hyper::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::routes::{HTML, send};
use super::server::Server;
use super::site::{Response, Site, not_found, respond};
use super::{FILES_MAX, Patience, listen};

/// The results that are served.
#[derive(Clone)]
struct Shelf {
    results: Arc<Path>,
    /// One for each of its files that may be open.
    files: Arc<Semaphore>,
}

/// Serves the folder `results` to at most `connections` at a time, until a signal to stop comes. `ready` is called with the
/// address once it listens.
///
/// # Errors
///
/// Returns an error if the address is taken or not of this machine, or the system refuses something else.
pub fn serve_results(
    results: &Path,
    address: SocketAddr,
    connections: usize,
    ready: impl FnOnce(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let listener = listen(address)?;
    let shelf = Shelf { results: results.into(), files: Arc::new(Semaphore::new(FILES_MAX)) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the server")?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let listener = TcpListener::from_std(listener).context("starting the server")?;
        ready(listener.local_addr().context("the address of the server")?)?;
        let server = Server {
            site: shelf,
            asked: address.ip(),
            patience: Patience::default(),
            seats: Arc::new(Semaphore::new(connections)),
        };
        tokio::select! {
            () = server.accept(&listener) => {}
            () = signals.next() => {}
        }
        Ok(())
    })
}

impl Site for Shelf {
    async fn get(&self, path: &[&str]) -> Response {
        match path {
            [] | ["index.html"] => self.index(),
            [name, file] => self.file(&[name], file).await,
            [series, name, file] => self.file(&[series, name], file).await,
            _ => not_found(),
        }
    }
}

impl Shelf {
    /// The page as the results are now.
    fn index(&self) -> Response {
        let entries = index_entries(&self.results, false, &mut |_, _| ());
        entries.map_or_else(|_| not_found(), |entries| respond(StatusCode::OK, HTML, index_html(entries)))
    }

    /// A file of a tournament or series, if it is one of those that people read.
    async fn file(&self, folders: &[&str], file: &str) -> Response {
        let place = folders.iter().fold(Place::at(&*self.results), Place::with);
        let is_of_results =
            || place.open().is_ok_and(|folder| folder.has(journal::FILE_NAME) || SeriesFile::is_in(&folder));
        match PUBLISHED_FILES.into_iter().chain(PUBLISHED_OF_SERIES).find(|name| *name == file) {
            Some(name) if is_of_results() => send(&self.files, &place, name).await,
            _ => not_found(),
        }
    }
}
