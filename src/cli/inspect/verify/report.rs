//! What `arena verify` found in a journal, and what that proves.

use arena_core::schedule::{Planned, Scheduler};
use arena_core::text::{counted, grouped, shown};
use arena_core::verify::Unproven;
use arena_store::journal::Signatures;
use serde::Serialize;

/// Missing games that are named.
const NAMED_MAX: usize = 5;

/// The findings in a journal.
#[derive(Debug, Serialize)]
pub(super) struct JournalReport {
    journal: String,
    games: usize,
    pub(super) problems: Vec<JournalFinding>,
    /// Harmless findings.
    pub(super) remarks: Vec<String>,
    /// The games of the schedule that are not there; `None` if the journal defines none, or is damaged.
    pub(super) missing: Option<Missing>,
    /// The endings that no replay can prove.
    unproven: Unproven,
    /// What the signatures show; `None` if there are none.
    pub(super) signatures: Option<Signatures>,
    /// Whether the signatures are those of a trusted key, and cover every line.
    #[serde(skip)]
    pub(super) is_vouched: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct JournalFinding {
    /// Line of the journal, from 1; `None` if it concerns no single line.
    pub(super) line: Option<u64>,
    pub(super) text: String,
}

/// The games of the schedule that are missing.
#[derive(Debug, Serialize)]
pub(super) struct Missing {
    /// Number of games that are missing.
    games: usize,
    /// Number of games of the schedule so far.
    of: u32,
    /// Whether the format may still add games.
    open: bool,
    /// The first of them.
    first: Vec<MissingGame>,
}

#[derive(Debug, Serialize)]
struct MissingGame {
    id: String,
    round: u32,
    bots: [String; 2],
}

impl Missing {
    pub(super) fn of(scheduler: &Scheduler) -> Self {
        let named = |game: Planned| MissingGame {
            id: scheduler.id(game.place).to_string(),
            round: game.round,
            bots: game.bots.map(|bot| scheduler.event().bots[bot].id.name.clone()),
        };
        Self {
            games: scheduler.missing().count(),
            of: scheduler.total(),
            open: scheduler.is_open(),
            first: scheduler.missing().take(NAMED_MAX).map(named).collect(),
        }
    }

    fn text(&self) -> String {
        let Self { games, of, open, first } = self;
        let of = grouped((*of).into());
        let open = if *open { ", and more may follow" } else { "" };
        if *games == 0 {
            return format!("none of the {of} scheduled is missing{open}");
        }
        let named = first.iter().map(|MissingGame { id, round, bots: [a, b] }| {
            format!("{id} ({} against {}, round {round})", shown(a), shown(b))
        });
        let more = if *games > first.len() { ", …" } else { "" };
        let is = if *games == 1 { "is" } else { "are" };
        format!("{games} of the {of} scheduled {is} missing{open}: {}{more}", named.collect::<Vec<_>>().join(", "))
    }
}

impl JournalReport {
    pub(super) fn new(
        journal: String,
        games: usize,
        problems: Vec<JournalFinding>,
        remarks: Vec<String>,
        unproven: Unproven,
    ) -> Self {
        Self { journal, games, problems, remarks, missing: None, unproven, signatures: None, is_vouched: false }
    }

    pub(super) fn text(&self) -> String {
        let journal = &self.journal;
        let finding = |JournalFinding { line, text }: &JournalFinding| match line {
            Some(line) => format!("{journal}:{line}: {text}"),
            None => format!("{journal}: {text}"),
        };
        let remarks = self.remarks.iter().map(|remark| format!("{journal}: {remark}"));
        let end = format!("{journal}: {}", self.conclusion());
        self.problems.iter().map(finding).chain(remarks).chain([end]).collect::<Vec<_>>().join("\n")
    }

    /// What is proven, what is missing, and what cannot be proven.
    fn conclusion(&self) -> String {
        let games = counted(self.games, "game");
        let found = self.problems.len();
        let proven = match (found, self.games) {
            (0, 1) => format!("{games} follows the rules"),
            (0, _) => format!("{games} follow the rules"),
            _ => format!("{games}, {}", counted(found, "problem")),
        };
        let missing = self.missing.as_ref().map(Missing::text);
        let unproven = (!self.is_vouched).then(|| self.unproven.sentence()).flatten();
        [Some(proven), missing, unproven].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
