// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arithmetic in parentheses, as fio's job files allow wherever a number stands:
//! `size=(8*1m)`, `runtime=(2*30s)`.
//!
//! Operators by rising precedence: `+ -`, `* / %`, unary `-`, `^`. Numbers are decimal, may have a
//! fraction and a unit. Powers take whole exponents.

use crate::parse::expected::Expected;

/// Parentheses may be nested this deep.
const DEPTH: u32 = 64;

/// What a unit (or none: "") multiplies a number with; none: it is not a unit.
pub(super) type Unit<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// The value of an expression.
pub(super) fn evaluate<'a>(text: &'a str, unit: Unit<'a>) -> Result<f64, Expected> {
    let mut parser = Parser { rest: text, unit, depth: 0 };
    let value = parser.sum()?;
    parser.skip_blanks();
    if !parser.rest.is_empty() {
        return Err(Expected(format!("an operator + - * / % ^ before \"{}\"", parser.rest)));
    }
    Ok(value)
}

struct Parser<'a> {
    rest: &'a str,
    unit: Unit<'a>,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<f64, Expected> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let right = self.product()?;
            value = if operator == '+' { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, Expected> {
        let mut value = self.signed()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let right = self.signed()?;
            if operator != '*' && right == 0.0 {
                return Err("an expression that does not divide by zero".into());
            }
            value = match operator {
                '*' => value * right,
                '/' => value / right,
                _ => value % right,
            };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, Expected> {
        let mut sign = 1.0;
        while self.take(&['-']).is_some() {
            sign = -sign;
        }
        Ok(sign * self.power()?)
    }

    fn power(&mut self) -> Result<f64, Expected> {
        let base = self.atom()?;
        let mut exponents = Vec::new();
        while self.take(&['^']).is_some() {
            exponents.push(self.atom()?);
        }
        // Right to left: 2^3^2 is 2^9.
        let mut exponent = None;
        for next in exponents.into_iter().rev() {
            exponent = Some(match exponent {
                None => next,
                Some(exponent) => raised(next, exponent)?,
            });
        }
        exponent.map_or(Ok(base), |exponent| raised(base, exponent))
    }

    fn atom(&mut self) -> Result<f64, Expected> {
        if self.take(&['(']).is_some() {
            self.depth += 1;
            if self.depth > DEPTH {
                return Err("fewer parentheses".into());
            }
            let value = self.sum()?;
            self.depth -= 1;
            return match self.take(&[')']) {
                Some(_) => Ok(value),
                None => Err("a closing parenthesis".into()),
            };
        }
        let number = self.word(|byte| byte.is_ascii_digit() || byte == b'.');
        let value: f64 = number.parse().map_err(|_| "a number or a parenthesis")?;
        let unit = self.word(|byte| byte.is_ascii_alphabetic());
        let factor = (self.unit)(unit).ok_or("a unit that fits the option")?;
        Ok(value * factor)
    }

    fn word(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let length = self.rest.bytes().take_while(|&byte| belongs(byte)).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_blanks();
        let next = self.rest.chars().next().filter(|next| wanted.contains(next))?;
        self.rest = &self.rest[1..];
        Some(next)
    }
}

fn raised(base: f64, exponent: f64) -> Result<f64, Expected> {
    if exponent.fract() != 0.0 || exponent.abs() > 1024.0 {
        return Err("a whole exponent up to 1024".into());
    }
    Ok(base.powi(exponent as i32))
}
