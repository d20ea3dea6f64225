//! Lists of the whole process that only grow: what a program adds to the built-in games and formats.

use std::sync::{PoisonError, RwLock};

use thiserror::Error;

/// The error for a game or format with the name of a built-in one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{name}` is a built-in {kind}; give it another name")]
pub struct NameTaken {
    /// What has the name: `game` or `format`.
    pub kind: &'static str,
    /// The name.
    pub name: &'static str,
}

/// What was added, in that order, and lives as long as the process.
#[derive(Debug)]
pub struct Registry<T: ?Sized + 'static>(RwLock<Vec<&'static T>>);

impl<T: ?Sized> Registry<T> {
    /// An empty list.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for statics, which can only be made by a `const fn`")]
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// All that were added, in that order.
    #[must_use]
    pub fn all(&self) -> Vec<&'static T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the one that `is_it`, else adds a new one.
    pub fn find_or_add(&self, is_it: impl Fn(&T) -> bool, new: impl FnOnce() -> Box<T>) -> &'static T {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all.iter().find(|one| is_it(one)) {
            return found;
        }
        let new = Box::leak(new());
        all.push(new);
        new
    }
}
