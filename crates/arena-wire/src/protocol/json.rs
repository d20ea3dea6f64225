//! The arena's own protocol as a [`Dialect`]: JSON lines, whose requests and replies carry ids.

use std::time::Duration;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::{TimeControl, TimeLeft};
use arena_core::referee::{GameEnd, GameStart, Question, Reply};
use arena_core::text::cut;
use serde::Serialize;

use super::attempts::Attempts;
use super::decode::{ReplyLine, decode_of};
use super::dialect::{Attempt, Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Words};
use super::foreign::recognise;
use super::ids::Ids;
use super::lines::quote;
use super::messages::{BotClock, DeclineReply, FromBot, Hello, HelloReply, MoveReply, NewGame, ToBot};
use super::optional::FieldRemark;
use super::{LINE_BYTES_MAX, REASON_CHARS_MAX, VERSION};

/// Columns of a line that is quoted before what is wrong with it.
const SHORT_QUOTE: usize = 40;

/// The arena's own protocol, the default.
pub static JSON: Protocol = Protocol {
    name: "json",
    version: VERSION,
    words: WORDS,
    games: &[],
    plays: |_, _| Ok(()),
    check_options: |options| JSON.no_options(options),
    check_clock: |_, _| Ok(()),
    prefix: None,
    mistaken: None,
    shim: None,
    starter: None,
    takes_remarks: true,
    is_greeted: true,
    sends_seed: true,
    dialect: |secret, _, _| Box::new(Json::new(secret)),
};

pub(super) const WORDS: Words = Words {
    bot: "a bot",
    title: "protocol 1",
    hello: "hello",
    new_game: "new_game",
    new_game_begins: "{\"type\":\"new_game\"",
    line_end: "\n",
    quit: "quit",
    sync: "",
    before_question: "",
    no_hello: "no hello",
    before_hello: "before it said hello",
    no_ready: "no ready",
    silent_start: "it wrote nothing to stdout: a bot answers hello with {\"type\":\"hello\",\"protocol\":1}; an engine of \
                   another protocol needs `protocol` in its manifest, or an adapter",
    declare_games: ["declare \"games\": ", " in its hello"],
    cure: None,
};

/// What a process owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owed {
    Nothing,
    /// The answer to `hello`.
    Hello,
    /// `ready` for the `new_game` with this id.
    Ready(u64),
    /// `move` or `resign` for the `move_request` with this id.
    Move(u64),
}

/// The JSON protocol with one process.
#[derive(Debug)]
pub struct Json {
    ids: Ids,
    owed: Owed,
    /// From `ready` to the end of the game: an invalid line is then a violation.
    in_game: bool,
    /// Whether moves of the game may hold text.
    text_moves: bool,
    games: u64,
    /// Set once a line shows that the bot speaks another protocol.
    other_protocol: Option<Cause>,
    /// Lines that look like the answer to `hello` or `new_game`.
    attempts: Attempts,
}

impl Json {
    /// For a new process; its ids follow from `secret`.
    #[must_use]
    pub fn new(secret: [u64; 2]) -> Self {
        Self {
            ids: Ids::new(secret),
            owed: Owed::Nothing,
            in_game: false,
            text_moves: false,
            games: 0,
            other_protocol: None,
            attempts: Attempts::default(),
        }
    }

    fn new_game(&mut self, game: &GameStart<'_>) -> NewGame {
        let id = self.ids.issue();
        self.owed = Owed::Ready(id);
        self.attempts = Attempts::at("ready");
        self.text_moves = game.variant.rules.text_moves;
        self.games += 1;
        NewGame {
            id,
            // The game's own id in the results follows from who plays and from seeds, so the bot must not learn it.
            game_id: self.ids.opaque_name(self.games),
            game: game.variant.rules.label().to_owned(),
            rules_version: game.variant.rules.version,
            params: game.variant.params.to_json(),
            seat: game.seat.index() as u8,
            seed: game.seed,
            clock: game.clock.into(),
        }
    }

    /// Writes a [`MoveRequest`](super::MoveRequest) straight from the question: this is done for every move.
    fn write_request(&mut self, question: &Question<'_>, out: &mut Vec<u8>) {
        let id = self.ids.issue();
        self.owed = Owed::Move(id);
        out.extend_from_slice(b"{\"type\":\"move_request\",\"id\":");
        push(out, &id);
        out.extend_from_slice(b",\"ply\":");
        push(out, &question.ply);
        out.extend_from_slice(b",\"seat\":");
        push(out, &(question.seat.index() as u8));
        out.extend_from_slice(b",\"state\":");
        question.write_view(out);
        if question.lists_moves() {
            out.extend_from_slice(b",\"legal_moves\":");
            question.write_legal_moves(out);
        }
        out.extend_from_slice(b",\"sample_move\":");
        push(out, &question.sample_move);
        let TimeLeft { limit, bank, opponent_bank, last, .. } = question.time;
        let clock: [(&[u8], Option<Duration>); 4] = [
            (b",\"clock\":{\"deadline_ms\":", Some(limit)),
            (b",\"bank_ms\":", bank),
            (b",\"opponent_bank_ms\":", opponent_bank),
            (b",\"last_ms\":", last),
        ];
        for (name, time) in clock {
            if let Some(time) = time {
                out.extend_from_slice(name);
                push(out, &ms(time));
            }
        }
        out.extend_from_slice(b"}}\n");
    }

    /// Writes a [`GameOver`](super::GameOver) without copying the moves.
    fn write_end(end: &GameEnd<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":\"game_over\",\"outcome\":");
        push(out, &end.outcome());
        out.extend_from_slice(b",\"reason\":");
        push(out, &end.reason);
        out.extend_from_slice(b",\"moves\":");
        push(out, &end.moves);
        if let Some(reveal) = &end.reveal {
            out.extend_from_slice(b",\"reveal\":");
            push(out, reveal);
        }
        out.extend_from_slice(b"}\n");
    }

    /// What a valid message answers, if anything; `dropped` has the remarks about it.
    fn sort(&mut self, message: FromBot, dropped: Vec<FieldRemark>, owed: Owed) -> Meaning {
        let id = match (message, owed) {
            (FromBot::Hello(hello), Owed::Hello) => return self.greeted(hello, dropped),
            (FromBot::Hello(_), _) => return Meaning::Surplus(Surplus::Stale, None),
            (FromBot::Ready { id }, Owed::Ready(open)) if names(id, open) => {
                self.in_game = true;
                return self.answered(Response::Ready, dropped);
            }
            (FromBot::Decline(DeclineReply { id, reason }), Owed::Ready(open)) if names(id, open) => {
                let reason = reason.map(|reason| cut(&reason, REASON_CHARS_MAX));
                return self.answered(Response::Decline(reason), dropped);
            }
            (FromBot::Resign { id }, Owed::Move(open)) if names(id, open) => {
                return self.answered(Response::Resign, dropped);
            }
            (FromBot::Move(reply), Owed::Move(open)) if names(reply.id, open) => {
                return self.answered(Response::Move(reply.into()), dropped);
            }
            (
                FromBot::Move(MoveReply { id, .. })
                | FromBot::Decline(DeclineReply { id, .. })
                | FromBot::Ready { id }
                | FromBot::Resign { id },
                _,
            ) => id,
        };
        if self.ids.has_issued(id) {
            return Meaning::Surplus(Surplus::Stale, None);
        }
        let asked = match owed {
            Owed::Ready(open) | Owed::Move(open) => format!("; it was asked with id {open}"),
            Owed::Nothing | Owed::Hello => String::new(),
        };
        let how = format!("a reply carries id {id}, which was never issued to this bot{asked}");
        Meaning::Violation(Cause::UnknownId, how)
    }

    fn greeted(&mut self, hello: HelloReply, dropped: Vec<FieldRemark>) -> Meaning {
        if hello.protocol != i64::from(VERSION) {
            let says = hello.protocol;
            let how = format!("its hello says protocol {says}; this arena speaks {VERSION}");
            return Meaning::Violation(Cause::WrongProtocol, how);
        }
        let HelloReply { name, version, games, .. } = hello;
        self.answered(Response::Hello(Introduction { name, version, games }), dropped)
    }

    fn answered(&mut self, response: Response, dropped: Vec<FieldRemark>) -> Meaning {
        self.owed = Owed::Nothing;
        Meaning::Response(response, dropped)
    }
}

impl Dialect for Json {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        let message = match outgoing {
            Outgoing::Hello { startup } => {
                self.owed = Owed::Hello;
                self.attempts = Attempts::at("hello");
                ToBot::Hello(Hello {
                    protocol: VERSION,
                    arena: env!("CARGO_PKG_VERSION").to_owned(),
                    max_line_bytes: LINE_BYTES_MAX,
                    startup_ms: ms(startup),
                })
            }
            Outgoing::NewGame(game) => ToBot::NewGame(self.new_game(game)),
            Outgoing::Question(question) => {
                self.write_request(question, out);
                return None;
            }
            Outgoing::GameEnd(end) => {
                self.in_game = false;
                Self::write_end(end, out);
                return None;
            }
            Outgoing::Quit => ToBot::Quit { reason: None },
            // Replies name their questions.
            Outgoing::Sync => return Some(Response::Synced),
        };
        message.encode(out);
        None
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let owed = if asked { self.owed } else { Owed::Nothing };
        match decode_of(line, self.text_moves) {
            ReplyLine::Message(message, dropped) => self.sort(message, dropped, owed),
            // What was printed says more than where it stops to be JSON.
            ReplyLine::Malformed(cause @ (Cause::InvalidJson | Cause::SingleQuotes), why) if self.in_game => {
                Meaning::Violation(cause, format!("not JSON: {}; {why}", cut(&quote(line), SHORT_QUOTE)))
            }
            ReplyLine::Malformed(cause, why) if self.in_game => {
                Meaning::Violation(cause, format!("{why}: {}", quote(line)))
            }
            ReplyLine::BadHello(cause, why) if self.in_game || owed == Owed::Hello => {
                Meaning::Violation(cause, format!("{why}: {}", quote(line)))
            }
            ReplyLine::Malformed(cause, why) | ReplyLine::BadHello(cause, why) => {
                if matches!(owed, Owed::Hello | Owed::Ready(_)) {
                    self.attempts.note_malformed(line, cause, &why);
                }
                Meaning::Surplus(Surplus::Stray, Some(why))
            }
            ReplyLine::Stray => {
                // Most words of UCI are words of UGI too, so a later line may be more exact.
                if self.owed == Owed::Hello && self.other_protocol.is_none_or(|known| known == Cause::SpeaksUci) {
                    self.other_protocol = recognise(line).or(self.other_protocol);
                }
                if matches!(owed, Owed::Hello | Owed::Ready(_)) {
                    self.attempts.note_stray(line);
                }
                Meaning::Surplus(Surplus::Stray, None)
            }
            ReplyLine::Blank => Meaning::Blank,
        }
    }

    fn marks_replies(&self) -> bool {
        true
    }

    fn reply(&self, response: &Response) -> String {
        let id = match self.owed {
            Owed::Ready(id) | Owed::Move(id) => id as i64,
            Owed::Nothing | Owed::Hello => 0,
        };
        let message = match response {
            Response::Hello(_) => return String::new(),
            Response::Ready | Response::Synced => FromBot::Ready { id },
            Response::Decline(reason) => FromBot::Decline(DeclineReply { id, reason: reason.clone() }),
            Response::Move(Reply { played, eval, comment, debug, .. }) => FromBot::Move(MoveReply {
                id,
                played: played.clone(),
                eval: *eval,
                comment: comment.clone(),
                debug: debug.clone(),
            }),
            Response::Resign => FromBot::Resign { id },
        };
        serde_json::to_string(&message).expect("a message serialises to memory")
    }

    fn attempt(&self) -> Option<&Attempt> {
        // What an engine says about our message is no attempt to answer it.
        self.attempts.best().filter(|_| self.other_protocol.is_none())
    }

    fn other_protocol(&self) -> Option<Cause> {
        self.other_protocol
    }
}

fn push(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("numbers and moves serialise to memory");
}

fn names(id: i64, open: u64) -> bool {
    i64::try_from(open) == Ok(id)
}

fn ms(time: Duration) -> u64 {
    time.as_millis() as u64
}

impl From<TimeControl> for BotClock {
    fn from(clock: TimeControl) -> Self {
        Self { move_ms: clock.move_ms, bank_ms: clock.bank_ms, increment_ms: clock.increment_ms }
    }
}

impl From<MoveReply> for Reply {
    fn from(reply: MoveReply) -> Self {
        let MoveReply { played, eval, comment, debug, .. } = reply;
        Self { played, words: None, eval, comment, debug }
    }
}
