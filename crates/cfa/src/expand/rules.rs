//! `syntax-rules` (R7RS §4.3.2): patterns and templates.

use super::Expander;
use super::scope::Depth;
use crate::read::{Datum, Node, Symbol};
use crate::source::{Error, Loc, Result};
use rustc_hash::FxHashMap;

/// A macro: its rules and where its names have their meaning.
pub(super) struct Macro {
    ellipsis: Symbol,
    literals: Vec<Symbol>,
    rules: Vec<(Datum, Datum)>,
    depth: Depth,
}

/// What a pattern variable stands for.
#[derive(Clone)]
enum Match {
    One(Datum),
    Many(Vec<Match>),
}

type Matches = FxHashMap<Symbol, Match>;

/// A copy of a template in the making.
struct Copy<'a> {
    rules: &'a Macro,
    /// The place of the use.
    loc: Loc,
    /// The aliases of the names it introduces.
    names: FxHashMap<Symbol, Symbol>,
}

/// How deeply patterns and templates may nest.
const NESTING: usize = 500;

impl Expander {
    /// Reads `(syntax-rules …)`.
    pub(super) fn syntax_rules(&mut self, spec: Datum) -> Result<Macro> {
        let help = "write (syntax-rules (literal ...) (pattern template) ...)";
        let items = self.data().proper(spec)?;
        let mut items = items.into_iter().skip(1);
        let wrong =
            Error::new(self.data().loc(spec), "a transformer is missing or not syntax-rules", help);
        let mut literals = items.next().ok_or_else(|| wrong.clone())?;
        let mut ellipsis = self.symbol("...");
        if let Some(symbol) = self.data().as_symbol(literals) {
            ellipsis = symbol;
            literals = items.next().ok_or(wrong)?;
        }
        let mut names = Vec::new();
        for literal in self.data().proper(literals)? {
            names.push(self.identifier(literal)?);
        }
        let mut rules = Vec::new();
        for rule in items {
            match self.data().proper(rule)?.as_slice() {
                [pattern, template] => rules.push((*pattern, *template)),
                _ => {
                    return Err(Error::new(
                        self.data().loc(rule),
                        "a rule is a pattern and a template",
                        help,
                    ));
                }
            }
        }
        Ok(Macro { ellipsis, literals: names, rules, depth: self.scopes.depth() })
    }

    /// The expansion of a use.
    pub(super) fn transform(&mut self, rules: &Macro, form: Datum) -> Result<Datum> {
        let loc = self.data().loc(form);
        for (pattern, template) in &rules.rules {
            // The keyword itself is not matched.
            let (Node::Pair(_, pattern), Node::Pair(_, input)) =
                (self.data().node(*pattern), self.data().node(form))
            else {
                continue;
            };
            let mut matches = Matches::default();
            if self.matches(rules, pattern, input, &mut matches, NESTING)? {
                let mut copy = Copy { rules, loc, names: FxHashMap::default() };
                return self.instantiate(&mut copy, *template, &matches, true, NESTING);
            }
        }
        let shown = self.data().write(form, 60);
        Err(Error::new(
            loc,
            format!("no rule of this macro matches {shown}"),
            "see the patterns of its syntax-rules",
        ))
    }

    fn too_deep(&self, datum: Datum) -> Error {
        Error::new(
            self.data().loc(datum),
            format!("a macro nests over {NESTING} levels"),
            "split it into several macros",
        )
    }

    fn is_ellipsis(&self, rules: &Macro, datum: Datum) -> bool {
        self.data().as_symbol(datum).is_some_and(|symbol| {
            symbol == rules.ellipsis
                || self.scopes.written(symbol) == self.scopes.written(rules.ellipsis)
        }) && !rules.literals.contains(&rules.ellipsis)
    }

    fn matches(
        &mut self,
        rules: &Macro,
        pattern: Datum,
        input: Datum,
        out: &mut Matches,
        left: usize,
    ) -> Result<bool> {
        if left == 0 {
            return Err(self.too_deep(pattern));
        }
        let (mut pattern, mut input) = (pattern, input);
        loop {
            match (self.data().node(pattern), self.data().node(input)) {
                (Node::Symbol(symbol), node) if rules.literals.contains(&symbol) => {
                    let Node::Symbol(other) = node else { return Ok(false) };
                    let here = self.scopes.place(other, self.scopes.depth());
                    return Ok(here == self.scopes.place(symbol, rules.depth));
                }
                (Node::Symbol(symbol), _) => {
                    if self.data().name(symbol) != "_" {
                        out.insert(symbol, Match::One(input));
                    }
                    return Ok(true);
                }
                (Node::Pair(first, next), node) => {
                    if let Node::Pair(dots, after) = self.data().node(next)
                        && self.is_ellipsis(rules, dots)
                    {
                        let Some(rest) = self.repeat(rules, first, (input, after), out, left)?
                        else {
                            return Ok(false);
                        };
                        (pattern, input) = (after, rest);
                        continue;
                    }
                    let Node::Pair(head, tail) = node else { return Ok(false) };
                    if !self.matches(rules, first, head, out, left - 1)? {
                        return Ok(false);
                    }
                    (pattern, input) = (next, tail);
                }
                (Node::Vector(patterns), Node::Vector(inputs)) => {
                    (pattern, input) =
                        (self.as_list(patterns, pattern), self.as_list(inputs, input));
                }
                (Node::Vector(_) | Node::Null, node) => {
                    return Ok(node == Node::Null && self.data().node(pattern) == node);
                }
                _ => return Ok(self.data().write(pattern, 1000) == self.data().write(input, 1000)),
            }
        }
    }

    fn as_list(&mut self, items: u32, at: Datum) -> Datum {
        let (items, loc) = (self.data().items(items).to_vec(), self.data().loc(at));
        self.data_mut().add_list(&items, None, loc)
    }

    /// Matches `many ...` with all of the input but what the patterns after it need; yields the rest of the input.
    fn repeat(
        &mut self,
        rules: &Macro,
        many: Datum,
        (input, after): (Datum, Datum),
        out: &mut Matches,
        left: usize,
    ) -> Result<Option<Datum>> {
        let (Some((inputs, _)), Some((needed, _))) =
            (self.data().list(input), self.data().list(after))
        else {
            return Ok(None);
        };
        let Some(count) = inputs.len().checked_sub(needed.len()) else { return Ok(None) };
        let (mut all, mut rest) = (Vec::new(), input);
        for item in &inputs[..count] {
            let mut matches = Matches::default();
            if !self.matches(rules, many, *item, &mut matches, left - 1)? {
                return Ok(None);
            }
            all.push(matches);
            if let Node::Pair(_, next) = self.data().node(rest) {
                rest = next;
            }
        }
        let mut names = Vec::new();
        self.names_in(many, &mut names, left)?;
        for name in names {
            if rules.literals.contains(&name)
                || matches!(self.data().name(name), "_")
                || name == rules.ellipsis
            {
                continue;
            }
            let each = all.iter().filter_map(|matches| matches.get(&name).cloned());
            out.insert(name, Match::Many(each.collect()));
        }
        Ok(Some(rest))
    }

    /// The symbols of a pattern or template.
    fn names_in(&self, datum: Datum, out: &mut Vec<Symbol>, left: usize) -> Result<()> {
        if left == 0 {
            return Err(self.too_deep(datum));
        }
        match self.data().node(datum) {
            Node::Symbol(symbol) => out.push(symbol),
            Node::Pair(..) => {
                let Some((items, end)) = self.data().list(datum) else { return Ok(()) };
                for item in items.into_iter().chain([end]) {
                    self.names_in(item, out, left - 1)?;
                }
            }
            Node::Vector(items) => {
                for item in self.data().items(items) {
                    self.names_in(*item, out, left - 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A copy of a datum in which every name has the meaning it has in an environment.
    pub(super) fn renamed(&mut self, template: Datum, depth: Depth, loc: Loc) -> Result<Datum> {
        let rules =
            Macro { ellipsis: self.symbol("..."), literals: Vec::new(), rules: Vec::new(), depth };
        let mut copy = Copy { rules: &rules, loc, names: FxHashMap::default() };
        self.instantiate(&mut copy, template, &Matches::default(), false, NESTING)
    }

    fn instantiate(
        &mut self,
        copy: &mut Copy,
        template: Datum,
        matches: &Matches,
        dots: bool,
        left: usize,
    ) -> Result<Datum> {
        if left == 0 {
            return Err(self.too_deep(template));
        }
        match self.data().node(template) {
            Node::Symbol(symbol) => match matches.get(&symbol) {
                Some(Match::One(datum)) => Ok(*datum),
                Some(Match::Many(_)) => {
                    let name = self.data().name(symbol).to_string();
                    Err(Error::new(
                        self.data().loc(template),
                        format!("{name} stands for several data here"),
                        "follow it with ... as in the pattern",
                    ))
                }
                None => {
                    let alias = match copy.names.get(&symbol) {
                        Some(alias) => *alias,
                        None => {
                            let alias = self.alias(symbol, copy.rules.depth);
                            copy.names.insert(symbol, alias);
                            alias
                        }
                    };
                    Ok(self.data_mut().add(Node::Symbol(alias), copy.loc))
                }
            },
            Node::Pair(first, rest) => {
                if dots
                    && self.is_ellipsis(copy.rules, first)
                    && let Node::Pair(inner, _) = self.data().node(rest)
                {
                    return self.instantiate(copy, inner, matches, false, left - 1);
                }
                let Some((items, end)) = self.data().list(template) else { return Ok(template) };
                let items = self.instantiate_all(copy, &items, matches, dots, left - 1)?;
                let end = self.instantiate(copy, end, matches, dots, left - 1)?;
                Ok(self.data_mut().add_list(&items, Some(end), copy.loc))
            }
            Node::Vector(items) => {
                let items = self.data().items(items).to_vec();
                let items = self.instantiate_all(copy, &items, matches, dots, left - 1)?;
                Ok(self.data_mut().add_vector(&items, copy.loc))
            }
            _ => Ok(template),
        }
    }

    fn instantiate_all(
        &mut self,
        copy: &mut Copy,
        items: &[Datum],
        matches: &Matches,
        dots: bool,
        left: usize,
    ) -> Result<Vec<Datum>> {
        let (mut out, mut at) = (Vec::new(), 0);
        while at < items.len() {
            let item = items[at];
            at += 1;
            let mut depth = 0;
            while dots && at < items.len() && self.is_ellipsis(copy.rules, items[at]) {
                depth += 1;
                at += 1;
            }
            self.instantiate_many(copy, item, matches, (dots, depth, left), &mut out)?;
        }
        Ok(out)
    }

    /// A template that `depth` ellipses follow.
    fn instantiate_many(
        &mut self,
        copy: &mut Copy,
        item: Datum,
        matches: &Matches,
        (dots, depth, left): (bool, usize, usize),
        out: &mut Vec<Datum>,
    ) -> Result<()> {
        if depth == 0 {
            out.push(self.instantiate(copy, item, matches, dots, left)?);
            return Ok(());
        }
        let mut names = Vec::new();
        self.names_in(item, &mut names, left)?;
        names.retain(|name| matches.contains_key(name));
        let many = |name: &Symbol| match &matches[name] {
            Match::Many(all) => Some(all.len()),
            Match::One(_) => None,
        };
        let counts: Vec<usize> = names.iter().filter_map(many).collect();
        let wrong = |what: &str, help: &str| Err(Error::new(self.data().loc(item), what, help));
        let Some(count) = counts.first() else {
            return wrong("nothing here stands for several data", "remove the ...");
        };
        if counts.iter().any(|other| other != count) {
            return wrong(
                "what is repeated here has different lengths",
                "use sequences of the same length",
            );
        }
        for index in 0..*count {
            let one = |name: &Symbol| match &matches[name] {
                Match::Many(all) => (*name, all[index].clone()),
                one => (*name, one.clone()),
            };
            let matches: Matches = names.iter().map(one).collect();
            self.instantiate_many(copy, item, &matches, (dots, depth - 1, left), out)?;
        }
        Ok(())
    }
}
