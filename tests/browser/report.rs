//! The report: tables, list of games, player.

use std::io::Write as _;

use arena::rules::Variant;
use serde_json::json;

use crate::built_arena;
use crate::driver::{Browser, Options};
use crate::fixture::{Folder, HOSTILE};

const BOTS: [&str; 4] = ["minimax", "greedy", "mcts", "random"];
const RIGHT: &str = "\u{e014}";

/// The report of a folder, opened at a fragment, its games ready.
fn open(browser: &Browser, folder: &Folder, fragment: &str) {
    browser.open_file(&folder.report(), fragment);
    browser.until("document.documentElement.dataset.ready");
}

#[test]
#[ignore = "needs a browser"]
fn every_game_steps_to_its_end_as_the_terminal_shows_it() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    for variant in Variant::names() {
        let folder = Folder::new(variant, &BOTS[..2], 2);
        open(&browser, &folder, "");
        for story in folder.stories() {
            let id = &story.record.id;
            browser.eval(&format!("void (location.hash = 'game={id}')"));
            browser.until(&format!("document.getElementById('command').textContent.startsWith('arena replay {id} ')"));
            let pictures: Vec<String> = story.pictures.iter().map(ToString::to_string).collect();
            // Keys are pressed one by one; texts are collected by the page.
            browser.eval("void (window.seen = [document.getElementById('position').textContent])");
            let watch = "new MutationObserver(() => seen.push(document.getElementById('position').textContent))";
            browser.eval(&format!(
                "void (window.watch?.disconnect(), window.watch = {watch}, \
                 watch.observe(document.getElementById('position'), {{ childList: true }}))"
            ));
            browser.keys(&RIGHT.repeat(pictures.len() - 1));
            browser.until(&format!("seen.length === {}", pictures.len()));
            assert_eq!(browser.eval("seen"), json!(pictures), "{variant}: {}", story.record.id);
            let moves: Vec<String> = story.plies().map(|ply| ply.played.to_string()).collect();
            let shown = "[...document.querySelectorAll('.plies tbody a')].map((link) => link.textContent.split(' ').slice(1).join(' '))";
            assert_eq!(browser.eval(shown), json!(moves), "{variant}");
            let ending = browser.text("document.querySelector('.ending').textContent");
            assert_eq!(ending, story.ending().join("\n"), "{variant}");
            assert!(browser.eval("document.querySelector('.board').firstChild.tagName").is_string());
        }
        assert_eq!(browser.problems(), "", "{variant}");
        browser.screenshot(&format!("player-{}", variant.replace(' ', "-")));
    }
}

#[test]
#[ignore = "needs a browser"]
fn games_are_filtered_sorted_and_opened_from_the_matrix() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let folder = Folder::new("connect4", &BOTS, 10);
    let stories = folder.stories();
    open(&browser, &folder, "");
    let filter = |text: &str| {
        browser.eval("void (document.getElementById('filter').value = '')");
        browser.eval("void document.getElementById('filter').focus()");
        browser.keys(text);
        browser.seen("#list-status")
    };
    let count =
        |holds: &dyn Fn(&arena::record::Record) -> bool| stories.iter().filter(|story| holds(&story.record)).count();
    let plays = |record: &arena::record::Record, name: &str| record.bots.iter().any(|bot| bot.name == name);
    let total = stories.len();

    browser.keys("/");
    assert_eq!(browser.text("document.activeElement.id"), "filter");
    let lost =
        count(&|record| record.result.winner().is_some_and(|won| record.bots[won.other().index()].name == "greedy"));
    assert_eq!(filter("bot:greedy lost"), format!("{lost} of {total} games"));
    let faults = count(&|record| record.reason == "illegal_move");
    assert!(faults > 0);
    assert_eq!(filter("reason:illegal"), format!("{faults} of {total} games"));
    assert_eq!(filter("fault"), format!("{faults} of {total} games"));
    assert_eq!(filter("fault last:1"), format!("1 of {total} games"));
    assert!(filter("color:red").starts_with("no word “color:”"));
    assert_eq!(filter("lost"), "“lost” needs a bot: bot:NAME lost");
    assert_eq!(filter(" "), format!("{total} games"));

    browser.click("table.list th:nth-child(6) button");
    let plies = "[...document.querySelectorAll('table.list tbody tr')].map((row) => Number(row.cells[5].textContent))";
    let mut longest: Vec<usize> = stories.iter().map(|story| story.record.moves.len()).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    longest.truncate(50);
    assert_eq!(browser.eval(plies), json!(longest));
    assert_eq!(browser.text("document.querySelector('table.list th:nth-child(6)').ariaSort"), "descending");
    assert_eq!(browser.seen("#announce"), "sorted by Plies, descending");
    browser.click("table.list + * , #page + button");
    assert!(browser.seen("#page").starts_with("page 2 of"));

    let [a, b] = [0, 1];
    browser.click(&format!("td[data-pair='{a} {b}'] button"));
    let met = count(&|record| plays(record, BOTS[a]) && plays(record, BOTS[b]));
    assert_eq!(browser.seen("#list-status"), format!("{met} of {total} games"));
    // The score of the pair by seat, until other games are asked for.
    let won = |seat: usize| {
        count(&|record| {
            record.bots[seat].name == BOTS[a]
                && record.bots[1 - seat].name == BOTS[b]
                && record.result.winner().is_some_and(|won| won.index() == seat)
        })
    };
    let cells = "[...document.querySelectorAll('#pair td')].map((cell) => Number(cell.textContent.split('–')[0]))";
    assert_eq!(browser.eval(cells), json!([won(0), won(1), won(0) + won(1)]));
    // One matrix at a time.
    let shown = "[...document.querySelectorAll('.matrices > div')].map((part) => part.checkVisibility())";
    assert_eq!(browser.eval(shown), json!([true, false]));
    browser.click("#pairings button:nth-child(2)");
    assert_eq!(browser.eval(shown), json!([false, true]));

    // A key opens the first game of those, another the next pair.
    browser.eval("void document.activeElement.blur()");
    browser.keys("j");
    browser.until("document.querySelector('tr[aria-current] a')");
    browser.until("location.hash.includes('ply=0')");
    browser.until("document.querySelector('#game-title').getBoundingClientRect().top < innerHeight / 2");
    let pair = browser.eval("document.querySelector('tr[aria-current]').cells[7].textContent");
    browser.keys("]");
    browser.until(&format!("document.querySelector('tr[aria-current]').cells[7].textContent !== String({pair})"));
    browser.keys("kG?");
    browser.until("document.getElementById('keys').open");
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn tables_sort_and_compare_with_a_bot() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let folder = Folder::new("tictactoe", &BOTS, 4);
    open(&browser, &folder, "");
    let names =
        "[...document.querySelectorAll('table.standings tbody tr')].map((row) => row.querySelector('th').innerText)";
    let ranked = browser.eval(names);
    let column =
        "[...document.querySelectorAll('table.standings thead th')].findIndex((th) => th.textContent === 'Bot') + 1";
    let column = browser.eval(column);
    browser.click(&format!("table.standings thead th:nth-child({column}) button"));
    assert_eq!(browser.eval(names), json!(["greedy", "mcts", "minimax", "random"]));
    assert_ne!(ranked, browser.eval(names));
    browser.click("table.standings thead th:first-child button");
    assert_eq!(browser.eval(names), ranked, "the first click on the rank sorts best first");

    browser.click("#reference option:nth-child(2)");
    let against = browser.text("document.querySelector('#reference').selectedOptions[0].textContent");
    assert_eq!(browser.seen("th.reference"), format!("Against {against}"));
    assert_eq!(browser.text("document.querySelector('th.reference').previousSibling.textContent"), "Bot");
    for name in BOTS.into_iter().filter(|name| **name != against) {
        let mut score = [0; 3];
        for story in folder.stories() {
            let seats = story.record.bots.each_ref().map(|bot| bot.name.as_str());
            let Some(own) = seats.iter().position(|seat| *seat == name).filter(|own| seats[1 - own] == against) else {
                continue;
            };
            score[match story.record.result.winner() {
                Some(seat) if seat.index() == own => 0,
                Some(_) => 2,
                None => 1,
            }] += 1;
        }
        let row = format!(
            "[...document.querySelectorAll('tr[data-bot]')].find((row) => row.querySelector('th').innerText === '{name}')"
        );
        let shown = browser.text(&format!("{row}.querySelector('.reference').textContent"));
        assert!(shown.starts_with(&format!("{}–{}–{} (", score[0], score[1], score[2])), "{name}: {shown}, {score:?}");
    }
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn hostile_texts_stay_text() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let folder = Folder::new("connect4", &HOSTILE, 2);
    open(&browser, &folder, "");
    assert_eq!(
        browser.eval("document.querySelectorAll('img, script:not([type]), [onerror], [onload]').length"),
        json!(0)
    );
    for bot in 0..HOSTILE.len() {
        browser.click(&format!("#reference option:nth-child({})", bot + 2));
        // Its games, from a cell of the matrix, are its own and no others.
        let other = (bot + 1) % HOSTILE.len();
        browser.click(&format!("td[data-pair='{bot} {other}'] button"));
        assert_eq!(
            browser.seen("#list-status"),
            "4 of 60 games",
            "{}",
            browser.text("document.getElementById('filter').value")
        );
        browser.click("table.list tbody a");
        browser.until("document.querySelector('#player:not(.hidden)')");
        browser.eval("void document.activeElement.blur()");
        browser.keys("G");
    }
    assert_eq!(browser.eval("document.querySelectorAll('img, b, [onmouseover], [onclick]').length"), json!(0));
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn the_image_of_a_program_is_drawn_and_runs_nothing() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let root = built_arena::root();
    std::fs::create_dir(dir.path().join("bots")).expect("a folder");
    for bot in ["a", "b"] {
        let command = format!("command = [{:?}, \"bot\", \"random\"]\n", built_arena::arena());
        std::fs::write(dir.path().join(format!("bots/{bot}.toml")), command).expect("a bot");
    }
    for (name, rules, mode) in
        [("othello", "examples/games/othello.py", ""), ("script", "tests/bots/rules.py", "show_script")]
    {
        let manifest = format!("command = [\"python3\", {:?}, {mode:?}]\n", root.join(rules));
        std::fs::write(dir.path().join(format!("{name}.toml")), manifest).expect("a manifest");
        let args = format!("tournament --game ./{name}.toml --rounds 1 --no-check --sandbox off -q --name {name}");
        let mut command = std::process::Command::new(built_arena::arena());
        let out = command.args(args.split(' ')).current_dir(dir.path()).output().expect("the arena starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        browser.open_file(&dir.path().join(format!("results/{name}/report.html")), "");
        browser.until("document.documentElement.dataset.ready");
        browser.click("table.list tbody a");
        browser.until("document.querySelector('#player .board img')?.complete");
        let image = "document.querySelector('#player .board img')";
        assert!(browser.text(&format!("{image}.src")).starts_with("data:image/svg+xml;charset=utf-8,%3Csvg"));
        assert_eq!(
            browser.text(&format!("{image}.alt")),
            browser.text("document.querySelector('#position').textContent")
        );
        let drawn = browser.eval(&format!("{image}.getBoundingClientRect().width > 100 && {image}.naturalWidth > 0"));
        assert_eq!(drawn, json!(true), "{name}");
        browser.screenshot(name);
        assert_accessible(&browser, name);
        assert_eq!(browser.problems(), "");
    }
}

#[test]
#[ignore = "needs a browser"]
fn nothing_is_wider_than_a_small_screen_and_both_themes_are_accessible() {
    for width in [1280, 320] {
        let Some(browser) = Browser::start(Options { width, ..Options::default() }) else { return };
        for variant in ["connect4", "mastermind"] {
            let folder = Folder::new(variant, &BOTS, 2);
            let id = folder.stories()[0].record.id.clone();
            open(&browser, &folder, &format!("#game={id}&ply=5"));
            browser.until("document.querySelector('#player:not(.hidden)')");
            for theme in ["light", "dark"] {
                if browser.eval("document.documentElement.classList.contains('dark')") != json!(theme == "dark") {
                    browser.click("#theme");
                }
                let colours = browser.text("getComputedStyle(document.body).backgroundColor");
                assert_eq!(colours == "rgb(255, 255, 255)", theme == "light", "{colours}");
                let widths = browser.eval("[document.documentElement.scrollWidth, innerWidth]");
                assert!(widths[0].as_u64() <= widths[1].as_u64(), "{variant}, {theme}: {widths}");
                assert_accessible(&browser, &format!("{variant}, {theme}, {width} px"));
                browser.eval("void document.getElementById('player').scrollIntoView()");
                browser.screenshot(&format!("{variant}-{theme}-{width}"));
            }
            assert_eq!(browser.problems(), "");
        }
    }
}

#[test]
#[ignore = "needs a browser"]
fn the_first_screen_answers_who_is_better_and_shows_a_game() {
    let Some(browser) = Browser::start(Options { height: 1000, ..Options::default() }) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let deep = dir.path().join("results/deep");
    std::fs::create_dir_all(&deep).expect("a folder");
    let journal = built_arena::root().join("tests/data/pictures/games.jsonl");
    std::fs::copy(journal, deep.join("games.jsonl")).expect("a journal");
    let mut arena = std::process::Command::new(built_arena::arena());
    let out = arena.args(["standings", "deep"]).current_dir(dir.path()).output().expect("the arena starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    browser.open_file(&deep.join("report.html"), "");
    browser.until("document.querySelector('#player .board .picture')");
    // The headline, the standings, and the beginning of the game worth seeing.
    for css in [".headline", "table.standings tbody tr:last-child", "#game-title"] {
        let place = browser.eval(&format!("document.querySelector('{css}').getBoundingClientRect().bottom"));
        assert!(place.as_f64().is_some_and(|bottom| bottom < 1000.0), "{css}: {place}");
    }
    let title = browser.text("document.querySelector('#game-title').textContent");
    assert!(browser.seen(".headline").contains(" is first") && title.contains(" against "), "{title}");
    assert_eq!(browser.text("location.hash"), "", "nothing was asked for");
    browser.picture("report");
    // The part that an address names stays in view although the games above it come later.
    browser.open_file(&deep.join("report.html"), "#pairings");
    browser.until("document.querySelector('#player .board .picture')");
    let top = browser.eval("document.getElementById('pairings').getBoundingClientRect().top");
    assert!(top.as_f64().is_some_and(|top| (-1.0..50.0).contains(&top)), "{top}");
    assert_eq!(browser.problems(), "");
}

/// Fails on anything that axe-core finds.
#[track_caller]
pub(crate) fn assert_accessible(browser: &Browser, what: &str) {
    let Some(path) = std::env::var_os("ARENA_AXE") else {
        writeln!(std::io::stderr(), "not tested: accessibility: ARENA_AXE is not set").expect("stderr");
        return;
    };
    let axe = std::fs::read_to_string(path).expect("axe.min.js");
    let found = browser.eval_async(&format!(
        "{axe}; axe.run(document, {{ iframes: false }}).then((result) => done(result.violations.map((found) => \
         [found.id, found.help, ...found.nodes.slice(0, 5).map((node) => node.html + ' ' + node.failureSummary)])))"
    ));
    assert_eq!(found, json!([]), "{what}: {found:#}");
}

#[test]
#[ignore = "needs a browser"]
fn a_match_that_is_drawn_leads_to_its_games() {
    let dir = tempfile::tempdir().expect("a folder");
    for format in ["knockout", "swiss"] {
        let args =
            format!("tournament --builtins --game tictactoe --format {format} --no-check -q --name {format} --seed 1");
        let mut command = std::process::Command::new(built_arena::arena());
        let out = command.args(args.split(' ')).current_dir(dir.path()).output().expect("the arena starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let report = dir.path().join(format!("results/{format}/report.html"));
        for width in [1280, 320] {
            let Some(browser) = Browser::start(Options { width, ..Options::default() }) else { return };
            browser.open_file(&report, "");
            browser.until("document.documentElement.dataset.ready");
            for theme in ["light", "dark"] {
                if browser.eval("document.documentElement.classList.contains('dark')") != json!(theme == "dark") {
                    browser.click("#theme");
                }
                assert_accessible(&browser, &format!("{format}, {theme}, {width} px"));
                browser.eval("void document.querySelector('a.match').closest('.scroll').scrollIntoView()");
                browser.screenshot(&format!("{format}-{theme}-{width}"));
            }
            let widths = browser.eval("[document.documentElement.scrollWidth, innerWidth]");
            assert!(widths[0].as_u64() <= widths[1].as_u64(), "{format}: {widths}");
            // Fonts are wider than estimated here and there, but each text is inside of its drawing, on a ground that is not black.
            let outside = "[...document.querySelector('a.match').closest('svg').querySelectorAll('text')].filter((text) => \
                           text.getBBox().x + text.getBBox().width > text.ownerSVGElement.viewBox.baseVal.x + text.ownerSVGElement.viewBox.baseVal.width).length";
            assert_eq!(browser.eval(outside), 0, "{format}");
            let ground = "getComputedStyle(document.querySelector('a.match rect')).fill";
            assert_ne!(browser.text(ground), "rgb(0, 0, 0)", "{format}");
            browser.eval("void document.querySelector('a.match').focus()");
            browser.keys("\u{e007}");
            let status = browser.seen("#list-status");
            assert!(status.contains(" of "), "{status}");
            assert!(browser.text("document.getElementById('filter').value").starts_with("bot:"));
            assert_eq!(browser.problems(), "");
        }
        let Some(browser) = Browser::start(Options { scripts: false, ..Options::default() }) else { return };
        browser.open_file(&report, "");
        browser.click("a.match");
    }
}

#[test]
#[ignore = "needs a browser"]
fn every_cell_is_printed() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    let folder = Folder::new("connect4", &[&BOTS[..], &["a-name-of-thirty-two-characters-"]].concat(), 4);
    open(&browser, &folder, "");
    let pdf = folder.report().with_extension("pdf");
    std::fs::write(&pdf, browser.pdf()).expect("a file");
    let Ok(text) =
        std::process::Command::new("pdftotext").args(["-raw".as_ref(), pdf.as_os_str(), "-".as_ref()]).output()
    else {
        writeln!(
            std::io::stderr(),
            "not tested: the printed page: there is no pdftotext; apt-get install poppler-utils"
        )
        .expect("stderr");
        return;
    };
    assert!(text.status.success(), "{}", String::from_utf8_lossy(&text.stderr));
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let printed = bare(&String::from_utf8_lossy(&text.stdout));
    // The games themselves stay on the screen. What is folded is open on paper.
    let cells = browser.eval(
        "[...document.querySelectorAll('th, td, dt, dd, summary')].filter((it) => !it.closest('.games, dialog, .hidden') && !it.querySelector('svg'))\
         .map((it) => it.textContent).filter((text) => text.trim() !== '')",
    );
    let cells: Vec<String> = serde_json::from_value(cells).expect("texts");
    for cell in ["Rank", "Bot", "Elo ± 95 %", "W-D-L", "Score %", "LOS %", "Faults"] {
        assert!(cells.iter().any(|known| known == cell), "{cell}");
    }
    assert!(cells.len() > 150, "{}", cells.len());
    for cell in &cells {
        assert!(printed.contains(&bare(cell)), "{cell:?} is not printed: {printed}");
    }
    let standings = std::fs::read_to_string(folder.report().with_file_name("standings.csv")).expect("standings");
    for row in standings.lines().skip(1) {
        let name = row.split(',').nth(3).expect("a name");
        assert!(printed.contains(name), "{name}");
    }
    assert_eq!(browser.problems(), "");
}

#[test]
#[ignore = "needs a browser"]
fn tables_are_there_without_scripts() {
    let Some(browser) = Browser::start(Options { scripts: false, ..Options::default() }) else { return };
    let folder = Folder::new("connect4", &BOTS, 2);
    browser.open_file(&folder.report(), "");
    let page = browser.seen("body");
    for text in ["Who is better?", "minimax", "How it was played", &folder.stories()[0].record.id] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // What scripts add is not there: nothing is offered that does nothing.
    for text in ["Filter games", "Dark theme", "Show results against"] {
        assert!(!page.contains(text), "{text}: {page}");
    }
}

/// Figures for docs/benchmarks.md: `cargo test -p arena-browser -- --ignored ten_thousand --nocapture`.
#[test]
#[ignore = "needs a browser, and measures"]
fn ten_thousand_games_are_ready_at_once() {
    let Some(browser) = Browser::start(Options::default()) else { return };
    for variant in ["connect4", "gomoku"] {
        let folder = Folder::new(variant, &["a", "b", "c", "d", "e"], 500);
        let bytes = std::fs::metadata(folder.report()).expect("a report").len();
        assert!(bytes <= 2 << 20, "{bytes}");
        let mut times = Vec::new();
        for _ in 0..5 {
            open(&browser, &folder, "");
            assert_eq!(browser.seen("#list-status"), "10,000 games");
            let paint =
                browser.eval("Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)");
            let ready = browser.text("document.documentElement.dataset.ready");
            times.push(format!("{paint} {ready}"));
        }
        let games = browser.text("document.querySelector('#games .note').textContent");
        writeln!(std::io::stderr(), "{variant}: {bytes} bytes; ms to first paint and to games: {times:?}; {games}")
            .expect("stderr");
        // A game that is not first in the block.
        let id = &folder.stories()[9_999].record.id;
        browser.eval(&format!("void (location.hash = 'game={id}')"));
        browser.until(&format!("document.getElementById('command').textContent.startsWith('arena replay {id} ')"));
        assert_eq!(browser.problems(), "");
    }
}

/// Forty bots fit: cells are small, and the one that is pointed at or has the focus says what it is.
#[test]
#[ignore = "needs a browser"]
fn a_large_matrix_fits_and_can_be_read() {
    let names: Vec<String> = (0..40).map(|bot| format!("bot{bot}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = Folder::new("tictactoe", &names, 1);
    for width in [1280, 320] {
        let Some(browser) = Browser::start(Options { width, ..Options::default() }) else { return };
        open(&browser, &folder, "");
        let widths = browser.eval("[document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{widths}");
        let size = browser.eval("(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.matrices .scroll'))");
        assert!(width == 320 || size[0] == size[1], "{size}");
        browser.eval("void document.querySelector(\"td[data-pair='3 5'] button\").focus()");
        let words = browser.text("document.querySelector('.pointed').textContent");
        assert!(words.starts_with("bot3 against bot5: ") && words.ends_with(" %"), "{words}");
        browser.eval("void document.getElementById('pairings').scrollIntoView()");
        browser.screenshot(&format!("matrix-{width}"));
        assert_eq!(browser.problems(), "");
    }
}

#[test]
#[ignore = "needs a browser"]
fn the_pages_of_all_tournaments_and_of_a_series_fit() {
    let dir = tempfile::tempdir().expect("a folder");
    for args in [
        "tournament --game tictactoe --name a-rather-long-name-of-a-tournament",
        "series --game tictactoe --game marbles",
    ] {
        let mut command = std::process::Command::new(built_arena::arena());
        command.args(args.split(' ')).args("--builtins --rounds 2 --no-check -q --seed 1".split(' '));
        let out = command.current_dir(dir.path()).output().expect("the arena starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    for width in [1280, 320] {
        let Some(browser) = Browser::start(Options { width, ..Options::default() }) else { return };
        for page in ["index.html", "series/report.html"] {
            browser.open_file(&dir.path().join("results").join(page), "");
            browser.until("document.querySelector('#theme')");
            for theme in ["light", "dark"] {
                if browser.eval("document.documentElement.classList.contains('dark')") != json!(theme == "dark") {
                    browser.click("#theme");
                }
                assert_accessible(&browser, &format!("{page}, {theme}, {width} px"));
                browser.screenshot(&format!("{}-{theme}-{width}", page.replace('/', "-")));
            }
            // Nor does a card scroll.
            let wide = "[document.documentElement, ...document.querySelectorAll('.card')].filter((it) => \
                        it.scrollWidth > it.clientWidth).map((it) => [it.scrollWidth, it.clientWidth, it.innerText.slice(0, 30)])";
            assert_eq!(browser.eval(wide), json!([]), "{page}, {width} px");
            assert_eq!(browser.problems(), "");
        }
    }
}
