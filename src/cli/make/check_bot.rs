//! The checker of bots for those who have no arena, such as on Windows: one file of Python, written beside rules.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::Context as _;

/// Its name.
pub(crate) const FILE: &str = "check_bot.py";
/// Its text; docs/other-systems.md describes it.
pub(crate) const TEXT: &str = include_str!("../../../examples/check_bot.py");

/// Writes it into a folder, unless there is a file of its name already.
///
/// # Errors
///
/// Fails if it cannot be written.
pub(crate) fn write_into(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(TEXT.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
    .with_context(|| format!("writing {}", path.display()))
}
