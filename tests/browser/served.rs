//! `arena open --serve`: all results have one origin, and a report may be a stranger's.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::built_arena;
use crate::driver::{Browser, Options};
use crate::fixture::Folder;
use crate::live::{Arena, free_port, open};

/// Results of two tournaments, `cup` and `other`, as a server has them.
fn results() -> tempfile::TempDir {
    let results = tempfile::tempdir().expect("a folder");
    let folder = Folder::new("connect4", &["minimax", "greedy"], 2);
    for name in ["cup", "other"] {
        std::fs::create_dir(results.path().join(name)).expect("a folder");
        for file in folder.path().read_dir().expect("a folder").map(|file| file.expect("a file")) {
            std::fs::copy(file.path(), results.path().join(name).join(file.file_name())).expect("a copy");
        }
    }
    results
}

fn serve(results: &Path, port: u16) -> Arena {
    let mut command = Command::new(built_arena::arena());
    command.args(["open", "--serve", &format!("127.0.0.1:{port}"), "--results"]).arg(results);
    Arena(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts"))
}

#[test]
#[ignore = "needs a browser"]
fn our_own_pages_work_where_they_are_served() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let (results, port) = (results(), free_port());
    let _arena = serve(results.path(), port);
    open(&browser, port);
    assert_eq!(browser.problems(), "");
    browser.click("a[href='./cup/report.html']");
    browser.until("document.documentElement.dataset.ready");
    browser.click("table.list tbody tr a");
    browser.until("location.hash.includes('game=')");
    browser.keys("\u{e014}");
    browser.until("location.hash.includes('ply=')");
    browser.click("#theme");
    browser.until("document.documentElement.classList.contains('dark')");
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn a_report_of_a_stranger_reads_no_other_page() {
    const STRANGER: &str = r#"<!DOCTYPE html><html><head></head><body><script>
        const got = [], tried = [];
        const other = "/cup/report.html", table = "/cup/standings.csv";
        const attempt = (name, read) => tried.push(
            Promise.resolve().then(read).then((what) => { if (what) got.push(`${name}: ${what}`); }, () => {}));
        const waited = (start) => new Promise((done) => { start(done); setTimeout(done, 1000); });
        attempt("fetch", async () => (await fetch(other)).text());
        attempt("opaque", async () => (await fetch(other, { mode: "no-cors" })).type);
        attempt("xhr", () => waited((done) => {
            const request = new XMLHttpRequest();
            request.onload = () => done(request.responseText);
            request.open("GET", other);
            request.send();
        }));
        attempt("frame", () => waited((done) => {
            const frame = document.createElement("iframe");
            frame.onload = () => done(frame.contentDocument?.body?.textContent);
            frame.src = other;
            document.body.append(frame);
        }));
        attempt("window", () => waited((done) => {
            const opened = open(other);
            setTimeout(() => { try { done(opened.document.body.textContent); } catch { done(); } }, 500);
        }));
        for (const [tag, name] of [["img", "src"], ["script", "src"], ["embed", "src"], ["object", "data"]]) {
            attempt(tag, () => waited((done) => {
                const node = document.createElement(tag);
                node.onload = () => done("loaded");
                node[name] = tag === "script" ? other : table;
                document.body.append(node);
            }));
        }
        attempt("storage", () => { localStorage.setItem("a", "b"); return localStorage.getItem("a"); });
        Promise.all(tried).then(() => { document.documentElement.dataset.got = got.join("; ") || "nothing"; });
    </script></body></html>"#;
    let Some(browser) = Browser::start(Options::default()) else { return };
    let (results, port) = (results(), free_port());
    std::fs::write(results.path().join("other/report.html"), STRANGER).expect("written");
    let _arena = serve(results.path(), port);
    open(&browser, port);
    browser.open(&format!("http://127.0.0.1:{port}/other/report.html"));
    browser.until("document.documentElement.dataset.got");
    assert_eq!(browser.text("document.documentElement.dataset.got"), "nothing");
    assert_eq!(browser.eval("origin"), json!("null"));
}
