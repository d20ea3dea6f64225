//! `arena` referees games between external bot programs and turns the results into standings that can be trusted.
//!
//! This page describes the architecture: the modules, what each must not know, and where a change belongs.
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
//!                  │    ▲   one task owns the schedule, the journal and all events
//!   Scheduler::issue    Scheduler::settle ──► Policy: add pairs, or stop
//!                  │    │
//!                  ▼    │ journal: one line per game, written before observers are notified
//!                 executor                         slots on this machine; others elsewhere
//!                  │  a slot is a thread that plays games one after the other, in blocking code
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
//! tokio runs everything that waits for several events: the dispatcher, signals, and the readers of stderr. Moves never
//! pass through it.
//!
//! # A pure core in a thin shell
//!
//! Three crates: `crates/arena-core` is the pure core, with neither files nor processes nor a clock ([`text`], [`suggest`],
//! [`rng`], [`rules`], [`solver`], [`clock`], [`cause`], [`record`], [`referee`], [`speech`], [`tags`], [`openings`], [`format`](mod@format),
//! [`event`], [`schedule`], [`plan`], [`stats`], [`import`]); `crates/arena-guard` contains bots and is the only one with unsafe code ([`guard`]); all
//! other modules are the application's, in `src`. It hands on those of the others, so that the table has them all.
//!
//! ```text
//! rules ← clock ← referee ← protocol ← player ← game ────────────┐
//!   ↖ record ← format ← event ← schedule ← journal ← executor ← tournament ← session ← cli
//!                  stats, import, openings, verify: pure ↗        ↘ observer
//! ```
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`text`], [`rng`] | escapes foreign text; seeds and random numbers | everything else |
//! | `flags` | what commands call the settings that messages mention | everything else |
//! | [`results_folder`] | the files of a results folder, in which no link is followed | what is in them |
//! | `entropy`, `time` | random numbers and the clocks of the system, and waiting | everything else |
//! | [`rules`] | the rules of every game, one file each, and the registry | bots, time, files, the wire |
//! | [`solver`] | perfect play: the value of positions, one file a game | bots, time, what it is asked for |
//! | [`judge`] | the rules as a service: a position in, a judgement out | bots, time, processes |
//! | [`clock`] | time controls as arithmetic on durations | the current time |
//! | [`cause`], [`advice`] | causes of faults, and their cures | how they are shown |
//! | [`record`] | a stored game | how games are played |
//! | [`referee`] | the judge of one game: an answer in, the next question out | players, ids, messages |
//! | [`speech`] | how a bot is spoken to, as data in journals: the name of its protocol, its options | the protocols |
//! | [`tags`] | what people say about a bot, as data in journals | what it is good for |
//! | [`protocol`] | the protocols of bots: encodes questions, decodes replies, has the words for texts about them | pipes, time |
//! | [`transcript`] | what a bot read and wrote in a stored game | files, processes |
//! | [`format`](mod@format) | tournament formats: pairings as a function of the bots and of settled pairs | games, time, names |
//! | [`plan`] | what tournaments will take and tell, by simulated bots | files, time, names |
//! | [`event`] | the definition of a tournament, and the identity of games | how games are played |
//! | [`schedule`] | the state of all games: due, issued, settled, void, withdrawn | processes, files, time |
//! | [`openings`], [`stats`], [`verify`] | pure functions of rules and records | files, time |
//! | [`import`] | plain tables of games from elsewhere | files, ratings |
//! | [`analysis`] | stored games against best play | how they are solved, files, threads |
//! | [`journal`] | append, recover, lock, read | schedules, ratings |
//! | [`guard`] | starts, limits, sandboxes and removes bots | the protocol, games |
//! | [`machine`] | this machine: its class and its measured speed | games, records of others |
//! | [`player`] | the players of a game; only `player::process` communicates with processes | the tournament |
//! | [`game`] | connects a referee and two players | anything else |
//! | [`executor`] | jobs in, outcomes out: slots on this machine | the order of games |
//! | `cluster` | games played by workers: packages of bots, batches, messages, the broker | schedules, sessions |
//! | [`roster`], [`check`] | finds bots, and tests whether they work | the tournament |
//! | [`strength`] | how strong a bot is, against built-in bots of known strength | tournaments |
//! | [`program`] | rules that are a program: its manifest, messages and processes, as a [`State`](rules::State) | bots, clocks, tournaments |
//! | [`observer`] | the events of a run, and their consumers | how they are shown |
//! | [`tournament`] | the dispatcher: connects schedule, executor, journal and observers | how anything is shown |
//! | [`views`] | what people look at, as data: rankings, tables, plots, stories and pictures of games | files, terminals, pages |
//! | [`web`] | self-contained pages, their scripts and the data of their games | tournaments, files, connections |
//! | [`report`] | CSV, tables, pages and plots from a schedule and its journal | how games are played |
//! | [`session`] | the application without a terminal | arguments, stdout |
//! | `worker` | plays games for coordinators, with slots of this machine | schedules, journals |
//! | [`sitting`] | a person at a board: moves, undo, hints, and the thread that plays | terminals |
//! | `live` | the page of a running tournament: an observer and a server | anything that a slot waits for |
//! | [`strategy`] | the built-in bots, which use pipes like any other bot | the referee |
//! | `tui` | screens in a terminal: keys in, frames out | arguments, stdout |
//! | [`cli`] | one file per command; the only code that prints | – |
//!
//! A test resolves the paths in the code. It enforces the arrows, and rejects circular use between files.
//!
//! # Where a change belongs
//!
//! | new | one file | one registry line |
//! |---|---|---|
//! | game | `rules/NAME.rs` | `rules::RULES` (and its variants in the list used by tests); [`rules::add`] from another program; none for [a program that is the rules](program) |
//! | solver | `solver/NAME.rs` | `solver::SOLVERS` |
//! | format | `format/NAME.rs` | `format::FORMATS`; [`format::add`] from another program |
//! | protocol | `protocol/NAME.rs` | the registry of protocols, and its `mod` |
//! | executor | `executor/NAME.rs` | where `session` starts one |
//! | observer | `observer/NAME.rs` | where a command makes its observers |
//! | command | `cli/NAME.rs` | `cli::Command` |
//!
//! # Invariants
//!

//! - [`rules`], [`protocol`], [`clock`], [`referee`], [`openings`], [`format`](mod@format), [`event`], [`schedule`],
//!   [`verify`] and [`stats`] contain no `async`, clock, file, environment or output, and no randomness except a seed.
//! - A bot receives what [`rules::State::view`] shows its seat, the legal moves, and messages about itself. It receives
//!   nothing else derived from a state.
//! - A verdict depends only on the variant, the seed, the opening, the answers and the measured times.
//! - A bot is withdrawn for three failed starts in a row, in the order of the schedule. It is also withdrawn if it loses
//!   its first ten games by timeout or crash, if restarts after its faults take too long, or if it disturbs three games of
//!   others while it waits for its own. Withdrawals are derived and never recorded, except those by `--drop`. A stepwise
//!   format learns of them where it decides. Games lost without playing count for points, but not for ratings.
//! - A shard is a part of the schedule that another machine plays, with a journal of its own. It makes no decisions; merging
//!   copies the lines of all parts into one journal, from which everything is derived as if one machine had played.
//! - Decisions based on results ([`schedule::Policy`], stepwise formats) use complete prefixes of the schedule. They only
//!   append to the schedule or end it. So no result depends on the order in which games end.
//! - The bot to move has its processor to itself. Any other bot on it is stopped as soon as it competes, and a bot that
//!   deprives the mover of resources is at fault (`player::process::shared`).
//! - A pair that waiting bots have disturbed is played while none waits ([`schedule::Job::quiet`]). That follows from the
//!   journal.
//! - A fault is data that scores, not an error. An error of the arena makes a game void: it does not count, and another
//!   game with its own id, seeds and processes replaces it. Every attempt is in the journal.
//! - No message to a bot reveals another bot's seed. All seeds follow from the event's seed, which is random. Ids of
//!   games in messages are random too, and carry no information.
//! - No output of a bot extends a deadline. Deadlines cover writing as well as reading. Every line, queue and wait has a
//!   named limit.
//! - A game's id is a hash of everything that its result may depend on, and of the names of bots that are copies of each
//!   other ([`event`]). So every run plays the games that are in the schedule and not in the journal. That is all it
//!   takes to resume, add a bot, add rounds or rebuild a bot.
//! - A bot's fingerprint covers its permissions and all of its own files that it can read; it cannot read the others. Where
//!   the bot lies is no part of it.
//! - A secret is never used twice: with hidden information every game has its own seed, since `game_over` reveals the
//!   secret. With open information all games of a round share a seed.
//! - A game that repeats another move for move adds no evidence to it. Repeated pairs of a match do not count as evidence.
//! - `unsafe` is in `crates/arena-guard/src/linux/sys.rs` and nowhere else. Code for particular systems is in its folder `linux`
//!   and in `other.rs` beside it.
//! - A rerun ([`session::Recording`]) plays the pairs of a journal as a list, whatever their results. The journal may be a stranger's: it
//!   says which games are played, never what is started, and gives no bot more than usual.
//! - A version of a bot that passed the check is kept only if that was requested, in the bots folder and never in a results
//!   folder. If a later one fails, the kept one is the bot of the event ([`roster::KeptVersions`]). It is decided before identities.
//! - The files of a bot are compared with its fingerprint at every start, so a record is always of these files.
//! - The journal is the only source of truth. Every other file can be rebuilt from it with `arena standings`.
//! - A results folder may come from someone else. All that is in it is opened through [`results_folder::ResultsFolder`].
//! - Games stay in the journal. Memory holds a [`schedule::Brief`] of each. Code that needs more reads the record and
//!   drops it after use.
//! - One task owns the journal and all events: no locks, no interleaved lines.
//!
//! # Words
//!
//! *rules* the rules of one kind of game · *variant* rules with their parameters · *state* a position · *seat* first
//! or second · *move* · *view* what one seat may see · *game* one playing of a variant · *opening* the first moves of a game ·
//! *pair* the two games of one opening with seats swapped · *pairing* two bots · *round* one pair for every pairing ·
//! *player* what answers for a seat · *bot* an external program · *roster* the bots found · *event* the definition of a
//! tournament · *slot* a thread that plays games one after the other · *fault* an error of a bot · *verdict* how a game
//! ended · *void* a game that failed because of the arena, not of a bot · *strike* a failed start, or one of a bot's
//! first games lost by timeout or crash · *withdrawn* no longer started, after too many strikes in a row · *twin* a bot
//! whose fingerprint another bot has or had, so that its name also identifies it · *attempt* one of the games for the
//! same place of the schedule, each but the last void · *record* a stored game · *journal* all records · *place* the
//! number of a game in the schedule ·
//! *class* the target and CPU level of a machine · *calibration* its measured speed, alone and with all slots busy ·
//! *prefix* the settled games from the first one on, without a gap · *brief* the part
//! of a record that standings need · *standings* the ranked results.

pub mod advice;
pub mod analysis;
pub mod check;
pub mod cli;
#[cfg(feature = "nats")]
pub mod cluster;
mod entropy;
pub mod executor;
mod flags;
pub mod game;
pub mod journal;
pub mod judge;
#[cfg(feature = "serve")]
pub mod live;
pub mod machine;
pub mod observer;
pub mod player;
pub mod program;
pub mod protocol;
pub mod report;
pub mod results_folder;
pub mod roster;
pub mod session;
pub mod sitting;
pub mod strategy;
pub mod strength;
mod time;
pub mod tournament;
pub mod transcript;
#[cfg(feature = "tui")]
pub mod tui;
pub mod verify;
pub mod views;
pub mod web;
#[cfg(feature = "nats")]
pub mod worker;

#[doc(inline)]
pub use arena_core::{
    cause, clock, event, format, import, openings, plan, record, referee, rng, rules, schedule, solver, speech, stats,
    suggest, tags, text,
};
#[doc(inline)]
pub use arena_guard as guard;
