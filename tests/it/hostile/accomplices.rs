//! Rows 117 and 118: a bot that makes the games void that another one would lose, by taking the processor while it waits for
//! its own. The bookkeeping is tested without processes.

use std::path::Path;
use std::process::{Command, Stdio};

use arena::observer::{RunEnding, RunEvent};
use arena::record::{Disturbance, Disturber, GameResult, Record, Status};
use arena::schedule::Job;

use super::thieves::{CpuCgroup, thief};
use crate::faults::{processes_with, undisturbed};
use crate::scripted::{Cup, ending, event};
use crate::support::{Dir, LIMIT, not_tested, until};

const BOTS: [&str; 4] = ["accomplice", "fair", "honest", "loser"];

/// The game of a tournament in which the accomplice makes void what the loser loses to others, as long as it may wait
/// beside them; `used` is its share of the time that was missing.
fn helped(cup: &Cup, job: &Job, used: u64) -> Record {
    let record = ending(&cup.event, job, None);
    let names = job.game.bots.map(|bot| BOTS[bot]);
    if job.quiet || !names.contains(&"loser") || names.contains(&"accomplice") {
        return record;
    }
    let bot = cup.event.bots[0].id.clone();
    let by = vec![Disturber { bot, used_us: used }];
    let why = "bot `accomplice`, which does not play this game, used the CPU".to_owned();
    let disturbance = Some(Disturbance { missing_us: 100, by });
    Record { result: GameResult::Void, reason: why, statuses: [Status::Ok; 2], disturbance, ..record }
}

/// Number of games in the journal that were disturbed.
fn void(cup: &Cup) -> usize {
    cup.lines().iter().filter(|line| line.contains("\"disturbance\"")).count()
}

fn withdrawn(told: &[RunEvent]) -> Vec<(&str, &str)> {
    let of_each = told.iter().filter_map(|event| match event {
        RunEvent::Withdrawn { name, why, .. } => Some((name.as_str(), why.as_str())),
        _ => None,
    });
    of_each.collect()
}

#[test]
fn a_disturbed_pair_is_played_once_more_in_quiet_and_the_third_game_withdraws_the_accomplice() {
    let cup = Cup::new(event(&BOTS, 6));
    let (end, told) = cup.run(1, 0, &mut (), |job| helped(&cup, job, 50));
    let why = "withdrawn after it made 3 games of others void by using the processor while it waited for its own";
    assert_eq!((end, withdrawn(&told)), (RunEnding::Complete, vec![("accomplice", why)]));
    // One at a time, the second game of a pair is quiet as well.
    let again = told.iter().filter(|event| matches!(event, RunEvent::GameEnded { tried_again: true, .. })).count();
    assert_eq!((again, void(&cup)), (12, 12), "fair and honest each meet the loser in six pairs");
    let tables = cup.tables(&mut ());
    let of_bots = || tables.lines().skip_while(|line| !line.starts_with("name,class,"));
    let row = |name: &str| of_bots().find(|line| line.starts_with(&format!("{name},"))).expect("a row of bots.csv");
    let [void, disturbed] = [20, 21].map(|column| row("accomplice").split(',').nth(column).expect("a cell"));
    assert_eq!((void, disturbed), ("0", "12"), "{tables}");
    assert_eq!(row("honest").split(',').nth(21), Some("0"), "{tables}");
}

#[test]
fn a_run_that_is_resumed_anywhere_knows_which_pairs_were_disturbed() {
    let cup = Cup::new(event(&BOTS, 3));
    cup.run(1, 0, &mut (), |job| helped(&cup, job, 100));
    let (lines, tables) = (cup.lines(), cup.tables(&mut ()));
    for kept in 1..=lines.len() {
        cup.keep(&lines[..kept]);
        let (end, _) = cup.run(1, 0, &mut (), |job| helped(&cup, job, 100));
        assert_eq!(
            (end, cup.lines().len(), cup.tables(&mut ())),
            (RunEnding::Complete, lines.len(), tables.clone()),
            "{kept}"
        );
    }
    // Several at a time, the other game of a pair may have begun, and be disturbed as well; never more.
    for seed in 0..8 {
        let cup = Cup::new(event(&BOTS, 3));
        let (end, told) = cup.run(1 + seed as usize, seed, &mut (), |job| helped(&cup, job, 100));
        assert_eq!((end, withdrawn(&told).len()), (RunEnding::Complete, 1));
        assert!((6..=12).contains(&void(&cup)), "{}", void(&cup));
    }
}

#[test]
fn a_bot_that_took_less_than_half_of_the_time_is_not_to_blame() {
    let cup = Cup::new(event(&BOTS, 6));
    let (end, told) = cup.run(3, 1, &mut (), |job| helped(&cup, job, 49));
    assert_eq!((end, withdrawn(&told)), (RunEnding::Complete, vec![]));
    assert!(void(&cup) >= 12, "{}", void(&cup));
}

/// A loser and three helpers, four games at a time on one processor. Each helper burns it whenever the loser calls, also
/// while others play.
#[test]
#[ignore = "takes the machine from all other tests; .ci/run has a command for it"]
fn no_game_is_disturbed_twice_and_the_helpers_are_named() {
    let Some(cgroup) = CpuCgroup::make() else {
        return not_tested("helpers", "no cpu cgroup can be made here");
    };
    let dir = Dir::with_bots_in(Path::new("/var/tmp"), &[]);
    let mark = format!("accomplice-{}-", std::process::id());
    for (name, argument) in [
        ("honest", "honest=5"),
        ("loser", "loser=200"),
        ("help1", "helper=32"),
        ("help2", "helper=33"),
        ("help3", "helper=34"),
    ] {
        let program = dir.path("thief");
        crate::support::copy_program(thief(), &program);
        let command = format!("command = [{:?}, {argument:?}]\n", program.display().to_string());
        dir.file(&format!("bots/{name}.toml"), format!("{command}env = {{ FAULTY_MARK = {mark:?} }}\n"));
    }
    let _alone = undisturbed();
    let plain = dir.command(
        "tournament --game tictactoe --no-check --seed 1 -j 4 --oversubscribe --rounds 2 --move-time 200ms --quiet",
    );
    let enter = format!("echo $$ > {}; exec taskset -c 0 \"$0\" \"$@\"", cgroup.procs());
    let mut command = Command::new("sh");
    command.args(["-c", &enter]).arg(plain.get_program()).args(plain.get_args()).current_dir(dir.path(""));
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the arena starts");
    until(6 * LIMIT, "the tournament ends", || child.try_wait().expect("a child").is_some());
    until(LIMIT, "nothing is left", || processes_with(&format!("FAULTY_MARK={mark}")).is_empty());
    let games = dir.journal("tictactoe").games;
    let disturbed: Vec<&Record> = games.iter().filter(|game| game.disturbance.is_some()).collect();
    for game in &disturbed {
        let is_same = |other: &&&Record| {
            let key = |game: &Record| (game.opening.clone(), game.bots.clone().map(|bot| bot.name));
            key(other) == key(game)
        };
        assert_eq!(disturbed.iter().filter(is_same).count(), 1, "{game:?}");
        let by = game.disturbance.iter().flat_map(|disturbance| &disturbance.by);
        assert!(by.into_iter().all(|by| by.bot.name.starts_with("help")), "{game:?}");
    }
}
