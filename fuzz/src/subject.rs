//! What a target looks at: a program, a text, a command line.

use lw_ir::Module;
use lw_ir::generate::{Coverage, Program, ShrinkOptions, shrink};
use lw_sparse::registers::Registers;
use std::fmt;

/// What belongs to a seed.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A random program.
    Program(Box<Program>),
    /// A module whose first function is looked at.
    Module(Box<Module>),
    /// A program over registers. It is not shrunk: these are small.
    Registers(Box<Registers>),
    /// A Scheme program, one form to a line.
    Scheme(String),
    /// A program that calls through pointers, in the text form.
    Calls(String),
    /// A C program, and the seed that says how it is compiled.
    Source(u64, String),
    /// The constraint program of a seed. It is not shrunk: these are small.
    Constraints(u64),
    /// A text, and the program it was made from.
    Text(Box<Program>, String),
    /// The arguments of a command. `FILE` stands for a file with this content.
    Command(Vec<String>, Vec<u8>),
}

impl Subject {
    /// The program.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Subject::Program(program) | Subject::Text(program, _) => Some(program),
            Subject::Module(_) | Subject::Registers(_) | Subject::Command(..) => None,
            Subject::Scheme(_) | Subject::Calls(_) | Subject::Constraints(_) => None,
            Subject::Source(..) => None,
        }
    }

    /// Counts what it covers.
    pub fn count(&self, coverage: &mut Coverage) {
        match (self, self.program()) {
            (Subject::Module(module), _) => coverage.add_module(module),
            (_, Some(program)) => coverage.add_module(&program.module),
            (_, None) => coverage.programs += 1,
        }
    }

    /// What shrinking changes, as bytes.
    pub fn content(&self) -> Vec<u8> {
        match self {
            Subject::Program(program) => program.module.to_string().into_bytes(),
            Subject::Module(module) => module.to_string().into_bytes(),
            Subject::Registers(program) => program.to_string().into_bytes(),
            Subject::Scheme(text)
            | Subject::Calls(text)
            | Subject::Text(_, text)
            | Subject::Source(_, text) => text.clone().into_bytes(),
            Subject::Constraints(seed) => seed.to_string().into_bytes(),
            Subject::Command(args, file) => [args.join("\n").as_bytes(), b"\n\0", file].concat(),
        }
    }

    /// The same with other content; `None` if that makes no sense.
    pub fn with_content(self, content: &[u8]) -> Option<Subject> {
        let text = || String::from_utf8_lossy(content).into_owned();
        Some(match self {
            Subject::Program(mut program) => {
                program.module = lw_ir::parse_module(&text()).ok()?;
                // What is left of it may well be undefined.
                program.defined = false;
                Subject::Program(program)
            }
            Subject::Module(_) => Subject::Module(Box::new(lw_ir::parse_module(&text()).ok()?)),
            Subject::Registers(_) | Subject::Constraints(_) => self,
            Subject::Scheme(_) => Subject::Scheme(text()),
            Subject::Calls(_) => Subject::Calls(text()),
            Subject::Source(seed, _) => Subject::Source(seed, text()),
            Subject::Text(program, _) => Subject::Text(program, text()),
            Subject::Command(..) => {
                let end = content.windows(2).position(|pair| pair == b"\n\0")?;
                let args = String::from_utf8_lossy(&content[..end]).into_owned();
                let args = args.lines().map(String::from).collect();
                Subject::Command(args, content[end + 2..].to_vec())
            }
        })
    }

    /// A smaller one that fails too.
    pub fn shrink(self, mut fails: impl FnMut(&Subject) -> bool) -> Subject {
        let options = ShrinkOptions { budget: 1500 };
        match self {
            Subject::Registers(_) | Subject::Constraints(_) => self,
            Subject::Scheme(text) => {
                let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
                fewer(&mut lines, |lines| fails(&Subject::Scheme(lines.join("\n"))));
                Subject::Scheme(lines.join("\n"))
            }
            Subject::Calls(text) => {
                let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
                fewer(&mut lines, |lines| fails(&Subject::Calls(lines.join("\n"))));
                Subject::Calls(lines.join("\n"))
            }
            Subject::Source(seed, text) => {
                let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
                fewer(&mut lines, |lines| fails(&Subject::Source(seed, lines.join("\n"))));
                Subject::Source(seed, lines.join("\n"))
            }
            Subject::Module(module) => {
                let with = |module: &Module| Subject::Module(Box::new(module.clone()));
                with(&shrink(&module, options, |module| fails(&with(module))))
            }
            Subject::Program(program) => {
                let with = |module: &Module| {
                    let program = Program { module: module.clone(), ..(*program).clone() };
                    Subject::Program(Box::new(program))
                };
                let small = shrink(&program.module, options, |module| fails(&with(module)));
                with(&small)
            }
            Subject::Text(program, text) => {
                let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
                let make = |lines: &[String]| Subject::Text(program.clone(), lines.join("\n"));
                fewer(&mut lines, |lines| fails(&make(lines)));
                make(&lines)
            }
            Subject::Command(mut args, file) => {
                fewer(&mut args, |args| fails(&Subject::Command(args.to_vec(), file.clone())));
                let text = String::from_utf8_lossy(&file).into_owned();
                let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
                fewer(&mut lines, |lines| {
                    fails(&Subject::Command(args.clone(), lines.join("\n").into_bytes()))
                });
                let small = Subject::Command(args.clone(), lines.join("\n").into_bytes());
                if fails(&small) { small } else { Subject::Command(args, file) }
            }
        }
    }
}

/// Takes away parts, large ones first, as long as it still fails.
fn fewer(parts: &mut Vec<String>, mut fails: impl FnMut(&[String]) -> bool) {
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < parts.len() {
            let mut candidate = parts.clone();
            candidate.drain(start..(start + size).min(parts.len()));
            if fails(&candidate) {
                *parts = candidate;
            } else {
                start += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Program(program) => write!(f, "{}", program.module),
            Subject::Module(module) => write!(f, "{module}"),
            Subject::Registers(program) => write!(f, "{program}"),
            Subject::Scheme(text) | Subject::Calls(text) | Subject::Text(_, text) => {
                f.write_str(text)
            }
            Subject::Source(seed, text) => f.write_str(&crate::clang::whole(*seed, text)),
            Subject::Constraints(seed) => write!(f, "{:#?}", lw_cfa::generate::flow(*seed)),
            Subject::Command(args, file) => {
                writeln!(f, "lw {}", args.join(" "))?;
                write!(f, "{}", String::from_utf8_lossy(file))
            }
        }
    }
}
