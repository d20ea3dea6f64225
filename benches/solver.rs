//! Published positions of connect four, solved exactly by the arena and by other solvers in turn.
//!
//!     cargo bench --bench solver -- --sets DIR [--positions N] [--rival "NAME=COMMAND"]…
//!     cargo bench --bench solver -- --random N
//!
//! A file of DIR has a position and its score a line; `--random` makes positions of 11 and 12 plies, whose scores nothing is compared with.
//! A rival is a program that reads a position a line, in digits of columns
//! from 1, and answers a line with its score and the nanoseconds of processor time that it took: docs/benchmarks.md has some.
//! Every solver gets the same few positions before the next one gets them, so that other load affects all of them; what they remember of a
//! position is forgotten before the next one, outside the time.

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run should say so and stop")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use arena::rng::Rng;
use arena::rules::{Move, Variant, play};
use arena::solver::{Limits, Solver, for_variant, without_book};
use rustix::time::{ClockId, clock_gettime};

/// Positions of one solver before the next one's turn.
const TURN: usize = 10;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let values = |flag: &str| -> Vec<&str> {
        words.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1].as_str()).collect()
    };
    let random = values("--random").first().map(|count| count.parse().unwrap());
    let dir = values("--sets").first().copied();
    if dir.is_none() && random.is_none() {
        println!("--sets DIR: a folder of files with a position and its score a line, or --random N");
        return;
    }
    let most = values("--positions").first().map_or(usize::MAX, |count| count.parse().unwrap());
    let mut contestants: Vec<(String, Box<dyn Contestant>)> = vec![
        ("arena, no book".to_owned(), Box::new(Own::new(without_book()))),
        ("arena".to_owned(), Box::new(Own::new(for_variant(&variant()).unwrap()))),
    ];
    for rival in values("--rival") {
        let (name, command) = rival.split_once('=').expect("NAME=COMMAND");
        contestants.push((name.to_owned(), Box::new(Rival::start(command))));
    }
    let files = dir.into_iter().flat_map(|dir| std::fs::read_dir(dir).unwrap()).map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut sets: Vec<(String, String)> =
        files.map(|file| (name(&file), std::fs::read_to_string(&file).unwrap())).collect();
    sets.sort();
    sets.extend(
        random.into_iter().flat_map(|count| [11, 12].map(|ply| (format!("random, ply {ply}"), positions(ply, count)))),
    );
    println!("set, positions, solver, mean µs, to the best rival, worst ms, positions a second (M), wrong");
    for (set, text) in sets {
        let lines: Vec<(&str, Option<i32>)> = text.lines().take(most).map(read).collect();
        let mut sums = vec![Sum::default(); contestants.len()];
        for turn in lines.chunks(TURN) {
            for ((_, contestant), sum) in contestants.iter_mut().zip(&mut sums) {
                contestant.solve(turn, sum);
            }
        }
        let best = sums[2..].iter().map(|sum| sum.nanos).min();
        for ((name, _), sum) in contestants.iter().zip(&sums) {
            println!(
                "{set}, {}, {name}, {:.2}, {}, {:.1}, {}, {}",
                lines.len(),
                sum.nanos as f64 / 1e3 / lines.len() as f64,
                best.map_or_else(String::new, |best| format!("{:.3}", sum.nanos as f64 / best as f64)),
                sum.worst as f64 / 1e6,
                if sum.nodes == 0 {
                    String::new()
                } else {
                    format!("{:.1}", sum.nodes as f64 * 1e3 / sum.nanos as f64)
                },
                sum.wrong
            );
        }
    }
}

fn read(line: &str) -> (&str, Option<i32>) {
    let (position, score) = line.split_once(' ').unwrap_or((line, ""));
    (position, score.trim().parse().ok())
}

/// Random positions of unfinished games.
fn positions(ply: usize, count: usize) -> String {
    let mut rng = Rng::new(11);
    let mut text = String::new();
    let mut made = 0;
    while made < count {
        let mut state = variant().start(0).unwrap();
        let mut digits = String::new();
        while digits.len() < ply && state.outcome().is_none() {
            let column = state.nth_legal(rng.below(state.legal_count()));
            state.apply(&column).unwrap();
            let Move::Int(column) = column else { unreachable!("columns are numbers") };
            digits.push_str(&(column + 1).to_string());
        }
        if state.outcome().is_none() {
            made += 1;
            text.push_str(&digits);
            text.push('\n');
        }
    }
    text
}

fn variant() -> Variant {
    "connect4".parse().unwrap()
}

/// What the positions of a set took.
#[derive(Clone, Default)]
struct Sum {
    nanos: u64,
    worst: u64,
    nodes: u64,
    wrong: usize,
}

impl Sum {
    fn add(&mut self, nanos: u64, expected: Option<i32>, score: i32) {
        self.nanos += nanos;
        self.worst = self.worst.max(nanos);
        self.wrong += usize::from(expected.is_some_and(|expected| expected != score));
    }
}

trait Contestant {
    fn solve(&mut self, positions: &[(&str, Option<i32>)], sum: &mut Sum);
}

struct Own {
    solver: Box<dyn Solver>,
    variant: Variant,
}

impl Own {
    fn new(solver: Box<dyn Solver>) -> Self {
        Self { solver, variant: variant() }
    }
}

impl Contestant for Own {
    fn solve(&mut self, positions: &[(&str, Option<i32>)], sum: &mut Sum) {
        for (position, score) in positions {
            let moves: Vec<Move> = position.bytes().map(|digit| Move::Int(i64::from(digit - b'1'))).collect();
            let mut state = self.variant.start(0).unwrap();
            play(state.as_mut(), &moves).map_err(|(_, error)| error).unwrap();
            self.solver.forget();
            let (nodes, before) = (self.solver.nodes(), thread_nanos());
            let known = self.solver.value(state.as_ref(), None, &Limits::NONE).unwrap();
            sum.add(thread_nanos() - before, *score, known.value().unwrap().score(42, moves.len() as u32));
            sum.nodes += self.solver.nodes() - nodes;
        }
    }
}

fn thread_nanos() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct Rival {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Rival {
    fn start(command: &str) -> Self {
        let mut shell = Command::new("sh");
        let mut process = shell
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Self { process, stdin, stdout }
    }
}

impl Contestant for Rival {
    fn solve(&mut self, positions: &[(&str, Option<i32>)], sum: &mut Sum) {
        for (position, score) in positions {
            self.stdin.write_all(format!("{position}\n").as_bytes()).unwrap();
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            let (said, nanos) =
                line.trim().split_once(' ').unwrap_or_else(|| panic!("not SCORE NANOSECONDS: {line:?}"));
            sum.add(nanos.parse().unwrap(), *score, said.parse().unwrap());
        }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
