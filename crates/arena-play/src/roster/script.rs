//! Detects scripts that cannot be started.

use std::io::Read;
use std::path::Path;

use anyhow::bail;
use arena_guard::open_foreign;

/// Maximum length of an interpreter line that matters: the kernel reads 256 bytes.
const BYTES_MAX: u64 = 256;

/// Rejects a script with an invalid interpreter line. Other errors are reported when it is started.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    if open_foreign(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes)).is_err() {
        return Ok(());
    }
    if [b"\xff\xfe#\0", b"\xfe\xff\0#"].iter().any(|start| bytes.starts_with(*start)) {
        bail!("it is written in UTF-16; save it as UTF-8 without a byte order mark");
    }
    let Some(first) = bytes.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next()) else {
        return Ok(());
    };
    // `env` would search for an interpreter with a CR in its name, and Python would parse the CR as an option.
    if first.ends_with(b"\r") {
        bail!("its first line ends in CR LF; save it with Unix line ends");
    }
    let line = String::from_utf8_lossy(first);
    if let Some(interpreter) = line.split_whitespace().next().filter(|word| Path::new(word).is_dir()) {
        bail!(
            "its first line names the folder {interpreter}, not an interpreter; write for example #!/usr/bin/env python3"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(text: &[u8], says: &str) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("bot");
        std::fs::write(&path, text).expect("a file");
        let said = check(&path).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(says) && said.is_empty() == says.is_empty(), "{said}");
    }

    #[test]
    fn an_invalid_interpreter_line_is_rejected() {
        check_text(b"#!/usr/bin/env python3\r\nprint()\r\n", "CR LF");
        check_text(b"#!/bin/sh\r", "CR LF");
        check_text(b"\xff\xfe#\0!\0/\0b\0i\0n\0/\0s\0h\0", "UTF-16");
        check_text(b"#! /usr/bin\n", "the folder /usr/bin,");
    }

    #[test]
    fn everything_else_is_left_to_the_system() {
        for text in [b"#!/bin/sh\necho\r\n".as_slice(), b"#!/no/such/python -u\n", b"#!\n", b"", b"\x7fELF\r\n"] {
            check_text(text, "");
        }
        assert!(check(Path::new("/no/such/bot")).is_ok());
    }
}
