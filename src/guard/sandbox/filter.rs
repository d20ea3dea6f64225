//! A filter of system calls as the kernel wants it: a small program that looks at a call's number and arguments.
//!
//! ADVICE TO THE NEXT EDITOR: when a filter is installed, the kernel runs it once for each of its calls, twice over. A
//! plain list of comparisons, as compilers of such filters make, took 0.25 ms of every start; the tree below takes a
//! tenth of it. Keep it short.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{SeccompAction, sock_filter};

/// Numbers of this size are those of programs with short pointers on `x86_64`: the same calls once more.
const X32_BIT: u32 = 0x4000_0000;

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Allow,
    Refuse,
    /// «There is no such call.»
    Absent,
    /// Allowed if this argument is 0 or the caller's own number.
    OwnOnly(u8),
    /// Allowed if the first argument is this and the second is 0 or the caller's own number.
    OwnPriorityOnly(u32),
    /// Allowed if the first argument is this.
    Only(u32),
    /// Allowed if the first argument has none of these bits.
    Without(u32),
    /// Allowed unless the second argument is one of these.
    Except(&'static [u32]),
    /// Allowed unless the first two arguments are these.
    Unless([u32; 2]),
    /// Allowed if the second argument is a request of this kind, as those of `ioctl` are numbered.
    OnlyKind(u8),
    /// Done, seemingly, if the second argument is this and the third is one of these.
    Pretend(u32, &'static [u32]),
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
    program.extend(search(&pieces, me)?);
    Ok(program)
}

/// Finds the piece that a number belongs to by halving, and does as its rule says.
fn search(pieces: &[(u32, Rule)], me: u32) -> io::Result<Vec<sock_filter>> {
    if let [(_, rule)] = pieces {
        return Ok(act(*rule, me));
    }
    let (low, high) = pieces.split_at(pieces.len() / 2);
    let below = search(low, me)?;
    let over = u8::try_from(below.len()).map_err(|_| io::Error::other("the filter is too long for its jumps"))?;
    let mut steps = vec![jump(IF_AT_LEAST, high[0].0, over, 0)];
    steps.extend(below);
    steps.extend(search(high, me)?);
    Ok(steps)
}

fn act(rule: Rule, me: u32) -> Vec<sock_filter> {
    let allow = ret(SeccompAction::Allow);
    let refuse = ret(SeccompAction::Errno(libc::EPERM.cast_unsigned()));
    match rule {
        Rule::Allow => vec![allow],
        Rule::Refuse => vec![refuse],
        Rule::Absent => vec![ret(SeccompAction::Errno(libc::ENOSYS.cast_unsigned()))],
        Rule::OwnOnly(argument) => {
            vec![load_argument(argument), jump(IF_EQUAL, 0, 2, 0), jump(IF_EQUAL, me, 1, 0), refuse, allow]
        }
        Rule::OwnPriorityOnly(one) => {
            let mut steps = vec![load_argument(0), jump(IF_EQUAL, one, 1, 0), refuse];
            steps.extend(act(Rule::OwnOnly(1), me));
            steps
        }
        Rule::Only(value) => vec![load_argument(0), jump(IF_EQUAL, value, 1, 0), refuse, allow],
        Rule::Without(bits) => vec![load_argument(0), jump(IF_ANY_BIT, bits, 0, 1), refuse, allow],
        Rule::Except(values) => {
            let mut steps = vec![load_argument(1)];
            // Over those that are left, and what is said if it is none of them.
            steps.extend(
                values.iter().zip((1..=values.len() as u8).rev()).map(|(value, over)| jump(IF_EQUAL, *value, over, 0)),
            );
            steps.extend([allow, refuse]);
            steps
        }
        Rule::Unless([first, second]) => vec![
            load_argument(0),
            jump(IF_EQUAL, first, 0, 3),
            load_argument(1),
            jump(IF_EQUAL, second, 0, 1),
            refuse,
            allow,
        ],
        Rule::OnlyKind(kind) => {
            let kind_of = sock_filter { code: AND, jt: 0, jf: 0, k: KIND_MASK };
            vec![load_argument(1), kind_of, jump(IF_EQUAL, u32::from(kind) << KIND_SHIFT, 1, 0), refuse, allow]
        }
        Rule::Pretend(level, options) => {
            let mut steps = vec![load_argument(1), jump(IF_EQUAL, level, 0, options.len() as u8 + 1), load_argument(2)];
            steps.extend(
                options
                    .iter()
                    .zip((1..=options.len() as u8).rev())
                    .map(|(option, over)| jump(IF_EQUAL, *option, over, 0)),
            );
            steps.extend([allow, ret(SeccompAction::Errno(0))]);
            steps
        }
    }
}

const NUMBER_OFFSET: u32 = 0;
const ARCH_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
/// Where the kind is in a request (`_IOC_TYPESHIFT` of the kernel's `ioctl.h`).
const KIND_SHIFT: u32 = 8;
const KIND_MASK: u32 = 0xff << KIND_SHIFT;

fn load(offset: u32) -> sock_filter {
    const LOAD_WORD: u16 = 0x20;
    sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: offset }
}

/// The low half of an argument: the kernel looks at no more of a number, and both machines keep it first.
fn load_argument(index: u8) -> sock_filter {
    const ARGUMENT_BYTES: u32 = 8;
    load(ARGUMENTS_OFFSET + ARGUMENT_BYTES * u32::from(index))
}

/// Skips `then` steps if the condition holds, else `otherwise`.
fn jump(code: u16, value: u32, then: u8, otherwise: u8) -> sock_filter {
    sock_filter { code, jt: then, jf: otherwise, k: value }
}

fn ret(action: SeccompAction) -> sock_filter {
    const RETURN: u16 = 0x06;
    sock_filter { code: RETURN, jt: 0, jf: 0, k: action.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: u32 = 4711;

    /// What the filter answers, by following its steps; and how many it took.
    fn answer(program: &[sock_filter], number: u32, arguments: [u32; 3]) -> (u32, usize) {
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
                        offset => arguments[((offset - ARGUMENTS_OFFSET) / 8) as usize],
                    };
                    continue;
                }
                AND => {
                    value &= step.k;
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

    #[test]
    fn every_call_gets_the_answer_of_its_rule_quickly() {
        for stays_stopped in [false, true] {
            each_call_gets_the_answer_of(&crate::guard::sandbox::calls::rules(stays_stopped));
        }
    }

    fn each_call_gets_the_answer_of(rules: &BTreeMap<u32, Rule>) {
        let program = program(rules, ME).unwrap();
        let allow: u32 = SeccompAction::Allow.into();
        let refuse: u32 = SeccompAction::Errno(libc::EPERM as u32).into();
        let absent: u32 = SeccompAction::Errno(libc::ENOSYS as u32).into();
        for number in 0..600 {
            let says = |first, second| answer(&program, number, [first, second, 0]).0;
            match rules.get(&number).copied().unwrap_or(Rule::Allow) {
                Rule::Allow => assert_eq!(says(7, 7), allow, "{number}"),
                Rule::Refuse => assert_eq!(says(0, 0), refuse, "{number}"),
                Rule::Absent => assert_eq!(says(0, 0), absent, "{number}"),
                Rule::OwnOnly(_) => assert_eq!([says(0, 0), says(ME, ME), says(1, 1)], [allow, allow, refuse]),
                Rule::OwnPriorityOnly(one) => {
                    let said = [says(one, 0), says(one, ME), says(one, 1), says(one + 1, 0)];
                    assert_eq!(said, [allow, allow, refuse, refuse]);
                }
                Rule::Only(value) => assert_eq!([says(value, 0), says(value + 1, 0)], [allow, refuse]),
                Rule::Without(bits) => {
                    assert_eq!([says(!bits, 0), says(bits & bits.wrapping_neg(), 0)], [allow, refuse]);
                }
                Rule::Except(values) => {
                    assert!(values.iter().all(|value| says(0, *value) == refuse));
                    assert_eq!([says(values[0], 0), says(values[0], values[0] + 1)], [allow, allow]);
                }
                Rule::Unless([first, second]) => {
                    let said = [says(first, second), says(first + 1, second), says(first, second + 1)];
                    assert_eq!(said, [refuse, allow, allow]);
                }
                Rule::OnlyKind(kind) => {
                    let request = u32::from(kind) << 8;
                    let said =
                        [request | 1, request | 0x8004_0000, request ^ 0x100, 1].map(|other| says(request, other));
                    assert_eq!(said, [allow, allow, refuse, refuse]);
                }
                Rule::Pretend(level, options) => {
                    let says = |level, option| answer(&program, number, [0, level, option]).0;
                    let done: u32 = SeccompAction::Errno(0).into();
                    assert!(options.iter().all(|option| says(level, *option) == done));
                    assert!(options.iter().all(|option| says(level + 1, *option) == allow));
                    assert_eq!(says(level, 0), allow);
                }
            }
            assert!(answer(&program, number, [0; 3]).1 < 24);
        }
        assert_eq!(answer(&program, X32_BIT + 39, [0; 3]).0, absent);
    }
}
