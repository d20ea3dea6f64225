//! The versions of one bot, each rated against the one before from all games of all versions.

use arena_core::event::day;
use arena_core::stats::{AnalysisOptions, Estimate};
use arena_core::text::{counted, grouped, shown};
use arena_show::views::{Ranking, Table};
use serde_json::{Value, json};

use super::page::{TextPage, Tone};
use crate::report::cells::elo_with_margin;
use crate::report::facts::versions::{NamedVersion, Version, Versions};

/// Most versions, of all bots, that are rated together. Time grows with their cube and memory with their square: these take some
/// seven seconds and 170 MB.
pub const VERSIONS_MAX: usize = 1_250;
/// Digits of a fingerprint that are shown.
const DIGITS: usize = 8;

/// The versions of a bot, the oldest first.
#[derive(Debug)]
pub struct History {
    name: String,
    versions: Vec<RatedVersion>,
}

#[derive(Debug)]
struct RatedVersion {
    version: Version,
    /// Its rating among all versions of all bots.
    elo: Option<Estimate>,
    /// The difference to the version before; `None` for the first, and if no games connect them.
    gain: Option<Estimate>,
}

/// All versions of all bots of a journal, rated together.
#[derive(Debug)]
pub(crate) struct RatedVersions<'a> {
    versions: &'a Versions,
    ranking: Ranking,
}

impl<'a> RatedVersions<'a> {
    /// Rates them; `None` if there are more than [`VERSIONS_MAX`].
    pub(crate) fn of(versions: &'a Versions) -> Option<Self> {
        if versions.all.len() > VERSIONS_MAX {
            return None;
        }
        let fingerprints = versions.all.iter().map(|version| version.fingerprint.clone().into_bytes()).collect();
        let ranking = Ranking::of(fingerprints, versions.games.iter().copied(), &AnalysisOptions::default());
        Some(Self { versions, ranking })
    }

    /// How much stronger the first version is than the other one, by their fingerprints; `None` if no games connect them.
    pub(crate) fn gain_of(&self, fingerprint: &str, before: &str) -> Option<Estimate> {
        let place = |wanted: &str| self.versions.all.iter().position(|version| version.fingerprint == wanted);
        self.gain(place(fingerprint)?, place(before)?)
    }

    fn elo(&self, version: usize) -> Option<Estimate> {
        self.ranking.analysis.ratings.of(version).map(|rating| rating.elo)
    }

    /// The difference between two versions, by their indices.
    fn gain(&self, version: usize, before: usize) -> Option<Estimate> {
        let [own, other] = [self.elo(version)?, self.elo(before)?];
        let gain = self.ranking.analysis.ratings.difference(version, before)?;
        // What has no bound has none against another either.
        let has = |bounds: [f64; 2]| bounds.iter().all(|bound| bound.is_finite());
        let lo = if has([own.lo, other.hi]) { gain.lo } else { f64::NEG_INFINITY };
        let hi = if has([own.hi, other.lo]) { gain.hi } else { f64::INFINITY };
        Some(Estimate { lo, hi, ..gain })
    }
}

/// What a difference between two versions shows, in a word or two.
pub(crate) fn gain_in_words(gain: &Estimate) -> &'static str {
    match (gain.lo > 0.0, gain.hi < 0.0) {
        (true, _) => "stronger",
        (_, true) => "weaker",
        _ => "not significant",
    }
}

impl History {
    /// Rates the versions that have played under this name; `None` if there are none, or more than [`VERSIONS_MAX`] of all bots.
    #[must_use]
    pub fn of(name: &str, versions: &Versions) -> Option<Self> {
        let own = versions.of(name);
        if own.is_empty() {
            return None;
        }
        let all = RatedVersions::of(versions)?;
        let before = [None].into_iter().chain(own.iter().copied().map(Some));
        let rated = own.iter().zip(before).map(|(index, before)| RatedVersion {
            version: versions.all[*index].clone(),
            elo: all.elo(*index),
            gain: before.and_then(|before| all.gain(*index, before)),
        });
        Some(Self { name: name.to_owned(), versions: rated.collect() })
    }

    /// For a terminal; `tournament` is its name.
    #[must_use]
    pub fn page(&self, tournament: &str) -> TextPage {
        let mut page = TextPage::default();
        let name = shown(&self.name);
        let count = counted(self.versions.len(), "version");
        page.line(Tone::Plain, format!("{name} in {}: {count}", shown(tournament)));
        page.gap();
        let mut table = Table::new()
            .column("#")
            .names("Version")
            .names("Played")
            .column("Games")
            .column("Elo ± 95 %")
            .column("To the one before")
            .names("Also as");
        for (number, RatedVersion { version, elo, gain }) in (1..).zip(&self.versions) {
            let own = version.names.iter().filter(|it| it.name == self.name);
            let (days, games) = own
                .map(|NamedVersion { first, last, games, .. }| (days(first, last), *games))
                .next()
                .unwrap_or_default();
            let others: Vec<String> =
                version.names.iter().filter(|it| it.name != self.name).map(|it| shown(&it.name)).collect();
            table.row(vec![
                number.to_string(),
                version.fingerprint.chars().take(DIGITS).collect(),
                days,
                grouped(u64::from(games)),
                elo_with_margin(elo.as_ref()),
                if number == 1 { String::new() } else { elo_with_margin(gain.as_ref()) },
                others.join(", "),
            ]);
        }
        page.table(table, "the output as JSON");
        page.gap();
        page.line(Tone::Plain, self.sentence());
        page
    }

    /// What the last version is worth, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let name = shown(&self.name);
        match self.versions.as_slice() {
            [.., RatedVersion { gain: Some(gain), .. }] => {
                let (gain, verdict) = (elo_with_margin(Some(gain)), gain_in_words(gain));
                format!("{name}: {gain} against the version before ({verdict})")
            }
            [_] => format!("{name} has one version here; play a changed one under the same name"),
            _ => format!(
                "{name}: no games connect its last two versions; play one against the other, or both against the same bots"
            ),
        }
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let estimate = |it: &Option<Estimate>| {
            let number = |value: f64| crate::report::cells::json_number(value, 2);
            it.map(|it| json!({ "elo": number(it.elo), "lo": number(it.lo), "hi": number(it.hi) }))
        };
        let names =
            |it: &NamedVersion| json!({ "name": it.name, "first": it.first, "last": it.last, "games": it.games });
        let versions = self.versions.iter().map(|RatedVersion { version, elo, gain }| {
            json!({
                "fingerprint": version.fingerprint,
                "played": version.names.iter().map(names).collect::<Vec<_>>(),
                "rating": estimate(elo),
                "gain": estimate(gain),
            })
        });
        json!({ "bot": self.name, "summary": self.sentence(), "versions": versions.collect::<Vec<_>>() })
    }
}

/// The days on which a version played, by when its first and last game began.
pub(crate) fn days(first: &str, last: &str) -> String {
    let [first, last] = [first, last].map(|started| day(started.get(..10).unwrap_or(started)));
    if first == last { first } else { format!("{first} to {last}") }
}
