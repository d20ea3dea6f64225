//! All keys of a screen.

use arena_core::text::wrap;
use ratatui::Frame;
use ratatui::text::{Line, Text};

use super::theme;

/// Draws keys and what they do; a key without text is a heading. What there is no room for is on `page`.
pub(super) fn draw(frame: &mut Frame<'_>, keys: &[(&str, &str)], page: &str) {
    let area = frame.area();
    let key_width = keys.iter().map(|(key, _)| key.chars().count()).max().unwrap_or_default() + 2;
    let mut text = Text::default();
    for (key, what) in keys {
        if what.is_empty() {
            text.push_line(Line::styled(*key, theme::STRONG));
        }
        let mut begin = *key;
        for line in wrap(what, usize::from(area.width).saturating_sub(key_width), 0).lines() {
            text.push_line(format!("{begin:<key_width$}{line}"));
            begin = "";
        }
    }
    if text.lines.len() > area.height.into() {
        text.lines.truncate(usize::from(area.height).saturating_sub(1));
        text.push_line(Line::styled(format!("… enlarge the terminal, or see {page}"), theme::DIM));
    }
    frame.render_widget(text, area);
}
