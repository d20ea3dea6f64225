//! The live page: a run, watched in a browser; and a folder of results, read in one ([`serve_results`]).
//!
//! [`LivePage`] is an observer with a thread of its own. Events only add to an inbox, slots only write into their
//! [`Boards`], and the thread looks at both four times a second and encodes what has changed.
//! What it makes of them is *state, not history*: each frame is encoded once, and a viewer who is slow or was away gets
//! the newest one. So no viewer has a queue, and none can slow a game.

mod body;
mod connection;
mod finished;
mod frames;
mod inbox;
mod page;
mod painter;
mod picture;
mod results;
mod routes;
mod screen;
mod server;
mod site;

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use arena_show::observer::{Boards, Observer, RunEnding, RunEvent};
use arena_show::views::Ranking;
use arena_sys::flags::SERVE;
use arena_sys::results_folder::Place;
use tokio::sync::{Semaphore, watch};

pub use results::serve_results;

use finished::FinishedGames;
use frames::Frames;
use inbox::NewsInbox;
use page::ServedPage;

/// Buffer of a connection in the kernel.
const SEND_BUFFER: usize = 64 * 1024;
/// Files that are sent at once: viewers who do not read theirs take no more descriptors than this from the games.
const FILES_MAX: usize = 32;

/// What is shown, and to how many.
#[derive(Debug, Clone)]
pub struct LiveSettings {
    /// Where to listen; port 0 is any free one.
    pub address: SocketAddr,
    /// Maximum number of connections.
    pub connections: usize,
    /// The folder of the results.
    pub place: Place,
    /// What the page is headed with: the title or name of the tournament.
    pub name: String,
    /// Time limits.
    pub patience: Patience,
    /// Whether the first board is slowed down for an audience.
    pub is_paced: bool,
}

/// How long the server waits for viewers.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the whole head of a request.
    pub head: Duration,
    /// For a viewer who takes nothing.
    pub stall: Duration,
    /// Between comments that keep a connection alive.
    pub keep_alive: Duration,
    /// For viewers to take the last frame and the report, once everything is over.
    pub farewell: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(5), stall: seconds(60), keep_alive: seconds(15), farewell: seconds(3) }
    }
}

/// What the thread and the observer share.
#[derive(Debug)]
struct LiveShared {
    settings: LiveSettings,
    page: ServedPage,
    inbox: NewsInbox,
    /// Once the run has begun.
    boards: OnceLock<Arc<Boards>>,
    finished: FinishedGames,
    frames: Frames,
    /// One for each file that may be open.
    files: Arc<Semaphore>,
    /// Pages that know that it is over and have not asked for the report yet.
    reports_due: Arc<AtomicUsize>,
    /// Whether the thread should end.
    closing: watch::Sender<Closing>,
}

/// Whether the thread should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    No,
    /// Once viewers have taken the last frame.
    Politely,
    AtOnce,
}

/// A live page and its server. When it is dropped, viewers get a few seconds to take the last frame.
#[derive(Debug)]
pub struct LivePage {
    shared: Arc<LiveShared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
    /// How the run ended.
    ending: Option<RunEnding>,
    /// Whether viewers know that the run has ended.
    is_told: bool,
}

impl LivePage {
    /// Listens, and starts the thread that serves the page.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is taken or not of this machine, or no thread can be started.
    pub fn start(settings: LiveSettings) -> anyhow::Result<Self> {
        let listener = listen(settings.address)?;
        let address = listener.local_addr().context("the address of the live page")?;
        let boot = format!("{:016x}", arena_sys::entropy::unpredictable());
        let shared = Arc::new(LiveShared {
            page: ServedPage::new(&settings.name),
            inbox: NewsInbox::default(),
            boards: OnceLock::new(),
            finished: FinishedGames::new(settings.place.clone()),
            frames: Frames::new(boot),
            files: Arc::new(Semaphore::new(FILES_MAX)),
            reports_due: Arc::default(),
            closing: watch::Sender::new(Closing::No),
            settings,
        });
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the server")?;
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("live".to_owned())
            .spawn(move || runtime.block_on(server::run(&served, listener)))
            .context("starting the thread of the live page")?;
        Ok(Self { shared, address, thread: Some(thread), ending: None, is_told: false })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let listen = || {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // Connections inherit it.
        rustix::net::sockopt::set_socket_send_buffer_size(&listener, SEND_BUFFER)?;
        anyhow::Ok(listener)
    };
    listen()
        .with_context(|| format!("cannot serve a page at {address}; without a port, {SERVE} takes one that is free"))
}

impl Observer for LivePage {
    fn observe(&mut self, event: &RunEvent) {
        if let RunEvent::Over { ending } = event {
            self.ending = Some(*ending);
        }
        self.shared.inbox.add(event, &self.shared.finished);
    }

    fn watch(&mut self, boards: &Arc<Boards>) -> bool {
        self.shared.boards.get_or_init(|| Arc::clone(boards));
        true
    }

    fn tables_written(&mut self, ranking: &Ranking) {
        self.shared.inbox.rank(ranking, self.ending == Some(RunEnding::Complete));
        if let Some(ending) = self.ending {
            self.shared.inbox.close(ending);
            self.is_told = true;
        }
    }

    fn finish(&mut self) -> Vec<String> {
        let has_failed = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let problem = has_failed.then(|| "the live page failed during the run; the games are not affected".to_owned());
        problem.into_iter().collect()
    }
}

impl Drop for LivePage {
    fn drop(&mut self) {
        let politely = self.is_told && self.ending != Some(RunEnding::Killed);
        self.shared.closing.send_replace(if politely { Closing::Politely } else { Closing::AtOnce });
        if let Some(thread) = self.thread.take() {
            // It failed, which was reported.
            let _ = thread.join();
        }
    }
}
