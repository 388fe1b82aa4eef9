//! The call graph: runs against what it has.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::callgraph::Callgraph)
}
