//! The machine: a module made ready to execute, its memory, and the functions of the host.

use super::bytes::Sizes;
use super::code::Code;
use super::constants::{self, Scope};
use super::control::{Mask, Next};
use super::error::{ErrorKind, RunError};
use super::exec::Exec;
use super::host::{self, Host};
use super::memory::{AllocKind, Image, Memory, state};
use super::trace::Trace;
use super::value::{Provenance, Ptr, Val};
use super::{Outcome, Run, Schedule, Violation};
use crate::constant::{Constant, ConstantKind};
use crate::entities::Block;
use crate::module::Module;
use crate::symbols::SymbolName;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A module made ready to execute. Its memory outlives the runs.
///
/// ```
/// use lw_ir::interp::{Machine, Run, Val};
///
/// let module = lw_ir::parse_module(
///     "func @square(i32 %x) -> i32 {
///      entry:
///        %r = mul i32 %x, %x
///        ret i32 %r
///      }",
/// )
/// .unwrap();
/// let mut machine = Machine::new(&module);
/// let run = Run { threads: 2, ..Run::default() };
/// let outcome = machine.run("square", &[vec![Val::i32(3)], vec![Val::i32(-4)]], &run).unwrap();
/// assert_eq!(outcome.values(), [Val::i32(9), Val::i32(16)]);
/// ```
pub struct Machine<'m> {
    pub(crate) module: &'m Module,
    /// The memory.
    pub memory: Memory,
    /// What the program printed.
    pub output: Vec<u8>,
    /// The addresses of globals and functions that were asked for.
    symbols: FxHashMap<SymbolName, Ptr>,
    /// What is called by a call of an address.
    callees: FxHashMap<u64, Callee>,
    functions: FxHashMap<SymbolName, usize>,
    codes: Vec<Option<Rc<Code<'m>>>>,
    hosts: FxHashMap<String, Host>,
}

/// What a call executes.
#[derive(Clone)]
pub(crate) enum Callee {
    /// The function at this position of the module.
    Function(usize),
    /// A function of the host.
    Host(Rc<Host>),
    /// A function of this name that nobody defines.
    Unknown(String),
}

/// The address of a block is that of its function plus this plus its number.
const BLOCK_OFFSET: u64 = 16;

impl<'m> Machine<'m> {
    /// Lays out the globals. An initializer that the interpreter cannot evaluate leaves its global undefined.
    pub fn new(module: &'m Module) -> Machine<'m> {
        let functions =
            module.functions.iter().enumerate().map(|(i, f)| (f.name.clone(), i)).collect();
        let mut machine = Machine {
            module,
            memory: Memory::default(),
            output: Vec::new(),
            symbols: FxHashMap::default(),
            callees: FxHashMap::default(),
            functions,
            codes: module.functions.iter().map(|_| None).collect(),
            hosts: FxHashMap::default(),
        };
        machine.place_globals();
        machine
    }

    fn place_globals(&mut self) {
        let module = self.module;
        let sizes = Sizes { types: &module.types, layout: &module.layout };
        for global in &module.globals {
            let size = sizes.alloc_size(global.ty).unwrap_or(0);
            let natural = module.layout.align(&module.types, global.ty).unwrap_or(1);
            let align = global
                .align_log2
                .map_or(natural, |log2| 1u64.checked_shl(log2.into()).unwrap_or(1));
            let kind = AllocKind::Global(global.name.to_string());
            if let Ok(ptr) = self.memory.alloc(size, align.max(natural), kind) {
                self.symbols.insert(global.name.clone(), ptr);
            }
        }
        for global in &module.globals {
            let (Some(&ptr), Some(init)) = (self.symbols.get(&global.name), &global.init) else {
                continue;
            };
            if let Ok(image) = self.initial_bytes(sizes, init) {
                let _ = self.memory.write(ptr, &image);
            }
            if let Some(alloc) = self.memory.get_mut(ptr.prov) {
                alloc.constant = global.constant;
            }
        }
    }

    fn initial_bytes(&mut self, sizes: Sizes<'m>, init: &Constant) -> Result<Image, ErrorKind> {
        let mut image = Image::default();
        let size = sizes.alloc_size(init.ty)? as usize;
        match &init.kind {
            // Large tables need no list of values.
            ConstantKind::Zero => image.push(&vec![0; size], state::DEFINED),
            ConstantKind::Data(bytes) if bytes.len() == size && !sizes.layout.big_endian => {
                image.push(bytes, state::DEFINED);
            }
            _ => {
                let symbols = &self.module.symbols;
                let mut scope = Scope { machine: self, sizes, symbols, code: None };
                let value = constants::evaluate(&mut scope, init)?;
                sizes.encode(init.ty, &value, &mut image)?;
                // The padding of a global is zero.
                if value.is_defined() {
                    image.states.fill(state::DEFINED);
                }
            }
        }
        Ok(image)
    }

    /// Adds or replaces a function of the host: a function without a body in the module is called under this name.
    pub fn host(&mut self, name: &str, function: Arc<super::HostFn>) {
        let host = Host { name: name.into(), function, pure: false };
        self.hosts.insert(name.into(), host);
        // Functions that were mentioned before are looked up again.
        let known: Vec<(u64, SymbolName)> =
            self.symbols.iter().map(|(name, ptr)| (ptr.addr, name.clone())).collect();
        for (addr, name) in known {
            if self.callees.contains_key(&addr) {
                let callee = self.resolve(&name);
                self.callees.insert(addr, callee);
            }
        }
    }

    // ---- memory ----

    /// New memory that holds `bytes`, aligned to 64 bytes.
    ///
    /// # Errors
    /// If the limit of the memory is reached.
    pub fn alloc_buffer(&mut self, bytes: &[u8]) -> Result<Ptr, ErrorKind> {
        let ptr = self.alloc_undefined(bytes.len() as u64)?;
        let mut image = Image::default();
        image.push(bytes, state::DEFINED);
        self.memory.write(ptr, &image)?;
        Ok(ptr)
    }

    /// New memory of so many undefined bytes, aligned to 64 bytes.
    ///
    /// # Errors
    /// If the limit of the memory is reached.
    pub fn alloc_undefined(&mut self, size: u64) -> Result<Ptr, ErrorKind> {
        self.memory.alloc(size, 64, AllocKind::Buffer)
    }

    /// The bytes at an address; `None` where they are undefined, or part of a NaN whose bits the program does not say.
    ///
    /// # Errors
    /// If they are not in one allocation that is alive.
    pub fn read_bytes(&self, ptr: Ptr, size: u64) -> Result<Vec<Option<u8>>, ErrorKind> {
        let piece = self.memory.read(ptr, size)?;
        let both = piece.bytes.iter().zip(piece.states);
        Ok(both.map(|(&byte, &s)| (s == state::DEFINED).then_some(byte)).collect())
    }

    /// All bytes of the global variable of this name.
    pub fn read_global(&self, name: &str) -> Option<Vec<Option<u8>>> {
        let ptr = *self.symbols.get(&SymbolName::from(name))?;
        let size = self.memory.get(ptr.prov)?.size;
        self.read_bytes(ptr, size).ok()
    }

    /// The address of the global variable or function of this name.
    pub fn address_of(&mut self, name: &str) -> Option<Ptr> {
        let name = SymbolName::from(name);
        let known = self.symbols.contains_key(&name)
            || self.functions.contains_key(&name)
            || self.module.alias(&name).is_some();
        if known { self.symbol_address(&name).ok() } else { None }
    }

    // ---- symbols ----

    pub(crate) fn symbol_address(&mut self, name: &SymbolName) -> Result<Ptr, ErrorKind> {
        if let Some(&ptr) = self.symbols.get(name) {
            return Ok(ptr);
        }
        let module = self.module;
        if let Some(target) = module.alias(name) {
            // A chain of aliases that bites its tail ends here, at null.
            self.symbols.insert(name.clone(), Ptr { addr: 0, prov: Provenance::NONE });
            let sizes = Sizes { types: &module.types, layout: &module.layout };
            let mut scope = Scope { machine: self, sizes, symbols: &module.symbols, code: None };
            if let Val::Ptr(ptr) = constants::evaluate(&mut scope, target)? {
                self.symbols.insert(name.clone(), ptr);
            }
            return Ok(self.symbols[name]);
        }
        let callee = self.resolve(name);
        let blocks = match callee {
            Callee::Function(index) => self.module.functions[index].block_count() as u64,
            _ => 0,
        };
        let ptr =
            self.memory.alloc(BLOCK_OFFSET + blocks, 16, AllocKind::Code(name.to_string()))?;
        self.symbols.insert(name.clone(), ptr);
        self.callees.insert(ptr.addr, callee);
        Ok(ptr)
    }

    fn resolve(&self, name: &SymbolName) -> Callee {
        if let Some(&index) = self.functions.get(name) {
            return Callee::Function(index);
        }
        let Some(text) = name.as_str() else { return Callee::Unknown(name.to_string()) };
        match self.hosts.get(text).cloned().or_else(|| host::find(text)) {
            Some(host) => Callee::Host(Rc::new(host)),
            None => Callee::Unknown(name.to_string()),
        }
    }

    pub(crate) fn callee(&self, addr: u64) -> Option<Callee> {
        self.callees.get(&addr).cloned()
    }

    pub(crate) fn block_address(
        &mut self,
        function: usize,
        block: Block,
    ) -> Result<Ptr, ErrorKind> {
        let base = self.symbol_address(&self.module.functions[function].name)?;
        Ok(Ptr { addr: base.addr + BLOCK_OFFSET + block.index() as u64, ..base })
    }

    /// The number of the block of a function that has this address.
    pub(crate) fn block_at(&self, function: usize, ptr: Ptr) -> Option<usize> {
        let function = &self.module.functions[function];
        let base = self.symbols.get(&function.name)?.addr + BLOCK_OFFSET;
        let index = usize::try_from(ptr.addr.checked_sub(base)?).ok()?;
        (index < function.block_count()).then_some(index)
    }

    pub(crate) fn code(&mut self, index: usize) -> Result<Rc<Code<'m>>, ErrorKind> {
        if let Some(code) = &self.codes[index] {
            return Ok(Rc::clone(code));
        }
        let code = Rc::new(Code::new(self, index)?);
        self.codes[index] = Some(Rc::clone(&code));
        Ok(code)
    }

    // ---- runs ----

    /// Runs the function of this name; `args[t]` are the arguments of thread `t`.
    ///
    /// # Errors
    /// Undefined behaviour, a use of ⊤, a limit, or something the interpreter does not execute; see [`ErrorKind`].
    pub fn run(&mut self, name: &str, args: &[Vec<Val>], run: &Run) -> Result<Outcome, RunError> {
        let missing =
            || RunError::at_function(ErrorKind::UnknownFunction(name.into()), name.into());
        let index = *self.functions.get(&SymbolName::from(name)).ok_or_else(missing)?;
        self.run_index(index, args, run)
    }

    /// Where a schedule of the function of this name is not greedy (001 Def. 12). All else is as `run` says.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn check_schedule(
        &mut self,
        name: &str,
        args: &[Vec<Val>],
        run: &Run,
        schedule: &[Block],
    ) -> Result<Vec<Violation>, RunError> {
        let run = Run { schedule: Schedule::Fixed(schedule.to_vec()), ..run.clone() };
        Ok(self.run(name, args, &run)?.violations)
    }

    /// Runs the function at a position of the module.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run_index(
        &mut self,
        index: usize,
        args: &[Vec<Val>],
        run: &Run,
    ) -> Result<Outcome, RunError> {
        let Some(function) = self.module.functions.get(index) else {
            let kind = ErrorKind::BadArguments(format!("the module has no function {index}"));
            return Err(RunError::at_function(kind, String::new()));
        };
        let fail = |kind| RunError::at_function(kind, function.name.to_string());
        let params = function.params().len();
        if args.len() != run.threads || args.iter().any(|list| list.len() < params) {
            let what = format!("{} threads need {params} arguments each", run.threads);
            return Err(fail(ErrorKind::BadArguments(what)));
        }
        let code = self.code(index).map_err(fail)?;
        let count = args.iter().map(Vec::len).min().unwrap_or(params);
        let rows = (0..count).map(|i| args.iter().map(|list| list[i].clone()).collect()).collect();
        let mut exec = Exec {
            machine: self,
            run,
            steps: 0,
            depth: 0,
            loose: false,
            trace: run.trace.then(Trace::default),
            violations: Vec::new(),
            scratch: Image::default(),
        };
        let controls = exec.call(code, rows, &Mask::from_elem(true, run.threads))?;
        let result = |next: Next| match next {
            Next::Done(value) => Some(value),
            _ => None,
        };
        Ok(Outcome {
            steps: exec.steps,
            nondeterminism_used: exec.loose,
            trace: exec.trace,
            violations: exec.violations,
            results: controls.into_iter().map(|control| result(control.next)).collect(),
        })
    }
}

/// Whether `actual` is a possible content of memory where the program says `spec`: a byte that is undefined in
/// `spec` allows everything, all others must be the same. See [`Machine::read_bytes`].
pub fn bytes_refined_by(spec: &[Option<u8>], actual: &[Option<u8>]) -> bool {
    spec.len() == actual.len() && spec.iter().zip(actual).all(|(s, a)| s.is_none() || s == a)
}
