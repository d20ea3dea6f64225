//! Pictures as JSON, small enough for a dozen boards in a frame.
//!
//! ```text
//! {"kind":"board","rows":6,"cols":7,"packed":"AAAA…","marks":"XO","last":38,"line":[],"gravity":true}
//! {"kind":"heap","left":13,"take":[1,3],"last":2}
//! {"kind":"guesses","pegs":4,"colors":6,"rows":[{"seat":0,"pegs":[0,1,2,3],"exact":1,"color":2},{"seat":1}],"code":null}
//! {"kind":"text","text":"…"}
//! ```
//!
//! `packed` has a character for three cells, each empty (0), of the first seat (1) or the second (2): `A` plus the number
//! with these three digits to base 3, the first the most significant.

use arena_core::rules::{Image, Picture, Seat};
use arena_show::web::games;
use serde_json::Value;

/// Longest text of a picture, in characters.
const TEXT_MAX: usize = 1_000;

/// The picture as the [module's page](self) describes it: that of the pages, with cells and texts made small.
pub(super) fn picture_json(picture: &Picture) -> Value {
    let mut json = games::picture_json(picture);
    match picture {
        Picture::Board(board) => {
            json["packed"] = packed(&board.cells).into();
            json.as_object_mut().and_then(|fields| fields.remove("cells"));
        }
        Picture::Text(text) | Picture::Image(Image { text, .. }) => {
            json["text"] = text.chars().take(TEXT_MAX).collect::<String>().into();
        }
        Picture::Heap(_) | Picture::Guesses(_) => {}
    }
    json
}

/// 0 for an empty cell, else 1 or 2.
fn digit(owner: Option<Seat>) -> usize {
    owner.map_or(0, |seat| 1 + seat.index())
}

fn packed(cells: &[Option<Seat>]) -> String {
    let three = |cells: &[Option<Seat>]| {
        let cell = |index: usize| digit(cells.get(index).copied().flatten()) as u8;
        char::from(b'A' + 9 * cell(0) + 3 * cell(1) + cell(2))
    };
    cells.chunks(3).map(three).collect()
}

#[cfg(test)]
mod tests {
    use arena_core::rules::{Variant, Viewer};

    use super::*;

    #[test]
    fn three_cells_share_a_character() {
        let [empty, first, second] = [None, Some(Seat::First), Some(Seat::Second)];
        assert_eq!(packed(&[empty; 7]), "AAA");
        assert_eq!(packed(&[first, second, empty, empty, empty, first, second]), "PBS");
        assert_eq!(packed(&[second; 3]), "[");
    }

    #[test]
    fn a_board_has_packed_cells() {
        let state = Variant::named("tictactoe").unwrap().start(1).unwrap();
        insta::assert_snapshot!(
            picture_json(&state.picture(Viewer::Audience)),
            @r#"{"cols":3,"gravity":false,"kind":"board","last":null,"line":[],"marks":"XO","packed":"AAA","rows":3}"#
        );
    }
}
