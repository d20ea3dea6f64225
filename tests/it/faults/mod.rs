//! Faulty bots as real processes: a fault costs the bot its game, and has no other effect.
//!
//! The bots are `tests/bots/faulty.rs` with different arguments. Beside the checks of its own, each case verifies that:
//! - it takes at most the bot's time limit plus 250 ms plus the measured lateness of the machine;
//! - none of its processes is left a second later;
//! - the opponent's process plays a normal game afterwards;
//! - after a fault the bot gets a new process for its next game, which is judged on its own.
//!
//! Cases mostly wait, so that several run at a time; none beside what needs the machine for itself.

mod cases;
mod dialect;
mod games;
mod gomocup;
mod lines;
mod reproduce;
mod starting;
mod tournament;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc};
use std::time::{Duration, Instant};

use arena::clock::TimeControl;
use arena::game;
use arena::guard::{Limits, Readable, SandboxMode};
use arena::player::Aftermath;
use arena::player::process::{Bot, Launch, SharedProcessor};
use arena::protocol::{JSON, Protocol};
use arena::record::Status;
use arena::referee::{RefereeSetup, Verdict};
use arena::rules::{Move, Seat, Variant};
use arena::speech::DialectOptions;

/// What a fault may cost beyond the time its bot was allowed: far less than [`AMPLE_MS`], and more than a busy machine takes to
/// start and end a process.
pub(crate) const EXTRA: Duration = Duration::from_secs(1);
/// A limit that should not be reached even on a busy machine.
const AMPLE_MS: u64 = 5_000;
/// A limit that should be reached, and the margin.
const SHORT_MS: u64 = 100;
const MARGIN_MS: u64 = 10;

/// The program made of `tests/bots/faulty.rs`; compiled when its source has changed.
pub(crate) fn faulty() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("bots/faulty.rs", &["bots/harm.rs", "it/guard/attempts.rs"]))
}

/// Held while a program is compiled: two tests of this process may need the same one.
static COMPILER: Mutex<()> = Mutex::new(());

/// The program made of a file in `tests` and its `parts`; compiled when one of them has changed.
pub(crate) fn compiled(source: &str, parts: &[&str]) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = tests.join(source);
    let name = source.file_stem().and_then(OsStr::to_str).expect("a name");
    let parts = parts.iter().map(|part| tests.join(part));
    let contents: Vec<_> = std::iter::once(source.clone())
        .chain(parts)
        .map(|path| std::fs::read(path).expect("the source of a bot for tests"))
        .collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join(format!("{name}-{:016x}", fnv(&contents.concat())));
    let _alone = COMPILER.lock().unwrap_or_else(PoisonError::into_inner);
    if !program.exists() {
        // Under a name of its own first: another test process may be doing the same.
        let fresh = dir.join(format!("{name}-{}.tmp", std::process::id()));
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let status = Command::new(rustc).args(["-O", "--edition", "2024", "-o"]).arg(&fresh).arg(&source).status();
        assert!(status.expect("rustc starts").success(), "{} does not compile", source.display());
        std::fs::rename(&fresh, &program).expect("a rename within a folder");
    }
    program
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

static MACHINE: RwLock<()> = RwLock::new(());

/// Held by what measures time, beside others that do.
pub(crate) fn beside() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}

/// Held by what would disturb those that measure time, or would be disturbed by them.
pub(crate) fn undisturbed() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> tokio::runtime::Handle {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let build = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    RUNTIME.get_or_init(|| build().expect("a runtime")).handle().clone()
}

/// A bot, its folder, and an environment variable that marks all its processes.
pub(crate) struct Seated {
    bot: Bot,
    mark: String,
    _scratch: tempfile::TempDir,
}

impl Seated {
    /// The faulty bot with these arguments.
    pub(crate) fn faulty(args: &str) -> Self {
        Self::with_startup(args, AMPLE_MS)
    }

    fn with_startup(args: &str, startup_ms: u64) -> Self {
        Self::program(faulty(), args, startup_ms)
    }

    fn program(program: &Path, args: &str, startup_ms: u64) -> Self {
        Self::speaking(&JSON, DialectOptions::new(), program, args, startup_ms)
    }

    /// A program that speaks `protocol`.
    fn speaking(
        protocol: &'static Protocol,
        options: DialectOptions,
        program: &Path,
        args: &str,
        startup_ms: u64,
    ) -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let mark = format!("FAULTY_MARK={}-{}-", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let launch = Launch {
            name: "faulty".to_owned(),
            path: program.to_owned(),
            program: program.to_owned(),
            args: args.split_whitespace().map(Into::into).collect(),
            dir: scratch.path().to_owned(),
            env: vec![("FAULTY_MARK".to_owned(), mark["FAULTY_MARK=".len()..].to_owned())],
            scratch: scratch.path().to_owned(),
            guard: crate::support::guard(),
            startup: Duration::from_millis(startup_ms),
            fresh: false,
            limits: Limits::default(),
            sandbox: SandboxMode::Off,
            readable: Readable::default(),
            listable: Vec::new(),
            files: Arc::default(),
            protocol,
            options,
            freeze_idle: false,
            build: None,
            build_network: false,
            count_all: false,
            in_process: None,
        };
        Self { bot: Bot::new(Arc::new(launch), runtime(), SharedProcessor::default()), mark, _scratch: scratch }
    }

    /// Its name, which contains the number of its process.
    fn name(&self) -> Option<String> {
        self.bot.hello().name.clone()
    }

    /// Shuts the bot down; no process of it may be left.
    #[track_caller]
    pub(crate) fn leave(mut self) {
        self.bot.leave();
        self.assert_gone("after quit");
    }

    /// No process of the bot may be left a second from now.
    #[track_caller]
    fn assert_gone(&self, when: &str) {
        let end = now() + Duration::from_secs(1);
        loop {
            let left = processes_with(&self.mark);
            if left.is_empty() {
                return;
            }
            assert!(now() < end, "{when}: still there: {left:?}");
            pause(Duration::from_millis(5));
        }
    }
}

/// Command lines of all processes whose environment holds `mark`.
pub(crate) fn processes_with(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let marked = processes.filter(|path| {
        std::fs::read(path.join("environ"))
            .is_ok_and(|environ| environ.windows(mark.len()).any(|window| window == mark.as_bytes()))
    });
    marked.map(|path| std::fs::read_to_string(path.join("cmdline")).unwrap_or_default().replace('\0', " ")).collect()
}

/// The message about a bot that waits for input, also where the system does not tell what a process waits for (gVisor,
/// some settings of `kernel.yama.ptrace_scope`).
fn as_the_system_tells(says: &str) -> String {
    static TELLS: OnceLock<bool> = OnceLock::new();
    let tells = *TELLS.get_or_init(|| {
        let mut cat = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat starts");
        let call = std::fs::read_to_string(format!("/proc/{}/syscall", cat.id()));
        cat.wait().expect("its input is closed");
        if let Err(error) = &call {
            crate::support::not_tested("what a silent bot waits for", &format!("the system does not tell: {error}"));
        }
        call.is_ok()
    });
    if tells { says.to_owned() } else { says.replace("it probably did not", "it was late, or did not") }
}

/// A game that was played.
pub(crate) struct Played {
    pub(crate) verdict: Verdict,
    pub(crate) moves: Vec<Move>,
    pub(crate) aftermath: [Aftermath; 2],
    details: Vec<arena::record::Played>,
    took: Duration,
    /// Lateness of the machine meanwhile.
    late: Duration,
}

impl Played {
    fn status(&self, seat: Seat) -> Status {
        self.verdict.statuses[seat.index()]
    }

    fn message(&self, seat: Seat) -> &str {
        self.verdict.evidence[seat.index()].as_ref().map_or("", |evidence| &evidence.message)
    }

    fn log(&self, seat: Seat) -> String {
        let log = &self.aftermath[seat.index()].log;
        log.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// It took at most `allowed` and the extra time.
    #[track_caller]
    fn assert_within(&self, what: &str, allowed: Duration) {
        // On a busy machine a bot may be credited its limit once more, and its end be as late as a move.
        let most = 2 * allowed + EXTRA + 2 * self.late;
        assert!(
            self.took <= most,
            "{what}: took {:?}, more than {most:?} (machine late by {:?})",
            self.took,
            self.late
        );
    }
}

/// Plays `game` with `subject` in `seat`.
pub(crate) fn play(game: &str, seat: Seat, subject: &mut Seated, opponent: &mut Seated, move_ms: u64) -> Played {
    let clock = TimeControl { margin_ms: MARGIN_MS, ..TimeControl::per_move(Duration::from_millis(move_ms)) };
    play_from(game, &[], clock, seat, subject, opponent)
}

/// The same from an opening, with another time control.
pub(crate) fn play_from(
    game: &str,
    opening: &[Move],
    clock: TimeControl,
    seat: Seat,
    subject: &mut Seated,
    opponent: &mut Seated,
) -> Played {
    let variant: Variant = game.parse().expect("a game");
    let setup = RefereeSetup { variant: &variant, seed: 11, opening, clock, max_plies: None };
    let players = match seat {
        Seat::First => [&mut subject.bot, &mut opponent.bot],
        Seat::Second => [&mut opponent.bot, &mut subject.bot],
    };
    let [first, second] = players;
    let watch = Lateness::watch();
    let begun = now();
    let (referee, aftermath) = game::play(&setup, [1, 2], [first, second], None).expect("no opening");
    let took = now() - begun;
    let late = watch.end();
    let game = referee.into_game();
    Played { verdict: game.verdict, moves: game.moves, aftermath, details: game.played, took, late }
}

/// Measures how much too late a sleeping thread is woken: delays of a busy machine are not faults of the referee.
pub(crate) struct Lateness {
    stop: mpsc::Sender<()>,
    thread: std::thread::JoinHandle<Duration>,
}

impl Lateness {
    pub(crate) fn watch() -> Self {
        const BEAT: Duration = Duration::from_millis(2);
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut late = Duration::ZERO;
            let mut last = now();
            while stopped.recv_timeout(BEAT) == Err(mpsc::RecvTimeoutError::Timeout) {
                late += (now() - last).saturating_sub(BEAT + Duration::from_millis(1));
                last = now();
            }
            late + (now() - last).saturating_sub(BEAT)
        });
        Self { stop, thread }
    }

    pub(crate) fn end(self) -> Duration {
        drop(self.stop);
        self.thread.join().expect("it only sleeps")
    }
}

#[expect(clippy::disallowed_methods, reason = "the wall-clock bound is the promise that is tested here")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the end of a process that is no child can only be looked for")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
