//! The errors of the vector functions of libmvec and SLEEF, called from loops that `lw cc` vectorizes.
//!
//! `bench/kernels/math/loops.c` is compiled once for each library; `errors.c` measures it against functions that are more precise.

use clap::Parser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The libraries, and what they have instead of `v_` in the names of functions.
const LIBRARIES: [(&str, &str); 2] = [("libmvec", "_ZGV"), ("sleef", "Sleef_")];

#[derive(Parser)]
struct Args {
    /// Where to write the results
    #[arg(long)]
    json: Option<PathBuf>,
    /// The command `lw`; by default the one beside this program
    #[arg(long)]
    lw: Option<PathBuf>,
    /// Where programs are built
    #[arg(long, default_value = "target/bench/math")]
    folder: PathBuf,
}

/// The errors of a function, in units of the last place.
struct Errors {
    function: String,
    ty: String,
    normal: f64,
    /// The arguments with the largest error.
    at: [String; 2],
    subnormal: f64,
    /// Special arguments for which the result is another than that of the scalar function.
    special: u64,
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-math: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench(args: &Args) -> Result<(), String> {
    let lw = match &args.lw {
        Some(path) => path.clone(),
        None => std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("lw"),
    };
    std::fs::create_dir_all(&args.folder).map_err(|e| format!("{}: {e}", args.folder.display()))?;
    let mut all = Vec::new();
    for (library, prefix) in LIBRARIES {
        let program = build(&lw, &args.folder, library, prefix)?;
        all.push(measure(&program)?);
    }
    print!("{}", table(&all));
    if let Some(path) = &args.json {
        let libraries: serde_json::Map<String, Value> = LIBRARIES
            .iter()
            .zip(&all)
            .map(|((name, _), rows)| ((*name).into(), json(rows)))
            .collect();
        lw_bench::save(path, &format!("{:#}\n", Value::Object(libraries)))?;
    }
    Ok(())
}

/// Compiles the loops for a library, and what measures them.
fn build(lw: &Path, folder: &Path, library: &str, prefix: &str) -> Result<PathBuf, String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/math");
    let (loops, program) = (folder.join(format!("{library}.o")), folder.join(library));
    let mut compile = Command::new(lw);
    compile.args(["cc", "-O2", "-march=native", "-fno-math-errno", "--force", "-c"]);
    compile.arg(format!("--math={library}")).arg(sources.join("loops.c")).arg("-o").arg(&loops);
    run(&mut compile)?;
    let called = run(Command::new("nm").arg("-u").arg(&loops))?;
    let scalar = |line: &&str| !line.trim().trim_start_matches("U ").starts_with(prefix);
    if let Some(line) = called.lines().find(scalar) {
        return Err(format!("{library} has no vector function for `{}`", line.trim()));
    }
    let mut link = Command::new("gcc");
    link.arg("-O2").arg(sources.join("errors.c")).arg(&loops).arg("-o").arg(&program);
    run(link.args(["-lsleef", "-lquadmath", "-lm"]))?;
    Ok(program)
}

fn measure(program: &Path) -> Result<Vec<Errors>, String> {
    let said = run(&mut Command::new(program))?;
    let read = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [function, ty, normal, x, y, subnormal, special] = words[..] else { return None };
        Some(Errors {
            function: function.into(),
            ty: ty.into(),
            normal: normal.parse().ok()?,
            at: [x.into(), y.into()],
            subnormal: subnormal.parse().ok()?,
            special: special.parse().ok()?,
        })
    };
    said.lines().map(|line| read(line).ok_or(format!("not understood: {line}"))).collect()
}

/// What a program says; it must succeed.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|e| format!("{name}: {e}; see `lw doctor`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name}: {}\n{said}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Functions with the largest errors of both libraries, for floats and doubles.
fn table(all: &[Vec<Errors>]) -> String {
    let mut text = format!("{:8}", "");
    for (library, _) in LIBRARIES {
        text += &format!("{:>20}{:>20}", format!("{library} float"), format!("{library} double"));
    }
    text += "\n";
    let error = |errors: &Errors| {
        let mut shown = format!("{:.2}", errors.normal);
        if errors.subnormal > errors.normal.max(1.0) {
            shown += &format!(" ({:.0})", errors.subnormal);
        }
        if errors.special > 0 {
            shown += &format!(" {}!", errors.special);
        }
        shown
    };
    for at in (0..all[0].len()).step_by(2) {
        text += &format!("{:8}", all[0][at].function);
        for library in all {
            text += &format!("{:>20}{:>20}", error(&library[at]), error(&library[at + 1]));
        }
        text += "\n";
    }
    text + "Largest errors in ULP; of subnormal results in brackets; n!: special arguments with another result than the scalar function\n"
}

fn json(rows: &[Errors]) -> Value {
    let one = |errors: &Errors| {
        json!({
            "function": errors.function,
            "type": errors.ty,
            "ulp": errors.normal.is_finite().then_some(errors.normal),
            "at": errors.at,
            "subnormal": errors.subnormal,
            "special": errors.special,
        })
    };
    rows.iter().map(one).collect()
}
