//! Screens in a terminal: `arena replay` and `arena play`.
//!
//! A screen is an [`App`]: keys in, a frame out, no terminal inside, so that tests can press keys and read frames. [`run`]
//! connects an app to the terminal, which is restored before anything else is printed.

mod app;
mod choose;
mod help;
mod hint;
mod key;
mod lines;
mod pace;
pub mod picture;
mod play;
mod prompt;
pub mod replay;
mod selection;
mod small;
mod spark;
mod terminal;
mod theme;

pub use app::{App, AppInbox, ScreenEnd, inbox, run};
pub use choose::Choose;
pub use key::KeyPress;
pub use play::PlayScreen;
pub use terminal::TerminalLook;
