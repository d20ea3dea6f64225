//! A real browser: Debian's Chromium, driven by `chromedriver`. Where there is none, [`Browser::start`] says so.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::wd::PrintConfiguration;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::built_arena;

/// Nothing that a page does takes longer.
const LIMIT: Duration = Duration::from_secs(60);

/// What a browser is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Whether pages may run scripts.
    pub(crate) scripts: bool,
    /// Whether the system prefers dark colours.
    pub(crate) dark: bool,
}

/// A browser with one window; it and its driver end with this value.
pub(crate) struct Browser {
    client: Client,
    runtime: Runtime,
    /// Field order: it ends before its files are removed.
    _driver: Driver,
    /// Removed when both have ended.
    _scratch: TempDir,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 1280, height: 900, scripts: true, dark: false }
    }
}

impl Browser {
    /// A browser, or `None` where there is no driver, which is said.
    pub(crate) fn start(options: Options) -> Option<Self> {
        // Both leave files behind when they end.
        let scratch = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("TMPDIR", scratch.path()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(driver) = command.spawn() else {
            writeln!(
                std::io::stderr(),
                "not tested: pages in a browser: there is no chromedriver; apt-get install chromium-driver"
            )
            .expect("stderr");
            return None;
        };
        let mut driver = Driver(driver);
        let said = BufReader::new(driver.0.stdout.take().expect("a pipe"));
        let lines = said.lines().map_while(Result::ok);
        let port = lines
            .filter_map(|line| line.split(" on port ").nth(1).map(str::to_owned))
            .find_map(|port| port.trim_end_matches('.').parse::<u16>().ok().filter(|port| *port > 0));
        let port = port.expect("chromedriver names its port");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(options));
        let client = runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}"))).expect("a session");
        Some(Self { client, runtime, _driver: driver, _scratch: scratch })
    }

    /// Opens an address and waits for its document.
    pub(crate) fn open(&self, url: &str) {
        self.runtime.block_on(self.client.goto(url)).expect("the page opens");
    }

    /// Opens a file, at a fragment such as `#games` or none.
    pub(crate) fn open_file(&self, path: &Path, fragment: &str) {
        // A change of the fragment alone loads nothing.
        self.open("about:blank");
        self.open(&format!("file://{}{fragment}", path.display()));
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn eval(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        self.runtime
            .block_on(self.client.execute(&script, vec![]))
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// The text of an expression in the page.
    #[track_caller]
    pub(crate) fn text(&self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_else(|| panic!("no text: {expression}")).to_owned()
    }

    /// What an asynchronous script hands to `done`.
    #[track_caller]
    pub(crate) fn eval_async(&self, script: &str) -> Value {
        let script = format!("const done = arguments[0]; {script}");
        self.runtime.block_on(self.client.execute_async(&script, vec![])).expect("the script calls done")
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn until(&self, expression: &str) {
        let end = now() + LIMIT;
        while self.eval(&format!("Boolean({expression})")) != json!(true) {
            assert!(now() < end, "not within {LIMIT:?}: {expression}; errors: {}", self.problems());
        }
    }

    /// Presses keys where the focus is: characters, or codes of [`fantoccini::key::Key`].
    #[track_caller]
    pub(crate) fn keys(&self, keys: &str) {
        let typed = self.runtime.block_on(async { self.client.active_element().await?.send_keys(keys).await });
        typed.expect("keys are typed");
    }

    /// Clicks the first element of a selector.
    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        let clicked = self.runtime.block_on(async { self.find(css).await?.click().await });
        clicked.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    async fn find(&self, css: &str) -> Result<Element, fantoccini::error::CmdError> {
        self.client.find(Locator::Css(css)).await
    }

    /// The text that a reader sees of the first element of a selector; works without scripts too.
    #[track_caller]
    pub(crate) fn seen(&self, css: &str) -> String {
        let seen = self.runtime.block_on(async { self.find(css).await?.text().await });
        seen.unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    /// The page as PDF.
    pub(crate) fn pdf(&self) -> Vec<u8> {
        self.runtime.block_on(self.client.print(PrintConfiguration::default())).expect("a PDF")
    }

    /// Writes what is seen as PNG to `ARENA_SCREENSHOTS`, if that is set.
    pub(crate) fn screenshot(&self, name: &str) {
        if let Some(dir) = std::env::var_os("ARENA_SCREENSHOTS") {
            let png = self.runtime.block_on(self.client.screenshot()).expect("a picture");
            std::fs::write(Path::new(&dir).join(format!("{name}.png")), png).expect("a file");
        }
    }

    /// Takes a picture of the README again with `ARENA_BLESS=1`: its bytes depend on the browser and its fonts.
    pub(crate) fn picture(&self, name: &str) {
        let path = built_arena::root().join(format!("docs/pictures/{name}.png"));
        if std::env::var_os("ARENA_BLESS").is_some() {
            let png = self.runtime.block_on(self.client.screenshot()).expect("a picture");
            std::fs::write(&path, png).expect("a file");
        }
        assert!(path.exists(), "ARENA_BLESS=1 takes {}", path.display());
    }

    /// Errors of scripts and violations of the page's policy, which its script notes; empty if there are none.
    pub(crate) fn problems(&self) -> String {
        let noted =
            "const noted = document.documentElement.dataset; return (noted.errors ?? '') + (noted.violations ?? '')";
        let noted = self.runtime.block_on(self.client.execute(noted, vec![])).expect("a page");
        noted.as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session, the driver only if it is killed.
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

/// `chromedriver`, killed when dropped.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn capabilities(options: Options) -> serde_json::Map<String, Value> {
    // Without motion a page scrolls at once, and what is clicked is where it was found.
    let mut args = vec![
        "--headless=new",
        "--disable-gpu",
        "--force-prefers-reduced-motion",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ];
    if rustix::process::getuid().is_root() {
        args.push("--no-sandbox");
    }
    if options.dark {
        args.push("--blink-settings=preferredColorScheme=0");
    }
    // Windows of Chromium have a least width; a device has not.
    let size = json!({ "width": options.width, "height": options.height, "pixelRatio": 1, "touch": false });
    let mut chrome = json!({ "args": args, "mobileEmulation": { "deviceMetrics": size } });
    if !options.scripts {
        chrome["prefs"] = json!({ "profile.managed_default_content_settings.javascript": 2 });
    }
    let all = json!({ "browserName": "chrome", "goog:chromeOptions": chrome });
    all.as_object().cloned().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a test that waits must know when to give up")]
fn now() -> Instant {
    Instant::now()
}
