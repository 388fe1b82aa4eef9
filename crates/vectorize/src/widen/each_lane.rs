//! One lane after the other, those that are active.

use super::Widener;
use super::rep::Rep;
use super::types;
use lw_ir::inst::CallInfo;
use lw_ir::ops::CastOp;
use lw_ir::types::Type;
use lw_ir::{Inst, InstData, Op, Value};

impl Widener<'_> {
    /// Executes a scalar instruction for each active lane, in order. Where lanes may be off, branches lead around it.
    pub(super) fn each_lane(&mut self, inst: Inst) -> Option<Rep> {
        let data = self.src[inst].clone();
        self.counts.each_lane += 1;
        self.counts.calls += usize::from(matches!(data.op, Op::Call(_)));
        let reps: Vec<Rep> = data.args.iter().map(|&arg| self.rep(arg)).collect();
        let mut result = match data.ty {
            Type::Void => None,
            ty => Some(self.uncollected(ty)),
        };
        for lane in 0..self.region.width {
            let Some(mask) = self.mask else {
                let value = self.scalar(&data, &reps, lane);
                if let (Some(result), Some(value)) = (&mut result, value) {
                    let at = self.int(Type::I64, lane.into());
                    *result = self.with_lane(result, data.ty, value, at);
                }
                continue;
            };
            let at = self.int(Type::I64, lane.into());
            let on = self.op(Op::ExtractElement, Type::I1, &[mask, at]);
            let (before, active, next) = (self.block, self.out.add_block(), self.out.add_block());
            let branch = InstData::new(Op::CondBr, Type::Void, &[on]);
            self.push(branch.with_targets(&[active, next]));
            self.block = active;
            let value = self.scalar(&data, &reps, lane);
            let with = match (&result, value) {
                (Some(result), Some(value)) => {
                    Some(self.with_lane(&result.clone(), data.ty, value, at))
                }
                _ => None,
            };
            let active = self.block;
            self.push(InstData::new(Op::Br, Type::Void, &[]).with_targets(&[next]));
            self.block = next;
            if let (Some(old), Some(new)) = (&result, &with) {
                result = Some(self.merge(&old.clone(), before, new, active));
            }
        }
        result.map(|result| self.collected(result, data.ty))
    }

    /// The instruction on one lane.
    fn scalar(&mut self, data: &InstData, reps: &[Rep], lane: u32) -> Option<Value> {
        let args: Vec<Value> = data
            .args
            .iter()
            .zip(reps)
            .map(|(&arg, rep)| self.lane(rep, self.src.ty(arg), lane))
            .collect();
        let mut op = data.op.clone();
        if let Op::Call(info) = &op {
            // What is called sees the stack of this function.
            let info = CallInfo { tail: lw_ir::ops::TailKind::None, ..(**info).clone() };
            op = Op::Call(Box::new(info));
        }
        self.push(InstData::new(op, data.ty, &args).with_flags(data.flags))
    }

    /// W values that nobody looks at.
    pub(super) fn nothing(&mut self, ty: Type) -> Rep {
        if let Type::Scalar(_) = ty {
            let vector = self.vector(ty);
            return Rep::Lanes(self.poison(vector));
        }
        let elements = types::elements(&self.out, ty);
        Rep::Parts(elements.into_iter().map(|elem| self.nothing(elem)).collect())
    }

    /// W values that are not there yet. Conditions are collected as bytes: LLVM's fast instruction selection (`-O0`) does not
    /// copy the flags of `cmpxchg` into registers for masks.
    fn uncollected(&mut self, ty: Type) -> Rep {
        match ty {
            Type::I1 => self.nothing(Type::I8),
            Type::Scalar(_) => self.nothing(ty),
            _ => {
                let elements = types::elements(&self.out, ty);
                Rep::Parts(elements.into_iter().map(|elem| self.uncollected(elem)).collect())
            }
        }
    }

    /// What was collected, as values of the type.
    fn collected(&mut self, rep: Rep, ty: Type) -> Rep {
        match rep {
            Rep::Lanes(bytes) if ty == Type::I1 => Rep::Lanes(self.are_set(bytes)),
            Rep::Parts(parts) => {
                let elements = types::elements(&self.out, ty);
                let all = parts.into_iter().zip(elements);
                Rep::Parts(all.map(|(part, elem)| self.collected(part, elem)).collect())
            }
            rep => rep,
        }
    }

    /// The same with another value on the lane at `at`.
    pub(super) fn with_lane(&mut self, rep: &Rep, ty: Type, value: Value, at: Value) -> Rep {
        match rep {
            Rep::Lanes(vector) => {
                let whole = self.out.ty(*vector);
                let value = match self.out.ty(value) {
                    Type::I1 if whole != self.vector(Type::I1) => {
                        self.op(Op::Cast(CastOp::ZExt), Type::I8, &[value])
                    }
                    _ => value,
                };
                Rep::Lanes(self.op(Op::InsertElement, whole, &[*vector, value, at]))
            }
            Rep::Parts(parts) => {
                let elements = types::elements(&self.out, ty);
                let values = self.parts(&Rep::Uniform(value), ty);
                let mut all = Vec::new();
                for ((part, elem), value) in parts.iter().zip(elements).zip(values) {
                    let Rep::Uniform(value) = value else { unreachable!("it is scalar") };
                    all.push(self.with_lane(part, elem, value, at));
                }
                Rep::Parts(all)
            }
            _ => unreachable!("it began as vectors"),
        }
    }

    fn merge(&mut self, old: &Rep, before: lw_ir::Block, new: &Rep, active: lw_ir::Block) -> Rep {
        match (old, new) {
            (Rep::Lanes(a), Rep::Lanes(b)) => {
                let ty = self.out.ty(*a);
                let data = InstData::new(Op::Phi, ty, &[*a, *b]).with_targets(&[before, active]);
                Rep::Lanes(self.push(data).expect("it has a type"))
            }
            (Rep::Parts(a), Rep::Parts(b)) => {
                let all = a.iter().zip(b).map(|(a, b)| self.merge(a, before, b, active));
                Rep::Parts(all.collect())
            }
            _ => unreachable!("they have the same shape"),
        }
    }
}
