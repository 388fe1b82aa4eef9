//! The modules of a program, and where their functions and calls come from.

use crate::failure::Failure;
use crate::input::{self, Kind};
use lw_callgraph::{CallGraph, FuncId, Part, instrument};
use lw_ir::{Inst, Linkages, Module};
use lw_llvm::{Context, Location};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// All modules.
pub(super) struct Program {
    files: Vec<File>,
}

struct File {
    path: PathBuf,
    module: Module,
    linkages: Linkages,
    /// Where the functions begin.
    functions: Vec<Option<Location>>,
    /// Where calls through pointers come from, by function.
    calls: HashMap<(usize, Inst), Location>,
}

impl Program {
    pub(super) fn read(paths: &[PathBuf]) -> Result<Program, Failure> {
        let mut seen = HashSet::new();
        if let Some(twice) = paths.iter().find(|path| !seen.insert(*path)) {
            return Err(Failure::cannot(format!("{}: given twice", twice.display())));
        }
        let files = paths.iter().map(|path| File::read(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Program { files })
    }

    pub(super) fn parts(&self) -> Vec<Part<'_>> {
        let files = self.files.iter();
        files.map(|file| Part { module: &file.module, linkages: &file.linkages }).collect()
    }

    /// Where a function begins.
    pub(super) fn place(&self, graph: &CallGraph<'_>, id: FuncId) -> Option<&Location> {
        let (file, index) = graph.function(id).place?;
        self.files[file].functions.get(index)?.as_ref()
    }

    /// Where a call through a pointer comes from.
    pub(super) fn call(&self, graph: &CallGraph<'_>, id: FuncId, inst: Inst) -> Option<&Location> {
        let (file, index) = graph.function(id).place?;
        self.files[file].calls.get(&(index, inst))
    }

    /// What a function is called; with its file, if several have one of this name.
    pub(super) fn names(&self, graph: &CallGraph<'_>) -> Vec<String> {
        let mut count: HashMap<_, usize> = HashMap::new();
        for (_, data) in graph.functions() {
            *count.entry(data.name).or_default() += 1;
        }
        let plain = |text: String| text.trim_start_matches('@').to_string();
        let name = |(_, data): (FuncId, &lw_callgraph::FuncData<'_>)| match data.place {
            Some((file, _)) if count[data.name] > 1 => {
                format!("{} ({})", plain(data.name.to_string()), self.files[file].path.display())
            }
            _ => plain(data.name.to_string()),
        };
        graph.functions().map(name).collect()
    }

    /// The calls through pointers in the order in which `--instrument` numbers them.
    pub(super) fn numbered(&self, graph: &CallGraph<'_>) -> Vec<(FuncId, Inst)> {
        let ids: HashMap<(usize, usize), FuncId> =
            graph.functions().filter_map(|(id, data)| Some((data.place?, id))).collect();
        let mut all = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            for (index, function) in file.module.functions.iter().enumerate() {
                let calls = instrument::indirect_calls(function);
                // A definition that another one replaces is never called; its numbers are taken all the same.
                let id = ids.get(&(at, index)).copied().unwrap_or(FuncId(u32::MAX));
                all.extend(calls.into_iter().map(|inst| (id, inst)));
            }
        }
        all
    }
}

impl File {
    fn read(path: &Path) -> Result<File, Failure> {
        if input::kind(path)? == Kind::LockStep {
            let module = input::program(path)?;
            let functions = vec![None; module.functions.len()];
            let (path, linkages) = (path.into(), Linkages::default());
            return Ok(File { path, module, linkages, functions, calls: HashMap::new() });
        }
        let context = Context::new();
        let mut from = input::llvm_module(&context, path)?;
        let mut bridge = from.bridge()?;
        let mut file = File {
            path: path.into(),
            module: bridge.globals(),
            linkages: bridge.linkages(),
            functions: Vec::new(),
            calls: HashMap::new(),
        };
        for (index, id) in bridge.functions().into_iter().enumerate() {
            let imported = bridge.import(id);
            let calls = instrument::indirect_calls(&imported.function);
            let (place, places) = bridge.places(&imported, &calls)?;
            file.functions.push(place);
            let found = calls.into_iter().zip(places);
            file.calls.extend(found.filter_map(|(inst, place)| Some(((index, inst), place?))));
            file.module.functions.push(imported.function);
        }
        Ok(file)
    }
}

/// A place in words.
pub(super) fn spot(location: &Location) -> String {
    let Location { file, line, column, .. } = location;
    let file = file.display();
    if *column > 0 { format!("{file}:{line}:{column}") } else { format!("{file}:{line}") }
}
