//! A server, a coordinator and workers as processes, in a folder of their own.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

/// Nothing here takes longer.
const LIMIT: Duration = Duration::from_secs(240);

#[expect(clippy::disallowed_methods, reason = "a test that waits must know when to give up")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = now() + LIMIT;
    while !is_so() {
        assert!(now() < end, "not within {LIMIT:?}: {what}");
        let _ = poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: 20_000_000 }));
    }
}

/// A folder with bots, results and a server.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    /// With manifests of built-in bots: `greedy`, `minimax depth=2`, …, each under the name before `=`.
    pub(crate) fn with_bots(bots: &[&str]) -> Self {
        let place = Self(tempfile::Builder::new().prefix("arena-cluster-").tempdir().expect("a temporary folder"));
        for folder in ["bots", "tmp"] {
            fs::create_dir(place.path(folder)).expect("a folder");
        }
        for bot in bots {
            let (name, strategy) = bot.split_once(": ").expect("a name and a strategy");
            let mut words = strategy.split(' ');
            let mut manifest = format!("builtin = {:?}\n", words.next().expect("a strategy"));
            let options: Vec<String> = words.map(|word| word.replace('=', " = ")).collect();
            if !options.is_empty() {
                manifest = format!("{manifest}options = {{ {} }}\n", options.join(", "));
            }
            place.file(&format!("bots/{name}.toml"), &manifest);
        }
        place
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(relative)
    }

    pub(crate) fn file(&self, relative: &str, text: &str) {
        fs::write(self.path(relative), text).expect("a file");
    }

    /// `arena` with these words, its output in files called `name`.
    pub(crate) fn arena(&self, name: &str, words: &str) -> Running {
        let [out, err] = ["out", "err"].map(|end| self.path(format!("{name}.{end}")));
        let child = Command::new(env!("CARGO_BIN_EXE_arena"))
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.path(format!("{name}.cache")))
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::null())
            .stdout(File::create(&out).expect("a file"))
            .stderr(File::create(&err).expect("a file"))
            .spawn()
            .expect("it starts");
        Running { child: Some(child), out, err }
    }

    /// The lines of the journal in a folder of results; also while it is written.
    pub(crate) fn journal(&self, results: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(results).join("connect4/games.jsonl")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Number of games in the journal in a folder of results.
    pub(crate) fn games(&self, results: &str) -> usize {
        self.journal(results).iter().filter(|line| line.starts_with(r#"{"type":"game""#)).count()
    }

    /// Waits until so many games are in the journal.
    pub(crate) fn await_games(&self, results: &str, games: usize) {
        until(&format!("{games} games in {results}"), || self.games(results) >= games);
    }

    /// Fails unless the tables in two folders are the same, except for times, and every game was played once.
    #[track_caller]
    pub(crate) fn assert_same(&self, one: &str, other: &str) {
        for file in ["standings.csv", "crosstable.csv", "head_to_head.csv", "games.csv"] {
            let [a, b] = [one, other].map(|results| table(&self.path(results).join("connect4").join(file)));
            let differing: Vec<_> = a.lines().zip(b.lines()).filter(|(a, b)| a != b).collect();
            assert!(a == b, "{file} differs: {differing:#?}");
        }
        let mut ids: Vec<String> =
            self.journal(other).iter().filter_map(|line| Some(line.get(..45)?.to_owned())).collect();
        ids.retain(|id| id.starts_with(r#"{"type":"game""#));
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "a game is in the journal twice");
    }
}

/// A table without the columns of times.
fn table(path: &Path) -> String {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let head = reader.headers().expect("a header").clone();
    // A game that was tried again, because the machine gave a bot no processor, has another id.
    let is_kept = |column: &usize| !head[*column].ends_with("_ms") && &head[*column] != "id";
    let kept: Vec<usize> = (0..head.len()).filter(is_kept).collect();
    let row = |row: &csv::StringRecord| kept.iter().map(|column| &row[*column]).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = reader.records().map(|record| row(&record.expect("a row"))).collect();
    format!("{}\n{}", row(&head), rows.join("\n"))
}

/// A command; killed if the test ends before it does.
pub(crate) struct Running {
    child: Option<Child>,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("it was not waited for"))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    /// Ends it as a loss of power would.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().expect("it was not waited for");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }

    /// Waits for its end; returns its exit code.
    #[track_caller]
    pub(crate) fn code(&mut self) -> Option<i32> {
        let mut child = self.child.take().expect("it was not waited for");
        let mut status = None;
        until("a command ends", || {
            status = child.try_wait().expect("it can be waited for");
            status.is_some()
        });
        status.expect("it has ended").code()
    }

    /// What it has written to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.err).unwrap_or_default()
    }

    /// What it has written to stdout so far.
    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.out).unwrap_or_default()
    }

    /// Waits until it has written this to stderr.
    #[track_caller]
    pub(crate) fn await_text(&self, text: &str) {
        until(&format!("`{text}` in:\n{}", self.stderr()), || self.stderr().contains(text));
    }

    /// Waits for its end, which must be this exit code.
    #[track_caller]
    pub(crate) fn ends_with(&mut self, code: i32) {
        let ended = self.code();
        assert_eq!(ended, Some(code), "{}", self.stderr());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A NATS server; killed at the end.
pub(crate) struct Server {
    child: Child,
    dir: PathBuf,
    port: u16,
    config: Option<PathBuf>,
    has_store: bool,
}

impl Server {
    /// With `JetStream`, on a free port.
    pub(crate) fn start(place: &Place) -> Self {
        Self::start_as(place, None, true)
    }

    /// With this configuration file.
    pub(crate) fn with_config(place: &Place, config: &str) -> Self {
        Self::start_as(place, Some(place.path(config)), true)
    }

    /// Without `JetStream`.
    pub(crate) fn without_store(place: &Place) -> Self {
        Self::start_as(place, None, false)
    }

    fn start_as(place: &Place, config: Option<PathBuf>, has_store: bool) -> Self {
        let dir = place.path("nats");
        fs::create_dir_all(&dir).expect("a folder");
        let child = spawn(&dir, -1, config.as_deref(), has_store);
        let mut port = None;
        until("the server has a port", || {
            port = ports(&dir);
            port.is_some()
        });
        let server = Self { child, dir, port: port.expect("a port"), config, has_store };
        server.await_ready();
        server
    }

    fn await_ready(&self) {
        until("the server answers", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// With a user and a password.
    pub(crate) fn url_of(&self, user: &str) -> String {
        format!("nats://{user}:secret@127.0.0.1:{}", self.port)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again, on the same port and with what is on its disk.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.dir, self.port.into(), self.config.as_deref(), self.has_store);
        self.await_ready();
    }

    /// Removes what is on its disk.
    pub(crate) fn wipe(&self) {
        fs::remove_dir_all(self.dir.join("store")).expect("a folder");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(dir: &Path, port: i32, config: Option<&Path>, has_store: bool) -> Child {
    let program = std::env::var_os("NATS_SERVER").unwrap_or_else(|| "nats-server".into());
    let mut command = Command::new(&program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "--ports_file_dir"]).arg(dir);
    if has_store && config.is_none() {
        command.arg("-js").arg("-sd").arg(dir.join("store"));
    }
    if let Some(config) = config {
        command.arg("-c").arg(config);
    }
    let log = File::options().create(true).append(true).open(dir.join("log")).expect("a file");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command.spawn().unwrap_or_else(|error| {
        panic!("{}: {error}; install nats-server, or set NATS_SERVER", program.to_string_lossy())
    })
}

/// The port in the file that the server writes.
fn ports(dir: &Path) -> Option<u16> {
    let mut files = fs::read_dir(dir).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let file = files.find(|path| path.extension().is_some_and(|extension| extension == "ports"))?;
    let ports: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    ports["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
}
