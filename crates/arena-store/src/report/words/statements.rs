//! Conclusions from the numbers, as sentences.

use std::cmp::Ordering;

use arena_core::stats::{Estimate, HeadToHead, Holm, Neighbours, OPENINGS_MIN, RankBy};
use arena_core::text::{counted, grouped, percent, signed};
use arena_show::views::Ranking;
use arena_sys::flags::NASH;

use crate::report::cells;
use crate::report::facts::favourite::favourite;

/// Significance level of the lack-of-fit test, and of a pairing that is named.
const LACK_OF_FIT_P: f64 = 0.01;
/// Maximum number of pairs of bots to name.
const NAMED_MAX: usize = 3;
/// Largest difference in Elo at which two bots are called equally strong: 53 % of the points.
const ALIKE_ELO: f64 = 20.0;

/// What the numbers show, and what they do not. `rounds` is the number of rounds
/// [played](crate::report::Results::rounds_played); `None` for games that were not played in rounds.
#[must_use]
pub fn statements(ranking: &Ranking, rounds: Option<f64>) -> Vec<String> {
    let mut all = Vec::new();
    if ranking.games() == 0 {
        return all;
    }
    all.extend(ranking.sheet.as_ref().and_then(|sheet| sheet.caveat).map(str::to_owned));
    all.extend(ranking.scope().map(str::to_owned));
    all.extend(neighbours(ranking, rounds));
    all.extend(ranking.few_openings());
    all.extend(inverted_neighbours(ranking));
    all.extend(favourite(ranking));
    all.extend(prior(ranking));
    all.extend(unbounded_ratings(ranking));
    all.extend(groups(ranking));
    all.extend(unrated(ranking));
    all.extend(repeats(ranking));
    all.extend(openings(ranking));
    all.extend(first_seat(ranking));
    all.extend(draws(ranking));
    all.extend(lack_of_fit(ranking));
    if let Some(Err(why)) = &ranking.analysis.nash {
        all.push(format!("No Nash average: {why}."));
    }
    all
}

/// What the ratings of a schedule that depends on results are.
fn prior(ranking: &Ranking) -> Option<String> {
    let width = ranking.analysis.ratings.prior_width?;
    Some(format!(
        "Ratings have a normal prior as wide as the field, ±{width:.0} Elo, since bots that looked alike met more often; elo_ml \
         in standings.csv is without it."
    ))
}

/// Points can rank a bot above a stronger one if they were made under different conditions.
fn inverted_neighbours(ranking: &Ranking) -> Option<String> {
    if ranking.analysis.rank_by != RankBy::Points {
        return None;
    }
    let wrong = ranking.analysis.ratings.most_inverted_neighbours(&ranking.compared())?;
    if !ranking.separates(&wrong) {
        return None;
    }
    let (upper, lower) = (ranking.name(wrong.upper), ranking.name(wrong.lower));
    Some(format!(
        "{lower} is stronger than {upper}, although points rank {upper} higher: the difference is significant at 95 %{}.",
        ranking.together()
    ))
}

/// Neighbours in the standings that differ significantly, and those that do not.
fn neighbours(ranking: &Ranking, rounds: Option<f64>) -> Option<String> {
    let together = ranking.together();
    let order = ranking.compared();
    let all: Vec<Neighbours> = ranking.analysis.ratings.neighbours(&order).collect();
    let mut open: Vec<&Neighbours> = all.iter().filter(|two| !ranking.separates(two)).collect();
    // Those that need the most games come first.
    open.sort_by(|x, y| x.z_score().abs().total_cmp(&y.z_score().abs()));
    match (&open[..], &all[..]) {
        ([], []) => None,
        ([], [two]) if two.elo < 0.0 => None,
        ([], [two]) => Some(format!(
            "{} is stronger than {}: the difference is significant at 95 %{together}.",
            ranking.name(two.upper),
            ranking.name(two.lower)
        )),
        ([], _) => Some(format!("All neighbours in the standings differ significantly at 95 %{together}.")),
        ([two], _) if together.is_empty() || all.len() == 1 => Some(not_separated(ranking, two, rounds)),
        ([hardest, ..], _) => {
            let named = open.iter().map(|two| match &ranking.analysis.holm {
                // The margin and LOS of a pair alone would contradict it.
                Some(holm) => pair_and_adjusted(ranking, two, holm),
                None => pair_and_difference(ranking, two),
            });
            let at = if together.is_empty() { String::new() } else { format!(" at 95 %{together}") };
            let forecast = forecast(hardest, rounds, ["if those are the true differences", "settle all of them"]);
            Some(format!(
                "{} of {} pairs of neighbours in the standings are not separated{}: {}{}.",
                open.len(),
                all.len(),
                at,
                cells::first_of(named, NAMED_MAX, ", and"),
                if together.is_empty() { forecast } else { String::new() }
            ))
        }
    }
}

/// The only pair of neighbours that does not differ significantly.
fn not_separated(ranking: &Ranking, two: &Neighbours, rounds: Option<f64>) -> String {
    let [upper, lower] = [two.upper, two.lower].map(|bot| ranking.name(bot));
    if let Some(within) = alike_within(two) {
        return format!("{upper} and {lower} are within ±{within:.0} Elo of each other at 95 %.");
    }
    format!(
        "The games do not show whether {upper} is stronger than {lower} ({}){}.",
        difference(ranking, two),
        forecast(two, rounds, ["if that is the true difference", "settle it"])
    )
}

/// `a and b (+3.0 ± 40.1 Elo, LOS 55.0%)`.
pub(crate) fn pair_and_difference(ranking: &Ranking, two: &Neighbours) -> String {
    let difference =
        alike_within(two).map_or_else(|| difference(ranking, two), |within| format!("within ±{within:.0} Elo"));
    format!("{} and {} ({difference})", ranking.name(two.upper), ranking.name(two.lower))
}

/// `a and b (+3.0 Elo, adjusted p 0.3)`.
fn pair_and_adjusted(ranking: &Ranking, two: &Neighbours, holm: &Holm) -> String {
    let p = ranking.analysis.ratings.p_value(two.upper, two.lower).map(|p| holm.adjusted(p));
    let p = p.map_or_else(String::new, |p| format!(", adjusted p {p:.2}"));
    format!("{} and {} ({} Elo{p})", ranking.name(two.upper), ranking.name(two.lower), signed(two.elo))
}

fn difference(ranking: &Ranking, two: &Neighbours) -> String {
    let Estimate { elo, .. } = two.difference();
    let los = ranking.analysis.ratings.los(two.upper, two.lower);
    let los = los.map_or_else(String::new, |los| format!(", LOS {}", cells::percent(Some(los))));
    format!("{} ± {:.1} Elo{los}", signed(elo), two.difference().half_width())
}

/// The difference that two bots do not exceed at 95 %, rounded up, if it is small enough to call them equally strong.
fn alike_within(two: &Neighbours) -> Option<f64> {
    let Estimate { lo, hi, .. } = two.difference();
    let within = (-lo).max(hi).ceil();
    (within <= ALIKE_ELO).then_some(within)
}

/// The number of further games that would separate two neighbours. `words`: the assumption, and what would be done.
fn forecast(two: &Neighbours, rounds: Option<f64>, [assumption, done]: [&str; 2]) -> String {
    /// Multiple of the games played above which more games are not suggested.
    const TIMES_MAX: f64 = 1_000.0;
    const PARTS: f64 = 1_000.0;
    let played = rounds.unwrap_or(PARTS);
    match (two.more_rounds(played), rounds) {
        (Some(0), _) => String::new(),
        (Some(more), _) if more as f64 > played * TIMES_MAX => {
            format!("; no practical number of games would {done}")
        }
        (Some(more), Some(_)) => {
            let rounds = if more == 1 { "round" } else { "rounds" };
            format!("; {assumption}, about {} more {rounds} would {done}", rounded_count(more))
        }
        (Some(more), None) => {
            // Never `1.0 times as many`, which would be none.
            let times = (1.0 + more as f64 / PARTS).max(1.1);
            let times = if times < 9.95 { format!("{times:.1}") } else { rounded_count(times.round() as u64) };
            format!("; {assumption}, about {times} times as many games would {done}")
        }
        (None, _) => "; too few games to tell".to_owned(),
    }
}

/// With few openings, results do not generalise to others.
fn openings(ranking: &Ranking) -> Option<String> {
    let analysis = &ranking.analysis;
    analysis.ratings.of_these_openings.then(|| {
        let played = match analysis.rated().openings() {
            1 => "one was played".to_owned(),
            few @ ..OPENINGS_MIN => format!("{few} were played"),
            many => format!("most games began with a few of {many}"),
        };
        format!("All ratings and margins apply to these openings only: {played}, too few to generalise.")
    })
}

/// A count with two significant digits, since a forecast has no more, and its thousands apart: `19,000`.
fn rounded_count(count: u64) -> String {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    grouped((count + unit / 2) / unit * unit)
}

fn unbounded_ratings(ranking: &Ranking) -> Option<String> {
    let analysis = &ranking.analysis;
    let mut open = analysis.standings.iter().filter_map(|row| analysis.ratings.of(row.bot));
    open.any(|rating| rating.elo.lo.is_infinite() || rating.elo.hi.is_infinite()).then(|| {
        "A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table."
            .to_owned()
    })
}

fn groups(ranking: &Ranking) -> Option<String> {
    let groups = ranking.analysis.ratings.groups();
    let apart = if ranking.analysis.rank_by == RankBy::Elo { "Ranks, ratings" } else { "Ratings" };
    (groups > 1).then(|| {
        format!("There are {groups} groups of bots not connected by games. {apart} and LOS are comparable only within a group.")
    })
}

fn unrated(ranking: &Ranking) -> Option<String> {
    let unrated = ranking.games() - ranking.rated_games();
    (unrated > 0).then(|| {
        format!(
            "{} that withdrawn bots lost without playing count{} for points, but not for ratings.",
            counted(unrated as usize, "game"),
            if unrated == 1 { "s" } else { "" },
        )
    })
}

fn repeats(ranking: &Ranking) -> Option<String> {
    (ranking.repeated > 0).then(|| {
        format!(
            "{} of {} repeat{} another game move for move: counted for points, but not as further evidence.",
            ranking.repeated,
            counted(ranking.games() as usize, "game"),
            if ranking.repeated == 1 { "s" } else { "" },
        )
    })
}

fn first_seat(ranking: &Ranking) -> Option<String> {
    let first = ranking.analysis.rated().first_seat();
    let score = first.score().filter(|_| ranking.has_seats)?;
    let side = ranking.analysis.ratings.side;
    let elo = match side.elo {
        Some(elo) if elo.lo.is_finite() && elo.hi.is_finite() => {
            let limits = if ranking.analysis.ratings.of_these_openings { " in these openings" } else { "" };
            format!(" ({} ± {:.1} Elo{limits}).", signed(elo.elo), elo.half_width())
        }
        Some(_) => ".".to_owned(),
        None => ". Seats were never swapped, so any advantage of moving first is included in the ratings.".to_owned(),
    };
    let named = ranking.seat_names.map_or_else(String::new, |[first, _]| format!(" ({first})"));
    Some(format!(
        "The first seat{named} scored {} % of {}{elo}",
        percent(score),
        counted(first.games() as usize, "game")
    ))
}

fn draws(ranking: &Ranking) -> Option<String> {
    let fit = ranking.analysis.davidson.as_ref()?;
    let held = if fit.held { "; one virtual game for each bot keeps this model finite" } else { "" };
    Some(format!("By Davidson's model {} % of games between equals are drawn{held}.", percent(fit.equal_draw_rate)))
}

fn lack_of_fit(ranking: &Ranking) -> Option<String> {
    ranking.analysis.transitivity.test.as_ref().filter(|test| test.p < LACK_OF_FIT_P)?;
    let found = |row: &HeadToHead| row.misfit_p.is_some_and(|p| p < LACK_OF_FIT_P);
    let mut odd: Vec<_> = ranking.head_to_head().filter(found).collect();
    odd.sort_by(|a, b| a.misfit_p.partial_cmp(&b.misfit_p).unwrap_or(Ordering::Equal));
    let name = |row: &HeadToHead| {
        format!(
            "{} scored {} % against {} where ratings predict {} % (p {})",
            ranking.name(row.a),
            percent(row.games.total().score().unwrap_or(0.5)),
            ranking.name(row.b),
            percent(row.expected.unwrap_or(0.5)),
            p_value(row.misfit_p.unwrap_or(1.0))
        )
    };
    let named = cells::first_of(odd.iter().map(name), NAMED_MAX, ", and");
    let pairings = if odd.len() > NAMED_MAX { " pairings" } else { "" };
    let nash = if ranking.analysis.nash.is_some() {
        String::new()
    } else {
        format!("; arena standings {NASH} takes this into account")
    };
    Some(format!("One number per bot does not describe this field: {named}{pairings}{nash}."))
}

/// Formats a p-value too small for decimals: `= 2.0e-5`, or a bound if it underflows.
fn p_value(p: f64) -> String {
    const SMALLEST: f64 = 1e-300;
    if p < SMALLEST { format!("< {SMALLEST:e}") } else { format!("= {p:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_value_is_never_zero() {
        assert_eq!([0.0, 1e-310, 2e-5].map(p_value), ["< 1e-300", "< 1e-300", "= 2.0e-5"]);
    }

    #[test]
    fn only_a_narrow_interval_makes_bots_alike() {
        let within = |elo, sd| alike_within(&Neighbours { upper: 0, lower: 1, elo, sd });
        assert_eq!(within(0.0, 5.0), Some(10.0));
        assert_eq!(within(-8.0, 6.0), Some(20.0));
        assert_eq!(within(-8.0, 7.0), None);
        assert_eq!(within(0.0, 20.0), None);
    }

    #[test]
    fn a_forecast_has_two_digits() {
        let rounded = [1, 99, 104, 109, 995, 1_563, 19_403, 1_234_567].map(rounded_count);
        assert_eq!(rounded, ["1", "99", "100", "110", "1,000", "1,600", "19,000", "1,200,000"]);
    }

    #[test]
    fn the_forecast_is_in_rounds_or_multiples_of_the_games() {
        let words = ["if that is the true difference", "settle it"];
        let forecast = |elo, rounds| forecast(&Neighbours { upper: 0, lower: 1, elo, sd: 50.0 }, rounds, words);
        // Significance takes a difference of 98 Elo: 1.96 times 50.
        assert_eq!(forecast(97.9, Some(40.0)), "; if that is the true difference, about 1 more round would settle it");
        assert_eq!(
            forecast(49.0, Some(34.5)),
            "; if that is the true difference, about 100 more rounds would settle it"
        );
        assert_eq!(
            forecast(49.0, None),
            "; if that is the true difference, about 4.0 times as many games would settle it"
        );
        assert_eq!(
            forecast(97.0, None),
            "; if that is the true difference, about 1.1 times as many games would settle it"
        );
        let times = |elo| forecast(elo, None).split_whitespace().nth(8).map(str::to_owned);
        assert_eq!(
            [31.0, 30.5, 4.1].map(times),
            ["10", "10", "570"].map(|times| Some(times.to_owned())),
            "two digits at most"
        );
        assert!(forecast(0.1, Some(40.0)).contains("no practical number of games"));
        assert_eq!(forecast(0.0, Some(40.0)), "; too few games to tell");
        assert_eq!(forecast(99.0, Some(40.0)), "");
    }
}
