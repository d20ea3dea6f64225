//! The reasons for which games of one program end. They live as long as the process, so there are few.

use std::sync::{Mutex, PoisonError};

use arena_core::rules::intern;
use arena_core::text::shown;

use super::mistake::Mistake;

/// Maximum number of different reasons of a program.
pub const REASONS_MAX: usize = 64;

/// The reasons that a program has given so far.
#[derive(Debug, Default)]
pub struct Reasons(Mutex<Vec<&'static str>>);

impl Reasons {
    /// The reason as rules have it.
    ///
    /// # Errors
    ///
    /// Returns [`Mistake::TooManyReasons`] for one more than [`REASONS_MAX`] different ones.
    pub fn intern(&self, reason: &str) -> Result<&'static str, Mistake> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.iter().find(|known| **known == reason) {
            return Ok(known);
        }
        if known.len() >= REASONS_MAX {
            return Err(Mistake::TooManyReasons { reason: shown(reason), max: REASONS_MAX });
        }
        let reason = intern(reason);
        known.push(reason);
        Ok(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_65th_reason_is_a_mistake_and_the_first_64_stay() {
        let reasons = Reasons::default();
        for number in 0..REASONS_MAX {
            assert_eq!(reasons.intern(&format!("reason_{number}")), Ok(&*format!("reason_{number}")));
        }
        let mistake = reasons.intern("another").unwrap_err();
        assert_eq!(
            mistake.to_string(),
            "they give the reason `another` after 64 others; no more different ones are allowed"
        );
        assert_eq!(reasons.intern("reason_7"), Ok("reason_7"));
    }
}
