//! `arena match A B`: two bots, a fixed number of rounds or until a sequential test has decided.

use std::fmt::Write as _;

use anyhow::bail;
use serde_json::json;

use super::arrange::{Arranged, arrange, this_command};
use super::event_args::EventArgs;
use super::play_games::play;
use super::sprt::{parse_sprt, rounded, verdict_word};
use super::tournament::this_machine;
use super::{Exit, print, tell};
use crate::catalogue::Catalogue;
use crate::format::FORMATS;
use crate::journal::Brief;
use crate::record::GameResult;
use crate::report::{Durability, Results, fault_sentences, statements, warnings, write_all};
use crate::rules::Seat;
use crate::stats::{AnalysisOptions, Duplicates, Estimate, MatchCounts, Sprt, SprtVerdict, Tally};
use crate::text::{counted, shown};
use crate::tournament::Ending;

/// Rounds, unless told otherwise.
const ROUNDS_DEFAULT: u32 = 100;
/// The most rounds of a test, unless told otherwise.
const SPRT_ROUNDS_DEFAULT: u32 = 10_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bot under test: a name in the bots folder, or a path
    #[arg(value_name = "A")]
    a: String,
    /// The bot it is measured against
    #[arg(value_name = "B")]
    b: String,
    /// Rounds, each one opening from both seats; with --sprt the most there may be [default: 100, with --sprt 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: Option<u32>,
    /// Stop as soon as one of two hypotheses is clearly the better: A is stronger by elo1, or by no more than elo0.
    /// Alone it means elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized
    #[arg(
        long,
        value_name = "elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized|logistic",
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = parse_sprt
    )]
    sprt: Option<Sprt>,
    #[command(flatten)]
    event: EventArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let bots = vec![args.event.bots.find(&args.a)?, args.event.bots.find(&args.b)?];
    let names = [&bots[0], &bots[1]].map(|bot| bot.launch.name.clone());
    if names[0] == names[1] {
        bail!("a match needs two bots, and both are `{}`; give a copy another name with --bot NAME=PATH", names[0]);
    }
    let default = format!("{}-{}-vs-{}", args.event.game.label, names[0], names[1]);
    let rounds = args.rounds.unwrap_or(if args.sprt.is_some() { SPRT_ROUNDS_DEFAULT } else { ROUNDS_DEFAULT });
    let event = args.event.define(args.event.name.clone().unwrap_or(default), &FORMATS[0], rounds)?;
    let Some(mut arranged) = arrange(&args.event, event, &FORMATS[0], bots)? else {
        return Ok(Exit::Incomplete);
    };
    let mut test = Test::new(args.sprt, &arranged.catalogue);
    announce(args, &arranged, &names, &test);
    let options = AnalysisOptions::default();
    let machine = this_machine();
    let ending = if test.is_over() {
        Ending::Enough
    } else {
        arranged.record_event()?;
        play(&mut arranged, &args.event, &machine, &options, |place, brief, progress| {
            test.add(place, brief);
            progress.note(test.live());
            test.is_over()
        })?
    };
    if test.is_over() {
        // Games beyond the decision stay in the journal and out of every table, also of later ones.
        arranged.cut(test.pairs as u32)?;
    }

    let results = Results::new(&arranged.event, &arranged.catalogue, &arranged.reader, &arranged.strikes, &options)?;
    write_all(&arranged.dir, &results, &machine, Durability::Synced)?;
    let said = if args.json { json_text(&names, &test, &results) } else { report(&names, &test, &results, &arranged) };
    print(&said)?;
    let unfinished = !results.counts().is_complete();
    if unfinished {
        tell(&format!("go on with: {}", this_command()));
    }
    Ok(match (ending, test.sprt.map(|_| test.verdict())) {
        (Ending::Killed, _) => Exit::Killed,
        _ if unfinished => Exit::Incomplete,
        _ if withdrawn(&results, &test).is_some() => Exit::BotTrouble,
        _ if args.event.strict && results.any_fault() => Exit::BotTrouble,
        (_, Some(SprtVerdict::H1) | None) => Exit::Done,
        (_, Some(SprtVerdict::H0)) => Exit::NotStronger,
        (_, Some(SprtVerdict::Undecided)) => Exit::Inconclusive,
    })
}

/// Who was withdrawn, if that is why the match has no verdict.
fn withdrawn(results: &Results<'_>, test: &Test) -> Option<String> {
    let names: Vec<String> = results.withdrawn().map(|(name, _)| shown(name)).collect();
    (!names.is_empty() && test.verdict() == SprtVerdict::Undecided).then(|| names.join(" and "))
}

fn announce(args: &Args, arranged: &Arranged, names: &[String; 2], test: &Test) {
    if args.event.quiet {
        return;
    }
    let event = &arranged.event;
    let games = arranged.catalogue.schedule().len();
    tell(&format!("{} against {}: {}, {}, seed {}", names[0], names[1], args.event.game, event.clock, event.seed));
    match args.sprt {
        Some(sprt) => {
            let expected = sprt.expected_games();
            tell(&format!(
                "expected: {:.0} games if elo0 is true, {:.0} if elo1 is, {:.0} in between; at most {}",
                expected.at_elo0,
                expected.at_elo1,
                expected.between,
                counted(games, "game")
            ));
        }
        None => tell(&counted(games, "game")),
    }
    let done = games - arranged.catalogue.missing().len();
    if test.verdict() != SprtVerdict::Undecided {
        tell("nothing new to play: the games in the journal decide it");
    } else if test.is_over() {
        tell("nothing new to play: a bot was withdrawn");
    } else if done == games {
        tell("nothing new to play: every game is in the journal; ask for more --rounds");
    } else if done > 0 {
        tell(&format!("{done} of them are in the journal"));
    }
}

/// A finished game; none of one that is not rated.
type Finished = Option<Rated>;

/// What a test needs to know of a game.
#[derive(Debug, Clone, Copy)]
struct Rated {
    /// Twice the points of A.
    points: u8,
    /// A hash of the moves.
    moves: u64,
}

/// The pairs finished so far, counted in the order of the schedule: in the order of finishing, short games would come
/// first and the verdict would depend on timing.
struct Test {
    sprt: Option<Sprt>,
    /// What was finished, by place in the schedule; none again once it was looked at.
    games: Vec<Option<Finished>>,
    /// Whether a bot was withdrawn.
    withdrawn: bool,
    /// Pairs of which both games repeat earlier ones say nothing new.
    duplicates: Duplicates<u64>,
    repeated: usize,
    /// Pairs that were looked at: all before the first unfinished one, up to a decision.
    pairs: usize,
    counts: [u64; 5],
    /// Of the pairs with one point each, those that were won and lost.
    split: u64,
    decided: SprtVerdict,
}

impl Test {
    /// A test that looks at the games of a catalogue first.
    fn new(sprt: Option<Sprt>, catalogue: &Catalogue) -> Self {
        let games = catalogue.schedule().len();
        let mut test = Self {
            sprt,
            games: vec![None; games],
            withdrawn: false,
            duplicates: Duplicates::default(),
            repeated: 0,
            pairs: 0,
            counts: [0; 5],
            split: 0,
            decided: SprtVerdict::Undecided,
        };
        for place in 0..games {
            if let Some(brief) = catalogue.at(place) {
                test.add(place, brief);
            }
        }
        test
    }

    /// Adds the game at `place` of the schedule.
    fn add(&mut self, place: usize, brief: &Brief) {
        if !brief.is_settled() {
            return;
        }
        self.withdrawn |= !brief.is_rated();
        if place < 2 * self.pairs || self.games[place].is_some() {
            // Of several records of a game the first stands, as in the tables.
            return;
        }
        // A sits first in the first game of a pair and second in the other.
        let seat = Seat::after(place);
        let points = match brief.result {
            GameResult::Draw => 1,
            result => 2 * u8::from(result.winner() == Some(seat)),
        };
        self.games[place] = Some(brief.is_rated().then_some(Rated { points, moves: brief.moves }));
        while self.decided == SprtVerdict::Undecided
            && let Some([Some(first), Some(second)]) = self.games.get_mut(2 * self.pairs..2 * self.pairs + 2)
        {
            match (first.take(), second.take(), self.sprt) {
                (Some(first), Some(second), _) => self.count([first, second]),
                // A match without a test goes on to its last round; a test has nothing more to hope for.
                (_, _, None) => self.pairs += 1,
                (_, _, Some(_)) => break,
            }
            self.decided = self.sprt.map_or(SprtVerdict::Undecided, |sprt| sprt.verdict(&self.counts()));
        }
    }

    /// Counts the next pair, unless both of its games were played before, move for move.
    fn count(&mut self, pair: [Rated; 2]) {
        let points = usize::from(pair[0].points + pair[1].points);
        let split = points == 2 && pair[0].points != 1;
        let mut new = false;
        for (seat, game) in pair.into_iter().enumerate() {
            let own = (2 * self.pairs + seat) as u32;
            new |= self.duplicates.add([seat, 1 - seat], game.moves, own) == own;
        }
        self.pairs += 1;
        if new {
            self.counts[points] += 1;
            self.split += u64::from(split);
        } else {
            self.repeated += 1;
        }
    }

    fn counts(&self) -> MatchCounts {
        MatchCounts::Pairs(self.counts)
    }

    fn verdict(&self) -> SprtVerdict {
        self.decided
    }

    /// Whether a test needs no more games: it is decided, or cannot be since a bot was withdrawn.
    fn is_over(&self) -> bool {
        self.decided != SprtVerdict::Undecided || self.sprt.is_some() && self.withdrawn
    }

    /// For the progress line.
    fn live(&self) -> String {
        let counts = self.counts();
        let elo = counts.duel().map_or_else(String::new, |duel| format!("  {}", with_margin(&duel.elo)));
        let llr = self.sprt.map_or_else(String::new, |sprt| {
            let [lower, upper] = sprt.bounds();
            format!("  LLR {:.2} ({lower:.2}, {upper:.2})", sprt.llr(&counts))
        });
        format!("{elo}{llr}")
    }
}

fn report(names: &[String; 2], test: &Test, results: &Results<'_>, arranged: &Arranged) -> String {
    let counts = test.counts();
    let withdrawn = withdrawn(results, test);
    let all = total(results);
    let mut said = String::new();
    let score = all.score().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    let _ = writeln!(
        said,
        "Score of {} vs {}: {} - {} - {}  [{score}] {}",
        names[0],
        names[1],
        all.wins,
        all.losses,
        all.draws,
        all.games()
    );
    if let Some(duel) = counts.duel() {
        let _ = writeln!(said, "Elo   {}, LOS {:.1} %", with_margin(&duel.elo), duel.los * 100.0);
    }
    if let Some(normalized) = counts.normalized_elo() {
        let _ = writeln!(said, "nElo  {}", with_margin(&normalized));
    }
    let ratio = counts.pair_ratio().map_or_else(String::new, |ratio| {
        if ratio.is_finite() { format!(", pair ratio {ratio:.2}") } else { ", pair ratio inf".to_owned() }
    });
    let [ll, ld, dd, wd, ww] = test.counts;
    let (wl, dd) = (test.split, dd - test.split);
    let _ = writeln!(said, "Pairs LL {ll}, LD {ld}, DD {dd}, WL {wl}, WD {wd}, WW {ww}{ratio}");
    if test.repeated > 0 {
        let repeated = counted(test.repeated, "pair");
        let _ =
            writeln!(said, "{repeated} repeated earlier ones move for move, which is no evidence, and were left out.");
    }
    if let Some(sprt) = test.sprt {
        let [lower, upper] = sprt.bounds();
        let verdict = match test.verdict() {
            SprtVerdict::H1 => format!("H1: {} is stronger by elo1 rather than by elo0", names[0]),
            SprtVerdict::H0 => format!("H0: {} is stronger by no more than elo0 rather than by elo1", names[0]),
            SprtVerdict::Undecided if withdrawn.is_some() => "no verdict".to_owned(),
            SprtVerdict::Undecided => "inconclusive".to_owned(),
        };
        let _ = writeln!(said, "SPRT  LLR {:.2} ({lower:.2}, {upper:.2}), {verdict}", sprt.llr(&counts));
        if withdrawn.is_none() {
            said.push_str(
                "A test stops when the results look best: the Elo after it is biased in the direction of the \
                 verdict.\n",
            );
        }
        let beyond = arranged.catalogue.others();
        if beyond > 0 {
            let what = if withdrawn.is_some() { "last whole pair" } else { "decision" };
            let _ = writeln!(said, "{} beyond the {what}: in the journal, counted nowhere.", counted(beyond, "game"));
        }
    }
    if let Some(names) = withdrawn {
        let _ = writeln!(said, "No verdict: {names} withdrawn. Elo and pairs are of the games before that.");
    }
    let mut sentences = fault_sentences(results);
    sentences.extend(warnings(results));
    sentences.extend(statements(results.ranking(), results.event().rounds_of_all()));
    let _ = write!(said, "\n{}\n\ntables: {}", sentences.join("\n"), arranged.dir.join("*.csv").display());
    said
}

/// All games that count, as A sees them.
fn total(results: &Results<'_>) -> Tally {
    let row = results.ranking().head_to_head().next();
    row.map(|row| if row.a == 0 { row.total() } else { row.total().reversed() }).unwrap_or_default()
}

fn json_text(names: &[String; 2], test: &Test, results: &Results<'_>) -> String {
    let counts = test.counts();
    let all = total(results);
    let bound = |value: f64| {
        if value.is_finite() { json!(rounded(value)) } else { json!(if value > 0.0 { "inf" } else { "-inf" }) }
    };
    let estimate =
        |estimate: Estimate| json!({ "elo": bound(estimate.elo), "lo": bound(estimate.lo), "hi": bound(estimate.hi) });
    let sprt = test.sprt.map(|sprt| {
        let [lower, upper] = sprt.bounds();
        json!({ "llr": rounded(sprt.llr(&counts)), "lower": rounded(lower), "upper": rounded(upper), "verdict": verdict_word(test.verdict()) })
    });
    let json = json!({
        "a": names[0],
        "b": names[1],
        "games": all.games(),
        "wins": all.wins,
        "draws": all.draws,
        "losses": all.losses,
        "score": all.score().map(rounded),
        "pairs": test.counts,
        "won_and_lost": test.split,
        "repeated_pairs": test.repeated,
        "withdrawn": results.withdrawn().map(|(name, _)| name).collect::<Vec<_>>(),
        "logistic": counts.duel().map(|duel| estimate(duel.elo)),
        "los": counts.duel().map(|duel| rounded(duel.los)),
        "normalized": counts.normalized_elo().map(estimate),
        "pair_ratio": counts.pair_ratio().map(bound),
        "sprt": sprt,
        "tournament": results.event().name,
    });
    serde_json::to_string_pretty(&json).unwrap_or_default()
}

fn with_margin(estimate: &Estimate) -> String {
    match (estimate.lo.is_finite(), estimate.hi.is_finite()) {
        (true, true) => format!("{:+.1} ± {:.1}", estimate.elo, (estimate.hi - estimate.lo) / 2.0),
        (true, false) => format!("above {:+.1}", estimate.lo),
        (false, true) => format!("below {:+.1}", estimate.hi),
        (false, false) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::ScheduledGame;
    use crate::record::Record;
    use crate::report::fixture::{self, Stored};
    use crate::rules::Move;
    use crate::stats::Model;

    const RESULTS: [GameResult; 4] =
        [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins, GameResult::Void];

    /// A schedule, and records of its games with these results and moves.
    fn games(games: &[(usize, u8)]) -> (Vec<ScheduledGame>, Vec<Record>) {
        let mut event = fixture::event(&["a", "b"]);
        event.rounds = games.len().div_ceil(2) as u32;
        let schedule = fixture::schedule(&event);
        let record = |(game, &(result, moves)): (&ScheduledGame, &(usize, u8))| {
            let mut record = fixture::record(&event, game, RESULTS[result], 1);
            record.moves = vec![Move::Int(moves.into())];
            record
        };
        let records = schedule.iter().zip(games).map(record).collect();
        (schedule, records)
    }

    fn test<'a>(schedule: &[ScheduledGame], records: impl IntoIterator<Item = &'a Record>) -> Test {
        let sprt = Sprt::new(Model::Normalized, [0.0, 300.0], 0.05, 0.05).unwrap();
        let mut test = Test::new(Some(sprt), &Catalogue::new(schedule.to_vec(), &[]));
        let records: Vec<&Record> = records.into_iter().collect();
        let catalogue = Stored::new(schedule, records.iter().copied()).catalogue;
        for record in records {
            let place = place(schedule, record);
            test.add(place, catalogue.at(place).unwrap());
        }
        test
    }

    fn add(test: &mut Test, schedule: &[ScheduledGame], record: &Record) {
        let place = place(schedule, record);
        test.add(place, Stored::new(schedule, [record]).catalogue.at(place).unwrap());
    }

    fn place(schedule: &[ScheduledGame], record: &Record) -> usize {
        schedule.iter().position(|game| game.id.to_string() == record.id).unwrap()
    }

    /// A wins every game: it is first in the first game of each pair.
    fn all_won(pairs: usize) -> Vec<(usize, u8)> {
        (0..2 * pairs).map(|game| (2 * (game % 2), game as u8)).collect()
    }

    #[test]
    fn only_pairs_before_the_first_unfinished_one_are_looked_at() {
        let (schedule, records) = games(&all_won(20));
        // Nineteen pairs won and the first unknown say nothing yet.
        let mut late = test(&schedule, &records[1..]);
        assert_eq!((late.pairs, late.counts, late.verdict()), (0, [0; 5], SprtVerdict::Undecided));
        add(&mut late, &schedule, &records[0]);
        let in_order = test(&schedule, &records);
        assert_eq!(late.verdict(), SprtVerdict::H1);
        assert_eq!((late.pairs, late.counts), (in_order.pairs, in_order.counts));
        assert!(late.pairs < 20, "what lies beyond the decision is not looked at");
    }

    #[test]
    fn a_void_game_is_waited_for() {
        let mut results = all_won(20);
        results[2].0 = 3;
        let (schedule, mut records) = games(&results);
        let mut test = test(&schedule, &records);
        assert_eq!(test.pairs, 1);
        records[2].result = GameResult::FirstWins;
        add(&mut test, &schedule, &records[2]);
        assert_eq!(test.verdict(), SprtVerdict::H1);
        let pairs = test.pairs;
        add(&mut test, &schedule, &records[2]);
        assert_eq!(test.pairs, pairs, "the first record of a game stands");
    }

    #[test]
    fn pairs_that_repeat_earlier_ones_are_no_evidence() {
        let mut results = all_won(6);
        // The third pair repeats the first in both games, the fourth in one.
        (results[4].1, results[5].1, results[6].1) = (results[0].1, results[1].1, results[0].1);
        let (schedule, records) = games(&results);
        let test = test(&schedule, &records);
        assert_eq!((test.pairs, test.repeated, test.counts), (6, 1, [0, 0, 0, 0, 5]));
    }

    #[test]
    fn pairs_are_counted_as_the_first_bot_sees_them() {
        // A loses as second and first, loses and draws, wins and loses, draws twice, wins and draws.
        let results = [(2, 0), (0, 1), (2, 2), (1, 3), (0, 4), (0, 5), (1, 6), (1, 7), (0, 8), (1, 9)];
        let (schedule, records) = games(&results);
        let test = Test::new(None, &Stored::new(&schedule, &records).catalogue);
        assert_eq!((test.counts, test.split), ([1, 1, 2, 1, 0], 1));
    }

    proptest! {
        #[test]
        fn the_order_of_finishing_decides_nothing(
            results in proptest::collection::vec((0..4_usize, 0..50_u8), 0..60),
            keys in proptest::collection::vec(any::<u32>(), 60),
        ) {
            let (schedule, records) = games(&results);
            let in_order = test(&schedule, &records);
            let mut order: Vec<usize> = (0..records.len()).collect();
            order.sort_by_key(|index| keys[*index]);
            let scrambled = test(&schedule, order.iter().map(|index| &records[*index]));
            prop_assert_eq!(in_order.verdict(), scrambled.verdict());
            prop_assert_eq!(
                (in_order.pairs, in_order.counts, in_order.repeated, in_order.split),
                (scrambled.pairs, scrambled.counts, scrambled.repeated, scrambled.split)
            );
        }
    }
}
