//! What a person sees while a tournament runs: a bar on a terminal, a plain line every few seconds elsewhere.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::tell;
use crate::event::LeftOut;
use crate::observer::{Observer, RunEvent};
use crate::record::Record;
use crate::report::{llr_text, with_margin};
use crate::text::{counted, shown};
use crate::time::now;

/// Time between plain lines.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(5);

type CheckCommand<'a> = Box<dyn Fn(&str) -> Option<String> + Send + 'a>;

pub(super) struct Progress<'a> {
    /// The command that says more about a bot with this name.
    check: CheckCommand<'a>,
    bar: ProgressBar,
    quiet: bool,
    done: u64,
    total: u64,
    /// Whether a decision may come long before the last game.
    at_most: bool,
    faults: u64,
    /// What the command wants to be seen live.
    note: String,
    begun: Instant,
    last_line: Instant,
}

impl<'a> Progress<'a> {
    /// Progress of a run that has not begun.
    pub(super) fn new(quiet: bool, check: impl Fn(&str) -> Option<String> + Send + 'a) -> Self {
        let bar = if quiet {
            ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden())
        } else {
            ProgressBar::new(0)
        };
        let begun = now();
        let progress = Self {
            check: Box::new(check),
            bar,
            quiet,
            done: 0,
            total: 0,
            at_most: false,
            faults: 0,
            note: String::new(),
            begun,
            last_line: begun,
        };
        progress.set_style("{wide_bar} {pos}/{len} games  {rate}  {eta} left{msg}");
        progress
    }

    fn expect(&mut self, games: u32) {
        self.total += u64::from(games);
        self.bar.set_length(self.total);
    }

    /// A decision may come long before the last game: nobody knows how much time is left.
    fn at_most(&mut self) {
        if !self.at_most {
            self.at_most = true;
            self.set_style("{wide_bar} {pos} of at most {len} games  {rate}{msg}");
        }
    }

    fn set_style(&self, template: &str) {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // A bar that cannot be drawn is no reason to stop.
            let _ = out.write_str(&rate_text(state.per_sec()));
        };
        self.bar.set_style(style.with_key("rate", rate));
    }

    fn finished(&mut self, record: &Record) {
        let faults = record.statuses.iter().filter(|status| status.is_fault()).count() as u64;
        self.faults += faults;
        if faults > 0 {
            self.show();
        }
        self.done(1);
    }

    fn done(&mut self, games: u64) {
        self.done += games;
        self.bar.inc(games);
        if self.last_line.elapsed() >= LINE_EVERY {
            self.line();
        }
    }

    /// A line that must not be torn by the bar.
    fn say(&self, text: &str) {
        // A bar without games is not drawn yet, and must not be.
        if self.total == 0 {
            return tell(text);
        }
        self.bar.suspend(|| tell(text));
    }

    fn show(&self) {
        let faults = if self.faults > 0 { format!("  {} faults", self.faults) } else { String::new() };
        self.bar.set_message(format!("{faults}{}", self.note));
    }

    fn line(&mut self) {
        self.last_line = now();
        if self.quiet || !self.bar.is_hidden() {
            return;
        }
        tell(&self.text(self.begun.elapsed().as_secs_f64()));
    }

    /// What is to be told after so many seconds.
    fn text(&self, seconds: f64) -> String {
        let Self { done, total, faults, note, .. } = self;
        let rate = *done as f64 / seconds.max(0.001);
        if self.at_most {
            return format!("{done} of at most {total} games, {}, {faults} faults{note}", rate_text(rate));
        }
        // A void game that ends up as another is counted twice.
        let left = total.saturating_sub(*done) as f64 / rate.max(0.001);
        format!("{done}/{total} games, {}, {left:.0} s left, {faults} faults{note}", rate_text(rate))
    }
}

/// How fast games are played.
fn rate_text(per_second: f64) -> String {
    format!("{per_second:.1} a second")
}

impl Observer for Progress<'_> {
    fn observe(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Note { text } => self.say(text),
            RunEvent::Checking { tried, bots, waiting_for } if !self.quiet => {
                self.say(&format!(
                    "checking the bots: {tried} of {bots} tried, waiting for {}",
                    waiting_for.join(", ")
                ));
            }
            RunEvent::Checking { .. } | RunEvent::GameBegun(_) | RunEvent::Moved(_) | RunEvent::MovesDropped { .. } => {
            }
            RunEvent::LeftOut { bot: LeftOut { name, cause }, log } => {
                let log = log.as_ref().map_or_else(String::new, |log| format!("; log: {}", log.display()));
                let next = (self.check)(name).map_or_else(String::new, |next| format!("; next: {next}"));
                self.say(&format!("left out: {name}: {cause}{log}{next}"));
            }
            RunEvent::Begun { missing, may_end_early, .. } => {
                self.expect(*missing);
                if *may_end_early {
                    self.at_most();
                }
            }
            RunEvent::GameEnded { record, tried_again: true, .. } => {
                // Also where one bot spoils the games of others, which no table tells.
                self.say(&format!("a game was void and is played again: {}", shown(&record.reason)));
            }
            RunEvent::GameEnded { record, .. } => self.finished(record),
            RunEvent::Withdrawn { name, why, games } => {
                self.say(&format!("{} is {why}; not played: {}", shown(name), counted(*games, "game")));
                self.done(*games as u64);
            }
            RunEvent::RoundAdded { games, .. } => {
                if !self.quiet && *games > 0 {
                    self.say(&format!("not yet: {} more", counted(*games as usize, "game")));
                }
                self.expect(*games);
            }
            RunEvent::Gone { name, change } => self.say(&format!(
                "taken out of this run: {name}: {change}; its finished games stay, run again to play it as it is now"
            )),
            RunEvent::TestChanged { status } => {
                let elo = status.elo.map_or_else(String::new, |elo| format!("  {}", with_margin(&elo)));
                let llr = status.llr.map_or_else(String::new, |(llr, bounds)| format!("  {}", llr_text(llr, bounds)));
                self.note = elo + &llr;
                self.show();
            }
            RunEvent::Warning { text } => self.say(&format!("warning: {text}")),
            RunEvent::Stopping => {
                self.say("stopping: running games are finished first; once more to leave at once");
            }
            RunEvent::Over { .. } => self.bar.finish_and_clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_has_one_decimal() {
        assert_eq!([2.6994, 0.0, 1234.5678].map(rate_text), ["2.7 a second", "0.0 a second", "1234.6 a second"]);
    }

    #[test]
    fn a_test_is_not_said_to_take_the_time_of_all_its_games() {
        let mut progress = Progress::new(true, |_| None);
        progress.expect(20_000);
        (progress.done, progress.note) = (50, "  LLR 1.00".to_owned());
        assert_eq!(progress.text(10.0), "50/20000 games, 5.0 a second, 3990 s left, 0 faults  LLR 1.00");
        (progress.done, progress.note) = (20_003, String::new());
        assert_eq!(progress.text(10.0), "20003/20000 games, 2000.3 a second, 0 s left, 0 faults");
        (progress.done, progress.note) = (50, "  LLR 1.00".to_owned());
        progress.at_most();
        assert_eq!(progress.text(10.0), "50 of at most 20000 games, 5.0 a second, 0 faults  LLR 1.00");
    }
}
