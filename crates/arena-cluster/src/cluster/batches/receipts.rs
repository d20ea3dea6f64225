//! Which messages are no longer needed: all of their games are in the journal.

use std::collections::HashMap;

/// Games of messages that are not durable yet.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    /// By message.
    open: HashMap<u64, usize>,
    /// One entry for each game that was reported since the last sync.
    unsynced: Vec<u64>,
}

impl Receipts {
    /// A message with this number of games arrived.
    pub(super) fn begin(&mut self, receipt: u64, games: usize) {
        // One more, so that a message without games is acknowledged as well.
        self.open.insert(receipt, games + 1);
    }

    /// All games of the message were looked at.
    pub(super) fn end(&mut self, receipt: u64) {
        self.done(receipt);
    }

    /// A game of the message was reported.
    pub(super) fn done(&mut self, receipt: u64) {
        self.unsynced.push(receipt);
    }

    /// What was reported is durable: returns the messages that are complete.
    pub(super) fn synced(&mut self) -> Vec<u64> {
        let mut complete = Vec::new();
        for receipt in std::mem::take(&mut self.unsynced) {
            let Some(open) = self.open.get_mut(&receipt) else { continue };
            *open -= 1;
            if *open == 0 {
                self.open.remove(&receipt);
                complete.push(receipt);
            }
        }
        complete
    }
}
