//! A gomoku brain that speaks the Gomocup protocol, and misbehaves as its arguments say. Standard library only: the tests
//! compile this file by itself with `rustc -O`.
//!
//! It takes the first free cell, row by row, and checks each line that it is sent: at the first that is wrong or out of
//! order it complains on stderr and exits with status 3.
//!
//! Arguments are `NAME` or `NAME:VALUE`; several may be combined. Those about moves, and the ABOUT before them, act from
//! the `at:N`-th move request of the process on, default 1.
//!
//! | argument | what it does |
//! |---|---|
//! | `last` | takes the last free cell; so does the option `take = "last"` |
//! | `log:FILE` | appends every byte that it receives to the file |
//! | `lf` | takes lines that end in LF alone, as people type them |
//! | `cr`, `blank` | ends its lines with CR LF; writes a blank line before each of them |
//! | `no-about:N` | answers no ABOUT from the N-th on, default 1 |
//! | `free-about`, `unknown-about`, `noisy-about` | answers ABOUT with free text; UNKNOWN; after lines that are no answer |
//! | `refuse-size:N`, `unknown-start`, `silent-start` | refuses sizes other than N; does not know START; says nothing |
//! | `lower`, `ok-text` | answers START with `ok`; with words after the OK |
//! | `info-error` | answers each INFO with ERROR |
//! | `hold-sync:MS`, `ponder-sync:MS` | answers the ABOUT before a move late, asleep or busy, and drops its repeats |
//! | `deaf:MS` | drops unanswered what comes within that time after a move |
//! | `late:MS` | answers a move request that late |
//! | `illegal`, `older` | answers with a taken cell; with its first move of the process |
//! | `off`, `half-pair`, `suggest` | answers with a cell off the board; `7;8`; SUGGEST |
//! | `error-move`, `unknown-move`, `silent` | answers a move request with ERROR, UNKNOWN, or nothing |
//! | `twice`, `twice-late` | writes a second pair at once, or when the next line comes |
//! | `unended` | writes a second pair at once, without a line end |
//! | `message` | writes MESSAGE and DEBUG before its move |
//! | `stray` | writes a line of no protocol before its move |
//! | `flood:BYTES`, `flood-stray:LINES` | writes that much of MESSAGE, or that many stray lines, before its move |
//! | `die-at-start`, `die-at-about`, `die-at-START` | exits with status 4 at once; at the first ABOUT; at START |
//! | `die-at-ready`, `die-at-sync`, `die-at-end` | at the ABOUT after START; at that before a move; at END |
//! | `die-at-first-move`, `die-at-second-move` | when that move is asked for |
//! | `no-second-game` | at the second START |
//! | `ignore-end` | stays at END, and when its input is closed |

use std::ffi::{c_int, c_short, c_ulong};
use std::fs::File;
use std::io::{Read, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// All arguments: a test with a misspelt one would test nothing.
const DEEDS: &str = "at last log lf cr blank no-about free-about unknown-about noisy-about refuse-size unknown-start \
    silent-start lower ok-text info-error hold-sync ponder-sync deaf late illegal older off half-pair suggest \
    error-move unknown-move silent twice twice-late unended message stray flood flood-stray die-at-start die-at-about \
    die-at-START die-at-ready die-at-sync die-at-end die-at-first-move die-at-second-move no-second-game ignore-end";

/// The INFO that follows START, in order.
const KEYS: [&str; 5] = ["timeout_turn", "timeout_match", "max_memory", "game_type", "rule"];

fn main() {
    let deeds: Vec<String> = std::env::args().skip(1).collect();
    for deed in &deeds {
        let name = deed.split(':').next().unwrap_or_default();
        expect(DEEDS.split(' ').any(|known| known == name), &format!("no argument is named `{name}`"));
    }
    let brain = Brain { deeds, ..Brain::default() };
    if brain.does("die-at-start") {
        fail("my tables are missing");
    }
    let log = brain.value("log").map(|file| File::options().append(true).create(true).open(file).expect("the log"));
    brain.play(&mut Input { log, bytes: Vec::new() });
}

unsafe extern "C" {
    fn poll(files: *mut PollFile, count: c_ulong, timeout_ms: c_int) -> c_int;
}

#[repr(C)]
struct PollFile {
    file: c_int,
    events: c_short,
    found: c_short,
}

/// Its stdin. Nothing reads ahead: while it sleeps or thinks it is seen not to wait for input.
struct Input {
    log: Option<File>,
    /// Received and not looked at yet.
    bytes: Vec<u8>,
}

impl Input {
    /// The next line with its end, or `None` after the last one.
    fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                return Some(self.bytes.drain(..=end).collect());
            }
            if !self.read() {
                return (!self.bytes.is_empty()).then(|| std::mem::take(&mut self.bytes));
            }
        }
    }

    /// The lines that have come by now.
    fn waiting(&mut self) -> Vec<Vec<u8>> {
        const POLLIN: c_short = 1;
        let mut stdin = PollFile { file: 0, events: POLLIN, found: 0 };
        while unsafe { poll(&raw mut stdin, 1, 0) } == 1 && self.read() {}
        let mut lines = Vec::new();
        while self.bytes.contains(&b'\n') {
            lines.extend(self.line());
        }
        lines
    }

    /// Whether there was more to read.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 1 << 16];
        // Locked anew each time: its buffer is never filled by reads of that size.
        let length = std::io::stdin().lock().read(&mut bytes).unwrap_or(0);
        self.bytes.extend(&bytes[..length]);
        if let Some(log) = &mut self.log {
            log.write_all(&bytes[..length]).expect("the log");
        }
        length > 0
    }
}

#[derive(Default)]
struct Brain {
    deeds: Vec<String>,
    stage: Stage,
    size: usize,
    /// All stones in order of play, as (x, y); the last one is its own unless it is on move.
    stones: Vec<(usize, usize)>,
    has_bank: bool,
    takes_last: bool,
    games: usize,
    abouts: usize,
    requests: usize,
    /// Its first move of the process.
    first: Option<(usize, usize)>,
    /// What it still has to say when the next line comes.
    owed: Option<String>,
}

/// What it has been sent.
#[derive(Default, Clone, Copy, PartialEq)]
enum Stage {
    /// No START yet.
    #[default]
    Hello,
    /// START and as many INFO.
    Settings(usize),
    /// ABOUT after these: the game can begin.
    Started,
    /// ABOUT before a move request.
    Synced,
    /// The time left.
    Timed,
    /// A move request, and no ABOUT since.
    Moved,
}

impl Brain {
    fn play(mut self, input: &mut Input) {
        while let Some(line) = input.line() {
            if let Some(owed) = self.owed.take() {
                self.say(&owed);
            }
            let line = self.checked(line);
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["ABOUT"] => self.about(input),
                ["START", size] => self.start(number(size, &line)),
                ["INFO", key, value @ ..] => self.info(key, &value.join(" "), &line),
                ["BEGIN"] => {
                    expect(self.stones.is_empty(), "BEGIN, but there are stones");
                    self.request(input);
                }
                ["TURN", cell] => {
                    let cell = self.free_cell(cell, &line);
                    self.stones.push(cell);
                    self.request(input);
                }
                ["BOARD"] => {
                    self.board(input);
                    self.request(input);
                }
                ["END"] if self.does("ignore-end") => {}
                ["END"] if self.does("die-at-end") => fail("cannot bear to leave"),
                ["END"] => std::process::exit(0),
                _ => complain(&format!("what is `{line}`?")),
            }
        }
        while self.does("ignore-end") {
            sleep(Duration::from_secs(1));
        }
    }

    fn about(&mut self, input: &mut Input) {
        self.abouts += 1;
        let step = match self.stage {
            Stage::Hello => "die-at-about",
            Stage::Settings(keys) => {
                expect(keys >= KEYS.len(), "ABOUT, but INFO is missing");
                self.stage = Stage::Started;
                "die-at-ready"
            }
            Stage::Started | Stage::Moved => {
                self.stage = Stage::Synced;
                if self.requests + 1 >= self.count("at", 1) {
                    self.hold("hold-sync", input);
                    self.hold("ponder-sync", input);
                }
                "die-at-sync"
            }
            // Repeated, since its answer took a while.
            Stage::Synced => "die-at-sync",
            Stage::Timed => complain("ABOUT between the time left and the move request"),
        };
        if self.does(step) {
            fail("what I am is secret");
        }
        if self.does("no-about") && self.abouts >= self.count("no-about", 1) {
            return;
        }
        if self.does("noisy-about") {
            self.say("MESSAGE who asks?\nDEBUG about\nERROR - nothing is wrong\n3,4");
        }
        self.say(if self.does("free-about") {
            "A tiny brain, version 1.0"
        } else if self.does("unknown-about") {
            "UNKNOWN"
        } else {
            "name=\"tiny\", version=\"1.0\", author=\"the arena\", country=\"-\""
        });
    }

    fn start(&mut self, size: usize) {
        expect((5..=32).contains(&size), "START with a size that no brain plays");
        expect(self.stage != Stage::Timed, "START between the time left and the move request");
        (self.stage, self.size, self.has_bank) = (Stage::Settings(0), size, false);
        self.stones.clear();
        self.games += 1;
        if self.does("die-at-START") {
            fail("this board is too large for me");
        }
        if self.games == 2 && self.does("no-second-game") {
            fail("one game is enough");
        }
        if self.does("silent-start") {
            return;
        }
        if self.does("unknown-start") {
            self.say("UNKNOWN command");
        } else if self.does("refuse-size") && size != self.count("refuse-size", 0) {
            self.say(&format!("ERROR - unsupported board size ({size})"));
        } else if self.does("ok-text") {
            self.say("OK - everything is good");
        } else {
            self.say(if self.does("lower") { "ok" } else { "OK" });
        }
    }

    fn info(&mut self, key: &str, value: &str, line: &str) {
        self.stage = match self.stage {
            Stage::Settings(known) => {
                expect(known >= KEYS.len() || key == KEYS[known], &format!("`{line}` is out of order"));
                expect(known < KEYS.len() || !KEYS.contains(&key) && key != "time_left", &format!("`{line}` again"));
                match key {
                    "timeout_turn" => expect(number(value, line) >= 1, "no time for a move"),
                    "timeout_match" => self.has_bank = number(value, line) > 0,
                    "max_memory" => _ = number(value, line),
                    "game_type" => expect(value == "1", &format!("`{line}` in place of 1, a game against a brain")),
                    "rule" => expect(value == "0", &format!("`{line}` in place of 0, five or more in a row")),
                    "take" => self.takes_last = value == "last",
                    _ => expect(!value.is_empty(), &format!("`{line}` has no value")),
                }
                Stage::Settings(known + 1)
            }
            Stage::Started | Stage::Synced if key == "time_left" && self.has_bank => {
                expect(number(value, line) >= 1, "no time left");
                Stage::Timed
            }
            _ => complain(&format!("`{line}` is out of order")),
        };
        if self.does("info-error") {
            self.say("ERROR - unknown info");
        }
    }

    fn board(&mut self, input: &mut Input) {
        let known = std::mem::take(&mut self.stones);
        let mut is_own = Vec::new();
        loop {
            let Some(line) = input.line() else { complain("BOARD without DONE") };
            let line = self.checked(line);
            if line == "DONE" {
                break;
            }
            let Some((cell, side @ ("1" | "2"))) = line.rsplit_once(',') else {
                complain(&format!("`{line}` between BOARD and DONE"));
            };
            let cell = self.free_cell(cell, &line);
            self.stones.push(cell);
            is_own.push(side == "1");
        }
        // It is on move, so the last stone is the opponent's, and they take turns.
        let in_turn = is_own.iter().rev().enumerate().all(|(back, is_own)| *is_own == (back % 2 == 1));
        expect(in_turn, "the sides of BOARD do not take turns up to the opponent");
        expect(self.stones.starts_with(&known), "BOARD disagrees with the game so far");
        expect(self.stones.len() > known.len() + 1, "BOARD, but BEGIN or TURN says the same");
    }

    /// A move is asked for.
    fn request(&mut self, input: &mut Input) {
        let due: &[Stage] = if self.has_bank { &[Stage::Timed] } else { &[Stage::Started, Stage::Synced] };
        expect(due.contains(&self.stage), "a move request without START, ABOUT, or the time left of a bank");
        self.stage = Stage::Moved;
        self.requests += 1;
        if self.requests == 1 && self.does("die-at-first-move") || self.requests == 2 && self.does("die-at-second-move")
        {
            fail("it was all too much");
        }
        let cells = (0..self.size * self.size).map(|cell| (cell % self.size, cell / self.size));
        let free: Vec<(usize, usize)> = cells.filter(|cell| !self.stones.contains(cell)).collect();
        let own = if self.does("last") || self.takes_last { free.last() } else { free.first() };
        let Some(&own) = own else { complain("a move request, but the board is full") };
        // A cell that is still free after that move.
        let other = free[free.len() / 2];
        let taken = self.stones.last().copied().unwrap_or(own);
        self.stones.push(own);
        let first = *self.first.get_or_insert(own);
        let is_bad = self.requests >= self.count("at", 1);
        let does = |deed: &str| is_bad && self.does(deed);
        if does("late") {
            sleep(self.time("late"));
        }
        if does("flood") {
            let mebibyte = "MESSAGE depth 3 and on\n".repeat((1 << 20) / 23);
            for _ in 0..self.count("flood", 17 << 20).div_ceil(mebibyte.len()) {
                write(&mebibyte);
            }
        }
        if does("flood-stray") {
            write(&"let me think\n".repeat(self.count("flood-stray", 1_200)));
        }
        if does("stray") {
            self.say("let me think");
        }
        if does("message") {
            self.say("MESSAGE depth 2\nMESSAGE depth 3\nDEBUG 7 nodes");
        }
        let pair = |(x, y): (usize, usize)| format!("{x},{y}");
        let answer = match () {
            () if does("silent") => return,
            () if does("illegal") => pair(taken),
            () if does("older") => pair(first),
            () if does("off") => pair((self.size, 0)),
            () if does("twice") => pair(own) + "\n" + &pair(other),
            () if does("error-move") => "ERROR - no move".to_owned(),
            () if does("unknown-move") => "UNKNOWN command".to_owned(),
            () if does("suggest") => "SUGGEST 3,4".to_owned(),
            () if does("half-pair") => "7;8".to_owned(),
            () => pair(own),
        };
        self.owed = does("twice-late").then(|| pair(other));
        if is_bad && self.does("unended") {
            write(&format!("{answer}\n{}", pair(other)));
        } else {
            self.say(&answer);
        }
        if is_bad {
            self.hold("deaf", input);
        }
    }

    /// Lets the time of a deed pass, and drops what comes meanwhile.
    fn hold(&self, deed: &str, input: &mut Input) {
        if !self.does(deed) {
            return;
        }
        let until = Instant::now() + self.time(deed);
        while Instant::now() < until {
            if deed != "ponder-sync" {
                sleep(until - Instant::now());
            }
        }
        for line in input.waiting() {
            let line = self.checked(line);
            match line.as_str() {
                "ABOUT" => {}
                "END" => std::process::exit(0),
                _ => complain(&format!("`{line}`, but I have not answered ABOUT yet")),
            }
        }
    }

    /// A line without its end.
    fn checked(&self, line: Vec<u8>) -> String {
        let line = String::from_utf8(line).unwrap_or_else(|_| complain("a line that is not UTF-8"));
        let text = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n').filter(|_| self.does("lf")));
        text.unwrap_or_else(|| complain(&format!("{line:?} does not end in CR LF"))).to_owned()
    }

    fn free_cell(&self, text: &str, line: &str) -> (usize, usize) {
        let Some((x, y)) = text.split_once(',') else { complain(&format!("`{line}` has no cell")) };
        let cell = (number(x, line), number(y, line));
        expect(cell.0 < self.size && cell.1 < self.size, &format!("`{line}` is off the board"));
        expect(!self.stones.contains(&cell), &format!("`{line}` takes a cell twice"));
        cell
    }

    fn does(&self, name: &str) -> bool {
        self.deeds.iter().any(|deed| deed.split(':').next() == Some(name))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.deeds.iter().find_map(|deed| deed.strip_prefix(name)?.strip_prefix(':'))
    }

    fn count(&self, name: &str, default: usize) -> usize {
        self.value(name).map_or(default, |value| value.parse().expect("a number"))
    }

    fn time(&self, name: &str) -> Duration {
        Duration::from_millis(self.count(name, 1_000) as u64)
    }

    fn say(&self, lines: &str) {
        let end = if self.does("cr") { "\r\n" } else { "\n" };
        let before = if self.does("blank") { end } else { "" };
        write(&lines.lines().map(|line| format!("{before}{line}{end}")).collect::<String>());
    }
}

fn number(text: &str, line: &str) -> usize {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    match text.parse() {
        Ok(number) if is_plain => number,
        _ => complain(&format!("`{text}` in `{line}` is not a number")),
    }
}

fn expect(holds: bool, what: &str) {
    if !holds {
        complain(what);
    }
}

fn complain(what: &str) -> ! {
    eprintln!("out of order: {what}");
    std::process::exit(3)
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(4)
}

/// All in one write, so that nothing else can come between.
fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}
