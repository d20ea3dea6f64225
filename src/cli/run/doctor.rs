//! `arena doctor`: tests how well this machine contains bots and keeps time. Real bots under guard make the attempts.
//! Two tests need no bot: which process adopts orphans, and the clock. Nothing that other commands have found before is used.
//! With `--calibrate` it measures how fast the machine computes instead.

mod calibrate;

use std::fmt::Write as _;

use arena_guard::probe::{self, Finding, Level};
use arena_guard::{Effective, SandboxMode};
use arena_run::session::{Capacity, Scratch, open_files_max};
use serde_json::json;

use crate::cli::{Exit, Io, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 all is ok, 1 something is WEAK, 2 something is BAD: bots are not contained here")]
pub(crate) struct Args {
    /// Sandbox to test: auto, off, landlock or strict
    #[arg(long, value_name = "MODE", default_value = "auto")]
    sandbox: SandboxMode,
    /// Measure how fast this machine computes instead, and store it for the records of later runs
    #[arg(long, conflicts_with = "sandbox")]
    calibrate: bool,
    /// Games at a time that it will play, as with --concurrency [default: number of processors]
    #[arg(long, value_name = "N", requires = "calibrate", allow_negative_numbers = true, value_parser = whole(1..=u16::MAX))]
    slots: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    if args.calibrate {
        return calibrate::run(args.slots, args.json, io);
    }
    let scratch = Scratch::create()?;
    let guard = io.bot_settings().guard;
    let findings = probe::all(&guard, args.sandbox, scratch.path());
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let effective = match probe::try_start(&guard, args.sandbox, scratch.path()) {
        Ok(start) => effective_text(&start.effective),
        Err(error) => format!("nothing: {error}"),
    };
    let advice = advice(&findings, cpus);
    if args.json {
        let json = json!({
            "sandbox": args.sandbox.to_string(),
            "effective": effective,
            "findings": findings,
            "cpus": cpus,
            "bots": live_bots_text(cpus),
            "advice": advice,
        });
        io.print_json(&json)?;
    } else {
        let mut text = table(&findings);
        let _ = writeln!(
            text,
            "\neffective: --sandbox {} → {effective}\ntested: just now; other commands test a sandbox again only when something has \
             changed\nadvice: {advice}\nbots: {}",
            args.sandbox,
            live_bots_text(cpus)
        );
        io.print(&text)?;
    }
    Ok(exit(&findings))
}

/// A row for each finding.
fn table(findings: &[Finding]) -> String {
    let level = |finding: &Finding| match finding.level {
        Level::Ok => "ok",
        Level::NotTested => "not tested",
        Level::Weak => "WEAK",
        Level::Bad => "BAD",
    };
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    let levels = findings.iter().map(|finding| level(finding).len()).max().unwrap_or(0).max("WEAK".len());
    let mut text = String::new();
    for finding in findings {
        let _ = writeln!(text, "{:<width$}  {:<levels$}  {}", finding.name, level(finding), finding.says);
    }
    text
}

/// The exit code for these findings.
fn exit(findings: &[Finding]) -> Exit {
    match findings.iter().map(|finding| finding.level).max() {
        Some(Level::Bad) => Exit::BotTrouble,
        Some(Level::Weak) => Exit::Error,
        Some(Level::Ok | Level::NotTested) | None => Exit::Done,
    }
}

/// The effective measures as one line, followed by the weak ones.
fn effective_text(effective: &Effective) -> String {
    let landlock = format!("landlock {}", effective.landlock);
    let parts = [
        (effective.guard, "guard"),
        (effective.landlock > 0, &landlock),
        (effective.seccomp, "seccomp"),
        (effective.namespaces, "namespaces"),
        (effective.cgroup, "cgroup"),
    ];
    let parts: Vec<&str> = parts.into_iter().filter_map(|(is_there, name)| is_there.then_some(name)).collect();
    let weak: Vec<String> = effective.weak.iter().map(|weak| format!("\n  {weak}")).collect();
    format!("{}{}", parts.join(" + "), weak.concat())
}

/// Recommends a number of concurrent games.
fn advice(findings: &[Finding], cpus: usize) -> String {
    let noisy = findings.iter().any(|finding| finding.name == "clock" && finding.level >= Level::Weak);
    if noisy && cpus > 1 {
        format!("other programs take CPU time from bots here; use -j {} and generous time limits", cpus - 1)
    } else {
        format!("up to -j {cpus}, one processor per game")
    }
}

/// Describes how many bots stay alive between their games.
fn live_bots_text(cpus: usize) -> String {
    let Capacity { games, live_bots } = Capacity::of(open_files_max(), cpus, usize::MAX);
    format!("each of {games} concurrent games keeps up to {live_bots} bots alive, fewer if memory is short")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_what_to_do_and_not_a_title() {
        assert_eq!(advice(&[], 4), "up to -j 4, one processor per game");
    }

    #[test]
    fn a_test_that_could_not_be_made_is_no_weakness() {
        let finding = |name, level| Finding { name, level, says: "so".to_owned() };
        let mut findings = vec![finding("kill", Level::Ok), finding("theft", Level::NotTested)];
        assert_eq!(table(&findings), "kill   ok          so\ntheft  not tested  so\n");
        assert_eq!(exit(&findings), Exit::Done);
        findings.push(finding("clock", Level::Weak));
        assert_eq!(exit(&findings), Exit::Error);
    }
}
