//! A small JSON Schema checker for tests: the keywords that the schemas of this project use.

use serde_json::Value;

/// Whether `value` fits `schema`, a part of `root`; says why not.
pub(crate) fn fits(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or("a reference to nothing")?;
        fits(root, target, value)?;
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array())
        && !choices.iter().any(|choice| fits(root, choice, value).is_ok())
    {
        return Err(format!("{value} fits none of the choices"));
    }
    let allowed = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    if allowed != [Value::Null] && !allowed.iter().any(|name| is_a(value, name)) {
        return Err(format!("{value} is not of type {}", schema["type"]));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Err(format!("{value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|choices| !choices.contains(value)) {
        return Err(format!("{value} is not one of {}", schema["enum"]));
    }
    let length = value.as_str().map(|text| text.chars().count() as u64);
    if schema["maxLength"].as_u64().zip(length).is_some_and(|(most, length)| length > most) {
        return Err(format!("{value} is too long"));
    }
    let bound = |name: &str| schema[name].as_f64().zip(value.as_f64());
    if bound("minimum").is_some_and(|(least, number)| number < least)
        || bound("maximum").is_some_and(|(most, number)| number > most)
    {
        return Err(format!("{value} is out of range"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        value.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        value.get(name).map_or(Ok(()), |value| fits(root, property, value))?;
    }
    value.as_array().into_iter().flatten().try_for_each(|item| match schema.get("items") {
        Some(items) => fits(root, items, item),
        None => Ok(()),
    })
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => false,
    }
}
