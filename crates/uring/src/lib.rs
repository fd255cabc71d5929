//! Real files and devices behind the block layer.
