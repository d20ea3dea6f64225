//! Who meets whom in a round: the best perfect matching without a rematch.
//!
//! Matchings are compared by sums over their pairings, the first criterion that differs decides:
//!
//! 1. the squared difference of points;
//! 2. the float of the bot with more points minus that of the other, so that a bot that floated down goes up, and the other
//!    way round; 0 for equal points;
//! 3. in a group of equal points, the distance from folding it in the middle: its top half meets its bottom half;
//! 4. between groups, the distance of one bot from the bottom of its group and of the other from the top.

#[cfg(test)]
pub(super) mod tests;

/// A bot to be paired, as known before the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairedBot {
    /// Its index in the field.
    pub(super) bot: usize,
    /// Twice its points.
    pub(super) half_points: u32,
    /// Its [`float`](super::SwissMatch::floats) in the last round.
    pub(super) float: i32,
}

/// The largest number given to the solver. Its own are up to four times as large, and must be below a quarter of the type's
/// range.
const NUMBER_MAX: i128 = i128::MAX >> 6;

/// What a pairing costs, by criterion.
pub(super) type Cost = [i64; 4];

/// Pairs an even number of bots, in order of points and then of seed, the best first. The pairings are in order of their
/// better bots. `None` if every perfect matching has a rematch.
pub(super) fn pair(players: &[PairedBot], have_met: impl Fn(usize, usize) -> bool) -> Option<Vec<[usize; 2]>> {
    let count = players.len();
    let costs = costs(players);
    let is_rematch = |a: usize, b: usize| have_met(players[a].bot, players[b].bot);
    let matrix = as_one_number(&costs, count, is_rematch);
    let mates = integer_blossom::min_weight_perfect_matching(&matrix, count);
    let pairings = mates.iter().enumerate().filter(|(a, b)| a < b).map(|(a, b)| (a, *b));
    pairings.map(|(a, b)| (!is_rematch(a, b)).then(|| [players[a].bot, players[b].bot])).collect()
}

/// The cost of each pairing, by places in the list of bots, row by row; only those above the diagonal are used.
pub(super) fn costs(players: &[PairedBot]) -> Vec<Cost> {
    let count = players.len();
    // The first and the last place in the group of equal points.
    let group = |place: usize| {
        let points = players[place].half_points;
        let first = players.partition_point(|player| player.half_points > points);
        (first, players.partition_point(|player| player.half_points >= points) - 1)
    };
    let groups: Vec<_> = (0..count).map(group).collect();
    let mut costs = vec![Cost::default(); count * count];
    for a in 0..count {
        for b in a + 1..count {
            let points = i64::from(players[a].half_points) - i64::from(players[b].half_points);
            let apart = (b - a) as i64;
            let ((first, last), (top, _)) = (groups[a], groups[b]);
            costs[a * count + b] = if points == 0 {
                [0, 0, (apart - (last - first).div_ceil(2) as i64).abs(), 0]
            } else {
                let floats = i64::from(players[a].float) - i64::from(players[b].float);
                [points * points, floats, 0, (last - a + b - top) as i64]
            };
        }
    }
    costs
}

/// The costs as numbers whose digits are the criteria. A rematch costs more than any matching without one.
fn as_one_number(costs: &[Cost], count: usize, is_rematch: impl Fn(usize, usize) -> bool) -> Vec<i128> {
    let places = || (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let allowed = || places().filter(|(a, b)| !is_rematch(*a, *b)).map(|(a, b)| costs[a * count + b]);
    let least: [i64; 4] = std::array::from_fn(|digit| allowed().map(|cost| cost[digit]).min().unwrap_or(0));
    let most: [i64; 4] = std::array::from_fn(|digit| allowed().map(|cost| cost[digit]).max().unwrap_or(0));
    let bases = (0..4).map(|digit| i128::from(most[digit] - least[digit]) * (count as i128 / 2) + 1);
    // Enough for 512 bots that each play a million pairs; beyond, the last criteria are left out.
    let mut rematch: i128 = 1;
    let has_room = |base: &i128| {
        let product = rematch.checked_mul(*base).filter(|product| *product <= NUMBER_MAX);
        rematch = product.unwrap_or(rematch);
        product.is_some()
    };
    let bases: Vec<i128> = bases.take_while(has_room).collect();
    let mut matrix = vec![rematch; count * count];
    for (a, b) in places().filter(|(a, b)| !is_rematch(*a, *b)) {
        let cost = costs[a * count + b];
        let digits = (0..4).map(|digit| i128::from(cost[digit] - least[digit]));
        matrix[a * count + b] = bases.iter().zip(digits).fold(0, |number, (base, digit)| number * base + digit);
    }
    matrix
}
