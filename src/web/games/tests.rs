use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;

use super::*;
use crate::report::fixture;
use crate::rules::{Move, Variant};

fn add(games: &mut BlockGames, record: &Record, priority: u32) {
    let variant = Variant::from_json(&record.game, &record.params).unwrap();
    let story = Story::new(record.clone(), variant).unwrap();
    games.add(Listed { record, bots: [0, 1], round: 1, pair: 1 }, Ok(&story), priority);
}

/// Numbered games of moves that do not compress.
fn many(count: u64) -> BlockGames {
    let mut games = BlockGames::new(["a", "b"], vec![], true);
    let mut hash = 1_u64;
    let mut next = |below: u64| {
        hash = hash.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (hash >> 33) % below
    };
    for number in 0..count {
        let mut record = fixture::reported_game();
        record.id = format!("{number:016x}");
        record.evidence = [None, None];
        record.statuses = [Status::Ok; 2];
        (record.moves, record.opening) = (vec![], vec![]);
        while record.moves.len() < 14 {
            let column = next(7) as i64;
            if record.moves.iter().filter(|played| **played == Move::Int(column)).count() < 2 {
                record.moves.push(Move::Int(column));
            }
        }
        let variant = Variant::from_json(&record.game, &record.params).unwrap();
        record.played = (0..14)
            .map(|ply| Played {
                us: 1 << next(24),
                eval: Some(next(200) as f64 / 100.0 - 1.0),
                comment: (ply == 5).then(|| next(1 << 30).to_string()),
                ..Played::default()
            })
            .collect();
        if Story::new(record.clone(), variant).is_ok() {
            add(&mut games, &record, (count - number) as u32);
        }
    }
    games
}

fn stream(block: &Block, line: usize) -> Vec<u8> {
    decompress_to_vec(&STANDARD.decode(block.text.lines().nth(line).unwrap()).unwrap()).unwrap()
}

#[test]
fn a_game_is_written_as_documented() {
    let mut games = BlockGames::new(["mini</script>max", "grumpy\u{1b}"], vec![], true);
    add(&mut games, &fixture::reported_game(), 0);
    let block = games.block(1 << 20);
    assert!(block.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\n".contains(&byte)));
    assert_eq!(block.kept, KeptShare { rows: 1, plies: 1, sampled: [false; 4] });
    let rows = stream(&block, 0);
    let rows = String::from_utf8_lossy(&rows);
    assert!(rows.contains("\"bots\":[\"mini</script>max\",\"grumpy\\\\u{1b}\"]"), "{rows}");
    // Five bytes: three marks, in columns 3, 4 and 3 of the bottom rows.
    assert_eq!(stream(&block, 1), [5, 0, 3, 38, 39, 31]);
    // Two moves after the opening: 1 µs and 12.4 ms.
    assert_eq!(stream(&block, 2), [1, 11]);
    assert_eq!(stream(&block, 3), [0, 168]);
    let texts = stream(&block, 4);
    let texts = String::from_utf8_lossy(&texts);
    assert!(texts.starts_with("\u{1}\u{2}\u{e}mine\\u{1b}[31m"), "{texts:?}");
    assert!(texts.contains("no reply within 1000 ms"), "{texts:?}");
}

#[test]
fn steps_of_time_cover_everything() {
    assert_eq!([0, 10, 11, 12_400, 10_000_000, 10_000_001, u64::MAX].map(step), [0, 0, 1, 10, 18, 19, 19]);
}

#[test]
fn what_does_not_fit_is_kept_for_a_sample() {
    let whole = many(300).block(usize::MAX);
    let sizes: Vec<usize> = whole.text.lines().map(str::len).collect();
    let total = whole.text.len();
    let mut sampled = Vec::new();
    let below =
        [0, sizes[3] / 2, sizes[3] + sizes[2] / 2, sizes[3] + sizes[2] + sizes[4] / 2, total - sizes[0] - sizes[1] / 3];
    for cut in below {
        let block = many(300).block(total - cut);
        assert!(block.text.len() <= total - cut, "{} of {}", block.text.len(), total - cut);
        assert_eq!(block.kept.rows, whole.kept.rows);
        assert!(block.kept.plies > 0);
        sampled.push(block.kept.sampled);
    }
    let expected = [
        [false, false, false, false],
        [false, false, true, false],
        [false, true, true, false],
        [false, true, true, true],
        [true, true, true, true],
    ];
    assert_eq!(sampled, expected);
}

#[test]
fn games_of_the_lowest_priority_are_left_out_first() {
    let whole = many(300).block(usize::MAX);
    let rows = whole.text.lines().next().unwrap().len();
    let plies = whole.text.lines().nth(1).unwrap().len();
    let block = many(300).block(rows + plies / 2);
    let columns = stream(&block, 0);
    let has = &columns[columns.len() - whole.kept.rows..];
    // Later games have the lower number, and so stay.
    assert!(has.is_sorted() && has[0] == 0 && *has.last().unwrap() == 15, "{has:?}");
    assert!(block.kept.plies < whole.kept.rows && block.kept.plies > whole.kept.rows / 10, "{:?}", block.kept);
}

#[test]
fn times_can_be_left_out() {
    let mut games = BlockGames::new(["a", "b"], vec![], false);
    let mut record = fixture::reported_game();
    add(&mut games, &record, 0);
    let block = games.block(1 << 20);
    for played in &mut record.played {
        played.us *= 1_000;
    }
    let mut games = BlockGames::new(["a", "b"], vec![], false);
    add(&mut games, &record, 0);
    assert_eq!(games.block(1 << 20).text, block.text);
}
