//! The order of bots in a Swiss, by its tie-breaks.

use std::cmp::Reverse;

use super::{SwissMatch, SwissStanding};

/// A bot's share in a match.
struct MatchShare {
    bot: usize,
    /// `None` for a bye.
    opponent: Option<usize>,
    half_points: u32,
    wins: u32,
}

/// The standings after these matches, by index of the bot.
pub(super) fn standings(bots: usize, matches: &[&SwissMatch]) -> Vec<SwissStanding> {
    let mut shares: Vec<Vec<MatchShare>> = (0..bots).map(|_| Vec::new()).collect();
    for share in matches.iter().flat_map(|found| shares_of(found)) {
        shares[share.bot].push(share);
    }
    let half_points: Vec<u32> =
        shares.iter().map(|shares| shares.iter().map(|share| share.half_points).sum()).collect();
    let standing = |shares: &Vec<MatchShare>| {
        let opponents = shares.iter().map(|share| half_points[share.opponent.unwrap_or(share.bot)]);
        let buchholz: u32 = opponents.clone().sum();
        SwissStanding {
            rank: 1,
            half_points: shares.iter().map(|share| share.half_points).sum(),
            byes: shares.iter().filter(|share| share.opponent.is_none()).count() as u32,
            buchholz_cut_1: buchholz - opponents.clone().min().unwrap_or(0),
            buchholz,
            direct_encounter: 0,
            sonneborn_berger: shares
                .iter()
                .zip(opponents)
                .map(|(share, points)| u64::from(share.half_points) * u64::from(points))
                .sum(),
            wins: shares.iter().map(|share| share.wins).sum(),
        }
    };
    let mut standings: Vec<SwissStanding> = shares.iter().map(standing).collect();
    let mut order: Vec<usize> = (0..bots).collect();
    order.sort_by_key(|bot| Reverse(before_direct_encounter(&standings[*bot])));
    let is_tied =
        |a: &usize, b: &usize| before_direct_encounter(&standings[*a]) == before_direct_encounter(&standings[*b]);
    let encounters: Vec<(usize, u32)> =
        order.chunk_by(is_tied).flat_map(|tied| direct_encounters(tied, &shares)).collect();
    for (bot, half_points) in encounters {
        standings[bot].direct_encounter = half_points;
    }
    order.sort_by_key(|bot| Reverse(key(&standings[*bot])));
    for place in 1..bots {
        let (above, bot) = (order[place - 1], order[place]);
        let is_tied = key(&standings[above]) == key(&standings[bot]);
        standings[bot].rank = if is_tied { standings[above].rank } else { place + 1 };
    }
    standings
}

fn shares_of(found: &SwissMatch) -> impl Iterator<Item = MatchShare> {
    let ([a_half, b_half], [a_wins, b_wins]) = (found.half_points, found.wins);
    let a = MatchShare { bot: found.a, opponent: found.b, half_points: a_half, wins: a_wins };
    let b = found.b.map(|b| MatchShare { bot: b, opponent: Some(a.bot), half_points: b_half, wins: b_wins });
    [a].into_iter().chain(b)
}

/// Twice the points of tied bots against each other, if all of them met.
fn direct_encounters(tied: &[usize], shares: &[Vec<MatchShare>]) -> Vec<(usize, u32)> {
    let among =
        |bot: usize| shares[bot].iter().filter(|share| share.opponent.is_some_and(|other| tied.contains(&other)));
    // Nobody meets a bot twice.
    if tied.iter().any(|bot| among(*bot).count() + 1 < tied.len()) {
        return Vec::new();
    }
    tied.iter().map(|bot| (*bot, among(*bot).map(|share| share.half_points).sum())).collect()
}

fn before_direct_encounter(standing: &SwissStanding) -> [u32; 3] {
    [standing.half_points, standing.buchholz_cut_1, standing.buchholz]
}

fn key(standing: &SwissStanding) -> ([u32; 3], u32, u64, u32) {
    let SwissStanding { direct_encounter, sonneborn_berger, wins, .. } = *standing;
    (before_direct_encounter(standing), direct_encounter, sonneborn_berger, wins)
}
