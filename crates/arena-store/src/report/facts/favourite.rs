//! The chance that the best bot wins an elimination.

use arena_core::format::FirstRound;
use arena_core::stats::normal_cdf;
use arena_show::views::Ranking;

use crate::report::cells;

/// A sentence with the chance that the best bot, by the ratings fitted to all games, wins such a bracket; `None` for other
/// formats, and if the games do not connect all bots.
pub(crate) fn favourite(ranking: &Ranking) -> Option<String> {
    let sheet = ranking.sheet.as_ref()?;
    let FirstRound { of, matches: first } = sheet.first_round.as_ref()?;
    // Until the final is known, few bots have met.
    sheet.matches.last().filter(|last| 1 << last.round == 2 * first.len())?;
    let pairs = sheet.matches.iter().map(|found| found.pairs).filter(|pairs| *pairs > 0).min()?;
    let ratings = &ranking.analysis.ratings;
    let bots: Vec<usize> = first.iter().flatten().copied().flatten().collect();
    if bots.len() < 3 {
        return None;
    }
    let best = bots.iter().copied().max_by(|x, y| {
        let elo = |bot| ratings.of(bot).map_or(f64::NEG_INFINITY, |rating| rating.elo.elo);
        elo(*x).total_cmp(&elo(*y))
    })?;
    let first_seat = ranking.analysis.rated().first_seat();
    let draws = first_seat.draws as f64 / (first_seat.games() as f64).max(1.0);
    let beats = |a: usize, b: usize| Some(chance_of_match(ratings.expected(a, b)?, draws, pairs));
    let chance = chances(first, &beats)?.into_iter().find(|(bot, _)| *bot == best)?.1;
    Some(format!(
        "By these ratings, {}, the best of them, wins such a {of} in {} of cases.",
        ranking.name(best),
        cells::percent(Some(chance))
    ))
}

/// The chance of each bot to win a bracket whose first stage has these matches from the top, if `a` beats `b` with
/// probability `beats(a, b)`.
fn chances(first: &[[Option<usize>; 2]], beats: &dyn Fn(usize, usize) -> Option<f64>) -> Option<Vec<(usize, f64)>> {
    let alone = |bot: &Option<usize>| bot.iter().map(|bot| (*bot, 1.0)).collect::<Vec<_>>();
    let mut places: Vec<Vec<(usize, f64)>> = first.iter().flatten().map(alone).collect();
    while places.len() > 1 {
        places = places
            .chunks(2)
            .map(|two| winners(&two[0], two.get(1).map_or(&[], Vec::as_slice), beats))
            .collect::<Option<_>>()?;
    }
    places.pop()
}

/// The chances of those who may meet in a match to win it. A place without bots gives a bye.
fn winners(
    upper: &[(usize, f64)],
    lower: &[(usize, f64)],
    beats: &dyn Fn(usize, usize) -> Option<f64>,
) -> Option<Vec<(usize, f64)>> {
    if upper.is_empty() || lower.is_empty() {
        return Some([upper, lower].concat());
    }
    let mut all = Vec::new();
    for (own, others) in [(upper, lower), (lower, upper)] {
        for (bot, reached) in own {
            let each = others.iter().map(|(other, share)| Some(share * beats(*bot, *other)?));
            all.push((*bot, reached * each.sum::<Option<f64>>()?));
        }
    }
    Some(all)
}

/// Games of a match from which on their sum is taken as normal.
const NORMAL_FROM: usize = 24;

/// The probability of winning a match of independent games with this expected score, of which a share is drawn between equal
/// bots. A level match is won by either.
fn chance_of_match(expected: f64, share: f64, pairs: u32) -> f64 {
    let level = 4.0 * share * expected * (1.0 - expected);
    let (win, loss) = ((expected - level / 2.0).max(0.0), (1.0 - expected - level / 2.0).max(0.0));
    let games = 2 * pairs as usize;
    if games >= NORMAL_FROM {
        let (lead, variance) = (win - loss, win + loss - (win - loss).powi(2));
        return normal_cdf(lead * (games as f64 / variance.max(f64::MIN_POSITIVE)).sqrt());
    }
    // By wins minus losses, from -games.
    let mut by_lead = vec![0.0; 2 * games + 1];
    by_lead[games] = 1.0;
    for _ in 0..games {
        let before = by_lead.clone();
        for (place, chance) in by_lead.iter_mut().enumerate() {
            let at = |place: Option<usize>| place.and_then(|place| before.get(place)).copied().unwrap_or(0.0);
            *chance = win * at(place.checked_sub(1)) + level * before[place] + loss * at(Some(place + 1));
        }
    }
    by_lead[games + 1..].iter().sum::<f64>() + by_lead[games] / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_surer_than_a_game() {
        assert!((chance_of_match(0.5, 0.3, 3) - 0.5).abs() < 1e-12);
        // Two games, no draws: both won, or one, which is level.
        assert!((chance_of_match(0.75, 0.0, 1) - 0.75).abs() < 1e-12);
        assert!(chance_of_match(0.75, 0.0, 10) > 0.95 && chance_of_match(0.25, 0.0, 10) < 0.05);
        assert!(chance_of_match(0.6, 0.5, 5) > chance_of_match(0.6, 0.0, 5), "draws make it less random");
        for expected in [0.0, 1.0] {
            assert!((chance_of_match(expected, 0.4, 4) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn long_matches_are_about_normal() {
        for (expected, share) in [(0.5, 0.3), (0.52, 0.0), (0.6, 0.5), (0.9, 0.1), (0.35, 0.2)] {
            let games = 2 * 11;
            let exact = chance_of_match(expected, share, games / 2);
            let next = chance_of_match(expected, share, games / 2 + 1);
            assert!((exact - next).abs() < 0.02, "{expected} {share}: {exact} {next}");
        }
        assert!(chance_of_match(0.501, 0.3, 1_000_000) > 0.99);
        assert!((chance_of_match(1.0, 0.0, 500) - 1.0).abs() < 1e-9 && chance_of_match(0.0, 0.0, 500) < 1e-9);
    }

    #[test]
    fn all_chances_are_those_of_the_bracket() {
        let first = [[Some(0), None], [Some(3), Some(4)], [Some(1), Some(5)], [Some(2), None]];
        let sum = |chances: &[(usize, f64)]| chances.iter().map(|(_, chance)| chance).sum::<f64>();
        let even = chances(&first, &|_, _| Some(0.5)).unwrap();
        assert!((sum(&even) - 1.0).abs() < 1e-12);
        let of = |chances: &[(usize, f64)], bot: usize| chances.iter().find(|(other, _)| *other == bot).unwrap().1;
        // Two matches after a bye, else three.
        assert!((of(&even, 0) - 0.25).abs() < 1e-12 && (of(&even, 5) - 0.125).abs() < 1e-12);
        let sure = chances(&first, &|a, b| Some(if a < b { 1.0 } else { 0.0 })).unwrap();
        assert!((of(&sure, 0) - 1.0).abs() < 1e-12);
        assert_eq!(chances(&first, &|_, _| None), None);
        assert_eq!(chances(&[], &|_, _| None), None);
    }
}
