fn main() {
    for path in std::env::args().skip(1) {
        let context = lw_llvm::Context::new();
        let mut module = match context.read_module(path.as_ref()) {
            Ok(m) => m,
            Err(e) => {
                println!("{e}");
                continue;
            }
        };
        match lw_llvm::roundtrip(&mut module, Default::default(), |_, _| {}) {
            Ok(r) => {
                println!(
                    "{path}: {} fns {} insts, same counts {} opaque {:?} diffs {} time {:?}",
                    r.rebuilt,
                    r.before.instructions,
                    r.before == r.after,
                    r.opaque,
                    r.differences.len(),
                    r.bridge_time
                );
                for d in r.differences.iter().take(8) {
                    println!("  {d}");
                }
            }
            Err(e) => println!("{path}: {}", e.to_string().chars().take(600).collect::<String>()),
        }
    }
}
