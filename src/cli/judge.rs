//! `arena judge`: the rules as a service.

use super::Exit;

pub(super) fn run() -> anyhow::Result<Exit> {
    crate::judge::run(std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Done)
}
