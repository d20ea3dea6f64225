//! Frames: events of a stream, each encoded once for all viewers.

use arena_core::event::Tournament;
use arena_core::stats::Estimate;
use arena_core::text::{counted, cut, shown};
use arena_show::observer::WorkerState;
use arena_show::views::svg::competition;
use arena_show::views::{RankedBot, Ranking, match_line};
use arena_store::report::{first_places, rounded_to, short_headline};
use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;

/// Size limits of frames, in bytes, with their names and line ends.
pub(super) const STATE_MAX: usize = 8 * 1024;
pub(super) const STANDINGS_MAX: usize = 16 * 1024;
const MATCHES_MAX: usize = 256 * 1024;
/// Room for an image of the largest size, as JSON, and some others.
pub(super) const PICTURES_MAX: usize = 96 * 1024;
/// Sentences of the headline at most: of a gauntlet there is one for each challenger.
const SENTENCES_MAX: usize = 3;
/// Matches that the words of a drawing tell.
const MATCHES_TOLD: usize = 8;
/// Workers that are listed, and columns of their names.
const WORKERS_MAX: usize = 10;
const WORKER_COLUMNS: usize = 32;
/// How soon a browser connects again.
const RETRY_MS: u32 = 2_000;

/// The kinds of frames, in the order in which they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// What this is.
    Hello,
    /// Who is ahead.
    Standings,
    /// The matches of a competition.
    Matches,
    /// Images of the boards, which their rules draw.
    Pictures,
    /// What happens now.
    State,
    /// It is over.
    Over,
}

/// How many there are.
pub(super) const KINDS: usize = 6;

/// Their names.
const NAMES: [&str; KINDS] = ["hello", "standings", "matches", "pictures", "state", "over"];

/// The newest frame of each kind with its number; number 0 is none.
pub(super) type Newest = [(u64, Bytes); KINDS];

/// The newest frames, for all viewers.
#[derive(Debug)]
pub(super) struct Frames {
    /// Differs from run to run, so that a page notices another one.
    boot: String,
    newest: watch::Sender<Newest>,
}

impl Frames {
    pub(super) fn new(boot: String) -> Self {
        Self { boot, newest: watch::Sender::new(Newest::default()) }
    }

    /// The definition of what is shown.
    pub(super) fn hello(&self, mut definition: Value) {
        definition["boot"] = self.boot.as_str().into();
        let frame = format!("retry: {RETRY_MS}\n{}", event(FrameKind::Hello, &definition.to_string()));
        self.set(FrameKind::Hello, frame.into());
    }

    /// Replaces the frame of a kind.
    pub(super) fn put(&self, kind: FrameKind, json: &str) {
        self.set(kind, event(kind, json).into());
    }

    fn set(&self, kind: FrameKind, frame: Bytes) {
        self.newest.send_modify(|newest| {
            let place = &mut newest[kind as usize];
            *place = (place.0 + 1, frame);
        });
    }

    pub(super) fn follow(&self) -> watch::Receiver<Newest> {
        self.newest.subscribe()
    }
}

/// An event of a stream. JSON has no line end.
fn event(kind: FrameKind, json: &str) -> String {
    format!("event: {}\ndata: {json}\n\n", NAMES[kind as usize])
}

/// `head` with as many of `items` as fit into a frame, as field `name`; `left_out` counts the others.
pub(super) fn with_items<'a>(
    kind: FrameKind,
    limit: usize,
    head: &Value,
    name: &str,
    items: impl Iterator<Item = &'a Value>,
) -> String {
    let head = head.to_string();
    // The head without its brace; the count has at most ten digits.
    let mut json = format!("{},\"{name}\":[", &head[..head.len() - 1]);
    let room = limit - event(kind, "").len() - "],\"left_out\":0123456789}".len();
    let (mut left_out, mut count) = (0, 0);
    for item in items {
        let text = item.to_string();
        if left_out > 0 || json.len() + text.len() + 1 > room {
            left_out += 1;
            continue;
        }
        if count > 0 {
            json.push(',');
        }
        json.push_str(&text);
        count += 1;
    }
    format!("{json}],\"left_out\":{left_out}}}")
}

/// The standings as JSON, with the first sentences of the headline and as many rows as fit. `is_complete`: no game is missing.
pub(super) fn standings_frame(ranking: &Ranking, event: &Tournament, is_complete: bool) -> String {
    let is_connected = ranking.analysis.ratings.groups() < 2;
    let rows: Vec<Value> = ranking.bots().map(|bot| row(&bot, is_connected)).collect();
    let sentences = first_places(ranking, event, is_complete).into_iter().take(SENTENCES_MAX);
    let headline = sentences.chain(ranking.options_in_words()).collect::<Vec<_>>().join(" ");
    // More games end before the next standings are there.
    let as_of = if is_complete || headline.is_empty() {
        String::new()
    } else {
        format!("After {}: ", counted(ranking.games() as usize, "game"))
    };
    let head = json!({
        "bots": rows.len(),
        "games": ranking.games(),
        "headline": as_of + &headline,
        "short": short_headline(ranking, event, is_complete),
        "connected": is_connected,
    });
    with_items(FrameKind::Standings, STANDINGS_MAX, &head, "rows", rows.iter())
}

/// The drawing of a competition's matches, and the last results in words for those who do not see it. None for other formats,
/// and if it is too large.
pub(super) fn matches_frame(ranking: &Ranking) -> Option<String> {
    let plot = competition(ranking, false)?;
    let matches =
        ranking.sheet.iter().flat_map(|sheet| &sheet.matches).filter(|found| found.is_over && found.pairs > 0);
    let lines: Vec<String> = matches.map(|found| match_line(found, |bot| ranking.name(bot))).collect();
    let last = lines[lines.len().saturating_sub(MATCHES_TOLD)..].join("; ");
    let json =
        json!({ "title": plot.title, "svg": plot.file(), "text": format!("{}. {last}", plot.title) }).to_string();
    (json.len() <= MATCHES_MAX).then_some(json)
}

/// Rank, name, games, points, wins, draws, losses, Elo and the ends of its interval, games lost by faults, whether the bot is
/// withdrawn, and the best and the worst rank that the games allow. An end of the interval is null if it is unbounded, and so is
/// the Elo then, which nothing ties down; all three are if games do not connect the bots.
fn row(bot: &RankedBot<'_>, is_connected: bool) -> Value {
    let (total, standing) = (bot.total, bot.standing);
    let number = |value: f64| (is_connected && value.is_finite()).then(|| rounded_to(value, 1));
    let elo = bot.elo().map(|Estimate { elo, lo, hi }| {
        let is_bounded = lo.is_finite() && hi.is_finite();
        [number(elo).filter(|_| is_bounded), number(lo), number(hi)]
    });
    json!([
        standing.rank,
        bot.name,
        total.games(),
        total.half_points() as f64 / 2.0,
        total.wins,
        total.draws,
        total.losses,
        elo,
        standing.forfeits,
        bot.is_withdrawn,
        bot.ranks(),
    ])
}

/// The first workers: name, class, slots, slots with a game, games, games of this tournament that it has, and those of them
/// that are played.
pub(super) fn workers_json(count: usize, slots: usize, workers: &[WorkerState]) -> Value {
    let row = |worker: &WorkerState| {
        let [has, done] = worker.now;
        let names = [&worker.id, &worker.class].map(|name| cut(&shown(name), WORKER_COLUMNS));
        json!([names[0], names[1], worker.slots, worker.slots - worker.free.min(worker.slots), worker.games, has, done])
    };
    let rows: Vec<Value> = workers.iter().take(WORKERS_MAX).map(row).collect();
    json!({ "count": count, "slots": slots, "rows": rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_what_fits_and_counts_the_rest() {
        let items: Vec<Value> = (0..100).map(|index| json!({ "name": "ä".repeat(100), "index": index })).collect();
        let json = with_items(FrameKind::State, STATE_MAX, &json!({ "done": 3 }), "boards", items.iter());
        let frame = event(FrameKind::State, &json);
        assert!((STATE_MAX - 250..=STATE_MAX).contains(&frame.len()), "{} bytes", frame.len());
        let value: Value = serde_json::from_str(&json).unwrap();
        let shown = value["boards"].as_array().unwrap().len();
        assert_eq!(value["left_out"], 100 - shown);
        assert_eq!(value["boards"][shown - 1]["index"], shown - 1);
        let none = with_items(FrameKind::State, STATE_MAX, &json!({ "done": 3 }), "boards", [].iter());
        assert_eq!(none, r#"{"done":3,"boards":[],"left_out":0}"#);
    }

    #[test]
    fn a_frame_is_numbered_and_replaced() {
        let frames = Frames::new("b".to_owned());
        frames.hello(json!({ "name": "cup" }));
        frames.put(FrameKind::State, "1");
        frames.put(FrameKind::State, "2");
        let newest = frames.follow().borrow().clone();
        assert_eq!(newest.each_ref().map(|(number, _)| *number), [1, 0, 0, 0, 2, 0]);
        assert_eq!(&newest[0].1[..], b"retry: 2000\nevent: hello\ndata: {\"boot\":\"b\",\"name\":\"cup\"}\n\n");
        assert_eq!(&newest[4].1[..], b"event: state\ndata: 2\n\n");
    }
}
