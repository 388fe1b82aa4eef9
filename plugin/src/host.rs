//! What LLVM calls.

use crate::{loops, variants};
use lw_llvm::{CostTables, Module, RemarkKind};
use lw_vectorize::Boscc;
use lw_vectorize::calls::Math;
use lw_vectorize::loops::Remainder;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `PassPluginLibraryInfo` of LLVM 22.
#[repr(C)]
pub(crate) struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register_passes: unsafe extern "C" fn(*mut c_void),
    before_code_generation: Option<unsafe extern "C" fn()>,
}

unsafe extern "C" {
    /// In `register.cpp`: puts our pass into the pipelines of a pass builder.
    fn lw_plugin_register(builder: *mut c_void);
}

/// Where LLVM enters a plug-in.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: 2,
        name: c"laneweaver".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register_passes: lw_plugin_register,
        before_code_generation: None,
    }
}

/// What the user set on the command line.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Every loop that may be vectorized is, whatever it costs.
    pub all_legal: bool,
    remainder: u8,
    boscc: u8,
    math: u8,
    /// What is marked is vectorized, whatever it costs.
    pub force: bool,
    width: u32,
}

impl Settings {
    /// The lanes of loops that do not say how many.
    pub fn width(&self) -> Option<u32> {
        (self.width > 0).then_some(self.width)
    }

    /// Where branches are put around code that no lane is active in.
    pub fn boscc(&self) -> Boscc {
        match self.boscc {
            1 => Boscc::Always,
            2 => Boscc::Never,
            _ => Boscc::Worthwhile,
        }
    }

    /// How the iterations are done that do not fill a vector, if the user said so.
    pub fn remainder(&self) -> Option<Remainder> {
        match self.remainder {
            1 => Some(Remainder::Masked),
            2 => Some(Remainder::Scalar),
            _ => None,
        }
    }
}

/// Our pass at the start of LLVM's pipeline; whether it changed something.
///
/// # Safety
/// The module is alive and nobody else uses it until this returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn lw_plugin_keep(module: *mut c_void, all_legal: bool) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        Module::lent(module, |module| {
            module.keep_loops(all_legal) | module.hold_latches() | module.hide_dead_ends()
        })
    }
}

/// Our pass in the middle of it; whether it changed something.
///
/// # Safety
/// The module and LLVM's analyses of its functions are alive and nobody else uses them until this returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn lw_plugin_run(
    module: *mut c_void,
    analyses: *mut c_void,
    settings: Settings,
) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        let tables = CostTables::lent(analyses);
        Module::lent(module, |module| {
            let held = module.release_latches();
            // What goes wrong here must not end the compiler: the module is left as it is.
            let done = catch_unwind(AssertUnwindSafe(|| run(module, &tables, &settings)));
            let changed = done.unwrap_or_else(|_| {
                eprintln!("laneweaver: an error in the plug-in; the code is compiled without it");
                true
            });
            module.show_dead_ends() || changed || held
        })
    }
}

/// Our pass at the end of it; whether it changed something.
///
/// # Safety
/// The module is alive and nobody else uses it until this returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn lw_plugin_finish(module: *mut c_void) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { Module::lent(module, |module| module.store_single_lanes()) }
}

fn run(module: &mut Module<'_>, tables: &CostTables<'_>, settings: &Settings) -> bool {
    let math = match (settings.math, module.triple()) {
        (2, _) => Math::Sleef,
        (1, _) => Math::Libmvec,
        // Where it is part of the C library.
        (_, triple) if triple.starts_with("x86_64") && triple.contains("linux-gnu") => {
            Math::Approximate
        }
        _ => Math::Scalar,
    };
    let loops = loops::vectorize_loops(module, tables, settings, math).unwrap_or_else(|error| {
        eprintln!("laneweaver: {error}");
        true
    });
    make_variants(module, math) || loops
}

fn make_variants(module: &mut Module<'_>, math: Math) -> bool {
    let made = match variants::make_variants(module, math) {
        Ok(made) => made,
        Err(error) => {
            eprintln!("laneweaver: {error}");
            return false;
        }
    };
    for one in &made {
        let variant = &one.variant;
        let (kind, text) = match (&one.outcome, &one.each_lane) {
            (Ok(_), Some(reason)) => (
                RemarkKind::Missed,
                format!("`{variant}` calls the function for each lane: {reason}"),
            ),
            (Ok(statistics), None) => (
                RemarkKind::Passed,
                format!("`{variant}` was made: {}", variants::words(statistics)),
            ),
            (Err(reason), _) => (RemarkKind::Missed, format!("`{variant}` was not made: {reason}")),
        };
        module.remark(&one.function, kind, "DeclareSimd", &text);
    }
    let lowered = match variants::lower_one_lane(module) {
        Ok(lowered) => lowered,
        Err(error) => {
            eprintln!("laneweaver: {error}");
            false
        }
    };
    lowered || made.iter().any(|one| one.outcome.is_ok())
}
