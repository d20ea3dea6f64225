//! As much of JSON Schema as our schemas use. A keyword that is not known here fails the test rather than being ignored.

use serde_json::{Value, json};

const KEYWORDS: [&str; 24] = [
    "$ref",
    "oneOf",
    "anyOf",
    "allOf",
    "if",
    "then",
    "type",
    "const",
    "enum",
    "minimum",
    "maximum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "description",
    "title",
    "default",
    "format",
];

/// Whether `value` is valid against `schema`, a part of the document `root`; if not, why.
pub(crate) fn fits(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else {
        return if *schema == Value::Bool(true) { Ok(()) } else { Err(format!("nothing fits {schema}")) };
    };
    for (keyword, rule) in keywords {
        assert!(KEYWORDS.contains(&keyword.as_str()), "the test does not know `{keyword}`");
        if !keyword_fits(root, schema, value, keyword, rule)? {
            let text = value.to_string();
            return Err(format!("{} breaks {keyword}: {rule}", text.chars().take(200).collect::<String>()));
        }
    }
    Ok(())
}

fn keyword_fits(root: &Value, schema: &Value, value: &Value, keyword: &str, rule: &Value) -> Result<bool, String> {
    let any = |choices: &Value| {
        choices.as_array().expect("a list").iter().filter(|choice| fits(root, choice, value).is_ok()).count()
    };
    let size = |found: Option<usize>| found.map(|found| found as u64).zip(rule.as_u64());
    let items = || size(value.as_array().map(Vec::len));
    let chars = || size(value.as_str().map(|text| text.chars().count()));
    let number = || value.as_f64().zip(rule.as_f64());
    Ok(match keyword {
        "$ref" => {
            let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference within the document");
            let target = root.pointer(path).unwrap_or_else(|| panic!("{path} refers to nothing"));
            return fits(root, target, value).map(|()| true);
        }
        "oneOf" => any(rule) == 1,
        "anyOf" => any(rule) > 0,
        "allOf" => {
            return rule.as_array().expect("a list").iter().try_for_each(|it| fits(root, it, value)).map(|()| true);
        }
        "then" if fits(root, &schema["if"], value).is_ok() => return fits(root, rule, value).map(|()| true),
        "type" => match rule {
            Value::Array(names) => names.iter().any(|name| is_a(value, name)),
            name => is_a(value, name),
        },
        "const" => rule == value,
        "enum" => rule.as_array().expect("a list").contains(value),
        "minimum" => number().is_none_or(|(value, least)| value >= least),
        "maximum" => number().is_none_or(|(value, most)| value <= most),
        "minItems" => items().is_none_or(|(count, least)| count >= least),
        "maxItems" => items().is_none_or(|(count, most)| count <= most),
        "minLength" => chars().is_none_or(|(count, least)| count >= least),
        "maxLength" => chars().is_none_or(|(count, most)| count <= most),
        "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().expect("a pattern"), text)),
        "required" => {
            let is_there = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
            !value.is_object() || rule.as_array().expect("a list").iter().all(is_there)
        }
        "properties" => {
            for (name, property) in rule.as_object().expect("an object") {
                value.get(name).map_or(Ok(()), |value| fits(root, property, value))?;
            }
            true
        }
        "additionalProperties" if *rule == Value::Bool(false) => {
            let known = |name: &String| schema["properties"].get(name).is_some();
            value.as_object().is_none_or(|value| value.keys().all(known))
        }
        "items" => {
            value.as_array().into_iter().flatten().try_for_each(|item| fits(root, rule, item))?;
            true
        }
        // Annotations, and `if`, which `then` looks at.
        _ => true,
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
        _ => panic!("the test does not know the type {name}"),
    }
}

/// Whether `text` matches one of the two kinds of pattern in use: `^(a|b)$`, and a class with bounds, `^[a-z_]{1,20}$`.
fn matches(pattern: &str, text: &str) -> bool {
    let unknown = || panic!("the test cannot read the pattern {pattern}");
    let inner = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')).unwrap_or_else(unknown);
    if let Some(choices) = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return choices.split('|').any(|choice| choice == text);
    }
    let bounded = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix('}')).and_then(|it| it.split_once("]{"));
    let (class, bounds) = bounded.unwrap_or_else(|| panic!("the test cannot read the pattern {pattern}"));
    let (least, most) = bounds.split_once(',').expect("two bounds");
    let bounds = least.parse().expect("a number")..=most.parse().expect("a number");
    let mut allowed = Vec::new();
    let mut class: Vec<char> = class.chars().collect();
    while let Some(last) = class.pop() {
        if class.last() == Some(&'-') {
            class.pop();
            allowed.push(class.pop().expect("a range")..=last);
        } else {
            allowed.push(last..=last);
        }
    }
    bounds.contains(&text.chars().count()) && text.chars().all(|char| allowed.iter().any(|range| range.contains(&char)))
}

#[test]
fn the_checker_tells_right_from_wrong() {
    let check = |schema: Value, right: &[Value], wrong: &[Value]| {
        for (values, is_right) in [(right, true), (wrong, false)] {
            for value in values {
                let found = fits(&schema, &schema, value);
                assert_eq!(found.is_ok(), is_right, "{value} against {schema}: {found:?}");
            }
        }
    };
    check(json!({ "enum": [1, null] }), &[json!(1), json!(null)], &[json!(2)]);
    check(json!({ "oneOf": [{ "minimum": 1 }, { "maximum": 3 }] }), &[json!(0), json!(4)], &[json!(2)]);
    check(json!({ "pattern": "^[.a-c]{1,3}$" }), &[json!("a.c")], &[json!("d"), json!(""), json!("aaaa"), json!("-")]);
    check(json!({ "pattern": "^(on|off)$" }), &[json!("off")], &[json!("of")]);
    let heap = json!({ "properties": { "heap": {} }, "additionalProperties": false, "required": ["heap"] });
    check(heap, &[json!({ "heap": 1 })], &[json!({ "heap": 1, "x": 1 }), json!({})]);
    check(json!({ "if": { "const": 1 }, "then": { "type": "string" } }), &[json!(2)], &[json!(1)]);
    check(json!({ "items": { "type": "null" }, "maxItems": 1 }), &[json!([null])], &[json!([1]), json!([null, null])]);
    let reference =
        json!({ "title": "x", "properties": { "a": { "type": "null" }, "b": { "$ref": "#/properties/a" } } });
    check(reference, &[json!({ "b": null })], &[json!({ "b": 1 })]);
}
