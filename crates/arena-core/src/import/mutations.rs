//! Files with random damage, scales, labels and copies: no game is lost without a word, and none gets another result.

use super::*;
use crate::record::GameResult;
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
    match read_all([(name.to_owned(), text)], &ImportOptions::default()) {
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

/// What a file is like besides its games.
struct Shape {
    /// How results are written: by the number of [`SCALES`].
    scale: usize,
    labels: usize,
    /// What names a game: nothing, an identifier, a time, or a round and moves.
    names: usize,
}

/// Results of the first player's win, a draw and a loss, and whether these may be refused.
const SCALES: [([&str; 3], bool); 8] = [
    (["1-0", "1/2-1/2", "0-1"], false),
    (["1.0-0.0", "0.5-0.5", "0.0-1.0"], false),
    (["1", "0.5", "0"], false),
    (["1", "0", "-1"], false),
    (["2", "1", "0"], true),
    (["1", "0", "2"], true),
    (["W", "D", "L"], false),
    (["3", "1", "0"], true),
];

impl Shape {
    fn random(rng: &mut Rng) -> Self {
        let mut below = |bound: u64| rng.below(bound) as usize;
        Self { scale: below(SCALES.len() as u64), labels: below(6), names: below(4) }
    }

    /// The label of a game; two games are a pair.
    fn label(&self, number: usize) -> String {
        match self.labels {
            0 => "NA".to_owned(),
            1 => "1".to_owned(),
            2 => (number / 2 % 3).to_string(),
            3 => format!("{}.{}", number / 2, number % 2 + 1),
            4 => String::new(),
            _ => (number / 2).to_string(),
        }
    }

    /// Whether something names a game: in PGN the round too, since there are moves.
    const fn has_names(&self, is_pgn: bool) -> bool {
        self.names > 0 || is_pgn && self.labels != 0 && self.labels != 4
    }

    fn row(&self, number: usize) -> Vec<u8> {
        let [white, black] = players(number);
        let result = SCALES[self.scale].0[result(number)];
        let (id, time, round, moves) = match self.names {
            1 => (format!("{number:07x}g"), String::new(), String::new(), "NA".to_owned()),
            2 => (String::new(), format!("2026-03-01 10:00:{number:02}"), "-".to_owned(), "e4".to_owned()),
            3 => (String::new(), "null".to_owned(), number.to_string(), "e4".to_owned()),
            _ => (String::new(), String::new(), String::new(), format!("m{}", number % 2)),
        };
        format!("{white},{black},{result},{},{id},{time},{round},{moves}\n", self.label(number)).into_bytes()
    }

    fn pgn(&self, number: usize, rng: &mut Rng) -> Vec<u8> {
        let [white, black] = players(number);
        let result = SCALES[0].0[result(number)];
        let round = self.label(number);
        let name = match self.names {
            1 => format!("[Site \"https://example.org/{number:07x}\"]\n"),
            2 => format!("[Date \"2026.03.01\"]\n[GameStartTime \"2026-03-01T10:00:{number:02}\"]\n"),
            3 => format!("[Board\n\"{number}\"]\n[Number \"{number}\"]\n"),
            _ => "[Date \"2026.03.01\"]\n".to_owned(),
        };
        let twice = ["", "[Event \"f\"]\n", "[White \"x\"]\n", "[Result \"*\"]\n"][rng.below(4) as usize];
        let comment = [
            "",
            "{ [Event \"old\"]\n[White \"x\"]\n[Black \"y\"]\n[Result \"0-1\"]\n\n1. d4 0-1\n}",
            "{ he said:\n[Black \"x\"] and ; } ; { not open",
        ][number % 3];
        format!(
            "[Event \"e\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             {twice}{name}\n1. e4 {comment}\n e5 {result}\n\n"
        )
        .into_bytes()
    }
}

fn players(number: usize) -> [String; 2] {
    let [one, other] = ["w", "b"].map(|seat| format!("{seat}{}", number / 2));
    if number.is_multiple_of(2) { [one, other] } else { [other, one] }
}

/// A win, a draw or a loss of the first player.
const fn result(number: usize) -> usize {
    [0, 1, 2, 2, 0][number % 5]
}

/// Checks a table of games of which some were damaged, and some recorded twice: `extra` of them.
fn check_results(table: &GameTable, damaged: &[usize], extra: usize, shape: &Shape, is_pgn: bool, text: &str) {
    let names: Vec<String> = table.names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let mut seen = [0; GAMES];
    for game in &table.games {
        let seats = [game.first, game.second].map(|player| names[player as usize].clone());
        let Some(number) = (0..GAMES).find(|number| players(*number) == seats) else { continue };
        // Damage may make one player of another.
        if damaged.iter().all(|damaged| damaged / 2 != number / 2) {
            seen[number] += 1;
            let expected = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins][result(number)];
            assert_eq!(game.result, expected, "{number}\n{text}");
        }
    }
    if damaged.is_empty() {
        let copies = if shape.has_names(is_pgn) { extra } else { 0 };
        assert_eq!(table.left_out_for(LeftOutCause::Copy), copies, "{text}");
        assert!(seen.iter().all(|count| *count > 0) && table.games.len() + copies == GAMES + extra, "{text}");
        if copies == extra {
            assert_eq!(table.unpaired, 0, "{text}");
            assert!(table.games.chunks(2).all(|pair| pair[0].pair == pair[1].pair), "{text}");
        }
    }
}

#[test]
fn scales_labels_and_copies_change_no_result() {
    let mut rng = Rng::new(35);
    let (mut read_files, mut refused) = (0, 0);
    for case in 0..300 {
        let is_pgn = case % 2 == 0;
        let shape = Shape::random(&mut rng);
        let mut games: Vec<Vec<u8>> =
            (0..GAMES).map(|number| if is_pgn { shape.pgn(number, &mut rng) } else { shape.row(number) }).collect();
        // The first games again: in the same file, or as a file of their own.
        let extra = 2 * rng.below(4) as usize;
        let copies = games[..extra].concat();
        let damaged: Vec<usize> = (0..rng.below(3)).map(|_| rng.below(GAMES as u64) as usize).collect();
        for number in &damaged {
            damage(&mut rng, &mut games[*number]);
        }
        let header = if is_pgn { "" } else { "white,black,result,pair,id,time,round,moves\n" };
        let text = [header.as_bytes(), &games.concat()].concat();
        let in_one = rng.below(2) == 0;
        let files = if in_one || extra == 0 {
            vec![[&text[..], &copies].concat()]
        } else {
            vec![[header.as_bytes(), &copies].concat(), text]
        };
        let shown = files.iter().map(|file| String::from_utf8_lossy(file)).collect::<Vec<_>>().join("=====\n");
        let named = files.iter().map(|file| (if is_pgn { "it.pgn" } else { "it.csv" }.to_owned(), &file[..]));
        match read_all(named, &ImportOptions::default()) {
            Ok((table, _)) => {
                read_files += 1;
                let left_out: usize = table.left_out.iter().map(|left_out| left_out.places.games).sum();
                assert_eq!(table.read, table.games.len() + left_out, "{shown}");
                check_results(&table, &damaged, extra, &shape, is_pgn, &shown);
            }
            Err(error) => {
                refused += 1;
                let may_be = !damaged.is_empty() || !is_pgn && SCALES[shape.scale].1 || files.len() > 1;
                assert!(may_be, "{error} {:?}\n{shown}", error.source);
            }
        }
    }
    assert!(read_files > 150 && refused > 20, "{read_files} {refused}");
}
