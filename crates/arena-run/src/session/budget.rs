//! The format of a new tournament under a budget of time.

use std::time::Instant;

use arena_core::event::Tournament;
use arena_core::format::{self, Format, FormatOptions, Setting};
use arena_core::text::counted;
use arena_sys::flags::FORMAT;
use arena_sys::time::long_duration;

use super::SessionSettings;
use super::estimate::{BotTimes, estimate, mean_moves};

/// Round-robins for which there must be time; else a ladder tells more.
const ROUNDS_MIN: f64 = 2.0;

/// Makes `settings` those of a format that goes on for as long as there is time, a ladder, if there is none for two rounds of `event`, and says so.
pub(super) fn ladder_instead(
    settings: &mut SessionSettings,
    event: &Tournament,
    times: impl Fn(&str) -> Option<BotTimes>,
    concurrency: usize,
    now: Instant,
) -> Option<String> {
    let budget = settings.budget.filter(|budget| budget.may_change_format)?;
    let left = budget.deadline.saturating_duration_since(now);
    let moves = mean_moves(&settings.game, &event.openings, event.max_plies);
    let bots = event.bots.len();
    let times: Vec<Option<BotTimes>> = event.bots.iter().map(|bot| times(&bot.id.name)).collect();
    let games = (0..bots).flat_map(|a| (0..bots).filter(move |b| *b != a).map(move |b| [a, b]));
    let round = estimate(games.map(|pair| pair.map(|bot| times[bot])), moves, event.clock, concurrency);
    if ROUNDS_MIN * round.seconds <= left.as_secs_f64() {
        return None;
    }
    let (format, (flag, pairs)) = format::all().find_map(|format| Some((format, format.endless?)))?;
    settings.format = format;
    settings.rounds = format.rounds.1;
    settings.format_options = FormatOptions::default().with(flag, Setting::Number(pairs));
    // The bots were checked with this seed.
    settings.seed = Some(event.seed);
    let about = if round.is_limit { "up to" } else { "about" };
    let time = long_duration(round.seconds);
    Some(format!(
        "a round of all pairs of {} takes {about} {time}, too long to play two: playing a {} ({FORMAT} {} plays rounds)",
        counted(bots, "bot"),
        format.title,
        Format::usual().name,
    ))
}
