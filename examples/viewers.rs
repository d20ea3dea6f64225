//! Loads a live page with viewers, and says what they cost.
//!
//!     arena tournament --rounds 2000 --serve 127.0.0.1:8123 &
//!     cargo run --release --example viewers -- 127.0.0.1:8123 $! 1000 500 10
//!
//! Arguments: where the page is, the process that serves it, the number of viewers, how many of them never read, and for
//! how many seconds. Prints the processor time of the thread `live`, the memory of the process before and with the
//! viewers, and how much later than the first viewer the last one got the same frame.

#![expect(clippy::print_stdout, reason = "a load test prints")]
#![expect(clippy::disallowed_methods, reason = "a load test reads the clock")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// Ticks of processor time a second, as /proc counts them.
const TICKS: f64 = 100.0;

/// When the first and the last viewer got a frame, by its bytes.
type Seen = Rc<RefCell<HashMap<Vec<u8>, [Instant; 2]>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, pid, viewers, silent, seconds] = &args[..] else {
        return Err("usage: viewers ADDR:PORT PID VIEWERS SILENT SECONDS".into());
    };
    let (viewers, silent, seconds): (usize, usize, u64) = (viewers.parse()?, silent.parse()?, seconds.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let memory = [resident_kib(pid)?, load(address, pid, viewers, silent, seconds).await?];
        let each = memory[1].saturating_sub(memory[0]) as f64 / viewers as f64;
        println!("memory: {} KiB before, {} KiB with viewers, {each:.1} KiB each", memory[0], memory[1]);
        Ok(())
    })
}

/// Connects all, lets them watch, and returns the memory then.
async fn load(address: &str, pid: &str, viewers: usize, silent: usize, seconds: u64) -> Result<u64, Box<dyn Error>> {
    let (seen, mut idle, mut refused) = (Seen::default(), Vec::new(), 0);
    for index in 0..viewers {
        let stream = TcpStream::connect(address).await?;
        let request = format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        if stream.try_write(request.as_bytes())? != request.len() {
            return Err("a request was not taken whole".into());
        }
        let status = first_bytes(&stream).await?;
        if !status.ends_with(b" 200") {
            refused += 1;
        } else if index < silent {
            idle.push(stream);
        } else {
            tokio::task::spawn_local(watch(stream, status.to_vec(), Rc::clone(&seen)));
        }
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    seen.borrow_mut().clear();
    let (ticks, begun) = (live_ticks(pid)?, Instant::now());
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let (spent, elapsed) = ((live_ticks(pid)? - ticks) as f64 / TICKS, begun.elapsed().as_secs_f64());
    let mut lags: Vec<Duration> = seen.borrow().values().map(|[first, last]| *last - *first).collect();
    lags.sort();
    println!("{viewers} viewers, {silent} of them silent, {refused} refused; {elapsed:.1} s");
    println!("thread live: {:.1} % of a processor", 100.0 * spent / elapsed);
    let lag = |share: usize| lags.get((lags.len() * share / 100).min(lags.len().saturating_sub(1)));
    println!("{} frames; the last viewer after the first: median {:?}, worst {:?}", lags.len(), lag(50), lag(100));
    drop(idle);
    resident_kib(pid)
}

/// What a response begins with, such as `HTTP/1.1 200`.
async fn first_bytes(stream: &TcpStream) -> Result<[u8; 12], Box<dyn Error>> {
    let (mut bytes, mut count) = ([0; 12], 0);
    while count < bytes.len() {
        stream.readable().await?;
        match stream.try_read(&mut bytes[count..]) {
            Ok(0) => return Err("the connection was closed without a response".into()),
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

/// Reads as fast as it can, and notes when each event was complete. `unread` was read before.
async fn watch(stream: TcpStream, mut unread: Vec<u8>, seen: Seen) {
    let mut bytes = vec![0; 16 * 1024];
    while stream.readable().await.is_ok() {
        match stream.try_read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => unread.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            Err(_) => break,
        }
        while let Some(end) = unread.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = unread.drain(..end + 2).collect();
            if event.windows(12).any(|word| word == b"event: state") {
                let now = Instant::now();
                seen.borrow_mut().entry(event).or_insert([now; 2])[1] = now;
            }
        }
    }
}

/// Processor time of the thread `live`.
fn live_ticks(pid: &str) -> Result<u64, Box<dyn Error>> {
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let stat = fs::read_to_string(task?.path().join("stat"))?;
        if let Some((_, fields)) = stat.split_once("(live) ") {
            let field = |index: usize| fields.split(' ').nth(index).and_then(|ticks| ticks.parse::<u64>().ok());
            return Ok(field(11).unwrap_or(0) + field(12).unwrap_or(0));
        }
    }
    Err("the process has no thread `live`".into())
}

fn resident_kib(pid: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
