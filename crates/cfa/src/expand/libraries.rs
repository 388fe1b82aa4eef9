//! `import`, `define-library` and `cond-expand`.
//!
//! Libraries share one name space: the definitions of a library are definitions of the program, and importing binds the
//! names it renames. Standard libraries are always there.

use super::Expander;
use crate::read::{Datum, Node, Symbol};
use crate::source::{Error, Result};

/// Libraries whose procedures are built in, by the first part of their names.
const STANDARD: &[&str] =
    &["scheme", "srfi", "rnrs", "r7rs", "chibi", "chicken", "guile", "ice-9", "mit"];

/// What `cond-expand` finds.
const FEATURES: &[&str] = &["r7rs", "full-unicode", "ratios", "exact-closed", "laneweaver", "else"];

impl Expander {
    fn word(&self, datum: Datum) -> &str {
        self.data()
            .as_symbol(datum)
            .map_or("", |symbol| self.data().name(self.scopes.written(symbol)))
    }

    /// Binds what an import set renames.
    pub(super) fn import(&mut self, set: Datum) -> Result<()> {
        for (new, old) in self.import_set(set)? {
            if new != old
                && let Some(meaning) = self.scopes.lookup(old).cloned()
            {
                self.scopes.bind(new, meaning);
            }
        }
        Ok(())
    }

    /// Names with what they are called where they are defined.
    fn import_set(&mut self, set: Datum) -> Result<Vec<(Symbol, Symbol)>> {
        let items = self.data().proper(set)?;
        let Some(first) = items.first() else { return Err(self.wrong(set, "name a library")) };
        let nested =
            items.get(1).is_some_and(|item| matches!(self.data().node(*item), Node::Pair(..)));
        match self.word(*first) {
            "only" if nested => {
                let all = self.import_set(items[1])?;
                let names = items[2..]
                    .iter()
                    .map(|item| self.identifier(*item))
                    .collect::<Result<Vec<_>>>()?;
                Ok(all.into_iter().filter(|(new, _)| names.contains(new)).collect())
            }
            "except" if nested => {
                let all = self.import_set(items[1])?;
                let names = items[2..]
                    .iter()
                    .map(|item| self.identifier(*item))
                    .collect::<Result<Vec<_>>>()?;
                Ok(all.into_iter().filter(|(new, _)| !names.contains(new)).collect())
            }
            "prefix" if nested && items.len() == 3 => {
                let prefix = self.word(items[2]).to_string();
                let all = self.import_set(items[1])?;
                let renamed = |(new, old): (Symbol, Symbol)| {
                    let name = format!("{prefix}{}", self.program.data.name(new));
                    (self.program.data.intern(&name), old)
                };
                Ok(all.into_iter().map(renamed).collect())
            }
            "rename" if nested => {
                let mut all = self.import_set(items[1])?;
                for pair in &items[2..] {
                    let pair = self.data().proper(*pair)?;
                    let [from, to] = pair.as_slice() else {
                        return Err(self.wrong(set, "write (rename library (old new) ...)"));
                    };
                    let (from, to) = (self.identifier(*from)?, self.identifier(*to)?);
                    match all.iter_mut().find(|(new, _)| *new == from) {
                        Some(entry) => entry.0 = to,
                        None => all.push((to, from)),
                    }
                }
                Ok(all)
            }
            word => {
                if let Some(exports) = self.libraries.get(&self.data().write(set, 1000)) {
                    return Ok(exports.clone());
                }
                if STANDARD.contains(&word) {
                    return Ok(self.standard_names());
                }
                if self.options.assume_unknown {
                    return Ok(Vec::new());
                }
                let shown = self.data().write(set, 60);
                Err(Error::new(
                    self.data().loc(set),
                    format!("no library is called {shown}"),
                    "give the file that defines it before this one",
                ))
            }
        }
    }

    fn standard_names(&mut self) -> Vec<(Symbol, Symbol)> {
        self.scopes.outermost().map(|symbol| (symbol, symbol)).collect()
    }

    /// The forms of a library, which belong to the program.
    pub(super) fn library(&mut self, form: Datum) -> Result<Vec<Datum>> {
        let items = self.data().proper(form)?;
        let [_, name, declarations @ ..] = items.as_slice() else {
            return Err(self.wrong(form, "write (define-library (name ...) declaration ...)"));
        };
        let (mut forms, mut exports) = (Vec::new(), Vec::new());
        let mut todo: Vec<Datum> = declarations.iter().rev().copied().collect();
        while let Some(declaration) = todo.pop() {
            let parts = self.data().proper(declaration)?;
            let keyword = parts.first().map_or("", |part| self.word(*part)).to_string();
            match keyword.as_str() {
                "export" => {
                    for part in &parts[1..] {
                        exports.push(self.export(*part)?);
                    }
                }
                "begin" => forms.extend(&parts[1..]),
                "import" => forms.push(declaration),
                "cond-expand" => todo.extend(self.cond_expand(&parts[1..])?.into_iter().rev()),
                "include" | "include-ci" | "include-library-declarations" => {
                    let help = "name the included files on the command line";
                    return Err(Error::new(
                        self.data().loc(declaration),
                        "include is not followed",
                        help,
                    ));
                }
                _ => {
                    return Err(self.wrong(declaration, "use export, import, begin or cond-expand"));
                }
            }
        }
        let name = self.data().write(*name, 1000);
        self.libraries.insert(name, exports);
        Ok(forms)
    }

    fn export(&mut self, part: Datum) -> Result<(Symbol, Symbol)> {
        if let Some(symbol) = self.data().as_symbol(part) {
            return Ok((symbol, symbol));
        }
        match self.data().proper(part)?.as_slice() {
            [_, from, to] => Ok((self.identifier(*to)?, self.identifier(*from)?)),
            _ => Err(self.wrong(part, "write a name or (rename internal external)")),
        }
    }

    /// The forms of the first clause that holds.
    pub(super) fn cond_expand(&mut self, clauses: &[Datum]) -> Result<Vec<Datum>> {
        for clause in clauses {
            let items = self.data().proper(*clause)?;
            if let Some(requirement) = items.first()
                && self.holds(*requirement, 100)?
            {
                return Ok(items[1..].to_vec());
            }
        }
        Ok(Vec::new())
    }

    fn holds(&self, requirement: Datum, left: usize) -> Result<bool> {
        if self.data().as_symbol(requirement).is_some() {
            return Ok(FEATURES.contains(&self.word(requirement)));
        }
        let items = self.data().proper(requirement)?;
        let rest = items.get(1..).unwrap_or_default();
        if left == 0 {
            return Err(self.wrong(requirement, "nest requirements less deeply"));
        }
        let each = rest.iter().map(|item| self.holds(*item, left - 1));
        match items.first().map_or("", |first| self.word(*first)) {
            "and" => Ok(each.collect::<Result<Vec<_>>>()?.into_iter().all(|holds| holds)),
            "or" => Ok(each.collect::<Result<Vec<_>>>()?.into_iter().any(|holds| holds)),
            "not" => Ok(!each.collect::<Result<Vec<_>>>()?.into_iter().any(|holds| holds)),
            "library" => Ok(rest.first().is_some_and(|name| {
                let known = self.libraries.contains_key(&self.data().write(*name, 1000));
                let first = self.data().list(*name).and_then(|(items, _)| items.first().copied());
                known || first.is_some_and(|first| STANDARD.contains(&self.word(first)))
            })),
            _ => Err(self.wrong(requirement, "use a feature, and, or, not, library or else")),
        }
    }
}
