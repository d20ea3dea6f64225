//! The program is a thread of the test, at the other ends of the pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};

use arena_core::rules::Move;

use super::*;
use crate::program::broken::Failing;
use crate::program::messages::LINE_BYTES_MAX;

/// Time limit that is not reached.
const LONG: Duration = Duration::from_secs(60);
/// Time limit that is.
const SHORT: Duration = Duration::from_millis(20);
/// By when a test that reaches it must be over.
const LATEST: Duration = Duration::from_secs(5);

/// What the program has.
struct Ends {
    stdin: BufReader<PipeReader>,
    stdout: PipeWriter,
    stderr: PipeWriter,
    /// Dropped when it exits.
    alive: PipeWriter,
}

impl Ends {
    /// Reads a request; empty at the end of the input.
    fn request(&mut self) -> String {
        let mut line = String::new();
        self.stdin.read_line(&mut line).unwrap();
        line
    }

    fn write(&mut self, text: &str) {
        // It may be killed meanwhile.
        let _ = self.stdout.write_all(text.as_bytes());
    }
}

type Program = fn(Ends);

/// Pipes to a `program`.
fn wire(program: impl FnOnce(Ends) + Send + 'static) -> Wire {
    let ((read_in, stdin), (stdout, write_out)) = (io::pipe().unwrap(), io::pipe().unwrap());
    let ((stderr, write_err), (exited, alive)) = (io::pipe().unwrap(), io::pipe().unwrap());
    let ends = Ends { stdin: BufReader::new(read_in), stdout: write_out, stderr: write_err, alive };
    std::thread::spawn(|| program(ends));
    let ours = [stdin.into(), stdout.into(), stderr.into()];
    Wire::new(ours, Some(exited.into()), Arc::new(RulesLog::none())).unwrap()
}

fn position(id: u64) -> String {
    format!("{{\"type\":\"position\",\"id\":{id},\"to_move\":0,\"legal_moves\":[{id}],\"view\":{{}}}}\n")
}

/// The id that an answer of [`position`] was to.
fn id_of(answer: &Answer) -> u64 {
    match answer {
        Answer::Position(position) => match position.offer.moves().to_vec()[..] {
            [Move::Int(id)] => id as u64,
            ref other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

const MOVE: Move = Move::Int(7);

fn apply(id: u64) -> Request<'static> {
    Request::Apply { id, played: &MOVE }
}

fn ask(wire: &mut Wire, id: u64, limit: Duration) -> Result<u64, End> {
    let mut found = None;
    wire.ask(&[apply(id)], limit, |answer| found = Some(id_of(&answer)))?;
    Ok(found.unwrap())
}

/// What happened, as people read it.
fn said(wire: &mut Wire, id: u64, limit: Duration) -> String {
    match ask(wire, id, limit) {
        Ok(id) => panic!("answered {id}"),
        Err(end) => wire.explain(end, Some(&apply(id)), limit, || None).to_string(),
    }
}

#[test]
fn each_request_is_answered_in_order() {
    let mut wire = wire(|mut ends| {
        for id in 1..=3 {
            assert_eq!(ends.request(), format!("{{\"type\":\"apply\",\"id\":{id},\"move\":7}}\n"));
            ends.write(&format!("a stray line\n\n{}", position(id)));
        }
    });
    for id in 1..=3 {
        assert_eq!(ask(&mut wire, id, LONG).unwrap(), id);
    }
    // The last answer was read although the program has exited right after it; the next one will not come.
    // Whether it is seen in writing or in reading.
    assert_eq!(said(&mut wire, 4, LONG).replace("its input", "its output"), "the program closed its output");
}

#[test]
fn requests_written_ahead_block_neither_side() {
    const GAMES: u64 = 3_000;
    let padding = "x".repeat(3_000);
    let mut wire = wire(move |mut ends| {
        // A pipe holds 64 KiB: the answers fill theirs while requests still come.
        for id in 1..=GAMES {
            assert!(ends.request().contains(&format!("\"id\":{id},")));
            ends.write(&position(id).replace("{}", &format!("{{\"x\":\"{padding}\"}}")));
        }
        assert_eq!(ends.request(), "");
    });
    let requests: Vec<Request<'_>> = (1..=GAMES).map(apply).collect();
    let mut next = 1;
    wire.ask(&requests, LONG, |answer| {
        assert_eq!(id_of(&answer), next);
        next += 1;
    })
    .unwrap();
    assert_eq!(next, GAMES + 1);
}

#[test]
fn at_most_32_kib_are_unanswered() {
    let mut wire = wire(|_| ());
    let requests: Vec<Request<'_>> = (1..=3_000).map(apply).collect();
    let first = wire.encode(&requests);
    assert!(first > 500 && wire.outgoing.len() <= AHEAD_BYTES_MAX && wire.unanswered_bytes == wire.outgoing.len());
    assert!(wire.outgoing.len() > AHEAD_BYTES_MAX - 100 && wire.encode(&requests[first..]) == 0);
    let answered = wire.unanswered.pop_front().unwrap();
    wire.unanswered_bytes -= answered;
    assert_eq!(wire.encode(&requests[first..]), 1);
    // One that is longer than all of that goes alone.
    let long = Move::List(vec![1; AHEAD_BYTES_MAX]);
    let long = Request::Apply { id: 1, played: &long };
    assert_eq!(wire.encode(&[long, long]), 0);
    wire.unanswered.clear();
    wire.unanswered_bytes = 0;
    assert_eq!(wire.encode(&[long, long]), 1);
}

#[test]
fn a_program_that_writes_before_it_reads_gets_a_long_request() {
    let mut wire = wire(|mut ends| {
        ends.write(&"a stray line\n".repeat(100_000));
        let _ = ends.stderr.write_all(&vec![b'e'; 300_000]);
        assert!(ends.request().len() > 1 << 20);
        ends.write(&position(1));
    });
    let long = Move::List(vec![1; 1 << 20]);
    let mut found = 0;
    wire.ask(&[Request::Apply { id: 1, played: &long }], LONG, |answer| found = id_of(&answer)).unwrap();
    assert_eq!((found, wire.finish().map(|tail| tail.len())), (1, Some(2_000)));
}

#[test]
fn a_second_answer_breaks_the_next_question() {
    let mut early = wire(|mut ends| {
        ends.request();
        ends.write(&(position(1) + &position(1)));
        ends.request();
    });
    assert_eq!(ask(&mut early, 1, LONG).unwrap(), 1);
    let end = ask(&mut early, 2, LONG).unwrap_err();
    let broken = early.explain(end, Some(&apply(2)), LONG, || None);
    assert_eq!(broken.how, Failing::Mistake(Mistake::Surplus));
    assert_eq!(broken.evidence.last_received.unwrap() + "\n", position(1));
    assert!(broken.evidence.last_sent.unwrap().contains("\"id\":1,"), "it was not sent the next one");

    let mut late = wire(|mut ends| {
        ends.request();
        ends.write(&position(1));
        ends.request();
        ends.write(&position(1));
    });
    assert_eq!(ask(&mut late, 1, LONG).unwrap(), 1);
    assert_eq!(said(&mut late, 2, LONG), "they answer id 2 with id 1");

    // Before the request was written whole.
    let mut before = wire(|mut ends| ends.write(&position(1)));
    let long = Move::List(vec![1; 1 << 20]);
    let end = before.ask(&[Request::Apply { id: 1, played: &long }], LONG, |_| panic!("not answered")).unwrap_err();
    assert!(matches!(end, End::Mistake(Mistake::Surplus) | End::Closed), "{end:?}");
}

#[test]
fn no_output_extends_the_time_limit() {
    let floods: [fn(Ends); 5] = [
        |mut ends| drop(ends.request() + &ends.request()),
        |mut ends| while ends.stdout.write_all(b"a stray line\n").is_ok() {},
        |mut ends| while ends.stderr.write_all(&[b'e'; 10_000]).is_ok() {},
        |mut ends| while ends.stdout.write_all(b"\n").is_ok() {},
        |mut ends| {
            let _ = (ends.request(), ends.stdout.write_all(b"{\"type\":"), ends.request());
        },
    ];
    for (number, flood) in floods.into_iter().enumerate() {
        let begun = now();
        let mut wire = wire(flood);
        let said = said(&mut wire, 1, SHORT);
        assert!(said.starts_with("no answer to `apply` within 20 ms"), "{number}: {said}");
        assert_eq!(said.contains("a line without a newline: {\"type\":"), number == 4, "{number}: {said}");
        assert!(now() - begun < LATEST, "{number}");
    }
}

#[test]
fn an_answer_that_was_not_flushed_is_found_out() {
    let mut wire = wire(|mut ends| {
        ends.request();
        assert_eq!(ends.request(), "", "its input is closed");
        ends.write(&position(1));
    });
    let said = said(&mut wire, 1, SHORT);
    assert!(said.ends_with("so it was slow, or did not flush its output"), "{said}");
}

#[test]
fn a_flood_on_stderr_is_drained_while_an_answer_is_awaited() {
    let mut wire = wire(|mut ends| {
        ends.request();
        let _ = ends.stderr.write_all(&b"0123456789 0123456789\n".repeat(100_000));
        let _ = ends.stderr.write_all(b"Error: at last\n");
        ends.write(&position(1));
        ends.request();
    });
    assert_eq!(ask(&mut wire, 1, LONG).unwrap(), 1);
    assert_eq!(said(&mut wire, 2, LONG), "the program closed its output");
    assert!(wire.finish().unwrap().ends_with("0123456789\nError: at last"));
}

#[test]
fn the_end_of_a_program_is_seen_at_once() {
    let begun = now();
    let ends: [(Program, &str); 5] = [
        (|mut ends| drop(ends.request()), "the program closed its output"),
        (
            |mut ends| ends.write("{\"type\""),
            "the program closed its input; it wrote a line without a newline: {\"type\"",
        ),
        (
            // Its exit, although something else holds its output.
            |Ends { mut stdin, stdout, stderr, alive }| {
                stdin.read_line(&mut String::new()).unwrap();
                drop((stdin, stderr, alive));
                std::mem::forget(stdout);
            },
            "the program closed its output",
        ),
        (
            // Its output, although it is still there.
            |Ends { mut stdin, stdout, stderr, alive }| {
                stdin.read_line(&mut String::new()).unwrap();
                drop(stdout);
                stdin.read_line(&mut String::new()).unwrap();
                drop((stderr, alive));
            },
            "the program closed its output",
        ),
        (
            |mut ends| {
                ends.request();
                ends.write("{}\n");
            },
            "their `message` has no `type`",
        ),
    ];
    for (number, (program, says)) in ends.into_iter().enumerate() {
        let said = said(&mut wire(program), 1, LONG);
        // Whether it is seen in writing or in reading.
        assert_eq!(said.replace("its input", "its output"), says.replace("its input", "its output"), "{number}");
    }
    assert!(now() - begun < LONG / 2);
}

#[test]
fn a_line_that_is_too_long_is_refused_at_once() {
    let mut wire = wire(|mut ends| {
        ends.request();
        while ends.stdout.write_all(b"{{{{{{{{{{").is_ok() {}
    });
    assert_eq!(said(&mut wire, 1, LONG), format!("they write a line longer than {LINE_BYTES_MAX} bytes"));
}

#[test]
fn a_program_that_leaves_is_waited_for_and_read() {
    let mut wire = wire(|mut ends| {
        ends.request();
        ends.write(&position(1));
        assert_eq!(ends.request(), QUIT);
        // Neither keeps it.
        ends.write(&"bye\n".repeat(100_000));
        let _ = ends.stderr.write_all(&vec![b'e'; 300_000]);
        assert_eq!(ends.stdin.read(&mut [0]).unwrap(), 0);
    });
    assert_eq!(ask(&mut wire, 1, LONG).unwrap(), 1);
    let begun = now();
    wire.quit();
    wire.drain(LONG);
    assert!(now() - begun < LONG / 2);
    // One that stays is given up.
    let (read, write) = io::pipe().unwrap();
    let mut stays = self::wire(move |ends| drop((File::from(OwnedFd::from(read)).read(&mut [0]), ends)));
    stays.quit();
    stays.drain(SHORT);
    drop(write);
}
