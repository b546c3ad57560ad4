//! Extracts the results of a file: its numbers, without wall-clock times and names.

use serde_json::Value;

/// Whether a column or key is about wall-clock time, the machine, the version or the lines beside frames: their points
/// follow from frames, their forces have tests.
fn is_aside(name: &str) -> bool {
    const ASIDE: [&str; 9] = [
        "wall_seconds",
        "cpu_seconds",
        "threads",
        "peak_memory_bytes",
        "version",
        "scene_hash",
        "title",
        "shares_of_time",
        "lines",
    ];
    name.starts_with("time_") || ASIDE.contains(&name)
}

/// The rows of a table without head and columns of wall-clock times; simulated `time` stays.
pub(super) fn rows(table: &str) -> String {
    let mut lines = table.lines();
    let kept: Vec<bool> = (lines.next().unwrap_or_default().split(','))
        .map(|name| !is_aside(name))
        .collect();
    let mut text = String::new();
    for line in lines {
        let fields: Vec<&str> = (line.split(',').enumerate())
            // A field without a head is kept.
            .filter(|&(column, _)| kept.get(column).is_none_or(|&kept| kept))
            .map(|(_, field)| field)
            .collect();
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

/// All leaves of a JSON document except wall-clock times, in the order of their keys, one per line, without the keys.
pub(super) fn leaves(document: &str) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    collect(&serde_json::from_str(document)?, &mut text);
    Ok(text)
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !is_aside(name));
            kept.for_each(|(_, value)| collect(value, text));
        }
        Value::Array(entries) => entries.iter().for_each(|value| collect(value, text)),
        leaf => {
            *text += &leaf.to_string();
            text.push('\n');
        }
    }
}

/// Bytes of numbers: equal only for equal bits.
pub(super) fn bits<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Vec<u8> {
    numbers
        .into_iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_clock_and_the_head_are_left_out() {
        let table = "step,time,time_total,active,time_commit\n1,0.5,9.25,3,7.5\n2,1.0,8.5,4,6.5\n";
        assert_eq!(rows(table), "1,0.5,3\n2,1.0,4\n");
        let renamed = table.replace("active", "pressed").replace("9.25", "1.0");
        assert_eq!(rows(&renamed), rows(table));
        assert_ne!(rows(&table.replace(",3,", ",5,")), rows(table));
    }

    #[test]
    fn a_field_without_a_head_is_kept() {
        assert_eq!(rows("step,time_total\n1,2.5,3\n"), "1,3\n");
        assert_eq!(rows(""), "");
    }

    #[test]
    fn leaves_are_all_numbers_but_times() {
        let page =
            r#"{"b": {"mean": 0.1, "time_total": {"mean": 7}}, "a": [1, null], "threads": 2}"#;
        assert_eq!(leaves(page).expect("a document"), "1\nnull\n0.1\n");
        assert!(leaves("{").is_err());
    }

    #[test]
    fn bits_tell_zeros_apart() {
        assert_ne!(bits(&[0.0]), bits(&[-0.0]));
    }
}
