//! Appends JSON of positions to a message. Boards write it without building lists first, since this happens at every move.

use serde::Serialize;
use serde_json::value::RawValue;

/// Writes a view.
pub(super) fn write_json<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("numbers, strings and lists always serialise");
}

/// Serialises a reveal.
pub(super) fn to_json<T: Serialize>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("numbers, strings and lists always serialise")
}

/// Writes a list, each item as `write` does.
pub(super) fn write_list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, write: impl Fn(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

/// Writes a coordinate of a board.
pub(super) fn write_coordinate(out: &mut Vec<u8>, value: usize) {
    match value {
        0..10 => out.push(b'0' + value as u8),
        _ => write_json(&value, out),
    }
}
