//! Recognises engines that speak another protocol, by what they print instead of a `hello`.

use arena_core::cause::Cause;

/// Words that begin an answer of a UCI engine. <https://backscattering.de/chess/uci/>
const UCI: [&str; 8] =
    ["uciok", "readyok", "id name ", "id author ", "option name ", "info string ", "info depth ", "bestmove "];
/// Words that begin an answer of a UGI or UAI engine, and not of a UCI engine.
const UGI: [&str; 2] = ["ugiok", "uaiok"];
/// Words that begin an answer of a Gomocup (Piskvork) engine. <https://plastovicka.github.io/protocl2en.htm>
const GOMOCUP: [&str; 3] = ["UNKNOWN", "MESSAGE ", "ERROR "];

/// The protocol of the engine that prints this line; `None` for most lines.
pub(super) fn recognise(line: &[u8]) -> Option<Cause> {
    /// Longer than every line that is recognised, but for what an engine repeats of its input.
    const BYTES_MAX: usize = 200;
    let text = String::from_utf8_lossy(&line[..line.len().min(BYTES_MAX)]);
    let text = text.trim();
    let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let refuses = text.to_ascii_lowercase().contains("command");
    if begins(&UGI) {
        Some(Cause::SpeaksUgi)
    } else if begins(&UCI) || refuses && text.starts_with("Unknown ") || is_banner(text) {
        Some(Cause::SpeaksUci)
    } else if text == "UNKNOWN" || begins(&GOMOCUP) && (refuses || text.starts_with("MESSAGE ")) {
        Some(Cause::SpeaksGomocup)
    } else {
        None
    }
}

/// Whether a line is a name, a version and an author: `Stockfish 17 by the Stockfish developers`.
fn is_banner(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_version = |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let by = words.iter().position(|word| *word == "by");
    by.is_some_and(|by| (2..=4).contains(&by) && words.len() > by + 1 && words[1..by].iter().any(is_version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_recognised_by_their_answers() {
        for (line, cause) in [
            ("Stockfish 17 by the Stockfish developers (see AUTHORS file)", Cause::SpeaksUci),
            ("Ethereal v14.25 by Andrew Grant\r", Cause::SpeaksUci),
            (
                "Unknown command: '{\"type\":\"hello\",\"protocol\":1}'. Type help for more information.",
                Cause::SpeaksUci,
            ),
            ("info string unknown command", Cause::SpeaksUci),
            ("id name Motors 0.1", Cause::SpeaksUci),
            ("uciok", Cause::SpeaksUci),
            ("ugiok", Cause::SpeaksUgi),
            ("uaiok", Cause::SpeaksUgi),
            ("UNKNOWN command", Cause::SpeaksGomocup),
            ("UNKNOWN", Cause::SpeaksGomocup),
            ("ERROR unknown command", Cause::SpeaksGomocup),
            ("MESSAGE Rapfi 0.43", Cause::SpeaksGomocup),
        ] {
            assert_eq!(recognise(line.as_bytes()), Some(cause), "{line}");
        }
    }

    #[test]
    fn debug_output_is_not_taken_for_an_engine() {
        for line in [
            "",
            "ERROR no model found",
            "Loading weights by name",
            "written by Alice",
            "MyBot by Alice",
            "information: 3",
            "idle",
            "UNKNOWN_KEY in config",
            "ready",
            "hello",
        ] {
            assert_eq!(recognise(line.as_bytes()), None, "{line}");
        }
        assert_eq!(recognise(&vec![0xff; 100_000]), None);
    }
}
