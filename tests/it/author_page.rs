//! `docs/writing-a-bot.md` is what really happens: every bot on the page is run, every change is applied, and every command
//! prints what the page shows. `ARENA_BLESS=1 cargo test --test it author_page` writes it anew; read the diff.
//!
//! A comment before a block says what it is, for each bot of the page in a folder of its own:
//!
//! - `<!-- bot NAME -->`: from here on, a new folder with `tests/data/broken_bots/NAME` in `bots`; no block
//! - `<!-- file PATH -->`: the block is this file, and executable
//! - `<!-- change PATH -->`: the block is a diff without line numbers
//! - `<!-- run -->`: the block shows commands after `$ ` and what they print on a terminal of 80 columns

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::pty;
use crate::support::{Dir, in_repository, is_installed, search_path};

const PAGE: &str = "docs/writing-a-bot.md";
const FENCE: &str = "```";
/// What the page calls the folder that the commands run in.
const HOME: &str = "/home/ada/cup";

#[test]
fn the_page_shows_what_really_happens() {
    if !is_installed("python3", "the bots of docs/writing-a-bot.md") {
        return;
    }
    let page = fs::read_to_string(in_repository(PAGE)).expect("the page");
    let actual = replay(&page);
    if std::env::var_os("ARENA_BLESS").is_some() {
        return fs::write(in_repository(PAGE), actual).expect("the page");
    }
    let (expected, actual) = (comparable(&page), comparable(&actual));
    let same = expected.chars().zip(actual.chars()).take_while(|(expected, actual)| expected == actual).count();
    let from = |text: &str| text.chars().skip(same.saturating_sub(60)).take(160).collect::<String>();
    assert!(
        expected == actual,
        "ARENA_BLESS=1 writes {PAGE} anew; it has\n{}\ninstead of\n{}",
        from(&expected),
        from(&actual)
    );
}

/// The page with what its commands print now.
fn replay(page: &str) -> String {
    let mut dir = folder();
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(words) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let (what, name) = words.split_once(' ').unwrap_or((words, ""));
        if what == "bot" {
            dir = folder();
            let from = in_repository("tests/data/broken_bots").join(name);
            fs::copy(&from, dir.path("bots").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            continue;
        }
        text.extend(lines.next().into_iter().flat_map(|opening| [opening, "\n"]));
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        match what {
            "file" => {
                dir.file(name, block.join("\n") + "\n");
                fs::set_permissions(dir.path(name), fs::Permissions::from_mode(0o755)).expect("a mode");
            }
            "change" => change(&dir, name, &block),
            "run" => {
                for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    let _ = write!(text, "$ {command}\n{}", run(&dir, command));
                }
                let _ = writeln!(text, "{FENCE}");
                continue;
            }
            _ => panic!("unknown block: {line}"),
        }
        for line in block.into_iter().chain([FENCE]) {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// A folder with two opponents and the command `arena`.
fn folder() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    symlink(crate::support::arena(), dir.path("tmp/arena")).expect("a link");
    dir
}

/// Replaces the lines of a diff that begin with a minus by those that begin with a plus; others are where that is.
fn change(dir: &Dir, path: &str, diff: &[&str]) {
    let side = |sign: char| -> String {
        let lines = diff.iter().filter(|line| line.starts_with([sign, ' ']));
        lines.flat_map(|line| [&line[1..], "\n"]).collect()
    };
    let (before, text) = (side('-'), dir.read(path));
    assert_eq!(text.matches(&before).count(), 1, "{path}: {before}");
    let mode = fs::metadata(dir.path(path)).expect("a file").permissions();
    dir.file(path, text.replace(&before, &side('+')));
    fs::set_permissions(dir.path(path), mode).expect("a mode");
}

/// What a command prints: stderr, then stdout as on a terminal. A new terminal has no size: 80 columns are assumed.
fn run(dir: &Dir, command: &str) -> String {
    let (screen, terminal, _) = pty::terminal();
    let mut shell = Command::new("sh");
    let path = search_path().and_then(|path| path.into_string().ok()).unwrap_or_default();
    shell.args(["-c", command]).current_dir(dir.path("")).env_clear().env("TMPDIR", dir.path("tmp"));
    shell.env("PATH", format!("{}:{path}", dir.path("tmp").display())).env("TERM", "dumb");
    let mut child = shell
        .stdin(Stdio::null())
        .stdout(Stdio::from(terminal))
        .stderr(fs::File::create(dir.path("out/stderr")).expect("a file"))
        .spawn()
        .expect("a shell");
    // It holds a copy of the other end.
    drop(shell);
    let printed = pty::read_to_end(screen);
    child.wait().expect("a child");
    let text = dir.read("out/stderr") + &printed;
    let here = dir.path("").display().to_string();
    text.replace('\r', "").replace(here.trim_end_matches('/'), HOME)
}

/// The page without what differs from run to run, and from one Python to the next: ids, times, places in a line of Python,
/// what was sent (which is cut, and has ids), and where lines are broken because of that.
fn comparable(page: &str) -> String {
    let points = |line: &str| !line.trim().is_empty() && line.trim().chars().all(|c| "^~".contains(c));
    // Printed only if the games take long, as on a busy machine.
    let is_progress = |line: &str| line.contains(" games, ") && line.contains("/s, ");
    let is_kept = |line: &&str| !points(line) && !is_progress(line) && !line.starts_with("note  slowest reply");
    let mut text = String::new();
    page.lines().filter(is_kept).flat_map(str::split_whitespace).for_each(|word| mask(word, &mut text));
    let mut parts = text.split("lastsent:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = ["lastreceived:", "stderr:", "→"].iter().filter_map(|label| part.find(label)).min().unwrap_or(0);
        kept.push_str("lastsent:…");
        kept.push_str(&part[end..]);
    }
    // When the last game ended.
    while let Some(at) = kept.find("finished20") {
        let end = kept[at..].find("UTC,").map_or(kept.len(), |end| at + end);
        kept.replace_range(at..end, "finished");
    }
    // On a busy machine a bot that computes all the time also waits, and stands still for some milliseconds.
    let still = "andsleptorwaitedforsomethingelsefor…ms(input,alock,anotherprocess)";
    for (next, still) in [("and", ""), (",", still)] {
        for waited in ["…s", "…ms"] {
            let on_a_busy_machine = format!("itcomputedfor…s{next}waited{waited}foraprocessor{still}");
            kept = kept.replace(&on_a_busy_machine, "itcomputedallthetime:aloop,orasearchthatistoodeep");
        }
    }
    kept
}

/// Appends a word with ids of requests and games, and decimals masked.
fn mask(word: &str, text: &mut String) {
    for part in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '.') {
        let token = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        let is_hash = token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_masked = is_hash || is_number && (token.contains('.') || text.ends_with("\"id\":"));
        text.push_str(if is_masked { "…" } else { token });
        text.push_str(&part[token.len()..]);
    }
}
