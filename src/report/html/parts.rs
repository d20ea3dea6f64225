//! Parts that chapters share.

use maud::{Markup, html};

use super::ROWS_MAX;

/// A chapter of the page.
pub(super) struct Chapter {
    /// Its fragment.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) content: Markup,
}

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

/// The head of a table: titles, and by what their columns are sorted, `""` for not at all.
pub(super) fn head<'a>(columns: impl IntoIterator<Item = (&'a str, &'a str)>) -> Markup {
    html! {
        thead { tr { @for (title, sort) in columns {
            th scope="col" data-sort=[Some(sort).filter(|sort| !sort.is_empty())] { (title) }
        } } }
    }
}

/// Says below a table that it has only the first of all rows, and which file has the others.
pub(super) fn rows_left_out(all: usize, what: &str, name: &str) -> Markup {
    html! {
        @if all > ROWS_MAX {
            p class="note" { "The first " (ROWS_MAX) " of " (all) " " (what) ". All are in " (file(name)) "." }
        }
    }
}

/// A name as the title of its cell, if it is so long that the cell may show its beginning only.
pub(super) fn whole(name: &str) -> Option<&str> {
    const SHOWN: usize = 15;
    (name.chars().count() > SHOWN).then_some(name)
}

/// Text without a percent sign, for columns that have it in their heads.
pub(super) fn bare(percent: &str) -> &str {
    percent.trim_end_matches('%')
}

/// A number by which a cell sorts: one decimal at most; infinite ones are the largest.
pub(super) fn sortable(value: f64) -> String {
    let value = value.clamp(-99_999.0, 99_999.0);
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}
