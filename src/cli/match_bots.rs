//! `arena match A B`: two bots, a fixed number of rounds or until a sequential test has decided.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::bail;
use serde_json::json;

use super::arrange::{Arranged, arrange, this_command};
use super::event_args::EventArgs;
use super::play_games::play;
use super::sprt::{parse_sprt, verdict_word};
use super::tournament::this_machine;
use super::{Exit, is_broken_pipe, print, tell};
use crate::event::ScheduledGame;
use crate::format::FORMATS;
use crate::record::{GameResult, Record};
use crate::report::{Durability, Results, fault_sentences, statements, warnings, write_all};
use crate::rules::{Move, Seat};
use crate::stats::{AnalysisOptions, Duplicates, Estimate, MatchCounts, Sprt, SprtVerdict};
use crate::text::counted;
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
    /// Stop as soon as one of two hypotheses is clearly the better: A is stronger by elo1, or by no more than elo0
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
    announce(args, &arranged, &names);

    let mut test = Test::new(args.sprt, &arranged.schedule);
    arranged.records.iter().for_each(|record| test.add(record));
    let options = AnalysisOptions::default();
    let machine = this_machine();
    let ending = if test.verdict() == SprtVerdict::Undecided {
        play(&mut arranged, &args.event, &machine, &options, |record, progress| {
            test.add(record);
            progress.note(test.live());
            test.verdict() != SprtVerdict::Undecided
        })?
    } else {
        Ending::Enough
    };
    if test.verdict() != SprtVerdict::Undecided {
        // Games beyond the decision stay in the journal and out of every table, also of later ones.
        arranged.cut(test.pairs as u32)?;
    }

    let results = Results::new(&arranged.event, &arranged.schedule, &arranged.records, &options);
    write_all(&arranged.dir, &results, &machine, &arranged.event.warnings, Durability::Synced)?;
    let text = if args.json { json_text(&names, &test, &results) } else { report(&names, &test, &results, &arranged) };
    match print(&text) {
        // Whoever read our output has seen enough; how it ended is still true.
        Err(error) if is_broken_pipe(&error) => {}
        printed => printed?,
    }
    let counts = results.counts();
    let unfinished = counts.played < counts.scheduled;
    if unfinished {
        tell(&format!("go on with: {}", this_command()));
    }
    Ok(match (ending, test.sprt.map(|_| test.verdict())) {
        (Ending::Killed, _) => Exit::Killed,
        (_, Some(SprtVerdict::H1)) => Exit::Done,
        (_, Some(SprtVerdict::H0)) => Exit::NotStronger,
        _ if unfinished => Exit::Incomplete,
        (_, Some(SprtVerdict::Undecided)) => Exit::Inconclusive,
        (_, None) if args.event.strict && results.first_lost_by_fault().is_some() => Exit::BotTrouble,
        (_, None) => Exit::Done,
    })
}

fn announce(args: &Args, arranged: &Arranged, names: &[String; 2]) {
    if args.event.quiet {
        return;
    }
    let event = &arranged.event;
    tell(&format!("{} against {}: {}, {}, seed {}", names[0], names[1], args.event.game, event.clock, event.seed));
    match args.sprt {
        Some(sprt) => {
            let expected = sprt.expected_games();
            tell(&format!(
                "expected: {:.0} games if elo0 is true, {:.0} if elo1 is, {:.0} in between; at most {}",
                expected.at_elo0,
                expected.at_elo1,
                expected.between,
                counted(arranged.schedule.len(), "game")
            ));
        }
        None => tell(&counted(arranged.schedule.len(), "game")),
    }
    let done = arranged.schedule.len() - arranged.missing.len();
    if done > 0 {
        tell(&format!("{done} of them are in the journal"));
    }
}

/// The pairs finished so far, counted in the order of the schedule: in the order of finishing, short games would come
/// first and the verdict would depend on timing.
struct Test {
    sprt: Option<Sprt>,
    /// Places in the schedule by id.
    places: HashMap<String, usize>,
    /// Twice the points of A and the moves, by place; none until the game is finished.
    games: Vec<Option<(usize, Vec<Move>)>>,
    /// Pairs of which both games repeat earlier ones say nothing new.
    duplicates: Duplicates<Vec<Move>>,
    repeated: usize,
    /// Pairs that were looked at: all before the first unfinished one, up to a decision.
    pairs: usize,
    counts: [u64; 5],
    decided: SprtVerdict,
}

impl Test {
    fn new(sprt: Option<Sprt>, schedule: &[ScheduledGame]) -> Self {
        Self {
            sprt,
            places: schedule.iter().enumerate().map(|(place, game)| (game.id.clone(), place)).collect(),
            games: vec![None; schedule.len()],
            duplicates: Duplicates::default(),
            repeated: 0,
            pairs: 0,
            counts: [0; 5],
            decided: SprtVerdict::Undecided,
        }
    }

    fn add(&mut self, record: &Record) {
        let Some(place) = self.places.get(&record.id).copied().filter(|_| record.counts()) else { return };
        // A sits first in the first game of a pair and second in the other.
        let seat = Seat::after(place);
        let halves = match record.result {
            GameResult::Draw => 1,
            result => 2 * usize::from(result.winner() == Some(seat)),
        };
        self.games[place] = Some((halves, record.moves.clone()));
        while self.decided == SprtVerdict::Undecided
            && let Some([first @ Some(_), second @ Some(_)]) = self.games.get_mut(2 * self.pairs..2 * self.pairs + 2)
            && let (Some(first), Some(second)) = (first.take(), second.take())
        {
            self.count([first, second]);
            self.decided = self.sprt.map_or(SprtVerdict::Undecided, |sprt| sprt.verdict(&self.counts()));
        }
    }

    /// Counts the next pair, unless both of its games were played before, move for move.
    fn count(&mut self, pair: [(usize, Vec<Move>); 2]) {
        let points = pair[0].0 + pair[1].0;
        let mut new = false;
        for (seat, (_, moves)) in pair.into_iter().enumerate() {
            let own = (2 * self.pairs + seat) as u32;
            new |= self.duplicates.add([seat, 1 - seat], moves, own) == own;
        }
        self.pairs += 1;
        if new {
            self.counts[points] += 1;
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
    let total = results
        .ranking()
        .head_to_head()
        .next()
        .map(|row| if row.a == 0 { row.total() } else { row.total().reversed() });
    let total = total.unwrap_or_default();
    let mut text = String::new();
    let score = total.score().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    let _ = writeln!(
        text,
        "Score of {} vs {}: {} - {} - {}  [{score}] {}",
        names[0],
        names[1],
        total.wins,
        total.losses,
        total.draws,
        total.games()
    );
    if let Some(duel) = counts.duel() {
        let _ = writeln!(text, "Elo   {}, LOS {:.1} %", with_margin(&duel.elo), duel.los * 100.0);
    }
    if let Some(normalized) = counts.normalized_elo() {
        let _ = writeln!(text, "nElo  {}", with_margin(&normalized));
    }
    let ratio = counts.pair_ratio().map_or_else(String::new, |ratio| {
        if ratio.is_finite() { format!(", pair ratio {ratio:.2}") } else { ", pair ratio inf".to_owned() }
    });
    let [ll, ld, dd, wd, ww] = test.counts;
    let _ = writeln!(text, "Pairs LL {ll}, LD {ld}, DD or WL {dd}, WD {wd}, WW {ww}{ratio}");
    if test.repeated > 0 {
        let repeated = counted(test.repeated, "pair");
        let _ =
            writeln!(text, "{repeated} repeated earlier ones move for move, which is no evidence, and were left out.");
    }
    if let Some(sprt) = test.sprt {
        let [lower, upper] = sprt.bounds();
        let verdict = match test.verdict() {
            SprtVerdict::H1 => format!("H1: {} is stronger by elo1 rather than by elo0", names[0]),
            SprtVerdict::H0 => format!("H0: {} is stronger by no more than elo0 rather than by elo1", names[0]),
            SprtVerdict::Undecided => "inconclusive".to_owned(),
        };
        let _ = writeln!(text, "SPRT  LLR {:.2} ({lower:.2}, {upper:.2}), {verdict}", sprt.llr(&counts));
        text.push_str(
            "A test stops when the results look best: the Elo after it is biased in the direction of the verdict.\n",
        );
        let beyond = arranged.beyond();
        if beyond > 0 {
            let _ = writeln!(text, "{} beyond the decision: in the journal, counted nowhere.", counted(beyond, "game"));
        }
    }
    let mut sentences = fault_sentences(results);
    sentences.extend(warnings(results));
    sentences.extend(statements(results.ranking(), Some(results.event().rounds.into())));
    let _ = write!(text, "\n{}\n\ntables: {}", sentences.join("\n"), arranged.dir.join("*.csv").display());
    text
}

fn json_text(names: &[String; 2], test: &Test, results: &Results<'_>) -> String {
    let counts = test.counts();
    let bound =
        |value: f64| if value.is_finite() { json!(value) } else { json!(if value > 0.0 { "inf" } else { "-inf" }) };
    let estimate =
        |estimate: Estimate| json!({ "elo": bound(estimate.elo), "lo": bound(estimate.lo), "hi": bound(estimate.hi) });
    let sprt = test.sprt.map(|sprt| {
        let [lower, upper] = sprt.bounds();
        json!({ "llr": sprt.llr(&counts), "lower": lower, "upper": upper, "verdict": verdict_word(test.verdict()) })
    });
    let json = json!({
        "a": names[0],
        "b": names[1],
        "games": counts.games(),
        "pairs": test.counts,
        "repeated_pairs": test.repeated,
        "score": counts.score(),
        "logistic": counts.duel().map(|duel| estimate(duel.elo)),
        "los": counts.duel().map(|duel| duel.los),
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
