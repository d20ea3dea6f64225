//! The test bot: it reads orders, one per line, and answers each with its result.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::ProbeFailed;
use crate::{COMMAND, GuardProgram};

/// The order to try to get a `/dev/shm` of its own: its exit status tells whether the system allows that.
const OWN_SHM: &str = "own-shm";

/// Runs as a test bot that carries out orders (`attempt`), echoes lines (`echo`), or stays in a process group of its own,
/// idle (`stay`) or busy (`busy`); as an arena with such a bot (`arena`); or as a process that tries a step of a bot's start
/// (`own-shm`).
pub(crate) fn attempt(order: &str, itself: &GuardProgram) -> Result<(), ProbeFailed> {
    let argument = |number| std::env::args().nth(number).unwrap_or_default();
    match order {
        "arena" => return super::attack::be_arena(itself, &argument(3), &argument(4)),
        "attempt" => answer_lines(|line| match carry_out(line) {
            Ok(()) => "done".to_owned(),
            Err(error) => format!("denied {error}"),
        })?,
        "echo" => answer_lines(str::to_owned)?,
        "stay" => stay(rustix::event::pause)?,
        "busy" => stay(std::hint::spin_loop)?,
        "bomb" => bomb()?,
        OWN_SHM => crate::try_own_shm()?,
        _ => return Err("no such order".into()),
    }
    Ok(())
}

fn answer_lines(answer: impl Fn(&str) -> String) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(stdout, "{}", answer(&line?))?;
    }
    Ok(())
}

fn carry_out(order: &str) -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketType, socket};
    let (word, argument) = order.split_once(' ').unwrap_or((order, ""));
    let number = || argument.parse::<i32>().map_err(io::Error::other);
    match word {
        // Opening it is enough: reading from another process's pipe could block.
        "read" => drop(File::open(argument)?),
        "write" => drop(File::options().append(true).create(true).open(argument)?),
        "close" => std::fs::set_permissions(argument, PermissionsExt::from_mode(0o000))?,
        "signal" => {
            let pid = Pid::from_raw(number()?).ok_or_else(|| io::Error::other("no such number"))?;
            rustix::process::test_kill_process(pid)?;
        }
        "connect" => drop(socket(AddressFamily::INET, SocketType::STREAM, None)?),
        "send" => {
            // From one half of a socket pair, for which no `socket` call is needed.
            let (socket, _other) = UnixDatagram::pair()?;
            socket.send_to(b"word", argument)?;
        }
        "hold" => {
            let mut held: Vec<u8> = Vec::new();
            held.try_reserve_exact(number()? as usize * 1024 * 1024).map_err(io::Error::other)?;
            held.resize(held.capacity(), 1);
            std::hint::black_box(&held);
        }
        "leave" => leave(number()?, "stay")?,
        "spin" => leave(number()?, "busy")?,
        "thread" => threads(number()?)?,
        "bomb" => bomb()?,
        _ => return Err(io::Error::other("no such order")),
    }
    Ok(())
}

/// Starts processes in groups of their own, and releases them once all have started.
fn leave(count: i32, order: &str) -> io::Result<()> {
    let mut children = Vec::new();
    for _ in 0..count {
        let mut child = itself(order)?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        // It writes a byte once it is in its group.
        if let Some(mut said) = child.stdout.take() {
            said.read_exact(&mut [0])?;
        }
        children.push(child);
    }
    // Dropping them closes the pipes that they wait on.
    Ok(())
}

/// This program, started again with an order.
fn itself(order: &str) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([COMMAND, order]);
    Ok(command)
}

/// Starts threads that are busy forever once all have started.
fn threads(count: i32) -> io::Result<()> {
    // All are released by one call: where each released the next, as at a barrier, the busy ones would hold up the others.
    let gate = std::sync::Arc::new(std::sync::RwLock::new(()));
    let shut = gate.write().map_err(|_| io::Error::other("internal lock poisoned"))?;
    for _ in 0..count {
        let gate = std::sync::Arc::clone(&gate);
        std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
            drop(gate.read());
            loop {
                std::hint::spin_loop();
            }
        })?;
    }
    drop(shut);
    Ok(())
}

/// A fork bomb: starts processes that do the same, until that is refused.
fn bomb() -> io::Result<()> {
    loop {
        itself("bomb")?.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    }
}

/// Stays in a group of its own, not a session, which a sandbox refuses; does `what` forever once its input is closed.
fn stay(what: fn()) -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    loop {
        what();
    }
}
