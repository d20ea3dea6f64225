//! What cargo cannot hold: which modules of a crate may know which, that pure code is pure, and that no files use each other
//! in circles. Between crates the arrows are those of their manifests.

mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use arena::format::Flag;
use arena::record::Status;
use modules::{Modules, home};
use proc_macro2::{TokenStream, TokenTree};

/// The modules of crates that have several, in their order: each may use those before it.
const ORDER: [(&str, &[&str]); 9] = [
    (
        "arena-core",
        &[
            "cause", "clock", "record", "referee", "speech", "tags", "analysis", "format", "plan", "import",
            "openings", "event", "schedule", "verify", "judge",
        ],
    ),
    ("arena-rules", &["text", "suggest", "registry", "rng", "rules", "result", "solver"]),
    ("arena-sys", &["flags", "time", "entropy", "results_folder", "machine"]),
    ("arena-wire", &["protocol", "transcript", "advice"]),
    ("arena-show", &["views", "web", "observer"]),
    ("arena-store", &["journal", "report"]),
    ("arena-play", &["player", "game", "roster", "program", "check", "strength", "executor"]),
    ("arena-run", &["tournament", "session", "sitting"]),
    ("arena-cluster", &["cluster", "worker"]),
];
/// Crates and modules that know no file, no clock, no environment, no process, no thread and no terminal.
const PURE: [&str; 7] =
    ["arena-core", "arena-rules", "arena-stats", "arena-wire", "arena-show/views", "arena-show/web", "arena-play/game"];
/// Modules and crates that know less of the core than their place allows.
const NARROW: [(&str, &[&str]); 8] = [
    ("arena-core/analysis", &["record", "result", "rules", "solver", "stats"]),
    ("arena-core/format", &["record", "registry", "result", "rng", "stats", "suggest", "text"]),
    ("arena-core/openings", &["rules", "rng", "text"]),
    ("arena-core/plan", &["format", "record", "result", "rng", "stats"]),
    ("arena-core/schedule", &["clock", "event", "format", "record", "referee", "result", "rules", "stats"]),
    ("arena-rules/solver", &["rng", "rules"]),
    ("arena-stats", &["result", "rules", "rng", "text"]),
    ("arena-sys/results_folder", &["entropy"]),
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

/// The modules of all crates, read once.
fn all_modules() -> &'static Modules {
    static MODULES: LazyLock<Modules> = LazyLock::new(Modules::read);
    &MODULES
}

#[test]
fn arrows_point_one_way_and_the_core_is_pure() {
    let modules = all_modules();
    let mut wrong = Vec::new();
    for ((from, to), names) in modules.arrows() {
        let [(own_crate, own), (used_crate, used)] = [from, to].map(module_of);
        let full = format!("{own_crate}/{own}");
        let is_inside = own_crate == used_crate;
        if own == "lib" || is_inside && [own, "lib"].contains(&used) {
            continue;
        }
        let order = ORDER.iter().find(|(name, _)| is_inside && *name == own_crate);
        let is_up = order.is_some_and(|(_, order)| {
            let place = |module: &str| {
                let place = order.iter().position(|known| *known == module);
                place.unwrap_or_else(|| panic!("{own_crate}/{module}: give it a place in ORDER"))
            };
            place(used) > place(own)
        });
        // Below the core are crates that were part of it: the rules, of which each module has a name, and the statistics.
        let name = match used_crate {
            "arena-stats" => (own_crate == "arena-core").then_some("stats"),
            "arena-rules" if own_crate == "arena-stats" || own_crate == "arena-core" => Some(used),
            _ => is_inside.then_some(used),
        };
        let is_known = NARROW
            .iter()
            .filter(|(narrow, _)| *narrow == full || *narrow == own_crate)
            .all(|(_, known)| name.is_none_or(|name| known.contains(&name)));
        if is_up || !is_known {
            wrong.push(format!("{full} must not know {used_crate}/{used}: {from} uses {names:?} of {to}"));
        }
    }
    for (file, text) in code(modules) {
        let (own_crate, own) = module_of(file);
        if PURE.contains(&own_crate) || PURE.contains(&format!("{own_crate}/{own}").as_str()) {
            wrong.extend(
                IMPURE.iter().filter(|word| text.contains(*word)).map(|word| format!("{file} must not use {word}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file contains those in the folder of its name, so it may use them, and they may use what it defines for all of them.
/// Any other way back to where it began is a circle, be it by way of what contains a file or of what a file contains.
#[test]
fn no_files_use_each_other_in_circles() {
    let modules = all_modules();
    let all = modules.arrows();
    assert!(all.len() > 1000, "the code is not read as it is");
    let is_down = |(from, to): (&str, &str)| is_below(to, from);
    let is_up = |(from, to): (&str, &str)| is_below(from, to);
    let without = |left_out: &dyn Fn((&str, &str)) -> bool| {
        all.keys().copied().filter(|arrow| !left_out(*arrow)).collect::<Vec<_>>()
    };
    for arrows in [without(&is_down), without(&is_up)] {
        let circular = circular(&arrows);
        assert!(circular.is_empty(), "files that use each other in circles: {circular:#?}");
    }
}

/// The arrows that are part of a circle.
fn circular<'a>(arrows: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut used_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in arrows {
        used_by.entry(from).or_default().push(to);
    }
    let leads_back = |from: &str, to: &str| {
        let (mut reached, mut open) = (BTreeSet::from([to]), vec![to]);
        while let Some(file) = open.pop() {
            open.extend(used_by.get(file).into_iter().flatten().filter(|next| reached.insert(**next)));
        }
        reached.contains(from)
    };
    arrows.iter().copied().filter(|(from, to)| leads_back(from, to)).collect()
}

#[test]
fn a_circle_by_way_of_what_a_file_contains_is_found() {
    let arrows = [("check/all.rs", "standings.rs"), ("standings.rs", "check.rs"), ("check.rs", "check/all.rs")];
    assert_eq!(circular(&arrows), arrows);
    assert_eq!(circular(&arrows[..2]), []);
}

/// Whether `file` lies in the folder that belongs to `front`: `guard/probe/mod.rs` or `import.rs`.
fn is_below(file: &str, front: &str) -> bool {
    let folder = ["/mod.rs", "/lib.rs", ".rs"].iter().find_map(|end| front.strip_suffix(end)).unwrap_or(front);
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) && file != front
}

/// The folders of the command line, in their order: a file may use those of its own folder and of the ones before it.
const FOLDERS: [&str; 6] = ["args", "contest", "run", "inspect", "make", "organise"];

#[test]
fn folders_of_commands_use_each_other_one_way() {
    let modules = all_modules();
    let place = |file: &str| {
        let (folder, _) = file.strip_prefix("src/cli/")?.split_once('/')?;
        let place = FOLDERS.iter().position(|known| *known == folder);
        Some(place.unwrap_or_else(|| panic!("{file}: give its folder a place in FOLDERS")))
    };
    let arrows: Vec<_> =
        modules.arrows().into_keys().filter_map(|(from, to)| Some((from, to, place(from)?, place(to)?))).collect();
    assert!(arrows.len() > 100, "the folders are not where they were");
    let wrong: Vec<_> = arrows
        .iter()
        .filter(|(_, _, from, to)| to > from)
        .map(|(from, to, _, _)| format!("{from} uses {to}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The crate of a file, and its module there: `("arena-core", "rules")`.
fn module_of(file: &str) -> (&str, &str) {
    let (member, inside) = file.strip_prefix("crates/").unwrap_or(file).split_once("src/").expect("code");
    let module = inside.split(['/', '.']).next().unwrap_or(inside);
    (if member.is_empty() { "arena" } else { member.trim_end_matches('/') }, module)
}

/// The wall clock may jump. It stamps records and says how long it is until a time of day; nothing else is reckoned from it.
const WALL_CLOCK: [&str; 10] = [
    "tz::",
    "DateTime::now",
    "find_current",
    "SystemTime",
    "UNIX_EPOCH",
    "REALTIME",
    "Realtime",
    ".modified()",
    ".accessed()",
    ".created()",
];

#[test]
fn the_wall_clock_stamps_records_and_nothing_else() {
    let mut uses = Vec::new();
    for (file, text) in code(all_modules()) {
        for word in WALL_CLOCK {
            let lines = text.match_indices(word).filter_map(|(at, _)| text[at..].lines().next());
            uses.extend(lines.map(|line| format!("{file}: {line}")));
        }
    }
    let own = "crates/arena-sys/src/time.rs: ";
    let is_own = |line: &str| {
        line.strip_prefix(own).is_some_and(|use_| use_.starts_with("tz::") || use_.starts_with("DateTime::now"))
    };
    let elsewhere: Vec<&String> = uses.iter().filter(|line| !is_own(line)).collect();
    assert_eq!(elsewhere, [""; 0]);
    let readings: Vec<&str> =
        uses.iter().filter(|line| line.contains("now")).filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(readings, ["DateTime::now().expect(\"the"]);
}

#[test]
fn no_code_matches_on_a_message() {
    const MATCHES: [&str; 6] = [".contains(", ".starts_with(", ".ends_with(", ".find(", ".strip_prefix(", "=="];
    let mut wrong = Vec::new();
    for (file, text) in code(all_modules()) {
        let text: String = text.split_whitespace().collect();
        for field in [".message", ".reason", "log_lines()"] {
            let used =
                text.match_indices(field).map(|(at, _)| text[at + field.len()..].trim_start_matches(".as_str()"));
            let matched = used.filter(|rest| MATCHES.iter().any(|word| rest.starts_with(word)));
            wrong.extend(matched.map(|rest| format!("{file}: {field}{}", &rest[..rest.len().min(60)])));
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
    for (file, text) in code(all_modules()) {
        if ["cli", "flags"].contains(&module_of(file).1) {
            continue;
        }
        let mut found = Vec::new();
        literals(text.parse().expect("code"), &mut found);
        // As the compiler reads it.
        let found = found.into_iter().map(|text| text.split("\\\n").map(str::trim_start).collect::<String>());
        wrong.extend(found.filter(|text| !tables.contains(&text.trim_matches('"'))).filter_map(|text| {
            let text = text.replace(FOREIGN, "");
            let names_flag = text.split("--").skip(1).any(|flag| flag.starts_with(|c: char| c.is_ascii_lowercase()));
            names_flag.then(|| format!("{file}: {text}"))
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

/// The code of every file, without comments and tests.
fn code(modules: &Modules) -> BTreeMap<&str, String> {
    let read = |file| {
        let text = fs::read_to_string(home().join(file)).expect("a file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.flat_map(|line| [line, "\n"]).collect()
    };
    modules.files().into_iter().map(|file| (file, read(file))).collect()
}
