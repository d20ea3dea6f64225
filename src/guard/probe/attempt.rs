//! The bot's side of a probe: it reads what to attempt, a line each, and says what came of it.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, ExitCode, Stdio};

use rustix::process::Pid;

/// Be a bot that attempts what it is told (`attempt`), gives lines back (`echo`), or stays for ever in a process group of
/// its own (`stay`).
#[must_use]
pub fn attempt(order: &str) -> ExitCode {
    let done = match order {
        "attempt" => answer_lines(&mut |line| match carry_out(line) {
            Ok(text) => format!("done {text}"),
            Err(error) => format!("denied {error}"),
        }),
        "echo" => answer_lines(&mut str::to_owned),
        "stay" => stay(),
        _ => return ExitCode::FAILURE,
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
        #[cfg(target_os = "linux")]
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
        "leave" => leave(number()?),
        _ => Err(io::Error::other("no such order")),
    }
}

/// Starts processes in groups of their own; says their numbers.
fn leave(count: i32) -> io::Result<String> {
    let mut pids = Vec::new();
    for _ in 0..count {
        let child = Command::new(std::env::current_exe()?)
            .args([crate::guard::COMMAND, "stay"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        pids.push(child.id().to_string());
        // It says when it is in its group.
        if let Some(mut said) = child.stdout {
            said.read_exact(&mut [0])?;
        }
    }
    Ok(pids.join(" "))
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
