//! An app on the terminal: waits for keys, signals and news, and draws after a change.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use arena_sys::time::now;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event};
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

use super::KeyPress;
use super::pace::FramePace;
use super::terminal::{TerminalLook, TerminalScreen};

/// A screen without a terminal.
pub trait App {
    /// News from other threads.
    type News: Send + 'static;

    /// A key was pressed. Ctrl-Z never comes here.
    fn key(&mut self, key: KeyPress);

    /// Another thread has news. Without one that sends any, there are none.
    fn news(&mut self, _: Self::News) {}

    /// The time after which [`tick`](Self::tick) is called, again and again; `None` while nothing moves by itself.
    fn ticks_every(&self) -> Option<Duration> {
        None
    }

    /// Time has passed.
    fn tick(&mut self) {}

    /// Text for the clipboard, once after it was asked for. Not every terminal takes it, so it is to be shown too.
    fn copied(&mut self) -> Option<String> {
        None
    }

    /// Draws the screen. Called after a change, and with another size after the terminal was resized.
    fn draw(&self, frame: &mut Frame<'_>);

    /// Whether the screen is left.
    fn is_over(&self) -> bool;
}

/// Why a screen was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenEnd {
    /// The app is over.
    Left,
    /// A signal asks the program to end.
    Signal,
}

/// The key that stops this process until it is continued, as a signal does.
const SUSPEND: KeyPress = KeyPress::Ctrl('z');

#[derive(Debug)]
enum AppEvent<N> {
    Read(ReadKey),
    News(N),
    Stop,
}

/// A key, or none where the size of the terminal has changed; an error if no more can be read.
type ReadKey = io::Result<Option<KeyPress>>;

/// Where the events of an app arrive.
#[derive(Debug)]
pub struct AppInbox<N> {
    events: Receiver<AppEvent<N>>,
    sender: Sender<AppEvent<N>>,
}

/// A queue of events for an app.
#[must_use]
pub fn inbox<N>() -> AppInbox<N> {
    let (sender, events) = channel();
    AppInbox { events, sender }
}

impl<N: Send + 'static> AppInbox<N> {
    /// Sends news to this queue. Each is delivered by itself, and wakes the screen; those for one that was left are dropped.
    pub fn post(&self) -> impl Fn(N) + Send + Sync + use<N> {
        let sender = self.sender.clone();
        move |news| _ = sender.send(AppEvent::News(news))
    }
}

/// Shows `app` on the terminal until it is over or a signal comes. The terminal is restored when this returns.
///
/// # Errors
///
/// Returns an error if the terminal cannot be read or written, or no thread can be started.
pub fn run<A: App>(app: &mut A, look: TerminalLook, inbox: &AppInbox<A::News>) -> anyhow::Result<ScreenEnd> {
    // Before the terminal is taken: from then on a signal must not end the process without giving it back.
    listen(&inbox.sender).context("listening for signals")?;
    let mut screen = TerminalScreen::open(look).context("opening the terminal")?;
    read_keys(&inbox.sender).context("reading keys")?;
    let mut pace = FramePace::new(now());
    let mut tick: Option<Instant> = None;
    let mut is_changed = true;
    while !app.is_over() {
        if is_changed && pace.wait(now()).is_zero() {
            screen.draw(|frame| app.draw(frame)).context("drawing")?;
            pace.drawn(now());
            is_changed = false;
        }
        tick = app.ticks_every().map(|every| tick.unwrap_or_else(|| now() + every));
        let until_tick = tick.map(|at| at.saturating_duration_since(now()));
        let until_frame = is_changed.then(|| pace.wait(now()));
        let event = match until_tick.into_iter().chain(until_frame).min() {
            Some(limit) => inbox.events.recv_timeout(limit),
            None => inbox.events.recv().map_err(RecvTimeoutError::from),
        };
        match event {
            Ok(AppEvent::Read(read)) => match read.context("reading keys")? {
                Some(SUSPEND) => screen.suspend().context("giving the terminal back")?,
                Some(key) => app.key(key),
                None => {}
            },
            Ok(AppEvent::News(news)) => app.news(news),
            Ok(AppEvent::Stop) => return Ok(ScreenEnd::Signal),
            Err(_) if tick.is_some_and(|at| at <= now()) => {
                app.tick();
                tick = None;
            }
            // It was time for the next frame. `inbox` itself holds a sender, so the queue is never closed.
            Err(_) => continue,
        }
        if let Some(text) = app.copied() {
            screen.copy(&text).context("copying")?;
        }
        is_changed = true;
    }
    Ok(ScreenEnd::Left)
}

/// Where keys go, while a thread reads them. There is one for all screens of this process: while it waits for a key it cannot
/// be stopped, and a second one would take keys from the first.
static KEYS: Mutex<Option<KeySink>> = Mutex::new(None);

type KeySink = Box<dyn Fn(ReadKey) + Send>;

/// Reads keys on a thread that waits for them, and ends with the process.
fn read_keys<N: Send + 'static>(sender: &Sender<AppEvent<N>>) -> io::Result<()> {
    let sender = sender.clone();
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if keys.is_none() {
        thread::Builder::new().name("keys".to_owned()).spawn(pass_keys_on)?;
    }
    // The app may be over.
    *keys = Some(Box::new(move |read| _ = sender.send(AppEvent::Read(read))));
    Ok(())
}

fn pass_keys_on() {
    loop {
        let read = match event::read() {
            Ok(event) => match KeyPress::of(&event) {
                None if !matches!(event, Event::Resize(..)) => continue,
                key => Ok(key),
            },
            Err(error) => Err(error),
        };
        let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_closed = read.is_err();
        if let Some(sink) = &*keys {
            sink(read);
        }
        if is_closed {
            *keys = None;
            return;
        }
    }
}

/// Passes signals on, by a thread that ends with the process.
fn listen<N: Send + 'static>(sender: &Sender<AppEvent<N>>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    {
        let _context = runtime.enter();
        let stop = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let suspend = SignalKind::from_raw(Signal::TSTP.as_raw());
        for kind in stop.into_iter().chain([suspend]) {
            let (mut signals, sender) = (signal(kind)?, sender.clone());
            runtime.spawn(async move {
                while signals.recv().await.is_some() {
                    let event = if kind == suspend { AppEvent::Read(Ok(Some(SUSPEND))) } else { AppEvent::Stop };
                    if sender.send(event).is_err() {
                        return;
                    }
                }
            });
        }
    }
    let wait = move || runtime.block_on(std::future::pending::<()>());
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}
