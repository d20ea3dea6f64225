//! Results folders with reports, made without playing: random games with evaluations, comments and faults, between bots
//! of hostile names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use arena::cause::Cause;
use arena::event::{Entry, Tournament};
use arena::journal::{self, Journal};
use arena::record::{Evidence, GameResult, Played, Record, Status};
use arena::referee::Verdict;
use arena::results_folder::ResultsFolder;
use arena::rules::{Variant, step};
use arena::schedule::{Scheduler, record};
use arena::views::Story;

use crate::built_arena;

/// Names that would be markup, code, formulas or confusion somewhere.
pub(crate) const HOSTILE: [&str; 6] = [
    "</script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "a b\" onclick='x' \\",
    "\u{202e}evil\u{1b}[31m",
    "=cmd|' /C calc'!A0",
    "greedy",
];

/// A results folder.
pub(crate) struct Folder {
    dir: tempfile::TempDir,
    variant: Variant,
}

impl Folder {
    /// With `rounds` rounds of `variant` between bots of these names, and `arena standings` run in it.
    pub(crate) fn new(variant: &str, names: &[&str], rounds: u32) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let variant: Variant = variant.parse().expect("a variant");
        let mut event = Tournament::new("cup", &variant);
        event.rounds = rounds;
        event.bots = names.iter().map(|name| Entry::new(name, &format!("print of {name}"), "true")).collect();
        let (mut journal, _) = Journal::open(&ResultsFolder::open(dir.path()).expect("a folder")).expect("a journal");
        journal.append_event(&event).expect("written");
        let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).expect("a schedule");
        let mut dice = Dice(7);
        while let Some(job) = scheduler.issue() {
            let verdict = Verdict::new(GameResult::Draw, "max_plies".to_owned());
            let mut played = record(&event, &job.game, &job.opening, verdict);
            play(&mut played, &variant, &mut dice);
            let brief = journal.append_game(&played).expect("written");
            scheduler.settle(job.place, brief, false);
        }
        drop(journal);
        let folder = Self { dir, variant };
        folder.standings();
        folder
    }

    /// Runs `arena standings`, which writes the report.
    pub(crate) fn standings(&self) {
        let mut command = Command::new(built_arena::arena());
        let out = command.arg("standings").arg(self.path()).output().expect("the arena starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn report(&self) -> PathBuf {
        self.path().join("report.html")
    }

    /// All games in the order of the journal.
    pub(crate) fn stories(&self) -> Vec<Story> {
        let (reader, contents) =
            journal::read(&ResultsFolder::open(self.path()).expect("a folder")).expect("a journal");
        let records = contents.games.iter().map(|brief| reader.record(brief).expect("a game"));
        records.map(|record| Story::new(record, self.variant.clone()).expect("legal moves")).collect()
    }
}

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

/// Random moves to the end, or in one game of eleven to a fault.
fn play(record: &mut Record, variant: &Variant, dice: &mut Dice) {
    let mut state = variant.start(record.seed).expect("built-in rules");
    for played in &record.opening {
        step(state.as_mut(), played).expect("a legal opening");
    }
    let faulty_after = if dice.below(11) == 0 { 3 } else { usize::MAX };
    let fails = |moves: usize| moves >= faulty_after;
    while state.outcome().is_none() && record.moves.len() < 60 && !fails(record.moves.len()) {
        let chosen = state.nth_legal(dice.below(state.legal_count()));
        step(state.as_mut(), &chosen).expect("a legal move");
        record.moves.push(chosen);
        let comment = match dice.below(12) {
            0 => Some("<b onmouseover=alert(1)>forced</b> \u{202e}".to_owned()),
            _ => None,
        };
        let eval = Some(dice.below(200) as f64 / 100.0 - 1.0);
        record.played.push(Played { us: 1 << dice.below(23), eval, comment, ..Played::default() });
    }
    if let Some(outcome) = state.outcome() {
        (record.result, record.reason) = (GameResult::of(outcome.winner), outcome.reason.to_owned());
    } else if fails(record.moves.len()) {
        let seat = state.to_move();
        record.result = GameResult::of(Some(seat.other()));
        record.reason = Status::IllegalMove.to_string();
        record.statuses[seat.index()] = Status::IllegalMove;
        record.evidence[seat.index()] = Some(Evidence {
            stderr_tail: Some("panic <script>alert(1)</script>\n\u{1b}[2Jover".to_owned()),
            ..Evidence::new(Cause::IllegalMove, "move 99 is not legal")
        });
    }
}
