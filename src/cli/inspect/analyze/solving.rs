//! Solves games on several threads. Each game goes to one of them whole, and results are handed on in the order of the games.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::Context;
use arena_core::analysis::{Asked, Entry, GuessWalker, Memory, Walker};
use arena_core::rules::Variant;
use arena_sys::time::now;

use super::bar::Bar;
use super::selection::{Replayed, ReplayedGame, Selection};
use crate::cli::Io;

/// What is to be solved, and how.
pub(super) struct Solving<'a> {
    pub(super) selection: &'a Selection,
    pub(super) asked: Asked,
    pub(super) threads: usize,
    pub(super) deadline: Option<Instant>,
    /// Set by a signal.
    pub(super) stop: &'a AtomicBool,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolvingEnd {
    /// All games are solved.
    Done,
    /// By a signal or the deadline.
    Stopped,
}

/// What the threads share.
struct Shared<'a> {
    solving: &'a Solving<'a>,
    places: &'a [usize],
    memory: Memory,
    /// The next game to be taken.
    next: AtomicUsize,
    /// Positions searched.
    nodes: AtomicU64,
}

/// What analyses the games of one variant.
enum Judge<'a> {
    Values(Walker<'a>),
    Guesses(GuessWalker<'a>),
}

impl<'a> Judge<'a> {
    fn new(variant: &Variant, asked: Asked, memory: &'a Memory) -> anyhow::Result<Self> {
        Ok(match GuessWalker::new(variant, asked, memory) {
            Some(walker) => Self::Guesses(walker),
            None => Self::Values(Walker::new(variant, asked, memory)?),
        })
    }

    fn nodes(&self) -> u64 {
        match self {
            Self::Values(walker) => walker.nodes(),
            Self::Guesses(walker) => walker.nodes(),
        }
    }

    /// The entry of a game; `None` if it was stopped.
    fn entry(&mut self, game: &ReplayedGame, asked: Asked, stop: &dyn Fn() -> bool) -> Option<Entry> {
        let ReplayedGame { id, solver, line, .. } = game;
        Some(match self {
            Self::Values(walker) => Entry::new(id, solver, line, &walker.walk(line, stop)?, asked),
            Self::Guesses(walker) => Entry::of_guesses(id, solver, line, &walker.walk(line, stop)?, asked),
        })
    }
}

/// The entry of a game by its number among those to be solved; `None` if it was stopped.
type Sent = (usize, anyhow::Result<Option<Entry>>);

impl Solving<'_> {
    /// Solves the games at these places of the selection, and hands their entries on in this order.
    pub(super) fn run(
        &self,
        places: &[usize],
        io: &Io,
        mut keep: impl FnMut(&Entry) -> anyhow::Result<()>,
    ) -> anyhow::Result<SolvingEnd> {
        if places.is_empty() {
            return Ok(SolvingEnd::Done);
        }
        let shared = Shared {
            solving: self,
            places,
            memory: Memory::default(),
            next: AtomicUsize::new(0),
            nodes: AtomicU64::new(0),
        };
        let mut bar = Bar::new(places.len(), io);
        let (sender, received) = channel::<Sent>();
        let kept = std::thread::scope(|scope| {
            for _ in 0..self.threads.min(places.len()) {
                let (shared, sender) = (&shared, sender.clone());
                let thread = std::thread::Builder::new().spawn_scoped(scope, move || shared.work(&sender));
                if let Err(error) = thread {
                    self.stop.store(true, Ordering::Relaxed);
                    return Err(error).context("starting a thread");
                }
            }
            drop(sender);
            let mut waiting: BTreeMap<usize, Entry> = BTreeMap::new();
            let mut kept = 0;
            let mut failed = None;
            for (number, entry) in received {
                match entry {
                    Ok(Some(entry)) => drop(waiting.insert(number, entry)),
                    Ok(None) => {}
                    Err(error) => failed = failed.or(Some(error)),
                }
                while failed.is_none()
                    && let Some(entry) = waiting.remove(&kept)
                {
                    failed = keep(&entry).err();
                    kept += 1;
                    bar.done(entry.unsolved(), shared.nodes.load(Ordering::Relaxed));
                }
                if failed.is_some() {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            failed.map_or(Ok(kept), Err)
        })?;
        bar.end();
        Ok(if kept == places.len() { SolvingEnd::Done } else { SolvingEnd::Stopped })
    }
}

impl Shared<'_> {
    fn is_stopped(&self) -> bool {
        self.solving.stop.load(Ordering::Relaxed) || self.solving.deadline.is_some_and(|deadline| now() >= deadline)
    }

    /// Solves games until there are no more.
    fn work(&self, sender: &Sender<Sent>) {
        let mut judges: HashMap<String, Judge<'_>> = HashMap::new();
        while !self.is_stopped() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = self.places.get(number) else { return };
            // The receiver is there until all senders are gone.
            if sender.send((number, self.solve(*place, &mut judges))).is_err() {
                return;
            }
        }
    }

    fn solve<'s>(&'s self, place: usize, judges: &mut HashMap<String, Judge<'s>>) -> anyhow::Result<Option<Entry>> {
        let Replayed::Line(game) = self.solving.selection.replay(place)? else {
            anyhow::bail!("a game of the journal is another one than before; it was changed meanwhile");
        };
        let name = game.variant.to_string();
        let asked = self.solving.asked;
        if !judges.contains_key(&name) {
            judges.insert(name.clone(), Judge::new(&game.variant, asked, &self.memory)?);
        }
        let judge = judges.get_mut(&name).context("a solver")?;
        let before = judge.nodes();
        let entry = judge.entry(&game, asked, &|| self.is_stopped());
        self.nodes.fetch_add(judge.nodes() - before, Ordering::Relaxed);
        Ok(entry)
    }
}
