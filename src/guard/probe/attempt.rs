//! The bot's side of a probe: it reads what to attempt, a line each, and says what came of it.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio};

use rustix::process::Pid;

use crate::guard::GuardProgram;

/// The word for a process that tries to have a `/dev/shm` of its own.
pub(in crate::guard) const OWN_SHM: &str = "own-shm";

/// Be a bot that attempts what it is told (`attempt`), gives lines back (`echo`), or stays for ever in a process group
/// of its own (`stay`), busy (`busy`); or an arena with such a bot (`arena`); or a process that tries what a bot's start
/// may contain (`own-shm`).
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
        // To open it is enough: a pipe of somebody else would keep its reader waiting.
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

/// Starts processes in groups of their own, and lets them go on once all of them are there; says their numbers.
fn leave(count: i32, order: &str) -> io::Result<String> {
    let mut children = Vec::new();
    for _ in 0..count {
        let mut child = Command::new(std::env::current_exe()?)
            .args([crate::guard::COMMAND, order])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // It says when it is in its group.
        if let Some(mut said) = child.stdout.take() {
            said.read_exact(&mut [0])?;
        }
        children.push(child);
    }
    // With them goes what they wait for.
    Ok(children.into_iter().map(|child| child.id().to_string()).collect::<Vec<_>>().join(" "))
}

/// Starts threads that are busy for ever, once all of them are there.
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

/// Sends a word to a socket with a name, by way of one that may be had without asking for it.
fn send(path: &str) -> io::Result<String> {
    let (socket, _other) = std::os::unix::net::UnixDatagram::pair()?;
    socket.send_to(b"word", path)?;
    Ok(String::new())
}

/// Starts processes that start processes, until that is refused.
fn bomb() -> io::Result<String> {
    loop {
        Command::new(std::env::current_exe()?)
            .args([crate::guard::COMMAND, "bomb"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
    }
}

/// Is busy for ever in a group of its own.
fn busy() -> io::Result<()> {
    let _ = rustix::process::setpgid(None, None);
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    // Until all of them are there.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    spin();
    Ok(())
}

fn stay() -> io::Result<()> {
    // A sandbox lets nobody have a session of its own.
    rustix::process::setpgid(None, None)?;
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    loop {
        rustix::event::pause();
    }
}
