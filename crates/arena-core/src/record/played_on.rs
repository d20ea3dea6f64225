//! What kind of machine a game was played on, as far as it may affect the result.

use serde::{Deserialize, Serialize};

/// The machine that played a game, apart from its name. Time limits are of real time, so a slower machine, or more games
/// at once, may cost a bot strength.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedOn {
    /// Target and CPU level: `x86_64-linux-v3`, `aarch64-macos`.
    pub class: String,
    /// Model of the CPU; empty if the system does not report it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cpu: String,
    /// Games that it played at a time.
    pub slots: u32,
    /// Its speed with this many slots, if it was measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// The measured speed of a machine, in thousand steps of the reference loop per second. In files: `[alone, busy]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u32; 2]", into = "[u32; 2]")]
pub struct Calibration {
    /// Of one slot while the others are idle.
    pub alone: u32,
    /// Of each slot while all are busy.
    pub busy: u32,
}

impl Calibration {
    /// Share of its speed that a slot keeps while all are busy; 0 without a speed.
    #[must_use]
    pub fn share_kept(self) -> f64 {
        f64::from(self.busy) / f64::from(self.alone.max(1))
    }
}

impl From<[u32; 2]> for Calibration {
    fn from([alone, busy]: [u32; 2]) -> Self {
        Self { alone, busy }
    }
}

impl From<Calibration> for [u32; 2] {
    fn from(calibration: Calibration) -> Self {
        [calibration.alone, calibration.busy]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_read_as_it_was_written(
            class in "\\PC{0,20}",
            cpu in "\\PC{0,60}",
            slots in any::<u32>(),
            calibration in prop::option::of(any::<[u32; 2]>()),
        ) {
            let played_on = PlayedOn { class, cpu, slots, calibration: calibration.map(Calibration::from) };
            let text = serde_json::to_string(&played_on).unwrap();
            prop_assert_eq!(serde_json::from_str::<PlayedOn>(&text).unwrap(), played_on);
        }
    }

    #[test]
    fn what_is_not_known_is_not_written() {
        let known = PlayedOn {
            class: "x86_64-linux-v3".to_owned(),
            cpu: "AMD EPYC 7B13".to_owned(),
            slots: 2,
            calibration: Some(Calibration { alone: 51_234, busy: 40_012 }),
        };
        insta::assert_snapshot!(
            serde_json::to_string(&known).unwrap(),
            @r#"{"class":"x86_64-linux-v3","cpu":"AMD EPYC 7B13","slots":2,"calibration":[51234,40012]}"#
        );
        let unknown = PlayedOn { cpu: String::new(), calibration: None, ..known };
        insta::assert_snapshot!(
            serde_json::to_string(&unknown).unwrap(),
            @r#"{"class":"x86_64-linux-v3","slots":2}"#
        );
    }
}
