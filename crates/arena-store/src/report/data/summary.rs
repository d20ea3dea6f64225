//! A summary of all games as JSON.

use std::io::Write;

use arena_core::import::{GamePlaces, GameTable, LeftOutCause, LeftOutGames, Paired, ScaleOfFile};
use arena_core::stats::{LackOfFit, RankBy, Tally};
use arena_core::text::json;
use arena_show::views::Ranking;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::report::cells::{json_number, rounded_to};
use crate::report::statements;
use crate::report::tables::standings::standings_json;
use crate::report::words::sprt::TestResult;

/// Counts and tests over all games of a ranking; missing numbers are `null`.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    bots: usize,
    games: u64,
    rated_games: u64,
    draw_rate: Option<f64>,
    ranked_by: RankBy,
    anchor: Option<AnchorSummary>,
    prior_draws: f64,
    /// The options that change numbers, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<String>,
    repeated_games: u64,
    /// Openings, if they are known for all games.
    openings: Option<usize>,
    first_seat: FirstSeat,
    transitivity: Option<LackOfFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    davidson: Option<DavidsonModel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<TestResult>,
    /// The rows of standings.csv.
    standings: Vec<Map<String, Value>>,
}

#[derive(Debug, Serialize)]
struct AnchorSummary {
    name: String,
    elo: f64,
}

#[derive(Debug, Serialize)]
struct FirstSeat {
    #[serde(flatten)]
    games: Tally,
    score: Option<f64>,
    /// Whether ratings include the advantage of moving first.
    fitted: bool,
    elo: Option<Value>,
    elo_lo: Option<Value>,
    elo_hi: Option<Value>,
}

#[derive(Debug, Serialize)]
struct DavidsonModel {
    nu: Value,
    draws_of_equals: f64,
    held: bool,
}

impl Summary {
    /// Summarises a ranking, and the test of a match if there is one.
    pub(crate) fn of(ranking: &Ranking, sprt: Option<TestResult>) -> Self {
        let analysis = &ranking.analysis;
        let first = analysis.rated().first_seat();
        let elo = analysis.ratings.side.elo;
        let options = &analysis.ratings.options;
        Self {
            bots: analysis.counts.bots(),
            games: ranking.games(),
            rated_games: first.games(),
            draw_rate: (first.games() > 0).then(|| rounded_to(first.draws as f64 / first.games() as f64, 4)),
            ranked_by: analysis.rank_by,
            anchor: options.anchor.map(|anchor| AnchorSummary {
                name: String::from_utf8_lossy(ranking.bytes(anchor.bot)).into_owned(),
                elo: anchor.elo,
            }),
            prior_draws: options.prior_draws,
            options: ranking.options_in_words(),
            repeated_games: ranking.repeated,
            openings: Some(analysis.rated().openings()).filter(|openings| *openings > 0),
            first_seat: FirstSeat {
                games: first,
                score: first.score().map(|score| rounded_to(score, 4)),
                fitted: options.fit_side,
                elo: elo.map(|elo| json_number(elo.elo, 2)),
                elo_lo: elo.map(|elo| json_number(elo.lo, 2)),
                elo_hi: elo.map(|elo| json_number(elo.hi, 2)),
            },
            transitivity: analysis.transitivity.test,
            davidson: analysis.davidson.as_ref().map(|fit| DavidsonModel {
                nu: json_number(fit.nu, 2),
                draws_of_equals: rounded_to(fit.equal_draw_rate, 4),
                held: fit.held,
            }),
            sprt,
            standings: standings_json(ranking),
        }
    }
}

#[derive(Serialize)]
struct SummaryDocument {
    #[serde(flatten)]
    summary: Summary,
    #[serde(flatten)]
    origin: ImportOrigin,
    versions: Value,
}

/// The scale of a table.
#[derive(Debug, Serialize)]
pub struct ScaleSummary {
    /// Name of the file.
    pub file: String,
    /// The name of the scale, as it is chosen.
    pub scale: String,
}

/// The origin of games outside a tournament.
#[derive(Debug, Serialize)]
pub struct ImportOrigin {
    /// How they were paired.
    #[serde(serialize_with = "paired_by")]
    pub paired: Paired,
    /// Number of games without a partner.
    #[serde(rename = "unpaired_games")]
    pub unpaired: usize,
    /// Number of games without a result.
    #[serde(rename = "unfinished_games")]
    pub unfinished: usize,
    /// Number of games that were read: the rated ones and those that are left out.
    #[serde(rename = "read_games")]
    pub read: usize,
    /// Games that are left out, by cause.
    pub left_out: Vec<LeftOutGames>,
    /// Games with different results in a tag and after the moves.
    pub two_results: GamePlaces,
    /// Games with a tag that comes twice.
    pub tags_twice: GamePlaces,
    /// Number of games that are equal to one of another file, without a name that tells them apart.
    pub doubtful_copies: usize,
    /// Number of labels that more than two games of two players share.
    pub split_labels: usize,
    /// The scales in which the results of tables were read, by their names.
    pub scales: Vec<ScaleSummary>,
    /// Possible problems with them.
    pub warnings: Vec<String>,
}

impl ImportOrigin {
    /// The origin of the games of a table, without warnings.
    #[must_use]
    pub fn of(table: &GameTable, paired: Paired) -> Self {
        let GameTable { unpaired, read, left_out, two_results, tags_twice, .. } = table;
        let (left_out, two_results, tags_twice) = (left_out.clone(), two_results.clone(), tags_twice.clone());
        let unfinished = left_out.iter().find(|left_out| left_out.cause == LeftOutCause::Unfinished);
        let unfinished = unfinished.map_or(0, |left_out| left_out.places.games);
        let scale = |of_file: &ScaleOfFile| ScaleSummary { file: of_file.file.clone(), scale: of_file.scale.name() };
        Self {
            paired,
            unpaired: *unpaired,
            unfinished,
            read: *read,
            left_out,
            two_results,
            tags_twice,
            doubtful_copies: table.doubtful_copies,
            split_labels: table.split_labels,
            scales: table.scales.iter().map(scale).collect(),
            warnings: Vec::new(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn paired_by<S: serde::Serializer>(paired: &Paired, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match paired {
        Paired::ByColumn => "column",
        Paired::ByRound => "round",
        Paired::Consecutively => "consecutive",
        Paired::NotAtAll => "none",
    })
}

/// Writes the summary of games outside a tournament as JSON, with their origin and the conclusions.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn summary_json(ranking: &Ranking, mut origin: ImportOrigin, out: &mut dyn Write) -> anyhow::Result<()> {
    origin.warnings.extend(statements(ranking, None));
    let versions = serde_json::json!({ "arena": env!("CARGO_PKG_VERSION") });
    let document = SummaryDocument { summary: Summary::of(ranking, None), origin, versions };
    let text = serde_json::to_string_pretty(&document)?;
    Ok(writeln!(out, "{}", json(&text))?)
}
