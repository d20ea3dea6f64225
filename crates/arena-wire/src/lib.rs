//! How bots are spoken to: questions become lines and lines become replies. Pure: no pipe, no process and no clock.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`protocol`] | the protocols of bots: encodes questions, decodes replies, has the words for texts about them | pipes, time |
//! | [`transcript`] | what a bot read and wrote in a stored game | files, processes |
//! | [`advice`] | the cures of faults | how they are shown |
//!
//! Another protocol is one file, `protocol/NAME.rs`, and one line in the registry of protocols.

pub mod advice;
pub mod protocol;
pub mod transcript;
