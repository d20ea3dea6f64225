//! `arena schema`: the protocol as JSON Schema.

use super::{Exit, print_data};

pub(super) fn run() -> anyhow::Result<Exit> {
    print_data(&serde_json::to_string_pretty(&crate::protocol::schema())?)?;
    Ok(Exit::Done)
}
