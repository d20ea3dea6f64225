//! `arena verify`: replays every record through the rules.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context;

use super::{Exit, ResultsArgs, print};
use crate::journal::{self, Damage, EVENT_CURE, Line, Located, Seen, Sighting};
use crate::schedule::Brief;
use crate::text::{counted, shown};
use crate::verify::{WithdrawalCheck, event_problems, problems, round_problems, twin_problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name or folder of a tournament [default: all of them]
    tournament: Option<String>,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let dirs = args.results.tournaments(args.tournament.as_deref())?;
    let mut sound = true;
    for dir in &dirs {
        sound &= verify(dir)?;
    }
    Ok(if sound { Exit::Done } else { Exit::Error })
}

fn verify(dir: &Path) -> anyhow::Result<bool> {
    let path = dir.join(journal::FILE_NAME);
    let reading = || format!("reading journal {}", path.display());
    let mut lines = journal::lines(BufReader::with_capacity(1 << 16, File::open(&path).with_context(reading)?));
    let say = |text: &str| print(&format!("{}{text}", path.display()));
    let mut found = 0;
    let mut games = 0;
    // The definition in force, and its line.
    let mut definition = None;
    let mut seen = Seen::default();
    let mut withdrawals = WithdrawalCheck::default();
    for located in &mut lines {
        let Located { number, offset, bytes, line } = located.with_context(reading)?;
        let complaints = match line {
            Ok(Line::Event(event)) => {
                let complaints = event_problems(&event);
                definition = Some((number, event));
                complaints
            }
            Ok(Line::Game(record)) => {
                games += 1;
                let mut complaints = problems(&record);
                let brief = Brief::of(&record, offset, bytes);
                let sighting = seen.note(&brief, number);
                if let Sighting::Contradiction(earlier) = sighting {
                    complaints.push(format!("it is in line {earlier} with another result"));
                }
                let version = definition.as_ref().map_or(1, |(_, event)| event.schedule_version);
                complaints.extend(withdrawals.problems(&record, version));
                // What stands there again happened once.
                if sighting != Sighting::Again {
                    withdrawals.note(&record, &brief);
                }
                complaints.into_iter().map(|problem| format!("game {}: {problem}", shown(&record.id))).collect()
            }
            // What a decision follows from is checked when the schedule is made.
            Ok(Line::Round(round)) => {
                definition.as_ref().map_or_else(Vec::new, |(_, event)| round_problems(&round, event))
            }
            Err(Damage { why, is_event: false }) => vec![why],
            Err(Damage { why, is_event: true }) => vec![format!("{why}; {EVENT_CURE}")],
        };
        for complaint in complaints {
            found += 1;
            say(&format!(":{number}: {complaint}"))?;
        }
    }
    if let Some((number, event)) = &definition {
        if let Some(problem) = twin_problem(event) {
            found += 1;
            say(&format!(":{number}: {problem}"))?;
        }
    } else if games > 0 {
        found += 1;
        say(
            ": no line defines the tournament; to run it again with its settings, bots and `--seed N` writes one (its \
             tournament.json has the seed)",
        )?;
    }
    if !seen.twice.is_empty() {
        say(&format!(": {}", seen.twice))?;
    }
    let torn = lines.torn_bytes;
    if torn > 0 {
        let why = "no problem: a game that was cut off while it was written; the next run plays it again";
        say(&format!(": the last line is torn ({torn} bytes): {why}"))?;
    }
    let verdict = if found == 0 { "all sound".to_owned() } else { counted(found, "problem") };
    say(&format!(": {}, {verdict}", counted(games, "game")))?;
    Ok(found == 0)
}
