//! `arena schema`: the protocol as JSON Schema.

use super::{Exit, print};

pub(super) fn run() -> anyhow::Result<Exit> {
    print(&serde_json::to_string_pretty(&crate::protocol::schema())?)?;
    Ok(Exit::Done)
}
