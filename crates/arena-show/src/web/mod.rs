//! Self-contained pages: the report and the live page. A page loads nothing from anywhere, and runs no script but its own.

mod document;
pub mod games;
mod script;

pub use document::WebPage;
pub use script::{FEEDBACK_STYLE, LIVE_SCRIPT, LIVE_STYLE, REPORT_SCRIPT, REPORT_STYLE, TABLES_SCRIPT};
