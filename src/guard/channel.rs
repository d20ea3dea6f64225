//! The socket between referee and guard: one message, one packet, each with a size limit and, if need be, descriptors.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest message: a request with a long environment. What a socket buffers by default is more.
pub(super) const MESSAGE_BYTES_MAX: usize = 128 * 1024;
/// Longest report: it has no text of ours longer than a path.
pub(super) const REPORT_BYTES_MAX: usize = 16 * 1024;
/// Most descriptors that travel with a message.
const FDS_MAX: usize = 3;

/// A message that arrived.
pub(super) enum Received<T> {
    /// A message and the descriptors that came with it.
    Message(T, Vec<OwnedFd>),
    /// The other side is gone.
    Closed,
    /// There is nothing, and waiting was not asked for.
    Nothing,
}

/// Two connected sockets that keep messages apart and are inherited by nobody.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

pub(super) fn send(socket: BorrowedFd<'_>, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = serde_json::to_vec(message).map_err(io::Error::other)?;
    if bytes.len() > MESSAGE_BYTES_MAX {
        return Err(io::Error::other(format!(
            "arguments, environment and paths of {} bytes; at most {MESSAGE_BYTES_MAX} fit",
            bytes.len()
        )));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many descriptors for one message"));
    }
    rustix::io::retry_on_intr(|| sendmsg(socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL))?;
    Ok(())
}

/// Receives one message of up to `bytes_max`; waits for it if `wait`.
pub(super) fn receive<T: DeserializeOwned>(
    socket: BorrowedFd<'_>,
    bytes_max: usize,
    wait: bool,
) -> io::Result<Received<T>> {
    let mut bytes = vec![0; bytes_max];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | if wait { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
    let received =
        rustix::io::retry_on_intr(|| recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags));
    let received = match received {
        Ok(received) => received,
        Err(Errno::AGAIN) => return Ok(Received::Nothing),
        Err(Errno::CONNRESET) => return Ok(Received::Closed),
        Err(error) => return Err(error.into()),
    };
    let mut fds = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if received.bytes == 0 {
        return Ok(Received::Closed);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::other("a message was cut"));
    }
    let message = serde_json::from_slice(&bytes[..received.bytes]).map_err(io::Error::other)?;
    Ok(Received::Message(message, fds))
}
