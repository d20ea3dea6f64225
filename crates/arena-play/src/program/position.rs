//! A position of a program's game as a [`State`]: what the program answered last, and the moves that lead there.
//!
//! A position is no handle of the program, which has one position only. A process that is elsewhere is given the whole game
//! again, written ahead; so copies cost nothing until they are played on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arena_core::rules::{
    DECLARED_PLIES_MAX, Image, Legal, Move, Outcome, Params, Picture, Refusal, RulesFault, Seat, SetupError,
    StartResult, State, Viewer,
};
use arena_core::text::shown;
use serde_json::{Map, Value};

use super::answer::{Answer, Offer, SVG_BYTES_MAX, Shown};
use super::broken::{Broken, Failing, mistaken};
use super::compact::write_compact;
use super::game::ProgramGame;
use super::messages::Request;
use super::mistake::Mistake;
use super::pool::{self, Running};

/// Numbers of positions, so that a process knows which one it is in; 0 is none.
static NEXT: AtomicU64 = AtomicU64::new(1);
/// Length of the hash of all answers, in hexadecimal digits.
const DIGITS: usize = 16;

/// A position.
#[derive(Clone)]
pub(super) struct Position {
    game: &'static ProgramGame,
    params: Arc<Map<String, Value>>,
    seed: u64,
    moves: Vec<Move>,
    /// The number of this position.
    at: u64,
    answer: Arc<Answer>,
    outcome: Option<Outcome>,
    /// How the game began, in the words of engines.
    start: Option<Arc<str>>,
    /// Of all answers so far.
    hash: Box<blake3::Hasher>,
    /// All that people see of it, once that was asked for.
    shown: OnceLock<Option<Arc<Shown>>>,
}

/// What came of a move.
enum Step {
    /// The next position, with its number and the reason if the game is over.
    Next(Answer, u64, Option<Outcome>),
    /// It was not listed, and is not legal.
    Illegal(String),
}

impl Position {
    /// The position before the first move.
    pub(super) fn start(game: &'static ProgramGame, params: &Params, seed: u64) -> StartResult {
        let params = Arc::new(params.to_json());
        let ask = |running: &mut Running| {
            running.at = 0;
            let answer = running.process.ask(&Request::Start { params: &params, seed })?;
            let outcome = outcome_of(game, &answer)?;
            promised(game, &answer, true)?;
            running.at = NEXT.fetch_add(1, Ordering::Relaxed);
            Ok((answer, running.at, outcome))
        };
        let begun = pool::with(game, ask).or_else(|first| match pool::with(game, ask) {
            Ok(begun) if first.how == Failing::TimedOut => Ok(begun),
            other => Err(Box::new(fault(game, None, *first, other.err().as_deref()))),
        });
        let (answer, at, outcome) = begun?;
        if let Answer::Refused(why) = &answer {
            return Err(SetupError::new(REFUSED, shown(why)));
        }
        let start = if let Answer::Position(first) = &answer { first.start.as_deref().map(Arc::from) } else { None };
        let answer = Arc::new(answer);
        let mut position = Self {
            game,
            params,
            seed,
            moves: Vec::new(),
            at,
            answer,
            outcome,
            start,
            hash: Box::default(),
            shown: OnceLock::new(),
        };
        position.hash_answer();
        Ok(Box::new(position))
    }

    /// The answer is part of what makes sure that the rules say the same again.
    fn hash_answer(&mut self) {
        self.hash.update(self.answer.line().unwrap_or_default().as_bytes()).update(b"\n");
    }

    fn offer(&self) -> Option<&Offer> {
        if let Answer::Position(position) = &*self.answer { Some(&position.offer) } else { None }
    }

    fn offers(&self, played: &Move) -> bool {
        self.offer().is_some_and(|offer| offer.moves().contains(played))
    }

    /// Brings the process into this position, if it is elsewhere.
    fn reach(&self, running: &mut Running, ahead: bool) -> Result<(), Box<Broken>> {
        if running.at == self.at {
            return Ok(());
        }
        running.at = 0;
        let start = Request::Start { params: &self.params, seed: self.seed };
        let applies = (1..).zip(&self.moves).map(|(id, played)| Request::Apply { id, played });
        let requests: Vec<Request<'_>> = std::iter::once(start).chain(applies).collect();
        let mut hash = blake3::Hasher::new();
        let mut take = |answer: Answer| {
            hash.update(answer.line().unwrap_or_default().as_bytes()).update(b"\n");
        };
        if ahead {
            running.process.ask_all(&requests, &mut take)?;
        } else {
            for request in &requests {
                take(running.process.ask(request)?);
            }
        }
        if hash.finalize() != self.hash.finalize() {
            let why = "they are not deterministic: given the same game again, they answered otherwise";
            return Err(Broken::new(Failing::Contradiction, why));
        }
        running.at = self.at;
        Ok(())
    }

    /// Plays a move in a process; `ahead` says whether requests may be written ahead.
    fn attempt(&self, running: &mut Running, played: &Move, ahead: bool) -> Result<Step, Box<Broken>> {
        self.reach(running, ahead)?;
        let id = self.moves.len() as u64 + 1;
        let answer = running.process.ask(&Request::Apply { id, played })?;
        if let Answer::Illegal(why) = answer {
            if self.offers(played) {
                let why = format!("they refuse the move {played}, which they list: {}", shown(&why));
                return Err(Broken::new(Failing::Contradiction, why));
            }
            return Ok(Step::Illegal(why));
        }
        let outcome = outcome_of(self.game, &answer)?;
        promised(self.game, &answer, false)?;
        if outcome.is_none() && self.moves.len() + 1 >= DECLARED_PLIES_MAX {
            let why = format!("a game has not ended after {DECLARED_PLIES_MAX} moves");
            return Err(Broken::new(Failing::Contradiction, why));
        }
        running.at = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Step::Next(answer, running.at, outcome))
    }

    /// What a move leads to. A process that fails is replaced, and the new one is given the same game and move: only that
    /// judges.
    fn step(&self, played: &Move) -> Result<Step, Refusal> {
        let first = match pool::with(self.game, |running| self.attempt(running, played, true)) {
            Ok(step) => return Ok(step),
            Err(first) => first,
        };
        let is_offered = self.offers(played);
        let again = pool::with(self.game, |running| self.attempt(running, played, false));
        match again {
            // A slow answer is no fault if another process is in time, nor is the death by a move that was not offered if
            // another process survives it.
            Ok(step) if !is_offered || first.how == Failing::TimedOut => Ok(step),
            Err(second) if !is_offered && is_of_rules(&first) && is_of_rules(&second) => {
                Err(Refusal::Deadly(format!("{first}; started anew: {second}")))
            }
            other => {
                let place = Some((self.moves.len(), played));
                let fault = fault(self.game, place, *first, other.err().as_deref());
                Err(Refusal::Broken(Box::new(fault)))
            }
        }
    }

    /// What people see; nothing if the program shows nothing, or fails to.
    fn show(&self, seat: Option<Seat>) -> Option<Box<Shown>> {
        if !self.game.may_show() {
            return None;
        }
        let id = self.moves.len() as u64;
        let ask = |running: &mut Running| {
            self.reach(running, true)?;
            running.process.ask(&Request::Show { id, seat })
        };
        if let Ok(Answer::Shown(shown)) = pool::with(self.game, ask)
            && self.offer().is_none_or(|offer| shown.check_labels(offer).is_ok())
        {
            return Some(shown);
        }
        self.game.note_failed_show();
        None
    }

    /// As [`Position::show`]; what there is to see at all is asked for once.
    fn seen(&self, seat: Option<Seat>) -> Option<Arc<Shown>> {
        match seat {
            None => self.shown.get_or_init(|| self.show(None).map(|shown| Arc::new(*shown))).clone(),
            seat => self.show(seat).map(|shown| Arc::new(*shown)),
        }
    }

    /// The view of the seat on move, as JSON for people.
    fn own_view(&self) -> Option<String> {
        let Answer::Position(position) = &*self.answer else { return None };
        let view: Value = serde_json::from_str(position.view()).ok()?;
        serde_json::to_string_pretty(&view).ok()
    }
}

/// The stable identifier of refused parameters.
pub(super) const REFUSED: &str = "refused";

/// The outcome, if the answer is the end of the game.
fn outcome_of(game: &ProgramGame, answer: &Answer) -> Result<Option<Outcome>, Box<Broken>> {
    let Answer::Over(over) = answer else { return Ok(None) };
    let reason = game.reasons.intern(&over.reason).map_err(mistaken)?;
    Ok(Some(Outcome { winner: over.winner, reason }))
}

/// Checks that a position has what its game has declared for bots of other protocols.
fn promised(game: &ProgramGame, answer: &Answer, is_first: bool) -> Result<(), Box<Broken>> {
    let Answer::Position(position) = answer else { return Ok(()) };
    let missing = if is_first && !game.hello.engines.is_empty() && position.start.is_none() {
        Some(("start", "engines"))
    } else if game.hello.lines && position.lines.is_none() {
        Some(("lines", "lines"))
    } else {
        None
    };
    missing.map_or(Ok(()), |(field, declared)| Err(mistaken(Mistake::Promised { field, declared })))
}

/// Whether it is the program that failed, and not the machine.
fn is_of_rules(broken: &Broken) -> bool {
    !matches!(broken.how, Failing::NotStarted | Failing::Changed | Failing::Arena)
}

/// The fault that is reported, after a process has failed on a move `at` some ply, or at the start, and another one was given
/// the same: `second` says how that failed, if it did.
fn fault(game: &ProgramGame, at: Option<(usize, &Move)>, first: Broken, second: Option<&Broken>) -> RulesFault {
    let place = at.map_or_else(|| "at the start".to_owned(), |(ply, _)| format!("at ply {ply}"));
    let again = first.how == Failing::Changed || second.is_some_and(is_of_rules);
    let evidence = first.evidence;
    RulesFault {
        message: format!("the rules {} failed {place}: {}", game.name, evidence.message),
        again,
        ply: at.map(|(ply, _)| ply),
        played: at.map(|(_, played)| played.clone()),
        last_received: evidence.last_received,
        stderr_tail: evidence.stderr_tail,
    }
}

impl State for Position {
    fn to_move(&self) -> Seat {
        if let Answer::Position(position) = &*self.answer { position.to_move } else { Seat::First }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_count(&self) -> u64 {
        self.offer().map_or(0, |offer| offer.moves().len() as u64)
    }

    fn nth_legal(&self, index: u64) -> Move {
        self.offer().and_then(|offer| offer.moves().get(index as usize)).unwrap_or(Move::Int(0))
    }

    fn legal(&self) -> Legal {
        match self.offer() {
            Some(Offer::Samples { count, .. }) => Legal::Sampled { count: *count },
            _ => Legal::Listed,
        }
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        match self.offer() {
            Some(Offer::All(moves)) => moves.contains(candidate),
            Some(Offer::Samples { .. }) => is_well_formed(candidate),
            None => false,
        }
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        match self.step(played)? {
            Step::Illegal(why) => return Err(Refusal::Illegal(why)),
            Step::Next(answer, at, outcome) => {
                (self.answer, self.at, self.outcome) = (Arc::new(answer), at, outcome);
                self.shown = OnceLock::new();
                self.moves.push(played.clone());
                self.hash_answer();
            }
        }
        Ok(())
    }

    fn write_legal_moves(&self, out: &mut Vec<u8>) {
        match &*self.answer {
            Answer::Position(position) => write_compact(position.moves_json(), out),
            _ => out.extend_from_slice(b"[]"),
        }
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        match &*self.answer {
            // Where nothing is hidden both seats may know the same.
            Answer::Position(position) if position.to_move == seat || !self.game.hello.hidden => {
                write_compact(position.view(), out);
            }
            _ => {
                let view = self.show(Some(seat)).and_then(|shown| shown.view);
                write_compact(view.as_deref().unwrap_or("{}"), out);
            }
        }
    }

    fn reveal(&self) -> Option<Box<serde_json::value::RawValue>> {
        if !self.game.hello.hidden {
            return None;
        }
        let shown = self.show(None)?;
        let mut reveal = Vec::new();
        write_compact(shown.reveal.as_deref()?, &mut reveal);
        serde_json::value::RawValue::from_string(String::from_utf8(reveal).ok()?).ok()
    }

    fn engine_start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    fn turn_lines(&self) -> &[String] {
        let Answer::Position(position) = &*self.answer else { return &[] };
        position.lines.as_deref().unwrap_or_default()
    }

    fn key(&self) -> Vec<u8> {
        match &*self.answer {
            Answer::Position(position) => [&[position.to_move.index() as u8], position.view().as_bytes()].concat(),
            _ => self.answer.line().unwrap_or_default().as_bytes().to_vec(),
        }
    }

    fn picture(&self, viewer: Viewer) -> Picture {
        let hides = self.game.hello.hidden && self.outcome.is_none();
        let seat = match viewer {
            Viewer::Audience if hides => return Picture::Text("hidden until the game is over".to_owned()),
            Viewer::All | Viewer::Audience => None,
            Viewer::Seat(seat) => Some(seat),
        };
        let seen = self.seen(seat);
        let (text, svg) = seen.as_deref().map_or((None, None), |Shown { text, svg, .. }| (text.clone(), svg.clone()));
        let text = text.unwrap_or_else(|| {
            let may_see = !hides || seat.is_none_or(|seat| seat == self.to_move());
            let view = if may_see { self.own_view() } else { None };
            view.unwrap_or_else(|| match self.outcome {
                Some(Outcome { reason, .. }) => format!("over: {reason}"),
                None => "the other seat is to move".to_owned(),
            })
        });
        match svg {
            Some(svg) if !svg.is_empty() && svg.len() <= SVG_BYTES_MAX => Picture::Image(Image { svg, text }),
            _ => Picture::Text(text),
        }
    }

    fn called(&self, label: &str) -> Option<Move> {
        let labels = self.show(Some(self.to_move()))?.labels?;
        let place = labels.iter().position(|known| known == label)?;
        self.offer()?.moves().get(place)
    }

    fn label(&self, played: &Move) -> Option<String> {
        let Some(Offer::All(moves)) = self.offer() else { return None };
        let place = (0..moves.len()).find(|place| moves.get(*place).as_ref() == Some(played))?;
        // Both seats may see all, or it is for those who may see what the mover sees.
        let seat = self.game.hello.hidden.then(|| self.to_move());
        self.seen(seat)?.labels.as_ref()?.get(place).cloned()
    }

    fn scores(&self) -> Option<[i64; 2]> {
        if let Answer::Over(over) = &*self.answer { over.scores } else { None }
    }

    fn answers(&self) -> Option<String> {
        Some(self.hash.finalize().to_hex()[..DIGITS].to_owned())
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position").field("game", &self.game.name).field("moves", &self.moves).finish_non_exhaustive()
    }
}

/// Whether a program may be given the move: all numbers in it are exact in every language.
fn is_well_formed(played: &Move) -> bool {
    let is_exact = |number: &i64| number.unsigned_abs() < 1 << 53;
    match played {
        Move::Int(number) => is_exact(number),
        Move::List(numbers) => numbers.len() <= arena_core::rules::PARTS_MAX && numbers.iter().all(is_exact),
        Move::Text(_) => true,
        Move::Parts(parts) => parts.iter().all(is_well_formed),
    }
}
