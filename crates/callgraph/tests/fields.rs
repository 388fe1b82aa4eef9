//! Arrays of structs: what is in one field is not in another, whatever element is meant.

use lw_callgraph::{CallGraph, Engine, Part, Roots, engines_agree};

const HEAD: &str = r#"
layout "e-i64:64-f80:128-n8:16:32:64-S128"
%device = type { i64, ptr, ptr }
@devices = global [3 x %device] [%device {i64 0, ptr @open0, ptr @close0}, %device {i64 1, ptr @open1, ptr @close1}, %device {i64 2, ptr @open2, ptr @close2}]
@one = global %device {i64 9, ptr @open0, ptr @close0}
@registry = global { i64, [2 x %device] } {i64 2, [2 x %device] [%device {i64 0, ptr @open0, ptr @close0}, %device {i64 1, ptr @open1, ptr @close1}]}
@nested = global [2 x { %device, ptr }] [{ %device, ptr } {%device {i64 0, ptr @open0, ptr @close0}, ptr @other}, { %device, ptr } {%device {i64 1, ptr @open1, ptr @close1}, ptr @other}]
"#;

const NAMES: [&str; 7] = ["open0", "open1", "open2", "close0", "close1", "close2", "other"];

fn module(body: &str) -> lw_ir::Module {
    let mut text = String::from(HEAD);
    let many: Vec<String> = (0..60)
        .map(|at| format!("%device {{i64 0, ptr @open{}, ptr @close{}}}", at % 3, at % 3))
        .collect();
    text += &format!("@many = global [60 x %device] [{}]\n", many.join(", "));
    for name in NAMES {
        text += &format!("func @{name}() -> void {{\nentry:\n  ret void\n}}\n");
    }
    text += body;
    let module = lw_ir::parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    lw_ir::verify_module(&module).unwrap_or_else(|errors| panic!("{errors:?}"));
    module
}

/// What the first call through a pointer may call.
fn targets(body: &str) -> Vec<String> {
    let module = module(body);
    let linkages = Default::default();
    let parts = [Part { module: &module, linkages: &linkages }];
    let roots = Roots::Named(vec!["main".into()]);
    engines_agree(&parts, &roots).expect("engines agree");
    let graph = CallGraph::new(&parts, &roots, Engine::Delta);
    let site = graph.sites().first().expect("a call through a pointer");
    assert!(!site.callees.unknown);
    let name = |f: &lw_callgraph::FuncId| graph.function(*f).name.as_str().map(String::from);
    site.callees.functions.iter().filter_map(name).collect()
}

/// Calls what is found at `%p`, which `lines` compute from `%i`.
fn found(lines: &str) -> Vec<String> {
    targets(&format!(
        "func @main(i64 %i) -> void {{\nentry:\n{lines}\n  %f = load ptr, ptr %p, align 8\n  call void () %f()\n  ret void\n}}\n"
    ))
}

const OPEN: [&str; 3] = ["open0", "open1", "open2"];
const ALL: [&str; 6] = ["open0", "open1", "open2", "close0", "close1", "close2"];

#[test]
fn fields_of_elements_stay_apart() {
    let open = "  %p = getelementptr inbounds [3 x %device], ptr @devices, i64 0, i64 %i, i32 1";
    assert_eq!(found(open), OPEN);
    let two = "  %d = getelementptr inbounds %device, ptr @devices, i64 %i\n  %p = getelementptr inbounds %device, ptr %d, i32 0, i32 1";
    assert_eq!(found(two), OPEN);
    let bytes = "  %o = mul nsw i64 %i, 24\n  %s = add nsw i64 %o, 8\n  %p = getelementptr inbounds i8, ptr @devices, i64 %s";
    assert_eq!(found(bytes), OPEN);
    let shifted = "  %d = getelementptr inbounds i8, ptr @devices, i64 8\n  %p = getelementptr inbounds [24 x i8], ptr %d, i64 %i";
    assert_eq!(found(shifted), OPEN);
    let back = "  %d = getelementptr inbounds %device, ptr @devices, i64 2, i32 1\n  %p = getelementptr inbounds %device, ptr %d, i64 %i";
    assert_eq!(found(back), OPEN);
    let large = "  %p = getelementptr inbounds [60 x %device], ptr @many, i64 0, i64 %i, i32 1";
    assert_eq!(found(large), OPEN);
    let exact = "  %p = getelementptr inbounds [60 x %device], ptr @many, i64 0, i64 40, i32 1";
    assert_eq!(found(exact), OPEN);
    let header = "  %p = getelementptr inbounds { i64, [2 x %device] }, ptr @registry, i64 0, i32 1, i64 %i, i32 1";
    assert_eq!(found(header), ["open0", "open1"]);
    let nested =
        "  %p = getelementptr inbounds { %device, ptr }, ptr @nested, i64 %i, i32 0, i32 2";
    assert_eq!(found(nested), ["close0", "close1"]);
}

#[test]
fn constant_indices_are_still_exact() {
    let exact = "  %q = getelementptr inbounds %device, ptr @devices, i64 %i, i32 1\n  %g = load ptr, ptr %q, align 8\n  %p = getelementptr inbounds %device, ptr @devices, i64 1, i32 1";
    assert_eq!(found(exact), ["open1"]);
}

#[test]
fn what_may_wrap_is_any_field() {
    let wraps = "  %o = mul i64 %i, 24\n  %p = getelementptr inbounds i8, ptr @devices, i64 %o";
    assert_eq!(found(wraps), ALL);
    let wraps = "  %p = getelementptr %device, ptr @devices, i64 %i, i32 1";
    assert_eq!(found(wraps), ALL);
}

#[test]
fn other_strides_reach_other_slots() {
    let other = "  %p = getelementptr inbounds [16 x i8], ptr @devices, i64 %i";
    assert_eq!(found(other), ["open1", "close0", "close2"]);
    let both = "  %d = getelementptr inbounds %device, ptr @devices, i64 %i\n  %p = getelementptr inbounds [16 x i8], ptr %d, i64 %i";
    assert_eq!(found(both), ALL);
}

#[test]
fn elements_are_followed_into_functions() {
    let called = "\
func @run(ptr %t, i64 %i) -> void {
entry:
  %p = getelementptr inbounds %device, ptr %t, i64 %i, i32 1
  %f = load ptr, ptr %p, align 8
  call void () %f()
  ret void
}
func @main(i64 %i) -> void {
entry:
  call void (ptr, i64) @run(ptr @one, i64 %i)
  call void (ptr, i64) @run(ptr @devices, i64 %i)
  call void (ptr, i64) @run(ptr @many, i64 %i)
  ret void
}
";
    assert_eq!(targets(called), OPEN);
    let walked = "\
func @run(ptr %t, i64 %i) -> void {
entry:
  br label %head
head:
  %d = phi ptr [ %t, %entry ], [ %next, %head ]
  %p = getelementptr inbounds i8, ptr %d, i64 16
  %f = load ptr, ptr %p, align 8
  call void () %f()
  %next = getelementptr inbounds i8, ptr %d, i64 24
  br label %head
}
func @main(i64 %i) -> void {
entry:
  %d = getelementptr inbounds %device, ptr @devices, i64 %i
  call void (ptr, i64) @run(ptr %d, i64 %i)
  ret void
}
";
    assert_eq!(targets(walked), ["close0", "close1", "close2"]);
}

#[test]
fn what_is_stored_at_any_element_is_in_that_field_of_all() {
    let stored = "  %q = getelementptr inbounds %device, ptr @devices, i64 %i, i32 2\n  store ptr @other, ptr %q, align 8\n  %p = getelementptr inbounds %device, ptr @devices, i64 1, i32 2";
    assert_eq!(found(stored), ["close1", "other"]);
    let elsewhere = "  %q = getelementptr inbounds %device, ptr @devices, i64 %i, i32 2\n  store ptr @other, ptr %q, align 8\n  %p = getelementptr inbounds %device, ptr @devices, i64 %i, i32 1";
    assert_eq!(found(elsewhere), OPEN);
}
