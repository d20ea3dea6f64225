//! `arena talk BOT`: both directions of the wire, live, and what the author types.

mod shortcuts;

use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use arena_core::text::{escaped, shown};
use arena_guard::SandboxMode;
use arena_play::player::Failure;
use arena_play::player::process::{Launch, Talk, TalkNews, WrittenLine};
use arena_run::session::Runtime;
use arena_store::report::Tone;
use arena_sys::entropy::unpredictable;
use arena_sys::time::now;
use arena_wire::advice::advice;
use rustix::io::Errno;

use super::one_bot::OneBotArgs;
use crate::cli::args::game::GameArg;
use crate::cli::{Exit, Io};
use shortcuts::{HELP, Shortcuts, Typed};

/// Seed of the games of shortcuts.
const SEED: u64 = 1;
/// Longest line that is sent.
const LINE_MAX: usize = 1 << 20;
/// Silences of half a second in which an answer is waited for before the next line of a pipe is sent.
const ANSWER_SILENCES: u32 = 4;
/// Silence after the end of the input for which the bot is waited for.
const LINGER: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// File of a program of rules, for games that are not built in; `.game` begins its game
    #[arg(long, value_name = "FILE")]
    game: Option<GameArg>,
    #[command(flatten)]
    bot: OneBotArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let clock = args.bot.clock.control()?;
    let mut found = args.bot.find(io)?;
    let game = args.game.as_ref().map(|game| args.bot.load_game(game, io)).transpose()?;
    let scratch = args.bot.prepare(vec![&mut found], clock.charge, io)?;
    let launch = scratch.launch(&found);
    let is_live = io.stdin_is_terminal() && io.stdout_is_terminal();
    if is_live {
        io.tell(&format!("{}  {}", launch.name, shown(&found.command)));
        io.tell("type .hello, or .help for more; Ctrl-D ends");
    }
    let dialect = launch.dialect([unpredictable(), unpredictable()]);
    let shortcuts = Shortcuts::new(dialect, launch.startup, clock, SEED, game);
    let mut runtime = Runtime::start()?;
    let stop = AtomicBool::new(false);
    let talk = || {
        let talk = match Talk::start(&launch) {
            Ok(talk) => talk,
            Err(failure) => return not_started(&failure, &launch, io),
        };
        TalkScreen {
            io,
            talk,
            shortcuts,
            line_end: launch.protocol.words.line_end,
            is_live,
            typed: Vec::new(),
            has_ended: io.own_stdin().is_none(),
            held: 0,
            last: None,
            silent_since: None,
            is_wait_told: false,
        }
        .run(&stop)
    };
    Ok(runtime.unless_stopped(&stop, talk, || {})?.transpose()?.unwrap_or(Exit::Killed))
}

fn not_started(failure: &Failure, launch: &Launch, io: &Io) -> anyhow::Result<Exit> {
    match failure {
        Failure::Void(why) => bail!("{why}"),
        Failure::Fault(fault) => {
            let advice = advice(fault.status, &fault.evidence, launch.sandbox != SandboxMode::Off, launch.protocol);
            let cure = advice.map_or_else(String::new, |advice| format!("\n  → {}", advice.cure));
            io.tell_error(&format!("{}{cure}", fault.evidence.sentence(fault.status)));
            Ok(Exit::BotTrouble)
        }
    }
}

struct TalkScreen<'a> {
    io: &'a Io,
    talk: Talk,
    shortcuts: Shortcuts,
    line_end: &'static str,
    /// The author sees what they type.
    is_live: bool,
    /// What was read and not sent yet.
    typed: Vec<u8>,
    /// The input has ended.
    has_ended: bool,
    /// Silences to wait before the next line of a pipe is sent, unless an answer comes.
    held: u32,
    /// When the last line went either way.
    last: Option<Instant>,
    /// The input has ended, and nothing came since.
    silent_since: Option<Instant>,
    /// The author knows that the bot is waited for.
    is_wait_told: bool,
}

impl TalkScreen<'_> {
    fn run(mut self, stop: &AtomicBool) -> anyhow::Result<Exit> {
        let stdin = self.io.own_stdin();
        loop {
            let typed = stdin.as_ref().filter(|_| !self.has_ended && self.held == 0);
            for heard in self.talk.listen(typed.map(AsFd::as_fd))? {
                if !matches!(heard, TalkNews::Silence) {
                    self.silent_since = self.silent_since.map(|_| now());
                }
                match heard {
                    TalkNews::Stdout(line) => {
                        self.held = 0;
                        self.show("←", &line)?;
                    }
                    TalkNews::Stderr(line) => self.show("!", &line)?,
                    TalkNews::Deaf => self.line("×", "the bot closed its input", Tone::Warning)?,
                    TalkNews::Typed => self.read()?,
                    TalkNews::Silence => {
                        self.held = self.held.saturating_sub(1);
                        self.tell_of_wait();
                    }
                    // The author ended it.
                    TalkNews::Ended(..) if stop.load(Ordering::Relaxed) => return Ok(Exit::Killed),
                    TalkNews::Ended(how, is_good) => {
                        let tone = if is_good { Tone::Good } else { Tone::Fault };
                        self.line("×", &format!("it {how}"), tone)?;
                        return Ok(if is_good { Exit::Done } else { Exit::BotTrouble });
                    }
                }
            }
            self.send_lines()?;
            if stop.load(Ordering::Relaxed) {
                return Ok(Exit::Killed);
            }
            if self.silent_since.is_some_and(|since| now() - since > LINGER) {
                self.talk.kill();
                let text = format!("still running {} s after the end of its input; killed", LINGER.as_secs());
                self.line("×", &text, Tone::Fault)?;
                return Ok(Exit::BotTrouble);
            }
        }
    }

    /// Says once why nothing happens after Ctrl-D.
    fn tell_of_wait(&mut self) {
        if self.is_live && self.silent_since.is_some() && !std::mem::replace(&mut self.is_wait_told, true) {
            let seconds = LINGER.as_secs();
            self.io
                .tell(&format!("its input is closed; it is killed after {seconds} s of silence, or at once by Ctrl-C"));
        }
    }

    /// Reads what is typed.
    fn read(&mut self) -> anyhow::Result<()> {
        let mut buffer = [0; 16 * 1024];
        let count = match rustix::io::read(std::io::stdin(), &mut buffer) {
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => return Ok(()),
            // A terminal that is gone.
            Err(Errno::IO) => 0,
            Err(error) => return Err(error).context("reading stdin"),
        };
        self.typed.extend_from_slice(&buffer[..count]);
        self.has_ended = count == 0;
        if self.typed.len() > LINE_MAX && !self.typed.contains(&b'\n') {
            bail!("a line on stdin is longer than {LINE_MAX} bytes");
        }
        Ok(())
    }

    /// Sends what was read, in a pipe one line after the answer to the other.
    fn send_lines(&mut self) -> anyhow::Result<()> {
        while self.held == 0 {
            let end = memchr::memchr(b'\n', &self.typed).map(|newline| newline + 1);
            let Some(end) = end.or((self.has_ended && !self.typed.is_empty()).then_some(self.typed.len())) else {
                if self.has_ended && self.silent_since.is_none() {
                    self.talk.end_input();
                    self.silent_since = Some(now());
                }
                return Ok(());
            };
            let line: Vec<u8> = self.typed.drain(..end).collect();
            self.send(&line)?;
        }
        Ok(())
    }

    /// Sends a line, or what it stands for.
    fn send(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let (message, is_answered) = match self.shortcuts.read(&String::from_utf8_lossy(line)) {
            Ok(None) => {
                // Lines end as the referee ends them.
                let line = match line.strip_suffix(b"\n") {
                    Some(text) => [text.strip_suffix(b"\r").unwrap_or(text), self.line_end.as_bytes()].concat(),
                    None => line.to_vec(),
                };
                self.talk.send(&line);
                if self.is_live {
                    self.last = Some(now());
                    return Ok(());
                }
                (line, true)
            }
            Ok(Some(Typed::Message { bytes, is_answered })) => {
                self.talk.send(&bytes);
                (bytes, is_answered)
            }
            Ok(Some(Typed::Help)) => {
                self.io.tell(HELP);
                return Ok(());
            }
            Err(why) => {
                self.io.tell_error(&format!("{why:#}; nothing was sent"));
                return Ok(());
            }
        };
        if is_answered && !self.is_live {
            self.held = ANSWER_SILENCES;
        }
        for line in String::from_utf8_lossy(&message).trim_end_matches(['\r', '\n']).split('\n') {
            self.line("→", &escaped(line.trim_end_matches('\r')), Tone::Plain)?;
        }
        Ok(())
    }

    fn show(&mut self, mark: &str, line: &WrittenLine) -> anyhow::Result<()> {
        let note = if line.is_whole { "" } else { "  (no newline)" };
        self.line(mark, &format!("{}{note}", line.text), Tone::Plain)
    }

    /// Prints a line with its mark and the time since the one before.
    fn line(&mut self, mark: &str, text: &str, tone: Tone) -> anyhow::Result<()> {
        let time = now();
        let since = self.last.replace(time).map_or_else(String::new, |last| written(time - last));
        self.io.stream_labelled(mark, tone, &format!(" {since:>9}  {text}"))
    }
}

/// `12.3 ms`, or `4.5 s`.
fn written(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", 1_000.0 * seconds),
        seconds => format!("{seconds:.1} s"),
    }
}
