//! `--covariance`: the errors of all differences, for those who compute further.

use crate::support::Dir;

/// Each bot beats the next in two of three pairs and draws the third; openings are those of the column.
const TABLE: &str = "first,second,result,pair,opening
a,b,1-0,1,x\nb,a,0-1,1,x\na,c,1-0,2,x\nc,a,0-1,2,x\nb,c,1-0,3,x\nc,b,1/2-1/2,3,x
a,b,1-0,4,y\nb,a,1-0,4,y\na,c,1-0,5,y\nc,a,1-0,5,y\nb,c,1-0,6,y\nc,b,1-0,6,y
a,b,1-0,7,z\nb,a,1/2-1/2,7,z\na,c,0-1,8,z\nc,a,1-0,8,z\nb,c,0-1,9,z\nc,b,0-1,9,z
a,b,0-1,10,w\nb,a,1/2-1/2,10,w\na,c,1-0,11,w\nc,a,0-1,11,w\nb,c,1-0,12,w\nc,b,1-0,12,w
";

/// The cells of a table, without its header.
fn cells(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("`{cell}` is a number"))
}

#[test]
fn covariances_and_probabilities_are_those_of_the_standings() {
    let dir = Dir::new();
    dir.file("games.csv", TABLE);
    dir.arena_ends(0, "standings games.csv --covariance");
    let standings = cells(&dir.read("games.standings/standings.csv"));
    let covariance = cells(&dir.read("games.standings/covariance.csv"));
    let los = cells(&dir.read("games.standings/los.csv"));
    assert_eq!(covariance.len(), 6, "three bots, each with itself and every other");
    // Name, elo, elo_hi and los.
    let [name, elo, elo_hi, next] = [3, 10, 12, 13];
    let sd = |a: &str, b: &str| {
        let of = |x: &str, y: &str, unit: usize| {
            let row =
                covariance.iter().find(|row| [&row[0][..], &row[1]] == [x, y] || [&row[1][..], &row[0]] == [x, y]);
            number(&row.expect("every two bots")[unit])
        };
        let variance =
            |unit| if a == b { of(a, a, unit) } else { of(a, a, unit) + of(b, b, unit) - 2.0 * of(a, b, unit) };
        variance(2).max(variance(3)).sqrt()
    };
    for row in &standings {
        let margin = number(&row[elo_hi]) - number(&row[elo]);
        assert!((margin - 1.959_964 * sd(&row[name], &row[name])).abs() < 0.02, "{row:?}");
    }
    for (place, two) in standings.windows(2).enumerate() {
        assert_eq!(los[place][place + 2], two[0][next], "the same probability as in standings.csv");
        let z = (number(&two[0][elo]) - number(&two[1][elo])) / sd(&two[0][name], &two[1][name]);
        let expected = 0.5 * libm::erfc(-z / 2.0_f64.sqrt());
        assert!((number(&two[0][next]) - expected).abs() < 2e-4, "{two:?}");
    }
    for (a, row) in los.iter().enumerate() {
        assert_eq!(row[a + 1], "");
        for b in (0..3).filter(|b| *b != a) {
            assert!((number(&row[b + 1]) + number(&los[b][a + 1]) - 1.0).abs() < 1.5e-4, "{los:?}");
        }
    }
}

#[test]
fn without_openings_there_is_one_covariance() {
    let dir = Dir::new();
    dir.file("games.csv", TABLE.replace("opening", "other"));
    dir.arena_ends(0, "standings games.csv --covariance");
    let covariance = cells(&dir.read("games.standings/covariance.csv"));
    assert!(covariance.iter().all(|row| !row[2].is_empty() && row[3].is_empty()), "{covariance:?}");
}

#[test]
fn the_files_of_a_tournament_are_not_left_out_of_date() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let play = "tournament --game tictactoe --rounds 2 --sandbox off --no-check --quiet";
    dir.arena_ends(0, play);
    dir.arena_ends(0, "standings tictactoe --covariance");
    let there = || ["covariance", "los"].map(|name| dir.path(format!("results/tictactoe/{name}.csv")).exists());
    assert_eq!(there(), [true; 2]);
    dir.arena_ends(0, "standings tictactoe --covariance=off");
    assert_eq!(there(), [false; 2]);
}
