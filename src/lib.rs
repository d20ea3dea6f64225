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
//! The program is built from crates, each with a page of its own. Each knows those to its right and below, as its manifest
//! says, so Cargo holds the walls between them and builds them beside each other. This crate hands on the modules of all.
//!
//! ```text
//! arena           cli  tui  live                   ‖  arena-make   a program of its own
//! arena-cluster   cluster  worker                  (feature `nats`)
//! arena-run       session  tournament  sitting
//! arena-store     journal  report       ‖  arena-play   player  game  executor  roster  program  check  strength
//! arena-show      views  web  observer
//! arena-wire      protocol  transcript  advice     ‖  arena-bots  strategy
//! arena-sys       results_folder  machine  time  entropy  flags
//! arena-core      referee  format  schedule  judge  …
//! arena-stats     stats
//! arena-rules     rules  solver                    ‖  arena-guard   guard
//! ```
//!
//! | crate | purpose | must not know |
//! |---|---|---|
//! | [`arena_core`] | referee, formats, schedules, analyses: pure; hands on the rules and the statistics | files, processes, clocks |
//! | `arena_rules` | the rules of games and their solvers: pure | players, files, clocks |
//! | `arena_stats` | ratings, tests, margins: pure | players, files, clocks |
//! | [`arena_guard`], here [`guard`] | starts, limits, sandboxes and removes bots; the only unsafe code | the protocol, games |
//! | [`arena_sys`] | what the arena asks of the system: clocks, random numbers, results folders, this machine | games |
//! | [`arena_wire`] | the protocols of bots, as data: pure | pipes, time |
//! | [`arena_bots`] | the built-in bots, which use pipes like any other bot | the referee |
//! | [`arena_show`] | what people look at, as data, pictures and pages; the events of a run | files, terminals, how games are played |
//! | [`arena_store`] | the journal, and every file that is made from it | how games are played |
//! | [`arena_play`] | bots found, checked, started and asked; rules as programs; slots | tournaments, journals |
//! | [`arena_run`] | whole tournaments, and a person at a board: the application without a terminal | arguments, stdout, the network |
//! | `arena_cluster` | games played by workers: packages of bots, batches, messages, the broker | arguments, stdout |
//! | `live` | the page of a running tournament: an observer and a server | anything that a slot waits for |
//! | `tui` | screens in a terminal: keys in, frames out | arguments, stdout |
//! | [`cli`] | one file per command; the only code of this program that prints, to the streams of its [`cli::Io`] | – |
//! | `arena-make` | a program for makers, not built by default: makes the files that the others ship | the network |
//!
//! Within a crate a test resolves the paths in the code. It enforces the order of the modules, and rejects files that use each
//! other in circles. `live` is built with the feature `serve`, `tui` with `tui`, and both by default.
//!
//! # Where a change belongs
//!
//! | new | one file | one registry line |
//! |---|---|---|
//! | game | `rules/NAME.rs` of arena-rules | `rules::RULES` (and its variants in the list used by tests); [`rules::add`] from another program; none for [a program that is the rules](program) |
//! | solver | `solver/NAME.rs` of arena-rules | `solver::SOLVERS` |
//! | format | `format/NAME.rs` of arena-core | `format::FORMATS`; [`format::add`] from another program |
//! | protocol | `protocol/NAME.rs` of arena-wire | the registry of protocols, and its `mod` |
//! | executor | `executor/NAME.rs` of arena-play | where `session` starts one |
//! | observer | `observer/NAME.rs` of arena-show | where a command makes its observers |
//! | command | `NAME.rs` in `cli/run`, `cli/inspect`, `cli/make` or `cli/organise` | `cli::Command` |
//! | key of `arena.toml` | none: it is a flag of `tournament` or `night` | `cli/contest/keys.rs`, if a command takes it otherwise |
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
//!   says which games are played, never what is started, and gives no bot more than usual. Only games count that this user's arena has
//!   marked on this machine ([`machine::OwnKey`]), and the record is verified before a bot is held to differ from it.
//! - A version of a bot that passed the check is kept only if that was requested, in the bots folder and never in a results
//!   folder. If a later one fails, the kept one is the bot of the event ([`roster::KeptVersions`]). It belongs to
//!   the path that it came from, not to a name. It is decided before identities.
//! - The files of a bot are compared with its fingerprint at every start, so a record is always of these files.
//! - The journal is the only source of truth. Every other file can be rebuilt from it with `arena standings`.
//! - A results folder may come from someone else. All that is in it is opened through [`results_folder::ResultsFolder`], and values of
//!   its `analysis.jsonl` that cannot be true are not used ([`analysis::contradiction`]).
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
//! tournament ([`event::Tournament`]), and what happens in a run ([`observer::RunEvent`]) · *slot* a thread that plays
//! games one after the other · *fault* an error of a bot · *verdict* how a game
//! ended · *void* a game that failed because of the arena, not of a bot · *strike* a failed start, or one of a bot's
//! first games lost by timeout or crash · *withdrawn* no longer started, after too many strikes in a row · *twin* a bot
//! whose fingerprint another bot has or had, so that its name also identifies it · *attempt* one of the games for the
//! same place of the schedule, each but the last void · *record* a stored game · *journal* all records · *place* the
//! number of a game in the schedule ·
//! *class* the target and CPU level of a machine · *calibration* its measured speed, alone and with all slots busy ·
//! *prefix* the settled games from the first one on, without a gap · *brief* the part
//! of a record that standings need · *standings* the ranked results.

pub mod cli;
#[cfg(test)]
#[path = "../crates/arena-core/src/fixture.rs"]
mod fixture;
#[cfg(feature = "serve")]
pub mod live;
#[cfg(test)]
#[path = "../crates/arena-store/src/report/stored.rs"]
mod stored;
#[cfg(feature = "tui")]
pub mod tui;

#[doc(inline)]
pub use arena_bots::strategy;
#[cfg(feature = "nats")]
#[doc(inline)]
pub use arena_cluster::{cluster, worker};
#[doc(inline)]
pub use arena_core::{
    analysis, cause, clock, event, format, import, judge, openings, plan, record, referee, rng, rules, schedule,
    solver, speech, stats, suggest, tags, text, verify,
};
#[doc(inline)]
pub use arena_guard as guard;
#[doc(inline)]
pub use arena_play::{check, executor, game, player, program, roster, strength};
#[doc(inline)]
pub use arena_run::{session, sitting, tournament};
#[doc(inline)]
pub use arena_show::{observer, views, web};
#[doc(inline)]
pub use arena_store::{journal, report};
#[doc(inline)]
pub use arena_sys::{machine, results_folder};
#[doc(inline)]
pub use arena_wire::{advice, protocol, transcript};
