//! The boards on the page: which games are shown, and for how long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::clock::{Charge, Clock};
use arena_core::event::Tournament;
use arena_core::rules::{Image, Picture, Seat, State, Variant, Viewer, step};
use arena_core::text::{cut, shown};
use arena_show::observer::{Boards, Running};
use arena_store::report::rounded_to;
use serde_json::{Value, json};

use super::finished::FinishedGames;
use super::picture::picture_json;

/// Boards that are shown.
pub(super) const BOARDS_MAX: usize = 12;
/// A board is shown this long after its game has ended, so that games of milliseconds can be seen at all.
const KEEP: Duration = Duration::from_secs(2);
/// Columns of a comment at most.
const COMMENT_COLUMNS: usize = 80;

/// The boards of the first slots.
#[derive(Default)]
pub(super) struct LiveBoards {
    boards: Vec<LiveBoard>,
}

/// A game on the page.
#[derive(Default)]
struct LiveBoard {
    /// The game, as far as it is known.
    game: Running,
    /// The newest game of the slot.
    latest: Running,
    state: Option<Box<dyn State>>,
    /// Moves that `state` has.
    applied: usize,
    /// When it was seen that the game has ended, and how.
    ended: Option<(Instant, Option<String>)>,
    /// Games of the slot between the one before and this one.
    passed: u64,
    /// The clocks of the seats, as far as moves were applied.
    clocks: Option<[Clock; 2]>,
    /// How each seat evaluated the position at its last move, and the newest evaluation from the first seat's point of view.
    evals: [Option<f64>; 2],
    eval: Option<f64>,
    /// The last comment, and whose it is.
    said: Option<(Seat, String)>,
    json: Value,
    /// Its image, if the rules draw one: the game and the text of the image.
    image: Option<Value>,
}

impl LiveBoards {
    /// Looks at the boards; returns whether anything has changed.
    pub(super) fn look(
        &mut self,
        boards: &Boards,
        finished: &FinishedGames,
        event: &Arc<Tournament>,
        variant: &Variant,
        now: Instant,
    ) -> bool {
        self.boards.resize_with(boards.count().min(BOARDS_MAX), LiveBoard::default);
        let mut changed = false;
        for (slot, shown) in self.boards.iter_mut().enumerate() {
            boards.look(slot, &mut shown.latest);
            if shown.update(finished, event, variant, now) {
                shown.draw(event, variant);
                changed = true;
            }
        }
        changed
    }

    /// Whether a bot is thinking.
    pub(super) fn has_running_clock(&self) -> bool {
        self.boards.iter().any(LiveBoard::has_running_clock)
    }

    /// The images of the boards that have one, as JSON.
    pub(super) fn images(&self) -> impl Iterator<Item = &Value> {
        self.boards.iter().filter_map(|shown| shown.image.as_ref())
    }

    /// The boards, as JSON.
    pub(super) fn json(&mut self, now: Instant) -> impl Iterator<Item = &Value> {
        for shown in self.boards.iter_mut().filter(|shown| shown.has_running_clock()) {
            let spent = shown.game.since.map(|since| now.saturating_duration_since(since).as_millis() as u64);
            shown.json["spent"] = spent.into();
        }
        self.boards.iter().map(|shown| &shown.json).filter(|json| !json.is_null())
    }
}

impl LiveBoard {
    fn update(&mut self, finished: &FinishedGames, event: &Tournament, variant: &Variant, now: Instant) -> bool {
        if self.game.number == 0 {
            return self.latest.number > 0 && self.begin(event, variant);
        }
        if let Some((since, _)) = &self.ended
            && now.duration_since(*since) >= KEEP
            && self.latest.number > self.game.number
        {
            return self.begin(event, variant);
        } else if let Some((_, Some(_))) = &self.ended {
            return false;
        }
        if let Some(record) = self.game.id.and_then(|id| finished.record(id)) {
            let how = format!("{} {}", record.result, shown(&record.reason_in_words()));
            self.ended = Some((self.ended.take().map_or(now, |(since, _)| since), Some(how)));
            (self.game.moves, self.game.played) = (record.moves, record.played);
            self.apply();
            return true;
        }
        if self.ended.is_some() {
            return false;
        }
        if self.latest.number > self.game.number {
            // Its record comes in a moment, or never if the game was discarded.
            self.ended = Some((now, None));
            return true;
        }
        let (moves, played) = (self.game.moves.len(), self.game.played.len());
        self.game.moves.extend_from_slice(&self.latest.moves[moves..]);
        self.game.played.extend_from_slice(&self.latest.played[played..]);
        // The first move is asked for once the bots have started.
        let is_asked = std::mem::replace(&mut self.game.since, self.latest.since) != self.latest.since;
        self.apply() || is_asked
    }

    /// Shows the newest game of the slot.
    fn begin(&mut self, event: &Tournament, variant: &Variant) -> bool {
        self.passed = self.latest.number - self.game.number - 1;
        self.game = self.latest.clone();
        (self.state, self.applied, self.ended) = (variant.start(self.game.seed).ok(), 0, None);
        (self.clocks, self.evals, self.eval, self.said) = (Some([Clock::new(event.clock); 2]), [None; 2], None, None);
        self.apply();
        true
    }

    /// Makes the moves that are new.
    fn apply(&mut self) -> bool {
        let Some(state) = &mut self.state else { return false };
        let before = self.applied;
        let opening = self.game.moves.len() - self.game.played.len().min(self.game.moves.len());
        for (index, played) in self.game.moves.iter().enumerate().skip(before) {
            let seat = state.to_move();
            if step(state.as_mut(), played).is_err() {
                break;
            }
            self.applied += 1;
            let Some(made) = index.checked_sub(opening).and_then(|index| self.game.played.get(index)) else { continue };
            if let Some(clocks) = &mut self.clocks {
                // A move that came too late was not made.
                let _ = clocks[seat.index()].spend(&made.taken());
            }
            self.evals[seat.index()] = made.eval;
            self.eval = made.eval_of_first(seat).or(self.eval);
            if let Some(comment) = &made.comment {
                self.said = Some((seat, cut(&shown(comment), COMMENT_COLUMNS)));
            }
        }
        self.applied > before
    }

    /// Whether a bot is thinking whose time passes as that of the wall.
    fn has_running_clock(&self) -> bool {
        self.json["mover"].is_u64()
    }

    /// Asks the rules for the picture, which may take them a moment, once for all viewers.
    fn draw(&mut self, event: &Tournament, variant: &Variant) {
        let picture = self.state.as_ref().map(|state| state.picture(Viewer::Audience));
        self.json = self.to_json(event, variant, picture.as_ref());
        self.image = match picture {
            Some(Picture::Image(Image { svg, .. })) => Some(json!([self.json["id"], svg])),
            _ => None,
        };
    }

    fn to_json(&self, event: &Tournament, variant: &Variant, picture: Option<&Picture>) -> Value {
        let names = self.game.bots.map(|bot| event.bots.get(bot).map(|entry| shown(&entry.id.name)));
        let runs = self.ended.is_none() && self.game.since.is_some() && event.clock.charge == Charge::Wall;
        let to_move = self.state.as_ref().filter(|state| runs && state.outcome().is_none());
        // What a bot says may be hidden from the other one.
        let may_tell = variant.rules.open_information || self.ended.is_some();
        let number = |eval: Option<f64>| eval.filter(|_| may_tell).map(|eval| rounded_to(eval, 2));
        let said = self.said.as_ref().filter(|_| may_tell);
        json!({
            "id": self.game.id.map(|id| id.to_string()),
            "bots": names,
            "ply": self.applied,
            "passed": self.passed,
            "ended": self.ended.as_ref().map(|(_, how)| how.as_deref().unwrap_or("ended")),
            "left": self.clocks.map(|clocks| clocks.map(|clock| clock.budget().as_millis() as u64)),
            "mover": to_move.map(|state| state.to_move().index()),
            "evals": self.evals.map(number),
            "eval": number(self.eval),
            "said": said.map(|(seat, text)| json!([seat.index(), text])),
            "picture": picture.map(picture_json),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::clock::TimeControl;
    use arena_core::record::Played;
    use arena_core::referee::MadeMove;
    use arena_core::rules::Move;
    use arena_show::observer::BoardWriter;
    use arena_sys::results_folder::Place;
    use arena_sys::time::now;

    use super::*;

    /// The board of a game in which the second bot has answered the opening after two seconds, three seconds later.
    fn board(event: &Tournament, played: &Move) -> Value {
        let (dir, variant, begun) = (tempfile::tempdir().unwrap(), event.variant().unwrap(), now());
        let (event, boards) = (Arc::new(event.clone()), Arc::new(Boards::default()));
        boards.open(1, Vec::new());
        let mut writer = BoardWriter::new(Arc::clone(&boards), 0);
        writer.begin(&fixture::jobs(&event)[0]);
        let (mut screen, finished) = (LiveBoards::default(), FinishedGames::new(Place::at(dir.path())));
        assert!(screen.look(&boards, &finished, &event, &variant, begun) && !screen.has_running_clock());
        writer.asked(None, begun);
        assert!(screen.look(&boards, &finished, &event, &variant, begun) && screen.has_running_clock());
        let comment = Some("\u{1b}[31m\u{202e}".to_owned() + &"wide 日本 ".repeat(40));
        let measured = Played { us: 2_000_000, eval: Some(0.754), comment, ..Played::default() };
        writer.asked(Some(MadeMove { ply: 1, seat: Seat::Second, played, measured: &measured }), begun);
        assert!(screen.look(&boards, &finished, &event, &variant, begun) && screen.has_running_clock());
        screen.json(begun + Duration::from_secs(3)).next().unwrap().clone()
    }

    #[test]
    fn a_board_has_clocks_evaluations_and_the_last_comment() {
        let clock =
            TimeControl { bank_ms: Some(60_000), increment_ms: Some(500), move_ms: None, ..fixture::event(&[]).clock };
        let event = Tournament { clock, ..fixture::event(&["a", "b"]) };
        let json = board(&event, &Move::Int(2));
        assert_eq!(json["left"], json!([60_000, 58_500]));
        assert_eq!((&json["mover"], &json["spent"]), (&json!(0), &json!(3_000)));
        assert_eq!((&json["evals"], &json["eval"]), (&json!([null, 0.75]), &json!(-0.75)));
        let said = json["said"][1].as_str().unwrap();
        assert!(
            json["said"][0] == 1 && said.starts_with("\\u{1b}[31m\\u{202e}wide 日本") && said.ends_with('…'),
            "{said}"
        );
        assert!(said.len() < 3 * COMMENT_COLUMNS);
    }

    #[test]
    fn what_bots_say_of_hidden_information_is_not_shown_before_the_end() {
        let variant = Variant::named("mastermind").unwrap();
        let event = Tournament {
            openings: vec![Vec::new()],
            rounds: 1,
            bots: fixture::event(&["a", "b"]).bots,
            ..Tournament::new("cup", &variant)
        };
        let guess = variant.start(1).unwrap().nth_legal(0);
        let json = board(&event, &guess);
        assert_eq!((&json["evals"], &json["eval"], &json["said"]), (&json!([null, null]), &Value::Null, &Value::Null));
        assert_eq!(json["ply"], 1);
    }
}
