//! Files that are not text: compressed ones and workbooks of spreadsheets.

use crate::text::shell_word;

/// Number of bytes that suffice to recognise them.
pub(super) const MAGIC_BYTES_MAX: usize = 8;

/// A way to pack games.
struct Packing {
    magic: &'static [u8],
    name: &'static str,
    /// The program that writes the content to stdout, if there is one.
    to_stdout: Option<&'static str>,
    /// The program that unpacks into the current folder.
    to_files: &'static str,
    extension: &'static str,
}

const PACKINGS: [Packing; 7] = [
    Packing::of_one_file(b"\x1f\x8b", "gzip", "gzip -dc", ".gz"),
    Packing::of_one_file(b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc", ".zst"),
    Packing::of_one_file(b"\xfd7zXZ\0", "xz", "xz -dc", ".xz"),
    Packing::of_one_file(b"BZh", "bzip2", "bzip2 -dc", ".bz2"),
    Packing::of_files(b"PK\x03\x04", "zip", "unzip"),
    Packing::of_files(b"PK\x05\x06", "zip", "unzip"),
    Packing::of_files(b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x"),
];

/// Endings of workbooks, which are ZIP files.
const WORKBOOKS: [&str; 4] = [".xlsx", ".xlsm", ".ods", ".numbers"];
/// The start of old workbooks.
const OLD_WORKBOOK: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

impl Packing {
    const fn of_one_file(
        magic: &'static [u8],
        name: &'static str,
        to_stdout: &'static str,
        extension: &'static str,
    ) -> Self {
        Self { magic, name, to_stdout: Some(to_stdout), to_files: "", extension }
    }

    const fn of_files(magic: &'static [u8], name: &'static str, to_files: &'static str) -> Self {
        Self { magic, name, to_stdout: None, to_files, extension: "" }
    }

    /// Says how the named file is unpacked.
    fn cure(&self, file: &str) -> String {
        // Of a pipe or a descriptor the name says nothing.
        let file = if ["/dev/", "/proc/"].iter().any(|folder| file.starts_with(folder)) { "FILE" } else { file };
        let packed = shell_word(file);
        let Some(program) = self.to_stdout else { return format!("{} {packed}", self.to_files) };
        let end = file.len().saturating_sub(self.extension.len());
        let is_named = end > 0 && file.is_char_boundary(end) && file[end..].eq_ignore_ascii_case(self.extension);
        let unpacked = if is_named { file[..end].to_owned() } else { format!("{file}.txt") };
        format!("{program} {packed} > {}", shell_word(&unpacked))
    }
}

/// Says what the named file is and how to get games from it, if it is packed.
pub(super) fn packed(file: &str, head: &[u8]) -> Option<String> {
    let is_workbook = WORKBOOKS.iter().any(|end| file.to_ascii_lowercase().ends_with(end));
    if head.starts_with(OLD_WORKBOOK) || is_workbook && head.starts_with(b"PK") {
        return Some("it is a workbook of a spreadsheet; save the sheet as CSV".to_owned());
    }
    // The magic number of bzip2 is also a word; after it comes the size of blocks.
    let is_word = head.starts_with(b"BZh") && !head.get(3).is_some_and(u8::is_ascii_digit);
    let packing = PACKINGS.iter().find(|packing| head.starts_with(packing.magic)).filter(|_| !is_word)?;
    Some(format!("it is compressed by {}; unpack it first: {}", packing.name, packing.cure(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_are_recognised_by_their_first_bytes() {
        let said = |file: &str, head: &[u8]| packed(file, head).unwrap_or_else(|| "text".to_owned());
        let seen = [
            said("a b.pgn.gz", b"\x1f\x8b\x08\0"),
            said("games.pgn", b"\x1f\x8b\x08\0"),
            said("/dev/stdin", b"\x28\xb5\x2f\xfd"),
            said("games.csv.zst", b"\x28\xb5\x2f\xfd"),
            said("GAMES.PGN.XZ", b"\xfd7zXZ\0"),
            said("games.pgn.bz2", b"BZh91AY&SY"),
            said("games.zip", b"PK\x03\x04"),
            said("games.7z", b"7z\xbc\xaf\x27\x1c"),
            said("games.xlsx", b"PK\x03\x04"),
            said("games.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
            said("games.csv", b"BZh,black"),
            said("games.csv", b"PKs,black"),
            said(".gz", b"\x1f\x8b\x08\0"),
        ];
        insta::assert_snapshot!(seen.join("\n"), @"
        it is compressed by gzip; unpack it first: gzip -dc 'a b.pgn.gz' > 'a b.pgn'
        it is compressed by gzip; unpack it first: gzip -dc games.pgn > games.pgn.txt
        it is compressed by zstd; unpack it first: zstd -dc FILE > FILE.txt
        it is compressed by zstd; unpack it first: zstd -dc games.csv.zst > games.csv
        it is compressed by xz; unpack it first: xz -dc GAMES.PGN.XZ > GAMES.PGN
        it is compressed by bzip2; unpack it first: bzip2 -dc games.pgn.bz2 > games.pgn
        it is compressed by zip; unpack it first: unzip games.zip
        it is compressed by 7-Zip; unpack it first: 7z x games.7z
        it is a workbook of a spreadsheet; save the sheet as CSV
        it is a workbook of a spreadsheet; save the sheet as CSV
        text
        text
        it is compressed by gzip; unpack it first: gzip -dc .gz > .gz.txt
        ");
    }
}
