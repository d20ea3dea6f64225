//! What one bot read in a stored game, and what it replied: rebuilt from the record, so that a game costs nothing more
//! while it is played. The rebuilt lines differ from the original ones only in what is drawn anew for each process: the
//! `id`s and the `game_id`.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::clock::Taken;
use crate::protocol::{Dialect, FromBot, Json, MoveReply, Outgoing};
use crate::record::{Evidence, Played, Record, Status};
use crate::referee::{Answer, GameEnd, Question, Referee, RefereeSetup, Reply};
use crate::rules::{Move, Seat, Variant, play};
use crate::text;

/// Requests in a transcript; of a longer game the last ones are kept.
const REQUESTS_MAX: usize = 256;
/// Bytes of the requests and replies in a transcript; of a longer game the last ones are kept, at least one request.
const BYTES_MAX: usize = 1 << 20;
/// Where ids come from: the same in every transcript, so that its text depends on the game alone.
const SECRET: [u64; 2] = [0, 0];

/// The lines that `seat` read and wrote in a stored game, as JSON Lines, from `hello` to the end of the game or to the fault.
///
/// The bot's own lines are in messages of type `x_reply`, which a bot ignores like all unknown types: so the text can be
/// used as the input of the bot as it is. `seed` is the bot's own seed in this game, and `startup` its time to start. If
/// the bot is at fault, the last line is an `x_fault` with the evidence; it also has `command`, if given.
///
/// # Errors
///
/// Returns an error if the game was not played, or the record does not follow the rules.
pub fn transcript(
    record: &Record,
    seat: Seat,
    seed: u64,
    startup: Duration,
    command: Option<&str>,
) -> anyhow::Result<String> {
    let status = record.statuses[seat.index()];
    if record.statuses.contains(&Status::Withdrawn) {
        bail!("game {} was not played, because a bot was withdrawn", text::shown(&record.id));
    }
    let game = TranscriptGame::of(record)?;
    let mut json = Json::new(SECRET);
    let mut out = Vec::new();
    json.write(Outgoing::Hello { startup }, &mut out);
    if status != Status::StartupFailed || was_sent_new_game(record, seat) {
        json.write(Outgoing::NewGame(&game.setup(record).start([seed; 2], seat)), &mut out);
    }
    if !record.statuses.contains(&Status::StartupFailed) {
        game.requests(record, seat, &mut json)?.write(&mut out)?;
    }
    if !status.is_fault() {
        json.write(Outgoing::GameEnd(&game.end(record, seat)?), &mut out);
    } else if let Some(evidence) = &record.evidence[seat.index()] {
        let bot = &record.bots[seat.index()].name;
        // The request is there already; a bot that only looks for its words must not find them twice.
        let evidence = &Evidence { last_sent: None, ..evidence.clone() };
        Remark::Fault { game: &record.id, bot, status, evidence, command }.write(&mut out)?;
    }
    let written = String::from_utf8(out).context("the transcript is not UTF-8")?;
    Ok(text::json(&written).into_owned())
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

impl Remark<'_> {
    fn write(&self, out: &mut Vec<u8>) -> anyhow::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.push(b'\n');
        Ok(())
    }
}

/// The request for the move after the first `ply` moves, as the bot on move got it, but for its `id`; with its newline.
///
/// # Errors
///
/// Returns an error if there was no such request, or the record does not follow the rules.
pub fn request(record: &Record, ply: usize) -> anyhow::Result<String> {
    let mut found = Vec::new();
    let mut first = None;
    TranscriptGame::of(record)?.ask(record, |question, _| {
        first.get_or_insert(question.ply);
        if question.ply == ply {
            Json::new(SECRET).write(Outgoing::Question(question), &mut found);
        }
        Ok(())
    })?;
    let id = text::shown(&record.id);
    match first {
        _ if !found.is_empty() => String::from_utf8(found).context("the request is not UTF-8"),
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

/// Whether a bot that failed to start had got as far as `new_game`.
fn was_sent_new_game(record: &Record, seat: Seat) -> bool {
    let evidence = record.evidence[seat.index()].as_ref();
    evidence.and_then(|known| known.last_sent.as_deref()).is_some_and(|line| line.starts_with("{\"type\":\"new_game\""))
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
            referee.answer(Answer::Move(reply, taken(played)));
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
    fn requests(&self, record: &Record, seat: Seat, json: &mut Json) -> anyhow::Result<Exchanges> {
        let mut exchanges = Exchanges::default();
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
            json.write(Outgoing::Question(question), &mut lines);
            let id = json.open_id().unwrap_or_default() as i64;
            let reply = match played {
                Some((choice, played)) => Some(FromBot::Move(MoveReply {
                    id,
                    played: choice.clone(),
                    eval: played.eval,
                    comment: played.comment.clone(),
                    debug: played.debug.clone(),
                })),
                None if record.statuses[seat.index()] == Status::Resigned => Some(FromBot::Resign { id }),
                None => None,
            };
            if let Some(reply) = reply {
                Remark::Reply { line: &serde_json::to_string(&reply)? }.write(&mut lines)?;
            }
            exchanges.push(lines);
            Ok(())
        })?;
        Ok(exchanges)
    }

    fn end<'a>(&self, record: &'a Record, seat: Seat) -> anyhow::Result<GameEnd<'a>> {
        let mut state = self.variant.start(record.seed);
        play(state.as_mut(), &record.moves).map_err(|(_, error)| error)?;
        let (result, reason, moves) = (record.result, record.reason.as_str(), record.moves.as_slice());
        Ok(GameEnd { seat, result, reason, moves, reveal: state.reveal() })
    }
}

/// What a move was charged.
fn taken(played: &Played) -> Taken {
    Taken {
        wall: Duration::from_micros(played.us),
        cpu: played.cpu_us.map(Duration::from_micros),
        credit: Duration::from_micros(played.credit_us),
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

    fn write(&self, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.omitted > 0 {
            Remark::Omitted { requests: self.omitted }.write(out)?;
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
        exchanges.write(&mut out).unwrap();
        assert!(out.starts_with(b"{\"type\":\"x_omitted\",\"requests\":2}\nccc"), "the last one");
        exchanges.push(vec![b'd'; 2 * BYTES_MAX]);
        assert_eq!((exchanges.kept.len(), exchanges.omitted), (1, 3), "a request is never cut");
    }
}
