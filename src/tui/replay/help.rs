//! All keys.

use ratatui::Frame;
use ratatui::text::{Line, Text};

use crate::report::FILTER_WORDS;
use crate::text::wrap;
use crate::tui::theme;

/// Keys and what they do; a key without text is a heading.
const KEYS: [(&str, &str); 20] = [
    ("Game", ""),
    ("→ . j   ← , k", "a ply on, a ply back"),
    ("PgDn  PgUp", "ten plies"),
    ("G g  End Home", "end, with all that is known about a fault; start"),
    ("m  M", "next, previous move that gave the result away"),
    ("Space", "plays, and stops"),
    ("n  N", "next, previous game of the list"),
    ("c", "copies the command that shows this position"),
    ("/", "the list, to find another game"),
    ("Esc", "the list"),
    ("q", "back"),
    ("List", ""),
    ("↑ k   ↓ j", "a game up, down"),
    ("PgUp  PgDn", "a page"),
    ("Enter", "opens the game"),
    ("/", "filter, word by word; Enter keeps it, Esc does not"),
    ("Esc", "shows all games"),
    ("q  Ctrl-C", "leaves"),
    ("Filter", ""),
    ("", FILTER_WORDS),
];
/// Columns of the keys.
const KEY_WIDTH: usize = 15;

pub(super) fn draw(frame: &mut Frame<'_>) {
    let area = frame.area();
    let room = usize::from(area.width).saturating_sub(KEY_WIDTH);
    let mut text = Text::default();
    for (key, what) in KEYS {
        if what.is_empty() {
            text.push_line(Line::styled(key, theme::STRONG));
            continue;
        }
        let padded = format!("{key:<KEY_WIDTH$}");
        for (place, line) in wrap(what, room, 0).lines().enumerate() {
            let begin = if place == 0 { padded.as_str() } else { "" };
            text.push_line(Line::raw(format!("{begin:<KEY_WIDTH$}{line}")));
        }
    }
    // What there is no room for is said by the page.
    let rest = text.lines.len().saturating_sub(area.height.into());
    if rest > 0 {
        text.lines.truncate(usize::from(area.height).saturating_sub(1));
        text.push_line(Line::styled("… enlarge the terminal, or see docs/replay.md", theme::DIM));
    }
    frame.render_widget(text, area);
}
