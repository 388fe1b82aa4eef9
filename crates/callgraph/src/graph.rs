//! The call graph: what each call may call, and what is never called.

use lw_cfa::flow::{self, Engine, Program, Set, Solution};
use lw_ir::Inst;
use rustc_hash::FxHashMap;
use std::convert::Infallible;

use crate::build::{Build, SiteData};
use crate::signatures::Signatures;
use crate::world::{FuncData, FuncId, Part, World};

/// Where the program is entered from outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Roots {
    /// Everything that other modules can name may be called and changed from outside: a library.
    #[default]
    Exported,
    /// Only these functions are called from outside, beside those whose address gets there: a program. `main` gets numbers and text.
    Named(Vec<String>),
}

/// What a call may call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Callees {
    /// The functions, in order; some may be outside.
    pub functions: Vec<FuncId>,
    /// Whether it may call code of which nothing is known.
    pub unknown: bool,
}

/// A call through a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The function it stands in.
    pub function: FuncId,
    /// The call.
    pub inst: Inst,
    /// What it may call. Nothing, if the function it stands in is never called.
    pub callees: Callees,
    /// How many functions of the same type have their address taken.
    pub same_type: usize,
}

/// How large the problem was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Variables of the flow program.
    pub variables: usize,
    /// Abstract values.
    pub values: usize,
    /// Operations.
    pub operations: usize,
    /// Objects in memory.
    pub objects: usize,
    /// Reached expressions and values of variables.
    pub facts: usize,
}

/// The calls of a program.
///
/// ```
/// use lw_callgraph::{CallGraph, Engine, Part, Roots};
///
/// let module = lw_ir::parse_module(r#"
/// @table = constant [2 x ptr] [ptr @f, ptr @g]
/// func @f() -> i32 {
/// entry:
///   ret i32 1
/// }
/// func @g() -> i32 {
/// entry:
///   ret i32 2
/// }
/// func @main(i64 %i) -> i32 {
/// entry:
///   %p = getelementptr ptr, ptr @table, i64 %i
///   %f = load ptr, ptr %p, align 8
///   %r = call i32 () %f()
///   ret i32 %r
/// }
/// "#).unwrap();
/// let linkages = Default::default();
/// let part = Part { module: &module, linkages: &linkages };
/// let graph = CallGraph::new(&[part], &Roots::Named(vec!["main".into()]), Engine::Delta);
/// let site = &graph.sites()[0];
/// let name = |f: &lw_callgraph::FuncId| graph.function(*f).name.to_string();
/// assert_eq!(site.callees.functions.iter().map(name).collect::<Vec<_>>(), ["@f", "@g"]);
/// assert_eq!(graph.callees(site.function, site.inst), Some(site.callees.clone()));
/// ```
pub struct CallGraph<'m> {
    functions: Vec<FuncData<'m>>,
    sites: Vec<Site>,
    by_inst: FxHashMap<(FuncId, Inst), usize>,
    direct: FxHashMap<(FuncId, Inst), FuncId>,
    edges: Vec<Vec<FuncId>>,
    reached: Vec<bool>,
    escaped: Vec<bool>,
    taken: Vec<bool>,
    stats: Stats,
}

impl<'m> CallGraph<'m> {
    /// The calls of all modules together.
    pub fn new(parts: &[Part<'m>], roots: &Roots, engine: Engine) -> CallGraph<'m> {
        let solve = |program: &Program| Ok::<_, Infallible>(flow::solve(program, engine));
        match CallGraph::solved_by(parts, roots, solve) {
            Ok(graph) => graph,
            Err(never) => match never {},
        }
    }

    /// The same, where the constraints are solved by somebody who may fail, as an engine on a GPU may.
    pub fn solved_by<E>(
        parts: &[Part<'m>],
        roots: &Roots,
        solve: impl FnOnce(&Program) -> Result<Solution, E>,
    ) -> Result<CallGraph<'m>, E> {
        let world = World::new(parts);
        let build = Build::run(&world, roots);
        let solution = solve(&build.flow)?;
        let count = world.functions.len();
        let flags =
            |set: &Set| -> Vec<bool> { (0..count as u32).map(|f| set.contains(f)).collect() };
        let mut graph = CallGraph {
            functions: world.functions.clone(),
            sites: Vec::new(),
            by_inst: FxHashMap::default(),
            direct: build.direct.iter().map(|(f, inst, to)| ((*f, *inst), *to)).collect(),
            edges: vec![Vec::new(); count],
            reached: flags(&solution.reached),
            escaped: flags(&solution.store[build.escape as usize]),
            taken: build.taken.clone(),
            stats: Stats {
                variables: build.flow.vars as usize,
                values: build.flow.values.len(),
                operations: build.flow.ops.len(),
                objects: build.objects.len(),
                facts: solution.facts(),
            },
        };
        let mut types = Signatures::new(&world);
        let mut taken_by_type: FxHashMap<u32, usize> = FxHashMap::default();
        for at in (0..count).filter(|at| graph.taken[*at]) {
            if let Some(ty) = types.functions[at] {
                *taken_by_type.entry(ty).or_default() += 1;
            }
        }
        for site in &build.sites {
            let ty = types.of_call(&world, site);
            let same_type = ty.and_then(|ty| taken_by_type.get(&ty)).copied().unwrap_or(0);
            let callees = graph.callees_of(site, &solution, build.unknown, ty, &types);
            let (function, inst) = (site.function, site.inst);
            graph.by_inst.insert((function, inst), graph.sites.len());
            graph.sites.push(Site { function, inst, callees, same_type });
        }
        for (from, _, to) in &build.direct {
            graph.edges[from.index()].push(*to);
        }
        for site in &graph.sites {
            graph.edges[site.function.index()].extend(&site.callees.functions);
        }
        for list in &mut graph.edges {
            list.sort();
            list.dedup();
        }
        Ok(graph)
    }

    fn callees_of(
        &self,
        site: &SiteData,
        solution: &Solution,
        unknown: u32,
        ty: Option<u32>,
        types: &Signatures,
    ) -> Callees {
        let mut callees = Callees::default();
        let Some(node) = site.callee.filter(|_| self.reached[site.function.index()]) else {
            return callees;
        };
        let set = solution.values(node);
        callees.unknown = set.contains(unknown);
        // A call that passes its arguments where the callee does not look for them has no meaning.
        let accepts = |f: &usize| {
            let data = &self.functions[*f];
            site.arguments >= data.params && types.fit(ty, types.functions[*f])
        };
        // Whatever is not followed may have got here; of another type it has no meaning.
        let through = |f: &usize| callees.unknown && self.escaped[*f] && types.functions[*f] == ty;
        let known = |f: &usize| set.contains(*f as u32) || through(f);
        let all = (0..self.functions.len()).filter(known).filter(accepts);
        callees.functions = all.map(|f| FuncId(f as u32)).collect();
        callees
    }

    /// The functions, in the order of the modules; those outside come last.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, &FuncData<'m>)> {
        (0..).map(FuncId).zip(&self.functions)
    }

    /// What is known of a function.
    pub fn function(&self, id: FuncId) -> &FuncData<'m> {
        &self.functions[id.index()]
    }

    /// The function of this name; the first, if several modules have a local one.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        let name = name.trim_start_matches('@');
        let found =
            self.functions().find(|(_, data)| !data.replaced && data.name.as_str() == Some(name));
        found.map(|(id, _)| id)
    }

    /// The calls through pointers, function by function.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// What a call or invoke may call. `None` if it is no call, or calls an intrinsic.
    pub fn callees(&self, function: FuncId, call: Inst) -> Option<Callees> {
        if let Some(direct) = self.direct.get(&(function, call)) {
            return Some(Callees { functions: vec![*direct], unknown: false });
        }
        self.by_inst.get(&(function, call)).map(|site| self.sites[*site].callees.clone())
    }

    /// The functions that a function may call, each once.
    pub fn called_by(&self, function: FuncId) -> &[FuncId] {
        &self.edges[function.index()]
    }

    /// Whether a function may ever be called.
    pub fn is_reached(&self, function: FuncId) -> bool {
        self.reached[function.index()]
    }

    /// Whether code outside may call a function: it is a root, or its address gets there.
    pub fn is_seen_outside(&self, function: FuncId) -> bool {
        self.escaped[function.index()]
    }

    /// Whether the address of a function is used for something else than calling it by name.
    pub fn is_address_taken(&self, function: FuncId) -> bool {
        self.taken[function.index()]
    }

    /// The functions with a body that are never called.
    pub fn never_called(&self) -> impl Iterator<Item = FuncId> {
        self.functions()
            .filter(|(id, data)| data.place.is_some() && !data.replaced && !self.is_reached(*id))
            .map(|(id, _)| id)
    }

    /// How large the problem was.
    pub fn stats(&self) -> Stats {
        self.stats
    }
}

/// Whether two engines agree on a program, variable by variable.
pub fn engines_agree(parts: &[Part<'_>], roots: &Roots) -> Result<(), String> {
    let world = World::new(parts);
    let build = Build::run(&world, roots);
    lw_cfa::oracle::engines_agree(&build.flow)
}
