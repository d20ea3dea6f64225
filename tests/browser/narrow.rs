//! What is seen of a report on a phone and on a laptop: nothing is cut, small, or scrolls with the page.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::built_arena;
use crate::driver::{Browser, Options};
use crate::fixture::Folder;
use crate::report::assert_accessible;

const WIDTHS: [u32; 2] = [390, 1280];
/// The least size of a text in a plot, in pixels, without what rounding takes.
const LEAST: f64 = 10.99;

const NAMES: [&str; 8] = [
    "a-name-of-thirty-two-characters-",
    "first-experiment-of-the-season",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "minimax",
    "greedy",
    "mcts",
    "random",
    "x",
];

/// The report of a tournament of this format between the built-in bots, below `dir`.
fn played(dir: &Path, format: &str) -> PathBuf {
    let args =
        format!("tournament --builtins --game tictactoe --format {format} --no-check -q --name {format} --seed 1");
    let mut command = std::process::Command::new(built_arena::arena());
    let out = command.args(args.split(' ')).current_dir(dir).output().expect("the arena starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    dir.join(format!("results/{format}/report.html"))
}

/// What is wrong with the page that is open: its width, texts of plots that are too small, and cells that are cut.
#[track_caller]
fn assert_readable(browser: &Browser, what: &str) {
    let wide = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.documentElement)";
    assert!(browser.eval(wide).as_i64().is_some_and(|wide| wide <= 0), "{what}: the page scrolls sideways");
    let texts =
        "[...document.querySelectorAll('.chart text, .bar text, .plot text')].filter((text) => text.checkVisibility())";
    assert!(browser.eval(&format!("{texts}.length")).as_u64() > Some(20), "{what}");
    let small = format!(
        "{texts}.map((text) => [text.textContent, parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a])\
         .filter(([, size]) => size < {LEAST})"
    );
    assert_eq!(browser.eval(&small), json!([]), "{what}");
    let cut = "[...document.querySelectorAll('.faults :is(th, td), .standings th, table.list td:nth-child(5)')]\
               .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)";
    assert_eq!(browser.eval(cut), json!([]), "{what}");
}

/// Scrolls a region and returns how far the first element of a selector in it moves with it.
fn moved(browser: &Browser, region: &str, css: &str) -> f64 {
    let left = format!("document.querySelector('{region} {css}').getBoundingClientRect().left");
    browser.eval(&format!("void (document.querySelector('{region}').scrollLeft = 0)"));
    let before = browser.eval(&left).as_f64().expect("a place");
    browser.eval(&format!("void (document.querySelector('{region}').scrollLeft = 100)"));
    let scrolled = browser.eval(&format!("document.querySelector('{region}').scrollLeft"));
    assert_eq!(scrolled, json!(100), "{region} scrolls by itself");
    before - browser.eval(&left).as_f64().expect("a place")
}

#[test]
#[ignore = "needs a browser"]
fn reports_are_readable_on_a_phone_and_on_a_laptop() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = Folder::new("connect4", &NAMES, 3);
    let reports = [folder.report(), played(dir.path(), "knockout"), played(dir.path(), "swiss")];
    for width in WIDTHS {
        let Some(browser) = Browser::start(Options { width, ..Options::default() }) else { return };
        for (report, what) in reports.iter().zip(["faults", "knockout", "swiss"]) {
            browser.open_file(report, "");
            browser.until("document.querySelector('#player .plot')");
            // What is folded has plots too.
            browser.eval("void document.querySelectorAll('main details').forEach((fold) => (fold.open = true))");
            for theme in ["light", "dark"] {
                if browser.eval("document.documentElement.classList.contains('dark')") != json!(theme == "dark") {
                    browser.click("#theme");
                }
                assert_readable(&browser, &format!("{what}, {theme}, {width} px"));
                assert_accessible(&browser, &format!("{what}, {theme}, {width} px"));
                browser.screenshot(&format!("narrow-{what}-{theme}-{width}"));
            }
            assert_eq!(browser.problems(), "");
        }
    }
}

#[test]
#[ignore = "needs a browser"]
fn what_is_wide_scrolls_and_its_names_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = Folder::new("connect4", &NAMES, 3);
    let swiss = played(dir.path(), "swiss");
    let Some(browser) = Browser::start(Options { width: 390, ..Options::default() }) else { return };
    browser.open_file(&folder.report(), "");
    browser.until("document.documentElement.dataset.ready");
    for css in ["tbody td", "tbody th", "thead th", "thead th:nth-child(2)"] {
        assert!(moved(&browser, ".matrices .scroll", css).abs() < 1.0, "{css}");
    }
    // The rank goes, the name stays once it is at the edge.
    assert!(moved(&browser, "#who .scroll", "tbody th") < 99.0);
    assert!(moved(&browser, "#who .scroll", "tbody td") > 99.0);
    // Of each fault all is seen, without scrolling.
    let inside =
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('#faults .scroll'))";
    assert_eq!(browser.eval(inside), json!(true));
    browser.open_file(&swiss, "");
    browser.until("document.documentElement.dataset.ready");
    browser.eval("void document.querySelector('.split').parentNode.setAttribute('id', 'rounds')");
    let wide =
        browser.eval("document.getElementById('rounds').scrollWidth - document.getElementById('rounds').clientWidth");
    assert!(wide.as_i64().is_some_and(|wide| wide > 0), "{wide}");
    browser.eval("void (document.getElementById('rounds').scrollLeft = 9999)");
    let left = "document.querySelector('#rounds svg').getBoundingClientRect().left - document.getElementById('rounds').getBoundingClientRect().left";
    assert!(browser.eval(left).as_f64().is_some_and(|left| left.abs() < 1.0));
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn the_reason_of_each_game_is_seen_on_a_laptop() {
    let folder = Folder::new("connect4", &NAMES, 3);
    let Some(browser) = Browser::start(Options::default()) else { return };
    browser.open_file(&folder.report(), "");
    browser.until("document.documentElement.dataset.ready");
    let beyond = "[...document.querySelectorAll('table.list td:nth-child(5)')].filter((cell) => \
                  cell.getBoundingClientRect().right > document.querySelector('.list').getBoundingClientRect().right + 0.5)\
                  .map((cell) => cell.textContent)";
    assert_eq!(browser.eval(beyond), json!([]));
    assert_eq!(browser.eval("document.querySelectorAll('table.list td:nth-child(5)').length"), json!(50));
}
