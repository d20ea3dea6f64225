//! A bot that plays the sample move, and commits whatever fault it is told to. Standard library only: the tests compile
//! this file by itself with `rustc -O`.
//!
//! Arguments: `FAULT[=VALUE]`, `at=N` (commit it at the N-th move request of a process, default 1), `once` (a process
//! that is started again in the same folder behaves), `harm=HARM[:VALUE]` (done once, at that request), `note=TEXT`
//! (ignored), `slow=MS` (starts slowly, whatever its fault).

mod harm;

use std::io::{BufRead, Read, Write};
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn close(fd: i32) -> i32;
    fn fcntl(fd: i32, command: i32, argument: i64) -> i32;
    fn poll(fds: *mut PollFd, count: std::ffi::c_ulong, timeout: i32) -> i32;
}

#[repr(C)]
struct PollFd {
    fd: i32,
    events: i16,
    revents: i16,
}

struct Bot {
    fault: String,
    value: String,
    harm: Option<String>,
    at: usize,
    asked: usize,
    /// Moves made and ids seen, oldest first.
    made: Vec<String>,
    ids: Vec<u64>,
    /// What was written and, with `no-flush`, not sent.
    held: Vec<u8>,
}

fn main() {
    let mut bot = Bot {
        fault: String::new(),
        value: String::new(),
        harm: None,
        at: 1,
        asked: 0,
        made: Vec::new(),
        ids: Vec::new(),
        held: Vec::new(),
    };
    let mut once = false;
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        match name {
            "at" => bot.at = value.parse().unwrap(),
            "once" => once = true,
            "harm" => bot.harm = Some(value.to_owned()),
            "note" => {}
            "slow" => sleep(Duration::from_millis(value.parse().unwrap())),
            _ => (bot.fault, bot.value) = (name.to_owned(), value.to_owned()),
        }
    }
    if once {
        if std::path::Path::new("faulted").exists() {
            bot.fault = "none".to_owned();
        }
        std::fs::write("faulted", "").unwrap();
    }
    bot.starting();
    if bot.fault == "leader-leaves" {
        harm::leave_leader(move || {
            bot.play();
            exit(0);
        });
    }
    bot.play();
}

impl Bot {
    fn play(&mut self) {
        let bot = self;
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            match text(&line, "\"type\":\"") {
                "hello" => bot.hello(),
                "new_game" => bot.new_game(&line),
                "move_request" => bot.move_request(&line),
                "game_over" if bot.fault == "exit-on-over" => exit(0),
                "game_over" if bot.fault == "over" => say(&bot.value),
                "game_over" if bot.fault == "after-over" => say(&bot.another()),
                "game_over" if bot.fault == "crash-on-over" => fail("cannot bear to lose", 4),
                "quit" if bot.fault == "ignore-quit" => forever(),
                _ => {}
            }
        }
        if bot.fault == "ignore-quit" {
            forever();
        }
        std::io::stdout().write_all(&bot.held).unwrap();
        std::io::stdout().flush().unwrap();
    }

    /// A move that nobody has asked for.
    fn another(&self) -> String {
        format!(r#"{{"type":"move","id":{},"move":{}}}"#, self.ids[self.ids.len() - 1], self.made[0])
    }

    fn starting(&mut self) {
        match self.fault.as_str() {
            "exit-at-start" => fail("my tables are missing", self.value.parse().unwrap()),
            "never-reads" => forever(),
            "slow-start" => sleep(self.millis()),
            "hold-lease" => {
                println!("{}", harm::lease(&self.value));
                std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
                exit(0);
            }
            "read-all" => {
                let mut all = String::new();
                std::io::stdin().read_to_string(&mut all).unwrap();
                all.lines().filter(|line| line.contains("hello")).for_each(|_| self.hello());
                exit(0);
            }
            "banner" => println!("Welcome to faulty 1.0!\n"),
            "flood-at-start" => loop {
                println!("loading…");
            },
            "closed-at-start" => {
                close_fd(1);
                forever();
            }
            "orphan-quit" => drop(Command::new("sleep").arg("1000").spawn().unwrap()),
            _ => {}
        }
    }

    fn hello(&mut self) {
        let name = format!("faulty {}", std::process::id());
        let plain = format!(r#"{{"type":"hello","protocol":1,"name":"{name}"}}"#);
        match self.fault.as_str() {
            "mute" => forever(),
            "foreign" => {
                let text = foreign();
                say(&format!(
                    r#"{{"type":"hello","protocol":1,"name":"{text}","version":"{text}","authors":"{text}","games":["tictactoe","{text}"]}}"#
                ));
            }
            "hello-2" => say(r#"{"type":"hello","protocol":2}"#),
            "hello-none" => say(r#"{"type":"hello"}"#),
            "hello-bad" => say(r#"{"type":"hello","protocol":1"#),
            "hello-other" => say(r#"{"type":"hello","protocol":1,"games":["go\u001b[2J","chess"]}"#),
            "hello-twice" => say(&format!("{plain}\n{plain}")),
            "hello-hostile" => say(r#"{"type":"hello","protocol":1,"name":"\u001b]0;x\u0007,\"\n=1+1\u202e"}"#),
            "bom" => say(&format!("\u{feff}{plain}")),
            "hello-held" => self.held.extend(format!("{plain}\n").bytes()),
            _ => say(&plain),
        }
    }

    fn new_game(&mut self, line: &str) {
        let id = number(line, "\"id\":");
        let is_first = self.ids.is_empty();
        match self.fault.as_str() {
            "over-late" if !is_first => say(&format!("{}\n{{\"type\":\"ready\",\"id\":{id}}}", self.value)),
            "ready-short" => say(&format!(r#"{{"type":"ready","id":{}}}"#, id as u32)),
            "ready-never" => {
                say(&self.value);
                forever();
            }
            "ready-exit" => exit(0),
            "ready-wrong" => say(&format!(r#"{{"type":"ready","id":{}}}"#, id + 7)),
            "ready-twice" => say(&format!("{{\"type\":\"ready\",\"id\":{id}}}\n{{\"type\":\"ready\",\"id\":{id}}}")),
            _ => say(&format!(r#"{{"type":"ready","id":{id}}}"#)),
        }
        self.ids.push(id);
        if self.fault == "close-stdin" {
            close_fd(0);
            forever();
        }
        if self.fault == "shrink" {
            const F_SETPIPE_SZ: i32 = 1031;
            unsafe { fcntl(0, F_SETPIPE_SZ, 4096) };
            self.stop_reading();
        }
    }

    /// Never reads again.
    fn stop_reading(&self) -> ! {
        match self.value.as_str() {
            "drool" => loop {
                say(".");
                sleep(Duration::from_millis(2));
            },
            "close" => close_fd(1),
            "orphan" => {
                Command::new("sleep").arg("1000").spawn().unwrap();
                exit(6);
            }
            _ => {}
        }
        forever()
    }

    fn move_request(&mut self, line: &str) {
        self.asked += 1;
        let id = number(line, "\"id\":");
        let start = line.find("\"sample_move\":").unwrap() + "\"sample_move\":".len();
        let sample = &line[start..start + line[start..].find(",\"clock\"").unwrap()];
        let good = format!(r#"{{"type":"move","id":{id},"move":{sample}}}"#);
        if self.asked >= self.at
            && let Some(harm) = self.harm.take()
        {
            let (name, value) = harm.split_once(':').unwrap_or((&harm, ""));
            assert!(harm::commit(name, value), "no harm {name}");
        }
        if self.asked >= self.at {
            self.misbehave(id, sample, &good, line);
        } else {
            say(&good);
        }
        self.made.push(sample.to_owned());
        self.ids.push(id);
    }

    #[allow(clippy::too_many_lines)]
    fn misbehave(&mut self, id: u64, sample: &str, good: &str, line: &str) {
        let open = &good[..good.len() - 1];
        let with = |played: &str| say(&format!(r#"{{"type":"move","id":{id},"move":{played}}}"#));
        match self.fault.as_str() {
            // Endings.
            "exit" => fail("Traceback: it was all too much\u{1b}[31m", self.value.parse().unwrap()),
            "abort" => std::process::abort(),
            "hog" => {
                // Bounded by itself, should nobody bound it.
                let held: Vec<Vec<u8>> = (0..2_000).map(|_| vec![1; 1 << 20]).collect();
                fail("nobody refused me memory", held.len() as i32 % 100);
            }
            "exit-after-move" => {
                say(good);
                exit(0);
            }
            "orphan-exit" => {
                Command::new("sleep").arg("1000").spawn().unwrap();
                exit(5);
            }
            "orphan-after-move" => {
                say(good);
                Command::new("sleep").arg("1000").spawn().unwrap();
                exit(0);
            }
            "no-newline-exit" => {
                write(good.as_bytes());
                exit(0);
            }
            "no-newline-close" => {
                write(good.as_bytes());
                close_fd(1);
                forever();
            }
            "close-stdout" => {
                close_fd(1);
                forever();
            }
            // Too late.
            "sleep" => forever(),
            "late" => {
                sleep(self.millis());
                say(good);
            }
            "burn-for" => {
                // By the clock of its own CPU time: Linux counts it in ticks of a hundredth of a second.
                let ticks = || {
                    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
                    stat.rsplit(')').next().unwrap().split(' ').skip(12).take(2).map(|n| n.parse::<u64>().unwrap()).sum::<u64>()
                };
                let end = ticks() + 1 + self.millis().as_millis() as u64 / 10;
                while ticks() < end {}
                say(good);
            }
            // Says that it was asked, and answers when it is let.
            "gate" => {
                std::fs::write(format!("{}/asked", self.value), "").unwrap();
                while !std::path::Path::new(&self.value).join("open").exists() {
                    sleep(Duration::from_millis(1));
                }
                say(good);
            }
            "helper" => {
                Command::new("sleep").arg(&self.value).status().unwrap();
                say(good);
            }
            "burn" => loop {
                std::hint::spin_loop();
            },
            "burn-thread" => {
                std::thread::spawn(|| {
                    loop {
                        std::hint::spin_loop();
                    }
                });
                forever();
            }
            "stop" => {
                let _ = Command::new("sh").args(["-c", "kill -STOP $PPID"]).status();
            }
            "chatty" => loop {
                say("still thinking");
                sleep(Duration::from_millis(1));
            },
            "chatty-blank" => loop {
                write(b"\n");
                sleep(Duration::from_millis(1));
            },
            "drip" => {
                for byte in good.bytes().chain(*b"\n") {
                    write(&[byte]);
                    sleep(Duration::from_millis(self.value.parse().unwrap_or(5)));
                }
            }
            "partial" => {
                write(&good.as_bytes()[..12]);
                forever();
            }
            "no-flush" => self.held.extend(format!("{good}\n").bytes()),
            // As event loops do.
            "no-flush-poll" => {
                self.held.extend(format!("{good}\n").bytes());
                let mut input = PollFd { fd: 0, events: 1, revents: 0 };
                unsafe { poll(&mut input, 1, -1) };
            }
            "cr" => {
                write(format!("{good}\r").as_bytes());
                forever();
            }
            "array" => say(&format!(r#"["move",{id},{sample}]"#)),
            "wrong-kind" => say(&format!(r#"{{"type":"ready","id":{id}}}"#)),
            "echo" => say(line),
            "utf16-bom" => {
                let text: Vec<u8> =
                    "\u{feff}".encode_utf16().chain(good.encode_utf16()).flat_map(u16::to_le_bytes).collect();
                write(&text);
                write(b"\n\0");
            }
            // No message.
            "move" => with(&self.value),
            "kind" => say(&good.replacen("move", &self.value, 1)),
            "float" => with("3.0"),
            "text" => with("\"3\""),
            "long-text" => with(&format!("\"{}\"", "\\u001b".repeat(10_000))),
            "null" => with("null"),
            "huge" => with("1e400"),
            "wide" => with("18446744073709551616"),
            "huge-id" => say(&format!(r#"{{"type":"move","id":18446744073709551616,"move":{sample}}}"#)),
            "text-id" => say(&format!(r#"{{"type":"move","id":"{id}","move":{sample}}}"#)),
            "no-id" => say(&format!(r#"{{"type":"move","move":{sample}}}"#)),
            "pretty" => say(&format!("{{\n  \"type\": \"move\",\n  \"id\": {id},\n  \"move\": {sample}\n}}")),
            "two-objects" => say(&format!("{good}{good}")),
            "utf8-bare" => write(&[&open.as_bytes()[..1], b"\xc3", &open.as_bytes()[1..], b"}\n"].concat()),
            "utf8" => write(&[open.as_bytes(), b",\"x\":\"\xff\"}\n"].concat()),
            "twin-keys" => say(&format!(r#"{open},"move":{sample}}}"#)),
            "surrogate" => say(&format!(r#"{open},"comment":"\ud800"}}"#)),
            "nul" => say(&good.replace(',', ",\0")),
            "utf16" => write(&format!("{good}\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
            "deep" => say(&format!(r#"{open},"x":{}{}}}"#, "[".repeat(30_000), "]".repeat(30_000))),
            "line" => {
                let length: usize = self.value.parse().unwrap();
                say(&format!("{open}{}}}", " ".repeat(length - good.len())));
            }
            "crlf-line" => {
                let length: usize = self.value.parse().unwrap();
                say(&format!("{open}{}}}\r", " ".repeat(length - good.len())));
            }
            "endless" => loop {
                write(self.value.repeat(4096).as_bytes());
            },
            // Ids.
            "wrong-id" => say(&format!(r#"{{"type":"move","id":{},"move":{sample}}}"#, id + 1_000_000)),
            "ahead" => {
                let guess = format!(r#"{{"type":"move","id":{},"move":{sample}}}"#, id + 1);
                say(&format!("{good}\n{guess}\n{guess}"));
            }
            "stale" => {
                let last = self.ids[self.ids.len() - 1];
                say(&format!("{{\"type\":\"move\",\"id\":{last},\"move\":{sample}}}\n{good}"));
            }
            "twice" => say(&format!("{good}\n{good}")),
            "replies" => flood(good),
            "two-by-two" => {
                say(good);
                Command::new("echo").arg(good).spawn().unwrap();
            }
            "flood-stale" => flood(&format!(r#"{{"type":"move","id":{},"move":{sample}}}"#, self.ids[0])),
            "flood-stray" => flood("thinking"),
            "flood-bytes" => flood(&"x".repeat(10_000)),
            "flood-blank" => flood(&"\n".repeat(1_000)),
            // Illegal.
            "occupied" => with(&self.made[0].clone()),
            "shape" => with("[[0]]"),
            "int" => with("3"),
            "beyond" => with("[4294967299,0]"),
            "negative" => with("[-1,0]"),
            "empty" => with("[]"),
            "long" => with(&format!("[{}0]", "1,".repeat(20_000))),
            // Harmless.
            "stray" => say(&format!("let me see\n{{\"type\":\"info\",\"depth\":3}}\n{good}")),
            "over-early" => say(&format!("{good}\n{}", self.value)),
            "junk-after" => say(&format!("{good}\n{{\"type\":\n")),
            "crlf" => write(format!("{good}\r\n").as_bytes()),
            "lfcr" => write(format!("{good}\n\r").as_bytes()),
            "blank" => say(&format!("\n \n\n{good}\n")),
            "hello-again" => say(&format!("{{\"type\":\"hello\",\"protocol\":1}}\n{good}")),
            "escaped" => say(&good.replace("\"move\":", r#""x_a":{"b":[null]},"m\u006fve":"#)),
            "comment" => say(&format!(r#"{open},"comment":"{}"}}"#, "ä".repeat(10_000))),
            "eval" => say(&format!(r#"{open},"eval":7.5}}"#)),
            "debug" => say(&format!(r#"{open},"debug":"{}"}}"#, "d".repeat(9_000))),
            // Every field that a bot can fill, as far as JSON has the characters raw.
            "foreign" => {
                let text = foreign();
                eprintln!("{text}\u{1b}[2J\r\u{8}");
                say(&format!("=stray {text}\u{1b}]0;x\u{7}\t\r"));
                say(&format!(r#"{{"type":"move","id":{id},"move":"{text}"}}"#).replace("\"move\",", "\"=info\","));
                let eval = if self.asked.is_multiple_of(2) { "-0.5" } else { "-7.5" };
                let debug = format!("{{\t\"{text}\"\r:\t[\"{text}\", -1.50]\r}}");
                say(&format!(
                    "{open},\t\"eval\":{eval},\r\"comment\":\"{text}\",\"x\":\"{text}\",\"debug\":{debug}}}\r"
                ));
            }
            "foreign-move" => {
                let text = foreign();
                eprintln!("{text}\u{1b}[2J");
                with(&format!("\"{text}\""));
            }
            "foreign-exit" => {
                let text = foreign();
                write(format!("={text}\u{1b}[2J").as_bytes());
                fail(&format!("{text}\u{1b}[2J"), 1);
            }
            // Six bytes each in a journal.
            "debug-del" => say(&format!("{open},\"debug\":\"{}\"}}", "\u{7f}".repeat(8_000))),
            // So many MiB, once; or 10 each time.
            "stderr" => {
                let count = match self.value.parse() {
                    Ok(count) if self.asked == self.at => count,
                    Ok(_) => 0,
                    Err(_) => 10,
                };
                for _ in 0..count {
                    std::io::stderr().write_all(&[b'e'; 1 << 20]).unwrap();
                }
                say(good);
            }
            "resign" => say(&format!(r#"{{"type":"resign","id":{id}}}"#)),
            _ => say(good),
        }
    }

    fn millis(&self) -> Duration {
        Duration::from_millis(self.value.parse().unwrap())
    }
}

/// Text that may stand raw in a JSON string and nowhere else: DEL and C1 codes, marks that turn or hide text, line
/// separators, letters from right to left, stacked marks, and what a spreadsheet would run.
fn foreign() -> String {
    let marks = "\u{301}".repeat(20);
    let odd = "\u{7f}\u{85}\u{9b}31m\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0041}\u{5d0}\u{661}";
    format!("=cmd|' /C calc'!A0;+1;@x;-1{odd}e{marks}\\u001b[31m\\r\\n\\t\\u202e")
}

/// What follows `key` up to the next quote.
fn text<'a>(line: &'a str, key: &str) -> &'a str {
    line.split_once(key).map_or("", |(_, rest)| rest.split('"').next().unwrap())
}

fn number(line: &str, key: &str) -> u64 {
    let rest = line.split_once(key).unwrap().1;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap()].parse().unwrap()
}

/// A line and its newline, in one write.
fn say(line: &str) {
    write(format!("{line}\n").as_bytes());
}

fn write(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        exit(9);
    }
}

/// Writes for ever.
fn flood(line: &str) -> ! {
    let lines = format!("{line}\n").repeat(100);
    loop {
        write(lines.as_bytes());
    }
}

fn fail(last_words: &str, code: i32) -> ! {
    eprintln!("{last_words}");
    exit(code)
}

fn close_fd(fd: i32) {
    unsafe { close(fd) };
}

fn forever() -> ! {
    let start = Instant::now();
    loop {
        sleep(Duration::from_secs(1000));
        // A test that forgot this process does not keep it for ever.
        if start.elapsed() > Duration::from_secs(900) {
            exit(0);
        }
    }
}
