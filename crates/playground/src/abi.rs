// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the page calls: texts in JSON, in a buffer of the request and one of the answer. The page
//! writes to the first and reads the second; no pointer comes in.

use crate::calls::Playground;
use std::cell::RefCell;

#[derive(Default)]
struct Door {
    playground: Playground,
    request: Vec<u8>,
    answer: String,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

/// Where the request is to be written, which has `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    DOOR.with_borrow_mut(|door| {
        door.request.resize(length, 0);
        door.request.as_mut_ptr()
    })
}

/// Answers the request. Returns where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    DOOR.with_borrow_mut(|door| {
        door.answer = door.playground.call(&String::from_utf8_lossy(&door.request));
        door.answer.as_ptr()
    })
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    DOOR.with_borrow(|door| door.answer.len())
}
