//! A process namespace around the arena, for bots that could harm this machine if the arena failed to stop them. When its
//! first process ends, all of them end, and it has few process numbers.

use std::process::Command;
use std::sync::OnceLock;

/// Numbers of processes in a container, from 300 on.
const NUMBERS: u32 = 1_500;

#[derive(Debug, Clone, Copy)]
pub(super) struct Container {
    flags: &'static [&'static str],
}

impl Container {
    /// The container that this system supports, if any.
    pub(super) fn find() -> Option<Self> {
        static FOUND: OnceLock<Option<Container>> = OnceLock::new();
        let ways: [&[&str]; 2] = [
            &["--pid", "--fork", "--mount-proc", "--kill-child"],
            &["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"],
        ];
        let works = |flags: &&[&str]| {
            super::output(Command::new("unshare").args(*flags).arg("true"))
                .is_some_and(|output| output.status.success())
        };
        *FOUND.get_or_init(|| ways.into_iter().find(works).map(|flags| Self { flags }))
    }

    /// Runs `command` inside, with a descriptor that programs inherit unless prevented. It is not the first process, which
    /// would get no signals from inside.
    pub(super) fn around(self, command: &Command) -> Command {
        let bound =
            if numbers_are_its_own() { format!("echo {NUMBERS} > /proc/sys/kernel/pid_max;") } else { String::new() };
        let mut around = Command::new("unshare");
        around.args(self.flags).args(["sh", "-c", &format!("{bound} \"$0\" \"$@\" 9</dev/null; exit $?")]);
        around.arg(command.get_program()).args(command.get_args()).env_clear();
        around.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(dir) = command.get_current_dir() {
            around.current_dir(dir);
        }
        around
    }
}

/// Whether the limit on numbers applies to the namespace alone, not to the whole machine: since Linux 6.14.
pub(super) fn numbers_are_its_own() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").expect("a kernel");
    let mut numbers = release.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(6), Some(14))
}
