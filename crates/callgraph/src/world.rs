//! Several modules as one program: which name means which function or variable.

use lw_ir::symbols::{SymbolKind, SymbolName, Symbols};
use lw_ir::{Constant, Function, Linkage, Linkages, Module};
use rustc_hash::FxHashMap;

/// A module of the program, and who may see what is in it.
#[derive(Clone, Copy)]
pub struct Part<'m> {
    /// The module.
    pub module: &'m Module,
    /// The linkage of its globals.
    pub linkages: &'m Linkages,
}

/// A function of the program, or one outside that the program names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(pub u32);

impl FuncId {
    /// Its number, from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a function.
#[derive(Clone, Copy, Debug)]
pub struct FuncData<'m> {
    /// How it is called.
    pub name: &'m SymbolName,
    /// Where it is defined: the module and the position in it. `None` if it is outside.
    pub place: Option<(usize, usize)>,
    /// The linkage of its definition.
    pub linkage: Linkage,
    /// How many parameters it has.
    pub params: usize,
    /// Whether it takes further arguments.
    pub varargs: bool,
    /// Whether another definition counts instead.
    pub replaced: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Function(FuncId),
    /// A global variable: the module and the position in it.
    Variable(usize, usize),
    /// Another name: the module and the position in it.
    Alias(usize, usize),
    /// A variable defined elsewhere.
    Outside,
    /// An intrinsic of LLVM.
    Intrinsic,
}

/// The names of a program.
pub(crate) struct World<'m> {
    pub(crate) parts: Vec<Part<'m>>,
    pub(crate) functions: Vec<FuncData<'m>>,
    /// By module.
    local: Vec<FxHashMap<&'m SymbolName, Target>>,
    shared: FxHashMap<&'m SymbolName, (Linkage, Target)>,
    /// What the symbols of each function stand for, by module and function.
    pub(crate) symbols: Vec<Vec<Vec<Target>>>,
    /// The same for initializers.
    pub(crate) globals: Vec<Vec<Target>>,
}

impl<'m> World<'m> {
    pub(crate) fn new(parts: &[Part<'m>]) -> World<'m> {
        let mut world = World {
            parts: parts.to_vec(),
            functions: Vec::new(),
            local: vec![FxHashMap::default(); parts.len()],
            shared: FxHashMap::default(),
            symbols: Vec::new(),
            globals: Vec::new(),
        };
        for (at, part) in parts.iter().enumerate() {
            world.define(at, *part);
        }
        for id in 0..world.functions.len() {
            let data = world.functions[id];
            let Some((at, _)) = data.place else { continue };
            let counts = world.find(at, data.name) == Some(Target::Function(FuncId(id as u32)));
            world.functions[id].replaced = !counts;
        }
        for (at, part) in parts.iter().enumerate() {
            let module = part.module;
            let functions = module.functions.iter();
            let symbols = functions.map(|f| world.resolve_all(at, &f.symbols)).collect();
            world.symbols.push(symbols);
            let globals = world.resolve_all(at, &module.symbols);
            world.globals.push(globals);
        }
        world
    }

    fn define(&mut self, at: usize, part: Part<'m>) {
        for (index, function) in part.module.functions.iter().enumerate() {
            if function.entry().is_none() {
                continue;
            }
            let linkage = part.linkages.get(&function.name);
            let id = FuncId(self.functions.len() as u32);
            // One that gives way to another definition is left out; what it calls nobody calls.
            if self.enter(at, &function.name, linkage, Target::Function(id)) {
                self.functions.push(FuncData {
                    name: &function.name,
                    place: Some((at, index)),
                    linkage,
                    params: function.params().len(),
                    varargs: function.signature.varargs,
                    replaced: false,
                });
            }
        }
        for (index, global) in part.module.globals.iter().enumerate() {
            if global.init.is_some() {
                let linkage = part.linkages.get(&global.name);
                self.enter(at, &global.name, linkage, Target::Variable(at, index));
            }
        }
        for (index, alias) in part.module.aliases.iter().enumerate() {
            let linkage = part.linkages.get(&alias.name);
            self.enter(at, &alias.name, linkage, Target::Alias(at, index));
        }
    }

    /// Enters a definition, unless an earlier one is as strong. A weaker one that is there already gives way.
    fn enter(&mut self, at: usize, name: &'m SymbolName, linkage: Linkage, target: Target) -> bool {
        if linkage == Linkage::Local {
            self.local[at].insert(name, target);
            return true;
        }
        match self.shared.get_mut(name) {
            Some((known, _)) if *known >= linkage => false,
            Some(entry) => {
                *entry = (linkage, target);
                true
            }
            None => {
                self.shared.insert(name, (linkage, target));
                true
            }
        }
    }

    /// What a name means in a module.
    pub(crate) fn find(&self, at: usize, name: &SymbolName) -> Option<Target> {
        let local = self.local[at].get(name).copied();
        local.or_else(|| self.shared.get(name).map(|(_, target)| *target))
    }

    fn resolve_all(&mut self, at: usize, symbols: &'m Symbols) -> Vec<Target> {
        let mut targets = Vec::new();
        for (_, data) in symbols.iter() {
            let target = match self.find(at, &data.name) {
                Some(target) => target,
                None => match &data.kind {
                    SymbolKind::Variable { .. } => Target::Outside,
                    SymbolKind::Function { .. } if is_intrinsic(&data.name) => Target::Intrinsic,
                    SymbolKind::Function { .. } => {
                        let id = FuncId(self.functions.len() as u32);
                        self.functions.push(FuncData {
                            name: &data.name,
                            place: None,
                            linkage: Linkage::Outside,
                            params: 0,
                            varargs: true,
                            replaced: false,
                        });
                        self.shared.insert(&data.name, (Linkage::Outside, Target::Function(id)));
                        Target::Function(id)
                    }
                },
            };
            targets.push(target);
        }
        targets
    }

    /// The body of a function.
    pub(crate) fn body(&self, id: FuncId) -> Option<(usize, &'m Function)> {
        let (part, index) = self.functions[id.index()].place?;
        Some((part, &self.parts[part].module.functions[index]))
    }

    /// The address that an alias stands for.
    pub(crate) fn alias(&self, at: usize, index: usize) -> &'m Constant {
        &self.parts[at].module.aliases[index].target
    }
}

pub(crate) fn is_intrinsic(name: &SymbolName) -> bool {
    name.as_str().is_some_and(|name| name.starts_with("llvm."))
}
