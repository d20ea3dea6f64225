//! Ratings of games from files.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::import::{
    self, GameTable, ImportError, ImportOptions, LeftOutCause, OddGames, PairMode, Paired, Scale, TableError,
};
use arena_core::stats::{RatingOptions, rate as fit};
use arena_core::text::{counted, percent, shown};
use arena_show::views::Ranking;
use arena_store::journal;
use arena_store::report::{
    ImportOrigin, RANKING_FILES, SUMMARY_FILE, TextPage, Tone, best_sentence, ranking_page, statements, summary_json,
    write_ranking, write_ranking_plots,
};
use arena_sys::results_folder::{Durability, Place};

use super::copies::without_copies;
use super::origin;
use super::{Args, SVG, tell_plots};
use crate::cli::run::remembered::remember;
use crate::cli::{Exit, Io};

const OUT: &str = "--out";

pub(super) fn rate(args: &Args, given: &[PathBuf], io: &Io) -> anyhow::Result<Exit> {
    if args.no_times.is_some() {
        bail!("--no-times is for tournaments only: no report is written for files of games");
    }
    if args.bot.is_some() {
        bail!("--bot is for tournaments only: files of games have no times and no faults");
    }
    if !args.by.is_empty() {
        bail!("--by is for tournaments only: players of files of games have no tags");
    }
    let (files, mut warnings) = without_copies(given)?;
    let tables = tables_place(args, &given[0])?;
    check_outputs(args, given, tables.as_ref())?;
    let inputs = files.into_iter().map(|path| {
        let reading = || format!("reading games {}", path.display());
        let name = path.display().to_string();
        Ok((name, BufReader::with_capacity(1 << 16, File::open(path).with_context(reading)?)))
    });
    let odd = if args.strict { OddGames::Refused } else { OddGames::LeftOut };
    let inputs = inputs.collect::<anyhow::Result<Vec<_>>>()?;
    let reading = ImportOptions { pairs: args.pairs.unwrap_or(PairMode::Guess), odd, scale: args.scale.clone() };
    let (table, paired) = import::read_all(inputs, &reading).map_err(with_flag)?;
    // Swapped pairs balance the seats, unless most games have no partner.
    let is_balanced = paired != Paired::NotAtAll && 2 * table.unpaired <= table.games.len();
    let mut options = args.rating.asked(None).analysis(&table.names, args.side.unwrap_or(!is_balanced))?;
    options.rating.fitted_prior |= origin::prefer_likes(&table.origins);
    if let Some(warning) = slow_to_rate(table.names.len()) {
        io.tell(&warning);
    }
    warnings.extend(odd_games(&table));
    warnings.extend(alike_names(&table));
    let scales = scales(&table);
    let origin = ImportOrigin::of(&table, paired);
    let how = HowPaired::of(&table, paired);
    let differences = origin::differences(&table.origins);
    let mut ranking = Ranking::of(table.names, table.games, &options);
    ranking.repeated = table.repeated;
    // With --side none the columns are not seats.
    ranking.has_seats = args.side != Some(false);
    for scale in &scales {
        io.tell(scale);
    }
    io.tell(&how.sentence(ranking.analysis.ratings.options.fit_side));
    warnings.extend(winners_first(&ranking).filter(|_| args.side.is_none()));
    for warning in &warnings {
        io.warn(warning);
    }
    for difference in &differences {
        io.tell(difference);
    }

    let mut json = Vec::new();
    summary_json(&ranking, ImportOrigin { warnings, ..origin }, &mut json)?;
    if let Some(place) = &tables {
        let folder = place.create(OUT)?;
        // A killed run does not keep the next one from writing them.
        remember(&folder, OUT, &RANKING_FILES.map(|name| folder.path_of(name)))?;
        write_ranking(&folder, &ranking, Durability::Flushed)?;
        folder.replace(SUMMARY_FILE, Durability::Flushed, |out| Ok(out.write_all(&json)?))?;
    }
    if let Some(dir) = &args.svg {
        let files = write_ranking_plots(dir, &ranking)?;
        tell_plots(&files, io);
        let home = tables.as_ref().map_or_else(|| Place::at(dir), Clone::clone);
        remember(&home.create(SVG)?, SVG, &files)?;
    }
    if args.json {
        io.print_data(&String::from_utf8(json)?)?;
        return Ok(Exit::Done);
    }
    let more = if given.len() > 1 { format!(" and {}", counted(given.len() - 1, "more file")) } else { String::new() };
    let from = given[0].file_name().unwrap_or_default().to_string_lossy();
    let stem = given[0].file_stem().unwrap_or_default().to_string_lossy();
    if let Some(text) = args.published(&ranking, &stem, &format!("games of {from}{more}"))? {
        io.print_data(&text)?;
        return Ok(Exit::Done);
    }
    let dir = tables.map_or_else(PathBuf::new, |place| place.path());
    let mut footer = TextPage::default();
    footer.line(Tone::Plain, format!("tables: {}", dir.join("*.csv").display()));
    let mut conclusions = TextPage::default();
    conclusions.lines(best_sentence(&ranking));
    conclusions.lines(statements(&ranking, None));
    io.print_page(&ranking_page(&ranking, &dir, conclusions, footer))?;
    Ok(Exit::Done)
}

/// Names the option that chooses the scale of results, where an error asks for it.
fn with_flag(mut error: ImportError) -> ImportError {
    if let TableError::Results { scales, .. } = &mut error.source {
        for scale in scales {
            scale.insert_str(0, "--scale ");
        }
    }
    error
}

/// Where the tables are written; `None` if the standings are only printed.
fn tables_place(args: &Args, first: &Path) -> anyhow::Result<Option<Place>> {
    match &args.out {
        Some(dir) => Ok(Some(Place::at(dir))),
        None if args.is_print_only() => Ok(None),
        None => default_place(first).map(Some),
    }
}

/// Fails if a file may not be written.
fn check_outputs(args: &Args, given: &[PathBuf], tables: Option<&Place>) -> anyhow::Result<()> {
    let opened =
        |place: &Place| place.open_if_there().with_context(|| format!("opening folder {}", place.path().display()));
    let home = tables.cloned().or_else(|| args.svg.as_ref().map(Place::at));
    let home = home.as_ref().map(opened).transpose()?.flatten();
    if let Some(place) = tables
        && home.as_ref().is_some_and(|folder| folder.has(journal::FILE_NAME))
    {
        let dir = place.path();
        bail!("{} is the folder of a tournament, whose tables would be lost; choose another --out", dir.display());
    }
    let overwriting = args.overwriting(home, given.iter().map(PathBuf::as_path).collect());
    if let Some(place) = tables {
        overwriting.check_all(OUT, &place.path(), RANKING_FILES)?;
    }
    args.check_plots(&overwriting)
}

/// The default folder for the tables of files.
fn default_place(first: &Path) -> anyhow::Result<Place> {
    // Standard input and pipes have no folder for results.
    if !first.is_file() || ["/dev", "/proc"].iter().any(|folder| first.starts_with(folder)) {
        bail!("{} is not a regular file; name a folder for the tables with --out DIR", first.display());
    }
    // No person has named this folder, so it must not be a link.
    let dir = first.with_extension("standings");
    let (folder, name) = (dir.parent().unwrap_or(Path::new("")), dir.file_name().unwrap_or_default());
    Ok(Place::within(folder, name))
}

/// A warning for many players: exact errors need a matrix of all players by all players.
fn slow_to_rate(players: usize) -> Option<String> {
    const QUICK_PLAYERS_MAX: usize = 2_000;
    (players > QUICK_PLAYERS_MAX).then(|| {
        format!(
            "rating {players} players, which is slow: {QUICK_PLAYERS_MAX} take seconds, twice as many about a minute. Rate \
             tables without common players separately"
        )
    })
}

/// A warning if the winners of nearly all games are in one column. If that is fitted as a seat, most of their strength is
/// attributed to moving first.
fn winners_first(ranking: &Ranking) -> Option<String> {
    const GAMES_MIN: u64 = 20;
    const USUAL_SCORES: std::ops::RangeInclusive<f64> = 0.1..=0.9;
    let ratings = &ranking.analysis.ratings;
    let first = ranking.analysis.rated().first_seat();
    let score = first.score().filter(|score| !USUAL_SCORES.contains(score))?;
    if !ratings.options.fit_side || first.games() < GAMES_MIN {
        return None;
    }
    let without = fit(ranking.analysis.rated(), &RatingOptions { fit_side: false, ..ratings.options });
    let order = ranking.compared();
    let best = *order.first()?;
    let (worst, fitted) = order[1..].iter().rev().find_map(|bot| Some((*bot, ratings.difference(best, *bot)?)))?;
    let plain = without.difference(best, worst)?;
    let percent = percent(score);
    let [first_column, second_column] = if score > 0.5 { ["winners", "losers"] } else { ["losers", "winners"] };
    let (best, worst) = (ranking.name(best), ranking.name(worst));
    Some(format!(
        "the first player has {percent} % of the points in {}: are the columns {first_column} and {second_column}? They \
         are read as seats, so most of the difference is attributed to moving first: {best} is {:+.1} Elo against {worst}. \
         With --side none, for winners and losers, it is {:+.1}. If they are seats, use --side fit",
        counted(first.games() as usize, "game"),
        fitted.elo,
        plain.elo,
    ))
}

/// Warnings about games that are left out, except void and unfinished ones, and about games with two results.
fn odd_games(table: &GameTable) -> Vec<String> {
    let odd = table.left_out.iter().filter(|left_out| !left_out.cause.is_usual());
    let mut warnings: Vec<String> = odd.map(|left_out| format!("left out: {left_out}")).collect();
    if table.two_results.games > 0 {
        warnings.push(format!(
            "{} with another result in the tag `Result` than after the moves; the tag counts ({})",
            counted(table.two_results.games, "game"),
            table.two_results,
        ));
    }
    if table.tags_twice.games > 0 {
        warnings.push(format!(
            "{} with two tags of one name; the first one that says something counts, of two results the one after the moves \
             ({})",
            counted(table.tags_twice.games, "game"),
            table.tags_twice,
        ));
    }
    if table.doubtful_copies > 0 {
        warnings.push(format!(
            "{} equal to one of another file, but the rounds or numbers of these files do not tell games apart; all of them \
             count. If they are the same games, give each only once",
            counted(table.doubtful_copies, "game"),
        ));
    }
    warnings
}

/// The scales in which results were read, except the plain one, each with its files.
fn scales(table: &GameTable) -> Vec<String> {
    let mut scales: Vec<(&Scale, Vec<&str>)> = Vec::new();
    for of_file in table.scales.iter().filter(|of_file| !of_file.is_plain) {
        match scales.iter_mut().find(|(scale, _)| **scale == of_file.scale) {
            Some((_, files)) => files.push(&of_file.file),
            None => scales.push((&of_file.scale, vec![&of_file.file])),
        }
    }
    let sentence = |(scale, files): &(&Scale, Vec<&str>)| {
        let more = match files.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", counted(more, "more file")),
        };
        format!("results read as {} ({}{more})", shown(&scale.to_string()), shown(files[0]))
    };
    scales.iter().map(sentence).collect()
}

/// A warning about names that look like those of one player.
fn alike_names(table: &GameTable) -> Option<String> {
    const GROUPS_MAX: usize = 3;
    let name = |player: &usize| format!("`{}`", shown(&String::from_utf8_lossy(&table.names[*player])));
    let group = |players: &Vec<usize>| players.iter().map(name).collect::<Vec<_>>().join(" and ");
    let groups: Vec<String> = table.alike.iter().take(GROUPS_MAX).map(group).collect();
    let more = match table.alike.len().saturating_sub(GROUPS_MAX) {
        0 => String::new(),
        more => format!("; and {more} more such groups"),
    };
    (!groups.is_empty()).then(|| {
        format!(
            "names that differ only in case, in invisible characters or kinds of spaces, or in the encoding of accents are \
             rated as different players: {}{more}. If they are the same player, write the name in one way",
            groups.join("; ")
        )
    })
}

/// Describes how games were paired, since errors depend on it, and how many were left out.
struct HowPaired {
    paired: Paired,
    games: usize,
    unpaired: usize,
    split: usize,
    read: usize,
    void: usize,
    unfinished: usize,
    copies: usize,
}

impl HowPaired {
    fn of(table: &GameTable, paired: Paired) -> Self {
        let causes = [LeftOutCause::Void, LeftOutCause::Unfinished, LeftOutCause::Copy];
        let [void, unfinished, copies] = causes.map(|cause| table.left_out_for(cause));
        let GameTable { unpaired, read, split_labels: split, .. } = *table;
        Self { paired, games: table.games.len(), unpaired, split, read, void, unfinished, copies }
    }

    fn sentence(&self, fits_side: bool) -> String {
        let other = self.read - self.games - self.void - self.unfinished - self.copies;
        let left_out = [
            (self.void, "void game"),
            (self.unfinished, "unfinished game"),
            (self.copies, "second record"),
            (other, "odd game"),
        ];
        let left_out: Vec<String> =
            left_out.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)).collect();
        let left_out = match left_out.as_slice() {
            [] => String::new(),
            [first @ .., last] if !first.is_empty() => {
                format!("; {} and {last} of {} left out", first.join(", "), self.read)
            }
            [only, ..] => format!("; {only} of {} left out", self.read),
        };
        let how = match self.paired {
            Paired::ByColumn => "paired by the column `pair`",
            Paired::ByRound => "paired by the tag `Round`",
            Paired::Consecutively => {
                "consecutive games paired with seats swapped (--pairs none treats each game alone)"
            }
            Paired::NotAtAll => "each taken alone",
        };
        let split = match (self.paired, self.split) {
            (Paired::ByColumn | Paired::ByRound, 1..) => ", in order where more than two games share a label",
            _ => "",
        };
        let alone = match (self.paired, self.unpaired) {
            (Paired::NotAtAll, _) | (_, 0) => String::new(),
            (_, unpaired) => format!(", {unpaired} without a pair taken alone"),
        };
        let fitted = if fits_side { ", with the first seat's advantage fitted" } else { "" };
        let cure = match (self.paired, self.unpaired) {
            (Paired::NotAtAll, 0) => " (a column `pair` pairs them)",
            (Paired::NotAtAll, _) => " (nothing is paired by the column `pair` or the tag `Round`)",
            _ => "",
        };
        format!("{}, {how}{split}{alone}{fitted}{cure}{left_out}", counted(self.games, "game"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_ratings_are_announced() {
        assert_eq!(slow_to_rate(2_000), None);
        assert!(slow_to_rate(2_001).is_some_and(|warning| warning.starts_with("rating 2001 players")));
    }
}
