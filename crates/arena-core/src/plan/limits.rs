//! What a tournament of a size is, and the largest that can be played: by the checks of tournaments themselves.

use super::derive_seed;
use crate::format::flags::{Flag, FlagKind};
use crate::format::{Field, Format, FormatOptions, GAMES_MAX, ROUNDS_MAX, Setting};

/// By how much a stepwise tournament may exceed its mean number of games, such as by further pairs of level matches.
const EXCESS: f64 = 1.001;

/// The inputs of a format of this size.
pub(super) fn field(format: &Format, bots: usize, size: u32, seed: u64) -> Field {
    let (mut rounds, mut options) = (size, FormatOptions::default());
    if is_endless(format) {
        options.set(size_flag(format), Setting::Number(u64::from(size)));
        // As many as all pairs of the tournament: how often two bots meet is what is to be found.
        let all = (u64::from(size) * bots as u64).div_ceil(2).clamp(format.rounds.1.into(), ROUNDS_MAX.into());
        rounds = all as u32;
    }
    Field {
        bots,
        rounds,
        openings: format.openings(rounds, &options) as usize,
        seed,
        keys: (0..bots).map(|bot| derive_seed(seed, "key", &[&bot.to_le_bytes()])).collect(),
        challengers: challengers(format, bots),
        options,
        ..Field::default()
    }
}

/// The challenger of a gauntlet: a bot in the middle.
pub(super) fn challengers(format: &Format, bots: usize) -> Vec<usize> {
    if format.has_challengers { vec![bots / 2] } else { Vec::new() }
}

/// The most pairs of two bots, if that is what the rounds of a format are.
pub(super) fn meetings_max(format: &Format) -> Option<f64> {
    is_endless(format).then(|| format.rounds.1.into())
}

/// Whether the size is an option, and rounds are the most pairs of two bots.
fn is_endless(format: &Format) -> bool {
    format.endless.is_some() && format.is_stepwise()
}

/// The flag for the size of a format.
#[must_use]
pub fn size_flag(format: &Format) -> &'static Flag {
    format.endless.filter(|_| format.is_stepwise()).map_or(format.rounds.0, |(flag, _)| flag)
}

/// The largest size that a tournament accepts.
pub(super) fn size_max(format: &Format, bots: usize) -> u32 {
    let is_accepted = |size: u32| {
        let field = field(format, bots, size, 0);
        let openings = format.usable_openings(field.rounds, &field.options);
        let others = bots.saturating_sub(1) as f64;
        let are_enough = meetings_max(format).is_none_or(|meetings| f64::from(size) <= meetings * others);
        openings.is_ok() && are_enough && format.fixed_games(&field) <= GAMES_MAX
    };
    let (mut low, mut high) = match size_flag(format).kind {
        FlagKind::Number(least, most) => (least as u32, (most as u32).saturating_add(1)),
        _ => (1, ROUNDS_MAX),
    };
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_accepted(middle) { low = middle } else { high = middle }
    }
    low
}

/// The most games of a plan.
pub(super) fn games_max(format: &Format) -> f64 {
    if format.is_stepwise() { GAMES_MAX as f64 / EXCESS } else { GAMES_MAX as f64 }
}
