//! `arena check --strength`: how strong a bot is, on a ladder of built-in bots.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use arena_core::clock::{Charge, TimeControl};
use arena_core::openings::Lost;
use arena_core::rules::{RULES, Variant};
use arena_core::stats::Strength;
use arena_core::text::counted;
use arena_play::strength::{Ladder, Measured, Measurement, RatedRung};
use arena_run::session::{OpeningSource, Runtime};
use arena_sys::entropy::unpredictable;
use arena_sys::time::now;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::json;

use super::Args;
use crate::cli::{Exit, Io};

/// The margin that is enough, in Elo.
const MARGIN: f64 = 75.0;
/// Time for all games.
const TIME: Duration = Duration::from_secs(58);
/// More pairs than are needed.
const PAIRS_MAX: u32 = 1_000;

/// Measures the bot and prints how strong it is.
pub(super) fn run(args: &Args, bot: &str, asked: &[Variant], clock: TimeControl, io: &Io) -> anyhow::Result<Exit> {
    let variant = match asked {
        [] => Variant::named(RULES[0].name)?,
        [game] => game.clone(),
        [..] => bail!("a strength is that in one game; name one --game"),
    };
    let ladder = Ladder::of(&variant)?;
    let mut found = args.how.find(bot, io)?;
    super::refuse_unplayable(&found, std::slice::from_ref(&variant))?;
    let source = OpeningSource::asked(args.openings.as_deref(), args.opening_plies);
    let openings = source.take(&variant, unpredictable(), PAIRS_MAX, Lost::Last)?.openings;
    let scratch = args.how.prepare(vec![&mut found], clock.charge, io)?;
    let launch = Arc::new(scratch.launch(&found));
    let mut runtime = Runtime::start()?;
    let handle = runtime.tokio.handle().clone();
    // A bot that is charged its processor time may share a processor; others need one.
    let processors = std::thread::available_parallelism().map_or(1, Into::into);
    let concurrency = if clock.charge == Charge::Cpu { processors } else { processors.div_ceil(2) };
    let measurement = Measurement {
        launch: &launch,
        variant: &variant,
        clock,
        ladder: &ladder,
        openings: &openings,
        margin: MARGIN,
        time: TIME,
        concurrency,
    };
    let bar = ProgressBar::with_draw_target(None, io.draw_target()).with_style(ProgressStyle::default_spinner());
    bar.enable_steady_tick(Duration::from_millis(200));
    let name = &found.launch.name;
    let shown = Mutex::new(());
    let show = |measured: &Measured| {
        let _one_at_a_time = shown.lock();
        bar.set_message(format!("{name}: {}, {} games", rating(measured.strength()), measured.games()));
    };
    let (start, stop) = (now(), AtomicBool::new(false));
    let measured = runtime.unless_stopped(&stop, || measurement.run(&handle, &stop, &show), || {})?;
    bar.finish_and_clear();
    let Some(measured) = measured.filter(|_| !stop.load(Ordering::Relaxed)) else { return Ok(Exit::Killed) };
    let seconds = start.elapsed().as_secs_f64();
    let Some(strength) = measured.strength() else {
        bail!("no game of {name} counts: {}", measured.first_void.or(measured.first_fault).unwrap_or_default());
    };
    if let Some(void) = &measured.first_void {
        io.warn(&format!("games that do not count: {void}"));
    }
    if args.json {
        io.print_json(&as_json(name, &variant, &measured, &ladder, seconds))?;
    } else {
        io.print(&format!("{name}: {}\n", text(&measured, strength, &ladder, seconds)))?;
    }
    if let Some(fault) = &measured.first_fault {
        io.warn(&format!("{name} lost {} by faults: {fault}", counted(measured.faults as usize, "game")));
        return Ok(Exit::BotTrouble);
    }
    Ok(Exit::Done)
}

/// A rating as people write it: `1,140 ± 80`.
fn rating(strength: Option<Strength>) -> String {
    match strength {
        None => "no games yet".to_owned(),
        Some(Strength::Rated { elo, margin }) if margin.is_finite() => format!("{} ± {}", whole(elo), whole(margin)),
        Some(Strength::Rated { elo, .. }) => format!("about {}", whole(elo)),
        Some(Strength::Above(elo)) => format!("above {}", whole(elo)),
        Some(Strength::Below(elo)) => format!("below {}", whole(elo)),
    }
}

/// A whole number with separated thousands.
fn whole(number: f64) -> String {
    let sign = if number <= -0.5 { "-" } else { "" };
    format!("{sign}{}", HumanCount(number.abs().round() as u64))
}

fn text(measured: &Measured, strength: Strength, ladder: &Ladder, seconds: f64) -> String {
    let games = counted(measured.games() as usize, "game");
    let mut text = format!("{} ({games} in {seconds:.0} s)", rating(Some(strength)));
    let named = |rung: RatedRung| format!("{} ({})", rung.rung.name, whole(rung.elo));
    let place = match ladder.around(point(strength)) {
        [Some(below), Some(above)] => Some(format!("between {} and {}", named(below), named(above))),
        [Some(below), None] => Some(format!("above {}", named(below))),
        [None, Some(above)] => Some(format!("below {}", named(above))),
        [None, None] => None,
    };
    if let (Some(place), Strength::Rated { .. }) = (place, strength) {
        let _ = write!(text, ", {place}");
    }
    let [judged, given_away] = measured.judged;
    if judged > 0 {
        let mean = f64::from(given_away) / f64::from(judged);
        let _ = write!(text, "; gave away {mean:.1} results a game");
        if judged < measured.games() {
            let _ = write!(text, " in the {judged} that could be judged");
        }
    }
    if measured.repeated > 0 {
        let _ = write!(text, "; {} not counted that repeated others", measured.repeated);
    }
    text
}

fn point(strength: Strength) -> f64 {
    match strength {
        Strength::Rated { elo, .. } | Strength::Above(elo) | Strength::Below(elo) => elo,
    }
}

fn as_json(name: &str, variant: &Variant, measured: &Measured, ladder: &Ladder, seconds: f64) -> serde_json::Value {
    let strength = measured.strength();
    let of = |wanted: fn(Strength) -> Option<f64>| strength.and_then(wanted).filter(|number| number.is_finite());
    let rung = |rung: Option<RatedRung>| rung.map(|it| json!({ "name": it.rung.name, "elo": it.elo }));
    let around = strength.map_or([None, None], |strength| ladder.around(point(strength)));
    let [judged, given_away] = measured.judged;
    json!({
        "bot": name,
        "game": variant.to_string(),
        "elo": of(|it| match it { Strength::Rated { elo, .. } => Some(elo), _ => None }),
        "margin": of(|it| match it { Strength::Rated { margin, .. } => Some(margin), _ => None }),
        "above": of(|it| match it { Strength::Above(elo) => Some(elo), _ => None }),
        "below": of(|it| match it { Strength::Below(elo) => Some(elo), _ => None }),
        "rung_below": rung(around[0]),
        "rung_above": rung(around[1]),
        "games": measured.games(),
        "repeated": measured.repeated,
        "faults": measured.faults,
        "judged": judged,
        "gave_away": given_away,
        "seconds": (seconds * 10.0).round() / 10.0,
    })
}

#[cfg(test)]
mod tests {
    use arena_core::stats::FixedPair;

    use super::*;

    fn measured(points: &[f64]) -> Measured {
        let pairs = points.iter().map(|points| FixedPair { rating: 900.0, games: 2, points: *points }).collect();
        Measured { pairs, judged: [points.len() as u32 * 2, 7], ..Measured::default() }
    }

    #[test]
    fn a_strength_is_a_sentence() {
        let ladder = Ladder::of(&Variant::named("connect4").unwrap()).unwrap();
        let said = |measured: &Measured| text(measured, measured.strength().unwrap(), &ladder, 41.2);
        let rated = said(&measured(&[2.0, 1.0, 1.5, 0.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.5]));
        assert!(rated.starts_with("1,047 ± ") && rated.contains(" (20 games in 41 s), between "), "{rated}");
        assert!(rated.ends_with("; gave away 0.3 results a game"), "{rated}");
        let mut above = measured(&[2.0; 20]);
        (above.judged, above.repeated) = ([30, 0], 2);
        assert_eq!(
            said(&above),
            "above 1,344 (40 games in 41 s); gave away 0.0 results a game in the 30 that could be judged; 2 not counted that \
             repeated others"
        );
        assert_eq!((whole(-0.3).as_str(), whole(-1_234.5).as_str()), ("0", "-1,235"));
    }
}
