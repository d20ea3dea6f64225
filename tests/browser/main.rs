//! Pages in a real browser. Ignored, since they need Chromium and its driver: `cargo test -p arena-browser -- --ignored`.
//! Accessibility is tested where `ARENA_AXE` is the path of `axe.min.js`; `ARENA_SCREENSHOTS` is a folder for pictures.

mod built_arena;
mod driver;
mod fixture;
mod live;
mod narrow;
mod report;
mod served;
#[path = "../it/live/truth.rs"]
mod truth;
