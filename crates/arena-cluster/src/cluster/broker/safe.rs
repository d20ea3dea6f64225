//! Versions of the server that are known to be unsafe on a network.

/// A warning for a server that others can reach and that lacks security fixes: those of 2026 came with 2.12.7 and 2.14.0.
pub(super) fn warning(version: &str, place: &str, is_loopback: bool) -> Option<String> {
    if is_loopback || is_safe(version) {
        return None;
    }
    Some(format!(
        "the NATS server at {place} has version {}, which lacks security fixes; use 2.12.7 or later, or 2.14 or later",
        arena_core::text::shown(version)
    ))
}

fn is_safe(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    let version = (next(), next(), next());
    version >= (2, 14, 0) || ((2, 12, 7)..(2, 13, 0)).contains(&version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_without_security_fixes_are_known() {
        let unsafe_ones = ["2.9.10", "2.12.6", "2.13.0", "2.13.9", "", "new"];
        assert!(unsafe_ones.iter().all(|version| !is_safe(version)));
        assert!(
            ["2.12.7", "2.12.10", "2.14.0", "2.15.1", "3.0.0", "2.14.0-RC.1"].iter().all(|version| is_safe(version))
        );
        assert_eq!(warning("2.9.10", "x:1", true), None, "nobody else reaches it");
        assert!(warning("2.9.10", "x:1", false).unwrap().contains("x:1 has version 2.9.10"));
    }
}
