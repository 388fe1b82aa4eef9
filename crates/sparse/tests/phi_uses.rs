//! Variables that a φ of the program reads on an edge and that live on behind it: the join splits them.

use lw_sparse::analyses::{Classes, DemandedBits};
use lw_sparse::oracle::reference::{compare, compare_on_memory};
use lw_sparse::{Code, Ssify, Strategy, check};
use std::sync::Arc;

/// `p` lives on in `body`, around the loop to the φ that reads it. Only `head` has several predecessors.
fn around(end: &str) -> lw_ir::Function {
    let text = format!(
        "func @f(ptr %p) -> i32 {{
 entry:
   store i1 false, ptr %p, align 1
   br label %head
 head:
   br label %body
 body:
   %q = phi ptr [ %p, %head ]
   {end}
 out:
   store i1 false, ptr %q, align 1
   ret i32 0
 }}"
    );
    lw_ir::parse_function(&text).unwrap()
}

#[test]
fn what_is_split_at_a_join_meets_the_rest_at_others() {
    let ends =
        ["br i1 true, label %out, label %head", "store i1 true, ptr %q, align 1  br label %head"];
    for end in ends {
        let function = around(end);
        let code = Arc::new(Code::new(&function));
        for (name, strategy) in Strategy::NAMED {
            let view = Ssify::new(code.clone()).view(strategy);
            check(&view, |_| strategy).unwrap_or_else(|e| panic!("{end} {name}: {e}\n{view}"));
        }
        compare(&function, &DemandedBits).unwrap();
        compare(&function, &Classes { occurrences: false })
            .unwrap_or_else(|e| panic!("{end}: {e}"));
        compare_on_memory(&function).unwrap_or_else(|e| panic!("{end}: {e}"));
    }
}
