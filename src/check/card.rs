//! The score card of one bot: everything that a tournament will ask of it, tried.

use std::sync::Arc;
use std::time::Duration;

use super::cause_of;
use super::mark::{Mark, stderr_end};
use crate::clock::TimeControl;
use crate::event::bot_seeds;
use crate::game;
use crate::player::process::{Bot, Launch};
use crate::player::sample::SampleMover;
use crate::player::{Failure, LogLine, Player};
use crate::protocol::VERSION;
use crate::record::{GameResult, Status};
use crate::referee::{Fault, Setup};
use crate::rules::{Move, Seat, Variant};
use crate::text::shown;

/// Games played from each seat.
const GAMES_PER_SEAT: u64 = 3;

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
        marks.push(Mark::failed("starts", cause_of(&cause), &cause, launch));
        return marks;
    }
    marks.push(Mark::good("starts", "it answered hello"));
    marks.push(Mark::good("speaks", introduction(&bot)));
    let named = bot.hello().games.iter().flatten();
    if let Some(unknown) = named.clone().find_map(|name| Variant::named(name).err()) {
        marks.push(Mark::note("names games", format!("in its hello.games: {unknown}"), None));
    }
    let claimed: Vec<&Variant> = variants.iter().filter(|variant| bot.other_games(variant).is_none()).collect();
    if claimed.is_empty() {
        let advice = "name the games it plays in hello.games, or leave that field out to play all";
        let mark = Mark::bad("plays", "none of the games asked for is in its hello.games", advice);
        marks.push(Mark { code: Some(Status::StartupFailed.name()), ..mark });
    }
    let mut tally = Tally::default();
    for variant in claimed {
        let tried = play_both_seats(&mut bot, launch, variant, clock, &mut tally);
        let repeats = tried.good == Some(true);
        marks.push(tried);
        if repeats {
            marks.push(determinism(launch, variant, clock, runtime));
        }
    }
    marks.extend(tally.marks(clock));
    marks.push(leaving(&mut bot));
    marks
}

/// What is only seen over many games.
#[derive(Default)]
struct Tally {
    slowest: Option<(Duration, &'static str)>,
    surplus: u32,
    games: u32,
    resigned: u32,
    /// It was gone after a game that it played to the end.
    left: bool,
    log: Vec<LogLine>,
}

impl Tally {
    fn marks(&self, clock: TimeControl) -> Vec<Mark> {
        let mut marks = Vec::new();
        if let Some((slowest, label)) = self.slowest {
            let found = format!("{:.1} ms ({label}), allowed {clock}", slowest.as_secs_f64() * 1e3);
            marks.push(Mark::note("slowest reply", found, None));
        }
        if self.resigned > 0 {
            let advice = "no fault, but lost; if it is not meant to give up, look for what makes it";
            let found = format!("{} of {} games", self.resigned, self.games);
            marks.push(Mark::note("resigns", found, Some(advice)));
        }
        if self.surplus > 0 {
            let advice =
                "print to stderr what is not a reply: stray lines on stdout are dropped, and too many lose the game";
            let dropped = self.log.iter().find(|line| matches!(line, LogLine::Dropped(..)));
            let details = dropped.map(ToString::to_string).into_iter().collect();
            let mark = Mark::note("stray and stale lines", self.surplus.to_string(), Some(advice));
            marks.push(Mark { details, ..mark });
        }
        let ended = self.log.iter().enumerate().find_map(|(at, line)| match line {
            LogLine::EndedBetweenGames(how) => Some((at, how.as_str())),
            _ => None,
        });
        let found = ended.map(|(_, how)| how);
        if let Some(found) = found.or_else(|| self.left.then_some("it left, or read no further, after its last move")) {
            let advice = "stay until `quit`, and read game_over without an answer: one process plays many games, and \
                          each new one takes time to start";
            let details = stderr_end(&self.log[..ended.map_or(self.log.len(), |(at, _)| at)]);
            marks.push(Mark { details, ..Mark::note("ends after a game", found, Some(advice)) });
        }
        marks
    }
}

fn leaving(bot: &mut Bot) -> Mark {
    // The process that played is gone after a fault, and that it was killed is not to its credit.
    if !bot.is_started()
        && let Err(cause) = bot.start()
    {
        return Mark::note("leaves", format!("not tried, since it did not start again: {}", cause_of(&cause)), None);
    }
    if bot.leave() {
        return Mark::good("leaves", "it left by itself after quit");
    }
    let advice = "exit on `quit` and at the end of stdin";
    let mark = Mark::bad("leaves", "it was still there 1 s after quit and was killed", advice);
    Mark { details: stderr_end(&bot.take_log()), ..mark }
}

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

fn play_both_seats(bot: &mut Bot, launch: &Launch, variant: &Variant, clock: TimeControl, tally: &mut Tally) -> Mark {
    let what = format!("plays {}", variant.label);
    for seat in Seat::BOTH {
        for seed in 0..GAMES_PER_SEAT {
            let game = play_one(bot, variant, clock, seat, seed);
            tally.games += 1;
            tally.resigned += u32::from(game.resigned);
            tally.surplus += game.surplus_lines;
            tally.slowest = tally.slowest.max(game.slowest.map(|time| (time, variant.label)));
            let failed = game.failure(&what, seat, launch);
            tally.log.extend(game.log);
            if let Some(mark) = failed {
                return mark;
            }
            tally.left |= !launch.fresh && !bot.is_started();
        }
    }
    Mark::good(what, format!("{} games from both seats without a fault", 2 * GAMES_PER_SEAT))
}

/// Two fresh processes in the same game from the same seed.
fn determinism(launch: &Arc<Launch>, variant: &Variant, clock: TimeControl, runtime: &tokio::runtime::Handle) -> Mark {
    let what = format!("repeats itself in {}", variant.label);
    let games: [Tried; 2] = std::array::from_fn(|_| {
        let mut bot = Bot::new(Arc::clone(launch), runtime.clone());
        let game = play_one(&mut bot, variant, clock, Seat::First, 0);
        bot.leave();
        game
    });
    // Two that fail alike have the same moves too.
    if let Some(failed) = games.iter().find_map(|game| game.failure(&what, Seat::First, launch)) {
        failed
    } else if games[0].moves == games[1].moves {
        Mark::good(what, "the same moves from the same seed")
    } else {
        let advice = "draw all chance from the `seed` of new_game, and fix the work rather than the time, if results \
                      are to be repeatable";
        Mark::note(what, "no: other moves from the same seed", Some(advice))
    }
}

#[derive(Default)]
struct Tried {
    failed: Option<Failure>,
    resigned: bool,
    moves: Vec<Move>,
    /// Of the bot's moves; none if it made none.
    slowest: Option<Duration>,
    surplus_lines: u32,
    log: Vec<LogLine>,
}

impl Tried {
    fn failure(&self, what: &str, seat: Seat, launch: &Launch) -> Option<Mark> {
        let cause = self.failed.as_ref()?;
        let found = match cause {
            Failure::Fault(fault) => {
                format!("{} in seat {}: {}", fault.status, seat.index(), fault.evidence.sentence(fault.status))
            }
            Failure::Void(why) => why.clone(),
        };
        Some(Mark::failed(what, found, cause, launch))
    }
}

/// One game against an opponent that plays the sample moves.
fn play_one(bot: &mut Bot, variant: &Variant, clock: TimeControl, seat: Seat, seed: u64) -> Tried {
    let mut opponent = SampleMover;
    let setup = Setup { variant, seed, opening: &[], clock, max_plies: None };
    let players: [&mut dyn Player; 2] = match seat {
        Seat::First => [bot, &mut opponent],
        Seat::Second => [&mut opponent, bot],
    };
    let (referee, aftermath) = match game::play(&setup, bot_seeds(seed, "check"), players, None) {
        Ok(played) => played,
        Err(why) => return Tried { failed: Some(Failure::Void(why)), ..Tried::default() },
    };
    let (verdict, moves, played) = referee.into_parts();
    let own = played.iter().enumerate().filter(|(ply, _)| Seat::after(*ply) == seat);
    let status = verdict.statuses[seat.index()];
    let evidence = verdict.evidence[seat.index()].clone().unwrap_or_default();
    let [first, second] = aftermath;
    let aftermath = if seat == Seat::First { first } else { second };
    Tried {
        failed: match verdict.result {
            GameResult::Void => Some(Failure::Void(verdict.reason)),
            _ => status.is_fault().then(|| Fault { status, evidence }.into()),
        },
        resigned: status == Status::Resigned,
        moves,
        slowest: own.map(|(_, played)| Duration::from_micros(played.us)).max(),
        surplus_lines: aftermath.surplus_lines,
        log: aftermath.log,
    }
}
