//! Which games are tried, and what follows if only some of them go well.

use arena_core::rules::{Move, Seat, Variant};
use arena_sys::flags::GAME;

use super::mark::CheckMark;

/// Games from the empty board in each seat.
const GAMES_PER_SEAT: u64 = 3;
/// Moves of a game of the quick check.
const QUICK_MOVES: usize = 6;

/// A game of the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TestGame<'a> {
    pub(super) seat: Seat,
    pub(super) seed: u64,
    pub(super) opening: &'a [Move],
    /// The most moves after the opening.
    pub(super) moves_max: Option<usize>,
}

/// The games of one variant: some from the empty board, then one from each opening, each from both seats. Quick: the first
/// moves of one game in each seat, the second from an opening, where the first request holds moves.
pub(super) fn test_games(openings: &[Vec<Move>], quick: bool) -> Vec<TestGame<'_>> {
    let game = |seat, seed, opening| TestGame { seat, seed, opening, moves_max: quick.then_some(QUICK_MOVES) };
    let openings: Vec<&[Move]> = openings.iter().map(Vec::as_slice).filter(|opening| !opening.is_empty()).collect();
    if quick {
        let opening = openings.first().copied().unwrap_or_default();
        return vec![game(Seat::First, 0, &[]), game(Seat::Second, 0, opening)];
    }
    let plain = Seat::BOTH.into_iter().flat_map(|seat| (0..GAMES_PER_SEAT).map(move |seed| (seat, seed)));
    let from_openings = (0..).zip(openings).flat_map(|(seed, opening)| Seat::BOTH.map(|seat| (seat, seed, opening)));
    let plain = plain.map(|(seat, seed)| game(seat, seed, &[]));
    plain.chain(from_openings.map(|(seat, seed, opening)| game(seat, seed, opening))).collect()
}

/// For a bot that claims no games: which to declare if it failed in some only.
pub(super) fn advice_on_games(tried: &[(&Variant, bool)], [before, after]: [&str; 2]) -> Option<CheckMark> {
    let labels = |wanted: bool| tried.iter().filter(move |(_, failed)| *failed == wanted).map(|(variant, _)| *variant);
    let failed: Vec<&Variant> = labels(true).collect();
    let mut names: Vec<&str> = labels(false).map(|passed| name_of(passed, &failed)).collect();
    names.dedup();
    if failed.is_empty() || names.is_empty() {
        return None;
    }
    let quoted = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    let advice =
        format!("if it is not meant to play the others, {before}[{quoted}]{after}; if it is, test one with {GAME}");
    Some(CheckMark {
        advice: Some(advice),
        ..CheckMark::note("games", format!("it plays {} only", names.join(", ")), None)
    })
}

/// The name that claims a variant without claiming one of `others`: that of its rules, or an alias.
fn name_of(variant: &Variant, others: &[&Variant]) -> &'static str {
    let (rules, aliases) = (variant.rules.label(), variant.rules.aliases.iter().map(|alias| alias.name));
    let fits = |name: &&str| variant.is_called(name) && !others.iter().any(|other| other.is_called(name));
    std::iter::once(rules).chain(aliases).find(fits).unwrap_or(rules)
}

#[cfg(test)]
mod tests {
    use arena_wire::protocol::JSON;

    use super::*;

    fn advice(tried: &[(&str, bool)]) -> Option<String> {
        let variants: Vec<Variant> = tried.iter().map(|(name, _)| name.parse().unwrap()).collect();
        let tried: Vec<(&Variant, bool)> = variants.iter().zip(tried).map(|(it, (_, failed))| (it, *failed)).collect();
        advice_on_games(&tried, JSON.words.declare_games)?.advice
    }

    #[test]
    fn games_that_went_well_are_to_be_declared() {
        let declared = |tried: &[(&str, bool)]| {
            let advice = advice(tried).unwrap();
            advice.split(['[', ']']).nth(1).unwrap().to_owned()
        };
        assert_eq!(declared(&[("connect4", false), ("marbles", true)]), "\"connect4\"");
        assert_eq!(
            declared(&[("tictactoe", false), ("gomoku", true), ("marbles", false)]),
            "\"tictactoe\",\"marbles\""
        );
        assert_eq!(declared(&[("tictactoe", false), ("gomoku", false), ("marbles", true)]), "\"mnk\"");
        assert_eq!(advice(&[("connect4", true)]), None);
        assert_eq!(advice(&[("connect4", false)]), None);
    }

    #[test]
    fn games_are_from_both_seats_and_from_each_opening() {
        let openings = [vec![], vec![Move::Int(3)], vec![Move::Int(1), Move::Int(2)]];
        let games = test_games(&openings, false);
        assert_eq!(games.len(), 6 + 4);
        for seat in Seat::BOTH {
            assert!(openings.iter().all(|opening| games.iter().any(|it| it.seat == seat && it.opening == opening)));
        }
        assert_eq!(test_games(&[], false).len(), 6);
        let quick = test_games(&openings, true);
        assert_eq!((quick.len(), quick[1].opening), (2, &openings[1][..]));
        assert!(quick.iter().all(|game| game.moves_max == Some(QUICK_MOVES)));
    }
}
