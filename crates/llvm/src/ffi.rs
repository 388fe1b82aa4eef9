//! The C interface of the shim. Mirrors `shim/shim.h`, struct by struct.

use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::c_void;
use std::marker::PhantomData;

/// What an instruction or constant expression does.
#[expect(dead_code, reason = "some are only made by the shim")]
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Code {
    #[default]
    FNeg,
    Binary,
    Cast,
    ICmp,
    FCmp,
    Select,
    Freeze,
    Phi,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    Alloca,
    Load,
    Store,
    Gep,
    AtomicRmw,
    CmpXchg,
    Fence,
    VaArg,
    Call,
    Br,
    CondBr,
    Switch,
    IndirectBr,
    Ret,
    Unreachable,
    Invoke,
    Resume,
    LandingPad,
    Opaque,
}

pub(crate) mod bits {
    pub(crate) const VOLATILE: u8 = 1;
    pub(crate) const WEAK: u8 = 2;
    pub(crate) const INALLOCA: u8 = 4;
    pub(crate) const SWIFTERROR: u8 = 8;
    pub(crate) const CLEANUP: u8 = 16;
    pub(crate) const TERMINATOR: u8 = 32;
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    data: *const u8,
    size: usize,
    owner: PhantomData<&'a [u8]>,
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::new(&[])
    }
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Text<'a> {
        Text { data: bytes.as_ptr(), size: bytes.len(), owner: PhantomData }
    }

    /// The bytes.
    ///
    /// # Safety
    /// What the text points to must be alive.
    pub(crate) unsafe fn bytes(&self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller vouches for the memory.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }

    /// The bytes of a text that was given to us, which is freed.
    ///
    /// # Safety
    /// The text must come from a function of the shim that gives it away.
    pub(crate) unsafe fn take(self) -> Vec<u8> {
        // SAFETY: the text is ours until it is freed here, once.
        unsafe {
            let bytes = self.bytes().to_vec();
            lw_text_free(self);
            bytes
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundle {
    pub(crate) tag: Text<'static>,
    pub(crate) operands: u32,
}

/// `LwInst`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstDesc {
    pub(crate) code: Code,
    pub(crate) kind: u32,
    pub(crate) convention: u32,
    pub(crate) flags: u16,
    pub(crate) bits: u8,
    pub(crate) effects: u8,
    pub(crate) align_log2: u8,
    pub(crate) ordering: u8,
    pub(crate) failure: u8,
    pub(crate) scope: u8,
    pub(crate) ty: LLVMTypeRef,
    pub(crate) extra: LLVMTypeRef,
    pub(crate) attrs: *mut c_void,
    pub(crate) opcode: Text<'static>,
    pub(crate) name: Text<'static>,
    pub(crate) args: *mut LLVMValueRef,
    pub(crate) num_args: usize,
    pub(crate) targets: *mut LLVMBasicBlockRef,
    pub(crate) num_targets: usize,
    pub(crate) indices: *const i32,
    pub(crate) num_indices: usize,
    pub(crate) bundles: *const Bundle,
    pub(crate) num_bundles: usize,
}

impl Default for InstDesc {
    fn default() -> Self {
        InstDesc {
            code: Code::FNeg,
            kind: 0,
            convention: 0,
            flags: 0,
            bits: 0,
            effects: 0,
            align_log2: 0,
            ordering: 0,
            failure: 0,
            scope: 1,
            ty: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
            attrs: std::ptr::null_mut(),
            opcode: Text::default(),
            name: Text::default(),
            args: std::ptr::null_mut(),
            num_args: 0,
            targets: std::ptr::null_mut(),
            num_targets: 0,
            indices: std::ptr::null(),
            num_indices: 0,
            bundles: std::ptr::null(),
            num_bundles: 0,
        }
    }
}

/// The slice at `data`.
///
/// # Safety
/// `data` must point to `size` values that live for `'a`.
pub(crate) unsafe fn slice<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the memory.
    unsafe { std::slice::from_raw_parts(data, size) }
}

#[expect(dead_code, reason = "some are only made by the shim")]
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConstKind {
    Int,
    Float,
    Zero,
    Undef,
    Poison,
    Global,
    BlockAddress,
    Aggregate,
    Data,
    Expr,
    Foreign,
}

/// `LwConst`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstDesc {
    pub(crate) kind: ConstKind,
    pub(crate) ty: LLVMTypeRef,
    pub(crate) words: *const u64,
    pub(crate) num_words: usize,
    pub(crate) bytes: Text<'static>,
    pub(crate) function: LLVMValueRef,
    pub(crate) block: LLVMBasicBlockRef,
    pub(crate) expr: InstDesc,
    pub(crate) inrange_bits: u32,
}

impl ConstDesc {
    pub(crate) fn new(kind: ConstKind, ty: LLVMTypeRef) -> ConstDesc {
        ConstDesc {
            kind,
            ty,
            words: std::ptr::null(),
            num_words: 0,
            bytes: Text::default(),
            function: std::ptr::null_mut(),
            block: std::ptr::null_mut(),
            expr: InstDesc::default(),
            inrange_bits: 0,
        }
    }
}

#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttrKind {
    Flag,
    Int,
    Type,
    Ranges,
    Text,
}

/// `LwAttr`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttrDesc<'a> {
    pub(crate) index: u32,
    pub(crate) kind: AttrKind,
    pub(crate) name: Text<'a>,
    pub(crate) value: Text<'a>,
    pub(crate) number: u64,
    pub(crate) ty: LLVMTypeRef,
    pub(crate) bits: u32,
    pub(crate) words: *const u64,
    pub(crate) num_words: usize,
}

/// How much there is in a module.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Functions that have a body.
    pub functions: u64,
    /// Basic blocks.
    pub blocks: u64,
    /// Instructions.
    pub instructions: u64,
    /// Calls, invokes included.
    pub calls: u64,
    /// Instructions with a debug location.
    pub debug_locations: u64,
    /// Debug records.
    pub debug_records: u64,
}

/// `LwUseRange`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct UseRangeDesc {
    pub(crate) block: u32,
    pub(crate) inst: u32,
    pub(crate) arg: u32,
    pub(crate) bits: u32,
    pub(crate) lower: [u64; 2],
    pub(crate) upper: [u64; 2],
}

/// `LwPeerTime`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PeerTime {
    pub(crate) count: u64,
    pub(crate) nanoseconds: u64,
    pub(crate) extra: u64,
}

/// `LwUniformityTime`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UniformityTime {
    pub(crate) instructions: u64,
    pub(crate) nanoseconds: u64,
    pub(crate) dominators: u64,
    pub(crate) cycles: u64,
}

/// `LwDivergentCycle`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DivergentCycle {
    pub(crate) header: u32,
    pub(crate) left: bool,
    pub(crate) assumed: bool,
}

/// `LwUniformityOf`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformityOf {
    pub(crate) divergent: u64,
    pub(crate) cycles: u64,
    pub(crate) text: u64,
}

#[repr(C)]
pub(crate) struct LazyRangesImpl(c_void);
#[repr(C)]
pub(crate) struct UniformityImpl(c_void);
#[repr(C)]
pub(crate) struct TextsImpl(c_void);
#[repr(C)]
pub(crate) struct TablesImpl(c_void);
/// Mirrors `LwLoopMark`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LoopMarkDesc {
    pub(crate) terminator: LLVMValueRef,
    pub(crate) width: u32,
    pub(crate) iterations: u32,
    pub(crate) flags: u32,
}
#[repr(C)]
pub(crate) struct ScratchImpl(c_void);
#[repr(C)]
pub(crate) struct RemapImpl(c_void);

unsafe extern "C" {
    pub(crate) fn lw_scratch_new() -> *mut ScratchImpl;
    pub(crate) fn lw_scratch_free(scratch: *mut ScratchImpl);
    pub(crate) fn lw_text_free(text: Text<'_>);

    pub(crate) fn lw_describe(inst: LLVMValueRef, scratch: *mut ScratchImpl, out: *mut InstDesc);
    pub(crate) fn lw_describe_constant(
        value: LLVMValueRef,
        scratch: *mut ScratchImpl,
        out: *mut ConstDesc,
    );
    pub(crate) fn lw_build(block: LLVMBasicBlockRef, desc: *const InstDesc) -> LLVMValueRef;
    pub(crate) fn lw_build_constant(desc: *const ConstDesc) -> LLVMValueRef;
    pub(crate) fn lw_poison(ty: LLVMTypeRef) -> LLVMValueRef;
    pub(crate) fn lw_add_incoming(phi: LLVMValueRef, value: LLVMValueRef, from: LLVMBasicBlockRef);
    pub(crate) fn lw_set_arg(inst: LLVMValueRef, index: u32, value: LLVMValueRef);
    pub(crate) fn lw_build_opaque(
        block: LLVMBasicBlockRef,
        origin: LLVMValueRef,
        args: *const LLVMValueRef,
        targets: *const LLVMBasicBlockRef,
    ) -> LLVMValueRef;
    pub(crate) fn lw_set_opaque_arg(
        inst: LLVMValueRef,
        origin: LLVMValueRef,
        index: u32,
        value: LLVMValueRef,
    );

    pub(crate) fn lw_describe_attributes(
        list: *mut c_void,
        scratch: *mut ScratchImpl,
        out: *mut *const AttrDesc<'static>,
    ) -> usize;
    pub(crate) fn lw_build_attributes(
        context: LLVMContextRef,
        attrs: *const AttrDesc<'_>,
        count: usize,
        out: *mut *mut c_void,
        bad: *mut usize,
    ) -> bool;
    pub(crate) fn lw_function_attributes(function: LLVMValueRef) -> *mut c_void;
    pub(crate) fn lw_set_function_attributes(function: LLVMValueRef, list: *mut c_void);
    pub(crate) fn lw_set_intrinsic_attributes(function: LLVMValueRef);

    pub(crate) fn lw_remap_new() -> *mut RemapImpl;
    pub(crate) fn lw_remap_free(remap: *mut RemapImpl);
    pub(crate) fn lw_attach(inst: LLVMValueRef, origin: LLVMValueRef, remap: *mut RemapImpl);
    pub(crate) fn lw_attach_place(inst: LLVMValueRef, origin: LLVMValueRef);
    pub(crate) fn lw_rebind_metadata(remap: *mut RemapImpl);
    pub(crate) fn lw_has_address_taken(block: LLVMBasicBlockRef) -> bool;
    pub(crate) fn lw_move_block_address(from: LLVMBasicBlockRef, to: LLVMBasicBlockRef);
    pub(crate) fn lw_delete_blocks_before(end: LLVMBasicBlockRef);
    pub(crate) fn lw_delete_blocks_from(first: LLVMBasicBlockRef);
    pub(crate) fn lw_adopt_function(to: LLVMValueRef, from: LLVMValueRef, remap: *mut RemapImpl);

    pub(crate) fn lw_collect_diagnostics(context: LLVMContextRef);
    pub(crate) fn lw_take_diagnostics(context: LLVMContextRef) -> Text<'static>;
    pub(crate) fn lw_parse_ir(
        context: LLVMContextRef,
        data: Text<'_>,
        name: Text<'_>,
        line: *mut u32,
        column: *mut u32,
        message: *mut Text<'static>,
    ) -> LLVMModuleRef;
    pub(crate) fn lw_verify_module(module: LLVMModuleRef) -> Text<'static>;
    pub(crate) fn lw_set_layout(module: LLVMModuleRef, layout: Text<'_>) -> Text<'static>;
    pub(crate) fn lw_count(module: LLVMModuleRef, counts: *mut Counts);
    pub(crate) fn lw_unnamed_globals(
        module: LLVMModuleRef,
        scratch: *mut ScratchImpl,
        out: *mut *const LLVMValueRef,
    ) -> usize;
    pub(crate) fn lw_named_global(module: LLVMModuleRef, name: Text<'_>) -> LLVMValueRef;
    pub(crate) fn lw_erase_declaration(global: LLVMValueRef);
    pub(crate) fn lw_variant_names(function: LLVMValueRef) -> Text<'static>;
    pub(crate) fn lw_export(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn lw_is_definitive(function: LLVMValueRef) -> bool;
    pub(crate) fn lw_add_variable(module: LLVMModuleRef, name: Text<'_>, bytes: u64);
    pub(crate) fn lw_forget_effects(function: LLVMValueRef);
    pub(crate) fn lw_link_like(to: LLVMValueRef, like: LLVMValueRef);
    pub(crate) fn lw_remark(function: LLVMValueRef, kind: u32, name: Text<'_>, message: Text<'_>);
    pub(crate) fn lw_keep_loops(module: LLVMModuleRef, all: bool) -> bool;
    pub(crate) fn lw_take_loop_calls(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_make_invokes(function: LLVMValueRef);
    pub(crate) fn lw_hold_latches(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_release_latches(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_hide_dead_ends(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_show_dead_ends(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_store_single_lanes(module: LLVMModuleRef) -> bool;
    pub(crate) fn lw_has_marked_loops(function: LLVMValueRef) -> bool;
    pub(crate) fn lw_loops(
        function: LLVMValueRef,
        all: bool,
        scratch: *mut ScratchImpl,
        out: *mut *const LoopMarkDesc,
    ) -> usize;
    pub(crate) fn lw_settle_loop(terminator: LLVMValueRef, fate: crate::loops::Fate);
    pub(crate) fn lw_restore_loops(function: LLVMValueRef);
    pub(crate) fn lw_loop_conflict_on_stack(
        terminator: LLVMValueRef,
        width: u32,
        fixed: bool,
        except: *const LLVMValueRef,
        count: usize,
        object: *mut LLVMValueRef,
    ) -> Text<'static>;
    pub(crate) fn lw_loop_conflict(
        terminator: LLVMValueRef,
        width: u32,
        tested: *mut bool,
    ) -> Text<'static>;
    pub(crate) fn lw_branch_likelihood(branch: LLVMValueRef) -> f64;
    pub(crate) fn lw_loads_truth(inst: LLVMValueRef) -> bool;
    pub(crate) fn lw_set_likelihood(branch: LLVMValueRef, likely: f64);
    pub(crate) fn lw_tables(machine: LLVMTargetMachineRef) -> *mut TablesImpl;
    pub(crate) fn lw_tables_analyses(tables: *mut TablesImpl) -> *mut c_void;
    pub(crate) fn lw_tables_free(tables: *mut TablesImpl);
    pub(crate) fn lw_costs(
        analyses: *mut c_void,
        function: LLVMValueRef,
        insts: *const LLVMValueRef,
        count: usize,
        lanes: u32,
        out: *mut f64,
    );
    pub(crate) fn lw_simplify(analyses: *mut c_void, function: LLVMValueRef);
    pub(crate) fn lw_drop_scratch(
        analyses: *mut c_void,
        module: LLVMModuleRef,
        scratch: LLVMValueRef,
        before: LLVMValueRef,
    );
    pub(crate) fn lw_test_apart(terminator: LLVMValueRef, width: u32) -> LLVMValueRef;
    pub(crate) fn lw_remark_at(
        inst: LLVMValueRef,
        whole: bool,
        kind: u32,
        name: Text<'_>,
        message: Text<'_>,
    );
    pub(crate) fn lw_value_name(value: LLVMValueRef) -> Text<'static>;
    pub(crate) fn lw_set_value_name(value: LLVMValueRef, name: Text<'_>);
    pub(crate) fn lw_sync_scopes(context: LLVMContextRef) -> Text<'static>;
    pub(crate) fn lw_sync_scope(context: LLVMContextRef, name: Text<'_>) -> u8;
    pub(crate) fn lw_global_kind(global: LLVMValueRef, ty: *mut LLVMTypeRef) -> u32;
    pub(crate) fn lw_lazy_ranges(module: LLVMModuleRef) -> *mut LazyRangesImpl;
    pub(crate) fn lw_lazy_whole(module: LLVMModuleRef, out: *mut usize) -> u64;
    pub(crate) fn lw_lazy_uses(
        ranges: *const LazyRangesImpl,
        out: *mut *const UseRangeDesc,
    ) -> usize;
    pub(crate) fn lw_lazy_functions(
        ranges: *const LazyRangesImpl,
        out: *mut *const PeerTime,
    ) -> usize;
    pub(crate) fn lw_lazy_free(ranges: *mut LazyRangesImpl);
    pub(crate) fn lw_predicate_info(
        module: LLVMModuleRef,
        out: *mut PeerTime,
        size: usize,
    ) -> usize;
    pub(crate) fn lw_uniformity_times(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        repeat: u32,
        out: *mut UniformityTime,
        size: usize,
    ) -> usize;
    pub(crate) fn lw_uniformity(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
    ) -> *mut UniformityImpl;
    pub(crate) fn lw_uniformity_divergent(all: *const UniformityImpl, out: *mut *const u8)
    -> usize;
    pub(crate) fn lw_uniformity_cycles(
        all: *const UniformityImpl,
        out: *mut *const DivergentCycle,
    ) -> usize;
    pub(crate) fn lw_uniformity_functions(
        all: *const UniformityImpl,
        out: *mut *const UniformityOf,
    ) -> usize;
    pub(crate) fn lw_uniformity_text(all: *const UniformityImpl, out: *mut *const u8) -> usize;
    pub(crate) fn lw_uniformity_free(all: *mut UniformityImpl);
    pub(crate) fn lw_texts(module: LLVMModuleRef) -> *mut TextsImpl;
    pub(crate) fn lw_texts_text(texts: *const TextsImpl, out: *mut *const u8) -> usize;
    pub(crate) fn lw_texts_lengths(texts: *const TextsImpl, out: *mut *const u64) -> usize;
    pub(crate) fn lw_texts_counts(texts: *const TextsImpl, out: *mut *const u64) -> usize;
    pub(crate) fn lw_texts_free(texts: *mut TextsImpl);
    pub(crate) fn lw_print_module(module: LLVMModuleRef) -> Text<'static>;
}

/// Memory of the shim that descriptions point into until the next call.
pub(crate) struct Scratch(*mut ScratchImpl);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        // SAFETY: the shim allocates; `Drop` frees once.
        Scratch(unsafe { lw_scratch_new() })
    }

    pub(crate) fn raw(&mut self) -> *mut ScratchImpl {
        self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed only here.
        unsafe { lw_scratch_free(self.0) }
    }
}

/// Which old values the debug records and metadata operands of a new body mention.
pub(crate) struct Remap(*mut RemapImpl);

impl Remap {
    pub(crate) fn new() -> Remap {
        // SAFETY: the shim allocates; `Drop` frees once.
        Remap(unsafe { lw_remap_new() })
    }

    pub(crate) fn raw(&self) -> *mut RemapImpl {
        self.0
    }
}

impl Drop for Remap {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed only here.
        unsafe { lw_remap_free(self.0) }
    }
}
