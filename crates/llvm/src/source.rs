//! Where code stands in the source, and what its variables are called there: what `-g` leaves in a module.
//!
//! ```
//! use lw_llvm::Context;
//!
//! let text = r#"
//! define i32 @f(i32 %0) !dbg !4 {
//!   #dbg_value(i32 %0, !7, !DIExpression(), !8)
//!   ret i32 %0, !dbg !8
//! }
//! !llvm.dbg.cu = !{!0}
//! !llvm.module.flags = !{!2}
//! !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
//! !1 = !DIFile(filename: "f.c", directory: "/src")
//! !2 = !{i32 2, !"Debug Info Version", i32 3}
//! !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
//! !5 = !DISubroutineType(types: !{})
//! !6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
//! !7 = !DILocalVariable(name: "x", arg: 1, scope: !4, file: !1, line: 1, type: !6)
//! !8 = !DILocation(line: 2, column: 3, scope: !4)
//! "#;
//! let context = Context::new();
//! let mut module = context.parse_module(text.as_bytes(), "example")?;
//! let mut bridge = module.bridge()?;
//! let imported = bridge.import(bridge.functions()[0]);
//! let source = bridge.source(&imported)?;
//! assert_eq!(source.function.as_ref().map(|at| at.line), Some(1));
//! let (_, ret) = imported.function.all_insts().next().unwrap();
//! assert_eq!(source.insts[ret].as_ref().map(|at| (at.line, at.column)), Some((2, 3)));
//! assert_eq!(source.variables[0].name, "x");
//! # Ok::<(), lw_llvm::Error>(())
//! ```

use crate::bridge::{Bridge, Imported};
use crate::error::Result;
use crate::ffi::{self, ScratchImpl, Text};
use cranelift_entity::SecondaryMap;
use llvm_sys::core::LLVMGetParam;
use llvm_sys::prelude::*;
use lw_ir::{Inst, Value};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file, as the compiler saw it.
    pub file: Arc<Path>,
    /// The line, from one.
    pub line: u32,
    /// The column, from one; zero if it is not known.
    pub column: u32,
    /// Whether the code was inlined from there into the function at hand.
    pub inlined: bool,
}

/// How a variable of the source is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// This value is the variable, from some point on.
    Value(Value),
    /// The variable lies in memory at this address.
    Address(Value),
    /// The variable is this integer, from some point on.
    Constant(i64),
}

/// What is recorded of a variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The line of its declaration; zero if it is not known.
    pub line: u32,
    /// Tells variables apart that have the same name.
    pub identity: usize,
    /// How it is held.
    pub holds: Holds,
}

/// What is known of the source of an imported function.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Where it begins.
    pub function: Option<Location>,
    /// Where its instructions come from.
    pub insts: SecondaryMap<Inst, Option<Location>>,
    /// Its variables, in the order of the records; one variable may have many.
    pub variables: Vec<Variable>,
}

/// `LwLocation`.
#[repr(C)]
#[derive(Default)]
struct LocationDesc {
    directory: Text<'static>,
    file: Text<'static>,
    line: u32,
    column: u32,
    inlined: bool,
}

/// `LwHolds`.
#[expect(dead_code, reason = "made by the shim")]
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum HoldsDesc {
    Value,
    Address,
    Constant,
}

/// `LwVariable`.
#[repr(C)]
struct VariableDesc {
    name: Text<'static>,
    identity: *const c_void,
    holds: HoldsDesc,
    line: u32,
    value: LLVMValueRef,
    constant: i64,
}

unsafe extern "C" {
    fn lw_inst_location(inst: LLVMValueRef, out: *mut LocationDesc);
    fn lw_function_location(function: LLVMValueRef, out: *mut LocationDesc);
    fn lw_variables(
        function: LLVMValueRef,
        scratch: *mut ScratchImpl,
        out: *mut *const VariableDesc,
    ) -> usize;
}

/// The paths that were met, so that each is made once.
#[derive(Default)]
struct Files(FxHashMap<(Vec<u8>, Vec<u8>), Arc<Path>>);

impl Files {
    /// # Safety
    /// What the description points to must be alive.
    unsafe fn location(&mut self, desc: &LocationDesc) -> Option<Location> {
        if desc.line == 0 {
            return None;
        }
        // SAFETY: the caller vouches for the texts.
        let (directory, file) = unsafe { (desc.directory.bytes(), desc.file.bytes()) };
        let path = self.0.entry((directory.to_vec(), file.to_vec())).or_insert_with(|| {
            let path = |bytes| PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
            path(directory).join(path(file)).into()
        });
        let (line, column, inlined) = (desc.line, desc.column, desc.inlined);
        Some(Location { file: path.clone(), line, column, inlined })
    }
}

impl Bridge<'_, '_> {
    /// Where an imported function begins, and where some of its instructions come from.
    pub fn places(
        &self,
        imported: &Imported,
        insts: &[Inst],
    ) -> Result<(Option<Location>, Vec<Option<Location>>)> {
        let raw = self.check(&imported.origins)?;
        let mut files = Files::default();
        let mut desc = LocationDesc::default();
        // SAFETY: the function is alive, and so are its instructions and metadata.
        unsafe {
            lw_function_location(raw, &mut desc);
            let function = files.location(&desc);
            let place = |inst: &Inst| {
                let origin = imported.function[*inst].origin.expand()?;
                let from = *imported.origins.side.insts.get(origin.as_u32() as usize)?;
                lw_inst_location(from, &mut desc);
                files.location(&desc)
            };
            Ok((function, insts.iter().map(place).collect()))
        }
    }

    /// What is known of the source of a function that was imported and whose body is still there.
    pub fn source(&mut self, imported: &Imported) -> Result<Source> {
        let Imported { function, origins } = imported;
        let raw = self.check(origins)?;
        let mut files = Files::default();
        let mut source = Source::default();
        let mut desc = LocationDesc::default();
        // SAFETY: the function is alive, and so are its instructions and metadata; the list of variables lies in the
        // scratch until the next call, and is copied before.
        unsafe {
            lw_function_location(raw, &mut desc);
            source.function = files.location(&desc);
            let mut values: FxHashMap<LLVMValueRef, Value> = FxHashMap::default();
            for (index, &param) in function.params().iter().enumerate() {
                values.insert(LLVMGetParam(raw, index as u32), param);
            }
            for (_, inst) in function.all_insts() {
                let Some(origin) = function[inst].origin.expand() else { continue };
                let Some(&from) = origins.side.insts.get(origin.as_u32() as usize) else {
                    continue;
                };
                lw_inst_location(from, &mut desc);
                source.insts[inst] = files.location(&desc);
                if let Some(result) = function[inst].result.expand() {
                    values.insert(from, result);
                }
            }
            let mut list = std::ptr::null();
            let count = lw_variables(raw, self.scratch.raw(), &mut list);
            for variable in ffi::slice(list, count) {
                let value = values.get(&variable.value).copied();
                let holds = match (variable.holds, value) {
                    (HoldsDesc::Constant, _) => Holds::Constant(variable.constant),
                    (HoldsDesc::Value, Some(value)) => Holds::Value(value),
                    (HoldsDesc::Address, Some(value)) => Holds::Address(value),
                    _ => continue,
                };
                source.variables.push(Variable {
                    name: String::from_utf8_lossy(variable.name.bytes()).into_owned(),
                    line: variable.line,
                    identity: variable.identity as usize,
                    holds,
                });
            }
        }
        Ok(source)
    }
}
