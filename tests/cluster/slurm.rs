//! A real Slurm: its daemons on this machine, with two nodes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Dir, LIMIT, is_installed, not_tested, until};

/// A node is taken for lost after some 25 seconds, and its tasks start anew then.
const NODE_LOST_LIMIT: Duration = Duration::from_secs(180);
const NODES: [&str; 2] = ["n1", "n2"];

/// The daemons, until it is dropped.
pub(crate) struct Slurm {
    dir: tempfile::TempDir,
}

impl Slurm {
    /// Starts them; `None` where they are not installed or may not be started.
    pub(crate) fn start() -> Option<Self> {
        let programs = ["slurmctld", "slurmd", "munged", "mungekey", "sbatch"];
        if !programs.iter().all(|program| is_installed(program, "a tournament on Slurm")) {
            return None;
        }
        if !rustix::process::geteuid().is_root() {
            not_tested("a tournament on Slurm", "its daemons need root here");
            return None;
        }
        let slurm = Self { dir: tempfile::Builder::new().prefix("arena-slurm-").tempdir().expect("a folder") };
        // munged refuses a folder that others cannot pass.
        fs::set_permissions(slurm.path(""), fs::Permissions::from_mode(0o755)).expect("a mode");
        for folder in ["state", "log", "n1", "n2"] {
            fs::create_dir(slurm.path(folder)).expect("a folder");
        }
        fs::write(slurm.path("slurm.conf"), slurm.configuration()).expect("written");
        let at = |name: &str, file: &str| format!("--{name}={}", slurm.path(file).display());
        slurm.run("mungekey", &["--create", &at("keyfile", "munge.key")]);
        let munged = [
            at("key-file", "munge.key"),
            at("socket", "munge.sock"),
            at("pid-file", "munge.pid"),
            at("log-file", "log/munged.log"),
            at("seed-file", "munge.seed"),
        ];
        slurm.run("munged", &munged.each_ref().map(String::as_str));
        slurm.run("slurmctld", &["-i"]);
        for node in NODES {
            slurm.run("slurmd", &["-N", node]);
        }
        // Not one alone: all tasks would run there.
        until(LIMIT, "both nodes are idle", || {
            slurm.run("sinfo", &["-h", "-N", "-o", "%T"]).lines().filter(|state| *state == "idle").count()
                == NODES.len()
        });
        Some(slurm)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Ports that follow from the number of this process and of the test: tests run beside others.
    fn configuration(&self) -> String {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let output = Command::new("hostname").arg("-s").output().expect("a name");
        let (host, dir) = (String::from_utf8_lossy(&output.stdout).trim().to_owned(), self.path(""));
        let number = std::process::id() + STARTED.fetch_add(1, Ordering::Relaxed);
        let port = 20_000 + number % 10_000 * 3;
        let dir = dir.display().to_string();
        let dir = dir.trim_end_matches('/');
        let nodes = NODES.iter().zip(port + 1..).map(|(node, port)| {
            format!("NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN\n")
        });
        format!(
            "ClusterName=ci
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={dir}/munge.sock
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/%n.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdLogFile={dir}/log/%n.log
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=2
{}PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
",
            nodes.collect::<String>()
        )
    }

    /// Runs a command of Slurm, which must succeed; returns what it prints.
    #[track_caller]
    fn run(&self, program: &str, args: &[&str]) -> String {
        let output = self.command(program, args).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env("SLURM_CONF", self.path("slurm.conf")).stdin(Stdio::null());
        command
    }

    /// Submits an array of tasks that run a command in `dir`; returns its number.
    pub(crate) fn submit(&self, dir: &Dir, array: &str, command: &str) -> String {
        let (place, out) = (dir.path("").display().to_string(), dir.path("out/task-%a").display().to_string());
        let args = [
            "--parsable",
            "-n1",
            "--requeue",
            "-D",
            &place,
            "-o",
            &out,
            "--open-mode=append",
            "--array",
            array,
            "--wrap",
            command,
        ];
        self.run("sbatch", &args).trim().to_owned()
    }

    /// Tasks that are not over, as `INDEX STATE REASON NODE`.
    fn tasks(&self, job: &str) -> Vec<String> {
        // It fails for a job that is long over.
        let output = self.command("squeue", &["-h", "-r", "-j", job, "-o", "%K %T %r %N"]).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Indices of the tasks that run on a node.
    pub(crate) fn running(&self, job: &str, node: &str) -> Vec<usize> {
        let tasks = self.tasks(job);
        let running = tasks.iter().filter(|task| task.contains(" RUNNING ") && task.ends_with(node));
        running.filter_map(|task| task.split(' ').next()?.parse().ok()).collect()
    }

    /// Stops a task and queues it anew.
    pub(crate) fn requeue(&self, job: &str, task: usize) {
        self.run("scontrol", &["requeue", &format!("{job}_{task}")]);
    }

    /// Ends all tasks.
    pub(crate) fn cancel(&self, job: &str) {
        self.run("scancel", &[job]);
        until(LIMIT, "no task runs", || NODES.iter().all(|node| self.running(job, node).is_empty()));
    }

    /// Waits until all tasks are over. Those that are to start anew do so at once, and not in two minutes.
    pub(crate) fn wait(&self, job: &str) {
        until(NODE_LOST_LIMIT, "all tasks are over", || {
            let tasks = self.tasks(job);
            for task in tasks.iter().filter(|task| task.contains(" PENDING BeginTime")) {
                let index = task.split(' ').next().unwrap_or_default();
                let id = format!("jobid={job}_{index}");
                // It may have begun meanwhile.
                let _ = self.command("scontrol", &["update", &id, "StartTime=now"]).output();
            }
            tasks.is_empty()
        });
    }

    /// Kills a node as a power failure does: its daemon and all that runs there.
    pub(crate) fn kill_node(&self, node: &str) {
        self.kill(&format!("{node}.pid"), Signal::KILL);
        // The script of a task lies in the folder of its node; its parent is the step's daemon.
        let script = format!("{}/job", self.path(node).display());
        let scripts: Vec<Process> = processes().into_iter().filter(|it| it.command.contains(&script)).collect();
        assert!(!scripts.is_empty(), "{node} has tasks");
        let mut doomed: Vec<i32> = scripts.iter().flat_map(|it| [it.parent, it.id]).collect();
        loop {
            let all = processes();
            let more = all.iter().filter(|it| doomed.contains(&it.parent) && !doomed.contains(&it.id)).map(|it| it.id);
            let more: Vec<i32> = more.collect();
            if more.is_empty() {
                break;
            }
            doomed.extend(more);
        }
        doomed.into_iter().filter(|id| *id > 1).for_each(kill);
    }

    fn kill(&self, file: &str, signal: Signal) {
        let id = fs::read_to_string(self.path(file)).ok().and_then(|id| id.trim().parse().ok()).and_then(Pid::from_raw);
        if let Some(id) = id {
            let _ = kill_process(id, signal);
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in ["n1", "n2", "slurmctld", "munge"] {
            self.kill(&format!("{daemon}.pid"), Signal::TERM);
        }
        let here = self.path("").display().to_string();
        let is_here = || processes().iter().any(|it| it.command.contains(here.trim_end_matches('/')));
        let mut tries = 0;
        while is_here() && tries < 1_000 {
            tries += 1;
            std::thread::yield_now();
        }
    }
}

struct Process {
    id: i32,
    parent: i32,
    command: String,
}

fn processes() -> Vec<Process> {
    let read = |entry: fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name before may have spaces and parentheses.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        Some(Process { id, parent, command: String::from_utf8_lossy(&command).replace('\0', " ") })
    };
    let entries = fs::read_dir(Path::new("/proc")).expect("a system with /proc");
    entries.filter_map(|entry| read(entry.ok()?)).collect()
}

fn kill(id: i32) {
    if let Some(id) = Pid::from_raw(id) {
        let _ = kill_process(id, Signal::KILL);
    }
}
