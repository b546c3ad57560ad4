//! Names of bodies in files for viewers: one array per name, with the numbers of the bodies that have it.
//!
//! Every reader of VTK files has such arrays; arrays of texts make meshio refuse the file.

use impinge_geometry::io::vtk::{DataArray, Values};

/// `name` as a file can hold it: XML has no control characters.
pub(super) fn printable(name: &str) -> String {
    let allowed = |letter: char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    name.chars()
        .map(|letter| if allowed(letter) { letter } else { '\u{fffd}' })
        .collect()
}

/// One array per name, in the order of the first body of each.
pub(super) fn encode(names: &[String]) -> Vec<DataArray> {
    let mut bodies: Vec<(&str, Vec<u32>)> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for (number, name) in (0u32..).zip(names) {
        let index = *known.entry(name.as_str()).or_insert_with(|| {
            bodies.push((name, Vec::new()));
            bodies.len() - 1
        });
        bodies[index].1.push(number);
    }
    let array = |(name, numbers): (&str, Vec<u32>)| DataArray {
        name: name.to_owned(),
        components: 1,
        values: Values::UInt32(numbers),
    };
    bodies.into_iter().map(array).collect()
}

/// The names by number; `None` if a number has no name or two. Arrays of other types are no names.
pub(super) fn decode(arrays: Vec<DataArray>) -> Option<Vec<String>> {
    let mut named: Vec<(u32, String)> = Vec::new();
    for DataArray { name, values, .. } in arrays {
        if let Values::UInt32(numbers) = values {
            named.extend(numbers.into_iter().map(|number| (number, name.clone())));
        }
    }
    named.sort_by_key(|(number, _)| *number);
    let is_whole = (0u32..)
        .zip(&named)
        .all(|(index, (number, _))| index == *number);
    is_whole.then(|| named.into_iter().map(|(_, name)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_also_where_bodies_share_one() {
        let names = ["ball", "löwer <\"&'>", "ball", "\u{fffd}"].map(str::to_owned);
        let arrays = encode(&names);
        assert_eq!(arrays.len(), 3);
        assert_eq!(arrays[0].values, Values::UInt32(vec![0, 2]));
        assert_eq!(decode(arrays), Some(names.to_vec()));
        assert_eq!(decode(Vec::new()), Some(Vec::new()));
        assert_eq!(printable("a\n\u{1}é"), "a\u{fffd}\u{fffd}é");
    }

    #[test]
    fn numbers_without_a_name_are_refused() {
        let mut arrays = encode(&["a", "b"].map(str::to_owned));
        arrays.remove(0);
        assert_eq!(decode(arrays.clone()), None);
        arrays.push(arrays[0].clone());
        assert_eq!(decode(arrays), None);
    }
}
