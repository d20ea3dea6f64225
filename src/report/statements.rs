//! What the numbers do and do not show, in plain sentences.

use super::{Ranking, cells};
use crate::stats::{Neighbours, RankBy};
use crate::text::{counted, signed};

/// Below this probability the fit is said not to describe the field.
const LACK_OF_FIT_P: f64 = 0.01;
/// A pairing whose score is so many standard deviations off is named.
const NAMED_Z: f64 = 3.0;
/// So many such pairings are named.
const NAMED_MAX: usize = 3;

/// What the numbers do and do not show. `rounds` are those that were [played](super::Results::rounds_played); `None` for
/// games that were not played in rounds.
#[must_use]
pub fn statements(ranking: &Ranking, rounds: Option<f64>) -> Vec<String> {
    let mut all = Vec::new();
    if ranking.games() == 0 {
        return all;
    }
    all.extend(neighbours(ranking, rounds));
    all.extend(wrong_way_round(ranking));
    all.extend(open_ends(ranking));
    all.extend(groups(ranking));
    all.extend(unrated(ranking));
    all.extend(repeats(ranking));
    all.extend(first_seat(ranking));
    all.extend(draws(ranking));
    all.extend(lack_of_fit(ranking));
    if let Some(Err(why)) = &ranking.analysis.nash {
        all.push(format!("No Nash average: {why}."));
    }
    all
}

/// The bots in the order of the standings, but for those that are withdrawn, of whom nobody will ever know.
fn compared(ranking: &Ranking) -> Vec<usize> {
    let order = ranking.analysis.standings.iter().map(|row| row.bot);
    order.filter(|bot| !ranking.withdrawn.contains(bot)).collect()
}

/// Points may rank a bot above one that is stronger, where they were not made under the same conditions.
fn wrong_way_round(ranking: &Ranking) -> Option<String> {
    let wrong = ranking.analysis.ratings.most_inverted_neighbours(&compared(ranking))?;
    let (upper, lower) = (ranking.name(wrong.upper), ranking.name(wrong.lower));
    Some(format!(
        "{lower} is stronger than {upper}, which its points rank above it: the difference is significant at 95 %."
    ))
}

fn neighbours(ranking: &Ranking, rounds: Option<f64>) -> Option<String> {
    let analysis = &ranking.analysis;
    let order = compared(ranking);
    let closest = analysis.ratings.closest_neighbours(&order)?;
    if closest.are_separated() {
        return match order.len() {
            2 if closest.elo < 0.0 => None,
            2 => Some(format!(
                "{} is stronger than {}: the difference is significant at 95 %.",
                ranking.name(closest.upper),
                ranking.name(closest.lower)
            )),
            _ => Some("Every neighbour in the standings is told apart from the next at 95 %.".to_owned()),
        };
    }
    let los = analysis.ratings.los(closest.upper, closest.lower);
    let los = los.map_or_else(String::new, |los| format!(", LOS {}", cells::percent(Some(los))));
    let upper = ranking.name(closest.upper);
    let lower = ranking.name(closest.lower);
    let difference = format!("{} ± {:.1} Elo{los}", signed(closest.elo), 1.96 * closest.sd);
    Some(format!(
        "The games do not show whether {upper} is stronger than {lower} ({difference}){}.",
        more(&closest, rounds)
    ))
}

/// How much more it would take to tell two neighbours apart.
fn more(closest: &Neighbours, rounds: Option<f64>) -> String {
    /// Beyond so many times what was played nobody should be told to go on.
    const TIMES_MAX: f64 = 1_000.0;
    const PARTS: f64 = 1_000.0;
    let played = rounds.unwrap_or(PARTS);
    match (closest.more_rounds(played), rounds) {
        (Some(0), _) => String::new(),
        (Some(more), _) if more as f64 > played * TIMES_MAX => {
            "; they look equally strong, and no reasonable number of games would tell them apart".to_owned()
        }
        (Some(more), Some(_)) => {
            let rounds = if more == 1 { "round" } else { "rounds" };
            format!("; if the difference is what it seems, about {more} more {rounds} would")
        }
        (Some(more), None) => {
            // Not `1.0 times as many`, which are none.
            let times = (1.0 + more as f64 / PARTS).max(1.1);
            format!("; if the difference is what it seems, about {times:.1} times as many games would")
        }
        (None, _) => "; they look equally strong".to_owned(),
    }
}

fn open_ends(ranking: &Ranking) -> Option<String> {
    let analysis = &ranking.analysis;
    let open = analysis.standings.iter().filter_map(|row| analysis.ratings.of(row.bot));
    let open = open.filter(|rating| rating.elo.lo.is_infinite() || rating.elo.hi.is_infinite()).count();
    (open > 0).then(|| {
        "A rating with > or < has no upper or lower bound: nobody took a point from that side of the table, or it took \
         none."
            .to_owned()
    })
}

fn groups(ranking: &Ranking) -> Option<String> {
    let groups = ranking.analysis.ratings.groups();
    let apart = if ranking.analysis.rank_by == RankBy::Elo { "Ranks, ratings" } else { "Ratings" };
    (groups > 1).then(|| {
        format!("There are {groups} groups of bots that never met, not even through others. {apart} and LOS hold within a group.")
    })
}

fn unrated(ranking: &Ranking) -> Option<String> {
    let unrated = ranking.games() - ranking.rated_games();
    (unrated > 0).then(|| {
        format!(
            "{} that withdrawn bots lost without playing count{} as points, but not for ratings.",
            counted(unrated as usize, "game"),
            if unrated == 1 { "s" } else { "" },
        )
    })
}

fn repeats(ranking: &Ranking) -> Option<String> {
    (ranking.repeated > 0).then(|| {
        format!(
            "{} of {} repeat{} another game move for move: counted as points, but as no further evidence.",
            ranking.repeated,
            counted(ranking.games() as usize, "game"),
            if ranking.repeated == 1 { "s" } else { "" },
        )
    })
}

fn first_seat(ranking: &Ranking) -> Option<String> {
    let first = ranking.analysis.rated().first_seat();
    let score = first.score()?;
    let side = ranking.analysis.ratings.side();
    let elo = match side.elo {
        Some(elo) if elo.lo.is_finite() && elo.hi.is_finite() => {
            let limits = if side.of_these_openings { " in these openings" } else { "" };
            format!(" ({} ± {:.1} Elo{limits}).", signed(elo.elo), (elo.hi - elo.lo) / 2.0)
        }
        Some(_) => ".".to_owned(),
        None => {
            ". Strength and moving first cannot be told apart, since no seats were ever swapped: all of it is taken \
                 for strength."
                .to_owned()
        }
    };
    Some(format!("The first seat scored {:.1} % of {}{elo}", score * 100.0, counted(first.games() as usize, "game")))
}

fn draws(ranking: &Ranking) -> Option<String> {
    let fit = ranking.analysis.davidson.as_ref()?;
    let held = if fit.held { "; one virtual game for each bot keeps this model finite" } else { "" };
    Some(format!("By Davidson's model {:.1} % of games between equals are drawn{held}.", fit.equal_draw_rate * 100.0))
}

fn lack_of_fit(ranking: &Ranking) -> Option<String> {
    let test = ranking.analysis.transitivity.test.as_ref()?;
    if test.p >= LACK_OF_FIT_P {
        return None;
    }
    let mut odd: Vec<_> = ranking
        .head_to_head()
        .filter_map(|row| Some((row.residual_z?, row)))
        .filter(|(z, _)| z.abs() > NAMED_Z)
        .collect();
    odd.sort_by(|(a, _), (b, _)| b.abs().total_cmp(&a.abs()));
    let named: Vec<String> = odd
        .iter()
        .take(NAMED_MAX)
        .map(|(z, row)| format!("{} against {} ({z:+.1} σ)", ranking.name(row.a), ranking.name(row.b)))
        .collect();
    let named = if named.is_empty() { String::new() } else { format!(", above all {}", named.join(", ")) };
    let nash = if ranking.analysis.nash.is_some() { "" } else { "; --nash weighs who beats whom" };
    Some(format!(
        "One number per bot does not describe this field (F = {:.1}, p {}): some do better or worse against \
         particular opponents{named}{nash}.",
        test.f,
        p_value(test.p)
    ))
}

/// A probability too small for decimals: `= 2.0e-5`, or a bound where it is nothing that can be computed.
fn p_value(p: f64) -> String {
    const SMALLEST: f64 = 1e-300;
    if p < SMALLEST { format!("< {SMALLEST:e}") } else { format!("= {p:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_probability_is_nothing() {
        assert_eq!([0.0, 1e-310, 2e-5].map(p_value), ["< 1e-300", "< 1e-300", "= 2.0e-5"]);
    }

    #[test]
    fn the_forecast_is_of_rounds_or_of_times_as_many_games() {
        let forecast = |elo, rounds| more(&Neighbours { upper: 0, lower: 1, elo, sd: 50.0 }, rounds);
        // It takes a difference of 98 Elo: 1.96 times 50.
        assert_eq!(forecast(97.9, Some(40.0)), "; if the difference is what it seems, about 1 more round would");
        assert_eq!(forecast(49.0, Some(34.5)), "; if the difference is what it seems, about 104 more rounds would");
        assert_eq!(forecast(49.0, None), "; if the difference is what it seems, about 4.0 times as many games would");
        assert_eq!(forecast(97.0, None), "; if the difference is what it seems, about 1.1 times as many games would");
        assert!(forecast(0.1, Some(40.0)).contains("no reasonable number of games"));
        assert_eq!(forecast(0.0, Some(40.0)), "; they look equally strong");
        assert_eq!(forecast(99.0, Some(40.0)), "");
    }
}
