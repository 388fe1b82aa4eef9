//! Functions by the names they have in the source.
//!
//! In C++ that is `f`, `ns::T::f`, `T::f`, `f(int)`, `ns::f<int>(int)`: what a mangled name stands for, with or without the parameters, the arguments of
//! templates and the namespaces around it.

use lw_llvm::demangle;

/// What was found.
pub(crate) enum Named {
    /// One function, by its name in the module.
    One(String),
    /// Several that are called so: their names in the source.
    Several(Vec<String>),
    /// None.
    None,
}

/// The function of a module that is called `wanted` in the source. What fits as a whole goes before what fits without namespaces.
pub(crate) fn find<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Named {
    let wanted = squeezed(wanted.trim().trim_start_matches("::"));
    let mut fits: [Vec<(&str, String)>; 2] = [Vec::new(), Vec::new()];
    for name in names {
        if name == wanted {
            return Named::One(name.into());
        }
        let Some(shown) = demangle(name) else { continue };
        let forms = forms(&shown);
        let inside = |form: &String| form.ends_with(&format!("::{wanted}"));
        match () {
            () if forms.contains(&wanted) => fits[0].push((name, shown)),
            () if forms.iter().any(inside) => fits[1].push((name, shown)),
            () => {}
        }
    }
    let found = fits.into_iter().find(|fits| !fits.is_empty()).unwrap_or_default();
    match &found[..] {
        [] => Named::None,
        [(name, _)] => Named::One((*name).into()),
        _ => Named::Several(found.into_iter().map(|(_, shown)| shown).collect()),
    }
}

/// A name as in the source, for a message.
pub(crate) fn shown(name: &str) -> String {
    demangle(name).unwrap_or_else(|| name.into())
}

/// A name without white space that says nothing.
fn squeezed(name: &str) -> String {
    let mut out = String::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let between = |next: Option<&char>| {
            out.chars().last().is_some_and(is_word) && next.is_some_and(|&next| is_word(next))
        };
        if !c.is_whitespace() || between(chars.peek()) {
            out.push(c);
        }
    }
    out
}

/// The forms in which a function may be named: with parameters and without, with the arguments of a template and without.
fn forms(shown: &str) -> Vec<String> {
    let (name, params) = match parameters(shown) {
        Some(at) => shown.split_at(at),
        None => (shown, ""),
    };
    // Templates are shown with the type of the result.
    let name = name.get(behind_result(name)..).unwrap_or(name);
    let plain = without_arguments(name);
    [format!("{name}{params}"), name.into(), format!("{plain}{params}"), plain]
        .map(|form| squeezed(&form))
        .into()
}

/// Where the list of parameters begins: the last one that is not inside of another one.
fn parameters(shown: &str) -> Option<usize> {
    let end = shown.rfind(')')?;
    let mut depth = 0;
    for (at, c) in shown[..=end].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Where the name begins behind the type of the result.
fn behind_result(name: &str) -> usize {
    // `operator int` has a space that is part of the name.
    let end = name.find("operator").unwrap_or(name.len());
    let (mut depth, mut start) = (0, 0);
    for (at, c) in name[..end].char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    start
}

/// A name without the arguments of templates.
fn without_arguments(name: &str) -> String {
    if name.contains("operator") {
        return name.into();
    }
    let mut depth = 0;
    let kept = name.chars().filter(|&c| {
        depth += i32::from(c == '<');
        let kept = depth == 0;
        depth -= i32::from(c == '>');
        kept
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ns::over(int)`, `ns::over(double)`, `ns::T::sm(int)`, `int ns::tw<int>(int)`, `f(unsigned long, char const*)`, `other::f(int)`, `operator+(V, V)`.
    const NAMES: [&str; 7] = [
        "_ZN2ns4overEi",
        "_ZN2ns4overEd",
        "_ZN2ns1T2smEi",
        "_ZN2ns2twIiEEiT_",
        "_Z1fmPKc",
        "_ZN5other1fEi",
        "_Zpl1VS_",
    ];

    #[test]
    fn functions_are_named_as_in_the_source() {
        for (wanted, name) in [
            ("ns::T::sm", 2),
            ("T::sm", 2),
            ("sm", 2),
            ("::ns::T::sm ( int )", 2),
            ("ns::over(int)", 0),
            ("over(double)", 1),
            ("ns::tw<int>", 3),
            ("tw", 3),
            ("ns::tw<int>(int)", 3),
            ("f", 4),
            ("f(unsigned long, char const *)", 4),
            ("other::f", 5),
            ("operator+", 6),
            ("_ZN2ns4overEd", 1),
        ] {
            match find(wanted, NAMES.into_iter()) {
                Named::One(found) => assert_eq!(found, NAMES[name], "{wanted}"),
                Named::Several(all) => panic!("{wanted}: {all:?}"),
                Named::None => panic!("{wanted}"),
            }
        }
    }

    #[test]
    fn names_that_several_have_are_not_chosen() {
        for wanted in ["ns::over", "over"] {
            match find(wanted, NAMES.into_iter()) {
                Named::Several(all) => assert_eq!(all, ["ns::over(int)", "ns::over(double)"]),
                _ => panic!("{wanted}"),
            }
        }
        assert!(matches!(find("m", NAMES.into_iter()), Named::None));
    }
}
