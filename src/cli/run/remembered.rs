//! The files that options have written for a results folder.

use std::io::ErrorKind;
use std::path::PathBuf;

use arena_run::session::Outputs;
use arena_sys::results_folder::ResultsFolder;

/// Remembers files that an option named to be written, where the folder can be written to.
pub(crate) fn remember(folder: &ResultsFolder, option: &str, files: &[PathBuf]) -> anyhow::Result<()> {
    let files = files.iter().map(|file| (option, file.as_path()));
    match Outputs::read(folder)?.with_files(folder, files).write(folder) {
        Err(error) if is_read_only(&error) => Ok(()),
        written => written,
    }
}

/// Results may be shown to users who cannot write them.
pub(crate) fn is_read_only(error: &anyhow::Error) -> bool {
    let kind = error.root_cause().downcast_ref().map(std::io::Error::kind);
    matches!(kind, Some(ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied))
}
