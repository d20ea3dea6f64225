//! What plans keep, whatever their figures. `benches/plan.rs` compares these with simulations.

use super::{Forecast, Unreached, World, forecast, play, reaching, within};
use crate::event::{Entry, Tournament};
use crate::format::flags::{Flag, FlagKind};
use crate::format::{FORMATS, Format, FormatOptions, GAMES_MAX, Over, Setting, Settled, SettledGame, simulate};
use crate::rng::Rng;
use crate::stats::{Observed, Sprt, SprtModel};
use crate::verify::event_problems;

#[test]
fn more_games_tell_more() {
    let world = World::normal(4, 150.0, 0.2);
    for format in FORMATS.iter().filter(|format| format.rates) {
        let margins = [4, 16].map(|size| forecast(&world, format, size).margin.expect("a margin"));
        assert!(margins.is_sorted_by(|few, many| many < few), "{}: {margins:?}", format.name);
    }
}

#[test]
fn the_games_are_those_that_the_format_plays() {
    const BOTS: usize = 5;
    let world = World::normal(BOTS, 150.0, 0.2);
    for format in FORMATS {
        let planned = forecast(&world, format, 6).games;
        let games = |seed: u64| play(format, BOTS, 6, seed, world.law(seed)).0.first_seat().games() as f64;
        let found = (0..10).map(games).sum::<f64>() / 10.0;
        // A ladder ends within a batch, and a knockout plays on when a match is drawn.
        let tolerance = if format.is_stepwise() { 0.05 } else { 1e-9 };
        assert!((planned / found - 1.0).abs() < tolerance, "{}: planned {planned}, played {found}", format.name);
    }
    for (name, games) in [("round-robin", 20), ("gauntlet", 8)] {
        let format = Format::named(name).expect("a format");
        for size in [1, 30] {
            let planned = within(&world, format, f64::from(size * games));
            assert_eq!((planned.size, planned.games.round() as u32), (size, size * games), "{name}");
        }
    }
}

/// The tournament of the flags that a plan prints, as the command line makes it of them.
fn planned(row: &Forecast, bots: usize) -> Result<Tournament, String> {
    let mut event = Tournament::new("cup", &"tictactoe".parse().map_err(|_| "the game")?);
    event.bots = (0..bots).map(|bot| Entry::new(&bot.to_string(), &bot.to_string(), "")).collect();
    event.format = row.format.name.to_owned();
    event.rounds = row.format.rounds.1;
    let mut given = FormatOptions::default();
    let words = row.flag();
    let (name, value) = words.split_once(' ').ok_or("no value")?;
    let known = |flag: &&Flag| flag.to_string() == name && row.format.has(flag);
    let flag = Flag::all().into_iter().find(known).ok_or_else(|| format!("there is no {name}"))?;
    let value: u64 = value.parse().map_err(|_| "no number")?;
    if !matches!(flag.kind, FlagKind::Number(least, most) if (least..=most).contains(&value)) {
        return Err(format!("{name} cannot be {value}"));
    }
    given.set(flag, Setting::Number(value));
    if flag == row.format.rounds.0 {
        event.rounds = value as u32;
    } else {
        event.format_options.set(flag, Setting::Number(value));
    }
    if row.format.has_challengers {
        let flag = Flag::all().into_iter().find(|flag| flag.kind == FlagKind::Bots && row.format.has(flag));
        event.format_options.set(flag.ok_or("no challenger")?, Setting::Names(vec!["0".to_owned()]));
    }
    let names: Vec<&str> = event.bots.iter().map(|bot| bot.id.name.as_str()).collect();
    (row.format.accepts)(&event.format_options, &given, &names).map_err(|why| why.to_string())?;
    (row.format.seats)(&event.format_options, &names).map_err(|why| why.to_string())?;
    row.format.usable_openings(event.rounds, &event.format_options).map_err(|why| why.to_string())?;
    let problems = event_problems(&event);
    if problems.is_empty() { Ok(event) } else { Err(problems.join("; ")) }
}

/// Why a row is not what its command plays, if it is not.
fn mistake(world: &World, row: &Forecast) -> Result<(), String> {
    let bots = world.bots();
    let event = planned(row, bots)?;
    if row.games > GAMES_MAX as f64 {
        return Err(format!("{} games", row.games));
    }
    let field = event.seating(row.format).field;
    if !row.format.is_stepwise() {
        let games = row.format.fixed_games(&field);
        return if games == row.games.round() as u64 { Ok(()) } else { Err(format!("it plays {games} games")) };
    }
    // Longer ones take long, and are scaled from those that do not.
    let runs = (2_000.0 / row.games) as u64;
    let mut games = 0;
    for seed in 0..runs.min(50) {
        let (mut law, mut number) = (world.law(seed), 0);
        let (played, over) = simulate(row.format, &field, |pair| {
            let game = |result| {
                number += 1;
                SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: number }
            };
            Settled { pair, games: law(&pair).map(game) }
        });
        if !matches!(over, Over::Complete | Over::Reached) {
            return Err(format!("it ends as {over:?}"));
        }
        games += 2 * played.len();
    }
    let mean = games as f64 / runs.clamp(1, 50) as f64;
    // Level matches of a knockout have further pairs.
    if runs > 0 && (mean / row.games - 1.0).abs() > 0.1 {
        return Err(format!("it plays {mean} games and not {}", row.games));
    }
    Ok(())
}

#[test]
fn every_row_is_a_tournament_that_is_played_as_planned() {
    let mut rng = Rng::new(17);
    let mut between = |low: f64, high: f64| low + (high - low) * rng.below(1_000) as f64 / 1_000.0;
    for bots in [2, 5, 3] {
        let (spread, draws) = (between(1.0, 400.0), between(0.0, 0.9));
        let (margin, games) = (10_f64.powf(between(0.0, 3.0)), 10_f64.powf(between(0.0, 12.0)));
        let world = World::normal(bots, spread, draws);
        // A ladder of more bots takes seconds.
        for format in FORMATS.iter().filter(|format| bots <= 3 || format.name != "ladder") {
            let reaching = match reaching(&world, format, margin) {
                Ok(row) | Err(Unreached::Longest(row)) => Some(row),
                Err(_) => None,
            };
            for row in [Some(within(&world, format, games)), reaching].into_iter().flatten() {
                let mistake = mistake(&world, &row);
                assert!(mistake.is_ok(), "{bots} bots, {} {}: {mistake:?}", format.name, row.flag());
            }
        }
    }
}

/// Pairs whose Elo is this on the scale of a test.
fn pairs(sprt: &Sprt, elo: f64, draws: f64) -> [f64; 5] {
    let world = World::normal(2, 0.0, draws);
    let (mut low, mut high) = (-2_000.0, 2_000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if sprt.elo_of(world.pair(middle)) < elo { low = middle } else { high = middle }
    }
    world.pair(high)
}

/// Tests of which the games follow from a formula, and a short one that is simulated.
const TESTS: [(SprtModel, [f64; 2]); 3] =
    [(SprtModel::Logistic, [-5.0, 0.0]), (SprtModel::Normalized, [0.0, 5.0]), (SprtModel::Logistic, [-200.0, 200.0])];

#[test]
fn tests_err_as_often_as_allowed_and_take_longest_between_their_hypotheses() {
    for (model, [elo0, elo1]) in TESTS {
        let [alpha, beta] = [0.1, 0.05];
        let sprt = Sprt::new(model, [elo0, elo1], alpha, beta).expect("a test");
        let at = |place: f64| sprt.course(pairs(&sprt, elo0 + place * (elo1 - elo0), 0.0));
        let [below, first, middle, second, above] = [-1.0, 0.0, 0.5, 1.0, 2.0].map(at);
        // Few games step far beyond a bound, so that a short test errs less.
        let least = if elo1 - elo0 > 100.0 { 0.0 } else { 0.9 };
        for (errors, allowed) in [(first.accepts_elo1, alpha), (1.0 - second.accepts_elo1, beta)] {
            assert!((least..=1.1).contains(&(errors / allowed)), "{sprt:?} {first:?} {second:?}");
        }
        for (shorter, longer) in [(below, first), (first, middle), (second, middle), (above, second)] {
            assert!(shorter.games < longer.games, "{sprt:?} {shorter:?} {longer:?}");
        }
    }
}

#[test]
fn a_test_is_the_same_from_the_other_side() {
    for (model, [elo0, elo1]) in TESTS {
        let sprt = Sprt::new(model, [elo0, elo1], 0.05, 0.1).expect("a test");
        let mirrored = Sprt::new(model, [-elo1, -elo0], 0.1, 0.05).expect("a test");
        for place in [0.0, 0.5] {
            let pairs = pairs(&sprt, elo0 + place * (elo1 - elo0), 0.3);
            let mut swapped = pairs;
            swapped.reverse();
            let (own, other) = (sprt.course(pairs), mirrored.course(swapped));
            // Four standard errors of simulated ones.
            assert!((own.games / other.games - 1.0).abs() < 0.1, "{sprt:?} {own:?} {other:?}");
            assert!((own.accepts_elo1 + other.accepts_elo1 - 1.0).abs() < 0.05, "{sprt:?} {own:?} {other:?}");
        }
    }
}

#[test]
fn what_is_observed_of_simulated_bots_is_what_they_are() {
    const BOTS: usize = 8;
    let elo: Vec<f64> = (0..BOTS).map(|bot| 50.0 * (3.5 - bot as f64)).collect();
    // With a bias there would be fewer draws, since openings are less even.
    for (draws, dispersion, reaction) in [(0.0, 1.0, 0.0), (0.5, 0.5, 0.0), (0.0, 0.7, 0.1)] {
        let given = Observed { elo: elo.clone(), draws, dispersion, reaction };
        let world = World::like(&given, BOTS);
        let (counts, ratings) = play(Format::usual(), BOTS, 80, 1, world.law(1));
        let found = Observed::of(&counts, &ratings).expect("games");
        let spread = (found.elo.iter().map(|elo| elo * elo).sum::<f64>() / BOTS as f64).sqrt();
        assert!((spread / world.spread() - 1.0).abs() < 0.1, "{found:?}");
        assert!((found.draws - draws).abs() < 0.03, "{found:?}");
        assert!((found.dispersion / dispersion - 1.0).abs() < 0.15, "{found:?} {given:?}");
        assert!((found.reaction - reaction).abs() < 0.04, "{found:?} {given:?}");
    }
}
