//! The text and the page of one bot, and what holds for every author.

use std::sync::Arc;

use arena_core::cause::Cause;
use arena_core::event::{EarlierVersion, Entry, Tournament};
use arena_core::record::{Evidence, GameResult, Played, Record, Status};
use arena_core::rules::{Move, Seat};
use arena_core::schedule::Scheduler;
use proptest::prelude::*;

use super::*;
use crate::fixture;
use crate::journal::{self, GamePlace};
use crate::report::html::tests::scan::Scan;
use crate::report::stored::Stored;
use crate::report::{Results, ResultsOptions};

const HOME: &str = "/home/ann";

/// All games of an event, of which some are drawn.
fn played(event: &Tournament) -> Vec<Record> {
    let results = [GameResult::FirstWins, GameResult::SecondWins, GameResult::FirstWins, GameResult::Draw];
    let games = fixture::schedule(event);
    let record = |(place, game)| fixture::record(event, game, results[place % 4], 903 + 7 * place as u64);
    games.iter().enumerate().map(record).collect()
}

/// Feedback of all records, with the first `then` of them as those of the last feedback.
fn made(event: &Tournament, records: &[Record], then: Option<usize>, options: FeedbackOptions<'_>) -> Vec<BotFeedback> {
    let stored = Stored::new(event, records);
    let results = Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap();
    let mut briefs: Vec<_> =
        results.schedule().tried().chain(results.schedule().void()).map(|(_, brief)| brief).collect();
    briefs.sort_by_key(|brief| brief.offset);
    let last = then.and_then(|then| GamePlace::of(briefs.get(then)?));
    let read = last.as_ref().map(|last| journal::read_up_to(stored.reader.folder(), last).unwrap().unwrap().1);
    let schedule = read.map(|contents| {
        assert_eq!(contents.games.len(), then.unwrap() + 1);
        Scheduler::new(Arc::new(event.clone()), &contents.games, &[], &mut ()).unwrap()
    });
    let until = "2026-11-28T04:10:00Z";
    let before =
        last.as_ref().zip(schedule.as_ref()).map(|(last, schedule)| Before { schedule, last, until, versions: None });
    feedback(&results, &FeedbackOptions { before, ..options }, |name| {
        if name.starts_with("grumpy") { "grumpy".to_owned() } else { "bot".to_owned() }
    })
    .unwrap()
}

fn options() -> FeedbackOptions<'static> {
    FeedbackOptions { private: vec![HOME.to_owned()], startup: Duration::from_secs(10), ..FeedbackOptions::default() }
}

/// A small tournament in which `grumpy` fails, declines and changes.
fn small() -> (Tournament, Vec<Record>) {
    let mut event = Tournament { rounds: 6, ..fixture::event(&["minimax", "grumpy", "zeus"]) };
    event.openings = (0..6).map(|column| vec![Move::Int(column)]).collect();
    event.earlier = vec![EarlierVersion {
        name: "grumpy".to_owned(),
        cause: "no module named numpy in /srv/league/bots/grumpy/main.py".to_owned(),
        starts: false,
        date: "2026-11-21".to_owned(),
    }];
    let mut records = played(&event);
    let own =
        |record: &Record| Seat::BOTH.into_iter().find(|seat| record.bots[seat.index()].fingerprint.ends_with("grumpy"));
    let late: Vec<usize> = (20..records.len()).filter(|place| own(&records[*place]).is_some()).collect();
    let fault = &mut records[late[1]];
    let seat = own(fault).unwrap();
    fixture::fault(fault, seat, Status::Crashed, "it exited with status 1 while a move was owed");
    fault.evidence[seat.index()].as_mut().unwrap().stderr_tail =
        Some(format!("File \"{HOME}/bots/grumpy/main.py\", line 3\nValueError: <b>bad</b>"));
    let lost = &mut records[late[2]];
    let seat = own(lost).unwrap();
    (lost.result, lost.moves) =
        (GameResult::of(Some(seat.other())), [&lost.opening[..], &[3, 3, 4, 4].map(Move::Int)].concat());
    let evals = [0.3, 0.2, -0.6, 0.9];
    lost.played = evals.map(|eval| Played { us: 12_400, eval: Some(eval), ..Played::default() }).to_vec();
    (event, records)
}

#[test]
fn the_text_of_a_bot() {
    let (event, records) = small();
    let checks =
        [("grumpy".to_owned(), "grumpy  /srv/league/bots/grumpy/run\nok    plays connect4  4 of 4".to_owned())];
    let all = made(&event, &records, Some(17), FeedbackOptions { checks: checks.into(), ..options() });
    assert_eq!(all.len(), 4, "three bots, and one left out");
    let grumpy = all.iter().find(|bot| bot.name == "grumpy").unwrap();
    insta::assert_snapshot!("text", grumpy.text);
    let lazy = all.iter().find(|bot| bot.name == "lazy").unwrap();
    assert!(lazy.text.contains("It did not take part, because it could not: no hello within 10 s"), "{}", lazy.text);
    assert_eq!(grumpy.inputs.len(), 1);
    assert!(
        grumpy.inputs[0].starts_with(r#"{"type":"hello""#) && !grumpy.inputs[0].contains("x_fault"),
        "{:?}",
        grumpy.inputs
    );
}

#[test]
fn the_page_of_a_bot() {
    let (event, records) = small();
    let all = made(&event, &records, None, options());
    let page = &all.iter().find(|bot| bot.name == "grumpy").unwrap().html;
    let (_, body) = page.split_once("</style>").unwrap();
    insta::assert_snapshot!(
        "page",
        body.replace("<section>", "\n<section>").replace("<p>", "\n<p>").replace("<svg", "\n<svg")
    );
}

/// Text that would be markup, a path of the organiser's, or a way out of the folder.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "/home/ann/league",
        "/home/ann",
        "/home",
        "/ann",
        "../",
        "<script>alert(1)</script>",
        "\" onload=\"x",
        "&lt;",
        "`",
        "…",
        "\u{1b}[31m",
        "\u{202e}",
        "\n",
        " ",
        "a",
        "zeus",
        "File \"",
        "', line 3",
        "{\"type\":\"x_fault\"",
        "é",
    ]);
    prop::collection::vec(parts, 0..5).prop_map(|parts| parts.concat())
}

/// A fault or a comment of one bot.
fn evidence(own: usize, text: &str) -> Evidence {
    let text = format!("{text} word{own}word {text}");
    Evidence {
        stderr_tail: Some(format!("{text}\n{text}")),
        last_received: Some(text.clone()),
        last_sent: Some("{}".to_owned()),
        ..Evidence::new(Cause::NoReady, text)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_author_learns_nothing_of_the_organiser_and_of_other_bots(
        names in prop::collection::hash_set(hostile(), 2..4),
        said in prop::collection::vec((hostile(), 0_usize..9, any::<bool>()), 30),
        then in prop::option::of(0_usize..6),
    ) {
        const SEED: u64 = 18_446_744_073_709_551_557;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut event = Tournament { seed: SEED, ..fixture::event(&names) };
        event.bots = event.bots.into_iter().map(|bot| Entry { command: format!("{HOME}/bots/x"), ..bot }).collect();
        event.warnings = vec![format!("{HOME} is open")];
        event.left_out[0].cause = format!("reading {HOME}/bots/lazy.toml");
        let mut records = played(&event);
        for (record, (text, status, is_first)) in records.iter_mut().zip(&said) {
            let place = |print: &str| event.bots.iter().position(|entry| entry.id.fingerprint == print).unwrap();
            let places = record.bots.each_ref().map(|bot| place(&bot.fingerprint));
            for (place, played) in record.played.iter_mut().enumerate() {
                played.comment = Some(format!("{text} word{}word", places[(record.opening.len() + place) % 2]));
            }
            let status = Status::ALL[*status];
            if status.is_fault() && status != Status::Withdrawn {
                let seat = if *is_first { Seat::First } else { Seat::Second };
                fixture::fault(record, seat, status, "");
                record.evidence = [0, 1].map(|seat| Some(evidence(places[seat], text)));
            }
            record.host = format!("{HOME} host");
        }
        for bot in made(&event, &records, then, options()) {
            let own = event.bots.iter().position(|entry| entry.id.name == bot.name);
            let scan = Scan::of(&bot.html);
            prop_assert!(scan.elements.iter().all(|(name, _)| name != "script" && name != "a"));
            prop_assert!(!scan.text.chars().any(|c| arena_core::text::is_unsafe(c) && c != '\n'), "{:?}", scan.text);
            prop_assert!(!bot.text.chars().any(|c| arena_core::text::is_unsafe(c) && c != '\n'), "{:?}", bot.text);
            for text in [&bot.text, &scan.text].into_iter().chain(&bot.inputs) {
                prop_assert!(!text.contains(HOME), "{text}");
                prop_assert!(!text.contains(&SEED.to_string()), "{text}");
                for other in (0..event.bots.len()).filter(|other| Some(*other) != own) {
                    prop_assert!(!text.contains(&format!("word{other}word")), "{own:?}: {text}");
                }
                for (at, _) in text.match_indices("arena ") {
                    let command = text[at + 6..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                    prop_assert!(["check", "explain", "schema", "talk", "installed"].contains(&command), "arena {command}: {text}");
                }
            }
        }
    }
}
