//! The code of one function out of an assembly file.

/// Its instructions and labels, without directives and comments. `None` if there is no such function.
pub(super) fn function(text: &str, symbol: &str) -> Option<Vec<String>> {
    let mut lines = text
        .lines()
        .skip_while(|line| line.strip_prefix(symbol).is_none_or(|rest| !rest.starts_with(':')));
    lines.next()?;
    let body = lines.take_while(|line| !line.starts_with(".Lfunc_end"));
    let bare = |line: &str| {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let is_label = line.starts_with(".L") && line.ends_with(':');
        let is_directive = line.trim_start().starts_with('.');
        (!line.is_empty() && (is_label || !is_directive)).then(|| line.replace('\t', " "))
    };
    Some(body.filter_map(bare).collect())
}

/// The names of the functions of a file.
pub(super) fn symbols(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (name, kind) = line.trim_start().strip_prefix(".type")?.split_once(',')?;
        (kind.trim() == "@function").then_some(name.trim())
    })
}

/// Whether an instruction works on vectors or masks.
pub(super) fn is_vector(line: &str) -> bool {
    let scalar = |operation: &str| {
        ["ss", "sd"].iter().any(|end| operation.ends_with(end)) || operation.starts_with("vmovd")
    };
    let operation = line.split_whitespace().next().unwrap_or_default();
    let wide = line.contains("%zmm") || line.contains("%ymm");
    let mask = (0..8).any(|k| line.contains(&format!("%k{k}")));
    let short = line.contains("%xmm") && !scalar(operation);
    wide || mask || short
}

#[cfg(test)]
mod tests {
    use super::{function, is_vector, symbols};

    const TEXT: &str = "\t.text\n\t.type\tf,@function\nf:                    # @f\n\t.cfi_startproc\n# %bb.0:\n\
        \tvaddps\t%zmm1, %zmm0, %zmm0      # comment\n.LBB0_1:\n\tretq\n.Lfunc_end0:\n\t.size\tf, .Lfunc_end0-f\ng:\n\tretq\n";

    #[test]
    fn instructions_and_labels_are_left() {
        let lines = function(TEXT, "f").unwrap();
        assert_eq!(lines, [" vaddps %zmm1, %zmm0, %zmm0", ".LBB0_1:", " retq"]);
        assert!(function(TEXT, "h").is_none());
        assert_eq!(symbols(TEXT).collect::<Vec<_>>(), ["f"]);
    }

    #[test]
    fn scalars_in_vector_registers_are_scalars() {
        assert!(is_vector(" vaddps %zmm1, %zmm0, %zmm0") && is_vector(" kortestw %k1, %k1"));
        assert!(
            is_vector(" vaddps %xmm1, %xmm0, %xmm0") && !is_vector(" vaddss %xmm1, %xmm0, %xmm0")
        );
        assert!(!is_vector(" addq $8, %rax"));
    }
}
