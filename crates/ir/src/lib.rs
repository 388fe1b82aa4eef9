//! The lock-step IR: types, builder, text form, verifier, interpreter.
#![forbid(unsafe_code)]
