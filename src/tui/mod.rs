//! Screens in a terminal: `arena replay` and `arena play`.
//!
//! A screen is an [`App`]: keys in, a frame out, no terminal inside, so that tests can press keys and read frames. [`run`]
//! connects an app to the terminal, which is restored before anything else is printed.

mod app;
mod choose;
mod hint;
mod key;
mod pace;
pub mod picture;
mod play;
pub mod replay;
mod small;
mod spark;
mod terminal;
mod theme;

pub use app::{App, AppInbox, AppSender, ScreenEnd, inbox, run};
pub use choose::{Choose, ListedChoice};
pub use key::KeyPress;
pub use play::PlayScreen;
pub use small::{HEIGHT_MIN, WIDTH_MIN, draw_small, is_small};
pub use terminal::TerminalLook;
