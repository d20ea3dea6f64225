use std::collections::BTreeMap;

use super::codes::Codes;
use super::frames::Frames;
use super::search::{ANY, BestGuesses, Memo, Search, Work};
use super::*;
use crate::rng::Rng;
use crate::rules::{Move, Seat, play};

fn all_codes(pegs: usize, colors: usize) -> Vec<Vec<u8>> {
    let mut codes = vec![vec![]];
    for _ in 0..pegs {
        let longer = |code: Vec<u8>| (0..colors as u8).map(move |color| [code.as_slice(), &[color]].concat());
        codes = codes.into_iter().flat_map(longer).collect();
    }
    codes
}

/// The guess with its answer, by the letter of the rules.
fn answered(guess: &[u8], code: &[u8]) -> AnsweredGuess {
    let exact = guess.iter().zip(code).filter(|(guess, code)| guess == code).count();
    let count = |pegs: &[u8], color| pegs.iter().map(|peg| usize::from(*peg == color)).sum::<usize>();
    let common: usize = (0..12).map(|color| count(guess, color).min(count(code, color))).sum();
    AnsweredGuess { guess: guess.to_vec(), exact, color: common - exact }
}

/// The codes by the answer to a guess.
fn by_answer(guess: &[u8], codes: &[Vec<u8>]) -> BTreeMap<(usize, usize), Vec<Vec<u8>>> {
    let mut parts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for code in codes {
        let answer = answered(guess, code);
        parts.entry((answer.exact, answer.color)).or_default().push(code.clone());
    }
    parts
}

/// Adds to `taken`, by number, the guesses that the strategy takes for each code.
fn play_out(guesser: &mut Guesser, seen: &mut Vec<AnsweredGuess>, codes: &[Vec<u8>], taken: &mut Vec<usize>) {
    let best = guesser.best(seen, &Limits::NONE).unwrap().expect("a code agrees");
    for ((exact, color), part) in by_answer(&best, codes) {
        seen.push(AnsweredGuess { guess: best.clone(), exact, color });
        if exact == best.len() {
            taken.push(seen.len());
        } else {
            assert!(seen.len() < 20, "{seen:?}");
            play_out(guesser, seen, &part, taken);
        }
        seen.pop();
    }
}

/// Some guesses and the answers for one code, and all codes that agree.
fn some_guesses(pegs: usize, colors: usize, seen: usize, rng: &mut Rng) -> (Vec<AnsweredGuess>, Vec<Vec<u8>>) {
    let mut some = || (0..pegs).map(|_| rng.below(colors as u64) as u8).collect::<Vec<u8>>();
    let code = some();
    let seen: Vec<_> = (0..seen).map(|_| answered(&some(), &code)).collect();
    let mut codes = all_codes(pegs, colors);
    codes.retain(|code| seen.iter().all(|answer| *answer == answered(&answer.guess, code)));
    (seen, codes)
}

#[test]
fn the_shipped_strategy_breaks_every_code_with_at_most_five_guesses() {
    let mut guesser = Guesser::new(4, 6);
    assert!(!guesser.known.is_empty());
    let mut taken = Vec::new();
    play_out(&mut guesser, &mut Vec::new(), &all_codes(4, 6), &mut taken);
    assert_eq!(taken.len(), 1_296);
    assert_eq!(taken.iter().max(), Some(&usize::from(TABLE_WORST)));
    // Koyama and Lai's minimum.
    assert_eq!(taken.iter().sum::<usize>(), 5_626);
    assert_eq!(guesser.best(&[], &Limits::NONE), Ok(Some(vec![0, 0, 1, 2])));
    let expected = guesser.expected(&[], &Limits::NONE).unwrap();
    assert_eq!(expected, Expected { codes: 1_296, total: 5_626 });
    assert!(expected.mean() <= 4.35);
}

#[test]
fn what_is_expected_is_what_playing_gives() {
    let mut rng = Rng::new(1);
    for (pegs, colors, games) in [(4, 6, 6), (3, 4, 5), (2, 9, 5), (5, 3, 5), (1, 5, 3), (7, 2, 3)] {
        let mut guesser = Guesser::new(pegs, colors);
        for game in 0..games {
            let (mut seen, codes) = some_guesses(pegs, colors, usize::from(colors == 6) + game % 3, &mut rng);
            let Expected { codes: count, total } = guesser.expected(&seen, &Limits::NONE).unwrap();
            assert_eq!(count as usize, codes.len());
            let Some(best) = guesser.best(&seen, &Limits::NONE).unwrap() else {
                assert_eq!(total, 0, "{seen:?}");
                continue;
            };
            let before = seen.len();
            let mut taken = Vec::new();
            play_out(&mut guesser, &mut seen, &codes, &mut taken);
            assert_eq!(taken.iter().map(|all| all - before).sum::<usize>(), total as usize, "{seen:?}");
            let after = guesser.expected_after(&seen, &best, &Limits::NONE).unwrap();
            assert_eq!(after, Expected { codes: count, total: total - count }, "{seen:?}");
        }
    }
}

#[test]
fn what_is_expected_after_a_guess_is_the_mean_over_its_answers() {
    let mut rng = Rng::new(2);
    for (pegs, colors, before) in [(4, 6, 1), (4, 6, 2), (3, 5, 0), (3, 5, 1), (2, 3, 0)] {
        let mut guesser = Guesser::new(pegs, colors);
        let (mut seen, codes) = some_guesses(pegs, colors, before, &mut rng);
        for code in codes.iter().step_by(1 + codes.len() / 3) {
            let after = guesser.expected_after(&seen, code, &Limits::NONE).unwrap();
            let mut total = 0;
            for ((exact, color), _) in by_answer(code, &codes) {
                seen.push(AnsweredGuess { guess: code.clone(), exact, color });
                total += guesser.expected(&seen, &Limits::NONE).unwrap().total;
                seen.pop();
            }
            assert_eq!(after, Expected { codes: codes.len() as u32, total }, "{seen:?} {code:?}");
        }
    }
}

#[test]
fn other_names_of_pegs_and_colors_change_nothing() {
    let mut rng = Rng::new(3);
    for (pegs, colors) in [(4, 6), (3, 7), (5, 4)] {
        let mut guesser = Guesser::new(pegs, colors);
        let (mut order, mut names): (Vec<_>, Vec<_>) = ((0..pegs).collect(), (0..colors as u8).collect());
        rng.shuffle(&mut order);
        rng.shuffle(&mut names);
        let rename = |guess: &[u8]| order.iter().map(|from| names[usize::from(guess[*from])]).collect::<Vec<u8>>();
        for before in 1..4 {
            let (seen, _) = some_guesses(pegs, colors, before, &mut rng);
            let renamed = |answer: &AnsweredGuess| AnsweredGuess { guess: rename(&answer.guess), ..answer.clone() };
            let renamed: Vec<_> = seen.iter().map(renamed).collect();
            let [one, other] = [&seen, &renamed].map(|seen| {
                guesser.forget();
                guesser.expected(seen, &Limits::NONE).unwrap()
            });
            assert_eq!(one, other, "{seen:?}");
        }
    }
}

/// The least total by trying everything; `None` if so few guesses are not enough.
fn least_total(all: &[Vec<u8>], codes: &[Vec<u8>], left: u8) -> Option<usize> {
    if codes.is_empty() || left == 0 {
        return codes.is_empty().then_some(0);
    }
    let after = |guess: &Vec<u8>| {
        let mut parts = by_answer(guess, codes);
        parts.remove(&(guess.len(), 0));
        parts.values().try_fold(codes.len(), |total, part| Some(total + least_total(all, part, left - 1)?))
    };
    all.iter().filter_map(after).min()
}

#[test]
fn a_search_of_all_guesses_finds_the_least_total() {
    for (pegs, colors, worst) in [(1, 4, 4), (2, 2, 3), (2, 3, 4), (3, 2, 4), (2, 4, 3)] {
        let mut codes = Codes::new(pegs, colors);
        codes.prepare();
        let (known, mut memo) = (BestGuesses::new(), Memo::default());
        let mut total = |width, left| {
            memo.clear();
            let mut search =
                Search { codes: &codes, known: &known, memo: &mut memo, width, work: Work::new(&Limits::NONE) };
            let all: Vec<u32> = (0..codes.count).collect();
            search.best_guess(&all, left, &Frames::new(pegs, colors)).unwrap().map(|best| best.total as usize)
        };
        let all = all_codes(pegs, colors);
        for left in 1..=worst {
            assert_eq!(total(usize::MAX, left), least_total(&all, &all, left), "{pegs} {colors} {left}");
        }
        assert!(total(1, ANY) >= total(usize::MAX, ANY));
    }
}

#[test]
fn limits_are_kept_and_change_no_later_answer() {
    let seen = [answered(&[0, 0, 0, 1], &[2, 3, 4, 5])];
    let expected = Guesser::new(4, 6).expected(&seen, &Limits::NONE).unwrap();
    let mut guesser = Guesser::new(4, 6);
    for nodes in [0, 1, 100, 1_000, 10_000, 100_000] {
        let before = guesser.nodes();
        assert_eq!(guesser.expected(&seen, &Limits::nodes(nodes)), Err(Unsolved::Nodes));
        assert!(guesser.nodes() - before <= nodes);
    }
    let stopped = Limits { nodes: u64::MAX, stop: &|| true };
    assert_eq!(guesser.best(&seen, &stopped), Err(Unsolved::Stopped));
    assert_eq!(guesser.expected(&seen, &Limits::NONE), Ok(expected));
    let nodes = guesser.nodes();
    assert_eq!(guesser.expected(&seen, &Limits::NONE), Ok(expected));
    assert!(guesser.nodes() - nodes < 5_000, "it is known already");
    // Of the largest codes, far too many agree; later on they are few.
    let mut guesser = Guesser::new(8, 12);
    assert_eq!(guesser.expected(&[], &Limits::NONE), Err(Unsolved::Nodes));
    let code = [1, 2, 3, 4, 5, 6, 7, 8];
    let seen = [[1, 2, 3, 4, 5, 6, 7, 0], [8; 8], [0; 8]].map(|guess| answered(&guess, &code));
    assert_eq!(guesser.best(&seen, &Limits::nodes(20_000)), Ok(Some(code.to_vec())));
}

#[test]
fn after_the_right_guess_and_without_a_possible_code_none_is_expected() {
    let row = |guess: &[u8], exact, color| AnsweredGuess { guess: guess.to_vec(), exact, color };
    let mut guesser = Guesser::new(3, 4);
    let mut check = |seen: &[AnsweredGuess], codes| {
        assert_eq!(guesser.expected(seen, &Limits::NONE), Ok(Expected { codes, total: 0 }));
        assert_eq!(guesser.best(seen, &Limits::NONE), Ok(None));
        let after = guesser.expected_after(seen, &[0, 1, 2], &Limits::NONE);
        assert_eq!(after, Ok(Expected { codes, total: 0 }));
    };
    check(&[row(&[1, 2, 3], 3, 0)], 1);
    check(&[row(&[1, 2, 3], 3, 0), row(&[1, 1, 1], 0, 0)], 0);
    check(&[row(&[1, 2, 3], 2, 1)], 0);
    check(&[row(&[1, 2, 3], 0, usize::MAX)], 0);
    check(&[row(&[1, 2], 0, 0)], 0);
    check(&[row(&[1, 2, 3, 0], 0, 0)], 0);
    check(&[row(&[1, 2, 4], 0, 0)], 0);
    assert_eq!(guesser.expected_after(&[], &[7; 9], &Limits::NONE), Ok(Expected { codes: 0, total: 0 }));
}

#[test]
fn a_seat_knows_the_answers_to_its_own_guesses() {
    let variant: Variant = "mastermind:pegs=2,colors=3".parse().unwrap();
    let code = Move::List(vec![1, 2]);
    let mut state = variant.rules.start_with_secret(&variant.params, &code).unwrap();
    let moves = [[0, 0], [2, 1], [0, 1]].map(|guess| Move::List(guess.to_vec()));
    play(state.as_mut(), &moves).map_err(|(_, error)| error).unwrap();
    assert_eq!(state.to_move(), Seat::Second);
    assert_eq!(seen_guesses(state.as_ref()), Some(vec![AnsweredGuess { guess: vec![2, 1], exact: 0, color: 2 }]));
    let mut guesser = Guesser::for_variant(&variant).unwrap();
    let seen = seen_guesses(state.as_ref()).unwrap();
    assert_eq!(guesser.best(&seen, &Limits::NONE), Ok(Some(vec![1, 2])));

    let other: Variant = "marbles".parse().unwrap();
    assert!(Guesser::for_variant(&other).is_none());
    assert_eq!(seen_guesses(other.start(0).unwrap().as_ref()), None);
}
