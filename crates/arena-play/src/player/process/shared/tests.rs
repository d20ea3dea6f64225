use std::process::{Child, Command, Stdio};

use arena_sys::time::now;
use rustix::process::Pid;

use super::*;

/// Long enough for an overloaded machine; no test waits for it to pass.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell in place of a guard, with a child in place of a bot; both end with it.
struct Stand(Child, Family);

impl Stand {
    fn with(work: &str) -> Self {
        let script = format!("({work}) & echo $!; wait");
        let shell = Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut shell = shell.unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.take().unwrap()), &mut line).unwrap();
        let bot = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
        let family = Family::new(bot, Pid::from_child(&shell));
        let stand = Self(shell, family);
        if work == QUIET {
            // Before, it is a shell that runs.
            until("it sleeps", || stand.stat().contains("(sleep) S "));
        }
        stand
    }

    fn stat(&self) -> String {
        std::fs::read_to_string(format!("/proc/{}/stat", self.1.bot().as_raw_nonzero())).unwrap()
    }

    fn state(&self) -> char {
        self.stat().rsplit_once(") ").unwrap().1.chars().next().unwrap()
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(self.1.bot(), rustix::process::Signal::KILL);
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::yield_now();
    }
}

const BUSY: &str = "while :; do :; done";
const QUIET: &str = "exec sleep 1000";

#[test]
fn a_bot_that_uses_what_another_lacks_is_found() {
    let [mover, thief, quiet] = [QUIET, BUSY, QUIET].map(Stand::with);
    let processor = SharedProcessor::default();
    let [on_move, busy, other] = [("mover", &mover), ("thief", &thief), ("quiet", &quiet)]
        .map(|(name, stand)| SharedPlace::take(&processor, name, stand.1.clone()));
    busy.end_turn();
    other.end_turn();
    // All are on move from the start; this one stays on move, so it is never stopped.
    until("the competing bot is stopped", || thief.state() == 'T');
    assert_eq!((mover.state(), quiet.state()), ('S', 'S'));
    let missing = entry::USED_MAX;
    let found = on_move.interference(missing).unwrap();
    let ExchangeEnd::DisturbedByOthers(disturbed, why) = &found else { panic!("{found:?}") };
    assert!(why.starts_with("bot `thief`, ") && busy.is_condemned(), "{found:?}");
    let [(name, used)] = &disturbed.by[..] else { panic!("{disturbed:?}") };
    assert!(name == "thief" && *used >= missing && disturbed.missing == missing, "{disturbed:?}");
    assert!(on_move.interference(PATIENCE).is_none(), "that is not what it took");
    assert!(busy.take_used_off_move() >= missing && other.take_used_off_move() < missing);
    assert_eq!(busy.take_used_off_move(), Duration::ZERO, "it was taken");
    busy.set_seated(true);
    assert!(matches!(on_move.interference(missing), Some(ExchangeEnd::Disturbed(_))));
    // The bots of another thread play another game.
    let take = || SharedPlace::take(&processor, "x", quiet.1.clone());
    let elsewhere = std::thread::scope(|scope| scope.spawn(take).join().unwrap());
    until("its turn is seen", || elsewhere.watched_since().is_some());
    assert!(elsewhere.interference(missing).is_none(), "nothing was used since it came");
    // A bot is resumed at its turn.
    busy.begin_turn();
    busy.resume();
    until("it goes on", || thief.state() == 'R');
    busy.give_up();
}

#[test]
fn between_turns_a_busy_bot_is_stopped_and_a_waiting_one_is_not() {
    let stands = [BUSY, QUIET].map(Stand::with);
    let processor = SharedProcessor::default();
    let places = stands.each_ref().map(|stand| SharedPlace::take(&processor, "bot", stand.1.clone()));
    places.iter().for_each(SharedPlace::end_turn);
    until("the busy bot is stopped", || stands[0].state() == 'T');
    assert_eq!(stands[1].state(), 'S');
}

#[test]
fn only_processes_stopped_by_us_are_resumed() {
    let stands = [QUIET, "kill -STOP $(exec sh -c 'echo $PPID')"].map(Stand::with);
    let processor = SharedProcessor::default();
    let places = stands.each_ref().map(|stand| SharedPlace::take(&processor, "bot", stand.1.clone()));
    until("it has stopped itself", || stands[1].state() == 'T');
    for place in &places {
        place.end_turn();
        place.stop();
    }
    assert_eq!(stands.each_ref().map(Stand::state), ['T', 'T']);
    places.iter().for_each(SharedPlace::begin_turn);
    places.iter().for_each(SharedPlace::resume);
    until("it goes on", || stands[0].state() == 'S');
    assert_eq!(stands[1].state(), 'T');
    // A bot on move is not stopped.
    places[0].stop();
    assert_eq!(stands[0].state(), 'S');
}

#[test]
fn all_that_wait_for_a_game_are_stopped_at_once_and_those_in_a_game_are_not() {
    let stands = [(); 3].map(|()| Stand::with(QUIET));
    let processor = SharedProcessor::default();
    let places = stands.each_ref().map(|stand| SharedPlace::take(&processor, "bot", stand.1.clone()));
    places[1].set_seated(true);
    places[..2].iter().for_each(SharedPlace::end_turn);
    processor.end_waiting();
    // The last one is on move: it starts.
    assert_eq!(stands.each_ref().map(Stand::state), ['T', 'S', 'S']);
    places[0].begin_turn();
    places[0].resume();
    until("it goes on", || stands[0].state() == 'S');
}
