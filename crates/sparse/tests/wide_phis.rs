//! φs with so many entries that they are not searched through one by one.

use lw_ir::Module;
use lw_ir::interp::{Machine, Run, Val};
use lw_sparse::{Code, Operand, Program, Ssify, Strategy, function, materialize};
use std::fmt::Write;
use std::sync::Arc;

/// A `switch` of so many cases: every third goes to the join itself, which is then entered by parallel edges, and the
/// others through blocks of their own, numbered against the order of the entries of the φ.
fn wide(cases: usize) -> String {
    let mut cases_text = String::new();
    let mut blocks = String::new();
    let mut entries = "[ %x, %entry ]".to_string();
    for case in 0..cases {
        let direct = case % 3 == 0;
        let target = if direct { "join".to_string() } else { format!("b{case}") };
        let comma = if case > 0 { ", " } else { "" };
        write!(cases_text, "{comma}{case}: label %{target}").unwrap();
        if direct {
            entries.push_str(", [ %x, %entry ]");
        } else {
            let arm = format!(" b{case}: %y{case} = mul i32 %x, {case}  br label %join\n");
            blocks.insert_str(0, &arm);
            let value = if case % 2 == 0 { format!("%y{case}") } else { "%x".into() };
            write!(entries, ", [ {value}, %b{case} ]").unwrap();
        }
    }
    format!(
        "func @f(i32 %x) -> i32 {{
 entry: switch i32 %x, label %join [{cases_text}]
 {blocks} join: %z = phi i32 {entries}  ret i32 %z
 }}"
    )
}

#[test]
fn one_entry_stands_for_all_from_a_block() {
    for cases in [3, 11, 12, 13, 40] {
        let f = lw_ir::parse_function(&wide(cases)).unwrap();
        let phi = f.blocks().iter().flat_map(|&b| f.insts(b)).find(|&&i| f[i].op == lw_ir::Op::Phi);
        let phi = function::instr(*phi.unwrap());
        let mut from = Vec::new();
        f.operands(phi, |operand| {
            if let Operand::UseFrom(_, block) = operand {
                from.push(block);
            }
        });
        let mut once = from.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), from.len(), "{cases} cases");
        assert_eq!(once.len(), 1 + cases - cases.div_ceil(3), "{cases} cases");
        // Each edge into the join carries a value, parallel ones the same.
        let code = Code::new(&f);
        let at = code.points().find_map(|point| match point {
            lw_sparse::Point::End(block) => code.phis(block).next(),
            _ => None,
        });
        let uses: Vec<_> = code.phi_uses(at.unwrap()).collect();
        assert_eq!(uses.len(), cases + 1);
        for &(var, edge) in &uses {
            let same = |&&(other, on): &&(_, _)| {
                code.graph().source(on) == code.graph().source(edge) && other != var
            };
            assert!(uses.iter().find(same).is_none(), "{cases} cases");
        }
    }
}

#[test]
fn materialized_they_compute_the_same() {
    for cases in [3, 12, 40] {
        let f = lw_ir::parse_function(&wide(cases)).unwrap();
        let view = Ssify::new(Arc::new(Code::new(&f))).view(Strategy::SSI);
        assert!(view.inserted() > 0);
        let (out, _) = materialize(&f, &view);
        lw_ir::verify(&out).unwrap_or_else(|e| panic!("{cases} cases: {e:?}\n{out}"));
        let run = |f: &lw_ir::Function, x: usize| {
            let module = Module { functions: vec![f.clone()], ..Module::default() };
            let args = vec![vec![Val::int(32, x as i128)]];
            Machine::new(&module).run("f", &args, &Run::default()).unwrap().results
        };
        for x in 0..cases + 2 {
            assert_eq!(run(&f, x), run(&out, x), "{cases} cases, {x}");
        }
    }
}
