//! The page of the fixture, and what holds for the page of any results.

pub(in crate::report) mod scan;

use std::sync::Arc;

use arena_core::event::{StrikeLimits, Tournament};
use arena_core::record::{GameResult, Record, Status};
use arena_core::rules::{Move, Seat};
use arena_core::schedule::Scheduler;
use arena_core::stats::{AnalysisOptions, Anchor, RatingOptions};
use arena_show::web::{REPORT_SCRIPT, REPORT_STYLE};

use scan::Scan;

use crate::fixture;
use crate::report::Results;
use crate::report::ResultsOptions;
use crate::report::stored::Stored;

use super::{BYTES_MAX, of_bytes, report_html};

/// Text that would be markup, script, a command or a lie if it were not escaped.
const HOSTILE: [&str; 60] = [
    "</script><img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='x",
    "\" onfocus=\"x",
    "</title><script>x</script>",
    "</style><style>*{display:none}",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[x",
    "<?xml?>",
    "&lt;b&gt;",
    "&#x3c;script&#x3e;",
    "&amp;",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example/",
    "http://evil.example/",
    "../../etc/passwd",
    "file:///etc/passwd",
    "a b",
    " ",
    "",
    "\t",
    "\r\n",
    "\0",
    "\u{7f}",
    "\u{1b}[31mred",
    "\u{1b}]0;title\u{7}",
    "\u{202e}gnp.exe",
    "\u{2066}x",
    "\u{200b}",
    "\u{feff}",
    "\u{fffd}",
    "e\u{301}\u{301}\u{301}\u{301}",
    "שלום",
    "مرحبا",
    "囲碁",
    "🤖",
    "𝕏",
    "NaN",
    "-inf",
    "null",
    "{{7*7}}",
    "${7*7}",
    "%s%n",
    "\\u003cscript\\u003e",
    "<base href=//x>",
    "<meta http-equiv=refresh content=0>",
    "<iframe srcdoc=x>",
    "<a href=x>y</a>",
    "<textarea>",
    "<plaintext>",
];

fn results(stored: &Stored) -> Results<'_> {
    Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap()
}

fn page_of(results: &Results<'_>) -> String {
    report_html(results).unwrap()
}

/// The page of these results, checked.
#[track_caller]
fn page(stored: &Stored) -> String {
    let page = page_of(&results(stored));
    Scan::of(&page).check();
    assert!(page.len() <= BYTES_MAX, "{} bytes", page.len());
    page
}

/// All games of an event: one bot in three wins, and no two games are alike.
fn played(event: &Tournament) -> Vec<Record> {
    let results = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];
    fixture::schedule(event)
        .iter()
        .enumerate()
        .map(|(place, game)| {
            let mut record = fixture::record(event, game, results[place % 3], 900 + place as u64);
            record.moves.push(Move::Int(place as i64));
            record
        })
        .collect()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("bot{index}")).collect()
}

fn event_of(count: usize, rounds: u32) -> Tournament {
    let names = names(count);
    let event = fixture::event(&names.iter().map(String::as_str).collect::<Vec<_>>());
    Tournament { rounds, left_out: Vec::new(), ..event }
}

#[test]
fn the_page_of_the_fixture() {
    let event = fixture::event(&["minimax", "grumpy", "odd,\"<name>\""]);
    let stored = Stored::new(&event, &fixture::records(&event, &fixture::schedule(&event)));
    let page = page(&stored);
    assert_eq!(page, page_of(&results(&stored)), "the same bytes twice");
    // One element a line; styles and scripts are files of their own, and their hashes change with them.
    let (before, policy) = page.split_once("sha256-").unwrap();
    let (_, after) = policy.split_once("base-uri").unwrap();
    let readable = format!("{before}…base-uri{after}")
        .replace(REPORT_STYLE.as_str(), "…")
        .replace(REPORT_SCRIPT.as_str(), "…")
        .replace("><", ">\n<");
    insta::assert_snapshot!(readable);
}

#[test]
fn without_times_the_page_has_none() {
    let event = fixture::event(&["a", "b"]);
    let pages = [1, 77_777].map(|us| {
        let schedule = fixture::schedule(&event);
        let record = |game| Record {
            started: format!("2026-01-01T00:00:{us}Z"),
            moves: event.openings[0].clone(),
            ..fixture::record(&event, game, GameResult::Draw, us)
        };
        let stored = Stored::new(&event, &schedule.iter().map(record).collect::<Vec<_>>());
        let options = ResultsOptions { with_times: false, ..ResultsOptions::default() };
        let without_times = Results::new(&stored.scheduler, &stored.reader, options).unwrap();
        (page_of(&results(&stored)), page_of(&without_times))
    });
    assert_ne!(pages[0].0, pages[1].0);
    assert_eq!(pages[0].1, pages[1].1);
    assert!(!pages[0].1.contains("id=\"time\""));
}

#[test]
fn hostile_text_stays_text_everywhere() {
    for (index, hostile) in HOSTILE.iter().enumerate() {
        let mut event = fixture::event(&[hostile, HOSTILE[(index + 1) % HOSTILE.len()], "third"]);
        for (bot, entry) in event.bots.iter_mut().enumerate() {
            entry.id.fingerprint = format!("{bot}{hostile}");
            entry.command = format!("./{hostile}");
        }
        event.left_out[0].name = (*hostile).to_owned();
        event.left_out[0].cause = (*hostile).to_owned();
        event.warnings = vec![(*hostile).to_owned()];
        event.name = (*hostile).to_owned();
        event.label = (*hostile).to_owned();
        let schedule = fixture::schedule(&event);
        let mut records = fixture::records(&event, &schedule);
        for record in &mut records {
            (record.host, record.arena) = ((*hostile).to_owned(), (*hostile).to_owned());
            record.reason = (*hostile).to_owned();
            record.started = (*hostile).to_owned();
            for evidence in record.evidence.iter_mut().flatten() {
                evidence.message = (*hostile).to_owned();
                evidence.stderr_tail = Some((*hostile).to_owned());
            }
        }
        page(&Stored::new(&event, &records));
    }
}

#[test]
fn the_contract_with_the_script() {
    let event = event_of(5, 2);
    let stored = Stored::new(&event, &played(&event));
    let text = page(&stored);
    let scan = Scan::of(&text);
    let standings = &results(&stored).ranking.analysis.standings;
    let order: Vec<String> = standings.iter().map(|row| row.bot.to_string()).collect();
    let order: Vec<&str> = order.iter().map(String::as_str).collect();
    assert_eq!(scan.values("data-bot").collect::<Vec<_>>(), order);
    // The rows and the columns of the scores.
    assert_eq!([scan.values("data-a").collect::<Vec<_>>(), scan.values("data-b").collect()], [order.clone(), order]);
    assert_eq!(scan.values("aria-live").collect::<Vec<_>>(), ["polite"]);
    for (name, attributes) in &scan.elements {
        match Scan::value(attributes, "data-sort") {
            Some(kind) => assert!(name == "th" && ["number", "rank", "text"].contains(&kind)),
            None => assert_ne!(name, "button", "made by the script"),
        }
    }
}

#[test]
fn a_page_of_nothing_says_so() {
    let empty = |names: &[&str]| page(&Stored::new(&fixture::event(names), []));
    assert!(empty(&[]).contains("No bot takes part."));
    for names in [&["alone"][..], &["a", "b"]] {
        let page = empty(names);
        assert!(page.contains("No game has been played yet.") && page.contains("No move has been made yet."));
        assert!(page.contains("Fewer than two rounds are complete."));
        assert_eq!(page.matches("data-bot=").count(), names.len());
    }
}

#[test]
fn groups_unbounded_ratings_and_withdrawn_bots() {
    // a and b never lose to each other's group, since they never meet it.
    let event = event_of(4, 2);
    let apart = |game: &Record| {
        let group = |bot: usize| ["print of bot0", "print of bot1"].contains(&game.bots[bot].fingerprint.as_str());
        group(0) == group(1)
    };
    let records: Vec<Record> = played(&event).into_iter().filter(apart).collect();
    let text = page(&Stored::new(&event, &records));
    assert!(text.contains("There are 2 groups of bots") && text.contains(">Group<") && text.contains("class=\"none\""));

    let event = event_of(2, 3);
    let wins = fixture::schedule(&event).into_iter().map(|game| {
        let winner = if game.bots[0] == 0 { Seat::First } else { Seat::Second };
        fixture::record(&event, &game, GameResult::of(Some(winner)), 5)
    });
    let text = page(&Stored::new(&event, &wins.collect::<Vec<_>>()));
    assert!(text.contains("(unbounded)") && !text.contains("inf\""));

    let event = event_of(3, 4);
    let failed = fixture::schedule(&event).into_iter().map(|game| {
        let mut record = fixture::record(&event, &game, GameResult::Draw, 5);
        if let Some(seat) = Seat::BOTH.into_iter().find(|seat| game.bots[seat.index()] == 1) {
            fixture::fault(&mut record, seat, Status::StartupFailed, "no program");
        }
        record
    });
    let text = page(&Stored::new(&event, &failed.collect::<Vec<_>>()));
    assert!(text.contains("<span class=\"tag\">withdrawn</span>"), "{text}");
    assert!(text.contains("WITHDRAWN: bot1") && text.contains("<h3>Withdrawn bots</h3>"));
}

#[test]
fn a_rating_of_any_size_has_a_place() {
    let event = event_of(3, 2);
    let stored = Stored::new(&event, &played(&event));
    for elo in [1e300, -1e300, 1e21, 1e15] {
        let rating = RatingOptions { anchor: Some(Anchor { bot: 0, elo }), ..RatingOptions::default() };
        let analysis = AnalysisOptions { rating, ..AnalysisOptions::default() };
        let options = ResultsOptions { analysis, ..ResultsOptions::default() };
        let text = page_of(&Results::new(&stored.scheduler, &stored.reader, options).unwrap());
        Scan::of(&text).check();
        assert!(text.contains("class=\"bar\"") && !text.contains("\"NaN") && !text.contains("MNaN"), "{text}");
    }
}

#[test]
fn a_game_with_hidden_information_is_reported_like_any_other() {
    let mut event = event_of(2, 2);
    let variant = arena_core::rules::Variant::named("mastermind").unwrap();
    (event.game, event.label, event.params) =
        ("mastermind".to_owned(), "mastermind".to_owned(), variant.params.to_json());
    event.openings = vec![Vec::new()];
    assert!(page(&Stored::new(&event, &played(&event))).contains("Games begin without an opening."));
}

#[test]
fn rows_that_are_left_out_are_mentioned() {
    const FAULTS: [Status; 4] = [Status::Timeout, Status::IllegalMove, Status::ProtocolError, Status::Crashed];
    let event = Tournament { strikes: StrikeLimits::OFF, ..event_of(260, 1) };
    // Every bot commits each fault in one of its first games.
    let mut committed = [0; 260];
    let mut schedule = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    let records = std::iter::from_fn(|| Some(schedule.issue()?.game)).filter_map(|game| {
        let statuses = game.bots.map(|bot| FAULTS.get(committed[bot]).copied().unwrap_or(Status::Ok));
        game.bots.iter().for_each(|bot| committed[*bot] += 1);
        let is_of_use = statuses != [Status::Ok; 2];
        is_of_use.then(|| Record { statuses, ..fixture::record(&event, &game, GameResult::FirstWins, 5) })
    });
    let text = page_of(&results(&Stored::each(&event, records)));
    let note = "The first 1000 of 1040 rows. All are in <a href=\"bots.csv\" rel=\"noreferrer\">bots.csv</a>.";
    assert!(text.contains(note));
}

/// A tournament whose first games are all drawn.
fn drawn(bots: usize, rounds: u32, games: usize) -> Stored {
    let event = event_of(bots, rounds);
    let mut schedule = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    let issued = std::iter::from_fn(|| Some(schedule.issue()?.game)).take(games).enumerate();
    let records = issued.map(|(place, game)| {
        let mut record = fixture::record(&event, &game, GameResult::Draw, 1_000 + place as u64 % 900);
        record.moves.push(Move::Int(place as i64));
        record
    });
    Stored::each(&event, records)
}

#[test]
fn sizes_by_bots_are_as_promised() {
    const SHELL: usize = 96 << 10;
    // Without the data of games, which has a limit of its own; all have the rows of 25 games.
    let bytes = |(bots, rounds, games)| {
        let page = page(&drawn(bots, rounds, games));
        let data = page.split_once("id=\"games-data\">").and_then(|(_, rest)| rest.split_once("</script>"));
        page.len() - data.map_or(0, |(data, _)| data.len())
    };
    let [two, sixty, hundred] = [(2, 30, 60), (60, 1, 3_540), (100, 1, 2_000)].map(bytes);
    assert!(bytes((2, 1, 2)) <= SHELL, "{}", bytes((2, 1, 2)));
    assert!((sixty - two) / 58 <= 4 << 10, "{} bytes a bot", (sixty - two) / 58);
    assert!(hundred <= sixty + 40 * 400, "{} bytes a bot", hundred.saturating_sub(sixty) / 40);
}

#[test]
fn a_page_is_no_larger_than_it_may_be() {
    let stored = drawn(5, 150, 3_000);
    let results = results(&stored);
    let of_bytes = |most| of_bytes(&results, most).unwrap();
    let whole = of_bytes(BYTES_MAX);
    for share in 1..8 {
        let most = whole.len() - share * 4_000;
        let page = of_bytes(most);
        Scan::of(&page).check();
        assert!(page.contains("A sample has") || page.contains("has the positions of"));
        assert!(page.len() <= most, "{} bytes of {most}", page.len());
    }
}

#[test]
#[ignore = "reads hundreds of thousands of games; .ci/run runs it"]
fn sizes_by_games_are_as_promised() {
    for (rounds, games) in [(1, 10), (500, 10_000), (10_000, 200_000)] {
        let stored = drawn(5, rounds, games);
        let results = results(&stored);
        let page = page_of(&results);
        Scan::of(&page).check();
        assert!(page.len() <= BYTES_MAX, "{} bytes of {games} games", page.len());
    }
}
