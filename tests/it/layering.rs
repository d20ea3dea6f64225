//! Arrows point one way: what each module may know is written here, and the `use` lines are held against it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Each module may use those before it.
const ORDER: [&str; 33] = [
    "text",
    "rng",
    "suggest",
    "cause",
    "rules",
    "clock",
    "record",
    "referee",
    "protocol",
    "advice",
    "format",
    "stats",
    "event",
    "openings",
    "schedule",
    "import",
    "verify",
    "judge",
    "strategy",
    "journal",
    "guard",
    "player",
    "game",
    "roster",
    "check",
    "report",
    "executor",
    "observer",
    "tournament",
    "session",
    "cli",
    "lib",
    "main",
];
/// Modules that know no file, no clock, no environment, no process, no thread and no terminal.
const PURE: [&str; 19] = [
    "text", "cause", "advice", "rng", "suggest", "rules", "protocol", "clock", "record", "referee", "format", "event",
    "openings", "stats", "import", "verify", "judge", "schedule", "game",
];
/// Modules that know less than their place allows.
const NARROW: [(&str, &[&str]); 3] = [
    ("format", &["record", "rng", "text"]),
    ("openings", &["rules", "rng", "text"]),
    ("stats", &["record", "rules", "rng", "text"]),
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
    let place = |module: &str| ORDER.iter().position(|known| *known == module);
    let mut wrong = Vec::new();
    for (module, text) in modules() {
        let own = place(&module).unwrap_or_else(|| panic!("src/{module}: give it a place in ORDER"));
        for used in text
            .split("crate::")
            .skip(1)
            .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
        {
            if used != module && place(used).is_some_and(|used| used > own) {
                wrong.push(format!("{module} must not know {used}"));
            }
            let narrow = NARROW.iter().find(|(narrow, _)| *narrow == module);
            if used != module && place(used).is_some() && narrow.is_some_and(|(_, known)| !known.contains(&used)) {
                wrong.push(format!("{module} must know nothing of {used}"));
            }
        }
        if PURE.contains(&module.as_str()) {
            wrong.extend(
                IMPURE.iter().filter(|word| text.contains(*word)).map(|word| format!("{module} must not use {word}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The wall clock may jump. It stamps records, and nothing is reckoned from it.
const WALL_CLOCK: [&str; 8] =
    ["jiff", "SystemTime", "UNIX_EPOCH", "REALTIME", "Realtime", ".modified()", ".accessed()", ".created()"];

#[test]
fn the_wall_clock_stamps_records_and_nothing_else() {
    let mut uses = Vec::new();
    for (module, text) in modules() {
        for word in WALL_CLOCK {
            let lines = text.match_indices(word).filter_map(|(at, _)| text[at..].lines().next());
            uses.extend(lines.map(|line| format!("{module}: {line}")));
        }
    }
    assert_eq!(uses, [r#"executor: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()"#]);
}

#[test]
fn no_code_matches_on_a_message() {
    const MATCHES: [&str; 6] = [".contains(", ".starts_with(", ".ends_with(", ".find(", ".strip_prefix(", "=="];
    let mut wrong = Vec::new();
    for (module, text) in modules() {
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

/// The code of every module of the crate, without comments and tests.
fn modules() -> BTreeMap<String, String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    let mut files = vec![src.clone()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            let text = fs::read_to_string(&path).expect("a file");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            let inside = path.strip_prefix(&src).expect("inside").with_extension("");
            let module = inside.iter().next().expect("a name").to_string_lossy().into_owned();
            *modules.entry(module).or_default() += code.as_str();
        }
    }
    modules
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    ["tests", "testing", "fixture", "matches"].contains(&name.as_ref()) || name.ends_with("_tests")
}
