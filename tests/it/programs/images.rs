//! What programs show as an image reaches pages as data, and only where it may be seen.

use arena::rules::{Image, Picture, State, Variant, Viewer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;

use super::{PATIENT, alone, example, loaded, table};

/// Takes the numbers 1 and 2 in turn; its image is of as many bytes as its first argument says.
const RULES: &str = r#"
import json, sys
size, hidden, made = int(sys.argv[1]), sys.argv[2] == "hidden", 0
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        r = {"type": "hello", "protocol": 1, "game": "pictured", "version": 1, "shows": True, "hidden": hidden}
    elif m["type"] == "quit":
        break
    elif m["type"] == "show":
        svg = "<svg xmlns='http://www.w3.org/2000/svg'/>".ljust(size)
        r = {"type": "shown", "id": m["id"], "text": f"{made} made", "svg": svg, "view": {}}
    else:
        made = 0 if m["type"] == "start" else made + 1
        r = {"type": "position", "id": m["id"], "to_move": made % 2, "legal_moves": [1, 2], "view": {"made": made}}
        if made == 2:
            r = {"type": "over", "id": m["id"], "winner": None, "reason": "two"}
    print(json.dumps(r), flush=True)
"#;

/// The game whose images have `size` bytes.
fn pictured(dir: &std::path::Path, size: usize, hidden: bool) -> Variant {
    std::fs::write(dir.join("pictured.py"), RULES).expect("rules");
    let path = dir.join("pictured.toml");
    let kind = if hidden { "hidden" } else { "open" };
    std::fs::write(&path, format!("command = [\"python3\", \"-SE\", \"pictured.py\", \"{size}\", \"{kind}\"]\n"))
        .expect("a manifest");
    loaded(&path, None, dir)
}

/// The bytes of the image that a viewer sees.
fn seen(state: &dyn State, viewer: Viewer) -> Option<usize> {
    match state.picture(viewer) {
        Picture::Image(Image { svg, text }) => {
            assert!(svg.starts_with("<svg ") && text.ends_with(" made"), "{svg}: {text}");
            Some(svg.len())
        }
        Picture::Text(_) => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_image_that_is_too_large_is_not_shown() {
    alone("images::an_image_that_is_too_large_is_not_shown", || {
        for (size, shown) in [(100, Some(100)), (64 << 10, Some(64 << 10)), ((64 << 10) + 1, None)] {
            let dir = tempfile::tempdir().expect("a folder");
            let state = pictured(dir.path(), size, false).start(1).expect("a start");
            assert_eq!([Viewer::All, Viewer::Audience].map(|viewer| seen(state.as_ref(), viewer)), [shown; 2]);
            assert_eq!(state.picture(Viewer::All).to_string(), "0 made");
        }
    });
}

#[test]
fn an_audience_sees_an_image_of_a_game_with_secrets_at_its_end_only() {
    alone("images::an_audience_sees_an_image_of_a_game_with_secrets_at_its_end_only", || {
        let dir = tempfile::tempdir().expect("a folder");
        let mut state = pictured(dir.path(), 100, true).start(1).expect("a start");
        for _ in 0..2 {
            assert_eq!(seen(state.as_ref(), Viewer::Audience), None);
            let first = state.nth_legal(0);
            state.apply(&first).expect("legal");
        }
        assert_eq!(seen(state.as_ref(), Viewer::Audience), Some(100));
    });
}

#[test]
fn a_report_has_the_images_of_its_games_as_data() {
    let dir = example("othello", &["a", "b"]);
    dir.process_ends(0, &format!("tournament --game ./othello.toml --rounds 1 {PATIENT} -j 2"));
    let report = table(&dir, "othello", "report.html");
    assert!(report.contains("img-src data:;") && !report.contains("<img") && !report.contains("<circle cx=\"20\""));
    let block = report.split_once("id=\"games-data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let images = block.expect("a block of games").0.trim().lines().nth(5).expect("images");
    let images = decompress_to_vec(&STANDARD.decode(images).expect("base64")).expect("deflated");
    // The length of the first game's has two or three bytes.
    let length = images.iter().position(|byte| *byte < 0x80).expect("a length") + 1;
    let first = images[..length].iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f));
    let first = decompress_to_vec(&images[length..length + first]).expect("deflated");
    let first = String::from_utf8_lossy(&first);
    assert!(first.matches("<svg xmlns=").count() > 20, "an image for each position");
    assert_eq!(first.matches("<svg").count(), first.matches("</svg>").count());
    // Later commands find the program. Without it there are none.
    dir.process_ends(0, "standings --game ./othello.toml");
    let named = table(&dir, "othello", "report.html");
    dir.process_ends(0, "standings");
    assert_eq!(table(&dir, "othello", "report.html"), named);
    std::fs::remove_file(dir.path("othello.py")).expect("removed");
    let ended = dir.process_ends(0, "standings");
    assert!(
        ended.stderr.starts_with("warning: moves are shown without boards: the rules of results/othello are"),
        "{ended}"
    );
    let report = table(&dir, "othello", "report.html");
    let block = report.split_once("id=\"games-data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let images = block.expect("a block of games").0.trim().lines().nth(5).expect("images");
    assert!(decompress_to_vec(&STANDARD.decode(images).expect("base64")).expect("deflated").is_empty());
}
