//! Batches that a worker has.

use crate::fixture::{self, jobs};
use arena_core::referee::Verdict;
use arena_core::schedule::record;

use super::*;

/// Plays the next game.
fn play(held: &mut HeldBatches, event: &Tournament, result: GameResult) -> Job {
    let job = held.next_job().unwrap();
    end(held, event, &job, result);
    job
}

fn end(held: &mut HeldBatches, event: &Tournament, job: &Job, result: GameResult) {
    let verdict = Verdict::new(result, "test".to_owned());
    let finished = Finished::new(job, record(event, &job.game, &job.opening, verdict));
    let message = GameMessage::of(&finished);
    held.finished(job, &finished, message, event);
}

/// Batches that are ready, with the number of their games and whether they are finished.
fn ready(held: &mut HeldBatches, all: bool) -> Vec<(u64, usize, bool)> {
    let parts = held.take_ready(all).into_iter();
    parts.map(|part| (part.batch, part.messages.iter().map(Vec::len).sum(), part.is_last)).collect()
}

#[test]
fn results_are_sent_by_pairs() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut held = HeldBatches::default();
    held.add(7, jobs(&event)[..4].to_vec());
    play(&mut held, &event, GameResult::Draw);
    assert_eq!(ready(&mut held, true), []);
    play(&mut held, &event, GameResult::Draw);
    assert_eq!(ready(&mut held, false), []);
    assert_eq!(ready(&mut held, true), [(7, 2, false)]);
    play(&mut held, &event, GameResult::Draw);
    play(&mut held, &event, GameResult::Draw);
    assert_eq!(held.states().collect::<Vec<_>>(), [(7, 4, 4)]);
    assert_eq!(ready(&mut held, false), [(7, 2, true)]);
    assert!(held.is_empty());
}

#[test]
fn a_void_game_is_retried_here_as_often_as_the_scheduler_would() {
    let event = fixture::event(&["a", "b"]);
    let mut held = HeldBatches::default();
    held.add(1, jobs(&event)[..2].to_vec());
    for repeat in 0..=u32::from(RETRIES_MAX) {
        let job = play(&mut held, &event, GameResult::Void);
        assert_eq!((job.place, job.game.repeat), (0, repeat));
    }
    play(&mut held, &event, GameResult::Draw);
    assert_eq!(ready(&mut held, false), [(1, 5, true)]);
}

#[test]
fn who_leaves_finishes_pairs_that_have_begun() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut held = HeldBatches::default();
    let jobs = jobs(&event);
    held.add(1, jobs[..4].to_vec());
    held.add(2, jobs[4..6].to_vec());
    let first = held.next_job().unwrap();
    let second = held.next_job().unwrap();
    held.put_back(vec![second]);
    held.drop_waiting(|_| true);
    assert_eq!(ready(&mut held, false), [(2, 0, true)]);
    end(&mut held, &event, &first, GameResult::Draw);
    assert_eq!(held.waiting(), 1);
    play(&mut held, &event, GameResult::Draw);
    assert_eq!(ready(&mut held, false), [(1, 2, true)]);
    assert!(held.is_empty() && held.running() == 0);
}

#[test]
fn nothing_is_reported_of_a_pair_with_a_game_that_does_not_count() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut held = HeldBatches::default();
    held.add(1, jobs(&event)[..4].to_vec());
    let [first, second] = [held.next_job().unwrap(), held.next_job().unwrap()];
    end(&mut held, &event, &first, GameResult::Draw);
    held.discard(&second);
    held.drop_waiting(|_| true);
    assert_eq!((ready(&mut held, false), held.running()), (vec![(1, 0, true)], 0));
    held.add(2, jobs(&event)[..2].to_vec());
    let [first, second] = [held.next_job().unwrap(), held.next_job().unwrap()];
    held.discard(&first);
    end(&mut held, &event, &second, GameResult::Draw);
    assert_eq!((ready(&mut held, false), held.running()), (vec![(2, 0, true)], 0));
}

#[test]
fn a_game_in_two_batches_is_played_once() {
    let event = fixture::event(&["a", "b"]);
    let mut held = HeldBatches::default();
    held.add(1, jobs(&event)[..2].to_vec());
    held.add(2, jobs(&event)[..2].to_vec());
    assert_eq!((held.waiting(), ready(&mut held, false)), (2, vec![(2, 0, true)]));
}
