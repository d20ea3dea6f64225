//! Progress of a running tournament: a bar on a terminal, a plain line every few seconds elsewhere.

mod outlook;

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::event::LeftOut;
use arena_core::format::Format;
use arena_core::text::{counted, shown};
use arena_run::session::Goal;
use arena_show::observer::{Observer, RunEvent};
use arena_show::views::{Ranking, capital};
use arena_store::report::{llr_text, with_margin};
use arena_sys::time::{long_duration, now};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::Io;
use crate::cli::io::columns;
use outlook::Outlook;

/// Most matches of a stage of which each has a line of its own.
const MATCHES_TOLD: usize = 8;
/// Time between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

type CheckCommand<'a> = Box<dyn Fn(&str) -> Option<String> + Send + 'a>;

pub(crate) struct Progress<'a> {
    /// The command that shows details about a bot with this name.
    check: CheckCommand<'a>,
    /// Counts games, drawn or not.
    bar: ProgressBar,
    io: &'a Io,
    quiet: bool,
    /// How far the check of the bots has come, while it runs: on a line of its own in a terminal.
    checking: Option<(ProgressBar, String)>,
    /// Whether the number of games is unknown, because a decision may end the run or add games.
    is_open: bool,
    /// What to say before the number of games that a decision adds; nothing if that happens all the time.
    adding: Option<&'static str>,
    faults: usize,
    /// The state of a test.
    note: String,
    /// The games that a decision added last, in a terminal.
    added: String,
    /// The machines that play, if others do.
    workers: String,
    /// The lines below the bar, in a terminal.
    outlook: Outlook,
    /// What the bar looks like.
    template: &'static str,
    /// Whether a bot is left out.
    has_left_out: bool,
    last_line: Instant,
}

impl<'a> Progress<'a> {
    /// Progress of a run that has not begun.
    pub(crate) fn new(quiet: bool, io: &'a Io, check: impl Fn(&str) -> Option<String> + Send + 'a) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { io.draw_target() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let progress = Self {
            check: Box::new(check),
            bar,
            io,
            quiet,
            checking: None,
            is_open: false,
            adding: None,
            faults: 0,
            note: String::new(),
            added: String::new(),
            workers: String::new(),
            outlook: Outlook::default(),
            template: "{wide_bar} {pos}/{len} games  {rate}  {left} left{msg}",
            has_left_out: false,
            last_line: now(),
        };
        progress.set_style();
        progress
    }

    /// Progress toward a goal, and until a deadline.
    pub(crate) fn toward(mut self, goal: Option<Goal>, deadline: Option<Instant>) -> Self {
        (self.outlook.goal, self.outlook.deadline) = (goal, deadline);
        self
    }

    /// Hides the total and the time left, which are unknown.
    fn hide_total(&mut self) {
        self.is_open = true;
        self.template = "{pos} games  {rate}{msg}";
        self.set_style();
    }

    /// An empty line below the bar would be drawn too.
    fn set_style(&self) {
        let below = if self.bar.prefix().is_empty() { "" } else { "\n{prefix}" };
        let style = ProgressStyle::with_template(&format!("{}{below}", self.template))
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // A bar that cannot be drawn is no reason to stop.
            let _ = out.write_str(&rate_text(state.pos(), state.elapsed().as_secs_f64()));
        };
        let left = |state: &ProgressState, out: &mut dyn Write| {
            let left = seconds_left(state.pos(), state.len().unwrap_or_default(), state.elapsed().as_secs_f64());
            let _ = out.write_str(&left.map_or_else(|| "–".to_owned(), long_duration));
        };
        self.bar.set_style(style.with_key("rate", rate).with_key("left", left));
    }

    /// More games are to be played.
    fn expect(&self, games: u32) {
        // A bar without games is not drawn, which the first of them would do.
        if games > 0 {
            self.bar.inc_length(u64::from(games));
        }
    }

    fn done(&mut self, games: u64) {
        self.bar.inc(games);
        if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = now();
            if !self.quiet && self.bar.is_hidden() {
                self.io.tell(&self.text(self.bar.elapsed().as_secs_f64()));
            }
        }
    }

    /// Prints a line that the bar must not interrupt.
    fn say(&self, text: &str) {
        self.without_bar(|| self.io.tell(text));
    }

    fn without_bar(&self, say: impl FnOnce()) {
        if let Some((line, _)) = &self.checking {
            return line.suspend(say);
        }
        // A bar without games is not drawn yet, and `suspend` would draw it.
        if self.bar.length() == Some(0) { say() } else { self.bar.suspend(say) }
    }

    /// A decision added games.
    fn say_added(&mut self, games: u32) {
        let Some(adding) = self.adding.filter(|_| !self.quiet && games > 0) else { return };
        let added = format!("{adding} {}", counted(games as usize, "game"));
        if self.bar.is_hidden() {
            return self.io.tell(&added);
        }
        self.added = format!("  {added}");
        self.show();
    }

    /// Updates the line of the check. Returns the text if it is to be printed, since there is no terminal and it is news.
    fn check_reached(&mut self, text: String) -> Option<String> {
        let (line, before) = self.checking.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            let line = if self.bar.is_hidden() { ProgressBar::hidden() } else { ProgressBar::new(0) };
            (line.with_style(style), String::new())
        });
        line.set_message(text.clone());
        let is_news = std::mem::replace(before, text.clone()) != text;
        (is_news && line.is_hidden()).then_some(text)
    }

    fn show(&self) {
        let faults = if self.faults > 0 { format!("  {}", counted(self.faults, "fault")) } else { String::new() };
        self.bar.set_message(format!("{faults}{}{}{}", self.added, self.workers, self.note));
    }

    /// Shows what is known by now below the bar, unless it was shown a moment ago.
    fn show_outlook(&mut self) {
        if !self.bar.is_hidden()
            && let Some(lines) = self.outlook.next(columns())
        {
            let was_empty = self.bar.prefix().is_empty();
            self.bar.set_prefix(lines);
            if was_empty {
                self.set_style();
            }
        }
    }

    /// Says that a bot is left out, and once how to learn more.
    fn say_left_out(&mut self, LeftOut { name, cause, declined }: &LeftOut) {
        self.without_bar(|| {
            self.io.tell_left_out(&format!("{name}: {cause}"));
            // It is the same for all bots.
            if !self.has_left_out
                && !declined
                && let Some(check) = (self.check)(name)
            {
                self.io.tell_command("more: ", &check);
            }
        });
        self.has_left_out |= !declined;
    }

    /// The plain line after this many seconds.
    fn text(&self, seconds: f64) -> String {
        let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let Self { note, workers, .. } = self;
        let faults = counted(self.faults, "fault");
        let rate = rate_text(done, seconds);
        if self.is_open {
            return format!("{}, {rate}, {faults}{workers}{note}", counted(done as usize, "game"));
        }
        // A void game and its replacement are both counted.
        let left = seconds_left(done, total, seconds).map_or_else(|| "–".to_owned(), |left| format!("{left:.0} s"));
        format!("{done}/{total} games, {rate}, {left} left, {faults}{workers}{note}")
    }
}

/// The estimated duration of a run, rounded to one digit, since it is not known better.
fn estimate_text(games: u32, seconds: f64, is_limit: bool) -> String {
    let one_figure = |value: f64| {
        let unit = 10_f64.powf(value.max(1.0).log10().floor());
        (value / unit).round() * unit
    };
    let (count, unit) = match seconds {
        ..90.0 => (seconds, "seconds"),
        ..5400.0 => (seconds / 60.0, "minutes"),
        ..172_800.0 => (seconds / 3600.0, "hours"),
        _ => (seconds / 86_400.0, "days"),
    };
    let (duration, count) = (format!("{:.0} {unit}", one_figure(count)), counted(games as usize, "game"));
    if is_limit {
        return format!("estimate for {count}: {duration} at most");
    }
    let rate = f64::from(games) / seconds;
    let (rate, per) = match rate {
        1.0.. => (rate, "a second"),
        0.017.. => (rate * 60.0, "a minute"),
        _ => (rate * 3600.0, "an hour"),
    };
    format!("estimate for {count}: about {duration} ({:.0} games {per})", one_figure(rate))
}

/// The rate of games, which is unknown before the first of them has ended.
fn rate_text(done: u64, seconds: f64) -> String {
    if done == 0 { "–".to_owned() } else { format!("{:.1}/s", done as f64 / seconds.max(0.001)) }
}

/// How long the other games take at the rate of those that have ended, if there are any.
fn seconds_left(done: u64, total: u64, seconds: f64) -> Option<f64> {
    (done > 0).then(|| total.saturating_sub(done) as f64 * seconds / done as f64)
}

/// Where a log-likelihood ratio is between the bounds of its test: `H0 ├─────┼──●──┤ H1`.
fn track(llr: f64, [lower, upper]: [f64; 2]) -> String {
    const CELLS: usize = 11;
    let cell = |value: f64| {
        let share = ((value - lower) / (upper - lower)).clamp(0.0, 1.0);
        (share * (CELLS - 1) as f64).round() as usize
    };
    let (zero, here) = (cell(0.0), cell(llr));
    let cells = (0..CELLS).map(|place| match place {
        _ if place == here => '●',
        0 => '├',
        _ if place == CELLS - 1 => '┤',
        _ if place == zero => '┼',
        _ => '─',
    });
    format!("H0 {} H1", cells.collect::<String>())
}

impl Observer for Progress<'_> {
    fn observe(&mut self, event: &RunEvent) {
        let is_of_check = matches!(event, RunEvent::Checking { waiting_for, .. } if !waiting_for.is_empty())
            || matches!(event, RunEvent::LeftOut { .. } | RunEvent::Warning { .. });
        if !is_of_check && let Some((line, _)) = self.checking.take() {
            line.finish_and_clear();
        }
        match event {
            RunEvent::Note { text } => self.say(text),
            RunEvent::Checking { tried, bots, waiting_for } if !self.quiet && !waiting_for.is_empty() => {
                let waiting_for = waiting_for.join(", ");
                let text = format!("checking the bots: {tried} of {bots} tried, waiting for {waiting_for}");
                if let Some(text) = self.check_reached(text) {
                    self.say(&text);
                }
            }
            RunEvent::Estimate { games, seconds, is_limit } if !self.quiet => {
                self.say(&estimate_text(*games, *seconds, *is_limit));
            }
            RunEvent::MatchEnded { stage, of, open, line, .. } if !self.quiet => {
                if *of <= MATCHES_TOLD {
                    self.say(line);
                } else if *open == 0 {
                    self.say(&format!("{}: all {of} matches are over", capital(stage)));
                }
            }
            RunEvent::Checking { .. }
            | RunEvent::Estimate { .. }
            | RunEvent::MatchEnded { .. }
            | RunEvent::GameBegun { .. }
            | RunEvent::Moved { .. }
            | RunEvent::MovesDropped { .. } => {}
            RunEvent::LeftOut { bot, .. } => self.say_left_out(bot),
            RunEvent::Begun { event, missing, may_end_early, .. } => {
                let format = Format::named(&event.format);
                self.adding = match format {
                    Some(format) if format.is_stepwise() => None,
                    // A list of games, which is there from the beginning.
                    _ if event.rounds == 0 => Some("to play:"),
                    _ => Some("more rounds:"),
                };
                self.outlook.event = Some(Arc::clone(event));
                self.expect(*missing);
                // The checks before it say nothing about the rate of games.
                self.bar.reset_elapsed();
                if *may_end_early || format.is_some_and(Format::is_stepwise) {
                    self.hide_total();
                }
            }
            // A warning has said it.
            RunEvent::GameEnded { record, tried_again: true, .. } if record.rules_fault.is_some() => {}
            RunEvent::GameEnded { record, tried_again: true, .. } => {
                // No table shows this, for example if one bot spoils the games of others.
                self.say(&format!("a game was void and will be replayed: {}", shown(&record.reason_in_words())));
            }
            RunEvent::GameEnded { game, brief, record, .. } => {
                self.outlook.end_game(game, brief);
                self.show_outlook();
                let faults = record.statuses.iter().filter(|status| status.is_fault()).count();
                if faults > 0 {
                    self.faults += faults;
                    self.show();
                }
                self.done(1);
            }
            RunEvent::Withdrawn { name, why, games } => {
                // How many that are is known at the end: more may be added, and a game of two such bots is one of both.
                self.say(&format!("{} is {why}; its further games are not played", shown(name)));
                self.done(*games as u64);
            }
            RunEvent::RoundAdded { games, .. } => {
                self.say_added(*games);
                if !self.is_open {
                    // More may follow.
                    self.hide_total();
                }
                self.expect(*games);
            }
            RunEvent::Gone { name, change } => self.say(&format!(
                "{name} plays no more games: {change}; its finished games are kept; run again to play the new version"
            )),
            RunEvent::TestChanged { status } => {
                let elo = status.elo.map_or_else(String::new, |elo| format!("  {}", with_margin(&elo)));
                let test = status.llr.map_or_else(String::new, |(llr, bounds)| {
                    format!("  {}  {}", track(llr, bounds), llr_text(llr, bounds))
                });
                self.note = test + &elo;
                self.show();
            }
            RunEvent::Workers { count, slots, .. } => {
                let workers = format!("  {}, {}", counted(*count, "worker"), counted(*slots, "slot"));
                if self.workers != workers {
                    if !self.quiet && self.bar.is_hidden() {
                        self.io.tell(workers.trim());
                    }
                    self.workers = workers;
                    self.show();
                }
            }
            RunEvent::Warning { text } => self.without_bar(|| self.io.warn(text)),
            RunEvent::Stopping => {
                self.say("stopping after the current games; press Ctrl-C again to quit now");
            }
            RunEvent::Over { .. } => self.bar.finish_and_clear(),
        }
    }

    fn tables_written(&mut self, ranking: &Ranking) {
        self.outlook.rank(ranking);
        self.show_outlook();
    }
}

#[cfg(test)]
mod tests {
    use arena_guard::GuardProgram;

    use super::*;

    fn silent() -> Io {
        Io::captured(["arena"], GuardProgram::default())
    }

    #[test]
    fn the_rate_has_one_decimal() {
        assert_eq!([(27, 10.0), (0, 9.0), (1, 99.0)].map(|(done, s)| rate_text(done, s)), ["2.7/s", "–", "0.0/s"]);
    }

    #[test]
    fn an_estimate_has_one_figure() {
        let about = |seconds| {
            let text = estimate_text(600, seconds, false);
            text.strip_prefix("estimate for 600 games: about ").unwrap().to_owned()
        };
        assert_eq!(
            [34.0, 89.0, 91.0, 1300.0, 9000.0, 1e6].map(about),
            [
                "30 seconds (20 games a second)",
                "90 seconds (7 games a second)",
                "2 minutes (7 games a second)",
                "20 minutes (30 games a minute)",
                "3 hours (4 games a minute)",
                "10 days (2 games an hour)",
            ]
        );
        assert_eq!(estimate_text(1, 100.0, true), "estimate for 1 game: 2 minutes at most");
    }

    #[test]
    fn a_test_is_shown_on_its_way_to_a_decision() {
        let io = silent();
        let mut progress = Progress::new(true, &io, |_| None);
        progress.bar.inc_length(20_000);
        let at = |progress: &mut Progress<'_>, games, note: &str| {
            progress.bar.set_position(games);
            note.clone_into(&mut progress.note);
        };
        at(&mut progress, 50, "  LLR 1.00");
        assert_eq!(progress.text(10.0), "50/20000 games, 5.0/s, 3990 s left, 0 faults  LLR 1.00");
        at(&mut progress, 20_003, "");
        assert_eq!(progress.text(10.0), "20003/20000 games, 2000.3/s, 0 s left, 0 faults");
        at(&mut progress, 50, "  LLR 1.00");
        progress.hide_total();
        assert_eq!(progress.text(10.0), "50 games, 5.0/s, 0 faults  LLR 1.00");
    }

    #[test]
    fn the_time_left_begins_with_the_games() {
        let io = silent();
        let mut progress = Progress::new(true, &io, |_| None);
        progress.bar.set_elapsed(Duration::from_secs(600));
        let event = crate::fixture::event(&["a", "b"]).into();
        progress.observe(&RunEvent::Begun { event, games: 60, missing: 60, may_end_early: false, expected: Some(60) });
        assert!(progress.bar.elapsed() < Duration::from_secs(300));
        assert_eq!(progress.text(0.5), "0/60 games, –, – left, 0 faults");
        progress.bar.inc(20);
        assert_eq!(progress.text(9.0), "20/60 games, 2.2/s, 18 s left, 0 faults");
    }

    #[test]
    fn a_check_that_has_come_no_further_is_not_reported_again() {
        let io = silent();
        let mut progress = Progress::new(true, &io, |_| None);
        let said = ["1 of 3", "1 of 3", "2 of 3"].map(|text| progress.check_reached(text.to_owned()).is_some());
        assert_eq!(said, [true, false, true]);
        progress.observe(&RunEvent::Note { text: String::new() });
        assert!(progress.checking.is_none());
    }

    #[test]
    fn the_number_of_games_is_shown_only_if_it_is_known() {
        let begun = |format: &str, may_end_early| {
            let event =
                arena_core::event::Tournament { format: format.to_owned(), ..crate::fixture::event(&["a", "b"]) };
            RunEvent::Begun { event: event.into(), games: 60, missing: 60, may_end_early, expected: None }
        };
        let text = |events: &[RunEvent]| {
            let io = silent();
            let mut progress = Progress::new(true, &io, |_| None);
            for event in events {
                progress.observe(event);
            }
            progress.text(10.0)
        };
        assert!(text(&[begun("round-robin", false)]).starts_with("0/60 games, "));
        // A test or a budget, results that decide, rounds that were added.
        let more = RunEvent::RoundAdded { number: 1, games: 20, expected: None };
        for events in
            [vec![begun("round-robin", true)], vec![begun("ladder", false)], vec![begun("round-robin", false), more]]
        {
            assert!(text(&events).starts_with("0 games, "), "{}", text(&events));
        }
    }

    #[test]
    fn the_track_shows_the_bounds_the_middle_and_the_ratio() {
        let bounds = [-2.94, 2.94];
        assert_eq!(track(0.0, bounds), "H0 ├────●────┤ H1");
        assert_eq!(track(1.5, bounds), "H0 ├────┼──●─┤ H1");
        assert_eq!(track(-2.9, bounds), "H0 ●────┼────┤ H1");
        assert_eq!(track(9.0, bounds), "H0 ├────┼────● H1");
        assert_eq!(track(0.0, [-1.0, 3.0]), "H0 ├──●──────┤ H1");
    }
}
