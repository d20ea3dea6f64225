//! Makes frames of what has happened: at most four a second, and only of what has changed.

use std::time::{Duration, Instant};

use arena_core::format::Format;
use arena_core::rules::Variant;
use arena_core::text::{cut, shown};
use arena_store::report::{REPORT_FILE, rounded_to};
use arena_sys::time::now;
use serde_json::{Value, json};

use super::LiveShared;
use super::frames::{FrameKind, PICTURES_MAX, STATE_MAX, with_items};
use super::inbox::{BegunRun, LastGame, RunNews};
use super::screen::LiveBoards;

/// Time between frames.
const FRAME_EVERY: Duration = Duration::from_millis(250);
/// Time between frames while a clock runs and nothing else changes: a new viewer counts on from the newest frame.
const CLOCKS_EVERY: Duration = Duration::from_secs(1);
/// Columns of a reason at most.
const REASON_COLUMNS: usize = 40;

/// Makes frames until the run is over; returns whether pages were told of a report.
pub(super) async fn paint(shared: &LiveShared) -> bool {
    let begun = now();
    let (news, screen, pictures) = Default::default();
    let mut painter = Painter { shared, news, variant: None, screen, pictures, aside: false, sent: begun };
    painter.hello();
    painter.state(begun);
    let mut tick = tokio::time::interval(FRAME_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        if let Some(has_report) = painter.paint() {
            return has_report;
        }
        tick.tick().await;
    }
}

struct Painter<'a> {
    shared: &'a LiveShared,
    news: RunNews,
    /// The game that is played, once it is known.
    variant: Option<Variant>,
    screen: LiveBoards,
    /// The newest images, as they were sent.
    pictures: String,
    /// Whether this thread keeps off the processors of the slots.
    aside: bool,
    /// When the last state was.
    sent: Instant,
}

impl Painter<'_> {
    /// Makes the frames that are due. If they are the last, returns whether there is a report.
    fn paint(&mut self) -> Option<bool> {
        let (shared, at) = (self.shared, now());
        if !self.aside
            && let Some(busy) = shared.boards.get().and_then(|boards| boards.processors())
        {
            arena_guard::stand_back(busy);
            self.aside = true;
        }
        let news = shared.inbox.take();
        let mut changed = news.is_some();
        if let Some(news) = news {
            self.news = news;
        }
        if self.variant.is_none()
            && let Some(begun) = &self.news.begun
        {
            self.variant = begun.event.variant().ok();
            self.hello();
        }
        if let (Some(begun), Some(variant), Some(boards)) = (&self.news.begun, &self.variant, shared.boards.get()) {
            changed |= self.screen.look(boards, &shared.finished, &begun.event, variant, at);
        }
        for (kind, json) in std::mem::take(&mut self.news.tables) {
            shared.frames.put(kind, &json);
        }
        if changed || self.screen.has_running_clock() && at - self.sent >= CLOCKS_EVERY {
            self.state(at);
        }
        let ending = self.news.over?;
        let place = &shared.settings.place;
        let path = place.path().join(REPORT_FILE).display().to_string();
        let has_report = place.open().is_ok_and(|folder| folder.has(REPORT_FILE));
        let json = json!({ "ending": ending, "report": has_report, "path": shown(&path) });
        shared.frames.put(FrameKind::Over, &json.to_string());
        Some(has_report)
    }

    fn hello(&self) {
        let name = shown(&self.shared.settings.name);
        let event = self.news.begun.as_ref().map(|begun| &begun.event);
        self.shared.frames.hello(json!({
            "name": name,
            "game": self.variant.as_ref().map(ToString::to_string),
            "bots": event.map(|event| event.bots.len()),
            "rounds": event.map(|event| event.rounds),
            "size": event.and_then(|event| event.size()).filter(|size| !size.is_empty()),
            "clock": event.map(|event| event.clock.to_string()),
            "format": event.and_then(|event| Format::named(&event.format)).filter(|format| !format.is_usual()).map(|it| it.title),
            "seats": self.variant.as_ref().and_then(|variant| variant.rules.seat_names()),
            "paced": self.shared.settings.is_paced,
            "version": env!("CARGO_PKG_VERSION"),
        }));
    }

    fn state(&mut self, at: Instant) {
        self.sent = at;
        let RunNews { phase, begun, tally, last, test, workers, over, .. } = &self.news;
        let elapsed = begun.as_ref().map_or(0.0, |begun| (at - begun.at).as_secs_f64());
        let rate = (tally.played > 0).then(|| tally.played as f64 / elapsed.max(1e-3));
        let is_fixed = begun.as_ref().is_some_and(|begun: &BegunRun| !begun.is_stepwise && !begun.may_end_early);
        let expected = begun.as_ref().filter(|begun| is_fixed || begun.is_stepwise).and(tally.expected);
        let left = if over.is_some() { Some(0.0) } else { expected.map(|all| all.saturating_sub(tally.done) as f64) };
        let mean = |sum: f64| (tally.played > 0).then(|| rounded_to(sum / tally.played as f64, 2));
        let results: Vec<Value> = last
            .iter()
            .rev()
            .map(|LastGame { record, is_upset }| {
                json!({
                    "id": shown(&record.id),
                    "bots": record.bots.each_ref().map(|bot| shown(&bot.name)),
                    "result": record.result,
                    "reason": cut(&shown(&record.reason_in_words()), REASON_COLUMNS),
                    "plies": record.moves.len(),
                    "upset": is_upset,
                })
            })
            .collect();
        let head = json!({
            "phase": if phase.is_empty() { "preparing" } else { phase },
            "done": tally.done,
            "games": tally.games,
            "fixed": is_fixed,
            "expected": expected,
            "elapsed": rounded_to(elapsed, 2),
            "rate": rate.map(|rate| rounded_to(rate, 2)),
            "left": rate.zip(left).map(|(rate, left)| (left / rate).ceil()),
            "over": over.is_some(),
            "void": tally.void,
            "faults": tally.faults,
            "mean_ms": mean(tally.thought_us as f64 / 1e3),
            "mean_plies": mean(tally.plies as f64),
            "test": test,
            "slots": self.shared.boards.get().map_or(0, |boards| boards.count()),
            "workers": workers,
            "last": results,
        });
        // Before the boards that they belong to. A game whose rules draw nothing has no such frame.
        if self.screen.images().next().is_some() {
            let images = json!({ "images": self.screen.images().count() });
            let json = with_items(FrameKind::Pictures, PICTURES_MAX, &images, "boards", self.screen.images());
            if self.pictures != json {
                self.shared.frames.put(FrameKind::Pictures, &json);
                self.pictures = json;
            }
        }
        let json = with_items(FrameKind::State, STATE_MAX, &head, "boards", self.screen.json(at));
        self.shared.frames.put(FrameKind::State, &json);
    }
}
