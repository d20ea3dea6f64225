//! A folder of results, to be read in a browser: the page of all tournaments, their reports and tables.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use arena_run::session::{SeriesFile, index_entries};
use arena_run::tournament::Signals;
use arena_store::journal;
use arena_store::report::{PUBLISHED_FILES, PUBLISHED_OF_SERIES, index_html};
use arena_sys::results_folder::Place;
use axum::Router;
use axum::extract::{Path as Parts, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::routes::{HTML, closed, not_found, send};
use super::server::Server;
use super::{FILES_MAX, Patience, listen};

/// The results that are served, and how many files of them may be open.
type Shelf = Arc<(PathBuf, Arc<Semaphore>)>;

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
    let shelf: Shelf = Arc::new((results.to_owned(), Arc::new(Semaphore::new(FILES_MAX))));
    let routes = Router::new()
        .route("/", get(index))
        .route("/index.html", get(index))
        .route("/{name}/{file}", get(file))
        .route("/{series}/{name}/{file}", get(file));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the server")?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let listener = TcpListener::from_std(listener).context("starting the server")?;
        ready(listener.local_addr().context("the address of the server")?)?;
        let server = Server {
            routes: closed(routes).with_state(shelf),
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

/// The page as the results are now.
async fn index(State(shelf): State<Shelf>) -> Response {
    let entries = index_entries(&shelf.0, false, &mut |_, _| ());
    entries.map_or_else(|_| not_found(), |entries| ([(CONTENT_TYPE, HTML)], index_html(entries)).into_response())
}

/// A file of a tournament or series, if it is one of those that people read.
async fn file(State(shelf): State<Shelf>, Parts(mut path): Parts<Vec<String>>) -> Response {
    let file = path.pop().unwrap_or_default();
    let place = path.into_iter().fold(Place::at(&shelf.0), Place::with);
    let is_of_results =
        || place.open().is_ok_and(|folder| folder.has(journal::FILE_NAME) || SeriesFile::is_in(&folder));
    match PUBLISHED_FILES.into_iter().chain(PUBLISHED_OF_SERIES).find(|name| *name == file) {
        Some(name) if is_of_results() => send(&shelf.1, &place, name).await,
        _ => not_found(),
    }
}
