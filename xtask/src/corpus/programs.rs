//! The programs and the configurations they are compiled in, as tables.

/// How a program is compiled.
pub(super) struct Config {
    pub(super) name: &'static str,
    /// For clang.
    pub(super) c: &'static [&'static str],
    /// For rustc: `opt-level`, `debug`, and further flags. Without, the configuration is only for benchmarks, of the C
    /// programs.
    pub(super) rust: Option<(u8, u8, &'static str)>,
}

/// `O0` and `O1` are for measuring only.
pub(super) const CONFIGS: &[Config] = &[
    Config {
        name: "O0",
        // Without `optnone`, so that passes may follow.
        c: &["-O0", "-Xclang", "-disable-O0-optnone"],
        rust: None,
    },
    Config { name: "O1", c: &["-O1"], rust: None },
    Config { name: "O0g", c: &["-O0", "-g"], rust: Some((0, 2, "")) },
    Config { name: "O2g", c: &["-O2", "-g"], rust: Some((2, 2, "")) },
    Config {
        name: "O3native",
        c: &["-O3", "-march=native"],
        rust: Some((3, 0, "-Ctarget-cpu=native")),
    },
];

/// A program of the corpus.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) source: Source,
    pub(super) input: Input,
}

/// Where the code comes from.
pub(super) enum Source {
    /// C files of a crate that bundles them, and a driver in `corpus/`.
    C(CSource),
    /// `corpus/rust_driver.rs` with all it uses; what a panic does.
    Rust { panic: &'static str },
}

pub(super) struct CSource {
    /// The crate that bundles the sources.
    pub(super) package: &'static str,
    /// Folders in it of which every C file belongs to the program; they are searched for headers too.
    pub(super) folders: &'static [&'static str],
    /// Files in those folders that do not belong to it.
    pub(super) except: &'static [&'static str],
    pub(super) driver: &'static str,
    pub(super) flags: &'static [&'static str],
}

/// What the program is run on.
pub(super) enum Input {
    /// A file in `corpus/`.
    Script(&'static str),
    /// All files of a folder in `corpus/`, sorted.
    Scripts(&'static str),
    /// The generated files.
    Data,
}

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        name: "sqlite",
        source: Source::C(CSource {
            package: "libsqlite3-sys",
            folders: &["sqlite3"],
            except: &["wasm32-wasi-vfs.c"],
            driver: "sqlite_driver.c",
            // What the crate itself sets.
            flags: &[
                "-DSQLITE_CORE",
                "-DSQLITE_DEFAULT_FOREIGN_KEYS=1",
                "-DSQLITE_ENABLE_API_ARMOR",
                "-DSQLITE_ENABLE_COLUMN_METADATA",
                "-DSQLITE_ENABLE_DBSTAT_VTAB",
                "-DSQLITE_ENABLE_FTS3",
                "-DSQLITE_ENABLE_FTS3_PARENTHESIS",
                "-DSQLITE_ENABLE_FTS5",
                "-DSQLITE_ENABLE_LOAD_EXTENSION=1",
                "-DSQLITE_ENABLE_RTREE",
                "-DSQLITE_ENABLE_STAT4",
                "-DSQLITE_SOUNDEX",
                "-DSQLITE_THREADSAFE=1",
                "-DSQLITE_USE_URI",
                "-DHAVE_USLEEP=1",
                "-DHAVE_ISNAN",
            ],
        }),
        input: Input::Script("sqlite.sql"),
    },
    Program {
        name: "lua",
        source: Source::C(CSource {
            package: "lua-src",
            folders: &["lua-5.4.9"],
            except: &[],
            driver: "lua_driver.c",
            // The seed of string hashes is a clock and an address otherwise.
            flags: &["-DLUA_USE_LINUX", "-Dluai_makeseed(L)=0x5eedu"],
        }),
        input: Input::Scripts("lua"),
    },
    Program {
        name: "zlib",
        source: Source::C(CSource {
            package: "libz-sys",
            folders: &["src/zlib"],
            except: &[],
            driver: "zlib_driver.c",
            flags: &["-DSTDC", "-D_LARGEFILE64_SOURCE", "-DHAVE_UNISTD_H"],
        }),
        input: Input::Data,
    },
    Program {
        name: "zstd",
        source: Source::C(CSource {
            package: "zstd-sys",
            folders: &[
                "zstd/lib",
                "zstd/lib/common",
                "zstd/lib/compress",
                "zstd/lib/decompress",
                "zstd/lib/dictBuilder",
                "zstd/lib/legacy",
            ],
            except: &[],
            driver: "zstd_driver.c",
            // Without its assembly file, which is no bitcode.
            flags: &["-DZSTD_DISABLE_ASM=1", "-DZSTD_MULTITHREAD", "-DZSTD_LEGACY_SUPPORT=1"],
        }),
        input: Input::Data,
    },
    Program {
        name: "bzip2",
        source: Source::C(CSource {
            package: "bzip2-sys",
            folders: &["bzip2-1.0.8"],
            except: &["bzip2.c", "bzip2recover.c", "dlltest.c", "mk251.c", "spewG.c", "unzcrash.c"],
            driver: "bzip2_driver.c",
            flags: &["-D_FILE_OFFSET_BITS=64"],
        }),
        input: Input::Data,
    },
    Program { name: "rust-unwind", source: Source::Rust { panic: "unwind" }, input: Input::Data },
    Program { name: "rust-abort", source: Source::Rust { panic: "abort" }, input: Input::Data },
];
