//! A bot and its processes, as seen from outside.

use std::time::Duration;

use super::run;

/// Takes some tens of milliseconds of a processor, many times what a shell takes to start.
const BURN: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

#[test]
fn the_processor_time_of_those_who_have_ended_or_lost_their_parents_is_counted() {
    // More than the few ticks that a count may be off.
    let much = Duration::from_millis(30);
    let mut bot =
        run(&format!("({BURN}); echo ended; read x; (sh -c '{BURN}; echo orphan; exec sleep 1000' &); read x"));
    assert_eq!(bot.line(), "ended");
    let family = bot.bot.family();
    let own = arena::guard::Family::cpu_of(family.bot()).unwrap();
    let ended = family.inspect(|_| true).unwrap();
    assert!(ended >= own + much, "{ended:?}, of which the bot itself took {own:?}");
    bot.say("");
    assert_eq!(bot.line(), "orphan");
    let mut processes = Vec::new();
    let orphaned = family.inspect(|process| {
        processes.push(process);
        true
    });
    assert!(orphaned.unwrap() >= ended + much, "{orphaned:?} after {ended:?}");
    assert!(processes.len() == 2 && processes.contains(&family.bot()), "{processes:?}");
    bot.bot.kill();
    assert_eq!(family.inspect(|_| true), None);
}
