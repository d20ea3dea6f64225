//! A terminal that is too small for a screen.

use arena_core::text::{printable, wrap};
use ratatui::Frame;
use ratatui::layout::Size;
use ratatui::text::Text;

/// The least width of a screen.
const WIDTH_MIN: u16 = 40;
/// The least height of a screen.
const HEIGHT_MIN: u16 = 12;

/// Whether `frame` is too small for a screen. It then says so, and shows `text`, such as a position, as far as there is room.
pub(super) fn is_drawn_small(frame: &mut Frame<'_>, text: impl FnOnce() -> String) -> bool {
    let Size { width, height } = frame.area().as_size();
    let is_small = width < WIDTH_MIN || height < HEIGHT_MIN;
    if is_small {
        let sentence = format!("Enlarge this terminal to {WIDTH_MIN}×{HEIGHT_MIN}; it is {width}×{height}.");
        let lines = wrap(&sentence, width.into(), 0);
        frame.render_widget(Text::raw(format!("{lines}\n{}", printable(&text()))), frame.area());
    }
    is_small
}
