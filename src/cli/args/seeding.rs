//! Reads the seeds of a tournament from the standings of another.

use std::path::Path;

use anyhow::{Context as _, bail};
use arena_core::text::shown;

/// The word for seeds by a draw.
const DRAW: &str = "draw";

/// The names of a `standings.csv`, the highest `elo` first; none for a draw.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    if path == Path::new(DRAW) {
        return Ok(Vec::new());
    }
    let place = path.display();
    let context = || format!("--seeding {place}");
    let mut table = csv::Reader::from_path(path).with_context(context)?;
    let columns = table.headers().with_context(context)?.clone();
    let column = |name: &str| columns.iter().position(|column| column == name);
    let (Some(name), Some(elo)) = (column("name"), column("elo")) else {
        bail!("--seeding {place}: it has no columns `name` and `elo`; use `draw` or a standings.csv");
    };
    let mut seeds = Vec::new();
    for row in table.records() {
        let row = row.with_context(context)?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |column: usize| row.get(column).unwrap_or_default();
        let elo = match cell(elo) {
            // A bot without games comes after all others.
            "" => f64::NEG_INFINITY,
            text => match text.parse::<f64>() {
                Ok(elo) if !elo.is_nan() => elo,
                _ => bail!("--seeding {place}, line {line}: `{}` is not a rating", shown(text)),
            },
        };
        seeds.push((elo, cell(name).to_owned()));
    }
    // Equal ratings stay in the order of the file.
    seeds.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    Ok(seeds.into_iter().map(|(_, name)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("standings.csv");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|error| format!("{error:#}").replace(&*dir.path().to_string_lossy(), ""))
    }

    #[test]
    fn the_best_rating_comes_first_and_a_bot_without_one_last() {
        let table = "rank,name,elo\n1,b,12.5\n2,\"a,\",inf\n3,c,\n4,d,12.5\n";
        assert_eq!(seeds(table).unwrap(), ["a,", "b", "d", "c"]);
        assert_eq!(read(Path::new("draw")).unwrap(), [""; 0]);
    }

    #[test]
    fn a_file_of_another_kind_is_named_with_its_line() {
        let wrong = "--seeding /standings.csv";
        assert_eq!(
            seeds("a,b\n1,2\n"),
            Err(format!("{wrong}: it has no columns `name` and `elo`; use `draw` or a standings.csv"))
        );
        assert_eq!(seeds("name,elo\na,1\nb,x\n"), Err(format!("{wrong}, line 3: `x` is not a rating")));
        assert!(seeds("name,elo\na\n").unwrap_err().starts_with(wrong));
        assert!(read(Path::new("/nowhere")).unwrap_err().to_string().starts_with("--seeding /nowhere"));
    }
}
