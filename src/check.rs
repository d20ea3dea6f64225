//! Trying a bot out: the quick check before a tournament, and the score card of `arena check`.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::TimeControl;
use crate::game;
use crate::player::process::{Bot, Launch};
use crate::player::sample::SampleMover;
use crate::player::{NotReady, Player};
use crate::protocol::VERSION;
use crate::record::Status;
use crate::referee::{Answer, Fault, Next, Referee, Setup};
use crate::rules::{Move, Seat, Variant};
use crate::text::shown;

/// Games played from each seat for a score card.
const GAMES_PER_SEAT: u64 = 3;

/// Whether a bot can take part in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It starts, speaks, and answers legally in time.
    Ready,
    /// It works, but says that it does not play this game.
    DoesNotPlay(String),
    /// It cannot take part.
    Broken {
        /// Why, for people.
        cause: String,
        /// For its log: what it wrote to stderr and without being asked, and remarks of the referee.
        log: Vec<String>,
    },
    /// We failed to try it; why, for people.
    Untried(String),
}

/// Starts the bot, gets it ready for a game and asks for one move.
#[must_use]
pub fn readiness(
    launch: &Arc<Launch>,
    variant: &Variant,
    clock: TimeControl,
    runtime: &tokio::runtime::Handle,
) -> Readiness {
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone());
    if let Err(cause) = bot.start() {
        return not_ready(bot, cause);
    }
    if let Some(claims) = bot.other_games(variant) {
        bot.leave();
        return Readiness::DoesNotPlay(claims);
    }
    if let Err(cause) = first_move(&mut bot, variant, clock) {
        return not_ready(bot, cause);
    }
    bot.leave();
    Readiness::Ready
}

fn not_ready(mut bot: Bot, cause: NotReady) -> Readiness {
    bot.leave();
    let mut log = bot.take_log();
    match &cause {
        NotReady::Void(why) if bot.change().is_none() => return Readiness::Untried(why.clone()),
        NotReady::Void(_) => {}
        NotReady::Fault(fault) => log.extend(fault.evidence.log_lines(fault.status)),
    }
    Readiness::Broken { cause: cause_of(cause), log }
}

fn first_move(bot: &mut Bot, variant: &Variant, clock: TimeControl) -> Result<(), NotReady> {
    let setup = Setup { variant, seed: 0, opening: &[], clock, max_plies: None };
    let mut referee = Referee::new(&setup).map_err(NotReady::Void)?;
    bot.new_game(game::new_game("check", &setup, Seat::First))?;
    let Next::Ask { request, limit, .. } = referee.next() else { return Ok(()) };
    let answer = bot.ask(request, limit);
    if let Answer::Void(why) = answer {
        return Err(NotReady::Void(why));
    }
    referee.answer(answer);
    if let [Some(evidence), _] = referee.evidence_mut() {
        bot.at_fault(evidence);
    }
    match referee.verdict() {
        Some(verdict) if verdict.statuses[0].is_fault() => {
            let evidence = verdict.evidence[0].clone().unwrap_or_default();
            Err(NotReady::Fault(Fault { status: verdict.statuses[0], evidence }))
        }
        _ => {
            bot.game_over(referee.game_over(Seat::First));
            Ok(())
        }
    }
}

fn cause_of(cause: NotReady) -> String {
    match cause {
        NotReady::Fault(fault) if fault.status == Status::StartupFailed => fault.evidence.sentence(fault.status),
        NotReady::Fault(fault) => format!("{}: {}", fault.status, fault.evidence.sentence(fault.status)),
        NotReady::Void(why) => why,
    }
}

/// One line of a score card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// What was tried.
    pub what: String,
    /// Whether it went well; `None` if it could not be tried or is only worth knowing.
    pub good: Option<bool>,
    /// What was found.
    pub found: String,
    /// What to do about it, if it did not go well.
    pub advice: Option<&'static str>,
}

impl Mark {
    fn good(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { what: what.into(), good: Some(true), found: found.into(), advice: None }
    }

    fn bad(what: impl Into<String>, found: impl Into<String>, advice: &'static str) -> Self {
        Self { what: what.into(), good: Some(false), found: found.into(), advice: Some(advice) }
    }

    fn note(what: impl Into<String>, found: impl Into<String>, advice: Option<&'static str>) -> Self {
        Self { what: what.into(), good: None, found: found.into(), advice }
    }
}

/// Tries everything a tournament will ask of a bot: it starts, speaks, plays every one of `variants` that it claims
/// from both seats, repeats itself from the same seed, and leaves in time.
#[must_use]
pub fn score_card(
    launch: &Arc<Launch>,
    variants: &[Variant],
    clock: TimeControl,
    runtime: &tokio::runtime::Handle,
) -> Vec<Mark> {
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone());
    let mut marks = Vec::new();
    if let Err(cause) = bot.start() {
        marks.push(Mark::bad("starts", cause_of(cause), START_ADVICE));
        return marks;
    }
    marks.push(Mark::good("starts", "it answered hello"));
    marks.push(Mark::good("speaks", introduction(&bot)));
    let claimed: Vec<&Variant> = variants.iter().filter(|variant| bot.other_games(variant).is_none()).collect();
    if claimed.is_empty() {
        let advice = "name the games it plays in hello.games, or leave that field out to play all";
        marks.push(Mark::bad("plays", "none of the games asked for is in its hello.games", advice));
    }
    let mut slowest = None;
    let mut surplus = 0;
    for variant in claimed {
        let tried = play_both_seats(&mut bot, variant, clock, &mut slowest, &mut surplus);
        let repeats = tried.good == Some(true);
        marks.push(tried);
        if repeats {
            marks.push(determinism(launch, variant, clock, runtime));
        }
    }
    if let Some((slowest, label)) = slowest {
        let found = format!("{:.1} ms ({label}), allowed {clock}", slowest.as_secs_f64() * 1e3);
        marks.push(Mark::note("slowest reply", found, None));
    }
    if surplus > 0 {
        let advice =
            "print to stderr what is not a reply: stray lines on stdout are dropped, and too many lose the game";
        marks.push(Mark::note("stray and stale lines", surplus.to_string(), Some(advice)));
    }
    marks.push(leaving(&mut bot));
    marks
}

fn leaving(bot: &mut Bot) -> Mark {
    // The process that played is gone after a fault, and that it was killed is not to its credit.
    if !bot.is_started()
        && let Err(cause) = bot.start()
    {
        return Mark::note("leaves", format!("not tried, since it did not start again: {}", cause_of(cause)), None);
    }
    if bot.leave() {
        Mark::good("leaves", "it left by itself after quit")
    } else {
        Mark::bad(
            "leaves",
            "it was still there 1 s after quit and was killed",
            "exit on `quit` and at the end of stdin",
        )
    }
}

const START_ADVICE: &str = "run it by hand and type {\"type\":\"hello\",\"protocol\":1,\"arena\":\"0.1.0\",\
                            \"max_line_bytes\":65536,\"startup_ms\":10000}: it must print one line of JSON and flush it";
const READY_ADVICE: &str =
    "answer every new_game with the line {\"type\":\"ready\",\"id\":N}, N being the id of new_game, and flush it";

fn introduction(bot: &Bot) -> String {
    let hello = bot.hello();
    let text = |field: &Option<String>| field.as_deref().map(shown);
    let name = text(&hello.name).unwrap_or_else(|| "(no name)".to_owned());
    let version = text(&hello.version).map(|version| format!(" {version}")).unwrap_or_default();
    let games = hello.games.as_ref().map_or_else(
        || "all games".to_owned(),
        |games| games.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", "),
    );
    format!("protocol {VERSION}; calls itself {name}{version}; plays {games}")
}

fn play_both_seats(
    bot: &mut Bot,
    variant: &Variant,
    clock: TimeControl,
    slowest: &mut Option<(Duration, &'static str)>,
    surplus: &mut u32,
) -> Mark {
    let what = format!("plays {}", variant.label);
    for seat in Seat::BOTH {
        for seed in 0..GAMES_PER_SEAT {
            let game = play_one(bot, variant, clock, seat, seed);
            *surplus += game.surplus_lines;
            *slowest = (*slowest).max(game.slowest.map(|time| (time, variant.label)));
            if let Some((status, message)) = game.fault {
                let found = format!("{status} in seat {}: {message}", seat.index());
                let greeted = bot.hello().protocol == i64::from(VERSION);
                return Mark::bad(what, found, advice_for(status, greeted));
            }
        }
    }
    Mark::good(what, format!("{} games from both seats without a fault", 2 * GAMES_PER_SEAT))
}

/// Two fresh processes in the same game from the same seed.
fn determinism(launch: &Arc<Launch>, variant: &Variant, clock: TimeControl, runtime: &tokio::runtime::Handle) -> Mark {
    let what = format!("repeats itself in {}", variant.label);
    let games: [Vec<Move>; 2] = std::array::from_fn(|_| {
        let mut bot = Bot::new(Arc::clone(launch), runtime.clone());
        let moves = play_one(&mut bot, variant, clock, Seat::First, 0).moves;
        bot.leave();
        moves
    });
    if games[0] == games[1] {
        Mark::good(what, "the same moves from the same seed")
    } else {
        let advice = "draw all chance from the `seed` of new_game, and fix the work rather than the time, if results \
                      are to be repeatable";
        Mark::note(what, "no: other moves from the same seed", Some(advice))
    }
}

struct Tried {
    fault: Option<(Status, String)>,
    moves: Vec<Move>,
    /// Of the bot's moves; none if it made none.
    slowest: Option<Duration>,
    surplus_lines: u32,
}

/// One game against an opponent that plays the sample moves.
fn play_one(bot: &mut Bot, variant: &Variant, clock: TimeControl, seat: Seat, seed: u64) -> Tried {
    let mut opponent = SampleMover;
    let setup = Setup { variant, seed, opening: &[], clock, max_plies: None };
    let players: [&mut dyn Player; 2] = match seat {
        Seat::First => [bot, &mut opponent],
        Seat::Second => [&mut opponent, bot],
    };
    let game_id = format!("check-{}-{}-{seed}", variant.label, seat.index());
    match game::play(&game_id, &setup, players) {
        Ok((referee, aftermath)) => {
            let (verdict, moves, played) = referee.into_parts();
            let own = played.iter().enumerate().filter(|(ply, _)| Seat::after(*ply) == seat);
            let status = verdict.statuses[seat.index()];
            let message =
                verdict.evidence[seat.index()].as_ref().map_or(verdict.reason.clone(), |e| e.sentence(status));
            let failed = status.is_fault() || verdict.result == crate::record::GameResult::Void;
            Tried {
                fault: failed.then_some((status, message)),
                moves,
                slowest: own.map(|(_, played)| Duration::from_micros(played.us)).max(),
                surplus_lines: aftermath[seat.index()].surplus_lines,
            }
        }
        Err(why) => {
            Tried { fault: Some((Status::StartupFailed, why)), moves: Vec::new(), slowest: None, surplus_lines: 0 }
        }
    }
}

/// What to do about a fault of a process that has said hello, or has not.
fn advice_for(status: Status, greeted: bool) -> &'static str {
    match status {
        Status::Timeout => "answer every move_request within clock.deadline_ms, and flush stdout after every line",
        Status::IllegalMove => "choose from legal_moves of the request itself, not from a board of your own",
        Status::ProtocolError => {
            "write one JSON object a line, repeat the id of the request, and print debug output to stderr"
        }
        Status::Crashed => "look at its stderr: it exited or closed stdout while a reply was owed",
        Status::StartupFailed | Status::Withdrawn => {
            if greeted {
                READY_ADVICE
            } else {
                START_ADVICE
            }
        }
        Status::Ok | Status::Resigned => "run it by hand and look at its stderr",
    }
}
