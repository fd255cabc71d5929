// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of typed indices, and what orders their entries without memory of its own: intrusive
//! lists and the one balanced tree.

pub mod arena;
pub mod indexed;
pub mod list;
pub mod sorted;
pub mod tree;
