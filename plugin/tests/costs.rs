//! What LLVM's cost tables decide: how many iterations are done together, and that loops are left alone which vectors would not help.

mod common;

use common::{plugin, run};

/// What clang with the plug-in says about a program, with some flags.
fn remarks(code: &str, flags: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, text) = (path("costs.c"), path("costs.ll"));
    std::fs::write(&file, code).expect("the source");
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let load = ["-Xclang", "-load", "-Xclang", &plugin, &pass, "-fopenmp-simd", "-Wno-pass-failed"];
    let said = ["-Rpass=laneweaver", "-Rpass-missed=laneweaver", "-Rpass-analysis=laneweaver"];
    let emit = ["-O2", "-S", "-emit-llvm", "-o", &text, &file];
    let said = run("clang-22", &[&load[..], &said, &emit, flags].concat());
    (said, std::fs::read_to_string(&text).expect("clang wrote it"))
}

/// A loop with one pragma.
fn simd(clauses: &str, body: &str) -> String {
    format!(
        "extern int unknown(int);
         void f(int n, float *restrict a, const float *restrict b, const int *restrict at,
                const unsigned char *restrict bytes, unsigned char *restrict out,
                const long *restrict wide, int *restrict to) {{
         #pragma omp simd {clauses}
           for (int i = 0; i < n; i++) {{ {body} }}
         }}"
    )
}

/// How many iterations are done together.
fn width(said: &str) -> Option<u32> {
    let (_, rest) = said.split_once(": vectorized loop, ")?;
    rest.split_once(" iterations at a time")?.0.parse().ok()
}

const TARGETS: [(&str, u32); 3] =
    [("-march=x86-64-v2", 128), ("-march=x86-64-v3", 256), ("-march=x86-64-v4", 512)];

const HOPELESS: &str = "out[at[i]] += bytes[at[i]];";

/// A loop of few iterations has few lanes: all that a masked vector needs, or all that a vector is full of.
#[test]
fn no_more_than_there_are_iterations() {
    for (target, iterations, lanes) in [
        ("-march=x86-64-v4", 3, 4),
        ("-march=x86-64-v4", 5, 8),
        ("-march=x86-64-v4", 8, 8),
        ("-march=x86-64-v4", 9, 16),
        ("-march=x86-64-v4", 100, 16),
        ("-march=x86-64-v3", 3, 2),
        ("-march=x86-64-v3", 7, 4),
        ("-march=x86-64-v3", 9, 8),
    ] {
        let code =
            simd("", "a[i] = a[i] * b[i] + 1;").replace("i < n", &format!("i < {iterations}"));
        let (said, _) = remarks(&code, &[target, "-mprefer-vector-width=512"]);
        assert_eq!(width(&said), Some(lanes), "{target}, {iterations}:\n{said}");
    }
}

/// Where all numbers have one size, as many are taken as fit the registers.
#[test]
fn as_many_as_the_registers_have() {
    for (target, bits) in TARGETS {
        for (body, size) in [
            ("a[i] = a[i] * b[i] + 1;", 32),
            ("if (b[i] > 0) a[i] = b[i] / a[i];", 32),
            ("a[i] = b[at[i]];", 32),
            ("out[i] = bytes[i] ^ 7;", 8),
        ] {
            let flags = [target, "-mprefer-vector-width=512"];
            let (said, _) = remarks(&simd("", body), &flags);
            assert_eq!(width(&said), Some((bits / size).min(64)), "{target}: {body}\n{said}");
        }
    }
}

/// What was looked at, and what was taken.
#[test]
fn a_remark_says_what_costs_what() {
    let (said, _) = remarks(&simd("", "a[i] = a[i] * b[i] + 1;"), &["-march=x86-64-v3"]);
    let line = said.lines().find(|line| line.contains("an iteration costs ")).expect("a remark");
    assert!(line.contains(" alone, ") && line.contains(" as one of 8, "), "{line}");
    assert!(line.contains(" as one of 4: 8 are done together"), "{line}");
}

/// Nobody asks what a loop costs whose width is named.
#[test]
fn named_widths_stay() {
    for (clauses, named) in [("simdlen(4)", 4), ("safelen(32)", 32), ("simdlen(2)", 2)] {
        for body in [HOPELESS, "a[i] = b[i] + 1;"] {
            let (said, _) = remarks(&simd(clauses, body), &["-march=x86-64-v4"]);
            assert_eq!(width(&said), Some(named), "{clauses}: {said}");
            assert!(!said.contains("an iteration costs "), "{said}");
        }
    }
}

/// Bytes are gathered and scattered one by one: vectors only add work. The loop is not for LLVM's vectorizer either, and nothing is
/// left of what was looked at.
#[test]
fn a_hopeless_loop_is_left_alone() {
    for (target, _) in TARGETS {
        let program = simd("", HOPELESS);
        let (said, text) = remarks(&program, &[target]);
        assert_eq!(width(&said), None, "{target}: {said}");
        let missed = "loop not vectorized: it would be slower: an iteration costs ";
        let line = said.lines().find(|line| line.contains(missed)).expect("a remark");
        assert!(line.contains("--force"), "{line}");
        for left in ["laneweaver", "llvm.masked", "vector.body"] {
            assert!(!text.contains(left), "{target}: {left} in {text}");
        }
        let (said, _) = remarks(&program, &[target, "-mllvm", "-laneweaver-force"]);
        assert!(width(&said).is_some(), "{target}: {said}");
    }
}

/// What an iteration costs as one of 16.
fn cost_of_16(said: &str) -> f64 {
    let (before, _) = said.split_once(" as one of 16").expect("it was looked at");
    before.rsplit(' ').next().and_then(|cost| cost.parse().ok()).expect("a number")
}

/// What a profile or the user says about branches counts: code that is seldom needed is skipped, whatever it costs.
#[test]
fn seldom_needed_code_costs_little() {
    let body = "float x = b[i] * a[i] + b[i] * b[i]; if (CONDITION) to[i] = unknown(i); a[i] = x;";
    let of = |condition: &str| {
        let (said, _) =
            remarks(&simd("", &body.replace("CONDITION", condition)), &["-march=x86-64-v4"]);
        assert!(width(&said).is_some(), "{said}");
        cost_of_16(&said)
    };
    let (seldom, often) = (of("__builtin_expect_with_probability(x > 3, 0, 0.9999)"), of("x > 3"));
    assert!(seldom * 2.0 < often, "{seldom} {often}");
}

/// Branches around code of no lane: where a profile or the user says that it is seldom needed, around little code too; where it says that
/// it mostly is, around none; and where nobody knows, around what costs much on this target.
#[test]
fn gadgets_are_put_where_they_save_time() {
    let (little, much) = ("b[i] * b[i] + 3", "a[i] / b[i] / (b[i] + 1) / (b[i] + 2) / (b[i] + 3)");
    let gadgets = |condition: &str, value: &str, target: &str| {
        let body = format!("if ({condition}) to[i] = (int)({value});");
        let flags = [target, "-mllvm", "-laneweaver-masked-remainder=false"];
        let (said, _) = remarks(&simd("", &body), &flags);
        assert!(width(&said).is_some(), "{said}");
        said.contains("around code of no lane")
    };
    let (seldom, mostly) = (
        "__builtin_expect_with_probability(b[i] > 3, 0, 0.9999)",
        "__builtin_expect_with_probability(b[i] > 3, 1, 0.9)",
    );
    let target = "-march=x86-64-v4";
    assert!(gadgets(seldom, little, target) && gadgets(seldom, much, target));
    assert!(!gadgets(mostly, little, target) && !gadgets(mostly, much, target));
    assert!(!gadgets("b[i] > 3", little, target) && gadgets("b[i] > 3", much, target));
    // What divisions cost depends on the target.
    let divisions = "a[i] / (b[i] + 1) / (b[i] + 2)";
    assert!(!gadgets("b[i] > 3", divisions, target));
    assert!(gadgets("b[i] > 3", divisions, "-march=x86-64-v3"));
}

/// Numbers that are computed in more bits than they are stored in fill several registers: half as many lanes cost hardly more then, and
/// leave fewer iterations over.
#[test]
fn values_that_take_several_registers() {
    let body =
        "int x = bytes[i], y = bytes[i + 1]; out[i] = (unsigned char)(x * y / 7 + (x - y) * 3);";
    let (said, _) = remarks(&simd("", body), &["-march=x86-64-v4"]);
    assert_eq!(width(&said), Some(32), "{said}");
    // Floats that are as wide as what is computed have all lanes.
    let (said, _) = remarks(&simd("", "a[i] = a[i] * b[i] + 1;"), &["-march=x86-64-v4"]);
    assert_eq!(width(&said), Some(16), "{said}");
}

/// Where lanes part, trials decide, unless the tables leave no hope: bytes are gathered one by one.
#[test]
fn loops_without_hope_are_not_tried() {
    let body = "int k = at[i]; while (bytes[k] != 44 && bytes[k] != 10) k++; to[i] = k;";
    let (said, text) = remarks(&simd("", body), &["-march=x86-64-v4"]);
    assert!(said.contains("loop not vectorized: it would be slower"), "{said}");
    assert!(!text.contains("laneweaver.trial"), "{text}");
    let body = "int k = i; while (b[k] > 1) k += 16; to[i] = k;";
    let (said, _) = remarks(&simd("", body), &["-march=x86-64-v4"]);
    assert!(said.contains("where trials find that faster"), "{said}");
}

/// A target that knows no cost for a vector says so by the largest number there is: nobody is told that number.
#[test]
fn costs_that_a_target_does_not_know_are_no_numbers() {
    let body = "if (b[i] > 0) a[i] = b[i] * 2; else a[i] = 1;";
    let (said, _) = remarks(&simd("", body), &["--target=hexagon"]);
    let known = |word: &str| word.trim_end_matches(',').parse::<f64>().is_ok_and(|n| n > 1e9);
    assert!(said.contains("an iteration costs"), "{said}");
    assert!(!said.split_whitespace().any(known), "{said}");
}
