//! Pages in a real browser. Ignored, since they need Chromium and its driver: `cargo test --test browser -- --ignored`.
//! Accessibility is tested where `ARENA_AXE` is the path of `axe.min.js`; `ARENA_SCREENSHOTS` is a folder for pictures.

mod driver;
mod fixture;
#[cfg(feature = "serve")]
mod live;
mod report;
