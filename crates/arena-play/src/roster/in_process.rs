//! Bots that are objects of this program.

use std::path::Path;

use arena_guard::SandboxMode;

use super::FoundBot;
use super::fingerprint::Fingerprint;
use super::inspected::launch;
use super::names::{Claim, NameError, checked_name};
use crate::player::Player;
use crate::player::in_process::PlayerFactory;

impl FoundBot {
    /// A bot whose players `make` makes in this program; see [`player::in_process`](crate::player::in_process). Its games are
    /// played again once its name or `version` changes.
    ///
    /// # Errors
    ///
    /// Returns [`NameError`] if the name is not valid.
    pub fn in_process(
        name: &str,
        version: &str,
        make: impl Fn() -> Box<dyn Player> + Send + Sync + 'static,
    ) -> Result<Self, NameError> {
        let name = checked_name(name)?;
        let fingerprint = Fingerprint::of_words(&["in process", &name, version]);
        let mut launch = launch(name, "".into(), Vec::new(), "".into());
        (launch.in_process, launch.sandbox) = (Some(PlayerFactory::new(make)), SandboxMode::Off);
        let found = Self::new(launch, fingerprint, Path::new(""));
        Ok(Self { command: format!("in process: {version}"), claim: Claim::Given, ..found })
    }

    /// Whether it is played by an object of this program, not a process.
    #[must_use]
    pub fn is_in_process(&self) -> bool {
        self.launch.in_process.is_some()
    }

    /// Whether there is a program that can be started, also if it is [played in this one](Self::is_in_process).
    #[must_use]
    pub fn has_program(&self) -> bool {
        !self.launch.program.as_os_str().is_empty()
    }
}
