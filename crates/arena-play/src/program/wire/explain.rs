//! Why an answer did not come, in words.

use std::time::Duration;

use arena_sys::time::now;
use arena_wire::protocol::evidence_of;

use super::{End, Wire};
use crate::program::broken::{Broken, Failing};
use crate::program::messages::Request;
use crate::program::mistake::Mistake;

/// Time to wait after a timeout for an answer in the program's own buffer.
const STUCK_LIMIT: Duration = Duration::from_millis(100);

impl Wire {
    /// Describes what happened when `asked` was to be answered within `limit`; `ended` says how the process ended, if it did.
    pub(in crate::program) fn explain(
        &mut self,
        end: End,
        asked: Option<&Request<'_>>,
        limit: Duration,
        ended: impl FnOnce() -> Option<String>,
    ) -> Box<Broken> {
        let is_hello = matches!(asked, Some(Request::Hello));
        let mut request = Vec::new();
        match (&end, asked) {
            // It was not written.
            (End::Mistake(Mistake::Surplus), _) | (_, None) => request.clone_from(&self.outgoing),
            (_, Some(asked)) => asked.write(&mut request),
        }
        let (how, mut message) = match end {
            End::TimedOut => {
                let what = if is_hello {
                    "no hello".to_owned()
                } else {
                    format!("no answer to `{}`", asked.map_or("", Request::kind))
                };
                let stuck = if self.has_stuck_answer() {
                    "; the answer came when its input was closed, so it was slow, or did not flush its output"
                } else {
                    ""
                };
                (Failing::TimedOut, format!("{what} within {} ms{stuck}", limit.as_millis()))
            }
            End::Closed => {
                self.read_rest();
                let pipe = if self.stdin.is_none() { "closed its input" } else { "closed its output" };
                let how = ended().unwrap_or_else(|| pipe.to_owned());
                let when = if is_hello { " before its hello" } else { "" };
                (Failing::Ended, format!("the program {how}{when}"))
            }
            End::Mistake(mistake) => {
                let message = mistake.to_string();
                (Failing::Mistake(mistake), message)
            }
            End::Error(error) => (Failing::Arena, format!("communicating with the rules: {error}")),
        };
        if matches!(how, Failing::TimedOut | Failing::Ended)
            && let Some(fragment) = self.input.fragment()
        {
            message.push_str("; it wrote a line without a newline: ");
            message.push_str(&fragment);
        }
        let mut broken = Broken::new(how, message);
        broken.evidence.last_sent = request.split_inclusive(|byte| *byte == b'\n').next_back().map(evidence_of);
        broken.evidence.last_received = Some(self.input.last_line()).filter(|line| !line.is_empty());
        broken
    }

    /// Whether the answer that did not come was in the program's own buffer: it comes once its input is closed.
    fn has_stuck_answer(&mut self) -> bool {
        self.stdin = None;
        let deadline = now() + STUCK_LIMIT;
        loop {
            match self.input.next_message(&self.log, self.process) {
                Ok(Some(_)) => return true,
                Err(_) => return false,
                Ok(None) => {}
            }
            let left = deadline.saturating_duration_since(now());
            if left.is_zero() || self.listen(left).is_err() {
                return false;
            }
        }
    }
}
