//! A connection that fails once its other end has taken nothing for too long.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// A connection with a limit for a write that makes no progress.
pub(super) struct Connection {
    stream: TcpStream,
    limit: Duration,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(super) const fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, stalled: None }
    }

    /// The outcome of a write, or an error if it has waited too long.
    fn watched(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        stalled.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, to)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::net::TcpListener;

    use super::*;

    static PIECE: [u8; 1 << 16] = [7; 1 << 16];

    /// A connection with this limit, and its other end.
    async fn connected(limit: Duration) -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let viewer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Connection::new(listener.accept().await.unwrap().0, limit), viewer)
    }

    async fn write(connection: &mut Connection) -> io::Result<usize> {
        poll_fn(|context| Pin::new(&mut *connection).poll_write(context, &PIECE)).await
    }

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    #[test]
    fn a_viewer_who_stops_reading_is_given_up() {
        run(async {
            let (mut connection, viewer) = connected(Duration::from_millis(20)).await;
            let error = loop {
                if let Err(error) = write(&mut connection).await {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            drop(viewer);
        });
    }

    #[test]
    fn a_viewer_who_reads_gets_everything() {
        run(async {
            let (mut connection, viewer) = connected(Duration::from_secs(1_000)).await;
            let reader = tokio::spawn(async move {
                let (mut total, mut bytes) = (0, vec![0; 1 << 16]);
                loop {
                    viewer.readable().await.unwrap();
                    match viewer.try_read(&mut bytes) {
                        Ok(0) => break total,
                        Ok(count) => total += count,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                    }
                }
            });
            // More than both ends can buffer.
            let mut sent = 0;
            while sent < 32 << 20 {
                sent += write(&mut connection).await.unwrap();
            }
            drop(connection);
            assert_eq!(reader.await.unwrap(), sent);
        });
    }
}
