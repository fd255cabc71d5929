// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a job file says of itself: the comment at its top.

/// The comment lines before anything else in a job file, taken apart.
///
/// ```
/// let header = workload::Header::parse("\
/// ; A program starts. It is small.
/// ;
/// ; Shows:  start-up
/// ;         under load.
/// ; From:   the S suite.
/// [global]
/// ");
/// assert_eq!(header.title(), "A program starts.");
/// assert_eq!(header.notes[0], ("Shows".to_owned(), "start-up under load.".to_owned()));
/// assert_eq!(header.notes[1].0, "From");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What stands before the first named paragraph, in one line.
    pub text: String,
    /// Named paragraphs (`Shows: …`) in their order, each in one line.
    pub notes: Vec<(String, String)>,
}

impl Header {
    /// Reads the header of a job file's text. A file without one has an empty header.
    pub fn parse(text: &str) -> Header {
        let mut header = Header::default();
        for line in text.lines().map(str::trim).take_while(|line| line.starts_with([';', '#'])) {
            let line = line.trim_start_matches([';', '#']).trim();
            match named(line) {
                Some((name, rest)) => header.notes.push((name.to_owned(), rest.to_owned())),
                None => {
                    let open = header.notes.last_mut().map_or(&mut header.text, |note| &mut note.1);
                    if !open.is_empty() && !line.is_empty() {
                        open.push(' ');
                    }
                    open.push_str(line);
                }
            }
        }
        header
    }

    /// The first sentence of the header, which is its title.
    pub fn title(&self) -> &str {
        let stop = self.text.find(". ").map_or(self.text.len(), |place| place + 1);
        &self.text[..stop]
    }
}

/// The name of a paragraph that begins in this line, a capitalised word and a colon, and the rest.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let word = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphabetic());
    (word && rest.starts_with([' ', '\t'])).then(|| (name, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (text, title) in [
            ("; One reader. On a disk.\n; More.\n[a]\n", "One reader."),
            ("# Two\n# lines\n\n# not this\n[a]\n", "Two lines"),
            ("; Weights of 1.5 and 2.\n", "Weights of 1.5 and 2."),
            ("; Shows: nothing else\n", ""),
            ("[a]\n", ""),
        ] {
            assert_eq!(Header::parse(text).title(), title);
        }
    }

    #[test]
    fn only_a_capitalised_word_names_a_paragraph() {
        let header = Header::parse("; T.\n; From:  http://a.b/ and\n; note: this. Or that: no.\n");
        assert_eq!(
            header.notes,
            [("From".to_owned(), "http://a.b/ and note: this. Or that: no.".to_owned())]
        );
    }
}
