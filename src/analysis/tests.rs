//! The laws of analyses.

use super::*;
use crate::record::GameResult;
use crate::report::fixture;
use crate::rng::Rng;
use crate::rules::{Seat, Variant};
use crate::solver::{Answer, Known, Limits, Solved, for_variant, solve};

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
    record.rules_version = variant.rules.version;
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
            table.add(&AnalysedGame { bots, cluster: seed as u32 / 2, opening: None, line: &line, found: &found });
        }
        let rows = table.rows();
        assert_eq!(rows.iter().map(|row| row.moves).sum::<u64>(), moves);
        assert_eq!(rows.iter().map(|row| row.unsolved).sum::<u64>(), unsolved);
        for row in rows {
            assert_eq!(row.judged + row.unsolved, row.moves);
            assert_eq!(row.best + row.slower + row.gave_away(), row.judged);
            assert_eq!(row.gave_away_by_ply.iter().sum::<u64>(), row.gave_away());
            assert!(row.gave_away() <= row.could && row.could <= row.judged && row.distinct <= row.judged);
            assert_eq!(row.slower_by.is_none(), only_result);
            assert!(row.bot != 0 || row.gave_away() == given);
        }
    }
}
