//! Bitcode becomes an object, with the plug-in.

use super::invocation::Invocation;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names the folder that `lw rustc` and the linker share.
pub(super) const FOLDER: &str = "LANEWEAVER_RUST";

/// A folder for what is made on the way, and what the linker has to know.
pub(super) struct Work {
    folder: PathBuf,
    /// `0` to `3`, `s` or `z`.
    level: String,
    remarks: bool,
    /// Options of the plug-in.
    options: Vec<String>,
    /// Whether what is made stays bitcode.
    bitcode: bool,
    /// Whether the linker optimizes as well.
    pub(super) lto: bool,
    /// Whether the folder is removed at the end.
    ours: bool,
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

impl Work {
    /// Makes the folder.
    pub(super) fn begin(invocation: &Invocation) -> Result<Work, String> {
        let folder = std::env::temp_dir().join(format!("laneweaver-rust-{}", std::process::id()));
        // A process of the same number may have been ended before it could clean up.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        let work = Work {
            folder,
            level: invocation.level.clone(),
            remarks: invocation.remarks,
            options: invocation.ours.clone(),
            bitcode: invocation.bitcode,
            lto: invocation.lto,
            ours: true,
        };
        let options = work.options.join("\n");
        let flags = format!(
            "{}\n{}\n{}\n{}\n{options}\n",
            work.level, work.remarks, work.bitcode, work.lto
        );
        let linker = invocation.linker.clone().unwrap_or("cc".into());
        for (name, bytes) in [("flags", flags.as_bytes()), ("linker", linker.as_bytes())] {
            let path = work.folder.join(name);
            fs::write(&path, bytes).map_err(failed(&path))?;
        }
        Ok(work)
    }

    /// The folder that the environment names, and the linker.
    pub(super) fn resume() -> Result<(Work, PathBuf), String> {
        let folder = std::env::var_os(FOLDER)
            .ok_or("this program is the linker of `lw rustc`, and nothing else")?;
        let folder = PathBuf::from(folder);
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(failed(&path))
        };
        let flags = String::from_utf8_lossy(&read("flags")?).into_owned();
        let mut flags = flags.lines();
        let mut next = || flags.next().unwrap_or_default().to_owned();
        let level = next();
        let [remarks, bitcode, lto] = [(); 3].map(|()| next() == "true");
        let options = flags.map(str::to_owned).filter(|option| !option.is_empty()).collect();
        let linker = PathBuf::from(std::ffi::OsString::from_vec(read("linker")?));
        Ok((Work { folder, level, remarks, options, bitcode, lto, ours: false }, linker))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A name in the folder that nobody has yet.
    pub(super) fn fresh(&self, end: &str) -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{count}{end}", std::process::id()))
    }

    /// Optimizes and vectorizes bitcode; the object, or bitcode again if that is wanted.
    pub(super) fn compile(&self, from: &Path) -> Result<PathBuf, String> {
        let (bitcode, object) = (self.fresh(".bc"), self.fresh(".o"));
        let mut optimizer = Command::new("opt-22");
        let mut plugin = std::ffi::OsString::from("-load-pass-plugin=");
        plugin.push(crate::plugin()?);
        optimizer.arg(plugin).arg(format!("-passes=default<O{}>", self.level));
        optimizer.args(&self.options);
        if self.remarks {
            optimizer.args(["-pass-remarks=laneweaver", "-pass-remarks-missed=laneweaver"]);
        }
        let said = run(optimizer.arg(from).arg("-o").arg(&bitcode))?;
        self.note(&said)?;
        if self.bitcode {
            return Ok(bitcode);
        }
        let level = match &*self.level {
            "s" | "z" => "2",
            level => level,
        };
        // As rustc generates code: what is not used is left out by the linker, and the program may lie anywhere.
        let places = ["-relocation-model=pic", "-function-sections", "-data-sections"];
        let mut generator = Command::new("llc-22");
        generator.arg(format!("-O{level}")).args(places).args(["-filetype=obj", "-o"]);
        run(generator.arg(&object).arg(&bitcode))?;
        Ok(object)
    }

    /// rustc keeps to itself what its linker says, so that it is shown later.
    fn note(&self, said: &str) -> Result<(), String> {
        let path = self.folder.join("remarks");
        let file = fs::OpenOptions::new().append(true).create(true).open(&path);
        file.and_then(|mut file| file.write_all(said.as_bytes())).map_err(failed(&path))
    }

    /// Shows what was said about loops.
    pub(super) fn show_remarks(&self) {
        if let Ok(said) = fs::read_to_string(self.folder.join("remarks")) {
            eprint!("{said}");
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.ours {
            // What is left over in a folder for such things does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Runs a tool; what it said, if it succeeded.
pub(super) fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}; see `lw doctor`"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(format!("{name}: {}\n{said}", output.status)),
    }
}

/// Whether a file is bitcode.
pub(super) fn is_bitcode(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && matches!(&start, b"BC\xC0\xDE" | b"\xDE\xC0\x17\x0B")
}
