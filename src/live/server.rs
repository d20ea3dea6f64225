//! The server: connections, and their limits.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{IpAddr, TcpListener as Listener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::net::Shutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::connection::Connection;
use super::painter::paint;
use super::routes::{harden, is_for_us, misdirected};
use super::site::{Site, answer};
use super::{Closing, LiveSettings, LiveShared, Patience};

/// Maximum size of the head of a request, which is also the buffer of a connection in this process.
const HEAD_MAX: usize = 8 * 1024;
/// Connections that are refused at once; others wait in the kernel's queue.
const REFUSED_MAX: usize = 32;
/// How long a refused viewer may take to read why.
const REFUSAL: Duration = Duration::from_secs(1);
/// Answer to one viewer too many.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\ncontent-type: text/plain\r\n\
    content-length: 37\r\nconnection: close\r\n\r\ntoo many viewers; try again in 10 s\r\n";
/// Pause after a failure to accept, such as a shortage of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves the page until it is over.
pub(super) async fn run(shared: &Arc<LiveShared>, listener: Listener) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let LiveSettings { address, connections, patience, .. } = shared.settings;
    let seats = Arc::new(Semaphore::new(connections));
    let server = Server { site: Arc::clone(shared), asked: address.ip(), patience, seats };
    let mut closing = shared.closing.subscribe();
    let painted = async {
        let has_report = paint(shared).await;
        // The last frame is there before the server is closed politely.
        let _ = closing.wait_for(|closing| *closing != Closing::No).await;
        farewell(shared, &server.seats, has_report).await;
    };
    let mut closing = shared.closing.subscribe();
    tokio::select! {
        () = server.accept(&listener) => {}
        () = painted => {}
        _ = closing.wait_for(|closing| *closing == Closing::AtOnce) => {}
    }
}

/// Waits until viewers have taken the last frame, and the report if there is one.
async fn farewell(shared: &LiveShared, seats: &Semaphore, has_report: bool) {
    let all_left = async {
        let is_viewed = || seats.available_permits() < shared.settings.connections;
        while is_viewed() || has_report && shared.reports_due.load(Ordering::Relaxed) > 0 {
            sleep(PAUSE).await;
        }
    };
    let _ = timeout(shared.settings.patience.farewell, all_left).await;
}

/// What is served, and the limits of it.
pub(super) struct Server<S> {
    pub(super) site: S,
    /// The address that was asked for.
    pub(super) asked: IpAddr,
    pub(super) patience: Patience,
    /// One for each connection.
    pub(super) seats: Arc<Semaphore>,
}

impl<S: Site> Server<S> {
    /// Accepts connections for ever.
    pub(super) async fn accept(&self, listener: &TcpListener) {
        let refused = Arc::new(Semaphore::new(REFUSED_MAX));
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            if let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() {
                tokio::spawn(serve(self.site.clone(), self.asked, self.patience, stream, seat));
            } else if let Ok(place) = Arc::clone(&refused).acquire_owned().await {
                tokio::spawn(refuse(stream, place));
            }
        }
    }
}

/// Says that there are too many viewers. What the viewer sends is read first, since closing a connection with unread bytes
/// would discard the answer.
async fn refuse(stream: TcpStream, _place: OwnedSemaphorePermit) {
    // A new connection has room for it.
    let said = stream.try_write(BUSY).is_ok() && rustix::net::shutdown(&stream, Shutdown::Write).is_ok();
    let _ = timeout(REFUSAL, async {
        let mut rest = [0; 1024];
        while said && stream.readable().await.is_ok() {
            match stream.try_read(&mut rest) {
                Ok(1..) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
    })
    .await;
}

/// Answers the one request of a connection.
async fn serve(site: impl Site, asked: IpAddr, patience: Patience, stream: TcpStream, _seat: OwnedSemaphorePermit) {
    let Ok(reached) = stream.local_addr() else { return };
    // Frames are whole; there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    // A socket for both kinds of addresses has those of IPv4 inside those of IPv6; browsers write them plainly.
    let own = [asked, reached.ip().to_canonical()];
    let service = service_fn(move |request: Request<Incoming>| {
        let site = site.clone();
        async move {
            let (request, _body) = request.into_parts();
            let mut response = if is_for_us(&request.headers, own) {
                answer(&site, &request.method, request.uri.path()).await
            } else {
                misdirected()
            };
            harden(response.headers_mut());
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(HEAD_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(Connection::new(stream, patience.stall)), service);
    // A viewer who leaves is no error.
    let _ = connection.await;
}
