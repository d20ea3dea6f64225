//! The test bot: it reads orders, one per line, and answers each with its result.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio};

use rustix::process::Pid;

use crate::guard::GuardProgram;

/// The order to try to get a `/dev/shm` of its own.
pub(in crate::guard) const OWN_SHM: &str = "own-shm";

/// Runs as a test bot that carries out orders (`attempt`), echoes lines (`echo`), or stays in a process group of its own,
/// idle (`stay`) or busy (`busy`); as an arena with such a bot (`arena`); or as a process that tries a step of a bot's start
/// (`own-shm`).
pub(in crate::guard) fn attempt(order: &str, itself: &GuardProgram) -> io::Result<()> {
    let argument = |number| std::env::args().nth(number).unwrap_or_default();
    match order {
        "arena" => super::attack::be_arena(itself, &argument(3), &argument(4)),
        "attempt" => answer_lines(&mut |line| match carry_out(line) {
            Ok(text) => format!("done {text}"),
            Err(error) => format!("denied {error}"),
        }),
        "echo" => answer_lines(&mut str::to_owned),
        "stay" => stay(),
        "busy" => busy(),
        "bomb" => bomb().map(drop),
        OWN_SHM => crate::guard::try_own_shm(),
        _ => Err(io::Error::other("no such order")),
    }
}

fn answer_lines(answer: &mut dyn FnMut(&str) -> String) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let mut text = answer(&line?);
        text.push('\n');
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

fn carry_out(order: &str) -> io::Result<String> {
    let (word, argument) = order.split_once(' ').unwrap_or((order, ""));
    let number = || argument.parse::<i32>().map_err(io::Error::other);
    match word {
        // Opening it is enough: reading from another process's pipe could block.
        "read" => File::open(argument).map(|_| String::new()),
        "write" => File::options().append(true).create(true).open(argument).map(|_| String::new()),
        "close" => {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(argument, PermissionsExt::from_mode(0o000))?;
            Ok(String::new())
        }
        "signal" => {
            let pid = Pid::from_raw(number()?).ok_or_else(|| io::Error::other("no such number"))?;
            rustix::process::test_kill_process(pid)?;
            Ok(String::new())
        }
        "connect" => {
            use rustix::net::{AddressFamily, SocketType, socket};
            socket(AddressFamily::INET, SocketType::STREAM, None)?;
            Ok(String::new())
        }
        "hold" => {
            let mut held: Vec<u8> = Vec::new();
            held.try_reserve_exact(number()? as usize * 1024 * 1024).map_err(io::Error::other)?;
            held.resize(held.capacity(), 1);
            Ok(std::hint::black_box(&held).len().to_string())
        }
        "send" => send(argument),
        "leave" => leave(number()?, "stay"),
        "spin" => leave(number()?, "busy"),
        "thread" => threads(number()?),
        "bomb" => bomb(),
        _ => Err(io::Error::other("no such order")),
    }
}

/// Starts processes in groups of their own, and releases them once all have started; returns their numbers.
fn leave(count: i32, order: &str) -> io::Result<String> {
    let mut children = Vec::new();
    for _ in 0..count {
        let mut child = Command::new(std::env::current_exe()?)
            .args([crate::guard::COMMAND, order])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // It writes a byte once it is in its group.
        if let Some(mut said) = child.stdout.take() {
            said.read_exact(&mut [0])?;
        }
        children.push(child);
    }
    // Dropping them closes the pipes that they wait on.
    Ok(children.into_iter().map(|child| child.id().to_string()).collect::<Vec<_>>().join(" "))
}

/// Starts threads that are busy forever once all have started.
fn threads(count: i32) -> io::Result<String> {
    let gate = std::sync::Arc::new(std::sync::RwLock::new(()));
    let shut = gate.write().map_err(|_| io::Error::other("a lock of our own is broken"))?;
    for _ in 0..count {
        let gate = std::sync::Arc::clone(&gate);
        std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
            drop(gate.read());
            spin();
        })?;
    }
    drop(shut);
    Ok(count.to_string())
}

fn spin() {
    loop {
        std::hint::spin_loop();
    }
}

/// Sends to a named socket from one half of a socket pair, for which no `socket` call is needed.
fn send(path: &str) -> io::Result<String> {
    let (socket, _other) = std::os::unix::net::UnixDatagram::pair()?;
    socket.send_to(b"word", path)?;
    Ok(String::new())
}

/// A fork bomb: starts processes that do the same, until that is refused.
fn bomb() -> io::Result<String> {
    loop {
        Command::new(std::env::current_exe()?)
            .args([crate::guard::COMMAND, "bomb"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
    }
}

/// Is busy forever in a group of its own.
fn busy() -> io::Result<()> {
    let _ = rustix::process::setpgid(None, None);
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    // Until all have started.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    spin();
    Ok(())
}

fn stay() -> io::Result<()> {
    // Not a session: a sandbox refuses that.
    rustix::process::setpgid(None, None)?;
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    loop {
        rustix::event::pause();
    }
}
