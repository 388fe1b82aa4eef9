//! Instructions: an operation with its immediates, flags, operands and targets.
//!
//! Every instruction has the same shape, so that code which only follows operands or edges needs no case distinction:
//! `args` are the operands in LLVM's order and `targets` the successors of a terminator or the incoming blocks of a φ.

use crate::entities::{AttrList, Block, Inst, Origin, Value};
use crate::flags::Flags;
use crate::name::Name;
use crate::ops::{BinOp, CastOp, FloatPred, Horizontal, IntPred, Ordering, RmwOp, TailKind};
use crate::types::Type;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// The operands of an instruction.
pub type Args = SmallVec<[Value; 4]>;
/// The blocks an instruction mentions.
pub type Targets = SmallVec<[Block; 2]>;

/// One instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it does, with its immediates.
    pub op: Op,
    /// What it promises.
    pub flags: Flags,
    /// Whether it executes on all lanes, whatever the activation of its block (001 §4.9).
    pub total: bool,
    /// Its operands. See [`Op`] for what they are.
    pub args: Args,
    /// The successors of a terminator, or the incoming blocks of a φ, in the order of its operands.
    pub targets: Targets,
    /// The type of its result, or [`Type::Void`].
    pub ty: Type,
    /// Its result, unless it yields none.
    pub result: PackedOption<Value>,
    /// The instruction that it was imported from, or, if it is `derived`, that it was made from.
    pub origin: PackedOption<Origin>,
    /// Whether it was made from its origin and is not the same: all they share is the place in the source.
    pub derived: bool,
    pub(crate) block: PackedOption<Block>,
}

impl InstData {
    /// An instruction of type `ty` in no block.
    pub fn new(op: Op, ty: Type, args: &[Value]) -> InstData {
        InstData {
            op,
            flags: Flags::NONE,
            total: false,
            args: args.into(),
            targets: Targets::new(),
            ty,
            result: None.into(),
            origin: None.into(),
            derived: false,
            block: None.into(),
        }
    }

    /// The same with these targets.
    pub fn with_targets(mut self, targets: &[Block]) -> InstData {
        self.targets = targets.into();
        self
    }

    /// The same with these flags.
    pub fn with_flags(mut self, flags: Flags) -> InstData {
        self.flags = flags;
        self
    }

    /// The same, made from what that instruction was imported from or made from.
    pub fn made_from(mut self, other: &InstData) -> InstData {
        self.origin = other.origin;
        self.derived = other.origin.is_some();
        self
    }

    /// The blocks control may go to: the targets of a terminator; none for other instructions.
    #[inline]
    pub fn successors(&self) -> &[Block] {
        if self.op.is_terminator() { &self.targets } else { &[] }
    }

    /// The shadow operand of a φ that has one (001 §4.8).
    #[inline]
    pub fn shadow(&self) -> Option<Value> {
        (matches!(self.op, Op::Phi) && self.args.len() > self.targets.len())
            .then(|| self.args[self.targets.len()])
    }

    /// The (value, incoming block) pairs of a φ, without the shadow.
    #[inline]
    pub fn incoming(&self) -> impl Iterator<Item = (Value, Block)> + '_ {
        self.args.iter().copied().zip(self.targets.iter().copied())
    }
}

/// What an instruction does. The operands that it takes stand behind each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Floating-point negation: `x`.
    FNeg,
    /// A binary operator: `lhs, rhs`.
    Binary(BinOp),
    /// A conversion to the type of the instruction: `x`.
    Cast(CastOp),
    /// A comparison of integers or pointers: `lhs, rhs`.
    ICmp(IntPred),
    /// A comparison of floats: `lhs, rhs`.
    FCmp(FloatPred),
    /// `condition, then, else`.
    Select,
    /// Fixes an undefined value: `x`.
    Freeze,
    /// The value for the edge a thread came over, and last the shadow if there is one.
    Phi,

    /// `vector, index`.
    ExtractElement,
    /// `vector, element, index`.
    InsertElement,
    /// `vector, vector`, with the mask; −1 is poison.
    ShuffleVector(Box<[i32]>),
    /// `aggregate`, with the path.
    ExtractValue(Box<[u32]>),
    /// `aggregate, element`, with the path.
    InsertValue(Box<[u32]>),

    /// Memory on the stack for `count` values of a type: `count`.
    Alloca(Box<AllocaInfo>),
    /// Reads a value of the type of the instruction: `pointer`.
    Load(Access),
    /// Writes: `value, pointer`.
    Store(Access),
    /// An address computation on this element type: `pointer, indices…`.
    Gep(Type),
    /// `pointer, value`; yields the old value.
    AtomicRmw(RmwOp, Access),
    /// `pointer, expected, new`; yields `{ old, success }`.
    CmpXchg(Box<CmpXchgInfo>),
    /// A memory fence.
    Fence(Access),
    /// The next variable argument: `list`.
    VaArg,

    /// A call: `callee, arguments…, bundle operands…`.
    Call(Box<CallInfo>),

    /// To the target.
    Br,
    /// To the first target if true, else to the second: `condition`.
    CondBr,
    /// To target *i* if the value equals operand *i*, else to target 0: `value, cases…`.
    Switch,
    /// To the target whose address it is: `address`.
    IndirectBr,
    /// Ends the thread: `value`, or nothing.
    Ret,
    /// Cannot be reached.
    Unreachable,
    /// A call that goes to the first target, or to the second when an exception passes through: operands like a call.
    Invoke(Box<CallInfo>),
    /// Continues unwinding: `exception`.
    Resume,
    /// Receives an exception: the clauses.
    LandingPad(Box<LandingPadInfo>),

    /// The activation of the block: true on the threads that execute it (001 §4.9).
    Mask,
    /// An operation across threads.
    Horizontal(Horizontal),

    /// Something of LLVM that the IR does not model; its origin says what. The operands are the local ones.
    Opaque(Box<OpaqueInfo>),
}

impl Op {
    /// Whether it ends a block.
    #[inline]
    pub fn is_terminator(&self) -> bool {
        match self {
            Op::Br
            | Op::CondBr
            | Op::Switch
            | Op::IndirectBr
            | Op::Ret
            | Op::Unreachable
            | Op::Invoke(_)
            | Op::Resume => true,
            Op::Opaque(info) => info.terminator,
            _ => false,
        }
    }

    /// What a call or invoke carries.
    pub fn call(&self) -> Option<&CallInfo> {
        match self {
            Op::Call(info) | Op::Invoke(info) => Some(info),
            _ => None,
        }
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The base-2 logarithm of the alignment that is promised.
    pub align_log2: u8,
    /// Whether each execution counts.
    pub volatile: bool,
    /// How it is ordered with other accesses.
    pub ordering: Ordering,
    /// Among whom it is ordered.
    pub scope: SyncScope,
}

impl Access {
    /// An ordinary access with this alignment in bytes, a power of two.
    pub fn aligned(bytes: u64) -> Access {
        Access {
            align_log2: bytes.trailing_zeros() as u8,
            volatile: false,
            ordering: Ordering::NotAtomic,
            scope: SyncScope::SYSTEM,
        }
    }

    /// Whether nothing but the value matters: neither volatile nor atomic.
    pub fn is_simple(&self) -> bool {
        !self.volatile && self.ordering == Ordering::NotAtomic
    }
}

/// Among whom an atomic access is ordered: the system, the thread, or a scope of the target by its number in
/// [`Function::sync_scopes`](crate::Function::sync_scopes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SyncScope(pub u8);

impl SyncScope {
    /// Only this thread: `syncscope("singlethread")`.
    pub const SINGLE_THREAD: SyncScope = SyncScope(0);
    /// All threads; the text form writes nothing.
    pub const SYSTEM: SyncScope = SyncScope(1);
}

/// What an `alloca` reserves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AllocaInfo {
    /// The type of one value.
    pub ty: Type,
    /// The base-2 logarithm of the alignment.
    pub align_log2: u8,
    /// Whether it is the argument memory of a call.
    pub inalloca: bool,
    /// Whether it is a register of Swift's error convention.
    pub swifterror: bool,
}

/// What a `cmpxchg` carries beside its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CmpXchgInfo {
    /// The access, with the ordering on success.
    pub access: Access,
    /// The ordering on failure.
    pub failure: Ordering,
    /// Whether it may fail without reason.
    pub weak: bool,
}

/// What a call carries beside its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallInfo {
    /// The function type the call assumes.
    pub ty: Type,
    /// The attributes of the call site.
    pub attrs: AttrList,
    /// The calling convention by LLVM's number; 0 is C.
    pub convention: u32,
    /// Whether it may reuse the frame.
    pub tail: TailKind,
    /// The operand bundles: a tag and how many of the last operands belong to it.
    pub bundles: Box<[(Name, u32)]>,
}

impl CallInfo {
    /// An ordinary call of a function type.
    pub fn new(ty: Type, attrs: AttrList) -> CallInfo {
        CallInfo { ty, attrs, convention: 0, tail: TailKind::None, bundles: Box::default() }
    }

    /// How many operands belong to bundles.
    pub fn bundle_operands(&self) -> usize {
        self.bundles.iter().map(|(_, n)| *n as usize).sum()
    }
}

/// What a `landingpad` catches. Its operands are the values of the clauses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LandingPadInfo {
    /// Whether it is entered for every exception.
    pub cleanup: bool,
    /// For each operand whether it is a filter rather than a catch.
    pub filters: Box<[bool]>,
}

/// What is known of an instruction the IR does not model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OpaqueInfo {
    /// LLVM's name for it.
    pub opcode: Box<str>,
    /// Whether it ends a block.
    pub terminator: bool,
    /// What it may do.
    pub effects: Effects,
}

/// What an instruction may do beside yielding a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effects {
    /// It may read memory.
    pub reads: bool,
    /// It may write memory.
    pub writes: bool,
    /// It may trap, unwind or not return.
    pub traps: bool,
    /// Which threads execute it together matters.
    pub convergent: bool,
    /// It may return more than once.
    pub returns_twice: bool,
}

impl Effects {
    /// The letters of the text form: `r`eads, `w`rites, `t`raps, `c`onvergent, returns `2` times.
    pub fn letters(self) -> String {
        let all = [
            (self.reads, 'r'),
            (self.writes, 'w'),
            (self.traps, 't'),
            (self.convergent, 'c'),
            (self.returns_twice, '2'),
        ];
        all.iter().filter(|(set, _)| *set).map(|&(_, letter)| letter).collect()
    }

    /// The effects that these letters stand for.
    pub fn from_letters(letters: &str) -> Option<Effects> {
        let mut effects = Effects::default();
        for letter in letters.chars() {
            match letter {
                'r' => effects.reads = true,
                'w' => effects.writes = true,
                't' => effects.traps = true,
                'c' => effects.convergent = true,
                '2' => effects.returns_twice = true,
                _ => return None,
            }
        }
        Some(effects)
    }
}

/// Where an instruction stands: in a block at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertAt {
    /// Before everything but the φs.
    Start(Block),
    /// After everything, terminator included.
    End(Block),
    /// Right before another instruction.
    Before(Inst),
    /// Right after another instruction.
    After(Inst),
}
