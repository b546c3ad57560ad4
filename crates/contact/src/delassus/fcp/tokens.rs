//! Words of a text with their lines.

use super::super::FrictionError;

/// Reads one word after the other.
pub(super) struct Tokens<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitAsciiWhitespace<'a>,
    line: usize,
    /// Bytes of the whole text: no count in it can be larger.
    length: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate(),
            words: "".split_ascii_whitespace(),
            line: 0,
            length: text.len(),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let (index, line) = self.lines.next()?;
            self.line = index + 1;
            let content = line.split('#').next().unwrap_or_default();
            self.words = content.split_ascii_whitespace();
        }
    }

    /// The error for `word` in the place of `expected`.
    pub(super) fn unexpected(&self, word: Option<&str>, expected: &'static str) -> FrictionError {
        let found = match word {
            Some(word) => {
                // Binary junk may come as one word of any length.
                let short: String = word.chars().take(40).collect();
                format!("found `{}`", short.escape_debug())
            }
            None => "the text ends".to_owned(),
        };
        FrictionError::Syntax {
            line: self.line.max(1),
            found,
            expected,
        }
    }

    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, FrictionError> {
        self.next().ok_or_else(|| self.unexpected(None, expected))
    }

    /// The word `keyword` itself.
    pub(super) fn keyword(&mut self, keyword: &'static str) -> Result<(), FrictionError> {
        match self.next() {
            Some(word) if word == keyword => Ok(()),
            other => Err(self.unexpected(other, keyword)),
        }
    }

    pub(super) fn number(&mut self, expected: &'static str) -> Result<f64, FrictionError> {
        let word = self.word(expected)?;
        word.parse()
            .map_err(|_| self.unexpected(Some(word), expected))
    }

    pub(super) fn index(&mut self, expected: &'static str) -> Result<usize, FrictionError> {
        let word = self.word(expected)?;
        word.parse()
            .map_err(|_| self.unexpected(Some(word), expected))
    }

    /// A count of items that each take at least a byte and a blank.
    pub(super) fn count(&mut self, expected: &'static str) -> Result<usize, FrictionError> {
        let word = self.word(expected)?;
        match word.parse::<usize>() {
            Ok(count) if count <= self.length => Ok(count),
            _ => Err(self.unexpected(Some(word), expected)),
        }
    }

    pub(super) fn numbers(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<Vec<f64>, FrictionError> {
        (0..count).map(|_| self.number(expected)).collect()
    }

    pub(super) fn indices(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<Vec<usize>, FrictionError> {
        (0..count).map(|_| self.index(expected)).collect()
    }

    /// Requires that only comments are left.
    pub(super) fn at_end(&mut self) -> Result<(), FrictionError> {
        match self.next() {
            None => Ok(()),
            other => Err(self.unexpected(other, "nothing after `end`")),
        }
    }
}
