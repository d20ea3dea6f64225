//! The live page of a run, watched from its start over a restart to its end.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::built_arena;
use crate::driver::{Browser, Options};
use crate::report::assert_accessible;
use crate::truth::check_headline;

/// An arena in a folder of its own; killed with this value.
pub(crate) struct Arena(pub(crate) Child);

impl Arena {
    /// Starts a tournament of the bots of `dir`, or else of the built-in ones, whose page is at `port`.
    fn start(dir: &Path, port: u16, args: &str) -> Self {
        let mut command = Command::new(built_arena::arena());
        command.args(["tournament", "--no-check", "-q", "-j", "1", "--seed", "1"]);
        if !dir.join("bots").exists() {
            command.arg("--builtins");
        }
        command.args(["--serve", &format!("127.0.0.1:{port}")]).args(args.split(' '));
        let started = command
            .current_dir(dir)
            .env("TMPDIR", dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(started.expect("the arena starts"))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago; kept over a restart, unlike one that the arena chooses.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Opens the page, which may not be served yet.
#[expect(clippy::disallowed_methods, reason = "a test that waits must know when to give up")]
pub(crate) fn open(browser: &Browser, port: u16) {
    let end = Instant::now() + Duration::from_secs(20);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the page is not served");
    }
    browser.open(&format!("http://127.0.0.1:{port}/"));
}

/// For each element of a selector, whether it is as wide as the page's content.
fn whole_width(css: &str) -> String {
    format!(
        "[...document.querySelectorAll('{css}')].map((it) => \
         Math.abs(it.getBoundingClientRect().width - document.querySelector('main').getBoundingClientRect().width) < 1)"
    )
}

#[test]
#[ignore = "needs a browser"]
fn a_run_is_watched_over_a_restart() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let args = "--game connect4 --rounds 5000";
    let arena = Arena::start(dir.path(), port, args);
    open(&browser, port);
    browser.until("document.querySelectorAll('#standings tr').length >= 3");
    browser.until("document.querySelector('#boards .mark')");
    let done = "Number.parseInt(document.querySelector('#figures dd').textContent.replaceAll(',', ''))";
    let before = browser.eval(done).as_f64().expect("a number");
    browser.until(&format!("{done} > {before}"));
    // Boards and standings take the whole width, whatever else is hidden.
    assert_eq!(browser.eval(&whole_width("#now, #running, #ranking")), json!([true, true, true]));
    assert_eq!(browser.eval("document.querySelectorAll('#boards .large').length"), 1);
    browser.until("/^[0-9]+ % · .* leads · connect4$/u.test(document.title)");
    // A finished game, step by step.
    browser.click("#last button");
    browser.until("document.querySelector('#player .board .picture')");
    let last = browser.text("document.querySelector('#player p.now').textContent");
    assert!(last.starts_with("ply "), "{last}");
    let start = format!("start, {} plies to come", last.split([' ', ':']).nth(3).expect("a number"));
    browser.click("#player [aria-label='First position']");
    assert_eq!(browser.text("document.querySelector('#player p.now').textContent"), start);
    assert!(browser.text("document.querySelector('#position').textContent").starts_with(" 0 1 2 3 4 5 6"));
    browser.click("#player [aria-label='Last position']");
    assert_eq!(browser.text("document.querySelector('#player p.now').textContent"), last);
    // The address tells the position, and an address of a position shows it.
    browser.eval("document.querySelectorAll('#player .plies a')[1].click()");
    browser.until("document.querySelector('#player p.now').textContent.startsWith('ply 2 of ')");
    assert!(browser.text("location.hash").ends_with("&ply=2"));
    browser.screenshot("live");
    assert_accessible(&browser, "live");
    // Of two games that are asked for, the later one is shown, even if its answer comes first.
    browser.eval_async(
        "(async () => {
            const [asked, unpacking, real, { arrayBuffer }] = [[], [], fetch, Response.prototype];
            window.fetch = (url) => new Promise((answer) => asked.push({ url, answer }));
            Response.prototype.arrayBuffer = function () {
                const unpacked = arrayBuffer.call(this);
                unpacking.push(unpacked);
                return unpacked;
            };
            for (const open of [...document.querySelectorAll('#last button')].slice(0, 2)) open.click();
            for (const { url, answer } of asked.toReversed()) {
                const game = await (await real(url)).text();
                unpacking.length = 0;
                answer({ ok: true, text: async () => game });
                // All lines of the game.
                while (unpacking.length < 6) await new Promise((wait) => setTimeout(wait));
                await Promise.all(unpacking);
                await new Promise((wait) => setTimeout(wait));
            }
            [window.fetch, window.later] = [real, asked[1].url];
            done();
        })()",
    );
    let shown = browser.text("document.querySelector('#command').textContent");
    let later = browser.text("later");
    assert_eq!(shown.split(' ').nth(2), later.rsplit('/').next());
    // A game that is analysed while others are played has its results with best play.
    let mut analyze = Command::new(built_arena::arena());
    analyze.args(["analyze", "--last", "6", "--json"]).current_dir(dir.path()).stderr(Stdio::null());
    assert!(analyze.output().expect("the arena starts").status.success());
    let entries = std::fs::read_to_string(dir.path().join("results/connect4/analysis.jsonl")).expect("entries");
    let mut entries = entries.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    // On a slow machine a game may end before its first move.
    let entry = entries.find(|entry| !entry["could"][0].is_null()).expect("a game with a move");
    // The game that is shown stays as it was when it was opened.
    browser.eval("[...document.querySelectorAll('#player button')].find((it) => it.textContent === 'Close').click()");
    browser.eval(&format!("location.hash = 'game={}&ply=0'", entry["id"].as_str().expect("an id")));
    browser.until("document.querySelector('#player .truth')");
    browser.screenshot("live-analysed");
    assert_eq!(browser.problems(), "");
    browser.eval("void scrollTo(0, 0)");
    browser.picture("live");
    // Another run at the same address: the page notices, and reloads.
    browser.eval("document.body.id = 'old'");
    drop(arena);
    browser.until("/^Connection lost at [0-9:]+; trying again/u.test(document.getElementById('link').textContent)");
    assert_eq!(browser.eval("document.body.className"), "gone");
    let arena = Arena::start(dir.path(), port, args);
    browser.until("document.body.id === '' && document.querySelector('#boards .mark')");
    assert_eq!(browser.problems(), "");
    drop(arena);
}

#[test]
#[ignore = "needs a browser"]
fn a_page_shows_the_end_on_a_small_dark_screen() {
    let Some(browser) = Browser::start(Options { width: 320, height: 800, dark: true, ..Options::default() }) else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let port = free_port();
    // Long enough for a slow browser to open the page before the end.
    let _arena = Arena::start(dir.path(), port, "--game tictactoe --rounds 400");
    open(&browser, port);
    browser.until("document.getElementById('link').textContent.startsWith('Over: complete')");
    browser.until("document.querySelector('#files a[download]')");
    assert!(browser.text("document.getElementById('phase').textContent").starts_with("finished: "));
    // The page has the ranks of the file.
    let csv = std::fs::read_to_string(dir.path().join("results/tictactoe/standings.csv")).expect("standings");
    let ranks = csv.lines().skip(1).map(|row| match row.split(',').collect::<Vec<_>>()[1..3] {
        [best, worst] if best == worst => best.to_owned(),
        [best, worst] => format!("{best}–{worst}"),
        _ => panic!("{row}"),
    });
    let ranks: Vec<String> = ranks.collect();
    assert!(ranks.iter().any(|ranks| ranks.contains('–')) && ranks.iter().any(|ranks| !ranks.contains('–')), "{csv}");
    let shown =
        "[...document.querySelectorAll('#standings td:first-child')].map((cell) => cell.firstChild.textContent)";
    assert_eq!(browser.eval(shown), json!(ranks));
    let note = browser.text("document.getElementById('standings-note').textContent");
    assert!(note.ends_with("A range of ranks: all that the games allow."), "{note}");
    let wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert_eq!(browser.eval(wider), false, "the page scrolls sideways");
    assert_eq!(browser.eval("matchMedia('(prefers-color-scheme: dark)').matches"), true);
    let all = whole_width("main > section:not(.hidden)");
    assert_eq!(browser.eval(&format!("{all}.every(Boolean)")), true);
    assert_eq!(browser.eval("document.body.className"), "");
    browser.screenshot("live-320");
    assert_accessible(&browser, "live, dark, 320 px");
    assert_eq!(browser.problems(), "");
}

/// A bot that makes one move, with an evaluation and a comment that is not to be trusted, and is asked in vain for others.
const THINKER: &str = r#"#!/bin/sh
id() { echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
read -r line; echo '{"type":"hello","protocol":1}'
read -r line; echo "{\"type\":\"ready\",\"id\":$(id "$line")}"
read -r line; echo "{\"type\":\"move\",\"id\":$(id "$line"),\"move\":3,\"eval\":0.25,\"comment\":\"\\u001b[31m<b>centre</b>\"}"
while read -r line; do :; done
"#;

#[test]
#[ignore = "needs a browser"]
fn clocks_run_while_a_bot_thinks() {
    for (name, options) in [
        ("thinks", Options::default()),
        ("thinks-320", Options { width: 320, height: 800, dark: true, ..Options::default() }),
    ] {
        let Some(browser) = Browser::start(options) else { return };
        let dir = tempfile::tempdir().expect("a folder");
        for bot in ["one", "two"] {
            let path = dir.path().join("bots").join(bot);
            std::fs::create_dir_all(dir.path().join("bots")).expect("a folder");
            std::fs::write(&path, THINKER).expect("a bot");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let port = free_port();
        let arena = Arena::start(dir.path(), port, "--game connect4 --rounds 1 --time 5m+1s");
        open(&browser, port);
        let of = |plate: &str| format!("document.querySelector('#boards .large {plate}').textContent");
        // Both have made their moves, and the first is asked again.
        let all_said =
            "[...document.querySelectorAll('#boards .large .plate')].every((it) => it.textContent.includes('+0.25'))";
        browser.until(&format!("document.querySelector('#boards .large .thinks') && {all_said}"));
        let running = of(".thinks");
        let before = browser.text(&running);
        // The clock of the other stands still.
        let other = browser.text(&of(".plate:not(.thinks)"));
        assert!([&before, &other].iter().all(|text| text.contains(" · +0.25 · ")), "{before}; {other}");
        browser.until(&format!("{running} !== {}", json!(before)));
        assert!(browser.text(&running).contains(" · +0.25 · "));
        assert!(browser.text(&of(".said")).ends_with(": “\\u{1b}[31m<b>centre</b>”"));
        assert_eq!(browser.text(&of(".plate:not(.thinks)")), other);
        assert_eq!(browser.eval("document.querySelectorAll('#boards .large .eval-bar').length"), 1);
        assert!(!browser.text("document.getElementById('announce').textContent").contains("0.25"));
        let wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        assert_eq!(browser.eval(wider), false, "the page scrolls sideways");
        browser.eval("document.getElementById('running').scrollIntoView()");
        browser.screenshot(name);
        assert_accessible(&browser, name);
        assert_eq!(browser.problems(), "");
        drop(arena);
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_bracket_fills() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let _arena = Arena::start(dir.path(), port, "--game tictactoe --format knockout --pairs 20 --third-place");
    open(&browser, port);
    browser.until(
        "document.querySelector('#drawing img')?.complete && document.querySelector('#drawing img').naturalWidth > 300",
    );
    browser.until("document.querySelector('#drawing img').alt.includes('Quarterfinal: ')");
    assert_accessible(&browser, "a bracket");
    browser.screenshot("live-bracket");
    assert_eq!(browser.problems(), "");
}

/// Four bots play a knockout of a game whose rules draw, slowly enough to be watched. Every headline and every title of the page is
/// read as it appears.
#[test]
#[ignore = "needs a browser"]
fn a_live_final_is_told_as_it_is() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("bots")).expect("a folder");
    for name in ["alpha", "bravo", "charlie", "delta"] {
        std::fs::write(dir.path().join(format!("bots/{name}.toml")), "builtin = \"random\"\n").expect("a bot");
    }
    let rules = built_arena::root().join("examples/games/othello.toml");
    let port = free_port();
    let play = "--format knockout --pairs 2 --name cup --watch-pace 150ms";
    let _arena = Arena::start(dir.path(), port, &format!("--game {}:size=4 {play}", rules.display()));
    open(&browser, port);
    browser.eval(
        "void (window.told = [], window.titles = [], setInterval(() => {
            const add = (all, text) => { if (text && all.at(-1) !== text) all.push(text); };
            add(told, document.getElementById('headline').textContent);
            add(titles, document.title);
        }, 50))",
    );
    // The board is the picture of the rules, with seats by their names.
    browser.until("document.querySelector('#boards .large img.picture')?.naturalWidth > 0");
    let plates = "[...document.querySelectorAll('#boards .large .plate')].map((it) => it.textContent)";
    let plates = browser.eval(plates).to_string();
    assert!(plates.contains("black") && plates.contains("white"), "{plates}");
    let bar = browser.eval("document.getElementById('progress').value / document.getElementById('progress').max");
    assert!(bar.as_f64().expect("a share") < 0.5, "{bar}");
    browser.screenshot("live-pictures");
    assert_accessible(&browser, "boards with pictures");
    browser.until("document.getElementById('link').textContent.startsWith('Over: complete')");
    browser.until("document.title.startsWith('over · ') && told.at(-1).includes(' won the knockout: ')");
    let left =
        "[...document.querySelectorAll('#figures dt')].find((it) => it.textContent === 'Left').nextSibling.textContent";
    assert_eq!(browser.text(left), "0 s");
    let texts = |name: &str| -> Vec<String> {
        let all = browser.eval(name);
        all.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let journal = std::fs::read_to_string(dir.path().join("results/cup/games.jsonl")).expect("a journal");
    let told = texts("told");
    assert!(told.len() > 2, "{told:?}");
    for headline in &told {
        check_headline(headline, &journal);
    }
    // Nobody leads a knockout before somebody has won it.
    let titles = texts("titles");
    assert!(titles.iter().all(|title| !title.contains(" leads")), "{titles:?}");
    assert!(titles.last().is_some_and(|title| title.contains(" won · ")), "{titles:?}");
    browser.screenshot("live-final");
    assert_eq!(browser.problems(), "");
}
