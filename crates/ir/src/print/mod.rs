//! The text form, close to LLVM's. What it writes, [`parse`](crate::parse) reads.
//!
//! ```text
//! %pair = type { i32, ptr }
//! declare @sinf : float (float) attrs(fn: nounwind)
//! func @f(i32 %x, ptr %p) -> i32 {
//! entry:
//!   %c = total icmp slt i32 %x, 0
//!   br i1 %c, label %then, label %end
//! then: when %c
//!   %y = add nsw i32 %x, 1 !7
//!   br label %end
//! end:
//!   %r = phi i32 [ %y, %then ], [ 0, %entry ] shadow 3
//!   ret i32 %r
//! }
//! ```
//!
//! `when` gives the predicate of a block, `total` the modifier of 001 §4.9, `!7` the origin of an instruction, `from !7` that of
//! what it was made from. Values and blocks without a name are numbered together in order, as LLVM does.

mod constant;
mod inst;
mod names;
mod printer;
mod types;

use crate::attrs::{Attr, AttrListData};
use crate::function::Function;
use crate::inst::SyncScope;
use crate::module::{Global, Module};
use crate::name::write_quoted;
use crate::symbols::{SymbolKind, SymbolName, Symbols};
use crate::types::{CompoundData, Signature, Types};
use names::Names;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

pub(crate) use constant::write_constant;
pub use printer::Printer;
pub(crate) use types::{Ty, write_params};

/// What constants need to be written: the tables of their function or module, and names for its blocks.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) types: &'a Types,
    pub(crate) symbols: &'a Symbols,
    names: Option<&'a Names<'a>>,
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.layout.text().is_empty() {
            writeln!(f, "layout \"{}\"", self.layout.text())?;
        }
        let mut written = Prelude::default();
        let globals = self.globals.iter().map(|g| &g.name);
        let aliases = self.aliases.iter().map(|a| &a.name);
        let functions = self.functions.iter().map(|f| &f.name);
        written.symbols.extend(globals.chain(aliases).chain(functions).cloned());
        written.write(f, &self.types, &self.symbols)?;
        for function in &self.functions {
            written.write(f, &function.types, &function.symbols)?;
        }
        for global in &self.globals {
            self.write_global(f, global)?;
        }
        for alias in &self.aliases {
            let (ty, target) = (Ty(&self.types, alias.ty), Ty(&self.types, alias.target.ty));
            write!(f, "{} = alias {ty}, {target} ", alias.name)?;
            let scope = Scope { types: &self.types, symbols: &self.symbols, names: None };
            write_constant(f, &scope, &alias.target)?;
            writeln!(f)?;
        }
        for function in &self.functions {
            writeln!(f)?;
            write_function(f, function)?;
        }
        Ok(())
    }
}

impl Module {
    fn write_global(&self, f: &mut fmt::Formatter<'_>, global: &Global) -> fmt::Result {
        let external = if global.init.is_none() { "external " } else { "" };
        write!(f, "{} = {external}", global.name)?;
        if global.address_space != 0 {
            write!(f, "addrspace({}) ", global.address_space)?;
        }
        let kind = if global.constant { "constant" } else { "global" };
        write!(f, "{kind} {}", Ty(&self.types, global.ty))?;
        if let Some(init) = &global.init {
            f.write_char(' ')?;
            let scope = Scope { types: &self.types, symbols: &self.symbols, names: None };
            write_constant(f, &scope, init)?;
        }
        if let Some(align) = global.align_log2 {
            write!(f, ", align {}", 1u64 << align)?;
        }
        writeln!(f)
    }
}

/// Writes the function with all it mentions, so that it can be read alone.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = Prelude::default();
        written.symbols.insert(self.name.clone());
        written.write(f, &self.types, &self.symbols)?;
        write_function(f, self)
    }
}

/// The definitions of types and the declarations of symbols, each once.
#[derive(Default)]
struct Prelude {
    structs: BTreeSet<crate::name::Name>,
    symbols: BTreeSet<SymbolName>,
}

impl Prelude {
    fn write(
        &mut self,
        f: &mut fmt::Formatter<'_>,
        types: &Types,
        symbols: &Symbols,
    ) -> fmt::Result {
        for (_, data) in types.iter() {
            let CompoundData::Struct { name: Some(name), fields, packed } = data else { continue };
            if self.structs.insert(name.clone()) {
                write!(f, "%{name} = type ")?;
                types::write_struct(f, types, fields.as_deref(), *packed)?;
                writeln!(f)?;
            }
        }
        for (_, symbol) in symbols.iter() {
            if !self.symbols.insert(symbol.name.clone()) {
                continue;
            }
            match &symbol.kind {
                SymbolKind::Function { ty, attrs } => {
                    write!(f, "declare {} : ", symbol.name)?;
                    let signature = types.signature(*ty).expect("functions have function types");
                    write_signature(f, types, signature)?;
                    write_attrs(f, types, attrs)?;
                }
                SymbolKind::Variable { ty, constant } => {
                    let kind = if *constant { "constant" } else { "global" };
                    write!(f, "{} = external {kind} {}", symbol.name, Ty(types, *ty))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Writes `ret (params)`.
pub(crate) fn write_signature(f: &mut impl Write, types: &Types, sig: &Signature) -> fmt::Result {
    write!(f, "{} (", Ty(types, sig.ret))?;
    write_params(f, types, &sig.params, sig.varargs)?;
    f.write_char(')')
}

fn write_function(f: &mut fmt::Formatter<'_>, function: &Function) -> fmt::Result {
    let names = Names::new(function);
    write!(f, "func {}(", function.name)?;
    for (i, &param) in function.params().iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let ty = Ty(&function.types, function.ty(param));
        write!(f, "{comma}{ty} {}", names.value(param))?;
    }
    if function.signature.varargs {
        f.write_str(if function.params().is_empty() { "..." } else { ", ..." })?;
    }
    write!(f, ") -> {}", Ty(&function.types, function.signature.ret))?;
    if function.convention != 0 {
        write!(f, " cc {}", function.convention)?;
    }
    write_attrs(f, &function.types, &function.attrs)?;
    f.write_str(" {\n")?;
    let printer = inst::InstPrinter::new(function, &names);
    for &block in function.blocks() {
        write!(f, "{}:", names.label(block))?;
        if let Some(predicate) = function.predicate(block) {
            f.write_str(" when ")?;
            printer.write_value(f, predicate)?;
        }
        f.write_char('\n')?;
        for &inst in function.insts(block) {
            f.write_str("  ")?;
            printer.write(f, inst)?;
            f.write_char('\n')?;
        }
    }
    f.write_str("}\n")
}

impl Function {
    /// One instruction as it stands in the text form.
    pub fn display_inst(&self, inst: crate::Inst) -> String {
        let names = Names::new(self);
        let mut text = String::new();
        inst::InstPrinter::new(self, &names)
            .write(&mut text, inst)
            .expect("writing to a string does not fail");
        text
    }

    /// A value as an operand in the text form, without its type.
    pub fn display_value(&self, value: crate::Value) -> String {
        let names = Names::new(self);
        let mut text = String::new();
        inst::InstPrinter::new(self, &names)
            .write_value(&mut text, value)
            .expect("writing to a string does not fail");
        text
    }

    /// A block as an operand in the text form: `%name`.
    pub fn display_block(&self, block: crate::Block) -> String {
        Names::new(self).block(block)
    }
}

/// Writes ` attrs(…)`, or nothing where there is none.
pub(crate) fn write_attrs(f: &mut impl Write, types: &Types, attrs: &AttrListData) -> fmt::Result {
    if attrs.is_empty() {
        return Ok(());
    }
    f.write_str(" attrs(")?;
    let mut first = true;
    let whole = [("fn".to_string(), &attrs.function), ("ret".to_string(), &attrs.ret)];
    let params = attrs.params.iter().map(|(index, list)| (index.to_string(), list));
    for (place, list) in whole.into_iter().chain(params).filter(|(_, list)| !list.is_empty()) {
        f.write_str(if first { "" } else { " | " })?;
        first = false;
        write!(f, "{place}: ")?;
        for (i, attr) in list.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            write_attr(f, types, attr)?;
        }
    }
    f.write_char(')')
}

fn write_attr(f: &mut impl Write, types: &Types, attr: &Attr) -> fmt::Result {
    match attr {
        Attr::Flag(name) => f.write_str(name),
        Attr::Int(name, value) => write!(f, "{name}({value})"),
        Attr::Type(name, ty) => write!(f, "{name}({})", Ty(types, *ty)),
        Attr::Ranges(name, bits, ranges) => {
            write!(f, "{name}(ranges {bits}")?;
            for (low, high) in ranges {
                f.write_str(" [")?;
                constant::write_int(f, *bits, low)?;
                f.write_str(", ")?;
                constant::write_int(f, *bits, high)?;
                f.write_char(']')?;
            }
            f.write_char(')')
        }
        Attr::Text(key, value) => {
            write_quoted(f, key)?;
            if !value.is_empty() {
                f.write_char('=')?;
                write_quoted(f, value)?;
            }
            Ok(())
        }
    }
}

/// Writes `syncscope("…") ` unless it is the whole system.
pub(crate) fn write_scope(
    f: &mut impl Write,
    function: &Function,
    scope: SyncScope,
) -> fmt::Result {
    let name: &[u8] = match scope {
        SyncScope::SYSTEM => return Ok(()),
        SyncScope::SINGLE_THREAD => b"singlethread",
        SyncScope(n) => function.sync_scopes[n as usize - 2].as_bytes(),
    };
    f.write_str("syncscope(")?;
    write_quoted(f, name)?;
    f.write_str(") ")
}
