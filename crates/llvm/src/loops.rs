//! Loops that the user marked for vectorization: what the marks say, whether LLVM's analyses let iterations be done together, and
//! remarks at their lines.

use crate::bridge::{Bridge, FunctionId, Origins};
use crate::error::Result;
use crate::ffi::{self, Text};
use crate::module::Module;
use crate::variants::RemarkKind;
use llvm_sys::prelude::LLVMValueRef;

/// A loop of an imported function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedLoop {
    /// The [origin](lw_ir::Origin) of the terminator of its latch, by which it is named.
    pub latch: u32,
    /// How many iterations are to be done together, if the user said so.
    pub width: Option<u32>,
    /// How many iterations there are, if that is known. It is not asked if the width is.
    pub iterations: Option<u32>,
    /// Whether the user promises that iterations do not depend on each other through memory.
    pub parallel: bool,
    /// Whether it is a loop of OpenMP, in which sums may be computed in another order. Only known behind
    /// [`Module::keep_loops`].
    pub openmp: bool,
    /// Whether it has a `nontemporal` clause. Only known behind [`Module::keep_loops`].
    pub nontemporal: bool,
    /// Whether it is marked by a call and an iteration may leave it for good, by a panic.
    pub may_panic: bool,
    /// Whether an iteration may end the program and LLVM knows it: [`Module::hide_dead_ends`] did not hide it.
    pub may_end: bool,
    /// Whether an exception may leave the function from an iteration.
    pub may_throw: bool,
    /// Whether it may be a loop of OpenMP: clauses may give iterations what LLVM lets them share.
    pub may_have_clauses: bool,
    /// Whether clang counts in it how often control comes where, for a profile.
    pub counted: bool,
    /// Whether it is marked by a call, as loops of Rust are, and not by a pragma.
    pub called: bool,
}

/// Why iterations cannot share what is on the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackConflict {
    /// The accesses that are in conflict.
    pub reason: String,
    /// The origin of the object they are about, if it is one.
    pub object: Option<u32>,
}

/// What iterations of a loop have to do with each other through memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dependences {
    /// They can be done together.
    None,
    /// They can if what the loop touches through different pointers does not overlap, which can be computed before the loop.
    NoneIfApart,
    /// They cannot, or nobody knows: why.
    Conflict(String),
}

/// The instruction that computes whether what a loop touches is apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApartTest(LLVMValueRef);

impl Module<'_> {
    /// Notes at the start of LLVM's pipeline what its passes forget about marked loops, and keeps them, or `all` loops, from being
    /// unrolled. Loops that call an empty function `…__laneweaver_loop_w8_f1…` are marked by that: 8 iterations at a time (0: as the
    /// target has it), which are independent (1), and in which sums may be computed in another order (2). Whether there were any.
    pub fn keep_loops(&mut self, all: bool) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe {
            let called = ffi::lw_take_loop_calls(self.raw());
            ffi::lw_keep_loops(self.raw(), all) || called
        }
    }

    /// At the start of LLVM's pipeline: hides that an iteration of a marked loop may end the program, so that no test is left out that
    /// only an iteration behind it would fail. Whether one may. [`Module::show_dead_ends`] has to follow.
    pub fn hide_dead_ends(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_hide_dead_ends(self.raw()) }
    }

    /// Takes back what [`Module::hide_dead_ends`] did, of which copies may have been made. Whether there was something.
    pub fn show_dead_ends(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_show_dead_ends(self.raw()) }
    }

    /// Keeps LLVM from doing the last block of marked loops in several places, one for each outcome of what the loop finds out. Whether there
    /// are such loops. [`Module::release_latches`] has to follow.
    pub fn hold_latches(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_hold_latches(self.raw()) }
    }

    /// Takes back what [`Module::hold_latches`] did. Whether there was something.
    pub fn release_latches(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_release_latches(self.raw()) }
    }

    /// At the end of LLVM's pipeline: masked stores of one lane that is known become stores of a number, which LLVM's code generator may
    /// get wrong. Whether there were some.
    pub fn store_single_lanes(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_store_single_lanes(self.raw()) }
    }

    /// Whether a function has marked loops.
    pub fn has_marked_loops(&self) -> bool {
        // SAFETY: the functions belong to this module and have bodies.
        self.raw_functions().into_iter().any(|f| unsafe { ffi::lw_has_marked_loops(f) })
    }
}

/// What a loop is when its vectorization was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Fate {
    /// As the user wrote it.
    Unchanged,
    /// The same, but LLVM is to see for itself whether iterations are independent: clang says so of loops with arrays in `reduction`
    /// clauses too, and LLVM lets iterations share those.
    Doubted,
    /// The same, but LLVM is not to vectorize it either: that would be slower.
    Slower,
    /// It does what is left of a vector loop.
    Rest,
    /// It does what a vector loop could do, where that is not faster.
    Alternative,
}

impl Bridge<'_, '_> {
    /// The functions with marked loops.
    pub fn functions_with_marked_loops(&self) -> Vec<FunctionId> {
        // SAFETY: the functions belong to the module of this bridge and have bodies.
        let marked = |&id: &FunctionId| unsafe { ffi::lw_has_marked_loops(self.raw(id)) };
        self.functions().into_iter().filter(marked).collect()
    }

    /// The marked loops of an imported function, or `all` loops that nobody excluded; outer ones first.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn loops(&mut self, origins: &Origins, all: bool) -> Result<Vec<MarkedLoop>> {
        let function = self.check(origins)?;
        let mut list = std::ptr::null();
        // SAFETY: the function is alive; the list lies in the scratch, which lives until the copy is made.
        let marks = unsafe {
            let count = ffi::lw_loops(function, all, self.scratch.raw(), &mut list);
            ffi::slice(list, count).to_vec()
        };
        let find = |inst| origins.side.insts.iter().position(|&known| known == inst);
        let of = |mark: &ffi::LoopMarkDesc| {
            Some(MarkedLoop {
                latch: find(mark.terminator)? as u32,
                width: (mark.width > 0).then_some(mark.width),
                iterations: (mark.iterations > 0).then_some(mark.iterations),
                parallel: mark.flags & 1 != 0,
                openmp: mark.flags & 2 != 0,
                nontemporal: mark.flags & 4 != 0,
                may_panic: mark.flags & 8 != 0,
                may_end: mark.flags & 16 != 0,
                may_throw: mark.flags & 32 != 0,
                may_have_clauses: mark.flags & 64 != 0,
                counted: mark.flags & 128 != 0,
                called: mark.flags & 256 != 0,
            })
        };
        Ok(marks.iter().filter_map(of).collect())
    }

    fn inst(&self, origins: &Origins, origin: u32) -> Result<Option<LLVMValueRef>> {
        self.check(origins)?;
        Ok(origins.side.insts.get(origin as usize).copied())
    }

    /// Whether `width` iterations of a loop can be done together, as far as LLVM's dependence analysis can tell.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn dependences(&self, origins: &Origins, latch: u32, width: u32) -> Result<Dependences> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(Dependences::None) };
        let mut tested = false;
        // SAFETY: the instruction is alive; the text is given to us.
        let text = unsafe { ffi::lw_loop_conflict(terminator, width, &mut tested).take() };
        Ok(match (text.is_empty(), tested) {
            (true, false) => Dependences::None,
            (true, true) => Dependences::NoneIfApart,
            (false, _) => Dependences::Conflict(String::from_utf8_lossy(&text).into_owned()),
        })
    }

    /// Why iterations cannot share what is on the stack, if they cannot, and it is about another object than those `except`ed, by their
    /// origins. OpenMP lets each have its own of some objects (`reduction`), which look like others; of other loops only what lies at a
    /// `fixed` place is asked about, that of a variable which every iteration uses.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn conflict_on_stack(
        &self,
        origins: &Origins,
        latch: u32,
        width: u32,
        fixed: bool,
        except: &[u32],
    ) -> Result<Option<StackConflict>> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(None) };
        let insts = &origins.side.insts;
        let except: Vec<LLVMValueRef> =
            except.iter().filter_map(|&origin| insts.get(origin as usize).copied()).collect();
        let mut object = std::ptr::null_mut();
        // SAFETY: the instructions are alive; the text is given to us.
        let text = unsafe {
            let (list, count) = (except.as_ptr(), except.len());
            ffi::lw_loop_conflict_on_stack(terminator, width, fixed, list, count, &mut object)
                .take()
        };
        let object = insts.iter().position(|&inst| inst == object).map(|at| at as u32);
        let reason = String::from_utf8_lossy(&text).into_owned();
        Ok((!text.is_empty()).then_some(StackConflict { reason, object }))
    }

    /// Computes in front of a loop whether what it touches is [apart](Dependences::NoneIfApart). The function is to be imported
    /// again; [`Bridge::origin_of`] then tells where the answer is.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn test_apart(
        &mut self,
        origins: &Origins,
        latch: u32,
        width: u32,
    ) -> Result<Option<ApartTest>> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(None) };
        // SAFETY: the instruction is alive, and nobody else uses the module.
        let test = unsafe { ffi::lw_test_apart(terminator, width) };
        Ok((!test.is_null()).then_some(ApartTest(test)))
    }

    /// The origin of a test in the function as it was imported after the test was made.
    pub fn origin_of(&self, origins: &Origins, test: ApartTest) -> Option<u32> {
        origins.side.insts.iter().position(|&inst| inst == test.0).map(|at| at as u32)
    }

    /// The origins of conditional branches, and how likely each goes to its first target, as far as a profile or the user says.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn likelihoods(&self, origins: &Origins) -> Result<Vec<(u32, f64)>> {
        self.check(origins)?;
        // SAFETY: the body was not replaced, so the instructions are alive.
        Ok(unsafe { likelihoods(&origins.side.insts) })
    }

    /// The origins of loads of numbers that are 0 or 1, as clang says of `bool`.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn truths(&self, origins: &Origins) -> Result<Vec<u32>> {
        self.check(origins)?;
        let insts = (0..).zip(&origins.side.insts);
        // SAFETY: the body was not replaced, so the instructions are alive.
        let truths = insts.filter(|&(_, &inst)| unsafe { ffi::lw_loads_truth(inst) });
        Ok(truths.map(|(origin, _)| origin).collect())
    }

    /// Says what became of a loop: what is left of one that was vectorized is not vectorized again, and one that was not has the
    /// marks that the user gave it.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn settle_loop(&mut self, origins: &Origins, latch: u32, fate: Fate) -> Result<()> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(()) };
        // SAFETY: the instruction is alive.
        unsafe { ffi::lw_settle_loop(terminator, fate) };
        Ok(())
    }

    /// Takes back what [`Module::keep_loops`] did to the loops of a function that were not vectorized, when it is known what became
    /// of each. What was imported of the function before cannot be used any more.
    pub fn restore_loops(&mut self, id: FunctionId) {
        self.forget_imports(id);
        // SAFETY: the function belongs to the module of this bridge and has a body, and nobody else uses it.
        unsafe { ffi::lw_restore_loops(self.raw(id)) };
    }

    /// A remark at the line of an instruction, or of the loop whose latch it ends if it is about the `whole` loop.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn remark_at(
        &self,
        origins: &Origins,
        origin: u32,
        whole: bool,
        kind: RemarkKind,
        name: &str,
        message: &str,
    ) -> Result<()> {
        let Some(inst) = self.inst(origins, origin)? else { return Ok(()) };
        let (name, message) = (Text::new(name.as_bytes()), Text::new(message.as_bytes()));
        // SAFETY: the instruction is alive; the texts are copied.
        unsafe { ffi::lw_remark_at(inst, whole, kind as u32, name, message) };
        Ok(())
    }
}

/// The conditional branches among instructions of which a profile or the user says how likely they go to their first target.
///
/// # Safety
/// The instructions are alive.
pub(crate) unsafe fn likelihoods(insts: &[LLVMValueRef]) -> Vec<(u32, f64)> {
    let likelihood = |(origin, &inst): (usize, &LLVMValueRef)| {
        // SAFETY: as promised.
        let likely = unsafe { ffi::lw_branch_likelihood(inst) };
        (likely >= 0.0).then_some((origin as u32, likely))
    };
    insts.iter().enumerate().filter_map(likelihood).collect()
}
