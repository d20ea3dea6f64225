//! A text for an author as a page that is complete in itself: it loads nothing and has no script.

use arena_core::rules::{Board, Image, Picture};
use arena_core::text::printable;
use arena_show::views::Table;
use arena_show::web::{FEEDBACK_STYLE, WebPage};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

use super::document::{Block, Document, position_lines};

/// The side of a cell of a board, in units of its picture.
const CELL: usize = 40;
/// Room for coordinates above a board, and beside it.
const EDGE: usize = 24;
/// The largest image that is embedded, in bytes; of a larger one the text is there.
const IMAGE_BYTES_MAX: usize = 256 << 10;
/// The most cells of a board that is drawn; of a larger one the text is there.
const CELLS_MAX: usize = 2_500;

/// The page of a document.
pub(super) fn page(document: &Document) -> String {
    let body = html! {
        header class="top" {
            h1 { (document.title) }
            @for sentence in &document.lead { p class="headline" { (sentence) } }
        }
        div class="page feedback" {
            main {
                @for chapter in &document.chapters {
                    section {
                        h2 { (chapter.title) }
                        @for block in &chapter.blocks { (block_html(block)) }
                    }
                }
            }
        }
    };
    let page = WebPage { title: &document.title, style: &FEEDBACK_STYLE, script: "", body };
    let policy = page.policy("");
    page.html(Some(&policy))
}

fn block_html(block: &Block) -> Markup {
    match block {
        Block::Heading(title) => html! { h3 { (title) } },
        Block::Text(text) => html! { p { (with_code(text)) } },
        Block::Facts(facts) => html! {
            dl class="definition" { @for (label, fact) in facts { dt { (label) } dd { (fact) } } }
        },
        Block::Table(caption, table) => table_html(caption, table),
        Block::Lines(lines) => lines_html(lines),
        Block::Position(picture) => picture_html(picture),
    }
}

/// A sentence with what is between backticks as code.
fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! { @for (place, part) in parts.iter().enumerate() { @if place % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// Lines that scroll where they are wide, by keyboard too.
fn lines_html(lines: &[String]) -> Markup {
    html! { pre class="scroll" tabindex="0" { (lines.join("\n")) } }
}

fn table_html(caption: &str, table: &Table) -> Markup {
    let heads: Vec<(&str, bool)> = table.heads().collect();
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for (head, _) in &heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in table.rows() {
                        tr {
                            @for ((_, is_left), cell) in heads.iter().zip(row) {
                                @if *is_left { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn picture_html(picture: &Picture) -> Markup {
    match picture {
        Picture::Board(board) if board.cells.len() <= CELLS_MAX => board_html(board),
        // It is foreign: as an image it can neither run nor load anything.
        Picture::Image(Image { svg, text }) if svg.len() <= IMAGE_BYTES_MAX => html! {
            img class="picture" alt=(printable(text)) src={ "data:image/svg+xml;base64," (STANDARD.encode(svg)) };
            details { summary { "As text" } (lines_html(&position_lines(picture))) }
        },
        _ => lines_html(&position_lines(picture)),
    }
}

/// A board as the scripts of reports draw it.
fn board_html(board: &Board) -> Markup {
    let Board { rows, cols, gravity, .. } = *board;
    let left = if gravity { 0 } else { EDGE };
    let (width, height) = (left + cols * CELL, EDGE + rows * CELL);
    let label = position_lines(&Picture::Board(board.clone())).join("\n");
    html! {
        svg class="picture" role="img" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) {
            title { (label) }
            @for col in 0..cols {
                text class="coordinate" x=(left + col * CELL + CELL / 2) y=(EDGE - 8) text-anchor="middle" { (col) }
            }
            @for row in 0..rows {
                @if !gravity {
                    text class="coordinate" x=(left / 2) y=(EDGE + row * CELL + CELL / 2 + 5) text-anchor="middle" { (row) }
                }
                @for col in 0..cols { (cell_html(board, row * cols + col, [left + col * CELL, EDGE + row * CELL])) }
            }
        }
    }
}

/// A cell whose corner is at `x` and `y`.
fn cell_html(board: &Board, cell: usize, [x, y]: [usize; 2]) -> Markup {
    const RADIUS: usize = 11;
    let state = match (board.last == Some(cell), board.line.contains(&cell)) {
        (false, false) => "cell",
        (true, false) => "cell last",
        (false, true) => "cell won",
        (true, true) => "cell last won",
    };
    let [cx, cy] = [x, y].map(|corner| corner + CELL / 2);
    let [begin_x, begin_y, end_x, end_y] = [cx - RADIUS, cy - RADIUS, cx + RADIUS, cy + RADIUS];
    let owner = board.cells.get(cell).copied().flatten();
    html! {
        rect class=(state) x=(x + 1) y=(y + 1) width=(CELL - 2) height=(CELL - 2) rx="4" {}
        @if let Some(seat) = owner {
            @let class = ["mark seat0", "mark seat1"][seat.index()];
            // Seats differ by shape and not by colour alone.
            @if board.marks[seat.index()] == 'O' {
                circle class=(class) cx=(cx) cy=(cy) r=(RADIUS) {}
            } @else {
                path class=(class) d={ "M" (begin_x) " " (begin_y) "L" (end_x) " " (end_y) "M" (end_x) " " (begin_y) "L" (begin_x) " " (end_y) } {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_a_program_is_data_and_no_part_of_the_page() {
        let svg = "<svg onload=alert(1)><script>alert(2)</script></svg>".to_owned();
        let image = |svg: String| Picture::Image(Image { svg, text: "<b>\u{1b}".to_owned() });
        let page = picture_html(&image(svg)).into_string();
        assert!(page.contains("src=\"data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9"), "{page}");
        assert!(!page.contains("onload") && !page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
        assert!(!picture_html(&image("x".repeat(IMAGE_BYTES_MAX + 1))).into_string().contains("<img"));
    }

    #[test]
    fn what_is_between_backticks_is_code() {
        assert_eq!(with_code("try `a < b` now").into_string(), "try <code>a &lt; b</code> now");
        assert_eq!(with_code("a ` b").into_string(), "a ` b");
    }
}
