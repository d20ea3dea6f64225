//! How a program of rules failed.

use std::fmt;

use arena_core::record::Evidence;

use super::mistake::Mistake;

/// A failure of a process of rules, which is killed by then. It is no bot's fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// How it failed.
    pub how: Failing,
    /// The message, the last line in each direction and the end of stderr. There is no cause in it: causes are of bots.
    pub evidence: Evidence,
}

/// How a process of rules failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failing {
    /// It could not be started.
    NotStarted,
    /// Its files, or what it says of itself, are not what they were when the run began.
    Changed,
    /// It did not answer in time.
    TimedOut,
    /// It exited, or closed a pipe.
    Ended,
    /// Its answer is not valid.
    Mistake(Mistake),
    /// Its answers contradict each other, or a contract.
    Contradiction,
    /// The arena or the machine failed, not the rules.
    Arena,
}

impl Broken {
    pub(super) fn new(how: Failing, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { how, evidence: Evidence { message: message.into(), ..Evidence::default() } })
    }

    /// Adds to the message the line of stderr that says most, where nothing else explains the failure.
    pub(super) fn add_stderr(&mut self) {
        if let (Failing::TimedOut | Failing::Ended, Some(line)) = (&self.how, self.evidence.telling_line()) {
            self.evidence.message.push_str("; its stderr ends: ");
            self.evidence.message.push_str(&line);
        }
    }
}

/// An answer that is not valid.
pub(super) fn mistaken(mistake: Mistake) -> Box<Broken> {
    let message = mistake.to_string();
    Broken::new(Failing::Mistake(mistake), message)
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.evidence.message)
    }
}

impl std::error::Error for Broken {}
