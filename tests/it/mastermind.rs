//! Mastermind: feedback, the end of a game, and above all which information is hidden from whom.

use arena::cause::Cause;
use arena::clock::{Taken, TimeControl};
use arena::record::Status;
use arena::referee::{Answer, Fault, Referee, RefereeSetup};
use arena::rng::Rng;
use arena::rules::{Move, Params, Seat, State, Viewer, play};

use crate::playing::{result, variant};
use crate::support::Dir;

/// Feedback by its oldest definition: take away what is right, then pair up what is left, peg by peg.
fn feedback(code: &[i64], guess: &[i64]) -> (usize, usize) {
    let mut hidden: Vec<i64> = Vec::new();
    let mut guessed: Vec<i64> = Vec::new();
    let mut exact = 0;
    for (peg, other) in code.iter().zip(guess) {
        if peg == other {
            exact += 1;
        } else {
            hidden.push(*peg);
            guessed.push(*other);
        }
    }
    let mut color = 0;
    for peg in guessed {
        if let Some(found) = hidden.iter().position(|other| *other == peg) {
            hidden.swap_remove(found);
            color += 1;
        }
    }
    (exact, color)
}

fn with_code(game: &str, code: &[i64]) -> Box<dyn State> {
    let variant = variant(game);
    variant.rules.start_with_secret(&variant.params, &Move::List(code.to_vec())).expect("a code")
}

/// The feedback that the first seat's view shows for one guess.
fn shown_feedback(game: &str, code: &[i64], guess: &[i64]) -> (usize, usize) {
    let mut state = with_code(game, code);
    state.apply(&Move::List(guess.to_vec())).expect("built-in rules");
    let view: serde_json::Value = serde_json::from_str(state.view(Seat::First).get()).expect("JSON");
    let row = &view["guesses"][0];
    assert_eq!(row["guess"], serde_json::json!(guess));
    let number = |name: &str| row[name].as_u64().expect("a number") as usize;
    (number("exact"), number("color"))
}

fn every_code(pegs: u32, colors: i64) -> Vec<Vec<i64>> {
    (0..colors.pow(pegs)).map(|index| (0..pegs).map(|peg| index / colors.pow(peg) % colors).collect()).collect()
}

fn random_code(pegs: usize, colors: u64, rng: &mut Rng) -> Vec<i64> {
    (0..pegs).map(|_| rng.below(colors) as i64).collect()
}

#[test]
fn duplicates_are_never_counted_twice() {
    for (code, guess, expected) in [
        ([0, 0, 1, 1], [0, 1, 1, 1], (3, 0)),
        ([0, 0, 1, 1], [1, 1, 0, 0], (0, 4)),
        ([0, 1, 2, 3], [0, 0, 0, 0], (1, 0)),
        ([0, 0, 0, 1], [1, 1, 1, 0], (0, 2)),
        ([5, 4, 3, 2], [2, 3, 4, 5], (0, 4)),
        ([1, 2, 3, 4], [1, 2, 3, 4], (4, 0)),
        ([1, 2, 1, 2], [3, 3, 0, 5], (0, 0)),
    ] {
        assert_eq!(shown_feedback("mastermind", &code, &guess), expected, "{guess:?} for {code:?}");
    }
}

#[test]
fn feedback_is_that_of_pairing_up_pegs() {
    for code in every_code(3, 4) {
        for guess in every_code(3, 4) {
            assert_eq!(shown_feedback("mastermind:pegs=3,colors=4", &code, &guess), feedback(&code, &guess));
        }
    }
    let mut rng = Rng::new(5);
    for _ in 0..2_000 {
        let [code, guess] = [(); 2].map(|()| random_code(8, 12, &mut rng));
        assert_eq!(shown_feedback("mastermind:pegs=8,colors=12", &code, &guess), feedback(&code, &guess));
    }
}

#[test]
fn fewer_guesses_win_and_the_round_is_played_to_its_end() {
    let check = |moves: &str, expected: &str, to_move: Seat| {
        let mut state = with_code("mastermind:pegs=2,colors=3,max_guesses=2", &[0, 1]);
        let moves: Vec<Move> = serde_json::from_str(moves).expect("moves");
        play(state.as_mut(), &moves).expect("legal moves");
        assert_eq!(result(state.as_ref()), expected, "{moves:?}");
        assert_eq!(state.legal_count(), if expected.is_empty() { 9 } else { 0 });
        assert!(!expected.is_empty() || state.to_move() == to_move);
    };
    check("[[0,1]]", "", Seat::Second);
    check("[[0,1],[0,1]]", "nobody same_number", Seat::First);
    check("[[0,1],[0,0]]", "first code_broken", Seat::First);
    check("[[0,0],[0,1]]", "second code_broken", Seat::First);
    check("[[0,0],[1,0],[0,1]]", "", Seat::Second);
    check("[[0,0],[1,0],[0,1],[1,1]]", "first code_broken", Seat::First);
    check("[[0,0],[1,0],[1,1],[1,1]]", "nobody not_broken", Seat::First);
    check("[[0,0],[1,0],[1,1],[0,1]]", "second code_broken", Seat::First);
    check("[[0,0],[1,0],[0,1],[0,1]]", "nobody same_number", Seat::First);
}

#[test]
fn a_view_says_nothing_that_own_feedback_does_not() {
    const GAME: &str = "mastermind:pegs=3,colors=3,max_guesses=6";
    let codes = every_code(3, 3);
    let mut rng = Rng::new(11);
    let mut compared = 0;
    for _ in 0..20_000 {
        let pick = |rng: &mut Rng| codes[rng.below(codes.len() as u64) as usize].clone();
        let [code, other_code] = [(); 2].map(|()| pick(&mut rng));
        let rounds = 1 + rng.below(3) as usize;
        let own: Vec<Vec<i64>> = (0..rounds).map(|_| pick(&mut rng)).collect();
        let seat = Seat::BOTH[rng.below(2) as usize];
        let told = |code: &[i64]| own.iter().map(|guess| feedback(code, guess)).collect::<Vec<_>>();
        if code == other_code || told(&code) != told(&other_code) || own.contains(&code) {
            continue;
        }
        let mut seen = Vec::new();
        for code in [&code, &other_code] {
            let mut state = with_code(GAME, code);
            let mut log = Vec::new();
            // The other side guesses something else in each game.
            for ply in 0..2 * rounds {
                let mut guess = own[ply / 2].clone();
                while seat != state.to_move() && (guess == own[ply / 2] || guess == *code) {
                    guess = pick(&mut rng);
                }
                state.apply(&Move::List(guess)).unwrap();
                log.push((
                    state.view(seat).get().to_owned(),
                    state.picture(Viewer::Seat(seat)).to_string(),
                    state.legal_count(),
                    state.to_move(),
                ));
            }
            seen.push(log);
        }
        assert_eq!(seen[0], seen[1]);
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_view_is_exactly_the_published_object() {
    let mut state = with_code("mastermind", &[0, 0, 1, 2]);
    assert_eq!(state.view(Seat::First).get(), r#"{"guesses":[],"opponent_guesses":0}"#);
    state.apply(&Move::List(vec![0, 1, 1, 5])).unwrap();
    let first = r#"{"guesses":[{"guess":[0,1,1,5],"exact":2,"color":0}],"opponent_guesses":0}"#;
    assert_eq!(state.view(Seat::First).get(), first);
    assert_eq!(state.view(Seat::Second).get(), r#"{"guesses":[],"opponent_guesses":1}"#);
    state.apply(&Move::List(vec![0, 0, 1, 2])).unwrap();
    assert_eq!(state.reveal().expect("the end").get(), r#"{"code":[0,0,1,2]}"#);
}

#[test]
fn a_code_that_cannot_be_is_refused() {
    let variant = variant("mastermind");
    let refused = |secret: Move| variant.rules.start_with_secret(&variant.params, &secret).is_err();
    for code in [vec![], vec![0, 0, 0], vec![0, 0, 0, 6], vec![0, 0, 0, -1], vec![0, 0, 0, 256], vec![0; 5]] {
        assert!(refused(Move::List(code)));
    }
    assert!(refused(Move::Int(0)) && !refused(Move::List(vec![5, 0, 5, 0])));
}

#[test]
fn codes_are_drawn_from_the_seed_and_all_codes_are_drawn() {
    let variant = variant("mastermind:pegs=2,colors=3,max_guesses=1");
    let mut drawn = std::collections::HashMap::new();
    for seed in 0..900 {
        let mut state = variant.start(seed).unwrap();
        (0..2).for_each(|_| state.apply(&Move::List(vec![0, 0])).unwrap());
        *drawn.entry(state.reveal().expect("the end").get().to_owned()).or_insert(0) += 1;
    }
    assert!(drawn.len() == 9 && drawn.values().all(|count| (60..140).contains(count)), "{drawn:?}");
}

#[test]
fn other_games_have_no_code() {
    let params = Params::defaults(variant("connect4").rules.params);
    let error = variant("connect4").rules.start_with_secret(&params, &Move::Int(1)).expect_err("no code");
    assert_eq!(error.to_string(), "connect4 has no hidden code");
}

/// A game that ends at its third move in some way; before that, neither player gets any information.
fn revealed(max_plies: Option<usize>, last: impl Fn() -> Option<Answer>) -> String {
    let variant = variant("mastermind");
    let clock = TimeControl::per_move(std::time::Duration::from_secs(1));
    let setup = RefereeSetup { variant: &variant, seed: 5, opening: &[], clock, max_plies };
    let mut referee = Referee::new(&setup).expect("no opening");
    for ply in 0..3 {
        assert!(referee.next_question().is_some());
        assert!(Seat::BOTH.iter().all(|seat| referee.game_end(*seat).reveal.is_none()), "before the end");
        let answer = if ply == 2 { last() } else { None };
        let played = Move::List(vec![0, 0, 0, 0]);
        referee.answer(answer.unwrap_or(Answer::Move(played.into(), Taken::default())));
    }
    assert!(referee.next_question().is_none());
    let told = Seat::BOTH.map(|seat| referee.game_end(seat).reveal.expect("the code").get().to_owned());
    assert_eq!(told[0], told[1]);
    told[0].clone()
}

#[test]
fn the_code_is_shown_however_the_game_ends_and_never_before() {
    let code = revealed(None, || Some(Answer::Resign));
    assert_eq!(revealed(None, || Some(Answer::Fault(Fault::new(Status::Timeout, Cause::NoMove, "made up")))), code);
    assert_eq!(revealed(None, || Some(Answer::Void("made up".to_owned()))), code);
    assert_eq!(revealed(Some(3), || None), code);

    let dir = Dir::with_bots(&["random", "codebreaker"]);
    dir.arena_ends(0, "tournament --game mastermind --rounds 1 --max-plies 2 --move-time 30s --seed 1");
    let game = &dir.journal("mastermind").games[0];
    let replayed = dir.arena_ends(0, &format!("replay {}", game.id)).stdout;
    let (before, after) = replayed.split_once("draw: the maximum number of moves").expect("an end");
    assert!(!before.contains("hidden") && !before.contains("code "), "{replayed}");
    let start = variant("mastermind").start(game.seed).unwrap();
    assert_eq!(after.trim_end(), format!("\nhidden: {}", start.reveal().expect("a code")), "{replayed}");
}
