//! What one bot read in a stored game, and what it replied: rebuilt from the record, so that a game costs nothing more
//! while it is played. The rebuilt lines differ from the original ones only in what is drawn anew for each process, the `id`s
//! and the `game_id`, and in what depends on what the bot said: the options of an engine are spelled as its manifest has them.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use anyhow::{Context, bail};
use arena_core::record::{Evidence, Played, Record, Status};
use arena_core::referee::{Answer, GameEnd, Question, Referee, RefereeSetup, Reply};
use arena_core::rules::{Move, Seat, Variant, play};
use arena_core::speech::{DialectOptions, Speech};
use arena_core::text;
use serde::Serialize;

use crate::protocol::{Dialect, JSON, Outgoing, Protocol, Response, Terms, evidence_of, protocol_named};

/// Requests in a transcript; of a longer game the last ones are kept.
const REQUESTS_MAX: usize = 256;
/// Bytes of the requests and replies in a transcript; of a longer game the last ones are kept, at least one request.
const BYTES_MAX: usize = 1 << 20;
/// Where ids come from: the same in every transcript, so that its text depends on the game alone.
const SECRET: [u64; 2] = [0, 0];

/// What a transcript needs beside the record.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptOptions<'a> {
    /// How the bot is spoken to, if it does not speak the arena's own protocol.
    pub speaks: Option<&'a Speech>,
    /// The bot's own seed in this game.
    pub seed: u64,
    /// Its time to start.
    pub startup: Duration,
    /// The command that starts it, for the line about its fault.
    pub command: Option<&'a str>,
    /// Show the bot's lines too, where its input has no place for them.
    pub both_ways: bool,
}

/// The messages that `seat` was sent in a stored game, from the first one to the end of the game or to the fault, in its own
/// protocol: the text can be used as its input as it is.
///
/// Bots that ignore JSON lines of unknown types find more in it: their own lines, in messages of type `x_reply`, and if they
/// are at fault, a last line `x_fault` with the evidence and the command. For all others the lines of both sides can be shown:
/// `< ` comes before what the bot read, `> ` before what it wrote, and `# ` before a remark.
///
/// # Errors
///
/// Returns an error if the game was not played, the record does not follow the rules, or this arena does not know the
/// protocol.
pub fn transcript(record: &Record, seat: Seat, options: &TranscriptOptions<'_>) -> anyhow::Result<String> {
    let &TranscriptOptions { speaks, seed, startup, command, both_ways } = options;
    let status = record.statuses[seat.index()];
    if record.statuses.contains(&Status::Withdrawn) {
        bail!("game {} was not played, because a bot was withdrawn", text::shown(&record.id));
    }
    let game = TranscriptGame::of(record)?;
    let mut pen = Pen::new(speaks, both_ways, &game.variant)?;
    let mut out = Vec::new();
    pen.send(Outgoing::Hello { startup }, &mut out);
    if status != Status::StartupFailed || was_sent(record, seat, pen.protocol.words.new_game_begins) {
        pen.send(Outgoing::NewGame(&game.setup(record).start([seed; 2], seat)), &mut out);
    }
    if !record.statuses.contains(&Status::StartupFailed) {
        game.requests(record, seat, &mut pen)?.write(&pen, &mut out)?;
    }
    if !status.is_fault() {
        pen.send(Outgoing::GameEnd(&game.end(record, seat)?), &mut out);
    } else if let Some(evidence) = &record.evidence[seat.index()] {
        let bot = &record.bots[seat.index()].name;
        // The request is there already; a bot that only looks for its words must not find them twice.
        let evidence = &Evidence { last_sent: None, ..evidence.clone() };
        pen.remark(&Remark::Fault { game: &record.id, bot, status, evidence, command }, &mut out)?;
    }
    let written = String::from_utf8(out).context("the transcript is not UTF-8")?;
    Ok(if pen.protocol.takes_remarks { text::json(&written).into_owned() } else { written })
}

/// The shell command that gives a bot what it was sent in a stored game; `replay`, followed by a seat, prints the lines of that
/// seat's player.
#[must_use]
pub fn reproduce_from_journal(replay: &str, seat: Seat, protocol: &Protocol) -> String {
    // Where the lines of both sides are shown, those of the bot are no input.
    let input_only = if protocol.takes_remarks { "" } else { " | sed -n 's/^< //p'" };
    format!("{replay} {seat}{input_only} | BOT")
}

/// Writes the lines of both sides.
struct Pen {
    protocol: &'static Protocol,
    dialect: Box<dyn Dialect>,
    /// Whether lines that the bot did not read are shown where it does not ignore them.
    both_ways: bool,
}

impl Pen {
    /// Fails if this arena does not know the protocol, or that cannot carry the game: the journal may be anyone's.
    fn new(speaks: Option<&Speech>, both_ways: bool, variant: &Variant) -> anyhow::Result<Self> {
        let Some(Speech { protocol, version, options, memory_mb }) = speaks else {
            return Ok(Self {
                protocol: &JSON,
                dialect: (JSON.dialect)(SECRET, &DialectOptions::new(), Terms::of_memory_mb(0)),
                both_ways,
            });
        };
        let protocol = protocol_named(protocol)?;
        if protocol.version != *version {
            let (name, known) = (protocol.name, protocol.version);
            bail!("it was played in version {version} of the {name} protocol; this arena has version {known}");
        }
        let checked = (protocol.check_options)(options).map_err(|(_, why)| why);
        if let Err(why) = (protocol.plays)(variant, true).and(checked) {
            bail!("it cannot have been played in the {} protocol: {}", protocol.name, text::shown(&why));
        }
        let dialect = (protocol.dialect)(SECRET, options, Terms::of_memory_mb(*memory_mb));
        Ok(Self { protocol, dialect, both_ways })
    }

    /// Whether only what was sent may be written.
    fn is_plain(&self) -> bool {
        self.protocol.takes_remarks || !self.both_ways
    }

    fn send(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) {
        let mut sent = Vec::new();
        self.dialect.write(outgoing, &mut sent);
        self.dialect.go_on(&mut sent);
        self.show(&sent, out);
    }

    fn show(&self, sent: &[u8], out: &mut Vec<u8>) {
        if self.is_plain() {
            out.extend_from_slice(sent);
            return;
        }
        for line in String::from_utf8_lossy(sent).lines() {
            out.extend(format!("< {line}\n").bytes());
        }
    }

    /// A question and the message before it, as far as they were sent: `was_last` says whether a message, as evidence has it,
    /// was the last one or not the last question.
    fn ask(&mut self, question: &Question<'_>, was_last: impl Fn(&str) -> bool, out: &mut Vec<u8>) {
        let (mut sync, mut asked) = (Vec::new(), Vec::new());
        if self.dialect.sync_again().is_some() {
            self.dialect.write(Outgoing::Sync, &mut sync);
        }
        self.dialect.write(Outgoing::Question(question), &mut asked);
        let was_asked = was_last(&evidence_of(&asked));
        if was_asked || was_last(&evidence_of(&sync)) {
            self.show(&sync, out);
        }
        if was_asked {
            self.show(&asked, out);
        }
    }

    fn remark(&self, remark: &Remark<'_>, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.protocol.takes_remarks {
            serde_json::to_writer(&mut *out, remark)?;
            out.push(b'\n');
        } else if self.both_ways {
            out.extend(remark.to_string().bytes());
            out.push(b'\n');
        }
        Ok(())
    }
}

/// A line that was not sent to the bot. A bot ignores it, as it ignores all unknown types.
#[derive(Serialize)]
#[serde(tag = "type")]
enum Remark<'a> {
    /// What the bot wrote.
    #[serde(rename = "x_reply")]
    Reply { line: &'a str },
    /// Requests that are left out here.
    #[serde(rename = "x_omitted")]
    Omitted { requests: usize },
    /// How the game ended for the bot.
    #[serde(rename = "x_fault")]
    Fault {
        game: &'a str,
        bot: &'a str,
        status: Status,
        evidence: &'a Evidence,
        #[serde(skip_serializing_if = "Option::is_none")]
        command: Option<&'a str>,
    },
}

impl fmt::Display for Remark<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply { line } => write!(f, "> {}", text::escaped(line)),
            Self::Omitted { requests } => write!(f, "# earlier requests that are left out: {requests}"),
            Self::Fault { status, evidence, .. } => write!(f, "# {status}: {}", evidence.sentence(*status)),
        }
    }
}

/// The request for the move after the first `ply` moves, as the bot on move got it; ids are drawn anew. `speaks` says how each
/// bot is spoken to, by seat.
///
/// # Errors
///
/// Returns an error if there was no such request, the record does not follow the rules, or this arena does not know the
/// protocol.
pub fn request(record: &Record, ply: usize, speaks: [Option<&Speech>; 2]) -> anyhow::Result<String> {
    let mut found = Vec::new();
    let mut first = None;
    let game = TranscriptGame::of(record)?;
    game.ask(record, |question, _| {
        first.get_or_insert(question.ply);
        if question.ply == ply {
            Pen::new(speaks[question.seat.index()], false, &game.variant)?
                .send(Outgoing::Question(question), &mut found);
        }
        Ok(())
    })?;
    let id = text::shown(&record.id);
    match first {
        // It is read by people, for whom the CR before a newline is noise.
        _ if !found.is_empty() => {
            Ok(String::from_utf8(found).context("the request is not UTF-8")?.replace("\r\n", "\n"))
        }
        Some(first) if was_begun(record) => {
            bail!("no request at ply {ply} in game {id}; it has plies {first} to {}", record.moves.len())
        }
        _ => bail!("game {id} has no requests"),
    }
}

/// Whether both bots were ready, so that moves were asked for.
fn was_begun(record: &Record) -> bool {
    !record.statuses.iter().any(|status| matches!(status, Status::StartupFailed | Status::Withdrawn))
}

/// Whether the last message that a bot at fault was sent begins with this.
fn was_sent(record: &Record, seat: Seat, begin: &str) -> bool {
    let evidence = record.evidence[seat.index()].as_ref();
    evidence.and_then(|known| known.last_sent.as_deref()).is_some_and(|line| line.starts_with(begin))
}

struct TranscriptGame {
    variant: Variant,
}

impl TranscriptGame {
    fn of(record: &Record) -> anyhow::Result<Self> {
        Ok(Self { variant: Variant::from_json(&record.game, &record.params)? })
    }

    fn setup<'a>(&'a self, record: &'a Record) -> RefereeSetup<'a> {
        RefereeSetup {
            variant: &self.variant,
            seed: record.seed,
            opening: &record.opening,
            clock: record.clock,
            max_plies: record.max_plies,
        }
    }

    /// Plays the game again, and calls `asked` with every question, and with what was played then if it was a move that
    /// counts.
    fn ask(
        &self,
        record: &Record,
        mut asked: impl FnMut(&Question<'_>, Option<(&Move, &Played)>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let broken = || format!("game {} does not follow the rules of this version", text::shown(&record.id));
        let mut referee = Referee::new(&self.setup(record)).with_context(broken)?;
        let moves = record.moves.get(record.opening.len()..).unwrap_or_default();
        for (choice, played) in moves.iter().zip(&record.played) {
            let question = referee.next_question().with_context(broken)?;
            asked(&question, Some((choice, played)))?;
            let reply = Reply { eval: played.eval, ..choice.clone().into() };
            referee.answer(Answer::Move(reply, played.taken()));
        }
        if referee.verdict().is_some_and(|verdict| verdict.statuses != [Status::Ok; 2]) {
            bail!(broken());
        }
        match referee.next_question() {
            Some(question) if was_begun(record) => asked(&question, None),
            _ => Ok(()),
        }
    }

    /// The requests that `seat` was sent, and its replies.
    fn requests(&self, record: &Record, seat: Seat, pen: &mut Pen) -> anyhow::Result<Exchanges> {
        let mut exchanges = Exchanges::default();
        let sync = pen.protocol.words.sync;
        let skipped = record.played_by(seat).count().saturating_sub(REQUESTS_MAX - 1);
        let mut count = 0;
        self.ask(record, |question, played| {
            if question.seat != seat {
                return Ok(());
            }
            count += 1;
            if count <= skipped {
                exchanges.omitted += 1;
                return Ok(());
            }
            let mut lines = Vec::new();
            pen.ask(
                question,
                |asked| {
                    // The last messages were written unless a fault was found before.
                    let last = record.evidence[seat.index()].as_ref().and_then(|known| known.last_sent.as_deref());
                    played.is_some() || sync.is_empty() || last.is_none_or(|last| last == asked)
                },
                &mut lines,
            );
            let response = match played {
                Some((choice, played)) => Some(Response::Move(Reply {
                    eval: played.eval,
                    comment: played.comment.clone(),
                    debug: played.debug.clone(),
                    ..choice.clone().into()
                })),
                None if record.statuses[seat.index()] == Status::Resigned => Some(Response::Resign),
                None => None,
            };
            if let Some(response) = response {
                let line = &pen.dialect.reply(&response);
                pen.remark(&Remark::Reply { line }, &mut lines)?;
            }
            exchanges.push(lines);
            Ok(())
        })?;
        Ok(exchanges)
    }

    fn end<'a>(&self, record: &'a Record, seat: Seat) -> anyhow::Result<GameEnd<'a>> {
        let mut state = self.variant.start(record.seed)?;
        play(state.as_mut(), &record.moves).map_err(|(_, error)| error)?;
        let (result, reason, moves) = (record.result, record.reason.as_str(), record.moves.as_slice());
        Ok(GameEnd { seat, result, reason, moves, reveal: state.reveal() })
    }
}

/// Requests, each with its reply.
#[derive(Default)]
struct Exchanges {
    kept: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Requests before those that are kept.
    omitted: usize,
}

impl Exchanges {
    fn push(&mut self, lines: Vec<u8>) {
        self.bytes += lines.len();
        self.kept.push_back(lines);
        while self.bytes > BYTES_MAX && self.kept.len() > 1 {
            self.bytes -= self.kept.pop_front().map_or(0, |lines| lines.len());
            self.omitted += 1;
        }
    }

    fn write(&self, pen: &Pen, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.omitted > 0 {
            pen.remark(&Remark::Omitted { requests: self.omitted }, out)?;
        }
        self.kept.iter().for_each(|lines| out.extend(lines));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_requests_are_kept_within_the_limit() {
        let mut exchanges = Exchanges::default();
        for letter in [b'a', b'b', b'c'] {
            exchanges.push(vec![letter; BYTES_MAX - 1]);
        }
        let mut out = Vec::new();
        exchanges.write(&Pen::new(None, false, &"connect4".parse().unwrap()).unwrap(), &mut out).unwrap();
        assert!(out.starts_with(b"{\"type\":\"x_omitted\",\"requests\":2}\nccc"), "the last one");
        exchanges.push(vec![b'd'; 2 * BYTES_MAX]);
        assert_eq!((exchanges.kept.len(), exchanges.omitted), (1, 3), "a request is never cut");
    }

    #[test]
    fn a_journal_that_says_what_cannot_be_is_refused() {
        let speech = |protocol: &str, version| Speech {
            protocol: protocol.to_owned(),
            version,
            options: DialectOptions::new(),
            memory_mb: u64::MAX,
        };
        let refused = |speech: Speech, game: &str| {
            Pen::new(Some(&speech), true, &game.parse().unwrap()).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused(speech("gomokup", 1), "gomoku").contains("did you mean `gomocup`?"));
        let other = "it was played in version 9 of the gomocup protocol; this arena has version 1";
        assert_eq!(refused(speech("gomocup", 9), "gomoku"), other);
        let marbles = refused(speech("gomocup", 1), "marbles");
        assert!(marbles.starts_with("it cannot have been played in the gomocup protocol: "), "{marbles}");
        let smuggled = [("x\r\nEND".to_owned(), arena_core::speech::OptionValue::Bool(true))].into();
        assert!(refused(Speech { options: smuggled, ..speech("gomocup", 1) }, "gomoku").contains("no key of INFO"));
    }
}
