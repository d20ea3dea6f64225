//! Screens as they look, of every game, with names that are wide or hostile.

use crate::fixture;
use anyhow::bail;
use arena_core::record::{BotId, Evidence, GameResult, Played, Record, Status};
use arena_core::rules::{RULES, Rules, Variant, step};
use arena_wire::protocol::{JSON, protocol_named};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::KeyCode::{Down, End, Home, Left, PageDown, PageUp, Tab, Up};
use ratatui::layout::Position;
use ratatui::text::Span;

use super::*;
use crate::tui::KeyPress::Click;

const NAMES: [&str; 2] = ["盤上の策士・改", "evil\u{1b}[2J\u{202e}<b>'\"; rm -rf /; a name without an end, nearly"];
const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (60, 20), (39, 11)];

/// Stored games, in memory.
#[derive(Debug)]
struct Fake(Vec<Record>);

impl Games for Fake {
    fn list(&mut self) -> anyhow::Result<List> {
        let mut list = List::default();
        for (record, round) in self.0.iter().zip(1..) {
            let row = list.row_of(record);
            list.rows.push(ListedGame { round, pair: round, ..row });
        }
        list.folders.push("cup".to_owned());
        Ok(list)
    }

    fn open(&mut self, row: &ListedGame) -> anyhow::Result<Opened> {
        let Some(record) = self.0.iter().find(|record| arena_core::event::GameId::of(&record.id) == row.id) else {
            bail!("it is gone");
        };
        Ok(opened(record.clone()))
    }
}

fn opened(record: Record) -> Opened {
    let variant = Variant::from_json(&record.game, &record.params).unwrap();
    let command = format!("arena replay {} --name results/cup", record.id);
    Opened { story: Story::new(record, variant).unwrap(), protocols: [&JSON; 2], command }
}

/// A game of some moves, the first of which are an opening, in which the second bot was at fault.
fn record(game: &str, plies: usize, number: usize) -> Record {
    let variant: Variant = game.parse().unwrap();
    let mut record = fixture::reported_game();
    record.id = format!("{number:x}{:015x}", 0xbad);
    (record.game, record.params) = (variant.rules.name.to_owned(), variant.params.to_json());
    for (bot, name) in record.bots.iter_mut().zip(NAMES) {
        *bot = BotId { name: name.to_owned(), ..bot.clone() };
    }
    let mut state = variant.start(record.seed).unwrap();
    record.moves.clear();
    while record.moves.len() < plies && state.outcome().is_none() {
        let count = state.legal_count();
        let played = state.nth_legal((record.moves.len() * 7 + number) as u64 % count);
        step(state.as_mut(), &played).unwrap();
        record.moves.push(played);
    }
    record.opening = record.moves[..record.moves.len().min(2)].to_vec();
    record.played = (2..record.moves.len() as u64)
        .map(|ply| Played {
            us: ply * ply * 700,
            cpu_us: (ply % 3 == 0).then_some(ply * 500),
            eval: (ply % 4 != 0).then_some((ply as f64 / 10.0).sin()),
            comment: (ply % 2 == 0).then(|| format!("{} \u{1b}[31m of ply {ply}", "深く読む".repeat(ply as usize % 5))),
            ..Played::default()
        })
        .collect();
    record.evidence[1] = Some(Evidence {
        message: "no move within 1000 ms".to_owned(),
        last_sent: Some("{\"type\":\"move_request\"}".repeat(4)),
        stderr_tail: Some((0..30).map(|line| format!("\\tline {line}\u{7}")).collect::<Vec<_>>().join("\n")),
        ..Evidence::default()
    });
    record
}

fn records() -> Vec<Record> {
    let games = ["connect4", "tictactoe", "gomoku", "marbles", "mastermind"];
    games.iter().zip(1..).map(|(game, number)| record(game, 9, number)).collect()
}

#[test]
fn sides_are_called_as_the_rules_say() {
    let mut opened = opened(record("connect4", 9, 1));
    opened.story.variant.rules = Box::leak(Box::new(Rules { sides: ["North", "South"], ..*RULES[0] }));
    let screen = screen(&Replay::game(Fake(Vec::new()), opened, 4), (120, 40));
    for part in ["(North) ", "(South): ", "high: North ahead", " 3 North ", "▶ 4 South "] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

#[test]
fn a_fault_is_repeated_with_the_input_of_the_bots_protocol() {
    let mut opened = opened(record("gomoku", 9, 1));
    opened.story.record.statuses[1] = Status::Timeout;
    let again = |opened: &Opened| ending::lines(opened).into_iter().find(|line| line.starts_with("again: ")).unwrap();
    assert!(again(&opened).ends_with(" --wire second | BOT"), "{}", again(&opened));
    opened.protocols[1] = protocol_named("gomocup").unwrap();
    assert!(again(&opened).ends_with(" --wire second | sed -n 's/^< //p' | BOT"), "{}", again(&opened));
}

/// The screen, line by line.
fn screen<G: Games>(replay: &Replay<G>, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| replay.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for row in buffer.content.chunks(usize::from(width)) {
        let mut line = String::new();
        let mut hidden = 0;
        for cell in row {
            // A wide character takes the place of the next one too.
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = Span::raw(cell.symbol()).width().max(1);
            }
            hidden -= 1;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn press<G: Games>(replay: &mut Replay<G>, keys: &str) {
    for key in keys.chars() {
        replay.key(match key {
            '\n' => Key(Enter),
            '\u{1b}' => Key(Esc),
            key => Key(Char(key)),
        });
    }
}

/// All sizes of what is seen after these keys.
fn screens(keys: &str) -> String {
    let mut replay = Replay::list(Fake(records()), "").unwrap();
    press(&mut replay, keys);
    SIZES.map(|size| screen(&replay, size)).join("\n")
}

#[test]
fn a_list_of_games() {
    insta::assert_snapshot!("list", screens("j"));
    insta::assert_snapshot!("typed_filter", screens("/fault bot:盤上"));
    insta::assert_snapshot!("help", screens("?"));
}

#[test]
fn connect4_in_the_middle() {
    insta::assert_snapshot!("connect4", screens("\n......"));
}

#[test]
fn a_fault_at_the_end_of_tictactoe() {
    insta::assert_snapshot!("tictactoe", screens("j\nG"));
}

#[test]
fn gomoku_in_the_middle() {
    insta::assert_snapshot!("gomoku", screens("jj\n......."));
}

#[test]
fn marbles_in_the_middle() {
    insta::assert_snapshot!("marbles", screens("jjj\n...."));
}

#[test]
fn mastermind_in_the_middle() {
    insta::assert_snapshot!("mastermind", screens("jjjj\n....."));
}

#[test]
fn evidence_is_shown_whole_by_scrolling() {
    for size in [(80, 24), (120, 40), (60, 20), (40, 12)] {
        let mut replay = Replay::list(Fake(records()), "").unwrap();
        press(&mut replay, "\nG");
        let mut seen = String::new();
        for _ in 0..80 {
            seen.push_str(&screen(&replay, size));
            press(&mut replay, "j");
        }
        let last = screen(&replay, size);
        assert!(last.contains("line 29"), "{last}");
        for line in 0..30 {
            assert!(seen.contains(&format!("line {line}\\u{{7}}")), "{size:?}: line {line}");
        }
        // And back again to the move before the last.
        for _ in 0..80 {
            press(&mut replay, "k");
            screen(&replay, size);
        }
        assert!(screen(&replay, size).contains("start of 9 moves"), "{}", screen(&replay, size));
    }
}

#[test]
fn games_are_found_played_and_left_by_keys() {
    let mut replay = Replay::list(Fake(records()), "").unwrap();
    let seen = |replay: &Replay<Fake>| screen(replay, (80, 24));
    press(&mut replay, "/reason:time last:2\n");
    assert!(seen(&replay).contains("2 of 5 games ─ reason:time last:2"), "{}", seen(&replay));
    press(&mut replay, "/x\u{1b}");
    assert!(seen(&replay).contains("2 of 5 games"), "{}", seen(&replay));
    press(&mut replay, "\n");
    assert!(seen(&replay).contains("marbles"), "{}", seen(&replay));
    press(&mut replay, "n");
    assert!(seen(&replay).contains("mastermind"), "{}", seen(&replay));
    press(&mut replay, "n");
    assert!(seen(&replay).contains("this is the last game of the list"), "{}", seen(&replay));

    // It plays by itself, to its end.
    press(&mut replay, " ");
    assert_eq!(replay.ticks_every(), Some(PLAY_STEP));
    for _ in 0..9 {
        replay.tick();
    }
    assert!(seen(&replay).contains("9 of 9:"), "{}", seen(&replay));
    assert_eq!(replay.ticks_every(), None);

    press(&mut replay, ",c");
    assert_eq!(replay.copied().as_deref(), Some("arena replay 5000000000000bad --name results/cup --from 8"));
    assert_eq!(replay.copied(), None);
    assert!(seen(&replay).contains("copied: arena replay"), "{}", seen(&replay));

    press(&mut replay, "q");
    assert!(!replay.is_over() && seen(&replay).contains("2 of 5 games"), "{}", seen(&replay));
    press(&mut replay, "\u{1b}");
    assert!(seen(&replay).contains("─ 5 games of cup"), "{}", seen(&replay));
    press(&mut replay, "q");
    assert!(replay.is_over());
}

#[test]
fn a_game_that_was_opened_by_its_id_has_a_list_around_it() {
    let alone = || Replay::game(Fake(records()), opened(records().remove(2)), 3);
    let mut replay = alone();
    assert!(screen(&replay, (80, 24)).contains("3 of 9:"));
    press(&mut replay, "n");
    assert!(screen(&replay, (80, 24)).contains("marbles"));
    let mut replay = alone();
    press(&mut replay, "NN");
    assert!(screen(&replay, (80, 24)).contains("connect4"));
    let mut replay = alone();
    press(&mut replay, "/round:3\n\n");
    assert!(screen(&replay, (80, 24)).contains("gomoku") || screen(&replay, (80, 24)).contains("mnk"));
    let mut replay = alone();
    press(&mut replay, "q");
    assert!(replay.is_over());
}

#[test]
fn moves_that_gave_the_result_away_are_marked_and_found() {
    let mut opened = opened(record("connect4", 9, 1));
    let (from, moves) = (opened.story.record.opening.len(), opened.story.record.moves.len());
    // The second move after the opening gives a draw away, and the fifth the win.
    let values: Vec<i32> = [0, 0, 3, -2, 1].into_iter().chain(std::iter::repeat(0)).take(moves - from + 1).collect();
    let solver = arena_core::analysis::solver_name(&opened.story.variant).unwrap();
    let could = vec![0; moves - from];
    let digest = arena_core::analysis::Line::of(&opened.story.record, &opened.story.variant).unwrap().digest;
    let entry = serde_json::json!(
        {"id": "1", "solver": solver, "moves": digest, "from": from, "values": values, "could": could}
    );
    let marks = arena_core::analysis::Marks::of(&serde_json::from_value(entry).unwrap(), &opened.story.record);
    opened.story = opened.story.with_marks(marks);
    let mut replay = Replay::game(Fake(records()), opened, 0);
    let given = [from + 2, from + 5];
    for (key, ply) in [("m", given[0]), ("m", given[1]), ("m", given[1]), ("M", given[0]), ("M", given[0])] {
        press(&mut replay, key);
        let seen = screen(&replay, (120, 40));
        assert!(seen.contains(&format!("{ply} of {moves}:")), "{seen}");
    }
    let seen = screen(&replay, (120, 40));
    assert!(
        seen.contains("D = L2") && seen.contains("draw → loss: loses in 2") && seen.contains("win → draw"),
        "{seen}"
    );
}

#[test]
fn what_goes_wrong_is_said_and_the_screen_stays() {
    let mut replay = Replay::list(Fake(records()), "").unwrap();
    replay.games.0.clear();
    press(&mut replay, "\n");
    assert!(screen(&replay, (80, 24)).contains("it is gone"));
    press(&mut replay, "/lost");
    assert!(screen(&replay, (80, 24)).contains("“lost” needs a bot: bot:NAME lost"));
    let empty = Replay::list(Fake(Vec::new()), "").unwrap();
    assert!(screen(&empty, (80, 24)).contains("There are no games yet."));
    let none = Replay::list(Fake(records()), "bot:no-such-bot").unwrap();
    assert!(screen(&none, (80, 24)).contains("No game matches; Esc shows all."));
}

#[test]
fn nothing_of_a_foreign_journal_reaches_the_terminal_raw() {
    let mut record = records().remove(0);
    record.id = "a\u{202e}b\u{1b}[2J".to_owned();
    let mut replay = Replay::game(Fake(Vec::new()), opened(record), usize::MAX);
    let ended = screen(&replay, (120, 40));
    assert!(ended.contains("again: arena replay a\\u{202e}b\\u{1b}[2J --name"), "{ended}");
    replay.message = Some("reading games\u{202e}.jsonl".to_owned());
    let failed = screen(&replay, (120, 40));
    assert!(failed.contains("reading games\\u{202e}.jsonl"), "{failed}");
    assert!(![ended, failed].concat().contains(['\u{202e}', '\u{1b}']));
}

#[test]
fn games_that_cannot_be_opened_are_passed() {
    let mut replay = Replay::list(Fake(records()), "").unwrap();
    press(&mut replay, "\n");
    let next = replay.games.0.remove(1);
    let after = replay.games.0[1].id[..8].to_owned();
    press(&mut replay, "n");
    assert!(screen(&replay, (80, 24)).contains("it is gone"), "{}", next.id);
    press(&mut replay, "n");
    assert!(screen(&replay, (80, 24)).contains(&after), "{}", screen(&replay, (80, 24)));
}

#[test]
fn a_game_without_moves_is_shown() {
    let mut record = record("connect4", 0, 1);
    (record.result, record.statuses) = (GameResult::Void, [Status::Ok; 2]);
    let mut replay = Replay::game(Fake(vec![record.clone()]), opened(record), 9);
    for size in SIZES {
        press(&mut replay, ". , G g");
        assert!(screen(&replay, size).contains("start of 0 moves"), "{}", screen(&replay, size));
    }
}

/// Keys, of which some are likely and any is possible.
fn key() -> impl Strategy<Value = KeyPress> {
    let likely = "jkhlgGnN/?qc.,  \u{1b}".chars().map(|key| Key(Char(key))).collect::<Vec<_>>();
    let others = vec![
        Key(Enter),
        Key(Esc),
        Key(Backspace),
        Key(Tab),
        Key(Up),
        Key(Down),
        Key(Left),
        Key(Right),
        Key(Home),
        Key(End),
        Key(PageUp),
        Key(PageDown),
        Ctrl('u'),
        Ctrl('w'),
        Click(Position::new(3, 3)),
        Click(Position::new(200, 200)),
    ];
    prop_oneof![
        prop::sample::select(likely),
        prop::sample::select(others),
        any::<char>().prop_map(|key| Key(Char(key)))
    ]
}

proptest! {
    #[test]
    fn any_keys_in_any_size_draw_a_screen_with_its_cursor_inside(
        steps in prop::collection::vec((key(), 0_u16..130, 0_u16..45, any::<bool>()), 1..60),
        is_alone in any::<bool>(),
    ) {
        let mut replay = if is_alone {
            Replay::game(Fake(records()), opened(records().remove(1)), 2)
        } else {
            Replay::list(Fake(records()), "").unwrap()
        };
        for (key, width, height, is_tick) in steps {
            if is_tick && replay.ticks_every().is_some() {
                replay.tick();
            }
            replay.key(key);
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| replay.draw(frame)).unwrap();
            let at = terminal.get_cursor_position().unwrap();
            let is_inside = at == Position::ORIGIN || at.x < width && at.y < height;
            prop_assert!(is_inside, "{at:?} is outside {width}×{height}");
        }
    }
}
