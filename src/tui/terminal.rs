//! The terminal: raw mode and the alternate screen, left again however the program ends.

use std::io::{self, BufWriter, Stdout, Write as _};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::style::Color;
use ratatui::{Frame, Terminal};
use rustix::process::{Signal, getpid, kill_process};

/// Whether the terminal is in raw mode, on the alternate screen.
static IS_OPEN: AtomicBool = AtomicBool::new(false);
/// Enough for a frame, which is then written at once.
const FRAME_BYTES: usize = 64 << 10;

/// What the terminal is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TerminalLook {
    /// Whether colours are shown. Without them a screen has bold, underlined and reversed text.
    pub colour: bool,
    /// Whether the mouse is reported. The terminal itself then selects no text.
    pub mouse: bool,
}

/// The terminal of this process, taken over until this is dropped.
#[derive(Debug)]
pub(super) struct TerminalScreen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    look: TerminalLook,
}

impl TerminalScreen {
    pub(super) fn open(look: TerminalLook) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let usual = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                usual(panic);
            }));
        });
        let backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, io::stdout()));
        let screen = Self { terminal: Terminal::new(backend)?, look };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&self) -> io::Result<()> {
        enable_raw_mode()?;
        IS_OPEN.store(true, Ordering::SeqCst);
        let mut stdout = io::stdout();
        execute!(stdout, EnterAlternateScreen)?;
        if self.look.mouse {
            execute!(stdout, EnableMouseCapture)?;
        }
        Ok(())
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let has_colour = self.look.colour;
        self.terminal.draw(|frame| {
            draw(frame);
            if !has_colour {
                without_colour(frame.buffer_mut());
            }
        })?;
        Ok(())
    }

    /// Puts text on the clipboard, where the terminal allows it (OSC 52, as xterm has it).
    #[expect(clippy::unused_self, reason = "only while the terminal is ours")]
    pub(super) fn copy(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout();
        write!(stdout, "\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text))?;
        stdout.flush()
    }

    /// Gives the terminal back and stops this process, as Ctrl-Z does. Returns when it is continued.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        kill_process(getpid(), Signal::STOP)?;
        self.enter()?;
        // `Terminal::clear` would ask where the cursor is, and wait for an answer that the thread of the keys gets. All of the
        // next frame is drawn if the last one is forgotten.
        self.terminal.backend_mut().clear()?;
        self.terminal.swap_buffers();
        Ok(())
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was. Does nothing if it was not taken.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        // Nothing can be done about a terminal that is gone.
        let mut stdout = io::stdout();
        let _ = execute!(stdout, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = stdout.flush();
        let _ = disable_raw_mode();
    }
}

/// Takes all colours out of a frame.
fn without_colour(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::{Modifier, Style};

    use super::*;

    #[test]
    fn a_frame_without_colour_keeps_what_else_marks_its_text() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer.set_string(0, 0, "abc", Style::new().fg(Color::Red).bg(Color::Blue).add_modifier(Modifier::BOLD));
        without_colour(&mut buffer);
        let mut expected = Buffer::empty(buffer.area);
        expected.set_string(0, 0, "abc", Style::new().add_modifier(Modifier::BOLD));
        assert_eq!(buffer, expected);
    }
}
