//! Copies of a file with faults.

/// Words that stand where a number, a name or a value is expected.
const ODD_WORDS: [&str; 20] = [
    "-1",
    "0",
    "-0.0",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "1e308",
    "1e999",
    "-1e-320",
    "nan",
    "inf",
    "",
    "true",
    "[]",
    "{}",
    "\"\"",
];

/// Numbers at and beyond the ends of usual ranges.
const ODD_NUMBERS: [&str; 16] = [
    "0",
    "0.0",
    "-1",
    "1",
    "2",
    "7",
    "0.5",
    "-0.5",
    "1000",
    "4294967295",
    "1e-9",
    "-1e9",
    "1e-300",
    "1e300",
    "-1e300",
    "5e-324",
];

/// Eight bytes that a count or a number of a binary file may be replaced by, as the lowest-first integer.
const ODD_BYTES: [u64; 8] = [
    0,
    1,
    u32::MAX as u64,
    1 << 40,
    u64::MAX,
    // The double `NaN`, infinity and 1e308.
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0x7fe1_ccf3_85eb_c8a0,
];

/// Bytes that text files do not contain: control characters, a byte order mark, and invalid UTF-8.
const ODD_CHARACTERS: [&[u8]; 9] = [
    b"\0",
    b"\r",
    b"\t",
    b"\x1b[2J",
    b"\x7f",
    "\u{feff}".as_bytes(),
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
];

/// Largest number of faults of one copy; with more, readers report the first one only.
const MOST_FAULTS: usize = 3;

/// Longest range of bytes that is removed or doubled: some lines of a table.
const LONGEST_STRETCH: usize = 80;

/// Endless copies of `sound` with one to three faults each; equal for equal `seed`.
///
/// Faults are flipped bits, overwritten bytes, removed ranges, lines and ends, doubled ranges and lines, exchanged
/// words, words replaced by numbers out of range, and inserted characters that text files do not contain.
pub fn mutants(sound: &[u8], seed: u64) -> Mutants<'_> {
    Mutants {
        sound,
        state: seed,
        numbers: false,
    }
}

/// Copies of the text `sound` with one to three replaced numbers. Most copies keep its form, so that damage reaches the
/// code behind the reader.
pub fn number_mutants(sound: &str, seed: u64) -> Mutants<'_> {
    Mutants {
        sound: sound.as_bytes(),
        state: seed,
        numbers: true,
    }
}

/// See [`mutants`] and [`number_mutants`].
#[derive(Debug, Clone)]
pub struct Mutants<'a> {
    sound: &'a [u8],
    state: u64,
    /// Whether numbers alone are damaged.
    numbers: bool,
}

impl Iterator for Mutants<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut content = self.sound.to_vec();
        for _ in 0..=self.below(MOST_FAULTS) {
            if self.numbers {
                self.damage_number(&mut content);
            } else {
                self.damage(&mut content);
            }
        }
        Some(content)
    }
}

impl Mutants<'_> {
    /// A number below `bound`, or 0, by SplitMix64: the same sequence on every machine.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Replaces a number, the next one after a random place.
    fn damage_number(&mut self, content: &mut Vec<u8>) {
        let mut place = self.below(content.len());
        while place < content.len() {
            let word = word_at(content, place);
            let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
            if std::str::from_utf8(&content[word.clone()]).is_ok_and(is_number) {
                let number = self.one_of(&ODD_NUMBERS).bytes();
                content.splice(word, number);
                return;
            }
            place = word.end + 1;
        }
    }

    fn damage(&mut self, content: &mut Vec<u8>) {
        let place = self.below(content.len());
        let stretch = place..(place + 1 + self.below(LONGEST_STRETCH)).min(content.len());
        match self.below(12) {
            _ if content.is_empty() => content.push(self.below(256) as u8),
            0 => content[place] = self.below(256) as u8,
            1 => content[place] ^= 1 << self.below(8),
            2 => content.truncate(place),
            3 => drop(content.drain(stretch)),
            4 => {
                let part = content[stretch].to_vec();
                content.splice(place..place, part);
            }
            5 => drop(content.drain(line_at(content, place))),
            6 => {
                let line = line_at(content, place);
                let doubled = content[line.clone()].to_vec();
                content.splice(line.start..line.start, doubled);
            }
            7 => {
                let other = self.below(content.len());
                exchange_words(content, place, other);
            }
            8 | 9 => {
                let word = self.one_of(&ODD_WORDS).bytes();
                content.splice(word_at(content, place), word);
            }
            10 => {
                let odd = self.one_of(&ODD_CHARACTERS);
                content.splice(place..place, odd.iter().copied());
            }
            _ => {
                let odd = self.one_of(&ODD_BYTES).to_le_bytes();
                let end = (place + odd.len()).min(content.len());
                content.splice(place..end, odd);
            }
        }
    }
}

/// The line that a place is in, with its end.
fn line_at(content: &[u8], place: usize) -> std::ops::Range<usize> {
    let is_end = |byte: &u8| *byte == b'\n';
    let start = content[..place].iter().rposition(is_end);
    let length = content[place..].iter().position(is_end);
    start.map_or(0, |end| end + 1)..length.map_or(content.len(), |length| place + length + 1)
}

/// The word or number that a place is in, or the next one.
fn word_at(content: &[u8], place: usize) -> std::ops::Range<usize> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
    let before = content[..place].iter().rev().take_while(|b| is_of_word(b));
    let mut start = place - before.count();
    if !content.get(place).is_some_and(is_of_word) {
        let next = content[place..].iter().position(is_of_word);
        start = next.map_or(content.len(), |gap| place + gap);
    }
    let length = content[start..].iter().take_while(|b| is_of_word(b));
    start..start + length.count()
}

fn exchange_words(content: &mut Vec<u8>, one: usize, other: usize) {
    let (first, second) = (
        word_at(content, one.min(other)),
        word_at(content, one.max(other)),
    );
    if first.end > second.start {
        return;
    }
    let [a, b] = [first.clone(), second.clone()].map(|range| content[range].to_vec());
    content.splice(second, a);
    content.splice(first, b);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &[u8] = b"one 1.5\ntwo = [22, -3e4]\n\nthree\n";

    #[test]
    fn the_same_seed_makes_the_same_copies() {
        let copies = |seed| mutants(SOUND, seed).take(50).collect::<Vec<_>>();
        assert_eq!(copies(7), copies(7));
        assert_ne!(copies(7), copies(8));
    }

    #[test]
    fn copies_differ_from_the_file_and_from_each_other() {
        let mut copies: Vec<_> = mutants(SOUND, 1).take(1000).collect();
        copies.sort();
        copies.dedup();
        let changed = copies.iter().filter(|copy| *copy != SOUND).count();
        assert!(changed > 800, "{changed} of 1000");
        assert!(copies.iter().any(|copy| std::str::from_utf8(copy).is_err()));
        // The empty file has copies too.
        assert!(mutants(b"", 1).take(9).any(|copy| !copy.is_empty()));
    }

    #[test]
    fn numbers_alone_are_replaced() {
        let text = std::str::from_utf8(SOUND).expect("text");
        let words = |text: &str| text.replace(|c: char| !c.is_alphabetic() || c == 'e', "");
        for copy in number_mutants(text, 1).take(200) {
            let copy = String::from_utf8(copy).expect("text");
            assert_eq!(words(&copy), words(text));
        }
    }

    #[test]
    fn lines_and_words_are_found() {
        assert_eq!(&SOUND[line_at(SOUND, 9)], b"two = [22, -3e4]\n");
        assert_eq!(&SOUND[line_at(SOUND, 7)], b"one 1.5\n");
        assert_eq!(&SOUND[word_at(SOUND, 5)], b"1.5");
        assert_eq!(&SOUND[word_at(SOUND, 11)], b"22");
        assert!(word_at(SOUND, SOUND.len() - 1).is_empty());
        let mut content = b"a bb c".to_vec();
        exchange_words(&mut content, 3, 0);
        assert_eq!(content, b"bb a c");
    }
}
