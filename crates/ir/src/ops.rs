//! The small vocabularies of instructions: operators, predicates, orderings. Each knows its keyword.

/// Declares an enum whose variants have keywords, with `ALL`, `name` and `from_name`.
macro_rules! keywords {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$doc])* #[doc = concat!("`", $text, "`")] $variant,)* }

        impl $name {
            /// All of them, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The keyword of the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The one with this keyword.
            pub fn from_name(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

keywords! {
    /// Operators on two values of the same type.
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
        FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
    }
}

impl BinOp {
    /// Whether the operands are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem)
    }

    /// Whether a divisor of zero is undefined behaviour.
    pub fn may_trap(self) -> bool {
        matches!(self, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
    }
}

keywords! {
    /// Conversions of one value to another type.
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
        PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr",
        BitCast = "bitcast", AddrSpaceCast = "addrspacecast",
    }
}

keywords! {
    /// Comparisons of integers and pointers.
    IntPred {
        Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
}

keywords! {
    /// Comparisons of floating-point numbers; `o…` is false and `u…` true if one is not a number.
    FloatPred {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
    }
}

keywords! {
    /// What an `atomicrmw` does to the memory cell.
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd", FSub = "fsub", FMax = "fmax",
        FMin = "fmin", FMaximum = "fmaximum", FMinimum = "fminimum", UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap",
        USubCond = "usub_cond", USubSat = "usub_sat",
    }
}

keywords! {
    /// How strongly a memory access is ordered.
    Ordering {
        NotAtomic = "not_atomic", Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire",
        Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
}

keywords! {
    /// Whether and how a call may reuse the frame of its caller.
    TailKind { None = "call", Tail = "tail", MustTail = "musttail", NoTail = "notail", }
}

keywords! {
    /// Operators that combine the values of all active threads (of all threads if `total`).
    ReduceOp {
        Add = "add", Mul = "mul", And = "and", Or = "or", Xor = "xor", SMin = "smin", SMax = "smax",
        UMin = "umin", UMax = "umax", FAdd = "fadd", FMul = "fmul", FMin = "fmin", FMax = "fmax",
    }
}

/// Operations in which threads see each other (001 §4.9.2).
///
/// The threads that take part are those that execute the instruction actively, or all threads if it is `total`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Horizontal {
    /// `any(i1)`: whether one of the threads has a true operand.
    Any,
    /// `all(i1)`: whether all threads have a true operand.
    All,
    /// `ballot(i1)`: an integer with bit *t* set if thread *t* takes part and has a true operand.
    Ballot,
    /// `popcount(i1)`: the number of threads with a true operand.
    Popcount,
    /// `lane()`: the number of the thread, from zero. Other threads do not matter.
    Lane,
    /// `lanes()`: the number W of threads in the array, active or not.
    Lanes,
    /// `broadcast(x)`: the operand of the first thread that takes part.
    Broadcast,
    /// `extract(x, lane)`: the operand of thread `lane`; poison if it takes no part.
    Extract,
    /// `insert(x, lane, y)`: `y` on thread `lane` and `x` on all others.
    Insert,
    /// `shuffle(x, lane)`: like `extract`, where `lane` is meant to differ between threads.
    Shuffle,
    /// `compact(x, i1)`: thread *k* gets the operand of the *k*-th thread whose flag is true; poison past the last.
    Compact,
    /// `reduce_op(x)`: the operands of the threads combined in thread order.
    Reduce(ReduceOp),
}

impl Horizontal {
    /// Those that are not reductions.
    pub const PLAIN: [Horizontal; 11] = [
        Horizontal::Any,
        Horizontal::All,
        Horizontal::Ballot,
        Horizontal::Popcount,
        Horizontal::Lane,
        Horizontal::Lanes,
        Horizontal::Broadcast,
        Horizontal::Extract,
        Horizontal::Insert,
        Horizontal::Shuffle,
        Horizontal::Compact,
    ];

    /// The keyword, for reductions without the operator.
    pub fn name(self) -> &'static str {
        match self {
            Horizontal::Any => "any",
            Horizontal::All => "all",
            Horizontal::Ballot => "ballot",
            Horizontal::Popcount => "popcount",
            Horizontal::Lane => "lane",
            Horizontal::Lanes => "lanes",
            Horizontal::Broadcast => "broadcast",
            Horizontal::Extract => "extract",
            Horizontal::Insert => "insert",
            Horizontal::Shuffle => "shuffle",
            Horizontal::Compact => "compact",
            Horizontal::Reduce(_) => "reduce_",
        }
    }

    /// The operation with this keyword, operator included.
    pub fn from_name(text: &str) -> Option<Horizontal> {
        if let Some(op) = text.strip_prefix("reduce_") {
            return ReduceOp::from_name(op).map(Horizontal::Reduce);
        }
        Horizontal::PLAIN.into_iter().find(|h| h.name() == text)
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Horizontal::Lane | Horizontal::Lanes => 0,
            Horizontal::Extract | Horizontal::Shuffle | Horizontal::Compact => 2,
            Horizontal::Insert => 3,
            _ => 1,
        }
    }
}
