//! The built-in bots: [`strategy`]. They use pipes like any other bot and know nothing of the referee.

pub mod strategy;
