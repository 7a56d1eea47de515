//! A script as the steps that are of interest; nothing of one that has any statement beside those.

use super::super::scripted::is_of_a_word;
use super::{Part, Step};
use crate::page::Refresh;

/// Brackets and texts of code within each other.
const DEPTH_MAX: usize = 16;

/// What `location` may be a property of, in a script that runs by itself.
const HOLDERS: [&str; 6] = ["window", "self", "top", "parent", "document", "globalThis"];

/// Events that come once a page is there.
const EVENTS: [&str; 5] = ["load", "onload", "ready", "pageshow", "DOMContentLoaded"];

/// The words of a condition by which a page asks whether it stands in a frame.
const FRAME_WORDS: [&str; 11] = [
    "window",
    "self",
    "top",
    "parent",
    "document",
    "location",
    "href",
    "frames",
    "length",
    "null",
    "frameElement",
];

/// Words of statements, which are no names.
const KEYWORDS: [&str; 22] = [
    "if", "else", "for", "while", "do", "switch", "case", "catch", "finally", "throw", "new",
    "delete", "typeof", "in", "of", "function", "return", "with", "async", "await", "class",
    "this",
];

/// Signs of more than one letter, longer ones first.
const SIGNS: [&str; 14] = [
    "===", "!==", "...", "=>", "==", "!=", "&&", "||", "+=", "++", "--", "<=", ">=", "??",
];

#[derive(Debug, Clone, PartialEq)]
enum Kind<'s> {
    Word(&'s str),
    Number(f64),
    Text(String),
    Sign(&'s str),
}

#[derive(Debug, Clone)]
struct Token<'s> {
    kind: Kind<'s>,
    begins_line: bool,
}

/// What a script does; `None` where it does anything that is not known here.
pub(super) fn steps(script: &str) -> Option<Vec<Step>> {
    code(script, 0)
}

fn code(script: &str, depth: usize) -> Option<Vec<Step>> {
    let tokens = tokens(script)?;
    let mut reader = Reader {
        tokens: &tokens,
        depth,
    };
    // A label: in a handler, and in the text of a timer.
    if reader.eats_word("javascript") && !reader.eats(":") {
        return None;
    }
    reader.statements()
}

/// A script without its comments; `None` of one that is not whole, or has a regular expression in it.
fn tokens(script: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = script;
    let mut begins_line = true;
    while let Some(first) = rest.chars().next() {
        let is_closing = begins_line && rest.starts_with("-->");
        // ECMAScript, annex B.1.1: `<!--` begins a comment, too. Old pages hide their scripts by it.
        if rest.starts_with("//") || rest.starts_with("<!--") || is_closing {
            rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..];
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = &comment[comment.find("*/")? + 2..];
            continue;
        }
        if first.is_whitespace() {
            begins_line |= matches!(first, '\n' | '\r');
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (kind, bytes) = match first {
            '"' | '\'' | '`' => {
                let (text, bytes) = text(&rest[1..], first)?;
                (Kind::Text(text), bytes + 1)
            }
            '/' => return None,
            _ if is_of_a_word(first) => {
                let is_number = first.is_ascii_digit();
                let is_of_it = |c: char| is_of_a_word(c) || is_number && c == '.';
                let bytes = rest.find(|c| !is_of_it(c)).unwrap_or(rest.len());
                let word = &rest[..bytes];
                match is_number {
                    true => (Kind::Number(word.parse().ok()?), bytes),
                    false => (Kind::Word(word), bytes),
                }
            }
            _ => {
                let long = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let bytes = long.map_or(first.len_utf8(), |sign| sign.len());
                (Kind::Sign(&rest[..bytes]), bytes)
            }
        };
        tokens.push(Token { kind, begins_line });
        begins_line = false;
        rest = &rest[bytes..];
    }
    Some(tokens)
}

/// The text up to a quote, and its bytes with that.
fn text(rest: &str, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            _ if char == quote => return Some((text, at + 1)),
            '\n' | '\r' if quote != '`' => return None,
            '\\' => match chars.next()?.1 {
                plain @ ('"' | '\'' | '`' | '/') => text.push(plain),
                'n' | 'r' | 't' => text.push(' '),
                // No place has a backslash, so a text with any other escape is none.
                other => text.extend(['\\', other]),
            },
            _ => text.push(char),
        }
    }
    None
}

/// Reads tokens from the front of what is left.
struct Reader<'t, 's> {
    tokens: &'t [Token<'s>],
    depth: usize,
}

impl<'t, 's> Reader<'t, 's> {
    fn peek(&self) -> Option<&'t Kind<'s>> {
        self.tokens.first().map(|token| &token.kind)
    }

    fn next(&mut self) -> Option<&'t Kind<'s>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(&first.kind)
    }

    fn is_at(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Kind::Sign(next)) if *next == sign)
    }

    fn eats(&mut self, sign: &str) -> bool {
        let is_it = self.is_at(sign);
        if is_it {
            self.next();
        }
        is_it
    }

    fn eats_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Kind::Word(next)) if *next == word);
        if is_it {
            self.next();
        }
        is_it
    }

    /// A name.
    fn name(&mut self) -> Option<&'s str> {
        match self.next()? {
            Kind::Word(name) if !KEYWORDS.contains(name) => Some(name),
            _ => None,
        }
    }

    /// Nothing is left.
    fn ends(&self) -> Option<()> {
        self.tokens.is_empty().then_some(())
    }

    /// A statement ends here: by its sign, with its block, or with its line.
    fn ends_statement(&mut self) -> Option<()> {
        let ends = self.eats(";") || self.tokens.first().is_none_or(|next| next.begins_line);
        ends.then_some(())
    }

    /// What stands in brackets of this kind.
    fn within(&mut self, opening: &str) -> Option<Self> {
        let depth = self.depth + 1;
        if !self.is_at(opening) || depth > DEPTH_MAX {
            return None;
        }
        let mut open = Vec::new();
        let end = self.tokens.iter().position(|token| {
            match token.kind {
                Kind::Sign("(") => open.push(")"),
                Kind::Sign("[") => open.push("]"),
                Kind::Sign("{") => open.push("}"),
                Kind::Sign(sign) if open.last() == Some(&sign) => drop(open.pop()),
                _ => {}
            }
            open.is_empty()
        })?;
        let tokens = &self.tokens[1..end];
        self.tokens = &self.tokens[end + 1..];
        Some(Self { tokens, depth })
    }

    fn block(&mut self) -> Option<Vec<Step>> {
        self.within("{")?.statements()
    }

    fn statements(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while !self.tokens.is_empty() {
            steps.extend(self.statement()?);
        }
        Some(steps)
    }

    fn statement(&mut self) -> Option<Vec<Step>> {
        let Kind::Word(word) = self.peek()? else {
            return self.plain_statement();
        };
        match *word {
            "var" | "let" | "const" => {
                self.next();
                self.variables()
            }
            "function" => {
                self.next();
                let name = self.name()?.to_owned();
                let (parameters, mut body) = (self.within("(")?, self.within("{")?);
                let body = function(parameters, body.statements());
                Some(vec![Step::Define(name, body)])
            }
            "try" => {
                self.next();
                // Nothing that is known here fails, so nothing is caught.
                let mut steps = self.block()?;
                if self.eats_word("catch") {
                    if self.is_at("(") {
                        self.within("(")?;
                    }
                    self.within("{")?;
                }
                if self.eats_word("finally") {
                    steps.extend(self.block()?);
                }
                Some(steps)
            }
            "if" => {
                self.next();
                self.frame_buster()?;
                Some(Vec::new())
            }
            "return" => {
                self.next();
                let is_value = matches!(self.peek(), Some(Kind::Word("true" | "false")));
                if is_value {
                    self.next();
                }
                self.eats(";");
                // Behind it nothing runs.
                self.ends().map(|()| Vec::new())
            }
            _ => self.plain_statement(),
        }
    }

    fn plain_statement(&mut self) -> Option<Vec<Step>> {
        if self.eats(";") {
            return Some(Vec::new());
        }
        if self.is_at("{") {
            return self.block();
        }
        let steps = match self.peek()? {
            // A directive: `'use strict'`.
            Kind::Text(_) => {
                self.next();
                Vec::new()
            }
            Kind::Word(_) | Kind::Number(_) | Kind::Sign(_) => self.effect()?,
        };
        self.ends_statement()?;
        Some(steps)
    }

    /// The variables after `var`.
    fn variables(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            let name = self.name()?;
            if name == "location" {
                return None;
            }
            match self.eats("=") {
                true => steps.extend(self.set(name)?),
                false => steps.push(Step::Let(name.to_owned(), None)),
            }
            if !self.eats(",") {
                self.ends_statement()?;
                return Some(steps);
            }
        }
    }

    /// The value that a variable is set to: a function, a text, what is begun, or anything that leads nowhere.
    fn set(&mut self, name: &str) -> Option<Vec<Step>> {
        let whole = self.tokens;
        if let Some(body) = self.function() {
            return Some(vec![Step::Define(name.to_owned(), Some(body))]);
        }
        self.tokens = whole;
        if let Some(parts) = self.text()
            && self.ends_value()
        {
            return Some(vec![Step::Let(name.to_owned(), Some(parts))]);
        }
        self.tokens = whole;
        let unknown = Step::Let(name.to_owned(), None);
        if let Some(mut steps) = self.effect()
            && self.ends_value()
        {
            steps.push(unknown);
            return Some(steps);
        }
        self.tokens = whole;
        while !self.ends_value() {
            let opening = ["(", "[", "{"].into_iter().find(|sign| self.is_at(sign));
            let passed = match opening {
                Some(opening) => {
                    let tokens = self.tokens;
                    let inner = self.within(opening)?.tokens.len();
                    &tokens[..=inner]
                }
                None => {
                    let tokens = &self.tokens[..1];
                    self.next();
                    tokens
                }
            };
            let leads = |token: &Token<'_>| matches!(token.kind, Kind::Word("location"));
            if passed.iter().any(leads) {
                return None;
            }
        }
        Some(vec![unknown])
    }

    fn ends_value(&self) -> bool {
        let ends =
            |next: &Token<'_>| next.begins_line || matches!(next.kind, Kind::Sign("," | ";"));
        self.tokens.first().is_none_or(ends)
    }

    /// The rest of an `if` that brings the page out of a frame: to its own place, whatever that is.
    fn frame_buster(&mut self) -> Option<()> {
        let condition = self.within("(")?;
        let is_of_frames = |token: &Token<'_>| match &token.kind {
            Kind::Word(word) => FRAME_WORDS.contains(word),
            Kind::Number(_) => true,
            Kind::Sign(sign) => matches!(
                *sign,
                "." | "(" | ")" | "!=" | "!==" | "==" | "===" | ">" | "&&" | "||" | "!"
            ),
            Kind::Text(_) => false,
        };
        if !condition.tokens.iter().all(is_of_frames) {
            return None;
        }
        if self.is_at("{") {
            let mut body = self.within("{")?;
            body.leads_to_itself()?;
            body.ends()
        } else {
            self.leads_to_itself()
        }
    }

    fn leads_to_itself(&mut self) -> Option<()> {
        match self.path()?.as_slice() {
            ["location"] | ["location", "href"] if self.eats("=") => self.own_place()?,
            ["location", "replace" | "assign"] => {
                let mut argument = self.within("(")?;
                argument.own_place()?;
                argument.ends()?;
            }
            _ => return None,
        }
        self.ends_statement()
    }

    fn own_place(&mut self) -> Option<()> {
        let path = self.path()?;
        let is_own = matches!(
            path.as_slice(),
            ["location"] | ["location", "href"] | ["URL"]
        );
        is_own.then_some(())
    }

    /// Names joined by dots, without those of the window in front.
    fn path(&mut self) -> Option<Vec<&'s str>> {
        let mut path = vec![self.name()?];
        while self.eats(".") {
            if HOLDERS.contains(&path[0]) {
                path.clear();
            }
            match self.next()? {
                Kind::Word(name) => path.push(name),
                Kind::Number(_) | Kind::Text(_) | Kind::Sign(_) => return None,
            }
        }
        Some(path)
    }

    /// A statement that leads elsewhere, begins something that does, or sets a variable.
    fn effect(&mut self) -> Option<Vec<Step>> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let steps = self.effect_here();
        self.depth -= 1;
        steps
    }

    fn effect_here(&mut self) -> Option<Vec<Step>> {
        let is_value = ["!", "+", "-", "~"].into_iter().any(|sign| self.eats(sign));
        let is_value = is_value || self.eats_word("void");
        if self.is_at("(") {
            let mut called = self.within("(")?;
            let steps = called.function()?;
            match called.tokens.is_empty() {
                true => self.arguments()?,
                false => called.arguments()?,
            }
            return called.ends().map(|()| steps);
        }
        if is_value {
            let steps = self.function()?;
            self.arguments()?;
            return Some(steps);
        }
        match self.path()?.as_slice() {
            ["location"] | ["location", "href"] if self.eats("=") => {
                Some(vec![Step::Lead(self.text()?)])
            }
            ["location", "assign" | "replace"] => {
                let mut argument = self.within("(")?;
                let place = argument.text()?;
                argument.ends()?;
                Some(vec![Step::Lead(place)])
            }
            ["setTimeout"] => {
                let mut arguments = self.within("(")?;
                let steps = arguments.callback()?;
                let seconds = match arguments.eats(",") {
                    true => arguments.milliseconds()? / 1_000.0,
                    false => 0.0,
                };
                arguments.ends()?;
                let is_soon = seconds <= Refresh::AT_ONCE_SECONDS_MAX;
                is_soon.then(|| vec![Step::After(seconds, steps)])
            }
            ["onload"] | ["body", "onload"] if self.eats("=") => self.callback(),
            ["addEventListener" | "attachEvent"] => self.within("(")?.on_event(),
            ["$" | "jQuery"] => self.by_jquery(),
            [name] if self.is_at("(") => {
                self.within("(")?.ends()?;
                Some(vec![Step::Call((*name).to_owned())])
            }
            [name] if !HOLDERS.contains(name) && self.eats("=") => self.set(name),
            _ => None,
        }
    }

    /// The arguments of a function that is called at once: names and values, nothing that runs.
    fn arguments(&mut self) -> Option<()> {
        let arguments = self.within("(")?;
        let is_plain = |token: &Token<'_>| !matches!(token.kind, Kind::Sign("(" | "=" | "{"));
        arguments.tokens.iter().all(is_plain).then_some(())
    }

    /// `$(function)`, `$(document).ready(function)` and the like.
    fn by_jquery(&mut self) -> Option<Vec<Step>> {
        let mut called = self.within("(")?;
        if !self.eats(".") {
            let steps = called.callback()?;
            return called.ends().map(|()| steps);
        }
        let is_of_page = called.eats_word("document") || called.eats_word("window");
        called.ends().filter(|()| is_of_page)?;
        match self.name()? {
            "ready" | "load" => {
                let mut arguments = self.within("(")?;
                let steps = arguments.callback()?;
                arguments.ends().map(|()| steps)
            }
            "on" | "bind" => self.within("(")?.on_event(),
            _ => None,
        }
    }

    /// The arguments of a call by which something waits until the page is there.
    fn on_event(&mut self) -> Option<Vec<Step>> {
        let is_at_once =
            matches!(self.next()?, Kind::Text(event) if EVENTS.contains(&event.as_str()));
        if !is_at_once || !self.eats(",") {
            return None;
        }
        let steps = self.callback()?;
        if self.eats(",") && !self.eats_word("false") && !self.eats_word("true") {
            return None;
        }
        self.ends().map(|()| steps)
    }

    /// What is called later: a function, the name of one, or code in a text.
    fn callback(&mut self) -> Option<Vec<Step>> {
        match self.peek()? {
            Kind::Text(script) if self.depth < DEPTH_MAX => {
                self.next();
                code(script, self.depth + 1)
            }
            Kind::Word(name)
                if !KEYWORDS.contains(name)
                    && self.tokens.get(1).is_none_or(|next| !continues(next)) =>
            {
                self.next();
                Some(vec![Step::Call((*name).to_owned())])
            }
            Kind::Word(_) | Kind::Sign(_) => self.function(),
            Kind::Text(_) | Kind::Number(_) => None,
        }
    }

    /// The steps of a function that stands here.
    fn function(&mut self) -> Option<Vec<Step>> {
        if self.eats_word("function") {
            if !self.is_at("(") {
                self.name()?;
            }
            let (parameters, mut body) = (self.within("(")?, self.within("{")?);
            return function(parameters, body.statements());
        }
        let parameters = match self.is_at("(") {
            true => self.within("(")?,
            false => {
                let name = &self.tokens[..self.tokens.len().min(1)];
                self.name()?;
                Self {
                    tokens: name,
                    depth: self.depth,
                }
            }
        };
        if !self.eats("=>") {
            return None;
        }
        let body = match self.is_at("{") {
            true => self.block(),
            false => self.effect(),
        };
        function(parameters, body)
    }

    fn milliseconds(&mut self) -> Option<f64> {
        let mut product = 1.0;
        loop {
            let Kind::Number(number) = self.next()? else {
                return None;
            };
            product *= number;
            if !self.eats("*") {
                return Some(product);
            }
        }
    }

    /// A text that may be put together of several.
    fn text(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            if self.is_at("(") {
                let mut inner = self.within("(")?;
                parts.extend(inner.text()?);
                inner.ends()?;
            } else {
                parts.push(match self.next()? {
                    Kind::Text(text) => Part::Text(text.clone()),
                    Kind::Word(name) if !KEYWORDS.contains(name) => Part::Name((*name).to_owned()),
                    Kind::Word(_) | Kind::Number(_) | Kind::Sign(_) => return None,
                });
            }
            if !self.eats("+") {
                return Some(parts);
            }
        }
    }
}

/// A function's steps, in which its parameters are not known.
fn function(mut parameters: Reader<'_, '_>, body: Option<Vec<Step>>) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !parameters.tokens.is_empty() {
        steps.push(Step::Let(parameters.name()?.to_owned(), None));
        if !parameters.eats(",") {
            parameters.ends()?;
        }
    }
    steps.extend(body?);
    Some(steps)
}

/// Whether a name before this is only the beginning of something.
fn continues(next: &Token<'_>) -> bool {
    matches!(
        next.kind,
        Kind::Sign("(" | "." | "[" | "=>" | "+" | "?" | "=")
    ) || matches!(next.kind, Kind::Text(_))
}
