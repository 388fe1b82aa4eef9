//! Programs as the analyses want them: functions one by one, each with what is known of its source.

use crate::compile;
use crate::failure::Failure;
use crate::input::{self, Kind};
use crate::names::{self, Named};
use lw_ir::{DataLayout, Function};
use lw_llvm::{Context, Fields, Module, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arguments that name a program and a part of it.
#[derive(clap::Args)]
pub(crate) struct Input {
    /// A program: .ll, .bc, .lw, or C, C++ and CUDA, which clang-22 compiles
    pub(crate) input: PathBuf,
    /// Only this function
    #[arg(short, long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Runs passes of LLVM first, such as mem2reg or instcombine (.ll, .bc, C and C++)
    #[arg(long, value_name = "PIPELINE")]
    passes: Option<String>,
    /// Flags for clang-22, behind `--`
    #[arg(last = true, value_name = "FLAG")]
    flags: Vec<String>,
}

/// A function and its source.
pub(crate) struct Unit {
    pub(crate) function: Function,
    pub(crate) source: Source,
    pub(crate) module: Arc<Shared>,
}

/// What the functions of a module share.
pub(crate) struct Shared {
    pub(crate) layout: DataLayout,
    /// The target triple; empty if there is none.
    pub(crate) triple: String,
    pub(crate) fields: Fields,
}

impl Unit {
    pub(crate) fn name(&self) -> String {
        self.function.name.to_string()
    }
}

impl Input {
    /// Whether clang compiles it first.
    pub(crate) fn is_source(&self) -> bool {
        compile::is_source(&self.input)
    }

    /// The functions that were asked for, in order; those without a body are none.
    pub(crate) fn units(&self) -> Result<Vec<Unit>, Failure> {
        let mut units = self.module(None)?;
        if let Some(name) = &self.function {
            let at = self.position(name, &units)?;
            units = vec![units.swap_remove(at)];
        }
        units.retain(|unit| unit.function.entry().is_some());
        Ok(units)
    }

    /// All functions, in order. What clang compiles is put into a form first by passes of LLVM.
    pub(crate) fn module(&self, form: Option<&str>) -> Result<Vec<Unit>, Failure> {
        let mut units = self.all(form)?;
        for unit in &mut units {
            // Origins mean nothing to a reader.
            let insts: Vec<_> = unit.function.all_insts().map(|(_, inst)| inst).collect();
            insts.into_iter().for_each(|inst| unit.function[inst].origin = None.into());
        }
        Ok(units)
    }

    /// The function of a name, which must have a body. Functions of C++ and CUDA may be called as in the source.
    pub(crate) fn find<'u>(&self, name: &str, units: &'u [Unit]) -> Result<&'u Unit, Failure> {
        let names = units.iter().filter_map(|unit| unit.function.name.as_str());
        let unit = match names::find(name.trim_start_matches('@'), names) {
            Named::One(found) => &units[self.position(&found, units)?],
            Named::Several(all) => return Err(several(&self.input, name, &all)),
            Named::None => &units[self.position(name, units)?],
        };
        if unit.function.entry().is_some() {
            return Ok(unit);
        }
        Err(Failure::cannot(format!("{}: `{name}` has no body", self.input.display())))
    }

    fn position(&self, name: &str, units: &[Unit]) -> Result<usize, Failure> {
        let wanted = name.trim_start_matches('@');
        let exact = units.iter().position(|u| u.function.name.as_str() == Some(wanted));
        exact.ok_or_else(|| unknown(&self.input, wanted, units))
    }

    /// The program as LLVM has it.
    pub(crate) fn llvm<'c>(&self, context: &'c Context) -> Result<Module<'c>, Failure> {
        let path = &self.input;
        let mut module = if self.is_source() {
            compile::compile(context, path, &self.flags)?
        } else {
            input::llvm_module(context, path)?
        };
        if let Some(passes) = &self.passes {
            module.run_passes(passes, None)?;
        }
        Ok(module)
    }

    fn all(&self, form: Option<&str>) -> Result<Vec<Unit>, Failure> {
        let path = &self.input;
        let source = self.is_source();
        if !self.flags.is_empty() && !source {
            return Err(Failure::cannot(format!(
                "{}: flags for clang go with C and C++ (and CUDA)",
                path.display()
            )));
        }
        if !source && input::kind_or_source(path)? == Kind::LockStep {
            if self.passes.is_some() {
                return Err(Failure::cannot(format!(
                    "{}: --passes wants .ll, .bc, C or C++",
                    path.display()
                )));
            }
            let module = input::program(path)?;
            let shared = Arc::new(Shared {
                layout: module.layout,
                triple: String::new(),
                fields: Fields::default(),
            });
            let plain =
                |function| Unit { function, source: Source::default(), module: shared.clone() };
            return Ok(module.functions.into_iter().map(plain).collect());
        }
        let context = Context::new();
        let mut module = self.llvm(&context)?;
        if let Some(form) = form.filter(|_| source) {
            module.run_passes(form, None)?;
        }
        let triple = module.triple();
        let mut bridge = module.bridge()?;
        let (layout, fields) = (bridge.layout().clone(), bridge.fields());
        let shared = Arc::new(Shared { layout, triple, fields });
        let mut units = Vec::new();
        for id in bridge.functions() {
            let imported = bridge.import(id);
            let source = bridge.source(&imported)?;
            units.push(Unit { function: imported.function, source, module: shared.clone() });
        }
        Ok(units)
    }
}

/// Several functions have a name in the source.
pub(crate) fn several(path: &Path, name: &str, all: &[String]) -> Failure {
    Failure::cannot(format!(
        "{}: several functions are called `{name}`: {}",
        path.display(),
        all.join(", ")
    ))
}

/// No function has a name; the nearest are named.
fn unknown(path: &Path, wanted: &str, units: &[Unit]) -> Failure {
    let mut names: Vec<(usize, &str)> = units
        .iter()
        .filter_map(|unit| unit.function.name.as_str())
        .map(|name| (if name.contains(wanted) { 0 } else { distance(wanted, name) }, name))
        .collect();
    names.sort();
    let near: Vec<&str> = names.iter().take(5).map(|&(_, name)| name).collect();
    let there = match near.len() {
        0 => "there is none".to_string(),
        n if n == names.len() => format!("there are: {}", near.join(", ")),
        _ => format!("there are {}; the nearest: {}", names.len(), near.join(", ")),
    };
    Failure::cannot(format!("{}: there is no function `{wanted}`; {there}", path.display()))
}

/// How many letters must be added, removed or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("twice", "twice"), 0);
    }
}
