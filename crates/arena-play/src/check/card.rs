//! The score card of a bot: tests everything that a tournament requires.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use arena_core::cause::Surplus;
use arena_core::clock::TimeControl;
use arena_core::record::{DeniedCalls, Status};
use arena_core::rules::{Move, RULES, Rules, Seat, Variant};
use arena_core::text::{counted, shown};
use arena_sys::flags::{GAME, LIMITS, SANDBOX_OFF};
use arena_wire::protocol::{FieldRemark, Introduction};

use super::cause_of;
use super::games::{TestGame, advice_on_games, test_games};
use super::mark::{CheckMark, declined, stderr_end};
use super::trial_game::{Slowest, TrialGame, TrialSetup};
use crate::player::LogLine;
use crate::player::process::{Bot, Launch, SharedProcessor};

/// The rows with names of their own; the others are named after a game.
const PLAIN_ROWS: [&str; 11] = [
    "starts",
    "hello",
    "games",
    "plays",
    "slowest reply",
    "resigns",
    "stray lines",
    "ends early",
    "leaves",
    "memory",
    "denied",
];

/// Of an optional field.
const FIELD_ADVICE: &str = "no fault: the message counts without it; docs/protocol.md has the limits of every field";
/// What `eval` is, for a bot that gives another number.
const EVAL_ADVICE: &str = "no fault, but the evaluation is lost; `eval` is from -1 (you lose) to 1 (you win): of centipawns cp, \
                           2 / (1 + 10^(-cp / 400)) - 1";

/// What is tested.
#[derive(Debug, Clone)]
pub struct Tests {
    /// The games to try, as far as the bot claims them, each with the openings to start from besides the empty board.
    pub games: Vec<(Variant, Vec<Vec<Move>>)>,
    /// Names of all games that its manifest and its protocol let it play, if they name some.
    pub plays: Option<Vec<String>>,
    /// The time control.
    pub clock: TimeControl,
    /// Plays a few moves of two games only, and repeats none.
    pub quick: bool,
}

impl Tests {
    /// Width of the longest name of a row.
    #[must_use]
    pub fn name_width(&self) -> usize {
        let of_games = self.games.iter().map(|(variant, _)| repeats(variant).len());
        PLAIN_ROWS.iter().map(|name| name.len()).chain(of_games).max().unwrap_or(0)
    }
}

/// Tests everything that a tournament requires: the bot starts, says hello, plays each of the games that it claims in both
/// seats and from an opening, repeats itself from the same seed, and leaves in time. Each row is given to `show` as soon as
/// it is known.
pub fn score_card(
    launch: &Arc<Launch>,
    tests: &Tests,
    runtime: &tokio::runtime::Handle,
    show: &mut dyn FnMut(CheckMark),
) {
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default()).in_check();
    if let Err(failure) = bot.start() {
        show(CheckMark::failed("starts", None, &failure, launch));
        return denied(bot.denied()).into_iter().for_each(show);
    }
    let hello = bot.hello().clone();
    let words = &launch.protocol.words;
    let starts = if launch.protocol.is_greeted { format!("answered {}", words.hello) } else { "runs".to_owned() };
    let foreign = other_games(launch);
    show(CheckMark::good("starts", starts));
    show(CheckMark::good("hello", introduction(words.title, &hello, tests.plays.as_deref(), foreign.as_deref())));
    if let Some(unknown) = hello.games.iter().flatten().find_map(|name| Variant::check_name(name).err()) {
        show(CheckMark::note("games", format!("hello.games: {unknown}"), None));
    }
    let claimed: Vec<_> = tests.games.iter().filter(|(variant, _)| bot.other_games(variant).is_none()).collect();
    if claimed.is_empty() {
        let mark = foreign.map_or_else(
            || {
                let named: Vec<String> = hello.games.iter().flatten().map(|name| shown(name)).collect();
                let found = format!("hello.games has none of the games to test: {}", named.join(", "));
                let advice = format!(
                    "name the file of a game that is not built in with {GAME}; otherwise correct hello.games, or leave that field out \
                     to play all"
                );
                CheckMark::bad("plays", found, &advice)
            },
            |why| CheckMark::bad("plays", why, &format!("name the file of such a game with {GAME}")),
        );
        show(CheckMark { code: Some(Status::StartupFailed.name()), ..mark });
    }
    let mut games = Vec::new();
    // Which games failed: a bot that claims none may be meant for the others.
    let mut failed = Vec::new();
    for (variant, openings) in claimed {
        let what = format!("plays {}", variant.label);
        let rounds = test_games(openings, tests.quick);
        let failure = rounds.iter().find_map(|round| {
            let trial = trial(variant, tests.clock, round);
            let mut game = TrialGame::play(&mut bot, &trial);
            if std::ptr::eq(round, &raw const rounds[0]) && game.was_declined() && bot.declined().is_none() {
                // Only the first game of a process may be declined, and this process has played another game.
                game = TrialGame::play(&mut bot, &trial);
            }
            if bot.declined().is_some() {
                return Some(CheckMark::note(&what, declined(&bot), None));
            }
            let failure = game.failure.as_ref().map(|failure| {
                let mark = CheckMark::failed(&what, Some(round.seat), failure, launch);
                if round.opening.is_empty() { mark } else { mark.with_opening(round.opening) }
            });
            games.push(game);
            failure
        });
        match &failure {
            Some(mark) if mark.good.is_none() => {
                show(mark.clone());
                continue;
            }
            Some(_) => {}
            None if tests.quick => show(CheckMark::good(what, "the first moves of two games without a fault")),
            None => {
                let from_opening = rounds.iter().filter(|round| !round.opening.is_empty()).count();
                let of_them =
                    if from_opening > 0 { format!(", {from_opening} from an opening") } else { String::new() };
                show(CheckMark::good(what, format!("{} without a fault{of_them}", counted(rounds.len(), "game"))));
                show(determinism(launch, variant, tests.clock, runtime));
            }
        }
        // Where a bot claims no games, the same mistake is not explained once for every game.
        let is_first = hello.games.is_some() || failed.iter().all(|(_, is_failed)| !is_failed);
        failed.push((variant, failure.is_some()));
        if let Some(mark) = failure {
            show(if is_first { mark } else { mark.in_short() });
        }
    }
    let mut refused = DeniedCalls::default();
    for game in &games {
        refused += game.aftermath.denied.clone();
    }
    over_all(games, launch, tests.clock).into_iter().for_each(&mut *show);
    if let Some(near) = bot.near_memory_limit() {
        let advice = format!(
            "no fault yet, but what it cannot have may silence it or end it; raise the limit with {LIMITS} memory_mb=N, or with \
             `limits` in its manifest"
        );
        show(CheckMark::note("memory", format!("at its peak it was near the limit: {near}"), Some(&advice)));
    }
    if launch.protocol.is_greeted {
        show(leaving(&mut bot, words.quit));
    } else {
        bot.leave();
    }
    refused += bot.denied().clone();
    denied(&refused).into_iter().for_each(&mut *show);
    if hello.games.is_none()
        && let Some(mark) = advice_on_games(&failed, words.declare_games)
    {
        show(mark);
    }
}

fn trial<'a>(variant: &'a Variant, clock: TimeControl, round: &TestGame<'a>) -> TrialSetup<'a> {
    let &TestGame { seat, seed, opening, moves_max } = round;
    TrialSetup { variant, clock, seat, seed, opening, moves_max }
}

fn repeats(variant: &Variant) -> String {
    format!("repeats {}", variant.label)
}

/// Which games its protocol lets a bot play, if it is none of the arena's own.
fn other_games(launch: &Launch) -> Option<String> {
    let reason = |rules: &&Rules| {
        let variant = Variant::named(rules.name).ok()?;
        (launch.protocol.plays)(&variant, true).err()
    };
    RULES.iter().map(reason).collect::<Option<Vec<_>>>()?.pop()
}

fn introduction(title: &str, hello: &Introduction, plays: Option<&[String]>, foreign: Option<&str>) -> String {
    let field = |label: &str, field: &Option<String>| {
        field.as_deref().map(|text| format!(", {label} {}", shown(text))).unwrap_or_default()
    };
    let games = hello.games.as_deref().or(plays).map_or_else(
        || foreign.unwrap_or("plays all games").to_owned(),
        |games| format!("plays {}", games.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")),
    );
    let (name, version) = (field("name", &hello.name), field("version", &hello.version));
    format!("{title}{name}{version}; {games}")
}

/// Two new processes play the same game from the same seed.
fn determinism(
    launch: &Arc<Launch>,
    variant: &Variant,
    clock: TimeControl,
    runtime: &tokio::runtime::Handle,
) -> CheckMark {
    let what = repeats(variant);
    let round = TestGame { seat: Seat::First, seed: 0, opening: &[], moves_max: None };
    let games: [TrialGame; 2] = std::array::from_fn(|_| {
        let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default());
        let game = TrialGame::play(&mut bot, &trial(variant, clock, &round));
        bot.leave();
        game
    });
    let (same, other, advice) = if launch.protocol.sends_seed {
        (
            "same seed, same moves",
            "no: same seed, other moves",
            "no fault; to make its games repeatable, draw random numbers from the `seed` of new_game, and limit its search by \
             depth or nodes instead of time",
        )
    } else {
        (
            "the same moves twice",
            "no: other moves",
            "no fault; to make its games repeatable, limit its search by depth or nodes instead of time",
        )
    };
    // Two games that fail alike have the same moves too.
    if let Some(failure) = games.iter().find_map(|game| game.failure.as_ref()) {
        CheckMark::failed(&what, Some(Seat::First), failure, launch)
    } else if games[0].moves == games[1].moves {
        CheckMark::good(what, same)
    } else {
        CheckMark::note(what, other, Some(advice))
    }
}

/// What is only seen over many games.
fn over_all(games: Vec<TrialGame>, launch: &Launch, clock: TimeControl) -> Vec<CheckMark> {
    let mut marks = Vec::new();
    if let Some((slowest, label)) = games.iter().filter_map(|game| Some((game.slowest?, game.label))).max() {
        marks.push(CheckMark::note("slowest reply", slowest_reply(&slowest, label, clock), None));
    }
    let resigned = games.iter().filter(|game| game.resigned).count();
    if resigned > 0 {
        let advice = "no fault, but a loss; if it is not meant to resign, find out why it does";
        marks.push(CheckMark::note("resigns", format!("{resigned} of {} games", games.len()), Some(advice)));
    }
    let surplus: u32 = games.iter().map(|game| game.aftermath.surplus_lines).sum();
    let early_end = early_end(&games, launch.fresh);
    let log: Vec<LogLine> = games.into_iter().flat_map(|game| game.aftermath.log).collect();
    marks.extend(field_remarks(&log));
    if surplus > 0 {
        let found = format!("{} on stdout answered no request", counted(surplus as usize, "line"));
        let dropped = log.iter().find(|line| matches!(line, LogLine::Dropped(..)));
        let advice = if matches!(dropped, Some(LogLine::Dropped(Surplus::Stale, _))) {
            if launch.dialect([0, 0]).marks_replies() {
                "answer every request once; a further answer is dropped, and more than 1,000 in a game lose it"
            } else {
                "answer every request once; a further answer is dropped if it comes before the next request, and taken for the \
                 answer to that if it comes later; more than 1,000 in a game lose it"
            }
        } else {
            "print debug output to stderr; such lines are dropped, and more than 1,000 in a game lose it"
        };
        let details = dropped.map(ToString::to_string).into_iter().collect();
        marks.push(CheckMark { details, ..CheckMark::note("stray lines", found, Some(advice)) });
    }
    if let Some((found, details)) = early_end {
        let quit = launch.protocol.words.quit;
        let advice = format!(
            "keep reading until `{quit}`, and write nothing about the end of a game: one process plays many games, and a new one \
             takes time to start; or set `fresh = true` in its manifest"
        );
        marks.push(CheckMark { details, ..CheckMark::note("ends early", found, Some(&advice)) });
    }
    marks
}

/// The slowest reply to a bot of this game; of one that came after its limit, also why that was no fault.
fn slowest_reply(slowest: &Slowest, game: &str, clock: TimeControl) -> String {
    let &Slowest { time, is_missing, credit, limit } = slowest;
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let more = if is_missing { "more than " } else { "" };
    let mut found = format!("{more}{} ({game}); limit {clock}", ms(time));
    if time > limit && !is_missing {
        let _ = write!(found, "; tolerated: {} ms margin", clock.margin_ms);
        if credit > Duration::ZERO {
            let _ = write!(found, ", {} credit for time that others had the processor", ms(credit));
        }
    }
    found
}

/// One row for each optional field that was dropped or changed.
fn field_remarks(log: &[LogLine]) -> Vec<CheckMark> {
    let mut fields: Vec<(&FieldRemark, usize)> = Vec::new();
    for line in log {
        let LogLine::Field(remark) = line else { continue };
        match fields.iter_mut().find(|(first, _)| first.field == remark.field) {
            Some((_, count)) => *count += 1,
            None => fields.push((remark, 1)),
        }
    }
    let mark = |(first, count): (&FieldRemark, usize)| {
        let times = if count > 1 { format!("; so in {count} messages") } else { String::new() };
        CheckMark::note(
            first.field,
            format!("{first}{times}"),
            Some(if first.field == "eval" { EVAL_ADVICE } else { FIELD_ADVICE }),
        )
    };
    fields.into_iter().map(mark).collect()
}

/// The system calls that its sandbox has refused, if there are any.
fn denied(calls: &DeniedCalls) -> Option<CheckMark> {
    (!calls.is_empty()).then(|| {
        let advice = format!(
            "no fault: its sandbox refuses these system calls, and some runtimes try them in vain; if the bot needs one, try \
             `arena check BOT {SANDBOX_OFF}`"
        );
        CheckMark::note("denied", calls.to_string(), Some(&advice))
    })
}

/// How a process ended before `quit`, and the end of its stderr. An exit that was seen comes first, then a process that had
/// ended or closed its pipes by the next game. The latter is no fault of a bot that is started afresh for each game.
fn early_end(games: &[TrialGame], is_fresh: bool) -> Option<(String, Vec<String>)> {
    // Of the present process only.
    let (mut log, mut left) = (Vec::new(), None);
    for game in games {
        for line in &game.aftermath.log {
            if let LogLine::EndedBetweenGames(how) = line {
                return Some((how.clone(), stderr_end(log)));
            }
            log.push(line);
        }
        if game.has_left {
            let log = std::mem::take(&mut log);
            left.get_or_insert(log);
        }
    }
    let left = left.filter(|_| !is_fresh)?;
    Some(("it exited, or read no further, after its last move".to_owned(), stderr_end(left)))
}

fn leaving(bot: &mut Bot, quit: &str) -> CheckMark {
    // After a fault the process is gone. That it was killed is not a good exit.
    if !bot.is_started()
        && let Err(failure) = bot.start()
    {
        return CheckMark::note("leaves", format!("not tested; it did not start again: {}", cause_of(&failure)), None);
    }
    if bot.leave() {
        return CheckMark::good("leaves", format!("exited after {quit}"));
    }
    let advice = format!("exit on `{quit}` and at the end of stdin");
    let mark = CheckMark::bad("leaves", format!("still running 1 s after {quit}; killed"), &advice);
    CheckMark { details: stderr_end(&bot.take_log()), ..mark }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Aftermath;

    #[test]
    fn a_reply_after_its_limit_is_told_with_what_is_tolerated() {
        let clock = TimeControl::per_move(Duration::from_millis(100));
        let said = |time_us, credit_us, is_missing| {
            let [time, credit] = [time_us, credit_us].map(Duration::from_micros);
            let slowest = Slowest { time, is_missing, credit, limit: Duration::from_millis(100) };
            slowest_reply(&slowest, "connect4", clock)
        };
        assert_eq!(said(99_000, 500, false), "99.0 ms (connect4); limit 100 ms a move");
        assert_eq!(said(104_020, 0, false), "104.0 ms (connect4); limit 100 ms a move; tolerated: 10 ms margin");
        assert_eq!(
            said(104_000, 3_200, false),
            "104.0 ms (connect4); limit 100 ms a move; tolerated: 10 ms margin, 3.2 ms credit for time that others had the processor"
        );
        assert_eq!(said(100_000, 0, true), "more than 100.0 ms (connect4); limit 100 ms a move");
    }

    #[test]
    fn an_early_end_is_told_with_the_stderr_of_its_process() {
        let stderr = |text: &str| LogLine::Stderr(text.to_owned());
        let game = |log, has_left| TrialGame {
            has_left,
            aftermath: Aftermath { log, ..Aftermath::default() },
            ..TrialGame::default()
        };
        let ended = LogLine::EndedBetweenGames("it exited".to_owned());
        let games = [
            game(vec![stderr("of the first")], true),
            game(vec![stderr("of the second")], false),
            game(vec![ended, stderr("of the third")], false),
        ];
        let details = |text: &str| vec!["stderr:".to_owned(), format!("  {text}")];
        assert_eq!(early_end(&games, false), Some(("it exited".to_owned(), details("of the second"))));
        let left = early_end(&games[..2], false);
        assert_eq!(left.map(|(_, found)| found), Some(details("of the first")));
        assert_eq!(early_end(&games[..2], true), None);
        assert_eq!(early_end(&games[1..2], false), None);
    }
}
