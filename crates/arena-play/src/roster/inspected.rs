//! The result of loading a file or folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use arena_core::speech::DialectOptions;
use arena_guard::{GuardProgram, Limits, Readable, SandboxMode};
use arena_wire::protocol::JSON;

use super::{FoundBot, SkipReason};
use crate::player::process::{Launch, STARTUP_DEFAULT};

/// What a file or folder turned out to be.
pub(super) enum Inspected {
    Bot(Box<FoundBot>),
    Skip(SkipReason),
}

/// How to start a bot, with default permissions.
pub(crate) fn launch(name: String, program: PathBuf, args: Vec<OsString>, dir: PathBuf) -> Launch {
    // Replaced when the bot is started.
    let scratch = std::env::temp_dir();
    Launch {
        name,
        path: PathBuf::new(),
        program,
        args,
        dir,
        env: Vec::new(),
        scratch,
        guard: GuardProgram::default(),
        startup: STARTUP_DEFAULT,
        fresh: false,
        limits: Limits::default(),
        sandbox: SandboxMode::default(),
        readable: Readable::default(),
        listable: Vec::new(),
        files: Arc::default(),
        protocol: &JSON,
        options: DialectOptions::new(),
        freeze_idle: false,
        build: None,
        build_network: false,
        count_all: false,
        in_process: None,
    }
}

pub(crate) fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("finding {}", path.display()))
}
