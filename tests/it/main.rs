//! All integration tests in one binary: it links once.

mod starters;
