//! The registry of protocols.

use super::dialect::Protocol;
use super::json::Json;
use crate::suggest::UnknownName;

/// The arena's own protocol, the default.
pub static JSON: Protocol =
    Protocol { name: "json", has_options: false, dialect: |secret, _| Box::new(Json::new(secret)) };

/// All of them.
pub static PROTOCOLS: &[&Protocol] = &[&JSON];

/// The protocol called `name`.
///
/// # Errors
///
/// Returns an error that suggests the nearest name.
pub fn protocol_named(name: &str) -> Result<&'static Protocol, UnknownName> {
    let found = PROTOCOLS.iter().find(|protocol| protocol.name == name);
    found.copied().ok_or_else(|| UnknownName::new("protocol", name, PROTOCOLS.iter().map(|protocol| protocol.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_protocol_is_refused_with_the_nearest_one() {
        assert_eq!(protocol_named("json").unwrap().name, "json");
        let refused = protocol_named("jason").unwrap_err().to_string();
        assert_eq!(refused, "no protocol named `jason` (did you mean `json`?); known: json");
    }
}
