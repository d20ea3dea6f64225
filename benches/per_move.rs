//! Cost of a move: whole games through the referee, compared with a bare exchange of the same lines.
//!
//!     cargo bench --bench per_move
//!     cargo bench --bench per_move -- --parts     # what is in a move of connect4
//!
//! Compares processes rather than functions, so it has its own loop instead of criterion's. In every round the contestants
//! take turns on the same processors, in a changing order. Only their ratio within a round is used: other load on the
//! machine affects all of them. See docs/benchmarks.md.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run should say so and stop")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use arena::clock::Taken;
use arena::event::{Entry, Tournament as Definition};
use arena::executor::{Slot, SlotSettings};
use arena::game;
use arena::guard::{self, GuardProgram, Guarded, Limits, Readable, Request, SandboxMode, keep_to, own_processors};
use arena::observer::{BoardWriter, Boards, Running};
use arena::player::process::{Bot, Launch, STARTUP_DEFAULT, SharedProcessor};
use arena::player::sample::SampleMover;
use arena::player::{Aftermath, Failure, Player};
use arena::protocol::{BotLines, Dialect, JSON, Json, LineEvent, Outgoing, Response};
use arena::record::Status;
use arena::referee::{Answer, GameEnd, GameStart, Question, RefereeSetup};
use arena::rules::Variant;
use arena::schedule::{Job, Scheduler};
use arena::speech::DialectOptions;
use rustix::time::{ClockId, clock_gettime};

/// Moves of one contestant before the next one's turn.
const MOVES_A_TURN: usize = 4_000;
const ROUNDS_DEFAULT: usize = 60;

fn main() {
    let options = Options::parse();
    let instant = compile_instant();
    if options.parts {
        return parts(&instant, &options);
    }
    let cpus = own_processors();
    println!(
        "whole games, two instant bots a thread, each thread and its bots on one processor; medians of {} rounds",
        options.rounds
    );
    println!(
        "`moves`: the same move requests and replies, blocking, no rules, no JSON; `lines`: also new_game, ready and game_over\n"
    );
    println!(
        "{:10} {:>2}  {:>9} {:>9} {:>9}   {:24} {:24} {:24} {:>14}",
        "game",
        "-j",
        "referee",
        "moves",
        "lines",
        "referee / moves",
        "referee / lines",
        "watched / referee",
        "referee CPU"
    );
    for game in ["tictactoe", "connect4"] {
        for threads in [1, 2] {
            if threads <= cpus.len() {
                report(game, threads, &compare(game, threads, &instant, &options));
            }
        }
    }
    println!();
    start_cost(&instant, &options);
}

struct Options {
    rounds: usize,
    moves_a_turn: usize,
    parts: bool,
}

impl Options {
    /// `--rounds N` sets the duration; `--test` only tries whether everything works. Cargo's own arguments are ignored.
    fn parse() -> Self {
        let args: Vec<String> = std::env::args().collect();
        // `cargo test --benches` runs benchmarks without `--bench`.
        if args.iter().any(|arg| arg == "--test") || !args.iter().any(|arg| arg == "--bench") {
            return Self { rounds: 1, moves_a_turn: 20, parts: args.iter().any(|arg| arg == "--parts") };
        }
        let rounds =
            args.iter().position(|arg| arg == "--rounds").map_or(ROUNDS_DEFAULT, |at| args[at + 1].parse().unwrap());
        Self { rounds, moves_a_turn: MOVES_A_TURN, parts: args.iter().any(|arg| arg == "--parts") }
    }
}

/// Totals of one contestant's turn over all threads.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    wall: Duration,
    cpu: Duration,
    moves: usize,
}

impl Turn {
    fn us_a_move(self) -> f64 {
        self.wall.as_secs_f64() * 1e6 / self.moves as f64
    }

    fn cpu_us_a_move(self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.moves as f64
    }

    fn plus(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, cpu: self.cpu + other.cpu, moves: self.moves + other.moves }
    }
}

const REFEREE: usize = 0;
const MOVES: usize = 1;
const LINES: usize = 2;
/// The referee with someone who looks at the board four times a second, as the live page does.
const WATCHED: usize = 3;
const CONTESTANTS: [usize; 4] = [REFEREE, MOVES, LINES, WATCHED];

/// Plays the rounds; returns the turns of the contestants for each.
fn compare(game: &str, threads: usize, instant: &Path, options: &Options) -> Vec<[Turn; 4]> {
    let scratch = tempfile::tempdir().unwrap();
    let (slots, jobs) = games(game, instant, scratch.path());
    let scripts: Vec<Script> = jobs.iter().map(|job| script(&slots, job)).collect();
    let moves: usize = scripts.iter().map(|script| script.moves).sum();
    let passes = options.moves_a_turn.div_ceil(moves);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let cpus = own_processors();
    let barrier = Barrier::new(threads);
    let boards = Arc::new(Boards::default());
    boards.open(threads, Vec::new());
    let looking = Arc::clone(&boards);
    runtime.spawn(async move {
        let mut seen = vec![Running::default(); looking.count()];
        loop {
            tokio::time::sleep(Duration::from_millis(250)).await;
            for (slot, seen) in seen.iter_mut().enumerate() {
                looking.look(slot, seen);
            }
        }
    });
    let by_thread: Vec<Vec<[Turn; 4]>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|index| {
                let (slots, jobs, scripts, cpus, barrier) = (&slots, &jobs, &scripts, &cpus, &barrier);
                let (handle, boards) = (runtime.handle().clone(), Arc::clone(&boards));
                scope.spawn(move || {
                    keep_to(index.checked_rem(cpus.len()).map(|index| cpus[index]));
                    let mut slot = Slot::new(slots, SharedProcessor::default(), handle);
                    let mut bare = [Pipes::spawn(&mut Command::new(instant)), Pipes::spawn(&mut Command::new(instant))];
                    let mut board = Some(BoardWriter::new(boards, index));
                    let mut turn = |contestant: usize| {
                        slot.board = if contestant == WATCHED { board.take() } else { None };
                        barrier.wait();
                        let turn = timed(moves * passes, || {
                            for _ in 0..passes {
                                match contestant {
                                    REFEREE | WATCHED => jobs.iter().for_each(|job| referee(&mut slot, job)),
                                    MOVES => scripts.iter().for_each(|script| script.exchange(&mut bare, true)),
                                    _ => scripts.iter().for_each(|script| script.exchange(&mut bare, false)),
                                }
                            }
                        });
                        board = slot.board.take().or(board.take());
                        turn
                    };
                    for contestant in CONTESTANTS {
                        turn(contestant);
                    }
                    let mut rounds = Vec::new();
                    for round in 0..options.rounds {
                        let mut order = CONTESTANTS;
                        order.rotate_left(round % CONTESTANTS.len());
                        if round % 2 == 1 {
                            order.reverse();
                        }
                        let mut turns = [Turn::default(); 4];
                        for contestant in order {
                            turns[contestant] = turn(contestant);
                        }
                        rounds.push(turns);
                    }
                    slot.leave();
                    rounds
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (0..options.rounds)
        .map(|round| {
            std::array::from_fn(|contestant| {
                by_thread.iter().map(|rounds| rounds[round][contestant]).fold(Turn::default(), Turn::plus)
            })
        })
        .collect()
}

fn timed(moves: usize, work: impl FnOnce()) -> Turn {
    let (begun, cpu_before) = (Instant::now(), thread_cpu());
    work();
    Turn { wall: begun.elapsed(), cpu: thread_cpu().saturating_sub(cpu_before), moves }
}

fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Plays a game and makes its record, as a slot of a tournament does.
fn referee(slot: &mut Slot<'_>, job: &Job) {
    let finished = slot.play(job);
    assert_eq!(finished.record.statuses, [Status::Ok; 2], "{:?}", finished.record.evidence);
}

fn report(game: &str, threads: usize, rounds: &[[Turn; 4]]) {
    let us = |contestant: usize| median(rounds.iter().map(|turns| turns[contestant].us_a_move()));
    let ratio = |of: usize, to: usize| spread(rounds.iter().map(|turns| turns[of].us_a_move() / turns[to].us_a_move()));
    println!(
        "{game:10} {threads:>2}  {:6.2} us {:6.2} us {:6.2} us   {:24} {:24} {:24} {:6.2} us/move",
        us(REFEREE),
        us(MOVES),
        us(LINES),
        ratio(REFEREE, MOVES),
        ratio(REFEREE, LINES),
        ratio(WATCHED, REFEREE),
        median(rounds.iter().map(|turns| turns[REFEREE].cpu_us_a_move()))
    );
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The median with the extremes.
fn spread(values: impl Iterator<Item = f64> + Clone) -> String {
    let (min, max) = values.clone().fold((f64::MAX, 0.0_f64), |(min, max), value| (min.min(value), max.max(value)));
    format!("{:.3} ({min:.2} to {max:.2})", median(values))
}

/// The games of a tournament of the instant bot against itself.
fn games(game: &str, instant: &Path, scratch: &Path) -> (SlotSettings, Vec<Job>) {
    let variant: Variant = game.parse().unwrap();
    let plies = (variant.rules.opening_plies)(&variant.params);
    let entry = |name: &str| Entry::new(name, name, &instant.display().to_string());
    let rounds = 9;
    let event = Definition {
        rounds,
        seed: 1,
        openings: arena::openings::draw(&variant, plies, 1, rounds as usize, arena::openings::Lost::Last)
            .unwrap()
            .openings,
        bots: vec![entry("one"), entry("two")],
        ..Definition::new("bench", &variant)
    };
    let launches = event.bots.iter().map(|bot| launch(&bot.id.name, instant, scratch)).collect();
    let event = Arc::new(event);
    let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ()).unwrap();
    let slots = SlotSettings {
        event,
        variant,
        launches,
        live_bots: 2,
        host: "bench".to_owned(),
        machine: None,
        events: None,
        boards: None,
        pace: None,
    };
    (slots, std::iter::from_fn(|| scheduler.issue()).collect())
}

fn launch(name: &str, program: &Path, scratch: &Path) -> Launch {
    Launch {
        name: name.to_owned(),
        path: program.to_owned(),
        program: program.to_owned(),
        args: Vec::new(),
        dir: scratch.to_owned(),
        env: Vec::new(),
        scratch: scratch.to_owned(),
        guard: GuardProgram::arena(env!("CARGO_BIN_EXE_arena")),
        startup: STARTUP_DEFAULT,
        fresh: false,
        limits: Limits::default(),
        sandbox: SandboxMode::Off,
        readable: Readable::default(),
        listable: Vec::new(),
        files: std::sync::Arc::default(),
        protocol: &JSON,
        options: DialectOptions::new(),
        freeze_idle: false,
        build: None,
        build_network: false,
        count_all: false,
        in_process: None,
    }
}

/// The lines that the referee writes in one game.
#[derive(Default)]
struct Script {
    lines: Vec<Line>,
    moves: usize,
}

struct Line {
    seat: usize,
    bytes: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Request,
    NewGame,
    GameOver,
}

impl Script {
    /// Writes each line and waits for its reply, with only the minimum of what a referee does: it searches for the newline
    /// and reads the clock before and after.
    fn exchange(&self, bots: &mut [Pipes; 2], only_requests: bool) {
        for line in self.lines.iter().filter(|line| !only_requests || line.kind == Kind::Request) {
            bots[line.seat].exchange(&line.bytes, line.kind != Kind::GameOver);
        }
    }
}

fn setup<'a>(slots: &'a SlotSettings, job: &'a Job) -> RefereeSetup<'a> {
    RefereeSetup {
        variant: &slots.variant,
        seed: job.game.seed,
        opening: &job.opening,
        clock: slots.event.clock,
        max_plies: None,
    }
}

/// Plays the game without processes and records its lines.
fn script(slots: &SlotSettings, job: &Job) -> Script {
    let lines = Mutex::new(Script::default());
    let [mut first, mut second] = [0, 1].map(|seat| Writer { seat, json: Json::new([1, seat as u64]), script: &lines });
    game::play(&setup(slots, job), [1, 2], [&mut first, &mut second], None).unwrap();
    lines.into_inner().unwrap()
}

/// Plays the sample moves and records what it receives.
struct Writer<'a> {
    seat: usize,
    json: Json,
    script: &'a Mutex<Script>,
}

impl Writer<'_> {
    fn note(&mut self, outgoing: Outgoing<'_>, kind: Kind) {
        let mut bytes = Vec::new();
        self.json.write(outgoing, &mut bytes);
        let mut script = self.script.lock().unwrap();
        script.moves += usize::from(kind == Kind::Request);
        script.lines.push(Line { seat: self.seat, bytes, kind });
    }
}

impl Player for Writer<'_> {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.note(Outgoing::NewGame(game), Kind::NewGame);
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let played = question.sample_move.clone();
        self.note(Outgoing::Question(&question), Kind::Request);
        Answer::Move(played.into(), Taken::default())
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.note(Outgoing::GameEnd(end), Kind::GameOver);
        Aftermath::default()
    }
}

/// A bare process and two pipes.
struct Pipes {
    _process: Process,
    to: File,
    from: File,
    buffer: Box<[u8]>,
    /// Prevents the optimiser from removing the measurement.
    waited: Duration,
}

/// Ends the process when dropped.
enum Process {
    Plain(Child),
    Guarded(#[expect(dead_code, reason = "kept alive")] Guarded),
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Self::Plain(child) = self {
            child.kill().and_then(|()| child.wait()).unwrap();
        }
    }
}

impl Pipes {
    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self::new(Process::Plain(child), to.into(), from.into())
    }

    fn spawn_guarded(program: &Path, dir: &Path, sandbox: SandboxMode) -> Self {
        let readable = guard::readable(program, &[], std::env::var_os("PATH").as_deref(), false, &[]);
        let scratch = guard::make_folder(dir, "bench").unwrap();
        let request = Request { sandbox, readable, ..Request::new(program, dir, &scratch) };
        let (guarded, pipes) = guard::spawn(&GuardProgram::arena(env!("CARGO_BIN_EXE_arena")), &request).unwrap();
        Self::new(Process::Guarded(guarded), pipes.stdin, pipes.stdout)
    }

    fn new(process: Process, to: OwnedFd, from: OwnedFd) -> Self {
        let buffer = vec![0; 1 << 16].into_boxed_slice();
        Self { _process: process, to: to.into(), from: from.into(), buffer, waited: Duration::ZERO }
    }

    fn exchange(&mut self, line: &[u8], answered: bool) {
        self.to.write_all(line).unwrap();
        if !answered {
            return;
        }
        let written = Instant::now();
        let mut filled = 0;
        loop {
            let count = self.from.read(&mut self.buffer[filled..]).unwrap();
            assert!(count > 0, "the bot left");
            let complete = memchr::memchr(b'\n', &self.buffer[filled..filled + count]).is_some();
            filled += count;
            if complete {
                break;
            }
        }
        self.waited += written.elapsed();
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        std::hint::black_box(self.waited);
    }
}

/// Plays a game on this thread, without its record.
fn in_process(slots: &SlotSettings, job: &Job, players: [&mut dyn Player; 2]) {
    game::play(&setup(slots, job), [1, 2], players, None).unwrap();
}

/// Plays the sample moves by encoding and decoding the lines that a bot would read and write.
struct Echo {
    json: Json,
    lines: BotLines,
    said: Vec<u8>,
    reply: Vec<u8>,
}

impl Default for Echo {
    fn default() -> Self {
        Self { json: Json::new([1, 2]), lines: BotLines::default(), said: Vec::new(), reply: Vec::new() }
    }
}

impl Echo {
    fn exchange(&mut self, outgoing: Outgoing<'_>, kind: &str) -> Response {
        self.said.clear();
        self.json.write(outgoing, &mut self.said);
        // The same as in benches/instant.c.
        let after = |key: &[u8], end: u8| {
            let at = memchr::memmem::find(&self.said, key).unwrap() + key.len();
            &self.said[at..at + memchr::memchr(end, &self.said[at..]).unwrap()]
        };
        self.reply.clear();
        self.reply.extend_from_slice(kind.as_bytes());
        self.reply.extend_from_slice(after(b"\"id\":", b','));
        if kind == MOVE {
            self.reply.extend_from_slice(b",\"move\":");
            self.reply.extend_from_slice(after(b"\"sample_move\":", b','));
        }
        self.reply.extend_from_slice(b"}\n");
        self.lines.space()[..self.reply.len()].copy_from_slice(&self.reply);
        self.lines.filled(self.reply.len());
        match self.lines.next(&mut self.json, true) {
            Some(LineEvent::Response(response, _)) => response,
            other => panic!("{other:?}"),
        }
    }
}

const READY: &str = "{\"type\":\"ready\",\"id\":";
const MOVE: &str = "{\"type\":\"move\",\"id\":";

impl Player for Echo {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.exchange(Outgoing::NewGame(game), READY);
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        match self.exchange(Outgoing::Question(&question), MOVE) {
            Response::Move(reply) => Answer::Move(reply, Taken::default()),
            other => panic!("{other:?}"),
        }
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.said.clear();
        self.json.write(Outgoing::GameEnd(end), &mut self.said);
        Aftermath::default()
    }
}

/// Contestants of `--parts`, each with more of the referee's work than the one before.
const PARTS: [&str; 9] = [
    "move requests and replies, bare",
    "all lines, bare",
    "all lines, each bot a session",
    "all lines, guard without sandbox",
    "all lines, guard and sandbox",
    "rules and referee, no bots",
    "the same and JSON",
    "whole games, guard without sandbox",
    "whole games, guard and sandbox",
];

/// Splits a move of connect4 into its parts: the same games with more and more of the referee's work, in turns.
fn parts(instant: &Path, options: &Options) {
    let scratch = tempfile::tempdir().unwrap();
    let (slots, jobs) = games("connect4", instant, scratch.path());
    let (mut sandboxed, _) = games("connect4", instant, scratch.path());
    let scripts: Vec<Script> = jobs.iter().map(|job| script(&slots, job)).collect();
    let moves: usize = scripts.iter().map(|script| script.moves).sum();
    let passes = options.moves_a_turn.div_ceil(moves);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    keep_to(own_processors().first().copied());
    for launch in &mut sandboxed.launches {
        launch.sandbox = SandboxMode::Auto;
        launch.look_around(&[], false, &[]);
    }
    let two = |spawn: &dyn Fn() -> Pipes| [spawn(), spawn()];
    let mut bare = two(&|| Pipes::spawn(&mut Command::new(instant)));
    let mut session = two(&|| Pipes::spawn(Command::new("setsid").arg(instant)));
    let mut guarded = two(&|| Pipes::spawn_guarded(instant, scratch.path(), SandboxMode::Off));
    let mut sandboxed_pipes = two(&|| Pipes::spawn_guarded(instant, scratch.path(), SandboxMode::Auto));
    let mut slot = Slot::new(&slots, SharedProcessor::default(), runtime.handle().clone());
    let mut slot_sandboxed = Slot::new(&sandboxed, SharedProcessor::default(), runtime.handle().clone());
    let exchange = |bots: &mut [Pipes; 2], only: bool| scripts.iter().for_each(|script| script.exchange(bots, only));
    let mut echoes = [Echo::default(), Echo::default()];
    let mut work = |part: usize| match part {
        0 => exchange(&mut bare, true),
        1 => exchange(&mut bare, false),
        2 => exchange(&mut session, false),
        3 => exchange(&mut guarded, false),
        4 => exchange(&mut sandboxed_pipes, false),
        5 => jobs.iter().for_each(|job| in_process(&slots, job, [&mut SampleMover, &mut SampleMover])),
        6 => jobs.iter().for_each(|job| {
            in_process(&slots, job, {
                let [first, second] = &mut echoes;
                [first, second]
            });
        }),
        7 => jobs.iter().for_each(|job| referee(&mut slot, job)),
        _ => jobs.iter().for_each(|job| referee(&mut slot_sandboxed, job)),
    };
    let mut rounds: Vec<[f64; PARTS.len()]> = Vec::new();
    for round in 0..=options.rounds {
        let mut turns = [0.0; PARTS.len()];
        for turn in 0..PARTS.len() {
            let part = (turn + round) % PARTS.len();
            let turn = timed(moves * passes, || (0..passes).for_each(|_| work(part)));
            turns[part] = turn.us_a_move();
        }
        // The first round is a warm-up.
        if round > 0 {
            rounds.push(turns);
        }
    }
    println!("connect4, one game at a time, {} moves a game; medians of {} rounds", moves / jobs.len(), options.rounds);
    for (part, name) in PARTS.iter().enumerate() {
        let us = median(rounds.iter().map(|turns| turns[part]));
        println!("{name:36} {us:6.2} us a move, ratio {}", spread(rounds.iter().map(|turns| turns[part] / turns[0])));
    }
    slot.leave();
    slot_sandboxed.leave();
}

/// Time from the start of a process to its reply to `hello`, and of its end.
fn start_cost(instant: &Path, options: &Options) {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut hello = Vec::new();
    Json::new([1, 2]).write(Outgoing::Hello { startup: STARTUP_DEFAULT }, &mut hello);
    keep_to(own_processors().first().copied());
    println!("start to the reply to hello, one bot: the referee's, and a bare spawn with the same environment");
    let builtin = (PathBuf::from(env!("CARGO_BIN_EXE_arena")), vec!["bot", "random"]);
    for (name, (program, args)) in [("instant", (instant.to_owned(), Vec::new())), ("arena bot random", builtin)] {
        let mut launch = launch(name, &program, scratch.path());
        launch.args = args.iter().map(Into::into).collect();
        let launch = Arc::new(launch);
        let mut rounds = Vec::new();
        for round in 0..(options.rounds * 5) {
            let referee = || {
                let begun = Instant::now();
                let mut bot = Bot::new(Arc::clone(&launch), runtime.handle().clone(), SharedProcessor::default());
                bot.start().unwrap();
                let took = begun.elapsed();
                bot.leave();
                took.as_secs_f64() * 1e6
            };
            let bare = || {
                let begun = Instant::now();
                let mut command = Command::new(&program);
                command.args(&args).current_dir(scratch.path()).process_group(0);
                let mut pipes = Pipes::spawn(&mut command);
                pipes.exchange(&hello, true);
                begun.elapsed().as_secs_f64() * 1e6
            };
            let (ours, bare) = if round % 2 == 0 {
                let ours = referee();
                (ours, bare())
            } else {
                let bare = bare();
                (referee(), bare)
            };
            rounds.push((ours, bare));
        }
        println!(
            "{name:18} {:7.0} us, bare {:7.0} us, ratio {}",
            median(rounds.iter().map(|round| round.0)),
            median(rounds.iter().map(|round| round.1)),
            spread(rounds.iter().map(|round| round.0 / round.1))
        );
    }
}

/// Compiles `benches/instant.c`.
fn compile_instant() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instant");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instant.c");
    let compiled = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "cc could not compile benches/instant.c");
    program
}
