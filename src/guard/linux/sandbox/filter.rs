//! A filter of system calls as the kernel wants it: a small program that looks at a call's number and arguments.
//!
//! ADVICE TO THE NEXT EDITOR: when a filter is installed, the kernel runs it once for each of its calls, twice over. A
//! plain list of comparisons, as compilers of such filters make, took 0.25 ms of every start; the tree below takes a
//! tenth of it, and where many pieces share an answer it takes less. Keep it short: a step is 0.15 µs of every start.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{SeccompAction, sock_filter};

/// Numbers of this size are those of programs with short pointers on `x86_64`: the same calls once more.
const X32_BIT: u32 = 0x4000_0000;

/// What happens to a call.
///
/// All but [`Rule::NullOnly`] and the second argument of [`Rule::NotPairs`] look at the low half of an argument: the kernel
/// takes those as numbers of 32 bits or less and drops the rest, so that a rule that looked further could be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Allow,
    Refuse,
    /// «There is no such call.»
    Absent,
    /// It does nothing and says that it worked.
    Ignored,
    /// Allowed if this argument is 0 or the caller's own number.
    OwnOnly(u8),
    /// Allowed if the first argument has none of these bits.
    Without(u32),
    /// Allowed unless the argument has one of these bits.
    NoneOf {
        argument: u8,
        bits: u32,
        says: i32,
    },
    /// Allowed unless the argument is one of these.
    Except {
        argument: u8,
        values: &'static [u32],
        says: i32,
    },
    /// Allowed if the first argument is one of these.
    OneOf(&'static [u32]),
    /// Allowed unless the first argument is that of a pair, and the second one is, too, in all its bits; without a second
    /// one whatever that is.
    NotPairs(&'static [(u32, Option<u32>)]),
    /// Allowed if the argument is null in all its bits.
    NullOnly(u8),
    /// Allowed if the first argument is this family and the second, without flags, one of two kinds.
    Sockets {
        family: u32,
        kinds: [u32; 2],
    },
    /// Allowed unless it makes a file with a set-id bit; without flags it always makes one.
    NoSetId {
        flags: Option<u8>,
        mode: u8,
    },
    /// Allowed if the second argument is a request of this kind, as those of `ioctl` are numbered.
    OnlyKind(u8),
}

/// The filter for the process numbered `me`.
pub(super) fn program(rules: &BTreeMap<u32, Rule>, me: u32) -> io::Result<Vec<sock_filter>> {
    // From where on which rule holds: every number belongs to one piece.
    let mut pieces = vec![(0, Rule::Allow)];
    for (&call, &rule) in rules {
        match pieces.last_mut() {
            Some((from, last)) if *from == call => *last = rule,
            Some((_, last)) if *last == rule => {}
            _ => pieces.push((call, rule)),
        }
        pieces.push((call + 1, Rule::Allow));
    }
    pieces.push((X32_BIT, Rule::Absent));
    let arch = match std::env::consts::ARCH {
        "x86_64" => 0xC000_003E,
        "aarch64" => 0xC000_00B7,
        other => {
            let says = format!("no list of system calls for {other}");
            return Err(io::Error::new(io::ErrorKind::Unsupported, says));
        }
    };
    let mut program = vec![
        load(ARCH_OFFSET),
        jump(IF_EQUAL, arch, 1, 0),
        // Calls of another kind of program have other numbers.
        ret(SeccompAction::KillProcess),
        load(NUMBER_OFFSET),
    ];
    program.extend(search(&pieces, me));
    Ok(program)
}

/// Finds the piece that a number belongs to by halving, and does as its rule says.
fn search(pieces: &[(u32, Rule)], me: u32) -> Vec<sock_filter> {
    let (to, steps) = halve(pieces, me);
    if let To::Answer(says) = to {
        return vec![answer(says)];
    }
    if let Some(program) = with_answers(steps) {
        return program;
    }
    // Each half with answers of its own, which are near enough then.
    let (low, high) = pieces.split_at(pieces.len() / 2);
    let below = search(low, me);
    let mut program = match u8::try_from(below.len()) {
        Ok(over) => vec![jump(IF_AT_LEAST, high[0].0, over, 0)],
        Err(_) => vec![jump(IF_AT_LEAST, high[0].0, 0, 1), skip(below.len() as u32)],
    };
    program.extend(below);
    program.extend(search(high, me));
    program
}

/// A step of the search, before it is known how far away the answers are.
enum Step {
    Plain(sock_filter),
    /// Where numbers go from here on, and where those below.
    Split {
        from: u32,
        high: To,
        low: To,
    },
}

/// Where a step leads.
#[derive(Clone, Copy)]
enum To {
    /// Over so many steps.
    Over(usize),
    /// To this answer, which many share.
    Answer(u32),
}

/// The steps of a search, and where it begins.
fn halve(pieces: &[(u32, Rule)], me: u32) -> (To, Vec<Step>) {
    if let [(_, rule)] = pieces {
        let steps = act(*rule, me);
        return match steps.as_slice() {
            [answer] => (To::Answer(answer.k), Vec::new()),
            _ => (To::Over(0), steps.into_iter().map(Step::Plain).collect()),
        };
    }
    let (low, high) = pieces.split_at(pieces.len() / 2);
    let from = high[0].0;
    let (low, below) = halve(low, me);
    let (high, above) = halve(high, me);
    let high = if let To::Over(_) = high { To::Over(below.len()) } else { high };
    let steps = [Step::Split { from, high, low }].into_iter().chain(below).chain(above);
    (To::Over(0), steps.collect())
}

/// The steps with the answers behind them; nothing if these are too far for a condition.
fn with_answers(steps: Vec<Step>) -> Option<Vec<sock_filter>> {
    let mut answers = Vec::new();
    let mut program = Vec::new();
    let count = steps.len();
    for (at, step) in steps.into_iter().enumerate() {
        let mut over = |to| {
            u8::try_from(match to {
                To::Over(steps) => steps,
                To::Answer(says) => {
                    let known = answers.iter().position(|known| *known == says);
                    let index = known.unwrap_or_else(|| {
                        answers.push(says);
                        answers.len() - 1
                    });
                    count - (at + 1) + index
                }
            })
            .ok()
        };
        program.push(match step {
            Step::Plain(step) => step,
            Step::Split { from, high, low } => jump(IF_AT_LEAST, from, over(high)?, over(low)?),
        });
    }
    program.extend(answers.into_iter().map(answer));
    Some(program)
}

fn act(rule: Rule, me: u32) -> Vec<sock_filter> {
    let allow = ret(SeccompAction::Allow);
    let refuse = refuse(libc::EPERM);
    match rule {
        Rule::Allow => vec![allow],
        Rule::Refuse => vec![refuse],
        Rule::Absent => vec![self::refuse(libc::ENOSYS)],
        Rule::Ignored => vec![self::refuse(0)],
        Rule::OwnOnly(argument) => is_one_of(argument, &[0, me], allow, refuse),
        Rule::Without(bits) => vec![load_low(0), jump(IF_ANY_BIT, bits, 0, 1), refuse, allow],
        Rule::NoneOf { argument, bits, says } => {
            vec![load_low(argument), jump(IF_ANY_BIT, bits, 0, 1), self::refuse(says), allow]
        }
        Rule::Except { argument, values, says } => is_one_of(argument, values, self::refuse(says), allow),
        Rule::OneOf(values) => is_one_of(0, values, allow, refuse),
        Rule::NotPairs(pairs) => {
            let mut steps: Vec<_> = pairs.iter().flat_map(|pair| refuse_pair(*pair)).collect();
            steps.push(allow);
            steps
        }
        Rule::NullOnly(argument) => vec![
            load_low(argument),
            jump(IF_EQUAL, 0, 0, 2),
            load_high(argument),
            jump(IF_EQUAL, 0, 1, 0),
            refuse,
            allow,
        ],
        Rule::Sockets { family, kinds: [kind, other] } => vec![
            load_low(0),
            jump(IF_EQUAL, family, 0, 4),
            load_low(1),
            and(SOCKET_KINDS),
            jump(IF_EQUAL, kind, 2, 0),
            jump(IF_EQUAL, other, 1, 0),
            refuse,
            allow,
        ],
        Rule::NoSetId { flags, mode } => {
            let makes = flags.map(|flags| [load_low(flags), jump(IF_ANY_BIT, MAKES_A_FILE, 0, 3)]);
            let mut steps: Vec<_> = makes.into_iter().flatten().collect();
            steps.extend([load_low(mode), jump(IF_ANY_BIT, SET_ID, 0, 1), refuse, allow]);
            steps
        }
        Rule::OnlyKind(kind) => {
            let request = jump(IF_EQUAL, u32::from(kind) << KIND_SHIFT, 1, 0);
            vec![load_low(1), and(KIND_MASK), request, refuse, allow]
        }
    }
}

/// Does one thing or the other, by whether the argument is one of these.
fn is_one_of(argument: u8, values: &[u32], then: sock_filter, otherwise: sock_filter) -> Vec<sock_filter> {
    // Over those that are left, and what is done if it is none of them.
    let equal = values.iter().zip((1..=values.len() as u8).rev()).map(|(value, over)| jump(IF_EQUAL, *value, over, 0));
    [load_low(argument)].into_iter().chain(equal).chain([otherwise, then]).collect()
}

/// Refuses if the first two arguments are these, and else goes on after it.
fn refuse_pair((first, second): (u32, Option<u32>)) -> Vec<sock_filter> {
    let refuse = refuse(libc::EPERM);
    let Some(second) = second else {
        return vec![load_low(0), jump(IF_EQUAL, first, 0, 1), refuse];
    };
    vec![
        load_low(0),
        jump(IF_EQUAL, first, 0, 5),
        load_low(1),
        jump(IF_EQUAL, second, 0, 3),
        load_high(1),
        jump(IF_EQUAL, 0, 0, 1),
        refuse,
    ]
}

const NUMBER_OFFSET: u32 = 0;
const ARCH_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const ALWAYS: u16 = 0x05;
/// What is left of a kind of socket without its flags (`SOCK_TYPE_MASK`).
const SOCKET_KINDS: u32 = 0xf;
/// `O_CREAT`, and the bit of `O_TMPFILE` that is its own: without them the kernel does not look at the mode, and whoever
/// calls may leave anything in its place.
const MAKES_A_FILE: u32 = 0o100 | 0o20_000_000;
const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;
/// Where the kind is in a request (`_IOC_TYPESHIFT` of the kernel's `ioctl.h`).
const KIND_SHIFT: u32 = 8;
const KIND_MASK: u32 = 0xff << KIND_SHIFT;

fn load(offset: u32) -> sock_filter {
    const LOAD_WORD: u16 = 0x20;
    sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: offset }
}

const ARGUMENT_BYTES: u32 = 8;

/// The low half of an argument, which both machines keep first.
fn load_low(index: u8) -> sock_filter {
    load(ARGUMENTS_OFFSET + ARGUMENT_BYTES * u32::from(index))
}

fn load_high(index: u8) -> sock_filter {
    load(ARGUMENTS_OFFSET + ARGUMENT_BYTES * u32::from(index) + ARGUMENT_BYTES / 2)
}

fn and(mask: u32) -> sock_filter {
    sock_filter { code: AND, jt: 0, jf: 0, k: mask }
}

fn skip(steps: u32) -> sock_filter {
    sock_filter { code: ALWAYS, jt: 0, jf: 0, k: steps }
}

/// Skips `then` steps if the condition holds, else `otherwise`.
fn jump(code: u16, value: u32, then: u8, otherwise: u8) -> sock_filter {
    sock_filter { code, jt: then, jf: otherwise, k: value }
}

/// Does not make the call, and says this error; 0 is none.
fn refuse(errno: i32) -> sock_filter {
    ret(SeccompAction::Errno(errno.cast_unsigned()))
}

fn ret(action: SeccompAction) -> sock_filter {
    answer(action.into())
}

fn answer(says: u32) -> sock_filter {
    const RETURN: u16 = 0x06;
    sock_filter { code: RETURN, jt: 0, jf: 0, k: says }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: u32 = 4711;

    /// What the filter answers, by following its steps; and how many it took.
    fn run(program: &[sock_filter], number: u32, arguments: [u64; 6]) -> (u32, usize) {
        let (mut at, mut value, mut steps) = (0, 0, 0);
        loop {
            let step = &program[at];
            steps += 1;
            at += 1;
            let holds = match step.code {
                0x20 => {
                    value = match step.k {
                        NUMBER_OFFSET => number,
                        ARCH_OFFSET => program[1].k,
                        offset => {
                            let bytes = arguments[((offset - ARGUMENTS_OFFSET) / 8) as usize].to_le_bytes();
                            let half = if offset % 8 == 0 { &bytes[..4] } else { &bytes[4..] };
                            u32::from_le_bytes(half.try_into().unwrap())
                        }
                    };
                    continue;
                }
                AND => {
                    value &= step.k;
                    continue;
                }
                ALWAYS => {
                    at += step.k as usize;
                    continue;
                }
                0x06 => return (step.k, steps),
                IF_EQUAL => value == step.k,
                IF_AT_LEAST => value >= step.k,
                IF_ANY_BIT => value & step.k != 0,
                other => panic!("step {other:#x}"),
            };
            at += usize::from(if holds { step.jt } else { step.jf });
        }
    }

    /// Bits that no number of 32 bits has.
    const HIGH: u64 = 1 << 32;

    /// What a rule says to all arguments that make a difference to it.
    fn cases(rule: Rule) -> Vec<([u64; 6], u32)> {
        let allow: u32 = SeccompAction::Allow.into();
        let error = |errno: i32| u32::from(SeccompAction::Errno(errno.cast_unsigned()));
        let refuse = error(libc::EPERM);
        // The rest is garbage, as it is in the registers of whoever calls.
        let with = |given: &[(u8, u64)]| {
            let mut arguments = [0xdead_beef_dead_beef; 6];
            for (index, value) in given {
                arguments[usize::from(*index)] = *value;
            }
            arguments
        };
        // Both halves, where the upper one makes no difference.
        let narrow = |index: u8, value: u32, says: u32| {
            [0, HIGH].map(|high| (with(&[(index, u64::from(value) | high)]), says)).to_vec()
        };
        let me = u64::from(ME);
        match rule {
            Rule::Allow => vec![([7; 6], allow)],
            Rule::Refuse => vec![([0; 6], refuse), ([u64::MAX; 6], refuse)],
            Rule::Absent => vec![([0; 6], error(libc::ENOSYS)), ([u64::MAX; 6], error(libc::ENOSYS))],
            Rule::Ignored => vec![([0; 6], error(0)), ([u64::MAX; 6], error(0))],
            Rule::OwnOnly(at) => {
                let own = [0, me].map(|pid| narrow(at, pid as u32, allow)).concat();
                [own, narrow(at, 1, refuse), narrow(at, u32::MAX, refuse)].concat()
            }
            Rule::Without(bits) => [
                narrow(0, !bits, allow),
                (0..32)
                    .map(|bit| 1 << bit)
                    .filter(|bit| bits & bit != 0)
                    .flat_map(|bit| narrow(0, bit, refuse))
                    .collect(),
            ]
            .concat(),
            Rule::NoneOf { argument, bits, says } => [
                narrow(argument, !bits, allow),
                narrow(argument, 0, allow),
                narrow(argument, bits, error(says)),
                narrow(argument, bits & bits.wrapping_neg(), error(says)),
            ]
            .concat(),
            Rule::Except { argument, values, says } => {
                let refused = values.iter().flat_map(|value| narrow(argument, *value, error(says)));
                let others = [0, u32::MAX].into_iter().chain(values.iter().map(|value| value + 1));
                let others: Vec<_> = others.filter(|other| !values.contains(other)).collect();
                refused.chain(others.into_iter().flat_map(|other| narrow(argument, other, allow))).collect()
            }
            Rule::OneOf(values) => {
                let allowed = values.iter().flat_map(|value| narrow(0, *value, allow));
                allowed.chain(narrow(0, 0x0040_0000, refuse)).chain(narrow(0, 1, refuse)).collect()
            }
            Rule::NotPairs(pairs) => pairs
                .iter()
                .flat_map(|(first, second)| {
                    let first = u64::from(*first);
                    let both = |first: u64, second: u64, says| (with(&[(0, first), (1, second)]), says);
                    match second.map(u64::from) {
                        None => vec![both(first, 0, refuse), both(first | HIGH, 7, refuse), both(first + 1, 0, allow)],
                        // The kernel looks at all of the second one.
                        Some(second) => vec![
                            both(first, second, refuse),
                            both(first | HIGH, second, refuse),
                            both(first, second | HIGH, allow),
                            both(first, second + 1, allow),
                            both(first + 1, second, allow),
                        ],
                    }
                })
                .collect(),
            Rule::NullOnly(at) => {
                let says = |value, says| (with(&[(at, value)]), says);
                vec![says(0, allow), says(1, refuse), says(HIGH, refuse), says(HIGH | 1, refuse), says(1 << 63, refuse)]
            }
            Rule::Sockets { family, kinds } => {
                const FLAGS: u64 = 0o2_004_000;
                let both = |family: u32, kind: u64, says| {
                    [kind, kind | FLAGS, kind | HIGH].map(|kind| (with(&[(0, family.into()), (1, kind)]), says))
                };
                let of_kind = |kind: u32| both(family, kind.into(), if kinds.contains(&kind) { allow } else { refuse });
                let other_family = kinds.map(|kind| both(family + 1, kind.into(), refuse)).concat();
                (0..16).flat_map(of_kind).chain(other_family).collect()
            }
            Rule::NoSetId { flags, mode } => {
                let both = |makes: u64, bits: u64, says| {
                    (with(&[(flags.unwrap_or(5), makes | 2), (mode, bits | 0o100_755 | HIGH)]), says)
                };
                let without_making = if flags.is_some() { allow } else { refuse };
                let refused = [0o4000, 0o2000, 0o6000].map(|bits| {
                    [both(0o100, bits, refuse), both(0o20_200_000, bits, refuse), both(0, bits, without_making)]
                });
                [refused.concat(), vec![both(0o100, 0o1000, allow), both(0o100, 0, allow)]].concat()
            }
            Rule::OnlyKind(kind) => {
                let request = u32::from(kind) << 8;
                let allowed = [request, request | 1, request | 0x8004_0000].map(|request| narrow(1, request, allow));
                let others = [request ^ 0x100, request ^ 0x8000, 1].map(|request| narrow(1, request, refuse));
                [allowed.concat(), others.concat()].concat()
            }
        }
    }

    #[test]
    fn every_call_gets_the_answer_of_its_rule_quickly() {
        let rules = crate::guard::linux::sandbox::calls::rules();
        let program = program(&rules, ME).unwrap();
        for number in 0..600 {
            let rule = rules.get(&number).copied().unwrap_or(Rule::Allow);
            for (arguments, expected) in cases(rule) {
                let (says, steps) = run(&program, number, arguments);
                assert_eq!(says, expected, "{number} {rule:?} {arguments:x?}");
                assert!(steps < 32, "{number} {rule:?}: {steps} steps");
            }
        }
        assert!(program.len() < 376, "{} steps: starts take longer", program.len());
        let absent: u32 = SeccompAction::Errno(libc::ENOSYS as u32).into();
        assert_eq!(run(&program, X32_BIT + 39, [0; 6]).0, absent);
    }

    #[test]
    fn a_filter_may_be_longer_than_a_condition_jumps() {
        let rules: BTreeMap<u32, Rule> = (0..400).map(|number| (2 * number, Rule::Refuse)).collect();
        let program = program(&rules, ME).unwrap();
        for number in 0..800 {
            let expected = if number % 2 == 0 { refuse(libc::EPERM).k } else { ret(SeccompAction::Allow).k };
            assert_eq!(run(&program, number, [0; 6]).0, expected, "{number}");
        }
    }
}
