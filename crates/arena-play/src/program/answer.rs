//! Answers of a program of rules, read strictly: what is accepted here can be passed on unread, but for white
//! space.

use std::borrow::Cow;
use std::ops::Range;

use arena_core::rules::Seat;
use arena_core::text::{json_message, shown};

use super::fields::{FieldValue, Fields};
use super::hello::{Hello, is_name};
use super::json::INTEGER_MAX;
use super::messages::Request;
use super::mistake::Mistake;
use super::moves::MoveList;

/// Maximum number of moves that are listed.
pub const LEGAL_MAX: usize = 1_000;
/// Maximum number of sample moves.
pub const SAMPLES_MAX: usize = 16;
/// Maximum length of a position drawn as text, in bytes.
pub const TEXT_BYTES_MAX: usize = 64 << 10;
/// Maximum length of an image that is shown, in bytes; instead of a longer one the text is.
pub(super) const SVG_BYTES_MAX: usize = 64 << 10;
/// Maximum length of the beginning of a game in the words of engines, in bytes.
const START_BYTES_MAX: usize = 1_000;
/// Maximum length of a label of a move, in bytes.
pub const LABEL_BYTES_MAX: usize = 256;

/// What a program of rules answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// What the rules are.
    Hello(Box<Hello>),
    /// A position in which a seat is to move.
    Position(Position),
    /// The end of the game.
    Over(Over),
    /// The move, which was not listed, is not legal; says why, not escaped.
    Illegal(String),
    /// The parameters do not fit together; says why, not escaped.
    Refused(String),
    /// A position for people.
    Shown(Box<Shown>),
}

/// A position, as its program describes it to the seat on move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The line, without its end.
    pub line: Box<str>,
    /// Whose turn it is.
    pub to_move: Seat,
    /// What can be played.
    pub offer: Offer,
    /// How the game began, in the words of engines; only in the answer to `start`.
    pub start: Option<Box<str>>,
    /// What a bot reads on this turn that speaks no protocol.
    pub lines: Option<Box<[String]>>,
    view: Range<usize>,
    moves: Range<usize>,
}

/// The moves that a program offers: distinct, in its order, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// All legal moves, at most [`LEGAL_MAX`].
    All(MoveList),
    /// Some legal moves, at most [`SAMPLES_MAX`].
    Samples {
        /// These moves.
        moves: MoveList,
        /// The number of all legal moves, if the program says it.
        count: Option<u64>,
    },
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Over {
    /// The line, without its end.
    pub line: Box<str>,
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// Why, in the form of [names](is_name).
    pub reason: String,
    /// What each seat has scored, for the record.
    pub scores: Option<[i64; 2]>,
}

/// A position for people. Nothing in it is escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// All that the seat may know, one JSON object; there if it was asked for a seat.
    pub view: Option<Box<str>>,
    /// The position drawn as text.
    pub text: Option<String>,
    /// The position as an image, of any length.
    pub svg: Option<String>,
    /// The legal moves in the words of people, in the order in which they are listed.
    pub labels: Option<Vec<String>>,
    /// What was hidden, one JSON object; there only if it was asked for all that there is.
    pub reveal: Option<Box<str>>,
}

impl Position {
    /// All that the seat on move may know: one JSON object, as it came.
    #[must_use]
    pub fn view(&self) -> &str {
        &self.line[self.view.clone()]
    }

    /// The list of the moves that are offered, as it came.
    #[must_use]
    pub fn moves_json(&self) -> &str {
        &self.line[self.moves.clone()]
    }
}

impl Offer {
    /// The moves, whether they are all or some.
    #[must_use]
    pub fn moves(&self) -> &MoveList {
        match self {
            Self::All(moves) | Self::Samples { moves, .. } => moves,
        }
    }
}

impl Shown {
    /// Checks that there is a label for each of the moves in `offer`, all different.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with them.
    pub(super) fn check_labels(&self, offer: &Offer) -> Result<(), Mistake> {
        let (Some(labels), Offer::All(moves)) = (&self.labels, offer) else { return Ok(()) };
        if labels.len() != moves.len() {
            return Err(Mistake::Labels { labels: labels.len(), moves: moves.len() });
        }
        let mut sorted: Vec<&str> = labels.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        twice.map_or(Ok(()), |pair| Err(Mistake::LabelTwice(shown(pair[0]))))
    }
}

impl Answer {
    /// Reads the answer to `asked` from a line without its end.
    ///
    /// # Errors
    ///
    /// Returns the first [`Mistake`] in it.
    pub fn read(line: &[u8], asked: &Request<'_>) -> Result<Self, Mistake> {
        let fields = Fields::read(line)?;
        if !asked.allows(&fields.kind) {
            return Err(Mistake::WrongType { asked: asked.kind(), got: shown(&fields.kind) });
        }
        if let Some(asked) = asked.id() {
            let got = fields.required("id")?.integer(-INTEGER_MAX..=INTEGER_MAX)?;
            if u64::try_from(got) != Ok(asked) {
                return Err(Mistake::WrongId { asked, got });
            }
        }
        let message = || fields.required("message")?.text().map(Cow::into_owned);
        Ok(match &*fields.kind {
            "hello" => Self::Hello(Box::new(Hello::read(&fields)?)),
            "position" => Self::Position(position(&fields, matches!(asked, Request::Start { .. }))?),
            "over" => Self::Over(over(&fields)?),
            "illegal" => Self::Illegal(message()?),
            "refused" => Self::Refused(message()?),
            _ => Self::Shown(Box::new(for_people(&fields, matches!(asked, Request::Show { seat: Some(_), .. }))?)),
        })
    }

    /// The line of a position or an end, without its line end: what the hash of a game's answers is taken of.
    #[must_use]
    pub fn line(&self) -> Option<&str> {
        match self {
            Self::Position(position) => Some(&position.line),
            Self::Over(over) => Some(&over.line),
            _ => None,
        }
    }
}

fn position(fields: &Fields<'_>, is_first: bool) -> Result<Position, Mistake> {
    let to_move = fields.required("to_move")?;
    let to_move = seat(&to_move).ok_or_else(|| to_move.mistake("0 or 1"))?;
    let view = fields.required("view")?;
    view.object()?;
    let (offer, moves) = match (fields.optional("legal_moves"), fields.optional("sample_moves")) {
        (Some(legal), None) => {
            let cure = "; give some of them in `sample_moves` instead";
            (Offer::All(distinct_moves(&legal, LEGAL_MAX, cure)?), legal.place)
        }
        (None, Some(samples)) => {
            let moves = distinct_moves(&samples, SAMPLES_MAX, "")?;
            let count = fields.optional("legal_count");
            let count = count.map(|count| count.integer(moves.len() as i64..=INTEGER_MAX)).transpose()?;
            (Offer::Samples { moves, count: count.map(i64::unsigned_abs) }, samples.place)
        }
        (Some(_), Some(_)) => return Err(Mistake::Lists("both")),
        (None, None) => return Err(Mistake::Lists("neither")),
    };
    let start = fields.optional("start").filter(|_| is_first).as_ref().map(engine_start).transpose()?;
    let lines = fields.optional("lines").as_ref().map(turn_lines).transpose()?;
    Ok(Position { line: fields.line.into(), to_move, offer, start, lines, view: view.place, moves })
}

/// How the game began: it becomes part of a line.
fn engine_start(start: &FieldValue<'_>) -> Result<Box<str>, Mistake> {
    let text = start.text_up_to(START_BYTES_MAX)?;
    let is_known = text == "startpos" || text.strip_prefix("fen ").is_some_and(|fen| !fen.trim().is_empty());
    if !is_known || text.chars().any(char::is_control) {
        return Err(start.mistake("`startpos`, or `fen ` and a position, on one line"));
    }
    Ok(text.into())
}

/// The lines of a turn: at least one, since a bot that waits for nothing would answer too soon.
fn turn_lines(lines: &FieldValue<'_>) -> Result<Box<[String]>, Mistake> {
    let list: Vec<String> = lines.parsed("a list of strings")?;
    if list.is_empty() || list.iter().any(|line| line.contains(['\n', '\r', '\0'])) {
        return Err(lines.mistake("at least one string, none with a line end or NUL in it"));
    }
    Ok(list.into())
}

fn over(fields: &Fields<'_>) -> Result<Over, Mistake> {
    let winner = fields.required("winner")?;
    let winner = match winner.json {
        "null" => None,
        _ => Some(seat(&winner).ok_or_else(|| winner.mistake("0, 1 or null"))?),
    };
    let reason = fields.required("reason")?;
    let reason = match reason.text() {
        Ok(text) if is_name(&text) => text.into_owned(),
        _ => return Err(reason.mistake("1 to 32 characters, each of a-z, 0-9 or _")),
    };
    let scores = fields.optional("scores").map(|scores| scores.parsed("two integers")).transpose()?;
    Ok(Over { line: fields.line.into(), winner, reason, scores })
}

fn for_people(fields: &Fields<'_>, has_seat: bool) -> Result<Shown, Mistake> {
    let object = |value: FieldValue<'_>| value.object().map(|()| Box::from(value.json));
    let view = if has_seat { Some(object(fields.required("view")?)?) } else { None };
    let reveal = fields.optional("reveal").filter(|_| !has_seat).map(object).transpose()?;
    let text = |name, most| fields.optional(name).map(|text: FieldValue<'_>| text.text_up_to(most)).transpose();
    let labels: Option<Vec<String>> = match fields.optional("labels") {
        Some(labels) => {
            let list: Vec<String> = labels.parsed("a list of strings")?;
            if list.iter().any(|label| label.len() > LABEL_BYTES_MAX) {
                return Err(labels.mistake(format!("a list of strings of at most {LABEL_BYTES_MAX} bytes")));
            }
            Some(list)
        }
        None => None,
    };
    Ok(Shown { view, text: text("text", TEXT_BYTES_MAX)?, svg: text("svg", usize::MAX)?, labels, reveal })
}

fn seat(value: &FieldValue<'_>) -> Option<Seat> {
    Seat::BOTH.into_iter().find(|seat| value.json == ["0", "1"][seat.index()])
}

/// Reads a list of at most `max` moves; `cure` says what to do about more.
fn distinct_moves(list: &FieldValue<'_>, max: usize, cure: &'static str) -> Result<MoveList, Mistake> {
    let field = list.name;
    if !list.json.starts_with('[') {
        return Err(list.mistake("a list of moves"));
    }
    let read = MoveList::read(list.json);
    let moves = read.map_err(|error| Mistake::BadMove { field, why: json_message(&error) })?;
    if moves.is_empty() {
        return Err(Mistake::NoMoves(field));
    }
    if moves.len() > max {
        return Err(Mistake::TooManyMoves { field, count: moves.len(), max, cure });
    }
    match moves.first_repeated() {
        Some(repeated) => Err(Mistake::Twice(shown(&repeated.to_string()))),
        None => Ok(moves),
    }
}

#[cfg(test)]
mod tests {
    use arena_core::rules::Move;
    use proptest::prelude::*;

    use super::*;

    const APPLY: Request<'static> = Request::Apply { id: 3, played: &Move::Int(1) };

    fn read(line: &str, asked: Request<'_>) -> Result<Answer, String> {
        Answer::read(line.as_bytes(), &asked).map_err(|mistake| mistake.to_string())
    }

    /// A position that answers [`APPLY`], with further fields.
    fn position(fields: &str) -> Result<Position, String> {
        let line = format!(r#"{{"type":"position","id":3,"view":{{"a": [1]}},{fields}}}"#);
        read(&line, APPLY).map(|answer| match answer {
            Answer::Position(position) => position,
            other => panic!("{other:?}"),
        })
    }

    fn over(fields: &str) -> Result<Over, String> {
        read(&format!(r#"{{"type":"over","id":3,{fields}}}"#), APPLY).map(|answer| match answer {
            Answer::Over(over) => over,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_position_keeps_what_is_passed_on() {
        let read = position(r#""x_own":null,"to_move":1,"legal_moves":[7, 3,[1,2]]"#).unwrap();
        assert_eq!((read.to_move, read.view(), read.moves_json()), (Seat::Second, r#"{"a": [1]}"#, "[7, 3,[1,2]]"));
        assert!(matches!(&read.offer, Offer::All(_)));
        assert_eq!(read.offer.moves().to_vec(), [Move::Int(7), Move::Int(3), Move::List(vec![1, 2])]);
        assert!(read.line.starts_with('{') && read.line.ends_with('}'));

        let read = position(r#""to_move":0,"sample_moves":[5],"legal_count":5000,"legal_moves":null"#).unwrap();
        assert!(matches!(&read.offer, Offer::Samples { count: Some(5_000), .. }));
        assert_eq!(read.offer.moves().to_vec(), [Move::Int(5)]);
        assert_eq!(read.moves_json(), "[5]");
        let words = position(r#""to_move":0,"legal_moves":["e4",[1,"x"],"\u0061"]"#).unwrap();
        let parts = Move::Parts(vec![Move::Int(1), Move::Text("x".to_owned())]);
        assert_eq!(words.offer.moves().to_vec(), [Move::Text("e4".to_owned()), parts, Move::Text("a".to_owned())]);
        assert_eq!(position(r#""to_move":0,"sample_moves":[5]"#).unwrap().offer.moves().to_vec(), [Move::Int(5)]);
    }

    #[test]
    fn a_position_has_one_list_of_distinct_moves() {
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
        let says = |list: String| position(&format!(r#""to_move":0,{list}"#)).err().unwrap_or_default();
        assert_eq!(says(format!(r#""legal_moves":[{}]"#, numbers(1_000))), "");
        assert_eq!(
            says(format!(r#""legal_moves":[{}]"#, numbers(1_001))),
            "they list 1001 moves in `legal_moves`, at most 1000 are allowed; give some of them in `sample_moves` instead"
        );
        assert_eq!(says(format!(r#""sample_moves":[{}]"#, numbers(16))), "");
        assert_eq!(
            says(format!(r#""sample_moves":[{}]"#, numbers(17))),
            "they list 17 moves in `sample_moves`, at most 16 are allowed"
        );
        for (list, says_so) in [
            (r#""legal_moves":[]"#, "their `legal_moves` is empty; "),
            (r#""legal_moves":[40,3,40]"#, "they list the move 40 twice"),
            (r#""legal_moves":[[1,2],[1,3],[1,2]]"#, "they list the move [1,2] twice"),
            (r#""legal_moves":[1,2.0]"#, "they list a move in `legal_moves` that is not well formed: invalid type: "),
            (r#""legal_moves":[null]"#, "they list a move in `legal_moves` that is not well formed: "),
            (
                r#""legal_moves":[1,[[[[[2]]]]]]"#,
                "they list a move in `legal_moves` that is not well formed: lists more",
            ),
            (r#""legal_moves":["e4",["a",1],"e4"]"#, "they list the move \"e4\" twice"),
            (r#""legal_moves":[9007199254740992]"#, "they write a line that is not valid: the number 9007199254740992"),
            (r#""legal_moves":[{}]"#, "they list a move in `legal_moves` that is not well formed: "),
            (r#""legal_moves":{}"#, "`legal_moves` is {}; it must be a list of moves"),
            (
                r#""legal_moves":[1],"sample_moves":[1]"#,
                "a position has either `legal_moves` or `sample_moves`; theirs",
            ),
            (r#""x":1"#, "a position has either `legal_moves` or `sample_moves`; theirs has neither"),
            (r#""sample_moves":[1,2],"legal_count":1"#, "`legal_count` is 1; it must be an integer from 2 to "),
            (r#""sample_moves":[1,2],"legal_count":3.0"#, "`legal_count` is 3.0; it must be an integer from 2 to "),
        ] {
            assert!(says(list.to_owned()).starts_with(says_so), "{list}: {}", says(list.to_owned()));
        }
    }

    #[test]
    fn a_field_with_a_wrong_value_is_named() {
        let moves = r#""legal_moves":[1]"#;
        for (to_move, says) in [
            (r#""to_move":2,"#, "`to_move` is 2; it must be 0 or 1"),
            (r#""to_move":null,"#, "`to_move` is null; it must be 0 or 1"),
            (r#""to_move":"0","#, "`to_move` is \"0\"; it must be 0 or 1"),
            ("", "their `position` has no `to_move`"),
            (r#""to_move":0,"to_move":0,"#, "they write a line that is not valid: the key `to_move` comes twice"),
        ] {
            let said = position(&format!("{to_move}{moves}")).unwrap_err();
            assert!(said.starts_with(says), "{to_move}: {said}");
        }
        let view = |view: &str| {
            read(&format!(r#"{{"type":"position","id":3,"to_move":0,"legal_moves":[1]{view}}}"#), APPLY).unwrap_err()
        };
        assert_eq!(view(""), "their `position` has no `view`");
        assert_eq!(view(r#","view":[1]"#), "`view` is [1]; it must be an object");
    }

    #[test]
    fn an_end_has_a_winner_and_a_reason() {
        let draw = over(r#""winner":null,"reason":"full_board","scores":[3,-3]"#).unwrap();
        assert_eq!((draw.winner, draw.reason.as_str(), draw.scores), (None, "full_board", Some([3, -3])));
        let won = over(r#""reason":"l\u0069ne","winner":1,"scores":null"#).unwrap();
        assert_eq!((won.winner, won.reason.as_str(), won.scores), (Some(Seat::Second), "line", None));
        for (fields, says) in [
            (r#""reason":"x""#, "their `over` has no `winner`"),
            (r#""winner":2,"reason":"x""#, "`winner` is 2; it must be 0, 1 or null"),
            (r#""winner":0"#, "their `over` has no `reason`"),
            (r#""winner":0,"reason":"""#, "`reason` is \"\"; it must be 1 to 32 characters"),
            (r#""winner":0,"reason":"Checkmate""#, "`reason` is \"Checkmate\"; it must be 1 to 32"),
            (r#""winner":0,"reason":"x","scores":[1]"#, "`scores` is [1]; it must be two integers"),
            (r#""winner":0,"reason":"x","scores":[0.5,0]"#, "`scores` is [0.5,0]; it must be two integers"),
        ] {
            let said = over(fields).unwrap_err();
            assert!(said.starts_with(says), "{fields}: {said}");
        }
    }

    #[test]
    fn an_answer_is_to_what_was_asked() {
        let start = Request::Start { params: &serde_json::Map::new(), seed: 0 };
        let show = |seat| Request::Show { id: 3, seat };
        for (line, asked, says) in [
            (r#"{"type":"over","id":4,"winner":0,"reason":"x"}"#, APPLY, "they answer id 3 with id 4"),
            (r#"{"type":"over","id":-3,"winner":0,"reason":"x"}"#, APPLY, "they answer id 3 with id -3"),
            (r#"{"type":"over","winner":0,"reason":"x"}"#, APPLY, "their `over` has no `id`"),
            (r#"{"type":"over","id":"3"}"#, APPLY, "`id` is \"3\"; it must be an integer"),
            (r#"{"type":"refused","id":3,"message":""}"#, APPLY, "they answer `apply` with `refused`"),
            (r#"{"type":"illegal","id":0,"message":""}"#, start, "they answer `start` with `illegal`"),
            (r#"{"type":"shown","id":3}"#, APPLY, "they answer `apply` with `shown`"),
            (r#"{"type":"shown","id":3}"#, show(Some(Seat::First)), "their `shown` has no `view`"),
            (r#"{"type":"hello"}"#, show(None), "they answer `show` with `hello`"),
            (r#"{"type":7}"#, APPLY, "`type` is 7; it must be a string"),
            (r#"{"id":3}"#, APPLY, "their `message` has no `type`"),
            (r#"{"type":"over","id":3"#, APPLY, "they write a line that is not valid: the line ends"),
        ] {
            let said = read(line, asked).unwrap_err();
            assert!(said.starts_with(says), "{line}: {said}");
        }
        assert_eq!(Answer::read(b"{\"type\":\"\xff\"}", &APPLY).unwrap_err(), Mistake::NotUtf8 { at: 10 });
        let refused = read(r#"{"type":"refused","id":0,"message":"too \"small\""}"#, start);
        assert_eq!(refused, Ok(Answer::Refused("too \"small\"".to_owned())));
        let illegal = read(r#"{"id":3,"type":"illegal","message":"no"}"#, APPLY);
        assert_eq!(illegal, Ok(Answer::Illegal("no".to_owned())));
    }

    #[test]
    fn what_people_see_is_limited() {
        let show = |seat, fields: &str| {
            read(&format!(r#"{{"type":"shown","id":3{fields}}}"#), Request::Show { id: 3, seat }).map(|answer| {
                match answer {
                    Answer::Shown(shown) => *shown,
                    other => panic!("{other:?}"),
                }
            })
        };
        assert_eq!(show(None, ""), Ok(Shown::default()));
        let all = r#","view":{"a":1},"reveal":{"b":2},"text":"x","svg":"<svg/>","labels":["e4"]"#;
        let (text, svg, labels) = (Some("x".to_owned()), Some("<svg/>".to_owned()), Some(vec!["e4".to_owned()]));
        let shown = Shown { view: None, text, svg, labels, reveal: Some(r#"{"b":2}"#.into()) };
        assert_eq!(show(None, all), Ok(shown.clone()));
        let of_seat = Shown { view: Some(r#"{"a":1}"#.into()), reveal: None, ..shown };
        assert_eq!(show(Some(Seat::Second), all), Ok(of_seat));
        let long = |bytes: usize| format!(r#","text":"{}""#, "é".repeat(bytes / 2));
        assert!(show(None, &long(TEXT_BYTES_MAX)).is_ok());
        assert!(show(None, &long(TEXT_BYTES_MAX + 2)).unwrap_err().ends_with("a string of at most 65536 bytes"));
        for (fields, says) in [
            (r#","labels":["a",1]"#, "`labels` is [\"a\",1]; it must be a list of strings"),
            (r#","reveal":1"#, "`reveal` is 1; it must be an object"),
            (r#","text":{}"#, "`text` is {}; it must be a string"),
        ] {
            let said = show(None, fields).unwrap_err();
            assert!(said.starts_with(says), "{fields}: {said}");
        }
    }

    proptest! {
        #[test]
        fn what_is_passed_on_is_what_any_parser_reads(at in 0_usize..90, byte in 32_u8..127, cut in 0_usize..90) {
            let line = br#"{"type":"position","id":3,"to_move":0,"view":{"a":[1,{}]},"legal_moves":[[1,2],"x",3]}"#;
            let mut changed = line.to_vec();
            if let Some(place) = changed.get_mut(at) {
                *place = byte;
            }
            if cut < at.min(changed.len()) {
                changed.remove(cut);
            }
            let asked = Request::Apply { id: 3, played: &Move::Int(1) };
            let Ok(answer) = Answer::read(&changed, &asked) else { return Ok(()) };
            let Answer::Position(position) = answer else { panic!("no other answer is near") };
            let value: serde_json::Value = serde_json::from_slice(&changed).unwrap();
            prop_assert_eq!(&value["view"], &serde_json::from_str::<serde_json::Value>(position.view()).unwrap());
            let moves: serde_json::Value = serde_json::from_str(position.moves_json()).unwrap();
            prop_assert_eq!(&serde_json::to_value(position.offer.moves().to_vec()).unwrap(), &moves);
            let list = if matches!(position.offer, Offer::All(_)) { "legal_moves" } else { "sample_moves" };
            prop_assert_eq!(&value[list], &moves);
        }
    }
}
