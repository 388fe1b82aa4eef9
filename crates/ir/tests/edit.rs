//! Editing: what is split, moved and replaced still verifies and means the same.

use lw_ir::interp::{Machine, Run, Val};
use lw_ir::{
    Builder, Cfg, Constant, Function, InsertAt, InstData, Module, Op, Type, parse_function, verify,
};

const SWITCH: &str = "func @f(i32 %n) -> i32 {
entry:
  switch i32 %n, label %join [1: label %join, 2: label %other]
other:
  br label %join
join:
  %r = phi i32 [ 10, %entry ], [ 10, %entry ], [ 20, %other ]
  %s = add i32 %r, %n
  ret i32 %s
}
";

#[track_caller]
fn results(function: &Function) -> Vec<Val> {
    verify(function).unwrap_or_else(|errors| panic!("{errors:?}\n{function}"));
    let module = Module { functions: vec![function.clone()], ..Module::default() };
    let args: Vec<Vec<Val>> = (0..4).map(|n| vec![Val::i32(n)]).collect();
    let run = Run { threads: 4, ..Run::default() };
    Machine::new(&module).run("f", &args, &run).unwrap_or_else(|e| panic!("{e}")).values()
}

#[test]
fn a_split_edge_carries_its_phi_operand() {
    let mut function = parse_function(SWITCH).unwrap();
    let before = results(&function);
    let entry = function.entry().unwrap();
    for edge in 0..3 {
        let middle = function.split_edge(entry, edge);
        assert_eq!(function.successors(entry)[edge], middle);
        assert_eq!(results(&function), before, "{function}");
    }
    let cfg = Cfg::compute(&function).unwrap();
    assert_eq!(cfg.graph().node_count(), 6);
    assert_eq!(cfg.block(cfg.node(entry)), entry);
}

#[test]
fn a_split_block_keeps_its_edges() {
    let mut function = parse_function(SWITCH).unwrap();
    let before = results(&function);
    let join = function.blocks()[2];
    let add = function.insts(join)[1];
    let tail = function.split_block(add);
    let jump = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[tail]);
    function.insert(InsertAt::End(join), jump);
    assert_eq!(results(&function), before);
    let entry = function.entry().unwrap();
    let first = function.insts(entry)[0];
    let rest = function.split_block(first);
    let jump = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[rest]);
    function.insert(InsertAt::End(entry), jump);
    assert_eq!(results(&function), before);
}

#[test]
fn uses_are_replaced_in_operands_and_predicates() {
    let text = "func @f(i32 %n) -> i32 {\na:\n  %p = total icmp eq i32 %n, 1\n  br label %b\nb: when %p\n  br label %c\nc:\n  %r = select i1 %p, i32 1, i32 2\n  ret i32 %r\n}";
    let mut function = parse_function(text).unwrap();
    let compare = function.insts(function.entry().unwrap())[0];
    let (old, new) = (function.result(compare), function.constant(Constant::bool(true)));
    function.replace_uses(old, new);
    assert_eq!(function.predicate(function.blocks()[1]), Some(new));
    function.erase(compare);
    assert_eq!(results(&function), vec![Val::i32(1); 4]);
}

#[test]
fn instructions_move_and_blocks_go() {
    let mut function = parse_function(SWITCH).unwrap();
    let (entry, other, join) = (function.blocks()[0], function.blocks()[1], function.blocks()[2]);
    let switch = function.terminator(entry).unwrap();
    function.erase(switch);
    let mut builder = Builder::new(&mut function);
    builder.switch_to(entry);
    builder.br(join);
    let phi = function.phis(join).next().unwrap();
    function[phi].args.truncate(1);
    function[phi].targets.truncate(1);
    function.erase_block(other);
    assert_eq!(results(&function), (0..4).map(|n| Val::i32(10 + n)).collect::<Vec<_>>());
    let add = function.insts(join)[1];
    let value = function.result(add);
    let square = InstData::new(Op::Binary(lw_ir::ops::BinOp::Mul), Type::I32, &[value, value]);
    let square = function.insert(InsertAt::Before(function.terminator(join).unwrap()), square);
    function.move_inst(square, InsertAt::After(add));
    assert_eq!(function.position(square), (join, 2));
    assert!(function.to_dot().contains("mul i32 %s, %s"));
}

#[test]
fn instructions_are_placed_together() {
    let mut function = parse_function(SWITCH).unwrap();
    let before = results(&function);
    let join = function.blocks()[2];
    let (phi, add) = (function.insts(join)[0], function.insts(join)[1]);
    let (r, n) = (function.result(phi), function.params()[0]);
    let new = [0, 1, 2, 3].map(|_| {
        let data = InstData::new(Op::Binary(lw_ir::ops::BinOp::Xor), Type::I32, &[r, n]);
        function.make(data)
    });
    let places =
        [InsertAt::After(phi), InsertAt::Before(add), InsertAt::Before(add), InsertAt::After(add)];
    function.place_all(&places.into_iter().zip(new).collect::<Vec<_>>());
    let end = function.terminator(join).unwrap();
    assert_eq!(function.insts(join), [phi, new[0], new[1], new[2], add, new[3], end]);
    assert!(new.iter().all(|&inst| function.block_of(inst) == Some(join)));
    assert_eq!(results(&function), before);
}

#[test]
fn blocks_are_moved_and_removed_together() {
    let mut function = parse_function(SWITCH).unwrap();
    let [entry, other, join] = function.blocks()[..] else { panic!() };
    let new = [0, 1, 2].map(|_| function.add_block());
    function.place_blocks(&[(other, new[2]), (entry, new[0])]);
    assert_eq!(function.blocks(), [entry, new[0], other, new[2], join, new[1]]);
    function.erase_blocks(&new);
    assert_eq!(function.blocks(), [entry, other, join]);
    verify(&function).unwrap();
}
