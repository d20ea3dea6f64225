//! Signatures, where this build has none.

/// What a build without signatures says of them.
pub(crate) const NO_SIGNATURES: &str =
    "this build has no signatures; make one with `cargo build --release --features nats`";
