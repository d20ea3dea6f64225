//! The pictures in `docs/pictures` are what the arena draws: they are compared byte by byte with what is drawn from the journal
//! in `tests/data/pictures`, here and in `screens.rs`. `ARENA_BLESS=1 cargo test --test it -- pictures screens` draws them anew;
//! look at them.

use std::fs;

use crate::support::{Dir, check_golden, in_repository};

const JOURNAL: &str = "tests/data/pictures/games.jsonl";

pub(crate) fn journal() -> String {
    fs::read_to_string(in_repository(JOURNAL)).expect("the journal")
}

#[test]
fn plots_of_the_standings() {
    let dir = Dir::new();
    dir.file("results/example/games.jsonl", journal());
    let ended = dir.arena_ends(0, "standings --svg deep/plots");
    let names: Vec<&str> = ended.stderr.lines().filter_map(|line| line.strip_prefix("plot: deep/plots/")).collect();
    let all = ["elo.svg", "scores.svg", "los.svg", "elo_over_rounds.svg", "times.svg", "times_by_ply.svg"];
    assert_eq!(names, all, "{ended}");
    for name in all {
        check_golden(&format!("docs/pictures/{name}"), &dir.read(&format!("deep/plots/{name}")));
    }
    let ended = dir.arena_ends(0, "standings --svg untimed --no-times");
    assert!(!ended.stderr.contains("times") && ended.stderr.contains("untimed/elo_over_rounds.svg"), "{ended}");
}

#[test]
fn plots_of_games_from_elsewhere() {
    let dir = Dir::new();
    dir.file("games.csv", "first,second,result\n<a>,b&c,1-0\nb&c,<a>,1-0\n<a>,b&c,1/2-1/2\nb&c,<a>,0-1\n");
    let ended = dir.arena_ends(0, "standings games.csv --svg plots --json");
    for name in ["elo", "scores", "los"] {
        assert!(ended.stderr.contains(&format!("plot: plots/{name}.svg\n")), "{ended}");
        let plot = dir.read(&format!("plots/{name}.svg"));
        assert!(plot.contains("&lt;a&gt;") && plot.contains("b&amp;c") && !plot.contains("<a>"), "{plot}");
    }
    assert!(!ended.stdout.contains("plot:"), "{ended}");
}

#[test]
fn a_folder_for_plots_that_cannot_be_made_is_an_error() {
    let dir = Dir::new();
    dir.file("results/example/games.jsonl", journal());
    dir.file("taken", "");
    let ended = dir.arena_ends(1, "standings --svg taken");
    assert!(ended.stderr.contains("creating folder taken; choose another one with --svg DIR"), "{ended}");
}
