//! Integers and texts of the block.

/// Appends `value`, seven bits a byte, the lowest first.
pub(super) fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends `value` so that small values of either sign are short: 0, −1, 1, −2, …
pub(super) fn push_signed(bytes: &mut Vec<u8>, value: i64) {
    push(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends 0 for none, else the value + 1.
pub(super) fn push_option(bytes: &mut Vec<u8>, value: Option<usize>) {
    push(bytes, value.map_or(0, |value| value as u64 + 1));
}

/// Appends the length in bytes, then the text.
pub(super) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_bytes(bytes, text.as_bytes());
}

/// Appends the number of bytes, then these.
pub(super) fn push_bytes(bytes: &mut Vec<u8>, data: &[u8]) {
    push(bytes, data.len() as u64);
    bytes.extend_from_slice(data);
}

/// Appends the number of `values`, then each.
pub(super) fn push_list(bytes: &mut Vec<u8>, values: impl ExactSizeIterator<Item = u64>) {
    push(bytes, values.len() as u64);
    values.for_each(|value| push(bytes, value));
}
