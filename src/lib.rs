//! `arena` referees games between external bot programs and turns the results into standings that can be trusted.
//!
//! These pages are the architecture: what there is, what each part must not know, and where a change belongs.
//!
//! # One game, from the roster to the tables
//!
//! A bot is any program that reads JSON lines on stdin and writes JSON lines to stdout.
//!
//! ```text
//! roster ──────────► session ◄─────── cli: arguments → Settings
//! bots found          │ opens the journal, checks the bots, makes the schedule
//!                     ▼
//!                 tournament ──────────────── RunEvents ──► observers: progress, JSON lines
//!                  │    ▲   one task owns the schedule, the journal and everything that happens
//!   Scheduler::issue    Scheduler::settle ──► Policy: more pairs, or enough
//!                  │    │
//!                  ▼    │ journal: one line a game, before observers hear of it
//!                 executor                         slots on this machine; others elsewhere
//!                  │  a slot is a thread that plays one game after the other, straight-line blocking code
//!                  ▼
//!                 game: ask, answer, repeat
//!                  │         │
//!               referee    player::process ──► guard ──► the bot's process
//!               rules,     pipes, deadlines     limits, sandbox, removal
//!               clock
//!
//! journal ──► schedule (what counts) ──► stats ──► report: CSV, tables, sentences
//! ```
//!
//! tokio runs what waits for many things at once: the dispatcher, signals, and the draining of stderr. It is never on the way
//! of a move.
//!
//! # A pure core in a thin shell
//!
//! ```text
//! rules ← clock ← referee ← protocol ← player ← game ────────────┐
//!   ↖ record ← format ← event ← schedule ← journal ← executor ← tournament ← session ← cli
//!                  stats, import, openings, verify: pure ↗        ↘ observer
//! ```
//!
//! | module | what it is | what it must not know |
//! |---|---|---|
//! | [`text`], [`rng`] | foreign text made safe to show; seeds, and what is drawn from them | everything else |
//! | `time` | the clocks of the system, and waiting | everything else |
//! | [`rules`] | the rules of every game, one file each, and the registry | bots, time, files, the wire |
//! | [`judge`] | the rules as a service: a position in, a judgement out | bots, time, processes |
//! | [`clock`] | time controls as arithmetic on durations | what time it is |
//! | [`cause`], [`advice`] | causes of faults; what to do about them | how they are shown |
//! | [`record`] | a stored game | how games are played |
//! | [`referee`] | the judge of one game: an answer in, the next question out | who answers, and how; ids, messages |
//! | [`protocol`] | the dialects bots are spoken to in: questions to bytes, lines to replies | pipes, time |
//! | [`transcript`] | what a bot read and wrote in a stored game | files, processes |
//! | [`format`](mod@format) | who plays whom: a function of the field and of settled pairs | games, time, names |
//! | [`event`] | the definition of a tournament, and the identity of games | how games are played |
//! | [`schedule`] | the one bookkeeper: what is due, issued, settled, void, withdrawn | processes, files, time |
//! | [`openings`], [`stats`], [`verify`] | pure functions of rules and records | files, time |
//! | [`import`] | plain tables of games from elsewhere | files, ratings |
//! | [`journal`] | append, recover, lock, read | schedules, ratings |
//! | [`guard`] | bots kept in bounds: started, limited, sandboxed, removed | what a bot says, what a game is |
//! | [`player`] | whatever fills a seat; only `player::process` speaks to processes | the tournament |
//! | [`game`] | a referee and two players joined | anything else |
//! | [`executor`] | jobs in, outcomes out: slots on this machine | what is due next |
//! | [`roster`], [`check`] | which bots there are, and whether they work | the tournament |
//! | [`observer`] | what happens in a run, and those who watch it | how it is shown |
//! | [`tournament`] | the dispatcher: schedule, executor, journal and observers joined | how anything is shown |
//! | [`report`] | CSV, tables and replays from a schedule and its journal | how it came about |
//! | [`session`] | the application without a terminal | arguments, stdout |
//! | [`strategy`] | the bots that ship in the binary, spoken to over pipes like any other | the referee |
//! | [`cli`] | one file per command; the only code that prints | – |
//!
//! A test resolves the paths in the code; it enforces the arrows, and that files do not use each other in circles.
//!
//! # Where a change belongs
//!
//! | new | one file | one registry line |
//! |---|---|---|
//! | game | `rules/NAME.rs` | `rules` (and its variants in the list of the tests) |
//! | format | `format/NAME.rs` | `format::FORMATS` |
//! | protocol | `protocol/NAME.rs` | the registry of protocols |
//! | executor | `executor/NAME.rs` | where `session` starts one |
//! | observer | `observer/NAME.rs` | where a command makes its observers |
//! | command | `cli/NAME.rs` | `cli::Command` |
//!
//! # Invariants
//!
//! They are absences, so they have to be written down.
//!
//! - [`rules`], [`protocol`], [`clock`], [`referee`], [`openings`], [`format`](mod@format), [`event`], [`schedule`],
//!   [`verify`] and [`stats`] contain no `async`, no clock, no file, no environment, no printing, and no randomness but a seed.
//! - A bot receives what [`rules::State::view`] shows its seat, the legal moves, and messages about itself. Nothing
//!   else that is derived from a state crosses the pipe.
//! - A verdict depends on the variant, the seed, the opening, the answers and the measured times: on nothing else.
//! - A bot that fails to start three games in a row, in the order of the schedule, is withdrawn, and so is one that loses its
//!   first ten games by timeout or crash, or takes too long to start again after its faults. That is derived and never recorded.
//!   What it loses without playing counts as points and never for a rating.
//! - What is decided in view of results ([`schedule::Policy`], stepwise formats) looks at complete prefixes of the schedule, and
//!   only appends to it or ends it. So no result depends on the order in which games end.
//! - Who is on move has its processor for itself: any other bot there is stopped as soon as it competes, and who
//!   takes what a mover lacks is at fault (`player::process::shared`).
//! - A fault is data that scores, not an error. An error of ours makes a game void: it counts nowhere, and another with an
//!   id, seeds and processes of its own takes its place. Every attempt is in the journal.
//! - Nothing that a bot is sent gives it another bot's seed: they follow from the event's, which is drawn. What a game is called
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
//! - `unsafe` is in `src/guard/linux/sys.rs` and nowhere else. What differs between systems is in `src/guard/linux` and
//!   `src/guard/other.rs`.
//! - A record is of the files that its bots' fingerprints were taken of: they are looked at again at every start.
//! - The journal is the only truth. Every other file can be rebuilt from it, and `arena standings` does.
//! - Games stay in the journal. Memory holds a [`schedule::Brief`] of each, and code that needs more fetches it, uses it and
//!   drops it.
//! - One task owns the journal and everything that happens: no locks, no interleaved lines.
//!
//! # Words
//!
//! *rules* the rules of one kind of game · *variant* rules with their parameters · *state* a position · *seat* first
//! or second · *move* · *view* what one seat may see · *game* one playing · *opening* the moves a game starts from ·
//! *pair* the two games of one opening with seats swapped · *pairing* two bots · *round* one pair for every pairing ·
//! *player* what fills a seat · *bot* an external program · *roster* the bots found · *event* the definition of a
//! tournament · *slot* a thread that plays one game after the other · *fault* what a bot did wrong · *verdict* how a
//! game ended · *void* a game that we, not a bot, failed to run · *strike* a failed start, or one of a bot's
//! first games lost by timeout or crash · *withdrawn* not started any more, after too many strikes in a row ·
//! *twin* a bot whose fingerprint others have or had, known by its name too · *attempt* one of the games that take the same place of the schedule, since those before came out void · *record* a stored game · *journal* all records ·
//! *place* the number of a game in the schedule · *prefix* the settled games from the first one on, without a gap · *brief* the few
//! words of a record that standings need ·
//! *standings* what follows from them.

pub mod advice;
pub mod cause;
pub mod check;
pub mod cli;
pub mod clock;
pub mod event;
pub mod executor;
pub mod format;
pub mod game;
pub mod guard;
pub mod import;
pub mod journal;
pub mod judge;
pub mod observer;
pub mod openings;
pub mod player;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod rng;
pub mod roster;
pub mod rules;
pub mod schedule;
pub mod session;
pub mod stats;
pub mod strategy;
pub mod suggest;
pub mod text;
mod time;
pub mod tournament;
pub mod transcript;
pub mod verify;
