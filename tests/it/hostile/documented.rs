//! The table in `MATRIX.md` has a line for every row, and names tests that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Number of rows of the table.
const ROWS: u32 = 125;

/// Source text by module, as the test binary or the crate names it.
fn modules(root: &Path, above: &str) -> BTreeMap<String, String> {
    let sources = super::watched::contents(root)
        .into_iter()
        .filter(|(path, _)| Path::new(path).extension() == Some("rs".as_ref()));
    let named = sources.map(|(path, text)| {
        let module = Path::new(&path).strip_prefix(root).expect("below").with_extension("");
        let words: Vec<_> = module.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let words: Vec<_> = words.into_iter().filter(|word| word != "mod").collect();
        (above.to_owned() + &words.join("::"), String::from_utf8(text).expect("UTF-8"))
    });
    named.collect()
}

#[test]
fn every_row_names_tests_that_exist() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(home.join("tests/it/hostile/MATRIX.md")).expect("the table");
    let crates = home.join("crates").read_dir().expect("the crates").map(|member| {
        let member = member.expect("a crate").path();
        // As the program names it.
        let above = if member.ends_with("arena-guard") { "guard::" } else { "" };
        (member.join("src"), above)
    });
    let own = ["tests/it", "src"].map(|root| (home.join(root), ""));
    let known: Vec<_> = own.into_iter().chain(crates).map(|(root, above)| modules(&root, above)).collect();
    let exists = |name: &str| {
        let (module, test) = name.rsplit_once("::").unwrap_or(("", name));
        // Unit tests are in the file that they test, or in one of their own.
        let modules = [module, module.strip_suffix("::tests").unwrap_or(module)];
        let is_in = |text: &String| text.contains(&format!("fn {test}("));
        let has = |texts: &BTreeMap<String, String>| modules.iter().any(|name| texts.get(*name).is_some_and(is_in));
        known.iter().any(has)
    };
    let mut rows = BTreeSet::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let numbers = cells.get(1).into_iter().flat_map(|cell| cell.split(", ")).map(str::parse::<u32>);
        let Ok(numbers) = numbers.collect::<Result<Vec<_>, _>>() else { continue };
        let Some(number) = numbers.first().copied() else { continue };
        for number in numbers {
            assert!(rows.insert(number), "row {number} stands there twice");
        }
        let names: Vec<&str> = cells[cells.len() - 2].split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "row {number} names no test: {line}");
        for name in names {
            assert!(exists(name), "row {number}: there is no test {name}");
        }
    }
    // Rows without tests are among the gaps below the table.
    let said = |row: u32| rows.contains(&row) || page.contains(&format!("\n- Row {row}:"));
    let missing: Vec<u32> = (1..=ROWS).filter(|row| !said(*row)).collect();
    assert!(missing.is_empty(), "rows without a line: {missing:?}");
}
