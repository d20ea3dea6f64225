//! Bodies: some bytes, and two that are made while they are sent, a stream of frames and a file. Neither has a queue.

use std::fs::File;
use std::future::Future;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::{self, error::RecvError};
use tokio::time::{error::Elapsed, timeout};

use super::frames::{FrameKind, KINDS, Newest};

/// Bytes of a file that are in memory at once.
const PIECE: u64 = 64 * 1024;

/// The body of a response.
pub(super) enum Body {
    /// `None` once they are sent.
    Bytes(Option<Bytes>),
    Events(Events),
    File(FileBody),
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Self::Bytes(Some(Bytes::from_static(text.as_bytes())))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Bytes(Some(text.into()))
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl From<Events> for Body {
    fn from(events: Events) -> Self {
        Self::Events(events)
    }
}

impl From<FileBody> for Body {
    fn from(file: FileBody) -> Self {
        Self::File(file)
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.get_mut() {
            Self::Bytes(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Events(events) => Pin::new(events).poll_frame(context),
            Self::File(file) => Pin::new(file).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            Self::Events(events) => events.is_end_stream(),
            Self::File(file) => file.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Bytes(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Events(events) => events.size_hint(),
            Self::File(file) => file.size_hint(),
        }
    }
}

/// The frames, and how waiting for one of them has ended.
type Followed = (watch::Receiver<Newest>, Result<Result<(), RecvError>, Elapsed>);

/// The newest frames of each kind as they come. A viewer who is slow skips to the newest.
pub(super) struct Events {
    /// The frames; none while they are waited for.
    frames: Option<watch::Receiver<Newest>>,
    /// Numbers of the last frames sent.
    sent: [u64; KINDS],
    wait: Option<Pin<Box<dyn Future<Output = Followed> + Send>>>,
    keep_alive: Duration,
    /// One more is due once the viewer knows that it is over.
    reports_due: Option<Arc<AtomicUsize>>,
}

impl Events {
    pub(super) fn new(
        frames: watch::Receiver<Newest>,
        keep_alive: Duration,
        reports_due: Option<Arc<AtomicUsize>>,
    ) -> Self {
        Self { frames: Some(frames), sent: [0; KINDS], wait: None, keep_alive, reports_due }
    }

    /// The next frame that has not been sent in its present form.
    fn next(&mut self) -> Option<Bytes> {
        let newest = self.frames.as_mut()?.borrow_and_update();
        let (sent, (number, frame)) = self.sent.iter_mut().zip(newest.iter()).find(|(sent, (new, _))| **sent < *new)?;
        *sent = *number;
        Some(frame.clone())
    }
}

async fn wait(mut frames: watch::Receiver<Newest>, limit: Duration) -> Followed {
    let changed = timeout(limit, frames.changed()).await;
    (frames, changed)
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(wait) = &mut self.wait {
                let (frames, changed) = ready!(wait.as_mut().poll(context));
                (self.frames, self.wait) = (Some(frames), None);
                match changed {
                    Ok(Ok(())) => {}
                    // No frame will come.
                    Ok(Err(_)) => return Poll::Ready(None),
                    // Nothing has changed for a while.
                    Err(_) => return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n"))))),
                }
            }
            if let Some(frame) = self.next() {
                // Before the viewer can know it.
                if self.sent[FrameKind::Over as usize] > 0
                    && let Some(due) = self.reports_due.take()
                {
                    due.fetch_add(1, Ordering::Relaxed);
                }
                return Poll::Ready(Some(Ok(Frame::data(frame))));
            }
            if self.sent[FrameKind::Over as usize] > 0 {
                return Poll::Ready(None);
            }
            let limit = self.keep_alive;
            let Some(frames) = self.frames.take() else { return Poll::Ready(None) };
            self.wait = Some(Box::pin(wait(frames, limit)));
        }
    }
}

/// A file as it was when it was opened: files of results are replaced, not changed.
pub(super) struct FileBody {
    file: File,
    sent: u64,
    bytes: u64,
    /// It is one of the files that may be open.
    _open: OwnedSemaphorePermit,
}

impl FileBody {
    pub(super) fn new(file: File, open: OwnedSemaphorePermit) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file, sent: 0, bytes, _open: open })
    }
}

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut piece = vec![0; (self.bytes - self.sent).min(PIECE) as usize];
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        // It may wait for the disk, which delays the page and no game.
        if let Err(error) = self.file.read_exact_at(&mut piece, self.sent) {
            return Poll::Ready(Some(Err(error)));
        }
        self.sent += piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.sent == self.bytes
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes - self.sent)
    }
}
