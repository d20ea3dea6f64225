//! Values of flags that are lists of `key=value`.

use arena_core::suggest::UnknownName;
use arena_core::text::shown;

/// Reads `key=value,key=value`; returns the value of each of `keys`, if it is given.
pub(crate) fn key_values<'a, const N: usize>(text: &'a str, keys: [&str; N]) -> Result<[Option<&'a str>; N], String> {
    let mut values = [None; N];
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{}` is not key=value; known keys: {}", shown(part), keys.join(", ")))?;
        let key = key.trim();
        let index = keys.iter().position(|known| *known == key);
        let index = index.ok_or_else(|| UnknownName::new("key", key, keys).to_string())?;
        if values[index].replace(value.trim()).is_some() {
            return Err(format!("`{}` is given twice", shown(key)));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<[Option<&str>; 2], &str>) {
        assert_eq!(key_values(text, ["games", "starts"]), expected.map_err(str::to_owned));
    }

    #[test]
    fn every_key_is_given_once_or_not_at_all() {
        check("", Ok([None; 2]));
        check("starts=3, games = 10 ,", Ok([Some("10"), Some("3")]));
        check("games=", Ok([Some(""), None]));
        check("games=a=b", Ok([Some("a=b"), None]));
        check("games=1,games=1", Err("`games` is given twice"));
        check("starts=3,10", Err("`10` is not key=value; known keys: games, starts"));
        check("game=10", Err("no key named `game` (did you mean `games`?); known: games, starts"));
    }
}
