//! A system call filter in the kernel's form: a small program that checks a call's number and arguments.
//!
//! ADVICE TO THE NEXT EDITOR: when a filter is installed, the kernel runs it twice for every call number. A plain list of
//! comparisons, as compilers of such filters make, took 0.25 ms of every start; the tree below takes a tenth of it, and
//! less where many ranges share an answer. Keep it short: a step costs 0.15 µs of every start.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{SeccompAction, sock_filter};

/// Call numbers with this bit are those of programs with short pointers on `x86_64`: the same calls again.
const X32_BIT: u32 = 0x4000_0000;

/// The answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallAnswer {
    Allow,
    /// The call is not made and returns this error; 0 is success.
    Error(i32),
}

/// A rule for a call: the answer of the first case whose conditions all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    cases: Vec<(Vec<Condition>, CallAnswer)>,
    otherwise: CallAnswer,
}

/// A condition on an argument. All but [`Condition::UpperHalfZero`] check its lower half: the kernel reads most arguments
/// as numbers of 32 bits or less and ignores the rest, so a rule that checked more could be bypassed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// Its bits in `mask` are one of these values.
    OneOf {
        argument: u8,
        mask: u32,
        values: Vec<u32>,
    },
    /// It has one of these bits.
    AnyBit {
        argument: u8,
        bits: u32,
    },
    UpperHalfZero {
        argument: u8,
    },
}

impl Rule {
    pub(super) fn always(answer: CallAnswer) -> Self {
        Self { cases: Vec::new(), otherwise: answer }
    }

    /// The call is allowed if all these conditions hold, and otherwise refused.
    pub(super) fn only_if(conditions: Vec<Condition>) -> Self {
        Self { cases: vec![(conditions, CallAnswer::Allow)], otherwise: CallAnswer::Error(libc::EPERM) }
    }

    /// The call is allowed unless all conditions of one of these cases hold; then it returns `error`.
    pub(super) fn unless(error: i32, cases: impl IntoIterator<Item = Vec<Condition>>) -> Self {
        Self::always(CallAnswer::Allow).or_unless(error, cases)
    }

    /// As this rule; and the call returns `error` as well if all conditions of one of these cases hold.
    pub(super) fn or_unless(mut self, error: i32, cases: impl IntoIterator<Item = Vec<Condition>>) -> Self {
        self.cases.extend(cases.into_iter().map(|conditions| (conditions, CallAnswer::Error(error))));
        self
    }

    fn steps(&self) -> Vec<sock_filter> {
        let mut steps = Vec::new();
        for (conditions, answer) in &self.cases {
            let mut case = vec![answer.step()];
            for condition in conditions.iter().rev() {
                // A condition that does not hold jumps behind the answer of its case.
                case = [condition.steps(case.len() as u8), case].concat();
            }
            steps.extend(case);
        }
        steps.push(self.otherwise.step());
        steps
    }
}

impl Condition {
    /// Holds if the argument is one of these.
    pub(super) fn one_of(argument: u8, values: &[u32]) -> Self {
        Self::OneOf { argument, mask: u32::MAX, values: values.to_vec() }
    }

    /// Continues behind these steps if it holds, and otherwise skips `otherwise` more.
    fn steps(&self, otherwise: u8) -> Vec<sock_filter> {
        match self {
            Self::OneOf { argument, mask, values } => {
                let mask = (*mask != u32::MAX).then(|| step(AND, *mask));
                let left = (0..values.len() as u8).rev();
                let equal = values.iter().zip(left).map(|(value, left)| {
                    let no = if left == 0 { otherwise } else { 0 };
                    jump(IF_EQUAL, *value, left, no)
                });
                [load_argument(*argument, 0)].into_iter().chain(mask).chain(equal).collect()
            }
            Self::AnyBit { argument, bits } => {
                vec![load_argument(*argument, 0), jump(IF_ANY_BIT, *bits, 0, otherwise)]
            }
            Self::UpperHalfZero { argument } => {
                vec![load_argument(*argument, ARGUMENT_BYTES / 2), jump(IF_EQUAL, 0, 0, otherwise)]
            }
        }
    }
}

impl CallAnswer {
    fn step(self) -> sock_filter {
        returns(match self {
            Self::Allow => SeccompAction::Allow,
            Self::Error(errno) => SeccompAction::Errno(errno.cast_unsigned()),
        })
    }
}

/// The kind of this machine for the kernel (`AUDIT_ARCH_…`), if there is a list of its system calls.
pub(super) fn arch() -> Option<u32> {
    match std::env::consts::ARCH {
        "x86_64" => Some(0xC000_003E),
        "aarch64" => Some(0xC000_00B7),
        _ => None,
    }
}

/// The filter with these rules by call number; all other calls are allowed.
pub(super) fn program(rules: &BTreeMap<u32, Rule>) -> io::Result<Vec<sock_filter>> {
    let (allow, absent) = (Rule::always(CallAnswer::Allow), Rule::always(CallAnswer::Error(libc::ENOSYS)));
    // The first number of each range, with its rule: every number belongs to one range.
    let mut pieces = vec![(0, &allow)];
    for (&call, rule) in rules {
        match pieces.last_mut() {
            Some((from, last)) if *from == call => *last = rule,
            Some((_, last)) if *last == rule => {}
            _ => pieces.push((call, rule)),
        }
        pieces.push((call + 1, &allow));
    }
    pieces.push((X32_BIT, &absent));
    let arch = arch().ok_or_else(|| {
        let says = format!("no list of system calls for {}", std::env::consts::ARCH);
        io::Error::new(io::ErrorKind::Unsupported, says)
    })?;
    let mut reversed = Reversed::default();
    // Several ranges make a position, the last step written.
    reversed.search(&pieces);
    let head = [
        step(LOAD, ARCH_OFFSET),
        jump(IF_EQUAL, arch, 1, 0),
        // Calls of another architecture have other numbers.
        returns(SeccompAction::KillProcess),
        step(LOAD, NUMBER_OFFSET),
    ];
    Ok(head.into_iter().chain(reversed.steps.into_iter().rev()).collect())
}

/// The same, but calls that it would refuse wait for the answer of a listener.
pub(super) fn with_listener(program: &[sock_filter]) -> Vec<sock_filter> {
    let refuses = CallAnswer::Error(libc::EPERM).step();
    let told = |step: &sock_filter| {
        let is_refusal = step.code == refuses.code && step.k == refuses.k;
        if is_refusal { self::step(RETURN, libc::SECCOMP_RET_USER_NOTIF) } else { step.clone() }
    };
    program.iter().map(told).collect()
}

/// A program written from its end to its beginning, so that the length of every jump is known.
#[derive(Default)]
struct Reversed {
    steps: Vec<sock_filter>,
    /// Position of the last copy of each answer that searches share.
    answers: BTreeMap<CallAnswer, usize>,
}

/// Target of a search: a step, by its number in the order of writing, or an answer at any position.
enum To {
    Place(usize),
    Answer(CallAnswer),
}

impl Reversed {
    fn push(&mut self, step: sock_filter) -> usize {
        self.steps.push(step);
        self.steps.len()
    }

    /// Finds the range of a number by bisection, and applies its rule.
    fn search(&mut self, pieces: &[(u32, &Rule)]) -> To {
        if let [(_, rule)] = pieces {
            if rule.cases.is_empty() {
                return To::Answer(rule.otherwise);
            }
            self.steps.extend(rule.steps().into_iter().rev());
            return To::Place(self.steps.len());
        }
        let (low, high) = pieces.split_at(pieces.len() / 2);
        let from = high[0].0;
        let (high, low) = (self.search(high), self.search(low));
        // The second of these may write a step, which is then between the first and the condition.
        let high = self.within_reach(&high, 1);
        let low = self.within_reach(&low, 0);
        let over = |place: usize| (self.steps.len() - place) as u8;
        To::Place(self.push(jump(IF_AT_LEAST, from, over(high), over(low))))
    }

    /// A position with this target that a condition can jump to, even after `more` steps.
    fn within_reach(&mut self, to: &To, more: usize) -> usize {
        let written = self.steps.len();
        let is_near = |place: &usize| u8::try_from(written + more - place).is_ok();
        match to {
            To::Place(place) if is_near(place) => *place,
            To::Place(place) => self.push(step(ALWAYS, (written - place) as u32)),
            To::Answer(answer) => self.answers.get(answer).copied().filter(is_near).unwrap_or_else(|| {
                let place = self.push(answer.step());
                self.answers.insert(*answer, place);
                place
            }),
        }
    }
}

const NUMBER_OFFSET: u32 = 0;
const ARCH_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;
const ARGUMENT_BYTES: u32 = 8;
const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const ALWAYS: u16 = 0x05;
const RETURN: u16 = 0x06;

fn step(code: u16, value: u32) -> sock_filter {
    jump(code, value, 0, 0)
}

/// Skips `then` steps if the condition holds, else `otherwise`.
fn jump(code: u16, value: u32, then: u8, otherwise: u8) -> sock_filter {
    sock_filter { code, jt: then, jf: otherwise, k: value }
}

/// Loads half of an argument. Both architectures store the lower half first.
fn load_argument(index: u8, half: u32) -> sock_filter {
    step(LOAD, ARGUMENTS_OFFSET + ARGUMENT_BYTES * u32::from(index) + half)
}

fn returns(action: SeccompAction) -> sock_filter {
    step(RETURN, action.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interprets the filter; returns its answer and the number of steps.
    fn run(program: &[sock_filter], number: u32, arguments: [u64; 6]) -> (u32, usize) {
        let (mut at, mut value, mut steps) = (0, 0, 0);
        loop {
            let step = &program[at];
            steps += 1;
            at += 1;
            let holds = match step.code {
                LOAD => {
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
                RETURN => return (step.k, steps),
                IF_EQUAL => value == step.k,
                IF_AT_LEAST => value >= step.k,
                IF_ANY_BIT => value & step.k != 0,
                other => panic!("step {other:#x}"),
            };
            at += usize::from(if holds { step.jt } else { step.jf });
        }
    }

    /// A bit beyond 32 bits.
    const HIGH: u64 = 1 << 32;

    impl Condition {
        fn holds(&self, arguments: [u64; 6]) -> bool {
            match self {
                Self::OneOf { argument, mask, values } => {
                    values.contains(&(arguments[usize::from(*argument)] as u32 & mask))
                }
                Self::AnyBit { argument, bits } => arguments[usize::from(*argument)] as u32 & bits != 0,
                Self::UpperHalfZero { argument } => arguments[usize::from(*argument)] >> 32 == 0,
            }
        }

        /// Its argument, and values of it that lead to different answers.
        fn samples(&self) -> (u8, Vec<u32>) {
            match self {
                Self::OneOf { argument, mask, values } => {
                    let near = |value: &u32| [*value, value.wrapping_add(1), value | !mask, value ^ mask];
                    (*argument, values.iter().flat_map(near).collect())
                }
                Self::AnyBit { argument, bits } => {
                    let single = (0..32).map(|bit| bits & 1 << bit).filter(|bit| *bit != 0);
                    (*argument, single.chain([!bits, *bits]).collect())
                }
                Self::UpperHalfZero { argument } => (*argument, vec![1]),
            }
        }
    }

    /// Combinations of arguments that lead to different answers of a rule; the others are garbage, as in callers'
    /// registers.
    fn samples(rule: &Rule) -> Vec<[u64; 6]> {
        let mut all = vec![[0xdead_beef_dead_beef; 6]];
        let conditions = || rule.cases.iter().flat_map(|(conditions, _)| conditions);
        for argument in 0..6 {
            let of_this = conditions().map(Condition::samples).filter(|(index, _)| *index == argument);
            let values: Vec<u32> = of_this.flat_map(|(_, values)| values).collect();
            if !values.is_empty() {
                let values = values.into_iter().chain([0, 1, u32::MAX]).map(u64::from);
                let values: Vec<u64> = values.flat_map(|low| [low, low | HIGH, low | 1 << 63]).collect();
                let with = |mut arguments: [u64; 6], value| {
                    arguments[usize::from(argument)] = value;
                    arguments
                };
                all = all.iter().flat_map(|others| values.iter().map(|value| with(*others, *value))).collect();
            }
        }
        all
    }

    fn expected(rule: &Rule, arguments: [u64; 6]) -> u32 {
        let holds = |(conditions, _): &&(Vec<Condition>, CallAnswer)| conditions.iter().all(|one| one.holds(arguments));
        rule.cases.iter().find(holds).map_or(rule.otherwise, |(_, answer)| *answer).step().k
    }

    #[test]
    fn every_call_gets_the_answer_of_its_rule_quickly() {
        let rules = crate::linux::sandbox::calls::rules();
        let program = program(&rules).unwrap();
        let allow = Rule::always(CallAnswer::Allow);
        for number in 0..600 {
            let rule = rules.get(&number).unwrap_or(&allow);
            for arguments in samples(rule) {
                let (says, steps) = run(&program, number, arguments);
                assert_eq!(says, expected(rule, arguments), "{number} {rule:?} {arguments:x?}");
                assert!(steps < 32, "{number} {rule:?}: {steps} steps");
            }
        }
        assert!(program.len() < 376, "{} steps: starts take longer", program.len());
        let absent = CallAnswer::Error(libc::ENOSYS).step().k;
        assert_eq!(run(&program, X32_BIT + 39, [0; 6]).0, absent);
    }

    #[test]
    fn arguments_decide_as_the_kernel_reads_them() {
        const ALLOW: CallAnswer = CallAnswer::Allow;
        const REFUSE: CallAnswer = CallAnswer::Error(libc::EPERM);
        const FLAGS: u64 = 0o2_004_000;
        let program = program(&crate::linux::sandbox::calls::rules()).unwrap();
        let (unix, inet) = (libc::AF_UNIX as u64, libc::AF_INET as u64);
        let (stream, datagram) = (libc::SOCK_STREAM as u64, libc::SOCK_DGRAM as u64);
        let (dumpable, death) = (libc::PR_SET_DUMPABLE as u64, libc::PR_SET_PDEATHSIG as u64);
        let cont = libc::SIGCONT as u64;
        for (call, first, rest, answer) in [
            (libc::SYS_prlimit64, 0, [7, 0, 0, 0], ALLOW),
            (libc::SYS_prlimit64, HIGH, [7, 0, 0, 0], ALLOW),
            (libc::SYS_prlimit64, 4711, [7, 0, 0, 0], REFUSE),
            (libc::SYS_clone, libc::SIGCHLD as u64, [0; 4], ALLOW),
            (libc::SYS_clone, cont, [0; 4], REFUSE),
            (libc::SYS_clone, libc::CLONE_NEWUSER as u64 | HIGH, [0; 4], REFUSE),
            (libc::SYS_prctl, dumpable, [0; 4], REFUSE),
            (libc::SYS_prctl, dumpable | HIGH, [0; 4], REFUSE),
            (libc::SYS_prctl, dumpable, [1, 0, 0, 0], ALLOW),
            (libc::SYS_prctl, dumpable, [HIGH, 0, 0, 0], ALLOW),
            (libc::SYS_prctl, death, [cont, 0, 0, 0], REFUSE),
            (libc::SYS_prctl, death, [9, 0, 0, 0], ALLOW),
            (libc::SYS_prctl, libc::PR_SCHED_CORE as u64, [7 | HIGH, 0, 0, 0], REFUSE),
            (libc::SYS_personality, u64::from(u32::MAX), [0; 4], ALLOW),
            (libc::SYS_personality, 0x0040_0000, [0; 4], REFUSE),
            (libc::SYS_socketpair, unix, [stream | FLAGS, 0, 0, 0], ALLOW),
            (libc::SYS_socketpair, unix, [libc::SOCK_SEQPACKET as u64 | HIGH, 0, 0, 0], ALLOW),
            (libc::SYS_socketpair, unix, [datagram | FLAGS, 0, 0, 0], REFUSE),
            (libc::SYS_socketpair, inet, [stream, 0, 0, 0], REFUSE),
            (libc::SYS_sendto, 3, [7, 7, 7, 0], ALLOW),
            (libc::SYS_sendto, 3, [7, 7, 7, 1], REFUSE),
            (libc::SYS_sendto, 3, [7, 7, 7, HIGH], REFUSE),
            (libc::SYS_ioctl, 0, [0x5401, 0, 0, 0], ALLOW),
            (libc::SYS_ioctl, 0, [0x8004_5430 | HIGH, 0, 0, 0], ALLOW),
            (libc::SYS_ioctl, 0, [0x4008_6602, 0, 0, 0], REFUSE),
            (libc::SYS_fcntl, 3, [libc::F_SETLEASE as u64 | HIGH, 0, 0, 0], REFUSE),
            (libc::SYS_fcntl, 3, [libc::F_GETFL as u64, 0, 0, 0], ALLOW),
            (libc::SYS_madvise, 0, [7, libc::MADV_PAGEOUT as u64, 0, 0], CallAnswer::Error(libc::EINVAL)),
            (libc::SYS_prctl, libc::PR_SET_SECCOMP as u64 | HIGH, [2, 7, 0, 0], CallAnswer::Error(libc::EINVAL)),
            (libc::SYS_prctl, libc::PR_GET_SECCOMP as u64, [2, 7, 0, 0], ALLOW),
            (libc::SYS_seccomp, 1, [1, 0, 0, 0], CallAnswer::Error(libc::ENOSYS)),
            (libc::SYS_landlock_create_ruleset, 0, [0, 1, 0, 0], CallAnswer::Error(libc::ENOSYS)),
            (libc::SYS_setsockopt, 3, [7, libc::SO_SNDBUF as u64, 0, 0], CallAnswer::Error(0)),
            (libc::SYS_openat, 3, [7, 0o102 | HIGH, 0o104_755, 0], REFUSE),
            (libc::SYS_openat, 3, [7, 0o20_200_002, 0o2755, 0], REFUSE),
            (libc::SYS_openat, 3, [7, 2, 0o6755, 0], ALLOW),
            (libc::SYS_openat, 3, [7, 0o102, 0o1755, 0], ALLOW),
            (libc::SYS_mknodat, 3, [7, 0o102_755, 0, 0], REFUSE),
            (libc::SYS_mknodat, 3, [7, 0o101_755, 0, 0], ALLOW),
        ] {
            let [second, third, fourth, fifth] = rest;
            let arguments = [first, second, third, fourth, fifth, 0xdead_beef];
            assert_eq!(run(&program, call as u32, arguments).0, answer.step().k, "{call} {arguments:x?}");
        }
    }

    #[test]
    fn only_refused_calls_wait_for_a_listener() {
        let plain = program(&crate::linux::sandbox::calls::rules()).unwrap();
        let told = with_listener(&plain);
        let refused = CallAnswer::Error(libc::EPERM).step().k;
        let allow = Rule::always(CallAnswer::Allow);
        let rules = crate::linux::sandbox::calls::rules();
        for number in 0..600 {
            for arguments in samples(rules.get(&number).unwrap_or(&allow)) {
                let (answer, _) = run(&plain, number, arguments);
                let expected = if answer == refused { libc::SECCOMP_RET_USER_NOTIF } else { answer };
                assert_eq!(run(&told, number, arguments).0, expected, "{number} {arguments:x?}");
            }
        }
        // A signal may interrupt a call that waits, and no program expects that of these.
        let allowed = CallAnswer::Allow.step().k;
        let fork = [libc::SIGCHLD as u64, 0, 0, 0, 0, 0];
        let thread = [libc::CLONE_VM as u64 | libc::CLONE_THREAD as u64 | libc::CLONE_SIGHAND as u64, 0, 0, 0, 0, 0];
        for arguments in [fork, thread] {
            assert_eq!(run(&told, libc::SYS_clone as u32, arguments).0, allowed);
        }
        let absent = CallAnswer::Error(libc::ENOSYS).step().k;
        assert_eq!(run(&told, libc::SYS_clone3 as u32, [0; 6]).0, absent);
        for call in [libc::SYS_wait4, libc::SYS_waitid, libc::SYS_execve, libc::SYS_read, libc::SYS_futex] {
            assert_eq!(run(&told, call as u32, [0; 6]).0, allowed, "{call}");
        }
    }

    #[test]
    fn a_filter_may_be_longer_than_a_condition_jumps() {
        let refuse = || Rule::always(CallAnswer::Error(libc::EPERM));
        let long = || Rule::only_if(vec![Condition::one_of(0, &[1; 100])]);
        for longer in [refuse, long] {
            let rules: BTreeMap<u32, Rule> =
                (0..400).map(|number| (2 * number, if number % 5 == 0 { longer() } else { refuse() })).collect();
            let program = program(&rules).unwrap();
            for number in 0..800 {
                let answer = if number % 2 == 0 { CallAnswer::Error(libc::EPERM) } else { CallAnswer::Allow };
                assert_eq!(run(&program, number, [0; 6]).0, answer.step().k, "{number}");
            }
        }
    }
}
