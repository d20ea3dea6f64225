//! The thread that plays the games of a sitting.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use anyhow::Context as _;
use arena_core::clock::TimeControl;
use arena_core::event::bot_seeds;
use arena_core::record::{Evidence, PlayedOn, Record};
use arena_core::referee::{Answer, GameEnd, GameStart, MadeMove, Question, RefereeSetup};
use arena_core::rules::Variant;
use arena_guard::end_all;
use arena_play::check::{AskedPosition, ask};
use arena_play::executor::KILL_AGAIN;
use arena_play::game;
use arena_play::player::human::{Human, Input, STOPPED};
use arena_play::player::process::{Bot, Launch, SharedProcessor, Tap, TappedLine};
use arena_play::player::{Aftermath, Failure, Player};
use arena_sys::time;
use tokio::runtime::Handle;

use super::{Begin, Ended, Hint, Runner, SittingNews, save};

/// Time in which idle bots may leave by themselves.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// What all games on a thread have in common.
#[derive(Debug, Clone)]
pub struct ThreadSettings {
    /// The game.
    pub variant: Variant,
    /// The time control of bots.
    pub clock: TimeControl,
    /// That of persons, if they have one.
    pub person_clock: Option<TimeControl>,
    /// The bot of each participant; `None` for a person.
    pub bots: [Option<Arc<Launch>>; 2],
    /// The bot that gives hints, and its time.
    pub hints: Option<(Arc<Launch>, TimeControl)>,
    /// The folder that games are saved in.
    pub folder: PathBuf,
    /// What the command that shows a saved game has after the id: nothing, or how to find the folder.
    pub replay_args: String,
    /// The machine's name.
    pub host: String,
    /// What kind of machine it is.
    pub machine: PlayedOn,
}

type NewsSender = Arc<dyn Fn(SittingNews) + Send + Sync>;

/// Plays the games of a sitting on a thread of its own.
pub struct GameThread {
    settings: Arc<ThreadSettings>,
    runtime: Handle,
    post: NewsSender,
    orders: Option<Sender<PlayOrder>>,
    inputs: Sender<Input>,
    /// When the game that runs, or the last one, began.
    started: String,
    /// Stops the game that was begun last.
    stop: Arc<AtomicBool>,
    is_paused: Arc<AtomicBool>,
    /// A bot is starting or thinking, and does not see that it should leave.
    is_asking: Arc<AtomicBool>,
    taps: [Arc<Tap>; 2],
    threads: Vec<JoinHandle<()>>,
}

/// A game to be played, unless it is stopped.
struct PlayOrder {
    game: Begin,
    stop: Arc<AtomicBool>,
}

impl GameThread {
    /// Starts the thread. `post` gets the news; `runtime` drains the bots' stderr.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn start(settings: ThreadSettings, runtime: Handle, post: NewsSender) -> anyhow::Result<Self> {
        let settings = Arc::new(settings);
        let (orders, ordered) = channel();
        let (inputs, said) = channel();
        let [is_paused, is_asking] = <[Arc<AtomicBool>; 2]>::default();
        let taps = [0, 1].map(|participant| {
            let post = Arc::clone(&post);
            Arc::new(Tap::new(move || post(SittingNews::Tapped { participant })))
        });
        let processor = SharedProcessor::default();
        let bots = [0, 1].map(|participant: usize| {
            let bot = Bot::new(settings.bots[participant].clone()?, runtime.clone(), processor.clone());
            Some(bot.tapped(Arc::clone(&taps[participant])))
        });
        let worker = SittingThread {
            settings: Arc::clone(&settings),
            post: Arc::clone(&post),
            inputs: Mutex::new(said),
            is_paused: Arc::clone(&is_paused),
            is_asking: Arc::clone(&is_asking),
            bots,
        };
        let thread = Builder::new().name("game".to_owned()).spawn(move || worker.run(&ordered));
        let threads = vec![thread.context("starting the thread that plays games")?];
        let stop = Arc::default();
        let orders = Some(orders);
        let started = String::new();
        Ok(Self { settings, runtime, post, orders, inputs, started, stop, is_paused, is_asking, taps, threads })
    }

    /// Asks the bots to leave and waits for them.
    fn close(&mut self) {
        self.stop_game();
        self.orders = None;
        let begun = time::now();
        while !self.threads.iter().all(JoinHandle::is_finished) {
            let is_hinting = self.threads.iter().skip(1).any(|thread| !thread.is_finished());
            if is_hinting || self.is_asking.load(Ordering::SeqCst) || time::now() - begun > PATIENCE {
                // A bot that is just being started is not listed yet, so killing once is not enough.
                end_all();
            }
            time::pause(KILL_AGAIN);
        }
    }

    fn stop_game(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // It fails only if the thread has ended.
        let _ = self.inputs.send(Input::Stop);
    }
}

impl Drop for GameThread {
    fn drop(&mut self) {
        self.close();
    }
}

impl Runner for GameThread {
    fn begin(&mut self, game: Begin) {
        self.stop_game();
        self.stop = Arc::default();
        if game.is_new {
            self.started = time::timestamp();
        }
        if let Some(orders) = &self.orders {
            let _ = orders.send(PlayOrder { game, stop: Arc::clone(&self.stop) });
        }
    }

    fn say(&mut self, input: Input) {
        let _ = self.inputs.send(input);
    }

    fn pause(&mut self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
    }

    fn ask_hint(&mut self, position: Begin) {
        let (game, ply) = (position.number, position.opening.len());
        let (settings, runtime, post) = (Arc::clone(&self.settings), self.runtime.clone(), Arc::clone(&self.post));
        let think = move || {
            let hint = hint(&settings, &position, &runtime);
            post(SittingNews::Hint { game, ply, hint });
        };
        self.threads.retain(|thread| !thread.is_finished());
        match Builder::new().name("hint".to_owned()).spawn(think) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                (self.post)(SittingNews::Hint { game, ply, hint: Err(format!("starting a thread: {error}")) });
            }
        }
    }

    fn kill_bots(&mut self) {
        // Before a bot ends: a game that waits for that must not begin any more.
        self.stop_game();
        end_all();
    }

    fn lines(&mut self, participant: usize) -> (Vec<TappedLine>, usize) {
        self.taps.get(participant).map(|tap| tap.take()).unwrap_or_default()
    }

    fn save(&mut self, record: &Record) -> Result<String, String> {
        let (started, host) = (self.started.clone(), self.settings.host.clone());
        let record = Record { started, host, machine: Some(self.settings.machine.clone()), ..record.clone() };
        let id = save(&self.settings.folder, &record)?;
        Ok(format!("arena replay {id}{}", self.settings.replay_args))
    }
}

/// Asks a new process of the bot for hints.
fn hint(settings: &ThreadSettings, position: &Begin, runtime: &Handle) -> Result<Hint, String> {
    let Some((launch, clock)) = &settings.hints else { return Err("no bot gives hints".to_owned()) };
    let Begin { seed, opening, to_move: seat, .. } = position;
    let position =
        AskedPosition { variant: &settings.variant, seed: *seed, moves: opening, seat: *seat, clock: *clock };
    let asked = ask(launch, &position, runtime);
    match asked.played {
        Some(played) if asked.mark.good != Some(false) => Ok(Hint { played, eval: asked.eval }),
        _ => Err(format!("{}: {}", launch.name, asked.mark.found)),
    }
}

/// What the thread owns.
struct SittingThread {
    settings: Arc<ThreadSettings>,
    post: NewsSender,
    inputs: Mutex<Receiver<Input>>,
    is_paused: Arc<AtomicBool>,
    is_asking: Arc<AtomicBool>,
    bots: [Option<Bot>; 2],
}

impl SittingThread {
    fn run(mut self, orders: &Receiver<PlayOrder>) {
        while let Ok(order) = orders.recv() {
            // Inputs for the game before. A stop of this one was noted before it was said.
            while self.inputs.lock().unwrap_or_else(PoisonError::into_inner).try_recv().is_ok() {}
            if !order.stop.load(Ordering::SeqCst) {
                let ended = self.play(&order);
                (self.post)(SittingNews::Ended { game: order.game.number, ended: Box::new(ended) });
            }
        }
        // All are asked before any is waited for, so that they shut down in parallel.
        self.bots.iter_mut().flatten().for_each(Bot::say_quit);
        for bot in self.bots.iter_mut().flatten() {
            bot.leave();
        }
    }

    fn play(&mut self, order: &PlayOrder) -> Ended {
        let Begin { number, seats, seed, ref opening, .. } = order.game;
        let Self { settings, post, inputs, is_paused, is_asking, bots } = self;
        let setup = RefereeSetup { variant: &settings.variant, seed, opening, clock: settings.clock, max_plies: None };
        let [a, b] = bots.each_mut().map(|bot| match bot {
            Some(bot) => Seated::Bot(bot),
            None => Seated::Person(Human::new(inputs, settings.person_clock)),
        });
        let reporting = |seated| Reporting { seated, number, post, inputs, is_paused, is_asking, stop: &order.stop };
        let (mut a, mut b) = (reporting(a), reporting(b));
        let players: [&mut dyn Player; 2] = if seats == [0, 1] { [&mut a, &mut b] } else { [&mut b, &mut a] };
        let mut watch = |made: Option<MadeMove<'_>>| {
            let Some(MadeMove { ply, played, measured, .. }) = made else { return };
            post(SittingNews::Moved { game: number, ply, played: played.clone(), measured: measured.clone() });
        };
        let (verdict, aftermath) = match game::play(&setup, bot_seeds(seed, "play"), players, Some(&mut watch)) {
            Ok((referee, aftermath)) => (referee.into_game().verdict, aftermath),
            Err(why) => (why.verdict(), <[Aftermath; 2]>::default()),
        };
        Ended { verdict, aftermath }
    }
}

/// Who plays a seat.
enum Seated<'a> {
    Person(Human<'a>),
    Bot(&'a mut Bot),
}

impl Seated<'_> {
    fn player(&mut self) -> &mut dyn Player {
        match self {
            Seated::Person(person) => person,
            Seated::Bot(bot) => *bot,
        }
    }
}

/// A player that reports its questions and, if paused, waits for a step.
struct Reporting<'a> {
    seated: Seated<'a>,
    number: u64,
    post: &'a NewsSender,
    inputs: &'a Mutex<Receiver<Input>>,
    is_paused: &'a AtomicBool,
    is_asking: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl Reporting<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Does something that a bot may be slow at.
    fn busy<T>(&mut self, work: impl FnOnce(&mut dyn Player) -> T) -> T {
        self.is_asking.store(matches!(self.seated, Seated::Bot(_)), Ordering::SeqCst);
        let done = work(self.seated.player());
        self.is_asking.store(false, Ordering::SeqCst);
        done
    }

    /// Waits for a step. Returns whether the game continues.
    fn wait_for_step(&self) -> bool {
        (self.post)(SittingNews::Waiting { game: self.number });
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match inputs.recv() {
                Ok(Input::Step) => return true,
                Ok(Input::Stop) | Err(_) => return false,
                Ok(_) => {}
            }
        }
    }
}

impl Player for Reporting<'_> {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        if self.is_stopped() {
            return Err(Failure::Void(STOPPED.to_owned()));
        }
        let ready = self.busy(|player| player.new_game(game));
        if self.is_stopped() { Err(Failure::Void(STOPPED.to_owned())) } else { ready }
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let waits = matches!(self.seated, Seated::Bot(_)) && self.is_paused.load(Ordering::SeqCst);
        if self.is_stopped() || waits && !self.wait_for_step() {
            return Answer::Void(STOPPED.to_owned());
        }
        let limit = match &self.seated {
            Seated::Person(person) => person.limit().unwrap_or(question.time.limit),
            Seated::Bot(_) => question.time.limit,
        };
        (self.post)(SittingNews::Asked { game: self.number, limit });
        let answer = self.busy(|player| player.ask(question));
        if self.is_stopped() { Answer::Void(STOPPED.to_owned()) } else { answer }
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        self.seated.player().at_fault(evidence);
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.seated.player().game_over(end)
    }
}
