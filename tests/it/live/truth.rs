//! What a headline of a knockout of four bots must say, computed from the journal alone.

use std::collections::BTreeSet;

use serde_json::Value;

/// A game: the names of its bots, and twice their points.
type Game = ([String; 2], [u32; 2]);

/// Panics unless a headline says what the games say that it tells of: the first ones of the journal, or all. The games were played
/// one after the other, and no name is in another one.
#[track_caller]
pub(crate) fn check_headline(headline: &str, journal: &str) {
    let games: Vec<Game> = journal.lines().filter_map(game).collect();
    let count = headline.strip_prefix("After ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    let said = headline.split_once(": ").filter(|_| count.is_some()).map_or(headline, |(_, said)| said);
    let known = &games[..count.unwrap_or(games.len())];
    // In the order of their first games: both semifinals, then the final.
    let mut matches: Vec<BTreeSet<&str>> = Vec::new();
    for (bots, _) in &games {
        let bots = bots.iter().map(String::as_str).collect();
        if !matches.contains(&bots) {
            matches.push(bots);
        }
    }
    assert_eq!(matches.len(), 3, "{matches:?}");
    let of = |found: &BTreeSet<&str>, games: &[Game]| -> Vec<Game> {
        games.iter().filter(|(bots, _)| bots.iter().all(|bot| found.contains(bot.as_str()))).cloned().collect()
    };
    let is_over = |found: &&BTreeSet<&str>| of(found, known).len() == of(found, &games).len();
    let mut left: BTreeSet<&str> = matches[..2].iter().flatten().copied().collect();
    let over = matches[..2].iter().filter(is_over);
    // The loser of a semifinal does not play the final.
    over.clone().for_each(|found| left.retain(|bot| !found.contains(bot) || matches[2].contains(bot)));
    let named: BTreeSet<&str> = matches[..2].iter().flatten().copied().filter(|bot| said.contains(bot)).collect();
    let over = over.count();
    if over < 2 {
        assert!(said.starts_with(&format!("{over} of 2 matches of the semifinal ")), "{headline}");
        assert!(said.ends_with(" can still win the knockout."), "{headline}");
        let more = if left.len() > 3 { " and 1 more can" } else { " can" };
        assert!(
            named.is_subset(&left) && named.len() == left.len().min(3) && said.contains(more),
            "{headline}: {left:?}"
        );
        return;
    }
    assert_eq!(named, matches[2], "{headline}");
    let played = of(&matches[2], known);
    // Whole pairs count.
    let points = |bot: &str| -> u32 {
        let own = played[..played.len() / 2 * 2].iter().flat_map(|(bots, halves)| bots.iter().zip(halves));
        own.filter(|(of, _)| *of == bot).map(|(_, halves)| *halves).sum()
    };
    let mut finalists: Vec<(&str, u32)> = matches[2].iter().map(|bot| (*bot, points(bot))).collect();
    finalists.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    let [(first, x), (second, y)] = finalists[..] else { panic!("{finalists:?}") };
    let shown = |halves: u32| match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 1) => format!("{whole}½"),
        (whole, _) => whole.to_string(),
    };
    let score = format!("{}–{}", shown(x), shown(y));
    let pairs = format!(" after {} pair", played.len() / 2);
    let expected: Vec<String> = match (is_over(&&matches[2]), played.len() / 2) {
        (true, _) if x > y => vec![format!("{first} won the knockout: {score} against {second} in the final")],
        (true, _) => vec![" won the knockout: ".to_owned(), score],
        (false, 0) => vec![" play the final of the knockout.".to_owned()],
        (false, _) if x > y => vec![format!("{first} leads {score} against {second} in the final"), pairs],
        (false, _) => vec![" are level in the final".to_owned(), score, pairs],
    };
    assert!(expected.iter().all(|words| said.contains(words.as_str())), "{headline}: {expected:?}");
}

/// The game of a line of a journal, if it has one.
fn game(line: &str) -> Option<Game> {
    let line: Value = serde_json::from_str(line).ok().filter(|line: &Value| line["type"] == "game")?;
    let halves = match line["result"].as_str()? {
        "1-0" => [2, 0],
        "0-1" => [0, 2],
        "1/2-1/2" => [1, 1],
        _ => return None,
    };
    let name = |seat: usize| line["bots"][seat]["name"].as_str().expect("a name").to_owned();
    Some(([name(0), name(1)], halves))
}
