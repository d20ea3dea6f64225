//! The score card of a bot: tests everything that a tournament requires.

use std::sync::Arc;

use super::cause_of;
use super::mark::{Mark, stderr_end};
use super::trial_game::TrialGame;
use crate::clock::TimeControl;
use crate::player::LogLine;
use crate::player::process::{Bot, Launch, SharedProcessor};
use crate::protocol::{Introduction, VERSION};
use crate::record::Status;
use crate::rules::{Seat, Variant};
use crate::text::shown;

/// Games played in each seat.
const GAMES_PER_SEAT: u64 = 3;

/// Tests everything that a tournament requires: the bot starts, speaks, plays each of `variants` that it claims in both
/// seats, repeats itself from the same seed, and leaves in time.
#[must_use]
pub fn score_card(
    launch: &Arc<Launch>,
    variants: &[Variant],
    clock: TimeControl,
    runtime: &tokio::runtime::Handle,
) -> Vec<Mark> {
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default());
    if let Err(failure) = bot.start() {
        return vec![Mark::failed("starts", None, &failure, launch)];
    }
    let hello = bot.hello();
    let mut marks = vec![Mark::good("starts", "it answered hello"), Mark::good("speaks", introduction(hello))];
    if let Some(unknown) = hello.games.iter().flatten().find_map(|name| Variant::named(name).err()) {
        marks.push(Mark::note("names games", format!("in its hello.games: {unknown}"), None));
    }
    let claimed: Vec<&Variant> = variants.iter().filter(|variant| bot.other_games(variant).is_none()).collect();
    if claimed.is_empty() {
        let advice = "name the games it plays in hello.games, or leave that field out to play all";
        let mark = Mark::bad("plays", "none of the games asked for is in its hello.games", advice);
        marks.push(Mark { code: Some(Status::StartupFailed.name()), ..mark });
    }
    let mut games = Vec::new();
    for variant in claimed {
        let what = format!("plays {}", variant.label);
        let mut rounds = Seat::BOTH.into_iter().flat_map(|seat| (0..GAMES_PER_SEAT).map(move |seed| (seat, seed)));
        let failed = rounds.find_map(|(seat, seed)| {
            let game = TrialGame::play(&mut bot, variant, clock, seat, seed, None);
            let failed = game.failure.as_ref().map(|failure| Mark::failed(&what, Some(seat), failure, launch));
            games.push(game);
            failed
        });
        if let Some(mark) = failed {
            marks.push(mark);
        } else {
            marks.push(Mark::good(what, format!("{} games from both seats without a fault", 2 * GAMES_PER_SEAT)));
            marks.push(determinism(launch, variant, clock, runtime));
        }
    }
    marks.extend(over_all(games, launch, clock));
    marks.push(leaving(&mut bot));
    marks
}

fn introduction(hello: &Introduction) -> String {
    let text = |field: &Option<String>| field.as_deref().map(shown);
    let name = text(&hello.name).unwrap_or_else(|| "(no name)".to_owned());
    let version = text(&hello.version).map(|version| format!(" {version}")).unwrap_or_default();
    let games = hello.games.as_ref().map_or_else(
        || "all games".to_owned(),
        |games| games.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", "),
    );
    format!("protocol {VERSION}; calls itself {name}{version}; plays {games}")
}

/// Two fresh processes play the same game from the same seed.
fn determinism(launch: &Arc<Launch>, variant: &Variant, clock: TimeControl, runtime: &tokio::runtime::Handle) -> Mark {
    let what = format!("repeats itself in {}", variant.label);
    let games: [TrialGame; 2] = std::array::from_fn(|_| {
        let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default());
        let game = TrialGame::play(&mut bot, variant, clock, Seat::First, 0, None);
        bot.leave();
        game
    });
    // Two games that fail alike have the same moves too.
    if let Some(failure) = games.iter().find_map(|game| game.failure.as_ref()) {
        Mark::failed(&what, Some(Seat::First), failure, launch)
    } else if games[0].moves == games[1].moves {
        Mark::good(what, "the same moves from the same seed")
    } else {
        let advice = "draw all chance from the `seed` of new_game, and fix the work rather than the time, if results \
                      are to be repeatable";
        Mark::note(what, "no: other moves from the same seed", Some(advice))
    }
}

/// What is only seen over many games.
fn over_all(games: Vec<TrialGame>, launch: &Launch, clock: TimeControl) -> Vec<Mark> {
    let mut marks = Vec::new();
    if let Some((slowest, label)) = games.iter().filter_map(|game| Some((game.slowest?, game.label))).max() {
        let found = format!("{:.1} ms ({label}), allowed {clock}", slowest.as_secs_f64() * 1e3);
        marks.push(Mark::note("slowest reply", found, None));
    }
    let resigned = games.iter().filter(|game| game.resigned).count();
    if resigned > 0 {
        let advice = "no fault, but lost; if it is not meant to give up, look for what makes it";
        marks.push(Mark::note("resigns", format!("{resigned} of {} games", games.len()), Some(advice)));
    }
    let surplus: u32 = games.iter().map(|game| game.aftermath.surplus_lines).sum();
    let has_left = !launch.fresh && games.iter().any(|game| game.has_left);
    let log: Vec<LogLine> = games.into_iter().flat_map(|game| game.aftermath.log).collect();
    if surplus > 0 {
        let advice =
            "print to stderr what is not a reply: stray lines on stdout are dropped, and too many lose the game";
        let dropped = log.iter().find(|line| matches!(line, LogLine::Dropped(..)));
        let details = dropped.map(ToString::to_string).into_iter().collect();
        marks.push(Mark { details, ..Mark::note("stray and stale lines", surplus.to_string(), Some(advice)) });
    }
    let ended = log.iter().enumerate().find_map(|(at, line)| match line {
        LogLine::EndedBetweenGames(how) => Some((how.as_str(), at)),
        _ => None,
    });
    let left = has_left.then_some(("it left, or read no further, after its last move", log.len()));
    if let Some((found, at)) = ended.or(left) {
        let advice = "stay until `quit`, and read game_over without an answer: one process plays many games, and each \
                      new one takes time to start";
        marks.push(Mark { details: stderr_end(&log[..at]), ..Mark::note("ends after a game", found, Some(advice)) });
    }
    marks
}

fn leaving(bot: &mut Bot) -> Mark {
    // After a fault the process is gone. That it was killed is not a good exit.
    if !bot.is_started()
        && let Err(failure) = bot.start()
    {
        return Mark::note("leaves", format!("not tried, since it did not start again: {}", cause_of(&failure)), None);
    }
    if bot.leave() {
        return Mark::good("leaves", "it left by itself after quit");
    }
    let advice = "exit on `quit` and at the end of stdin";
    let mark = Mark::bad("leaves", "it was still there 1 s after quit and was killed", advice);
    Mark { details: stderr_end(&bot.take_log()), ..mark }
}
