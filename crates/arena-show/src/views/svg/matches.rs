//! The matches of a competition: a bracket whose winner's path is bold, or the rounds of a Swiss.

use arena_core::format::{ShownMatch, TableLayout};
use arena_core::text::cut;
use maud::{Markup, html};

use super::{Plot, at, label};
use crate::views::matches::{capital, decided_by, points};
use crate::views::{Bracket, BracketMatch, Ranking, RoundCell, RoundTable, match_line};

/// Columns of a name in a drawing of matches; the whole one is in its title.
const COLUMNS: usize = 18;
/// First matches of a bracket at most; the stages before are left out.
const FIRST_MAX: usize = 32;
/// Rows of rounds at most.
const ROWS_MAX: usize = 64;

const TOP: f64 = 30.0;
const BOX: f64 = 46.0;
/// Height that a first match takes, and a bye.
const SLOTS: [f64; 2] = [64.0, 32.0];
const GAP: f64 = 36.0;
/// A cell of a round.
const CELL: [f64; 2] = [74.0, 38.0];

/// A drawing of matches.
struct MatchDrawing<'a> {
    ranking: &'a Ranking,
    /// Whether each match is a link to its games in a report.
    has_links: bool,
    /// Seeds by bot, if the format has them.
    seeds: &'a [String],
}

/// The matches as a plot; `None` if the format is no competition. `has_links`: each match leads to its games in a report.
#[must_use]
pub fn competition(ranking: &Ranking, has_links: bool) -> Option<Plot> {
    let columns = || ranking.sheet.iter().flat_map(|sheet| &sheet.columns);
    let seeds = columns().find(|(column, _)| column.name == "seed").map_or(&[][..], |(_, cells)| cells);
    let drawing = MatchDrawing { ranking, has_links, seeds };
    let sheet = ranking.sheet.as_ref().filter(|sheet| !sheet.ranks.is_empty())?;
    if let Some(bracket) = Bracket::of(sheet) {
        return Some(drawing.bracket(bracket));
    }
    let is_rounds = sheet.table.is_some_and(|table| table.layout == TableLayout::Rounds);
    is_rounds.then(|| drawing.rounds(&RoundTable::of(sheet, ranking.first(usize::MAX))))
}

impl MatchDrawing<'_> {
    fn short(&self, bot: usize) -> String {
        cut(&self.ranking.name(bot), COLUMNS)
    }

    /// The width of the widest of these names, in bold.
    fn widest(&self, bots: impl Iterator<Item = usize>) -> f64 {
        1.06 * bots.map(|bot| label::width(&self.short(bot))).fold(label::width("to be known"), f64::max)
    }

    /// What is drawn of a match, as a link to its games if there are any.
    fn linked(&self, found: Option<&ShownMatch>, content: &Markup) -> Markup {
        let line = found.map(|found| match_line(found, |bot| self.ranking.name(bot)));
        let games = found.filter(|found| self.has_links && found.pairs > 0);
        html! {
            @if let (Some(ShownMatch { bots: [Some(a), Some(b)], .. }), Some(line)) = (games, &line) {
                a class="match" href="#games" data-a=(a) data-b=(b) { title { (line) } (content) }
            } @else {
                g { @if let Some(line) = &line { title { (line) } } (content) }
            }
        }
    }

    fn bracket(&self, mut bracket: Bracket<'_>) -> Plot {
        let skipped = bracket.stages.iter().take_while(|(_, matches)| matches.len() > FIRST_MAX).count();
        bracket.stages.drain(..skipped);
        let champion = bracket.champion();
        let bots = || bracket.stages.iter().flat_map(|(_, matches)| matches).flat_map(|found| found.bots).flatten();
        let seeds = label::width(&self.seeds.len().to_string()) + 12.0;
        let wide = seeds + self.widest(bots()) + 40.0;
        let left = |stage: usize| stage as f64 * (wide + GAP);
        let middles = middles(&bracket);
        let heights = bracket.stages.first().iter().flat_map(|(_, matches)| matches).map(slot).sum::<f64>();
        let last = bracket.stages.len().saturating_sub(1);
        let end = middles.last().and_then(|stage| stage.first()).copied().unwrap_or(TOP);
        let third = end + BOX / 2.0 + 66.0;
        let is_bold = |bot: Option<usize>| bot.is_some() && bot == champion;
        let body = html! {
            @for (stage, (name, _)) in bracket.stages.iter().enumerate() {
                text class="dim strong" x=(at(left(stage))) y="12" { (capital(name)) }
            }
            // Lines first, the bold ones last, so that none hides the winner's.
            @for bold in [false, true] {
                @for (stage, (_, matches)) in bracket.stages.iter().enumerate().take(last) {
                    @for (place, _) in matches.iter().enumerate().filter(|(_, found)| !found.is_bye() && is_bold(found.winner()) == bold) {
                        @let [from, to] = [middles[stage][place], middles[stage + 1][place / 2]];
                        @let to = to + BOX / 4.0 * if place % 2 == 0 { -1.0 } else { 1.0 };
                        path class=(if bold { "c0 line" } else { "axis" }) d={
                            "M" (at(left(stage) + wide)) " " (at(from)) "h" (at(GAP / 2.0)) "V" (at(to)) "H" (at(left(stage + 1)))
                        } {}
                    }
                }
            }
            @for (stage, (_, matches)) in bracket.stages.iter().enumerate() {
                @for (place, found) in matches.iter().enumerate().filter(|(_, found)| !found.is_bye()) {
                    (self.linked(found.found, &self.match_box(found, [left(stage), middles[stage][place]], [seeds, wide], is_bold(found.winner()))))
                }
            }
            @if let Some(found) = &bracket.third {
                text class="dim strong" x=(at(left(last))) y=(at(third - BOX / 2.0 - 8.0)) { "Third place" }
                (self.linked(found.found, &self.match_box(found, [left(last), third], [seeds, wide], false)))
            }
            @if let Some(bot) = champion {
                path class="c0 line" d={ "M" (at(left(last) + wide)) " " (at(end)) "h" (at(GAP / 2.0)) } {}
                g {
                    title { (self.ranking.name(bot)) }
                    text class="dim" x=(at(left(last) + wide + GAP / 2.0 + 8.0)) y=(at(end - 6.0)) { "Winner" }
                    text class="champion" x=(at(left(last) + wide + GAP / 2.0 + 8.0)) y=(at(end + 13.0)) { (self.short(bot)) }
                }
            }
        };
        let ends = if bracket.third.is_some() { third + BOX / 2.0 + 14.0 } else { end + BOX / 2.0 };
        let winner = champion.map_or(0.0, |bot| 1.5 * label::width(&self.short(bot)).max(44.0) + GAP / 2.0 + 8.0);
        let description = "Numbers before names are seeds, those after them points. Winners of matches are bold, and so is the path \
                           of the winner of all.";
        Plot::new("Bracket", description, [left(last) + wide + winner, (TOP + heights).max(ends) + 4.0], body)
    }

    /// Two rows with seed, name and points.
    fn match_box(
        &self,
        found: &BracketMatch<'_>,
        [left, middle]: [f64; 2],
        [seeds, wide]: [f64; 2],
        is_bold: bool,
    ) -> Markup {
        let top = middle - BOX / 2.0;
        let how = found.found.and_then(|found| decided_by(found.how));
        html! {
            rect class=(if is_bold { "box c0 bold-box" } else { "box" }) x=(at(left)) y=(at(top)) width=(at(wide)) height=(at(BOX)) rx="4" {}
            path class="grid" d={ "M" (at(left + 1.0)) " " (at(middle)) "h" (at(wide - 2.0)) } {}
            @for (side, bot) in found.bots.into_iter().enumerate() {
                @let y = at(top + BOX * (0.25 + 0.5 * side as f64) + 4.0);
                @let look = if bot.is_some() && bot == found.winner() { "strong" } else if found.winner().is_some() || bot.is_none() { "dim" } else { "" };
                @if let Some(seed) = bot.and_then(|bot| self.seeds.get(bot)) {
                    text class="dim" x=(at(left + seeds - 5.0)) y=(y) text-anchor="end" { (seed) }
                }
                text class=(look) x=(at(left + seeds + 1.0)) y=(y) { (bot.map_or_else(|| "to be known".to_owned(), |bot| self.short(bot))) }
                @if let Some(found) = found.found.filter(|found| found.is_over || found.half_points != [0; 2]) {
                    text class=(look) x=(at(left + wide - 7.0)) y=(y) text-anchor="end" { (points(found.half_points[side])) }
                }
            }
            @if let Some(how) = how {
                text class="dim small" x=(at(left + wide)) y=(at(top + BOX + 11.0)) text-anchor="end" { (how) }
            }
        }
    }

    fn rounds(&self, RoundTable { bots, cells }: &RoundTable<'_>) -> Plot {
        let shown = bots.len().min(ROWS_MAX);
        let rounds = cells.first().map_or(0, Vec::len);
        let numbers = label::width(&shown.to_string()) + 10.0;
        // Whole numbers take fewer bytes in hundreds of cells.
        let left = (numbers + self.widest(bots.iter().copied().take(shown))).ceil() + 14.0;
        let [wide, high] = CELL;
        let right = left + rounds as f64 * wide;
        let total = |cells: &[Option<RoundCell<'_>>]| cells.iter().flatten().map(|cell| cell.total).max().unwrap_or(0);
        let middle = |row: usize| at(22.0 + (row as f64 + 0.5) * high + 4.0);
        let look = |row: usize| if row == 0 { "strong" } else { "" };
        let names = html! {
            @for (row, bot) in bots.iter().enumerate().take(shown) {
                g {
                    title { (self.ranking.name(*bot)) }
                    text class="dim" x=(at(numbers - 7.0)) y=(middle(row)) text-anchor="end" { (row + 1) }
                    text class=(look(row)) x=(at(numbers)) y=(middle(row)) { (self.short(*bot)) }
                }
            }
        };
        let body = html! {
            @for round in 0..rounds {
                text class="dim strong cell" x=(at(left + (round as f64 + 0.5) * wide)) y="12" { "Round " (round + 1) }
            }
            text class="dim strong cell" x=(at(right + wide / 2.0)) y="12" { "Points" }
            @for (row, cells) in cells.iter().enumerate().take(shown) {
                text class="strong cell" x=(at(right + wide / 2.0)) y=(middle(row)) { (points(total(cells))) }
                @for (round, cell) in cells.iter().enumerate() {
                    @let place = [left + round as f64 * wide, 22.0 + row as f64 * high];
                    @if let Some(cell) = cell { (self.linked(Some(cell.found), &round_cell(cell, place))) }
                }
            }
        };
        let of = if shown < bots.len() { format!("The first {shown} of {} bots. ", bots.len()) } else { String::new() };
        let description = format!(
            "{of}A row for each bot. In each round: its points and those of its opponent, the opponent's place in the table, \
             and the points of the bot after the round. Blue: won, orange: lost."
        );
        let mut plot = Plot::new("Rounds", &description, [right + wide, 24.0 + shown as f64 * high], body);
        plot.names = Some((left, names));
        plot
    }
}

/// A tile: the result, and below it the opponent and the points so far.
fn round_cell(cell: &RoundCell<'_>, [x, y]: [f64; 2]) -> Markup {
    let RoundCell { found, side, opponent, total } = *cell;
    let [own, other] = [side, 1 - side].map(|side| found.half_points[side]);
    let look = match found.winner {
        _ if !found.is_over || opponent.is_none() => "card",
        Some(_) if found.winner == found.bots[side] => "win o2",
        Some(_) => "lose o2",
        None => "card",
    };
    let result = match opponent {
        None => "bye".to_owned(),
        Some(_) if !found.is_over && found.half_points == [0; 2] => "…".to_owned(),
        Some(_) => format!("{}–{}", points(own), points(other)),
    };
    html! {
        rect class=(look) x=(at(x + 1.0)) y=(at(y + 1.0)) width=(at(CELL[0] - 3.0)) height=(at(CELL[1] - 3.0)) rx="3" {}
        text class="cell" x=(at(x + CELL[0] / 2.0)) y=(at(y + 16.0)) { (result) }
        text class="cell small" x=(at(x + CELL[0] / 2.0)) y=(at(y + 30.0)) {
            @if let Some(place) = opponent { "#" (place) " · " } "Σ " (points(total))
        }
    }
}

/// The height that a first match takes.
fn slot(found: &BracketMatch<'_>) -> f64 {
    SLOTS[usize::from(found.is_bye())]
}

/// The middle of each match: those of the first stage below each other, each later one between the two before it.
fn middles(bracket: &Bracket<'_>) -> Vec<Vec<f64>> {
    let mut top = TOP;
    let mut all: Vec<Vec<f64>> = Vec::new();
    for (_, matches) in &bracket.stages {
        all.push(match all.last() {
            None => matches.iter().map(|found| (top + slot(found) / 2.0, top += slot(found)).0).collect(),
            Some(before) => before.chunks(2).map(|two| two.iter().sum::<f64>() / two.len() as f64).collect(),
        });
    }
    all
}
