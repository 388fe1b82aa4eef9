//! Masks and φ values as variables, and their SSA form in the linearized program.
//!
//! φs are placed at iterated dominance frontiers; one walk over the dominator tree renames all variables.

use super::Role;
use super::masks::Masks;
use crate::edit::{self, Entries, Shape};
use lw_divergence::{Divergence, Stride};
use lw_graph::{DominatorTree, Edge, FrontierScratch, Frontiers, Graph, Node, Place, Region};
use lw_ir::constant::Constant;
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Type, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// An assignment to a variable because of the edge of the program at `position` of the branch of `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Update {
    pub(super) variable: usize,
    pub(super) from: Block,
    pub(super) position: usize,
}

/// Where variables are assigned.
pub(super) struct Variables {
    start: Vec<Vec<Update>>,
    end: Vec<Vec<Update>>,
    edges: FxHashMap<(Block, usize), Vec<Update>>,
}

impl Variables {
    pub(super) fn new(blocks: usize) -> Variables {
        Variables {
            start: vec![Vec::new(); blocks],
            end: vec![Vec::new(); blocks],
            edges: FxHashMap::default(),
        }
    }

    pub(super) fn at_end(&mut self, b: Block, update: Update) {
        self.end[node(b).index()].push(update);
    }

    pub(super) fn at_start(&mut self, b: Block, update: Update) {
        let at = node(b).index();
        if self.start.len() <= at {
            self.start.resize(at + 1, Vec::new());
            self.end.resize(at + 1, Vec::new());
        }
        self.start[at].push(update);
    }

    pub(super) fn on_edge(&mut self, b: Block, position: usize, update: Update) {
        self.edges.entry((b, position)).or_default().push(update);
    }

    fn all_start(&self, b: Block) -> &[Update] {
        self.start.get(node(b).index()).map_or(&[], Vec::as_slice)
    }

    fn all_end(&self, b: Block) -> &[Update] {
        self.end.get(node(b).index()).map_or(&[], Vec::as_slice)
    }
}

/// Gives blocks their predicates and φs their values.
pub(super) fn rename(
    function: &mut Function,
    divergence: &Divergence<Stride>,
    shape: &Shape,
    masks: &mut Masks,
    roles: &[Role],
    variables: &Variables,
    entries: &Entries,
) -> Vec<(Value, Stride)> {
    let graph = forward_graph(function, shape);
    let dominators = DominatorTree::compute(&graph);
    let mut rename = Rename {
        phis: place_phis(function, shape, &graph, &dominators, roles, variables),
        function,
        divergence,
        shape,
        masks,
        roles,
        variables,
        entries,
        graph: &graph,
        now: Vec::new(),
        log: Vec::new(),
        values: FxHashMap::default(),
        pins: FxHashMap::default(),
        copies: Vec::new(),
    };
    rename.start();
    rename.walk(&dominators);
    rename.keep_shapes();
    let values = std::mem::take(&mut rename.values);
    let pins = std::mem::take(&mut rename.pins);
    let mut gone: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
    for role in roles {
        if let Role::Phi { phi, .. } = *role {
            gone.entry(read_at(function, *role)).or_default().push(phi);
        }
    }
    gone.iter().for_each(|(&b, phis)| function.erase_all(b, phis));
    edit::replace_all(function, &values);
    pins.into_iter().collect()
}

/// The linearized program without back edges.
fn forward_graph(function: &Function, shape: &Shape) -> Graph {
    let is_back = |from: Block, to: Block| {
        let known = shape.number(from).zip(shape.number(to));
        known.is_some_and(|(a, b)| b <= a)
    };
    let mut edges = Vec::new();
    for &from in function.blocks() {
        for &to in function.successors(from) {
            if !is_back(from, to) {
                edges.push((node(from), node(to)));
            }
        }
    }
    let entry = function.entry().expect("the function has a body");
    Graph::from_edges(function.block_count(), node(entry), edges)
}

fn read_at(function: &Function, role: Role) -> Block {
    match role {
        Role::Mask(b) => b,
        Role::Phi { phi, .. } => function.block_of(phi).expect("φs stand in blocks"),
    }
}

fn initial(function: &mut Function, masks: &Masks, role: Role) -> Value {
    match role {
        Role::Mask(_) => masks.off(),
        Role::Phi { phi, .. } => {
            let ty = function[phi].ty;
            function.constant(Constant::poison(ty))
        }
    }
}

/// The new φs: by block, the variable and the instruction.
fn place_phis(
    function: &mut Function,
    shape: &Shape,
    graph: &Graph,
    dominators: &DominatorTree,
    roles: &[Role],
    variables: &Variables,
) -> FxHashMap<Block, Vec<(usize, Inst)>> {
    let mut places: Vec<Vec<Place>> = vec![Vec::new(); roles.len()];
    for &b in function.blocks() {
        for update in variables.all_start(b).iter().chain(variables.all_end(b)) {
            places[update.variable].push(Place::Node(node(b)));
        }
    }
    for (&(from, position), updates) in &variables.edges {
        let edge = edge_at(function, graph, from, position);
        updates.iter().for_each(|update| places[update.variable].push(Place::Edge(edge)));
    }
    let frontiers = Frontiers::compute(graph, dominators);
    let mut scratch = FrontierScratch::new();
    let mut phis: FxHashMap<Block, Vec<(usize, Inst)>> = FxHashMap::default();
    for (variable, (places, &role)) in places.into_iter().zip(roles).enumerate() {
        let last = shape.number(read_at(function, role));
        let last = last.expect("variables belong to reachable blocks");
        let mut found = Vec::new();
        frontiers.add_iterated_within(places, &mut scratch, &mut found, &UpTo { shape, last });
        found.sort_unstable();
        let ty = match role {
            Role::Mask(_) => Type::I1,
            Role::Phi { phi, .. } => function[phi].ty,
        };
        for n in found {
            let phi = function.insert(InsertAt::Start(block(n)), InstData::new(Op::Phi, ty, &[]));
            phis.entry(block(n)).or_default().push((variable, phi));
        }
    }
    phis
}

/// The blocks up to the one that reads a variable. Control goes on to higher numbers; new blocks have none, and are no joins.
struct UpTo<'a> {
    shape: &'a Shape,
    last: usize,
}

impl Region for UpTo<'_> {
    fn enters(&self, node: Node, _: bool) -> bool {
        self.shape.number(block(node)).is_none_or(|number| number < self.last)
    }

    fn holds(&self, node: Node) -> bool {
        self.shape.number(block(node)).is_none_or(|number| number <= self.last)
    }
}

/// The edge of the graph without back edges that belongs to a target of a terminator.
fn edge_at(function: &Function, graph: &Graph, from: Block, position: usize) -> Edge {
    let to = node(function.successors(from)[position]);
    let mut edges = graph.successor_edges(node(from));
    edges.find(|&e| graph.target(e) == to).expect("forward edges are in the graph")
}

struct Rename<'a> {
    function: &'a mut Function,
    divergence: &'a Divergence<Stride>,
    shape: &'a Shape,
    masks: &'a mut Masks,
    roles: &'a [Role],
    variables: &'a Variables,
    /// What the old φs get.
    entries: &'a Entries,
    graph: &'a Graph,
    phis: FxHashMap<Block, Vec<(usize, Inst)>>,
    now: Vec<Value>,
    /// What to put back when the walk leaves a block.
    log: Vec<(usize, Value)>,
    /// What takes the place of the old φs.
    values: FxHashMap<Value, Value>,
    /// Shapes of new values.
    pins: FxHashMap<Value, Stride>,
    /// Copies of what takes the place of φs that have a shape.
    copies: Vec<(Value, Value)>,
}

impl Rename<'_> {
    fn start(&mut self) {
        let roles = self.roles;
        self.now = roles.iter().map(|&role| initial(self.function, self.masks, role)).collect();
    }

    fn walk(&mut self, dominators: &DominatorTree) {
        let mut stack = vec![(dominators.root(), None)];
        while let Some((n, mark)) = stack.pop() {
            if let Some(mark) = mark {
                while self.log.len() > mark {
                    let (variable, value) = self.log.pop().expect("it is longer");
                    self.now[variable] = value;
                }
                continue;
            }
            stack.push((n, Some(self.log.len())));
            self.block(n);
            let children: Vec<Node> = dominators.children(n).collect();
            stack.extend(children.into_iter().map(|child| (child, None)));
        }
    }

    fn assign(&mut self, variable: usize, value: Value) {
        self.log.push((variable, self.now[variable]));
        self.now[variable] = value;
    }

    fn block(&mut self, n: Node) {
        let b = block(n);
        for (variable, phi) in self.phis.get(&b).cloned().unwrap_or_default() {
            let value = self.function.result(phi);
            self.pin(variable, value);
            self.assign(variable, value);
        }
        let first = self.function.phis(b).count();
        let first = self.function.insts(b)[first];
        if let [edge] = *self.graph.predecessor_edges(n) {
            for update in self.edge_updates(edge) {
                let value = self.updated(first, update);
                self.assign(update.variable, value);
            }
        }
        for &update in self.variables.all_start(b) {
            let value = self.updated(first, update);
            self.assign(update.variable, value);
        }
        self.read(b, first);
        let last = self.function.terminator(b).expect("blocks end in terminators");
        self.header_shadows(b, last);
        for &update in self.variables.all_end(b) {
            let value = self.updated(last, update);
            self.assign(update.variable, value);
        }
        for edge in self.graph.successor_edges(n) {
            let to = block(self.graph.target(edge));
            let several = self.graph.predecessor_edges(node(to)).len() > 1;
            let updates = if several { self.edge_updates(edge) } else { Vec::new() };
            let mut over: FxHashMap<usize, Value> = FxHashMap::default();
            for update in updates {
                let old = over.get(&update.variable).copied();
                let value = match old {
                    None => self.updated(last, update),
                    Some(old) => self.updated_from(last, update, old),
                };
                over.insert(update.variable, value);
            }
            for (variable, phi) in self.phis.get(&to).cloned().unwrap_or_default() {
                let value = over.get(&variable).copied().unwrap_or(self.now[variable]);
                edit::add_incoming(self.function, phi, value, b);
            }
        }
    }

    /// The updates on an edge of the linearized program.
    fn edge_updates(&self, edge: Edge) -> Vec<Update> {
        let from = block(self.graph.source(edge));
        let to = block(self.graph.target(edge));
        let position = self.function.successors(from).iter().position(|&t| t == to);
        let found = position.and_then(|position| self.variables.edges.get(&(from, position)));
        found.cloned().unwrap_or_default()
    }

    fn updated(&mut self, before: Inst, update: Update) -> Value {
        self.updated_from(before, update, self.now[update.variable])
    }

    /// The value of a variable after an assignment.
    fn updated_from(&mut self, before: Inst, update: Update, old: Value) -> Value {
        let Update { variable, from, position } = update;
        match self.roles[variable] {
            Role::Mask(_) => {
                let edge = self.masks.edge(self.function, before, from, position);
                self.masks.or(self.function, before, old, edge)
            }
            Role::Phi { phi, together } => {
                let value = self.entries.incoming(self.function, phi, from);
                if old == value {
                    return old;
                }
                if edit::is_poison(self.function, old) {
                    return value;
                }
                let mut edge = self.masks.edge(self.function, before, from, position);
                if self.masks.is_on(edge) {
                    return value;
                }
                if together {
                    edge = self.masks.any(self.function, before, edge);
                }
                let value = self.select(before, [edge, value, old]);
                self.pin(variable, value);
                value
            }
        }
    }

    fn select(&mut self, before: Inst, args: [Value; 3]) -> Value {
        let ty = self.function.ty(args[1]);
        let data = InstData::new(Op::Select, ty, &args).made_from(&self.function[before]);
        let inst = self.function.insert(InsertAt::Before(before), data);
        self.function[inst].total = true;
        self.function.result(inst)
    }

    /// What a block reads when control enters it: its mask, and the values of its φs.
    fn read(&mut self, b: Block, first: Inst) {
        if self.shape.number(b).is_none() {
            return;
        }
        for variable in self.own_variables(b) {
            match self.roles[variable] {
                Role::Mask(_) => self.masks.set(b, self.now[variable]),
                Role::Phi { phi, .. } => {
                    let mut value = self.now[variable];
                    if let Some(shadow) = self.function[phi].shadow() {
                        let mask = self.masks.of(b);
                        if !self.masks.is_on(mask) {
                            value = self.select(first, [mask, value, shadow]);
                        }
                    }
                    let old = self.function.result(phi);
                    self.keep_name(old, value);
                    self.values.insert(old, value);
                    let fact = self.divergence.fact(old);
                    if fact.own.is_empty() && fact.shape.stride().is_some() {
                        let on = self.function.constant(Constant::bool(true));
                        let ty = self.function.ty(value);
                        let data = InstData::new(Op::Select, ty, &[on, value, value]);
                        let copy = self.function.insert(InsertAt::Before(first), data);
                        self.copies.push((old, self.function.result(copy)));
                    }
                }
            }
        }
        let mask = self.masks.of(b);
        if self.masks.varies(b) && !self.masks.is_on(mask) {
            self.function.set_predicate(b, Some(mask));
        }
    }

    fn keep_name(&mut self, old: Value, new: Value) {
        if self.function.def_inst(new).is_some() && self.function.value_name(new).is_none() {
            let name = self.function.value_name(old).cloned();
            self.function.set_value_name(new, name);
        }
    }

    fn own_variables(&self, b: Block) -> Vec<usize> {
        let first = self.roles.partition_point(|&role| self.order(role) < self.order_of(b));
        (first..self.roles.len())
            .take_while(|&v| read_at(self.function, self.roles[v]) == b)
            .collect()
    }

    fn order(&self, role: Role) -> usize {
        self.order_of(read_at(self.function, role))
    }

    fn order_of(&self, b: Block) -> usize {
        self.shape.number(b).expect("variables belong to reachable blocks")
    }

    /// Loop headers keep their φs; threads that do not enter over an edge bring the shadow.
    fn header_shadows(&mut self, from: Block, last: Inst) {
        for to in self.function.successors(from).to_vec() {
            if !self.shape.is_header(to) {
                continue;
            }
            for phi in self.function.phis(to).collect::<Vec<_>>() {
                let Some(shadow) = self.function[phi].shadow() else { continue };
                let mask = self.masks.of(from);
                if self.masks.is_on(mask) {
                    continue;
                }
                let value = edit::incoming(self.function, phi, from);
                let value = self.select(last, [mask, value, shadow]);
                let at = self.function[phi].targets.iter().position(|&t| t == from);
                self.function[phi].args[at.expect("it comes from there")] = value;
            }
        }
    }

    /// What a variable holds has the shape of the φ, where threads come together, if what it was assigned has.
    fn pin(&mut self, variable: usize, value: Value) {
        if let Role::Phi { phi, together: true } = self.roles[variable] {
            let fact = self.divergence.fact(self.function.result(phi));
            if fact.own.is_empty() && fact.shape.stride().is_some() {
                self.pins.insert(value, fact.shape);
            }
        }
    }

    /// Drops shapes that do not hold, and gives φs that had a shape a copy where what took their place has another: all threads
    /// that are active in the block still have it.
    fn keep_shapes(&mut self) {
        loop {
            let wrong = |(&value, shape): (&Value, &Stride)| {
                let data = &self.function[self.function.def_inst(value)?];
                let skip = usize::from(data.op == Op::Select);
                let holds = data.args[skip..].iter().all(|&arg| self.has_shape(arg, shape));
                (!holds).then_some(value)
            };
            let gone: Vec<Value> = self.pins.iter().filter_map(wrong).collect();
            if gone.is_empty() {
                break;
            }
            for value in gone {
                self.pins.remove(&value);
            }
        }
        for (old, copy) in std::mem::take(&mut self.copies) {
            let (fact, new) = (self.divergence.fact(old), self.values[&old]);
            if !self.has_shape(new, &fact.shape) {
                self.values.insert(old, copy);
                self.pins.insert(copy, fact.shape);
            }
        }
    }

    fn has_shape(&self, value: Value, shape: &Stride) -> bool {
        if self.function.as_constant(value).is_some() {
            return edit::is_poison(self.function, value) || shape.stride() == Some(0);
        }
        if let Some(pinned) = self.pins.get(&value) {
            return pinned.stride() == shape.stride();
        }
        let fact = self.divergence.fact(value);
        !fact.is_bottom() && fact.own.is_empty() && fact.shape.stride() == shape.stride()
    }
}
