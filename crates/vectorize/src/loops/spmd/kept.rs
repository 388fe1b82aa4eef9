//! What the last iteration left in objects that each iteration has for itself.

use super::Threads;
use crate::edit;
use crate::widen::packed_size;
use lw_ir::constant::Constant;
use lw_ir::inst::Access;
use lw_ir::ops::{BinOp, Horizontal, IntPred};
use lw_ir::types::{CompoundData, Type};
use lw_ir::{Block, DataLayout, Flags, Function, Inst, Op};

impl Threads<'_> {
    /// Copies what thread `last` has in its objects to where those behind the loop look for it. Where that is done.
    pub(super) fn copy_kept(&mut self, mut at: Block, last: lw_ir::Value) -> Block {
        let plan = self.plan;
        for (object, to) in self.kept.clone() {
            let from = self.around[&plan.f.result(object)];
            let cells = Cells::of(plan.f, plan.layout, object);
            if cells.count == 0 {
                continue;
            }
            let (head, next) = (self.out.add_named_block("keep"), self.out.add_named_block("kept"));
            edit::jump(&mut self.out, at, head);
            let zero = self.out.constant(Constant::int(Type::I64, 0));
            let mut b = self.at(head);
            let k = b.phi(Type::I64, &[(zero, at)]);
            let [mine, theirs] = [from, to].map(|start| b.gep(cells.ty, Flags::NONE, start, &[k]));
            let value = b.load(cells.ty, mine, cells.access);
            let value = b.horizontal(Horizontal::Extract, cells.ty, &[value, last]);
            b.store(value, theirs, cells.access);
            let one = b.int(Type::I64, 1);
            let further = b.binary(BinOp::Add, k, one);
            b.add_incoming(k, further, head);
            let count = b.int(Type::I64, cells.count.into());
            let more = b.icmp(IntPred::Ne, further, count);
            edit::branch(&mut self.out, head, more, [head, next]);
            at = next;
        }
        at
    }
}

/// An object as equal cells, one behind the other.
struct Cells {
    ty: Type,
    count: u64,
    access: Access,
}

impl Cells {
    /// The elements of an array; the bytes of anything else.
    fn of(f: &Function, layout: &DataLayout, object: Inst) -> Cells {
        let Op::Alloca(info) = &f[object].op else { unreachable!("it is on the stack") };
        let number =
            f.as_constant(f[object].args[0]).and_then(Constant::as_u128).unwrap_or(0) as u64;
        let (mut ty, mut count) = (info.ty, number);
        while let Some(CompoundData::Array { elem, len }) = f.types.compound(ty) {
            (ty, count) = (*elem, count * len);
        }
        let size = match packed_size(layout, f, ty) {
            Some(size) => size as u64,
            None => {
                let size = layout.alloc_size(&f.types, info.ty).unwrap_or(0);
                (ty, count) = (Type::I8, size * number);
                1
            }
        };
        let aligned = (1 << size.trailing_zeros()).min(1u64 << info.align_log2);
        Cells { ty, count, access: Access::aligned(aligned) }
    }
}
