//! Tests of the order in which a newcomer plays.

use std::sync::Arc;

use super::super::tests::{crash, event, run};
use super::super::{Job, Scheduler};
use super::*;
use crate::event::Tournament;
use crate::fixture;
use crate::record::GameResult;
use crate::rng::{Rng, derive_seed};

/// The same tournament without its last bot.
fn before(event: &Tournament) -> Arc<Tournament> {
    let mut before = event.clone();
    before.bots.pop();
    Arc::new(before)
}

fn scheduler(event: &Arc<Tournament>, journal: &[Brief]) -> Scheduler {
    Scheduler::new(Arc::clone(event), journal, &[], &mut ()).expect("a schedule")
}

/// A game between bots of these strengths in nats; a function of its id.
fn by_strength(event: &Tournament, job: &Job, nats: &[f64]) -> Brief {
    let luck = derive_seed(7, "luck", &[job.game.id.to_string().as_bytes()]);
    let [first, second] = job.game.bots.map(|bot| nats[bot]);
    let win = 1.0 / (1.0 + (second - first).exp());
    let draw = 0.8 * win * (1.0 - win);
    let drawn = (luck >> 11) as f64 / (1_u64 << 53) as f64;
    let result = match drawn {
        _ if drawn < win - draw / 2.0 => GameResult::FirstWins,
        _ if drawn < win + draw / 2.0 => GameResult::Draw,
        _ => GameResult::SecondWins,
    };
    Brief::of(&fixture::record(event, &job.game, result, luck), 0, 1)
}

/// Issues up to `games` games one by one; returns them.
fn play_some(scheduler: &mut Scheduler, nats: &[f64], games: usize, journal: &mut Vec<Brief>) -> Vec<[usize; 2]> {
    let event = Arc::clone(scheduler.event());
    let mut played = Vec::new();
    while played.len() < games
        && let Some(job) = scheduler.issue()
    {
        journal.push(by_strength(&event, &job, nats));
        scheduler.settle(job.place, journal[journal.len() - 1], false);
        played.push(job.game.bots);
    }
    played
}

/// The half-width of the last bot's rating by the games so far, and the rating.
fn margin(scheduler: &Scheduler) -> [f64; 2] {
    let bots = scheduler.event().bots.len();
    let mut counts = CountsBuilder::new(bots);
    for (game, brief) in scheduler.played() {
        counts.add(game.bots[0], game.bots[1], brief.result, Some(game.pair));
    }
    let ratings = rate(&counts.finish(), &RatingOptions::default());
    ratings.of(bots - 1).map_or([f64::INFINITY, 0.0], |rating| [rating.elo.half_width(), rating.elo.elo])
}

#[test]
fn a_tenth_of_the_schedule_tells_more() {
    const BOTS: usize = 20;
    let event = event(BOTS + 1, 50);
    let mut rng = Rng::new(3);
    let mut nats: Vec<f64> = (0..BOTS).map(|_| 200.0 / ELO_PER_NAT * rng.normal()).collect();
    let mut journal = Vec::new();
    play_some(&mut scheduler(&before(&event), &[]), &nats, usize::MAX, &mut journal);
    let mut variances = [0.0; 2];
    for elo in [-500.0, -250.0, -100.0, 0.0, 100.0, 250.0, 500.0] {
        nats.truncate(BOTS);
        nats.push(elo / ELO_PER_NAT);
        for (place, is_new) in [false, true].into_iter().enumerate() {
            let mut scheduler = scheduler(&event, &journal);
            if is_new {
                assert_eq!(scheduler.put_telling_games_first(), [BOTS]);
            }
            play_some(&mut scheduler, &nats, 2 * BOTS * 50 / 10, &mut Vec::new());
            let [half_width, found] = margin(&scheduler);
            let mean = nats[..BOTS].iter().sum::<f64>() / BOTS as f64 * ELO_PER_NAT;
            // Where openings favour nobody, margins hold.
            assert!((found - elo + mean).abs() < 2.5 * half_width + 20.0, "{elo}: {found} ± {half_width}");
            variances[place] += half_width * half_width;
        }
    }
    let ratio = variances[1] / variances[0];
    assert!(ratio < 0.6, "{ratio}");
}

#[test]
fn nothing_but_the_order_changes() {
    let event = event(7, 4);
    let nats: Vec<f64> = (0..7).map(|bot| f64::from(bot) / 3.0).collect();
    let mut journal = Vec::new();
    play_some(&mut scheduler(&before(&event), &[]), &nats, usize::MAX, &mut journal);
    let results = |scheduler: &Scheduler| -> Vec<_> {
        scheduler.tried().map(|(game, brief)| (game, brief.id, brief.result)).collect()
    };
    let mut plain = scheduler(&event, &journal);
    let in_order = play_some(&mut plain, &nats, usize::MAX, &mut Vec::new());
    let mut telling = scheduler(&event, &journal);
    assert_eq!(telling.put_telling_games_first(), [6]);
    let mut more = Vec::new();
    let mut by_worth = play_some(&mut telling, &nats, 20, &mut more);
    assert_ne!(by_worth, in_order[..20]);
    // Resumed in the middle.
    let all = [journal.clone(), more].concat();
    let mut resumed = scheduler(&event, &all);
    resumed.put_telling_games_first();
    by_worth.extend(play_some(&mut resumed, &nats, usize::MAX, &mut Vec::new()));
    assert_eq!(by_worth.len(), in_order.len(), "each game once");
    assert!(plain.is_complete() && resumed.is_complete());
    assert_eq!(results(&resumed), results(&plain));
}

#[test]
fn opponents_of_like_strength_come_first() {
    let event = event(9, 20);
    let nats: Vec<f64> = [-3.0, -2.0, -1.5, -1.0, 0.0, 1.0, 2.0, 3.0, 2.1].to_vec();
    let mut journal = Vec::new();
    play_some(&mut scheduler(&before(&event), &[]), &nats, usize::MAX, &mut journal);
    let mut scheduler = scheduler(&event, &journal);
    scheduler.put_telling_games_first();
    let played = play_some(&mut scheduler, &nats, 70, &mut Vec::new());
    let against = |bots: &[usize]| played[10..].iter().filter(|game| game.iter().any(|bot| bots.contains(bot))).count();
    assert!(against(&[5, 6, 7]) > 3 * against(&[0, 1, 2]), "{played:?}");
}

#[test]
fn a_tournament_that_is_not_finished_keeps_its_order() {
    let event = event(6, 3);
    let nats = vec![0.0; 6];
    assert!(scheduler(&event, &[]).put_telling_games_first().is_empty(), "all are new");
    let mut journal = Vec::new();
    play_some(&mut scheduler(&before(&event), &[]), &nats, usize::MAX, &mut journal);
    journal.pop();
    assert!(scheduler(&event, &journal).put_telling_games_first().is_empty(), "a game of others is missing");
    let stepwise =
        Tournament { format: crate::format::toy::KING_OF_THE_HILL.name.to_owned(), ..event.as_ref().clone() };
    assert!(scheduler(&Arc::new(stepwise), &[]).put_telling_games_first().is_empty());
}

/// A newcomer that crashes always, or never starts, is withdrawn as in the order of the schedule, and plays few games more.
#[test]
fn a_broken_newcomer_plays_few_games() {
    for is_crash in [true, false] {
        let event = {
            let mut event = event(8, 10).as_ref().clone();
            event.strikes = crate::event::StrikeLimits::default();
            Arc::new(event)
        };
        let broken = |event: &Tournament, job: &Job| {
            let seat = Seat::BOTH.into_iter().find(|seat| job.game.bots[seat.index()] == 7);
            let mut record = fixture::record(event, &job.game, GameResult::Draw, 8);
            match seat {
                Some(seat) if is_crash => crash(&mut record, seat, 8),
                Some(seat) => {
                    record.result = GameResult::of(Some(seat.other()));
                    record.statuses[seat.index()] = crate::record::Status::StartupFailed;
                }
                None => {}
            }
            Brief::of(&record, 0, 1)
        };
        let mut journal = Vec::new();
        play_some(&mut scheduler(&before(&event), &[]), &[0.0; 7], usize::MAX, &mut journal);
        let ended = [false, true].map(|is_telling| {
            let mut scheduler = scheduler(&event, &journal);
            if is_telling {
                assert_eq!(scheduler.put_telling_games_first(), [7]);
            }
            let (mut running, mut games) = (Vec::new(), 0);
            loop {
                while running.len() < 4
                    && let Some(job) = scheduler.issue()
                {
                    running.push(job);
                }
                let Some(job) = running.pop() else { break };
                games += 1;
                scheduler.settle(job.place, broken(&event, &job), false);
            }
            assert!(scheduler.is_complete() && games < 30, "{games}");
            let ended = scheduler.tried().map(|(game, brief)| (game.place, brief.result, brief.statuses));
            (scheduler.withdrawal(7).map(|it| it.from), ended.collect::<Vec<_>>())
        });
        assert!(ended[0].0.is_some());
        assert_eq!(ended[0], ended[1]);
    }
}

/// With faults of all kinds, several newcomers, and any number of games at a time.
#[test]
fn any_field_ends_alike() {
    for seed in 0..40 {
        let event = event(5 + seed as usize % 3, 1 + seed as u32 % 3);
        let mut journal = run(&mut scheduler(&before(&event), &[]), &mut (), 3, seed, usize::MAX);
        let mut rng = Rng::new(seed);
        rng.shuffle(&mut journal);
        let [plain, telling] = [false, true].map(|is_telling| {
            let mut scheduler = scheduler(&event, &journal);
            if is_telling {
                scheduler.put_telling_games_first();
            }
            run(&mut scheduler, &mut (), 1 + seed as usize % 9, seed, usize::MAX);
            assert!(scheduler.is_complete());
            scheduler.tried().map(|(game, brief)| (game, brief.result, brief.statuses)).collect::<Vec<_>>()
        });
        assert_eq!(plain, telling, "{seed}");
    }
}
