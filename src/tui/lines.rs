//! Lines of text that fit into a part of the screen.

use arena_core::text::{printable, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Widget as _;

use super::theme;

/// Breaks text into lines at most `width` columns wide: at spaces, and where there are none anywhere.
pub(super) fn folded(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if width < 4 {
        return lines;
    }
    for mut rest in wrap(&printable(text), width, 2).lines() {
        let ends = |text: &str| text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]).collect::<Vec<_>>();
        while let Some(end) = ends(rest).into_iter().take_while(|end| Span::raw(&rest[..*end]).width() <= width).last()
        {
            lines.push(Line::styled(rest[..end].to_owned(), style));
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
        }
    }
    lines
}

/// Texts as [`folded`] breaks them, below a bold line.
pub(super) fn headed(texts: &[String], width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'_>> = texts.iter().flat_map(|text| folded(text, Style::new(), width)).collect();
    if let Some(first) = lines.first_mut() {
        first.style = theme::STRONG;
    }
    lines
}

/// Draws the last lines that there is room for.
pub(super) fn draw_last(mut lines: Vec<Line<'_>>, area: Rect, buffer: &mut Buffer) {
    let first = lines.len().saturating_sub(area.height.into());
    Text::from(lines.split_off(first)).render(area, buffer);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn broken(text: &str, width: usize) -> Vec<String> {
        folded(text, Style::new(), width).iter().map(Line::to_string).collect()
    }

    #[test]
    fn words_that_are_too_long_are_broken() {
        assert_eq!(broken("ab abcdefghij", 5), ["ab", "  abc", "defgh", "ij"]);
        assert_eq!(broken("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(broken("anything", 3), [""; 0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-z{}\": 日é]{0,60}", width in 4_usize..30) {
            let lines = broken(&text, width);
            let without_spaces = |text: &str| text.replace(' ', "");
            prop_assert_eq!(without_spaces(&lines.concat()), without_spaces(&text));
            prop_assert!(lines.iter().all(|line| Span::raw(line).width() <= width), "{:?}", lines);
        }
    }
}
