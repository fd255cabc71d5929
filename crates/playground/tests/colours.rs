// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colour-blind people tell the processes apart by their colours, in the light and in the dark.
//!
//! How they see is simulated by the matrices of Machado, Oliveira and Fernandes (2009), for eyes
//! that lack one of the three kinds of cones altogether; how far two colours are from each other is
//! their distance in CIE L*a*b*, in which 2 or 3 are just to be seen.

use std::path::Path;

/// The least distance of two colours.
const LEAST: f64 = 10.0;

/// The least contrast of a colour with what it is drawn on, as WCAG 2 has it for graphics.
const LEAST_CONTRAST: f64 = 3.0;

/// The colours of seven processes, and that of no process in particular.
const COLOURS: usize = 8;

type Matrix = [[f64; 3]; 3];

const EYES: [(&str, Matrix); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "no red cones",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "no green cones",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "no blue cones",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// From linear sRGB to CIE XYZ, divided by the white of D65.
const TO_XYZ: Matrix = [
    [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883],
];

fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(factor, value)| factor * value).sum())
}

/// Linear red, green and blue of a colour such as `#d55e00`.
fn linear(colour: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

/// L*, a* and b* of a colour as a person sees it.
fn seen(colour: &str, eyes: &Matrix) -> [f64; 3] {
    let light = times(eyes, linear(colour)).map(|value| value.clamp(0.0, 1.0));
    let [x, y, z] = times(&TO_XYZ, light)
        .map(|value| if value > 0.008856 { value.cbrt() } else { 7.787 * value + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The contrast of two colours by WCAG 2: 1 to 21.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour| times(&TO_XYZ, linear(colour))[1] + 0.05;
    let (one, other) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

/// The colours of each scheme, in the order of their numbers: light, dark.
fn schemes(style: &str) -> Vec<Vec<String>> {
    let values = |number: usize| {
        let mark = format!("--c{number}: ");
        style.split(&mark).skip(1).map(|rest| rest[..7].to_owned()).collect()
    };
    let columns: Vec<Vec<String>> = (0..COLOURS).map(values).collect();
    (0..columns[0].len())
        .map(|scheme| columns.iter().map(|column| column[scheme].clone()).collect())
        .collect()
}

#[test]
fn colours_stand_out_from_what_is_light() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/style.css");
    let style = std::fs::read_to_string(path).unwrap();
    for ground in ["--ground: ", "--panel: "] {
        let ground = &style.split(ground).nth(1).unwrap()[..7];
        for colour in &schemes(&style)[0] {
            let contrast = contrast(colour, ground);
            assert!(contrast >= LEAST_CONTRAST, "{colour} on {ground}: {contrast:.2}");
        }
    }
}

#[test]
fn colours_of_processes_are_told_apart_by_everybody() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/style.css");
    let schemes = schemes(&std::fs::read_to_string(path).unwrap());
    assert_eq!(schemes.len(), 2, "a light and a dark scheme");
    let mut alike = Vec::new();
    for colours in &schemes {
        for (eyes, matrix) in &EYES {
            for (place, one) in colours.iter().enumerate() {
                for other in &colours[place + 1..] {
                    let apart = distance(seen(one, matrix), seen(other, matrix));
                    if apart < LEAST {
                        alike.push(format!("{one} and {other}, {eyes}: {apart:.1}"));
                    }
                }
            }
        }
    }
    assert!(alike.is_empty(), "{alike:#?}");
}
