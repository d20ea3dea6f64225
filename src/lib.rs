//! `arena` referees games between external bot programs and turns the results into standings that can be trusted.
//!
//! These pages are the architecture: what there is, what each part must not know, and where a change belongs.
//!
//! # Bird's eye
//!
//! A bot is any program that reads JSON lines on stdin and writes JSON lines to stdout. [`roster`] finds bots,
//! [`event`] defines a tournament and derives its schedule, [`tournament`] plays the games that are missing from the
//! [`journal`], and [`report`] turns the journal into tables. A running game is straight-line blocking code on a
//! thread of its own: ask, read, judge, repeat ([`game::play`]). tokio runs what waits for many things at once: the
//! dispatcher, signals, progress and the draining of stderr; it is never on the way of a move.
//!
//! # A pure core in a thin shell
//!
//! ```text
//! rules  ←  clock  ←  referee  ←  protocol  ←  player  ←  game  ←  tournament  ←  cli
//!    ↖  record ← event ← format, openings, stats, verify: pure functions of rules and records
//! ```
//!
//! | module | what it is | what it must not know |
//! |---|---|---|
//! | [`text`], [`rng`] | foreign text made safe to show; seeds, and what is drawn from them | everything else |
//! | [`rules`] | the rules of every game, one file each, and the registry | bots, time, files, the wire |
//! | [`judge`] | the rules as a service: a position in, a judgement out | bots, time, processes |
//! | [`clock`] | time controls as arithmetic on durations | what time it is |
//! | [`referee`] | the judge of one game: an answer in, the next question out | who answers, and how; ids, messages |
//! | [`protocol`] | the dialects bots are spoken to in: questions to bytes, lines to replies | pipes, time |
//! | [`player`] | whoever fills a seat; only `player::process` speaks to processes | the tournament |
//! | [`guard`] | bots kept in bounds: started, limited, fenced in, removed | what a bot says, what a game is |
//! | [`game`] | a referee and two players joined | anything else |
//! | [`record`], [`event`], [`format`](mod@format) | stored games, the definition of a tournament, its schedule | how games are played |
//! | [`advice`] | causes of faults and their cures | how they are shown |
//! | [`strikes`] | which bots are withdrawn, by the records | what follows from it |
//! | [`openings`], [`stats`], [`verify`] | pure functions of rules and records | files, time |
//! | [`import`] | plain tables of games from elsewhere, and which of them are one piece of evidence | files, ratings |
//! | [`journal`] | append, recover, lock; games whole and in brief | schedules, ratings |
//! | [`catalogue`] | which games of a schedule the journal holds, in a few words each | moves, times, names |
//! | [`roster`], [`check`] | which bots there are, and whether they work | the tournament |
//! | [`tournament`] | the dispatcher and its slots | how anything is shown |
//! | [`report`] | what a catalogue and its journal hold, as CSV, tables, replays | how it came about |
//! | [`strategy`] | the bots that ship in the binary, spoken to over pipes like any other | the referee |
//! | [`cli`] | one file per command; the only code that prints | – |
//!
//! A test reads the `use` lines and enforces the arrows.
//!
//! # Invariants
//!
//! They are absences, so they have to be written down.
//!
//! - [`rules`], [`protocol`], [`clock`], [`referee`], [`openings`], [`format`](mod@format), [`event`], [`verify`] and
//!   [`stats`] contain no `async`, no clock, no file, no environment, no printing, and no randomness but a seed.
//! - A bot receives what [`rules::State::view`] shows its seat, the legal moves, and messages about itself. Nothing
//!   else that is derived from a state crosses the pipe.
//! - A verdict depends on the variant, the seed, the opening, the answers and the measured times: on nothing else.
//! - A bot that fails to start three games in a row, in the order of the journal, is withdrawn, and so is one that takes too
//!   long to start again after its faults ([`strikes`]). What it loses
//!   without playing counts as points and never for a rating.
//! - Who is on move has its processor for itself: whoever else may run there is stopped as soon as it competes, and who
//!   takes what a mover lacks is at fault (`player::process::shared`).
//! - A fault is data that scores, not an error. An error of ours makes a game void: it counts nowhere, and another with an
//!   id, seeds and processes of its own takes its place. Every attempt is in the journal.
//! - Nothing that a bot is told gives it another bot's seed: they follow from the event's, which is drawn. What a game is called
//!   on the wire is drawn too, and means nothing.
//! - Nothing a bot prints extends a deadline; deadlines cover writing as well as reading; every line, queue and wait
//!   has a limit with a name.
//! - A game's id is a hash of everything its result may depend on, and of the names of bots that are copies of each other;
//!   of nothing else ([`event`]). So stopping,
//!   adding a bot, asking for more rounds and rebuilding a bot are all the same thing: what is in the schedule and not
//!   in the journal is played.
//! - All that a bot can read of its own, and all that it is allowed, is in its fingerprint; the rest stays closed to it.
//! - A secret is never used twice: with hidden information every game has a seed of its own, since `game_over` reveals
//!   what it drew. With open information all games of a round share theirs.
//! - Games that repeat another move for move are one piece of evidence with it, and the pairs of a match that do are none.
//! - `unsafe` is in `src/guard/sys.rs` and nowhere else.
//! - A record is of the files that its bots' fingerprints were taken of: they are looked at again at every start.
//! - The journal is the only truth. Every other file can be rebuilt from it, and `arena standings` does.
//! - Games stay in the journal. Memory holds a [`journal::Brief`] of each, and whoever needs more fetches it, uses it and
//!   drops it.
//! - One task owns the journal and everything that happens: no locks, no interleaved lines.
//!
//! # Words
//!
//! *rules* the rules of one kind of game · *variant* rules with their parameters · *state* a position · *seat* first
//! or second · *move* · *view* what one seat may see · *game* one playing · *opening* the moves a game starts from ·
//! *pair* the two games of one opening with seats swapped · *pairing* two bots · *round* one pair for every pairing ·
//! *player* whoever fills a seat · *bot* an external program · *roster* the bots found · *event* the definition of a
//! tournament · *slot* a thread that plays one game after the other · *fault* what a bot did wrong · *verdict* how a
//! game ended · *void* a game that we, not a bot, failed to run · *strike* a failed start · *withdrawn*
//! not started any more, after three strikes in a row · *twin* a bot whose fingerprint others have or had, known by its name
//! too · *attempt* one of the games that take the same place of the schedule, since those before came out void · *record* a stored game · *journal* all records ·
//! *brief* the few words of a record that standings need · *catalogue* the schedule and the brief of each of its games ·
//! *standings* what follows from them.

pub mod advice;
pub mod catalogue;
pub mod check;
pub mod cli;
pub mod clock;
pub mod event;
pub mod format;
pub mod game;
pub mod guard;
pub mod import;
pub mod journal;
pub mod judge;
pub mod openings;
pub mod player;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod rng;
pub mod roster;
pub mod rules;
pub mod stats;
pub mod strategy;
pub mod strikes;
mod suggest;
pub mod text;
pub mod tournament;
pub mod verify;
