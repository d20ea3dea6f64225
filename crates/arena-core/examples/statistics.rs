//! Ratings of games from a file, and a sequential test of every pairing: `cargo run -p arena-core --example statistics -- FILE`.
//!
//! FILE is a table with the columns `white,black,result`, or has games in PGN.

#![expect(clippy::print_stdout, reason = "examples print")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;

use arena_core::import::{ImportOptions, read_all};
use arena_core::stats::{Analysis, AnalysisOptions, CountsBuilder, MatchCounts, Sprt, SprtModel, head_to_head};
use arena_core::text::{percent, shown};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: statistics FILE")?;
    print!("{}", report(&path, File::open(&path)?)?);
    Ok(())
}

/// What the games in `input` say; its name may end in `.pgn`.
fn report(name: &str, input: impl Read) -> Result<String, Box<dyn Error>> {
    let (table, _) = read_all([(name.to_owned(), input)], &ImportOptions::default())?;
    let mut counts = CountsBuilder::new(table.names.len());
    for game in table.games.iter().filter(|game| game.rated) {
        counts.add(game.first as usize, game.second as usize, game.result, Some(game.cluster));
    }
    let analysis = Analysis::new(counts.finish(), None, &[], &AnalysisOptions::default());
    let name = |bot: usize| shown(&String::from_utf8_lossy(&table.names[bot]));

    let mut text = format!("{:<4}  {:<12}  {:<15}  {:<16}  LOS\n", "rank", "player", "games", "Elo");
    for (place, row) in analysis.standings.iter().enumerate() {
        let games = row.games.total().to_string();
        let elo = analysis.ratings.of(row.bot).map_or_else(String::new, |rating| rating.elo.to_string());
        let los = analysis.los_against_next(place).map_or("-".to_owned(), |los| format!("{} %", percent(los)));
        writeln!(text, "{:<4}  {:<12}  {games:<15}  {elo:<16}  {los}", row.rank, name(row.bot))?;
    }
    let sprt = Sprt::new(SprtModel::Logistic, [0.0, 50.0], 0.05, 0.05)?;
    let [lower, upper] = sprt.bounds();
    for met in head_to_head(&analysis) {
        let pairs = MatchCounts::Pairs(met.pairs);
        let (llr, verdict) = (sprt.llr(&pairs), sprt.verdict(&pairs).word());
        let (a, b) = (name(met.a), name(met.b));
        writeln!(text, "{a} is 50 Elo stronger than {b}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {verdict}")?;
    }
    Ok(text)
}

#[test]
fn a_table_is_rated_and_tested() {
    let rows = "ann,bob,1-0\nbob,ann,1/2-1/2\n".repeat(30) + &"ann,cem,1-0\ncem,ann,1-0\n".repeat(5);
    let text = report("games.csv", format!("white,black,result\n{rows}").as_bytes()).unwrap();
    insta::assert_snapshot!(text, @r"
    rank  player        games            Elo               LOS
    1     ann           +35 =30 -5       +63.6 ± 19.0      50.0 %
    2     cem           +5 =0 -5         +63.6 ± 35.3      >99.9 %
    3     bob           +0 =30 -30       -127.2 ± 23.6     -
    ann is 50 Elo stronger than cem: LLR -0.76 (-2.94, 2.94), inconclusive
    ann is 50 Elo stronger than bob: LLR 4.01 (-2.94, 2.94), H1
    ");
}
