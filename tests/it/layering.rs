//! Arrows point one way: what each module may know is written here, and all paths in the code are held against it.

mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use arena::format::Flag;
use arena::record::Status;
use modules::Modules;
use proc_macro2::{TokenStream, TokenTree};

/// Each module may use those before it.
const ORDER: [&str; 53] = [
    "flags",
    "text",
    "suggest",
    "registry",
    "guard",
    "time",
    "entropy",
    "rng",
    "results_folder",
    "cause",
    "rules",
    "solver",
    "clock",
    "record",
    "referee",
    "speech",
    "tags",
    "protocol",
    "transcript",
    "advice",
    "stats",
    "analysis",
    "format",
    "plan",
    "import",
    "views",
    "web",
    "event",
    "openings",
    "schedule",
    "verify",
    "judge",
    "strategy",
    "journal",
    "machine",
    "player",
    "game",
    "roster",
    "program",
    "check",
    "strength",
    "observer",
    "report",
    "executor",
    "cluster",
    "tournament",
    "session",
    "worker",
    "sitting",
    "tui",
    "live",
    "cli",
    "lib",
];
/// Modules that know no file, no clock, no environment, no process, no thread and no terminal.
const PURE: [&str; 27] = [
    "text",
    "cause",
    "advice",
    "analysis",
    "suggest",
    "registry",
    "rules",
    "solver",
    "protocol",
    "clock",
    "record",
    "referee",
    "speech",
    "tags",
    "format",
    "plan",
    "event",
    "openings",
    "stats",
    "import",
    "views",
    "web",
    "verify",
    "judge",
    "schedule",
    "game",
    "transcript",
];
/// Modules that know less than their place allows.
const NARROW: [(&str, &[&str]); 10] = [
    ("analysis", &["record", "rules", "solver", "stats"]),
    ("format", &["record", "registry", "rng", "stats", "suggest", "text"]),
    ("guard", &["suggest", "text"]),
    ("machine", &["guard", "record", "time"]),
    ("openings", &["rules", "rng", "text"]),
    ("plan", &["format", "record", "rng", "stats"]),
    ("results_folder", &["entropy", "text"]),
    ("solver", &["rng", "rules"]),
    ("stats", &["record", "rules", "rng", "text"]),
    ("schedule", &["clock", "event", "format", "record", "referee", "rules", "stats"]),
];
const IMPURE: [&str; 14] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "Instant",
    "SystemTime",
    "tokio",
    "print!(",
    "println!(",
    "rustix",
    "std::os",
    "async fn",
    "io::std",
];

#[test]
fn arrows_point_one_way_and_the_core_is_pure() {
    let modules = Modules::read();
    let place = |module: &str| {
        ORDER.iter().position(|known| *known == module).unwrap_or_else(|| panic!("{module}: give it a place in ORDER"))
    };
    let mut wrong = Vec::new();
    for ((from, to), names) in modules.arrows() {
        let (own, used) = (module_of(from), module_of(to));
        if own == used {
            continue;
        }
        let is_known = NARROW.iter().find(|(narrow, _)| *narrow == own).is_none_or(|(_, known)| known.contains(&used));
        if place(used) > place(own) || !is_known || (PURE.contains(&own) && ["guard", "time"].contains(&used)) {
            wrong.push(format!("{own} must not know {used}: {from} uses {names:?} of {to}"));
        }
    }
    for (module, text) in code(&modules) {
        if PURE.contains(&module) {
            wrong.extend(
                IMPURE.iter().filter(|word| text.contains(*word)).map(|word| format!("{module} must not use {word}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file contains those in the folder of its name, so it may use them, and they may use what it defines for all of them.
/// Among themselves, and with any other file, the arrows must not lead back.
#[test]
fn no_files_use_each_other_in_circles() {
    let modules = Modules::read();
    let arrows = modules.arrows();
    let arrows: Vec<_> = arrows.iter().filter(|((from, to), _)| !is_below(to, from)).collect();
    assert!(arrows.len() > 500, "the code is not read as it is");
    let mut used_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ((from, to), _) in &arrows {
        used_by.entry(from).or_default().push(to);
    }
    let leads_back = |from: &str, to: &str| {
        let (mut reached, mut open) = (BTreeSet::from([to]), vec![to]);
        while let Some(file) = open.pop() {
            open.extend(used_by.get(file).into_iter().flatten().filter(|next| reached.insert(**next)));
        }
        reached.contains(from)
    };
    let circular: Vec<_> = arrows.iter().filter(|((from, to), _)| leads_back(from, to)).collect();
    assert!(circular.is_empty(), "files that use each other in circles: {circular:#?}");
}

/// Whether `file` lies in the folder that belongs to `front`: `guard/probe/mod.rs` or `import.rs`.
fn is_below(file: &str, front: &str) -> bool {
    let folder = front.strip_suffix("/mod.rs").or_else(|| front.strip_suffix(".rs")).unwrap_or(front);
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) && file != front
}

/// The module of the crate that a file belongs to.
fn module_of(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap_or(file)
}

/// The wall clock may jump. It stamps records and says how long it is until a time of day; nothing else is reckoned from it.
const WALL_CLOCK: [&str; 8] =
    ["jiff", "SystemTime", "UNIX_EPOCH", "REALTIME", "Realtime", ".modified()", ".accessed()", ".created()"];

#[test]
fn the_wall_clock_stamps_records_and_nothing_else() {
    let mut uses = Vec::new();
    for (module, text) in code(&Modules::read()) {
        for word in WALL_CLOCK {
            let lines = text.match_indices(word).filter_map(|(at, _)| text[at..].lines().next());
            uses.extend(lines.map(|line| format!("{module}: {line}")));
        }
    }
    let elsewhere: Vec<&String> = uses.iter().filter(|line| !line.starts_with("time: jiff::")).collect();
    assert_eq!(elsewhere, [""; 0]);
    let readings: Vec<&String> = uses.iter().filter(|line| line.contains("now")).collect();
    assert_eq!(readings, ["time: jiff::Timestamp::now())", "time: jiff::Zoned::now()"]);
}

#[test]
fn no_code_matches_on_a_message() {
    const MATCHES: [&str; 6] = [".contains(", ".starts_with(", ".ends_with(", ".find(", ".strip_prefix(", "=="];
    let mut wrong = Vec::new();
    for (module, text) in code(&Modules::read()) {
        let text: String = text.split_whitespace().collect();
        for field in [".message", ".reason", "log_lines()"] {
            let used =
                text.match_indices(field).map(|(at, _)| text[at + field.len()..].trim_start_matches(".as_str()"));
            let matched = used.filter(|rest| MATCHES.iter().any(|word| rest.starts_with(word)));
            wrong.extend(matched.map(|rest| format!("{module}: {field}{}", &rest[..rest.len().min(60)])));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A renamed flag must leave no stale advice, so messages take its name from `flags`, or from the format that has it. Static
/// tables have no other way than to write it; a test of `cli` compares theirs with the commands.
#[test]
fn messages_take_the_names_of_flags_from_one_place() {
    /// A flag of `cp`.
    const FOREIGN: &str = "--sparse=never";
    let advice = Status::ALL.into_iter().flat_map(arena::advice::all).flat_map(|advice| [advice.what, advice.cure]);
    let tables: Vec<&str> = advice.chain(Flag::all().into_iter().map(|flag| flag.help)).collect();
    let mut wrong = Vec::new();
    for (module, text) in code(&Modules::read()) {
        if ["cli", "flags"].contains(&module) {
            continue;
        }
        let mut found = Vec::new();
        literals(text.parse().expect("code"), &mut found);
        // As the compiler reads it.
        let found = found.into_iter().map(|text| text.split("\\\n").map(str::trim_start).collect::<String>());
        wrong.extend(found.filter(|text| !tables.contains(&text.trim_matches('"'))).filter_map(|text| {
            let text = text.replace(FOREIGN, "");
            let names_flag = text.split("--").skip(1).any(|flag| flag.starts_with(|c: char| c.is_ascii_lowercase()));
            names_flag.then(|| format!("{module}: {text}"))
        }));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Adds the literals of `code` to `found`, as they are written.
fn literals(code: TokenStream, found: &mut Vec<String>) {
    for token in code {
        match token {
            TokenTree::Literal(literal) => found.push(literal.to_string()),
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// The code of every module of the crate, without comments and tests.
fn code(modules: &Modules) -> BTreeMap<&str, String> {
    let mut all: BTreeMap<_, String> = BTreeMap::new();
    for file in modules.files() {
        let text = fs::read_to_string(modules::place(Path::new(file))).expect("a file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        all.entry(module_of(file)).or_default().extend(code.flat_map(|line| [line, "\n"]));
    }
    all
}
