//! Values as a reader of the source would write them, as far as debug information tells.

use super::Subject;
use lw_ir::ops::{BinOp, FloatPred, IntPred};
use lw_ir::symbols::SymbolKind;
use lw_ir::types::CompoundData;
use lw_ir::{Inst, Op, Value};
use lw_llvm::Holds;
use lw_report::Place;

/// How deep expressions are written out.
const DEPTH: u32 = 4;

impl Subject<'_> {
    /// A value: a variable, a constant, or the expression that computes it.
    pub(crate) fn value(&self, value: Value) -> String {
        self.words(value, DEPTH)
    }

    /// What lies at an address.
    pub(crate) fn target(&self, address: Value) -> String {
        self.at(address, DEPTH)
    }

    /// An instruction: its result if it has a name, else what it does.
    pub(crate) fn action(&self, inst: Inst) -> String {
        match self.function[inst].result.expand() {
            Some(result) if self.has_source() => self.value(result),
            _ => self.printer.inst(inst),
        }
    }

    /// The name of a global.
    pub(crate) fn global(&self, global: u32) -> String {
        let name = self.function.symbols.get(lw_ir::Symbol::from_u32(global)).name.to_string();
        name.trim_start_matches('@').to_string()
    }

    /// What an allocation holds: a variable, or what a call yields.
    pub(crate) fn allocation(&self, pos: lw_sparse::Pos) -> String {
        let result = self.function[self.inst(pos)].result.expand();
        result.map_or_else(String::new, |value| match self.objects[value] {
            Some(name) => name.into(),
            None => self.value(value),
        })
    }

    /// Where the variable in an allocation is declared, or where the allocation stands.
    pub(crate) fn allocation_place(&self, pos: lw_sparse::Pos) -> Place {
        let result = self.function[self.inst(pos)].result.expand();
        let holds = result.map(Holds::Address);
        let variable = self.unit.source.variables.iter().find(|v| Some(v.holds) == holds);
        match variable.filter(|v| v.line > 0) {
            Some(variable) => Place { line: variable.line, column: 0, ..self.start },
            None => self.place(pos),
        }
    }

    fn words(&self, value: Value, depth: u32) -> String {
        let value = self.without_casts(value);
        if let Some(name) = self.names[value] {
            return name.into();
        }
        if let Some(name) = self.objects[value] {
            return format!("&{name}");
        }
        if let Some(symbol) = self.function.as_symbol(value) {
            let name = self.global(symbol.as_u32());
            return match self.function.symbols.get(symbol).kind {
                SymbolKind::Function { .. } => name,
                SymbolKind::Variable { .. } => format!("&{name}"),
            };
        }
        let plain = || self.printer.value(value);
        let Some(inst) = self.function.def_inst(value).filter(|_| depth > 0 && self.has_source())
        else {
            return plain();
        };
        let data = &self.function[inst];
        let arg = |i: usize| self.words(data.args[i], depth - 1);
        match &data.op {
            Op::Load(_) => self.at(data.args[0], depth - 1),
            Op::Gep(_) => format!("&{}", self.at(value, depth)),
            Op::Freeze => self.words(data.args[0], depth),
            Op::Phi => self.both(inst, depth).unwrap_or_else(plain),
            Op::Binary(op) => match operator(*op) {
                Some(sign) => format!("({} {sign} {})", arg(0), arg(1)),
                None => plain(),
            },
            Op::ICmp(pred) => format!("{} {} {}", arg(0), comparison(*pred), arg(1)),
            Op::FCmp(pred) => match float_comparison(*pred) {
                Some(sign) => format!("{} {sign} {}", arg(0), arg(1)),
                None => plain(),
            },
            Op::Select => format!("({} ? {} : {})", arg(0), arg(1), arg(2)),
            Op::Call(_) | Op::Invoke(_) => format!("{}(…)", arg(0)),
            _ => plain(),
        }
    }

    /// What is converted, if that has no name and there is a source, which rarely writes conversions.
    fn without_casts(&self, mut value: Value) -> Value {
        while self.has_source()
            && self.names[value].is_none()
            && let Some(inst) = self.function.def_inst(value)
            && matches!(self.function[inst].op, Op::Cast(_))
        {
            value = self.function[inst].args[0];
        }
        value
    }

    /// `a && b` and `a || b`: a φ of a truth that is known on all ways but one.
    fn both(&self, phi: Inst, depth: u32) -> Option<String> {
        let data = &self.function[phi];
        if data.ty != lw_ir::Type::I1 {
            return None;
        }
        let known = |value: Value| self.function.as_constant(value).and_then(|c| c.as_u128());
        let mut computed = data.incoming().filter(|&(value, _)| known(value).is_none());
        let (last, _) = computed.next().filter(|_| computed.next().is_none())?;
        let (first, from) = data.incoming().find(|&(value, _)| known(value).is_some())?;
        let decides = self.function[self.function.terminator(from)?].args.first().copied()?;
        let sign = if known(first) == Some(0) { "&&" } else { "||" };
        Some(format!("{} {sign} {}", self.words(decides, depth - 1), self.words(last, depth - 1)))
    }

    fn at(&self, address: Value, depth: u32) -> String {
        if let Some(name) = self.objects[address] {
            return name.into();
        }
        if let Some(symbol) = self.function.as_symbol(address) {
            return self.global(symbol.as_u32());
        }
        let inst = self.function.def_inst(address).filter(|_| self.names[address].is_none());
        match inst.map(|inst| (inst, &self.function[inst].op)) {
            Some((inst, Op::Gep(elem))) if depth > 0 && self.has_source() => {
                self.element(inst, *elem, depth - 1)
            }
            Some((_, Op::Gep(_))) => format!("*{}", self.printer.value(address)),
            _ => format!("*{}", self.words(address, depth)),
        }
    }

    /// A field of a structure: its name, or `#1` if that is not known.
    fn field(&self, structure: Option<&lw_ir::Name>, ty: lw_ir::Type, number: usize) -> String {
        let module = &self.unit.module;
        let offsets = module.layout.struct_layout(&self.function.types, ty);
        let offset = offsets.and_then(|(offsets, _)| offsets.get(number).copied());
        let structure = structure.and_then(lw_ir::Name::as_str);
        let name = offset.zip(structure).and_then(|(at, name)| module.fields.name(name, at));
        name.map_or_else(|| format!("#{number}"), str::to_owned)
    }

    /// `a[i]`, `p->next`.
    fn element(&self, gep: Inst, elem: lw_ir::Type, depth: u32) -> String {
        let args = &self.function[gep].args;
        let zero =
            |value: Value| self.function.as_constant(value).and_then(|c| c.as_u128()) == Some(0);
        let mut arrow = false;
        let mut text = if zero(args[1]) && args.len() > 2 {
            let whole = self.at(args[0], depth);
            match whole.strip_prefix('*') {
                Some(pointer) => {
                    arrow = true;
                    pointer.to_string()
                }
                _ => whole,
            }
        } else {
            let base = self.words(args[0], depth);
            let base = base.strip_prefix('&').map(str::to_owned).unwrap_or(base);
            format!("{base}[{}]", self.words(args[1], depth))
        };
        let mut ty = elem;
        for &index in &args[2..] {
            match self.function.types.compound(ty) {
                Some(CompoundData::Struct { name, fields: Some(fields), .. }) => {
                    let number = self.function.as_constant(index).and_then(|c| c.as_u128());
                    let number = number.unwrap_or(0) as usize;
                    let field = self.field(name.as_ref(), ty, number);
                    text.push_str(&format!("{}{field}", if arrow { "->" } else { "." }));
                    let Some(&field) = fields.get(number) else { break };
                    ty = field;
                }
                Some(CompoundData::Array { elem, .. }) => {
                    let index = self.words(index, depth);
                    text = if arrow {
                        format!("(*{text})[{index}]")
                    } else {
                        format!("{text}[{index}]")
                    };
                    ty = *elem;
                }
                _ => break,
            }
            arrow = false;
        }
        text
    }
}

fn operator(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::SDiv | BinOp::UDiv => "/",
        BinOp::SRem | BinOp::URem => "%",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::LShr | BinOp::AShr => ">>",
        _ => return None,
    })
}

fn float_comparison(pred: FloatPred) -> Option<&'static str> {
    Some(match pred {
        FloatPred::Oeq | FloatPred::Ueq => "==",
        FloatPred::One | FloatPred::Une => "!=",
        FloatPred::Olt | FloatPred::Ult => "<",
        FloatPred::Ole | FloatPred::Ule => "<=",
        FloatPred::Ogt | FloatPred::Ugt => ">",
        FloatPred::Oge | FloatPred::Uge => ">=",
        _ => return None,
    })
}

fn comparison(pred: IntPred) -> &'static str {
    match pred {
        IntPred::Eq => "==",
        IntPred::Ne => "!=",
        IntPred::Slt | IntPred::Ult => "<",
        IntPred::Sle | IntPred::Ule => "<=",
        IntPred::Sgt | IntPred::Ugt => ">",
        IntPred::Sge | IntPred::Uge => ">=",
    }
}
