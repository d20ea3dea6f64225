//! The tournaments for a margin or a time, and what to ask for where there are none.

use arena_core::format::{FORMATS, Format, FormatOptions, GAMES_MAX, ROUNDS_MAX};
use arena_core::plan::{Forecast, Unreached, World, reaching, within};
use arena_core::text::counted;

use super::{NUMBER_MAX, duration};

/// A part of a plan: what is asked for, and the tournaments that do it.
pub(super) struct Part {
    /// What is asked for; why nothing does it, if there are no rows.
    pub(super) title: String,
    pub(super) rows: Vec<Forecast>,
    /// Sentences about what is missing.
    pub(super) notes: Vec<String>,
}

impl Part {
    /// The shortest tournaments that reach a margin. Bots of another spread than that of `world` can be planned for if
    /// `is_assumed`.
    pub(super) fn to_reach(world: &World, margin: f64, is_assumed: bool) -> Self {
        let (mut rows, mut longest, mut is_unbounded) = (Vec::new(), Vec::new(), false);
        for format in formats(world.bots()) {
            match reaching(world, format, margin) {
                Ok(row) => rows.push(row),
                Err(Unreached::Longest(row)) => longest.push(row),
                Err(Unreached::Unbounded) => is_unbounded = true,
                Err(Unreached::NoRatings) => {}
            }
        }
        let least = longest.iter().min_by(|a, b| margin_of(a).total_cmp(&margin_of(b)));
        let title = format!("To reach ±{margin} Elo");
        if !rows.is_empty() {
            let longest: Vec<String> = longest
                .iter()
                .map(|row| format!("{} ({}: ±{})", row.format.name, row.flag(), rounded_up(margin_of(row))))
                .collect();
            let longest = longest.join(", ");
            let notes = (!longest.is_empty())
                .then(|| format!("Even the longest that is planned does not reach it: {longest}."));
            return Self { title, rows, notes: notes.into_iter().collect() };
        }
        let title = format!("{title}: no tournament of at most {} does.", limits());
        let notes = match least {
            Some(row) => vec![format!(
                "The smallest margin that can be planned is ±{0} Elo: --margin {0} ({1}).",
                rounded_up(margin_of(row)),
                row.flag(),
            )],
            None if is_unbounded => unbounded(world, margin, is_assumed),
            None => Vec::new(),
        };
        Self { title, rows, notes }
    }

    /// The longest tournaments that fit into this many minutes, and the shortest ones of formats that take longer. Bots of another
    /// spread than that of `world` can be planned for if `is_assumed`.
    pub(super) fn in_time(world: &World, minutes: f64, per_minute: f64, is_assumed: bool) -> Self {
        let games = minutes * per_minute;
        let room = if games > GAMES_MAX as f64 {
            format!("more than the {} of a tournament", counted(GAMES_MAX as usize, "game"))
        } else {
            counted(games as usize, "game")
        };
        let title = format!("In {}, {room}", duration(60.0 * minutes));
        let rows: Vec<Forecast> = formats(world.bots()).map(|format| within(world, format, games)).collect();
        // Games of a stepwise format are a mean.
        let long: Vec<&str> =
            rows.iter().filter(|row| row.size == 1 && row.games > games * 1.001).map(|row| row.format.name).collect();
        let (title, mut notes) = if rows.is_empty() || long.len() < rows.len() {
            let mut notes: Vec<String> = Vec::new();
            if !long.is_empty() {
                notes.push(format!("Longer at their smallest: {}.", long.join(", ")));
            }
            let is_cut = |row: &&Forecast| row.games * f64::from(row.size + 1) / f64::from(row.size) < 0.99 * games;
            let cut: Vec<&str> = rows.iter().filter(is_cut).map(|row| row.name(world.bots())).collect();
            if !cut.is_empty() {
                notes.push(format!("As long as they can be planned: {}.", cut.join(", ")));
            }
            (title, notes)
        } else {
            let shortest = rows.iter().map(|row| row.games.round()).fold(f64::INFINITY, f64::min);
            let needed = shortest / per_minute;
            let note = if needed <= NUMBER_MAX {
                format!("The shortest of them fits with --minutes {}.", rounded_up(needed))
            } else {
                format!("The shortest of them takes {}; plan for shorter games.", duration(60.0 * needed))
            };
            (format!("{title}: no tournament is that short. These are the shortest"), vec![note])
        };
        notes.extend(unbounded_rows(world, &rows, games, is_assumed));
        Self { title, rows, notes }
    }
}

/// Why rows of formats that rate bots have no margin, and what has one.
fn unbounded_rows(world: &World, rows: &[Forecast], games: f64, is_assumed: bool) -> Vec<String> {
    let is_unbounded = |row: &&Forecast| row.format.rates && row.margin.is_none();
    let names: Vec<&str> = rows.iter().filter(is_unbounded).map(|row| row.name(world.bots())).collect();
    let Some(first) = rows.iter().find(is_unbounded) else { return Vec::new() };
    let mut notes = vec![format!(
        "A margin of - is unbounded: bots that are spread by {:.0} Elo mostly win or lose all of these games ({}).",
        world.spread(),
        names.join(", ")
    )];
    let instead = instead_of_from(is_assumed);
    let is_bounded = |spread: f64| within(&spread_by(world, spread), first.format, games).margin.is_some();
    if let Some(spread) = largest(world.spread(), is_bounded) {
        notes.push(format!(
            "The largest spread for which that of {} is bounded is about {spread} Elo: --spread {spread}{instead}.",
            names[0]
        ));
    }
    notes
}

/// What is played at most.
fn limits() -> String {
    format!("{} or openings and {}", counted(ROUNDS_MAX as usize, "round"), counted(GAMES_MAX as usize, "game"))
}

fn margin_of(row: &Forecast) -> f64 {
    row.margin.unwrap_or(f64::INFINITY)
}

/// Why ratings are unbounded, and the largest spread, about, for which they are not.
fn unbounded(world: &World, margin: f64, is_assumed: bool) -> Vec<String> {
    let spread = world.spread();
    let mut notes = vec![format!(
        "Bots that are spread by {spread:.0} Elo have unbounded ratings: most win or lose all of their games."
    )];
    let reach = |spread| reaching(&spread_by(world, spread), Format::usual(), margin);
    let instead = instead_of_from(is_assumed);
    let is_reached = |spread: f64| reach(spread).is_ok();
    let is_bounded = |spread: f64| !matches!(reach(spread), Err(Unreached::Unbounded));
    if let Some(spread) = largest(spread, is_reached) {
        notes.push(format!(
            "The largest spread for which it can be planned is about {spread} Elo: --spread {spread}{instead}."
        ));
    } else if let Some(spread) = largest(spread, is_bounded)
        && let Err(Unreached::Longest(row)) = reach(spread)
    {
        notes.push(format!(
            "What can be planned is --spread {spread} --margin {}{instead}.",
            rounded_up(margin_of(&row))
        ));
    }
    notes
}

/// As many bots of another spread.
fn spread_by(world: &World, spread: f64) -> World {
    World::normal(world.bots(), spread, world.draws())
}

/// What to say after a spread to ask for.
const fn instead_of_from(is_assumed: bool) -> &'static str {
    if is_assumed { "" } else { " in place of --from" }
}

/// About the largest number up to `most` with this property, which smaller ones have.
fn largest(most: f64, has: impl Fn(f64) -> bool) -> Option<f64> {
    let mut low = (1..12).map(|halves| (most / f64::from(1 << halves)).floor()).find(|it| *it >= 1.0 && has(*it))?;
    let mut high = 2.0 * low;
    for _ in 0..3 {
        let middle = f64::midpoint(low, high).floor();
        if has(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// A number with two digits that is not below this one.
fn rounded_up(value: f64) -> String {
    if !value.is_finite() || value <= 0.0 {
        return value.to_string();
    }
    let decimals = 1 - value.log10().floor() as i32;
    let step = 10_f64.powi(-decimals);
    let text = |steps: f64| {
        let text = format!("{:.*}", usize::try_from(decimals).unwrap_or(0), steps * step);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    let steps = (value / step).ceil();
    // A quotient may be rounded down.
    Some(text(steps))
        .filter(|text| text.parse::<f64>().is_ok_and(|up| up >= value))
        .unwrap_or_else(|| text(steps + 1.0))
}

/// The formats that this number of bots can play.
fn formats(bots: usize) -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(move |format| {
        let names: Vec<String> = (0..bots).map(|bot| bot.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (bots > 2 || format.is_usual()) && (format.seats)(&FormatOptions::default(), &names).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        for (value, up) in [
            (0.4613, "0.47"),
            (0.47, "0.47"),
            (12.01, "13"),
            (99.5, "100"),
            (1234.0, "1300"),
            (0.6, "0.6"),
            (2.0, "2"),
            (1e-7, "0.0000001"),
        ] {
            assert_eq!(rounded_up(value), up);
            assert!(rounded_up(value).parse::<f64>().unwrap() >= value);
        }
    }
}
