//! Golden files and tables of a small tournament, and properties of any tournament.

mod headlines;
mod texts;

use std::fs;
use std::path::Path;

use arena_core::cause::Cause;
use arena_core::clock::Charge;
use arena_core::event::{LeftOut, StrikeLimits};
use arena_core::record::{Evidence, GameResult, Load, PlayedOn, Record, Status};
use arena_core::rules::{Move, Seat};
use arena_sys::results_folder::{Durability, ResultsFolder};
use proptest::prelude::*;

use super::stored::Stored;
use super::*;
use crate::fixture;

const FILES: [&str; 7] =
    ["games.csv", "standings.csv", "crosstable.csv", "head_to_head.csv", "bots.csv", "tournament.json", "report.html"];
/// The page has tests of its own.
const TABLES: usize = 6;

fn analysed(stored: &Stored) -> Results<'_> {
    let options = ResultsOptions { updated: Some("2026-11-22T17:00:00.000Z".to_owned()), ..ResultsOptions::default() };
    Results::new(&stored.scheduler, &stored.reader, options).unwrap()
}

/// The summary.
fn shown(results: &Results<'_>) -> String {
    summary_page(results, Path::new("results/cup"), TextPage::default()).unwrap().text(TextLayout::default())
}

/// The text of every file, and the summary.
fn everything(results: &Results<'_>) -> (Vec<String>, String) {
    let dir = tempfile::tempdir().unwrap();
    write_all(&ResultsFolder::open(dir.path()).unwrap(), results, Durability::Flushed).unwrap();
    let texts: Vec<String> = FILES.iter().map(|file| fs::read_to_string(dir.path().join(file)).unwrap()).collect();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), FILES.len());
    (texts, shown(results))
}

#[test]
fn golden_files_and_summary() {
    let event = fixture::event(&["minimax", "grumpy", "odd,\"name\""]);
    let schedule = fixture::schedule(&event);
    let records = fixture::records(&event, &schedule);
    let stored = Stored::new(&event, &records);
    let (texts, summary) = everything(&analysed(&stored));
    for (file, text) in FILES.iter().zip(&texts).take(TABLES) {
        assert!(!text.contains('\r') && text.ends_with('\n'), "{file}");
        let machine = text.find("\"machine\"").unwrap_or(text.len());
        insta::assert_snapshot!(
            file.replace('.', "_"),
            text[..machine].replace(env!("CARGO_PKG_VERSION"), "[version]")
        );
    }
    insta::assert_snapshot!("summary", summary);
}

/// `bots.csv` of the records of the fixture, played by machines of these classes in turn; an empty one is not recorded.
fn bots_by_class(classes: &[&str]) -> Vec<csv::StringRecord> {
    let event = fixture::event(&["minimax", "grumpy", "odd"]);
    let mut records = fixture::records(&event, &fixture::schedule(&event));
    for (record, class) in records.iter_mut().zip(classes.iter().cycle()) {
        let kind = |class: &str| PlayedOn { class: class.to_owned(), cpu: String::new(), slots: 1, calibration: None };
        record.machine = (!class.is_empty()).then(|| kind(class));
    }
    let stored = Stored::new(&event, &records);
    let mut table = Vec::new();
    bots_csv(&analysed(&stored), &mut table).unwrap();
    csv::Reader::from_reader(table.as_slice()).records().map(Result::unwrap).collect()
}

#[test]
fn a_bot_has_a_row_for_each_class_of_machines_in_their_order() {
    let names = |classes: &[&str]| {
        let rows = bots_by_class(classes);
        rows.iter().map(|row| format!("{}/{}", &row[0], &row[1])).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[""]), "minimax/ grumpy/ odd/");
    assert_eq!(names(&["v3"]), "minimax/v3 grumpy/v3 odd/v3");
    assert_eq!(names(&["v4", "v3"]), "minimax/v3 minimax/v4 grumpy/v3 grumpy/v4 odd/v3 odd/v4");
    assert_eq!(names(&["v3", ""]), "minimax/ minimax/v3 grumpy/ grumpy/v3 odd/ odd/v3");
}

#[test]
fn a_journal_of_countless_classes_has_few_rows() {
    let classes: Vec<String> = (0..100).map(|class| format!("class {class}")).collect();
    let event = Tournament { rounds: 50, ..fixture::event(&["a", "b"]) };
    let mut records = fixture::draws(&event, 5);
    for (record, class) in records.iter_mut().zip(&classes) {
        record.machine = Some(PlayedOn { class: class.clone(), cpu: String::new(), slots: 1, calibration: None });
    }
    assert_eq!(records.len(), classes.len());
    let stored = Stored::new(&event, &records);
    let mut table = Vec::new();
    bots_csv(&analysed(&stored), &mut table).unwrap();
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(table.as_slice()).records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2 * 17);
    assert!(rows.iter().any(|row| &row[1] == "other" && &row[2] == "84"), "{rows:?}");
}

#[test]
fn a_tournament_without_games_has_every_file_and_bot() {
    for names in [&[][..], &["alone"], &["a", "b"]] {
        let event = fixture::event(names);
        let (texts, summary) = everything(&analysed(&Stored::new(&event, [])));
        assert_eq!(texts[1].lines().count(), 1 + names.len());
        let ranks = ["   1", " 1–2"];
        let rows = summary.lines().filter(|line| ranks.iter().any(|rank| line.starts_with(rank)));
        assert_eq!(rows.count(), names.len());
        assert!(!summary.contains("first seat"));
    }
}

#[test]
fn the_order_of_the_journal_changes_nothing() {
    let event = fixture::event(&["a", "b", "c"]);
    let schedule = fixture::schedule(&event);
    // The records contain both void and counting attempts at one game.
    let records = fixture::records(&event, &schedule);
    let forwards = everything(&analysed(&Stored::new(&event, &records)));
    let backwards = everything(&analysed(&Stored::new(&event, records.iter().rev())));
    assert_eq!(forwards, backwards);
}

#[test]
fn a_wide_crosstable_shows_points_and_a_wider_one_names_the_file() {
    let names: Vec<String> = (0..40).map(|index| format!("bot{index}")).collect();
    let text = |bots: usize| {
        let names: Vec<&str> = names[..bots].iter().map(String::as_str).collect();
        let event = fixture::event(&names);
        let records = fixture::draws(&event, 5);
        shown(&analysed(&Stored::new(&event, &records)))
    };
    assert!(text(12).contains("Wins-draws-losses of the row against the column:"));
    assert!(text(15).contains("Points of the row against the column:"));
    assert!(text(16).contains("The crosstable of 16 bots is in results/cup/crosstable.csv."));
}

#[test]
fn the_forecast_goes_by_the_rounds_that_were_played() {
    let forecast = |rounds: u32, played: usize| {
        let event = Tournament { rounds, ..fixture::event(&["a", "b"]) };
        let schedule = fixture::schedule(&event);
        // One bot wins every other pair, and the rest are drawn; no two games are alike.
        let records: Vec<Record> = schedule[..played]
            .iter()
            .enumerate()
            .map(|(place, game)| {
                let winner = (place % 4 < 2).then_some(Seat::BOTH[place % 2]);
                let mut record = fixture::record(&event, game, GameResult::of(winner), 5);
                record.moves.push(Move::Int(place as i64));
                record
            })
            .collect();
        let stored = Stored::new(&event, &records);
        statements(&analysed(&stored).ranking, analysed(&stored).rounds_played())[0].clone()
    };
    let complete = forecast(3, 6);
    assert!(complete.contains("about 5 more rounds would"), "{complete}");
    assert_eq!(forecast(5_000, 6), complete);
    assert_eq!(forecast(5_000, 5), forecast(50, 5), "a round may be unfinished");
}

#[test]
fn many_omitted_bots_take_one_line() {
    let mut event = fixture::event(&["a", "b"]);
    let bot = |index| LeftOut::unable(format!("bot{index}"), "no hello");
    event.left_out = (0..5).map(bot).collect();
    let each: Vec<String> = (0..5).map(|index| format!("bot{index} is left out: no hello")).collect();
    assert_eq!(warnings(&analysed(&Stored::new(&event, [])))[..5], each);
    event.left_out = (0..6).map(bot).collect();
    let stored = Stored::new(&event, []);
    let said = warnings(&analysed(&stored));
    assert_eq!(said[0], "6 bots are left out: bot0, bot1, bot2, bot3, bot4, bot5; tournament.json says why");
    assert!(!said[1].contains("left out"), "{said:?}");
}

#[test]
fn a_fault_that_did_not_lose_is_not_called_a_loss() {
    let event = fixture::event(&["a", "b"]);
    let schedule = fixture::schedule(&event);
    let mut record = fixture::record(&event, &schedule[0], GameResult::Draw, 5);
    fixture::fault(&mut record, Seat::First, Status::StartupFailed, "");
    record.result = GameResult::Draw;
    let stored = Stored::new(&event, [&record]);
    assert_eq!(
        fault_sentences(&analysed(&stored)),
        [format!("a: 1 game with startup_failed, 0 of them lost; first: game {} (round 1)", schedule[0].id)]
    );
}

/// The fault sentence of a bot that loses its first `count` games by timeout. The first is its own fault. The others
/// come after the full credit, one of them on a machine that does not report its load.
fn timeout_sentence(charge: Charge, count: usize) -> String {
    let mut event = fixture::event(&["crawler", "b"]);
    event.clock.charge = charge;
    let records: Vec<Record> = (0..count)
        .zip(fixture::schedule(&event))
        .map(|(place, game)| {
            let mut record = fixture::record(&event, &game, GameResult::Draw, 5);
            let seat = Seat::BOTH.into_iter().find(|seat| game.bots[seat.index()] == 0).unwrap();
            fixture::fault(&mut record, seat, Status::Timeout, "");
            let load = (place > 1).then(|| Load { average: 58 + place as u32, processors: 2 });
            let cause = if place == 0 { Cause::NoMove } else { Cause::Starved };
            record.evidence[seat.index()] = Some(Evidence { load, ..Evidence::new(cause, "") });
            record
        })
        .collect();
    let said = fault_sentences(&analysed(&Stored::new(&event, &records))).remove(0);
    said.strip_suffix(&format!("; first: game {} (round 1)", records[0].id)).expect("the first game").to_owned()
}

#[test]
fn timeouts_after_the_full_credit_are_counted_separately() {
    assert_eq!(timeout_sentence(Charge::Wall, 1), "crawler: 1 game lost by timeout");
    assert_eq!(
        timeout_sentence(Charge::Wall, 2),
        "crawler: 2 games lost by timeout, 1 of 2 after the full credit; run fewer games at once or use --clock cpu"
    );
    assert_eq!(
        timeout_sentence(Charge::Wall, 4),
        "crawler: 4 games lost by timeout, 3 of 4 after the full credit: load 61 on 2 processors; run fewer games at once or \
         use --clock cpu"
    );
    assert_eq!(
        timeout_sentence(Charge::Cpu, 3),
        "crawler: 3 games lost by timeout, 2 of 3 after the full credit: load 60 on 2 processors; run fewer games at once or \
         allow more time per move"
    );
}

#[test]
fn every_status_that_is_not_ok_has_a_column() {
    let event = fixture::event(&["alone"]);
    let (texts, _) = everything(&analysed(&Stored::new(&event, [])));
    let columns: Vec<&str> = texts[4].lines().next().unwrap().split(',').collect();
    for status in &Status::ALL[1..] {
        assert!(columns.contains(&status.name()), "{status}: {columns:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rows_of_classes_add_up_to_those_of_bots(
        classes in prop::collection::vec(prop::sample::select(vec!["", "v2", "v3", "other"]), 1..30),
    ) {
        /// Columns that are sums: games and moves, and all from `credit_ms` on but the last two.
        const SUMS: [std::ops::Range<usize>; 2] = [2..4, 9..22];
        let sums = |rows: &[csv::StringRecord]| {
            let mut sums = std::collections::BTreeMap::<String, Vec<f64>>::new();
            for row in rows {
                let cells: Vec<f64> = SUMS.iter().cloned().flatten().map(|cell| row[cell].parse().unwrap()).collect();
                let sum = sums.entry(row[0].to_owned()).or_insert_with(|| vec![0.0; cells.len()]);
                sum.iter_mut().zip(cells).for_each(|(sum, cell)| *sum = (*sum + cell * 1e3).round());
            }
            sums
        };
        prop_assert_eq!(sums(&bots_by_class(&classes)), sums(&bots_by_class(&[""])));
    }

    #[test]
    fn any_results_can_be_reported(
        names in prop::collection::vec("\\PC{0,8}|[\"',\r\n\t\u{202e}]{1,4}", 0..5),
        games in prop::collection::vec((0_usize..5, 0_usize..9, 0_usize..2, any::<u64>()), 0..24),
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // A bot that is withdrawn would lose games whatever their records say.
        let mut event = Tournament { strikes: StrikeLimits::OFF, ..fixture::event(&names) };
        for (index, bot) in event.bots.iter_mut().enumerate() {
            bot.id.fingerprint = index.to_string();
        }
        let schedule = fixture::schedule(&event);
        let records: Vec<Record> = schedule.iter().zip(&games).filter_map(|(game, &(result, status, seat, us))| {
            use GameResult::{Draw, FirstWins, SecondWins, Void};
            let mut record = fixture::record(&event, game, [FirstWins, SecondWins, Draw, Void, Void][result], us);
            let status = Status::ALL.get(status)?;
            record.statuses[seat] = *status;
            if result == 4 {
                record.statuses = [Status::Withdrawn; 2];
            }
            Some(record)
        }).collect();
        let stored = Stored::new(&event, &records);
        let results = analysed(&stored);
        let (texts, summary) = everything(&results);
        for (file, text) in FILES.iter().zip(&texts).take(TABLES) {
            // Names may contain any letters, including these.
            let named = names.iter().any(|name| name.contains("NaN"));
            prop_assert!(named || !text.contains("NaN"), "{} has a number that is none", file);
            if *file != "tournament.json" {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
                prop_assert!(reader.records().all(|row| row.is_ok()), "{} is ragged", file);
            }
        }
        let parsed: serde_json::Value = serde_json::from_str(&texts[5]).unwrap();
        prop_assert_eq!(parsed["openings"].as_array().map(Vec::len), Some(2));
        prop_assert!(serde_json::from_str::<Tournament>(&texts[5]).is_ok());
        prop_assert!(!summary.chars().any(|character| character.is_control() && character != '\n'));
        let counts = results.progress;
        prop_assert_eq!(counts.scheduled, counts.played + counts.void + counts.withdrawn + counts.missing);
        let briefs = records.iter().map(|record| Brief::of(record, 0, 0));
        let between_withdrawn = briefs.filter(|brief| brief.is_settled() && !brief.counts()).count();
        prop_assert_eq!(counts.withdrawn, between_withdrawn);
        let unstartable = records.iter().filter(|record| Brief::of(record, 0, 0).is_unstartable()).count();
        prop_assert_eq!(counts.unstartable, unstartable);
    }
}

#[test]
fn no_tag_can_have_the_name_of_a_column() {
    let mut event = fixture::event(&["a", "b"]);
    let number = arena_core::tags::TagValue::Number(7.into());
    event.bots[0].tags.insert("c", number.clone()).unwrap();
    let stored = Stored::new(&event, &[]);
    let results = analysed(&stored);
    let head = |write: &dyn Fn(&mut Vec<u8>) -> anyhow::Result<()>| {
        let mut table = Vec::new();
        write(&mut table).unwrap();
        String::from_utf8(table).unwrap().lines().next().unwrap().to_owned()
    };
    let tables = [
        head(&|out| super::standings_csv(&results.ranking, out)),
        head(&|out| super::bots_csv(&results, out)),
        "davidson_elo,nash,elo_ml,c".to_owned(),
    ];
    let of_formats = arena_core::format::all().flat_map(|format| format.columns).map(|column| column.name);
    let names = tables.iter().map(|table| table.strip_suffix(",c").unwrap()).flat_map(|table| table.split(','));
    for name in names.chain(of_formats) {
        let taken = arena_core::tags::Tags::default().insert(name, number.clone());
        assert_eq!(
            taken,
            Err(arena_core::tags::TagError::Column),
            "{name}: add it to the columns in crates/arena-core/src/tags.rs"
        );
    }
}
