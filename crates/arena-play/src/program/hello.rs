//! What a program of rules says of itself, and how that becomes [`Rules`] of this process.

use std::fmt::Write as _;

use arena_core::rules::{
    DeclaredKind, DeclaredParam, DeclaredRules, NameTaken, OPENING_PLIES_MAX, RULES, SEAT_NAME_MAX, is_seat_name,
};
use arena_wire::protocol::protocol_named;
use serde_json::{Map, Value};

use super::fields::{FieldValue, Fields};
use super::messages::VERSION;
use super::mistake::Mistake;

/// Maximum length of a name: of a game, a parameter, a word or a reason.
pub const NAME_BYTES_MAX: usize = 32;
/// Maximum number of parameters.
pub const PARAMS_MAX: usize = 32;
/// Maximum number of words of one parameter.
pub const WORDS_MAX: usize = 64;
/// Maximum length of `summary`, `build` and the help of a parameter, in bytes.
pub const HELP_BYTES_MAX: usize = 1_000;
/// Number of moves of a random opening, unless the program says something else or hides something.
const OPENING_PLIES_DEFAULT: usize = 2;
/// The protocol of bots that read plain lines.
const LINES: &str = "lines";
/// Maximum number of protocols of engines.
const ENGINES_MAX: usize = 8;

/// What a program says of its rules. Those of two processes of the same program are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Name of the game, in the form of [names](is_name); not one of a built-in game.
    pub game: String,
    /// Version of the rules, from 1.
    pub version: u32,
    /// One-line description; empty if there is none. Not escaped.
    pub summary: String,
    /// What the program rests on, such as `open_spiel 2.0.2`; empty if it does not say. Not escaped.
    pub build: String,
    /// The parameters.
    pub params: Vec<DeclaredParam>,
    /// Whether positions depend on the seed, or hide something from a seat.
    pub hidden: bool,
    /// Number of random moves of an opening; 0 if it hides something.
    pub opening_plies: usize,
    /// Whether it answers `show`.
    pub shows: bool,
    /// The protocols of engines that its moves belong to, such as `uci`; none if it hides something.
    pub engines: Vec<String>,
    /// Whether its positions have lines for bots that speak no protocol.
    pub lines: bool,
    /// What the seats are called, if it says so: two different texts that [`is_seat_name`] accepts.
    pub seats: Option<[String; 2]>,
}

/// Whether `text` has the form of names: 1 to 32 characters, each of `a-z`, `0-9` or `_`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_good)
}

/// What a name must be, as the end of a sentence.
const NAME: &str = "1 to 32 characters, each of a-z, 0-9 or _";

impl Hello {
    /// Reads the answer to `hello`.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Mistake> {
        fields.required("protocol")?.integer(VERSION.into()..=VERSION.into())?;
        let game = fields.required("game")?;
        let name = game.text().ok().filter(|name| is_name(name)).ok_or_else(|| game.mistake(NAME))?;
        if let Some(taken) = built_in(&name) {
            return Err(Mistake::Taken(taken));
        }
        let version = fields.required("version")?.integer(1..=u32::MAX.into())?;
        let seats = fields.optional("seats").map_or(Ok(None), |seats| read_seats(&seats))?;
        let flag = |name| fields.optional(name).map_or(Ok(false), |flag| flag.flag());
        let text = |name| fields.optional(name).map_or(Ok(String::new()), |text| text.text_up_to(HELP_BYTES_MAX));
        let (hidden, lines) = (flag("hidden")?, flag("lines")?);
        let opening_plies = match fields.optional("opening_plies") {
            // A bot that reads lines has not read those of opening moves.
            None if hidden || lines => 0,
            None => OPENING_PLIES_DEFAULT,
            Some(plies) => {
                let number = plies.integer(0..=OPENING_PLIES_MAX.into())?;
                if hidden && number > 0 {
                    return Err(plies.mistake("0 where `hidden` is true"));
                }
                number as usize
            }
        };
        let params = match fields.optional("params") {
            None => Vec::new(),
            Some(list) => read_params(&list.parsed::<Vec<_>>("a list of objects")?)?,
        };
        let engines = match fields.optional("engines") {
            None => Vec::new(),
            Some(list) => {
                let engines: Vec<String> = list.parsed("a list of names")?;
                if engines.len() > ENGINES_MAX || !engines.iter().all(|name| is_name(name)) {
                    return Err(list.mistake(format!("a list of at most {ENGINES_MAX} names, each of {NAME}")));
                }
                if let Some(unknown) = engines.iter().find_map(|name| protocol_named(name).err()) {
                    return Err(list.mistake(format!("a list of protocols: {unknown}")));
                }
                if hidden && !engines.is_empty() {
                    return Err(list.mistake("empty where `hidden` is true, since engines are given all moves"));
                }
                engines
            }
        };
        Ok(Self {
            game: name.into_owned(),
            version: version as u32,
            summary: text("summary")?,
            build: text("build")?,
            params,
            hidden,
            opening_plies,
            shows: flag("shows")?,
            engines,
            lines,
            seats,
        })
    }

    /// All that the identity of the game depends on, in a fixed form.
    #[must_use]
    pub fn canonical(&self) -> String {
        let Self { game, version, build, params, hidden, .. } = self;
        let mut out = format!("{game}\n{version}\n{}\n{hidden}\n", Value::from(build.as_str()));
        for DeclaredParam { name, kind, .. } in params {
            let kind = match kind {
                DeclaredKind::Int { default, min, max } => format!("{default} {min} {max}"),
                DeclaredKind::Word { words } => words.join(","),
            };
            let _ = writeln!(out, "{name}={kind}");
        }
        out
    }

    /// The same as what this process knows a game by.
    #[must_use]
    pub fn declared(&self) -> DeclaredRules {
        let Self { version, summary, build, params, hidden, opening_plies, engines, lines, seats, .. } = self.clone();
        let protocols = engines.into_iter().chain(lines.then(|| LINES.to_owned())).collect();
        DeclaredRules { version, summary, build, hidden, opening_plies: opening_plies as u8, protocols, seats, params }
    }
}

/// The names of the seats, or their number.
fn read_seats(seats: &FieldValue<'_>) -> Result<Option<[String; 2]>, Mistake> {
    if !seats.json.starts_with('[') {
        return seats.integer(2..=2).map(|_| None);
    }
    let wrong = || {
        let form = "letters, digits, spaces, - or _, with a letter or digit at both ends";
        seats.mistake(format!("2, or two different names of at most {SEAT_NAME_MAX} characters: {form}"))
    };
    let names: [String; 2] = serde_json::from_str(seats.json).map_err(|_| wrong())?;
    if names[0].to_lowercase() == names[1].to_lowercase() || !names.iter().all(|name| is_seat_name(name)) {
        return Err(wrong());
    }
    Ok(Some(names))
}

/// The error for the name of a built-in game or alias.
fn built_in(name: &str) -> Option<NameTaken> {
    let names =
        RULES.iter().flat_map(|rules| std::iter::once(rules.name).chain(rules.aliases.iter().map(|alias| alias.name)));
    names.into_iter().find(|known| *known == name).map(|name| NameTaken { kind: "game", name })
}

fn read_params(list: &[Map<String, Value>]) -> Result<Vec<DeclaredParam>, Mistake> {
    if list.len() > PARAMS_MAX {
        return Err(Mistake::field("params", &format!("a list of {}", list.len()), format!("at most {PARAMS_MAX}")));
    }
    let params = list.iter().map(read_param).collect::<Result<Vec<_>, _>>()?;
    for (index, param) in params.iter().enumerate() {
        if params[..index].iter().any(|other| other.name == param.name) {
            return Err(Mistake::field("params", &format!("two times `{}`", param.name), "distinct by name"));
        }
    }
    Ok(params)
}

fn read_param(object: &Map<String, Value>) -> Result<DeclaredParam, Mistake> {
    let get = |field: &str| object.get(field).unwrap_or(&Value::Null);
    let name = get("name").as_str().filter(|name| is_name(name));
    let name = name.ok_or_else(|| Mistake::field("name of a parameter", &get("name").to_string(), NAME))?;
    let wrong = |field: &str, expected: &str| {
        Mistake::field(format!("{field} of parameter {name}"), &get(field).to_string(), expected)
    };
    let help = match get("help") {
        Value::Null => String::new(),
        Value::String(help) if help.len() <= HELP_BYTES_MAX => help.clone(),
        _ => return Err(wrong("help", &format!("a string of at most {HELP_BYTES_MAX} bytes"))),
    };
    let kind = match get("words") {
        Value::Null => {
            let number = |field| get(field).as_i64().ok_or_else(|| wrong(field, "an integer (or give `words`)"));
            let (default, min, max) = (number("default")?, number("min")?, number("max")?);
            if !(min..=max).contains(&default) {
                return Err(wrong("default", &format!("within {min} to {max}")));
            }
            DeclaredKind::Int { default, min, max }
        }
        _ => DeclaredKind::Word {
            words: read_words(object).ok_or_else(|| {
                let expected = format!("1 to {WORDS_MAX} distinct words, each of {NAME}, and `default` one of them");
                wrong("words", &expected)
            })?,
        },
    };
    Ok(DeclaredParam { name: name.to_owned(), help, kind })
}

/// The words of a parameter, the default first.
fn read_words(object: &Map<String, Value>) -> Option<Vec<String>> {
    let words = object.get("words")?.as_array()?.iter().map(|word| word.as_str().filter(|word| is_name(word)));
    let words = words.collect::<Option<Vec<&str>>>()?;
    let default = object.get("default")?.as_str()?;
    let is_distinct = words.iter().enumerate().all(|(index, word)| !words[..index].contains(word));
    if words.len() > WORDS_MAX || !is_distinct || !words.contains(&default) {
        return None;
    }
    let others = words.into_iter().filter(|word| *word != default);
    Some(std::iter::once(default).chain(others).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::answer::Answer;
    use crate::program::messages::Request;

    fn read(fields: &str) -> Result<Hello, String> {
        let line = format!(r#"{{"type":"hello","protocol":1,"version":1{fields}}}"#);
        match Answer::read(line.as_bytes(), &Request::Hello) {
            Ok(Answer::Hello(hello)) => Ok(*hello),
            Ok(other) => panic!("{other:?}"),
            Err(mistake) => Err(mistake.to_string()),
        }
    }

    const PARAMS: &str = r#"[{"name":"size","help":"side","default":9,"min":2,"max":19,"x":[]},
        {"name":"mode","words":["slow","fast"],"default":"fast"}]"#;

    #[test]
    fn the_least_hello_has_defaults() {
        let hello = read(r#","game":"sticks""#).unwrap();
        let expected = Hello {
            game: "sticks".to_owned(),
            version: 1,
            summary: String::new(),
            build: String::new(),
            params: Vec::new(),
            hidden: false,
            opening_plies: 2,
            shows: false,
            engines: Vec::new(),
            lines: false,
            seats: None,
        };
        assert_eq!(hello, expected);
        assert_eq!(read(r#","game":"sticks","hidden":true"#).unwrap().opening_plies, 0);
        assert_eq!(read(r#","game":"sticks","lines":true"#).unwrap().opening_plies, 0);
    }

    #[test]
    fn all_that_is_said_is_read() {
        let said = format!(
            r#","game":"hex","summary":"s","build":"b 1","params":{PARAMS},"hidden":false,"opening_plies":4,
                "shows":true,"seats":2,"engines":["uci"],"unknown":1"#
        );
        let hello = read(&said).unwrap();
        let words = DeclaredKind::Word { words: vec!["fast".to_owned(), "slow".to_owned()] };
        assert_eq!(hello.params[0].kind, DeclaredKind::Int { default: 9, min: 2, max: 19 });
        assert_eq!((hello.params[1].kind.clone(), hello.params[0].help.as_str()), (words, "side"));
        assert_eq!((hello.opening_plies, hello.shows, hello.engines.len()), (4, true, 1));
        let named = read(&said.replace("\"seats\":2", "\"seats\":[\"white\",\"black\"]")).unwrap();
        assert_eq!((named.seats.clone(), hello.seats.clone()), (Some(["white", "black"].map(str::to_owned)), None));
        assert_eq!(named.canonical(), "hex\n1\n\"b 1\"\nfalse\nsize=9 2 19\nmode=fast,slow\n", "names change no rules");
        assert_eq!(hello.canonical(), "hex\n1\n\"b 1\"\nfalse\nsize=9 2 19\nmode=fast,slow\n");
    }

    #[test]
    fn a_wrong_hello_is_refused_with_its_value() {
        let param = |fields: &str| format!(r#","game":"hex","params":[{{{fields}}}]"#);
        for (said, says) in [
            (r#","x":1"#.to_owned(), "their `hello` has no `game`"),
            (r#","game":"Hex""#.to_owned(), "`game` is \"Hex\"; it must be 1 to 32 characters"),
            (r#","game":7"#.to_owned(), "`game` is 7; it must be 1 to 32 characters"),
            (r#","game":"connect4""#.to_owned(), "`connect4` is a built-in game; give it another name"),
            (r#","game":"tictactoe""#.to_owned(), "`tictactoe` is a built-in game; give it another name"),
            (r#","game":"hex","seats":4"#.to_owned(), "`seats` is 4; it must be 2"),
            (
                r#","game":"hex","seats":["white"]"#.to_owned(),
                "`seats` is [\"white\"]; it must be 2, or two different names",
            ),
            (
                r#","game":"hex","seats":["white","White"]"#.to_owned(),
                "`seats` is [\"white\",\"White\"]; it must be 2, or",
            ),
            (
                r#","game":"hex","seats":["white","a\u202eb"]"#.to_owned(),
                "`seats` is [\"white\",\"a\\u202eb\"]; it must be 2, or",
            ),
            (
                r#","game":"hex","seats":["white","a name of 17 chars"]"#.to_owned(),
                "`seats` is [\"white\",\"a name of 17 chars\"]; it",
            ),
            (r#","game":"hex","opening_plies":17"#.to_owned(), "`opening_plies` is 17; it must be an integer from 0"),
            (
                r#","game":"hex","hidden":true,"opening_plies":2"#.to_owned(),
                "`opening_plies` is 2; it must be 0 where `hidden` is true",
            ),
            (r#","game":"hex","shows":"yes""#.to_owned(), "`shows` is \"yes\"; it must be true or false"),
            (r#","game":"hex","build":1"#.to_owned(), "`build` is 1; it must be a string"),
            (
                r#","game":"hex","engines":["ucl"]"#.to_owned(),
                "`engines` is [\"ucl\"]; it must be a list of protocols: no protocol named `ucl` (did you mean `uci`?)",
            ),
            (r#","game":"hex","engines":["uci"],"hidden":true"#.to_owned(), "`engines` is [\"uci\"]; it must be empty"),
            (r#","game":"hex","engines":["UCI"]"#.to_owned(), "`engines` is [\"UCI\"]; it must be a list of at most 8"),
            (r#","game":"hex","params":{}"#.to_owned(), "`params` is {}; it must be a list of objects"),
            (param(r#""name":"a b""#), "`name of a parameter` is \"a b\"; it must be 1 to 32"),
            (param(r#""name":"a","default":3,"min":1"#), "`max of parameter a` is null; it must be an integer"),
            (
                param(r#""name":"a","default":3,"min":4,"max":9"#),
                "`default of parameter a` is 3; it must be within 4 to 9",
            ),
            (param(r#""name":"a","words":[],"default":"""#), "`words of parameter a` is []; it must be 1 to 64"),
            (param(r#""name":"a","words":["x","x"],"default":"x""#), "`words of parameter a` is [\"x\",\"x\"]; it"),
            (param(r#""name":"a","words":["x"],"default":"y""#), "`words of parameter a` is [\"x\"]; it must be"),
        ] {
            let refused = read(&said).unwrap_err();
            assert!(refused.starts_with(says), "{said}: {refused}");
        }
        let many = |count: usize| {
            let params = (0..count).map(|number| format!(r#"{{"name":"p{number}","default":0,"min":0,"max":1}}"#));
            read(&format!(r#","game":"hex","params":[{}]"#, params.collect::<Vec<_>>().join(",")))
        };
        assert!(many(32).is_ok());
        assert!(many(33).unwrap_err().starts_with("`params` is a list of 33; it must be at most 32"));
        let twice = r#","game":"hex","params":[{"name":"a","default":0,"min":0,"max":1},{"name":"a","words":["b"],"default":"b"}]"#;
        assert_eq!(read(twice).unwrap_err(), "`params` is two times `a`; it must be distinct by name");
        let answer = Answer::read(br#"{"type":"hello","protocol":2,"game":"hex","version":1}"#, &Request::Hello);
        assert_eq!(answer.unwrap_err().to_string(), "`protocol` is 2; it must be 1");
    }
}
