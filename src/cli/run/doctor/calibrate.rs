//! `arena doctor --calibrate`: measures how fast this machine computes, and stores it for later runs.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use arena_core::record::Calibration;
use arena_core::text::{counted, shown};
use arena_sys::machine::{Machine, measure, store};
use serde_json::json;

use crate::cli::{Exit, Io};

/// Share of its speed that a slot keeps, from which the rest is within the noise.
const SHARE_ALL: f64 = 0.97;
/// Below this share, more slots than the machine has cores are likely.
const SHARE_FEW: f64 = 0.8;

/// Measures with as many games at a time as processors, unless `slots` says how many.
pub(crate) fn run(slots: Option<u16>, is_json: bool, io: &Io) -> anyhow::Result<Exit> {
    let machine = Machine::this();
    let slots = slots.map_or(machine.cpus, usize::from);
    let calibration =
        measure(slots).with_context(|| format!("cannot start {}; use a smaller --slots", counted(slots, "thread")))?;
    let stored = store(slots, calibration);
    let file = stored.as_deref().ok();
    if is_json {
        let json = json!({
            "machine": machine,
            "slots": slots,
            "alone": calibration.alone,
            "busy": calibration.busy,
            "ratio": arena_store::report::rounded(calibration.share_kept()),
            "file": file,
        });
        io.print_json(&json)?;
    } else {
        io.print(&text(&machine, slots, calibration, file))?;
    }
    stored.map(|_| Exit::Done)
}

fn text(machine: &Machine, slots: usize, calibration: Calibration, file: Option<&Path>) -> String {
    let Machine { host, class, cpu, cpus, .. } = machine;
    let Calibration { alone, busy } = calibration;
    let cpu = if cpu.is_empty() { "unknown CPU".to_owned() } else { shown(cpu) };
    let mut text = format!(
        "machine   {}\nclass     {class}\nCPU       {cpu}, {}\nslots     {slots}\n\
         alone     {alone} thousand steps/s\nall busy  {busy} thousand steps/s in each slot\nratio     {:.2}: {}\n",
        shown(host),
        counted(*cpus, "processor"),
        calibration.share_kept(),
        meaning(slots, calibration.share_kept()),
    );
    if let Some(file) = file {
        let _ = writeln!(text, "\nstored in {}", shown(&file.to_string_lossy()));
    }
    text
}

/// What it means that a slot keeps this share of its speed.
fn meaning(slots: usize, share: f64) -> String {
    let lost = ((1.0 - share) * 100.0).round();
    if slots == 1 {
        "there is one slot".to_owned()
    } else if share >= SHARE_ALL {
        "games at the same time do not slow each other down".to_owned()
    } else if share >= SHARE_FEW {
        format!("bots compute {lost} % less while all slots are busy")
    } else {
        format!("bots compute {lost} % less while all slots are busy; fewer slots would give them steadier time")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_explained() {
        assert_eq!(meaning(1, 1.0), "there is one slot");
        assert_eq!(meaning(4, 1.02), "games at the same time do not slow each other down");
        assert_eq!(meaning(4, 0.9), "bots compute 10 % less while all slots are busy");
        assert_eq!(
            meaning(4, 0.55),
            "bots compute 45 % less while all slots are busy; fewer slots would give them steadier time"
        );
    }

    #[test]
    fn what_the_system_says_is_escaped() {
        let machine = Machine {
            host: "\u{1b}[2Jbox".to_owned(),
            os: "Linux".to_owned(),
            class: "x86_64-linux-v3".to_owned(),
            cpu: "AMD EPYC 7B13".to_owned(),
            cpus: 2,
        };
        let calibration = Calibration { alone: 50_000, busy: 40_000 };
        insta::assert_snapshot!(text(&machine, 2, calibration, Some(Path::new("/cache/1.json"))), @r"
        machine   \u{1b}[2Jbox
        class     x86_64-linux-v3
        CPU       AMD EPYC 7B13, 2 processors
        slots     2
        alone     50000 thousand steps/s
        all busy  40000 thousand steps/s in each slot
        ratio     0.80: bots compute 20 % less while all slots are busy

        stored in /cache/1.json
        ");
    }
}
