//! Pages for people who read text: on a terminal, in Markdown and in LaTeX.
//!
//! `page` has lines and tables, and lays them out. The other files make pages of it: `table` for a tournament, `headline` its
//! first lines, `history` for the versions of a bot, `similar` for bots that move alike. `machines` has a table of its own.
//! `published`, `match_markdown` and `bot_page` make text for other places: a README or paper, a CI job, the author of a bot.

pub(super) mod bot_page;
mod competition;
pub(super) mod headline;
pub(super) mod history;
pub(super) mod machines;
pub(super) mod markdown;
pub(super) mod match_markdown;
pub(super) mod page;
pub(super) mod published;
pub(super) mod similar;
pub(super) mod table;
