//! What identifies a record of a game: its name, and a hash of all of it but the result. [`copies`](super::copies) compares them.

use std::hash::{DefaultHasher, Hasher as _};

use super::file::Identity;
use super::missing::present;

/// What a column or a tag tells of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    /// An address or an identifier, or at least a number.
    Game,
    /// When it began or ended.
    Time,
    /// A number within an occasion.
    Round,
    /// The day of an occasion, which has many games.
    Day,
    /// An occasion.
    Event,
    /// What others have noted about the game, which is no other game without it.
    Note,
    /// Something else.
    Nothing,
}

impl Tells {
    /// What a column or a tag of this name tells.
    pub(super) fn of(name: &[u8]) -> Self {
        const GAME: [&str; 13] = [
            "id",
            "gameid",
            "uuid",
            "guid",
            "hash",
            "url",
            "gameurl",
            "link",
            "gamelink",
            "site",
            "source",
            "gamenumber",
            "number",
        ];
        const TIMES: [&str; 14] = [
            "time",
            "utctime",
            "starttime",
            "gamestarttime",
            "endtime",
            "gameendtime",
            "start",
            "started",
            "startedat",
            "end",
            "ended",
            "endedat",
            "played",
            "playedat",
        ];
        const NOTES: [&str; 16] = [
            "eco",
            "opening",
            "variation",
            "subvariation",
            "nic",
            "annotator",
            "plycount",
            "whiteelo",
            "blackelo",
            "whiteratingdiff",
            "blackratingdiff",
            "whitetitle",
            "blacktitle",
            "note",
            "notes",
            "comment",
        ];
        match &plain_name(name)[..] {
            "round" => Self::Round,
            "event" | "tournament" => Self::Event,
            "date" | "utcdate" | "eventdate" | "day" => Self::Day,
            name if GAME.contains(&name) => Self::Game,
            name if NOTES.contains(&name) => Self::Note,
            name if TIMES.contains(&name) || ["timestamp", "datetime"].iter().any(|part| name.contains(part)) => {
                Self::Time
            }
            _ => Self::Nothing,
        }
    }
}

/// Letters and digits of the name of a column or a tag, in lower case.
pub(super) fn plain_name(name: &[u8]) -> String {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// Whether a value says which game it is: a web address, or an identifier of eight letters and digits or more.
fn is_identifier(value: &[u8]) -> bool {
    const LENGTH_MIN: usize = 8;
    let is_word = value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_');
    let digits = digits(value);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    // `20260301` is a day, and `00000012` a number.
    let is_long = is_word && value.len() >= LENGTH_MIN && digits > 0 && (digits >= 10 || has_letter);
    is_long || memchr::memmem::find(value, b"://").is_some()
}

fn digits(value: &[u8]) -> usize {
    value.iter().filter(|byte| byte.is_ascii_digit()).count()
}

/// Whether it has a time such as `01:02:03`.
fn has_seconds(value: &[u8]) -> bool {
    let is_time = |part: &[u8]| {
        part.iter()
            .zip(b"00:00:00")
            .all(|(byte, form)| if *form == b':' { *byte == b':' } else { byte.is_ascii_digit() })
    };
    value.windows(8).any(is_time)
}

/// Whether it is a day and a time with seconds, or the seconds of an epoch.
fn is_moment(value: &[u8]) -> bool {
    let digits = digits(value);
    has_seconds(value) && digits >= 12 || digits >= 10 && digits == value.len()
}

/// Collects what identifies a record. Its parts come in the same order for equal records.
#[derive(Default)]
pub(super) struct RecordParts {
    whole: DefaultHasher,
    name: DefaultHasher,
    /// How far the parts name the game.
    told: Told,
}

/// How far something names a game.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is told by other parts")]
struct Told {
    /// It does alone.
    game: bool,
    /// It does together with the moves.
    number: bool,
    /// A day and a time do together.
    day: bool,
    time: bool,
}

impl RecordParts {
    /// Adds a cell or a tag.
    pub(super) fn add(&mut self, column: &[u8], tells: Tells, value: &[u8]) {
        let Some(value) = present(value).filter(|_| tells != Tells::Note) else { return };
        part(&mut self.whole, column, value);
        if tells == Tells::Nothing {
            return;
        }
        part(&mut self.name, column, value);
        let told = &mut self.told;
        match tells {
            Tells::Game => {
                told.game |= is_identifier(value);
                told.number |= digits(value) > 0;
            }
            Tells::Time => {
                told.game |= is_moment(value);
                told.time |= has_seconds(value);
            }
            Tells::Round => told.number = true,
            Tells::Day => told.day |= digits(value) >= 3,
            Tells::Event | Tells::Note | Tells::Nothing => {}
        }
    }

    /// What identifies the game between these players with these moves; `None` if nothing does.
    pub(super) fn identity(mut self, players: [&[u8]; 2], moves: Option<[u8; 16]>) -> Option<Identity> {
        let Told { game, number, day, time } = self.told;
        let is_named = game || number && moves.is_some() || day && time;
        if !is_named {
            return None;
        }
        for player in players {
            part(&mut self.whole, b"player", player);
            part(&mut self.name, b"player", player);
        }
        part(&mut self.whole, b"moves", &moves.unwrap_or_default());
        Some(Identity { name: self.name.finish(), whole: self.whole.finish() })
    }
}

/// Adds a part in a way that no other parts have.
fn part(hasher: &mut DefaultHasher, column: &[u8], value: &[u8]) {
    for part in [column, value] {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_tags_tell_games_apart_by_their_names() {
        for (name, tells) in [
            ("id", Tells::Game),
            ("Game ID", Tells::Game),
            ("Site", Tells::Game),
            ("GameStartTime", Tells::Time),
            ("started_at", Tells::Time),
            ("timestamp_utc", Tells::Time),
            ("Round", Tells::Round),
            ("Date", Tells::Day),
            ("Event", Tells::Event),
            ("TimeControl", Tells::Nothing),
            ("White Elo", Tells::Note),
            ("GameDuration", Tells::Nothing),
            ("first_time_ms", Tells::Nothing),
            ("plies", Tells::Nothing),
            ("pair", Tells::Nothing),
        ] {
            assert_eq!(Tells::of(name.as_bytes()), tells, "{name}");
        }
    }

    #[test]
    fn only_long_values_name_a_game() {
        let is_named = |cells: &[(&str, &str)]| {
            [None, Some([0; 16])].map(|moves| {
                let mut parts = RecordParts::default();
                for (column, value) in cells {
                    parts.add(column.as_bytes(), Tells::of(column.as_bytes()), value.as_bytes());
                }
                parts.identity([b"a", b"b"], moves).is_some()
            })
        };
        for named in [
            &[("site", "https://example.org/abc")][..],
            &[("id", "a1b2c3d4")],
            &[("id", "ab-12-cd-34")],
            &[("start", "2026-03-01T01:02:03")],
            &[("timestamp", "1772326923")],
            &[("date", "2026-03-01"), ("time", "01:02:03")],
        ] {
            assert_eq!(is_named(named), [true; 2], "{named:?}");
        }
        for with_moves in [&[("id", "17")][..], &[("id", "20260301")], &[("number", "00000012")], &[("round", "1")]] {
            assert_eq!(is_named(with_moves), [false, true], "{with_moves:?}");
        }
        for unnamed in [
            &[("date", "2026-03-01")][..],
            &[("time", "00:00:03")],
            &[("time", "3.5")],
            &[("started", "01:02")],
            &[("date", "?"), ("time", "01:02:03")],
            &[("site", "localhost")],
            &[("event", "casual 2026")],
            &[("round", "-")],
        ] {
            assert_eq!(is_named(unnamed), [false; 2], "{unnamed:?}");
        }
    }
}
