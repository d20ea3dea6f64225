//! A terminal that is too small for a screen.

use ratatui::Frame;
use ratatui::layout::Size;
use ratatui::text::Text;

use crate::text::{printable, wrap};

/// The least width of a screen.
pub const WIDTH_MIN: u16 = 40;
/// The least height of a screen.
pub const HEIGHT_MIN: u16 = 12;

/// Whether `frame` is too small for a screen.
#[must_use]
pub fn is_small(frame: &Frame<'_>) -> bool {
    frame.area().width < WIDTH_MIN || frame.area().height < HEIGHT_MIN
}

/// Says that the terminal is too small, and shows `text`, such as a position, as far as there is room.
pub fn draw_small(frame: &mut Frame<'_>, text: &str) {
    let Size { width, height } = frame.area().as_size();
    let sentence = format!("Enlarge this terminal to {WIDTH_MIN}×{HEIGHT_MIN}; it is {width}×{height}.");
    let lines = wrap(&sentence, width.into(), 0);
    frame.render_widget(Text::raw(format!("{lines}\n{}", printable(text))), frame.area());
}
