//! The registry of protocols.

use arena_core::speech::Speech;
use arena_core::suggest::UnknownName;

use super::dialect::Protocol;
use super::json::JSON;

/// All of them.
pub static PROTOCOLS: &[&Protocol] = &[
    &JSON,
    &super::kaggle::KAGGLE,
    &super::gomocup::GOMOCUP,
    &super::engine::UCI,
    &super::engine::UGI,
    &super::plain::LINES,
];

/// The protocol called `name`.
///
/// # Errors
///
/// Returns an error that suggests the nearest name.
pub fn protocol_named(name: &str) -> Result<&'static Protocol, UnknownName> {
    let found = PROTOCOLS.iter().find(|protocol| protocol.name == name);
    found.copied().ok_or_else(|| UnknownName::new("protocol", name, PROTOCOLS.iter().map(|protocol| protocol.name)))
}

/// The protocol that an executable of this name speaks, if the name tells.
#[must_use]
pub fn protocol_of_file(name: &str) -> Option<&'static Protocol> {
    let is_told = |protocol: &&&Protocol| protocol.prefix.is_some_and(|prefix| name.starts_with(prefix));
    PROTOCOLS.iter().find(is_told).copied()
}

/// The protocol of a bot in a stored tournament; [`JSON`] if this arena does not know it.
#[must_use]
pub fn protocol_of(speaks: Option<&Speech>) -> &'static Protocol {
    speaks.and_then(|speech| protocol_named(&speech.protocol).ok()).unwrap_or(&JSON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_protocol_is_refused_with_the_nearest_one() {
        assert_eq!(protocol_named("json").unwrap().name, "json");
        let refused = protocol_named("jason").unwrap_err().to_string();
        assert_eq!(
            refused,
            "no protocol named `jason` (did you mean `json`?); known: json, kaggle, gomocup, uci, ugi, lines"
        );
    }
}
