//! Batches in a hand.

use super::*;
use crate::referee::Verdict;
use crate::report::fixture::{self, jobs};
use crate::schedule::record;

/// Plays the next game.
fn play(hand: &mut Hand, event: &Event, result: GameResult) -> Job {
    let job = hand.next_job().unwrap();
    end(hand, event, &job, result);
    job
}

fn end(hand: &mut Hand, event: &Event, job: &Job, result: GameResult) {
    let verdict = Verdict::new(result, "test".to_owned());
    let finished = Finished::new(job, record(event, &job.game, &job.opening, verdict));
    let message = GameMessage::of(&finished);
    hand.finished(job, &finished, message, event);
}

/// Batches that are ready, with the number of their games and whether they are finished.
fn ready(hand: &mut Hand, all: bool) -> Vec<(u64, usize, bool)> {
    let parts = hand.take_ready(all).into_iter();
    parts.map(|part| (part.batch, part.messages.iter().map(Vec::len).sum(), part.is_last)).collect()
}

#[test]
fn results_are_sent_by_pairs() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut hand = Hand::default();
    hand.add(7, jobs(&event)[..4].to_vec());
    play(&mut hand, &event, GameResult::Draw);
    assert_eq!(ready(&mut hand, true), []);
    play(&mut hand, &event, GameResult::Draw);
    assert_eq!(ready(&mut hand, false), []);
    assert_eq!(ready(&mut hand, true), [(7, 2, false)]);
    play(&mut hand, &event, GameResult::Draw);
    play(&mut hand, &event, GameResult::Draw);
    assert_eq!(hand.states().collect::<Vec<_>>(), [(7, 4, 4)]);
    assert_eq!(ready(&mut hand, false), [(7, 2, true)]);
    assert!(hand.is_empty());
}

#[test]
fn a_void_game_is_retried_here_as_often_as_the_scheduler_would() {
    let event = fixture::event(&["a", "b"]);
    let mut hand = Hand::default();
    hand.add(1, jobs(&event)[..2].to_vec());
    for repeat in 0..=u32::from(RETRIES_MAX) {
        let job = play(&mut hand, &event, GameResult::Void);
        assert_eq!((job.place, job.game.repeat), (0, repeat));
    }
    play(&mut hand, &event, GameResult::Draw);
    assert_eq!(ready(&mut hand, false), [(1, 5, true)]);
}

#[test]
fn who_leaves_finishes_pairs_that_have_begun() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut hand = Hand::default();
    let jobs = jobs(&event);
    hand.add(1, jobs[..4].to_vec());
    hand.add(2, jobs[4..6].to_vec());
    let first = hand.next_job().unwrap();
    let second = hand.next_job().unwrap();
    hand.put_back(vec![second]);
    hand.drop_waiting(|_| true);
    assert_eq!(ready(&mut hand, false), [(2, 0, true)]);
    end(&mut hand, &event, &first, GameResult::Draw);
    assert_eq!(hand.waiting(), 1);
    play(&mut hand, &event, GameResult::Draw);
    assert_eq!(ready(&mut hand, false), [(1, 2, true)]);
    assert!(hand.is_empty() && hand.running() == 0);
}

#[test]
fn nothing_is_reported_of_a_pair_with_a_game_that_does_not_count() {
    let event = fixture::event(&["a", "b", "c"]);
    let mut hand = Hand::default();
    hand.add(1, jobs(&event)[..4].to_vec());
    let [first, second] = [hand.next_job().unwrap(), hand.next_job().unwrap()];
    end(&mut hand, &event, &first, GameResult::Draw);
    hand.discard(&second);
    hand.drop_waiting(|_| true);
    assert_eq!((ready(&mut hand, false), hand.running()), (vec![(1, 0, true)], 0));
    hand.add(2, jobs(&event)[..2].to_vec());
    let [first, second] = [hand.next_job().unwrap(), hand.next_job().unwrap()];
    hand.discard(&first);
    end(&mut hand, &event, &second, GameResult::Draw);
    assert_eq!((ready(&mut hand, false), hand.running()), (vec![(2, 0, true)], 0));
}

#[test]
fn a_game_in_two_batches_is_played_once() {
    let event = fixture::event(&["a", "b"]);
    let mut hand = Hand::default();
    hand.add(1, jobs(&event)[..2].to_vec());
    hand.add(2, jobs(&event)[..2].to_vec());
    assert_eq!((hand.waiting(), ready(&mut hand, false)), (2, vec![(2, 0, true)]));
}
