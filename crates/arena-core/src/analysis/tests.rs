//! The laws of analyses.

use crate::fixture;

use super::*;
use crate::record::GameResult;
use crate::rng::Rng;
use crate::rules::{AnsweredGuess, Move, Seat, Variant};
use crate::solver::{Answer, Guesser, Known, Limits, Outlook, Solved, Value, for_variant, seen_guesses, solve};

/// A random game with its first moves as the opening; one of `cut` is not played to its end.
fn game(variant: &Variant, seed: u64, opening: usize, cut: bool) -> Line {
    let event = fixture::event(&["a", "b"]);
    let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
    let mut random = Rng::new(seed);
    let mut state = variant.start(seed).unwrap();
    record.moves.clear();
    while state.outcome().is_none() && !(cut && record.moves.len() == 9) {
        let played = state.nth_legal(random.below(state.legal_count()));
        state.apply(&played).unwrap();
        record.moves.push(played);
    }
    record.opening = record.moves[..opening.min(record.moves.len())].to_vec();
    (record.rules_version, record.seed) = (variant.rules.version, seed);
    Line::of(&record, variant).unwrap()
}

const GAMES: [&str; 6] = [
    "connect4:rows=4,cols=4",
    "connect4:rows=3,cols=5,connect=3",
    "connect4:rows=5,cols=4",
    "mnk:rows=3,cols=4,k=3",
    "marbles:heap=20",
    "marbles:heap=60,rule=doubling",
];

fn asked(only_result: bool, nodes: u64) -> Asked {
    Asked { only_result, nodes }
}

#[test]
fn values_walked_back_are_those_of_each_position_alone() {
    for name in GAMES {
        let variant: Variant = name.parse().unwrap();
        let memory = Memory::default();
        let mut walkers = [false, true].map(|only| Walker::new(&variant, asked(only, u64::MAX), &memory).unwrap());
        let [mut judged, mut given] = [0; 2];
        for seed in 0..12 {
            let line = game(&variant, seed, seed as usize % 4, seed % 3 == 0);
            let [exact, results] = walkers.each_mut().map(|walker| walker.walk(&line, &|| false).unwrap());
            assert_eq!(exact.could, results.could, "{name}");
            let mut solver = for_variant(&variant).unwrap();
            for (ply, state) in line.positions.iter().enumerate() {
                solver.forget();
                let Solved { answer, moves, .. } = solve(solver.as_mut(), state.as_ref(), false, &Limits::NONE);
                let value = answer.unwrap();
                assert_eq!(exact.values[ply], Some(value), "{name}, seed {seed}, position {ply}");
                assert_eq!(results.values[ply], Some(Known::Result(value.outlook())));
                let Some(could) = exact.could.get(ply) else { continue };
                let keeps = |found: &GameValues| {
                    let given = found.gave_away(ply, line.last_worth().map(Known::Exact));
                    let kept = found.best[ply].as_ref();
                    assert_eq!(kept.is_some(), given, "{name}, seed {seed}, position {ply}");
                    kept.map(|kept| moves.iter().find(|(played, _)| played == kept).unwrap().1.unwrap())
                };
                let kept = [keeps(&exact), keeps(&results)];
                assert!(kept.iter().flatten().all(|kept| kept.outlook() == value.outlook()), "{name}, seed {seed}");
                let kept = kept[0].filter(|_| value.value().is_some());
                assert!(kept.is_none_or(|kept| kept == value), "{name}, seed {seed}, position {ply}");
                given += usize::from(exact.best[ply].is_some());
                let is_worse = |(_, answer): &(_, Answer)| answer.unwrap().outlook() < value.outlook();
                assert_eq!(*could, Some(moves.iter().any(is_worse)), "{name}, seed {seed}, position {ply}");
                judged += 1;
            }
        }
        assert!(judged > 15 && given > 3, "{name}: {judged}, {given}");
    }
}

#[test]
fn what_is_in_memory_changes_nothing_whatever_the_limit() {
    let variant: Variant = "connect4:rows=5,cols=5".parse().unwrap();
    let lines: Vec<Line> = (0..10).map(|seed| game(&variant, seed % 7, 2, seed % 2 == 0)).collect();
    let mut unsolved = 0;
    for limit in [30, 300, 3_000] {
        let alone = lines.iter().map(|line| {
            let memory = Memory::of(0);
            Walker::new(&variant, asked(false, limit), &memory).unwrap().walk(line, &|| false).unwrap()
        });
        let alone: Vec<GameValues> = alone.collect();
        let memory = Memory::of(40);
        let mut walker = Walker::new(&variant, asked(false, limit), &memory).unwrap();
        for (line, alone) in lines.iter().zip(&alone).rev() {
            assert_eq!(&walker.walk(line, &|| false).unwrap(), alone);
        }
        for GameValues { values, .. } in alone {
            let missing = values.iter().filter(|value| value.is_none()).count();
            unsolved += missing;
            // Three in a row, and all before them.
            let last = values.windows(UNSOLVED_MAX).rposition(|three| three.iter().all(Option::is_none));
            assert!(last.is_none_or(|last| values[..last].iter().all(Option::is_none)));
        }
    }
    assert!(unsolved > 10, "{unsolved}");
    let memory = Memory::default();
    let mut walker = Walker::new(&"connect4".parse().unwrap(), asked(false, u64::MAX), &memory).unwrap();
    assert_eq!(walker.walk(&game(&"connect4".parse().unwrap(), 1, 0, false), &|| true), None);
}

/// What a guess costs, from the definition: over all codes that agree with the answers, and the answers that each would give.
fn cost(variant: &Variant, seen: &[AnsweredGuess], guess: &[u8]) -> GuessCost {
    let (pegs, colors) = (variant.params.size("pegs"), variant.params.size("colors"));
    let code = |number: usize| (0..pegs as u32).map(|peg| (number / colors.pow(peg) % colors) as u8).collect();
    let codes = (0..colors.pow(pegs as u32)).map(code);
    let agreeing: Vec<Vec<u8>> = codes.filter(|code: &Vec<u8>| seen.iter().all(|row| row.fits(code))).collect();
    let mut guesser = Guesser::for_variant(variant).unwrap();
    let answers = (0..=pegs).flat_map(|exact| (0..=pegs - exact).map(move |color| (exact, color)));
    let answers: Vec<AnsweredGuess> =
        answers.map(|(exact, color)| AnsweredGuess { guess: guess.to_vec(), exact, color }).collect();
    let expected = |guesser: &mut Guesser, seen: &[AnsweredGuess]| {
        guesser.forget();
        guesser.expected(seen, &Limits::NONE).unwrap()
    };
    let mut played = agreeing.len() as u32;
    for answer in answers.iter().filter(|answer| agreeing.iter().any(|code| answer.fits(code))) {
        played += expected(&mut guesser, &[seen, std::slice::from_ref(answer)].concat()).total;
    }
    GuessCost { codes: agreeing.len() as u32, reference: expected(&mut guesser, seen).total, played }
}

#[test]
fn a_guess_costs_what_its_mover_could_expect() {
    for name in ["mastermind:pegs=3,colors=4", "mastermind:pegs=2,colors=5", "mastermind:pegs=4,colors=3"] {
        let variant: Variant = name.parse().unwrap();
        let memory = Memory::default();
        let mut walker = GuessWalker::new(&variant, asked(false, u64::MAX), &memory).unwrap();
        let mut guesser = Guesser::for_variant(&variant).unwrap();
        let mut table = RegretTable::new(2);
        let [mut lost, mut judged] = [0.0; 2];
        for seed in 0..8 {
            // The first seat guesses as the reference does, the second one at random.
            let mut moves = Vec::new();
            let mut random = Rng::new(seed);
            let mut state = variant.start(seed).unwrap();
            while state.outcome().is_none() {
                guesser.forget();
                let best = guesser.best(&seen_guesses(state.as_ref()).unwrap(), &Limits::NONE).unwrap();
                let played = match state.to_move() {
                    Seat::First => Move::List(best.unwrap().into_iter().map(i64::from).collect()),
                    Seat::Second => state.nth_legal(random.below(state.legal_count())),
                };
                state.apply(&played).unwrap();
                moves.push(played);
            }
            let line = Line::replay(&variant, seed, 0, &moves).unwrap();
            let costs = walker.walk(&line, &|| false).unwrap();
            for (place, (state, found)) in line.positions.iter().zip(&costs).enumerate() {
                let Move::List(guess) = &line.moves[place] else { panic!("no guess") };
                let guess: Vec<u8> = guess.iter().map(|peg| *peg as u8).collect();
                let found = found.unwrap();
                assert_eq!(found, cost(&variant, &seen_guesses(state.as_ref()).unwrap(), &guess), "{name}, {guess:?}");
                match line.movers[place] {
                    Seat::First => assert_eq!(found.played, found.reference),
                    Seat::Second => (lost, judged) = (lost + found.regret(), judged + 1.0),
                }
            }
            table.add(&GuessedGame { bots: [1, 0], cluster: seed as u32, line: &line, costs: &costs });
            let entry = Entry::of_guesses("0123456789abcdef", "mastermind-1", &line, &costs, asked(true, 1));
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
            assert_eq!(entry.guesses(), costs, "{text}");
            assert!(
                entry.serves("mastermind-1", &line, asked(false, u64::MAX))
                    && !entry.serves("mnk-1", &line, asked(false, 1))
            );
        }
        let [reference, random] = table.rows().try_into().unwrap();
        assert_eq!((reference.bot, reference.regret, reference.best), (1, Some(0.0), reference.judged));
        assert_eq!((random.bot, random.games, random.judged as f64), (0, 8, judged));
        assert!((random.regret.unwrap() - lost / judged).abs() < 1e-12 && lost > 1.0, "{name}: {lost} of {judged}");
    }
}

#[test]
fn what_is_in_memory_changes_no_guess_whatever_the_limit() {
    let variant: Variant = "mastermind".parse().unwrap();
    let lines: Vec<Line> = (0..6).map(|seed| game(&variant, seed % 4, seed as usize % 3, seed % 2 == 0)).collect();
    let mut unsolved = 0;
    for limit in [300, 3_000, 30_000] {
        let walk = |memory: &Memory, line: &Line| {
            GuessWalker::new(&variant, asked(false, limit), memory).unwrap().walk(line, &|| false).unwrap()
        };
        let alone: Vec<_> = lines.iter().map(|line| walk(&Memory::of(0), line)).collect();
        let memory = Memory::of(30);
        let mut walker = GuessWalker::new(&variant, asked(false, limit), &memory).unwrap();
        for (line, alone) in lines.iter().zip(&alone).rev() {
            assert_eq!(&walker.walk(line, &|| false).unwrap(), alone);
        }
        for (line, costs) in lines.iter().zip(alone) {
            let entry = Entry::of_guesses("0123456789abcdef", "mastermind-1", line, &costs, asked(false, limit));
            let missing = costs.iter().filter(|cost| cost.is_none()).count();
            assert_eq!(entry.unsolved(), missing);
            assert_eq!(entry.serves("mastermind-1", line, asked(false, limit + 1)), missing == 0);
            unsolved += missing;
        }
    }
    assert!(unsolved > 5, "{unsolved}");
    let memory = Memory::default();
    let mut walker = GuessWalker::new(&variant, asked(false, u64::MAX), &memory).unwrap();
    assert_eq!(walker.walk(&lines[0], &|| true), None);
}

#[test]
fn sums_add_up() {
    let variant: Variant = "connect4:rows=4,cols=5".parse().unwrap();
    for (only_result, nodes) in [(false, 100), (false, u64::MAX), (true, u64::MAX)] {
        let asked = asked(only_result, nodes);
        let memory = Memory::default();
        let mut walker = Walker::new(&variant, asked, &memory).unwrap();
        let mut table = AnalysisTable::new(3);
        let [mut moves, mut unsolved, mut given] = [0; 3];
        for seed in 0..30 {
            let line = game(&variant, seed, seed as usize % 5, seed % 4 == 0);
            let found = walker.walk(&line, &|| false).unwrap();
            let last = line.last_worth().map(Known::Exact);
            let entry = Entry::new("0123456789abcdef", "connect4-1", &line, &found, asked);
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
            assert_eq!(entry.values(), found, "{text}");
            assert!(entry.serves("connect4-1", &line, asked) && !entry.serves("connect4-2", &line, asked));
            let has_best = |place: usize| found.best[place].is_some() || !found.gave_away(place, last);
            let is_complete = entry.unsolved() == 0
                && found.could.iter().all(Option::is_some)
                && (0..line.movers.len()).all(has_best);
            assert_eq!(
                entry.serves("connect4-1", &line, Asked { nodes: u64::MAX, ..asked }),
                is_complete || nodes == u64::MAX
            );
            assert_eq!(entry.serves("connect4-1", &line, Asked { only_result: false, ..asked }), !only_result);
            for (place, mover) in line.movers.iter().enumerate() {
                moves += 1;
                let worth = match line.positions.get(place + 1) {
                    Some(_) => found.values[place + 1].map(Known::before),
                    None => line.last_worth().map(Known::Exact),
                };
                let Some((before, after)) = found.values[place].zip(worth) else {
                    unsolved += 1;
                    continue;
                };
                assert!(after.outlook() <= before.outlook(), "no move is better than the best");
                if let Verdict::GaveAway(_) = verdict(before, after) {
                    assert_eq!(found.could[place], Some(true));
                    given += u64::from(*mover == Seat::First);
                }
            }
            let bots = [0, 1 + seed as usize % 2];
            let (id, cluster) = ("0123456789abcdef", seed as u32 / 2);
            table.add(&AnalysedGame { id, bots, cluster, opening: None, line: &line, found: &found });
        }
        let rows = table.rows();
        assert_eq!(rows.iter().map(|row| row.moves).sum::<u64>(), moves);
        assert_eq!(rows.iter().map(|row| row.unsolved).sum::<u64>(), unsolved);
        for row in rows {
            assert_eq!(row.judged + row.unsolved, row.moves);
            assert_eq!(row.best + row.slower + row.gave_away(), row.judged);
            assert_eq!(row.gave_away_by_ply.iter().sum::<u64>(), row.gave_away());
            let phases = row.phases.iter().fold([0; 2], |sum, own| [sum[0] + own.gave_away, sum[1] + own.could]);
            assert_eq!(phases, [row.gave_away(), row.could]);
            let with_mistakes = (0..PHASES.len()).filter(|phase| row.phases[*phase].gave_away > 0);
            assert_eq!(
                row.worst.iter().filter_map(|at| at.phase).collect::<Vec<_>>(),
                with_mistakes.collect::<Vec<_>>()
            );
            assert!(row.gave_away() <= row.could && row.could <= row.judged && row.distinct <= row.judged);
            assert_eq!(row.slower_by.is_none(), only_result);
            assert!(row.bot != 0 || row.gave_away() == given);
        }
    }
}

#[test]
fn what_a_solver_found_is_never_refused_and_a_changed_value_that_a_short_search_knows_always() {
    for name in GAMES.into_iter().chain(["mastermind:pegs=2,colors=3", "connect4"]) {
        let variant: Variant = name.parse().unwrap();
        let solver = solver_name(&variant).unwrap();
        let memory = Memory::default();
        for (seed, nodes) in (0..8).flat_map(|seed| [3, 40, 20_000].map(|nodes| (seed, nodes))) {
            let line = game(&variant, seed, seed as usize % 4, seed % 3 == 0);
            for only_result in [false, true] {
                let asked = asked(only_result, nodes);
                if let Some(mut walker) = GuessWalker::new(&variant, asked, &memory) {
                    let costs = walker.walk(&line, &|| false).unwrap();
                    let entry = Entry::of_guesses("id", &solver, &line, &costs, asked);
                    assert_eq!(contradiction(&entry, &line, &variant), None, "{name}, seed {seed}, {nodes} nodes");
                    continue;
                }
                let found = Walker::new(&variant, asked, &memory).unwrap().walk(&line, &|| false).unwrap();
                let refused = |found: &GameValues| {
                    contradiction(&Entry::new("id", &solver, &line, found, asked), &line, &variant)
                };
                assert_eq!(refused(&found), None, "{name}, seed {seed}, {nodes} nodes, only results: {only_result}");
                // The last position is always known.
                let Some(last) = line.positions.len().checked_sub(1) else { continue };
                let outlooks = [Outlook::Loss, Outlook::Draw, Outlook::Win].map(Known::Result);
                let values = [Value::Loss(2), Value::Draw, Value::Win(1), Value::Win(3)].map(Known::Exact);
                for other in outlooks.into_iter().chain(values) {
                    let mut forged = found.clone();
                    // Less than was found is no lie.
                    let is_less = |known: Known| other.value().is_none() && known.outlook() == other.outlook();
                    let is_same = forged.values[last].is_none_or(|known| known == other || is_less(known));
                    forged.values[last] = Some(other);
                    assert!(
                        is_same || refused(&forged).is_some(),
                        "{name}, seed {seed}: {:?}, not {other:?}",
                        found.values[last]
                    );
                }
            }
        }
    }
}

#[test]
fn a_lost_game_from_the_empty_board_of_the_book_is_never_clean() {
    let variant: Variant = "connect4".parse().unwrap();
    let solver = solver_name(&variant).unwrap();
    let asked = asked(true, u64::MAX);
    let mut refused = 0;
    for seed in 0..20 {
        let line = game(&variant, seed, 0, false);
        if line.outcome.and_then(|outcome| outcome.winner) != Some(Seat::Second) {
            continue;
        }
        // The first player has lost a won game, and each of its positions is called lost.
        let value =
            |mover: &Seat| Some(Known::Result(if *mover == Seat::First { Outlook::Loss } else { Outlook::Win }));
        let values = line.movers.iter().map(value).collect();
        let found =
            GameValues { values, could: vec![Some(false); line.movers.len()], best: vec![None; line.movers.len()] };
        let why = contradiction(&Entry::new("id", &solver, &line, &found, asked), &line, &variant);
        assert!(why.is_some(), "seed {seed}");
        refused += 1;
    }
    assert!(refused > 2);
}

#[test]
fn a_position_has_one_value_in_all_games() {
    let variant: Variant = "connect4:rows=7,cols=8".parse().unwrap();
    let solver = solver_name(&variant).unwrap();
    let line = game(&variant, 1, 0, true);
    let entry = |outlook: Outlook| {
        let values = (0..line.positions.len()).map(|place| if place % 2 == 0 { outlook } else { outlook.before() });
        let found = GameValues {
            values: values.map(|outlook| Some(Known::Result(outlook))).collect(),
            could: vec![None; line.movers.len()],
            best: vec![None; line.movers.len()],
        };
        Entry::new("id", &solver, &line, &found, asked(true, 1_000))
    };
    let mut shared = SharedPositions::default();
    let mut add = |outlook, number| shared.add(&variant, &line, &entry(outlook), number);
    assert_eq!([add(Outlook::Win, 0), add(Outlook::Win, 1), add(Outlook::Loss, 2)], [None, None, Some(0)]);
    let other: Variant = "connect4:rows=8,cols=7".parse().unwrap();
    let elsewhere = game(&other, 1, 0, true);
    assert_eq!(shared.add(&other, &elsewhere, &entry(Outlook::Loss), 3), None, "it is another game");
}
