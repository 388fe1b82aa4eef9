//! Sizes and offsets of address computations, and functions together with the layout they are compiled for.

use crate::function::{arg, expr, inst, int_bits, var};
use crate::meaning::{Arg, Compared, Expr, Extent, Fact, Meaning, Simple, Step};
use crate::program::{Instr, Operand, Program, Test, Var};
use lw_graph::{Graph, Node};
use lw_ir::layout::DataLayout;
use lw_ir::symbols::SymbolKind;
use lw_ir::types::{CompoundData, Scalar, Type};
use lw_ir::{Flags, Function, Inst, Op, Value};
use smallvec::SmallVec;
use std::sync::LazyLock;

/// A function as a program, with the layout of its module: the sizes of pointers and of what holds them are known. A load or
/// store through `p->x` uses `p` as well, which is not null behind it ([`Meaning::root`]).
///
/// ```
/// use lw_sparse::meaning::{Expr, Meaning};
/// use lw_sparse::{WithLayout, function};
///
/// let f = lw_ir::parse_function("func @f(ptr %p) -> ptr {\nb:\n  %q = load ptr, ptr %p, align 8\n  ret ptr %q\n}").unwrap();
/// let layout = lw_ir::DataLayout::default();
/// let program = WithLayout { function: &f, layout: &layout };
/// let (_, load) = f.all_insts().next().unwrap();
/// assert!(matches!(f.expr(function::instr(load)), Expr::Load { bytes: None, .. }));
/// assert!(matches!(program.expr(function::instr(load)), Expr::Load { bytes: Some(8), .. }));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithLayout<'f> {
    /// The function.
    pub function: &'f Function,
    /// The sizes and alignments of its target.
    pub layout: &'f DataLayout,
}

impl<'f> WithLayout<'f> {
    fn sizes(&self) -> Sizes<'f> {
        Sizes { function: self.function, layout: Some(self.layout) }
    }
}

impl Program for WithLayout<'_> {
    fn graph(&self) -> Graph {
        self.function.graph()
    }

    fn graph_again(&self, graph: &mut Graph) {
        self.function.graph_again(graph);
    }

    fn variable_count(&self) -> usize {
        self.function.variable_count()
    }

    fn is_ssa(&self) -> bool {
        self.function.is_ssa()
    }

    fn parameters(&self, visit: impl FnMut(Var)) {
        self.function.parameters(visit);
    }

    fn instructions(&self, block: Node) -> impl Iterator<Item = Instr> + '_ {
        self.function.instructions(block)
    }

    fn is_phi(&self, instr: Instr) -> bool {
        self.function.is_phi(instr)
    }

    fn operands(&self, instr: Instr, mut visit: impl FnMut(Operand)) {
        self.function.operands(instr, &mut visit);
        if let Some(root) = self.root(instr) {
            visit(Operand::Use(root));
        }
    }

    fn computed_from(&self, instr: Instr) -> Option<Var> {
        self.function.computed_from(instr)
    }

    fn tests(&self, block: Node, visit: impl FnMut(Var, Test)) {
        self.function.tests(block, visit);
    }
}

impl Meaning for WithLayout<'_> {
    fn width(&self, var: Var) -> Option<u32> {
        self.function.width(var)
    }

    fn is_pointer(&self, var: Var) -> bool {
        self.function.is_pointer(var)
    }

    fn is_object(&self, var: Var) -> bool {
        self.function.is_object(var)
    }

    fn expr(&self, instr: Instr) -> Expr<'_> {
        expr(self.sizes(), instr)
    }

    fn simple(&self, instr: Instr) -> Simple {
        self.function.simple(instr)
    }

    fn dereferenced(&self, instr: Instr) -> Option<Arg> {
        self.function.dereferenced(instr)
    }

    fn computes(&self, instr: Instr) -> bool {
        self.function.computes(instr)
    }

    fn phi_arg(&self, phi: Instr, from: Node) -> Arg {
        self.function.phi_arg(phi, from)
    }

    fn chooses(&self, phi: Instr) -> bool {
        self.function.chooses(phi)
    }

    fn facts<'p>(&'p self, block: Node, position: usize, visit: &mut dyn FnMut(Fact<'p>)) {
        self.function.facts(block, position, visit);
    }

    fn compared(&self, block: Node) -> Option<Compared> {
        self.function.compared(block)
    }

    fn compared_here(&self, block: Node) -> Option<Var> {
        self.function.compared_here(block)
    }

    fn through<'p>(&'p self, fact: &Fact<'p>, about: Var, visit: &mut dyn FnMut(Fact<'p>)) {
        self.function.through(fact, about, visit);
    }

    fn follows<'p>(&'p self, cond: Var, truth: bool, visit: &mut dyn FnMut(Fact<'p>)) {
        self.function.follows(cond, truth, visit);
    }

    fn promised(&self, var: Var) -> SmallVec<[(u128, u128); 1]> {
        self.function.promised(var)
    }

    fn promises(&self, instr: Instr) -> bool {
        self.function.promises(instr)
    }

    fn root(&self, access: Instr) -> Option<Var> {
        let function = self.function;
        let data = &function[inst(access)];
        let address = match data.op {
            Op::Load(_) => data.args[0],
            Op::Store(_) => data.args[1],
            _ => return None,
        };
        // Stepping from null, in bounds, yields null or poison. Neither can be followed.
        let mut root = address;
        while let Some(gep) = function.def_inst(root).filter(|&gep| {
            let data = &function[gep];
            matches!(data.op, Op::Gep(_))
                && data.ty == Type::PTR
                && data.flags.contains(Flags::INBOUNDS)
        }) {
            root = function[gep].args[0];
        }
        let other = !data.args.contains(&root) && function.as_constant(root).is_none();
        other.then(|| var(root))
    }

    fn global_size(&self, global: u32) -> Option<u64> {
        self.sizes().global(global)
    }
}

/// LLVM's default, and the alignments of 64-bit targets.
static USUAL: LazyLock<[DataLayout; 2]> = LazyLock::new(|| {
    let strict = DataLayout::parse("i64:64").unwrap_or_default();
    [DataLayout::default(), strict]
});

/// The types of a function and, if that is known, the layout of its target.
#[derive(Clone, Copy)]
pub(crate) struct Sizes<'f> {
    pub(crate) function: &'f Function,
    pub(crate) layout: Option<&'f DataLayout>,
}

impl<'f> Sizes<'f> {
    /// Whether the size of a type is the same on all targets: of pointers and what holds them nothing is said.
    fn is_fixed(self, ty: Type) -> bool {
        match ty {
            Type::Scalar(Scalar::Int(bits)) => bits <= 64 && bits % 8 == 0,
            Type::Scalar(Scalar::Float(kind)) => kind.bits() <= 64,
            Type::Compound(_) => match self.function.types.compound(ty) {
                Some(CompoundData::Array { elem, .. }) => self.is_fixed(*elem),
                Some(CompoundData::Struct { fields: Some(fields), .. }) => {
                    fields.iter().all(|&f| self.is_fixed(f))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Without a layout, what all usual ones agree on: they differ in whether 64-bit integers are aligned to 4 or to 8 bytes.
    fn with_layout<T: PartialEq>(
        self,
        ty: Type,
        of: impl Fn(&DataLayout) -> Option<T>,
    ) -> Option<T> {
        match self.layout {
            Some(layout) => of(layout),
            None if !self.is_fixed(ty) => None,
            None => {
                let [loose, strict] = &*USUAL;
                of(loose).filter(|found| of(strict).as_ref() == Some(found))
            }
        }
    }

    /// How many bytes a load or store touches.
    pub(crate) fn stored(self, ty: Type) -> Option<u64> {
        self.with_layout(ty, |layout| layout.store_size(&self.function.types, ty))
    }

    /// How many bytes an element of an array takes.
    fn allocated(self, ty: Type) -> Option<u64> {
        self.with_layout(ty, |layout| layout.alloc_size(&self.function.types, ty))
    }

    fn fields(self, ty: Type) -> Option<Vec<u64>> {
        let of = |layout: &DataLayout| layout.struct_layout(&self.function.types, ty);
        self.with_layout(ty, of).map(|(offsets, _)| offsets)
    }

    /// The size of a global. What is declared without a size (`extern int a[]`) has one that is not known here.
    pub(crate) fn global(self, global: u32) -> Option<u64> {
        match self.function.symbols.get(lw_ir::Symbol::from_u32(global)).kind {
            SymbolKind::Variable { ty, .. } => self.allocated(ty).filter(|&size| size > 0),
            SymbolKind::Function { .. } => None,
        }
    }

    pub(crate) fn extent(self, ty: Type, count: Value) -> Extent {
        let bits = int_bits(self.function.ty(count));
        let (Some(size), Some(bits)) = (self.allocated(ty), bits) else {
            return Extent::Unknown;
        };
        match arg(self.function, count) {
            Arg::Int(count) => {
                let bytes = u64::try_from(count).ok().and_then(|count| size.checked_mul(count));
                bytes.map_or(Extent::Unknown, Extent::Bytes)
            }
            count => Extent::Elements { count, bits, size },
        }
    }

    /// What a `getelementptr` computes; `None` where sizes are missing.
    pub(crate) fn address(self, elem: Type, inst: Inst) -> Option<Expr<'f>> {
        let function = self.function;
        let data = &function[inst];
        let Type::Scalar(Scalar::Ptr(space)) = data.ty else { return None };
        // In other address spaces null may be the address of something.
        let inbounds = space == 0 && data.flags.contains(Flags::INBOUNDS);
        let mut offset = 0i128;
        let mut indices: SmallVec<[(Arg, u32, i128); 2]> = SmallVec::new();
        let mut ty = elem;
        let mut array = None;
        for (i, &index) in data.args[1..].iter().enumerate() {
            let bits = int_bits(function.ty(index))?;
            let constant = function.as_constant(index).and_then(|c| c.as_i128());
            array = None;
            let scale = if i == 0 {
                self.allocated(ty)
            } else {
                match function.types.compound(ty)? {
                    CompoundData::Array { elem, len } => {
                        ty = *elem;
                        let (index, count) = (arg(function, index), *len);
                        let size = self.allocated(ty);
                        array = size.map(|size| Step { index, bits, count, size });
                        size
                    }
                    CompoundData::Struct { fields: Some(fields), .. } => {
                        let field = usize::try_from(constant?).ok()?;
                        offset += i128::from(*self.fields(ty)?.get(field)?);
                        ty = *fields.get(field)?;
                        continue;
                    }
                    _ => return None,
                }
            };
            let scale = i128::from(scale?);
            match constant {
                Some(value) => offset = offset.checked_add(value.checked_mul(scale)?)?,
                None => indices.push((arg(function, index), bits, scale)),
            }
        }
        let base = arg(function, data.args[0]);
        Some(Expr::Address { base, offset, indices, inbounds, array })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::instr;

    #[test]
    fn without_a_layout_nothing_is_said_that_alignment_decides() {
        let address = |elem: &str| {
            let text = format!(
                "func @f(ptr %p, i64 %i) -> ptr {{\nb:\n  %q = getelementptr {elem}, ptr %p, i64 %i\n  ret ptr %q\n}}"
            );
            let f = lw_ir::parse_function(&text).unwrap();
            let (_, gep) = f.all_insts().next().unwrap();
            match f.expr(instr(gep)) {
                Expr::Address { indices, .. } => Some(indices[0].2),
                _ => None,
            }
        };
        assert_eq!(address("{ i8, i32 }"), Some(8));
        assert_eq!(address("{ i64, i32, i32 }"), Some(16));
        // 12 bytes where 64-bit integers are aligned to 4 bytes, 16 on most machines.
        assert_eq!(address("{ i32, i64 }"), None);
    }

    #[test]
    fn addresses_of_other_spaces_are_computed_but_not_in_bounds() {
        let text = "func @f(ptr addrspace(1) %p, i64 %i) -> ptr addrspace(1) {
            b:
              %q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
              ret ptr addrspace(1) %q
            }";
        let f = lw_ir::parse_function(text).unwrap();
        let (_, gep) = f.all_insts().next().unwrap();
        let Expr::Address { indices, inbounds, .. } = f.expr(instr(gep)) else {
            panic!("no address");
        };
        assert_eq!((indices[0].2, inbounds), (4, false));
    }
}
