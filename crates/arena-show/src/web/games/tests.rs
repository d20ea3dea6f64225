use crate::fixture;
use arena_core::rules::{Image, Move, Picture, Variant};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

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
    assert_eq!(block.kept, KeptShare { rows: 1, plies: 1, sampled: [false; 5] });
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
        [false, false, false, false, false],
        [false, false, true, false, false],
        [false, true, true, false, false],
        [false, true, true, true, false],
        [true, true, true, true, false],
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

/// Adds a game whose positions have these images.
fn add_images(games: &mut BlockGames, svgs: &[String], number: u32) {
    let mut record = fixture::reported_game();
    record.id = format!("{number:016x}");
    let variant = Variant::from_json(&record.game, &record.params).unwrap();
    let mut story = Story::new(record, variant).unwrap();
    for (picture, svg) in story.pictures.iter_mut().zip(svgs) {
        *picture = Picture::Image(Image { svg: svg.clone(), text: picture.to_string() });
    }
    games.add(Listed { record: &story.record, bots: [0, 1], round: 1, pair: 1 }, Ok(&story), number);
}

/// The images of the only game of a block.
fn images(block: &Block) -> Vec<String> {
    fn number(bytes: &mut &[u8]) -> usize {
        let end = bytes.iter().position(|byte| *byte < 0x80).unwrap();
        let (number, rest) = bytes.split_at(end + 1);
        *bytes = rest;
        number.iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f))
    }
    let packed = stream(block, 5);
    let mut packed = packed.as_slice();
    assert_eq!(number(&mut packed), packed.len());
    let texts = decompress_to_vec(packed).unwrap();
    let (mut rest, mut all) = (texts.as_slice(), vec![]);
    while !rest.is_empty() {
        let length = number(&mut rest);
        let (text, after) = rest.split_at(length);
        all.push(String::from_utf8(text.to_vec()).unwrap());
        rest = after;
    }
    all
}

proptest! {
    #[test]
    fn images_are_data_whatever_is_in_them(
        svgs in vec(prop_oneof![
            any::<String>(),
            select(&["</script>", "<img src=x onerror=alert(1)>", "\"'`", "\0", "]]>", "<!--", "data:text/html,x"][..])
                .prop_map(|text| format!("<svg>{text}")),
            Just("<svg/>".repeat(10_000)),
        ], 4)
    ) {
        let mut games = BlockGames::new(["a", "b"], vec![], true);
        add_images(&mut games, &svgs, 0);
        let block = games.block(1 << 20);
        prop_assert!(block.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\n".contains(&byte)));
        // Three moves, so four positions; what the text is, the other streams have.
        let is_there = svgs.iter().any(|svg| !svg.is_empty());
        prop_assert_eq!(stream(&block, 0).last().copied(), Some(if is_there { 31 } else { 15 }));
        if is_there {
            prop_assert_eq!(images(&block), svgs);
        }
        let plies = stream(&block, 1);
        prop_assert!(String::from_utf8_lossy(&plies).contains("\"kind\":\"text\""));
    }
}

/// Images that do not compress, of `bytes` a game.
fn with_images(count: u32, bytes: usize) -> BlockGames {
    let mut games = BlockGames::new(["a", "b"], vec![], true);
    for number in 0..count {
        let mut svg = String::new();
        for block in 0.. {
            if svg.len() >= bytes * 2 {
                break;
            }
            svg.push_str(&blake3::hash(format!("{number} {block}").as_bytes()).to_hex());
        }
        add_images(&mut games, &[svg], number);
    }
    games
}

#[test]
fn images_are_the_first_to_be_left_out() {
    let whole = with_images(20, 2_000).block(usize::MAX);
    assert_eq!(whole.kept.sampled, [false; 5]);
    let most = whole.text.len() - 10_000;
    let block = with_images(20, 2_000).block(most);
    assert!(block.text.len() <= most && block.text.len() > most / 2, "{} of {most}", block.text.len());
    assert_eq!((block.kept.plies, block.kept.sampled), (20, [false, false, false, false, true]));
    let columns = stream(&block, 0);
    let has = &columns[columns.len() - 20..];
    assert!(has[0] == 31 && has[19] == 15 && has.is_sorted_by(|one, next| one >= next), "{has:?}");
}

#[test]
fn images_take_no_more_memory_than_they_may() {
    let games = with_images(10, 1 << 20);
    let has: Vec<bool> = games.rows.iter().map(|row| !row.images.is_empty()).collect();
    let kept = has.iter().filter(|has| **has).count();
    assert!((2..5).contains(&kept) && has.is_sorted_by(|one, next| one >= next), "{has:?}");
    assert!(games.rows.iter().all(|row| !row.plies.is_empty()));
}

#[test]
fn the_block_has_the_flags_that_select_its_tournament() {
    let games = BlockGames::new(["a", "b"], vec![], true).selected_by("--name 'a cup'");
    assert!(games.head().contains(r#""select":"--name 'a cup'""#), "{}", games.head());
}
