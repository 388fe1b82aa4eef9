//! What splitting produces: versions of variables, and φs, σs and copies between them, over an unchanged program.
//!
//! A [`View`] leaves the program as it is and adds what SSIfy would insert: for each use of a variable the
//! [`Version`] it reads, for each definition the version it writes, and three kinds of new instructions. They are
//! parallel assignments: φs of a block happen together at its join, σs together at its fork, and copies together with the
//! instruction they stand beside (003 §2.1).

use crate::code::{Code, NONE, Point, Pos};
use crate::program::Var;
use lw_graph::rows::Rows;
use lw_graph::{Edge, Node};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A version of a variable: a part of its live range with one definition and one piece of information.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub(crate) u32);

impl Version {
    /// The index of this version, below [`View::version_count`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The version with this index.
    #[inline]
    pub const fn new(index: usize) -> Version {
        Version(index as u32)
    }

    #[inline]
    pub(crate) fn from_table(raw: u32) -> Option<Version> {
        (raw != NONE).then_some(Version(raw))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// What defines a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// The call of the program: it is a parameter.
    Param,
    /// An instruction of the program.
    Instr(Pos),
    /// A φ of the view, by index.
    Phi(u32),
    /// A σ of the view, by index, on this edge.
    Sigma(u32, Edge),
    /// A copy of the view, by index.
    Copy(u32),
}

/// `result = φ(…)` at the join of a block; the operands are [`View::phi_args`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phi {
    /// The variable it merges.
    pub var: Var,
    /// Where it stands.
    pub block: Node,
    /// The version it defines.
    pub result: Version,
}

/// `(…) = σ(source)` at the fork of a block; the results are [`View::sigma_results`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sigma {
    /// The variable it splits.
    pub var: Var,
    /// Where it stands.
    pub block: Node,
    /// The version it reads.
    pub source: Version,
}

/// `result = source`, in parallel with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParallelCopy {
    /// The variable it splits.
    pub var: Var,
    /// The instruction it stands beside.
    pub pos: Pos,
    /// The version it reads.
    pub source: Version,
    /// The version it defines.
    pub result: Version,
}

/// A program after live-range splitting.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) code: Arc<Code>,
    /// The versions that splitting made: their variables and what defines them. The original ones are in the tables of
    /// [`Code`] and come before them.
    pub(crate) added: Vec<(Var, Def)>,
    pub(crate) phis: Vec<Phi>,
    pub(crate) phi_args: Rows<u32>,
    pub(crate) sigmas: Vec<Sigma>,
    pub(crate) sigma_results: Rows<u32>,
    pub(crate) copies: Vec<ParallelCopy>,
    pub(crate) phis_at: Rows<u32>,
    pub(crate) sigmas_at: Rows<u32>,
    pub(crate) copies_at: Rows<u32>,
    /// How many versions are original: an SSA program has one of each variable, numbered as [`Code::original`] says.
    pub(crate) originals: u32,
    /// The variables that were split.
    pub(crate) split: Vec<Split>,
    /// The versions at the uses, tests and, unless the program is in SSA form, definitions of the variables that were
    /// split, variable by variable; [`NONE`] where no definition reaches.
    split_versions: Vec<u32>,
    /// By variable: one more than its index in `split`, or zero. Empty as long as none was split.
    split_of: Vec<u32>,
    /// Made when it is asked for.
    read: OnceLock<Read>,
    /// Memory for it.
    unread: Read,
}

/// The versions at all entries of the tables of uses and of tests.
#[derive(Clone, Debug, Default)]
struct Read {
    uses: Vec<u32>,
    tests: Vec<u32>,
}

/// A variable that was split, and its versions beside the original one: they are consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) var: Var,
    pub(crate) first: u32,
    pub(crate) end: u32,
    /// Where its part of `split_versions` begins.
    at: u32,
}

/// The versions of a variable that was split: at its uses, at its tests, and, unless the program is in SSA form, at its
/// definitions and on entry, if it has a value there.
pub(crate) struct SplitVersions<'a> {
    pub(crate) uses: &'a mut [u32],
    pub(crate) tests: &'a mut [u32],
    pub(crate) defs: &'a mut [u32],
    pub(crate) param: &'a mut [u32],
}

impl View {
    /// Memory for a view of a program.
    pub(crate) fn new(code: Arc<Code>) -> View {
        View {
            added: Vec::new(),
            phis: Vec::new(),
            phi_args: Rows::default(),
            sigmas: Vec::new(),
            sigma_results: Rows::default(),
            copies: Vec::new(),
            phis_at: Rows::default(),
            sigmas_at: Rows::default(),
            copies_at: Rows::default(),
            originals: 0,
            split: Vec::new(),
            split_versions: Vec::new(),
            split_of: Vec::new(),
            read: OnceLock::new(),
            unread: Read::default(),
            code,
        }
    }

    /// Turns to a program before any variable is split: in SSA form each has its original version, else none has any. There is room
    /// for what splitting so many adds; the memory of what was there is used again.
    pub(crate) fn begin(&mut self, code: Arc<Code>, split: usize) {
        self.originals = if code.ssa { code.original_count() as u32 } else { 0 };
        self.code = code;
        if let Some(read) = self.read.take() {
            self.unread = read;
        }
        again(&mut self.added, 8 * split);
        again(&mut self.phis, 2 * split);
        self.phi_args.begin(2 * split, 6 * split);
        again(&mut self.sigmas, 4 * split);
        self.sigma_results.begin(4 * split, 8 * split);
        self.copies.clear();
        again(&mut self.split, split);
        again(&mut self.split_versions, 8 * split);
        self.split_of.clear();
    }

    /// Sorts what was added by place.
    pub(crate) fn finish(&mut self) {
        let n = self.code.graph.node_count();
        let numbered = |i: usize| i as u32;
        if !self.phis.is_empty() {
            let phis = self.phis.iter().enumerate();
            self.phis_at.regroup(n, phis.map(|(i, phi)| (phi.block.index(), numbered(i))));
        }
        if !self.sigmas.is_empty() {
            let sigmas = self.sigmas.iter().enumerate();
            self.sigmas_at.regroup(n, sigmas.map(|(i, s)| (s.block.index(), numbered(i))));
        }
        if !self.copies.is_empty() {
            let copies = self.copies.iter().enumerate();
            let rows = self.code.len();
            self.copies_at.regroup(rows, copies.map(|(i, c)| (c.pos.index(), numbered(i))));
        }
    }

    /// The program.
    #[inline]
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// How many versions there are.
    #[inline]
    pub fn version_count(&self) -> usize {
        self.originals as usize + self.added.len()
    }

    /// Adds a version.
    #[inline]
    pub(crate) fn add_version(&mut self, var: Var, def: Def) {
        self.added.push((var, def));
    }

    /// Notes that a variable has the versions from `first` on, beside its original one, and asks where it has which. Also
    /// hands out the results of σs.
    pub(crate) fn was_split(
        &mut self,
        code: &Code,
        var: Var,
        first: u32,
    ) -> (SplitVersions<'_>, &[u32]) {
        let (uses, tests) = (code.uses_of.row(var.index()).len(), code.tests_of(var).len());
        let (defs, param) = if code.ssa {
            (0, 0)
        } else {
            (code.defs_of(var).len(), usize::from(code.param_of(var).is_some()))
        };
        let (at, end) = (self.split_versions.len(), self.version_count() as u32);
        if self.split.is_empty() {
            self.split_of.resize(code.variables, 0);
        }
        self.split.push(Split { var, first, end, at: at as u32 });
        self.split_of[var.index()] = self.split.len() as u32;
        let unread = code.original(var).unwrap_or(NONE);
        self.split_versions.resize(at + uses + tests + defs + param, unread);
        let (uses, rest) = self.split_versions[at..].split_at_mut(uses);
        let (tests, rest) = rest.split_at_mut(tests);
        let (defs, param) = rest.split_at_mut(defs);
        (SplitVersions { uses, tests, defs, param }, self.sigma_results.items())
    }

    /// The versions at the uses and at the tests of a variable that was split.
    pub(crate) fn versions_read(&self, split: &Split) -> (&[u32], &[u32]) {
        let code = &*self.code;
        let uses = code.uses_of.row(split.var.index()).len();
        let tests = code.tests_of(split.var).len();
        self.split_versions[split.at as usize..][..uses + tests].split_at(uses)
    }

    /// Who reads which version.
    #[inline]
    fn read(&self) -> &Read {
        self.read.get_or_init(|| self.find_read(Read::default()))
    }

    /// Finds out now who reads which version, in the memory of a view that was here before.
    pub(crate) fn read_now(&mut self) {
        let memory = std::mem::take(&mut self.unread);
        self.read = OnceLock::from(self.find_read(memory));
    }

    fn find_read(&self, memory: Read) -> Read {
        let code = &*self.code;
        let Read { mut uses, mut tests } = memory;
        uses.clear();
        tests.clear();
        // Most variables are not split.
        let originals = code.originals();
        let only = |var: &Var| originals.map_or(NONE, |only| only[var.index()]);
        uses.extend(code.uses.items().iter().map(only));
        tests.extend(code.tests.items().iter().map(|(var, _)| only(var)));
        for split in &self.split {
            let (at_uses, at_tests) = self.versions_read(split);
            let var = split.var.index();
            for (&at, &version) in code.uses_of.row(var).iter().zip(at_uses) {
                uses[at as usize] = version;
            }
            for (&at, &version) in code.tests_of(split.var).iter().zip(at_tests) {
                tests[at as usize] = version;
            }
        }
        Read { uses, tests }
    }

    /// The version at an entry of the table of uses.
    #[inline]
    pub(crate) fn use_version(&self, at: usize) -> u32 {
        self.read().uses[at]
    }

    /// The versions beside the table of uses.
    #[inline]
    pub(crate) fn use_versions(&self) -> &[u32] {
        &self.read().uses
    }

    /// The version at an entry of the table of tests.
    #[inline]
    pub(crate) fn test_version(&self, test: usize) -> u32 {
        self.read().tests[test]
    }

    /// The versions beside the table of tests.
    #[inline]
    pub(crate) fn test_versions(&self) -> &[u32] {
        &self.read().tests
    }

    /// The version at an entry of the table of definitions.
    #[inline]
    pub(crate) fn def_version(&self, def: usize) -> u32 {
        if self.code.ssa { def as u32 } else { self.def_version_of_several(def) }
    }

    fn def_version_of_several(&self, def: usize) -> u32 {
        let var = self.code.defs.items()[def];
        let Some(k) = self.split_of(var) else { return NONE };
        let (uses, tests) = self.versions_read(&self.split[k]);
        let at = self.split[k].at as usize + uses.len() + tests.len();
        let row = self.code.defs_of(var);
        row.binary_search(&(def as u32)).map_or(NONE, |i| self.split_versions[at + i])
    }

    /// The index of a variable in `split`.
    #[inline]
    pub(crate) fn split_of(&self, var: Var) -> Option<usize> {
        (*self.split_of.get(var.index())? as usize).checked_sub(1)
    }

    /// All versions: the originals of an SSA program, then those that splitting made, variable by variable.
    pub fn versions(&self) -> impl ExactSizeIterator<Item = Version> + use<> {
        (0..self.version_count()).map(Version::new)
    }

    /// The versions of a variable; that of its definition comes first in an SSA program.
    pub fn versions_of(&self, var: Var) -> impl Iterator<Item = Version> + use<> {
        let more = self.split_of(var).map_or(0..0, |k| self.split[k].first..self.split[k].end);
        self.code.original(var).into_iter().chain(more).map(Version)
    }

    /// The variable of a version.
    #[inline]
    pub fn var(&self, version: Version) -> Var {
        match version.index().checked_sub(self.originals as usize) {
            Some(added) => self.added[added].0,
            None => self.code.original_var(version.0),
        }
    }

    /// What defines a version.
    #[inline]
    pub fn def(&self, version: Version) -> Def {
        match version.index().checked_sub(self.originals as usize) {
            Some(added) => self.added[added].1,
            None => match self.code.def_pos.get(version.index()) {
                Some(&pos) => Def::Instr(Pos(pos)),
                None => Def::Param,
            },
        }
    }

    /// The φs, those of the program not included.
    pub fn phis(&self) -> &[Phi] {
        &self.phis
    }

    /// The operands of a φ, one for each edge of [`Graph::predecessor_edges`](lw_graph::Graph::predecessor_edges);
    /// `None` where the variable is undefined.
    pub fn phi_args(&self, phi: u32) -> impl ExactSizeIterator<Item = Option<Version>> + '_ {
        self.phi_args.row(phi as usize).iter().map(|&raw| Version::from_table(raw))
    }

    /// The φs at the join of a block, by index.
    #[inline]
    pub fn phis_at(&self, block: Node) -> &[u32] {
        if self.phis.is_empty() { &[] } else { self.phis_at.row(block.index()) }
    }

    /// The σs.
    pub fn sigmas(&self) -> &[Sigma] {
        &self.sigmas
    }

    /// The results of a σ, one for each successor edge of its block; `None` where the variable is dead.
    pub fn sigma_results(&self, sigma: u32) -> impl ExactSizeIterator<Item = Option<Version>> + '_ {
        self.sigma_results.row(sigma as usize).iter().map(|&raw| Version::from_table(raw))
    }

    /// The σs at the fork of a block, by index.
    #[inline]
    pub fn sigmas_at(&self, block: Node) -> &[u32] {
        if self.sigmas.is_empty() { &[] } else { self.sigmas_at.row(block.index()) }
    }

    /// The copies.
    pub fn copies(&self) -> &[ParallelCopy] {
        &self.copies
    }

    /// The copies beside an instruction, by index.
    #[inline]
    pub fn copies_at(&self, pos: Pos) -> &[u32] {
        if self.copies.is_empty() { &[] } else { self.copies_at.row(pos.index()) }
    }

    /// The variables an instruction reads, with their versions; `None` where no definition reaches.
    #[inline]
    pub fn uses(&self, pos: Pos) -> impl ExactSizeIterator<Item = (Var, Option<Version>)> + '_ {
        let range = self.code.uses.range(pos.index());
        range.map(|i| (self.code.uses.items()[i], Version::from_table(self.use_version(i))))
    }

    /// The version of a variable that a φ of the program reads on an edge.
    pub fn phi_use(&self, pos: Pos, var: Var, edge: Edge) -> Option<Version> {
        let mut range = self.code.uses.range(pos.index());
        let at = range.find(|&i| {
            self.code.uses.items()[i] == var && self.code.use_edge[i] == edge.index() as u32
        })?;
        Version::from_table(self.use_version(at))
    }

    /// The version of a variable that an instruction reads which is no φ.
    pub fn used(&self, pos: Pos, var: Var) -> Option<Version> {
        let at = self.code.uses(pos).iter().position(|&used| used == var)?;
        let at = at + self.code.uses.range(pos.index()).start;
        Version::from_table(self.use_version(at))
    }

    /// The variables an instruction writes, with their versions; `None` in unreachable code.
    #[inline]
    pub fn defs(&self, pos: Pos) -> impl ExactSizeIterator<Item = (Var, Option<Version>)> + '_ {
        let range = self.code.defs.range(pos.index());
        range.map(|i| (self.code.defs.items()[i], Version::from_table(self.def_version(i))))
    }

    /// The version of a parameter on entry.
    #[inline]
    pub fn param(&self, index: usize) -> Option<Version> {
        if self.code.ssa {
            return Some(Version((self.code.defs.items().len() + index) as u32));
        }
        let var = self.code.params[index];
        let split = &self.split[self.split_of(var)?];
        let (uses, tests) = self.versions_read(split);
        let defs = self.code.defs_of(var).len();
        let at = split.at as usize + uses.len() + tests.len() + defs;
        Version::from_table(self.split_versions[at])
    }

    /// The variables the branch of a block tests, with their versions at its fork.
    pub fn tests(&self, block: Node) -> impl ExactSizeIterator<Item = (Var, Option<Version>)> + '_ {
        let range = self.code.tests.range(block.index());
        range.map(|i| (self.code.tests.items()[i].0, Version::from_table(self.test_version(i))))
    }

    /// How many φs, σs and copies were added.
    pub fn inserted(&self) -> usize {
        self.phis.len() + self.sigmas.len() + self.copies.len()
    }

    /// The version of a variable that reaches a point: the one defined last on the way there. `None` if no definition
    /// reaches it for certain, and where control cannot be. Where the variable is dead the answer says nothing.
    pub fn version_at(&self, var: Var, point: Point) -> Option<Version> {
        let (block, at) = self.place_of_point(point);
        if !self.code.is_reachable(block) {
            return None;
        }
        let mut best: Option<(usize, u32, Version)> = None;
        for version in self.versions_of(var) {
            if let Def::Sigma(_, edge) = self.def(version)
                && point == Point::Edge(edge)
            {
                return Some(version);
            }
            let Some((def_block, def_at)) = self.place_of_def(version) else { continue };
            let reaches = self.code.dominators().dominates(def_block, block)
                && (def_block != block || def_at <= at);
            let depth = self.code.dominators().depth(def_block).unwrap_or(0);
            if reaches && best.is_none_or(|(d, a, _)| (d, a) < (depth, def_at)) {
                best = Some((depth, def_at, version));
            }
        }
        best.map(|(_, _, version)| version)
    }

    /// A block and a number such that a definition in it reaches the point if its number is not larger.
    fn place_of_point(&self, point: Point) -> (Node, u32) {
        match point {
            Point::Before(pos) => (self.code.block(pos), 2 * pos.0 + 2),
            Point::End(block) => (block, u32::MAX),
            Point::Edge(edge) => (self.code.graph.source(edge), u32::MAX),
        }
    }

    /// Where a version begins to be visible by dominance. A σ whose edge does not dominate its target is visible on the
    /// edge only.
    fn place_of_def(&self, version: Version) -> Option<(Node, u32)> {
        match self.def(version) {
            Def::Param => Some((self.code.graph.entry(), 1)),
            Def::Instr(pos) if self.code.is_phi(pos) => Some((self.code.block(pos), 1)),
            Def::Instr(pos) => Some((self.code.block(pos), 2 * pos.0 + 3)),
            Def::Phi(phi) => Some((self.phis[phi as usize].block, 1)),
            Def::Sigma(_, edge) => {
                self.code.edge_dominates_target(edge).then(|| (self.code.graph.target(edge), 0))
            }
            Def::Copy(copy) => {
                let pos = self.copies[copy as usize].pos;
                Some((self.code.block(pos), 2 * pos.0 + 3))
            }
        }
    }
}

/// Makes room for so many items in the memory of others.
fn again<T>(items: &mut Vec<T>, room: usize) {
    items.clear();
    items.reserve(room);
}
