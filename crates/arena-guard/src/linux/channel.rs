//! The socket between referee and guard. It carries the order, in parts, then reports, one packet each; all have a size
//! limit, and may come with descriptors.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest order: a request with all that a bot may read, where a folder with hidden parts is named file by file.
const ORDER_BYTES_MAX: usize = 4 << 20;
/// Size of a part of an order; less than a socket buffers by default.
const PART_BYTES_MAX: usize = 64 << 10;
/// Longest report: its longest text is a path.
const REPORT_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of descriptors in a message.
const FDS_MAX: usize = 4;

/// Two connected sockets that keep message boundaries and are closed on exec.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

pub(super) fn send(socket: BorrowedFd<'_>, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    send_bytes(socket, &serde_json::to_vec(message)?, fds)
}

/// Sends a message of up to [`ORDER_BYTES_MAX`]: its length with the descriptors, then its parts. Waits until `limit` for the
/// other side to read them, then fails with `WouldBlock`.
pub(super) fn send_order(
    socket: BorrowedFd<'_>,
    message: &impl Serialize,
    fds: &[BorrowedFd<'_>],
    limit: Instant,
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    let length = bytes.len();
    if length > ORDER_BYTES_MAX {
        let says = format!("arguments, environment and paths of {length} bytes; at most {ORDER_BYTES_MAX} fit");
        return Err(io::Error::new(io::ErrorKind::ArgumentListTooLong, says));
    }
    let send = |bytes: &[u8], fds: &[BorrowedFd<'_>]| {
        /// Zero would mean no timeout.
        const LEAST: Duration = Duration::from_millis(1);
        let left = limit.saturating_duration_since(super::now()).max(LEAST);
        set_socket_timeout(socket, Timeout::Send, Some(left))?;
        send_bytes(socket, bytes, fds)
    };
    send(&(length as u64).to_le_bytes(), fds)?;
    bytes.chunks(PART_BYTES_MAX).try_for_each(|part| send(part, &[]))
}

fn send_bytes(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many descriptors for one message"));
    }
    rustix::io::retry_on_intr(|| sendmsg(socket, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL))?;
    Ok(())
}

/// Receives what [`send_order`] has sent.
pub(super) fn receive_order<T: DeserializeOwned>(socket: BorrowedFd<'_>) -> io::Result<(T, Vec<OwnedFd>)> {
    let receive = || receive_bytes(socket, PART_BYTES_MAX, RecvFlags::empty());
    let (length, fds) = receive()?;
    let length = length.try_into().map(u64::from_le_bytes).map_err(|_| io::Error::other("malformed order"))?;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        bytes.extend(receive()?.0);
    }
    Ok((serde_json::from_slice(&bytes)?, fds))
}

/// Receives a report; fails with `WouldBlock` if there is none.
pub(super) fn receive<T: DeserializeOwned>(socket: BorrowedFd<'_>) -> io::Result<(T, Vec<OwnedFd>)> {
    let (bytes, fds) = receive_bytes(socket, REPORT_BYTES_MAX, RecvFlags::DONTWAIT)?;
    Ok((serde_json::from_slice(&bytes)?, fds))
}

/// Receives one packet of up to `bytes_max`, with its descriptors.
fn receive_bytes(socket: BorrowedFd<'_>, bytes_max: usize, flags: RecvFlags) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut bytes = vec![0; bytes_max];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let received =
        rustix::io::retry_on_intr(|| recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags))?;
    let mut fds = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if received.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::other("truncated message"));
    }
    bytes.truncate(received.bytes);
    Ok((bytes, fds))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn sending_an_order_does_not_wait_for_a_guard_that_is_gone_or_stuck() {
        let order = "x".repeat(ORDER_BYTES_MAX / 2);
        let send = |socket: &OwnedFd| send_order(socket.as_fd(), &order, &[], super::super::now()).unwrap_err().kind();
        let (ours, theirs) = pair().unwrap();
        // The other side reads nothing, and the time is up.
        assert_eq!(send(&ours), io::ErrorKind::WouldBlock);
        drop(theirs);
        assert_eq!(send(&ours), io::ErrorKind::ConnectionReset);
        assert_eq!(send(&ours), io::ErrorKind::BrokenPipe);
    }
}
