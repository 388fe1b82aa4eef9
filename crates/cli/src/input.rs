//! Reading programs: LLVM's text and bitcode, and the text form of the lock-step IR.

use crate::failure::Failure;
use crate::names;
use lw_llvm::{Context, Module};
use std::path::Path;

/// What a file holds, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `.ll` or `.bc`.
    Llvm,
    /// `.lw`.
    LockStep,
}

/// What kind of program `path` names.
pub(crate) fn kind(path: &Path) -> Result<Kind, Failure> {
    let help = ".ll, .bc or .lw (from C: clang-22 -O1 -g -S -emit-llvm FILE.c)";
    by_ending(path).ok_or_else(|| unknown_ending(path, help))
}

/// The same for commands that read what clang compiles, too.
pub(crate) fn kind_or_source(path: &Path) -> Result<Kind, Failure> {
    let help = ".ll, .bc, .lw, .c, .cc, .cpp, .cxx, .C or .cu";
    by_ending(path).ok_or_else(|| unknown_ending(path, help))
}

fn by_ending(path: &Path) -> Option<Kind> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("ll" | "bc") => Some(Kind::Llvm),
        Some("lw") => Some(Kind::LockStep),
        _ => None,
    }
}

fn unknown_ending(path: &Path, expected: &str) -> Failure {
    Failure::cannot(format!("{}: expected a file that ends in {expected}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.is_dir() {
        return Err(Failure::cannot(format!("{}: this is a directory", path.display())));
    }
    std::fs::read(path).map_err(|error| Failure::cannot(format!("{}: {error}", path.display())))
}

/// Reads an LLVM module.
pub(crate) fn llvm_module<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, Failure> {
    if kind(path)? != Kind::Llvm {
        return Err(Failure::cannot(format!("{}: expected .ll or .bc", path.display())));
    }
    let data = read(path)?;
    Ok(context.parse_module(&data, &path.display().to_string())?)
}

/// Reads a program as plain data, whatever it is written in.
pub(crate) fn program(path: &Path) -> Result<lw_ir::Module, Failure> {
    if kind(path)? == Kind::Llvm {
        let context = Context::new();
        return Ok(llvm_module(&context, path)?.import()?);
    }
    let bytes = read(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::cannot(format!("{}: this is not text (UTF-8)", path.display())))?;
    let module = lw_ir::parse_module(&text).map_err(|error| {
        let line = text.lines().nth(error.line as usize - 1).unwrap_or_default();
        let mark = " ".repeat(error.column.saturating_sub(1) as usize);
        Failure::cannot(format!("{}:{error}\n  {line}\n  {mark}^", path.display()))
    })?;
    lw_ir::verify_module(&module).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Failure::cannot(format!("{}: {}", path.display(), all.join("\n")))
    })?;
    Ok(module)
}

/// The function `name` of a module, or an error that lists what there is.
pub(crate) fn function<'m>(
    module: &'m lw_ir::Module,
    name: &str,
    path: &Path,
) -> Result<&'m lw_ir::Function, Failure> {
    module.function(name).ok_or_else(|| {
        let all: Vec<&str> = module.functions.iter().filter_map(|f| f.name.as_str()).collect();
        let shown: Vec<String> = all.iter().take(20).map(|name| names::shown(name)).collect();
        let shown = shown.join(", ");
        let more =
            if all.len() > 20 { format!(" and {} more", all.len() - 20) } else { String::new() };
        let there = if all.is_empty() { "none".into() } else { format!("{shown}{more}") };
        Failure::cannot(format!(
            "{}: there is no function `{name}`; there are: {there}",
            path.display()
        ))
    })
}
