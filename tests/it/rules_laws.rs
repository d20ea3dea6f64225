//! Laws that every registered game must pass, over random playouts. A game's first line in [`VARIANTS`] is what subjects
//! it to them; a registered game without one fails.

use std::collections::HashMap;

use arena::rng::Rng;
use arena::rules::{EndReason, Mark, Move, PLIES_MAX, ParamKind, Params, Picture, RULES, Seat, State, Viewer};
use arena::views::{Delta, delta};
use proptest::prelude::*;

use crate::playing::{VARIANTS, board, random_move, variant};

fn some_game() -> impl Strategy<Value = (&'static str, u64)> {
    (prop::sample::select(&VARIANTS[..]), any::<u64>())
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() }
}

/// Calls `see` with every position of a random game, the last one included.
fn walk(game: &str, seed: u64, mut see: impl FnMut(&dyn State, usize, &mut Rng)) {
    let variant = variant(game);
    let mut state = variant.start(seed).expect("built-in rules");
    let mut rng = Rng::new(seed);
    for ply in 0..=(variant.rules.plies_max)(&variant.params) {
        see(state.as_ref(), ply, &mut rng);
        if state.outcome().is_some() {
            return;
        }
        state.apply(&random_move(state.as_ref(), &mut rng)).expect("built-in rules");
    }
    panic!("{game} does not end");
}

#[test]
fn every_registered_game_is_subject_to_the_laws() {
    for rules in RULES {
        assert!(VARIANTS.iter().any(|game| variant(game).rules.name == rules.name), "{}", rules.name);
    }
}

#[test]
fn every_declared_reason_ends_some_game() {
    for rules in RULES {
        let mut open: Vec<&str> = rules.reasons.iter().map(|reason| reason.name).collect();
        let variants = VARIANTS.iter().filter(|game| variant(game).rules.name == rules.name);
        for (game, seed) in variants.flat_map(|game| (0..200).map(move |seed| (game, seed))) {
            if open.is_empty() {
                break;
            }
            walk(game, seed, |state, _, _| {
                open.retain(|name| state.outcome().is_none_or(|outcome| outcome.reason != *name));
            });
        }
        assert_eq!(open, [""; 0], "{}", rules.name);
    }
}

#[test]
fn declared_words_are_sound() {
    let is_word = |text: &str| text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    for rules in RULES {
        assert!(!rules.sides.contains(&"") && rules.sides[0] != rules.sides[1], "{}", rules.name);
        for EndReason { name, words, means } in rules.reasons {
            assert!(!name.is_empty() && name.len() <= 32 && is_word(name), "{}: {name}", rules.name);
            assert!(!words.is_empty() && !words.contains('_'), "{}: {words}", rules.name);
            assert!(means.ends_with('.'), "{}: {means}", rules.name);
        }
    }
}

#[test]
fn declared_parameters_are_sound() {
    for rules in RULES {
        let params = Params::defaults(rules.params);
        assert!(rules.start(&params, 0).is_ok(), "{}: the defaults fit together", rules.name);
        assert!((rules.opening_plies)(&params) <= 8, "{}", rules.name);
        // With every number at its maximum.
        let mut largest = params.clone();
        for param in rules.params {
            if let ParamKind::Int { max, .. } = param.kind {
                largest.set_json(rules.params, param.name, &max.into()).expect("the maximum is within the range");
            }
        }
        assert!((rules.plies_max)(&largest) <= PLIES_MAX, "{}", rules.name);
        for param in rules.params {
            let value = &params.to_json()[param.name];
            assert!(params.clone().set_json(rules.params, param.name, value).is_ok(), "{}", param.name);
        }
        for alias in rules.aliases {
            assert!(variant(alias.name).is_called(alias.name));
        }
    }
}

#[test]
fn random_openings_of_the_declared_length_leave_a_game_to_play() {
    for game in VARIANTS {
        let variant = variant(game);
        let plies = (variant.rules.opening_plies)(&variant.params);
        let decided = (0..50).filter(|seed| {
            let (mut state, mut rng) = (variant.start(*seed).unwrap(), Rng::new(*seed));
            (0..plies).any(|_| {
                state.apply(&random_move(state.as_ref(), &mut rng)).unwrap();
                state.outcome().is_some()
            })
        });
        assert!(decided.count() < 25, "{game}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn legal_moves_are_sorted_distinct_and_there_until_the_end((game, seed) in some_game()) {
        moves_are_distinct(game, seed);
    }

    #[test]
    fn a_move_is_legal_exactly_if_it_is_listed((game, seed) in some_game()) {
        legal_is_listed(game, seed);
    }

    #[test]
    fn same_seed_and_moves_give_the_same_position((game, seed) in some_game()) {
        positions_repeat(game, seed);
    }

    #[test]
    fn a_copy_plays_on_its_own((game, seed) in some_game()) {
        copies_are_apart(game, seed);
    }

    #[test]
    fn views_are_objects_and_open_games_show_both_sides_the_same((game, seed) in some_game()) {
        views_are_objects(game, seed);
    }

    #[test]
    fn positions_are_shown_to_people((game, seed) in some_game()) {
        pictures_are_texts(game, seed);
    }

    #[test]
    fn every_reason_is_declared((game, seed) in some_game()) {
        let reasons = variant(game).rules.reasons;
        walk(game, seed, |state, _, _| {
            let is_declared = |reason: &str| reasons.iter().any(|declared| declared.name == reason);
            assert!(state.outcome().is_none_or(|outcome| is_declared(outcome.reason)), "{:?}", state.outcome());
        });
    }

    #[test]
    fn pictures_of_boards_agree_with_views_moves_and_lines((game, seed) in some_game()) {
        walk(game, seed, |state, ply, rng| {
            let Picture::Board(picture) = state.picture(Viewer::All) else { return };
            let shown: String = picture.cells.iter().map(|seat| seat.map_or('.', |seat| ['X', 'O'][seat.index()])).collect();
            assert_eq!(shown, board(state).concat());
            assert_eq!(picture.cells.len(), picture.rows * picture.cols);
            assert_eq!(picture.last.is_some(), ply > 0);
            assert_eq!(picture.last.map(|cell| picture.cells[cell]), (ply > 0).then(|| Some(Seat::BOTH[(ply - 1) % 2])));
            let winner = state.outcome().and_then(|outcome| outcome.winner);
            assert_eq!(picture.line.is_empty(), winner.is_none());
            assert!(picture.line.iter().all(|cell| picture.cells[*cell] == winner));
            // Every cell is looked at for every move, so only now and then.
            let some = if ply % 16 == 0 { sample(state.legal_count(), rng) } else { Vec::new() };
            for index in some {
                let played = state.nth_legal(index);
                let is_named = |cell: usize| picture.cells[cell].is_none() && picture.move_at(cell) == played;
                assert!((0..picture.cells.len()).any(is_named), "{played} is no cell of\n{shown}");
            }
            // The text shows the same marks, the last one in lower case.
            let text = state.picture(Viewer::All).to_string();
            let rows = text.lines().skip(1).take(picture.rows);
            let margin = usize::from(!picture.gravity);
            let marks = rows.flat_map(|row| row.split_whitespace().skip(margin)).collect::<String>();
            let lower = marks.chars().position(char::is_lowercase);
            assert_eq!((marks.to_ascii_uppercase(), lower), (shown, picture.last));
        });
    }

    #[test]
    fn deltas_lead_from_the_first_picture_to_every_later_one((game, seed) in some_game()) {
        for viewer in [Viewer::All, Viewer::Audience, Viewer::Seat(Seat::Second)] {
            let mut shown = variant(game).start(seed).unwrap().picture(viewer);
            walk(game, seed, |state, _, _| {
                let picture = state.picture(viewer);
                let change = delta(&shown, &picture);
                // Pages get what changed, not a picture for each move.
                assert!(viewer != Viewer::All || !matches!(change, Delta::Whole(_)), "{picture}");
                apply(&change, &mut shown);
                assert_eq!(shown, picture);
            });
        }
    }

    #[test]
    fn pictures_of_unfinished_games_hide_what_views_hide((game, seed) in some_game()) {
        pictures_hide(game, seed);
    }

    #[test]
    fn equal_keys_mean_equal_futures((game, seed) in some_game()) {
        keys_tell_futures(game, seed);
    }

    #[test]
    fn a_board_is_judged_like_the_game_that_led_to_it((game, seed) in some_game()) {
        let variant = variant(game);
        if ["connect4", "mnk"].contains(&variant.rules.name) {
            walk(game, seed, |state, ply, _| {
                // The largest boards are tested only occasionally.
                if ply % (1 + state.legal_count() as usize / 100) != 0 && state.outcome().is_none() {
                    return;
                }
                let rows = board(state);
                let judged = variant.rules.start_from_board(&variant.params, Some(&rows), Mark::X)
                    .unwrap_or_else(|error| panic!("{error}: {rows:#?}"));
                assert_eq!(judged.outcome(), state.outcome());
                assert_eq!(judged.to_move(), state.to_move());
                assert_eq!(judged.legal_moves(), state.legal_moves());
                assert_eq!(judged.key(), state.key());
                assert_eq!(board(judged.as_ref()), rows);
            });
        }
    }
}

/// The laws that rules of a program keep, too.
pub(crate) const OF_PROGRAMS: [fn(&str, u64); 8] = [
    moves_are_distinct,
    legal_is_listed,
    positions_repeat,
    copies_are_apart,
    views_are_objects,
    pictures_are_texts,
    pictures_hide,
    keys_tell_futures,
];

fn moves_are_distinct(game: &str, seed: u64) {
    let is_program = variant(game).rules.is_external();
    walk(game, seed, |state, _, rng| {
        let count = state.legal_count();
        assert_eq!(count == 0, state.outcome().is_some(), "{state:?}");
        let indices = sample(count, rng);
        let moves: Vec<Move> = indices.iter().map(|index| state.nth_legal(*index)).collect();
        let mut sorted = moves.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), moves.len(), "{moves:?}");
        // Only built-in games promise an order.
        assert!(is_program || sorted == moves, "{moves:?}");
        assert!(moves.iter().all(|played| state.is_legal(played)), "{moves:?}");
        if indices.len() as u64 == count {
            assert_eq!(state.legal_moves(), moves);
            let mut written = Vec::new();
            state.write_legal_moves(&mut written);
            assert_eq!(serde_json::from_slice::<Vec<Move>>(&written).expect("rules that keep their word"), moves);
            assert!(
                is_program || written == serde_json::to_vec(&moves).expect("rules that keep their word"),
                "no spaces"
            );
        }
    });
}

fn legal_is_listed(game: &str, seed: u64) {
    walk(game, seed, |state, _, rng| {
        let count = state.legal_count();
        let mut bases = vec![Move::Int(0), Move::List(vec![0, 0]), Move::List(Vec::new())];
        if count > 0 {
            bases.extend([0, rng.below(count), count - 1].map(|index| state.nth_legal(index)));
        }
        for candidate in bases.iter().flat_map(near_misses) {
            assert_eq!(state.is_legal(&candidate), is_listed(state, &candidate), "{candidate} in {state:?}");
        }
    });
}

fn positions_repeat(game: &str, seed: u64) {
    let mut positions = Vec::new();
    let record = |state: &dyn State| {
        let views = Seat::BOTH.map(|seat| state.view(seat).get().to_owned());
        (
            views,
            state.key(),
            state.picture(Viewer::All).to_string(),
            state.reveal().map(|reveal| reveal.get().to_owned()),
        )
    };
    walk(game, seed, |state, _, _| positions.push(record(state)));
    let mut again = positions.iter();
    walk(game, seed, |state, _, _| assert_eq!(Some(&record(state)), again.next()));
}

fn copies_are_apart(game: &str, seed: u64) {
    walk(game, seed, |state, _, rng| {
        let before = (
            state.view(Seat::First).get().to_owned(),
            state.key(),
            state.legal_count(),
            state.picture(Viewer::All).to_string(),
        );
        let mut copy = state.boxed_clone();
        assert_eq!(
            (copy.key(), copy.picture(Viewer::All).to_string()),
            (state.key(), state.picture(Viewer::All).to_string())
        );
        if state.outcome().is_none() {
            copy.apply(&random_move(state, rng)).expect("rules that keep their word");
            assert_ne!(copy.key(), before.1);
        }
        let after = (
            state.view(Seat::First).get().to_owned(),
            state.key(),
            state.legal_count(),
            state.picture(Viewer::All).to_string(),
        );
        assert_eq!(after, before);
    });
}

fn views_are_objects(game: &str, seed: u64) {
    let open = variant(game).rules.open_information;
    walk(game, seed, |state, _, _| {
        let [first, second] = Seat::BOTH.map(|seat| state.view(seat));
        for view in [&first, &second] {
            serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(view.get()).expect("an object");
            assert!(!view.get().contains('\n'));
        }
        assert!(!open || first.get() == second.get());
        assert_eq!(state.reveal().is_some(), !open);
    });
}

fn pictures_are_texts(game: &str, seed: u64) {
    let is_program = variant(game).rules.is_external();
    walk(game, seed, |state, ply, _| {
        for text in [
            state.picture(Viewer::All).to_string(),
            state.picture(Viewer::Seat(Seat::First)).to_string(),
            state.picture(Viewer::Seat(Seat::Second)).to_string(),
        ] {
            assert!(!text.is_empty() && !text.ends_with('\n'), "{text:?}");
        }
        assert!(
            ply == 0 || is_program || state.picture(Viewer::All).to_string().contains("last move"),
            "{}",
            state.picture(Viewer::All)
        );
    });
}

fn pictures_hide(game: &str, seed: u64) {
    let variant = variant(game);
    let (mut state, mut other) = (
        variant.start(seed).expect("rules that keep their word"),
        variant.start(seed.wrapping_add(1)).expect("rules that keep their word"),
    );
    let mut rng = Rng::new(seed);
    // The same moves with another secret.
    while state.outcome().is_none() && other.outcome().is_none() {
        for seat in Seat::BOTH {
            let picture = state.picture(Viewer::Seat(seat));
            let is_same_view = state.view(seat).get() == other.view(seat).get();
            assert!(!is_same_view || picture == other.picture(Viewer::Seat(seat)));
            assert!(!variant.rules.open_information || picture == state.picture(Viewer::All));
        }
        assert_eq!(state.picture(Viewer::Audience), other.picture(Viewer::Audience));
        let played = random_move(state.as_ref(), &mut rng);
        state.apply(&played).expect("rules that keep their word");
        other.apply(&played).expect("rules that keep their word");
    }
}

fn keys_tell_futures(game: &str, seed: u64) {
    let mut known = HashMap::new();
    // Hidden information is part of a position, so only games of one seed are compared.
    let start = variant(game).start(0).expect("rules that keep their word");
    for game in 0..30 {
        let (mut state, mut rng) = (start.boxed_clone(), Rng::new(seed ^ game));
        // Most positions that two random games share come early.
        for _ in 0..12 {
            let indices = sample(state.legal_count(), &mut Rng::new(0));
            let legal: Vec<Move> = indices.iter().map(|index| state.nth_legal(*index)).collect();
            let future = (state.to_move(), state.outcome(), state.legal_count(), legal);
            assert_eq!(known.entry(state.key()).or_insert_with(|| future.clone()), &future);
            if state.outcome().is_some() {
                break;
            }
            state.apply(&random_move(state.as_ref(), &mut rng)).expect("rules that keep their word");
        }
    }
}

/// All indices below `count`, or some of them if there are many; ascending.
fn sample(count: u64, rng: &mut Rng) -> Vec<u64> {
    if count <= 1_500 {
        return (0..count).collect();
    }
    let mut indices: Vec<u64> = (0..60).map(|_| rng.below(count)).chain([0, 1, count - 2, count - 1]).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Changes the picture before into the picture after.
fn apply(change: &Delta, picture: &mut Picture) {
    match (change, picture) {
        (Delta::Cells { changed, last, line }, Picture::Board(board)) => {
            for (cell, owner) in changed {
                board.cells[*cell] = *owner;
            }
            board.last = *last;
            board.line.clone_from(line);
        }
        (Delta::Take { left, take, last }, Picture::Heap(heap)) => {
            (heap.left, heap.take, heap.last) = (*left, *take, *last);
        }
        (Delta::Guesses { added, code }, Picture::Guesses(guesses)) => {
            guesses.rows.extend_from_slice(added);
            guesses.code.clone_from(code);
        }
        (Delta::Whole(whole), picture) => picture.clone_from(whole),
        (change, picture) => panic!("{change:?} of another kind than\n{picture}"),
    }
}

/// Membership by its definition: a search of the ascending list.
fn is_listed(state: &dyn State, candidate: &Move) -> bool {
    let count = state.legal_count();
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if state.nth_legal(middle) < *candidate { low = middle + 1 } else { high = middle }
    }
    low < count && state.nth_legal(low) == *candidate
}

/// `base` and moves that a careless check would take for it.
fn near_misses(base: &Move) -> Vec<Move> {
    let twisted = |value: i64| {
        let add = |offset| i64::wrapping_add(value, offset);
        [value, add(1), add(-1), !value, -1, add(1 << 8), add(1 << 16), add(1 << 32), add(1 << 40), i64::MAX, i64::MIN]
    };
    let mut moves = Vec::new();
    match base {
        Move::Int(value) => {
            moves.extend(twisted(*value).map(Move::Int));
            moves.extend([Move::List(vec![*value]), Move::List(vec![*value, *value])]);
        }
        Move::List(values) => {
            for index in 0..values.len() {
                moves.extend(twisted(values[index]).map(|value| {
                    let mut changed = values.clone();
                    changed[index] = value;
                    Move::List(changed)
                }));
            }
            moves.push(Move::List(values.iter().skip(1).copied().collect()));
            moves.push(Move::List(values.iter().copied().chain([0]).collect()));
            moves.push(Move::List(values.iter().rev().copied().collect()));
            moves.extend(values.first().map(|value| Move::Int(*value)));
            moves.push(Move::List(vec![0; 10_000]));
        }
        Move::Text(_) | Move::Parts(_) => {}
    }
    moves.push(Move::Text(base.to_string()));
    moves.push(Move::Parts(vec![base.clone()]));
    moves
}
