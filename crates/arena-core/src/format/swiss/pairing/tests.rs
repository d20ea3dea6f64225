//! Tests of pairings, against all others there are.

use std::collections::HashSet;

use proptest::prelude::*;

use super::{Cost, PairedBot, costs, pair};

/// The least cost of pairing these bots, in their order, that `is_rematch` allows.
fn least(left: &[usize], costs: &dyn Fn(usize, usize) -> Option<Cost>) -> Option<Cost> {
    let Some((first, others)) = left.split_first() else { return Some(Cost::default()) };
    let with = |place: usize| {
        let mut rest = others.to_vec();
        let own = costs(*first, rest.remove(place))?;
        least(&rest, costs).map(|cost| sum(cost, own))
    };
    (0..others.len()).filter_map(with).min()
}

fn sum(a: Cost, b: Cost) -> Cost {
    std::array::from_fn(|digit| a[digit] + b[digit])
}

/// Holds the pairing of these bots against all others.
#[track_caller]
pub(in crate::format::swiss) fn check(players: &[PairedBot], have_met: impl Fn(usize, usize) -> bool) {
    let (count, costs) = (players.len(), costs(players));
    let cost = |a: usize, b: usize| (!have_met(players[a].bot, players[b].bot)).then(|| costs[a * count + b]);
    let place = |bot: usize| players.iter().position(|player| player.bot == bot).unwrap();
    let found = pair(players, &have_met).map(|pairings| {
        assert_eq!(pairings.iter().flatten().collect::<HashSet<_>>().len(), count, "everybody plays: {pairings:?}");
        let costs = pairings.iter().map(|[a, b]| cost(place(*a), place(*b)).expect("no rematch"));
        costs.fold(Cost::default(), sum)
    });
    assert_eq!(found, least(&(0..count).collect::<Vec<_>>(), &cost), "{players:?}");
}

#[test]
fn who_floated_down_goes_up() {
    let player = |(bot, (half_points, float)): (usize, (u32, i32))| PairedBot { bot, half_points, float };
    // Three bots of 4 half points and three of 2: one of each group meets the other group.
    let players: Vec<PairedBot> =
        [(4, 2), (4, 0), (4, 2), (2, 0), (2, -2), (2, 0)].into_iter().enumerate().map(player).collect();
    assert_eq!(pair(&players, |_, _| false), Some(vec![[0, 2], [1, 3], [4, 5]]));
    check(&players, |_, _| false);
}

#[test]
fn criteria_without_room_are_left_out() {
    let player = |bot: usize| PairedBot { bot, half_points: (100 - bot as u32) << 24, float: i32::MAX >> (bot % 2) };
    let players: Vec<PairedBot> = (0..100).map(player).collect();
    let neighbours: Vec<[usize; 2]> = (0..50).map(|number| [2 * number, 2 * number + 1]).collect();
    assert_eq!(pair(&players, |_, _| false), Some(neighbours));
    assert_eq!(pair(&players, |a, b| a == 0 || b == 0), None);
}

proptest! {
    #[test]
    fn a_pairing_is_the_best_of_all(
        players in prop::collection::vec((0..6_u32, -3..=3_i32), 1..=4),
        met in prop::collection::hash_set((0..8_usize, 0..8_usize), 0..12),
    ) {
        let mut players: Vec<_> = players.into_iter().flat_map(|player| [player, (player.0 / 2, -player.1)]).collect();
        players.sort_by_key(|(half_points, _)| std::cmp::Reverse(*half_points));
        let player = |(bot, (half_points, float)): (usize, (u32, i32))| PairedBot { bot, half_points, float };
        let players: Vec<PairedBot> = players.into_iter().enumerate().map(player).collect();
        check(&players, |a, b| met.contains(&(a, b)) || met.contains(&(b, a)));
    }
}
