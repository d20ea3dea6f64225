//! Files with random damage: no game is lost without a word.

use super::*;
use crate::rng::Rng;

/// Games of each file before it is damaged.
const GAMES: usize = 12;
/// Bytes with a meaning in either format.
const BYTES: &[u8] = b"[]\"{}();%\\\n\r\0,;\t?*-10=\xa0\xff aZ";
/// Files that are odd to begin with.
const SAMPLES: [&[u8]; 12] = [
    include_bytes!("../../../../tests/data/edges/bye.pgn"),
    include_bytes!("../../../../tests/data/edges/cr_in_tag.pgn"),
    include_bytes!("../../../../tests/data/edges/double_forfeit.pgn"),
    include_bytes!("../../../../tests/data/edges/en_dash.csv"),
    include_bytes!("../../../../tests/data/edges/excel_empty_rows.csv"),
    include_bytes!("../../../../tests/data/edges/excel_sep.csv"),
    include_bytes!("../../../../tests/data/edges/excel_unicode.csv"),
    include_bytes!("../../../../tests/data/edges/no_result_tag.pgn"),
    include_bytes!("../../../../tests/data/edges/result_disagrees.pgn"),
    include_bytes!("../../../../tests/data/edges/self_named.pgn"),
    include_bytes!("../../../../tests/data/edges/spaces.csv"),
    include_bytes!("../../../../tests/data/edges/torn_tag.pgn"),
];

/// A game between players of their own.
fn pgn(number: usize) -> Vec<u8> {
    let comment =
        ["", "{ a comment [x\n\n over lines }", "(1... c5 {[%eval 0.1]} 2. Nf3)", "; to the end\n"][number % 4];
    let text = format!(
        "[Event \"e\"]\n[White \"w{number}\"]\n[Black \"b{number}\"]\n[Result \"1-0\"]\n\n\
         1. e4 {comment} e5 $1 2. Nf3 1-0\n{}",
        if number.is_multiple_of(3) { "" } else { "\n" }
    );
    text.into_bytes()
}

fn row(number: usize) -> Vec<u8> {
    format!("w{number},b{number},1-0,of {number}\n").into_bytes()
}

/// Changes one to three bytes or lines.
fn damage(rng: &mut Rng, text: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let at = rng.below(text.len() as u64 + 1) as usize;
        let byte = BYTES[rng.below(BYTES.len() as u64) as usize];
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
        match rng.below(6) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text[at] = byte,
            2 => drop(text.drain(at..end)),
            3 => text.extend_from_within(at..end),
            4 => text.truncate(at.max(1)),
            _ => text.insert(at, byte),
        }
    }
}

/// Reads a file and checks the sum of its games.
fn read(name: &str, text: &[u8]) -> Result<GameTable, Vec<LeftOutGames>> {
    match read_all([(name.to_owned(), text)], PairMode::Guess, OddGames::LeftOut) {
        Ok((table, _)) => {
            let left_out: usize = table.left_out.iter().map(|left_out| left_out.places.games).sum();
            assert_eq!(table.read, table.games.len() + left_out, "{}", String::from_utf8_lossy(text));
            Ok(table)
        }
        Err(ImportError { source: TableError::NoGames(left_out), .. }) => Err(left_out),
        Err(_) => Err(Vec::new()),
    }
}

/// Checks that a file has at least `least` games, and that its sound ones are rated.
fn check(name: &str, text: &[u8], is_sound: impl Fn(usize) -> bool, least: usize) {
    let shown = String::from_utf8_lossy(text);
    let table = read(name, text).unwrap_or_else(|left_out| GameTable {
        read: left_out.iter().map(|left_out| left_out.places.games).sum(),
        left_out,
        ..GameTable::default()
    });
    assert!(table.read >= least, "{} of {least}: {:?}\n{shown}", table.read, table.left_out);
    for number in (0..GAMES).filter(|number| is_sound(*number)) {
        let seats = ["w", "b"].map(|seat| format!("{seat}{number}").into_bytes());
        let is_it = |game: &GameRow| {
            [game.first, game.second].map(|player| &table.names[player as usize]) == [&seats[0], &seats[1]]
        };
        assert!(table.games.iter().any(is_it), "{number}: {:?}\n{shown}", table.left_out);
    }
}

#[test]
fn damage_costs_only_the_damaged_games_and_is_counted() {
    let mut rng = Rng::new(33);
    for case in 0..100 {
        let damaged = [0; 2].map(|_| rng.below(GAMES as u64) as usize);
        let mut games: Vec<Vec<u8>> = (0..GAMES).map(pgn).collect();
        for number in damaged {
            damage(&mut rng, &mut games[number]);
        }
        // A line that is cut may hide the next tag.
        let is_sound = |number: usize| damaged.iter().all(|damaged| number != *damaged && number != damaged + 1);
        let line_end = ["\n", "\r\n", "\r"][case % 3];
        let text = String::from_utf8_lossy(&games.concat()).replace('\n', line_end);
        check("it.pgn", text.as_bytes(), is_sound, GAMES - 2);

        let mut rows: Vec<Vec<u8>> = (0..GAMES).map(row).collect();
        for number in damaged {
            damage(&mut rng, &mut rows[number]);
        }
        let rows = rows.concat();
        let has_quote = rows.contains(&b'"');
        // Every line is a row, but within quotes only one with a result is taken for one.
        let is_row = |line: &&[u8]| {
            if has_quote {
                line.split(|byte| *byte == b',').nth(2) == Some(b"1-0")
            } else {
                line.iter().any(|byte| !b", \xa0\t".contains(byte))
            }
        };
        let lines = rows.split(|byte| b"\r\n".contains(byte)).filter(is_row).count();
        let text = [b"white,black,result,remark\n".to_vec(), rows].concat();
        // A quote that is not closed takes the rows up to the next one.
        check("it.csv", &text, |number| !has_quote && is_sound(number), lines);
    }
}

#[test]
fn odd_files_may_be_damaged_further() {
    let mut rng = Rng::new(34);
    for case in 0..100 {
        let mut text = SAMPLES[case % SAMPLES.len()].to_vec();
        damage(&mut rng, &mut text);
        for name in ["it", "it.pgn"] {
            let _ = read(name, &text);
        }
    }
}
