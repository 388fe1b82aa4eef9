//! Calls of functions of the module: what they yield, by the shapes of their arguments.
//!
//! A function is analysed once for each list of argument shapes it is called with. Recursion is solved by iteration: a summary
//! starts at ⊥, what was computed from it is computed again when it rises, and it can rise only a few times. Where too many
//! lists of shapes come together ([`Limits`]) they are made coarser: only uniform or varying, and in the end varying.
//!
//! # What a summary may say
//!
//! The function is executed by the threads that are active at the call, together. What it yields is what its only return
//! reads; if threads may part in it and there are several returns, values of different returns meet at the call. If it reads memory
//! or what other threads do (`sees_others`), this holds only where the call itself is executed at once. Functions with
//! predicates, `total` instructions, masks or shadows have no summary: they speak of threads that are not active.

use crate::divergence::{Divergence, analyze_in};
use crate::known;
use crate::lattice::Lattice;
use crate::products::is_lock_step_only;
use crate::sources::Sources;
use crate::{Fact, Options};
use lw_ir::attrs::Attr;
use lw_ir::{Function, Inst, Op, Type, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What a call yields.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Summary<L> {
    /// The shape of the result.
    pub(crate) result: L,
    /// Whether that holds only if all threads execute the call at the same time.
    pub(crate) sees_others: bool,
}

/// Where the analysis of a function asks about calls.
pub(crate) trait Callees<L> {
    /// What a call of a function with arguments of these types and shapes yields; `None` if nothing is known.
    fn call(&self, name: &str, types: &[Type], ret: Type, args: &[L]) -> Option<Summary<L>>;
}

/// How much work goes into summaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many lists of argument shapes of one function are told apart.
    pub shapes: usize,
    /// How deep calls may nest before their results count as varying.
    pub depth: usize,
    /// Functions with more instructions have no summary.
    pub insts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { shapes: 8, depth: 24, insts: 50_000 }
    }
}

/// A function and the shapes of its arguments, by its number in the table.
type Key = usize;

struct Entry<L> {
    function: usize,
    args: Vec<L>,
    result: L,
    /// Entries whose analysis read the result.
    readers: Vec<Key>,
}

/// The functions of a module, analysed as they are called.
///
/// ```
/// use lw_divergence::{Basic, Options, Program, Sources};
///
/// let module = lw_ir::parse_module(
///     "func @square(i32 %x) -> i32 {
///      entry:
///        %y = mul i32 %x, %x
///        ret i32 %y
///      }
///      func @f(i32 %n, i32 %tid) -> i32 {
///      entry:
///        %a = call i32 (i32) @square(i32 %n)
///        %b = call i32 (i32) @square(i32 %tid)
///        ret i32 %a
///      }",
/// )
/// .unwrap();
/// let program = Program::new(&module.functions, Sources::default(), Options::default());
/// let f = module.function("f").unwrap();
/// let found = program.analyze(f, &Sources::params([Basic::Uniform, Basic::Varying]));
/// let result = |i: usize| f.result(f.insts(f.blocks()[0])[i]);
/// assert!(found.is_uniform(result(0)) && !found.is_uniform(result(1)));
/// ```
pub struct Program<'m, L> {
    functions: Vec<&'m Function>,
    by_name: FxHashMap<&'m str, usize>,
    sees_others: Vec<bool>,
    calls: Sources<L>,
    options: Options,
    limits: Limits,
    table: RefCell<Table<L>>,
    /// What was found in functions that explanations went into.
    inside: RefCell<FxHashMap<Key, Rc<Divergence<L>>>>,
}

struct Table<L> {
    entries: Vec<Entry<L>>,
    by_function: FxHashMap<usize, Vec<Key>>,
    /// The entries whose analyses are under way, innermost last.
    stack: Vec<Key>,
    /// Entries that read something that has risen since.
    stale: Vec<Key>,
    /// Whether a summary rose that the analysis of no entry, but that of a whole function read.
    root_is_stale: bool,
    root_reads: Vec<Key>,
}

impl<'m, L: Lattice> Program<'m, L> {
    /// The functions of a module. Of `sources` what it says of calls and lanes is used for all of them.
    pub fn new(
        functions: impl IntoIterator<Item = &'m Function>,
        sources: Sources<L>,
        options: Options,
    ) -> Program<'m, L> {
        let functions: Vec<&Function> = functions.into_iter().collect();
        let named = functions.iter().enumerate();
        let by_name = named.filter_map(|(i, f)| Some((f.name.as_str()?, i))).collect();
        let sees_others = functions.iter().map(|f| sees_others(f)).collect();
        let table = Table {
            entries: Vec::new(),
            by_function: FxHashMap::default(),
            stack: Vec::new(),
            stale: Vec::new(),
            root_is_stale: false,
            root_reads: Vec::new(),
        };
        Program {
            functions,
            by_name,
            sees_others,
            calls: Sources { calls: sources.calls, lane: sources.lane, ..Sources::default() },
            options,
            limits: Limits::default(),
            table: RefCell::new(table),
            inside: RefCell::default(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Program<'m, L> {
        Program { limits, ..self }
    }

    /// Analyses a function, and what it calls.
    pub fn analyze(&self, function: &Function, sources: &Sources<L>) -> Divergence<L> {
        loop {
            self.table.borrow_mut().root_reads.clear();
            let found = analyze_in(function, sources, &self.options, Some(self));
            self.table.borrow_mut().root_is_stale = false;
            self.settle();
            if !self.table.borrow().root_is_stale {
                return found;
            }
        }
    }

    /// How many functions were analysed for how many lists of argument shapes.
    pub fn summaries(&self) -> (usize, usize) {
        let table = self.table.borrow();
        (table.by_function.len(), table.entries.len())
    }

    /// Analyses what read a summary that has risen, until nothing rises.
    fn settle(&self) {
        loop {
            let next = self.table.borrow_mut().stale.pop();
            let Some(key) = next else { return };
            self.solve(key);
        }
    }

    /// Analyses a function for a list of argument shapes.
    fn solve(&self, key: Key) {
        let (function, args) = {
            let mut table = self.table.borrow_mut();
            table.stack.push(key);
            (table.entries[key].function, table.entries[key].args.clone())
        };
        let function = self.functions[function];
        let sources = Sources { params: args, ..self.calls.clone() };
        let found = analyze_in(function, &sources, &self.options, Some(self));
        let result = returned(function, &found, &self.options);
        let table = &mut *self.table.borrow_mut();
        table.stack.pop();
        let entry = &mut table.entries[key];
        let mut risen = entry.result.clone();
        risen.join(&result);
        if risen != entry.result {
            entry.result = risen;
            let readers = std::mem::take(&mut entry.readers);
            for reader in readers {
                if !table.stale.contains(&reader) {
                    table.stale.push(reader);
                }
            }
            table.root_is_stale |= table.root_reads.contains(&key);
        }
    }

    /// The function of this name and type, if it has summaries.
    fn callee(&self, name: &str, types: &[Type], ret: Type) -> Option<usize> {
        let &number = self.by_name.get(name)?;
        let function = self.functions[number];
        let signature = &function.signature;
        let fits = !signature.varargs && *signature.params == *types && signature.ret == ret;
        let small = function.inst_count() <= self.limits.insts;
        (fits && small && function.entry().is_some() && !is_lock_step_only(function))
            .then_some(number)
    }

    /// The shapes of parameters for arguments of these shapes. A copy of what the caller points at is the thread's own.
    fn received(&self, number: usize, args: &[L]) -> Vec<L> {
        let own = |i: usize| {
            let mut attrs = self.functions[number].attrs.param(i).iter();
            attrs.any(|attr| matches!(attr, Attr::Type(name, _) if &**name == "byval"))
        };
        let args = args.iter().enumerate();
        args.map(|(i, shape)| if own(i) { L::varying() } else { shape.clone() }).collect()
    }

    /// The function that a call goes to, and what was found in it for the arguments of the call.
    pub(crate) fn inside(
        &self,
        function: &Function,
        found: &Divergence<L>,
        call: Inst,
    ) -> Option<(&'m Function, Rc<Divergence<L>>)> {
        let data = &function[call];
        let passed = data.args.len() - 1 - data.op.call()?.bundle_operands();
        let operands = &data.args[1..=passed];
        let types: Vec<Type> = operands.iter().map(|&operand| function.ty(operand)).collect();
        let number = self.callee(known::callee(function, call)?, &types, data.ty)?;
        let shape = |&operand: &Value| match function.as_constant(operand) {
            Some(_) => Some(constant(function, operand, &self.options)),
            None => found.fact_at_use(function, call, operand).map(|fact| fact.value()),
        };
        let args: Vec<L> = operands.iter().map(shape).collect::<Option<_>>()?;
        let (key, new) = self.entry(number, &self.received(number, &args));
        if new {
            self.solve(key);
            self.settle();
        }
        let callee = self.functions[number];
        if let Some(known) = self.inside.borrow().get(&key) {
            return Some((callee, known.clone()));
        }
        let params = self.table.borrow().entries[key].args.clone();
        let sources = Sources { params, ..self.calls.clone() };
        let found = Rc::new(analyze_in(callee, &sources, &self.options, Some(self)));
        self.inside.borrow_mut().insert(key, found.clone());
        Some((callee, found))
    }

    /// The entry for a call; whether it is new.
    fn entry(&self, function: usize, args: &[L]) -> (Key, bool) {
        let table = &mut *self.table.borrow_mut();
        let known = table.by_function.entry(function).or_default();
        let mut args = args.to_vec();
        if known.len() >= self.limits.shapes {
            let coarse = |shape: &L| if shape.is_uniform() { L::uniform() } else { L::varying() };
            args = args.iter().map(coarse).collect();
        }
        if known.len() >= 2 * self.limits.shapes {
            args = vec![L::varying(); args.len()];
        }
        let same = known.iter().find(|&&key| table.entries[key].args == args);
        if let Some(&key) = same {
            return (key, false);
        }
        let key = table.entries.len();
        known.push(key);
        table.entries.push(Entry { function, args, result: L::bottom(), readers: Vec::new() });
        (key, true)
    }
}

impl<L: Lattice> Callees<L> for Program<'_, L> {
    fn call(&self, name: &str, types: &[Type], ret: Type, args: &[L]) -> Option<Summary<L>> {
        let number = self.callee(name, types, ret)?;
        if self.table.borrow().stack.len() >= self.limits.depth {
            return None;
        }
        let (key, new) = self.entry(number, &self.received(number, args));
        if new {
            self.solve(key);
        }
        let table = &mut *self.table.borrow_mut();
        match table.stack.last() {
            Some(&reader) => {
                if !table.entries[key].readers.contains(&reader) {
                    table.entries[key].readers.push(reader);
                }
            }
            None => table.root_reads.push(key),
        }
        let result = table.entries[key].result.clone();
        Some(Summary { result, sees_others: self.sees_others[number] })
    }
}

/// The shape of a constant.
fn constant<L: Lattice>(function: &Function, operand: Value, options: &Options) -> L {
    let known = function.as_constant(operand).and_then(|constant| constant.as_u128());
    let known = options.bits(function.ty(operand)).zip(known);
    known.map_or_else(L::uniform, |(bits, known)| L::constant(bits, known))
}

/// The shape of what a function returns.
fn returned<L: Lattice>(function: &Function, found: &Divergence<L>, options: &Options) -> L {
    let view = found.view();
    let mut all = Fact::bottom();
    let mut count = 0;
    for &block in function.blocks() {
        let Some(at) = function.terminator(block) else { continue };
        let data = &function[at];
        if data.op != Op::Ret || !view.code().is_reachable(lw_sparse::function::node(block)) {
            continue;
        }
        count += 1;
        let Some(&operand) = data.args.first() else { continue };
        match function.as_constant(operand) {
            Some(_) => all.join(&Fact::plain(constant(function, operand, options))),
            None => {
                let fact = found.fact_at_use(function, at, operand);
                all.join(&fact.unwrap_or_else(Fact::bottom));
            }
        }
    }
    // Threads that parted come back from different returns.
    let mixed = count > 1 && !found.control().branches().is_empty();
    let all = if mixed { all.scatter() } else { all };
    all.value()
}

/// Whether what a function computes may depend on when it is executed: it reads memory, or other threads.
fn sees_others(function: &Function) -> bool {
    let sees = |at: Inst| match &function[at].op {
        Op::Load(_) | Op::AtomicRmw(..) | Op::CmpXchg(_) | Op::VaArg | Op::Opaque(_) => true,
        Op::Horizontal(_) => true,
        Op::Call(_) | Op::Invoke(_) => !known::callee(function, at).is_some_and(known::is_pure),
        _ => false,
    };
    function.all_insts().any(|(_, at)| sees(at))
}
