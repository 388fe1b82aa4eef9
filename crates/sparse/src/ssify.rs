//! SSIfy of 003 Fig. 6: for each variable split, rename, clean.
//!
//! ```
//! use lw_sparse::{Code, Ssify, Strategy};
//! use std::sync::Arc;
//!
//! let function = lw_ir::parse_function(
//!     "func @f(i32 %x) -> i32 {
//!      entry:
//!        %c = icmp slt i32 %x, 10
//!        br i1 %c, label %small, label %large
//!      small:
//!        ret i32 %x
//!      large:
//!        %y = sub i32 %x, 10
//!        ret i32 %y
//!      }",
//! )
//! .unwrap();
//! let code = Arc::new(Code::new(&function));
//! let view = Ssify::new(code).view(Strategy::ABCD);
//! assert_eq!(view.sigmas().len(), 1); // x is known to be less than 10 on one edge
//! ```

use crate::analysis::Analysis;
use crate::code::{Code, NONE};
use crate::in_block::split_in_block;
use crate::liveness::Liveness;
use crate::program::{Program, Var};
use crate::rename::Web;
use crate::rename_ssa::Renaming;
use crate::settled::{ends_settled, flows_backward};
use crate::split::{Collisions, Informs, Places, Pruning, Seeds};
use crate::strategy::Strategy;
use crate::view::{Def, ParallelCopy, Phi, Sigma, Version, View};
use std::sync::Arc;

/// Splits the live ranges of a program. Keeps tables of the graph and scratch memory, so that further views of the same
/// program cost less.
#[derive(Clone, Debug)]
pub struct Ssify {
    code: Arc<Code>,
    pub(crate) collisions: Collisions,
    live: Liveness,
    pub(crate) places: Places,
    web: Web,
    renaming: Renaming,
    pruning: Pruning,
    seeds: Seeds,
    /// By original version: whether a branch tests it, a bit each.
    tested: Vec<u64>,
    variables: Vec<Var>,
}

impl Ssify {
    /// Prepares the tables of a program.
    pub fn new(code: Arc<Code>) -> Ssify {
        Ssify {
            collisions: Collisions::default(),
            live: Liveness::default(),
            places: Places::default(),
            web: Web::default(),
            renaming: Renaming::default(),
            pruning: Pruning::default(),
            seeds: Seeds::default(),
            tested: Vec::new(),
            variables: Vec::new(),
            code,
        }
    }

    /// Turns what is there, or something new, to a program.
    pub fn again(kept: &mut Option<Ssify>, code: Arc<Code>) -> &mut Ssify {
        match kept {
            Some(ssify) => {
                ssify.turn_to(code);
                ssify
            }
            None => kept.insert(Ssify::new(code)),
        }
    }

    /// Turns what is there, or something new, to what an analysis looks at in a program. The memory of the tables before is used
    /// again as well, if no view is left that refers to them.
    pub fn read<'k, P: Program + ?Sized, A: Analysis<P>>(
        kept: &'k mut Option<Ssify>,
        program: &P,
        analysis: &A,
    ) -> &'k mut Ssify {
        let ssify = kept.get_or_insert_with(|| Ssify::new(Arc::new(Code::nothing())));
        ssify.collisions.forward = None;
        ssify.collisions.backward = None;
        match Arc::get_mut(&mut ssify.code) {
            Some(code) => code.turn_to(program, analysis),
            None => ssify.code = Arc::new(Code::of(program, analysis)),
        }
        ssify
    }

    /// Turns to another program. The memory it has is used again.
    pub fn turn_to(&mut self, code: Arc<Code>) {
        self.code = code;
        self.collisions.forward = None;
        self.collisions.backward = None;
    }

    /// Says when dead places are left out.
    pub fn pruning(mut self, pruning: Pruning) -> Ssify {
        self.pruning = pruning;
        self
    }

    /// Says from which nodes forks are found.
    pub fn seeds(mut self, seeds: Seeds) -> Ssify {
        self.seeds = seeds;
        self
    }

    /// Splits every variable by the same strategy.
    pub fn view(&mut self, strategy: Strategy) -> View {
        if !self.code.ssa || strategy.intersects(BY_USES) {
            return self.view_each(|_| strategy);
        }
        let mut view = View::new(self.code.clone());
        self.split_tested(&mut view, |_| strategy);
        view
    }

    /// Splits each variable of an SSA program by a strategy that names no uses: only what branches test can be split.
    fn split_tested(&mut self, view: &mut View, strategy: impl Fn(Var) -> Strategy) {
        let Ssify { code, tested, variables, .. } = self;
        tested.clear();
        tested.resize(code.original_count().div_ceil(64), 0);
        variables.clear();
        for &(var, test) in code.tests.items() {
            if !code.stays_in_block(var)
                && strategy(var).names(test)
                && let Some(original) = code.original(var)
            {
                tested[original as usize / 64] |= 1 << (original % 64);
            }
        }
        for (at, &(mut word)) in tested.iter().enumerate() {
            while word != 0 {
                variables.push(code.original_var(64 * at as u32 + word.trailing_zeros()));
                word &= word - 1;
            }
        }
        let variables = std::mem::take(variables);
        self.build(view, &variables, |this, _, var| {
            this.places_of(var, (strategy(var), &|_, _| true, None));
            true
        });
        self.variables = variables;
    }

    /// Splits each variable by a strategy of its own.
    pub fn view_each(&mut self, strategy: impl Fn(Var) -> Strategy) -> View {
        let mut view = View::new(self.code.clone());
        self.split_where(&mut view, strategy, &|_, _| true, None);
        view
    }

    /// Splits as an analysis wants it.
    pub fn view_for<P: Program + ?Sized, A: Analysis<P>>(
        &mut self,
        program: &P,
        analysis: &A,
    ) -> View {
        let mut view = View::new(self.code.clone());
        self.split_for(&mut view, program, analysis);
        view
    }

    /// The same, in the memory of another view.
    pub(crate) fn split_for<P: Program + ?Sized, A: Analysis<P>>(
        &mut self,
        view: &mut View,
        program: &P,
        analysis: &A,
    ) {
        let strategy = |var| analysis.strategy(program, var);
        if A::ONLY_TESTS && self.code.ssa {
            self.split_tested(view, strategy);
            return;
        }
        let informs = |instr, var| analysis.informs(program, instr, var);
        let settles = |instr, var| analysis.settles(program, instr, var);
        self.split_where(view, strategy, &informs, Some(&settles));
    }

    fn split_where(
        &mut self,
        view: &mut View,
        strategy: impl Fn(Var) -> Strategy,
        informs: &Informs<'_>,
        settles: Option<&Informs<'_>>,
    ) {
        let code = &*self.code;
        let early = self.pruning == Pruning::Early;
        let variables: Vec<Var> = if code.ssa {
            let all = code.defs.items().iter().chain(&code.params).copied();
            let needs =
                |&var: &Var| !needs_nothing(code, var, strategy(var), (informs, settles), early);
            all.filter(needs).collect()
        } else {
            self.variables()
        };
        self.build(view, &variables, |this, view, var| {
            let code = &*this.code;
            if early && code.ssa && code.stays_in_block(var) {
                let settles = settles.unwrap_or(&|_, _| false);
                split_in_block(view, code, var, (strategy(var), informs, settles));
                return false;
            }
            this.places_of(var, (strategy(var), informs, settles));
            true
        });
    }

    /// Finds where a variable is to be split; without an analysis that says what settles it, wherever the figure has it.
    fn places_of(
        &mut self,
        var: Var,
        (strategy, informs, settles): (Strategy, &Informs<'_>, Option<&Informs<'_>>),
    ) {
        let Ssify { code, collisions, live, places, pruning, seeds, .. } = self;
        let meets = *pruning == Pruning::Early
            && settles.is_some()
            && flows_backward(code, strategy)
            && code.tests_of(var).is_empty();
        let settles = settles.unwrap_or(&|_, _| false);
        if meets {
            live.enter_settled(code, var, |instr| settles(instr, var));
        } else {
            live.enter(code, var);
        }
        let by = (strategy, informs, settles);
        places.split(code, var, by, live, (*pruning, *seeds, meets), collisions);
    }

    /// All variables of the program.
    pub(crate) fn variables(&self) -> Vec<Var> {
        let code = &*self.code;
        if code.ssa {
            code.defs.items().iter().chain(&code.params).copied().collect()
        } else {
            (0..code.variables).map(Var::new).collect()
        }
    }

    /// Builds a view, in the memory of another. The others of an SSA program keep a single version; `split` enters the live range of a variable and
    /// finds its places, or says that it has done all there is to do.
    pub(crate) fn build(
        &mut self,
        view: &mut View,
        variables: &[Var],
        mut split: impl FnMut(&mut Ssify, &mut View, Var) -> bool,
    ) {
        view.begin(self.code.clone(), variables.len());
        for &var in variables {
            if !split(self, view, var) || self.code.ssa && self.places.is_empty() {
                continue;
            }
            let Ssify { code, places, web, renaming, live, pruning, .. } = self;
            let early = *pruning == Pruning::Early;
            if code.ssa && early {
                renaming.rename(view, code, var, places, live);
                continue;
            }
            web.rename(code, var, places, |edge| !early || live.on_edge(code, edge));
            // What is inserted only where the variable is live is used; if nothing is undefined, all of it stays.
            let clean = !early || web.has_undefined(code, places);
            if clean {
                web.clean();
            }
            commit(view, var, places, web, clean);
        }
        view.finish();
    }

    pub(crate) fn enter(&mut self, var: Var) {
        self.live.enter(&self.code, var);
    }

    pub(crate) fn parts(
        &mut self,
    ) -> (&Arc<Code>, &Liveness, &mut Places, &mut Collisions, Pruning) {
        (&self.code, &self.live, &mut self.places, &mut self.collisions, self.pruning)
    }
}

/// What may split a variable that no branch tests.
const BY_USES: Strategy = Strategy::ANY_USES.or(Strategy::DEFS_UP).or(Strategy::LOOP_EXITS_DOWN);

/// What may split a variable inside of a block.
const IN_BLOCK: Strategy = Strategy::USES_UP.or(Strategy::USES_DOWN);

/// What splits a variable even if no use says anything.
const BY_OTHERS: Strategy = Strategy::USES_UP.or(Strategy::LAST_USES_UP).or(Strategy::DEFS_UP);

/// Whether a variable of an SSA program keeps a single version, as can be seen without its live range.
#[inline]
fn needs_nothing(
    code: &Code,
    var: Var,
    strategy: Strategy,
    (informs, settles): (&Informs<'_>, Option<&Informs<'_>>),
    early: bool,
) -> bool {
    let (by_uses, stays) = (strategy.intersects(BY_USES), code.stays_in_block(var));
    if early && stays && !strategy.intersects(IN_BLOCK) {
        return true;
    }
    let tests = code.tests_of(var);
    if by_uses {
        let uses = code.uses_of.row(var.index());
        if tests.is_empty() && (uses.is_empty() || stays && uses.len() == 1) {
            return true;
        }
        if early && stays && !is_reached(code, var) {
            return true;
        }
        let at = |&at: &u32| code.instrs[code.use_pos[at as usize] as usize];
        if let Some(settles) = settles
            && tests.is_empty()
            && flows_backward(code, strategy)
            && (uses.len() == 1
                || uses.last().is_some_and(|last| settles(at(last), var))
                    && ends_settled(code, var, settles))
        {
            // Wherever the variable is live, all that lies ahead is the only use, or the least value.
            return true;
        }
        let by_exits = strategy.contains(Strategy::LOOP_EXITS_DOWN);
        let by_informed = strategy.intersects(Strategy::ANY_USES);
        if strategy.intersects(BY_OTHERS)
            || by_exits && (!early || code.may_leave_loop(var))
            || by_informed && uses.iter().map(at).any(|user| informs(user, var))
        {
            return false;
        }
    }
    let named = |&test: &u32| strategy.names(code.tests.items()[test as usize].1);
    stays || !tests.iter().any(named)
}

/// Whether control can come to where a variable is defined.
fn is_reached(code: &Code, var: Var) -> bool {
    code.definition(var).is_none_or(|pos| code.is_reachable(code.block(pos)))
}

/// New numbers of the φs, σs or copies of a web.
enum Kept {
    /// All stay, numbered from here.
    All(u32),
    /// By old number, [`NONE`] if it goes.
    Some(Vec<u32>),
}

impl Kept {
    #[inline]
    fn of(&self, k: u32) -> u32 {
        match self {
            Kept::All(first) => first + k,
            Kept::Some(numbers) => numbers[k as usize],
        }
    }
}

/// Moves what is left of a web into the view.
fn commit(view: &mut View, var: Var, places: &Places, web: &mut Web, cleaned: bool) {
    let mut number = std::mem::take(&mut web.number);
    number.clear();
    number.resize(web.defs.len(), NONE);
    let first = view.version_count() as u32;
    let mut next = first;
    let (phis, sigmas, copies) =
        (view.phis.len() as u32, view.sigmas.len() as u32, view.copies.len() as u32);
    // The numbers of those that stay.
    let keep = |gone: &dyn Fn(usize) -> bool, len: usize, first: u32| -> Kept {
        let mut at = first;
        let mut one = |k: usize| {
            if gone(k) {
                return NONE;
            }
            at += 1;
            at - 1
        };
        if cleaned { Kept::Some((0..len).map(&mut one).collect()) } else { Kept::All(first) }
    };
    let phi_number = keep(&|k| web.phi_is_gone(k), places.phis.len(), phis);
    let sigma_number = keep(&|k| web.sigma_is_gone(k), places.sigmas.len(), sigmas);
    let copy_number = keep(&|k| web.copy_is_gone(k), places.copies.len(), copies);
    let original = view.code.original(var);
    for (local, &def) in web.defs.iter().enumerate() {
        let (here, def) = match def {
            Def::Param | Def::Instr(_) => {
                if let Some(original) = original {
                    number[local] = original;
                    continue;
                }
                (true, def)
            }
            Def::Phi(k) => (web.phi_result[k as usize] != NONE, Def::Phi(phi_number.of(k))),
            Def::Sigma(k, edge) => {
                let at = web.sigma_start[k as usize] as usize + view.code.graph.position(edge);
                (web.sigma_results[at] != NONE, Def::Sigma(sigma_number.of(k), edge))
            }
            Def::Copy(k) => (web.copy_result[k as usize] != NONE, Def::Copy(copy_number.of(k))),
        };
        let gone = matches!(def, Def::Phi(NONE) | Def::Sigma(NONE, _) | Def::Copy(NONE));
        if here && !gone {
            number[local] = next;
            next += 1;
            view.add_version(var, def);
        }
    }
    let global = |local: u32| if local == NONE { NONE } else { number[local as usize] };
    for (k, &block) in places.phis.iter().enumerate() {
        if phi_number.of(k as u32) != NONE {
            view.phis.push(Phi { var, block, result: Version(global(web.phi_result[k])) });
            for arg in web.phi_start[k]..web.phi_start[k + 1] {
                view.phi_args.push(global(web.phi_args[arg as usize]));
            }
            view.phi_args.end_row();
        }
    }
    for (k, &block) in places.sigmas.iter().enumerate() {
        if sigma_number.of(k as u32) != NONE {
            view.sigmas.push(Sigma { var, block, source: Version(global(web.sigma_source[k])) });
            for result in web.sigma_start[k]..web.sigma_start[k + 1] {
                view.sigma_results.push(global(web.sigma_results[result as usize]));
            }
            view.sigma_results.end_row();
        }
    }
    for (k, &pos) in places.copies.iter().enumerate() {
        if copy_number.of(k as u32) != NONE {
            view.copies.push(ParallelCopy {
                var,
                pos: crate::code::Pos(pos),
                source: Version(global(web.copy_source[k])),
                result: Version(global(web.copy_result[k])),
            });
        }
    }
    let read = |versions: &mut [u32], by: &[(u32, u32)]| {
        for &(k, version) in by {
            versions[k as usize] = global(version);
        }
    };
    let code = view.code.clone();
    let (new, _) = view.was_split(&code, var, first);
    read(new.uses, &web.uses);
    read(new.tests, &web.tests);
    if original.is_none() {
        read(new.defs, &web.actual_defs);
        if let [param] = new.param {
            *param = global(web.param);
        }
    }
    web.number = number;
}
