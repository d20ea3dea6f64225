//! Parts that chapters share.

use arena_core::stats::Estimate;
use arena_show::views::svg::at;
use maud::{Markup, html};

use crate::report::cells::elo_and_margin;

/// A link to a file of the results folder.
pub(super) fn file(name: &str) -> Markup {
    html! { a href=(name) rel="noreferrer" { (name) } }
}

/// What the reader may open: scripts close it, so that it is open in print and without them.
pub(super) fn folded(label: &str, content: &Markup) -> Markup {
    html! { details open="" { summary { (label) } (content) } }
}

/// A table that repeats a plot in numbers.
pub(super) fn figures(label: &str, table: &Markup) -> Markup {
    folded(&format!("{label} as a table"), &scrolling(label, table))
}

/// A region that scrolls by itself where its content is wide, by keyboard too.
pub(super) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div class="scroll" tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// A table of this class, which may be empty: its caption, the titles of its columns, and its rows. A title comes with that by
/// which the column is sorted: `""` is for not at all, and `bars` for a column of bars.
pub(super) fn table<'a>(
    class: &str,
    caption: &str,
    columns: impl IntoIterator<Item = (&'a str, &'a str)>,
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    let only = |text: &'a str, is_wanted: bool| Some(text).filter(|text| is_wanted && !text.is_empty());
    html! {
        table class=[Some(class).filter(|class| !class.is_empty())] {
            caption { (caption) }
            thead { tr { @for (title, kind) in columns {
                th scope="col" data-sort=[only(kind, kind != "bars")] class=[only(kind, kind == "bars")] { (title) }
            } } }
            tbody { @for row in rows { (row) } }
        }
    }
}

/// Says that only the first `most` of all are there, if so, and which file has the others.
pub(super) fn left_out(most: usize, all: usize, what: &str, name: &str) -> Markup {
    html! {
        @if all > most {
            p class="note" { "The first " (most) " of " (all) " " (what) ". All are in " (file(name)) "." }
        }
    }
}

/// A name as the title of its cell, if it is so long that the cell may show its beginning only.
pub(super) fn whole(name: &str) -> Option<&str> {
    const SHOWN: usize = 15;
    (name.chars().count() > SHOWN).then_some(name)
}

/// A rating with its margin, as far as there are any.
pub(super) fn with_small_margin(elo: Option<&Estimate>) -> Markup {
    let (elo, margin) = elo_and_margin(elo);
    html! { (elo) @if !margin.is_empty() { " " small { "± " (margin) } } }
}

/// Text without a percent sign, for columns that have it in their heads.
pub(super) fn bare(percent: &str) -> &str {
    percent.trim_end_matches('%')
}

/// A number by which a cell sorts: one decimal at most; infinite ones are the largest.
pub(super) fn sortable(value: f64) -> String {
    at(value.clamp(-99_999.0, 99_999.0))
}
