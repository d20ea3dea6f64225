//! A NATS server: its program on this machine, on the loopback interface.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{LIMIT, is_installed, until};

/// What a server is started with.
enum Kind {
    /// `JetStream`.
    Store,
    /// A configuration file.
    Config(PathBuf),
    /// Nothing: it passes messages on and keeps none.
    Plain,
}

/// A server; killed at the end.
pub(crate) struct Server {
    child: Child,
    dir: PathBuf,
    port: u16,
    kind: Kind,
}

impl Server {
    /// With `JetStream`, on a free port; its files are in `dir/nats`. `None` where it is not installed.
    pub(crate) fn start(dir: &Path) -> Option<Self> {
        Self::start_as(dir, Kind::Store)
    }

    /// With this configuration file.
    pub(crate) fn with_config(dir: &Path, config: &Path) -> Option<Self> {
        Self::start_as(dir, Kind::Config(config.to_owned()))
    }

    /// Without `JetStream`.
    pub(crate) fn without_store(dir: &Path) -> Option<Self> {
        Self::start_as(dir, Kind::Plain)
    }

    fn start_as(dir: &Path, kind: Kind) -> Option<Self> {
        if std::env::var_os("NATS_SERVER").is_none() && !is_installed("nats-server", "workers") {
            return None;
        }
        let dir = dir.join("nats");
        fs::create_dir_all(&dir).expect("a folder");
        let child = spawn(&dir, -1, &kind);
        let mut port = None;
        until(LIMIT, "the server has a port", || {
            port = port_in(&dir);
            port.is_some()
        });
        let server = Self { child, dir, port: port.expect("a port"), kind };
        server.await_ready();
        Some(server)
    }

    fn await_ready(&self) {
        until(LIMIT, "the server answers", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// With a user and a password.
    pub(crate) fn url_of(&self, user: &str) -> String {
        format!("nats://{user}:secret@127.0.0.1:{}", self.port)
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a loss of power would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again, on the same port and with what is on its disk.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.dir, self.port.into(), &self.kind);
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

fn spawn(dir: &Path, port: i32, kind: &Kind) -> Child {
    let program = std::env::var_os("NATS_SERVER").unwrap_or_else(|| "nats-server".into());
    let mut command = Command::new(&program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "--ports_file_dir"]).arg(dir);
    match kind {
        Kind::Store => drop(command.arg("-js").arg("-sd").arg(dir.join("store"))),
        Kind::Config(config) => drop(command.arg("-c").arg(config)),
        Kind::Plain => {}
    }
    let log = File::options().create(true).append(true).open(dir.join("log")).expect("a file");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.to_string_lossy()))
}

/// The port in the file that the server writes.
fn port_in(dir: &Path) -> Option<u16> {
    let mut files = fs::read_dir(dir).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let file = files.find(|path| path.extension().is_some_and(|extension| extension == "ports"))?;
    let ports: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    ports["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
}
