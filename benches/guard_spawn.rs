//! What a guard adds to the start and the end of a bot: `cargo bench --bench guard_spawn [-- ROUNDS]`.
//!
//! The variants take turns, so that other load on the machine affects all of them alike.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use arena::guard::{self, GuardProgram, Request, SandboxMode};

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = std::time::Instant::now();
    let done = work();
    (done, start.elapsed())
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn main() {
    let program = GuardProgram::arena(env!("CARGO_BIN_EXE_arena"));
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(300);
    let scratch = std::env::temp_dir().join(format!("arena-bench-{}", std::process::id()));
    let cat = Path::new("/bin/cat");
    let request = |sandbox| Request {
        sandbox,
        readable: guard::readable(cat, &[], std::env::var_os("PATH").as_deref(), false, &[]),
        ..Request::new(cat, Path::new("/"), &scratch)
    };
    let modes = [SandboxMode::Off, SandboxMode::Auto, SandboxMode::Landlock, SandboxMode::Strict];
    let requests = modes.map(request);
    let mut starts = vec![Vec::new(); 1 + modes.len()];
    let mut ends = starts.clone();
    for _ in 0..rounds {
        let (child, start) =
            timed(|| Command::new(cat).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn());
        let Ok(mut child) = child else { continue };
        starts[0].push(start);
        ends[0].push(timed(|| child.kill().and_then(|()| child.wait())).1);
        for (index, request) in requests.iter().enumerate() {
            let (spawned, start) = timed(|| guard::spawn(&program, request));
            let Ok((mut bot, _pipes)) = spawned else { continue };
            starts[index + 1].push(start);
            ends[index + 1].push(timed(|| bot.kill()).1);
        }
    }
    let names = std::iter::once("plain".to_owned()).chain(modes.iter().map(|mode| format!("guard, {mode}")));
    println!("{:16} {:>10} {:>10} {:>10} {:>12}", "µs", "start min", "median", "p90", "end median");
    for ((name, mut starts), mut ends) in names.zip(starts).zip(ends) {
        starts.sort();
        ends.sort();
        let at = |times: &[Duration], part: f64| {
            times.get((times.len() as f64 * part) as usize).map_or(0, Duration::as_micros)
        };
        let row = [at(&starts, 0.0), at(&starts, 0.5), at(&starts, 0.9), at(&ends, 0.5)];
        println!("{name:16} {:>10} {:>10} {:>10} {:>12}", row[0], row[1], row[2], row[3]);
    }
    let _ = std::fs::remove_dir(&scratch);
}
