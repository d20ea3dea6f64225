//! Messages about a session that is being opened.

use arena_show::observer::{Observer, RunEvent};

pub(super) fn note(observer: &mut dyn Observer, text: String) {
    observer.observe(&RunEvent::Note { text });
}

pub(super) fn warn(observer: &mut dyn Observer, warnings: &[String]) {
    for warning in warnings {
        observer.observe(&RunEvent::Warning { text: warning.clone() });
    }
}
