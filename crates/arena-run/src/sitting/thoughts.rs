//! What a bot lets people see: lines of its stderr, `info` lines as a table, and the messages in both directions.

use std::collections::VecDeque;

use arena_play::player::process::{Stream, TappedLine};

/// Lines kept of each kind.
const LINES_MAX: usize = 200;
/// Entries of the table.
const INFO_MAX: usize = 32;

/// What one bot has written.
#[derive(Debug, Clone, Default)]
pub struct Thoughts {
    /// Lines of stderr, but for those in the table.
    pub stderr: VecDeque<String>,
    /// Messages: whether to the bot, and the text.
    pub wire: VecDeque<(bool, String)>,
    /// The last value of each key of lines `info key=value …`, in the order in which they first came.
    pub info: Vec<(String, String)>,
}

impl Thoughts {
    /// Adds lines, after some that were `dropped`.
    pub fn add(&mut self, lines: Vec<TappedLine>, dropped: usize) {
        if dropped > 0 {
            self.stderr.push_back(format!("({dropped} lines left out)"));
        }
        for TappedLine { stream, text } in lines {
            match stream {
                Stream::Stderr => match text.strip_prefix("info ").and_then(read_info) {
                    Some(entries) => entries.into_iter().for_each(|entry| self.note(entry)),
                    None => self.stderr.push_back(text),
                },
                Stream::Sent => self.wire.push_back((true, text)),
                Stream::Received => self.wire.push_back((false, text)),
            }
        }
        let surplus = self.stderr.len().saturating_sub(LINES_MAX);
        self.stderr.drain(..surplus);
        let surplus = self.wire.len().saturating_sub(LINES_MAX);
        self.wire.drain(..surplus);
    }

    fn note(&mut self, (key, value): (String, String)) {
        if let Some((_, last)) = self.info.iter_mut().find(|(known, _)| *known == key) {
            *last = value;
        } else if self.info.len() < INFO_MAX {
            self.info.push((key, value));
        }
    }
}

/// `depth=8 pv=3 2 2`: a value ends where the next key begins. `None` if there is none.
fn read_info(text: &str) -> Option<Vec<(String, String)>> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for word in text.split_whitespace() {
        match (word.split_once('='), entries.last_mut()) {
            (Some((key, value)), _) if !key.is_empty() => entries.push((key.to_owned(), value.to_owned())),
            (_, Some((_, value))) => {
                value.push(' ');
                value.push_str(word);
            }
            (_, None) => return None,
        }
    }
    (!entries.is_empty()).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_are_a_table_and_others_stay_lines() {
        let mut thoughts = Thoughts::default();
        let line = |text: &str| TappedLine { stream: Stream::Stderr, text: text.to_owned() };
        thoughts.add(vec![line("info depth=8 pv=3 2 2 score=-28"), line("hello"), line("info no pairs")], 0);
        thoughts.add(vec![line("info depth=9 =x")], 3);
        let entry = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(thoughts.info, [entry("depth", "9 =x"), entry("pv", "3 2 2"), entry("score", "-28")]);
        assert_eq!(thoughts.stderr, ["hello", "info no pairs", "(3 lines left out)"]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut thoughts = Thoughts::default();
        for number in 0..3 * LINES_MAX {
            let sent = TappedLine { stream: Stream::Sent, text: format!("{number}") };
            let said = TappedLine { stream: Stream::Stderr, text: format!("info k{number}=1") };
            let line = TappedLine { stream: Stream::Stderr, text: "x".to_owned() };
            thoughts.add(vec![sent, said, line], 1);
        }
        assert_eq!((thoughts.stderr.len(), thoughts.wire.len(), thoughts.info.len()), (LINES_MAX, LINES_MAX, INFO_MAX));
    }
}
