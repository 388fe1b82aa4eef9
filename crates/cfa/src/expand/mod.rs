//! Expansion: data become a program in the [core language](core).
//!
//! The forms of R7RS that are not in the core are macros, written with `syntax-rules` in `prelude.scm` beside most of
//! the library; `forms.rs` has the rest. Hygiene is by aliases (`scope.rs`). Each use of a procedure of the prelude gets
//! its own copy: 0-CFA keeps one flow set for each variable, and a shared `map` would mix all its callers.

mod bodies;
pub mod core;
mod forms;
mod libraries;
mod macros;
mod names;
mod prelude;
mod quoting;
mod records;
mod rules;
mod scope;

use self::core::{Core, Program, Term, Var};
use crate::prims::{self, Op};
use crate::read::{Data, Datum, Node, Symbol};
use crate::signs::Constants;
use crate::source::{Error, Loc, Result, Sources};
use forms::Form;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Denotation, Depth, Scopes};

/// How programs are expanded, and numbers abstracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names that nothing defines stand for anything, instead of being errors.
    pub assume_unknown: bool,
    /// The files are a library: code outside calls what they define, and a form that fails does not keep the next from running.
    pub library: bool,
    /// How constants are abstracted.
    pub constants: Constants,
}

/// How deeply expressions may nest.
const NESTING: usize = 10_000;
/// How often one form may be expanded before it counts as endless.
const EXPANSIONS: usize = 100_000;
/// How many data macros may make: so many, and so many for each that was read.
const MADE: usize = 1 << 22;
const MADE_FOR_EACH: usize = 16;
/// Room on the stack for that.
const STACK: usize = 512 << 20;

/// Reads and expands the files of a program, in order.
pub fn program(
    sources: &mut Sources,
    files: &[crate::source::FileId],
    options: Options,
) -> Result<Program> {
    let prelude = sources.add("prelude.scm", include_str!("prelude.scm"))?;
    let mut data = Data::new();
    let mut forms = Vec::new();
    for file in files {
        forms.extend(crate::read::read(sources, *file, &mut data)?);
    }
    // What the program mentions at all decides what the prelude must be ready for.
    let dynamic = ["dynamic-wind", "parameterize", "guard", "with-exception-handler", "fluid-let"];
    let dynamic = dynamic.iter().any(|name| data.find_symbol(name).is_some());
    let prelude = crate::read::read(sources, prelude, &mut data)?;
    let at = files.first().map_or(Loc(0), |file| sources.loc(*file, 0));
    on_large_stack(at, || {
        let mut expander = Expander::new(data, options);
        expander.load_prelude(&prelude, dynamic)?;
        expander.whole(&forms, at)
    })
}

/// Expansion recurses as deeply as expressions nest, which is limited, but more than a common stack has room for.
fn on_large_stack<T: Send>(at: Loc, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let failed =
        || Error::new(at, "no thread could be started to expand the program", "free some memory");
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|_| failed())?.join().map_err(|_| failed())?
    })
}

struct PreludeVar {
    init: Datum,
    var: Option<Var>,
}

struct Expander {
    program: Program,
    scopes: Scopes,
    options: Options,
    /// How many levels of nesting are left.
    left: usize,
    /// How many data there may be.
    most_data: usize,
    prelude: Vec<Datum>,
    prelude_vars: Vec<PreludeVar>,
    /// Definitions of the variables of the prelude that are used.
    before: Vec<(Option<Var>, Term)>,
    before_vars: Vec<Var>,
    libraries: FxHashMap<String, Vec<(Symbol, Symbol)>>,
    templates: quoting::Templates,
}

impl Expander {
    fn new(data: Data, options: Options) -> Self {
        let most_data = MADE.saturating_add(data.len().saturating_mul(1 + MADE_FOR_EACH));
        let program = Program { data, ..Program::default() };
        let mut expander = Expander {
            program,
            scopes: Scopes::new(),
            options,
            left: NESTING,
            most_data: most_data.min(u32::MAX as usize / 2),
            prelude: Vec::new(),
            prelude_vars: Vec::new(),
            before: Vec::new(),
            before_vars: Vec::new(),
            libraries: FxHashMap::default(),
            templates: quoting::Templates::default(),
        };
        // In older code `syntax-error` is a procedure.
        let old = |form: &Form| expander.options.assume_unknown && *form == Form::SyntaxError;
        let forms: Vec<_> = Form::ALL.iter().filter(|(_, form)| !old(form)).collect();
        for (name, form) in forms {
            let symbol = expander.symbol(name);
            expander.scopes.bind(symbol, Denotation::Form(*form));
        }
        let assigned = expander.assigned();
        for (index, entry) in prims::all().iter().enumerate() {
            let symbol = expander.symbol(entry.name);
            if expander.options.assume_unknown && assigned.contains(&symbol) {
                continue;
            }
            expander.scopes.bind(symbol, Denotation::Prim(prims::Prim(index as u16)));
        }
        expander
    }

    /// The names that are assigned somewhere. A primitive among them is nobody knows what.
    fn assigned(&mut self) -> FxHashSet<Symbol> {
        let set = self.symbol("set!");
        let data = self.data();
        let pairs = (0..data.len() as u32).map(|at| data.node(Datum(at)));
        let names = pairs.filter_map(|node| {
            let Node::Pair(head, rest) = node else { return None };
            let Node::Pair(name, _) = data.node(rest) else { return None };
            (data.as_symbol(head) == Some(set)).then(|| data.as_symbol(name)).flatten()
        });
        names.collect()
    }

    fn whole(mut self, forms: &[Datum], at: Loc) -> Result<Program> {
        self.scopes.open();
        if self.options.assume_unknown {
            self.hoist_macros(forms)?;
        }
        let (vars, mut steps) = self.steps(forms)?;
        if self.options.library {
            self.open_to_others(&vars, &mut steps, at);
        }
        let mut all = std::mem::take(&mut self.before_vars);
        all.extend(vars);
        let mut before = std::mem::take(&mut self.before);
        before.extend(steps);
        self.program.body = self.add(Core::Letrec(all, before), at);
        Ok(self.program)
    }

    /// Any step may be left out, and at the end others see all variables.
    fn open_to_others(&mut self, vars: &[Var], steps: &mut Vec<(Option<Var>, Term)>, at: Loc) {
        for (_, step) in steps.iter_mut() {
            let fails = !matches!(
                self.program.term(*step),
                Core::Lambda(_) | Core::CaseLambda(_) | Core::Quote(_) | Core::Void | Core::Ref(_)
            );
            if fails {
                let loc = self.program.loc(*step);
                let (test, nothing) = (self.unknown(loc), self.add(Core::Void, loc));
                *step = self.add(Core::If(test, *step, nothing), loc);
            }
        }
        for var in vars {
            let (f, seen) = (self.unknown(at), self.add(Core::Ref(*var), at));
            let call = self.add(Core::Call(f, vec![seen]), at);
            steps.push((None, call));
        }
    }

    /// The files of a library may come in any order, so their macros are defined before they are used.
    fn hoist_macros(&mut self, forms: &[Datum]) -> Result<()> {
        let keyword = self.symbol("define-syntax");
        for form in forms {
            if let Node::Pair(head, _) = self.data().node(*form)
                && self.data().as_symbol(head) == Some(keyword)
                && let [_, name, rules] = self.data().proper(*form)?.as_slice()
            {
                self.define_syntax(*name, *rules)?;
            }
        }
        Ok(())
    }

    fn data(&self) -> &Data {
        &self.program.data
    }

    fn data_mut(&mut self) -> &mut Data {
        &mut self.program.data
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        self.program.data.intern(name)
    }

    fn alias(&mut self, symbol: Symbol, depth: Depth) -> Symbol {
        self.scopes.alias(&mut self.program.data, symbol, depth)
    }

    /// A name with the meaning it has before the program starts.
    fn builtin(&mut self, name: &str, loc: Loc) -> Datum {
        let symbol = self.symbol(name);
        let alias = self.alias(symbol, 0);
        self.data_mut().add(Node::Symbol(alias), loc)
    }

    fn add(&mut self, core: Core, loc: Loc) -> Term {
        self.program.add(core, loc)
    }

    fn identifier(&self, datum: Datum) -> Result<Symbol> {
        let wrong = || {
            let shown = self.data().write(datum, 40);
            Error::new(
                self.data().loc(datum),
                format!("a name is expected here, not {shown}"),
                "write a name",
            )
        };
        self.data().as_symbol(datum).ok_or_else(wrong)
    }

    fn fresh_var(&mut self, symbol: Symbol, loc: Loc) -> Var {
        let name = self.program.data.name(symbol).to_string();
        self.program.add_var(&name, loc)
    }

    /// Binds a name to a new variable.
    fn bind_var(&mut self, datum: Datum) -> Result<Var> {
        let symbol = self.identifier(datum)?;
        let loc = self.data().loc(datum);
        let var = self.fresh_var(symbol, loc);
        self.scopes.bind(symbol, Denotation::Var(var));
        Ok(var)
    }

    fn expand(&mut self, form: Datum) -> Result<Term> {
        if self.left == 0 {
            return Err(Error::new(
                self.data().loc(form),
                format!("expressions nest over {NESTING} levels here"),
                "define parts of it by name",
            ));
        }
        self.left -= 1;
        let term = self.expand_here(form);
        self.left += 1;
        term
    }

    fn expand_all(&mut self, forms: &[Datum]) -> Result<Vec<Term>> {
        forms.iter().map(|form| self.expand(*form)).collect()
    }

    fn expand_here(&mut self, form: Datum) -> Result<Term> {
        let loc = self.data().loc(form);
        let form = self.expand_macro(form)?;
        match self.data().node(form) {
            Node::Symbol(symbol) => self.reference(symbol, loc),
            Node::Pair(head, _) => {
                let meaning = self
                    .data()
                    .as_symbol(head)
                    .and_then(|symbol| self.scopes.lookup(symbol))
                    .cloned();
                match meaning {
                    Some(Denotation::Form(keyword)) => self.form(keyword, form),
                    Some(Denotation::Foreign) => self.foreign(form, loc),
                    Some(meaning) => {
                        let args = self.data().proper(form)?;
                        let args = self.expand_all(&args[1..])?;
                        self.call(&meaning, head, args, loc)
                    }
                    None => {
                        let items = self.data().proper(form)?;
                        let f = self.expand(items[0])?;
                        let args = self.expand_all(&items[1..])?;
                        Ok(self.add(Core::Call(f, args), loc))
                    }
                }
            }
            // In older dialects the empty list stands for itself.
            Node::Null if self.options.assume_unknown => Ok(self.add(Core::Quote(form), loc)),
            Node::Null => {
                Err(Error::new(loc, "() is not an expression", "write '() for the empty list"))
            }
            _ => Ok(self.add(Core::Quote(form), loc)),
        }
    }

    /// Expands a form until it is no use of a macro.
    fn expand_macro(&mut self, mut form: Datum) -> Result<Datum> {
        for _ in 0..EXPANSIONS {
            let Node::Pair(head, _) = self.data().node(form) else { return Ok(form) };
            let Some(symbol) = self.data().as_symbol(head) else { return Ok(form) };
            let Some(Denotation::Macro(rules)) = self.scopes.lookup(symbol) else {
                return Ok(form);
            };
            let rules = rules.clone();
            if self.data().len() > self.most_data {
                return Err(Error::new(
                    self.data().loc(form),
                    "macros make too much of this program",
                    "make its longest forms several shorter ones",
                ));
            }
            form = self.transform(&rules, form)?;
        }
        Err(Error::new(
            self.data().loc(form),
            "this macro expands without end",
            "give it a rule that ends",
        ))
    }

    fn call(
        &mut self,
        meaning: &Denotation,
        head: Datum,
        args: Vec<Term>,
        loc: Loc,
    ) -> Result<Term> {
        let accepted = |min: usize, max: Option<usize>| {
            args.len() >= min && max.is_none_or(|max| args.len() <= max)
        };
        match meaning {
            Denotation::Prim(prim) if accepted(prim.entry().min, prim.entry().max) => {
                Ok(self.add(Core::Prim { op: Op::Prim(*prim), args, spread: false }, loc))
            }
            Denotation::Record(op, count) if args.len() == *count => {
                Ok(self.add(Core::Prim { op: *op, args, spread: false }, loc))
            }
            Denotation::Prelude(index) => match self.direct(*index, &args, loc) {
                Some(term) => Ok(term),
                None => {
                    let f = self.copy_of_prelude(*index, loc)?;
                    Ok(self.add(Core::Call(f, args), loc))
                }
            },
            // A wrong number of arguments is an error of the run, not of the program.
            _ => {
                let f = self.expand(head)?;
                Ok(self.add(Core::Call(f, args), loc))
            }
        }
    }
}
