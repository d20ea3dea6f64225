//! The language of the filter: words that must all hold. `web/filter.js` has the same one.

use arena_core::record::GameResult;
use arena_core::rules::Seat;
use arena_core::text::shown;

use super::{List, ListedGame, NumberedWords};

/// The words of the filter.
pub const FILTER_WORDS: &str =
    "bot:NAME (first:, second:) lost won draw void fault gave:NAME reason:WORD round:N pair:N last:N, or part of an id";

/// Which games of a list to show.
#[derive(Debug, Default)]
pub struct Filter {
    tests: Vec<FilterTest>,
    /// Maximum number of games, the last of those that pass.
    newest: Option<usize>,
}

#[derive(Debug)]
enum FilterTest {
    /// One of these bots plays.
    Bot(Vec<bool>),
    /// One of these bots is in this seat.
    InSeat(Seat, Vec<bool>),
    /// One of these bots won, or lost if `false`.
    Decided(bool, Vec<bool>),
    /// One of these bots gave the result away.
    Gave(Vec<bool>),
    Result(GameResult),
    Fault,
    /// It ended for one of these reasons, or a status contains the text.
    Reason(Vec<bool>, String),
    Round(u64),
    Pair(u64),
    /// A bot or reason, or the beginning of the id.
    Text {
        bots: Vec<bool>,
        reasons: Vec<bool>,
        id: String,
    },
}

/// A word: `key:value`, or a value alone, whose key is empty.
struct Word {
    key: String,
    value: String,
}

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A word takes a number.
    #[error("{key}: takes a number, not “{}”", shown(value))]
    NotANumber {
        /// The word.
        key: String,
        /// What it was given.
        value: String,
    },
    /// A word is about a bot, and none is named.
    #[error("“{0}” needs a bot: bot:NAME {0}")]
    NeedsBot(String),
    /// There is no such word.
    #[error("no word “{}:”; there are {FILTER_WORDS}", shown(.0))]
    UnknownWord(String),
}

impl Filter {
    /// Reads the filter in `text`, for the games of `list`.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn parse(text: &str, list: &List) -> Result<Self, FilterError> {
        let words = words(text);
        let named = words.iter().find(|word| ["bot", "first", "second"].contains(&word.key.as_str()));
        let subject = named.map(|word| bots_called(list, &word.value));
        let tests = words.iter().filter(|word| word.key != "last");
        let tests = tests.map(|word| test(list, word, subject.as_deref())).collect::<Result<_, _>>()?;
        let newest = words.iter().find(|word| word.key == "last").map(number).transpose()?;
        Ok(Self { tests, newest: newest.map(|count| usize::try_from(count).unwrap_or(usize::MAX)) })
    }

    /// The indices of the games of `list` that pass. The list is the one it was made for.
    #[must_use]
    pub fn apply(&self, list: &List) -> Vec<u32> {
        let rows = (0..).zip(&list.rows);
        let mut passed: Vec<u32> = if self.tests.is_empty() {
            rows.map(|(index, _)| index).collect()
        } else {
            rows.filter(|(_, row)| self.tests.iter().all(|test| test.holds(row))).map(|(index, _)| index).collect()
        };
        if let Some(count) = self.newest {
            passed.drain(..passed.len().saturating_sub(count));
        }
        passed
    }
}

impl Filter {
    /// Whether each bot is one whose given results the filter asks for; `None` if it asks for none.
    #[must_use]
    pub fn gave(&self) -> Option<&[bool]> {
        self.tests.iter().find_map(|test| if let FilterTest::Gave(bots) = test { Some(bots.as_slice()) } else { None })
    }
}

impl FilterTest {
    fn holds(&self, row: &ListedGame) -> bool {
        let has = |set: &[bool], number: u32| set.get(number as usize).copied().unwrap_or_default();
        let any = |bots: &[bool]| row.bots.iter().any(|bot| has(bots, *bot));
        match self {
            Self::Bot(bots) => any(bots),
            Self::InSeat(seat, bots) => has(bots, row.bots[seat.index()]),
            Self::Decided(won, bots) => row.result.winner().is_some_and(|winner| {
                let seat = if *won { winner } else { winner.other() };
                has(bots, row.bots[seat.index()])
            }),
            Self::Gave(bots) => (row.gave_away.iter().zip(row.bots)).any(|(gave, bot)| *gave && has(bots, bot)),
            Self::Result(result) => row.result == *result,
            Self::Fault => row.statuses.iter().any(|status| status.is_fault()),
            Self::Reason(reasons, text) => {
                has(reasons, row.reason) || row.statuses.iter().any(|status| status.name().contains(text))
            }
            Self::Round(round) => u64::from(row.round) == *round,
            Self::Pair(pair) => u64::from(row.pair) == *pair,
            Self::Text { bots, reasons, id } => {
                any(bots) || has(reasons, row.reason) || row.id.to_string().starts_with(id)
            }
        }
    }
}

/// The word `key:value`, in quotes if it needs them.
#[must_use]
pub fn filter_word(key: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return format!("{key}:{value}");
    }
    format!("{key}:\"{}\"", value.replace('\\', r"\\").replace('"', "\\\""))
}

/// The words of a text, where a value may be quoted: `bot:"two words"`.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let after = rest[letters..].strip_prefix(':').filter(|_| letters > 0);
        // A key without a value is a word like any other.
        let value = |rest| quoted(rest).or_else(|| plain(rest));
        let with_key = after.and_then(|after| Some((rest[..letters].to_ascii_lowercase(), value(after)?)));
        let Some((key, (value, after))) = with_key.or_else(|| Some((String::new(), value(rest)?))) else { break };
        words.push(Word { key, value });
        rest = after.trim_start();
    }
    words
}

/// A value in quotes, in which a backslash takes the next character as it is, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => return Some((value, characters.as_str())),
            '\\' => value.push(characters.next()?),
            character => value.push(character),
        }
    }
}

/// A value up to the next space, and what follows it.
fn plain(text: &str) -> Option<(String, &str)> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

/// The bots that a word means: the one of that name, else all whose name contains it.
fn bots_called(list: &List, value: &str) -> Vec<bool> {
    if list.bots.iter().any(|bot| bot == value) {
        return list.bots.iter().map(|bot| bot == value).collect();
    }
    having(&list.bots, &value.to_lowercase())
}

fn having(words: &NumberedWords, text: &str) -> Vec<bool> {
    words.iter().map(|word| word.to_lowercase().contains(text)).collect()
}

fn number(word: &Word) -> Result<u64, FilterError> {
    let Word { key, value } = word;
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FilterError::NotANumber { key: key.clone(), value: value.clone() });
    }
    Ok(value.parse().unwrap_or(u64::MAX))
}

/// The test for a word. `subject` are the bots that “lost” and “won” speak of.
fn test(list: &List, word: &Word, subject: Option<&[bool]>) -> Result<FilterTest, FilterError> {
    let text = word.value.to_lowercase();
    let decided = |won| match subject {
        Some(bots) => Ok(FilterTest::Decided(won, bots.to_vec())),
        None => Err(FilterError::NeedsBot(text.clone())),
    };
    let bots = || bots_called(list, &word.value);
    match word.key.as_str() {
        "bot" => return Ok(FilterTest::Bot(bots())),
        "first" => return Ok(FilterTest::InSeat(Seat::First, bots())),
        "second" => return Ok(FilterTest::InSeat(Seat::Second, bots())),
        "gave" => return Ok(FilterTest::Gave(bots())),
        "reason" => return Ok(FilterTest::Reason(having(&list.reasons, &text), text)),
        "round" => return number(word).map(FilterTest::Round),
        "pair" => return number(word).map(FilterTest::Pair),
        "" => {}
        key => return Err(FilterError::UnknownWord(key.to_owned())),
    }
    match text.as_str() {
        "won" => decided(true),
        "lost" => decided(false),
        "draw" => Ok(FilterTest::Result(GameResult::Draw)),
        "void" => Ok(FilterTest::Result(GameResult::Void)),
        "fault" => Ok(FilterTest::Fault),
        _ => Ok(FilterTest::Text { bots: having(&list.bots, &text), reasons: having(&list.reasons, &text), id: text }),
    }
}

#[cfg(test)]
mod tests {
    use arena_core::event::GameId;
    use arena_core::record::Status;
    use proptest::prelude::*;

    use super::*;

    fn list() -> List {
        use GameResult::{Draw, FirstWins, SecondWins, Void};
        let mut list = List { folders: vec!["t".to_owned()], ..List::default() };
        let games = [
            ("greedy", "random", FirstWins, "line", [Status::Ok; 2]),
            ("random", "greedy", FirstWins, "timeout", [Status::Ok, Status::Timeout]),
            ("greedy", "two \"words\"", SecondWins, "line", [Status::Ok; 2]),
            ("greedy2", "random", Draw, "full", [Status::Ok; 2]),
            ("random", "greedy2", Void, "disk", [Status::Ok; 2]),
            ("greedy", "random", SecondWins, "resigned", [Status::Resigned, Status::Ok]),
        ];
        for (place, (first, second, result, reason, statuses)) in (0..).zip(games) {
            let bots = [first, second].map(|name| list.bots.number(name));
            let reason = list.reason(reason, "connect4".parse().ok().as_ref());
            let (round, pair) = (place / 2 + 1, place + 1);
            let id = GameId::of(&format!("{place:x}{:015x}", 7));
            let gave_away = [place % 2 == 0, place == 1];
            let sample = ListedGame::sample(id, bots, reason);
            list.rows.push(ListedGame { round, pair, result, statuses, gave_away, ..sample });
        }
        list
    }

    /// The games that pass, by their numbers, or the error.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let list = list();
        let found = match Filter::parse(text, &list) {
            Ok(filter) => filter.apply(&list).iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn all_words_must_hold() {
        check("", "0 1 2 3 4 5");
        check("bot:greedy", "0 1 2 5");
        check("bot:greed", "0 1 2 3 4 5");
        check("BOT:greedy lost", "1 2 5");
        check("lost bot:greedy reason:TIME", "1");
        check("bot:greedy won", "0");
        check("first:greedy second:random", "0 5");
        check("first:greedy lost", "2 5");
        check("bot:\"two \\\"words\\\"\" won", "2");
        check("draw", "3");
        check("void", "4");
        check("fault", "1");
        check("gave:greedy", "0 1 2");
        check("gave:random", "4");
        check("gave:greedy2 gave:random", "");
        check("reason:resign", "5");
        check("reason:line", "0 2");
        check("reason:\"four in a row\" first:greedy", "0 2");
        check("four", "0 2");
        check("round:2", "2 3");
        check("pair:4", "3");
        check("bot:greedy last:2", "2 5");
        check("last:99 last:1", "0 1 2 3 4 5");
        check("3000", "3");
        check("full", "3");
        check("words", "2");
        check("bot:no-such-bot", "");
        check("bot:", "");
        check("\"", "2");
        check("pair:99999999999999999999", "");
    }

    #[test]
    fn what_is_wrong_is_said() {
        check("lost", "“lost” needs a bot: bot:NAME lost");
        check("round:two", "round: takes a number, not “two”");
        check("last:", "");
        check("last:\"\"", "last: takes a number, not “”");
        check("speed:1", &format!("no word “speed:”; there are {FILTER_WORDS}"));
    }

    #[test]
    fn the_page_has_the_same_words() {
        assert!(include_str!("../../../../arena-show/src/web/filter.js").contains(&format!("\"{FILTER_WORDS}\"")));
    }

    proptest! {
        #[test]
        fn any_text_is_a_filter_or_an_error(text in "[ -~\u{e9}\n]{0,30}") {
            let list = list();
            if let Ok(filter) = Filter::parse(&text, &list) {
                prop_assert!(filter.apply(&list).len() <= list.rows.len());
            }
        }

        #[test]
        fn the_word_of_a_bot_finds_its_games(name in "[ -~\u{e9}]{1,12}") {
            let mut list = list();
            list.rows[0].bots[0] = list.bots.number(&name);
            let filter = Filter::parse(&filter_word("bot", &name), &list).unwrap();
            prop_assert!(filter.apply(&list).contains(&0));
        }
    }
}
